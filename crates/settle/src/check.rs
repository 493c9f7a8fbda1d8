//! The checker: nothing becomes a verdict that it did not see for itself.
//!
//! A witness is replayed four times: original and mutant, on the interpreter and on the
//! machine. All four must fit together. A proof is attacked with inputs that nobody asked it
//! about, and on demand every obligation is put to another solver.

use std::collections::HashMap;
use std::sync::Mutex;

use bv::Word;
use ir::{FunctionId, Input, Mutant, Outcome, Program, run};

use crate::{Claim, Kill, Limits, Open, Proof, outcomes_differ, replay};

/// What the attack on one proof may burn, in blocks: some hundredths of a second.
const ATTACK: u64 = 200_000;

/// The natively compiled meta-mutant.
pub trait Native: Sync {
    fn run(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
    ) -> Result<NativeOutcome, String>;
}

/// What the machine did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NativeOutcome {
    Returned(Option<Word>),
    /// It stopped at a trap or with a signal.
    Trapped,
    OutOfFuel,
}

/// Another solver, to confirm obligations.
pub trait SecondOpinion: Sync {
    /// Whether the script is unsatisfiable; an error if the solver cannot tell.
    fn confirms(&self, script: &str) -> Result<bool, String>;
}

pub struct Checker<'a> {
    pub program: &'a Program,
    pub native: &'a dyn Native,
    pub second_opinion: Option<&'a dyn SecondOpinion>,
    pub limits: Limits,
    /// What the original returned, where both sides agreed: one input witnesses many kills.
    originals: Mutex<HashMap<(FunctionId, Input), Result<Outcome, Rejection>>>,
}

/// Why a claim did not survive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection(pub String);

impl<'a> Checker<'a> {
    pub fn new(program: &'a Program, native: &'a dyn Native, limits: Limits) -> Checker<'a> {
        Checker { program, native, second_opinion: None, limits, originals: Mutex::default() }
    }

    /// Replays a witness.
    pub fn kill(&self, subject: FunctionId, mutant: Mutant, input: &Input) -> Result<Kill, Rejection> {
        let original = self.original(subject, input)?;
        let mut changed = run(self.program, subject, mutant, input, self.limits.mutant).outcome;
        if changed == Outcome::OutOfFuel {
            changed = self.patiently(subject, mutant, input)?;
        } else {
            self.agrees(subject, mutant, input, &changed)?;
        }
        if changed != Outcome::OutOfFuel && !outcomes_differ(&original, &changed) {
            return Err(Rejection("the witness does not tell the mutant from the original".to_string()));
        }
        Ok(Kill { input: input.clone(), original, mutant: changed })
    }

    /// What the original returns, on the interpreter and on the machine.
    fn original(&self, subject: FunctionId, input: &Input) -> Result<Outcome, Rejection> {
        let key = (subject, input.clone());
        let mut originals = self.originals.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        originals
            .entry(key)
            .or_insert_with(|| {
                let outcome =
                    run(self.program, subject, Mutant::ORIGINAL, input, self.limits.original).outcome;
                if !matches!(outcome, Outcome::Returned(_)) {
                    let why = describe(&outcome);
                    return Err(Rejection(format!("the witness is not valid for the original: {why}")));
                }
                self.agrees(subject, Mutant::ORIGINAL, input, &outcome)?;
                Ok(outcome)
            })
            .clone()
    }

    /// Attacks a proof with these inputs, and asks the second opinion if there is one.
    pub fn proof(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        proof: &Proof,
        attacks: &[Input],
    ) -> Result<(), Rejection> {
        let mut fuel = ATTACK;
        for input in attacks {
            let attack = replay(self.program, subject, input, &[mutant], self.limits);
            if !attack.killed.is_empty() {
                return Err(Rejection(format!("a proof ({}) is refuted by {input:?}", proof.method)));
            }
            fuel = fuel.saturating_sub(attack.fuel);
            if fuel == 0 {
                break;
            }
        }
        let Some(second_opinion) = self.second_opinion else { return Ok(()) };
        if proof.obligations.is_empty() {
            return Err(Rejection(format!(
                "a proof ({}) has nothing for another solver to confirm",
                proof.method
            )));
        }
        for obligation in &proof.obligations {
            match second_opinion.confirms(&obligation.0) {
                Ok(true) => {}
                Ok(false) => return Err(Rejection("another solver disagrees".to_string())),
                Err(why) => return Err(Rejection(format!("another solver cannot confirm the proof: {why}"))),
            }
        }
        Ok(())
    }

    /// Whether the machine does what the interpreter did.
    fn agrees(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        outcome: &Outcome,
    ) -> Result<(), Rejection> {
        let native = self.native.run(subject, mutant, input, self.limits.mutant).map_err(Rejection)?;
        let agree = match (outcome, native) {
            (Outcome::Returned(expected), NativeOutcome::Returned(word)) => *expected == word,
            (Outcome::Faulted(..), NativeOutcome::Trapped) => true,
            (Outcome::Diverged, NativeOutcome::OutOfFuel) => true,
            _ => false,
        };
        if agree {
            return Ok(());
        }
        let side = if mutant == Mutant::ORIGINAL { "original" } else { "mutant" };
        Err(Rejection(format!(
            "the {side} gives {native:?} on the machine and {} in the interpreter",
            describe(outcome)
        )))
    }

    /// What a slow mutant does on the machine, which is a thousand times faster.
    fn patiently(&self, subject: FunctionId, mutant: Mutant, input: &Input) -> Result<Outcome, Rejection> {
        match self.native.run(subject, mutant, input, self.limits.hang).map_err(Rejection)? {
            NativeOutcome::Returned(word) => Ok(Outcome::Returned(word)),
            // It stopped after more steps than a test may take, most likely for want of stack.
            NativeOutcome::Trapped | NativeOutcome::OutOfFuel => Ok(Outcome::OutOfFuel),
        }
    }

    /// Checks a claim; what a rejected one leaves is an open mutant that says why.
    pub(crate) fn judge(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        claim: Claim,
        attacks: &[Input],
    ) -> Result<crate::verdict::Checked, Open> {
        match claim {
            Claim::Killed(input) => match self.kill(subject, mutant, &input) {
                Ok(kill) => Ok(crate::verdict::Checked::Killed(kill)),
                Err(Rejection(why)) => Err(Open::Rejected(why)),
            },
            Claim::Equivalent(proof) => match self.proof(subject, mutant, &proof, attacks) {
                Ok(()) => Ok(crate::verdict::Checked::Equivalent(proof)),
                Err(Rejection(why)) => Err(Open::Rejected(why)),
            },
            Claim::Open(open) => Err(open),
        }
    }
}

fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(Some(word)) => format!("{}", word.signed()),
        Outcome::Returned(None) => "a return".to_string(),
        Outcome::Faulted(fault, _) => fault.text().to_string(),
        Outcome::Diverged => "an endless loop".to_string(),
        Outcome::OutOfFuel => "a run without end".to_string(),
        Outcome::Unsupported(what, _) => what.clone(),
    }
}
