//! Memory by itself; what programs make of it is tested with the interpreter.

use super::*;
use crate::{Global, Type, TypeId};

fn program() -> Program {
    let of = TypeId(0);
    let global = |name: &str, constant| Global {
        name: name.to_string(),
        of,
        contents: vec![1, 2],
        constant,
        external: true,
    };
    Program {
        types: vec![Type::Opaque { name: "two bytes".to_string(), size: 2 }],
        globals: vec![global("a", false), global("b", true)],
        ..Program::default()
    }
}

/// Memory, and the fault that the latest access made.
struct Tried<'a>(Memory<'a>);

impl Tried<'_> {
    fn load(&self, pointer: Word, bytes: u32) -> Result<(u128, u128), Fault> {
        let mut faults = Faults::new();
        let Value { word, undefined } = self.0.load(&mut Concrete, &pointer, bytes, &mut faults);
        first(&faults).map(|()| (word.bits(), undefined.map_or(0, Word::bits)))
    }

    fn store(&mut self, pointer: Word, bytes: u32, bits: u128, undefined: u128) -> Result<(), Fault> {
        let mut faults = Faults::new();
        let value = Value {
            word: Word::new(8 * bytes, bits),
            undefined: (undefined != 0).then(|| Word::new(8 * bytes, undefined)),
        };
        self.0.store(&mut Concrete, &pointer, &value, &mut faults);
        first(&faults)
    }

    fn copy(&mut self, to: Word, from: Word, length: u128, overlap: bool) -> Result<(), Fault> {
        let mut faults = Faults::new();
        self.0.copy(&mut Concrete, [&to, &from, &Word::new(64, length)], overlap, &mut faults);
        first(&faults)
    }

    fn fill(&mut self, to: Word, byte: u128, length: u128) -> Result<(), Fault> {
        let mut faults = Faults::new();
        let byte = Value::of(Word::new(8, byte));
        self.0.fill(&mut Concrete, &to, &byte, &Word::new(64, length), &mut faults);
        first(&faults)
    }

    fn free(&mut self, pointer: Word) -> Result<(), Fault> {
        let mut faults = Faults::new();
        self.0.free(&mut Concrete, &pointer, &mut faults);
        first(&faults)
    }

    fn text(&self, pointer: Word) -> Result<Vec<u8>, Fault> {
        let mut faults = Faults::new();
        let text = self.0.text(&mut Concrete, &pointer, &mut faults);
        first(&faults).map(|()| text)
    }
}

fn first(faults: &Faults<Word>) -> Result<(), Fault> {
    faults.first().map_or(Ok(()), |(fault, _)| Err(*fault))
}

/// A pointer so many bytes into an object.
fn at(object: u32, offset: i32) -> Word {
    Word::new(64, u128::from(object) << 32 | u128::from(offset as u32))
}

#[test]
fn numbers_lead_to_null_then_globals_then_what_is_made() {
    let program = program();
    let mut memory = Tried(Memory::new(&program));
    let input = memory.0.add_input(0, vec![3], vec![0]);
    assert_eq!(input, program.input_object());
    let heap = memory.0.allocate(4, true).unwrap();
    let bits = |word: Word| word.bits() as u64;
    assert_eq!(memory.0.place(0), PointsTo::Null);
    assert_eq!(memory.0.place(bits(at(0, 1))), PointsTo::Elsewhere);
    assert_eq!(
        memory.0.place(bits(at(program.global_object(GlobalId(1)), 1))),
        PointsTo::Global { global: GlobalId(1), offset: 1 }
    );
    assert_eq!(memory.0.place(bits(at(input, -1))), PointsTo::Elsewhere);
    assert_eq!(memory.0.place(bits(at(heap, 4))), PointsTo::Fresh { block: heap, offset: 4 });
    assert_eq!(memory.0.place(bits(at(heap, 5))), PointsTo::Elsewhere);
    assert_eq!(memory.0.place(bits(at(heap + 1, 0))), PointsTo::Elsewhere);
    memory.free(pointer(heap)).unwrap();
    assert_eq!(memory.0.place(bits(pointer(heap))), PointsTo::Elsewhere);
}

#[test]
fn a_global_is_shared_until_it_is_written_to() {
    let program = program();
    let mut memory = Tried(Memory::new(&program));
    assert!(memory.0.global(GlobalId(0)).is_none());
    // The same again is no change.
    memory.store(at(FIRST_OBJECT, 1), 1, 2, 0).unwrap();
    assert!(memory.0.global(GlobalId(0)).is_none());
    assert_eq!(memory.0.version, 0);
    memory.store(at(FIRST_OBJECT, 1), 1, 7, 0).unwrap();
    assert_eq!(memory.0.global(GlobalId(0)).map(|seen| seen.bytes), Some(&[1, 7][..]));
    memory.store(at(FIRST_OBJECT, 1), 1, 2, 0).unwrap();
    assert!(memory.0.global(GlobalId(0)).is_none(), "it holds what it held at the start");
    memory.store(at(FIRST_OBJECT, 0), 1, 1, 4).unwrap();
    assert_eq!(memory.0.global(GlobalId(0)).map(|seen| seen.undefined), Some(&[4, 0][..]));
    assert_eq!(memory.store(at(FIRST_OBJECT + 1, 0), 1, 1, 0), Err(Fault::ReadOnly));
}

#[test]
fn an_access_far_outside_may_hit_another_object() {
    let program = program();
    let mut memory = Tried(Memory::new(&program));
    let check = |memory: &Tried, object: u32, offset: i32, fault: Fault| {
        let found = memory.load(at(object, offset), 4).map(|(bits, _)| bits);
        assert_eq!(found, Err(fault), "{offset} bytes from the start");
    };
    let size = memory.0.bytes(FIRST_OBJECT).bytes.len() as i32;
    check(&memory, FIRST_OBJECT, size - 1, Fault::OutOfBounds);
    check(&memory, FIRST_OBJECT, size + 11, Fault::OutOfBounds);
    check(&memory, FIRST_OBJECT, size + 12, Fault::Stray);
    // Before a global may be another.
    check(&memory, FIRST_OBJECT, -4, Fault::Stray);
    let heap = memory.0.allocate(4, true).unwrap();
    check(&memory, heap, -4, Fault::OutOfBounds);
    check(&memory, heap, -16, Fault::Stray);
    check(&memory, heap, -20, Fault::Stray);
    check(&memory, heap, 20, Fault::Stray);
    memory.free(pointer(heap)).unwrap();
    check(&memory, heap, 0, Fault::Dangling);
    check(&memory, heap, 20, Fault::Stray);
    let empty = memory.0.allocate(0, true).unwrap();
    assert_eq!(memory.load(pointer(empty), 1).map(|(bits, _)| bits), Err(Fault::Stray));
    assert_eq!(memory.load(at(empty, 1), 1).map(|(bits, _)| bits), Err(Fault::OutOfBounds));
}

#[test]
fn masks_go_with_the_bytes() {
    let program = program();
    let mut memory = Tried(Memory::new(&program));
    let heap = memory.0.allocate(4, true).unwrap();
    assert_eq!(memory.load(pointer(heap), 2).unwrap().1, 0xffff);
    memory.store(pointer(heap), 2, 0x1234, 0x0ff0).unwrap();
    let (bits, undefined) = memory.load(pointer(heap), 3).unwrap();
    assert_eq!((bits & 0xffff, undefined), (0x1234, 0xff0ff0));
    memory.copy(at(heap, 1), pointer(heap), 2, true).unwrap();
    assert_eq!(memory.load(at(heap, 0), 4).unwrap().1, 0xff0f_f0f0);
    memory.fill(pointer(heap), 9, 4).unwrap();
    assert_eq!(memory.load(pointer(heap), 4).unwrap().1, 0);
}

#[test]
fn a_text_ends_with_zero_and_is_assigned() {
    let program = program();
    let mut memory = Tried(Memory::new(&program));
    let text = memory.0.add_input(0, b"hi\0x".to_vec(), vec![0, 0, 0, 0xff]);
    assert_eq!(memory.text(at(text, 0)), Ok(b"hi".to_vec()));
    assert_eq!(memory.text(at(text, 2)), Ok(vec![]));
    assert_eq!(memory.text(at(text, 3)), Err(Fault::UninitialisedRead));
    let endless = memory.0.add_input(2, b"x".to_vec(), vec![]);
    assert_eq!(memory.text(at(endless, 0)), Err(Fault::OutOfBounds));
    let open = memory.0.add_input(1, b"h\0".to_vec(), vec![0xff, 0]);
    assert_eq!(memory.text(at(open, 0)), Err(Fault::UninitialisedRead));
    assert_eq!(memory.text(at(0, 0)), Err(Fault::NullAccess));
}

#[test]
fn there_is_room_for_so_much() {
    let program = program();
    let mut memory = Tried(Memory::new(&program));
    let most = memory.0.allocate(MOST_BYTES, true).unwrap();
    assert_eq!(memory.0.allocate(1, true), None);
    memory.free(pointer(most)).unwrap();
    assert!(memory.0.allocate(1, true).is_some());
    assert_eq!(memory.0.allocate(u64::MAX, false), None);
}
