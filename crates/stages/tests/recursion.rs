//! Induction over the calls of a function by itself: what it proves, and what it must not.

use bv::{Memory, Stop};
use ir::{FunctionId, Mutant, Program, Space};
use settle::{Claim, Limits, Stage, Task};
use smt::Fuel;
use stages::{Bounded, Inductive, Round};

/// The claims of a stage about mutant 1.
fn claims(program: &Program, stage: &dyn Stage) -> Vec<Claim> {
    let (space, stop) = (Space::default(), Stop::default());
    let limits = Limits { original: 1_000, mutant: 4_000, hang: 0, time_out: true, memory: Memory::DEFAULT };
    let task = Task { open: &[Mutant(1)], ..Task::alone(program, FunctionId(0), &space, limits, &stop) };
    stage.claims(&task).into_iter().map(|(_, claim)| claim).collect()
}

/// Whether mutant 1, which never takes two pointers for the same, is proved equivalent. The function compares
/// the first element of `a` with `b`. On one number `x` it first calls itself with other pointers.
fn is_proved(call: &str) -> bool {
    let text = format!(
        r#"type 0 = s32 "int"
        type 1 = pointer "int *" to type 0
        type 2 = pointer "int **" to type 1
        function @f(%0 a: type 2, %1 b: type 1, %2 x: u32 "unsigned") -> s32 "int" {{
        block0: %3:i1 = eq %1, 0:i64 branch %3, block4, block1
        block1: %4:i64 = load.i64 %0 %5:i1 = eq %2, 123456789:i32 branch %5, block2, block3
        block2: %6:i32 = add %2, 1:i32 %7:i32 = call @f({call}, %6) return %7
        block3: %8:i1 = eq %4, %1 %9:i1 = site 0(%8) branch %9, block5, block4
        block4: return 0:i32
        block5: return 1:i32
        }}
        site 0(%0:i1) -> i1 {{
        original: return %0
        mutant 1: return 0:i1
        }}"#
    );
    let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(ir::verify(&program), Ok(()));
    let inductive = Inductive::alone(Fuel(5_000));
    let proved = claims(&program, &inductive);
    let bounded = Bounded { bound: 4, fuel: Fuel(5_000), obligations: false, round: Round::Only };
    let is_killed = matches!(claims(&program, &bounded)[..], [Claim::Killed(_)]);
    assert!(proved.is_empty() || !is_killed, "{proved:?}\n{text}");
    !proved.is_empty()
}

#[test]
fn a_call_with_the_same_pointers_is_a_smaller_input() {
    assert!(is_proved("%0, %1"));
}

#[test]
fn a_call_with_other_pointers_may_be_no_input_that_was_looked_at() {
    // The first element of `a` leads to `b` in the call, but in no input: pointers lead to distinct buffers.
    assert!(!is_proved("%0, %4"));
}
