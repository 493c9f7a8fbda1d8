//! The user's own tests, and the tests of earlier runs: what they kill counts, and nothing of them is lost.

mod fetched;

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

const PROGRAM: &str = "
int steps;

int sum_to(int n)
{
    int sum = 0;
    for (int i = 1; i <= n; i++)
        sum += i;
    return sum;
}

int clamp(int x, int low, int high)
{
    steps++;
    if (x < low)
        return low;
    return x > high ? high : x;
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder can be made"));
        folder.write("program.c", PROGRAM);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file can be written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file can be read")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
        whet.current_dir(self.0.path()).args(["run", "program.c"]).args(arguments);
        whet.output().expect("whet runs")
    }

    fn verdicts(&self) -> Value {
        serde_json::from_str(&self.read("whet-out/verdicts.json")).expect("the verdicts are JSON")
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

fn killed_by(mutant: &Value, who: &str) -> bool {
    mutant["killed_by"].as_array().is_some_and(|killers| killers.iter().any(|killer| killer == who))
}

#[test]
fn what_they_kill_is_theirs_and_the_rest_gets_new_tests() {
    let folder = Folder::new();
    folder.write(
        "mine.c",
        "#include <assert.h>\nint sum_to(int);\nint main(void) { assert(sum_to(3) == 6); return 0; }\n",
    );
    let output = folder.run(&["--with-tests", "mine.c", "--reports", "json,sarif,junit,markdown"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let verdicts = folder.verdicts();
    let mutants = verdicts["mutants"].as_array().expect("there are mutants");
    let own: Vec<&Value> =
        mutants.iter().filter(|mutant| killed_by(mutant, "mine.c") && mutant["status"] == "killed").collect();
    assert!(!own.is_empty());
    for mutant in &own {
        assert_eq!((&mutant["function"], &mutant["stage"]), (&"sum_to".into(), &"own tests".into()));
    }
    // An endless loop is theirs, too: the test does not pass.
    assert!(own.iter().any(|mutant| mutant["replacement"] == "--"), "{own:?}");
    let summary = &verdicts["summary"];
    assert_eq!(summary["own_tests"]["killed"], own.len());
    assert_eq!(summary["own_tests"]["missed"], summary["killed"].as_u64().unwrap() - own.len() as u64);
    assert!(summary["score_low"].as_f64().unwrap() < 1.0);
    let tests = folder.read("whet-out/test_program.c");
    assert!(tests.contains("test_clamp") && !tests.contains("test_sum_to_3("), "{tests}");
    let report: Value = serde_json::from_str(&folder.read("whet-out/report.json")).unwrap();
    let all = report["files"]["program.c"]["mutants"].as_array().unwrap();
    assert!(all.iter().any(|mutant| mutant["status"] == "Survived" && mutant["killedBy"] != Value::Null));
    assert!(report["testFiles"]["mine.c"]["source"].as_str().unwrap().contains("sum_to(3)"));
    assert!(folder.read("whet-out/report.sarif").contains("Killed by test_clamp"));
    // Together they miss nothing.
    let unity = fetched::unity().join("unity.c");
    let flags = ["--with-tests", "whet-out/test_program.c", unity.to_str().unwrap(), "--out", "second"];
    let include = format!("-I{}", unity.parent().unwrap().display());
    let output = folder.run(&[&flags[..], &["--", &include]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let both = "int ours(void);\n#define main ours\n#include \"whet-out/test_program.c\"\n#undef main\n\
                #include <assert.h>\nint main(void) { assert(sum_to(3) == 6); return ours(); }\n";
    folder.write("both.c", both);
    let flags = ["--with-tests", "both.c", unity.to_str().unwrap(), "--out", "third"];
    let output = folder.run(&[&flags[..], &["--", &include]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!folder.path("third/test_program.c").exists());
}

#[test]
fn processes_that_tests_start_count_too() {
    let folder = Folder::new();
    folder.write(
        "mine.c",
        "#include <sys/wait.h>\n#include <unistd.h>\nint clamp(int, int, int);\n\
         int main(void)\n{\n    int status = 1;\n    if (fork() == 0)\n        _exit(clamp(7, 1, 5) != 5);\n    \
         wait(&status);\n    return status != 0;\n}\n",
    );
    let output = folder.run(&["--with-tests", "mine.c"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let verdicts = folder.verdicts();
    let mutants = verdicts["mutants"].as_array().unwrap();
    assert!(mutants.iter().any(|mutant| killed_by(mutant, "mine.c") && mutant["function"] == "clamp"));
}

#[test]
fn tests_that_fail_on_the_original_judge_nothing() {
    let folder = Folder::new();
    folder.write(
        "mine.c",
        "#include <stdio.h>\nint sum_to(int);\nint main(void) { puts(\"expected 7\"); return sum_to(3) != 7; }\n",
    );
    let output = folder.run(&["--with-tests", "mine.c"]);
    assert_eq!(output.status.code(), Some(4));
    let expect = "whet: your tests fail on program.c as it is, and have to pass before they can judge mutants: \
                  they end with exit code 1\nexpected 7\n";
    assert_eq!(said(&output), expect);
    assert!(!folder.path("whet-out").exists());
}

#[test]
fn a_second_run_keeps_the_tests_and_adds_what_is_missing() {
    for framework in ["unity", "cmocka", "gtest", "c"] {
        let folder = Folder::new();
        let name = if framework == "gtest" { "whet-out/test_program.cpp" } else { "whet-out/test_program.c" };
        let run = |arguments: &[&str]| {
            let output = folder.run(&[&["--tests", framework], arguments].concat());
            assert_eq!(output.status.code(), Some(0), "{framework}: {}", said(&output));
            said(&output)
        };
        run(&["--function", "sum_to"]);
        let edited = folder.read(name).replace("Kills", "I have read this, it kills");
        folder.write(name, &edited);
        let printed = run(&["--function", "sum_to"]);
        assert!(printed.contains("no test is missing in "), "{printed}");
        assert_eq!(folder.read(name), edited);
        let printed = run(&[]);
        assert!(printed.contains(&format!(" added to {name}")), "{printed}");
        let more = folder.read(name);
        assert!(more.contains("I have read this") && more.contains("steps = 0;"), "{more}");
        for line in edited.lines().filter(|line| line.contains("test_sum_to")) {
            assert!(more.contains(line), "{line}: {more}");
        }
        assert!(run(&[]).contains("no test is missing in "));
        assert_eq!(folder.read(name), more);
        assert!(!folder.path(&name.replace("program.", "program_2.")).exists());
    }
}

#[test]
fn what_does_not_fit_gets_a_file_of_its_own() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["--function", "sum_to"]).status.code(), Some(0));
    let name = "whet-out/test_program.c";
    // Something that meets what the new tests need.
    let edited = folder.read(name).replace("void setUp", "static int steps;\n\nvoid setUp");
    folder.write(name, &edited);
    let output = folder.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(folder.read(name), edited);
    assert!(folder.read("whet-out/test_program_2.c").contains("test_clamp"));
    let output = folder.run(&[]);
    assert!(said(&output).contains("no test is missing"), "{}", said(&output));
}

#[test]
fn tests_that_no_longer_pass_are_not_touched() {
    let folder = Folder::new();
    folder.run(&[]);
    let name = "whet-out/test_program.c";
    let before = folder.read(name);
    folder.write("program.c", &PROGRAM.replace("sum = 0", "sum = 1"));
    let output = folder.run(&[]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("mend them, or remove the file"), "{}", said(&output));
    assert_eq!(folder.read(name), before);
}

#[test]
fn tests_for_another_framework_are_not_touched() {
    let folder = Folder::new();
    folder.run(&[]);
    let output = folder.run(&["--tests", "cmocka"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("has tests for another framework"), "{}", said(&output));
}

#[test]
fn a_test_that_nobody_runs_kills_nothing() {
    let folder = Folder::new();
    folder.run(&["--function", "clamp"]);
    let name = "whet-out/test_program.c";
    let call =
        folder.read(name).lines().find(|line| line.contains("RUN_TEST(")).expect("a test is run").to_string();
    folder.write(name, &folder.read(name).replace(&format!("{call}\n"), ""));
    let printed = said(&folder.run(&["--function", "clamp"]));
    assert!(printed.contains("test added to whet-out/test_program"), "{printed}");
}

#[test]
fn a_mutant_that_loops_in_a_child_is_stopped_soon() {
    let folder = Folder::new();
    folder.write("program.c", "static int calls;\nint count(void)\n{\n    return calls;\n}\nint digits(unsigned n)\n{\n    int d = 1;\n    calls++;\n    while (n >= 10) {\n        n /= 10;\n        d++;\n    }\n    return d;\n}\n");
    let begin = std::time::Instant::now();
    let output = folder.run(&["--no-store"]);
    // What stays in the static variable is open.
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(begin.elapsed() < std::time::Duration::from_secs(40));
}
