//! Running Whet so that a test fails wherever Whet catches itself in the wrong, whatever else it finds.

use std::process::{Command, Output};

pub(crate) fn output(whet: &mut Command) -> Output {
    let output = whet.output().expect("whet runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("by its own checker"), "{whet:?}: {said}");
    output
}
