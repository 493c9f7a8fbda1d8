//! Calls of sealed functions: a proof does not look inside.
//!
//! Such a function computes a word of words, and does nothing else. Libraries differ in the last bits of what
//! it computes. So a proof takes it for any function f, of which one thing is known: equal arguments give
//! equal results.
//!
//! A call with the terms a has a variable v(a). What it returns is
//!
//! ```text
//!     r(a) = if a = b then r(b) else v(a)
//! ```
//!
//! with such a choice for some earlier calls b of the original. Whatever f is, let each v(a) be f(a). Then
//! each r(a) is f(a), too. So what holds for all values of the variables holds for every library. The choices
//! only rule out values that no function has.

use bv::Term;
use ir::FunctionId;
use ir::step::{self, Faults, Value};
use rustc_hash::FxHashMap;

use super::call::{Call, Return};
use super::{Chosen, Encoder};

/// The calls of sealed functions in one graph.
#[derive(Default)]
pub(super) struct SealedCalls {
    results: FxHashMap<(FunctionId, Vec<Term>), Term>,
    /// Those that the original makes, in the order in which they were first met.
    of_original: Vec<(FunctionId, Vec<Term>)>,
}

/// As many of the original's calls are compared with a call. More of them rarely decide a proof, and each
/// makes all later terms larger.
const COMPARED: usize = 8;

impl Encoder<'_> {
    pub(super) fn call_sealed(&mut self, call: Call) -> Return {
        let Call { function, arguments, guard, state, at, .. } = call;
        let mut faults = Faults::new();
        let used = |value: Value<Term>| step::used(self.terms, value, &mut faults);
        let arguments: Vec<Term> = arguments.into_iter().map(used).collect();
        self.note(guard, faults, at);
        let result = self.result_of(function, arguments);
        Return { guard, value: Some(Value::of(result)), state }
    }

    fn result_of(&mut self, function: FunctionId, arguments: Vec<Term>) -> Term {
        let call = (function, arguments);
        let known = self.names.sealed.results.get(&call).copied();
        let result = known.unwrap_or_else(|| self.new_result(&call));
        let SealedCalls { results, of_original } = &mut self.names.sealed;
        results.insert(call.clone(), result);
        if self.chosen == Chosen::ORIGINAL && !of_original.contains(&call) {
            of_original.push(call);
        }
        result
    }

    fn new_result(&mut self, (function, arguments): &(FunctionId, Vec<Term>)) -> Term {
        let called = self.plan.program.function(*function);
        let width = called.result.expect("a sealed function returns a word");
        let mut result = self.terms.variable(&called.name, width);
        let SealedCalls { results, of_original } = &self.names.sealed;
        for other in of_original.iter().rev().filter(|(other, _)| other == function).take(COMPARED) {
            let pairs = arguments.iter().zip(&other.1);
            let same: Vec<Term> = pairs.map(|(one, other)| self.terms.equal(*one, *other)).collect();
            let same = self.terms.all(same);
            result = self.terms.ite(same, results[other], result);
        }
        result
    }
}
