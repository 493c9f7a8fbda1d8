//! Mutants with an unknown number in them: who judges them, and what becomes of their tests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use ir::{FunctionId, GlobalId, Input, Mutant, Space};
use llvm::Unit;
use rayon::prelude::*;
use settle::{
    Checker, Conclusion, Family, Forgetful, Open, Shown, Silent, Subject, Task, Test, Unknown, observe,
    replay,
};
use source::Change;
use stages::Parametric;

use crate::decide::ATTACKS;
use crate::past::{Past, Question};

/// A mutant with an unknown number, and the function through which it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub subject: FunctionId,
    mutant: Mutant,
    unknown: source::Unknown,
}

impl Case {
    fn unknown(&self, parameter: GlobalId) -> Unknown {
        let source::Unknown { width, signed } = self.unknown;
        Unknown { mutant: self.mutant, parameter, width, signed }
    }
}

/// Takes these mutants from the subjects. Each is judged once: through the function that it is in, or the first that leads there.
pub fn take(unit: &Unit, changes: &[Change], subjects: &mut [Subject]) -> Vec<Case> {
    let mut cases = Vec::new();
    for change in changes {
        let (mutant, Some(unknown)) = (Mutant(change.number), change.unknown) else { continue };
        let is_home = |subject: &&Subject| unit.program.function(subject.function).name == change.function;
        let judges: Vec<&Subject> = subjects.iter().filter(|it| it.mutants.contains(&mutant)).collect();
        let judge = judges.iter().copied().find(is_home).or(judges.first().copied());
        cases.extend(judge.map(|judge| Case { subject: judge.function, mutant, unknown }));
    }
    for subject in subjects {
        subject.mutants.retain(|mutant| unit.changes[mutant.0 as usize - 1].unknown.is_none());
    }
    cases
}

/// Judges them.
pub struct Judge<'a> {
    pub unit: &'a Unit,
    pub checker: &'a Checker<'a>,
    pub stage: Parametric,
    pub strict: bool,
    pub past: &'a Past<'a>,
}

impl Judge<'_> {
    /// What becomes of each, given the inputs that kill other mutants of its subject; and how many were known.
    pub fn conclude(
        &self,
        cases: &[Case],
        space: &(dyn Fn(FunctionId) -> Space + Sync),
        killing: &BTreeMap<FunctionId, Vec<Input>>,
        heard: &(dyn Fn() + Sync),
    ) -> (BTreeMap<Mutant, Conclusion>, usize) {
        let none = Vec::new();
        let known = AtomicUsize::new(0);
        let conclude = |case: &Case| {
            let inputs = killing.get(&case.subject).unwrap_or(&none);
            let (conclusion, is_known) = self.one(case, &space(case.subject), inputs);
            known.fetch_add(is_known.into(), Ordering::Relaxed);
            heard();
            (case.mutant, conclusion)
        };
        let found = cases.par_iter().map(conclude).collect();
        (found, known.into_inner())
    }

    fn one(&self, case: &Case, space: &Space, inputs: &[Input]) -> (Conclusion, bool) {
        let Some(parameter) = self.unit.program.parameter() else {
            return (Conclusion::open(Open::OutOfReach), false);
        };
        let (subject, unknown) = (case.subject, case.unknown(parameter));
        let fuel: Vec<smt::Fuel> = self.stage.provers.iter().map(|prover| prover.fuel()).collect();
        let settings = format!("{} {fuel:?} {unknown:?}", self.stage.most);
        let question = Question { subject, unknown, space, inputs, settings: &settings, strict: self.strict };
        self.past.family(&question, self.checker, || self.settle(case, unknown, space, inputs))
    }

    fn settle(&self, case: &Case, unknown: Unknown, space: &Space, inputs: &[Input]) -> Conclusion {
        let task = Task {
            program: &self.unit.program,
            subject: case.subject,
            space,
            open: &[],
            inputs: &[],
            limits: self.checker.limits,
            progress: &Silent,
            memory: &Forgetful,
        };
        let members = self.stage.members(&task, unknown, inputs);
        let attacks = stages::attacks(&self.unit.program, case.subject, space, ATTACKS);
        self.checker.family(case.subject, unknown, members, self.strict, &attacks)
    }
}

/// The tests that families need, each once, with what else it kills of these mutants.
pub fn tests(unit: &Unit, checker: &Checker, families: &[(Mutant, &Family)], others: &[Mutant]) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    for (mutant, family) in families {
        for kill in &family.tests {
            let is_same = |test: &&mut Test| test.subject == family.subject && test.input == kill.input;
            // Other numbers may show it plainly; so the test is there, but it claims no more than what was seen.
            let claims = kill.shown != Shown::Nowhere;
            let soft = !kill.shown.in_any_build();
            if let Some(test) = tests.iter_mut().find(is_same) {
                test.kills.extend(Some(*mutant).filter(|_| claims));
                test.soft &= soft;
                continue;
            }
            let replay = replay(&unit.program, family.subject, &kill.input, others, checker.limits);
            let plainly = replay.killed.iter().filter(|(_, shown)| shown.in_any_build());
            let mut kills: Vec<Mutant> = plainly.map(|(mutant, _)| *mutant).collect();
            kills.extend(Some(*mutant).filter(|_| claims));
            let soft = soft && kills.iter().all(|it| it == mutant);
            let Some(original) = observe(&unit.program, family.subject, &kill.input, checker.limits) else {
                continue;
            };
            tests.push(Test {
                subject: family.subject,
                input: kill.input.clone(),
                returns: original.outcome,
                kills,
                may_kill: vec![],
                whole: true,
                soft,
            });
        }
    }
    for test in &mut tests {
        test.kills.sort();
        test.kills.dedup();
    }
    tests
}
