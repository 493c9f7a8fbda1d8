//! What is known of the original of one subject: its segments, the shapes of its states, its invariants. And
//! what every way of a proof asks about two segments: whether both end alike.

use std::collections::BTreeMap;

use bv::formula::not;
use bv::{Lack, Term, Terms, Work};
use ir::{BlockId, FunctionId, Mutant};
use settle::{Open, Task};
use smt::{Fuel, Solver};

use super::invariants::Fact;
use super::recursion::is_recursive;
use super::shape::Shape;
use super::{Inductive, SEARCHED};
use crate::assumptions::Sizes;
use crate::encode::compare::{Difference, difference};
use crate::encode::{Bounds, Names, Part, Plan, Recursion, Request, Segment, Stop};
use crate::premise::Premise;
use crate::rounds::out_of;
use crate::skeleton::Skeleton;

/// Loops of functions that are called are unrolled so far, and segments may have so many blocks.
pub(super) const BOUNDS: Bounds = Bounds { iterations: 16, blocks: 4_000 };

/// How often a shape may turn out too narrow, and equality too strong.
pub(super) const ATTEMPTS: usize = 12;

/// After so many queries about a mutant that are too hard, no more are asked: others ask the same in other
/// words. Each burns all of its fuel twice. Divisions by a variable took ten seconds for each mutant.
const PATIENCE: u32 = 2;

pub(super) struct Induction<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) plan: &'a Plan<'a>,
    pub(super) terms: Terms,
    pub(super) names: Names,
    pub(super) inputs: Skeleton<'a>,
    pub(super) solver: Solver,
    /// For each query.
    pub(super) fuel: Fuel,
    /// For all queries about one mutant.
    pub(super) altogether: Fuel,
    /// For the terms of one mutant.
    pub(super) work: Work,
    /// The segment from the entry.
    pub(super) entry: Segment,
    pub(super) heads: BTreeMap<BlockId, Head>,
    /// Whether the invariants were looked for.
    pub(super) is_searched: bool,
    /// Each is unsatisfiable. Together they say that the invariants hold.
    pub(super) lemmas: Vec<Term>,
    pub(super) sizes: Sizes,
    /// How many queries about this mutant may still be too hard.
    pub(super) patience: u32,
    /// Why some query about this mutant was too hard, if one was.
    pub(super) too_hard: Option<Open>,
}

/// The head of a loop.
pub(super) struct Head {
    pub(super) shape: Shape,
    /// Any state of that shape.
    pub(super) any: Stop,
    /// What the original does from there.
    pub(super) segment: Segment,
    pub(super) invariants: Vec<Fact>,
}

/// A proof that was found.
pub(super) struct Proved {
    /// Each is unsatisfiable. Together with the invariants they make the proof.
    pub(super) refuted: Vec<Term>,
    /// How the states are related, in the user's words.
    pub(super) relation: String,
}

/// Why there is nothing to prove about any mutant.
pub(super) enum Unfit {
    /// The states at some head have no common shape, or there are no buffers that could have any size.
    Shapeless,
    /// There is not enough fuel for the original alone.
    Lack(Lack),
}

impl Unfit {
    fn of(terms: &Terms) -> Unfit {
        terms.lack().map_or(Unfit::Shapeless, Unfit::Lack)
    }
}

/// Which of two segments goes further at the entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    None,
    Original,
    Mutant,
}

impl<'a> Induction<'a> {
    pub(super) fn new(
        task: &'a Task<'a>,
        premise: Option<&Premise>,
        plan: &'a Plan<'a>,
        stage: &Inductive,
        sizes: Sizes,
    ) -> Result<Induction<'a>, Unfit> {
        let memory = task.limits.memory.share();
        let mut terms = Terms::within(memory);
        let work = stage.round.work(stage.fuel);
        terms.allow(work);
        let mut names = Names::default();
        let Task { program, subject, space, .. } = *task;
        let mut inputs = match sizes {
            Sizes::Any => {
                Skeleton::of_any_size(program, subject, space, &mut terms).ok_or(Unfit::Shapeless)?
            }
            // Without a loop, `bounded` does as much.
            Sizes::Looked if plan.heads(subject).is_empty() && !is_recursive(task) => {
                return Err(Unfit::Shapeless);
            }
            Sizes::Looked => Skeleton::new(program, subject, space, &mut terms),
        };
        if let Some(premise) = premise {
            premise.restrict(&mut terms, &mut inputs);
        }
        let recursion = if is_recursive(task) { Recursion::MadeUp } else { Recursion::Followed };
        let part = Part { function: subject, start: None, further: false, recursion };
        let request = Request { inputs: &inputs, mutant: Mutant::ORIGINAL, bounds: BOUNDS };
        let entry = plan.segment(&mut terms, &mut names, request, part);
        if entry.is_torn {
            return Err(Unfit::of(&terms));
        }
        let first = entry.stops.clone();
        let mut induction = Induction {
            task,
            plan,
            terms,
            names,
            inputs,
            solver: Solver::until(task.stop, memory),
            fuel: stage.round.for_each(stage.fuel),
            altogether: stage.round.altogether(stage.fuel),
            work,
            entry,
            heads: BTreeMap::new(),
            is_searched: false,
            lemmas: vec![],
            sizes,
            patience: PATIENCE,
            too_hard: None,
        };
        let heads = induction.shapes(subject, Mutant::ORIGINAL, &first);
        match (heads, induction.terms.lack()) {
            (Some(heads), None) => Ok(Induction { heads, ..induction }),
            _ => Err(Unfit::of(&induction.terms)),
        }
    }

    /// Another mutant may ask as many hard questions as the one before.
    pub(super) fn renew_patience(&mut self) {
        self.patience = PATIENCE;
        self.too_hard = None;
        self.solver.allow(self.altogether);
        self.terms.allow(self.work);
    }

    /// Why there may be a proof all the same, if there is none so far.
    pub(super) fn why_too_hard(&self) -> Option<Open> {
        self.terms.lack().map(|lack| out_of(lack, SEARCHED)).or_else(|| self.too_hard.clone())
    }

    /// The entry, and all heads.
    pub(super) fn starts(&self) -> Vec<Option<BlockId>> {
        std::iter::once(None).chain(self.heads.keys().copied().map(Some)).collect()
    }

    /// What a function does under a mutant, from the entry or from a head on.
    pub(super) fn segment(
        &mut self,
        function: FunctionId,
        mutant: Mutant,
        start: Option<(BlockId, &Stop)>,
        further: bool,
    ) -> Segment {
        let request = Request { inputs: &self.inputs, mutant, bounds: BOUNDS };
        let part = Part { function, start, further, recursion: Recursion::Followed };
        self.plan.segment(&mut self.terms, &mut self.names, request, part)
    }

    /// Follows a function from head to head, until no state comes up that is of another shape than those
    /// before.
    pub(super) fn shapes(
        &mut self,
        function: FunctionId,
        mutant: Mutant,
        first: &BTreeMap<BlockId, Stop>,
    ) -> Option<BTreeMap<BlockId, Head>> {
        let mut heads: BTreeMap<BlockId, Head> = BTreeMap::new();
        let mut waiting: Vec<(BlockId, Stop)> =
            first.iter().map(|(block, stop)| (*block, stop.clone())).collect();
        for _ in 0..ATTEMPTS * (1 + self.plan.heads(function).len()) {
            let Some((block, stop)) = waiting.pop() else { return Some(heads) };
            let live = self.plan.live(function, block);
            let arrived = Shape::of(&mut self.terms, &live, &stop);
            let shape = match heads.get(&block) {
                None => arrived,
                Some(head) => match head.shape.joined(&arrived)? {
                    same if same == head.shape => continue,
                    wider => wider,
                },
            };
            let any = shape.any(&mut self.terms, &stop, block);
            let segment = self.segment(function, mutant, Some((block, &any)), false);
            // Facts about a head have to hold however control comes there.
            if segment.is_torn {
                return None;
            }
            waiting.extend(segment.stops.iter().map(|(block, stop)| (*block, stop.clone())));
            heads.insert(block, Head { shape, any, segment, invariants: vec![] });
        }
        None
    }

    /// The original is in a state that it can be in, and breaks no rule up to the next cut.
    pub(super) fn clean(&mut self, start: Option<BlockId>) -> Term {
        let (fault, facts) = match start.and_then(|block| self.heads.get(&block)) {
            None => (self.entry.encoding.fault, vec![]),
            Some(head) => {
                let facts = head.invariants.iter().map(|it| it.holds(&mut self.terms, &head.any)).collect();
                (head.segment.encoding.fault, facts)
            }
        };
        let fine = self.terms.not(fault);
        let facts = self.terms.all(facts);
        self.terms.all([self.inputs.constraint, fine, facts])
    }

    /// Both return, and nobody can tell the difference.
    pub(super) fn ends(&mut self, original: &Segment, mutant: &Segment) -> Term {
        let (ours, theirs) = (&original.encoding, &mutant.encoding);
        let returned = self.terms.and(ours.returned, theirs.returned);
        let Difference { seen, hidden, beyond, unclear } =
            difference(&mut self.terms, &self.inputs, ours, theirs);
        let differ = self.terms.any([seen, hidden, beyond, unclear]);
        let ended = self.terms.and(returned, not(differ));
        self.well(ended, original, mutant)
    }

    /// This holds. The mutant did not stop, and neither of the two was cut or came to something unsupported.
    pub(super) fn well(&mut self, holds: Term, original: &Segment, mutant: &Segment) -> Term {
        let (ours, theirs) = (&original.encoding, &mutant.encoding);
        let wrong = self.terms.any([theirs.fault, theirs.unsupported, theirs.cut]);
        let bad = self.terms.any([wrong, ours.unsupported, ours.cut]);
        self.terms.and(holds, not(bad))
    }
}
