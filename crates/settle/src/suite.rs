//! From kills to a small suite: the kill matrix, a greedy cover of it, and small numbers.

use std::cmp::Reverse;
use std::collections::HashMap;

use ir::{FunctionId, Input, Mutant, Outcome, Program};
use rayon::prelude::*;

use crate::{Kill, Limits, complexity, kills, observe, shrink};

/// A test: an input, and what the original does on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub subject: FunctionId,
    pub input: Input,
    pub returns: Outcome,
    /// What it kills, wherever the mutants are. Sorted.
    pub kills: Vec<Mutant>,
}

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

    // What only the machine was patient enough to see counts too.
    let mut missing = mutants.clone();
    let mut useful: Vec<(FunctionId, &Input)> = Vec::new();
    for (subject, input) in witnesses {
        let mut gained = kills(program, subject, input, &missing, limits);
        gained.extend(&known[&(subject, input)]);
        let before = missing.len();
        missing.retain(|mutant| !gained.contains(mutant));
        if missing.len() < before {
            useful.push((subject, input));
        }
    }
    let row = |(subject, input): &(FunctionId, &Input)| {
        let mut test = Test::new(program, *subject, input, &mutants, limits)?;
        test.kills.extend(&known[&(*subject, *input)]);
        test.kills.sort();
        test.kills.dedup();
        Some(test)
    };
    let mut chosen: Vec<Test> = useful.par_iter().filter_map(row).collect();
    drop_redundant(&mut chosen);
    simplify(program, &mut chosen, &mutants, limits);
    chosen.sort_by_key(|test| (test.subject, complexity(&test.input), test.input.clone()));
    chosen
}

impl Test {
    /// None if the input is not valid.
    fn new(
        program: &Program,
        subject: FunctionId,
        input: &Input,
        mutants: &[Mutant],
        limits: Limits,
    ) -> Option<Test> {
        let returns = observe(program, subject, input, limits)?.outcome;
        let kills = kills(program, subject, input, mutants, limits);
        Some(Test { subject, input: input.clone(), returns, kills })
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

/// Gives each test the smallest numbers with which it still kills what no other test does.
fn simplify(program: &Program, tests: &mut Vec<Test>, mutants: &[Mutant], limits: Limits) {
    for at in 0..tests.len() {
        let killers = killers(tests);
        let test = &tests[at];
        let own: Vec<Mutant> = test.kills.iter().copied().filter(|mutant| killers[mutant] == 1).collect();
        let input = shrink(program, test.subject, &own, &test.input, limits);
        if input == test.input {
            continue;
        }
        if let Some(simpler) = Test::new(program, test.subject, &input, mutants, limits)
            && own.iter().all(|mutant| simpler.kills.contains(mutant))
        {
            tests[at] = simpler;
        }
    }
    // Two tests may have become the same, or one may do now what another was kept for.
    drop_redundant(tests);
}
