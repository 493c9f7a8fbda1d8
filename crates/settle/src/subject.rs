//! Who judges whom: the functions that a test can call, and the mutants each must judge.
//!
//! A mutant in a function that tests can call is judged by calling it: if no call of the
//! function itself tells the difference, no caller's can. A mutant in a `static` function is
//! judged by every callable function that leads to it through `static` functions only. It is killed if one of
//! them kills it, and equivalent if all of them are proved.

use std::collections::BTreeSet;

use ir::{Action, FunctionId, Mutant, Program};

/// A function that tests can call, with the mutants that it must judge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    pub function: FunctionId,
    /// Sorted.
    pub mutants: Vec<Mutant>,
}

/// The subjects of a program, given the functions that tests can call. Every mutant that some
/// callable function leads to is in one of them.
pub fn subjects(program: &Program, callable: &[FunctionId]) -> Vec<Subject> {
    let judges = |function: FunctionId| {
        let mutants: BTreeSet<Mutant> =
            territory(program, function, callable).into_iter().flat_map(|inside| seeded(program, inside)).collect();
        Subject { function, mutants: mutants.into_iter().collect() }
    };
    callable.iter().map(|function| judges(*function)).filter(|subject| !subject.mutants.is_empty()).collect()
}

/// The function and what it reaches without passing through another callable one.
fn territory(program: &Program, function: FunctionId, callable: &[FunctionId]) -> BTreeSet<FunctionId> {
    let mut reached = BTreeSet::from([function]);
    let mut todo = vec![function];
    while let Some(function) = todo.pop() {
        for callee in callees(program, function) {
            if !callable.contains(&callee) && reached.insert(callee) {
                todo.push(callee);
            }
        }
    }
    reached
}

fn callees(program: &Program, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
    actions(program, function).filter_map(|action| match action {
        Action::Call { function, .. } => Some(*function),
        _ => None,
    })
}

fn seeded(program: &Program, function: FunctionId) -> Vec<Mutant> {
    actions(program, function)
        .filter_map(|action| match action {
            Action::Site { site, .. } => Some(program.site(*site)),
            _ => None,
        })
        .flat_map(|site| site.variants.iter().map(|(mutant, _)| *mutant))
        .collect()
}

fn actions(program: &Program, function: FunctionId) -> impl Iterator<Item = &Action> + '_ {
    let blocks = &program.function(function).blocks;
    blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.action)
}
