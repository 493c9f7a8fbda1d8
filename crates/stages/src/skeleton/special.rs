//! Special cases of a parameter, as truth values over the variables of an input.

use bv::formula::{equal, ne, not, ule};
use bv::{Domain, Term, Terms, Word};
use ir::{ByteClass, Condition, SpecialCase};

use super::{InputObject, InputPointer, Skeleton, Slot};
use crate::memory::number;

impl Skeleton<'_> {
    /// Whether an input has a special case. None if no input of this shape can have it. A pointer into
    /// another parameter's object has none.
    pub fn is_special(&self, terms: &mut Terms, case: SpecialCase) -> Option<Term> {
        match (case.condition, self.arguments.get(case.parameter)?) {
            (Condition::Word(word), Slot::Word(term)) => Some(terms.equal(*term, word)),
            (Condition::Nan, Slot::Word(term)) => {
                let is_number = terms.feq(*term, *term);
                Some(terms.not(is_number))
            }
            (Condition::Null, Slot::Null) => Some(terms.truth(true)),
            (Condition::Null, Slot::Pointer(pointer)) => Some(terms.not(pointer.present)),
            (Condition::First(class), Slot::Pointer(pointer)) => {
                let Slot::Word(first) = self.objects[pointer.object].elements.first()? else { return None };
                let (own, is_one) = (pointer.is_own(terms), is_of_class(terms, *first, class));
                Some(terms.and(own, is_one))
            }
            (Condition::Last(class), Slot::Pointer(pointer)) => {
                let cases = self.objects[pointer.object].ends(terms, class)?;
                let (own, any) = (pointer.is_own(terms), terms.any(cases));
                Some(terms.and(own, any))
            }
            (Condition::Size(of), Slot::Word(term)) => {
                let Slot::Pointer(pointer) = self.arguments.get(of)? else { return None };
                let count = self.objects[pointer.object].count;
                let size = match terms.width(term) {
                    width if width < 32 => terms.extract(count, width - 1, 0),
                    32 => count,
                    width => terms.zext(count, width),
                };
                let own = pointer.is_own(terms);
                Some(terms.and(own, equal(*term, size)))
            }
            _ => None,
        }
    }
}

impl InputPointer {
    /// It leads to the start of an object of its own.
    fn is_own(&self, terms: &mut Terms) -> Term {
        match self.shared {
            Some(sharing) => terms.and(self.present, not(sharing.holds)),
            None => self.present,
        }
    }
}

impl InputObject {
    /// For each place where its text may end: it ends there, and the last character is one of these. None if
    /// the object is no text.
    fn ends(&self, terms: &mut Terms, class: ByteClass) -> Option<Vec<Term>> {
        let mut bytes = Vec::new();
        for slot in &self.elements {
            let Slot::Word(byte) = slot else { return None };
            bytes.push(*byte);
        }
        let mut cases = Vec::new();
        let mut before = terms.truth(true);
        for (end, pair) in (1u32..).zip(bytes.windows(2)) {
            before = terms.and(before, ne(pair[0], Word::zero(8)));
            let (ends, is_one) = (terms.equal(pair[1], Word::zero(8)), is_of_class(terms, pair[0], class));
            let is_there = terms.ult(number(end), self.count);
            cases.push(terms.all([before, ends, is_one, is_there]));
        }
        Some(cases)
    }
}

/// A byte is one of these.
fn is_of_class(terms: &mut Terms, byte: Term, class: ByteClass) -> Term {
    let mut cases = Vec::new();
    for (first, last) in class.ranges() {
        let [first, last] = [first, last].map(|byte| Word::new(8, u128::from(*byte)));
        cases.push(terms.and(ule(first, byte), ule(byte, last)));
    }
    terms.any(cases)
}
