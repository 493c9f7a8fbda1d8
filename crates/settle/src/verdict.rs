//! Verdicts: claims that survived, and what follows when several subjects judge one mutant.

use std::collections::{BTreeSet, HashMap};

use ir::{FunctionId, Input, Mutant, Program};

use crate::stage::CHECKER;
use crate::{Checker, Claim, Granted, Kill, Open, ParametricVerdict, Proof, Settled, Twin};

/// What the checker saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Checked {
    Killed(Kill),
    Equivalent(Proof),
}

/// A checked claim about one mutant, judged through one subject.
///
/// The fields are private so that [`Verdict::check`] is the only way to make
/// one, and [`Kept`](crate::Kept) the only way to have one again.
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
        let is_proof = matches!(claim, Claim::Equivalent(_));
        let checked = checker.judge(subject, mutant, stage, claim, attacks)?;
        // The attack on a proof killed the mutant.
        let found_otherwise = is_proof && matches!(checked, Checked::Killed(_));
        Ok(Verdict { subject, stage: if found_otherwise { CHECKER } else { stage }, checked })
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

    /// Whether it is a proof that does not look at everything.
    pub fn is_limited(&self) -> bool {
        self.proof().is_some_and(|proof| proof.granted.is_limited())
    }

    /// Whether it is a proof for all calls that keep to some assumptions, and a function of the file may call
    /// otherwise.
    pub fn caller_may_break(&self) -> bool {
        self.proof().is_some_and(|proof| proof.granted.caller_may_break && !proof.granted.is_limited())
    }

    /// How little is left to wish for: a kill or a full proof, then proofs by the number of their limits.
    fn shortcomings(&self) -> usize {
        self.proof().map_or(0, |proof| proof.granted.limits.len())
    }

    /// The better of two; the first if they are equally good.
    pub(crate) fn or_better(self, other: Verdict) -> Verdict {
        if other.shortcomings() < self.shortcomings() { other } else { self }
    }
}

/// What is known of a mutant in the end.
///
/// The field is private: whatever says more than "open" was made by this crate,
/// from what the checker has seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conclusion(Ending);

/// How it ended for a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    Killed {
        subject: FunctionId,
        stage: &'static str,
        kill: Kill,
        /// A mutant with a smaller number that does the same, whoever calls.
        duplicate_of: Option<Twin>,
        /// Only a call of the static function itself shows it: no function that others can call was seen to.
        alone: bool,
    },
    /// No valid input tells it from the original, as far as the world is as a caller would have it.
    Equivalent(Proved),
    /// None tells it from the original within the limits.
    Limited(Proved),
    /// The user's own tests kill it: no stage had to look.
    ByOwnTests {
        /// A mutant with a smaller number that does the same, and that they kill, too.
        duplicate_of: Option<Twin>,
    },
    /// It is parametric, and this became of the values of its parameter.
    Parametric(ParametricVerdict),
    /// It is wrong in a special case only, which this valid input has.
    SpecialCase {
        subject: FunctionId,
        input: Input,
    },
    Open(Open),
}

/// What is known of a mutant that nothing tells from the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proved {
    /// The stage that had to work hardest.
    pub stage: &'static str,
    pub method: String,
    pub granted: Granted,
    /// The static function that it speaks of, whoever calls it. None: it speaks of all that others can call.
    pub alone: Option<FunctionId>,
}

impl Conclusion {
    /// Nothing is said of the mutant, so that anybody may say it.
    pub fn open(open: Open) -> Conclusion {
        Conclusion(Ending::Open(open))
    }

    /// By the limits of the proof.
    pub(crate) fn proved(stage: &'static str, method: String, granted: Granted) -> Conclusion {
        let ending = if granted.is_limited() { Ending::Limited } else { Ending::Equivalent };
        Conclusion(ending(Proved { stage, method, granted, alone: None }))
    }

    pub(crate) fn of(ending: Ending) -> Conclusion {
        Conclusion(ending)
    }

    /// Takes it back.
    pub fn doubt(&mut self, why: &str) {
        *self = Conclusion::open(Open::Rejected(why.to_string()));
    }

    pub fn ending(&self) -> &Ending {
        &self.0
    }

    /// The same, if it speaks of a static function alone.
    fn alone(mut self, function: FunctionId) -> Conclusion {
        match &mut self.0 {
            Ending::Killed { alone, .. } => *alone = true,
            Ending::Equivalent(proved) | Ending::Limited(proved) => proved.alone = Some(function),
            _ => {}
        }
        self
    }

    /// The same, if these callers in the file were not asked.
    pub fn without(
        mut self,
        program: &Program,
        judge: FunctionId,
        callers: &BTreeSet<FunctionId>,
    ) -> Conclusion {
        let granted = match &mut self.0 {
            Ending::Equivalent(proved) | Ending::Limited(proved) => &mut proved.granted,
            Ending::Parametric(verdict) => &mut verdict.claim.granted,
            _ => return self,
        };
        if granted.caller_may_break {
            granted.limits.extend(callers.iter().map(|caller| keeps_to(program, *caller, judge)));
        }
        match self.0 {
            Ending::Equivalent(Proved { stage, method, granted, alone }) => {
                let conclusion = Conclusion::proved(stage, method, granted);
                if let Some(function) = alone { conclusion.alone(function) } else { conclusion }
            }
            _ => self,
        }
    }

    /// What is left to find out by calls of the static function that the mutant is in, if anything is.
    pub fn left(&self) -> Option<Left> {
        match &self.0 {
            Ending::Open(Open::Stopped(_) | Open::Broken(_)) => None,
            Ending::Open(_) => Some(Left::All),
            Ending::Limited(_) => Some(Left::Limits),
            _ => None,
        }
    }

    /// The mutant that does the same, if this one is a duplicate.
    fn twin(&mut self) -> Option<&mut Twin> {
        match &mut self.0 {
            Ending::Killed { duplicate_of, .. } | Ending::ByOwnTests { duplicate_of } => {
                duplicate_of.as_mut()
            }
            _ => None,
        }
    }
}

/// A limit of a proof.
fn keeps_to(program: &Program, caller: FunctionId, judge: FunctionId) -> String {
    let name = |id: FunctionId| &program.function(id).name;
    format!("`{}` keeps to the assumptions when it calls `{}`", name(caller), name(judge))
}

/// Lets each duplicate name a mutant that is none itself. The conclusions are those of these mutants.
pub fn name_firsts(mutants: &[Mutant], conclusions: &mut [Conclusion]) {
    let twin = |(mutant, conclusion): (&Mutant, &mut Conclusion)| Some((*mutant, conclusion.twin()?.of));
    let firsts: HashMap<Mutant, Mutant> = mutants.iter().zip(&mut *conclusions).filter_map(twin).collect();
    for twin in conclusions.iter_mut().filter_map(Conclusion::twin) {
        // Each has a smaller number than the one before.
        while let Some(first) = firsts.get(&twin.of) {
            twin.of = *first;
        }
    }
}

/// Puts together what the subjects found of one mutant: killed if one kills it, and as plainly
/// as one of them does; open if one leaves it open; limited if one has looked within limits
/// only; equivalent if every one proves it. A duplicate is one in the eyes of all of them.
///
/// Then come the callers that were asked about what is in doubt. A kill of theirs is a kill. Where a proof
/// of a judge takes for granted what a caller may break, it holds if every caller has a proof of its own.
pub fn conclude(program: &Program, found: &[Settled], callers: &[Settled]) -> Conclusion {
    let Conclusion(ending) = conclude_directly(found);
    if matches!(ending, Ending::Killed { .. }) {
        return Conclusion(ending);
    }
    if let Ending::Killed { subject, stage, kill, .. } = conclude_directly(callers).0 {
        return Conclusion(Ending::Killed {
            subject,
            stage,
            kill,
            duplicate_of: common_twin(found),
            alone: false,
        });
    }
    match ending {
        Ending::Equivalent(mut proved) if proved.granted.caller_may_break => {
            let broken = |found: &&Settled| found.verdict.as_ref().is_ok_and(Verdict::caller_may_break);
            let judge = found.iter().find(broken).map(|found| found.subject);
            for asked in callers {
                match asked.verdict.as_ref().ok().and_then(Verdict::proof) {
                    Some(proof) if !proof.granted.is_limited() => proved.granted.add(&proof.granted),
                    _ => proved
                        .granted
                        .limits
                        .extend(judge.map(|judge| keeps_to(program, asked.subject, judge))),
                }
            }
            Conclusion::proved(proved.stage, proved.method, proved.granted)
        }
        ending => Conclusion(ending),
    }
}

/// What the functions that others can call have left to find out about a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    All,
    /// They have seen no difference within some limits.
    Limits,
}

/// Adds what calls of the static function itself show of a mutant in it, if so much is left to find out.
/// `through` is what calls of other functions show, and `callers` are those that mention the static one.
///
/// A call of the function alone may be one that no caller makes. So a kill counts only where nothing else is
/// known, and says that it is one of the function alone. A proof holds for every caller, as far as callers
/// keep to what it takes for granted. Whether they do has not been asked, so that is a limit.
pub fn conclude_alone(
    program: &Program,
    through: Conclusion,
    left: Left,
    alone: &Settled,
    callers: &BTreeSet<FunctionId>,
) -> Conclusion {
    let found = conclude_directly(std::slice::from_ref(alone)).without(program, alone.subject, callers);
    let is_better = match &found.0 {
        Ending::Equivalent(_) => true,
        Ending::Killed { .. } => left == Left::All,
        Ending::Limited(_) => matches!(through.0, Ending::Open(_)),
        // Of a function that nothing leads to, its own calls say what keeps it open.
        _ => matches!(through.0, Ending::Open(Open::OutOfReach)),
    };
    if is_better { found.alone(alone.subject) } else { through }
}

/// The mutant with a smaller number that does the same, if all say so.
fn common_twin(found: &[Settled]) -> Option<Twin> {
    let twin = found.first().and_then(|first| first.twin);
    twin.filter(|_| found.iter().all(|found| found.twin == twin))
}

fn conclude_directly(found: &[Settled]) -> Conclusion {
    let duplicate_of = common_twin(found);
    let found: Vec<&Result<Verdict, Open>> = found.iter().map(|found| &found.verdict).collect();
    let verdicts = found.iter().filter_map(|verdict| verdict.as_ref().ok());
    let kills = verdicts.filter_map(|verdict| Some((verdict, verdict.kill()?)));
    if let Some((verdict, kill)) = kills.min_by_key(|(_, kill)| kill.shown) {
        let (subject, stage, kill) = (verdict.subject, verdict.stage, kill.clone());
        return Conclusion(Ending::Killed { subject, stage, kill, duplicate_of, alone: false });
    }
    if let Some(open) = found.iter().find_map(|result| result.as_ref().err()) {
        return Conclusion::open(open.clone());
    }
    let verdicts = || found.iter().filter_map(|verdict| verdict.as_ref().ok());
    let mut granted = Granted::default();
    verdicts().filter_map(Verdict::proof).for_each(|proof| granted.add(&proof.granted));
    // The method of one that has limits, so that it fits what they say.
    let weakest = verdicts().rfind(|verdict| verdict.is_limited()).or(verdicts().next_back());
    let Some(weakest) = weakest else { return Conclusion::open(Open::OutOfReach) };
    let method = weakest.proof().map(|proof| proof.method.clone()).unwrap_or_default();
    Conclusion::proved(weakest.stage, method, granted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicate_names_a_mutant_that_is_none_itself() {
        let conclusion = |of: Option<u32>| {
            let duplicate_of = of.map(|of| Twin { of: Mutant(of), stage: "canonical" });
            Conclusion::of(Ending::ByOwnTests { duplicate_of })
        };
        let mutants = [1, 2, 3, 5].map(Mutant);
        let mut found = [conclusion(None), conclusion(Some(1)), conclusion(Some(2)), conclusion(Some(3))];
        name_firsts(&mutants, &mut found);
        assert_eq!(found, [conclusion(None), conclusion(Some(1)), conclusion(Some(1)), conclusion(Some(1))]);
    }
}
