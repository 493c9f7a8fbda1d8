//! `report.sarif`, SARIF 2.1.0: what is left to look at, for code scanning. The rule is that every mutant is settled, so an open one breaks it, and so does one that the user's own tests miss.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::escape::{one_line, printable, uri};
use crate::place::in_text;
use crate::{Mutant, Report};

/// The text of `report.sarif`.
pub fn sarif(report: &Report) -> String {
    let findings: Vec<Mutant> = report.mutants().filter(|mutant| mutant.fate.kind.row().finding).collect();
    let used = |name: &str| findings.iter().any(|mutant| mutant.change.operator == name);
    let rules: Vec<(&str, &str)> = report.operators.iter().copied().filter(|(name, _)| used(name)).collect();
    let mut seen = HashMap::new();
    let results: Vec<Value> =
        findings.iter().map(|mutant| result(report, &rules, mutant, &mut seen)).collect();
    let document = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Whet",
                "semanticVersion": report.version,
                "rules": rules.iter().map(|(name, about)| rule(name, about)).collect::<Vec<_>>(),
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
        "help": { "text": "This mutant is alive: no test of yours is known to kill it, and there is no proof that none can. The message says more. Merge the test that it names; if there is none, write one, or change what is in the way." },
        "defaultConfiguration": { "level": "warning" },
    })
}

fn result(
    report: &Report,
    rules: &[(&str, &str)],
    mutant: &Mutant,
    seen: &mut HashMap<String, usize>,
) -> Value {
    let Mutant { number, change, .. } = mutant;
    let source = report.source_of(change);
    let span = in_text(source.text, change.span);
    let killers: String = mutant.killers.iter().map(|test| format!(" Killed by {test}.")).collect();
    let text = format!("Mutant {number}: {}. {}.{killers}", mutant.change_in_words(), mutant.evidence());
    let mut result = json!({
        "ruleId": change.operator,
        "level": "warning",
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
    if let Some(index) = rules.iter().position(|(name, _)| *name == change.operator) {
        result["ruleIndex"] = index.into();
    }
    result
}

/// The same for the same mutant when lines move: what it changes, where, and how many like it come before.
fn fingerprint(mutant: &Mutant, seen: &mut HashMap<String, usize>) -> String {
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
