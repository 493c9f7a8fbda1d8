//! The five questions about a mutant at one bound, and what follows from the answers. `bounded.rs` states
//! them.

use std::collections::BTreeSet;

use bv::formula::{not, or};
use bv::{Lack, Term, Terms, Word, smtlib};
use ir::{Input, Mutant, Outcome, Space, Unsupported, reachable, run};
use settle::{Claim, Granted, Obligation, Open, Proof, Task, kills};
use smt::{Fuel, Solver};

use super::search::Found;
use super::{Asked, Bounded, no_valid_input};
use crate::assumptions::{Sizes, granted, up_to};
use crate::encode::compare::{Difference, difference};
use crate::encode::{Bounds, Cut, Encoding, Names, Plan, Request};
use crate::lockstep::{Ground, Lockstep};
use crate::rounds::{Round, original_out_of, out_of};
use crate::skeleton::Skeleton;

/// A mutant may repeat a loop so much more often than the original. Most that do so at all are late by one.
const LEAD: u32 = 2;

/// A query gets this part of its fuel before more is done about it. Most need far less.
pub(super) const QUICK: u64 = 10;

/// Why a mutant with a hidden difference is open.
const STATIC: &str = "the difference stays in static variables, where no test can look";
const SEALED: &str = "the difference depends on how exactly the C library computes";
const BEYOND: &str = "the difference is in an argument that a stub has no parameter for";

/// What is known of a mutant at one bound.
pub(super) enum Finding {
    Claim(Claim),
    /// Equal as far as the bound reaches; what has to be refuted for that, and what was cut.
    UpToBound(Vec<Obligation>, BTreeSet<Cut>),
    /// No difference, but the mutant may go on beyond the bound where the original returns within it.
    Longer,
}

/// The questions about one subject at one bound.
pub(super) struct Query<'a> {
    pub(super) task: &'a Task<'a>,
    plan: &'a Plan<'a>,
    pub(super) samples: Vec<Vec<Word>>,
    /// For the small questions that are asked while a mutant is encoded.
    ground: Ground,
    pub(super) bounds: Bounds,
    pub(super) fuel: Fuel,
    pub(super) round: Round,
    /// Whether a question about this mutant needed more memory than there is.
    pub(super) is_too_large: bool,
    pub(super) terms: Terms,
    names: Names,
    pub(super) solver: Solver,
    pub(super) inputs: Skeleton<'a>,
    original: Encoding,
    /// All terms that it took to encode the original, sorted.
    pub(super) originals: Vec<Term>,
    /// The original breaks no rule of C.
    pub(super) clean: Term,
    /// And it returns.
    valid: Term,
    /// Whether no input is valid, if somebody has asked.
    vacuous: Option<bool>,
    /// Mutants that were asked about.
    asked: usize,
}

impl<'a> Query<'a> {
    pub(super) fn new(asked: Asked<'a>, bounds: Bounds, stage: &Bounded) -> Query<'a> {
        let Asked { task, premise, plan, samples } = asked;
        let memory = task.limits.memory.share();
        let mut terms = Terms::within(memory);
        terms.allow(stage.round.work(stage.fuel));
        let mut names = Names::default();
        let mut inputs = Skeleton::new(task.program, task.subject, task.space, &mut terms);
        if let Some(premise) = premise {
            premise.restrict(&mut terms, &mut inputs);
        }
        let request = Request { inputs: &inputs, mutant: Mutant::ORIGINAL, bounds };
        let original = plan.encode(&mut terms, &mut names, request);
        let clean = terms.and(inputs.constraint, not(original.fault));
        let valid = terms.and(clean, original.returned);
        let samples: Vec<Vec<Word>> =
            samples.iter().filter_map(|input| inputs.assignment(&terms, input)).collect();
        let ground = Ground::new(&samples, task.stop, memory);
        let originals = terms.all_terms().collect();
        let solver = Solver::until(task.stop, memory);
        Query {
            task,
            plan,
            samples,
            ground,
            bounds,
            fuel: stage.fuel,
            round: stage.round,
            is_too_large: false,
            terms,
            names,
            solver,
            inputs,
            original,
            originals,
            clean,
            valid,
            vacuous: None,
            asked: 0,
        }
    }

    /// Whether it holds the terms of more than one mutant.
    pub(super) fn is_used(&self) -> bool {
        self.asked > 1
    }

    /// What can be said of a mutant. One that may go on where the original returns is given a lead.
    pub(super) fn mutant(&mut self, mutant: Mutant, obligations: bool) -> Finding {
        self.asked += 1;
        self.is_too_large = false;
        let allowed = self.round.altogether(self.fuel);
        self.solver.allow(allowed);
        self.ground.allow(allowed);
        self.terms.allow(self.round.work(self.fuel));
        let found = match self.follow(mutant, self.bounds, obligations) {
            Ok(Finding::Longer) => {
                let iterations = self.bounds.iterations.saturating_add(LEAD);
                self.follow(mutant, Bounds { iterations, ..self.bounds }, obligations)
            }
            found => found,
        };
        found.unwrap_or_else(|open| Finding::Claim(Claim::Open(open)))
    }

    /// What can be said of a mutant that is unrolled up to these bounds.
    fn follow(&mut self, mutant: Mutant, bounds: Bounds, obligations: bool) -> Result<Finding, Open> {
        if let Some(lack) = lack(&self.original) {
            return Err(original_out_of(lack));
        }
        let request = Request { inputs: &self.inputs, mutant, bounds };
        let mut lockstep = Lockstep::new(&mut self.solver, self.clean, &mut self.ground);
        let encoding = self.plan.encode_judged(&mut self.terms, &mut self.names, request, &mut lockstep);
        let mut refuted = lockstep.lemmas;
        self.spare_fuel(&encoding)?;
        let difference = difference(&mut self.terms, &self.inputs, &self.original, &encoding);
        self.spare_fuel(&encoding)?;
        let killed = self.killed(&encoding, &difference);
        if let Some(input) = self.refute(killed, &encoding, "a killing input", &mut refuted)? {
            if self.is_too_long(&input) {
                let what = "the original, on the input that kills the mutant,";
                return Err(Open::OutOfFuel(what.to_string()));
            }
            if self.has_sealed() && !self.is_killed_by(mutant, &input) {
                return Err(unsupported(SEALED));
            }
            return Ok(Finding::Claim(Claim::Killed(input)));
        }
        for (inside, why) in [(difference.hidden, STATIC), (difference.beyond, BEYOND)] {
            let hidden = self.hidden(&encoding, &difference, inside);
            if self.refute(hidden, &encoding, "a difference inside", &mut refuted)?.is_some() {
                return Err(unsupported(why));
            }
        }
        let doubtful = self.doubtful(&encoding, &difference);
        if let Some(input) = self.refute(doubtful, &encoding, "other memory", &mut refuted)? {
            if self.is_killed_by(mutant, &input) {
                return Ok(Finding::Claim(Claim::Killed(input)));
            }
            return Err(unsupported("original and mutant lead to memory that is hard to compare"));
        }
        let unclear = self.unclear(&encoding, &difference);
        // It is often hard to say whether a loop goes on for ever. All that depends on it is whether a bound
        // is named.
        let proved = match self.find(unclear, &[], Fuel(self.fuel.0 / QUICK)) {
            Found::Nothing(more) => {
                refuted.extend(more);
                true
            }
            // Where the bound is too small for the mutant, the mutant may well hang.
            Found::Input(input) if self.is_killed_by(mutant, &input) => {
                return Ok(Finding::Claim(Claim::Killed(input)));
            }
            Found::Input(_) | Found::OutOfFuel | Found::OutOfMemory => false,
            Found::Broken(why) => return Err(Open::Rejected(why)),
        };
        let reason = self.original.reasons.iter().chain(&encoding.reasons).next().cloned();
        if let Some(reason) = reason.filter(|_| !proved)
            && self.reaches_unsupported(&encoding)
        {
            return Err(Open::Unsupported(reason));
        }
        let script = |root: &Term| Obligation(smtlib::script(&self.terms, &[*root]));
        let obligations = if obligations { refuted.iter().map(script).collect() } else { vec![] };
        if !proved {
            let longer = self.longer(&encoding);
            return Ok(match self.find(longer, &[], Fuel(self.fuel.0 / QUICK)) {
                Found::Nothing(_) => {
                    let cuts = self.original.cuts.union(&encoding.cuts).copied().collect();
                    Finding::UpToBound(obligations, cuts)
                }
                _ => Finding::Longer,
            });
        }
        if self.is_vacuous() {
            return Ok(Finding::Claim(no_valid_input(self.task)));
        }
        let method = "no input tells the difference".to_string();
        let proof = Proof { method, granted: self.granted(), obligations };
        Ok(Finding::Claim(Claim::Equivalent(proof)))
    }

    /// Searches for an input, with all fuel. If there is none, what shows it is added.
    fn refute(
        &mut self,
        formula: Term,
        mutant: &Encoding,
        searched: &str,
        refuted: &mut Vec<Term>,
    ) -> Result<Option<Input>, Open> {
        match self.find(formula, &mutant.exits, self.fuel) {
            Found::Input(input) => Ok(Some(input)),
            Found::Nothing(more) => {
                refuted.extend(more);
                Ok(None)
            }
            Found::OutOfMemory => Err(Open::OutOfMemory),
            Found::OutOfFuel => Err(Open::OutOfFuel(format!("the search for {searched}"))),
            Found::Broken(why) => Err(Open::Rejected(why)),
        }
    }

    /// Whether no input is valid for the original. Then whatever is said of the mutant is true, and means
    /// nothing.
    pub(super) fn is_vacuous(&mut self) -> bool {
        if !self.samples.is_empty() {
            return false;
        }
        if let Some(known) = self.vacuous {
            return known;
        }
        self.solver.allow(Round::Only.altogether(self.fuel));
        let vacuous = matches!(self.find(self.valid, &[], self.fuel), Found::Nothing(_));
        self.vacuous = Some(vacuous);
        vacuous
    }

    /// An error if there was not enough fuel to encode a mutant, or if there is none to go on.
    fn spare_fuel(&self, encoding: &Encoding) -> Result<(), Open> {
        self.terms.lack().or(lack(encoding)).map_or(Ok(()), |lack| Err(out_of(lack, "a killing input")))
    }

    /// What a proof takes for granted.
    fn granted(&self) -> Granted {
        let space = Space { size: self.inputs.size, ..self.task.space.clone() };
        granted(self.task.program, self.task.subject, &space, Sizes::Looked)
    }

    /// What a proof with a bound takes for granted.
    pub(super) fn granted_up_to(&self, cuts: &BTreeSet<Cut>) -> Granted {
        let mut granted = self.granted();
        up_to(&mut granted, self.bounds, cuts);
        granted
    }

    /// Whether the original takes longer on an input than a test may.
    fn is_too_long(&self, input: &Input) -> bool {
        let Task { program, subject, limits, .. } = self.task;
        run(program, *subject, Mutant::ORIGINAL, input, limits.original).outcome == Outcome::OutOfFuel
    }

    /// Whether the subject can come to functions of which a formula knows little.
    fn has_sealed(&self) -> bool {
        let Task { program, subject, .. } = self.task;
        reachable(program, *subject).iter().any(|id| program.function(*id).sealed)
    }

    fn is_killed_by(&self, mutant: Mutant, input: &Input) -> bool {
        let Task { program, subject, limits, .. } = self.task;
        !kills(program, *subject, input, &[mutant], *limits).is_empty()
    }

    /// (1)
    fn killed(&mut self, mutant: &Encoding, difference: &Difference) -> Term {
        let seen = difference.is_seen(&mut self.terms, mutant);
        self.terms.and(self.valid, seen)
    }

    /// (2)
    fn hidden(&mut self, mutant: &Encoding, difference: &Difference, inside: Term) -> Term {
        let leaves_else = self.terms.and(mutant.returned, inside);
        let surely = difference.surely(&mut self.terms, mutant, leaves_else);
        self.terms.and(self.valid, surely)
    }

    /// (3)
    fn doubtful(&mut self, mutant: &Encoding, difference: &Difference) -> Term {
        let returned = self.terms.and(mutant.returned, difference.unclear);
        let went_on = not(or(mutant.fault, mutant.unsupported));
        let doubtful = self.terms.and(returned, went_on);
        self.terms.and(self.valid, doubtful)
    }

    /// (4)
    fn unclear(&mut self, mutant: &Encoding, difference: &Difference) -> Term {
        let Encoding { cut, unsupported, .. } = self.original;
        let original_open = self.terms.or(cut, unsupported);
        let mutant_cut = self.terms.and(mutant.cut, not(mutant.fault));
        let mutant_open = or(or(mutant_cut, mutant.unsupported), difference.unclear);
        let either = self.terms.or(original_open, mutant_open);
        self.terms.and(self.clean, either)
    }

    /// (5)
    fn longer(&mut self, mutant: &Encoding) -> Term {
        let mutant_cut = self.terms.and(mutant.cut, not(mutant.fault));
        let mutant_alone = self.terms.and(mutant_cut, not(self.original.cut));
        self.terms.and(self.valid, mutant_alone)
    }

    /// Whether some clean input leads to something unsupported.
    fn reaches_unsupported(&mut self, mutant: &Encoding) -> bool {
        let unsupported = self.terms.or(self.original.unsupported, mutant.unsupported);
        let reached = self.terms.and(self.clean, unsupported);
        !matches!(self.find(reached, &[], self.fuel), Found::Nothing(_))
    }
}

/// What there was not enough of to encode something.
fn lack(encoding: &Encoding) -> Option<Lack> {
    encoding.cuts.iter().find_map(|cut| match cut {
        Cut::Lack(lack) => Some(*lack),
        _ => None,
    })
}

fn unsupported(what: &str) -> Open {
    Open::Unsupported(Unsupported { what: what.to_string(), at: None })
}
