//! The interpreter: the definition of what a program does.
//!
//! It is the [machine](crate::machine) over words.
//!
//! A run of the original can also watch for infection: at every site it evaluates all
//! variants on the same arguments, and notes the mutants that would have given another
//! value there. A mutant that no site infects runs exactly as the original did.

use std::sync::Arc;

use bv::{Concrete, Word};
use source::Position;

use crate::engine;
use crate::machine::{Executed, Repeats, Running, Watch, execute};
use crate::rules::Access;
use crate::step::{self, Faults, Value};
use crate::{Datum, Effect, Fault, FunctionId, GlobalId, Input, Mutant, Observation, Program, SiteId, Type};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Returned(Arc<Observation>),
    /// The machine stopped, or (in the original) C's rules were broken.
    Faulted(Fault, Option<Position>),
    OutOfFuel,
    /// The run came back to a state that it was in before: it never ends.
    Diverged,
    /// The run came to something that we cannot execute.
    Unsupported(String, Option<Position>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// What the run burned, in blocks entered.
    pub fuel: u64,
}

/// An access to memory that is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misdeed {
    pub access: Access,
    pub of: Victim,
    /// Where it begins, in bytes from the start of the object.
    pub offset: i64,
}

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Victim {
    /// An object of the input, by its position there.
    Input(u32),
    Global(GlobalId),
    /// Something that the run made.
    Made,
    /// A null pointer, or one that leads to no object.
    Nothing,
}

/// What a run of the original reaches, and which mutants it infects, by number.
#[derive(Clone, Debug, Default)]
pub struct Infection {
    /// By site.
    reached: Vec<bool>,
    /// By mutant, up to the greatest that is infected.
    infected: Vec<bool>,
    /// How many variants of each site are infected.
    spread: Vec<u32>,
}

impl Infection {
    /// There is one for each run, so this must not walk over all sites of a large file.
    pub fn new(program: &Program) -> Infection {
        let sites = program.sites.len();
        Infection { reached: vec![false; sites], infected: vec![], spread: vec![0; sites] }
    }

    /// Whether a mutant is infected. One that stands at no site never is.
    pub fn contains(&self, mutant: Mutant) -> bool {
        self.infected.get(mutant.0 as usize).copied().unwrap_or(false)
    }

    /// Whether the run came to a site.
    pub fn reaches(&self, site: SiteId) -> bool {
        self.reached[site.0 as usize]
    }

    /// The sites that the run came to.
    pub fn sites(&self) -> impl Iterator<Item = SiteId> + '_ {
        (0..).map(SiteId).zip(&self.reached).filter(|(_, reached)| **reached).map(|(site, _)| site)
    }

    pub fn mutants(&self) -> impl Iterator<Item = Mutant> + '_ {
        self.infected.iter().enumerate().filter(|(_, infected)| **infected).map(|(at, _)| Mutant(at as u32))
    }

    /// Notes that the run is at a site. Whether there are variants that are still clean.
    #[inline]
    pub(crate) fn reach(&mut self, program: &Program, site: SiteId) -> bool {
        self.reached[site.0 as usize] = true;
        (self.spread[site.0 as usize] as usize) < program.site(site).variants.len()
    }

    /// Evaluates the variants of a site that are still clean against what the original computed.
    pub(crate) fn watch<D: Running>(
        &mut self,
        domain: &D,
        program: &Program,
        site: SiteId,
        arguments: &[Value<D::Word>],
        original: &Value<D::Word>,
    ) {
        let now = |value: &Value<D::Word>| Value {
            word: domain.now(&value.word),
            undefined: value.undefined.as_ref().map(|mask| domain.now(mask)),
        };
        let original = now(original);
        for (mutant, arm) in &program.site(site).variants {
            if self.contains(*mutant) {
                continue;
            }
            let mut faults = Faults::new();
            let argument = |_: &mut _, at: usize| now(&arguments[at]);
            let value = step::arm(&mut Concrete, arm, arguments.len(), argument, &mut faults);
            let ends = |(fault, happens): &(Fault, Word)| {
                happens.is_true() && engine::effect(*fault, *mutant) != Effect::GoesOn
            };
            if value != original || faults.iter().any(ends) {
                let at = mutant.0 as usize;
                if self.infected.len() <= at {
                    self.infected.resize(at + 1, false);
                }
                self.infected[at] = true;
                self.spread[site.0 as usize] += 1;
            }
        }
    }
}

/// What C leaves to its library, and the bits of a NaN to the machine: other choices than the first, which is
/// zero. The NaN that most machines give has a sign and no payload, as with one. With the other number it has
/// a payload, and the upper bits let neighbouring places of a function choose differently.
const OTHER_CHOICES: [u32; 2] = [1, 0x6996_0007];

/// Finds out whether the program has a claim to what the library does.
const STRICT_CHOICE: u32 = u32::MAX;

/// Runs a function on an input, as the original or as a mutant.
///
/// A run that comes to what C leaves open is made again with other choices, and its outcome is what all have
/// in common.
pub fn run(program: &Program, function: FunctionId, mutant: Mutant, input: &Input, fuel: u64) -> Run {
    let first = execute(&mut Concrete, program, function, mutant, input, fuel, Watch::Nothing);
    whatever_is_chosen(program, function, mutant, input, fuel, first)
}

/// Whether a run has the same outcome with a strict library. If not, it breaks the rules of a function such
/// as `qsort`, and nobody knows what comes of it.
pub fn is_settled(program: &Program, function: FunctionId, mutant: Mutant, input: &Input, fuel: u64) -> bool {
    let Some(choice) = program.choice() else { return true };
    let as_strict = choosing(input, choice, STRICT_CHOICE);
    let [one, strict] = [input, &as_strict].map(|input| {
        execute(&mut Concrete, program, function, mutant, input, fuel, Watch::Nothing).run.outcome
    });
    match (&one, &strict) {
        (Outcome::Returned(one), Outcome::Returned(strict)) => !one.differs(strict),
        (one, strict) => one == strict,
    }
}

/// The access to memory with which a run of the original breaks a rule, if it ends so.
pub fn explain(program: &Program, function: FunctionId, input: &Input, fuel: u64) -> Option<Misdeed> {
    execute(&mut Concrete, program, function, Mutant::ORIGINAL, input, fuel, Watch::Nothing).misdeed
}

/// How often the run repeats a loop, at most, or how deep its calls go.
pub fn repeats(program: &Program, function: FunctionId, mutant: Mutant, input: &Input, fuel: u64) -> u32 {
    let mut repeats = Repeats::default();
    execute(&mut Concrete, program, function, mutant, input, fuel, Watch::Repeats(&mut repeats));
    repeats.most()
}

/// Runs the original and notes what it infects.
pub fn run_watched(
    program: &Program,
    function: FunctionId,
    input: &Input,
    fuel: u64,
    infection: &mut Infection,
) -> Run {
    let original = Mutant::ORIGINAL;
    // A mutant that is infected only if the library chooses otherwise does what the original does, or depends
    // on that.
    let watch = Watch::Infection(infection);
    let first = execute(&mut Concrete, program, function, original, input, fuel, watch);
    whatever_is_chosen(program, function, original, input, fuel, first)
}

/// What is left of a run if it is made again with other choices.
fn whatever_is_chosen(
    program: &Program,
    function: FunctionId,
    mutant: Mutant,
    input: &Input,
    fuel: u64,
    first: Executed,
) -> Run {
    let Executed { run, has_chosen, .. } = first;
    let Some(choice) = program.choice().filter(|_| has_chosen) else { return run };
    let result = program.function(function).signature.result;
    let signed = result.and_then(|of| match program.of(of) {
        Type::Integer(scalar) => Some(scalar.signed),
        _ => None,
    });
    let others = OTHER_CHOICES.iter().map(|number| {
        let input = choosing(input, choice, *number);
        execute(&mut Concrete, program, function, mutant, &input, fuel, Watch::Nothing).run.outcome
    });
    let fuel = run.fuel;
    let outcome = others.fold(run.outcome, |one, other| in_common(one, &other, signed));
    Run { outcome, fuel }
}

/// An input on which the library has made a choice.
fn choosing(input: &Input, choice: GlobalId, number: u32) -> Input {
    let mut input = input.clone();
    input.globals.push((choice, Datum::Word(Word::new(32, number.into()))));
    input
}

/// What two outcomes with different choices have in common.
fn in_common(one: Outcome, other: &Outcome, signed: Option<bool>) -> Outcome {
    match (&one, other) {
        (Outcome::Returned(seen), Outcome::Returned(other)) => {
            seen.in_common(other, signed).map_or_else(open, |both| Outcome::Returned(Arc::new(both)))
        }
        // It stops in any case.
        (Outcome::Faulted(..), Outcome::Faulted(..)) | (Outcome::Unsupported(..), _) => one,
        (seen, other) if seen == other => one,
        _ => open(),
    }
}

fn open() -> Outcome {
    Outcome::Unsupported(Fault::LeftOpen.text().to_string(), None)
}

#[cfg(test)]
mod tests;
