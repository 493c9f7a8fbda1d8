//! What the original does wrong, in words. It comes first in a report, because verdicts depend on it.

use settle::Finding;

use crate::{Report, named_values, verdicts_json};

/// A finding in one line: the place, what happens and when, and how many mutants depend on it.
pub(crate) fn line(report: &Report, finding: &Finding) -> String {
    let line = finding.at.map_or(String::new(), |at| format!(":{}", at.line));
    format!("{}{line}: {}", report.file, finding.in_words())
}

/// The call that shows it.
pub(crate) fn call(report: &Report, finding: &Finding) -> String {
    let name = &report.program.function(finding.subject).name;
    let inputs = verdicts_json::inputs(report.program, finding.subject, &finding.input);
    let inputs = if inputs.is_empty() { "nothing".to_string() } else { named_values(&inputs) };
    format!("{name} with {inputs}")
}
