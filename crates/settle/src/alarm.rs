//! Alarms: what shows that Whet itself is wrong.
//!
//! A claim that the checker refutes costs the user only an open mutant. But a
//! stage that was wrong here may be wrong elsewhere, where no input of the checker
//! happens to show it. So every such claim is noted, and told at the end of a run.

use std::collections::BTreeSet;
use std::sync::Mutex;

use ir::{FunctionId, Input, Mutant};

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// An input contradicts a proof.
    Refuted,
    /// Another solver finds a solution where ours found none.
    SecondSolver,
    /// Interpreter and machine do not see the same.
    Machine,
}

/// A sign of a bug in Whet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Alarm {
    pub mutant: Mutant,
    pub cause: Cause,
    pub subject: FunctionId,
    /// Who claimed; empty if nobody did.
    pub stage: &'static str,
    /// How the claim was shown.
    pub method: String,
    pub input: Option<Input>,
    /// What was seen instead.
    pub seen: String,
}

impl Cause {
    pub fn text(self) -> &'static str {
        match self {
            Cause::Refuted => "an input contradicts a proof",
            Cause::SecondSolver => "another solver contradicts a proof",
            Cause::Machine => "the interpreter and the machine disagree",
        }
    }
}

impl Alarm {
    pub(crate) fn new(cause: Cause, subject: FunctionId, mutant: Mutant, stage: &'static str) -> Alarm {
        Alarm { mutant, cause, subject, stage, method: String::new(), input: None, seen: String::new() }
    }
}

/// What was noted so far, from many threads. In the same order whoever came first.
#[derive(Default)]
pub(crate) struct Alarms(Mutex<BTreeSet<Alarm>>);

impl Alarms {
    pub(crate) fn note(&self, alarm: Alarm) {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(alarm);
    }

    pub(crate) fn all(&self) -> Vec<Alarm> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).iter().cloned().collect()
    }
}
