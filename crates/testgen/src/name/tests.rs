//! One test for each rule, and for what is said if there is too much of it.

use bv::Word;
use ir::{Action, Datum, Flags, Instruction, Operand, Register, Seen, TypeId};

use super::LONGEST;
use crate::sketch::{Sketch, given, seen};

/// Numbers of one type, compared with each other.
fn compare(sketch: &mut Sketch, name: &str, parameters: &[&str], pairs: &[(u32, u32)]) -> ir::FunctionId {
    let int = sketch.int();
    let parameters: Vec<(&str, TypeId)> = parameters.iter().map(|name| (*name, int)).collect();
    let id = sketch.function(name, &parameters, Some(int), &[], &[]);
    let function = &mut sketch.program.functions[id.0 as usize];
    function.arity = parameters.len();
    let comparison = |(one, other): &(u32, u32)| Action::Apply {
        op: bv::Op::Slt,
        flags: Flags::default(),
        arguments: vec![Operand::Register(Register(*one)), Operand::Register(Register(*other))],
    };
    let instruction = |pair| Instruction { result: None, action: comparison(pair), at: None };
    function.blocks[0].instructions = pairs.iter().map(instruction).collect();
    id
}

#[test]
fn numbers_are_said_to_be_equal_if_the_function_compares_them() {
    let mut s = Sketch::default();
    let triangle = compare(&mut s, "triangle", &["a", "b", "c"], &[(0, 1), (1, 2), (0, 2)]);
    let scale = compare(&mut s, "scale", &["x", "by"], &[]);
    let mut case = |function, values: &[i32], expect: &str| {
        s.test(function, values.iter().map(|value| given(*value)).collect(), Some(seen(1)), |_, _| {});
        assert_eq!(s.names().last().map(String::as_str), Some(expect));
    };
    case(triangle, &[2, 3, 2], "test_triangle_2_3_2_when_a_equals_c");
    case(triangle, &[2, 2, 2], "test_triangle_2_2_2_when_a_b_and_c_are_equal");
    case(triangle, &[2, 3, 4], "test_triangle_2_3_4");
    case(scale, &[2, 2], "test_scale_2_2");
}

#[test]
fn null_and_an_empty_text_are_said_of_the_parameter() {
    let mut s = Sketch::default();
    let char = s.char();
    let (constant, pointer) = (s.pointer(char, true), s.pointer(char, false));
    let find = s.function("find", &[("s", constant), ("c", char)], Some(pointer), &[], &[]);
    let join = s.function("join", &[("a", constant), ("", constant)], None, &[], &[]);
    let b = Datum::Word(Word::new(8, b'b'.into()));
    let text = s.text(b"\0", None);
    s.test(find, vec![text, b.clone()], Some(Seen::Null), |_, _| {});
    let text = s.text(b"ab\0", None);
    s.test(find, vec![text, b.clone()], Some(Seen::Input { object: 0, offset: 1 }), |_, _| {});
    s.test(find, vec![Datum::Null, b], Some(Seen::Null), |_, _| {});
    s.test(join, vec![Datum::Null, Datum::Null], None, |_, _| {});
    let expect = [
        "test_find_b_returns_null_when_s_is_empty",
        "test_find_ab_b",
        "test_find_b_returns_null_when_s_is_null",
        "test_join_null_when_a_is_null",
    ];
    assert_eq!(s.names(), expect);
}

#[test]
fn a_buffer_that_is_filled_is_no_empty_text() {
    let mut s = Sketch::default();
    let char = s.char();
    let pointer = s.pointer(char, false);
    let fill = s.function("fill", &[("to", pointer)], None, &[], &[]);
    let text = s.text(b"\0\0", Some(b"a\0"));
    s.test(fill, vec![text], None, |_, _| {});
    assert_eq!(s.names(), ["test_fill_empty"]);
}

#[test]
fn a_question_has_an_answer() {
    let mut s = Sketch::default();
    let (int, bool) = (s.int(), s.integer("_Bool", 1, false));
    let is_prime = s.function("is_prime", &[("n", int)], Some(int), &[], &[]);
    let odd = s.function("odd", &[("n", int)], Some(bool), &[], &[]);
    let issue = s.function("issue", &[("n", int)], Some(int), &[], &[]);
    s.test(is_prime, vec![given(4)], Some(seen(0)), |_, _| {});
    s.test(is_prime, vec![given(-1)], Some(seen(-1)), |_, _| {});
    s.test(odd, vec![given(3)], Some(Seen::Word(Word::new(1, 1))), |_, _| {});
    s.test(issue, vec![given(3)], Some(seen(1)), |_, _| {});
    let expect =
        ["test_is_prime_4_returns_false", "test_is_prime_minus_1", "test_odd_3_returns_true", "test_issue_3"];
    assert_eq!(s.names(), expect);
}

#[test]
fn what_does_not_fit_is_not_said() {
    let mut s = Sketch::default();
    let long = "a_rather_long_name_for_a_function";
    let f = compare(&mut s, long, &["first", "second"], &[(0, 1)]);
    s.test(f, vec![given(1), given(1)], Some(seen(0)), |_, _| {});
    s.test(f, vec![given(1000), given(1000)], Some(seen(0)), |_, _| {});
    s.test(f, vec![given(i32::MAX), given(1_000_000_000)], Some(seen(0)), |_, _| {});
    let expect = [
        format!("test_{long}_1_1"),
        format!("test_{long}_1000_1000"),
        format!("test_{long}_int_max_1000000000"),
    ];
    assert_eq!(s.names(), expect);
}

#[test]
fn a_number_has_room_in_a_name_that_is_taken() {
    let mut s = Sketch::default();
    let char = s.char();
    let pointer = s.pointer(char, true);
    let f = s.function("f", &[("s", pointer)], None, &[], &[]);
    let letters = [b'x'; LONGEST - "test_f_".len()];
    for _ in 0..2 {
        let text = s.text(&letters, None);
        s.test(f, vec![text], None, |_, _| {});
    }
    let names = s.names();
    assert_eq!(names[0].len(), LONGEST);
    assert_eq!(names[1], format!("{}_2", &names[0][..LONGEST - 2]));
}
