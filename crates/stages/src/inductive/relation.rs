//! Equations between a state of the original and a state of the mutant.
//!
//! Numbers may be equal, off by one, a difference of two others, or an extension of each other. An index of
//! one side may be a pointer of the other. All of these are candidates; `pairs` drops those that do not hold.

use bv::formula::add;
use bv::{Domain, Term, Terms, Word};
use ir::{Function, Register};

use super::shape::Shape;
use super::words;
use crate::encode::Stop;
use crate::memory::{number, object_of, offset_of};

/// An equation between the states of both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Relation {
    mutant: Expression,
    original: Expression,
}

/// A word that a state determines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expression {
    Register(Register),
    /// The offset of a pointer.
    Offset(Register),
    Plus(Register, i8),
    Difference(Register, Register),
    /// The low 32 bits of a number, times the size of an element.
    Scaled(Register, u32),
    Moved {
        pointer: Register,
        /// By so many elements.
        by: Register,
        /// Of this size.
        size: u32,
    },
    Extended {
        register: Register,
        to: u32,
        signed: bool,
    },
}

/// More registers than this are not related to each other.
const REGISTERS: usize = 10;

/// More pointers than this are not compared with each other, nor with places that are some elements away.
const PLACES: usize = 6;

/// The sizes of elements that an index may count.
const SIZES: [u32; 4] = [1, 2, 4, 8];

impl Expression {
    /// None if the state has no such word.
    fn word(self, terms: &mut Terms, stop: &Stop) -> Option<Term> {
        let word = |register: Register| stop.values[register.0 as usize].map(|value| value.word);
        match self {
            Expression::Register(register) => word(register),
            Expression::Offset(register) => word(register).map(|word| offset_of(terms, word)),
            Expression::Plus(register, by) => {
                let word = word(register)?;
                let by = Word::from_signed(terms.width(&word), by.into());
                Some(terms.add(word, by))
            }
            Expression::Difference(one, other) => {
                let (one, other) = (word(one)?, word(other)?);
                (terms.width(&one) == terms.width(&other)).then(|| terms.sub(one, other))
            }
            Expression::Scaled(register, size) => {
                let word = word(register).filter(|word| terms.width(word) >= 32)?;
                let low = if terms.width(&word) > 32 { offset_of(terms, word) } else { word };
                Some(terms.mul(low, number(size)))
            }
            Expression::Moved { pointer, by, size } => {
                let pointer = word(pointer).filter(|word| terms.width(word) == 64)?;
                let by = Expression::Scaled(by, size).word(terms, stop)?;
                let (object, offset) = (object_of(terms, pointer), offset_of(terms, pointer));
                Some(terms.concat(object, add(offset, by)))
            }
            Expression::Extended { register, to, signed } => {
                let word = word(register).filter(|word| terms.width(word) <= to)?;
                Some(if signed { terms.sext(word, to) } else { terms.zext(word, to) })
            }
        }
    }

    /// In the user's words, with this behind each name.
    fn in_words(self, function: &Function, prime: &str) -> Option<String> {
        let name = |register: Register| Some(format!("{}{prime}", words::name(function, register)?));
        Some(match self {
            Expression::Register(register)
            | Expression::Extended { register, .. }
            | Expression::Offset(register) => name(register)?,
            Expression::Plus(register, by) if by < 0 => format!("{} - {}", name(register)?, -by),
            Expression::Plus(register, by) => format!("{} + {by}", name(register)?),
            Expression::Difference(one, other) => format!("{} - {}", name(one)?, name(other)?),
            // C counts in elements.
            Expression::Moved { pointer, by, .. } => format!("{} + {}", name(pointer)?, name(by)?),
            Expression::Scaled(register, _) => name(register)?,
        })
    }
}

impl Relation {
    pub(super) fn in_words(&self, original: &Function, mutant: &Function) -> Option<String> {
        let (left, right) = (self.mutant.in_words(mutant, "'")?, self.original.in_words(original, "")?);
        let is_place = |side: Expression| matches!(side, Expression::Scaled(..));
        match is_place(self.mutant) || is_place(self.original) {
            false => Some(format!("{left} == {right}")),
            true => Some(format!("{left} is where {right} is")),
        }
    }

    pub(super) fn holds(&self, terms: &mut Terms, original: &Stop, mutant: &Stop) -> Term {
        match (self.mutant.word(terms, mutant), self.original.word(terms, original)) {
            (Some(one), Some(other)) if terms.width(&one) == terms.width(&other) => terms.equal(one, other),
            _ => terms.truth(false),
        }
    }

    /// All equations between states of two shapes.
    pub(super) fn candidates(original: &Shape, mutant: &Shape) -> Vec<Relation> {
        let mut relations = between_numbers(original, mutant);
        relations.extend(between_places(original, mutant));
        relations
    }
}

/// A register that holds a number, and its width.
type Number = (Register, u32);

fn numbers(shape: &Shape) -> Vec<Number> {
    shape.numbers().take(REGISTERS).collect()
}

/// Equations for the numbers of the mutant.
fn between_numbers(original: &Shape, mutant: &Shape) -> Vec<Relation> {
    let (numbers, own_numbers) = (numbers(original), numbers(mutant));
    let mut relations = Vec::new();
    let mut add = |mutant: Expression, original: Expression| relations.push(Relation { mutant, original });
    for (own, width) in own_numbers.iter().copied() {
        let left = Expression::Register(own);
        for (at, (register, other_width)) in numbers.iter().copied().enumerate() {
            let right = Expression::Register(register);
            if other_width == width {
                add(left, right);
                add(left, Expression::Plus(register, 1));
                add(left, Expression::Plus(register, -1));
                for (other, _) in numbers[at + 1..].iter().filter(|(_, third_width)| *third_width == width) {
                    add(left, Expression::Difference(register, *other));
                    add(left, Expression::Difference(*other, register));
                }
                for (other, _) in own_numbers.iter().filter(|(other, it)| *other != own && *it == width) {
                    add(Expression::Difference(own, *other), right);
                }
            } else {
                for signed in [true, false] {
                    if other_width < width {
                        add(left, Expression::Extended { register, to: width, signed });
                    } else {
                        add(Expression::Extended { register: own, to: other_width, signed }, right);
                    }
                }
            }
        }
        for (pointer, _) in original.pointers().take(REGISTERS).filter(|_| width >= 32) {
            for size in SIZES {
                add(Expression::Scaled(own, size), Expression::Offset(pointer));
            }
        }
    }
    relations
}

/// Equations for the pointers of the mutant.
fn between_places(original: &Shape, mutant: &Shape) -> Vec<Relation> {
    let indexes = |shape: &Shape| -> Vec<Register> {
        numbers(shape).into_iter().filter(|(_, width)| *width >= 32).map(|(register, _)| register).collect()
    };
    let (indexes, own_indexes) = (indexes(original), indexes(mutant));
    let mut relations = Vec::new();
    let mut add = |mutant: Expression, original: Expression| relations.push(Relation { mutant, original });
    for (own, own_unit) in mutant.places().take(PLACES) {
        for (place, unit) in original.places().take(PLACES) {
            let (left, right) = (Expression::Register(own), Expression::Register(place));
            add(left, right);
            for by in indexes.iter().copied() {
                add(left, Expression::Moved { pointer: place, by, size: own_unit });
            }
            for by in own_indexes.iter().copied() {
                add(Expression::Moved { pointer: own, by, size: unit }, right);
            }
        }
    }
    for (own, _) in mutant.pointers().take(REGISTERS) {
        for index in indexes.iter().copied() {
            for size in SIZES {
                add(Expression::Offset(own), Expression::Scaled(index, size));
            }
        }
    }
    relations
}
