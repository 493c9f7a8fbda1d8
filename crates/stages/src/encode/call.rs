//! Calls: of functions with a body, directly or through pointers, and how the ways out of one are merged.

use bv::{Domain, Term, Word};
use ir::rules;
use ir::step::{Faults, Value};
use ir::{Function, FunctionId, Position, Unsupported};

use super::guards::separating;
use super::unroll::{Arrival, Round};
use super::{Chosen, Cut, Encoder, Point, State};
use crate::memory::{Access, Origin, Possible, Trouble, choose, number};

/// Activations on top of each other, whatever decides them. Each needs some of our own stack.
pub(crate) const MAX_CALLS: usize = 200;

/// The activation that nobody in the program calls.
pub(super) const OUTERMOST: u32 = 0;

/// A call, on the way in.
pub(super) struct Call {
    pub(super) function: FunctionId,
    pub(super) arguments: Vec<Value<Term>>,
    pub(super) guard: Term,
    pub(super) state: State,
    /// The number of the activation.
    pub(super) activation: u32,
    /// Where it is called.
    pub(super) at: Option<Position>,
}

/// A way out of a function.
pub(super) struct Return {
    pub(super) guard: Term,
    pub(super) value: Option<Value<Term>>,
    pub(super) state: State,
}

/// A call through a pointer.
pub(super) struct PointerCall<'a> {
    pub(super) pointer: Term,
    pub(super) arguments: &'a [Value<Term>],
    /// The width of what is wanted back.
    pub(super) result: Option<u32>,
    pub(super) point: &'a Point,
    pub(super) at: Option<Position>,
}

impl Call {
    /// The call that a run begins with.
    pub(super) fn outermost(
        function: FunctionId,
        arguments: Vec<Value<Term>>,
        guard: Term,
        state: State,
    ) -> Call {
        Call { function, arguments, guard, state, activation: OUTERMOST, at: None }
    }
}

impl Encoder<'_> {
    pub(super) fn call(&mut self, call: Call) -> Return {
        if self.plan.program.function(call.function).sealed {
            return self.call_sealed(call);
        }
        match self.recur(&call) {
            Some((guard, value)) => Return { guard, value, state: call.state },
            None => self.follow_call(call),
        }
    }

    /// Encodes a call by what the function does.
    pub(super) fn follow_call(&mut self, call: Call) -> Return {
        let Call { function: id, guard, activation, at, .. } = call;
        let function = self.plan.program.function(id);
        if let Some(unsupported) = &function.unsupported {
            let at = unsupported.at.or(at);
            self.give_up(guard, Unsupported { what: unsupported.what.clone(), at });
            return self.never_back(function, call.state);
        }
        let outer = self.calls.iter().rev().find(|(caller, _)| *caller == id).map(|(_, round)| *round);
        let decided = outer.map_or(0, |outer| outer.decided + u32::from(outer.guard != guard));
        let too_deep = self.calls.len() > MAX_CALLS;
        if decided > self.bounds.iterations || too_deep {
            self.cut(guard, if too_deep { Cut::Calls } else { Cut::Iterations });
            return self.never_back(function, call.state);
        }
        self.calls.push((id, Round { decided, ..Round::first(guard) }));
        let before = call.state.clone();
        let returns = self.body(call);
        self.calls.pop();
        match self.merged(returns) {
            Some(Return { guard, value, state }) => {
                let value = value.map(|value| self.returned(activation, guard, value));
                Return { guard, value, state }
            }
            None => self.never_back(function, before),
        }
    }

    /// What comes back of a call that never returns.
    pub(super) fn never_back(&mut self, function: &Function, state: State) -> Return {
        let guard = self.terms.truth(false);
        Return { guard, value: self.stand_in(function), state }
    }

    /// Something of the right width where no value comes back.
    pub(super) fn stand_in(&mut self, function: &Function) -> Option<Value<Term>> {
        let width = function.result?;
        Some(Value::of(self.terms.constant(Word::zero(width))))
    }

    /// All ways out of a function as one, if there are any.
    pub(super) fn merged(&mut self, returns: Vec<Return>) -> Option<Return> {
        returns.into_iter().reduce(|kept, way| self.either(way, kept))
    }

    /// Two ways out of a function as one.
    fn either(&mut self, way: Return, kept: Return) -> Return {
        let condition = separating(self.terms, way.guard, kept.guard);
        let value = match (way.value, kept.value) {
            (Some(value), Some(kept)) => Some(choose(self.terms, condition, value, kept)),
            _ => None,
        };
        let mut state = kept.state;
        state.merge(self.terms, condition, &way.state);
        Return { guard: self.terms.or(kept.guard, way.guard), value, state }
    }

    /// What an activation returns. It becomes what the original's returns if that is the same. For the
    /// outermost activation that would be the whole question, and it is not asked here.
    fn returned(&mut self, activation: u32, guard: Term, value: Value<Term>) -> Value<Term> {
        if activation == OUTERMOST {
            return value;
        }
        if self.chosen == Chosen::ORIGINAL {
            self.names.returned.insert(activation, value);
            return value;
        }
        match self.names.returned.get(&activation) {
            Some(original) => self.judged(guard, *original, value),
            None => value,
        }
    }

    /// A call from an instruction. The path goes on where the call returns.
    pub(super) fn call_from(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<Term>>,
        arrival: &mut Arrival,
        point: &Point,
        at: Option<Position>,
    ) -> Option<Value<Term>> {
        let activation = self.activation(point, function);
        let state = std::mem::take(&mut arrival.state);
        let guard = arrival.guard;
        let returned = self.call(Call { function, arguments, guard, state, activation, at });
        arrival.guard = returned.guard;
        arrival.state = returned.state;
        returned.value
    }

    fn activation(&mut self, point: &Point, function: FunctionId) -> u32 {
        let next = self.names.activations.len() as u32 + 1;
        *self.names.activations.entry((point.clone(), function)).or_insert(next)
    }

    /// Calls whichever function a pointer names.
    pub(super) fn call_pointer(
        &mut self,
        call: PointerCall,
        arrival: &mut Arrival,
        faults: &mut Faults<Term>,
    ) -> Result<Option<Value<Term>>, Trouble> {
        let PointerCall { pointer, arguments, result, point, at } = call;
        let mut access = Access { terms: self.terms, possible: &mut self.possible, faults: vec![] };
        let pointer = access.split(pointer);
        let Possible::Few(numbers) = self.possible.of(self.terms, pointer.object) else {
            return Err(Trouble::UnknownPointer);
        };
        let program = self.plan.program;
        let mut merged: Option<Return> = None;
        let widths: Vec<u32> = arguments.iter().map(|value| self.terms.width(&value.word)).collect();
        let wanted = rules::Call { arguments: &widths, result };
        for object in numbers {
            let object = object as u32;
            let chosen = self.terms.equal(pointer.object, number(object));
            let (offset, when) = (&pointer.offset, Some(&chosen));
            let function = rules::call(self.terms, program, object, offset, wanted, when, faults);
            let Some(function) = function else { continue };
            let guard = self.terms.and(arrival.guard, chosen);
            let activation = self.activation(point, function);
            let (arguments, state) = (arguments.to_vec(), arrival.state.clone());
            let way = self.call(Call { function, arguments, guard, state, activation, at });
            merged = Some(match merged {
                None => way,
                Some(kept) => self.either(way, kept),
            });
        }
        // The faults count where the call is made, not where it returns.
        let before = std::mem::take(faults);
        self.note(arrival.guard, before, at);
        match merged {
            Some(Return { guard, value, state }) => {
                arrival.guard = guard;
                arrival.state = state;
                Ok(value)
            }
            None => {
                arrival.guard = self.terms.truth(false);
                Ok(None)
            }
        }
    }

    /// The state without the locals of an activation, whose lives have ended.
    pub(super) fn without_locals(&mut self, activation: u32, mut state: State) -> State {
        let never = self.terms.truth(false);
        for (point, number) in &self.names.objects {
            let is_local =
                |number| state.memory.get(number).is_some_and(|object| object.origin == Origin::Local);
            if point.activation == activation && is_local(*number) {
                let object = state.memory.get_mut(*number).expect("it is there");
                object.alive = never;
                object.forget();
            }
        }
        state
    }
}
