//! `verdicts.json`: everything Whet knows, for programs to read. Fields are added, never changed.

use bv::Word;
use ir::{Outcome, Scalar};
use serde::Serialize;
use serde_json::{Map, Value};
use settle::{Conclusion, Test};
use source::Change;

use crate::{Report, Summary};

#[derive(Serialize)]
struct File<'a> {
    version: u32,
    file: &'a str,
    mutants: Vec<Mutant<'a>>,
    tests: Vec<TestCase<'a>>,
    summary: Totals,
}

#[derive(Serialize)]
struct Mutant<'a> {
    id: usize,
    operator: &'a str,
    function: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    original: &'a str,
    replacement: &'a str,
    status: &'static str,
    stage: Option<&'a str>,
    method: Option<String>,
    assumptions: &'a [String],
    reason: Option<String>,
    killed_by: Vec<&'a str>,
    of: Option<usize>,
}

#[derive(Serialize)]
struct TestCase<'a> {
    name: &'a str,
    function: &'a str,
    input: Map<String, Value>,
    returns: Value,
}

#[derive(Serialize)]
struct Totals {
    mutants: usize,
    killed: usize,
    equivalent: usize,
    duplicate: usize,
    open: usize,
    score_low: f64,
    score_high: f64,
    tests: usize,
}

/// The text of `verdicts.json`.
pub fn json(report: &Report) -> String {
    let summary = Summary::of(report.conclusions);
    let file = File {
        version: 1,
        file: report.file,
        mutants: report
            .changes
            .iter()
            .zip(report.conclusions)
            .enumerate()
            .map(|(at, (change, conclusion))| mutant(report, at, change, conclusion))
            .collect(),
        tests: report
            .tests
            .iter()
            .zip(report.names)
            .map(|(test, name)| test_case(report, test, name))
            .collect(),
        summary: Totals {
            mutants: summary.mutants,
            killed: summary.killed,
            equivalent: summary.equivalent,
            duplicate: 0,
            open: summary.open,
            score_low: summary.low(),
            score_high: summary.high(),
            tests: report.tests.len(),
        },
    };
    let mut text = serde_json::to_string_pretty(&file).expect("these types always serialise");
    text.push('\n');
    text
}

fn mutant<'a>(report: &'a Report, at: usize, change: &'a Change, conclusion: &'a Conclusion) -> Mutant<'a> {
    let (status, stage, method, assumptions, reason): (_, _, _, &[String], _) = match conclusion {
        Conclusion::Killed { stage, kill, .. } => {
            ("killed", Some(*stage), Some(how(&kill.mutant)), &[], None)
        }
        Conclusion::Equivalent { stage, method, assumptions } => {
            ("equivalent", Some(*stage), Some(method.clone()), assumptions, None)
        }
        Conclusion::Open(open) => ("open", None, None, &[], Some(open.reason())),
    };
    Mutant {
        id: at + 1,
        operator: &change.operator,
        function: &change.function,
        line: change.span.start.line,
        column: change.span.start.column,
        end_line: change.span.end.line,
        end_column: change.span.end.column,
        original: &change.original,
        replacement: change.replacement(),
        status,
        stage,
        method,
        assumptions,
        reason,
        killed_by: report.killers(at),
        of: None,
    }
}

/// How a kill shows.
fn how(mutant: &Outcome) -> String {
    match mutant {
        Outcome::Returned(_) => "returns another value".to_string(),
        Outcome::Faulted(fault, _) => format!("stops: {}", fault.text()),
        Outcome::Diverged => "never returns".to_string(),
        Outcome::OutOfFuel => "time-out".to_string(),
        Outcome::Unsupported(what, _) => what.clone(),
    }
}

fn test_case<'a>(report: &'a Report, test: &'a Test, name: &'a str) -> TestCase<'a> {
    let function = report.program.function(test.subject);
    let parameters = &function.signature.parameters;
    let input = parameters
        .iter()
        .zip(&test.input.arguments)
        .map(|(parameter, word)| (parameter.name.clone(), number(*word, &parameter.scalar)))
        .collect();
    let returns = match (&test.returns, &function.signature.result) {
        (Outcome::Returned(Some(word)), Some(scalar)) => number(*word, scalar),
        _ => Value::Null,
    };
    TestCase { name, function: &function.name, input, returns }
}

/// A JSON number; what JSON readers cannot hold exactly is a string.
fn number(word: Word, scalar: &Scalar) -> Value {
    let value = if scalar.signed { word.signed() } else { word.bits() as i128 };
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => value.into(),
        (_, Ok(value)) => value.into(),
        _ => value.to_string().into(),
    }
}
