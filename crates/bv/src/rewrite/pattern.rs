//! Patterns: what rules ask about the shape of a term.

use crate::{Domain, Node, Op, Term, Terms, Word};

impl Terms {
    /// `op(a, b)`
    pub(super) fn as_pair(&self, op: Op, term: Term) -> Option<(Term, Term)> {
        match self.node(term) {
            Node::Apply(found, arguments) if *found == op => Some((arguments[0], arguments[1])),
            _ => None,
        }
    }

    /// `op(x, constant)`
    pub(super) fn as_with_constant(&self, op: Op, term: Term) -> Option<(Term, Word)> {
        let (x, constant) = self.as_pair(op, term)?;
        Some((x, self.known(&constant)?))
    }

    /// `Not(x)`
    pub(super) fn as_not(&self, term: Term) -> Option<Term> {
        match self.node(term) {
            Node::Apply(Op::Not, arguments) => Some(arguments[0]),
            _ => None,
        }
    }

    /// `-x`, which is kept as `0 - x`
    pub(super) fn as_opposite(&self, term: Term) -> Option<Term> {
        let (zero, x) = self.as_pair(Op::Sub, term)?;
        self.known(&zero).filter(|zero| zero.is_zero()).map(|_| x)
    }

    /// `Ite(condition, then, otherwise)`
    pub(crate) fn as_choice(&self, term: Term) -> Option<Choice<Term>> {
        match self.node(term) {
            Node::Apply(Op::Ite, arguments) => {
                Some(Choice { condition: arguments[0], then: arguments[1], otherwise: arguments[2] })
            }
            _ => None,
        }
    }

    /// `Ite(condition, constant, constant)`
    pub(super) fn as_choice_of_constants(&self, term: Term) -> Option<Choice<Word>> {
        let Choice { condition, then, otherwise } = self.as_choice(term)?;
        Some(Choice { condition, then: self.known(&then)?, otherwise: self.known(&otherwise)? })
    }

    /// `Zext(x)` or `Sext(x)`
    pub(super) fn as_extension(&self, term: Term) -> Option<(Extension, Term)> {
        match self.node(term) {
            Node::Apply(Op::Zext(_), arguments) => Some((Extension::Zero, arguments[0])),
            Node::Apply(Op::Sext(_), arguments) => Some((Extension::Sign, arguments[0])),
            _ => None,
        }
    }

    /// `Extract(x)`
    pub(super) fn as_slice(&self, term: Term) -> Option<Slice> {
        match self.node(term) {
            Node::Apply(Op::Extract { hi, lo }, arguments) => {
                Some(Slice { word: arguments[0], hi: *hi, lo: *lo })
            }
            _ => None,
        }
    }

    /// Whether one is `Not` of the other.
    pub(super) fn complementary(&self, a: Term, b: Term) -> bool {
        self.as_not(a) == Some(b) || self.as_not(b) == Some(a)
    }

    /// An application to a constant.
    pub(super) fn with_constant(&mut self, op: Op, x: Term, word: Word) -> Term {
        let constant = self.constant(word);
        self.apply(op, &[x, constant])
    }
}

/// One of two words, or terms, by a condition.
#[derive(Clone, Copy)]
pub(crate) struct Choice<T> {
    pub(crate) condition: Term,
    pub(crate) then: T,
    pub(crate) otherwise: T,
}

/// Some bits of a word, both ends included.
#[derive(Clone, Copy)]
pub(super) struct Slice {
    pub(super) word: Term,
    pub(super) hi: u32,
    pub(super) lo: u32,
}

/// How a word is made wider.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extension {
    Zero,
    Sign,
}

impl Extension {
    pub(super) fn to(self, width: u32) -> Op {
        match self {
            Extension::Zero => Op::Zext(width),
            Extension::Sign => Op::Sext(width),
        }
    }

    /// The narrow word that extends to this one, if there is one.
    pub(super) fn narrowed(self, word: Word, width: u32) -> Option<Word> {
        let narrow = Word::new(width, word.bits());
        (self.to(word.width()).eval(&[narrow]) == word).then_some(narrow)
    }
}
