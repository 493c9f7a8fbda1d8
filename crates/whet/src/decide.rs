//! What a run is about, and how it is decided: what is known is looked up, the rest goes through the stages.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, bail};
use ir::{Escapes, FunctionId, Input, Mutant, Space, Unsupported, paths};
use llvm::Unit;
use settle::{
    Checker, Conclusion, Forgetful, Limits, Memory, Open, Progress, Settled, Stage, Subject, Twin, conclude,
    settle, subjects,
};
use source::Change;
use stages::{Bounded, Canonical, Inductive, Methods, Parametric, Simulate};

use crate::boundaries;
use crate::cli::{Overflow, Search};
use crate::families::{self, Case};
use crate::judges::Machine;
use crate::past::{Page, Past};
use crate::progress::{Line, Timed, Timings};
use crate::spaces::Spaces;

/// What the mutants with an unknown number take.
pub const FAMILIES: &str = "settle unknown numbers";

/// The step in which special cases are looked for.
pub const SPECIAL: &str = "look for special cases";

/// Inputs that every proof is attacked with.
const ATTACKS: usize = 300;

/// Fuel for each query of the bounded stage.
const QUERY: smt::Fuel = smt::Fuel(5_000);

/// A mutant with an unknown number gets so much less for each: it asks many.
const FAMILY: u64 = 3;

/// And so much less for proofs by induction.
const INDUCTION: u64 = 10;

/// What the user's own tests kill, each with the mutant that it duplicates, if there is one.
pub type Own = BTreeMap<Mutant, Option<Twin>>;

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
        let homes = homes(unit)?;
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
    pub fn credit(&mut self, killed: &BTreeSet<Mutant>) -> anyhow::Result<Own> {
        if killed.is_empty() {
            return Ok(Own::new());
        }
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
        let own = killed.iter().map(|mutant| (*mutant, twin(*mutant))).collect();
        self.leave_out(killed);
        Ok(own)
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
}

impl Decided {
    pub fn conclusions(&self, plan: &Plan, own: &Own) -> Vec<Conclusion> {
        let conclusion = |change: &Change| {
            let mutant = Mutant(change.number);
            match (own.get(&mutant), plan.fixed.get(&mutant)) {
                (Some(twin), _) => Conclusion::ByOwnTests { duplicate_of: *twin },
                (None, Some(conclusion)) => conclusion.clone(),
                (None, None) => match self.others.get(&mutant) {
                    Some(conclusion) => conclusion.clone(),
                    None => conclude(&self.found[change.number as usize - 1]),
                },
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
    let same = timings.step("compare optimised code", || match names.contains(&Canonical::NAME) {
        true => llvm::canonical(unit, &judged),
        false => Ok(llvm::Canonical::default()),
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
    if !judged.is_empty() || !plan.families.is_empty() {
        timings.step("build the native checker", || native.build())?;
    }
    timings.step("settle", || {
        let mut done: usize = jobs.iter().filter_map(|job| job.settled.as_ref()).map(Vec::len).sum();
        for Job { subject, space, page, settled } in jobs.iter_mut().filter(|job| job.settled.is_none()) {
            let attacks: Vec<Input> = stages::attacks(&unit.program, subject.function, space, ATTACKS);
            let memory: &dyn Memory = page.as_ref().map_or(&Forgetful, |page| page);
            let mut subject = subject.clone();
            // A pointer to the same code leads a caller to nothing new.
            subject.escaping.retain(|mutant, _| !same.is_original(*mutant));
            let found = settle(&subject, &stages, checker, space, &attacks, line, memory);
            page.iter().for_each(|page| page.keep(&found));
            *settled = Some(found);
            done += subject.mutants.len();
            line.reach(done);
        }
    });
    let killing = killing(&jobs);
    let space = |subject| plan.spaces.of(&unit.program, subject);
    let mut others = timings.step(FAMILIES, || {
        let (bounded, inductive) = (
            Bounded { bound: search.bound, fuel: smt::Fuel(QUERY.0 / FAMILY), obligations: false },
            Inductive {
                fuel: smt::Fuel(Inductive::FUEL.0 / INDUCTION),
                obligations: false,
                methods: Methods::ALL,
                horn: None,
            },
        );
        let most = search.parametric_tests as usize;
        let stage = Parametric { bounded, inductive, most };
        let judge = families::Judge { unit, checker, stage, strict: search.strict_parametric };
        judge.conclude(&plan.families, &space, &killing, &|| line.advance(1))
    });
    others.extend(timings.step(SPECIAL, || {
        let stage = stages::Special { bound: search.bound, fuel: QUERY };
        let heard = |cases| line.advance(cases);
        boundaries::conclude(unit, checker, &stage, &plan.specials, &space, &killing, &heard)
    }));
    line.finish();
    let mut found: Vec<Vec<Settled>> = unit.changes.iter().map(|_| vec![]).collect();
    for settled in jobs.into_iter().filter_map(|job| job.settled).flatten() {
        found[settled.mutant.0 as usize - 1].push(settled);
    }
    let spent = timed.iter().map(|stage| (stage.name(), stage.spent())).collect();
    Ok(Decided { found, others, known, spent })
}

/// Versions that change no function do the same; those that cannot stand for the file as a whole have no verdict.
fn fixed(unit: &Unit) -> BTreeMap<Mutant, Conclusion> {
    let conclusion = |version: &llvm::Graft| match (&version.fault, version.functions.is_empty()) {
        (Some(what), _) => {
            Some(Conclusion::Open(Open::Unsupported(Unsupported { what: what.clone(), at: None })))
        }
        (None, true) => {
            let method = "the same code".to_string();
            Some(Conclusion::Equivalent { stage: Canonical::NAME, method, assumptions: vec![] })
        }
        (None, false) => None,
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

/// The functions that each mutant changes: one, or those that a version changes.
fn homes(unit: &Unit) -> anyhow::Result<Vec<Vec<FunctionId>>> {
    let versions = || unit.versions.iter().filter_map(|version| version.as_ref().ok());
    let homes = |change: &Change| {
        let version = versions().find(|version| version.number == change.number);
        let one = std::slice::from_ref(&change.function);
        let names = version.map_or(one, |version| version.functions.as_slice());
        let named = |name: &String| unit.program.named(name).context("a mutant is in no function");
        names.iter().map(named).collect()
    };
    unit.changes.iter().map(homes).collect()
}
