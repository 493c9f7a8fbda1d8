//! The encoder: a function, unrolled and merged at joins, as terms over its inputs.
//!
//! Blocks are taken in the order of the unrolled graph (`encode/unroll.rs`). So all ways into a block have
//! been seen, and their values merged, when its turn comes. What an instruction does, and which way a block
//! is left, comes from [`ir::engine`]. Whether an access is allowed comes from [`ir::rules`]. The machine
//! runs the same code.
//!
//! Guards say which way control goes. They never say whether a fault happened: faults are collected beside
//! them. So original and mutant build the same terms wherever the mutation has no part, and hash-consing
//! makes the shared part free.
//!
//! Beside the live registers goes the [`State`]: memory, the calls to the outside, and how many results they
//! took. An object that the program makes is numbered after the place in the unrolled program where it is
//! made, so that original and mutant give it the same number ([`Names`]).
//!
//! Memory and work are fuel: if the graph and the paths that wait need too much, all paths are cut
//! ([`Cut::Lack`]).
//!
//! A loop may repeat `iterations` times where the input decides whether it repeats. Rounds that happen
//! whatever the input is do not count. Paths beyond the bound are `cut`.

mod any;
mod block;
mod call;
pub(crate) mod compare;
mod guards;
mod outside;
mod recursion;
mod sealed;
mod segment;
mod start;
mod unroll;

use std::collections::BTreeSet;

use bv::{Lack, Memory, Term, Terms};
use ir::engine;
use ir::order::{Key, Order, order};
use ir::step::{self, Faults, Value};
use ir::{Effect, Fault, FunctionId, Mutant, Position, Program, Register, Unsupported};
use rustc_hash::FxHashMap;

pub(crate) use block::HEAP;
pub(crate) use call::MAX_CALLS;
pub(crate) use recursion::{Recursion, Recursive};
pub(crate) use segment::{Part, Segment, Stop};

use crate::memory::{Possibilities, SymbolicMemory};
use crate::skeleton::Skeleton;
use call::{Call, Return};
use outside::Outside;
use sealed::SealedCalls;
use segment::Cuts;
use unroll::Round;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How often the input may decide to repeat a loop, or to call a function recursively.
    pub iterations: u32,
    /// Blocks of the unrolled program.
    pub blocks: usize,
}

/// What a function does with its inputs, as truth values and words over them.
///
/// For every input of which `fault` does not hold, one of `returned`, `cut` and `unsupported` does. Where
/// `fault`, `cut` or `unsupported` holds, what is returned means nothing.
#[derive(Clone, Debug)]
pub struct Encoding {
    pub returned: Term,
    /// The returned value; none for a struct, which is in memory.
    pub result: Option<Value<Term>>,
    /// The object that takes a returned struct.
    pub(crate) result_object: Option<u32>,
    /// Memory and calls where it returns.
    pub(crate) state: State,
    /// The original: some rule of C was broken. A mutant: the machine stopped.
    pub fault: Term,
    /// The bound was too small to tell.
    pub cut: Term,
    /// What was too small.
    pub(crate) cuts: BTreeSet<Cut>,
    pub unsupported: Term,
    /// What was unsupported, for the report.
    pub(crate) reasons: Vec<Unsupported>,
    /// The guards under which loops are left.
    pub(crate) exits: Vec<Term>,
}

/// Why a path was not followed to its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Cut {
    /// A loop or a recursion went on for too long.
    Iterations,
    /// The unrolled program had too many blocks.
    Blocks,
    /// Too many calls were under way.
    Calls,
    /// An object on the heap was too large.
    Heap,
    /// There is no memory, or no work left, for more.
    Lack(Lack),
    /// A function without a body was called too often.
    Results,
}

/// All that a run changes besides registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) memory: SymbolicMemory,
    pub(crate) outside: Outside,
}

/// Names for what a run makes, shared by an original and its mutants in one graph.
#[derive(Default)]
pub struct Names {
    /// The number of an activation, by the place of the call and the function called.
    activations: FxHashMap<(Point, FunctionId), u32>,
    /// The number of an object, by the place where it is made.
    objects: FxHashMap<Point, u32>,
    /// What the original's activations return.
    returned: FxHashMap<u32, Value<Term>>,
    /// What calls of sealed functions return.
    sealed: SealedCalls,
}

/// An instruction in the unrolled program.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Point {
    activation: u32,
    block: Key,
    instruction: usize,
}

/// Knows, or finds out, where a mutant does what the original does.
pub(crate) trait Judge {
    /// Whether two words are the same wherever the guard holds, on all inputs that matter.
    fn are_same(&mut self, terms: &mut Terms, guard: Term, one: Term, other: Term) -> bool;
}

/// What to encode: a subject, by its inputs, under a mutant.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub inputs: &'a Skeleton<'a>,
    pub mutant: Mutant,
    pub bounds: Bounds,
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
    functions: Vec<FunctionPlan>,
}

struct FunctionPlan {
    order: Order,
    /// By block, the registers that are live there, parameters of the block aside.
    live: Vec<Vec<Register>>,
}

impl<'a> Plan<'a> {
    pub fn new(program: &'a Program) -> Plan<'a> {
        let plan = |function| FunctionPlan { order: order(function), live: ir::live_in(function) };
        Plan { program, functions: program.functions.iter().map(plan).collect() }
    }

    fn of(&self, function: FunctionId) -> &FunctionPlan {
        &self.functions[function.0 as usize]
    }

    /// Encodes a subject under a mutant.
    pub fn encode(&self, terms: &mut Terms, names: &mut Names, request: Request) -> Encoding {
        self.encoder(terms, names, request).whole()
    }

    /// Encodes a subject under a mutant. Wherever the judge says that the mutant's value is the original's,
    /// the original's is taken. The encoding then holds for the inputs that matter to the judge.
    pub(crate) fn encode_judged(
        &self,
        terms: &mut Terms,
        names: &mut Names,
        request: Request,
        judge: &mut dyn Judge,
    ) -> Encoding {
        let mut encoder = self.encoder(terms, names, request);
        encoder.judge = Some(judge);
        encoder.whole()
    }

    fn encoder<'e>(
        &'e self,
        terms: &'e mut Terms,
        names: &'e mut Names,
        request: Request<'e>,
    ) -> Encoder<'e> {
        let Request { inputs, mutant, bounds } = request;
        let never = terms.truth(false);
        let first = self.program.input_object() + inputs.objects.len() as u32;
        Encoder {
            plan: self,
            terms,
            names,
            inputs,
            possible: Possibilities::default(),
            chosen: Chosen::One(mutant),
            judge: None,
            bounds,
            first,
            blocks: 0,
            waiting: Memory(0),
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

struct Encoder<'a> {
    plan: &'a Plan<'a>,
    terms: &'a mut Terms,
    names: &'a mut Names,
    inputs: &'a Skeleton<'a>,
    possible: Possibilities,
    chosen: Chosen,
    judge: Option<&'a mut dyn Judge>,
    bounds: Bounds,
    /// The number of the first object that the run makes.
    first: u32,
    /// Blocks encoded so far.
    blocks: usize,
    /// What the paths that wait for their turn use.
    waiting: Memory,
    /// The activations that we are in: the function, its guard, and how many of them the input decided.
    calls: Vec<(FunctionId, Round)>,
    /// Where control ends, if only a segment is encoded.
    cuts: Option<Cuts<'a>>,
    fault: Term,
    cut: Term,
    /// What `cut` is made of.
    cut_by: BTreeSet<Cut>,
    unsupported: Term,
    reasons: Vec<Unsupported>,
    exits: Vec<Term>,
}

impl Encoder<'_> {
    /// The subject from its entry to its end.
    fn whole(mut self) -> Encoding {
        let guard = self.terms.truth(true);
        let start = self.start();
        let subject = self.inputs.subject;
        let function = self.plan.program.function(subject).door.unwrap_or(subject);
        let (arguments, state) = (start.arguments, start.state);
        let returned = self.call(Call::outermost(function, arguments, guard, state));
        self.finish(returned, start.result_object)
    }

    /// All that is known once the outermost function was left.
    fn finish(mut self, returned: Return, result_object: Option<u32>) -> Encoding {
        let Return { guard: returned, value, state } = returned;
        let signature = &self.plan.program.function(self.inputs.subject).signature;
        let result = match result_object {
            Some(_) => None,
            None => value.filter(|_| signature.result.is_some()),
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

    /// Notes faults that happen where the guard holds.
    fn note(&mut self, guard: Term, faults: Faults<Term>, at: Option<Position>) {
        for (fault, condition) in faults {
            let happens = self.terms.and(guard, condition);
            match self.chosen.effect(fault) {
                Effect::Stops => self.fault = self.terms.or(self.fault, happens),
                Effect::Unknowable if !self.terms.is_never(happens) => {
                    let what = format!("{} in the mutant", fault.text());
                    self.give_up(happens, Unsupported { what, at });
                }
                Effect::Unknowable | Effect::GoesOn => {}
            }
        }
    }

    /// Follows a path no further.
    fn cut(&mut self, guard: Term, by: Cut) {
        if !self.terms.is_never(guard) {
            self.cut = self.terms.or(self.cut, guard);
            self.cut_by.insert(by);
        }
    }

    /// Follows a path no further, because nothing is known of what comes next.
    fn give_up(&mut self, guard: Term, reason: Unsupported) {
        self.unsupported = self.terms.or(self.unsupported, guard);
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// A value of the mutant. It becomes the original's if the judge says that they are the same.
    fn judged(&mut self, guard: Term, original: Value<Term>, value: Value<Term>) -> Value<Term> {
        let Some(judge) = &mut self.judge else { return value };
        let alike = value.undefined == original.undefined;
        let same = alike && judge.are_same(self.terms, guard, original.word, value.word);
        if same { original } else { value }
    }
}
