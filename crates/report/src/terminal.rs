//! What a person sees at the end of a run.

use std::fmt::Write;

use settle::Conclusion;
use source::Change;

use crate::{Report, Summary};

/// How many mutants are shown for one reason before the rest is only counted.
const SHOWN: usize = 5;

/// The table by stage, the score, and what is open.
pub fn terminal(report: &Report) -> String {
    let summary = Summary::of(report.conclusions);
    let mut out = String::new();
    let _ = writeln!(out, "  stage      killed  equivalent  duplicate");
    for stage in report.stages {
        let killed = count(
            report,
            |it| matches!(it, Conclusion::Killed { stage: by, duplicate_of: None, .. } if by == stage),
        );
        let equivalent =
            count(report, |it| matches!(it, Conclusion::Equivalent { stage: by, .. } if by == stage));
        let duplicate = if *stage == "canonical" { summary.duplicate } else { 0 };
        let _ = writeln!(out, "  {stage:<10} {killed:>6}  {equivalent:>10}  {duplicate:>9}");
    }
    let (killed, equivalent, duplicate) = (summary.killed, summary.equivalent, summary.duplicate);
    let _ = writeln!(out, "  {:<10} {killed:>6}  {equivalent:>10}  {duplicate:>9}", "total");
    out.push('\n');
    let _ = writeln!(out, "{}", score(&summary));
    if summary.assumed > 0 {
        let _ = writeln!(
            out,
            "{} only under an assumption:",
            plural(summary.assumed, "mutant is equivalent", "mutants are equivalent")
        );
        let assumed = |conclusion: &Conclusion| match conclusion {
            Conclusion::Equivalent { assumptions, .. } if !assumptions.is_empty() => {
                Some(assumptions.join(", "))
            }
            _ => None,
        };
        listing(&mut out, report, assumed);
    }
    if summary.open > 0 {
        let _ = writeln!(out, "{} open:", plural(summary.open, "mutant is", "mutants are"));
        let open = |conclusion: &Conclusion| match conclusion {
            Conclusion::Open(open) => Some(open.reason()),
            _ => None,
        };
        listing(&mut out, report, open);
    }
    out
}

/// All mutants, one line each: number, operator, place, change.
pub fn list(file: &str, changes: &[Change]) -> String {
    let line = |(at, change)| list_line(file, widest(file, changes), at + 1, change) + "\n";
    changes.iter().enumerate().map(line).collect()
}

fn list_line(file: &str, width: usize, number: usize, change: &Change) -> String {
    let place = place(file, change);
    format!(
        "{number:>5}  {:<4} {place:<width$}  {} → {}",
        change.operator,
        one_line(&change.original),
        one_line(change.replacement())
    )
}

/// The text without its line breaks.
fn one_line(text: &str) -> String {
    if !text.contains(['\n', '\r']) {
        return text.to_string();
    }
    let lines = text.lines().map(|line| line.trim_end_matches('\\').trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn place(file: &str, change: &Change) -> String {
    format!("{file}:{}", change.span.start)
}

fn widest(file: &str, changes: &[Change]) -> usize {
    changes.iter().map(|change| place(file, change).len()).max().unwrap_or(0)
}

/// Reasons in the order of their first mutant, each with the mutants that it holds for.
fn listing(out: &mut String, report: &Report, why: impl Fn(&Conclusion) -> Option<String>) {
    let width = widest(report.file, report.changes);
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for (at, (change, conclusion)) in report.changes.iter().zip(report.conclusions).enumerate() {
        let Some(reason) = why(conclusion) else { continue };
        let line = list_line(report.file, width, at + 1, change);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, lines)) => lines.push(line),
            None => reasons.push((reason, vec![line])),
        }
    }
    for (reason, lines) in reasons {
        let _ = writeln!(out, "  {reason}");
        for line in lines.iter().take(SHOWN) {
            let _ = writeln!(out, "  {line}");
        }
        if lines.len() > SHOWN {
            let _ = writeln!(out, "         and {} more, in verdicts.json", lines.len() - SHOWN);
        }
    }
}

fn score(summary: &Summary) -> String {
    let percent = |ratio: f64| format!("{:.1} %", ratio * 100.0).replace(".0 %", " %");
    let killable = summary.mutants - summary.equivalent - summary.duplicate;
    if summary.mutants == 0 {
        return "nothing to score: there are no mutants".to_string();
    }
    if summary.low() == summary.high() {
        return format!(
            "score {}: {} of {killable} killed, {} equivalent",
            percent(summary.low()),
            summary.killed,
            summary.equivalent
        );
    }
    format!(
        "score {} to {}: {} killed, {} equivalent, {} open",
        percent(summary.low()),
        percent(summary.high()),
        summary.killed,
        summary.equivalent,
        summary.open
    )
}

fn count(report: &Report, matches: impl Fn(&Conclusion) -> bool) -> usize {
    report.conclusions.iter().filter(|it| matches(it)).count()
}

fn plural(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
