//! `whet diff`: equal, different or unknown, and never equal where a single input tells.

mod compared;
mod sound;

use serde_json::Value;

use compared::{answer, run};

fn check_equal(old: &str, new: &str) {
    let answer = answer(old, new, &[]);
    assert_eq!(
        (&answer["verdict"], &answer["assumptions"]),
        (&"equal".into(), &Value::Array(vec![])),
        "{answer}"
    );
}

#[track_caller]
fn check_different(old: &str, new: &str, expect: &str) {
    let answer = answer(old, new, &[]);
    assert_eq!(answer["verdict"], "different", "{answer}");
    let shown = format!("{} {} {}", answer["input"], answer["old"], answer["new"]);
    assert_eq!(shown, expect);
    let test = answer["test"].as_str().expect("there is a test");
    assert!(test.contains("/* Fails on new.c. */") && test.contains("int main(void)"), "{test}");
}

#[test]
fn what_does_the_same_is_equal() {
    check_equal("int f(int x) { return x * 2; }", "int f(int x) { return x + x; }");
    check_equal(
        "int f(int a, int b) { return a > b ? a : b; }",
        "int f(int b, int a) { if (a < b) return b; return a; }",
    );
    // Helpers of the same name, and signs that make no difference.
    check_equal(
        "static int g(int x) { return x & 7; }\nint f(int x) { return g(x); }",
        "static int g(int x) { return x & 3; }\nstatic int h(int x) { return x & 7; }\nint f(int x) { return g(7) ? h(x) : 0; }",
    );
    check_equal("int f(const char *s) { return *s == 'a'; }", "int f(char *s) { return 'a' == s[0]; }");
    check_equal("unsigned f(unsigned x) { return x % 8; }", "unsigned f(unsigned x) { return x & 7; }");
}

#[test]
fn an_input_that_tells_is_made_small() {
    let answer = answer(
        "int f(int x, int y) { if (x > 1000 && y > 77) return 1; return 0; }",
        "int f(int x, int y) { return 0; }",
        &[],
    );
    let number = |name: &str| answer["input"][name].as_i64().expect("it is a number");
    assert!((1_001..2_000).contains(&number("x")) && (78..1_000).contains(&number("y")), "{answer}");
}

#[test]
fn if_the_test_for_one_input_does_not_tell_another_input_is_tried() {
    let version =
        |shown: &str| format!("#include <stdio.h>\nvoid show(double x) {{ printf(\"%f\\n\", {shown}); }}");
    let old = version("x");
    // How a NaN is printed depends on the library, so that a test does not look. It is found first.
    let answer = answer(&old, &version("x != x ? 1.0 : x"), &[]);
    assert_eq!(answer["verdict"], "unknown", "{answer}");
    let reason = answer["reason"].as_str().expect("there is a reason");
    assert!(reason.contains("a test could not see the difference"), "{reason}");
    // No small number near it tells, but one that the new version mentions.
    let new = version("x != x ? 1.0 : x == 123457 ? 3.0 : x");
    let expect = r#"{"x":123457.0} {"stdout":"123457.000000\n"} {"stdout":"3.000000\n"}"#;
    check_different(&old, &new, expect);
}

#[test]
fn nothing_is_equal_because_no_function_can_be_given() {
    let old =
        "void *f(const char *key, const char *all, unsigned n, int (*compare)(const char *, const char *)) {
        for (unsigned i = 0; i < n; i++) if (compare(key, all + i) == 0) return (void *)(all + i);
        return 0;
    }";
    let answer = answer(old, &old.replace("== 0", "> 0"), &[]);
    assert_eq!(answer["verdict"], "limited", "{answer}");
}

#[test]
fn one_input_is_enough_to_be_different() {
    check_different(
        "int f(int x) { return x < 0 ? 0 : x; }",
        "int f(int x) { return x == -2147483647 - 1 ? 1 : x < 0 ? 0 : x; }",
        r#"{"x":-2147483648} {"returns":0} {"returns":1}"#,
    );
    check_different(
        "int count;\nvoid f(void) { count += 2; }",
        "int count;\nvoid f(void) { count++; }",
        r#"{} {"count":2} {"count":1}"#,
    );
    check_different(
        "int f(int a, int b) { return b ? a / b : 0; }",
        "int f(int a, int b) { return a / b; }",
        r#"{"a":0,"b":0} {"returns":0} {"stops":"division by zero"}"#,
    );
}

#[test]
fn other_names_are_compared_if_asked_for() {
    let (old, new) =
        ("int f(int x) { return x + 1; }", "int g(int y) { return 1 + y; }\nint h(int y) { return y; }");
    assert_eq!(answer(old, new, &["--function", "f=g"])["verdict"], "equal");
    assert_eq!(answer(old, new, &["--function", "f=h"])["verdict"], "different");
}

#[test]
fn what_cannot_be_compared_is_unknown() {
    let answer = answer(
        "int limit = 5;\nint f(int x) { return x < limit; }",
        "int limit = 6;\nint f(int x) { return x < limit; }",
        &["--function", "f"],
    );
    assert_eq!(
        (&answer["verdict"], &answer["reason"]),
        (&"unknown".into(), &"`limit` starts with another value".into())
    );
}

#[test]
fn mistakes_get_one_sentence() {
    let check = |old: &str, new: &str, arguments: &[&str], expect: &str| {
        let output = run(old, new, arguments);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stderr), expect);
    };
    let f = "int f(int x) { return x; }";
    check(
        f,
        "int g(int x) { return x; }",
        &[],
        "whet: old.c and new.c have no function in common: name them with --function old=new\n",
    );
    check(f, f, &["--function", "g"], "whet: old.c has no function `g` that another file could call\n");
    check(f, f, &["--function", "f=g"], "whet: new.c has no function `g`\n");
}

/// What is printed, and the exit code that goes with it.
#[track_caller]
fn check_text(old: &str, new: &str, arguments: &[&str], code: i32, expect: &str) {
    let output = run(old, new, arguments);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        expect,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(code));
}

#[test]
fn another_signature_is_a_difference() {
    let f = "int f(int x) { return x; }";
    check_text(
        f,
        "long f(long x, int y) { return x; }",
        &[],
        2,
        "different: `f` cannot be called in the same way in both files:\n  old.c: int f(int x)\n  new.c: long f(long x, int y)\n",
    );
    check_text(
        "struct s { int a; };\nint f(struct s *s) { return s->a; }",
        "struct s { char a; };\nint f(struct s *s) { return s->a; }",
        &["--function", "f"],
        2,
        "different: `f` cannot be called in the same way in both files:\n  old.c: int f(struct s *s)\n  new.c: int f(struct s *s)\nA type with the same name is not the same in both.\n",
    );
    // Nor is it forgotten where the new version cannot be executed.
    let wide = "__int128 f(__int128 x) { return x; }";
    check_text(f, wide, &[], 2, "different: `f` cannot be called in the same way in both files\n");
    check_text(
        f,
        "int f(int x, ...) { return x; }",
        &[],
        2,
        "different: `f` cannot be called in the same way in both files:\n  old.c: int f(int x)\n  new.c: int f(int x, ...)\n",
    );
}

#[test]
fn each_function_has_an_answer() {
    let old = "int limit = 5;\nint same(int x) { return x; }\nint other(int x) { return x; }\nint typed(int x) { return x; }\nint gone(int x) { return x; }\nint reads(int x) { return x < limit; }";
    let new = "int limit = 6;\nint same(int x) { return x; }\nint other(int x) { return x ? x : 7; }\nint typed(long x) { return x; }\nint come(int x) { return x; }\nint reads(int x) { return x < limit; }";
    let output = run(old, new, &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stdout);
    let (lines, details) = text.split_once("\n\n").expect("the test comes behind the lines");
    let expect = "same: equal: for all inputs (the same code)
other: different: with x = 0
typed: different: `typed` cannot be called in the same way in both files:
  old.c: int typed(int x)
  new.c: int typed(long x)
gone: removed: other files cannot call it in the new version
reads: unknown: `limit` starts with another value
come: added: other files can call it in the new version only
limit: different: it starts with another value";
    assert_eq!(lines, expect);
    assert!(details.starts_with("other:\n") && details.contains("/* Fails on new.c. */"), "{details}");
    let answer = answer(old, new, &[]);
    let list = answer["functions"].as_array().expect("there are several");
    let verdicts: Vec<&str> = list.iter().filter_map(|answer| answer["verdict"].as_str()).collect();
    assert_eq!(
        verdicts,
        ["equal", "different", "different", "removed", "unknown", "added", "different"],
        "{answer}"
    );
    assert_eq!((&list[1]["function"], &list[1]["input"]["x"]), (&"other".into(), &0.into()));
}

#[test]
fn the_worst_answer_decides() {
    let code = |old: &str, new: &str| run(old, new, &[]).status.code();
    let f = "int f(int x) { return x; }\n";
    assert_eq!(code(f, &format!("{f}int g(int x) {{ return x; }}")), Some(0));
    assert_eq!(code(&format!("{f}int g(int x) {{ return x; }}"), f), Some(2));
    let k = |value: u32| format!("{f}int h(int);\nint k(int x) {{ return h(x) + {value} - {value}; }}");
    assert_eq!(code(&k(1), &k(1).replace("int h(int);", "int h(int x) { return x; }")), Some(3));
}

#[test]
fn a_version_of_a_variadic_function_gets_all_arguments() {
    let c = |last: &str| {
        format!(
            "#include <stdarg.h>\nstatic int g(int n, ...) {{ va_list l; va_start(l, n); int a = va_arg(l, int), b = va_arg(l, int); va_end(l); return {last}; }}\nint f(int x) {{ return g(0, x & 7, 2); }}"
        )
    };
    let verdict = |last: &str| answer(&c("a + b"), &c(last), &[])["verdict"].clone();
    assert_eq!(verdict("b + a"), "equal");
    assert_eq!(verdict("a - b"), "different");
}

/// The function itself is the same in both files.
#[track_caller]
fn check_client(old: &str, new: &str, verdict: &str, reason: &str) {
    let answer = answer(old, new, &["--function", "client"]);
    assert_eq!((&answer["verdict"], &answer["reason"]), (&verdict.into(), &reason.into()), "{answer}");
}

#[test]
fn a_function_is_what_it_calls() {
    let client = "int client(int x) { return foo(x, 10); }";
    for kind in ["", "static ", "__attribute__((weak)) ", "static inline "] {
        let file = |op: &str| format!("{kind}int foo(int a, int b) {{ return a {op} b; }}\n{client}");
        check_client(&file("^"), &file("|"), "different", "");
        check_client(&file("^"), &file("^"), "equal", "");
    }
    let deep = |value: u32| {
        format!(
            "int h(int a) {{ return a ^ {value}; }}\nint g(int a) {{ return h(a); }}\nint foo(int a, int b) {{ return g(a) & b; }}\n{client}"
        )
    };
    check_client(&deep(1), &deep(2), "different", "");
    let even = |value: u32| {
        format!(
            "int odd(int);\nint even(int x) {{ return x <= 0 ? 1 : odd(x - 1); }}\nint odd(int x) {{ return x <= 0 ? {value} : even(x - 1); }}\nint client(int x) {{ return x < 4 && even(x); }}"
        )
    };
    check_client(&even(0), &even(1), "different", "");
    let unused =
        |value: u32| format!("int foo(int a) {{ return {value}; }}\nint client(int x) {{ return x; }}");
    check_client(&unused(1), &unused(2), "equal", "");
    let twice = "int foo(int a) { return a + a; }\nint client(int x) { return foo(x); }";
    check_client(twice, &twice.replace("a + a", "a * 2"), "equal", "");
}

/// One of two changes makes no difference, and must not hide the other.
#[test]
fn every_change_counts() {
    let client = |one: &str, other: &str| {
        format!(
            "static unsigned one(unsigned x) {{ return {one}; }}\nstatic unsigned two(unsigned x) {{ return x == {other} ? x : 7; }}\nunsigned client(unsigned x) {{ return one(x) + two(x * 3); }}"
        )
    };
    check_client(&client("x * 2", "19088743"), &client("x + x", "19088744"), "different", "");
    check_client(&client("x * 2", "19088743"), &client("x + x", "0x1234567"), "equal", "");
}

/// A function may have any name in the object file.
#[test]
fn a_function_with_another_name_outside_is_compared() {
    let file = |value: u32| {
        format!(
            "int g(int x) __asm__(\"out$ide\");\nint g(int x) {{ return x ^ {value}; }}\nint client(int x) {{ return g(x); }}"
        )
    };
    check_client(&file(1), &file(2), "different", "");
}

#[test]
fn a_function_is_what_it_calls_through_a_pointer() {
    let table = |value: u32| {
        format!(
            "static int one(int x) {{ return x; }}\nstatic int two(int x) {{ return x ^ {value}; }}\nstatic int (*table[])(int) = {{one, two}};\nint client(int x) {{ return table[x & 1](x); }}"
        )
    };
    check_client(&table(1), &table(2), "different", "");
    let hook = |value: u32| {
        format!(
            "static int one(int x) {{ return x ^ {value}; }}\nstatic int (*hook)(int);\nvoid set(void) {{ hook = one; }}\nint client(int x) {{ return hook ? hook(x) : 0; }}"
        )
    };
    let answer = answer(&hook(1), &hook(2), &["--function", "client"]);
    assert_ne!(answer["method"], "the same code", "{answer}");
    for kind in ["", "static "] {
        let given = |value: u32| {
            format!(
                "{kind}int one(int x) {{ return x ^ {value}; }}\nint (*client(void))(int) {{ return one; }}"
            )
        };
        let reason = "a caller can get hold of a pointer to `one`, and call it with anything";
        check_client(&given(1), &given(2), "unknown", reason);
    }
}

/// Other files call it by the variable.
#[test]
fn a_static_function_that_a_variable_leads_to_has_an_answer() {
    let file = |value: u32| {
        format!(
            "struct driver {{ int (*read)(int); }};\nstatic int get(int x) {{ return x ^ {value}; }}\nconst struct driver uart = {{get}};\nint f(int x) {{ return x; }}"
        )
    };
    let answer = answer(&file(1), &file(2), &[]);
    let list = answer["functions"].as_array().expect("there are several");
    assert_eq!((&list[0]["function"], &list[0]["verdict"]), (&"f".into(), &"equal".into()), "{answer}");
    assert_eq!((&list[1]["function"], &list[1]["verdict"]), (&"get".into(), &"different".into()), "{answer}");
}

/// A function has one address, whatever is in it.
#[test]
fn a_pointer_to_a_changed_function_is_the_same_pointer() {
    let old = "int one(int x) { return x; }\nint client(int (*f)(int)) { return 0; }";
    let new = "int one(int x) { return x ^ 1; }\nint client(int (*f)(int)) { return f == one; }";
    check_client(old, new, "different", "");
    let same = new.replace("f == one", "one == f ? 1 : 0");
    check_client(&new.replace("x ^ 1", "x"), &same, "equal", "");
}

#[test]
fn a_function_is_what_it_reads() {
    let check = |file: &dyn Fn(&str) -> String, one: &str, other: &str| {
        check_client(&file(one), &file(other), "different", "");
        check_client(&file(one), &file(one), "equal", "");
    };
    let with = |before: &str, body: &str| {
        let (before, body) = (before.to_string(), body.to_string());
        move |value: &str| format!("{before}\nint client(int x) {{ {body} }}").replace("VALUE", value)
    };
    check(&with("static int k = VALUE;", "return x & k;"), "1", "2");
    check(&with("static int k = VALUE;\nstatic int *p = &k;", "return x & *p;"), "1", "2");
    check(&with("const int t[] = {1, VALUE};", "return t[x & 1];"), "1", "2");
    check(&with("static int *p = (int[]){1, VALUE};", "return p[x & 1];"), "1", "2");
    check(&with("enum { A = VALUE, B };", "return x == B;"), "1", "2");
    check(&with("#define LIMIT VALUE", "return x < LIMIT;"), "1", "2");
    check(&with("typedef VALUE T;", "return (T)x;"), "short", "char");
    check(
        &with("struct t { int a[VALUE]; };\nstruct s { struct t t; };", "return sizeof(struct s);"),
        "1",
        "2",
    );
    check(&with("", "static int k = VALUE; return k;"), "1", "2");
    // What looks like something else inside of a text.
    check(&with("", "return \"ab VALUE\"[x & 7];"), "#c", "#d");
    check(&with("", "return \"ab VALUE\"[x & 7];"), "!c", "!d");
    check(&with("", "const char *t[] = {\"a\", \"VALUE\"}; return t[x & 1][0];"), "b", "c");
    check(&with("static const char *t[] = {\"a\", \"VALUE\"};", "return t[x & 1][0];"), "b", "c");
}

#[test]
fn what_only_one_file_has_is_not_the_same_code() {
    let (defined, declared) = ("int h(int x) { return x; }\n", "int h(int);\n");
    let client = "int client(int x) { return h(x); }";
    let only = "`h` is defined in one of the files only";
    check_client(&format!("{defined}{client}"), &format!("{declared}{client}"), "unknown", only);
    check_client(&format!("{declared}{client}"), &format!("{defined}{client}"), "unknown", only);
    let client = "int client(int x) { return x < k; }";
    let only = "`k` is defined in one of the files only";
    check_client(&format!("int k = 5;\n{client}"), &format!("extern int k;\n{client}"), "unknown", only);
}

#[test]
fn what_nobody_asks_for_counts_as_well() {
    let before = "functions that run before or after `main` are not the same";
    let init = |value: u32| {
        format!(
            "static int k;\n__attribute__((constructor)) static void init(void) {{ k = {value}; }}\nint client(int x) {{ return x + k; }}"
        )
    };
    check_client(&init(1), &init(2), "unknown", before);
    let assembly = |value: u32| {
        format!(
            "__asm__(\".globl z\\nz: .long {value}\\n\");\nextern int z;\nint client(int x) {{ return x + z; }}"
        )
    };
    check_client(&assembly(1), &assembly(2), "unknown", "the assembly outside of functions is not the same");
    let inline = |value: u32| {
        format!("inline int g(int x) {{ return x ^ {value}; }}\nint client(int x) {{ return g(x); }}")
    };
    let unseen = "the inline function `g` is not compiled here: make it `static`";
    check_client(&inline(1), &inline(2), "unknown", unseen);
}

#[test]
fn second_names_are_compared_as_well() {
    let f = "int f(int x) { return x + 1; }\n";
    let alias = |of: &str| {
        format!("{f}int h(int x) {{ return x + 2; }}\nint g(int) __attribute__((alias(\"{of}\")));\n")
    };
    let second = "`g` is a second name of something else in one of the files";
    check_text(&alias("f"), &alias("h"), &["--function", "g"], 3, &format!("unknown: {second}\n"));
    let own = format!("{f}int h(int x) {{ return x + 2; }}\nint g(int x) {{ return x + 3; }}\n");
    check_text(&alias("f"), &own, &["--function", "g"], 3, &format!("unknown: {second}\n"));
    let both = "f: equal: for all inputs (the same code)\nh: equal: for all inputs (the same code)\n";
    let gone = format!("{f}int h(int x) {{ return x + 2; }}\n");
    let removed = "g: removed: other files cannot call it in the new version\n";
    check_text(&alias("f"), &gone, &[], 2, &format!("{both}{removed}"));
}

#[test]
fn the_sign_of_a_result_counts() {
    let f = |of: &str| format!("{of} f(int x) {{ return x; }}");
    let said = "different: `f` cannot be called in the same way in both files:\n  old.c: int f(int x)\n  new.c: unsigned int f(int x)\n";
    check_text(&f("int"), &f("unsigned"), &[], 2, said);
}

#[test]
fn an_array_of_a_computed_length_may_be_compared() {
    let (old, new) = ("int f(int n) { int a[n]; a[0] = 1; return n; }", "int f(int n) { return n; }");
    check_text(old, new, &[], 0, "equal: for all inputs (the same code after optimisation)\n");
}

#[test]
fn where_an_assertion_stands_is_no_difference() {
    let f = "#include <assert.h>\nint f(int x) { assert(x > 3); return x; }\n";
    check_text(f, &format!("\n\n{f}"), &[], 0, "equal: for all inputs (the same code)\n");
}

#[test]
fn main_is_compared_as_far_as_a_shell_can_call_it() {
    let main = ["--function", "main"];
    let returns = |value: u32| format!("int main(void) {{ return {value}; }}");
    let table = "different: main with nothing\n\n           old.c  new.c\n  returns  1      2\n\n";
    check_text(&returns(1), &returns(2), &main, 2, table);
    assert_eq!(answer(&returns(1), &returns(1), &main)["method"], "the same code");
    // A shell sees eight bits.
    assert_eq!(answer(&returns(0), &returns(256), &main)["verdict"], "unknown");
    let counts = |body: &str| format!("int main(int argc, char **argv) {{ return {body}; }}");
    let answer = answer(&counts("argc > 1"), &counts("argc > 2"), &main);
    let reason = "the two differ when `main` is called as a function, but a shell may never see that";
    assert_eq!((&answer["verdict"], &answer["reason"]), (&"unknown".into(), &reason.into()), "{answer}");
}

/// It may still return the same.
#[test]
fn what_takes_long_is_not_different() {
    let slow = "unsigned client(unsigned x) { unsigned n = 168392643; while (n > 0) n--; return x + n; }";
    let answer = answer("unsigned client(unsigned x) { return x; }", slow, &[]);
    assert_eq!(answer["verdict"], "unknown", "{answer}");
    // What comes back to where it was does not end.
    let endless = "unsigned client(unsigned x) { for (;;) ; return x; }";
    check_different(
        "unsigned client(unsigned x) { return x; }",
        endless,
        r#"{"x":0} {"returns":0} {"stops":"never returns"}"#,
    );
}

#[test]
fn functions_of_the_system_that_nobody_knows_are_not_taken_for_harmless() {
    for (declared, call) in [
        ("#include <string.h>", "memccpy(to, from, 0, 1)"),
        ("#include <unistd.h>", "swab(from, to, 2)"),
        ("#include <unistd.h>", "getcwd(to, 1)"),
        ("#include <stdlib.h>", "wctomb(to, 0)"),
        ("#include <wchar.h>", "mbstowcs(0, from, 0)"),
        ("void *memccpy();", "memccpy(to, from, 0, 1L)"),
    ] {
        let file = |result: &str| {
            format!(
                "{declared}\n#include <stdlib.h>\nint client(char *to, const char *from) {{ to[0] = 1; {call}; return {result}; }}"
            )
        };
        let answer = answer(&file("to[0]"), &file("1"), &[]);
        let name = call.split('(').next().expect("there is a call");
        let reason = format!("a call to `{name}`, a function of the system that Whet does not know (line 3)");
        assert_eq!((&answer["verdict"], &answer["reason"]), (&"unknown".into(), &reason.into()), "{answer}");
    }
    // One of the user's that another file has is still a stub.
    let ask = |body: &str| format!("unsigned ask(int);\nunsigned client(int x) {{ {body} }}");
    check_client(&ask("return ask(x) * 2;"), &ask("unsigned r = ask(x); return r + r;"), "equal", "");
}

#[test]
fn what_was_never_run_is_not_equal() {
    let stops = |condition: &str| {
        format!(
            "#include <stdlib.h>\nint client(int x) {{ if ({condition}) abort(); else abort(); return x; }}"
        )
    };
    let answer = answer(&stops("x >= 0"), &stops("x > -1"), &[]);
    assert_eq!(answer["verdict"], "unknown", "{answer}");
    assert!(answer["reason"].as_str().is_some_and(|why| why.contains("valid")), "{answer}");
}

/// Equal for all inputs and any number of rounds, because this relation holds
/// whenever both begin another one.
#[track_caller]
fn check_by_induction(old: &str, new: &str, relation: &str) {
    let answer = answer(old, new, &["--stages", "inductive"]);
    assert_eq!(
        (&answer["verdict"], &answer["assumptions"]),
        (&"equal".into(), &Value::Array(vec![])),
        "{answer}"
    );
    assert_eq!((&answer["method"], &answer["relation"]), (&"induction".into(), &relation.into()));
}

#[test]
fn loops_without_a_bound_are_compared_by_induction() {
    check_by_induction(
        "unsigned f(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }",
        "unsigned f(unsigned x, unsigned y) { unsigned r; for (;;) { if (y == 0) return x; r = x % y; x = y; y = r; } }",
        "y' == b && x' == a",
    );
    check_by_induction(
        "int f(unsigned n) { int d = 1; while (n >= 10) { n /= 10; d++; } return d; }",
        "int f(unsigned n) { int d = 0; do { n /= 10; d++; } while (n != 0); return d; }",
        "n' == n && d' == d - 1",
    );
    check_by_induction(
        "unsigned f(unsigned a, unsigned b) { unsigned r = 0; while (b) { if (b & 1) r += a; a <<= 1; b >>= 1; } return r; }",
        "unsigned f(unsigned a, unsigned b) { unsigned r = 0; for (; b != 0; b /= 2, a += a) if (b % 2) r = a + r; return r; }",
        "b' == b && r' == r && a' == a",
    );
}

#[test]
fn a_loop_may_count_in_another_way() {
    let guarded =
        "int f(int n) { if (n < 0) return 0; int s = 0; for (int i = 0; i < n; i++) s ^= i; return s; }";
    check_by_induction(
        guarded,
        "int f(int n) { if (n < 0) return 0; int s = 0; for (int i = 0; i != n; i++) s ^= i; return s; }",
        "n' == n && i' == i && s' == s",
    );
    check_by_induction(
        guarded,
        "int f(int n) { if (n < 0) return 0; int s = 0; for (int i = 0; i <= n - 1; i++) s ^= i; return s; }",
        "n' == n && i' == i && s' == s",
    );
    check_by_induction(
        "unsigned f(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s = s * 3 + 1; return s; }",
        "unsigned f(unsigned n) { unsigned s = 0; while (n > 0) { s = s * 3 + 1; n--; } return s; }",
        "n' == n - i && s' == s",
    );
    check_by_induction(
        "int f(int n) { int s = 0; while (n > 0) { s ^= 5 + s / 7; n--; } return s; }",
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= 5 + s / 7; return s; }",
        "n' - i' == n && s' == s",
    );
    check_by_induction(
        "unsigned f(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s ^= i + 1; return s; }",
        "unsigned f(unsigned n) { unsigned s = 0; for (unsigned i = 1; i - 1 < n; i++) s ^= i; return s; }",
        "n' == n && i' == i + 1 && s' == s",
    );
    check_by_induction(
        "unsigned f(unsigned n) { unsigned c = 0; for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < i; j++) c++; return c; }",
        "unsigned f(unsigned n) { unsigned c = 0; for (unsigned i = 0; i != n; i++) for (unsigned j = 0; j != i; j++) c += 1; return c; }",
        "n' == n && i' == i && c' == c && j' == j",
    );
}

#[test]
fn a_loop_may_compute_in_another_way() {
    check_by_induction(
        "unsigned f(unsigned n, unsigned x) { unsigned s = 0; for (unsigned i = 0; i < n; i++) { s += x; x = x * 2; } return s; }",
        "unsigned f(unsigned n, unsigned x) { unsigned s = 0; for (unsigned i = 0; i < n; i++) { s += x; x = x << 1; } return s; }",
        "n' == n && i' == i && s' == s && x' == x",
    );
    check_by_induction(
        "unsigned f(unsigned n) { unsigned s = 0; while (n--) s = s * 2 + 1; return s; }",
        "unsigned f(unsigned n) { unsigned s = 0; while (n--) s = (s << 1) | 1; return s; }",
        "n' == n && s' == s",
    );
    check_by_induction(
        "unsigned f(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }",
        "unsigned f(unsigned a, unsigned b) { while (b) { unsigned t = a - a / b * b; a = b; b = t; } return a; }",
        "b' == b && a' == a",
    );
    check_by_induction(
        "unsigned f(unsigned a, unsigned b) { if (!a || !b) return a + b; while (a != b) { if (a > b) a -= b; else b -= a; } return a; }",
        "unsigned f(unsigned a, unsigned b) { if (a == 0 || b == 0) return a | b; while (a != b) { if (a < b) b -= a; else a = a - b; } return b; }",
        "a' == a && b' == b",
    );
    check_by_induction(
        "unsigned f(unsigned n) { unsigned s = 0; while (n) { s += n % 10; n /= 10; } return s; }",
        "unsigned f(unsigned n) { unsigned s = 0; do { unsigned q = n / 10; s += n - q * 10; n = q; } while (n > 0); return s; }",
        "n' == n && s' == s",
    );
    check_by_induction(
        "unsigned f(unsigned n) { unsigned c = 0; while (n > 1) { n = n % 2 ? 3 * n + 1 : n / 2; c++; } return c; }",
        "unsigned f(unsigned n) { unsigned c = 0; while (n >= 2) { if (n & 1) n += 2 * n + 1; else n >>= 1; c++; } return c; }",
        "n' == n && c' == c",
    );
}

#[test]
fn a_loop_that_differs_at_one_input_is_different() {
    // At the largest number only, the new loop goes on, or ends too early.
    let old = "unsigned char f(unsigned char n) { unsigned char s = 0; for (unsigned char i = 0; i < n; i++) s += 3; return s; }";
    let new = "unsigned char f(unsigned char n) { unsigned char s = 0; for (int i = 1; i <= n; i++) s += i == 255 ? 4 : 3; return s; }";
    assert_eq!(answer(old, new, &["--bound", "300"])["input"]["n"], 255);
    let old = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= i; return s; }";
    // The new loop ends after four thousand million rounds at the earliest, and nobody has seen with what.
    let unknown = |old: &str, new: &str| assert_eq!(answer(old, new, &[])["verdict"], "unknown");
    unknown(old, "int f(int n) { int s = 0; for (int i = 0; i != n; i++) s ^= i; return s; }");
    // `n - 1` is no more than any number, where it wraps.
    unknown(old, "int f(int n) { int s = 0; for (int i = 0; i <= n - 1; i++) s ^= i; return s; }");
    unknown(
        "unsigned f(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += i; return s; }",
        "unsigned f(unsigned n) { unsigned s = 0; for (unsigned i = 0; i <= n - 1; i++) s += i; return s; }",
    );
    // The smallest number is none of those that can be made positive, and the largest one has none above it.
    check_different(
        "int f(int n) { unsigned u = n < 0 ? -(unsigned)n : (unsigned)n; int s = 0; while (u) { s += u % 10; u /= 10; } return s; }",
        "int f(int n) { n = n >= 0 ? n : n + 1 < -2147483646 ? 2147483647 : -n; int s = 0; while (n) { s += n % 10; n /= 10; } return s; }",
        r#"{"n":-2147483648} {"returns":47} {"returns":46}"#,
    );
    check_different(
        "int f(int n) { int c = 0; for (long i = 0; i <= n; i += 2147483647) c++; return c; }",
        "int f(int n) { int c = 0; for (long i = 0; i < n + (n != 2147483647); i += 2147483647) c++; return c; }",
        r#"{"n":2147483647} {"returns":2} {"returns":1}"#,
    );
    check_different(
        "int f(unsigned n) { int d = 1; while (n > 9) { n /= 10; d++; } return d; }",
        "int f(unsigned n) { int d = 0; while (n) { n /= 10; d++; } return d; }",
        r#"{"n":0} {"returns":1} {"returns":0}"#,
    );
    check_different(
        "unsigned f(unsigned n, unsigned x) { unsigned s = 0; for (unsigned i = 0; i < n; i++) { s += x; x *= 2; } return s; }",
        "unsigned f(unsigned n, unsigned x) { unsigned s = 0; for (unsigned i = 0; i < n; i++) { s += x; x = x == 2863311530u ? 0 : x << 1; } return s; }",
        r#"{"n":2,"x":2863311530} {"returns":4294967294} {"returns":2863311530}"#,
    );
    check_different(
        "int f(const char *s) { int n = 0; while (*s) { s++; n++; } return n; }",
        "int f(const char *s) { if (!*s) return 1; int n = 0; while (*s) { s++; n++; } return n; }",
        r#"{"s":""} {"returns":0} {"returns":1}"#,
    );
    // To swap the middle with itself needs a middle.
    check_different(
        "void f(int *a, int n) { int i = 0, j = n - 1; while (i < j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } }",
        "void f(int *a, int n) { int i = 0, j = n - 1; while (i <= j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } }",
        r#"{"a":null,"n":1} {} {"stops":"null pointer access"}"#,
    );
}

/// The original takes too long there for a test.
#[test]
fn a_loop_that_differs_where_nobody_looks_is_limited() {
    let old = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= i + 1; return s; }";
    let new = "int f(int n) { int s = 0; for (int i = 1; i <= n; i++) s ^= i; return s; }";
    let answer = answer(old, new, &[]);
    let bound = Value::Array(vec!["loops and recursion up to 8 iterations".into()]);
    assert_eq!((&answer["verdict"], &answer["limits"]), (&"limited".into(), &bound), "{answer}");
}

/// Control comes to such a loop in two ways, and what holds after one of them need not hold after the other.
#[test]
fn a_jump_into_a_loop_is_not_overlooked() {
    let old = "int f(int n) {
            int s = 0, i = 0;
            if (n == 5) goto inside;
            for (i = 1; i < 8; i++) {
                s += 1;
            inside:
                s += i == 0 ? STEP : 3;
            }
            return s;
        }";
    let (one, other) = (old.replace("STEP", "2"), old.replace("STEP", "4"));
    assert_eq!(answer(&one, &one, &[])["verdict"], "equal");
    assert_eq!(answer(&one, &other, &[])["verdict"], "different");
}

/// A pointer far outside of its object, in a round that no bound reaches the end of.
#[test]
fn a_loop_that_begins_far_away_is_not_equal() {
    let old = "void f(int a[2][2], int b[2][2], int to[2][2]) {
            for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) {
                int sum = 0;
                for (int k = 0; k < 2; k++) sum += a[i][k] * b[k][j];
                to[i][j] = sum;
            }
        }";
    let new = old.replace("i = 0", "i = -1073741824");
    let answer = answer(old, &new, &[]);
    assert_eq!(answer["verdict"], "different", "{answer}");
}

#[test]
fn what_is_printed_by_other_calls_is_not_called_different() {
    let old = "int printf(const char *, ...);\nvoid f(int x) { printf(\"a%d\\n\", x); }";
    let new = "int printf(const char *, ...);\nint puts(const char *);\nvoid f(int x) { printf(\"a%d\", x); puts(\"\"); }";
    assert_eq!(answer(old, new, &[])["verdict"], "unknown");
    let other = "int printf(const char *, ...);\nvoid f(int x) { printf(\"b%d\\n\", x); }";
    assert_eq!(answer(old, other, &[])["verdict"], "different");
}

#[test]
fn a_function_that_cannot_be_compared_does_not_keep_others_from_it() {
    let old = "int f(int x) { return x; }\nint g(int x) { return x; }";
    let new = "long f(long x) { return x; }\nint g(int x) { return x + 1; }";
    let answer = answer(old, new, &[]);
    let list = answer["functions"].as_array().expect("there are several");
    assert_eq!((&list[1]["function"], &list[1]["input"]["x"]), (&"g".into(), &0.into()), "{answer}");
}

#[test]
fn horn_clauses_do_not_prove_what_is_not_so() {
    let old = "unsigned char f(unsigned char n) { unsigned char s = 0, i = 0; while (i < n) { i++; s++; s++; } return s; }";
    let new = "unsigned char f(unsigned char n) { unsigned char s = 0, i = 0; while (i < n) { i++; s += 2; } return i == 200 ? 0 : s; }";
    assert_eq!(answer(old, new, &["--stages", "inductive", "--horn"])["verdict"], "unknown");
}

/// Equal as far as was looked, but only if pointers lead to distinct buffers, as the answer has to say.
fn check_distinct(old: &str, new: &str, arguments: &[&str], expect: &str) {
    let answer = answer(old, new, arguments);
    let is_same = answer["verdict"] == "equal" || answer["verdict"] == "limited";
    assert!(is_same, "{answer}");
    assert!(answer["assumptions"].as_array().is_some_and(|all| all.contains(&expect.into())), "{answer}");
}

#[test]
fn that_two_pointers_may_meet_says_nothing_about_a_third() {
    let but = "pointers lead to distinct buffers, except for `a` and `e`";
    check_distinct(
        "int f(int *a, int *e, int *b) { while (a < e) { *a++ = 1; *b = 2; } return 0; }",
        "int f(int *a, int *e, int *b) { while (a < e) { *b = 2; *a++ = 1; } return 0; }",
        &[],
        but,
    );
    check_distinct(
        "void f(int *a, int *e, int *c, int n) { for (int i = 0; i < n; i++) { a[i] = 1; e[i] = 2; c[i] = 3; } }",
        "void f(int *a, int *e, int *c, int n) { for (int i = 0; i < n; i++) { a[i] = 1; c[i] = 3; e[i] = 2; } }",
        &["--may-alias", "a,e"],
        but,
    );
    check_distinct(
        "int g;\nint f(int *a, int *e) { if (a == e) return 9; *a = 1; g = 2; return *a; }",
        "int g;\nint f(int *a, int *e) { if (a == e) return 9; *a = 1; g = 2; return 1; }",
        &[],
        but,
    );
}

#[test]
fn a_type_of_another_layout_is_another_type() {
    check_different(
        "struct s { char a[4]; int b; };\nlong f(void) { struct s s; return (char *)&s.b - (char *)&s; }",
        "struct s { char a[8]; int b; };\nlong f(void) { struct s s; return (char *)&s.b - (char *)&s; }",
        r#"{} {"returns":4} {"returns":8}"#,
    );
    let answer = answer(
        "struct s { int a[2]; int b; };\nint f(struct s *s) { return s->b; }",
        "struct s { int a[4]; int b; };\nint f(struct s *s) { return s->b; }",
        &[],
    );
    let reason = answer["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("A type with the same name is not the same in both."), "{answer}");
}

#[test]
fn the_sign_of_a_small_result_counts() {
    let (old, new) = ("signed char f(int x) { return x; }", "unsigned char f(int x) { return x; }");
    let answer = answer(old, new, &[]);
    assert_eq!(answer["verdict"], "different");
    let reason = answer["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("cannot be called in the same way"), "{answer}");
}

#[test]
fn pointers_into_one_buffer_are_shown_as_such() {
    let answer = answer(
        "int f(int *a, int *b) { *a = 1; *b = 2; return *a; }",
        "int f(int *a, int *b) { *a = 1; *b = 2; return 1; }",
        &["--may-alias", "a,b"],
    );
    assert_eq!(answer["verdict"], "different", "{answer}");
    assert_eq!(answer["input"].to_string(), r#"{"a":[0],"b":"a"}"#);
}
