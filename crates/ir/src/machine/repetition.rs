//! Seeing that a loop has come back to where it was.
//!
//! Only memory and the registers of an activation decide how it goes on. If it enters a block
//! twice with the same registers, and memory was not touched, it will do so for ever. One state
//! is kept to compare with. A later one replaces it after 32 blocks, 64, 128, …. So a cycle of
//! any length is seen within a few times its length, for one comparison a round (Brent, 1980).
//!
//! Each cycle goes back once, to a block that lies before the one that is left, or is the same.
//! Only there is a state kept or compared: a long function without loops has many registers.

use super::Frame;
use crate::Block;

/// Loops of fewer blocks than this are not worth a copy of the registers.
const FIRST: u64 = 32;

pub(super) struct Repetition<S> {
    /// Blocks entered so far.
    blocks: u64,
    /// When to keep the next state.
    next: u64,
    kept: Option<State<S>>,
}

struct State<S> {
    activation: u64,
    /// Where the block lies: blocks do not move while a program runs.
    block: *const Block,
    registers: Vec<S>,
    /// Of memory.
    version: u64,
}

impl<S> Default for Repetition<S> {
    fn default() -> Repetition<S> {
        Repetition { blocks: 0, next: 0, kept: None }
    }
}

impl<S: Clone + PartialEq> Repetition<S> {
    /// Whether this activation has entered its block, coming from another one, with these registers before.
    /// A yes is always right; a no may turn into a yes later.
    pub(super) fn is_seen(&mut self, from: &Block, frame: &Frame, registers: &[S], version: u64) -> bool {
        self.blocks += 1;
        // The blocks of a function lie in one piece.
        let goes_back = std::ptr::from_ref(frame.block) <= std::ptr::from_ref(from);
        if !goes_back || self.blocks < FIRST {
            return false;
        }
        let seen = self.kept.as_ref().is_some_and(|state| {
            state.activation == frame.activation
                && std::ptr::eq(state.block, frame.block)
                && state.version == version
                && state.registers == registers
        });
        if self.blocks >= self.next {
            self.next = 2 * self.blocks;
            self.kept = Some(State {
                activation: frame.activation,
                block: frame.block,
                registers: registers.to_vec(),
                version,
            });
        }
        seen
    }
}
