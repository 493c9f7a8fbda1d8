//! The loop over the stages.
//!
//! A stage is shown the mutants that are still open, and claims. What it finds on the way, inputs that
//! kill, later stages and the attacks on proofs may use too; but no stage knows another.

use std::collections::BTreeMap;

use ir::{FunctionId, Input, Mutant, Program, Space};

use crate::{Checker, Claim, Limits, Open, Subject, Verdict};

/// One way of settling mutants.
pub trait Stage: Sync {
    /// One word, as in the report.
    fn name(&self) -> &'static str;

    /// What the stage can say about the open mutants, at most one claim for each. The same task
    /// gives the same claims, however many threads work on it.
    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)>;
}

/// What a stage is shown.
pub struct Task<'a> {
    pub program: &'a Program,
    pub subject: FunctionId,
    /// Which inputs there are.
    pub space: &'a Space,
    /// Sorted.
    pub open: &'a [Mutant],
    /// Inputs that killed something before.
    pub inputs: &'a [Input],
    pub limits: Limits,
    pub progress: &'a dyn Progress,
    pub memory: &'a dyn Memory,
}

impl Task<'_> {
    /// What can be claimed of these mutants in one part of the work, which is named after what decides it. It is the same every
    /// time, and so it need not be worked out again after a run that was stopped.
    pub fn once(
        &self,
        part: &str,
        mutants: &[Mutant],
        work: impl FnOnce() -> Vec<(Mutant, Claim)>,
    ) -> Vec<(Mutant, Claim)> {
        if let Some(claims) = self.memory.recall(part, mutants) {
            self.progress.advance(claims.len());
            return claims;
        }
        let claims = work();
        self.memory.note(part, mutants, &claims);
        claims
    }
}

/// Who remembers what was claimed so far, should the run be stopped before its end. Called from many threads.
pub trait Memory: Sync {
    fn recall(&self, part: &str, mutants: &[Mutant]) -> Option<Vec<(Mutant, Claim)>>;

    fn note(&self, part: &str, mutants: &[Mutant], claims: &[(Mutant, Claim)]);
}

/// Remembers nothing.
pub struct Forgetful;

impl Memory for Forgetful {
    fn recall(&self, _: &str, _: &[Mutant]) -> Option<Vec<(Mutant, Claim)>> {
        None
    }

    fn note(&self, _: &str, _: &[Mutant], _: &[(Mutant, Claim)]) {}
}

/// Who wants to know how far it is. Called from many threads.
pub trait Progress: Sync {
    /// So many mutants more have a claim.
    fn advance(&self, mutants: usize);
}

/// Nobody wants to know.
pub struct Silent;

impl Progress for Silent {
    fn advance(&self, _: usize) {}
}

/// What was found of one mutant through one subject.
pub struct Settled {
    pub mutant: Mutant,
    pub verdict: Result<Verdict, Open>,
    pub twin: Option<Twin>,
}

/// Another mutant, with a smaller number, that does the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Twin {
    pub of: Mutant,
    /// Who says so.
    pub stage: &'static str,
}

/// What kills one mutant may kill another that no stage had an answer for: the inputs are simulated once more, in the end.
const LAST: &str = "simulate";

/// Shows a subject's mutants to the stages, one stage after the other, until none is open.
pub fn settle(
    subject: &Subject,
    stages: &[&dyn Stage],
    checker: &Checker,
    space: &Space,
    attacks: &[Input],
    progress: &dyn Progress,
    memory: &dyn Memory,
) -> Vec<Settled> {
    let unsupported = checker.program.function(subject.function).unsupported.clone();
    let untried = unsupported.clone().map_or(Open::Untried, Open::Unsupported);
    let mut verdicts: Vec<Result<Verdict, Open>> = vec![Err(untried); subject.mutants.len()];
    if unsupported.is_some() {
        // There is no calling it, so there is nothing to try.
        return settled(subject, verdicts, &BTreeMap::new());
    }
    let mut inputs: Vec<Input> = Vec::new();
    let mut twins: BTreeMap<Mutant, Twin> = BTreeMap::new();
    for stage in stages {
        let open: Vec<Mutant> = subject
            .mutants
            .iter()
            .zip(&verdicts)
            .filter(|(mutant, verdict)| verdict.is_err() && !twins.contains_key(mutant))
            .map(|(mutant, _)| *mutant)
            .collect();
        if open.is_empty() {
            break;
        }
        let task = Task {
            program: checker.program,
            subject: subject.function,
            space,
            open: &open,
            inputs: &inputs,
            limits: checker.limits,
            progress,
            memory,
        };
        for (mutant, claim) in stage.claims(&task) {
            let Ok(at) = subject.mutants.binary_search(&mutant) else { continue };
            if let Claim::Duplicate(of) = claim {
                twins.insert(mutant, Twin { of, stage: stage.name() });
                continue;
            }
            let verdict = Verdict::check(checker, subject.function, mutant, stage.name(), claim, attacks);
            if let Some(kill) = verdict.as_ref().ok().and_then(|verdict| verdict.kill())
                && !inputs.contains(&kill.input)
            {
                inputs.push(kill.input.clone());
            }
            verdicts[at] = verdict.and_then(|verdict| hold_back(checker, subject, mutant, verdict));
        }
    }
    for (mutant, verdict) in subject.mutants.iter().zip(&mut verdicts) {
        if verdict.is_err() && !twins.contains_key(mutant) {
            let found = inputs.iter().find_map(|input| {
                let claim = Claim::Killed(input.clone());
                Verdict::check(checker, subject.function, *mutant, LAST, claim, attacks).ok()
            });
            *verdict = found.map_or_else(|| verdict.clone(), Ok);
        }
    }
    for (mutant, Twin { of, .. }) in &twins {
        let (Ok(at), Ok(first)) = (subject.mutants.binary_search(mutant), subject.mutants.binary_search(of))
        else {
            continue;
        };
        verdicts[at] = match &verdicts[first] {
            Ok(verdict) => {
                let claim = verdict.inherited();
                Verdict::check(checker, subject.function, *mutant, verdict.stage(), claim, attacks)
                    .and_then(|verdict| hold_back(checker, subject, *mutant, verdict))
            }
            Err(open) => Err(open.clone()),
        };
    }
    settled(subject, verdicts, &twins)
}

/// A proof about a mutant that a caller can reach through a pointer proves too little.
fn hold_back(
    checker: &Checker,
    subject: &Subject,
    mutant: Mutant,
    verdict: Verdict,
) -> Result<Verdict, Open> {
    match subject.escaping.get(&mutant) {
        Some(function) if verdict.proof().is_some() => {
            Err(Open::Escapes(checker.program.function(*function).name.clone()))
        }
        _ => Ok(verdict),
    }
}

fn settled(
    subject: &Subject,
    verdicts: Vec<Result<Verdict, Open>>,
    twins: &BTreeMap<Mutant, Twin>,
) -> Vec<Settled> {
    subject
        .mutants
        .iter()
        .zip(verdicts)
        .map(|(mutant, verdict)| Settled { mutant: *mutant, verdict, twin: twins.get(mutant).copied() })
        .collect()
}
