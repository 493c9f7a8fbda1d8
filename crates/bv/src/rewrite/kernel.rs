//! The kernel: one spelling for operators that are others in disguise.
//!
//! Of two spellings one is kept, so that both become the same term and every other rule
//! needs to know one only. What is left: `Not`, `And` and `Eq` (and `Xor`, on words wider
//! than a truth value); `Ult` and `Slt`; `Add`, `Sub`, `Mul`; division and remainder;
//! shifts; the overflow predicates but `UsubO`; `Ite`, `Zext`, `Sext`, `Extract`, `Concat`.
//! Of the operators on floats `FSub` goes, and comparisons of what is not computed.
//!
//! On truth values arithmetic is logic: a sum modulo 2 is an exclusive or, the only
//! negative number is -1 (which is 1), and so on. Nothing but logic is left there, and
//! lowering relies on it.

use super::{float, float_order};
use crate::formula::{and, equal, not, slt, ult};
use crate::{Domain, Op, Term, Terms, Word};

/// The same in terms of the kernel, if this is not of the kernel. These rules are never
/// skipped, and none can lead back to its own start: each replaces an operator by ones that
/// stand before it in the list above.
pub(super) fn spell(terms: &mut Terms, op: Op, arguments: &[Term]) -> Option<Term> {
    let a = arguments[0];
    let width = terms.width(&a);
    match op {
        Op::Zext(to) | Op::Sext(to) if to == width => return Some(a),
        Op::Zext(to) if width == 1 => return Some(truth_as(terms, a, Word::one(to))),
        Op::Sext(to) if width == 1 => return Some(truth_as(terms, a, Word::ones(to))),
        Op::Extract { hi, lo } => return (hi - lo + 1 == width).then_some(a),
        Op::Neg if width == 1 => return Some(a),
        Op::Neg => {
            return Some(terms.sub(Word::zero(width), a));
        }
        Op::Not | Op::Ite | Op::Concat | Op::Zext(_) | Op::Sext(_) => return None,
        Op::ToSigned(_) | Op::ToUnsigned(_) => return None,
        _ if op.gives_float() => return float::spell(terms, op, arguments),
        _ => {}
    }
    let b = arguments[1];
    if width == 1
        && let Some(term) = logic(terms, op, a, b)
    {
        return Some(term);
    }
    match op {
        Op::Or => Some(terms.not(and(not(a), not(b)))),
        Op::Ne => Some(terms.not(equal(a, b))),
        Op::Ule => Some(terms.not(ult(b, a))),
        Op::Ugt => Some(terms.ult(b, a)),
        Op::Uge => Some(terms.not(ult(a, b))),
        Op::Sle => Some(terms.not(slt(b, a))),
        Op::Sgt => Some(terms.slt(b, a)),
        Op::Sge => Some(terms.not(slt(a, b))),
        // A difference of naturals is negative iff the first is less.
        Op::UsubO => Some(terms.ult(a, b)),
        Op::FEq | Op::FLt | Op::FLe => float_order::spell(terms, op, a, b),
        _ => None,
    }
}

/// Operators on truth values that have a name in logic.
fn logic(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    match op {
        Op::Add | Op::Sub | Op::Xor => Some(terms.not(equal(a, b))),
        Op::Mul => Some(terms.and(a, b)),
        // 1 + 1 and (-1) + (-1) and (-1) * (-1) are out of range, and nothing else is.
        Op::SaddO | Op::UaddO | Op::SmulO => Some(terms.and(a, b)),
        Op::UmulO => Some(terms.truth(false)),
        // 0 - (-1) is the only difference out of range.
        Op::SsubO => Some(terms.and(b, not(a))),
        Op::Ult => Some(terms.and(b, not(a))),
        // -1 is less than 0.
        Op::Slt => Some(terms.and(a, not(b))),
        // By one it is the dividend; by zero it is all ones, or 1 if signed: the same bit.
        Op::Udiv | Op::Sdiv => Some(terms.or(a, not(b))),
        // By one it is zero; by zero it is the dividend.
        Op::Urem | Op::Srem => Some(terms.and(a, not(b))),
        Op::Shl | Op::Lshr => Some(terms.and(a, not(b))),
        // The sign is the word, so it shifts in itself.
        Op::Ashr => Some(a),
        _ => None,
    }
}

/// A truth value as a wider word: this word where it is true, zero otherwise.
fn truth_as(terms: &mut Terms, truth: Term, word: Word) -> Term {
    terms.ite(truth, word, Word::zero(word.width()))
}
