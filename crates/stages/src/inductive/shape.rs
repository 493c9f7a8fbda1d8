//! The shape of a state: which registers and which places of memory hold numbers, and which hold pointers to where.
//!
//! Any state of a shape is the shape with variables in it. To follow a pointer, the encoder has to see where it leads, so that its
//! object is a constant, or a choice of a few; its offset is a variable.

use std::collections::{BTreeMap, BTreeSet};

use bv::{Domain, Term, Terms, Word};
use ir::step::{OBJECT, OFFSET, Value};
use ir::{BlockId, Register};

use crate::encode::expanse::{Expanse, Unknown};
use crate::encode::possible::{Possibilities, Possible, multiple};
use crate::encode::{State, Stop};

/// What a value is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Number,
    /// A number below 2^32, as far as we have seen, which null is as well.
    Low,
    /// To one of these objects; 0 is null.
    Pointer(BTreeSet<u32>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Slot {
    kind: Kind,
    width: u32,
    /// Some of its bits may never have been assigned.
    undefined: bool,
    /// The offset of a pointer is a multiple of this power of two.
    unit: u64,
    /// It is always the same, such as what the caller gave.
    fixed: Option<Term>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    registers: BTreeMap<Register, Slot>,
    /// By object and offset.
    tiles: BTreeMap<(u32, u32), Slot>,
    /// The objects that there are: how long, and whether they are alive, which nobody changes.
    objects: BTreeMap<u32, (Term, Term)>,
    /// Those in which nothing was assigned at first.
    blank: BTreeSet<u32>,
    /// Those of any size that may have been written to.
    written: BTreeSet<u32>,
}

/// Pointers to more objects than this are not followed.
const OBJECTS: usize = 4;

impl Shape {
    pub fn of(terms: &mut Terms, live: &[Register], stop: &Stop) -> Shape {
        let mut possible = Possibilities::default();
        let mut slot = |value: &Value<Term>| {
            let kind = kind(terms, &mut possible, value.word);
            let unit = unit(terms, &mut possible, &kind, value.word);
            let fixed = Some(value.word).filter(|_| value.undefined.is_none());
            Slot { kind, width: terms.width(&value.word), undefined: value.undefined.is_some(), unit, fixed }
        };
        let registers = live
            .iter()
            .filter_map(|register| Some((*register, slot(stop.values[register.0 as usize].as_ref()?))));
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
                tiles.extend(object.tiles().map(|(at, value)| ((number, at), slot(value))));
            }
        }
        Shape { registers, tiles, objects, blank, written }
    }

    /// A shape for the states of both; None if there is none.
    pub fn joined(&self, other: &Shape) -> Option<Shape> {
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
                // What was never written has what it had at the start, or nothing.
                None => {
                    let undefined = theirs.undefined || self.blank.contains(&place.0);
                    shape.tiles.insert(*place, Slot { undefined, fixed: None, ..theirs.clone() });
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

    /// Whether all that the registers of another shape may hold is among what this one's may.
    pub fn covers(&self, other: &Shape) -> bool {
        self.registers.len() == other.registers.len()
            && other.registers.iter().all(|(register, theirs)| {
                self.registers.get(register).is_some_and(|ours| {
                    let mut joined = ours.clone();
                    joined.join(theirs).is_some() && joined == *ours
                })
            })
    }

    /// Whether no tile covers a part of another: what a state has there would be of no shape that we know.
    fn tiles_are_apart(&self) -> bool {
        let all: Vec<(&(u32, u32), &Slot)> = self.tiles.iter().collect();
        all.windows(2).all(|pair| {
            let ((object, at), slot) = pair[0];
            let (next_object, next) = pair[1].0;
            object != next_object || at + slot.width / 8 <= *next
        })
    }

    pub fn is_number(&self, register: Register) -> bool {
        self.registers.get(&register).is_some_and(|slot| !matches!(slot.kind, Kind::Pointer(_)))
    }

    /// The registers that hold numbers, with their widths.
    pub fn numbers(&self) -> impl Iterator<Item = (Register, u32)> {
        let numbers = self
            .registers
            .iter()
            .filter(|(_, slot)| !matches!(slot.kind, Kind::Pointer(_)) && !slot.undefined);
        numbers.map(|(register, slot)| (*register, slot.width))
    }

    /// The registers that hold pointers to one object, or null.
    pub fn pointers(&self) -> impl Iterator<Item = (Register, u32)> {
        self.registers.iter().filter_map(|(register, slot)| match &slot.kind {
            Kind::Pointer(objects) if !slot.undefined => {
                let mut objects = objects.iter().filter(|object| **object != 0);
                Some((*register, *objects.next()?)).filter(|_| objects.next().is_none())
            }
            _ => None,
        })
    }

    /// The registers that hold pointers, and what their offsets are multiples of.
    pub fn places(&self) -> impl Iterator<Item = (Register, u32)> {
        let places = self
            .registers
            .iter()
            .filter(|(_, slot)| matches!(slot.kind, Kind::Pointer(_)) && !slot.undefined);
        places.map(|(register, slot)| (*register, slot.unit as u32))
    }

    /// The objects that pointers in registers lead to.
    pub fn objects(&self) -> impl Iterator<Item = u32> {
        let kinds = self.registers.values().map(|slot| &slot.kind);
        let objects = kinds.filter_map(|kind| match kind {
            Kind::Pointer(objects) => Some(objects),
            Kind::Number | Kind::Low => None,
        });
        objects.flatten().copied().filter(|object| *object != 0)
    }

    /// Any state of this shape. What is not part of the shape is as it was there.
    pub fn any(&self, terms: &mut Terms, stop: &Stop, block: BlockId) -> Stop {
        let mut any = stop.clone();
        any.guard = terms.truth(true);
        any.values.iter_mut().for_each(|value| *value = None);
        for (register, slot) in &self.registers {
            let name = format!("r{} at {}", register.0, block.0);
            any.values[register.0 as usize] = Some(slot.any(terms, &name));
        }
        for ((number, at), slot) in &self.tiles {
            let value = slot.any(terms, &format!("{number}[{at}] at {}", block.0));
            if let Some(object) = any.state.memory.get_mut(*number) {
                object.write(terms, *at, value);
            }
        }
        for number in &self.written {
            let expanse = any.state.memory.get_mut(*number).and_then(|object| object.expanse.as_mut());
            if let Some(expanse) = expanse {
                *expanse = Expanse::new(Unknown::new(expanse.start.unit, false));
            }
        }
        any
    }
}

impl Slot {
    fn join(&mut self, other: &Slot) -> Option<()> {
        if self.width != other.width {
            return None;
        }
        self.undefined |= other.undefined;
        self.unit = self.unit.min(other.unit);
        self.fixed = self.fixed.filter(|word| other.fixed == Some(*word));
        self.kind = match (&self.kind, &other.kind) {
            (one, other) if one == other => one.clone(),
            (Kind::Number | Kind::Low, Kind::Number | Kind::Low) => Kind::Number,
            (Kind::Low, Kind::Pointer(objects)) | (Kind::Pointer(objects), Kind::Low) => {
                Kind::Pointer(objects.iter().copied().chain([0]).collect())
            }
            (Kind::Pointer(one), Kind::Pointer(other)) => Kind::Pointer(one.union(other).copied().collect()),
            // It was a number all the time: what a `long` has in its upper half may look like a few objects at first.
            (Kind::Number, Kind::Pointer(_)) | (Kind::Pointer(_), Kind::Number) => Kind::Number,
        };
        match &self.kind {
            Kind::Pointer(objects) if objects.len() > OBJECTS => None,
            _ => Some(()),
        }
    }

    fn any(&self, terms: &mut Terms, name: &str) -> Value<Term> {
        if let Some(fixed) = self.fixed {
            return Value::of(fixed);
        }
        let undefined = self.undefined.then(|| terms.variable(&format!("{name} undefined"), self.width));
        let word = match &self.kind {
            Kind::Number | Kind::Low => terms.variable(name, self.width),
            Kind::Pointer(objects) => {
                let constant = |terms: &mut Terms, number: u32| terms.constant(Word::new(32, number.into()));
                let mut objects = objects.iter().copied();
                let first = objects.next().unwrap_or(0);
                let mut object = constant(terms, first);
                for (at, number) in objects.enumerate() {
                    let choice = terms.variable(&format!("{name} leads to {at}"), 1);
                    let number = constant(terms, number);
                    object = terms.ite(choice, number, object);
                }
                let offset = multiple(terms, &format!("{name} offset"), self.unit);
                terms.concat(object, offset)
            }
        };
        Value { word, undefined }
    }
}

fn kind(terms: &mut Terms, possible: &mut Possibilities, word: Term) -> Kind {
    if terms.width(&word) != 64 {
        return Kind::Number;
    }
    let object = terms.apply(OBJECT, &[word]);
    match possible.of(terms, object) {
        Possible::Few(objects) if objects == [0] => Kind::Low,
        Possible::Few(objects) if objects.len() <= OBJECTS => {
            Kind::Pointer(objects.iter().map(|object| *object as u32).collect())
        }
        _ => Kind::Number,
    }
}

/// The largest unit that we know of.
const UNIT: u64 = 8;

/// What the offset of a pointer is a multiple of.
fn unit(terms: &mut Terms, possible: &mut Possibilities, kind: &Kind, word: Term) -> u64 {
    if *kind == Kind::Number {
        return 1;
    }
    let offset = terms.apply(OFFSET, &[word]);
    let (by, from) = possible.of(terms, offset).steps();
    (by | from | UNIT) & (by | from | UNIT).wrapping_neg()
}

/// Whether two values differ, in what they are or in what of it was assigned.
pub fn value_differs(terms: &mut Terms, one: Value<Term>, other: Value<Term>) -> Term {
    if terms.width(&one.word) != terms.width(&other.word) {
        return terms.truth(true);
    }
    let words = terms.ne(one.word, other.word);
    if one.undefined == other.undefined {
        return words;
    }
    let width = terms.width(&one.word);
    let nothing = terms.constant(Word::zero(width));
    let (one, other) = (one.undefined.unwrap_or(nothing), other.undefined.unwrap_or(nothing));
    let masks = terms.ne(one, other);
    terms.or(words, masks)
}

/// Whether two states have anything different in memory.
pub fn memory_differs(terms: &mut Terms, one: &State, other: &State) -> Term {
    let always = terms.truth(true);
    let numbers: BTreeSet<u32> =
        one.memory.objects().chain(other.memory.objects()).map(|(number, _)| number).collect();
    let mut differs = Vec::new();
    for number in numbers {
        let (Some(ours), Some(theirs)) = (one.memory.get(number), other.memory.get(number)) else {
            return always;
        };
        if ours.size != theirs.size {
            return always;
        }
        differs.push(terms.ne(ours.alive, theirs.alive));
        if let (Some(ours), Some(theirs)) = (&ours.expanse, &theirs.expanse) {
            differs.push(ours.differs(terms, theirs));
        }
        for (at, bytes) in ours.seams(terms, theirs) {
            let (ours, theirs) = (ours.read(terms, at, bytes), theirs.read(terms, at, bytes));
            differs.push(value_differs(terms, ours, theirs));
        }
    }
    terms.any(differs)
}
