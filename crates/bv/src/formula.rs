//! Formulas: operators by the names of mathematics.
//!
//! `terms.ule(add(offset, length), size)` is the term for `offset + length <= size`. What an operator means
//! stands in the table of `op`; this file only gives it a name that nests.
//!
//! Only one caller at a time can change a graph, so `terms.ule(terms.add(..), ..)` does not compile. Hence
//! the methods of [`Terms`] take a [`Formula`] for each argument: a term, a constant, or the function `add`,
//! which is the method of that name waiting for its graph. A formula costs nothing at run time.
//!
//! Arguments are built from left to right, before the operator is applied to them. How a term is spelt
//! depends on which of its arguments is older. So a formula gives the same graph on every run.

use crate::{Domain, Op, Term, Terms, Word};

/// What becomes a term of a graph.
pub trait Formula {
    fn build(self, terms: &mut Terms) -> Term;
}

impl Formula for Term {
    fn build(self, _: &mut Terms) -> Term {
        self
    }
}

impl Formula for Word {
    fn build(self, terms: &mut Terms) -> Term {
        terms.constant(self)
    }
}

impl<F: FnOnce(&mut Terms) -> Term> Formula for F {
    fn build(self, terms: &mut Terms) -> Term {
        self(terms)
    }
}

/// For each operator a method of [`Terms`], and the function of that name for an argument of another one.
macro_rules! operators {
    ($($name:ident($($argument:ident),+) is $op:expr;)+) => {
        impl Terms {
            $(pub fn $name(&mut self, $($argument: impl Formula),+) -> Term {
                let arguments = [$($argument.build(self)),+];
                self.apply($op, &arguments)
            })+
        }
        $(pub fn $name($($argument: impl Formula),+) -> impl Formula {
            move |terms: &mut Terms| terms.$name($($argument),+)
        })+
    };
}

operators! {
    add(a, b) is Op::Add;
    sub(a, b) is Op::Sub;
    mul(a, b) is Op::Mul;
    neg(a) is Op::Neg;
    urem(a, b) is Op::Urem;
    not(a) is Op::Not;
    and(a, b) is Op::And;
    or(a, b) is Op::Or;
    xor(a, b) is Op::Xor;
    equal(a, b) is Op::Eq;
    ne(a, b) is Op::Ne;
    ult(a, b) is Op::Ult;
    ule(a, b) is Op::Ule;
    ugt(a, b) is Op::Ugt;
    uge(a, b) is Op::Uge;
    slt(a, b) is Op::Slt;
    sle(a, b) is Op::Sle;
    ite(condition, a, b) is Op::Ite;
    concat(high, low) is Op::Concat;
    feq(a, b) is Op::FEq;
}

impl Terms {
    pub fn truth(&mut self, value: bool) -> Term {
        self.constant(Word::truth(value))
    }

    pub fn implies(&mut self, a: impl Formula, b: impl Formula) -> Term {
        let a = a.build(self);
        self.or(not(a), b)
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

    /// The bits from `hi` down to `lo`, both included.
    pub fn extract(&mut self, word: impl Formula, hi: u32, lo: u32) -> Term {
        let word = word.build(self);
        self.apply(Op::Extract { hi, lo }, &[word])
    }

    /// The word with zeros above it.
    pub fn zext(&mut self, word: impl Formula, to: u32) -> Term {
        let word = word.build(self);
        self.apply(Op::Zext(to), &[word])
    }

    /// The word with its sign above it.
    pub fn sext(&mut self, word: impl Formula, to: u32) -> Term {
        let word = word.build(self);
        self.apply(Op::Sext(to), &[word])
    }

    /// Whether a truth value is true whatever the inputs are, and that is plain to see.
    pub fn is_always(&self, truth: Term) -> bool {
        self.known(&truth) == Some(Word::truth(true))
    }

    /// Whether a truth value is false whatever the inputs are, and that is plain to see.
    pub fn is_never(&self, truth: Term) -> bool {
        self.known(&truth) == Some(Word::truth(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_what_its_operators_make() {
        let mut terms = Terms::new();
        let [offset, length, size] = ["offset", "length", "size"].map(|name| terms.variable(name, 32));
        let sum = terms.apply(Op::Add, &[offset, length]);
        let fits = terms.apply(Op::Ule, &[sum, size]);
        assert_eq!(terms.ule(add(offset, length), size), fits);
        let zero = terms.constant(Word::zero(32));
        let empty = terms.apply(Op::Eq, &[size, zero]);
        let either = terms.apply(Op::Or, &[empty, fits]);
        assert_eq!(terms.or(equal(size, Word::zero(32)), ule(add(offset, length), size)), either);
    }

    #[test]
    fn arguments_are_older_from_left_to_right() {
        let mut terms = Terms::new();
        let [a, b] = ["a", "b"].map(|name| terms.variable(name, 8));
        let product = terms.mul(add(a, b), xor(a, b));
        let [sum, difference] = [terms.add(a, b), terms.xor(a, b)];
        assert!(a < b && b < sum && sum < difference && difference < product);
    }
}
