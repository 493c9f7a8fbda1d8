//! Horn clauses: a solver is asked for the relation that we did not find.
//!
//! One predicate `P` for each pair of heads, over the states of both sides. `R` of `inductive.rs` is the one
//! that the solver finds, so its obligations become clauses, one for each segment of both:
//!
//!   (1) P(s, t) and clean, and both come to a pair in states s', t'   imply   P'(s', t')
//!   (2) P(s, t) and clean, and both neither meet nor end alike        imply   false
//!
//! From the entry, there is no premise `P(s, t)`. If the solver says that there are such predicates, original
//! and mutant are equal. Which ones they are, we need not know.
//!
//! After LLRêve (Felsing, Grebing, Klebanov, Rümmer, Ulbrich, 2014), with bit-vectors in place of numbers.

use std::collections::BTreeSet;
use std::time::Duration;

use bv::formula::not;
use bv::smtlib::horn::{Clause, Fact, horn};
use bv::{Domain, Term, Terms, Variable, Word};
use ir::step::Value;
use ir::{FunctionId, Mutant};
use rustc_hash::FxHashMap;
use smt::{Process, Reply};

use super::induction::{Induction, Lead, Proved};
use super::pairs::{Course, Meeting, Pair};
use crate::encode::Stop;

/// A guard, for a solver that hangs. Its fuel runs out long before.
const GUARD: Duration = Duration::from_secs(20);

/// More terms than this make a clause too large.
const LARGEST: usize = 3_000;

/// A way of both from one pair of heads to the next.
struct Way {
    /// None: from the entry.
    start: Option<usize>,
    condition: Term,
    /// The pair where it ends, and the states there; None: nowhere good.
    end: Option<(usize, Vec<Term>)>,
}

impl Induction<'_> {
    /// Whether a solver finds a relation.
    pub(super) fn horn(&mut self, solver: &Process, mutant: Mutant, function: FunctionId) -> Option<Proved> {
        let mut pairs = self.pairs(mutant, function)?;
        // The solver has to find all that relates the two.
        pairs.iter_mut().for_each(Pair::forget);
        let states: Vec<Vec<Variable>> = pairs.iter().map(|pair| self.state(pair)).collect();
        let ways = self.ways(mutant, function, &pairs, &states);
        let conditions: Vec<Term> = ways.iter().map(|way| way.condition).collect();
        let cone = self.terms.cone(&conditions);
        if cone.len() > LARGEST {
            return None;
        }
        let given: Vec<Term> = self
            .terms
            .variables()
            .take(self.inputs.variables)
            .map(|variable| self.terms.variable_term(variable))
            .filter(|term| cone.contains(term))
            .collect();
        let fact = |at: usize, state: Vec<Term>| Fact {
            predicate: at,
            arguments: given.iter().copied().chain(state).collect(),
        };
        let words = |variables: &[Variable]| -> Vec<Term> {
            variables.iter().map(|variable| self.terms.variable_term(*variable)).collect()
        };
        let clauses: Vec<Clause> = ways
            .into_iter()
            .map(|Way { start, condition, end }| Clause {
                premise: start.map(|at| fact(at, words(&states[at]))),
                condition,
                conclusion: end.map(|(at, arguments)| fact(at, arguments)),
            })
            .collect();
        let widths = |state: &Vec<Variable>| -> Vec<u32> {
            let given = given.iter().map(|term| self.terms.width(term));
            given.chain(state.iter().map(|variable| self.terms.variable_width(*variable))).collect()
        };
        let predicates: Vec<Vec<u32>> = states.iter().map(widths).collect();
        let script = horn(&self.terms, &predicates, &clauses)?;
        match solver.ask_until(&script, GUARD, self.task.stop) {
            Ok(Reply::Sat) => {
                let relation = "a relation that another solver found".to_string();
                Some(Proved { refuted: vec![], relation })
            }
            Ok(Reply::Unsat | Reply::Unknown) | Err(_) => None,
        }
    }

    /// All ways from pair to pair, and those that lead nowhere good.
    fn ways(
        &mut self,
        mutant: Mutant,
        function: FunctionId,
        pairs: &[Pair],
        states: &[Vec<Variable>],
    ) -> Vec<Way> {
        let mut ways: Vec<Way> = Vec::new();
        for start in std::iter::once(None).chain((0..pairs.len()).map(Some)) {
            let course = self.course(mutant, function, pairs, start);
            let clean = self.clean_course(&course, pairs);
            for (at, pair) in pairs.iter().enumerate() {
                if let Some((condition, arguments)) = self.arrives(&course, pair, &states[at]) {
                    let condition = self.terms.and(clean, condition);
                    ways.push(Way { start, condition, end: Some((at, arguments)) });
                }
            }
            let good = self.good(&course, pairs, Lead::None);
            let condition = self.terms.and(clean, not(good));
            ways.push(Way { start, condition, end: None });
        }
        ways
    }

    /// The variables that the states at a pair of heads are made of.
    fn state(&mut self, pair: &Pair) -> Vec<Variable> {
        let words = self.words(pair);
        let cone: BTreeSet<Term> = self.terms.cone(&words).into_iter().collect();
        let own = self.terms.variables().skip(self.inputs.variables);
        own.filter(|variable| cone.contains(&self.terms.variable_term(*variable))).collect()
    }

    /// All words of the states at a pair of heads.
    fn words(&self, pair: &Pair) -> Vec<Term> {
        let original = &self.heads[&pair.original].any;
        let values = original.values.iter().chain(&pair.any.values).flatten().copied();
        let objects = original.state.memory.objects();
        let tiles = objects.filter(|(_, object)| !object.constant).flat_map(|(_, object)| object.tiles());
        let tiles = tiles.map(|(_, value)| *value);
        values.chain(tiles).flat_map(|value| std::iter::once(value.word).chain(value.undefined)).collect()
    }

    /// Where both come to a pair of heads: the condition, and the variables that the states are made of
    /// there.
    fn arrives(&mut self, course: &Course, pair: &Pair, state: &[Variable]) -> Option<(Term, Vec<Term>)> {
        let Meeting { met, original: ours, mutant: theirs } = self.meets(course, pair, Lead::None)?;
        let mut renamed = FxHashMap::default();
        let mut arguments = Vec::new();
        for variable in state {
            let name = format!("{}'", self.terms.variable_name(*variable));
            let width = self.terms.variable_width(*variable);
            let term = self.terms.variable_term(*variable);
            let next = self.terms.variable(&name, width);
            renamed.insert(term, next);
            arguments.push(next);
        }
        let original = self.heads[&pair.original].any.clone();
        let mut facts = vec![met];
        facts.extend(self.becomes(&original, &ours, true, &mut renamed)?);
        // Memory is the same.
        facts.extend(self.becomes(&pair.any, &theirs, false, &mut renamed)?);
        Some((self.terms.all(facts), arguments))
    }

    /// A state, with other variables in it, is the one at a stop.
    fn becomes(
        &mut self,
        any: &Stop,
        stop: &Stop,
        memory: bool,
        renamed: &mut FxHashMap<Term, Term>,
    ) -> Option<Vec<Term>> {
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        let mut add = |terms: &mut Terms, any: Value<Term>, value: Value<Term>| {
            pairs.push((any.word, value.word));
            if let Some(mask) = any.undefined {
                let nothing = terms.constant(Word::zero(terms.width(&mask)));
                pairs.push((mask, value.undefined.unwrap_or(nothing)));
            } else if value.undefined.is_some() {
                return false;
            }
            true
        };
        for (any, value) in any.values.iter().zip(&stop.values) {
            if let (Some(any), Some(value)) = (any, value)
                && !add(&mut self.terms, *any, *value)
            {
                return None;
            }
        }
        for (number, object) in any.state.memory.objects().filter(|(_, object)| memory && !object.constant) {
            let there = stop.state.memory.get(number)?;
            for (at, tile) in object.tiles() {
                let bytes = self.terms.width(&tile.word) / 8;
                let value = there.read(&mut self.terms, at, bytes);
                if !add(&mut self.terms, *tile, value) {
                    return None;
                }
            }
        }
        let mut facts = Vec::new();
        for (any, value) in pairs {
            let any = self.terms.rebuild(any, renamed);
            facts.push(self.terms.equal(any, value));
        }
        Some(facts)
    }
}
