//! Annotations on GitHub: workflow commands, which the log of a job turns into remarks beside the code.

use std::fmt::Write;

use settle::Finding;

use crate::escape::{command_message, command_property, printable};
use crate::fate::Level;
use crate::place::in_text;
use crate::{Report, ReportedMutant, original};

/// GitHub shows no more warnings of one step than this, and no more notices.
const SHOWN: usize = 10;

/// One remark for each line with mutants that are alive, as far as GitHub shows them, and how many are left.
pub fn annotations(report: &Report) -> String {
    let mut lines: Vec<((&str, u32), Vec<ReportedMutant>)> = Vec::new();
    for mutant in report.mutants().filter(|mutant| mutant.fate.kind.row().finding.is_some()) {
        let line = (report.source_of(mutant.change).path, mutant.change.span.start.line);
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, mutants)) => mutants.push(mutant),
            None => lines.push((line, vec![mutant])),
        }
    }
    // Warnings first: there may be room for nothing else.
    lines.sort_by_key(|(_, mutants)| level(mutants) != Level::Warning);
    let mut out: String = report.findings.iter().map(|finding| original(report, finding)).collect();
    out.extend(lines.iter().take(SHOWN).map(|(_, mutants)| remark(report, mutants)));
    if lines.len() > SHOWN {
        let more = lines.len() - SHOWN;
        let _ = writeln!(out, "::notice title=Whet::there are more on {more} other lines: see the reports");
    }
    out
}

/// What the original does wrong.
fn original(report: &Report, finding: &Finding) -> String {
    let line = finding.at.map_or(1, |at| at.line);
    let (what, call) = (finding.in_words(), original::call(report, finding));
    format!(
        "::warning file={},line={line},title={}::{}\n",
        command_property(report.path),
        command_property("the original breaks the rules of C"),
        command_message(&printable(&format!("{what}, as in {call}")))
    )
}

/// A line matters as much as the mutant on it that matters most.
fn level(mutants: &[ReportedMutant]) -> Level {
    let is_warning = |mutant: &ReportedMutant| mutant.fate.kind.row().finding == Some(Level::Warning);
    if mutants.iter().any(is_warning) { Level::Warning } else { Level::Note }
}

fn remark(report: &Report, mutants: &[ReportedMutant]) -> String {
    let source = report.source_of(mutants[0].change);
    let span = in_text(source.text, mutants[0].change.span);
    let (command, word) = match level(mutants) {
        Level::Warning => ("warning", "alive"),
        Level::Note => ("notice", "limited"),
    };
    let title = match mutants.len() {
        1 => format!("1 mutant is {word}"),
        many => format!("{many} mutants are {word}"),
    };
    let in_words = |mutant: &ReportedMutant| {
        let killers: String = mutant.killers.iter().map(|test| format!("; killed by {test}")).collect();
        let how = mutant.fate.how.clone() + &mutant.fate.conditions();
        format!("{}  {}: {how}{killers}", mutant.change.operator, mutant.change_in_words())
    };
    let message: Vec<String> = mutants.iter().map(in_words).collect();
    format!(
        "::{command} file={},line={},col={},title={}::{}\n",
        command_property(source.path),
        span.start.line,
        span.start.column,
        command_property(&title),
        command_message(&printable(&message.join("\n")))
    )
}
