//! Which mutants are looked at: lines, changes, functions. Their numbers stay what they are.

mod folder;

use folder::{Folder, MIN, stderr, stdout};

const TWO: &str = "int min(int a, int b)\n{\n    return a < b ? a : b;\n}\n\nint twice(int a)\n{\n    int b =\n        a;\n    return a + b;\n}\n";

/// The numbers that `whet list` shows, with the operators of relations and sums alone.
fn listed(folder: &Folder, flags: &[&str]) -> Vec<u32> {
    let text = folder.says(&[&["list", "two.c", "--operators", "ROR,AOR"], flags].concat());
    text.lines()
        .map(|line| line.split_whitespace().next().expect("a number").parse().expect("a number"))
        .collect()
}

#[track_caller]
fn check(flags: &[&str], expect: &[u32]) {
    assert_eq!(listed(&Folder::new(&[("two.c", TWO)]), flags), expect, "{flags:?}");
}

#[test]
fn lines_select_and_numbers_stay() {
    check(&[], &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    check(&["--lines", "3"], &[1, 2, 3, 4, 5]);
    check(&["--lines", "8-40"], &[6, 7, 8, 9]);
    check(&["--lines", "3", "--lines", "10-10"], &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    check(&["--lines", "1,10"], &[6, 7, 8, 9]);
    check(&["--lines", "4-9"], &[]);
    check(&["--exclude", "min"], &[6, 7, 8, 9]);
    check(&["--lines", "3-10", "--exclude", "twice"], &[1, 2, 3, 4, 5]);
}

#[test]
fn a_change_of_several_lines_is_in_if_one_of_them_is() {
    let folder = Folder::new(&[(
        "sum.c",
        "int sum(int a, int b)\n{\n    if (a >\n        b) a = b;\n    return a;\n}\n",
    )]);
    let count =
        |lines: &str| folder.says(&["list", "sum.c", "--operators", "DCR", "--lines", lines]).lines().count();
    assert_eq!([count("2"), count("3"), count("4"), count("5")], [0, 3, 3, 0]);
}

#[test]
fn a_run_looks_at_what_is_selected_and_show_agrees() {
    let folder = Folder::new(&[("two.c", TWO)]);
    let text = folder.says(&["run", "two.c", "--operators", "ROR,AOR", "--lines", "10"]);
    assert!(text.starts_with("two.c: 4 mutants in 1 function\n"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&folder.read("whet-out/verdicts.json")).expect("it is JSON");
    let mutants = json["mutants"].as_array().expect("an array");
    assert_eq!(
        mutants.iter().map(|mutant| mutant["id"].as_u64()).collect::<Vec<_>>(),
        [6, 7, 8, 9].map(Some)
    );
    assert!(
        mutants.iter().all(|mutant| mutant["killed_by"].as_array().is_some_and(|tests| !tests.is_empty()))
    );
    let tests = folder.read("whet-out/test_two.c");
    assert!(tests.contains("10:14: + -> ") && !tests.contains("min("), "{tests}");
    let shown = folder.says(&["show", "two.c", "6", "--operators", "ROR,AOR"]);
    assert!(shown.contains("-    return a + b;"), "{shown}");
}

#[test]
fn nothing_selected_is_nothing_to_do() {
    let folder = Folder::new(&[("two.c", TWO)]);
    let text = folder.says(&["run", "two.c", "--lines", "1"]);
    assert!(text.starts_with("two.c: 0 mutants in 0 functions\n"), "{text}");
}

#[test]
fn a_diff_selects_the_lines_that_are_new() {
    let folder = Folder::new(&[("src/two.c", TWO), ("old/two.c", &TWO.replace("a + b", "a"))]);
    let diff = folder.run("diff", &["-u", "old/two.c", "src/two.c"]);
    folder.write("change.diff", &diff.stdout);
    let list = |diff: &str| {
        stdout(&folder.whet(&["list", "src/two.c", "--operators", "ROR,AOR", "--in-diff", diff]))
    };
    assert_eq!(list("change.diff").lines().count(), 4, "{}", stdout(&diff));
    folder.write(
        "git.diff",
        stdout(&diff).replace("+++ src/", "+++ b/project/src/").replace("--- old/", "--- a/project/src/"),
    );
    assert_eq!(list("git.diff").lines().count(), 0, "the folder has another name");
    folder
        .write("git.diff", stdout(&diff).replace("+++ src/", "+++ b/src/").replace("--- old/", "--- a/src/"));
    assert_eq!(list("git.diff").lines().count(), 4);
    // Through a pipe.
    let piped = folder.run(
        "sh",
        &["-c", &format!("cat git.diff | {} list src/two.c --in-diff -", env!("CARGO_BIN_EXE_whet"))],
    );
    assert!(piped.status.success() && !piped.stdout.is_empty(), "{}", stderr(&piped));
}

#[test]
fn git_knows_what_changed_since() {
    let folder = Folder::new(&[("two.c", &TWO.replace("a + b", "a"))]);
    let git = |arguments: &[&str]| {
        let user = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let output = folder.run("git", &[&user[..], arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    };
    git(&["init", "-q", "."]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    assert_eq!(listed(&folder, &["--since", "HEAD"]).len(), 5, "all of a file that git does not know is new");
    git(&["add", "two.c"]);
    git(&["commit", "-q", "-m", "second"]);
    assert_eq!(listed(&folder, &["--since", "HEAD"]), Vec::<u32>::new());
    folder.write("two.c", TWO);
    assert_eq!(listed(&folder, &["--since", "HEAD"]), [6, 7, 8, 9]);
    git(&["commit", "-q", "-a", "-m", "third"]);
    assert_eq!(listed(&folder, &["--since", "HEAD"]), Vec::<u32>::new());
    assert_eq!(listed(&folder, &["--since", "HEAD~1"]), [6, 7, 8, 9]);
    assert_eq!(listed(&folder, &["--since", "HEAD~2"]).len(), 9);
    folder.check_mistake(
        &["list", "two.c", "--since", "nowhere"],
        "--since nowhere: git knows no such commit, branch or tag",
    );
    folder.check_mistake(&["list", "two.c", "--since=--help"], "--since --help: git knows no such commit");
}

#[test]
fn lines_of_headers_are_the_headers_own() {
    let header = "static int twice(int a)\n{\n    return a + a;\n}\n";
    let folder = Folder::new(&[
        ("two.h", header),
        ("two.c", "#include \"two.h\"\nint f(int a)\n{\n    return twice(a) - 1;\n}\n"),
    ]);
    let all = listed(&folder, &["--headers"]).len();
    assert_eq!(all, 8);
    assert_eq!(listed(&folder, &["--headers", "--lines", "3"]), Vec::<u32>::new());
    folder
        .write("change.diff", "--- a/two.h\n+++ b/two.h\n@@ -3 +3 @@\n-    return 0;\n+    return a + a;\n");
    let selected =
        folder.says(&["list", "two.c", "--operators", "AOR", "--headers", "--in-diff", "change.diff"]);
    assert_eq!(selected.lines().count(), 4);
    assert!(selected.lines().all(|line| line.contains("two.h:3:")), "{selected}");
}

#[test]
fn mistakes_get_one_sentence() {
    let folder = Folder::new(&[("two.c", TWO), ("min.c", MIN)]);
    folder.check_mistake(&["list", "two.c", "--lines", "9-3"], "lines are given as 7 or 10-40");
    folder.check_mistake(
        &["list", "two.c", "--exclude", "max"],
        "--exclude max: there is no function `max` in two.c",
    );
    folder.check_mistake(&["list", "two.c", "--in-diff", "min.c"], "min.c is not a unified diff");
    folder.check_mistake(&["list", "two.c", "--in-diff", "no.diff"], "cannot read no.diff");
    folder.check_mistake(&["run", "two.c", "--since", "HEAD"], "two.c is not in a git repository");
}
