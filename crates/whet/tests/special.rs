//! Special cases: what a test has, what no valid input has, and what a reference makes of them.

mod folder;
mod loaded;

use std::path::Path;

use bv::Terms;
use folder::Folder;
use loaded::Loaded;
use serde_json::Value;
use stages::Skeleton;

fn verdicts(folder: &Folder, flags: &[&str]) -> Value {
    let output = folder.whet(&[&["run", "f.c", "--out", ".", "--no-store"], flags].concat());
    let text = std::fs::read_to_string(folder.path("verdicts.json"));
    let text = text.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(&text).expect("it is JSON")
}

/// The status of the mutant that has forgotten this.
#[track_caller]
fn check(verdicts: &Value, case: &str, status: &str) {
    let replacement = format!("{{ /* as if {case} were forgotten */");
    let mut mutants = verdicts["mutants"].as_array().expect("there are mutants").iter();
    let mutant = mutants.find(|mutant| mutant["replacement"] == replacement.as_str());
    let mutant = mutant.unwrap_or_else(|| panic!("no {case} in {verdicts}"));
    assert_eq!(mutant["status"], status, "{mutant}");
}

#[test]
fn each_case_has_a_test_or_a_proof() {
    let text = "#include <stddef.h>
        int f(const char *s, size_t n, int x, double d) {
            if (x == 42 || d < 0) return 1;
            return n > 0 ? s[n - 1] : *s;
        }";
    let folder = Folder::new(&[("f.c", text)]);
    let verdicts = verdicts(&folder, &["--operators", "SCI"]);
    let killed = [
        "s is empty",
        "s begins with a space",
        "s begins with 0x80 or above",
        "s ends with a digit",
        "n == 0",
        "n == 1",
        "n is the size of s",
        "x == 0",
        "x == -1",
        "x == -2147483648",
        "x == 42",
        "d == -0.0",
        "d == inf",
        "d == 5e-324",
        "d is not a number",
    ];
    killed.iter().for_each(|case| check(&verdicts, case, "killed"));
    let tests = folder.read("test_f.c");
    assert_eq!(tests.matches("/* Special cases").count(), 1, "{tests}");
}

#[test]
fn what_no_valid_input_has_is_proved() {
    let text = "int f(const char *s, int n) { if (n == 7) __builtin_trap(); return *s / n; }";
    let folder = Folder::new(&[("f.c", text)]);
    let verdicts = verdicts(&folder, &["--operators", "SCI"]);
    // Larger buffers were not looked at.
    for case in ["n == 0", "n == 7", "s == NULL"] {
        check(&verdicts, case, "limited");
    }
    check(&verdicts, "n == 1", "killed");
}

/// Such a proof is one that another solver can confirm, as all others.
#[test]
fn what_no_valid_number_is_is_proved_twice() {
    let text = "int f(int n) { if (n == 7) __builtin_trap(); return 8 / n; }";
    let folder = Folder::new(&[("f.c", text)]);
    let verdicts = verdicts(&folder, &["--operators", "SCI", "--double-check"]);
    for case in ["n == 0", "n == 7"] {
        check(&verdicts, case, "equivalent");
    }
    check(&verdicts, "n == 1", "killed");
}

/// A case that another test has already needs none of its own.
#[test]
fn tests_that_only_special_cases_need_stand_apart() {
    let folder = Folder::new(&[("f.c", "int f(int x) { return x > 0; }")]);
    verdicts(&folder, &["--operators", "default,SCI"]);
    let tests = folder.read("test_f.c");
    let (before, after) = tests.split_once("/* Special cases").expect("there is such a group");
    assert!(before.contains("f(1)") && before.contains("f(0)"), "{tests}");
    assert!(after.contains("f(INT_MIN)") && !after.contains("f(1)"), "{tests}");
}

/// The wrong one, the right one, and an input that tells.
fn check_found(wrong: &str, right: &str, name: &str, value: Option<&str>) {
    let folder = Folder::new(&[("f.c", wrong), ("right.c", right)]);
    let verdicts = verdicts(&folder, &["--reference", "right.c", "--operators", "default,SCI,PAR"]);
    let found = verdicts["reference"]["disagreements"].as_array().expect("there is a list");
    let tells = |found: &Value| {
        let input = found["input"][name].to_string();
        value.is_none_or(|value| input.contains(value))
    };
    assert!(found.iter().any(tells), "{}", verdicts["reference"]);
}

const ATOI: &str = "int f(const char *s) {
        int n = 0, sign = 1;
        SKIP
        if (*s == '-' || *s == '+') { if (*s == '-') sign = -1; s++; }
        while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0');
        return sign * n;
    }";

#[test]
fn leading_spaces_are_not_forgotten() {
    let right = ATOI.replace("SKIP", "while (*s == ' ' || (*s >= '\\t' && *s <= '\\r')) s++;");
    check_found(&ATOI.replace("SKIP", ""), &right, "s", Some(" "));
}

#[test]
fn zero_is_not_forgotten() {
    let right = "int f(int c) { if (c == 0) return 0; return c > 0 && c < 128 ? c : -1; }";
    check_found(&right.replace("if (c == 0) return 0;", ""), right, "c", Some("0"));
}

#[test]
fn no_length_at_all_is_not_forgotten() {
    let wrong = "#include <stddef.h>
        char *f(char *to, const char *from, size_t n) {
            char *at = to - 1;
            do {
                if ((*++at = *from++) == '\\0') {
                    while (--n > 0) *++at = '\\0';
                    return to;
                }
            } while (--n > 0);
            return to;
        }";
    let right = "#include <stddef.h>
        char *f(char *to, const char *from, size_t n) {
            size_t i = 0;
            for (; i < n && from[i]; i++) to[i] = from[i];
            for (; i < n; i++) to[i] = 0;
            return to;
        }";
    check_found(wrong, right, "n", Some("0"));
}

/// A solver is asked for the very inputs that count as such.
#[test]
fn a_case_means_the_same_to_a_solver() {
    let files = [
        "../../examples/atoi.c",
        "../../examples/strncpy.c",
        "tests/golden/floats.c",
        "tests/golden/narrow.c",
    ];
    let mut seen = [0, 0];
    for file in files {
        let loaded = Loaded::new(Path::new(file), "SCI");
        let program = &loaded.unit.program;
        for subject in &loaded.unit.external {
            let mut terms = Terms::new();
            let inputs = Skeleton::new(program, *subject, &loaded.space(*subject), &mut terms);
            let valid = loaded.valid(*subject, 300);
            for case in program.special_cases(*subject) {
                let Some(term) = inputs.is_special(&mut terms, case) else { continue };
                for (input, _) in &valid {
                    let Some(words) = inputs.assignment(&terms, input) else { continue };
                    let holds = case.holds(input);
                    assert_eq!(terms.eval(term, &words).is_true(), holds, "{file}: {case:?} of {input:?}");
                    seen[usize::from(holds)] += 1;
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
}
