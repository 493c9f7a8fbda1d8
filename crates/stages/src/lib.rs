//! The ways of settling mutants, one file each.
//!
//! A stage opens no file and reads no clock: the same task gives the same claims on every machine.

mod assumptions;
mod bounded;
mod canonical;
mod encode;
mod inductive;
mod inputs;
mod invalid;
mod lockstep;
mod parametric;
mod premise;
mod simulate;
mod skeleton;
mod special;
mod sweep;

pub use assumptions::sharing;
pub use bounded::Bounded;
pub use canonical::Canonical;
pub use encode::compare::{Difference, difference};
pub use encode::{Bounds, Encoding, Judge, Numbers, Plan};
pub use inductive::{Inductive, Methods};
pub use inputs::{attacks, mixtures};
pub use parametric::Parametric;
pub use simulate::Simulate;
pub use skeleton::Skeleton;
pub use special::Special;
