//! Memory while a program runs: objects of bytes, each bit assigned or not.
//!
//! An access finds its object by the number in the pointer, and asks [`rules`](crate::rules)
//! whether it is allowed. An object that has ended is never reused, so a dangling pointer is
//! always seen to be one. Globals are shared with the program until somebody writes to them.
//!
//! If the domain keeps more of a word than its value, that is stored beside the bytes.

mod addresses;

use std::borrow::Cow;
use std::cell::Cell;

use bv::{Concrete, Word};

use crate::interpret::Victim;
use crate::machine::Running;
use crate::observe::{Bytes, PointsTo, View};
use crate::rules::{self, Access, Facts, SplitPointer};
use crate::step::{self, Faults, Value};
use crate::{FIRST_OBJECT, Fault, GlobalId, POINTER_BYTES, Program};
use addresses::Addresses;

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    Global(GlobalId),
    Input(u32),
    Local,
    Heap,
}

#[derive(Clone, Debug)]
struct Object<'a, B> {
    origin: Origin,
    alive: bool,
    constant: bool,
    bytes: Cow<'a, [u8]>,
    /// A mask for each byte; empty if all is assigned.
    undefined: Vec<u8>,
    /// How many bytes it has, or had while it lived.
    size: u64,
    /// What the domain keeps beside the bytes.
    beside: B,
    /// None: as its bytes say, which nobody has changed since it was made.
    addresses: Option<Addresses>,
}

impl<B> Object<'_, B> {
    /// A caller whose object may be freed has it from the heap, and to be there hinders no other use.
    fn is_on_heap(&self) -> bool {
        match self.origin {
            Origin::Heap => true,
            Origin::Input(at) => at != HIDDEN,
            Origin::Global(_) | Origin::Local => false,
        }
    }
}

pub struct Memory<'a, D: Running = Concrete> {
    program: &'a Program,
    /// By number, from `first` on: the objects of the input, then what the run made.
    made: Vec<Object<'a, D::Beside>>,
    first: u32,
    globals: Vec<Object<'a, D::Beside>>,
    /// Grows with each change, so that whoever sees the same number twice knows that nothing has changed.
    pub version: u64,
    /// Bytes of all objects that live.
    size: u64,
    /// What globals held at the start where the input says so.
    starts: Vec<(GlobalId, Vec<u8>)>,
    /// The object that says what the C library chooses; zero if there is none.
    choice: u32,
    /// Whether it was read.
    has_chosen: Cell<bool>,
}

/// All objects of a run may take so many bytes together.
pub const MOST_BYTES: u64 = 1 << 24;

/// The position of an object that the caller has no name for, such as one that takes a struct by value.
pub const HIDDEN: u32 = u32::MAX;

impl<'a, D: Running> Memory<'a, D> {
    pub fn new(program: &'a Program) -> Memory<'a, D> {
        let global = |(at, global): (usize, &'a crate::Global)| Object {
            origin: Origin::Global(GlobalId(at as u32)),
            alive: true,
            constant: global.constant,
            bytes: Cow::Borrowed(global.contents.as_slice()),
            undefined: vec![],
            size: global.contents.len() as u64,
            beside: D::Beside::default(),
            addresses: None,
        };
        let globals = program.globals.iter().enumerate().map(global).collect();
        Memory {
            program,
            made: vec![],
            first: program.input_object(),
            globals,
            version: 0,
            size: 0,
            starts: vec![],
            choice: program.choice().map_or(0, |choice| FIRST_OBJECT + choice.0),
            has_chosen: Cell::new(false),
        }
    }

    /// Whether the run so far may depend on what C leaves to its library.
    pub fn has_chosen(&self) -> bool {
        self.has_chosen.get()
    }

    /// An object of the input; its number.
    pub fn add_input(&mut self, at: u32, bytes: Vec<u8>, undefined: Vec<u8>) -> u32 {
        self.size += bytes.len() as u64;
        self.make(Origin::Input(at), bytes, undefined)
    }

    /// Gives a global another value at the start.
    pub fn set_global(&mut self, global: GlobalId, bytes: Vec<u8>, undefined: Vec<u8>) {
        self.starts.push((global, bytes.clone()));
        let object = &mut self.globals[global.0 as usize];
        object.size = bytes.len() as u64;
        object.bytes = Cow::Owned(bytes);
        object.undefined = if undefined.iter().all(|mask| *mask == 0) { vec![] } else { undefined };
    }

    /// A new object, of a function or on the heap; None if there is no room for it.
    pub fn allocate(&mut self, size: u64, heap: bool) -> Option<u32> {
        self.size = self.size.checked_add(size).filter(|size| *size <= MOST_BYTES)?;
        let origin = if heap { Origin::Heap } else { Origin::Local };
        // A new object on the heap is progress, a new activation is not.
        self.version += u64::from(heap);
        Some(self.make(origin, vec![0; size as usize], vec![0xff; size as usize]))
    }

    pub fn end(&mut self, number: u32) {
        let object = &mut self.made[(number - self.first) as usize];
        self.size -= object.size;
        object.alive = false;
        object.bytes = Cow::Borrowed(&[]);
        object.undefined = vec![];
        object.beside = D::Beside::default();
    }

    /// Frees an object on the heap, which may be the caller's, unless a fault happens.
    pub fn free(&mut self, domain: &mut D, pointer: &D::Word, faults: &mut Faults<D::Word>) {
        let (number, SplitPointer { offset, .. }) = self.follow(domain, pointer);
        let (before, facts) = (faults.len(), self.facts(domain, number));
        let is_there = rules::free(domain, number, facts.as_ref(), &offset, None, faults);
        if is_there && !happens(domain, &faults[before..]) {
            self.version += 1;
            self.end(number);
        }
    }

    /// The size of an object on the heap, in 64 bits.
    pub fn extent(&self, domain: &mut D, pointer: &D::Word, faults: &mut Faults<D::Word>) -> D::Word {
        let (number, SplitPointer { offset, .. }) = self.follow(domain, pointer);
        let facts = self.facts(domain, number);
        rules::extent(domain, facts.as_ref(), &offset, None, faults);
        let size = self.object(number).map_or(0, |object| object.size);
        domain.constant(Word::new(64, size.into()))
    }

    /// What the address of an object is a multiple of, in 64 bits.
    pub fn alignment(&self, domain: &mut D, pointer: &D::Word) -> D::Word {
        let (number, _) = self.follow(domain, pointer);
        let is_promised =
            |object: &Object<D::Beside>| matches!(object.origin, Origin::Input(_) | Origin::Heap);
        let alignment = if self.object(number).is_some_and(is_promised) { rules::ALIGNMENT } else { 1 };
        domain.constant(Word::new(64, alignment.into()))
    }

    /// The word of so many bytes that a pointer leads to; zero if a fault happens.
    #[inline]
    pub fn load(
        &self,
        domain: &mut D,
        pointer: &D::Word,
        size: u32,
        faults: &mut Faults<D::Word>,
    ) -> Value<D::Word> {
        let length = domain.constant(Word::new(32, size.into()));
        let Some((number, at)) = self.access(domain, pointer, &length, Access::Read, faults) else {
            return Value::of(domain.constant(Word::zero(8 * size)));
        };
        if number == self.choice {
            self.has_chosen.set(true);
        }
        let object = self.object(number).expect("the access is allowed");
        let range = at..at + size as usize;
        let word = |bytes: &[u8]| {
            let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte));
            Word::new(8 * size, bits)
        };
        let undefined = object.undefined.get(range.clone()).map(word).filter(|mask| !mask.is_zero());
        domain.read(&object.beside, at, Value { word: word(&object.bytes[range]), undefined })
    }

    /// A fault if an address, or a part of one, is read as a number.
    pub fn refuse_address(&self, domain: &mut D, pointer: &D::Word, size: u32, faults: &mut Faults<D::Word>) {
        let length = domain.constant(Word::new(32, size.into()));
        // The read itself says whether it is allowed.
        let Some((number, at)) = self.access(domain, pointer, &length, Access::Read, &mut Faults::new())
        else {
            return;
        };
        let object = self.object(number).expect("the access is allowed");
        let end = at + size as usize;
        let is_address = match &object.addresses {
            Some(addresses) => addresses.meets(at, end),
            None => Addresses::of(&object.bytes, self.objects()).meets(at, end),
        };
        faults.push((Fault::AddressAsNumber, domain.truth(is_address)));
    }

    /// Writes a word of whole bytes, unless a fault happens.
    #[inline]
    pub fn store(
        &mut self,
        domain: &mut D,
        pointer: &D::Word,
        value: &Value<D::Word>,
        faults: &mut Faults<D::Word>,
    ) {
        let size = (domain.width(&value.word) / 8) as usize;
        let length = domain.constant(Word::new(32, size as u128));
        let Some(place) = self.access(domain, pointer, &length, Access::Write, faults) else { return };
        let bytes = domain.now(&value.word).bits().to_le_bytes();
        let masks = value.undefined.as_ref().map_or(0, |mask| domain.now(mask).bits()).to_le_bytes();
        let object = self.write(place, &bytes[..size], &masks[..size]);
        domain.write(&mut object.beside, place.1, value);
    }

    /// Copies bytes, assigned or not, unless a fault happens.
    pub fn copy(
        &mut self,
        domain: &mut D,
        [to, from, length]: [&D::Word; 3],
        overlap: bool,
        faults: &mut Faults<D::Word>,
    ) {
        let length = rules::length(domain, length);
        let some = rules::touches(domain, &length);
        if !domain.decide(&some).is_true() {
            return;
        }
        let before = faults.len();
        let source = self.access(domain, from, &length, Access::Read, faults);
        if !overlap {
            let (to, from) = (rules::split(domain, to), rules::split(domain, from));
            rules::apart(domain, &to, &from, &length, faults);
        }
        let target = self.access(domain, to, &length, Access::Write, faults);
        let (Some(source), Some(target)) = (source, target) else { return };
        if happens(domain, &faults[before..]) {
            return;
        }
        let length = domain.decide(&length).bits() as usize;
        let object = self.object(source.0).expect("the access is allowed");
        let range = source.1..source.1 + length;
        let bytes = object.bytes[range.clone()].to_vec();
        let masks = object.undefined.get(range.clone()).map_or(vec![0; length], <[u8]>::to_vec);
        let beside = object.beside.clone();
        let object = self.write(target, &bytes, &masks);
        domain.copy(&beside, range, &mut object.beside, target.1);
    }

    /// Writes a byte, so many times, unless a fault happens.
    pub fn fill(
        &mut self,
        domain: &mut D,
        to: &D::Word,
        byte: &Value<D::Word>,
        length: &D::Word,
        faults: &mut Faults<D::Word>,
    ) {
        let length = rules::length(domain, length);
        let some = rules::touches(domain, &length);
        if !domain.decide(&some).is_true() {
            return;
        }
        let Some(place) = self.access(domain, to, &length, Access::Write, faults) else { return };
        let length = domain.decide(&length).bits() as usize;
        let written = domain.now(&byte.word).bits() as u8;
        let mask = byte.undefined.as_ref().map_or(0, |mask| domain.now(mask).bits() as u8);
        let object = self.write(place, &vec![written; length], &vec![mask; length]);
        for at in place.1..place.1 + length {
            domain.write(&mut object.beside, at, byte);
        }
    }

    /// The text at a pointer, without its end; whatever was read before a fault happened.
    pub fn text(&self, domain: &mut D, pointer: &D::Word, faults: &mut Faults<D::Word>) -> Vec<u8> {
        let (before, mut text) = (faults.len(), Vec::new());
        loop {
            let by = domain.constant(Word::new(64, text.len() as u128));
            let place = step::offset(domain, Value::of(pointer.clone()), Value::of(by), faults);
            let byte = self.load(domain, &place.word, 1, faults);
            let byte = step::used(domain, byte, faults);
            let byte = domain.decide(&byte).bits() as u8;
            if byte == 0 || happens(domain, &faults[before..]) {
                return text;
            }
            text.push(byte);
        }
    }

    /// The bytes of an object of the input, or of one that the run made and that still lives.
    pub fn bytes(&self, number: u32) -> Bytes<'_> {
        let object = self.object(number).expect("the number is an object's");
        Bytes { bytes: &object.bytes, undefined: &object.undefined }
    }

    /// Whose memory a pointer leads to, and how far it is from the start.
    pub fn victim(&self, pointer: Word) -> (Victim, i64) {
        let (number, offset) = parts(pointer);
        let victim = match self.object(number).map(|object| object.origin) {
            Some(Origin::Input(at)) if at != HIDDEN => Victim::Input(at),
            Some(Origin::Global(global)) => Victim::Global(global),
            Some(Origin::Input(_) | Origin::Local | Origin::Heap) => Victim::Made,
            None => Victim::Nothing,
        };
        (victim, offset.into())
    }

    /// Whether a global holds something else than at the start.
    fn is_changed(&self, global: GlobalId) -> bool {
        let Object { bytes: Cow::Owned(bytes), undefined, .. } = &self.globals[global.0 as usize] else {
            return false;
        };
        let given = self.starts.iter().find(|(given, _)| *given == global).map(|(_, bytes)| bytes);
        let start = given.unwrap_or(&self.program.global(global).contents);
        bytes != start || undefined.iter().any(|mask| *mask != 0)
    }

    #[inline]
    fn write(
        &mut self,
        (number, at): (u32, usize),
        bytes: &[u8],
        masks: &[u8],
    ) -> &mut Object<'a, D::Beside> {
        let objects = self.objects();
        let object = match number.checked_sub(self.first) {
            Some(at) => &mut self.made[at as usize],
            None => &mut self.globals[(number - FIRST_OBJECT) as usize],
        };
        let range = at..at + bytes.len();
        let assigned = masks.iter().all(|mask| *mask == 0);
        let before = object.undefined.get(range.clone());
        let same = object.bytes[range.clone()] == *bytes && before.map_or(assigned, |before| before == masks);
        if same {
            return object;
        }
        self.version += 1;
        if self.program.mixed {
            object.overwrite(at, bytes, objects);
        }
        object.bytes.to_mut()[range.clone()].copy_from_slice(bytes);
        if object.undefined.is_empty() && !assigned {
            object.undefined = vec![0; object.bytes.len()];
        }
        if let Some(undefined) = object.undefined.get_mut(range) {
            undefined.copy_from_slice(masks);
        }
        object
    }

    /// The object that an access of so many bytes falls into, and where; none if a fault happens.
    #[inline]
    fn access(
        &self,
        domain: &mut D,
        pointer: &D::Word,
        length: &D::Word,
        access: Access,
        faults: &mut Faults<D::Word>,
    ) -> Option<(u32, usize)> {
        let (number, SplitPointer { offset, .. }) = self.follow(domain, pointer);
        let Some(facts) = self.facts(domain, number) else {
            let always = domain.truth(true);
            faults.push((rules::no_object(number), always));
            return None;
        };
        let before = faults.len();
        rules::access(domain, &facts, &offset, length, access, None, faults);
        if happens(domain, &faults[before..]) {
            let (offset, length) = (domain.now(&offset).signed() as i64, domain.now(length).bits() as u64);
            self.name(number, offset, length, &mut faults[before..]);
            return None;
        }
        Some((number, domain.decide(&offset).bits() as usize))
    }

    /// Says so if an access that is not allowed may fall into another object.
    #[cold]
    fn name(&self, number: u32, offset: i64, length: u64, faults: &mut [(Fault, D::Word)]) {
        let object = self.object(number).expect("there is one");
        let fits = offset >= 0 && (offset as u64).checked_add(length).is_some_and(|end| end <= object.size);
        if !fits && !object.is_near(offset, length) {
            faults.iter_mut().for_each(|(fault, _)| *fault = Fault::Stray);
        }
    }

    /// How many objects have a number.
    fn objects(&self) -> u32 {
        self.first - FIRST_OBJECT + self.made.len() as u32
    }

    /// The number of the object that a pointer leads to, and the pointer taken apart.
    #[inline]
    fn follow(&self, domain: &mut D, pointer: &D::Word) -> (u32, SplitPointer<D::Word>) {
        let pointer = rules::split(domain, pointer);
        (domain.decide(&pointer.object).bits() as u32, pointer)
    }

    /// What the rules ask about an object.
    #[inline]
    fn facts(&self, domain: &mut D, number: u32) -> Option<Facts<D::Word>> {
        let object = self.object(number)?;
        Some(Facts {
            alive: domain.truth(object.alive),
            size: domain.constant(Word::new(32, object.size.into())),
            constant: object.constant,
            on_heap: object.is_on_heap(),
        })
    }

    #[inline]
    fn object(&self, number: u32) -> Option<&Object<'a, D::Beside>> {
        match number.checked_sub(self.first) {
            Some(at) => self.made.get(at as usize),
            None => self.globals.get(self.program.global_of(number)?.0 as usize),
        }
    }

    fn make(&mut self, origin: Origin, bytes: Vec<u8>, undefined: Vec<u8>) -> u32 {
        let size = bytes.len() as u64;
        let bytes = Cow::Owned(bytes);
        let beside = D::Beside::default();
        let (alive, constant) = (true, false);
        self.made.push(Object { origin, alive, constant, bytes, undefined, size, beside, addresses: None });
        self.first + self.made.len() as u32 - 1
    }
}

/// So many bytes around an object belong to no other if a tool for finding such
/// accesses lays out memory: it puts at least this much after each global, and
/// on either side of all else. A variable of four bytes takes sixteen there.
const APART: i128 = 12;

impl<B> Object<'_, B> {
    /// Notes where addresses lie before bytes are written.
    fn overwrite(&mut self, at: usize, bytes: &[u8], objects: u32) {
        let addresses = self.addresses.get_or_insert_with(|| Addresses::of(&self.bytes, objects));
        for left in addresses.write(at, bytes, objects) {
            if self.undefined.is_empty() {
                self.undefined = vec![0; self.bytes.len()];
            }
            self.undefined[left..left + POINTER_BYTES as usize].fill(0xff);
        }
    }

    /// Whether an access that does not fit touches what keeps the object apart from others.
    fn is_near(&self, offset: i64, size: u64) -> bool {
        let (start, end) = (i128::from(offset), i128::from(offset) + i128::from(size));
        // An object on the heap has a byte at least.
        let own_end = i128::from(self.size).max(i128::from(self.origin == Origin::Heap));
        let after = start < own_end + APART && end > own_end;
        let before = start < 0 && end > -APART;
        after || before && !matches!(self.origin, Origin::Global(_))
    }
}

impl<D: Running> View for Memory<'_, D> {
    fn place(&self, bits: u64) -> PointsTo {
        let (number, offset) = parts(Word::new(64, bits.into()));
        let offset = i64::from(offset);
        if bits == 0 {
            return PointsTo::Null;
        }
        if let Some(function) = self.program.function_of(number).filter(|_| offset == 0) {
            return PointsTo::Function(function);
        }
        match self.object(number) {
            // What lies outside of its object leads nowhere: on a machine, it may well be in another.
            Some(object) if offset < 0 || offset > object.bytes.len() as i64 => PointsTo::Elsewhere,
            Some(Object { alive: true, origin, .. }) => match *origin {
                Origin::Global(global) => PointsTo::Global { global, offset },
                Origin::Input(HIDDEN) => PointsTo::Elsewhere,
                Origin::Input(object) => PointsTo::Input { object, offset },
                Origin::Local | Origin::Heap => PointsTo::Fresh { block: number, offset },
            },
            _ => PointsTo::Elsewhere,
        }
    }

    fn input(&self, object: u32) -> Option<Bytes<'_>> {
        let number = self.first + object;
        self.object(number).is_some_and(|object| object.alive).then(|| self.bytes(number))
    }

    fn fresh(&self, block: u32) -> Bytes<'_> {
        self.bytes(block)
    }

    fn global(&self, global: GlobalId) -> Option<Bytes<'_>> {
        let object = &self.globals[global.0 as usize];
        self.is_changed(global).then_some(Bytes { bytes: &object.bytes, undefined: &object.undefined })
    }

    fn held(&self, global: GlobalId) -> Option<Bytes<'_>> {
        let object = &self.globals[global.0 as usize];
        Some(Bytes { bytes: &object.bytes, undefined: &object.undefined })
    }
}

/// Whether one of these faults happens.
#[inline]
fn happens<D: Running>(domain: &D, faults: &[(Fault, D::Word)]) -> bool {
    faults.iter().any(|(_, happens)| domain.now(happens).is_true())
}

/// The number of a pointer's object, and its offset.
fn parts(pointer: Word) -> (u32, i32) {
    let bits = pointer.bits() as u64;
    ((bits >> 32) as u32, bits as u32 as i32)
}

/// A pointer to the start of an object.
pub fn pointer(object: u32) -> Word {
    Word::new(64, u128::from(object) << 32)
}

#[cfg(test)]
mod tests;
