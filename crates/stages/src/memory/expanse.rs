//! What an object of any size holds.
//!
//! The number of words is unknown, so that none has a place of its own. A variable stands for the word at
//! each offset that is read. Writes are kept in their order, and a read looks through them first.
//!
//! Two reads of [`FirstWords`] at the same offset find the same word. The solver has to be told so
//! (Ackermann, 1954): see [`FirstWords::reads`].

use std::cell::RefCell;
use std::rc::Rc;

use bv::formula::equal;
use bv::{Term, Terms};

/// The words that an object of any size holds at first.
#[derive(Debug)]
pub(crate) struct FirstWords {
    /// The bytes of a word. Words are read and written whole.
    pub(crate) unit: u32,
    /// The caller gave them; else they are those of any state.
    pub(crate) given: bool,
    /// What was read so far.
    reads: RefCell<Vec<FirstRead>>,
}

/// A word that an object of any size holds at first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstRead {
    pub(crate) offset: Term,
    /// The variable that stands for it.
    pub(crate) word: Term,
}

impl FirstWords {
    pub(crate) fn new(unit: u32, given: bool) -> Rc<FirstWords> {
        Rc::new(FirstWords { unit, given, reads: RefCell::default() })
    }

    /// All words that were asked for.
    pub(crate) fn reads(&self) -> Vec<FirstRead> {
        self.reads.borrow().clone()
    }

    fn read(&self, terms: &mut Terms, offset: Term) -> Term {
        let known = self.reads.borrow().iter().find(|read| read.offset == offset).map(|read| read.word);
        known.unwrap_or_else(|| {
            let word = terms.variable("word", 8 * self.unit);
            self.reads.borrow_mut().push(FirstRead { offset, word });
            word
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Expanse {
    pub(crate) start: Rc<FirstWords>,
    writes: Vec<Write>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Write {
    condition: Term,
    offset: Term,
    word: Term,
}

impl Expanse {
    pub(crate) fn new(start: Rc<FirstWords>) -> Expanse {
        Expanse { start, writes: vec![] }
    }

    /// Whether it may hold something else than at the start of the program.
    pub(crate) fn is_changed(&self) -> bool {
        !self.start.given || !self.writes.is_empty()
    }

    pub(super) fn writes(&self) -> usize {
        self.writes.len()
    }

    pub(crate) fn read(&self, terms: &mut Terms, offset: Term) -> Term {
        let mut word = self.start.read(terms, offset);
        for write in &self.writes {
            let here = terms.and(write.condition, equal(offset, write.offset));
            word = terms.ite(here, write.word, word);
        }
        word
    }

    pub(crate) fn write(&mut self, condition: Term, offset: Term, word: Term) {
        self.writes.push(Write { condition, offset, word });
    }

    /// Takes in the writes of another path, which was taken if the condition holds.
    pub(crate) fn merge(&mut self, terms: &mut Terms, condition: Term, other: &Expanse) {
        let common = self.common(other);
        let not = terms.not(condition);
        for write in &mut self.writes[common..] {
            write.condition = terms.and(write.condition, not);
        }
        for write in &other.writes[common..] {
            let condition = terms.and(write.condition, condition);
            self.writes.push(Write { condition, ..*write });
        }
    }

    /// Whether the two hold anything different. That can only be where one of them was written to.
    pub(crate) fn differs(&self, terms: &mut Terms, other: &Expanse) -> Term {
        if !Rc::ptr_eq(&self.start, &other.start) {
            return terms.truth(true);
        }
        let common = self.common(other);
        let mut differs = Vec::new();
        for write in self.writes[common..].iter().chain(&other.writes[common..]) {
            let (one, two) = (self.read(terms, write.offset), other.read(terms, write.offset));
            let apart = terms.ne(one, two);
            differs.push(terms.and(write.condition, apart));
        }
        terms.any(differs)
    }

    /// How many of the first writes are the same.
    fn common(&self, other: &Expanse) -> usize {
        self.writes.iter().zip(&other.writes).take_while(|(one, other)| one == other).count()
    }
}
