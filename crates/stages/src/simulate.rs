//! Simulate: run inputs, and see what differs.
//!
//! Nothing is proved here. An input kills a mutant if the original returns on it, breaking no rule, and the
//! run of the mutant is observed differently: it returns something else, or it stops. If it runs out of fuel,
//! the claim is that it hangs. The interpreter defines what a run is, so a claim can only be wrong about
//! fuel.
//!
//! One run of the original tells for all mutants at once which of them it infects, and only these run on.
//! Most mutants die here, for next to nothing. Inputs come simplest first, so that a person might have
//! written those that kill. When they kill no more, every number that the program mentions is tried in every
//! place: where a long function compares with many numbers, a solver would take far longer to find each.
//!
//! A mutant that stops or runs for too long is set aside after a few inputs, in the hope of one on which it
//! returns another value. If there is none, the claim is that it stops or hangs, on the input that shows it
//! most plainly. The checker has a faster machine, and decides.

use std::collections::BTreeMap;

use ir::{Input, Mutant};
use rayon::prelude::*;
use settle::{Claim, Replay, Shown, Stage, Task, replay};

use crate::inputs;

/// Inputs are tried in rounds, and in parallel within a round. A mutant that is killed in one round is not
/// run in the next. The first rounds are short, because one input kills many, and hanging mutants are dear.
const FIRST_ROUND: usize = 2;
const LONGEST_ROUND: usize = 64;

/// After so many of the longest rounds in a row without a kill, the rest is left to a solver.
const BARREN_ROUNDS: usize = 6;

/// What the stage may burn, in blocks: this much for itself, and more for each mutant. A block takes about a
/// tenth of a microsecond.
const FUEL: u64 = 300_000;
const FUEL_PER_MUTANT: u64 = 10_000;

/// The same for inputs at the edges, for each mutant that is left: far less than a solver would take for it.
const EDGES_PER_MUTANT: u64 = 100_000;

/// A mutant that stopped or was out of fuel so often is not run again.
const PATIENCE: usize = 6;

/// A mutant that only a sanitizer stops is run more often: it ends early, and a test that fails in any build
/// is worth more.
const PATIENCE_FOR_SANITISED: usize = 64;

pub struct Simulate;

/// What is known of a mutant that stopped or was slow.
struct Doubt {
    /// The plainest way in which it showed.
    shown: Shown,
    /// The first input on which it did so.
    input: Input,
    times: usize,
}

impl Doubt {
    /// Whether enough was seen of the mutant.
    fn is_over(&self) -> bool {
        self.times >= if self.shown.in_any_build() { PATIENCE } else { PATIENCE_FOR_SANITISED }
    }

    fn meet(&mut self, shown: Shown, input: &Input) {
        // A difference that nobody sees is no reason to stop looking.
        self.times += usize::from(shown != Shown::Nowhere);
        if shown < self.shown {
            self.shown = shown;
            self.input = input.clone();
        }
    }
}

impl Simulate {
    pub const NAME: &str = "simulate";
}

impl Stage for Simulate {
    fn name(&self) -> &'static str {
        Simulate::NAME
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        task.once(self.name(), task.open, || simulate(task))
    }
}

fn simulate(task: &Task) -> Vec<(Mutant, Claim)> {
    let Task { program, subject, space, .. } = task;
    let mut search = Search { task, open: task.open.to_vec(), claims: vec![], doubtful: BTreeMap::new() };
    let fuel = FUEL + FUEL_PER_MUTANT * search.open.len() as u64;
    let usual = task.inputs.iter().cloned().chain(inputs::sequence(program, *subject, space));
    search.run(usual, fuel);
    let fuel = EDGES_PER_MUTANT * search.open.len() as u64;
    search.run(inputs::edges(program, *subject, space), fuel);
    let Search { mut claims, doubtful, .. } = search;
    // Doubts may be dispelled, but nobody has the time.
    if !task.stop.is_set() {
        claims.extend(doubtful.into_iter().map(|(mutant, doubt)| (mutant, Claim::Killed(doubt.input))));
    }
    claims
}

/// What is known so far.
struct Search<'t> {
    task: &'t Task<'t>,
    open: Vec<Mutant>,
    claims: Vec<(Mutant, Claim)>,
    doubtful: BTreeMap<Mutant, Doubt>,
}

impl Search<'_> {
    /// Tries inputs as long as they kill something and there is fuel.
    fn run(&mut self, mut sequence: impl Iterator<Item = Input>, mut fuel: u64) {
        let mut barren = 0;
        for number in 0.. {
            let length = (FIRST_ROUND << number.min(16)).min(LONGEST_ROUND);
            let round: Vec<Input> = sequence.by_ref().take(length).collect();
            if self.open.is_empty() || round.is_empty() || barren == BARREN_ROUNDS || fuel == 0 {
                return;
            }
            let Some(replays) = self.replay(&round) else { return };
            // A few mutants that never return must not use up what others need. Patience with them ends soon
            // enough.
            let slow = |replay: &Replay| replay.slow.len() as u64 * self.task.limits.mutant;
            let burned = replays.iter().map(|replay| replay.fuel.saturating_sub(slow(replay)));
            fuel = fuel.saturating_sub(burned.sum());
            let killed = self.take(&round, replays);
            barren = if killed == 0 { barren + usize::from(length == LONGEST_ROUND) } else { 0 };
        }
    }

    /// Runs what is open on each input. None if somebody says stop.
    fn replay(&self, round: &[Input]) -> Option<Vec<Replay>> {
        let Task { program, subject, limits, stop, .. } = self.task;
        let limits = limits.short();
        let look = |input: &Input| {
            let look = || replay(program, *subject, input, &self.open, limits);
            (!stop.is_set()).then(look)
        };
        round.par_iter().map(look).collect()
    }

    /// Takes in what the inputs of a round do, in their order, so that the simplest one gets the kill.
    /// Returns how many mutants they kill.
    fn take(&mut self, round: &[Input], replays: Vec<Replay>) -> usize {
        let Search { open, claims, doubtful, .. } = self;
        let before = open.len();
        for (input, replay) in round.iter().zip(replays) {
            let plainly = replay.killed.iter().filter(|(_, shown)| *shown == Shown::Plainly);
            for mutant in plainly.map(|(mutant, _)| *mutant) {
                if let Ok(at) = open.binary_search(&mutant) {
                    open.remove(at);
                    doubtful.remove(&mutant);
                    claims.push((mutant, Claim::Killed(input.clone())));
                }
            }
            let slow = replay.slow.iter().map(|mutant| (*mutant, Shown::Stopped));
            let others = replay.killed.iter().copied().chain(slow);
            for (mutant, shown) in others.filter(|(mutant, _)| open.binary_search(mutant).is_ok()) {
                let first = || Doubt { shown, input: input.clone(), times: 0 };
                doubtful.entry(mutant).or_insert_with(first).meet(shown, input);
            }
        }
        let killed = before - open.len();
        open.retain(|mutant| doubtful.get(mutant).is_none_or(|doubt| !doubt.is_over()));
        killed
    }
}
