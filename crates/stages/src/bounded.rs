//! Bounded: ask a solver for an input that tells mutant from original.
//!
//! The original is encoded once into a term graph; each mutant is encoded over the same graph,
//! and what it shares is there already. The miter says: the input is valid for the original, and the observations
//! differ. A model is an input that kills. If there is none, and no loop was cut short on either
//! side, the mutant is equivalent, for all inputs; otherwise the bound is raised, and at the last
//! bound the verdict names it.
//!
//! Where the mutated place makes no difference, the mutant is encoded as the original (see `lockstep`). What is left is hard
//! only if the two go different ways and meet again: then the query is split by the round in which a loop ends, and
//! swept (see `sweep`).
//!
//! Mutants are dealt with in batches of a fixed size, each with a solver and a graph of its own, and some batches make a round.
//! Within a round no batch sees what another finds, so that the number of threads changes nothing; after it, every witness is
//! simulated on all mutants that are still to come.
//!
//! After SymBMC (Riener, Bloem, Fey, 2011), with one query for each mutant in place of a free
//! mutant number: the specialised miters are smaller and share what they have in common.

use std::collections::BTreeSet;

use bv::{Confined, Domain, Node, Op, Term, Terms, Word, smtlib};
use ir::{Input, Mutant, Outcome, Space, Unsupported, run};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use settle::{Claim, Granted, Obligation, Open, Proof, Shown, Stage, Task, kills, observe, replay, shrink};
use smt::{Answer, Fuel, Solver};

use crate::assumptions::{Sizes, granted, up_to};
use crate::encode::compare::{Difference, difference};
use crate::encode::{Bounds, Cut, Encoding, Judge, Numbers, Plan};
use crate::inputs;
use crate::invalid;
use crate::lockstep::{Ground, Lockstep};
use crate::premise::Premise;
use crate::skeleton::Skeleton;
use crate::sweep::{Miter, sweep};

/// Mutants that share a solver. Small enough to keep all cores busy, large enough that the original
/// is not encoded for each mutant anew.
const BATCH: usize = 8;

/// Mutants that are dealt with before their witnesses are tried on all others. Several batches, for several cores.
const ROUND: usize = 8 * BATCH;

/// The unrolled program may have so many blocks; beyond that a function is too large for this stage.
const BLOCKS: usize = 20_000;

/// Each bound is so many times the one before. What one bound does not settle is mostly equivalent, and proved anew at
/// the next.
const DEEPER: u32 = 8;

/// Loops are unrolled until they end; those that have not ended by then hardly will.
const TO_THE_END: u32 = 128;

/// Unrolled to the end, a function may have so many blocks; a larger one is not worth the attempt.
const FULLY: usize = 4_000;

/// A query over more terms than this is too large: the solver would be busy for seconds before it even begins to search, and
/// nothing counts that as fuel.
const LARGEST: usize = 10_000;

/// A mutant may repeat a loop so much more often than the original. Most that do so at all are late by one.
const LEAD: u32 = 2;

/// A query gets this part of its fuel before it is swept; most need far less.
const QUICK: u64 = 10;

/// So many gates take a solver long enough that the query is made smaller first, if it can be. A division of 32 bits has 12,000.
const HEAVY: u64 = 50_000;

/// Cases, the ways out of a mutant's loops, that are searched one by one. Where it is known in which round a loop
/// ends, offsets are numbers, and little is left of a query; but more cases than this take longer than the whole.
const CASES: usize = 48;

/// Valid inputs that terms are compared on, out of so many tried.
const SAMPLES: usize = 32;
const SAMPLES_TRIED: usize = 500;

pub struct Bounded {
    /// The last bound: how often the input may decide to repeat a loop.
    pub bound: u32,
    /// For each query.
    pub fuel: Fuel,
    /// Whether proofs carry their obligations, for another solver.
    pub obligations: bool,
}

/// What is known of a mutant at one bound.
enum Finding {
    Claim(Claim),
    /// Equal as far as the bound reaches.
    UpToBound(Vec<Obligation>, BTreeSet<Cut>),
    /// No difference, but the mutant may go on beyond the bound where the original returns within it.
    Longer,
}

impl Bounded {
    pub const NAME: &str = "bounded";
}

impl Stage for Bounded {
    fn name(&self) -> &'static str {
        Bounded::NAME
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        self.claims_if(task, None)
    }

    /// Its own proofs have all limits that another one about the same inputs has.
    fn looks_beyond_limits(&self) -> bool {
        false
    }
}

impl Bounded {
    /// What can be claimed of inputs of which something holds.
    pub(crate) fn claims_if(&self, task: &Task, premise: Option<&Premise>) -> Vec<(Mutant, Claim)> {
        let plan = Plan::new(task.program);
        let samples = samples(task);
        let mut open = task.open.to_vec();
        let mut claims = Vec::new();
        for bound in self.bounds(unrolls_fully(task, &plan)) {
            let mut todo = std::mem::take(&mut open);
            while !todo.is_empty() {
                let rest = todo.split_off(todo.len().min(ROUND));
                let round = std::mem::replace(&mut todo, rest);
                let found: Vec<Vec<(Mutant, Claim)>> = round
                    .par_chunks(BATCH)
                    .map(|batch| {
                        let part = format!("{} up to {bound}", self.name());
                        task.once(&part, batch, || self.batch(task, premise, &plan, &samples, batch, bound))
                    })
                    .collect();
                let found: Vec<(Mutant, Claim)> = found.into_iter().flatten().collect();
                open.extend(
                    round.iter().filter(|mutant| !found.iter().any(|(settled, _)| settled == *mutant)),
                );
                let also = also_killed(task, &found, &mut todo);
                task.progress.advance(also.len());
                claims.extend(found.into_iter().chain(also));
            }
            if open.is_empty() {
                break;
            }
        }
        claims
    }
}

/// Simulates the witnesses of a round on the mutants that are still to come, and takes out those that they kill.
fn also_killed(task: &Task, found: &[(Mutant, Claim)], todo: &mut Vec<Mutant>) -> Vec<(Mutant, Claim)> {
    let mut witnesses: Vec<&Input> = Vec::new();
    for (_, claim) in found {
        if let Claim::Killed(input) = claim
            && !witnesses.contains(&input)
        {
            witnesses.push(input);
        }
    }
    let replays: Vec<Vec<Mutant>> =
        witnesses.par_iter().map(|input| visibly_killed(task, input, todo)).collect();
    let mut also = Vec::new();
    for (input, killed) in witnesses.into_iter().zip(replays) {
        for mutant in killed {
            if let Some(at) = todo.iter().position(|waiting| *waiting == mutant) {
                todo.remove(at);
                also.push((mutant, Claim::Killed(input.clone())));
            }
        }
    }
    also
}

/// What an input kills so that somebody sees it. For all else, a witness of its own may show more.
fn visibly_killed(task: &Task, input: &Input, mutants: &[Mutant]) -> Vec<Mutant> {
    let killed = replay(task.program, task.subject, input, mutants, task.limits).killed;
    killed.into_iter().filter(|(_, shown)| *shown != Shown::Nowhere).map(|(mutant, _)| mutant).collect()
}

impl Bounded {
    /// 1, 8, 64, … and the bound itself. A small function whose loops end whatever the input is gets unrolled
    /// to the end as soon as the simplest differences are found.
    fn bounds(&self, fully: bool) -> Vec<u32> {
        let powers = std::iter::successors(Some(1u32), |bound| bound.checked_mul(DEEPER));
        let mut bounds: Vec<u32> = powers.take_while(|bound| *bound < self.bound).collect();
        if fully {
            bounds.insert(bounds.len().min(1), TO_THE_END);
        }
        bounds.push(self.bound);
        bounds
    }

    fn batch(
        &self,
        task: &Task,
        premise: Option<&Premise>,
        plan: &Plan,
        samples: &[Input],
        batch: &[Mutant],
        bound: u32,
    ) -> Vec<(Mutant, Claim)> {
        let last = bound == self.bound;
        let bounds = Bounds { iterations: bound, blocks: BLOCKS };
        let mut query = Query::new(task, premise, plan, samples, bounds, self.fuel);
        let mut claims: Vec<(Mutant, Claim)> = Vec::new();
        let mut witnesses: Vec<Input> = Vec::new();
        for mutant in batch {
            let known = witnesses.iter().find(|input| !visibly_killed(task, input, &[*mutant]).is_empty());
            let claim = match known {
                Some(input) => Some(Claim::Killed(input.clone())),
                None => match query.mutant(plan, *mutant, self.obligations) {
                    Finding::Claim(claim) => Some(claim),
                    Finding::UpToBound(..) if last && query.is_vacuous() => Some(no_valid_input(task)),
                    Finding::UpToBound(obligations, cuts) if last => Some(Claim::Equivalent(Proof {
                        method: "no difference up to the bound".to_string(),
                        granted: query.granted_up_to(&cuts),
                        obligations,
                    })),
                    Finding::Longer if last => {
                        let what = "the mutant, where the original returns within the bound,";
                        Some(Claim::Open(Open::OutOfFuel(what.to_string())))
                    }
                    Finding::UpToBound(..) | Finding::Longer => None,
                },
            };
            let Some(claim) = claim else { continue };
            let claim = match claim {
                // A smaller one may be none of those that are asked for.
                Claim::Killed(input) if premise.is_none() => {
                    let input = shrink(task.program, task.subject, &[*mutant], &input, task.limits);
                    witnesses.push(input.clone());
                    Claim::Killed(input)
                }
                other => other,
            };
            task.progress.advance(1);
            claims.push((*mutant, claim));
        }
        claims
    }
}

/// The questions about one subject at one bound.
struct Query<'a> {
    task: &'a Task<'a>,
    samples: Vec<Vec<Word>>,
    /// What the small questions share that are asked while a mutant is encoded.
    ground: Ground,
    bounds: Bounds,
    fuel: Fuel,
    terms: Terms,
    numbers: Numbers,
    solver: Solver,
    inputs: Skeleton,
    original: Encoding,
    /// All terms that it took to encode the original, sorted.
    originals: Vec<Term>,
    /// The original broke no rule of C.
    clean: Term,
    /// And it returns.
    valid: Term,
}

/// What became of a query.
enum Found {
    Input(Input),
    /// There is none, because each of these is unsatisfiable.
    Nothing(Vec<Term>),
    OutOfFuel,
    Broken(String),
}

impl<'a> Query<'a> {
    fn new(
        task: &'a Task<'a>,
        premise: Option<&Premise>,
        plan: &Plan,
        samples: &[Input],
        bounds: Bounds,
        fuel: Fuel,
    ) -> Query<'a> {
        let mut terms = Terms::new();
        let mut numbers = Numbers::default();
        let mut inputs = Skeleton::new(task.program, task.subject, task.space, &mut terms);
        premise.iter().for_each(|premise| premise.restrict(&mut terms, &mut inputs));
        let original = plan.encode(&mut terms, &mut numbers, task.subject, Mutant::ORIGINAL, &inputs, bounds);
        let fine = terms.not(original.fault);
        let clean = terms.and(inputs.constraint, fine);
        let valid = terms.and(clean, original.returned);
        let samples: Vec<Vec<Word>> =
            samples.iter().filter_map(|input| inputs.assignment(&terms, input)).collect();
        let ground = Ground::new(&samples);
        let originals = terms.all_terms().collect();
        let solver = Solver::new();
        Query {
            task,
            samples,
            ground,
            bounds,
            fuel,
            terms,
            numbers,
            solver,
            inputs,
            original,
            originals,
            clean,
            valid,
        }
    }

    /// What can be said of a mutant. One that may go on where the original returns is given a lead.
    fn mutant(&mut self, plan: &Plan, mutant: Mutant, obligations: bool) -> Finding {
        match self.follow(plan, mutant, self.bounds, obligations) {
            Finding::Longer => {
                let iterations = self.bounds.iterations.saturating_add(LEAD);
                self.follow(plan, mutant, Bounds { iterations, ..self.bounds }, obligations)
            }
            finding => finding,
        }
    }

    /// The same, with the mutant unrolled up to these bounds.
    fn follow(&mut self, plan: &Plan, mutant: Mutant, bounds: Bounds, obligations: bool) -> Finding {
        let Query { task, terms, numbers, inputs, .. } = self;
        let mut lockstep = Lockstep::new(&mut self.solver, self.clean, &mut self.ground);
        let judge: Option<&mut dyn Judge> = Some(&mut lockstep);
        let encoding = plan.encode_judged(terms, numbers, task.subject, mutant, inputs, bounds, judge);
        let mut refuted = lockstep.lemmas;
        let difference = difference(task.program, task.subject, inputs, terms, &self.original, &encoding);
        let killed = self.killed(&encoding, &difference);
        match self.find(killed, &encoding.exits, self.fuel) {
            Found::Input(input) if self.is_too_long(&input) => {
                return open(Open::OutOfFuel(
                    "the original, on the input that kills the mutant,".to_string(),
                ));
            }
            Found::Input(input) => return Finding::Claim(Claim::Killed(input)),
            Found::Nothing(more) => refuted.extend(more),
            Found::OutOfFuel => return open(Open::OutOfFuel("the search for a killing input".to_string())),
            Found::Broken(why) => return open(Open::Rejected(why)),
        }
        let hidden = self.hidden(&encoding, &difference);
        match self.find(hidden, &encoding.exits, self.fuel) {
            Found::Nothing(more) => refuted.extend(more),
            Found::Input(_) => {
                let what = "the difference stays in what is static, where no test can look".to_string();
                return open(Open::Unsupported(Unsupported { what, at: None }));
            }
            Found::OutOfFuel => {
                return open(Open::OutOfFuel("the search for a difference inside".to_string()));
            }
            Found::Broken(why) => return open(Open::Rejected(why)),
        }
        let doubtful = self.doubtful(&encoding, &difference);
        match self.find(doubtful, &encoding.exits, self.fuel) {
            Found::Nothing(more) => refuted.extend(more),
            Found::Input(input) => {
                if !kills(self.task.program, self.task.subject, &input, &[mutant], self.task.limits)
                    .is_empty()
                {
                    return Finding::Claim(Claim::Killed(input));
                }
                let what = "original and mutant lead to memory that is hard to compare".to_string();
                return open(Open::Unsupported(Unsupported { what, at: None }));
            }
            Found::OutOfFuel => return open(Open::OutOfFuel("the search for other memory".to_string())),
            Found::Broken(why) => return open(Open::Rejected(why)),
        }
        let unclear = self.unclear(&encoding, &difference);
        // That a loop goes on for ever is often hard to say, and all that depends on it is whether a bound is named.
        let proved = match self.find(unclear, &[], Fuel(self.fuel.0 / QUICK)) {
            Found::Nothing(more) => {
                refuted.extend(more);
                true
            }
            Found::Input(input) => {
                // Where the bound is too small for the mutant, the mutant may well hang.
                if !kills(self.task.program, self.task.subject, &input, &[mutant], self.task.limits)
                    .is_empty()
                {
                    return Finding::Claim(Claim::Killed(input));
                }
                false
            }
            Found::OutOfFuel => false,
            Found::Broken(why) => return open(Open::Rejected(why)),
        };
        let reason = self.original.reasons.iter().chain(&encoding.reasons).next().cloned();
        if let Some(reason) = reason.filter(|_| !proved)
            && self.reaches_unsupported(&encoding)
        {
            return open(Open::Unsupported(reason));
        }
        let script = |root: &Term| Obligation(smtlib::script(&self.terms, &[*root]));
        let obligations = if obligations { refuted.iter().map(script).collect() } else { vec![] };
        if !proved {
            // Where the original has come to its end, the mutant has to as well.
            let longer = self.longer(&encoding);
            return match self.find(longer, &[], Fuel(self.fuel.0 / QUICK)) {
                Found::Nothing(_) => {
                    let cuts = self.original.cuts.union(&encoding.cuts).copied().collect();
                    Finding::UpToBound(obligations, cuts)
                }
                _ => Finding::Longer,
            };
        }
        if self.is_vacuous() {
            return Finding::Claim(no_valid_input(self.task));
        }
        Finding::Claim(Claim::Equivalent(Proof {
            method: "no input tells the difference".to_string(),
            granted: self.granted(),
            obligations,
        }))
    }

    /// Whether no input is valid for the original, so that whatever is said of the mutant is true, and means nothing.
    fn is_vacuous(&mut self) -> bool {
        self.samples.is_empty() && matches!(self.find(self.valid, &[], self.fuel), Found::Nothing(_))
    }

    /// What a proof takes for granted.
    fn granted(&self) -> Granted {
        let space = Space { size: self.inputs.size, ..self.task.space.clone() };
        granted(self.task.program, self.task.subject, &space, Sizes::Looked)
    }

    /// What a proof takes for granted that has a bound.
    fn granted_up_to(&self, cuts: &BTreeSet<Cut>) -> Granted {
        let mut granted = self.granted();
        up_to(&mut granted, self.bounds, cuts);
        granted
    }

    /// Whether the original takes longer on an input than a test may.
    fn is_too_long(&self, input: &Input) -> bool {
        let Task { program, subject, limits, .. } = self.task;
        run(program, *subject, Mutant::ORIGINAL, input, limits.original).outcome == Outcome::OutOfFuel
    }

    /// The input is valid, and the mutant stops, or is observed differently.
    fn killed(&mut self, mutant: &Encoding, difference: &Difference) -> Term {
        let seen = is_seen(&mut self.terms, mutant, difference);
        self.terms.and(self.valid, seen)
    }

    /// The input is valid, and the mutant leaves something else where no test can look.
    fn hidden(&mut self, mutant: &Encoding, difference: &Difference) -> Term {
        let leaves_else = self.terms.and(mutant.returned, difference.hidden);
        self.known(mutant, difference, leaves_else)
    }

    /// The input is valid, and both lead to memory without a name that we cannot compare.
    fn doubtful(&mut self, mutant: &Encoding, difference: &Difference) -> Term {
        let returned = self.terms.and(mutant.returned, difference.unclear);
        let stopped = self.terms.or(mutant.fault, mutant.unsupported);
        let went_on = self.terms.not(stopped);
        let returned = self.terms.and(returned, went_on);
        self.terms.and(self.valid, returned)
    }

    /// The input is valid, this holds, and we can be sure of it.
    fn known(&mut self, mutant: &Encoding, difference: &Difference, holds: Term) -> Term {
        let known = known(&mut self.terms, mutant, difference, holds);
        self.terms.and(self.valid, known)
    }

    /// The original returns within the bound, and the mutant neither does nor stops.
    fn longer(&mut self, mutant: &Encoding) -> Term {
        let goes_on = self.terms.not(mutant.fault);
        let mutant_cut = self.terms.and(mutant.cut, goes_on);
        let followed = self.terms.not(self.original.cut);
        let mutant_alone = self.terms.and(mutant_cut, followed);
        self.terms.and(self.valid, mutant_alone)
    }

    /// The original broke no rule, and one of the two was not followed to its end.
    fn unclear(&mut self, mutant: &Encoding, difference: &Difference) -> Term {
        let original_open = self.terms.or(self.original.cut, self.original.unsupported);
        let goes_on = self.terms.not(mutant.fault);
        let mutant_cut = self.terms.and(mutant.cut, goes_on);
        let mutant_open = self.terms.or(mutant_cut, mutant.unsupported);
        let mutant_open = self.terms.or(mutant_open, difference.unclear);
        let either = self.terms.or(original_open, mutant_open);
        self.terms.and(self.clean, either)
    }

    /// Whether some valid input leads to what we do not execute.
    fn reaches_unsupported(&mut self, mutant: &Encoding) -> bool {
        let unsupported = self.terms.or(self.original.unsupported, mutant.unsupported);
        let reached = self.terms.and(self.clean, unsupported);
        !matches!(self.find(reached, &[], self.fuel), Found::Nothing(_))
    }

    /// Searches for an input under which this is true: shortly, then with sums sorted, then with choices taken apart where they are compared, then
    /// among small inputs, then case by case, then swept.
    fn find(&mut self, root: Term, cases: &[Term], fuel: Fuel) -> Found {
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
        match self.solver.check(&self.terms, &[first], quick) {
            Ok(Answer::Unknown) => {}
            answer => return self.found(answer, vec![first]),
        }
        if sorted != first {
            match self.solver.check(&self.terms, &[sorted], quick) {
                Ok(Answer::Unknown) => {}
                answer => return self.found(answer, vec![sorted]),
            }
        }
        if let Some(leaves) = self.terms.compare_leaves(root) {
            match self.solver.check(&self.terms, &[leaves], quick) {
                Ok(Answer::Unknown) => {}
                answer => return self.found(answer, vec![leaves]),
            }
        }
        if !is_heavy && let Some(found) = self.find_confined(root, fuel) {
            return found;
        }
        if let Some(found) = self.find_by_cases(root, cases) {
            return found;
        }
        // A sweep costs far more than what is left for this.
        if fuel <= quick {
            return Found::OutOfFuel;
        }
        let miter = Miter { valid: self.clean, original: &self.originals, root, samples: &self.samples };
        let mut swept = sweep(&mut self.terms, &mut self.solver, &miter);
        let answer = self.solver.check(&self.terms, &[swept.root], fuel);
        swept.lemmas.push(swept.root);
        self.found(answer, swept.lemmas)
    }

    /// Searches among small inputs, if it is known that there are no others. None if that is too hard, or if it is not known.
    fn find_confined(&mut self, root: Term, fuel: Fuel) -> Option<Found> {
        let Confined { root, outside } = self.terms.confine(root)?;
        match self.solver.check(&self.terms, &[root], fuel) {
            Ok(Answer::Unknown) => None,
            answer => Some(self.found(answer, vec![root, outside])),
        }
    }

    /// Searches case by case, with what each case decides put in; the last one is that it is none of them. None if one is
    /// too hard.
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
            let elsewhere = self.terms.not(*case);
            rest = self.terms.and(rest, elsewhere);
            refuted.push(here);
        }
        refuted.push(rest);
        for case in &refuted {
            match self.solver.check(&self.terms, &[*case], Fuel(self.fuel.0 / QUICK)) {
                Ok(Answer::Unsat) => {}
                Ok(Answer::Unknown) => return None,
                answer => return Some(self.found(answer, vec![])),
            }
        }
        Some(Found::Nothing(refuted))
    }

    fn found(&self, answer: Result<Answer, smt::SmtError>, refuted: Vec<Term>) -> Found {
        match answer {
            Ok(Answer::Sat(model)) => Found::Input(self.inputs.input(&self.terms, model.words())),
            Ok(Answer::Unsat) => Found::Nothing(refuted),
            Ok(Answer::Unknown) => Found::OutOfFuel,
            Err(error) => Found::Broken(error.to_string()),
        }
    }
}

/// The mutant stops, or is observed differently, and we can be sure of it.
pub(crate) fn is_seen(terms: &mut Terms, mutant: &Encoding, difference: &Difference) -> Term {
    let returns_else = terms.and(mutant.returned, difference.seen);
    let observed = terms.or(mutant.fault, returns_else);
    known(terms, mutant, difference, observed)
}

/// This holds, and we can be sure of it.
fn known(terms: &mut Terms, mutant: &Encoding, difference: &Difference, holds: Term) -> Term {
    let unsure = terms.or(mutant.unsupported, difference.unclear);
    let sure = terms.not(unsure);
    terms.and(holds, sure)
}

/// What each part of a conjunction is where all of it holds.
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

/// Whether the original's loops end whatever the input is, and soon.
fn unrolls_fully(task: &Task, plan: &Plan) -> bool {
    let mut terms = Terms::new();
    let inputs = Skeleton::new(task.program, task.subject, task.space, &mut terms);
    let bounds = Bounds { iterations: TO_THE_END, blocks: FULLY };
    let mut numbers = Numbers::default();
    let original = plan.encode(&mut terms, &mut numbers, task.subject, Mutant::ORIGINAL, &inputs, bounds);
    terms.known(&original.cut) == Some(Word::truth(false))
}

fn no_valid_input(task: &Task) -> Claim {
    let what = format!("no input within the limits is valid for the original: {}", invalid::why(task));
    Claim::Open(Open::Unsupported(Unsupported { what, at: None }))
}

fn open(open: Open) -> Finding {
    Finding::Claim(Claim::Open(open))
}

/// A few valid inputs.
fn samples(task: &Task) -> Vec<Input> {
    let valid = |input: &Input| observe(task.program, task.subject, input, task.limits).is_some();
    let tried = inputs::sequence(task.program, task.subject, task.space).take(SAMPLES_TRIED);
    tried.filter(valid).take(SAMPLES).collect()
}
