//! `./x bench interpreter`: how many blocks a second the interpreter runs, on the functions of the examples.
//!
//! The inputs are those that simulation begins with. The original runs on each
//! of them, watched for infection as simulation does it, and by itself as a
//! mutant runs. To compare two commits, run both in turn: machines are shared.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use ir::interpret::run_watched;
use ir::{FunctionId, Infection, Input, Mutant, Space, run};
use settle::Limits;

use lab::measure::{fastest, load, subjects};

/// Inputs for each function.
const INPUTS: usize = 300;

/// So often they run in one measurement, which then takes longer than a time slice.
const ROUNDS: usize = 20;

/// What was seen of a file.
#[derive(Clone, Copy, Default)]
struct Seen {
    blocks: u64,
    plain: Duration,
    watched: Duration,
}

pub(crate) fn bench(files: &[PathBuf], operators: &str) -> Result<()> {
    println!("{:<14} {:>12} {:>20} {:>20}", "example", "blocks", "blocks/s", "watched, blocks/s");
    let mut all = Seen::default();
    for file in files {
        let seen = measure(file, operators)?;
        show(&file.file_name().unwrap_or_default().to_string_lossy(), seen);
        all.blocks += seen.blocks;
        all.plain += seen.plain;
        all.watched += seen.watched;
    }
    show("all", all);
    Ok(())
}

fn measure(file: &Path, operators: &str) -> Result<Seen> {
    let unit = load(file, operators, llvm::Overflow::Undefined)?;
    let program = &unit.program;
    // As much as simulation gives: few inputs that hardly end must not be all that is measured.
    let limits = Limits::default().short();
    let work: Vec<(FunctionId, Vec<Input>)> = subjects(&unit)
        .into_iter()
        .map(|(subject, _)| {
            let space = Space { functions: Some(unit.external.clone()), ..Space::default() };
            (subject, stages::attacks(program, subject, &space, INPUTS))
        })
        .collect();
    let each = |run: &mut dyn FnMut(FunctionId, &Input) -> u64| {
        let mut blocks = 0;
        for _ in 0..ROUNDS {
            for (subject, inputs) in &work {
                blocks += inputs.iter().map(|input| run(*subject, input)).sum::<u64>();
            }
        }
        blocks
    };
    let mut blocks = 0;
    let plain = fastest(|| {
        blocks =
            each(&mut |subject, input| run(program, subject, Mutant::ORIGINAL, input, limits.original).fuel);
        Ok(())
    })?;
    let watched = fastest(|| {
        each(&mut |subject, input| {
            let mut infection = Infection::new(program);
            run_watched(program, subject, input, limits.original, &mut infection).fuel
        });
        Ok(())
    })?;
    Ok(Seen { blocks, plain, watched })
}

fn show(name: &str, Seen { blocks, plain, watched }: Seen) {
    let rate = |time: Duration| blocks as f64 / time.as_secs_f64();
    println!("{name:<14} {blocks:>12} {:>20.0} {:>20.0}", rate(plain), rate(watched));
}
