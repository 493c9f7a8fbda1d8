//! The formula of what is left: which values of the parameter each test kills.

use bv::formula::{ne, not};
use bv::{Domain, Term, Word};
use ir::{Input, Mutant};
use rustc_hash::FxHashMap;
use settle::Shown;
use smt::Answer;

use super::{Kill, Search};
use crate::encode::compare::difference;
use crate::encode::{Bounds, Names, Request};
use crate::skeleton::Skeleton;

/// Loops that the parameter keeps going are unrolled so far, where the rest of the input is known.
const BOUNDS: Bounds = Bounds { iterations: 40, blocks: 6_000 };

/// And so far where it is not.
const ANY: Bounds = Bounds { iterations: 3, blocks: 2_000 };

/// A question over more terms than this is not asked.
const LARGEST: usize = 4_000;

/// Which values of the parameter an input kills.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    killed: Term,
    /// In any build.
    plainly: Term,
}

/// What a test is there for.
pub(super) struct Purpose {
    seen: Seen,
    /// The values that are settled because a run of this test kills them.
    by_run: Vec<Word>,
}

impl Search<'_> {
    /// Takes an input for a test.
    pub(super) fn take(&mut self, kill: Kill) {
        let Kill { input, value } = kill;
        let Some(candidate) = self.observed(input.clone()) else { return };
        let seen = self.seen(&input);
        self.left = self.terms.and(self.left, not(seen.killed));
        self.purposes.push(Purpose { seen, by_run: vec![value] });
        let before = self.sample.len();
        let sample = std::mem::take(&mut self.sample);
        // A value that is killed in some builds only may be killed in all by another test.
        let shows = |value: &Word| self.shown(&candidate, *value).is_some_and(Shown::in_any_build);
        self.sample = sample.into_iter().filter(|value| !shows(value)).collect();
        self.alone = if before - self.sample.len() <= 1 { self.alone + 1 } else { 0 };
        // The formula may not see that the test kills it, but a run does.
        self.settle(value);
        self.claim.tests.push((input, value));
    }

    /// A value is settled because a run of this test, by position, kills it.
    pub(super) fn settle_by(&mut self, test: usize, value: Word) {
        self.purposes[test].by_run.push(value);
        self.settle(value);
    }

    /// A value is settled by itself.
    pub(super) fn settle(&mut self, value: Word) {
        self.left = self.terms.and(self.left, ne(self.parameter, Word::new(64, value.bits())));
        self.sample.retain(|it| *it != value);
    }

    /// What a formula over the parameter says of one value.
    pub(super) fn at(&mut self, formula: Term, value: Word) -> Term {
        let value = self.terms.constant(Word::new(64, value.bits()));
        self.terms.rebuild(formula, &mut FxHashMap::from_iter([(self.parameter, value)]))
    }

    /// Which values a test kills, as far as that can be told.
    fn seen(&mut self, input: &Input) -> Seen {
        let input = self.parametric.with(input, Word::zero(self.parametric.width));
        let words = self.inputs.assignment(&self.terms, &input);
        // A formula does not know what every C library makes of the input.
        let Some(words) = words.filter(|_| self.inputs.choice.is_none()) else {
            let never = self.terms.truth(false);
            return Seen { killed: never, plainly: never };
        };
        let variables: Vec<Term> =
            self.terms.variables().map(|it| self.terms.variable_term(it)).take(words.len()).collect();
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        for (variable, word) in variables.into_iter().zip(words) {
            let value = if variable == self.parameter { variable } else { self.terms.constant(word) };
            known.insert(variable, value);
        }
        let inputs = self.inputs.mapped(&mut |term| self.terms.rebuild(term, &mut known));
        self.killed(&inputs, BOUNDS)
    }

    /// An input is valid, and the mutant is seen to do something else.
    fn killed(&mut self, inputs: &Skeleton, bounds: Bounds) -> Seen {
        let Search { plan, terms, .. } = self;
        let mut names = Names::default();
        let request = |mutant| Request { inputs, mutant, bounds };
        let original = plan.encode(terms, &mut names, request(Mutant::ORIGINAL));
        let mutant = plan.encode(terms, &mut names, request(self.parametric.mutant));
        let difference = difference(terms, inputs, &original, &mutant);
        let fine = terms.not(original.fault);
        let seen = difference.is_seen(terms, &mutant);
        let killed = terms.all([inputs.constraint, fine, original.returned, seen]);
        let plainly = terms.and(killed, not(mutant.fault));
        Seen { killed, plainly }
    }

    /// Some input kills some value, if that is no large formula.
    pub(super) fn killed_by_any(&mut self) -> Option<Term> {
        if self.any.is_none() {
            let inputs = self.inputs.clone();
            self.any = Some(self.killed(&inputs, ANY).killed);
        }
        self.any.filter(|any| self.terms.cone(&[*any]).len() <= LARGEST)
    }

    /// Whether no input kills two of the values that are left, for all we know.
    pub(super) fn kills_singly(&mut self) -> bool {
        // This is not asked again soon.
        self.alone = 0;
        let Some(one) = self.killed_by_any() else { return false };
        let other_parameter = self.terms.variable("q", 64);
        let mut renamed = FxHashMap::from_iter([(self.parameter, other_parameter)]);
        let other = self.terms.rebuild(one, &mut renamed);
        let left = self.left;
        let other_left = self.terms.rebuild(left, &mut renamed);
        let apart = self.terms.ne(self.parameter, other_parameter);
        let query = self.terms.all([one, other, left, other_left, apart]);
        matches!(self.ask(query), Answer::Unsat) && self.are_many()
    }

    /// Whether more values are left than there may be tests.
    fn are_many(&mut self) -> bool {
        let mut left = self.left;
        for _ in self.claim.tests.len()..=self.stage.most {
            let Answer::Sat(model) = self.ask(left) else { return false };
            let value = self.terms.eval(self.parameter, model.words());
            left = self.terms.and(left, ne(self.parameter, value));
        }
        true
    }

    /// Leaves out tests if others kill all that they kill, and do so in any build.
    pub(super) fn prune(&mut self) {
        let mut at = 0;
        while at < self.claim.tests.len() && self.claim.tests.len() > 1 {
            let own = self.purposes[at].seen.killed;
            let mut spared = self.terms.truth(true);
            for other in (0..self.purposes.len()).filter(|other| *other != at) {
                spared = self.terms.and(spared, not(self.purposes[other].seen.plainly));
            }
            let needed = self.terms.and(own, spared);
            // A value that only a run has seen to die is in no formula.
            let by_run = self.purposes[at].by_run.clone();
            let is_covered = by_run.into_iter().all(|value| {
                let by_formula = self.at(own, value);
                self.terms.is_always(by_formula)
            });
            if is_covered && matches!(self.ask(needed), Answer::Unsat) {
                let obligations = self.obligation(needed);
                self.claim.obligations.extend(obligations);
                self.claim.tests.remove(at);
                self.purposes.remove(at);
            } else {
                at += 1;
            }
        }
    }
}
