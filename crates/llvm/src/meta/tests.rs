//! Which mutants small pieces of C have, and how they read.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use source::{Change, Text};

use crate::clang::{self, Overflow};
use crate::operators::Operator;
use crate::{ast, meta};

/// A file with its mutants.
pub(super) struct Seeded {
    pub text: Text,
    pub changes: Vec<Change>,
    /// The meta-mutant, which verifies.
    pub module: String,
}

pub(super) fn seed(c: &[u8], operators: &str, functions: &[&str]) -> Seeded {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let file = folder.path().join("test.c");
    std::fs::write(&file, c).expect("a temporary file can be written");
    let bitcode = clang::compile(&file, &[], Overflow::Wrap).expect("it compiles");
    let ast = ast::parse(&file, &[]).expect("it parses");
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bitcode, "test");
    let module = Module::parse_bitcode_from_buffer(&buffer, &context).expect("clang writes bitcode");
    let text = Text::new(c.to_vec());
    let operators = Operator::set(operators).expect("they exist");
    let functions: Vec<String> = functions.iter().map(|name| name.to_string()).collect();
    let changes = meta::build(&module, &ast, &text, &operators, &functions);
    if let Err(message) = module.verify() {
        panic!("{message}\n{}", module.print_to_string());
    }
    Seeded { text, changes, module: module.print_to_string().to_string() }
}

/// The mutants that `operators` make, one for each line of `expect`: place, original → replacement.
/// Those at one place stand in one line if they differ in the replacement only.
#[track_caller]
fn check(operators: &str, c: &str, expect: &[&str]) {
    let mut lines: Vec<String> = Vec::new();
    for change in seed(c.as_bytes(), operators, &[]).changes {
        let start = format!("{} {} → ", change.span.start, change.original);
        match lines.last_mut() {
            Some(last) if last.starts_with(&start) => *last += &format!(" | {}", change.replacement()),
            _ => lines.push(start + change.replacement()),
        }
    }
    assert_eq!(lines, expect, "{c}");
}

#[test]
fn arithmetic() {
    check("AOR", "int f(int a, int b) { return a + b; }", &["1:32 + → - | * | / | %"]);
    check("AOR", "long f(long a, char b) { a %= b; return a; }", &["1:28 %= → += | -= | *= | /="]);
    check("AOR", "int f(int a) { a++; --a; return -a; }", &["1:17 ++ → --", "1:21 -- → ++"]);
    check("AOR", "int *f(int *p, int i) { p++; p += i; return p + i - 1; }", &[]);
    check("AOR", "float f(float a, int i) { a++; a *= 2; return a + i; }", &[]);
    check("AOR", "_Bool f(_Bool b) { b++; b--; return b; }", &[]);
    check("AOR", "int f(void) { return 2 + 3; }", &[]);
}

#[test]
fn comparisons() {
    check("ROR", "int f(int a, long b) { return a < b; }", &["1:33 < → <= | > | >= | == | !="]);
    check("ROR", "int f(char *p, char *q) { return p == q || !p; }", &[]);
    check("ROR", "int f(double a) { return a < 0; }", &[]);
    check("ROR", "int f(unsigned a) { if (a != 3) return 1; return 2; }", &["1:27 != → < | <= | > | >= | =="]);
}

#[test]
fn bit_operations() {
    let logical = "1:30 a & b → (int)((unsigned int)(a) >> (b))";
    check("BOR", "int f(int a, int b) { return a & b; }", &["1:32 & → | | ^ | << | >>", logical]);
    let arithmetic = "1:37 a >> b → (unsigned int)((int)(a) >> (b))";
    check("BOR", "int f(unsigned a, unsigned b) { return a >> b; }", &["1:42 >> → & | | | ^ | <<", "1:40 a >> b → (unsigned int)((int)(a) >> (b))"]);
    let _ = arithmetic;
    // `a & b` is an operation of `long`, `a << b` one of `int`.
    check("BOR", "long f(int a, long b) { return a & b; }", &["1:34 & → | | ^"]);
    check("BOR", "int f(int a, long b) { a <<= b; return a; }", &["1:26 <<= → >>=", "1:24 a <<= b → a = (int)((unsigned int)(a) >> (b))"]);
    check("BOR", "void f(int *a, int b) { *a |= b; }", &["1:28 |= → &= | ^= | <<= | >>="]);
}

#[test]
fn precedence() {
    let c = "int f(int a, int b, int c) { return a + b * c; }";
    check("AOR", c, &[
        "1:39 + → -",
        "1:37 a + b * c → a * (b * c) | a / (b * c) | a % (b * c)",
        "1:41 b * c → (b + c)",
    ][..2].iter().copied().chain(["1:41 b * c → (b + c) | (b - c)", "1:43 * → / | %"]).collect::<Vec<_>>().as_slice());
}
