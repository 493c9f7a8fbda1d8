//! The stages against exhaustion: over all inputs of ten bits or fewer, on random programs, and on loops for
//! those that reason about loops.

mod a_loop;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use arbitrary::Unstructured;
use bv::{Memory, Stop, Word};
use ir::{FunctionId, Input, Mutant, Outcome, Program, Space, Type, random, run};
use settle::{Claim, Limits, Stage, Task, observe, outcomes_differ, replay};
use smt::{Fuel, Process};
use stages::{Bounded, Inductive, Methods, Round, Simulate};

/// Fuel for a mutant that is called equivalent. It has to return.
const PATIENT: u64 = 1_000_000;

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

/// A loop, and perhaps another one in it.
fn loop_case(u: &mut Unstructured) -> arbitrary::Result<Option<TestCase>> {
    let text = a_loop::text(u)?;
    let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(ir::verify(&program), Ok(()), "{text}");
    Ok(Some(TestCase { program, function: FunctionId(0) }))
}

/// The widths of the parameters, if all are integers.
fn widths(program: &Program, function: FunctionId) -> Option<Vec<u32>> {
    let width = |parameter: &ir::Parameter| match program.of(parameter.of) {
        Type::Integer(scalar) => Some(scalar.width),
        _ => None,
    };
    program.function(function).signature.parameters.iter().map(width).collect()
}

/// How many mutants each stage has claimed to be killed, and to be equivalent without any assumption.
#[derive(Default, Debug)]
struct Tally {
    killed: BTreeMap<&'static str, u32>,
    equivalent: BTreeMap<&'static str, u32>,
}

impl Tally {
    fn equivalent(&self, stage: &str) -> u32 {
        self.equivalent.get(stage).copied().unwrap_or(0)
    }
}

/// A stage under the name of what it is tried with.
type Named<'a> = (&'static str, &'a dyn Stage);

/// No stage contradicts what happens on all inputs.
fn check(case: &TestCase, stages: &[Named], tally: &mut Tally) {
    let limits = Limits { original: 1_000, mutant: 4_000, hang: 0, time_out: true, memory: Memory::DEFAULT };
    let mutants: Vec<Mutant> = case
        .program
        .sites
        .iter()
        .flat_map(|site| &site.variants)
        .map(|(mutant, _)| *mutant)
        .take(24)
        .collect();
    let (space, stop) = (Space::default(), Stop::default());
    let task = Task { open: &mutants, ..Task::alone(&case.program, case.function, &space, limits, &stop) };
    let valid = OnceCell::new();
    for (name, stage) in stages {
        for (mutant, claim) in stage.claims(&task) {
            let context = || format!("{}\n{name}: {mutant:?} {claim:?}", case.program);
            match &claim {
                Claim::Killed(input) => {
                    // Whether a slow one hangs is for the checker to find out.
                    let seen = replay(&case.program, case.function, input, &[mutant], limits);
                    let killed: Vec<Mutant> = seen.killed.iter().map(|(mutant, _)| *mutant).collect();
                    assert_eq!([killed, seen.slow].concat(), [mutant], "{}", context());
                    *tally.killed.entry(name).or_default() += 1;
                }
                Claim::Equivalent(proof) if !proof.granted.is_limited() => {
                    for (input, original) in valid.get_or_init(|| valid_inputs(case, limits)) {
                        let other = run(&case.program, case.function, mutant, input, PATIENT).outcome;
                        let hangs = other == Outcome::OutOfFuel;
                        let differ = hangs || outcomes_differ(original, &other);
                        assert!(!differ, "{}\n{input:?}: {original:?}, {other:?}", context());
                    }
                    *tally.equivalent.entry(name).or_default() += 1;
                }
                Claim::Equivalent(_) | Claim::Open(_) => {}
                Claim::Duplicate(_) => unreachable!("none of these stages compares mutants"),
            }
        }
    }
}

/// The inputs on which the original returns, and what it does.
fn valid_inputs(case: &TestCase, limits: Limits) -> Vec<(Input, Outcome)> {
    let observed = |input: Input| {
        let outcome = observe(&case.program, case.function, &input, limits)?.outcome;
        Some((input, outcome))
    };
    all_inputs(case).into_iter().filter_map(observed).collect()
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

/// How often more is tried, if too little was seen.
const PATIENCE: u32 = 10;

/// Tries these stages on random test cases, until enough was seen.
fn try_stages(
    test_case: fn(&mut Unstructured) -> arbitrary::Result<Option<TestCase>>,
    stages: &[Named],
    budget_ms: u64,
    enough: impl Fn(&Tally) -> bool,
) {
    let mut tally = Tally::default();
    // On a busy machine the time runs out before much is seen.
    for _ in 0..PATIENCE {
        arbtest::arbtest(|u| {
            if let Some(case) = test_case(u)? {
                check(&case, stages, &mut tally);
            }
            Ok(())
        })
        .budget_ms(budget_ms)
        .size_min(2_000)
        .size_max(12_000);
        if enough(&tally) {
            return;
        }
    }
    panic!("too little was tested: {tally:?}");
}

fn inductive(methods: Methods, horn: Option<Process>) -> Inductive {
    Inductive { fuel: Fuel(5_000), obligations: false, methods, horn, round: Round::Only }
}

#[test]
fn smoke() {
    let bounded = Bounded { bound: 6, fuel: Fuel(20_000), obligations: false, round: Round::Only };
    let inductive = inductive(Methods::ALL, None);
    let stages: [Named; 3] = [("simulate", &Simulate), ("inductive", &inductive), ("bounded", &bounded)];
    try_stages(test_case, &stages, 8_000, |tally| {
        tally.killed.values().sum::<u32>() > 20
            && tally.equivalent("bounded") > 10
            && tally.equivalent("inductive") > 0
    });
}

#[test]
fn each_way_of_induction_alone() {
    let lockstep = inductive(Methods { lockstep: true, ..Methods::NONE }, None);
    let relations = inductive(Methods { relations: true, ..Methods::NONE }, None);
    let stages: [Named; 2] = [("lockstep", &lockstep), ("relations", &relations)];
    try_stages(loop_case, &stages, 4_000, |tally| {
        tally.equivalent("lockstep") > 20 && tally.equivalent("relations") > 20
    });
}

#[test]
fn horn_clauses_alone() {
    let z3 = Process::new("z3", &["-in", "rlimit=1000000", "fp.engine=spacer"]);
    let horn = inductive(Methods::NONE, Some(z3));
    try_stages(loop_case, &[("horn", &horn)], 3_000, |tally| tally.equivalent("horn") > 2);
}

#[test]
fn the_original_is_equivalent_to_itself() {
    arbtest::arbtest(|u| {
        let program = random::program(u)?;
        let open = [Mutant::ORIGINAL];
        let limits =
            Limits { original: 500, mutant: 2_000, hang: 0, time_out: true, memory: Memory::DEFAULT };
        let (space, stop) = (Space::default(), Stop::default());
        let task = Task { open: &open, ..Task::alone(&program, FunctionId(0), &space, limits, &stop) };
        assert_eq!(Simulate.claims(&task), []);
        let bounded = Bounded { bound: 2, fuel: Fuel(20_000), obligations: false, round: Round::Only };
        for (_, claim) in bounded.claims(&task) {
            assert!(!matches!(claim, Claim::Killed(_)), "{program}\n{claim:?}");
        }
        Ok(())
    })
    .budget_ms(2_000)
    .size_min(2_000)
    .size_max(30_000);
}
