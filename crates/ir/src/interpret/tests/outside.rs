//! What the outside sees of a run, and what it gives.

use bv::Word;

use super::{FUEL, outcome_on, program};
use crate::{
    Datum, Difference, ExternalId, Fresh, FunctionId, GlobalId, Input, Mutant, Object, Observation, Outcome,
    Program, Seen, SeenCall, Stream, Type, TypeId, run,
};

fn observation(program: &Program, input: &Input) -> Observation {
    match run(program, FunctionId(0), Mutant::ORIGINAL, input, FUEL).outcome {
        Outcome::Returned(observation) => std::sync::Arc::unwrap_or_clone(observation),
        other => panic!("{other:?}"),
    }
}

fn byte(byte: i128) -> Seen {
    Seen::Word(Word::from_signed(8, byte))
}

fn bytes(bytes: &[i128]) -> Vec<Datum> {
    bytes.iter().map(|byte| Datum::Word(Word::from_signed(8, *byte))).collect()
}

const CALLS: &str = r#"
    global @text: u32 "unsigned" = "hi\0!" constant static
    external @read(s8 "char") -> s8 "char"
    external @other() -> s8 "char"
    external @puts(pointer "const char *" constant to s8 "char") prints
    function @f() -> s8 "char" {
    block0:
        %0:i8 = external @read(1:i8: s8 "char")
        %1:i8 = external @other()
        %2:i8 = external @read(%0: s8 "char")
        external @puts(text @text: pointer "const char *" constant to s8 "char")
        %3:i8 = external @read(%2: s8 "char")
        return %3
    }"#;

#[test]
fn results_of_calls_are_inputs_and_their_arguments_are_seen() {
    let program = program(CALLS);
    let input = Input { results: vec![(ExternalId(0), bytes(&[7, 8, 9]))], ..Input::default() };
    let seen = observation(&program, &input);
    assert_eq!(seen.result, Some(byte(9)));
    let call = |external, arguments| SeenCall { external: ExternalId(external), arguments, beyond: vec![] };
    assert_eq!(
        seen.calls,
        [call(0, vec![byte(1)]), call(1, vec![]), call(0, vec![byte(7)]), call(0, vec![byte(8)]),]
    );
    assert_eq!(seen.printed(Stream::Out).known(), Some(&b"hi\n"[..]));
    // After the last one, zero.
    let short = Input { results: vec![(ExternalId(0), bytes(&[7]))], ..Input::default() };
    assert_eq!(observation(&program, &short).result, Some(byte(0)));
    assert!(observation(&program, &input).differs(&observation(&program, &short)));
}

#[test]
fn a_call_needs_arguments_that_are_assigned() {
    let text = |argument: &str| {
        program(&format!(
            r#"global @open: u16 "unsigned short" = "hi"
            external @puts(pointer "const char *" constant to s8 "char")
            function @f() {{ block0: external @puts(text {argument}: pointer "const char *" constant to s8 "char") return }}"#
        ))
    };
    let outcome = |argument: &str| outcome_on(&text(argument), 0, &Input::default(), FUEL);
    assert_eq!(outcome("@open"), "out-of-bounds access after 1");
    assert_eq!(outcome("0:i64"), "null pointer access after 1");
    assert_eq!(outcome("uninitialised:i64"), "read of an uninitialised variable after 1");
}

#[test]
fn a_loop_that_asks_the_outside_does_not_diverge() {
    let program = program(
        r#"external @read() -> s8 "char"
        function @f() { block0: jump block1 block1: %0:i8 = external @read() jump block1 }"#,
    );
    assert_eq!(outcome_on(&program, 0, &Input::default(), 500), "out of fuel after 500");
}

#[test]
fn globals_that_changed_are_seen_or_hidden() {
    let program = program(
        r#"global @seen: s8 "char" = "\u{1}"
        global @hidden: s8 "char" = "\u{1}" static
        global @same: s8 "char" = "\u{1}"
        function @f(%0 a: s8 "char") { block0: store @seen, %0 store @hidden, %0 store @same, 1:i8 return }"#,
    );
    let run = |argument: i128, globals: Vec<(GlobalId, Datum)>| {
        let input = Input { arguments: bytes(&[argument]), globals, ..Input::default() };
        observation(&program, &input)
    };
    let changed = run(2, vec![]);
    assert_eq!(changed.globals, [(GlobalId(0), byte(2))]);
    assert_eq!(changed.hidden, [(GlobalId(1), byte(2))]);
    let unchanged = run(1, vec![]);
    assert_eq!((unchanged.globals.len(), unchanged.hidden.len()), (0, 0));
    assert!(changed.differs(&unchanged) && changed.differs_inside(&unchanged));
    // What is given at the start is not a change.
    let given = run(2, vec![(GlobalId(0), bytes(&[2]).remove(0)), (GlobalId(2), bytes(&[3]).remove(0))]);
    assert_eq!(given.globals, [(GlobalId(2), byte(1))]);
}

#[test]
fn a_struct_comes_and_goes_through_the_door() {
    // It swaps the two bytes, which the compiler passes as one word.
    let program = program(
        r#"type 0 = s8 "char"
        type 1 = struct "struct pair" 2 { a: type 0 at 0, b: type 0 at 8 }
        type 2 = pointer "struct pair *" to type 1
        function @swap(pair: type 1, add: s8 "char") -> type 1 as (%0:i16, %1:i8) -> i16 door @door {
        block0: %2:i8 = extract[7:0] %0 %3:i8 = extract[15:8] %0 %4:i8 = add %3, %1 %5:i16 = concat %2, %4 return %5
        }
        function @door(%0 result: type 2, %1 pair: type 2, %2 add: s8 "char") {
        block0: %3:i16 = load.i16 %1 %4:i16 = call @swap(%3, %2) store %0, %4 return
        }"#,
    );
    let input = Input {
        arguments: vec![Datum::Aggregate(bytes(&[3, 4])), Datum::Word(Word::new(8, 10))],
        ..Input::default()
    };
    let seen = observation(&program, &input);
    assert_eq!(seen.result, Some(Seen::Aggregate(vec![byte(14), byte(3)])));
    assert_eq!(seen.objects, Vec::<Vec<Seen>>::new());
}

#[test]
fn what_a_run_made_is_seen_through_its_pointers() {
    let result = |code: &str| {
        let program = program(&format!(
            r#"function @f() -> pointer "char *" to s8 "char" {{ block0: %0:i64 = allocate 3:i64 store %0, 5:i8 {code} }}"#
        ));
        observation(&program, &Input::default()).result.unwrap()
    };
    let fresh = |offset, elements: &[Seen]| {
        let size = elements.len() as u64;
        Seen::Fresh(Fresh { block: 0, offset, size, elements: elements.to_vec() })
    };
    assert_eq!(result("return %0"), fresh(0, &[byte(5), Seen::Undefined, Seen::Undefined]));
    assert_eq!(result("%1:i64 = offset %0, 2:i64 return %1"), fresh(2, &[Seen::Undefined]));
    assert_eq!(result("free %0 return %0"), Seen::Elsewhere);
    assert_eq!(result("%1:i64 = local 1:i64 return %1"), Seen::Elsewhere);
    assert_eq!(result("return 0:i64"), Seen::Null);
}

#[test]
fn less_room_than_the_original_makes_is_a_soft_difference() {
    let seen = |size: u64, code: &str| {
        let program = program(&format!(
            r#"function @f() -> pointer "char *" to s8 "char" {{ block0: %0:i64 = allocate {size}:i64 store %0, 5:i8 {code} }}"#
        ));
        observation(&program, &Input::default())
    };
    let original = seen(3, "return %0");
    assert_eq!(original.difference(&seen(3, "return %0")), Difference::None);
    assert_eq!(original.difference(&seen(4, "return %0")), Difference::None);
    assert_eq!(original.difference(&seen(2, "return %0")), Difference::Soft);
    assert_eq!(original.difference(&seen(3, "free %0 return %0")), Difference::Soft);
    assert_eq!(
        original.difference(&seen(3, "%1:i64 = offset %0, 0:i64 store %1, 6:i8 return %1")),
        Difference::Plain
    );
    assert_eq!(
        seen(1, "return %0").difference(&seen(2, "%1:i64 = offset %0, 1:i64 store %1, 5:i8 return %1")),
        Difference::Soft
    );
    assert_eq!(original.difference(&seen(3, "return 0:i64")), Difference::Plain);
}

/// What is seen after code has run on an object of two bytes.
fn after(code: &str) -> Observation {
    let program = program(&format!(
        r#"function @f(%0 p: pointer "char *" to s8 "char") -> pointer "char *" to s8 "char" {{ block0: {code} }}"#
    ));
    let of = TypeId(program.types.iter().position(|of| matches!(of, Type::Integer(_))).unwrap() as u32);
    let object = Object { of, elements: bytes(&[1, 2]), constant: false };
    let arguments = vec![Datum::Pointer { object: 0, element: 0 }];
    observation(&program, &Input { arguments, objects: vec![object], ..Input::default() })
}

#[test]
fn what_the_caller_gave_can_be_freed() {
    let freed = after("free %0 return 0:i64");
    assert_eq!((freed.freed.as_slice(), freed.objects.as_slice()), (&[0][..], &[vec![]][..]));
    let kept = after("return 0:i64");
    assert_eq!(freed.difference(&kept), Difference::None, "nobody may look at it any more");
    assert_eq!(kept.difference(&freed), Difference::Soft);
    assert_eq!(after("free %0 return %0").result, Some(Seen::Elsewhere));
    assert_eq!(after("return %0").difference(&after("free %0 return %0")), Difference::Soft);
    assert_eq!(after("return %0").difference(&after("return 0:i64")), Difference::Plain);
}

#[test]
fn who_keeps_what_the_original_moves_is_not_told_apart() {
    let moved = "%1:i64 = extent %0 %2:i64 = allocate %1 copy %2, %0, %1 free %0";
    let moved = after(&format!("{moved} return %2"));
    assert_eq!(moved.difference(&after("return %0")), Difference::None);
    assert_eq!(moved.difference(&after("store %0, 7:i8 return %0")), Difference::Plain);
    assert_eq!(after("return %0").difference(&moved), Difference::Soft);
}

#[test]
fn what_goes_wrong_in_the_library_is_blamed_on_its_caller_and_costs_no_fuel() {
    let program = program(
        r#"function @f() { block0: call @abs(5:i8) @ 4:4 call @abs(-128:i8) @ 5:5 return }
        function @abs(%0 a: s8 "char") library {
        block0: jump block1 @ 900:1 block1: %1:i8 = sub nsw 0:i8, %0 @ 900:2 return }"#,
    );
    assert_eq!(outcome_on(&program, 0, &Input::default(), FUEL), "signed overflow @ 5:5 after 1");
}
