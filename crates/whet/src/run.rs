//! `whet run`: from a C file to verdicts and tests.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use ir::{FunctionId, Input, Mutant};
use llvm::Unit;
use report::{Form, OWN_TESTS, Report, Source, Summary, TestFile, Times};
use settle::{Checker, Conclusion, Ending, Family, Finding, Limits, Progress, Test, suite};
use source::Change;
use stages::Canonical;

use crate::Exit;
use crate::alarms::{self, Found};
use crate::boundaries;
use crate::cli::{Overflow, Run};
use crate::decide::{FAMILIES, Plan, SPECIAL, decide, settings};
use crate::desk::{Composed, Desk, Earlier, Killed, Scribe};
use crate::export::{Export, Exported};
use crate::families;
use crate::files;
use crate::guard;
use crate::judges::{Machine, SecondSolver};
use crate::past::Past;
use crate::progress::{Line, Timings};
use crate::reference::{self, Disagreement, Opinion, Reference};
use crate::reports;
use crate::show::print_styled;

pub fn run(arguments: &Run, folder: PathBuf) -> anyhow::Result<Exit> {
    let mut timings = Timings::new();
    let forms = reports::chosen(&arguments.reports)?;
    let export = Export::chosen(arguments)?;
    let second_opinion = match arguments.double_check {
        true => Some(SecondSolver::find()?),
        false => None,
    };
    // Before anything else is done in parallel: copies that are mutants are compiled so.
    if let Some(jobs) = arguments.jobs.filter(|_| !guard::is_careful()) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize);
        pool.build_global().context("cannot start threads")?;
    }
    let versions: Vec<llvm::Version> = reference::version(arguments).into_iter().collect();
    let selection = arguments.selection.beside_reference(arguments.reference.is_some());
    let unit = timings.step("compile and seed", || selection.load(&arguments.clang, versions))?;
    let changes = arguments.part.choose(&arguments.selection.file, &unit)?;
    let (file, stages) = (arguments.selection.name(), &arguments.stages);
    let mut plan = Plan::new(&arguments.search, &unit, &file, changes, stages, arguments.double_check)?;
    let framework = arguments.tests.framework();
    let path = arguments.out.join(framework.file_name(&arguments.selection.file_name()));
    let earlier = Earlier::find(path, framework)?;
    let reference = Reference::find(arguments, &unit)?;
    let line = Line::new(plan.judgements(), arguments.quiet);
    let desk = Desk::new(&unit, &arguments.selection.file, &arguments.clang.flags, framework);
    let own = match arguments.with_tests.is_empty() {
        true => vec![],
        false => timings.step(OWN_TESTS, || {
            desk.own_tests(&arguments.with_tests, &plan.mutants(), &|kills| line.advance(kills))
        })?,
    };
    let own = plan.credit(&own)?;
    let native = Machine::new(&unit);
    let mut checker = Checker::new(&unit.program, &native, Limits::default());
    checker.second_opinion = second_opinion.as_ref().map(|solver| solver as &dyn settle::SecondOpinion);
    let past = Past::find(
        &unit,
        (!arguments.no_store).then_some(folder),
        settings(&plan, arguments.selection.overflow, &arguments.clang.flags, &checker.limits),
    )?;
    let prepare = || files::prepare(&arguments.out);
    let decided = decide(&plan, &checker, &native, &past, &line, &mut timings, prepare)?;
    let mut conclusions = decided.conclusions(&plan, &own);

    let killed = killed(&plan.changes, &conclusions);
    let look = |subject: FunctionId, mutant: Mutant, input: &Input| {
        checker.kill(subject, mutant, input).ok().map(|kill| kill.shown)
    };
    let disputed = Disputed::new(reference.as_ref(), &mut timings)?;
    let families: Vec<(Mutant, &Family)> = families(&plan.changes, &conclusions);
    let special: Vec<Conclusion> =
        conclusions.iter().filter(|it| matches!(it.ending(), Ending::Special { .. })).cloned().collect();
    let choose = |killed: &[Killed]| {
        let others: Vec<Mutant> = killed.iter().map(|(_, mutant, _)| *mutant).collect();
        let mut tests = families::tests(&unit, &checker, &families, &others);
        let done: BTreeSet<Mutant> = tests.iter().flat_map(|test| &test.kills).copied().collect();
        let rest: Vec<Killed> =
            killed.iter().filter(|(_, mutant, _)| !done.contains(mutant)).copied().collect();
        let choose = || suite(&unit.program, &rest, &look, checker.limits);
        tests.extend(past.tests(&rest, &checker, choose)?);
        tests.sort_by_key(|test| test.subject);
        boundaries::tests(&unit, &checker, &plan.specials, &special, &mut tests);
        disputed.settle(tests)
    };
    let fails = |test: &Test| disputed.about(test).is_some();
    let remark = |test: &Test| disputed.remark(test);
    let names = |tests: &[Test]| write::names(&unit.program, tests);
    let reference_name = arguments.reference.as_ref().map(|path| path.display().to_string());
    let write = |tests: &[Test], names: &[String]| {
        write::file(&write::Suite {
            framework,
            file: &arguments.selection.file_name(),
            has_main: plan.has_main,
            wraps: arguments.selection.overflow == Overflow::Wrap,
            program: &unit.program,
            callable: &unit.external,
            elsewhere: &unit.elsewhere,
            changes: &unit.changes,
            tests,
            names,
            reference: reference_name.as_deref().map(|name| (name, disputed.speaks_for_all())),
            remark: &remark,
        })
    };
    let acquit = |test: &Test| disputed.acquit(test);
    let scribe = Scribe { choose: &choose, names: &names, write: &write, fails: &fails, acquit: &acquit };
    let compose = || guard::attempt("that writes tests", || desk.compose(&earlier, &killed, &scribe, &past));
    let composed = or_nothing(timings.step("choose and try tests", compose), &earlier)?;
    // Also those that a test file has already.
    let exported = export.files(&unit, || choose(&killed))?;
    drop(killed);
    doubt(&plan.changes, &mut conclusions, &composed.unconfirmed);

    disputed.tell(arguments);
    let disagreements = disputed.among(&composed);
    let mut alarms = alarms::about(&unit, &file, checker.alarms());
    alarms.extend(reference.iter().flat_map(Reference::alarms));
    let outcome = Outcome {
        arguments,
        unit: &unit,
        plan: &plan,
        conclusions: &conclusions,
        composed: &composed,
        disagreements: &disagreements,
        exported: &exported,
        alarms: &alarms,
        findings: if arguments.allow_undefined { &[] } else { &decided.findings },
    };
    outcome.publish(&forms, decided.known, &times(arguments, &timings, &decided.spent, &plan), &mut timings)
}

/// What became of the tests. The verdicts are worth telling also if there are none because Whet broke.
fn or_nothing(composed: Option<anyhow::Result<Composed>>, earlier: &Earlier) -> anyhow::Result<Composed> {
    let nothing = || Composed::nothing(earlier.path.clone());
    match composed {
        Some(Err(error)) => match error.downcast::<llvm::Error>() {
            Ok(llvm::Error::Internal(bug)) => {
                guard::tell(&bug);
                Ok(nothing())
            }
            Ok(error) => Err(error.into()),
            Err(error) => Err(error),
        },
        Some(composed) => composed,
        None => Ok(nothing()),
    }
}

/// Where the file and a reference disagree, as far as tests have shown.
struct Disputed<'a> {
    reference: Option<&'a Reference<'a>>,
    /// What a search found without any mutant's help.
    tests: Vec<Test>,
    found: RefCell<Vec<Disagreement>>,
    opinion: RefCell<Opinion>,
}

impl<'a> Disputed<'a> {
    fn new(reference: Option<&'a Reference<'a>>, timings: &mut Timings) -> anyhow::Result<Disputed<'a>> {
        let (tests, found) = match reference {
            Some(reference) => timings.step("compare with the reference", || reference.search())?,
            None => (vec![], vec![]),
        };
        Ok(Disputed { reference, tests, found: RefCell::new(found), opinion: RefCell::default() })
    }

    /// Has the tests expect what the reference does, and adds those that were searched for.
    fn settle(&self, mut tests: Vec<Test>) -> anyhow::Result<Vec<Test>> {
        let Some(reference) = self.reference else { return Ok(tests) };
        let opinion = reference.correct(&mut tests)?;
        self.found.borrow_mut().extend(opinion.disagreements.iter().cloned());
        self.opinion.replace(opinion);
        let is_known = |test: &Test, tests: &[Test]| {
            tests.iter().any(|it| (it.subject, &it.input) == (test.subject, &test.input))
        };
        for test in &self.tests {
            if !is_known(test, &tests) {
                tests.push(test.clone());
            }
        }
        tests.sort_by_key(|test| test.subject);
        Ok(tests)
    }

    /// It passes after all: what the two do is not the same, but nobody can tell.
    fn acquit(&self, test: &Test) {
        self.found.borrow_mut().retain(|it| (it.subject, &it.input) != (test.subject, &test.input));
    }

    fn about(&self, test: &Test) -> Option<Disagreement> {
        let found = self.found.borrow();
        found.iter().find(|it| (it.subject, &it.input) == (test.subject, &test.input)).cloned()
    }

    fn remark(&self, test: &Test) -> Option<String> {
        self.about(test).map(|_| "FAILS today: the program does not do what the reference does.".to_string())
    }

    /// Says what the reference had nothing to say about.
    fn tell(&self, arguments: &Run) {
        let Some(reference) = &arguments.reference else { return };
        let (reference, file) = (reference.display(), arguments.selection.name());
        let Opinion { unknown, invalid, unclear, .. } = &*self.opinion.borrow();
        for function in unknown {
            eprintln!("whet: {reference} has no `{function}`: its tests expect what {file} does");
        }
        for why in unclear {
            eprintln!(
                "whet: cannot tell what {reference} does, so that tests expect what {file} does: {why}"
            );
        }
        if *invalid > 0 {
            let tests = count(*invalid, "test");
            eprintln!("whet: {tests} left out, where {reference} breaks the rules of C");
        }
    }

    /// Whether every test expects what the reference does.
    fn speaks_for_all(&self) -> bool {
        let opinion = self.opinion.borrow();
        opinion.unknown.is_empty() && opinion.unclear.is_empty()
    }

    /// Those that the tests show.
    fn among(&self, composed: &Composed) -> Vec<report::Disagreement> {
        let tests = composed.tests.iter().enumerate();
        let shown = |(test, it): (usize, &Test)| {
            self.about(it).map(|found| report::Disagreement { test, ours: found.ours })
        };
        tests.filter_map(shown).collect()
    }
}

/// The mutants that a test is to be found for.
fn killed<'a>(changes: &[Change], conclusions: &'a [Conclusion]) -> Vec<Killed<'a>> {
    let killed = |(change, conclusion): (&Change, &'a Conclusion)| match conclusion.ending() {
        Ending::Killed { subject, kill, .. } => Some((*subject, Mutant(change.number), kill)),
        Ending::ByOwnTests { .. }
        | Ending::Equivalent(_)
        | Ending::Limited(_)
        | Ending::Family(_)
        | Ending::Special { .. }
        | Ending::Open(_) => None,
    };
    changes.iter().zip(conclusions).filter_map(killed).collect()
}

/// Those with an unknown number, as far as they are killed.
fn families<'a>(changes: &[Change], conclusions: &'a [Conclusion]) -> Vec<(Mutant, &'a Family)> {
    let family = |(change, conclusion): (&Change, &'a Conclusion)| match conclusion.ending() {
        Ending::Family(family) => Some((Mutant(change.number), family)),
        _ => None,
    };
    changes.iter().zip(conclusions).filter_map(family).collect()
}

/// A mutant that its own test does not notice is not killed.
fn doubt(changes: &[Change], conclusions: &mut [Conclusion], unconfirmed: &BTreeSet<Mutant>) {
    for (change, conclusion) in changes.iter().zip(conclusions) {
        if unconfirmed.contains(&Mutant(change.number)) {
            conclusion.doubt("the test that was written for it passes on it");
        }
    }
}

/// All that came of a run.
struct Outcome<'a> {
    arguments: &'a Run,
    unit: &'a Unit,
    plan: &'a Plan<'a>,
    conclusions: &'a [Conclusion],
    composed: &'a Composed,
    disagreements: &'a [report::Disagreement],
    exported: &'a [Exported],
    alarms: &'a [Found<'a>],
    findings: &'a [Finding],
}

impl Outcome<'_> {
    /// Writes the files, and tells the user.
    fn publish(
        &self,
        forms: &[Form],
        known: usize,
        times: &Times,
        timings: &mut Timings,
    ) -> anyhow::Result<Exit> {
        let Outcome {
            arguments,
            unit,
            plan,
            conclusions,
            composed,
            disagreements,
            exported,
            alarms,
            findings,
        } = *self;
        let file = arguments.selection.name();
        let test_name = composed.path.display().to_string();
        let test_text = std::fs::read_to_string(&composed.path).ok();
        let test_text = composed.text.as_ref().or(test_text.as_ref());
        let own_tests = own_test_files(arguments);
        let own_tests: Vec<TestFile> = own_tests.iter().map(|(name, text)| TestFile { name, text }).collect();
        let operators: Vec<_> = llvm::operators::TABLE.iter().map(|row| (row.name, row.about)).collect();
        let paths: Vec<String> =
            unit.headers.iter().map(|(file, _)| reports::path_in_repository(Path::new(file))).collect();
        let headers: Vec<Source> =
            unit.headers.iter().zip(&paths).map(|((file, text), path)| Source { file, path, text }).collect();
        let own_stage = (!own_tests.is_empty()).then_some(OWN_TESTS);
        let special = (!plan.specials.is_empty()).then_some(stages::Special::NAME);
        let stages: Vec<&str> =
            own_stage.into_iter().chain(plan.stages.iter().copied()).chain(special).collect();
        let reference = arguments.reference.as_ref().map(|path| path.display().to_string());
        let report = Report {
            file: &file,
            path: &reports::path_in_repository(&arguments.selection.file),
            text: &unit.text,
            headers: &headers,
            program: &unit.program,
            changes: &plan.changes,
            conclusions,
            tests: &composed.tests,
            names: &composed.names,
            kept: &composed.kept,
            reference: reference.as_deref(),
            disagreements,
            own_tests: own_stage.map(|_| own_tests.as_slice()),
            test_file: test_text.map(|text| TestFile { name: &test_name, text }),
            stages: &stages,
            operators: &operators,
            version: env!("CARGO_PKG_VERSION"),
            configuration: &reports::configuration(arguments),
            findings,
            refuted: alarms.len(),
        };
        let text_of = |form: &Form| (form.file_name(), form.text(&report));
        let texts: Vec<_> = timings.step("write reports", || forms.iter().map(text_of).collect());
        if let Some(text) = &composed.text {
            files::store(&composed.path, text.as_bytes())?;
        }
        files::store(&arguments.out.join("verdicts.json"), report::json(&report).as_bytes())?;
        for (name, text) in &texts {
            files::store(&arguments.out.join(name), text.as_bytes())?;
        }
        exported.iter().try_for_each(|exported| exported.store(&arguments.out, &unit.program))?;
        if !arguments.quiet {
            let mut text = format!("{}{}", heading(&file, &plan.changes), report::terminal(&report, times));
            text += &written(composed, &test_name);
            if !forms.is_empty() {
                let names: Vec<&str> = forms.iter().map(|form| form.file_name()).collect();
                let (count, out) = (count(names.len(), "report"), arguments.out.display());
                text += &format!("{count} written to {out}: {}\n", names.join(", "));
            }
            text.extend(exported.iter().map(|exported| exported.line(&arguments.out)));
            if known > 0 {
                let all = count(plan.changes.len(), "mutant");
                text += &format!("{known} of {all} known from an earlier run\n");
            }
            if arguments.timings {
                text += &format!("\n{}", timings.report());
            }
            print_styled(&text)?;
        }
        if !forms.is_empty() {
            reports::tell_github(&report, arguments.quiet)?;
        }
        alarms::publish(&arguments.out, alarms)?;
        let settled = exit(arguments, &report.summary());
        let is_wrong = !disagreements.is_empty() || (arguments.strict_original && !findings.is_empty());
        Ok(if is_wrong { Exit::Baseline } else { alarms::exit(settled, alarms) })
    }
}

fn heading(file: &str, changes: &[Change]) -> String {
    let functions: BTreeSet<&str> =
        changes.iter().map(|change| change.function.as_str()).filter(|name| !name.is_empty()).collect();
    let (mutants, functions) = (count(changes.len(), "mutant"), count(functions.len(), "function"));
    format!("{file}: {mutants} in {functions}\n\n")
}

/// What became of the test file, in a sentence.
fn written(composed: &Composed, path: &str) -> String {
    let tests = composed.tests.len();
    match (&composed.text, composed.kept.is_empty()) {
        (None, true) => String::new(),
        (None, false) => format!("no test is missing in {path}\n"),
        (Some(_), true) => format!("{} written to {path}\n", count(tests, "test")),
        (Some(_), false) => format!("{} added to {path}\n", count(tests, "test")),
    }
}

/// The user's own tests, as far as they are texts.
fn own_test_files(arguments: &Run) -> Vec<(String, String)> {
    let text = |path: &PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    arguments.with_tests.iter().map(|path| (path.display().to_string(), text(path))).collect()
}

/// Whether this is good enough for the user.
fn exit(arguments: &Run, summary: &Summary) -> Exit {
    // A score such as 29 % has no exact place among these numbers.
    const ROUNDING: f64 = 1e-9;
    let score = summary.low() * 100.0;
    let is_left =
        (summary.open > 0 && !arguments.allow_open) || (summary.limited > 0 && !arguments.allow_limited);
    match arguments.min_score {
        Some(least) if score + ROUNDING < least => {
            // Rounded down, as elsewhere: what is not enough must not look like it.
            let score = (score * 10.0 + ROUNDING).floor() / 10.0;
            eprintln!("whet: the score is {score:.1} %, below the {least} % of --min-score");
            Exit::Below
        }
        _ if summary.missed > 0 => Exit::Below,
        _ if is_left => Exit::Open,
        _ => Exit::Settled,
    }
}

/// What each stage took, and what is left for the checker.
fn times(arguments: &Run, timings: &Timings, stages: &[(&str, Duration)], plan: &Plan) -> Times {
    let claims: Duration = stages.iter().map(|(_, spent)| *spent).sum();
    let checker = timings.of("settle").saturating_sub(claims);
    // The stage itself only looks up what was compared before.
    let before = |stage: &str| match stage {
        Canonical::NAME => timings.of("compare optimised code"),
        _ => Duration::ZERO,
    };
    let own = (!arguments.with_tests.is_empty()).then(|| timings.of(OWN_TESTS));
    let stages = stages.iter().map(|(name, spent)| *spent + before(name));
    let special = Some(timings.of(SPECIAL)).filter(|_| !plan.specials.is_empty());
    let families = Some(timings.of(FAMILIES)).filter(|_| !plan.families.is_empty());
    Times { stages: own.into_iter().chain(stages).chain(special).collect(), families, checker }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
