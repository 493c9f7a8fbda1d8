//! Segments: a function cut at the heads of its loops.
//!
//! A segment begins at the entry or at the head of a loop, in whatever state, and ends where the function returns or comes to a head
//! again. No segment has a loop of the function in it, so that it is encoded whole. Loops of functions that it calls are unrolled as
//! ever.

use std::collections::{BTreeMap, BTreeSet};

use bv::{Term, Terms};
use ir::step::Value;
use ir::{BlockId, FunctionId, Mutant, Register};

use super::{
    Arrival, Bounds, Called, Chosen, Cut, Encoder, Encoding, Numbers, OUTERMOST, Plan, Return, Round, State,
};
use crate::skeleton::Skeleton;

/// Where and how control comes to the head of a loop.
#[derive(Clone)]
pub struct Stop {
    pub guard: Term,
    /// By register; those that are live.
    pub values: Vec<Option<Value<Term>>>,
    pub state: State,
}

/// A call of the function that is cut by itself.
#[derive(Clone)]
pub struct Recursive {
    pub guard: Term,
    pub arguments: Vec<Value<Term>>,
    pub result: Option<Value<Term>>,
}

/// Which part of a function is encoded.
#[derive(Clone, Copy, Default)]
pub struct Part<'s> {
    /// From the head of a loop, in a state; None: from the entry.
    pub start: Option<(BlockId, &'s Stop)>,
    /// Each head is passed once before the segment ends there.
    pub further: bool,
    /// What calls of itself return: as many as there are in the original are made up by it; a mutant is told which these are.
    pub recursion: Option<Option<&'s [Recursive]>>,
}

/// What happens from one cut to the next.
pub struct Segment {
    /// As far as the segment returns, or goes wrong.
    pub encoding: Encoding,
    /// By the head of the loop.
    pub stops: BTreeMap<BlockId, Stop>,
    /// Whether control comes to a head in several ways that are not told apart here: into the middle of a loop, and around.
    pub is_torn: bool,
    /// The calls of itself that were not followed.
    pub calls: Vec<Recursive>,
}

/// What is cut, and what was found there.
pub(super) struct Cuts {
    function: FunctionId,
    /// The segment begins with the next block, whatever it is.
    begins: bool,
    /// The heads that control may pass once before it is cut there; None: no head at all.
    passed: Option<BTreeSet<BlockId>>,
    stops: BTreeMap<BlockId, Stop>,
    is_torn: bool,
    /// Calls of itself are not followed, but taken for these; None in the original, which makes them up.
    recursion: Option<Option<Vec<Recursive>>>,
    calls: Vec<Recursive>,
}

impl Plan<'_> {
    /// The heads of a function's loops.
    pub fn heads(&self, function: FunctionId) -> Vec<BlockId> {
        let order = &self.functions[function.0 as usize].0;
        order.components().map(|(_, component)| component.head).collect()
    }

    /// The registers that are live at a block.
    pub fn live(&self, function: FunctionId, block: BlockId) -> Vec<Register> {
        let parameters = &self.program.function(function).block(block).parameters;
        let live = &self.functions[function.0 as usize].1[block.0 as usize];
        let mut all: Vec<Register> = live.iter().chain(parameters).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Encodes a segment under a mutant. What is cut is a function that is called in place of the subject, or the subject itself.
    #[allow(clippy::too_many_arguments)]
    pub fn segment(
        &self,
        terms: &mut Terms,
        numbers: &mut Numbers,
        (subject, function): (FunctionId, FunctionId),
        mutant: Mutant,
        inputs: &Skeleton,
        bounds: Bounds,
        part: Part,
    ) -> Segment {
        let Part { start, further, recursion } = part;
        let mut encoder = self.encoder(terms, numbers, Chosen::One(mutant), inputs, bounds, None);
        encoder.cuts = Some(Cuts {
            function,
            begins: true,
            passed: further.then(BTreeSet::new),
            stops: BTreeMap::new(),
            is_torn: false,
            recursion: recursion.map(|known| known.map(<[Recursive]>::to_vec)),
            calls: vec![],
        });
        let mut state = State::default();
        inputs.memory(self.program, encoder.terms, &mut state.memory);
        encoder.lay_out_globals(&mut state);
        let (arguments, result_object) = encoder.arguments(subject, &mut state);
        let called = Called { activation: OUTERMOST, at: None };
        let (returned, value, state) = match start {
            None => {
                let always = encoder.terms.truth(true);
                encoder.call(function, arguments, always, state, called)
            }
            Some((block, stop)) => encoder.resume(function, block, stop, called),
        };
        let cuts = encoder.cuts.take();
        let encoding = encoder.finish(subject, returned, value, state, result_object);
        let (stops, is_torn, calls) =
            cuts.map(|cuts| (cuts.stops, cuts.is_torn, cuts.calls)).unwrap_or_default();
        Segment { encoding, stops, is_torn, calls }
    }
}

impl Encoder<'_, '_, '_> {
    /// Goes on from the head of a loop.
    fn resume(
        &mut self,
        id: FunctionId,
        block: BlockId,
        stop: &Stop,
        called: Called,
    ) -> (Term, Option<Value<Term>>, State) {
        let function = self.plan.program.function(id);
        let around = self.plan.functions[id.0 as usize].0.around(block).len();
        let Stop { guard, values, state } = stop.clone();
        let loops = vec![Round::first(guard); around];
        self.calls.push((id, Round::first(guard)));
        let before = state.clone();
        let returns = self.body_from(id, function, block, Arrival { guard, values, state, loops }, called);
        self.calls.pop();
        match self.merged(returns) {
            Some(Return { guard, value, state }) => (guard, value, state),
            None => (self.terms.truth(false), self.stand_in(function), before),
        }
    }

    /// What a call of the function by itself returns, if it is not followed: the guard under which it does, and what.
    ///
    /// In the original, each such call returns something new. A mutant that makes a call which the original makes, too, is given what that
    /// one returned: it leads to a smaller call of the original, for which the mutant may be taken to be right. Any other call is followed,
    /// but only once: it has to come back without calling again.
    pub(super) fn recur(
        &mut self,
        id: FunctionId,
        arguments: &[Value<Term>],
        guard: Term,
        state: &State,
        called: Called,
    ) -> Option<(Term, Option<Value<Term>>)> {
        let cuts = self.cuts.as_ref().filter(|cuts| cuts.function == id)?;
        let known = cuts.recursion.clone()?;
        let active = self.calls.iter().filter(|(caller, _)| *caller == id).count();
        if active == 0 {
            return None;
        }
        let function = self.plan.program.function(id);
        let never = self.terms.truth(false);
        let Some(known) = known else {
            let number = self.numbers.activations.len();
            let result = function.result.map(|width| {
                let name = format!("call {number} {}", self.cuts.as_ref().map_or(0, |cuts| cuts.calls.len()));
                Value::of(self.terms.variable(&name, width))
            });
            let call = Recursive { guard, arguments: arguments.to_vec(), result };
            self.cuts.as_mut()?.calls.push(call);
            return Some((guard, result));
        };
        if active > 1 || arguments.iter().any(|argument| argument.undefined.is_some()) {
            self.cut(guard, Cut::Iterations);
            return Some((never, self.stand_in(function)));
        }
        let mut rest = guard;
        let mut alike = Vec::new();
        for call in &known {
            let pairs: Vec<_> =
                call.arguments.iter().zip(arguments).map(|(one, other)| (one.word, other.word)).collect();
            let same: Vec<Term> =
                pairs.into_iter().map(|(one, other)| self.terms.equal(one, other)).collect();
            let same = self.terms.all(same.into_iter().chain([call.guard]));
            alike.push((same, call.result));
            let other = self.terms.not(same);
            rest = self.terms.and(rest, other);
        }
        let (mut returned, mut value) = match self.is_never(rest) {
            true => (never, self.stand_in(function)),
            false => {
                let (returned, value, _) =
                    self.follow_call(id, arguments.to_vec(), rest, state.clone(), called);
                (returned, value)
            }
        };
        for (same, result) in alike {
            if let (Some(found), Some(result)) = (value, result) {
                value = Some(super::memory::choose(self.terms, same, result, found));
            }
            let here = self.terms.and(guard, same);
            returned = self.terms.or(returned, here);
        }
        Some((returned, value))
    }

    /// Whether control ends here, because this is where the function is cut.
    pub(super) fn is_cut(
        &mut self,
        id: FunctionId,
        block: BlockId,
        is_head: bool,
        arrival: &mut Arrival,
    ) -> bool {
        let outermost = self.calls.len() == 1;
        let Some(cuts) = self.cuts.as_mut().filter(|cuts| cuts.function == id && outermost) else {
            return false;
        };
        if std::mem::take(&mut cuts.begins) || !is_head {
            return false;
        }
        if cuts.passed.as_mut().is_some_and(|passed| passed.insert(block)) {
            return false;
        }
        let (guard, values) = (arrival.guard, std::mem::take(&mut arrival.values));
        let state = std::mem::take(&mut arrival.state);
        let known = cuts.stops.insert(block, Stop { guard, values, state });
        cuts.is_torn |= known.is_some();
        true
    }
}
