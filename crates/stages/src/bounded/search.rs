//! The search for an input under which a formula is true, for formulas that are hard as they stand.
//!
//! Each way replaces the formula by others that are true for some input iff it is. They are tried in this
//! order: the formula itself, for a short time; with its sums sorted (`bv::sums`); with comparisons moved
//! into choices (`bv::leaves`); over small inputs, if there are no others (`bv::confine`); case by case, by
//! the round in which a loop of the mutant ends; swept (`sweep`).

use bv::formula::not;
use bv::{Confined, Domain, Node, Op, Term, Terms};
use ir::Input;
use rustc_hash::FxHashMap;
use smt::{Answer, Fuel, SmtError};

use super::query::{QUICK, Query};
use crate::rounds::Round;
use crate::sweep::{Miter, sweep};

/// A query over more terms than this is too large. The solver would be busy for seconds before it even begins
/// to search, and nothing counts that as fuel.
const LARGEST: usize = 10_000;

/// A query with so many gates is made smaller first, if it can be. A division of 32 bits has 12,000.
const HEAVY: u64 = 50_000;

/// So many cases, the ways out of a mutant's loops, are searched one by one. Where it is known in which round
/// a loop ends, offsets are numbers, and little is left of a query. But more cases than this take longer than
/// the whole.
const CASES: usize = 48;

/// What became of a search.
pub(super) enum Found {
    Input(Input),
    /// There is no input, because each of these is unsatisfiable.
    Nothing(Vec<Term>),
    OutOfFuel,
    OutOfMemory,
    Broken(String),
}

impl Query<'_> {
    pub(super) fn find(&mut self, root: Term, cases: &[Term], fuel: Fuel) -> Found {
        match self.find_somehow(root, cases, fuel.min(self.round.for_each(self.fuel))) {
            Found::OutOfFuel if self.is_too_large => Found::OutOfMemory,
            found => found,
        }
    }

    fn find_somehow(&mut self, root: Term, cases: &[Term], fuel: Fuel) -> Found {
        if self.terms.cone(&[root]).len() > LARGEST {
            return Found::OutOfFuel;
        }
        let quick = Fuel(self.fuel.0 / QUICK);
        let is_heavy = self.terms.gates(&[root]) > HEAVY;
        if is_heavy && let Some(found) = self.find_confined(root, fuel) {
            return found;
        }
        let sorted = self.terms.sort_sums(root);
        let first = if self.terms.known(&sorted).is_some() { sorted } else { root };
        if let Some(found) = self.find_as_is(first, quick) {
            return found;
        }
        if sorted != first
            && let Some(found) = self.find_as_is(sorted, quick)
        {
            return found;
        }
        if let Some(leaves) = self.terms.compare_leaves(root)
            && let Some(found) = self.find_as_is(leaves, quick)
        {
            return found;
        }
        if !is_heavy && let Some(found) = self.find_confined(root, fuel) {
            return found;
        }
        if self.round == Round::First {
            return Found::OutOfFuel;
        }
        if let Some(found) = self.find_by_cases(root, cases) {
            return found;
        }
        // A sweep costs far more than the fuel that is left then.
        if fuel <= quick {
            return Found::OutOfFuel;
        }
        let miter = Miter { valid: self.clean, original: &self.originals, root, samples: &self.samples };
        let mut swept = sweep(&mut self.terms, &mut self.solver, &miter);
        let answer = self.check(swept.root, fuel);
        swept.lemmas.push(swept.root);
        self.found(answer, swept.lemmas)
    }

    fn check(&mut self, root: Term, fuel: Fuel) -> Result<Answer, SmtError> {
        let answer = self.solver.check(&self.terms, &[root], fuel);
        self.is_too_large |= self.solver.is_too_large();
        answer
    }

    /// None if that is too hard.
    fn find_as_is(&mut self, root: Term, fuel: Fuel) -> Option<Found> {
        match self.check(root, fuel) {
            Ok(Answer::Unknown) => None,
            answer => Some(self.found(answer, vec![root])),
        }
    }

    /// Searches among small inputs. None if that is too hard, or if there may be others.
    fn find_confined(&mut self, root: Term, fuel: Fuel) -> Option<Found> {
        let Confined { root, outside } = self.terms.confine(root)?;
        match self.check(root, fuel) {
            Ok(Answer::Unknown) => None,
            answer => Some(self.found(answer, vec![root, outside])),
        }
    }

    /// Searches case by case, with what each case decides put in. The last case is that it is none of them.
    /// None if one is too hard.
    fn find_by_cases(&mut self, root: Term, cases: &[Term]) -> Option<Found> {
        let open = |case: &Term| self.terms.known(case).is_none();
        if !cases.iter().any(open) || cases.len() > CASES {
            return None;
        }
        let mut refuted = Vec::new();
        let mut rest = root;
        for case in cases {
            let mut decided = decisions(&mut self.terms, *case);
            let here = self.terms.rebuild(root, &mut decided);
            let here = self.terms.and(here, *case);
            rest = self.terms.and(rest, not(*case));
            refuted.push(here);
        }
        refuted.push(rest);
        for case in &refuted {
            match self.check(*case, Fuel(self.fuel.0 / QUICK)) {
                Ok(Answer::Unsat) => {}
                Ok(Answer::Unknown) => return None,
                answer => return Some(self.found(answer, vec![])),
            }
        }
        Some(Found::Nothing(refuted))
    }

    fn found(&self, answer: Result<Answer, SmtError>, refuted: Vec<Term>) -> Found {
        match answer {
            Ok(Answer::Sat(model)) => Found::Input(self.inputs.input(&self.terms, model.words())),
            Ok(Answer::Unsat) => Found::Nothing(refuted),
            Ok(Answer::Unknown) => Found::OutOfFuel,
            Err(error) => Found::Broken(error.to_string()),
        }
    }
}

/// The value of each part of a conjunction where all of it holds.
fn decisions(terms: &mut Terms, guard: Term) -> FxHashMap<Term, Term> {
    let (yes, no) = (terms.truth(true), terms.truth(false));
    let mut decided = FxHashMap::default();
    let mut waiting = vec![guard];
    while let Some(term) = waiting.pop() {
        if decided.insert(term, yes).is_some() {
            continue;
        }
        match terms.node(term) {
            Node::Apply(Op::And, arguments) => waiting.extend(arguments.iter()),
            Node::Apply(Op::Not, arguments) => drop(decided.insert(arguments[0], no)),
            _ => {}
        }
    }
    decided
}
