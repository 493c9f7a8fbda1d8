//! Mutants with an unknown number in them: one verdict for all numbers.

use ir::FunctionId;

use crate::Kill;

/// What is known of a mutant with an unknown number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    pub subject: FunctionId,
    /// Each kills some numbers that those before it do not. The inputs are without the unknown.
    pub tests: Vec<Kill>,
    /// The numbers that make an equivalent mutant.
    pub except: Vec<String>,
    /// There are more of these than are listed.
    pub more: bool,
    /// What the proofs of that take for granted.
    pub assumptions: Vec<String>,
    /// A number that no test kills, and nobody has proved equivalent.
    pub left: Option<String>,
    /// Whether each number is killed or equivalent.
    pub complete: bool,
    /// No test kills more than one of the numbers that are left.
    pub singly: bool,
    /// Whether the user wants all numbers dealt with, even if each needs a test of its own.
    pub strict: bool,
}

impl Family {
    /// Whether there is something left to do.
    pub fn is_open(&self) -> bool {
        !self.complete && (self.strict || self.tests.is_empty())
    }

    /// What became of the numbers.
    pub fn in_words(&self) -> String {
        let tests = match self.tests.len() {
            1 => "1 test".to_string(),
            count => format!("{count} tests"),
        };
        let except = self.except.iter().map(|number| format!("p = {number}"));
        let except: Vec<String> = except.chain(self.more.then(|| "others".to_string())).collect();
        if self.complete && self.tests.is_empty() {
            return "equivalent for every p".to_string();
        }
        if self.complete {
            let except =
                if except.is_empty() { String::new() } else { format!(" except {}", except.join(", ")) };
            return format!("{tests}, for every p{except}");
        }
        let left = self.left.as_ref().map_or(String::new(), |number| format!(", the next is p = {number}"));
        match self.singly {
            true => format!("one test per value: {} killed{left}", self.tests.len()),
            false if self.left.is_none() => format!("{tests}; whether for every p, no solver could say"),
            false => format!("{tests}, not for every p{left}"),
        }
    }
}
