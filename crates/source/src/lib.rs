//! The user's source text: where a mutant changes it, and how the change reads.
//!
//! Knows neither LLVM nor our own program language: only text, places, edits, and the words of messages.

mod change;
mod diff;
mod patch;
mod suppress;
mod text;
mod words;

pub use change::{Change, Edit, ParameterType};
pub use diff::unified;
pub use patch::Patch;
pub use suppress::{Suppression, suppressions};
pub use text::{Position, Span, Text};
pub use words::{count, nearest, plural};
