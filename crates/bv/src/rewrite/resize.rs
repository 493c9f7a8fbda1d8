//! Resizing: extensions, slices and concatenations move bits and compute nothing.
//!
//! Slices go inwards, to where the bits come from; extensions go outwards. Concatenations
//! are written from the right, `Concat(a, Concat(b, c))`, and neighbours that came from one
//! word become one slice of it: a word that was stored as bytes and loaded again is itself.

use super::narrow;
use super::pattern::{Extension, Slice};
use crate::{Domain, Node, Op, Term, Terms, Word};

/// An extension to a width that is larger, of a word of two bits or more.
pub(super) fn extend(terms: &mut Terms, op: Op, a: Term, to: u32) -> Option<Term> {
    if let Some((inner, x)) = terms.as_extension(a) {
        // What was extended with zeros has no sign.
        if inner == Extension::Zero || matches!(op, Op::Sext(_)) {
            return Some(terms.apply(inner.to(to), &[x]));
        }
    }
    if matches!(op, Op::Sext(_)) && super::bound::natural(terms, a) {
        return Some(terms.zext(a, to));
    }
    None
}

/// The bits from `hi` down to `lo`, which are not all.
pub(super) fn extract(terms: &mut Terms, a: Term, hi: u32, lo: u32) -> Option<Term> {
    let width = terms.width(&a);
    let Node::Apply(op, arguments) = *terms.node(a) else { return sign(terms, a, hi, lo) };
    let x = arguments[0];
    match op {
        Op::Extract { lo: inner, .. } => Some(terms.extract(x, hi + inner, lo + inner)),
        Op::Concat => {
            let (high, low) = (x, arguments[1]);
            let cut = terms.width(&low);
            if lo >= cut {
                return Some(terms.extract(high, hi - cut, lo - cut));
            }
            if hi < cut {
                return Some(terms.extract(low, hi, lo));
            }
            let (high, low) = (terms.extract(high, hi - cut, 0), terms.extract(low, cut - 1, lo));
            Some(terms.concat(high, low))
        }
        Op::Zext(_) | Op::Sext(_) => {
            let source = terms.width(&x);
            if hi < source {
                return Some(terms.extract(x, hi, lo));
            }
            if lo >= source && matches!(op, Op::Zext(_)) {
                return Some(terms.constant(Word::zero(hi - lo + 1)));
            }
            // From the source what there is, if only its sign, and then the extension's bits.
            let kept = terms.extract(x, source - 1, lo.min(source - 1));
            let extension = if matches!(op, Op::Zext(_)) { Extension::Zero } else { Extension::Sign };
            Some(terms.apply(extension.to(hi - lo + 1), &[kept]))
        }
        Op::Shl => {
            let amount = terms.known(&arguments[1]).map(Word::bits)?;
            let amount = u32::try_from(amount).unwrap_or(width).min(width);
            if hi < amount {
                return Some(terms.constant(Word::zero(hi - lo + 1)));
            }
            if lo >= amount {
                return Some(terms.extract(x, hi - amount, lo - amount));
            }
            narrow::low_bits(terms, a, hi, lo).or_else(|| sign(terms, a, hi, lo))
        }
        Op::And if terms.known(&arguments[1]).is_some() => {
            let mask = terms.known(&arguments[1])?;
            let slice = Op::Extract { hi, lo }.eval(&[mask]);
            if slice.is_zero() {
                return Some(terms.constant(slice));
            }
            if slice.is_ones() {
                return Some(terms.extract(x, hi, lo));
            }
            narrow::low_bits(terms, a, hi, lo).or_else(|| sign(terms, a, hi, lo))
        }
        _ => narrow::low_bits(terms, a, hi, lo).or_else(|| sign(terms, a, hi, lo)),
    }
}

/// The highest bit alone says whether the number is negative.
fn sign(terms: &mut Terms, a: Term, hi: u32, lo: u32) -> Option<Term> {
    let width = terms.width(&a);
    (lo == width - 1 && hi == lo).then(|| terms.with_constant(Op::Slt, a, Word::zero(width)))
}

pub(super) fn concat(terms: &mut Terms, high: Term, low: Term) -> Option<Term> {
    let width = terms.width(&high) + terms.width(&low);
    // Zeros on top are a zero extension, of whatever is below them.
    if terms.known(&high).is_some_and(Word::is_zero) {
        return Some(terms.zext(low, width));
    }
    if let Some((Extension::Zero, x)) = terms.as_extension(high) {
        let narrow = terms.concat(x, low);
        return Some(terms.zext(narrow, width));
    }
    if let Some((p, q)) = terms.as_pair(Op::Concat, high) {
        let rest = terms.concat(q, low);
        return Some(terms.concat(p, rest));
    }
    if let Some(joined) = neighbours(terms, high, low) {
        return Some(joined);
    }
    let (p, q) = terms.as_pair(Op::Concat, low)?;
    let joined = match (terms.known(&high), terms.known(&p)) {
        (Some(_), Some(_)) => terms.concat(high, p),
        _ => neighbours(terms, high, p)?,
    };
    Some(terms.concat(joined, q))
}

/// Two slices of one word that lie side by side.
fn neighbours(terms: &mut Terms, high: Term, low: Term) -> Option<Term> {
    // A single highest bit is spelled as a comparison, so it is looked for in that form.
    let (high, low) = (slice(terms, high)?, slice(terms, low)?);
    let are_neighbours = high.word == low.word && high.lo == low.hi + 1;
    are_neighbours.then(|| terms.extract(high.word, high.hi, low.lo))
}

fn slice(terms: &Terms, term: Term) -> Option<Slice> {
    if let Some((word, zero)) = terms.as_with_constant(Op::Slt, term)
        && zero.is_zero()
    {
        let sign = zero.width() - 1;
        return Some(Slice { word, hi: sign, lo: sign });
    }
    terms.as_slice(term)
}
