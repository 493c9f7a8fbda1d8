//! Inductive: proofs without a bound.
//!
//! The function is cut at the heads of its loops. Original and mutant start each segment in the same state, whatever it is, as long as
//! the original can be in it; if both then come to the same head with the same state again, or return and are seen to do the same, they
//! do so for any number of rounds. They repeat each loop equally often, so that the mutant returns where the original does.
//!
//! Which states the original can be in is what [`invariants`] finds out: simple facts about numbers and pointers that hold at a head
//! the first time, and hold again after each segment. A variable of which the mutant has its own idea, and which does not matter, may
//! differ: equality is given up for it, and the proof begun anew.

mod horn;
mod invariants;
mod relation;
mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bv::{Domain, Term, Terms, Word, smtlib};
use ir::{Action, BlockId, FunctionId, Input, Mutant, Register, Space, reachable, reachable_externals};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use settle::{Claim, Obligation, Proof, Stage, Task, observe};
use smt::{Answer, Fuel, Process, Solver};

use crate::assumptions::{Sizes, granted};
use crate::encode::compare::difference;
use crate::encode::expanse::Unknown;
use crate::encode::{Bounds, Numbers, Part, Plan, Segment, Stop};
use crate::inputs;
use crate::premise::Premise;
use crate::skeleton::Skeleton;
use invariants::Candidate;
use relation::stand_in;
use shape::Shape;

/// Loops of functions that are called are unrolled so far, and segments may have so many blocks.
const BOUNDS: Bounds = Bounds { iterations: 16, blocks: 4_000 };

/// Mutants that share what is known of the original.
const BATCH: usize = 16;

/// How often a shape may turn out too narrow, and equality too strong.
const ATTEMPTS: usize = 12;

/// A query over more terms than this is too large.
const LARGEST: usize = 10_000;

/// So many decisions are made before a query is asked: each doubles the number of cases.
const CASES: usize = 3;

/// So many queries about a mutant that are too hard, and no more are asked: others ask for the same in other words. Each burns all of
/// its fuel twice; divisions by a variable took ten seconds for each mutant.
const PATIENCE: u32 = 2;

/// Inputs that are tried in search of a valid one.
const TRIED: usize = 500;

pub struct Inductive {
    /// For each query.
    pub fuel: Fuel,
    /// Whether proofs carry their obligations, for another solver.
    pub obligations: bool,
    pub methods: Methods,
    /// A solver for Horn clauses, if somebody wants it to be asked.
    pub horn: Option<Process>,
}

/// Which ways of looking for a proof there are, besides Horn clauses. Tests try each alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Methods {
    /// Original and mutant are in the same state at the heads of loops, or make the same calls of themselves.
    pub lockstep: bool,
    /// Their states at the heads are related in a way that is found out.
    pub relations: bool,
}

impl Methods {
    pub const ALL: Methods = Methods { lockstep: true, relations: true };
    pub const NONE: Methods = Methods { lockstep: false, relations: false };
}

impl Inductive {
    pub const NAME: &str = "inductive";
    /// For each query: a proof that is there is found soon.
    pub const FUEL: Fuel = Fuel(5_000);
    const METHOD: &str = "by induction";
    const FOR_ALL_SIZES: &str = "by induction for all sizes";

    /// What a proof says about its method, taken apart if it is one of these: how, and the relation that was found.
    pub fn parts(method: &str) -> Option<(&str, &str)> {
        method.split_once(": ").filter(|(how, _)| [Inductive::METHOD, Inductive::FOR_ALL_SIZES].contains(how))
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
        self.claims_if(task, None)
    }
}

impl Inductive {
    /// What can be claimed of inputs of which something holds.
    pub(crate) fn claims_if(&self, task: &Task, premise: Option<&Premise>) -> Vec<(Mutant, Claim)> {
        let plan = Plan::new(task.program);
        if !applies(task, &plan) {
            return vec![];
        }
        let batch =
            |batch: &[Mutant]| task.once(self.name(), batch, || self.batch(task, premise, &plan, batch));
        let found: Vec<Vec<(Mutant, Claim)>> = task.open.par_chunks(BATCH).map(batch).collect();
        found.into_iter().flatten().collect()
    }
}

/// Whether there is a loop or a buffer to reason about, and nothing that we have no words for; and whether any input is valid, since all is true of
/// none.
fn applies(task: &Task, plan: &Plan) -> bool {
    let Task { program, subject, .. } = *task;
    let is_plain = |action: &Action| !matches!(action, Action::Allocate { .. } | Action::External { .. });
    let mut actions = reachable(program, subject)
        .into_iter()
        .flat_map(|id| &program.function(id).blocks)
        .flat_map(|block| &block.instructions);
    let valid = |input: &Input| observe(program, subject, input, task.limits).is_some();
    let takes_buffers = |of: ir::TypeId| matches!(program.of(of), ir::Type::Pointer(_));
    let mut parameters = program.function(subject).signature.parameters.iter();
    (!plan.heads(subject).is_empty()
        || is_recursive(task)
        || parameters.any(|parameter| takes_buffers(parameter.of)))
        && program.function(subject).door.is_none()
        && program.function(subject).unsupported.is_none()
        && reachable_externals(program, subject).is_empty()
        && actions.all(|instruction| is_plain(&instruction.action))
        && inputs::sequence(program, subject, task.space).take(TRIED).any(|input| valid(&input))
}

/// Whether calls of the function by itself can be taken for what it returns: it has no loops, and nobody writes to memory.
fn is_recursive(task: &Task) -> bool {
    let Task { program, subject, .. } = *task;
    let is_plain = |action: &Action| {
        matches!(
            action,
            Action::Apply { .. }
                | Action::Site { .. }
                | Action::Call { .. }
                | Action::Load { .. }
                | Action::Stop(_)
        )
    };
    let reached = reachable(program, subject);
    let mut actions =
        reached.iter().flat_map(|id| &program.function(*id).blocks).flat_map(|block| &block.instructions);
    let calls = |id: &FunctionId| {
        let blocks = &program.function(*id).blocks;
        let mut actions = blocks.iter().flat_map(|block| &block.instructions).map(|it| &it.action);
        actions.any(|action| matches!(action, Action::Call { function, .. } if *function == subject))
    };
    ir::order::order(program.function(subject)).components().next().is_none()
        && reached.iter().any(calls)
        && actions.all(|instruction| is_plain(&instruction.action))
}

impl Inductive {
    /// First for buffers of any size; what that does not settle, for those that are looked at elsewhere.
    fn batch(
        &self,
        task: &Task,
        premise: Option<&Premise>,
        plan: &Plan,
        batch: &[Mutant],
    ) -> Vec<(Mutant, Claim)> {
        let mut claims: Vec<(Mutant, Claim)> = Vec::new();
        for any_size in [true, false] {
            let is_open = |mutant: &Mutant| claims.iter().all(|(claimed, _)| claimed != mutant);
            let open: Vec<Mutant> = batch.iter().copied().filter(is_open).collect();
            if open.is_empty() {
                break;
            }
            if let Some(induction) = Induction::new(task, premise, plan, self.fuel, any_size) {
                claims.extend(self.prove(task, induction, &open));
            }
        }
        claims
    }

    fn prove(&self, task: &Task, mut induction: Induction, open: &[Mutant]) -> Vec<(Mutant, Claim)> {
        let mut claims = Vec::new();
        for mutant in open {
            induction.patience = PATIENCE;
            let other = stand_in(task.program, task.subject, *mutant);
            let Methods { lockstep, relations } = self.methods;
            let found = match other {
                None if lockstep && is_recursive(task) => induction.recursive(*mutant),
                None if lockstep && induction.heads.is_empty() => induction.at_pace(*mutant, Pace::EVEN),
                None if lockstep => induction.mutant(*mutant),
                _ => None,
            };
            let has_loops = !is_recursive(task) && !induction.heads.is_empty();
            let relates = relations && (other.is_some() || has_loops);
            if found.is_none() {
                induction.find_invariants();
            }
            let related =
                |induction: &mut Induction| induction.related(*mutant, other.unwrap_or(task.subject));
            let found = found.or_else(|| if relates { related(&mut induction) } else { None });
            // What another solver finds, it does not show, so that nobody could confirm it.
            let horn = self
                .horn
                .as_ref()
                .filter(|_| !self.obligations && !induction.any_size && !is_recursive(task));
            let found = found.or_else(|| {
                let relation = induction.horn(horn?, *mutant, other.unwrap_or(task.subject))?;
                Some((vec![], relation))
            });
            let Some((refuted, relation)) = found else { continue };
            let obligations = match self.obligations {
                true => induction.obligations(&refuted),
                false => vec![],
            };
            let method = match induction.any_size {
                true if induction.heads.is_empty() && !is_recursive(task) => {
                    "no input of any size tells the difference".to_string()
                }
                true => format!("{}: {relation}", Inductive::FOR_ALL_SIZES),
                false => format!("{}: {relation}", Inductive::METHOD),
            };
            let sizes = if induction.any_size { Sizes::Any } else { Sizes::Looked };
            let space = Space { size: induction.inputs.size, ..task.space.clone() };
            let granted = granted(task.program, task.subject, &space, sizes);
            task.progress.advance(1);
            claims.push((*mutant, Claim::Equivalent(Proof { method, granted, obligations })));
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
    /// Whether the invariants were looked for.
    is_searched: bool,
    /// Each is unsatisfiable: that the invariants hold.
    lemmas: Vec<Term>,
    /// Whether buffers have any size.
    any_size: bool,
    /// How many queries about this mutant may still be too hard.
    patience: u32,
}

/// How the two go along with each other.
#[derive(Clone, Copy)]
struct Pace {
    /// Who is a round ahead when they first meet.
    entry: Lead,
    /// Whether one may need a round more than the other in the end.
    rest: bool,
}

impl Pace {
    const EVEN: Pace = Pace { entry: Lead::None, rest: false };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    None,
    Original,
    Mutant,
}

/// One segment of both.
struct Step {
    /// The original can be where it begins, and breaks no rule.
    clean: Term,
    /// What must not be.
    bad: Term,
    /// For each register at a head that both come to, that it differs.
    apart: Vec<(BlockId, Register, Term)>,
}

/// How the two come to a head.
struct Met {
    /// They come to the same one, with the same memory.
    met: Term,
    /// And something that may differ was never assigned.
    undefined: Term,
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
    /// None if the states at some head have no common shape that we could name; or if there are no buffers, and they should be of any
    /// size.
    fn new(
        task: &'a Task<'a>,
        premise: Option<&Premise>,
        plan: &'a Plan<'a>,
        fuel: Fuel,
        any_size: bool,
    ) -> Option<Induction<'a>> {
        let mut terms = Terms::new();
        let mut numbers = Numbers::default();
        let Task { program, subject, space, .. } = *task;
        let mut inputs = match any_size {
            true => Skeleton::of_any_size(program, subject, space, &mut terms)?,
            // Without a loop, this is no more than what others do.
            false if plan.heads(subject).is_empty() && !is_recursive(task) => return None,
            false => Skeleton::new(program, subject, space, &mut terms),
        };
        premise.iter().for_each(|premise| premise.restrict(&mut terms, &mut inputs));
        let recursion = is_recursive(task).then_some(None);
        let both = (task.subject, task.subject);
        let part = Part { recursion, ..Part::default() };
        let entry = plan.segment(&mut terms, &mut numbers, both, Mutant::ORIGINAL, &inputs, BOUNDS, part);
        let (solver, lemmas) = (Solver::new(), vec![]);
        let (heads, is_searched, patience) = (BTreeMap::new(), false, PATIENCE);
        let mut induction = Induction {
            task,
            plan,
            terms,
            numbers,
            inputs,
            solver,
            fuel,
            entry,
            heads,
            is_searched,
            lemmas,
            any_size,
            patience,
        };
        if induction.entry.is_torn {
            return None;
        }
        let first = induction.entry.stops.clone();
        induction.heads = induction.shapes(task.subject, Mutant::ORIGINAL, &first)?;
        Some(induction)
    }

    /// What a function does from a head on, under a mutant.
    fn segment(
        &mut self,
        function: FunctionId,
        mutant: Mutant,
        start: Option<(BlockId, &Stop)>,
        further: bool,
    ) -> Segment {
        let Induction { task, plan, terms, numbers, inputs, .. } = self;
        let part = Part { start, further, recursion: None };
        plan.segment(terms, numbers, (task.subject, function), mutant, inputs, BOUNDS, part)
    }

    /// Follows a function from head to head, until no state comes up that is of another shape than those before.
    fn shapes(
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
    fn mutant(&mut self, mutant: Mutant) -> Option<(Vec<Term>, String)> {
        // Most mutants that do the same do so in any state, and invariants cost more than all the rest.
        let found = if self.is_searched { None } else { self.at_pace(mutant, Pace::EVEN) };
        if found.is_some() {
            return found;
        }
        self.find_invariants();
        let pace = |entry, rest| Pace { entry, rest };
        [Pace::EVEN, pace(Lead::None, true), pace(Lead::Original, true), pace(Lead::Mutant, true)]
            .into_iter()
            .find_map(|pace| self.at_pace(mutant, pace))
    }

    /// Whether the mutant of a recursive function does what the original does, if it does so for the calls that both make.
    fn recursive(&mut self, mutant: Mutant) -> Option<(Vec<Term>, String)> {
        let Induction { task, plan, terms, numbers, inputs, entry, .. } = self;
        let part = Part { recursion: Some(Some(&entry.calls)), ..Part::default() };
        let theirs = plan.segment(terms, numbers, (task.subject, task.subject), mutant, inputs, BOUNDS, part);
        let near = Segment {
            encoding: self.entry.encoding.clone(),
            stops: BTreeMap::new(),
            is_torn: false,
            calls: self.entry.calls.clone(),
        };
        let good = self.ends(&near, &theirs);
        let bad = self.terms.not(good);
        let (clean, alike) = (self.clean(None), self.calls_agree());
        let query = self.terms.all([clean, alike, bad]);
        let guards: Vec<Term> = self.entry.calls.iter().map(|call| call.guard).collect();
        let mut refuted = Vec::new();
        for case in self.cases(query, &guards) {
            if self.check(case)?.is_some() {
                return None;
            }
            refuted.push(case);
        }
        Some((refuted, "its own calls return the same".to_string()))
    }

    /// The cases of a query, by what is decided in them. Where it is known which calls are made, products of what they return are the same
    /// to the eye, and a solver would have a hard time.
    fn cases(&mut self, query: Term, decisions: &[Term]) -> Vec<Term> {
        let mut cases = vec![query];
        for decision in decisions.iter().take(CASES) {
            let mut split = Vec::new();
            for case in cases {
                for holds in [true, false] {
                    let value = self.terms.truth(holds);
                    let rest = self.terms.rebuild(case, &mut FxHashMap::from_iter([(*decision, value)]));
                    let decided = if holds { *decision } else { self.terms.not(*decision) };
                    split.push(self.terms.and(decided, rest));
                }
            }
            cases = split;
        }
        cases
    }

    /// The same call returns the same.
    fn calls_agree(&mut self) -> Term {
        let calls = self.entry.calls.clone();
        let mut facts = Vec::new();
        for (at, one) in calls.iter().enumerate() {
            for other in &calls[at + 1..] {
                let pairs = one.arguments.iter().zip(&other.arguments);
                let same: Vec<Term> =
                    pairs.map(|(one, other)| self.terms.equal(one.word, other.word)).collect();
                let same = self.terms.all(same);
                if let (Some(one), Some(other)) = (one.result, other.result) {
                    let equal = self.terms.equal(one.word, other.word);
                    facts.push(self.terms.implies(same, equal));
                }
            }
        }
        self.terms.all(facts)
    }

    /// The same, if the two keep this pace.
    fn at_pace(&mut self, mutant: Mutant, pace: Pace) -> Option<(Vec<Term>, String)> {
        // By head, the registers that may differ.
        let mut free: BTreeMap<BlockId, BTreeSet<Register>> = BTreeMap::new();
        'anew: for _ in 0..ATTEMPTS {
            let mut refuted = Vec::new();
            for start in self.starts() {
                let Step { clean, bad, apart } = self.step(mutant, start, &free, pace);
                let differ = apart.iter().map(|(_, _, differ)| *differ);
                let any = self.terms.any(differ.chain([bad]));
                let query = self.terms.and(clean, any);
                let Some(model) = self.check(query)? else {
                    refuted.push(query);
                    continue;
                };
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
            return Some((refuted, self.same_variables(&free)));
        }
        None
    }

    /// What is the same at the heads, in the user's words.
    fn same_variables(&self, free: &BTreeMap<BlockId, BTreeSet<Register>>) -> String {
        let subject = self.task.subject;
        let mut names: Vec<String> = Vec::new();
        for block in self.heads.keys() {
            for register in self.plan.live(subject, *block) {
                let is_free = free.get(block).is_some_and(|free| free.contains(&register));
                let name = relation::name(self.task.program.function(subject), register);
                if let Some(name) = name.filter(|_| !is_free) {
                    names.push(format!("{name} == {name}'"));
                }
            }
        }
        relation::listed(names)
    }

    /// One segment of both.
    fn step(
        &mut self,
        mutant: Mutant,
        start: Option<BlockId>,
        free: &BTreeMap<BlockId, BTreeSet<Register>>,
        pace: Pace,
    ) -> Step {
        let any = start.map(|block| (block, self.heads[&block].any.clone()));
        let own = any.clone().map(|(block, any)| (block, self.freed(any, free.get(&block))));
        let follow = |induction: &mut Induction<'a>, mutant, further, any: &Option<(BlockId, Stop)>| {
            let any = any.as_ref().map(|(block, any)| (*block, any));
            induction.segment(induction.task.subject, mutant, any, further)
        };
        let (near, theirs) = (follow(self, Mutant::ORIGINAL, false, &any), follow(self, mutant, false, &own));
        let clean = self.clean(start);
        if !pace.rest {
            let (met, apart) = self.meet(&near, &theirs, free);
            let end = self.ends(&near, &theirs);
            let met_well = self.well(met.met, &near, &theirs);
            let good = self.terms.or(end, met_well);
            let neither = self.terms.not(good);
            return Step { clean, bad: self.terms.or(neither, met.undefined), apart };
        }
        let (far, further) = (follow(self, Mutant::ORIGINAL, true, &any), follow(self, mutant, true, &own));
        // A valid input breaks no rule later on either.
        let fine = self.terms.not(far.encoding.fault);
        let clean = self.terms.and(clean, fine);
        let lead = if start.is_none() { pace.entry } else { Lead::None };
        let (ours, others) = match lead {
            Lead::None => (&near, &theirs),
            Lead::Original => (&far, &theirs),
            Lead::Mutant => (&near, &further),
        };
        let (met, apart) = self.meet(ours, others, free);
        // Where one has returned, the other may need a round more.
        let ended = [self.ends(&near, &further), self.ends(&far, &theirs), self.ends(&far, &further)];
        let end = self.terms.any(ended);
        let met_well = self.well(met.met, ours, others);
        let good = self.terms.or(end, met_well);
        let neither = self.terms.not(good);
        // What differs counts only where the two meet, and not where they end.
        let goes_on = self.terms.not(end);
        let undefined = self.terms.and(met.undefined, goes_on);
        let apart = apart
            .into_iter()
            .map(|(block, register, differ)| (block, register, self.terms.and(differ, goes_on)));
        let apart = apart.collect();
        Step { clean, bad: self.terms.or(neither, undefined), apart }
    }

    /// Both return, and nobody can tell the difference.
    fn ends(&mut self, one: &Segment, other: &Segment) -> Term {
        let returned = self.terms.and(one.encoding.returned, other.encoding.returned);
        let differ = self.seen(one, other);
        let same = self.terms.not(differ);
        let ended = self.terms.and(returned, same);
        self.well(ended, one, other)
    }

    /// This holds, and we can answer for all that was done on the way.
    fn well(&mut self, holds: Term, one: &Segment, other: &Segment) -> Term {
        let wrong = self.wrong(other);
        let bad = self.terms.any([wrong, one.encoding.unsupported, one.encoding.cut]);
        let fine = self.terms.not(bad);
        self.terms.and(holds, fine)
    }

    /// The state of a mutant in which some registers are its own.
    fn freed(&mut self, mut any: Stop, free: Option<&BTreeSet<Register>>) -> Stop {
        for register in free.into_iter().flatten() {
            let width = self.task.program.function(self.task.subject).registers[register.0 as usize];
            let own = self.terms.variable(&format!("own {}", register.0), width);
            any.values[register.0 as usize] = Some(ir::step::Value::of(own));
        }
        any
    }

    /// That a mutant does something that we cannot answer for.
    fn wrong(&mut self, segment: &Segment) -> Term {
        let Segment { encoding, .. } = segment;
        self.terms.any([encoding.fault, encoding.unsupported, encoding.cut])
    }

    /// That somebody can tell how the two return.
    fn seen(&mut self, one: &Segment, other: &Segment) -> Term {
        let (one, other) = (&one.encoding, &other.encoding);
        let Induction { task, inputs, terms, .. } = self;
        let difference = difference(task.program, task.subject, inputs, terms, one, other);
        terms.any([difference.seen, difference.hidden, difference.unclear])
    }

    /// Where both come to the same head, with the same memory; and for each register there, that it differs.
    fn meet(
        &mut self,
        one: &Segment,
        other: &Segment,
        free: &BTreeMap<BlockId, BTreeSet<Register>>,
    ) -> (Met, Vec<(BlockId, Register, Term)>) {
        let (mut met, mut undefined, mut apart) = (Vec::new(), Vec::new(), Vec::new());
        for (block, ours) in &one.stops {
            let Some(theirs) = other.stops.get(block) else { continue };
            let both = self.terms.and(ours.guard, theirs.guard);
            let memory = shape::memory_differs(&mut self.terms, &ours.state, &theirs.state);
            let same = self.terms.not(memory);
            met.push(self.terms.and(both, same));
            for register in self.plan.live(self.task.subject, *block) {
                let at = register.0 as usize;
                let (Some(our_value), Some(value)) = (ours.values[at], theirs.values[at]) else { continue };
                if free.get(block).is_some_and(|free| free.contains(&register)) {
                    // It may be any number, but has to be one.
                    undefined.extend(value.undefined.map(|_| both));
                    continue;
                }
                let differs = shape::value_differs(&mut self.terms, our_value, value);
                let differs = self.terms.and(both, differs);
                if self.terms.known_truth(differs) != Some(false) {
                    apart.push((*block, register, differs));
                }
            }
        }
        let met = Met { met: self.terms.any(met), undefined: self.terms.any(undefined) };
        (met, apart)
    }

    /// What another solver has to refute.
    fn obligations(&mut self, refuted: &[Term]) -> Vec<Obligation> {
        let roots: Vec<Term> = self.lemmas.iter().chain(refuted).copied().collect();
        let roots: Vec<Term> = roots.into_iter().map(|root| self.with_reads(root)).collect();
        roots.iter().map(|root| Obligation(smtlib::script(&self.terms, &[*root]))).collect()
    }

    /// A query, where reads of unknown words at the same offset find the same.
    fn with_reads(&mut self, query: Term) -> Term {
        let given = self.inputs.unknowns().cloned();
        let objects = self.heads.values().flat_map(|head| head.any.state.memory.objects());
        let unknowns: Vec<Rc<Unknown>> = given
            .chain(objects.filter_map(|(_, object)| Some(Rc::clone(&object.expanse.as_ref()?.start))))
            .collect();
        let mut whole = query;
        // The offset of one may have been read at another.
        while !unknowns.is_empty() {
            let cone: FxHashSet<Term> = self.terms.cone(&[whole]).into_iter().collect();
            let mut parts = vec![query];
            for unknown in &unknowns {
                let reads: Vec<(Term, Term)> =
                    unknown.reads().into_iter().filter(|(_, word)| cone.contains(word)).collect();
                for (at, (one, one_word)) in reads.iter().enumerate() {
                    for (other, other_word) in &reads[at + 1..] {
                        let together = self.terms.equal(*one, *other);
                        let same = self.terms.equal(*one_word, *other_word);
                        parts.push(self.terms.implies(together, same));
                    }
                }
            }
            let next = self.terms.all(parts);
            if next == whole {
                break;
            }
            whole = next;
        }
        whole
    }

    /// None: out of fuel, or broken. A model, if there is one.
    fn check(&mut self, query: Term) -> Option<Option<Vec<Word>>> {
        if self.patience == 0 {
            return None;
        }
        // What a solver has learnt from other queries may lead it astray; one that gave up starts anew.
        let answer = self.check_with(query, self.fuel).or_else(|| self.check_with(query, self.fuel));
        self.patience -= u32::from(answer.is_none());
        answer
    }

    fn check_with(&mut self, query: Term, fuel: Fuel) -> Option<Option<Vec<Word>>> {
        let query = self.with_reads(query);
        if self.terms.known_truth(query) == Some(false) {
            return Some(None);
        }
        if self.terms.cone(&[query]).len() > LARGEST {
            return None;
        }
        match self.solver.check(&self.terms, &[query], fuel) {
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
