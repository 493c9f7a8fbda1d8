//! Killing Stubborn Mutants with Symbolic Execution, figure 1: a function with
//! two mutants that hardly any input kills.

use anyhow::{Context, Result, ensure};
use ir::{Datum, Input, Mutant, Outcome, Seen, run};
use llvm::Version;
use serde_json::{Value, json};

use crate::Lab;
use crate::thesis::rounded;

/// The mutants, in the order of their numbers.
const MUTANTS: [&str; 2] = ["M1", "M2"];

/// The input with which the paper comes to M2 without killing it.
const IN_VAIN: i32 = -1;

/// More than the function takes, in blocks.
const FUEL: u64 = 1_000;

pub(crate) fn measure(lab: &Lab) -> Result<Value> {
    let file = lab.program("stubborn/func.c");
    let copies = lab.program("stubborn/mutants");
    let folder = tempfile::tempdir()?;
    let arguments = ["--operators", "none", "--mutants", &copies.to_string_lossy()];
    let ran = lab.whet.run(&file, &arguments, folder.path())?;
    let mut rows = Vec::new();
    for (name, mutant) in MUTANTS.into_iter().zip(ran.verdicts.mutants()) {
        let test = ran.verdicts.tests().iter().find(|test| test["name"] == mutant["killed_by"][0]);
        let input = &test.with_context(|| format!("no test kills {name}"))?["input"]["x"];
        eprintln!("  {name}: {}, by x = {input}", mutant["status"].as_str().unwrap_or_default());
        rows.push(
            json!({"mutant": name, "status": mutant["status"], "x": input, "seconds": rounded(ran.seconds)}),
        );
    }
    let in_vain = in_vain(lab)?;
    eprintln!("  x = {IN_VAIN} does not kill M2: both return {in_vain}");
    Ok(json!({"mutants": rows, "in_vain": {"mutant": "M2", "x": IN_VAIN, "both_return": in_vain}}))
}

/// What the original and M2 return for the input that does not kill it.
fn in_vain(lab: &Lab) -> Result<i64> {
    let version = |name: &str| Version {
        file: lab.program(&format!("stubborn/mutants/func.{name}.c")),
        in_place: true,
        operator: Some(name.to_string()),
        renamed: vec![],
    };
    let options = llvm::Options {
        file: lab.program("stubborn/func.c"),
        clang: None,
        flags: vec![],
        overflow: llvm::Overflow::Undefined,
        operators: llvm::Operators::none(),
        functions: vec![],
        headers: false,
        versions: MUTANTS.map(version).to_vec(),
    };
    let unit = llvm::load(&options)?;
    let func = unit.program.named("func").context("there is a function `func`")?;
    let x = Datum::Word(bv::Word::new(32, (IN_VAIN as u32).into()));
    let input = Input { arguments: vec![x], ..Input::default() };
    let returns = |mutant: Mutant| match run(&unit.program, func, mutant, &input, FUEL).outcome {
        Outcome::Returned(observation) => match &observation.result {
            Some(Seen::Word(word)) => Ok(i64::from(word.bits() as u32 as i32)),
            other => anyhow::bail!("func returns {other:?}"),
        },
        other => anyhow::bail!("func does not return: {other:?}"),
    };
    let (original, mutant) = (returns(Mutant::ORIGINAL)?, returns(Mutant(2))?);
    ensure!(original == mutant, "x = {IN_VAIN} kills M2: {original} and {mutant}");
    Ok(original)
}
