//! Bounded: ask a solver for an input that tells mutant from original.
//!
//! Let `x` range over the inputs of the space. Original and mutant are unrolled up to a bound, and each path
//! returns, breaks a rule (the original) or stops (the mutant), is cut by the bound, or comes to something
//! unsupported. Let `clean(x)` say that the original breaks no rule, and `valid(x)` that it returns as well.
//! Five formulas are searched for a model, in this order:
//!
//!   (1) killed    valid, and the mutant stops, or returns and a test can see a difference
//!   (2) hidden    valid, and the mutant returns, and only the file or a called function can see a difference
//!   (3) doubtful  valid, and both return, and lead to memory that we cannot compare
//!   (4) unclear   clean, and one of the two is cut or unsupported, or the two cannot be compared
//!   (5) longer    valid, and only the mutant is cut
//!
//! (1) and (2) leave out what is unsupported in the mutant, or cannot be compared: (4) has it.
//!
//! Claims. A model of (1) is a kill. If (1) to (4) have none, the mutant is equivalent for all inputs of the
//! space: an input on which the original returns is valid, and by (4) neither side is cut or unsupported, so
//! that the mutant stops or returns; by (1) to (3) it returns, and nobody can tell. If (1), (2), (3) and (5)
//! have none, there is no difference up to the bound. In all other cases the mutant is open.
//!
//! The original is encoded once into a term graph. Each mutant is encoded over the same graph, and what it
//! shares is there already. Where the mutated place makes no difference, the mutant is encoded as the
//! original (`lockstep`). Hard formulas are made easier in several ways (`bounded/search.rs`).
//!
//! Mutants are dealt with in batches of a fixed size, each with a solver and a graph of its own. Some batches
//! make a round. Within a round no batch sees what another finds, so that the number of threads changes
//! nothing. After a round, every witness is simulated on all mutants that are still to come.
//!
//! Mutants that come again, with more fuel (`rounds`), have small batches: most of them are hard, and after
//! some hard ones in a row the others are left alone.
//!
//! After SymBMC (Riener, Bloem, Fey, 2011), with one query for each mutant in place of a free mutant number:
//! the specialised miters are smaller and share what they have in common.

mod query;
mod search;

use std::collections::BTreeMap;

use bv::Terms;
use ir::{Input, Mutant, Unsupported};
use rayon::prelude::*;
use settle::{Claim, Open, Proof, Shown, Stage, Task, observe, replay, shrink};
use smt::Fuel;

use crate::encode::{Bounds, Names, Plan, Request};
use crate::inputs;
use crate::invalid;
use crate::premise::{Premise, Prover};
use crate::rounds::{Round, Row, all_open, is_original_too_hard, is_too_hard, is_too_large, left_alone};
use crate::skeleton::Skeleton;
use query::{Finding, Query};

/// Mutants that share a solver. Small enough to keep all cores busy, large enough that the original is not
/// encoded anew for each mutant.
const BATCH: usize = 8;

/// Mutants that are dealt with before their witnesses are tried on all others. Several batches, for several
/// cores.
const ROUND: usize = 8 * BATCH;

/// The same for mutants that come again.
const BATCH_AGAIN: usize = 2;
const ROUND_AGAIN: usize = 4 * BATCH_AGAIN;

/// After so many mutants in a row that need too much memory, the others of a batch have to wait: either there
/// is no hope for any, or they come in another batch.
const LARGE: usize = 2;

/// The unrolled program may have so many blocks. A larger function is too large for this stage.
const BLOCKS: usize = 20_000;

/// Each bound is so many times the one before. A mutant that one bound does not settle is mostly equivalent,
/// and proved anew at the next.
const DEEPER: u32 = 8;

/// Loops are unrolled until they end. Those that have not ended by then hardly will.
const TO_THE_END: u32 = 128;

/// Unrolled to the end, a function may have so many blocks. A larger one is not worth the attempt.
const FULLY: usize = 4_000;

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
    pub round: Round,
}

/// What is asked about, and what is known before.
#[derive(Clone, Copy)]
struct Asked<'a> {
    task: &'a Task<'a>,
    premise: Option<&'a Premise<'a>>,
    plan: &'a Plan<'a>,
    samples: &'a [Input],
}

impl Bounded {
    pub const NAME: &str = "bounded";
}

impl Stage for Bounded {
    fn name(&self) -> &'static str {
        Bounded::NAME
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        self.claims_under(task, None)
    }

    /// Its own proofs have all limits that another one about the same inputs has.
    fn looks_beyond_limits(&self) -> bool {
        false
    }

    fn is_again(&self) -> bool {
        self.round == Round::Again
    }
}

impl Prover for Bounded {
    fn claims_under(&self, task: &Task, premise: Option<&Premise>) -> Vec<(Mutant, Claim)> {
        let plan = Plan::new(task.program);
        let samples = samples(task);
        let asked = Asked { task, premise, plan: &plan, samples: &samples };
        let mut open = task.open.to_vec();
        let mut claims = Vec::new();
        let (mut row, mut large) = (Row::default(), Row::default());
        let (in_batch, in_round) = match self.round {
            Round::Again => (BATCH_AGAIN, ROUND_AGAIN),
            Round::First | Round::Only => (BATCH, ROUND),
        };
        let mut equal: BTreeMap<Mutant, Claim> = BTreeMap::new();
        for bound in self.bounds(self.unrolls_fully(task, &plan)) {
            let mut todo = std::mem::take(&mut open);
            while !todo.is_empty() {
                let rest = todo.split_off(todo.len().min(in_round));
                let round = std::mem::replace(&mut todo, rest);
                let found: Vec<Vec<(Mutant, Claim)>> = round
                    .par_chunks(in_batch)
                    .map(|batch| {
                        let part = self.round.part(&format!("{} up to {bound}", self.name()));
                        task.once(&part, batch, || self.batch(asked, batch, bound))
                    })
                    .collect();
                let found: Vec<(Mutant, Claim)> = found.into_iter().flatten().collect();
                let (waiting, found): (Vec<_>, Vec<_>) =
                    found.into_iter().partition(|(_, claim)| has_to_wait(claim));
                let (so_far, found): (Vec<_>, Vec<_>) =
                    found.into_iter().partition(|(_, claim)| bound < self.bound && is_up_to_bound(claim));
                if task.stop.is_set() {
                    claims.extend(found);
                    return claims;
                }
                equal.extend(so_far);
                todo.splice(..0, waiting.iter().map(|(mutant, _)| *mutant));
                let is_left =
                    |mutant: &&Mutant| !found.iter().chain(&waiting).any(|(settled, _)| settled == *mutant);
                open.extend(round.iter().filter(is_left));
                let also = also_killed(task, &found, &mut todo);
                row.add(&round, &found, is_too_hard);
                large.add(&round, &found, is_too_large);
                let too_hard = found.iter().find(|(_, claim)| is_original_too_hard(claim)).cloned();
                claims.extend(found.into_iter().chain(also));
                // The others have the same loops and copies in them. Nothing but making their terms takes
                // long then.
                if large.is_long() {
                    claims.extend(all_open(Open::OutOfMemory, &std::mem::take(&mut todo)));
                }
                // Larger bounds need no less.
                if let Some((_, Claim::Open(reason))) = too_hard {
                    open.extend(todo);
                    claims.extend(all_open(reason, &open));
                    return self.at_least(claims, equal);
                }
                if self.round == Round::Again && row.is_long() {
                    open.extend(todo);
                    claims.extend(left_alone("a killing input", &open));
                    return self.at_least(claims, equal);
                }
            }
            if open.is_empty() {
                break;
            }
        }
        self.at_least(claims, equal)
    }

    fn fuel(&self) -> Fuel {
        self.fuel
    }
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

    /// If there was too little fuel for a bound, what was found up to a lower one counts.
    fn at_least(
        &self,
        mut claims: Vec<(Mutant, Claim)>,
        mut equal: BTreeMap<Mutant, Claim>,
    ) -> Vec<(Mutant, Claim)> {
        // With more fuel, the next round may find more.
        if self.round != Round::First {
            for (mutant, claim) in claims.iter_mut().filter(|(_, claim)| is_too_hard(claim)) {
                if let Some(found) = equal.remove(mutant) {
                    *claim = found;
                }
            }
        }
        claims
    }

    fn batch(&self, asked: Asked, batch: &[Mutant], bound: u32) -> Vec<(Mutant, Claim)> {
        let task = asked.task;
        let bounds = Bounds { iterations: bound, blocks: BLOCKS };
        let mut query = Query::new(asked, bounds, self);
        let mut claims: Vec<(Mutant, Claim)> = Vec::new();
        let mut witnesses: Vec<Input> = Vec::new();
        let mut too_large = 0;
        for mutant in batch {
            let known = witnesses.iter().find(|input| !visibly_killed(task, input, &[*mutant]).is_empty());
            let claim = match known {
                Some(input) => Some(Claim::Killed(input.clone())),
                None if too_large >= LARGE => {
                    claims.push((*mutant, Claim::Open(Open::Untried)));
                    continue;
                }
                None => self.claim(&mut query, *mutant),
            };
            let claim = match claim {
                // Those before it may have used the memory up.
                Some(Claim::Open(Open::OutOfMemory)) if query.is_used() => {
                    query = Query::new(asked, bounds, self);
                    self.claim(&mut query, *mutant)
                }
                claim => claim,
            };
            too_large = if claim.as_ref().is_some_and(is_too_large) { too_large + 1 } else { 0 };
            if task.stop.is_set() {
                // It may be nothing but a query that was stopped.
                break;
            }
            let Some(claim) = claim else { continue };
            let claim = match claim {
                // A smaller input need not be one of those that are asked for.
                Claim::Killed(input) if asked.premise.is_none() => {
                    let input = shrink(task.program, task.subject, &[*mutant], &input, task.limits);
                    witnesses.push(input.clone());
                    Claim::Killed(input)
                }
                other => other,
            };
            claims.push((*mutant, claim));
        }
        claims
    }

    /// Whether the original's loops end whatever the input is, and soon.
    fn unrolls_fully(&self, task: &Task, plan: &Plan) -> bool {
        let mut terms = Terms::within(task.limits.memory.share());
        terms.allow(self.round.work(self.fuel));
        let inputs = Skeleton::new(task.program, task.subject, task.space, &mut terms);
        let bounds = Bounds { iterations: TO_THE_END, blocks: FULLY };
        let request = Request { inputs: &inputs, mutant: Mutant::ORIGINAL, bounds };
        let original = plan.encode(&mut terms, &mut Names::default(), request);
        terms.is_never(original.cut)
    }

    /// What can be claimed of a mutant at a bound. None if the next bound may tell more.
    fn claim(&self, query: &mut Query, mutant: Mutant) -> Option<Claim> {
        let is_last = query.bounds.iterations == self.bound;
        match query.mutant(mutant, self.obligations) {
            Finding::Claim(claim) => Some(claim),
            Finding::Longer if !is_last => None,
            Finding::UpToBound(..) if query.is_vacuous() => is_last.then(|| no_valid_input(query.task)),
            Finding::UpToBound(obligations, cuts) => Some(Claim::Equivalent(Proof {
                method: "no difference up to the bound".to_string(),
                granted: query.granted_up_to(&cuts),
                obligations,
            })),
            Finding::Longer => {
                let what = "the mutant, where the original returns within the bound,";
                Some(Claim::Open(Open::OutOfFuel(what.to_string())))
            }
        }
    }
}

/// Whether no difference was found, but not every path was followed to its end.
fn is_up_to_bound(claim: &Claim) -> bool {
    matches!(claim, Claim::Equivalent(proof) if proof.granted.rounds.is_some())
}

/// Whether a mutant was not tried, because those before it in its batch were too large. That says nothing of
/// the mutant itself, which may well be smaller.
fn has_to_wait(claim: &Claim) -> bool {
    matches!(claim, Claim::Open(Open::Untried))
}

/// Simulates the witnesses of a round on the mutants that are still to come, and takes out those that they
/// kill.
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

/// The mutants that an input kills so that somebody sees it. For others, a witness of their own may show
/// more.
fn visibly_killed(task: &Task, input: &Input, mutants: &[Mutant]) -> Vec<Mutant> {
    let killed = replay(task.program, task.subject, input, mutants, task.limits).killed;
    killed.into_iter().filter(|(_, shown)| *shown != Shown::Nowhere).map(|(mutant, _)| mutant).collect()
}

fn no_valid_input(task: &Task) -> Claim {
    let what = format!("no input within the limits is valid for the original: {}", invalid::why(task));
    Claim::Open(Open::Unsupported(Unsupported { what, at: None }))
}

/// A few valid inputs.
fn samples(task: &Task) -> Vec<Input> {
    let valid = |input: &Input| observe(task.program, task.subject, input, task.limits).is_some();
    let tried = inputs::sequence(task.program, task.subject, task.space).take(SAMPLES_TRIED);
    tried.filter(valid).take(SAMPLES).collect()
}
