//! Segments: a function cut at the heads of its loops.
//!
//! A segment begins at the entry or at the head of a loop, in whatever state, and ends where the function returns or comes to a head
//! again. No segment has a loop of the function in it, so that it is encoded whole. Loops of functions that it calls are unrolled as
//! ever.

use std::collections::{BTreeMap, BTreeSet};

use bv::{Term, Terms};
use ir::step::Value;
use ir::{BlockId, FunctionId, Mutant, Register};

use super::{Arrival, Bounds, Called, Encoder, Encoding, Numbers, OUTERMOST, Plan, Return, Round, State};
use crate::skeleton::Skeleton;

/// Where and how control comes to the head of a loop.
#[derive(Clone)]
pub struct Stop {
    pub guard: Term,
    /// By register; those that are live.
    pub values: Vec<Option<Value<Term>>>,
    pub state: State,
}

/// What happens from one cut to the next.
pub struct Segment {
    /// As far as the segment returns, or goes wrong.
    pub encoding: Encoding,
    /// By the head of the loop.
    pub stops: BTreeMap<BlockId, Stop>,
}

/// What is cut, and what was found there.
pub(super) struct Cuts {
    function: FunctionId,
    /// The segment begins with the next block, whatever it is.
    begins: bool,
    /// The heads that control may pass once before it is cut there; None: no head at all.
    passed: Option<BTreeSet<BlockId>>,
    stops: BTreeMap<BlockId, Stop>,
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

    /// Encodes a segment under a mutant: from the entry, or from the head of a loop in a state. One that goes `further` passes each
    /// head once before it ends there. What is cut is a function that is called in place of the subject, or the subject itself.
    #[allow(clippy::too_many_arguments)]
    pub fn segment(
        &self,
        terms: &mut Terms,
        numbers: &mut Numbers,
        (subject, function): (FunctionId, FunctionId),
        mutant: Mutant,
        inputs: &Skeleton,
        bounds: Bounds,
        start: Option<(BlockId, &Stop)>,
        further: bool,
    ) -> Segment {
        let mut encoder = self.encoder(terms, numbers, mutant, inputs, bounds, None);
        encoder.cuts = Some(Cuts {
            function,
            begins: true,
            passed: further.then(BTreeSet::new),
            stops: BTreeMap::new(),
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
        Segment { encoding, stops: cuts.map(|cuts| cuts.stops).unwrap_or_default() }
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
        cuts.stops.insert(block, Stop { guard, values, state });
        true
    }
}
