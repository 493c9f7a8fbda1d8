//! Hunt: guided search for inputs that kill, at the speed of the machine.
//!
//! Nothing is proved here. The interpreter is slow on inputs of hundreds of elements. So inputs run as
//! machine code, by the batch, as the original and as the mutants that they infect. The machine only says
//! where to look: what it shows is seen again by the interpreter before anything is claimed, and then by the
//! checker.
//!
//! The search is guided, as in greybox fuzzing. An input is kept if its run shows a [feature](ir::Feature)
//! that none before has shown: a block entered more often, a mutant infected, a comparison closer to equal.
//! New inputs are made from those that were kept ([`vary`]): a number, a length or a byte changes, parts of
//! one go into another, and values that the program compared take each other's place.
//!
//! Inputs are those of the subject's space, but for their sizes: buffers have up to [`MOST_ELEMENTS`].
//!
//! Always the same inputs run, in the same order, on every machine and with any number of threads: the
//! generator is seeded with a constant, and what is news is judged against the state before the batch. Fuel
//! is counted in blocks.
//!
//! After AFL (Zalewski, 2013), its comparison log in REDQUEEN (Aschermann et al., 2019), and infection as a
//! goal in the search for mutants (DeMillo and Offutt, 1991).

mod corpus;
mod reduce;
mod vary;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use ir::{Action, Batch, Different, Feature, FunctionId, Input, Mutant, Program, Sighting, Space, reachable};
use settle::{Claim, Replay, Shown, Stage, Task, replay};

use crate::hunt::corpus::Corpus;
use crate::hunt::reduce::{length, reduce};
use crate::hunt::vary::Variation;
use crate::inputs;

/// Runs inputs as machine code.
pub trait Runner: Sync {
    /// What each input of a batch shows. None if the machine is broken.
    fn run(&self, batch: &Batch) -> Option<Vec<Sighting>>;

    /// Whether the machine code has this mutant. A stage may be asked about others, which only probe whether
    /// a place is reached.
    fn has(&self, mutant: Mutant) -> bool;
}

/// How long to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Before any proof. A function without loops is left to those who see all of its paths at once, and few
    /// mutants to those who prove.
    Short,
    /// For what nobody could prove.
    Long,
}

/// Elements of a buffer, at most. A larger one is rarely needed to tell two programs apart, and nobody would
/// merge a test with it.
const MOST_ELEMENTS: u32 = 1 << 14;

/// With fewer mutants than this, proofs take no longer than to build machine code that takes notes.
const WORTH: usize = 16;

/// The inputs of the first batch: those that a person would try.
const PLAIN: usize = 128;

/// What a run costs besides its blocks, in blocks.
const RUN: u64 = 1_000;

/// What the search may burn, in blocks, for itself and for each mutant. A block takes about two nanoseconds.
const SHORT_FUEL: u64 = 20_000_000;
const SHORT_FUEL_PER_MUTANT: u64 = 4_000_000;
const LONG_FUEL: u64 = 200_000_000;
const LONG_FUEL_PER_MUTANT: u64 = 100_000_000;

/// What all mutants may burn on one input, in blocks. So no batch takes longer than some seconds.
const MUTANTS: u64 = 4_000_000;

/// In so many batches, all mutants run. Then one of so many does, and the others only on inputs that are
/// kept.
const ALL_AT_ONCE: u32 = 16;
const TURNS: u32 = 8;

/// After so many batches in a row without a kill and without news, the search ends.
const BARREN_SHORT: usize = 12;
const BARREN_LONG: usize = 400;

/// What the interpreter may burn to look at sightings, in blocks: a block takes about a quarter of a
/// microsecond.
const LOOKS_SHORT: u64 = 2_000_000;
const LOOKS_LONG: u64 = 60_000_000;

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

pub struct Hunt<'a> {
    pub machine: &'a dyn Runner,
    pub patience: Patience,
}

impl Hunt<'_> {
    pub const NAME: &'static str = "hunt";
}

impl Stage for Hunt<'_> {
    fn name(&self) -> &'static str {
        Hunt::NAME
    }

    fn claims(&self, task: &Task) -> Vec<(Mutant, Claim)> {
        let is_worth = || task.open.len() >= WORTH && has_loops(task.program, task.subject);
        let part = match self.patience {
            Patience::Short if !is_worth() => return vec![],
            Patience::Short => "hunt, first round",
            Patience::Long => "hunt",
        };
        let open: Vec<Mutant> = task.open.iter().copied().filter(|it| self.machine.has(*it)).collect();
        if open.is_empty() {
            return vec![];
        }
        task.once(part, &open, || Search::new(task, open.clone(), self.machine, self.patience).run())
    }
}

/// A search for inputs that kill the mutants of one subject.
struct Search<'a> {
    task: &'a Task<'a>,
    machine: &'a dyn Runner,
    patience: Patience,
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
    fn new(
        task: &'a Task<'a>,
        alive: Vec<Mutant>,
        machine: &'a dyn Runner,
        patience: Patience,
    ) -> Search<'a> {
        let mutants = alive.len() as u64;
        let (fuel, looks) = match patience {
            Patience::Short => (SHORT_FUEL + mutants * SHORT_FUEL_PER_MUTANT, LOOKS_SHORT),
            Patience::Long => (LONG_FUEL + mutants * LONG_FUEL_PER_MUTANT, LOOKS_LONG),
        };
        Search {
            task,
            machine,
            patience,
            corpus: Corpus::default(),
            alive,
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

    fn run(mut self) -> Vec<(Mutant, Claim)> {
        let Task { program, subject, space, .. } = *self.task;
        let larger = Space { size: MOST_ELEMENTS, ..space.clone() };
        let variation = Variation::new(program, subject, &larger);
        if variation.has_no_choice() {
            // Others have run it already.
            return vec![];
        }
        let mut random = fastrand::Rng::with_seed(SEED);
        let plain = inputs::attacks(program, subject, space, PLAIN);
        let mut batch: Vec<Input> = self.task.inputs.iter().cloned().chain(plain).collect();
        let most_barren = match self.patience {
            Patience::Short => BARREN_SHORT,
            Patience::Long => BARREN_LONG,
        };
        let mut barren = 0;
        let mut forget = true;
        while !self.alive.is_empty()
            && self.fuel.get() > 0
            && self.looks > 0
            && self.invalid < HOPELESS
            && barren < most_barren
        {
            let Some(news) = self.try_batch(&batch, forget) else { return vec![] };
            if self.task.stop.is_set() {
                return self.claims;
            }
            forget = false;
            barren = if news { 0 } else { barren + 1 };
            batch = variation.batch(&mut self.corpus, &mut random);
        }
        let others = self.doubtful.into_iter().map(|(mutant, (_, input, _))| (mutant, Claim::Killed(input)));
        self.claims.extend(others);
        self.claims
    }

    /// Runs a batch; whether it brought anything new. None if the machine is broken.
    fn try_batch(&mut self, inputs: &[Input], forget: bool) -> Option<bool> {
        let due = self.due();
        let mut any = self.try_on(inputs, &due, forget)?;
        let kept = self.corpus.untraced();
        if due.len() < self.alive.len() && !kept.is_empty() {
            any |= self.try_on(&kept, &self.alive.clone(), false)?;
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
    fn try_on(&mut self, inputs: &[Input], mutants: &[Mutant], forget: bool) -> Option<bool> {
        let known = std::mem::take(&mut self.known);
        let sightings = self.ask(&Batch { inputs, alive: mutants, known: &known, forget, ..self.batch() })?;
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
        let sightings = self.machine.run(batch)?;
        let burned = |it: &Sighting| it.fuel + it.burned + RUN;
        self.fuel.set(self.fuel.get().saturating_sub(sightings.iter().map(burned).sum()));
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
            if !sighting.news.is_empty() || replay.killed.iter().any(|(it, _)| self.is_alive(*it)) {
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
        let sightings = self.ask(&batch)?;
        self.corpus.note_compared(sightings.into_iter().map(|it| it.compared));
        self.corpus.trim();
        Some(())
    }
}

/// Whether a run may repeat something: a loop, or a call.
fn has_loops(program: &Program, subject: FunctionId) -> bool {
    let is_repeated = |id: &FunctionId| {
        let function = program.function(*id);
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let mut calls = instructions.filter_map(|instruction| match &instruction.action {
            Action::Call { function, .. } => Some(*function),
            _ => None,
        });
        ir::order::order(function).components().next().is_some()
            || calls.any(|callee| reachable(program, callee).binary_search(id).is_ok())
    };
    reachable(program, subject).iter().any(is_repeated)
}
