//! The progress line and the clock: what the terminal shows while Whet works.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Counts settled mutants on the terminal, if there is one to draw on.
pub struct Line(ProgressBar);

impl Line {
    pub fn new(mutants: usize, quiet: bool) -> Line {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(mutants as u64), target);
        if let Ok(style) = ProgressStyle::with_template("  {pos}/{len} settled {wide_bar} {elapsed}") {
            bar.set_style(style);
        }
        Line(bar)
    }

    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl settle::Progress for Line {
    fn advance(&self, mutants: usize) {
        self.0.inc(mutants as u64);
    }
}

/// How long each step took.
pub struct Timings {
    started: Instant,
    steps: Vec<(&'static str, Duration)>,
}

impl Timings {
    pub fn new() -> Timings {
        Timings { started: Instant::now(), steps: vec![] }
    }

    /// Times a step. A step that happens again, adds up.
    pub fn step<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = work();
        let took = started.elapsed();
        match self.steps.iter_mut().find(|(step, _)| *step == name) {
            Some((_, total)) => *total += took,
            None => self.steps.push((name, took)),
        }
        result
    }

    /// One line for each step, and the total.
    pub fn report(&self) -> String {
        let total = ("total", self.started.elapsed());
        let lines = self.steps.iter().chain(std::iter::once(&total));
        lines.map(|(step, took)| format!("  {step:<24} {:>8.1} ms\n", took.as_secs_f64() * 1e3)).collect()
    }
}
