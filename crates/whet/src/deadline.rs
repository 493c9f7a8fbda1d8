//! When a run must end: after `--time`, or when somebody interrupts it.
//!
//! The stages are [stopped](Stop) a little before the end, so that there is time to write
//! tests and reports for what is settled. Whoever writes them asks how much time is left.
//!
//! SIGINT (Ctrl-C) and SIGTERM do the same as the end of the time. A second signal ends
//! the run at once. The process that the user knows of only hands signals on (`guard.rs`),
//! so one Ctrl-C may arrive twice. Signals that follow each other closely count once.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bv::Stop;

use crate::guard;

/// The part of `--time` that is kept for tests and reports, and its limits. Measured on
/// cJSON.c with 6,500 mutants: choosing tests, building and trying them takes some seconds.
const WRITING: u32 = 5;
const LEAST: Duration = Duration::from_millis(500);
const MOST: Duration = Duration::from_secs(30);

/// How long writing may take after an interruption.
const INTERRUPTED: Duration = Duration::from_secs(2);

/// The parts of the time for writing after which tests are chosen as they come, and are no longer tried.
const NEAR: f64 = 0.3;
const OVER: f64 = 0.8;

/// Signals within this time are one.
const ONE_SIGNAL: Duration = Duration::from_millis(300);

/// How often somebody looks at the clock and for signals.
const LOOK: Duration = Duration::from_millis(20);

/// Signals that came so far.
static SIGNALS: AtomicU32 = AtomicU32::new(0);

/// The exit code of a run that was interrupted twice, as shells have it for Ctrl-C.
const INTERRUPTED_TWICE: i32 = 130;

#[derive(Clone, Default)]
pub(crate) struct Deadline {
    /// Says to the stages when to end.
    pub stop: Stop,
    /// When everything has to be done. None: there is no hurry.
    end: Arc<Mutex<Option<End>>>,
}

/// The time for writing.
#[derive(Clone, Copy)]
struct End {
    from: Instant,
    to: Instant,
}

impl Deadline {
    /// Begins to look at the clock and for signals.
    pub(crate) fn watch(began: Instant, time: Option<Duration>, quiet: bool) -> Deadline {
        let writing = |time: Duration| (time / WRITING).clamp(LEAST.min(time), MOST);
        // A time beyond what the clock can count never comes.
        let end = time.and_then(|time| {
            let to = began.checked_add(time)?;
            Some(End { from: to - writing(time), to })
        });
        let stop_at = end.map(|end| end.from);
        let deadline = Deadline { stop: Stop::default(), end: Arc::new(Mutex::new(end)) };
        guard::count_signals(&SIGNALS);
        let watched = deadline.clone();
        // Without this thread, a run cannot be ended early. Nothing worse happens.
        let _ = std::thread::Builder::new().spawn(move || watched.look(stop_at, quiet));
        deadline
    }

    fn look(&self, stop_at: Option<Instant>, quiet: bool) {
        let mut interrupted: Option<Instant> = None;
        let mut seen = 0;
        loop {
            std::thread::sleep(LOOK);
            let now = Instant::now();
            if stop_at.is_some_and(|stop_at| now >= stop_at) {
                self.stop.set("within --time");
            }
            let signals = SIGNALS.load(Ordering::Relaxed);
            if signals == seen {
                continue;
            }
            seen = signals;
            match interrupted {
                None => {
                    interrupted = Some(now);
                    self.stop.set("before the run was interrupted");
                    self.end_by(End { from: now, to: now + INTERRUPTED });
                    if !quiet {
                        tell();
                    }
                }
                Some(first) if now - first > ONE_SIGNAL => std::process::exit(INTERRUPTED_TWICE),
                Some(_) => {}
            }
        }
    }

    fn end_by(&self, end: End) {
        let mut known = self.end.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *known = Some(known.filter(|known| known.to < end.to).unwrap_or(end));
    }

    /// How much of the time for writing is used up: nothing at 0, all of it at 1.
    fn used(&self) -> f64 {
        let end = *self.end.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        end.map_or(0.0, |End { from, to }| {
            let used = Instant::now().saturating_duration_since(from);
            used.as_secs_f64() / (to - from).as_secs_f64().max(f64::EPSILON)
        })
    }

    /// Whether what only makes tests nicer has to be left out.
    pub(crate) fn is_near(&self) -> bool {
        self.used() >= NEAR
    }

    /// Whether there is no time left to try tests.
    pub(crate) fn is_over(&self) -> bool {
        self.used() >= OVER
    }
}

/// Says what happens after the first signal.
fn tell() {
    // On a terminal, the line shows progress, and what was typed.
    let start = if std::io::stderr().is_terminal() { "\n" } else { "" };
    eprintln!("{start}whet: interrupted: writing what is settled; interrupt again to end at once");
}

/// Reads a time such as `90s`, `5m` or `1h`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time: write it as in 90s, 5m or 1h");
    let unit = text.trim_end().chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        _ => return Err(wrong()),
    };
    let number = text.trim().strip_suffix(unit).ok_or_else(wrong)?;
    let number: f64 = number.trim_end().parse().map_err(|_| wrong())?;
    if !number.is_finite() || number <= 0.0 {
        return Err(wrong());
    }
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit() {
        let seconds = |text| time(text).ok().map(|time| time.as_secs_f64());
        assert_eq!(seconds("90s"), Some(90.0));
        assert_eq!(seconds("1.5m"), Some(90.0));
        assert_eq!(seconds("2 h"), Some(7200.0));
        for wrong in ["90", "s", "", "-1s", "0m", "1d", "infs", "5mm"] {
            assert!(time(wrong).is_err_and(|why| why.contains("90s, 5m or 1h")), "{wrong}");
        }
    }

    #[test]
    fn some_of_the_time_is_kept_for_writing() {
        let deadline = Deadline::watch(Instant::now(), Some(Duration::from_millis(1_000)), true);
        std::thread::sleep(Duration::from_millis(200));
        assert!(!deadline.stop.is_set());
        std::thread::sleep(Duration::from_millis(450));
        assert!(deadline.stop.is_set() && !deadline.is_over());
        assert_eq!(deadline.stop.why(), "within --time");
    }

    #[test]
    fn a_time_beyond_the_clock_never_comes() {
        let deadline = Deadline::watch(Instant::now(), Some(Duration::MAX), true);
        assert!(!deadline.stop.is_set() && !deadline.is_near());
    }

    #[test]
    fn without_a_time_there_is_no_hurry() {
        assert!(!Deadline::default().is_near());
        assert!(!Deadline::default().is_over());
    }
}
