//! From tests to test files that a person would merge.
//!
//! It cannot call a stage. What to test was decided before. This crate only decides how a test reads.

mod c;
mod check;
mod declare;
pub mod exchange;
mod file;
mod fold;
mod foreign;
mod frame;
mod framework;
mod layout;
mod link;
mod merge;
mod name;
mod output;
mod reach;
mod release;
mod scene;
mod selectable;
#[cfg(test)]
mod sketch;
mod stream;
mod stub;
mod system;
mod unnamed;

pub use c::{literal, type_name};
pub use declare::prototype;
pub use file::{SIGNATURE, file};
pub use foreign::foreign_name;
pub use framework::Framework;
pub use merge::{body, merge};
pub use name::names;
pub use selectable::selectable;

use ir::{Elsewhere, FunctionId, Observation, Outcome, Program};
use settle::Test;
use source::Change;

/// What goes into one test file.
pub struct Suite<'a> {
    pub framework: Framework,
    /// The file under test, as the test's reader knows it: `triangle.c`.
    pub file: &'a str,
    /// It has a `main` of its own, which would meet the one of the tests.
    pub has_main: bool,
    /// The tests include the file, so that they can call what no other file can.
    pub inside: bool,
    /// Overflow is meant to wrap, which compilers have to be told.
    pub wraps: bool,
    pub program: &'a Program,
    /// The functions that a test can name.
    pub callable: &'a [FunctionId],
    /// What the file needs to link, and no test looks at.
    pub elsewhere: &'a [Elsewhere],
    /// Mutant n is the n-th change, counted from 1.
    pub changes: &'a [Change],
    pub tests: &'a [Test],
    /// One for each test, from [`names`].
    pub names: &'a [String],
    /// Where the expected values are from, if not from the program itself; and whether all of them are.
    pub reference: Option<(&'a str, bool)>,
    /// What there is to say of a test in place of what it kills.
    pub remark: &'a dyn Fn(&Test) -> Option<String>,
}

/// What tests call the file's own `main`.
pub(crate) const PROGRAM_MAIN: &str = "program_main";

/// What the original was seen to do. A test of anything but a return is never made.
fn observation(test: &Test) -> Option<&Observation> {
    match &test.returns {
        Outcome::Returned(observation) => Some(observation),
        _ => None,
    }
}
