//! The operator table: what each operator is called, computes and demands.
//!
//! This is the only place that knows. The interpreter calls [`Op::eval`], and the term
//! graph folds constants with it. The printer takes the SMT-LIB name from here. An engine
//! that executes C asks [`Op::hazards`] when C leaves the result undefined.
//!
//! Every operator is total. Where SMT-LIB defines a result and C does not (division by
//! zero, an oversize shift), we compute the result of SMT-LIB, and a hazard stands beside it.
//! Floats are words, too. `float` says what their operators compute.

use std::ops::{Add, Div, Mul, Sub};

use crate::{Domain, Word, float};

/// Operators over words. The comment gives the shape; `w` is any width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Op {
    // w, w -> w
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    // w, w -> 1
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
    // w, w -> 1: does the exact result leave the range of the type?
    SaddO,
    UaddO,
    SsubO,
    UsubO,
    SmulO,
    UmulO,
    // w -> w
    Not,
    Neg,
    // 1, w, w -> w
    Ite,
    /// w -> the width given, which is larger.
    Zext(u32),
    /// w -> the width given, which is larger.
    Sext(u32),
    /// w -> hi - lo + 1, both ends included.
    Extract {
        hi: u32,
        lo: u32,
    },
    /// v, w -> v + w; the first argument holds the high bits.
    Concat,
    // From here on words are floats, and `w` is 32 or 64. To negate one, to take its absolute
    // value or to copy a sign is to change a bit, which `Xor`, `And` and `Or` do.
    // w, w -> w
    FAdd,
    FSub,
    FMul,
    FDiv,
    // w -> w
    FSqrt,
    // w -> w, to an integral number: downwards, upwards, towards zero, to the nearest with
    // ties to even (`rint`), to the nearest with ties away from zero (`round`).
    FFloor,
    FCeil,
    FTrunc,
    FRint,
    FRoundAway,
    // w, w -> 1; false if one is a NaN. So `x` is a NaN iff not `FEq(x, x)`, and `x != y` in C
    // is not `FEq(x, y)`.
    FEq,
    FLt,
    FLe,
    /// An integer of any width -> the nearest float of the width given.
    FromSigned(u32),
    /// An integer of any width -> the nearest float of the width given.
    FromUnsigned(u32),
    /// w -> an integer of the width given: the float without its fraction, 0 where that does
    /// not fit.
    ToSigned(u32),
    /// w -> an integer of the width given: the float without its fraction, 0 where that does
    /// not fit.
    ToUnsigned(u32),
    /// w -> the nearest float of the width given, which may be the same.
    FResize(u32),
}

/// What C leaves undefined about an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Hazard {
    DivisionByZero,
    /// The least value divided by -1.
    DivisionOverflow,
    /// The amount is not below the width.
    OversizeShift,
    SignedOverflow,
    UnsignedOverflow,
    /// A float without its fraction does not fit the integer that it becomes.
    FloatRange,
    /// The zeros before or behind the bits of a number that has none.
    NoBits,
}

/// How the widths of the arguments and of the result are related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// w -> w
    Unary,
    /// w, w -> w
    Binary,
    /// w, w -> 1
    Predicate,
    /// 1, w, w -> w
    Choice,
    /// w -> another width, which the operator carries
    Resize,
    /// v, w -> v + w
    Join,
}

impl Shape {
    pub fn arity(self) -> usize {
        match self {
            Shape::Unary | Shape::Resize => 1,
            Shape::Binary | Shape::Predicate | Shape::Join => 2,
            Shape::Choice => 3,
        }
    }
}

/// One row of the table.
struct Row {
    name: &'static str,
    smt: &'static str,
    shape: Shape,
    eval: fn(Op, &[Word]) -> Word,
}

/// Every operator without an index of its own, for tests and for parsing names.
pub const PLAIN: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Udiv,
    Op::Sdiv,
    Op::Urem,
    Op::Srem,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Eq,
    Op::Ne,
    Op::Ult,
    Op::Ule,
    Op::Ugt,
    Op::Uge,
    Op::Slt,
    Op::Sle,
    Op::Sgt,
    Op::Sge,
    Op::SaddO,
    Op::UaddO,
    Op::SsubO,
    Op::UsubO,
    Op::SmulO,
    Op::UmulO,
    Op::Not,
    Op::Neg,
    Op::Ite,
    Op::Concat,
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::FSqrt,
    Op::FFloor,
    Op::FCeil,
    Op::FTrunc,
    Op::FRint,
    Op::FRoundAway,
    Op::FEq,
    Op::FLt,
    Op::FLe,
];

impl Op {
    /// The row of an operator.
    // tidy: long because it is the table of all operators.
    #[inline(always)]
    fn row(self) -> Row {
        use Shape::*;
        let row = |name, smt, shape, eval| Row { name, smt, shape, eval };
        match self {
            Op::Add => row("add", "bvadd", Binary, |_, a| same(a, a[0].bits().wrapping_add(a[1].bits()))),
            Op::Sub => row("sub", "bvsub", Binary, |_, a| same(a, a[0].bits().wrapping_sub(a[1].bits()))),
            Op::Mul => row("mul", "bvmul", Binary, |_, a| same(a, a[0].bits().wrapping_mul(a[1].bits()))),
            Op::Udiv => row("udiv", "bvudiv", Binary, |_, a| {
                same(a, a[0].bits().checked_div(a[1].bits()).unwrap_or(u128::MAX))
            }),
            // SMT-LIB: x / 0 is 1 for a negative x and -1 otherwise; MIN / -1 is MIN.
            Op::Sdiv => row("sdiv", "bvsdiv", Binary, |_, a| {
                let by_zero = if a[0].signed() < 0 { 1 } else { -1 };
                let quotient =
                    if a[1].is_zero() { by_zero } else { a[0].signed().wrapping_div(a[1].signed()) };
                same(a, quotient as u128)
            }),
            Op::Urem => row("urem", "bvurem", Binary, |_, a| {
                same(a, a[0].bits().checked_rem(a[1].bits()).unwrap_or(a[0].bits()))
            }),
            Op::Srem => row("srem", "bvsrem", Binary, |_, a| {
                let remainder =
                    if a[1].is_zero() { a[0].signed() } else { a[0].signed().wrapping_rem(a[1].signed()) };
                same(a, remainder as u128)
            }),
            Op::And => row("and", "bvand", Binary, |_, a| same(a, a[0].bits() & a[1].bits())),
            Op::Or => row("or", "bvor", Binary, |_, a| same(a, a[0].bits() | a[1].bits())),
            Op::Xor => row("xor", "bvxor", Binary, |_, a| same(a, a[0].bits() ^ a[1].bits())),
            Op::Shl => {
                row("shl", "bvshl", Binary, |_, a| same(a, amount(a).map_or(0, |by| a[0].bits() << by)))
            }
            Op::Lshr => {
                row("lshr", "bvlshr", Binary, |_, a| same(a, amount(a).map_or(0, |by| a[0].bits() >> by)))
            }
            Op::Ashr => row("ashr", "bvashr", Binary, |_, a| {
                let by = amount(a).unwrap_or(a[0].width() - 1);
                same(a, (a[0].signed() >> by) as u128)
            }),
            Op::Eq => row("eq", "=", Predicate, |_, a| Word::truth(a[0] == a[1])),
            Op::Ne => row("ne", "distinct", Predicate, |_, a| Word::truth(a[0] != a[1])),
            Op::Ult => row("ult", "bvult", Predicate, |_, a| Word::truth(a[0].bits() < a[1].bits())),
            Op::Ule => row("ule", "bvule", Predicate, |_, a| Word::truth(a[0].bits() <= a[1].bits())),
            Op::Ugt => row("ugt", "bvugt", Predicate, |_, a| Word::truth(a[0].bits() > a[1].bits())),
            Op::Uge => row("uge", "bvuge", Predicate, |_, a| Word::truth(a[0].bits() >= a[1].bits())),
            Op::Slt => row("slt", "bvslt", Predicate, |_, a| Word::truth(a[0].signed() < a[1].signed())),
            Op::Sle => row("sle", "bvsle", Predicate, |_, a| Word::truth(a[0].signed() <= a[1].signed())),
            Op::Sgt => row("sgt", "bvsgt", Predicate, |_, a| Word::truth(a[0].signed() > a[1].signed())),
            Op::Sge => row("sge", "bvsge", Predicate, |_, a| Word::truth(a[0].signed() >= a[1].signed())),
            Op::SaddO => row("saddo", "bvsaddo", Predicate, |_, a| {
                signed_leaves(a, a[0].signed().checked_add(a[1].signed()))
            }),
            Op::UaddO => row("uaddo", "bvuaddo", Predicate, |_, a| {
                unsigned_leaves(a, a[0].bits().checked_add(a[1].bits()))
            }),
            Op::SsubO => row("ssubo", "bvssubo", Predicate, |_, a| {
                signed_leaves(a, a[0].signed().checked_sub(a[1].signed()))
            }),
            Op::UsubO => row("usubo", "bvusubo", Predicate, |_, a| {
                unsigned_leaves(a, a[0].bits().checked_sub(a[1].bits()))
            }),
            Op::SmulO => row("smulo", "bvsmulo", Predicate, |_, a| {
                signed_leaves(a, a[0].signed().checked_mul(a[1].signed()))
            }),
            Op::UmulO => row("umulo", "bvumulo", Predicate, |_, a| {
                unsigned_leaves(a, a[0].bits().checked_mul(a[1].bits()))
            }),
            Op::Not => row("not", "bvnot", Unary, |_, a| same(a, !a[0].bits())),
            Op::Neg => row("neg", "bvneg", Unary, |_, a| same(a, a[0].bits().wrapping_neg())),
            Op::Ite => row("ite", "ite", Choice, |_, a| if a[0].is_true() { a[1] } else { a[2] }),
            Op::Zext(_) => row("zext", "zero_extend", Resize, |op, a| {
                Word::new(op.result_width(&[a[0].width()]), a[0].bits())
            }),
            Op::Sext(_) => row("sext", "sign_extend", Resize, |op, a| {
                Word::from_signed(op.result_width(&[a[0].width()]), a[0].signed())
            }),
            Op::Extract { .. } => row("extract", "extract", Resize, |op, a| {
                let Op::Extract { lo, .. } = op else { unreachable!("this row is Extract's") };
                Word::new(op.result_width(&[a[0].width()]), a[0].bits() >> lo)
            }),
            Op::Concat => row("concat", "concat", Join, |_, a| {
                let low = a[1].width();
                Word::new(a[0].width() + low, a[0].bits() << low | a[1].bits())
            }),
            Op::FAdd => row("fadd", "fp.add", Binary, |_, a| float::binary(a, f32::add, f64::add)),
            Op::FSub => row("fsub", "fp.sub", Binary, |_, a| float::binary(a, f32::sub, f64::sub)),
            Op::FMul => row("fmul", "fp.mul", Binary, |_, a| float::binary(a, f32::mul, f64::mul)),
            Op::FDiv => row("fdiv", "fp.div", Binary, |_, a| float::binary(a, f32::div, f64::div)),
            Op::FSqrt => row("fsqrt", "fp.sqrt", Unary, |_, a| float::unary(a, f32::sqrt, f64::sqrt)),
            Op::FFloor => row("ffloor", INTEGRAL, Unary, |_, a| float::unary(a, f32::floor, f64::floor)),
            Op::FCeil => row("fceil", INTEGRAL, Unary, |_, a| float::unary(a, f32::ceil, f64::ceil)),
            Op::FTrunc => row("ftrunc", INTEGRAL, Unary, |_, a| float::unary(a, f32::trunc, f64::trunc)),
            Op::FRint => row("frint", INTEGRAL, Unary, |_, a| {
                float::unary(a, f32::round_ties_even, f64::round_ties_even)
            }),
            Op::FRoundAway => {
                row("froundaway", INTEGRAL, Unary, |_, a| float::unary(a, f32::round, f64::round))
            }
            Op::FEq => row("feq", "fp.eq", Predicate, |_, a| float::compare(a, f64::eq)),
            Op::FLt => row("flt", "fp.lt", Predicate, |_, a| float::compare(a, f64::lt)),
            Op::FLe => row("fle", "fp.leq", Predicate, |_, a| float::compare(a, f64::le)),
            Op::FromSigned(_) => row("fromsigned", "to_fp", Resize, |op, a| {
                float::from_signed(op.result_width(&[a[0].width()]), a[0])
            }),
            Op::FromUnsigned(_) => row("fromunsigned", "to_fp_unsigned", Resize, |op, a| {
                float::from_unsigned(op.result_width(&[a[0].width()]), a[0])
            }),
            Op::ToSigned(_) => row("tosigned", "fp.to_sbv", Resize, |op, a| float::to_integer(op, a[0])),
            Op::ToUnsigned(_) => row("tounsigned", "fp.to_ubv", Resize, |op, a| float::to_integer(op, a[0])),
            Op::FResize(_) => row("fresize", "to_fp", Resize, |op, a| {
                float::word(op.result_width(&[a[0].width()]), float::value(a[0]))
            }),
        }
    }

    /// The name in our own text formats.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The SMT-LIB name. For words of width 1, which print as `Bool`, the printer
    /// chooses `and`, `or`, `xor`, `not` and `ite` instead.
    pub fn smt_name(self) -> &'static str {
        self.row().smt
    }

    #[inline]
    pub fn shape(self) -> Shape {
        self.row().shape
    }

    /// Whether it says how two words stand to each other: equal, or one before the other.
    pub fn compares(self) -> bool {
        let overflow = [Op::SaddO, Op::UaddO, Op::SsubO, Op::UsubO, Op::SmulO, Op::UmulO];
        self.shape() == Shape::Predicate && !overflow.contains(&self)
    }

    /// Whether each bit of the result depends on bits at the same and lower places only. Then the low bits
    /// of the result are the same operation on the low bits of the arguments.
    pub(crate) fn is_local(self) -> bool {
        matches!(self, Op::Add | Op::Sub | Op::Mul) || self.is_bitwise()
    }

    /// Whether each bit of the result depends on bits at the same place only.
    pub(crate) fn is_bitwise(self) -> bool {
        matches!(self, Op::And | Op::Or | Op::Xor | Op::Not)
    }

    /// The width of the result for arguments of these widths.
    #[inline]
    pub fn result_width(self, widths: &[u32]) -> u32 {
        match (self, self.shape()) {
            (_, Shape::Unary | Shape::Binary) => widths[0],
            (_, Shape::Predicate) => 1,
            (_, Shape::Choice) => widths[1],
            (_, Shape::Join) => widths[0] + widths[1],
            (Op::Extract { hi, lo }, Shape::Resize) => hi - lo + 1,
            (
                Op::Zext(to)
                | Op::Sext(to)
                | Op::FromSigned(to)
                | Op::FromUnsigned(to)
                | Op::ToSigned(to)
                | Op::ToUnsigned(to)
                | Op::FResize(to),
                Shape::Resize,
            ) => to,
            (_, Shape::Resize) => unreachable!("{} carries no width", self.name()),
        }
    }

    /// Whether the arguments are floats, and so have 32 or 64 bits.
    pub fn takes_floats(self) -> bool {
        matches!(self, Op::FEq | Op::FLt | Op::FLe | Op::ToSigned(_) | Op::ToUnsigned(_))
            || (self.gives_float() && !matches!(self, Op::FromSigned(_) | Op::FromUnsigned(_)))
    }

    /// Whether the result is a float; if it is a NaN, it is [`float::nan`].
    pub fn gives_float(self) -> bool {
        use Op::*;
        matches!(self, FAdd | FSub | FMul | FDiv | FSqrt | FFloor | FCeil | FTrunc | FRint | FRoundAway)
            || matches!(self, FromSigned(_) | FromUnsigned(_) | FResize(_))
    }

    /// SMT-LIB's name for how the result is rounded, where the operator wants one.
    pub fn rounding(self) -> Option<&'static str> {
        match self {
            Op::FFloor => Some("RTN"),
            Op::FCeil => Some("RTP"),
            Op::FTrunc | Op::ToSigned(_) | Op::ToUnsigned(_) => Some("RTZ"),
            Op::FRoundAway => Some("RNA"),
            _ => self.gives_float().then_some("RNE"),
        }
    }

    /// What the operator computes. Total, as in SMT-LIB.
    pub fn eval(self, arguments: &[Word]) -> Word {
        self.eval_here(arguments)
    }

    /// The same, compiled into its caller.
    #[inline(always)]
    pub(crate) fn eval_here(self, arguments: &[Word]) -> Word {
        (self.row().eval)(self, arguments)
    }

    /// Names all that C leaves undefined about this operation, each with the condition under
    /// which it happens. Overflow is not here: whether it matters is up to the
    /// instruction, which asks [`Hazard::overflow`].
    #[inline]
    pub fn hazards<D: Domain>(
        self,
        domain: &mut D,
        arguments: &[D::Word],
        mut found: impl FnMut(&mut D, Hazard, D::Word),
    ) {
        let width = domain.width(&arguments[0]);
        match self {
            Op::Udiv | Op::Urem => {
                let by_zero = is(domain, &arguments[1], Word::zero(width));
                found(domain, Hazard::DivisionByZero, by_zero);
            }
            Op::Sdiv | Op::Srem => {
                let by_zero = is(domain, &arguments[1], Word::zero(width));
                let least = is(domain, &arguments[0], Word::signed_min(width));
                let by_minus_one = is(domain, &arguments[1], Word::ones(width));
                let overflow = domain.and(least, by_minus_one);
                found(domain, Hazard::DivisionByZero, by_zero);
                found(domain, Hazard::DivisionOverflow, overflow);
            }
            Op::Shl | Op::Lshr | Op::Ashr => {
                let limit = domain.constant(Word::new(width, width as u128));
                let oversize = domain.apply(Op::Uge, &[arguments[1].clone(), limit]);
                found(domain, Hazard::OversizeShift, oversize);
            }
            Op::ToSigned(_) | Op::ToUnsigned(_) => {
                let fits = float::fits(self, domain, &arguments[0]);
                let misses = domain.not(fits);
                found(domain, Hazard::FloatRange, misses);
            }
            _ => {}
        }
    }

    /// The predicate that tells whether this operation overflows its type, signed or not.
    pub fn overflow(self, hazard: Hazard) -> Option<Op> {
        match (self, hazard) {
            (Op::Add, Hazard::SignedOverflow) => Some(Op::SaddO),
            (Op::Sub, Hazard::SignedOverflow) => Some(Op::SsubO),
            (Op::Mul, Hazard::SignedOverflow) => Some(Op::SmulO),
            (Op::Add, Hazard::UnsignedOverflow) => Some(Op::UaddO),
            (Op::Sub, Hazard::UnsignedOverflow) => Some(Op::UsubO),
            (Op::Mul, Hazard::UnsignedOverflow) => Some(Op::UmulO),
            _ => None,
        }
    }

    /// The operator without an index that has this name.
    pub fn named(name: &str) -> Option<Op> {
        PLAIN.iter().copied().find(|op| op.name() == name)
    }
}

impl Hazard {
    /// How it reads in a sentence: "the original has …".
    pub fn text(self) -> &'static str {
        match self {
            Hazard::DivisionByZero => "division by zero",
            Hazard::DivisionOverflow => "division overflow",
            Hazard::OversizeShift => "oversize shift",
            Hazard::SignedOverflow => "signed overflow",
            Hazard::UnsignedOverflow => "unsigned overflow",
            Hazard::FloatRange => "conversion of a float that is out of range",
            Hazard::NoBits => "clz or ctz of zero",
        }
    }

    /// Whether nothing can be said of what comes after it: one machine stops, another makes up a result.
    /// After the others every machine computes the same: it wraps, or masks.
    pub fn ends(self) -> bool {
        match self {
            Hazard::DivisionByZero | Hazard::DivisionOverflow | Hazard::FloatRange | Hazard::NoBits => true,
            Hazard::OversizeShift | Hazard::SignedOverflow | Hazard::UnsignedOverflow => false,
        }
    }
}

/// All five roundings to an integral number; [`Op::rounding`] tells them apart.
const INTEGRAL: &str = "fp.roundToIntegral";

#[inline]
fn same(arguments: &[Word], bits: u128) -> Word {
    Word::new(arguments[0].width(), bits)
}

/// The shift amount, if it is below the width.
#[inline]
fn amount(arguments: &[Word]) -> Option<u32> {
    let width = arguments[0].width();
    (arguments[1].bits() < width as u128).then(|| arguments[1].bits() as u32)
}

#[inline]
fn signed_leaves(arguments: &[Word], exact: Option<i128>) -> Word {
    let width = arguments[0].width();
    Word::truth(exact.is_none_or(|exact| Word::from_signed(width, exact).signed() != exact))
}

#[inline]
fn unsigned_leaves(arguments: &[Word], exact: Option<u128>) -> Word {
    let width = arguments[0].width();
    Word::truth(exact.is_none_or(|exact| Word::new(width, exact).bits() != exact))
}

#[inline]
fn is<D: Domain>(domain: &mut D, word: &D::Word, value: Word) -> D::Word {
    let value = domain.constant(value);
    domain.apply(Op::Eq, &[word.clone(), value])
}
