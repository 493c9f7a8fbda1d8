//! What a stage may say about a mutant, with the evidence for it.

use std::collections::BTreeSet;

use bv::Stop;
use ir::{Datum, Input, Mutant, Outcome, Unsupported};

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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// How it was shown, in a few words.
    pub method: String,
    pub granted: Granted,
    /// What another solver has to confirm. Filled only when somebody will ask.
    pub obligations: Vec<Obligation>,
}

/// What a proof takes for granted. Nothing: it speaks of all inputs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Granted {
    /// About the world, as a caller would grant it: `allocations always succeed`.
    pub assumptions: Vec<String>,
    /// Whether another function of the file may call this one in a way that breaks one of them.
    pub caller_may_break: bool,
    /// What was not looked at: `loops and recursion up to 8 iterations`. A
    /// proof with limits is none that a mutant is equivalent.
    pub limits: Vec<String>,
    /// How often loops and recursion were followed, if that is one of the
    /// limits. Zero if nobody can say which paths were.
    pub rounds: Option<u32>,
    /// How many elements buffers may have, if that is one of the limits.
    pub size: Option<u32>,
}

impl Granted {
    /// Whether an input on which runs [repeat](ir::repeats) something so often
    /// surely is one that was looked at.
    pub(crate) fn covers(&self, input: &Input, repeats: impl FnOnce() -> u32) -> bool {
        let largest = input.objects.iter().map(|object| object.elements.len()).max().unwrap_or(0);
        // Where it takes buffers for distinct, it has not looked at inputs in which two pointers lead to one.
        (!self.caller_may_break || !shares_buffers(input))
            && self.size.is_none_or(|size| largest <= size as usize)
            && self.rounds.is_none_or(|rounds| repeats() < rounds)
    }

    pub fn is_limited(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Takes what another proof grants as well, each once.
    pub fn add(&mut self, other: &Granted) {
        self.rounds = [self.rounds, other.rounds].into_iter().flatten().min();
        self.size = [self.size, other.size].into_iter().flatten().min();
        self.caller_may_break |= other.caller_may_break;
        let pairs = [(&mut self.assumptions, &other.assumptions), (&mut self.limits, &other.limits)];
        for (known, more) in pairs {
            for line in more {
                if !known.contains(line) {
                    known.push(line.clone());
                }
            }
        }
    }
}

/// Whether two pointers of an input lead to one buffer.
fn shares_buffers(input: &Input) -> bool {
    fn is_new(datum: &Datum, seen: &mut BTreeSet<u32>) -> bool {
        match datum {
            Datum::Pointer { object, .. } => seen.insert(*object),
            Datum::Aggregate(parts) => parts.iter().all(|part| is_new(part, seen)),
            Datum::Null | Datum::Word(_) | Datum::Function(_) => true,
        }
    }
    let mut seen = BTreeSet::new();
    let globals = input.globals.iter().map(|(_, datum)| datum);
    let results = input.results.iter().flat_map(|(_, results)| results);
    let elements = input.objects.iter().flat_map(|object| &object.elements);
    !input.arguments.iter().chain(globals).chain(results).chain(elements).all(|it| is_new(it, &mut seen))
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
    /// A stage needs more memory than it may use.
    OutOfMemory,
    /// No function that a test can call leads to the mutant.
    OutOfReach,
    /// No call of a subject tells the difference, but a caller can get hold of a pointer to this function.
    Escapes(String),
    /// A stage claimed, and the checker found otherwise.
    Rejected(String),
    /// A bug in Whet stopped this part of the work.
    Broken(String),
    /// The run was stopped before every stage had looked at the mutant, for this reason: "within --time".
    Stopped(String),
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
    /// The run was stopped.
    pub fn stopped(stop: &Stop) -> Open {
        Open::Stopped(stop.why().to_string())
    }

    pub fn reason(&self) -> String {
        match self {
            Open::Unsupported(Unsupported { what, at: Some(at) }) => format!("{what} (line {})", at.line),
            Open::Unsupported(Unsupported { what, at: None }) => what.clone(),
            Open::OutOfFuel(what) => format!("{what} ran out of fuel"),
            Open::OutOfMemory => "needs more memory than --memory allows: try again with more".to_string(),
            Open::OutOfReach => "no function that a test can call leads here".to_string(),
            Open::Escapes(function) => {
                format!("a caller can get hold of a pointer to `{function}`, and call it with anything")
            }
            Open::Rejected(why) => format!("not confirmed: {why}"),
            Open::Broken(part) => format!("a bug in Whet stopped {part}"),
            Open::Stopped(why) => format!("not reached {why}"),
            Open::Untried => "no stage settled it".to_string(),
        }
    }
}
