//! What a person sees at the end of a run. The text has colours; the binary
//! removes them where nobody wants them.

use std::fmt::{Display, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use source::{Change, plural};

use crate::escape::{one_line, printable};
use crate::fate::{FateKind, PARAMETRIC};
use crate::verdicts_json::{inputs, outcome as outcome_of};
use crate::{Report, ReportedMutant, Summary, named_values, original};

/// How many mutants are shown for one reason before the rest is only counted.
const SHOWN: usize = 5;

/// How many reasons are shown. More than these nobody reads on a terminal.
const REASONS: usize = 12;

const FAINT: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const ATTENTION: Style = AnsiColor::Yellow.on_default().bold();

/// How long things took.
pub struct Times {
    /// Before the first stage: to compile the file, and to seed mutants.
    pub compile: Duration,
    /// One for each stage of the report.
    pub stages: Vec<Duration>,
    /// What the parametric mutants took, if there are any.
    pub parametric: Option<Duration>,
    /// What it took to check the stages' claims.
    pub checker: Duration,
    /// To choose, try and write tests.
    pub tests: Duration,
}

impl Times {
    fn total(&self) -> Duration {
        let stages: Duration = self.stages.iter().sum();
        self.compile + stages + self.parametric.unwrap_or_default() + self.checker + self.tests
    }
}

/// The table by stage, the score, and what is open.
pub fn terminal(report: &Report, times: &Times) -> String {
    let summary = report.summary();
    let mut out = findings(report) + &disagreements(report) + &table(report, &summary, times);
    let style = if summary.is_exact() && summary.missed == 0 { GOOD } else { ATTENTION };
    let _ = writeln!(out, "\n{}", styled(style, summary.in_words()));
    if summary.parametric > 0 {
        let _ = writeln!(out, "{}", styled(STRONG, format!("{}:", report.parametric_in_words())));
        listing(&mut out, report, FateKind::Parametric, |mutant| {
            mutant.fate.how.clone() + &mutant.fate.conditions()
        });
    }
    if summary.missed > 0 {
        let heading = plural(summary.missed, "mutant survives", "mutants survive");
        let _ = writeln!(out, "{}", styled(ATTENTION, format!("{heading} your tests but not the new ones:")));
        listing(&mut out, report, FateKind::Missed, |mutant| {
            mutant.killers.first().map_or("no test fails in every build".to_string(), |test| test.to_string())
        });
    }
    if summary.alone > 0 {
        let _ = writeln!(out, "{}", alone(report, summary.alone));
    }
    out += &assumptions(report);
    if summary.limited > 0 {
        let heading = plural(summary.limited, "mutant is limited", "mutants are limited");
        let heading = format!("{heading}: no difference, but not all inputs were looked at:");
        let _ = writeln!(out, "{}", styled(ATTENTION, heading));
        listing(&mut out, report, FateKind::Limited, |mutant| mutant.fate.limits().join(", "));
    }
    if summary.open > 0 {
        let heading = plural(summary.open, "mutant is", "mutants are");
        let _ = writeln!(out, "{}", styled(ATTENTION, format!("{heading} open:")));
        listing(&mut out, report, FateKind::Open, |mutant| mutant.fate.how.clone());
    }
    out
}

/// How many mutants only calls of static functions kill, and of which ones.
fn alone(report: &Report, count: usize) -> String {
    let mut functions: Vec<String> = Vec::new();
    for mutant in report.mutants().filter(|mutant| mutant.fate.is_killed_alone()) {
        let function = format!("`{}`", mutant.change.function);
        if !functions.contains(&function) {
            functions.push(function);
        }
    }
    let count = plural(count, "mutant is", "mutants are");
    let why = "killed alone, only by calls of static functions themselves";
    printable(&format!("{count} {why}: {}", functions.join(", ")))
}

/// What the equivalent mutants take for granted about the world, in one line.
fn assumptions(report: &Report) -> String {
    let mut all: Vec<&str> = Vec::new();
    let mut count = 0;
    for mutant in report.mutants().filter(|mutant| mutant.fate.kind == FateKind::Equivalent) {
        let granted = mutant.fate.granted.map_or(&[][..], |granted| &granted.assumptions);
        count += usize::from(!granted.is_empty());
        for assumption in granted.iter().map(String::as_str) {
            if !all.contains(&assumption) {
                all.push(assumption);
            }
        }
    }
    match all.is_empty() {
        true => String::new(),
        false => {
            let count = plural(count, "equivalent mutant relies", "equivalent mutants rely");
            format!("{count} on assumptions: {}\n", printable(&all.join("; ")))
        }
    }
}

/// What the original does wrong, and what depends on it: before anything else.
fn findings(report: &Report) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let _ = writeln!(out, "{}", styled(ATTENTION, printable(&original::line(report, finding))));
        let _ = writeln!(out, "  as in {}", printable(&original::call(report, finding)));
    }
    if out.is_empty() { out } else { out + "\n" }
}

/// Where the file does not do what the reference does: found bugs, before anything else.
fn disagreements(report: &Report) -> String {
    let Some(reference) = report.reference.filter(|_| !report.disagreements.is_empty()) else {
        return String::new();
    };
    let count = plural(report.disagreements.len(), "test shows", "tests show");
    let heading = format!("{count} that {} does not do what {reference} does:", report.file);
    let mut out = format!("{}\n", styled(ATTENTION, printable(&heading)));
    for found in report.disagreements {
        let test = &report.tests[found.test];
        let seen = |outcome: &ir::Outcome| {
            let seen = outcome_of(report.program, test.subject, &test.input, outcome);
            seen.iter().map(|(what, value)| format!("{what} {value}")).collect::<Vec<_>>().join(", ")
        };
        let inputs = inputs(report.program, test.subject, &test.input);
        let (ours, theirs) = (seen(&found.ours), seen(&test.returns));
        let _ = writeln!(out, "  {}: {}", report.names[found.test], printable(&named_values(&inputs)));
        let _ = writeln!(out, "    {}: {}", printable(report.file), printable(&ours));
        let _ = writeln!(out, "    {}: {}", printable(reference), printable(&theirs));
    }
    out + "\n"
}

/// All mutants, one line each: number, operator, place, change.
pub fn list(file: &str, changes: &[Change]) -> String {
    let width = widest(file, changes);
    let line = |change| list_line(file, width, change) + "\n";
    changes.iter().map(line).collect()
}

/// What each stage settled, and how long it took.
fn table(report: &Report, summary: &Summary, times: &Times) -> String {
    let mut out = String::new();
    let heads = ["killed", "alone", "equivalent", "duplicate", "limited"].map(str::to_string);
    // The column is there if something is in it.
    let row = |name: &str, cells: [String; 5], time: &str| row(name, cells, summary.alone > 0, time);
    let _ = writeln!(out, "{}", styled(FAINT, row("stage", heads, "time")));
    let no_stage = |name: &str, time: Duration| row(name, Default::default(), &seconds(time));
    let _ = writeln!(out, "{}", no_stage("compile", times.compile));
    let settled_by =
        |stage: &str, time: Duration| row(stage, cells(&settled_by(report, stage)), &seconds(time));
    for (stage, time) in report.stages.iter().zip(&times.stages) {
        let _ = writeln!(out, "{}", settled_by(stage, *time));
    }
    if let Some(time) = times.parametric {
        let _ = writeln!(out, "{}", no_stage(PARAMETRIC, time));
    }
    let _ = writeln!(out, "{}", settled_by(settle::CHECKER, times.checker));
    let _ = writeln!(out, "{}", no_stage("tests", times.tests));
    let total = row("total", cells(summary), &seconds(times.total()));
    let _ = writeln!(out, "{}", styled(STRONG, total));
    out
}

/// What one stage settled.
fn settled_by(report: &Report, stage: &str) -> Summary {
    let fates = report.conclusions.iter().map(|conclusion| report.fate(conclusion));
    Summary::of(fates.filter(|fate| fate.stage == Some(stage)))
}

fn cells(summary: &Summary) -> [String; 5] {
    let Summary { killed, alone, equivalent, duplicate, limited, .. } = *summary;
    [killed, alone, equivalent, duplicate, limited].map(|count| count.to_string())
}

fn row(name: &str, cells: [String; 5], with_alone: bool, time: &str) -> String {
    let [killed, alone, equivalent, duplicate, limited] = cells;
    let alone = if with_alone { format!("  {alone:>5}") } else { String::new() };
    format!("  {name:<10} {killed:>6}{alone}  {equivalent:>10}  {duplicate:>9}  {limited:>7}  {time:>8}")
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

fn list_line(file: &str, width: usize, change: &Change) -> String {
    let place = place(file, change);
    let (from, to) = change.in_words();
    let [from, to] = [from, to].map(|text| printable(&one_line(&text)));
    format!("{:>5}  {:<4} {place:<width$}  {from} → {to}", change.number, change.operator)
}

fn place(file: &str, change: &Change) -> String {
    format!("{}:{}", printable(change.file(file)), change.span.start)
}

fn widest(file: &str, changes: &[Change]) -> usize {
    changes.iter().map(|change| place(file, change).chars().count()).max().unwrap_or(0)
}

/// Reasons in the order of their first mutant, each with the mutants that it holds for.
fn listing(out: &mut String, report: &Report, kind: FateKind, why: impl Fn(&ReportedMutant) -> String) {
    let width = widest(report.file, report.changes);
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for mutant in report.mutants().filter(|mutant| mutant.fate.kind == kind) {
        let reason = why(&mutant);
        let line = list_line(report.file, width, mutant.change);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, lines)) => lines.push(line),
            None => reasons.push((reason, vec![line])),
        }
    }
    let left: usize = reasons.iter().skip(REASONS).map(|(_, lines)| lines.len()).sum();
    for (reason, lines) in reasons.into_iter().take(REASONS) {
        let _ = writeln!(out, "  {}", printable(&reason));
        for line in lines.iter().take(SHOWN) {
            let _ = writeln!(out, "  {line}");
        }
        if lines.len() > SHOWN {
            let _ = writeln!(out, "         and {} more, in verdicts.json", lines.len() - SHOWN);
        }
    }
    if left > 0 {
        let _ = writeln!(out, "  and {left} more for other reasons, in verdicts.json");
    }
}
