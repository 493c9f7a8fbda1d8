//! The encoder: a function, unrolled and merged at joins, as terms over its inputs.
//!
//! Blocks are taken in the order of the unrolled graph, so that all ways into a block have
//! been seen, and their values merged, when its turn comes. What an instruction means comes from
//! [`ir::step`], the same code that the interpreter runs.
//!
//! Guards say only which way control goes, never whether a fault happened: faults are
//! collected beside them. Original and mutant then build the same terms wherever the mutation has no
//! part, and hash-consing makes the shared part free.
//!
//! A loop may repeat `iterations` times where the input decides whether it repeats; rounds that happen
//! whatever the input is cost nothing of that bound. What lies beyond it is `cut`.

use std::collections::BTreeMap;

use bv::{Domain, Node, Op, Term, Terms, Word};
use ir::order::{Key, Order, order};
use ir::step::{self, Faults, Value};
use ir::{
    Action, BlockId, Edge, End, Fault, Function, FunctionId, Mutant, Operand, Position, Program, Register,
    Unsupported,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How often the input may decide to repeat a loop, or to call a function recursively.
    pub iterations: u32,
    /// Blocks of the unrolled program.
    pub blocks: usize,
}

/// What a function does with its inputs, as truth values and words over them. A run that has no fault
/// returns, or is cut, or comes to something unsupported; a mutant that reads an uninitialised variable may
/// do so and return, and what it returns means nothing.
#[derive(Clone, Debug)]
pub struct Encoding {
    pub returned: Term,
    /// What it returns, where it does.
    pub result: Option<Term>,
    /// The original: some rule of C was broken. A mutant: the machine stopped.
    pub fault: Term,
    /// The bound was too small to tell.
    pub cut: Term,
    pub unsupported: Term,
    /// What was unsupported, for the report.
    pub reasons: Vec<Unsupported>,
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
        function: FunctionId,
        mutant: Mutant,
        inputs: &[Term],
        bounds: Bounds,
    ) -> Encoding {
        let never = terms.truth(false);
        let always = terms.truth(true);
        let mut encoder = Encoder {
            plan: self,
            terms,
            mutant,
            bounds,
            blocks: 0,
            calls: Vec::new(),
            fault: never,
            cut: never,
            unsupported: never,
            reasons: Vec::new(),
        };
        let arguments = inputs.iter().map(|input| Value::of(*input)).collect();
        let (returned, value) = encoder.call(function, arguments, always, None);
        let result = value.map(|value| {
            let mut faults = Faults::new();
            let word = step::used::<Terms>(value, &mut faults);
            encoder.note(returned, faults, None);
            word
        });
        let Encoder { fault, cut, unsupported, reasons, .. } = encoder;
        Encoding { returned, result, fault, cut, unsupported, reasons }
    }
}

/// A block of the unrolled function, on the way in.
struct Arrival {
    guard: Term,
    /// By register; only what is live here is sure to be right.
    values: Vec<Option<Value<Term>>>,
    /// For each loop around the block, outermost first.
    loops: Vec<Round>,
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

struct Encoder<'a, 'b> {
    plan: &'a Plan<'b>,
    terms: &'a mut Terms,
    mutant: Mutant,
    bounds: Bounds,
    /// Blocks encoded so far.
    blocks: usize,
    /// The activations that we are in: the function, its guard, and how many decided ones of it there are.
    calls: Vec<(FunctionId, Round)>,
    fault: Term,
    cut: Term,
    unsupported: Term,
    reasons: Vec<Unsupported>,
}

impl Encoder<'_, '_> {
    /// Encodes a call; the guard under which it returns, and what.
    fn call(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value<Term>>,
        guard: Term,
        at: Option<Position>,
    ) -> (Term, Option<Value<Term>>) {
        let never = self.terms.truth(false);
        let function = self.plan.program.function(id);
        if let Some(unsupported) = &function.unsupported {
            let at = unsupported.at.or(at);
            self.give_up(guard, Unsupported { what: unsupported.what.clone(), at });
            return (never, self.stand_in(function));
        }
        let outer = self.calls.iter().rev().find(|(caller, _)| *caller == id).map(|(_, round)| *round);
        let decided = outer.map_or(0, |outer| outer.decided + u32::from(outer.guard != guard));
        if decided > self.bounds.iterations || self.calls.len() > MAX_CALLS {
            self.cut = self.terms.or(self.cut, guard);
            return (never, self.stand_in(function));
        }
        self.calls.push((id, Round { decided, ..Round::first(guard) }));
        let mut values: Vec<Option<Value<Term>>> = arguments.into_iter().map(Some).collect();
        values.resize(function.registers.len(), None);
        let returns = self.body(id, function, Arrival { guard, values, loops: vec![] });
        self.calls.pop();

        let mut merged: Option<(Term, Option<Value<Term>>)> = None;
        for (guard, value) in returns {
            merged = Some(match merged {
                None => (guard, value),
                Some((before, kept)) => {
                    let condition = self.separating(guard, before);
                    let value = match (value, kept) {
                        (Some(value), Some(kept)) => Some(self.choose(condition, value, kept)),
                        _ => None,
                    };
                    (self.terms.or(before, guard), value)
                }
            });
        }
        merged.unwrap_or_else(|| (never, self.stand_in(function)))
    }

    /// Encodes all blocks of a function, and gives its returns.
    fn body(
        &mut self,
        id: FunctionId,
        function: &Function,
        entry: Arrival,
    ) -> Vec<(Term, Option<Value<Term>>)> {
        let plan = self.plan;
        let (order, live) = &plan.functions[id.0 as usize];
        let mut returns = Vec::new();
        let mut arrivals: BTreeMap<Key, Arrival> = BTreeMap::from([(order.entry(), entry)]);
        while let Some((key, mut arrival)) = arrivals.pop_first() {
            let block = order.block(&key);
            if self.is_never(arrival.guard) {
                continue;
            }
            self.blocks += 1;
            let repeated = order.headed_by(block).map(|id| order.component(id).depth as usize);
            let within = repeated.is_none_or(|depth| self.begin_round(&mut arrival, depth));
            if !within || self.blocks > self.bounds.blocks {
                self.cut = self.terms.or(self.cut, arrival.guard);
                continue;
            }
            let edges = self.block(function, block, &mut arrival, &mut returns);
            let one_way = edges.len() > 1 && edges.iter().any(|(_, guard)| *guard == arrival.guard);
            let forced = one_way && self.is_forced(&arrival, &function.block(block).end);
            if let Some(round) = arrival.loops.last_mut() {
                round.forced |= forced;
            }
            for (edge, guard) in edges {
                if self.is_never(guard) {
                    continue;
                }
                let to = order.follow(&key, edge.to);
                let next = self.follow(function, &arrival, edge, &live[edge.to.0 as usize]);
                let loops = rounds(order, &arrival.loops, block, edge.to, guard);
                match arrivals.get_mut(&to) {
                    None => {
                        arrivals.insert(to, Arrival { guard, values: next, loops });
                    }
                    Some(waiting) => self.merge(waiting, guard, next, &loops),
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
        arrival: &mut Arrival,
        returns: &mut Vec<(Term, Option<Value<Term>>)>,
    ) -> Vec<(&'f Edge, Term)> {
        let block = function.block(block);
        for instruction in &block.instructions {
            let mut faults = Faults::new();
            let value = match &instruction.action {
                Action::Apply { op, flags, arguments } => {
                    let arguments = self.values(arrival, arguments);
                    Some(step::apply(self.terms, *op, *flags, arguments, &mut faults))
                }
                Action::Site { site, arguments } => {
                    let arguments = self.values(arrival, arguments);
                    let arm = self.plan.program.site(*site).arm(self.mutant);
                    Some(step::arm(self.terms, arm, arguments, &mut faults))
                }
                Action::Call { function, arguments } => {
                    let arguments = self.values(arrival, arguments);
                    let (returned, value) = self.call(*function, arguments, arrival.guard, instruction.at);
                    arrival.guard = returned;
                    value
                }
                Action::Unsupported(what) => {
                    self.give_up(arrival.guard, Unsupported { what: what.clone(), at: instruction.at });
                    return vec![];
                }
            };
            self.note(arrival.guard, faults, instruction.at);
            if self.is_never(arrival.guard) {
                return vec![];
            }
            if let (Some(register), Some(value)) = (instruction.result, value) {
                arrival.values[register.0 as usize] = Some(value);
            }
        }
        let guard = arrival.guard;
        match &block.end {
            End::Jump(edge) => vec![(edge, guard)],
            End::Branch { condition, then, otherwise } => {
                let condition = self.decide(arrival, *condition);
                let negated = self.terms.not(condition);
                vec![(then, self.terms.and(guard, condition)), (otherwise, self.terms.and(guard, negated))]
            }
            End::Switch { value, cases, default } => {
                let value = self.decide(arrival, *value);
                let mut edges = Vec::new();
                let mut rest = guard;
                for (case, edge) in cases {
                    let case = self.terms.constant(*case);
                    let taken = self.terms.equal(value, case);
                    let not_taken = self.terms.not(taken);
                    edges.push((edge, self.terms.and(guard, taken)));
                    rest = self.terms.and(rest, not_taken);
                }
                edges.push((default, rest));
                edges
            }
            End::Return(operand) => {
                let value = operand.map(|operand| self.value(arrival, operand));
                returns.push((guard, value));
                vec![]
            }
            End::Unreachable => {
                let always = self.terms.truth(true);
                self.note(guard, vec![(Fault::Unreachable, always)], block.at);
                // Nothing is known of what follows; the fault alone speaks for this path.
                let stand_in = self.stand_in(function);
                returns.push((guard, stand_in));
                vec![]
            }
        }
    }

    /// The word that a branch or switch decides by.
    fn decide(&mut self, arrival: &Arrival, operand: Operand) -> Term {
        let mut faults = Faults::new();
        let value = self.value(arrival, operand);
        let word = step::used::<Terms>(value, &mut faults);
        self.note(arrival.guard, faults, None);
        word
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
        loops: &[Round],
    ) {
        for (kept, round) in waiting.loops.iter_mut().zip(loops) {
            kept.forced |= round.forced;
        }
        let condition = self.separating(guard, waiting.guard);
        for (kept, value) in waiting.values.iter_mut().zip(values) {
            *kept = match (kept.take(), value) {
                (Some(kept), Some(value)) => Some(self.choose(condition, value, kept)),
                _ => None,
            };
        }
        waiting.guard = self.terms.or(waiting.guard, guard);
    }

    fn choose(&mut self, condition: Term, a: Value<Term>, b: Value<Term>) -> Value<Term> {
        if a == b {
            return a;
        }
        let word = self.terms.ite(condition, a.word, b.word);
        let never = self.terms.truth(false);
        let (a, b) = (a.uninitialised.unwrap_or(never), b.uninitialised.unwrap_or(never));
        let uninitialised = self.terms.ite(condition, a, b);
        Value { word, uninitialised: Some(uninitialised).filter(|condition| !self.is_never(*condition)) }
    }

    /// A truth value that holds under the first guard and not under the second. Two guards of a join
    /// exclude each other, so the first itself will do; but the decision that parts them is a smaller
    /// term, and the same one in original and mutant.
    fn separating(&self, guard: Term, other: Term) -> Term {
        let others = conjuncts(self.terms, other);
        let parts = |conjunct: &Term| others.iter().any(|other| negates(self.terms, *conjunct, *other));
        conjuncts(self.terms, guard).into_iter().find(parts).unwrap_or(guard)
    }

    fn note(&mut self, guard: Term, faults: Faults<Term>, at: Option<Position>) {
        for (fault, condition) in faults {
            let happens = self.terms.and(guard, condition);
            if self.mutant == Mutant::ORIGINAL || fault.traps() {
                self.fault = self.terms.or(self.fault, happens);
            } else if fault == Fault::UninitialisedRead && !self.is_never(happens) {
                // Nobody knows what a binary reads there.
                self.give_up(happens, Unsupported { what: format!("{} in the mutant", fault.text()), at });
            }
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
        let result = function.signature.result.as_ref()?;
        Some(Value::of(self.terms.constant(Word::zero(result.width))))
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
const MAX_CALLS: usize = 200;

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

/// The conjuncts of a guard, down to a few levels: the outermost decisions part the ways of a join.
fn conjuncts(terms: &Terms, guard: Term) -> Vec<Term> {
    const LEVELS: usize = 8;
    let mut found = vec![guard];
    let mut at = 0;
    while at < found.len() && found.len() < LEVELS {
        if let Node::Apply(Op::And, arguments) = terms.node(found[at]) {
            let parts: Vec<Term> = arguments.iter().copied().collect();
            found.remove(at);
            found.extend(parts);
        } else {
            at += 1;
        }
    }
    found
}

fn negates(terms: &Terms, a: Term, b: Term) -> bool {
    let is_not =
        |a: Term, b: Term| matches!(terms.node(a), Node::Apply(Op::Not, arguments) if arguments[0] == b);
    is_not(a, b) || is_not(b, a)
}
