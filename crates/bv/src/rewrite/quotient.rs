//! Division and remainder by constants that make them cheap.
//!
//! Division is the most expensive thing to ask a solver about. By a power of two it is a
//! shift or a mask; a signed division of numbers that cannot be negative is an unsigned one.
//! Division by zero is SMT-LIB's, as in the operator table.

use super::bound;
use crate::{Domain, Op, Term, Terms, Word};

pub(super) fn rewrite(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(&a);
    if matches!(op, Op::Urem | Op::Srem) {
        // 0 % x and x % x are 0, also where x is: x % 0 is x.
        let zero = Word::zero(width);
        if a == b || terms.known(&a) == Some(zero) {
            return Some(terms.constant(zero));
        }
    }
    if let Some(divisor) = terms.known(&b)
        && let Some(term) = by_constant(terms, op, a, divisor)
    {
        return Some(term);
    }
    // The sign of a remainder is the dividend's; the divisor's does not matter.
    if op == Op::Srem
        && let Some(opposite) = terms.as_opposite(b)
    {
        return Some(terms.apply(op, &[a, opposite]));
    }
    let unsigned = match op {
        Op::Sdiv => Op::Udiv,
        Op::Srem => Op::Urem,
        _ => return None,
    };
    // Signed and unsigned agree where neither number has its sign set.
    let natural = bound::natural(terms, a) && bound::natural(terms, b);
    natural.then(|| terms.apply(unsigned, &[a, b]))
}

fn by_constant(terms: &mut Terms, op: Op, a: Term, divisor: Word) -> Option<Term> {
    let width = divisor.width();
    let power = divisor.bits().is_power_of_two().then(|| divisor.bits().trailing_zeros());
    match op {
        Op::Udiv if divisor.is_zero() => Some(terms.constant(Word::ones(width))),
        Op::Udiv => {
            let amount = Word::new(width, power? as u128);
            Some(terms.with_constant(Op::Lshr, a, amount))
        }
        Op::Urem if divisor.is_zero() => Some(a),
        Op::Urem => {
            power?;
            let mask = Word::new(width, divisor.bits() - 1);
            Some(terms.with_constant(Op::And, a, mask))
        }
        Op::Sdiv if divisor.is_zero() => {
            let negative = terms.with_constant(Op::Slt, a, Word::zero(width));
            let (one, minus_one) = (terms.constant(Word::one(width)), terms.constant(Word::ones(width)));
            Some(terms.ite(negative, one, minus_one))
        }
        Op::Sdiv if divisor.bits() == 1 => Some(a),
        // The least number divided by -1 is itself, and is its own negation.
        Op::Sdiv if divisor.is_ones() => Some(terms.neg(a)),
        Op::Srem if divisor.is_zero() => Some(a),
        Op::Srem if divisor.bits() == 1 || divisor.is_ones() => Some(terms.constant(Word::zero(width))),
        // The sign of a remainder is the dividend's; the divisor's does not matter.
        Op::Srem if divisor.signed() < 0 && divisor != Word::signed_min(width) => {
            Some(terms.with_constant(Op::Srem, a, Op::Neg.eval(&[divisor])))
        }
        _ => None,
    }
}
