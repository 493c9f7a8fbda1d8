//! Literals of C: a value in the words of a type.

use crate::ast::{Integer, Literal, LiteralForm, Rank};
use crate::mutate::operators::Value;

/// A literal of this value and type, written like the one that it replaces (`like`, or nothing).
pub(super) fn literal(value: i128, integer: Integer, like: &str) -> String {
    if value < 0 {
        // The least value has no literal: its absolute value is no value of the type.
        if value == integer.min() {
            return format!("(-{} - 1)", literal(-(value + 1), integer, ""));
        }
        // Bits of negative numbers are nothing to read: decimal.
        return format!("-{}", literal(-value, integer, &format!("1{}", suffix(like))));
    }
    let is_hexadecimal = like.starts_with("0x") || like.starts_with("0X");
    let digits = match like {
        _ if value == 0 => "0".to_string(),
        _ if is_hexadecimal && like.contains(|digit: char| matches!(digit, 'A'..='F')) => {
            format!("0x{value:X}")
        }
        _ if is_hexadecimal => format!("0x{value:x}"),
        _ if like.starts_with('0') && like[1..].starts_with(|digit: char| digit.is_ascii_digit()) => {
            format!("0{value:o}")
        }
        _ => value.to_string(),
    };
    let kept = format!("{digits}{}", suffix(like));
    if type_of(&kept, value) == Some(integer) { kept } else { format!("{digits}{}", own_suffix(integer)) }
}

/// What stands in place of a constant; None if it has no words.
pub(super) fn changed(constant: &Literal, integer: Integer, change: Value) -> Option<(i128, String)> {
    let sum = change.of(constant.value, integer);
    let value = integer.convert(sum);
    let text = match (&constant.form, change) {
        (LiteralForm::Enumerator(_), Value::Plus(_)) if value != sum => return None,
        (LiteralForm::Enumerator(name), Value::Plus(plus)) if plus < 0 => format!("({name} - {})", -plus),
        (LiteralForm::Enumerator(name), Value::Plus(plus)) => format!("({name} + {plus})"),
        (LiteralForm::Character, Value::Plus(_)) if is_plain(constant.value) && is_plain(value) => {
            format!("'{}'", char::from(value as u8))
        }
        (LiteralForm::Number(like), _) => literal(value, integer, like),
        (LiteralForm::Character | LiteralForm::Enumerator(_), _) => literal(value, integer, ""),
    };
    Some((value, text))
}

/// A character that stands for itself between quotes.
fn is_plain(value: i128) -> bool {
    u8::try_from(value).is_ok_and(|byte| byte.is_ascii_graphic() && byte != b'\'' && byte != b'\\')
}

fn suffix(like: &str) -> &str {
    &like[like.trim_end_matches(['u', 'U', 'l', 'L']).len()..]
}

/// The suffix that makes a type of at least this rank.
fn own_suffix(integer: Integer) -> &'static str {
    match (integer.rank, integer.signed) {
        (Rank::Long, true) => "L",
        (Rank::Long, false) => "UL",
        (Rank::LongLong, true) => "LL",
        (Rank::LongLong, false) => "ULL",
        (_, true) => "",
        (_, false) => "U",
    }
}

/// The type that C gives to a literal (6.4.4.1), for the data model LP64.
fn type_of(text: &str, value: i128) -> Option<Integer> {
    let is_decimal = !text.starts_with('0') || text == "0";
    let suffix = suffix(text).to_ascii_lowercase();
    let lowest = match suffix.matches('l').count() {
        0 => Rank::Int,
        1 => Rank::Long,
        _ => Rank::LongLong,
    };
    let has_u = suffix.contains('u');
    [Rank::Int, Rank::Long, Rank::LongLong]
        .into_iter()
        .filter(|rank| *rank >= lowest)
        .flat_map(|rank| [true, false].map(|signed| (rank, signed)))
        .filter(|(_, signed)| if *signed { !has_u } else { has_u || !is_decimal })
        .map(|(rank, signed)| Integer { rank, signed, width: if rank == Rank::Int { 32 } else { 64 } })
        .find(|integer| value <= integer.max())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_keeps_its_type_and_looks() {
        let check = |value: i128, rank: Rank, signed: bool, like: &str, expect: &str| {
            let width = if rank == Rank::Int { 32 } else { 64 };
            assert_eq!(literal(value, Integer { rank, signed, width }, like), expect);
        };
        check(6, Rank::Int, true, "5", "6");
        check(0, Rank::Int, true, "1", "0");
        check(0, Rank::Int, false, "1u", "0u");
        check(0, Rank::Long, true, "", "0L");
        check(-1, Rank::Int, true, "0", "-1");
        check(-1, Rank::Long, true, "0l", "-1l");
        check(256, Rank::Int, true, "0xff", "0x100");
        check(0xAC, Rank::Int, true, "0xAB", "0xAC");
        check(0x7fff_ffff, Rank::Int, false, "0x80000000", "0x7fffffffU");
        check(8, Rank::Int, true, "07", "010");
        check(7, Rank::LongLong, false, "6ull", "7ull");
        check(7, Rank::Long, false, "0x6UL", "0x7UL");
        check(i128::from(i32::MIN), Rank::Int, true, "", "(-2147483647 - 1)");
        check(i128::from(i64::MIN), Rank::Long, true, "", "(-9223372036854775807 - 1)");
        check(-2147483647, Rank::Long, true, "2147483648", "-2147483647L");
        check(-2147483649, Rank::Long, true, "2147483648", "-2147483649");
        check(2147483647, Rank::Long, true, "2147483648", "2147483647L");
    }
}
