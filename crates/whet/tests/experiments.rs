//! The papers' experiments in short (`./x experiments` has all of them): exact counts, so that
//! a change in proof power shows, and the two cross-checks of Riener's thesis (section 5.4).

use std::path::{Path, PathBuf};

use lab::checks;
use lab::whet::{Ran, Whet};

/// Killed, equivalent, duplicate; none is ever open.
type Counts = [u64; 3];

/// The fault model of the papers.
const MODEL: [&str; 6] = ["--operators", "seed", "--overflow", "wrap", "--tests", "c"];

fn program(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/programs").join(path)
}

fn settle(file: &Path, arguments: &[&str], out: &Path) -> Ran {
    let whet = Whet { binary: env!("CARGO_BIN_EXE_whet").into() };
    whet.run(file, arguments, out).expect("whet runs")
}

/// All faults of a program of the thesis are settled, and each test holds for the original.
fn check(name: &str, flags: &[&str], expect: Counts) {
    let file = program(&format!("thesis/{name}.c"));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let verdicts = settle(&file, &[&MODEL, flags].concat(), folder.path()).verdicts;
    let counts = ["killed", "equivalent", "duplicate"].map(|what| verdicts.count(what));
    assert_eq!((counts, verdicts.count("open")), (expect, 0), "{name}");
    let tests = folder.path().join(format!("test_{name}.c"));
    checks::rerun(&file, &tests).expect("tests hold for the original");
}

#[test]
fn every_fault_of_the_thesis_is_settled() {
    check("min", &[], [18, 1, 1]);
    check("islower", &[], [20, 0, 6]);
    check("findmin3", &[], [30, 2, 2]);
    check("findmin5", &[], [54, 4, 4]);
    check("findmin10", &[], [114, 9, 9]);
    check("minmax", &[], [111, 12, 6]);
    check("trityp", &[], [208, 5, 56]);
    check("mult", &[], [98, 0, 22]);
}

#[test]
fn every_fault_in_an_array_is_settled() {
    check("findmin3_array", &[], [24, 3, 6]);
    check("findmin5_array", &[], [24, 3, 6]);
    check("findmin10_array", &["--size", "10"], [24, 3, 6]);
    check("mult_array", &[], [58, 3, 28]);
}

#[test]
fn nothing_that_has_the_same_code_is_killed_by_a_solver() {
    for name in ["min", "islower", "findmin3", "trityp", "findmin3_array"] {
        let file = program(&format!("thesis/{name}.c"));
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let numbers = |stage: &str, status: &str| {
            settle(&file, &[&MODEL, &["--stages", stage][..]].concat(), folder.path())
                .verdicts
                .numbers(status)
        };
        let (equivalent, killed) = (numbers("canonical", "equivalent"), numbers("bounded", "killed"));
        checks::agree(&equivalent, &killed).expect("the stages agree");
        assert!(!killed.is_empty(), "{name}");
    }
}

#[test]
fn both_stubborn_mutants_are_killed_by_the_smallest_input() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let copies = program("stubborn/mutants");
    let arguments = ["--operators", "none", "--mutants", &copies.to_string_lossy()];
    let verdicts = settle(&program("stubborn/func.c"), &arguments, folder.path()).verdicts;
    assert_eq!((verdicts.count("killed"), verdicts.count("mutants")), (2, 2));
    let inputs: Vec<&serde_json::Value> = verdicts.tests().iter().map(|test| &test["input"]["x"]).collect();
    // The paper's x = -1 comes to the second mutant without killing it.
    assert_eq!(inputs, [2, -2]);
}
