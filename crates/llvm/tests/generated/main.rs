//! The interpreter against machine code, on generated C.
//!
//! Both start from the same module and share nothing after that: the lift, `ir` and our
//! own C library on one side, the defined form, LLVM and the system's C library on the
//! other. They must agree on every outcome, also on traps, and on running out of fuel.

mod generator;
mod input;
mod memory;

use bv::Hazard;
use generator::Random;
use ir::{Fault, FunctionId, GlobalId, Input, Mutant, Observation, Outcome, Seen};
use llvm::{Native, Operators, Options, Overflow, ProcessEnd, Sanitised, SanitisedBuild, Trap, Unit};

/// One build serves all of them, and takes longer than to run them.
const FUNCTIONS: usize = 20;
const INPUTS: usize = 6;
/// How many mutants see each input.
const MUTANTS: usize = 8;
/// Little, so that running out is common.
const FUEL: u64 = 500;
/// No mutant has this number: the original, but run as a mutant is, over whatever C leaves undefined.
const BINARY: Mutant = Mutant(1_000_000);
/// One run in so many is shown to the sanitizers, which take much longer.
const SANITISED: usize = 8;

#[derive(Debug)]
struct TestCase {
    seed: u64,
    overflow: Overflow,
    memory: bool,
}

#[derive(Default, Debug)]
struct Tally {
    returned: u64,
    trapped: u64,
    out_of_fuel: u64,
    /// Faults that a sanitizer found, too.
    found: u64,
    /// Those that it did not find: far from one object may be in the middle of another.
    missed: u64,
}

fn check(case: &TestCase, tally: &mut Tally) {
    let mut random = Random(case.seed);
    let c = match case.memory {
        true => memory::file(&mut random, FUNCTIONS),
        false => generator::file(&mut random, FUNCTIONS),
    };
    let unit = load(&c, case.overflow);
    let native = Native::build(&unit).unwrap_or_else(|error| panic!("{error}\n{c}"));
    for (at, function) in unit.program.functions.iter().enumerate().filter(|(_, function)| !function.library)
    {
        assert_eq!(function.unsupported, None, "{c}");
        let id = FunctionId(at as u32);
        for _ in 0..INPUTS {
            let input = input::random(&mut random, &unit.program, id);
            let mut mutants = vec![Mutant::ORIGINAL, BINARY];
            if !unit.changes.is_empty() {
                mutants.extend((0..MUTANTS).map(|_| Mutant(1 + random.below(unit.changes.len()) as u32)));
            }
            for mutant in mutants {
                let look = random.one_in(SANITISED);
                if let Err(flaw) = agree(&unit, &native, id, mutant, &input, look, tally) {
                    let change = unit.changes.get((mutant.0 as usize).wrapping_sub(1));
                    panic!(
                        "{} as {mutant:?} ({change:?}) on {input:?}, {case:?}: {flaw}\n{c}",
                        function.name
                    );
                }
            }
        }
    }
}

/// Runs on both sides, and says what is different.
fn agree(
    unit: &Unit,
    native: &Native,
    id: FunctionId,
    mutant: Mutant,
    input: &Input,
    look: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let outcome = ir::run(&unit.program, id, mutant, input, FUEL).outcome;
    let run = || native.run(id, mutant, input, FUEL).map_err(|error| error.to_string());
    let expect = |expected: ProcessEnd| match run()? {
        actual if actual == expected => Ok(()),
        actual => Err(format!("{actual:?} instead of {expected:?}")),
    };
    let sanitised = |sanitiser: SanitisedBuild| {
        native.run_sanitised(id, mutant, input, FUEL, sanitiser).map_err(|error| error.to_string())
    };
    match &outcome {
        Outcome::Returned(expected) => {
            tally.returned += 1;
            match run()? {
                ProcessEnd::Returned(actual) if is_same(expected, &actual) => {}
                actual => return Err(format!("{actual:?} instead of {expected:?}")),
            }
            for sanitiser in [SanitisedBuild::Address, SanitisedBuild::Memory].into_iter().filter(|_| look) {
                let found = sanitised(sanitiser)?;
                if found != Sanitised::Clean {
                    return Err(format!("{found:?} with {sanitiser:?}, but it returns"));
                }
            }
            Ok(())
        }
        // The machine does not know that it runs in circles.
        Outcome::OutOfFuel | Outcome::Diverged => {
            tally.out_of_fuel += 1;
            expect(ProcessEnd::OutOfFuel)
        }
        Outcome::Faulted(fault, _) => match (trap(*fault), finder(*fault)) {
            (Some(trap), _) => {
                tally.trapped += 1;
                expect(ProcessEnd::Trapped(trap))
            }
            (None, Some(finder)) if look => {
                match sanitised(finder)? {
                    Sanitised::Reported(_)
                    | Sanitised::Ended(ProcessEnd::Signal(_) | ProcessEnd::Trapped(Trap::Index)) => {
                        tally.found += 1;
                    }
                    Sanitised::Clean | Sanitised::Ended(_) => tally.missed += 1,
                }
                Ok(())
            }
            (None, _) => Ok(()),
        },
        // Nobody knows what a binary does there.
        Outcome::Unsupported(what, _) if what.ends_with("in the mutant") => Ok(()),
        Outcome::Unsupported(what, _) if what.starts_with("more memory") => Ok(()),
        Outcome::Unsupported(what, at) => Err(format!("unsupported: {what} at {at:?}")),
    }
}

#[test]
fn smoke() {
    // `WHET_SEED` says where to begin, `WHET_ROUNDS` how many to take; `./x soak` goes on and on.
    let total = check_seeds(false);
    // A generator that only makes trivial programs would prove nothing.
    let enough = total.returned > 1000 && total.trapped > 100 && total.out_of_fuel > 100;
    assert!(enough, "too little was tested: {total:?}");
}

#[test]
fn memory_smoke() {
    let total = check_seeds(true);
    let enough = total.returned > 1000 && total.found > 20 && total.missed < total.found / 4;
    assert!(enough, "too little was tested: {total:?}");
}

fn check_seeds(memory: bool) -> Tally {
    let number = |name| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let first: u64 = number("WHET_SEED").unwrap_or(0);
    let mut total = Tally::default();
    for seed in first..first + number("WHET_ROUNDS").unwrap_or(5) {
        let overflow = if seed % 2 == 0 { Overflow::Undefined } else { Overflow::Wrap };
        check(&TestCase { seed, overflow, memory }, &mut total);
    }
    total
}

/// Whether the two are the same wherever something was assigned.
fn is_same(expected: &Observation, actual: &Observation) -> bool {
    // The machine cannot tell that a global changed if what was never assigned happens to be what it held.
    let unclear: Vec<GlobalId> =
        expected.globals.iter().chain(&expected.hidden).filter(is_unclear).map(|(id, _)| *id).collect();
    let without = |seen: &Observation| {
        let mut seen = seen.clone();
        seen.globals.retain(|(id, _)| !unclear.contains(id));
        seen.hidden.retain(|(id, _)| !unclear.contains(id));
        seen
    };
    let (expected, actual) = (without(expected), without(actual));
    expected.freed == actual.freed && !expected.differs(&actual) && !expected.differs_inside(&actual)
}

fn is_unclear((_, seen): &&(GlobalId, Seen)) -> bool {
    fn unclear(seen: &Seen) -> bool {
        match seen {
            Seen::Undefined => true,
            Seen::Aggregate(parts) => parts.iter().any(unclear),
            _ => false,
        }
    }
    unclear(seen)
}

/// What stops the machine by itself.
fn trap(fault: Fault) -> Option<Trap> {
    Some(match fault {
        Fault::Hazard(Hazard::DivisionByZero) => Trap::DivisionByZero,
        Fault::Hazard(Hazard::DivisionOverflow) => Trap::DivisionOverflow,
        Fault::Unreachable => Trap::Unreachable,
        _ => return None,
    })
}

/// Who notices what the machine may not.
fn finder(fault: Fault) -> Option<SanitisedBuild> {
    match fault {
        Fault::NullAccess | Fault::OutOfBounds | Fault::Dangling | Fault::Index | Fault::IndexAtEnd => {
            Some(SanitisedBuild::Address)
        }
        Fault::UninitialisedRead => Some(SanitisedBuild::Memory),
        _ => None,
    }
}

fn load(c: &str, overflow: Overflow) -> Unit {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("generated.c");
    std::fs::write(&file, c).expect("there is room");
    let operators = Operators::parse("seed").expect("there is such a set");
    let options = Options {
        file,
        clang: None,
        flags: vec![],
        overflow,
        operators,
        functions: vec![],
        headers: false,
        versions: vec![],
    };
    llvm::load(&options).unwrap_or_else(|error| panic!("{error}\n{c}"))
}
