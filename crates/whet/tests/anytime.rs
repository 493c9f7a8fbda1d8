//! A run may end at any moment: after `--time`, or when somebody interrupts it. What is settled is written
//! then, and the next run comes to the same verdicts as one that was never stopped.

mod folder;

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use folder::{Folder, stderr, stdout};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

/// Most mutants of `factors` need the factors of large numbers, which no solver finds soon. Three functions
/// judge the mutants of `half`.
const HARD: &str = r"static int half(int x)
{
    return x / 2;
}

int least(int a, int b)
{
    return half(a) < half(b) ? a : b;
}

int most(int a, int b)
{
    return half(a) > half(b) ? a : b;
}

int factors(unsigned a, unsigned b)
{
    unsigned long product = (unsigned long)a * b;
    if (a < 2 || b < 2)
        return half((int)(a & 1023));
    if (product == 0x3fffffbe00000111)
        return a < b ? 1 : 2;
    if (product == 0x3ffffe9a00008bf1)
        return a < b ? 3 : 4;
    if (product == 0x3fffff3400000a23)
        return a < b ? 5 : 6;
    return 7;
}
";

/// How long a run may take that ought to end within seconds. Without an end, it takes minutes.
const PATIENCE: Duration = Duration::from_secs(60);

fn verdicts(folder: &Folder) -> Value {
    serde_json::from_str(&folder.read("whet-out/verdicts.json")).expect("the verdicts are JSON")
}

/// All files of a run are there, with tests for what is settled; the rest is open for this reason.
#[track_caller]
fn check_written(folder: &Folder, reason: &str) {
    let verdicts = verdicts(folder);
    let mutants = verdicts["mutants"].as_array().expect("there are mutants");
    let of = |status: &str| mutants.iter().filter(|mutant| mutant["status"] == status).collect::<Vec<_>>();
    assert!(of("killed").iter().any(|mutant| mutant["function"] == "least"), "{verdicts}");
    assert!(!of("open").is_empty());
    for open in of("open") {
        assert!(open.to_string().contains(reason), "{open}");
    }
    let report: Value = serde_json::from_str(&folder.read("whet-out/report.json")).expect("it is JSON");
    assert!(report["files"]["hard.c"]["mutants"].is_array());
    assert!(folder.read("whet-out/report.html").trim_end().ends_with("</html>"));
    assert!(folder.read("whet-out/test_hard.c").contains("void test_least"));
    check_whole(folder);
}

/// Nothing half-written is left behind.
#[track_caller]
fn check_whole(folder: &Folder) {
    let known = ["verdicts.json", "report.json", "report.html", "test_hard.c"];
    let entries = std::fs::read_dir(folder.path("whet-out")).expect("it is there").flatten();
    let names: BTreeSet<String> = entries.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| known.contains(&name.as_str())), "{names:?}");
}

/// The times in the table, and the last row, which is their sum.
fn times(text: &str) -> (Vec<f64>, f64) {
    let rows = text.lines().skip_while(|line| !line.starts_with("  stage")).skip(1);
    let rows: Vec<f64> = rows
        .take_while(|line| !line.is_empty())
        .map(|line| line.trim_end_matches(" s").rsplit(' ').next().and_then(|it| it.parse().ok()))
        .map(|time| time.expect("a row ends with a time"))
        .collect();
    let (total, rows) = rows.split_last().expect("there is a table");
    (rows.to_vec(), *total)
}

/// Each line of progress: how many mutants are settled, of how many, and how many are killed.
fn progress(text: &str) -> Vec<[usize; 3]> {
    let counts = text.lines().filter(|line| line.contains(" mutants settled, "));
    let numbers =
        |line: &str| -> Vec<usize> { line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect() };
    counts.map(|line| numbers(line).try_into().expect("a line has three numbers")).collect()
}

#[test]
fn after_the_time_what_is_settled_is_written() {
    let folder = Folder::new(&[("hard.c", HARD)]);
    let began = Instant::now();
    let output = folder.whet(&["run", "hard.c", "--time", "8s"]);
    let took = began.elapsed();
    let (said, shown) = (stdout(&output), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{said}{shown}");
    assert!(took < PATIENCE, "{took:?}");
    check_written(&folder, "not reached within --time");
    assert!(said.contains("the run was stopped: run Whet again, and it continues from here\n"), "{said}");

    // Each row is rounded.
    let (rows, total) = times(&said);
    let sum: f64 = rows.iter().sum();
    assert!((sum - total).abs() < 0.06 * (rows.len() + 1) as f64, "{said}");
    assert!(total < took.as_secs_f64() + 0.1, "{said}");
    assert!(took.as_secs_f64() - total < 5.0, "{took:?}: {said}");

    // A mutant that several functions judge counts once.
    let all = verdicts(&folder)["mutants"].as_array().map(Vec::len).expect("there are mutants");
    let progress = progress(&shown);
    assert!(!progress.is_empty(), "{shown}");
    assert!(progress.iter().all(|[settled, of, killed]| killed <= settled && settled < of && *of == all));
    assert!(progress.is_sorted(), "{shown}");
}

#[test]
fn the_next_run_knows_what_was_settled() {
    let folder = Folder::new(&[("hard.c", HARD)]);
    // On a slow machine, the first may end before anything is settled.
    for time in ["8s", "16s", "32s"] {
        let said = stdout(&folder.whet(&["run", "hard.c", "--time", time]));
        if said.contains("known from an earlier run") {
            return;
        }
    }
    panic!("no run knew what the one before had settled");
}

#[test]
fn what_own_tests_had_no_time_for_is_open_and_not_missed() {
    let slow = r"#include <unistd.h>
int least(int, int), most(int, int);
int main(void)
{
    sleep(1);
    for (int a = -5; a < 6; a++)
        for (int b = -5; b < 6; b++)
            if (least(a, b) != (a / 2 < b / 2 ? a : b) || most(a, b) != (a / 2 > b / 2 ? a : b))
                return 1;
    return 0;
}
";
    let folder = Folder::new(&[("hard.c", HARD), ("slow.c", slow)]);
    let flags = ["run", "hard.c", "--function", "least", "--function", "most", "--jobs", "2"];
    // Now the store knows what kills the mutants.
    let output = folder.whet(&[&flags[..], &["--quiet"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    std::fs::remove_dir_all(folder.path("whet-out")).expect("it is there");
    let output = folder.whet(&[&flags[..], &["--with-tests", "slow.c", "--time", "6s"]].concat());
    let verdicts = verdicts(&folder);
    let open = verdicts["mutants"].as_array().expect("there are mutants").iter();
    let open: Vec<&Value> = open.filter(|mutant| mutant["status"] == "open").collect();
    assert!(!open.is_empty(), "{}", stdout(&output));
    assert!(open.iter().all(|mutant| mutant.to_string().contains("not reached within --time")), "{open:?}");
    assert_eq!(verdicts["summary"]["own_tests"]["missed"], 0, "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
}

/// How much longer than `--time` a run may take. The machine may be busy with other tests.
const LATE: Duration = Duration::from_secs(5);

/// Runs Whet with these flags, and sees that it ends in time and that something is open because of it.
#[track_caller]
fn check_in_time(folder: &Folder, seconds: u64, flags: &[&str]) {
    let (time, began) = (format!("{seconds}s"), Instant::now());
    let output = folder.whet(&[&["run", "hard.c", "--time", &time], flags].concat());
    let took = began.elapsed();
    assert_eq!(output.status.code(), Some(3), "{}{}", stdout(&output), stderr(&output));
    assert!(took < Duration::from_secs(seconds) + LATE, "{took:?}");
    assert!(verdicts(folder).to_string().contains("not reached within --time"), "{}", stdout(&output));
}

#[test]
fn own_tests_that_take_too_long_on_the_original_do_not_hold_up_a_run() {
    let slow = "#include <unistd.h>\nint main(void) { sleep(100); return 0; }\n";
    let folder = Folder::new(&[("hard.c", HARD), ("slow.c", slow)]);
    check_in_time(&folder, 6, &["--with-tests", "slow.c"]);
}

#[test]
fn own_tests_that_hang_on_a_mutant_do_not_hold_up_a_run() {
    let hangs = "#include <unistd.h>\nint least(int, int);\n\
                 int main(void) { if (least(4, 9) != 4 || least(9, 2) != 2) sleep(100); return 0; }\n";
    let folder = Folder::new(&[("hard.c", HARD), ("hangs.c", hangs)]);
    check_in_time(&folder, 6, &["--with-tests", "hangs.c", "--jobs", "1"]);
}

#[test]
fn a_reference_that_is_hard_to_compare_with_does_not_hold_up_a_run() {
    let other = HARD.replace("a < 2 || b < 2", "b < 2 || a < 2").replace("a < b ? 5", "b > a ? 5");
    let folder = Folder::new(&[("hard.c", HARD), ("reference.c", &other)]);
    check_in_time(&folder, 8, &["--reference", "reference.c"]);
}

#[test]
fn mutated_copies_that_nobody_has_time_to_compile_are_left_out() {
    let folder = Folder::new(&[("hard.c", HARD)]);
    std::fs::create_dir(folder.path("copies")).expect("it is new");
    for number in 0..2_000 {
        let copy = HARD.replace("return 7;", &format!("return {};", 8 + number));
        std::fs::write(folder.path(&format!("copies/hard.mutant.{number}.c")), copy).expect("there is room");
    }
    let began = Instant::now();
    let output =
        folder.whet(&["run", "hard.c", "--mutants", "copies", "--operators", "none", "--time", "4s"]);
    let took = began.elapsed();
    let said = stderr(&output);
    assert!(said.contains("not compiled within --time"), "{said}");
    assert!(took < Duration::from_secs(4) + LATE, "{took:?}");
}

/// Small functions with duplicates, equivalent mutants, and something to do for each stage.
fn small() -> String {
    let one = |number: u32| {
        format!(
            "int clamp{number}(int x, int low, int high)\n{{\n    if (x < low)\n        return low;\n    \
             return x > high ? high : x + {number};\n}}\n\n\
             int count{number}(const int *p, int n)\n{{\n    int found = 0;\n    \
             for (int i = 0; i < n && i < 4; i++)\n        if (p[i] > {number} && p[i] < 200)\n            \
             found++;\n    return found;\n}}\n\n"
        )
    };
    (1..4).map(one).collect()
}

#[test]
fn a_run_that_was_stopped_changes_no_verdict() {
    const FLAGS: [&str; 6] = ["run", "small.c", "--operators", "seed", "--allow-open", "--allow-limited"];
    const LONGEST: Duration = Duration::from_secs(300);
    let folder = Folder::new(&[("small.c", &small())]);
    let run = |flags: &[&str]| folder.whet(&[&FLAGS[..], flags].concat());
    let fresh = run(&["--no-store", "--out", "fresh"]);
    assert_eq!(fresh.status.code(), Some(0), "{}", stderr(&fresh));
    // Each is stopped at another moment, until one comes to the end.
    let (mut time, mut stopped) = (Duration::from_millis(100), 0);
    loop {
        let output = run(&["--out", "stopped", "--time", &format!("{}s", time.as_secs_f64())]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        if !folder.read("stopped/verdicts.json").contains("not reached within --time") {
            break;
        }
        stopped += 1;
        time = time * 5 / 4;
        assert!(time < LONGEST, "no run comes to an end");
    }
    assert!(stopped > 0, "nothing was stopped");
    run(&[]);
    for name in ["verdicts.json", "test_small.c"] {
        assert_eq!(folder.read(&format!("whet-out/{name}")), folder.read(&format!("fresh/{name}")));
    }
}

/// A run in a process group of its own, as a shell would start it.
fn start(folder: &Folder, arguments: &[&str]) -> Child {
    let log = std::fs::File::create(folder.path("log")).expect("a file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_whet"));
    command.args(["run", "hard.c"]).args(arguments).current_dir(folder.root()).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("whet runs")
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// Waits until something is so.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[track_caller]
fn end(child: &mut Child) -> ExitStatus {
    let mut status = None;
    until("it ends", || {
        status = child.try_wait().expect("it can be waited for");
        status.is_some()
    });
    status.expect("it has ended")
}

#[track_caller]
fn check_interrupted(interrupt: impl Fn(Pid)) {
    let folder = Folder::new(&[("hard.c", HARD)]);
    let mut child = start(&folder, &[]);
    until("the last stage works", || folder.read("log").contains("bounded: "));
    interrupt(pid(&child));
    assert_eq!(end(&mut child).code(), Some(3), "{}", folder.read("log"));
    check_written(&folder, "not reached before the run was interrupted");
    let log = folder.read("log");
    assert_eq!(log.matches("interrupt again to end at once").count(), 1, "{log}");
}

#[test]
fn an_interrupted_run_writes_what_is_settled() {
    check_interrupted(|pid| kill_process(pid, Signal::INT).expect("it runs"));
}

#[test]
fn so_does_one_that_is_asked_to_terminate() {
    check_interrupted(|pid| kill_process(pid, Signal::TERM).expect("it runs"));
}

#[test]
fn control_c_reaches_all_processes_and_counts_once() {
    check_interrupted(|pid| kill_process_group(pid, Signal::INT).expect("it runs"));
}

#[test]
fn a_second_signal_ends_a_run_at_once() {
    let folder = Folder::new(&[("hard.c", HARD)]);
    folder.whet(&["run", "hard.c", "--time", "8s", "--quiet"]);
    let written = || ["verdicts.json", "report.json"].map(|name| folder.read(&format!("whet-out/{name}")));
    let before = written();
    // Clang is not stopped, and this header has no end as long as somebody may write to it.
    let made = Command::new("mkfifo").arg(folder.path("endless.h")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo makes a pipe");
    let mut child = start(&folder, &["--", "-include", "endless.h"]);
    let endless = std::fs::OpenOptions::new().write(true).open(folder.path("endless.h"));
    let _endless = endless.expect("clang reads the header");
    kill_process(pid(&child), Signal::INT).expect("it runs");
    until("the signal was seen", || folder.read("log").contains("interrupt again to end at once"));
    // Signals that follow each other closely count once.
    std::thread::sleep(Duration::from_secs(1));
    kill_process(pid(&child), Signal::INT).expect("it runs");
    assert_eq!(end(&mut child).code(), Some(130), "{}", folder.read("log"));
    assert!(before == written());
    check_whole(&folder);
}

#[test]
fn a_time_that_is_none_gets_one_sentence() {
    let folder = Folder::new(&[("hard.c", HARD)]);
    for time in ["5", "abc", "0s", "-1m"] {
        let flag = format!("--time={time}");
        let expect = format!("`{time}` is not a time: write it as in 90s, 5m or 1h");
        folder.check_mistake(&["run", "hard.c", &flag], &expect);
    }
    folder.write("whet.toml", "time = \"5\"\n");
    folder.check_mistake(&["run", "hard.c"], "`5` is not a time: write it as in 90s, 5m or 1h");
}
