//! Proofs about places that no valid input reaches.
//!
//! Such a proof is true, but it says nothing about the mutant: whatever the code
//! there does, no test can tell. So each place with a proof must be reached by a
//! valid input, or it must be proved that no valid input reaches it.
//!
//! The question is put to the stages as a mutant of its own, a *probe*. It stops
//! wherever the place is reached. An input that kills the probe is valid and reaches
//! the place. A proof that the probe is equivalent says that no valid input does.

use std::collections::{BTreeMap, BTreeSet};

use bv::{Op, Stop, Word};
use ir::interpret::run_watched;
use ir::{
    Arm, ArmInstruction, Flags, Infection, Input, Mutant, Operand, Outcome, Program, Register, Site, SiteId,
    Space, Unsupported,
};

use crate::verdict::Checked;
use crate::{Checker, Claim, Finding, Open, Proof, Settled, Stage, Subject, Survey, Task, Verdict};

/// The method of a proof about such a place.
const NOWHERE: &str = "no valid input reaches this place";

/// Whose proofs are looked at, and who is asked.
#[derive(Clone, Copy)]
pub(crate) struct Doubts<'a> {
    pub subject: &'a Subject,
    pub stages: &'a [&'a dyn Stage],
    pub checker: &'a Checker<'a>,
    pub space: &'a Space,
    pub attacks: &'a [Input],
    pub stop: &'a Stop,
}

/// Looks at all proofs about places that no valid input has reached. A proof that holds for no
/// other reason says so from now on. Returns what the original does wrong on the way there.
pub(crate) fn question(doubts: Doubts, settled: &mut [Settled]) -> Vec<Finding> {
    let Doubts { subject, stages, checker, attacks, stop, .. } = doubts;
    let program = checker.program;
    let is_about_code = |name: &str| stages.iter().any(|stage| stage.name() == name && stage.is_about_code());
    let doubtful: Vec<(usize, SiteId)> = settled
        .iter()
        .enumerate()
        .filter(|(_, found)| {
            let verdict = found.verdict.as_ref().ok();
            verdict.is_some_and(|verdict| verdict.proof().is_some() && !is_about_code(verdict.stage()))
        })
        .filter_map(|(at, found)| Some((at, program.site_of(found.mutant)?)))
        .collect();
    let wanted: BTreeSet<SiteId> = doubtful.iter().map(|(_, site)| *site).collect();
    let mut survey = Survey::new(program, subject.function, tried(settled, attacks), &wanted, checker.limits);
    let missing: Vec<SiteId> = wanted.into_iter().filter(|site| !survey.reaches(*site)).collect();
    if !survey.has_valid() {
        // All that can be said about the function is why it has no valid input.
        let findings = survey.findings(program, &subject.mutants);
        if let Some(first) = findings.first() {
            blame(first, settled);
        }
        return findings;
    }
    if missing.is_empty() {
        return vec![];
    }
    let closed = probe(doubts, &missing, &mut survey);
    let mut vacuous = Vec::new();
    for (at, site) in doubtful.into_iter().filter(|(_, site)| !survey.reaches(*site)) {
        let found = &mut settled[at];
        let Ok(verdict) = &found.verdict else { continue };
        let (stage, proof) = match closed.get(&site) {
            Some((stage, proof)) => (*stage, proof.clone()),
            None if stop.is_set() => {
                found.verdict = Err(Open::stopped(stop));
                continue;
            }
            None => (verdict.stage(), untried(verdict)),
        };
        let claim = Claim::Equivalent(proof);
        found.verdict = Verdict::check(checker, subject.function, found.mutant, stage, claim, attacks);
        vacuous.push(found.mutant);
    }
    survey.findings(program, &vacuous)
}

/// No fuel would have been enough to find a valid input.
fn blame(finding: &Finding, settled: &mut [Settled]) {
    let what = format!("no valid input was found: {}", finding.what_and_when());
    let open = Open::Unsupported(Unsupported { what, at: finding.at });
    for found in settled {
        if let Err(Open::OutOfFuel(_) | Open::OutOfMemory) = found.verdict {
            found.verdict = Err(open.clone());
        }
    }
}

/// The same for what is known from an earlier run: its proofs say by themselves
/// that no valid input comes there.
pub fn recall_findings(
    subject: &Subject,
    checker: &Checker,
    attacks: &[Input],
    settled: &[Settled],
) -> Vec<Finding> {
    let is_vacuous = |found: &&Settled| {
        let proof = found.verdict.as_ref().ok().and_then(Verdict::proof);
        proof.is_some_and(|proof| proof.method == NOWHERE)
    };
    let vacuous: Vec<Mutant> = settled.iter().filter(is_vacuous).map(|found| found.mutant).collect();
    let wanted = vacuous.iter().filter_map(|mutant| checker.program.site_of(*mutant)).collect();
    let survey =
        Survey::new(checker.program, subject.function, tried(settled, attacks), &wanted, checker.limits);
    survey.findings(checker.program, if survey.has_valid() { &vacuous } else { &subject.mutants })
}

/// The inputs of a survey: what kills something is valid.
fn tried<'i>(settled: &'i [Settled], attacks: &'i [Input]) -> impl Iterator<Item = &'i Input> {
    let kills = settled.iter().filter_map(|found| found.verdict.as_ref().ok()?.kill());
    kills.map(|kill| &kill.input).chain(attacks)
}

/// The same proof, which holds for no valid input that anybody knows.
fn untried(verdict: &Verdict) -> Proof {
    let mut proof = verdict.proof().cloned().unwrap_or_default();
    proof.method = NOWHERE.to_string();
    proof.granted.limits.push("no valid input was found that reaches this place".to_string());
    proof
}

/// Asks the stages about places that no valid input has reached; the proofs
/// that none does. The others that are reached after all are noted.
fn probe(doubts: Doubts, sites: &[SiteId], survey: &mut Survey) -> BTreeMap<SiteId, (&'static str, Proof)> {
    let Doubts { subject, stages, checker, space, attacks, stop } = doubts;
    let (program, probes) = with_probes(checker.program, sites);
    let mut judge = Checker::new(&program, checker.native.clone(), checker.limits);
    judge.second_opinion = checker.second_opinion.clone();
    let mut closed: BTreeMap<SiteId, (&'static str, Proof)> = BTreeMap::new();
    let mut too_hard: BTreeSet<(&'static str, Mutant)> = BTreeSet::new();
    for stage in stages.iter().filter(|stage| !stage.is_about_code()) {
        let is_open = |(probe, site): &&(Mutant, SiteId)| {
            let is_due = !stage.is_again() || too_hard.contains(&(stage.name(), *probe));
            is_due && !closed.contains_key(site) && !survey.reaches(*site)
        };
        let open: Vec<Mutant> = probes.iter().filter(is_open).map(|(probe, _)| *probe).collect();
        if open.is_empty() {
            continue;
        }
        let task =
            Task { open: &open, ..Task::alone(&program, subject.function, space, checker.limits, stop) };
        for (probe, claim) in stage.claims(&task) {
            let Some((_, site)) = probes.iter().find(|(it, _)| *it == probe) else { continue };
            match claim {
                Claim::Killed(input) => comes_there(checker, subject, &input, survey),
                Claim::Equivalent(ref proof) if !proof.granted.is_limited() => {
                    let held = judge.judge(subject.function, probe, stage.name(), claim, attacks);
                    if let Ok(Checked::Equivalent(proof)) = held {
                        closed.insert(*site, (stage.name(), Proof { method: NOWHERE.to_string(), ..proof }));
                    }
                }
                Claim::Open(Open::OutOfFuel(_)) => drop(too_hard.insert((stage.name(), probe))),
                Claim::Equivalent(_) | Claim::Duplicate(_) | Claim::Open(_) => {}
            }
        }
    }
    judge.alarms().into_iter().for_each(|alarm| checker.alarm(alarm));
    closed
}

/// Notes the sites that a valid input reaches.
fn comes_there(checker: &Checker, subject: &Subject, input: &Input, survey: &mut Survey) {
    let mut infection = Infection::new(checker.program);
    let run = run_watched(
        checker.program,
        subject.function,
        input,
        checker.limits.short().original,
        &mut infection,
    );
    if matches!(run.outcome, Outcome::Returned(_)) {
        survey.add(&infection);
    }
}

/// A program with a mutant more at each of these sites, which stops there; and which is where.
fn with_probes(program: &Program, sites: &[SiteId]) -> (Program, Vec<(Mutant, SiteId)>) {
    let mut program = program.clone();
    let greatest = program.sites.iter().flat_map(|site| &site.variants).map(|(mutant, _)| mutant.0).max();
    let mut probes = Vec::new();
    for (number, id) in (greatest.unwrap_or(0) + 1..).zip(sites) {
        let site = &mut program.sites[id.0 as usize];
        let arm = stop(site);
        site.variants.push((Mutant(number), arm));
        probes.push((Mutant(number), *id));
    }
    (program, probes)
}

/// An arm that no machine gets past: it divides by zero.
fn stop(site: &Site) -> Arm {
    let [one, zero] = [Word::one(site.result), Word::zero(site.result)].map(Operand::Constant);
    let divide = ArmInstruction { op: Op::Udiv, flags: Flags::default(), arguments: vec![one, zero] };
    Arm { instructions: vec![divide], result: Operand::Register(Register(site.parameters.len() as u32)) }
}
