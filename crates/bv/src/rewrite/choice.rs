//! Choice: `Ite` with as few conditions, and as few spellings, as possible.
//!
//! Joins of paths are choices, and a mutated condition is a choice with another condition;
//! that `a < b ? a : b` and `a <= b ? a : b` are one minimum is the classic equivalent
//! mutant.

use super::pattern::Choice;
use crate::formula::not;
use crate::{Domain, Op, Term, Terms, Word};

/// `condition ? a : b`
pub(super) fn rewrite(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Option<Term> {
    if let Some(word) = terms.known(&condition) {
        return Some(if word.is_true() { a } else { b });
    }
    if a == b {
        return Some(a);
    }
    if let Some(opposite) = terms.as_not(condition) {
        return Some(terms.ite(opposite, b, a));
    }
    if terms.width(&a) == 1
        && let Some(term) = truths(terms, condition, a, b)
    {
        return Some(term);
    }
    nested(terms, condition, a, b)
        .or_else(|| by_equality(terms, condition, a, b))
        .or_else(|| by_order(terms, condition, a, b))
        .or_else(|| extended(terms, condition, a, b))
}

/// Choices between truth values are connectives where one side is settled.
fn truths(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Option<Term> {
    // Below the condition it is true, and below its negation false.
    if let Some(yes) = terms.known(&a).map(Word::is_true).or((a == condition).then_some(true)) {
        return Some(if yes { terms.or(condition, b) } else { terms.and(b, not(condition)) });
    }
    if let Some(no) = terms.known(&b).map(Word::is_true).or((b == condition).then_some(false)) {
        return Some(if no { terms.implies(condition, a) } else { terms.and(condition, a) });
    }
    if terms.complementary(a, condition) {
        return Some(terms.and(b, not(condition)));
    }
    if terms.complementary(b, condition) {
        return Some(terms.implies(condition, a));
    }
    // c ? a : !a says that c and a agree.
    if terms.complementary(a, b) {
        return Some(terms.equal(condition, a));
    }
    // The first side is never a negation.
    let opposite = terms.as_not(a)?;
    let b = terms.not(b);
    let choice = terms.ite(condition, opposite, b);
    Some(terms.not(choice))
}

/// Choices inside of choices, with the same condition or the same sides.
fn nested(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Option<Term> {
    if let Some(Choice { condition: inner, then: p, otherwise: q }) = terms.as_choice(a) {
        if inner == condition {
            return Some(terms.ite(condition, p, b));
        }
        // c ? (d ? p : b) : b is c & d ? p : b.
        if q == b {
            let both = terms.and(condition, inner);
            return Some(terms.ite(both, p, b));
        }
        if p == b {
            let both = terms.and(condition, not(inner));
            return Some(terms.ite(both, q, b));
        }
    }
    if let Some(Choice { condition: inner, then: p, otherwise: q }) = terms.as_choice(b) {
        if inner == condition {
            return Some(terms.ite(condition, a, q));
        }
        // c ? a : (d ? a : q) is c | d ? a : q.
        if p == a {
            let either = terms.or(condition, inner);
            return Some(terms.ite(either, a, q));
        }
        if q == a {
            let either = terms.implies(inner, condition);
            return Some(terms.ite(either, a, p));
        }
    }
    None
}

/// `p = q ? p : b` is `p = q ? q : b`: below an equation either side will do.
fn by_equality(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Option<Term> {
    let (p, q) = terms.as_pair(Op::Eq, condition)?;
    // p = q ? p : q is q, as the other side is what is chosen in both cases.
    if (a, b) == (p, q) || (a, b) == (q, p) {
        return Some(b);
    }
    // A constant is the better of the two, and stands on the right.
    (a == p && terms.known(&q).is_some()).then(|| terms.ite(condition, q, b))
}

/// Minimum and maximum. Where both sides are what is compared, it does not matter which is
/// chosen when they are equal, so `<` and `<=` are the same, in either direction.
fn by_order(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Option<Term> {
    let order = [Op::Ult, Op::Slt].into_iter().find(|op| terms.as_pair(*op, condition).is_some())?;
    let (p, q) = terms.as_pair(order, condition)?;
    // p < q ? x : y is q < p ? y : x then; the older one comes first.
    if ((a, b) == (p, q) || (a, b) == (q, p)) && p > q && terms.known(&q).is_none() {
        let turned = terms.apply(order, &[q, p]);
        return Some(terms.ite(turned, b, a));
    }
    let limit = terms.known(&q)?;
    let other = match (a == p, b == p) {
        (true, _) => terms.known(&b)?,
        (_, true) => terms.known(&a)?,
        _ => return None,
    };
    let (least, greatest) = match (order, limit.width()) {
        (Op::Ult, width) => (Word::zero(width), Word::ones(width)),
        (_, width) => (Word::signed_min(width), Word::signed_max(width)),
    };
    let before = |word: Word| Op::Sub.eval(&[word, Word::one(word.width())]);
    // x <= k is written x < k + 1; beside k itself, x < k does it. (Nothing is before the
    // least number, but x < least is never true, and folded elsewhere.)
    if limit != least && other == before(limit) {
        let strictly = terms.with_constant(order, p, other);
        return Some(terms.ite(strictly, a, b));
    }
    // Beside the last number but one, x <= k is written x != greatest.
    if other == limit && limit == before(greatest) {
        let last = terms.with_constant(Op::Eq, p, greatest);
        return Some(terms.ite(last, b, a));
    }
    None
}

/// Extensions of both sides go outwards, so that a choice between small numbers is narrow,
/// and meets the comparison, which is narrow too.
fn extended(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Option<Term> {
    let extension = terms.as_extension(a).or_else(|| terms.as_extension(b))?.0;
    let width =
        [a, b].into_iter().filter_map(|side| Some(terms.width(&terms.as_extension(side)?.1))).max()?;
    let mut narrow = [a, b];
    for side in &mut narrow {
        *side = match (terms.as_extension(*side), terms.known(side)) {
            (Some((own, x)), _) if own == extension => terms.apply(extension.to(width), &[x]),
            (_, Some(word)) => {
                let word = extension.narrowed(word, width)?;
                terms.constant(word)
            }
            _ => return None,
        };
    }
    let choice = terms.ite(condition, narrow[0], narrow[1]);
    Some(terms.apply(extension.to(terms.width(&a)), &[choice]))
}
