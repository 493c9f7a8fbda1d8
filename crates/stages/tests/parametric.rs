//! Parametric mutants: every value of a parameter is killed by a test, or equivalent.

use bv::{Memory, Stop, Word};
use ir::{FunctionId, Mutant, Outcome, Program, Space, run};
use settle::{Limits, ParametricClaim, ParametricMutant, Task, outcomes_differ};
use smt::Fuel;
use stages::{Bounded, Inductive, Parametric, Round};

const LIMITS: Limits =
    Limits { original: 1_000, mutant: 100_000, hang: 0, time_out: true, memory: Memory::DEFAULT };

fn claim(program: &Program, parametric: ParametricMutant) -> ParametricClaim {
    let (space, stop) = (Space::default(), Stop::default());
    let task = Task::alone(program, FunctionId(0), &space, LIMITS, &stop);
    let inductive = Inductive::alone(Fuel(500));
    let bounded = Bounded { bound: 4, fuel: Fuel(5_000), obligations: false, round: Round::Only };
    let stage =
        Parametric { provers: vec![Box::new(inductive), Box::new(bounded)], most: 8, obligations: false };
    stage.claim(&task, parametric, &[])
}

#[test]
fn a_test_that_alone_kills_a_value_is_kept() {
    // A number `k` is 3, or the parameter. With `x` = 7, even values are seen, and 50 is, after a long loop.
    // Some other `x`, which chance hardly finds, tells all values but 50.
    let text = r#"type 0 = u64 "unsigned long"
        global @whet_parameter: type 0 = zero 8 static
        function @f(%0 x: u32 "unsigned") -> u32 "unsigned" {
        block0: %1:i64 = load.i64 @whet_parameter %2:i32 = site 0(3:i32, %1)
            %3:i1 = eq %2, 3:i32 branch %3, block1, block2
        block1: return 0:i32
        block2: %4:i1 = eq %2, 50:i32 branch %4, block3, block8
        block3: %5:i1 = eq %0, 7:i32 branch %5, block4(0:i32), block1
        block4(%6:i32): %7:i1 = ult %6, %2 branch %7, block5(0:i32), block7
        block5(%8:i32): %9:i32 = add %8, 1:i32 %10:i1 = ult %9, 100:i32 branch %10, block5(%9), block6
        block6: %11:i32 = add %6, 1:i32 jump block4(%11)
        block7: return 1:i32
        block8: %12:i1 = eq %0, 7:i32 branch %12, block9, block10
        block9: %13:i32 = and %2, 1:i32 %14:i32 = xor %13, 1:i32 return %14
        block10: %15:i32 = mul %0, 2654435761:i32 %16:i1 = eq %15, 3735928559:i32 branch %16, block7, block1
        }
        site 0(%0:i32, %1:i64) -> i32 {
        original: return %0
        mutant 1: %2 = extract[31:0] %1 return %2
        }"#;
    let program = ir::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(ir::verify(&program), Ok(()));
    let parameter = program.parameter().expect("it has one");
    let parametric = ParametricMutant { mutant: Mutant(1), parameter, width: 32, signed: false };
    let claim = claim(&program, parametric);
    assert!(claim.complete, "{claim:?}");
    for value in [0, 1, 2, 4, 49, 50, 51, 1_000] {
        let value = Word::new(32, value);
        let is_killed = claim.tests.iter().any(|(input, _)| {
            let outcome = |mutant, input| run(&program, FunctionId(0), mutant, input, LIMITS.mutant).outcome;
            let original: Outcome = outcome(Mutant::ORIGINAL, input);
            outcomes_differ(&original, &outcome(Mutant(1), &parametric.with(input, value)))
        });
        assert!(is_killed, "no test kills {value:?}: {claim:?}");
    }
}
