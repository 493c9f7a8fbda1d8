//! Each mistake that a user can make: one sentence that says what to do, exit
//! code 1, and nothing changed on disk.

mod folder;

use folder::{Folder, MIN, stderr};

fn project() -> Folder {
    Folder::new(&[("min.c", MIN)])
}

/// The sentence is the first line, and all of them unless somebody else has more to say.
#[track_caller]
fn check(folder: &Folder, arguments: &[&str], expect: &str) {
    folder.check_mistake(arguments, expect);
    let said = stderr(&folder.whet(arguments));
    assert_eq!(said, format!("whet: {expect}\n"));
}

#[test]
fn a_file_is_missing() {
    check(&project(), &["run", "max.c"], "cannot read max.c: No such file or directory (os error 2)");
}

#[test]
fn the_c_does_not_compile() {
    let folder = Folder::new(&[("min.c", "int f(void)\n{\n    return x;\n}\n")]);
    folder.check_mistake(
        &["run", "min.c"],
        "whet: min.c does not compile:\nmin.c:3:12: error: use of undeclared identifier 'x'",
    );
}

#[test]
fn a_function_is_unknown() {
    check(
        &project(),
        &["run", "min.c", "--function", "max"],
        "there is no function `max` in min.c; it defines `min`",
    );
}

#[test]
fn an_operator_is_unknown() {
    project().check_mistake(&["run", "min.c", "--operators", "XYZ"], "there is no mutation operator `XYZ`");
}

#[test]
fn the_output_cannot_be_written() {
    check(&project(), &["run", "min.c", "--out", "min.c"], "cannot create min.c: File exists (os error 17)");
    check(
        &project(),
        &["run", "min.c", "--out", "/dev/null/out"],
        "cannot create /dev/null/out: Not a directory (os error 20)",
    );
}

#[test]
fn the_store_is_corrupt() {
    let folder = project();
    folder.write(".whet/store.db", "no database ".repeat(20));
    let expect = "the store .whet/store.db is damaged: empty it with `whet store clear`, or run without it with --no-store";
    check(&folder, &["run", "min.c"], expect);
}

#[test]
fn the_store_is_of_another_version() {
    let folder = project();
    let output = folder.whet(&["run", "min.c", "--quiet"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut bytes = std::fs::read(folder.path(".whet/store.db")).expect("it is there");
    // Where SQLite keeps a number for the user.
    bytes[60..64].copy_from_slice(&77_u32.to_be_bytes());
    folder.write(".whet/store.db", &bytes);
    let expect = "the store .whet/store.db was made by another version of Whet: empty it with `whet store clear`, or run without it with --no-store";
    check(&folder, &["run", "min.c"], expect);
}

#[test]
fn a_threshold_is_bad() {
    project().check_mistake(&["run", "min.c", "--min-score", "ninety"], "a score is a number from 0 to 100");
    let folder = Folder::new(&[("min.c", MIN), ("whet.toml", "min-score = 900\n")]);
    check(&folder, &["run", "min.c"], "whet.toml:1: `min-score`: a score is a number from 0 to 100");
}

#[test]
fn the_configuration_has_a_wrong_type() {
    let folder = Folder::new(&[("min.c", MIN), ("whet.toml", "\nsize = \"8\"\n")]);
    check(
        &folder,
        &["run", "min.c"],
        "whet.toml:2: `size` must be a number, such as `size = 8`; this is a text",
    );
}

#[test]
fn the_configuration_has_an_unknown_key() {
    let folder = Folder::new(&[("min.c", MIN), ("whet.toml", "min_score = 90\n")]);
    check(
        &folder,
        &["run", "min.c"],
        "whet.toml:1: there is no setting `min_score`: did you mean `min-score`?",
    );
}
