//! Functions that call themselves: induction over the calls of the original.
//!
//! Let `f` be the original and `f'` the mutant. Neither has loops, and nobody writes to memory, so that a
//! call is determined by its arguments. Claim: if for every valid input `x` of the space
//!
//!   (1) the calls `f(y)` that `f(x)` makes are inputs of the space,
//!   (2) `f'(x) = f(x)`, provided that `f'(y) = f(y)` for all of these calls,
//!
//! then no valid input of the space tells the two apart, by induction over the depth of the calls of `f(x)`,
//! which is finite for a valid input.
//!
//! The space has every number, but not every pointer: most lead to the start of a buffer of their own. So for
//! (1) every pointer is handed on as it is. In (2) the results of the calls `f(y)` are variables, and equal
//! calls give equal results. A call of the mutant is one of these, or it is followed once, and must come back
//! without calling again.

use bv::{Term, Terms};
use ir::step::Value;
use ir::{Action, FunctionId, Mutant, Type, TypeId};
use rustc_hash::FxHashMap;
use settle::Task;

use super::induction::{BOUNDS, Induction, Proved};
use super::query::Checked;
use crate::encode::{Part, Recursion, Request};

/// So many decisions are made before a query is asked. Each doubles the number of cases.
const CASES: usize = 3;

/// Whether calls of the function by itself can be taken for what it returns: it has no loops, and nobody
/// writes to memory.
pub(super) fn is_recursive(task: &Task) -> bool {
    let Task { program, subject, .. } = *task;
    let is_plain = |action: &Action| {
        matches!(
            action,
            Action::Apply { .. }
                | Action::Site { .. }
                | Action::Call { .. }
                | Action::Load { .. }
                | Action::Stop(_)
        )
    };
    let reached = ir::reachable(program, subject);
    let actions = |id: &FunctionId| {
        let blocks = &program.function(*id).blocks;
        blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.action)
    };
    let calls = |id: &FunctionId| {
        actions(id).any(|action| matches!(action, Action::Call { function, .. } if *function == subject))
    };
    ir::order::order(program.function(subject)).components().next().is_none()
        && reached.iter().any(calls)
        && reached.iter().flat_map(actions).all(is_plain)
}

impl Induction<'_> {
    /// Whether the mutant of a recursive function does what the original does.
    pub(super) fn recursive(&mut self, mutant: Mutant) -> Option<Proved> {
        if !self.calls_are_inputs() {
            return None;
        }
        let near = self.entry.clone();
        let recursion = Recursion::Known(&near.calls);
        let part = Part { function: self.task.subject, start: None, further: false, recursion };
        let request = Request { inputs: &self.inputs, mutant, bounds: BOUNDS };
        let theirs = self.plan.segment(&mut self.terms, &mut self.names, request, part);
        let good = self.ends(&near, &theirs);
        let bad = self.terms.not(good);
        let (clean, alike) = (self.clean(None), self.calls_agree());
        let query = self.terms.all([clean, alike, bad]);
        let guards: Vec<Term> = near.calls.iter().map(|call| call.guard).collect();
        let mut refuted = Vec::new();
        for case in cases(&mut self.terms, query, &guards) {
            let Checked::Never = self.check(case) else { return None };
            refuted.push(case);
        }
        Some(Proved { refuted, relation: "its own calls return the same".to_string() })
    }

    /// (1)
    fn calls_are_inputs(&mut self) -> bool {
        let Induction { task, inputs, terms, entry, .. } = self;
        let parameters = &task.program.function(task.subject).signature.parameters;
        let is_pointer = |of: TypeId| matches!(task.program.of(of), Type::Pointer(_));
        parameters.iter().zip(&inputs.arguments).enumerate().all(|(at, (parameter, slot))| {
            let mut is_own = || {
                let own = Value::of(inputs.word(terms, slot));
                entry.calls.iter().all(|call| call.arguments[at] == own)
            };
            !is_pointer(parameter.of) || is_own()
        })
    }

    /// Equal calls return equal results.
    fn calls_agree(&mut self) -> Term {
        let Induction { terms, entry, .. } = self;
        let mut facts = Vec::new();
        for (at, one) in entry.calls.iter().enumerate() {
            for other in &entry.calls[at + 1..] {
                let pairs = one.arguments.iter().zip(&other.arguments);
                let same: Vec<Term> = pairs.map(|(one, other)| terms.equal(one.word, other.word)).collect();
                let same = terms.all(same);
                if let (Some(one), Some(other)) = (one.result, other.result) {
                    let equal = terms.equal(one.word, other.word);
                    facts.push(terms.implies(same, equal));
                }
            }
        }
        terms.all(facts)
    }
}

/// The cases of a query, by the first few decisions. Where it is known which calls are made, products of
/// their results are equal by rewriting. A solver would have a hard time.
fn cases(terms: &mut Terms, query: Term, decisions: &[Term]) -> Vec<Term> {
    let mut cases = vec![query];
    for decision in decisions.iter().take(CASES) {
        let mut split = Vec::new();
        for case in cases {
            for holds in [true, false] {
                let value = terms.truth(holds);
                let rest = terms.rebuild(case, &mut FxHashMap::from_iter([(*decision, value)]));
                let decided = if holds { *decision } else { terms.not(*decision) };
                split.push(terms.and(decided, rest));
            }
        }
        cases = split;
    }
    cases
}
