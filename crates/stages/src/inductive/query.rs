//! Questions of an induction to a solver.

use std::rc::Rc;

use bv::{Term, Word, smtlib};
use rustc_hash::FxHashSet;
use settle::{Obligation, Open};
use smt::{Answer, Fuel};

use super::SEARCHED;
use super::induction::Induction;
use crate::memory::{FirstRead, FirstWords};

/// A query over more terms than this is too large.
const LARGEST: usize = 10_000;

/// What came of a query.
pub(super) enum Checked {
    /// It is never true.
    Never,
    /// It is true under this assignment.
    Under(Vec<Word>),
    /// It was too hard, or the solver broke.
    TooHard,
}

impl Induction<'_> {
    /// Asks, as long as there is patience.
    pub(super) fn check(&mut self, query: Term) -> Checked {
        if self.patience == 0 {
            return Checked::TooHard;
        }
        // What a solver has learnt from other queries may lead it astray. One that gave up starts anew.
        let answer = match self.check_with(query, self.fuel) {
            Checked::TooHard => self.check_with(query, self.fuel),
            answer => answer,
        };
        self.patience -= u32::from(matches!(answer, Checked::TooHard));
        answer
    }

    pub(super) fn check_with(&mut self, query: Term, fuel: Fuel) -> Checked {
        let query = self.with_reads(query);
        if self.terms.is_never(query) {
            return Checked::Never;
        }
        if self.terms.lack().is_some() || self.terms.cone(&[query]).len() > LARGEST {
            return Checked::TooHard;
        }
        match self.solver.check(&self.terms, &[query], fuel) {
            Ok(Answer::Unsat) => Checked::Never,
            Ok(Answer::Sat(model)) => Checked::Under(model.words().to_vec()),
            Ok(Answer::Unknown) => {
                let open = match self.solver.is_too_large() {
                    true => Open::OutOfMemory,
                    false => Open::OutOfFuel(format!("the search for {SEARCHED}")),
                };
                self.too_hard.get_or_insert(open);
                Checked::TooHard
            }
            Err(_) => Checked::TooHard,
        }
    }

    /// What another solver has to refute.
    pub(super) fn obligations(&mut self, refuted: &[Term]) -> Vec<Obligation> {
        let roots: Vec<Term> = self.lemmas.iter().chain(refuted).copied().collect();
        let roots: Vec<Term> = roots.into_iter().map(|root| self.with_reads(root)).collect();
        roots.iter().map(|root| Obligation(smtlib::script(&self.terms, &[*root]))).collect()
    }

    /// A query, with the fact that two reads of the same object at the same offset find the same word.
    fn with_reads(&mut self, query: Term) -> Term {
        let given = self.inputs.first_words().cloned();
        let objects = self.heads.values().flat_map(|head| head.any.state.memory.objects());
        let all: Vec<Rc<FirstWords>> = given
            .chain(objects.filter_map(|(_, object)| Some(Rc::clone(&object.expanse.as_ref()?.start))))
            .collect();
        let mut whole = query;
        // An offset may itself have been read, so that more reads come in with each round.
        while !all.is_empty() {
            let cone: FxHashSet<Term> = self.terms.cone(&[whole]).into_iter().collect();
            let mut parts = vec![query];
            for words in &all {
                let reads: Vec<FirstRead> =
                    words.reads().into_iter().filter(|read| cone.contains(&read.word)).collect();
                for (at, one) in reads.iter().enumerate() {
                    for other in &reads[at + 1..] {
                        let together = self.terms.equal(one.offset, other.offset);
                        let same = self.terms.equal(one.word, other.word);
                        parts.push(self.terms.implies(together, same));
                    }
                }
            }
            let next = self.terms.all(parts);
            if next == whole {
                break;
            }
            whole = next;
        }
        whole
    }
}
