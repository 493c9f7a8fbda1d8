//! Inductive: proofs without a bound.
//!
//! A run of a function is cut at the heads of its loops. A state is a head, with the values of registers and
//! memory there. From the entry, and from each state, a run leads to the next state or returns. Let `R(s, t)`
//! relate states of original and mutant. Claim: if
//!
//!   (1) for every valid input, the first states `s` and `t` are related, or both sides return the same,
//!   (2) if `R(s, t)`, and the original can be in `s`, the next states are related, or both return the same,
//!
//! then no valid input tells the two apart. An input is valid if the original returns and breaks no rule. So
//! the original takes finitely many steps. The mutant takes as many, or one more or less where a proof allows
//! for that, and the last step is a return of both.
//!
//! Both obligations are queries about one segment of each side, in which there is no loop. A segment that is
//! cut or unsupported breaks them. There are several ways to find `R`:
//!
//! - equal states, but for numbers that turn out not to matter: `inductive/in_step.rs`;
//! - equations that are filtered from many candidates: `inductive/pairs.rs`;
//! - whatever a solver for Horn clauses finds: `inductive/horn.rs`.
//!
//! "The original can be in `s`" is weakened to invariants of its heads (`inductive/invariants.rs`). A
//! function that calls itself, and has no loops, is proved by induction over its calls
//! (`inductive/recursion.rs`).
//!
//! All of this is tried first with buffers of any size, then with those that `bounded` looks at.

mod horn;
mod in_step;
mod induction;
mod invariants;
mod pairs;
mod query;
mod recursion;
mod relation;
mod shape;
mod stand_in;
mod words;

use std::collections::BTreeMap;

use bv::Lack;
use ir::{Action, Input, Mutant, Space, Type, TypeId, reachable, reachable_externals};
use rayon::prelude::*;
use settle::{Claim, Open, Proof, Stage, Task, observe};
use smt::{Fuel, Process};

use crate::assumptions::{Sizes, granted};
use crate::encode::Plan;
use crate::inputs;
use crate::premise::{Premise, Prover};
use crate::rounds::{Round, Row, is_original_too_hard, is_too_hard, left_alone, original_out_of, out_of};
use in_step::Pace;
use induction::{Induction, Proved, Unfit};
use recursion::is_recursive;
use stand_in::stand_in;

/// Mutants that share what is known of the original.
const BATCH: usize = 16;

/// Mutants that are looked at before the rest may be given up.
const ROUND: usize = 4 * BATCH;

/// The same for mutants that come again.
const BATCH_AGAIN: usize = 4;
const ROUND_AGAIN: usize = 4 * BATCH_AGAIN;

/// What the stage looks for, in messages.
const SEARCHED: &str = "a proof by induction";

/// Inputs that are tried in search of a valid one.
const TRIED: usize = 500;

pub struct Inductive {
    /// For each query.
    pub fuel: Fuel,
    /// Whether proofs carry their obligations, for another solver.
    pub obligations: bool,
    pub methods: Methods,
    /// A solver for Horn clauses, if one is to be asked.
    pub horn: Option<Process>,
    pub round: Round,
}

/// Which ways of looking for a proof there are, besides Horn clauses. Tests try each alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Methods {
    /// Original and mutant are in the same state at the heads of loops, or make the same calls of themselves.
    pub lockstep: bool,
    /// Their states at the heads are related by equations that are found out.
    pub relations: bool,
}

impl Methods {
    pub const ALL: Methods = Methods { lockstep: true, relations: true };
    pub const NONE: Methods = Methods { lockstep: false, relations: false };
}

impl Inductive {
    pub const NAME: &str = "inductive";
    /// For each query. A proof that exists is found soon.
    pub const FUEL: Fuel = Fuel(5_000);
    const METHOD: &str = "by induction";
    const FOR_ALL_SIZES: &str = "by induction for all sizes";

    /// The method of a proof, taken apart if it is one of these: how, and the relation that was found.
    pub fn parts(method: &str) -> Option<(&str, &str)> {
        method.split_once(": ").filter(|(how, _)| [Inductive::METHOD, Inductive::FOR_ALL_SIZES].contains(how))
    }

    /// One that nobody asks again, with all methods but Horn clauses.
    pub fn alone(fuel: Fuel) -> Inductive {
        Inductive { fuel, obligations: false, methods: Methods::ALL, horn: None, round: Round::Only }
    }

    /// Whether there is anything to prove by induction.
    pub fn applies(task: &Task) -> bool {
        applies(task, &Plan::new(task.program))
    }
}

impl Stage for Inductive {
    fn name(&self) -> &'static str {
        Inductive::NAME
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        self.claims_under(task, None)
    }

    fn is_again(&self) -> bool {
        self.round == Round::Again
    }
}

impl Prover for Inductive {
    fn claims_under(&self, task: &Task, premise: Option<&Premise>) -> Vec<(Mutant, Claim)> {
        let plan = Plan::new(task.program);
        if !applies(task, &plan) {
            return vec![];
        }
        let part = self.round.part(self.name());
        let batch = |batch: &[Mutant]| task.once(&part, batch, || self.batch(task, premise, &plan, batch));
        let (in_batch, in_round) = match self.round {
            Round::Again => (BATCH_AGAIN, ROUND_AGAIN),
            Round::First | Round::Only => (BATCH, ROUND),
        };
        let (mut claims, mut row) = (Vec::new(), Row::default());
        let mut rounds = task.open.chunks(in_round);
        for round in rounds.by_ref() {
            let found: Vec<Vec<(Mutant, Claim)>> = round.par_chunks(in_batch).map(batch).collect();
            let found: Vec<(Mutant, Claim)> = found.into_iter().flatten().collect();
            row.add(round, &found, is_too_hard);
            let too_hard = found.iter().find(|(_, claim)| is_original_too_hard(claim)).cloned();
            claims.extend(found);
            if task.stop.is_set() {
                return claims;
            }
            if let Some((_, claim)) = too_hard {
                rounds.for_each(|rest| claims.extend(rest.iter().map(|mutant| (*mutant, claim.clone()))));
                return claims;
            }
            if self.round == Round::Again && row.is_long() {
                break;
            }
        }
        rounds.for_each(|rest| claims.extend(left_alone(SEARCHED, rest)));
        claims
    }

    fn fuel(&self) -> Fuel {
        self.fuel
    }
}

/// Whether there is a loop or a buffer to reason about, and nothing that segments cannot express. Some input
/// has to be valid, too, since everything is true of none.
fn applies(task: &Task, plan: &Plan) -> bool {
    let Task { program, subject, .. } = *task;
    let is_plain = |action: &Action| !matches!(action, Action::Allocate { .. } | Action::External { .. });
    let mut actions = reachable(program, subject)
        .into_iter()
        .flat_map(|id| &program.function(id).blocks)
        .flat_map(|block| &block.instructions);
    let valid = |input: &Input| observe(program, subject, input, task.limits).is_some();
    let is_buffer = |of: TypeId| matches!(program.of(of), Type::Pointer(_));
    let mut parameters = program.function(subject).signature.parameters.iter();
    (!plan.heads(subject).is_empty()
        || is_recursive(task)
        || parameters.any(|parameter| is_buffer(parameter.of)))
        && program.function(subject).door.is_none()
        && program.function(subject).unsupported.is_none()
        && reachable_externals(program, subject).is_empty()
        && actions.all(|instruction| is_plain(&instruction.action))
        && inputs::sequence(program, subject, task.space).take(TRIED).any(|input| valid(&input))
}

impl Inductive {
    /// First for buffers of any size. Mutants that are still open then, for those that are looked at
    /// elsewhere.
    fn batch(
        &self,
        task: &Task,
        premise: Option<&Premise>,
        plan: &Plan,
        batch: &[Mutant],
    ) -> Vec<(Mutant, Claim)> {
        let mut claims: Vec<(Mutant, Claim)> = Vec::new();
        let mut too_hard: BTreeMap<Mutant, Open> = BTreeMap::new();
        // What was missing for the original, and whether there was enough for other sizes.
        let (mut too_large, mut fits) = (None, false);
        for sizes in [Sizes::Any, Sizes::Looked] {
            // With more fuel there may be a proof for all sizes, which is worth more than one for some.
            let comes_again = |mutant: &Mutant| {
                self.round == Round::First && matches!(too_hard.get(mutant), Some(Open::OutOfFuel(_)))
            };
            let is_open =
                |mutant: &Mutant| claims.iter().all(|(claimed, _)| claimed != mutant) && !comes_again(mutant);
            let open: Vec<Mutant> = batch.iter().copied().filter(is_open).collect();
            if open.is_empty() {
                break;
            }
            let induction = || Induction::new(task, premise, plan, self, sizes);
            let mut current = match induction() {
                Ok(current) => current,
                Err(Unfit::Shapeless) => continue,
                Err(Unfit::Lack(lack)) => {
                    too_hard.extend(open.into_iter().map(|mutant| (mutant, out_of(lack, SEARCHED))));
                    too_large = Some(lack);
                    continue;
                }
            };
            fits = true;
            for (at, mutant) in open.into_iter().enumerate() {
                // Those before it may have used the memory up.
                if at > 0 && current.terms.lack() == Some(Lack::Memory) {
                    let Ok(anew) = induction() else { break };
                    current = anew;
                }
                let proved = self.prove(&mut current, mutant);
                if task.stop.is_set() {
                    return claims;
                }
                match proved {
                    Some(proved) => {
                        let proof = self.proof(&mut current, proved);
                        claims.push((mutant, Claim::Equivalent(proof)));
                    }
                    None => too_hard.extend(current.why_too_hard().map(|open| (mutant, open))),
                }
            }
        }
        if self.round == Round::Only {
            // A caller that asks only once asks other stages, too, and these may know more.
            return claims;
        }
        too_hard.retain(|mutant, _| claims.iter().all(|(claimed, _)| claimed != mutant));
        let reason = too_large.filter(|_| !fits).map(original_out_of);
        let open = too_hard.into_iter().map(|(mutant, open)| (mutant, reason.clone().unwrap_or(open)));
        claims.extend(open.map(|(mutant, open)| (mutant, Claim::Open(open))));
        claims
    }

    /// Tries all ways of a proof about a mutant.
    fn prove(&self, induction: &mut Induction, mutant: Mutant) -> Option<Proved> {
        induction.renew_patience();
        let task = induction.task;
        let other = stand_in(task.program, task.subject, mutant);
        let function = other.unwrap_or(task.subject);
        let Methods { lockstep, relations } = self.methods;
        let is_recursive = is_recursive(task);
        let has_heads = !induction.heads.is_empty();
        let found = match other {
            None if lockstep && is_recursive => induction.recursive(mutant),
            None if lockstep && !has_heads => induction.at_pace(mutant, Pace::EVEN),
            None if lockstep => induction.in_step(mutant),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        induction.find_invariants();
        let relates = relations && (other.is_some() || (!is_recursive && has_heads));
        if relates && let Some(found) = induction.related(mutant, function) {
            return Some(found);
        }
        // A solver does not show the relation that it finds, so that nobody could confirm it.
        let is_askable = !self.obligations && induction.sizes == Sizes::Looked && !is_recursive;
        let solver = self.horn.as_ref().filter(|_| is_askable)?;
        induction.horn(solver, mutant, function)
    }

    fn proof(&self, induction: &mut Induction, proved: Proved) -> Proof {
        let Proved { refuted, relation } = proved;
        let task = induction.task;
        let obligations = if self.obligations { induction.obligations(&refuted) } else { vec![] };
        let method = match induction.sizes {
            Sizes::Any if induction.heads.is_empty() && !is_recursive(task) => {
                "no input of any size tells the difference".to_string()
            }
            Sizes::Any => format!("{}: {relation}", Inductive::FOR_ALL_SIZES),
            Sizes::Looked => format!("{}: {relation}", Inductive::METHOD),
        };
        let space = Space { size: induction.inputs.size, ..task.space.clone() };
        let granted = granted(task.program, task.subject, &space, induction.sizes);
        Proof { method, granted, obligations }
    }
}
