//! The thesis of Riener (2011) and the SymBMC paper: eight small programs,
//! their fault model, and overflow that wraps.
//!
//! The thesis ran the optimiser alone, the solver alone, and one after the other; so do
//! we, and then the whole of Whet. Whet's time is that of the whole command, with
//! compiling, checking and writing tests, and stands beside compiling each mutant once.

use bv::Stop;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use ir::{Mutant, Space};
use lab::checks;
use lab::measure::{compile_each, fastest, load, ratio, subjects};
use serde_json::{Value, json};
use settle::{Limits, Stage, Task};
use stages::{Bounded, Canonical, Round, Simulate};

use crate::Lab;

/// A program: its name, how many numbers it is given, and flags that it needs.
type Program = (&'static str, u32, &'static [&'static str]);

/// The papers' eight, and those that the papers could not take, with arrays.
pub(crate) const PROGRAMS: [Program; 12] = [
    ("min", 2, &[]),
    ("islower", 1, &[]),
    ("findmin3", 3, &[]),
    ("findmin5", 5, &[]),
    ("findmin10", 10, &[]),
    ("minmax", 3, &[]),
    ("trityp", 3, &[]),
    ("mult", 8, &[]),
    ("findmin3_array", 3, &[]),
    ("findmin5_array", 5, &[]),
    ("findmin10_array", 10, &["--size", "10"]),
    ("mult_array", 8, &[]),
];

/// The fault model of the papers.
pub(crate) const MODEL: [&str; 4] = ["--operators", "seed", "--overflow", "wrap"];

/// The program that the papers plot.
const PLOTTED: &str = "trityp";

/// What the solver may spend on a query, as in a run.
const QUERY: smt::Fuel = smt::Fuel(5_000);

pub(crate) fn measure(lab: &Lab) -> Result<Value> {
    let mut rows = Vec::new();
    for (name, variables, flags) in PROGRAMS {
        let row = program(lab, name, variables, flags).context(name)?;
        let (ours, theirs) = (&row["seconds"], &row["compile_seconds"]);
        eprintln!(
            "  {name}: {} faults, {} open, {ours} s ({theirs} s to compile)",
            row["faults"], row["open"]
        );
        rows.push(row);
    }
    Ok(json!(rows))
}

fn program(lab: &Lab, name: &str, variables: u32, flags: &[&str]) -> Result<Value> {
    let file = lab.program(&format!("thesis/{name}.c"));
    let folder = tempfile::tempdir()?;
    let run = |stages: &[&str], out: &str| {
        let arguments = [&MODEL, flags, &["--tests", "c"], stages].concat();
        lab.whet.run(&file, &arguments, &folder.path().join(out))
    };
    let mut whole = run(&[], "whole")?;
    let ours = fastest(|| {
        whole = run(&[], "whole")?;
        Ok(())
    })?;
    let faults = whole.verdicts.count("mutants");
    let theirs = compile_each(&file, faults)?;
    let bounded = run(&["--stages", "bounded"], "bounded")?;
    let both = run(&["--stages", "canonical,bounded"], "both")?;

    let (equivalent, redundant) = same_code(&file)?;
    checks::agree(&equivalent, &bounded.verdicts.numbers("killed"))?;
    checks::rerun(&file, &folder.path().join(format!("whole/test_{name}.c")))?;
    checks::rerun(&file, &folder.path().join(format!("bounded/test_{name}.c")))?;

    let meta = folder.path().join("meta.ll");
    let path = |path: &Path| path.to_string_lossy().into_owned();
    lab.whet.print(&[&["meta", &path(&file), "-o", &path(&meta)], &MODEL[..]].concat())?;
    let (before, after) = (instructions(&meta, "-O0")?, instructions(&meta, "-O2")?);
    let counts = |ran: &lab::whet::Ran| {
        let count = |what: &str| ran.verdicts.count(what);
        let seconds = rounded(ran.seconds);
        json!({"killed": count("killed") + count("duplicate"), "equivalent": count("equivalent"), "limited": count("limited"),
            "open": count("open"), "tests": count("tests"), "seconds": seconds})
    };
    let mut row = json!({
        "program": name,
        "variables": variables,
        "instructions": instructions(&file, "-O0")?,
        "meta_instructions": before,
        "faults": faults,
        "equivalent": whole.verdicts.count("equivalent"),
        "duplicate": whole.verdicts.count("duplicate"),
        "killed": whole.verdicts.count("killed"),
        "limited": whole.verdicts.count("limited"),
        "open": whole.verdicts.count("open"),
        "tests": whole.verdicts.count("tests"),
        "seconds": rounded(ours.as_secs_f64()),
        "compile_seconds": rounded(theirs.as_secs_f64()),
        "compile_ratio": rounded(ratio(ours, theirs)),
        "canonical": {
            "redundant": redundant,
            "equivalent": equivalent.len(),
            "compaction": rounded(after as f64 / before as f64),
        },
        "bounded": counts(&bounded),
        "canonical_bounded": counts(&both),
    });
    if name == PLOTTED {
        let (settled, each) = over_time(&file)?;
        row["settled_ms"] = settled;
        row["each_ms"] = each;
    }
    Ok(row)
}

/// The mutants that the optimiser makes the original of, and how many it makes another mutant of.
fn same_code(file: &Path) -> Result<(Vec<u64>, usize)> {
    let unit = load(file, MODEL[1], llvm::Overflow::Wrap)?;
    let subjects = subjects(&unit);
    let (subject, mutants) = subjects.first().context("the program has a function")?;
    let all = std::iter::once(Mutant::ORIGINAL).chain(mutants.iter().copied()).collect();
    let mut same = llvm::Optimiser::new(&unit, &Stop::default()).compare(*subject, &[all])?;
    same.sort_by_key(|same| same.mutant);
    let (equivalent, redundant): (Vec<_>, Vec<_>) =
        same.into_iter().partition(|same| same.of == Mutant::ORIGINAL);
    Ok((equivalent.iter().map(|same| same.mutant.0.into()).collect(), redundant.len()))
}

/// The instructions of a file, C or LLVM, at a level of optimisation.
fn instructions(file: &Path, level: &str) -> Result<usize> {
    let mut clang = Command::new("clang-19");
    let output = clang.args(["-w", level, "-S", "-emit-llvm", "-o", "-"]).arg(file).output()?;
    ensure!(output.status.success(), "clang failed on {}", file.display());
    let text = String::from_utf8(output.stdout)?;
    // Two spaces begin an instruction in a function; the cases of a switch have more.
    let is_instruction =
        |line: &&str| line.starts_with("  ") && !line.starts_with("   ") && !line.starts_with("  ]");
    Ok(text.lines().filter(is_instruction).count())
}

/// How many faults are settled after so many milliseconds; and how many the solver takes for each alone.
fn over_time(file: &Path) -> Result<(Value, Value)> {
    let unit = load(file, MODEL[1], llvm::Overflow::Wrap)?;
    let subjects = subjects(&unit);
    let (subject, mutants) = subjects.first().context("the program has a function")?.clone();
    let space = Space { functions: Some(unit.external.clone()), ..Space::default() };
    let stop = Stop::default();
    let task =
        Task { open: &mutants, ..Task::alone(&unit.program, subject, &space, Limits::default(), &stop) };
    let bounded = Bounded { bound: 8, fuel: QUERY, obligations: false, round: Round::Only };

    let started = Instant::now();
    let ms = |since: Instant| rounded(since.elapsed().as_secs_f64() * 1e3);
    let mut settled = vec![json!([0, 0])];
    let mut open = mutants.clone();
    let optimiser = llvm::Optimiser::new(&unit, &Stop::default());
    let compare = |subject, groups: &[Vec<Mutant>]| optimiser.compare(subject, groups).unwrap_or_default();
    let canonical = Canonical::new(&compare);
    for stage in [&Simulate as &dyn Stage, &canonical, &bounded] {
        let claims = stage.claims(&Task { open: &open, ..task });
        open.retain(|mutant| claims.iter().all(|(claimed, _)| claimed != mutant));
        settled.push(json!([ms(started), mutants.len() - open.len()]));
    }
    let mut each = Vec::new();
    for mutant in &mutants {
        let started = Instant::now();
        bounded.claims(&Task { open: &[*mutant], ..task });
        each.push(json!(ms(started)));
    }
    Ok((json!(settled), json!(each)))
}

pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}
