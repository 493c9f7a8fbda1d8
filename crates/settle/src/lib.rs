//! Claims, the checker that tests them, and verdicts.
//!
//! Knows no technique. A [`Stage`] claims; the [`Checker`] decides; a [`Verdict`] is a
//! claim that survived, and there is no other way to make one. A buggy stage then costs
//! an open mutant, never a wrong line in a report.

mod alarm;
mod alike;
mod check;
mod claim;
mod keep;
mod own;
mod parametric;
mod replay;
mod shown;
mod shrink;
mod special;
mod stage;
mod subject;
mod suite;
mod survey;
mod vacuous;
mod verdict;

pub use alarm::{Alarm, Cause};
pub use alike::alike;
pub use check::{Checker, Native, NativeOutcome, Rejection, SecondOpinion};
pub use claim::{Claim, Granted, Kill, Obligation, Open, Proof};
pub use keep::Kept;
pub use own::{OwnKill, OwnTests};
pub use parametric::{KeptParametric, ParametricClaim, ParametricMutant, ParametricVerdict};
pub use replay::{Limits, Replay, kills, kills_all, observe, outcomes_differ, replay};
pub use shown::{Sanitiser, Shown};
pub use shrink::{complexity, shrink};
pub use special::Occurrence;
pub use stage::{CHECKER, Doubt, Forgetful, Leg, Notebook, Progress, Settled, Settling, Stage, Task, Twin};
pub use subject::{Subject, callers, subjects};
pub use suite::{InHurry, Look, Test, suite};
pub use survey::{Finding, Survey};
pub use vacuous::recall_findings;
pub use verdict::{Conclusion, Ending, Left, Proved, Verdict, conclude, conclude_alone, name_firsts};
