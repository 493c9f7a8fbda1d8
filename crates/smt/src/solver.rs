//! The solver: Bitwuzla in this process, incremental, on a budget of fuel.
//!
//! One solver serves many queries over one term graph. What they share is translated and
//! bit-blasted once, and CaDiCaL keeps what it has learnt. But the circuits of earlier
//! queries stay in CaDiCaL too, and a model must satisfy them all. So a solver grows slower
//! with age: a trivial query after a hard one can burn thousands of units. Therefore the
//! engine is thrown away after some queries, and after each one that ran out of fuel.
//!
//! The same queries in the same order on a new solver give the same answers, on every
//! machine. In another order they may give other models, and `Unknown` elsewhere, because the
//! solver has learnt something else. So the order must not depend on which thread is faster.

use bv::{Builder, Domain, Lowered, Node, Sort, Stop, Term, Terms, lower};

use crate::engine::{Engine, Raw, Result as Outcome};
use crate::{Answer, Model, SmtError};

/// The limit on one query: how often the solver may look whether it should stop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fuel(pub u64);

impl Fuel {
    /// For a query that nobody is desperate about: one second, ten if it multiplies.
    ///
    /// Bitwuzla looks once per round of preprocessing and once per call of the SAT solver;
    /// CaDiCaL at every eleventh decision, and now and then while it simplifies. Measured on
    /// division and factoring, one core at 2.4 GHz: 15,000 to 25,000 looks a second for
    /// 32 and 64 bit division, 5,000 for factoring 64 bits, 2,000 after a minute of that, when
    /// learnt clauses are many. The count was the same in each of 60 runs, in one process and
    /// in several. Bit-blasting does not look: a big circuit costs time before it costs fuel.
    pub const DEFAULT: Fuel = Fuel(20_000);
}

/// Queries that one engine answers. Measured on 130 mutants of the triangle program
/// (examples/measure.rs, terms not rewritten), in ms of CPU per query: a new engine for each 4.6,
/// after 5 queries 2.0, after 10 2.1, after 20 2.4, after 40 2.6, never 2.9, and 4.5 for the
/// same queries a second time.
const QUERIES_PER_ENGINE: u32 = 10;

pub struct Solver {
    engine: Engine,
    stop: Stop,
    /// Queries that the engine has answered.
    age: u32,
    /// What is translated already. A graph only grows, and a term keeps its number and its
    /// meaning, so an entry is never wrong later, as long as the graph is the same one.
    done: Lowered<Raw>,
    /// The latest term that was ever in `done`, and what it is made of: tells another graph from ours.
    latest: Option<(Term, Node)>,
    facts: Vec<Term>,
    /// How many of the facts the engine knows.
    known: usize,
    burnt: Fuel,
}

impl Solver {
    pub fn new() -> Solver {
        Solver::until(&Stop::default())
    }

    /// A solver that ends a check, with `Unknown`, soon after it is stopped.
    pub fn until(stop: &Stop) -> Solver {
        Solver {
            engine: Engine::new(stop),
            stop: stop.clone(),
            age: 0,
            done: Lowered::default(),
            latest: None,
            facts: vec![],
            known: 0,
            burnt: Fuel(0),
        }
    }

    /// Takes `fact`, a truth value, for true in all queries to come.
    pub fn assert(&mut self, terms: &Terms, fact: Term) {
        assert_eq!(terms.width(&fact), 1, "only truth values can be asserted");
        self.facts.push(fact);
    }

    /// Can all assumptions, which are truth values, be true at once (and all facts with them)?
    ///
    /// Always hand in the graph of the first call, grown or not.
    pub fn check(&mut self, terms: &Terms, assumptions: &[Term], fuel: Fuel) -> Result<Answer, SmtError> {
        for assumption in assumptions {
            assert_eq!(terms.width(assumption), 1, "only truth values can be assumed");
        }
        self.burnt = Fuel(0);
        let query: Vec<Term> = self.facts.iter().chain(assumptions).copied().collect();
        let open = |term: &&Term| terms.known(term).is_none();
        if query.iter().any(|term| terms.known(term).is_some_and(|word| word.is_zero())) {
            return Ok(Answer::Unsat);
        }
        if query.iter().find(open).is_none() {
            return Ok(Answer::Sat(Model::checked(terms, &[], NAME, |_| None)?));
        }

        if self.age >= QUERIES_PER_ENGINE {
            self.renew();
        }
        self.age += 1;
        let facts = self.facts[self.known..].to_vec();
        for fact in self.translate(terms, &facts) {
            self.engine.assert(fact);
        }
        self.known = self.facts.len();
        let assumptions: Vec<Term> = assumptions.iter().filter(open).copied().collect();
        let raw = self.translate(terms, &assumptions);
        let (outcome, polls) = self.engine.check(&raw, fuel.0);
        self.burnt = Fuel(polls);
        Ok(match outcome {
            Outcome::Sat => {
                let engine = &mut self.engine;
                Answer::Sat(Model::checked(terms, &query, NAME, |variable| engine.value(variable))?)
            }
            Outcome::Unsat => Answer::Unsat,
            Outcome::Unknown => {
                self.renew();
                Answer::Unknown
            }
        })
    }

    /// What the last check used up.
    pub fn burnt(&self) -> Fuel {
        self.burnt
    }

    fn renew(&mut self) {
        self.engine = Engine::new(&self.stop);
        self.done.clear();
        self.known = 0;
        self.age = 0;
    }

    fn translate(&mut self, terms: &Terms, roots: &[Term]) -> Vec<Raw> {
        if let Some((term, node)) = &self.latest {
            let same = term.index() < terms.len() && terms.node(*term) == node;
            assert!(same, "a solver serves one term graph");
        }
        lower(terms, roots, &mut self.engine, &mut self.done);
        if let Some(&root) = roots.iter().max()
            && self.latest.as_ref().is_none_or(|(latest, _)| *latest < root)
        {
            self.latest = Some((root, *terms.node(root)));
        }
        roots.iter().map(|root| self.done[&(*root, Sort::Bits)]).collect()
    }
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

const NAME: &str = "Bitwuzla";
