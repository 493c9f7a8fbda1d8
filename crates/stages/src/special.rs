//! Special: a valid input for each special case of a parameter, or a proof that there is none.
//!
//! Let `has(x)` say that input `x` has the case. Let `clean(x)` say that the original breaks no rule, and
//! `valid(x)` that it returns as well. Two formulas are searched for a model:
//!
//!   (1) found   valid and has
//!   (2) missed  clean and has, and the original was cut or came to something unsupported
//!
//! Claims. A model of (1) is an input with the case, if a run confirms it. If neither has a model, no valid
//! input of the space has the case. If (1) has none, and nothing is unsupported, none has it up to the bound.
//!
//! There is no mutant to run. Inputs are tried first, the simplest first. A solver is asked about the cases
//! that none of them has.

use bv::formula::{not, or};
use bv::{Term, Terms, smtlib};
use ir::{Input, Mutant, Outcome, Space, SpecialCase, run};
use settle::{Granted, Obligation, Occurrence, Open, Proof, Task};
use smt::{Answer, Fuel, Solver};

use crate::assumptions::{Sizes, granted, up_to};
use crate::encode::{Bounds, Names, Plan, Request};
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

    /// Where each of these cases occurs. These inputs are tried, too.
    pub fn occurrences(&self, task: &Task, cases: &[SpecialCase], inputs: &[Input]) -> Vec<Occurrence> {
        let mut sought: Vec<Sought> = cases.iter().map(Sought::new).collect();
        let tried = sequence(task.program, task.subject, task.space).take(TRIED);
        for input in tried.chain(inputs.iter().cloned()) {
            if sought.iter().any(|it| it.is_new(&input)) && is_valid(task, &input) {
                for it in sought.iter_mut().filter(|it| it.is_new(&input)) {
                    it.known = Some(Occurrence::In(input.clone()));
                }
            }
        }
        for bound in [FIRST, self.bound] {
            if sought.iter().any(|it| it.known.is_none()) {
                self.search(task, bound, &mut sought);
            }
        }
        let unknown = || match task.stop.is_set() {
            true => Occurrence::Unknown(Open::stopped(task.stop)),
            false => Occurrence::Unknown(Open::OutOfFuel("the search for an input".to_string())),
        };
        sought.into_iter().map(|it| it.known.unwrap_or_else(unknown)).collect()
    }

    /// Asks a solver about the cases that are not known yet.
    fn search(&self, task: &Task, bound: u32, sought: &mut [Sought]) {
        let Task { program, subject, space, .. } = *task;
        let memory = task.limits.memory.share();
        let mut terms = Terms::within(memory);
        let inputs = Skeleton::new(program, subject, space, &mut terms);
        let bounds = Bounds { iterations: bound, blocks: BLOCKS };
        let request = Request { inputs: &inputs, mutant: Mutant::ORIGINAL, bounds };
        let original = Plan::new(program).encode(&mut terms, &mut Names::default(), request);
        let clean = terms.and(inputs.constraint, not(original.fault));
        let valid = terms.and(clean, original.returned);
        let unclear = or(original.cut, original.unsupported);
        let unclear = terms.and(clean, unclear);
        let space = Space { size: inputs.size, ..space.clone() };
        let granted = || granted(program, subject, &space, Sizes::Looked);
        let mut solver = Solver::until(task.stop, memory);
        for it in sought.iter_mut().filter(|it| it.known.is_none() && !task.stop.is_set()) {
            let Some(has) = inputs.is_special(&mut terms, *it.case) else {
                // No input that is looked at has it, valid or not.
                let nothing = terms.truth(false);
                it.known = Some(self.nowhere(&terms, granted(), &[nothing]));
                continue;
            };
            let found = terms.and(valid, has);
            match solver.check(&terms, &[found], self.fuel) {
                Ok(Answer::Sat(model)) => {
                    let input = inputs.input(&terms, model.words());
                    if it.case.holds(&input) && is_valid(task, &input) {
                        it.known = Some(Occurrence::In(input));
                    }
                }
                Ok(Answer::Unsat) => {
                    let missed = terms.and(unclear, has);
                    let proved = matches!(solver.check(&terms, &[missed], self.fuel), Ok(Answer::Unsat));
                    if proved {
                        it.known = Some(self.nowhere(&terms, granted(), &[found, missed]));
                    } else if bound == self.bound && original.reasons.is_empty() {
                        let mut granted = granted();
                        up_to(&mut granted, bounds, &original.cuts);
                        it.known = Some(self.nowhere(&terms, granted, &[found]));
                    }
                }
                Ok(Answer::Unknown) | Err(_) => {}
            }
            if task.stop.is_set() {
                // The second query may have been stopped.
                it.known = None;
            }
        }
    }

    /// No valid input has a case, because each of these is unsatisfiable.
    fn nowhere(&self, terms: &Terms, granted: Granted, refuted: &[Term]) -> Occurrence {
        let script = |root: &Term| Obligation(smtlib::script(terms, &[*root]));
        let obligations = if self.obligations { refuted.iter().map(script).collect() } else { vec![] };
        let method = "no valid input has this case".to_string();
        Occurrence::Nowhere(Proof { method, granted, obligations })
    }
}

/// A case, and what is known of it.
struct Sought<'a> {
    case: &'a SpecialCase,
    known: Option<Occurrence>,
}

impl Sought<'_> {
    fn new(case: &SpecialCase) -> Sought<'_> {
        Sought { case, known: None }
    }

    /// An input has the case, and none had it before.
    fn is_new(&self, input: &Input) -> bool {
        self.known.is_none() && self.case.holds(input)
    }
}

fn is_valid(task: &Task, input: &Input) -> bool {
    let Task { program, subject, limits, .. } = *task;
    let outcome = run(program, subject, Mutant::ORIGINAL, input, limits.original).outcome;
    matches!(outcome, Outcome::Returned(_))
}
