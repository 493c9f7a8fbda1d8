//! The small language that Whet reasons about, and its meaning.
//!
//! Knows no LLVM, no solver and no mutation operator. The [interpreter](interpret) is the
//! definition: all else is tested against it.

mod command_line;
mod ctype;
pub mod engine;
mod escape;
mod fault;
mod input;
mod instruction;
pub mod interpret;
mod liveness;
pub mod machine;
pub mod memory;
mod observation;
pub mod observe;
pub mod order;
mod path;
mod printed;
mod program;
#[cfg(any(test, feature = "random"))]
pub mod random;
mod reach;
mod related;
pub mod rules;
mod same_code;
mod sighting;
mod site;
mod special;
pub mod step;
mod text;
mod verify;

pub use command_line::{MAIN, is_command_line, is_main, make_command_line, takes_command_line};
pub use ctype::*;
pub use escape::{Escapes, is_fixed, looks_at_addresses, named_globals};
pub use fault::{Effect, Fault};
pub use input::*;
pub use instruction::*;
pub use interpret::{Infection, Outcome, Run, is_settled, repeats, run};
pub use liveness::live_in;
pub use observation::*;
pub use order::{Component, ComponentId, Key, Order, order};
pub use path::{Path, paths};
pub use printed::{Printed, Stream, may_print};
pub use program::*;
pub use reach::{candidates, led_to, reachable, reachable_externals};
pub use related::{compared, related};
pub use same_code::SameCode;
pub use sighting::{Batch, Compared, Different, Feature, Shows, Sighting};
pub use site::*;
pub use source::Position;
pub use special::{ByteClass, Condition, SpecialCase};
pub use text::{ParseError, parse};
pub use verify::{Flaw, verify};
