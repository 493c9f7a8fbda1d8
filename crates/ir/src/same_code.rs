//! Two mutants with the same code.
//!
//! One crate finds such pairs and another one makes claims of them. Neither may know the other. Both know
//! programs and their mutants, so the fact is written here.

use crate::Mutant;

/// A mutant with the code of another one, which has a smaller number. Number 0 is the original.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SameCode {
    pub mutant: Mutant,
    pub of: Mutant,
    /// Whether the mutated function itself has the same code, whoever calls it.
    pub alone: bool,
}
