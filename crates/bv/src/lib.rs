//! Words and terms: the arithmetic that everything else stands on.
//!
//! Knows no programs. A [`Word`] is a value, a [`Term`] stands for one, and the
//! operator table in [`op`] says what each operator means for both.

mod circuit;
mod confine;
mod domain;
mod evaluate;
pub mod float;
pub mod formula;
mod fuel;
mod leaves;
mod lower;
pub mod op;
mod range;
mod rewrite;
pub mod smtlib;
mod stop;
mod sums;
mod term;
mod walk;
mod word;

pub use confine::Confined;
pub use domain::{Concrete, Domain};
pub use evaluate::Evaluator;
pub use fuel::{Lack, Memory, Work};
pub use lower::{Builder, Lowered, Sort, lower};
pub use op::{Hazard, Op, Shape};
pub use stop::Stop;
pub use term::{Arguments, Node, Term, Terms, Variable};
pub use word::{MAX_WIDTH, Word};
