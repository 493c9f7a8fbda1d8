//! A session: one unit, the plan for it, the checker, and what earlier runs have settled. `whet run`, `whet
//! diff` and the search for differences from a reference each work with one.
//!
//! A session first [looks up](Session::look_up) what is known, then [settles](Session::settle) the rest. Each
//! stage sees all subjects before the next one begins. Parametric mutants and special cases come last.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ir::{FunctionId, Input, Mutant, Space};
use llvm::Unit;
use settle::{
    Checker, Conclusion, Finding, Forgetful, Limits, Notebook, Open, OwnKill, Progress, SecondOpinion,
    Settled, Settling, Stage, Subject, Twin, alike, conclude, name_firsts, recall_findings,
};
use source::Change;
use stages::{
    Bounded, Canonical, Corpora, Guidance, Hunt, Inductive, Methods, Optimiser, Parametric, Patience, Round,
    Simulate,
};

use crate::alone::Alone;
use crate::cache::{Cache, SubjectCache};
use crate::cli::Overflow;
use crate::deadline::Deadline;
use crate::guard;
use crate::machine::{Compiler, Hunter, Machine, SecondSolver};
use crate::parametric;
use crate::plan::{Own, Plan};
use crate::progress::{Line, Spent, Timed, Timings};
use crate::special;

/// The step in which parametric mutants are settled.
pub(crate) const PARAMETRIC: &str = "settle parametric mutants";

/// The step in which special cases are looked for.
pub(crate) const SPECIAL: &str = "look for special cases";

/// The step in which all other mutants are settled.
pub(crate) const SETTLE: &str = "settle";

/// Inputs that every proof is attacked with.
pub(crate) const ATTACKS: usize = 300;

/// Fuel for each query of the bounded stage.
const QUERY: smt::Fuel = smt::Fuel(5_000);

/// A query about a parametric mutant gets this fraction of the fuel: there are many queries for each.
const PARAMETRIC_QUERY: u64 = 3;

/// A query of an induction about a parametric mutant gets this fraction of its fuel.
const PARAMETRIC_INDUCTION: u64 = 10;

pub(crate) struct Session<'u> {
    pub unit: &'u Unit,
    pub plan: Plan<'u>,
    pub checker: Checker<'u>,
    pub cache: Cache<'u>,
    pub line: Line,
    pub timings: Timings,
    pub deadline: Deadline,
    spent: Spent,
    machine: Arc<Machine<'u>>,
    hunter: Hunter<'u>,
    optimiser: Arc<dyn Optimiser + Send + 'u>,
}

/// What a session needs to know besides its plan.
pub(crate) struct Rules<'r> {
    pub limits: Limits,
    pub overflow: Overflow,
    /// The user's, for clang.
    pub flags: &'r [String],
    pub second_solver: Option<SecondSolver>,
    /// Where the store is. None: nothing is looked up or kept.
    pub store: Option<PathBuf>,
    /// Shows progress.
    pub line: Line,
    /// Says when to end.
    pub deadline: Deadline,
}

/// A stage in the first or the second round.
#[derive(Clone, Copy)]
pub(crate) struct Stint {
    pub name: &'static str,
    pub again: bool,
}

/// A subject, and what is known about it.
pub(crate) struct Job<'s> {
    subject: &'s Subject,
    space: Space,
    /// Where its verdicts are kept. None: the user wants no store.
    cache: Option<SubjectCache<'s, 's>>,
    /// None until it is settled.
    pub settled: Option<Vec<Settled>>,
}

impl<'u> Session<'u> {
    /// Opens a session. Changes no file.
    pub(crate) fn open(plan: Plan<'u>, rules: Rules, timings: Timings) -> anyhow::Result<Session<'u>> {
        let unit = plan.unit;
        let machine = Arc::new(Machine::new(unit));
        let mut checker = Checker::new(&unit.program, machine.clone(), rules.limits);
        checker.second_opinion = rules.second_solver.map(|solver| Arc::new(solver) as Arc<dyn SecondOpinion>);
        let settings = settings(&plan, &rules.limits, rules.overflow, rules.flags);
        let cache = Cache::find(unit, rules.store, settings)?;
        let line = rules.line;
        line.expect(plan.changes.len(), plan.judges());
        let optimiser = Arc::new(Compiler::new(unit, &rules.deadline.stop));
        Ok(Session {
            unit,
            plan,
            checker,
            cache,
            line,
            timings,
            deadline: rules.deadline,
            spent: Spent::default(),
            machine,
            hunter: Hunter::new(unit),
            optimiser,
        })
    }

    /// What earlier runs have settled. An error if the store cannot be read.
    pub(crate) fn look_up(&self) -> anyhow::Result<Vec<Job<'_>>> {
        self.timings.step("look up what is known", || {
            let subjects = self.plan.subjects.iter().zip(&self.plan.all);
            let subjects = subjects.filter(|(subject, _)| !subject.mutants.is_empty());
            subjects.map(|(subject, all)| self.look_up_subject(subject, all)).collect()
        })
    }

    fn look_up_subject<'s>(&'s self, subject: &'s Subject, all: &Subject) -> anyhow::Result<Job<'s>> {
        let job = self.job(subject, all, &self.plan.method.stages)?;
        for found in job.settled.iter().flatten() {
            self.line.settle(found.mutant, found.is_killed());
        }
        Ok(job)
    }

    /// A subject that these stages are to look at, and what is known about it.
    pub(crate) fn job<'s>(
        &'s self,
        subject: &'s Subject,
        all: &Subject,
        stages: &[&'static str],
    ) -> anyhow::Result<Job<'s>> {
        let space = self.plan.space(subject.function);
        let (cache, settled) = self.cache.look_up(subject, all, &space, &self.checker, stages)?;
        Ok(Job { subject, space, cache, settled })
    }

    /// Settles what is not known yet.
    pub(crate) fn settle(&self, mut jobs: Vec<Job>) -> anyhow::Result<Decided> {
        let (mut known, unknown) = known(&jobs);
        self.cache.begin()?;
        if jobs.iter().any(|job| job.settled.is_none()) && !self.deadline.stop.is_set() {
            self.timings.step("build the native checker", || self.machine.build())?;
        }
        let mut findings = self.recall_findings(&jobs);
        let asked = self.timings.step(SETTLE, || {
            self.settle_subjects(&mut jobs, &mut findings);
            self.ask_callers(&jobs)
        })?;
        let mut callers: BTreeMap<Mutant, Vec<Settled>> = BTreeMap::new();
        for settled in asked {
            callers.entry(settled.mutant).or_default().push(settled);
        }
        let killing = killing(&jobs);
        let (mut others, known_parametric) = self.timings.step(PARAMETRIC, || self.parametric(&killing));
        others.extend(self.timings.step(SPECIAL, || self.special(&killing)));
        let mut found: Vec<Vec<Settled>> = self.unit.changes.iter().map(|_| vec![]).collect();
        for settled in jobs.into_iter().filter_map(|job| job.settled).flatten() {
            found[settled.mutant.0 as usize - 1].push(settled);
        }
        let through = |mutant: Mutant| through(&self.plan, &found, &callers, mutant);
        let (alone, known_alone) = self.timings.step(SETTLE, || self.ask_alone(through))?;
        known.retain(|mutant| !unknown.contains(mutant) && !alone.contains_key(mutant));
        let known = known.len() + known_alone + known_parametric;
        let spent = self.plan.method.stages.iter().map(|name| (*name, self.spent.on(name))).collect();
        Ok(Decided { found, callers, alone, others, known, spent, findings })
    }

    /// Credits kills to the user's own tests. Each fault counts once: if two killed mutants have the same
    /// code, one is a duplicate of the other.
    pub(crate) fn credit(&mut self, kills: &[OwnKill]) -> Own {
        let killed: BTreeSet<Mutant> = kills.iter().map(|kill| kill.mutant()).collect();
        let judges = self.plan.subjects.iter();
        let found: Vec<(&Subject, BTreeMap<Mutant, Mutant>)> =
            judges.map(|subject| (subject, self.same_code(subject, &killed))).collect();
        let twin = |mutant: Mutant| {
            let judges = found.iter().filter(|(subject, _)| subject.mutants.contains(&mutant));
            let twins: BTreeSet<Option<Mutant>> =
                judges.map(|(_, same)| same.get(&mutant).copied()).collect();
            let of = twins.first().copied().flatten().filter(|_| twins.len() == 1)?;
            Some(Twin { of, stage: Canonical::NAME })
        };
        let own = kills.iter().map(|kill| (kill.mutant(), kill.conclusion(twin(kill.mutant())))).collect();
        self.plan.leave_out(&killed);
        own
    }

    /// Leaves mutants open that the user's own tests had no time for. If a stage killed one of them, it would
    /// look as if the tests had missed it.
    pub(crate) fn leave_open(&mut self, untried: &[Mutant]) -> Own {
        self.plan.leave_out(&untried.iter().copied().collect());
        let open = Conclusion::open(Open::stopped(&self.deadline.stop));
        untried.iter().map(|mutant| (*mutant, open.clone())).collect()
    }

    /// Which of these mutants have the code of another one when the subject is called.
    fn same_code(&self, subject: &Subject, mutants: &BTreeSet<Mutant>) -> BTreeMap<Mutant, Mutant> {
        let judged: Vec<Mutant> = subject.mutants.iter().filter(|it| mutants.contains(it)).copied().collect();
        let attacks = self.attacks(subject.function);
        let limits = self.checker.limits;
        let alike =
            |peers: &Vec<Mutant>| alike(&self.unit.program, subject.function, peers, &attacks, limits);
        let groups: Vec<Vec<Mutant>> = subject.peers(judged).iter().flat_map(alike).collect();
        let same = self.optimiser.compare(subject.function, &groups);
        same.into_iter().map(|same| (same.mutant, same.of)).collect()
    }

    /// What the original does wrong, for the subjects that earlier runs have settled.
    fn recall_findings(&self, jobs: &[Job]) -> Vec<Finding> {
        let recall = |job: &Job| {
            let attacks = self.attacks(job.subject.function);
            Some(recall_findings(job.subject, &self.checker, &attacks, job.settled.as_ref()?))
        };
        jobs.iter().filter_map(recall).flatten().collect()
    }

    /// Shows each subject to the stages.
    fn settle_subjects(&self, jobs: &mut [Job], findings: &mut Vec<Finding>) {
        let corpora = Corpora::default();
        let stages = self.stages(&corpora, |_| true);
        self.show(jobs, &stages, findings);
    }

    /// Those of the stages that the user wants. Some come twice, the second time with more fuel.
    pub(crate) fn stages<'s>(
        &'s self,
        corpora: &'s Corpora,
        is_wanted: impl Fn(Stint) -> bool,
    ) -> Vec<Timed<'s>> {
        let stage = |name: &'static str, again: bool| -> Option<Box<dyn Stage + 's>> {
            let (round, patience) = match again {
                false => (Round::First, Patience::Short),
                true => (Round::Again, Patience::Long),
            };
            match name {
                Simulate::NAME if !again => Some(Box::new(Simulate)),
                Hunt::NAME => Some(Box::new(self.hunt(corpora, patience))),
                Canonical::NAME if !again => Some(Box::new(Canonical::new(&*self.optimiser))),
                Inductive::NAME => Some(Box::new(self.inductive(Inductive::FUEL, round))),
                Bounded::NAME => Some(Box::new(self.bounded(QUERY, round))),
                _ => None,
            }
        };
        let names = &self.plan.method.stages;
        let stints =
            [false, true].into_iter().flat_map(|again| names.iter().map(move |name| Stint { name, again }));
        let wanted = stints.filter(|stint| is_wanted(*stint));
        let stages = wanted.filter_map(|Stint { name, again }| stage(name, again));
        stages.map(|stage| Timed { stage, spent: &self.spent }).collect()
    }

    /// Shows all subjects to the first stage, then what is left to the next: a function that is hard must not
    /// hold up the others.
    pub(crate) fn show(&self, jobs: &mut [Job], stages: &[Timed], findings: &mut Vec<Finding>) {
        let stages: Vec<&dyn Stage> = stages.iter().map(|stage| stage as &dyn Stage).collect();
        let mut results: BTreeMap<usize, (Vec<Settled>, Vec<Finding>)> = BTreeMap::new();
        let open = || jobs.iter().enumerate().filter(|(_, job)| job.settled.is_none());
        let guards: Vec<guard::Guarded> = open().map(|(_, job)| self.guard(job)).collect();
        let mut waiting: Vec<(usize, Settling)> =
            open().zip(&guards).map(|((at, job), notebook)| (at, self.begin(job, notebook))).collect();
        for (at, stage) in stages.iter().enumerate() {
            self.line.step(stage.name());
            for (_, settling) in &mut waiting {
                settling.show(*stage, &self.line, &self.deadline.stop);
            }
            let later = &stages[at + 1..];
            for (at, settling) in waiting.extract_if(.., |(_, settling)| settling.is_done(later)) {
                let (found, wrong) = settling.finish(&stages, &self.deadline.stop);
                self.keep(&jobs[at], &found);
                results.insert(at, (found, wrong));
            }
        }
        drop(waiting);
        for (at, (found, wrong)) in results {
            jobs[at].settled = Some(found);
            findings.extend(wrong);
        }
    }

    /// The notebook for what stages claim about a subject. If a batch breaks, the others go on.
    fn guard<'j>(&'j self, job: &'j Job) -> guard::Guarded<'j> {
        let notebook: &dyn Notebook = job.cache.as_ref().map_or(&Forgetful, |cache| cache);
        guard::Guarded { notebook, subject: &self.unit.program.function(job.subject.function).name }
    }

    fn begin<'j>(&'j self, job: &'j Job, notebook: &'j dyn Notebook) -> Settling<'j> {
        let attacks = self.attacks(job.subject.function);
        Settling::new(job.subject.clone(), &self.checker, &job.space, attacks, notebook)
    }

    /// Keeps what was found for the next run. Not after an alarm: the next run is to raise it again. Not
    /// after a stop either: something may be missing that nobody notices, such as which of two killed mutants
    /// is a duplicate.
    fn keep(&self, job: &Job, found: &[Settled]) {
        let is_about = |alarm: &settle::Alarm| alarm.subject == job.subject.function;
        if !self.deadline.stop.is_set() && !self.checker.alarms().iter().any(is_about) {
            job.cache.iter().for_each(|cache| cache.keep(found));
        }
    }

    /// The conclusions about parametric mutants, and how many of them were known.
    fn parametric(
        &self,
        killing: &BTreeMap<FunctionId, Vec<Input>>,
    ) -> (BTreeMap<Mutant, Conclusion>, usize) {
        let inductive = self.inductive(smt::Fuel(Inductive::FUEL.0 / PARAMETRIC_INDUCTION), Round::Only);
        let bounded = self.bounded(smt::Fuel(QUERY.0 / PARAMETRIC_QUERY), Round::Only);
        let stage = Parametric {
            provers: vec![Box::new(Inductive { horn: None, ..inductive }), Box::new(bounded)],
            most: self.plan.search.parametric_tests as usize,
            obligations: self.plan.method.double_check,
        };
        let conclude = || parametric::conclude(self, &stage, killing);
        let broken = || (self.plan.broken(PARAMETRIC, |it| it.parameter.is_some()), 0);
        guard::attempt(PARAMETRIC, conclude).unwrap_or_else(broken)
    }

    /// The conclusions about special cases.
    fn special(&self, killing: &BTreeMap<FunctionId, Vec<Input>>) -> BTreeMap<Mutant, Conclusion> {
        let Plan { search, method, .. } = &self.plan;
        let stage = stages::Special { bound: search.bound, fuel: QUERY, obligations: method.double_check };
        let conclude = || special::conclude(self, &stage, killing);
        let broken = || self.plan.broken(SPECIAL, |it| it.special_case.is_some());
        guard::attempt(SPECIAL, conclude).unwrap_or_else(broken)
    }

    fn hunt<'h>(&'h self, corpora: &'h Corpora, patience: Patience) -> Hunt<'h> {
        Hunt { machine: &self.hunter, patience, guidance: Guidance::FULL, corpora }
    }

    fn bounded(&self, fuel: smt::Fuel, round: Round) -> Bounded {
        let Plan { search, method, .. } = &self.plan;
        Bounded { bound: search.bound, fuel, obligations: method.double_check, round }
    }

    fn inductive(&self, fuel: smt::Fuel, round: Round) -> Inductive {
        let Plan { search, method, .. } = &self.plan;
        let horn = search.horn.then(spacer);
        Inductive { fuel, obligations: method.double_check, methods: Methods::ALL, horn, round }
    }

    /// The inputs that every proof about a subject is attacked with.
    pub(crate) fn attacks(&self, subject: FunctionId) -> Vec<Input> {
        stages::attacks(&self.unit.program, subject, &self.plan.space(subject), ATTACKS)
    }
}

/// What a session has found out about all mutants.
pub(crate) struct Decided {
    /// For each mutant of the file, what each of its judges found.
    found: Vec<Vec<Settled>>,
    /// What callers found that were asked besides the judges.
    callers: BTreeMap<Mutant, Vec<Settled>>,
    /// What static functions found that were asked about the rest.
    alone: Alone,
    /// The conclusions about parametric mutants and special cases.
    others: BTreeMap<Mutant, Conclusion>,
    /// How many mutants were known from an earlier run.
    pub known: usize,
    /// How long each stage took.
    pub spent: Vec<(&'static str, Duration)>,
    /// What the original does wrong that keeps valid inputs away from mutants.
    pub findings: Vec<Finding>,
}

impl Decided {
    /// What one subject found out about a mutant that it judged.
    pub(crate) fn through(&self, plan: &Plan, subject: FunctionId, mutant: Mutant) -> Option<Conclusion> {
        let mut judges = plan.subjects.iter().filter(|subject| subject.mutants.contains(&mutant));
        let at = judges.position(|judge| judge.function == subject)?;
        let found = self.found.get(mutant.0 as usize - 1)?.get(at)?;
        Some(conclude(&plan.unit.program, std::slice::from_ref(found), &[]))
    }

    /// One conclusion for each mutant that was asked for.
    pub(crate) fn conclusions(&self, plan: &Plan, own: &Own) -> Vec<Conclusion> {
        let conclusion = |change: &Change| {
            let mutant = Mutant(change.number);
            let known = own.get(&mutant).or_else(|| plan.fixed(mutant));
            match known.or_else(|| self.others.get(&mutant)) {
                Some(conclusion) => conclusion.clone(),
                None => {
                    let through = through(plan, &self.found, &self.callers, mutant);
                    plan.with_alone(through, mutant, &self.alone)
                }
            }
        };
        let mutants: Vec<Mutant> = plan.changes.iter().map(|change| Mutant(change.number)).collect();
        let mut conclusions: Vec<Conclusion> = plan.changes.iter().map(conclusion).collect();
        name_firsts(&mutants, &mut conclusions);
        conclusions
    }
}

/// What the functions found out about a mutant that others can call: its judges, and callers of theirs.
fn through(
    plan: &Plan,
    found: &[Vec<Settled>],
    callers: &BTreeMap<Mutant, Vec<Settled>>,
    mutant: Mutant,
) -> Conclusion {
    let callers = callers.get(&mutant).map_or(&[][..], Vec::as_slice);
    conclude(&plan.unit.program, &found[mutant.0 as usize - 1], callers)
}

/// The inputs that kill something, by subject.
fn killing(jobs: &[Job]) -> BTreeMap<FunctionId, Vec<Input>> {
    let mut killing: BTreeMap<FunctionId, BTreeSet<Input>> = BTreeMap::new();
    for (job, settled) in jobs.iter().filter_map(|job| Some((job, job.settled.as_ref()?))) {
        let kills = settled.iter().filter_map(|it| it.verdict.as_ref().ok()?.kill());
        killing.entry(job.subject.function).or_default().extend(kills.map(|kill| kill.input.clone()));
    }
    killing.into_iter().map(|(subject, inputs)| (subject, inputs.into_iter().collect())).collect()
}

/// Z3's solver for Horn clauses, with its fuel.
fn spacer() -> smt::Process {
    smt::Process::new("z3", &["-in", "rlimit=20000000", "fp.engine=spacer"])
}

/// The mutants about which some judge knows before the stages begin, and those about which some does not.
fn known(jobs: &[Job]) -> (BTreeSet<Mutant>, BTreeSet<Mutant>) {
    let mutants = |is_settled: bool| -> BTreeSet<Mutant> {
        let jobs = jobs.iter().filter(|job| job.settled.is_some() == is_settled);
        jobs.flat_map(|job| &job.subject.mutants).copied().collect()
    };
    (mutants(true), mutants(false))
}

/// All that decides a verdict besides the code, the inputs that there are, and Whet itself.
fn settings(plan: &Plan, limits: &Limits, overflow: Overflow, flags: &[String]) -> String {
    let Plan { search, method, .. } = plan;
    let (stages, double_check) = (&method.stages, method.double_check);
    let (bound, horn, induction) = (search.bound, search.horn, Inductive::FUEL);
    format!(
        "{stages:?} {bound} {QUERY:?} {induction:?} {ATTACKS} {limits:?} {double_check} {horn} {overflow:?} {flags:?}"
    )
}
