//! The plan of a run: the mutants that were asked for, the functions that judge each of them, and the stages.
//!
//! A function *judges* a mutant if tests for the mutant call this function (`settle::Subject`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, bail};
use ir::{Escapes, FunctionId, MAIN, Mutant, Space, Unsupported, is_main, paths};
use llvm::Unit;
use settle::{Conclusion, Open, Subject, callers, subjects};
use source::Change;
use stages::{Bounded, Canonical, Hunt, Inductive, Simulate};

use crate::cli::{Search, Static};
use crate::guard;
use crate::parametric;
use crate::spaces::Spaces;
use crate::special;

/// The conclusions from the user's own tests: mutants that they kill, and mutants that they had no time for.
pub(crate) type Own = BTreeMap<Mutant, Conclusion>;

/// The plan of a run.
pub(crate) struct Plan<'a> {
    pub search: &'a Search,
    pub unit: &'a Unit,
    pub method: Method,
    /// The mutants that were asked for.
    pub changes: Vec<Change>,
    pub spaces: Spaces,
    /// Each with the mutants that it is to judge.
    pub subjects: Vec<Subject>,
    /// The same with all mutants of the file.
    pub all: Vec<Subject>,
    /// The functions of the file that lead to each one, and that a test can call, too.
    pub callers: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    /// Which mutants calls of the static function itself are to judge.
    pub statics: Static,
    /// The static functions with the mutants in them. They judge what the others leave.
    pub alone: Vec<Subject>,
    pub has_main: bool,
    /// The parametric mutants.
    pub parametric: Vec<parametric::Planned>,
    /// The mutants that are wrong in a special case only.
    pub special: Vec<special::Planned>,
    /// Conclusions that hold from the start. These mutants need no judge.
    fixed: BTreeMap<Mutant, Conclusion>,
}

/// How mutants are settled.
#[derive(Clone)]
pub(crate) struct Method {
    /// The names of the stages, in their order.
    pub stages: Vec<&'static str>,
    /// Whether another solver is to confirm every proof.
    pub double_check: bool,
}

/// The names of all stages, in their order.
pub(crate) const STAGES: [&str; 5] =
    [Simulate::NAME, Hunt::NAME, Canonical::NAME, Inductive::NAME, Bounded::NAME];

impl Method {
    /// The stages that the user named, or all. With `double_check`, canonical is left out: no second solver
    /// can confirm that code is equal.
    pub(crate) fn chosen(named: &[String], double_check: bool) -> anyhow::Result<Method> {
        if let Some(unknown) = named.iter().find(|name| !STAGES.contains(&name.as_str())) {
            bail!("there is no stage `{unknown}`: choose from {}", STAGES.join(", "));
        }
        let all = STAGES.into_iter().filter(|stage| !(double_check && *stage == Canonical::NAME));
        let of = |name: &String| STAGES.into_iter().find(|stage| stage == name);
        let stages = if named.is_empty() { all.collect() } else { named.iter().filter_map(of).collect() };
        Ok(Method { stages, double_check })
    }
}

impl<'a> Plan<'a> {
    /// A plan for these mutants of a file.
    pub(crate) fn new(
        unit: &'a Unit,
        changes: Vec<Change>,
        search: &'a Search,
        method: Method,
        statics: Static,
    ) -> anyhow::Result<Plan<'a>> {
        let program = &unit.program;
        let has_main = program.named(MAIN).is_some();
        // What else a system may pass, no test knows.
        let can_start = |id: &FunctionId| program.function(*id).name != MAIN || is_main(program, *id);
        let mut callable: Vec<FunctionId> = unit.external.iter().copied().filter(can_start).collect();
        callable.extend(paths(&unit.program).into_keys());
        let homes = homes(unit, &callable)?;
        let escapes = Escapes { program: &unit.program, callable: &callable, mentions: &unit.mentions };
        let wholly = |id| unit.program.is_wholly_callable(id);
        let escaping = |subject| escapes.through(subject);
        let mut all = subjects(&callable, wholly, &homes, &unit.mentions, escaping);
        let parametric = parametric::take(unit, &changes, &mut all);
        let special = special::take(unit, &changes, &mut all);
        let mut plan = Plan {
            callers: callers(&callable, wholly, &unit.mentions),
            has_main,
            parametric,
            special,
            statics,
            ..Plan::of(unit, all, search, method)?
        };
        let asked_for: BTreeSet<Mutant> = changes.iter().map(|change| Mutant(change.number)).collect();
        if statics != Static::None {
            plan.alone = alone(unit, &callable, &changes);
        }
        for subject in &mut plan.subjects {
            subject.mutants.retain(|mutant| asked_for.contains(mutant));
        }
        plan.changes = changes;
        plan.fixed = fixed(unit);
        plan.leave_out(&plan.fixed.keys().copied().collect());
        Ok(plan)
    }

    /// A plan for these subjects, each with the mutants that it is to judge, and for nothing else.
    pub(crate) fn of(
        unit: &'a Unit,
        subjects: Vec<Subject>,
        search: &'a Search,
        method: Method,
    ) -> anyhow::Result<Plan<'a>> {
        Ok(Plan {
            search,
            unit,
            method,
            changes: unit.changes.clone(),
            spaces: Spaces::new(search, &unit.program, &unit.external)?,
            all: subjects.clone(),
            subjects,
            callers: BTreeMap::new(),
            statics: Static::None,
            alone: vec![],
            has_main: false,
            parametric: vec![],
            special: vec![],
            fixed: BTreeMap::new(),
        })
    }

    /// Which inputs there are for a subject.
    pub(crate) fn space(&self, subject: FunctionId) -> Space {
        self.spaces.of(&self.unit.program, subject)
    }

    /// The mutants that can simply be run: all but parametric mutants and special cases.
    pub(crate) fn mutants(&self) -> Vec<Mutant> {
        let runs = |change: &&Change| change.parameter.is_none() && change.special_case.is_none();
        self.changes.iter().filter(runs).map(|change| Mutant(change.number)).collect()
    }

    /// Whether only a test can call a function that includes the file.
    pub(crate) fn is_inside(&self, subject: FunctionId) -> bool {
        self.alone.iter().any(|alone| alone.function == subject)
    }

    /// The functions of the file that mention one, besides itself.
    pub(crate) fn mentioned_by(&self, function: FunctionId) -> BTreeSet<FunctionId> {
        let others = (0..).map(FunctionId).zip(&self.unit.mentions).filter(|(id, _)| *id != function);
        others.filter(|(_, mentioned)| mentioned.contains(&function)).map(|(id, _)| id).collect()
    }

    /// How many subjects judge each mutant.
    pub(crate) fn judges(&self) -> HashMap<Mutant, usize> {
        let mut judges = HashMap::new();
        for mutant in self.subjects.iter().flat_map(|subject| &subject.mutants) {
            *judges.entry(*mutant).or_default() += 1;
        }
        judges
    }

    /// The conclusion about a mutant that holds from the start.
    pub(crate) fn fixed(&self, mutant: Mutant) -> Option<&Conclusion> {
        self.fixed.get(&mutant)
    }

    /// The conclusions about mutants whose stage broke.
    pub(crate) fn broken(
        &self,
        stage: &str,
        is_its: impl Fn(&Change) -> bool,
    ) -> BTreeMap<Mutant, Conclusion> {
        let open = |change: &Change| (Mutant(change.number), Conclusion::open(guard::broken(stage)));
        self.changes.iter().filter(|change| is_its(change)).map(open).collect()
    }

    /// Takes mutants from their judges, because they are settled.
    pub(crate) fn leave_out(&mut self, settled: &BTreeSet<Mutant>) {
        for subject in self.subjects.iter_mut().chain(&mut self.alone) {
            subject.mutants.retain(|mutant| !settled.contains(mutant));
        }
    }
}

/// Versions that cannot stand in for the whole file are open.
fn fixed(unit: &Unit) -> BTreeMap<Mutant, Conclusion> {
    let conclusion = |version: &llvm::Graft| {
        let what = version.fault()?;
        Some(Conclusion::open(Open::Unsupported(Unsupported { what, at: None })))
    };
    let versions = unit.versions.iter().flatten();
    versions.filter_map(|version| Some((Mutant(version.number), conclusion(version)?))).collect()
}

/// The static functions with those of these mutants in them that can simply be run.
fn alone(unit: &Unit, callable: &[FunctionId], changes: &[Change]) -> Vec<Subject> {
    let program = &unit.program;
    let home = |change: &Change| match unit.homes(Mutant(change.number)) {
        [home] => program.named(home),
        _ => None,
    };
    let is_static = |id: &FunctionId| !program.function(*id).external && !callable.contains(id);
    let runs = |change: &&Change| change.parameter.is_none() && change.special_case.is_none();
    let mut mutants: BTreeMap<FunctionId, Vec<Mutant>> = BTreeMap::new();
    for change in changes.iter().filter(runs) {
        if let Some(home) = home(change).filter(is_static) {
            mutants.entry(home).or_default().push(Mutant(change.number));
        }
    }
    mutants.into_iter().map(|(function, mutants)| Subject::alone(function, mutants)).collect()
}

/// The functions that each mutant changes: one, or those that a version changes. If a version changes none,
/// every function that a test can call judges it.
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
