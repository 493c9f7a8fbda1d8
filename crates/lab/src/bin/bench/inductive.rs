//! `./x bench inductive`: what a proof by induction costs, for each mutant that
//! the stage is asked about, on one thread.
//!
//! It is asked about what neither the optimiser nor simulation settles, where there are loops,
//! recursion or buffers. Each such mutant is timed by itself, with what has to be found out about the
//! original first; in a run, the mutants of a function share that, which is what the last column says.

use bv::Stop;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use ir::{Mutant, Space};
use settle::{Claim, Limits, Stage, Task};
use stages::{Inductive, Simulate};

use lab::measure::{fastest, load, subjects};

/// What was seen of the mutants of a file.
#[derive(Default)]
struct Seen {
    /// One for each mutant that the stage was asked about.
    times: Vec<Duration>,
    proved: usize,
    /// All at once.
    together: Duration,
}

pub(crate) fn bench(files: &[PathBuf], operators: &str) -> Result<()> {
    println!(
        "{:<14} {:>8} {:>8} {:>12} {:>12} {:>12}",
        "example", "asked", "proved", "median", "maximum", "together"
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut all = Seen::default();
    for file in files {
        let seen = pool.install(|| measure(file, operators))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        show(&name, &seen);
        all.times.extend(seen.times);
        all.proved += seen.proved;
        all.together += seen.together;
    }
    show("all", &all);
    Ok(())
}

fn measure(file: &Path, operators: &str) -> Result<Seen> {
    let unit = load(file, operators, llvm::Overflow::Undefined)?;
    let subjects = subjects(&unit);
    let optimiser = llvm::Optimiser::new(&unit, &Stop::default());
    let inductive = Inductive::alone(Inductive::FUEL);
    let mut seen = Seen::default();
    for (subject, mutants) in subjects {
        let may_alias = ir::related(&unit.program, subject);
        let space = Space { may_alias, functions: Some(unit.external.clone()), ..Space::default() };
        let mut open = mutants;
        let all = std::iter::once(Mutant::ORIGINAL).chain(open.iter().copied()).collect();
        let same = optimiser.compare(subject, &[all])?;
        open.retain(|mutant| same.iter().all(|same| same.mutant != *mutant));
        let stop = Stop::default();
        let task =
            Task { open: &open, ..Task::alone(&unit.program, subject, &space, Limits::default(), &stop) };
        if !Inductive::applies(&task) {
            continue;
        }
        let killed = Simulate.claims(&task);
        let is_open =
            |mutant: &Mutant| !killed.iter().any(|(other, claim)| other == mutant && is_killed(claim));
        let open: Vec<Mutant> = open.iter().copied().filter(is_open).collect();
        for mutant in &open {
            seen.times.push(fastest(|| {
                inductive.claims(&Task { open: &[*mutant], ..task });
                Ok(())
            })?);
        }
        let mut proved = 0;
        seen.together += fastest(|| {
            proved = inductive.claims(&Task { open: &open, ..task }).len();
            Ok(())
        })?;
        seen.proved += proved;
    }
    Ok(seen)
}

fn is_killed(claim: &Claim) -> bool {
    matches!(claim, Claim::Killed(_))
}

fn show(name: &str, seen: &Seen) {
    let Seen { times, proved, together } = seen;
    let mut times = times.clone();
    times.sort();
    let asked = times.len();
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let of = |time: Option<&Duration>| time.map_or("–".to_string(), |time| ms(*time));
    println!(
        "{name:<14} {asked:>8} {proved:>8} {:>12} {:>12} {:>12}",
        of(times.get(asked / 2)),
        of(times.last()),
        of((asked > 0).then(|| *together / asked as u32).as_ref())
    );
}
