//! The progress line and the clock: what the terminal shows while Whet works.

use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ir::Mutant;
use settle::{Claim, Stage, Task};

use crate::guard;

/// How often a plain line shows progress: a sign of life in a log, not a log of its own.
const PLAIN: Duration = Duration::from_secs(5);

/// When the first line comes: soon, so that nobody wonders whether Whet is alive.
const FIRST: Duration = Duration::from_secs(1);

/// How often the bar is drawn while nothing happens.
const TICK: Duration = Duration::from_millis(200);

/// Shows progress on standard error: a bar on a terminal, a line now and then elsewhere.
pub(crate) struct Line {
    bar: ProgressBar,
    count: Arc<Count>,
    /// The thread that prints plain lines ends when this is dropped.
    alive: Mutex<Option<Sender<()>>>,
}

/// How many mutants are settled. A mutant is killed if one subject kills it, and settled otherwise when all
/// that judge it have a verdict.
#[derive(Default)]
struct Count {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// As many as `whet list` lists. None until they are known.
    mutants: Option<usize>,
    /// What is being done.
    step: &'static str,
    killed: HashSet<Mutant>,
    /// How many subjects have no verdict yet, for each mutant that several judge.
    judges: HashMap<Mutant, usize>,
    others: HashSet<Mutant>,
}

impl Count {
    fn expect(&self, mutants: usize, judges: HashMap<Mutant, usize>) {
        let mut state = self.state();
        (state.mutants, state.judges) = (Some(mutants), judges);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn settle(&self, mutant: Mutant, is_killed: bool) {
        let mut state = self.state();
        if is_killed {
            state.others.remove(&mutant);
            state.killed.insert(mutant);
            return;
        }
        let judges = state.judges.get_mut(&mutant).map_or(0, |judges| {
            *judges = judges.saturating_sub(1);
            *judges
        });
        if judges == 0 && !state.killed.contains(&mutant) {
            state.others.insert(mutant);
        }
    }

    fn settled(&self) -> usize {
        let state = self.state();
        state.killed.len() + state.others.len()
    }

    /// `simulate: 120 of 410 mutants settled, 118 killed`
    fn in_words(&self) -> String {
        let settled = self.settled();
        let state = self.state();
        let (step, killed) = (state.step, state.killed.len());
        match state.mutants {
            Some(mutants) => format!("{step}: {settled} of {mutants} mutants settled, {killed} killed"),
            None => step.to_string(),
        }
    }
}

impl Line {
    /// At first, the file is compiled.
    pub(crate) fn new(quiet: bool) -> Line {
        let count = Arc::new(Count::default());
        let watched = !quiet && std::io::stderr().is_terminal();
        let target = if watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("  {msg} {elapsed} ") {
            bar.set_style(style);
        }
        count.state().step = "compile";
        bar.set_message(count.in_words());
        if watched {
            bar.enable_steady_tick(TICK);
        }
        let alive = (!quiet && !watched).then(|| print_lines(count.clone()));
        Line { bar, count, alive: Mutex::new(alive) }
    }

    /// From now on, so many mutants are to be settled, some of them by several judges.
    pub(crate) fn expect(&self, mutants: usize, judges: HashMap<Mutant, usize>) {
        self.count.expect(mutants, judges);
        self.bar.set_length(mutants as u64);
        if let Ok(style) = ProgressStyle::with_template("  {msg} {wide_bar} {elapsed} ") {
            self.bar.set_style(style);
        }
        self.draw();
    }

    /// Says what is being done from now on.
    pub(crate) fn step(&self, step: &'static str) {
        self.count.state().step = step;
        self.draw();
    }

    /// Nothing more is shown.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
        self.alive.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    }

    fn draw(&self) {
        self.bar.set_position(self.count.settled() as u64);
        self.bar.set_message(self.count.in_words());
    }
}

impl Drop for Line {
    /// The bar goes before an error is printed.
    fn drop(&mut self) {
        self.finish();
    }
}

/// Prints a line from time to time, until the sender is dropped.
fn print_lines(count: Arc<Count>) -> Sender<()> {
    let (sender, receiver) = std::sync::mpsc::channel();
    // Without a thread there are no lines, and nothing worse.
    let _ = std::thread::Builder::new().spawn(move || {
        let mut pause = FIRST;
        while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(pause) {
            eprintln!("whet: {}", count.in_words());
            pause = PLAIN;
        }
    });
    sender
}

impl settle::Progress for Line {
    fn settle(&self, mutant: Mutant, is_killed: bool) {
        self.count.settle(mutant, is_killed);
        self.draw();
    }
}

/// How long stages took, by their names.
#[derive(Default)]
pub(crate) struct Spent(Mutex<HashMap<&'static str, Duration>>);

impl Spent {
    pub(crate) fn on(&self, stage: &'static str) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(stage).copied().unwrap_or_default()
    }

    fn add(&self, stage: &'static str, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(stage).or_default() += time;
    }
}

/// A stage with a clock beside it.
pub(crate) struct Timed<'a> {
    pub stage: Box<dyn Stage + 'a>,
    pub spent: &'a Spent,
}

impl Stage for Timed<'_> {
    fn name(&self) -> &'static str {
        self.stage.name()
    }

    fn looks_beyond_limits(&self) -> bool {
        self.stage.looks_beyond_limits()
    }

    fn is_about_code(&self) -> bool {
        self.stage.is_about_code()
    }

    fn holds_for_any_caller(&self, mutant: Mutant) -> bool {
        self.stage.holds_for_any_caller(mutant)
    }

    fn is_again(&self) -> bool {
        self.stage.is_again()
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        let started = Instant::now();
        let subject = &task.program.function(task.subject).name;
        let part = format!("{} on {subject}", self.name());
        let claims = guard::attempt(&part, || self.stage.claims(task));
        let broken = || task.open.iter().map(|mutant| (*mutant, Claim::Open(guard::broken(self.name()))));
        let claims = claims.unwrap_or_else(|| broken().collect());
        self.spent.add(self.name(), started.elapsed());
        claims
    }
}

/// How long each step took.
pub(crate) struct Timings {
    pub started: Instant,
    steps: Mutex<Vec<Step>>,
}

struct Step {
    name: &'static str,
    /// When it began for the first time, after the start.
    began: Duration,
    took: Duration,
}

impl Timings {
    pub(crate) fn new() -> Timings {
        Timings { started: Instant::now(), steps: Mutex::default() }
    }

    /// Times a step. The times of a step that happens again add up.
    pub(crate) fn step<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let began = self.started.elapsed();
        let result = guard::noted(name, work);
        let took = self.started.elapsed() - began;
        let mut steps = self.steps();
        match steps.iter_mut().find(|step| step.name == name) {
            Some(step) => step.took += took,
            None => steps.push(Step { name, began, took }),
        }
        result
    }

    fn steps(&self) -> MutexGuard<'_, Vec<Step>> {
        self.steps.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// How long a step has taken so far.
    pub(crate) fn of(&self, name: &str) -> Duration {
        self.steps().iter().find(|step| step.name == name).map_or(Duration::ZERO, |step| step.took)
    }

    /// The time from the start to the beginning of a step.
    pub(crate) fn before(&self, name: &str) -> Duration {
        self.steps().iter().find(|step| step.name == name).map_or(Duration::ZERO, |step| step.began)
    }

    /// One line for each step, and the total.
    pub(crate) fn report(&self) -> String {
        let line =
            |name: &str, took: Duration| format!("  {name:<26} {:>8.1} ms\n", took.as_secs_f64() * 1e3);
        let steps: String = self.steps().iter().map(|step| line(step.name, step.took)).collect();
        let memory = |bytes: u64| format!("  {:<26} {:>8.1} MB\n", "peak memory", bytes as f64 / 1e6);
        steps + &line("total", self.started.elapsed()) + &peak_memory().map(memory).unwrap_or_default()
    }
}

/// The most memory that this process has used at a time, in bytes. None if the system does not tell.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_counts_once() {
        let count = Count::default();
        count.expect(3, HashMap::from([(Mutant(2), 2)]));
        count.state().step = "simulate";
        count.settle(Mutant(1), true);
        count.settle(Mutant(1), true);
        assert_eq!(count.in_words(), "simulate: 1 of 3 mutants settled, 1 killed");
        count.settle(Mutant(2), false);
        assert_eq!(count.settled(), 1, "another subject has to look");
        count.settle(Mutant(2), false);
        assert_eq!(count.in_words(), "simulate: 2 of 3 mutants settled, 1 killed");
        count.settle(Mutant(2), true);
        assert_eq!(count.in_words(), "simulate: 2 of 3 mutants settled, 2 killed");
    }

    #[test]
    fn nothing_is_counted_until_the_mutants_are_known() {
        let count = Count::default();
        count.state().step = "compile";
        assert_eq!(count.in_words(), "compile");
        count.expect(3, HashMap::new());
        assert_eq!(count.in_words(), "compile: 0 of 3 mutants settled, 0 killed");
    }
}
