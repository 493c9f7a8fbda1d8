//! From verdicts to what people and programs read.
//!
//! Cannot call a stage, and does not print: each report is a string.

mod json;
mod score;
mod terminal;
mod value;

pub use json::{json, list_json};
pub use score::Summary;
pub use terminal::{list, terminal};

use ir::Program;
use settle::{Conclusion, Test};
use source::Change;

/// All that is known at the end of a run.
pub struct Report<'a> {
    /// The file under test, as the user named it.
    pub file: &'a str,
    pub program: &'a Program,
    /// Mutant n is the n-th change, counted from 1.
    pub changes: &'a [Change],
    /// One for each change.
    pub conclusions: &'a [Conclusion],
    pub tests: &'a [Test],
    /// One for each test.
    pub names: &'a [String],
    /// The stages that ran, in order.
    pub stages: &'a [&'static str],
}

impl Report<'_> {
    /// The names of the tests that kill a mutant.
    fn killers(&self, mutant: usize) -> Vec<&str> {
        let kills = |test: &Test| test.kills.iter().any(|killed| killed.0 as usize == mutant + 1);
        self.tests
            .iter()
            .zip(self.names)
            .filter(|(test, _)| kills(test))
            .map(|(_, name)| name.as_str())
            .collect()
    }
}
