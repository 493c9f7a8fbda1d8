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
    /// takes twice that is looked at on the machine, where it counts as hanging after a thousand times what the
    /// longest test takes (a few hundredths of a second).
    fn default() -> Limits {
        Limits { original: 10_000, mutant: 20_000, hang: 10_000_000 }
    }
}

/// Whether a caller can tell a mutant's outcome from the original's, which returned.
pub fn outcomes_differ(original: &Outcome, mutant: &Outcome) -> bool {
    match mutant {
        Outcome::Unsupported(..) => false,
        _ => original != mutant,
    }
}

/// What the original returns on an input, if the input is valid.
pub fn observe(program: &Program, subject: FunctionId, input: &Input, limits: Limits) -> Option<Run> {
    let run = run(program, subject, Mutant::ORIGINAL, input, limits.original);
    matches!(run.outcome, Outcome::Returned(_)).then_some(run)
}

/// The candidates that an input kills, in their order; none if the input is invalid. The original runs
/// once; of the mutants only those run that it infects.
pub fn kills(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    candidates: &[Mutant],
    limits: Limits,
) -> Vec<Mutant> {
    let mut infection = Infection::new(program);
    let original = run_watched(program, subject, input, limits.original, &mut infection);
    if !matches!(original.outcome, Outcome::Returned(_)) {
        return vec![];
    }
    let differs = |mutant: &Mutant| {
        let run = run(program, subject, *mutant, input, limits.mutant);
        outcomes_differ(&original.outcome, &run.outcome)
    };
    candidates.iter().copied().filter(|mutant| infection.contains(*mutant)).filter(differs).collect()
}
