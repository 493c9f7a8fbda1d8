//! A word: a bit-vector value that knows its width.
//!
//! Widths run from 1 to 128, so that a word fits a machine register pair and stays
//! `Copy`. A truth value is a word of width 1.

use std::fmt;

/// The widest word. C's widest integer type in use, `__int128`, has 128 bits.
pub const MAX_WIDTH: u32 = 128;

/// Bits above the width are always zero, so equality of words is equality of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    bits: u128,
    width: u8,
}

impl Word {
    /// The lowest `width` bits of `bits`.
    #[inline]
    pub fn new(width: u32, bits: u128) -> Word {
        assert!((1..=MAX_WIDTH).contains(&width), "a word has 1 to 128 bits, not {width}");
        Word { bits: bits & mask(width), width: width as u8 }
    }

    #[inline]
    pub fn from_signed(width: u32, value: i128) -> Word {
        Word::new(width, value as u128)
    }

    #[inline]
    pub fn truth(value: bool) -> Word {
        Word { bits: value as u128, width: 1 }
    }

    #[inline]
    pub fn zero(width: u32) -> Word {
        Word::new(width, 0)
    }

    #[inline]
    pub fn one(width: u32) -> Word {
        Word::new(width, 1)
    }

    #[inline]
    pub fn ones(width: u32) -> Word {
        Word::new(width, u128::MAX)
    }

    /// The least signed value: a one followed by zeros.
    #[inline]
    pub fn signed_min(width: u32) -> Word {
        Word::new(width, 1 << (width - 1))
    }

    /// The greatest signed value: a zero followed by ones.
    #[inline]
    pub fn signed_max(width: u32) -> Word {
        Word::new(width, mask(width) >> 1)
    }

    #[inline]
    pub fn width(self) -> u32 {
        self.width as u32
    }

    #[inline]
    pub fn bits(self) -> u128 {
        self.bits
    }

    /// The value in two's complement.
    #[inline]
    pub fn signed(self) -> i128 {
        let unused = MAX_WIDTH - self.width();
        ((self.bits << unused) as i128) >> unused
    }

    #[inline]
    pub fn is_negative(self) -> bool {
        self.signed() < 0
    }

    #[inline]
    pub fn is_zero(self) -> bool {
        self.bits == 0
    }

    #[inline]
    pub fn is_ones(self) -> bool {
        self.bits == mask(self.width())
    }

    /// Whether this truth value is true.
    #[inline]
    pub fn is_true(self) -> bool {
        debug_assert_eq!(self.width, 1, "only a word of width 1 is a truth value");
        self.bits == 1
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:i{}", self.signed(), self.width)
    }
}

#[inline]
fn mask(width: u32) -> u128 {
    u128::MAX >> (MAX_WIDTH - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_above_the_width_are_dropped() {
        assert_eq!(Word::new(8, 0x1ff), Word::new(8, 0xff));
        assert_eq!(Word::new(128, u128::MAX), Word::ones(128));
    }

    #[test]
    fn the_sign_is_the_highest_bit() {
        assert_eq!(Word::new(8, 0x80).signed(), -128);
        assert_eq!(Word::new(1, 1).signed(), -1);
        assert_eq!(Word::signed_max(32).signed(), i32::MAX as i128);
        assert_eq!(Word::signed_min(128).signed(), i128::MIN);
    }
}
