//! Floats.

use super::{check, check_fault};

#[test]
fn arithmetic_and_conversions() {
    check("int f(int a) { double d = a; return d * 1.5 + 0.25; }", &[3], 4);
    check("int f(int a) { float d = a; return d / 2 * 4; }", &[3], 6);
    check("int f(int a) { float d = 0.1f; double e = d; return e == 0.1; }", &[3], 0);
    check("int f(unsigned a) { double d = a; return -d < 0; }", &[-1], 1);
    check("unsigned f(int a) { return (unsigned)(3000000000.0 + a); }", &[1], 3_000_000_001);
    check("int f(int a) { double t[2] = {1, 2}; t[a] += 0.5; return t[1] * 2; }", &[1], 5);
    check("int f(int a) { union { float f; unsigned u; } v; v.f = a; return v.u == 0x40400000; }", &[3], 1);
    check_fault(
        "int f(int a) { double d = 1e300; return (int)(d * a); }",
        &[1],
        ir::Fault::Hazard(bv::Hazard::FloatRange),
        "1:41",
    );
}

#[test]
fn comparisons_know_nan() {
    let nan = "double n = 0.0, z = 0.0; n = n / z;";
    for (c, expect) in [
        ("n < 1", 0),
        ("n != n", 1),
        ("n == n", 0),
        ("!(n >= 1)", 1),
        ("n ? 1 : 0", 1),
        ("__builtin_isnan(n)", 1),
        ("__builtin_isunordered(n, 1.0)", 1),
        ("__builtin_islessgreater(n, 1.0)", 0),
        ("__builtin_isinf(1 / z)", 1),
        ("__builtin_isfinite(n)", 0),
        ("__builtin_isnormal(1.0)", 1),
        ("__builtin_signbit(-z) != 0", 1),
        ("1.0 < 2.0 && 2.0 <= 2.0 && 3.0 > 2.0 && 2.0 >= 2.0", 1),
    ] {
        check(&format!("int f(int a) {{ {nan} return {c}; }}"), &[0], expect);
    }
}

#[test]
fn mathematics() {
    let math = |body: &str| {
        format!("#include <math.h>\nint f(int a) {{ double x = a / 4.0; return 4 * ({body}); }}")
    };
    check(&math("fabs(x)"), &[-7], 7);
    check(&math("floor(x)"), &[-7], -8);
    check(&math("ceil(x)"), &[-7], -4);
    check(&math("trunc(x)"), &[-7], -4);
    check(&math("round(x)"), &[-10], -12);
    check(&math("rint(x)"), &[-10], -8);
    check(&math("sqrt(x)"), &[9], 6);
    check(&math("fmin(x, 1)"), &[9], 4);
    check(&math("fmax(x, 1)"), &[9], 9);
    check(&math("fmax(x, NAN)"), &[9], 9);
    check(&math("copysign(x, -1.0)"), &[9], -9);
    check(&math("sqrtf(x) + fabsf(-1.0f)"), &[4], 8);
    check(&math("isnan(x) + isinf(x) + signbit(-x)"), &[4], 4);
}
