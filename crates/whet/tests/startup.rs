//! What happens when a program starts is no part of a call: where it differs, nothing is said to be equal.

use std::process::Command;

#[track_caller]
fn check_unknown(old: &str, new: &str, expect: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(folder.path().join("old.c"), old).expect("a file can be written");
    std::fs::write(folder.path().join("new.c"), new).expect("a file can be written");
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    let output =
        whet.current_dir(folder.path()).args(["diff", "old.c", "new.c"]).output().expect("whet runs");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!((output.status.code(), said.as_str()), (Some(3), expect));
}

#[test]
fn another_constructor_is_another_program() {
    let c = |five: u32| {
        format!(
            "static int base = 1;\nstatic void set(void) {{ base = {five}; }}\n\
             __attribute__((constructor)) static void start(void) {{ set(); }}\n\
             int f(int a) {{ return (a & 7) + base; }}\n"
        )
    };
    let expect = "unknown: functions that run before or after `main` are not the same\n";
    check_unknown(&c(5), &c(6), expect);
}

#[test]
fn what_a_resolver_chooses_is_not_compared() {
    let c = |one: u32| {
        format!(
            "static int fast(int a) {{ return (a & 7) + {one}; }}\n\
             static int (*pick(void))(int) {{ return fast; }}\n\
             int chosen(int a) __attribute__((ifunc(\"pick\")));\n\
             int f(int a) {{ return chosen(a); }}\n"
        )
    };
    check_unknown(&c(1), &c(2), "unknown: `chosen` is chosen when the program starts (`ifunc`)\n");
}
