//! Where operators are applied: to words, or to terms that stand for words.
//!
//! Code that is generic over a domain is written once and means the same in both:
//! with [`Concrete`] words it computes, with [`Terms`](crate::Terms) it builds a formula.

use crate::{Op, Word};

pub trait Domain {
    type Word: Clone;

    fn constant(&mut self, word: Word) -> Self::Word;
    fn apply(&mut self, op: Op, arguments: &[Self::Word]) -> Self::Word;
    fn width(&self, word: &Self::Word) -> u32;
    /// The value, where it is known whatever the inputs are.
    fn known(&self, word: &Self::Word) -> Option<Word>;
}

/// Words themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

impl Domain for Concrete {
    type Word = Word;

    fn constant(&mut self, word: Word) -> Word {
        word
    }

    fn apply(&mut self, op: Op, arguments: &[Word]) -> Word {
        op.eval(arguments)
    }

    fn width(&self, word: &Word) -> u32 {
        word.width()
    }

    fn known(&self, word: &Word) -> Option<Word> {
        Some(*word)
    }
}
