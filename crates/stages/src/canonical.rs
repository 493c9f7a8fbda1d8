//! Canonical: what the optimiser makes the same code of is the same.
//!
//! The comparison itself is done where LLVM is known; here its result becomes claims. Code that is equal to the original's is a
//! proof without any assumption: for all inputs, all sizes, however often a loop goes round.

use ir::{FunctionId, Mutant};
use settle::{Claim, Granted, Proof, Stage, Task};

pub struct Canonical<'a> {
    /// The smallest number of a mutant, or 0 for the original, that has the same code when the function is called.
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
