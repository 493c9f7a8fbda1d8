//! Arrays in objects: each has its own bounds.

use ir::{Fault, Outcome};

use super::{lifted, outcome};

/// Whether `int f(int i)` with this before it and this in it breaks a limit, for each of these.
fn check(before: &str, returned: &str, fine: &[i128], broken: &[i128]) {
    let c = format!("{before}\nint f(int i) {{ return {returned}; }}");
    let program = lifted(&c).program;
    for i in fine {
        let outcome = outcome(&program, "f", &[*i]);
        assert!(matches!(outcome, Outcome::Returned(_)), "{i}: {outcome:?}\n{c}");
    }
    for i in broken {
        let outcome = outcome(&program, "f", &[*i]);
        assert!(
            matches!(outcome, Outcome::Faulted(Fault::Index | Fault::IndexAtEnd, _)),
            "{i}: {outcome:?}\n{c}"
        );
    }
}

#[test]
fn each_dimension_has_its_bounds() {
    let m = "int m[3][4];";
    check(m, "m[1][i]", &[0, 3], &[-1, 4, i32::MAX.into()]);
    check(m, "m[i][1]", &[0, 2], &[-1, 3]);
    check(m, "m[1][i]++", &[3], &[4]);
    check(m, "*m[i]", &[2], &[3]);
    check("int m[3][4], (*p)[4] = m;", "p[i][1]", &[0, 2], &[]);
    check("int m[3][4], (*p)[4] = m;", "p[1][i]", &[0, 3], &[-1, 4]);
    check("", "\"abc\"[i]", &[0, 3], &[-1, 4]);
}

#[test]
fn a_member_ends_before_the_next_one() {
    let s = "struct s { int n, a[2], b[2]; char c[1]; } s, t[2]; struct s *p = &s;";
    check(s, "s.a[i]", &[0, 1], &[-1, 2]);
    check(s, "p->b[i]", &[0, 1], &[-1, 2]);
    check(s, "t[i].n", &[0, 1], &[-1, 2]);
    check(s, "(s = t[i]).n", &[0, 1], &[-1, 2]);
    check("union { char bytes[4]; int word; } u;", "u.bytes[i]", &[0, 3], &[-1, 4]);
}

#[test]
fn an_address_may_be_the_one_past_the_last() {
    let m = "int m[3][4], *p; int g(int *q) { return q != 0; }";
    check(m, "(p = &m[1][i]) != 0", &[0, 4], &[-1, 5]);
    check(m, "g(&m[1][i])", &[0, 4], &[-1, 5]);
    check(m, "g(m[i])", &[0, 3], &[-1, 4]);
    check(m, "&m[1][4] - &m[1][i]", &[0, 4], &[-1, 5]);
}

#[test]
fn a_last_member_of_one_element_has_as_many_as_there_is_room_for() {
    let before = "#include <stdlib.h>\nstruct s { int n; char data[1]; }; struct t { char one[1]; int n; } t;\n\
                  char *fill(struct s *s) { for (int k = 0; k < 9; k++) s->data[k] = k; return s->data; }";
    check(before, "fill(malloc(sizeof(struct s) + 9))[i]", &[0, 5, 8], &[]);
    check(before, "t.one[i]", &[0], &[-1, 1]);
    check("char one[1];", "one[i]", &[0], &[-1, 1]);
    check("struct s { int n; char data[]; } s = { 1, { 1, 2, 3 } };", "s.data[i]", &[0, 2], &[]);
}
