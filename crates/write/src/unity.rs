//! Unity: `test_<unit>.c` with its own `main`.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use ir::{Function, FunctionId, Mutant, Outcome, Scalar};
use settle::Test;

use crate::Suite;
use crate::c::{literal, type_name};

/// How the first line of a file of ours ends.
pub const SIGNATURE: &str = "written by Whet.";

/// How many changes a comment shows before it only counts.
const SHOWN: usize = 3;

/// The text of the test file.
pub fn unity(suite: &Suite) -> String {
    let mut out = String::new();
    let mut killers: HashMap<Mutant, usize> = HashMap::new();
    for mutant in suite.tests.iter().flat_map(|test| test.kills.iter().chain(&test.may_kill)) {
        *killers.entry(*mutant).or_default() += 1;
    }
    let tests = suite.tests.iter().zip(suite.names);
    let tests: String = tests.map(|(test, name)| one(suite, test, name, &killers)).collect();
    let (file, test_file) = (suite.file, file_name(suite.file));
    let rename = if suite.has_main { "-Dmain=program_main " } else { "" };
    let _ = write!(
        out,
        "/* Tests for {file}, {SIGNATURE}\n\
         \x20*\n\
         \x20* The expected values record what the program does today. Read them before you merge.\n\
         \x20* Build with Unity:\n\
         \x20*     cc {rename}-c {file}\n\
         \x20*     cc {test_file} {object} unity.c\n\
         \x20*/\n",
        object = file.strip_suffix(".c").map_or(file.to_string(), |stem| format!("{stem}.o")),
    );
    let limits = ["INT_M", "LONG_M"].iter().any(|limit| tests.contains(limit));
    out.push_str(if limits { "#include <limits.h>\n\n" } else { "" });
    out.push_str("#include \"unity.h\"\n\n");
    for function in subjects(suite) {
        let _ = writeln!(out, "{};", prototype(suite.program.function(function)));
    }
    out.push_str("\nvoid setUp(void) {}\nvoid tearDown(void) {}\n");
    out.push_str(&tests);
    out.push_str("\nint main(void)\n{\n    UNITY_BEGIN();\n");
    for name in suite.names {
        let _ = writeln!(out, "    RUN_TEST({name});");
    }
    out.push_str("    return UNITY_END();\n}\n");
    out
}

/// The name of the test file for a file under test.
pub fn file_name(file: &str) -> String {
    let stem = file.strip_suffix(".c").unwrap_or(file);
    format!("test_{stem}.c")
}

fn subjects(suite: &Suite) -> BTreeSet<FunctionId> {
    suite.tests.iter().map(|test| test.subject).collect()
}

fn prototype(function: &Function) -> String {
    let signature = &function.signature;
    let result = signature.result.as_ref().map_or("void".to_string(), type_name);
    let parameters: Vec<String> = signature
        .parameters
        .iter()
        .map(|parameter| format!("{} {}", type_name(&parameter.scalar), parameter.name))
        .collect();
    let parameters = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
    format!("{result} {}({parameters})", function.name)
}

fn one(suite: &Suite, test: &Test, name: &str, killers: &HashMap<Mutant, usize>) -> String {
    let function = suite.program.function(test.subject);
    let arguments: Vec<String> = function
        .signature
        .parameters
        .iter()
        .zip(&test.input.arguments)
        .map(|(parameter, word)| literal(*word, &parameter.scalar))
        .collect();
    let call = format!("{}({})", function.name, arguments.join(", "));
    let check = match (&test.returns, &function.signature.result) {
        (Outcome::Returned(Some(word)), Some(scalar)) => assertion(scalar, &literal(*word, scalar), &call),
        _ => format!("{call};"),
    };
    format!("\n{}void {name}(void)\n{{\n    {check}\n}}\n", comment(suite, test, killers))
}

fn assertion(scalar: &Scalar, expected: &str, call: &str) -> String {
    let kind = match (scalar.width, scalar.signed) {
        (1, _) if expected == "1" => return format!("TEST_ASSERT_TRUE({call});"),
        (1, _) => return format!("TEST_ASSERT_FALSE({call});"),
        (64, true) => "INT64",
        (64, false) => "UINT64",
        (128, _) => return format!("TEST_ASSERT_TRUE({expected} == {call});"),
        (_, true) => "INT",
        (_, false) => "UINT",
    };
    format!("TEST_ASSERT_EQUAL_{kind}({expected}, {call});")
}

/// What the test is for: the changes that no other test would notice, as far as that is known.
fn comment(suite: &Suite, test: &Test, killers: &HashMap<Mutant, usize>) -> String {
    let own: Vec<Mutant> = test.kills.iter().copied().filter(|mutant| killers[mutant] == 1).collect();
    let all = count(test.kills.len(), "mutant");
    let mut lines = match (test.whole, own.len()) {
        (true, 0) => vec![format!("Kills {all}.")],
        (true, alone) => vec![format!("Kills {all}, {alone} of them alone:")],
        (false, _) => vec![format!("Kills {all} or more, among them:")],
    };
    for mutant in own.iter().take(SHOWN) {
        let change = &suite.changes[mutant.0 as usize - 1];
        let (original, replacement) = (one_line(&change.original), one_line(change.replacement()));
        lines.push(format!("  {}: {original} -> {replacement}", change.span.start));
    }
    if own.len() > SHOWN {
        lines.push(format!("  and {} more", own.len() - SHOWN));
    }
    match lines.as_slice() {
        [line] => format!("/* {line} */\n"),
        lines => format!("/* {} */\n", lines.join("\n * ")),
    }
}

/// Source text inside of a comment must neither end it nor begin another.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /").replace("/*", "/ *")
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
