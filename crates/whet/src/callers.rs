//! Asks the callers in the file about mutants that calls of their judges leave in doubt.
//!
//! A judge proves that a mutant is equivalent for calls that keep to its assumptions. Whether another
//! function of the file keeps to them is for that function to prove. And where a judge has found no
//! difference within its limits, a caller may kill the mutant: it may set up what no input of the judge has.
//!
//! What a caller says may be in doubt for the same reasons. Then its own callers are asked, and so on.

use std::collections::{BTreeMap, BTreeSet};

use ir::{FunctionId, Mutant};
use settle::{Doubt, Settled, Stage, Subject};
use stages::{Corpora, Hunt, Simulate};

use crate::session::{Job, Session, Stint};

/// What the callers of a subject are asked, about which mutant.
type Question = (FunctionId, Mutant, Doubt);

impl Session<'_> {
    /// What the callers found. Each caller is asked at most once about a mutant.
    pub(crate) fn ask_callers(&self, jobs: &[Job]) -> anyhow::Result<Vec<Settled>> {
        let mut asked: BTreeSet<(FunctionId, Mutant)> = BTreeSet::new();
        for Subject { function, mutants, .. } in &self.plan.subjects {
            asked.extend(mutants.iter().map(|mutant| (*function, *mutant)));
        }
        let judged: Vec<&Settled> = jobs.iter().filter_map(|job| job.settled.as_ref()).flatten().collect();
        let mut killed: BTreeSet<Mutant> = BTreeSet::new();
        let mut questions = doubts(judged, &mut killed);
        let mut found = Vec::new();
        loop {
            let subjects = self.askable(&questions, &killed, &mut asked);
            if subjects.is_empty() {
                return Ok(found);
            }
            // Of no other search: what this one keeps must not depend on which subjects were known before.
            let corpora = Corpora::default();
            let mut answers = Vec::new();
            for doubt in [Doubt::Proof, Doubt::Kill] {
                let stages = self.stages(&corpora, |stint| answers_to(doubt, stint));
                let names: Vec<&'static str> = stages.iter().map(Stage::name).collect();
                let subjects = subjects.iter().filter(|((asked, _), _)| *asked == doubt);
                let jobs = subjects.map(|(_, subject)| self.job(subject, subject, &names));
                let mut jobs: Vec<Job> = jobs.collect::<Result<_, _>>()?;
                // What keeps valid inputs away from a caller is said when it is a judge.
                self.show(&mut jobs, &stages, &mut Vec::new());
                answers.extend(jobs.into_iter().filter_map(|job| job.settled).flatten());
            }
            questions = doubts(&answers, &mut killed);
            found.extend(answers);
        }
    }

    /// The callers that are still to be asked, each as a subject with the mutants in question.
    fn askable(
        &self,
        questions: &[Question],
        killed: &BTreeSet<Mutant>,
        asked: &mut BTreeSet<(FunctionId, Mutant)>,
    ) -> BTreeMap<(Doubt, FunctionId), Subject> {
        let mut subjects: BTreeMap<(Doubt, FunctionId), Subject> = BTreeMap::new();
        for (subject, mutant, doubt) in questions.iter().filter(|(_, mutant, _)| !killed.contains(mutant)) {
            for caller in self.plan.callers.get(subject).into_iter().flatten() {
                if asked.insert((*caller, *mutant)) {
                    let subject = || Subject::alone(*caller, vec![]);
                    subjects.entry((*doubt, *caller)).or_insert_with(subject).mutants.push(*mutant);
                }
            }
        }
        subjects.values_mut().for_each(|subject| subject.mutants.sort());
        subjects
    }
}

/// Whether a stage is asked. Callers can be large, so none comes twice. With the second round of fuel, twenty
/// lines with two loops took 34 s for three mutants, and were as limited as without it.
fn answers_to(doubt: Doubt, stint: Stint) -> bool {
    let looks_for_kills = [Simulate::NAME, Hunt::NAME].contains(&stint.name);
    !stint.again && (doubt == Doubt::Proof || looks_for_kills)
}

/// What is in doubt. Adds the mutants that are killed.
fn doubts<'a>(found: impl IntoIterator<Item = &'a Settled>, killed: &mut BTreeSet<Mutant>) -> Vec<Question> {
    let mut questions = Vec::new();
    for settled in found {
        match settled.doubt() {
            Some(doubt) => questions.push((settled.subject, settled.mutant, doubt)),
            None if settled.is_killed() => drop(killed.insert(settled.mutant)),
            None => {}
        }
    }
    // A proof answers both.
    questions.sort_by_key(|(_, _, doubt)| *doubt);
    questions
}
