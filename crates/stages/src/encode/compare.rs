//! What a caller can tell apart: the observations of two encodings, compared by the types of C.
//!
//! Addresses mean nothing to a caller. A pointer into the input or a global is compared as it is; one to an object
//! that has no name, because the run made it or because it is static, is compared by what the object holds.

use bv::{Domain, Op, Term, Terms, Word};
use ir::observe::{DEPTH, Start};
use ir::step::Value;
use ir::{FunctionId, GlobalId, Program, Type, TypeId};

use super::Encoding;
use super::memory::{Access, Memory, read_bits};
use super::object::{Object, Origin};
use super::possible::{Possibilities, Possible};
use crate::skeleton::Skeleton;

/// What tells two runs apart, as truth values.
pub struct Difference {
    /// A test can see it.
    pub seen: Term,
    /// Only the file itself can: a static variable, or which one a pointer leads to.
    pub hidden: Term,
    /// We cannot tell: both lead to objects that have no name, but not to the same place.
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

/// What a pointer leads to, as far as a comparison is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Something that a test can name, or nothing.
    Named,
    Made,
    Static(GlobalId),
    StaticFunction,
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
    for (at, shape) in inputs.objects.iter().enumerate().filter(|(_, shape)| !shape.constant) {
        let count =
            comparison.original.get(program.input_object() + at as u32).map_or(0, |object| object.capacity);
        let count = u64::from(count) / program.size(shape.of).max(1);
        comparison.object(program.input_object() + at as u32, shape.of, count);
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
        let differs = self.terms.apply(Op::Ne, &[one.length.unwrap_or(none), other.length.unwrap_or(none)]);
        self.seen = self.terms.or(self.seen, differs);
        for at in 0..one.words.len().max(other.words.len()) {
            let word = |words: &[Term]| words.get(at).copied().unwrap_or(zero);
            let differs = self.terms.apply(Op::Ne, &[word(&one.words), word(&other.words)]);
            self.seen = self.terms.or(self.seen, differs);
        }
    }

    /// Compares an object that both have, as so many elements of a type.
    fn object(&mut self, number: u32, of: TypeId, count: u64) {
        let (Some(one), Some(other)) = (self.original.get(number), self.mutant.get(number)) else { return };
        if one.is_untouched() && other.is_untouched() {
            return;
        }
        let (one, other) = (one.clone(), other.clone());
        let always = self.terms.truth(true);
        for at in 0..count {
            self.value(of, &one, &other, 8 * self.program.size(of) * at, always, DEPTH);
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
        let differs = self.terms.apply(Op::Ne, &[one.word, other.word]);
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
                let differs = self.terms.apply(Op::Ne, &[a, b]);
                self.differ(one, other, differs, condition);
            }
            Type::Pointer(pointer) => self.pointer(pointer.to, one, other, condition, depth),
            _ => {
                let differs = self.terms.apply(Op::Ne, &[one.word, other.word]);
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
        if let Some(mask) = one.undefined {
            let unassigned = self.any(mask);
            let assigned = self.terms.not(unassigned);
            differs = self.terms.and(differs, assigned);
        }
        let differs = self.terms.and(condition, differs);
        self.seen = self.terms.or(self.seen, differs);
    }

    fn any(&mut self, mask: Term) -> Term {
        let width = self.terms.width(&mask);
        let zero = self.terms.constant(Word::zero(width));
        self.terms.apply(Op::Ne, &[mask, zero])
    }

    fn pointer(&mut self, to: TypeId, one: Value<Term>, other: Value<Term>, condition: Term, depth: u32) {
        let mut access = Access { terms: self.terms, possible: &mut self.possible, faults: vec![] };
        let (a, b) = (access.split(one.word), access.split(other.word));
        let apart = self.terms.apply(Op::Ne, &[one.word, other.word]);
        let Possible::Few(objects) = self.possible.of(self.terms, a.object) else {
            return self.differ(one, other, apart, condition);
        };
        let theirs = match self.possible.of(self.terms, b.object) {
            Possible::Few(theirs) => theirs,
            Possible::Steps { .. } => vec![],
        };
        // What is neither null nor an object is, in the original, a way to nowhere, and not compared.
        for number in objects {
            let constant = self.terms.constant(Word::new(32, number.into()));
            let here = self.terms.equal(a.object, constant);
            let mut here = self.terms.and(condition, here);
            let kind = self.kind(self.original, number);
            if kind == Kind::Named {
                self.differ(one, other, apart, here);
                continue;
            }
            if let (Kind::Made, Some(object)) = (kind, self.original.get(number as u32)) {
                here = self.terms.and(here, object.alive);
            }
            let mut elsewhere = apart;
            for theirs in &theirs {
                let other_kind = self.kind(self.mutant, *theirs);
                if !kind.is_like(other_kind, self.program, *theirs) {
                    continue;
                }
                let constant = self.terms.constant(Word::new(32, (*theirs).into()));
                let mut there = self.terms.equal(b.object, constant);
                if let (Kind::Made, Some(object)) = (other_kind, self.mutant.get(*theirs as u32)) {
                    there = self.terms.and(there, object.alive);
                }
                let doubtful = self.terms.and(there, apart);
                let doubtful = self.terms.and(doubtful, here);
                match (kind, other_kind) {
                    (Kind::Static(ours), Kind::Static(theirs)) if depth > 0 => {
                        self.constants(to, (ours, a.offset), (theirs, b.offset), doubtful, depth);
                    }
                    (Kind::Made, _) => self.unclear = self.terms.or(self.unclear, doubtful),
                    _ => self.astray = self.terms.or(self.astray, doubtful),
                }
                let not_there = self.terms.not(there);
                elsewhere = self.terms.and(elsewhere, not_there);
            }
            self.differ(one, other, elsewhere, here);
            let together = self.terms.not(apart);
            let together = self.terms.and(here, together);
            if depth > 0 && kind != Kind::StaticFunction {
                self.contents(number as u32, kind, to, a.offset, together, depth - 1);
            }
        }
    }

    fn kind(&self, memory: &Memory, number: u64) -> Kind {
        let number = number as u32;
        let made = |object: &Object| matches!(object.origin, Origin::Heap | Origin::Local);
        if memory.get(number).is_some_and(made) {
            return Kind::Made;
        }
        let global = number.checked_sub(1).map(GlobalId);
        let global = global.filter(|id| (id.0 as usize) < self.program.globals.len());
        if let Some(id) = global.filter(|id| self.statics && self.program.is_hidden(*id)) {
            return Kind::Static(id);
        }
        match self.program.function_of(number) {
            Some(id) if self.statics && !self.program.function(id).external => Kind::StaticFunction,
            _ => Kind::Named,
        }
    }

    /// Two pointers to different places that no test can name. Constants are what they are; what variables hold at
    /// different places is not compared.
    fn constants(
        &mut self,
        to: TypeId,
        ours: (GlobalId, Term),
        theirs: (GlobalId, Term),
        condition: Term,
        depth: u32,
    ) {
        self.astray = self.terms.or(self.astray, condition);
        let constant = |id: GlobalId| self.program.global(id).constant;
        let places = (self.possible.of(self.terms, ours.1), self.possible.of(self.terms, theirs.1));
        let (true, (Possible::Few(our_places), Possible::Few(their_places))) =
            (constant(ours.0) && constant(theirs.0), places)
        else {
            self.unclear = self.terms.or(self.unclear, condition);
            return;
        };
        for our_place in &our_places {
            for their_place in &their_places {
                let one = shown(self.program, to, ours.0, *our_place, depth);
                let other = shown(self.program, to, theirs.0, *their_place, depth);
                if !one.differs(&other) {
                    continue;
                }
                let place = |terms: &mut Terms, offset: Term, place: u64| {
                    let place = terms.constant(Word::new(32, place.into()));
                    terms.equal(offset, place)
                };
                let one = place(self.terms, ours.1, *our_place);
                let other = place(self.terms, theirs.1, *their_place);
                let both = self.terms.and(one, other);
                let differ = self.terms.and(condition, both);
                self.seen = self.terms.or(self.seen, differ);
            }
        }
    }

    /// Compares an object that both have, from where the pointers point to.
    fn contents(&mut self, number: u32, kind: Kind, to: TypeId, offset: Term, condition: Term, depth: u32) {
        let (Some(ours), Some(theirs)) = (self.original.get(number), self.mutant.get(number)) else { return };
        if ours.is_untouched() && theirs.is_untouched() {
            return;
        }
        let (ours, theirs) = (ours.clone(), theirs.clone());
        let is_static = matches!(kind, Kind::Static(_));
        let size = self.program.size(to).max(1);
        let mut goes_on = self.terms.truth(true);
        for at in 0..u64::from(ours.capacity) / size {
            let place = self.terms.constant(Word::new(32, u128::from(at * size)));
            let end = self.terms.constant(Word::new(32, u128::from((at + 1) * size)));
            let reached = self.terms.apply(Op::Sle, &[offset, place]);
            let inside = self.terms.apply(Op::Ule, &[end, ours.size]);
            let there = self.terms.and(reached, inside);
            let mut there = self.terms.and(there, condition);
            if is_static {
                let distance = self.terms.apply(Op::Sub, &[place, offset]);
                let window = self.terms.constant(Word::new(32, u128::from(self.program.window(to) * size)));
                let near = self.terms.apply(Op::Ult, &[distance, window]);
                there = self.terms.and(there, near);
                there = self.terms.and(there, goes_on);
            }
            if self.terms.known(&there) == Some(Word::truth(false)) {
                continue;
            }
            self.value(to, &ours, &theirs, 8 * at * size, there, depth);
            if is_static && self.program.is_text(to) {
                // Nobody reads on after the end of a text.
                let byte = read_bits(self.terms, &ours, 8 * at, 8);
                let zero = self.terms.constant(Word::zero(8));
                let more = self.terms.apply(Op::Ne, &[byte.word, zero]);
                let before = self.terms.not(reached);
                let more = self.terms.or(before, more);
                goes_on = self.terms.and(goes_on, more);
            }
        }
    }
}

impl Kind {
    /// Whether a test cannot tell the two apart by their kind.
    fn is_like(self, other: Kind, program: &Program, number: u64) -> bool {
        match (self, other) {
            (Kind::Made, Kind::Made) | (Kind::Static(_), Kind::Static(_)) => true,
            (Kind::StaticFunction, _) => program.function_of(number as u32).is_some(),
            _ => false,
        }
    }
}

/// What a pointer to a place in a constant shows.
fn shown(program: &Program, to: TypeId, global: GlobalId, place: u64, depth: u32) -> ir::Seen {
    let bits = u64::from(program.global_object(global)) << 32 | place;
    ir::observe::shown(program, to, bits, &Start(program), depth)
}

/// A float with all NaNs made one.
pub fn canonical(terms: &mut Terms, word: Term) -> Term {
    let width = terms.width(&word);
    let is_number = terms.apply(Op::FEq, &[word, word]);
    let nan = terms.constant(bv::float::nan(width));
    terms.ite(is_number, word, nan)
}
