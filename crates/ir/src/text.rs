//! The text format of programs, for people: in tests, in issues, beside a report.
//!
//! ```text
//! function @max(%0 a: s32 "int", %1 b: s32 "int") -> s32 "int" {
//! block0:
//!     %2:i1 = site 0(%0, %1) @ 2:14
//!     branch %2, block1, block2(%1) @ 2:12
//! block1:
//!     %3:i32 = add nsw %0, 0:i32
//!     jump block2(%3)
//! block2(%4:i32):
//!     return %4 @ 2:5
//! }
//!
//! site 0(%0:i32, %1:i32) -> i1 @ 2:14 {
//! original:
//!     %2 = sgt %0, %1
//!     return %2
//! mutant 1:
//!     %2 = sge %0, %1
//!     return %2
//! }
//! ```
//!
//! A type of C is `s` or `u` with its width, then its name as written in C. A register shows its width where
//! it is defined; one that nothing defines is listed as `unused %5:i8` at the top of its function. What stands
//! in the source ends with `@ line:column`. Line breaks mean no more than spaces, and `;` starts a comment.
//!
//! To parse what was printed gives the same program, for every program that the
//! [verifier](crate::verify) admits. The parser admits more, so that the verifier can be tested: it asks only
//! for what a [`Program`](crate::Program) can hold.

mod parse;
mod print;
mod token;

pub use parse::parse;

/// Where a text is no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: u32,
    /// Such as "expected a block, found `)`".
    pub what: String,
}

#[cfg(test)]
mod tests;
