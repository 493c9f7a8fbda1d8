//! Each mutant of the examples, applied to the source and compiled by clang, behaves as the meta-mutant under its number.

use ir::{FunctionId, Input, Mutant, Outcome, run};
use llvm::{Operators, Options, Overflow, Unit, load};

/// Inputs for each mutant.
const RUNS: usize = 1000;

/// To compile one takes a twentieth of a second, so only every so many-th is looked at, unless `WHET_ALL` is set.
const STRIDE: usize = 29;

/// What one run may burn.
const FUEL: u64 = 5_000;

/// A number that no mutant has: the patched file runs by the rules of mutants, too.
const NOBODY: Mutant = Mutant(u32::MAX);

#[test]
fn a_patched_file_does_what_the_meta_mutant_does() {
    let stride = if std::env::var_os("WHET_ALL").is_some() { 1 } else { STRIDE };
    let mut compared = 0;
    for entry in std::fs::read_dir("../../examples").expect("the folder is there") {
        let file = entry.expect("it can be read").path();
        if file.extension().is_some_and(|extension| extension == "c") {
            for operators in ["seed", "default"] {
                compared += check(&file, operators, stride);
            }
        }
    }
    assert!(compared > 100, "only {compared} mutants were compared");
}

fn unit(file: &std::path::Path, operators: Operators) -> Unit {
    let (flags, functions) = (vec![], vec![]);
    let options = Options {
        file: file.to_path_buf(),
        clang: None,
        flags,
        overflow: Overflow::Wrap,
        operators,
        functions,
        headers: false,
    };
    load(&options).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn check(file: &std::path::Path, operators: &str, stride: usize) -> usize {
    let meta = unit(file, Operators::parse(operators).expect("there is such a set"));
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let mut compared = 0;
    // Not the same ones of every site.
    for (change, number) in meta.changes.iter().zip(1..).skip(stride / 2).step_by(stride) {
        let patched = folder.path().join(file.file_name().expect("a file has a name"));
        std::fs::write(&patched, change.edit.apply(&meta.text)).expect("it can be written");
        let patched = unit(&patched, Operators::default());
        // Inputs name types by their place in a list, and a mutant may have no use for one of them.
        if patched.program.types != meta.program.types {
            continue;
        }
        let subject = meta.program.named(&change.function).expect("it is in a function");
        let other = patched.program.named(&change.function).expect("it is still there");
        let space = ir::Space { size: 4, ..ir::Space::default() };
        let inputs = stages::attacks(&meta.program, subject, &space, RUNS);
        let what = format!(
            "{} {}: {} {} → {}",
            file.display(),
            number,
            change.span.start,
            change.original,
            change.replacement()
        );
        compare((&meta, subject, Mutant(number)), (&patched, other), &inputs, &what);
        compared += 1;
    }
    compared
}

fn compare(
    (meta, subject, mutant): (&Unit, FunctionId, Mutant),
    (patched, other): (&Unit, FunctionId),
    inputs: &[Input],
    what: &str,
) {
    for input in inputs {
        let one = run(&meta.program, subject, mutant, input, FUEL).outcome;
        let other = run(&patched.program, other, NOBODY, input, FUEL).outcome;
        let differ = match (&one, &other) {
            (Outcome::Returned(one), Outcome::Returned(other)) => one.differs(other),
            (Outcome::Faulted(one, _), Outcome::Faulted(other, _)) => one != other,
            (Outcome::Unsupported(one, _), Outcome::Unsupported(other, _)) => one != other,
            (Outcome::OutOfFuel | Outcome::Diverged, _) | (_, Outcome::OutOfFuel | Outcome::Diverged) => {
                false
            }
            (one, other) => one != other,
        };
        assert!(!differ, "{what}\non {input:?}\nmeta {one:?}\npatched {other:?}");
    }
}
