//! Proofs for buffers of any size against runs, on random programs with pointers.

use arbitrary::Unstructured;
use bv::{Memory, Stop};
use ir::{FunctionId, GlobalId, Input, Mutant, Program, Space, Type, random};
use settle::{Claim, Limits, Stage, Task, kills};
use smt::Fuel;
use stages::Inductive;

/// Inputs that a proof has to hold for.
const INPUTS: usize = 300;

struct TestCase {
    program: Program,
    function: FunctionId,
    inputs: Vec<Input>,
}

/// None where no pointer is given.
fn test_case(u: &mut Unstructured) -> arbitrary::Result<Option<TestCase>> {
    let program = random::program(u)?;
    let function = FunctionId(u.choose_index(program.functions.len())? as u32);
    let mut parameters = program.function(function).signature.parameters.iter();
    if !parameters.any(|parameter| matches!(program.of(parameter.of), Type::Pointer(_))) {
        return Ok(None);
    }
    let mut random = fastrand::Rng::with_seed(u.arbitrary()?);
    let mut inputs = Vec::new();
    for _ in 0..INPUTS {
        let mut bytes = vec![0; 400];
        random.fill(&mut bytes);
        inputs.push(random::input(&mut Unstructured::new(&bytes), &program, function)?);
    }
    Ok(Some(TestCase { program, function, inputs }))
}

/// How many proofs were checked.
fn check(case: &TestCase) -> usize {
    let TestCase { program, function, inputs } = case;
    let limits = Limits { original: 500, mutant: 2_000, hang: 0, time_out: true, memory: Memory::DEFAULT };
    let open: Vec<Mutant> =
        program.sites.iter().flat_map(|site| &site.variants).map(|(mutant, _)| *mutant).take(24).collect();
    let given =
        |input: &Input| -> Vec<GlobalId> { input.globals.iter().map(|(global, _)| *global).collect() };
    let space = Space { globals: given(&inputs[0]), ..Space::default() };
    let stop = Stop::default();
    let task = Task { open: &open, ..Task::alone(program, *function, &space, limits, &stop) };
    let inductive = Inductive::alone(Fuel(5_000));
    let mut proofs = 0;
    for (mutant, claim) in inductive.claims(&task) {
        let Claim::Equivalent(proof) = &claim else { panic!("the stage only proves") };
        proofs += usize::from(proof.granted.assumptions.iter().any(|it| it.contains("GiB")));
        // The proof takes other globals to start with their initial value.
        for input in inputs.iter().filter(|input| given(input) == space.globals) {
            let killed = kills(program, *function, input, &[mutant], limits);
            assert!(killed.is_empty(), "{program}\n{mutant:?} {claim:?}\n{input:?}");
        }
    }
    proofs
}

#[test]
fn smoke() {
    let mut proofs = 0;
    // On a busy machine the time runs out before much is seen.
    for _ in 0..10 {
        arbtest::arbtest(|u| {
            if let Some(case) = test_case(u)? {
                proofs += check(&case);
            }
            Ok(())
        })
        .budget_ms(6_000)
        .size_min(2_000)
        .size_max(12_000);
        if proofs > 10 {
            break;
        }
    }
    assert!(proofs > 10, "only {proofs} proofs were checked");
}
