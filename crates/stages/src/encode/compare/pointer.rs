//! Where pointers lead, compared.
//!
//! Addresses mean nothing to a caller. A pointer into the input or to a global is compared as it is; one to an object
//! that has no name, because the run made it or because it is static, is compared by what the object holds.

use bv::{Domain, Term, Terms, Word};
use ir::observe::{Start, shown};
use ir::step::Value;
use ir::{GlobalId, Observation, Program, TypeId};

use super::Comparison;
use crate::encode::memory::{Access, Memory, Pointer, read_bits};
use crate::encode::object::{Object, Origin};
use crate::encode::possible::Possible;

/// What a pointer leads to, as far as a comparison is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Something that a test can name, or nothing.
    Named,
    /// What the caller knows nothing of.
    Nowhere,
    Made,
    Static(GlobalId),
    StaticFunction,
}

/// A pointer in memory, as it is and in its parts.
#[derive(Clone, Copy)]
struct Side {
    value: Value<Term>,
    pointer: Pointer,
}

impl Comparison<'_> {
    pub(super) fn pointer(
        &mut self,
        to: TypeId,
        one: Value<Term>,
        other: Value<Term>,
        condition: Term,
        depth: u32,
    ) {
        let (ours, theirs) = (self.side(one), self.side(other));
        let apart = self.terms.ne(one.word, other.word);
        let Possible::Few(objects) = self.possible.of(self.terms, ours.pointer.object) else {
            return self.differ(one, other, apart, condition);
        };
        // What is neither null nor an object is, in the original, a way to nowhere, and not compared. So is what has ended.
        for number in objects {
            let here = self.is_object(ours.pointer.object, number);
            let mut here = self.terms.and(condition, here);
            let object = self.original.get(number as u32).cloned();
            if let Some(object) = &object {
                here = self.terms.and(here, object.alive);
            }
            match (self.kind(self.original, number), object) {
                (Kind::Nowhere, _) => {}
                (Kind::Made, Some(object)) => self.made(to, (&object, ours), (number, theirs), here, depth),
                (kind @ (Kind::Static(_) | Kind::StaticFunction), _) => {
                    self.unnamed(to, (kind, number, ours), theirs, here, depth);
                }
                (Kind::Named | Kind::Made, _) => self.differ(one, other, apart, here),
            }
        }
    }

    fn side(&mut self, value: Value<Term>) -> Side {
        let mut access = Access { terms: self.terms, possible: &mut self.possible, faults: vec![] };
        Side { value, pointer: access.split(value.word) }
    }

    fn kind(&self, memory: &Memory, number: u64) -> Kind {
        let number = number as u32;
        match memory.get(number).map(|object| object.origin) {
            Some(Origin::Heap | Origin::Local) => return Kind::Made,
            Some(Origin::Hidden) => return Kind::Nowhere,
            Some(Origin::Global | Origin::Input) | None => {}
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

    /// Compares an object that the original made, where its pointer leads under a condition, with those that the mutant's
    /// pointer may lead to.
    fn made(
        &mut self,
        to: TypeId,
        (object, ours): (&Object, Side),
        (number, theirs): (u64, Side),
        condition: Term,
        depth: u32,
    ) {
        let here = self.where_assigned(ours.value, condition);
        let numbers = match self.possible.of(self.terms, theirs.pointer.object) {
            // At the end of the way, nobody looks any further.
            _ if depth == 0 => None,
            Possible::Few(_) if ours.value.word == theirs.value.word => Some(vec![number]),
            Possible::Few(numbers) => Some(numbers),
            Possible::Steps { .. } => None,
        };
        let Some(numbers) = numbers else {
            self.unclear = self.terms.or(self.unclear, here);
            return;
        };
        let mut found = self.terms.truth(false);
        for number in numbers {
            let there = self.made_by_both(to, (object, ours), (number, theirs), here, depth - 1);
            found = self.terms.or(found, there);
        }
        let elsewhere = self.terms.not(found);
        self.differ(ours.value, theirs.value, elsewhere, here);
    }

    /// Compares an object that the original made with one that the mutant's pointer may lead to. Whether it does lead there, and
    /// the two can be compared.
    fn made_by_both(
        &mut self,
        to: TypeId,
        (ours, a): (&Object, Side),
        (number, b): (u64, Side),
        condition: Term,
        depth: u32,
    ) -> Term {
        let (a, b) = (a.pointer, b.pointer);
        let there = self.is_object(b.object, number);
        let Some(theirs) = self.mutant.get(number as u32).cloned() else { return self.terms.truth(false) };
        let there = self.terms.and(there, theirs.alive);
        if self.kind(self.mutant, number) == Kind::Made {
            let both = self.terms.and(condition, there);
            let moved = self.terms.ne(a.offset, b.offset);
            let smaller = self.terms.ult(theirs.size, ours.size);
            let less = self.terms.or(moved, smaller);
            let less = self.terms.and(both, less);
            self.seen = self.terms.or(self.seen, less);
            let together = self.terms.not(moved);
            let together = self.terms.and(both, together);
            self.contents(to, (ours, &theirs), a.offset, together, depth);
            return there;
        }
        // It may have kept what the original has moved, and then nobody but the interpreter compares them.
        let Some(lost) = self.original.get(number as u32).filter(|_| theirs.origin == Origin::Input) else {
            return self.terms.truth(false);
        };
        let lost = self.terms.not(lost.alive);
        let kept = self.terms.and(there, lost);
        let doubtful = self.terms.and(condition, kept);
        self.unclear = self.terms.or(self.unclear, doubtful);
        kept
    }

    /// Compares what no test can name with what the mutant's pointer leads to.
    fn unnamed(
        &mut self,
        to: TypeId,
        (kind, number, ours): (Kind, u64, Side),
        theirs: Side,
        condition: Term,
        depth: u32,
    ) {
        let apart = self.terms.ne(ours.value.word, theirs.value.word);
        let numbers = match self.possible.of(self.terms, theirs.pointer.object) {
            Possible::Few(numbers) => numbers,
            Possible::Steps { .. } => vec![],
        };
        let here = self.where_assigned(ours.value, condition);
        let mut elsewhere = apart;
        for number in numbers {
            let other_kind = self.kind(self.mutant, number);
            if !kind.is_like(other_kind, self.program, number) {
                continue;
            }
            let there = self.is_object(theirs.pointer.object, number);
            let doubtful = self.terms.and(there, apart);
            let doubtful = self.terms.and(doubtful, here);
            let doubtful = self.where_assigned(theirs.value, doubtful);
            self.astray = self.terms.or(self.astray, doubtful);
            if let (Kind::Static(one), Kind::Static(other)) = (kind, other_kind)
                && depth > 0
            {
                let places = ((one, ours.pointer.offset), (other, theirs.pointer.offset));
                self.constants(to, places, doubtful, depth);
            }
            let not_there = self.terms.not(there);
            elsewhere = self.terms.and(elsewhere, not_there);
        }
        self.differ(ours.value, theirs.value, elsewhere, here);
        if depth > 0 && kind != Kind::StaticFunction {
            let together = self.terms.not(apart);
            let together = self.terms.and(here, together);
            self.variable(to, number as u32, ours.pointer.offset, together, depth - 1);
        }
    }

    /// Two pointers to different places that no test can name. Constants are what they are; what variables hold at
    /// different places is not compared.
    fn constants(
        &mut self,
        to: TypeId,
        (ours, theirs): ((GlobalId, Term), (GlobalId, Term)),
        condition: Term,
        depth: u32,
    ) {
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
                let one = constant_shows(self.program, to, ours.0, *our_place, depth);
                let other = constant_shows(self.program, to, theirs.0, *their_place, depth);
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

    /// Compares what two objects hold, from the same offset on.
    fn contents(
        &mut self,
        to: TypeId,
        (ours, theirs): (&Object, &Object),
        offset: Term,
        condition: Term,
        depth: u32,
    ) {
        if self.terms.known(&condition) == Some(Word::truth(false)) {
            return;
        }
        let size = self.program.size(to).max(1);
        // Elements are looked for where they lie if the object is full of them.
        let elements = self.terms.constant(Word::new(32, size.into()));
        let odd = self.terms.urem(offset, elements);
        let odd = self.any(odd);
        let odd = self.terms.and(condition, odd);
        self.unclear = self.terms.or(self.unclear, odd);
        for at in 0..u64::from(ours.capacity.min(theirs.capacity)) / size {
            let place = self.terms.constant(Word::new(32, u128::from(at * size)));
            let end = self.terms.constant(Word::new(32, u128::from((at + 1) * size)));
            let reached = self.terms.sle(offset, place);
            let inside = self.terms.ule(end, ours.size);
            let there = self.terms.and(reached, inside);
            let there = self.terms.and(there, condition);
            if self.terms.known(&there) != Some(Word::truth(false)) {
                self.value(to, ours, theirs, 8 * at * size, there, depth);
            }
        }
    }

    /// Compares what a static variable holds, from an offset on that is the same on both sides: as much as is looked at.
    fn variable(&mut self, to: TypeId, number: u32, offset: Term, condition: Term, depth: u32) {
        let (Some(ours), Some(theirs)) = (self.original.get(number), self.mutant.get(number)) else { return };
        if ours.is_untouched() && theirs.is_untouched() {
            return;
        }
        let (ours, theirs) = (ours.clone(), theirs.clone());
        let size = self.program.size(to).max(1);
        let window = self.terms.constant(Word::new(32, u128::from(self.program.window(to) * size)));
        let mut goes_on = condition;
        for at in 0..u64::from(ours.capacity) / size {
            let place = self.terms.constant(Word::new(32, u128::from(at * size)));
            let reached = self.terms.sle(offset, place);
            let distance = self.terms.sub(place, offset);
            let near = self.terms.ult(distance, window);
            let there = self.terms.and(reached, near);
            let there = self.terms.and(there, goes_on);
            if self.terms.known(&there) == Some(Word::truth(false)) {
                continue;
            }
            self.value(to, &ours, &theirs, 8 * at * size, there, depth);
            if self.program.is_text(to) {
                // Nobody reads on after the end of a text.
                let byte = read_bits(self.terms, &ours, 8 * at, 8);
                let zero = self.terms.constant(Word::zero(8));
                let more = self.terms.ne(byte.word, zero);
                let before = self.terms.not(reached);
                let more = self.terms.or(before, more);
                goes_on = self.terms.and(goes_on, more);
            }
        }
    }

    fn is_object(&mut self, object: Term, number: u64) -> Term {
        let constant = self.terms.constant(Word::new(32, number.into()));
        self.terms.equal(object, constant)
    }
}

impl Kind {
    /// Whether a test cannot tell the two apart by their kind.
    fn is_like(self, other: Kind, program: &Program, number: u64) -> bool {
        match (self, other) {
            (Kind::Static(_), Kind::Static(_)) => true,
            (Kind::StaticFunction, _) => program.function_of(number as u32).is_some(),
            _ => false,
        }
    }
}

/// What a pointer to a place in a constant shows.
fn constant_shows(program: &Program, to: TypeId, global: GlobalId, place: u64, depth: u32) -> Observation {
    let bits = u64::from(program.global_object(global)) << 32 | place;
    let result = Some(shown(program, to, bits, &Start(program), depth));
    Observation { result, ..Observation::default() }
}
