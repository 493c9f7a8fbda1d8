//! What a stage may say about a mutant, each with its evidence.

use ir::{Input, Mutant, Outcome, Unsupported};

use crate::Shown;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// This input tells the mutant from the original.
    Killed(Input),
    Equivalent(Proof),
    /// It does the same as that one, which has a smaller number, on every input.
    Duplicate(Mutant),
    Open(Open),
}

/// Why no test can tell the mutant from the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// How it was shown, in a few words.
    pub method: String,
    /// What the proof takes for granted, such as `loops up to 8 iterations`. None: all inputs.
    pub assumptions: Vec<String>,
    /// What another solver has to confirm. Filled only when somebody will ask.
    pub obligations: Vec<Obligation>,
}

/// An SMT-LIB script that must be unsatisfiable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation(pub String);

/// Why a mutant has no verdict. Hard is a value, not an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Open {
    /// The mutant can only be judged through code that we do not execute.
    Unsupported(Unsupported),
    /// A stage spent its fuel.
    OutOfFuel(String),
    /// No function that a test can call leads to the mutant.
    OutOfReach,
    /// No call of a subject tells the difference, but a caller can get hold of a pointer to this function.
    Escapes(String),
    /// A stage claimed, and the checker found otherwise.
    Rejected(String),
    /// No stage had anything to say.
    Untried,
}

/// A kill that was seen to happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kill {
    pub input: Input,
    /// What the original returned.
    pub original: Outcome,
    pub mutant: Outcome,
    pub shown: Shown,
}

impl Open {
    pub fn reason(&self) -> String {
        match self {
            Open::Unsupported(Unsupported { what, at: Some(at) }) => format!("{what} (line {})", at.line),
            Open::Unsupported(Unsupported { what, at: None }) => what.clone(),
            Open::OutOfFuel(what) => format!("{what} ran out of fuel"),
            Open::OutOfReach => "no function that a test can call leads here".to_string(),
            Open::Escapes(function) => {
                format!("a caller can get hold of a pointer to `{function}`, and call it with anything")
            }
            Open::Rejected(why) => format!("not confirmed: {why}"),
            Open::Untried => "no stage settled it".to_string(),
        }
    }
}
