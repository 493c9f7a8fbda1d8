//! Values and types as C spells them.

use bv::Word;
use ir::{Float, Scalar};

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
    let name = unqualified(&scalar.name);
    if PLAIN.contains(&name) || name == ir::STREAM {
        return name.to_string();
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
    if is_char(scalar) && (word.bits() == 0 || is_printable(word.bits() as u8)) {
        return character(word.bits() as u8);
    }
    let value = if scalar.signed { word.signed() } else { word.bits() as i128 };
    let least = scalar.signed.then(|| Word::signed_min(scalar.width).signed());
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

/// The shortest literal that stands for exactly this number.
pub(crate) fn float_literal(word: Word, float: &Float) -> String {
    let value = if float.width == 32 {
        f64::from(f32::from_bits(word.bits() as u32))
    } else {
        f64::from_bits(word.bits() as u64)
    };
    match value {
        value if value.is_nan() => "NAN".to_string(),
        f64::INFINITY => "INFINITY".to_string(),
        f64::NEG_INFINITY => "-INFINITY".to_string(),
        value if float.width == 32 => format!("{:?}f", value as f32),
        value => format!("{value:?}"),
    }
}

/// Whether values of this type are letters to a reader; `unsigned char` and `signed char` are numbers.
pub(crate) fn is_char(scalar: &Scalar) -> bool {
    unqualified(&scalar.name) == "char"
}

/// A name without `const`: what may be written to, pointers say.
pub(crate) fn unqualified(name: &str) -> &str {
    name.trim_start_matches("const ").trim_start_matches("volatile ").trim_start_matches("const ")
}

/// Text in front of zeros that end it, of which there is at least one.
pub(crate) fn text(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    bytes[end..].iter().all(|byte| *byte == 0).then(|| &bytes[..end])
}

/// A string literal with these bytes, and C's own zero after them.
pub(crate) fn string(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        match byte {
            b'"' => out.push_str("\\\""),
            // Two of them could begin a trigraph.
            b'?' if at > 0 && bytes[at - 1] == b'?' => out.push_str("\\?"),
            0 if !next.is_ascii_digit() => out.push_str("\\0"),
            _ => out.push_str(&escape(*byte)),
        }
    }
    out.push('"');
    out
}

fn character(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_string(),
        0 => "'\\0'".to_string(),
        _ => format!("'{}'", escape(byte)),
    }
}

/// Octal escapes have three digits at most, so that what follows cannot become a part of them.
fn escape(byte: u8) -> String {
    match byte {
        b'\\' => "\\\\".to_string(),
        b'\n' => "\\n".to_string(),
        b'\t' => "\\t".to_string(),
        b'\r' => "\\r".to_string(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r')
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
    fn a_letter_reads_as_one() {
        let scalar = Scalar { name: "char".into(), width: 8, signed: true };
        let check = |byte: u8, expect: &str| assert_eq!(literal(Word::new(8, byte.into()), &scalar), expect);
        check(b'a', "'a'");
        check(b'\'', "'\\''");
        check(0, "'\\0'");
        check(0x80, "-128");
    }

    #[test]
    fn a_string_means_its_bytes() {
        let check = |bytes: &[u8], expect: &str| assert_eq!(string(bytes), expect);
        check(b"a\"b\\\n", r#""a\"b\\\n""#);
        check(b"\xff1", r#""\3771""#);
        check(b"a\0b", r#""a\0b""#);
        check(b"a\x001", r#""a\0001""#);
        check(b"??=", r#""?\?=""#);
        check(b"???/", r#""?\?\?/""#);
    }

    #[test]
    fn text_ends_with_zeros_only() {
        assert_eq!(text(b"ab\0\0"), Some(&b"ab"[..]));
        assert_eq!(text(b"ab\0c"), None);
        assert_eq!(text(b"ab"), None);
    }

    #[test]
    fn a_float_is_as_short_as_it_can_be() {
        let check = |value: f64, expect: &str| {
            let double = Float { name: "double".into(), width: 64 };
            assert_eq!(float_literal(Word::new(64, value.to_bits().into()), &double), expect);
        };
        check(0.1, "0.1");
        check(-0.0, "-0.0");
        check(1e30, "1e30");
        check(3.0, "3.0");
        check(f64::NAN, "NAN");
        let single = Float { name: "float".into(), width: 32 };
        assert_eq!(float_literal(Word::new(32, 0.1f32.to_bits().into()), &single), "0.1f");
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
