//! A whole program, from `main` on: the interpreter against machine code of
//! ours, and against the program as gcc builds it.
//!
//! All that csmith's programs print is a checksum of their variables. Between
//! interpreter and our own machine code the variables themselves are compared as well.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ir::{Input, Mutant, Observation, Outcome, Stream};
use llvm::{Native, Operators, Options, Overflow, ProcessEnd, load};

/// Blocks: some seconds of the interpreter. Most programs that take longer never end.
const FUEL: u64 = 1_000_000;

/// A program that the interpreter has run to its end takes far less.
const PATIENCE: Duration = Duration::from_secs(60);

/// What became of a program.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Ran {
    Agreed,
    /// It may have no end.
    Long,
    /// The lift says that it cannot be executed, and why.
    Unsupported(String),
}

/// Panics where the sides disagree.
pub(crate) fn check(file: &Path) -> Ran {
    let options = Options {
        file: file.to_path_buf(),
        clang: None,
        flags: vec![],
        overflow: Overflow::Undefined,
        operators: Operators::parse("none").expect("there is such a set"),
        functions: vec![],
        headers: false,
        versions: vec![],
    };
    let unit = load(&options).unwrap_or_else(|error| panic!("the program cannot be loaded: {error}"));
    let main = unit.program.named("main").expect("csmith writes a main");
    if let Some(unsupported) = &unit.program.function(main).unsupported {
        return Ran::Unsupported(unsupported.what.clone());
    }
    let input = Input::default();
    let outcome = ir::run(&unit.program, main, Mutant::ORIGINAL, &input, FUEL).outcome;
    let machine = || {
        let native = Native::build(&unit).unwrap_or_else(|error| panic!("no machine code: {error}"));
        native.run(main, Mutant::ORIGINAL, &input, FUEL).expect("the server answers")
    };
    let interpreted = match outcome {
        Outcome::Returned(seen) => seen,
        Outcome::OutOfFuel => return Ran::Long,
        // It runs in circles, as csmith's programs may; the machine does not know that.
        Outcome::Diverged => {
            let native = machine();
            let goes_on = matches!(native, ProcessEnd::OutOfFuel | ProcessEnd::GuardFired);
            assert!(goes_on, "the interpreter says that it has no end, the machine ends with {native:?}");
            return Ran::Long;
        }
        Outcome::Unsupported(what, _) => return Ran::Unsupported(what),
        Outcome::Faulted(fault, at) => {
            panic!("{fault:?} at {at:?}, in a program without undefined behaviour")
        }
    };
    match machine() {
        ProcessEnd::Returned(seen) => {
            let same = !interpreted.differs(&seen) && !interpreted.differs_inside(&seen);
            assert!(same, "the interpreter sees {interpreted:?}, the machine {seen:?}");
        }
        other => panic!("the interpreter returns, the machine ends with {other:?}"),
    }
    assert_eq!(printed(&interpreted), built_and_run(file), "what is printed");
    Ran::Agreed
}

/// What the run has printed.
fn printed(seen: &Observation) -> String {
    let text = seen.printed(Stream::Out).known().expect("it is known");
    String::from_utf8(text.to_vec()).expect("it is text")
}

/// What the program prints when it is built by a compiler that is not ours.
fn built_and_run(file: &Path) -> String {
    let binary = file.with_extension("binary");
    let built = Command::new("gcc").args(["-w", "-O1"]).arg(file).arg("-o").arg(&binary).arg("-lm").status();
    assert!(built.expect("gcc runs").success(), "gcc does not build it");
    let output = Command::new(&binary).stdout(Stdio::piped()).spawn();
    let mut child = output.expect("the program starts");
    let started = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if started.elapsed() > PATIENCE {
            child.kill().expect("it can be stopped");
            panic!("the interpreter returns, the binary runs on after {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("it can be waited for");
    assert_eq!(output.status.code(), Some(0), "the binary's exit status");
    String::from_utf8(output.stdout).expect("it prints text")
}
