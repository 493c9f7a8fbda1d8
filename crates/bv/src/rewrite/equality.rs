//! Equality: of what is left when both sides lose what they share.
//!
//! Most equalities compare an observation of the original with one of a mutant, so both
//! sides are built alike; what is on both goes, by laws that hold in both directions.

use super::affine::{self, Affine};
use super::bound;
use super::pattern::{Choice, Extension};
use crate::{Domain, Op, Term, Terms, Word};

/// `a = b`; a constant is `b`.
pub(super) fn rewrite(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if a == b {
        return Some(terms.truth(true));
    }
    if terms.complementary(a, b) {
        return Some(terms.truth(false));
    }
    if terms.width(&a) == 1 {
        return truths(terms, a, b);
    }
    if bounds_part(terms, a, b) {
        return Some(terms.truth(false));
    }
    if let Some(term) = affine_sides(terms, a, b) {
        return Some(term);
    }
    for (a, b) in [(a, b), (b, a)] {
        if let Some(term) = cancel(terms, a, b).or_else(|| choice(terms, a, b)) {
            return Some(term);
        }
    }
    if let Some(word) = terms.known(&b) {
        return with_constant(terms, a, word);
    }
    if let (Some(x), Some(y)) = (terms.as_not(a), terms.as_not(b)) {
        return Some(terms.equal(x, y));
    }
    if let (Some((high, low)), Some((other_high, other_low))) =
        (terms.as_pair(Op::Concat, a), terms.as_pair(Op::Concat, b))
        && terms.width(&low) == terms.width(&other_low)
    {
        let (high, low) = (terms.equal(high, other_high), terms.equal(low, other_low));
        return Some(terms.and(high, low));
    }
    // Extensions are injective. Of different sources, the narrower one is extended on.
    let ((left, x), (right, y)) = (terms.as_extension(a)?, terms.as_extension(b)?);
    if left != right {
        return None;
    }
    let width = terms.width(&x).max(terms.width(&y));
    let (x, y) = (terms.apply(left.to(width), &[x]), terms.apply(left.to(width), &[y]));
    Some(terms.equal(x, y))
}

fn truths(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if let Some(word) = terms.known(&b) {
        return Some(if word.is_true() { a } else { terms.not(a) });
    }
    for (a, b) in [(a, b), (b, a)] {
        if let Some(x) = terms.as_not(a) {
            let equal = terms.equal(x, b);
            return Some(terms.not(equal));
        }
        // a = (a & c) says that a implies c.
        if let Some((p, q)) = terms.as_pair(Op::And, b)
            && (p == a || q == a)
        {
            let consequence = if p == a { q } else { p };
            return Some(terms.implies(a, consequence));
        }
        // a = (a = c) says that c holds.
        if let Some((p, q)) = terms.as_pair(Op::Eq, b)
            && (p == a || q == a)
        {
            return Some(if p == a { q } else { p });
        }
    }
    None
}

fn bounds_part(terms: &Terms, a: Term, b: Term) -> bool {
    fn apart<T: Ord>(a: (T, T), b: (T, T)) -> bool {
        a.1 < b.0 || b.1 < a.0
    }
    apart(bound::unsigned(terms, a), bound::unsigned(terms, b))
        || apart(bound::signed(terms, a), bound::signed(terms, b))
}

/// Constants go to one side: `x + 1 = y + 3` becomes `x = y + 2`, with the older term alone.
fn affine_sides(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let (left, right) = (Affine::of(terms, a), Affine::of(terms, b));
    let x = left.term?;
    // ±x + k1 = k2
    let Some(y) = right.term else {
        if left.is_plain() {
            return None;
        }
        let (from, what) =
            if left.negative { (left.constant, right.constant) } else { (right.constant, left.constant) };
        return Some(terms.with_constant(Op::Eq, x, Op::Sub.eval(&[from, what])));
    };
    if left.negative != right.negative {
        return None;
    }
    // x = y + distance
    let distance = if left.negative {
        Op::Sub.eval(&[left.constant, right.constant])
    } else {
        Op::Sub.eval(&[right.constant, left.constant])
    };
    if x == y {
        return Some(terms.truth(distance.is_zero()));
    }
    let (x, y, distance) = if x < y { (x, y, distance) } else { (y, x, Op::Neg.eval(&[distance])) };
    let moved = affine::build(terms, false, y, distance);
    let unchanged = (x, moved) == (a, b) || (x, moved) == (b, a);
    (!unchanged).then(|| terms.equal(x, moved))
}

/// What a sum, a difference or an exclusive or has in common with the other side.
fn cancel(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(&a);
    for op in [Op::Add, Op::Xor] {
        let Some((p, q)) = terms.as_pair(op, a) else { continue };
        // p + q = p says that q is 0.
        if p == b || q == b {
            return Some(terms.with_constant(Op::Eq, if p == b { q } else { p }, Word::zero(width)));
        }
        if let Some((r, s)) = terms.as_pair(op, b) {
            for (p, q, r, s) in [(p, q, r, s), (p, q, s, r), (q, p, r, s), (q, p, s, r)] {
                if p == r {
                    return Some(terms.equal(q, s));
                }
            }
        }
    }
    if let Some((p, q)) = terms.as_pair(Op::Sub, a) {
        if p == b {
            return Some(terms.with_constant(Op::Eq, q, Word::zero(width)));
        }
        if let Some((r, s)) = terms.as_pair(Op::Sub, b) {
            if p == r {
                return Some(terms.equal(q, s));
            }
            if q == s {
                return Some(terms.equal(p, r));
            }
        }
    }
    None
}

/// A choice that has the other side among its own, or shares its condition.
fn choice(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let Choice { condition, then: p, otherwise: q } = terms.as_choice(a)?;
    // ite(c, b, q) = b says c, or else q = b.
    if p == b {
        let rest = terms.equal(q, b);
        return Some(terms.or(condition, rest));
    }
    if q == b {
        let rest = terms.equal(p, b);
        return Some(terms.implies(condition, rest));
    }
    // A constant on one side that is not the other constant rules that side out.
    if let Some(word) = terms.known(&b) {
        if terms.known(&p).is_some_and(|p| p != word) {
            let (other, rest) = (terms.not(condition), terms.equal(q, b));
            return Some(terms.and(other, rest));
        }
        if terms.known(&q).is_some_and(|q| q != word) {
            let rest = terms.equal(p, b);
            return Some(terms.and(condition, rest));
        }
        return None;
    }
    let Choice { condition: other_condition, then: r, otherwise: s } = terms.as_choice(b)?;
    if condition == other_condition {
        if p == r {
            let rest = terms.equal(q, s);
            return Some(terms.or(condition, rest));
        }
        if q == s {
            let rest = terms.equal(p, r);
            return Some(terms.implies(condition, rest));
        }
    }
    // Choices between the same two different constants are equal iff the conditions are.
    if terms.known(&p)? != terms.known(&q)? {
        if (p, q) == (r, s) {
            return Some(terms.equal(condition, other_condition));
        }
        if (p, q) == (s, r) {
            let equal = terms.equal(condition, other_condition);
            return Some(terms.not(equal));
        }
    }
    None
}

/// `x % by = 0`, where signs and high bits do not matter.
fn divides(terms: &mut Terms, x: Term, by: Term) -> Option<Term> {
    // -x is divided by what divides x; of the least number, which is its own negation, that is true as well.
    if let Some(opposite) = terms.as_opposite(x) {
        let rest = terms.apply(Op::Srem, &[opposite, by]);
        let zero = Word::zero(terms.width(&x));
        return Some(terms.with_constant(Op::Eq, rest, zero));
    }
    // A power of two divides what has no bits below it. The rewriting of remainders has dealt with 1.
    let power = terms.known(&by).filter(|by| by.bits().is_power_of_two() && by.bits() > 1)?;
    let low = terms.extract(x, power.bits().trailing_zeros() - 1, 0);
    let zero = Word::zero(terms.width(&low));
    Some(terms.with_constant(Op::Eq, low, zero))
}

/// `a = word`
fn with_constant(terms: &mut Terms, a: Term, word: Word) -> Option<Term> {
    let width = word.width();
    if let Some(x) = terms.as_not(a) {
        return Some(terms.with_constant(Op::Eq, x, Op::Not.eval(&[word])));
    }
    if word.is_zero()
        && let Some((p, q)) = terms.as_pair(Op::Sub, a).or_else(|| terms.as_pair(Op::Xor, a))
    {
        return Some(terms.equal(p, q));
    }
    if word.is_zero()
        && let Some((x, by)) = terms.as_pair(Op::Srem, a)
        && let Some(term) = divides(terms, x, by)
    {
        return Some(term);
    }
    if let Some((x, inner)) = terms.as_with_constant(Op::Xor, a) {
        return Some(terms.with_constant(Op::Eq, x, Op::Xor.eval(&[inner, word])));
    }
    if let Some((x, mask)) = terms.as_with_constant(Op::And, a) {
        if word.bits() & !mask.bits() != 0 {
            return Some(terms.truth(false));
        }
        // One bit: it is set or it is not.
        if mask.bits().is_power_of_two() {
            let at = mask.bits().trailing_zeros();
            let bit = terms.extract(x, at, at);
            return Some(if word.is_zero() { terms.not(bit) } else { bit });
        }
        return None;
    }
    if let Some((x, amount)) = terms.as_with_constant(Op::Shl, a)
        && amount.bits() < width as u128
    {
        // The low bits are zero, and the high bits of x are lost.
        let amount = amount.bits() as u32;
        if word.bits().trailing_zeros() < amount && !word.is_zero() {
            return Some(terms.truth(false));
        }
        let kept = terms.extract(x, width - 1 - amount, 0);
        return Some(terms.with_constant(Op::Eq, kept, Word::new(width - amount, word.bits() >> amount)));
    }
    if let Some((high, low)) = terms.as_pair(Op::Concat, a) {
        let (high_width, low_width) = (terms.width(&high), terms.width(&low));
        let high = terms.with_constant(Op::Eq, high, Word::new(high_width, word.bits() >> low_width));
        let low = terms.with_constant(Op::Eq, low, Word::new(low_width, word.bits()));
        return Some(terms.and(high, low));
    }
    let (extension, x): (Extension, Term) = terms.as_extension(a)?;
    match extension.narrowed(word, terms.width(&x)) {
        Some(narrow) => Some(terms.with_constant(Op::Eq, x, narrow)),
        None => Some(terms.truth(false)),
    }
}
