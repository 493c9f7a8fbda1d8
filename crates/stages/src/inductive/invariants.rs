//! Facts that hold at the head of a loop whenever the original comes there.
//!
//! There are many candidates: signs, bounds, and the order of any two numbers or pointers. Each that fails the first time, or after a
//! segment that began with all of them, is dropped, until those that are left keep each other up (Houdini: Flanagan and Leino, 2001).

use bv::{Domain, Op, Term, Terms, Word};
use ir::step::OFFSET;
use ir::{BlockId, Register};

use super::Induction;
use crate::encode::Stop;
use crate::inputs::integers;

/// A fact about a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    op: Op,
    left: Side,
    right: Side,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Number(Register),
    /// The offset of a pointer.
    Offset(Register),
    Constant(Word),
    /// How many bytes an object has.
    Size(u32),
    /// What is left of an offset when divided by this power of two.
    Rest(Register, u32),
}

/// More numbers than this are not compared with each other.
const NUMBERS: usize = 14;

/// More constants than this are not compared with.
const CONSTANTS: usize = 12;

/// How many counterexamples are looked at before facts about a head are given up.
const ROUNDS: usize = 200;

impl Candidate {
    pub fn holds(&self, terms: &mut Terms, stop: &Stop) -> Term {
        let (left, right) = (self.left.word(terms, stop), self.right.word(terms, stop));
        match (left, right) {
            (Some(left), Some(right)) if terms.width(&left) == terms.width(&right) => {
                terms.apply(self.op, &[left, right])
            }
            _ => terms.truth(false),
        }
    }
}

impl Side {
    fn word(self, terms: &mut Terms, stop: &Stop) -> Option<Term> {
        let register = |register: Register| stop.values[register.0 as usize].map(|value| value.word);
        match self {
            Side::Number(number) => register(number),
            Side::Offset(pointer) => {
                let word = register(pointer).filter(|word| terms.width(word) >= 32)?;
                Some(terms.apply(OFFSET, &[word]))
            }
            Side::Constant(word) => Some(terms.constant(word)),
            Side::Size(object) => stop.state.memory.get(object).map(|object| object.size),
            Side::Rest(pointer, unit) => {
                let offset = Side::Offset(pointer).word(terms, stop)?;
                let mask = terms.constant(Word::new(32, u128::from(unit) - 1));
                Some(terms.apply(Op::And, &[offset, mask]))
            }
        }
    }
}

impl Induction<'_> {
    /// Finds the facts that keep each other up.
    pub(super) fn find_invariants(&mut self) {
        let blocks: Vec<BlockId> = self.heads.keys().copied().collect();
        for block in &blocks {
            let candidates = self.candidates(*block);
            if let Some(head) = self.heads.get_mut(block) {
                head.invariants = candidates;
            }
        }
        for _ in 0..ROUNDS {
            match self.drop_some(&blocks) {
                Some(true) => {}
                Some(false) => return,
                None => break,
            }
        }
        // Out of patience: nothing is known for sure.
        self.lemmas.clear();
        self.heads.values_mut().for_each(|head| head.invariants.clear());
    }

    /// Looks for a way to a head on which not all of its facts hold, and drops those that do not; false if there is none. None if the
    /// solver gives up.
    fn drop_some(&mut self, blocks: &[BlockId]) -> Option<bool> {
        self.lemmas.clear();
        for start in self.starts() {
            for block in blocks {
                let segment = match start {
                    None => &self.entry,
                    Some(start) => &self.heads[&start].segment,
                };
                let Some(stop) = segment.stops.get(block).cloned() else { continue };
                let clean = self.clean(start);
                let facts: Vec<Term> = self.heads[block]
                    .invariants
                    .iter()
                    .map(|candidate| candidate.holds(&mut self.terms, &stop))
                    .collect();
                let all = self.terms.all(facts.iter().copied());
                let broken = self.terms.not(all);
                let query = self.terms.all([clean, stop.guard, broken]);
                let Some(model) = self.check(query)? else {
                    self.lemmas.push(query);
                    continue;
                };
                let holds: Vec<bool> =
                    facts.iter().map(|fact| self.terms.eval(*fact, &model).is_true()).collect();
                if let Some(head) = self.heads.get_mut(block) {
                    let mut holds = holds.into_iter();
                    head.invariants.retain(|_| holds.next().unwrap_or(false));
                }
                return Some(true);
            }
        }
        Some(false)
    }

    fn candidates(&self, block: BlockId) -> Vec<Candidate> {
        let shape = &self.heads[&block].shape;
        let numbers: Vec<(Register, u32)> = shape.numbers().take(NUMBERS).collect();
        let pointers: Vec<(Register, u32)> = shape.pointers().collect();
        let mentioned = integers(self.task.program, self.task.subject);
        let mut candidates = Vec::new();
        let mut add = |op: Op, left: Side, right: Side| candidates.push(Candidate { op, left, right });
        for (at, (one, width)) in numbers.iter().enumerate() {
            let (left, width) = (Side::Number(*one), *width);
            if width > 1 {
                let small = [0, 1, -1].into_iter().chain(mentioned.iter().copied().take(CONSTANTS));
                for number in small {
                    let constant = Side::Constant(Word::from_signed(width, number));
                    for op in [Op::Sle, Op::Ule] {
                        add(op, left, constant);
                        add(op, constant, left);
                    }
                    add(Op::Ne, left, constant);
                }
            }
            for (other, other_width) in &numbers[at + 1..] {
                if *other_width == width {
                    let right = Side::Number(*other);
                    for op in [Op::Sle, Op::Ule] {
                        add(op, left, right);
                        add(op, right, left);
                    }
                    add(Op::Eq, left, right);
                    add(Op::Ne, left, right);
                }
            }
        }
        for (at, (one, object)) in pointers.iter().enumerate() {
            add(Op::Ule, Side::Offset(*one), Side::Size(*object));
            for unit in [2, 4, 8] {
                add(Op::Eq, Side::Rest(*one, unit), Side::Constant(Word::zero(32)));
            }
            for (other, other_object) in &pointers[at + 1..] {
                if object == other_object {
                    add(Op::Ule, Side::Offset(*one), Side::Offset(*other));
                    add(Op::Ule, Side::Offset(*other), Side::Offset(*one));
                }
            }
        }
        candidates
    }
}
