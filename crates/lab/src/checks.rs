//! The two cross-checks of the thesis (section 5.4): stages that know nothing
//! of each other must not contradict each other, and tests must hold for the
//! original itself, built by clang and run by nobody of ours.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Nothing that one stage proves equivalent is killed by another.
pub fn agree(equivalent: &[u64], killed: &[u64]) -> Result<()> {
    let both: Vec<&u64> = equivalent.iter().filter(|number| killed.contains(number)).collect();
    ensure!(both.is_empty(), "called equivalent, and killed: {both:?}");
    Ok(())
}

/// Each test gives what it has recorded when it is run on the original. `tests` is in plain C (`--tests c`).
pub fn rerun(file: &Path, tests: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let binary = folder.path().join("tests");
    let mut clang = Command::new("clang-19");
    let built = clang.args(["-w", "-fwrapv"]).arg(file).arg(tests).arg("-o").arg(&binary).status()?;
    ensure!(built.success(), "{} does not build with {}", tests.display(), file.display());
    let run = Command::new(&binary).output().context("the tests do not start")?;
    ensure!(run.status.success(), "{} fails on {}", tests.display(), file.display());
    Ok(())
}
