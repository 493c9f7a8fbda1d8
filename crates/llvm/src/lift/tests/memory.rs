//! Pointers, arrays, structs and globals.

use bv::Hazard;
use ir::Fault;

use super::{check, check_all, check_fault, lifted};

#[test]
fn arrays_and_pointers() {
    check("int f(int i) { int t[3] = {1, 2, 3}; return t[i]; }", &[2], 3);
    check("int f(int i) { int t[2][3] = {{1, 2, 3}, {4, 5, 6}}; return t[i][1]; }", &[1], 5);
    check("int f(int a) { int *p = &a; *p += 1; return a; }", &[4], 5);
    check("int f(int a) { char s[] = \"abc\"; char *p = s; while (*p) p++; return p - s; }", &[0], 3);
    check("long f(int a) { int t[9]; return &t[7] - &t[a]; }", &[2], 5);
    check("int f(int a) { int t[4]; return &t[1] < &t[a]; }", &[2], 1);
    check("int f(int a) { int t[4]; int *p = t, *q = t + 1; return (p == q - 1) + (p != q) + !p; }", &[2], 2);
    check("int f(int a) { int x = 1, y = 2; int *p = a ? &x : &y; return *p; }", &[0], 2);
    check("int f(int a) { int x = 1, y = 2; int *p = &x; if (a) p = &y; return *p; }", &[1], 2);
    check(
        "void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; } int f(int a, int b) { swap(&a, &b); return a; }",
        &[1, 2],
        2,
    );
    check("int f(int a) { int t[a]; t[a - 1] = 7; return t[a - 1] + sizeof t; }", &[3], 19);
    check("int f(int a) { volatile int v = a; v++; return v; }", &[3], 4);
    check("int f(int a) { unsigned char b[4] = {1, 2, 3, 4}; return *(int *)b; }", &[0], 0x0403_0201);
    check("int f(int i) { const char *t[] = {\"ab\", \"cd\"}; return t[i][1]; }", &[1], 'd' as i128);
    check("int f(short i) { long t[3] = {1, 2, 3}; long *p = t + 2; return p[i]; }", &[-1], 2);
}

#[test]
fn structs_and_unions() {
    check(
        "struct s { int a; char b; long c; }; int f(int x) { struct s v = {x, 2, 3}; struct s w = v; return w.a + w.b + w.c; }",
        &[1],
        6,
    );
    check(
        "struct s { int a, b; }; int g(struct s *p) { return p->b; } int f(int x) { struct s v; v.b = x; return g(&v); }",
        &[4],
        4,
    );
    check(
        "struct s { int a:3; unsigned b:5; int c:20; }; int f(int x) { struct s v; v.a = x; v.b = x; v.c = x; return v.a + 100 * v.b + 10000 * v.c; }",
        &[6],
        60598,
    );
    check(
        "union u { int i; unsigned char b[4]; }; int f(int x) { union u v; v.i = x; return v.b[1]; }",
        &[0x1234],
        0x12,
    );
    check(
        "struct n { int v; struct n *next; }; int f(int x) { struct n a = {1, 0}, b = {x, &a}; int s = 0; for (struct n *p = &b; p; p = p->next) s += p->v; return s; }",
        &[5],
        6,
    );
    check(
        "struct s { int t[3]; }; int f(int i) { struct s v[2] = {{{1, 2, 3}}, {{4, 5, 6}}}; return v[1].t[i]; }",
        &[2],
        6,
    );
    check(
        "#include <stddef.h>\nstruct s { char c; double d; }; int f(int x) { return offsetof(struct s, d) + (int)(long)&((struct s *)0)->d; }",
        &[0],
        16,
    );
}

#[test]
fn structs_by_value() {
    let small = "struct p { float x, y; }; struct p twice(struct p a) { a.x *= 2; a.y *= 2; return a; }";
    check(
        &format!("{small} int f(int a) {{ struct p p = {{a, 1}}; return twice(p).x + twice(p).y; }}"),
        &[3],
        8,
    );
    let mixed = "struct p { long x; double y; }; struct p next(struct p a) { a.x++; a.y++; return a; }";
    check(
        &format!("{mixed} int f(int a) {{ struct p p = {{a, 1}}; return next(p).x * 10 + next(p).y; }}"),
        &[3],
        42,
    );
    let three = "struct p { int x, y, z; }; struct p turn(struct p a) { return (struct p){a.z, a.x, a.y}; }";
    check(
        &format!(
            "{three} int f(int a) {{ struct p p = turn((struct p){{a, 2, 3}}); return p.x * 100 + p.y * 10 + p.z; }}"
        ),
        &[1],
        312,
    );
    let large = "struct p { int t[9]; }; struct p set(struct p a, int v) { a.t[8] = v; return a; }";
    check(
        &format!(
            "{large} int f(int a) {{ struct p p = {{{{0}}}}; struct p q = set(p, a); return q.t[8] * 10 + p.t[8]; }}"
        ),
        &[7],
        70,
    );
}

#[test]
fn globals_keep_what_is_written() {
    check("int g = 5; int f(int a) { g += a; return g; }", &[2], 7);
    check("static int g[3] = {1, 2, 3}; int f(int i) { g[i] *= 2; return g[1]; }", &[1], 4);
    check(
        "int next(void) { static int n = 10; return n++; } int f(int a) { next(); return next(); }",
        &[0],
        11,
    );
    check("int x = 3; int *p = &x; int f(int a) { *p = a; return x; }", &[8], 8);
    check("int t[] = {1, 2, 3}; int *last = &t[2]; int f(int a) { return *last; }", &[8], 3);
    check(
        "struct s { char c; const char *n; int t[2]; } g[] = {{1, \"ab\", {1, 2}}, {2, \"cd\", {3, 4}}}; int f(int i) { return g[i].n[0] + g[i].t[1]; }",
        &[1],
        'c' as i128 + 4,
    );
    check("static const unsigned char crc[256] = {[7] = 9}; int f(int i) { return crc[i]; }", &[7], 9);
    check("double d = 1.5; float e = 2.5f; int f(int i) { return d + e; }", &[7], 4);
    check("static int a; static int *p[2] = {&a, 0}; int f(int i) { *p[0] = i; return a + !p[1]; }", &[7], 8);
}

#[test]
fn function_pointers() {
    let functions = "static int inc(int x) { return x + 1; } static int dec(int x) { return x - 1; }";
    check_all(
        &format!(
            "{functions} static int (*const table[])(int) = {{inc, dec}}; int f(int i, int x) {{ return table[i](x); }}"
        ),
        &[(&[0, 5], 6), (&[1, 5], 4)],
    );
    check(
        &format!("{functions} int f(int a, int x) {{ int (*g)(int) = a ? inc : dec; return g(x); }}"),
        &[0, 5],
        4,
    );
    check(
        &format!(
            "{functions} int apply(int g(int), int x) {{ return g(x); }} int f(int x) {{ return apply(inc, x); }}"
        ),
        &[5],
        6,
    );
    let unit = lifted(&format!(
        "{functions} int (*table[])(int) = {{inc}}; int f(int x) {{ return table[0](x); }} int g(int x) {{ return x; }}"
    ));
    let id = |name| unit.program.named(name).expect("it is defined");
    assert_eq!(unit.mentions[id("f").0 as usize], [id("inc")]);
    assert_eq!(unit.mentions[id("g").0 as usize], []);
}

#[test]
fn accesses_that_c_leaves_undefined() {
    check_fault("int f(int i) { int t[3] = {1, 2, 3};\n return t[i]; }", &[3], Fault::Index, "2:9");
    check_fault("int f(int i) { int t[3] = {1, 2, 3};\n return t[i]; }", &[-1], Fault::Index, "2:9");
    check_fault("int f(int *p) {\n return *p; }", &[], Fault::NullAccess, "2:9");
    check_fault(
        "int *g(void) { int x = 1; int *p = &x; return p; } int f(int i) {\n return *g(); }",
        &[0],
        Fault::Dangling,
        "2:9",
    );
    check_fault("int f(int i) { char *s = \"ab\";\n s[0] = i; return 0; }", &[0], Fault::ReadOnly, "2:7");
    check_fault(
        "int f(int i) { int t[2]; t[0] = 1;\n return t[1] + 1; }",
        &[0],
        Fault::UninitialisedRead,
        "2:14",
    );
    check_fault("int f(int i) { int a, b;\n return &a < &b; }", &[0], Fault::ForeignPointers, "2:12");
    check_fault(
        "int f(long i) { int t[3];\n return t + i != t; }",
        &[1 << 62],
        Fault::Hazard(Hazard::SignedOverflow),
        "2:11",
    );
    check_fault("int f(int i) {\n int (*q)(void) = 0; return q(); }", &[0], Fault::InvalidCall, "2:29");
    check_fault(
        "int h(int a) { return a; } int f(int i) {\n int (*q)(void) = (int (*)(void))h; return q(); }",
        &[0],
        Fault::InvalidCall,
        "2:44",
    );
}
