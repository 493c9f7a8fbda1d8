//! The choice of tests: which inputs kill which values, by runs, and which kills the most.

use bv::Word;
use ir::{Input, Mutant, Outcome, run};
use settle::{Shown, Task, outcomes_differ};
use smt::{Answer, Fuel};

use super::{Candidate, Kill, Search};

/// So many candidates are tried with more patience.
const SLOW: usize = 12;

/// A run on a value of the sample may take so many blocks.
const PATIENCE: u64 = 2_000;

/// Fuel for one more value that a test might kill.
const QUICK: Fuel = Fuel(200);

/// So many more values are tried.
const WIDENED: usize = 6;

/// In a formula of so many terms.
const SMALL: usize = 400;

impl Search<'_> {
    /// What the original does on an input, if the input is valid.
    pub(super) fn observed(&self, input: Input) -> Option<Candidate> {
        let Task { program, subject, limits, .. } = *self.task;
        let original = run(program, subject, Mutant::ORIGINAL, &input, limits.original).outcome;
        matches!(original, Outcome::Returned(_)).then_some(Candidate { input, original })
    }

    /// The candidate that kills this value, and as many others of the sample as possible.
    pub(super) fn best(&self, value: Word) -> Option<Kill> {
        self.best_of(Some(value), Shown::in_any_build).or_else(|| self.best_of(Some(value), |_| true))
    }

    /// The candidate that kills the most of the sample, of those that show it like this. If a value is
    /// wanted, it has to kill that.
    pub(super) fn best_of(&self, wanted: Option<Word>, shows: fn(Shown) -> bool) -> Option<Kill> {
        // A simple input that kills nearly as many is better than one that nobody would have thought of.
        let slack = self.sample.len() / 20;
        let kills = |candidate: &Candidate, value: Word| self.shown(candidate, value).is_some_and(shows);
        let mut best: Option<(usize, Kill)> = None;
        for candidate in &self.candidates {
            if wanted.is_some_and(|value| !kills(candidate, value)) {
                continue;
            }
            let killed: Vec<Word> =
                self.sample.iter().copied().filter(|value| kills(candidate, *value)).collect();
            let Some(first) = wanted.or(killed.first().copied()) else { continue };
            if best.as_ref().is_none_or(|(most, _)| killed.len() > most + slack || *most == 0) {
                best = Some((killed.len(), Kill { input: candidate.input.clone(), value: first }));
            }
        }
        best.map(|(_, kill)| kill)
    }

    /// An input that kills this value, and as many others of the sample as a solver finds one for.
    pub(super) fn widened(&mut self, input: Input, value: Word) -> Input {
        let Some(mut best) = self.observed(input.clone()) else { return input };
        let mut together: Vec<Word> = self.sample.clone();
        together.retain(|other| *other != value && self.kills(&best, *other));
        let mut others = self.sample.clone();
        others.retain(|other| *other != value && !together.contains(other));
        let any = self.killed_by_any();
        let Some(killed) = any.filter(|any| self.terms.cone(&[*any]).len() <= SMALL) else {
            return best.input;
        };
        let mut all = self.at(killed, value);
        for other in &together {
            let too = self.at(killed, *other);
            all = self.terms.and(all, too);
        }
        for other in others.into_iter().take(WIDENED) {
            if self.kills(&best, other) {
                continue;
            }
            let too = self.at(killed, other);
            let query = self.terms.and(all, too);
            let Ok(Answer::Sat(model)) = self.solver.check(&self.terms, &[query], QUICK) else { continue };
            let mut input = self.inputs.input(&self.terms, model.words());
            input.globals.retain(|(global, _)| *global != self.parametric.parameter);
            let Some(found) = self.observed(input) else { continue };
            if together.iter().chain([&other, &value]).all(|value| self.kills(&found, *value)) {
                (best, all) = (found, query);
                together.push(other);
            }
        }
        best.input
    }

    /// Whether an input kills a value.
    fn kills(&self, candidate: &Candidate, value: Word) -> bool {
        self.shown(candidate, value).is_some()
    }

    /// How it shows that an input kills a value, if it does.
    pub(super) fn shown(&self, candidate: &Candidate, value: Word) -> Option<Shown> {
        let outcome = self.run_with(candidate, value, PATIENCE);
        let original = &candidate.original;
        outcomes_differ(original, &outcome).then(|| Shown::by(original, &outcome))
    }

    /// What the mutant with this value does on an input.
    fn run_with(&self, candidate: &Candidate, value: Word, fuel: u64) -> Outcome {
        let Task { program, subject, .. } = *self.task;
        let input = self.parametric.with(&candidate.input, value);
        run(program, subject, self.parametric.mutant, &input, fuel).outcome
    }

    /// An input that kills a value, and takes its time for that.
    pub(super) fn slowly_killed(&self, value: Word) -> Option<Input> {
        let is_killed = |candidate: &&Candidate| {
            let outcome = self.run_with(candidate, value, self.task.limits.mutant);
            outcomes_differ(&candidate.original, &outcome)
                || matches!(outcome, Outcome::OutOfFuel | Outcome::Diverged)
        };
        let tests = self.tests();
        let mut tried = tests.iter().chain(self.candidates.iter().take(SLOW));
        tried.find(is_killed).map(|candidate| candidate.input.clone())
    }

    /// The tests so far, and what the original does on them.
    fn tests(&self) -> Vec<Candidate> {
        self.claim.tests.iter().filter_map(|(input, _)| self.observed(input.clone())).collect()
    }

    /// Drops values of the sample that tests kill: if only in some builds, or if only the formula has the
    /// patience to say so.
    pub(super) fn drop_killed(&mut self) {
        let tests = self.tests();
        let mut sample = std::mem::take(&mut self.sample);
        sample.retain(|value| !tests.iter().any(|test| self.kills(test, *value)));
        let left = self.left;
        sample.retain(|value| {
            let is_left = self.at(left, *value);
            !self.terms.is_never(is_left)
        });
        self.sample = sample;
    }
}
