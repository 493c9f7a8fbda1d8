//! A reference implementation: what the tests expect, in place of what the program does today.
//!
//! A reference in C is a mutant of the file that is not judged, but trusted: each test is run on it. And the file is a mutant of
//! the reference: where the two differ on an input that is valid for the reference, there is a test for that, too, whether or not it
//! kills any mutant. A reference that is a program is asked for what it prints.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use bv::Word;
use ir::{Datum, FunctionId, Input, Mutant, Observation, Outcome, Program, Seen, Type, TypeId, run};
use llvm::{Graft, Unit, Version};
use settle::{Checker, Conclusion, Limits, Test, outcomes_differ};

use crate::cli::Run;
use crate::decide::{Plan, decide, settings};
use crate::judges::Machine;
use crate::past::Past;
use crate::progress::{Line, Timings};

/// What a run of a reference in C may take, in blocks.
const FUEL: u64 = 10_000_000;

pub struct Reference<'a> {
    arguments: &'a Run,
    unit: &'a Unit,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// A C file, which is this mutant.
    Version(Mutant),
    /// A program.
    Program(&'a Path),
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
            return Ok(Some(Reference { arguments, unit, kind: Kind::Program(path) }));
        }
        let Some(Ok(graft)) = unit.versions.last() else { bail!("{} was not read", path.display()) };
        check(arguments, unit, graft)?;
        Ok(Some(Reference { arguments, unit, kind: Kind::Version(Mutant(graft.number)) }))
    }

    /// Has the tests expect what the reference does, and says where the file does otherwise.
    pub fn correct(&self, tests: &mut [Test]) -> anyhow::Result<Vec<Disagreement>> {
        let mut disagreements = Vec::new();
        for test in tests {
            let program = &self.unit.program;
            let expected = match self.kind {
                Kind::Version(mutant) => run(program, test.subject, mutant, &test.input, FUEL).outcome,
                Kind::Program(path) => Outcome::Returned(Box::new(ask(path, program, test)?)),
            };
            // Where the reference does not return, there is nothing to go by.
            if matches!(expected, Outcome::Returned(_)) && outcomes_differ(&test.returns, &expected) {
                let ours = std::mem::replace(&mut test.returns, expected);
                let (subject, input) = (test.subject, test.input.clone());
                disagreements.push(Disagreement { subject, input, ours });
            }
        }
        Ok(disagreements)
    }

    /// Tests that the file fails, one for each function at most, whatever else there is.
    pub fn search(&self) -> anyhow::Result<(Vec<Test>, Vec<Disagreement>)> {
        let Kind::Version(mutant) = self.kind else { return Ok((vec![], vec![])) };
        let reference = self.arguments.reference.clone().unwrap_or_default();
        let version = Version {
            file: self.arguments.selection.file.clone(),
            in_place: false,
            operator: Some("REF".to_string()),
            renamed: vec![],
        };
        let options = self.arguments.selection.options(&self.arguments.clang, vec![version])?;
        let functions = vec![];
        let options =
            llvm::Options { file: reference, operators: llvm::Operators::none(), functions, ..options };
        let there = llvm::load(&options)?;
        let (mut tests, mut disagreements) = (Vec::new(), Vec::new());
        for (subject, input) in differences(self.arguments, &there)? {
            let program = &self.unit.program;
            let name = &there.program.function(subject).name;
            let Some(own) = program.named(name).filter(|id| self.unit.external.contains(id)) else {
                continue;
            };
            let Some(input) = translate(&there.program, subject, program, own, &input) else { continue };
            let ours = run(program, own, Mutant::ORIGINAL, &input, FUEL).outcome;
            let returns = run(program, own, mutant, &input, FUEL).outcome;
            if matches!(returns, Outcome::Returned(_)) && outcomes_differ(&returns, &ours) {
                let soft = matches!(ours, Outcome::Faulted(..));
                disagreements.push(Disagreement { subject: own, input: input.clone(), ours });
                tests.push(Test {
                    subject: own,
                    input,
                    returns,
                    kills: vec![],
                    may_kill: vec![],
                    whole: true,
                    soft,
                });
            }
        }
        Ok((tests, disagreements))
    }
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

/// For each function of the reference on which the file differs, an input that shows it.
fn differences(arguments: &Run, there: &Unit) -> anyhow::Result<Vec<(FunctionId, Input)>> {
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
            if let Conclusion::Killed { subject, kill, .. } = conclusion {
                found.push((subject, kill.input));
            }
        }
    }
    Ok(found)
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
fn ask(path: &Path, program: &Program, test: &Test) -> anyhow::Result<Observation> {
    let Outcome::Returned(own) = &test.returns else { bail!("a test of something that does not return") };
    let function = program.function(test.subject);
    let mut command = Command::new(absolute(path)?);
    command.arg(&function.name);
    for (parameter, datum) in function.signature.parameters.iter().zip(&test.input.arguments) {
        let text = argument(program, &test.input, parameter.of, datum).with_context(|| {
            format!(
                "{} is a program, and takes numbers and texts only, but `{}` of `{}` is something else: give --reference a C file",
                path.display(),
                parameter.name,
                function.name
            )
        })?;
        command.arg(text);
    }
    let output = command.output().with_context(|| format!("cannot run {}", path.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    let mut expected = (**own).clone();
    let Some(of) = function.signature.result else { return Ok(expected) };
    let word = match program.of(of) {
        Type::Integer(scalar) => text.parse::<i128>().ok().map(|it| Word::new(scalar.width, it as u128)),
        Type::Float(float) if float.width == 32 => {
            text.parse::<f32>().ok().map(|it| Word::new(32, it.to_bits().into()))
        }
        Type::Float(_) => text.parse::<f64>().ok().map(|it| Word::new(64, it.to_bits().into())),
        _ => None,
    };
    let Some(word) = word else {
        bail!("{} printed no number for `{}`: {text}", path.display(), function.name);
    };
    expected.result = Some(Seen::Word(word));
    Ok(expected)
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot read {}", path.display()))
}

/// An argument as a command line has it.
fn argument(program: &Program, input: &Input, of: TypeId, datum: &Datum) -> Option<String> {
    match (program.of(of), datum) {
        (Type::Integer(scalar), Datum::Word(word)) if scalar.signed => Some(word.signed().to_string()),
        (Type::Integer(_), Datum::Word(word)) => Some(word.bits().to_string()),
        (Type::Float(float), Datum::Word(word)) if float.width == 32 => {
            Some(f32::from_bits(word.bits() as u32).to_string())
        }
        (Type::Float(_), Datum::Word(word)) => Some(f64::from_bits(word.bits() as u64).to_string()),
        (Type::Pointer(_), Datum::Pointer { object, element }) => {
            let object = &input.objects[*object as usize];
            let bytes = object.elements.get(*element as usize..)?.iter().map(|datum| datum.word());
            let bytes: Vec<u8> = bytes
                .map(|word| word.filter(|it| it.width() == 8).map(|it| it.bits() as u8))
                .collect::<Option<_>>()?;
            let end = bytes.iter().position(|byte| *byte == 0)?;
            String::from_utf8(bytes[..end].to_vec()).ok()
        }
        _ => None,
    }
}
