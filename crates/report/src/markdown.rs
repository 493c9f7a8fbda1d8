//! The summary in Markdown, as GitHub shows it on the page of a run.

use std::fmt::Write;

use crate::escape::{code_span, words};
use crate::{Mutant, Report, Summary};

/// How many open mutants are listed before the rest is only counted: a page is for reading, and GitHub takes no more than a megabyte.
const SHOWN: usize = 50;

/// The text of `report.md`.
pub fn markdown(report: &Report) -> String {
    let summary = Summary::of(report.conclusions);
    let mut out = format!("## Whet: {}\n\n**{}**\n\n", code_span(report.file), summary.in_words());
    out += "| mutants | killed | equivalent | duplicate | open | tests |\n| ---: | ---: | ---: | ---: | ---: | ---: |\n";
    let Summary { mutants, killed, equivalent, duplicate, open, .. } = summary;
    let _ = writeln!(
        out,
        "| {mutants} | {killed} | {equivalent} | {duplicate} | {open} | {} |",
        report.tests.len()
    );
    if summary.assumed > 0 {
        let _ = writeln!(
            out,
            "\nOf the equivalent, {} only under assumptions: `verdicts.json` names them.",
            summary.assumed
        );
    }
    if summary.open > 0 {
        out += "\n### Open\n\n";
        let findings = report.mutants().filter(|mutant| mutant.fate.kind.row().finding);
        out.extend(findings.take(SHOWN).map(|mutant| item(report, &mutant)));
        if summary.open > SHOWN {
            let _ = writeln!(out, "- and {} more", summary.open - SHOWN);
        }
    }
    out
}

fn item(report: &Report, mutant: &Mutant) -> String {
    let place = code_span(&format!("{}:{}", mutant.change.file(report.file), mutant.change.span.start));
    let change = code_span(&mutant.change_in_words());
    format!("- {place} {} {change}: {}\n", mutant.change.operator, words(&mutant.fate.how))
}
