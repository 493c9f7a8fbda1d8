//! The encoder: a function, unrolled and merged at joins, as terms over its inputs.
//!
//! Blocks are taken in the order of the unrolled graph, so that all ways into a block have
//! been seen, and their values merged, when its turn comes. What an instruction does, and which way a block is left, comes
//! from [`ir::engine`], and whether an access is allowed from [`ir::rules`]: the same code that the machine runs.
//!
//! Guards say only which way control goes, never whether a fault happened: faults are
//! collected beside them. Original and mutant then build the same terms wherever the mutation has no
//! part, and hash-consing makes the shared part free.
//!
//! Beside the live registers goes the state: memory, the calls to the outside, and how many results they took. An object
//! that the program makes is numbered after the place in the unrolled program where it is made, so that original and
//! mutant give it the same number.
//!
//! A loop may repeat `iterations` times where the input decides whether it repeats; rounds that happen
//! whatever the input is cost nothing of that bound. What lies beyond it is `cut`.

mod any;
pub mod compare;
pub mod expanse;
mod guards;
pub mod memory;
pub mod object;
mod outside;
pub mod possible;
mod segment;
mod touch;

use std::collections::{BTreeMap, BTreeSet};

use bv::{Domain, Term, Terms, Word};
use ir::engine;
use ir::order::{Key, Order, order};
use ir::step::{self, Faults, Value};
use ir::{
    Action, BlockId, Edge, Effect, End, Fault, Function, FunctionId, Mutant, Operand, Position, Program,
    Register, SiteId, Unsupported,
};
use rustc_hash::FxHashMap;

use crate::skeleton::Skeleton;
use guards::separating;
use memory::{Access, Memory};
use outside::Outside;
use possible::Possibilities;
use segment::Cuts;
pub use segment::{Part, Segment, Stop};
pub use touch::HEAP;
use touch::Touching;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How often the input may decide to repeat a loop, or to call a function recursively.
    pub iterations: u32,
    /// Blocks of the unrolled program.
    pub blocks: usize,
}

/// What a function does with its inputs, as truth values and words over them. A run that has no fault
/// returns, or is cut, or comes to something unsupported; a mutant may do that and return, and what it returns means
/// nothing then.
#[derive(Clone, Debug)]
pub struct Encoding {
    pub returned: Term,
    /// What it returns, where it does; none for a struct, which is in memory.
    pub result: Option<Value<Term>>,
    /// The object that takes a struct that is returned.
    pub result_object: Option<u32>,
    /// Memory and calls where it returns.
    pub state: State,
    /// The original: some rule of C was broken. A mutant: the machine stopped.
    pub fault: Term,
    /// The bound was too small to tell.
    pub cut: Term,
    /// What was too small.
    pub cuts: BTreeSet<Cut>,
    pub unsupported: Term,
    /// What was unsupported, for the report.
    pub reasons: Vec<Unsupported>,
    /// The ways out of loops, by the guards under which they are taken.
    pub exits: Vec<Term>,
}

/// Why a path was not followed to its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cut {
    /// A loop or a recursion went on for too long.
    Iterations,
    /// The unrolled program had too many blocks.
    Blocks,
    /// Too many calls were under way.
    Calls,
    /// An object on the heap was too large.
    Heap,
    /// A function without a body was called too often.
    Results,
}

/// All that a run changes besides registers.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub memory: Memory,
    pub outside: Outside,
}

/// Names for what a run makes, shared by original and mutants.
#[derive(Default)]
pub struct Numbers {
    /// Activations by the activation, the block and the instruction that calls.
    activations: FxHashMap<(u32, Key, usize, u32), u32>,
    /// Objects likewise.
    objects: FxHashMap<(u32, Key, usize), u32>,
    /// What the original's activations return.
    returned: FxHashMap<u32, Value<Term>>,
}

/// Knows, or finds out, where a mutant does what the original does.
pub trait Judge {
    /// Whether two words are the same wherever the guard holds, on all inputs that matter.
    fn are_same(&mut self, terms: &mut Terms, guard: Term, one: Term, other: Term) -> bool;
}

/// Which mutant is encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    One(Mutant),
    /// Any: the one whose number this term is.
    Any(Term),
}

impl Chosen {
    const ORIGINAL: Chosen = Chosen::One(Mutant::ORIGINAL);

    /// What a fault does to a run.
    fn effect(self, fault: Fault) -> Effect {
        match self {
            Chosen::One(mutant) => engine::effect(fault, mutant),
            Chosen::Any(_) => fault.effect(),
        }
    }
}

/// What the encoder needs to know of each function, computed once for many mutants.
pub struct Plan<'a> {
    program: &'a Program,
    functions: Vec<(Order, Vec<Vec<Register>>)>,
}

impl<'a> Plan<'a> {
    pub fn new(program: &'a Program) -> Plan<'a> {
        let plan = |function| (order(function), ir::live_in(function));
        Plan { program, functions: program.functions.iter().map(plan).collect() }
    }

    /// Encodes a function under a mutant.
    pub fn encode(
        &self,
        terms: &mut Terms,
        numbers: &mut Numbers,
        subject: FunctionId,
        mutant: Mutant,
        inputs: &Skeleton,
        bounds: Bounds,
    ) -> Encoding {
        self.encode_judged(terms, numbers, subject, mutant, inputs, bounds, None)
    }

    /// Encodes a function under a mutant, which does what the original does wherever the judge says that this makes no
    /// difference. The encoding then holds for the inputs that matter to the judge.
    #[allow(clippy::too_many_arguments)]
    pub fn encode_judged<'j>(
        &self,
        terms: &mut Terms,
        numbers: &mut Numbers,
        subject: FunctionId,
        mutant: Mutant,
        inputs: &Skeleton,
        bounds: Bounds,
        judge: Option<&'j mut (dyn Judge + 'j)>,
    ) -> Encoding {
        self.encode_chosen(terms, numbers, subject, Chosen::One(mutant), inputs, bounds, judge)
    }

    #[allow(clippy::too_many_arguments)]
    fn encode_chosen<'j>(
        &self,
        terms: &mut Terms,
        numbers: &mut Numbers,
        subject: FunctionId,
        chosen: Chosen,
        inputs: &Skeleton,
        bounds: Bounds,
        judge: Option<&'j mut (dyn Judge + 'j)>,
    ) -> Encoding {
        let mut encoder = self.encoder(terms, numbers, chosen, inputs, bounds, judge);
        let always = encoder.terms.truth(true);
        let mut state = State::default();
        inputs.memory(self.program, encoder.terms, &mut state.memory);
        encoder.lay_out_globals(&mut state);
        let (arguments, result_object) = encoder.arguments(subject, &mut state);
        let entry = self.program.function(subject).door.unwrap_or(subject);
        let called = Called { activation: OUTERMOST, at: None };
        let (returned, value, state) = encoder.call(entry, arguments, always, state, called);
        encoder.finish(subject, returned, value, state, result_object)
    }

    fn encoder<'e, 'j>(
        &'e self,
        terms: &'e mut Terms,
        numbers: &'e mut Numbers,
        chosen: Chosen,
        inputs: &'e Skeleton,
        bounds: Bounds,
        judge: Option<&'j mut (dyn Judge + 'j)>,
    ) -> Encoder<'e, 'a, 'j> {
        let never = terms.truth(false);
        let first = self.program.input_object() + inputs.objects.len() as u32;
        Encoder {
            plan: self,
            terms,
            numbers,
            inputs,
            possible: Possibilities::default(),
            chosen,
            judge,
            bounds,
            first,
            blocks: 0,
            calls: Vec::new(),
            cuts: None,
            fault: never,
            cut: never,
            cut_by: BTreeSet::new(),
            unsupported: never,
            reasons: Vec::new(),
            exits: Vec::new(),
        }
    }
}

/// A block of the unrolled function, on the way in.
struct Arrival {
    guard: Term,
    /// By register; only what is live here is sure to be right.
    values: Vec<Option<Value<Term>>>,
    state: State,
    /// For each loop around the block, outermost first.
    loops: Vec<Round>,
}

/// A way out of a function.
struct Return {
    guard: Term,
    value: Option<Value<Term>>,
    state: State,
}

/// Who calls, and where.
#[derive(Clone, Copy)]
struct Called {
    activation: u32,
    at: Option<Position>,
}

/// The place of an instruction in the unrolled program.
struct Place<'k> {
    activation: u32,
    key: &'k Key,
    instruction: usize,
}

/// How far a loop has come.
#[derive(Clone, Copy)]
struct Round {
    /// The guard of the head in this iteration.
    guard: Term,
    /// How many iterations the input had a say in.
    decided: u32,
    /// Whether the guard made a decision of this iteration for the input. A guard that nothing satisfies,
    /// but that does not look so, would decide for ever.
    forced: bool,
}

impl Round {
    fn first(guard: Term) -> Round {
        Round { guard, decided: 0, forced: false }
    }
}

/// The activation that nobody in the program calls.
const OUTERMOST: u32 = 0;

struct Encoder<'a, 'b, 'j> {
    plan: &'a Plan<'b>,
    terms: &'a mut Terms,
    numbers: &'a mut Numbers,
    inputs: &'a Skeleton,
    possible: Possibilities,
    chosen: Chosen,
    judge: Option<&'j mut (dyn Judge + 'j)>,
    bounds: Bounds,
    /// The number of the first object that the run makes.
    first: u32,
    /// Blocks encoded so far.
    blocks: usize,
    /// The activations that we are in: the function, its guard, and how many decided ones of it there are.
    calls: Vec<(FunctionId, Round)>,
    /// Where control ends, if only a segment is encoded.
    cuts: Option<Cuts>,
    fault: Term,
    cut: Term,
    /// What `cut` is made of.
    cut_by: BTreeSet<Cut>,
    unsupported: Term,
    reasons: Vec<Unsupported>,
    exits: Vec<Term>,
}

impl Encoder<'_, '_, '_> {
    /// All that is known once the outermost function was left.
    fn finish(
        mut self,
        subject: FunctionId,
        returned: Term,
        value: Option<Value<Term>>,
        state: State,
        result_object: Option<u32>,
    ) -> Encoding {
        let result = match result_object {
            Some(_) => None,
            None => value.filter(|_| self.plan.program.function(subject).signature.result.is_some()),
        };
        let result = result.map(|value| {
            let mut faults = Faults::new();
            let word = step::used(self.terms, value, &mut faults);
            self.note(returned, faults, None);
            Value::of(word)
        });
        let Encoder { fault, cut, cut_by: cuts, unsupported, reasons, exits, .. } = self;
        Encoding { returned, result, result_object, state, fault, cut, cuts, unsupported, reasons, exits }
    }

    /// Encodes a call; the guard under which it returns, what, and with which state.
    fn call(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value<Term>>,
        guard: Term,
        state: State,
        called: Called,
    ) -> (Term, Option<Value<Term>>, State) {
        if let Some((returned, value)) = self.recur(id, &arguments, guard, &state, called) {
            return (returned, value, state);
        }
        self.follow_call(id, arguments, guard, state, called)
    }

    /// Encodes a call by what the function does.
    fn follow_call(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value<Term>>,
        guard: Term,
        state: State,
        called: Called,
    ) -> (Term, Option<Value<Term>>, State) {
        let never = self.terms.truth(false);
        let function = self.plan.program.function(id);
        if let Some(unsupported) = &function.unsupported {
            let at = unsupported.at.or(called.at);
            self.give_up(guard, Unsupported { what: unsupported.what.clone(), at });
            return (never, self.stand_in(function), state);
        }
        let outer = self.calls.iter().rev().find(|(caller, _)| *caller == id).map(|(_, round)| *round);
        let decided = outer.map_or(0, |outer| outer.decided + u32::from(outer.guard != guard));
        let too_deep = self.calls.len() > MAX_CALLS;
        if decided > self.bounds.iterations || too_deep {
            self.cut(guard, if too_deep { Cut::Calls } else { Cut::Iterations });
            return (never, self.stand_in(function), state);
        }
        self.calls.push((id, Round { decided, ..Round::first(guard) }));
        let mut values: Vec<Option<Value<Term>>> = arguments.into_iter().map(Some).collect();
        values.resize(function.registers.len(), None);
        let before = state.clone();
        let returns = self.body(id, function, Arrival { guard, values, state, loops: vec![] }, called);
        self.calls.pop();

        match self.merged(returns) {
            Some(Return { guard, value, state }) => {
                let value = value.map(|value| self.returned(called.activation, guard, value));
                (guard, value, state)
            }
            None => (never, self.stand_in(function), before),
        }
    }

    /// All ways out of a function as one, if there are any.
    fn merged(&mut self, returns: Vec<Return>) -> Option<Return> {
        let mut merged: Option<Return> = None;
        for way in returns {
            merged = Some(match merged {
                None => way,
                Some(kept) => self.either(way, kept),
            });
        }
        merged
    }

    /// What an activation returns; in the original's words if they mean the same. For the outermost one, that would be
    /// the whole question, and others ask it.
    fn returned(&mut self, activation: u32, guard: Term, value: Value<Term>) -> Value<Term> {
        if activation == OUTERMOST {
            return value;
        }
        if self.chosen == Chosen::ORIGINAL {
            self.numbers.returned.insert(activation, value);
            return value;
        }
        match self.numbers.returned.get(&activation) {
            Some(original) => self.judged(guard, *original, value),
            None => value,
        }
    }

    /// A value of the mutant's, in the original's words if the judge says that they mean the same.
    fn judged(&mut self, guard: Term, original: Value<Term>, value: Value<Term>) -> Value<Term> {
        let Some(judge) = &mut self.judge else { return value };
        let alike = value.undefined == original.undefined;
        let same = alike && judge.are_same(self.terms, guard, original.word, value.word);
        if same { original } else { value }
    }

    /// Two ways out of a function as one.
    fn either(&mut self, way: Return, kept: Return) -> Return {
        let condition = separating(self.terms, way.guard, kept.guard);
        let value = match (way.value, kept.value) {
            (Some(value), Some(kept)) => Some(memory::choose(self.terms, condition, value, kept)),
            _ => None,
        };
        let mut state = kept.state;
        self.merge_state(condition, &mut state, &way.state);
        Return { guard: self.terms.or(kept.guard, way.guard), value, state }
    }

    fn merge_state(&mut self, condition: Term, kept: &mut State, other: &State) {
        let mut access = Access { terms: self.terms, possible: &mut self.possible, faults: vec![] };
        kept.memory.merge(&mut access, condition, &other.memory);
        kept.outside.merge(self.terms, condition, &other.outside);
    }

    /// Encodes all blocks of a function, and gives its returns.
    fn body(&mut self, id: FunctionId, function: &Function, entry: Arrival, called: Called) -> Vec<Return> {
        self.body_from(id, function, Function::ENTRY, entry, called)
    }

    /// The same, from some block on.
    fn body_from(
        &mut self,
        id: FunctionId,
        function: &Function,
        start: BlockId,
        entry: Arrival,
        called: Called,
    ) -> Vec<Return> {
        let plan = self.plan;
        let (order, live) = &plan.functions[id.0 as usize];
        let mut returns = Vec::new();
        let mut arrivals: BTreeMap<Key, Arrival> = BTreeMap::from([(order.start(start), entry)]);
        while let Some((key, mut arrival)) = arrivals.pop_first() {
            let block = order.block(&key);
            if self.is_never(arrival.guard) {
                continue;
            }
            self.blocks += 1;
            let repeated = order.headed_by(block).map(|id| order.component(id).depth as usize);
            if self.is_cut(id, block, repeated.is_some(), &mut arrival) {
                continue;
            }
            let within = repeated.is_none_or(|depth| self.begin_round(&mut arrival, depth));
            if !within || self.blocks > self.bounds.blocks {
                self.cut(arrival.guard, if within { Cut::Blocks } else { Cut::Iterations });
                continue;
            }
            let at = (called.activation, &key);
            let edges = self.block(function, block, at, called.at, &mut arrival, &mut returns);
            let one_way = edges.len() > 1 && edges.iter().any(|(_, guard)| *guard == arrival.guard);
            let forced = one_way && self.is_forced(&arrival, &function.block(block).end);
            if let Some(round) = arrival.loops.last_mut() {
                round.forced |= forced;
            }
            for (edge, guard) in edges {
                if self.is_never(guard) {
                    continue;
                }
                if order.around(edge.to).len() < order.around(block).len() {
                    self.exits.push(guard);
                }
                let to = order.follow(&key, edge.to);
                let next = self.follow(function, &arrival, edge, &live[edge.to.0 as usize]);
                let loops = rounds(order, &arrival.loops, block, edge.to, guard);
                match arrivals.get_mut(&to) {
                    None => {
                        let state = arrival.state.clone();
                        arrivals.insert(to, Arrival { guard, values: next, state, loops });
                    }
                    Some(waiting) => self.merge(waiting, guard, next, &arrival.state, &loops),
                }
            }
        }
        returns
    }

    /// Starts an iteration of the loop at this depth; false if the bound does not allow it.
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

    /// Executes a block; the edges that it leaves by, with their guards.
    fn block<'f>(
        &mut self,
        function: &'f Function,
        block: BlockId,
        (activation, key): (u32, &Key),
        caller: Option<Position>,
        arrival: &mut Arrival,
        returns: &mut Vec<Return>,
    ) -> Vec<(&'f Edge, Term)> {
        let block = function.block(block);
        // Code of ours is blamed on its caller.
        let blame = |at: Option<Position>| if function.library { caller } else { at };
        for (number, instruction) in block.instructions.iter().enumerate() {
            let place = Place { activation, key, instruction: number };
            let at = blame(instruction.at);
            let mut faults = Faults::new();
            let done = match &instruction.action {
                Action::Call { function, arguments } => {
                    let arguments = self.values(arrival, arguments);
                    Ok(self.call_from(*function, arguments, arrival, &place, at))
                }
                Action::CallPointer { pointer, arguments } => {
                    let value = self.value(arrival, *pointer);
                    let pointer = step::used(self.terms, value, &mut faults);
                    let arguments = self.values(arrival, arguments);
                    let result = instruction.result.map(|register| function.registers[register.0 as usize]);
                    self.call_pointer(pointer, &arguments, result, arrival, &place, at, &mut faults)
                }
                action => {
                    let mut touching = Touching { encoder: self, arrival, place: &place };
                    engine::act(&mut touching, action, &mut faults)
                }
            };
            let value = match done {
                Ok(value) => value,
                Err(trouble) => {
                    self.give_up(arrival.guard, Unsupported { what: trouble.text(), at });
                    return vec![];
                }
            };
            for (fault, _) in faults.iter_mut().filter(|(fault, _)| *fault == Fault::FarPointer) {
                *fault = block.far_pointer(number);
            }
            self.note(arrival.guard, faults, at);
            if self.is_never(arrival.guard) || matches!(instruction.action, Action::Stop(_)) {
                return vec![];
            }
            if let (Some(register), Some(value)) = (instruction.result, value) {
                arrival.values[register.0 as usize] = Some(value);
            }
        }
        let guard = arrival.guard;
        match &block.end {
            End::Return(operand) => {
                let value = operand.map(|operand| self.value(arrival, operand));
                let state = self.without_locals(activation, std::mem::take(&mut arrival.state));
                returns.push(Return { guard, value, state });
                vec![]
            }
            End::Unreachable => {
                let always = self.terms.truth(true);
                self.note(guard, vec![(Fault::Unreachable, always)], blame(block.at));
                // Nothing is known of what follows; the fault alone speaks for this path.
                let value = self.stand_in(function);
                let state = self.without_locals(activation, std::mem::take(&mut arrival.state));
                returns.push(Return { guard, value, state });
                vec![]
            }
            End::Jump(_) | End::Branch { .. } | End::Switch { .. } => {
                self.ways(&block.end, arrival, blame(block.at), (activation, key))
            }
        }
    }

    /// All ways out of a block, with their guards.
    fn ways<'f>(
        &mut self,
        end: &'f End,
        arrival: &mut Arrival,
        at: Option<Position>,
        (activation, key): (u32, &Key),
    ) -> Vec<(&'f Edge, Term)> {
        let (mut faults, guard) = (Faults::new(), arrival.guard);
        let mut ways = Vec::new();
        let place = Place { activation, key, instruction: 0 };
        let mut touching = Touching { encoder: self, arrival, place: &place };
        engine::leave(&mut touching, end, &mut faults, |touching, edge, condition| {
            let taken = condition.map_or(guard, |condition| touching.encoder.terms.and(guard, condition));
            ways.push((edge, taken));
            false
        });
        self.note(guard, faults, at);
        ways
    }

    /// What a site gives under the mutant; in the original's words if they mean the same here. Whatever the arm of
    /// the mutant breaks is noted in any case.
    fn site(
        &mut self,
        site: SiteId,
        arguments: Vec<Value<Term>>,
        guard: Term,
        faults: &mut Faults<Term>,
    ) -> Value<Term> {
        let site = self.plan.program.site(site);
        let mutant = match self.chosen {
            Chosen::One(mutant) => mutant,
            Chosen::Any(number) => return self.any_arm(site, number, &arguments, faults),
        };
        let arm = site.arm(mutant);
        let value = step::arm(self.terms, arm, arguments.iter().copied(), faults);
        if self.judge.is_none() || std::ptr::eq(arm, &site.original) {
            return value;
        }
        let original = step::arm(self.terms, &site.original, arguments, &mut Faults::new());
        self.judged(guard, original, value)
    }

    /// A call from an instruction: the state comes back, and the guard under which there is one.
    fn call_from(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<Term>>,
        arrival: &mut Arrival,
        place: &Place,
        at: Option<Position>,
    ) -> Option<Value<Term>> {
        let called = Called { activation: self.activation(place, function), at };
        let state = std::mem::take(&mut arrival.state);
        let (returned, value, state) = self.call(function, arguments, arrival.guard, state, called);
        arrival.guard = returned;
        arrival.state = state;
        value
    }

    fn activation(&mut self, place: &Place, function: FunctionId) -> u32 {
        let next = self.numbers.activations.len() as u32 + 1;
        let key = (place.activation, place.key.clone(), place.instruction, function.0);
        *self.numbers.activations.entry(key).or_insert(next)
    }

    /// Whether the one way out of a block is the guard's doing, and not a constant's.
    fn is_forced(&mut self, arrival: &Arrival, end: &End) -> bool {
        let (End::Branch { condition: operand, .. } | End::Switch { value: operand, .. }) = end else {
            return false;
        };
        let word = self.value(arrival, *operand).word;
        self.terms.known(&word).is_none()
    }

    /// The values at the end of an edge: what is live there, and the block's parameters.
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

    fn merge(
        &mut self,
        waiting: &mut Arrival,
        guard: Term,
        values: Vec<Option<Value<Term>>>,
        state: &State,
        loops: &[Round],
    ) {
        for (kept, round) in waiting.loops.iter_mut().zip(loops) {
            kept.forced |= round.forced;
        }
        let condition = separating(self.terms, guard, waiting.guard);
        for (kept, value) in waiting.values.iter_mut().zip(values) {
            *kept = match (kept.take(), value) {
                (Some(kept), Some(value)) => Some(memory::choose(self.terms, condition, value, kept)),
                _ => None,
            };
        }
        self.merge_state(condition, &mut waiting.state, state);
        waiting.guard = self.terms.or(waiting.guard, guard);
    }

    fn note(&mut self, guard: Term, faults: Faults<Term>, at: Option<Position>) {
        for (fault, condition) in faults {
            let happens = self.terms.and(guard, condition);
            match self.chosen.effect(fault) {
                Effect::Stops => self.fault = self.terms.or(self.fault, happens),
                Effect::Unknowable if !self.is_never(happens) => {
                    let what = format!("{} in the mutant", fault.text());
                    self.give_up(happens, Unsupported { what, at });
                }
                Effect::Unknowable | Effect::GoesOn => {}
            }
        }
    }

    /// Follows a path no further.
    fn cut(&mut self, guard: Term, by: Cut) {
        if !self.is_never(guard) {
            self.cut = self.terms.or(self.cut, guard);
            self.cut_by.insert(by);
        }
    }

    fn give_up(&mut self, guard: Term, reason: Unsupported) {
        self.unsupported = self.terms.or(self.unsupported, guard);
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// Something of the right width where no value comes back.
    fn stand_in(&mut self, function: &Function) -> Option<Value<Term>> {
        let width = function.result?;
        Some(Value::of(self.terms.constant(Word::zero(width))))
    }

    fn value(&mut self, arrival: &Arrival, operand: Operand) -> Value<Term> {
        step::operand(self.terms, operand, |register| {
            arrival.values[register.0 as usize]
                .expect("the verifier admits no use that a definition does not dominate")
        })
    }

    fn values(&mut self, arrival: &Arrival, operands: &[Operand]) -> Vec<Value<Term>> {
        operands.iter().map(|operand| self.value(arrival, *operand)).collect()
    }

    fn is_never(&self, truth: Term) -> bool {
        self.terms.known(&truth) == Some(Word::truth(false))
    }
}

/// Activations on top of each other, whatever decides them: each needs some of our own stack.
pub const MAX_CALLS: usize = 200;

/// The loops around the block at the end of an edge. Those that the edge stays in go on; a back edge stays
/// in the loop that it repeats, and leaves those inside. The head of a loop begins the first round itself; an
/// irreducible loop may be entered elsewhere, and is in its first round then.
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
