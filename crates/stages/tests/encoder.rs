//! The encoder against the interpreter, on random programs.

mod encoded;

use arbitrary::Unstructured;
use bv::{Terms, Word};
use encoded::{Case, Tally};
use ir::{FunctionId, Input, Mutant, Program, Space, random};
use stages::{Bounds, Names, Plan, Request, Skeleton};

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

/// How often more is tried, if too little was seen.
const PATIENCE: u32 = 10;

fn is_enough(tally: &Tally) -> bool {
    tally.returned > 100 && tally.faulted > 10 && tally.differ > 10 && tally.freed > 5
}

/// The globals of the first input are those that the encoder has variables for.
fn space(case: &TestCase) -> Space {
    let globals = case.inputs[0].globals.iter().map(|(global, _)| *global).collect();
    Space { size: 4, globals, ..Space::default() }
}

fn check(case: &TestCase, tally: &mut Tally) {
    let TestCase { program, function, mutants, inputs } = case;
    let (space, shown) = (&space(case), program);
    encoded::check(
        &Case { program, function: *function, space, mutants, inputs, bounds: BOUNDS, fuel: FUEL, shown },
        tally,
    );
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
        if is_enough(&tally) {
            break;
        }
    }
    let enough = is_enough(&tally);
    let Tally { returned, faulted, cut, unsupported, differ, freed, foreign } = tally;
    assert!(
        enough && unsupported < returned / 4 && foreign < returned,
        "too little was tested: {returned} returned, {differ} of them differ, {freed} freed something, {faulted} \
         faulted, {cut} cut, {unsupported} unsupported, {foreign} foreign"
    );
}

#[test]
fn two_nans_with_different_bits_are_one_result() {
    let text = r#"function @f(%0 x: f32 "float") -> f32 "float" {
        block0: %1:i32 = xor %0, 2147483648:i32 return %1
    }"#;
    let program = ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let inputs = [0x7fc0_0000, 0x7fc0_0001, 0xffc0_0000].map(|bits| Input::words([Word::new(32, bits)]));
    let mutants = vec![Mutant::ORIGINAL];
    let case = TestCase { program, function: FunctionId(0), mutants, inputs: inputs.to_vec() };
    let mut tally = Tally::default();
    check(&case, &mut tally);
    assert_eq!(tally.returned, 3);
}

/// How often an encoding of all mutants could be compared with one of a single mutant.
fn check_any(case: &TestCase) -> u32 {
    let TestCase { program, function, .. } = case;
    let plan = Plan::new(program);
    let mut terms = Terms::new();
    let mut names = Names::default();
    let skeleton = Skeleton::new(program, *function, &space(case), &mut terms);
    let number = terms.variable("mutant", 32);
    let request = |mutant| Request { inputs: &skeleton, mutant, bounds: BOUNDS };
    plan.encode(&mut terms, &mut names, request(Mutant::ORIGINAL));
    let any = plan.encode_any(&mut terms, &mut names, &skeleton, number, BOUNDS);
    let mut compared = 0;
    for mutant in case.mutants.iter().filter(|mutant| **mutant != Mutant::ORIGINAL) {
        let one = plan.encode(&mut terms, &mut names, request(*mutant));
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
