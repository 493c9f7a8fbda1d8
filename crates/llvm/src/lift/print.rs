//! Functions that print: what is observed of their arguments.
//!
//! A test sees text. So a string counts by its characters, and a number by as much of it as the
//! format shows. The format must be a constant, because it says what the other arguments are.

use inkwell::values::{AsValueRef, FunctionValue, InstructionValue, Operand as LlvmOperand};

use super::operation::Unsupported;
use super::{constant, text, variable};

/// What an argument is to a function that prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PrintArgument {
    Text,
    Stream,
    Character,
    /// The arguments that follow are what it says.
    Format,
}

const PRINTS: &[(&str, &[PrintArgument])] = &[
    ("putchar", &[PrintArgument::Character]),
    ("putchar_unlocked", &[PrintArgument::Character]),
    ("puts", &[PrintArgument::Text]),
    ("perror", &[PrintArgument::Text]),
    ("fputs", &[PrintArgument::Text, PrintArgument::Stream]),
    ("fputc", &[PrintArgument::Character, PrintArgument::Stream]),
    ("putc", &[PrintArgument::Character, PrintArgument::Stream]),
    ("_IO_putc", &[PrintArgument::Character, PrintArgument::Stream]),
    ("fflush", &[PrintArgument::Stream]),
    // Our own library prints so.
    ("__whet_show", &[PrintArgument::Character]),
    ("__whet_show_in", &[PrintArgument::Character, PrintArgument::Stream]),
    ("printf", &[PrintArgument::Format]),
    ("fprintf", &[PrintArgument::Stream, PrintArgument::Format]),
];

pub(super) fn kinds(name: &str) -> Option<&'static [PrintArgument]> {
    PRINTS.iter().find(|(known, _)| *known == name).map(|(_, kinds)| *kinds)
}

/// Whether the arguments of a call say what it prints, and nobody looks at what it returns.
pub(crate) fn is_printed_by_its_arguments(callee: FunctionValue, call: InstructionValue) -> bool {
    let Some(kinds) = kinds(&text(callee.get_name())) else { return false };
    let is_known = |at: usize| {
        let format = call.get_operand(at as u32).and_then(LlvmOperand::value);
        let format = format.and_then(|format| constant::text(format.as_value_ref()));
        format.is_some_and(|format| conversions(&format).is_ok())
    };
    let mut formats = (0..).zip(kinds).filter(|(_, kind)| **kind == PrintArgument::Format);
    variable::users(call.as_value_ref()).is_empty() && formats.all(|(at, _)| is_known(at))
}

/// An argument that a format asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conversion {
    /// As wide as it comes, or only so many bits of it.
    Integer {
        signed: bool,
        bits: Option<u32>,
    },
    Float,
    Text,
    Pointer,
}

/// The arguments that a format asks for, in order.
pub(super) fn conversions(format: &[u8]) -> Result<Vec<Conversion>, Unsupported> {
    let mut found = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let mut digits = |found: &mut Vec<Conversion>, allowed: &[u8]| {
            let mut any = false;
            while let Some(byte) = rest.next_if(|byte| allowed.contains(byte)) {
                any = true;
                if byte == b'*' {
                    found.push(Conversion::Integer { signed: true, bits: None });
                }
            }
            any
        };
        digits(&mut found, b"-+ #0'");
        digits(&mut found, b"*0123456789");
        let precise = digits(&mut found, b".");
        digits(&mut found, b"*0123456789");
        let mut length = Vec::new();
        while let Some(byte) = rest.next_if(|byte| b"hlLqjzt".contains(byte)) {
            length.push(byte);
        }
        let bits = match length.as_slice() {
            b"hh" => Some(8),
            b"h" => Some(16),
            b"L" | b"q" => return Err(unknown(format)),
            _ => None,
        };
        let wide = length == b"l";
        found.push(match rest.next() {
            Some(b'%') => continue,
            Some(b'd' | b'i') => Conversion::Integer { signed: true, bits },
            Some(b'u' | b'o' | b'x' | b'X') => Conversion::Integer { signed: false, bits },
            Some(b'c') if !wide => Conversion::Integer { signed: false, bits: Some(8) },
            Some(b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A') => Conversion::Float,
            Some(b's') if !wide && !precise => Conversion::Text,
            Some(b'p') => Conversion::Pointer,
            _ => return Err(unknown(format)),
        });
    }
    Ok(found)
}

fn unknown(format: &[u8]) -> Unsupported {
    format!("the format \"{}\"", String::from_utf8_lossy(format).escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_says_what_its_arguments_are() {
        let integer = |signed, bits| Conversion::Integer { signed, bits };
        let check = |format: &str, expect: &[Conversion]| {
            assert_eq!(conversions(format.as_bytes()).as_deref(), Ok(expect), "{format}");
        };
        check("100%%\n", &[]);
        check("%d%5u", &[integer(true, None), integer(false, None)]);
        check("%-*ld|%hhx", &[integer(true, None), integer(true, None), integer(false, Some(8))]);
        check(
            "%s %.2f %p %c",
            &[Conversion::Text, Conversion::Float, Conversion::Pointer, integer(false, Some(8))],
        );
        for unknown in ["%n", "%.3s", "%ls", "%Lf", "%"] {
            assert!(conversions(unknown.as_bytes()).is_err(), "{unknown}");
        }
    }
}
