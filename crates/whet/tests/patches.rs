//! Each mutant of the examples, and of files that are hard to read, is a patch: it applies,
//! compiles, and behaves as the meta-mutant under its number. No two are the same.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use ir::{Fault, Mutant, Outcome, run};
use llvm::{Operators, Options, Overflow, Unit, load};
use source::Change;

/// Inputs for each mutant.
const RUNS: usize = 1000;

/// To compile one takes a twentieth of a second, so only every so many-th is
/// looked at, unless `WHET_ALL` is set.
const STRIDE: usize = 29;

/// What one run may burn.
const FUEL: u64 = 5_000;

/// A number that no mutant has: the patched file runs by the rules of mutants, too.
const NOBODY: Mutant = Mutant(u32::MAX);

#[test]
fn a_patched_file_does_what_the_meta_mutant_does() {
    check_folder("../../examples", &["seed", "default"], 100);
}

#[test]
fn so_does_one_that_is_hard_to_read() {
    check_folder("tests/nasty", &["all"], 50);
}

/// What was seen of the mutants.
#[derive(Default)]
struct Seen {
    compared: usize,
    wrong: Vec<String>,
}

fn check_folder(folder: &str, operators: &[&str], at_least: usize) {
    let stride = if std::env::var_os("WHET_ALL").is_some() { 1 } else { STRIDE };
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let files = entries.map(|entry| entry.expect("it can be read").path());
    let mut seen = Seen::default();
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "c")) {
        for operators in operators {
            check(&file, operators, stride, &mut seen);
        }
    }
    assert!(seen.wrong.is_empty(), "{}", seen.wrong.join("\n"));
    assert!(seen.compared > at_least, "only {} mutants were compared", seen.compared);
}

fn unit(file: &Path, operators: Operators) -> Result<Unit, llvm::Error> {
    let (flags, functions) = (vec![], vec![]);
    let file = file.to_path_buf();
    let overflow = Overflow::Wrap;
    load(&Options {
        file,
        clang: None,
        flags,
        overflow,
        operators,
        functions,
        headers: false,
        versions: vec![],
    })
}

fn check(file: &Path, operators: &str, stride: usize, seen: &mut Seen) {
    let operators = Operators::parse(operators).expect("there is such a set");
    let meta = unit(file, operators).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    check_texts(file, &meta, seen);
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    // Not the same ones of every site.
    for (change, number) in meta.changes.iter().zip(1..).skip(stride / 2).step_by(stride) {
        let patched = folder.path().join(file.file_name().expect("a file has a name"));
        patch(&meta, change, &patched);
        let result = match unit(&patched, Operators::default()) {
            Ok(patched) => compare(&meta, Mutant(number), change, &patched),
            Err(error) => Err(error.to_string()),
        };
        match result {
            Ok(runs) => seen.compared += usize::from(runs > 0),
            Err(why) => seen.wrong.push(format!("{} {why}", name(file, number, change))),
        }
    }
}

fn name(file: &Path, number: u32, change: &Change) -> String {
    let (at, from, to) = (change.span.start, &change.original, change.replacement());
    format!("{}: {number} {} {at} `{from}` → `{to}`:", file.display(), change.operator)
}

/// No two mutants read the same, and none like the original.
fn check_texts(file: &Path, meta: &Unit, seen: &mut Seen) {
    let mut texts: HashMap<Vec<u8>, u32> = HashMap::from([(meta.text.bytes().to_vec(), 0)]);
    for (change, number) in meta.changes.iter().zip(1..) {
        if let Some(other) = texts.insert(change.edit.apply(&meta.text), number) {
            seen.wrong.push(format!("{} reads like {other}", name(file, number, change)));
        }
    }
}

/// Applies a mutant as a user would.
fn patch(meta: &Unit, change: &Change, to: &Path) {
    let (folder, name) = (to.parent().expect("it is in a folder"), to.file_name().expect("it has a name"));
    std::fs::write(to, meta.text.bytes()).expect("it can be written");
    let diff = source::unified(&meta.text, &change.edit, &name.to_string_lossy());
    std::fs::write(folder.join("diff"), diff).expect("it can be written");
    let output = Command::new("patch").args(["-p0", "--binary", "-i", "diff"]).current_dir(folder).output();
    let output = output.expect("patch runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(std::fs::read(to).expect("it is still there"), change.edit.apply(&meta.text));
}

/// How many runs agreed, or one that did not.
fn compare(meta: &Unit, mutant: Mutant, change: &Change, patched: &Unit) -> Result<usize, String> {
    // Inputs name types by their place in a list, and a mutant may have no use for one of them.
    if patched.program.types != meta.program.types {
        return Ok(0);
    }
    let subject = meta.program.named(&change.function).expect("it is in a function");
    let other = patched.program.named(&change.function).expect("it is still there");
    let space = ir::Space { size: 4, ..ir::Space::default() };
    let inputs = stages::attacks(&meta.program, subject, &space, RUNS);
    for input in &inputs {
        let one = run(&meta.program, subject, mutant, input, FUEL).outcome;
        let other = run(&patched.program, other, NOBODY, input, FUEL).outcome;
        let differ = match (&one, &other) {
            (Outcome::Returned(one), Outcome::Returned(other)) => one.differs(other),
            // Clang folds a constant index of a constant array into an address,
            // and with it goes the array's end.
            (Outcome::Faulted(Fault::Index, _), Outcome::Faulted(Fault::Stray, _)) => false,
            (Outcome::Faulted(one, _), Outcome::Faulted(other, _)) => one != other,
            (Outcome::Unsupported(one, _), Outcome::Unsupported(other, _)) => one != other,
            (Outcome::OutOfFuel | Outcome::Diverged, _) | (_, Outcome::OutOfFuel | Outcome::Diverged) => {
                false
            }
            (one, other) => one != other,
        };
        if differ {
            return Err(format!("on {input:?}\n  meta {one:?}\n  patched {other:?}"));
        }
    }
    Ok(inputs.len())
}
