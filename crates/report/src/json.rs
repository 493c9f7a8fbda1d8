//! `verdicts.json`: everything Whet knows, for programs to read. Fields are added, never changed.

use ir::{Datum, Difference, Observation, Outcome, Program};
use serde::Serialize;
use serde_json::{Map, Value};
use settle::{Conclusion, Kill, Sanitiser, Shown, Test};
use source::Change;

use crate::value::{elements, given, observed};
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
    /// What objects and globals hold afterwards, if that is not what they held before.
    after: Map<String, Value>,
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
            duplicate: summary.duplicate,
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

/// The mutants alone, as a list.
pub fn list_json(file: &str, changes: &[Change]) -> String {
    let entry = |(at, change): (usize, &Change)| {
        serde_json::json!({
            "id": at + 1,
            "operator": change.operator,
            "file": file,
            "function": change.function,
            "line": change.span.start.line,
            "column": change.span.start.column,
            "end_line": change.span.end.line,
            "end_column": change.span.end.column,
            "original": change.original,
            "replacement": change.replacement(),
        })
    };
    let entries: Vec<Value> = changes.iter().enumerate().map(entry).collect();
    let mut text = serde_json::to_string_pretty(&entries).expect("these types always serialise");
    text.push('\n');
    text
}

fn mutant<'a>(report: &'a Report, at: usize, change: &'a Change, conclusion: &'a Conclusion) -> Mutant<'a> {
    let (status, stage, method, assumptions, reason): (_, _, _, &[String], _) = match conclusion {
        Conclusion::Killed { duplicate_of: Some(of), .. } => {
            ("duplicate", Some("canonical"), Some(format!("the same code as mutant {}", of.0)), &[], None)
        }
        Conclusion::Killed { stage, kill, .. } => ("killed", Some(*stage), Some(how(kill)), &[], None),
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
        of: match conclusion {
            Conclusion::Killed { duplicate_of, .. } => duplicate_of.map(|of| of.0 as usize),
            _ => None,
        },
    }
}

/// How a kill shows.
fn how(kill: &Kill) -> String {
    let to_whom = match kill.shown {
        Shown::Plainly | Shown::Stopped => "",
        Shown::With(Sanitiser::Address) => " (with -fsanitize=address)",
        Shown::With(Sanitiser::Undefined) => " (with -fsanitize=undefined)",
        Shown::With(Sanitiser::Memory) => " (with -fsanitize=memory)",
        Shown::Nowhere => " (undefined: a binary may go on)",
    };
    what_shows(&kill.original, &kill.mutant) + to_whom
}

fn what_shows(original: &Outcome, mutant: &Outcome) -> String {
    match (original, mutant) {
        (Outcome::Returned(original), Outcome::Returned(mutant)) => difference(original, mutant).to_string(),
        (_, Outcome::Returned(_)) => "returns another value".to_string(),
        (_, Outcome::Faulted(fault, at)) => {
            let at = at.map_or(String::new(), |at| format!(" at line {}", at.line));
            format!("stops: {}{at}", fault.text())
        }
        (_, Outcome::Diverged) => "never returns".to_string(),
        (_, Outcome::OutOfFuel) => "time-out".to_string(),
        (_, Outcome::Unsupported(what, _)) => what.clone(),
    }
}

/// The first of the strongest differences, as a reader would look for it.
fn difference(original: &Observation, mutant: &Observation) -> &'static str {
    let differences = original.differences(mutant);
    let strongest = differences.strongest();
    let frees_more = mutant.freed.iter().any(|object| !original.has_freed(*object));
    if strongest == Difference::Unassigned {
        "leaves something unassigned"
    } else if strongest == Difference::Soft && frees_more {
        "frees what the caller still has"
    } else if strongest == Difference::Soft {
        "leaves less memory than there should be"
    } else if differences.result == strongest {
        "returns another value"
    } else if differences.calls == strongest {
        "calls differently"
    } else {
        "changes memory differently"
    }
}

fn test_case<'a>(report: &'a Report, test: &'a Test, name: &'a str) -> TestCase<'a> {
    let program = report.program;
    let function = program.function(test.subject);
    let parameters = function.signature.parameters.iter().zip(&test.input.arguments);
    let mut input: Map<String, Value> = parameters
        .map(|(parameter, datum)| (parameter.name.clone(), given(program, &test.input, parameter.of, datum)))
        .collect();
    for (id, datum) in &test.input.globals {
        let global = program.global(*id);
        input.insert(global.name.clone(), given(program, &test.input, global.of, datum));
    }
    for (id, datums) in &test.input.results {
        let external = program.external(*id);
        let Some(of) = external.result else { continue };
        let results = datums.iter().map(|datum| given(program, &test.input, of, datum)).collect();
        input.insert(format!("{}()", external.name), results);
    }
    let (returns, after) = match &test.returns {
        Outcome::Returned(observation) => {
            let result = observation.result.as_ref().zip(function.signature.result);
            let returns = result.map_or(Value::Null, |(seen, of)| observed(program, of, seen));
            (returns, after(program, test, observation))
        }
        _ => (Value::Null, Map::new()),
    };
    TestCase { name, function: &function.name, input, returns, after }
}

/// Globals by name, and objects by the parameter that leads to them.
fn after(program: &Program, test: &Test, observation: &Observation) -> Map<String, Value> {
    let mut after = Map::new();
    let signature = &program.function(test.subject).signature;
    for (parameter, datum) in signature.parameters.iter().zip(&test.input.arguments) {
        let Datum::Pointer { object, .. } = datum else { continue };
        let (before, seen) = (&test.input.objects[*object as usize], &observation.objects[*object as usize]);
        if observation.has_freed(*object) {
            after.insert(parameter.name.clone(), "freed".into());
            continue;
        }
        let start = Datum::Pointer { object: *object, element: 0 };
        let value = elements(program, before.of, seen);
        if !before.constant && value != given(program, &test.input, parameter.of, &start) {
            after.insert(parameter.name.clone(), value);
        }
    }
    for (id, seen) in &observation.globals {
        let global = program.global(*id);
        after.insert(global.name.clone(), observed(program, global.of, seen));
    }
    after
}
