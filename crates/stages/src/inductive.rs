//! Inductive: proofs without a bound.
//!
//! The function is cut at the heads of its loops. Original and mutant start each segment in the same state, whatever it is, as long as
//! the original can be in it; if both then come to the same head with the same state again, or return and are seen to do the same, they
//! do so for any number of rounds. They repeat each loop equally often, so that the mutant returns where the original does.
//!
//! Which states the original can be in is what [`invariants`] finds out: simple facts about numbers and pointers that hold at a head
//! the first time, and hold again after each segment. A variable of which the mutant has its own idea, and which does not matter, may
//! differ: equality is given up for it, and the proof begun anew.

mod invariants;
mod shape;

use std::collections::{BTreeMap, BTreeSet};

use bv::{Domain, Op, Term, Terms, Word, smtlib};
use ir::{Action, BlockId, Input, Mutant, Register, reachable, reachable_externals};
use rayon::prelude::*;
use settle::{Claim, Obligation, Proof, Stage, Task, observe};
use smt::{Answer, Fuel, Solver};

use crate::assumptions::assumptions;
use crate::encode::compare::difference;
use crate::encode::{Bounds, Numbers, Plan, Segment, Stop};
use crate::inputs;
use crate::skeleton::Skeleton;
use invariants::Candidate;
use shape::Shape;

/// Loops of functions that are called are unrolled so far, and segments may have so many blocks.
const BOUNDS: Bounds = Bounds { iterations: 16, blocks: 4_000 };

/// Mutants that share what is known of the original.
const BATCH: usize = 16;

/// How often a shape may turn out too narrow, and equality too strong.
const ATTEMPTS: usize = 12;

/// A query over more terms than this is too large.
const LARGEST: usize = 10_000;

/// Inputs that are tried in search of a valid one.
const TRIED: usize = 500;

pub struct Inductive {
    /// For each query.
    pub fuel: Fuel,
    /// Whether proofs carry their obligations, for another solver.
    pub obligations: bool,
}

impl Inductive {
    pub const NAME: &str = "inductive";
}

impl Stage for Inductive {
    fn name(&self) -> &'static str {
        Inductive::NAME
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        let plan = Plan::new(task.program);
        if !applies(task, &plan) {
            return vec![];
        }
        let batch = |batch: &[Mutant]| task.once(self.name(), batch, || self.batch(task, &plan, batch));
        let found: Vec<Vec<(Mutant, Claim)>> = task.open.par_chunks(BATCH).map(batch).collect();
        found.into_iter().flatten().collect()
    }
}

/// Whether there is a loop to reason about, and nothing that we have no words for; and whether any input is valid, since all is true of
/// none.
fn applies(task: &Task, plan: &Plan) -> bool {
    let Task { program, subject, .. } = *task;
    let is_plain = |action: &Action| !matches!(action, Action::Allocate { .. } | Action::External { .. });
    let mut actions = reachable(program, subject)
        .into_iter()
        .flat_map(|id| &program.function(id).blocks)
        .flat_map(|block| &block.instructions);
    let valid = |input: &Input| observe(program, subject, input, task.limits).is_some();
    !plan.heads(subject).is_empty()
        && program.function(subject).door.is_none()
        && program.function(subject).unsupported.is_none()
        && reachable_externals(program, subject).is_empty()
        && actions.all(|instruction| is_plain(&instruction.action))
        && inputs::sequence(program, subject, task.space).take(TRIED).any(|input| valid(&input))
}

impl Inductive {
    fn batch(&self, task: &Task, plan: &Plan, batch: &[Mutant]) -> Vec<(Mutant, Claim)> {
        let Some(mut induction) = Induction::new(task, plan, self.fuel) else { return vec![] };
        let mut claims = Vec::new();
        for mutant in batch {
            let Some(refuted) = induction.mutant(*mutant) else { continue };
            let script = |root: &Term| Obligation(smtlib::script(&induction.terms, &[*root]));
            let obligations = match self.obligations {
                true => induction.lemmas.iter().chain(&refuted).map(script).collect(),
                false => vec![],
            };
            let method = "by induction: at the head of each loop, the state is the same".to_string();
            let assumptions = assumptions(task.program, task.subject, task.space);
            task.progress.advance(1);
            claims.push((*mutant, Claim::Equivalent(Proof { method, assumptions, obligations })));
        }
        claims
    }
}

/// What is known of the original of one subject.
struct Induction<'a> {
    task: &'a Task<'a>,
    plan: &'a Plan<'a>,
    terms: Terms,
    numbers: Numbers,
    inputs: Skeleton,
    solver: Solver,
    fuel: Fuel,
    entry: Segment,
    heads: BTreeMap<BlockId, Head>,
    /// Each is unsatisfiable: that the invariants hold.
    lemmas: Vec<Term>,
}

/// The head of a loop.
struct Head {
    shape: Shape,
    /// Any state of that shape.
    any: Stop,
    /// What the original does from there.
    segment: Segment,
    invariants: Vec<Candidate>,
}

impl<'a> Induction<'a> {
    /// None if the states at some head have no common shape that we could name.
    fn new(task: &'a Task<'a>, plan: &'a Plan<'a>, fuel: Fuel) -> Option<Induction<'a>> {
        let mut terms = Terms::new();
        let mut numbers = Numbers::default();
        let inputs = Skeleton::new(task.program, task.subject, task.space, &mut terms);
        let entry =
            plan.segment(&mut terms, &mut numbers, task.subject, Mutant::ORIGINAL, &inputs, BOUNDS, None);
        let (solver, lemmas) = (Solver::new(), vec![]);
        let heads = BTreeMap::new();
        let mut induction =
            Induction { task, plan, terms, numbers, inputs, solver, fuel, entry, heads, lemmas };
        induction.find_shapes()?;
        induction.find_invariants();
        Some(induction)
    }

    /// What a function does from a head on, under a mutant.
    fn segment(&mut self, mutant: Mutant, start: Option<(BlockId, &Stop)>) -> Segment {
        let Induction { task, plan, terms, numbers, inputs, .. } = self;
        plan.segment(terms, numbers, task.subject, mutant, inputs, BOUNDS, start)
    }

    /// Follows the original from head to head, until no state comes up that is of another shape than those before.
    fn find_shapes(&mut self) -> Option<()> {
        let mut waiting: Vec<(BlockId, Stop)> =
            self.entry.stops.iter().map(|(block, stop)| (*block, stop.clone())).collect();
        for _ in 0..ATTEMPTS * (1 + self.plan.heads(self.task.subject).len()) {
            let Some((block, stop)) = waiting.pop() else { return Some(()) };
            let live = self.plan.live(self.task.subject, block);
            let arrived = Shape::of(&mut self.terms, &live, &stop);
            let shape = match self.heads.get(&block) {
                None => arrived,
                Some(head) => match head.shape.joined(&arrived)? {
                    same if same == head.shape => continue,
                    wider => wider,
                },
            };
            let any = shape.any(&mut self.terms, &stop, block);
            let segment = self.segment(Mutant::ORIGINAL, Some((block, &any)));
            waiting.extend(segment.stops.iter().map(|(block, stop)| (*block, stop.clone())));
            self.heads.insert(block, Head { shape, any, segment, invariants: vec![] });
        }
        None
    }

    /// The original is in a state that it can be in, and breaks no rule up to the next cut.
    fn clean(&mut self, start: Option<BlockId>) -> Term {
        let (fault, facts) = match start.and_then(|block| self.heads.get(&block)) {
            None => (self.entry.encoding.fault, vec![]),
            Some(head) => {
                let facts = head.invariants.iter().map(|it| it.holds(&mut self.terms, &head.any)).collect();
                (head.segment.encoding.fault, facts)
            }
        };
        let fine = self.terms.not(fault);
        let facts = self.terms.all(facts);
        let constraint = self.inputs.constraint;
        self.terms.all([constraint, fine, facts])
    }

    fn starts(&self) -> Vec<Option<BlockId>> {
        std::iter::once(None).chain(self.heads.keys().copied().map(Some)).collect()
    }

    /// Whether the mutant does what the original does; the queries that say so.
    fn mutant(&mut self, mutant: Mutant) -> Option<Vec<Term>> {
        // By head, the registers that may differ.
        let mut free: BTreeMap<BlockId, BTreeSet<Register>> = BTreeMap::new();
        'anew: for _ in 0..ATTEMPTS {
            let mut refuted = Vec::new();
            for start in self.starts() {
                let (bad, apart) = self.step(mutant, start, &free);
                let differ: Vec<Term> = apart.iter().map(|(_, _, differ)| *differ).collect();
                let clean = self.clean(start);
                let any = self.terms.any(differ.iter().copied().chain([bad]));
                let query = self.terms.and(clean, any);
                match self.check(query)? {
                    None => refuted.push(query),
                    Some(model) => {
                        if self.terms.eval(bad, &model).is_true() {
                            return None;
                        }
                        for (block, register, differ) in &apart {
                            if self.terms.eval(*differ, &model).is_true() {
                                if !self.heads[block].shape.is_number(*register) {
                                    return None;
                                }
                                free.entry(*block).or_default().insert(*register);
                            }
                        }
                        continue 'anew;
                    }
                }
            }
            return Some(refuted);
        }
        None
    }

    /// One segment of both: what must not be, and for each register at a head that both come to, that it differs.
    fn step(
        &mut self,
        mutant: Mutant,
        start: Option<BlockId>,
        free: &BTreeMap<BlockId, BTreeSet<Register>>,
    ) -> (Term, Vec<(BlockId, Register, Term)>) {
        let state = start.map(|block| {
            let mut any = self.heads[&block].any.clone();
            for register in free.get(&block).into_iter().flatten() {
                let width = self.task.program.function(self.task.subject).registers[register.0 as usize];
                let own = self.terms.variable(&format!("own {}", register.0), width);
                any.values[register.0 as usize] = Some(ir::step::Value::of(own));
            }
            (block, any)
        });
        let ours = self.segment(mutant, state.as_ref().map(|(block, any)| (*block, any)));
        let original = match start {
            None => &self.entry,
            Some(block) => &self.heads[&block].segment,
        };
        let (one, other) = (&original.encoding, &ours.encoding);
        let terms = &mut self.terms;
        let difference = difference(self.task.program, self.task.subject, &self.inputs, terms, one, other);
        let seen = terms.any([difference.seen, difference.hidden, difference.unclear]);
        let seen = terms.and(one.returned, seen);
        let parts = terms.apply(Op::Ne, &[one.returned, other.returned]);
        let mut bad = vec![seen, parts, other.fault, other.unsupported, other.cut, one.unsupported, one.cut];
        let mut apart = Vec::new();
        let never = terms.truth(false);
        for block in original.stops.keys().chain(ours.stops.keys()).collect::<BTreeSet<_>>() {
            let guard = |segment: &Segment| segment.stops.get(block).map_or(never, |stop| stop.guard);
            bad.push(terms.apply(Op::Ne, &[guard(original), guard(&ours)]));
            let (Some(one), Some(other)) = (original.stops.get(block), ours.stops.get(block)) else {
                continue;
            };
            let memory = shape::memory_differs(terms, &one.state, &other.state);
            bad.push(terms.and(one.guard, memory));
            let free = free.get(block);
            for register in self.plan.live(self.task.subject, *block) {
                let at = register.0 as usize;
                let (Some(one_value), Some(value)) = (one.values[at], other.values[at]) else { continue };
                if free.is_some_and(|free| free.contains(&register)) {
                    // It may be any number, but has to be one.
                    bad.extend(value.undefined.map(|_| other.guard));
                    continue;
                }
                let differs = shape::value_differs(terms, one_value, value);
                let differs = terms.and(one.guard, differs);
                if terms.known_truth(differs) != Some(false) {
                    apart.push((*block, register, differs));
                }
            }
        }
        (self.terms.any(bad), apart)
    }

    /// None: out of fuel, or broken. A model, if there is one.
    fn check(&mut self, query: Term) -> Option<Option<Vec<Word>>> {
        if self.terms.known_truth(query) == Some(false) {
            return Some(None);
        }
        if self.terms.cone(&[query]).len() > LARGEST {
            return None;
        }
        match self.solver.check(&self.terms, &[query], self.fuel) {
            Ok(Answer::Unsat) => Some(None),
            Ok(Answer::Sat(model)) => Some(Some(model.words().to_vec())),
            Ok(Answer::Unknown) | Err(_) => None,
        }
    }
}

/// What a truth value is, if that is plain to see.
trait KnownTruth {
    fn known_truth(&self, truth: Term) -> Option<bool>;
}

impl KnownTruth for Terms {
    fn known_truth(&self, truth: Term) -> Option<bool> {
        self.known(&truth).map(|word| word.is_true())
    }
}
