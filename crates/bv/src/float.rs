//! Floats: words of 32 or 64 bits that hold IEEE 754 numbers.
//!
//! A float has no type of its own: it is loaded, stored, chosen and negated as the word that
//! it is, and only the operators with an `F` in their names read the bits as a number. They
//! round to nearest, ties to even, as C does unless it is told otherwise.
//!
//! IEEE 754 leaves open which NaN comes out of an operation. Here it is always the same one,
//! positive and quiet, so that equal results are equal words. A machine may give
//! another one; who observes floats must not tell NaNs apart.

use crate::{Concrete, Domain, Op, Word};

/// How the bits of a float are divided, in SMT-LIB's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    pub exponent: u32,
    /// With the leading bit, which is not stored.
    pub significand: u32,
}

impl Format {
    /// The format of floats of this width, if there are such.
    pub fn of(width: u32) -> Option<Format> {
        match width {
            32 => Some(Format { exponent: 8, significand: 24 }),
            64 => Some(Format { exponent: 11, significand: 53 }),
            _ => None,
        }
    }
}

/// The NaN that operations give.
pub fn nan(width: u32) -> Word {
    word(width, f64::NAN)
}

/// The number, where this is a float. Exact: each `float` is a `double`.
pub fn value(word: Word) -> f64 {
    match word.width() {
        32 => f32::from_bits(word.bits() as u32) as f64,
        64 => f64::from_bits(word.bits() as u64),
        width => unreachable!("a float has 32 or 64 bits, not {width}"),
    }
}

/// The float of this width that is nearest to the number.
pub fn word(width: u32, value: f64) -> Word {
    match width {
        32 => single(value as f32),
        64 => double(value),
        _ => unreachable!("a float has 32 or 64 bits, not {width}"),
    }
}

/// Whether these bits are a NaN, of any kind.
pub fn is_nan(word: Word) -> bool {
    value(word).is_nan()
}

pub(crate) fn unary(a: &[Word], on_single: fn(f32) -> f32, on_double: fn(f64) -> f64) -> Word {
    match a[0].width() {
        32 => single(on_single(f32::from_bits(a[0].bits() as u32))),
        _ => double(on_double(value(a[0]))),
    }
}

pub(crate) fn binary(a: &[Word], on_single: fn(f32, f32) -> f32, on_double: fn(f64, f64) -> f64) -> Word {
    match a[0].width() {
        32 => {
            let [x, y] = [a[0], a[1]].map(|word| f32::from_bits(word.bits() as u32));
            single(on_single(x, y))
        }
        _ => double(on_double(value(a[0]), value(a[1]))),
    }
}

pub(crate) fn compare(a: &[Word], holds: fn(&f64, &f64) -> bool) -> Word {
    Word::truth(holds(&value(a[0]), &value(a[1])))
}

/// An integer as a float. Through `double` it could be rounded twice.
pub(crate) fn from_signed(to: u32, integer: Word) -> Word {
    if to == 32 { single(integer.signed() as f32) } else { double(integer.signed() as f64) }
}

pub(crate) fn from_unsigned(to: u32, integer: Word) -> Word {
    if to == 32 { single(integer.bits() as f32) } else { double(integer.bits() as f64) }
}

/// A float without its fraction as an integer, and zero where the integer would not fit.
pub(crate) fn to_integer(op: Op, float: Word) -> Word {
    let truncated = match op {
        _ if !fits(op, &mut Concrete, &float).is_true() => 0,
        Op::ToSigned(_) => value(float) as i128 as u128,
        _ => value(float) as u128,
    };
    Word::new(op.result_width(&[float.width()]), truncated)
}

/// Whether the float, without its fraction, fits the integer that this conversion makes.
pub(crate) fn fits<D: Domain>(op: Op, domain: &mut D, float: &D::Word) -> D::Word {
    let width = domain.width(float);
    let [below, above] = limits(op, width).map(|limit| domain.constant(limit));
    let above_least = domain.apply(Op::FLt, &[below, float.clone()]);
    let below_most = domain.apply(Op::FLt, &[float.clone(), above]);
    domain.apply(Op::And, &[above_least, below_most])
}

/// The floats nearest to those that fit an integer, one below and one above.
pub(crate) fn limits(op: Op, width: u32) -> [Word; 2] {
    let power = |exponent: u32| 2f64.powi(exponent as i32);
    match op {
        Op::ToUnsigned(to) => [word(width, -1.0), word(width, power(to))],
        Op::ToSigned(to) => {
            let least = word(width, -power(to - 1));
            // What is cut off may be less than one; but large floats are further apart.
            let one_less = Op::FSub.eval(&[least, word(width, 1.0)]);
            // Of negative numbers the next one below has the next bits.
            let next = Op::Add.eval(&[least, Word::one(width)]);
            [if one_less == least { next } else { one_less }, word(width, power(to - 1))]
        }
        _ => unreachable!("{} makes no integer", op.name()),
    }
}

// The choice is between integers: the compiler takes all NaNs for the same, and would drop a
// choice between a NaN and a float that is one.
fn single(value: f32) -> Word {
    Word::new(32, if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() as u128 })
}

fn double(value: f64) -> Word {
    Word::new(64, if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() as u128 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nan_becomes_the_same_one() {
        let other = Word::new(32, 0xff80_0001);
        assert_eq!(Op::FAdd.eval(&[other, other]), Word::new(32, 0x7fc0_0000));
        assert_eq!(Op::FResize(64).eval(&[other]), Word::new(64, 0x7ff8_0000_0000_0000));
        let infinity = word(64, f64::INFINITY);
        assert_eq!(Op::FSub.eval(&[infinity, infinity]), nan(64));
    }

    #[test]
    fn what_does_not_fit_an_integer_is_zero() {
        let convert = |op: Op, width: u32, number: f64| op.eval(&[word(width, number)]).signed();
        assert_eq!(convert(Op::ToSigned(8), 64, 127.9), 127);
        assert_eq!(convert(Op::ToSigned(8), 64, 128.0), 0);
        assert_eq!(convert(Op::ToSigned(8), 64, -128.9), -128);
        assert_eq!(convert(Op::ToSigned(8), 64, -129.0), 0);
        assert_eq!(convert(Op::ToSigned(32), 32, -2147483648.0), i32::MIN as i128);
        assert_eq!(convert(Op::ToSigned(32), 32, -2147483904.0), 0);
        assert_eq!(convert(Op::ToSigned(64), 64, -9223372036854775808.0), i64::MIN as i128);
        assert_eq!(convert(Op::ToUnsigned(8), 32, -0.9), 0);
        assert_eq!(convert(Op::ToUnsigned(8), 32, 255.5), -1);
        assert_eq!(convert(Op::ToUnsigned(8), 32, f64::NAN), 0);
        assert_eq!(convert(Op::ToUnsigned(128), 32, f64::INFINITY), 0);
        assert_eq!(convert(Op::ToUnsigned(128), 32, f32::MAX as f64), f32::MAX as u128 as i128);
        assert_eq!(convert(Op::ToSigned(128), 64, -power_of_two(127)), i128::MIN);
    }

    fn power_of_two(exponent: i32) -> f64 {
        2f64.powi(exponent)
    }

    #[test]
    fn an_integer_is_rounded_once() {
        // Just above the middle between two floats; as a double it is the middle.
        let integer = Word::new(64, (1 << 54) + (1 << 30) + 1);
        assert_eq!(Op::FromSigned(32).eval(&[integer]), word(32, ((1u64 << 54) + (1 << 31)) as f64));
    }
}
