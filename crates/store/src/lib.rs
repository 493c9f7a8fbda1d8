//! What was settled before, so that it need not be settled again.
//!
//! What a subject found of its mutants depends on the code that it can reach, on the limits, and on Whet
//! itself: a [`Slice`] has all of the first, a [`Key`] is a hash of everything, and the [`Store`] is a
//! file with what was found under each key. Records are texts ([`record`]) that name functions, types and
//! mutants by their place in the slice, so that they still hold when other parts of the file have changed.
//!
//! Knows no LLVM and no technique.

mod database;
pub mod record;
mod slice;

pub use database::{Error, FILE, Key, Store};
pub use slice::{Slice, Whole};
