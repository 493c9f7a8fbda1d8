//! The small language that Whet reasons about, and its meaning.
//!
//! Knows no LLVM, no solver and no mutation operator. The [interpreter](interpret) is the
//! definition: all else is tested against it.

pub mod interpret;
mod liveness;
pub mod order;
mod program;
#[cfg(any(test, feature = "random"))]
pub mod random;
pub mod step;
mod text;
mod verify;

pub use interpret::{Infection, Input, Outcome, Run, run};
pub use liveness::live_in;
pub use order::{Component, ComponentId, Key, Order, order};
pub use program::*;
pub use source::Position;
pub use text::{ParseError, parse};
pub use verify::{Flaw, verify};
