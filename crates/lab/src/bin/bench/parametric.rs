//! `./x bench parametric`: one parametric mutant against five constants in its place (0,
//! 1, -1, the least, the greatest), in time and in tests, on one thread. The constants
//! go through simulation, induction and the solver as any mutant does, and one test
//! serves for all that it kills; on either side a test counts once for each function.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use bv::{Stop, Word};
use ir::{FunctionId, Input, Space};
use settle::{Claim, Limits, ParametricMutant, Stage, Task, kills};
use smt::Fuel;
use stages::{Bounded, Inductive, Parametric, Round, Simulate};

use lab::measure::{load, ratio, subjects};

/// What was seen of a file, for one way.
#[derive(Default)]
struct Seen {
    time: Duration,
    tests: usize,
}

/// Both ways, and how many parametric mutants are killed for every value but the equivalent ones.
#[derive(Default)]
struct Row {
    mutants: usize,
    complete: usize,
    /// Those of all mutants together: one that serves for two counts twice.
    needed: usize,
    parametric: Seen,
    constants: Seen,
}

pub(crate) fn bench(files: &[PathBuf]) -> Result<()> {
    println!(
        "{:<14} {:>9} {:>9} {:>11} {:>10} {:>6} {:>10} {:>6} {:>8}",
        "example", "mutants", "complete", "tests each", "time", "tests", "constants", "tests", "ratio"
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut all = Row::default();
    for file in files {
        let row = pool.install(|| measure(file))?;
        show(&file.file_name().unwrap_or_default().to_string_lossy(), &row);
        all.mutants += row.mutants;
        all.complete += row.complete;
        all.needed += row.needed;
        all.parametric.add(&row.parametric);
        all.constants.add(&row.constants);
    }
    show("all", &all);
    Ok(())
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.time += other.time;
        self.tests += other.tests;
    }
}

fn measure(file: &Path) -> Result<Row> {
    let unit = load(file, "PAR", llvm::Overflow::Undefined)?;
    let mut row = Row::default();
    let Some(parameter) = unit.program.parameter() else { return Ok(row) };
    for (subject, mutants) in subjects(&unit) {
        let may_alias = ir::related(&unit.program, subject);
        let space = Space { may_alias, functions: Some(unit.external.clone()), ..Space::default() };
        let stop = Stop::default();
        let task = Task::alone(&unit.program, subject, &space, Limits::default(), &stop);
        let parametric = mutants.iter().filter_map(|mutant| {
            let source::ParameterType { width, signed } = unit.changes[mutant.0 as usize - 1].parameter?;
            Some(ParametricMutant { mutant: *mutant, parameter, width, signed })
        });
        let parametric: Vec<ParametricMutant> = parametric.collect();
        row.mutants += parametric.len();
        let started = Instant::now();
        let mut tests: BTreeSet<Input> = BTreeSet::new();
        for parametric in &parametric {
            let claim = stage().claim(&task, *parametric, &[]);
            row.complete += usize::from(claim.complete);
            row.needed += claim.tests.len();
            tests.extend(claim.tests.into_iter().map(|(input, _)| input));
        }
        row.parametric.add(&Seen { time: started.elapsed(), tests: tests.len() });
        let started = Instant::now();
        let tests = constants(&task, subject, &parametric);
        row.constants.add(&Seen { time: started.elapsed(), tests });
    }
    Ok(row)
}

/// The tests that kill the five constants in place of each parameter.
fn constants(task: &Task, subject: FunctionId, mutants: &[ParametricMutant]) -> usize {
    let (inductive, bounded) = provers();
    let stages: [&dyn Stage; 3] = [&Simulate, &inductive, &bounded];
    let mut tests: Vec<Input> = Vec::new();
    for parametric in mutants {
        let edges = match parametric.signed {
            true => [Word::signed_min(parametric.width), Word::signed_max(parametric.width)],
            false => [Word::zero(parametric.width), Word::ones(parametric.width)],
        };
        let small = [0, 1, -1].map(|value| Word::from_signed(parametric.width, value));
        let values: BTreeSet<Word> = small.into_iter().chain(edges).collect();
        for value in values {
            let program = task.program.with_parameter(parametric.mutant, Word::new(64, value.bits()));
            let open = [parametric.mutant];
            let task = Task { program: &program, open: &open, ..*task };
            if tests.iter().any(|test| !kills(&program, subject, test, &open, task.limits).is_empty()) {
                continue;
            }
            let claim = stages.iter().find_map(|stage| stage.claims(&task).pop());
            if let Some((_, Claim::Killed(input))) = claim {
                tests.push(input);
            }
        }
    }
    tests.len()
}

/// As a run has it.
fn stage() -> Parametric {
    let (inductive, bounded) = provers();
    Parametric { provers: vec![Box::new(inductive), Box::new(bounded)], most: 8, obligations: false }
}

fn provers() -> (Inductive, Bounded) {
    let bounded = Bounded { bound: 8, fuel: Fuel(1_666), obligations: false, round: Round::Only };
    let inductive = Inductive::alone(Fuel(500));
    (inductive, bounded)
}

fn show(name: &str, row: &Row) {
    let Row { mutants, complete, needed, parametric, constants } = row;
    println!(
        "{name:<14} {mutants:>9} {complete:>9} {:>11.1} {:>8.2} s {:>6} {:>8.2} s {:>6} {:>8.2}",
        *needed as f64 / (*mutants).max(1) as f64,
        parametric.time.as_secs_f64(),
        parametric.tests,
        constants.time.as_secs_f64(),
        constants.tests,
        ratio(parametric.time, constants.time)
    );
}
