//! A sign for all who work: the run is to end.
//!
//! It is set once, from any thread, and never taken back. Work that burns fuel looks at it now and
//! then. It ends soon after, and whatever it finds then is not used: it would depend on the clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Copies share one sign.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Sign>);

#[derive(Debug, Default)]
struct Sign {
    is_set: AtomicBool,
    why: OnceLock<String>,
}

impl Stop {
    /// Asks all to end. What they do not come to is not reached: "within --time". The first reason counts.
    pub fn set(&self, why: &str) {
        self.0.why.get_or_init(|| why.to_string());
        self.0.is_set.store(true, Ordering::Release);
    }

    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Acquire)
    }

    /// Empty until it is set.
    pub fn why(&self) -> &str {
        self.0.why.get().map_or("", String::as_str)
    }

    /// For a solver that is written in another language. It lives as long as this copy.
    pub fn flag(&self) -> &AtomicBool {
        &self.0.is_set
    }
}
