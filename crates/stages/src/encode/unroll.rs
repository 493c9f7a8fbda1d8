//! The way through a function: its blocks in the order of the unrolled graph, and what arrives at each.

use std::collections::BTreeMap;

use bv::{Domain, Term};
use ir::order::{Key, Order};
use ir::step::Value;
use ir::{BlockId, Edge, End, Function, FunctionId, Position, Register};

use super::call::{Call, OUTERMOST, Return};
use super::guards::separating;
use super::{Cut, Encoder, State};
use crate::memory::choose;

/// A block of the unrolled function, on the way in.
pub(super) struct Arrival {
    pub(super) guard: Term,
    /// By register; only those that are live here are sure to be right.
    pub(super) values: Vec<Option<Value<Term>>>,
    pub(super) state: State,
    /// For each loop around the block, outermost first.
    pub(super) loops: Vec<Round>,
}

/// How far a loop has come, or a recursion.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// The guard of the head in this iteration.
    pub(super) guard: Term,
    /// How many iterations the input has decided.
    pub(super) decided: u32,
    /// Whether the guard made a decision of this iteration in place of the input. A guard that nothing
    /// satisfies, without looking so, would decide for ever.
    pub(super) forced: bool,
}

impl Round {
    pub(super) fn first(guard: Term) -> Round {
        Round { guard, decided: 0, forced: false }
    }
}

/// An activation whose body is encoded.
#[derive(Clone, Copy)]
pub(super) struct Body<'p> {
    pub(super) id: FunctionId,
    pub(super) function: &'p Function,
    pub(super) activation: u32,
    /// Where it was called.
    pub(super) called_at: Option<Position>,
}

impl<'p> Body<'p> {
    /// The activation that a run begins with.
    pub(super) fn outermost(id: FunctionId, function: &'p Function) -> Body<'p> {
        Body { id, function, activation: OUTERMOST, called_at: None }
    }
}

impl Encoder<'_> {
    /// Encodes all blocks of a function that is called, and gives its returns.
    pub(super) fn body(&mut self, call: Call) -> Vec<Return> {
        let Call { function: id, arguments, guard, state, activation, at } = call;
        let function = self.plan.program.function(id);
        let mut values: Vec<Option<Value<Term>>> = arguments.into_iter().map(Some).collect();
        values.resize(function.registers.len(), None);
        let body = Body { id, function, activation, called_at: at };
        self.body_from(body, Function::ENTRY, Arrival { guard, values, state, loops: vec![] })
    }

    /// Encodes all blocks of a function from some block on.
    pub(super) fn body_from(&mut self, body: Body, start: BlockId, entry: Arrival) -> Vec<Return> {
        let plan = self.plan.of(body.id);
        let order = &plan.order;
        let mut returns = Vec::new();
        self.waiting.0 += entry.state.memory.size().0;
        let mut arrivals: BTreeMap<Key, Arrival> = BTreeMap::from([(order.start(start), entry)]);
        while let Some((key, mut arrival)) = arrivals.pop_first() {
            let block = order.block(&key);
            self.waiting.0 -= arrival.state.memory.size().0;
            if self.terms.is_never(arrival.guard) {
                continue;
            }
            self.blocks += 1;
            let repeated = order.headed_by(block).map(|id| order.component(id).depth as usize);
            if self.is_cut(body.id, block, repeated.is_some(), &mut arrival) {
                continue;
            }
            let within = repeated.is_none_or(|depth| self.begin_round(&mut arrival, depth));
            let cut = match within {
                false => Some(Cut::Iterations),
                true if self.blocks > self.bounds.blocks => Some(Cut::Blocks),
                true => self.terms.lack_beside(self.waiting).map(Cut::Lack),
            };
            if let Some(cut) = cut {
                self.cut(arrival.guard, cut);
                continue;
            }
            let edges = self.block(body, &key, block, &mut arrival, &mut returns);
            let one_way = edges.len() > 1 && edges.iter().any(|(_, guard)| *guard == arrival.guard);
            let forced = one_way && self.is_forced(&arrival, &body.function.block(block).end);
            if let Some(round) = arrival.loops.last_mut() {
                round.forced |= forced;
            }
            for (edge, guard) in edges {
                if self.terms.is_never(guard) {
                    continue;
                }
                if order.around(edge.to).len() < order.around(block).len() {
                    self.exits.push(guard);
                }
                let to = order.follow(&key, edge.to);
                let values = self.follow(body.function, &arrival, edge, &plan.live[edge.to.0 as usize]);
                let loops = rounds(order, &arrival.loops, block, edge.to, guard);
                match arrivals.get_mut(&to) {
                    None => {
                        let state = arrival.state.clone();
                        self.waiting.0 += state.memory.size().0;
                        arrivals.insert(to, Arrival { guard, values, state, loops });
                    }
                    Some(waiting) => {
                        let way = Way { guard, values, state: &arrival.state, loops: &loops };
                        let before = waiting.state.memory.size();
                        self.merge(waiting, way);
                        self.waiting.0 += waiting.state.memory.size().0;
                        self.waiting.0 -= before.0;
                    }
                }
            }
        }
        returns
    }

    /// Starts an iteration of the loop at this depth. False if the bound does not allow it.
    fn begin_round(&mut self, arrival: &mut Arrival, depth: usize) -> bool {
        let guard = arrival.guard;
        match arrival.loops.get_mut(depth) {
            Some(round) => {
                round.decided += u32::from(round.guard != guard || round.forced);
                round.guard = guard;
                round.forced = false;
            }
            None => arrival.loops.push(Round::first(guard)),
        }
        arrival.loops[depth].decided <= self.bounds.iterations
    }

    /// Whether a block has one way out because of the guard, and not because of a constant.
    fn is_forced(&mut self, arrival: &Arrival, end: &End) -> bool {
        let (End::Branch { condition: operand, .. } | End::Switch { value: operand, .. }) = end else {
            return false;
        };
        let word = self.value(arrival, *operand).word;
        self.terms.known(&word).is_none()
    }

    /// The values at the end of an edge: those of live registers, and of the block's parameters.
    fn follow(
        &mut self,
        function: &Function,
        arrival: &Arrival,
        edge: &Edge,
        live: &[Register],
    ) -> Vec<Option<Value<Term>>> {
        let mut values = vec![None; function.registers.len()];
        for register in live {
            values[register.0 as usize] = arrival.values[register.0 as usize];
        }
        let parameters = &function.block(edge.to).parameters;
        for (parameter, argument) in parameters.iter().zip(&edge.arguments) {
            values[parameter.0 as usize] = Some(self.value(arrival, *argument));
        }
        values
    }

    /// Merges another way into a block that waits for its turn.
    fn merge(&mut self, waiting: &mut Arrival, way: Way) {
        for (kept, round) in waiting.loops.iter_mut().zip(way.loops) {
            kept.forced |= round.forced;
        }
        let condition = separating(self.terms, way.guard, waiting.guard);
        for (kept, value) in waiting.values.iter_mut().zip(way.values) {
            *kept = match (kept.take(), value) {
                (Some(kept), Some(value)) => Some(choose(self.terms, condition, value, kept)),
                _ => None,
            };
        }
        waiting.state.merge(self.terms, condition, way.state);
        waiting.guard = self.terms.or(waiting.guard, way.guard);
    }
}

/// Another way into a block.
struct Way<'a> {
    guard: Term,
    values: Vec<Option<Value<Term>>>,
    state: &'a State,
    loops: &'a [Round],
}

/// The loops around the block at the end of an edge.
///
/// Loops that the edge stays in go on. A back edge stays in the loop that it repeats, and leaves those
/// inside. The head of a loop begins the first round itself. An irreducible loop may be entered elsewhere,
/// and then is in its first round.
fn rounds(order: &Order, loops: &[Round], from: BlockId, to: BlockId, guard: Term) -> Vec<Round> {
    let around = order.around(to);
    if let Some(id) = order.repeats(from, to) {
        return loops[..order.component(id).depth as usize + 1].to_vec();
    }
    let shared = order.around(from).iter().zip(&around).take_while(|(a, b)| a == b).count();
    let mut rounds = loops[..shared].to_vec();
    let begun_by_head = usize::from(order.headed_by(to).is_some());
    rounds.resize(shared.max(around.len() - begun_by_head), Round::first(guard));
    rounds
}
