//! The commands as a user types them: what they print, write and answer.

mod folder;

use std::path::Path;
use std::process::Command;

use folder::{Folder, MIN, stderr, stdout};

#[test]
fn a_run_writes_tests_and_verdicts_and_says_so() {
    let folder = Folder::new(&[("min.c", MIN)]);
    let output = folder.whet(&["run", "min.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("min.c: 12 mutants in 1 function\n"), "{text}");
    assert!(text.contains("score 100 %"), "{text}");
    assert!(text.contains("tests written to whet-out/test_min.c"), "{text}");
    assert!(text.bytes().all(|byte| byte != 0x1b), "no colours where nobody sees them: {text}");
    assert!(folder.path("whet-out/test_min.c").exists() && folder.path("whet-out/verdicts.json").exists());
}

#[test]
fn a_second_run_does_not_say_that_it_wrote_tests() {
    let folder = Folder::new(&[("min.c", MIN)]);
    folder.whet(&["run", "min.c"]);
    let text = stdout(&folder.whet(&["run", "min.c"]));
    assert!(text.contains("tests in whet-out/test_min.c, as before\n"), "{text}");
    assert!(!text.contains("tests written"), "{text}");
}

#[test]
fn a_quiet_run_prints_nothing() {
    let folder = Folder::new(&[("min.c", MIN)]);
    let output = folder.whet(&["run", "min.c", "-q", "--timings"]);
    assert_eq!((stdout(&output), stderr(&output)), (String::new(), String::new()));
}

#[test]
fn sanitizers_among_the_flags_change_nothing() {
    let folder = Folder::new(&[("min.c", MIN)]);
    for (out, flags) in [("plain", &[][..]), ("sanitised", &["--", "-fsanitize=address,undefined"])] {
        let output = folder.whet(&[&["run", "min.c", "--out", out, "-q"], flags].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    assert_eq!(folder.read("plain/test_min.c"), folder.read("sanitised/test_min.c"));
}

#[test]
fn the_list_has_a_line_for_each_mutant() {
    let folder = Folder::new(&[("min.c", MIN)]);
    let text = stdout(&folder.whet(&["list", "min.c", "--operators", "ROR"]));
    let expect = "    1  ROR  min.c:3:14  < → <=\n    2  ROR  min.c:3:14  < → >\n    3  ROR  min.c:3:14  < → >=\n    \
                  4  ROR  min.c:3:14  < → ==\n    5  ROR  min.c:3:14  < → !=\n";
    assert_eq!(text, expect);
}

#[test]
fn a_shown_mutant_is_a_patch() {
    for (name, text) in [
        ("min.c", MIN.to_string()),
        ("windows.c", MIN.replace('\n', "\r\n")),
        ("cut.c", MIN.trim_end().to_string()),
    ] {
        let folder = Folder::new(&[(name, &text)]);
        let diff = folder.whet(&["show", name, "2", "--operators", "ROR"]);
        std::fs::write(folder.path("change.diff"), &diff.stdout).expect("a file can be written");
        let patch = folder.run("patch", &["-p0", "--binary", "-i", "change.diff"]);
        assert!(patch.status.success(), "{}{}\n{}", stdout(&patch), stderr(&patch), stdout(&diff));
        let patched = std::fs::read_to_string(folder.path(name)).expect("the file is still there");
        assert_eq!(patched, text.replace('<', ">"), "{}{}", stdout(&patch), stdout(&diff));
    }
}

#[test]
fn the_meta_mutant_verifies_and_runs() {
    let text = format!("{MIN}int main(void)\n{{\n    return min(3, 7);\n}}\n");
    let folder = Folder::new(&[("min.c", &text)]);
    assert!(folder.whet(&["meta", "min.c", "-o", "meta.ll"]).status.success());
    let bin = Path::new("/usr/lib/llvm-19/bin");
    let verified =
        folder.run(&bin.join("opt").to_string_lossy(), &["--passes=verify", "-S", "meta.ll", "-o", "out.ll"]);
    assert!(verified.status.success(), "{}", stderr(&verified));
    let lli = bin.join("lli");
    let run = || folder.run(&lli.to_string_lossy(), &["meta.ll"]).status.code();
    assert_eq!(run(), Some(3));
    // One mutant returns the larger one.
    let number = stdout(&folder.whet(&["list", "min.c", "--operators", "ROR"]))
        .lines()
        .position(|line| line.ends_with("< → >"))
        .expect("there is such a mutant")
        + 1;
    assert!(folder.whet(&["meta", "min.c", "--operators", "ROR", "-o", "meta.ll"]).status.success());
    let chosen = Command::new(&lli)
        .arg("meta.ll")
        .current_dir(folder.root())
        .env("WHET_MUTANT", number.to_string())
        .output()
        .expect("lli runs");
    assert_eq!((run(), chosen.status.code()), (Some(3), Some(7)));
}

#[test]
fn the_list_can_be_read_by_programs() {
    let folder = Folder::new(&[("min.c", MIN)]);
    let text = stdout(&folder.whet(&["list", "min.c", "--operators", "ROR", "--format", "json"]));
    let list: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(list[0]["operator"], "ROR");
    assert_eq!((&list[4]["line"], &list[4]["replacement"]), (&3.into(), &"!=".into()));
}

#[test]
fn operators_are_listed_and_composed() {
    let folder = Folder::new(&[("min.c", MIN)]);
    let text = stdout(&folder.whet(&["operators"]));
    assert!(text.contains("LCR  replaces && with ||") && text.contains("seed: AOR ROR BOR IVI"), "{text}");
    let few = stdout(&folder.whet(&["list", "min.c", "--operators", "-UOI,-DCR,-SDL,-CR,-ROR"]));
    assert_eq!(few, "");
}

#[test]
fn shells_and_man_know_the_flags() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let text = folder.says(&["completions", shell]);
        assert!(text.contains("min-score") && text.contains("completions"), "{shell}: {text}");
    }
    folder.write("whet.bash", folder.says(&["completions", "bash"]));
    let read = folder.run("bash", &["-c", ". ./whet.bash && complete -p whet"]);
    assert!(read.status.success(), "{}", stderr(&read));
    let whole = folder.says(&["man"]);
    assert!(whole.contains(".TH whet 1") && whole.contains("whet\\-run(1)"), "{whole}");
    let run = folder.says(&["man", "run"]);
    assert!(run.contains(".TH whet-run 1") && run.contains("\\-\\-min\\-score"), "{run}");
    folder.check_mistake(&["man", "walk"], "there is no command `walk`: choose from run, diff, list, show");
}

#[test]
fn a_comment_that_keeps_nothing_away_is_reported() {
    let folder = Folder::new(&[("min.c", &format!("/* whet: ignore */\n\n{MIN}"))]);
    let output = folder.whet(&["list", "min.c"]);
    assert_eq!(stderr(&output), "whet: min.c:1: this comment suppresses no mutant\n");
}

#[test]
fn a_comment_that_names_no_operator_is_answered_with_the_nearest() {
    let folder = Folder::new(&[("min.c", &MIN.replace("b;", "b; // whet: ignore ROW,CR"))]);
    let output = folder.whet(&["list", "min.c", "--operators", "ROR,CR"]);
    let expect =
        "whet: min.c:3: there is no mutation operator `ROW`: did you mean `ROR`? The operators are AOR, ";
    assert!(stderr(&output).starts_with(expect), "{}", stderr(&output));
    assert!(!stdout(&output).contains("CR ") && stdout(&output).contains("ROR "), "{}", stdout(&output));
}

#[test]
fn a_comment_elsewhere_is_not_blamed() {
    let two = format!("{MIN}{}", MIN.replace("min", "low").replace("b;", "b; // whet: ignore CR"));
    let folder = Folder::new(&[("min.c", &two)]);
    for arguments in [&["--function", "min"], &["--operators", "ROR"]] {
        let output = folder.whet(&[&["list", "min.c"][..], arguments].concat());
        assert_eq!(stderr(&output), "", "{arguments:?}");
    }
}

/// A header in a folder beside that of the file, a function of it that nobody
/// uses, and one that is read twice.
fn with_headers() -> Folder {
    let c = "#include \"../include/low.h\"\n#include <stdlib.h>\n#define NAME one\n#include \"each.h\"\n#undef NAME\n\
             #define NAME two\n#include \"each.h\"\nint f(int a)\n{\n    return low(a, 9) + abs(one(a) + two(a));\n}\n";
    let low = "#pragma once\r\nstatic inline int idle(int a)\r\n{\r\n    return a + 1;\r\n}\r\n\
               static inline int low(int a, int b)\r\n{\r\n    if (a > 0 && a < b)\r\n        return a;\r\n    return b;\r\n}\r\n";
    let each = "static int NAME(int a)\n{\n    return a * 2;\n}\n";
    Folder::new(&[("src/f.c", c), ("include/low.h", low), ("src/each.h", each)])
}

#[test]
fn headers_have_mutants_if_asked_for() {
    let folder = with_headers();
    let list = |more: &[&str]| {
        let arguments = [&["list", "src/f.c", "--operators", "ROR,LCR"], more].concat();
        stdout(&folder.whet(&arguments))
    };
    assert_eq!(list(&[]), "");
    let places = list(&["--headers"]);
    let places: Vec<&str> = places.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    let expect = [["include/low.h:8:9"; 4].as_slice(), &["include/low.h:8:11"; 5], &["include/low.h:8:15"]];
    assert_eq!(places, [expect.concat(), vec!["include/low.h:8:20"; 5]].concat());
    let json = list(&["--headers", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!((&json[4]["file"], &json[4]["column"]), (&"include/low.h".into(), &11.into()));
}

#[test]
fn a_mutant_in_a_header_is_a_patch_of_it_and_is_settled() {
    let folder = with_headers();
    let diff = folder.whet(&["show", "src/f.c", "10", "--headers", "--operators", "ROR,LCR"]);
    std::fs::write(folder.path("change.diff"), &diff.stdout).expect("a file can be written");
    let output = folder.whet(&["run", "src/f.c", "--headers", "--operators", "ROR,LCR"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let tests = std::fs::read_to_string(folder.path("whet-out/test_f.c")).expect("tests are written");
    assert!(tests.contains("include/low.h:8:20: < -> !="), "{tests}");
    let report = std::fs::read_to_string(folder.path("whet-out/report.json")).expect("a report is written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("it is JSON");
    let files = report["files"].as_object().expect("there are files");
    let mutants = |file: &str| files[file]["mutants"].as_array().map(Vec::len);
    assert_eq!(mutants("src/f.c"), Some(0), "{files:?}");
    assert_eq!(mutants("include/low.h"), Some(15), "{files:?}");
    let patch = folder.run("patch", &["-p0", "--binary", "-i", "change.diff"]);
    assert!(patch.status.success(), "{}{}\n{}", stdout(&patch), stderr(&patch), stdout(&diff));
    let patched = std::fs::read_to_string(folder.path("include/low.h")).expect("the file is still there");
    assert!(patched.contains("    if (a > 0 || a < b)\r\n"), "{patched}");
}

#[test]
fn what_has_the_same_code_is_equivalent_whoever_has_a_pointer_to_it() {
    let c = "static int low(int a, int b)\n{\n    return a < b ? a : b;\n}\nint (*get(void))(int, int)\n{\n    return low;\n}\n";
    let folder = Folder::new(&[("get.c", c)]);
    let output = folder.whet(&["run", "get.c", "--operators", "ROR", "--static", "none"]);
    let text = stdout(&output);
    assert!(text.contains("canonical       0           1          0"), "{text}");
    assert!(text.contains("a caller can get hold of a pointer to `low`"), "{text}");
}

#[test]
fn a_file_of_static_functions_is_settled_by_calls_of_these() {
    let folder = Folder::new(&[("low.c", &MIN.replace("int min", "static int min"))]);
    let run = |which: &str| folder.whet(&["run", "low.c", "--no-store", "--static", which]);
    for which in ["alone", "all"] {
        let output = run(which);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("whet-out/test_low_inside.c"), "{}", stdout(&output));
    }
    let output = run("none");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("no function that a test can call leads here"), "{text}");
    // The tests would be C++.
    let output = folder.whet(&["run", "low.c", "--no-store", "--tests", "gtest"]);
    assert_eq!(output.status.code(), Some(3), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn what_was_found_of_a_static_function_is_found_again() {
    let folder = Folder::new(&[("low.c", &MIN.replace("int min", "static int min"))]);
    let [first, second] = [0; 2].map(|_| stdout(&folder.whet(&["run", "low.c"])));
    assert!(first.contains("written to whet-out/test_low_inside.c"), "{first}");
    assert!(second.contains("test_low_inside.c, as before"), "{second}");
    assert!(second.contains("12 of 12 mutants known from an earlier run"), "{second}");
}

#[test]
fn open_mutants_are_told_by_the_exit_code() {
    let folder = Folder::new(&[(
        "first.c",
        "int first(int a)\n{\n    __asm__(\"\");\n    return a + 1;\n}\nint next(int x)\n{\n    return x + 1;\n}\n",
    )]);
    let output = folder.whet(&["run", "first.c"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).contains("inline assembly (line 3)"), "{}", stdout(&output));
    assert_eq!(folder.whet(&["run", "first.c", "--function", "next"]).status.code(), Some(0));
    assert_eq!(folder.whet(&["run", "first.c", "--allow-open"]).status.code(), Some(0));
    assert_eq!(folder.whet(&["run", "first.c", "--min-score", "10"]).status.code(), Some(3));
    assert_eq!(folder.whet(&["run", "first.c", "--min-score", "10", "--allow-open"]).status.code(), Some(0));
}

#[test]
fn limited_mutants_are_told_by_the_exit_code() {
    // Only a second call can tell what is left behind.
    let filter = "static float level;\nfloat process(float x)\n{\n    level = level * 0.75f + x;\n    return level;\n}\n";
    let folder = Folder::new(&[("filter.c", filter)]);
    let exit = |flags: &[&str]| {
        let output = folder.whet(&[&["run", "filter.c", "--operators", "AOR"], flags].concat());
        (output.status.code(), stdout(&output))
    };
    let (code, text) = exit(&[]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("1 limited, 0 open"), "{text}");
    assert!(text.contains("`level` starts with its initial value"), "{text}");
    assert_eq!(exit(&["--allow-open"]).0, Some(3));
    assert_eq!(exit(&["--allow-limited"]).0, Some(0));
}

#[test]
fn a_static_variable_that_nobody_writes_limits_nothing() {
    let c = "static int most = 7;\nint brake(int x)\n{\n    return x > most ? most : x;\n}\n";
    let folder = Folder::new(&[("brake.c", c)]);
    let text = folder.says(&["run", "brake.c", "--operators", "ROR", "--stages", "simulate,bounded"]);
    assert!(text.contains("1 equivalent"), "{text}");
    assert!(!text.contains("most` starts"), "{text}");
}

#[test]
fn allowing_open_mutants_allows_no_limited_ones_and_the_other_way_round() {
    let c = "static int n;\nint next(int x)\n{\n    n = n * 1 + x;\n    return n;\n}\nint first(int a)\n{\n    __asm__(\"\");\n    return a + 3;\n}\n";
    let folder = Folder::new(&[("both.c", c)]);
    let exit = |flags: &[&str]| folder.whet(&[&["run", "both.c", "--operators", "AOR"], flags].concat());
    for (flags, code) in [
        (vec![], 3),
        (vec!["--allow-open"], 3),
        (vec!["--allow-limited"], 3),
        (vec!["--allow-open", "--allow-limited"], 0),
    ] {
        let output = exit(&flags);
        assert_eq!(output.status.code(), Some(code), "{flags:?}: {}", stdout(&output));
    }
}

#[test]
fn a_score_below_the_threshold_is_told_by_the_exit_code() {
    let c = "int first(int a)\n{\n    __asm__(\"\");\n    return a + 3;\n}\nint next(int x)\n{\n    return x + 3;\n}\n";
    let folder = Folder::new(&[("first.c", c)]);
    let operators = ["--operators", "AOR"];
    let check = |flags: &[&str], expect: i32| {
        let output = folder.whet(&[&["run", "first.c"], &operators[..], flags].concat());
        assert_eq!(output.status.code(), Some(expect), "{flags:?}: {}", stderr(&output));
        stderr(&output)
    };
    // Half of them can be killed, and the others are open.
    assert_eq!(
        check(&["--min-score", "50.1"], 2),
        "whet: the score is 50.0 %, below the 50.1 % of --min-score\n"
    );
    check(&["--min-score", "50.1", "--allow-open"], 2);
    check(&["--min-score", "50"], 3);
    check(&["--min-score", "50", "--allow-open"], 0);
    check(&["--min-score", "100", "--function", "next"], 0);
}

fn check_mistake(text: &str, arguments: &[&str], expect: &str) {
    Folder::new(&[("min.c", text)]).check_mistake(arguments, expect);
}

#[test]
fn somebody_elses_test_file_is_not_replaced() {
    let folder = Folder::new(&[("min.c", MIN)]);
    std::fs::create_dir(folder.path("test")).expect("a folder can be made");
    std::fs::write(folder.path("test/test_min.c"), "/* by hand */\n").expect("a file can be written");
    let output = folder.whet(&["run", "min.c", "--out", "test"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stderr(&output).contains("test/test_min.c was not written by Whet"), "{}", stderr(&output));
    assert_eq!(
        std::fs::read_to_string(folder.path("test/test_min.c")).expect("still there"),
        "/* by hand */\n"
    );
    // Our own is written anew.
    assert!(
        folder.whet(&["run", "min.c"]).status.success() && folder.whet(&["run", "min.c"]).status.success()
    );
}

#[test]
fn a_static_function_can_be_chosen() {
    let c = "static int twice(int x)\n{\n    return x * 2;\n}\nint four(int x)\n{\n    return twice(twice(x));\n}\n";
    let folder = Folder::new(&[("four.c", c)]);
    let output = folder.whet(&["run", "four.c", "--function", "twice"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("four.c: 12 mutants in 1 function\n"), "{}", stdout(&output));
}

#[test]
fn mistakes_get_one_sentence() {
    check_mistake(MIN, &["run", "missing.c"], "cannot read missing.c");
    check_mistake(MIN, &["run", "."], "cannot read .");
    check_mistake(
        "int f(",
        &["run", "min.c"],
        "min.c does not compile:\nmin.c:1:7: error: expected parameter declarator",
    );
    check_mistake(
        MIN,
        &["run", "min.c", "--function", "max"],
        "there is no function `max` in min.c; it defines `min`",
    );
    check_mistake(MIN, &["run", "min.c", "--operators", "XYZ"], "there is no mutation operator `XYZ`");
    check_mistake(MIN, &["run", "min.c", "--bound", "0"], "0 is not in 1..=1000");
    check_mistake(MIN, &["run", "min.c", "--min-score", "101"], "a score is a number from 0 to 100");
    check_mistake(MIN, &["run", "min.c", "--min-score", "NaN"], "a score is a number from 0 to 100");
    check_mistake(MIN, &["run", "min.c", "--jobs", "0"], "0 is not in 1..=1024");
    check_mistake(MIN, &["run", "min.c", "--overflow", "maybe"], "possible values: undefined, wrap");
    check_mistake(MIN, &["run", "min.c", "--out", "min.c"], "cannot create min.c");
    check_mistake(MIN, &["run", "min.c", "--", "--target=arm-none-eabi"], "is compiled for arm");
    check_mistake(MIN, &["run", "min.c", "--stages", "guess"], "there is no stage `guess`");
    check_mistake(MIN, &["show", "min.c", "0"], "there is no mutant 0: min.c has mutants 1 to 12");
    check_mistake(MIN, &["show", "min.c", "13"], "there is no mutant 13: min.c has mutants 1 to 12");
    check_mistake(MIN, &["meta", "min.c", "-o", "no/such/folder.ll"], "cannot write no/such/folder.ll");
    check_mistake(MIN, &["run", "min.c", "--static", "some"], "possible values: none, alone, all");
    check_mistake(MIN, &["walk", "min.c"], "unrecognized subcommand");
    check_mistake(MIN, &[], "Usage: whet <COMMAND>");
}
