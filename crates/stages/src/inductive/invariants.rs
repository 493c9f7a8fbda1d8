//! Invariants: facts that hold at the head of a loop whenever the original comes there.
//!
//! Let `F` be a set of facts for each head. Claim: if
//!
//!   (1) for every valid input, `F` holds where the original first comes to a head,
//!   (2) if `F` holds at a head, and the original breaks no rule up to the next one, `F` holds there, too,
//!
//! then `F` holds whenever the original comes to a head on a valid input.
//!
//! There are many candidates: signs, bounds, and the order of any two numbers or pointers. Each that fails
//! the first time, or after a segment that began with all of them, is dropped, until those that are left keep
//! each other up (Houdini: Flanagan and Leino, 2001).

use std::collections::{BTreeMap, BTreeSet};

use bv::formula::{equal, not};
use bv::{Domain, Op, Term, Terms, Word, Work};
use ir::{BlockId, Register};
use smt::Fuel;

use super::induction::Induction;
use super::query::Checked;
use super::shape::Shape;
use crate::encode::Stop;
use crate::inputs::integers;
use crate::memory::{number, offset_of};

/// A fact about a state: a comparison of two quantities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fact {
    op: Op,
    left: Quantity,
    right: Quantity,
    /// Or the left side is still what it was at first.
    unless: Option<Word>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quantity {
    Number(Register),
    /// The offset of a pointer.
    Offset(Register),
    Constant(Word),
    /// How many bytes an object has, in so many bits.
    Size {
        object: u32,
        width: u32,
    },
    /// The remainder of an offset when divided by this power of two.
    Rest(Register, u32),
}

/// More numbers than this are not compared with each other.
const NUMBERS: usize = 14;

/// More constants than this are not compared with.
const CONSTANTS: usize = 12;

/// So many facts are looked at one by one if the solver gives up on all at once.
const SINGLY: usize = 24;

/// All at once then get this part of the fuel. A query that is not answered soon is hardly ever answered.
const TOGETHER: u64 = 10;

/// The search for all of them may use so many times what one mutant may.
const FOR_ALL: u64 = 8;

/// Numbers are not compared with the lengths of more objects than this.
const OBJECTS: usize = 4;

/// From a head, or from the entry, to a head.
type Way = (Option<BlockId>, BlockId);

/// How many counterexamples are looked at before facts about a head are given up.
const ROUNDS: usize = 200;

/// What is left of some facts.
pub(super) enum Kept {
    /// All. These queries are unsatisfiable, which shows it.
    All(Vec<Term>),
    /// Those for which this is true.
    Some(Vec<bool>),
}

impl Fact {
    fn new(op: Op, left: Quantity, right: Quantity) -> Fact {
        Fact { op, left, right, unless: None }
    }

    pub(super) fn holds(&self, terms: &mut Terms, stop: &Stop) -> Term {
        let (left, right) = (self.left.word(terms, stop), self.right.word(terms, stop));
        match (left, right) {
            (Some(left), Some(right)) if terms.width(&left) == terms.width(&right) => {
                let holds = terms.apply(self.op, &[left, right]);
                let first = self.unless.filter(|word| word.width() == terms.width(&left));
                first.map_or(holds, |first| terms.or(equal(left, first), holds))
            }
            _ => terms.truth(false),
        }
    }
}

impl Quantity {
    /// None if the state has no such word.
    fn word(self, terms: &mut Terms, stop: &Stop) -> Option<Term> {
        let register = |register: Register| stop.values[register.0 as usize].map(|value| value.word);
        match self {
            Quantity::Number(number) => register(number),
            Quantity::Offset(pointer) => {
                let word = register(pointer).filter(|word| terms.width(word) >= 32)?;
                Some(offset_of(terms, word))
            }
            Quantity::Constant(word) => Some(terms.constant(word)),
            Quantity::Size { object, width } => {
                let size = stop.state.memory.get(object)?.size;
                Some(if width > 32 { terms.zext(size, width) } else { size })
            }
            Quantity::Rest(pointer, unit) => {
                let offset = Quantity::Offset(pointer).word(terms, stop)?;
                Some(terms.and(offset, number(unit - 1)))
            }
        }
    }
}

impl Induction<'_> {
    /// Finds the facts that keep each other up, once.
    pub(super) fn find_invariants(&mut self) {
        if std::mem::replace(&mut self.is_searched, true) {
            return;
        }
        // Invariants serve all mutants, and are worth any number of hard queries.
        let (patience, too_hard) = (std::mem::replace(&mut self.patience, u32::MAX), self.too_hard.take());
        let (left, work) = (self.solver.left(), self.terms.left());
        self.solver.allow(Fuel(self.altogether.0.saturating_mul(FOR_ALL)));
        self.terms.allow(Work(self.work.0.saturating_mul(FOR_ALL)));
        self.filter_invariants();
        self.solver.allow(left);
        self.terms.allow(work);
        (self.patience, self.too_hard) = (patience, self.too_hard.take().or(too_hard));
    }

    fn filter_invariants(&mut self) {
        let blocks: Vec<BlockId> = self.heads.keys().copied().collect();
        for block in &blocks {
            let candidates = self.candidates(*block);
            if let Some(head) = self.heads.get_mut(block) {
                head.invariants = candidates;
            }
        }
        let ways: Vec<Way> = self
            .starts()
            .into_iter()
            .flat_map(|start| blocks.iter().map(move |block| (start, *block)))
            .collect();
        let mut waiting: BTreeSet<Way> = ways.iter().copied().collect();
        let mut lemmas: BTreeMap<Way, Vec<Term>> = BTreeMap::new();
        let mut rounds = 0;
        while let Some(way) = waiting.first().copied() {
            let (_, block) = way;
            match self.hold_after(way) {
                Some(Kept::All(queries)) => {
                    waiting.remove(&way);
                    lemmas.insert(way, queries);
                }
                Some(Kept::Some(holds)) if rounds < ROUNDS => {
                    rounds += 1;
                    if let Some(head) = self.heads.get_mut(&block) {
                        let mut holds = holds.into_iter();
                        head.invariants.retain(|_| holds.next().unwrap_or(false));
                    }
                    // These begin there, where less is known now. What comes there has to show less than
                    // before.
                    waiting.extend(ways.iter().filter(|(start, _)| *start == Some(block)));
                }
                Some(Kept::Some(_)) | None => {
                    // Out of patience: nothing is known for sure.
                    self.heads.values_mut().for_each(|head| head.invariants.clear());
                    return;
                }
            }
        }
        self.lemmas = lemmas.into_values().flatten().collect();
    }

    /// Which facts of a head hold whenever the original comes there on this way. None if the solver gives up.
    fn hold_after(&mut self, (start, block): Way) -> Option<Kept> {
        let segment = match start {
            None => &self.entry,
            Some(start) => &self.heads[&start].segment,
        };
        let Some(stop) = segment.stops.get(&block).cloned() else { return Some(Kept::All(vec![])) };
        let clean = self.clean(start);
        let invariants = self.heads[&block].invariants.clone();
        let facts: Vec<Term> = invariants.iter().map(|it| it.holds(&mut self.terms, &stop)).collect();
        let premise = self.terms.and(clean, stop.guard);
        self.keep(premise, &facts)
    }

    /// Which facts follow from a premise. None if the solver gives up.
    pub(super) fn keep(&mut self, premise: Term, facts: &[Term]) -> Option<Kept> {
        let all = self.terms.all(facts.iter().copied());
        let query = self.terms.and(premise, not(all));
        let is_few = facts.len() <= SINGLY;
        let fuel = if is_few { Fuel(self.fuel.0 / TOGETHER) } else { self.fuel };
        match self.check_with(query, fuel) {
            Checked::Never => Some(Kept::All(vec![query])),
            Checked::Under(model) => {
                let holds = facts.iter().map(|fact| self.terms.eval(*fact, &model).is_true());
                Some(Kept::Some(holds.collect()))
            }
            Checked::TooHard if is_few => Some(self.keep_singly(premise, facts)),
            Checked::TooHard => None,
        }
    }

    /// The same, one by one. A fact is dropped if the solver cannot tell.
    fn keep_singly(&mut self, premise: Term, facts: &[Term]) -> Kept {
        let (mut queries, mut holds) = (Vec::new(), Vec::new());
        for fact in facts {
            let query = self.terms.and(premise, not(*fact));
            let follows = matches!(self.check(query), Checked::Never);
            holds.push(follows);
            queries.push(query);
        }
        match holds.iter().all(|holds| *holds) {
            true => Kept::All(queries),
            false => Kept::Some(holds),
        }
    }

    /// All facts that may hold at a head.
    fn candidates(&self, block: BlockId) -> Vec<Fact> {
        let shape = &self.heads[&block].shape;
        let numbers: Vec<(Register, u32)> = shape.numbers().take(NUMBERS).collect();
        let pointers: Vec<(Register, u32)> = shape.pointers().collect();
        let mentioned = integers(self.task.program, self.task.subject);
        let mut candidates = Vec::new();
        let mut add = |op: Op, left: Quantity, right: Quantity| candidates.push(Fact::new(op, left, right));
        for (at, (one, width)) in numbers.iter().enumerate() {
            let (left, width) = (Quantity::Number(*one), *width);
            if width > 1 {
                let small = [0, 1, -1].into_iter().chain(mentioned.iter().copied().take(CONSTANTS));
                for number in small {
                    let constant = Quantity::Constant(Word::from_signed(width, number));
                    for op in [Op::Sle, Op::Ule] {
                        add(op, left, constant);
                        add(op, constant, left);
                    }
                    add(Op::Ne, left, constant);
                }
            }
            for (other, other_width) in &numbers[at + 1..] {
                if *other_width == width {
                    add(Op::Eq, left, Quantity::Number(*other));
                    add(Op::Ne, left, Quantity::Number(*other));
                }
            }
        }
        for (at, (one, object)) in pointers.iter().enumerate() {
            add(Op::Ule, Quantity::Offset(*one), Quantity::Size { object: *object, width: 32 });
            for unit in [2, 4, 8] {
                add(Op::Eq, Quantity::Rest(*one, unit), Quantity::Constant(Word::zero(32)));
            }
            for (other, other_object) in &pointers[at + 1..] {
                if object == other_object {
                    add(Op::Ule, Quantity::Offset(*one), Quantity::Offset(*other));
                    add(Op::Ule, Quantity::Offset(*other), Quantity::Offset(*one));
                }
            }
        }
        candidates.extend(within_objects(shape));
        candidates.extend(orders(&self.terms, shape, self.entry.stops.get(&block)));
        candidates
    }
}

/// The order of any two numbers. A counter is at its start, or below the number that it counts to. That
/// number may itself be below the start.
pub(super) fn orders(terms: &Terms, shape: &Shape, first: Option<&Stop>) -> Vec<Fact> {
    let numbers: Vec<(Register, u32)> = shape.numbers().take(NUMBERS).collect();
    let mut orders = Vec::new();
    for (one, width) in &numbers {
        let value = first.and_then(|stop| stop.values[one.0 as usize]);
        let started = value.and_then(|value| terms.known(&value.word));
        for (other, _) in numbers.iter().filter(|(other, other_width)| other != one && other_width == width) {
            for op in [Op::Sle, Op::Ule] {
                for unless in [None].into_iter().chain(started.map(Some)) {
                    orders.push(Fact {
                        op,
                        left: Quantity::Number(*one),
                        right: Quantity::Number(*other),
                        unless,
                    });
                }
            }
        }
    }
    orders
}

/// Numbers are no larger than objects are long, as indexes are.
pub(super) fn within_objects(shape: &Shape) -> Vec<Fact> {
    let objects: BTreeSet<u32> = shape.objects().collect();
    let indices = shape.numbers().filter(|(_, width)| *width >= 32).take(NUMBERS);
    let within = |(number, width): (Register, u32)| {
        let sizes = objects.iter().take(OBJECTS).map(move |object| Quantity::Size { object: *object, width });
        let left = Quantity::Number(number);
        sizes.map(move |right| Fact::new(Op::Ule, left, right))
    };
    indices.flat_map(within).collect()
}
