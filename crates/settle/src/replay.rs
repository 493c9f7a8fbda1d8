//! Running original and mutants on an input, and telling whether they differ.

use bv::Memory;
use ir::interpret::run_watched;
use ir::{FunctionId, Infection, Input, Mutant, Outcome, Program, Run, run};

use crate::Shown;

/// How long runs may take, in units of the interpreter's fuel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// An input on which the original takes longer is not used as a test.
    pub original: u64,
    /// A mutant that takes longer than this is out of fuel, unless [the original](Limits::for_mutant) takes
    /// long, too.
    pub mutant: u64,
    /// A mutant that is out of fuel is given this much on the machine before it counts as hanging.
    pub hang: u64,
    /// Whether a mutant that hangs is killed by that. It may still return what
    /// the original returns, only later.
    pub time_out: bool,
    /// What the stages may use, as they count it themselves.
    pub memory: Memory,
}

impl Default for Limits {
    /// A hundred thousand blocks are a loop of some ten thousand rounds. A mutant that takes longer than
    /// most tests may be looked at on the machine, where it counts as hanging after a thousand times
    /// what the longest test takes (some tenths of a second).
    fn default() -> Limits {
        let memory = Memory::DEFAULT;
        Limits { original: 100_000, mutant: 20_000, hang: 100_000_000, time_out: true, memory }
    }
}

impl Limits {
    /// The same for inputs that a person would try, of which there are many. Ten thousand blocks are a loop
    /// of a few thousand rounds.
    pub fn short(self) -> Limits {
        Limits { original: self.original.min(SHORT), ..self }
    }

    /// What a run of a mutant may burn that is as long as any.
    pub fn longest(self) -> u64 {
        self.for_mutant(self.original)
    }

    /// What a mutant may burn on an input for which the original needs this much.
    pub fn for_mutant(self, original: u64) -> u64 {
        self.mutant.max(2 * original)
    }
}

/// What the original may burn on an input that is one of many.
const SHORT: u64 = 10_000;

/// Whether a caller can tell a mutant's outcome from the original's, which returned.
/// A mutant that is out of fuel may still return the same, so nobody can tell yet.
/// What only the file itself can see is no difference here: no test can look at it.
pub fn outcomes_differ(original: &Outcome, mutant: &Outcome) -> bool {
    match (original, mutant) {
        (_, Outcome::Unsupported(..) | Outcome::OutOfFuel) => false,
        (Outcome::Returned(original), Outcome::Returned(mutant)) => original.differs(mutant),
        _ => true,
    }
}

/// What the original does on an input, if the input is valid.
pub fn observe(program: &Program, subject: FunctionId, input: &Input, limits: Limits) -> Option<Run> {
    let run = run(program, subject, Mutant::ORIGINAL, input, limits.original);
    matches!(run.outcome, Outcome::Returned(_)).then_some(run)
}

/// What an input does to mutants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replay {
    /// The candidates that it kills, in their order, and how that shows; none if the input is invalid.
    pub killed: Vec<(Mutant, Shown)>,
    /// The candidates that were out of fuel: they may hang, or just take longer.
    pub slow: Vec<Mutant>,
    /// What all runs burned together.
    pub fuel: u64,
    /// Whether the original returns, breaking no rule.
    pub valid: bool,
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
    replay.valid = true;
    let fuel = limits.for_mutant(original.fuel);
    for mutant in candidates.iter().filter(|mutant| infection.contains(**mutant)) {
        let run = run(program, subject, *mutant, input, fuel);
        replay.fuel += run.fuel;
        if outcomes_differ(&original.outcome, &run.outcome) {
            replay.killed.push((*mutant, Shown::by(&original.outcome, &run.outcome)));
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
    let killed = replay(program, subject, input, candidates, limits).killed;
    killed.into_iter().map(|(mutant, _)| mutant).collect()
}

/// Whether an input kills all these mutants.
pub fn kills_all(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    mutants: &[Mutant],
    limits: Limits,
) -> bool {
    let any: Vec<Wanted> =
        mutants.iter().map(|mutant| Wanted { mutant: *mutant, shown: Shown::Nowhere }).collect();
    kills_as_wanted(program, subject, input, &any, limits, &mut 0)
}

/// A kill that somebody wants to see at least as plainly as this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    pub mutant: Mutant,
    pub shown: Shown,
}

/// Whether an input kills all these mutants in the way that is wanted; notes what
/// the runs burned. For a few mutants this is faster than to watch every site.
pub(crate) fn kills_as_wanted(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    wanted: &[Wanted],
    limits: Limits,
    burned: &mut u64,
) -> bool {
    let original = run(program, subject, Mutant::ORIGINAL, input, limits.original);
    *burned += original.fuel;
    if !matches!(original.outcome, Outcome::Returned(_)) {
        return false;
    }
    wanted.iter().all(|Wanted { mutant, shown }| {
        let run = run(program, subject, *mutant, input, limits.for_mutant(original.fuel));
        *burned += run.fuel;
        Shown::by(&original.outcome, &run.outcome) <= *shown
            && outcomes_differ(&original.outcome, &run.outcome)
    })
}

#[cfg(test)]
mod tests {
    use bv::Word;
    use ir::parse;

    use super::*;

    /// A function of one number that ends like this, with a mutant that takes 1
    /// more; and what the replay finds on 0.
    fn check(body: &str, expect: Replay) {
        let text = format!(
            r#"global @seen: s32 "int" = zero 4
            global @hidden: s32 "int" = zero 4 static
            external @log(s32 "int")
            function @f(%0 x: s32 "int") -> s32 "int" {{ block0: %1:i32 = site 0(%0) {body} }}
            site 0(%0:i32) -> i32 {{ original: return %0 mutant 1: %1 = add %0, 1:i32 return %1 }}"#
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let input = Input::words([Word::zero(32)]);
        let found = replay(&program, FunctionId(0), &input, &[Mutant(1)], Limits::default());
        assert_eq!(Replay { fuel: 0, valid: false, ..found.clone() }, expect);
        let all = kills_all(&program, FunctionId(0), &input, &[Mutant(1)], Limits::default());
        assert_eq!(all, !found.killed.is_empty());
    }

    fn killed() -> Replay {
        Replay { killed: vec![(Mutant(1), Shown::Plainly)], ..Replay::default() }
    }

    #[test]
    fn what_a_caller_sees_kills() {
        check("return %1", killed());
        check("store @seen, %1 return 0:i32", killed());
        check(r#"external @log(%1: s32 "int") return 0:i32"#, killed());
    }

    #[test]
    fn what_no_test_can_look_at_does_not() {
        check("store @hidden, %1 return 0:i32", Replay::default());
        check("%2:i64 = local 4:i64 store %2, %1 return 0:i32", Replay::default());
    }

    #[test]
    fn a_mutant_that_stops_is_noted() {
        let divides = "%2:i32 = sub %1, 1:i32 %3:i32 = sdiv 1:i32, %2 return %3";
        check(divides, Replay { killed: vec![(Mutant(1), Shown::Stopped)], ..Replay::default() });
    }

    #[test]
    fn an_input_that_is_invalid_kills_nothing() {
        check("%2:i32 = sdiv 1:i32, %1 return %2", Replay::default());
    }
}
