//! What a stage says if fuel is not enough for its formulas.

use bv::{Memory, Stop};
use ir::{FunctionId, Mutant, Program, Space};
use settle::{Claim, Limits, Open, Stage, Task};
use smt::Fuel;
use stages::{Bounded, Inductive, Round};

/// A sum of squares. Mutant 1 adds one more to what is never reached within a few rounds.
const LOOP: &str = r#"function @f(%0 n: u32 "unsigned") -> u32 "unsigned" {
    block0: jump block1(0:i32, 0:i32)
    block1(%1:i32, %2:i32): %3:i1 = ult %1, %0 branch %3, block2, block3
    block2: %4:i32 = mul %1, %1 %5:i32 = add %2, %4 %6:i32 = site 0(%1) jump block1(%6, %5)
    block3: return %2
    }
    site 0(%0:i32) -> i32 {
    original: %1 = add %0, 1:i32 return %1
    mutant 1: %1 = add %0, 1:i32 %2 = eq %0, 100:i32 %3 = ite %2, 102:i32, %1 return %3
    }"#;

fn program() -> Program {
    let program = ir::parse(LOOP).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ir::verify(&program), Ok(()));
    program
}

fn claim(stage: &dyn Stage) -> Option<Claim> {
    let (program, space, stop) = (program(), Space::default(), Stop::default());
    let limits = Limits { original: 1_000, mutant: 4_000, hang: 0, time_out: true, memory: Memory::DEFAULT };
    let task = Task { open: &[Mutant(1)], ..Task::alone(&program, FunctionId(0), &space, limits, &stop) };
    stage.claims(&task).into_iter().map(|(_, claim)| claim).next()
}

fn bounded(fuel: u64, round: Round) -> Option<Claim> {
    claim(&Bounded { bound: 64, fuel: Fuel(fuel), obligations: false, round })
}

/// How many rounds of the loop a claim looks at.
fn rounds(claim: Option<Claim>) -> Option<u32> {
    match claim {
        Some(Claim::Equivalent(proof)) => proof.granted.rounds,
        _ => None,
    }
}

#[test]
fn without_fuel_for_the_original_nothing_is_searched() {
    let said = |claim: Option<Claim>| match claim {
        Some(Claim::Open(Open::OutOfFuel(what))) => what,
        other => panic!("{other:?}"),
    };
    let inductive = Inductive { round: Round::Again, ..Inductive::alone(Fuel(0)) };
    for claim in [bounded(0, Round::Again), claim(&inductive)] {
        assert_eq!(said(claim), "making a formula of the function");
    }
}

#[test]
fn what_is_known_up_to_a_lower_bound_counts() {
    assert_eq!(rounds(bounded(20_000, Round::Again)), Some(64));
    let lower = (0..14).find_map(|power| rounds(bounded(1 << power, Round::Again)));
    assert!(lower.is_some_and(|rounds| rounds < 64), "{lower:?}");
}

#[test]
fn what_comes_again_is_open_until_then() {
    for power in 0..14 {
        let claim = bounded(1 << power, Round::First);
        assert!(rounds(claim.clone()).is_none_or(|rounds| rounds == 64), "2^{power}: {claim:?}");
    }
}
