//! Parametric mutants: what is said of all values holds of many that nobody has looked at.

mod folder;
mod loaded;

use std::path::{Path, PathBuf};

use bv::{Stop, Word};
use folder::Folder;
use ir::{Input, Mutant, Outcome, run};
use loaded::Loaded;
use rayon::prelude::*;
use serde_json::{Value, json};
use settle::{Limits, ParametricClaim, ParametricMutant, Task, outcomes_differ};
use smt::Fuel;
use stages::{Bounded, Inductive, Parametric, Round};

/// Numbers that are looked at for each mutant.
const VALUES: u64 = 60;

/// Inputs that must not tell an equivalent value.
const INPUTS: usize = 200;

/// Each value in place of one of the zeros needs a test of its own.
const IS_ZERO: &str = "int is_zero(int x) { return x == 0 || x == 0; }";

/// What a value may burn before it counts as one that goes on for ever.
const FUEL: u64 = 200_000;

/// `"parametric"` of the last mutant in `verdicts.json` whose replacement is
/// this, and the inputs that kill it.
fn parametric(text: &str, replacement: &str, flags: &[&str]) -> (Value, Vec<Value>) {
    let folder = Folder::new(&[("f.c", text)]);
    let output = folder.whet(&[&["run", "f.c", "--operators", "PAR", "--out", "."], flags].concat());
    let verdicts: Value = serde_json::from_str(&folder.read("verdicts.json")).expect("it is JSON");
    let mutants = verdicts["mutants"].as_array().expect("there are mutants");
    let mut found = mutants.iter().filter(|mutant| mutant["replacement"] == replacement);
    let mutant = found.next_back().unwrap_or_else(|| panic!("{verdicts}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tests = verdicts["tests"].as_array().expect("there are tests");
    let killers = mutant["killed_by"].as_array().expect("it is killed");
    let own = tests.iter().filter(|test| killers.contains(&test["name"]));
    (mutant["parametric"].clone(), own.map(|test| test["input"].clone()).collect())
}

#[test]
fn one_test_kills_every_other_number_that_is_added() {
    let (found, _) = parametric("int add_one(int x) { return x + 1; }", "x + p", &[]);
    assert_eq!(found, json!({"tests": 1, "except": ["1"], "complete": true}));
}

#[test]
fn two_tests_kill_every_other_bound() {
    let (found, inputs) = parametric("int is_positive(int x) { return x > 0; }", "x > p", &[]);
    assert_eq!(found, json!({"tests": 2, "except": ["0"], "complete": true}));
    let mut inputs: Vec<&Value> = inputs.iter().map(|input| &input["x"]).collect();
    inputs.sort_by_key(|input| input.as_i64());
    assert_eq!(inputs, [&json!(0), &json!(1)]);
}

#[test]
fn one_test_for_each_number_is_seen_for_what_it_is() {
    let (found, _) = parametric(IS_ZERO, "x == p", &[]);
    assert_eq!((&found["complete"], &found["killed"]), (&json!(false), &json!(2)), "{found}");
}

#[test]
fn a_mutant_that_needs_many_tests_is_open_only_if_asked_for() {
    let folder = Folder::new(&[("f.c", IS_ZERO)]);
    let code = |flags: &[&str]| {
        let arguments = [&["run", "f.c", "--operators", "PAR", "--out", ".", "--no-store"], flags].concat();
        folder.whet(&arguments).status.code()
    };
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--strict-parametric"]), Some(3));
}

/// Small functions and some with loops; with `WHET_ALL`, every golden file.
#[test]
fn what_is_said_of_all_numbers_holds_of_many() {
    let all = std::env::var_os("WHET_ALL").is_some();
    let few = [
        "clamp", "findmin3", "islower", "matrix", "memchr", "min", "mult", "queue", "strncmp", "strncpy",
        "strsep", "triangle",
    ];
    let files: Vec<PathBuf> = match all {
        true => loaded::files(),
        false => few.iter().map(|name| Path::new("../../examples").join(format!("{name}.c"))).collect(),
    };
    let complete: usize = files.par_iter().map(|file| check(file)).sum();
    eprintln!("{complete} complete");
    assert!(complete >= 100, "only {complete} are complete");
}

/// How many mutants of a file are settled for all values.
fn check(file: &Path) -> usize {
    let text = std::fs::read_to_string(file).expect("it can be read");
    if text.lines().any(|line| line.starts_with("//~ flags:") && line.contains("--operators")) {
        return 0;
    }
    let loaded = Loaded::new(file, "PAR");
    let Some(parameter) = loaded.unit.program.parameter() else { return 0 };
    let mut complete = 0;
    for subject in loaded.subjects() {
        let space = loaded.space(subject.function);
        let stop = Stop::default();
        let task = Task::alone(&loaded.unit.program, subject.function, &space, Limits::default(), &stop);
        for mutant in &subject.mutants {
            let change = &loaded.unit.changes[mutant.0 as usize - 1];
            let Some(source::ParameterType { width, signed }) = change.parameter else { continue };
            let parametric = ParametricMutant { mutant: *mutant, parameter, width, signed };
            let claim = stage().claim(&task, parametric, &[]);
            if claim.complete {
                complete += 1;
                check_claim(&loaded, &task, parametric, &claim);
            }
        }
    }
    complete
}

fn stage() -> Parametric {
    let bounded = Bounded { bound: 8, fuel: Fuel(2_000), obligations: false, round: Round::Only };
    let inductive = Inductive::alone(Fuel(500));
    Parametric { provers: vec![Box::new(inductive), Box::new(bounded)], most: 8, obligations: false }
}

/// Each value is killed by a test, or is one of those that no input kills.
fn check_claim(loaded: &Loaded, task: &Task, parametric: ParametricMutant, claim: &ParametricClaim) {
    let place = || format!("{}, mutant {}", loaded.path.display(), parametric.mutant.0);
    let runs = |mutant, input: &Input| run(task.program, task.subject, mutant, input, FUEL).outcome;
    let original: Vec<(&Input, Outcome)> =
        claim.tests.iter().map(|(input, _)| (input, runs(Mutant::ORIGINAL, input))).collect();
    let goes_on = |outcome: &Outcome| matches!(outcome, Outcome::OutOfFuel | Outcome::Diverged);
    let kills = |input: &Input, original: &Outcome, value: Word| {
        let outcome = runs(parametric.mutant, &parametric.with(input, value));
        outcomes_differ(original, &outcome) || goes_on(&outcome)
    };
    let valid = loaded.valid(task.subject, INPUTS);
    for value in values(parametric.width) {
        if original.iter().any(|(input, original)| kills(input, original, value)) {
            assert!(!claim.equivalent.contains(&value), "{}: {value:?} is not equivalent", place());
            continue;
        }
        let is_equivalent = claim.more || claim.equivalent.contains(&value);
        assert!(is_equivalent, "{}: nobody kills {value:?}", place());
        for (input, original) in &valid {
            let outcome = runs(parametric.mutant, &parametric.with(input, value));
            assert!(!outcomes_differ(original, &outcome), "{}: {input:?} kills {value:?}", place());
        }
    }
}

/// Small ones, those at the edges, and others.
fn values(width: u32) -> Vec<Word> {
    let edges = [Word::signed_min(width), Word::signed_max(width), Word::ones(width)];
    let small = (-20..=20).map(|value| Word::from_signed(width, value));
    // Multiples of a number without a pattern.
    let others = (1..=VALUES).map(|at| Word::new(width, u128::from(at.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
    edges.into_iter().chain(small).chain(others).collect()
}
