//! What the optimiser makes the same code of, does the same: on every golden file, for every mutant that is called
//! equivalent or a duplicate for that reason, on many inputs.

mod loaded;

use ir::{FunctionId, Mutant};
use llvm::canonical;
use loaded::Loaded;
use rayon::prelude::*;

/// Inputs for each mutant.
const RUNS: usize = 100;

#[test]
fn what_has_the_same_code_does_the_same() {
    let runs = loaded::runs(RUNS);
    let seen: Vec<Seen> =
        loaded::files().par_iter().map(|file| check(&Loaded::new(file, "default"), runs)).collect();
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
fn check(loaded: &Loaded, runs: usize) -> Seen {
    let subjects = loaded.subjects();
    let judged: Vec<(FunctionId, Vec<Mutant>)> =
        subjects.iter().map(|subject| (subject.function, subject.mutants.clone())).collect();
    let same = canonical(&loaded.unit, &judged).expect("LLVM runs");
    let mut seen = Seen::default();
    for (function, mutants) in judged {
        let valid = loaded.valid(function, runs);
        for mutant in mutants {
            let first = same.representative(function, mutant);
            if first == mutant {
                continue;
            }
            match first {
                Mutant::ORIGINAL => seen.equivalent += 1,
                _ => seen.duplicate += 1,
            }
            seen.runs += valid.len();
            loaded.check_same("the optimiser", function, first, mutant, &valid);
        }
    }
    seen
}
