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

/// A pointer so many bytes into an object.
fn at(object: u32, offset: i32) -> Word {
    Word::new(64, u128::from(object) << 32 | u128::from(offset as u32))
}

#[test]
fn numbers_lead_to_null_then_globals_then_what_is_made() {
    let program = program();
    let mut memory = Memory::new(&program);
    let input = memory.add_input(0, vec![3], vec![0]);
    assert_eq!(input, program.input_object());
    let heap = memory.allocate(4, true).unwrap();
    let bits = |word: Word| word.bits() as u64;
    assert_eq!(memory.place(0), Place::Null);
    assert_eq!(memory.place(bits(at(0, 1))), Place::Elsewhere);
    assert_eq!(memory.place(bits(at(2, 1))), Place::Global { global: GlobalId(1), offset: 1 });
    assert_eq!(memory.place(bits(at(input, -1))), Place::Elsewhere);
    assert_eq!(memory.place(bits(at(heap, 4))), Place::Fresh { block: heap, offset: 4 });
    assert_eq!(memory.place(bits(at(heap, 5))), Place::Elsewhere);
    assert_eq!(memory.place(bits(at(heap + 1, 0))), Place::Elsewhere);
    memory.free(pointer(heap)).unwrap();
    assert_eq!(memory.place(bits(pointer(heap))), Place::Elsewhere);
}

#[test]
fn a_global_is_shared_until_it_is_written_to() {
    let program = program();
    let mut memory = Memory::new(&program);
    assert!(memory.global(GlobalId(0)).is_none());
    // The same again is no change.
    memory.store(at(1, 1), 1, 2, 0).unwrap();
    assert!(memory.global(GlobalId(0)).is_none());
    assert_eq!(memory.version, 0);
    memory.store(at(1, 1), 1, 7, 0).unwrap();
    assert_eq!(memory.global(GlobalId(0)).map(|seen| seen.bytes), Some(&[1, 7][..]));
    memory.store(at(1, 1), 1, 2, 0).unwrap();
    assert!(memory.global(GlobalId(0)).is_none(), "it holds what it held at the start");
    memory.store(at(1, 0), 1, 1, 4).unwrap();
    assert_eq!(memory.global(GlobalId(0)).map(|seen| seen.undefined), Some(&[4, 0][..]));
    assert_eq!(memory.store(at(2, 0), 1, 1, 0), Err(Fault::ReadOnly));
}

#[test]
fn an_access_far_outside_may_hit_another_object() {
    let program = program();
    let mut memory = Memory::new(&program);
    let check = |memory: &Memory, object: u32, offset: i32, fault: Fault| {
        let found = memory.load(at(object, offset), 4).map(|loaded| loaded.bits);
        assert_eq!(found, Err(fault), "{offset} bytes from the start");
    };
    let size = memory.bytes(1).bytes.len() as i32;
    check(&memory, 1, size - 1, Fault::OutOfBounds);
    check(&memory, 1, size + 11, Fault::OutOfBounds);
    check(&memory, 1, size + 12, Fault::Stray);
    // Before a global may be another.
    check(&memory, 1, -4, Fault::Stray);
    let heap = memory.allocate(4, true).unwrap();
    check(&memory, heap, -4, Fault::OutOfBounds);
    check(&memory, heap, -16, Fault::Stray);
    check(&memory, heap, -20, Fault::Stray);
    check(&memory, heap, 20, Fault::Stray);
    memory.free(pointer(heap)).unwrap();
    check(&memory, heap, 0, Fault::Dangling);
    check(&memory, heap, 20, Fault::Stray);
    let empty = memory.allocate(0, true).unwrap();
    assert_eq!(memory.load(pointer(empty), 1).map(|loaded| loaded.bits), Err(Fault::Stray));
    assert_eq!(memory.load(at(empty, 1), 1).map(|loaded| loaded.bits), Err(Fault::OutOfBounds));
}

#[test]
fn masks_go_with_the_bytes() {
    let program = program();
    let mut memory = Memory::new(&program);
    let heap = memory.allocate(4, true).unwrap();
    assert_eq!(memory.load(pointer(heap), 2).unwrap().undefined, 0xffff);
    memory.store(pointer(heap), 2, 0x1234, 0x0ff0).unwrap();
    let loaded = memory.load(pointer(heap), 3).unwrap();
    assert_eq!((loaded.bits & 0xffff, loaded.undefined), (0x1234, 0xff0ff0));
    memory.copy(at(heap, 1), pointer(heap), 2, true).unwrap();
    assert_eq!(memory.load(at(heap, 0), 4).unwrap().undefined, 0xff0f_f0f0);
    memory.fill(pointer(heap), 9, 0, 4).unwrap();
    assert_eq!(memory.load(pointer(heap), 4).unwrap().undefined, 0);
}

#[test]
fn a_text_ends_with_zero_and_is_assigned() {
    let program = program();
    let mut memory = Memory::new(&program);
    let text = memory.add_input(0, b"hi\0x".to_vec(), vec![0, 0, 0, 0xff]);
    assert_eq!(memory.text(at(text, 0)), Ok(b"hi".to_vec()));
    assert_eq!(memory.text(at(text, 2)), Ok(vec![]));
    assert_eq!(memory.text(at(text, 3)), Err(Fault::OutOfBounds));
    let open = memory.add_input(1, b"h\0".to_vec(), vec![0xff, 0]);
    assert_eq!(memory.text(at(open, 0)), Err(Fault::UninitialisedRead));
    assert_eq!(memory.text(at(0, 0)), Err(Fault::NullAccess));
}

#[test]
fn there_is_room_for_so_much() {
    let program = program();
    let mut memory = Memory::new(&program);
    let most = memory.allocate(MOST_BYTES, true).unwrap();
    assert_eq!(memory.allocate(1, true), None);
    memory.free(pointer(most)).unwrap();
    assert!(memory.allocate(1, true).is_some());
    assert_eq!(memory.allocate(u64::MAX, false), None);
}
