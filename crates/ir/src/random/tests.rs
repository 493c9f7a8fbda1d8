//! Random programs: that they are worth running, and what holds for every run.

use std::collections::BTreeSet;

use arbtest::arbitrary::{Result, Unstructured};

use super::*;
use crate::interpret::run_watched;
use crate::{End, Fault, Infection, Input, Outcome, Run, live_in, order, parse, run, verify};

/// More than a random program with bounded loops needs, and little enough for those without a bound.
const FUEL: u64 = 2_000;
const INPUTS: usize = 8;

/// The operators that carry a width or a place, the actions and ends there are
/// but for `stop`, and the faults of memory that runs must come to at times.
const RESIZES: usize = 8;
const ACTIONS: usize = 22;
const FAULTS: [Fault; 10] = [
    Fault::UninitialisedRead,
    Fault::NullAccess,
    Fault::OutOfBounds,
    Fault::Index,
    Fault::Dangling,
    Fault::ReadOnly,
    Fault::InvalidFree,
    Fault::OverlappingCopy,
    Fault::InvalidCall,
    Fault::ForeignPointers,
];

#[derive(Debug)]
struct TestCase {
    program: Program,
    inputs: Vec<Input>,
}

fn test_case(u: &mut Unstructured) -> Result<TestCase> {
    let program = program(u)?;
    let inputs = (0..INPUTS).map(|_| input(u, &program, SUBJECT)).collect::<Result<_>>()?;
    Ok(TestCase { program, inputs })
}

fn smoke(check: impl Fn(&TestCase)) {
    arbtest::arbtest(|u| {
        let test_case = test_case(u)?;
        check(&test_case);
        Ok(())
    })
    .budget_ms(1_000);
}

#[test]
fn random_programs_are_verified() {
    smoke(|test_case| {
        if let Err(flaws) = verify(&test_case.program) {
            panic!("{}\n{}", flaws[0], test_case.program);
        }
    });
}

#[test]
fn random_programs_survive_print_and_parse() {
    smoke(|test_case| {
        let text = test_case.program.to_string();
        match parse(&text) {
            Ok(program) => assert!(program == test_case.program, "{text}\nbecame\n{program}"),
            Err(error) => panic!("{error}\n{text}"),
        }
    });
}

#[test]
fn a_mutant_that_is_not_infected_runs_as_the_original_did() {
    smoke(|test_case| {
        let program = &test_case.program;
        for input in &test_case.inputs {
            let mut infection = Infection::new(program);
            let original = run_watched(program, SUBJECT, input, FUEL, &mut infection);
            assert_eq!(original, run(program, SUBJECT, Mutant::ORIGINAL, input, FUEL));
            if !matches!(original.outcome, Outcome::Returned(_)) {
                continue;
            }
            for (mutant, _) in program.sites.iter().flat_map(|site| &site.variants) {
                let run = run(program, SUBJECT, *mutant, input, FUEL);
                assert!(
                    infection.contains(*mutant) || run == original,
                    "mutant {} on {input:?}: {run:?}, not {original:?}\n{program}",
                    mutant.0
                );
            }
        }
    });
}

#[test]
fn a_run_needs_exactly_the_fuel_that_it_burned() {
    smoke(|test_case| {
        let program = &test_case.program;
        for input in &test_case.inputs {
            let run = |fuel| run(program, SUBJECT, Mutant::ORIGINAL, input, fuel);
            let full = run(FUEL);
            if full.outcome == Outcome::OutOfFuel {
                assert_eq!(full.fuel, FUEL);
                continue;
            }
            assert_eq!(run(full.fuel), full);
            let short = Run { outcome: Outcome::OutOfFuel, fuel: full.fuel - 1 };
            assert_eq!(run(full.fuel - 1), short, "on {input:?}\n{program}");
        }
    });
}

/// The interpreter walks; the order and the liveness must have foreseen where and with what.
#[test]
fn liveness_at_a_block_is_what_its_successors_and_itself_read() {
    smoke(|test_case| {
        for function in &test_case.program.functions {
            let live = live_in(function);
            let order = order(function);
            for id in order.blocks() {
                let block = function.block(*id);
                let defined: BTreeSet<_> = block
                    .instructions
                    .iter()
                    .filter_map(|instruction| instruction.result)
                    .chain(block.parameters.iter().copied())
                    .collect();
                let here = &live[id.0 as usize];
                assert!(here.is_sorted() && here.iter().all(|register| !defined.contains(register)));
                for edge in block.end.edges() {
                    let after = live[edge.to.0 as usize].iter();
                    let passed = after.filter(|register| !defined.contains(register));
                    assert!(passed.into_iter().all(|register| here.contains(register)));
                }
            }
        }
    });
}

/// What tests on random programs rest on. If this fails, they test little.
#[test]
fn most_random_programs_return_and_use_everything() {
    let bytes = random_bytes(3_200_000);
    let mut runs = 0;
    let mut returned = 0;
    let mut beyond_one_block = 0;
    let mut infected = 0;
    let mut killed = 0;
    let mut mutants = 0;
    let mut ops = BTreeSet::new();
    let mut actions = BTreeSet::new();
    let mut faults = BTreeSet::new();
    for chunk in bytes.chunks(8_000) {
        let TestCase { program, inputs } = test_case(&mut Unstructured::new(chunk)).unwrap();
        for block in program.functions.iter().flat_map(|function| &function.blocks) {
            actions.insert(match block.end {
                End::Jump(_) => "jump",
                End::Branch { .. } => "branch",
                End::Switch { .. } => "switch",
                End::Return(_) => "return",
                End::Unreachable => "unreachable",
            });
            for instruction in &block.instructions {
                actions.insert(match &instruction.action {
                    Action::Apply { op, .. } => {
                        ops.insert(op.name());
                        "apply"
                    }
                    Action::Site { .. } => "site",
                    Action::Call { .. } => "call",
                    Action::Local { .. } => "local",
                    Action::Load { .. } => "load",
                    Action::Store { .. } => "store",
                    Action::Offset { .. } => "offset",
                    Action::Copy { .. } => "copy",
                    Action::Fill { .. } => "fill",
                    Action::Allocate { .. } => "allocate",
                    Action::Free { .. } => "free",
                    Action::Extent { .. } => "extent",
                    Action::Alignment { .. } => "alignment",
                    Action::CallPointer { .. } => "call pointer",
                    Action::External { .. } => "external",
                    Action::Check { .. } => "check",
                    Action::Stop(_) => "stop",
                    Action::Unsupported(_) => "unsupported",
                });
            }
        }
        let mut kills = BTreeSet::new();
        for input in &inputs {
            let mut infection = Infection::new(&program);
            let original = run_watched(&program, SUBJECT, input, FUEL, &mut infection);
            runs += 1;
            if let Outcome::Faulted(fault, _) = original.outcome {
                faults.insert(fault);
            }
            if let Outcome::Returned(_) = original.outcome {
                returned += 1;
                beyond_one_block += (original.fuel > 1) as u32;
                infected += (infection.mutants().count() > 0) as u32;
                let killed = |mutant: &Mutant| {
                    run(&program, SUBJECT, *mutant, input, FUEL).outcome != original.outcome
                };
                kills.extend(infection.mutants().filter(killed));
            }
        }
        mutants += program.sites.iter().map(|site| site.variants.len()).sum::<usize>();
        killed += kills.len();
    }
    assert!(returned * 100 >= runs * 40, "{returned} of {runs} runs return");
    assert!(beyond_one_block * 100 >= runs * 25, "{beyond_one_block} of {runs} runs branch and return");
    assert!(infected * 100 >= runs * 30, "{infected} of {runs} runs infect a mutant and return");
    assert!(killed * 100 >= mutants * 7, "{killed} of {mutants} mutants are killed");
    assert_eq!(ops.len(), bv::op::PLAIN.len() + RESIZES, "{ops:?}");
    assert_eq!(actions.len(), ACTIONS, "{actions:?}");
    assert!(faults.is_superset(&FAULTS.into()), "{faults:?}");
}

/// Xorshift (Marsaglia 2003), since a fixed sequence makes the statistics repeatable.
fn random_bytes(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}
