//! Buffers of any size: what is proved for all of them, and what is not so for a large one.

mod sound;

use std::process::Command;

use serde_json::Value;

const HEAD: &str = "#include <stddef.h>\n";

/// What `whet diff` says about two versions, with these flags.
fn answer(old: &str, new: &str, flags: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, text) in [("old.c", old), ("new.c", new)] {
        std::fs::write(folder.path().join(name), format!("{HEAD}{text}")).expect("a file can be written");
    }
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    whet.current_dir(folder.path()).args(["diff", "old.c", "new.c", "--format", "json"]).args(flags);
    let output = sound::output(&mut whet);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn check_all_sizes(old: &str, new: &str, relation: &str) {
    let answer = answer(old, new, &[]);
    let found = (&answer["verdict"], &answer["method"], &answer["relation"]);
    assert_eq!(found, (&"equal".into(), &"induction for all sizes".into(), &relation.into()), "{answer}");
}

/// Equal for small buffers. Those who prove say nothing about large ones, and those who search find one.
fn check_small_sizes(old: &str, new: &str) {
    let proved = answer(old, new, &["--stages", "simulate,canonical,inductive,bounded"]);
    let small = "pointers lead to the start of buffers of up to 8 elements";
    assert_eq!(proved["verdict"], "limited", "{proved}");
    assert!(proved["limits"].as_array().is_some_and(|all| all.contains(&small.into())), "{proved}");
    let searched = answer(old, new, &[]);
    assert_eq!(
        (&searched["verdict"], &searched["method"]),
        (&"different".into(), &"hunt".into()),
        "{searched}"
    );
}

#[test]
fn pointers_and_indices_are_related() {
    check_all_sizes(
        "size_t f(const char *s) { size_t n = 0; while (s[n] != 0) n++; return n; }",
        "size_t f(const char *s) { const char *p = s; while (*p) p++; return (size_t)(p - s); }",
        "s' == s && p' == s + n",
    );
    check_all_sizes(
        "int f(const char *a, const char *b) { while (*a && *a == *b) { a++; b++; } return *a == *b; }",
        "int f(const char *a, const char *b) { size_t i = 0; while (a[i] != 0 && a[i] == b[i]) i++; return a[i] == b[i]; }",
        "a' + i' == a && b' + i' == b",
    );
    check_all_sizes(
        "int f(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }",
        "int f(const int *a, int n) { int s = 0; const int *p = a; while (n > 0) { s += *p; p++; n--; } return s; }",
        "n' == n - i && s' == s && p' == a + i",
    );
}

#[test]
fn what_is_written_is_the_same() {
    check_all_sizes(
        "void f(unsigned char *p, size_t n, unsigned char v) { for (size_t i = 0; i < n; i++) p[i] = v; }",
        "void f(unsigned char *p, size_t n, unsigned char v) { while (n--) *p++ = v; }",
        "v' == v && n' == n - i && p' == p + i",
    );
    check_all_sizes(
        "void f(int *a, int n) { int i = 0, j = n - 1; while (i < j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } }",
        "void f(int *a, int n) { for (int i = 0, j = n - 1; i < j; i++, j--) { int t = a[j]; a[j] = a[i]; a[i] = t; } }",
        "i' == i && j' == j && a' == a",
    );
}

/// Each differs from the original only where a buffer is longer than those that are looked at.
#[test]
fn a_difference_in_a_large_buffer_is_not_overlooked() {
    check_small_sizes(
        "int f(const char *s) { int n = 0; while (s[n]) n++; return n; }",
        "int f(const char *s) { int n = 0; while (s[n] && n < 200) n++; return n; }",
    );
    check_small_sizes(
        "void f(char *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }",
        "void f(char *a, int n) { for (int i = 0; i < n; i++) a[i] = i == 1000; }",
    );
    check_small_sizes(
        "int f(const int *a, int n) { int m = 0; for (int i = 0; i < n; i++) if (a[i] > m) m = a[i]; return m; }",
        "int f(const int *a, int n) { int m = 0; for (int i = 0; i < n; i++) if (a[i] > m && i != 9) m = a[i]; return m; }",
    );
    check_small_sizes(
        "void f(short *a, int n) { for (int i = 0; i < n; i++) a[i] = 1; }",
        "void f(short *a, int n) { for (int i = 0; i < n; i++) { a[i] = 1; if (i >= 70) a[i - 70] = 2; } }",
    );
}
