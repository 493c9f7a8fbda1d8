//! Flags for clang that are about the user's text leave alone what Whet compiles beside it.

use std::path::Path;
use std::process::{Command, Output};

/// Has a condition, a struct by value, a number that is no operand and a loop:
/// doors and choices are put into it.
const C: &str = "struct pair { int a, b; };\n\
    static int limit = 10;\n\
    int sum(struct pair p);\n\
    int sum(struct pair p)\n{\n    if (p.a > limit || p.b > limit)\n        return 0;\n    return p.a + p.b;\n}\n\
    int count(int n);\n\
    int count(int n)\n{\n    int i, found = 0;\n    for (i = 0; i < (n & 3); i++)\n        found += 2;\n    return found;\n}\n";

fn run(folder: &Path, text: &str, flags: &[&str]) -> (Output, String) {
    std::fs::write(folder.join("program.c"), text).expect("a file can be written");
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    whet.current_dir(folder).args(["run", "program.c", "--reports", "none", "--no-store"]);
    let output = whet.arg("--").args(flags).output().expect("whet runs");
    let verdicts = std::fs::read_to_string(folder.join("whet-out/verdicts.json")).unwrap_or_default();
    (output, verdicts)
}

#[test]
fn old_and_strict_dialects_have_the_same_verdicts() {
    let plain = tempfile::tempdir().expect("a temporary folder can be made");
    let (_, expect) = run(plain.path(), C, &[]);
    assert!(expect.contains("\"killed\""), "there are verdicts");
    for flags in [
        &["-std=c89"][..],
        &["-ansi"],
        &["-std=c90"],
        &["-std=gnu89"],
        &["-std=c89", "-pedantic-errors"],
        &["-pedantic-errors"],
        &["-Werror"],
        &["-Wno-everything", "-Werror=missing-prototypes", "-Werror=shadow", "-Wmissing-prototypes"],
        &["-std=c89", "-Wall", "-Wextra", "-Werror", "-Wfatal-errors"],
        &["-std=c99", "-Weverything", "-Wno-padded", "-Werror", "-pedantic-errors"],
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (output, verdicts) = run(folder.path(), C, flags);
        assert!(output.status.success(), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(verdicts, expect, "{flags:?}");
    }
}

#[test]
fn a_program_may_call_its_main_what_it_likes() {
    for flags in [&["-Dmain=program_main"][..], &["-D", "main=program_main"]] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let text = format!("{C}int main(void)\n{{\n    return count(1);\n}}\n");
        let (output, _) = run(folder.path(), &text, flags);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
