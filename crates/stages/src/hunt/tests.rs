//! What legs of a search hand on to each other, with a machine that is made up.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Mutex as Lock;
use std::sync::atomic::{AtomicUsize, Ordering};

use bv::Stop;
use ir::{Different, Feature, Space};
use settle::{Limits, Notebook};

use super::*;

const PROGRAM: &str = r#"type 0 = u32 "unsigned"
    function @f(%0 x: type 0) -> type 0 {
    block0: %1:i32 = site 0(%0) @ 1:1
        return %1 }
    site 0(%0:i32) -> i32 { original: return %0 mutant 1: return 0:i32 mutant 2: return 1:i32 mutant 3: return %0 }"#;

/// A machine on which a run takes long, and shows something new for each number below a thousand. It sees
/// that mutants differ on few inputs only.
#[derive(Default)]
struct Machine {
    asked: AtomicUsize,
    known: Lock<Vec<Feature>>,
}

impl Runner for Machine {
    fn run(&self, batch: &Batch) -> Option<Vec<Sighting>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut known = self.known.lock().expect("nobody panics");
        if batch.forget {
            known.clear();
        }
        known.extend(batch.known);
        let sighting = |input: &Input| {
            let number = input.arguments[0].word().expect("it is a number").bits() as u64;
            let feature = Feature(1 << 56 | number % 1_000);
            let mutant = Mutant((number % 1_000 / 10) as u32);
            let is_seen = batch.mutants > 0 && batch.alive.contains(&mutant);
            Sighting {
                returned: true,
                fuel: 100_000,
                news: Some(feature).filter(|feature| !known.contains(feature)).into_iter().collect(),
                different: is_seen.then_some(Different { mutant, returned: true }).into_iter().collect(),
                ..Sighting::default()
            }
        };
        Some(batch.inputs.iter().map(sighting).collect())
    }

    fn has(&self, _: Mutant) -> bool {
        true
    }
}

/// Remembers so many legs.
struct Memory {
    most: usize,
    legs: Lock<BTreeMap<String, Leg>>,
}

impl Notebook for Memory {
    fn recall(&self, _: &str, _: &[Mutant]) -> Option<Vec<(Mutant, Claim)>> {
        None
    }

    fn note(&self, _: &str, _: &[Mutant], _: &[(Mutant, Claim)]) {}

    fn recall_leg(&self, part: &str, _: &[Mutant]) -> Option<Leg> {
        self.legs.lock().expect("nobody panics").get(part).cloned()
    }

    fn note_leg(&self, part: &str, _: &[Mutant], leg: &Leg) {
        let mut legs = self.legs.lock().expect("nobody panics");
        if legs.len() < self.most {
            legs.insert(part.to_string(), leg.clone());
        }
    }
}

/// What a search claims, what it keeps, and how often it asks the machine.
fn search(memory: &Memory) -> (Vec<(Mutant, Claim)>, Vec<Input>, usize) {
    let program = ir::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let (machine, corpora) = (Machine::default(), Corpora::default());
    let hunt =
        Hunt { machine: &machine, patience: Patience::Long, guidance: Guidance::FULL, corpora: &corpora };
    let (space, stop) = (Space::default(), Stop::default());
    let alone = Task::alone(&program, FunctionId(0), &space, Limits::default(), &stop);
    let open = [Mutant(1), Mutant(2), Mutant(3)];
    let claims = hunt.claims(&Task { open: &open, notebook: memory, ..alone });
    (claims, corpora.take(FunctionId(0)), machine.asked.into_inner())
}

fn memory(most: usize) -> Memory {
    Memory { most, legs: Lock::default() }
}

#[test]
fn a_search_goes_on_from_any_leg_as_if_it_had_never_stopped() {
    let whole = memory(usize::MAX);
    let (claims, corpus, asked) = search(&whole);
    let legs = whole.legs.lock().expect("nobody panics").len();
    assert!(claims.len() >= 2 && corpus.len() > 100 && legs >= 3, "{} {} {legs}", claims.len(), corpus.len());
    let fewer = Cell::new(asked);
    for most in 1..=legs {
        let memory = memory(most);
        search(&memory);
        let (claims_again, corpus_again, asked_again) = search(&memory);
        assert_eq!((&claims_again, &corpus_again), (&claims, &corpus), "after {most} legs");
        assert!(asked_again < fewer.replace(asked_again), "after {most} legs");
    }
    assert_eq!(fewer.get(), 0, "what is known is not searched again");
}

#[test]
fn without_guidance_nothing_is_kept() {
    let program = ir::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let (machine, corpora, memory) = (Machine::default(), Corpora::default(), memory(0));
    let patience = Patience::Long;
    let hunt = Hunt { machine: &machine, patience, guidance: Guidance::NONE, corpora: &corpora };
    let (space, stop) = (Space::default(), Stop::default());
    let alone = Task::alone(&program, FunctionId(0), &space, Limits::default(), &stop);
    hunt.claims(&Task { open: &[Mutant(1)], notebook: &memory, ..alone });
    assert_eq!(corpora.take(FunctionId(0)), vec![]);
}
