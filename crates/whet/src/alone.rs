//! Asks static functions themselves about mutants in them that no function settles that others can call.
//!
//! A test can call a static function if it includes the file. Such a call may be one that no caller in the
//! file makes. So the functions that others can call come first, and what they prove or kill is never asked
//! again. `settle::conclude_alone` says what becomes of the answers.

use std::collections::BTreeMap;

use ir::Mutant;
use settle::{Conclusion, Left, Settled, Subject, conclude_alone};
use stages::{Corpora, Hunt, Simulate};

use crate::cli::Static;
use crate::plan::Plan;
use crate::session::{Job, Session, Stint};

/// What static functions found out about mutants in them, and how much was left to find out.
pub(crate) type Alone = BTreeMap<Mutant, (Left, Settled)>;

impl Session<'_> {
    /// Asks about what is left, given what the functions found that others can call. Also returns how many
    /// answers were known.
    pub(crate) fn ask_alone(&self, through: impl Fn(Mutant) -> Conclusion) -> anyhow::Result<(Alone, usize)> {
        let (mut found, mut known) = (Alone::new(), 0);
        for left in [Left::All, Left::Limits] {
            let is_left = |mutant: &Mutant| self.plan.left(&through(*mutant)) == Some(left);
            let left_to = |subject: &Subject| {
                let mutants = subject.mutants.iter().copied().filter(is_left).collect();
                Subject { mutants, ..subject.clone() }
            };
            let subjects: Vec<Subject> = self.plan.alone.iter().map(left_to).collect();
            let subjects = subjects.iter().filter(|subject| !subject.mutants.is_empty());
            let corpora = Corpora::default();
            let stages = self.stages(&corpora, |stint| answers_to(left, stint));
            let names: Vec<&'static str> = stages.iter().map(settle::Stage::name).collect();
            let jobs = subjects.map(|subject| self.job(subject, subject, &names));
            let mut jobs: Vec<Job> = jobs.collect::<Result<_, _>>()?;
            known += jobs.iter().filter_map(|job| job.settled.as_ref()).map(Vec::len).sum::<usize>();
            // An input that no caller makes says nothing about the program.
            self.show(&mut jobs, &stages, &mut Vec::new());
            let settled = jobs.into_iter().filter_map(|job| job.settled).flatten();
            found.extend(settled.map(|settled| (settled.mutant, (left, settled))));
        }
        Ok((found, known))
    }
}

impl Plan<'_> {
    /// What is left of a mutant for the static function that it is in.
    fn left(&self, through: &Conclusion) -> Option<Left> {
        match (self.statics, through.left()?) {
            (Static::None, _) => None,
            (Static::Alone, left) => Some(left),
            (Static::All, _) => Some(Left::All),
        }
    }

    /// The conclusion with what the static function found that the mutant is in.
    pub(crate) fn with_alone(&self, through: Conclusion, mutant: Mutant, alone: &Alone) -> Conclusion {
        let Some((left, found)) = alone.get(&mutant) else { return through };
        let callers = self.mentioned_by(found.subject);
        conclude_alone(&self.unit.program, through, *left, found, &callers)
    }
}

/// Whether a stage is asked. Where there are limits, only a proof counts, and those come late: each is asked
/// once.
fn answers_to(left: Left, stint: Stint) -> bool {
    let looks_for_kills = [Simulate::NAME, Hunt::NAME].contains(&stint.name);
    left == Left::All || (!stint.again && !looks_for_kills)
}
