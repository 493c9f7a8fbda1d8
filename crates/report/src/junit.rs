//! `junit.xml`: a test suite for each function, a test case for each mutant, as CI systems show them.

use std::fmt::Write;

use crate::escape::{printable, xml};
use crate::fate::{Case, FateKind};
use crate::{Report, ReportedMutant, original};

/// The text of `junit.xml`.
///
/// Times are zero: mutants are settled together, and some readers stumble over a missing one.
pub(crate) fn junit(report: &Report) -> String {
    let mut suites: Vec<(&str, Vec<ReportedMutant>)> = Vec::new();
    for mutant in report.mutants() {
        let function = &*mutant.change.function;
        match suites.iter_mut().find(|(name, _)| *name == function) {
            Some((_, mutants)) => mutants.push(mutant),
            None => suites.push((function, vec![mutant])),
        }
    }
    let all = counts(suites.iter().flat_map(|(_, mutants)| mutants), report.findings.len());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"Whet\" {all}>");
    originals(&mut out, report);
    for (function, mutants) in &suites {
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", xml(function), counts(mutants, 0));
        mutants.iter().for_each(|mutant| case(&mut out, report, mutant));
        out += "  </testsuite>\n";
    }
    out + "</testsuites>\n"
}

/// A suite of its own for what the original does wrong.
fn originals(out: &mut String, report: &Report) {
    let findings = report.findings;
    if findings.is_empty() {
        return;
    }
    let _ = writeln!(out, "  <testsuite name=\"the original\" {}>", counts([], findings.len()));
    for finding in findings {
        let (line, call) = (original::line(report, finding), original::call(report, finding));
        let class = format!("{}.{}", report.file, report.program.function(finding.subject).name);
        let _ = writeln!(
            out,
            "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"0\">",
            xml(finding.fault.text()),
            xml(&class),
            xml(report.path),
            finding.at.map_or(1, |at| at.line)
        );
        let _ = writeln!(
            out,
            "      <failure message=\"{}\" type=\"undefined\">{}</failure>\n    </testcase>",
            xml(&line),
            text(&call)
        );
    }
    *out += "  </testsuite>\n";
}

/// The counts of a suite, with so many failures beside those of mutants.
fn counts<'m, 'a: 'm>(mutants: impl IntoIterator<Item = &'m ReportedMutant<'a>>, others: usize) -> String {
    let (mut tests, mut failures, mut skipped) = (others, others, 0);
    for mutant in mutants {
        tests += 1;
        match mutant.fate.kind.row().case {
            Case::Passed => {}
            Case::Skipped => skipped += 1,
            Case::Failed => failures += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\"")
}

fn case(out: &mut String, report: &Report, mutant: &ReportedMutant) {
    let change = mutant.change;
    let source = report.source_of(change);
    let name = format!("mutant {} at {}: {}", mutant.number, change.place(), mutant.change_in_words());
    let class = format!("{}.{}", report.file, change.function);
    let _ = writeln!(
        out,
        "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"0\">",
        xml(&name),
        xml(&class),
        xml(source.path),
        change.span.start.line
    );
    let evidence = mutant.evidence();
    let _ = match mutant.fate.kind.row().case {
        Case::Passed => {
            let killers = mutant.killers.iter().map(|test| format!("\nkilled by {test}")).collect::<String>();
            writeln!(out, "      <system-out>{}</system-out>", text(&(evidence + &killers)))
        }
        Case::Skipped => writeln!(out, "      <skipped message=\"{}\"/>", xml(&evidence)),
        Case::Failed => writeln!(
            out,
            "      <failure message=\"{}\" type=\"{}\">{}</failure>",
            xml(&evidence),
            match mutant.fate.kind {
                FateKind::Open | FateKind::Limited => mutant.fate.kind.row().word,
                _ => "survived",
            },
            text(&format!("{}:{}: {}", source.file, change.span.start, mutant.change_in_words()))
        ),
    };
    out.push_str("    </testcase>\n");
}

/// The contents of an element, where line breaks may stay.
fn text(text: &str) -> String {
    printable(text).split('\n').map(xml).collect::<Vec<_>>().join("\n")
}
