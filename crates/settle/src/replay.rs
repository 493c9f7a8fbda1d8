//! Running original and mutants on an input, and telling whether they differ.

use ir::interpret::run_watched;
use ir::{FunctionId, Infection, Input, Mutant, Outcome, Program, Run, run};

/// How long runs may take, in units of the interpreter's fuel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// An input on which the original takes longer is not used as a test.
    pub original: u64,
    /// A mutant that takes longer than this on an input that the original takes is out of fuel.
    pub mutant: u64,
    /// A mutant that is out of fuel is given this much on the machine before it counts as hanging.
    pub hang: u64,
}

impl Default for Limits {
    /// A test of a unit is short: ten thousand blocks are a loop of a few thousand rounds. A mutant that
    /// takes twice that may be looked at on the machine, where it counts as hanging after ten thousand times what the
    /// longest test takes (some tenths of a second).
    fn default() -> Limits {
        Limits { original: 10_000, mutant: 20_000, hang: 100_000_000 }
    }
}

/// Whether a caller can tell a mutant's outcome from the original's, which returned. A mutant that is out of fuel
/// may still return the same, so nobody can tell yet.
pub fn outcomes_differ(original: &Outcome, mutant: &Outcome) -> bool {
    match mutant {
        Outcome::Unsupported(..) | Outcome::OutOfFuel => false,
        _ => original != mutant,
    }
}

/// What the original returns on an input, if the input is valid.
pub fn observe(program: &Program, subject: FunctionId, input: &Input, limits: Limits) -> Option<Run> {
    let run = run(program, subject, Mutant::ORIGINAL, input, limits.original);
    matches!(run.outcome, Outcome::Returned(_)).then_some(run)
}

/// What an input does to mutants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replay {
    /// The candidates that it kills, in their order; none if the input is invalid.
    pub killed: Vec<Mutant>,
    /// Those of the killed that stopped. What C leaves undefined stops our native build, but another compiler may
    /// make something else of it, so a mutant that returns another value is the better evidence.
    pub stopped: Vec<Mutant>,
    /// The candidates that were out of fuel: they may hang, or just take longer.
    pub slow: Vec<Mutant>,
    /// What all runs burned together.
    pub fuel: u64,
}

/// Runs the candidates on an input. The original runs once; of the mutants only those run that it
/// infects.
pub fn replay(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    candidates: &[Mutant],
    limits: Limits,
) -> Replay {
    let mut infection = Infection::new(program);
    let original = run_watched(program, subject, input, limits.original, &mut infection);
    let mut replay = Replay { fuel: original.fuel, ..Replay::default() };
    if !matches!(original.outcome, Outcome::Returned(_)) {
        return replay;
    }
    for mutant in candidates.iter().filter(|mutant| infection.contains(**mutant)) {
        let run = run(program, subject, *mutant, input, limits.mutant);
        replay.fuel += run.fuel;
        if outcomes_differ(&original.outcome, &run.outcome) {
            replay.killed.push(*mutant);
            if matches!(run.outcome, Outcome::Faulted(..)) {
                replay.stopped.push(*mutant);
            }
        } else if run.outcome == Outcome::OutOfFuel {
            replay.slow.push(*mutant);
        }
    }
    replay
}

/// The candidates that an input kills, in their order.
pub fn kills(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    candidates: &[Mutant],
    limits: Limits,
) -> Vec<Mutant> {
    replay(program, subject, input, candidates, limits).killed
}

/// Whether an input kills all these mutants. For a few of them this is faster than to watch every site.
pub fn kills_all(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    mutants: &[Mutant],
    limits: Limits,
) -> bool {
    let Some(original) = observe(program, subject, input, limits) else { return false };
    mutants.iter().all(|mutant| {
        let run = run(program, subject, *mutant, input, limits.mutant);
        outcomes_differ(&original.outcome, &run.outcome)
    })
}
