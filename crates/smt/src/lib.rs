//! Talking to solvers: is there an input on which all of these terms are true?
//!
//! Only this crate knows Bitwuzla and Z3. [`Solver`] is Bitwuzla in this process, for
//! the many queries of the stages. [`Process`] is any SMT-LIB solver beside it, for a
//! second opinion, and for questions that Bitwuzla does not understand.
//!
//! Always: a model is evaluated on our own terms before anyone sees it, so a bug in a
//! solver or in the translation cannot become a wrong `Sat`. A wrong `Unsat` is what
//! [`second_opinion`] is for.

mod engine;
mod model;
mod process;
mod reply;
mod solver;

pub use model::Model;
pub use process::{Process, Reply, second_opinion};
pub use solver::{Fuel, Solver};

/// What a solver says about a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// All terms of the query are true under this model.
    Sat(Model),
    /// No model makes all of them true.
    Unsat,
    /// Out of fuel, or beyond what the solver can do.
    Unknown,
}

/// The world is broken: what a solver did cannot be used as an answer.
#[derive(Debug, thiserror::Error)]
pub enum SmtError {
    #[error("{solver} gave a model under which term {term} of the query is false")]
    WrongModel { solver: String, term: String },
    #[error("cannot run the solver `{program}`: {source}; is it installed?")]
    NotFound { program: String, source: std::io::Error },
    #[error("the solver `{program}` died ({status}): {message}")]
    Died { program: String, status: std::process::ExitStatus, message: String },
    #[error("the solver `{program}` was asked for sat, unsat or unknown and answered `{answer}`")]
    Garbage { program: String, answer: String },
    #[error("the solver `{program}` was stopped with the run")]
    Stopped { program: String },
    #[error("the solver `{program}` was stopped after {} s", .guard.as_secs_f64())]
    TimedOut { program: String, guard: std::time::Duration },
}
