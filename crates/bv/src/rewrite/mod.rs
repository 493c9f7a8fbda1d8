//! Rewriting: terms that mean the same should be the same term.
//!
//! Original and mutant are encoded into one graph. What rewriting makes the same number is
//! proved equal without a solver, and costs a solver nothing. So rules aim at one spelling
//! for each meaning (a *canonical* form), rather than at the smallest term.
//!
//! Each file is one idea, and each rule an equation that holds for all values at all
//! widths; a wrong one would be a wrong verdict, so each is also tested exhaustively at
//! small widths (`tests/soundness.rs`). A rule looks a bounded number of levels down,
//! and its right-hand side is smaller, or nearer to the kernel, than its left-hand side. So
//! rewriting ends; and as right-hand sides are built by `apply` again, [`NESTING`] bounds
//! how deep that goes.

mod affine;
pub(crate) mod bound;
mod choice;
mod conjunction;
mod equality;
mod float;
mod float_order;
mod kernel;
mod lift;
mod narrow;
mod order;
mod overflow;
mod pattern;
mod product;
mod quotient;
mod relation;
mod resize;
mod shift;
mod xor;

pub(crate) use float::Sign;
pub(crate) use pattern::Choice;

use crate::{Domain, Op, Term, Terms, Word};

/// Beyond this, a term is taken as it is. Rules that follow a chain (a sum, nested choices)
/// nest as deep as the chain; 64 of them fit any thread's stack many times over.
const NESTING: u32 = 64;

/// The term for this application, rewritten.
pub(crate) fn apply(terms: &mut Terms, op: Op, arguments: &[Term]) -> Term {
    if let Some(term) = kernel::spell(terms, op, arguments) {
        return term;
    }
    let mut ordered = [arguments[0]; 3];
    let ordered = &mut ordered[..arguments.len()];
    ordered.copy_from_slice(arguments);
    if commutes(op) && belongs_after(terms, ordered[0], ordered[1]) {
        ordered.swap(0, 1);
    }
    if terms.nesting >= NESTING {
        return terms.plain(op, ordered);
    }
    terms.nesting += 1;
    let rewritten = match cfg!(feature = "plain") {
        true => needed(terms, op, ordered),
        false => rules(terms, op, ordered),
    };
    terms.nesting -= 1;
    let Some(term) = rewritten else { return terms.plain(op, ordered) };
    debug_assert_eq!(
        terms.width(&term),
        op.result_width(&ordered.iter().map(|argument| terms.width(argument)).collect::<Vec<_>>()),
        "a rule for {op:?} changed the width"
    );
    term
}

/// What the rules for this operator make of it, if one applies.
fn rules(terms: &mut Terms, op: Op, arguments: &[Term]) -> Option<Term> {
    if let Some(term) = lift::over_constants(terms, op, arguments) {
        return Some(term);
    }
    let [a, b] = [arguments[0], *arguments.get(1).unwrap_or(&arguments[0])];
    match op {
        Op::Add | Op::Sub => Some(affine::sum(terms, op, a, b)),
        Op::Mul => product::rewrite(terms, a, b),
        Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem => quotient::rewrite(terms, op, a, b),
        Op::Shl | Op::Lshr | Op::Ashr => shift::rewrite(terms, op, a, b),
        Op::And => conjunction::rewrite(terms, a, b),
        Op::Xor => xor::rewrite(terms, a, b),
        Op::Not => xor::complement(terms, a),
        Op::Eq => equality::rewrite(terms, a, b),
        Op::Ult | Op::Slt => order::rewrite(terms, op, a, b),
        Op::SaddO | Op::UaddO | Op::SsubO | Op::SmulO | Op::UmulO => overflow::rewrite(terms, op, a, b),
        Op::Ite => choice::rewrite(terms, a, b, arguments[2]),
        Op::Zext(to) | Op::Sext(to) => resize::extend(terms, op, a, to),
        Op::Extract { hi, lo } => resize::extract(terms, a, hi, lo),
        Op::Concat => resize::concat(terms, a, b),
        Op::FAdd
        | Op::FMul
        | Op::FDiv
        | Op::FSqrt
        | Op::FFloor
        | Op::FCeil
        | Op::FTrunc
        | Op::FRint
        | Op::FRoundAway
        | Op::FResize(_) => float::rewrite(terms, op, a, b),
        Op::FromSigned(_) | Op::FromUnsigned(_) => float::from_integer(terms, op, a),
        Op::ToSigned(_) | Op::ToUnsigned(_) => float::to_integer(terms, op, a),
        Op::FEq | Op::FLt | Op::FLe => float_order::rewrite(terms, op, a, b),
        Op::FSub
        | Op::Or
        | Op::Ne
        | Op::Ule
        | Op::Ugt
        | Op::Uge
        | Op::Sle
        | Op::Sgt
        | Op::Sge
        | Op::UsubO
        | Op::Neg => {
            unreachable!("the kernel has no {}", op.name())
        }
    }
}

/// The few rules without which no loop would ever be seen to end: what constants decide.
fn needed(terms: &Terms, op: Op, arguments: &[Term]) -> Option<Term> {
    let [a, b] = [arguments[0], *arguments.get(1)?];
    match op {
        Op::Ite if b == arguments[2] => Some(b),
        Op::Ite => terms.known(&a).map(|condition| if condition.bits() == 1 { b } else { arguments[2] }),
        // Constants come last.
        Op::And if a == b => Some(a),
        Op::And => terms.known(&b).and_then(|word| match word {
            word if word == Word::zero(word.width()) => Some(b),
            word if word == Word::ones(word.width()) => Some(a),
            _ => None,
        }),
        _ => None,
    }
}

fn commutes(op: Op) -> bool {
    use Op::*;
    matches!(op, Add | Mul | And | Xor | Eq | SaddO | UaddO | SmulO | UmulO | FAdd | FMul | FEq)
}

/// Constants come last, so that rules look for them in one place; otherwise the older term
/// comes first.
fn belongs_after(terms: &Terms, a: Term, b: Term) -> bool {
    match (terms.known(&a).is_some(), terms.known(&b).is_some()) {
        (true, false) => true,
        (false, true) => false,
        _ => a > b,
    }
}
