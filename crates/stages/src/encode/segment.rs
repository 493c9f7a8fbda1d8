//! Segments: a function cut at the heads of its loops.
//!
//! A segment begins at the entry or at the head of a loop, in some state. It ends where the function returns
//! or comes to a head again. No loop of the function is within a segment, so that segments are encoded whole.
//! Loops of called functions are unrolled as ever.

use std::collections::{BTreeMap, BTreeSet};

use bv::{Term, Terms};
use ir::step::Value;
use ir::{BlockId, FunctionId, Register};

use super::call::{Call, Return};
use super::unroll::{Arrival, Body, Round};
use super::{Encoder, Encoding, Names, Plan, Recursion, Recursive, Request, State};

/// Where and how control comes to the head of a loop.
#[derive(Clone)]
pub(crate) struct Stop {
    pub(crate) guard: Term,
    /// By register; those that are live.
    pub(crate) values: Vec<Option<Value<Term>>>,
    pub(crate) state: State,
}

/// Which part of a function is encoded.
#[derive(Clone, Copy)]
pub(crate) struct Part<'s> {
    /// The function that is cut: the subject, or one that is called in its place.
    pub(crate) function: FunctionId,
    /// From the head of a loop, in a state; None: from the entry.
    pub(crate) start: Option<(BlockId, &'s Stop)>,
    /// Each head is passed once before the segment ends there.
    pub(crate) further: bool,
    pub(crate) recursion: Recursion<'s>,
}

/// What happens from one cut to the next.
#[derive(Clone)]
pub(crate) struct Segment {
    /// The segment where it returns or goes wrong.
    pub(crate) encoding: Encoding,
    /// By the head of the loop.
    pub(crate) stops: BTreeMap<BlockId, Stop>,
    /// Whether control comes to a head in several ways, of which only the last is in `stops`. That happens
    /// where a loop can be entered in the middle.
    pub(crate) is_torn: bool,
    /// The calls of the function by itself that were not followed.
    pub(crate) calls: Vec<Recursive>,
}

/// What is cut, and what was found there.
pub(super) struct Cuts<'s> {
    pub(super) function: FunctionId,
    /// The segment begins with the next block, whatever it is.
    begins: bool,
    /// The heads that control has passed; None: it may not pass any.
    passed: Option<BTreeSet<BlockId>>,
    stops: BTreeMap<BlockId, Stop>,
    is_torn: bool,
    pub(super) recursion: Recursion<'s>,
    pub(super) calls: Vec<Recursive>,
}

impl Plan<'_> {
    /// The heads of a function's loops.
    pub(crate) fn heads(&self, function: FunctionId) -> Vec<BlockId> {
        self.of(function).order.components().map(|(_, component)| component.head).collect()
    }

    /// The registers that are live at a block.
    pub(crate) fn live(&self, function: FunctionId, block: BlockId) -> Vec<Register> {
        let parameters = &self.program.function(function).block(block).parameters;
        let live = &self.of(function).live[block.0 as usize];
        let mut all: Vec<Register> = live.iter().chain(parameters).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Encodes a segment under a mutant.
    pub(crate) fn segment(
        &self,
        terms: &mut Terms,
        names: &mut Names,
        request: Request,
        part: Part,
    ) -> Segment {
        let Part { function, start, further, recursion } = part;
        let mut encoder = self.encoder(terms, names, request);
        encoder.cuts = Some(Cuts {
            function,
            begins: true,
            passed: further.then(BTreeSet::new),
            stops: BTreeMap::new(),
            is_torn: false,
            recursion,
            calls: vec![],
        });
        let entry = encoder.start();
        let returned = match start {
            None => {
                let guard = encoder.terms.truth(true);
                encoder.call(Call::outermost(function, entry.arguments, guard, entry.state))
            }
            Some((block, stop)) => encoder.resume(function, block, stop),
        };
        let Cuts { stops, is_torn, calls, .. } = encoder.cuts.take().expect("it was put there");
        let encoding = encoder.finish(returned, entry.result_object);
        Segment { encoding, stops, is_torn, calls }
    }
}

impl Encoder<'_> {
    /// Goes on from the head of a loop.
    fn resume(&mut self, id: FunctionId, block: BlockId, stop: &Stop) -> Return {
        let function = self.plan.program.function(id);
        let around = self.plan.of(id).order.around(block).len();
        let Stop { guard, values, state } = stop.clone();
        let loops = vec![Round::first(guard); around];
        self.calls.push((id, Round::first(guard)));
        let before = state.clone();
        let arrival = Arrival { guard, values, state, loops };
        let returns = self.body_from(Body::outermost(id, function), block, arrival);
        self.calls.pop();
        match self.merged(returns) {
            Some(returned) => returned,
            None => self.never_back(function, before),
        }
    }

    /// Whether control ends at a block, because the function is cut there.
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
