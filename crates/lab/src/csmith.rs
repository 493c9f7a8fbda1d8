//! Programs that nobody here wrote: csmith makes them at random, without
//! undefined behaviour, each from a number.
//!
//! Yang, Chen, Eide, Regehr, "Finding and understanding bugs in C compilers" (2011).

use std::hash::{BuildHasher, RandomState};
use std::process::Command;

/// How large programs are, and what is in them.
pub type Flags = &'static [&'static str];

/// What holds for all of them. Without `argc` there is no world to give to `main`.
const ALWAYS: Flags = &["--no-argc", "--concise"];

/// As csmith likes them, but not so large that a run takes long.
pub const WHOLE: Flags = &["--max-funcs", "6", "--max-block-depth", "4"];

/// Small enough for every stage.
pub const SMALL: Flags = &[
    "--max-funcs",
    "3",
    "--max-block-size",
    "3",
    "--max-block-depth",
    "2",
    "--max-expr-complexity",
    "4",
    "--max-array-dim",
    "2",
    "--max-array-len-per-dim",
    "4",
    "--max-struct-fields",
    "4",
    "--max-union-fields",
    "3",
];

/// For whole runs of Whet, with all mutants.
pub const TINY: Flags = &[
    "--max-funcs",
    "2",
    "--max-block-size",
    "2",
    "--max-block-depth",
    "2",
    "--max-expr-complexity",
    "3",
    "--max-array-dim",
    "1",
    "--max-array-len-per-dim",
    "3",
    "--max-struct-fields",
    "3",
    "--max-union-fields",
    "2",
];

/// With more in them.
pub const MEDIUM: Flags = &[
    "--max-funcs",
    "5",
    "--max-block-size",
    "4",
    "--max-block-depth",
    "3",
    "--max-expr-complexity",
    "6",
    "--max-array-len-per-dim",
    "6",
    "--float",
];

/// As csmith likes them. Two of its ways are left out where a program must have
/// no undefined behaviour: `--builtins`, which calls `__builtin_clz` with 0,
/// and `--float`, which makes integers of floats that do not fit.
pub const LARGE: Flags = &[];

/// The program with this number.
pub fn text(seed: u64, flags: Flags) -> String {
    let mut command = Command::new("csmith");
    // It writes a file about the machine where it runs, reads it back, and fails if another one is just
    // writing it.
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    command.current_dir(folder.path());
    let output = command.args(ALWAYS).args(flags).args(["--seed", &seed.to_string()]).output();
    let output = output.expect("csmith runs: `./x test` installs it");
    assert!(output.status.success(), "csmith fails with seed {seed}: {}", output.status);
    let text = String::from_utf8(output.stdout).expect("csmith writes text");
    // Found without a flag for clang.
    text.replacen("#include \"csmith.h\"", "#include <csmith/csmith.h>", 1)
}

/// The same for tests that call each function and set each variable: nothing is
/// `static`, and there is no `main`.
pub fn exposed(text: &str) -> String {
    let (functions, _) = text.split_once("\nint main (void)").expect("csmith writes a main");
    let lines = functions.lines().map(|line| line.strip_prefix("static ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The first number of a run: what `WHET_SEED` says, or any.
pub fn first_seed() -> u64 {
    let any = || RandomState::new().hash_one(()) & u64::from(u32::MAX >> 4);
    std::env::var("WHET_SEED").ok().map_or_else(any, |seed| seed.parse().expect("WHET_SEED is a number"))
}
