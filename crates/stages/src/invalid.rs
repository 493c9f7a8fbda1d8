//! Subjects without a valid input: what is wrong with all inputs, and what a user can do about it.

use std::collections::BTreeMap;

use ir::{Fault, Mutant, Outcome, Space, run};
use settle::Task;

use crate::inputs;

/// So many inputs are looked at, the simplest first. What is wrong with all of them shows in the first few.
const TRIED: usize = 64;

/// What the original does wrong on most inputs, and where.
pub(crate) fn why(task: &Task) -> String {
    let mut found: BTreeMap<(String, Option<u32>), (usize, Option<Fault>)> = BTreeMap::new();
    let mut tried = 0;
    for input in inputs::sequence(task.program, task.subject, task.space).take(TRIED) {
        let outcome =
            run(task.program, task.subject, Mutant::ORIGINAL, &input, task.limits.short().original).outcome;
        let (what, at, fault) = match outcome {
            Outcome::Faulted(fault, at) => (fault.text().to_string(), at, Some(fault)),
            Outcome::Unsupported(what, at) => (what, at, None),
            Outcome::Diverged => ("a loop without end".to_string(), None, None),
            Outcome::OutOfFuel => (format!("more than {} steps", task.limits.short().original), None, None),
            Outcome::Returned(_) => continue,
        };
        tried += 1;
        found.entry((what, at.map(|at| at.line))).or_insert((0, fault)).0 += 1;
    }
    let most = found.into_iter().max_by_key(|(_, (times, _))| *times);
    let Some(((what, line), (times, fault))) = most else { return "none was found".to_string() };
    let place = line.map_or(String::new(), |line| format!(" at line {line}"));
    let share = if times == tried { format!("all {tried}") } else { format!("{times} of {tried}") };
    let advice = fault.map_or("", |fault| advice(task, fault));
    format!("{what}{place} on {share} that were tried{advice}")
}

/// What may help, if anything.
fn advice(task: &Task, fault: Fault) -> &'static str {
    match fault {
        Fault::OutOfBounds | Fault::Stray => "; raise --size if it needs longer buffers",
        Fault::NullAccess | Fault::NullArgument if task.space.depth < Space::DEEPEST => {
            "; raise --depth if it needs pointers that lead further"
        }
        Fault::UninitialisedRead if !task.program.externals.is_empty() => {
            "; if a function that is defined elsewhere should assign it, give that function a body"
        }
        _ => "",
    }
}
