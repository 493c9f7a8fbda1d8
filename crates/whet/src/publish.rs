//! What a run leaves behind: files, lines on the terminal, and an exit code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use report::{OWN_TESTS, Report, ReportFormat, Source, Summary, TestFile, Times, WrittenTests};
use settle::{Conclusion, Finding, Test};
use source::{Change, count};

use crate::Exit;
use crate::alarms::{self, Found};
use crate::cli::Run;
use crate::compose::Composed;
use crate::export::Exported;
use crate::files;
use crate::reports;
use crate::session::{Decided, PARAMETRIC, SETTLE, SPECIAL, Session};
use crate::show::print_styled;

/// All that came of a run.
pub(crate) struct Outcome<'a> {
    pub arguments: &'a Run,
    pub session: &'a Session<'a>,
    pub decided: &'a Decided,
    pub conclusions: &'a [Conclusion],
    /// One for each test file.
    pub composed: &'a [Composed],
    pub exported: &'a [Exported],
    pub alarms: &'a [Found<'a>],
}

impl Outcome<'_> {
    /// Writes the files, and tells the user.
    pub(crate) fn publish(&self, formats: &[ReportFormat]) -> anyhow::Result<Exit> {
        let Outcome { arguments, session, composed, alarms, .. } = *self;
        let (unit, plan) = (session.unit, &session.plan);
        let file = arguments.selection.name();
        let written: Vec<Written> = composed.iter().map(Written::new).collect();
        let test_files: Vec<WrittenTests> = written.iter().filter_map(Written::tests).collect();
        let tests: Vec<Test> = composed.iter().flat_map(|it| it.draft.tests.iter().cloned()).collect();
        let names: Vec<String> = composed.iter().flat_map(|it| it.names.iter().cloned()).collect();
        let own_tests = own_test_files(arguments);
        let own_tests: Vec<TestFile> = own_tests.iter().map(|(name, text)| TestFile { name, text }).collect();
        let operators: Vec<_> = llvm::operators::TABLE.iter().map(|row| (row.name, row.about)).collect();
        let paths: Vec<String> =
            unit.headers.iter().map(|(file, _)| reports::path_in_repository(Path::new(file))).collect();
        let headers: Vec<Source> =
            unit.headers.iter().zip(&paths).map(|((file, text), path)| Source { file, path, text }).collect();
        let own_stage = (!own_tests.is_empty()).then_some(OWN_TESTS);
        let special = (!plan.special.is_empty()).then_some(stages::Special::NAME);
        let stages: Vec<&str> =
            own_stage.into_iter().chain(plan.method.stages.iter().copied()).chain(special).collect();
        let reference = arguments.reference.as_ref().map(|path| path.display().to_string());
        let disagreements = self.disagreements();
        let report = Report {
            file: &file,
            path: &reports::path_in_repository(&arguments.selection.file),
            text: &unit.text,
            headers: &headers,
            program: &unit.program,
            changes: &plan.changes,
            conclusions: self.conclusions,
            tests: &tests,
            names: &names,
            reference: reference.as_deref(),
            disagreements: &disagreements,
            own_tests: own_stage.map(|_| own_tests.as_slice()),
            test_files: &test_files,
            stages: &stages,
            operators: &operators,
            version: env!("CARGO_PKG_VERSION"),
            configuration: &reports::configuration(arguments),
            findings: self.findings(),
            refuted: alarms.len(),
        };
        self.write(&report, formats)?;
        if !arguments.quiet {
            self.print(&report, formats, &written)?;
        }
        if !formats.is_empty() {
            reports::tell_github(&report, arguments.quiet)?;
        }
        alarms::publish(&arguments.out, alarms)?;
        let settled = exit(arguments, &report.summary());
        let is_wrong =
            !disagreements.is_empty() || (arguments.strict_original && !self.findings().is_empty());
        Ok(if is_wrong { Exit::Baseline } else { alarms::exit(settled, alarms) })
    }

    /// The tests that show where the file does not do what the reference does.
    fn disagreements(&self) -> Vec<report::Disagreement> {
        // The others come after these.
        let Some(Composed { draft, .. }) = self.composed.first() else { return vec![] };
        let tests = draft.tests.iter().enumerate();
        let shown = |(test, it): (usize, &settle::Test)| {
            draft.disagreement(it).map(|found| report::Disagreement { test, ours: found.ours.clone() })
        };
        tests.filter_map(shown).collect()
    }

    /// What the original does wrong, as far as the user wants to know.
    fn findings(&self) -> &[Finding] {
        if self.arguments.allow_undefined { &[] } else { &self.decided.findings }
    }

    /// Writes tests, reports and exports.
    fn write(&self, report: &Report, formats: &[ReportFormat]) -> anyhow::Result<()> {
        let Outcome { arguments, session, composed, exported, .. } = *self;
        let text_of = |format: &ReportFormat| (format.file_name(), format.text(report));
        let texts: Vec<_> = session.timings.step("write reports", || formats.iter().map(text_of).collect());
        for composed in composed {
            if let Some(text) = &composed.text {
                files::store(&composed.path, text.as_bytes())?;
            }
        }
        files::store(&arguments.out.join("verdicts.json"), report::verdicts_json(report).as_bytes())?;
        for (name, text) in &texts {
            files::store(&arguments.out.join(name), text.as_bytes())?;
        }
        exported.iter().try_for_each(|exported| exported.store(&arguments.out, &session.unit.program))
    }

    /// Tells the user what was found and written.
    fn print(&self, report: &Report, formats: &[ReportFormat], written: &[Written]) -> anyhow::Result<()> {
        let Outcome { arguments, session, decided, exported, .. } = *self;
        let changes = &session.plan.changes;
        let mut text =
            format!("{}{}", heading(report.file, changes), report::terminal(report, &self.times()));
        if written.iter().any(|it| it.composed.untried) {
            text += "no time was left to try tests, so none are written\n";
        }
        text.extend(written.iter().map(Written::line));
        if !formats.is_empty() {
            let names: Vec<&str> = formats.iter().map(|format| format.file_name()).collect();
            let (count, out) = (count(names.len(), "report"), arguments.out.display());
            text += &format!("{count} written to {out}: {}\n", names.join(", "));
        }
        text.extend(exported.iter().map(|exported| exported.line(&arguments.out)));
        if decided.known > 0 {
            let all = count(changes.len(), "mutant");
            text += &format!("{} of {all} known from an earlier run\n", decided.known);
        }
        if session.deadline.stop.is_set() && !arguments.no_store {
            text += "the run was stopped: run Whet again, and it continues from here\n";
        }
        if arguments.timings {
            text += &format!("\n{}", session.timings.report());
        }
        print_styled(&text)?;
        Ok(())
    }

    /// How long everything took. It adds up to the time since the start.
    fn times(&self) -> Times {
        let (plan, timings) = (&self.session.plan, &self.session.timings);
        let claims: Duration = self.decided.spent.iter().map(|(_, spent)| *spent).sum();
        let checker = timings.of(SETTLE).saturating_sub(claims);
        let own = (!self.arguments.with_tests.is_empty()).then(|| timings.of(OWN_TESTS));
        let stages = self.decided.spent.iter().map(|(_, spent)| *spent);
        let special = Some(timings.of(SPECIAL)).filter(|_| !plan.special.is_empty());
        let parametric = Some(timings.of(PARAMETRIC)).filter(|_| !plan.parametric.is_empty());
        let stages: Vec<Duration> = own.into_iter().chain(stages).chain(special).collect();
        let compile = timings.before(SETTLE).saturating_sub(own.unwrap_or_default());
        let known: Duration = stages.iter().sum::<Duration>() + parametric.unwrap_or_default() + checker;
        let tests = timings.started.elapsed().saturating_sub(compile + known);
        Times { compile, stages, parametric, checker, tests }
    }
}

fn heading(file: &str, changes: &[Change]) -> String {
    let functions: BTreeSet<&str> =
        changes.iter().map(|change| change.function.as_str()).filter(|name| !name.is_empty()).collect();
    let (mutants, functions) = (count(changes.len(), "mutant"), count(functions.len(), "function"));
    format!("{file}: {mutants} in {functions}\n\n")
}

/// A test file as it is written.
struct Written<'a> {
    composed: &'a Composed,
    name: String,
    /// What it was before.
    earlier: Option<String>,
}

impl<'a> Written<'a> {
    fn new(composed: &'a Composed) -> Written<'a> {
        let earlier = std::fs::read_to_string(&composed.path).ok();
        Written { composed, name: composed.path.display().to_string(), earlier }
    }

    /// None if there is nothing to test.
    fn tests(&self) -> Option<WrittenTests<'_>> {
        let text = self.composed.text.as_ref().or(self.earlier.as_ref())?;
        let file = TestFile { name: &self.name, text };
        Some(WrittenTests { file, kept: &self.composed.kept })
    }

    /// One sentence.
    fn line(&self) -> String {
        let Composed { draft, text, kept, untried, .. } = self.composed;
        let (tests, path) = (count(draft.tests.len(), "test"), &self.name);
        match (text, kept.is_empty()) {
            _ if *untried => String::new(),
            (None, true) => String::new(),
            (None, false) => format!("{path} needs no new test\n"),
            (Some(_), _) if *text == self.earlier => format!("{tests} in {path}, as before\n"),
            (Some(_), true) => format!("{tests} written to {path}\n"),
            (Some(_), false) => format!("{tests} added to {path}\n"),
        }
    }
}

/// The user's own tests: names and texts. An object file has no text.
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
            // Rounded down, as elsewhere: a score that is too low must not look high enough.
            let score = (score * 10.0 + ROUNDING).floor() / 10.0;
            eprintln!("whet: the score is {score:.1} %, below the {least} % of --min-score");
            Exit::Below
        }
        _ if summary.missed > 0 => Exit::Below,
        _ if is_left => Exit::Open,
        _ => Exit::Settled,
    }
}
