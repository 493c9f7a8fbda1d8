//! Where pointers lead, compared.
//!
//! Addresses mean nothing to a caller. A pointer into the input or to a global that a test can name is
//! compared as it is. A pointer to an object without a name, because the run made it or because it is static,
//! is compared by what the object holds.

use bv::formula::{and, equal, not, or, sle, sub, ule, ult};
use bv::{Term, Word};
use ir::observe::{Start, shown};
use ir::step::Value;
use ir::{GlobalId, Observation, Program, TypeId};

use super::{Comparison, Look, Sides};
use crate::memory::{Access, Object, Origin, Possible, SplitPointer, SymbolicMemory, bits_of, number};

/// Where a pointer leads, as far as a comparison is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Destination {
    /// Something that a test can name, or nothing.
    Named,
    /// An object that the caller knows nothing of.
    Nowhere,
    /// An object that the run made.
    Made,
    Static(GlobalId),
    StaticFunction,
}

/// A pointer in memory, as it is and in its parts.
#[derive(Clone, Copy)]
struct PointerValue {
    value: Value<Term>,
    pointer: SplitPointer,
}

/// A place in a global: its number and an offset.
#[derive(Clone, Copy)]
struct GlobalPlace {
    global: GlobalId,
    offset: Term,
}

impl Comparison<'_> {
    pub(super) fn pointer(&mut self, to: TypeId, values: Sides<Value<Term>>, look: Look) {
        let original = self.parts(values.original);
        let pointers = Sides { original, mutant: self.parts(values.mutant) };
        let apart = self.terms.ne(values.original.word, values.mutant.word);
        let Possible::Few(objects) = self.possible.of(self.terms, original.pointer.object) else {
            return self.differ(values, apart, look.condition);
        };
        // In the original, a pointer to neither null nor an object leads nowhere, and is not compared.
        // Neither is one to an object that has ended.
        for object_number in objects {
            let object_number = object_number as u32;
            let here = equal(original.pointer.object, number(object_number));
            let mut here = self.terms.and(look.condition, here);
            let memory = self.memory.original;
            let object = memory.get(object_number);
            if let Some(object) = object {
                here = self.terms.and(here, object.alive);
            }
            let look = Look { condition: here, ..look };
            match (self.destination(memory, object_number), object) {
                (Destination::Nowhere, _) => {}
                (Destination::Made, Some(object)) => {
                    self.made(to, object_number, object, pointers, look);
                }
                (destination @ (Destination::Static(_) | Destination::StaticFunction), _) => {
                    self.unnamed(to, object_number, destination, pointers, look);
                }
                (Destination::Named | Destination::Made, _) => self.differ(values, apart, here),
            }
        }
    }

    fn parts(&mut self, value: Value<Term>) -> PointerValue {
        let mut access = Access { terms: self.terms, possible: &mut self.possible, faults: vec![] };
        PointerValue { value, pointer: access.split(value.word) }
    }

    fn destination(&self, memory: &SymbolicMemory, number: u32) -> Destination {
        match memory.get(number).map(|object| object.origin) {
            Some(Origin::Heap | Origin::Local) => return Destination::Made,
            Some(Origin::Hidden) => return Destination::Nowhere,
            Some(Origin::Global | Origin::Input) | None => {}
        }
        let global = self.program.global_of(number);
        if let Some(id) = global.filter(|id| self.statics && self.program.is_hidden(*id)) {
            return Destination::Static(id);
        }
        match self.program.function_of(number) {
            Some(id) if self.statics && !self.program.function(id).external => Destination::StaticFunction,
            _ => Destination::Named,
        }
    }

    /// Compares an object that the original made with those that the mutant's pointer may lead to.
    fn made(
        &mut self,
        to: TypeId,
        object_number: u32,
        object: &Object,
        pointers: Sides<PointerValue>,
        look: Look,
    ) {
        let Sides { original, mutant } = pointers;
        let here = self.where_assigned(original.value, look.condition);
        let numbers = match self.possible.of(self.terms, mutant.pointer.object) {
            // No more pointers are followed.
            _ if look.depth == 0 => None,
            Possible::Few(_) if original.value.word == mutant.value.word => Some(vec![object_number.into()]),
            Possible::Few(numbers) => Some(numbers),
            Possible::Steps { .. } => None,
        };
        let Some(numbers) = numbers else { return self.doubt(here) };
        let mut found = self.terms.truth(false);
        let look = Look { condition: here, depth: look.depth - 1 };
        for other in numbers {
            let there = self.made_by_both(to, object, other as u32, pointers, look);
            found = self.terms.or(found, there);
        }
        let elsewhere = self.terms.not(found);
        self.differ(Sides { original: original.value, mutant: mutant.value }, elsewhere, here);
    }

    /// Compares an object that the original made with one that the mutant's pointer may lead to. Whether it
    /// does lead there, and the two can be compared.
    fn made_by_both(
        &mut self,
        to: TypeId,
        ours: &Object,
        other: u32,
        pointers: Sides<PointerValue>,
        look: Look,
    ) -> Term {
        let (a, b) = (pointers.original.pointer, pointers.mutant.pointer);
        let there = self.terms.equal(b.object, number(other));
        let memory = self.memory;
        let Some(theirs) = memory.mutant.get(other) else { return self.terms.truth(false) };
        let there = self.terms.and(there, theirs.alive);
        if self.destination(memory.mutant, other) == Destination::Made {
            let both = self.terms.and(look.condition, there);
            let moved = self.terms.ne(a.offset, b.offset);
            let less = or(moved, ult(theirs.size, ours.size));
            let less = self.terms.and(both, less);
            self.see(less);
            let condition = self.terms.and(both, not(moved));
            let objects = Sides { original: ours, mutant: theirs };
            self.contents(to, objects, a.offset, Look { condition, ..look });
            return there;
        }
        // The mutant may have kept an object that the original has moved. Only the interpreter compares
        // these.
        let lost = memory.original.get(other).filter(|_| theirs.origin == Origin::Input);
        let Some(lost) = lost else { return self.terms.truth(false) };
        let kept = self.terms.and(there, not(lost.alive));
        let doubtful = self.terms.and(look.condition, kept);
        self.doubt(doubtful);
        kept
    }

    /// Compares something that no test can name with what the mutant's pointer leads to.
    fn unnamed(
        &mut self,
        to: TypeId,
        object_number: u32,
        destination: Destination,
        pointers: Sides<PointerValue>,
        look: Look,
    ) {
        let Sides { original, mutant } = pointers;
        let apart = self.terms.ne(original.value.word, mutant.value.word);
        let numbers = match self.possible.of(self.terms, mutant.pointer.object) {
            Possible::Few(numbers) => numbers,
            Possible::Steps { .. } => vec![],
        };
        let here = self.where_assigned(original.value, look.condition);
        let mut elsewhere = apart;
        for other in numbers {
            let other = other as u32;
            let other_destination = self.destination(self.memory.mutant, other);
            if !destination.is_like(other_destination, self.program, other) {
                continue;
            }
            let there = self.terms.equal(mutant.pointer.object, number(other));
            let doubtful = self.terms.and(and(there, apart), here);
            let doubtful = self.where_assigned(mutant.value, doubtful);
            self.astray = self.terms.or(self.astray, doubtful);
            if let (Destination::Static(one), Destination::Static(other)) = (destination, other_destination)
                && look.depth > 0
            {
                let places = Sides {
                    original: GlobalPlace { global: one, offset: original.pointer.offset },
                    mutant: GlobalPlace { global: other, offset: mutant.pointer.offset },
                };
                self.constants(to, places, Look { condition: doubtful, ..look });
            }
            elsewhere = self.terms.and(elsewhere, not(there));
        }
        self.differ(Sides { original: original.value, mutant: mutant.value }, elsewhere, here);
        if look.depth > 0 && destination != Destination::StaticFunction {
            let condition = self.terms.and(here, not(apart));
            let look = Look { condition, depth: look.depth - 1 };
            self.variable(to, object_number, original.pointer.offset, look);
        }
    }

    /// Compares two pointers to different places that no test can name. Constants are compared. What
    /// variables hold at different places is not.
    fn constants(&mut self, to: TypeId, places: Sides<GlobalPlace>, look: Look) {
        let Sides { original, mutant } = places;
        let is_constant = |place: GlobalPlace| self.program.global(place.global).constant;
        let offsets = [original, mutant].map(|place| self.possible.of(self.terms, place.offset));
        let (true, [Possible::Few(our_offsets), Possible::Few(their_offsets)]) =
            (is_constant(original) && is_constant(mutant), offsets)
        else {
            return self.doubt(look.condition);
        };
        for ours in &our_offsets {
            for theirs in &their_offsets {
                let one = constant_shows(self.program, to, original.global, *ours, look.depth);
                let other = constant_shows(self.program, to, mutant.global, *theirs, look.depth);
                if !one.differs(&other) {
                    continue;
                }
                let one = equal(original.offset, number(*ours as u32));
                let other = equal(mutant.offset, number(*theirs as u32));
                let both = self.terms.and(one, other);
                let differ = self.terms.and(look.condition, both);
                self.see(differ);
            }
        }
    }

    /// Compares what two objects hold, from the same offset on.
    fn contents(&mut self, to: TypeId, objects: Sides<&Object>, offset: Term, look: Look) {
        let Sides { original, mutant } = objects;
        if self.terms.is_never(look.condition) {
            return;
        }
        let size = self.program.size(to).max(1);
        // Elements are compared where they lie if the object is full of them.
        let rest = self.terms.urem(offset, number(size as u32));
        let odd = self.any_bit(rest);
        let odd = self.terms.and(look.condition, odd);
        self.doubt(odd);
        for at in 0..u64::from(original.capacity.min(mutant.capacity)) / size {
            let (place, end) = (number((at * size) as u32), number(((at + 1) * size) as u32));
            let there = and(sle(offset, place), ule(end, original.size));
            let condition = self.terms.and(there, look.condition);
            if !self.terms.is_never(condition) {
                self.value(to, objects, 8 * at * size, Look { condition, ..look });
            }
            if self.terms.lack().is_some() {
                self.unclear = self.terms.truth(true);
                return;
            }
        }
    }

    /// Compares what a static variable holds, from an offset on that is the same on both sides, as far as a
    /// caller looks.
    fn variable(&mut self, to: TypeId, object_number: u32, offset: Term, look: Look) {
        let Some(objects) = self.memory.object(object_number) else { return };
        if objects.original.is_untouched() && objects.mutant.is_untouched() {
            return;
        }
        let size = self.program.size(to).max(1);
        let window = number((self.program.window(to) * size) as u32);
        let mut goes_on = look.condition;
        for at in 0..u64::from(objects.original.capacity) / size {
            let place = number((at * size) as u32);
            let reached = self.terms.sle(offset, place);
            let near = ult(sub(place, offset), window);
            let condition = self.terms.and(and(reached, near), goes_on);
            if self.terms.is_never(condition) {
                continue;
            }
            self.value(to, objects, 8 * at * size, Look { condition, ..look });
            if self.program.is_text(to) {
                // Nobody reads on after the end of a text.
                let byte = bits_of(self.terms, objects.original, 8 * at, 8);
                let more = self.terms.ne(byte.word, Word::zero(8));
                let more = self.terms.implies(reached, more);
                goes_on = self.terms.and(goes_on, more);
            }
        }
    }
}

impl Destination {
    /// Whether a test cannot tell two objects apart by where they come from.
    fn is_like(self, other: Destination, program: &Program, number: u32) -> bool {
        match (self, other) {
            (Destination::Static(_), Destination::Static(_)) => true,
            (Destination::StaticFunction, _) => program.function_of(number).is_some(),
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
