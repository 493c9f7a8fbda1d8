//! Variadic functions: what is passed, and what is read.

use ir::Fault;

use super::{check, check_fault, check_unsupported, lifted, outcome};

const HEAD: &str = "#include <stdarg.h>\nstruct two { int a; double d; }; struct big { long a, b, c; };\n";

/// Passes these arguments to a function that reads the first with `read`.
#[track_caller]
fn check_read(read: &str, arguments: &str, expect: i128) {
    let body = format!("va_list l; va_start(l, n); long r = {read}; va_end(l); return r;");
    let c =
        format!("{HEAD}static long g(int n, ...) {{ {body} }}\nlong f(int a) {{ return g({arguments}); }}");
    check(&c, &[7], expect);
}

#[test]
fn each_kind_of_argument_arrives() {
    check_read("va_arg(l, int)", "0, a", 7);
    check_read("va_arg(l, int)", "0, (unsigned char) (a - 8)", 255);
    check_read("va_arg(l, unsigned)", "0, a", 7);
    check_read("va_arg(l, long long)", "0, 1LL << 40", 1 << 40);
    check_read("va_arg(l, double) * 2", "0, 1.5f", 3);
    check_read("*va_arg(l, int *)", "0, &a", 7);
    check_read("va_arg(l, char *)[1]", "0, \"xyz\"", 121);
    check_read("({ struct two t = va_arg(l, struct two); t.a + t.d * 2; })", "0, (struct two) { a, 0.5 }", 8);
    check_read("va_arg(l, struct big).b", "0, (struct big) { 1, a, 3 }", 7);
    check_read("va_arg(l, int) + va_arg(l, double) + va_arg(l, long)", "0, a, 2.0, 3L", 12);
}

#[test]
fn there_are_more_arguments_than_registers() {
    let sum =
        "({ long s = 0; for (int i = 1; i <= 12; i++) s += i * (va_arg(l, int) + va_arg(l, double)); s; })";
    let arguments: Vec<String> = (0..12).map(|at| format!("{at}, a + {at}.0")).collect();
    let expect = (0..12).map(|at: i128| (at + 1) * (2 * at + 7)).sum();
    check_read(sum, &format!("0, {}", arguments.join(", ")), expect);
}

#[test]
fn a_list_can_be_copied_and_passed_on() {
    let v = "static long v(va_list l) { return va_arg(l, int); }\nstatic long p(va_list *l) { return va_arg(*l, int); }\n";
    let g = "static long g(int n, ...) { va_list l, m; va_start(l, n); va_copy(m, l);\n long r = p(&l) * 100 + p(&l) * 10 + v(l) + 1000 * p(&m) + 10000 * v(m); va_end(m); va_end(l); return r; }\n";
    check(&format!("{HEAD}{v}{g}long f(int a) {{ return g(0, 1, 2, a); }}"), &[7], 21127);
}

#[test]
fn functions_are_called_through_pointers() {
    let g = "static long g(int n, ...) { va_list l; va_start(l, n); return va_arg(l, long) + n; }\nlong h(int n) { return n; }\n";
    let pointer = "long (*p)(int, ...) = a ? g : 0;";
    check(&format!("{HEAD}{g}long f(int a) {{ {pointer} return p(1, 5L); }}"), &[7], 6);
    // One without a prototype may lead to a function that is not variadic.
    let both = "long (*q)() = a ? (long (*)()) h : 0;";
    check(&format!("{HEAD}{g}long f(int a) {{ {both} return q(a) + g(1, 5L); }}"), &[7], 13);
}

#[test]
fn what_was_not_passed_cannot_be_read() {
    let check = |read: &str, at: &str, arguments: &str| {
        let g = format!("static long g(int n, ...) {{ va_list l; va_start(l, n); return\n{read}; }}");
        let c = format!("{HEAD}{g} long f(int a) {{ return g({arguments}); }}");
        check_fault(&c, &[7], Fault::Argument, at);
    };
    check("va_arg(l, int)", "4:1", "0");
    check("va_arg(l, int) + va_arg(l, int)", "4:18", "0, a, 1.0");
    check("va_arg(l, double)", "4:1", "0, a");
    check("va_arg(l, int)", "4:1", "0, 1.0");
    // The upper half of an `int` is anything.
    check("va_arg(l, long)", "4:1", "0, a");
    check("va_arg(l, int)", "4:1", "0, 1L");
    check("va_arg(l, struct big).a", "4:1", "0, 1L, 2L, 3L");
    check("va_arg(l, struct two).a", "4:1", "0, (struct big) { 1, 2, 3 }");
    check("va_arg(l, struct two).a", "4:1", "0, a");
}

#[test]
fn arguments_of_sixteen_bytes_are_out_of_reach() {
    let g = "static long g(int n, ...) { va_list l; va_start(l, n); return va_arg(l, long double); }\n";
    let what = "a `long double`";
    check_unsupported(&format!("{HEAD}{g}long f(int a) {{ return g(0, 1.0L); }}"), what, 4);
}

#[test]
fn a_caller_outside_passes_nothing_more() {
    let unit = lifted(&format!(
        "{HEAD}int f(int n, ...) {{ va_list l; va_start(l, n); return n ? va_arg(l, int) : 3; }}"
    ));
    let id = unit.program.named("f").expect("it is defined");
    assert!(unit.program.function(id).signature.variadic && !unit.program.is_wholly_callable(id));
    assert!(matches!(outcome(&unit.program, "f", &[0]), ir::Outcome::Returned(_)));
    assert!(matches!(outcome(&unit.program, "f", &[1]), ir::Outcome::Faulted(Fault::Argument, _)));
}

#[test]
fn who_takes_a_list_is_called_by_variadic_functions_only() {
    for parameter in ["va_list l", "va_list *l"] {
        let unit = lifted(&format!("{HEAD}int f(int n, {parameter}) {{ return n; }}"));
        let id = unit.program.named("f").expect("it is defined");
        let what = unit.program.uncallable(id).map(|unsupported| unsupported.what.as_str());
        assert_eq!(what, Some("parameter `l` is a list of arguments (`va_list`)"));
        assert_eq!(unit.program.function(id).unsupported, None);
    }
}
