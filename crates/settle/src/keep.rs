//! What is worth keeping of a settled mutant, and how it becomes a verdict again.
//!
//! The store may hand it back only for the same program, the same limits and the same Whet. A kill
//! is seen once more all the same: its outcomes are not kept, but run again on the interpreter,
//! which costs next to nothing. If that run shows something else, nothing is recalled.

use ir::{FunctionId, Input, Mutant, Outcome, Run, run};

use crate::verdict::Checked;
use crate::{Checker, Granted, Kill, Open, Proof, Shown, Verdict, outcomes_differ};

/// What was found of one mutant, without what can be computed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    Killed {
        stage: String,
        input: Input,
        shown: Shown,
        /// Not even the machine saw it end.
        hangs: bool,
    },
    Equivalent {
        stage: String,
        method: String,
        granted: Granted,
    },
    Open(Open),
}

impl Kept {
    /// None for what another attempt may well settle: a claim that the checker rejected, perhaps
    /// because the machine had no room; where Whet itself broke; or where it was stopped.
    pub fn of(found: &Result<Verdict, Open>) -> Option<Kept> {
        let verdict = match found {
            Err(Open::Rejected(_) | Open::Broken(_) | Open::Stopped(_)) => return None,
            Err(open) => return Some(Kept::Open(open.clone())),
            Ok(verdict) => verdict,
        };
        let stage = verdict.stage().to_string();
        Some(match verdict.checked() {
            Checked::Killed(Kill { input, shown, mutant, .. }) => {
                let hangs = *mutant == Outcome::OutOfFuel;
                Kept::Killed { stage, input: input.clone(), shown: *shown, hangs }
            }
            Checked::Equivalent(Proof { method, granted, .. }) => {
                Kept::Equivalent { stage, method: method.clone(), granted: granted.clone() }
            }
        })
    }

    /// What was found, as the checker saw it then. None if it cannot be so, or if the stage is none of these.
    pub fn recall(
        self,
        checker: &Checker,
        subject: FunctionId,
        mutant: Mutant,
        stages: &[&'static str],
    ) -> Option<Result<Verdict, Open>> {
        let named = |name: String| stages.iter().copied().find(|stage| *stage == name);
        let (stage, checked) = match self {
            Kept::Open(open) => return Some(Err(open)),
            Kept::Killed { stage, input, shown, hangs } => {
                (named(stage)?, Checked::Killed(seen_again(checker, subject, mutant, input, shown, hangs)?))
            }
            Kept::Equivalent { stage, method, granted } => {
                (named(stage)?, Checked::Equivalent(Proof { method, granted, obligations: vec![] }))
            }
        };
        Some(Ok(Verdict::recalled(subject, stage, checked)))
    }
}

/// The kill once more, on the interpreter.
pub(crate) fn seen_again(
    checker: &Checker,
    subject: FunctionId,
    mutant: Mutant,
    input: Input,
    shown: Shown,
    hangs: bool,
) -> Option<Kill> {
    let Checker { program, limits, .. } = checker;
    let Run { outcome: original, fuel } = run(program, subject, Mutant::ORIGINAL, &input, limits.original);
    let changed = run(program, subject, mutant, &input, limits.for_mutant(fuel)).outcome;
    match &changed {
        Outcome::OutOfFuel if hangs => {}
        // What it returned in the end, only the machine can tell.
        Outcome::OutOfFuel => {
            return checker.kill(subject, mutant, &input).ok().filter(|kill| kill.shown == shown);
        }
        _ if hangs || !outcomes_differ(&original, &changed) => return None,
        _ => {}
    }
    matches!(original, Outcome::Returned(_)).then_some(Kill { input, original, mutant: changed, shown })
}
