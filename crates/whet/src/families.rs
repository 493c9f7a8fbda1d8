//! Mutants with an unknown number in them: who judges them, and what becomes of their tests.

use std::collections::BTreeMap;

use ir::{FunctionId, Input, Mutant, Space};
use llvm::Unit;
use rayon::prelude::*;
use settle::{
    Checker, Conclusion, Family, Forgetful, Kill, Open, Rejection, Shown, Silent, Subject, Task, Test,
    observe, replay,
};
use source::{Change, Unknown};
use stages::{Members, Parametric, with_parameter};

/// A mutant with an unknown number, and the function through which it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub subject: FunctionId,
    mutant: Mutant,
    unknown: Unknown,
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
}

impl Judge<'_> {
    /// What becomes of each, given the inputs that kill other mutants of its subject.
    pub fn conclude(
        &self,
        cases: &[Case],
        space: &(dyn Fn(FunctionId) -> Space + Sync),
        killing: &BTreeMap<FunctionId, Vec<Input>>,
        heard: &(dyn Fn() + Sync),
    ) -> BTreeMap<Mutant, Conclusion> {
        let none = Vec::new();
        let conclude = |case: &Case| {
            let inputs = killing.get(&case.subject).unwrap_or(&none);
            let conclusion = self.one(case, &space(case.subject), inputs);
            heard();
            (case.mutant, conclusion)
        };
        cases.par_iter().map(conclude).collect()
    }

    fn one(&self, case: &Case, space: &Space, inputs: &[Input]) -> Conclusion {
        let Some(parameter) = self.unit.program.parameter() else {
            return Conclusion::Open(Open::OutOfReach);
        };
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
        let Unknown { width, signed } = case.unknown;
        let family = stages::Family { mutant: case.mutant, parameter, width, signed };
        let members = self.stage.members(&task, family, inputs);
        let mut tests = Vec::new();
        for (input, number) in &members.tests {
            match self.checker.kill(case.subject, case.mutant, &with_parameter(input, family, *number)) {
                Ok(kill) => tests.push(Kill { input: input.clone(), ..kill }),
                Err(Rejection(why)) => return Conclusion::Open(Open::Rejected(why)),
            }
        }
        let word = |word: &bv::Word| match signed {
            true => word.signed().to_string(),
            false => word.bits().to_string(),
        };
        let Members { equivalent, more, assumptions, left, complete, singly, .. } = members;
        Conclusion::Family(Family {
            subject: case.subject,
            tests,
            except: equivalent.iter().map(word).collect(),
            more,
            assumptions,
            left: left.as_ref().map(word),
            complete,
            singly,
            strict: self.strict,
        })
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
