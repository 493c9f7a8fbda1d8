//! `./x soak [HOURS]`: everything that looks for a wrong answer, with ever new
//! seeds, until it is stopped or the time is over.
//!
//! An oracle is a process that fails if somebody is wrong: a fuzzer of the test suite, the csmith test
//! on larger programs, or two runs of Whet that must not contradict each other. So nothing that one of
//! them breaks, not even an abort in a solver, ends the others. One after the other gets a round.
//!
//! Each finding has a folder in `soak-out`: what was seen, the command that repeats it, and the program,
//! made as small as it will go in some minutes. Of findings that look alike the first few are kept.
//!
//! `soak pair NAME FILE` runs one pair alone; this is what repeats a contradiction.

mod finding;
mod fuzzers;
mod pairs;
mod process;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use finding::Findings;
use lab::csmith;

/// How often the state of things is said.
const NEWS: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("soak: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => soak(&root, None),
        ["pair", name, file] => pairs::repeat(&root, name, Path::new(file)),
        [hours] => match hours.parse::<f64>() {
            Ok(hours) if hours > 0.0 => soak(&root, Some(Duration::from_secs_f64(hours * 3600.0))),
            _ => bail!("./x soak takes a number of hours, such as 0.5; `{hours}` is none"),
        },
        _ => bail!("./x soak takes a number of hours, or nothing"),
    }
}

/// Runs all oracles in turn. An error if there were findings.
fn soak(root: &Path, time: Option<Duration>) -> Result<()> {
    let fuzzers = fuzzers::build(root).context("the tests do not build")?;
    let pairs = pairs::Pairs::new(root)?;
    let mut state = State::new(root.join("soak-out"));
    // Never the same twice.
    let mut seed = csmith::first_seed();
    while state.has_time(time) {
        for fuzzer in &fuzzers {
            state.round(fuzzer.name(), |findings| fuzzer.round(seed, findings))?;
            if !state.has_time(time) {
                break;
            }
        }
        for round in 0..PAIRS {
            state.round("pairs", |findings| pairs.round(seed + round, findings))?;
        }
        seed += STRIDE;
    }
    tell(state.started, &state.news);
    match state.findings.count() {
        0 => Ok(()),
        count => bail!("{count} findings, in {}", state.findings.place().display()),
    }
}

/// Pairs for each round of the fuzzers: about as long as all programs of csmith take.
const PAIRS: u64 = 6;

/// More than the programs of a round.
const STRIDE: u64 = 1_000;

struct State {
    started: Instant,
    rounds: BTreeMap<String, u64>,
    findings: Findings,
    /// What there is to tell; a thread of its own does, however long a round takes.
    news: Arc<Mutex<String>>,
}

impl State {
    fn new(folder: PathBuf) -> State {
        let news = Arc::new(Mutex::new(String::new()));
        let (started, told) = (Instant::now(), Arc::clone(&news));
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(NEWS);
                tell(started, &told);
            }
        });
        State { started, rounds: BTreeMap::new(), findings: Findings::new(folder), news }
    }

    fn has_time(&self, time: Option<Duration>) -> bool {
        time.is_none_or(|time| self.started.elapsed() < time)
    }

    fn round(&mut self, name: &str, round: impl FnOnce(&mut Findings) -> Result<()>) -> Result<()> {
        self.note(&format!("; now {name}"));
        round(&mut self.findings)?;
        *self.rounds.entry(name.to_string()).or_default() += 1;
        self.note("");
        Ok(())
    }

    fn note(&self, now: &str) {
        let rounds: Vec<String> = self.rounds.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let news = format!("rounds: {}{now}; findings: {}", rounds.join(", "), self.findings.summary());
        *self.news.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = news;
    }
}

fn tell(started: Instant, news: &Mutex<String>) {
    let news = news.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    println!("soak: {} min; {news}", started.elapsed().as_secs() / 60);
}
