//! The shape of a state: which registers and which places of memory hold numbers, and which hold pointers to
//! where.
//!
//! Any state of a shape is the shape with variables in it. To follow a pointer, the encoder has to see where
//! it leads. So the object of a pointer is a constant, or a choice of a few. Its offset is a variable.

use std::collections::{BTreeMap, BTreeSet};

use bv::{Domain, Term, Terms};
use ir::step::Value;
use ir::{BlockId, Register};

use crate::encode::Stop;
use crate::memory::{Expanse, FirstWords, Possibilities, Possible, multiple, number, object_of, offset_of};

/// What a cell holds.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Content {
    Number,
    /// A number below 2^32, as far as we have seen. Null is one, too.
    Low,
    /// To one of these objects; 0 is null.
    Pointer(BTreeSet<u32>),
}

/// A register, or a place of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cell {
    content: Content,
    width: u32,
    /// Some of its bits may never have been assigned.
    undefined: bool,
    /// The offset of a pointer is a multiple of this power of two.
    unit: u64,
    /// It always holds this, such as an argument that nobody changes.
    fixed: Option<Term>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    registers: BTreeMap<Register, Cell>,
    /// By object and offset.
    tiles: BTreeMap<(u32, u32), Cell>,
    /// The size of each object, and whether it is alive. Nobody changes these.
    objects: BTreeMap<u32, (Term, Term)>,
    /// Objects in which nothing was assigned at first.
    blank: BTreeSet<u32>,
    /// Objects of any size that may have been written to.
    written: BTreeSet<u32>,
}

/// Pointers to more objects than this are not followed.
const OBJECTS: usize = 4;

impl Shape {
    pub(super) fn of(terms: &mut Terms, live: &[Register], stop: &Stop) -> Shape {
        let mut possible = Possibilities::default();
        let mut cell = |value: &Value<Term>| {
            let content = content(terms, &mut possible, value.word);
            let unit = unit(terms, &mut possible, &content, value.word);
            let fixed = Some(value.word).filter(|_| value.undefined.is_none());
            Cell {
                content,
                width: terms.width(&value.word),
                undefined: value.undefined.is_some(),
                unit,
                fixed,
            }
        };
        let registers = live
            .iter()
            .filter_map(|register| Some((*register, cell(stop.values[register.0 as usize].as_ref()?))));
        let registers = registers.collect();
        let (mut tiles, mut objects) = (BTreeMap::new(), BTreeMap::new());
        let (mut blank, mut written) = (BTreeSet::new(), BTreeSet::new());
        for (number, object) in stop.state.memory.objects() {
            objects.insert(number, (object.size, object.alive));
            if object.start.is_empty() {
                blank.insert(number);
            }
            if object.expanse.as_ref().is_some_and(Expanse::is_changed) {
                written.insert(number);
            }
            if !object.constant {
                tiles.extend(object.tiles().map(|(at, value)| ((number, at), cell(value))));
            }
        }
        Shape { registers, tiles, objects, blank, written }
    }

    /// A shape for the states of both; None if there is none.
    pub(super) fn joined(&self, other: &Shape) -> Option<Shape> {
        if self.objects != other.objects || self.registers.len() != other.registers.len() {
            return None;
        }
        let mut shape = self.clone();
        for (register, theirs) in &other.registers {
            shape.registers.get_mut(register)?.join(theirs)?;
        }
        for (place, theirs) in &other.tiles {
            match shape.tiles.get_mut(place) {
                Some(ours) => ours.join(theirs)?,
                // A place that was never written holds what it held at the start, or nothing.
                None => {
                    let undefined = theirs.undefined || self.blank.contains(&place.0);
                    shape.tiles.insert(*place, Cell { undefined, fixed: None, ..theirs.clone() });
                }
            }
        }
        for (place, ours) in &mut shape.tiles {
            if !other.tiles.contains_key(place) {
                ours.undefined |= self.blank.contains(&place.0);
                ours.fixed = None;
            }
        }
        shape.written.extend(&other.written);
        shape.tiles_are_apart().then_some(shape)
    }

    /// Whether every state of another shape is of this one, as far as registers are concerned.
    pub(super) fn covers(&self, other: &Shape) -> bool {
        self.registers.len() == other.registers.len()
            && other.registers.iter().all(|(register, theirs)| {
                self.registers.get(register).is_some_and(|ours| {
                    let mut joined = ours.clone();
                    joined.join(theirs).is_some() && joined == *ours
                })
            })
    }

    /// Whether no tile covers a part of another. A state with such tiles has no shape that we know.
    fn tiles_are_apart(&self) -> bool {
        let all: Vec<(&(u32, u32), &Cell)> = self.tiles.iter().collect();
        all.windows(2).all(|pair| {
            let ((object, at), cell) = pair[0];
            let (next_object, next) = pair[1].0;
            object != next_object || at + cell.width / 8 <= *next
        })
    }

    pub(super) fn is_number(&self, register: Register) -> bool {
        self.registers.get(&register).is_some_and(|cell| !matches!(cell.content, Content::Pointer(_)))
    }

    /// The registers that hold numbers, with their widths.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (Register, u32)> {
        let numbers = self
            .registers
            .iter()
            .filter(|(_, cell)| !matches!(cell.content, Content::Pointer(_)) && !cell.undefined);
        numbers.map(|(register, cell)| (*register, cell.width))
    }

    /// The registers that hold pointers to one object, or null.
    pub(super) fn pointers(&self) -> impl Iterator<Item = (Register, u32)> {
        self.registers.iter().filter_map(|(register, cell)| match &cell.content {
            Content::Pointer(objects) if !cell.undefined => {
                let mut objects = objects.iter().filter(|object| **object != 0);
                Some((*register, *objects.next()?)).filter(|_| objects.next().is_none())
            }
            _ => None,
        })
    }

    /// The registers that hold pointers, and what their offsets are multiples of.
    pub(super) fn places(&self) -> impl Iterator<Item = (Register, u32)> {
        let places = self
            .registers
            .iter()
            .filter(|(_, cell)| matches!(cell.content, Content::Pointer(_)) && !cell.undefined);
        places.map(|(register, cell)| (*register, cell.unit as u32))
    }

    /// The objects that pointers in registers lead to.
    pub(super) fn objects(&self) -> impl Iterator<Item = u32> {
        let contents = self.registers.values().map(|cell| &cell.content);
        let objects = contents.filter_map(|content| match content {
            Content::Pointer(objects) => Some(objects),
            Content::Number | Content::Low => None,
        });
        objects.flatten().copied().filter(|object| *object != 0)
    }

    /// Any state of this shape. All else is as in the state given.
    pub(super) fn any(&self, terms: &mut Terms, stop: &Stop, block: BlockId) -> Stop {
        let mut any = stop.clone();
        any.guard = terms.truth(true);
        any.values.iter_mut().for_each(|value| *value = None);
        for (register, cell) in &self.registers {
            let name = format!("r{} at {}", register.0, block.0);
            any.values[register.0 as usize] = Some(cell.any(terms, &name));
        }
        for ((number, at), cell) in &self.tiles {
            let value = cell.any(terms, &format!("{number}[{at}] at {}", block.0));
            if let Some(object) = any.state.memory.get_mut(*number) {
                object.write(terms, *at, value);
            }
        }
        for number in &self.written {
            let expanse = any.state.memory.get_mut(*number).and_then(|object| object.expanse.as_mut());
            if let Some(expanse) = expanse {
                *expanse = Expanse::new(FirstWords::new(expanse.start.unit, false));
            }
        }
        any
    }
}

impl Cell {
    fn join(&mut self, other: &Cell) -> Option<()> {
        if self.width != other.width {
            return None;
        }
        self.undefined |= other.undefined;
        self.unit = self.unit.min(other.unit);
        self.fixed = self.fixed.filter(|word| other.fixed == Some(*word));
        self.content = match (&self.content, &other.content) {
            (one, other) if one == other => one.clone(),
            (Content::Number | Content::Low, Content::Number | Content::Low) => Content::Number,
            (Content::Low, Content::Pointer(objects)) | (Content::Pointer(objects), Content::Low) => {
                Content::Pointer(objects.iter().copied().chain([0]).collect())
            }
            (Content::Pointer(one), Content::Pointer(other)) => {
                Content::Pointer(one.union(other).copied().collect())
            }
            // It was a number all the time. The upper half of a `long` may look like a few objects at first.
            (Content::Number, Content::Pointer(_)) | (Content::Pointer(_), Content::Number) => {
                Content::Number
            }
        };
        match &self.content {
            Content::Pointer(objects) if objects.len() > OBJECTS => None,
            _ => Some(()),
        }
    }

    fn any(&self, terms: &mut Terms, name: &str) -> Value<Term> {
        if let Some(fixed) = self.fixed {
            return Value::of(fixed);
        }
        let undefined = self.undefined.then(|| terms.variable(&format!("{name} undefined"), self.width));
        let word = match &self.content {
            Content::Number | Content::Low => terms.variable(name, self.width),
            Content::Pointer(objects) => {
                let mut objects = objects.iter().copied();
                let first = objects.next().unwrap_or(0);
                let mut object = terms.constant(number(first));
                for (at, other) in objects.enumerate() {
                    let choice = terms.variable(&format!("{name} leads to {at}"), 1);
                    object = terms.ite(choice, number(other), object);
                }
                let offset = multiple(terms, &format!("{name} offset"), self.unit);
                terms.concat(object, offset)
            }
        };
        Value { word, undefined }
    }
}

fn content(terms: &mut Terms, possible: &mut Possibilities, word: Term) -> Content {
    if terms.width(&word) != 64 {
        return Content::Number;
    }
    let object = object_of(terms, word);
    match possible.of(terms, object) {
        Possible::Few(objects) if objects == [0] => Content::Low,
        Possible::Few(objects) if objects.len() <= OBJECTS => {
            Content::Pointer(objects.iter().map(|object| *object as u32).collect())
        }
        _ => Content::Number,
    }
}

/// The largest unit that is told.
const UNIT: u64 = 8;

/// What the offset of a pointer is a multiple of.
fn unit(terms: &mut Terms, possible: &mut Possibilities, content: &Content, word: Term) -> u64 {
    if *content == Content::Number {
        return 1;
    }
    let offset = offset_of(terms, word);
    let (by, from) = possible.of(terms, offset).steps();
    (by | from | UNIT) & (by | from | UNIT).wrapping_neg()
}
