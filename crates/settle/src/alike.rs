//! Which mutants no input has told apart so far: the only ones that may have the same code.
//!
//! All mutants start in one group. Each input splits the groups by what the mutants are observed to
//! do on it. A mutant that is alone in its group is run no more, so most mutants run on few inputs.
//!
//! Two mutants with the same code return the same on every input. If they do not return, they
//! stay together: the interpreter may name different places where their common code would stop.

use std::collections::HashMap;
use std::sync::Arc;

use ir::interpret::run_watched;
use ir::{FunctionId, Infection, Input, Mutant, Observation, Outcome, Program, run};
use rayon::prelude::*;

use crate::Limits;

/// After so many inputs in a row that split no group, the rest is left to whoever compares code.
const BARREN: usize = 16;

/// What a mutant does on an input.
#[derive(PartialEq, Eq, Hash)]
enum Deed {
    AsOriginal,
    Returns(Arc<Observation>),
    ReturnsNot,
}

/// The groups of at least two mutants that none of the inputs tells apart.
/// Sorted, as the mutants in each are.
pub fn alike<'i>(
    program: &Program,
    subject: FunctionId,
    mutants: &[Mutant],
    inputs: impl IntoIterator<Item = &'i Input>,
    limits: Limits,
) -> Vec<Vec<Mutant>> {
    let limits = limits.short();
    let mut groups = vec![mutants.to_vec()];
    let mut barren = 0;
    for input in inputs {
        groups.retain(|group| group.len() > 1);
        if groups.is_empty() || barren == BARREN {
            break;
        }
        let mut infection = Infection::new(program);
        let original = run_watched(program, subject, input, limits.original, &mut infection);
        let Outcome::Returned(original) = original.outcome else { continue };
        let deed = |mutant: &Mutant| {
            if !infection.contains(*mutant) {
                return Deed::AsOriginal;
            }
            match run(program, subject, *mutant, input, limits.mutant).outcome {
                Outcome::Returned(seen) if seen == original => Deed::AsOriginal,
                Outcome::Returned(seen) => Deed::Returns(seen),
                _ => Deed::ReturnsNot,
            }
        };
        let before = groups.len();
        groups = groups.par_iter().flat_map_iter(|group| split(group, deed)).collect();
        barren = if groups.len() > before { 0 } else { barren + 1 };
    }
    groups.retain(|group| group.len() > 1);
    groups.sort();
    groups
}

/// Splits a group by what its mutants do.
fn split(group: &[Mutant], deed: impl Fn(&Mutant) -> Deed) -> Vec<Vec<Mutant>> {
    let mut groups: Vec<Vec<Mutant>> = Vec::new();
    let mut places: HashMap<Deed, usize> = HashMap::new();
    for mutant in group {
        let at = *places.entry(deed(mutant)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(known) => known.push(*mutant),
            None => groups.push(vec![*mutant]),
        }
    }
    groups
}
