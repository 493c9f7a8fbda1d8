//! `whet diff`: whether two versions of a function do the same, whatever they are given.
//!
//! The new version is a mutant of the old one, and goes through the same stages.

use std::path::Path;

use anyhow::bail;
use ir::{FunctionId, Mutant, Outcome, Unsupported};
use llvm::{Unit, Version};
use serde_json::{Map, Value, json};
use settle::{Checker, Conclusion, Kill, Limits, Open, Sanitiser, Shown, Test};
use stages::Inductive;

use crate::Exit;
use crate::cli::{Diff, Format, Overflow};
use crate::decide::{Plan, decide, settings};
use crate::desk::Desk;
use crate::judges::{Machine, SecondSolver};
use crate::past::Past;
use crate::progress::{Line, Timings};
use crate::show::print;

/// The new version.
const NEW: Mutant = Mutant(1);

/// What the new version is called in a list of mutants.
const OPERATOR: &str = "NEW";

pub fn diff(arguments: &Diff) -> anyhow::Result<Exit> {
    let renamed = arguments.functions.iter().filter_map(|function| function.split_once('='));
    let renamed: Vec<(String, String)> =
        renamed.map(|(old, new)| (old.to_string(), new.to_string())).collect();
    let unit = load(arguments, renamed.clone())?;
    let subjects = subjects(arguments, &unit, &renamed)?;
    let second_opinion = match arguments.double_check {
        true => Some(SecondSolver::find()?),
        false => None,
    };
    let file = arguments.old.display().to_string();
    let (search, changes) = (&arguments.search, unit.changes.clone());
    let mut plan = Plan::new(search, &unit, &file, changes, &arguments.stages, arguments.double_check)?;
    plan.subjects.retain(|subject| subjects.contains(&subject.function));
    let native = Machine::new(&unit);
    let mut checker = Checker::new(&unit.program, &native, Limits::default());
    checker.second_opinion = second_opinion.as_ref().map(|solver| solver as &dyn settle::SecondOpinion);
    let settings = settings(&plan, arguments.overflow, &arguments.clang.flags, &checker.limits);
    let past = Past::find(&unit, None, settings)?;
    let line = Line::new(plan.judgements(), arguments.format == Format::Json);
    let decided = decide(&plan, &checker, &native, &past, &line, &mut Timings::new(), || Ok(()))?;
    // What no changed function is reached from is the same code.
    let fault = unit.versions.iter().flatten().find_map(|graft| graft.fault.clone());
    let conclusion = match (fault, plan.judgements()) {
        (Some(what), _) => Conclusion::Open(Open::Unsupported(Unsupported { what, at: None })),
        (None, 0) => {
            let method = "the same code".to_string();
            Conclusion::Equivalent { stage: "canonical", method, assumptions: vec![] }
        }
        _ => decided.conclusions(&plan, &Default::default()).swap_remove(0),
    };
    let answer = Answer { arguments, unit: &unit, conclusion: &conclusion };
    let doubt = answer.doubt()?;
    let answer = Answer { conclusion: doubt.as_ref().unwrap_or(&conclusion), ..answer };
    match arguments.format {
        Format::Json => print(format!("{:#}\n", answer.json()).as_bytes())?,
        Format::Text => print(answer.text().as_bytes())?,
    };
    Ok(answer.exit())
}

/// The old file, with the new one as a mutant of it.
fn load(arguments: &Diff, renamed: Vec<(String, String)>) -> anyhow::Result<Unit> {
    let version = Version {
        file: arguments.new.clone(),
        in_place: false,
        operator: Some(OPERATOR.to_string()),
        renamed,
    };
    let overflow = match arguments.overflow {
        Overflow::Undefined => llvm::Overflow::Undefined,
        Overflow::Wrap => llvm::Overflow::Wrap,
    };
    Ok(llvm::load(&llvm::Options {
        file: arguments.old.clone(),
        clang: std::env::var_os("WHET_CLANG").map(|program| llvm::Clang { program }),
        flags: arguments.clang.flags.clone(),
        overflow,
        operators: llvm::Operators::none(),
        functions: vec![],
        headers: false,
        versions: vec![version],
    })?)
}

/// The functions to compare: those that were named, or all that both files have and a test can call.
fn subjects(arguments: &Diff, unit: &Unit, renamed: &[(String, String)]) -> anyhow::Result<Vec<FunctionId>> {
    let Unit { program, external, .. } = unit;
    let Some(Ok(graft)) = unit.versions.first() else { bail!("the new version was not read") };
    let (old, new) = (arguments.old.display(), arguments.new.display());
    let defined = |name: &str| external.iter().copied().find(|id| program.function(*id).name == name);
    let mut subjects = Vec::new();
    for named in &arguments.functions {
        let (name, other) = named.split_once('=').unwrap_or((named, named));
        let Some(id) = defined(name) else {
            bail!("{old} has no function `{name}` that another file could call");
        };
        if !graft.defined.iter().any(|known| known == other) {
            bail!("{new} has no function `{other}`");
        }
        subjects.push(id);
    }
    let is_old_name = |name: &str| renamed.iter().any(|(old, _)| old == name);
    if arguments.functions.is_empty() {
        let name = |id: &FunctionId| &program.function(*id).name;
        let both = external.iter().filter(|id| graft.defined.contains(name(id)) && name(id) != "main");
        subjects.extend(both.filter(|id| !is_old_name(name(id))));
    }
    if subjects.is_empty() {
        bail!("{old} and {new} have no function in common: name them with --function old=new");
    }
    let mut compared = Vec::new();
    for id in subjects {
        match check_signature(arguments, unit, id, renamed) {
            Ok(()) => compared.push(id),
            // Who names no function wants to hear about the others.
            Err(error) if arguments.functions.is_empty() && external.len() > 1 => eprintln!("whet: {error}"),
            Err(error) => return Err(error),
        }
    }
    if compared.is_empty() {
        bail!("no function of {old} can be called in the same way in {new}");
    }
    Ok(compared)
}

/// Refuses functions that cannot be called in the same way.
fn check_signature(
    arguments: &Diff,
    unit: &Unit,
    id: FunctionId,
    renamed: &[(String, String)],
) -> anyhow::Result<()> {
    let program = &unit.program;
    let function = program.function(id);
    let other = renamed.iter().find(|(old, _)| *old == function.name);
    let other_name = other.map_or(&function.name, |(_, new)| new);
    let Some(other) = program.named(&llvm::Graft::name(other_name, NEW.0)) else { return Ok(()) };
    let (one, two) = (&function.signature, &program.function(other).signature);
    // Of what we do not execute, we do not know how it is called either.
    let is_known = program.function(other).unsupported.is_none();
    if !is_known || program.is_compatible(one, two) {
        return Ok(());
    }
    let prototypes =
        [write::prototype(program, &function.name, one), write::prototype(program, other_name, two)];
    let hint = match prototypes[0] == prototypes[1] {
        true => "\nA type that both name is not the same one.",
        false => "",
    };
    bail!(
        "`{}` cannot be called in the same way in both files:\n  {}: {}\n  {}: {}{hint}",
        function.name,
        arguments.old.display(),
        prototypes[0],
        arguments.new.display(),
        prototypes[1]
    );
}

/// What is known in the end.
struct Answer<'a> {
    arguments: &'a Diff,
    unit: &'a Unit,
    conclusion: &'a Conclusion,
}

impl Answer<'_> {
    fn exit(&self) -> Exit {
        match self.conclusion {
            Conclusion::Killed { .. }
            | Conclusion::ByOwnTests { .. }
            | Conclusion::Special { .. }
            | Conclusion::Family(_) => Exit::Below,
            Conclusion::Equivalent { .. } => Exit::Settled,
            Conclusion::Open(_) => Exit::Open,
        }
    }

    fn word(&self) -> &'static str {
        match self.conclusion {
            Conclusion::Killed { .. }
            | Conclusion::ByOwnTests { .. }
            | Conclusion::Special { .. }
            | Conclusion::Family(_) => "different",
            Conclusion::Equivalent { .. } => "equal",
            Conclusion::Open(_) => "unknown",
        }
    }

    /// Another conclusion, if the test that should tell the two versions apart does not.
    fn doubt(&self) -> anyhow::Result<Option<Conclusion>> {
        let Conclusion::Killed { subject, kill, .. } = self.conclusion else { return Ok(None) };
        let Diff { old, clang, tests, .. } = self.arguments;
        let desk = Desk::new(self.unit, old, &clang.flags, tests.framework());
        if !kill.shown.in_any_build() || desk.tells_apart(&self.test(*subject, kill), NEW)? {
            return Ok(None);
        }
        let what = "the two go different ways, but a test for it passes on both: they may print the same by other calls";
        Ok(Some(Conclusion::Open(Open::Unsupported(Unsupported { what: what.to_string(), at: None }))))
    }

    fn json(&self) -> Value {
        let mut answer = json!({
            "verdict": self.word(), "function": null, "method": "", "assumptions": [], "relation": "",
            "input": {}, "old": {}, "new": {}, "reason": "",
        });
        match self.conclusion {
            Conclusion::Killed { subject, stage, kill, .. } => {
                let program = &self.unit.program;
                answer["function"] = program.function(*subject).name.clone().into();
                answer["method"] = (*stage).into();
                answer["input"] = report::inputs(program, *subject, &kill.input).into();
                let seen = |outcome: &Outcome| report::outcome(program, *subject, &kill.input, outcome);
                answer["old"] = seen(&kill.original).into();
                answer["new"] = seen(&kill.mutant).into();
                answer["test"] = self.test(*subject, kill).into();
            }
            Conclusion::Equivalent { method, assumptions, .. } => {
                let (method, relation) = Inductive::parts(method).unwrap_or((method, ""));
                answer["method"] = method.strip_prefix("by ").unwrap_or(method).into();
                answer["relation"] = relation.into();
                answer["assumptions"] = assumptions.clone().into();
            }
            Conclusion::Open(open) => answer["reason"] = open.reason().into(),
            Conclusion::ByOwnTests { .. } | Conclusion::Special { .. } | Conclusion::Family(_) => {}
        }
        answer
    }

    fn text(&self) -> String {
        let (old, new) = (self.arguments.old.display().to_string(), self.arguments.new.display().to_string());
        match self.conclusion {
            Conclusion::Killed { subject, kill, .. } => {
                let program = &self.unit.program;
                let name = &program.function(*subject).name;
                let inputs = report::inputs(program, *subject, &kill.input);
                let seen = |outcome: &Outcome| report::outcome(program, *subject, &kill.input, outcome);
                format!(
                    "different: {name} with {}\n\n{}\n{}",
                    listed(&inputs),
                    side_by_side(&old, &seen(&kill.original), &new, &seen(&kill.mutant)),
                    self.test(*subject, kill)
                )
            }
            Conclusion::Equivalent { method, assumptions, .. } if assumptions.is_empty() => {
                format!("equal: for all inputs ({method})\n")
            }
            Conclusion::Equivalent { method, assumptions, .. } => {
                format!("equal: {method}; assuming: {}\n", assumptions.join("; "))
            }
            Conclusion::Open(open) => format!("unknown: {}\n", open.reason()),
            Conclusion::ByOwnTests { .. } | Conclusion::Special { .. } | Conclusion::Family(_) => {
                String::new()
            }
        }
    }

    fn remark(&self, kill: &Kill) -> String {
        let new = self.arguments.new.display();
        match kill.shown {
            Shown::Plainly | Shown::Stopped => format!("Fails on {new}."),
            Shown::With(Sanitiser::Address) => format!("Fails on {new}, if built with -fsanitize=address."),
            Shown::With(Sanitiser::Undefined) => {
                format!("Fails on {new}, if built with -fsanitize=undefined.")
            }
            Shown::With(Sanitiser::Memory) => format!("Fails on {new}, if built with -fsanitize=memory."),
            Shown::Nowhere => format!("{new} breaks the rules of C here; a binary may go on."),
        }
    }

    /// A test that passes on the old version and fails on the new one.
    fn test(&self, subject: FunctionId, kill: &Kill) -> String {
        let test = Test {
            subject,
            input: kill.input.clone(),
            returns: kill.original.clone(),
            kills: vec![],
            may_kill: vec![],
            whole: true,
            soft: !kill.shown.in_any_build(),
        };
        let unit = self.unit;
        let tests = [test];
        let is_main = |id: &FunctionId| unit.program.function(*id).name == "main";
        write::file(&write::Suite {
            framework: self.arguments.tests.framework(),
            file: &file_name(&self.arguments.old),
            has_main: unit.external.iter().any(is_main),
            wraps: self.arguments.overflow == Overflow::Wrap,
            program: &unit.program,
            callable: &unit.external,
            elsewhere: &unit.elsewhere,
            changes: &unit.changes,
            tests: &tests,
            names: &write::names(&unit.program, &tests),
            reference: None,
            remark: &|_| Some(self.remark(kill)),
        })
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn listed(values: &Map<String, Value>) -> String {
    let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if values.is_empty() { "nothing".to_string() } else { values.join(", ") }
}

/// What both did, one column each.
fn side_by_side(old: &str, one: &Map<String, Value>, new: &str, other: &Map<String, Value>) -> String {
    let mut keys: Vec<&String> = one.keys().chain(other.keys()).collect();
    keys.dedup();
    keys.sort();
    keys.dedup();
    let cell = |of: &Map<String, Value>, key: &String| of.get(key).map_or("–".to_string(), Value::to_string);
    let mut rows = vec![[String::new(), old.to_string(), new.to_string()]];
    rows.extend(keys.iter().map(|key| [key.to_string(), cell(one, key), cell(other, key)]));
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let line = |[key, one, other]: &[String; 3]| format!("  {key:<first$}  {one:<second$}  {other}\n");
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_stand_side_by_side() {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        let (one, other) = (map(json!({"returns": 1})), map(json!({"stops": "division by zero"})));
        let expect = "           a.c  b.c\n  returns  1    –\n  stops    –    \"division by zero\"\n";
        assert_eq!(side_by_side("a.c", &one, "b.c", &other), expect);
    }
}
