//! Memory while the interpreter runs: objects of bytes, each bit assigned or not.
//!
//! An access finds its object by the number in the pointer, and is checked against the object's life and
//! bounds. Nothing that has ended is ever reused, so a dangling pointer is always seen to be one.
//! Globals are shared with the program until somebody writes to them.

use std::borrow::Cow;

use bv::Word;

use crate::observe::{Bytes, Place, View};
use crate::{Fault, FunctionId, GlobalId, Program};

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    Global(GlobalId),
    Input(u32),
    Local,
    Heap,
}

#[derive(Clone, Debug)]
struct Object<'a> {
    origin: Origin,
    alive: bool,
    constant: bool,
    bytes: Cow<'a, [u8]>,
    /// A mask for each byte; empty if all is assigned.
    undefined: Vec<u8>,
    /// How many bytes it has, or had while it lived.
    size: u64,
}

impl Object<'_> {
    /// A caller whose object may be freed has it from the heap, and to be there hinders no other use.
    fn is_on_heap(&self) -> bool {
        match self.origin {
            Origin::Heap => true,
            Origin::Input(at) => at != HIDDEN,
            Origin::Global(_) | Origin::Local => false,
        }
    }
}

pub struct Memory<'a> {
    program: &'a Program,
    /// By number, from `first` on: the objects of the input, then what the run made.
    made: Vec<Object<'a>>,
    first: u32,
    globals: Vec<Object<'a>>,
    /// Grows with each change, so that whoever sees the same number twice knows that nothing has changed.
    pub version: u64,
    /// Bytes of all objects that live.
    size: u64,
    /// What globals held at the start where the input says so.
    starts: Vec<(GlobalId, Vec<u8>)>,
}

/// All objects of a run may take so many bytes together.
pub const MOST_BYTES: u64 = 1 << 24;

/// The position of an object that the caller has no name for, such as one that takes a struct by value.
pub const HIDDEN: u32 = u32::MAX;

/// A word as it lies in memory.
pub struct Loaded {
    pub bits: u128,
    pub undefined: u128,
}

impl<'a> Memory<'a> {
    pub fn new(program: &'a Program) -> Memory<'a> {
        let global = |(at, global): (usize, &'a crate::Global)| Object {
            origin: Origin::Global(GlobalId(at as u32)),
            alive: true,
            constant: global.constant,
            bytes: Cow::Borrowed(global.contents.as_slice()),
            undefined: vec![],
            size: global.contents.len() as u64,
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
        }
    }

    /// An object of the input; its number.
    pub fn add_input(&mut self, at: u32, bytes: Vec<u8>, undefined: Vec<u8>) -> u32 {
        self.size += bytes.len() as u64;
        self.make(Origin::Input(at), bytes, undefined)
    }

    /// Gives a global another value at the start.
    pub fn set_global(&mut self, global: GlobalId, bytes: Vec<u8>) {
        self.starts.push((global, bytes.clone()));
        let object = &mut self.globals[global.0 as usize];
        object.size = bytes.len() as u64;
        object.bytes = Cow::Owned(bytes);
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
        *object = Object { alive: false, bytes: Cow::Borrowed(&[]), undefined: vec![], ..*object };
    }

    /// Frees an object on the heap, which may be the caller's.
    pub fn free(&mut self, pointer: Word) -> Result<(), Fault> {
        let (number, offset) = parts(pointer);
        if number == 0 {
            return if offset == 0 { Ok(()) } else { Err(Fault::InvalidFree) };
        }
        match self.object(number) {
            Some(object) if object.is_on_heap() && object.alive && offset == 0 => {}
            _ => return Err(Fault::InvalidFree),
        }
        self.version += 1;
        self.end(number);
        Ok(())
    }

    /// The size of an object on the heap.
    pub fn extent(&self, pointer: Word) -> Result<u64, Fault> {
        let (number, offset) = parts(pointer);
        match self.object(number) {
            Some(object) if object.is_on_heap() && object.alive && offset == 0 => {
                Ok(object.bytes.len() as u64)
            }
            _ => Err(Fault::InvalidFree),
        }
    }

    pub fn load(&self, pointer: Word, size: usize) -> Result<Loaded, Fault> {
        let (object, at) = self.access(pointer, size as u64)?;
        let mut loaded = Loaded { bits: 0, undefined: 0 };
        for byte in (at..at + size).rev() {
            loaded.bits = loaded.bits << 8 | u128::from(object.bytes[byte]);
            let undefined = object.undefined.get(byte).copied().unwrap_or(0);
            loaded.undefined = loaded.undefined << 8 | u128::from(undefined);
        }
        Ok(loaded)
    }

    pub fn store(&mut self, pointer: Word, size: usize, bits: u128, undefined: u128) -> Result<(), Fault> {
        let byte = |word: u128, at: usize| (word >> (8 * at)) as u8;
        let bytes: [u8; 16] = std::array::from_fn(|at| byte(bits, at));
        let masks: [u8; 16] = std::array::from_fn(|at| byte(undefined, at));
        self.write(pointer, &bytes[..size], &masks[..size])
    }

    /// Copies bytes, assigned or not.
    pub fn copy(&mut self, to: Word, from: Word, length: u64, overlap: bool) -> Result<(), Fault> {
        if length == 0 {
            return Ok(());
        }
        let (object, at) = self.access(from, length)?;
        let range = at..at + length as usize;
        let bytes = object.bytes[range.clone()].to_vec();
        let masks = object.undefined.get(range).map_or(vec![0; bytes.len()], <[u8]>::to_vec);
        let ((one, start), (other, end)) = (parts(to), parts(from));
        // Onto itself, exactly, is what a struct assigned to itself does.
        let overlaps = one == other && start != end && u64::from(start.abs_diff(end)) < length;
        if overlaps && !overlap {
            return Err(Fault::OverlappingCopy);
        }
        self.write(to, &bytes, &masks)
    }

    pub fn fill(&mut self, to: Word, byte: u8, undefined: u8, length: u64) -> Result<(), Fault> {
        if length == 0 {
            return Ok(());
        }
        self.access(to, length)?;
        self.write(to, &vec![byte; length as usize], &vec![undefined; length as usize])
    }

    /// The function that a pointer points to.
    pub fn function(&self, pointer: Word) -> Result<FunctionId, Fault> {
        let (number, offset) = parts(pointer);
        let first = self.program.function_object(FunctionId(0));
        match number.checked_sub(first) {
            Some(at) if (at as usize) < self.program.functions.len() && offset == 0 => Ok(FunctionId(at)),
            _ => Err(Fault::InvalidCall),
        }
    }

    /// The text at a pointer, without its end.
    pub fn text(&self, pointer: Word) -> Result<Vec<u8>, Fault> {
        let (object, at) = self.access(pointer, 1)?;
        let length = object.bytes[at..].iter().position(|byte| *byte == 0).ok_or(Fault::OutOfBounds)?;
        let assigned =
            object.undefined.get(at..=at + length).is_none_or(|masks| masks.iter().all(|mask| *mask == 0));
        if !assigned {
            return Err(Fault::UninitialisedRead);
        }
        Ok(object.bytes[at..at + length].to_vec())
    }

    /// The bytes of an object of the input, or of one that the run made and that still lives.
    pub fn bytes(&self, number: u32) -> Bytes<'_> {
        let object = self.object(number).expect("the number is an object's");
        Bytes { bytes: &object.bytes, undefined: &object.undefined }
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

    fn write(&mut self, pointer: Word, bytes: &[u8], masks: &[u8]) -> Result<(), Fault> {
        let (object, at) = self.access(pointer, bytes.len() as u64)?;
        if object.constant {
            return Err(Fault::ReadOnly);
        }
        let (number, _) = parts(pointer);
        let range = at..at + bytes.len();
        let object = match number.checked_sub(self.first) {
            Some(at) => &mut self.made[at as usize],
            None => &mut self.globals[number as usize - 1],
        };
        let assigned = masks.iter().all(|mask| *mask == 0);
        let before = object.undefined.get(range.clone());
        let same = object.bytes[range.clone()] == *bytes && before.map_or(assigned, |before| before == masks);
        if same {
            return Ok(());
        }
        self.version += 1;
        object.bytes.to_mut()[range.clone()].copy_from_slice(bytes);
        if object.undefined.is_empty() && !assigned {
            object.undefined = vec![0; object.bytes.len()];
        }
        if let Some(undefined) = object.undefined.get_mut(range) {
            undefined.copy_from_slice(masks);
        }
        Ok(())
    }

    /// The object that an access of so many bytes falls into, and where.
    fn access(&self, pointer: Word, size: u64) -> Result<(&Object<'a>, usize), Fault> {
        let (number, offset) = parts(pointer);
        if number == 0 {
            return Err(Fault::NullAccess);
        }
        let object = self.object(number).ok_or(Fault::Stray)?;
        let fits = offset >= 0 && (offset as u64).checked_add(size).is_some_and(|end| end <= object.size);
        if fits && object.alive {
            return Ok((object, offset as usize));
        }
        Err(match object.alive {
            _ if !fits && !object.is_near(offset.into(), size) => Fault::Stray,
            true => Fault::OutOfBounds,
            false => Fault::Dangling,
        })
    }

    fn object(&self, number: u32) -> Option<&Object<'a>> {
        match number.checked_sub(self.first) {
            Some(at) => self.made.get(at as usize),
            None => self.globals.get((number as usize).checked_sub(1)?),
        }
    }

    fn make(&mut self, origin: Origin, bytes: Vec<u8>, undefined: Vec<u8>) -> u32 {
        let size = bytes.len() as u64;
        let bytes = Cow::Owned(bytes);
        self.made.push(Object { origin, alive: true, constant: false, bytes, undefined, size });
        self.first + self.made.len() as u32 - 1
    }
}

/// So many bytes around an object belong to no other if a tool for finding such accesses lays out memory: it puts at
/// least this much after each global, and on either side of all else. A variable of four bytes takes sixteen there.
const APART: i128 = 12;

impl Object<'_> {
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

impl View for Memory<'_> {
    fn place(&self, bits: u64) -> Place {
        let (number, offset) = parts(Word::new(64, bits.into()));
        let offset = i64::from(offset);
        if bits == 0 {
            return Place::Null;
        }
        if let Ok(function) = self.function(Word::new(64, bits.into())) {
            return Place::Function(function);
        }
        match self.object(number) {
            // What lies outside of its object leads nowhere: on a machine, it may well be in another.
            Some(object) if offset < 0 || offset > object.bytes.len() as i64 => Place::Elsewhere,
            Some(Object { alive: true, origin, .. }) => match *origin {
                Origin::Global(global) => Place::Global { global, offset },
                Origin::Input(HIDDEN) => Place::Elsewhere,
                Origin::Input(object) => Place::Input { object, offset },
                Origin::Local | Origin::Heap => Place::Fresh { block: number, offset },
            },
            _ => Place::Elsewhere,
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
