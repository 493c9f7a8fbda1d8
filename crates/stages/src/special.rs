//! Special: a valid input for each special case, or a proof that there is none.
//!
//! There is no mutant to run. Inputs are tried first, simplest first; for the cases that none of them has, a solver is asked.

use bv::{Term, Terms, smtlib};
use ir::{Input, Mutant, Outcome, run};
use settle::{Granted, Obligation, Occurrence, Open, Proof, Task};
use smt::{Answer, Fuel, Solver};

use crate::assumptions::{Sizes, granted, up_to};
use crate::encode::{Bounds, Numbers, Plan};
use crate::inputs::sequence;
use crate::skeleton::Skeleton;

pub struct Special {
    /// The last bound for loops.
    pub bound: u32,
    /// For each query.
    pub fuel: Fuel,
    /// Whether proofs carry their obligations, for another solver.
    pub obligations: bool,
}

/// Inputs that are tried before a solver is asked.
const TRIED: usize = 600;

/// An unrolled function may have so many blocks.
const BLOCKS: usize = 4_000;

/// Loops are unrolled so far before the last bound.
const FIRST: u32 = 1;

impl Special {
    pub const NAME: &str = "special";

    /// Where each of these cases occurs. These inputs are worth a look, too.
    pub fn occurrences(&self, task: &Task, specials: &[ir::Special], inputs: &[Input]) -> Vec<Occurrence> {
        let mut found: Vec<Option<Occurrence>> = vec![None; specials.len()];
        let tried = sequence(task.program, task.subject, task.space).take(TRIED);
        for input in tried.chain(inputs.iter().cloned()) {
            let is_new = |(special, known): &(&ir::Special, &Option<Occurrence>)| {
                known.is_none() && special.holds(&input)
            };
            if specials.iter().zip(&found).any(|pair| is_new(&pair)) && is_valid(task, &input) {
                for (special, known) in specials.iter().zip(&mut found) {
                    if known.is_none() && special.holds(&input) {
                        *known = Some(Occurrence::In(input.clone()));
                    }
                }
            }
        }
        let bounds = [FIRST, self.bound];
        for bound in bounds {
            if found.iter().any(Option::is_none) {
                self.search(task, bound, bound == self.bound, specials, &mut found);
            }
        }
        let unknown = || Occurrence::Unknown(Open::OutOfFuel("the search for an input".to_string()));
        found.into_iter().map(|known| known.unwrap_or_else(unknown)).collect()
    }

    /// Asks a solver for those that are missing.
    fn search(
        &self,
        task: &Task,
        bound: u32,
        last: bool,
        specials: &[ir::Special],
        found: &mut [Option<Occurrence>],
    ) {
        let Task { program, subject, space, .. } = *task;
        let mut terms = Terms::new();
        let inputs = Skeleton::new(program, subject, space, &mut terms);
        let bounds = Bounds { iterations: bound, blocks: BLOCKS };
        let plan = Plan::new(program);
        let original =
            plan.encode(&mut terms, &mut Numbers::default(), subject, Mutant::ORIGINAL, &inputs, bounds);
        let fine = terms.not(original.fault);
        let clean = terms.and(inputs.constraint, fine);
        let valid = terms.and(clean, original.returned);
        let unclear = terms.or(original.cut, original.unsupported);
        let unclear = terms.and(clean, unclear);
        let space = ir::Space { size: inputs.size, ..space.clone() };
        let mut solver = Solver::new();
        for (special, known) in specials.iter().zip(found) {
            if known.is_some() {
                continue;
            }
            let granted = || granted(program, subject, &space, Sizes::Looked);
            let Some(holds) = inputs.is_special(&mut terms, *special) else {
                // No input that is looked at has it, valid or not.
                let nothing = terms.truth(false);
                *known = Some(self.nowhere(&terms, granted(), &[nothing]));
                continue;
            };
            let found = terms.and(valid, holds);
            match solver.check(&terms, &[found], self.fuel) {
                Ok(Answer::Sat(model)) => {
                    let input = inputs.input(&terms, model.words());
                    if special.holds(&input) && is_valid(task, &input) {
                        *known = Some(Occurrence::In(input));
                    }
                }
                Ok(Answer::Unsat) => {
                    let missed = terms.and(unclear, holds);
                    let proved = matches!(solver.check(&terms, &[missed], self.fuel), Ok(Answer::Unsat));
                    if proved {
                        *known = Some(self.nowhere(&terms, granted(), &[found, missed]));
                    } else if last && original.reasons.is_empty() {
                        let mut granted = granted();
                        up_to(&mut granted, bounds, &original.cuts);
                        *known = Some(self.nowhere(&terms, granted, &[found]));
                    }
                }
                Ok(Answer::Unknown) | Err(_) => {}
            }
        }
    }
}

impl Special {
    /// That no valid input has a case, because each of these is unsatisfiable.
    fn nowhere(&self, terms: &Terms, granted: Granted, refuted: &[Term]) -> Occurrence {
        let script = |root: &Term| Obligation(smtlib::script(terms, &[*root]));
        let obligations = if self.obligations { refuted.iter().map(script).collect() } else { vec![] };
        Occurrence::Nowhere(Proof {
            method: "no valid input has this case".to_string(),
            granted,
            obligations,
        })
    }
}

fn is_valid(task: &Task, input: &Input) -> bool {
    let Task { program, subject, limits, .. } = *task;
    let outcome = run(program, subject, Mutant::ORIGINAL, input, limits.original).outcome;
    matches!(outcome, Outcome::Returned(_))
}
