//! What a caller can tell apart: the observations of two encodings, compared by the types of C.
//!
//! The rules are those of [`ir::Observation`]. Memory that the original has freed is not compared. Memory
//! that only the mutant has freed, or made smaller, differs. Where pointers lead is for `compare/pointer.rs`.
//!
//! Always, for an input on which both return: a test can see a difference iff `seen`, and only the file
//! itself can iff `hidden`, and only a called function can iff `beyond`, unless `unclear` holds.

mod pointer;

use bv::formula::{and, not};
use bv::{Domain, Term, Terms, Word};
use ir::observe::DEPTH;
use ir::step::Value;
use ir::{Global, GlobalId, Program, Type, TypeId};

use super::Encoding;
use super::outside::List;
use crate::memory::{Object, Possibilities, SymbolicMemory, bits_of};
use crate::skeleton::{InputObject, Skeleton};

/// What tells two runs apart, as truth values.
pub struct Difference {
    /// A test can see it.
    pub seen: Term,
    /// Only the file itself can see it: a static variable, or which one a pointer leads to.
    pub hidden: Term,
    /// Only a function that is called can see it: an argument that no stub has a parameter for.
    pub beyond: Term,
    /// We cannot tell: a pointer leads to what cannot be compared here, or too many pointers follow each
    /// other.
    pub unclear: Term,
}

impl Difference {
    /// The mutant stops, or is observed differently, and we can be sure of it.
    pub(crate) fn is_seen(&self, terms: &mut Terms, mutant: &Encoding) -> Term {
        let observed = terms.or(mutant.fault, and(mutant.returned, self.seen));
        self.surely(terms, mutant, observed)
    }

    /// This holds of the mutant, and we can be sure of it.
    pub(crate) fn surely(&self, terms: &mut Terms, mutant: &Encoding, holds: Term) -> Term {
        let unsure = terms.or(mutant.unsupported, self.unclear);
        terms.and(holds, not(unsure))
    }
}

/// How an original that returns differs from a mutant that does.
pub fn difference(
    terms: &mut Terms,
    inputs: &Skeleton,
    original: &Encoding,
    mutant: &Encoding,
) -> Difference {
    let program = inputs.program;
    let never = terms.truth(false);
    let mut comparison = Comparison {
        program,
        terms,
        possible: Possibilities::default(),
        memory: Sides { original: &original.state.memory, mutant: &mutant.state.memory },
        seen: never,
        unclear: never,
        astray: never,
        statics: true,
    };
    let of = program.function(inputs.subject).signature.result;
    match (original.result_object, of) {
        (Some(object), Some(of)) => comparison.object(object, of),
        (_, Some(of)) => {
            if let (Some(original), Some(mutant)) = (original.result, mutant.result) {
                let condition = comparison.terms.truth(true);
                comparison.leaf(of, Sides { original, mutant }, Look { condition, depth: DEPTH });
            }
        }
        _ => {}
    }
    for (at, object) in inputs.objects.iter().enumerate() {
        comparison.input(program.input_object() + at as u32, object);
    }
    comparison.globals(|global| global.external);
    let (calls, others) = (&original.state.outside, &mutant.state.outside);
    comparison.calls(&calls.seen, &others.seen);
    let seen = std::mem::replace(&mut comparison.seen, never);
    // Static variables are all compared where they are, so that no pointer has to be followed there.
    comparison.statics = false;
    comparison.globals(|global| !global.external);
    let hidden = std::mem::replace(&mut comparison.seen, never);
    comparison.calls(&calls.beyond, &others.beyond);
    let Comparison { seen: beyond, unclear, astray, terms, .. } = comparison;
    Difference { seen, hidden: terms.or(hidden, astray), beyond, unclear }
}

struct Comparison<'a> {
    program: &'a Program,
    terms: &'a mut Terms,
    possible: Possibilities,
    memory: Sides<&'a SymbolicMemory>,
    seen: Term,
    unclear: Term,
    /// Pointers lead to different things that no test can name.
    astray: Term,
    /// Whether pointers are followed into static variables.
    statics: bool,
}

/// The same thing of both runs.
#[derive(Clone, Copy)]
struct Sides<T> {
    original: T,
    mutant: T,
}

/// When something is looked at, and how many pointers are followed from there.
#[derive(Clone, Copy)]
struct Look {
    condition: Term,
    depth: u32,
}

impl<'m> Sides<&'m SymbolicMemory> {
    /// An object that both have.
    fn object(self, number: u32) -> Option<Sides<&'m Object>> {
        Some(Sides { original: self.original.get(number)?, mutant: self.mutant.get(number)? })
    }
}

impl Comparison<'_> {
    fn globals(&mut self, which: impl Fn(&Global) -> bool) {
        for (at, global) in self.program.globals.iter().enumerate() {
            if !global.constant && which(global) {
                self.object(self.program.global_object(GlobalId(at as u32)), global.of);
            }
        }
    }

    fn calls(&mut self, one: &List, other: &List) {
        let (zero, none) = (self.terms.constant(Word::zero(64)), self.terms.constant(Word::zero(32)));
        let differs = self.terms.ne(one.length.unwrap_or(none), other.length.unwrap_or(none));
        self.see(differs);
        for at in 0..one.words.len().max(other.words.len()) {
            let word = |words: &[Term]| words.get(at).copied().unwrap_or(zero);
            let differs = self.terms.ne(word(&one.words), word(&other.words));
            self.see(differs);
        }
    }

    /// Compares an object of the caller. Nobody may look at it if the original has freed it. If only the
    /// mutant has freed it, the caller still uses it.
    fn input(&mut self, number: u32, input: &InputObject) {
        let Some(Sides { original, mutant }) = self.memory.object(number) else { return };
        let count = u64::from(original.capacity) / self.program.size(input.of).max(1);
        let words = original.expanse.as_ref().zip(mutant.expanse.as_ref());
        let words = words.map(|(one, other)| one.differs(self.terms, other));
        let freed = self.terms.and(original.alive, not(mutant.alive));
        self.see(freed);
        let both = self.terms.and(original.alive, mutant.alive);
        match words {
            Some(differ) => {
                let differ = self.terms.and(both, differ);
                self.see(differ);
            }
            // A constant object may have been written, too, by way of a cast.
            None => self.elements(number, input.of, count, both),
        }
    }

    /// Compares an object that both have, as a value of a type.
    fn object(&mut self, number: u32, of: TypeId) {
        let always = self.terms.truth(true);
        self.elements(number, of, 1, always);
    }

    /// Compares an object that both have, as so many elements of a type, if a condition holds.
    fn elements(&mut self, number: u32, of: TypeId, count: u64, condition: Term) {
        let Some(objects) = self.memory.object(number) else { return };
        if objects.original.is_untouched() && objects.mutant.is_untouched() {
            return;
        }
        for at in 0..count {
            let offset = 8 * self.program.size(of) * at;
            self.value(of, objects, offset, Look { condition, depth: DEPTH });
        }
    }

    /// Compares a value in memory, so many bits from the start of the object.
    fn value(&mut self, of: TypeId, objects: Sides<&Object>, offset: u64, look: Look) {
        let width = match self.program.of(of) {
            Type::Array { of, count } => {
                for at in 0..*count {
                    self.value(*of, objects, offset + 8 * self.program.size(*of) * at, look);
                }
                return;
            }
            Type::Record(record) => {
                for field in self.program.parts(record) {
                    let offset = offset + field.offset;
                    match field.bits {
                        Some(bits) => self.bits(objects, offset, bits, look.condition),
                        None => self.value(field.of, objects, offset, look),
                    }
                }
                return;
            }
            Type::Opaque { size, .. } => {
                for at in 0..*size {
                    self.bits(objects, offset + 8 * at, 8, look.condition);
                }
                return;
            }
            Type::Function { .. } => return,
            Type::Integer(scalar) => scalar.width,
            Type::Float(float) => float.width,
            Type::Pointer(_) => 64,
        };
        let values = self.read(objects, offset, width);
        self.leaf(of, values, look);
    }

    fn read(&mut self, objects: Sides<&Object>, offset: u64, width: u32) -> Sides<Value<Term>> {
        let original = bits_of(self.terms, objects.original, offset, width);
        Sides { original, mutant: bits_of(self.terms, objects.mutant, offset, width) }
    }

    fn bits(&mut self, objects: Sides<&Object>, offset: u64, width: u32, condition: Term) {
        let values = self.read(objects, offset, width);
        let differs = self.terms.ne(values.original.word, values.mutant.word);
        self.differ(values, differs, condition);
    }

    /// Compares a number or a pointer. If there is no fuel for more terms, nothing can be told any more.
    fn leaf(&mut self, of: TypeId, values: Sides<Value<Term>>, look: Look) {
        if self.terms.lack().is_some() {
            self.unclear = self.terms.truth(true);
            return;
        }
        let Sides { original, mutant } = values;
        if original == mutant && !matches!(self.program.of(of), Type::Pointer(_)) {
            // Bits that are unassigned on both sides are no difference either.
            return;
        }
        let differs = match self.program.of(of) {
            Type::Pointer(pointer) => return self.pointer(pointer.to, values, look),
            Type::Float(_) => {
                let (a, b) = (canonical(self.terms, original.word), canonical(self.terms, mutant.word));
                self.terms.ne(a, b)
            }
            _ => self.terms.ne(original.word, mutant.word),
        };
        self.differ(values, differs, look.condition);
    }

    /// Notes a difference where the original's value is assigned. A value that is not assigned in the mutant
    /// differs.
    fn differ(&mut self, values: Sides<Value<Term>>, differs: Term, condition: Term) {
        let mut differs = differs;
        if let Some(mask) = values.mutant.undefined {
            let unassigned = self.any_bit(mask);
            differs = self.terms.or(differs, unassigned);
        }
        let condition = self.where_assigned(values.original, condition);
        let differs = self.terms.and(condition, differs);
        self.see(differs);
    }

    /// A test can see a difference if this holds.
    fn see(&mut self, differs: Term) {
        self.seen = self.terms.or(self.seen, differs);
    }

    /// We cannot tell if this holds.
    fn doubt(&mut self, doubtful: Term) {
        self.unclear = self.terms.or(self.unclear, doubtful);
    }

    fn any_bit(&mut self, mask: Term) -> Term {
        let width = self.terms.width(&mask);
        self.terms.ne(mask, Word::zero(width))
    }

    /// The condition, where all of a value is assigned.
    fn where_assigned(&mut self, value: Value<Term>, condition: Term) -> Term {
        let Some(mask) = value.undefined else { return condition };
        let unassigned = self.any_bit(mask);
        self.terms.and(condition, not(unassigned))
    }
}

/// A float with all NaNs made one.
pub(super) fn canonical(terms: &mut Terms, word: Term) -> Term {
    let width = terms.width(&word);
    let is_number = terms.feq(word, word);
    terms.ite(is_number, word, bv::float::nan(width))
}
