//! `whet run`: from a C file to verdicts and tests.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use ir::{Escapes, FunctionId, Input, Mutant, paths};
use llvm::Unit;
use report::{Report, Source, TestFile, Times};
use settle::{Checker, Conclusion, Limits, Settled, Stage, conclude, settle, subjects, suite};
use stages::{Bounded, Canonical, Simulate};

use crate::Exit;
use crate::cli::{Overflow, Run};
use crate::judges::{Machine, SecondSolver};
use crate::progress::{Line, Timed, Timings};
use crate::reports;
use crate::show::print_styled;
use crate::spaces::Spaces;

/// Inputs that every proof is attacked with.
const ATTACKS: usize = 300;

/// Fuel for each query of the bounded stage.
const QUERY: smt::Fuel = smt::Fuel(5_000);

pub fn run(arguments: &Run) -> anyhow::Result<Exit> {
    let mut timings = Timings::new();
    let file = arguments.selection.name();
    let forms = reports::chosen(&arguments.reports)?;
    let second_opinion = match arguments.double_check {
        true => Some(SecondSolver::find()?),
        false => None,
    };

    let unit = timings.step("compile and seed", || arguments.selection.load(&arguments.clang))?;
    let is_main = |function: &FunctionId| unit.program.function(*function).name == "main";
    let (main, mut callable): (Vec<FunctionId>, Vec<FunctionId>) =
        unit.external.iter().partition(|it| is_main(it));
    callable.extend(paths(&unit.program).into_keys());
    if callable.is_empty() {
        bail!("{file} has no function that a test can call: all are `static`, or `main`");
    }
    let spaces = Spaces::new(arguments, &unit.program, &unit.external)?;
    let test_file =
        arguments.out.join(arguments.tests.framework().file_name(&arguments.selection.file_name()));
    check_ours(&test_file)?;
    let names = chosen(&arguments.stages, arguments.double_check)?;
    if let Some(jobs) = arguments.jobs {
        rayon::ThreadPoolBuilder::new()
            .num_threads(jobs as usize)
            .build_global()
            .context("cannot start threads")?;
    }
    // A folder that cannot be written to should not cost the user a whole run.
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create {}", arguments.out.display()))?;
    temporary(&arguments.out).with_context(|| format!("cannot write into {}", arguments.out.display()))?;
    let homes = homes(&unit)?;
    let escapes = Escapes { program: &unit.program, callable: &callable, mentions: &unit.mentions };
    let mut subjects = subjects(&callable, &homes, &unit.mentions, |subject| escapes.through(subject));
    let line = Line::new(subjects.iter().map(|subject| subject.mutants.len()).sum(), arguments.quiet);
    let judged: Vec<(FunctionId, Vec<Mutant>)> =
        subjects.iter().map(|subject| (subject.function, subject.mutants.clone())).collect();
    let same = timings.step("compare optimised code", || match names.contains(&Canonical::NAME) {
        true => llvm::canonical(&unit, &judged),
        false => Ok(llvm::Canonical::default()),
    })?;
    for subject in &mut subjects {
        // A pointer to the same code leads a caller to nothing new.
        subject.escaping.retain(|mutant, _| !same.is_original(*mutant));
    }
    let representative = |subject, mutant| same.representative(subject, mutant);
    let canonical = Canonical { representative: &representative };
    let bounded = Bounded { bound: arguments.bound, fuel: QUERY, obligations: arguments.double_check };
    let all: [&dyn Stage; 3] = [&canonical, &Simulate, &bounded];
    let named = |name: &&str| all.into_iter().find(|stage| stage.name() == *name);
    let timed: Vec<Timed> = names.iter().filter_map(named).map(Timed::new).collect();
    let stages: Vec<&dyn Stage> = timed.iter().map(|stage| stage as &dyn Stage).collect();
    let native = timings.step("build the native checker", || llvm::Native::build(&unit))?;
    let native = Machine(native);
    let mut checker = Checker::new(&unit.program, &native, Limits::default());
    checker.second_opinion = second_opinion.as_ref().map(|solver| solver as &dyn settle::SecondOpinion);

    let mut found: Vec<Vec<Settled>> = unit.changes.iter().map(|_| vec![]).collect();
    timings.step("settle", || {
        let mut done = 0;
        for subject in &subjects {
            let space = spaces.of(&unit.program, subject.function);
            let attacks: Vec<Input> = stages::attacks(&unit.program, subject.function, &space, ATTACKS);
            for settled in settle(subject, &stages, &checker, &space, &attacks, &line) {
                found[settled.mutant.0 as usize - 1].push(settled);
            }
            done += subject.mutants.len();
            line.reach(done);
        }
    });
    line.finish();
    let conclusions: Vec<Conclusion> = found.iter().map(|found| conclude(found)).collect();

    let killed: Vec<_> = conclusions
        .iter()
        .enumerate()
        .filter_map(|(at, conclusion)| match conclusion {
            Conclusion::Killed { subject, kill, .. } => Some((*subject, Mutant(at as u32 + 1), kill)),
            _ => None,
        })
        .collect();
    let look = |subject: FunctionId, mutant: Mutant, input: &Input| {
        checker.kill(subject, mutant, input).ok().map(|kill| kill.shown)
    };
    let tests = timings.step("choose tests", || suite(&unit.program, &killed, &look, checker.limits));
    let titles = write::names(&unit.program, &tests);

    let suite = write::Suite {
        framework: arguments.tests.framework(),
        file: &arguments.selection.file_name(),
        has_main: !main.is_empty(),
        wraps: arguments.selection.overflow == Overflow::Wrap,
        program: &unit.program,
        callable: &unit.external,
        elsewhere: &unit.elsewhere,
        changes: &unit.changes,
        tests: &tests,
        names: &titles,
    };
    let test_text = (!tests.is_empty()).then(|| write::file(&suite));
    let test_name = test_file.display().to_string();
    let operators: Vec<_> = llvm::operators::TABLE.iter().map(|row| (row.name, row.about)).collect();
    let paths: Vec<String> =
        unit.headers.iter().map(|(file, _)| reports::path_in_repository(Path::new(file))).collect();
    let headers: Vec<Source> =
        unit.headers.iter().zip(&paths).map(|((file, text), path)| Source { file, path, text }).collect();
    let report = Report {
        file: &file,
        path: &reports::path_in_repository(&arguments.selection.file),
        text: &unit.text,
        headers: &headers,
        program: &unit.program,
        changes: &unit.changes,
        conclusions: &conclusions,
        tests: &tests,
        names: &titles,
        test_file: test_text.as_deref().map(|text| TestFile { name: &test_name, text }),
        stages: &names,
        operators: &operators,
        version: env!("CARGO_PKG_VERSION"),
        configuration: &reports::configuration(arguments),
    };
    let texts: Vec<_> = timings
        .step("write reports", || forms.iter().map(|form| (form.file_name(), form.text(&report))).collect());
    match &test_text {
        Some(text) => store(&test_file, text)?,
        // An older one would no longer fit the verdicts.
        None => drop(std::fs::remove_file(&test_file)),
    }
    store(&arguments.out.join("verdicts.json"), &report::json(&report))?;
    for (name, text) in &texts {
        store(&arguments.out.join(name), text)?;
    }

    if !arguments.quiet {
        let functions: BTreeSet<FunctionId> = homes.iter().copied().collect();
        let (mutants, functions) = (count(unit.changes.len(), "mutant"), count(functions.len(), "function"));
        let mut text = format!(
            "{file}: {mutants} in {functions}\n\n{}",
            report::terminal(&report, &times(&timings, &timed))
        );
        if !tests.is_empty() {
            text += &format!("{} written to {test_name}\n", count(tests.len(), "test"));
        }
        if !forms.is_empty() {
            let names: Vec<&str> = forms.iter().map(|form| form.file_name()).collect();
            text += &format!(
                "{} written to {}: {}\n",
                count(names.len(), "report"),
                arguments.out.display(),
                names.join(", ")
            );
        }
        if arguments.timings {
            text += &format!("\n{}", timings.report());
        }
        print_styled(&text)?;
    }
    if !forms.is_empty() {
        reports::tell_github(&report, arguments.quiet)?;
    }
    let open = conclusions.iter().any(|conclusion| matches!(conclusion, Conclusion::Open(_)));
    Ok(if open { Exit::Open } else { Exit::Settled })
}

/// What each stage took, and what is left for the checker.
fn times(timings: &Timings, stages: &[Timed]) -> Times {
    let claims: Duration = stages.iter().map(Timed::spent).sum();
    let checker = timings.of("settle").saturating_sub(claims);
    // The stage itself only looks up what was compared before.
    let before = |stage: &Timed| match stage.name() {
        Canonical::NAME => timings.of("compare optimised code"),
        _ => Duration::ZERO,
    };
    Times { stages: stages.iter().map(|stage| stage.spent() + before(stage)).collect(), checker }
}

/// The names of the stages, in their order.
const STAGES: [&str; 3] = [Canonical::NAME, "simulate", "bounded"];

/// The stages that the user named, or all of them. Equal code is nothing that another solver could confirm, so that
/// a run with a second opinion asks the solvers about everything.
fn chosen(named: &[String], double_check: bool) -> anyhow::Result<Vec<&'static str>> {
    if let Some(unknown) = named.iter().find(|name| !STAGES.contains(&name.as_str())) {
        bail!("there is no stage `{unknown}`: choose from {}", STAGES.join(", "));
    }
    let all = STAGES.into_iter().filter(|stage| !(double_check && *stage == Canonical::NAME));
    let of = |name: &String| STAGES.into_iter().find(|stage| stage == name);
    Ok(if named.is_empty() { all.collect() } else { named.iter().filter_map(of).collect() })
}

/// The function that each mutant changes.
fn homes(unit: &Unit) -> anyhow::Result<Vec<FunctionId>> {
    let home =
        |change: &source::Change| unit.program.named(&change.function).context("a mutant is in no function");
    unit.changes.iter().map(home).collect()
}

/// Refuses to replace a test file that somebody else wrote.
fn check_ours(path: &Path) -> anyhow::Result<()> {
    let Ok(text) = std::fs::read(path) else { return Ok(()) };
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if !first.ends_with(write::SIGNATURE.as_bytes()) {
        bail!("{} was not written by Whet: choose another folder with --out", path.display());
    }
    Ok(())
}

/// Writes a file whole or not at all: a reader never sees half of it.
fn store(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let attempt = || -> std::io::Result<()> {
        let mut file = temporary(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    attempt().with_context(|| format!("cannot write {}", path.display()))
}

/// A new file with the permissions that a program's files usually have.
fn temporary(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let usual = std::fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().permissions(usual).tempfile_in(folder)
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
