//! What a caller can tell apart: the observations of two encodings, compared by the types of C.
//!
//! What the original has freed is not compared; what only the mutant has freed, or made smaller, differs, as
//! [`ir::Observation`] has it. Where pointers lead is for `compare/pointer.rs`.

use bv::{Domain, Term, Terms, Word};
use ir::observe::DEPTH;
use ir::step::Value;
use ir::{FunctionId, GlobalId, Program, Type, TypeId};

use super::Encoding;
use super::memory::{Memory, read_bits};
use super::object::Object;
use super::possible::Possibilities;
use crate::skeleton::{Shape, Skeleton};

mod pointer;

/// What tells two runs apart, as truth values.
pub struct Difference {
    /// A test can see it.
    pub seen: Term,
    /// Only the file itself can: a static variable, or which one a pointer leads to.
    pub hidden: Term,
    /// We cannot tell: a pointer leads to what cannot be compared here, or is the last of too many in a row.
    pub unclear: Term,
}

struct Comparison<'a> {
    program: &'a Program,
    terms: &'a mut Terms,
    possible: Possibilities,
    original: &'a Memory,
    mutant: &'a Memory,
    seen: Term,
    unclear: Term,
    /// Pointers lead to different things that no test can name.
    astray: Term,
    /// Whether pointers are followed into static variables.
    statics: bool,
}

/// How an original that returns differs from a mutant that does.
pub fn difference(
    program: &Program,
    subject: FunctionId,
    inputs: &Skeleton,
    terms: &mut Terms,
    original: &Encoding,
    mutant: &Encoding,
) -> Difference {
    let never = terms.truth(false);
    let mut comparison = Comparison {
        program,
        terms,
        possible: Possibilities::default(),
        original: &original.state.memory,
        mutant: &mutant.state.memory,
        seen: never,
        unclear: never,
        astray: never,
        statics: true,
    };
    let of = program.function(subject).signature.result;
    match (original.result_object, of) {
        (Some(object), Some(of)) => comparison.object(object, of, 1),
        (_, Some(of)) => {
            if let (Some(one), Some(other)) = (original.result, mutant.result) {
                let always = comparison.terms.truth(true);
                comparison.leaf(of, one, other, always, DEPTH);
            }
        }
        _ => {}
    }
    for (at, shape) in inputs.objects.iter().enumerate() {
        comparison.input(program.input_object() + at as u32, shape);
    }
    comparison.globals(|global| global.external);
    comparison.calls(original, mutant);
    let seen = std::mem::replace(&mut comparison.seen, never);
    // What is hidden is compared where it is, so that nothing has to be followed there.
    comparison.statics = false;
    comparison.globals(|global| !global.external);
    let Comparison { seen: hidden, unclear, astray, terms, .. } = comparison;
    Difference { seen, hidden: terms.or(hidden, astray), unclear }
}

impl Comparison<'_> {
    fn globals(&mut self, which: impl Fn(&ir::Global) -> bool) {
        for (at, global) in self.program.globals.iter().enumerate() {
            if !global.constant && which(global) {
                self.object(self.program.global_object(GlobalId(at as u32)), global.of, 1);
            }
        }
    }

    fn calls(&mut self, original: &Encoding, mutant: &Encoding) {
        let (one, other) = (&original.state.outside, &mutant.state.outside);
        let (zero, none) = (self.terms.constant(Word::zero(64)), self.terms.constant(Word::zero(32)));
        let differs = self.terms.ne(one.length.unwrap_or(none), other.length.unwrap_or(none));
        self.seen = self.terms.or(self.seen, differs);
        for at in 0..one.words.len().max(other.words.len()) {
            let word = |words: &[Term]| words.get(at).copied().unwrap_or(zero);
            let differs = self.terms.ne(word(&one.words), word(&other.words));
            self.seen = self.terms.or(self.seen, differs);
        }
    }

    /// Compares what the caller gave. Nobody may look at what the original has freed; what only the mutant has freed, the
    /// caller still uses.
    fn input(&mut self, number: u32, shape: &Shape) {
        let (Some(one), Some(other)) = (self.original.get(number), self.mutant.get(number)) else { return };
        let count = u64::from(one.capacity) / self.program.size(shape.of).max(1);
        let (ours, theirs) = (one.alive, other.alive);
        let words = one.expanse.as_ref().zip(other.expanse.as_ref());
        let words = words.map(|(one, other)| one.differs(self.terms, other));
        let dead = self.terms.not(theirs);
        let freed = self.terms.and(ours, dead);
        self.seen = self.terms.or(self.seen, freed);
        if !shape.constant {
            let both = self.terms.and(ours, theirs);
            match words {
                Some(differ) => {
                    let differ = self.terms.and(both, differ);
                    self.seen = self.terms.or(self.seen, differ);
                }
                None => self.elements(number, shape.of, count, both),
            }
        }
    }

    /// Compares an object that both have, as so many elements of a type.
    fn object(&mut self, number: u32, of: TypeId, count: u64) {
        let always = self.terms.truth(true);
        self.elements(number, of, count, always);
    }

    fn elements(&mut self, number: u32, of: TypeId, count: u64, condition: Term) {
        let (Some(one), Some(other)) = (self.original.get(number), self.mutant.get(number)) else { return };
        if one.is_untouched() && other.is_untouched() {
            return;
        }
        let (one, other) = (one.clone(), other.clone());
        for at in 0..count {
            self.value(of, &one, &other, 8 * self.program.size(of) * at, condition, DEPTH);
        }
    }

    /// Compares a value in memory, so many bits from the start of the object, if a condition holds.
    fn value(&mut self, of: TypeId, one: &Object, other: &Object, offset: u64, condition: Term, depth: u32) {
        let width = match self.program.of(of) {
            Type::Array { of, count } => {
                for at in 0..*count {
                    self.value(*of, one, other, offset + 8 * self.program.size(*of) * at, condition, depth);
                }
                return;
            }
            Type::Record(record) => {
                for field in self.program.parts(record) {
                    let offset = offset + field.offset;
                    match field.bits {
                        Some(bits) => self.bits(one, other, offset, bits, condition),
                        None => self.value(field.of, one, other, offset, condition, depth),
                    }
                }
                return;
            }
            Type::Opaque { size, .. } => {
                for at in 0..*size {
                    self.bits(one, other, offset + 8 * at, 8, condition);
                }
                return;
            }
            Type::Function { .. } => return,
            Type::Integer(scalar) => scalar.width,
            Type::Float(float) => float.width,
            Type::Pointer(_) => 64,
        };
        let (one, other) =
            (read_bits(self.terms, one, offset, width), read_bits(self.terms, other, offset, width));
        self.leaf(of, one, other, condition, depth);
    }

    fn bits(&mut self, one: &Object, other: &Object, offset: u64, width: u32, condition: Term) {
        let (one, other) =
            (read_bits(self.terms, one, offset, width), read_bits(self.terms, other, offset, width));
        let differs = self.terms.ne(one.word, other.word);
        self.differ(one, other, differs, condition);
    }

    fn leaf(&mut self, of: TypeId, one: Value<Term>, other: Value<Term>, condition: Term, depth: u32) {
        if one == other && !matches!(self.program.of(of), Type::Pointer(_)) {
            // What is unassigned on both sides is no difference either.
            return;
        }
        match self.program.of(of) {
            Type::Float(_) => {
                let (a, b) = (canonical(self.terms, one.word), canonical(self.terms, other.word));
                let differs = self.terms.ne(a, b);
                self.differ(one, other, differs, condition);
            }
            Type::Pointer(pointer) => self.pointer(pointer.to, one, other, condition, depth),
            _ => {
                let differs = self.terms.ne(one.word, other.word);
                self.differ(one, other, differs, condition);
            }
        }
    }

    /// Notes a difference where the original's value is assigned. One that is not assigned in the mutant differs.
    fn differ(&mut self, one: Value<Term>, other: Value<Term>, differs: Term, condition: Term) {
        let mut differs = differs;
        if let Some(mask) = other.undefined {
            let unassigned = self.any(mask);
            differs = self.terms.or(differs, unassigned);
        }
        let condition = self.where_assigned(one, condition);
        let differs = self.terms.and(condition, differs);
        self.seen = self.terms.or(self.seen, differs);
    }

    fn any(&mut self, mask: Term) -> Term {
        let width = self.terms.width(&mask);
        let zero = self.terms.constant(Word::zero(width));
        self.terms.ne(mask, zero)
    }

    /// The condition, where all of a value is assigned.
    fn where_assigned(&mut self, value: Value<Term>, condition: Term) -> Term {
        let Some(mask) = value.undefined else { return condition };
        let unassigned = self.any(mask);
        let assigned = self.terms.not(unassigned);
        self.terms.and(condition, assigned)
    }
}

/// A float with all NaNs made one.
pub fn canonical(terms: &mut Terms, word: Term) -> Term {
    let width = terms.width(&word);
    let is_number = terms.feq(word, word);
    let nan = terms.constant(bv::float::nan(width));
    terms.ite(is_number, word, nan)
}
