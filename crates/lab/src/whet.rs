//! One run of Whet as a user has it: a command, its verdicts, and how long it took.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

pub struct Whet {
    pub binary: PathBuf,
}

pub struct Ran {
    pub verdicts: Verdicts,
    pub seconds: f64,
    /// What it said on the way.
    pub said: String,
}

/// What is in `verdicts.json`.
pub struct Verdicts(pub Value);

impl Whet {
    /// Settles all mutants of a file. Open and limited ones, and a program that
    /// is not what its reference is, are results like others.
    pub fn run(&self, file: &Path, arguments: &[&str], out: &Path) -> Result<Ran> {
        let started = Instant::now();
        let mut command = Command::new(&self.binary);
        command.arg("run").arg(file).args(["--quiet", "--no-store", "--reports", "none", "--out"]).arg(out);
        let output = command.args(arguments).output()?;
        let seconds = started.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_done = matches!(output.status.code(), Some(0 | 3 | 4));
        ensure!(is_done, "whet failed on {} ({}): {said}", file.display(), output.status);
        let path = out.join("verdicts.json");
        let text = std::fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
        let verdicts = Verdicts(serde_json::from_str(&text)?);
        ensure!(verdicts.count("refuted") == 0, "whet is wrong on {}: {said}", file.display());
        Ok(Ran { verdicts, seconds, said })
    }

    /// What a command prints.
    pub fn print(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new(&self.binary).args(arguments).output()?;
        ensure!(output.status.success(), "whet {}: {}", arguments.join(" "), output.status);
        Ok(String::from_utf8(output.stdout)?)
    }
}

impl Verdicts {
    /// One of the counts: `mutants`, `killed`, `equivalent`, `duplicate`,
    /// `limited`, `open`, `tests`, `refuted`.
    pub fn count(&self, what: &str) -> u64 {
        self.0["summary"][what].as_u64().unwrap_or_default()
    }

    pub fn mutants(&self) -> &[Value] {
        self.0["mutants"].as_array().map_or(&[], Vec::as_slice)
    }

    pub fn tests(&self) -> &[Value] {
        self.0["tests"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The numbers of all mutants with this status.
    pub fn numbers(&self, status: &str) -> Vec<u64> {
        let with = self.mutants().iter().filter(|mutant| mutant["status"] == status);
        with.filter_map(|mutant| mutant["id"].as_u64()).collect()
    }
}
