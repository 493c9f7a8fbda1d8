//! What an object of any size holds.
//!
//! Nobody knows how many words there are, so that none has a place of its own. What is read at an offset is a variable that stands for the
//! word there; what is written is kept in its order, and who reads looks through it first. That two reads at the same offset find the
//! same, the solver has to be told (Ackermann): see [`Unknown::reads`].

use std::cell::RefCell;
use std::rc::Rc;

use bv::{Term, Terms};

/// The words that were there at first.
#[derive(Debug)]
pub struct Unknown {
    /// The bytes of a word. All are read and written whole.
    pub unit: u32,
    /// The caller gave them; else they are those of any state.
    pub given: bool,
    /// What was read so far: at which offset, and the variable that stands for it.
    reads: RefCell<Vec<(Term, Term)>>,
}

impl Unknown {
    pub fn new(unit: u32, given: bool) -> Rc<Unknown> {
        Rc::new(Unknown { unit, given, reads: RefCell::default() })
    }

    /// All offsets that were asked for, and what stands for the words there.
    pub fn reads(&self) -> Vec<(Term, Term)> {
        self.reads.borrow().clone()
    }

    fn read(&self, terms: &mut Terms, offset: Term) -> Term {
        let known = self.reads.borrow().iter().find(|(at, _)| *at == offset).map(|(_, word)| *word);
        known.unwrap_or_else(|| {
            let word = terms.variable("word", 8 * self.unit);
            self.reads.borrow_mut().push((offset, word));
            word
        })
    }
}

#[derive(Clone, Debug)]
pub struct Expanse {
    pub start: Rc<Unknown>,
    writes: Vec<Write>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Write {
    condition: Term,
    offset: Term,
    word: Term,
}

impl Expanse {
    pub fn new(start: Rc<Unknown>) -> Expanse {
        Expanse { start, writes: vec![] }
    }

    /// Whether it may hold something else than at the start of the program.
    pub fn is_changed(&self) -> bool {
        !self.start.given || !self.writes.is_empty()
    }

    pub fn read(&self, terms: &mut Terms, offset: Term) -> Term {
        let mut word = self.start.read(terms, offset);
        for write in &self.writes {
            let same = terms.equal(offset, write.offset);
            let here = terms.and(write.condition, same);
            word = terms.ite(here, write.word, word);
        }
        word
    }

    pub fn write(&mut self, condition: Term, offset: Term, word: Term) {
        self.writes.push(Write { condition, offset, word });
    }

    /// Takes in what another way has written, which was taken if the condition holds.
    pub fn merge(&mut self, terms: &mut Terms, condition: Term, other: &Expanse) {
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

    /// Whether the two hold anything different. They can only do so where one of them was written to.
    pub fn differs(&self, terms: &mut Terms, other: &Expanse) -> Term {
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
