//! A reference says what is right: tests expect what it does, and where the
//! program does otherwise, a test shows it.

mod folder;

use std::os::unix::fs::PermissionsExt;

use folder::{Folder, said};
use serde_json::Value;

fn with_programs(program: &str, reference: &str) -> Folder {
    Folder::new(&[("program.c", program), ("right.c", reference)])
}

/// A program to be run.
fn script(folder: &Folder, name: &str, text: &str) {
    folder.write(name, text);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(name), mode).expect("a file can be made executable");
}

fn run(folder: &Folder, reference: &str, code: i32) -> String {
    let output = folder.whet(&["run", "program.c", "--allow-limited", "--reference", reference]);
    assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    said(&output)
}

fn disagreements(folder: &Folder) -> Vec<Value> {
    let verdicts = folder.json("whet-out/verdicts.json");
    verdicts["reference"]["disagreements"].as_array().expect("there is a list").clone()
}

/// The program is wrong on this input, and only a test that no mutant asks for may show it.
fn check_found(program: &str, reference: &str, function: &str, is_shown: impl Fn(&Value) -> bool) {
    let folder = with_programs(program, reference);
    let printed = run(&folder, "right.c", 4);
    let first = printed.lines().find(|line| line.contains("show")).expect("it is said");
    assert!(first.contains("that program.c does not do what right.c does:"), "{printed}");
    let found = disagreements(&folder);
    assert!(found.iter().any(|it| it["function"] == function && is_shown(it)), "{found:#?}");
    let tests = folder.read("whet-out/test_program.c");
    assert!(tests.contains("The expected values are those of right.c."), "{tests}");
    assert!(tests.contains("/* FAILS today"), "{tests}");
    // The same again, and nothing but the fix changes it.
    run(&folder, "right.c", 4);
    assert_eq!(folder.read("whet-out/test_program.c"), tests);
    folder.write("program.c", reference);
    let printed = run(&folder, "right.c", 0);
    assert!(!printed.contains("does not do what"), "{printed}");
    assert!(disagreements(&folder).is_empty());
}

#[test]
fn a_forgotten_special_case_is_found() {
    let digits =
        "int n = 0;\n    while (*s >= '0' && *s <= '9')\n        n = n * 10 + (*s++ - '0');\n    return n;\n";
    check_found(
        &format!("int number(const char *s)\n{{\n    {digits}}}\n"),
        &format!("int number(const char *s)\n{{\n    while (*s == ' ')\n        s++;\n    {digits}}}\n"),
        "number",
        |it| {
            it["input"]["s"].as_str().is_some_and(|s| s.starts_with(' ')) && it["program"] != it["reference"]
        },
    );
    check_found(
        "int wide(int c)\n{\n    return c < 128 && c > 0 ? c : -1;\n}\n",
        "int wide(int c)\n{\n    return c < 128 && c >= 0 ? c : -1;\n}\n",
        "wide",
        |it| it["input"]["c"] == 0 && it["program"]["returns"] == -1 && it["reference"]["returns"] == 0,
    );
}

#[test]
fn what_is_undefined_in_the_program_alone_is_found() {
    check_found(
        "void fill(char *to, int n)\n{\n    do {\n        to[n - 1] = 'x';\n    } while (--n > 0);\n}\n",
        "void fill(char *to, int n)\n{\n    while (n > 0)\n        to[--n] = 'x';\n}\n",
        "fill",
        |it| it["input"]["n"].as_i64().is_some_and(|n| n <= 0) && it["program"]["stops"] != Value::Null,
    );
}

#[test]
fn helpers_and_statics_of_both_keep_out_of_each_others_way() {
    check_found(
        "static int step = 2;\nstatic int twice(int x) { return x * step; }\nint f(int x) { return twice(x) + 1; }\n",
        "static int step = 3;\nstatic int twice(int x) { return x + x; }\n\
         int f(int x) { return x == 9 ? step : twice(x) + 1; }\n",
        "f",
        |it| it["input"]["x"] == 9 && it["reference"]["returns"] == 3,
    );
}

#[test]
fn a_program_is_not_asked_about_what_is_no_text() {
    let text = "int length(const char *s)\n{\n    int n = 0;\n    if (s == 0)\n        return -1;\n    while (s[n] != '\\0')\n        n++;\n    return n;\n}\n";
    let folder = with_programs(text, "");
    script(&folder, "length", "#!/bin/sh\nprintf %s \"$2\" | wc -c\n");
    let printed = run(&folder, "./length", 0);
    assert!(printed.contains("`length`: `s` may be a value that a command line cannot hold"), "{printed}");
    script(&folder, "longer", "#!/bin/sh\necho 100\n");
    std::fs::remove_dir_all(folder.path("whet-out")).expect("there is a folder");
    run(&folder, "./longer", 4);
    assert!(!disagreements(&folder).is_empty());
}

#[test]
fn a_program_can_be_the_reference() {
    let folder = with_programs("int half(int x)\n{\n    return x / 2;\n}\n", "");
    let script = |name: &str, text: &str| script(&folder, name, text);
    script("half", "#!/bin/sh\n[ \"$1\" = half ] && echo $(($2 / 2))\n");
    run(&folder, "./half", 0);
    script("up", "#!/bin/sh\n[ \"$1\" = half ] && echo $(($2 / 2 + 1))\n");
    std::fs::remove_dir_all(folder.path("whet-out")).expect("there is a folder");
    let printed = run(&folder, "./up", 4);
    assert!(printed.contains("that program.c does not do what ./up does:"), "{printed}");
    script("silent", "#!/bin/sh\n");
    assert!(run(&folder, "./silent", 1).contains("printed no number that `half` could return"));
}

#[test]
fn mistakes_get_one_sentence() {
    let folder =
        with_programs("int f(int x)\n{\n    return x + 1;\n}\n", "int f(int *x)\n{\n    return *x + 1;\n}\n");
    let printed = run(&folder, "right.c", 1);
    let expect = "whet: `f` cannot be called in the same way in both files:\n  \
                  program.c: int f(int x)\n  right.c: int f(int *x)\n";
    assert_eq!(printed, expect);
    folder.write("right.c", "int g(int x)\n{\n    return x;\n}\n");
    assert_eq!(run(&folder, "right.c", 1), "whet: right.c and program.c have no function in common\n");
    assert!(run(&folder, "nothing.c", 1).starts_with("whet: cannot read nothing.c"));
    assert!(run(&folder, "nothing", 1).starts_with("whet: cannot read nothing"));
    assert!(!folder.path("whet-out").exists());
}

#[test]
fn what_is_not_valid_for_the_reference_is_left_out() {
    let folder = with_programs(
        "int sum(const int *a, int n)\n{\n    int sum = 0;\n    for (int i = 0; i < n - 1; i++)\n        sum += a[i];\n    return sum;\n}\n",
        "int sum(const int *a, int n)\n{\n    int sum = 0;\n    for (int i = 0; i < n; i++)\n        sum += a[i];\n    return sum;\n}\n",
    );
    run(&folder, "right.c", 4);
    for found in disagreements(&folder) {
        let (a, n) = (found["input"]["a"].as_array().map_or(0, Vec::len), &found["input"]["n"]);
        assert!(n.as_i64().is_some_and(|n| n <= a as i64), "{found}");
    }
    folder.write("program.c", folder.read("right.c"));
    run(&folder, "right.c", 0);
}

#[test]
fn what_the_reference_cannot_tell_is_said() {
    let folder = with_programs(
        "int f(int x)\n{\n    return x + 1;\n}\nint g(int x)\n{\n    return x - 1;\n}\n",
        "char *getenv(const char *name);\nint f(int x)\n{\n    return getenv(\"HOME\") ? x : 0;\n}\n",
    );
    let printed = run(&folder, "right.c", 0);
    assert!(
        printed.contains("whet: right.c has no function `g`: tests of `g` expect what program.c does\n"),
        "{printed}"
    );
    assert!(printed.contains(
        "whet: tests expect what program.c does, because Whet cannot tell what right.c does: `f`: "
    ));
    let tests = folder.read("whet-out/test_program.c");
    assert!(tests.contains("those of right.c, where it has any; others record what program.c does today."));
}

#[test]
fn a_global_that_the_reference_lacks_is_none_of_its_business() {
    let folder = with_programs(
        "int calls;\nint f(int x)\n{\n    calls++;\n    return x + 1;\n}\n",
        "int f(int x)\n{\n    return 1 + x;\n}\n",
    );
    run(&folder, "right.c", 0);
}
