//! What runs that use memory come to.

use super::{FUEL, check, outcome, program};
use crate::{Datum, FunctionId, Input, Mutant, Object, Outcome, Seen, TypeId, run};
use bv::Word;

/// The instructions compute `%9:i8`, from `%0`, which is 5. There is a global of two bytes, a constant, and
/// `%1` points to a local of four bytes.
fn check_code(code: &str, expect: &str) {
    let text = format!(
        r#"global @bytes: u16 "unsigned short" = "\u{{7}}\u{{1}}"
        global @constant: u8 "unsigned char" = "\u{{9}}" constant
        function @f(%0 a: s8 "char") -> s8 "char" {{
        {unused} block0: %1:i64 = local 4:i64 {code} return %9 }}
        function @double(%0 a: s8 "char") -> s8 "char" {{ block0: %1:i8 = add %0, %0 return %1 }}
        function @local() -> pointer "char *" to s8 "char" {{ block0: %0:i64 = local 1:i64 return %0 }}"#,
        unused = unused(code)
    );
    assert_eq!(outcome(&program(&text), 0, &[5], FUEL), expect, "{code}");
}

/// The registers up to `%9` that the code does not define.
fn unused(code: &str) -> String {
    let defined = |number: &u32| code.contains(&format!("%{number}:i"));
    (2..9).filter(|number| !defined(number)).map(|number| format!("unused %{number}:i8 ")).collect()
}

#[test]
fn a_word_lies_with_its_lowest_byte_first() {
    check_code("store %1, 513:i16 %9:i8 = load.i8 %1", "1 after 1");
    check_code("store %1, 513:i16 %2:i64 = offset %1, 1:i64 %9:i8 = load.i8 %2", "2 after 1");
    check_code("%9:i8 = load.i8 @bytes", "7 after 1");
    check_code("%2:i16 = load.i16 @bytes %9:i8 = extract[15:8] %2", "1 after 1");
    check_code("store @bytes, -3:i8 %2:i16 = load.i16 @bytes %9:i8 = extract[11:4] %2", "31 after 1");
    // A word of an odd width takes whole bytes.
    check_code("store %1, 5:i12 %2:i64 = offset %1, 1:i64 %9:i8 = load.i8 %2", "0 after 1");
    check_code("store %1, 1:i1 %9:i8 = load.i8 %1", "1 after 1");
}

#[test]
fn an_access_stays_within_a_living_object() {
    check_code("%9:i8 = load.i8 0:i64 @ 1:2", "null pointer access @ 1:2 after 1");
    check_code("%9:i8 = load.i8 8:i64", "null pointer access after 1");
    check_code("%2:i64 = offset %1, 4:i64 %9:i8 = load.i8 %2", "out-of-bounds access after 1");
    check_code("%2:i64 = offset %1, -1:i64 %9:i8 = load.i8 %2", "out-of-bounds access after 1");
    check_code("store %1, 0:i40 %9:i8 = load.i8 %1", "out-of-bounds access after 1");
    check_code("%9:i8 = load.i8 @double", "out-of-bounds access that may hit another object after 1");
    check_code(
        "%2:i64 = call @local() %9:i8 = load.i8 %2",
        "use of an object after the end of its life after 2",
    );
    check_code("store @constant, 1:i8 %9:i8 = load.i8 %1", "write to a constant after 1");
    check_code("%9:i8 = load.i8 @constant", "9 after 1");
}

#[test]
fn what_is_not_assigned_may_be_moved_but_not_used() {
    let undefined = "read of an uninitialised variable after 1";
    check_code("%9:i8 = load.i8 %1", undefined);
    check_code("%2:i8 = load.i8 %1 store %1, 3:i8 %9:i8 = load.i8 %1", "3 after 1");
    check_code("store %1, 3:i8 %2:i16 = load.i16 %1 %9:i8 = extract[7:0] %2", "3 after 1");
    check_code("store %1, 3:i8 %2:i16 = load.i16 %1 %9:i8 = extract[8:1] %2", undefined);
    // As a bit-field gets its first value.
    let set = "%2:i8 = load.i8 %1 %3:i8 = and %2, -8:i8 %4:i8 = or %3, 5:i8 store %1, %4";
    check_code(&format!("{set} %5:i8 = load.i8 %1 %9:i8 = and %5, 7:i8"), "5 after 1");
    check_code(&format!("{set} %5:i8 = load.i8 %1 %9:i8 = and %5, 8:i8"), undefined);
    check_code(&format!("{set} %5:i8 = load.i8 %1 %6:i8 = shl %5, 5:i8 %9:i8 = lshr %6, 5:i8"), "5 after 1");
    // Copies take it along.
    check_code("%2:i64 = local 2:i64 copy %2, %1, 2:i64 store %2, 3:i8 %9:i8 = load.i8 %2", "3 after 1");
    check_code("store %1, 3:i32 %2:i64 = local 2:i64 copy %1, %2, 2:i64 %9:i8 = load.i8 %1", undefined);
    check_code("fill %1, uninitialised:i8, 1:i64 %9:i8 = add %0, 0:i8", "5 after 1");
    check_code("%9:i8 = load.i8 uninitialised:i64", undefined);
}

#[test]
fn bytes_are_copied_and_filled() {
    let from = "fill %1, 257:i32, 4:i64";
    check_code(&format!("{from} %9:i8 = load.i8 %1"), "1 after 1");
    let next = "store %1, 50462976:i32 %2:i64 = offset %1, 1:i64";
    check_code(
        &format!("{next} copy overlap %2, %1, 3:i64 %3:i64 = offset %1, 3:i64 %9:i8 = load.i8 %3"),
        "2 after 1",
    );
    check_code(&format!("{next} copy overlap %1, %2, 3:i64 %9:i8 = load.i8 %1"), "1 after 1");
    check_code(
        &format!("{next} copy %2, %1, 3:i64 %9:i8 = load.i8 %1"),
        "copy between objects that overlap after 1",
    );
    check_code(&format!("{next} copy %2, %1, 1:i64 %9:i8 = load.i8 %2"), "0 after 1");
    check_code(&format!("{next} copy %2, %2, 3:i64 %9:i8 = load.i8 %2"), "1 after 1");
    // Nothing is copied from nowhere.
    check_code("copy 0:i64, 0:i64, 0:i64 fill 0:i64, 0:i8, 0:i64 %9:i8 = add %0, 0:i8", "5 after 1");
    check_code("copy %1, @bytes, 3:i64 %9:i8 = add %0, 0:i8", "out-of-bounds access after 1");
    check_code("fill @constant, 9:i8, 1:i64 %9:i8 = add %0, 0:i8", "write to a constant after 1");
    check_code("fill %1, 0:i8, -1:i64 %9:i8 = add %0, 0:i8", "out-of-bounds access after 1");
}

#[test]
fn the_heap_is_allocated_and_freed() {
    let made = "%2:i64 = allocate 3:i64";
    let no_object = "free of something that is not a living object on the heap after 1";
    check_code(&format!("{made} store %2, 1:i8 %9:i8 = load.i8 %2"), "1 after 1");
    check_code(&format!("{made} %3:i64 = extent %2 %9:i8 = extract[7:0] %3"), "3 after 1");
    check_code(
        &format!("{made} free %2 %9:i8 = load.i8 %2"),
        "use of an object after the end of its life after 1",
    );
    check_code(&format!("{made} free %2 free %2 %9:i8 = load.i8 %1"), no_object);
    check_code(&format!("{made} %3:i64 = offset %2, 1:i64 free %3 %9:i8 = load.i8 %1"), no_object);
    check_code("free %1 %9:i8 = load.i8 %1", no_object);
    check_code("free @bytes %9:i8 = load.i8 %1", no_object);
    check_code("free 0:i64 %9:i8 = add %0, 0:i8", "5 after 1");
    check_code("%3:i64 = extent %1 %9:i8 = add %0, 0:i8", no_object);
    check_code(
        "%2:i64 = allocate -1:i64 %9:i8 = add %0, 0:i8",
        "unsupported: more memory than a test should take after 1",
    );
}

#[test]
fn what_should_have_bits_has_some() {
    check_code("%9:i8 = not bits %0", "-6 after 1");
    check_code("%2:i8 = sub %0, 5:i8 %9:i8 = not bits %2", "clz or ctz of zero after 1");
}

#[test]
fn pointers_are_compared_and_subtracted_within_one_object() {
    let two = "%2:i64 = offset %1, 3:i64 %3:i64 = offset %2, -4:i64";
    let foreign = "comparison or difference of pointers into different objects after 1";
    check_code(&format!("{two} %4:i64 = sub pointers %2, %3 %9:i8 = extract[7:0] %4"), "4 after 1");
    check_code(&format!("{two} %4:i64 = sub pointers %3, %2 %9:i8 = extract[7:0] %4"), "-4 after 1");
    check_code(&format!("{two} %4:i1 = slt pointers %3, %1 %9:i8 = zext.i8 %4"), "1 after 1");
    check_code(&format!("{two} %4:i1 = sge pointers %2, %3 %9:i8 = zext.i8 %4"), "1 after 1");
    check_code("%2:i1 = slt pointers %1, @bytes %9:i8 = zext.i8 %2", foreign);
    check_code("%2:i1 = eq %1, @bytes %9:i8 = zext.i8 %2", "0 after 1");
    check_code("%2:i1 = slt pointers 0:i64, %1 %9:i8 = zext.i8 %2", "1 after 1");
    check_code("%2:i64 = offset %1, -4:i64 %3:i1 = sle pointers %2, 0:i64 %9:i8 = zext.i8 %3", "0 after 1");
    check_code("%2:i1 = sge pointers 0:i64, 0:i64 %9:i8 = zext.i8 %2", "1 after 1");
    check_code(
        "%2:i64 = offset 0:i64, -4:i64 %3:i1 = sgt pointers %2, 0:i64 %9:i8 = zext.i8 %3",
        "1 after 1",
    );
    check_code("%2:i64 = offset 0:i64, -4:i64 %3:i1 = slt pointers %2, %1 %9:i8 = zext.i8 %3", foreign);
    check_code("%2:i64 = sub pointers %1, 0:i64 %9:i8 = extract[7:0] %2", foreign);
    check_code("%2:i64 = offset %1, 2147483647:i64 %9:i8 = add %0, 0:i8", "5 after 1");
    let far = "pointer far outside of its object after 1";
    check_code("%2:i64 = offset %1, 2147483648:i64 %9:i8 = add %0, 0:i8", far);
    check_code("%2:i64 = offset %1, 2147483647:i64 %3:i64 = offset %2, 1:i64 %9:i8 = add %0, 0:i8", far);
    let stray = "out-of-bounds access that may hit another object after 1";
    let copied = |length: u32| {
        format!("%2:i64 = offset %1, 2147483648:i64 copy %2, %1, {length}:i64 %9:i8 = add %0, 0:i8")
    };
    check_code(&copied(1), stray);
    check_code(&copied(0), far);
}

#[test]
fn a_function_is_called_by_a_pointer_to_it_only_as_what_it_is() {
    let invalid = "call through a pointer that leads to no such function after 1";
    check_code("%9:i8 = call pointer @double(%0)", "10 after 2");
    check_code("%9:i8 = call pointer @double()", invalid);
    check_code("%9:i8 = call pointer @double(0:i16)", invalid);
    check_code("call pointer @double(%0) %9:i8 = add %0, 0:i8", invalid);
    check_code("%9:i8 = call pointer %1(%0)", invalid);
    check_code("%9:i8 = call pointer 0:i64(%0)", invalid);
    check_code("%9:i8 = call pointer uninitialised:i64(%0)", "read of an uninitialised variable after 1");
    check_code("%2:i64 = offset @double, 1:i64 %9:i8 = call pointer %2(%0)", invalid);
}

#[test]
fn a_run_may_stop_by_itself() {
    check("block0: stop \"failed assertion\" @ 3:3 return %0", 5, FUEL, "failed assertion @ 3:3 after 1");
    check("block0: stop \"call of exit\" return %0", 5, FUEL, "call of exit after 1");
}

#[test]
fn a_check_stops_a_run_if_its_condition_fails() {
    let below_3 = "block0: %1:i1 = ult %0, 3:i8 check %1, \"index out of bounds\" @ 2:2 return %0";
    check(below_3, 2, FUEL, "2 after 1");
    check(below_3, 3, FUEL, "index out of bounds @ 2:2 after 1");
    let unknown = "block0: check uninitialised:i1, \"index out of bounds\" return %0";
    check(unknown, 0, FUEL, "read of an uninitialised variable after 1");
}

#[test]
fn where_nobody_knows_what_a_binary_does_a_mutant_has_no_outcome() {
    let code = |code: &str| {
        program(&format!(
            r#"global @a: u8 "" = zero 1 function @f() -> s8 "char" {{
            block0: %0:i64 = local 1:i64 {code} return 5:i8 }}"#
        ))
    };
    let far = code("%1:i64 = offset %0, 4294967296:i64");
    assert_eq!(
        outcome(&far, 1, &[], FUEL),
        "unsupported: pointer far outside of its object in the mutant after 1"
    );
    let foreign = code("%1:i1 = slt pointers %0, @a");
    assert_eq!(
        outcome(&foreign, 1, &[], FUEL),
        "unsupported: comparison or difference of pointers into different objects in the mutant after 1"
    );
    let bounds = code("store %0, 0:i16");
    assert_eq!(outcome(&bounds, 1, &[], FUEL), "out-of-bounds access after 1");
}

#[test]
fn a_loop_that_changes_memory_is_not_taken_to_diverge() {
    let around = |code: &str| {
        format!("block0: %1:i64 = local 4:i64 store %1, 0:i32 jump block1 block1: {code} jump block1")
    };
    let counts = around("%2:i32 = load.i32 %1 %3:i32 = add %2, 1:i32 store %1, %3");
    check(&counts, 5, 500, "out of fuel after 500");
    // What is there already changes nothing.
    check(&around("%2:i32 = load.i32 %1 %3:i32 = add %2, 0:i32 store %1, %3"), 5, 500, "diverged after 34");
    check(&around("%2:i32 = load.i32 %1"), 5, 500, "diverged after 34");
    check(&around("%2:i64 = allocate 1:i64"), 5, 500, "out of fuel after 500");
    // The variables of a function that was called are as new each time.
    let called = "block0: %1:i64 = local 1:i64 %2:i8 = load.i8 %1 %3:i8 = call @f(%0) return %3";
    check(called, 5, 500, "diverged after 2");
    let counted = "block0: %1:i64 = local 1:i64 store %1, %0 %2:i8 = call @f(%0) return %2";
    check(counted, 5, 500, "out of fuel after 500");
}

#[test]
fn objects_of_the_input_are_seen_afterwards() {
    let program = program(
        r#"function @f(%0 p: pointer "char *" to s8 "char", %1 q: pointer "const char *" constant to s8 "char")
            -> pointer "char *" to s8 "char" {
        block0: %2:i8 = load.i8 %1 store %0, %2 %3:i64 = offset %1, 1:i64 return %3 }"#,
    );
    let bytes = |bytes: &[u128]| bytes.iter().map(|byte| Datum::Word(Word::new(8, *byte))).collect();
    let of = TypeId(0);
    let input = Input {
        arguments: vec![Datum::Pointer { object: 0, element: 1 }, Datum::Pointer { object: 1, element: 0 }],
        objects: vec![
            Object { of, elements: bytes(&[1, 2]), constant: false },
            Object { of, elements: bytes(&[3]), constant: true },
        ],
        ..Input::default()
    };
    let Outcome::Returned(observation) = run(&program, FunctionId(0), Mutant::ORIGINAL, &input, FUEL).outcome
    else {
        panic!("it returns");
    };
    let word = |byte| Seen::Word(Word::new(8, byte));
    assert_eq!(observation.objects, [vec![word(1), word(3)], vec![]]);
    assert_eq!(observation.result, Some(Seen::Input { object: 1, offset: 1 }));
}
