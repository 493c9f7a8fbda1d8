//! `verdicts.json`: everything Whet knows, for programs to read. Fields are added, never changed.

use ir::{Datum, FunctionId, Input, Observation, Outcome, Program, Stream};
use serde::Serialize;
use serde_json::{Map, Value};
use settle::{Finding, Test};
use source::Change;

use crate::Report;
use crate::fate::{FateKind, stop};
use crate::value::{elements, given, observed};

#[derive(Serialize)]
struct File<'a> {
    version: u32,
    file: &'a str,
    mutants: Vec<Mutant<'a>>,
    tests: Vec<TestCase<'a>>,
    /// Where the file does not do what the reference does. Not there without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<Reference<'a>>,
    /// What the original does wrong that keeps valid inputs away from mutants.
    original: Vec<Original<'a>>,
    summary: Totals,
}

#[derive(Serialize)]
struct Original<'a> {
    function: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    fault: &'static str,
    /// What happens, and when: ``reads before `numbers` whenever size > 0``.
    what: String,
    /// The simplest input that was found.
    input: Map<String, Value>,
    /// How many inputs make it happen, of how many that were tried.
    inputs: usize,
    tried: usize,
    /// The mutants that no valid input comes to because of it.
    mutants: Vec<u32>,
}

#[derive(Serialize)]
struct Reference<'a> {
    file: &'a str,
    disagreements: Vec<Dispute<'a>>,
}

#[derive(Serialize)]
struct Dispute<'a> {
    test: &'a str,
    function: &'a str,
    input: Map<String, Value>,
    program: Map<String, Value>,
    reference: Map<String, Value>,
}

#[derive(Serialize)]
struct Mutant<'a> {
    id: usize,
    operator: &'a str,
    function: &'a str,
    /// The header that it is in; not there if the file itself has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'a str>,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    original: &'a str,
    replacement: &'a str,
    status: &'static str,
    stage: Option<&'a str>,
    method: Option<String>,
    /// What a proof takes for granted about the world.
    assumptions: &'a [String],
    /// What it did not look at. Not empty: the status is `limited`, or the mutant stands for many.
    limits: &'a [String],
    reason: Option<String>,
    killed_by: Vec<&'a str>,
    /// The function that a test calls to kill it, or the static one that a proof speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    through: Option<&'a str>,
    /// Only calls of the static function itself show it. Not there if it is not so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    alone: bool,
    of: Option<u32>,
    /// The file that it comes from; not there if Whet has made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    /// What became of the values of its parameter, if it is a parametric mutant.
    #[serde(skip_serializing_if = "Option::is_none")]
    parametric: Option<Parametric<'a>>,
}

#[derive(Serialize)]
struct Parametric<'a> {
    tests: usize,
    /// The equivalent ones, as far as they are listed.
    except: &'a [String],
    complete: bool,
    /// How many are killed, where each needs a test of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    killed: Option<usize>,
    /// The first that are left.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    left: &'a [String],
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
    /// Those of the killed that only calls of a static function itself show.
    alone: usize,
    equivalent: usize,
    duplicate: usize,
    limited: usize,
    open: usize,
    /// Of the killed: those that the user's own tests kill, and those that they miss. Not there if none ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    own_tests: Option<OwnTests>,
    score_low: f64,
    score_high: f64,
    tests: usize,
    /// How many claims the checker refuted: each is a bug in Whet.
    refuted: usize,
}

#[derive(Serialize)]
struct OwnTests {
    killed: usize,
    missed: usize,
}

/// The text of `verdicts.json`.
pub fn verdicts_json(report: &Report) -> String {
    let summary = report.summary();
    let file = File {
        version: 1,
        file: report.file,
        mutants: report.mutants().map(mutant).collect(),
        tests: report
            .tests
            .iter()
            .zip(report.names)
            .map(|(test, name)| test_case(report, test, name))
            .collect(),
        reference: report.reference.map(|file| Reference {
            file,
            disagreements: report.disagreements.iter().map(|found| dispute(report, found)).collect(),
        }),
        original: report.findings.iter().map(|finding| original(report, finding)).collect(),
        summary: Totals {
            mutants: summary.mutants + summary.parametric,
            killed: summary.killed,
            alone: summary.alone,
            equivalent: summary.equivalent,
            duplicate: summary.duplicate,
            limited: summary.limited,
            open: summary.open,
            own_tests: report.own_tests.map(|_| OwnTests { killed: summary.own, missed: summary.missed }),
            score_low: summary.low(),
            score_high: summary.high(),
            tests: report.tests.len(),
            refuted: report.refuted,
        },
    };
    let mut text = serde_json::to_string_pretty(&file).expect("these types always serialise");
    text.push('\n');
    text
}

fn dispute<'a>(report: &'a Report, found: &crate::Disagreement) -> Dispute<'a> {
    let (program, test) = (report.program, &report.tests[found.test]);
    let seen = |it: &Outcome| outcome(program, test.subject, &test.input, it);
    Dispute {
        test: &report.names[found.test],
        function: &program.function(test.subject).name,
        input: inputs(program, test.subject, &test.input),
        program: seen(&found.ours),
        reference: seen(&test.returns),
    }
}

/// The mutants alone, as a list.
pub fn list_json(file: &str, changes: &[Change]) -> String {
    let entry = |change: &Change| {
        let mut entry = serde_json::json!({
            "id": change.number,
            "operator": change.operator,
            "file": change.file(file),
            "function": change.function,
            "line": change.span.start.line,
            "column": change.span.start.column,
            "end_line": change.span.end.line,
            "end_column": change.span.end.column,
            "original": change.original,
            "replacement": change.replacement(),
        });
        if let Some(from) = &change.from {
            entry["from"] = from.as_str().into();
        }
        entry
    };
    let entries: Vec<Value> = changes.iter().map(entry).collect();
    let mut text = serde_json::to_string_pretty(&entries).expect("these types always serialise");
    text.push('\n');
    text
}

fn original<'a>(report: &Report<'a>, finding: &'a Finding) -> Original<'a> {
    Original {
        function: &report.program.function(finding.subject).name,
        line: finding.at.map(|at| at.line),
        column: finding.at.map(|at| at.column),
        fault: finding.fault.text(),
        what: finding.in_words(),
        input: inputs(report.program, finding.subject, &finding.input),
        inputs: finding.inputs,
        tried: finding.tried,
        mutants: finding.mutants.iter().map(|mutant| mutant.0).collect(),
    }
}

fn mutant<'a>(mutant: crate::ReportedMutant<'a>) -> Mutant<'a> {
    let crate::ReportedMutant { number, change, fate, killers, through, parametric, .. } = mutant;
    let is_open = fate.kind == FateKind::Open;
    let (method, reason) = if is_open { (None, Some(fate.how)) } else { (Some(fate.how), None) };
    Mutant {
        id: number,
        operator: &change.operator,
        function: &change.function,
        header: change.header.as_deref(),
        line: change.span.start.line,
        column: change.span.start.column,
        end_line: change.span.end.line,
        end_column: change.span.end.column,
        original: &change.original,
        replacement: change.replacement(),
        status: fate.kind.row().word,
        stage: fate.stage,
        method,
        assumptions: fate.granted.map_or(&[], |granted| &granted.assumptions),
        limits: fate.granted.map_or(&[], |granted| &granted.limits),
        reason,
        killed_by: killers,
        through,
        alone: fate.alone,
        of: fate.of,
        from: change.from.as_deref(),
        parametric: parametric.map(|verdict| Parametric {
            tests: verdict.tests.len(),
            except: &verdict.except,
            complete: verdict.claim.complete,
            killed: (!verdict.claim.complete).then_some(verdict.tests.len()),
            left: verdict.left.as_slice(),
        }),
    }
}

fn test_case<'a>(report: &'a Report, test: &'a Test, name: &'a str) -> TestCase<'a> {
    let program = report.program;
    let function = program.function(test.subject);
    let input = inputs(program, test.subject, &test.input);
    let (returns, after) = match &test.returns {
        Outcome::Returned(observation) => (
            result(program, test.subject, observation),
            after(program, test.subject, &test.input, observation),
        ),
        _ => (Value::Null, Map::new()),
    };
    TestCase { name, function: &function.name, input, returns, after }
}

/// What an input gives to a function: its parameters, globals, and results of functions without a body.
pub fn inputs(program: &Program, subject: FunctionId, input: &Input) -> Map<String, Value> {
    let function = program.function(subject);
    let parameters = function.signature.parameters.iter().zip(&input.arguments);
    let mut inputs: Map<String, Value> = parameters
        .enumerate()
        .map(|(at, (parameter, datum))| {
            let place = within(program, subject, input, at);
            let value = place.unwrap_or_else(|| given(program, input, parameter.of, datum));
            (parameter.name.clone(), value)
        })
        .collect();
    for (id, datum) in &input.globals {
        let global = program.global(*id);
        inputs.insert(global.name.clone(), given(program, input, global.of, datum));
    }
    for (id, datums) in &input.results {
        let external = program.external(*id);
        let Some(of) = external.result else { continue };
        let results = datums.iter().map(|datum| given(program, input, of, datum)).collect();
        inputs.insert(format!("{}()", external.name), results);
    }
    inputs
}

/// Where a parameter points, if that is a place in the buffer of another one, such as `a + 1`.
fn within(program: &Program, subject: FunctionId, input: &Input, at: usize) -> Option<Value> {
    let place = |at: usize| match input.arguments.get(at)? {
        Datum::Pointer { object, element } => Some((*object, *element)),
        _ => None,
    };
    let (object, element) = place(at)?;
    let all = (0..input.arguments.len()).filter_map(|at| Some((place(at)?, at)));
    let ((_, first), base) =
        all.filter(|((other, _), _)| *other == object).min_by_key(|((_, element), at)| (*element, *at))?;
    if base == at {
        return None;
    }
    let name = &program.function(subject).signature.parameters.get(base)?.name;
    Some(match element - first {
        0 => name.clone().into(),
        more => format!("{name} + {more}").into(),
    })
}

fn result(program: &Program, subject: FunctionId, observation: &Observation) -> Value {
    let result = observation.result.as_ref().zip(program.function(subject).signature.result);
    result.map_or(Value::Null, |(seen, of)| observed(program, of, seen))
}

/// What was seen of a call: the result, what is otherwise afterwards, and what
/// was called; or how it ended instead.
pub fn outcome(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    outcome: &Outcome,
) -> Map<String, Value> {
    let Outcome::Returned(observation) = outcome else {
        return Map::from_iter([("stops".to_string(), stop(outcome).into())]);
    };
    let mut seen = after(program, subject, input, observation);
    if program.function(subject).signature.result.is_some() {
        seen.insert("returns".to_string(), result(program, subject, observation));
    }
    let calls = observation.calls.iter().map(|call| {
        let external = program.external(call.external);
        let arguments = external.parameters.iter().zip(&call.arguments);
        let arguments: Vec<String> =
            arguments.map(|(of, seen)| observed(program, *of, seen).to_string()).collect();
        Value::from(format!("{}({})", external.name, arguments.join(", ")))
    });
    let calls: Vec<Value> = calls.collect();
    if !calls.is_empty() {
        seen.insert("calls".to_string(), calls.into());
    }
    let printed = Stream::ALL.map(|stream| (stream, observation.printed(stream)));
    for (stream, printed) in printed.into_iter().filter(|(_, printed)| !printed.text.is_empty()) {
        let text = String::from_utf8_lossy(&printed.text).into_owned();
        seen.insert(stream.name().to_string(), text.into());
    }
    seen
}

/// Globals by name, and objects by the parameter that leads to them.
fn after(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    observation: &Observation,
) -> Map<String, Value> {
    let mut after = Map::new();
    let signature = &program.function(subject).signature;
    for (parameter, datum) in signature.parameters.iter().zip(&input.arguments) {
        let Datum::Pointer { object, .. } = datum else { continue };
        let (before, seen) = (&input.objects[*object as usize], &observation.objects[*object as usize]);
        if observation.has_freed(*object) {
            after.insert(parameter.name.clone(), "freed".into());
            continue;
        }
        let start = Datum::Pointer { object: *object, element: 0 };
        let value = elements(program, before.of, seen);
        if !before.constant && value != given(program, input, parameter.of, &start) {
            after.insert(parameter.name.clone(), value);
        }
    }
    for (id, seen) in &observation.globals {
        let global = program.global(*id);
        after.insert(global.name.clone(), observed(program, global.of, seen));
    }
    after
}
