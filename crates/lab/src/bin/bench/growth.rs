//! `./x bench growth`: how the cost of a run grows with a file, and with a function.
//!
//! Two families of files that we make up: more and more functions of one size, and one function that gets
//! longer and longer. What is measured is CPU time, of Whet and of all that it starts, on one thread. An
//! exponent of 1 says that twice the mutants cost twice the time. The ratio is that to compiling each mutant
//! once.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use lab::measure::{compile_each, ratio};

/// How many functions of one size a file has.
const FUNCTIONS: [usize; 3] = [1, 10, 100];

/// How many steps a function has in a file with many.
const STEPS: usize = 6;

/// How many steps the long function has. Doubled twice, so that an exponent is more than noise.
const LONG: [usize; 4] = [5, 10, 20, 40];

/// A clock tick of the system, in which it counts CPU time.
const TICK: Duration = Duration::from_millis(10);

/// What a run took.
struct Cost {
    /// How many functions or steps.
    size: usize,
    mutants: u64,
    open: u64,
    time: Duration,
    /// What compiling each mutant once takes.
    compile: Duration,
}

pub(crate) fn bench(whet: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    family(
        "functions",
        &FUNCTIONS,
        |count| (0..count).map(|number| function(number, STEPS)).collect(),
        |file| measure(whet, folder.path(), file),
    )?;
    println!();
    family("steps", &LONG, |steps| function(0, steps), |file| measure(whet, folder.path(), file))
}

fn family(
    name: &str,
    sizes: &[usize],
    text: impl Fn(usize) -> String,
    measure: impl Fn(&str) -> Result<Cost>,
) -> Result<()> {
    println!(
        "{name:>9} {:>8} {:>6} {:>10} {:>12} {:>8} {:>13} {:>13}",
        "mutants", "open", "CPU time", "per mutant", "ratio", "by mutants", "by size"
    );
    let mut before: Option<Cost> = None;
    for size in sizes {
        let cost = Cost { size: *size, ..measure(&text(*size))? };
        let grows = |of: fn(&Cost) -> f64| {
            before.as_ref().map_or(String::new(), |before| format!("{:.2}", exponent(before, &cost, of)))
        };
        println!(
            "{size:>9} {:>8} {:>6} {:>8.2} s {:>9.2} ms {:>8.3} {:>13} {:>13}",
            cost.mutants,
            cost.open,
            cost.time.as_secs_f64(),
            cost.time.as_secs_f64() * 1e3 / cost.mutants.max(1) as f64,
            ratio(cost.time, cost.compile),
            grows(|cost| cost.mutants as f64),
            grows(|cost| cost.size as f64),
        );
        before = Some(cost);
    }
    Ok(())
}

/// The power of a size with which time grows from one file to the next.
fn exponent(before: &Cost, after: &Cost, size: fn(&Cost) -> f64) -> f64 {
    (after.time.as_secs_f64() / before.time.as_secs_f64()).ln() / (size(after) / size(before)).ln()
}

/// A function with so many steps, each of which compares and computes. No two functions are the same.
fn function(number: usize, steps: usize) -> String {
    let mut text = format!("int f{number}(int a, int b)\n{{\n    int r = {number};\n");
    for step in 0..steps {
        let (limit, weight) = (7 * step + number % 5, 3 + (step + number) % 11);
        let _ = writeln!(
            text,
            "    if (a > {limit} && b != {weight})\n        r = (r ^ a) + {weight} * (b & {limit});"
        );
    }
    text + "    return r & 0xffff;\n}\n"
}

fn measure(whet: &Path, folder: &Path, text: &str) -> Result<Cost> {
    let (file, out) = (folder.join("growth.c"), folder.join("out"));
    std::fs::write(&file, text)?;
    let _ = std::fs::remove_dir_all(&out);
    let before = spent_by_children()?;
    let mut command = Command::new(whet);
    command.arg("run").arg(&file).args(["--quiet", "--no-store", "--jobs", "1", "--overflow", "wrap"]);
    let status = command.arg("--out").arg(&out).status()?;
    ensure!(matches!(status.code(), Some(0 | 3)), "whet failed on a file with\n{text}");
    let time = spent_by_children()? - before;
    let json: Value = serde_json::from_str(&std::fs::read_to_string(out.join("verdicts.json"))?)?;
    let count = |name: &str| json["summary"][name].as_u64().context("a count");
    let (mutants, open) = (count("mutants")?, count("open")? + count("limited")?);
    ensure!(json["summary"]["refuted"] == 0, "whet is wrong on a file with\n{text}");
    Ok(Cost { size: 0, mutants, open, time, compile: compile_each(&file, mutants)? })
}

/// The CPU time of all processes that this one has waited for, and of all that they have waited for.
fn spent_by_children() -> Result<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in parentheses, may contain spaces.
    let (_, fields) = text.rsplit_once(") ").context("the system describes this process")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u32>().ok()).context("a time");
    // The fields are counted from the state, which is the third of all.
    Ok(TICK * (ticks(13)? + ticks(14)?))
}
