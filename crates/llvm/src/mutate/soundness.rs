//! Each mutant, applied to the source and compiled, does what the meta-mutant does under its number.
//!
//! A test of everything at once: places, types, precedence, wording, site functions. The edited
//! copies of a snippet go into one C file, each under a name of its own, and are linked with the
//! meta-mutant and with a driver that runs both over many inputs and compares: values, traps, fuel.

mod random;

use std::fmt::Write as _;
use std::process::Command;

use source::Text;

use super::tests::{Seeded, seed};

/// Ends what the copies share: types, macros, helpers. After it stands the function `subject`.
const SHARED: &str = "//--\n";

/// What a copy and the meta-mutant need around the subject.
const DECLARATIONS: &str =
    "void tick(void); int id(int); int three(int, char, long);\n#define TICK tick();\n";

const DRIVER: &str = include_str!("soundness.c");

/// The subject has up to three parameters of any integer types, and `drive` calls it with longs.
#[track_caller]
fn check(parameters: &str, shared: &str, body: &str) {
    let result = "long long";
    // What ends a loop for ever must not be a statement that can be deleted.
    let body = body.replace("tick();", "TICK");
    let head = format!("{DECLARATIONS}{shared}\n{SHARED}");
    let count = parameters.split(',').count();
    let arguments = ["a", "b", "c"][..count].join(", ");
    let drive = format!("long long drive(long a, long b, long c) {{ return subject({arguments}); }}\n");
    let c = format!("{head}{result} subject({parameters}) {{\n{body}\n}}\n{drive}");
    for operators in ["seed", "default"] {
        let seeded = seed(c.as_bytes(), operators, &["subject"]);
        assert!(!seeded.changes.is_empty(), "no mutants:\n{c}");
        if let Err(differences) = run(&seeded, &head) {
            panic!("{c}\n{differences}");
        }
    }
}

fn run(seeded: &Seeded, head: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = |name: &str| folder.path().join(name);
    // Inlined, a division by what can only be 0 or 1 would be folded as if 0 could not be: this is
    // the meta-mutant before undefined behaviour is taken out of it.
    let module = seeded.module.replace("alwaysinline", "noinline");
    std::fs::write(path("meta.ll"), module).expect("it can be written");
    std::fs::write(path("copies.c"), copies(seeded, head)).expect("it can be written");
    let output = Command::new("clang-19")
        .args(["-O0", "-fwrapv", "-w", "-o", "run", "meta.ll", "copies.c"])
        // A division by a literal zero would else be folded to anything at all.
        .args(["-fsanitize=integer-divide-by-zero", "-fsanitize-trap=all"])
        .current_dir(folder.path())
        .output()
        .expect("clang runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(path("run")).output().expect("it runs");
    let differences = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() && differences.is_empty() {
        return Ok(());
    }
    let numbers = differences.lines().filter_map(|line| line.split(' ').next()?.parse::<usize>().ok());
    let mut names = format!("{}\n", output.status);
    for number in numbers.collect::<std::collections::BTreeSet<_>>() {
        let change = &seeded.changes[number - 1];
        let _ =
            writeln!(names, "{number}: {} {} → {}", change.span.start, change.original, change.replacement());
    }
    Err(format!("{names}{differences}"))
}

/// All edited copies, and a table of them.
fn copies(seeded: &Seeded, head: &str) -> String {
    let mut c = head.to_string();
    let mut table = String::new();
    for (at, change) in seeded.changes.iter().enumerate() {
        let edited = Text::new(change.edit.apply(&seeded.text));
        let copy = edited.slice(head.len()..edited.bytes().len());
        let _ = write!(
            c,
            "#define subject subject_{at}\n#define drive drive_{at}\n{copy}\n#undef subject\n#undef drive\n"
        );
        let _ = write!(table, "drive_{at}, ");
    }
    let _ = writeln!(c, "long long (*const copies[])(long, long, long) = {{ {table} }};");
    c += DRIVER;
    let _ = writeln!(c, "const int count = {};", seeded.changes.len());
    c
}

#[test]
fn arithmetic_and_comparison() {
    check("int a, int b, int c", "", "return a + b * c - a / (b - c) % 7;");
    check("unsigned a, int b, long c", "", "return a / b + a % b - c * a + (b - a) / 3;");
    check(
        "long a, unsigned b, short c",
        "",
        "a += b; a -= c; b *= a; b /= c; b %= 9u; c += b; c *= 3L; return a + b - c;",
    );
    check(
        "int a, unsigned b, unsigned char c",
        "",
        "return (a < b) + (a <= c) * 2 + (b > c) * 4 + (a != -1) * 8;",
    );
    check("long a, int b, char c", "", "return a < b || c >= 'a' && (b == 97u || c != a);");
    check(
        "signed char a, short b, unsigned short c",
        "",
        "a++; --b; ++c; a--; return a-- - --b + c++ * ++a;",
    );
}

#[test]
fn floats_and_pointers() {
    check(
        "int a, int b, int c",
        "",
        "double x = a, y = b / 4.0; x += y * c; x -= 1; return x < y || x / 2 >= c + y || x == y;",
    );
    check(
        "int a, int b, int c",
        "",
        "float x = a / 8.0f, y = c; x++; y--; x *= y; return x != y && !(x > b) || x <= y - x;",
    );
    check(
        "int a, int b, int c",
        "",
        "char t[4]; char *p = t + (a & 3), *q = t + (b & 3); return p == q || p < q || c && p != 0 && q >= p;",
    );
}

#[test]
fn precedence() {
    check("int a, int b, int c", "", "return a+b*c - -b-a- -c*(a-b)%3 + a*-b;");
    check("int a, int b, int c", "", "return a<<1&b|c^a>>2&7|b<<3>>1;");
    check("int a, int b, int c", "", "return a-b<c*2==b+c>a!=(a&3)<(b|1);");
    check("int a, int b, int c", "", "return a-(b-c)-(a-b-c)+a*b*c/(a*(b*c));");
    check(
        "int a, int b, int c",
        "static int *volatile hide;",
        "int *p = &b; hide = p; return a**p+a/ *p-a%*p;",
    );
    check("int a, int b, int c", "", "return a++-b---c+ ++b- --c+-a;");
}

#[test]
fn bit_operations() {
    check(
        "int a, int b, int c",
        "",
        "return (a & b) + (b | c) * 2 + (a ^ c) + (a << (b & 15)) + (a >> (c & 7));",
    );
    check(
        "unsigned a, unsigned b, long c",
        "",
        "a &= b; b >>= a; a |= 5; a <<= b; a ^= c; return a >> 3 ^ b;",
    );
    check("long a, int b, short c", "", "a >>= b; a &= c; c <<= 2; c >>= 1; c |= b; return a ^ c;");
    check(
        "signed char a, unsigned char b, short c",
        "",
        "a >>= 1; b <<= 1; return (a >> 1) + (b >> 2) + (c & a) + (a ^ b);",
    );
    check(
        "unsigned long a, unsigned b, int c",
        "",
        "return (a & b) ^ (a | c) ^ (b & c) ^ (a >> 5) ^ (b << 2) ^ (c >> b);",
    );
}

#[test]
fn variables_of_each_width() {
    check(
        "char a, unsigned char b, signed char c",
        "",
        "char d = a; int e = b; long f = c; b = c; return a + b + d * e - f + (a < b);",
    );
    check(
        "short a, unsigned short b, char c",
        "",
        "long e = b; unsigned f = a; c = b; a = c; unsigned long g = a; return a * b + e - f + c + g;",
    );
    check(
        "char a, unsigned char b, unsigned short c",
        "",
        "int r = 0; if (a) r += 1; if (b) r += 2; if (c) r += 4; if (!b) r += 8; return b ? r : c ? a : -r;",
    );
    check(
        "char a, unsigned char b, unsigned short c",
        "",
        "_Bool x = a; _Bool y = b; _Bool z = c; return x + y * 2 + z * 4 + (a && b) + (b || c);",
    );
    check(
        "unsigned a, unsigned long b, long long c",
        "",
        "return (a > c) + (b > c) * 2 + (a - 1 > c) * 4 + (a / -3) + b / 3;",
    );
    check(
        "int a, unsigned b, long c",
        "",
        "long x = a; unsigned long y = a; int z = c; short s = c; return x * 3 + y + z - s + (a > b);",
    );
    check(
        "int a, int b, int c",
        "static int wide[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};",
        "int *table = wide + 7; char i = a & 7; unsigned char j = b & 7; if (i < 2 || i > 5 || j < 2 || j > 5) return 0; return table[i] * 10 + table[j] + i[table];",
    );
    check(
        "int a, int b, int c",
        "static double d; static float g;",
        "char s = a; d = a; g = s; d += b; return (long)(d / 2) + (int)(g * 4) + (int)(s * 0.5);",
    );
}

#[test]
fn casts() {
    check(
        "char a, unsigned char b, short c",
        "",
        "int d = (unsigned char)a; int e = (signed char)b; long f = (unsigned short)c; return d + e * 2 + f * 4 + ((unsigned char)a < b);",
    );
    check(
        "char a, unsigned char b, short c",
        "",
        "if ((unsigned char)a) b++; if ((signed char)b) return (char)c; if ((_Bool)b) return 7; return (int)a + (long)(unsigned char)(c) + (unsigned)a;",
    );
    check(
        "int a, unsigned b, long c",
        "",
        "return (char)a + (unsigned char)(b) * 2 + (short)c * 4 + (long)a + (unsigned long)a / 3 + (int)b / 5;",
    );
    check(
        "_Bool a, _Bool b, int c",
        "",
        "int d = (_Bool)a; char e = (char)b; return d + e + (long)a * 4 + (unsigned char)b * 8 + (_Bool)(c & 2);",
    );
    check(
        "char a, short b, int c",
        "static int old(); static int old(x, y) char x; short y; { return x * 1000 + y; }",
        "return old(a, b) + old(97, 5);",
    );
}

#[test]
fn truth_values() {
    check(
        "_Bool a, _Bool b, int c",
        "",
        "_Bool d = a; int e = b; char f = a; long g = b; if (a) e += 2; return d + e * 2 + f * 8 + g * 16;",
    );
    check(
        "_Bool a, _Bool b, int c",
        "",
        "return (a && b) + (a || c) * 2 + !a * 4 + (a ? 8 : c) + (a == b) * 32 + (a < c) + -b + ~a;",
    );
    check(
        "_Bool a, _Bool b, int c",
        "static _Bool not(_Bool x) { return !x; }",
        "_Bool d = not(a); a |= b; b &= 3; a ^= 1; a += 1; b = c; b = c > 2; return a + b * 2 + d * 4;",
    );
    check(
        "_Bool a, _Bool b, int c",
        "",
        "_Bool t = 1; _Bool u = 0; if (c) t = 4; u = (char)256; return t + u + (_Bool)c + (a ? b : t);",
    );
    check(
        "_Bool a, _Bool b, int c",
        "static _Bool pick(_Bool x, _Bool y) { return x; }",
        "while (a) { tick(); a = pick(b, 1); if (c-- < 3) break; } return a + b + c;",
    );
}

#[test]
fn constants() {
    check(
        "int a, int b, int c",
        "",
        "int d = 5; d = -3; d += 2147483647; d ^= 0x7fffffff; d -= 010; return d * 3 + a;",
    );
    check(
        "int a, int b, int c",
        "",
        "unsigned d = 4294967295u; long e = 2147483648; e += 0x80000000; d += 0xFFFFFFFF; return d + e - 1ull + 0L + 7lu + 'a' - '\\n' + '\\'';",
    );
    check(
        "int a, int b, int c",
        "",
        "long d = -2147483648; long e = -9223372036854775807L; return d + e + (a < -2147483647) + (a > 0u) + (b < -1l) - -1 -1+-1;",
    );
    check(
        "unsigned a, long b, char c",
        "",
        "return (a > 0) + (a < 1) * 2 + (b > 1u) * 4 + (c == 'b') * 8 + (c != -128) * 16 + (b == 0xffffffff);",
    );
    check(
        "int a, int b, int c",
        "",
        "char d = 300; short e = 'x'; _Bool f = 2; unsigned char g = -1; c = (char)129; c += (unsigned char)-2; return d + e + f + g + c;",
    );
    check("int a, int b, int c", "", "return a ? 1 : 2;");
    check("int a, int b, int c", "", "return a ? b ? 3 : c : b > 0 ? 4 : c < 0 ? a : 5L;");
    check(
        "int a, int b, int c",
        "",
        "if (a > 5) return 1; if (b) return -1; return three(3, 'c', -7) + three(a, 300, 5u) + id(0) + id(-1);",
    );
    check(
        "int a, int b, int c",
        "enum color { RED, GREEN = 7, BLUE = -2, LAST = 2147483647 };",
        "enum color x = GREEN; int d = RED; d += BLUE; x = a ? BLUE : LAST; return d + x * 2 + (x == GREEN) + (a < LAST) + id(RED);",
    );
    check(
        "int a, int b, int c",
        "enum color { RED, GREEN = 7 };",
        "enum color x = a & 7; if (x < b) return 1; if (x >= GREEN) return x + 1; return (x - c) / 3;",
    );
    check(
        "int a, int b, int c",
        "#define LIMIT 10\n#define NEG (-1)\n#define HEX 0xfu\n#define CHR 'z'",
        "if (a > LIMIT) a = LIMIT; if (b == NEG) b = NEG; return a - NEG + b * HEX + (c < CHR);",
    );
    check(
        "int a, int b, int c",
        "",
        "int i, j, n = 0; for (i = 0, j = 10; i < j; i++, j -= 1) { tick(); n = n * 3 + i; } for (i = 3; i; i = 0) { tick(); n += 2; } return n ^ a;",
    );
}

#[test]
fn constants_that_are_no_operands() {
    check(
        "int a, int b, int c",
        "struct s { int x; unsigned y : 5; short z[3]; }; static int sum(int *t, short *z) { return t[0] + t[1] * 3 + t[2] * 7 + t[3] * 11 + z[0] * 2 + z[1]; }",
        "struct s all[9] = {{1}}; int t[4] = {3, [2] = 4, 5}; struct s s = {.x = 7, .z = {1, 2}}; struct s *p = all + 4; p[0].x = a; p->z[1] = 2; p[1].y = 3; return sum(t, s.z) + s.x + (struct s){6, 5}.y + p[-1].x + 1[p].y * 3 + all[4].x;",
    );
    check(
        "int a, int b, int c",
        "",
        "long wide[32] = {1, 2}; long *p = wide + 16; p += 2; *(p + 1) = a; p[-1] = b; wide[9 + 8] += 2; p -= 1; return *(p - 1 + 2) * 3 + 1[p] + (&p[1])[0] + (p - wide) * 7;",
    );
    check(
        "int a, int b, int c",
        "static int (*volatile call)(int, char, long) = three;",
        "const int k = 6; double d = 5; d += 2; d = d * 3 - k; int x = (a, 4); x += (b = 9) + call(3, 'c', 2) + (k * 2 + 1); return x + b + (int)d + (a & ~6) + -(2) + 60 * 60 / 7 + (1 << 4);",
    );
    check(
        "int a, int b, int c",
        "enum color { RED, GREEN = 7 };\n#define SIZE 5\n#define LAST (SIZE - 1)\nstatic int sum(unsigned char *t) { return t[0] + t[1] * 3 + t[2] * 7 + t[3] * 11; }",
        "unsigned char all[20] = {0}; unsigned char u[SIZE] = {SIZE, GREEN, 'x'}; unsigned char *t = all + 6; t[LAST] = b; switch (3) { case 3: t[RED] += 1; break; case SIZE: t[1] = 2; } float f = SIZE; return t[0] * 100 + t[1] * 10 + t[2] + t[3] + sum(u) + (f > 4);",
    );
}

#[test]
fn control_flow() {
    check(
        "int a, int b, int c",
        "",
        "int n = 0; while (a > 0 && n < 20) { tick(); a -= b & 3; n++; } do { tick(); n += c & 1; } while (n < 9 && c); return n;",
    );
    check(
        "int a, int b, int c",
        "",
        "switch (a & 3) { case 0: return b; case 1: b += 1; case 2: c = 2; break; default: return b ?: c; } return b - c;",
    );
    check(
        "int a, unsigned char b, long c",
        "enum e { A = 3, B };",
        "switch (a) { case 1: case 2: c += 5; break; case 5 ... 20: c += 6; break; case 97 ... 5000: c -= 1; case -5 ... -2: case 'A' + 1: c *= 8; break; case 6 + 40: default: c += 9; break; case A:\n case B: c += 10; } switch (b) { case 0 ... 254: c++; } switch (c) { case -1L: case 0 ... 0xffffffff: return 2; default: case -7: return c; } return c - 1;",
    );
    check(
        "unsigned a, unsigned b, int c",
        "",
        "while (b != 0) { tick(); unsigned t = a % b; a = b; b = t; } return a;",
    );
    check("int a, int b, int c", "", "return a == b ? (a == c ? 1 : 2) : (b == c || a == c ? 2 : 3);");
    check(
        "int a, int b, int c",
        "static int total; struct s { int x; unsigned y : 5; int z : 3; };",
        "struct s s = {a, b, c}; s.y += 3; s.z++; s.x -= s.y; total = s.x; s.y |= 2; s.y &= b; s.z = 2; return s.x * 100 + s.y * 10 + s.z + total;",
    );
    check(
        "int a, int b, int c",
        "#define MAX(x, y) ((x) > (y) ? (x) : (y))\n#define SUM a + b",
        "return MAX(a, b) * c + MAX(a + 1, 3) - SUM * 2 + (c - SUM);",
    );
}

#[test]
fn types_of_operands_in_macros() {
    check(
        "int a, int b, int c",
        "static int wide[1024] = {[300 ... 400] = 7, [401 ... 511] = 3, [513 ... 600] = 9, [700] = 4}; static int *const middle = wide + 512;\n#define AT(p, i) ((p) + (i))\n#define GAP(p, q) ((p) - (q))\n#define HALF(x) ((x) / 2.0)\n#define BYTE(p) (*((unsigned char *)(p) + (unsigned char)c % 4))",
        "return *AT(middle, (unsigned char)a) * 3 + GAP(AT(middle, (signed char)b), middle) + (HALF(c) > 3) + BYTE(middle);",
    );
    // The number in a type is no operand.
    check("int a, int b, int c", "", "return a + (__typeof__(1))1 + (int)sizeof(int[2]) + *(int[2]){3, b};");
}
