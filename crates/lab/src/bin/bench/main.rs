//! `./x bench`: Whet's time against compiling each mutant once, on every example, in one run.
//!
//! Machines differ and are shared; the ratio of two times taken together does not care. The
//! other side is the least that any tool must do which builds its mutants one by one: `clang -O0 -c` on
//! each changed file, with nothing linked and no test run.
//!
//! Beside it stands what the optimiser's comparison costs for each mutant, on one thread,
//! and how many of the equivalent mutants it finds. The last column is the most memory that
//! a run uses. Arguments are names of examples, and
//! `--operators LIST` (the papers' set, if nothing is said). `./x bench inductive` times
//! proofs by induction, with the same arguments; `./x bench parametric` compares
//! parametric mutants with constants; `./x bench interpreter` counts blocks a second; `./x bench hunt` counts
//! inputs a second; `./x bench growth` measures how cost grows with a file and with a function.

mod growth;
mod hunt;
mod inductive;
mod interpreter;
mod parametric;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use bv::Stop;
use ir::Mutant;
use lab::measure::{compile_each, fastest, load, ratio, release, subjects};

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut chosen: Vec<String> = std::env::args().skip(1).collect();
    let operators = match chosen.iter().position(|argument| argument == "--operators") {
        Some(at) => chosen.drain(at..).nth(1).context("--operators needs a list")?,
        None => "seed".to_string(),
    };
    let named = ["growth", "hunt", "inductive", "interpreter", "parametric"]
        .into_iter()
        .find(|name| chosen.first().is_some_and(|it| it == name));
    if named.is_some() {
        chosen.remove(0);
    }
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(root.join("examples"))?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "c"));
    files.retain(|path| chosen.is_empty() || chosen.iter().any(|name| path.ends_with(name)));
    files.sort();
    match named {
        Some("growth") => return growth::bench(&release(&root)?),
        Some("hunt") => return hunt::bench(&files, &operators),
        Some("inductive") => return inductive::bench(&files, &operators),
        Some("interpreter") => return interpreter::bench(&files, &operators),
        Some(_) => return parametric::bench(&files),
        None => {}
    }

    println!(
        "{:<14} {:>8} {:>6} {:>10} {:>12} {:>8} {:>12} {:>12} {:>10}",
        "example", "mutants", "open", "whet", "compile all", "ratio", "same code", "per mutant", "memory"
    );
    let whet = release(&root)?;
    let mut total = (Duration::ZERO, Duration::ZERO);
    let mut same = (0, 0);
    for file in &files {
        let folder = tempfile::tempdir()?;
        let ours = fastest(|| settle(&whet, file, &operators, folder.path()))?;
        let json: Value =
            serde_json::from_str(&std::fs::read_to_string(folder.path().join("verdicts.json"))?)?;
        let mutants = json["summary"]["mutants"].as_u64().context("a count")?;
        let theirs = compile_each(file, mutants)?;
        total = (total.0 + ours, total.1 + theirs);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let open = json["summary"]["open"].as_u64().context("a count")?;
        ensure!(json["summary"]["refuted"] == 0, "whet is wrong on {}", file.display());
        let (found, equivalent) = shares(&json);
        same = (same.0 + found, same.1 + equivalent);
        let each = compare(file, &operators)?;
        println!(
            "{name:<14} {mutants:>8} {open:>6} {:>10} {:>12} {:>8.3} {:>12} {:>9.2} ms {:>10}",
            ms(ours),
            ms(theirs),
            ratio(ours, theirs),
            format!("{found} of {equivalent}"),
            each * 1e3,
            memory(&whet, file, &operators, folder.path())?
        );
    }
    println!(
        "{:<14} {:>8} {:>6} {:>10} {:>12} {:>8.3} {:>12}",
        "all",
        "",
        "",
        ms(total.0),
        ms(total.1),
        ratio(total.0, total.1),
        format!("{} of {}", same.0, same.1)
    );
    Ok(())
}

/// How many equivalent mutants the optimiser found, and how many there are, as far as somebody has looked.
fn shares(json: &Value) -> (usize, usize) {
    let mutants = json["mutants"].as_array().map_or(&[][..], Vec::as_slice);
    let is_same = |mutant: &&Value| mutant["status"] == "equivalent" || mutant["status"] == "limited";
    let equivalent: Vec<&Value> = mutants.iter().filter(is_same).collect();
    let found = equivalent.iter().filter(|mutant| mutant["stage"] == "canonical").count();
    (found, equivalent.len())
}

/// The seconds that the optimiser's comparison takes for each mutant, on one thread.
fn compare(file: &Path, operators: &str) -> Result<f64> {
    let unit = load(file, operators, llvm::Overflow::Undefined)?;
    let subjects = subjects(&unit);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let time = fastest(|| {
        let optimiser = llvm::Optimiser::new(&unit, &Stop::default());
        for (subject, mutants) in &subjects {
            let all = std::iter::once(Mutant::ORIGINAL).chain(mutants.iter().copied()).collect();
            pool.install(|| optimiser.compare(*subject, &[all]))?;
        }
        Ok(())
    })?;
    Ok(time.as_secs_f64() / unit.changes.len().max(1) as f64)
}

/// The most memory that a run used, as it says.
fn memory(whet: &Path, file: &Path, operators: &str, out: &Path) -> Result<String> {
    let mut command = Command::new(whet);
    command
        .arg("run")
        .arg(file)
        .args(["--operators", operators, "--timings", "--no-store", "--out"])
        .arg(out);
    let text = String::from_utf8(command.output()?.stdout)?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("peak memory"));
    Ok(line.context("--timings tells the peak memory")?.trim().to_string())
}

fn settle(whet: &Path, file: &Path, operators: &str, out: &Path) -> Result<()> {
    let mut command = Command::new(whet);
    command.arg("run").arg(file).args(["--operators", operators, "--quiet", "--no-store", "--out"]).arg(out);
    let status = command.status()?;
    ensure!(matches!(status.code(), Some(0 | 3)), "whet failed on {}: {status}", file.display());
    Ok(())
}

fn ms(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}
