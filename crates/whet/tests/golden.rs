//! Golden C files: the verdict stands beside the mutation, in a `//~` comment at the end of its line.
//!
//! Every mutant is spoken for: a comment counts the killed ones of its line and names all others, with
//! column, text and replacement. `./x bless` writes the comments anew. Each file also gives, for free:
//! another number of threads, another solver and another choice of stages contradict nothing (if it is
//! small); the written tests compile with Unity, pass on the original, and fail on every mutant they claim.

mod golden_files;

use std::path::Path;
use std::sync::OnceLock;

use golden_files::{Golden, Run, golden_files};

#[test]
fn every_mutant_has_the_verdict_beside_it() {
    let bless = std::env::var_os("WHET_BLESS").is_some();
    let mut wrong = Vec::new();
    for (golden, run) in plain_runs() {
        let expected = golden.with_verdicts(run);
        if bless {
            std::fs::write(&golden.path, expected).expect("a golden file can be written");
        } else if expected != golden.text {
            wrong.push(difference(&golden.path, &golden.text, &expected));
        }
    }
    assert!(wrong.is_empty(), "verdicts have changed; `./x bless` accepts them\n{}", wrong.join("\n"));
}

#[test]
fn one_thread_finds_what_many_find() {
    for (golden, plain) in small_runs() {
        let other = Run::new(golden, &["--jobs", "1"]);
        assert_eq!(plain.json, other.json, "{}", golden.path.display());
        assert_eq!(plain.tests, other.tests, "{}", golden.path.display());
        assert_eq!(plain.inside, other.inside, "{}", golden.path.display());
    }
}

#[test]
fn what_was_settled_before_is_found_again() {
    for (golden, plain) in plain_runs() {
        let again = plain.again(golden);
        assert_eq!(plain.json, again.json, "{}", golden.path.display());
        assert_eq!(plain.tests, again.tests, "{}", golden.path.display());
        assert_eq!(plain.inside, again.inside, "{}", golden.path.display());
        // What the checker has rejected is looked at anew, also if another function settles it.
        let rejected =
            ["not confirmed: ", "\"alone\":true"].iter().any(|it| again.json.to_string().contains(it));
        let all = format!("{} known from an earlier run\n", of_all(again.kinds().len()));
        assert!(rejected || again.printed.contains(&all), "{}: {}", golden.path.display(), again.printed);
    }
}

fn of_all(mutants: usize) -> String {
    let plural = if mutants == 1 { "" } else { "s" };
    format!("{mutants} of {mutants} mutant{plural}")
}

#[test]
fn another_solver_contradicts_nothing() {
    for (golden, plain) in small_runs() {
        let other = Run::new(golden, &["--double-check"]);
        check_contradictions(golden, plain, &other, "two solvers say");
    }
}

#[test]
fn without_optimiser_and_simulation_no_verdict_is_another() {
    for (golden, plain) in small_runs() {
        let other = Run::new(golden, &["--stages", "bounded"]);
        check_contradictions(golden, plain, &other, "bounded says");
    }
}

/// What holds up to a bound says nothing of what lies beyond, and who does not know contradicts nobody. A
/// kill alone is one that no caller was seen to make: more fuel may prove that none can.
#[track_caller]
fn check_contradictions(golden: &Golden, one: &Run, other: &Run, who: &str) {
    let says_little = |kind: &str| ["open", "limited", "alone"].contains(&kind);
    for (at, (one, other)) in one.kinds().iter().zip(&other.kinds()).enumerate() {
        let contradicts = one != other && !says_little(one) && !says_little(other);
        assert!(!contradicts, "{}: mutant {} is {one}, but {who} {other}", golden.path.display(), at + 1);
    }
}

#[test]
fn written_tests_pass_on_the_original_and_fail_on_what_they_claim() {
    for (golden, plain) in plain_runs() {
        plain.check_tests(golden);
        plain.check_inside(golden);
    }
}

/// Every golden file as it is run by default; once for all tests.
fn plain_runs() -> &'static [(Golden, Run)] {
    static RUNS: OnceLock<Vec<(Golden, Run)>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let run = |path: &std::path::PathBuf| {
            let golden = Golden::read(path);
            let run = Run::new(&golden, &[]);
            (golden, run)
        };
        golden_files().iter().map(run).collect()
    })
}

/// Those with few mutants. A solver alone, or another one, takes minutes for the larger ones.
fn small_runs() -> impl Iterator<Item = &'static (Golden, Run)> {
    const FEW: usize = 40;
    plain_runs().iter().filter(|(_, run)| run.kinds().len() <= FEW)
}

fn difference(path: &Path, old: &str, new: &str) -> String {
    let lines = old.lines().zip(new.lines()).enumerate().filter(|(_, (old, new))| old != new);
    let shown: String =
        lines.map(|(at, (old, new))| format!("  line {}\n  - {old}\n  + {new}\n", at + 1)).collect();
    format!("{}\n{shown}", path.display())
}
