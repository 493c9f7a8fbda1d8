//! Shifts by constants.
//!
//! A shift to the right by a constant takes the high bits and extends them again, so it is
//! written that way, and meets the casts and masks that C programs pick bytes apart with.
//! A shift to the left stays, as the canonical form of a product with a power of two.

use super::bound;
use crate::{Domain, Op, Term, Terms, Word};

pub(super) fn rewrite(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(&a);
    if let Some(word) = terms.known(&a) {
        // What is shifted in is what was there.
        let same = word.is_zero() || op == Op::Ashr && word.is_ones();
        return same.then_some(a);
    }
    if op == Op::Ashr && bound::natural(terms, a) {
        return Some(terms.apply(Op::Lshr, &[a, b]));
    }
    let amount = terms.known(&b)?.bits();
    if amount == 0 {
        return Some(a);
    }
    let amount = u32::try_from(amount).unwrap_or(u32::MAX);
    match op {
        Op::Shl | Op::Lshr if amount >= width => Some(terms.constant(Word::zero(width))),
        Op::Lshr => {
            let high = terms.extract(a, width - 1, amount);
            Some(terms.zext(high, width))
        }
        Op::Ashr => {
            let high = terms.extract(a, width - 1, amount.min(width - 1));
            Some(terms.sext(high, width))
        }
        _ => left(terms, a, amount),
    }
}

fn left(terms: &mut Terms, a: Term, amount: u32) -> Option<Term> {
    let width = terms.width(&a);
    if let Some((x, inner)) = terms.as_with_constant(Op::Shl, a) {
        // Both are below the width, so the sum does not wrap, but it may not fit the word.
        let total = inner.bits() + amount as u128;
        if total >= width as u128 {
            return Some(terms.constant(Word::zero(width)));
        }
        return Some(terms.with_constant(Op::Shl, x, Word::new(width, total)));
    }
    if let Some((x, factor)) = terms.as_with_constant(Op::Mul, a) {
        let amount = Word::new(width, amount as u128);
        return Some(terms.with_constant(Op::Mul, x, Op::Shl.eval(&[factor, amount])));
    }
    None
}
