//! The user's own tests, and the tests of earlier runs: what they kill counts, and nothing of them is lost.

mod folder;
mod sound;

use std::process::{Command, Output, Stdio};

use folder::{Folder, said};
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

fn with_program() -> Folder {
    Folder::new(&[("program.c", PROGRAM)])
}

fn run(folder: &Folder, arguments: &[&str]) -> Output {
    folder.whet(&[&["run", "program.c"], arguments].concat())
}

fn verdicts(folder: &Folder) -> Value {
    folder.json("whet-out/verdicts.json")
}

fn killed_by(mutant: &Value, who: &str) -> bool {
    mutant["killed_by"].as_array().is_some_and(|killers| killers.iter().any(|killer| killer == who))
}

#[test]
fn what_they_kill_is_theirs_and_the_rest_gets_new_tests() {
    let folder = with_program();
    folder.write(
        "mine.c",
        "#include <assert.h>\nint sum_to(int);\nint main(void) { assert(sum_to(3) == 6); return 0; }\n",
    );
    let output = run(&folder, &["--with-tests", "mine.c", "--reports", "json,sarif,junit,markdown"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    // What survives them is told by the exit code, whatever else is allowed.
    for allowed in [&["--allow-open", "--allow-limited"][..], &["--min-score", "1", "--allow-open"]] {
        let output = run(&folder, &[&["--with-tests", "mine.c", "--out", "allowed"], allowed].concat());
        assert_eq!(output.status.code(), Some(2), "{allowed:?}: {}", said(&output));
    }
    let verdicts = verdicts(&folder);
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
    let report: Value = folder.json("whet-out/report.json");
    let all = report["files"]["program.c"]["mutants"].as_array().unwrap();
    assert!(all.iter().any(|mutant| mutant["status"] == "Survived" && mutant["killedBy"] != Value::Null));
    assert!(report["testFiles"]["mine.c"]["source"].as_str().unwrap().contains("sum_to(3)"));
    assert!(folder.read("whet-out/report.sarif").contains("Killed by test_clamp"));
    // Together they miss nothing.
    let unity = lab::fetched::unity().join("unity.c");
    let flags = ["--with-tests", "whet-out/test_program.c", unity.to_str().unwrap(), "--out", "second"];
    let include = format!("-I{}", unity.parent().unwrap().display());
    let output = run(&folder, &[&flags[..], &["--", &include]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let both = "int ours(void);\n#define main ours\n#include \"whet-out/test_program.c\"\n#undef main\n\
                #include <assert.h>\nint main(void) { assert(sum_to(3) == 6); return ours(); }\n";
    folder.write("both.c", both);
    let flags = ["--with-tests", "both.c", unity.to_str().unwrap(), "--out", "third"];
    let output = run(&folder, &[&flags[..], &["--", &include]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!folder.path("third/test_program.c").exists());
}

#[test]
fn processes_that_tests_start_count_too() {
    let folder = with_program();
    folder.write(
        "mine.c",
        "#include <sys/wait.h>\n#include <unistd.h>\nint clamp(int, int, int);\n\
         int main(void)\n{\n    int status = 1;\n    if (fork() == 0)\n        _exit(clamp(7, 1, 5) != 5);\n    \
         wait(&status);\n    return status != 0;\n}\n",
    );
    let output = run(&folder, &["--with-tests", "mine.c"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let verdicts = verdicts(&folder);
    let mutants = verdicts["mutants"].as_array().unwrap();
    assert!(mutants.iter().any(|mutant| killed_by(mutant, "mine.c") && mutant["function"] == "clamp"));
}

#[test]
fn tests_that_do_not_compile_are_told_before_anything_else_is_done() {
    let folder = with_program();
    folder.write("mine.c", "int main(void) { return missing; }\n");
    let clang = "#!/bin/sh\necho \"$@\" >> calls\nexec clang-19 \"$@\"\n";
    folder.write("clang", clang);
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path("clang"), executable).expect("it is there");
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    whet.current_dir(folder.root()).env("WHET_CLANG", folder.path("clang"));
    let output = sound::output(whet.args(["run", "program.c", "--with-tests", "mine.c"]));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let expect =
        "whet: the tests do not build with the file under test:\nmine.c:1:25: error: use of undeclared";
    assert!(said(&output).starts_with(expect), "{}", said(&output));
    // Nobody has looked at the program yet.
    let calls = folder.read("calls");
    assert!(calls.lines().count() == 1 && calls.contains("mine.c"), "{calls}");
    assert!(!folder.path("whet-out").exists() && !folder.path(".whet").exists());
}

#[test]
fn a_file_that_does_not_compile_is_told_before_tests_run() {
    let folder = with_program();
    folder.write("program.c", "int f(void) { return missing; }\n");
    folder
        .write("mine.c", "#include <stdio.h>\nint main(void) { fclose(fopen(\"ran\", \"w\")); return 0; }\n");
    let output = run(&folder, &["--with-tests", "mine.c"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).starts_with("whet: program.c does not compile:\n"), "{}", said(&output));
    assert!(!["ran", "whet-out", ".whet"].iter().any(|name| folder.path(name).exists()));
}

#[test]
fn tests_that_fail_on_the_original_judge_nothing() {
    let folder = with_program();
    folder.write(
        "mine.c",
        "#include <stdio.h>\nint sum_to(int);\nint main(void) { puts(\"expected 7\"); return sum_to(3) != 7; }\n",
    );
    let output = run(&folder, &["--with-tests", "mine.c"]);
    assert_eq!(output.status.code(), Some(4));
    let expect = "whet: your tests fail on program.c as it is: they must pass before they can judge mutants: \
                  they end with exit code 1\nexpected 7\n";
    assert_eq!(said(&output), expect);
    assert!(!folder.path("whet-out").exists());
}

#[test]
fn a_second_run_keeps_the_tests_and_adds_what_is_missing() {
    for framework in ["unity", "cmocka", "gtest", "c"] {
        let folder = with_program();
        let name = if framework == "gtest" { "whet-out/test_program.cpp" } else { "whet-out/test_program.c" };
        let run = |arguments: &[&str]| {
            let output = run(&folder, &[&["--tests", framework], arguments].concat());
            assert_eq!(output.status.code(), Some(0), "{framework}: {}", said(&output));
            said(&output)
        };
        run(&["--function", "sum_to"]);
        let edited = folder.read(name).replace("Kills", "I have read this, it kills");
        folder.write(name, &edited);
        let printed = run(&["--function", "sum_to"]);
        assert!(printed.contains(" needs no new test"), "{printed}");
        assert_eq!(folder.read(name), edited);
        let printed = run(&[]);
        assert!(printed.contains(&format!(" added to {name}")), "{printed}");
        let more = folder.read(name);
        assert!(more.contains("I have read this") && more.contains("steps = 0;"), "{more}");
        for line in edited.lines().filter(|line| line.contains("test_sum_to")) {
            assert!(more.contains(line), "{line}: {more}");
        }
        assert!(run(&[]).contains(" needs no new test"));
        assert_eq!(folder.read(name), more);
        assert!(!folder.path(&name.replace("program.", "program_2.")).exists());
    }
}

#[test]
fn what_does_not_fit_gets_a_file_of_its_own() {
    let folder = with_program();
    assert_eq!(run(&folder, &["--function", "sum_to"]).status.code(), Some(0));
    let name = "whet-out/test_program.c";
    // Something that meets what the new tests need.
    let edited = folder.read(name).replace("void setUp", "static int steps;\n\nvoid setUp");
    folder.write(name, &edited);
    let output = run(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(folder.read(name), edited);
    assert!(folder.read("whet-out/test_program_2.c").contains("test_clamp"));
    let output = run(&folder, &[]);
    assert!(said(&output).contains("needs no new test"), "{}", said(&output));
}

#[test]
fn tests_that_no_longer_pass_are_not_touched() {
    let folder = with_program();
    run(&folder, &[]);
    let name = "whet-out/test_program.c";
    let before = folder.read(name);
    folder.write("program.c", PROGRAM.replace("sum = 0", "sum = 1"));
    let output = run(&folder, &[]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("fix them, or remove the file"), "{}", said(&output));
    assert_eq!(folder.read(name), before);
}

#[test]
fn tests_for_another_framework_are_not_touched() {
    let folder = with_program();
    run(&folder, &[]);
    let output = run(&folder, &["--tests", "cmocka"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("has tests for another framework"), "{}", said(&output));
}

#[test]
fn a_test_that_nobody_runs_kills_nothing() {
    let folder = with_program();
    run(&folder, &["--function", "clamp"]);
    let name = "whet-out/test_program.c";
    let call =
        folder.read(name).lines().find(|line| line.contains("RUN_TEST(")).expect("a test is run").to_string();
    folder.write(name, folder.read(name).replace(&format!("{call}\n"), ""));
    let printed = said(&run(&folder, &["--function", "clamp"]));
    assert!(printed.contains("test added to whet-out/test_program"), "{printed}");
}

#[test]
fn a_mutant_that_loops_in_a_child_is_stopped_soon() {
    let folder = with_program();
    folder.write("program.c", "static int calls;\nint count(void)\n{\n    return calls;\n}\nint digits(unsigned n)\n{\n    int d = 1;\n    calls++;\n    while (n >= 10) {\n        n /= 10;\n        d++;\n    }\n    return d;\n}\n");
    let begin = std::time::Instant::now();
    let output = run(&folder, &["--no-store"]);
    // What stays in the static variable is open.
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(begin.elapsed() < std::time::Duration::from_secs(40));
}

/// The mutants of one comparison that a test kills.
fn kills(folder: &Folder, test: &str) -> Vec<String> {
    folder.write("mine.c", test);
    let flags = "--function clamp --operators ROR --lines 17 --no-store --with-tests mine.c";
    let output = run(folder, &flags.split(' ').collect::<Vec<&str>>());
    assert!(matches!(output.status.code(), Some(0 | 2)), "{}", said(&output));
    let verdicts = verdicts(folder);
    let mutants = verdicts["mutants"].as_array().expect("there are mutants");
    let killed = mutants.iter().filter(|mutant| killed_by(mutant, "mine.c"));
    killed.map(|mutant| mutant["replacement"].as_str().expect("it has one").to_string()).collect()
}

/// What makes `x > high` false where it is true.
const NOT_ABOVE: [&str; 3] = ["<", "<=", "=="];

/// Whether the tests run on the original, and whether they are a copy of their parent.
const SERVED: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int clamp(int, int, int);
static int is_original(void) { return atoi(getenv("WHET_MUTANT")) == 0; }
static int is_served(void)
{
    char own[PATH_MAX] = "", its[PATH_MAX] = "", path[64];
    sprintf(path, "/proc/%d/exe", (int)getppid());
    return readlink("/proc/self/exe", own, PATH_MAX - 1) > 0 && readlink(path, its, PATH_MAX - 1) > 0
        && __builtin_strcmp(own, its) == 0;
}
"#;

#[test]
fn each_mutant_has_a_copy_of_the_process() {
    let test = format!("{SERVED}int main(void) {{ return clamp(7, 1, 5) != 5 || is_served(); }}");
    assert_eq!(kills(&with_program(), &test).len(), 5);
}

#[test]
fn constructors_meet_the_mutant() {
    let test = "int clamp(int, int, int);\nstatic int result;\n\
                __attribute__((constructor(101))) static void first(void) { result = clamp(7, 1, 5); }\n\
                int main(void) { return result != 5; }\n";
    assert_eq!(kills(&with_program(), test), NOT_ABOVE);
}

#[test]
fn a_loop_in_a_constructor_is_stopped_soon() {
    let folder = with_program();
    let test = "int sum_to(int);\nstatic int result;\n\
                __attribute__((constructor)) static void first(void) { result = sum_to(3); }\n\
                int main(void) { return result != 6; }\n";
    folder.write("mine.c", test);
    let begin = std::time::Instant::now();
    run(&folder, &["--function", "sum_to", "--no-store", "--with-tests", "mine.c"]);
    assert!(begin.elapsed() < std::time::Duration::from_secs(20));
    let verdicts = verdicts(&folder);
    let mut mutants = verdicts["mutants"].as_array().expect("there are mutants").iter();
    assert!(mutants.any(|mutant| killed_by(mutant, "mine.c") && mutant["replacement"] == "--"));
}

#[test]
fn a_copy_has_the_descriptors_of_a_new_process() {
    let main = r#"
    int main(void)
    {
        int count = 0, before = 0;
        for (int file = 0; file < 1000; file++)
            count += fcntl(file, F_GETFD) != -1;
        FILE *note = fopen("count", is_original() ? "w" : "r");
        if (is_original())
            fprintf(note, "%d", count);
        else if (fscanf(note, "%d", &before) != 1 || before != count)
            return 0;
        fclose(note);
        char byte;
        if (read(0, &byte, 1) != 0 || write(0, "", 1) != -1 || write(1, "?", 1) != 1 || write(2, "?", 1) != 1)
            return 0;
        for (int file = 0; file < 1000; file++)
            close(file);
        return clamp(7, 1, 5) != 5;
    }"#;
    assert_eq!(kills(&with_program(), &format!("{SERVED}{main}")), NOT_ABOVE);
}

#[test]
fn tests_may_stand_in_for_functions_of_the_system() {
    let test = "int clamp(int, int, int);\n\
                long read(int file, void *to, unsigned long size) { return size; }\n\
                long write(int file, const void *from, unsigned long size) { return size; }\n\
                int open(const char *path, int flags, ...) { return 0; }\nint close(int file) { return 0; }\n\
                int fork(void) { return 0; }\n\
                int main(void) { return clamp(7, 1, 5) != 5; }\n";
    assert_eq!(kills(&with_program(), test), NOT_ABOVE);
}

#[test]
fn a_test_that_ends_its_parent_is_run_without_it() {
    let main = "int main(void)\n{\n    if (is_served())\n        kill(getppid(), SIGKILL);\n    return clamp(7, 1, 5) != 5;\n}\n";
    assert_eq!(kills(&with_program(), &format!("{SERVED}{main}")), NOT_ABOVE);
}

/// If `x > high` is `x == high`, waits in two processes and notes their numbers.
const HANGS: &str = r#"
int main(void)
{
    if (clamp(7, 1, 5) != 7 || clamp(3, 1, 5) != 3)
        return clamp(7, 1, 5) != 5;
    int child = fork();
    alarm(100);
    if (child != 0) {
        FILE *note = fopen("note", "w");
        fprintf(note, "%d %d .", (int)getpid(), child);
        fclose(note);
    }
    for (;;)
        pause();
}
"#;

/// The processes in the note, when it is complete.
fn noted(folder: &Folder) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(folder.path("note")).ok()?;
    let numbers = text.strip_suffix(" .")?;
    Some(numbers.split(' ').map(str::to_string).collect())
}

fn is_alive(process: &str) -> bool {
    // Who is only waited for does nothing any more.
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

#[test]
fn after_so_long_a_test_and_all_that_it_started_is_ended() {
    let folder = with_program();
    assert_eq!(kills(&folder, &format!("{SERVED}{HANGS}")), NOT_ABOVE);
    let noted = noted(&folder).expect("it hangs on one mutant");
    assert_eq!(noted.len(), 2);
    assert!(!noted.iter().any(|process| is_alive(process)), "{noted:?}");
}

#[test]
fn no_test_outlives_whet() {
    let folder = with_program();
    folder.write("mine.c", format!("{SERVED}{HANGS}"));
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    whet.current_dir(folder.root()).args(["run", "program.c", "--no-store", "--with-tests", "mine.c"]);
    let mut whet = whet.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("whet runs");
    let noted = soon(|| noted(&folder)).expect("it hangs on one mutant");
    assert!(is_alive(&noted[0]));
    whet.kill().expect("it still runs");
    whet.wait().expect("it was started");
    assert_eq!(soon(|| (!is_alive(&noted[0])).then_some(())), Some(()));
}

/// What is there within half a minute.
fn soon<T>(find: impl Fn() -> Option<T>) -> Option<T> {
    for _ in 0..3_000 {
        if let Some(found) = find() {
            return Some(found);
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    None
}
