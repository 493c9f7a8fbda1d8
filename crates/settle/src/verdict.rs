//! Verdicts: claims that survived, and what follows when several subjects judge one mutant.

use ir::{FunctionId, Input, Mutant};

use crate::{Checker, Claim, Family, Kill, Open, Proof, Settled, Twin};

/// What the checker saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Checked {
    Killed(Kill),
    Equivalent(Proof),
}

/// A checked claim about one mutant, judged through one subject.
///
/// The fields are private so that [`Verdict::check`] is the only way to make one, and [`Kept`](crate::Kept) the only way to
/// have one again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    subject: FunctionId,
    stage: &'static str,
    checked: Checked,
}

impl Verdict {
    /// A verdict, if the claim survives; otherwise why the mutant is still open.
    pub fn check(
        checker: &Checker,
        subject: FunctionId,
        mutant: Mutant,
        stage: &'static str,
        claim: Claim,
        attacks: &[Input],
    ) -> Result<Verdict, Open> {
        let checked = checker.judge(subject, mutant, claim, attacks)?;
        Ok(Verdict { subject, stage, checked })
    }

    /// A verdict that the checker made before.
    pub(crate) fn recalled(subject: FunctionId, stage: &'static str, checked: Checked) -> Verdict {
        Verdict { subject, stage, checked }
    }

    pub(crate) fn checked(&self) -> &Checked {
        &self.checked
    }

    pub fn subject(&self) -> FunctionId {
        self.subject
    }

    pub fn stage(&self) -> &'static str {
        self.stage
    }

    /// What is claimed of a mutant that does the same.
    pub(crate) fn inherited(&self) -> Claim {
        match &self.checked {
            Checked::Killed(kill) => Claim::Killed(kill.input.clone()),
            Checked::Equivalent(proof) => Claim::Equivalent(proof.clone()),
        }
    }

    pub fn kill(&self) -> Option<&Kill> {
        match &self.checked {
            Checked::Killed(kill) => Some(kill),
            Checked::Equivalent(_) => None,
        }
    }

    pub fn proof(&self) -> Option<&Proof> {
        match &self.checked {
            Checked::Equivalent(proof) => Some(proof),
            Checked::Killed(_) => None,
        }
    }
}

/// What is known of a mutant in the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    Killed {
        subject: FunctionId,
        stage: &'static str,
        kill: Kill,
        /// A mutant with a smaller number that does the same, whoever calls.
        duplicate_of: Option<Twin>,
    },
    Equivalent {
        /// The stage that had to work hardest.
        stage: &'static str,
        method: String,
        /// Empty: for all inputs.
        assumptions: Vec<String>,
    },
    /// The user's own tests kill it: no stage had to look.
    ByOwnTests {
        /// A mutant with a smaller number that does the same, and that they kill, too.
        duplicate_of: Option<Twin>,
    },
    /// It has an unknown number in it, and this became of all of them.
    Family(Family),
    /// It is wrong in a special case only, which this valid input has.
    Special {
        subject: FunctionId,
        input: Input,
    },
    Open(Open),
}

/// Puts together what the subjects found of one mutant: killed if one kills it, and as plainly as one of them does;
/// equivalent if every one proves it. A duplicate is one in the eyes of all of them.
pub fn conclude(found: &[Settled]) -> Conclusion {
    let twin = found.first().and_then(|first| first.twin);
    let duplicate_of = twin.filter(|_| found.iter().all(|found| found.twin == twin));
    let found: Vec<&Result<Verdict, Open>> = found.iter().map(|found| &found.verdict).collect();
    let verdicts = found.iter().filter_map(|verdict| verdict.as_ref().ok());
    let kills = verdicts.filter_map(|verdict| Some((verdict, verdict.kill()?)));
    if let Some((verdict, kill)) = kills.min_by_key(|(_, kill)| kill.shown) {
        let (subject, stage, kill) = (verdict.subject, verdict.stage, kill.clone());
        return Conclusion::Killed { subject, stage, kill, duplicate_of };
    }
    if let Some(open) = found.iter().find_map(|result| result.as_ref().err()) {
        return Conclusion::Open(open.clone());
    }
    let verdicts: Vec<&Verdict> = found.iter().filter_map(|verdict| verdict.as_ref().ok()).collect();
    let Some(last) = verdicts.last() else { return Conclusion::Open(Open::OutOfReach) };
    let mut assumptions: Vec<String> = verdicts
        .iter()
        .filter_map(|verdict| verdict.proof())
        .flat_map(|proof| proof.assumptions.clone())
        .collect();
    assumptions.sort();
    assumptions.dedup();
    let method = last.proof().map(|proof| proof.method.clone()).unwrap_or_default();
    Conclusion::Equivalent { stage: last.stage, method, assumptions }
}
