//! Hunt: guided search for inputs that kill, at the speed of the machine.
//!
//! Nothing is proved here. The interpreter is slow on inputs of hundreds of elements. So inputs run as
//! machine code, by the batch, as the original and as the mutants that they infect. The machine only says
//! where to look: what it shows is seen again by the interpreter before anything is claimed, and then by the
//! checker.
//!
//! The search is guided, as in greybox fuzzing. An input is kept if its run shows a [feature](ir::Feature)
//! that none before has shown: a block entered more often, a mutant infected, a comparison closer to equal.
//! New inputs are made from those that were kept ([`vary`]): a number, a length or a byte changes, parts of
//! one go into another, and values that the program compared take each other's place.
//!
//! Inputs are those of the subject's space, but for their sizes: buffers have up to
//! [`MOST_ELEMENTS`](search::MOST_ELEMENTS).
//!
//! A search has *legs*, each with more fuel than the one before. All that a leg hands on are the inputs that
//! it kept. So it does not matter whether the next one begins at once, in the second round, or in another
//! run. There is a next leg only if this one was worth its fuel.
//!
//! Always the same inputs run, in the same order, on every machine and with any number of threads: the
//! generator is seeded with a number of the leg, and what is news is judged against the state before the
//! batch. Fuel is counted in blocks.
//!
//! LibAFL was tried beside this loop, with the same inputs and the same target: it takes ten times as long to
//! build, and its weighted schedulers depend on measured times. A batch that is judged in order, the same
//! with any number of threads, needs a loop of our own anyway, and both are fast enough.
//!
//! After AFL (Zalewski, 2013), its comparison log in REDQUEEN (Aschermann et al., 2019), and infection as a
//! goal in the search for mutants (DeMillo and Offutt, 1991).

mod corpus;
mod reduce;
mod search;
mod vary;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ir::{Action, Batch, FunctionId, Input, Mutant, Program, Sighting, reachable};
use settle::{Claim, Leg, Stage, Task};

use crate::hunt::search::{Effort, Search, Start};

/// Runs inputs as machine code.
pub trait Runner: Sync {
    /// What each input of a batch shows. None if the machine is broken.
    fn run(&self, batch: &Batch) -> Option<Vec<Sighting>>;

    /// Whether the machine code has this mutant. A stage may be asked about others, which only probe whether
    /// a place is reached.
    fn has(&self, mutant: Mutant) -> bool;
}

/// How long to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Before any proof. A function without loops is left to those who see all of its paths at once, and few
    /// mutants to those who prove.
    Short,
    /// For what nobody could prove.
    Long,
    /// Until the fuel is spent, whatever that brings. For experiments, which compare what it brings.
    Stubborn,
}

/// What makes an input worth keeping. All of it does; less is for experiments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guidance {
    /// A block was entered more often.
    pub reach: bool,
    /// A mutant was infected.
    pub infection: bool,
    /// A comparison came closer to equal. And what was compared goes into new inputs.
    pub comparisons: bool,
}

impl Guidance {
    pub const FULL: Guidance = Guidance { reach: true, infection: true, comparisons: true };
    pub const NONE: Guidance = Guidance { reach: false, infection: false, comparisons: false };
}

/// The inputs that searches have kept, by subject: what the second round goes on from.
#[derive(Default)]
pub struct Corpora(Mutex<HashMap<FunctionId, Vec<Input>>>);

impl Corpora {
    fn take(&self, subject: FunctionId) -> Vec<Input> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&subject).unwrap_or_default()
    }

    fn put(&self, subject: FunctionId, corpus: Vec<Input>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(subject, corpus);
    }
}

/// With fewer mutants than this, proofs take no longer than to build machine code that takes notes.
const WORTH: usize = 16;

/// The legs of a round, at most. Each may burn twice as much as the one before.
const LEGS: u32 = 5;
const STUBBORN_LEGS: u32 = 6;

/// What the first leg may burn, in blocks, for itself and for each mutant. A block takes about two
/// nanoseconds.
const SHORT_FUEL: u64 = 20_000_000;
const SHORT_FUEL_PER_MUTANT: u64 = 4_000_000;
const STUBBORN_FUEL: u64 = 4_000_000;
const STUBBORN_FUEL_PER_MUTANT: u64 = 1_000_000;
const LONG_FUEL: u64 = 25_000_000;
const LONG_FUEL_PER_MUTANT: u64 = 12_000_000;

/// After so many batches in a row without a kill and without news, the first leg ends.
const BARREN_SHORT: usize = 12;
const BARREN_LONG: usize = 50;

/// What the interpreter may burn in the first leg to look at sightings, in blocks: a block takes about a
/// quarter of a microsecond.
const LOOKS_SHORT: u64 = 2_000_000;
const LOOKS_LONG: u64 = 8_000_000;

pub struct Hunt<'a> {
    pub machine: &'a dyn Runner,
    pub patience: Patience,
    pub guidance: Guidance,
    pub corpora: &'a Corpora,
}

impl Hunt<'_> {
    pub const NAME: &'static str = "hunt";

    /// The name of a leg in the store.
    fn part(&self, number: u32) -> String {
        match self.patience {
            Patience::Short => format!("hunt, first round, leg {number}"),
            Patience::Long => format!("hunt, leg {number}"),
            Patience::Stubborn => format!("hunt, stubborn, leg {number}"),
        }
    }

    /// What a leg may burn for so many mutants.
    fn effort(&self, number: u32, mutants: usize) -> Effort {
        let mutants = mutants as u64;
        let first = match self.patience {
            Patience::Short => Effort {
                fuel: SHORT_FUEL + mutants * SHORT_FUEL_PER_MUTANT,
                looks: LOOKS_SHORT,
                barren: BARREN_SHORT,
            },
            Patience::Long => Effort {
                fuel: LONG_FUEL + mutants * LONG_FUEL_PER_MUTANT,
                looks: LOOKS_LONG,
                barren: BARREN_LONG,
            },
            Patience::Stubborn => Effort {
                fuel: STUBBORN_FUEL + mutants * STUBBORN_FUEL_PER_MUTANT,
                looks: LOOKS_LONG,
                barren: usize::MAX >> STUBBORN_LEGS,
            },
        };
        Effort { fuel: first.fuel << number, looks: first.looks << number, barren: first.barren << number }
    }

    /// Whether another leg is worth its fuel after this one, which began with so many inputs. Before any
    /// proof only kills count. After them, nobody else will say more.
    fn goes_on(&self, leg: &Leg, before: usize) -> bool {
        match self.patience {
            Patience::Short => !leg.claims.is_empty(),
            Patience::Long => !leg.claims.is_empty() || leg.corpus.len() > before,
            Patience::Stubborn => true,
        }
    }
}

impl Stage for Hunt<'_> {
    fn name(&self) -> &'static str {
        Hunt::NAME
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        let is_worth = || task.open.len() >= WORTH && has_loops(task.program, task.subject);
        if self.patience == Patience::Short && !is_worth() {
            return vec![];
        }
        let mut open: Vec<Mutant> = task.open.iter().copied().filter(|it| self.machine.has(*it)).collect();
        let (mut claims, mut weak) = (vec![], vec![]);
        let mut corpus = self.corpora.take(task.subject);
        let legs = if self.patience == Patience::Stubborn { STUBBORN_LEGS } else { LEGS };
        for number in 0..legs {
            if open.is_empty() || task.stop.is_set() {
                break;
            }
            let before = corpus.len();
            let start = Start { number, corpus, weak, effort: self.effort(number, open.len()) };
            let leg = task.leg(&self.part(number), &open, || Search::new(task, self, &open, start).run());
            let goes_on = self.goes_on(&leg, before);
            open.retain(|mutant| leg.claims.iter().all(|(claimed, _)| claimed != mutant));
            claims.extend(leg.claims);
            (weak, corpus) = (leg.weak, leg.corpus);
            if !goes_on {
                break;
            }
        }
        self.corpora.put(task.subject, corpus);
        claims.extend(weak);
        claims
    }
}

/// Whether a run may repeat something: a loop, or a call.
fn has_loops(program: &Program, subject: FunctionId) -> bool {
    let is_repeated = |id: &FunctionId| {
        let function = program.function(*id);
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let mut calls = instructions.filter_map(|instruction| match &instruction.action {
            Action::Call { function, .. } => Some(*function),
            _ => None,
        });
        ir::order::order(function).components().next().is_some()
            || calls.any(|callee| reachable(program, callee).binary_search(id).is_ok())
    };
    reachable(program, subject).iter().any(is_repeated)
}

#[cfg(test)]
mod tests;
