//! The stages against exhaustion: over all inputs of ten bits or fewer, on random programs.

use arbitrary::Unstructured;
use bv::Word;
use ir::{FunctionId, Input, Mutant, Program, Space, Type, random};
use settle::{Claim, Forgetful, Limits, Progress, Stage, Task, kills, replay};
use smt::Fuel;
use stages::{Bounded, Inductive, Simulate};

struct TestCase {
    program: Program,
    function: FunctionId,
}

/// None where the inputs are too many to try them all.
fn test_case(u: &mut Unstructured) -> arbitrary::Result<Option<TestCase>> {
    let program = random::program(u)?;
    let function = FunctionId(u.choose_index(program.functions.len())? as u32);
    let few = widths(&program, function).is_some_and(|widths| widths.iter().sum::<u32>() <= 10);
    let alone = ir::reachable_externals(&program, function).is_empty();
    Ok((few && alone).then_some(TestCase { program, function }))
}

/// The widths of the parameters, if all are integers.
fn widths(program: &Program, function: FunctionId) -> Option<Vec<u32>> {
    let width = |parameter: &ir::Parameter| match program.of(parameter.of) {
        Type::Integer(scalar) => Some(scalar.width),
        _ => None,
    };
    program.function(function).signature.parameters.iter().map(width).collect()
}

#[derive(Default)]
struct Tally {
    killed: u32,
    equivalent: u32,
    up_to_bound: u32,
    /// Of the equivalent, those that were proved by induction.
    inductive: u32,
}

fn check(case: &TestCase, tally: &mut Tally) {
    let limits = Limits { original: 500, mutant: 2_000, hang: 0 };
    let mutants: Vec<Mutant> = case
        .program
        .sites
        .iter()
        .flat_map(|site| &site.variants)
        .map(|(mutant, _)| *mutant)
        .take(24)
        .collect();
    let task = Task {
        program: &case.program,
        subject: case.function,
        space: &Space::default(),
        open: &mutants,
        inputs: &[],
        limits,
        progress: &Silent,
        memory: &Forgetful,
    };
    let all = all_inputs(case);
    let mut killable: Vec<Mutant> = vec![];
    for input in &all {
        let rest: Vec<Mutant> = mutants.iter().copied().filter(|mutant| !killable.contains(mutant)).collect();
        killable.extend(kills(&case.program, case.function, input, &rest, limits));
    }
    let bounded = Bounded { bound: 6, fuel: Fuel(20_000), obligations: false };
    let inductive = Inductive { fuel: Fuel(5_000), obligations: false, horn: None };
    for stage in [&Simulate as &dyn Stage, &inductive, &bounded] {
        for (mutant, claim) in stage.claims(&task) {
            let context = || format!("{}\n{}: {mutant:?} {claim:?}", case.program, stage.name());
            match &claim {
                Claim::Killed(input) => {
                    // Whether a slow one hangs is for the checker to find out.
                    let seen = replay(&case.program, case.function, input, &[mutant], limits);
                    let killed: Vec<Mutant> = seen.killed.iter().map(|(mutant, _)| *mutant).collect();
                    assert_eq!([killed, seen.slow].concat(), [mutant], "{}", context());
                    tally.killed += 1;
                }
                Claim::Equivalent(proof) if proof.assumptions.is_empty() => {
                    assert!(!killable.contains(&mutant), "{}", context());
                    tally.equivalent += 1;
                    tally.inductive += u32::from(stage.name() == Inductive::NAME);
                }
                Claim::Equivalent(_) | Claim::Open(_) => tally.up_to_bound += 1,
                Claim::Duplicate(_) => unreachable!("neither stage compares mutants"),
            }
        }
    }
}

fn all_inputs(case: &TestCase) -> Vec<Input> {
    let widths = widths(&case.program, case.function).expect("the test case is made of integers");
    let bits: u32 = widths.iter().sum();
    (0..1u128 << bits)
        .map(|number| {
            let mut rest = number;
            Input::words(widths.iter().map(|width| {
                let word = Word::new(*width, rest);
                rest >>= width;
                word
            }))
        })
        .collect()
}

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: usize) {}
}

/// How often more is tried, if too little was seen.
const PATIENCE: u32 = 10;

#[test]
fn smoke() {
    let mut tally = Tally::default();
    // On a busy machine the time runs out before much is seen.
    for _ in 0..PATIENCE {
        arbtest::arbtest(|u| {
            if let Some(case) = test_case(u)? {
                check(&case, &mut tally);
            }
            Ok(())
        })
        .budget_ms(8_000)
        .size_min(2_000)
        .size_max(12_000);
        if tally.killed > 20 && tally.equivalent > 10 && tally.inductive > 0 {
            break;
        }
    }
    let Tally { killed, equivalent, up_to_bound, inductive } = tally;
    assert!(
        killed > 20 && equivalent > 10 && inductive > 0,
        "too little was tested: {killed} killed, {equivalent} equivalent, {inductive} of them by induction, {up_to_bound} not"
    );
}

#[test]
fn the_original_is_equivalent_to_itself() {
    arbtest::arbtest(|u| {
        let program = random::program(u)?;
        let open = [Mutant::ORIGINAL];
        let limits = Limits { original: 500, mutant: 2_000, hang: 0 };
        let task = Task {
            program: &program,
            subject: FunctionId(0),
            space: &Space::default(),
            open: &open,
            inputs: &[],
            limits,
            progress: &Silent,
            memory: &Forgetful,
        };
        assert_eq!(Simulate.claims(&task), []);
        let bounded = Bounded { bound: 2, fuel: Fuel(20_000), obligations: false };
        for (_, claim) in bounded.claims(&task) {
            assert!(!matches!(claim, Claim::Killed(_)), "{program}\n{claim:?}");
        }
        Ok(())
    })
    .budget_ms(2_000)
    .size_min(2_000)
    .size_max(30_000);
}
