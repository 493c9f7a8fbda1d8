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

    fn truth(&mut self, value: bool) -> Self::Word {
        self.constant(Word::truth(value))
    }

    #[inline]
    fn not(&mut self, a: Self::Word) -> Self::Word {
        self.apply(Op::Not, &[a])
    }

    #[inline]
    fn and(&mut self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.apply(Op::And, &[a, b])
    }

    #[inline]
    fn or(&mut self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.apply(Op::Or, &[a, b])
    }

    #[inline]
    fn equal(&mut self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.apply(Op::Eq, &[a, b])
    }

    #[inline]
    fn ne(&mut self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.apply(Op::Ne, &[a, b])
    }

    #[inline]
    fn ult(&mut self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.apply(Op::Ult, &[a, b])
    }

    #[inline]
    fn ugt(&mut self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.apply(Op::Ugt, &[a, b])
    }

    #[inline]
    fn sub(&mut self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.apply(Op::Sub, &[a, b])
    }

    #[inline]
    fn ite(&mut self, condition: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word {
        self.apply(Op::Ite, &[condition, a, b])
    }
}

/// Words themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

impl Domain for Concrete {
    type Word = Word;

    #[inline]
    fn constant(&mut self, word: Word) -> Word {
        word
    }

    /// Inlined, so that an operator which the caller knows costs no look into the table.
    #[inline(always)]
    fn apply(&mut self, op: Op, arguments: &[Word]) -> Word {
        op.eval_here(arguments)
    }

    #[inline]
    fn width(&self, word: &Word) -> u32 {
        word.width()
    }

    #[inline]
    fn known(&self, word: &Word) -> Option<Word> {
        Some(*word)
    }
}
