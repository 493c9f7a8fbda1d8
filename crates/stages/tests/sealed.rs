//! Sealed functions: a proof knows that equal arguments give equal results, and nothing else of them.

use bv::{Memory, Stop};
use ir::{FunctionId, Mutant, Space};
use settle::{Claim, Limits, Stage, Task};
use smt::Fuel;
use stages::{Bounded, Inductive, Round};

/// Whether it is proved that a caller cannot tell a function with another argument: `f` calls `h` with `x` in
/// the original, and with what `arm` makes of `x` (%0) and `y` (%1) in mutant 1. Whatever its argument, the
/// body of `h` here returns 7, as no other library needs to.
fn is_proved(arm: &str) -> bool {
    let text = format!(
        r#"function @f(%0 x: s32 "int", %1 y: s32 "int") -> s32 "int" {{
        block0: %2:i32 = call @h(%1) %3:i32 = site 0(%0, %1) %4:i32 = call @h(%3) %5:i32 = sub %4, %2 return %5
        }}
        function @h(%0 x: s32 "int") -> s32 "int" library sealed {{
        block0: return 7:i32
        }}
        site 0(%0:i32, %1:i32) -> i32 {{
        original: return %0
        mutant 1: {arm}
        }}"#
    );
    let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(ir::verify(&program), Ok(()));
    let (space, stop) = (Space::default(), Stop::default());
    let limits = Limits { original: 1_000, mutant: 4_000, hang: 0, time_out: true, memory: Memory::DEFAULT };
    let task = Task { open: &[Mutant(1)], ..Task::alone(&program, FunctionId(0), &space, limits, &stop) };
    let bounded = Bounded { bound: 4, fuel: Fuel(50_000), obligations: false, round: Round::Only };
    let inductive = Inductive::alone(Fuel(50_000));
    let stages: [&dyn Stage; 2] = [&bounded, &inductive];
    let claims = stages.map(|stage| stage.claims(&task));
    for (_, claim) in claims.iter().flatten() {
        assert!(!matches!(claim, Claim::Killed(_)), "no run tells: {claim:?}");
    }
    claims.iter().flatten().any(|(_, claim)| matches!(claim, Claim::Equivalent(_)))
}

#[test]
fn equal_arguments_give_equal_results() {
    assert!(is_proved("return %0"));
    assert!(is_proved(
        "%2 = xor %0, %1 %3 = mul %1, 3:i32 %4 = sub %3, %1 %5 = sub %4, %1 %6 = xor %2, %5 return %6"
    ));
}

#[test]
fn other_arguments_may_give_anything() {
    assert!(!is_proved("return %1"));
    assert!(!is_proved("%2 = add %0, 1:i32 return %2"));
}
