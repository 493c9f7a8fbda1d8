//! Mutants that are wrong in one special case only. There is nothing to run: a valid
//! input that has the case kills them, and if no valid input has it, they are equivalent.

use ir::{FunctionId, Input, Mutant, SpecialCase};

use crate::alarm::{Alarm, Cause};
use crate::check::Rejection;
use crate::verdict::Ending;
use crate::{Checker, Conclusion, Open, Proof, observe};

/// What is claimed of a special case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Occurrence {
    /// This input is valid, and has it.
    In(Input),
    /// No valid input has it.
    Nowhere(Proof),
    Unknown(Open),
}

impl Checker<'_> {
    /// What follows for the mutant that forgets a special case, if the claim survives.
    pub fn special_case(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        case: SpecialCase,
        stage: &'static str,
        occurrence: Occurrence,
        attacks: &[Input],
    ) -> Conclusion {
        let checked = match occurrence {
            Occurrence::In(input) => self.has(subject, case, &input).map(|()| {
                let input = input.clone();
                Conclusion::of(Ending::SpecialCase { subject, input })
            }),
            Occurrence::Nowhere(proof) => {
                let attacked = self.attack_absence(subject, mutant, case, stage, &proof, attacks);
                let confirmed = attacked.and_then(|()| {
                    self.second_opinion(subject, mutant, stage, &proof.method, &proof.obligations)
                });
                confirmed.map(|()| Conclusion::proved(stage, proof.method, proof.granted))
            }
            Occurrence::Unknown(open) => return Conclusion::open(open),
        };
        checked.unwrap_or_else(|Rejection(why)| Conclusion::open(Open::Rejected(why)))
    }

    /// Whether an input is valid, on the machine as well, and has the case.
    fn has(&self, subject: FunctionId, case: SpecialCase, input: &Input) -> Result<(), Rejection> {
        self.original(subject, input)?;
        match case.holds(input) {
            true => Ok(()),
            false => Err(Rejection("the input that was found does not have this case".to_string())),
        }
    }

    /// Looks for a valid input that has the case.
    fn attack_absence(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        case: SpecialCase,
        stage: &'static str,
        proof: &Proof,
        attacks: &[Input],
    ) -> Result<(), Rejection> {
        let mut with_case = attacks.iter().filter(|input| case.holds(input));
        let is_valid = |input: &&Input| observe(self.program, subject, input, self.limits).is_some();
        let Some(input) = with_case.find(is_valid) else { return Ok(()) };
        // The mutant is nothing but the case, so that the original is all that runs.
        if self.has_covered(&proof.granted, subject, Mutant::ORIGINAL, input) {
            self.alarm(Alarm {
                input: Some(input.clone()),
                method: proof.method.clone(),
                seen: "this input is valid, and has the case".to_string(),
                ..Alarm::new(Cause::Refuted, subject, mutant, stage)
            });
        }
        Err(Rejection(format!("a proof ({}) is refuted by {input:?}", proof.method)))
    }
}
