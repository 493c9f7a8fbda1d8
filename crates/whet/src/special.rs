//! Special cases: mutants that are wrong in one case only. Finds an input for each case, and the tests.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Datum, FunctionId, Input, Mutant, SpecialCase};
use llvm::Unit;
use rayon::prelude::*;
use settle::{Conclusion, Ending, Open, Progress, Subject, Test, observe};
use source::Change;

use crate::session::Session;

/// A mutant that is wrong in one special case only, and its subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub subject: FunctionId,
    mutant: Mutant,
    case: SpecialCase,
}

/// Takes the mutants of this kind that were asked for from the subjects, where
/// no other judge is to look at them.
pub(crate) fn take(unit: &Unit, changes: &[Change], subjects: &mut [Subject]) -> Vec<Planned> {
    let known: BTreeMap<u32, SpecialCase> = unit.special_cases.iter().copied().collect();
    let planned = |change: &Change| {
        let case = *known.get(&change.number)?;
        let subject = unit.program.named(&change.function)?;
        Some(Planned { subject, mutant: Mutant(change.number), case })
    };
    for subject in subjects {
        subject.mutants.retain(|mutant| !known.contains_key(&mutant.0));
    }
    changes.iter().filter_map(planned).collect()
}

/// The conclusion about each, given the inputs that kill other mutants of its subject.
pub(crate) fn conclude(
    session: &Session,
    stage: &stages::Special,
    killing: &BTreeMap<FunctionId, Vec<Input>>,
) -> BTreeMap<Mutant, Conclusion> {
    let subjects: BTreeSet<FunctionId> = session.plan.special.iter().map(|planned| planned.subject).collect();
    let subjects: Vec<FunctionId> = subjects.into_iter().collect();
    let none = Vec::new();
    let conclude = |subject: &FunctionId| {
        let inputs = killing.get(subject).unwrap_or(&none);
        conclude_subject(session, stage, *subject, inputs)
    };
    subjects.par_iter().flat_map_iter(conclude).collect()
}

fn conclude_subject(
    session: &Session,
    stage: &stages::Special,
    subject: FunctionId,
    inputs: &[Input],
) -> Vec<(Mutant, Conclusion)> {
    let program = &session.unit.program;
    let planned: Vec<&Planned> = session.plan.special.iter().filter(|it| it.subject == subject).collect();
    if let Some(unsupported) = program.uncallable(subject) {
        let open = Conclusion::open(Open::Unsupported(unsupported.clone()));
        return planned.iter().map(|it| (it.mutant, open.clone())).collect();
    }
    let space = session.plan.space(subject);
    let task = session.task_without_mutants(subject, &space);
    let cases: Vec<SpecialCase> = planned.iter().map(|it| it.case).collect();
    let found = stage.occurrences(&task, &cases, inputs);
    planned.iter().for_each(|it| session.line.settle(it.mutant, false));
    let attacks = session.attacks(subject);
    let conclusion = |it: &Planned, occurrence| {
        let name = stages::Special::NAME;
        let conclusion =
            session.checker.special_case(subject, it.mutant, it.case, name, occurrence, &attacks);
        session.without_callers(conclusion, subject)
    };
    planned.iter().zip(found).map(|(it, found)| (it.mutant, conclusion(it, found))).collect()
}

/// Credits special cases to the tests that have them, and adds tests for the others. A test with several
/// cases counts for all of them, so few are added.
pub(crate) fn tests(session: &Session, found: &[Conclusion], tests: &mut Vec<Test>) {
    let (program, limits) = (&session.unit.program, session.checker.limits);
    let mut missing: Vec<&Planned> = Vec::new();
    let inputs: Vec<(FunctionId, &Input)> = found
        .iter()
        .filter_map(|conclusion| match conclusion.ending() {
            Ending::SpecialCase { subject, input } => Some((*subject, input)),
            _ => None,
        })
        .collect();
    for planned in &session.plan.special {
        let has =
            |subject: FunctionId, input: &Input| subject == planned.subject && planned.case.holds(input);
        let mut is_there = false;
        for test in tests.iter_mut().filter(|test| has(test.subject, &test.input)) {
            test.kills.push(planned.mutant);
            is_there = true;
        }
        if !is_there && inputs.iter().any(|(subject, input)| has(*subject, input)) {
            missing.push(planned);
        }
    }
    while let Some(first) = missing.first() {
        let subject = first.subject;
        let of = |input: &Input| {
            let has = |it: &&&Planned| it.subject == subject && it.case.holds(input);
            missing.iter().filter(has).map(|it| it.mutant).collect::<Vec<Mutant>>()
        };
        let candidates = inputs.iter().filter(|(other, input)| *other == subject && first.case.holds(input));
        // The first of those that have the most.
        let mut best: Option<(&Input, Vec<Mutant>)> = None;
        for (_, input) in candidates {
            let kills = of(input);
            if best.as_ref().is_none_or(|(_, most)| kills.len() > most.len()) {
                best = Some((input, kills));
            }
        }
        let Some((input, kills)) = best else { unreachable!("some input has it") };
        let keeps = |input: &Input| {
            let mut own = missing.iter().filter(|it| kills.contains(&it.mutant));
            own.all(|it| it.case.holds(input)) && observe(program, subject, input, limits).is_some()
        };
        let input = &shortened(input, &keeps);
        missing.retain(|it| !kills.contains(&it.mutant));
        let Some(original) = observe(program, subject, input, limits) else { continue };
        tests.push(Test::new(subject, input.clone(), original.outcome, kills));
    }
    tests.iter_mut().for_each(|test| test.kills.sort());
}

/// The same with as few elements as something holds for.
fn shortened(input: &Input, holds: &dyn Fn(&Input) -> bool) -> Input {
    let mut best = input.clone();
    let inside = |datum: &Datum| match datum {
        Datum::Pointer { object, element } if *element > 0 => Some(*object as usize),
        _ => None,
    };
    let fixed: BTreeSet<usize> = input.arguments.iter().filter_map(inside).collect();
    for object in (0..best.objects.len()).filter(|object| !fixed.contains(object)) {
        let mut at = best.objects[object].elements.len();
        while at > 0 && best.objects[object].elements.len() > 1 {
            at -= 1;
            let mut shorter = best.clone();
            shorter.objects[object].elements.remove(at);
            if holds(&shorter) {
                best = shorter;
            }
        }
    }
    best
}
