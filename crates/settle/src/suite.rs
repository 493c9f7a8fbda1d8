//! From kills to a small suite: the kill matrix, a greedy cover of it, and small numbers.

use std::cmp::Reverse;
use std::collections::HashMap;

use ir::{FunctionId, Input, Mutant, Outcome, Program};
use rayon::prelude::*;

use crate::{Kill, Limits, complexity, kills, observe, replay, shrink};

/// A test: an input, and what the original does on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub subject: FunctionId,
    pub input: Input,
    pub returns: Outcome,
    /// What it kills, wherever the mutants are. Sorted.
    pub kills: Vec<Mutant>,
    /// What it may kill, too: mutants that ran for too long to tell. Sorted.
    pub may_kill: Vec<Mutant>,
    /// Whether `kills` has all that it kills, and not only what was needed to choose it.
    pub whole: bool,
}

/// What the kill matrix may cost, in blocks: some seconds. Beyond it, tests are chosen by what they are known to kill.
const MATRIX: u64 = 60_000_000;

/// Few tests that kill all these mutants: by function, easiest to read first.
///
/// The whole kill matrix would have a row for each witness and a run for each entry. So witnesses are taken by what they
/// are known to kill, each is run on what is still missing, and only those that are chosen get a whole row.
pub fn suite(program: &Program, killed: &[(FunctionId, Mutant, &Kill)], limits: Limits) -> Vec<Test> {
    let mutants: Vec<Mutant> = killed.iter().map(|(_, mutant, _)| *mutant).collect();
    let mut known: HashMap<(FunctionId, &Input), Vec<Mutant>> = HashMap::new();
    for (subject, mutant, kill) in killed {
        known.entry((*subject, &kill.input)).or_default().push(*mutant);
    }
    let mut witnesses: Vec<(FunctionId, &Input)> = known.keys().copied().collect();
    witnesses.sort_by_key(|witness| (Reverse(known[witness].len()), complexity(witness.1), *witness));

    let mut missing = mutants.clone();
    let mut chosen: Vec<Test> = Vec::new();
    let mut work = 0;
    for (subject, input) in witnesses {
        let Some(original) = observe(program, subject, input, limits) else { continue };
        let mut gained = kills(program, subject, input, &missing, limits);
        // What only the machine was patient enough to see counts too.
        gained.extend(&known[&(subject, input)]);
        let before = missing.len();
        missing.retain(|mutant| !gained.contains(mutant));
        if missing.len() < before {
            work += original.fuel * mutants.len() as u64;
            chosen.push(Test::new(subject, input, original.outcome, gained));
        }
    }
    let whole = work <= MATRIX;
    if whole {
        chosen.par_iter_mut().for_each(|test| test.complete(program, &mutants, limits));
    }
    drop_redundant(&mut chosen);
    simplify(program, &mut chosen, if whole { &mutants } else { &[] }, limits);
    chosen.sort_by_key(|test| (test.subject, complexity(&test.input), test.input.clone()));
    chosen
}

impl Test {
    fn new(subject: FunctionId, input: &Input, returns: Outcome, mut kills: Vec<Mutant>) -> Test {
        kills.sort();
        kills.dedup();
        Test { subject, input: input.clone(), returns, kills, may_kill: vec![], whole: false }
    }

    /// Adds all else that it kills.
    fn complete(&mut self, program: &Program, mutants: &[Mutant], limits: Limits) {
        let replay = replay(program, self.subject, &self.input, mutants, limits);
        self.kills.extend(replay.killed);
        self.kills.sort();
        self.kills.dedup();
        self.may_kill = replay.slow.into_iter().filter(|mutant| !self.kills.contains(mutant)).collect();
        self.whole = true;
    }
}

/// Drops tests all of whose kills others make too, the hardest to read first.
fn drop_redundant(tests: &mut Vec<Test>) {
    tests.sort_by_key(|test| Reverse((complexity(&test.input), test.subject, test.input.clone())));
    let mut killers = killers(tests);
    tests.retain(|test| {
        let redundant = test.kills.iter().all(|mutant| killers[mutant] > 1);
        if redundant {
            test.kills.iter().for_each(|mutant| *killers.entry(*mutant).or_default() -= 1);
        }
        !redundant
    });
}

/// How many tests kill each mutant.
fn killers(tests: &[Test]) -> HashMap<Mutant, usize> {
    let mut killers = HashMap::new();
    for mutant in tests.iter().flat_map(|test| &test.kills) {
        *killers.entry(*mutant).or_default() += 1;
    }
    killers
}

/// Gives each test the smallest numbers with which it still kills what no other test does, and looks which of these
/// mutants the new one kills besides.
fn simplify(program: &Program, tests: &mut Vec<Test>, mutants: &[Mutant], limits: Limits) {
    for at in 0..tests.len() {
        let killers = killers(tests);
        let test = &tests[at];
        let own: Vec<Mutant> = test.kills.iter().copied().filter(|mutant| killers[mutant] == 1).collect();
        let input = shrink(program, test.subject, &own, &test.input, limits);
        if input == test.input {
            continue;
        }
        if let Some(original) = observe(program, test.subject, &input, limits) {
            let whole = test.whole;
            let mut simpler = Test::new(test.subject, &input, original.outcome, own);
            if whole {
                simpler.complete(program, mutants, limits);
            }
            tests[at] = simpler;
        }
    }
    // Two tests may have become the same, or one may do now what another was kept for.
    drop_redundant(tests);
}
