//! Which mutants small pieces of C have, and how they read.

use inkwell::context::Context;
use source::{Change, Text};

use crate::{Operators, Options, Overflow};

/// A file with its mutants.
pub(super) struct Seeded {
    pub text: Text,
    pub changes: Vec<Change>,
    pub idle: Vec<String>,
    /// The meta-mutant, which verifies.
    pub module: String,
}

pub(super) fn seed(c: &[u8], operators: &str, functions: &[&str]) -> Seeded {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let file = folder.path().join("test.c");
    std::fs::write(&file, c).expect("a temporary file can be written");
    let options = Options {
        file,
        clang: None,
        flags: vec![],
        overflow: Overflow::Wrap,
        operators: Operators::parse(operators).expect("they exist"),
        functions: functions.iter().map(|name| name.to_string()).collect(),
        headers: false,
        versions: vec![],
    };
    let context = Context::create();
    let crate::Seeded { module, listing, .. } =
        crate::seed(&context, &options, &bv::Stop::default()).expect("it compiles");
    module.verify().expect("it is valid");
    let crate::Listing { text, changes, idle, .. } = listing;
    let idle = idle.iter().map(|idle| format!("{}: {}", idle.line, idle.why)).collect();
    Seeded { text, changes, idle, module: module.print_to_string().to_string() }
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
    check(
        "AOR",
        "float f(float a, int i) { a++; a *= 2; return a + i; }",
        &["1:28 ++ → --", "1:34 *= → += | -= | /=", "1:49 + → - | * | /"],
    );
    check(
        "AOR",
        "int f(int i, double d) { i *= 1.5; return 2 / d; }",
        &["1:28 *= → += | -= | /=", "1:45 / → + | - | *"],
    );
    check("AOR", "long double f(long double a) { return a + 1; }", &[]);
    check("AOR", "_Bool f(_Bool b) { b++; b--; return b; }", &[]);
    check("AOR", "int f(void) { return 2 + 3; }", &[]);
    check("AOR", "int x = 1 + 2; enum e { A = 1 + 2 }; int y[1 + 2];", &[]);
    check("AOR", "int f(int a) { return sizeof(a + 1) == 4; }", &[]);
}

#[test]
fn comparisons() {
    check("ROR", "int f(int a, long b) { return a < b; }", &["1:33 < → <= | > | >= | == | !="]);
    check("ROR", "int f(char *p, char *q) { return p == q || !p; }", &["1:36 == → < | <= | > | >= | !="]);
    check("ROR", "int f(char *p, char *e) { return p < e; }", &["1:36 < → <= | > | >= | == | !="]);
    check("ROR", "int f(char *p) { return p == 0 || (void *)0 != p; }", &["1:27 == → !=", "1:45 != → =="]);
    check("ROR", "int f(double a) { return a < 0; }", &["1:28 < → <= | > | >= | == | !="]);
    check("ROR", "int f(float a, double b) { return a != b; }", &["1:37 != → < | <= | > | >= | =="]);
    check("BOR", "double f(double a) { return a + 1; }", &[]);
    check(
        "ROR",
        "int f(unsigned a) { if (a != 3) return 1; return 2; }",
        &["1:27 != → < | <= | > | >= | =="],
    );
    check("ROR", "int f(int a) { if (1 < 2) return a; return 0; }", &[]);
}

#[test]
fn bit_operations() {
    let other = "1:30 a & b → (int)((unsigned int)(a) >> (b))";
    check("BOR", "int f(int a, int b) { return a & b; }", &[other, "1:32 & → | | ^ | << | >>"]);
    let other = "1:40 a >> b → (unsigned int)((int)(a) >> (b))";
    check("BOR", "int f(unsigned a, unsigned b) { return a >> b; }", &[other, "1:42 >> → & | | | ^ | <<"]);
    // `a & b` is an operation of `long`, `a << b` one of `int`.
    check("BOR", "long f(int a, long b) { return a & b; }", &["1:34 & → | | ^"]);
    let other = "1:24 a <<= b → a = (int)((unsigned int)(a) >> (b))";
    check("BOR", "int f(int a, long b) { a <<= b; return a; }", &[other, "1:26 <<= → >>="]);
    // The left operand would be evaluated twice.
    check("BOR", "void f(int *a, int b) { *a |= b; }", &["1:28 |= → &= | ^= | <<= | >>="]);
}

#[test]
fn a_change_does_not_regroup() {
    let sum = "1:37 a + b * c → a * (b * c) | a / (b * c) | a % (b * c)";
    let product = "1:41 b * c → (b + c) | (b - c)";
    let c = "int f(int a, int b, int c) { return a + b * c; }";
    check("AOR", c, &[sum, "1:39 + → -", product, "1:43 * → / | %"]);
    let c = "int f(int a, int b, int c) { return a - b - c; }";
    let outer = "1:37 a - b - c → (a - b) * c | (a - b) / c | (a - b) % c";
    check("AOR", c, &[outer, "1:39 - → + | * | / | %", "1:43 - → +"]);
    let c = "int f(int a, int b, int c) { return (a - b) * -c; }";
    check("AOR", c, &["1:40 - → + | * | / | %", "1:45 * → + | - | / | %"]);
    let c = "int f(int a, int b, int c) { return a < b == c; }";
    check("ROR", c, &["1:39 < → <= | > | >= | == | !=", "1:43 == → < | <= | > | >= | !="]);
    let c = "int f(int a, int b, int c) { return a == b < c; }";
    let outer = "1:37 a == b < c → a < (b < c) | a <= (b < c) | a > (b < c) | a >= (b < c)";
    check("ROR", c, &[outer, "1:39 == → !=", "1:42 b < c → (b == c) | (b != c)", "1:44 < → <= | > | >="]);
}

#[test]
fn no_two_tokens_become_one() {
    check("AOR", "int f(int a, int b) { return a+-b; }", &["1:31 + → -  | * | / | %"]);
    check("AOR", "int f(int a, int *b) { return a**b; }", &["1:32 * → + | - | /  | %"]);
    check("AOR", "int f(int a, int b) { return a-++b; }", &["1:31 - → +  | * | / | %", "1:32 ++ →  --"]);
    check("AOR", "int f(int a) { return 0xe*a; }", &["1:26 * →  + |  - | / | %"]);
    check("IVI", "int f(int *a) { return*a-0; }", &["1:26 0 → 1 | (-1)"]);
    check("IVI", "int f(int *a) { return 0xd+*a; }", &["1:24 0xd → 0xe  | 0xc | 0"]);
    check("IVI", "int f(void) { return'a'; }", &["1:21 'a' →  'b' |  '`' |  0"]);
}

#[test]
fn variables() {
    check("IVI", "int f(int x) { return x; }", &["1:23 x → (x + 1) | (x - 1) | 0"]);
    check("IVI", "int f(int x) { return (x); }", &["1:24 x → (x + 1) | (x - 1) | 0"]);
    check("IVI", "long f(unsigned x) { return x; }", &["1:29 x → (x + 1) | (x - 1) | 0U"]);
    check("IVI", "long f(long x) { return x; }", &["1:25 x → (x + 1) | (x - 1) | 0L"]);
    check("IVI", "int f(unsigned char x) { return x; }", &["1:33 x → (x + 1) | (x - 1) | 0"]);
    check("IVI", "_Bool f(_Bool x) { return x; }", &["1:27 x → (x + 1) | (x - 1) | 0"]);
    check(
        "IVI",
        "int g; int f(void) { static int h; return g + h; }",
        &["1:43 g → (g + 1) | (g - 1) | 0", "1:47 h → (h + 1) | (h - 1) | 0"],
    );
    check("IVI", "void f(int *p, int x) { x = *p; p = &x; x++; (void)sizeof x; }", &[]);
    check("IVI", "struct s { int x; }; int f(struct s s, double d) { return s.x + d; }", &[]);
}

#[test]
fn literals() {
    let check = |c: &str, expect: &str| {
        check("IVI", &format!("long f(void) {{ return {c}; }}"), &[&format!("1:23 {c} → {expect}")])
    };
    check("5", "6 | 4 | 0");
    check("0", "1 | -1");
    check("1", "2 | 0");
    check("-1", "0 | -2");
    check("- 7", "-6 | -8 | 0");
    check("0xff", "0x100 | 0xfe | 0");
    check("0XAB", "0xAC | 0xAA | 0");
    check("010", "011 | 07 | 0");
    check("0b11", "4 | 2 | 0");
    check("'a'", "'b' | '`' | 0");
    check("'\\n'", "11 | 9 | 0");
    check("3u", "4u | 2u | 0u");
    check("3L", "4L | 2L | 0L");
    check("3ull", "4ull | 2ull | 0ull");
    check("4294967295u", "0u | 4294967294u");
    check("0xffffffff", "0U | 0xfffffffe");
    check("2147483647", "(-2147483647 - 1) | 2147483646 | 0");
    check("2147483648", "2147483649 | 2147483647L | 0L");
    check("-2147483648", "-2147483647L | -2147483649 | 0L");
    check("9223372036854775807", "(-9223372036854775807 - 1) | 9223372036854775806 | 0L");
}

#[test]
fn places_of_constants() {
    check("IVI", "int f(void) { int x = 5, y = 3; }", &["1:23 5 → 6 | 4 | 0", "1:30 3 → 4 | 2 | 0"]);
    check(
        "IVI",
        "void f(int *p) { *p = 5; p[1] += 6; }",
        &["1:23 5 → 6 | 4 | 0", "1:28 1 → 2 | 0", "1:34 6 → 7 | 5 | 0"],
    );
    check(
        "IVI",
        "int g(int, char); int f(void) { g(5, -3); }",
        &["1:35 5 → 6 | 4 | 0", "1:38 -3 → -2 | -4 | 0"],
    );
    check(
        "IVI",
        "int f(int *p) { return *p ? 5 : *p > 2 ? 4 : *p; }",
        &["1:29 5 → 6 | 4 | 0", "1:38 2 → 3 | 1 | 0", "1:42 4 → 5 | 3 | 0"],
    );
    check(
        "IVI",
        "enum { RED, BLUE }; int f(void) { if (f() == BLUE) return RED; }",
        &["1:46 BLUE → (BLUE + 1) | (BLUE - 1)", "1:59 RED → (RED + 1) | (RED - 1)"],
    );
    check("IVI", "_Bool f(void) { return 5; }", &["1:24 5 → 0"]);
    check("IVI", "int f(int *p) { switch (*p) { case 1: { static int x = 2; int a[3]; } } }", &[]);
    check("IVI", "int *f(void) { if (1 && !2 || 3) { (void)0; 4; while (1) break; } return 0; }", &[]);
    check(
        "IVI",
        "void f(void) { const int x = 5; double d = 3; int a[3] = {4, [2] = 7}; }",
        &["1:30 5 → 6 | 4 | 0", "1:44 3 → 4 | 2 | 0", "1:59 4 → 5 | 3 | 0", "1:68 7 → 8 | 6 | 0"],
    );
    check(
        "IVI",
        "struct s { int x, y : 2; }; struct s f(void) { return (struct s){.y = 1, .x = 4}; }",
        &["1:71 1 → 2 | 0", "1:79 4 → 5 | 3 | 0"],
    );
    check(
        "IVI",
        "int f(int *p) { return *p << 3 | ~4 | !5 | p[6]; }",
        &["1:30 3 → 4 | 2 | 0", "1:35 4 → 5 | 3 | 0", "1:46 6 → 7 | 5 | 0"],
    );
    check("AOR,IVI", "int f(void) { return 2 * 3; }", &["1:22 2 → 3 | 1 | 0", "1:26 3 → 4 | 2 | 0"]);
    check("IVI", "int f(int a) { return __builtin_expect(a, 0); }", &["1:40 a → (a + 1) | (a - 1) | 0"]);
    check("IVI", "void f(int **p) { *p = 0; p += 3; *p = (int *)4; }", &["1:32 3 → 4 | 2 | 0"]);
}

#[test]
fn an_assignment_whose_value_is_used_has_one_constant() {
    check("IVI", "void f(int *p, int *q) { *p = *q = 5; }", &["1:36 5 → 6 | 4 | 0"]);
    check(
        "IVI",
        "void f(int *p) { if ((*p = 5)) {} while (*p = 6) {} for (; *p = 7;) {} }",
        &["1:28 5 → 6 | 4 | 0", "1:47 6 → 7 | 5 | 0", "1:65 7 → 8 | 6 | 0"],
    );
    check("IVI", "void f(int *p, int *q) { *p = ({ *q = 5; }); }", &[]);
    check(
        "IVI",
        "void f(int *p) { for (*p = 7; ; *p = 8) *p = 9; }",
        &["1:28 7 → 8 | 6 | 0", "1:38 8 → 9 | 7 | 0", "1:46 9 → 10 | 8 | 0"],
    );
    check(
        "IVI",
        "void f(int *p, int *q) { *p = 3, *q = 4; l: *p = 5; }",
        &["1:31 3 → 4 | 2 | 0", "1:39 4 → 5 | 3 | 0", "1:50 5 → 6 | 4 | 0"],
    );
}

#[test]
fn a_macro_that_is_a_number_is_a_literal() {
    let f = "\nint f(int *a) { return *a - N; }";
    let check = |define: &str, expect: &[&str]| check("AOR,IVI", &format!("#define N {define}{f}"), expect);
    let minus = "2:27 - → + | * | / | %";
    check("10", &[minus, "2:29 N → 11 | 9 | 0"]);
    check("(10) /* ten */", &[minus, "2:29 N → 11 | 9 | 0"]);
    check("-1", &[minus, "2:29 N → 0 | -2"]);
    check("(-0x10u)", &[minus, "2:29 N → 0xfffffff1u | 0xffffffefu | 0u"]);
    check("'a'", &[minus, "2:29 N → 'b' | '`' | 0"]);
}

#[test]
fn a_macro_for_a_number_may_stand_for_another() {
    let c =
        "#include <limits.h>\n#define A B\n#define B 5\nint f(int *a) { return *a < A || *a == INT_MAX; }";
    check("IVI", c, &["4:29 A → 6 | 4 | 0", "4:40 INT_MAX → (-2147483647 - 1) | 2147483646 | 0"]);
}

#[test]
fn code_of_a_macro_has_its_mutants_at_the_use() {
    let check = |define: &str, body: &str, expect: &[&str]| {
        check("seed", &format!("{define}\nint f(int *a, int *b) {{ return {body}; }}"), expect);
    };
    let larger = ["<", "<=", ">=", "==", "!="].map(|op| format!("((*a) {op} (*b + 1) ? (*a) : (*b + 1))"));
    let larger = format!("2:32 MAX(*a, *b + 1) → {}", larger.join(" | "));
    check(
        "#define MAX(x, y) ((x) > (y) ? (x) : (y))",
        "MAX(*a, *b + 1) - *a",
        &[&larger, "2:48 - → + | * | / | %"],
    );
    let sum = "2:32 SUM → (* a - * b) | (* a * * b) | (* a / * b) | (* a % * b)";
    check("#define SUM (*a + *b)", "SUM - *a", &[sum, "2:36 - → + | * | / | %"]);
    check("#define SUM *a + *b", "SUM - *a", &[]);
    check("#define SUM *a + *b", "*a * SUM", &[]);
    check("#define PLUS +", "*a PLUS *b", &[]);
    check("#define INCREMENT + 1", "*a - *b INCREMENT", &["2:35 - → + | * | / | %"]);
    check("#define ONE -1", "*a ONE", &[]);
    check("#define TWICE 2 *", "TWICE *a", &[]);
    check("#define PAIR 1, 2", "*b - (PAIR)", &[]);
}

#[test]
fn comments_and_line_breaks_stay() {
    let c = "int f(int *a, int *b) { return *a /* + */ + // minus\n  *b; }";
    check("AOR", c, &["1:43 + → - | * | / | %"]);
    let c = "int f(int *a, int *b) {\n\treturn *a + /* é */ *b - 1; }";
    check(
        "AOR",
        c,
        &[
            "2:9 *a + /* é */ *b - 1 → (*a + /* é */ *b) * 1 | (*a + /* é */ *b) / 1 | (*a + /* é */ *b) % 1",
            "2:12 + → - | * | / | %",
            "2:26 - → +",
        ],
    );
    let c = "int f(int *a,\r\n  int *b) {\r\n  return *a \\\r\n  + *b; }\r\n";
    check("AOR", c, &["4:3 + → - | * | / | %"]);
}

#[test]
fn bytes_that_are_no_text_are_not_quoted() {
    let changes = seed(b"int f(int *a) { return /* \xff */ *a + /* \xe9 */ *a * 2; }", "AOR", &[]).changes;
    let read: Vec<String> =
        changes.iter().map(|change| format!("{} {}", change.span.start, change.edit.replacement)).collect();
    assert_eq!(read, ["1:35 -", "1:45 (*a + 2)", "1:45 (*a - 2)", "1:48 /", "1:48 %"]);
}

#[test]
fn line_directives_move_nothing() {
    let c = "int f(int *a) {\n#line 100 \"other.y\"\n  return *a + 1;\n}\nint g(int *a) { return *a - 1; }";
    check("AOR", c, &["5:27 - → + | * | / | %"]);
    let c = "#line 7\nint f(int *a) { return *a + 1; }";
    check("AOR", c, &["2:27 + → - | * | / | %"]);
}

#[test]
fn functions_of_headers_have_no_mutants() {
    let c = "#include <stdlib.h>\n#include <ctype.h>\nint f(int *a) { return abs(*a) + isdigit(*a); }";
    check("AOR", c, &["3:32 + → - | * | / | %"]);
}

#[test]
fn only_the_named_functions_are_mutated() {
    let c = "int f(int *a) { return *a + 1; } static int g(int *a) { return *a - 1; } int h(int *a) { return g(a); }";
    let named = |functions: &[&str]| {
        seed(c.as_bytes(), "AOR", functions)
            .changes
            .into_iter()
            .map(|change| change.function)
            .collect::<Vec<_>>()
    };
    assert_eq!(named(&[]), ["f", "f", "f", "f", "g", "g", "g", "g"]);
    assert_eq!(named(&["g"]), ["g", "g", "g", "g"]);
}

#[test]
fn a_function_that_asks_to_be_inlined_has_mutants_too() {
    let c = "static inline __attribute__((always_inline)) int g(int *a) { return *a - 1; } int h(int *a) { return g(a); }";
    check("AOR", c, &["1:72 - → + | * | / | %"]);
}

#[test]
fn the_module_names_its_mutants() {
    let module = seed(b"int f(int a, int b) { return a + b; }", "AOR", &[]).module;
    for part in [
        "@__whet_mutant = global i32 0",
        "define internal i32 @whet.site.1(i32 %a, i32 %b) #",
        "!whet.mutants = !{",
        "!{i32 1, !\"AOR\", !\"1:32\", !\"+\", !\"-\"}",
    ] {
        assert!(module.contains(part), "{part}\n{module}");
    }
    let arms =
        module.lines().filter(|line| line.contains("ret i32") && line.contains("!whet.mutant")).count();
    assert_eq!(arms, 4);
}

#[test]
fn comments_keep_mutants_away() {
    let c = "int f(int a) {\n  a += 1; // whet: ignore AOR\n  // whet: ignore\n  a -= 2;\n  return a * 3; // NOMUT\n}\n// whet: ignore\n";
    let seeded = seed(c.as_bytes(), "AOR,CR", &[]);
    let lines: Vec<String> =
        seeded.changes.iter().map(|it| format!("{} {}", it.operator, it.span.start)).collect();
    assert_eq!(lines, ["CR 2:8"; 5]);
    assert_eq!(seeded.idle, ["7: this comment suppresses no mutant"]);
}

#[test]
fn places_move_with_what_is_put_in_before_them() {
    let c = "int f(int b, int c) { return b++ < c ? 4 : 5; }";
    let expect = [
        "1:30 b++ < c → 1 | 0 | !(b++ < c)",
        "1:30 b++ < c ? 4 : 5 → 0 | 1 | -1",
        "1:31 ++ → --",
        "1:40 4 → 0 | 1 | -1 | 5 | 3",
        "1:44 5 → 0 | 1 | -1 | 6 | 4",
    ];
    check("default,-UOI,-ROR", c, &expect);
}

#[test]
fn logical_operations() {
    check(
        "LCR",
        "int f(int a, int b, int c) { return a && b || c; }",
        &["1:37 a && b → a | b", "1:37 a && b || c → a && b | !!c | 1 | 0", "1:39 && → ||", "1:44 || → &&"],
    );
}

#[test]
fn cases() {
    check(
        "SCR",
        "int f(int a) { switch (a) { case 1: case 2: return 3; case 4 ... 6: a++; case 1000 ... 9000: a--; } return a; }",
        &["1:29 case 1: → ", "1:37 case 2: → ", "1:55 case 4 ... 6: → ", "1:74 case 1000 ... 9000: → "],
    );
    check(
        "SCR",
        "enum { A }; int f(int a) { switch (a) { case A: return 1; case 'a' + 2: a++; } return a; }",
        &["1:41 case A: → ", "1:59 case 'a' + 2: → "],
    );
    // Nobody misses a case of what is done by default.
    check("SCR", "int f(int a) { switch (a) { case 1: default: case 2: return 1; } return a; }", &[]);
}
