//! The encoder against the interpreter, on any program: for each mutant and each input, both come to the
//! same.

use std::fmt::Display;

use bv::{Terms, Word, float};
use ir::{Fault, FunctionId, Input, Mutant, Outcome, Program, Seen, Space, Type, run};
use stages::{Bounds, Names, Plan, Request, Skeleton, difference};

/// What is compared. The inputs are in the space, or else they are foreign.
pub(crate) struct Case<'a> {
    pub program: &'a Program,
    pub function: FunctionId,
    pub space: &'a Space,
    pub mutants: &'a [Mutant],
    pub inputs: &'a [Input],
    pub bounds: Bounds,
    /// For each run of the interpreter: as much as the bounds allow, or else the encoder goes further.
    pub fuel: u64,
    /// What a failure shows of the program.
    pub shown: &'a dyn Display,
}

/// How a case went, so that the test can tell whether it tested anything.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub returned: u32,
    pub faulted: u32,
    pub cut: u32,
    pub unsupported: u32,
    /// Original and mutant return, and a caller can tell them apart.
    pub differ: u32,
    /// The run freed what its caller gave.
    pub freed: u32,
    /// Inputs that the encoder has no variables for.
    pub foreign: u32,
}

pub(crate) fn check(case: &Case, tally: &mut Tally) {
    let Case { program, function, space, bounds, fuel, shown, .. } = *case;
    let plan = Plan::new(program);
    let mut terms = Terms::new();
    let mut names = Names::default();
    let skeleton = Skeleton::new(program, function, space, &mut terms);
    let request = |mutant| Request { inputs: &skeleton, mutant, bounds };
    let original = plan.encode(&mut terms, &mut names, request(Mutant::ORIGINAL));
    for mutant in case.mutants {
        let encoding = plan.encode(&mut terms, &mut names, request(*mutant));
        let difference = difference(&mut terms, &skeleton, &original, &encoding);
        for input in case.inputs {
            let Some(assignment) = skeleton.assignment(&terms, input) else {
                tally.foreign += 1;
                continue;
            };
            let outcome = run(program, function, *mutant, input, fuel).outcome;
            let truth = |term| terms.eval(term, &assignment) == Word::truth(true);
            let context = || format!("{shown}\n{mutant:?} on {input:?}: {outcome:?}");
            assert!(truth(skeleton.constraint), "{}", context());
            let (fault, cut) = (truth(encoding.fault), truth(encoding.cut));
            let (returned, unsupported) = (truth(encoding.returned), truth(encoding.unsupported));
            assert!(fault || returned || cut || unsupported, "{}", context());
            match &outcome {
                // Every proof has it among its limits that no address is read as a number.
                outcome if reads_address(outcome) => tally.cut += 1,
                Outcome::Returned(observation) if !cut => {
                    // A run that is too hard to encode is no disagreement, as long as there are few of them.
                    if unsupported {
                        tally.unsupported += 1;
                        continue;
                    }
                    assert!(returned && !fault, "{}", context());
                    if let (Some(value), Some(Seen::Word(word))) = (encoding.result, &observation.result) {
                        let encoded = terms.eval(value.word, &assignment);
                        // All NaNs are one to a caller, and so they are in an observation.
                        let both_nan = returns_float(program, function)
                            && float::is_nan(encoded)
                            && float::is_nan(*word);
                        assert!(both_nan || encoded == *word, "{}", context());
                    }
                    tally.returned += 1;
                    tally.freed += u32::from(!observation.freed.is_empty());
                    let before = run(program, function, Mutant::ORIGINAL, input, fuel).outcome;
                    let unclear =
                        truth(difference.unclear) || truth(original.cut) || truth(original.unsupported);
                    if let (Outcome::Returned(before), false) = (&before, unclear) {
                        let seen = before.differs(observation);
                        assert_eq!(truth(difference.seen), seen, "{}\n{before:?}", context());
                        let inside = before.differs_inside(observation);
                        let encoded = truth(difference.hidden) || truth(difference.beyond);
                        assert_eq!(encoded, inside, "{}\n{before:?}", context());
                        tally.differ += u32::from(seen);
                    }
                }
                Outcome::Faulted(..) if !cut => {
                    assert!(fault || unsupported, "{}", context());
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

fn returns_float(program: &Program, function: FunctionId) -> bool {
    let result = program.function(function).signature.result;
    result.is_some_and(|of| matches!(program.of(of), Type::Float(_)))
}

/// Whether a run ends because an address is read as a number, as through another member of a union.
fn reads_address(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Faulted(fault, _) => *fault == Fault::AddressAsNumber,
        Outcome::Unsupported(what, _) => what.starts_with(Fault::AddressAsNumber.text()),
        _ => false,
    }
}
