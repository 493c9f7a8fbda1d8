//! The border: types, doors, functions without a body, and output.

use ir::{Datum, Fault, Input, Mutant, Object, Outcome, Program, Seen, SeenCall, Stream, Type, TypeId};

use super::{FUEL, check_fault, check_unsupported, lifted, outcome};

/// A type as the table has it.
fn show(program: &Program, of: TypeId) -> String {
    match program.of(of) {
        Type::Integer(scalar) => {
            format!("{}:{}{}", scalar.name, if scalar.signed { 's' } else { 'u' }, scalar.width)
        }
        Type::Float(float) => format!("{}:f{}", float.name, float.width),
        Type::Pointer(pointer) => {
            let (constant, untyped) =
                (if pointer.constant { " const" } else { "" }, if pointer.untyped { " untyped" } else { "" });
            let to = match program.of(pointer.to) {
                Type::Record(record) => record.name.clone(),
                _ => show(program, pointer.to),
            };
            format!("{} -> {to}{constant}{untyped}", pointer.name)
        }
        Type::Array { of, count } => format!("{count} of {}", show(program, *of)),
        Type::Record(record) => {
            let field = |field: &ir::Field| match field.bits {
                Some(bits) => format!("{}@{}.{bits}", field.name, field.offset),
                None => format!("{}@{} {}", field.name, field.offset, show(program, field.of)),
            };
            let fields: Vec<String> = record.fields.iter().map(field).collect();
            let flexible = if record.flexible { " ..." } else { "" };
            format!("{} {}{{{}}}{flexible}", record.name, record.size, fields.join("; "))
        }
        Type::Function { parameters, result, variadic } => {
            let parameters: Vec<String> = parameters.iter().map(|of| show(program, *of)).collect();
            format!(
                "({}{}) -> {}",
                parameters.join(", "),
                if *variadic { ", ..." } else { "" },
                result.map_or("void".to_string(), |of| show(program, of))
            )
        }
        Type::Opaque { name, size } => format!("{name} {size}?"),
    }
}

/// The type of the parameter of `f`.
fn check_type(before: &str, parameter: &str, expect: &str) {
    let unit = lifted(&format!("{before}\nint f({parameter}) {{ return 0; }}"));
    let function = unit.program.function(unit.program.named("f").expect("it is defined"));
    assert_eq!(function.unsupported, None, "{parameter}");
    assert_eq!(show(&unit.program, function.signature.parameters[0].of), expect, "{parameter}");
}

#[test]
fn types_are_as_c_has_them() {
    check_type("", "const char *s", "const char * -> char:s8 const");
    check_type("", "char **s", "char ** -> char * -> char:s8");
    check_type("", "int a[3]", "int * -> int:s32");
    check_type("", "int a[][3]", "int (*)[3] -> 3 of int:s32");
    check_type("", "const int a[2][3]", "const int (*)[3] -> 3 of int:s32 const");
    check_type("", "void *p", "void * -> unsigned char:u8 untyped");
    check_type("struct q;", "const struct q *p", "const struct q * -> unsigned char:u8 const untyped");
    check_type("", "int *const *p", "int *const * -> int * -> int:s32 const");
    check_type("", "_Bool *p", "_Bool * -> _Bool:u1");
    check_type("", "double d", "double:f64");
    check_type("typedef float real;", "real d", "real:f32");
    check_type("enum e { A, B };", "enum e *p", "enum e * -> enum e:u32");
    check_type(
        "",
        "int (*g)(int, const char *)",
        "int (*)(int, const char *) -> (int:s32, const char * -> char:s8 const) -> int:s32",
    );
    check_type("typedef void (*cb)(void);", "cb g", "cb -> () -> void");
    check_type("struct n { int v; struct n *next; };", "struct n *p", "struct n * -> struct n");
    check_type("", "int n, int m[][n]", "int:s32");
    check_type(
        "struct n { int v; struct n *next; };",
        "struct n p",
        "struct n 16{v@0 int:s32; next@64 struct n * -> struct n}",
    );
    check_type("typedef struct { char c; short t[2]; } v;", "v p", "v 6{c@0 char:s8; t@16 2 of short:s16}");
    check_type(
        "struct b { unsigned x:3, :2, y:4; _Bool z:1; };",
        "struct b p",
        "struct b 4{x@0.3; y@5.4; z@9.1}",
    );
    check_type("union u { int i; double d; };", "union u p", "union u 8{i@0 int:s32; d@0 double:f64}");
    check_type(
        "struct a { int x; union { int i; float f; }; };",
        "struct a p",
        "struct a 8{x@0 int:s32; @32 union 4{i@0 int:s32; f@0 float:f32}}",
    );
    check_type("struct f { int n; int t[]; };", "struct f *p", "struct f * -> struct f");
}

/// What `f` returns, given these arguments and objects.
fn run(c: &str, arguments: Vec<Datum>, objects: Vec<(usize, Vec<Datum>)>) -> ir::Observation {
    let unit = lifted(c);
    let id = unit.program.named("f").expect("it is defined");
    let objects = objects.into_iter().map(|(parameter, elements)| {
        let of = unit.program.function(id).signature.parameters[parameter].of;
        let Type::Pointer(pointer) = unit.program.of(of) else { panic!("it is a pointer") };
        Object { of: pointer.to, elements, constant: pointer.constant }
    });
    let input = Input { arguments, objects: objects.collect(), ..Input::default() };
    match ir::run(&unit.program, id, Mutant::ORIGINAL, &input, FUEL).outcome {
        Outcome::Returned(observation) => std::sync::Arc::unwrap_or_clone(observation),
        other => panic!("{other:?}: {c}"),
    }
}

fn word(width: u32, value: i128) -> bv::Word {
    bv::Word::from_signed(width, value)
}

fn int(value: i128) -> Datum {
    Datum::Word(word(32, value))
}

const FIRST: Datum = Datum::Pointer { object: 0, element: 0 };

#[test]
fn pointers_lead_to_objects_of_the_input() {
    let c = "int f(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; a[0] = 9; return s; }";
    let seen = run(c, vec![FIRST, int(3)], vec![(0, vec![int(1), int(2), int(3)])]);
    assert_eq!(seen.result, Some(Seen::Word(word(32, 6))));
    assert_eq!(seen.objects[0][0], Seen::Word(word(32, 9)));
    let c = "#include <string.h>\nint f(const char *s) { return strlen(s); }";
    let text = "ab\0".bytes().map(|byte| Datum::Word(word(8, byte.into()))).collect();
    assert_eq!(run(c, vec![FIRST], vec![(0, text)]).result, Some(Seen::Word(word(32, 2))));
}

#[test]
fn structs_come_through_doors() {
    for c in [
        "struct p { int x, y; }; struct p f(struct p a, int n) { return (struct p){a.x + n, a.y}; }",
        "typedef struct { const int x; int y; } p; p f(p a, int n) { return (p){a.x + n, a.y}; }",
        "typedef struct p { int x, y, t[8]; } p; p f(const p a, int n) { return (p){a.x + n, a.y, {0}}; }",
    ] {
        let is_large = c.contains("t[8]");
        let mut parts = vec![int(1), int(2)];
        if is_large {
            parts.push(Datum::Aggregate((0..8).map(int).collect()));
        }
        let seen = run(c, vec![Datum::Aggregate(parts), int(5)], vec![]);
        let Some(Seen::Aggregate(parts)) = seen.result else { panic!("it is a struct: {c}") };
        assert_eq!(parts[..2], [Seen::Word(word(32, 6)), Seen::Word(word(32, 2))], "{c}");
    }
}

#[test]
fn a_struct_that_nobody_can_name_has_no_door() {
    let c = "struct p { int x; }; int f(struct p a) { return a.x; }\nint g(struct q { int y; } a) { return a.y; }";
    let unit = lifted(c);
    let function = |name| unit.program.function(unit.program.named(name).expect("it is defined"));
    assert!(function("f").door.is_some());
    let unsupported = unit.program.uncallable(unit.program.named("g").expect("it is defined"));
    let what = unsupported.map(|unsupported| unsupported.what.as_str());
    assert_eq!(what, Some("a parameter is of a type that has no name outside"));
    // Others in the file may call it all the same.
    assert_eq!(function("g").unsupported, None);
}

fn calls(c: &str, arguments: &[i128]) -> Vec<String> {
    let unit = lifted(c);
    let Outcome::Returned(seen) = outcome(&unit.program, "f", arguments) else {
        panic!("{:?}: {c}", outcome(&unit.program, "f", arguments))
    };
    let argument = |seen: &Seen| match seen {
        Seen::Word(word) => format!("{}", word.signed()),
        Seen::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
        Seen::Global { global, .. } | Seen::Static { global, .. } => {
            unit.program.global(*global).name.clone()
        }
        other => format!("{other:?}"),
    };
    let show = |call: &SeenCall| {
        let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
        let external = unit.program.external(call.external);
        format!("{}{}({})", external.name, if external.prints { "!" } else { "" }, arguments.join(", "))
    };
    seen.calls.iter().map(show).collect()
}

#[test]
fn output_is_observed() {
    let c = |body: &str| format!("#include <stdio.h>\nint f(int a) {{ {body} return 0; }}");
    let printed = |body: &str, argument: i128| {
        let unit = lifted(&c(body));
        let Outcome::Returned(seen) = outcome(&unit.program, "f", &[argument]) else { panic!("{body}") };
        assert_eq!(seen.calls, []);
        Stream::ALL.map(|stream| {
            let text = seen.printed(stream).known().unwrap_or_else(|| panic!("{body}"));
            String::from_utf8_lossy(text).into_owned()
        })
    };
    assert_eq!(printed("putchar('a' + a); puts(\"hi\");", 1), ["bhi\n", ""]);
    assert_eq!(printed("printf(\"%d %s %.1f\\n\", a, \"x\", 0.0);", 7), ["7 x 0.0\n", ""]);
    assert_eq!(printed("fprintf(stderr, \"%hhd\", a);", 257), ["", "1"]);
    assert_eq!(printed("fputs(\"x\", stdout); fputc(a, stderr);", 65), ["x", "A"]);
    check_unsupported(
        &c("char b[] = \"x\"; printf(b);"),
        "a call to `printf` whose format is not a constant",
        2,
    );
    check_unsupported(&c("int n; printf(\"%n\", &n);"), "the format \"%n\"", 2);
}

#[test]
fn functions_without_a_body_are_observed() {
    let c = "struct q; int g(int, const char *, struct q *); int f(int a) { return g(a, \"x\", 0) + 1; }";
    assert_eq!(calls(c, &[4]), ["g(4, .str, Null)"]);
    let unit = lifted(c);
    let external = &unit.program.externals[0];
    let shown: Vec<String> = external.parameters.iter().map(|of| show(&unit.program, *of)).collect();
    assert_eq!(shown, ["int:s32", "const char * -> char:s8 const", "struct q * -> unsigned char:u8 untyped"]);
    assert!(!external.prints && !external.variadic);
    // A stub cannot look at the arguments behind those that have a name.
    assert_eq!(calls("double g(_Bool, ...); int f(int a) { return g(a, 2L); }", &[4]), ["g(-1)"]);
    check_unsupported(
        "struct p { int x; } g(void);\nint f(int a) {\n return g().x; }",
        "a call to `g`, which has no body and takes or returns a struct",
        3,
    );
}

#[test]
fn a_function_of_nothing_returns_nothing() {
    let unit = lifted("int g; void f(void) { g = 1; }");
    let Outcome::Returned(seen) = outcome(&unit.program, "f", &[]) else { panic!("it returns") };
    assert_eq!((seen.result.clone(), seen.globals.len()), (None, 1));
}

#[test]
fn a_failed_assertion_stops_the_run() {
    let c = "#include <assert.h>\nint f(int a) {\n  assert(a > 0); return a; }";
    let unit = lifted(c);
    assert!(matches!(outcome(&unit.program, "f", &[1]), Outcome::Returned(_)));
    check_fault(c, &[0], Fault::Assertion, "3:3");
}
