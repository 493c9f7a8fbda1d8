//! Products: constants outermost, powers of two as shifts, signs outside.
//!
//! All equations hold modulo 2^w.

use crate::{Domain, Op, Term, Terms, Word};

pub(super) fn rewrite(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if let Some(factor) = terms.known(&b) {
        return by_constant(terms, a, factor);
    }
    for (a, b) in [(a, b), (b, a)] {
        // (x * k) * b is (x * b) * k.
        for op in [Op::Mul, Op::Shl] {
            if let Some((x, factor)) = terms.as_with_constant(op, a) {
                let product = terms.mul(x, b);
                return Some(terms.with_constant(op, product, factor));
            }
        }
        if let Some(x) = terms.as_opposite(a) {
            let product = terms.mul(x, b);
            return Some(terms.neg(product));
        }
    }
    None
}

fn by_constant(terms: &mut Terms, a: Term, factor: Word) -> Option<Term> {
    let width = factor.width();
    if factor.is_zero() {
        return Some(terms.constant(factor));
    }
    if factor.bits() == 1 {
        return Some(a);
    }
    if factor.is_ones() {
        return Some(terms.neg(a));
    }
    if factor.bits().is_power_of_two() {
        let amount = Word::new(width, factor.bits().trailing_zeros() as u128);
        return Some(terms.with_constant(Op::Shl, a, amount));
    }
    if let Some((x, inner)) = terms.as_with_constant(Op::Mul, a) {
        return Some(terms.with_constant(Op::Mul, x, Op::Mul.eval(&[inner, factor])));
    }
    if let Some((x, amount)) = terms.as_with_constant(Op::Shl, a) {
        return Some(terms.with_constant(Op::Mul, x, Op::Shl.eval(&[factor, amount])));
    }
    if let Some(x) = terms.as_opposite(a) {
        return Some(terms.with_constant(Op::Mul, x, Op::Neg.eval(&[factor])));
    }
    None
}
