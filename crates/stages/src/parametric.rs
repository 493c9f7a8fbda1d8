//! Parametric: an unknown number in place of a constant or a variable, and few tests that kill all of them.
//!
//! The unknown is an input of the mutant alone. Which numbers a test leaves alive is a formula over the unknown: mutant and original are
//! encoded with everything else known. It is the premise under which the other stages look for an input that kills one of the numbers
//! that are left, or for a proof that none can; if that is too hard, they are asked about single numbers. So it goes on until none is
//! left. Whatever is called dead is so by the formula or by a run, and whatever is called equivalent was proved by another stage.
//!
//! Of all tests that kill a number, the one is taken that kills the most of a sample of those that are left: near the edges, where a
//! comparison changes its mind.
//!
//! After section 5 of "Equivalence prover" pipelines, where parametric mutants were proposed and not built.

mod laborious;
mod numbers;

use bv::{Domain, Term, Terms, Word, smtlib};
use ir::{Datum, Input, Mutant, Outcome, Space, run};
use rustc_hash::FxHashMap;
use settle::{
    Claim, Forgetful, Granted, Members, Obligation, Proof, Shown, Silent, Task, Unknown, outcomes_differ,
    shrink,
};
use smt::{Answer, Fuel, SmtError, Solver};

use crate::bounded::is_seen;
use crate::encode::compare::difference;
use crate::encode::{Bounds, Numbers, Plan};
use crate::inputs::sequence;
use crate::premise::Premise;
use crate::skeleton::Skeleton;
use crate::{Bounded, Inductive};

use laborious::is_laborious;
use numbers::{original, sample};

pub struct Parametric {
    pub bounded: Bounded,
    pub inductive: Inductive,
    /// So many tests are enough.
    pub most: usize,
}

/// Inputs that are tried before a solver is asked.
const CANDIDATES: usize = 60;

/// How many are looked at for these.
const LOOKED_AT: usize = 400;

/// How many of them are tried with more patience.
const SLOW: usize = 12;

/// A mutant that takes longer on a sample is looked at by others.
const PATIENCE: u64 = 2_000;

/// Loops that the unknown keeps going are unrolled so far, where the rest of the input is known.
const BOUNDS: Bounds = Bounds { iterations: 40, blocks: 6_000 };

/// And so far where it is not.
const ANY: Bounds = Bounds { iterations: 3, blocks: 2_000 };

/// A question over more terms than this is not asked.
const LARGEST: usize = 4_000;

/// Fuel for each query about what is left, up to so many gates. What has more gets less of it, and so takes no longer.
const FUEL: Fuel = Fuel(5_000);
const GATES: u64 = 400_000;

/// What has so many times more is not asked.
const FAR_TOO_MANY: u64 = 5;

/// And for one more number that a test might kill.
const QUICK: Fuel = Fuel(200);

/// Only a test after so many others is asked for more.
const FEW: usize = 2;

/// How many are tried for that.
const WIDENED: usize = 6;

/// In a formula of so many terms.
const SMALL: usize = 400;

/// So many equivalent numbers are listed.
const LISTED: usize = 4;

/// After so many tests that kill one number each of the sample, it is asked whether there are others.
const ALONE: usize = 2;

impl Parametric {
    /// Finds the tests for a family. These inputs are worth a look, too.
    pub fn members(&self, task: &Task, family: Unknown, inputs: &[Input]) -> Members {
        Search::new(self, task, family, inputs).map(Search::run).unwrap_or_default()
    }
}

/// Whether a test kills a number.
#[derive(Clone, Copy)]
struct Seen {
    killed: Term,
    /// In any build.
    plainly: Term,
}

/// What becomes of the numbers that no test has killed.
enum Found {
    /// This input kills one of them.
    Kill(Input, Word),
    /// All of them are equivalent, by this proof.
    Nothing(Proof),
    /// One of them that nobody can say anything about, if it has a name.
    Unknown(Option<Word>),
}

struct Search<'a> {
    stage: &'a Parametric,
    task: &'a Task<'a>,
    family: Unknown,
    /// The inputs, and the unknown.
    space: Space,
    plan: Plan<'a>,
    terms: Terms,
    solver: Solver,
    inputs: Skeleton,
    /// The unknown, as it lies in its variable.
    unknown: Term,
    /// What holds of it if no test has killed it.
    left: Term,
    /// Valid inputs, the simplest first, and what the original does on them.
    candidates: Vec<(Input, Outcome)>,
    /// Numbers that no test has killed yet.
    sample: Vec<Word>,
    /// How many of the last tests killed one number of the sample only.
    alone: usize,
    /// Whether solvers are not asked for inputs.
    is_laborious: bool,
    /// Whether nobody could say anything about all numbers at once.
    is_hard: bool,
    /// One for each test.
    seen: Vec<Seen>,
    /// That some input kills the unknown, once it was asked for.
    any: Option<Term>,
    members: Members,
}

impl<'a> Search<'a> {
    /// None if the unknown is nowhere to be found.
    fn new(
        stage: &'a Parametric,
        task: &'a Task<'a>,
        family: Unknown,
        others: &[Input],
    ) -> Option<Search<'a>> {
        let mut terms = Terms::new();
        let mut globals = task.space.globals.clone();
        globals.push(family.parameter);
        globals.sort_unstable();
        let space = Space { globals, ..task.space.clone() };
        let inputs = Skeleton::new(task.program, task.subject, &space, &mut terms);
        let unknown = inputs.global(family.parameter)?;
        let number = terms.extract(unknown, family.width - 1, 0);
        let widened = if family.width < 64 { terms.zext(number, 64) } else { number };
        let left = terms.equal(unknown, widened);
        let mut search = Search {
            stage,
            task,
            family,
            space,
            plan: Plan::new(task.program),
            terms,
            solver: Solver::new(),
            inputs,
            unknown,
            left,
            candidates: vec![],
            sample: sample(task, family),
            alone: 0,
            is_laborious: is_laborious(task),
            is_hard: false,
            seen: vec![],
            any: None,
            members: Members::default(),
        };
        let tried = sequence(task.program, task.subject, task.space).take(LOOKED_AT);
        let valid = tried.filter_map(|input| search.observed(input));
        let others = others.iter().take(CANDIDATES).filter_map(|input| search.observed(input.clone()));
        search.candidates = valid.take(CANDIDATES).chain(others).collect();
        Some(search)
    }

    fn run(mut self) -> Members {
        // With the number that is there already, nothing changes.
        if let Some(number) = original(self.task.program, self.family) {
            self.members.equivalent.push(number);
            self.forget(number);
        }
        loop {
            let plainly = self.best_of(None, Shown::in_any_build);
            let at_hand = plainly.or_else(|| {
                self.drop_killed();
                self.best_of(None, |_| true)
            });
            let (input, number) = match at_hand {
                Some(found) => found,
                None => match self.find() {
                    Found::Kill(input, number) => {
                        self.candidates.extend(self.observed(input.clone()));
                        self.best(Some(number)).unwrap_or((input, number))
                    }
                    Found::Nothing(proof) => {
                        self.rely_on(proof);
                        self.list();
                        self.members.complete = true;
                        self.prune();
                        return self.members;
                    }
                    Found::Unknown(number) => {
                        self.members.left = number;
                        return self.members;
                    }
                },
            };
            let enough = self.members.tests.len() >= self.stage.most;
            if enough || (self.alone >= ALONE && self.kills_singly()) {
                self.members.singly = !enough;
                self.members.left = Some(number);
                return self.members;
            }
            // Most need no more than two.
            let input = if self.members.tests.len() < FEW { input } else { self.widened(input, number) };
            self.take(input, number);
        }
    }

    /// An input that kills this number, and as many others of the sample as a solver finds one for.
    fn widened(&mut self, input: Input, number: Word) -> Input {
        let Some(found) = self.observed(input.clone()) else { return input };
        let mut together: Vec<Word> = self.sample.clone();
        together.retain(|other| *other != number && self.kills(&found, *other));
        let mut others = self.sample.clone();
        others.retain(|other| *other != number && !together.contains(other));
        let mut best = found;
        let any = self.killed_by_any();
        let Some(killed) = any.filter(|any| self.terms.cone(&[*any]).len() <= SMALL) else { return best.0 };
        let mut all = self.at(killed, number);
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
            input.globals.retain(|(global, _)| *global != self.family.parameter);
            let Some(found) = self.observed(input) else { continue };
            if together.iter().chain([&other, &number]).all(|number| self.kills(&found, *number)) {
                (best, all) = (found, query);
                together.push(other);
            }
        }
        best.0
    }

    /// That some input kills some number, if that is no large formula.
    fn killed_by_any(&mut self) -> Option<Term> {
        if self.any.is_none() {
            let inputs = self.inputs.clone();
            self.any = Some(self.killed(&inputs, ANY).killed);
        }
        self.any.filter(|any| self.terms.cone(&[*any]).len() <= LARGEST)
    }

    /// What a formula over the unknown says of one number.
    fn at(&mut self, formula: Term, number: Word) -> Term {
        let number = self.terms.constant(Word::new(64, number.bits()));
        self.terms.rebuild(formula, &mut FxHashMap::from_iter([(self.unknown, number)]))
    }

    fn observed(&self, input: Input) -> Option<(Input, Outcome)> {
        let Task { program, subject, limits, .. } = *self.task;
        let outcome = run(program, subject, Mutant::ORIGINAL, &input, limits.original).outcome;
        matches!(outcome, Outcome::Returned(_)).then_some((input, outcome))
    }

    /// The input that kills the most of the sample, and a number that it kills; one number in particular, if it is named.
    fn best(&self, wanted: Option<Word>) -> Option<(Input, Word)> {
        self.best_of(wanted, Shown::in_any_build).or_else(|| self.best_of(wanted, |_| true))
    }

    /// The same, of those that show it like this.
    fn best_of(&self, wanted: Option<Word>, shows: fn(Shown) -> bool) -> Option<(Input, Word)> {
        // A simple one that kills nearly as many is better than one that nobody would have thought of.
        let slack = self.sample.len() / 20;
        let mut best: Option<(usize, &Input, Word)> = None;
        for candidate in &self.candidates {
            if wanted.is_some_and(|number| !self.shown(candidate, number).is_some_and(shows)) {
                continue;
            }
            let killed: Vec<Word> = self
                .sample
                .iter()
                .copied()
                .filter(|number| self.shown(candidate, *number).is_some_and(shows))
                .collect();
            let Some(first) = wanted.or(killed.first().copied()) else { continue };
            if best.is_none_or(|(most, ..)| killed.len() > most + slack || most == 0) {
                best = Some((killed.len(), &candidate.0, first));
            }
        }
        best.map(|(_, input, number)| (input.clone(), number))
    }

    /// Takes an input for a test, which kills a number.
    fn take(&mut self, input: Input, number: Word) {
        let Some(found) = self.observed(input.clone()) else { return };
        let seen = self.seen(&input);
        let alive = self.terms.not(seen.killed);
        self.left = self.terms.and(self.left, alive);
        self.seen.push(seen);
        let before = self.sample.len();
        let sample = std::mem::take(&mut self.sample);
        // What is killed in some builds only may be killed in all by another.
        let shows = |number: &Word| self.shown(&found, *number).is_some_and(Shown::in_any_build);
        self.sample = sample.into_iter().filter(|number| !shows(number)).collect();
        self.alone = if before - self.sample.len() <= 1 { self.alone + 1 } else { 0 };
        // Whatever the formula says, this one is dead.
        self.forget(number);
        self.members.tests.push((input, number));
    }

    /// A number is dealt with.
    fn forget(&mut self, number: Word) {
        let number_term = self.terms.constant(Word::new(64, number.bits()));
        let other = self.terms.ne(self.unknown, number_term);
        self.left = self.terms.and(self.left, other);
        self.sample.retain(|it| *it != number);
    }

    /// Whether an input kills a number.
    fn kills(&self, candidate: &(Input, Outcome), number: Word) -> bool {
        self.shown(candidate, number).is_some()
    }

    /// How it shows that an input kills a number, if it does.
    fn shown(&self, (input, original): &(Input, Outcome), number: Word) -> Option<Shown> {
        let Task { program, subject, .. } = *self.task;
        let input = self.family.with(input, number);
        let outcome = run(program, subject, self.family.mutant, &input, PATIENCE).outcome;
        outcomes_differ(original, &outcome).then(|| Shown::by(original, &outcome))
    }

    /// An input that kills a number, and takes its time for that.
    fn slowly_killed(&self, number: Word) -> Option<Input> {
        let Task { program, subject, limits, .. } = *self.task;
        let is_killed = |(input, original): &&(Input, Outcome)| {
            let input = self.family.with(input, number);
            let outcome = run(program, subject, self.family.mutant, &input, limits.mutant).outcome;
            outcomes_differ(original, &outcome) || matches!(outcome, Outcome::OutOfFuel | Outcome::Diverged)
        };
        let tests = self.members.tests.iter().filter_map(|(input, _)| self.observed(input.clone()));
        let tests: Vec<(Input, Outcome)> = tests.collect();
        let mut tried = tests.iter().chain(self.candidates.iter().take(SLOW));
        tried.find(is_killed).map(|(input, _)| input.clone())
    }

    /// Forgets the numbers of the sample that tests kill, if only in some builds, or if only the formula has the patience to say so.
    fn drop_killed(&mut self) {
        let tests = self.members.tests.iter().filter_map(|(input, _)| self.observed(input.clone()));
        let tests: Vec<(Input, Outcome)> = tests.collect();
        let mut sample = std::mem::take(&mut self.sample);
        sample.retain(|number| !tests.iter().any(|test| self.kills(test, *number)));
        let left = self.left;
        sample.retain(|number| {
            let is_left = self.at(left, *number);
            self.terms.known(&is_left).is_none_or(Word::is_true)
        });
        self.sample = sample;
    }

    /// Leaves out tests that kill nothing which others do not kill in any build.
    fn prune(&mut self) {
        let mut at = 0;
        while at < self.members.tests.len() && self.members.tests.len() > 1 {
            let (_, number) = self.members.tests[at];
            let own = self.seen[at].killed;
            let mut spared = self.terms.truth(true);
            for other in (0..self.seen.len()).filter(|other| *other != at) {
                let alive = self.terms.not(self.seen[other].plainly);
                spared = self.terms.and(spared, alive);
            }
            let needed = self.terms.and(own, spared);
            let by_formula = self.at(own, number);
            let is_known = self.terms.known(&by_formula).is_some_and(Word::is_true);
            let mut is_idle = || matches!(self.ask(needed), Ok(Answer::Unsat));
            if is_known && is_idle() {
                let obligations = self.obligation(needed);
                self.members.obligations.extend(obligations);
                self.members.tests.remove(at);
                self.seen.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Which numbers a test kills, as far as that can be told.
    fn seen(&mut self, input: &Input) -> Seen {
        let input = self.family.with(input, Word::zero(self.family.width));
        let Some(words) = self.inputs.assignment(&self.terms, &input) else {
            let never = self.terms.truth(false);
            return Seen { killed: never, plainly: never };
        };
        let variables: Vec<Term> =
            self.terms.variables().map(|(it, ..)| self.terms.variable_term(it)).take(words.len()).collect();
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        for (variable, word) in variables.into_iter().zip(words) {
            let value = if variable == self.unknown { variable } else { self.terms.constant(word) };
            known.insert(variable, value);
        }
        let inputs = self.inputs.mapped(&mut |term| self.terms.rebuild(term, &mut known));
        self.killed(&inputs, BOUNDS)
    }

    /// An input is valid, and the mutant is seen to do something else.
    fn killed(&mut self, inputs: &Skeleton, bounds: Bounds) -> Seen {
        let Task { program, subject, .. } = *self.task;
        let mut numbers = Numbers::default();
        let Search { plan, terms, .. } = self;
        let original = plan.encode(terms, &mut numbers, subject, Mutant::ORIGINAL, inputs, bounds);
        let mutant = plan.encode(terms, &mut numbers, subject, self.family.mutant, inputs, bounds);
        let difference = difference(program, subject, inputs, terms, &original, &mutant);
        let fine = terms.not(original.fault);
        let seen = is_seen(terms, &mutant, &difference);
        let killed = terms.all([inputs.constraint, fine, original.returned, seen]);
        let goes_on = terms.not(mutant.fault);
        Seen { killed, plainly: terms.and(killed, goes_on) }
    }

    fn ask(&mut self, query: Term) -> Result<Answer, SmtError> {
        let gates = self.terms.gates(&[query]).max(GATES);
        if gates > FAR_TOO_MANY * GATES {
            return Ok(Answer::Unknown);
        }
        self.solver.check(&self.terms, &[query], Fuel(FUEL.0 * GATES / gates))
    }

    /// A number that is left; an error if the solver cannot tell.
    fn another(&mut self) -> Result<Option<Word>, ()> {
        if let Some(number) = self.sample.first() {
            return Ok(Some(*number));
        }
        match self.ask(self.left) {
            Ok(Answer::Unsat) => Ok(None),
            Ok(Answer::Sat(model)) => {
                let bits = self.terms.eval(self.unknown, model.words()).bits();
                Ok(Some(Word::new(self.family.width, bits)))
            }
            Ok(Answer::Unknown) | Err(_) => Err(()),
        }
    }

    /// An input that kills one of the numbers that are left, whichever it is; or one of the first of them.
    fn find(&mut self) -> Found {
        for _ in 0..LISTED {
            let number = match self.another() {
                Ok(Some(number)) => number,
                Ok(None) => {
                    let obligations = self.obligation(self.left);
                    let method = "none is left".to_string();
                    return Found::Nothing(Proof { method, granted: Granted::default(), obligations });
                }
                Err(()) => return Found::Unknown(None),
            };
            match self.slowly_killed(number) {
                Some(input) if self.members.tests.iter().any(|(test, _)| *test == input) => {
                    self.forget(number);
                    continue;
                }
                Some(input) => return Found::Kill(input, number),
                None => {}
            }
            // What was too hard once hardly is easier with a few numbers less.
            match if self.is_hard { Found::Unknown(None) } else { self.find_any() } {
                Found::Unknown(_) => self.is_hard = true,
                found => return found,
            }
            match self.judge(number) {
                Found::Nothing(proof) => {
                    self.rely_on(proof);
                    self.members.equivalent.push(number);
                    self.forget(number);
                }
                found => return found,
            }
        }
        Found::Unknown(self.another().unwrap_or(None))
    }

    /// The same for any of them, where the unknown is an input like others.
    fn find_any(&self) -> Found {
        let premise = Premise {
            terms: &self.terms,
            holds: self.left,
            variable: self.unknown,
            global: self.family.parameter,
        };
        let open = [self.family.mutant];
        let task =
            Task { space: &self.space, open: &open, progress: &Silent, memory: &Forgetful, ..*self.task };
        match self.asked(&task, Some(&premise)) {
            Some(Claim::Killed(mut input)) => {
                let Some(at) = input.globals.iter().position(|(global, _)| *global == self.family.parameter)
                else {
                    return Found::Unknown(None);
                };
                let (_, Datum::Word(word)) = input.globals.remove(at) else { return Found::Unknown(None) };
                let number = Word::new(self.family.width, word.bits());
                let program = self.task.program.with_parameter(self.family.mutant, word);
                let input = shrink(&program, self.task.subject, &open, &input, self.task.limits);
                Found::Kill(input, number)
            }
            Some(Claim::Equivalent(proof)) => Found::Nothing(proof),
            _ => Found::Unknown(None),
        }
    }

    /// The same for one number.
    fn judge(&self, number: Word) -> Found {
        let program = self.task.program.with_parameter(self.family.mutant, Word::new(64, number.bits()));
        let open = [self.family.mutant];
        let task =
            Task { program: &program, open: &open, progress: &Silent, memory: &Forgetful, ..*self.task };
        match self.asked(&task, None) {
            Some(Claim::Killed(input)) => Found::Kill(input, number),
            Some(Claim::Equivalent(proof)) => Found::Nothing(proof),
            _ => Found::Unknown(Some(number)),
        }
    }

    /// What the other stages say of the mutant.
    fn asked(&self, task: &Task, premise: Option<&Premise>) -> Option<Claim> {
        let Parametric { inductive, bounded, .. } = self.stage;
        if self.is_laborious {
            return None;
        }
        let by_induction = inductive.claims_if(task, premise).pop();
        let (_, claim) = by_induction.or_else(|| bounded.claims_if(task, premise).pop())?;
        Some(claim)
    }

    fn rely_on(&mut self, proof: Proof) {
        self.members.granted.add(&proof.granted);
        self.members.obligations.extend(proof.obligations);
    }

    /// That this is unsatisfiable, for another solver, if one will be asked.
    fn obligation(&self, refuted: Term) -> Vec<Obligation> {
        let script = || Obligation(smtlib::script(&self.terms, &[refuted]));
        self.stage.bounded.obligations.then(script).into_iter().collect()
    }

    /// Names the first of the numbers that are left, which are equivalent.
    fn list(&mut self) {
        loop {
            match self.another() {
                Ok(None) => return,
                Ok(Some(number)) if self.members.equivalent.len() < LISTED => {
                    self.members.equivalent.push(number);
                    self.forget(number);
                }
                // Also if nobody knows whether there are.
                Ok(Some(_)) | Err(()) => {
                    self.members.more = true;
                    return;
                }
            }
        }
    }

    /// Whether no input kills two of the numbers that are left, for all we know.
    fn kills_singly(&mut self) -> bool {
        // That is not asked again soon.
        self.alone = 0;
        let Some(one) = self.killed_by_any() else { return false };
        let other_unknown = self.terms.variable("q", 64);
        let mut renamed = FxHashMap::from_iter([(self.unknown, other_unknown)]);
        let other = self.terms.rebuild(one, &mut renamed);
        let left = self.left;
        let other_left = self.terms.rebuild(left, &mut renamed);
        let apart = self.terms.ne(self.unknown, other_unknown);
        let query = self.terms.all([one, other, left, other_left, apart]);
        matches!(self.ask(query), Ok(Answer::Unsat)) && self.are_many()
    }

    /// Whether more numbers are left than there may be tests.
    fn are_many(&mut self) -> bool {
        let mut left = self.left;
        for _ in self.members.tests.len()..=self.stage.most {
            let Ok(Answer::Sat(model)) = self.ask(left) else { return false };
            let number = self.terms.eval(self.unknown, model.words());
            let number = self.terms.constant(number);
            let other = self.terms.ne(self.unknown, number);
            left = self.terms.and(left, other);
        }
        true
    }
}
