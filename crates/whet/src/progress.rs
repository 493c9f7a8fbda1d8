//! The progress line and the clock: what the terminal shows while Whet works.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use ir::Mutant;
use settle::{Claim, Stage, Task};

use crate::guard;

/// How often a plain line says how far it is: a sign of life in a log, not a log of its own.
const PLAIN: Duration = Duration::from_secs(5);

/// How often the bar is drawn while nothing happens.
const TICK: Duration = Duration::from_millis(200);

/// Shows on standard error how many mutants are settled: a bar if somebody watches, now and then a line if not.
pub(crate) struct Line {
    /// Counts also if it is not drawn.
    bar: ProgressBar,
    plain: Option<Mutex<Distance>>,
}

impl Line {
    pub(crate) fn new(mutants: usize, quiet: bool) -> Line {
        let watched = !quiet && std::io::stderr().is_terminal();
        let target = if watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(mutants as u64), target);
        if let Ok(style) = ProgressStyle::with_template("  {pos}/{len} settled {wide_bar} {pace} ") {
            let pace = |state: &ProgressState, out: &mut dyn Write| {
                let _ = out.write_str(&pace(state.pos(), state.per_sec(), state.eta()));
            };
            bar.set_style(style.with_key("pace", pace));
        }
        if watched {
            bar.enable_steady_tick(TICK);
        }
        let plain = (!quiet && !watched).then(|| Mutex::new(Distance { last: Duration::ZERO }));
        Line { bar, plain }
    }

    /// At least so many are done with, though some of them may have no claim.
    pub(crate) fn reach(&self, mutants: usize) {
        let missing = (mutants as u64).saturating_sub(self.bar.position());
        settle::Progress::advance(self, missing as usize);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl settle::Progress for Line {
    fn advance(&self, mutants: usize) {
        self.bar.inc(mutants as u64);
        let Some(plain) = &self.plain else { return };
        let due = plain.lock().is_ok_and(|mut plain| plain.is_due(self.bar.elapsed()));
        if due {
            let (settled, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let pace = pace(settled, self.bar.per_sec(), self.bar.eta());
            eprintln!("whet: {settled} of {all} settled {pace}");
        }
    }
}

/// The rate and the time left; nothing while there is nothing to go by.
fn pace(settled: u64, per_second: f64, estimate: Duration) -> String {
    let seconds = estimate.as_secs();
    match (settled, seconds) {
        (0, _) => String::new(),
        (_, 0..60) => format!("({per_second:.0}/s, {seconds} s left)"),
        _ => format!("({per_second:.0}/s, {} min left)", seconds.div_ceil(60)),
    }
}

/// When the next plain line is due.
struct Distance {
    last: Duration,
}

impl Distance {
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed >= self.last + PLAIN;
        if due {
            self.last = elapsed;
        }
        due
    }
}

/// A stage with a clock beside it.
pub(crate) struct Timed<'a> {
    stage: &'a dyn Stage,
    nanoseconds: AtomicU64,
}

impl<'a> Timed<'a> {
    pub(crate) fn new(stage: &'a dyn Stage) -> Timed<'a> {
        Timed { stage, nanoseconds: AtomicU64::new(0) }
    }

    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
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

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        let started = Instant::now();
        let subject = &task.program.function(task.subject).name;
        let part = format!("{} on {subject}", self.name());
        let claims = guard::attempt(&part, || self.stage.claims(task));
        let broken = || task.open.iter().map(|mutant| (*mutant, Claim::Open(guard::broken(self.name()))));
        let claims = claims.unwrap_or_else(|| broken().collect());
        self.nanoseconds.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
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

    /// Times a step. A step that happens again, adds up.
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
        steps + &line("total", self.started.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_keep_their_distance() {
        let mut plain = Distance { last: Duration::ZERO };
        let due = [1, 4, 5, 6, 9, 10, 30, 34].map(|second| plain.is_due(Duration::from_secs(second)));
        assert_eq!(due, [false, false, true, false, false, true, true, false]);
    }

    #[test]
    fn the_time_left_is_easy_to_read() {
        let shown = [0, 59, 60, 61, 3600].map(|second| pace(1, 2.5, Duration::from_secs(second)));
        let expect = ["0 s", "59 s", "1 min", "2 min", "60 min"].map(|time| format!("(2/s, {time} left)"));
        assert_eq!(shown, expect);
        assert_eq!(pace(0, 0.0, Duration::ZERO), "");
    }
}
