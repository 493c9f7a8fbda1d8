//! The native build: what a run may come to, and that it keeps to itself.

use bv::Word;
use ir::{Input, Mutant};
use llvm::{Error, Native, NativeOutcome, Options, Overflow, Trap, Unit};

/// Plenty for every function here that ends.
const FUEL: u64 = 100_000;

fn options(file: std::path::PathBuf) -> Options {
    let operators = llvm::operators::TABLE.iter().map(|row| row.operator).collect();
    Options { file, clang: None, flags: vec![], overflow: Overflow::Undefined, operators, functions: vec![] }
}

fn load(c: &str) -> Unit {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("subject.c");
    std::fs::write(&file, c).expect("there is room");
    llvm::load(&options(file)).unwrap_or_else(|error| panic!("{error}"))
}

fn run(unit: &Unit, native: &Native, arguments: &[i128], fuel: u64) -> NativeOutcome {
    let id = unit.program.named("f").expect("the function is called f");
    let parameters = unit.program.function(id).signature.parameters.iter();
    let word =
        |(parameter, value): (&ir::Parameter, &i128)| Word::from_signed(parameter.scalar.width, *value);
    let input = Input { arguments: parameters.zip(arguments).map(word).collect() };
    native.run(id, Mutant::ORIGINAL, &input, fuel).expect("the server answers")
}

fn check(c: &str, arguments: &[i128], expect: NativeOutcome) {
    let unit = load(c);
    let native = Native::build(&unit).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&unit, &native, arguments, FUEL), expect, "{c}");
}

fn returned(value: i32) -> NativeOutcome {
    NativeOutcome::Returned(Some(Word::from_signed(32, value.into())))
}

#[test]
fn a_run_returns_or_says_why_not() {
    check("int f(int a, signed char b) { return a + b; }", &[1, -2], returned(-1));
    check("void f(int a) { a = 1; }", &[1], NativeOutcome::Returned(None));
    check("int f(int a) { return 1 / a; }", &[0], NativeOutcome::Trapped(Trap::DivisionByZero));
    check(
        "int f(int a) { return a % -1; }",
        &[i32::MIN as i128],
        NativeOutcome::Trapped(Trap::DivisionOverflow),
    );
    check("int f(int a) { for (;;) a ^= 1; }", &[1], NativeOutcome::OutOfFuel);
    check("int f(int a) { return *(volatile int *)8 + a; }", &[1], NativeOutcome::Signal(11));
    check("void exit(int); int f(int a) { exit(a); return 1; }", &[7], NativeOutcome::Exited(7));
    check("int missing(int); int f(int a) { return a ? 5 : missing(a); }", &[7], returned(5));
    check("int f(int a) { return a + 1; }", &[i32::MAX as i128], returned(i32::MIN));
    check("int f(void) { int x; return x; }", &[], returned(0));
}

#[test]
fn a_call_to_a_builtin_is_loaded_like_any_other() {
    let c = "int f(int a) { if (a) __builtin_unreachable(); return 1; }";
    check(c, &[1], NativeOutcome::Trapped(Trap::Unreachable));
    check(
        "int f(int a) { if (a) __builtin_trap(); return 1; }",
        &[1],
        NativeOutcome::Trapped(Trap::Unreachable),
    );
    check("int f(int a) { return __builtin_abs(a); }", &[i32::MIN as i128], returned(i32::MIN));
}

#[test]
fn a_recursion_has_room_until_its_fuel_is_spent() {
    let unit = load("int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); }");
    let native = Native::build(&unit).expect("it builds");
    assert_eq!(run(&unit, &native, &[20_000], 200_000), returned(20_000));
    assert_eq!(run(&unit, &native, &[-1], 60_000), NativeOutcome::OutOfFuel);
}

#[test]
fn names_and_output_of_the_subject_are_its_own() {
    let c = "int printf(const char *, ...); int fflush(void *);\n\
             int getline(int x) { return x + 1; } int fork(void) { return -1; } int dup2(int a, int b) { return a; }\n\
             int main(void) { return 3; }\n\
             int f(int a) { printf(\"r 0\\n\"); fflush(0); return getline(a) + fork() + main(); }";
    check(c, &[5], returned(8));
}

#[test]
fn a_run_leaves_no_trace() {
    let unit = load("int count; int f(int a) { count += a; return count; }");
    let native = Native::build(&unit).expect("it builds");
    assert_eq!(run(&unit, &native, &[5], FUEL), returned(5));
    assert_eq!(run(&unit, &native, &[7], FUEL), returned(7));
}

#[test]
fn narrow_arguments_are_widened_by_the_caller() {
    let c = "int f(_Bool b, signed char c, unsigned char d, short e, unsigned short g) { return b + c + d + e + g; }";
    check(c, &[1, -128, 255, -32768, 65535], returned(1 - 128 + 255 - 32768 + 65535));
    check("signed char f(int a) { return a; }", &[0x80], NativeOutcome::Returned(Some(Word::new(8, 0x80))));
    check(
        "long f(long a) { return a * 2; }",
        &[1 << 40],
        NativeOutcome::Returned(Some(Word::new(64, 1 << 41))),
    );
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
