//! What the original does wrong is told first, and what depends on it is not called proved.

use std::process::{Command, Output};

use serde_json::Value;

/// Every input with `size > 0` reads before the buffer, so that no valid input comes into the loop.
const GNOME: &str = "\
void gnome(int *numbers, int size)
{
    int pos = 0;
    while (pos < size)
        if (numbers[pos] >= numbers[pos - 1])
            pos++;
        else
            pos--;
}
";

/// Nothing is wrong with it: whoever calls it has to give it a buffer that is long enough.
const SUM: &str = "\
int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s ^= a[i];
    return s;
}
";

struct Ran {
    output: Output,
    json: Value,
    folder: tempfile::TempDir,
}

fn run(text: &str, flags: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file.c"), text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_whet"))
        .args(["run", "file.c", "--no-store", "--reports", "json,html,sarif,junit,markdown"])
        .args(flags)
        .current_dir(folder.path())
        .output()
        .expect("whet runs");
    let json = std::fs::read_to_string(folder.path().join("whet-out/verdicts.json")).expect("verdicts");
    Ran { output, json: serde_json::from_str(&json).expect("JSON"), folder }
}

impl Ran {
    fn printed(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn report(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("whet-out").join(name)).expect("a report")
    }
}

#[test]
fn what_keeps_valid_inputs_away_is_told_in_all_reports() {
    let ran = run(GNOME, &["--operators", "AOR,ROR,SDL"]);
    let printed = ran.printed();
    let line = printed.lines().find(|line| line.contains("reads before")).expect("a finding");
    assert!(line.starts_with("file.c:5: reads before `numbers` whenever size > 0; "), "{printed}");
    assert!(printed.contains("as in gnome with numbers = [0], size = 1\n"), "{printed}");
    assert_eq!(ran.code(), Some(3), "{printed}");
    let original = &ran.json["original"][0];
    assert_eq!((original["function"].as_str(), original["line"].as_u64()), (Some("gnome"), Some(5)));
    assert_eq!(original["input"]["size"], 1);
    assert!(original["inputs"].as_u64() <= original["tried"].as_u64(), "{original}");
    let depending = original["mutants"].as_array().expect("a list");
    assert!(!depending.is_empty());
    for mutant in ran.json["mutants"].as_array().expect("a list") {
        if depending.contains(&mutant["id"]) {
            assert_eq!(mutant["method"], "no valid input reaches this place", "{mutant}");
        }
    }
    for report in ["report.json", "report.html", "report.sarif", "junit.xml", "report.md"] {
        assert!(ran.report(report).contains("reads before"), "{report} does not tell");
    }
}

#[test]
fn the_user_may_insist_or_not_want_to_hear_of_it() {
    assert_eq!(run(GNOME, &["--operators", "SDL", "--strict-original"]).code(), Some(4));
    let ran = run(GNOME, &["--operators", "SDL", "--allow-undefined"]);
    assert!(!ran.printed().contains("reads before"));
    assert_eq!(ran.json["original"].as_array().map(Vec::len), Some(0));
}

#[test]
fn what_callers_have_to_see_to_is_nothing_wrong() {
    let ran = run(SUM, &["--operators", "AOR,ROR,SDL,CR", "--strict-original"]);
    assert_eq!(ran.json["original"].as_array().map(Vec::len), Some(0), "{}", ran.printed());
    assert_ne!(ran.code(), Some(4));
}

/// Nothing is wrong with these either: it is our inputs that are short, null, apart or not filled.
#[test]
fn what_our_inputs_lack_is_not_blamed_on_the_original() {
    let innocent = [
        // Blocks of sixteen, where our buffers have eight.
        "unsigned sum(const unsigned char *b, unsigned n) { unsigned s = 0; while (n >= 16) \
         { for (int i = 0; i < 16; i++) s += b[i]; b += 16; n -= 16; } return s; }",
        // A callback that nobody here can be.
        "int find(const int *a, int n, int (*is)(int)) { for (int i = 0; i < n; i++) if (is(a[i])) return i; \
         return -1; }",
        // A function elsewhere fills the variable.
        "int fill(int *to); int next(void) { int x; if (fill(&x)) return 0; return x + 1; }",
        // Pointers nested deeper than ours.
        "int deep(int ***p) { return **p ? ***p : 7; }",
        // Two pointers into one buffer.
        "long room(const char *at, const char *end) { return end > at ? end - at : 0; }",
    ];
    for text in innocent {
        let ran = run(text, &["--strict-original"]);
        assert_eq!(ran.json["original"].as_array().map(Vec::len), Some(0), "{text}: {}", ran.printed());
        assert_ne!(ran.code(), Some(4), "{text}");
    }
}

#[test]
fn a_function_without_a_valid_input_is_reported() {
    let ran = run("int f(int x) { int zero = 0; int y = x / zero; return x + 1; }", &[]);
    let printed = ran.printed();
    assert!(printed.contains("file.c:1: division by zero on 300 of 300 inputs"), "{printed}");
}

#[test]
fn what_was_told_is_told_again_by_what_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file.c"), GNOME).expect("a file");
    let run = || {
        let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
        whet.args(["run", "file.c", "--operators", "SDL"]).current_dir(folder.path());
        String::from_utf8_lossy(&whet.output().expect("whet runs").stdout).into_owned()
    };
    let (first, second) = (run(), run());
    let told = |printed: &str| printed.lines().find(|line| line.contains("reads before")).map(str::to_string);
    assert!(told(&first).is_some() && told(&first) == told(&second), "{first}\n{second}");
    assert!(second.contains("known from an earlier run"), "{second}");
}
