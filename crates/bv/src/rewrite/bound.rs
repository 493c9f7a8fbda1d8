//! Bounds: between which numbers a term lies.
//!
//! Enough for what C's promotions make: a `char` that became an `int` is small, so its sum
//! does not overflow, its comparison with 1000 is decided, and signed and unsigned agree on
//! it. A bound follows from those of the arguments, and is kept with the term when it is made:
//! rules ask for bounds more often than for anything else.

use crate::range::Range;
use crate::{Domain, Node, Op, Term, Terms, Word};

/// The ranges of a graph's terms. Few terms have one of their own: the others take all values of their width.
#[derive(Clone, Default)]
pub(crate) struct Bounds {
    /// Of each term, which range it has. [`WHOLE`]: all values.
    which: Vec<u32>,
    ranges: Vec<Range>,
}

const WHOLE: u32 = u32::MAX;

impl Bounds {
    /// The range of a term.
    pub(crate) fn get(&self, term: Term, width: u32) -> Range {
        match self.which[term.index()] {
            WHOLE => Range::whole(width),
            which => self.ranges[which as usize],
        }
    }

    /// Keeps the range of the next term.
    pub(crate) fn push(&mut self, range: Range, width: u32) {
        if range == Range::whole(width) {
            self.which.push(WHOLE);
        } else {
            self.which.push(self.ranges.len() as u32);
            self.ranges.push(range);
        }
    }
}

/// The least and the greatest value, as natural numbers.
pub(super) fn unsigned(terms: &Terms, term: Term) -> (u128, u128) {
    terms.range(term).unsigned
}

/// The least and the greatest value, in two's complement.
pub(super) fn signed(terms: &Terms, term: Term) -> (i128, i128) {
    terms.range(term).signed
}

/// Whether the sign is never set.
pub(super) fn natural(terms: &Terms, term: Term) -> bool {
    signed(terms, term).0 >= 0
}

/// The range of a node's value, by those of the arguments.
pub(crate) fn range_from(terms: &Terms, node: &Node, width: u32, of: impl Fn(Term) -> Range) -> Range {
    let signed = signed_from(terms, node, width, |argument| of(argument).signed);
    let unsigned = unsigned_from(terms, node, width, |argument| of(argument).unsigned);
    // A term has some value, so that its two readings agree on one.
    let whole = Range::whole(width);
    whole.meet(Range { signed, unsigned }, width).unwrap_or(whole)
}

/// The least and the greatest value as natural numbers, by those of the arguments.
fn unsigned_from(terms: &Terms, node: &Node, width: u32, of: impl Fn(Term) -> (u128, u128)) -> (u128, u128) {
    let greatest = Word::ones(width).bits();
    let whole = (0, greatest);
    let (op, arguments) = match node {
        Node::Constant(word) => return (word.bits(), word.bits()),
        Node::Variable(_) => return whole,
        Node::Apply(op, arguments) => (*op, &**arguments),
    };
    let of = |at: usize| of(arguments[at]);
    let constant = |at: usize| terms.known(&arguments[at]).map(Word::bits);
    match op {
        Op::Zext(_) => of(0),
        Op::Ite => hull(of(1), of(2)),
        Op::Not => {
            let (least, most) = of(0);
            (greatest - most, greatest - least)
        }
        Op::And => (0, of(0).1.min(of(1).1)),
        // A remainder is below its divisor, and never above the dividend.
        Op::Urem => match constant(1) {
            Some(divisor) if divisor > 0 => (0, of(0).1.min(divisor - 1)),
            _ => (0, of(0).1),
        },
        Op::Udiv => match constant(1) {
            Some(divisor) if divisor > 0 => {
                let (least, most) = of(0);
                (least / divisor, most / divisor)
            }
            _ => whole,
        },
        Op::Lshr => match constant(1) {
            Some(amount) if amount < u128::from(width) => {
                let (least, most) = of(0);
                (least >> amount, most >> amount)
            }
            _ => whole,
        },
        Op::Concat => {
            let low = terms.width(&arguments[1]);
            let ((least, most), (low_least, low_most)) = (of(0), of(1));
            (least << low | low_least, most << low | low_most)
        }
        Op::Add => match (of(0), constant(1)) {
            ((least, most), Some(constant)) if constant <= greatest - most => {
                (least + constant, most + constant)
            }
            _ => whole,
        },
        _ => whole,
    }
}

/// The least and the greatest value in two's complement, by those of the arguments.
fn signed_from(terms: &Terms, node: &Node, width: u32, of: impl Fn(Term) -> (i128, i128)) -> (i128, i128) {
    let whole = (Word::signed_min(width).signed(), Word::signed_max(width).signed());
    let (op, arguments) = match node {
        Node::Constant(word) => return (word.signed(), word.signed()),
        Node::Variable(_) => return whole,
        Node::Apply(op, arguments) => (*op, &**arguments),
    };
    let of = |at: usize| of(arguments[at]);
    let constant = |at: usize| terms.known(&arguments[at]).map(Word::signed);
    // An interval that does not leave the type is exact: nothing wrapped.
    let within = |least: Option<i128>, most: Option<i128>| match (least, most) {
        (Some(least), Some(most)) if least >= whole.0 && most <= whole.1 => (least, most),
        _ => whole,
    };
    match op {
        Op::Sext(_) => of(0),
        Op::Ite => hull(of(1), of(2)),
        // A mask without a sign leaves none, and leaves no more than itself.
        Op::And => match (of(0), of(1)) {
            ((0.., a), (0.., b)) => (0, a.min(b)),
            ((0.., most), _) | (_, (0.., most)) => (0, most),
            _ => whole,
        },
        Op::Add => {
            let (a, b) = (of(0), of(1));
            within(a.0.checked_add(b.0), a.1.checked_add(b.1))
        }
        Op::Sub => {
            let (a, b) = (of(0), of(1));
            within(a.0.checked_sub(b.1), a.1.checked_sub(b.0))
        }
        // A product is largest and smallest where its factors are.
        Op::Mul => {
            let (a, b) = (of(0), of(1));
            let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
            match corners.map(|(x, y)| x.checked_mul(y)) {
                [Some(p), Some(q), Some(r), Some(s)] => {
                    within(Some(p.min(q).min(r).min(s)), Some(p.max(q).max(r).max(s)))
                }
                _ => whole,
            }
        }
        // Truncating division by a constant is monotone, and only -1 can overflow.
        Op::Sdiv => match (of(0), constant(1)) {
            (a, Some(divisor)) if divisor != 0 && divisor != -1 => {
                hull((a.0 / divisor, a.0 / divisor), (a.1 / divisor, a.1 / divisor))
            }
            _ => whole,
        },
        // The sign is the dividend's, and the size below the divisor's.
        Op::Srem => match (of(0), constant(1)) {
            (a, Some(divisor)) if divisor != 0 && divisor != i128::MIN => {
                let most = divisor.abs() - 1;
                (if a.0 >= 0 { 0 } else { -most }, if a.1 <= 0 { 0 } else { most })
            }
            _ => whole,
        },
        _ => whole,
    }
}

fn hull<T: Ord>(a: (T, T), b: (T, T)) -> (T, T) {
    (a.0.min(b.0), a.1.max(b.1))
}
