//! Something that holds of all inputs that are looked at, besides what their types say.

use bv::{Term, Terms};
use ir::GlobalId;
use rustc_hash::FxHashMap;

use crate::skeleton::Skeleton;

/// A fact about a number in a global variable, in a graph of its own.
pub struct Premise<'a> {
    pub terms: &'a Terms,
    pub holds: Term,
    /// The number.
    pub variable: Term,
    pub global: GlobalId,
}

impl Premise<'_> {
    /// Leaves of these inputs those of which it holds.
    pub fn restrict(&self, terms: &mut Terms, inputs: &mut Skeleton) {
        let Some(own) = inputs.global(self.global) else { return };
        let holds = terms.adopt(self.terms, self.holds, &mut FxHashMap::from_iter([(self.variable, own)]));
        inputs.constraint = terms.and(inputs.constraint, holds);
    }
}
