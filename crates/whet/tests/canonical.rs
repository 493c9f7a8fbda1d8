//! What the optimiser makes the same code of, does the same: on every golden file, for every mutant that is called
//! equivalent or a duplicate for that reason, on many inputs.

use std::path::{Path, PathBuf};

use ir::{FunctionId, Input, Mutant, Outcome, run};
use llvm::{Operators, Options, Overflow, canonical, load};
use rayon::prelude::*;

/// Inputs for each mutant; `WHET_RUNS=100000` for a long look.
const RUNS: usize = 100;

/// What one run may burn: enough for the loops of the golden files on small inputs.
const FUEL: u64 = 5_000;

#[test]
fn what_has_the_same_code_does_the_same() {
    let runs = std::env::var("WHET_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let entries = ["../../examples", "tests/golden"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("the folder is there"));
    let files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "c"))
        .collect();
    let seen: Vec<Seen> = files.par_iter().map(|file| check(file, runs)).collect();
    let sum = |of: fn(&Seen) -> usize| seen.iter().map(of).sum::<usize>();
    let (equivalent, duplicate) = (sum(|seen| seen.equivalent), sum(|seen| seen.duplicate));
    eprintln!("{equivalent} equivalent, {duplicate} duplicate, {} runs compared", sum(|seen| seen.runs));
    assert!(equivalent > 20 && duplicate > 100, "only {equivalent} and {duplicate} mutants were compared");
}

/// How much was compared.
#[derive(Default)]
struct Seen {
    equivalent: usize,
    duplicate: usize,
    /// On inputs that are valid for the original.
    runs: usize,
}

/// Compares all that have the same code.
fn check(file: &Path, runs: usize) -> Seen {
    let options = Options {
        file: file.to_path_buf(),
        clang: None,
        flags: vec![],
        overflow: Overflow::Undefined,
        operators: Operators::parse("default").expect("there is such a set"),
        functions: vec![],
        headers: false,
        versions: vec![],
    };
    let unit = load(&options).expect("golden files compile");
    let program = &unit.program;
    let judged: Vec<(FunctionId, Vec<Mutant>)> = unit
        .external
        .iter()
        .filter(|function| program.function(**function).unsupported.is_none())
        .map(|function| {
            let name = &program.function(*function).name;
            let own = unit.changes.iter().zip(1..).filter(|(change, _)| change.function == *name);
            (*function, own.map(|(_, number)| Mutant(number)).collect())
        })
        .collect();
    let same = canonical(&unit, &judged).expect("LLVM runs");
    let mut seen = Seen::default();
    for (function, mutants) in judged {
        let space = ir::Space { size: 4, depth: 2, ..ir::Space::default() };
        // Only what is valid for the original counts.
        let inputs: Vec<(Input, Outcome)> = stages::attacks(program, function, &space, runs)
            .into_iter()
            .map(|input| {
                let outcome = run(program, function, Mutant::ORIGINAL, &input, FUEL).outcome;
                (input, outcome)
            })
            .filter(|(_, outcome)| matches!(outcome, Outcome::Returned(_)))
            .collect();
        for mutant in mutants {
            let first = same.representative(function, mutant);
            if first == mutant {
                continue;
            }
            match first {
                Mutant::ORIGINAL => seen.equivalent += 1,
                _ => seen.duplicate += 1,
            }
            seen.runs += inputs.len();
            for (input, original) in &inputs {
                let other = run(program, function, mutant, input, FUEL).outcome;
                let one = match first {
                    Mutant::ORIGINAL => original.clone(),
                    first => run(program, function, first, input, FUEL).outcome,
                };
                let differ = match (&one, &other) {
                    (Outcome::Returned(one), Outcome::Returned(other)) => one.differs(other),
                    (Outcome::OutOfFuel, _) | (_, Outcome::OutOfFuel) => false,
                    (one, other) => one != other,
                };
                assert!(
                    !differ,
                    "{}: {} and {} differ on {input:?}: {one:?}, {other:?}",
                    file.display(),
                    first.0,
                    mutant.0
                );
            }
        }
    }
    seen
}
