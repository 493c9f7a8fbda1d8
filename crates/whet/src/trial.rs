//! Tests in C, tried on the original and on mutants: the user's own, those of
//! an earlier run, and those about to be written.
//!
//! What counts against a test is what it executes, and not the time it takes: a
//! run may enter ten times as many blocks of the file under test as the
//! original did, and some. Time is only a last resort, and generous.
//!
//! Each mutant has a process of its own, from a [`Server`] if there is one.

use std::collections::BTreeSet;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::Context;
use ir::Mutant;
use llvm::{Tested, Unit};
use rayon::prelude::*;
use rustix::process::{Pid, Signal, kill_process_group};
use settle::{OwnKill, OwnTests};

use crate::deadline::Deadline;
use crate::server::{IsOver, Server};

/// How many times the blocks of the original a mutant may enter, and how many more.
const TIMES: u64 = 10;
const MORE: u64 = 1_000_000;

/// A mutant may take so many times as long as the original, and at least so long.
const PATIENCE: u32 = 20;
const LEAST: Duration = Duration::from_secs(20);

/// How long the user's tests may take on the original.
pub(crate) const BASELINE: Duration = Duration::from_secs(600);

/// How long tests of ours may take on the original. They are short.
pub(crate) const OURS: Duration = Duration::from_secs(20);

/// How much memory a run may have, in bytes.
const MEMORY: u64 = 4 << 30;

/// Tests that pass on the original, and what they need for it.
pub(crate) struct Trial<'a> {
    tested: Tested<'a>,
    fuel: u64,
    time: Duration,
    /// The functions of the file under test that they enter.
    functions: BTreeSet<String>,
    /// The idle ones: at most one for each thread.
    servers: Mutex<Vec<Server>>,
}

/// The tests fail on the original. With what they printed.
#[derive(Debug, thiserror::Error)]
#[error("{how}{output}")]
pub(crate) struct Fails {
    how: String,
    output: String,
}

impl<'a> Trial<'a> {
    /// Runs the tests on the original. The error is [`Fails`] if they do not pass.
    pub(crate) fn new(tested: Tested<'a>, limit: Duration) -> anyhow::Result<Trial<'a>> {
        Trial::new_until(tested, limit, &|| false).map(|trial| trial.expect("it is never over"))
    }

    /// The same; none if there was no time to see how they end.
    pub(crate) fn new_until(
        tested: Tested<'a>,
        limit: Duration,
        is_over: &IsOver,
    ) -> anyhow::Result<Option<Trial<'a>>> {
        let report = tested.new_report()?;
        let begin = Instant::now();
        let output = tempfile::NamedTempFile::new().context("cannot write a temporary file")?;
        let mut tests = tests(&tested, Mutant::ORIGINAL, u64::MAX);
        let file = std::fs::File::create(output.path()).context("cannot write a temporary file")?;
        tests.env("WHET_REPORT", &report);
        tests.stdout(file.try_clone().context("cannot write a temporary file")?).stderr(file);
        let end = run(tests, limit, is_over)?;
        if end.is_none() && is_over() {
            return Ok(None);
        }
        if !end.is_some_and(|status| status.success()) {
            let text = std::fs::read(output.path()).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).trim_end().to_string();
            let output = if text.is_empty() { text } else { format!("\n{text}") };
            return Err(Fails { how: describe(end, limit), output }.into());
        }
        let reached = tested.reached(&report, u64::MAX)?;
        let limit = |blocks: u64| blocks.saturating_mul(TIMES).saturating_add(MORE);
        Ok(Some(Trial {
            tested,
            fuel: limit(reached.blocks),
            time: (begin.elapsed() * PATIENCE).max(LEAST),
            functions: reached.functions.into_iter().collect(),
            servers: Mutex::default(),
        }))
    }

    /// The mutants on which a test fails.
    pub(crate) fn killed(&self, unit: &Unit, mutants: &[Mutant]) -> anyhow::Result<BTreeSet<Mutant>> {
        let (kills, _) = self.kills(unit, mutants, &|_| {}, &|| false)?;
        Ok(kills.into_iter().map(OwnKill::mutant).collect())
    }

    /// The mutants on which no test fails, and whether there was time to try all of them. Each mutant comes
    /// with the name of a test that should kill it. That test runs first, and usually alone: so the cost of a
    /// mutant does not grow with the file.
    pub(crate) fn survivors(
        &self,
        claims: &[(Mutant, &str)],
        deadline: &Deadline,
    ) -> anyhow::Result<(BTreeSet<Mutant>, bool)> {
        let is_over = || deadline.is_over();
        let survives = |(mutant, test): &(Mutant, &str)| -> anyhow::Result<Option<bool>> {
            if is_over() {
                return Ok(None);
            }
            Ok(match self.passes(*mutant, Some(test), &is_over)? {
                Some(true) => self.passes(*mutant, None, &is_over)?,
                failed => failed,
            })
        };
        let tried: Vec<Option<bool>> = claims.par_iter().map(survives).collect::<anyhow::Result<_>>()?;
        let survivors = claims.iter().zip(&tried).filter(|(_, survives)| **survives == Some(true));
        Ok((survivors.map(|((mutant, _), _)| *mutant).collect(), tried.iter().all(Option::is_some)))
    }

    /// Whether all tests pass on a mutant, or the one that is named. None if there was no time to see it.
    fn passes(&self, mutant: Mutant, test: Option<&str>, is_over: &IsOver) -> anyhow::Result<Option<bool>> {
        let tests = || tests(&self.tested, mutant, self.fuel);
        let idle = self.servers().pop();
        let server = idle.map_or_else(|| Server::start(tests()), Ok);
        if let Ok(mut server) = server
            && let Ok(passed) = server.passes(mutant, test, self.time, is_over)
        {
            self.servers().push(server);
            // They may have failed only because somebody has stopped them.
            return Ok(Some(passed).filter(|passed| *passed || !is_over()));
        }
        // A test may have killed the server. Then nobody knows whether it passed, and it runs once more.
        let passed = run(tests(), self.time, is_over)?.is_some_and(|status| status.success());
        Ok(Some(passed).filter(|passed| *passed || !is_over()))
    }

    /// The mutants on which a test fails, as evidence; and those that were not tried because the time was
    /// over. `on_kill` is called at once for each kill.
    pub(crate) fn kills(
        &self,
        unit: &Unit,
        mutants: &[Mutant],
        on_kill: &(dyn Fn(Mutant) + Sync),
        is_over: &IsOver,
    ) -> anyhow::Result<(Vec<OwnKill>, Vec<Mutant>)> {
        let is_reached =
            |mutant: &&Mutant| unit.homes(**mutant).iter().any(|home| self.functions.contains(home));
        let reached: Vec<Mutant> = mutants.iter().filter(is_reached).copied().collect();
        let kills = |mutant: &Mutant| -> anyhow::Result<Result<Option<OwnKill>, Mutant>> {
            if is_over() {
                return Ok(Err(*mutant));
            }
            match OwnKill::see(&Tests { trial: self, is_over }, *mutant)? {
                // Perhaps they were stopped.
                None if is_over() => Ok(Err(*mutant)),
                kill => {
                    kill.iter().for_each(|_| on_kill(*mutant));
                    Ok(Ok(kill))
                }
            }
        };
        let tried: Vec<Result<Option<OwnKill>, Mutant>> =
            reached.par_iter().map(kills).collect::<anyhow::Result<_>>()?;
        let untried = tried.iter().filter_map(|it| it.as_ref().err().copied()).collect();
        Ok((tried.into_iter().flatten().flatten().collect(), untried))
    }

    fn servers(&self) -> MutexGuard<'_, Vec<Server>> {
        self.servers.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Tests that somebody may stop.
struct Tests<'t> {
    trial: &'t Trial<'t>,
    is_over: &'t IsOver<'t>,
}

impl OwnTests for Tests<'_> {
    type Error = anyhow::Error;

    /// Nothing is held against a mutant whose tests were stopped.
    fn pass(&self, mutant: Mutant) -> anyhow::Result<bool> {
        Ok(self.trial.passes(mutant, None, self.is_over)?.unwrap_or(true))
    }
}

/// How a test program ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Passed,
    /// A test failed, or the program stopped.
    Failed,
    TimedOut,
    /// There is no program. With the compiler's own words.
    DoesNotBuild(String),
}

/// Runs a test program.
pub(crate) fn end(program: &Path) -> anyhow::Result<Ending> {
    let mut tests = Command::new(program);
    tests.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    Ok(match run(tests, OURS, &|| false)? {
        Some(status) if status.success() => Ending::Passed,
        Some(_) => Ending::Failed,
        None => Ending::TimedOut,
    })
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

/// The command that runs the tests on a mutant, in a process group of their own.
fn tests(tested: &Tested, mutant: Mutant, fuel: u64) -> Command {
    let mut command = Command::new(&tested.program);
    command.env("WHET_MUTANT", mutant.0.to_string());
    command.env("WHET_FUEL", fuel.to_string()).env("WHET_MEMORY", MEMORY.to_string());
    command.env_remove("WHET_REPORT").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.process_group(0);
    command
}

fn run(mut tests: Command, limit: Duration, is_over: &IsOver) -> anyhow::Result<Option<ExitStatus>> {
    wait_until(&mut tests.spawn().context("cannot run the tests")?, limit, is_over)
}

/// Waits for a process to end. After the time limit, kills it and returns none.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    wait_until(child, limit, &|| false)
}

/// The same, and sees to it when it is over, too.
fn wait_until(child: &mut Child, limit: Duration, is_over: &IsOver) -> anyhow::Result<Option<ExitStatus>> {
    let begin = Instant::now();
    let mut pause = Duration::from_micros(200);
    let end = loop {
        if let Some(status) = child.try_wait().context("cannot wait for the tests")? {
            break Some(status);
        }
        if begin.elapsed() > limit || is_over() {
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    // Processes that the tests have started go with them.
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    if end.is_none() {
        child.wait().context("cannot wait for the tests")?;
    }
    Ok(end)
}
