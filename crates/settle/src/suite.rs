//! From kills to a small suite: the kill matrix, a greedy cover of it, and small numbers.

use std::collections::{BTreeSet, HashMap};

use ir::{FunctionId, Input, Mutant, Outcome, Program};

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
pub fn suite(program: &Program, killed: &[(FunctionId, Mutant, &Kill)], limits: Limits) -> Vec<Test> {
    let mutants: Vec<Mutant> = killed.iter().map(|(_, mutant, _)| *mutant).collect();
    let witnesses: BTreeSet<(u64, FunctionId, &Input)> =
        killed.iter().map(|(subject, _, kill)| (complexity(&kill.input), *subject, &kill.input)).collect();
    // What only the machine was patient enough to see counts too.
    let mut seen: HashMap<(FunctionId, &Input), Vec<Mutant>> = HashMap::new();
    for (subject, mutant, kill) in killed {
        seen.entry((*subject, &kill.input)).or_default().push(*mutant);
    }
    let mut rows: Vec<Test> = witnesses
        .into_iter()
        .filter_map(|(_, subject, input)| {
            let mut test = Test::new(program, subject, input, &mutants, limits)?;
            test.kills.extend(seen.get(&(subject, input)).into_iter().flatten());
            test.kills.sort();
            test.kills.dedup();
            Some(test)
        })
        .collect();

    let mut missing: BTreeSet<Mutant> = mutants.iter().copied().collect();
    let mut chosen: Vec<Test> = Vec::new();
    while !missing.is_empty() {
        // Rows stand in the order of reading ease, and the first of the best wins.
        let gain = |test: &Test| test.kills.iter().filter(|mutant| missing.contains(mutant)).count();
        let Some(best) = (0..rows.len()).rev().max_by_key(|at| gain(&rows[*at])) else { break };
        if gain(&rows[best]) == 0 {
            break;
        }
        let test = rows.remove(best);
        missing.retain(|mutant| !test.kills.contains(mutant));
        chosen.push(test);
    }
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
    tests.sort_by_key(|test| std::cmp::Reverse((complexity(&test.input), test.subject, test.input.clone())));
    let mut at = 0;
    while at < tests.len() {
        if own(tests, at).is_empty() {
            tests.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Gives each test the smallest numbers with which it still kills what no other test does.
fn simplify(program: &Program, tests: &mut Vec<Test>, mutants: &[Mutant], limits: Limits) {
    for at in 0..tests.len() {
        let own = own(tests, at);
        let test = &tests[at];
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

/// What this test kills and no other does.
fn own(tests: &[Test], at: usize) -> Vec<Mutant> {
    let others = tests.iter().enumerate().filter(|(other, _)| *other != at);
    let others: BTreeSet<Mutant> = others.flat_map(|(_, other)| other.kills.iter().copied()).collect();
    tests[at].kills.iter().copied().filter(|mutant| !others.contains(mutant)).collect()
}
