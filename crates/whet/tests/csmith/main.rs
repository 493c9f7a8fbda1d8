//! Whet against programs that nobody here wrote.
//!
//! Each run makes new programs with csmith. The first line of its output says
//! from which number on, and `WHET_SEED` takes the same ones again; a failure
//! leaves the command that repeats it. `./x soak` runs the same for hours:
//!
//! | variable | meaning |
//! | --- | --- |
//! | `WHET_SEED` | the number of the first program |
//! | `WHET_ROUNDS` | how many programs |
//! | `WHET_LARGE` | larger programs, and more tried of each |
//! | `WHET_FILE` | this program in place of new ones, as `csmith::text` or `csmith::exposed` make it |

#[path = "../../../stages/tests/encoded/mod.rs"]
mod encoded;
mod functions;
#[path = "../loaded/mod.rs"]
mod loaded;
mod whole;

use std::io::Write;
use std::path::PathBuf;

use functions::{Effort, Tally};
use lab::csmith;
use whole::Ran;

/// A third of a second each, and five seconds.
const WHOLE_PROGRAMS: u64 = 30;
const PROGRAMS: u64 = 6;

/// Of the programs that end, the least share in percent that we can execute.
/// One in fifty has a bit-field too wide for us.
const EXECUTABLE: usize = 90;

/// Of the programs, the least share in percent that ends.
const ENDING: u64 = 50;

const USUAL: Effort = Effort { mutants: 6, inputs: 200, native: 8, bound: 3 };
const THOROUGH: Effort = Effort { mutants: 24, inputs: 2_000, native: 40, bound: 6 };

#[test]
fn a_whole_program_prints_what_it_prints() {
    let flags = if is_large() { csmith::LARGE } else { csmith::WHOLE };
    let mut ran = Vec::new();
    each_program(
        "a_whole_program_prints_what_it_prints",
        WHOLE_PROGRAMS,
        &|seed| csmith::text(seed, flags),
        |_, file| {
            ran.push(whole::check(file));
        },
    );
    let (mut agreed, mut unsupported) = (0, vec![]);
    for ran in ran {
        match ran {
            Ran::Agreed => agreed += 1,
            Ran::Long => {}
            Ran::Unsupported(why) => unsupported.push(why),
        }
    }
    say(&format!("{agreed} programs agree; not executable: {unsupported:?}"));
    if is_measured() {
        let ended = agreed + unsupported.len();
        assert!(agreed * 100 >= ended * EXECUTABLE, "only {agreed} of {ended} programs: {unsupported:?}");
        assert!(ended as u64 * 100 >= WHOLE_PROGRAMS * ENDING, "only {ended} programs ended");
    }
}

#[test]
fn whatever_is_said_of_a_function_is_true() {
    let (flags, effort) = if is_large() { (csmith::MEDIUM, THOROUGH) } else { (csmith::SMALL, USUAL) };
    let mut tally = Tally::default();
    let make = |seed| csmith::exposed(&csmith::text(seed, flags));
    each_program("whatever_is_said_of_a_function_is_true", PROGRAMS, &make, |seed, file| {
        functions::check(file, seed, effort, &mut tally);
    });
    say(&format!("{tally:?}"));
    if is_measured() {
        let Tally { functions, unsupported, agreed, encoded, killed, equivalent, .. } = &tally;
        assert!(*functions > 4 && unsupported * 4 < *functions, "too few functions: {tally:?}");
        assert!(*agreed > 100 && encoded.returned > 100, "too few runs: {tally:?}");
        assert!(*killed > 5 && *equivalent > 5, "too few claims: {tally:?}");
    }
}

/// Writes program after program into a folder, and checks each.
fn each_program(test: &str, rounds: u64, make: &dyn Fn(u64) -> String, mut check: impl FnMut(u64, &PathBuf)) {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("program.c");
    if let Some(given) = std::env::var_os("WHET_FILE") {
        std::fs::copy(given, &file).expect("WHET_FILE can be read");
        return check(csmith::first_seed(), &file);
    }
    let first = csmith::first_seed();
    say(&format!("{test}: WHET_SEED={first}"));
    for seed in first..first + rounds_or(rounds) {
        std::fs::write(&file, make(seed)).expect("there is room");
        let _repeat = Repeat { test, seed };
        check(seed, &file);
    }
}

/// Says how to see a failure again, when it comes to that.
struct Repeat<'a> {
    test: &'a str,
    seed: u64,
}

impl Drop for Repeat<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let large = if is_large() { "WHET_LARGE=1 " } else { "" };
        let Repeat { test, seed } = self;
        say(&format!(
            "to repeat it: {large}WHET_SEED={seed} WHET_ROUNDS=1 cargo test -p whet --test csmith {test}"
        ));
    }
}

fn rounds_or(default: u64) -> u64 {
    std::env::var("WHET_ROUNDS").map_or(default, |rounds| rounds.parse().expect("WHET_ROUNDS is a number"))
}

fn is_large() -> bool {
    std::env::var_os("WHET_LARGE").is_some()
}

/// A single program may have nothing in it.
fn is_measured() -> bool {
    std::env::var_os("WHET_FILE").is_none() && std::env::var_os("WHET_ROUNDS").is_none()
}

/// Past the test's own output, which is shown only when it fails.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "csmith: {line}");
}
