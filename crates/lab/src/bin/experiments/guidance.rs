//! What guides the hunt, and what each part of it buys: programs of ours that need long or odd inputs, each
//! searched with more and more guidance. Every way may burn the same fuel, and none is asked whether more is
//! worth it.
//!
//! A kill counts when the interpreter has seen it. When that was is known to a leg of the search.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bv::Stop;
use ir::{Batch, FunctionId, Input, Mutant, Sighting, Space};
use lab::measure::{load, subjects};
use serde_json::{Value, json};
use settle::{Claim, Leg, Limits, Notebook, Stage, Task};
use stages::{Corpora, Guidance, Hunt, Patience, Runner, Simulate};

use crate::Lab;
use crate::thesis::rounded;

const PROGRAMS: [&str; 5] = ["blocks", "codes", "header", "seal", "tokens"];

/// What guides the search. None: there is no hunt.
const WAYS: [(&str, Option<Guidance>); 5] = [
    ("simulate only", None),
    ("hunt, no guidance", Some(Guidance::NONE)),
    ("+ reach", Some(Guidance { reach: true, ..Guidance::NONE })),
    ("+ infection", Some(Guidance { reach: true, infection: true, comparisons: false })),
    ("+ comparisons", Some(Guidance::FULL)),
];

pub(crate) fn measure(lab: &Lab) -> Result<Value> {
    let mut rows = Vec::new();
    for program in PROGRAMS {
        let unit = load(&lab.program(&format!("hunt/{program}.c")), "default", llvm::Overflow::Undefined)?;
        let (subject, mutants) = subjects(&unit).into_iter().next().context("there is a function")?;
        for (way, guidance) in WAYS {
            let search = Search { unit: &unit, subject, mutants: &mutants };
            let kills = search.run(guidance)?;
            let (seconds, killed) = kills.last().copied().unwrap_or_default();
            eprintln!("  {way}: {program}: {killed} of {} killed, {seconds} s", mutants.len());
            rows.push(json!({"way": way, "program": program, "mutants": mutants.len(), "killed": killed, "seconds": seconds, "kills": kills}));
        }
    }
    Ok(json!(rows))
}

struct Search<'a> {
    unit: &'a llvm::Unit,
    subject: FunctionId,
    mutants: &'a [Mutant],
}

impl Search<'_> {
    /// How many mutants were killed after so many seconds.
    fn run(&self, guidance: Option<Guidance>) -> Result<Vec<(f64, usize)>> {
        let Search { unit, subject, mutants } = *self;
        let clock = Clock { started: Instant::now(), kills: Mutex::default() };
        let (space, stop) = (Space::default(), Stop::default());
        let alone = Task::alone(&unit.program, subject, &space, Limits::default(), &stop);
        let claims = Simulate.claims(&Task { open: mutants, notebook: &clock, ..alone });
        if let Some(guidance) = guidance {
            let is_open = |mutant: &&Mutant| claims.iter().all(|(killed, _)| killed != *mutant);
            let open: Vec<Mutant> = mutants.iter().filter(is_open).copied().collect();
            let inputs: Vec<Input> = claims.iter().filter_map(|(_, claim)| killing(claim)).collect();
            let machine = Machine(llvm::Hunt::build(unit)?);
            let corpora = Corpora::default();
            let hunt = Hunt { machine: &machine, patience: Patience::Stubborn, guidance, corpora: &corpora };
            let alone = Task::alone(&unit.program, subject, &space, Limits::default(), &stop);
            hunt.claims(&Task { open: &open, inputs: &inputs, notebook: &clock, ..alone });
        }
        Ok(clock.kills())
    }
}

fn killing(claim: &Claim) -> Option<Input> {
    match claim {
        Claim::Killed(input) => Some(input.clone()),
        _ => None,
    }
}

/// Notes when kills were claimed.
struct Clock {
    started: Instant,
    kills: Mutex<Vec<(Duration, usize)>>,
}

impl Clock {
    fn add(&self, claims: &[(Mutant, Claim)]) {
        let killed = claims.iter().filter(|(_, claim)| killing(claim).is_some()).count();
        self.kills.lock().expect("nobody panics").push((self.started.elapsed(), killed));
    }

    /// All kills up to a moment.
    fn kills(&self) -> Vec<(f64, usize)> {
        let mut all = 0;
        let kills = self.kills.lock().expect("nobody panics");
        let sums = kills.iter().map(|(time, killed)| {
            all += killed;
            (rounded(time.as_secs_f64()), all)
        });
        sums.collect()
    }
}

impl Notebook for Clock {
    fn recall(&self, _: &str, _: &[Mutant]) -> Option<Vec<(Mutant, Claim)>> {
        None
    }

    fn note(&self, _: &str, _: &[Mutant], claims: &[(Mutant, Claim)]) {
        self.add(claims);
    }

    fn recall_leg(&self, _: &str, _: &[Mutant]) -> Option<Leg> {
        None
    }

    fn note_leg(&self, _: &str, _: &[Mutant], leg: &Leg) {
        self.add(&leg.claims);
    }
}

struct Machine(llvm::Hunt);

impl Runner for Machine {
    fn run(&self, batch: &Batch) -> Option<Vec<Sighting>> {
        self.0.run(batch).ok()
    }

    fn has(&self, _: Mutant) -> bool {
        true
    }
}
