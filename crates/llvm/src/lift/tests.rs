//! Small C functions, lifted and run on the interpreter.

mod bounds;
mod floats;
mod library;
mod memory;
mod outside;
mod variadic;

use bv::{Hazard, Word};
use inkwell::context::Context;
use ir::{Datum, Fault, Input, Mutant, Outcome, Program, Seen, Type, TypeId};

use super::Lifted;
use crate::clang::Overflow;

/// More blocks than any of these functions enters.
const FUEL: u64 = 10_000;

fn lifted(c: &str) -> Lifted {
    lifted_with(c, &[], Overflow::Undefined)
}

/// Without mutants: compiles and lifts, and nothing between.
fn lifted_with(c: &str, flags: &[&str], overflow: Overflow) -> Lifted {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("subject.c");
    std::fs::write(&file, c).expect("there is room");
    let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
    let options = crate::Options {
        file,
        clang: None,
        flags,
        overflow,
        operators: Default::default(),
        functions: vec![],
        headers: false,
        versions: vec![],
    };
    let context = Context::create();
    let text = source::Text::new(c.as_bytes().to_vec());
    let compiled = crate::compile::Compiler::new(&options).and_then(|compiler| {
        let (compiler, plain, _) = compiler.plain(&context)?;
        let ast = crate::ast::parse(&options.file, &options.flags, false)?;
        compiler.whole(&context, crate::Sources { file: &text, headers: &[] }, &ast, plain, vec![])
    });
    let (module, _) = compiled.unwrap_or_else(|error| panic!("{error}"));
    crate::variadic::make_plain(&module);
    let lifted = super::lift(&module, &|at| at);
    assert_eq!(ir::verify(&lifted.program), Ok(()), "{c}");
    lifted
}

/// A number for each parameter; a pointer takes none and is null.
fn outcome(program: &Program, function: &str, arguments: &[i128]) -> Outcome {
    let id = program.named(function).expect("the function is defined");
    let mut numbers = arguments.iter();
    let mut datum = |of: TypeId| match program.of(of) {
        Type::Integer(scalar) => {
            Datum::Word(Word::from_signed(scalar.width, *numbers.next().expect("there are enough arguments")))
        }
        _ => program.zero(of),
    };
    let parameters = &program.function(id).signature.parameters;
    let arguments = parameters.iter().map(|parameter| datum(parameter.of)).collect();
    let input = Input { arguments, ..Input::default() };
    ir::run(program, id, Mutant::ORIGINAL, &input, FUEL).outcome
}

/// The value that `f` returns, as its type reads it.
fn value(unit: &Lifted, arguments: &[i128]) -> i128 {
    let id = unit.program.named("f").expect("the function is called f");
    let result = unit.program.function(id).signature.result.expect("it returns something");
    let signed = matches!(unit.program.of(result), Type::Integer(scalar) if scalar.signed);
    match outcome(&unit.program, "f", arguments) {
        Outcome::Returned(observation) => match &observation.result {
            Some(Seen::Word(word)) if signed => word.signed(),
            Some(Seen::Word(word)) => word.bits() as i128,
            other => panic!("{other:?} on {arguments:?}"),
        },
        other => panic!("{other:?} on {arguments:?}"),
    }
}

fn check(c: &str, arguments: &[i128], expect: i128) {
    assert_eq!(value(&lifted(c), arguments), expect, "{c} on {arguments:?}");
}

/// Many inputs for one function.
fn check_all(c: &str, cases: &[(&[i128], i128)]) {
    let unit = lifted(c);
    for (arguments, expect) in cases {
        assert_eq!(value(&unit, arguments), *expect, "{c} on {arguments:?}");
    }
}

/// The fault, and the line and column at which it stands.
fn check_fault(c: &str, arguments: &[i128], fault: Fault, at: &str) {
    match outcome(&lifted(c).program, "f", arguments) {
        Outcome::Faulted(is, position) => {
            assert_eq!(is, fault, "{c}");
            assert_eq!(position.map(|position| position.to_string()).as_deref(), Some(at), "{c}");
        }
        other => panic!("{other:?}: {c}"),
    }
}

fn check_unsupported(c: &str, what: &str, line: u32) {
    match outcome(&lifted(c).program, "f", &[1, 2, 3]) {
        Outcome::Unsupported(is, position) => {
            assert_eq!(is, what, "{c}");
            assert_eq!(position.map(|position| position.line), Some(line), "{c}");
        }
        other => panic!("{other:?}: {c}"),
    }
}

#[test]
fn all_integer_types() {
    check("int f(int a, int b) { return a + b; }", &[2, -5], -3);
    check("unsigned f(unsigned a) { return a - 1; }", &[0], 0xffff_ffff);
    check("char f(char c) { return c; }", &[0x80], -128);
    check("int f(char c) { return c; }", &[0xff], -1);
    check("int f(unsigned char c) { return c; }", &[0xff], 255);
    check("int f(signed char c) { return -c; }", &[-128], 128);
    check("short f(int a) { return a; }", &[0x18000], -32768);
    check("unsigned short f(int a) { return a; }", &[-1], 65535);
    check("long f(int a) { return (long)a * a; }", &[1 << 20], 1 << 40);
    check("long long f(unsigned a) { return a; }", &[-1], 0xffff_ffff);
    check("unsigned long f(int a) { return a; }", &[-1], u64::MAX as i128);
    check("_Bool f(int a) { return a; }", &[256], 1);
    check("int f(_Bool b) { return b + 1; }", &[1], 2);
    check("int f(int a) { __int128 x = a; x <<= 70; return x >> 69; }", &[3], 6);
    check(
        "unsigned long f(void) { unsigned __int128 x = ~(unsigned __int128)4; return x >> 64; }",
        &[],
        u64::MAX as i128,
    );
}

#[test]
fn enumerations_and_typedefs_have_the_signedness_of_their_type() {
    let unit = lifted(
        "#include <stdint.h>\n\
         enum color { RED, GREEN }; enum sign { MINUS = -1, PLUS }; typedef enum { NO, YES } answer;\n\
         int f(enum color c, enum sign s, answer a, uint8_t u, const int8_t i, char t, _Bool b) { return c; }",
    );
    let signature = &unit.program.functions[0].signature;
    let shown: Vec<String> = signature
        .parameters
        .iter()
        .map(|parameter| {
            let Type::Integer(scalar) = unit.program.of(parameter.of) else { panic!("it is an integer") };
            format!(
                "{} {} {}{}",
                scalar.name,
                parameter.name,
                if scalar.signed { 's' } else { 'u' },
                scalar.width
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "enum color c u32",
            "enum sign s s32",
            "answer a u32",
            "uint8_t u u8",
            "int8_t i s8",
            "char t s8",
            "_Bool b u1"
        ]
    );
}

#[test]
fn the_flags_of_the_user_count() {
    let unit = lifted_with(
        "int f(char c) { return c + N; }",
        &["-funsigned-char", "-DN=1", "-O2"],
        Overflow::Undefined,
    );
    assert_eq!(value(&unit, &[0xff]), 256);
    let of = unit.program.functions[0].signature.parameters[0].of;
    assert!(matches!(unit.program.of(of), Type::Integer(scalar) if !scalar.signed));
}

#[test]
fn sources_of_another_age() {
    check("f(a, b) int a; char b; { return a + b; }", &[1, 300], 45);
    check("int f(a) char a; { return g(a); } int g(int x) { return x; }", &[-1], -1);
    let unit = lifted("int f(a, b) int a; char b; { return a + b; }");
    let second = &unit.program.functions[0].signature.parameters[1];
    let Type::Integer(scalar) = unit.program.of(second.of) else { panic!("it is an integer") };
    assert_eq!((second.name.as_str(), scalar.name.as_str(), scalar.width), ("b", "int", 32));
}

#[test]
fn parameters_without_a_name_get_one() {
    let unit = lifted("int f(int, int b) { return b; }");
    let names: Vec<_> =
        unit.program.functions[0].signature.parameters.iter().map(|each| &each.name).collect();
    assert_eq!(names, ["arg0", "b"]);
}

#[test]
fn operators() {
    check("int f(int a, int b) { return a / b; }", &[-7, 2], -3);
    check("int f(int a, int b) { return a % b; }", &[-7, 2], -1);
    check("unsigned f(unsigned a, unsigned b) { return a / b; }", &[-7, 2], 0x7fff_fffc);
    check("int f(int a, int b) { return a << b; }", &[3, 4], 48);
    check("int f(int a, int b) { return a >> b; }", &[-8, 1], -4);
    check("unsigned f(unsigned a, int b) { return a >> b; }", &[-8, 1], 0x7fff_fffc);
    check("int f(int a, int b) { return (a & b) | (a ^ ~b); }", &[12, 10], -7);
    check("int f(int a) { return -a + !a; }", &[0], 1);
    check("int f(int a, unsigned b) { return a < b; }", &[-1, 1], 0);
    check("int f(int a) { a += 2; a *= 3; a -= 1; a <<= 1; a |= 1; a %= 7; return a; }", &[1], 3);
    check("int f(int a) { int b = a++ + ++a; return b * 10 + a; }", &[1], 43);
    check("int f(int a) { return (a++, a * 2); }", &[4], 10);
    check("int f(int a, int b) { return a > b ? a : b; }", &[3, 9], 9);
    check("int f(int a, int b) { return a && 10 / a > b; }", &[0, 1], 0);
    check("int f(int a, int b) { return a || 10 / a > b; }", &[1, 1], 1);
    check("int f(int a) { return __builtin_abs(a); }", &[-5], 5);
    check("int f(int a) { int r; return __builtin_add_overflow(a, 1, &r) ? 0 : r; }", &[0x7fff_ffff], 0);
    check("int f(int a) { int r; return __builtin_add_overflow(a, 1, &r) ? 0 : r; }", &[41], 42);
    check("int f(int a) { return sizeof a + __builtin_expect(a, 1); }", &[3], 7);
}

#[test]
fn control_flow() {
    check_all(
        "int f(int x) { int r = 0; switch (x) { case 1: r = 10; case 2: r += 5; break; case -3: return 7; default: r = -1; } return r; }",
        &[(&[1], 15), (&[2], 5), (&[-3], 7), (&[9], -1)],
    );
    check(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 3) continue; s += i; } return s; }",
        &[6],
        12,
    );
    check("int f(int n) { int c = 0; do { c++; n /= 2; } while (n); return c; }", &[0], 1);
    check(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) s += j; return s; }",
        &[5],
        10,
    );
    check("int f(int n) { int s = 0; again: s += n; if (--n > 0) goto again; return s; }", &[4], 10);
    check("int f(int a) { while (1) { if (a > 10) break; a *= 2; } return a; }", &[3], 12);
    check(
        "int f(int a) { if (a) return 1; if (!a) return 2; return 3; int dead = a; while (dead) dead--; return dead; }",
        &[0],
        2,
    );
    check_all(
        "int f(int a, int n) { int s = 0; if (a) goto inside; while (n > 0) { s += 1; inside: s += 10; n--; } return s; }",
        &[(&[0, 2], 22), (&[1, 2], 21), (&[1, 0], 10)],
    );
}

#[test]
fn calls() {
    check("static int twice(int x) { return 2 * x; } int f(int a) { return twice(twice(a)) + 1; }", &[3], 13);
    check("unsigned f(unsigned n) { return n < 2 ? 1 : n * f(n - 1); }", &[5], 120);
    check(
        "int odd(int); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); } int f(int n) { return even(n); }",
        &[7],
        0,
    );
    check("void nothing(int x) { x = 1; } int f(int a) { nothing(a); return a; }", &[3], 3);
    let unit = lifted(
        "void f(int a) { a++; } static int hidden(void) { return 1; } int open(void) { return hidden(); }",
    );
    assert!(matches!(outcome(&unit.program, "f", &[1]), Outcome::Returned(seen) if seen.result.is_none()));
    let names: Vec<_> = unit.external.iter().map(|id| unit.program.function(*id).name.as_str()).collect();
    assert_eq!(names, ["f", "open"]);
}

#[test]
fn constant_globals_are_constants() {
    check("const int LIMIT = 5; int f(int a) { return a > LIMIT; }", &[6], 1);
    check("static const unsigned char mask = 0xf0; int f(int a) { return a & mask; }", &[0x123], 0x20);
    check("int f(int a) { static const long k = 1; return a + k; }", &[1], 2);
}

#[test]
fn what_c_leaves_undefined_is_a_fault_with_its_place() {
    check_fault("int f(int a) {\n  return 10 / a;\n}", &[0], Fault::Hazard(Hazard::DivisionByZero), "2:13");
    check_fault(
        "int f(int a) { return a / -1; }",
        &[i32::MIN as i128],
        Fault::Hazard(Hazard::DivisionOverflow),
        "1:25",
    );
    check_fault(
        "int f(int a) { return a + 1; }",
        &[i32::MAX as i128],
        Fault::Hazard(Hazard::SignedOverflow),
        "1:25",
    );
    check_fault("int f(int a) { return 1 << a; }", &[32], Fault::Hazard(Hazard::OversizeShift), "1:25");
    check_fault(
        "int f(int a) { return __builtin_abs(a); }",
        &[i32::MIN as i128],
        Fault::Hazard(Hazard::SignedOverflow),
        "1:23",
    );
    check_fault(
        "int f(int a) { int x; if (a) x = 1;\n return x + 1; }",
        &[0],
        Fault::UninitialisedRead,
        "2:11",
    );
    check_fault("int f(int a) { if (a) return 1; }", &[0], Fault::UninitialisedRead, "1:33");
    check_fault(
        "int f(int a) { if (a) __builtin_unreachable(); return 1; }",
        &[1],
        Fault::Unreachable,
        "1:23",
    );
    check_fault("int f(int a) { if (a) __builtin_trap(); return 1; }", &[1], Fault::Abort, "1:23");
    check("int f(int a) { int x; if (a) x = 1; int y = x; return a; }", &[0], 0);
}

#[test]
fn overflow_may_wrap() {
    let unit = lifted_with("int f(int a) { return a + 1; }", &[], Overflow::Wrap);
    assert_eq!(value(&unit, &[i32::MAX as i128]), i32::MIN as i128);
}

#[test]
fn what_is_unsupported_says_so_where_it_stands() {
    let cases = [
        ("int f(int a) {\n  __asm__(\"nop\"); return a; }", "inline assembly"),
        ("int f(int a) { long double d;\n  d = a; return d > 1; }", "a `long double`"),
        (
            "extern int g; int f(int a) {\n  return a + g; }",
            "the global variable `g`, which is defined elsewhere",
        ),
        (
            "extern int t[]; int f(int a) {\n  return t[a]; }",
            "the global variable `t`, which is defined elsewhere",
        ),
        ("int f(int a) { int *p = &a;\n  return (long)p & 7; }", "an address is used as a number"),
        ("int f(int a) {\n  return *(int *)(long)a; }", "a number is used as an address"),
        ("_Atomic int g; int f(int a) {\n  g = a; return a; }", "an atomic operation"),
        ("int f(int a) {\n void *p = &&x; goto *p; x: return a; }", "the address of a label"),
        (
            "#include <stdlib.h>\nint f(int a) {return rand(); }",
            "a call to `rand`, a function of the system that Whet does not know",
        ),
        (
            "void *memccpy(); int f(int a) {\n return memccpy(&a, &a, 0, 0L) != 0; }",
            "a call to `memccpy`, a function of the system that Whet does not know",
        ),
        (
            "#include <setjmp.h>\nint f(int a) { jmp_buf b; return setjmp(b); }",
            "a call to `_setjmp`, a function of the system that Whet does not know",
        ),
        (
            "int f(int a) { float x = a;\n return __builtin_fmaf(x, x, x); }",
            "the built-in operation `llvm.fma`",
        ),
    ];
    for (c, what) in cases {
        check_unsupported(c, what, 2);
    }
}

#[test]
fn a_function_that_nobody_can_call_is_unsupported() {
    let cases = [
        ("int f(__int128 a) { return a; }", "parameter `a` is of a type that we do not handle (`__int128`)"),
        (
            "int f(long double a) { return a; }",
            "parameter `a` is of a type that we do not handle (`long double`)",
        ),
    ];
    for (c, what) in cases {
        let unit = lifted(&format!("\n{c}"));
        let unsupported = unit.program.functions[0].unsupported.clone().unwrap_or_else(|| panic!("{c}"));
        assert_eq!(unsupported.what, what, "{c}");
        assert_eq!(unsupported.at.map(|at| at.line), Some(2), "{c}");
        assert!(unit.program.functions[0].blocks.is_empty(), "{c}");
    }
}

#[test]
fn a_run_that_does_not_come_by_is_none_the_worse() {
    let c = "extern int g; int f(int a) { int t[2]; if (a > 5) { t[0] = g; a = t[0] + t[1]; } return a; }";
    check(c, &[5], 5);
}

#[test]
fn what_stands_in_a_header_has_no_position() {
    let folder = tempfile::tempdir().expect("there is room");
    let flag = format!("-I{}", folder.path().display());
    std::fs::write(folder.path().join("h.h"), "static int h(int a) { return 1 / a; }\n")
        .expect("there is room");
    let unit = lifted_with("#include \"h.h\"\nint f(int a) { return h(a); }", &[&flag], Overflow::Undefined);
    let fault = Outcome::Faulted(Fault::Hazard(Hazard::DivisionByZero), None);
    assert_eq!(outcome(&unit.program, "f", &[0]), fault);
}

#[test]
fn joins_keep_only_the_parameters_they_need() {
    let unit =
        lifted("int f(int n, int k) { int s = 0; for (int i = 0; i < n; i++) if (i & 1) s += k; return s; }");
    let parameters: usize = unit.program.functions[0].blocks.iter().map(|block| block.parameters.len()).sum();
    // The sum and the counter at the head of the loop, and the sum after the `if`.
    assert_eq!(parameters, 3);
}
