//! A subject's way through the stages.
//!
//! A stage is shown the mutants that are still open, and makes claims about them. Later stages and the
//! attacks on proofs may use the killing inputs that it found. But no stage knows another.
//!
//! A run may be stopped at any moment. Claims that were made before count. A mutant that some stage had no
//! time for is open with that reason, unless another stage has settled it.

use std::collections::{BTreeMap, BTreeSet};

use bv::Stop;
use ir::{FunctionId, Input, Mutant, Program, Space};

use crate::vacuous::{Doubts, question};
use crate::{Checker, Claim, Finding, Limits, Open, Subject, Verdict, alike, replay};

/// One way of settling mutants.
pub trait Stage: Sync {
    /// One word, as in the report.
    fn name(&self) -> &'static str;

    /// What the stage can say about the open mutants, at most one claim for each. The same task
    /// gives the same claims, however many threads work on it.
    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)>;

    /// Whether it may say more about a mutant that is limited so far.
    fn looks_beyond_limits(&self) -> bool {
        true
    }

    /// Whether this is its second round, with more fuel. Then it is shown only the mutants for which the fuel
    /// of the first round was too little.
    fn is_again(&self) -> bool {
        false
    }

    /// Whether its proofs are about code, and hold whatever inputs there are.
    fn is_about_code(&self) -> bool {
        false
    }

    /// Whether its proof about a mutant holds wherever the mutated function is called from.
    fn holds_for_any_caller(&self, _mutant: Mutant) -> bool {
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
    /// Groups of mutants that may have the same code, for a stage that is about code: those that are open,
    /// with the original, and killed ones that no input so far tells apart. Sorted.
    pub alike: &'a [Vec<Mutant>],
    /// Inputs that killed something before.
    pub inputs: &'a [Input],
    pub limits: Limits,
    pub notebook: &'a dyn Notebook,
    /// Says when to end. Whatever is found after that must not be claimed.
    pub stop: &'a Stop,
}

impl<'a> Task<'a> {
    /// A task with no mutants yet. No stage came before it, and nothing is noted.
    pub fn alone(
        program: &'a Program,
        subject: FunctionId,
        space: &'a Space,
        limits: Limits,
        stop: &'a Stop,
    ) -> Task<'a> {
        Task {
            program,
            subject,
            space,
            open: &[],
            alike: &[],
            inputs: &[],
            limits,
            notebook: &Forgetful,
            stop,
        }
    }

    /// The claims about these mutants that one part of the work makes. They are the same every time, so after
    /// a stopped run they are recalled. The name of the part has to tell everything that decides them.
    pub fn once(
        &self,
        part: &str,
        mutants: &[Mutant],
        work: impl FnOnce() -> Vec<(Mutant, Claim)>,
    ) -> Vec<(Mutant, Claim)> {
        if let Some(claims) = self.notebook.recall(part, mutants) {
            return claims;
        }
        let mut work = Some(work);
        let mut work = || work.take().map_or(vec![], |work| work());
        match self.notebook.attempt(part, mutants, &mut work) {
            Some(claims) => {
                // After a stop, some claims may be missing.
                if !self.stop.is_set() {
                    self.notebook.note(part, mutants, &claims);
                }
                claims
            }
            None => broken(part, mutants),
        }
    }

    /// The same for a leg of a search.
    pub fn leg(&self, part: &str, mutants: &[Mutant], work: impl FnOnce() -> Leg) -> Leg {
        if let Some(leg) = self.notebook.recall_leg(part, mutants) {
            return leg;
        }
        let (mut work, mut leg) = (Some(work), Leg::default());
        let mut work = || {
            leg = work.take().map_or_else(Leg::default, |work| work());
            vec![]
        };
        if self.notebook.attempt(part, mutants, &mut work).is_none() {
            return Leg { claims: broken(part, mutants), ..Leg::default() };
        }
        if !self.stop.is_set() {
            self.notebook.note_leg(part, mutants, &leg);
        }
        leg
    }
}

/// What is claimed of mutants when a part of the work breaks.
fn broken(part: &str, mutants: &[Mutant]) -> Vec<(Mutant, Claim)> {
    let broken = Claim::Open(Open::Broken(part.to_string()));
    mutants.iter().map(|mutant| (*mutant, broken.clone())).collect()
}

/// What a leg of a search has found. The next leg goes on from there, and needs to know nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leg {
    pub claims: Vec<(Mutant, Claim)>,
    /// Claims that the next leg may find better ones for. It has them, too, if it does not.
    pub weak: Vec<(Mutant, Claim)>,
    /// The inputs that were worth keeping, in the order in which they were found.
    pub corpus: Vec<Input>,
}

/// Remembers claims, in case the run is stopped before its end. Called from many threads.
pub trait Notebook: Sync {
    fn recall(&self, part: &str, mutants: &[Mutant]) -> Option<Vec<(Mutant, Claim)>>;

    fn note(&self, part: &str, mutants: &[Mutant], claims: &[(Mutant, Claim)]);

    fn recall_leg(&self, part: &str, mutants: &[Mutant]) -> Option<Leg>;

    fn note_leg(&self, part: &str, mutants: &[Mutant], leg: &Leg);

    /// Does the work, once. None if it breaks and the run can go on without it.
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

    fn recall_leg(&self, _: &str, _: &[Mutant]) -> Option<Leg> {
        None
    }

    fn note_leg(&self, _: &str, _: &[Mutant], _: &Leg) {}
}

/// Shows how far a run is. Called from many threads.
pub trait Progress: Sync {
    /// A subject has a verdict about a mutant: it is killed, or nothing was found that kills it.
    fn settle(&self, mutant: Mutant, is_killed: bool);
}

/// What one subject found out about one mutant.
pub struct Settled {
    pub subject: FunctionId,
    pub mutant: Mutant,
    pub verdict: Result<Verdict, Open>,
    pub twin: Option<Twin>,
}

/// What calls of a subject leave in doubt, so that its callers in the file are asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Doubt {
    /// Whether each caller keeps to what a proof takes for granted.
    Proof,
    /// Whether a caller kills the mutant.
    Kill,
}

impl Settled {
    pub fn is_killed(&self) -> bool {
        self.verdict.as_ref().is_ok_and(|verdict| verdict.kill().is_some())
    }

    pub fn doubt(&self) -> Option<Doubt> {
        match &self.verdict {
            Ok(verdict) if verdict.kill().is_some() => None,
            Ok(verdict) if verdict.is_limited() => Some(Doubt::Kill),
            Ok(verdict) => verdict.caller_may_break().then_some(Doubt::Proof),
            Err(_) => Some(Doubt::Kill),
        }
    }
}

/// Another mutant, with a smaller number, that does the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Twin {
    pub of: Mutant,
    /// Who says so.
    pub stage: &'static str,
}

/// The name under which the checker's own kills are reported. It attacks proofs with inputs. In the end, it
/// runs each input that kills a mutant on all mutants that are left.
pub const CHECKER: &str = "checker";

/// A subject on its way through the stages, with what is known of its mutants so far.
pub struct Settling<'a> {
    subject: Subject,
    checker: &'a Checker<'a>,
    space: &'a Space,
    /// The inputs that every proof is attacked with.
    attacks: Vec<Input>,
    notebook: &'a dyn Notebook,
    /// One for each mutant.
    verdicts: Vec<Result<Verdict, Open>>,
    /// Those that kill something.
    inputs: Vec<Input>,
    twins: BTreeMap<Mutant, Twin>,
    /// Mutants for which a stage had too little fuel.
    too_hard: BTreeSet<(&'static str, Mutant)>,
    /// Mutants that a stage had no time for.
    unreached: BTreeSet<Mutant>,
}

impl<'a> Settling<'a> {
    pub fn new(
        subject: Subject,
        checker: &'a Checker<'a>,
        space: &'a Space,
        attacks: Vec<Input>,
        notebook: &'a dyn Notebook,
    ) -> Settling<'a> {
        let unsupported = checker.program.uncallable(subject.function).cloned();
        let untried = unsupported.map_or(Open::Untried, Open::Unsupported);
        Settling {
            checker,
            space,
            attacks,
            notebook,
            verdicts: vec![Err(untried); subject.mutants.len()],
            inputs: vec![],
            twins: BTreeMap::new(),
            too_hard: BTreeSet::new(),
            unreached: BTreeSet::new(),
            subject,
        }
    }

    /// The mutants that a stage may say more about.
    fn open(&self, stage: &dyn Stage) -> Vec<Mutant> {
        if self.checker.program.uncallable(self.subject.function).is_some() {
            // It cannot be called. So there is nothing to try, and no input could refute a proof.
            return vec![];
        }
        let is_open = |(mutant, verdict): &(&Mutant, &Result<Verdict, Open>)| {
            let is_open = match verdict {
                Err(_) => true,
                Ok(verdict) => verdict.is_limited() && stage.looks_beyond_limits(),
            };
            let is_due = !stage.is_again() || self.too_hard.contains(&(stage.name(), **mutant));
            is_open && is_due && !self.twins.contains_key(mutant)
        };
        self.subject.mutants.iter().zip(&self.verdicts).filter(is_open).map(|(mutant, _)| *mutant).collect()
    }

    /// Shows the mutants that are still open to a stage.
    pub fn show(&mut self, stage: &dyn Stage, progress: &dyn Progress, stop: &Stop) {
        let open = self.open(stage);
        if stop.is_set() {
            self.unreached.extend(open);
            return;
        }
        let alike = if stage.is_about_code() { self.alike(&open) } else { vec![] };
        if open.is_empty() && alike.is_empty() {
            return;
        }
        let task = Task {
            program: self.checker.program,
            subject: self.subject.function,
            space: self.space,
            open: &open,
            alike: &alike,
            inputs: &self.inputs,
            limits: self.checker.limits,
            notebook: self.notebook,
            stop,
        };
        let claims = stage.claims(&task);
        if stop.is_set() {
            let is_claimed = |mutant: &&Mutant| claims.iter().any(|(claimed, _)| claimed == *mutant);
            self.unreached.extend(open.iter().filter(|mutant| !is_claimed(mutant)));
        }
        for (mutant, claim) in claims {
            if stop.is_set() {
                self.unreached.insert(mutant);
            } else {
                self.take(stage, mutant, claim, progress);
            }
        }
        if stop.is_set() {
            // Perhaps it was rejected only because the native build or another solver was stopped.
            let is_rejected = |verdict: &Result<Verdict, Open>| matches!(verdict, Err(Open::Rejected(_)));
            let found = self.subject.mutants.iter().zip(&self.verdicts);
            self.unreached
                .extend(found.filter(|(_, verdict)| is_rejected(verdict)).map(|(mutant, _)| mutant));
        }
    }

    /// Whether none of these stages could say more.
    pub fn is_done(&self, stages: &[&dyn Stage]) -> bool {
        stages.iter().all(|stage| self.open(*stage).is_empty() && !stage.is_about_code())
    }

    /// The groups of mutants that may have the same code: those that are open, with the original, and
    /// killed ones that no input so far tells apart.
    fn alike(&self, open: &[Mutant]) -> Vec<Vec<Mutant>> {
        let is_killed =
            |verdict: &Result<Verdict, Open>| verdict.as_ref().is_ok_and(|it| it.kill().is_some());
        let killed = self.subject.mutants.iter().zip(&self.verdicts);
        let killed =
            killed.filter(|(mutant, verdict)| is_killed(verdict) && !self.twins.contains_key(mutant));
        let killed: Vec<Mutant> = killed.map(|(mutant, _)| *mutant).collect();
        let alike = |peers: &Vec<Mutant>| {
            let inputs = self.inputs.iter().chain(&self.attacks);
            alike(self.checker.program, self.subject.function, peers, inputs, self.checker.limits)
        };
        let open = self.subject.peers(open.iter().copied()).into_iter();
        let open = open.map(|peers| std::iter::once(Mutant::ORIGINAL).chain(peers).collect());
        open.chain(self.subject.peers(killed).iter().flat_map(alike)).collect()
    }

    /// Has a claim checked, and keeps what is known now.
    fn take(&mut self, stage: &dyn Stage, mutant: Mutant, claim: Claim, progress: &dyn Progress) {
        let Ok(at) = self.subject.mutants.binary_search(&mutant) else { return };
        if let Claim::Open(Open::OutOfFuel(_)) = claim {
            self.too_hard.insert((stage.name(), mutant));
        }
        if let Claim::Duplicate(of) = claim {
            if !self.subject.are_peers(mutant, of) {
                return;
            }
            self.twins.insert(mutant, Twin { of, stage: stage.name() });
            if self.verdicts[at].is_err() {
                progress.settle(mutant, false);
            }
            return;
        }
        let verdict = self.check(mutant, stage.name(), claim);
        if let Some(kill) = verdict.as_ref().ok().and_then(|verdict| verdict.kill())
            && !self.inputs.contains(&kill.input)
        {
            self.inputs.push(kill.input.clone());
        }
        let verdict = match stage.holds_for_any_caller(mutant) {
            true => verdict,
            false => verdict.and_then(|verdict| hold_back(self.checker, &self.subject, mutant, verdict)),
        };
        let is_new = self.verdicts[at].is_err();
        self.verdicts[at] = better(self.checker, mutant, &self.verdicts[at], verdict);
        if let Ok(verdict) = &self.verdicts[at]
            && (is_new || verdict.kill().is_some())
        {
            progress.settle(mutant, verdict.kill().is_some());
        }
    }

    fn check(&self, mutant: Mutant, stage: &'static str, claim: Claim) -> Result<Verdict, Open> {
        Verdict::check(self.checker, self.subject.function, mutant, stage, claim, &self.attacks)
    }

    /// What was found of each mutant when these stages have had their say or the run is stopped, and what the
    /// original does wrong.
    pub fn finish(mut self, stages: &[&dyn Stage], stop: &Stop) -> (Vec<Settled>, Vec<Finding>) {
        for at in 0..self.verdicts.len() {
            if !stop.is_set() {
                self.look_again(at);
            }
        }
        for (mutant, verdict) in self.subject.mutants.iter().zip(&mut self.verdicts) {
            if verdict.is_err() && self.unreached.contains(mutant) {
                *verdict = Err(Open::stopped(stop));
            }
        }
        self.inherit();
        let Settling { subject, checker, space, attacks, verdicts, twins, .. } = self;
        let found = subject.mutants.iter().zip(verdicts);
        let found = found.map(|(mutant, verdict)| {
            let twin = twins.get(mutant).copied();
            Settled { subject: subject.function, mutant: *mutant, verdict, twin }
        });
        let mut found: Vec<Settled> = found.collect();
        let (subject, attacks) = (&subject, &attacks);
        let findings = question(Doubts { subject, stages, checker, space, attacks, stop }, &mut found);
        (found, findings)
    }

    /// Runs the inputs that kill other mutants on one that is left.
    fn look_again(&mut self, at: usize) {
        let (checker, function, mutant) = (self.checker, self.subject.function, self.subject.mutants[at]);
        if self.twins.contains_key(&mutant) {
            return;
        }
        let check = |input: &Input| self.check(mutant, CHECKER, Claim::Killed(input.clone())).ok();
        let known = &self.verdicts[at];
        let found = match known {
            Err(_) => self.inputs.iter().find_map(check),
            // As in any attack on a proof, a mutant that takes long is given up.
            Ok(known) if known.is_limited() => {
                checker.killing(function, mutant, &self.inputs).and_then(check)
            }
            Ok(_) => None,
        };
        if let Some(found) = found {
            self.verdicts[at] = better(checker, mutant, known, Ok(found));
        }
        if let Some(plainer) = plainer(checker, function, mutant, &self.verdicts[at], &self.inputs) {
            self.verdicts[at] = Ok(plainer);
        }
    }

    /// Gives each duplicate the verdict of the mutant that does the same.
    fn inherit(&mut self) {
        let place = |mutant: &Mutant| self.subject.mutants.binary_search(mutant).ok();
        let places = |(mutant, twin): (&Mutant, &Twin)| Some((*mutant, place(mutant)?, place(&twin.of)?));
        let twins: Vec<(Mutant, usize, usize)> = self.twins.iter().filter_map(places).collect();
        for (mutant, at, first) in twins {
            self.verdicts[at] = match &self.verdicts[first] {
                Ok(verdict) => self
                    .check(mutant, verdict.stage(), verdict.inherited())
                    .and_then(|verdict| hold_back(self.checker, &self.subject, mutant, verdict)),
                Err(open) => Err(open.clone()),
            };
        }
    }
}

/// The better of two findings. A later stage need not know more than an earlier one.
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
        // A better reason was known before.
        (Err(Open::Unsupported(before)), Err(Open::OutOfFuel(_) | Open::OutOfMemory)) => {
            Err(Open::Unsupported(before.clone()))
        }
        (Err(_), found) => found,
    }
}

/// A kill that shows in any build, for a mutant whose known kill needs a sanitizer.
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

/// If a caller can reach the mutant through a pointer, a proof proves too little: the mutant is open.
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
