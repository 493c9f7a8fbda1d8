//! Comparisons of floats: on bits, unless the floats come from arithmetic.
//!
//! Floats of one sign are ordered as their bits are. So a function that only compares
//! (a clamp, a maximum) needs no theory of floats; and with a constant on one side, a
//! comparison of floats is one of integers, and a test for NaN. Both tests are spelled the
//! same whatever the comparison, so that a mutated one shares them.
//!
//! Where a side is computed, its bits are not at hand, and the comparison stays as it is;
//! but conversions that keep the order, from `float` to `double` and from integers, go.

use super::belongs_after;
use super::float::{exact_integer, narrower};
use crate::float;
use crate::{Domain, Node, Op, Term, Terms, Word};

/// The comparison in terms of bits, if neither side is computed; see `kernel`.
pub(super) fn spell(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    if [a, b].into_iter().any(|term| terms.known(&term).is_some_and(float::is_nan)) {
        return Some(terms.truth(false));
    }
    if let Some(term) = without_signs(terms, op, a, b) {
        return Some(term);
    }
    if terms.is_computed(a) || terms.is_computed(b) {
        return None;
    }
    if a == b {
        return Some(if op == Op::FLt { terms.truth(false) } else { number(terms, a) });
    }
    let related = match op {
        Op::FEq => return Some(equal(terms, a, b)),
        Op::FLt => less(terms, a, b),
        _ => {
            let greater = less(terms, b, a);
            terms.not(greater)
        }
    };
    let numbers = [a, b].map(|term| number(terms, term));
    let numbers = terms.all(numbers);
    Some(terms.and(numbers, related))
}

/// The comparison where a side is computed.
pub(super) fn rewrite(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    if a == b {
        return with_itself(terms, op, a);
    }
    widened(terms, op, a, b).or_else(|| integers(terms, op, a, b))
}

/// Negation turns the order around; a constant changes its sign for free.
fn without_signs(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    if terms.as_negated(a).is_none() && terms.as_negated(b).is_none() {
        return None;
    }
    let (x, y) = (terms.negation_of(a)?, terms.negation_of(b)?);
    Some(terms.apply(op, &[y, x]))
}

/// Whether this is a number: the magnitude of a NaN is above that of infinity.
fn number(terms: &mut Terms, a: Term) -> Term {
    let infinity = float::word(terms.width(&a), f64::INFINITY);
    let magnitude = magnitude(terms, a);
    let infinity = terms.constant(Word::new(infinity.width() - 1, infinity.bits()));
    terms.ule(magnitude, infinity)
}

/// The bits but for the sign.
fn magnitude(terms: &mut Terms, a: Term) -> Term {
    let width = terms.width(&a);
    terms.extract(a, width - 2, 0)
}

fn zero(terms: &mut Terms, a: Term) -> Term {
    let magnitude = magnitude(terms, a);
    terms.with_constant(Op::Eq, magnitude, Word::zero(terms.width(&magnitude)))
}

/// `a = b`. Both zeros are equal, and a NaN is not equal to itself.
fn equal(terms: &mut Terms, a: Term, b: Term) -> Term {
    let (a, b) = if belongs_after(terms, a, b) { (b, a) } else { (a, b) };
    let [a_is_zero, b_is_zero] = [a, b].map(|term| zero(terms, term));
    let (same, number) = (terms.equal(a, b), number(terms, b));
    let same = terms.and(same, number);
    terms.ite(b_is_zero, a_is_zero, same)
}

/// `a < b`, of numbers. Positive ones are ordered as their bits are, and negative ones the
/// other way round; and -0 is not below 0.
fn less(terms: &mut Terms, a: Term, b: Term) -> Term {
    if let Some(word) = terms.known(&a) {
        let not_above = not_above_constant(terms, b, word);
        return terms.not(not_above);
    }
    let width = terms.width(&a);
    let minus_zero = terms.constant(Word::signed_min(width));
    // From -0 downwards the bits go upwards.
    if terms.known(&b).is_some_and(|word| float::value(word) == 0.0) {
        return terms.ult(minus_zero, a);
    }
    let b_is_negative = terms.with_constant(Op::Slt, b, Word::zero(width));
    let below_negative = terms.ult(b, a);
    let below_natural = terms.slt(a, b);
    let (a_is_minus_zero, b_is_zero) =
        (terms.equal(a, minus_zero), terms.with_constant(Op::Eq, b, Word::zero(width)));
    let zeros = terms.and(a_is_minus_zero, b_is_zero);
    let not_zeros = terms.not(zeros);
    let below_natural = terms.and(below_natural, not_zeros);
    terms.ite(b_is_negative, below_negative, below_natural)
}

/// `a <= word`, of numbers.
fn not_above_constant(terms: &mut Terms, a: Term, word: Word) -> Term {
    if float::value(word) == 0.0 {
        return terms.with_constant(Op::Sle, a, Word::zero(word.width()));
    }
    terms.with_constant(if word.signed() < 0 { Op::Uge } else { Op::Sle }, a, word)
}

/// A float compared with itself: is it a number?
fn with_itself(terms: &mut Terms, op: Op, a: Term) -> Option<Term> {
    match op {
        Op::FLt => return Some(terms.truth(false)),
        Op::FLe => return Some(terms.feq(a, a)),
        _ => {}
    }
    match *terms.node(a) {
        Node::Apply(Op::FromSigned(_) | Op::FromUnsigned(_), _) => Some(terms.truth(true)),
        Node::Apply(
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRint | Op::FRoundAway | Op::FResize(_),
            arguments,
        ) => Some(terms.feq(arguments[0], arguments[0])),
        _ => None,
    }
}

/// Doubles that were floats are compared as floats. In C `f < 0.5` compares doubles.
fn widened(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (narrower(terms, a), narrower(terms, b));
    if let (Some(x), Some(y)) = (x, y) {
        return Some(terms.apply(op, &[x, y]));
    }
    let limit = float::value(terms.known(if x.is_some() { &b } else { &a })?);
    let nearest = limit as f32;
    let exact = nearest as f64 == limit;
    if !exact && op == Op::FEq {
        return Some(terms.truth(false));
    }
    // Between two floats it does not matter where the limit is, nor whether it is meant itself.
    let op = if exact { op } else { Op::FLe };
    let mut side = |limit: f32| terms.constant(float::word(32, limit as f64));
    let sides = match (x, y) {
        (Some(x), _) => [x, side(if nearest as f64 > limit { nearest.next_down() } else { nearest })],
        (_, Some(y)) => [side(if (nearest as f64) < limit { nearest.next_up() } else { nearest }), y],
        _ => return None,
    };
    Some(terms.apply(op, &sides))
}

/// Integers that became floats without being rounded are compared as integers.
fn integers(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    let on_integers = match op {
        Op::FEq => Op::Eq,
        Op::FLt => Op::Slt,
        _ => Op::Sle,
    };
    match (exact_integer(terms, a), exact_integer(terms, b)) {
        (Some((_, x)), Some((_, y))) => {
            let width = terms.width(&x).max(terms.width(&y)) + 1;
            let (x, y) = (extended(terms, a, width)?, extended(terms, b, width)?);
            Some(terms.apply(on_integers, &[x, y]))
        }
        (Some((_, x)), None) => {
            let limit = float::value(terms.known(&b)?);
            let width = terms.width(&x) + 2;
            let (x, integral) = (extended(terms, a, width)?, limit.trunc() == limit);
            match op {
                Op::FEq if !integral => Some(terms.truth(false)),
                Op::FLt => Some(terms.with_constant(Op::Slt, x, clamped(width, limit.ceil()))),
                _ => Some(terms.with_constant(on_integers, x, clamped(width, limit.floor()))),
            }
        }
        (None, Some((_, y))) => {
            let limit = float::value(terms.known(&a)?);
            let width = terms.width(&y) + 2;
            let y = extended(terms, b, width)?;
            // An equation has its constant on the right.
            let word = clamped(width, if op == Op::FLt { limit.floor() } else { limit.ceil() });
            Some(terms.with_constant(if op == Op::FLt { Op::Sgt } else { Op::Sge }, y, word))
        }
        _ => None,
    }
}

/// The integer behind a float, wide enough to have a sign.
fn extended(terms: &mut Terms, float: Term, width: u32) -> Option<Term> {
    let (signed, x) = exact_integer(terms, float)?;
    Some(terms.apply(if signed { Op::Sext(width) } else { Op::Zext(width) }, &[x]))
}

/// An integral number, or infinity, as an integer of this width. A number beyond the range
/// is at its end, where an integer that was extended by two bits never is.
fn clamped(width: u32, number: f64) -> Word {
    let (least, most) = (Word::signed_min(width).signed(), Word::signed_max(width).signed());
    Word::from_signed(width, (number as i128).clamp(least, most))
}
