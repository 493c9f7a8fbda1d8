//! The encoder against the interpreter, on random programs.

use arbitrary::Unstructured;
use bv::{Terms, Word};
use ir::{Function, FunctionId, Input, Mutant, Outcome, Program, random, run};
use stages::{Bounds, Plan};

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
        (0..8).map(|_| random::input(u, program.function(function))).collect();
    Ok(TestCase { function, mutants, inputs: inputs?, program })
}

/// How a case went, so that the smoke test can tell whether it tested anything.
#[derive(Default)]
struct Tally {
    returned: u32,
    faulted: u32,
    cut: u32,
}

fn check(case: &TestCase, tally: &mut Tally) {
    let plan = Plan::new(&case.program);
    let mut terms = Terms::new();
    let function: &Function = case.program.function(case.function);
    let inputs: Vec<_> = function
        .signature
        .parameters
        .iter()
        .map(|parameter| terms.variable(&parameter.name, parameter.scalar.width))
        .collect();
    for mutant in &case.mutants {
        let encoding = plan.encode(&mut terms, case.function, *mutant, &inputs, BOUNDS);
        for input in &case.inputs {
            let outcome = run(&case.program, case.function, *mutant, input, FUEL).outcome;
            let truth = |term| terms.eval(term, &input.arguments) == Word::truth(true);
            let (fault, cut) = (truth(encoding.fault), truth(encoding.cut));
            let (returned, unsupported) = (truth(encoding.returned), truth(encoding.unsupported));
            let context = || format!("{}\n{:?} on {input:?}: {outcome:?}", case.program, mutant);
            assert!(fault || returned || cut || unsupported, "{}", context());
            match &outcome {
                Outcome::Returned(word) if !cut => {
                    assert!(returned && !fault && !unsupported, "{}", context());
                    assert_eq!(
                        encoding.result.map(|term| terms.eval(term, &input.arguments)),
                        *word,
                        "{}",
                        context()
                    );
                    tally.returned += 1;
                }
                Outcome::Faulted(..) if !cut => {
                    assert!(fault, "{}", context());
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

#[test]
fn smoke() {
    let mut tally = Tally::default();
    arbtest::arbtest(|u| {
        check(&test_case(u)?, &mut tally);
        Ok(())
    })
    .budget_ms(4_000)
    .size_min(2_000)
    .size_max(60_000);
    let Tally { returned, faulted, cut } = tally;
    assert!(
        returned > 100 && faulted > 10,
        "too little was tested: {returned} returned, {faulted} faulted, {cut} cut"
    );
}
