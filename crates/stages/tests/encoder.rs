//! The encoder against the interpreter, on random programs.

use arbitrary::Unstructured;
use bv::{Terms, Word};
use ir::{FunctionId, Input, Mutant, Outcome, Program, Seen, Space, random, run};
use stages::{Bounds, Numbers, Plan, Skeleton, difference};

struct TestCase {
    program: Program,
    function: FunctionId,
    mutants: Vec<Mutant>,
    inputs: Vec<Input>,
}

const BOUNDS: Bounds = Bounds { iterations: 6, blocks: 3_000 };
const FUEL: u64 = 5_000;

fn test_case(u: &mut Unstructured) -> arbitrary::Result<TestCase> {
    let program = random::program(u)?;
    let function = FunctionId(u.choose_index(program.functions.len())? as u32);
    let all: Vec<Mutant> =
        program.sites.iter().flat_map(|site| &site.variants).map(|(mutant, _)| *mutant).collect();
    let mut mutants = vec![Mutant::ORIGINAL];
    for _ in 0..3 {
        if !all.is_empty() {
            mutants.push(*u.choose(&all)?);
        }
    }
    let inputs: arbitrary::Result<Vec<Input>> =
        (0..8).map(|_| random::input(u, &program, function)).collect();
    Ok(TestCase { function, mutants, inputs: inputs?, program })
}

/// How a case went, so that the smoke test can tell whether it tested anything.
#[derive(Default)]
struct Tally {
    returned: u32,
    faulted: u32,
    cut: u32,
    unsupported: u32,
    /// Original and mutant return, and a caller can tell them apart.
    differ: u32,
    /// The run freed what its caller gave.
    freed: u32,
    /// Inputs that the encoder has no variables for.
    foreign: u32,
}

fn check(case: &TestCase, tally: &mut Tally) {
    let TestCase { program, function, .. } = case;
    let plan = Plan::new(program);
    let mut terms = Terms::new();
    let mut numbers = Numbers::default();
    let globals = case.inputs[0].globals.iter().map(|(global, _)| *global).collect();
    let space = Space { size: 4, globals, ..Space::default() };
    let skeleton = Skeleton::new(program, *function, &space, &mut terms);
    let original = plan.encode(&mut terms, &mut numbers, *function, Mutant::ORIGINAL, &skeleton, BOUNDS);
    for mutant in &case.mutants {
        let encoding = plan.encode(&mut terms, &mut numbers, *function, *mutant, &skeleton, BOUNDS);
        let difference = difference(program, *function, &skeleton, &mut terms, &original, &encoding);
        for input in &case.inputs {
            let Some(assignment) = skeleton.assignment(&terms, input) else {
                tally.foreign += 1;
                continue;
            };
            let outcome = run(program, *function, *mutant, input, FUEL).outcome;
            let truth = |term| terms.eval(term, &assignment) == Word::truth(true);
            let context = || format!("{program}\n{mutant:?} on {input:?}: {outcome:?}");
            assert!(truth(skeleton.constraint), "{}", context());
            let (fault, cut) = (truth(encoding.fault), truth(encoding.cut));
            let (returned, unsupported) = (truth(encoding.returned), truth(encoding.unsupported));
            assert!(fault || returned || cut || unsupported, "{}", context());
            match &outcome {
                Outcome::Returned(observation) if !cut => {
                    // What was too hard to encode is no disagreement, as long as there is little of it.
                    if unsupported {
                        tally.unsupported += 1;
                        continue;
                    }
                    assert!(returned && !fault, "{}", context());
                    if let (Some(value), Some(Seen::Word(word))) = (encoding.result, &observation.result) {
                        let encoded = terms.eval(value.word, &assignment);
                        assert_eq!(encoded, *word, "{}", context());
                    }
                    tally.returned += 1;
                    tally.freed += u32::from(!observation.freed.is_empty());
                    let before = run(program, *function, Mutant::ORIGINAL, input, FUEL).outcome;
                    let unclear =
                        truth(difference.unclear) || truth(original.cut) || truth(original.unsupported);
                    if let (Outcome::Returned(before), false) = (&before, unclear) {
                        let seen = before.differs(observation);
                        assert_eq!(truth(difference.seen), seen, "{}\n{before:?}", context());
                        let inside = before.differs_inside(observation);
                        assert_eq!(truth(difference.hidden), inside, "{}\n{before:?}", context());
                        tally.differ += u32::from(seen);
                    }
                }
                Outcome::Faulted(..) if !cut => {
                    assert!(fault || unsupported, "{}", context());
                    tally.faulted += 1;
                }
                Outcome::Unsupported(..) if !cut => assert!(unsupported, "{}", context()),
                Outcome::OutOfFuel | Outcome::Diverged => assert!(cut || unsupported, "{}", context()),
                Outcome::Returned(_) => {
                    assert!(!fault, "{}", context());
                    tally.cut += 1;
                }
                _ => tally.cut += 1,
            }
        }
    }
}

/// How often more is tried, if too little was seen.
const PATIENCE: u32 = 10;

impl Tally {
    fn is_enough(&self) -> bool {
        self.returned > 100 && self.faulted > 10 && self.differ > 10 && self.freed > 5
    }
}

#[test]
fn smoke() {
    let mut tally = Tally::default();
    // On a busy machine the time runs out before much is seen.
    for _ in 0..PATIENCE {
        arbtest::arbtest(|u| {
            check(&test_case(u)?, &mut tally);
            Ok(())
        })
        .budget_ms(4_000)
        .size_min(2_000)
        .size_max(60_000);
        if tally.is_enough() {
            break;
        }
    }
    let enough = tally.is_enough();
    let Tally { returned, faulted, cut, unsupported, differ, freed, foreign } = tally;
    assert!(
        enough && unsupported < returned / 4 && foreign < returned,
        "too little was tested: {returned} returned, {differ} of them differ, {freed} freed something, {faulted} \
         faulted, {cut} cut, {unsupported} unsupported, {foreign} foreign"
    );
}

/// How often an encoding of all mutants could be compared with one of a single mutant.
fn check_any(case: &TestCase) -> u32 {
    let TestCase { program, function, .. } = case;
    let plan = Plan::new(program);
    let mut terms = Terms::new();
    let mut numbers = Numbers::default();
    let globals = case.inputs[0].globals.iter().map(|(global, _)| *global).collect();
    let space = Space { size: 4, globals, ..Space::default() };
    let skeleton = Skeleton::new(program, *function, &space, &mut terms);
    let number = terms.variable("mutant", 32);
    plan.encode(&mut terms, &mut numbers, *function, Mutant::ORIGINAL, &skeleton, BOUNDS);
    let any = plan.encode_any(&mut terms, &mut numbers, *function, number, &skeleton, BOUNDS);
    let mut compared = 0;
    for mutant in case.mutants.iter().filter(|mutant| **mutant != Mutant::ORIGINAL) {
        let one = plan.encode(&mut terms, &mut numbers, *function, *mutant, &skeleton, BOUNDS);
        for input in &case.inputs {
            let Some(mut assignment) = skeleton.assignment(&terms, input) else { continue };
            assignment.push(Word::new(32, mutant.0.into()));
            let truth = |term| terms.eval(term, &assignment) == Word::truth(true);
            if [any.cut, any.unsupported, one.cut, one.unsupported].into_iter().any(truth) {
                continue;
            }
            let context = || format!("{program}\n{mutant:?} on {input:?}");
            assert_eq!(truth(any.fault), truth(one.fault), "{}", context());
            if truth(one.fault) {
                continue;
            }
            assert_eq!(truth(any.returned), truth(one.returned), "{}", context());
            if let (Some(any), Some(one)) = (any.result, one.result) {
                let [any, one] = [any, one].map(|value| terms.eval(value.word, &assignment));
                assert_eq!(any, one, "{}", context());
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn a_free_number_means_each_mutant() {
    let mut compared = 0;
    // On a busy machine the time runs out before much is seen.
    for _ in 0..PATIENCE {
        arbtest::arbtest(|u| {
            compared += check_any(&test_case(u)?);
            Ok(())
        })
        .budget_ms(1_000)
        .size_min(2_000)
        .size_max(60_000);
        if compared > 100 {
            return;
        }
    }
    panic!("too little was compared: {compared}");
}
