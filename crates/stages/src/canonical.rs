//! Canonical: equal code after optimisation is a proof.
//!
//! Let `opt` be the optimiser. It is given original and mutant in a form without undefined behaviour, so
//! there is none that it could exploit. Claim: if `opt(mutant) = opt(original)`, names and order aside, the
//! mutant is equivalent: for all inputs, all sizes, any number of rounds. If two mutants have the same code,
//! one is a duplicate of the other.
//!
//! An input that tells two mutants apart shows that their code differs. So mutants that are alive are
//! compared with each other and with the original, and killed ones only with those that no input tells from
//! them.
//!
//! The claim rests on LLVM alone. This crate does not know LLVM. It asks an [`Optimiser`].

use std::collections::BTreeSet;
use std::sync::Mutex;

use ir::{FunctionId, Mutant, SameCode};
use settle::{Claim, Granted, Proof, Stage, Task};

/// Optimises code and compares it.
pub trait Optimiser: Sync {
    /// Which mutants have the same code as another one of their group when this function is called. A group
    /// may contain the original.
    fn compare(&self, subject: FunctionId, groups: &[Vec<Mutant>]) -> Vec<SameCode>;
}

impl<F: Fn(FunctionId, &[Vec<Mutant>]) -> Vec<SameCode> + Sync> Optimiser for F {
    fn compare(&self, subject: FunctionId, groups: &[Vec<Mutant>]) -> Vec<SameCode> {
        self(subject, groups)
    }
}

pub struct Canonical<'a> {
    optimiser: &'a dyn Optimiser,
    /// The mutants whose function by itself has the original's code.
    original: Mutex<BTreeSet<Mutant>>,
}

impl<'a> Canonical<'a> {
    pub const NAME: &'static str = "canonical";

    pub fn new(optimiser: &'a dyn Optimiser) -> Canonical<'a> {
        Canonical { optimiser, original: Mutex::default() }
    }
}

impl Stage for Canonical<'_> {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is_about_code(&self) -> bool {
        true
    }

    fn holds_for_any_caller(&self, mutant: Mutant) -> bool {
        self.original.lock().is_ok_and(|original| original.contains(&mutant))
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        let same = self.optimiser.compare(task.subject, task.alike);
        if let Ok(mut original) = self.original.lock() {
            let alone = same.iter().filter(|same| same.alone && same.of == Mutant::ORIGINAL);
            original.extend(alone.map(|same| same.mutant));
        }
        same.into_iter().map(|same| (same.mutant, claim(same.of))).collect()
    }
}

/// What can be said of a mutant that has this one's code.
fn claim(of: Mutant) -> Claim {
    match of {
        Mutant::ORIGINAL => Claim::Equivalent(Proof {
            method: "the same code after optimisation".to_string(),
            granted: Granted::default(),
            obligations: vec![],
        }),
        of => Claim::Duplicate(of),
    }
}
