//! Generating Mutation Tests Using an Equivalence Prover: 28 programs with an
//! error each, and whether the tests find it.
//!
//! The expected values come from a reference, as in the paper. The paper took
//! its mutants from three generators; ours are Whet's own, with and without
//! parametric mutants and special cases, and those of universalmutator.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use lab::fetched;
use lab::whet::{Ran, Verdicts};
use serde_json::{Value, json};

use crate::Lab;
use crate::thesis::rounded;

/// Where mutants come from.
pub(crate) const SOURCES: [&str; 3] = ["default", "default,PAR,SCI", UNIVERSALMUTATOR];
const UNIVERSALMUTATOR: &str = "universalmutator";

/// In the order of the paper's tables, which begin with table 2.
pub(crate) const PROGRAMS: [&str; 28] = [
    "atoi",
    "atol",
    "btowc",
    "isxdigit",
    "memchr",
    "stpncpy",
    "strncmp",
    "strncpy",
    "strsep",
    "strtok_r",
    "delete_element",
    "factorial",
    "factorial_recursive",
    "greatest",
    "gross_salary",
    "insert_element",
    "armstrong",
    "perfect",
    "prime",
    "power_bill",
    "reverse_number",
    "reverse_array",
    "reverse_pointers",
    "search",
    "interest",
    "smallest",
    "sum",
    "percentage",
];

pub(crate) fn measure(lab: &Lab) -> Result<Value> {
    let mut rows = Vec::new();
    for source in SOURCES {
        if let Some(unknown) = unknown(lab, source)? {
            eprintln!("  {source}: left out, Whet has no operator {unknown}");
            continue;
        }
        for name in PROGRAMS {
            let row = program(lab, name, source).with_context(|| format!("{name} with {source}"))?;
            let found = if row["found"] == true { "found" } else { "NOT FOUND" };
            eprintln!("  {name} with {source}: {found}, {} open, {} s", row["open"], row["seconds"]);
            rows.push(row);
        }
    }
    Ok(json!(rows))
}

/// An operator of the list that this Whet does not know.
fn unknown(lab: &Lab, source: &str) -> Result<Option<String>> {
    let known = lab.whet.print(&["operators"])?;
    let is_known = |name: &&str| *name == UNIVERSALMUTATOR || known.split_whitespace().any(|it| it == *name);
    Ok(source.split(',').filter(|name| *name != "default").find(|name| !is_known(name)).map(String::from))
}

fn program(lab: &Lab, name: &str, source: &str) -> Result<Value> {
    let file = lab.program(&format!("pipeline/{name}.c"));
    let reference = lab.program(&format!("pipeline/{name}_reference.c"));
    let reference = reference.to_string_lossy();
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    let copies = folder.path().join("mutants");
    let Ran { verdicts, seconds, said } = match source {
        UNIVERSALMUTATOR => {
            mutate(&file, &copies)?;
            let copies = copies.to_string_lossy();
            let arguments = ["--reference", &reference, "--operators", "none", "--mutants", &copies];
            lab.whet.run(&file, &arguments, &out)?
        }
        // Beside a reference, the default has special cases, too.
        "default" => {
            lab.whet.run(&file, &["--reference", &reference, "--operators", "default,-SCI"], &out)?
        }
        _ => lab.whet.run(&file, &["--reference", &reference, "--operators", source], &out)?,
    };
    let invalid = invalid(&said);
    let (earlier, new) = killed(&verdicts);
    let disagreements = verdicts.0["reference"]["disagreements"].as_array().map_or(0, Vec::len);
    Ok(json!({
        "program": name,
        "operators": source,
        "mutants": verdicts.count("mutants") + invalid,
        "earlier": earlier,
        "duplicate": verdicts.count("duplicate"),
        "equivalent": verdicts.count("equivalent"),
        "limited": verdicts.count("limited"),
        "new": new,
        "open": verdicts.count("open"),
        "invalid": invalid,
        "tests": verdicts.count("tests"),
        "seconds": rounded(seconds),
        "found": disagreements > 0,
    }))
}

/// Has universalmutator write its mutants of a file into a folder.
fn mutate(file: &Path, copies: &Path) -> Result<()> {
    std::fs::create_dir(copies)?;
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", fetched::universalmutator());
    python.current_dir(file.parent().context("a program is in a folder")?);
    python.args(["-c", "from universalmutator.genmutants import main; main()"]);
    python.arg(file.file_name().context("a program has a name")?);
    let output = python.arg("--mutantDir").arg(copies).arg("--noCheck").output()?;
    ensure!(output.status.success(), "universalmutator: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// How many copies Whet says are no C.
fn invalid(said: &str) -> u64 {
    let before = [" do not apply", " does not apply"].iter().find_map(|words| said.split_once(words));
    before.and_then(|(before, _)| before.split_whitespace().last()?.parse().ok()).unwrap_or_default()
}

/// How many mutants the tests for those before them kill, and how many need a test of their own.
fn killed(verdicts: &Verdicts) -> (usize, usize) {
    let mut tests: BTreeSet<&str> = BTreeSet::new();
    let (mut earlier, mut new) = (0, 0);
    for mutant in verdicts.mutants().iter().filter(|mutant| mutant["status"] == "killed") {
        let by: Vec<&str> =
            mutant["killed_by"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if by.iter().any(|test| tests.contains(test)) {
            earlier += 1;
            continue;
        }
        new += 1;
        tests.extend(by.first());
    }
    (earlier, new)
}
