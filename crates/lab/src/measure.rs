//! What benchmarks and experiments share: how time is taken, and what Whet's is compared with.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

/// Each side is timed so often, and the fastest counts: noise only ever adds.
const REPETITIONS: usize = 3;

/// Whet itself, as it is built for users.
pub fn release(root: &Path) -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let whet = target.join("release/whet");
    ensure!(whet.exists(), "build Whet first: ./x build");
    Ok(whet)
}

/// A file with its mutants.
pub fn load(file: &Path, operators: &str, overflow: llvm::Overflow) -> Result<llvm::Unit> {
    let options = llvm::Options {
        file: file.to_path_buf(),
        clang: None,
        flags: vec![],
        overflow,
        operators: llvm::Operators::parse(operators)?,
        functions: vec![],
        headers: false,
        versions: vec![],
    };
    Ok(llvm::load(&options)?)
}

/// The functions that a test can call, with the mutants that each judges.
pub fn subjects(unit: &llvm::Unit) -> Vec<(ir::FunctionId, Vec<ir::Mutant>)> {
    let name = |id: &ir::FunctionId| unit.program.function(*id).name.as_str();
    let is_external = |function: &str| unit.external.iter().any(|id| name(id) == function);
    // What no test can name is judged by all that it can.
    let judges = |id: &ir::FunctionId, change: &source::Change| {
        change.function == name(id) || !is_external(&change.function)
    };
    let mutants = |id: &ir::FunctionId| {
        let judged = unit.changes.iter().filter(|change| judges(id, change));
        (*id, judged.map(|change| ir::Mutant(change.number)).collect())
    };
    unit.external.iter().map(mutants).collect()
}

/// Compiling the file once for each mutant. The compiler does not care which mutant it is, so the file itself
/// stands for all of them, and a sample of the runs for the whole.
pub fn compile_each(file: &Path, mutants: u64) -> Result<Duration> {
    const SAMPLE: u32 = 10;
    let folder = tempfile::tempdir()?;
    let object = folder.path().join("mutant.o");
    let sample = fastest(|| {
        for _ in 0..SAMPLE {
            let status =
                Command::new("clang-19").args(["-O0", "-c"]).arg(file).arg("-o").arg(&object).status()?;
            ensure!(status.success(), "clang failed on {}", file.display());
        }
        Ok(())
    })?;
    Ok(sample * mutants as u32 / SAMPLE)
}

pub fn fastest(mut work: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..REPETITIONS {
        let started = Instant::now();
        work()?;
        best = best.min(started.elapsed());
    }
    Ok(best)
}

pub fn ratio(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}
