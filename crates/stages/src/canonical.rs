//! Canonical: equal code after optimisation is a proof.
//!
//! Let `opt` be the optimiser. Original and mutant are given to it in a form without undefined behaviour, of
//! which it could take advantage. Claim: if `opt(mutant) = opt(original)`, names and order aside, the mutant
//! is equivalent: for all inputs, all sizes, any number of rounds. If two mutants have the same code, one is
//! a duplicate of the other.
//!
//! The claim rests on LLVM alone. The comparison is done where LLVM is known (`llvm/src/canonical.rs`); here
//! its result becomes claims.

use ir::{FunctionId, Mutant};
use settle::{Claim, Granted, Proof, Stage, Task};

pub struct Canonical<'a> {
    /// The first mutant that has the same code in a function; the original, if that has it.
    pub representative: &'a (dyn Fn(FunctionId, Mutant) -> Mutant + Sync),
}

impl Canonical<'_> {
    pub const NAME: &'static str = "canonical";
}

impl Stage for Canonical<'_> {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is_about_code(&self) -> bool {
        true
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        let claim = |mutant: Mutant| match (self.representative)(task.subject, mutant) {
            Mutant::ORIGINAL => Some(Claim::Equivalent(Proof {
                method: "the same code after optimisation".to_string(),
                granted: Granted::default(),
                obligations: vec![],
            })),
            first if first == mutant => None,
            first => Some(Claim::Duplicate(first)),
        };
        let claims: Vec<(Mutant, Claim)> =
            task.open.iter().filter_map(|mutant| Some((*mutant, claim(*mutant)?))).collect();
        task.progress.advance(claims.len());
        claims
    }
}
