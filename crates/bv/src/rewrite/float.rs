//! Floats: arithmetic has one spelling, and what bits can say needs no arithmetic.
//!
//! Solvers are slow at floats, and slowest at square roots and division. So operations that
//! change nothing but a sign, or nothing at all, become operations on bits, divisions by
//! powers of two become products, and conversions there and back again go.
//!
//! Few laws of arithmetic hold: sums and products commute, and that is nearly all. And where
//! an operation would be the identity, it still makes every NaN the same one (`quiet`).

use smallvec::SmallVec;

use super::bound;
use super::pattern::{Choice, Extension, Slice};
use crate::float::{self, Format};
use crate::{Domain, Node, Op, Term, Terms, Word};

/// How many terms are looked at to see where a float comes from: the last few joins of
/// paths, behind which there mostly is an operation.
const LOOKS: usize = 16;

/// What changes nothing but the sign of a float.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Negated,
    Absolute,
}

impl Terms {
    /// Whether this float comes from arithmetic on floats, as far as a look at the last few
    /// choices tells. If so, it is better not taken apart into bits.
    pub(crate) fn is_computed(&self, term: Term) -> bool {
        let (seen, _) = self.alternatives(term);
        seen.into_iter().any(|term| self.gives_float(term))
    }

    /// Whether this float, if it is a NaN, is the one that operations give. False where a look
    /// at the last few choices does not tell.
    pub(crate) fn is_quiet(&self, term: Term) -> bool {
        let (seen, all) = self.alternatives(term);
        let quiet = |term: Term| match self.node(term) {
            Node::Constant(word) => !float::is_nan(*word) || *word == float::nan(word.width()),
            Node::Apply(Op::Ite, _) => true,
            _ => self.gives_float(term) || matches!(self.as_sign_change(term), Some((Sign::Absolute, _))),
        };
        all && seen.into_iter().all(quiet)
    }

    /// `-x` or `|x|`, as a float.
    pub(crate) fn as_sign_change(&self, term: Term) -> Option<(Sign, Term)> {
        let width = self.width(&term);
        if let Some((x, word)) = self.as_with_constant(Op::Xor, term) {
            return (word == Word::signed_min(width)).then_some((Sign::Negated, x));
        }
        let (Extension::Zero, low) = self.as_extension(term)? else { return None };
        let Slice { word: x, hi, lo } = self.as_slice(low)?;
        (self.width(&x) == width && (hi, lo) == (width - 2, 0)).then_some((Sign::Absolute, x))
    }

    /// The float `-x` where there is a simpler way to say `x`: a constant, or a negation.
    pub(super) fn negation_of(&mut self, term: Term) -> Option<Term> {
        if let Some(word) = self.known(&term) {
            return Some(self.constant(Op::Xor.eval(&[word, Word::signed_min(word.width())])));
        }
        self.as_negated(term)
    }

    pub(super) fn as_negated(&self, term: Term) -> Option<Term> {
        self.as_sign_change(term).filter(|(sign, _)| *sign == Sign::Negated).map(|(_, x)| x)
    }

    fn gives_float(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Apply(op, _) if op.gives_float())
    }

    /// What may be chosen for this float, its sign aside, with the choices themselves; and
    /// whether that is all.
    fn alternatives(&self, term: Term) -> (SmallVec<[Term; LOOKS]>, bool) {
        let mut seen: SmallVec<[Term; LOOKS]> = SmallVec::from_slice(&[term]);
        let mut at = 0;
        while let Some(&term) = seen.get(at) {
            at += 1;
            let next: SmallVec<[Term; 2]> = match (self.as_choice(term), self.as_sign_change(term)) {
                (Some(Choice { then, otherwise, .. }), _) => SmallVec::from_slice(&[then, otherwise]),
                (_, Some((_, x))) => SmallVec::from_slice(&[x]),
                _ => continue,
            };
            if seen.len() + next.len() > LOOKS {
                return (seen, false);
            }
            seen.extend(next);
        }
        (seen, true)
    }
}

/// Operators that are others in disguise; see `kernel`.
pub(super) fn spell(terms: &mut Terms, op: Op, arguments: &[Term]) -> Option<Term> {
    let a = arguments[0];
    let width = terms.width(&a);
    match op {
        Op::FSub => {
            let minus_b = terms.with_constant(Op::Xor, arguments[1], Word::signed_min(width));
            Some(terms.apply(Op::FAdd, &[a, minus_b]))
        }
        Op::FResize(to) if to == width => Some(quiet(terms, a)),
        // Nothing is left to convert, and solvers are strange about integers of one bit.
        Op::FromSigned(_) | Op::FromUnsigned(_) if width == 1 => {
            let [yes, no] = [true, false].map(|truth| terms.constant(op.eval(&[Word::truth(truth)])));
            Some(terms.ite(a, yes, no))
        }
        _ => None,
    }
}

/// An operation that gives a float. Of two arguments that commute, a constant is `b`.
pub(super) fn rewrite(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    let nan = [a, b].into_iter().find(|term| terms.known(term).is_some_and(float::is_nan));
    if nan.is_some() {
        let width = if let Op::FResize(to) = op { to } else { terms.width(&a) };
        return Some(terms.constant(float::nan(width)));
    }
    match op {
        Op::FAdd => sum(terms, a, b),
        Op::FMul => product(terms, a, b).or_else(|| without_signs(terms, op, a, b)),
        Op::FDiv => quotient(terms, a, b).or_else(|| without_signs(terms, op, a, b)),
        Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRint | Op::FRoundAway => {
            is_integral(terms, a).then_some(a)
        }
        Op::FResize(to) => resized(terms, to, a),
        _ => None,
    }
}

/// An integer as a float, from as few bits as possible.
pub(super) fn from_integer(terms: &mut Terms, op: Op, a: Term) -> Option<Term> {
    let (signed, to) = match op {
        Op::FromSigned(to) => (true, to),
        Op::FromUnsigned(to) => (false, to),
        _ => unreachable!("{} takes no integer", op.name()),
    };
    match terms.as_extension(a) {
        Some((Extension::Zero, x)) => return Some(terms.apply(Op::FromUnsigned(to), &[x])),
        Some((Extension::Sign, x)) if signed => return Some(terms.apply(op, &[x])),
        _ => {}
    }
    (signed && bound::natural(terms, a)).then(|| terms.apply(Op::FromUnsigned(to), &[a]))
}

/// A float as an integer. There and back again is where it was, if nothing was lost.
pub(super) fn to_integer(terms: &mut Terms, op: Op, a: Term) -> Option<Term> {
    let (signed, x) = exact_integer(terms, a)?;
    let width = terms.width(&x);
    match (op, signed) {
        (Op::ToSigned(to), true) if to >= width => Some(terms.sext(x, to)),
        (Op::ToSigned(to), false) if to > width => Some(terms.zext(x, to)),
        (Op::ToUnsigned(to), false) if to >= width => Some(terms.zext(x, to)),
        _ => None,
    }
}

/// The integer that became this float without being rounded, and whether it has a sign.
pub(super) fn exact_integer(terms: &Terms, term: Term) -> Option<(bool, Term)> {
    let (signed, x) = match terms.node(term) {
        Node::Apply(Op::FromSigned(_), arguments) => (true, arguments[0]),
        Node::Apply(Op::FromUnsigned(_), arguments) => (false, arguments[0]),
        _ => return None,
    };
    let format = Format::of(terms.width(&term))?;
    // Of a signed integer one bit is the sign; the least one is a power of two.
    let bits = terms.width(&x) - signed as u32;
    (bits <= format.significand).then_some((signed, x))
}

/// The `float` that became this `double`.
pub(super) fn narrower(terms: &Terms, term: Term) -> Option<Term> {
    match terms.node(term) {
        Node::Apply(Op::FResize(64), arguments) => Some(arguments[0]),
        _ => None,
    }
}

/// The float itself; a NaN becomes the one that operations give.
fn quiet(terms: &mut Terms, a: Term) -> Term {
    if terms.is_quiet(a) {
        return a;
    }
    let number = terms.feq(a, a);
    let nan = terms.constant(float::nan(terms.width(&a)));
    terms.ite(number, a, nan)
}

fn sum(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let word = terms.known(&b)?;
    let minus_zero = Word::signed_min(word.width());
    if word == minus_zero {
        return Some(quiet(terms, a));
    }
    // Only -0 + 0 is neither.
    if word.is_zero() {
        let negative = terms.with_constant(Op::Eq, a, minus_zero);
        let same = quiet(terms, a);
        return Some(terms.ite(negative, b, same));
    }
    None
}

fn product(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(&a);
    match float::value(terms.known(&b)?) {
        1.0 => Some(quiet(terms, a)),
        -1.0 => {
            let negated = terms.with_constant(Op::Xor, a, Word::signed_min(width));
            Some(quiet(terms, negated))
        }
        // Exact but for overflow, either way; and a sum is the smaller circuit.
        2.0 => Some(terms.apply(Op::FAdd, &[a, a])),
        _ => None,
    }
}

/// To divide by a power of two is to multiply by another one, if that is a float too.
fn quotient(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(&b);
    let divisor = terms.known(&b)?;
    let one = float::word(width, 1.0);
    let inverse = Op::FDiv.eval(&[one, divisor]);
    // A normal float without a fraction is a power of two; if both are, nothing was rounded.
    let fraction = Word::new(Format::of(width)?.significand - 1, u128::MAX).bits();
    let power = |word: Word| word.bits() & fraction == 0 && float::value(word).is_normal();
    (power(divisor) && power(inverse)).then(|| terms.with_constant(Op::FMul, a, inverse))
}

/// `-x * -y` is `x * y`, and a quotient likewise; a constant changes its sign for free.
fn without_signs(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    if terms.as_negated(a).is_none() && terms.as_negated(b).is_none() {
        return None;
    }
    let (x, y) = (terms.negation_of(a)?, terms.negation_of(b)?);
    Some(terms.apply(op, &[x, y]))
}

fn is_integral(terms: &Terms, a: Term) -> bool {
    use Op::*;
    matches!(terms.node(a), Node::Apply(FFloor | FCeil | FTrunc | FRint | FRoundAway, _))
        || matches!(terms.node(a), Node::Apply(FromSigned(_) | FromUnsigned(_), _))
}

/// A float in another format.
fn resized(terms: &mut Terms, to: u32, a: Term) -> Option<Term> {
    if let Some(x) = narrower(terms, a) {
        return Some(quiet(terms, x));
    }
    let (signed, x) = exact_integer(terms, a)?;
    Some(terms.apply(if signed { Op::FromSigned(to) } else { Op::FromUnsigned(to) }, &[x]))
}
