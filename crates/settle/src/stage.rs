//! The loop over the stages.
//!
//! A stage is shown the mutants that are still open, and claims. What it finds on the way, inputs that
//! kill, later stages and the attacks on proofs may use too; but no stage knows another.

use std::collections::BTreeMap;

use ir::{FunctionId, Input, Mutant, Program, Space};

use crate::{Checker, Claim, Limits, Open, Subject, Verdict, replay};

/// One way of settling mutants.
pub trait Stage: Sync {
    /// One word, as in the report.
    fn name(&self) -> &'static str;

    /// What the stage can say about the open mutants, at most one claim for each. The same task
    /// gives the same claims, however many threads work on it.
    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)>;

    /// Whether it may know more of a mutant that was looked at within limits only.
    fn looks_beyond_limits(&self) -> bool {
        true
    }

    /// Whether its proofs are about code, and hold whatever inputs there are.
    fn is_about_code(&self) -> bool {
        false
    }
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
    pub notebook: &'a dyn Notebook,
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
        if let Some(claims) = self.notebook.recall(part, mutants) {
            self.progress.advance(claims.len());
            return claims;
        }
        let mut work = Some(work);
        let mut work = || work.take().map_or(vec![], |work| work());
        match self.notebook.attempt(part, mutants, &mut work) {
            Some(claims) => {
                self.notebook.note(part, mutants, &claims);
                claims
            }
            None => {
                let broken = Claim::Open(Open::Broken(part.to_string()));
                mutants.iter().map(|mutant| (*mutant, broken.clone())).collect()
            }
        }
    }
}

/// Who remembers what was claimed so far, should the run be stopped before its end. Called from many threads.
pub trait Notebook: Sync {
    fn recall(&self, part: &str, mutants: &[Mutant]) -> Option<Vec<(Mutant, Claim)>>;

    fn note(&self, part: &str, mutants: &[Mutant], claims: &[(Mutant, Claim)]);

    /// Does the work, once. None if it breaks, and whoever remembers can go on without it.
    fn attempt(
        &self,
        _part: &str,
        _mutants: &[Mutant],
        work: &mut dyn FnMut() -> Vec<(Mutant, Claim)>,
    ) -> Option<Vec<(Mutant, Claim)>> {
        Some(work())
    }
}

/// Remembers nothing.
pub struct Forgetful;

impl Notebook for Forgetful {
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

/// Who finds what no stage does: the checker attacks proofs with inputs, and in the end runs the inputs that kill one mutant on
/// the others that are left.
pub const CHECKER: &str = "checker";

/// Shows a subject's mutants to the stages, one stage after the other, until each is settled without limits.
pub fn settle(
    subject: &Subject,
    stages: &[&dyn Stage],
    checker: &Checker,
    space: &Space,
    attacks: &[Input],
    progress: &dyn Progress,
    notebook: &dyn Notebook,
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
            .filter(|(mutant, verdict)| {
                let is_open = match verdict {
                    Err(_) => true,
                    Ok(verdict) => verdict.is_limited() && stage.looks_beyond_limits(),
                };
                is_open && !twins.contains_key(mutant)
            })
            .map(|(mutant, _)| *mutant)
            .collect();
        if open.is_empty() {
            continue;
        }
        let task = Task {
            program: checker.program,
            subject: subject.function,
            space,
            open: &open,
            inputs: &inputs,
            limits: checker.limits,
            progress,
            notebook,
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
            let verdict = verdict.and_then(|verdict| hold_back(checker, subject, mutant, verdict));
            verdicts[at] = better(checker, mutant, &verdicts[at], verdict);
        }
    }
    for (mutant, verdict) in subject.mutants.iter().zip(&mut verdicts) {
        if twins.contains_key(mutant) {
            continue;
        }
        let function = subject.function;
        let check = |input: &Input| {
            let claim = Claim::Killed(input.clone());
            Verdict::check(checker, function, *mutant, CHECKER, claim, attacks).ok()
        };
        let found = match verdict {
            Err(_) => inputs.iter().find_map(check),
            // Nobody waits here for a mutant that takes long: as in any attack on a proof.
            Ok(known) if known.is_limited() => checker.killing(function, *mutant, &inputs).and_then(check),
            Ok(_) => None,
        };
        if let Some(found) = found {
            *verdict = better(checker, *mutant, verdict, Ok(found));
        }
        if let Some(plainer) = plainer(checker, subject.function, *mutant, verdict, &inputs) {
            *verdict = Ok(plainer);
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

/// What is known after one more look: a later stage need not know more than an earlier one.
fn better(
    checker: &Checker,
    mutant: Mutant,
    before: &Result<Verdict, Open>,
    found: Result<Verdict, Open>,
) -> Result<Verdict, Open> {
    match (before, found) {
        (Ok(before), Ok(found)) => {
            checker.compare(mutant, before, &found);
            Ok(before.clone().or_better(found))
        }
        (Ok(before), Err(_)) => Ok(before.clone()),
        (Err(_), found) => found,
    }
}

/// A kill that any test shows, of a mutant that is known to be killed only by what a sanitizer sees.
fn plainer(
    checker: &Checker,
    subject: FunctionId,
    mutant: Mutant,
    verdict: &Result<Verdict, Open>,
    inputs: &[Input],
) -> Option<Verdict> {
    let known = verdict.as_ref().ok()?;
    if known.kill()?.shown.in_any_build() {
        return None;
    }
    let plainly = |input: &&Input| {
        let replay = replay(checker.program, subject, input, &[mutant], checker.limits);
        replay.killed.iter().any(|(_, shown)| shown.in_any_build())
    };
    inputs.iter().filter(plainly).find_map(|input| {
        let claim = Claim::Killed(input.clone());
        let verdict = Verdict::check(checker, subject, mutant, known.stage(), claim, &[]).ok()?;
        verdict.kill()?.shown.in_any_build().then_some(verdict)
    })
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
