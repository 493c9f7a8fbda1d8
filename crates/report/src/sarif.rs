//! `report.sarif`, SARIF 2.1.0: what is left to look at, for code scanning. The
//! rule is that every mutant is settled. An open mutant breaks it, and so does
//! one that the user's own tests miss. A limited mutant is only a note.

use std::collections::HashMap;

use serde_json::{Value, json};
use settle::Finding;

use crate::escape::{one_line, printable, uri};
use crate::fate::Level;
use crate::place::in_text;
use crate::{Report, ReportedMutant, original};

/// The text of `report.sarif`.
pub(crate) fn sarif(report: &Report) -> String {
    let is_shown =
        |mutant: &ReportedMutant| mutant.fate.kind.row().finding.is_some() || mutant.fate.is_killed_alone();
    let findings: Vec<ReportedMutant> = report.mutants().filter(is_shown).collect();
    let used = |name: &str| findings.iter().any(|mutant| mutant.change.operator == name);
    let rules: Vec<(&str, &str)> = report.operators.iter().copied().filter(|(name, _)| used(name)).collect();
    let mut seen = HashMap::new();
    let originals = report.findings.iter().map(|finding| original(report, finding));
    let mutants = findings.iter().map(|mutant| result(report, &rules, mutant, &mut seen));
    let results: Vec<Value> = originals.chain(mutants).collect();
    let document = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Whet",
                "semanticVersion": report.version,
                "rules": rules.iter().map(|(name, about)| rule(name, about)).chain(original_rule(report)).collect::<Vec<_>>(),
            } },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&document).expect("JSON values always serialise");
    text.push('\n');
    text
}

fn rule(name: &str, about: &str) -> Value {
    json!({
        "id": name,
        "shortDescription": { "text": message(&format!("{name}: {about}")) },
        "help": { "text": "This mutant is alive: none of your tests is known to kill it, and there is no proof that no test can. The message says more. Add the test that it names. If it names none, write one, or remove what is in the way." },
        "defaultConfiguration": { "level": "warning" },
    })
}

fn result(
    report: &Report,
    rules: &[(&str, &str)],
    mutant: &ReportedMutant,
    seen: &mut HashMap<String, usize>,
) -> Value {
    let ReportedMutant { number, change, .. } = mutant;
    let source = report.source_of(change);
    let span = in_text(source.text, change.span);
    let level = match mutant.fate.kind.row().finding {
        Some(Level::Note) => "note",
        Some(Level::Warning) => "warning",
        None => "none",
    };
    let killers: String = mutant.killers.iter().map(|test| format!(" Killed by {test}.")).collect();
    let text = format!("Mutant {number}: {}. {}.{killers}", mutant.change_in_words(), mutant.evidence());
    let mut result = json!({
        "ruleId": change.operator,
        "level": level,
        "message": { "text": message(&text) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(source.path) },
                "region": {
                    "startLine": span.start.line,
                    "startColumn": span.start.column,
                    "endLine": span.end.line,
                    "endColumn": span.end.column,
                    "snippet": { "text": change.original },
                },
            },
            "logicalLocations": [{ "name": change.function, "kind": "function" }],
        }],
        "partialFingerprints": { "whetMutant/v1": fingerprint(mutant, seen) },
    });
    // By default, a result is a failure.
    if level == "none" {
        result["kind"] = "informational".into();
    }
    if let Some(index) = rules.iter().position(|(name, _)| *name == change.operator) {
        result["ruleIndex"] = index.into();
    }
    result
}

/// What the original does wrong is a rule of its own, after those for mutants.
const ORIGINAL: &str = "original";

fn original_rule(report: &Report) -> Option<Value> {
    let rule = || {
        json!({
            "id": ORIGINAL,
            "shortDescription": { "text": "The original breaks the rules of C" },
            "help": { "text": "No valid input reaches some mutants, because the program itself breaks a rule of C first. Fix the program, or use --allow-undefined." },
            "defaultConfiguration": { "level": "warning" },
        })
    };
    (!report.findings.is_empty()).then(rule)
}

fn original(report: &Report, finding: &Finding) -> Value {
    let text = format!("{}, as in {}.", finding.in_words(), original::call(report, finding));
    let function = &report.program.function(finding.subject).name;
    json!({
        "ruleId": ORIGINAL,
        "level": "warning",
        "message": { "text": message(&text) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(report.path) },
                "region": { "startLine": finding.at.map_or(1, |at| at.line) },
            },
            "logicalLocations": [{ "name": function, "kind": "function" }],
        }],
        "partialFingerprints": { "whetOriginal/v1": format!("{function}:{}", finding.what) },
    })
}

/// The same for the same mutant when lines move: what it changes, where, and how many like it come before.
fn fingerprint(mutant: &ReportedMutant, seen: &mut HashMap<String, usize>) -> String {
    let change = mutant.change;
    let [from, to] = [&*change.original, change.replacement()].map(one_line);
    let what = format!("{}:{}:{from}:{to}", change.function, change.operator);
    let nth = seen.entry(what.clone()).or_default();
    *nth += 1;
    format!("{what}:{nth}")
}

/// Braces are doubled: a single one would stand for an argument.
fn message(text: &str) -> String {
    printable(text).replace('{', "{{").replace('}', "}}")
}
