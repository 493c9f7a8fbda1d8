//! Each way of proving by induction, alone, over every golden file, with every mutant open: what it
//! calls equal does the same on many inputs, and is nothing that a golden verdict says is killed.

mod loaded;

use bv::Stop;
use std::path::{Path, PathBuf};

use ir::Mutant;
use loaded::Loaded;
use rayon::prelude::*;
use settle::{Claim, Limits, Stage, Subject, Task};
use smt::{Fuel, Process};
use stages::{Inductive, Methods, Round};

/// Inputs for each mutant.
const RUNS: usize = 1_000;

/// Of the mutants that are killed, only every so many-th is asked about, unless
/// `WHET_ALL` is set: all take minutes.
const STRIDE: usize = 16;

/// For each query: a tenth of what a user has, because all these proofs are found soon.
const FUEL: Fuel = Fuel(Inductive::FUEL.0 / 10);

#[test]
fn lockstep_alone_contradicts_nothing() {
    check_all(&loaded::files(), "lockstep", Methods { lockstep: true, ..Methods::NONE }, None, 40);
}

#[test]
fn relations_alone_contradict_nothing() {
    check_all(&loaded::files(), "relations", Methods { relations: true, ..Methods::NONE }, None, 40);
}

/// On two files, where proofs are found with a tenth of the fuel that a user
/// has: most take seconds for a mutant.
#[test]
fn horn_clauses_alone_contradict_nothing() {
    let files = ["control.c", "slow.c"].map(|name| Path::new("tests/golden").join(name));
    let z3 = Process::new("z3", &["-in", "rlimit=2000000", "fp.engine=spacer"]);
    check_all(&files, "Horn clauses", Methods::NONE, Some(z3), 1);
}

/// At least so many mutants are called equal, and all of them are.
fn check_all(files: &[PathBuf], who: &str, methods: Methods, horn: Option<Process>, at_least: usize) {
    let stage = Inductive { fuel: FUEL, obligations: false, methods, horn, round: Round::Only };
    let runs = loaded::runs(RUNS);
    let stride = if std::env::var_os("WHET_ALL").is_some() { 1 } else { STRIDE };
    let equal: usize = files.par_iter().map(|file| check(file, who, &stage, runs, stride)).sum();
    eprintln!("{who}: {equal} equivalent");
    assert!(equal >= at_least, "{who}: only {equal} mutants are called equal");
}

/// How many mutants of a file are called equal.
fn check(file: &Path, who: &str, stage: &Inductive, runs: usize, stride: usize) -> usize {
    let loaded = Loaded::new(file, "seed");
    let mut subjects = loaded.subjects();
    let is_asked =
        |mutant: &Mutant| (mutant.0 as usize).is_multiple_of(stride) || !is_killed(&loaded, *mutant);
    subjects.iter_mut().for_each(|subject| subject.mutants.retain(is_asked));
    let mut equal = 0;
    for subject in &subjects {
        let found = equal_mutants(&loaded, subject, stage);
        if found.is_empty() {
            continue;
        }
        let valid = loaded.valid(subject.function, runs);
        for mutant in &found {
            loaded.check_same(who, subject.function, Mutant::ORIGINAL, *mutant, &valid);
            // What one subject cannot tell apart, another may.
            let judges = subjects.iter().filter(|subject| subject.mutants.contains(mutant)).count();
            assert!(
                judges > 1 || !is_killed(&loaded, *mutant),
                "{}: {who} says that {} is equivalent, but it is killed",
                file.display(),
                mutant.0
            );
        }
        equal += found.len();
    }
    equal
}

/// The mutants that the stage calls equivalent.
fn equal_mutants(loaded: &Loaded, subject: &Subject, stage: &Inductive) -> Vec<Mutant> {
    let space = loaded.space(subject.function);
    let stop = Stop::default();
    let task = Task {
        open: &subject.mutants,
        ..Task::alone(&loaded.unit.program, subject.function, &space, Limits::default(), &stop)
    };
    let is_equal = |claim: &Claim| matches!(claim, Claim::Equivalent(_));
    stage.claims(&task).into_iter().filter(|(_, claim)| is_equal(claim)).map(|(mutant, _)| mutant).collect()
}

/// Whether the golden file says so: the comment of a line names all mutants that are not killed.
fn is_killed(loaded: &Loaded, mutant: Mutant) -> bool {
    let change = &loaded.unit.changes[mutant.0 as usize - 1];
    let text = std::fs::read_to_string(&loaded.path).expect("a golden file can be read");
    let line = text.lines().nth(change.span.start.line as usize - 1).expect("the mutant is in a line");
    let (_, comment) = line.split_once("//~").expect("a line with mutants has a comment");
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (original, replacement) = (one_line(&change.original), one_line(change.replacement()));
    !comment.contains(&format!(" {} `{original}` -> `{replacement}`", change.span.start.column))
}
