//! Inputs in memory: where each value of an input lies when the subject is called.

use bv::formula::equal;
use bv::{Domain, Term, Terms, Word};
use ir::step::Value;
use ir::{Type, TypeId};
use std::rc::Rc;

use super::{InputPointer, Skeleton, Slot};
use crate::memory::{Expanse, Object, Origin, SymbolicMemory, number, put_bits};

impl Skeleton<'_> {
    /// Puts the objects of the input into memory.
    pub(crate) fn lay_out_objects(&self, terms: &mut Terms, memory: &mut SymbolicMemory) {
        for (at, input) in self.objects.iter().enumerate() {
            let size = self.program.size(input.of) as u32;
            let length = terms.mul(input.count, number(size));
            let alive = terms.truth(true);
            let object_number = self.program.input_object() + at as u32;
            if let Some(words) = &input.words {
                let words = Expanse::new(Rc::clone(words));
                memory.insert(object_number, Object::vast(Origin::Input, alive, length, words));
                continue;
            }
            // Nothing is assigned between the fields of a struct.
            let capacity = size * input.elements.len() as u32;
            let mut object = Object::new(Origin::Input, alive, length, capacity);
            let mut layout = Layout { inputs: self, terms, object: &mut object };
            for (at, slot) in input.elements.iter().enumerate() {
                layout.put(input.of, slot, 8 * u64::from(size) * at as u64);
            }
            memory.insert(object_number, object);
        }
    }

    /// Puts a value of a type at the start of an object.
    pub(crate) fn lay_out(&self, terms: &mut Terms, object: &mut Object, of: TypeId, slot: &Slot) {
        Layout { inputs: self, terms, object }.put(of, slot, 0);
    }

    /// A value that is not an aggregate, as a word.
    pub(crate) fn word(&self, terms: &mut Terms, slot: &Slot) -> Term {
        match slot {
            Slot::Word(term) => *term,
            Slot::Null | Slot::Aggregate(_) => terms.constant(Word::zero(64)),
            Slot::Pointer(pointer) => self.pointer(terms, pointer),
            Slot::Function { choice, candidates } => {
                let mut object = terms.constant(Word::zero(32));
                for (at, function) in candidates.iter().enumerate() {
                    let chosen = equal(*choice, Word::new(8, at as u128));
                    object = terms.ite(chosen, number(self.program.function_object(*function)), object);
                }
                terms.concat(object, Word::zero(32))
            }
        }
    }

    fn pointer(&self, terms: &mut Terms, pointer: &InputPointer) -> Term {
        let object_number = |at: usize| number(self.program.input_object() + at as u32);
        let none = terms.constant(Word::zero(32));
        let mut object = terms.constant(object_number(pointer.object));
        let mut offset = pointer.offset.unwrap_or(none);
        if let Some(sharing) = pointer.shared {
            let size = self.program.size(self.objects[sharing.object].of) as u32;
            let place = terms.mul(sharing.element, number(size));
            object = terms.ite(sharing.holds, object_number(sharing.object), object);
            offset = terms.ite(sharing.holds, place, offset);
        }
        let object = terms.ite(pointer.present, object, none);
        let offset = terms.ite(pointer.present, offset, none);
        terms.concat(object, offset)
    }
}

/// An object that values are put into.
struct Layout<'a, 'p> {
    inputs: &'a Skeleton<'p>,
    terms: &'a mut Terms,
    object: &'a mut Object,
}

impl Layout<'_, '_> {
    /// Puts a value of a type so many bits from the start of the object.
    fn put(&mut self, of: TypeId, slot: &Slot, offset: u64) {
        let program = self.inputs.program;
        match (program.of(of), slot) {
            (Type::Array { of, .. }, Slot::Aggregate(elements)) => {
                let size = 8 * program.size(*of);
                for (at, element) in elements.iter().enumerate() {
                    self.put(*of, element, offset + size * at as u64);
                }
            }
            (Type::Record(record), Slot::Aggregate(parts)) => {
                for (field, part) in program.parts(record).into_iter().zip(parts) {
                    match (field.bits, part) {
                        (Some(_), Slot::Word(word)) => self.put_word(*word, offset + field.offset),
                        _ => self.put(field.of, part, offset + field.offset),
                    }
                }
            }
            (_, Slot::Aggregate(parts)) => {
                for (at, part) in parts.iter().enumerate() {
                    let word = self.inputs.word(self.terms, part);
                    self.put_word(word, offset + 8 * at as u64);
                }
            }
            (_, slot) => {
                let word = self.inputs.word(self.terms, slot);
                let width = 8 * program.size(of) as u32;
                let word = if self.terms.width(&word) < width { self.terms.zext(word, width) } else { word };
                self.put_word(word, offset);
            }
        }
    }

    fn put_word(&mut self, word: Term, offset: u64) {
        put_bits(self.terms, self.object, offset, Value::of(word));
    }
}
