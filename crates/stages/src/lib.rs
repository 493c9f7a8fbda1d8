//! The ways of settling mutants.
//!
//! A stage opens no file and reads no clock: the same task gives the same claims on every machine.
//!
//! From the ground up, each layer knows only those below it:
//!
//! | layer | what it is |
//! | --- | --- |
//! | `memory` | the objects of a run, as terms |
//! | `inputs` | inputs worth trying, simplest first |
//! | `skeleton` | all inputs of a subject at once, as variables in memory |
//! | `encode` | what a subject does with its inputs, as terms; how two encodings differ |
//! | `assumptions`, `invalid`, `premise`, `lockstep`, `rounds`, `sweep` | what several stages need |
//! | `simulate`, `hunt`, `canonical`, `inductive`, `bounded`, `parametric`, `special` | the stages |
//!
//! No stage knows another. `parametric` is given provers, and asks them (`premise`).

mod assumptions;
mod bounded;
mod canonical;
mod encode;
mod hunt;
mod inductive;
mod inputs;
mod invalid;
mod lockstep;
mod memory;
mod parametric;
mod premise;
mod rounds;
mod simulate;
mod skeleton;
mod special;
mod sweep;

pub use bounded::Bounded;
pub use canonical::{Canonical, Optimiser};
pub use encode::compare::{Difference, difference};
pub use encode::{Bounds, Encoding, Names, Plan, Request};
pub use hunt::{Corpora, Guidance, Hunt, Patience, Runner};
pub use inductive::{Inductive, Methods};
pub use inputs::{attacks, mixtures};
pub use parametric::Parametric;
pub use premise::{Premise, Prover};
pub use rounds::Round;
pub use simulate::Simulate;
pub use skeleton::Skeleton;
pub use special::Special;
