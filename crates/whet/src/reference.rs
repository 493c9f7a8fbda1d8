//! A reference implementation: what the tests expect, in place of what the program does today.
//!
//! A reference in C is a mutant of the file. It is not judged but trusted: each test is run on it. The
//! other way round, the file is a mutant of the reference. If the two differ on an input that is valid
//! for the reference, there is a test for this input, even if it kills no mutant. A reference that is a
//! program is run for each test, and prints the result.

mod program;
mod translate;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use ir::{FunctionId, Input, Mutant, Observation, Outcome, Program, run};
use llvm::{Graft, Unit, Version};
use settle::{Alarm, Ending, Limits, Test, outcomes_differ};
use source::count;

use crate::alarms::{self, Found};
use crate::cli::{Run, Static};
use crate::deadline::Deadline;
use crate::plan::{Method, Plan};
use crate::progress::{Line, Timings};
use crate::session::{Rules, Session};
use translate::translate;

/// What a run of a reference in C may take, in blocks.
const FUEL: u64 = 10_000_000;

pub(crate) struct Reference<'a> {
    arguments: &'a Run,
    unit: &'a Unit,
    kind: ReferenceKind<'a>,
}

enum ReferenceKind<'a> {
    /// A C file, which is this mutant; and the same as a program of its own, which says what is valid for it.
    Version(Mutant, Box<Unit>),
    /// A program.
    Program(&'a Path),
}

/// What the reference has to say of a test.
enum Word {
    /// It does this.
    Does(Outcome),
    /// It has no such function.
    Nothing,
    /// The input is not valid for it.
    Invalid,
    /// We cannot tell what it does.
    Unclear(String),
}

/// What came of asking the reference about all tests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opinion {
    pub disagreements: Vec<Disagreement>,
    /// Functions that the reference does not have.
    pub unknown: BTreeSet<String>,
    /// How many tests were left out, because their inputs are not valid for the reference.
    pub invalid: usize,
    /// Why tests expect what the program does: we cannot tell what the reference does.
    pub unclear: BTreeSet<String>,
}

/// A test on which the file and the reference disagree.
#[derive(Clone, Debug)]
pub(crate) struct Disagreement {
    pub subject: FunctionId,
    pub input: Input,
    /// What the file does.
    pub ours: Outcome,
}

/// Where the file and the reference differ, found without any mutant's help.
#[derive(Default)]
pub(crate) struct Differences {
    /// Tests that the file fails, one for each function at most.
    pub tests: Vec<Test>,
    pub disagreements: Vec<Disagreement>,
    /// What the search showed to be wrong with Whet.
    alarms: Vec<Alarm>,
}

impl Disagreement {
    pub(crate) fn is_about(&self, test: &Test) -> bool {
        (self.subject, &self.input) == (test.subject, &test.input)
    }
}

impl Opinion {
    /// Whether every test expects what the reference does.
    pub(crate) fn speaks_for_all(&self) -> bool {
        self.unknown.is_empty() && self.unclear.is_empty()
    }

    /// Tells the user what the reference does not cover.
    pub(crate) fn tell(&self, arguments: &Run) {
        let Some(reference) = &arguments.reference else { return };
        let (reference, file) = (reference.display(), arguments.selection.name());
        for function in &self.unknown {
            eprintln!(
                "whet: {reference} has no function `{function}`: tests of `{function}` expect what {file} does"
            );
        }
        for why in &self.unclear {
            eprintln!(
                "whet: tests expect what {file} does, because Whet cannot tell what {reference} does: {why}"
            );
        }
        if self.invalid > 0 {
            let tests = count(self.invalid, "test");
            eprintln!("whet: {tests} left out, because {reference} breaks the rules of C there");
        }
    }
}

/// Whether the reference is C.
fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// The reference as a further version of the file, if it is one.
pub(crate) fn version(arguments: &Run) -> Option<Version> {
    let file = arguments.reference.clone().filter(|path| is_c(path))?;
    Some(Version { file, in_place: false, operator: None, renamed: vec![] })
}

impl<'a> Reference<'a> {
    pub(crate) fn find(arguments: &'a Run, unit: &'a Unit) -> anyhow::Result<Option<Reference<'a>>> {
        let Some(path) = &arguments.reference else { return Ok(None) };
        if !is_c(path) {
            std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
            return Ok(Some(Reference { arguments, unit, kind: ReferenceKind::Program(path) }));
        }
        let Some(Ok(graft)) = unit.versions.last() else { bail!("cannot read {}", path.display()) };
        check(arguments, unit, graft)?;
        let there = Box::new(there(arguments, path)?);
        let kind = ReferenceKind::Version(Mutant(graft.number), there);
        Ok(Some(Reference { arguments, unit, kind }))
    }

    /// What the search for differences showed to be wrong with Whet.
    pub(crate) fn alarms(&self, differences: &Differences) -> Vec<Found<'_>> {
        let ReferenceKind::Version(_, there) = &self.kind else { return vec![] };
        let path = self.arguments.reference.as_deref().unwrap_or(Path::new(""));
        alarms::about(there, &path.display().to_string(), differences.alarms.clone())
    }

    /// Makes the tests expect what the reference does, and returns where the file does something else.
    pub(crate) fn correct(&self, tests: &mut Vec<Test>) -> anyhow::Result<Opinion> {
        let mut opinion = Opinion::default();
        let mut kept = Vec::new();
        for mut test in tests.drain(..) {
            match self.ask(&test)? {
                Word::Does(expected) => {
                    if outcomes_differ(&test.returns, &expected) {
                        let ours = std::mem::replace(&mut test.returns, expected);
                        let (subject, input) = (test.subject, test.input.clone());
                        opinion.disagreements.push(Disagreement { subject, input, ours });
                    }
                }
                Word::Nothing => {
                    opinion.unknown.insert(self.unit.program.function(test.subject).name.clone());
                }
                Word::Unclear(why) => {
                    opinion.unclear.insert(why);
                }
                Word::Invalid => {
                    opinion.invalid += 1;
                    continue;
                }
            }
            kept.push(test);
        }
        *tests = kept;
        Ok(opinion)
    }

    fn ask(&self, test: &Test) -> anyhow::Result<Word> {
        let program = &self.unit.program;
        let (mutant, there) = match &self.kind {
            ReferenceKind::Version(mutant, there) => (*mutant, there),
            ReferenceKind::Program(path) => {
                return program::ask(path, program, test);
            }
        };
        let name = &program.function(test.subject).name;
        let Some(other) = there.program.named(name).filter(|id| there.external.contains(id)) else {
            return Ok(Word::Nothing);
        };
        let Some(input) = translate(program, test.subject, &there.program, other, &test.input) else {
            return Ok(Word::Unclear(format!("`{name}`: its inputs are of other types there")));
        };
        let theirs = run(&there.program, other, Mutant::ORIGINAL, &input, FUEL).outcome;
        let expected = run(program, test.subject, mutant, &test.input, FUEL).outcome;
        Ok(match (theirs, expected) {
            (Outcome::Returned(_), Outcome::Returned(expected)) => {
                let own = match &test.returns {
                    Outcome::Returned(own) => own,
                    _ => return Ok(Word::Unclear(format!("`{name}`: it does not return"))),
                };
                Word::Does(Outcome::Returned(Arc::new(shared(
                    program,
                    &there.program,
                    Arc::unwrap_or_clone(expected),
                    own,
                ))))
            }
            (Outcome::Faulted(..), _) => Word::Invalid,
            (Outcome::Unsupported(what, at), _) | (_, Outcome::Unsupported(what, at)) => {
                let at = at.map_or(String::new(), |at| format!(" (line {})", at.line));
                Word::Unclear(format!("`{name}`: {what}{at}"))
            }
            _ => Word::Unclear(format!("`{name}`: it runs for too long")),
        })
    }

    /// Looks for inputs on which the file and the reference differ, whatever mutants there are.
    pub(crate) fn search(&self, deadline: &Deadline) -> anyhow::Result<Differences> {
        let mut differences = Differences::default();
        let ReferenceKind::Version(mutant, there) = &self.kind else { return Ok(differences) };
        let found = found(self.arguments, there, deadline, &mut differences.alarms)?;
        for (subject, input) in found {
            let program = &self.unit.program;
            let name = &there.program.function(subject).name;
            let Some(own) = program.named(name).filter(|id| self.unit.external.contains(id)) else {
                continue;
            };
            let Some(input) = translate(&there.program, subject, program, own, &input) else { continue };
            let ours = run(program, own, Mutant::ORIGINAL, &input, FUEL).outcome;
            let Outcome::Returned(expected) = run(program, own, *mutant, &input, FUEL).outcome else {
                continue;
            };
            let expected = match &ours {
                Outcome::Returned(ours) => {
                    shared(program, &there.program, Arc::unwrap_or_clone(expected), ours)
                }
                _ => Arc::unwrap_or_clone(expected),
            };
            let returns = Outcome::Returned(Arc::new(expected));
            if outcomes_differ(&returns, &ours) {
                let soft = matches!(ours, Outcome::Faulted(..));
                differences.tests.push(Test { soft, ..Test::new(own, input.clone(), returns, vec![]) });
                differences.disagreements.push(Disagreement { subject: own, input, ours });
            }
        }
        Ok(differences)
    }
}

/// The reference as a program of its own, with the file as a mutant of it.
fn there(arguments: &Run, reference: &Path) -> anyhow::Result<Unit> {
    let version = Version {
        file: arguments.selection.file.clone(),
        in_place: false,
        operator: Some("REF".to_string()),
        renamed: vec![],
    };
    let options = arguments.selection.options(&arguments.clang, vec![version])?;
    let (file, operators) = (reference.to_path_buf(), llvm::Operators::none());
    Ok(llvm::load(&llvm::Options { file, operators, functions: vec![], ..options })?)
}

/// What is expected, without global variables that the reference does not have.
fn shared(program: &Program, there: &Program, mut expected: Observation, ours: &Observation) -> Observation {
    let knows = |id: &ir::GlobalId| {
        let name = &program.global(*id).name;
        there.globals.iter().any(|global| global.name == *name)
    };
    expected.globals.retain(|(id, _)| knows(id));
    expected.globals.extend(ours.globals.iter().filter(|(id, _)| !knows(id)).cloned());
    expected.globals.sort_by_key(|(id, _)| *id);
    expected
}

/// Refuses a reference whose functions cannot be called in the same way.
fn check(arguments: &Run, unit: &Unit, graft: &Graft) -> anyhow::Result<()> {
    let program = &unit.program;
    let reference = arguments.reference.as_deref().unwrap_or(Path::new("")).display();
    let both = || unit.external.iter().filter(|id| graft.defined.contains(&program.function(**id).name));
    if both().next().is_none() {
        bail!("{reference} and {} have no function in common", arguments.selection.name());
    }
    for id in both() {
        let function = program.function(*id);
        let Some(other) = program.named(&Graft::name(&function.name, graft.number)) else { continue };
        // If we cannot execute a function, we do not know how it is called either.
        if program.function(other).unsupported.is_some() {
            continue;
        }
        let other = &program.function(other).signature;
        if !program.is_compatible(&function.signature, other) {
            bail!(
                "`{}` cannot be called in the same way in both files:\n  {}: {}\n  {reference}: {}",
                function.name,
                arguments.selection.name(),
                testgen::prototype(program, &function.name, &function.signature),
                testgen::prototype(program, &function.name, other)
            );
        }
    }
    Ok(())
}

/// For each function of the reference on which the file differs, an input that shows it.
fn found(
    arguments: &Run,
    there: &Unit,
    deadline: &Deadline,
    alarms: &mut Vec<Alarm>,
) -> anyhow::Result<Vec<(FunctionId, Input)>> {
    let functions = &arguments.selection.functions;
    let wanted = |id: FunctionId| {
        let name = &there.program.function(id).name;
        functions.is_empty() || functions.contains(name)
    };
    let method = Method::chosen(&[], false)?;
    let plan = || Plan::new(there, there.changes.clone(), &arguments.search, method.clone(), Static::None);
    let subjects: Vec<FunctionId> = plan()?.subjects.iter().map(|subject| subject.function).collect();
    let mut found = Vec::new();
    for subject in subjects.into_iter().filter(|id| wanted(*id)) {
        if deadline.stop.is_set() {
            break;
        }
        let mut plan = plan()?;
        plan.subjects.retain(|it| it.function == subject);
        let rules = Rules {
            limits: Limits { memory: arguments.search.memory, ..Limits::default() },
            overflow: arguments.selection.overflow,
            flags: &arguments.clang.flags,
            second_solver: None,
            store: None,
            line: Line::new(true),
            deadline: deadline.clone(),
        };
        let session = Session::open(plan, rules, Timings::new())?;
        let decided = session.settle(session.look_up()?)?;
        for conclusion in decided.conclusions(&session.plan, &Default::default()) {
            if let Ending::Killed { subject, kill, .. } = conclusion.ending() {
                found.push((*subject, kill.input.clone()));
            }
        }
        alarms.extend(session.checker.alarms());
    }
    Ok(found)
}
