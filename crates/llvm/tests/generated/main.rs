//! The interpreter against machine code, on generated C.
//!
//! Both start from the same module and share nothing after that: the lift and `ir` on one side, the defined form and
//! clang on the other. They must agree on every outcome, also on traps, and on running out of fuel.

mod generator;

use bv::{Hazard, Word};
use generator::Random;
use ir::{Fault, Function, FunctionId, Input, Mutant, Outcome};
use llvm::{Native, NativeOutcome, Options, Overflow, Trap, Unit, operators};

/// One build serves all of them, and takes longer than to run them.
const FUNCTIONS: usize = 20;
const INPUTS: usize = 6;
/// How many mutants see each input.
const MUTANTS: usize = 8;
/// Little, so that running out is common.
const FUEL: u64 = 500;
/// No mutant has this number: the original, but run as a mutant is, over whatever C leaves undefined.
const BINARY: Mutant = Mutant(1_000_000);

#[derive(Debug)]
struct TestCase {
    seed: u64,
    overflow: Overflow,
}

#[derive(Default, Debug)]
struct Tally {
    returned: u64,
    trapped: u64,
    out_of_fuel: u64,
}

fn check(case: TestCase) -> Tally {
    let mut random = Random(case.seed);
    let c = generator::file(&mut random, FUNCTIONS);
    let unit = load(&c, case.overflow);
    let native = Native::build(&unit).unwrap_or_else(|error| panic!("{error}\n{c}"));
    let mut tally = Tally::default();
    for (at, function) in unit.program.functions.iter().enumerate() {
        assert_eq!(function.unsupported, None, "{c}");
        let id = FunctionId(at as u32);
        for _ in 0..INPUTS {
            let input = input(&mut random, function);
            let mut mutants = vec![Mutant::ORIGINAL, BINARY];
            if !unit.changes.is_empty() {
                mutants.extend((0..MUTANTS).map(|_| Mutant(1 + random.below(unit.changes.len()) as u32)));
            }
            for mutant in mutants {
                let run = ir::run(&unit.program, id, mutant, &input, FUEL);
                let Some(expected) = as_native(&run.outcome) else {
                    let is_faulted = matches!(run.outcome, Outcome::Faulted(..));
                    assert!(mutant == Mutant::ORIGINAL || !is_faulted, "{:?}\n{c}", run.outcome);
                    continue;
                };
                let actual = native.run(id, mutant, &input, FUEL).expect("the server answers");
                assert_eq!(
                    actual,
                    expected,
                    "{} as {mutant:?} ({:?}) on {input:?}, {case:?}\n{c}",
                    function.name,
                    unit.changes.get((mutant.0 as usize).wrapping_sub(1)),
                );
                match expected {
                    NativeOutcome::Returned(_) => tally.returned += 1,
                    NativeOutcome::OutOfFuel => tally.out_of_fuel += 1,
                    _ => tally.trapped += 1,
                }
            }
        }
    }
    tally
}

#[test]
fn smoke() {
    // For a quiet night, `WHET_SEEDS=60 cargo test -p whet-llvm --test generated` takes more of them.
    let seeds = std::env::var("WHET_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    check_seeds(0..seeds.unwrap_or(5));
}

fn check_seeds(seeds: std::ops::Range<u64>) {
    let mut total = Tally::default();
    for seed in seeds {
        let overflow = if seed % 2 == 0 { Overflow::Undefined } else { Overflow::Wrap };
        let tally = check(TestCase { seed, overflow });
        total.returned += tally.returned;
        total.trapped += tally.trapped;
        total.out_of_fuel += tally.out_of_fuel;
    }
    // A generator that only makes trivial programs would prove nothing.
    assert!(total.returned > 1000 && total.trapped > 100 && total.out_of_fuel > 100, "{total:?}");
}

/// What the machine should say. None where only C's rules ended the run, and the machine would go on.
fn as_native(outcome: &Outcome) -> Option<NativeOutcome> {
    Some(match outcome {
        Outcome::Returned(word) => NativeOutcome::Returned(*word),
        // The machine does not know that it runs in circles.
        Outcome::OutOfFuel | Outcome::Diverged => NativeOutcome::OutOfFuel,
        Outcome::Faulted(Fault::Hazard(Hazard::DivisionByZero), _) => {
            NativeOutcome::Trapped(Trap::DivisionByZero)
        }
        Outcome::Faulted(Fault::Hazard(Hazard::DivisionOverflow), _) => {
            NativeOutcome::Trapped(Trap::DivisionOverflow)
        }
        Outcome::Faulted(Fault::Unreachable, _) => NativeOutcome::Trapped(Trap::Unreachable),
        Outcome::Faulted(..) => return None,
        // Nobody knows what a binary reads from an uninitialised variable.
        Outcome::Unsupported(what, _) if what.ends_with("in the mutant") => return None,
        Outcome::Unsupported(what, at) => panic!("unsupported: {what} at {at:?}"),
    })
}

fn input(random: &mut Random, function: &Function) -> Input {
    let widths = function.signature.parameters.iter().map(|parameter| parameter.scalar.width);
    Input { arguments: widths.map(|width| word(random, width)).collect() }
}

fn word(random: &mut Random, width: u32) -> Word {
    match random.below(8) {
        0 => Word::zero(width),
        1 => Word::one(width),
        2 => Word::ones(width),
        3 => Word::signed_min(width),
        4 => Word::signed_max(width),
        5 => Word::new(width, random.below(20) as u128),
        _ => Word::new(width, random.next().into()),
    }
}

fn load(c: &str, overflow: Overflow) -> Unit {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("generated.c");
    std::fs::write(&file, c).expect("there is room");
    let operators = operators::TABLE.iter().map(|row| row.operator).collect();
    let options = Options { file, clang: None, flags: vec![], overflow, operators, functions: vec![] };
    llvm::load(&options).unwrap_or_else(|error| panic!("{error}\n{c}"))
}
