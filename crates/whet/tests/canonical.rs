//! What the optimiser makes the same code of, does the same: on every golden file, for
//! every mutant that is called equivalent or a duplicate for that reason, on many inputs.

mod loaded;

use bv::Stop;
use ir::Mutant;
use llvm::Optimiser;
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
    let optimiser = Optimiser::new(&loaded.unit, &Stop::default());
    let mut seen = Seen::default();
    for subject in loaded.subjects() {
        let function = subject.function;
        let valid = loaded.valid(function, runs);
        let all = std::iter::once(Mutant::ORIGINAL).chain(subject.mutants).collect();
        for same in optimiser.compare(function, &[all]).expect("LLVM runs") {
            match same.of {
                Mutant::ORIGINAL => seen.equivalent += 1,
                _ => seen.duplicate += 1,
            }
            seen.runs += valid.len();
            loaded.check_same("the optimiser", function, same.of, same.mutant, &valid);
        }
    }
    seen
}
