//! Values and types as C spells them.

use bv::Word;
use ir::Scalar;

/// A type that is compatible with the one in the program, and needs no header: a test file sees
/// neither the program's typedefs nor its enumerations.
pub fn type_name(scalar: &Scalar) -> String {
    const PLAIN: [&str; 14] = [
        "_Bool",
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "short int",
    ];
    if PLAIN.contains(&scalar.name.as_str()) {
        return scalar.name.clone();
    }
    let name = match (scalar.width, scalar.signed) {
        (1, _) => "_Bool",
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned int",
        (64, true) => "long",
        (64, false) => "unsigned long",
        (_, true) => "__int128",
        (_, false) => "unsigned __int128",
    };
    name.to_string()
}

/// A literal with the value of the word, of a type in which it is exact.
pub fn literal(word: Word, scalar: &Scalar) -> String {
    let value = if scalar.signed && scalar.width > 1 { word.signed() } else { word.bits() as i128 };
    let least = (scalar.width > 1 && scalar.signed).then(|| Word::signed_min(scalar.width).signed());
    // The same width here, but not on every machine that the test may run on.
    let (long, suffix) = if scalar.name.contains("long long") { ("LLONG", "LL") } else { ("LONG", "L") };
    match scalar.width {
        32 if Some(value) == least => "INT_MIN".to_string(),
        32 if scalar.signed && value == i128::from(i32::MAX) => "INT_MAX".to_string(),
        32 if !scalar.signed && value == i128::from(u32::MAX) => "UINT_MAX".to_string(),
        64 if Some(value) == least => format!("{long}_MIN"),
        64 if scalar.signed && value == i128::from(i64::MAX) => format!("{long}_MAX"),
        64 if !scalar.signed && value == i128::from(u64::MAX) => format!("U{long}_MAX"),
        128 => wide(word),
        64 if !scalar.signed && value > i128::from(i32::MAX) => format!("{value}U{suffix}"),
        64 if value.unsigned_abs() > i32::MAX as u128 => format!("{value}{suffix}"),
        32 if !scalar.signed && value > i128::from(i32::MAX) => format!("{value}U"),
        _ => value.to_string(),
    }
}

/// C has no literals of 128 bits; two halves make one.
fn wide(word: Word) -> String {
    let (high, low) = ((word.bits() >> 64) as u64, word.bits() as u64);
    if high == 0 {
        return format!("{low}UL");
    }
    format!("((unsigned __int128){high}UL << 64 | {low}UL)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(width: u32, signed: bool, value: i128, expect: &str) {
        let scalar = Scalar { name: "t".into(), width, signed };
        assert_eq!(literal(Word::from_signed(width, value), &scalar), expect);
    }

    #[test]
    fn the_edges_of_a_type_have_names() {
        check(32, true, i32::MIN as i128, "INT_MIN");
        check(32, false, -1, "UINT_MAX");
        check(64, true, i64::MIN as i128, "LONG_MIN");
    }

    #[test]
    fn a_literal_has_room_for_its_value() {
        check(32, true, -7, "-7");
        check(32, false, 3_000_000_000, "3000000000U");
        check(64, true, -5_000_000_000, "-5000000000L");
        check(64, false, 5_000_000_000, "5000000000UL");
        check(8, true, -128, "-128");
        check(8, false, 200, "200");
        check(1, false, 1, "1");
        check(128, true, -1, "((unsigned __int128)18446744073709551615UL << 64 | 18446744073709551615UL)");
    }
}
