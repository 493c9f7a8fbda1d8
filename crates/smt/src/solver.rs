//! The solver: Bitwuzla in this process, incremental, on a budget of fuel.
//!
//! One solver serves many queries over one term graph. What they share is translated and bit-blasted once,
//! and CaDiCaL keeps what it has learnt. But the circuits of earlier queries stay in CaDiCaL too, and a model
//! must satisfy them all. So a solver grows slower with age: a trivial query after a hard one can burn
//! thousands of units. Therefore the engine is thrown away after some queries, and after each one that ran
//! out of fuel.
//!
//! Circuits are fuel as well. They are paid for before they are made, and a query whose circuit would need
//! more memory than there is gets no answer.
//!
//! The same queries in the same order on a new solver give the same answers, on every machine. In another
//! order they may give other models, and `Unknown` elsewhere, because the solver has learnt something else.
//! So the order must not depend on which thread is faster.

use bv::{Builder, Domain, Lowered, Memory, Node, Op, Sort, Stop, Term, Terms, lower};
use rustc_hash::FxHashMap;

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
    /// in several. Bit-blasting does not look: gates are paid for by themselves ([`GATES_PER_LOOK`]).
    pub const DEFAULT: Fuel = Fuel(20_000);
}

/// Queries that one engine answers. Measured on 130 mutants of the triangle program
/// (examples/measure.rs, terms not rewritten), in ms of CPU per query: a new engine for each 4.6,
/// after 5 queries 2.0, after 10 2.1, after 20 2.4, after 40 2.6, never 2.9, and 4.5 for the
/// same queries a second time.
const QUERIES_PER_ENGINE: u32 = 10;

/// So many gates cost as much fuel as a look. Measured: half a million gates are made in a second, and some
/// 5,000 looks taken.
const GATES_PER_LOOK: u64 = 100;

/// If more products than this are factors of each other, one in the other, they are not normalised. Bitwuzla
/// multiplies out what it normalises, and does not look at its fuel meanwhile. Measured for words of 64 bits,
/// with a sum of two such products in each factor: 0.6 s for 3 of them, 2 s for 5, 14 s for 7, more than a
/// minute for 8.
const NESTED: u32 = 3;

pub struct Solver {
    engine: Engine,
    /// Whether the engine brings sums and products into one form first.
    normalises: bool,
    stop: Stop,
    /// The gates that the engine has made.
    gates: u64,
    /// What the graph and the engine may need together.
    memory: Memory,
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
    /// What all checks to come may use together, for the search and for circuits.
    left: Fuel,
    /// Whether the last check needed more memory than there is.
    is_too_large: bool,
}

impl Solver {
    pub fn new() -> Solver {
        Solver::until(&Stop::default(), Memory::UNLIMITED)
    }

    /// A solver that ends a check, with `Unknown`, soon after it is stopped, or if it needs more memory than
    /// this.
    pub fn until(stop: &Stop, memory: Memory) -> Solver {
        Solver {
            engine: Engine::new(stop, true),
            normalises: true,
            stop: stop.clone(),
            gates: 0,
            memory,
            age: 0,
            done: Lowered::default(),
            latest: None,
            facts: vec![],
            known: 0,
            burnt: Fuel(0),
            left: Fuel(u64::MAX),
            is_too_large: false,
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
        self.is_too_large = false;
        let query: Vec<Term> = self.facts.iter().chain(assumptions).copied().collect();
        let open = |term: &&Term| terms.known(term).is_none();
        if query.iter().any(|term| terms.known(term).is_some_and(|word| word.is_zero())) {
            return Ok(Answer::Unsat);
        }
        if query.iter().find(open).is_none() {
            return Ok(Answer::Sat(Model::checked(terms, &[], NAME, |_| None)?));
        }

        let normalises = nesting(terms, &query) <= NESTED;
        if self.age >= QUERIES_PER_ENGINE || self.normalises != normalises {
            self.normalises = normalises;
            self.renew();
        }
        if self.left == Fuel(0) {
            return Ok(Answer::Unknown);
        }
        if !self.affords(terms, &query) {
            self.is_too_large = true;
            return Ok(Answer::Unknown);
        }
        self.age += 1;
        let facts = self.facts[self.known..].to_vec();
        for fact in self.translate(terms, &facts) {
            self.engine.assert(fact);
        }
        self.known = self.facts.len();
        let assumptions: Vec<Term> = assumptions.iter().filter(open).copied().collect();
        let raw = self.translate(terms, &assumptions);
        let (outcome, polls) = self.engine.check(&raw, fuel.min(self.left).0);
        self.burnt = Fuel(polls);
        self.left.0 = self.left.0.saturating_sub(polls);
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

    /// What the last check used up, for the search alone.
    pub fn burnt(&self) -> Fuel {
        self.burnt
    }

    /// All checks from now on may use so much together, for the search and for circuits. Without fuel, every
    /// answer is `Unknown`.
    pub fn allow(&mut self, fuel: Fuel) {
        self.left = fuel;
    }

    /// What is left of that.
    pub fn left(&self) -> Fuel {
        self.left
    }

    /// Whether the last check ended because its circuit needs more memory than there is.
    pub fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// Pays for the gates that a query needs. An engine that has no room left for them is thrown away.
    fn affords(&mut self, terms: &Terms, query: &[Term]) -> bool {
        let cone = terms.cone(query);
        let is_new = |done: &Lowered<Raw>, term: Term| {
            !done.contains_key(&(term, Sort::Bits)) && !done.contains_key(&(term, Sort::Float))
        };
        let new = |done: &Lowered<Raw>| -> u64 {
            let new = cone.iter().filter(|term| is_new(done, **term));
            new.map(|term| terms.own_gates(*term)).sum()
        };
        let most = self.memory.gates_beside(terms.len());
        let mut more = new(&self.done);
        if self.gates.saturating_add(more) > most {
            self.renew();
            more = new(&self.done);
        }
        if more > most {
            return false;
        }
        self.gates += more;
        self.left.0 = self.left.0.saturating_sub(more / GATES_PER_LOOK);
        true
    }

    fn renew(&mut self) {
        self.gates = 0;
        self.engine = Engine::new(&self.stop, self.normalises);
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

/// How deep products are nested, with anything in between. To multiply with a number does not count.
fn nesting(terms: &Terms, query: &[Term]) -> u32 {
    let mut depths: FxHashMap<Term, u32> = FxHashMap::default();
    let mut deepest = 0;
    for term in terms.cone(query) {
        let Node::Apply(op, arguments) = terms.node(term) else { continue };
        let below = arguments.iter().filter_map(|argument| depths.get(argument)).max().copied().unwrap_or(0);
        let is_product = *op == Op::Mul && arguments.iter().all(|argument| terms.known(argument).is_none());
        let depth = below + u32::from(is_product);
        if depth > 0 {
            depths.insert(term, depth);
            deepest = deepest.max(depth);
        }
    }
    deepest
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

const NAME: &str = "Bitwuzla";
