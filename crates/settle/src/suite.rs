//! From kills to a small suite: the kill matrix, and a greedy cover of it.

use std::collections::BTreeSet;

use ir::{FunctionId, Input, Mutant, Outcome, Program};

use crate::{Kill, Limits, complexity, kills, observe};

/// A test: an input, and what the original does on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub subject: FunctionId,
    pub input: Input,
    pub returns: Outcome,
    /// What it kills. Sorted.
    pub kills: Vec<Mutant>,
}

/// Few tests that kill all these mutants, easiest to read first.
pub fn suite(program: &Program, killed: &[(FunctionId, Mutant, &Kill)], limits: Limits) -> Vec<Test> {
    let subjects: BTreeSet<FunctionId> = killed.iter().map(|(subject, ..)| *subject).collect();
    subjects
        .into_iter()
        .flat_map(|subject| {
            let of_subject: Vec<(Mutant, &Kill)> = killed
                .iter()
                .filter(|(judge, ..)| *judge == subject)
                .map(|(_, mutant, kill)| (*mutant, *kill))
                .collect();
            cover(program, subject, &of_subject, limits)
        })
        .collect()
}

fn cover(program: &Program, subject: FunctionId, killed: &[(Mutant, &Kill)], limits: Limits) -> Vec<Test> {
    let mutants: Vec<Mutant> = killed.iter().map(|(mutant, _)| *mutant).collect();
    let inputs: BTreeSet<(u64, &Input)> =
        killed.iter().map(|(_, kill)| (complexity(&kill.input), &kill.input)).collect();
    let mut rows: Vec<Test> = inputs
        .into_iter()
        .filter_map(|(_, input)| {
            let returns = observe(program, subject, input, limits)?.outcome;
            let mut kills: BTreeSet<Mutant> =
                kills(program, subject, input, &mutants, limits).into_iter().collect();
            // The machine may have found a difference only after the interpreter's fuel was spent.
            kills.extend(killed.iter().filter(|(_, kill)| kill.input == *input).map(|(mutant, _)| *mutant));
            Some(Test { subject, input: input.clone(), returns, kills: kills.into_iter().collect() })
        })
        .collect();

    let mut missing: BTreeSet<Mutant> = mutants.into_iter().collect();
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
    chosen.sort_by_key(|test| (complexity(&test.input), test.input.clone()));
    chosen
}

/// Drops tests all of whose kills others make too, the hardest to read first.
fn drop_redundant(tests: &mut Vec<Test>) {
    let mut order: Vec<Input> = tests.iter().map(|test| test.input.clone()).collect();
    order.sort_by_key(|input| std::cmp::Reverse((complexity(input), input.clone())));
    for input in order {
        let others: BTreeSet<Mutant> =
            tests.iter().filter(|test| test.input != input).flat_map(|test| test.kills.clone()).collect();
        let redundant = tests
            .iter()
            .any(|test| test.input == input && test.kills.iter().all(|mutant| others.contains(mutant)));
        if redundant {
            tests.retain(|test| test.input != input);
        }
    }
}
