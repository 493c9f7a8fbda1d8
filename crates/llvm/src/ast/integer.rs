//! Integer types of C: ranks, signs, widths, promotion.

use clang_sys::*;

/// How C ranks the integer types. `char`, `signed char` and `unsigned char` have one rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Rank {
    Bool,
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Int128,
}

/// An integer type. An enumeration counts as the type that holds it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Integer {
    pub rank: Rank,
    pub signed: bool,
    /// In memory, but 1 for `_Bool`.
    pub width: u32,
}

impl Integer {
    /// The width of `int` on every target that we know.
    pub(crate) const INT: Integer = Integer { rank: Rank::Int, signed: true, width: 32 };

    /// The type of this kind; its size is asked for only if it is an integer.
    pub(super) fn new(kind: CXTypeKind, bytes: impl FnOnce() -> i64) -> Option<Integer> {
        let (rank, signed) = match kind {
            CXType_Bool => (Rank::Bool, false),
            CXType_Char_S | CXType_SChar => (Rank::Char, true),
            CXType_Char_U | CXType_UChar => (Rank::Char, false),
            CXType_Short => (Rank::Short, true),
            CXType_UShort => (Rank::Short, false),
            CXType_Int => (Rank::Int, true),
            CXType_UInt => (Rank::Int, false),
            CXType_Long => (Rank::Long, true),
            CXType_ULong => (Rank::Long, false),
            CXType_LongLong => (Rank::LongLong, true),
            CXType_ULongLong => (Rank::LongLong, false),
            CXType_Int128 => (Rank::Int128, true),
            CXType_UInt128 => (Rank::Int128, false),
            _ => return None,
        };
        let width = if rank == Rank::Bool { 1 } else { u32::try_from(bytes()).ok()? * 8 };
        Some(Integer { rank, signed, width })
    }

    /// The type as an operand of arithmetic has it.
    pub(crate) fn promoted(self) -> Integer {
        if self.rank < Rank::Int { Integer::INT } else { self }
    }

    pub(crate) fn is_bool(self) -> bool {
        self.rank == Rank::Bool
    }

    pub(crate) fn with_sign(self, signed: bool) -> Integer {
        Integer { signed, ..self }
    }

    /// The type in C.
    pub(crate) fn name(self) -> &'static str {
        match (self.rank, self.signed) {
            (Rank::Bool, _) => "_Bool",
            (Rank::Char, true) => "signed char",
            (Rank::Char, false) => "unsigned char",
            (Rank::Short, true) => "short",
            (Rank::Short, false) => "unsigned short",
            (Rank::Int, true) => "int",
            (Rank::Int, false) => "unsigned int",
            (Rank::Long, true) => "long",
            (Rank::Long, false) => "unsigned long",
            (Rank::LongLong, true) => "long long",
            (Rank::LongLong, false) => "unsigned long long",
            (Rank::Int128, true) => "__int128",
            (Rank::Int128, false) => "unsigned __int128",
        }
    }

    pub(crate) fn min(self) -> i128 {
        if self.signed { -(1 << (self.width - 1)) } else { 0 }
    }

    pub(crate) fn max(self) -> i128 {
        (1 << (self.width - u32::from(self.signed))) - 1
    }

    /// The value converted to this type: modulo 2ⁿ, and for `_Bool` whether it is not zero. The
    /// type has at most 64 bits, as those of literals do.
    pub(crate) fn convert(self, value: i128) -> i128 {
        if self.is_bool() {
            return i128::from(value != 0);
        }
        let modulus = 1i128 << self.width;
        let wrapped = value.rem_euclid(modulus);
        if wrapped > self.max() { wrapped - modulus } else { wrapped }
    }
}
