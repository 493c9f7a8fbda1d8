//! Questions about some inputs only: a premise that holds of them, and the stages that can be asked under
//! one.

use bv::{Term, Terms};
use ir::{GlobalId, Mutant};
use rustc_hash::FxHashMap;
use settle::{Claim, Task};
use smt::Fuel;

use crate::skeleton::Skeleton;

/// A fact about a number in a global variable, in a graph of its own.
pub struct Premise<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) holds: Term,
    /// The number.
    pub(crate) variable: Term,
    pub(crate) global: GlobalId,
}

/// A stage that can be asked about the inputs of which a premise holds.
///
/// A kill is then an input of which it holds, and a proof is about all of these. Without a premise the claims
/// are those of the stage.
pub trait Prover: Sync {
    fn claims_under(&self, task: &Task, premise: Option<&Premise>) -> Vec<(Mutant, Claim)>;

    /// For each query. The claims depend on it.
    fn fuel(&self) -> Fuel;
}

impl Premise<'_> {
    /// Leaves only the inputs of which the premise holds.
    pub(crate) fn restrict(&self, terms: &mut Terms, inputs: &mut Skeleton) {
        let Some(own) = inputs.global(self.global) else { return };
        let holds = terms.adopt(self.terms, self.holds, &mut FxHashMap::from_iter([(self.variable, own)]));
        inputs.constraint = terms.and(inputs.constraint, holds);
    }
}
