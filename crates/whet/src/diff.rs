//! `whet diff`: whether two versions of a function do the same, whatever they are given.
//!
//! The new version is a mutant of the old one, and goes through the same stages. A function is judged
//! if it can reach anything that differs between the files. Otherwise it is the same code. Every answer
//! needs evidence. *Equal* needs an input on which both were run. *Different* needs a test that was seen
//! to pass on the old file and to fail on the new one. A run that takes long is no evidence: it may end
//! later, with the same result.

mod answer;
mod witness;

use anyhow::bail;
use ir::{Escapes, FunctionId, MAIN, Mutant, Outcome, paths, run};
use llvm::{Graft, Second, Unit, Version};
use settle::{Ending, Limits, Subject, outcomes_differ};

use crate::Exit;
use crate::alarms::{self, Found};
use crate::cli::{Diff, Format, Overflow, chosen_clang};
use crate::deadline::Deadline;
use crate::machine::SecondSolver;
use crate::plan::{Method, Plan};
use crate::progress::{Line, Timings};
use crate::session::{Rules, Session};
use crate::show::print;

use answer::{Answer, Finding};

/// The new version.
const NEW: Mutant = Mutant(1);

/// What the new version is called in a list of mutants.
const OPERATOR: &str = "NEW";

/// What may be burned to find an input that both versions return on, in blocks: some seconds at most.
const FUEL: u64 = 20_000_000;

pub(crate) fn diff(arguments: &Diff) -> anyhow::Result<Exit> {
    let renamed = arguments.functions.iter().filter_map(|function| function.split_once('='));
    let renamed: Vec<(String, String)> =
        renamed.map(|(old, new)| (old.to_string(), new.to_string())).collect();
    let unit = load(arguments, renamed.clone())?;
    let Some(Ok(graft)) = unit.versions.first() else { bail!("cannot read the new version") };
    let comparison = Comparison { arguments, unit: &unit, graft, renamed };
    let questions = comparison.questions()?;
    let (answers, alarms) = comparison.answers(questions)?;
    match arguments.format {
        Format::Json => print(format!("{:#}\n", answer::json(&answers, alarms.len())).as_bytes())?,
        Format::Text => print(answer::text(&answers).as_bytes())?,
    };
    alarms::tell(&alarms);
    Ok(alarms::exit(answer::exit(&answers), &alarms))
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
        clang: chosen_clang(),
        flags: arguments.clang.flags.clone(),
        overflow,
        operators: llvm::Operators::none(),
        functions: vec![],
        headers: false,
        versions: vec![version],
    })?)
}

/// What is said of a second name (an alias) that is not the same in both files.
fn changed_name(name: &str, second: Second) -> Finding {
    match second {
        Second::Removed => Finding::Removed,
        Second::Added => Finding::Added,
        Second::Other => {
            Finding::Unknown(format!("`{name}` is a second name of something else in one of the files"))
        }
    }
}

/// Two versions of a file.
struct Comparison<'a> {
    arguments: &'a Diff,
    unit: &'a Unit,
    graft: &'a Graft,
    /// Functions with another name in the new version: the old name, then the new one.
    renamed: Vec<(String, String)>,
}

/// Something to compare, by its name.
enum Question {
    /// A function that both versions have.
    Function(FunctionId),
    /// What is answered already.
    Settled(String, Finding),
}

impl<'a> Comparison<'a> {
    /// The functions that were named, or all that other files can call in either version.
    fn questions(&self) -> anyhow::Result<Vec<Question>> {
        let (program, callable) = (&self.unit.program, self.callable());
        let Comparison { arguments, graft, .. } = self;
        let (old, new) = (arguments.old.display(), arguments.new.display());
        let defined = |name: &str| callable.iter().copied().find(|id| program.function(*id).name == name);
        if !arguments.functions.is_empty() {
            let mut questions = Vec::new();
            for named in &arguments.functions {
                let (name, other) = named.split_once('=').unwrap_or((named, named));
                if let Some(second) = graft.seconds.get(name).filter(|_| name == other) {
                    questions.push(Question::Settled(name.to_string(), changed_name(name, *second)));
                    continue;
                }
                let Some(id) = defined(name) else {
                    bail!("{old} has no function `{name}` that another file could call");
                };
                if !graft.defined.iter().any(|known| known == other) {
                    bail!("{new} has no function `{other}`");
                }
                questions.push(Question::Function(id));
            }
            return Ok(questions);
        }
        let name = |id: &FunctionId| &program.function(*id).name;
        let (external, own): (&[FunctionId], Vec<FunctionId>) = (&self.unit.external, callable);
        // A static function is called through a variable, so it is enough that the new file defines it.
        let is_common = |id: &FunctionId| match external.contains(id) {
            true => graft.callable.contains(name(id)),
            false => graft.defined.contains(name(id)),
        };
        if !own.iter().any(is_common) {
            bail!("{old} and {new} have no function in common: name them with --function old=new");
        }
        let is_second = |id: &FunctionId| graft.seconds.contains_key(name(id));
        let question = |id: &FunctionId| match is_common(id) {
            _ if is_second(id) => None,
            true => Some(Question::Function(*id)),
            false => {
                let removed = || Question::Settled(name(id).clone(), Finding::Removed);
                external.contains(id).then(removed)
            }
        };
        let mut questions: Vec<Question> = own.iter().filter_map(question).collect();
        let added = graft.callable.iter().filter(|known| !own.iter().any(|id| name(id) == *known));
        let added = added.filter(|name| !graft.seconds.contains_key(*name));
        questions.extend(added.map(|name| Question::Settled(name.clone(), Finding::Added)));
        let seconds = graft.seconds.iter();
        questions.extend(
            seconds.map(|(name, second)| Question::Settled(name.clone(), changed_name(name, *second))),
        );
        let variables = graft.variables.iter().filter(|(name, _)| !graft.seconds.contains_key(name)).cloned();
        questions.extend(variables.map(|(name, what)| Question::Settled(name, Finding::Variable(what))));
        Ok(questions)
    }

    /// The functions of the old version that other files can call, by their names or through a variable.
    fn callable(&self) -> Vec<FunctionId> {
        let Unit { program, external, .. } = self.unit;
        let mut callable = external.clone();
        callable.extend(paths(program).into_keys());
        callable.retain(|id| !Graft::is_grafted(&program.function(*id).name));
        callable
    }

    /// The answers, and what showed that Whet itself is wrong.
    fn answers(&'a self, questions: Vec<Question>) -> anyhow::Result<(Vec<Answer<'a>>, Vec<Found<'a>>)> {
        let settled = |question: &Question| match question {
            Question::Function(id) => self.before_judgement(*id),
            Question::Settled(..) => None,
        };
        let found: Vec<Option<Finding>> = questions.iter().map(settled).collect();
        let open = questions.iter().zip(&found).filter_map(|(question, found)| match (question, found) {
            (Question::Function(id), None) => Some(*id),
            _ => None,
        });
        let open: Vec<FunctionId> = open.collect();
        let (judged, alarms) = self.judge(&open)?;
        let mut judged = judged.into_iter();
        let mut answers = Vec::new();
        for (question, found) in questions.into_iter().zip(found) {
            let (name, finding) = match question {
                Question::Settled(name, finding) => (name, finding),
                Question::Function(id) => {
                    let finding = found.or_else(|| judged.next()).expect("what is open was judged");
                    (self.unit.program.function(id).name.clone(), finding)
                }
            };
            answers.push(Answer { arguments: self.arguments, unit: self.unit, name, finding });
        }
        Ok((answers, alarms))
    }

    /// What can be said of a function without running it.
    fn before_judgement(&self, id: FunctionId) -> Option<Finding> {
        let name = &self.unit.program.function(id).name;
        if let Some(what) = self.other_signature(id) {
            return Some(Finding::Signature(what));
        }
        match self.graft.touched.get(name) {
            None => Some(Finding::Same),
            Some(fault) => fault.clone().map(Finding::Unknown),
        }
    }

    /// Why a function cannot be called in the same way in both files.
    fn other_signature(&self, id: FunctionId) -> Option<String> {
        let program = &self.unit.program;
        let function = program.function(id);
        let other = self.renamed.iter().find(|(old, _)| *old == function.name);
        let other_name = other.map_or(&function.name, |(_, new)| new);
        let other = program.named(&Graft::name(other_name, NEW.0))?;
        let (one, two) = (&function.signature, &program.function(other).signature);
        // If we cannot execute a function, we do not know how it is called either. But the compiler does.
        let is_known = function.unsupported.is_none() && program.function(other).unsupported.is_none();
        let fits = !self.graft.misfits.contains(&function.name);
        if fits && (!is_known || program.is_compatible(one, two)) {
            return None;
        }
        let start = format!("`{}` cannot be called in the same way in both files", function.name);
        if !is_known {
            return Some(start);
        }
        let prototypes =
            [testgen::prototype(program, &function.name, one), testgen::prototype(program, other_name, two)];
        let hint = match prototypes[0] == prototypes[1] {
            true => "\nA type with the same name is not the same in both.",
            false => "",
        };
        let (old, new) = (self.arguments.old.display(), self.arguments.new.display());
        Some(format!("{start}:\n  {old}: {}\n  {new}: {}{hint}", prototypes[0], prototypes[1]))
    }

    /// What the stages find of these functions, in their order.
    fn judge(&self, functions: &[FunctionId]) -> anyhow::Result<(Vec<Finding>, Vec<Found<'a>>)> {
        let Comparison { arguments, unit, .. } = self;
        let subjects = functions.iter().map(|id| self.subject(*id)).collect();
        let method = Method::chosen(&arguments.stages, arguments.double_check)?;
        let rules = Rules {
            limits: Limits { time_out: false, memory: arguments.search.memory, ..Limits::default() },
            overflow: arguments.overflow,
            flags: &arguments.clang.flags,
            second_solver: SecondSolver::wanted(arguments.double_check)?,
            store: None,
            line: Line::new(arguments.format == Format::Json),
            deadline: Deadline::default(),
        };
        let plan = Plan::of(unit, subjects, &arguments.search, method)?;
        let session = Session::open(plan, rules, Timings::new())?;
        let decided = session.settle(session.look_up()?)?;
        session.line.finish();
        let finding = |id: &FunctionId| {
            let conclusion = decided.through(&session.plan, *id, NEW);
            // What no stage has looked at is not known to be equal.
            let Some(conclusion) = conclusion else {
                return Ok(Finding::Unknown("no stage has looked at it".to_string()));
            };
            match conclusion.ending() {
                Ending::Killed { stage, kill, .. } => self.witnessed(&session, *id, stage, &kill.input),
                Ending::Equivalent(_) | Ending::Limited(_) => Ok(match self.vacuous(&session, *id) {
                    Some(why) => Finding::Unknown(why),
                    None => Finding::Judged(Box::new(conclusion)),
                }),
                _ => Ok(Finding::Judged(Box::new(conclusion))),
            }
        };
        let findings: Vec<Finding> = functions.iter().map(finding).collect::<anyhow::Result<_>>()?;
        let file = arguments.old.display().to_string();
        Ok((findings, alarms::about(unit, &file, session.checker.alarms())))
    }

    /// A function that can reach a change. If it hands out a pointer to another function that can, a proof
    /// about it proves too little.
    fn subject(&self, function: FunctionId) -> Subject {
        let Unit { program, mentions, .. } = self.unit;
        let callable = self.callable();
        let escapes = Escapes { program, callable: &callable, mentions };
        let is_touched = |id: FunctionId| self.graft.touched.contains_key(&program.function(id).name);
        let handed_out = escapes.handed_out(function, |id| id != function && is_touched(id));
        let escaping = handed_out.into_iter().map(|id| (NEW, id)).collect();
        Subject { escaping, ..Subject::alone(function, vec![NEW]) }
    }

    /// Why a proof is worthless: no input was run on which both versions do the same.
    fn vacuous(&self, session: &Session, id: FunctionId) -> Option<String> {
        let program = &self.unit.program;
        let tried = session.attacks(id);
        let mut left = FUEL;
        for input in &tried {
            let mut run = |mutant: Mutant| {
                let run = run(program, id, mutant, input, left);
                left = left.saturating_sub(run.fuel);
                run.outcome
            };
            let original = run(Mutant::ORIGINAL);
            if !matches!(original, Outcome::Returned(_)) {
                continue;
            }
            match run(NEW) {
                new @ Outcome::Returned(_) if !outcomes_differ(&original, &new) => return None,
                Outcome::OutOfFuel => {}
                _ => return Some("a proof that both do the same is refuted by a run".to_string()),
            }
        }
        let (old, count) = (self.arguments.old.display(), tried.len());
        Some(format!(
            "no valid input was run on both: {old} breaks the rules of C or takes too long on all {count} that were tried"
        ))
    }
}
