//! What `whet diff` says: an answer for each function, as text, as JSON and as an exit code.

use std::path::Path;

use ir::{FunctionId, Outcome};
use llvm::Unit;
use serde_json::{Map, Value, json};
use settle::{Conclusion, Ending, Granted, Kill, Proved, Sanitiser, Shown, Test};
use stages::Inductive;

use super::MAIN;
use crate::Exit;
use crate::cli::{Diff, Overflow};

/// The method, if nothing differs that the function can reach.
const SAME: &str = "the same code";

/// What is known of a function in the end.
pub(super) struct Answer<'a> {
    pub arguments: &'a Diff,
    pub unit: &'a Unit,
    pub name: String,
    pub finding: Finding,
}

pub(super) enum Finding {
    /// Nothing that it can reach differs in the two files.
    Same,
    /// The stages say so.
    Judged(Box<Conclusion>),
    /// Why nothing can be said.
    Unknown(String),
    /// It cannot be called in the same way.
    Signature(String),
    /// Other files cannot call it any more.
    Removed,
    /// Other files could not call it before.
    Added,
    /// It is a variable, and other files see that it is not the same.
    Variable(String),
}

/// The answers in one word, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Standing {
    Added,
    Equal,
    Limited,
    Unknown,
    Removed,
    Different,
}

impl Standing {
    fn word(self) -> &'static str {
        match self {
            Standing::Added => "added",
            Standing::Equal => "equal",
            Standing::Limited => "limited",
            Standing::Unknown => "unknown",
            Standing::Removed => "removed",
            Standing::Different => "different",
        }
    }
}

/// What all answers come to.
fn worst(answers: &[Answer]) -> Standing {
    let worst = answers.iter().map(Answer::standing).max().unwrap_or(Standing::Equal);
    match worst {
        Standing::Added | Standing::Equal => Standing::Equal,
        Standing::Limited => Standing::Limited,
        Standing::Unknown => Standing::Unknown,
        Standing::Removed | Standing::Different => Standing::Different,
    }
}

pub(super) fn exit(answers: &[Answer]) -> Exit {
    match worst(answers) {
        Standing::Added | Standing::Equal => Exit::Settled,
        Standing::Limited | Standing::Unknown => Exit::Open,
        Standing::Removed | Standing::Different => Exit::Below,
    }
}

/// A single answer is printed in full. Several answers get a line each, and the details follow.
pub(super) fn text(answers: &[Answer]) -> String {
    if let [answer] = answers {
        let name = if answer.kill().is_some() { format!("{} ", answer.name) } else { String::new() };
        return format!("{}: {name}{}\n{}", answer.standing().word(), answer.line(), answer.details());
    }
    let line = |answer: &Answer| {
        let (name, word, line) = (&answer.name, answer.standing().word(), answer.line());
        if line.is_empty() { format!("{name}: {word}\n") } else { format!("{name}: {word}: {line}\n") }
    };
    let detail = |answer: &Answer| match answer.details() {
        details if details.is_empty() => details,
        details => format!("\n{}:\n{details}", answer.name),
    };
    answers.iter().map(line).chain(answers.iter().map(detail)).collect()
}

/// One answer is an object; several are a list in one, with the worst of them.
/// Beside it, how many claims the checker refuted.
pub(super) fn json(answers: &[Answer], refuted: usize) -> Value {
    let mut value = match answers {
        [answer] => answer.json(),
        _ => {
            let functions: Vec<Value> = answers.iter().map(Answer::json).collect();
            json!({ "verdict": worst(answers).word(), "functions": functions })
        }
    };
    value["refuted"] = refuted.into();
    value
}

impl Answer<'_> {
    fn standing(&self) -> Standing {
        match &self.finding {
            Finding::Same => Standing::Equal,
            Finding::Judged(conclusion) => match conclusion.ending() {
                Ending::Killed { .. }
                | Ending::ByOwnTests { .. }
                | Ending::SpecialCase { .. }
                | Ending::Parametric(_) => Standing::Different,
                Ending::Equivalent(_) => Standing::Equal,
                Ending::Limited(_) => Standing::Limited,
                Ending::Open(_) => Standing::Unknown,
            },
            Finding::Unknown(_) => Standing::Unknown,
            Finding::Signature(_) | Finding::Variable(_) => Standing::Different,
            Finding::Removed => Standing::Removed,
            Finding::Added => Standing::Added,
        }
    }

    /// What there is to say beside the one word.
    fn line(&self) -> String {
        match &self.finding {
            Finding::Same => format!("for all inputs ({SAME})"),
            Finding::Judged(conclusion) => self.judgement(conclusion),
            Finding::Unknown(what) | Finding::Signature(what) | Finding::Variable(what) => what.clone(),
            Finding::Removed => "other files cannot call it in the new version".to_string(),
            Finding::Added => "other files can call it in the new version only".to_string(),
        }
    }

    fn judgement(&self, conclusion: &Conclusion) -> String {
        match conclusion.ending() {
            Ending::Killed { subject, kill, .. } => {
                let inputs = report::inputs(&self.unit.program, *subject, &kill.input);
                format!("with {}", listed(&inputs))
            }
            Ending::Equivalent(Proved { method, granted, .. }) if granted.assumptions.is_empty() => {
                format!("for all inputs ({method})")
            }
            Ending::Equivalent(proved) => format!("{}{}", proved.method, self.assuming(&proved.granted)),
            Ending::Limited(Proved { method, granted, .. }) => {
                let limits = self.own_words(&granted.limits).join("; ");
                format!("{method}; within limits: {limits}{}", self.assuming(granted))
            }
            Ending::Open(open) => self.own_words(&[open.reason()]).concat(),
            Ending::ByOwnTests { .. } | Ending::SpecialCase { .. } | Ending::Parametric(_) => String::new(),
        }
    }

    fn assuming(&self, granted: &Granted) -> String {
        match granted.assumptions.is_empty() {
            true => String::new(),
            false => format!("; assuming: {}", self.own_words(&granted.assumptions).join("; ")),
        }
    }

    /// The input that tells the two apart, if there is one.
    fn kill(&self) -> Option<(FunctionId, &Kill)> {
        let Finding::Judged(conclusion) = &self.finding else { return None };
        let Ending::Killed { subject, kill, .. } = conclusion.ending() else { return None };
        Some((*subject, kill))
    }

    /// The same texts with the names that the new file has.
    fn own_words(&self, texts: &[String]) -> Vec<String> {
        let graft = self.unit.versions.iter().flatten().next();
        texts.iter().map(|text| graft.map_or(text.clone(), |graft| graft.in_own_words(text))).collect()
    }

    /// What both did, and the test that shows it.
    fn details(&self) -> String {
        let Some((subject, kill)) = self.kill() else { return String::new() };
        let program = &self.unit.program;
        let seen = |outcome: &Outcome| report::outcome(program, subject, &kill.input, outcome);
        let (old, new) = (self.arguments.old.display().to_string(), self.arguments.new.display().to_string());
        let table = side_by_side(&old, &seen(&kill.original), &new, &seen(&kill.mutant));
        format!("\n{table}\n{}", self.shown(subject, kill).unwrap_or_default())
    }

    fn json(&self) -> Value {
        let mut answer = json!({
            "verdict": self.standing().word(), "function": self.name, "method": "", "assumptions": [],
            "limits": [], "relation": "", "input": {}, "old": {}, "new": {}, "reason": "",
        });
        match &self.finding {
            Finding::Same => answer["method"] = SAME.into(),
            Finding::Judged(conclusion) => match conclusion.ending() {
                Ending::Killed { subject, stage, kill, .. } => {
                    let program = &self.unit.program;
                    answer["method"] = (*stage).into();
                    answer["input"] = report::inputs(program, *subject, &kill.input).into();
                    let seen = |outcome: &Outcome| report::outcome(program, *subject, &kill.input, outcome);
                    answer["old"] = seen(&kill.original).into();
                    answer["new"] = seen(&kill.mutant).into();
                    answer["test"] = self.shown(*subject, kill).into();
                }
                Ending::Equivalent(Proved { method, granted, .. })
                | Ending::Limited(Proved { method, granted, .. }) => {
                    let (method, relation) = Inductive::parts(method).unwrap_or((method, ""));
                    answer["method"] = method.strip_prefix("by ").unwrap_or(method).into();
                    answer["relation"] = relation.into();
                    answer["assumptions"] = self.own_words(&granted.assumptions).into();
                    answer["limits"] = self.own_words(&granted.limits).into();
                }
                _ => answer["reason"] = self.line().into(),
            },
            _ => answer["reason"] = self.line().into(),
        }
        answer
    }

    /// The test, if there can be one.
    fn shown(&self, subject: FunctionId, kill: &Kill) -> Option<String> {
        (self.name != MAIN).then(|| test(self.arguments, self.unit, subject, kill))
    }
}

fn remark(arguments: &Diff, kill: &Kill) -> String {
    let new = arguments.new.display();
    match kill.shown {
        Shown::Plainly | Shown::Stopped => format!("Fails on {new}."),
        Shown::With(Sanitiser::Address) => format!("Fails on {new}, if built with -O0 -fsanitize=address."),
        Shown::With(Sanitiser::Undefined) => {
            format!("Fails on {new}, if built with -O0 -fsanitize=undefined.")
        }
        Shown::With(Sanitiser::Memory) => format!("Fails on {new}, if built with -O0 -fsanitize=memory."),
        Shown::Nowhere => format!("{new} breaks the rules of C here; a binary may go on."),
    }
}

/// A test that passes on the old version and fails on the new one.
pub(super) fn test(arguments: &Diff, unit: &Unit, subject: FunctionId, kill: &Kill) -> String {
    let test = Test::new(subject, kill.input.clone(), kill.original.clone(), vec![]);
    let tests = [Test { soft: !kill.shown.in_any_build(), ..test }];
    let is_main = |id: &FunctionId| unit.program.function(*id).name == MAIN;
    testgen::file(&testgen::Suite {
        framework: arguments.tests.framework(),
        file: &file_name(&arguments.old),
        has_main: unit.external.iter().any(is_main),
        inside: false,
        wraps: arguments.overflow == Overflow::Wrap,
        program: &unit.program,
        callable: &unit.external,
        elsewhere: &unit.elsewhere,
        changes: &unit.changes,
        tests: &tests,
        names: &testgen::names(&unit.program, &tests),
        reference: None,
        remark: &|_| Some(remark(arguments, kill)),
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn listed(values: &Map<String, Value>) -> String {
    if values.is_empty() { "nothing".to_string() } else { report::named_values(values) }
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
