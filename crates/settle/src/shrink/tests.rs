//! Small programs with a mutant each, an input that kills it, and what is left of that.

use bv::{Word, float};
use ir::{Datum, ExternalId, FunctionId, Input, Mutant, Object, Program, Type, TypeId, parse};

use crate::{Limits, Shown, complexity, kills_all, replay, shrink};

#[derive(Clone, Copy)]
enum Part<'a> {
    Int(i128),
    Real(f64),
    Null,
    Ints(&'a [i128]),
    /// With its end, where it has one.
    Text(&'a [u8]),
    /// The same object as the argument before.
    Same,
}

use Part::{Int, Ints, Null, Real, Same, Text};

fn input(program: &Program, parts: &[Part]) -> Input {
    let parameters = &program.function(FunctionId(0)).signature.parameters;
    let mut input = Input::default();
    for (part, parameter) in parts.iter().zip(parameters) {
        let elements: Vec<i128> = match part {
            Int(value) => {
                let width = program.width(parameter.of).unwrap();
                input.arguments.push(Datum::Word(Word::from_signed(width, *value)));
                continue;
            }
            Real(value) => {
                input.arguments.push(Datum::Word(float::word(program.width(parameter.of).unwrap(), *value)));
                continue;
            }
            Null => {
                input.arguments.push(Datum::Null);
                continue;
            }
            Same => {
                let same = input.arguments.last().cloned();
                input.arguments.extend(same);
                continue;
            }
            Ints(values) => values.to_vec(),
            Text(bytes) => bytes.iter().map(|byte| i128::from(*byte)).collect(),
        };
        let Type::Pointer(pointer) = program.of(parameter.of) else { panic!("no pointer") };
        let width = program.width(pointer.to).unwrap();
        let elements = elements.iter().map(|value| Datum::Word(Word::from_signed(width, *value))).collect();
        input.arguments.push(Datum::Pointer { object: input.objects.len() as u32, element: 0 });
        input.objects.push(Object { of: pointer.to, elements, constant: pointer.constant });
    }
    input
}

/// Mutant 1 of the program is killed by the first input; the second is what is left.
fn check(text: &str, before: &[Part], expect: &[Part]) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let before = input(&program, before);
    assert!(kills(&program, &before), "this is no kill to begin with");
    assert_eq!(shrunk(&program, &before), input(&program, expect));
}

fn kills(program: &Program, input: &Input) -> bool {
    kills_all(program, FunctionId(0), input, &[Mutant(1)], Limits::default())
}

fn shrunk(program: &Program, before: &Input) -> Input {
    let input = shrink(program, FunctionId(0), &[Mutant(1)], before, Limits::default());
    assert!(kills(program, &input));
    let weight = |input: &Input| complexity(program, FunctionId(0), input);
    assert!(weight(&input) <= weight(before));
    input
}

/// The sum of an array, where the mutant changes what is done with an element, or when it ends.
fn sum(condition: &str, addition: &str) -> String {
    format!(
        r#"function @f(%0 a: pointer "const int *" constant to s32 "int", %1 n: s32 "int") -> s32 "int" {{
        block0: jump block1(0:i32, 0:i32)
        block1(%2:i32, %3:i32): %4:i1 = site 0(%2, %1) branch %4, block2, block3
        block2: %5:i64 = sext.i64 %2 %6:i64 = mul %5, 4:i64 %7:i64 = offset %0, %6 %8:i32 = load.i32 %7
            %9:i32 = site 1(%3, %8) %10:i32 = add %2, 1:i32 jump block1(%10, %9)
        block3: return %3 }}
        site 0(%0:i32, %1:i32) -> i1 {{ original: %2 = slt %0, %1 return %2 {condition} }}
        site 1(%0:i32, %1:i32) -> i32 {{ original: %2 = add nsw %0, %1 return %2 {addition} }}"#
    )
}

/// How many characters of a text are an `x`.
fn count(variant: &str) -> String {
    format!(
        r#"function @f(%0 s: pointer "const char *" constant to s8 "char") -> s32 "int" {{
        block0: jump block1(%0, 0:i32)
        block1(%1:i64, %2:i32): %3:i8 = load.i8 %1 %4:i1 = eq %3, 0:i8 branch %4, block3, block2
        block2: %5:i1 = site 0(%3) %6:i32 = zext.i32 %5 %7:i32 = add nsw %2, %6 %8:i64 = offset %1, 1:i64
            jump block1(%8, %7)
        block3: return %2 }}
        site 0(%0:i8) -> i1 {{ original: %1 = eq %0, 120:i8 return %1 {variant} }}"#
    )
}

#[test]
fn numbers_become_small() {
    let text = r#"function @f(%0 a: s32 "int", %1 b: s32 "int") -> u1 "_Bool" { block0: %2:i1 = site 0(%0, %1) return %2 }
        site 0(%0:i32, %1:i32) -> i1 { original: %2 = slt %0, %1 return %2 mutant 1: %2 = sle %0, %1 return %2 }"#;
    check(text, &[Int(-12345), Int(-12345)], &[Int(0), Int(0)]);
    check(text, &[Int(77), Int(77)], &[Int(0), Int(0)]);
    let text = r#"function @f(%0 x: s32 "int") -> u1 "_Bool" { block0: %1:i1 = site 0(%0) return %1 }
        site 0(%0:i32) -> i1 { original: %1 = sgt %0, 9:i32 return %1 mutant 1: return 0:i1 }"#;
    check(text, &[Int(1_000_003)], &[Int(10)]);
}

#[test]
fn floats_become_short() {
    let text = r#"function @f(%0 x: f64 "double") -> u1 "_Bool" { block0: %1:i1 = site 0(%0) return %1 }
        site 0(%0:i64) -> i1 { original: %1 = flt %0, 4609434218613702656:i64 return %1 mutant 1: return 1:i1 }"#;
    check(text, &[Real(3.1234)], &[Real(2.0)]);
    check(text, &[Real(f64::NAN)], &[Real(2.0)]);
    check(text, &[Real(1.5000000000001)], &[Real(2.0)]);
}

#[test]
fn an_array_and_its_size_shrink_together() {
    let subtracts = sum("", "mutant 1: %2 = sub %0, %1 return %2");
    check(&subtracts, &[Ints(&[5, 7, -9, 11]), Int(4)], &[Ints(&[1]), Int(1)]);
    check(&subtracts, &[Ints(&[0, 0, 0, 0, 0, 0, 3, 0]), Int(8)], &[Ints(&[1]), Int(1)]);
    let large = "mutant 1: %2 = sgt %1, 100:i32 %3 = ite %2, 1:i32, %1 %4 = add %0, %3 return %4";
    check(&sum("", large), &[Ints(&[5, 150, 7, 8]), Int(4)], &[Ints(&[111]), Int(1)]);
}

#[test]
fn a_mutant_that_returned_still_returns() {
    let one_more = sum("mutant 1: %2 = sle %0, %1 return %2", "");
    check(&one_more, &[Ints(&[4, 9, 3]), Int(1)], &[Ints(&[1]), Int(0)]);
    // Here it ran out of bounds from the start.
    check(&one_more, &[Ints(&[4, 9, 3]), Int(3)], &[Ints(&[0]), Int(1)]);
    let program = parse(&one_more).unwrap();
    let left = shrunk(&program, &input(&program, &[Ints(&[4, 9, 3]), Int(1)]));
    let killed = replay(&program, FunctionId(0), &left, &[Mutant(1)], Limits::default()).killed;
    assert_eq!(killed, [(Mutant(1), Shown::Plainly)]);
}

#[test]
fn texts_become_short_and_plain() {
    let other = count("mutant 1: %1 = ne %0, 120:i8 return %1");
    check(&other, &[Text(b"Hello, world\0")], &[Text(b"a\0")]);
    check(&other, &[Text(b"\xff\x80\0trash")], &[Text(b"a\0")]);
    check(&count("mutant 1: return 0:i1"), &[Text(b"12x45x\0")], &[Text(b"x\0")]);
    check(&count("mutant 1: %1 = ugt %0, 120:i8 return %1"), &[Text(b"@@z@\0\0\0")], &[Text(b"z\0")]);
}

#[test]
fn equal_values_shrink_together() {
    let text = r#"function @f(%0 s: pointer "const char *" constant to s8 "char", %1 c: s32 "int") -> u1 "_Bool" {
        block0: %2:i8 = load.i8 %0 %3:i32 = sext.i32 %2 %4:i1 = site 0(%3, %1) return %4 }
        site 0(%0:i32, %1:i32) -> i1 { original: %2 = eq %0, %1 return %2
        mutant 1: %2 = sle %0, 32:i32 %3 = eq %0, %1 %4 = and %2, %3 return %4 }"#;
    check(text, &[Text(b"qrs\0"), Int(113)], &[Text(b"a\0"), Int(97)]);
}

#[test]
fn texts_that_must_be_equal_shrink_together() {
    let equal = |variant: &str| {
        format!(
            r#"function @f(%0 s: pointer "const char *" constant to s8 "char", %1 t: pointer "char *" to s8 "char")
            -> s32 "int" {{
            block0: jump block1(0:i64)
            block1(%2:i64): %3:i64 = offset %0, %2 %4:i64 = offset %1, %2 %5:i8 = load.i8 %3 %6:i8 = load.i8 %4
                %7:i1 = eq %5, %6 branch %7, block2, block4(0:i32)
            block2: %8:i1 = eq %5, 0:i8 branch %8, block3, block5
            block3: %9:i32 = site 0(%2) jump block4(%9)
            block4(%10:i32): return %10
            block5: %11:i64 = add %2, 1:i64 jump block1(%11) }}
            site 0(%0:i64) -> i32 {{ original: return 1:i32 {variant} }}"#
        )
    };
    let longer = equal("mutant 1: %1 = ule %0, 1:i64 %2 = zext.i32 %1 return %2");
    check(&longer, &[Text(b"Hello\0"), Text(b"Hello\0\0\0")], &[Text(b"aa\0"), Text(b"aa\0")]);
    check(&longer, &[Text(b"12\0"), Text(b"12\0")], &[Text(b"aa\0"), Text(b"aa\0")]);
    check(&equal("mutant 1: return 0:i32"), &[Text(b"key\0"), Text(b"key\0")], &[Text(b"\0"), Text(b"\0")]);
}

#[test]
fn what_does_not_matter_is_left_out() {
    let text = r#"function @f(%0 p: pointer "int *" to s32 "int", %1 q: pointer "int *" to s32 "int") -> s32 "int" {
        block0: %2:i1 = eq %0, 0:i64 branch %2, block1, block2
        block1: return 0:i32
        block2: %3:i32 = load.i32 %0 %4:i32 = site 0(%3) return %4 }
        site 0(%0:i32) -> i32 { original: return %0 mutant 1: return 7:i32 }"#;
    check(text, &[Ints(&[8, 9]), Ints(&[1, 2, 3])], &[Ints(&[0]), Null]);
    check(text, &[Ints(&[8, 9]), Same], &[Ints(&[0]), Null]);
}

#[test]
fn a_char_that_does_not_matter_goes_without_saying() {
    let text = r#"type 0 = s8 "char"
        type 1 = s32 "int"
        type 2 = struct "struct pair" 8 { flag: type 0 at 0, id: type 1 at 32 }
        type 3 = pointer "struct pair *" to type 2
        function @f(%0 p: type 3) -> type 1 {
        block0: %1:i64 = offset %0, 4:i64 %2:i32 = load.i32 %1 %3:i32 = site 0(%2) return %3 }
        site 0(%0:i32) -> i32 { original: return %0 mutant 1: return 0:i32 }"#;
    let program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let pair = |flag: u8, id: i128| Input {
        arguments: vec![Datum::Pointer { object: 0, element: 0 }],
        objects: vec![Object {
            of: TypeId(2),
            elements: vec![Datum::Aggregate(vec![
                Datum::Word(Word::new(8, flag.into())),
                Datum::Word(Word::from_signed(32, id)),
            ])],
            constant: false,
        }],
        ..Input::default()
    };
    assert_eq!(shrunk(&program, &pair(b'x', 9)), pair(0, 1));
}

#[test]
fn pointers_are_parted_if_they_can_be() {
    let text = r#"function @f(%0 p: pointer "int *" to s32 "int", %1 q: pointer "int *" to s32 "int") -> s32 "int" {
        block0: %2:i32 = load.i32 %0 %3:i32 = load.i32 %1 %4:i32 = site 0(%2, %3) return %4 }
        site 0(%0:i32, %1:i32) -> i32 { original: %2 = or %0, %1 return %2 mutant 1: %2 = xor %0, %1 return %2 }"#;
    check(text, &[Ints(&[6]), Same], &[Ints(&[1]), Ints(&[1])]);
    let text = r#"function @f(%0 p: pointer "int *" to s32 "int", %1 q: pointer "int *" to s32 "int") -> s32 "int" {
        block0: store %0, 0:i32 store %1, 1:i32 %2:i32 = load.i32 %0 %3:i32 = site 0(%2) return %3 }
        site 0(%0:i32) -> i32 { original: return %0 mutant 1: return 0:i32 }"#;
    check(text, &[Ints(&[6]), Same], &[Ints(&[0]), Same]);
}

#[test]
fn results_that_nobody_needs_go() {
    let text = r#"external @read() -> s32 "int"
        function @f(%0 n: s32 "int") -> s32 "int" {
        block0: %1:i32 = external @read() %2:i32 = external @read() %3:i32 = site 0(%0, %2) return %3 }
        site 0(%0:i32, %1:i32) -> i32 { original: %2 = add %0, %1 return %2 mutant 1: %2 = sub %0, %1 return %2 }"#;
    let program = parse(text).unwrap();
    let results = |results: &[i128]| {
        let results = results.iter().map(|value| Datum::Word(Word::from_signed(32, *value))).collect();
        Input { results: vec![(ExternalId(0), results)], ..input(&program, &[Int(0)]) }
    };
    assert_eq!(shrunk(&program, &results(&[9, 8, 7, -1])), results(&[0, 1]));
}

#[test]
fn what_a_person_would_rather_read_weighs_less() {
    let text = format!("{} {}", count(""), r#"function @unused(%0 x: f64 "double") { block0: return }"#);
    let program = parse(&text).unwrap();
    let weight = |text: &[u8]| complexity(&program, FunctionId(0), &input(&program, &[Text(text)]));
    let ascending: [&[u8]; 8] = [b"\0", b"a\0", b"x\0", b"X\0", b"ab\0", b"ab", b"a\0\x80", b"abcdefgh\0"];
    assert!(ascending.is_sorted_by_key(|text| weight(text)), "{:?}", ascending.map(weight));
    let real = |value: f64| {
        let input = Input { arguments: vec![Datum::Word(float::word(64, value))], ..Input::default() };
        complexity(&program, FunctionId(1), &input)
    };
    let ascending = [0.0, 1.0, -1.0, 2.0, 10.0, 0.5, 1.5, -1.5, f64::NAN, 3.1234];
    assert!(ascending.is_sorted_by_key(|value| real(*value)), "{:?}", ascending.map(real));
}
