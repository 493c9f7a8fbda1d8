//! Annotations on GitHub: workflow commands, which the log of a job turns into remarks beside the code.

use std::fmt::Write;

use crate::escape::{command_message, command_property, printable};
use crate::place::in_text;
use crate::{Mutant, Report};

/// GitHub shows no more warnings of one step than this.
const SHOWN: usize = 10;

/// One warning for each line with mutants that are alive, as far as GitHub shows them, and how many are left.
pub fn annotations(report: &Report) -> String {
    let mut lines: Vec<((&str, u32), Vec<Mutant>)> = Vec::new();
    for mutant in report.mutants().filter(|mutant| mutant.fate.kind.row().finding) {
        let line = (report.source_of(mutant.change).path, mutant.change.span.start.line);
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, mutants)) => mutants.push(mutant),
            None => lines.push((line, vec![mutant])),
        }
    }
    let mut out: String = lines.iter().take(SHOWN).map(|(_, mutants)| warning(report, mutants)).collect();
    if lines.len() > SHOWN {
        let more = lines.len() - SHOWN;
        let _ = writeln!(out, "::notice title=Whet::there are more on {more} other lines: see the reports");
    }
    out
}

fn warning(report: &Report, mutants: &[Mutant]) -> String {
    let source = report.source_of(mutants[0].change);
    let span = in_text(source.text, mutants[0].change.span);
    let title = match mutants.len() {
        1 => "1 mutant is alive".to_string(),
        many => format!("{many} mutants are alive"),
    };
    let in_words = |mutant: &Mutant| {
        let killers: String = mutant.killers.iter().map(|test| format!("; killed by {test}")).collect();
        format!("{}  {}: {}{killers}", mutant.change.operator, mutant.change_in_words(), mutant.fate.how)
    };
    let message: Vec<String> = mutants.iter().map(in_words).collect();
    format!(
        "::warning file={},line={},col={},title={}::{}\n",
        command_property(source.path),
        span.start.line,
        span.start.column,
        command_property(&title),
        command_message(&printable(&message.join("\n")))
    )
}
