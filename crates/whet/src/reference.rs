//! A reference implementation: what the tests expect, in place of what the program does today.
//!
//! A reference in C is a mutant of the file that is not judged, but trusted: each test is run on it. And the file is a mutant of
//! the reference: where the two differ on an input that is valid for the reference, there is a test for that, too, whether or not it
//! kills any mutant. A reference that is a program is asked for what it prints.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use ir::{Datum, FunctionId, Input, Mutant, Observation, Outcome, Program, Seen, Type, TypeId, run};
use llvm::{Graft, Unit, Version};
use settle::{Alarm, Checker, Ending, Limits, Test, outcomes_differ};

use crate::alarms::{self, Found};
use crate::cli::Run;
use crate::decide::{Plan, decide, settings};
use crate::judges::Machine;
use crate::past::Past;
use crate::progress::{Line, Timings};
use crate::trial::wait;

/// What a run of a reference in C may take, in blocks.
const FUEL: u64 = 10_000_000;

/// How long a program may take for one test.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Reference<'a> {
    arguments: &'a Run,
    unit: &'a Unit,
    kind: Kind<'a>,
    /// What the search for differences showed to be wrong with Whet.
    alarms: RefCell<Vec<Alarm>>,
}

enum Kind<'a> {
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
pub struct Opinion {
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
pub struct Disagreement {
    pub subject: FunctionId,
    pub input: Input,
    /// What the file does.
    pub ours: Outcome,
}

/// Whether the reference is C.
fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// The reference as a further version of the file, if it is one.
pub fn version(arguments: &Run) -> Option<Version> {
    let file = arguments.reference.clone().filter(|path| is_c(path))?;
    Some(Version { file, in_place: false, operator: None, renamed: vec![] })
}

impl<'a> Reference<'a> {
    pub fn find(arguments: &'a Run, unit: &'a Unit) -> anyhow::Result<Option<Reference<'a>>> {
        let Some(path) = &arguments.reference else { return Ok(None) };
        if !is_c(path) {
            std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
            return Ok(Some(Reference {
                arguments,
                unit,
                kind: Kind::Program(path),
                alarms: RefCell::default(),
            }));
        }
        let Some(Ok(graft)) = unit.versions.last() else { bail!("{} was not read", path.display()) };
        check(arguments, unit, graft)?;
        let there = Box::new(there(arguments, path)?);
        let kind = Kind::Version(Mutant(graft.number), there);
        Ok(Some(Reference { arguments, unit, kind, alarms: RefCell::default() }))
    }

    /// What the search showed to be wrong with Whet.
    pub fn alarms(&self) -> Vec<Found<'_>> {
        let Kind::Version(_, there) = &self.kind else { return vec![] };
        let path = self.arguments.reference.as_deref().unwrap_or(Path::new(""));
        alarms::about(there, &path.display().to_string(), self.alarms.borrow().clone())
    }

    /// Has the tests expect what the reference does, and says where the file does otherwise.
    pub fn correct(&self, tests: &mut Vec<Test>) -> anyhow::Result<Opinion> {
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
            Kind::Version(mutant, there) => (*mutant, there),
            Kind::Program(path) => {
                return ask(path, program, test);
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
                Word::Does(Outcome::Returned(Box::new(shared(program, &there.program, *expected, own))))
            }
            (Outcome::Faulted(..), _) => Word::Invalid,
            (Outcome::Unsupported(what, at), _) | (_, Outcome::Unsupported(what, at)) => {
                let at = at.map_or(String::new(), |at| format!(" (line {})", at.line));
                Word::Unclear(format!("`{name}`: {what}{at}"))
            }
            _ => Word::Unclear(format!("`{name}`: it runs for too long")),
        })
    }

    /// Tests that the file fails, one for each function at most, whatever else there is.
    pub fn search(&self) -> anyhow::Result<(Vec<Test>, Vec<Disagreement>)> {
        let Kind::Version(mutant, there) = &self.kind else { return Ok((vec![], vec![])) };
        let (mut tests, mut disagreements) = (Vec::new(), Vec::new());
        let (found, alarms) = differences(self.arguments, there)?;
        self.alarms.replace(alarms);
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
                Outcome::Returned(ours) => shared(program, &there.program, *expected, ours),
                _ => *expected,
            };
            let returns = Outcome::Returned(Box::new(expected));
            if outcomes_differ(&returns, &ours) {
                let soft = matches!(ours, Outcome::Faulted(..));
                disagreements.push(Disagreement { subject: own, input: input.clone(), ours });
                let (kills, may_kill) = (vec![], vec![]);
                tests.push(Test { subject: own, input, returns, kills, may_kill, whole: true, soft });
            }
        }
        Ok((tests, disagreements))
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

/// What is expected, as far as the reference knows of it: of a global variable that it does not have, it has nothing to say.
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
        bail!("{reference} has no function that {} has, too", arguments.selection.name());
    }
    for id in both() {
        let function = program.function(*id);
        let Some(other) = program.named(&Graft::name(&function.name, graft.number)) else { continue };
        // Of what we do not execute, we do not know how it is called either.
        if program.function(other).unsupported.is_some() {
            continue;
        }
        let other = &program.function(other).signature;
        if !program.is_compatible(&function.signature, other) {
            bail!(
                "`{}` cannot be called in the same way in both files:\n  {}: {}\n  {reference}: {}",
                function.name,
                arguments.selection.name(),
                write::prototype(program, &function.name, &function.signature),
                write::prototype(program, &function.name, other)
            );
        }
    }
    Ok(())
}

/// Inputs, and what they showed to be wrong with Whet.
type Differences = (Vec<(FunctionId, Input)>, Vec<Alarm>);

/// For each function of the reference on which the file differs, an input that shows it.
fn differences(arguments: &Run, there: &Unit) -> anyhow::Result<Differences> {
    let file = arguments.selection.name();
    let functions = &arguments.selection.functions;
    let wanted = |id: FunctionId| {
        let name = &there.program.function(id).name;
        functions.is_empty() || functions.contains(name)
    };
    let mut found = Vec::new();
    let plan = Plan::new(&arguments.search, there, &file, there.changes.clone(), &[], false)?;
    let native = Machine::new(there);
    let checker = Checker::new(&there.program, &native, Limits::default());
    let settings = settings(&plan, arguments.selection.overflow, &arguments.clang.flags, &checker.limits);
    let past = Past::find(there, None, settings)?;
    for subject in plan.subjects.iter().filter(|subject| wanted(subject.function)) {
        let (search, changes) = (&arguments.search, there.changes.clone());
        let mut one = Plan::new(search, there, &file, changes, &[], false)?;
        one.subjects.retain(|it| it.function == subject.function);
        let line = Line::new(one.judgements(), true);
        let decided = decide(&one, &checker, &native, &past, &line, &mut Timings::new(), || Ok(()))?;
        for conclusion in decided.conclusions(&one, &Default::default()) {
            if let Ending::Killed { subject, kill, .. } = conclusion.ending() {
                found.push((*subject, kill.input.clone()));
            }
        }
    }
    Ok((found, checker.alarms()))
}

/// The same input for the same function of another program.
fn translate(
    from: &Program,
    subject: FunctionId,
    to: &Program,
    own: FunctionId,
    input: &Input,
) -> Option<Input> {
    let mut types = HashMap::new();
    let (ones, others) = (&from.function(subject).signature, &to.function(own).signature);
    for (one, other) in ones.parameters.iter().zip(&others.parameters) {
        pair(from, one.of, to, other.of, &mut types);
    }
    let global = |id: ir::GlobalId| {
        let name = &from.global(id).name;
        (0..).map(ir::GlobalId).zip(&to.globals).find(|(_, global)| global.name == *name).map(|(id, _)| id)
    };
    let external = |id: ir::ExternalId| {
        let name = &from.external(id).name;
        let all = (0..).map(ir::ExternalId).zip(&to.externals);
        all.into_iter().find(|(_, external)| external.name == *name).map(|(id, _)| id)
    };
    let datum = |datum: &Datum| rename(from, to, datum);
    let datums = |all: &[Datum]| all.iter().map(datum).collect::<Option<Vec<Datum>>>();
    let mut translated = Input { arguments: datums(&input.arguments)?, ..Input::default() };
    for object in &input.objects {
        let (of, elements) = (*types.get(&object.of)?, datums(&object.elements)?);
        translated.objects.push(ir::Object { of, elements, ..object.clone() });
    }
    for (id, value) in &input.globals {
        translated.globals.push((global(*id)?, datum(value)?));
    }
    for (id, values) in &input.results {
        translated.results.push((external(*id)?, datums(values)?));
    }
    translated.globals.sort();
    translated.results.sort();
    Some(translated)
}

/// Functions are known by their names.
fn rename(from: &Program, to: &Program, datum: &Datum) -> Option<Datum> {
    match datum {
        Datum::Function(id) => Some(Datum::Function(to.named(&from.function(*id).name)?)),
        Datum::Aggregate(parts) => {
            Some(Datum::Aggregate(parts.iter().map(|part| rename(from, to, part)).collect::<Option<_>>()?))
        }
        other => Some(other.clone()),
    }
}

/// Which type of one program is which of the other.
fn pair(from: &Program, one: TypeId, to: &Program, other: TypeId, types: &mut HashMap<TypeId, TypeId>) {
    if types.insert(one, other).is_some() {
        return;
    }
    match (from.of(one), to.of(other)) {
        (Type::Pointer(one), Type::Pointer(other)) => pair(from, one.to, to, other.to, types),
        (Type::Array { of: one, .. }, Type::Array { of: other, .. }) => pair(from, *one, to, *other, types),
        (Type::Record(one), Type::Record(other)) => {
            for (one, other) in one.fields.iter().zip(&other.fields) {
                pair(from, one.of, to, other.of, types);
            }
        }
        _ => {}
    }
}

/// Asks a program: the function and its arguments on the command line, the result on standard output.
fn ask(path: &Path, program: &Program, test: &Test) -> anyhow::Result<Word> {
    let Outcome::Returned(own) = &test.returns else { bail!("a test of something that does not return") };
    let function = program.function(test.subject);
    let mut command = Command::new(absolute(path)?);
    command.arg(&function.name);
    for (parameter, datum) in function.signature.parameters.iter().zip(&test.input.arguments) {
        let Some(text) = argument(program, &test.input, parameter.of, datum) else {
            let (function, parameter) = (&function.name, &parameter.name);
            let what = "which a program is not given: neither a number nor a text";
            return Ok(Word::Unclear(format!("`{function}`: `{parameter}` may be null or the like, {what}")));
        };
        command.arg(text);
    }
    let text = answer(&mut command, path)?;
    let mut expected = (**own).clone();
    let does = |expected: Observation| Ok(Word::Does(Outcome::Returned(Box::new(expected))));
    let Some(of) = function.signature.result else { return does(expected) };
    let word = match program.of(of) {
        Type::Integer(scalar) => {
            let number = text.parse::<i128>().ok();
            let word = number.map(|it| bv::Word::new(scalar.width, it as u128));
            let fits = |word: &bv::Word| {
                Some(if scalar.signed { word.signed() } else { word.bits() as i128 }) == number
            };
            word.filter(fits)
        }
        Type::Float(float) if float.width == 32 => {
            text.parse::<f32>().ok().map(|it| bv::Word::new(32, it.to_bits().into()))
        }
        Type::Float(_) => text.parse::<f64>().ok().map(|it| bv::Word::new(64, it.to_bits().into())),
        _ => None,
    };
    let Some(word) = word else {
        bail!("{} printed no number that `{}` could return: {text}", path.display(), function.name);
    };
    expected.result = Some(Seen::Word(word));
    does(expected)
}

/// What a program prints, if it ends well and in time.
fn answer(command: &mut Command, path: &Path) -> anyhow::Result<String> {
    let output = tempfile::NamedTempFile::new().context("cannot write a temporary file")?;
    let file = output.reopen().context("cannot write a temporary file")?;
    command.stdin(Stdio::null()).stdout(file).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot run {}", path.display()))?;
    match wait(&mut child, PATIENCE)? {
        None => bail!("{} did not end within {} seconds", path.display(), PATIENCE.as_secs()),
        Some(status) if !status.success() => bail!("{} failed: {status}", path.display()),
        Some(_) => {}
    }
    let bytes = std::fs::read(output.path()).context("cannot read a temporary file")?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_string())
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot read {}", path.display()))
}

/// An argument as a command line has it.
fn argument(program: &Program, input: &Input, of: TypeId, datum: &Datum) -> Option<OsString> {
    let number = match (program.of(of), datum) {
        (Type::Integer(scalar), Datum::Word(word)) if scalar.signed => word.signed().to_string(),
        (Type::Integer(_), Datum::Word(word)) => word.bits().to_string(),
        (Type::Float(float), Datum::Word(word)) if float.width == 32 => {
            f32::from_bits(word.bits() as u32).to_string()
        }
        (Type::Float(_), Datum::Word(word)) => f64::from_bits(word.bits() as u64).to_string(),
        (Type::Pointer(_), Datum::Pointer { object, element }) => {
            let object = &input.objects[*object as usize];
            let bytes = object.elements.get(*element as usize..)?.iter().map(|datum| datum.word());
            let bytes: Vec<u8> = bytes
                .map(|word| word.filter(|it| it.width() == 8).map(|it| it.bits() as u8))
                .collect::<Option<_>>()?;
            let end = bytes.iter().position(|byte| *byte == 0)?;
            return Some(OsString::from_vec(bytes[..end].to_vec()));
        }
        _ => return None,
    };
    Some(number.into())
}
