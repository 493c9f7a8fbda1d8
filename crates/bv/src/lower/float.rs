//! Floats in the language of solvers, which keep them apart from bit-vectors.
//!
//! To us a float is a word. To SMT-LIB it is of another sort; `to_fp` reads bits as a float,
//! and nothing gives the bits back. So a term may be lowered to two sorts, each when it
//! is asked for, and arithmetic on results of arithmetic never sees a bit. Where the
//! bits of a result are wanted, they are a new constant, and we assert that it reads as the
//! result. This determines the bits of all numbers. SMT-LIB has only one NaN, so we also
//! assert which NaN it is.
//!
//! Two results are equal words iff they are equal floats (by `=`, which tells the zeros
//! apart), so the question that matters most, whether original and mutant return the same,
//! needs no bits either.

use smallvec::smallvec;

use super::{Builder, Needs, Sort, truth_of};
use crate::float::{self, Format};
use crate::rewrite::Sign;
use crate::{Domain, Node, Op, Term, Terms, Word};

/// How a term that has to do with floats is lowered.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// As bits: of a result of arithmetic.
    Write {
        width: u32,
    },
    /// As a float: of bits.
    Read {
        width: u32,
    },
    /// As a float: the operator, on floats or on an integer of this width.
    Compute {
        op: Op,
        to: u32,
        from: u32,
    },
    /// As a float: one of two floats.
    Choose,
    /// As a float: one that differs in its sign.
    Change(Sign),
    Compare(Op),
    /// The bits of two floats, the second of which is never a NaN but ours. Where the first one
    /// may be, and no number is among them, `=` does not tell, and its bits are looked at.
    Equate {
        width: u32,
        looks: bool,
    },
    /// From a float of this width to an integer.
    Truncate {
        op: Op,
        width: u32,
    },
}

/// How the term is lowered, and what must be lowered before. None where no float is near.
pub(super) fn way(terms: &Terms, term: Term, sort: Sort) -> Option<(Way, Needs)> {
    let node = terms.spoken(term);
    let width = terms.width(&term);
    let floats = |arguments: &[Term]| arguments.iter().map(|argument| (*argument, Sort::Float)).collect();
    match (sort, node) {
        (Sort::Bits, Node::Apply(op, _)) if op.gives_float() => {
            Some((Way::Write { width }, smallvec![(term, Sort::Float)]))
        }
        (Sort::Bits, Node::Apply(op @ (Op::FEq | Op::FLt | Op::FLe), arguments)) => {
            Some((Way::Compare(op), floats(&arguments)))
        }
        (Sort::Bits, Node::Apply(op @ (Op::ToSigned(_) | Op::ToUnsigned(_)), arguments)) => {
            Some((Way::Truncate { op, width: terms.width(&arguments[0]) }, floats(&arguments)))
        }
        (Sort::Bits, Node::Apply(Op::Eq, arguments)) => equation(terms, arguments[0], arguments[1]),
        (Sort::Bits, _) => None,
        (Sort::Float, Node::Apply(op, arguments)) if op.gives_float() => {
            let from = terms.width(&arguments[0]);
            let sort = if op.takes_floats() { Sort::Float } else { Sort::Bits };
            let arguments = arguments.iter().map(|argument| (*argument, sort)).collect();
            Some((Way::Compute { op, to: width, from }, arguments))
        }
        (Sort::Float, Node::Apply(Op::Ite, arguments)) if terms.is_computed(term) => {
            let [condition, a, b] = [arguments[0], arguments[1], arguments[2]];
            Some((Way::Choose, smallvec![(condition, Sort::Bits), (a, Sort::Float), (b, Sort::Float)]))
        }
        (Sort::Float, _) => match terms.as_sign_change(term) {
            Some((sign, x)) if terms.is_computed(x) => Some((Way::Change(sign), smallvec![(x, Sort::Float)])),
            _ => Some((Way::Read { width }, smallvec![(term, Sort::Bits)])),
        },
    }
}

fn equation(terms: &Terms, a: Term, b: Term) -> Option<(Way, Needs)> {
    let width = terms.width(&a);
    Format::of(width)?;
    if !terms.is_computed(a) && !terms.is_computed(b) {
        return None;
    }
    let (a, b) = if terms.is_quiet(b) { (a, b) } else { (b, a) };
    if !terms.is_quiet(b) {
        return None;
    }
    let number = [a, b].iter().any(|term| terms.known(term).is_some_and(|word| !float::is_nan(word)));
    let looks = !terms.is_quiet(a) && !number;
    let mut needs = smallvec![(a, Sort::Float), (b, Sort::Float)];
    if looks {
        needs.push((a, Sort::Bits));
    }
    Some((Way::Equate { width, looks }, needs))
}

/// The term of this sort, given what it needs.
pub(super) fn build<B: Builder>(
    builder: &mut B,
    (term, sort): (Term, Sort),
    way: Way,
    parts: &[B::Term],
) -> B::Term {
    let lowered = match way {
        // It is a name already.
        Way::Write { width } => return write(builder, term, width, &parts[0]),
        Way::Read { width } => read(builder, width, &parts[0]),
        Way::Compute { op, to, from } => compute(builder, op, to, from, parts),
        Way::Choose => builder.apply("ite", &[], parts),
        Way::Change(Sign::Negated) => builder.apply("fp.neg", &[], parts),
        Way::Change(Sign::Absolute) => builder.apply("fp.abs", &[], parts),
        Way::Compare(op) => builder.apply(op.smt_name(), &[], parts),
        Way::Equate { looks: false, .. } => builder.apply("=", &[], parts),
        Way::Equate { width, looks: true } => same_bits(builder, width, &parts[0], &parts[1], &parts[2]),
        Way::Truncate { op, width } => truncate(builder, op, width, &parts[0]),
    };
    builder.finish(term, sort, lowered)
}

fn write<B: Builder>(builder: &mut B, term: Term, width: u32, result: &B::Term) -> B::Term {
    let bits = builder.unknown(term, width);
    let float = read(builder, width, &bits);
    let same = same_bits(builder, width, &float, result, &bits);
    builder.assert(same);
    bits
}

/// Whether `float`, which is `bits`, has the bits of `result`. A NaN in `result` is always ours.
fn same_bits<B: Builder>(
    builder: &mut B,
    width: u32,
    float: &B::Term,
    result: &B::Term,
    bits: &B::Term,
) -> B::Term {
    let same = builder.apply("=", &[], &[float.clone(), result.clone()]);
    let is_nan = builder.apply("fp.isNaN", &[], std::slice::from_ref(result));
    let nan = builder.constant(float::nan(width));
    let this_nan = builder.apply("=", &[], &[bits.clone(), nan]);
    let right_nan = builder.apply("=>", &[], &[is_nan, this_nan]);
    builder.apply("and", &[], &[same, right_nan])
}

fn read<B: Builder>(builder: &mut B, width: u32, bits: &B::Term) -> B::Term {
    builder.apply("to_fp", &indices(width), std::slice::from_ref(bits))
}

fn compute<B: Builder>(builder: &mut B, op: Op, to: u32, from: u32, parts: &[B::Term]) -> B::Term {
    debug_assert!(from > 1, "rewriting converts no truth value");
    let mut arguments = vec![];
    arguments.extend(op.rounding().map(|mode| builder.rounding(mode)));
    arguments.extend_from_slice(parts);
    let converts = matches!(op, Op::FromSigned(_) | Op::FromUnsigned(_) | Op::FResize(_));
    let format = indices(to);
    builder.apply(op.smt_name(), if converts { &format } else { &[] }, &arguments)
}

/// The integer is guarded, since SMT-LIB does not say what becomes of a float out of range.
fn truncate<B: Builder>(builder: &mut B, op: Op, width: u32, float: &B::Term) -> B::Term {
    let [below, above] = float::limits(op, width).map(|limit| {
        let limit = builder.constant(limit);
        read(builder, width, &limit)
    });
    let above_least = builder.apply("fp.lt", &[], &[below, float.clone()]);
    let below_most = builder.apply("fp.lt", &[], &[float.clone(), above]);
    let fits = builder.apply("and", &[], &[above_least, below_most]);
    let to = op.result_width(&[width]);
    let rounding = builder.rounding(op.rounding().expect("a truncation rounds towards zero"));
    if to == 1 {
        // Bitwuzla dies of an integer of one bit. Of a wider one that fits, the low bit is it.
        let integer = builder.apply(op.smt_name(), &[2], &[rounding, float.clone()]);
        let bit = builder.apply("extract", &[0, 0], &[integer]);
        let truth = truth_of(builder, bit);
        return builder.apply("and", &[], &[fits, truth]);
    }
    let integer = builder.apply(op.smt_name(), &[to], &[rounding, float.clone()]);
    let zero = builder.constant(Word::zero(to));
    builder.apply("ite", &[], &[fits, integer, zero])
}

fn indices(width: u32) -> [u32; 2] {
    let format = Format::of(width).expect("floats have 32 or 64 bits");
    [format.exponent, format.significand]
}
