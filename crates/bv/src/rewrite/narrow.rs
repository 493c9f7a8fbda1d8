//! Narrowing: where only the low bits of a sum are wanted, only low bits are added.
//!
//! C computes on `int` and stores to `char`. The low bits of a sum, difference, product or
//! bitwise operation depend on the low bits of its operands only; where those are free (an
//! extension of something small, a constant), the operation moves below the cast.

use crate::{Domain, Node, Op, Term, Terms};

/// How many operations one cast goes through: expressions in source code are about that deep.
const DEPTH: u32 = 4;

/// The bits from `hi` down to 0 of `a`, computed on that many bits, if nothing but
/// operations on extensions is in between.
pub(super) fn low_bits(terms: &mut Terms, a: Term, hi: u32, lo: u32) -> Option<Term> {
    let operation = matches!(terms.node(a), Node::Apply(op, _) if op.is_local());
    (lo == 0 && operation && free(terms, a, hi, DEPTH)).then(|| narrowed(terms, a, hi))
}

fn free(terms: &Terms, term: Term, hi: u32, depth: u32) -> bool {
    match terms.node(term) {
        Node::Constant(_) => true,
        Node::Apply(Op::Zext(_) | Op::Sext(_), arguments) => terms.width(&arguments[0]) <= hi + 1,
        Node::Apply(op, arguments) if depth > 0 && op.is_local() => {
            arguments.iter().all(|argument| free(terms, *argument, hi, depth - 1))
        }
        _ => false,
    }
}

/// Goes as deep as `free` has looked.
fn narrowed(terms: &mut Terms, term: Term, hi: u32) -> Term {
    match *terms.node(term) {
        Node::Apply(op, arguments) if op.is_local() => {
            let mut narrow = [term; 3];
            for (narrow, argument) in narrow.iter_mut().zip(arguments.iter()) {
                *narrow = narrowed(terms, *argument, hi);
            }
            terms.apply(op, &narrow[..arguments.len()])
        }
        _ => terms.extract(term, hi, 0),
    }
}
