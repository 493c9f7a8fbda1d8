//! What earlier runs have settled: found again, never wrong, and never lost.

mod folder;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use folder::{Folder, MIN, stderr, stdout};

/// Functions that call each other, a table of texts, a global, a struct from a header, and memory.
const C: &str = r#"#include "pair.h"

int limit = 10;

static int twice(int x)
{
    return x * 2;
}

int clamp(int x)
{
    return x > limit ? limit : x;
}

int four(int x)
{
    return clamp(twice(twice(x)));
}

const char *size_of(int x)
{
    return x < 3 ? "small" : "large";
}

int sum(const struct pair *p)
{
    return p->one + p->other;
}

int last(const int *a, int n)
{
    return a[n - 1];
}
"#;

const HEADER: &str = "struct pair { int one; int other; };\n";

fn project() -> Folder {
    Folder::new(&[("f.c", C), ("pair.h", HEADER)])
}

/// Runs Whet on `f.c`; how many mutants are known from before, and how many there are.
fn run(folder: &Folder, flags: &[&str]) -> (usize, usize) {
    let output = folder
        .whet(&[&["run", "f.c", "--operators", "seed", "--allow-open", "--allow-limited"], flags].concat());
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    let number = |word: Option<&str>| word.and_then(|word| word.parse().ok()).expect("a number");
    let all = number(text.split_whitespace().nth(1));
    let known = text.lines().find(|line| line.ends_with("known from an earlier run"));
    (known.map_or(0, |line| number(line.split_whitespace().next())), all)
}

/// What a run has written.
fn written(folder: &Folder, out: &str) -> (String, String) {
    (folder.read(&format!("{out}/verdicts.json")), folder.read(&format!("{out}/test_f.c")))
}

/// Tests that are there would be kept.
fn forget_tests(folder: &Folder) {
    for out in ["whet-out", "fresh"] {
        let _ = std::fs::remove_dir_all(folder.path(out));
    }
}

/// After this run, everything is as if there were no store.
fn check_fresh(folder: &Folder, flags: &[&str]) -> (usize, usize) {
    forget_tests(folder);
    let known = run(folder, flags);
    assert_eq!(run(folder, &[flags, &["--no-store", "--out", "fresh"]].concat()).0, 0);
    assert_eq!(written(folder, "whet-out"), written(folder, "fresh"), "{flags:?}");
    known
}

#[test]
fn a_second_run_settles_nothing() {
    let folder = project();
    let (known, all) = check_fresh(&folder, &[]);
    assert_eq!(known, 0);
    let first = written(&folder, "whet-out");
    assert_eq!(run(&folder, &[]), (all, all));
    assert_eq!(written(&folder, "whet-out"), first);
    let timings = folder.says(&["run", "f.c", "--operators", "seed", "--allow-limited", "--timings"]);
    assert!(!timings.contains("build the native checker"), "{timings}");
    // Another number of threads makes no difference.
    assert_eq!(run(&folder, &["--jobs", "1"]), (all, all));
}

#[test]
fn only_what_a_change_reaches_is_settled_anew() {
    let folder = project();
    let (_, all) = run(&folder, &[]);
    let in_function =
        |name: &str| folder.says(&["list", "f.c", "--operators", "seed", "--function", name]).lines().count();
    let [twice, clamp, four, sum] = ["twice", "clamp", "four", "sum"].map(in_function);
    // Everything moves, and nothing changes.
    folder.write("f.c", format!("/* A comment. */\n\n{C}"));
    assert_eq!(check_fresh(&folder, &[]), (all, all));
    // A static function changes its caller, and is judged by it.
    folder.write("f.c", C.replace("x * 2", "x * 3"));
    assert_eq!(check_fresh(&folder, &[]), (all - four - twice, all));
    // A global changes those that use it, and their callers.
    folder.write("f.c", C.replace("limit = 10", "limit = 11"));
    assert_eq!(check_fresh(&folder, &[]), (all - clamp - four - twice, all));
    // A header changes those that use it.
    folder.write("f.c", C);
    folder.write("pair.h", "struct pair { short one; int other; };\n");
    assert_eq!(check_fresh(&folder, &[]), (all - sum, all));
    folder.write("pair.h", HEADER);
    // A new text before the others, and a new function, are nothing to the others.
    let more = C.replace("int clamp", "const char *name(void)\n{\n    return \"name\";\n}\n\nint clamp");
    folder.write("f.c", &more);
    assert_eq!(check_fresh(&folder, &[]).0, all);
    // Back to the start: all of it is still known.
    folder.write("f.c", C);
    assert_eq!(check_fresh(&folder, &[]), (all, all));
}

#[test]
fn what_flags_decide_is_settled_anew() {
    let folder = Folder::new(&[
        ("f.c", &format!("{C}\nint plus(int x)\n{{\n    return x + ONE;\n}}\n")),
        ("pair.h", HEADER),
    ]);
    folder.write("whet.toml", "flags = ['-DONE=1']\n");
    let (_, all) = run(&folder, &[]);
    assert_eq!(run(&folder, &[]), (all, all));
    for flags in [
        ["--size", "3"],
        ["--bound", "3"],
        ["--depth", "1"],
        ["--overflow", "wrap"],
        ["--global", "limit"],
        ["--", "-DONE=2"],
    ] {
        let (known, all) = run(&folder, &[&flags[..0], &[]].concat());
        assert_eq!(known, all);
        let mut with: Vec<&str> =
            vec!["run", "f.c", "--operators", "seed", "--allow-open", "--allow-limited"];
        let (flags, cflags): (&[&str], &[&str]) =
            if flags[0] == "--" { (&[], &flags) } else { (&flags, &[]) };
        with.extend(flags);
        forget_tests(&folder);
        let text = folder.says(&[&with[..], cflags].concat());
        let fresh = folder.says(&[&with[..], &["--no-store", "--out", "fresh"], cflags].concat());
        assert_eq!(written(&folder, "whet-out"), written(&folder, "fresh"), "{flags:?}");
        assert!(!text.contains(&format!("{all} of {all} mutants known")), "{flags:?}: {text}\n{fresh}");
    }
}

#[test]
fn what_is_known_of_all_is_known_of_some() {
    let folder = project();
    let (_, all) = run(&folder, &[]);
    let (known, some) = run(&folder, &["--lines", "12"]);
    assert!(known == some && 0 < some && some < all, "{known} {some} {all}");
    let (known, some) = run(&folder, &["--function", "sum"]);
    assert!(known == some && 0 < some && some < all, "{known} {some} {all}");
    // The other way round, only what is missing is settled.
    let other = project();
    let (known, _) = run(&other, &["--lines", "12"]);
    assert_eq!(known, 0);
    assert_eq!(run(&other, &["--lines", "12"]).0, some_in_line(&other));
    assert_eq!(check_fresh(&other, &[]).1, all);
}

fn some_in_line(folder: &Folder) -> usize {
    folder.says(&["list", "f.c", "--operators", "seed", "--lines", "12"]).lines().count()
}

/// Enough work for a solver to be stopped in the middle of it.
const HARD: &str = r#"
unsigned mix(unsigned x)
{
    x ^= x >> 3;
    x += x << 5;
    x ^= x >> 4;
    return x & 1023;
}

unsigned both(unsigned a, unsigned b)
{
    unsigned c = mix(a);
    unsigned d = mix(b);
    return c > d ? c - d : d - c;
}

int count(const unsigned char *p, int n)
{
    int found = 0;
    for (int i = 0; i < n && i < 6; i++)
        if (p[i] > 100 && p[i] < 200)
            found++;
    return found;
}
"#;

fn start(folder: &Folder, flags: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whet"));
    command
        .args(["run", "f.c", "--operators", "seed", "--allow-open", "--allow-limited"])
        .args(flags)
        .current_dir(folder.root());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("whet runs")
}

/// Kills runs at moments that nobody chose, the first ones while the store is made, and then lets one end.
fn check_killed(flags: &[&str]) {
    let folder = Folder::new(&[("f.c", HARD)]);
    run(&folder, &[flags, &["--no-store", "--out", "fresh"]].concat());
    let mut random: u64 = 0x5748_4554;
    let mut killed = 0;
    for number in 0..12 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let longest = 150 << number.min(4);
        let mut child = start(&folder, &[flags, &["--out", "killed"]].concat());
        std::thread::sleep(Duration::from_millis((random >> 33) % longest));
        let _ = child.kill();
        killed += usize::from(!child.wait().expect("it ends").success());
    }
    assert!(killed > 0, "all were faster");
    run(&folder, flags);
    assert_eq!(written(&folder, "whet-out"), written(&folder, "fresh"));
    let (known, all) = run(&folder, flags);
    assert_eq!(known, all);
    assert_eq!(written(&folder, "whet-out"), written(&folder, "fresh"));
}

#[test]
fn whoever_is_killed_at_any_moment_leaves_a_store_that_is_right() {
    check_killed(&[]);
    // With more to do for a solver.
    check_killed(&["--stages", "bounded"]);
}

#[test]
fn several_may_run_at_once() {
    let folder = project();
    let mut children: Vec<Child> = ["a", "b", "c"].map(|out| start(&folder, &["--out", out])).into();
    for child in &mut children {
        assert!(child.wait().expect("it ends").success());
    }
    run(&folder, &["--no-store", "--out", "fresh"]);
    for out in ["a", "b", "c"] {
        assert_eq!(written(&folder, out), written(&folder, "fresh"));
    }
    let (known, all) = run(&folder, &[]);
    assert_eq!(known, all);
}

#[test]
fn the_store_is_beside_the_configuration() {
    let folder = Folder::new(&[("whet.toml", ""), ("src/f.c", MIN)]);
    let in_root = std::fs::canonicalize(folder.root()).expect("it is there").join(".whet/store.db");
    let below = stdout(&folder.whet_in("src", &["store", "path"]));
    assert_eq!(std::path::Path::new(below.trim_end()), in_root);
    assert!(folder.whet_in("src", &["run", "f.c"]).status.success());
    assert!(folder.path(".whet/store.db").exists() && !folder.path("src/.whet").exists());
    let without = project();
    assert_eq!(without.says(&["store", "path"]), ".whet/store.db\n");
    run(&without, &["--no-store"]);
    assert!(!without.path(".whet").exists());
}

#[test]
fn clear_forgets_everything() {
    let folder = project();
    assert_eq!(folder.says(&["store", "clear"]), "");
    let (_, all) = run(&folder, &[]);
    assert_eq!(folder.says(&["store", "clear"]), "");
    assert_eq!(run(&folder, &[]), (0, all));
}

/// A store with something wrong in it costs nobody anything but a sentence.
fn check_bad(change: impl Fn(&mut Vec<u8>), expect: &str) {
    let folder = project();
    run(&folder, &[]);
    let mut bytes = std::fs::read(folder.path(".whet/store.db")).expect("it is there");
    change(&mut bytes);
    folder.write(".whet/store.db", &bytes);
    folder.check_mistake(&["run", "f.c", "--operators", "seed", "--out", "new"], expect);
    let said = stderr(&folder.whet(&["run", "f.c", "--operators", "seed"]));
    assert!(
        said.contains("`whet store clear`") && said.contains("--no-store") && said.lines().count() == 1,
        "{said}"
    );
    assert_eq!(run(&folder, &["--no-store"]).0, 0);
    folder.says(&["store", "clear"]);
    let (known, all) = run(&folder, &[]);
    assert_eq!((known, run(&folder, &[])), (0, (all, all)));
}

#[test]
fn a_bad_store_gets_one_sentence() {
    check_bad(|bytes| bytes[..20].fill(b'?'), "store.db is damaged");
    check_bad(|bytes| bytes.truncate(10), "store.db is damaged");
    check_bad(|bytes| bytes[100..].fill(b'?'), "store.db is damaged");
    check_bad(|bytes| bytes[63] = 200, "store.db was made by another version of Whet");
}

#[test]
fn a_store_that_cannot_be_made_gets_one_sentence() {
    let folder = project();
    folder.write(".whet", "in the way");
    let output = folder.whet(&["run", "f.c"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let said = stderr(&output);
    assert!(
        said.contains("the store .whet/store.db cannot be used") && said.contains("--no-store"),
        "{said}"
    );
}

/// The line that says how many mutants were known before.
fn known_line(folder: &Folder, flags: &[&str]) -> Option<String> {
    let text = folder.says(&[&["run", "f.c", "--operators", "PAR", "--allow-limited"], flags].concat());
    text.lines().find(|line| line.ends_with("known from an earlier run")).map(str::to_string)
}

#[test]
fn mutants_with_an_unknown_number_are_known_the_next_time() {
    let c = "int sign(int x)\n{\n    return x > 0 ? 1 : 0;\n}\nint other(int x)\n{\n    return x + 3;\n}\n";
    let folder = Folder::new(&[("f.c", c)]);
    assert_eq!(known_line(&folder, &[]), None);
    let first = written(&folder, "whet-out");
    let all = known_line(&folder, &[]).expect("they are known");
    assert_eq!(written(&folder, "whet-out"), first);
    let words: Vec<&str> = all.split_whitespace().collect();
    assert_eq!(words[0], words[2], "{all}");
    // What depends on another question is asked anew.
    assert_eq!(known_line(&folder, &["--parametric-tests", "3", "--out", "other"]), None);
    folder.write("f.c", c.replace("+ 3", "+ 4"));
    let some = known_line(&folder, &["--out", "changed"]).expect("one function is the same");
    assert!(some.split_whitespace().next() < Some(words[0]), "{some}");
}
