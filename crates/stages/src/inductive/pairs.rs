//! Finding the relation between two functions that differ, or between the original and a mutant whose
//! variables differ.
//!
//! The heads of both are paired, first with first. At a pair, `R(s, t)` of `inductive.rs` says: `s` is a
//! state of the original at its head, `t` one of the mutant at the other head, of the shape that was seen
//! there, with the same memory. All equations between the two hold that are left ([`Relation`]), and all
//! facts about `t` alone ([`Fact`]).
//!
//! Candidates that fail the first time, or after a segment that began with all of them, are dropped, until
//! those that are left keep each other up. Then (2) of `inductive.rs` is asked: does `R` suffice for both to
//! meet at a pair again, or to return the same? One side may be a round ahead at the entry, and one may need
//! a round more in the end.

use std::collections::{BTreeMap, BTreeSet};

use bv::{Term, Terms};
use ir::{BlockId, FunctionId, Mutant, Register};

use super::induction::{Head, Induction, Lead, Proved};
use super::invariants::{Fact, Kept, orders, within_objects};
use super::query::Checked;
use super::relation::Relation;
use super::shape::Shape;
use super::words;
use crate::encode::{Segment, Stop};

/// How many counterexamples are looked at before a relation is given up.
const ROUNDS: usize = 300;

/// A pair of heads.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) original: BlockId,
    mutant: BlockId,
    /// The shape of the mutant's states.
    shape: Shape,
    /// The registers of the mutant that are live there.
    live: Vec<Register>,
    /// Any state of the mutant there. Its memory is the original's.
    pub(super) any: Stop,
    relations: Vec<Relation>,
    /// What holds of the mutant alone.
    own: Vec<Fact>,
}

/// What both do from a pair of heads on, or from the entry.
pub(super) struct Course {
    /// The pair; None: the entry.
    start: Option<usize>,
    /// The original up to the next head, and up to the next but one.
    near: Segment,
    far: Segment,
    /// The mutant up to the next head, and up to the next but one.
    theirs: Segment,
    further: Segment,
}

/// Where both come to a pair of heads.
pub(super) struct Meeting {
    /// They come there, with the same memory, and nothing went wrong before.
    pub(super) met: Term,
    pub(super) original: Stop,
    pub(super) mutant: Stop,
}

impl Pair {
    /// Drops all equations and facts.
    pub(super) fn forget(&mut self) {
        self.relations.clear();
        self.own.clear();
    }

    /// The equations in two states, and then the facts about the mutant.
    fn facts(&self, terms: &mut Terms, original: &Stop, mutant: &Stop) -> Vec<Term> {
        let mut facts: Vec<Term> =
            self.relations.iter().map(|it| it.holds(terms, original, mutant)).collect();
        facts.extend(self.own.iter().map(|it| it.holds(terms, mutant)));
        facts
    }

    /// Keeps those of its facts for which this is true.
    fn retain(&mut self, holds: Vec<bool>) {
        let mut holds = holds.into_iter();
        self.relations.retain(|_| holds.next().unwrap_or(false));
        self.own.retain(|_| holds.next().unwrap_or(false));
    }
}

impl Course {
    /// The segments of both at whose ends they are to meet.
    fn meeting(&self, lead: Lead) -> (&Segment, &Segment) {
        match if self.start.is_none() { lead } else { Lead::None } {
            Lead::None => (&self.near, &self.theirs),
            Lead::Original => (&self.far, &self.theirs),
            Lead::Mutant => (&self.near, &self.further),
        }
    }
}

impl Induction<'_> {
    /// Whether a function, under a mutant, does what the original does.
    pub(super) fn related(&mut self, mutant: Mutant, function: FunctionId) -> Option<Proved> {
        let pairs = self.pairs(mutant, function)?;
        [Lead::None, Lead::Original, Lead::Mutant]
            .into_iter()
            .find_map(|lead| self.keeps_up(mutant, function, pairs.clone(), lead))
    }

    /// The heads of both, paired, with all equations between what is live there.
    pub(super) fn pairs(&mut self, mutant: Mutant, function: FunctionId) -> Option<Vec<Pair>> {
        let entry = self.segment(function, mutant, None, false);
        if entry.is_torn {
            return None;
        }
        let heads = self.shapes(function, mutant, &entry.stops)?;
        if self.heads.len() != heads.len() {
            return None;
        }
        let pair = |((original, ours), (other, theirs)): ((&BlockId, &Head), (&BlockId, &Head))| {
            let relations = Relation::candidates(&ours.shape, &theirs.shape);
            let mut any: Stop = theirs.any.clone();
            any.state = ours.any.state.clone();
            let mut own = within_objects(&theirs.shape);
            own.extend(orders(&self.terms, &theirs.shape, entry.stops.get(other)));
            let (shape, live) = (theirs.shape.clone(), self.plan.live(function, *other));
            Pair { original: *original, mutant: *other, shape, live, any, relations, own }
        };
        Some(self.heads.iter().zip(&heads).map(pair).collect())
    }

    /// All courses, that from the entry first.
    fn courses(&mut self, mutant: Mutant, function: FunctionId, pairs: &[Pair]) -> Vec<Course> {
        let starts = std::iter::once(None).chain((0..pairs.len()).map(Some));
        starts.map(|start| self.course(mutant, function, pairs, start)).collect()
    }

    pub(super) fn course(
        &mut self,
        mutant: Mutant,
        function: FunctionId,
        pairs: &[Pair],
        start: Option<usize>,
    ) -> Course {
        let subject = self.task.subject;
        let pair = start.map(|at| &pairs[at]);
        let ours = pair.map(|pair| (pair.original, self.heads[&pair.original].any.clone()));
        let ours = ours.as_ref().map(|(block, any)| (*block, any));
        let theirs = pair.map(|pair| (pair.mutant, &pair.any));
        Course {
            start,
            near: self.segment(subject, Mutant::ORIGINAL, ours, false),
            far: self.segment(subject, Mutant::ORIGINAL, ours, true),
            theirs: self.segment(function, mutant, theirs, false),
            further: self.segment(function, mutant, theirs, true),
        }
    }

    /// Drops facts until those that are left keep each other up, and asks whether they suffice.
    fn keeps_up(
        &mut self,
        mutant: Mutant,
        function: FunctionId,
        mut pairs: Vec<Pair>,
        lead: Lead,
    ) -> Option<Proved> {
        let courses = self.courses(mutant, function, &pairs);
        // How they begin depends on no relation.
        let entry = self.parts(&courses[0], &pairs, lead);
        let Checked::Never = self.check(entry) else { return None };
        // By course and pair.
        let ways: Vec<(usize, usize)> =
            (0..courses.len()).flat_map(|course| (0..pairs.len()).map(move |pair| (course, pair))).collect();
        let mut waiting: BTreeSet<(usize, usize)> = ways.iter().copied().collect();
        let mut kept: BTreeMap<(usize, usize), Vec<Term>> = BTreeMap::new();
        let (mut rounds, mut began) = (0, false);
        while let Some(way) = waiting.first().copied() {
            let (course, pair) = way;
            if course > 0 && !began {
                began = true;
                // All relations that hold at first hold here, and only fewer will. If they do not suffice
                // now, they never do.
                for course in &courses[1..] {
                    let query = self.parts(course, &pairs, lead);
                    if let Checked::Under(_) = self.check(query) {
                        return None;
                    }
                }
            }
            match self.related_still(&courses[course], &pairs, pair, lead)? {
                Kept::All(queries) => {
                    waiting.remove(&way);
                    kept.insert(way, queries);
                }
                Kept::Some(_) if rounds == ROUNDS => return None,
                Kept::Some(holds) => {
                    rounds += 1;
                    pairs[pair].retain(holds);
                    // These begin there, where less is known now.
                    waiting.extend(ways.iter().filter(|(course, _)| *course == pair + 1));
                }
            }
        }
        let mut refuted: Vec<Term> = kept.into_values().flatten().chain([entry]).collect();
        for course in &courses[1..] {
            let query = self.parts(course, &pairs, lead);
            let Checked::Never = self.check(query) else { return None };
            refuted.push(query);
        }
        let program = self.task.program;
        let (ours, theirs) = (program.function(self.task.subject), program.function(function));
        let all = pairs.iter().flat_map(|pair| &pair.relations);
        let relation = words::listed(all.filter_map(|it| it.in_words(ours, theirs)).collect());
        Some(Proved { refuted, relation })
    }

    /// The original can be in its state, breaks no rule, and the mutant is related to it.
    pub(super) fn clean_course(&mut self, course: &Course, pairs: &[Pair]) -> Term {
        let clean = self.clean(course.start.map(|at| pairs[at].original));
        let fine = self.terms.not(course.far.encoding.fault);
        let mut facts = vec![clean, fine];
        if let Some(pair) = course.start.map(|at| &pairs[at]) {
            facts.extend(pair.facts(&mut self.terms, &self.heads[&pair.original].any, &pair.any));
        }
        self.terms.all(facts)
    }

    /// How both come to a pair of heads, if they can.
    pub(super) fn meets(&mut self, course: &Course, pair: &Pair, lead: Lead) -> Option<Meeting> {
        let (one, other) = course.meeting(lead);
        let (original, mutant) = (one.stops.get(&pair.original)?, other.stops.get(&pair.mutant)?);
        let memory = original.state.memory.differs(&mut self.terms, &mutant.state.memory);
        let same = self.terms.not(memory);
        let met = self.terms.all([original.guard, mutant.guard, same]);
        let met = self.well(met, one, other);
        Some(Meeting { met, original: original.clone(), mutant: mutant.clone() })
    }

    /// Which facts of a pair of heads hold if both come there. None if the solver gives up.
    fn related_still(&mut self, course: &Course, pairs: &[Pair], pair: usize, lead: Lead) -> Option<Kept> {
        let clean = self.clean_course(course, pairs);
        let pair = &pairs[pair];
        let Some(Meeting { met, original, mutant }) = self.meets(course, pair, lead) else {
            return Some(Kept::All(vec![]));
        };
        let facts = pair.facts(&mut self.terms, &original, &mutant);
        let premise = self.terms.and(clean, met);
        self.keep(premise, &facts)
    }

    /// They are related at the start, and part.
    fn parts(&mut self, course: &Course, pairs: &[Pair], lead: Lead) -> Term {
        let good = self.good(course, pairs, lead);
        let bad = self.terms.not(good);
        let clean = self.clean_course(course, pairs);
        self.terms.and(clean, bad)
    }

    /// Both meet again, in states of the shape that was seen; or both return the same.
    pub(super) fn good(&mut self, course: &Course, pairs: &[Pair], lead: Lead) -> Term {
        let Course { near, far, theirs, further, .. } = course;
        let mut good = vec![
            self.ends(near, theirs),
            self.ends(near, further),
            self.ends(far, theirs),
            self.ends(far, further),
        ];
        for pair in pairs {
            if let Some(Meeting { met, mutant, .. }) = self.meets(course, pair, lead)
                && pair.shape.covers(&Shape::of(&mut self.terms, &pair.live, &mutant))
            {
                good.push(met);
            }
        }
        self.terms.any(good)
    }
}
