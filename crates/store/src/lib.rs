//! What earlier runs have settled, so that it need not be settled again.
//!
//! The verdicts on a subject's mutants depend on the code that the subject can reach, on the limits, and
//! on Whet itself. A [`Slice`] has all of that code. A [`Key`] is a hash of everything. The [`Store`] is
//! a file with the findings for each key. Records are texts ([`record`]). They name functions, types and
//! mutants by their place in the slice, so they still hold when other parts of the file have changed.
//!
//! Knows no LLVM and no technique.

mod database;
pub mod record;
mod slice;

pub use database::{Error, FILE, Key, Store};
pub use slice::{Slice, Whole};
