//! Truth values: the connectives of terms of width 1, by their usual names.

use crate::{Domain, Op, Term, Terms, Word};

impl Terms {
    pub fn truth(&mut self, value: bool) -> Term {
        self.constant(Word::truth(value))
    }

    pub fn not(&mut self, a: Term) -> Term {
        self.apply(Op::Not, &[a])
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::And, &[a, b])
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::Or, &[a, b])
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let fails = self.not(a);
        self.or(fails, b)
    }

    pub fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        self.apply(Op::Ite, &[condition, a, b])
    }

    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::Eq, &[a, b])
    }

    /// True if there are none.
    pub fn all(&mut self, truths: impl IntoIterator<Item = Term>) -> Term {
        let start = self.truth(true);
        truths.into_iter().fold(start, |all, truth| self.and(all, truth))
    }

    /// False if there are none.
    pub fn any(&mut self, truths: impl IntoIterator<Item = Term>) -> Term {
        let start = self.truth(false);
        truths.into_iter().fold(start, |any, truth| self.or(any, truth))
    }
}
