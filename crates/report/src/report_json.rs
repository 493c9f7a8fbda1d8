//! `report.json`, in the mutation-testing-report-schema, version 2: what the
//! HTML report and many dashboards read.

use std::collections::{HashMap, HashSet};

use ir::Mutant;
use serde_json::{Map, Value, json};
use settle::Test;
use source::{Position, Span};

use crate::coverage::coverage;
use crate::place::{in_text, readable};
use crate::{Report, ReportedMutant, Source, TestFile, WrittenTests, original};

/// Above the first, a dashboard is green; below the second, red. What other tools start with.
const THRESHOLDS: (u32, u32) = (80, 60);

/// The text of `report.json`.
pub(crate) fn report_json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(&document(report, str::to_string))
        .expect("JSON values always serialise");
    text.push('\n');
    text
}

/// The whole report. `shown` is what a file is called in it.
pub(crate) fn document(report: &Report, shown: fn(&str) -> String) -> Value {
    let (high, low) = THRESHOLDS;
    let mut document = json!({
        "$schema": "https://raw.githubusercontent.com/stryker-mutator/mutation-testing-elements/master/packages/report-schema/src/mutation-testing-report-schema.json",
        "schemaVersion": "2",
        "thresholds": { "high": high, "low": low },
        "framework": { "name": "Whet", "version": report.version },
        "config": report.configuration,
        "files": files(report, shown),
        "whet": whet(report),
    });
    let test_files = test_files(report, shown);
    if !test_files.is_empty() {
        document["testFiles"] = test_files.into();
    }
    document
}

/// What the schema has no word for: the score is an interval, and the original may do something wrong.
fn whet(report: &Report) -> Value {
    let summary = report.summary();
    let original: Vec<String> = report.findings.iter().map(|it| original::line(report, it)).collect();
    json!({
        "score": { "low": summary.low(), "high": summary.high(), "words": summary.in_words() },
        "alone": summary.alone,
        "original": original,
    })
}

fn files(report: &Report, shown: fn(&str) -> String) -> Value {
    let covering = covering(report);
    let names: HashSet<&str> = report.names.iter().map(String::as_str).collect();
    let mutants = |source: &Source| -> Vec<Value> {
        let own = report.mutants().filter(|mutant| mutant.change.file(report.file) == source.file);
        let entry_of = |mutant: ReportedMutant| {
            let mut tests = covering.get(&Mutant(mutant.number as u32)).cloned().unwrap_or_default();
            tests.extend(mutant.killers.iter().filter(|test| !names.contains(*test)));
            entry(source, &mutant, &tests)
        };
        own.map(entry_of).collect()
    };
    let file = |source: Source| json!({ "language": "c", "source": readable(source.text), "mutants": mutants(&source) });
    report.sources().map(|source| (shown(source.file), file(source))).collect::<Map<String, Value>>().into()
}

/// The names of the tests that reach each mutant, in the order of the tests.
fn covering<'a>(report: &Report<'a>) -> HashMap<Mutant, Vec<&'a str>> {
    let mut covering: HashMap<Mutant, Vec<&str>> = HashMap::new();
    for (reached, name) in coverage(report.program, report.tests).into_iter().zip(report.names) {
        reached.into_iter().for_each(|mutant| covering.entry(mutant).or_default().push(name));
    }
    covering
}

fn entry(source: &Source, mutant: &ReportedMutant, covered_by: &[&str]) -> Value {
    let ReportedMutant { number, change, fate, killers, .. } = mutant;
    json!({
        "id": number.to_string(),
        "mutatorName": change.operator,
        "description": format!("mutant {number}, in {}: {}", change.function, mutant.change_in_words()),
        "location": location(in_text(source.text, change.span)),
        "replacement": change.replacement(),
        "status": fate.kind.row().status,
        "statusReason": mutant.evidence(),
        "killedBy": killers,
        "coveredBy": covered_by,
    })
}

/// The file that was written, and those that the user has. What a test of those is called, only they know.
fn test_files(report: &Report, shown: fn(&str) -> String) -> Map<String, Value> {
    let whole =
        |file: &TestFile| json!({ "source": file.text, "tests": [{ "id": file.name, "name": file.name }] });
    let own = report.own_tests.unwrap_or_default().iter().map(|file| (shown(file.name), whole(file)));
    let of_us = report.test_files.iter().enumerate();
    let written = of_us.map(|(at, tests)| (shown(tests.file.name), written(report, tests, at == 0)));
    own.chain(written).collect()
}

/// The first file also counts the tests that are found nowhere.
fn written(report: &Report, WrittenTests { file, kept }: &WrittenTests, is_first: bool) -> Value {
    let spans = find(file.text, report.names);
    let others = || report.test_files.iter().map(|tests| find(tests.file.text, report.names));
    let elsewhere: HashSet<&str> = match is_first {
        true => others().skip(1).flat_map(HashMap::into_keys).collect(),
        false => HashSet::new(),
    };
    let is_here = |(_, name): &(&Test, &String)| match is_first {
        true => !elsewhere.contains(name.as_str()),
        false => spans.contains_key(name.as_str()),
    };
    let test = |(_, name): (&Test, &String)| {
        let mut test = json!({ "id": name, "name": name });
        if let Some(span) = spans.get(name.as_str()) {
            test["location"] = location(*span);
        }
        test
    };
    // What the file had before goes by the name of the file.
    let kept = (!kept.is_empty()).then(|| json!({ "id": file.name, "name": file.name }));
    let tests: Vec<Value> =
        report.tests.iter().zip(report.names).filter(is_here).map(test).chain(kept).collect();
    json!({ "source": file.text, "tests": tests })
}

fn location(span: Span) -> Value {
    let position = |at: Position| json!({ "line": at.line, "column": at.column });
    json!({ "start": position(span.start), "end": position(span.end) })
}

/// Where tests are defined: each from the line that first names it to the brace at the margin that ends it.
fn find<'n>(text: &str, tests: &'n [String]) -> HashMap<&'n str, Span> {
    let mut missing: HashSet<&str> = tests.iter().map(String::as_str).collect();
    let mut open: Vec<(&str, Position)> = Vec::new();
    let mut spans = HashMap::new();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (line, number) in text.lines().zip(1..) {
        for word in line.split(|c| !is_letter(c)) {
            if let Some(name) = missing.take(word) {
                open.push((name, Position { line: number, column: 1 }));
            }
        }
        if line.starts_with('}') {
            let end = Position { line: number, column: 2 };
            spans.extend(open.drain(..).map(|(name, start)| (name, Span { start, end })));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_found_where_it_is_defined() {
        let test = |name: &str| format!("void {name}(void)\n{{\n    f();\n}}\n");
        let text =
            [&*test("test_f_10"), &test("test_f_1"), "int main(void) { RUN_TEST(test_f_1); }\n"].concat();
        let names = ["test_f_1", "test_f"].map(str::to_string);
        let spans = find(&text, &names);
        let span = spans["test_f_1"];
        assert_eq!(
            (span.start, span.end),
            (Position { line: 5, column: 1 }, Position { line: 8, column: 2 })
        );
        assert_eq!(spans.get("test_f"), None);
    }
}
