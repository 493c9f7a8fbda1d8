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
    out += "| mutants | killed | equivalent | duplicate | limited | open | tests |\n";
    out += "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    let Summary { mutants, killed, equivalent, duplicate, limited, open, .. } = summary;
    let _ = writeln!(
        out,
        "| {mutants} | {killed} | {equivalent} | {duplicate} | {limited} | {open} | {} |",
        report.tests.len()
    );
    findings(&mut out, report);
    section(&mut out, report, "Missed by your tests", FateKind::Missed);
    section(&mut out, report, "Open", FateKind::Open);
    section(&mut out, report, "Limited: no difference, but not all inputs were looked at", FateKind::Limited);
    section(&mut out, report, "Parametric", FateKind::Parametric);
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

fn section(out: &mut String, report: &Report, heading: &str, kind: FateKind) {
    let mutants: Vec<ReportedMutant> = report.mutants().filter(|mutant| mutant.fate.kind == kind).collect();
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
