//! What `whet diff` says of two files.

use std::process::{Command, Output};

use serde_json::Value;

use crate::sound;

pub(crate) fn run(old: &str, new: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(folder.path().join("old.c"), old).expect("a file can be written");
    std::fs::write(folder.path().join("new.c"), new).expect("a file can be written");
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    whet.current_dir(folder.path()).args(["diff", "old.c", "new.c"]).args(arguments);
    sound::output(&mut whet)
}

/// The answer as JSON, whose exit code is the right one.
pub(crate) fn answer(old: &str, new: &str, arguments: &[&str]) -> Value {
    let output = run(old, new, &[arguments, &["--format", "json"]].concat());
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let code = match answer["verdict"].as_str() {
        Some("equal") => 0,
        Some("different") => 2,
        _ => 3,
    };
    assert_eq!(output.status.code(), Some(code), "{answer}");
    answer
}
