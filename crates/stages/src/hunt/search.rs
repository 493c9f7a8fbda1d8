//! A leg of the search: batches of inputs run, what they show is judged, and more is made of what is kept.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use ir::{Batch, Different, Feature, Input, Mutant, Shows, Sighting, Space};
use settle::{Claim, Leg, Replay, Shown, Task, replay};

use crate::hunt::corpus::Corpus;
use crate::hunt::reduce::{length, reduce};
use crate::hunt::vary::Variation;
use crate::hunt::{Guidance, Hunt};
use crate::inputs;

/// Elements of a buffer, at most. A larger one is rarely needed to tell two programs apart, and nobody would
/// merge a test with it.
pub(super) const MOST_ELEMENTS: u32 = 1 << 14;

/// The inputs of the first batch: those that a person would try.
const PLAIN: usize = 128;

/// What a run costs besides its blocks, in blocks.
const RUN: u64 = 1_000;

/// What it costs to make and to send a value of an input, in blocks.
const VALUE: u64 = 25;

/// What all mutants may burn on one input, in blocks. So no batch takes longer than some seconds.
const MUTANTS: u64 = 4_000_000;

/// In so many batches, all mutants run. Then one of so many does, and the others only on inputs that are
/// kept.
const ALL_AT_ONCE: u32 = 16;
const TURNS: u32 = 8;

/// Sightings that the interpreter looks at before the mutants that are dead by then are left out.
const LOOKS_AT_ONCE: usize = 8;

/// If so many inputs with a new feature break a rule of C, the feature is taken for known.
const STALE: u32 = 6;

/// After so many inputs in a row that are not valid, the search ends. The function may call what nobody
/// knows.
const HOPELESS: u32 = 100;

/// A mutant about which the machine was wrong so often is not run any more.
const DISTRUST: u32 = 48;

/// A mutant that stopped or hung so often is not run again, in the hope of an input on which it returns.
const PATIENCE: usize = 6;

/// Any constant will do.
const SEED: u64 = 0x4855_4e54;

/// What a leg may burn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Of the machine, in blocks.
    pub fuel: u64,
    /// Of the interpreter, in blocks.
    pub looks: u64,
    /// It ends after so many batches in a row without a kill and without news.
    pub barren: usize,
}

/// What a leg begins with.
pub(super) struct Start {
    pub number: u32,
    /// What earlier legs have kept.
    pub corpus: Vec<Input>,
    pub weak: Vec<(Mutant, Claim)>,
    pub effort: Effort,
}

/// A leg of a search for inputs that kill the mutants of one subject.
pub(super) struct Search<'a> {
    task: &'a Task<'a>,
    hunt: &'a Hunt<'a>,
    start: Start,
    corpus: Corpus,
    /// Those that are not killed yet. Sorted.
    alive: Vec<Mutant>,
    claims: Vec<(Mutant, Claim)>,
    /// Mutants that stopped or hung: the plainest way in which it showed, where, and how often.
    doubtful: BTreeMap<Mutant, (Shown, Input, usize)>,
    /// How often the interpreter saw no difference.
    distrust: HashMap<Mutant, u32>,
    /// How often an input with this feature was not valid.
    stale: HashMap<Feature, u32>,
    /// What the machine has to learn before the next batch.
    known: Vec<Feature>,
    batches: u32,
    /// How many inputs in a row were not valid.
    invalid: u32,
    fuel: Cell<u64>,
    looks: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(task: &'a Task<'a>, hunt: &'a Hunt<'a>, alive: &[Mutant], start: Start) -> Search<'a> {
        let Effort { fuel, looks, .. } = start.effort;
        Search {
            task,
            hunt,
            start,
            corpus: Corpus::default(),
            alive: alive.to_vec(),
            claims: vec![],
            doubtful: BTreeMap::new(),
            distrust: HashMap::new(),
            stale: HashMap::new(),
            known: vec![],
            batches: 0,
            invalid: 0,
            fuel: Cell::new(fuel),
            looks,
        }
    }

    /// If the machine is broken, nothing is claimed.
    pub(super) fn run(mut self) -> Leg {
        let Task { program, subject, space, .. } = *self.task;
        let larger = Space { size: MOST_ELEMENTS, ..space.clone() };
        let variation = Variation::new(program, subject, &larger);
        if variation.has_no_choice() {
            // Others have run it already.
            return Leg::default();
        }
        let mut random = fastrand::Rng::with_seed(SEED + u64::from(self.start.number));
        let mut batch = self.first_batch();
        if self.go_on().is_none() {
            return Leg::default();
        }
        let mut barren = 0;
        while !self.alive.is_empty()
            && self.fuel.get() > 0
            && self.looks > 0
            && self.invalid < HOPELESS
            && barren < self.start.effort.barren
            && !self.task.stop.is_set()
        {
            let Some(news) = self.try_batch(&batch) else { return Leg::default() };
            barren = if news { 0 } else { barren + 1 };
            batch = variation.batch(&mut self.corpus, &mut random);
        }
        let weak = self.doubtful.into_iter().map(|(mutant, (_, input, _))| (mutant, Claim::Killed(input)));
        Leg { claims: self.claims, weak: weak.collect(), corpus: self.corpus.hand_on() }
    }

    /// What a person would try, and what has killed other mutants. Later legs have seen that.
    fn first_batch(&self) -> Vec<Input> {
        if self.start.number > 0 {
            return vec![];
        }
        let Task { program, subject, space, inputs, .. } = *self.task;
        inputs.iter().cloned().chain(inputs::attacks(program, subject, space, PLAIN)).collect()
    }

    /// Takes over what an earlier leg has handed on, and learns what is no news any more. None if the machine
    /// is broken.
    fn go_on(&mut self) -> Option<()> {
        let corpus = std::mem::take(&mut self.start.corpus);
        // All mutants have run on these.
        let batch = Batch { inputs: &corpus, forget: true, mutants: 0, ..self.batch() };
        let sightings = self.ask(&batch)?;
        self.known = sightings.into_iter().flat_map(|sighting| sighting.news).collect();
        corpus.into_iter().for_each(|input| self.corpus.keep(input));
        for (mutant, claim) in std::mem::take(&mut self.start.weak) {
            if let Claim::Killed(input) = claim {
                self.doubtful.insert(mutant, (Shown::Nowhere, input, 0));
            }
        }
        self.trace()
    }

    /// Runs a batch; whether it brought anything new. None if the machine is broken.
    fn try_batch(&mut self, inputs: &[Input]) -> Option<bool> {
        let due = self.due();
        let mut any = self.try_on(inputs, &due)?;
        let kept = self.corpus.untraced();
        if due.len() < self.alive.len() && !kept.is_empty() {
            any |= self.try_on(&kept, &self.alive.clone())?;
        }
        self.trace()?;
        self.batches += 1;
        Some(any)
    }

    /// The mutants whose turn it is. Most of what a batch costs are their runs, and most of these show what
    /// others have shown before: that nothing happens. So after a while, they take turns.
    fn due(&self) -> Vec<Mutant> {
        let turns = if self.batches < ALL_AT_ONCE { 1 } else { TURNS };
        let is_due = |mutant: &Mutant| (mutant.0 + self.batches).is_multiple_of(turns);
        self.alive.iter().copied().filter(is_due).collect()
    }

    /// Runs inputs as the original, and as these mutants where they infect them.
    fn try_on(&mut self, inputs: &[Input], mutants: &[Mutant]) -> Option<bool> {
        let known = std::mem::take(&mut self.known);
        let mut sightings = self.ask(&Batch { inputs, alive: mutants, known: &known, ..self.batch() })?;
        for sighting in &mut sightings {
            self.overlook(&mut sighting.news);
        }
        let mut seen: BTreeSet<Feature> = BTreeSet::new();
        // What an earlier input of the batch has shown is no news.
        let is_worth = |(_, sighting): &(&Input, Sighting)| {
            let news = sighting.news.iter().filter(|feature| seen.insert(**feature)).count();
            sighting.returned && (news > 0 || !sighting.different.is_empty())
        };
        let worth: Vec<(&Input, Sighting)> = inputs.iter().zip(sightings).filter(is_worth).collect();
        let mut any = false;
        for part in worth.chunks(LOOKS_AT_ONCE) {
            if self.looks == 0 || self.task.stop.is_set() {
                break;
            }
            let shorter: Vec<(Input, Sighting)> =
                part.iter().map(|(input, sighting)| self.shorten(input, sighting)).collect();
            any |= self.look(&shorter);
        }
        Some(any)
    }

    /// Leaves out the news that do not guide this search, now and later.
    fn overlook(&mut self, news: &mut Vec<Feature>) {
        let Guidance { reach, infection, comparisons } = self.hunt.guidance;
        let guides = |feature: &mut Feature| match feature.shows() {
            Shows::Reach => reach,
            Shows::Infection => infection,
            Shows::Comparison => comparisons,
        };
        self.known.extend(news.extract_if(.., |feature| !guides(feature)));
    }

    /// What is the same in all batches.
    fn batch(&self) -> Batch<'_> {
        Batch {
            subject: self.task.subject,
            inputs: &[],
            alive: &self.alive,
            known: &[],
            forget: false,
            trace: false,
            original: self.task.limits.original,
            mutant: self.task.limits.mutant,
            mutants: MUTANTS,
        }
    }

    fn ask(&self, batch: &Batch) -> Option<Vec<Sighting>> {
        let sightings = self.hunt.machine.run(batch)?;
        let burned = |it: &Sighting| it.fuel + it.burned + RUN;
        let values: usize = batch.inputs.iter().map(length).sum();
        let burned = sightings.iter().map(burned).sum::<u64>() + values as u64 * VALUE;
        self.fuel.set(self.fuel.get().saturating_sub(burned));
        Some(sightings)
    }

    /// A shorter input that shows the same.
    fn shorten(&self, input: &Input, sighting: &Sighting) -> (Input, Sighting) {
        let is_alive = |it: &&Different| self.is_alive(it.mutant);
        let different: Vec<Different> = sighting.different.iter().filter(is_alive).copied().collect();
        // No other mutant decides whether the shorter input will do.
        let infected = sighting.news.iter().filter_map(|feature| feature.infected());
        let alive: BTreeSet<Mutant> = different.iter().map(|it| it.mutant).chain(infected).collect();
        let alive: Vec<Mutant> = alive.into_iter().collect();
        let run = |inputs: &[Input]| {
            let ask = || self.ask(&Batch { inputs, alive: &alive, ..self.batch() });
            if self.task.stop.is_set() { None } else { ask() }
        };
        let is_wanted = |shorter: &Sighting| {
            shorter.returned
                && sighting.news.iter().all(|feature| shorter.news.contains(feature))
                && different.iter().all(|mutant| shorter.different.contains(mutant))
        };
        (reduce(input, run, is_wanted), sighting.clone())
    }

    /// Has the interpreter look at what the machine has shown. Whether that was news.
    fn look(&mut self, worth: &[(Input, Sighting)]) -> bool {
        let Task { program, subject, limits, .. } = *self.task;
        let look = |(input, sighting): &(Input, Sighting)| {
            let different = sighting.different.iter().map(|it| it.mutant);
            let different: Vec<Mutant> = different.filter(|it| self.is_alive(*it)).collect();
            (replay(program, subject, input, &different, limits), different)
        };
        let looks: Vec<(Replay, Vec<Mutant>)> = worth.iter().map(look).collect();
        let mut any = false;
        for ((input, sighting), (replay, different)) in worth.iter().zip(looks) {
            self.looks = self.looks.saturating_sub(replay.fuel + length(input) as u64);
            if !replay.valid {
                self.distrust_features(&sighting.news);
                self.invalid += 1;
                continue;
            }
            self.invalid = 0;
            any |= !sighting.news.is_empty() || !replay.killed.is_empty();
            self.known.extend(&sighting.news);
            let kills = replay.killed.iter().any(|(it, _)| self.is_alive(*it));
            if !sighting.news.is_empty() || kills && self.hunt.guidance != Guidance::NONE {
                self.corpus.keep(input.clone());
            }
            self.take(input, &replay, &different);
        }
        any
    }

    /// A feature of inputs that are never valid leads nowhere.
    fn distrust_features(&mut self, features: &[Feature]) {
        for feature in features {
            let times = self.stale.entry(*feature).or_default();
            *times += 1;
            if *times == STALE {
                self.known.push(*feature);
            }
        }
    }

    /// Takes in which mutants an input kills.
    fn take(&mut self, input: &Input, replay: &Replay, different: &[Mutant]) {
        let slow = replay.slow.iter().map(|mutant| (*mutant, Shown::Stopped));
        for (mutant, shown) in replay.killed.iter().copied().chain(slow) {
            if !self.is_alive(mutant) {
                continue;
            }
            if shown == Shown::Plainly {
                self.doubtful.remove(&mutant);
                self.claims.push((mutant, Claim::Killed(input.clone())));
                self.bury(mutant);
                continue;
            }
            let doubt = self.doubtful.entry(mutant).or_insert_with(|| (shown, input.clone(), 0));
            if shown < doubt.0 {
                *doubt = (shown, input.clone(), doubt.2);
            }
            doubt.2 += 1;
            if doubt.2 >= PATIENCE {
                self.bury(mutant);
            }
        }
        let is_seen = |mutant: &Mutant| {
            replay.slow.contains(mutant) || replay.killed.iter().any(|(killed, _)| killed == mutant)
        };
        for mutant in different.iter().filter(|mutant| !is_seen(mutant)) {
            let times = self.distrust.entry(*mutant).or_default();
            *times += 1;
            if *times == DISTRUST {
                self.bury(*mutant);
            }
        }
    }

    fn is_alive(&self, mutant: Mutant) -> bool {
        self.alive.binary_search(&mutant).is_ok()
    }

    /// Runs a mutant no more.
    fn bury(&mut self, mutant: Mutant) {
        if let Ok(at) = self.alive.binary_search(&mutant) {
            self.alive.remove(at);
        }
    }

    /// Finds out what the inputs that were kept compare. None if the machine is broken.
    fn trace(&mut self) -> Option<()> {
        let untraced = self.corpus.untraced();
        if untraced.is_empty() {
            return Some(());
        }
        let batch = Batch { inputs: &untraced, alive: &[], trace: true, ..self.batch() };
        if !self.hunt.guidance.comparisons {
            self.corpus.trim();
            return Some(());
        }
        let sightings = self.ask(&batch)?;
        self.corpus.note_compared(sightings.into_iter().map(|it| it.compared));
        self.corpus.trim();
        Some(())
    }
}
