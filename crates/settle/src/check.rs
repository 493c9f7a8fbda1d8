//! The checker: nothing becomes a verdict unless the checker has seen it for itself.
//!
//! A witness is replayed four times: original and mutant, on the interpreter and on the machine. All four
//! runs must fit together. Where C leaves the behaviour undefined, a plain binary need not stop. So a mutant
//! that is said to stop there runs once more under a sanitizer, and the verdict names the one that saw it. A
//! proof is attacked with other inputs. On demand, every obligation of a proof is put to another solver.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ir::{
    Difference, Fault, FunctionId, Input, Mutant, Observation, Outcome, Program, Run, looks_at_addresses,
    reachable, run,
};

use crate::alarm::{Alarm, Alarms, Cause};
use crate::verdict::Checked;
use crate::{
    Claim, Granted, Kill, Limits, Obligation, Open, Proof, Sanitiser, Shown, Verdict, outcomes_differ, replay,
};

/// What the attack on one proof may burn, in blocks: some hundredths of a second.
const ATTACK: u64 = 200_000;

/// The natively compiled meta-mutant.
pub trait Native: Send + Sync {
    fn run(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
    ) -> Result<NativeOutcome, String>;

    /// The sanitizer that stops a run; none if nothing was found to be wrong. Those
    /// for addresses and for undefined behaviour look together, whichever is asked.
    fn sanitised(
        &self,
        sanitiser: Sanitiser,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
    ) -> Result<Option<Sanitiser>, String>;
}

/// What the machine did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeOutcome {
    Returned(Arc<Observation>),
    /// It stopped at a trap or with a signal.
    Trapped,
    OutOfFuel,
    /// It took too long, printed too much or asked for too much memory, so that it was stopped.
    GaveUp,
}

/// Another solver, to confirm obligations.
pub trait SecondOpinion: Send + Sync {
    /// Whether the script is unsatisfiable; an error if the solver cannot tell.
    fn confirms(&self, script: &str) -> Result<bool, String>;
}

/// What is left of the fuel for an attack.
pub(crate) struct Budget(u64);

impl Default for Budget {
    fn default() -> Budget {
        Budget(ATTACK)
    }
}

impl Budget {
    pub(crate) fn burn(&mut self, fuel: u64) {
        self.0 = self.0.saturating_sub(fuel);
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

pub struct Checker<'a> {
    pub program: &'a Program,
    pub native: Arc<dyn Native + 'a>,
    /// Confirms every proof, if there is one.
    pub second_opinion: Option<Arc<dyn SecondOpinion + 'a>>,
    pub limits: Limits,
    /// What the original returned, where both sides agreed: one input witnesses many kills.
    originals: Mutex<HashMap<(FunctionId, Input), Result<Run, Rejection>>>,
    alarms: Alarms,
}

/// Why a claim did not survive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection(pub String);

impl<'a> Checker<'a> {
    pub fn new(program: &'a Program, native: Arc<dyn Native + 'a>, limits: Limits) -> Checker<'a> {
        let (originals, alarms) = (Mutex::default(), Alarms::default());
        Checker { program, native, second_opinion: None, limits, originals, alarms }
    }

    /// All signs of bugs in Whet so far, in an order that does not depend on who came first.
    pub fn alarms(&self) -> Vec<Alarm> {
        self.alarms.all()
    }

    pub(crate) fn alarm(&self, alarm: Alarm) {
        self.alarms.note(alarm);
    }

    /// Replays a witness.
    pub fn kill(&self, subject: FunctionId, mutant: Mutant, input: &Input) -> Result<Kill, Rejection> {
        let Run { outcome: original, fuel } = self.original_run(subject, input)?;
        let fuel = self.limits.for_mutant(fuel);
        let interpreted = run(self.program, subject, mutant, input, fuel).outcome;
        let slow = interpreted == Outcome::OutOfFuel;
        let changed = if slow { self.patiently(subject, mutant, input)? } else { interpreted };
        if let Outcome::Unsupported(what, _) = &changed {
            return Err(Rejection(format!("the mutant comes to {what}")));
        }
        if changed != Outcome::OutOfFuel && !outcomes_differ(&original, &changed) {
            if [&original, &changed].iter().any(|outcome| is_partly_open(outcome)) {
                return Err(Rejection(format!("the difference is in {}", Fault::LeftOpen.text())));
            }
            return Err(Rejection(
                "a test could not see the difference that was found, such as one in how a NaN is printed, or behind a pointer to a pointer that a function without a body gets".to_string(),
            ));
        }
        let shown = match &changed {
            _ if slow => Shown::Plainly,
            Outcome::Faulted(fault, _) => {
                self.stops(subject, mutant, input, *fault, Shown::by(&original, &changed), &original)?
            }
            _ => self.returns_else(subject, mutant, input, &original, &changed)?,
        };
        Ok(Kill { input: input.clone(), original, mutant: changed, shown })
    }

    /// Who sees a mutant stop.
    fn stops(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        fault: Fault,
        expected: Shown,
        original: &Outcome,
    ) -> Result<Shown, Rejection> {
        let machine = || self.native.run(subject, mutant, input, self.limits.longest()).map_err(Rejection);
        let sanitiser = match expected {
            Shown::With(sanitiser) => sanitiser,
            // Whatever is seen of it here may be otherwise elsewhere.
            Shown::Nowhere => return Ok(Shown::Nowhere),
            Shown::Plainly | Shown::Stopped => {
                return match machine()? {
                    NativeOutcome::Trapped => Ok(Shown::Stopped),
                    native => Err(self.disagreement(subject, mutant, input, &native, fault.text())),
                };
            }
        };
        let seen = self.native.sanitised(sanitiser, subject, mutant, input, self.limits.longest());
        if let Some(sanitiser) = seen.map_err(Rejection)? {
            return Ok(Shown::With(sanitiser));
        }
        let confirmed = match (fault, sanitiser) {
            // The array is not the last thing in its object.
            (Fault::IndexAtEnd, _) => true,
            // The system's library is not instrumented, and some of its functions go
            // unwatched; but then the machine must have something to show for it.
            (_, Sanitiser::Address) => match (original, &machine()?) {
                (_, NativeOutcome::Trapped) => true,
                (Outcome::Returned(original), NativeOutcome::Returned(native)) => original.differs(native),
                _ => false,
            },
            (_, Sanitiser::Undefined | Sanitiser::Memory) => false,
        };
        match confirmed {
            true => Ok(Shown::Nowhere),
            false => Err(Rejection(format!("no sanitizer confirms the {}", fault.text()))),
        }
    }

    /// Whether a mutant that returns does so on the machine as well, and who
    /// sees what tells it from the original.
    fn returns_else(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        original: &Outcome,
        changed: &Outcome,
    ) -> Result<Shown, Rejection> {
        let native = self.agrees(subject, mutant, input, changed)?;
        let (Outcome::Returned(original), Outcome::Returned(seen), NativeOutcome::Returned(native)) =
            (original, changed, native)
        else {
            return Ok(Shown::Plainly);
        };
        match original.difference(seen) {
            Difference::None | Difference::Plain => return Ok(Shown::Plainly),
            // What the mutant frees or makes too small, the machine has a record of.
            Difference::Soft if original.difference(&native) >= Difference::Soft => {
                return Ok(Shown::With(Sanitiser::Address));
            }
            Difference::Soft | Difference::Unassigned => {}
        }
        // What was never assigned may look like anything, and like the right thing.
        let memory = Sanitiser::Memory;
        let seen = self.native.sanitised(memory, subject, mutant, input, self.limits.longest());
        Ok(seen.map_err(Rejection)?.map_or(Shown::Nowhere, Shown::With))
    }

    /// What the original returns, on the interpreter and on the machine.
    pub(crate) fn original(&self, subject: FunctionId, input: &Input) -> Result<Outcome, Rejection> {
        self.original_run(subject, input).map(|run| run.outcome)
    }

    fn original_run(&self, subject: FunctionId, input: &Input) -> Result<Run, Rejection> {
        let key = (subject, input.clone());
        let mut originals = self.originals.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        originals
            .entry(key)
            .or_insert_with(|| {
                let run = run(self.program, subject, Mutant::ORIGINAL, input, self.limits.original);
                if !matches!(run.outcome, Outcome::Returned(_)) {
                    let why = describe(&run.outcome);
                    return Err(Rejection(format!("the witness is not valid for the original: {why}")));
                }
                self.agrees(subject, Mutant::ORIGINAL, input, &run.outcome)?;
                Ok(run)
            })
            .clone()
    }

    /// What an attack with these inputs leaves of a proof. An input that kills the mutant beyond
    /// what the proof has looked at is a witness; any other shows that the proof is wrong.
    fn attack(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        stage: &'static str,
        proof: Proof,
        attacks: &[Input],
    ) -> Result<Checked, Rejection> {
        if let Some(input) = self.killing(subject, mutant, attacks) {
            if !self.refutes(subject, mutant, stage, &proof, input) {
                return self.kill(subject, mutant, input).map(Checked::Killed);
            }
            return Err(Rejection(format!("a proof ({}) is refuted by {input:?}", proof.method)));
        }
        self.second_opinion(subject, mutant, stage, &proof.method, &proof.obligations)?;
        Ok(Checked::Equivalent(proof))
    }

    /// The first of these inputs that kills a mutant, on the interpreter; none
    /// if the fuel does not last so long.
    pub(crate) fn killing<'i>(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        inputs: &'i [Input],
    ) -> Option<&'i Input> {
        let mut budget = Budget::default();
        for input in inputs {
            let attack = replay(self.program, subject, input, &[mutant], self.limits.short());
            if !attack.killed.is_empty() {
                return Some(input);
            }
            budget.burn(attack.fuel);
            if budget.is_spent() {
                break;
            }
        }
        None
    }

    /// Whether an input that kills a mutant shows that a proof is wrong: it
    /// does, if the proof has looked at it.
    fn refutes(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        stage: &'static str,
        proof: &Proof,
        input: &Input,
    ) -> bool {
        let refutes = self.has_covered(&proof.granted, subject, mutant, input);
        if refutes {
            self.alarm(Alarm {
                input: Some(input.clone()),
                method: proof.method.clone(),
                seen: "this input kills it".to_string(),
                ..Alarm::new(Cause::Refuted, subject, mutant, stage)
            });
        }
        refutes
    }

    /// Whether a proof that grants this has looked at an input.
    pub(crate) fn has_covered(
        &self,
        granted: &Granted,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
    ) -> bool {
        let repeats = |mutant| ir::repeats(self.program, subject, mutant, input, self.limits.mutant);
        granted.covers(input, || repeats(Mutant::ORIGINAL).max(repeats(mutant)))
    }

    /// Looks whether a kill contradicts what was proved before.
    pub(crate) fn compare(&self, mutant: Mutant, before: &Verdict, found: &Verdict) {
        if let (Some(proof), Some(kill)) = (before.proof(), found.kill()) {
            self.refutes(before.subject(), mutant, before.stage(), proof, &kill.input);
        }
    }

    /// Puts a proof to another solver, if there is one.
    pub(crate) fn second_opinion(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        stage: &'static str,
        method: &str,
        obligations: &[Obligation],
    ) -> Result<(), Rejection> {
        let Some(second_opinion) = &self.second_opinion else { return Ok(()) };
        if obligations.is_empty() {
            return Err(Rejection(format!("a proof ({method}) has nothing for another solver to confirm")));
        }
        for Obligation(script) in obligations {
            match second_opinion.confirms(script) {
                Ok(true) => {}
                Ok(false) => {
                    self.alarm(Alarm {
                        method: method.to_string(),
                        seen: script.clone(),
                        ..Alarm::new(Cause::SecondSolver, subject, mutant, stage)
                    });
                    return Err(Rejection("another solver disagrees".to_string()));
                }
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
    ) -> Result<NativeOutcome, Rejection> {
        // An endless recursion must not use up the stack before its fuel.
        let fuel = if *outcome == Outcome::Diverged { self.limits.mutant } else { self.limits.longest() };
        let native = self.native.run(subject, mutant, input, fuel).map_err(Rejection)?;
        let agree = match (outcome, &native) {
            // What is inside is not compared: the machine has a C library of its own, with its own variables.
            (Outcome::Returned(expected), NativeOutcome::Returned(seen)) => {
                expected.freed == seen.freed && !expected.differs(seen)
            }
            (Outcome::Diverged, NativeOutcome::OutOfFuel | NativeOutcome::GaveUp) => true,
            _ => false,
        };
        if agree {
            return Ok(native);
        }
        Err(self.disagreement(subject, mutant, input, &native, &describe(outcome)))
    }

    /// Interpreter and machine do not see the same, and one of them is wrong.
    fn disagreement(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        native: &NativeOutcome,
        interpreter: &str,
    ) -> Rejection {
        let side = if mutant == Mutant::ORIGINAL { "original" } else { "mutant" };
        let machine = match native {
            NativeOutcome::Returned(seen) => describe_return(seen),
            NativeOutcome::Trapped => "a trap".to_string(),
            NativeOutcome::OutOfFuel => "a run without end".to_string(),
            NativeOutcome::GaveUp => "no result within its time and memory".to_string(),
        };
        let why = format!("the {side} gives {machine} on the machine and {interpreter} in the interpreter");
        // If a program breaks the rules of `qsort`, such as by a comparison that contradicts itself, each
        // library sorts in another way.
        if !ir::is_settled(self.program, subject, mutant, input, self.limits.longest()) {
            return Rejection(format!("the {side} comes to {}", Fault::LeftOpen.text()));
        }
        // For want of time or room nobody is wrong.
        if *native != NativeOutcome::GaveUp && !libraries_differ(self.program, subject) {
            let alarm = Alarm::new(Cause::Machine, subject, mutant, "");
            self.alarm(Alarm { input: Some(input.clone()), seen: why.clone(), ..alarm });
        }
        Rejection(why)
    }

    /// What a slow mutant does on the machine, which is a thousand times faster.
    fn patiently(&self, subject: FunctionId, mutant: Mutant, input: &Input) -> Result<Outcome, Rejection> {
        match self.native.run(subject, mutant, input, self.limits.hang).map_err(Rejection)? {
            // What the machine's C library has chosen, another may choose differently.
            NativeOutcome::Returned(_) if self.program.choice().is_some() => {
                Err(Rejection("it takes long, and depends on what C leaves to its library".to_string()))
            }
            NativeOutcome::Returned(seen) => Ok(Outcome::Returned(seen)),
            // It stopped after more steps than a test may take, most likely for want of stack.
            NativeOutcome::Trapped | NativeOutcome::OutOfFuel | NativeOutcome::GaveUp
                if self.limits.time_out =>
            {
                Ok(Outcome::OutOfFuel)
            }
            NativeOutcome::Trapped | NativeOutcome::OutOfFuel | NativeOutcome::GaveUp => {
                Err(Rejection(format!(
                    "on the input found for it, it does not return within {} steps, but it may return later",
                    self.limits.hang
                )))
            }
        }
    }

    /// Checks a claim; what a rejected one leaves is an open mutant that says why.
    pub(crate) fn judge(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        stage: &'static str,
        claim: Claim,
        attacks: &[Input],
    ) -> Result<Checked, Open> {
        let checked = match claim {
            Claim::Killed(input) => self.kill(subject, mutant, &input).map(Checked::Killed),
            Claim::Equivalent(proof) => self.attack(subject, mutant, stage, proof, attacks),
            Claim::Duplicate(_) => unreachable!("a duplicate is judged by what its twin came to"),
            Claim::Open(open) => return Err(open),
        };
        checked.map_err(|Rejection(why)| Open::Rejected(why))
    }
}

/// Whether a run may come to something that good libraries do differently. One rounds where another does
/// not. Not all read `1e+` as C says, and each has a way of its own with what C forbids. Nor do objects lie
/// at the same addresses.
pub(crate) fn libraries_differ(program: &Program, subject: FunctionId) -> bool {
    let differs = |id: &FunctionId| {
        let function = program.function(*id);
        let is_format = ["vfprintf", "vfscanf"].contains(&function.name.as_str());
        function.library && (function.sealed || is_format)
    };
    reachable(program, subject).iter().any(differs) || looks_at_addresses(program, subject)
}

/// Whether C leaves something open of what a run returns.
fn is_partly_open(outcome: &Outcome) -> bool {
    let Outcome::Returned(seen) = outcome else { return false };
    matches!(seen.result, Some(ir::Seen::Nonzero { .. }))
}

fn describe_return(observation: &Observation) -> String {
    match &observation.result {
        Some(ir::Seen::Word(word)) => format!("{}", word.signed()),
        _ => "a return".to_string(),
    }
}

fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(observation) => describe_return(observation),
        Outcome::Faulted(fault, _) => fault.text().to_string(),
        Outcome::Diverged => "an endless loop".to_string(),
        Outcome::OutOfFuel => "a run without end".to_string(),
        Outcome::Unsupported(what, _) => what.clone(),
    }
}

#[cfg(test)]
mod tests;
