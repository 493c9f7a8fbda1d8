//! How often a run repeats something. A proof with bounded loops speaks of a
//! run only if it has followed that many rounds.

use std::collections::HashMap;

use super::Frame;

/// Counts how often each activation of a function comes back to a block, and how deep calls go.
#[derive(Default)]
pub struct Repeats {
    /// By activation, and by where the block lies: blocks do not move while a program runs.
    entered: HashMap<(u64, *const crate::Block), u32>,
    most: u32,
}

impl Repeats {
    /// No loop is repeated more often than this, and no calls are nested more deeply.
    pub fn most(&self) -> u32 {
        self.most
    }

    pub(super) fn enter(&mut self, frame: &Frame, callers: usize) {
        let before = self.entered.entry((frame.activation, std::ptr::from_ref(frame.block))).or_insert(0);
        self.most = self.most.max(*before).max(callers as u32);
        *before += 1;
    }
}
