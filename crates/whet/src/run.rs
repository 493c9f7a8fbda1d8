//! `whet run`: from a C file to verdicts and tests.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use ir::{Escapes, FunctionId, Input, Mutant, Space, paths};
use llvm::Unit;
use report::{Report, Source, Summary, TestFile, Times};
use settle::{
    Checker, Conclusion, Forgetful, Limits, Memory, Progress, Settled, Stage, Subject, conclude, settle,
    subjects, suite,
};
use stages::{Bounded, Canonical, Simulate};

use crate::Exit;
use crate::cli::{Overflow, Run};
use crate::judges::{Machine, SecondSolver};
use crate::past::{Page, Past};
use crate::progress::{Line, Timed, Timings};
use crate::reports;
use crate::show::print_styled;
use crate::spaces::Spaces;

/// Inputs that every proof is attacked with.
const ATTACKS: usize = 300;

/// Fuel for each query of the bounded stage.
const QUERY: smt::Fuel = smt::Fuel(5_000);

pub fn run(arguments: &Run, folder: PathBuf) -> anyhow::Result<Exit> {
    let mut timings = Timings::new();
    let file = arguments.selection.name();
    let forms = reports::chosen(&arguments.reports)?;
    let second_opinion = match arguments.double_check {
        true => Some(SecondSolver::find()?),
        false => None,
    };

    let unit = timings.step("compile and seed", || arguments.selection.load(&arguments.clang))?;
    let changes = arguments.part.choose(&arguments.selection.file, &unit)?;
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
    let homes = homes(&unit)?;
    let escapes = Escapes { program: &unit.program, callable: &callable, mentions: &unit.mentions };
    let mut subjects = subjects(&callable, &homes, &unit.mentions, |subject| escapes.through(subject));
    let all = subjects.clone();
    for subject in &mut subjects {
        subject.mutants.retain(|mutant| changes.iter().any(|change| change.number == mutant.0));
    }
    let line = Line::new(subjects.iter().map(|subject| subject.mutants.len()).sum(), arguments.quiet);
    let native = Machine::new(&unit);
    let mut checker = Checker::new(&unit.program, &native, Limits::default());
    checker.second_opinion = second_opinion.as_ref().map(|solver| solver as &dyn settle::SecondOpinion);
    let past = Past::find(
        &unit,
        (!arguments.no_store).then_some(folder),
        settings(arguments, &names, &checker.limits),
    )?;
    let mut jobs: Vec<Job> = Vec::new();
    timings.step("look up what is known", || {
        for (subject, all) in subjects.iter().zip(&all).filter(|(subject, _)| !subject.mutants.is_empty()) {
            let space = spaces.of(&unit.program, subject.function);
            let (page, settled) = past.look_up(subject, all, &space, &checker, &STAGES)?;
            line.advance(settled.as_ref().map_or(0, Vec::len));
            jobs.push(Job { subject, space, page, settled });
        }
        anyhow::Ok(())
    })?;
    let known = known(&jobs);
    // A folder that cannot be written to should not cost the user a whole run.
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create {}", arguments.out.display()))?;
    temporary(&arguments.out).with_context(|| format!("cannot write into {}", arguments.out.display()))?;
    past.begin()?;
    let missing = || jobs.iter().filter(|job| job.settled.is_none()).map(|job| job.subject);
    let judged: Vec<(FunctionId, Vec<Mutant>)> =
        missing().map(|subject| (subject.function, subject.mutants.clone())).collect();
    let same = timings.step("compare optimised code", || match names.contains(&Canonical::NAME) {
        true => llvm::canonical(&unit, &judged),
        false => Ok(llvm::Canonical::default()),
    })?;
    let representative = |subject, mutant| same.representative(subject, mutant);
    let canonical = Canonical { representative: &representative };
    let bounded = Bounded { bound: arguments.bound, fuel: QUERY, obligations: arguments.double_check };
    let all: [&dyn Stage; 3] = [&canonical, &Simulate, &bounded];
    let named = |name: &&str| all.into_iter().find(|stage| stage.name() == *name);
    let timed: Vec<Timed> = names.iter().filter_map(named).map(Timed::new).collect();
    let stages: Vec<&dyn Stage> = timed.iter().map(|stage| stage as &dyn Stage).collect();
    if !judged.is_empty() {
        timings.step("build the native checker", || native.build())?;
    }
    timings.step("settle", || {
        let mut done: usize = jobs.iter().filter_map(|job| job.settled.as_ref()).map(Vec::len).sum();
        for Job { subject, space, page, settled } in jobs.iter_mut().filter(|job| job.settled.is_none()) {
            let attacks: Vec<Input> = stages::attacks(&unit.program, subject.function, space, ATTACKS);
            let memory: &dyn Memory = page.as_ref().map_or(&Forgetful, |page| page);
            let mut subject = subject.clone();
            // A pointer to the same code leads a caller to nothing new.
            subject.escaping.retain(|mutant, _| !same.is_original(*mutant));
            let found = settle(&subject, &stages, &checker, space, &attacks, &line, memory);
            page.iter().for_each(|page| page.keep(&found));
            *settled = Some(found);
            done += subject.mutants.len();
            line.reach(done);
        }
    });
    let mut found: Vec<Vec<Settled>> = unit.changes.iter().map(|_| vec![]).collect();
    for settled in jobs.into_iter().filter_map(|job| job.settled).flatten() {
        found[settled.mutant.0 as usize - 1].push(settled);
    }
    line.finish();
    let conclusions: Vec<Conclusion> =
        changes.iter().map(|change| conclude(&found[change.number as usize - 1])).collect();

    let killed: Vec<_> = conclusions
        .iter()
        .zip(&changes)
        .filter_map(|(conclusion, change)| match conclusion {
            Conclusion::Killed { subject, kill, .. } => Some((*subject, Mutant(change.number), kill)),
            _ => None,
        })
        .collect();
    let look = |subject: FunctionId, mutant: Mutant, input: &Input| {
        checker.kill(subject, mutant, input).ok().map(|kill| kill.shown)
    };
    let choose = || suite(&unit.program, &killed, &look, checker.limits);
    let tests = timings.step("choose tests", || past.tests(&killed, &checker, choose))?;
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
        changes: &changes,
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
        let functions: BTreeSet<&str> = changes.iter().map(|change| change.function.as_str()).collect();
        let (mutants, functions) = (count(changes.len(), "mutant"), count(functions.len(), "function"));
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
        if known > 0 {
            text += &format!("{known} of {} known from an earlier run\n", count(changes.len(), "mutant"));
        }
        if arguments.timings {
            text += &format!("\n{}", timings.report());
        }
        print_styled(&text)?;
    }
    if !forms.is_empty() {
        reports::tell_github(&report, arguments.quiet)?;
    }
    Ok(exit(arguments, &Summary::of(&conclusions)))
}

/// Whether this is good enough for the user.
fn exit(arguments: &Run, summary: &Summary) -> Exit {
    // A score such as 29 % has no exact place among these numbers.
    const ROUNDING: f64 = 1e-9;
    let score = summary.low() * 100.0;
    match arguments.min_score {
        Some(least) if score + ROUNDING < least => {
            // Rounded down, as elsewhere: what is not enough must not look like it.
            let score = (score * 10.0 + ROUNDING).floor() / 10.0;
            eprintln!("whet: the score is {score:.1} %, below the {least} % of --min-score");
            Exit::Below
        }
        _ if summary.open > 0 && !arguments.allow_open => Exit::Open,
        _ => Exit::Settled,
    }
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

/// A subject, and what is known of it.
struct Job<'a> {
    subject: &'a Subject,
    space: Space,
    /// Its past, if the user wants one.
    page: Option<Page<'a, 'a>>,
    settled: Option<Vec<Settled>>,
}

/// How many mutants there is nothing more to do for.
fn known(jobs: &[Job]) -> usize {
    let mutants = |is_settled: bool| -> BTreeSet<Mutant> {
        let jobs = jobs.iter().filter(|job| job.settled.is_some() == is_settled);
        jobs.flat_map(|job| &job.subject.mutants).copied().collect()
    };
    mutants(true).difference(&mutants(false)).count()
}

/// All that decides a verdict besides the code, the inputs that there are, and Whet itself.
fn settings(arguments: &Run, stages: &[&str], limits: &Limits) -> String {
    let Run { selection, bound, double_check, clang, .. } = arguments;
    format!(
        "{stages:?} {bound} {QUERY:?} {ATTACKS} {limits:?} {double_check} {:?} {:?}",
        selection.overflow, clang.flags
    )
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
