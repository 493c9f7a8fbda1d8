//! The ways of settling mutants, one file each.
//!
//! A stage opens no file and reads no clock: the same task gives the same claims on every machine.

mod bounded;
mod encode;
mod inputs;
mod simulate;
mod sweep;

pub use bounded::Bounded;
pub use encode::{Bounds, Encoding, Plan};
pub use inputs::attacks;
pub use simulate::Simulate;
