//! What the sequence looks like for the shapes of signatures that C programs have.

use ir::{Datum, FunctionId, Input, Program, Space, Type, TypeId, parse};

use crate::inputs::{edges, sequence};

const STRING: &str = r#"pointer "const char *" constant to s8 "char""#;
const BUFFER: &str = r#"pointer "char *" to s8 "char""#;
const INTS: &str = r#"pointer "int *" to s32 "int""#;
const INT: &str = r#"s32 "int""#;
const DOUBLE: &str = r#"f64 "double""#;

/// A program whose first function takes these, and returns at once.
fn program(parameters: &[&str]) -> Program {
    with_body(parameters, "block0: return", "")
}

fn with_body(parameters: &[&str], body: &str, more: &str) -> Program {
    let listed: Vec<String> =
        parameters.iter().enumerate().map(|(at, of)| format!("%{at} p{at}: {of}")).collect();
    let text = format!("{more}\nfunction @f({}) {{ {body} }}", listed.join(", "));
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn inputs(program: &Program, space: &Space, count: usize) -> Vec<Input> {
    let function = program.named("f").unwrap();
    sequence(program, function, space).take(count).collect()
}

/// An input in a line: `"ab" 2` is a string and a number.
fn show(program: &Program, function: FunctionId, input: &Input) -> String {
    let parameters = &program.function(function).signature.parameters;
    let arguments = parameters.iter().zip(&input.arguments);
    let mut shown: Vec<String> =
        arguments.map(|(parameter, datum)| show_datum(program, parameter.of, datum, input)).collect();
    for (global, datum) in &input.globals {
        let global = program.global(*global);
        shown.push(format!("{}={}", global.name, show_datum(program, global.of, datum, input)));
    }
    for (external, results) in &input.results {
        let external = program.external(*external);
        let of = external.result.unwrap();
        let results: Vec<String> =
            results.iter().map(|datum| show_datum(program, of, datum, input)).collect();
        shown.push(format!("{}=>{}", external.name, results.join(",")));
    }
    shown.join(" ")
}

fn show_datum(program: &Program, of: TypeId, datum: &Datum, input: &Input) -> String {
    match (program.of(of), datum) {
        (Type::Float(_), Datum::Word(word)) => format!("{:?}", bv::float::value(*word)),
        (_, Datum::Word(word)) => word.signed().to_string(),
        (_, Datum::Null) => "null".to_string(),
        (_, Datum::Function(function)) => program.function(*function).name.clone(),
        (_, Datum::Pointer { object, element }) => {
            let object = &input.objects[*object as usize];
            let elements = show_elements(program, object.of, &object.elements, input);
            if *element == 0 { elements } else { format!("{elements}+{element}") }
        }
        (Type::Array { of, .. }, Datum::Aggregate(parts)) => show_elements(program, *of, parts, input),
        (Type::Record(record), Datum::Aggregate(parts)) => {
            let fields = program.parts(record).into_iter().zip(parts);
            let parts: Vec<String> =
                fields.map(|(field, part)| show_datum(program, field.of, part, input)).collect();
            format!("{{{}}}", parts.join(" "))
        }
        (_, Datum::Aggregate(_)) => "?".to_string(),
    }
}

/// A text loses its end; one without an end shows a `\`.
fn show_elements(program: &Program, of: TypeId, elements: &[Datum], input: &Input) -> String {
    if matches!(program.of(of), Type::Integer(scalar) if scalar.name == "char") {
        let bytes: Vec<u8> = elements.iter().map(|datum| datum.word().unwrap().bits() as u8).collect();
        return match bytes.strip_suffix(&[0]) {
            Some(text) => format!("\"{}\"", text.escape_ascii()),
            None => format!("\"{}\\", bytes.escape_ascii()),
        };
    }
    let elements: Vec<String> = elements.iter().map(|datum| show_datum(program, of, datum, input)).collect();
    format!("[{}]", elements.join(" "))
}

/// The sequence begins with these.
fn check_first(parameters: &[&str], expect: &[&str]) {
    let program = program(parameters);
    let shown: Vec<String> = inputs(&program, &Space::default(), expect.len())
        .iter()
        .map(|input| show(&program, FunctionId(0), input))
        .collect();
    assert_eq!(shown, expect);
}

/// So many of the first thousand inputs, in per cent, are like this.
fn check_share(
    program: &Program,
    space: &Space,
    expect: std::ops::Range<usize>,
    like: impl Fn(&Input) -> bool,
) {
    let inputs = inputs(program, space, 1000);
    let share = 100 * inputs.iter().filter(|input| like(input)).count() / inputs.len();
    assert!(expect.contains(&share), "{share} per cent");
}

/// Among the first inputs there is this one.
fn check_found(program: &Program, space: &Space, expect: &str) {
    let function = program.named("f").unwrap();
    let found = inputs(program, space, 2000).iter().any(|input| show(program, function, input) == expect);
    assert!(found, "there is no {expect}");
}

/// The elements of the object that an argument points to.
fn elements(input: &Input, argument: usize) -> &[Datum] {
    match &input.arguments[argument] {
        Datum::Pointer { object, .. } => &input.objects[*object as usize].elements,
        _ => &[],
    }
}

fn number(input: &Input, argument: usize) -> i128 {
    input.arguments[argument].word().unwrap().signed()
}

fn is_terminated(input: &Input, argument: usize) -> bool {
    elements(input, argument).iter().any(|datum| datum.word().unwrap().is_zero())
}

#[test]
fn the_simplest_come_first() {
    check_first(&[INT], &["0", "1", "2", "-1", "3"]);
    check_first(&[INT, INT], &["0 0", "0 1", "1 0", "1 1", "0 2"]);
    check_first(&[DOUBLE], &["0.0", "1.0", "-1.0", "0.5", "2.0", "-0.0", "NaN", "inf"]);
    check_first(&[STRING], &[r#""""#, "null", r#""a""#, r#""0""#, r#""ab""#, r#""b""#]);
    check_first(&[INTS, INT], &["[0] 0", "null 0", "[0] 1", "[1] 0", "[1] 1"]);
    check_first(&[BUFFER], &[r#""""#, "null", r#""a""#, r#""0""#, r#""\x00\x00\x00\x00\x00\x00\x00""#]);
    check_first(
        &[r#"pointer "struct p *" to struct "struct p" 8 { x: s32 "int" at 0, y: s32 "int" at 32 }"#],
        &["[{0 0}]", "null", "[{1 1}]"],
    );
    check_first(&[r#"pointer "char **" to pointer "char *" to s8 "char""#], &[r#"[""]"#, "null", r#"["a"]"#]);
}

#[test]
fn it_is_the_same_every_time_and_never_repeats() {
    let program = program(&[BUFFER, STRING, INT]);
    let first = inputs(&program, &Space::default(), 3000);
    assert_eq!(first, inputs(&program, &Space::default(), 3000));
    let distinct: std::collections::HashSet<&Input> = first.iter().collect();
    assert_eq!((first.len(), distinct.len()), (3000, 3000));
}

#[test]
fn it_ends_when_there_is_nothing_new() {
    assert_eq!(inputs(&program(&[]), &Space::default(), 100).len(), 1);
    assert_eq!(inputs(&program(&[r#"u1 "_Bool""#]), &Space::default(), 100).len(), 2);
    let nothing_but_null = Space { depth: 0, ..Space::default() };
    assert_eq!(inputs(&program(&[STRING]), &nothing_but_null, 100).len(), 1);
}

#[test]
fn objects_have_as_many_elements_as_the_space_allows() {
    for size in [1, 2, 8, 300] {
        let program = program(&[BUFFER, INTS]);
        let space = Space { size, ..Space::default() };
        let all = inputs(&program, &space, 2000);
        let lengths =
            all.iter().flat_map(|input| input.objects.iter().map(|object| object.elements.len() as u32));
        let (least, most) =
            lengths.fold((u32::MAX, 0), |(least, most), length| (least.min(length), most.max(length)));
        assert_eq!(least, 1);
        assert!(most <= size && most >= size.min(250), "{most} of {size}");
    }
}

#[test]
fn null_is_rare() {
    let program = program(&[STRING, INTS]);
    check_share(&program, &Space::default(), 1..10, |input| input.arguments.contains(&Datum::Null));
}

#[test]
fn most_strings_end() {
    let (program, space) = (program(&[STRING]), Space::default());
    check_share(&program, &space, 85..99, |input| is_terminated(input, 0));
}

#[test]
fn sizes_fit() {
    let (program, space) = (program(&[INTS, INT]), Space::default());
    check_share(&program, &space, 30..60, |input| elements(input, 0).len() as i128 == number(input, 1));
    check_share(&program, &space, 5..20, |input| elements(input, 0).len() as i128 + 1 == number(input, 1));
    check_share(&program, &space, 15..45, |input| {
        (0..elements(input, 0).len() as i128).contains(&number(input, 1))
    });
}

#[test]
fn what_is_searched_is_often_there() {
    let (program, space) = (program(&[INTS, INT, INT]), Space::default());
    check_share(&program, &space, 20..60, |input| elements(input, 0).contains(&input.arguments[2]));
}

#[test]
fn arrays_are_sorted_at_times() {
    let (program, space) = (program(&[INTS]), Space::default());
    check_share(&program, &space, 20..70, |input| {
        elements(input, 0).len() > 2
            && elements(input, 0).is_sorted_by_key(|datum| datum.word().unwrap().signed())
    });
}

#[test]
fn two_strings_are_alike() {
    let (program, space) = (program(&[STRING, STRING]), Space::default());
    check_share(&program, &space, 8..40, |input| elements(input, 0) == elements(input, 1));
    check_share(&program, &space, 20..60, |input| {
        let both = [elements(input, 0), elements(input, 1)];
        both.iter().all(|text| text.len() > 1) && both[0][0] == both[1][0]
    });
}

#[test]
fn positions_in_a_struct_are_within_its_array() {
    let queue = r#"pointer "struct q *" to struct "struct q" 44 { items: array 8 of s32 "int" at 0,
        head: s32 "int" at 256, count: s32 "int" at 288 }"#;
    check_share(&program(&[queue]), &Space::default(), 55..95, |input| {
        elements(input, 0).iter().all(|queue| match queue {
            Datum::Aggregate(parts) => {
                parts[1..].iter().all(|part| (0..=8).contains(&part.word().unwrap().signed()))
            }
            _ => false,
        })
    });
}

#[test]
fn pointers_are_followed_as_deep_as_the_space_says() {
    let list = r#"type 0 = s32 "int"
        type 1 = struct "struct node" 16 { value: type 0 at 0, next: type 2 at 64 }
        type 2 = pointer "struct node *" to type 1"#;
    let program = with_body(&["type 2"], "block0: return", list);
    check_found(&program, &Space::default(), "[{0 null}]");
    check_found(&program, &Space::default(), "[{1 [{1 null}]}]");
    let deeper = Space { depth: 3, ..Space::default() };
    check_found(&program, &deeper, "[{1 [{1 [{1 null}]}]}]");
}

#[test]
fn objects_are_shared_where_the_space_allows() {
    let (program, space) = (program(&[INTS, INTS]), Space::default());
    let shares = |input: &Input| match &input.arguments[..] {
        [Datum::Pointer { object, .. }, Datum::Pointer { object: other, .. }] => object == other,
        _ => false,
    };
    check_share(&program, &space, 0..1, shares);
    let may_alias = Space { may_alias: vec![(0, 1)], ..space };
    check_share(&program, &may_alias, 25..75, shares);
    check_found(&program, &may_alias, "[1 2] [1 2]+1");
}

#[test]
fn a_pointer_to_a_function_leads_to_one_of_its_type() {
    let functions = r#"function @same(%0 a: s32 "int") -> s32 "int" { block0: return %0 }
        function @other(%0 a: s32 "int") { block0: return }"#;
    let pointer = r#"pointer "int (*)(int)" to function (s32 "int") -> s32 "int""#;
    let program = with_body(&[pointer], "block0: return", functions);
    let shown: Vec<String> = inputs(&program, &Space::default(), 10)
        .iter()
        .map(|input| show(&program, program.named("f").unwrap(), input))
        .collect();
    assert_eq!(shown, ["same", "null"]);
}

#[test]
fn what_the_program_mentions_is_tried() {
    let space = Space::default();
    let compares = with_body(&[INT], "block0: %1:i1 = eq %0, 4711:i32 return", "");
    check_found(&compares, &space, "4711");
    check_found(&compares, &space, "4712");
    let floats = with_body(&[DOUBLE], "block0: %1:i1 = flt %0, 4612811918334230528:i64 return", "");
    check_found(&floats, &space, "2.5");
    let characters = with_body(&[STRING], "block0: %1:i8 = load.i8 %0 %2:i1 = eq %1, 59:i8 return", "");
    check_found(&characters, &space, r#"";""#);
    let literal = r#"global @word: array 5 of s8 "char" = "stop\u{0}" constant static"#;
    let word = with_body(&[STRING], "block0: %1:i8 = load.i8 @word return", literal);
    check_found(&word, &space, r#""stop""#);
}

#[test]
fn every_number_that_is_mentioned_stands_once_in_every_place() {
    let compare = |at: u32| format!("%{}:i1 = sgt %0, {}:i32 ", at + 1, 1000 * at);
    let compares: String = (1..=40).map(compare).collect();
    let program = with_body(&[INT, INTS], &format!("block0: {compares} return"), "");
    let space = Space::default();
    let inputs: Vec<Input> = edges(&program, program.named("f").unwrap(), &space).collect();
    assert_eq!(inputs.len(), 40 * 3 * 2);
    let mut in_arrays = 0;
    for value in (1..=40).flat_map(|at| [-1, 0, 1].map(|off| 1000 * at + off)) {
        assert!(inputs.iter().any(|input| number(input, 0) == value), "{value}");
        let is_there = |datum: &Datum| datum.word().is_some_and(|word| word.signed() == value);
        in_arrays += usize::from(inputs.iter().any(|input| elements(input, 1).iter().any(is_there)));
    }
    // A pointer is null now and then.
    assert!(in_arrays > 100, "{in_arrays} of 120");
}

#[test]
fn globals_and_results_are_inputs_if_they_matter() {
    let outside = r#"global @limit: s32 "int" = zero 4
        external @read() -> s32 "int"
        external @puts(pointer "const char *" constant to s8 "char") -> s32 "int" prints"#;
    let body = "block0: %1:i32 = external @read() %2:i32 = external @puts() return";
    let program = with_body(&[INT], body, outside);
    check_found(&program, &Space::default(), "0");
    check_found(&program, &Space::default(), "0 read=>1");
    check_share(&program, &Space::default(), 20..60, |input| {
        let last = input.results.first().and_then(|(_, results)| results.last());
        last.is_some_and(|datum| datum.word().unwrap().signed() == -1)
    });
    let space = Space { globals: vec![ir::GlobalId(0)], ..Space::default() };
    check_found(&program, &space, "0 limit=1");
}

#[test]
fn every_input_fits_its_types() {
    let types = r#"type 0 = s32 "int"
        type 1 = struct "struct all" 56 { flag: type 0 at 0 bits 3, rest: type 0 at 3 bits 13, next: type 2 at 64,
            either: type 3 at 128, name: type 5 at 192, mark: type 6 at 256, points: type 8 at 320, ratio: type 9 at 384 }
        type 2 = pointer "struct all *" to type 1
        type 3 = union "union either" 8 { number: type 0 at 0, text: type 4 at 0 }
        type 4 = pointer "const char *" constant to type 7
        type 5 = array 4 of type 7
        type 6 = u1 "_Bool"
        type 7 = s8 "char"
        type 8 = array 2 of type 0
        type 9 = f32 "float"
        type 10 = pointer "void *" untyped to type 11
        type 11 = u8 "unsigned char"
        type 12 = pointer "long double *" to type 13
        type 13 = opaque "long double" 16"#;
    let program = with_body(&["type 2", "type 10", "type 12", "type 6"], "block0: return", types);
    let may_alias = vec![(0, 1), (1, 2)];
    for space in [Space::default(), Space { size: 1, depth: 4, may_alias, ..Space::default() }] {
        for input in inputs(&program, &space, 2000) {
            let run = ir::run(&program, FunctionId(0), ir::Mutant::ORIGINAL, &input, 10);
            assert!(matches!(run.outcome, ir::Outcome::Returned(_)), "{:?}", run.outcome);
        }
    }
}
