//! Calls of a function by itself that are not followed: the results are variables.
//!
//! In the original, each such call returns something new. A mutant that makes one of these calls is given
//! what that call returned. Any other call of the mutant is followed, but only once: it has to come back
//! without calling again. `inductive/recursion.rs` says what this proves.

use bv::Term;
use bv::formula::not;
use ir::step::Value;

use super::call::Call;
use super::{Cut, Encoder};
use crate::memory::choose;

/// What is done about calls of a function by itself.
#[derive(Clone, Copy)]
pub(crate) enum Recursion<'s> {
    /// They are followed.
    Followed,
    /// Each returns something new, as in the original.
    MadeUp,
    /// Those that the original makes return what they return there.
    Known(&'s [Recursive]),
}

/// A call of a function by itself.
#[derive(Clone)]
pub(crate) struct Recursive {
    pub(crate) guard: Term,
    pub(crate) arguments: Vec<Value<Term>>,
    pub(crate) result: Option<Value<Term>>,
}

impl Encoder<'_> {
    /// What a call returns, and under which guard, if it is not followed.
    pub(super) fn recur(&mut self, call: &Call) -> Option<(Term, Option<Value<Term>>)> {
        let cuts = self.cuts.as_ref().filter(|cuts| cuts.function == call.function)?;
        let recursion = cuts.recursion;
        let active = self.calls.iter().filter(|(caller, _)| *caller == call.function).count();
        match recursion {
            _ if active == 0 => None,
            Recursion::Followed => None,
            Recursion::MadeUp => self.make_up(call),
            Recursion::Known(known) => Some(self.look_up(call, known, active)),
        }
    }

    fn make_up(&mut self, call: &Call) -> Option<(Term, Option<Value<Term>>)> {
        let Call { function, arguments, guard, .. } = call;
        let number = self.names.activations.len();
        let cuts = self.cuts.as_mut()?;
        let result = self.plan.program.function(*function).result.map(|width| {
            let name = format!("call {number} {}", cuts.calls.len());
            Value::of(self.terms.variable(&name, width))
        });
        cuts.calls.push(Recursive { guard: *guard, arguments: arguments.clone(), result });
        Some((*guard, result))
    }

    fn look_up(&mut self, call: &Call, known: &[Recursive], active: usize) -> (Term, Option<Value<Term>>) {
        let Call { function, arguments, guard, activation, at, .. } = call;
        let body = self.plan.program.function(*function);
        let never = self.terms.truth(false);
        if active > 1 || arguments.iter().any(|argument| argument.undefined.is_some()) {
            self.cut(*guard, Cut::Iterations);
            return (never, self.stand_in(body));
        }
        let mut rest = *guard;
        let mut alike = Vec::new();
        for known in known {
            let pairs = known.arguments.iter().zip(arguments);
            let same: Vec<Term> = pairs.map(|(one, other)| self.terms.equal(one.word, other.word)).collect();
            let same = self.terms.all(same.into_iter().chain([known.guard]));
            alike.push((same, known.result));
            rest = self.terms.and(rest, not(same));
        }
        let (mut returned, mut value) = match self.terms.is_never(rest) {
            true => (never, self.stand_in(body)),
            false => {
                let (arguments, state) = (arguments.clone(), call.state.clone());
                let (function, activation, at) = (*function, *activation, *at);
                let other =
                    self.follow_call(Call { function, arguments, guard: rest, state, activation, at });
                (other.guard, other.value)
            }
        };
        for (same, result) in alike {
            if let (Some(found), Some(result)) = (value, result) {
                value = Some(choose(self.terms, same, result, found));
            }
            let here = self.terms.and(*guard, same);
            returned = self.terms.or(returned, here);
        }
        (returned, value)
    }
}
