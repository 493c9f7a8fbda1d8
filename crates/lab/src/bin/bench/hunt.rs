//! `./x bench hunt`: how many inputs a second the hunt's machine runs, on the functions of the examples.
//!
//! A batch has the inputs that simulation begins with. The original runs on each of them and takes notes.
//! That is measured alone, and with all mutants that it infects. To send a batch and to read the answer is
//! part of both.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use ir::{Batch, FunctionId, Input, Mutant, Space};
use settle::Limits;

use lab::measure::{fastest, load, subjects};

/// Inputs for each function.
const INPUTS: usize = 256;

/// So often they run in one measurement, which then takes longer than a time slice.
const ROUNDS: usize = 20;

/// What all mutants may burn on one input.
const MUTANTS: u64 = 4_000_000;

/// What was seen of a file.
#[derive(Clone, Copy, Default)]
struct Seen {
    inputs: u64,
    alone: Duration,
    with_mutants: Duration,
}

pub(crate) fn bench(files: &[PathBuf], operators: &str) -> Result<()> {
    println!("{} threads", rayon::current_num_threads());
    println!("{:<14} {:>10} {:>16} {:>24}", "example", "inputs", "inputs/s", "with mutants, inputs/s");
    let mut all = Seen::default();
    for file in files {
        let seen = measure(file, operators)?;
        show(&file.file_name().unwrap_or_default().to_string_lossy(), seen);
        all.inputs += seen.inputs;
        all.alone += seen.alone;
        all.with_mutants += seen.with_mutants;
    }
    show("all", all);
    Ok(())
}

fn measure(file: &Path, operators: &str) -> Result<Seen> {
    let unit = load(file, operators, llvm::Overflow::Undefined)?;
    let machine = llvm::Hunt::build(&unit)?;
    let limits = Limits::default().short();
    let work: Vec<(FunctionId, Vec<Mutant>, Vec<Input>)> = subjects(&unit)
        .into_iter()
        .map(|(subject, mutants)| {
            let space = Space { functions: Some(unit.external.clone()), ..Space::default() };
            (subject, mutants, stages::attacks(&unit.program, subject, &space, INPUTS))
        })
        .collect();
    let each = |with_mutants: bool| {
        for (subject, mutants, inputs) in &work {
            for round in 0..ROUNDS {
                machine.run(&Batch {
                    subject: *subject,
                    inputs,
                    alive: if with_mutants { mutants } else { &[] },
                    known: &[],
                    forget: round == 0,
                    trace: false,
                    original: limits.original,
                    mutant: limits.mutant,
                    mutants: MUTANTS,
                })?;
            }
        }
        Ok(())
    };
    let inputs = work.iter().map(|(_, _, inputs)| (inputs.len() * ROUNDS) as u64).sum();
    Ok(Seen { inputs, alone: fastest(|| each(false))?, with_mutants: fastest(|| each(true))? })
}

fn show(name: &str, Seen { inputs, alone, with_mutants }: Seen) {
    let rate = |time: Duration| inputs as f64 / time.as_secs_f64();
    println!("{name:<14} {inputs:>10} {:>16.0} {:>24.0}", rate(alone), rate(with_mutants));
}
