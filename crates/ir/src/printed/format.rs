//! What `printf` and its like print, given what was observed of their arguments.
//!
//! As C defines it, for the conversions that unit-level code uses. Where one is missing, the answer is none.

use bv::Word;

use crate::Seen;

/// These print one character, and so do the last two, which are our library's.
const CHARACTERS: [&str; 7] =
    ["putchar", "putc", "_IO_putc", "fputc", "putchar_unlocked", "__whet_show", "__whet_show_in"];

/// The text that a call of this function prints; the stream, if it takes one, is not among the arguments.
pub(super) fn printed(name: &str, arguments: &[Seen]) -> Option<Vec<u8>> {
    match (name, arguments) {
        (name, [Seen::Word(word), ..]) if CHARACTERS.contains(&name) => Some(vec![word.bits() as u8]),
        ("puts", [Seen::Text(text), ..]) => Some([text, &b"\n"[..]].concat()),
        ("fputs", [Seen::Text(text), ..]) => Some(text.clone()),
        ("fflush", _) => Some(vec![]),
        ("printf" | "fprintf", [Seen::Text(format), rest @ ..]) => expand(format, rest),
        _ => None,
    }
}

/// One conversion, such as `%-5.2f`.
#[derive(Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// `hh` and `h` cut the argument; its own width says the rest.
    cut: Option<u32>,
}

fn expand(format: &[u8], arguments: &[Seen]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut arguments = arguments.iter();
    let mut rest = format;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let conversion = read(&mut rest, &mut arguments)?;
        let [kind, after @ ..] = rest else { return None };
        rest = after;
        match kind {
            b'%' => out.push(b'%'),
            _ => out.extend(conversion.apply(*kind, arguments.next()?)?),
        }
    }
    Some(out)
}

/// Reads all of a conversion but its last letter.
fn read<'a>(rest: &mut &[u8], arguments: &mut impl Iterator<Item = &'a Seen>) -> Option<Conversion> {
    let mut conversion = Conversion::default();
    while let [flag @ (b'-' | b'+' | b' ' | b'#' | b'0'), after @ ..] = *rest {
        match flag {
            b'-' => conversion.left = true,
            b'+' => conversion.plus = true,
            b' ' => conversion.space = true,
            b'#' => conversion.alternative = true,
            _ => conversion.zero = true,
        }
        *rest = after;
    }
    let width = number(rest, arguments)?.unwrap_or(0);
    conversion.left |= width < 0;
    conversion.width = width.unsigned_abs() as usize;
    if let [b'.', after @ ..] = *rest {
        *rest = after;
        // A negative one is as if it were not there.
        conversion.precision = usize::try_from(number(rest, arguments)?.unwrap_or(0)).ok();
    }
    while let [length @ (b'h' | b'l' | b'z' | b'j' | b't'), after @ ..] = *rest {
        if *length == b'h' {
            conversion.cut = Some(if conversion.cut.is_some() { 8 } else { 16 });
        }
        *rest = after;
    }
    Some(conversion)
}

/// Digits, or a star for the next argument. None if that is missing.
fn number<'a>(rest: &mut &[u8], arguments: &mut impl Iterator<Item = &'a Seen>) -> Option<Option<i32>> {
    if let [b'*', after @ ..] = *rest {
        *rest = after;
        let Seen::Word(word) = arguments.next()? else { return None };
        return Some(Some(word.signed() as i32));
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = rest.split_at(digits);
    *rest = after;
    Some(std::str::from_utf8(number).ok()?.parse().ok())
}

impl Conversion {
    fn apply(&self, kind: u8, argument: &Seen) -> Option<Vec<u8>> {
        match (kind, argument) {
            (b's', Seen::Text(text)) => {
                let shown = self.precision.map_or(text.len(), |most| most.min(text.len()));
                Some(self.pad(&[], &text[..shown], false))
            }
            (b'c', Seen::Word(word)) => Some(self.pad(&[], &[word.bits() as u8], false)),
            (b'd' | b'i', Seen::Word(word)) => {
                let value = self.cut(*word).signed();
                Some(self.integer(self.sign(value < 0), value.unsigned_abs().to_string()))
            }
            (b'u' | b'x' | b'X' | b'o', Seen::Word(word)) => {
                Some(self.unsigned(kind, self.cut(*word).bits()))
            }
            (b'f' | b'F' | b'e' | b'g', Seen::Word(word)) if word.width() == 64 => {
                self.float(kind, f64::from_bits(word.bits() as u64))
            }
            _ => None,
        }
    }

    fn cut(&self, word: Word) -> Word {
        self.cut.map_or(word, |width| Word::new(width, word.bits()))
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn unsigned(&self, kind: u8, value: u128) -> Vec<u8> {
        let (prefix, digits) = match kind {
            b'x' => ("0x", format!("{value:x}")),
            b'X' => ("0X", format!("{value:X}")),
            b'o' => ("0", format!("{value:o}")),
            _ => ("", value.to_string()),
        };
        self.integer(if self.alternative && value != 0 { prefix } else { "" }, digits)
    }

    fn integer(&self, prefix: &str, digits: String) -> Vec<u8> {
        let least = self.precision.unwrap_or(1);
        let digits = if digits == "0" && least == 0 { String::new() } else { format!("{digits:0>least$}") };
        self.pad(prefix.as_bytes(), digits.as_bytes(), self.precision.is_none())
    }

    fn float(&self, kind: u8, value: f64) -> Option<Vec<u8>> {
        let sign = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        if !value.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            // How a NaN shows its sign, and what F prints, depends on the library.
            return (kind != b'F' && !value.is_nan())
                .then(|| self.pad(sign.as_bytes(), name.as_bytes(), false));
        }
        let precision = self.precision.unwrap_or(6);
        let digits = match kind {
            b'f' | b'F' => format!("{magnitude:.precision$}"),
            b'e' => scientific(magnitude, precision),
            _ if self.alternative => return None,
            _ => general(magnitude, precision.max(1)),
        };
        Some(self.pad(sign.as_bytes(), digits.as_bytes(), true))
    }

    /// Fills up to the width: spaces before or behind, or zeros after the sign.
    fn pad(&self, prefix: &[u8], digits: &[u8], may_have_zeros: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        match (self.left, self.zero && may_have_zeros) {
            (true, _) => [prefix, digits, &vec![b' '; missing]].concat(),
            (_, true) => [prefix, &vec![b'0'; missing], digits].concat(),
            _ => [&vec![b' '; missing], prefix, digits].concat(),
        }
    }
}

/// `1.5e+00`: C shows the sign and two digits of the exponent, Rust does not.
fn scientific(value: f64, precision: usize) -> String {
    let (digits, exponent) = parts(value, precision);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

fn parts(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_string(), exponent.parse().unwrap_or(0))
}

/// The shorter of the two notations, without zeros at the end.
fn general(value: f64, precision: usize) -> String {
    let (_, exponent) = parts(value, precision - 1);
    let trim = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => digits.to_string(),
    };
    if exponent >= -4 && exponent < precision as i32 {
        let places = (precision as i32 - 1 - exponent) as usize;
        return trim(&format!("{value:.places$}"));
    }
    let text = scientific(value, precision - 1);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
    format!("{}e{exponent}", trim(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, arguments: &[Seen], expect: &str) {
        let text = Seen::Text(format.as_bytes().to_vec());
        let arguments = [&[text], arguments].concat();
        assert_eq!(printed("printf", &arguments), Some(expect.as_bytes().to_vec()), "{format}");
    }

    fn int(value: i128) -> Seen {
        Seen::Word(Word::from_signed(32, value))
    }

    fn double(value: f64) -> Seen {
        Seen::Word(Word::new(64, value.to_bits().into()))
    }

    #[test]
    fn integers_are_printed_as_c_does() {
        check(
            "%d|%5d|%-5d|%05d|%+d",
            &[int(-7), int(42), int(42), int(-42), int(3)],
            "-7|   42|42   |-0042|+3",
        );
        check("%u %x %#X %o", &[int(-1), int(255), int(255), int(8)], "4294967295 ff 0XFF 10");
        check("%.3d|%5.2d|%hhd|%%", &[int(7), int(7), int(0x1ff)], "007|   07|-1|%");
        check("%*d", &[int(4), int(1)], "   1");
    }

    #[test]
    fn text_is_cut_and_filled() {
        let text = || Seen::Text(b"abc".to_vec());
        check("%s|%5s|%-5s|%.2s|%c", &[text(), text(), text(), text(), int(65)], "abc|  abc|abc  |ab|A");
    }

    #[test]
    fn floats_are_printed_as_c_does() {
        check("%f %.2f %5.1f", &[double(0.5), double(-1.005), double(2.25)], "0.500000 -1.00   2.2");
        check("%e %.0e", &[double(12345.678), double(0.0)], "1.234568e+04 0e+00");
        check(
            "%g %g %g %g",
            &[double(100000.0), double(1e6), double(0.0001), double(1.5e-5)],
            "100000 1e+06 0.0001 1.5e-05",
        );
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        let format = Seen::Text(b"%p".to_vec());
        assert_eq!(printed("printf", &[format, Seen::Null]), None);
        assert_eq!(printed("vprintf", &[]), None);
    }
}
