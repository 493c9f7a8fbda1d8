//! Golden files as a stage sees them, to try a stage alone: what it calls equal
//! must do the same on many inputs.

// Each test file takes of this what it needs.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use ir::{FunctionId, GlobalId, Input, Mutant, Outcome, Space, paths, run};
use llvm::{Operators, Options, Overflow, Unit, load};
use settle::{Subject, subjects};

/// What one run of the original may burn: enough for the loops of the golden files on small inputs.
const FUEL: u64 = 5_000;

/// A mutant may burn so many times as much: it need not go the same way.
const DETOUR: u64 = 20;

/// How many inputs to try; `WHET_RUNS=100000` for a long look.
pub(crate) fn runs(default: usize) -> usize {
    std::env::var("WHET_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(default)
}

/// Inputs are mixed after this number, if there is one; otherwise they are
/// those that every proof is attacked with.
fn seed() -> Option<u64> {
    std::env::var("WHET_SEED").ok().and_then(|seed| seed.parse().ok())
}

/// The examples, and the golden files that have no gaps.
pub(crate) fn files() -> Vec<PathBuf> {
    let entries = ["../../examples", "tests/golden"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("the folder is there"));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files
}

/// A golden file with its mutants.
pub(crate) struct Loaded {
    pub path: PathBuf,
    pub unit: Unit,
    /// What the file asks for, in a line `//~ flags: --overflow wrap`.
    flags: Vec<String>,
}

impl Loaded {
    /// With these operators, unless the file asks for others.
    pub(crate) fn new(path: &Path, operators: &str) -> Loaded {
        let text = std::fs::read_to_string(path).expect("a golden file can be read");
        let line = text.lines().find_map(|line| line.strip_prefix("//~ flags:"));
        let flags: Vec<String> =
            line.map_or(vec![], |flags| flags.split_whitespace().map(str::to_string).collect());
        let operators = values(&flags, "--operators").next().unwrap_or(operators);
        let wraps = values(&flags, "--overflow").any(|value| value == "wrap");
        let options = Options {
            file: path.to_path_buf(),
            clang: None,
            flags: vec![],
            overflow: if wraps { Overflow::Wrap } else { Overflow::Undefined },
            operators: Operators::parse(operators).expect("there are such operators"),
            functions: vec![],
            headers: false,
            versions: vec![],
        };
        Loaded { path: path.to_path_buf(), unit: load(&options).expect("golden files compile"), flags }
    }

    /// The functions that a test can call, with the mutants that each judges.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let program = &self.unit.program;
        let mut callable = self.unit.external.clone();
        callable.extend(paths(program).into_keys());
        let home = |name: &String| vec![program.named(name).expect("a mutant is in a function")];
        let homes: Vec<Vec<FunctionId>> =
            self.unit.changes.iter().map(|change| home(&change.function)).collect();
        let mut subjects =
            subjects(&callable, |id| program.is_wholly_callable(id), &homes, &self.unit.mentions, |_| vec![]);
        subjects.retain(|subject| program.function(subject.function).unsupported.is_none());
        subjects
    }

    /// Which inputs a subject has, as the file asks for.
    pub(crate) fn space(&self, subject: FunctionId) -> Space {
        let program = &self.unit.program;
        let parameters = &program.function(subject).signature.parameters;
        let at = |name: &str| parameters.iter().position(|parameter| parameter.name == name);
        let pair = |pair: &str| {
            let (one, other) = pair.split_once(',')?;
            Some((at(one)?, at(other)?))
        };
        let mut may_alias: Vec<(usize, usize)> =
            values(&self.flags, "--may-alias").filter_map(pair).collect();
        if may_alias.is_empty() {
            may_alias = ir::related(program, subject);
        }
        let global = |name: &str| program.globals.iter().position(|global| global.name == name);
        let globals = values(&self.flags, "--global").filter_map(global).map(|at| GlobalId(at as u32));
        Space {
            may_alias,
            globals: globals.collect(),
            functions: Some(self.unit.external.clone()),
            ..Space::default()
        }
    }

    /// So many inputs of a subject, those that are valid for the original, with what it does on them.
    pub(crate) fn valid(&self, subject: FunctionId, runs: usize) -> Vec<(Input, Outcome)> {
        let outcome = |input: &Input| run(&self.unit.program, subject, Mutant::ORIGINAL, input, FUEL).outcome;
        let (program, space) = (&self.unit.program, self.space(subject));
        let inputs: Vec<Input> = match seed() {
            Some(seed) => stages::mixtures(program, subject, &space, seed).take(runs).collect(),
            None => stages::attacks(program, subject, &space, runs),
        };
        inputs
            .into_iter()
            .map(|input| (outcome(&input), input))
            .filter(|(outcome, _)| matches!(outcome, Outcome::Returned(_)))
            .map(|(outcome, input)| (input, outcome))
            .collect()
    }

    /// Two mutants do the same on these inputs; the original is one, too.
    #[track_caller]
    pub(crate) fn check_same(
        &self,
        who: &str,
        subject: FunctionId,
        first: Mutant,
        other: Mutant,
        valid: &[(Input, Outcome)],
    ) {
        let fuel = if first == Mutant::ORIGINAL { FUEL * DETOUR } else { FUEL };
        let outcome = |mutant, input| run(&self.unit.program, subject, mutant, input, fuel).outcome;
        for (input, original) in valid {
            let one = match first {
                Mutant::ORIGINAL => original.clone(),
                first => outcome(first, input),
            };
            let two = outcome(other, input);
            let same = match (&one, &two) {
                (Outcome::Returned(one), Outcome::Returned(two)) => !one.differs(two),
                // Of two mutants that do the same, one may take longer. The
                // original has returned long before.
                (Outcome::OutOfFuel, _) => true,
                (_, Outcome::OutOfFuel) => first != Mutant::ORIGINAL,
                // What the interpreter cannot run contradicts nobody.
                (Outcome::Unsupported(..), _) | (_, Outcome::Unsupported(..)) => true,
                (one, two) => one == two,
            };
            assert!(
                same,
                "{}: {who} says that {} and {} are the same, but on {input:?}: {one:?}, {two:?}",
                self.path.display(),
                first.0,
                other.0
            );
        }
    }
}

/// What follows a flag.
fn values<'a>(flags: &'a [String], flag: &str) -> impl Iterator<Item = &'a str> {
    flags.chunks(2).filter(move |pair| pair[0] == flag).map(|pair| pair[1].as_str())
}
