//! What a run is about, and how it is decided: what is known is looked up, the rest goes through the stages.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, bail};
use ir::{Escapes, FunctionId, Input, Mutant, Space, Unsupported, paths};
use llvm::Unit;
use settle::{
    Checker, Conclusion, Finding, Forgetful, Limits, Memory, Open, OwnKill, Progress, Settled, Stage,
    Subject, Twin, conclude, question, recall_findings, settle, subjects,
};
use source::Change;
use stages::{Bounded, Canonical, Inductive, Methods, Parametric, Simulate};

use crate::boundaries;
use crate::cli::{Overflow, Search};
use crate::families::{self, Case};
use crate::guard;
use crate::judges::Machine;
use crate::past::{Page, Past};
use crate::progress::{Line, Timed, Timings};
use crate::spaces::Spaces;

/// What the mutants with an unknown number take.
pub const FAMILIES: &str = "settle unknown numbers";

/// The step in which special cases are looked for.
pub const SPECIAL: &str = "look for special cases";

/// Inputs that every proof is attacked with.
pub const ATTACKS: usize = 300;

/// Fuel for each query of the bounded stage.
const QUERY: smt::Fuel = smt::Fuel(5_000);

/// A mutant with an unknown number gets so much less for each: it asks many.
const FAMILY: u64 = 3;

/// And so much less for proofs by induction.
const INDUCTION: u64 = 10;

/// What the user's own tests kill.
pub type Own = BTreeMap<Mutant, Conclusion>;

/// What a run is about.
pub struct Plan<'a> {
    search: &'a Search,
    unit: &'a Unit,
    /// The mutants that were asked for.
    pub changes: Vec<Change>,
    spaces: Spaces,
    /// Each with the mutants that it is to judge.
    pub subjects: Vec<Subject>,
    /// The same with all mutants of the file.
    all: Vec<Subject>,
    pub has_main: bool,
    /// The names of the stages, in their order.
    pub stages: Vec<&'static str>,
    /// The mutants with an unknown number.
    pub families: Vec<Case>,
    /// The mutants that are wrong in a special case only.
    pub specials: Vec<boundaries::Case>,
    /// What needs no judge.
    fixed: BTreeMap<Mutant, Conclusion>,
    /// Whether another solver is to confirm every proof.
    pub double_check: bool,
}

impl<'a> Plan<'a> {
    /// A plan for these mutants, with these stages, or all if there are none.
    pub fn new(
        search: &'a Search,
        unit: &'a Unit,
        file: &str,
        changes: Vec<Change>,
        stages: &[String],
        double_check: bool,
    ) -> anyhow::Result<Plan<'a>> {
        let is_main = |function: &FunctionId| unit.program.function(*function).name == "main";
        let (main, mut callable): (Vec<FunctionId>, Vec<FunctionId>) =
            unit.external.iter().partition(|it| is_main(it));
        callable.extend(paths(&unit.program).into_keys());
        if callable.is_empty() {
            bail!("{file} has no function that a test can call: all are `static`, or `main`");
        }
        let spaces = Spaces::new(search, &unit.program, &unit.external)?;
        let stages = chosen(stages, double_check)?;
        let homes = homes(unit, &callable)?;
        let escapes = Escapes { program: &unit.program, callable: &callable, mentions: &unit.mentions };
        let mut all = subjects(&callable, &homes, &unit.mentions, |subject| escapes.through(subject));
        let families = families::take(unit, &changes, &mut all);
        let specials = boundaries::take(unit, &changes, &mut all);
        let mut subjects = all.clone();
        let numbers: BTreeSet<Mutant> = changes.iter().map(|change| Mutant(change.number)).collect();
        subjects.iter_mut().for_each(|subject| subject.mutants.retain(|mutant| numbers.contains(mutant)));
        let has_main = !main.is_empty();
        let fixed = fixed(unit);
        let mut plan = Plan {
            search,
            unit,
            changes,
            spaces,
            subjects,
            all,
            has_main,
            stages,
            families,
            specials,
            fixed,
            double_check,
        };
        plan.leave_out(&plan.fixed.keys().copied().collect());
        Ok(plan)
    }

    /// A plan for these subjects, each with the mutants that it is to judge, and for nothing else.
    pub fn of(
        search: &'a Search,
        unit: &'a Unit,
        subjects: Vec<Subject>,
        stages: &[String],
        double_check: bool,
    ) -> anyhow::Result<Plan<'a>> {
        Ok(Plan {
            search,
            unit,
            changes: unit.changes.clone(),
            spaces: Spaces::new(search, &unit.program, &unit.external)?,
            all: subjects.clone(),
            subjects,
            has_main: false,
            stages: chosen(stages, double_check)?,
            families: vec![],
            specials: vec![],
            fixed: BTreeMap::new(),
            double_check,
        })
    }

    /// Which inputs a subject has.
    pub fn space(&self, subject: FunctionId) -> Space {
        self.spaces.of(&self.unit.program, subject)
    }

    /// Those that run as what they are: all but those with an unknown number, or with a special case.
    pub fn mutants(&self) -> Vec<Mutant> {
        let runs = |change: &&Change| change.unknown.is_none() && change.special.is_none();
        self.changes.iter().filter(runs).map(|change| Mutant(change.number)).collect()
    }

    /// How many verdicts there are to find.
    pub fn judgements(&self) -> usize {
        let judged: usize = self.subjects.iter().map(|subject| subject.mutants.len()).sum();
        judged + self.families.len() + self.specials.len()
    }

    /// Credits mutants to the user's own tests, each fault once: those with the same code as another are its duplicates.
    pub fn credit(&mut self, kills: &[OwnKill]) -> anyhow::Result<Own> {
        if kills.is_empty() {
            return Ok(Own::new());
        }
        let killed: BTreeSet<Mutant> = kills.iter().map(|kill| kill.mutant()).collect();
        let judged: Vec<(FunctionId, Vec<Mutant>)> =
            self.subjects.iter().map(|subject| (subject.function, subject.mutants.clone())).collect();
        let same = llvm::canonical(self.unit, &judged)?;
        let twin = |mutant: Mutant| {
            let judges = self.subjects.iter().filter(|subject| subject.mutants.contains(&mutant));
            let twins: BTreeSet<Mutant> =
                judges.map(|subject| same.representative(subject.function, mutant)).collect();
            let of = twins
                .first()
                .copied()
                .filter(|of| twins.len() == 1 && *of != mutant && killed.contains(of))?;
            Some(Twin { of, stage: Canonical::NAME })
        };
        let own = kills.iter().map(|kill| (kill.mutant(), kill.conclusion(twin(kill.mutant())))).collect();
        self.leave_out(&killed);
        Ok(own)
    }

    /// What is said of the mutants that a stage was to settle which broke.
    fn broken(&self, stage: &str, is_its: impl Fn(&Change) -> bool) -> BTreeMap<Mutant, Conclusion> {
        let open = |change: &Change| (Mutant(change.number), Conclusion::open(guard::broken(stage)));
        self.changes.iter().filter(|change| is_its(change)).map(open).collect()
    }

    /// Nobody has to judge these any more.
    pub fn leave_out(&mut self, settled: &BTreeSet<Mutant>) {
        for subject in &mut self.subjects {
            subject.mutants.retain(|mutant| !settled.contains(mutant));
        }
    }
}

/// What the subjects found.
pub struct Decided {
    /// For each mutant of the file.
    found: Vec<Vec<Settled>>,
    /// What became of those that run as nothing, or as many.
    others: BTreeMap<Mutant, Conclusion>,
    /// How many mutants were known from an earlier run.
    pub known: usize,
    /// What each stage took.
    pub spent: Vec<(&'static str, Duration)>,
    /// What the original does wrong that keeps valid inputs away from mutants.
    pub findings: Vec<Finding>,
}

impl Decided {
    /// What one subject found of a mutant that it judged.
    pub fn through(&self, plan: &Plan, subject: FunctionId, mutant: Mutant) -> Option<Conclusion> {
        let mut judges = plan.subjects.iter().filter(|subject| subject.mutants.contains(&mutant));
        let at = judges.position(|judge| judge.function == subject)?;
        let found = self.found.get(mutant.0 as usize - 1)?.get(at)?;
        Some(conclude(std::slice::from_ref(found)))
    }

    pub fn conclusions(&self, plan: &Plan, own: &Own) -> Vec<Conclusion> {
        let conclusion = |change: &Change| {
            let mutant = Mutant(change.number);
            let known = own.get(&mutant).or_else(|| plan.fixed.get(&mutant));
            match known.or_else(|| self.others.get(&mutant)) {
                Some(conclusion) => conclusion.clone(),
                None => conclude(&self.found[change.number as usize - 1]),
            }
        };
        plan.changes.iter().map(conclusion).collect()
    }
}

/// Looks up what is known, and settles the rest. `prepare` is done once nothing can be wrong with what is known.
pub fn decide(
    plan: &Plan,
    checker: &Checker,
    native: &Machine,
    past: &Past,
    line: &Line,
    timings: &mut Timings,
    prepare: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<Decided> {
    let Plan { search, unit, stages: names, double_check, .. } = plan;
    let mut jobs: Vec<Job> = Vec::new();
    timings.step("look up what is known", || {
        let subjects = plan.subjects.iter().zip(&plan.all);
        for (subject, all) in subjects.filter(|(subject, _)| !subject.mutants.is_empty()) {
            let space = plan.spaces.of(&unit.program, subject.function);
            let (page, settled) = past.look_up(subject, all, &space, checker, &STAGES)?;
            line.advance(settled.as_ref().map_or(0, Vec::len));
            jobs.push(Job { subject, space, page, settled });
        }
        anyhow::Ok(())
    })?;
    let known = known(&jobs);
    prepare()?;
    past.begin()?;
    let missing = jobs.iter().filter(|job| job.settled.is_none()).map(|job| job.subject);
    let judged: Vec<(FunctionId, Vec<Mutant>)> =
        missing.map(|subject| (subject.function, subject.mutants.clone())).collect();
    let none = || Ok(llvm::Canonical::default());
    let same = timings.step("compare optimised code", || match names.contains(&Canonical::NAME) {
        true => match guard::attempt(Canonical::NAME, || llvm::canonical(unit, &judged)) {
            Some(Err(bug @ llvm::Error::Internal(_))) => {
                guard::tell(&bug);
                none()
            }
            same => same.unwrap_or_else(none),
        },
        false => none(),
    })?;
    let representative = |subject, mutant| same.representative(subject, mutant);
    let canonical = Canonical { representative: &representative };
    let bounded = Bounded { bound: search.bound, fuel: QUERY, obligations: *double_check };
    let inductive = Inductive {
        fuel: Inductive::FUEL,
        obligations: *double_check,
        methods: Methods::ALL,
        horn: search.horn.then(spacer),
    };
    let all: [&dyn Stage; 4] = [&canonical, &Simulate, &inductive, &bounded];
    let named = |name: &&str| all.into_iter().find(|stage| stage.name() == *name);
    let timed: Vec<Timed> = names.iter().filter_map(named).map(Timed::new).collect();
    let stages: Vec<&dyn Stage> = timed.iter().map(|stage| stage as &dyn Stage).collect();
    if !judged.is_empty() {
        timings.step("build the native checker", || native.build())?;
    }
    let mut findings: Vec<Finding> = Vec::new();
    for Job { subject, space, settled, .. } in &jobs {
        if let Some(settled) = settled {
            let attacks = attacks(unit, subject.function, space);
            findings.extend(recall_findings(subject, checker, &attacks, settled));
        }
    }
    timings.step("settle", || {
        let mut done: usize = jobs.iter().filter_map(|job| job.settled.as_ref()).map(Vec::len).sum();
        for Job { subject, space, page, settled } in jobs.iter_mut().filter(|job| job.settled.is_none()) {
            let attacks = attacks(unit, subject.function, space);
            let memory: &dyn Memory = page.as_ref().map_or(&Forgetful, |page| page);
            let name = &unit.program.function(subject.function).name;
            let memory = &guard::Guarded { memory, subject: name };
            let mut subject = subject.clone();
            // A pointer to the same code leads a caller to nothing new.
            subject.escaping.retain(|mutant, _| !same.is_original(*mutant));
            let alarms = checker.alarms().len();
            let mut found = settle(&subject, &stages, checker, space, &attacks, line, memory);
            findings.extend(question(&subject, &stages, checker, space, &attacks, &mut found));
            // What is wrong is looked at anew the next time, and told again.
            if checker.alarms().len() == alarms {
                page.iter().for_each(|page| page.keep(&found));
            }
            *settled = Some(found);
            done += subject.mutants.len();
            line.reach(done);
        }
    });
    let killing = killing(&jobs);
    let space = |subject| plan.spaces.of(&unit.program, subject);
    let (mut others, families) = timings.step(FAMILIES, || {
        let (bounded, inductive) = (
            Bounded { bound: search.bound, fuel: smt::Fuel(QUERY.0 / FAMILY), obligations: *double_check },
            Inductive {
                fuel: smt::Fuel(Inductive::FUEL.0 / INDUCTION),
                obligations: *double_check,
                methods: Methods::ALL,
                horn: None,
            },
        );
        let most = search.parametric_tests as usize;
        let stage = Parametric {
            provers: vec![Box::new(inductive), Box::new(bounded)],
            most,
            obligations: *double_check,
        };
        let judge = families::Judge { unit, checker, stage, strict: search.strict_parametric, past };
        let conclude = || judge.conclude(&plan.families, &space, &killing, &|| line.advance(1));
        let broken = || (plan.broken(FAMILIES, |it| it.unknown.is_some()), 0);
        guard::attempt(FAMILIES, conclude).unwrap_or_else(broken)
    });
    others.extend(timings.step(SPECIAL, || {
        let stage = stages::Special { bound: search.bound, fuel: QUERY, obligations: *double_check };
        let heard = |cases| line.advance(cases);
        let conclude =
            || boundaries::conclude(unit, checker, &stage, &plan.specials, &space, &killing, &heard);
        guard::attempt(SPECIAL, conclude).unwrap_or_else(|| plan.broken(SPECIAL, |it| it.special.is_some()))
    }));
    line.finish();
    let mut found: Vec<Vec<Settled>> = unit.changes.iter().map(|_| vec![]).collect();
    for settled in jobs.into_iter().filter_map(|job| job.settled).flatten() {
        found[settled.mutant.0 as usize - 1].push(settled);
    }
    let spent = timed.iter().map(|stage| (stage.name(), stage.spent())).collect();
    Ok(Decided { found, others, known: known + families, spent, findings })
}

/// The inputs that every proof about a subject is attacked with.
pub fn attacks(unit: &Unit, subject: FunctionId, space: &Space) -> Vec<Input> {
    stages::attacks(&unit.program, subject, space, ATTACKS)
}

/// Versions that cannot stand for the file as a whole have no verdict.
fn fixed(unit: &Unit) -> BTreeMap<Mutant, Conclusion> {
    let conclusion = |version: &llvm::Graft| {
        let what = version.fault()?;
        Some(Conclusion::open(Open::Unsupported(Unsupported { what, at: None })))
    };
    let versions = unit.versions.iter().flatten();
    versions.filter_map(|version| Some((Mutant(version.number), conclusion(version)?))).collect()
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

/// A subject, and what is known of it.
struct Job<'a> {
    subject: &'a Subject,
    space: Space,
    /// Its past, if the user wants one.
    page: Option<Page<'a, 'a>>,
    settled: Option<Vec<Settled>>,
}

/// Z3's solver for Horn clauses, with so much fuel.
fn spacer() -> smt::Process {
    smt::Process::new("z3", &["-in", "rlimit=20000000", "fp.engine=spacer"])
}

/// How many mutants there is nothing more to do for.
fn known(jobs: &[Job]) -> usize {
    let mutants = |is_settled: bool| -> BTreeSet<Mutant> {
        let jobs = jobs.iter().filter(|job| job.settled.is_some() == is_settled);
        jobs.flat_map(|job| &job.subject.mutants).copied().collect()
    };
    mutants(true).difference(&mutants(false)).count()
}

/// All that decides a verdict besides the code, the inputs that there are, and Whet itself.
pub fn settings(plan: &Plan, overflow: Overflow, flags: &[String], limits: &Limits) -> String {
    let Plan { search, stages, double_check, .. } = plan;
    let (bound, horn, induction) = (search.bound, search.horn, Inductive::FUEL);
    format!(
        "{stages:?} {bound} {QUERY:?} {induction:?} {ATTACKS} {limits:?} {double_check} {horn} {overflow:?} {flags:?}"
    )
}

/// The names of the stages, in their order.
const STAGES: [&str; 4] = [Canonical::NAME, "simulate", Inductive::NAME, "bounded"];

/// The stages that the user named, or all of them. Equal code is nothing that another solver could confirm, so that
/// a run with a second opinion asks the solvers about everything.
fn chosen(named: &[String], double_check: bool) -> anyhow::Result<Vec<&'static str>> {
    if let Some(unknown) = named.iter().find(|name| !STAGES.contains(&name.as_str())) {
        bail!("there is no stage `{unknown}`: choose from {}", STAGES.join(", "));
    }
    let all = STAGES.into_iter().filter(|stage| !(double_check && *stage == Canonical::NAME));
    let of = |name: &String| STAGES.into_iter().find(|stage| stage == name);
    Ok(if named.is_empty() { all.collect() } else { named.iter().filter_map(of).collect() })
}

/// The functions that each mutant changes: one, or those that a version changes. A version that changes none is for all functions to
/// judge that a test can call.
fn homes(unit: &Unit, callable: &[FunctionId]) -> anyhow::Result<Vec<Vec<FunctionId>>> {
    let homes = |change: &Change| {
        let names = unit.homes(Mutant(change.number));
        if names.is_empty() {
            return Ok(callable.to_vec());
        }
        let named = |name: &String| unit.program.named(name).context("a mutant is in no function");
        names.iter().map(named).collect()
    };
    unit.changes.iter().map(homes).collect()
}
