//! How hard values are to read, and what to try in their place.

use std::collections::HashSet;

use bv::{Word, float};
use ir::{Datum, FunctionId, Input, Object, Program, Type, TypeId};

use crate::shrink::leaves::{LeafKind, is_character, leaves};

/// An object is a declaration more, and each of its elements something more to write.
const OBJECT: u64 = 4;
const ELEMENT: u64 = 3;

/// A result of a function without a body takes a stub.
const RESULT: u64 = 6;

/// A second pointer to one object is what people least expect; an object of its
/// own is simpler, however large.
const SHARED: u64 = 100_000;

/// A text that does not end, and something after the end of one.
const UNTERMINATED: u64 = 8;
const AFTER_END: u64 = 16;

/// How hard an input is to read: few things, few digits and few signs first.
pub fn complexity(program: &Program, subject: FunctionId, input: &Input) -> u64 {
    let mut pointed = HashSet::new();
    let leaves = leaves(program, subject, input).into_iter().map(|leaf| {
        let shared = matches!(leaf.datum, Datum::Pointer { object, .. } if !pointed.insert(*object));
        weight(leaf.kind, leaf.datum) + if shared { SHARED } else { 0 }
    });
    let leaves: u64 = leaves.sum();
    let objects = input
        .objects
        .iter()
        .map(|object| OBJECT + ELEMENT * object.elements.len() as u64 + untidiness(program, object));
    let results: u64 = input.results.iter().map(|(_, results)| RESULT * results.len() as u64).sum();
    leaves + objects.sum::<u64>() + results
}

/// Whether it is a text that ends with the object.
pub(super) fn is_terminated(program: &Program, object: &Object) -> bool {
    is_character(program, object.of)
        && object.elements.last().and_then(Datum::word).is_some_and(Word::is_zero)
}

/// Values to try in place of a leaf, simplest first, all of them simpler.
pub(super) fn simpler(kind: LeafKind, datum: &Datum) -> Vec<Datum> {
    let candidates: Vec<Datum> = match datum {
        Datum::Word(word) => {
            let words = match kind {
                LeafKind::Float => simpler_floats(*word),
                LeafKind::Character => letters(b"ab01 A\t"),
                LeafKind::Omissible => letters(b"\0ab01 A\t"),
                LeafKind::Integer | LeafKind::Pointer => simpler_integers(*word),
            };
            words.into_iter().map(Datum::Word).collect()
        }
        Datum::Pointer { object, element } => {
            let nearer = [0, 1, element / 2, element.saturating_sub(1)];
            nearer.map(|element| Datum::Pointer { object: *object, element }).to_vec()
        }
        _ => vec![],
    };
    let limit = weight(kind, datum);
    let mut simpler: Vec<Datum> =
        candidates.into_iter().filter(|candidate| weight(kind, candidate) < limit).collect();
    simpler.sort_by_key(|candidate| weight(kind, candidate));
    simpler.dedup();
    simpler
}

fn weight(kind: LeafKind, datum: &Datum) -> u64 {
    match (kind, datum) {
        (LeafKind::Float, Datum::Word(word)) => float_weight(*word),
        (LeafKind::Character | LeafKind::Omissible, Datum::Word(word)) => character_weight(word.bits() as u8),
        (_, Datum::Word(word)) => integer_weight(*word),
        (_, Datum::Pointer { element, .. }) => 1 + 4 * u64::from(*element),
        (_, Datum::Function(_)) => 1,
        (_, Datum::Null | Datum::Aggregate(_)) => 0,
    }
}

/// Zero weighs nothing, then by magnitude; a minus sign costs a little, and so does a long number.
fn integer_weight(word: Word) -> u64 {
    let value = word.signed();
    let magnitude = value.unsigned_abs();
    let digits = u64::from(u128::BITS - magnitude.leading_zeros());
    2 * digits * digits + if value < 0 { 1 } else { 0 } + magnitude.min(16) as u64
}

/// `a`, then other letters and digits, then what can be printed.
fn character_weight(byte: u8) -> u64 {
    match byte {
        0 => 0,
        b'a' => 1,
        b'b' => 2,
        b'c'..=b'z' | b'0' => 3,
        b'1'..=b'9' | b'A'..=b'Z' | b' ' => 4,
        0x21..=0x7e => 6,
        b'\t' | b'\n' => 8,
        _ => 20,
    }
}

/// By the digits of the shortest decimal, as in `1.25e2`. What is no number comes after most numbers.
fn float_weight(word: Word) -> u64 {
    const NO_NUMBER: u64 = 40;
    let value = float::value(word);
    if value == 0.0 || !value.is_finite() {
        let magnitude = if value == 0.0 { 0 } else { NO_NUMBER };
        return magnitude + if value.is_sign_negative() { 3 } else { 0 };
    }
    let text = match word.width() {
        32 => format!("{:e}", (value as f32).abs()),
        _ => format!("{:e}", value.abs()),
    };
    let (mantissa, exponent) = text.split_once('e').expect("the format has an exponent");
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count() as u64;
    let scale: i64 = exponent.parse().expect("the exponent is a number");
    let first = u64::from(mantissa.as_bytes()[0] - b'0');
    3 * digits * digits + 3 * scale.unsigned_abs() + first + if value < 0.0 { 1 } else { 0 }
}

fn letters(bytes: &[u8]) -> Vec<Word> {
    bytes.iter().map(|byte| Word::new(8, u128::from(*byte))).collect()
}

fn simpler_integers(word: Word) -> Vec<Word> {
    let value = word.signed();
    let half = value / 2;
    let candidates = [
        0,
        1,
        2,
        -1,
        3,
        4,
        5,
        10,
        -2,
        value.wrapping_neg(),
        half,
        value / 4 * 3,
        value - value.signum(),
        value / 10 * 10,
    ];
    candidates.iter().map(|candidate| Word::from_signed(word.width(), *candidate)).collect()
}

fn simpler_floats(word: Word) -> Vec<Word> {
    let value = float::value(word);
    let tenths = (value * 10.0).trunc() / 10.0;
    let candidates = [
        0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        10.0,
        3.0,
        1.5,
        100.0,
        -value,
        value.trunc(),
        (value / 2.0).trunc(),
        tenths,
    ];
    candidates.iter().map(|candidate| float::word(word.width(), *candidate)).collect()
}

/// Of the texts that an object is, or has in it.
fn untidiness(program: &Program, object: &Object) -> u64 {
    match is_character(program, object.of) {
        true => text_untidiness(&object.elements),
        false => object.elements.iter().map(|datum| inner_untidiness(program, object.of, datum)).sum(),
    }
}

fn inner_untidiness(program: &Program, of: TypeId, datum: &Datum) -> u64 {
    match (program.of(of), datum) {
        (Type::Array { of, .. }, Datum::Aggregate(elements)) if is_character(program, *of) => {
            text_untidiness(elements)
        }
        (Type::Array { of, .. }, Datum::Aggregate(elements)) => {
            elements.iter().map(|element| inner_untidiness(program, *of, element)).sum()
        }
        (Type::Record(record), Datum::Aggregate(parts)) => {
            let fields = program.parts(record).into_iter().zip(parts);
            fields.map(|(field, part)| inner_untidiness(program, field.of, part)).sum()
        }
        _ => 0,
    }
}

/// A text ends once, and nothing but zeros stands behind.
fn text_untidiness(elements: &[Datum]) -> u64 {
    let is_end = |datum: &Datum| datum.word().is_some_and(Word::is_zero);
    match elements.iter().position(is_end) {
        None => UNTERMINATED,
        Some(end) => {
            let after = elements[end..].iter().filter(|datum| !is_end(datum)).count();
            AFTER_END * after as u64
        }
    }
}
