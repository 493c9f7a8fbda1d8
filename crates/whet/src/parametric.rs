//! Parametric mutants: who judges them, and which tests they need.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use ir::{FunctionId, GlobalId, Input, Mutant, Space};
use llvm::Unit;
use rayon::prelude::*;
use settle::{
    Conclusion, Open, ParametricMutant, ParametricVerdict, Progress, Shown, Subject, Task, Test, observe,
    replay,
};
use source::{Change, ParameterType};
use stages::Parametric;

use crate::cache::Question;
use crate::session::Session;

/// A parametric mutant, and the function through which it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub subject: FunctionId,
    mutant: Mutant,
    parameter: ParameterType,
}

impl Planned {
    /// The mutant, where this variable holds the parameter.
    fn with_variable(&self, parameter: GlobalId) -> ParametricMutant {
        let ParameterType { width, signed } = self.parameter;
        ParametricMutant { mutant: self.mutant, parameter, width, signed }
    }
}

/// Takes the parametric mutants from the subjects. Each is judged once: through
/// its own function, or the first that leads there.
pub(crate) fn take(unit: &Unit, changes: &[Change], subjects: &mut [Subject]) -> Vec<Planned> {
    let mut planned = Vec::new();
    for change in changes {
        let (mutant, Some(parameter)) = (Mutant(change.number), change.parameter) else { continue };
        let is_home = |subject: &&Subject| unit.program.function(subject.function).name == change.function;
        let judges: Vec<&Subject> = subjects.iter().filter(|it| it.mutants.contains(&mutant)).collect();
        let judge = judges.iter().copied().find(is_home).or(judges.first().copied());
        planned.extend(judge.map(|judge| Planned { subject: judge.function, mutant, parameter }));
    }
    for subject in subjects {
        subject.mutants.retain(|mutant| unit.changes[mutant.0 as usize - 1].parameter.is_none());
    }
    planned
}

/// The conclusion about each, given the inputs that kill other mutants of its
/// subject; and how many were known.
pub(crate) fn conclude(
    session: &Session,
    stage: &Parametric,
    killing: &BTreeMap<FunctionId, Vec<Input>>,
) -> (BTreeMap<Mutant, Conclusion>, usize) {
    let none = Vec::new();
    let known = AtomicUsize::new(0);
    let conclude = |planned: &Planned| {
        let inputs = killing.get(&planned.subject).unwrap_or(&none);
        let (conclusion, is_known) = one(session, stage, planned, inputs);
        known.fetch_add(is_known.into(), Ordering::Relaxed);
        session.line.settle(planned.mutant, false);
        (planned.mutant, session.without_callers(conclusion, planned.subject))
    };
    let found = session.plan.parametric.par_iter().map(conclude).collect();
    (found, known.into_inner())
}

/// What is known or found of one, and whether it was known.
fn one(session: &Session, stage: &Parametric, planned: &Planned, inputs: &[Input]) -> (Conclusion, bool) {
    let Some(parameter) = session.unit.program.parameter() else {
        return (Conclusion::open(Open::OutOfReach), false);
    };
    let (subject, parametric) = (planned.subject, planned.with_variable(parameter));
    let fuel: Vec<smt::Fuel> = stage.provers.iter().map(|prover| prover.fuel()).collect();
    let settings = format!("{} {fuel:?} {parametric:?}", stage.most);
    let (space, strict) = (&session.plan.space(subject), session.plan.search.strict_parametric);
    let question = Question { subject, parametric, space, inputs, settings: &settings, strict };
    let settle = || settle(session, stage, &question);
    session.cache.parametric(&question, &session.checker, settle)
}

impl Session<'_> {
    /// What is known if no caller in the file is asked.
    pub(crate) fn without_callers(&self, conclusion: Conclusion, judge: FunctionId) -> Conclusion {
        match self.plan.callers.get(&judge) {
            Some(callers) => conclusion.without(&self.unit.program, judge, callers),
            None => conclusion,
        }
    }

    /// A task for a stage that is not asked about a list of mutants.
    pub(crate) fn task_without_mutants<'t>(&'t self, subject: FunctionId, space: &'t Space) -> Task<'t> {
        Task::alone(&self.unit.program, subject, space, self.checker.limits, &self.deadline.stop)
    }
}

fn settle(session: &Session, stage: &Parametric, question: &Question) -> Conclusion {
    let Question { subject, parametric, space, inputs, strict, .. } = *question;
    let task = session.task_without_mutants(subject, space);
    let claim = (!session.deadline.stop.is_set()).then(|| stage.claim(&task, parametric, inputs));
    match claim.filter(|_| !session.deadline.stop.is_set()) {
        Some(claim) => {
            session.checker.parametric(subject, parametric, claim, strict, &session.attacks(subject))
        }
        None => Conclusion::open(Open::stopped(&session.deadline.stop)),
    }
}

/// The tests that parametric mutants need, each once, with what else it kills of these mutants.
pub(crate) fn tests(
    session: &Session,
    verdicts: &[(Mutant, &ParametricVerdict)],
    others: &[Mutant],
) -> Vec<Test> {
    let (program, limits) = (&session.unit.program, session.checker.limits);
    let mut tests: Vec<Test> = Vec::new();
    for (mutant, verdict) in verdicts {
        for kill in &verdict.tests {
            let is_same = |test: &&mut Test| test.subject == verdict.subject && test.input == kill.input;
            // Other values may show it plainly; so the test is there, but it
            // claims no more than what was seen.
            let claims = kill.shown != Shown::Nowhere;
            let soft = !kill.shown.in_any_build();
            if let Some(test) = tests.iter_mut().find(is_same) {
                test.kills.extend(Some(*mutant).filter(|_| claims));
                test.soft &= soft;
                continue;
            }
            let replay = replay(program, verdict.subject, &kill.input, others, limits);
            let plainly = replay.killed.iter().filter(|(_, shown)| shown.in_any_build());
            let mut kills: Vec<Mutant> = plainly.map(|(mutant, _)| *mutant).collect();
            kills.extend(Some(*mutant).filter(|_| claims));
            let soft = soft && kills.iter().all(|it| it == mutant);
            let Some(original) = observe(program, verdict.subject, &kill.input, limits) else {
                continue;
            };
            let test = Test::new(verdict.subject, kill.input.clone(), original.outcome, kills);
            tests.push(Test { soft, ..test });
        }
    }
    for test in &mut tests {
        test.kills.sort();
        test.kills.dedup();
    }
    tests
}
