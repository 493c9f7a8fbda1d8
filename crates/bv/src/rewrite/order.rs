//! Order: `Ult` and `Slt` with the constant on the right, on as few bits as possible.

use super::bound;
use super::pattern::Extension;
use crate::{Domain, Op, Term, Terms, Word};

/// `a < b`. The rules hold for both orders unless they say which; the words have two bits
/// or more.
pub(super) fn rewrite(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    if a == b {
        return Some(terms.truth(false));
    }
    if let Some(decided) = by_bounds(terms, op, a, b) {
        return Some(terms.truth(decided));
    }
    // Where no sign is set, both orders are the same; the unsigned one has more rules.
    if op == Op::Slt && bound::natural(terms, a) && bound::natural(terms, b) {
        return Some(terms.ult(a, b));
    }
    // k < x iff not x < k + 1. The bounds have decided the case where k is the greatest.
    if let Some(word) = terms.known(&a) {
        let next = Op::Add.eval(&[word, Word::one(word.width())]);
        let not_above = terms.with_constant(op, b, next);
        return Some(terms.not(not_above));
    }
    // Complement turns both orders around.
    if let (Some(x), Some(y)) = (terms.as_not(a), terms.as_not(b)) {
        return Some(terms.apply(op, &[y, x]));
    }
    if let Some(word) = terms.known(&b) {
        return below_constant(terms, op, a, word);
    }
    let ((left, x), (right, y)) = (terms.as_extension(a)?, terms.as_extension(b)?);
    if left != right {
        return None;
    }
    // Both extensions keep the order of naturals; a sign extension also that of integers.
    // A zero extension leaves naturals, whatever order they are compared by.
    let narrow = if left == Extension::Zero { Op::Ult } else { op };
    let width = terms.width(&x).max(terms.width(&y));
    let (x, y) = (terms.apply(left.to(width), &[x]), terms.apply(left.to(width), &[y]));
    Some(terms.apply(narrow, &[x, y]))
}

fn by_bounds(terms: &Terms, op: Op, a: Term, b: Term) -> Option<bool> {
    fn decide<T: Ord>(a: (T, T), b: (T, T)) -> Option<bool> {
        if a.1 < b.0 { Some(true) } else { (a.0 >= b.1).then_some(false) }
    }
    match op {
        Op::Ult => decide(bound::unsigned(terms, a), bound::unsigned(terms, b)),
        _ => decide(bound::signed(terms, a), bound::signed(terms, b)),
    }
}

/// `a < word`. The bounds have decided the cases where this holds for all or for none.
fn below_constant(terms: &mut Terms, op: Op, a: Term, word: Word) -> Option<Term> {
    let width = word.width();
    let (least, greatest) = match op {
        Op::Ult => (Word::zero(width), Word::ones(width)),
        _ => (Word::signed_min(width), Word::signed_max(width)),
    };
    // Only the least number is below the one after it; all but the greatest are below it.
    if word == Op::Add.eval(&[least, Word::one(width)]) {
        return Some(terms.with_constant(Op::Eq, a, least));
    }
    if word == greatest {
        let equal = terms.with_constant(Op::Eq, a, greatest);
        return Some(terms.not(equal));
    }
    // Below 2^(w-1) as a natural: the sign is not set.
    if op == Op::Ult && word == Word::signed_min(width) {
        let negative = terms.with_constant(Op::Slt, a, Word::zero(width));
        return Some(terms.not(negative));
    }
    // ~x < k iff ~k < x.
    if let Some(x) = terms.as_not(a) {
        let limit = terms.constant(Op::Not.eval(&[word]));
        return Some(terms.apply(op, &[limit, x]));
    }
    // The sign of a concatenation is in its high part.
    if op == Op::Slt
        && word.is_zero()
        && let Some((high, _)) = terms.as_pair(Op::Concat, a)
    {
        let width = terms.width(&high);
        return Some(if width == 1 { high } else { terms.with_constant(Op::Slt, high, Word::zero(width)) });
    }
    let (extension, x) = terms.as_extension(a)?;
    narrow(terms, op, extension, x, word)
}

/// `extension(x) < word`, on the bits of `x`.
fn narrow(terms: &mut Terms, op: Op, extension: Extension, x: Term, word: Word) -> Option<Term> {
    let width = terms.width(&x);
    let narrowed = extension.narrowed(word, width);
    match (op, extension, narrowed) {
        (Op::Ult, _, Some(word)) => Some(terms.with_constant(Op::Ult, x, word)),
        // A natural below a natural that fits; the order does not matter.
        (Op::Slt, Extension::Zero, Some(word)) => Some(terms.with_constant(Op::Ult, x, word)),
        (Op::Slt, Extension::Sign, Some(word)) => Some(terms.with_constant(Op::Slt, x, word)),
        // The word lies in the gap of the unsigned order between the two halves of a sign
        // extension: above what has no sign, below what has one.
        (Op::Ult, Extension::Sign, None) => {
            let negative = terms.with_constant(Op::Slt, x, Word::zero(width));
            Some(terms.not(negative))
        }
        // Beyond the range of x: the bounds decide.
        _ => None,
    }
}
