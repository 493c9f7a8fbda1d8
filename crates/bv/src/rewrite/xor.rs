//! Exclusive or and complement, on words.
//!
//! Complements are pulled out of exclusive ors, and constants outwards; `~x` is also
//! `-1 - x`, so a complement goes into a sum that has a constant already.

use super::affine::{self, Affine};
use crate::{Domain, Op, Term, Terms, Word};

pub(super) fn rewrite(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(&a);
    if a == b {
        return Some(terms.constant(Word::zero(width)));
    }
    if let Some(word) = terms.known(&b) {
        if word.is_zero() {
            return Some(a);
        }
        if word.is_ones() {
            return Some(terms.not(a));
        }
    }
    for (a, b) in [(a, b), (b, a)] {
        // ~x ^ k is x ^ ~k, and ~x ^ y is ~(x ^ y).
        if let Some(x) = terms.as_not(a) {
            if let Some(word) = terms.known(&b) {
                return Some(terms.with_constant(Op::Xor, x, Op::Not.eval(&[word])));
            }
            let xor = terms.xor(x, b);
            return Some(terms.not(xor));
        }
        if let Some((x, inner)) = terms.as_with_constant(Op::Xor, a) {
            if let Some(word) = terms.known(&b) {
                return Some(terms.with_constant(Op::Xor, x, Op::Xor.eval(&[inner, word])));
            }
            let xor = terms.xor(x, b);
            return Some(terms.with_constant(Op::Xor, xor, inner));
        }
        if let Some((x, y)) = terms.as_pair(Op::Xor, a) {
            if x == b {
                return Some(y);
            }
            if y == b {
                return Some(x);
            }
        }
    }
    None
}

/// `~a`
pub(super) fn complement(terms: &mut Terms, a: Term) -> Option<Term> {
    if let Some(x) = terms.as_not(a) {
        return Some(x);
    }
    // Arithmetic on truth values is logic already.
    if terms.width(&a) == 1 {
        return None;
    }
    if let Some((x, word)) = terms.as_with_constant(Op::Xor, a) {
        return Some(terms.with_constant(Op::Xor, x, Op::Not.eval(&[word])));
    }
    let inner = Affine::of(terms, a);
    let difference = terms.as_pair(Op::Sub, a).is_some();
    if inner.is_plain() && !difference {
        return None;
    }
    // ~(x + k) is ~k - x, ~(k - x) is x + ~k, and ~(p - q) is (q - p) - 1.
    Some(affine::build(terms, true, a, Word::ones(inner.constant.width())))
}
