//! One test for each shape of input and observation.

use bv::Word;
use ir::{Datum, Fresh, Seen, SeenCall};

use crate::sketch::{Sketch, fresh, given, letters, seen};

/// The lines of the only test of a sketch.
#[track_caller]
fn check(sketch: &Sketch, expect: &[&str]) {
    assert_eq!(sketch.last(), expect, "\n{}", sketch.file());
}

#[test]
fn text_is_passed_as_a_literal_if_nobody_looks_at_it_again() {
    let mut s = Sketch::default();
    let (char, int) = (s.char(), s.int());
    let pointer = s.pointer(char, true);
    let length = s.function("length", &[("s", pointer)], Some(int), &[], &[]);
    let text = s.text(b"a\"b\0", None);
    s.test(length, vec![text], Some(seen(3)), |_, _| {});
    check(&s, &[r#"TEST_ASSERT_EQUAL_INT(3, length("a\"b"));"#]);
    assert_eq!(s.names(), ["test_length_a_22_b"]);
}

#[test]
fn text_has_a_variable_if_the_result_points_into_it() {
    let mut s = Sketch::default();
    let char = s.char();
    let (constant, pointer) = (s.pointer(char, true), s.pointer(char, false));
    let find = s.function("find", &[("s", constant), ("c", char)], Some(pointer), &[], &[]);
    let text = s.text(b"ab\0", None);
    let c = Datum::Word(Word::new(8, b'b'.into()));
    s.test(find, vec![text, c], Some(Seen::Input { object: 0, offset: 1 }), |_, _| {});
    check(&s, &[r#"char s[] = "ab";"#, "TEST_ASSERT_EQUAL_PTR(&s[1], find(s, 'b'));"]);
    assert_eq!(s.names(), ["test_find_ab_b"]);
}

#[test]
fn buffers_are_checked_to_the_last_element() {
    let mut s = Sketch::default();
    let char = s.char();
    let pointer = s.pointer(char, false);
    let upper = s.function("upper", &[("s", pointer)], None, &[], &[]);
    let mut case = |before: &[u8], after: &[u8], expect: &[&str]| {
        let text = s.text(before, Some(after));
        s.test(upper, vec![text], None, |_, _| {});
        check(&s, expect);
    };
    case(b"ab\0", b"AB\0", &[r#"char s[] = "ab";"#, "upper(s);", r#"TEST_ASSERT_EQUAL_STRING("AB", s);"#]);
    case(b"ab", b"AB", &["char s[] = {'a', 'b'};", "upper(s);", r#"TEST_ASSERT_EQUAL_MEMORY("AB", s, 2);"#]);
    case(
        b"a\0b",
        b"A\0b",
        &[r"char s[] = {'a', '\0', 'b'};", "upper(s);", r#"TEST_ASSERT_EQUAL_MEMORY("A\0b", s, 3);"#],
    );
    case(
        b"a\0\0",
        b"A\0\0",
        &[r#"char s[3] = "a";"#, "upper(s);", r#"TEST_ASSERT_EQUAL_MEMORY("A\0", s, 3);"#],
    );
    case(
        b"\0\0\0\0\0\0",
        b"A\0\0\0\0\0",
        &[
            r#"char s[6] = "";"#,
            "upper(s);",
            r#"const char expected[6] = "A";"#,
            "TEST_ASSERT_EQUAL_MEMORY(expected, s, sizeof expected);",
        ],
    );
    case(b"\0", b"\0", &[r#"char s[] = "";"#, "upper(s);", r#"TEST_ASSERT_EQUAL_STRING("", s);"#]);
    assert_eq!(s.names()[4..], ["test_upper_empty".to_string(), "test_upper_when_s_is_empty".to_string()]);
}

#[test]
fn arrays_of_numbers() {
    let mut s = Sketch::default();
    let int = s.int();
    let pointer = s.pointer(int, false);
    let sort = s.function("sort", &[("a", pointer), ("n", int)], None, &[], &[]);
    let a = s.ints(&[3, 1], Some(&[1, 3]));
    s.test(sort, vec![a, given(2)], None, |_, _| {});
    check(
        &s,
        &[
            "int a[] = {3, 1};",
            "sort(a, 2);",
            "const int expected[] = {1, 3};",
            "TEST_ASSERT_EQUAL_INT_ARRAY(expected, a, 2);",
        ],
    );
    let a = s.ints(&[7], Some(&[7]));
    s.test(sort, vec![a, given(1)], None, |_, _| {});
    check(&s, &["int a[] = {7};", "sort(a, 1);", "TEST_ASSERT_EQUAL_INT(7, a[0]);"]);
    let a = s.ints(&[0; 5], Some(&[0; 5]));
    s.test(sort, vec![a, given(5)], None, |_, _| {});
    check(&s, &["int a[5] = {0};", "sort(a, 5);", "TEST_ASSERT_EACH_EQUAL_INT(0, a, 5);"]);
    assert_eq!(s.names(), ["test_sort_3_1_2", "test_sort_7_1", "test_sort_0_0_0_0_0_5"]);
}

#[test]
fn a_pointer_may_be_null_or_lead_to_one_value() {
    let mut s = Sketch::default();
    let int = s.int();
    let pointer = s.pointer(int, false);
    let next = s.function("next", &[("counter", pointer)], Some(pointer), &[], &[]);
    s.test(next, vec![Datum::Null], Some(Seen::Null), |_, _| {});
    check(&s, &["TEST_ASSERT_NULL(next(NULL));"]);
    let one = s.ints(&[4], Some(&[5]));
    s.test(next, vec![one], Some(Seen::Input { object: 0, offset: 4 }), |_, _| {});
    check(
        &s,
        &[
            "int counter = 4;",
            "TEST_ASSERT_EQUAL_PTR(&counter + 1, next(&counter));",
            "TEST_ASSERT_EQUAL_INT(5, counter);",
        ],
    );
    assert!(s.file().contains("#include <stddef.h>\n"));
}

#[test]
fn arguments_may_share_an_object() {
    let mut s = Sketch::default();
    let int = s.int();
    let pointer = s.pointer(int, false);
    let copy = s.function("copy", &[("to", pointer), ("from", pointer)], None, &[], &[]);
    let to = s.ints(&[1, 2, 3], Some(&[3, 2, 3]));
    s.test(copy, vec![to, Datum::Pointer { object: 0, element: 2 }], None, |_, _| {});
    check(
        &s,
        &[
            "int to[] = {1, 2, 3};",
            "copy(to, &to[2]);",
            "const int expected[] = {3, 2, 3};",
            "TEST_ASSERT_EQUAL_INT_ARRAY(expected, to, 3);",
        ],
    );
}

#[test]
fn two_dimensions() {
    let mut s = Sketch::default();
    let int = s.int();
    let row = s.array(int, 2);
    let pointer = s.pointer(row, false);
    let transpose = s.function("transpose", &[("m", pointer)], None, &[], &[]);
    let datum = |a, b| Datum::Aggregate(vec![given(a), given(b)]);
    let after = |a, b| Seen::Aggregate(vec![seen(a), seen(b)]);
    let m = s.object(row, vec![datum(1, 2), datum(3, 4)], Some(vec![after(1, 3), after(2, 4)]));
    s.test(transpose, vec![m], None, |_, _| {});
    check(
        &s,
        &[
            "int m[][2] = {{1, 2}, {3, 4}};",
            "transpose(m);",
            "const int expected[][2] = {{1, 3}, {2, 4}};",
            "TEST_ASSERT_EQUAL_INT_ARRAY(expected, m, 4);",
        ],
    );
    assert!(s.file().contains("void transpose(int (*m)[2]);\n"));
}

#[test]
fn structs_by_pointer_and_by_value() {
    let mut s = Sketch::default();
    let int = s.int();
    let point = s.record("struct point", false, &[("x", int, None), ("y", int, None)]);
    let pointer = s.pointer(point, false);
    let add = s.function("add", &[("a", pointer), ("b", point)], Some(point), &[], &[]);
    let datum = |x, y| Datum::Aggregate(vec![given(x), given(y)]);
    let sight = |x, y| Seen::Aggregate(vec![seen(x), seen(y)]);
    let a = s.object(point, vec![datum(1, 0)], Some(vec![sight(1, 0)]));
    s.test(add, vec![a, datum(0, 0)], Some(sight(1, 2)), |_, _| {});
    check(
        &s,
        &[
            "struct point a = {.x = 1};",
            "struct point b = {0};",
            "struct point result = add(&a, b);",
            "TEST_ASSERT_EQUAL_INT(1, result.x);",
            "TEST_ASSERT_EQUAL_INT(2, result.y);",
            "TEST_ASSERT_EQUAL_INT(1, a.x);",
            "TEST_ASSERT_EQUAL_INT(0, a.y);",
        ],
    );
    assert!(s.file().contains("struct point { int x; int y; };\n"));
    let a = s.object(point, vec![datum(1, 0), datum(0, 2)], Some(vec![sight(1, 0), sight(0, 2)]));
    s.test(add, vec![a, datum(0, 0)], None, |_, _| {});
    check(
        &s,
        &[
            "struct point a[] = {{.x = 1}, {.y = 2}};",
            "struct point b = {0};",
            "add(a, b);",
            "const struct point expected[] = {{.x = 1}, {.y = 2}};",
            "TEST_ASSERT_EQUAL_MEMORY(expected, a, sizeof expected);",
        ],
    );
}

#[test]
fn unions_bit_fields_and_anonymous_structs() {
    let mut s = Sketch::default();
    let (int, char) = (s.int(), s.char());
    let unsigned = s.integer("unsigned int", 32, false);
    let bytes = s.array(char, 4);
    let either = s.record("", true, &[("number", int, None), ("name", bytes, None)]);
    let item =
        s.record("item_t", false, &[("kind", int, Some(3)), ("on", unsigned, Some(1)), ("", either, None)]);
    if let ir::Type::Record(record) = &mut s.program.types[item.0 as usize] {
        record.fields[2].offset = 32;
        record.size = 8;
    }
    let pointer = s.pointer(item, false);
    let flip = s.function("flip", &[("item", pointer)], None, &[], &[]);
    let bits = |width, value| Word::from_signed(width, value);
    let datum = Datum::Aggregate(vec![
        Datum::Word(bits(3, -2)),
        Datum::Word(bits(1, 1)),
        Datum::Aggregate(vec![given(5)]),
    ]);
    let after = Seen::Aggregate(vec![
        Seen::Word(bits(3, -2)),
        Seen::Word(bits(1, 0)),
        Seen::Aggregate(vec![seen(5)]),
    ]);
    let object = s.object(item, vec![datum], Some(vec![after]));
    s.test(flip, vec![object], None, |_, _| {});
    check(
        &s,
        &[
            "item_t item = {.kind = -2, .on = 1, .number = 5};",
            "flip(&item);",
            "TEST_ASSERT_EQUAL_INT(-2, item.kind);",
            "TEST_ASSERT_EQUAL_UINT(0, item.on);",
            "TEST_ASSERT_EQUAL_INT(5, item.number);",
        ],
    );
    let definition =
        "typedef struct { int kind : 3; unsigned int on : 1; union { int number; char name[4]; }; } item_t;";
    assert!(s.file().contains(definition), "{}", s.file());
}

#[test]
fn a_list_is_declared_from_its_end() {
    let mut s = Sketch::default();
    let long = s.integer("long", 64, true);
    let node = s.record("node", false, &[("value", long, None), ("next", long, None)]);
    let pointer = s.pointer(node, false);
    s.tie(node, 1, pointer);
    let count = s.function("count", &[("list", pointer)], Some(long), &[], &[]);
    let word = |value| Word::from_signed(64, value);
    let node_of = |value, next| Datum::Aggregate(vec![Datum::Word(word(value)), next]);
    let after = |value, next| Seen::Aggregate(vec![Seen::Word(word(value)), next]);
    let last = s.object(node, vec![node_of(2, Datum::Null)], Some(vec![after(2, Seen::Null)]));
    let first = after(1, Seen::Input { object: 0, offset: 0 });
    let first = s.object(node, vec![node_of(1, last)], Some(vec![first]));
    s.test(count, vec![first], Some(Seen::Word(word(2))), |_, _| {});
    check(
        &s,
        &[
            "node next = {.value = 2};",
            "node list = {.value = 1, .next = &next};",
            "TEST_ASSERT_EQUAL_INT64(2, count(&list));",
            "TEST_ASSERT_EQUAL_INT64(2, next.value);",
            "TEST_ASSERT_NULL(next.next);",
            "TEST_ASSERT_EQUAL_INT64(1, list.value);",
            "TEST_ASSERT_EQUAL_PTR(&next, list.next);",
        ],
    );
    assert!(
        s.file().contains("typedef struct node node;\nstruct node { long value; node *next; };\n"),
        "{}",
        s.file()
    );
}

#[test]
fn pointers_to_pointers() {
    let mut s = Sketch::default();
    let char = s.char();
    let (string, constant) = (s.pointer(char, false), s.pointer(char, true));
    let strings = s.pointer(string, false);
    let split = s.function("split", &[("stringp", strings), ("delim", constant)], Some(string), &[], &[]);
    let text = s.text(b"a,b\0", Some(b"a\0b\0"));
    let stringp = s.object(string, vec![text], Some(vec![Seen::Input { object: 0, offset: 2 }]));
    let delim = s.text(b",\0", None);
    s.test(split, vec![stringp, delim], Some(Seen::Input { object: 0, offset: 0 }), |_, _| {});
    check(
        &s,
        &[
            r#"char text[] = "a,b";"#,
            "char *stringp = text;",
            r#"TEST_ASSERT_EQUAL_PTR(text, split(&stringp, ","));"#,
            r#"TEST_ASSERT_EQUAL_MEMORY("a\0b", text, 4);"#,
            "TEST_ASSERT_EQUAL_PTR(&text[2], stringp);",
        ],
    );
    assert!(s.file().contains("char *split(char **stringp, const char *delim);\n"));
    assert_eq!(s.names(), ["test_split_a_comma_b_comma"]);
}

#[test]
fn floats_are_compared_exactly() {
    let mut s = Sketch::default();
    let double = s.double();
    let half = s.function("half", &[("x", double)], Some(double), &[], &[]);
    let word = |value: f64| Word::new(64, value.to_bits().into());
    let mut case = |x: f64, y: f64, expect: &[&str]| {
        s.test(half, vec![Datum::Word(word(x))], Some(Seen::Word(word(y))), |_, _| {});
        check(&s, expect);
    };
    case(1.0, 0.5, &["TEST_ASSERT_TRUE(0.5 == half(1.0));"]);
    case(f64::NAN, f64::NAN, &["TEST_ASSERT_TRUE(isnan(half(NAN)));"]);
    case(f64::INFINITY, f64::INFINITY, &["TEST_ASSERT_TRUE(INFINITY == half(INFINITY));"]);
    case(
        -0.0,
        -0.0,
        &[
            "double result = half(-0.0);",
            "TEST_ASSERT_TRUE(-0.0 == result);",
            "TEST_ASSERT_TRUE(signbit(result));",
        ],
    );
    assert!(s.file().contains("#include <math.h>\n"));
    assert_eq!(s.names()[..2], ["test_half_1_0".to_string(), "test_half_nan".to_string()]);
}

#[test]
fn what_the_subject_frees_comes_from_the_heap() {
    let mut s = Sketch::default();
    let (char, int) = (s.char(), s.int());
    let (string, numbers) = (s.pointer(char, false), s.pointer(int, false));
    let node = s.record("struct node", false, &[("value", int, None), ("next", int, None)]);
    let next = s.pointer(node, false);
    s.tie(node, 1, next);
    let list_free = s.function("list_free", &[("head", next)], None, &[], &[]);
    let last = s.object(node, vec![Datum::Aggregate(vec![given(2), Datum::Null])], Some(vec![]));
    let head = s.object(node, vec![Datum::Aggregate(vec![given(1), last])], Some(vec![]));
    s.test(list_free, vec![head], None, |_, seen| seen.freed = vec![0, 1]);
    check(
        &s,
        &[
            "struct node *next = malloc(sizeof *next);",
            "*next = (struct node){.value = 2};",
            "struct node *head = malloc(sizeof *head);",
            "*head = (struct node){.value = 1, .next = next};",
            "list_free(head);",
        ],
    );
    let release = s.function("release", &[("s", string), ("a", numbers), ("z", numbers)], None, &[], &[]);
    let text = s.text(b"ab\0", Some(b""));
    let (some, zeros) = (s.ints(&[1, 2], Some(&[])), s.ints(&[0; 6], Some(&[])));
    s.test(release, vec![text, some, zeros], None, |_, seen| seen.freed = vec![0, 1, 2]);
    check(
        &s,
        &[
            "char *s = malloc(3);",
            r#"memcpy(s, "ab", 3);"#,
            "int *a = malloc(2 * sizeof *a);",
            "memcpy(a, (int[]){1, 2}, 2 * sizeof *a);",
            "int *z = calloc(6, sizeof *z);",
            "release(s, a, z);",
        ],
    );
    assert!(s.file().contains("#include <stdlib.h>\n#include <string.h>\n"));
}

#[test]
fn objects_are_freed_from_the_inside_out_and_each_once() {
    let mut s = Sketch::default();
    let char = s.char();
    let text = s.pointer(char, false);
    let pair = s.record("struct pair", false, &[("one", text, None), ("other", text, None)]);
    let pointer = s.pointer(pair, false);
    let make = s.function("make", &[], Some(pointer), &[], &[]);
    let block = |block, size, elements| Seen::Fresh(Fresh { block, offset: 0, size, elements });
    let shared = block(1, 2, letters(b"a\0"));
    let made = block(0, 16, vec![Seen::Aggregate(vec![shared.clone(), shared.clone()])]);
    let frees = |s: &Sketch| s.last().into_iter().filter(|line| line.contains("free(")).collect::<Vec<_>>();
    s.test(make, vec![], Some(made.clone()), |_, _| {});
    assert_eq!(frees(&s), ["free(result->one);", "free(result);"]);
    // What the unit keeps is its own.
    let kept = s.global("kept", text, &[0; 8], false);
    s.test(make, vec![], Some(made), |_, seen| seen.hidden = vec![(kept, shared)]);
    assert_eq!(frees(&s), ["free(result);"]);
}

#[test]
fn a_test_for_a_sanitizer_touches_all_that_was_made() {
    let mut s = Sketch::default();
    let int = s.int();
    let numbers = s.pointer(int, false);
    let make = s.function("make", &[], Some(numbers), &[], &[]);
    let touched = |s: &mut Sketch, elements: Vec<Seen>| {
        s.test(make, vec![], Some(fresh(4, elements)), |_, _| {});
        s.tests.last_mut().unwrap().soft = true;
        s.last().into_iter().find(|line| line.contains("memset("))
    };
    assert_eq!(touched(&mut s, vec![seen(1), Seen::Undefined]), Some("memset(result, 0, 8);".to_string()));
    assert_eq!(touched(&mut s, vec![seen(1), seen(2)]), None);
}

#[test]
fn memory_from_the_heap_is_looked_at_and_freed() {
    let mut s = Sketch::default();
    let (char, int) = (s.char(), s.int());
    let (string, numbers) = (s.pointer(char, false), s.pointer(int, false));
    let copy = s.function("copy", &[], Some(string), &[], &[]);
    s.test(copy, vec![], Some(fresh(1, [letters(b"ab\0"), vec![Seen::Undefined]].concat())), |_, _| {});
    check(&s, &["char *result = copy();", r#"TEST_ASSERT_EQUAL_STRING("ab", result);"#, "free(result);"]);
    let fill = s.function("fill", &[], Some(numbers), &[], &[]);
    s.test(fill, vec![], Some(fresh(4, vec![seen(1), Seen::Undefined, seen(3)])), |_, _| {});
    check(
        &s,
        &[
            "int *result = fill();",
            "TEST_ASSERT_NOT_NULL(result);",
            "TEST_ASSERT_EQUAL_INT(1, result[0]);",
            "TEST_ASSERT_EQUAL_INT(3, result[2]);",
            "free(result);",
        ],
    );
}

#[test]
fn a_string_of_the_program_is_compared_as_text() {
    let mut s = Sketch::default();
    let (char, int) = (s.char(), s.int());
    let literal = s.array(char, 5);
    let string = s.pointer(char, true);
    let even = s.global(".str", literal, b"even\0", false);
    let parity = s.function("parity", &[("x", int)], Some(string), &[], &[]);
    s.test(parity, vec![given(2)], Some(Seen::Global { global: even, offset: 0 }), |_, _| {});
    check(&s, &["const char *result = parity(2);", r#"TEST_ASSERT_EQUAL_STRING("even", result);"#]);
}

#[test]
fn functions_are_passed_by_name() {
    let mut s = Sketch::default();
    let int = s.int();
    let of = s.of(ir::Type::Function { parameters: vec![int], result: Some(int), variadic: false });
    let pointer = s.pointer(of, false);
    let twice = s.function("twice", &[("x", int)], Some(int), &[], &[]);
    let apply = s.function("apply", &[("f", pointer), ("x", int)], Some(int), &[], &[]);
    s.test(apply, vec![Datum::Function(twice), given(2)], Some(seen(4)), |_, _| {});
    check(&s, &["TEST_ASSERT_EQUAL_INT(4, apply(twice, 2));"]);
    assert!(s.file().contains("int twice(int x);\nint apply(int (*f)(int), int x);\n"));
}

#[test]
fn globals_are_set_before_and_checked_after() {
    let mut s = Sketch::default();
    let int = s.int();
    let table = s.array(int, 3);
    let count = s.global("count", int, &[7, 0, 0, 0], true);
    let seats = s.global("seats", table, &[0; 12], true);
    let enter = s.function("enter", &[], None, &[], &[count, seats]);
    s.test(enter, vec![], None, |input, observation| {
        input.globals.push((count, given(1)));
        observation.globals.push((count, seen(2)));
    });
    check(
        &s,
        &[
            "count = 1;",
            "enter();",
            "TEST_ASSERT_EQUAL_INT(2, count);",
            "TEST_ASSERT_EACH_EQUAL_INT(0, seats, 3);",
        ],
    );
    let file = s.file();
    assert!(file.contains("extern int count;\nextern int seats[3];\n"), "{file}");
    assert!(
        file.contains("void setUp(void)\n{\n    count = 7;\n    memset(&seats, 0, sizeof seats);\n}\n"),
        "{file}"
    );
}

#[test]
fn stubs_replay_results_and_note_calls() {
    let mut s = Sketch::default();
    let (int, char) = (s.int(), s.char());
    let string = s.pointer(char, true);
    let read = s.external("read_sensor", &[int], Some(int), false);
    let sum = s.function("sum", &[], Some(int), &[read], &[]);
    let call = |external, argument| SeenCall { external, arguments: vec![argument], beyond: vec![] };
    s.test(sum, vec![], Some(seen(9)), |input, observation| {
        input.results.push((read, vec![given(4), given(5)]));
        observation.calls = vec![call(read, seen(0)), call(read, seen(1))];
    });
    check(
        &s,
        &[
            "read_sensor_results[0] = 4;",
            "read_sensor_results[1] = 5;",
            "TEST_ASSERT_EQUAL_INT(9, sum());",
            "TEST_ASSERT_EQUAL_INT(2, read_sensor_count);",
            "TEST_ASSERT_EQUAL_INT(0, read_sensor_calls[0].argument);",
            "TEST_ASSERT_EQUAL_INT(1, read_sensor_calls[1].argument);",
        ],
    );
    let log = s.external("log_text", &[string], None, false);
    let note = s.function("note_it", &[], None, &[log, read], &[]);
    s.test(note, vec![], None, |_, observation| {
        observation.calls = vec![call(log, Seen::Text(b"hi".to_vec()))]
    });
    check(
        &s,
        &[
            "note_it();",
            r#"TEST_ASSERT_EQUAL_STRING("log_text ", calls);"#,
            r#"TEST_ASSERT_EQUAL_STRING("hi", log_text_calls[0].argument);"#,
        ],
    );
}

#[test]
fn what_is_printed_is_compared_as_text() {
    let mut s = Sketch::default();
    let (int, char) = (s.int(), s.char());
    let string = s.pointer(char, true);
    let printf = s.external("printf", &[string], Some(int), true);
    let show = s.function("show", &[("x", int)], Some(int), &[printf], &[]);
    s.test(show, vec![given(3)], Some(seen(0)), |_, observation| {
        observation.printed[0].text = b"x = 3\n".to_vec();
    });
    check(
        &s,
        &[
            "capture(stdout);",
            "int result = show(3);",
            r#"TEST_ASSERT_EQUAL_STRING("x = 3\n", printed(stdout));"#,
            "TEST_ASSERT_EQUAL_INT(0, result);",
        ],
    );
}

#[test]
fn a_variable_never_hides_what_the_test_needs() {
    let mut s = Sketch::default();
    let int = s.int();
    let pointer = s.pointer(int, false);
    let twin = s.function("twin", &[("twin", pointer), ("expected", pointer)], None, &[], &[]);
    let one = s.ints(&[1, 2], Some(&[1, 2]));
    let other = s.ints(&[3, 4], Some(&[3, 4]));
    s.test(twin, vec![one, other], None, |_, _| {});
    check(
        &s,
        &[
            "int twin_2[] = {1, 2};",
            "int expected[] = {3, 4};",
            "twin(twin_2, expected);",
            "const int expected_twin_2[] = {1, 2};",
            "TEST_ASSERT_EQUAL_INT_ARRAY(expected_twin_2, twin_2, 2);",
            "const int expected_expected[] = {3, 4};",
            "TEST_ASSERT_EQUAL_INT_ARRAY(expected_expected, expected, 2);",
        ],
    );
}

#[test]
fn long_lists_are_folded() {
    let mut s = Sketch::default();
    let int = s.int();
    let pointer = s.pointer(int, true);
    let sum = s.function("sum", &[("a", pointer)], None, &[], &[]);
    let numbers: Vec<i32> = (1_000_000..1_000_020).collect();
    let a = s.ints(&numbers, None);
    s.test(sum, vec![a], None, |_, _| {});
    assert!(s.file().lines().all(|line| line.len() <= crate::fold::WIDTH), "{}", s.file());
}

#[test]
fn tests_that_include_the_file_repeat_nothing_of_it() {
    let mut s = Sketch::default();
    let int = s.int();
    let half = s.function("half", &[("x", int)], Some(int), &[], &[]);
    s.test(half, vec![given(4)], Some(seen(2)), |_, _| {});
    assert!(s.file().contains("int half(int x);"), "{}", s.file());
    s.inside = true;
    let file = s.file();
    assert!(file.contains("#include \"unit.c\"\n\n#include \"unity.h\"\n\nvoid setUp"), "{file}");
    assert!(file.contains("cc -I. test_unit_inside.c unity.c\n"), "{file}");
    assert!(!file.contains("int half(int x);"), "{file}");
}

#[test]
fn main_goes_by_another_name() {
    let mut s = Sketch::default();
    let int = s.int();
    let main = s.function("main", &[], Some(int), &[], &[]);
    s.test(main, vec![], Some(seen(2)), |_, _| {});
    assert!(s.file().contains("\nint program_main(void);\n"), "{}", s.file());
    check(&s, &["TEST_ASSERT_EQUAL_INT(2, program_main());"]);
}
