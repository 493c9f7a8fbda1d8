//! Parametric: a mutant with a parameter in it, and few tests that kill all of its values.
//!
//! The mutant reads a parameter `p` in place of a constant or a variable. It stands for many mutants,
//! one for each value `v` of `p`. Let `x1, …, xn` be the inputs of tests. For each there is a formula `Ki(p)`
//! such that `Ki(v)` implies that the test kills the mutant with `p = v`: mutant and original are encoded
//! with all but `p` known. Let
//!
//!   left(p) = p has its type, and not K1(p), …, and not Kn(p),
//!             and p != v for every v that was settled by itself
//!
//! A value is settled by itself if a run shows that a test kills it, or if a proof says that it is
//! equivalent. Claim: every value is killed by a test, or equivalent, if one of these holds:
//!
//!   (1) `left(p)` is unsatisfiable,
//!   (2) a prover shows that no valid input with `left(p)` tells mutant from original.
//!
//! Otherwise the provers look for an input that kills a value that is left: any of them, or if that is too
//! hard, one after the other. The input becomes a test. So it goes on until nothing is left, or until the
//! tests are too many.
//!
//! If several inputs kill a value, the test is the one that kills most of a sample of what is left
//! (`parametric/choice.rs`). The sample has values near the edges, where a comparison changes its mind.
//!
//! After section 5 of "Equivalence prover" pipelines, where parametric mutants were proposed and not built.

mod choice;
mod laborious;
mod left;
mod values;

use bv::{Term, Terms, Word, smtlib};
use ir::{Datum, Input, Outcome, Space};
use settle::ParametricMutant;
use settle::{Claim, Forgetful, Granted, Obligation, ParametricClaim, Proof, Shown, Task, shrink};
use smt::{Answer, Fuel, Solver};

use crate::encode::Plan;
use crate::inputs::sequence;
use crate::premise::{Premise, Prover};
use crate::skeleton::Skeleton;
use laborious::is_laborious;
use left::Purpose;
use values::{original, sample};

/// Inputs that are tried before a solver is asked.
const CANDIDATES: usize = 60;

/// Of so many inputs, the valid ones are candidates.
const LOOKED_AT: usize = 400;

/// The first two tests are taken as they come. Most mutants need no more.
const FEW: usize = 2;

/// So many equivalent values are listed.
const LISTED: usize = 4;

/// After so many tests that kill one value each of the sample, it is asked whether there are others.
const ALONE: usize = 2;

/// Fuel for each query about what is left, up to so many gates. A query with more gates gets less fuel, so
/// that it takes no longer.
const FUEL: Fuel = Fuel(5_000);
const GATES: u64 = 400_000;

/// A query with so many times more gates is not asked.
const FAR_TOO_MANY: u64 = 5;

pub struct Parametric {
    /// Those that are asked, in this order.
    pub provers: Vec<Box<dyn Prover>>,
    /// So many tests are enough.
    pub most: usize,
    /// Whether proofs carry their obligations, for another solver.
    pub obligations: bool,
}

impl Parametric {
    /// Finds the tests for a parametric mutant. These inputs are candidates, too.
    pub fn claim(&self, task: &Task, parametric: ParametricMutant, inputs: &[Input]) -> ParametricClaim {
        Search::new(self, task, parametric, inputs).map(Search::run).unwrap_or_default()
    }
}

/// A valid input, and what the original does on it.
#[derive(Clone)]
struct Candidate {
    input: Input,
    original: Outcome,
}

/// An input, and a value that it kills.
struct Kill {
    input: Input,
    value: Word,
}

/// What becomes of the values that no test has killed.
enum Found {
    /// An input kills one of them.
    Kill(Kill),
    /// All of them are equivalent, by this proof.
    Nothing(Proof),
    /// Nobody can say anything about this one, or about any if none is named.
    Unknown(Option<Word>),
}

struct Search<'a> {
    stage: &'a Parametric,
    task: &'a Task<'a>,
    parametric: ParametricMutant,
    /// The inputs, and the parameter.
    space: Space,
    plan: Plan<'a>,
    terms: Terms,
    solver: Solver,
    inputs: Skeleton<'a>,
    /// The variable that the parameter is, in 64 bits.
    parameter: Term,
    /// What holds of the parameter if its value is not settled.
    left: Term,
    /// The simplest first.
    candidates: Vec<Candidate>,
    /// Values that no test has killed yet.
    sample: Vec<Word>,
    /// How many of the last tests killed only one value of the sample.
    alone: usize,
    /// Whether solvers are not asked for inputs.
    is_laborious: bool,
    /// Whether nobody could say anything about all values at once.
    is_hard: bool,
    /// What each test is there for.
    purposes: Vec<Purpose>,
    /// Some input kills the value of the parameter; None: nobody has asked yet.
    any: Option<Term>,
    claim: ParametricClaim,
}

impl<'a> Search<'a> {
    /// None if the parameter is nowhere to be found.
    fn new(
        stage: &'a Parametric,
        task: &'a Task<'a>,
        parametric: ParametricMutant,
        others: &[Input],
    ) -> Option<Search<'a>> {
        let memory = task.limits.memory.share();
        let mut terms = Terms::within(memory);
        let mut globals = task.space.globals.clone();
        globals.push(parametric.parameter);
        globals.sort_unstable();
        let space = Space { globals, ..task.space.clone() };
        let inputs = Skeleton::new(task.program, task.subject, &space, &mut terms);
        let parameter = inputs.global(parametric.parameter)?;
        let value = terms.extract(parameter, parametric.width - 1, 0);
        let widened = if parametric.width < 64 { terms.zext(value, 64) } else { value };
        let left = terms.equal(parameter, widened);
        let mut search = Search {
            stage,
            task,
            parametric,
            space,
            plan: Plan::new(task.program),
            terms,
            solver: Solver::until(task.stop, memory),
            inputs,
            parameter,
            left,
            candidates: vec![],
            sample: sample(task, parametric),
            alone: 0,
            is_laborious: is_laborious(task),
            is_hard: false,
            purposes: vec![],
            any: None,
            claim: ParametricClaim::default(),
        };
        let tried = sequence(task.program, task.subject, task.space).take(LOOKED_AT);
        let valid = tried.filter_map(|input| search.observed(input));
        let others = others.iter().take(CANDIDATES).filter_map(|input| search.observed(input.clone()));
        search.candidates = valid.take(CANDIDATES).chain(others).collect();
        Some(search)
    }

    fn run(mut self) -> ParametricClaim {
        // The value that is there already changes nothing.
        if let Some(value) = original(self.task.program, self.parametric) {
            self.claim.equivalent.push(value);
            self.settle(value);
        }
        loop {
            let Kill { input, value } = match self.at_hand() {
                Some(kill) => kill,
                None => match self.find() {
                    Found::Kill(kill) => {
                        self.candidates.extend(self.observed(kill.input.clone()));
                        self.best(kill.value).unwrap_or(kill)
                    }
                    Found::Nothing(proof) => {
                        self.rely_on(proof);
                        self.list();
                        self.claim.complete = true;
                        self.prune();
                        return self.claim;
                    }
                    Found::Unknown(value) => {
                        self.claim.left = value;
                        return self.claim;
                    }
                },
            };
            let enough = self.claim.tests.len() >= self.stage.most;
            if enough || (self.alone >= ALONE && self.kills_singly()) {
                self.claim.singly = !enough;
                self.claim.left = Some(value);
                return self.claim;
            }
            let input = if self.claim.tests.len() < FEW { input } else { self.widened(input, value) };
            self.take(Kill { input, value });
        }
    }

    /// A candidate that kills a value of the sample: in any build, if there is one.
    fn at_hand(&mut self) -> Option<Kill> {
        self.best_of(None, Shown::in_any_build).or_else(|| {
            self.drop_killed();
            self.best_of(None, |_| true)
        })
    }

    /// An input that kills a value that is left, whichever it is; or one of the first few.
    fn find(&mut self) -> Found {
        for _ in 0..LISTED {
            let value = match self.another() {
                Ok(Some(value)) => value,
                Ok(None) => {
                    let obligations = self.obligation(self.left);
                    let method = "none is left".to_string();
                    return Found::Nothing(Proof { method, granted: Granted::default(), obligations });
                }
                Err(TooHard) => return Found::Unknown(None),
            };
            if let Some(input) = self.slowly_killed(value) {
                match self.claim.tests.iter().position(|(test, _)| *test == input) {
                    Some(test) => self.settle_by(test, value),
                    None => return Found::Kill(Kill { input, value }),
                }
                continue;
            }
            // A question that was too hard once is hardly easier with a few values less.
            match if self.is_hard { Found::Unknown(None) } else { self.find_any() } {
                Found::Unknown(_) => self.is_hard = true,
                found => return found,
            }
            match self.find_for(value) {
                Found::Nothing(proof) => {
                    self.rely_on(proof);
                    self.claim.equivalent.push(value);
                    self.settle(value);
                }
                found => return found,
            }
        }
        Found::Unknown(self.another().unwrap_or(None))
    }

    /// An input that kills any value that is left: the parameter is an input like others.
    fn find_any(&self) -> Found {
        let premise = Premise {
            terms: &self.terms,
            holds: self.left,
            variable: self.parameter,
            global: self.parametric.parameter,
        };
        let open = [self.parametric.mutant];
        let task = Task { space: &self.space, open: &open, notebook: &Forgetful, ..*self.task };
        match self.asked(&task, Some(&premise)) {
            Some(Claim::Killed(mut input)) => {
                let Some(at) =
                    input.globals.iter().position(|(global, _)| *global == self.parametric.parameter)
                else {
                    return Found::Unknown(None);
                };
                let (_, Datum::Word(word)) = input.globals.remove(at) else { return Found::Unknown(None) };
                let value = Word::new(self.parametric.width, word.bits());
                let program = self.task.program.with_parameter(self.parametric.mutant, word);
                let input = shrink(&program, self.task.subject, &open, &input, self.task.limits);
                Found::Kill(Kill { input, value })
            }
            Some(Claim::Equivalent(proof)) => Found::Nothing(proof),
            _ => Found::Unknown(None),
        }
    }

    /// An input that kills one value.
    fn find_for(&self, value: Word) -> Found {
        let program = self.task.program.with_parameter(self.parametric.mutant, Word::new(64, value.bits()));
        let open = [self.parametric.mutant];
        let task = Task { program: &program, open: &open, notebook: &Forgetful, ..*self.task };
        match self.asked(&task, None) {
            Some(Claim::Killed(input)) => Found::Kill(Kill { input, value }),
            Some(Claim::Equivalent(proof)) => Found::Nothing(proof),
            _ => Found::Unknown(Some(value)),
        }
    }

    /// What the provers say of the mutant.
    fn asked(&self, task: &Task, premise: Option<&Premise>) -> Option<Claim> {
        if self.is_laborious {
            return None;
        }
        let claim = self.stage.provers.iter().find_map(|prover| prover.claims_under(task, premise).pop());
        claim.map(|(_, claim)| claim)
    }

    fn rely_on(&mut self, proof: Proof) {
        self.claim.granted.add(&proof.granted);
        self.claim.obligations.extend(proof.obligations);
    }

    /// For another solver, if one will be asked: this is unsatisfiable.
    fn obligation(&self, refuted: Term) -> Vec<Obligation> {
        let script = || Obligation(smtlib::script(&self.terms, &[refuted]));
        self.stage.obligations.then(script).into_iter().collect()
    }

    fn ask(&mut self, query: Term) -> Answer {
        let gates = self.terms.gates(&[query]).max(GATES);
        if gates > FAR_TOO_MANY * GATES {
            return Answer::Unknown;
        }
        self.solver.check(&self.terms, &[query], Fuel(FUEL.0 * GATES / gates)).unwrap_or(Answer::Unknown)
    }

    /// A value that is left, if there is one.
    fn another(&mut self) -> Result<Option<Word>, TooHard> {
        if let Some(value) = self.sample.first() {
            return Ok(Some(*value));
        }
        match self.ask(self.left) {
            Answer::Unsat => Ok(None),
            Answer::Sat(model) => {
                let bits = self.terms.eval(self.parameter, model.words()).bits();
                Ok(Some(Word::new(self.parametric.width, bits)))
            }
            Answer::Unknown => Err(TooHard),
        }
    }

    /// Names the first of the values that are left, which are equivalent.
    fn list(&mut self) {
        loop {
            match self.another() {
                Ok(None) => return,
                Ok(Some(value)) if self.claim.equivalent.len() < LISTED => {
                    self.claim.equivalent.push(value);
                    self.settle(value);
                }
                // Also if nobody knows whether there are more.
                Ok(Some(_)) | Err(TooHard) => {
                    self.claim.more = true;
                    return;
                }
            }
        }
    }
}

/// The solver could not tell.
struct TooHard;
