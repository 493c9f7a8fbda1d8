//! Memory as terms: the objects of a run, and what an access finds in them.
//!
//! A pointer's object is a constant, or a choice between a few where paths have joined. Each alternative is
//! encoded under the condition that it is the one. An offset that the input decides is compared with each
//! place that it can mean. [`ir::rules`] decides whether an access is allowed.
//!
//! This folder knows neither inputs nor control flow. Inputs are laid out in memory (`skeleton`), and the
//! encoder changes memory path by path and merges it where paths join (`encode`).

mod access;
mod block;
mod expanse;
mod object;
mod place;
mod possible;
mod value;

use std::rc::Rc;

use bv::{Lack, Memory, Term, Terms, Word};
use rustc_hash::FxHashMap;

pub(crate) use access::{Access, SplitPointer};
pub(crate) use block::Copying;
pub(crate) use expanse::{Expanse, FirstRead, FirstWords};
pub(crate) use object::{Object, Origin};
pub(crate) use possible::{Possibilities, Possible, multiple};
pub(crate) use value::{bits_of, choose, differs, object_of, offset_of, put_bits};

/// The objects of a run by number. Where paths join, an object that only one of them has made is kept:
/// only pointers of that path lead there.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolicMemory {
    objects: FxHashMap<u32, Rc<Object>>,
}

/// Why an access cannot be encoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// As far as we can see, the program did not make the pointer.
    UnknownPointer,
    /// The access may mean too many places.
    TooLarge,
    /// In an object of any size: a part of a word is accessed, or something unassigned is written.
    NoWord,
    /// There is no memory, or no work left, for more terms.
    Lack(Lack),
    /// No engine executes this.
    Unsupported(String),
}

/// What an object costs, and what each tile or write in it does. Measured: 100 bytes, and 20 to 30.
const OBJECT: usize = 128;
const TILE: usize = 32;

impl Trouble {
    pub(crate) fn text(self) -> String {
        match self {
            Trouble::UnknownPointer => "a pointer that is made of other things than pointers".to_string(),
            Trouble::TooLarge => "an access that may mean too many places".to_string(),
            Trouble::Lack(Lack::Memory) => "more memory than --memory allows".to_string(),
            Trouble::Lack(Lack::Work) => "more work than fuel allows".to_string(),
            Trouble::NoWord => "an access to a part of a word".to_string(),
            Trouble::Unsupported(what) => what,
        }
    }
}

/// A number of bytes, or of an object: 32 bits.
pub(crate) fn number(value: u32) -> Word {
    Word::new(32, value.into())
}

impl SymbolicMemory {
    pub(crate) fn insert(&mut self, number: u32, object: Object) {
        self.objects.insert(number, Rc::new(object));
    }

    /// What it uses, as if it shared nothing with others.
    pub(crate) fn size(&self) -> Memory {
        let size = |object: &Rc<Object>| OBJECT + TILE * object.parts();
        Memory(self.objects.values().map(size).sum::<usize>() as u64)
    }

    /// All objects, in the order of their numbers.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (u32, &Object)> {
        let mut all: Vec<(u32, &Object)> =
            self.objects.iter().map(|(number, object)| (*number, object.as_ref())).collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter()
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Object> {
        self.objects.get(&number).map(Rc::as_ref)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Object> {
        self.objects.get_mut(&number).map(Rc::make_mut)
    }

    /// Takes in the memory of another path, which was taken if the condition holds.
    pub(crate) fn merge(&mut self, terms: &mut Terms, condition: Term, other: &SymbolicMemory) {
        // In the order of their numbers, so that every run makes terms in the same order.
        let mut numbers: Vec<u32> = other.objects.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let theirs = &other.objects[&number];
            let Some(ours) = self.objects.get_mut(&number) else {
                self.objects.insert(number, Rc::clone(theirs));
                continue;
            };
            if !Rc::ptr_eq(ours, theirs) {
                Rc::make_mut(ours).merge(terms, condition, theirs);
            }
        }
    }

    /// Whether two memories differ in anything.
    pub(crate) fn differs(&self, terms: &mut Terms, other: &SymbolicMemory) -> Term {
        let mut numbers: Vec<u32> = self.objects.keys().chain(other.objects.keys()).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut differs = Vec::new();
        for number in numbers {
            let (Some(ours), Some(theirs)) = (self.get(number), other.get(number)) else {
                return terms.truth(true);
            };
            if ours.size != theirs.size {
                return terms.truth(true);
            }
            ours.differs(terms, theirs, &mut differs);
        }
        terms.any(differs)
    }
}
