//! The user's source text: where a mutant changes it, and how the change reads.
//!
//! Knows neither LLVM nor our own program language: only text, places and edits.

mod change;
mod diff;
mod patch;
mod suppress;
mod text;

pub use change::{Change, Edit, ParameterType};
pub use diff::unified;
pub use patch::Patch;
pub use suppress::{Suppression, suppressions};
pub use text::{Position, Span, Text};
