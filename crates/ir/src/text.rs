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
//! A type of C is `s` or `u` with its width, then its name as written in C, `f` for a float, and
//! `pointer`, its name, `to` and what it points to. A register shows its width where it is defined;
//! one that nothing defines is listed as `unused %5:i8` at the top of its function. What stands in the
//! source ends with `@ line:column`. Line breaks mean no more than spaces, and `;` starts a comment.
//!
//! Larger types stand in a table, and are mentioned by number. Globals and
//! functions without a body come next:
//!
//! ```text
//! type 0 = s8 "char"
//! type 1 = struct "struct pair" 2 { a: type 0 at 0, b: type 0 at 8 bits 3 }
//! type 2 = pointer "struct pair *" to type 1
//! global @pair: type 1 = "\u{1}\0" static
//! external @put(s8 "char") -> s32 "int" prints
//!
//! function @first(%0 p: type 2) -> s8 "char" {
//! block0:
//!     %1:i64 = offset %0, 1:i64
//!     copy %1, @pair, 1:i64
//!     %2:i8 = load.i8 %0
//!     %3:i32 = external @put(%2: s8 "char")
//!     store @pair, %2
//!     return %2
//! }
//!
//! function @sum(pair: type 1) -> s8 "char" as (%0:i16) -> i8 door @sum.door {
//! ```
//!
//! Offsets are in bits. `@pair` is a pointer to the start of a global or of a
//! function. The characters of a global's text are its bytes. Where what a
//! function takes is not what its signature says, `as` says what it is.
//!
//! Parsing what was printed gives the same program, for every program that the
//! [verifier](crate::verify) admits. The parser admits more, so that the verifier can be tested: it asks only
//! for what a [`Program`](crate::Program) can hold.

mod named;
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
