//! Overflow predicates: with a constant operand they are comparisons.
//!
//! They guard every signed operation of a C program, so most of a formula's validity
//! condition is made of them. Where the bounds of the operands show that the exact result
//! fits, there is none; C's promotions of small types all end here.

use super::bound;
use crate::{Domain, Op, Term, Terms, Word};

pub(super) fn rewrite(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    if fits(terms, op, a, b) {
        return Some(terms.truth(false));
    }
    if op == Op::SsubO {
        if a == b {
            return Some(terms.truth(false));
        }
        if let Some(minuend) = terms.known(&a) {
            return Some(subtracted_from(terms, minuend, b));
        }
    }
    let constant = terms.known(&b)?;
    match op {
        // b > max - a, and max - a is ~a.
        Op::UaddO => Some(above(terms, Op::Ult, a, Op::Not.eval(&[constant]))),
        Op::SaddO => Some(added(terms, a, constant)),
        Op::SsubO => Some(subtracted(terms, a, constant)),
        Op::UmulO => Some(multiplied_unsigned(terms, a, constant)),
        Op::SmulO => Some(multiplied(terms, a, constant)),
        _ => None,
    }
}

/// Whether the exact results at the ends of the bounds, and so all in between, are in range.
fn fits(terms: &Terms, op: Op, a: Term, b: Term) -> bool {
    let width = terms.width(&a);
    let natural = |exact: Option<u128>| exact.is_some_and(|exact| exact <= Word::ones(width).bits());
    let range = Word::signed_min(width).signed()..=Word::signed_max(width).signed();
    let integer = |exact: Option<i128>| exact.is_some_and(|exact| range.contains(&exact));
    match op {
        Op::UaddO => natural(bound::unsigned(terms, a).1.checked_add(bound::unsigned(terms, b).1)),
        Op::UmulO => natural(bound::unsigned(terms, a).1.checked_mul(bound::unsigned(terms, b).1)),
        Op::SaddO => {
            let (a, b) = (bound::signed(terms, a), bound::signed(terms, b));
            integer(a.0.checked_add(b.0)) && integer(a.1.checked_add(b.1))
        }
        Op::SsubO => {
            let (a, b) = (bound::signed(terms, a), bound::signed(terms, b));
            integer(a.0.checked_sub(b.1)) && integer(a.1.checked_sub(b.0))
        }
        Op::SmulO => {
            let (a, b) = (bound::signed(terms, a), bound::signed(terms, b));
            let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
            corners.into_iter().all(|(a, b)| integer(a.checked_mul(b)))
        }
        _ => false,
    }
}

/// Does `x + k` overflow? Upwards for a positive `k`, downwards for a negative.
fn added(terms: &mut Terms, x: Term, constant: Word) -> Term {
    let width = constant.width();
    if constant.signed() >= 0 {
        above(terms, Op::Slt, x, Op::Sub.eval(&[Word::signed_max(width), constant]))
    } else {
        terms.with_constant(Op::Slt, x, Op::Sub.eval(&[Word::signed_min(width), constant]))
    }
}

/// Does `x - k` overflow? Downwards for a positive `k`, upwards for a negative.
fn subtracted(terms: &mut Terms, x: Term, constant: Word) -> Term {
    let width = constant.width();
    if constant.signed() >= 0 {
        terms.with_constant(Op::Slt, x, Op::Add.eval(&[Word::signed_min(width), constant]))
    } else {
        above(terms, Op::Slt, x, Op::Add.eval(&[Word::signed_max(width), constant]))
    }
}

/// Does `k - x` overflow? Only upwards for `k >= 0`: `x < k - max`. Only downwards for
/// `k < 0`: `x > k - min`.
fn subtracted_from(terms: &mut Terms, constant: Word, x: Term) -> Term {
    let width = constant.width();
    if constant.signed() >= 0 {
        terms.with_constant(Op::Slt, x, Op::Sub.eval(&[constant, Word::signed_max(width)]))
    } else {
        above(terms, Op::Slt, x, Op::Sub.eval(&[constant, Word::signed_min(width)]))
    }
}

/// Does `x * k` leave the naturals of this width? Iff `x > max / k`, rounded down.
fn multiplied_unsigned(terms: &mut Terms, x: Term, factor: Word) -> Term {
    if factor.is_zero() {
        return terms.truth(false);
    }
    above(terms, Op::Ult, x, Op::Udiv.eval(&[Word::ones(factor.width()), factor]))
}

/// Does `x * k` overflow? The limits are the quotients of the range, rounded to zero: the
/// product exceeds the range iff `x` is beyond the last integer whose product does not.
fn multiplied(terms: &mut Terms, x: Term, factor: Word) -> Term {
    let width = factor.width();
    let (min, max) = (Word::signed_min(width), Word::signed_max(width));
    match factor.signed() {
        0 | 1 => terms.truth(false),
        -1 => terms.with_constant(Op::Eq, x, min),
        positive => {
            let (low, high) = if positive > 0 { (min, max) } else { (max, min) };
            let below = terms.with_constant(Op::Slt, x, Op::Sdiv.eval(&[low, factor]));
            let above = above(terms, Op::Slt, x, Op::Sdiv.eval(&[high, factor]));
            terms.or(below, above)
        }
    }
}

/// `limit < x`
fn above(terms: &mut Terms, less: Op, x: Term, limit: Word) -> Term {
    let limit = terms.constant(limit);
    terms.apply(less, &[limit, x])
}
