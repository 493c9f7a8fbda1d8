//! Golden C files: the verdict stands beside the mutation, in a `//~` comment at the end of its line.
//!
//! Every mutant is spoken for: a comment counts the killed ones of its line and names all others, with
//! column, text and replacement. `./x bless` writes the comments anew. Each file also gives, for
//! free: another stage order, another number of threads and another solver contradict nothing; the
//! written tests compile with Unity, pass on the original, and fail on every mutant they claim.

mod golden_files;

use std::path::Path;

use golden_files::{Golden, Run, golden_files};

#[test]
fn every_mutant_has_the_verdict_beside_it() {
    let bless = std::env::var_os("WHET_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in golden_files() {
        let golden = Golden::read(&path);
        let run = Run::new(&golden, &[]);
        let expected = golden.with_verdicts(&run);
        if bless {
            std::fs::write(&path, expected).expect("a golden file can be written");
        } else if expected != golden.text {
            wrong.push(difference(&path, &golden.text, &expected));
        }
    }
    assert!(wrong.is_empty(), "verdicts have changed; `./x bless` accepts them\n{}", wrong.join("\n"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for path in golden_files() {
        let golden = Golden::read(&path);
        let one = Run::new(&golden, &["--jobs", "1"]);
        let four = Run::new(&golden, &["--jobs", "4"]);
        assert_eq!(one.json, four.json, "{}", path.display());
        assert_eq!(one.tests, four.tests, "{}", path.display());
    }
}

#[test]
fn another_solver_confirms_every_proof() {
    for path in golden_files() {
        let golden = Golden::read(&path);
        let plain = Run::new(&golden, &[]);
        let doubled = Run::new(&golden, &["--double-check"]);
        assert_eq!(plain.statuses(), doubled.statuses(), "{}", path.display());
    }
}

#[test]
fn a_stage_alone_never_contradicts() {
    for path in golden_files() {
        let golden = Golden::read(&path);
        let all = Run::new(&golden, &[]).statuses();
        for stages in ["simulate", "bounded", "bounded,simulate"] {
            let alone = Run::new(&golden, &["--stages", stages]).statuses();
            for (at, (all, alone)) in all.iter().zip(&alone).enumerate() {
                let contradicts = all != alone && alone != "open" && all != "open";
                assert!(!contradicts, "{}: mutant {} is {all}, but {stages} says {alone}", path.display(), at + 1);
            }
        }
    }
}

#[test]
fn written_tests_pass_on_the_original_and_fail_on_what_they_claim() {
    for path in golden_files() {
        let golden = Golden::read(&path);
        Run::new(&golden, &[]).check_tests(&golden);
    }
}

fn difference(path: &Path, old: &str, new: &str) -> String {
    let lines = old.lines().zip(new.lines()).enumerate().filter(|(_, (old, new))| old != new);
    let shown: String =
        lines.map(|(at, (old, new))| format!("  line {}\n  - {old}\n  + {new}\n", at + 1)).collect();
    format!("{}\n{shown}", path.display())
}
