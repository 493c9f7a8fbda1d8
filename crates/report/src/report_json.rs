//! `report.json`, in the mutation-testing-report-schema, version 2: what the
//! HTML report and many dashboards read.

use serde_json::{Map, Value, json};
use settle::Test;
use source::{Position, Span};

use crate::coverage::coverage;
use crate::place::{in_text, readable};
use crate::{Report, ReportedMutant, Source, TestFile, original};

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
        "original": original,
    })
}

fn files(report: &Report, shown: fn(&str) -> String) -> Value {
    let reached = coverage(report.program, report.tests);
    let covers = |number: usize| {
        let tests = reached.iter().zip(report.names);
        let covering = tests.filter(|(reached, _)| reached.contains(&ir::Mutant(number as u32)));
        covering.map(|(_, name)| name.as_str()).collect::<Vec<_>>()
    };
    let mutants = |source: &Source| -> Vec<Value> {
        let own = report.mutants().filter(|mutant| mutant.change.file(report.file) == source.file);
        let entry_of = |mutant: ReportedMutant| {
            let mut tests = covers(mutant.number);
            tests.extend(mutant.killers.iter().filter(|test| !report.names.iter().any(|name| name == *test)));
            entry(source, &mutant, &tests)
        };
        own.map(entry_of).collect()
    };
    let file = |source: Source| json!({ "language": "c", "source": readable(source.text), "mutants": mutants(&source) });
    report.sources().map(|source| (shown(source.file), file(source))).collect::<Map<String, Value>>().into()
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
    let written = report.test_file.map(|file| (shown(file.name), written(report, file)));
    own.chain(written).collect()
}

fn written(report: &Report, file: TestFile) -> Value {
    let test = |(_, name): (&Test, &String)| {
        let mut test = json!({ "id": name, "name": name });
        if let Some(span) = find(file.text, name) {
            test["location"] = location(span);
        }
        test
    };
    // What the file had before goes by the name of the file.
    let kept = (!report.kept.is_empty()).then(|| json!({ "id": file.name, "name": file.name }));
    let tests: Vec<Value> = report.tests.iter().zip(report.names).map(test).chain(kept).collect();
    json!({ "source": file.text, "tests": tests })
}

fn location(span: Span) -> Value {
    let position = |at: Position| json!({ "line": at.line, "column": at.column });
    json!({ "start": position(span.start), "end": position(span.end) })
}

/// Where a test is defined: from the line that first names it to the brace at the margin that ends it.
fn find(text: &str, name: &str) -> Option<Span> {
    let lines: Vec<&str> = text.lines().collect();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = |line: &&str| line.split(|c| !is_letter(c)).any(|word| word == name);
    let first = lines.iter().position(names)?;
    let last = first + lines[first..].iter().position(|line| line.starts_with('}'))?;
    let at = |line: usize, column| Position { line: line as u32 + 1, column };
    Some(Span { start: at(first, 1), end: at(last, 2) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_found_where_it_is_defined() {
        let test = |name: &str| format!("void {name}(void)\n{{\n    f();\n}}\n");
        let text =
            [&*test("test_f_10"), &test("test_f_1"), "int main(void) { RUN_TEST(test_f_1); }\n"].concat();
        let span = find(&text, "test_f_1").unwrap();
        assert_eq!(
            (span.start, span.end),
            (Position { line: 5, column: 1 }, Position { line: 8, column: 2 })
        );
        assert_eq!(find(&text, "test_f"), None);
    }
}
