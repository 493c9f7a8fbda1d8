//! The native build: what a run may come to, and that it keeps to itself.

use bv::Word;
use ir::{Datum, Input, Mutant, Object, Observation, Outcome, Program, Seen, Stream, Type, TypeId};
use llvm::{Error, Native, Options, Overflow, ProcessEnd, Sanitised, SanitisedBuild, Unit};

/// Plenty for every function here that ends.
const FUEL: u64 = 100_000;

/// An argument, or a part of one.
enum Given {
    Number(i128),
    Real(f64),
    Null,
    /// A pointer to an object with these elements.
    To(Vec<Given>),
    Struct(Vec<Given>),
    Function(&'static str),
}

use Given::{Function, Null, Number, Real, Struct, To};

fn options(file: std::path::PathBuf) -> Options {
    let operators = llvm::Operators::parse("seed").expect("there is such a set");
    Options {
        file,
        clang: None,
        flags: vec![],
        overflow: Overflow::Undefined,
        operators,
        functions: vec![],
        headers: false,
        versions: vec![],
    }
}

fn load(c: &str) -> Unit {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("subject.c");
    std::fs::write(&file, c).expect("there is room");
    llvm::load(&options(file)).unwrap_or_else(|error| panic!("{error}"))
}

fn input(program: &Program, given: &[Given]) -> Input {
    let id = program.named("f").expect("the function is called f");
    let mut input = Input::default();
    for (parameter, given) in program.function(id).signature.parameters.iter().zip(given) {
        let datum = datum(program, parameter.of, given, &mut input.objects);
        input.arguments.push(datum);
    }
    input
}

fn datum(program: &Program, of: TypeId, given: &Given, objects: &mut Vec<Object>) -> Datum {
    match (program.of(of), given) {
        (Type::Integer(scalar), Number(value)) => Datum::Word(Word::from_signed(scalar.width, *value)),
        (Type::Float(float), Real(value)) => Datum::Word(bv::float::word(float.width, *value)),
        (Type::Pointer(pointer), To(elements)) => {
            let object = objects.len() as u32;
            objects.push(Object { of: pointer.to, elements: vec![], constant: pointer.constant });
            let elements = elements.iter().map(|each| datum(program, pointer.to, each, objects)).collect();
            objects[object as usize].elements = elements;
            Datum::Pointer { object, element: 0 }
        }
        (Type::Pointer(_), Function(name)) => Datum::Function(program.named(name).expect("it is there")),
        (Type::Pointer(_), Null) => Datum::Null,
        (Type::Record(record), Struct(parts)) => {
            let parts = program.parts(record).into_iter().zip(parts);
            let parts = parts.map(|(field, part)| match (field.bits, part) {
                (Some(bits), Number(value)) => Datum::Word(Word::from_signed(bits, *value)),
                _ => datum(program, field.of, part, objects),
            });
            Datum::Aggregate(parts.collect())
        }
        (Type::Array { of, .. }, Struct(parts)) => {
            Datum::Aggregate(parts.iter().map(|part| datum(program, *of, part, objects)).collect())
        }
        (of, _) => panic!("a test gives something else for {of:?}"),
    }
}

fn run(unit: &Unit, native: &Native, given: &[Given], fuel: u64) -> ProcessEnd {
    let id = unit.program.named("f").expect("the function is called f");
    let input = input(&unit.program, given);
    native.run(id, Mutant::ORIGINAL, &input, fuel).expect("the server answers")
}

/// Runs `f`, and compares what happened with what is expected, in the words of [`summary`].
fn check(c: &str, given: &[Given], expect: &str) {
    let unit = load(c);
    let native = Native::build(&unit).unwrap_or_else(|error| panic!("{error}"));
    let outcome = run(&unit, &native, given, FUEL);
    assert_eq!(summary(&unit.program, &outcome), expect, "{c}");
}

/// As `check`, and the interpreter must say the same.
fn agree(c: &str, given: &[Given], expect: &str) {
    check(c, given, expect);
    let unit = load(c);
    let id = unit.program.named("f").expect("the function is called f");
    match ir::run(&unit.program, id, Mutant::ORIGINAL, &input(&unit.program, given), FUEL).outcome {
        Outcome::Returned(seen) => assert_eq!(seen_all(&unit.program, &seen), expect, "{c}"),
        outcome => panic!("{outcome:?}\n{c}"),
    }
}

fn summary(program: &Program, outcome: &ProcessEnd) -> String {
    match outcome {
        ProcessEnd::Returned(seen) => seen_all(program, seen),
        ProcessEnd::Trapped(trap) => format!("{trap:?}"),
        other => format!("{other:?}"),
    }
}

/// The result, the objects, the globals, the calls, and what was printed.
fn seen_all(program: &Program, seen: &Observation) -> String {
    let mut parts: Vec<String> = seen.result.iter().map(|result| text(program, result)).collect();
    parts.extend((0..).zip(&seen.objects).map(|(at, object)| match seen.has_freed(at) {
        true => "freed".to_string(),
        false => list(program, object, "[", "]"),
    }));
    for (global, value) in seen.globals.iter().chain(&seen.hidden) {
        parts.push(format!("{}={}", program.global(*global).name, text(program, value)));
    }
    for call in &seen.calls {
        let arguments = list(program, &call.arguments, "(", ")");
        parts.push(format!("{}{arguments}", program.external(call.external).name));
    }
    for (stream, printed) in Stream::ALL.iter().zip(&seen.printed) {
        let known = printed.known().expect("tests print what is known");
        if !known.is_empty() {
            parts.push(format!("{}={:?}", stream.name(), String::from_utf8_lossy(known)));
        }
    }
    parts.join(" ")
}

fn list(program: &Program, seen: &[Seen], open: &str, close: &str) -> String {
    let parts: Vec<String> = seen.iter().map(|seen| text(program, seen)).collect();
    format!("{open}{}{close}", parts.join(", "))
}

fn text(program: &Program, seen: &Seen) -> String {
    match seen {
        Seen::Word(word) => word.signed().to_string(),
        Seen::Nonzero { negative: None } => "not 0".to_string(),
        Seen::Nonzero { negative: Some(negative) } => if *negative { "-" } else { "+" }.to_string(),
        Seen::Undefined => "?".to_string(),
        Seen::Null => "null".to_string(),
        Seen::Input { object, offset } => format!("{object}+{offset}"),
        Seen::Global { global, offset } => format!("{}+{offset}", program.global(*global).name),
        Seen::Static { contents, .. } => list(program, contents, "static[", "]"),
        Seen::Function(function) | Seen::StaticFunction(function) => program.function(*function).name.clone(),
        Seen::Fresh(fresh) => list(program, &fresh.elements, "new[", "]"),
        Seen::Handed { pointer, contents, .. } => {
            format!("{}{}", text(program, pointer), list(program, contents, "[", "]"))
        }
        Seen::Elsewhere => "elsewhere".to_string(),
        Seen::Aggregate(parts) => list(program, parts, "{", "}"),
        Seen::Text(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
    }
}

fn numbers(numbers: &[i128]) -> Vec<Given> {
    numbers.iter().map(|number| Number(*number)).collect()
}

fn array(elements: &[i128]) -> Given {
    To(numbers(elements))
}

#[test]
fn a_run_returns_or_says_why_not() {
    check("int f(int a, signed char b) { return a + b; }", &numbers(&[1, -2]), "-1");
    check("void f(int a) { a = 1; }", &numbers(&[1]), "");
    check("int f(int a) { return 1 / a; }", &numbers(&[0]), "DivisionByZero");
    check("int f(int a) { return a % -1; }", &numbers(&[i32::MIN as i128]), "DivisionOverflow");
    check("int f(int a) { for (;;) a ^= 1; }", &numbers(&[1]), "OutOfFuel");
    check("int f(int a) { return *(volatile int *)8 + a; }", &numbers(&[1]), "Signal(11)");
    check("void exit(int); int f(int a) { exit(a); return 1; }", &numbers(&[7]), "Exited(7)");
    check("#include <assert.h>\nint f(int a) { assert(a); return 1; }", &numbers(&[0]), "Signal(6)");
    check("int missing(int); int f(int a) { return a ? 5 : missing(a); }", &numbers(&[7]), "5");
    check("int f(int a) { return a + 1; }", &numbers(&[i32::MAX as i128]), "-2147483648");
    check("int f(void) { int x; return x; }", &[], "0");
}

#[test]
fn a_call_to_a_builtin_is_loaded_like_any_other() {
    check("int f(int a) { if (a) __builtin_unreachable(); return 1; }", &numbers(&[1]), "Unreachable");
    check("int f(int a) { if (a) __builtin_trap(); return 1; }", &numbers(&[1]), "Unreachable");
    check("int f(int a) { return __builtin_abs(a); }", &numbers(&[i32::MIN as i128]), "-2147483648");
}

#[test]
fn pointers_lead_to_objects_of_the_input() {
    agree("int f(int *p) { *p += 1; return *p; }", &[array(&[1])], "2 [2]");
    agree("int f(const int *p) { return p[2]; }", &[array(&[1, 2, 3])], "3 []");
    agree("int *f(int *p) { return p + 2; }", &[array(&[1, 2])], "0+8 [1, 2]");
    agree("int *f(int *p, int *q) { return q; }", &[array(&[1]), array(&[2])], "1+0 [1] [2]");
    agree("int f(int *p) { return p == 0; }", &[Null], "1");
    agree("int a[2]; int *f(int i) { return a + i; }", &numbers(&[-2]), "elsewhere");
    agree("int a[2]; int *f(int i) { return a + i; }", &numbers(&[2]), "a+8");
    agree("long f(int *p) { return p + 3 - p; }", &[array(&[1])], "3 [1]");
    agree("void f(char **p) { ++*p; }", &[To(vec![array(&[97, 98])])], "[1+1] [97, 98]");
    agree("int f(void *p) { return *(unsigned char *)p; }", &[array(&[9])], "9 [9]");
    check("int f(int *p) { return p[1]; }", &[array(&[1])], "Signal(11)");
    check("int f(int *p) { return *p; }", &[Null], "Signal(11)");
}

#[test]
fn structs_travel_by_pointer_and_by_value() {
    let point = "struct point { char x; int y; };";
    let given = || Struct(numbers(&[1, 2]));
    agree(&format!("{point} void f(struct point *p) {{ p->y += p->x; }}"), &[To(vec![given()])], "[{1, 3}]");
    agree(&format!("{point} int f(struct point p) {{ return p.y - p.x; }}"), &[given()], "1");
    agree(&format!("{point} struct point f(struct point p) {{ p.x++; return p; }}"), &[given()], "{2, 2}");
    let large = "struct large { long a[4]; double d; };";
    let given = || Struct(vec![Struct(numbers(&[1, 2, 3, 4])), Real(0.0)]);
    agree(&format!("{large} long f(struct large l, int i) {{ return l.a[i]; }}"), &[given(), Number(2)], "3");
    agree(
        &format!("{large} struct large f(struct large l) {{ l.a[0] = 9; return l; }}"),
        &[given()],
        "{{9, 2, 3, 4}, 0}",
    );
    let bits = "struct bits { unsigned a : 3; int b : 7; };";
    agree(
        &format!("{bits} void f(struct bits *p) {{ p->b = -p->a; }}"),
        &[To(vec![Struct(numbers(&[3, 1]))])],
        "[{3, -3}]",
    );
    let node = "struct node { int v; struct node *next; };";
    let given = To(vec![Struct(vec![Number(1), To(vec![Struct(vec![Number(2), Null])])])]);
    agree(
        &format!("{node} struct node *f(struct node *n) {{ return n->next; }}"),
        &[given],
        "1+0 [{1, 1+0}] [{2, null}]",
    );
}

#[test]
fn globals_that_changed_are_seen() {
    agree("int a, b; void f(int x) { a = x; }", &numbers(&[3]), "a=3");
    agree("int a[3] = {1, 2, 3}; int *p; int *f(void) { p = a + 3; return a + 1; }", &[], "a+4 p=a+12");
    agree("static int n = 4; int f(void) { return n++; }", &[], "4 n=5");
    agree("int f(void) { static int n; return ++n; }", &[], "1 f.n=1");
    agree("const char *f(void) { return \"abc\" + 1; }", &[], "static[98, 99, 0]");
    agree("int g(int a) { return a; } int (*f(void))(int) { return g; }", &[], "g");
}

#[test]
fn functions_can_be_given() {
    let c = "int twice(int a) { return 2 * a; } int f(int (*g)(int), int a) { return g ? g(a) : 0; }";
    agree(c, &[Function("twice"), Number(4)], "8");
    agree(c, &[Null, Number(4)], "0");
}

#[test]
fn the_heap_is_seen_where_it_is_reachable() {
    let head = "#include <stdlib.h>\n#include <string.h>\n";
    agree(
        &format!("{head}int *f(void) {{ int *p = malloc(8); p[0] = 1; p[1] = 2; return p; }}"),
        &[],
        "new[1, 2]",
    );
    agree(&format!("{head}int *f(void) {{ int *p = calloc(2, 4); return realloc(p, 4); }}"), &[], "new[0]");
    agree(
        &format!("{head}char *f(const char *s) {{ return strdup(s); }}"),
        &[array(&[97, 0])],
        "new[97, 0] []",
    );
    agree(&format!("{head}char *f(void) {{ char *p = malloc(3); free(p); return 0; }}"), &[], "null");
    check(
        &format!("{head}int f(void) {{ int *p = malloc(4); *p = 1; free(p); return *p; }}"),
        &[],
        "Signal(11)",
    );
    check(&format!("{head}int x; int f(void) {{ free(&x); return 1; }}"), &[], "Signal(6)");
}

/// The second asks for less at a time.
#[test]
fn a_run_gets_no_more_memory_than_a_test_should_take() {
    let head = "#include <stdlib.h>\n#include <string.h>\n";
    let takes = |bytes: u32, times: u32, then: &str| {
        format!(
            "{head}int f(void) {{ for (int i = 0; i < {times}; i++) {{ char *p = malloc({bytes}); memset(p, 1, {bytes}); {then} }} return 1; }}"
        )
    };
    check(&takes(8 << 20, 10, ""), &[], "Unsupported");
    check(&takes(1 << 20, 100, ""), &[], "Unsupported");
    check(&takes(1 << 20, 100, "free(p);"), &[], "1");
}

#[test]
fn strings_are_handled_by_the_system() {
    let head = "#include <string.h>\n#include <stdlib.h>\n#include <ctype.h>\n";
    agree(
        &format!("{head}unsigned long f(const char *s) {{ return strlen(s); }}"),
        &[array(&[97, 98, 0])],
        "2 []",
    );
    agree(
        &format!("{head}char *f(char *s) {{ return strchr(s, 98); }}"),
        &[array(&[97, 98, 0])],
        "0+1 [97, 98, 0]",
    );
    agree(
        &format!("{head}long f(const char *s) {{ return strtol(s, 0, 10); }}"),
        &[array(&[52, 50, 0])],
        "42 []",
    );
    agree(&format!("{head}int f(int c) {{ return toupper(c); }}"), &numbers(&[97]), "65");
}

#[test]
fn floats_are_numbers_like_others() {
    agree("double f(double a) { return a + 0.5; }", &[Real(1.0)], &1.5f64.to_bits().to_string());
    agree("float f(float a, int b) { return a * b; }", &[Real(1.5), Number(2)], &3f32.to_bits().to_string());
    check("int f(double a) { return (int) a; }", &[Real(1e30)], "NoResult");
    check("int f(double a) { return (int) a; }", &[Real(-2147483648.5)], "-2147483648");
    check("unsigned char f(float a) { return (unsigned char) a; }", &[Real(255.5)], "-1");
    check("long f(float a) { return (long) a; }", &[Real(f64::NAN)], "NoResult");
    agree(
        "#include <math.h>\ndouble f(double a) { return floor(sqrt(a)); }",
        &[Real(5.0)],
        &2f64.to_bits().to_string(),
    );
}

#[test]
fn zero_has_no_first_bit() {
    agree("int f(unsigned a) { return __builtin_clz(a); }", &numbers(&[1]), "31");
    check("int f(unsigned a) { return __builtin_clz(a); }", &numbers(&[0]), "NoResult");
    check("int f(unsigned long a) { return __builtin_ctzl(a); }", &numbers(&[0]), "NoResult");
}

#[test]
fn calls_to_the_outside_are_told() {
    agree(
        "void note(int, long); void f(int a) { note(a, 2); note(3, a); }",
        &numbers(&[1]),
        "note(1, 2) note(3, 1)",
    );
    agree("int ask(int *); int f(int *p) { return ask(p + 1); }", &[array(&[1])], "0 [1] ask(0+4[])");
    agree(
        "void show(int *); void f(int a) { int b[2] = {a, 7}; show(b); }",
        &numbers(&[1]),
        "show(new[1, 7])",
    );
    agree("void show(double); void f(int a) { show(a); }", &numbers(&[1]), "show(4607182418800017408)");
    let head = "#include <stdio.h>\n";
    agree(
        &format!("{head}void f(int a) {{ printf(\"%d %s\\n\", a, \"b\"); }}"),
        &numbers(&[1]),
        "stdout=\"1 b\\n\"",
    );
    agree(
        &format!("{head}void f(const char *s) {{ puts(s); putchar(s[0]); }}"),
        &[array(&[97, 0])],
        "[] stdout=\"a\\na\"",
    );
    agree(&format!("{head}void f(int a) {{ fprintf(stderr, \"%c\", a); }}"), &numbers(&[65]), "stderr=\"A\"");
}

#[test]
fn functions_without_a_body_return_what_the_input_says() {
    let unit = load("int ask(int); int f(void) { int a = ask(1); return 100 * a + 10 * ask(2) + ask(3); }");
    let native = Native::build(&unit).expect("it builds");
    let id = unit.program.named("f").expect("it is there");
    let answers = [4, 2].map(|answer| Datum::Word(Word::new(32, answer))).to_vec();
    let input = Input { results: vec![(ir::ExternalId(0), answers)], ..Input::default() };
    let outcome = native.run(id, Mutant::ORIGINAL, &input, FUEL).expect("the server answers");
    assert_eq!(summary(&unit.program, &outcome), "420 ask(1) ask(2) ask(3)");
}

#[test]
fn a_global_may_be_an_input() {
    let unit = load("int level = 1; int *place; int f(void) { return level + *place; }");
    let native = Native::build(&unit).expect("it builds");
    let global = |name: &str| {
        let at = unit.program.globals.iter().position(|global| global.name == name).expect("it is there");
        ir::GlobalId(at as u32)
    };
    let of = unit.program.global(global("level")).of;
    let elements = vec![Datum::Word(Word::new(32, 30))];
    let input = Input {
        objects: vec![Object { of, elements, constant: false }],
        globals: vec![
            (global("level"), Datum::Word(Word::new(32, 5))),
            (global("place"), Datum::Pointer { object: 0, element: 0 }),
        ],
        ..Input::default()
    };
    let id = unit.program.named("f").expect("it is there");
    let outcome = native.run(id, Mutant::ORIGINAL, &input, FUEL).expect("the server answers");
    assert_eq!(summary(&unit.program, &outcome), "35 [30]");
}

#[test]
fn what_the_caller_gave_can_be_freed_and_moved() {
    let head = "#include <stdlib.h>\n";
    let given = || [array(&[1, 2])];
    agree(&format!("{head}int f(int *p) {{ int x = *p; free(p); return x; }}"), &given(), "1 freed");
    let longer = "int *f(int *p) { p = realloc(p, 12); p[2] = 3; return p; }";
    agree(&format!("{head}{longer}"), &given(), "new[1, 2, 3] freed");
    agree(&format!("{head}int *f(int *p) {{ return realloc(p, 4); }}"), &given(), "new[1] freed");
    agree(&format!("{head}int *f(int *p) {{ p = realloc(p, 4); *p = 3; return p; }}"), &[Null], "new[3]");
    agree(&format!("{head}int *f(int *p) {{ free(p); return p; }}"), &given(), "elsewhere freed");
    let nested = [To(vec![array(&[1, 2])])];
    agree(&format!("{head}void f(int **p) {{ free(*p); *p = 0; }}"), &nested, "[null] freed");
    check(&format!("{head}int f(int *p) {{ free(p); return *p; }}"), &given(), "Signal(11)");
    check(&format!("{head}void f(int *p) {{ free(p); free(p); }}"), &given(), "Signal(6)");
    check(&format!("{head}void f(int *p) {{ free(p + 1); }}"), &given(), "Signal(6)");
}

#[test]
fn a_sanitizer_finds_what_the_machine_does_not() {
    let check = |c: &str, given: &[Given], sanitiser: SanitisedBuild, expect: &str| {
        let unit = load(c);
        let native = Native::build(&unit).unwrap_or_else(|error| panic!("{error}"));
        let id = unit.program.named("f").expect("the function is called f");
        let input = input(&unit.program, given);
        let said = native.run_sanitised(id, Mutant::ORIGINAL, &input, FUEL, sanitiser).expect("it answers");
        let said = match said {
            Sanitised::Reported(what) => what,
            other => format!("{other:?}"),
        };
        assert_eq!(said, expect, "{c}");
    };
    let address = |c: &str, given: &[Given], expect: &str| check(c, given, SanitisedBuild::Address, expect);
    address("int f(int *p) { return p[1]; }", &[array(&[1, 2])], "Clean");
    address("int f(int *p) { return p[-1]; }", &[array(&[1])], "use-after-poison");
    address("int f(int *p) { return p[1]; }", &[array(&[1])], "use-after-poison");
    address("int f(char *p) { p[5]; return 1; }", &[array(&[1, 2, 3, 4, 5])], "use-after-poison");
    let index = "Ended(Trapped(Index))";
    address("int f(int i) { int a[4] = {0}; return a[i]; }", &numbers(&[4]), index);
    address("int f(int i) { int a[4] = {0}; return *(a + i); }", &numbers(&[4]), "stack-buffer-overflow");
    address("int a[4]; int f(int i) { return *(a + i); }", &numbers(&[4]), "global-buffer-overflow");
    address("int a[2][3]; int f(int i) { return a[1][i]; }", &numbers(&[-1]), index);
    address("int a[2][3]; int f(int i) { return a[i][0]; }", &numbers(&[1]), "Clean");
    // What clang's sanitizer lets pass is for the other one to find, or for nobody.
    address("int a[2][3]; int f(int i) { return a[0][i]++; }", &numbers(&[3]), "Clean");
    address("int a[2][3]; int f(int i) { return a[0][i]++; }", &numbers(&[4]), index);
    address("int a[3]; int f(int i) { return a[i]++; }", &numbers(&[3]), "global-buffer-overflow");
    let head = "#include <stdlib.h>\n";
    address(
        &format!("{head}int f(void) {{ int *p = malloc(4); free(p); return *p; }}"),
        &[],
        "heap-use-after-free",
    );
    address(
        &format!("{head}int f(int i) {{ char *p = calloc(5, 1); return p[i]; }}"),
        &numbers(&[5]),
        "heap-buffer-overflow",
    );
    let given = || [array(&[1, 2])];
    address(&format!("{head}void f(int *p) {{ free(realloc(p, 12)); }}"), &given(), "Clean");
    address(&format!("{head}int f(int *p) {{ free(p); return *p; }}"), &given(), "use-after-poison");
    address(&format!("{head}void f(int *p) {{ free(p); free(p); }}"), &given(), "attempting free");
    address(&format!("{head}void f(int *p) {{ free(p + 1); }}"), &given(), "attempting free");
    address("int f(int *p) { return *p; }", &[Null], "SEGV");
    address("int f(int a) { return 1 / a; }", &numbers(&[0]), "Ended(Trapped(DivisionByZero))");
    address("int f(int a) { for (;;) a ^= 1; }", &numbers(&[1]), "Ended(OutOfFuel)");
    let memory = |c: &str, given: &[Given], expect: &str| check(c, given, SanitisedBuild::Memory, expect);
    let uninitialised = "use-of-uninitialized-value";
    memory("int f(int a) { int x = a; return x; }", &numbers(&[1]), "Clean");
    memory("int f(int a) { int x; if (a) x = 1; return x; }", &numbers(&[0]), uninitialised);
    memory("int f(int a) { int x[3]; x[0] = 1; return x[a] ? 1 : 2; }", &numbers(&[1]), uninitialised);
    memory(&format!("{head}int f(void) {{ int *p = malloc(4); return *p; }}"), &[], uninitialised);
    memory("void note(int); int f(void) { int x; note(x); return 1; }", &[], uninitialised);
    memory("int f(int *p) { int x, y = x; p[0] = 5; return p[0]; }", &[array(&[1])], "Clean");
}

#[test]
fn a_recursion_has_room_until_its_fuel_is_spent() {
    let unit = load("int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); }");
    let native = Native::build(&unit).expect("it builds");
    assert_eq!(summary(&unit.program, &run(&unit, &native, &numbers(&[20_000]), 200_000)), "20000");
    assert_eq!(run(&unit, &native, &numbers(&[-1]), 60_000), ProcessEnd::OutOfFuel);
}

#[test]
fn names_and_output_of_the_subject_are_its_own() {
    let c = "int printf(const char *, ...); int fflush(void *);\n\
             int getline(int x) { return x + 1; } int fork(void) { return -1; } int dup2(int a, int b) { return a; }\n\
             int main(void) { return 3; }\n\
             int f(int a) { printf(\"r 0\\n\"); fflush(0); return getline(a) + fork() + main(); }";
    check(c, &numbers(&[5]), r#"8 stdout="r 0\n""#);
}

#[test]
fn a_run_leaves_no_trace() {
    let unit = load("int count; int f(int a) { count += a; return count; }");
    let native = Native::build(&unit).expect("it builds");
    assert_eq!(summary(&unit.program, &run(&unit, &native, &numbers(&[5]), FUEL)), "5 count=5");
    assert_eq!(summary(&unit.program, &run(&unit, &native, &numbers(&[7]), FUEL)), "7 count=7");
}

#[test]
fn narrow_arguments_are_widened_by_the_caller() {
    let c = "int f(_Bool b, signed char c, unsigned char d, short e, unsigned short g) { return b + c + d + e + g; }";
    check(c, &numbers(&[1, -128, 255, -32768, 65535]), &(1 - 128 + 255 - 32768 + 65535).to_string());
    check("signed char f(int a) { return a; }", &numbers(&[0x80]), "-128");
    check("long f(long a) { return a * 2; }", &numbers(&[1 << 40]), &(1u64 << 41).to_string());
    check("_Bool f(int a) { return a > 1; }", &numbers(&[2]), "-1");
}

#[test]
fn the_meta_mutant_runs_by_itself() {
    let unit = load("int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += i; return s; }");
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("meta.ll");
    std::fs::write(&file, &unit.meta).expect("there is room");
    let status = std::process::Command::new("lli-19").arg(&file).status().expect("lli is installed");
    assert_eq!(status.code(), Some(10));
}

#[test]
fn what_is_wrong_is_said_in_one_sentence() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("subject.c");
    let missing = llvm::load(&options(file.clone())).expect_err("there is no file");
    assert!(matches!(missing, Error::Unreadable { .. }), "{missing}");
    std::fs::write(&file, "int f(int a) { return b; }\n").expect("there is room");
    let undeclared = llvm::load(&options(file.clone())).expect_err("b is not declared").to_string();
    assert!(undeclared.contains("use of undeclared identifier 'b'"), "{undeclared}");
    std::fs::write(&file, "int f(int a) { return a; } int g(void) { return 1; }\n").expect("there is room");
    let options = Options { functions: vec!["h".to_string()], ..options(file) };
    let unknown = llvm::load(&options).expect_err("there is no h").to_string();
    assert!(
        unknown.contains("there is no function `h`") && unknown.ends_with("it defines `f`, `g`"),
        "{unknown}"
    );
}

#[test]
fn places_are_those_of_the_users_text() {
    let c = "int f(int a, int b) { if (a && b) b = a && b; return a < 0 ? a : a / b; }\n";
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("subject.c");
    std::fs::write(&file, c).expect("there is room");
    let operators = llvm::Operators::parse("all").expect("there is such a set");
    let unit = llvm::load(&Options { operators, ..options(file) }).unwrap_or_else(|error| panic!("{error}"));
    let id = unit.program.named("f").expect("it is there");
    let input = input(&unit.program, &[Number(1), Number(0)]);
    let Outcome::Faulted(_, Some(at)) = ir::run(&unit.program, id, Mutant::ORIGINAL, &input, FUEL).outcome
    else {
        panic!("a division by zero has a place");
    };
    assert_eq!((at.line, at.column as usize), (1, c.find('/').expect("it divides") + 1));
}

#[test]
fn nothing_that_runs_reaches_the_system() {
    let folder = tempfile::tempdir().expect("there is room");
    let kept = folder.path().join("kept");
    std::fs::write(&kept, "").expect("there is room");
    let made = folder.path().join("made");
    let (kept_name, made_name) = (kept.display(), made.display());
    for call in [
        format!("fopen(\"{made_name}\", \"w\") != 0"),
        format!("system(\"touch {made_name}\")"),
        format!("remove(\"{kept_name}\")"),
        format!("rename(\"{kept_name}\", \"{made_name}\")"),
        format!("open(\"{made_name}\", O_CREAT, 0600)"),
        format!("({{ int (*volatile act)(const char *) = unlink; act(\"{kept_name}\"); }})"),
    ] {
        let headers = "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n";
        check(&format!("{headers}int f(int x) {{ return {call}; }}"), &[Number(1)], "Unsupported");
        assert!(kept.exists() && !made.exists(), "{call}");
    }
}
