//! Affine forms: sums keep their constant outermost and their sign in one place.
//!
//! Every sum is kept as `x`, `x + k` or `k - x`, where `k` is a constant and `x` has no
//! constant of that kind in it; two sums are added by adding the `x` and the `k`
//! apart. All equations hold modulo 2^w, so there is no side condition. `Not` takes part
//! where it costs nothing: `~x` is `-x - 1`.
//!
//! Longer sums are not sorted: `(a + b) + c` and `a + (b + c)` stay two terms. Sorting tears
//! shared parts of sums apart, and mutants rarely reassociate.

use crate::{Domain, Op, Term, Terms, Word};

/// `x + k`, or `k - x` if negative. Without an `x`, just `k`.
pub(super) struct Affine {
    pub(super) negative: bool,
    pub(super) term: Option<Term>,
    pub(super) constant: Word,
}

/// `a + b` or `a - b`.
pub(super) fn sum(terms: &mut Terms, op: Op, a: Term, b: Term) -> Term {
    // ~x - ~y is y - x.
    if op == Op::Sub
        && let (Some(x), Some(y)) = (terms.as_not(a), terms.as_not(b))
    {
        return terms.sub(y, x);
    }
    let (left, mut right) = (Affine::of(terms, a), Affine::of(terms, b));
    if op == Op::Sub {
        right.negative = !right.negative;
        right.constant = Op::Neg.eval(&[right.constant]);
    }
    let constant = Op::Add.eval(&[left.constant, right.constant]);
    let (negative, term) = match (left.term, right.term) {
        (None, None) => return terms.constant(constant),
        (Some(x), None) => (left.negative, x),
        (None, Some(y)) => (right.negative, y),
        (Some(x), Some(y)) => match (left.negative, right.negative) {
            (false, false) => (false, add(terms, x, y)),
            (true, true) => (true, add(terms, x, y)),
            (false, true) => (false, subtract(terms, x, y)),
            (true, false) => (false, subtract(terms, y, x)),
        },
    };
    build(terms, negative, term, constant)
}

/// The canonical term for `constant ± term`.
pub(super) fn build(terms: &mut Terms, negative: bool, term: Term, constant: Word) -> Term {
    let inner = Affine::of(terms, term);
    let sign = if negative { Op::Sub } else { Op::Add };
    let constant = sign.eval(&[constant, inner.constant]);
    let Some(x) = inner.term else { return terms.constant(constant) };
    let negative = negative != inner.negative;
    let one = Word::one(constant.width());
    if !negative && constant.is_zero() {
        return x;
    }
    // ~y + k is (k - 1) - y, and k - ~y is y + (k + 1).
    if let Some(y) = terms.as_not(x) {
        let step = if negative { Op::Add } else { Op::Sub };
        return build(terms, !negative, y, step.eval(&[constant, one]));
    }
    if !negative {
        let constant = terms.constant(constant);
        return terms.plain(Op::Add, &[x, constant]);
    }
    // k - (p - q) is (q - p) + k.
    if let Some((p, q)) = terms.as_pair(Op::Sub, x) {
        let turned = subtract(terms, q, p);
        return build(terms, false, turned, constant);
    }
    // -1 - x is ~x.
    if constant.is_ones() {
        return terms.plain(Op::Not, &[x]);
    }
    let constant = terms.constant(constant);
    terms.plain(Op::Sub, &[constant, x])
}

impl Affine {
    pub(super) fn of(terms: &Terms, term: Term) -> Affine {
        if let Some(constant) = terms.known(&term) {
            return Affine { negative: false, term: None, constant };
        }
        if let Some((x, constant)) = terms.as_with_constant(Op::Add, term) {
            return Affine { negative: false, term: Some(x), constant };
        }
        if let Some((constant, x)) = terms.as_pair(Op::Sub, term)
            && let Some(constant) = terms.known(&constant)
        {
            return Affine { negative: true, term: Some(x), constant };
        }
        Affine { negative: false, term: Some(term), constant: Word::zero(terms.width(&term)) }
    }

    /// Whether this is a term as it stands.
    pub(super) fn is_plain(&self) -> bool {
        !self.negative && self.constant.is_zero()
    }
}

/// `x + y`, both without constants.
fn add(terms: &mut Terms, x: Term, y: Term) -> Term {
    // (a - y) + y is a.
    for (x, y) in [(x, y), (y, x)] {
        if let Some((a, b)) = terms.as_pair(Op::Sub, x)
            && b == y
        {
            return a;
        }
    }
    if x == y {
        let one = Word::one(terms.width(&x));
        return terms.with_constant(Op::Shl, x, one);
    }
    terms.plain(Op::Add, &[x.min(y), x.max(y)])
}

/// `x - y`, both without constants.
fn subtract(terms: &mut Terms, x: Term, y: Term) -> Term {
    let zero = Word::zero(terms.width(&x));
    if x == y {
        return terms.constant(zero);
    }
    if let Some((p, q)) = terms.as_pair(Op::Add, x) {
        if p == y {
            return q;
        }
        if q == y {
            return p;
        }
    }
    if let Some((p, q)) = terms.as_pair(Op::Add, y) {
        if p == x {
            return build(terms, true, q, zero);
        }
        if q == x {
            return build(terms, true, p, zero);
        }
    }
    // (y - q) - y is -q, and x - (x - q) is q.
    if let Some((p, q)) = terms.as_pair(Op::Sub, x)
        && p == y
    {
        return build(terms, true, q, zero);
    }
    if let Some((p, q)) = terms.as_pair(Op::Sub, y)
        && p == x
    {
        return q;
    }
    terms.plain(Op::Sub, &[x, y])
}
