//! Tests in C, tried on the original and on mutants: the user's own, those of an earlier run, and those about to be written.
//!
//! What counts against a test is what it executes, and not the time it takes: a run may enter ten times as many blocks of the
//! file under test as the original did, and some. Time is only a last resort, and generous.

use std::collections::BTreeSet;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use ir::Mutant;
use llvm::{Tested, Unit};
use rayon::prelude::*;
use rustix::process::{Pid, Signal, kill_process_group};

/// How many times the blocks of the original a mutant may enter, and how many more.
const TIMES: u64 = 10;
const MORE: u64 = 1_000_000;

/// So much longer than the original a mutant may take, and at least so long.
const PATIENCE: u32 = 20;
const LEAST: Duration = Duration::from_secs(20);

/// How long the user's tests may take on the original.
pub const BASELINE: Duration = Duration::from_secs(600);

/// And how long tests of ours, which are short.
pub const OURS: Duration = Duration::from_secs(20);

/// So much memory a run may have, in bytes.
const MEMORY: u64 = 4 << 30;

/// Tests that pass on the original, and what they need for it.
pub struct Trial<'a> {
    tested: Tested<'a>,
    fuel: u64,
    time: Duration,
    /// The functions of the file under test that they enter.
    functions: BTreeSet<String>,
}

/// The tests fail on the original. With what they printed.
#[derive(Debug, thiserror::Error)]
#[error("{how}{output}")]
pub struct Fails {
    how: String,
    output: String,
}

impl<'a> Trial<'a> {
    /// Runs the tests on the original. An error is [`Fails`] if it is theirs.
    pub fn new(tested: Tested<'a>, limit: Duration) -> anyhow::Result<Trial<'a>> {
        let report = tested.new_report()?;
        let begin = Instant::now();
        let output = tempfile::NamedTempFile::new().context("cannot write a temporary file")?;
        let mut child = start(&tested, Mutant::ORIGINAL, u64::MAX, Some((&report, output.path())))?;
        let end = wait(&mut child, limit)?;
        if !end.is_some_and(|status| status.success()) {
            let text = std::fs::read(output.path()).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).trim_end().to_string();
            let output = if text.is_empty() { text } else { format!("\n{text}") };
            return Err(Fails { how: describe(end, limit), output }.into());
        }
        let reached = tested.reached(&report, u64::MAX)?;
        let limit = |blocks: u64| blocks.saturating_mul(TIMES).saturating_add(MORE);
        Ok(Trial {
            tested,
            fuel: limit(reached.blocks),
            time: (begin.elapsed() * PATIENCE).max(LEAST),
            functions: reached.functions.into_iter().collect(),
        })
    }

    /// Those mutants on which a test fails. Who calls hears of each kill at once.
    pub fn killed(
        &self,
        unit: &Unit,
        mutants: &[Mutant],
        heard: &(dyn Fn(usize) + Sync),
    ) -> anyhow::Result<BTreeSet<Mutant>> {
        let is_reached =
            |mutant: &&Mutant| homes(unit, **mutant).iter().any(|home| self.functions.contains(home));
        let reached: Vec<Mutant> = mutants.iter().filter(is_reached).copied().collect();
        let kills = |mutant: &Mutant| -> anyhow::Result<Option<Mutant>> {
            let mut child = start(&self.tested, *mutant, self.fuel, None)?;
            let passed = wait(&mut child, self.time)?.is_some_and(|status| status.success());
            if !passed {
                heard(1);
            }
            Ok((!passed).then_some(*mutant))
        };
        let killed: anyhow::Result<Vec<Option<Mutant>>> = reached.par_iter().map(kills).collect();
        Ok(killed?.into_iter().flatten().collect())
    }
}

/// The functions that a mutant changes.
fn homes(unit: &Unit, mutant: Mutant) -> &[String] {
    let version = unit.versions.iter().flatten().find(|version| version.number == mutant.0);
    let own = || std::slice::from_ref(&unit.changes[mutant.0 as usize - 1].function);
    version.map_or_else(own, |version| version.functions.as_slice())
}

fn describe(end: Option<ExitStatus>, limit: Duration) -> String {
    match end {
        None => format!("they do not end within {} seconds", limit.as_secs()),
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("they end with exit code {code}"),
            (None, signal) => format!("they are stopped by signal {}", signal.unwrap_or_default()),
        },
    }
}

/// Starts the tests in a process group of their own. The first run tells what it reached, and what it printed.
fn start(
    tested: &Tested,
    mutant: Mutant,
    fuel: u64,
    report: Option<(&Path, &Path)>,
) -> anyhow::Result<Child> {
    let mut command = Command::new(&tested.program);
    command.env("WHET_MUTANT", mutant.0.to_string());
    command.env("WHET_FUEL", fuel.to_string()).env("WHET_MEMORY", MEMORY.to_string());
    command.env_remove("WHET_REPORT").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some((report, output)) = report {
        let output = std::fs::File::create(output).context("cannot write a temporary file")?;
        command.env("WHET_REPORT", report);
        command.stdout(output.try_clone().context("cannot write a temporary file")?).stderr(output);
    }
    command.process_group(0).spawn().context("cannot run the tests")
}

/// Waits for the end, and sees to it after so long. None if it had to.
pub fn wait(child: &mut Child, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    let begin = Instant::now();
    let mut pause = Duration::from_micros(200);
    let end = loop {
        if let Some(status) = child.try_wait().context("cannot wait for the tests")? {
            break Some(status);
        }
        if begin.elapsed() > limit {
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    // What they have started goes with them.
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    if end.is_none() {
        child.wait().context("cannot wait for the tests")?;
    }
    Ok(end)
}
