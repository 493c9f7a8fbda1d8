//! The summary in Markdown, as GitHub shows it on the page of a run.

use std::fmt::Write;

use crate::escape::{code_span, words};
use crate::fate::FateKind;
use crate::{Report, ReportedMutant, Summary, original};

/// How many mutants are listed before the rest is only counted: a page is for
/// reading, and GitHub takes no more than a megabyte.
const SHOWN: usize = 50;

/// The text of `report.md`.
pub fn markdown(report: &Report) -> String {
    let summary = report.summary();
    let mut out = format!("## Whet: {}\n\n**{}**\n\n", code_span(report.file), summary.in_words());
    let Summary { mutants, killed, alone, equivalent, duplicate, limited, open, .. } = summary;
    let tests = report.tests.len();
    let columns = [
        ("mutants", mutants),
        ("killed", killed),
        ("alone", alone),
        ("equivalent", equivalent),
        ("duplicate", duplicate),
        ("limited", limited),
        ("open", open),
        ("tests", tests),
    ];
    // The column is there if something is in it.
    let columns: Vec<_> = columns.into_iter().filter(|(name, _)| *name != "alone" || alone > 0).collect();
    let row = |cell: &dyn Fn(&(&str, usize)) -> String| {
        columns.iter().map(|column| format!("| {} ", cell(column))).collect::<String>() + "|\n"
    };
    out += &row(&|(name, _)| name.to_string());
    out += &row(&|_| "---:".to_string());
    out += &row(&|(_, count)| count.to_string());
    findings(&mut out, report);
    section(&mut out, report, "Missed by your tests", is(FateKind::Missed));
    section(&mut out, report, "Open", is(FateKind::Open));
    section(
        &mut out,
        report,
        "Limited: no difference, but not all inputs were looked at",
        is(FateKind::Limited),
    );
    section(&mut out, report, "Parametric", is(FateKind::Parametric));
    let alone = "Killed alone: only calls of a static function itself show the difference";
    section(&mut out, report, alone, |mutant| {
        mutant.fate.is_killed_alone() && mutant.fate.kind != FateKind::Missed
    });
    out
}

fn findings(out: &mut String, report: &Report) {
    if report.findings.is_empty() {
        return;
    }
    *out += "\n### What the original does wrong\n\n";
    for finding in report.findings {
        let (line, call) = (original::line(report, finding), original::call(report, finding));
        let _ = writeln!(out, "- {}, as in {}", words(&line), code_span(&call));
    }
}

fn is(kind: FateKind) -> impl Fn(&ReportedMutant) -> bool {
    move |mutant| mutant.fate.kind == kind
}

fn section(out: &mut String, report: &Report, heading: &str, is_meant: impl Fn(&ReportedMutant) -> bool) {
    let mutants: Vec<ReportedMutant> = report.mutants().filter(is_meant).collect();
    if mutants.is_empty() {
        return;
    }
    let _ = write!(out, "\n### {heading}\n\n");
    out.extend(mutants.iter().take(SHOWN).map(|mutant| item(report, mutant)));
    if mutants.len() > SHOWN {
        let _ = writeln!(out, "- and {} more", mutants.len() - SHOWN);
    }
}

fn item(report: &Report, mutant: &ReportedMutant) -> String {
    let place = code_span(&format!("{}:{}", mutant.change.file(report.file), mutant.change.span.start));
    let change = code_span(&mutant.change_in_words());
    let killers: String =
        mutant.killers.iter().map(|test| format!(", killed by {}", code_span(test))).collect();
    let how = mutant.fate.how.clone() + &mutant.fate.conditions();
    format!("- {place} {} {change}: {}{killers}\n", mutant.change.operator, words(&how))
}
