//! Tests for frameworks other than Unity: they compile without a warning, pass on the original, and
//! fail on the mutants that they kill. The golden files stand for what a test may have to do with.

mod sound;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Between them: stubs and what they are given, the heap, structs, texts,
/// floats, globals, output, streams, and processes of their own.
const FILES: [&str; 9] =
    ["narrow", "handed", "heapinputs", "structs", "floats", "globals", "printing", "streams", "exits"];

/// A mutant that goes on for ever is stopped.
const LIMIT: &str = "
#include <unistd.h>
extern unsigned long __whet_fuel;
__attribute__((constructor)) static void limit(void)
{
    __whet_fuel = 1000000;
    alarm(20);
}
";

#[test]
fn cmocka() {
    check("cmocka", "c", &["gcc", "-std=gnu11"], &["-lcmocka"]);
}

#[test]
fn gtest() {
    check("gtest", "cpp", &["g++", "-std=c++20"], &["-lgtest", "-lgtest_main"]);
}

#[test]
fn plain_c() {
    check("c", "c", &["gcc", "-std=gnu11"], &[]);
}

fn check(framework: &str, extension: &str, compiler: &[&str], libraries: &[&str]) {
    for name in FILES {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let out = folder.path();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.c"));
        let output = whet(
            &["run", "--quiet", "--no-store", "--operators", "seed", "--tests", framework, "--out"],
            &[out, &file],
        );
        assert!(matches!(output.status.code(), Some(0 | 3)), "{name}: {}", said(&output));
        let (meta, object, limit) = (out.join("meta.ll"), out.join("meta.o"), out.join("limit.c"));
        std::fs::write(&limit, LIMIT).expect("a file can be written");
        succeed(whet(&["meta", "--operators", "seed", "-o"], &[&meta, &file]), name);
        let compiled = Command::new("clang-19")
            .args(["-r", "-Wno-override-module"])
            .args([&meta, &limit, Path::new("-o"), &object])
            .output();
        succeed(compiled.expect("clang runs"), name);
        let tests = out.join("tests");
        let built = Command::new(compiler[0])
            .args(&compiler[1..])
            .args(["-Wall", "-Werror", "-fno-builtin"])
            .arg(out.join(format!("test_{name}.{extension}")))
            .args([&object, Path::new("-o"), &tests])
            .args(libraries)
            .arg("-lm")
            .output();
        succeed(built.expect("a compiler runs"), name);

        let run = |mutant: &Value| {
            let output = Command::new(&tests).env("WHET_MUTANT", mutant.to_string()).output();
            output.expect("the tests run")
        };
        succeed(run(&0.into()), name);
        let text = std::fs::read_to_string(out.join("verdicts.json")).expect("there are verdicts");
        let verdicts: Value = serde_json::from_str(&text).expect("the verdicts are JSON");
        for mutant in verdicts["mutants"].as_array().expect("there are mutants") {
            let killers = mutant["killed_by"].as_array().map_or(0, Vec::len);
            let needs_more = mutant["method"].as_str().is_some_and(|method| method.contains("-fsanitize"));
            if mutant["status"] == "killed" && killers > 0 && !needs_more {
                let output = run(&mutant["id"]);
                assert!(!output.status.success(), "{name}: the tests pass on {mutant}");
            }
        }
    }
}

/// Tests that include the file are built from nothing but the two.
#[test]
fn tests_that_include_the_file() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/alone.c");
    let text = std::fs::read_to_string(&source).expect("a golden file can be read");
    for (framework, libraries) in [("cmocka", &["-lcmocka"][..]), ("c", &[])] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let out = folder.path();
        let flags = ["run", "--quiet", "--no-store", "--operators", "ROR", "--tests", framework, "--out"];
        succeed(whet(&flags, &[out, &source]), framework);
        let run = |text: &str| {
            std::fs::write(out.join("alone.c"), text).expect("a file can be written");
            let built = Command::new("gcc")
                .args(["-I.", "test_alone_inside.c", "-o", "tests"])
                .args(libraries)
                .current_dir(out)
                .output();
            succeed(built.expect("a compiler runs"), framework);
            Command::new(out.join("tests")).output().expect("the tests run")
        };
        succeed(run(&text), framework);
        let verdicts = std::fs::read_to_string(out.join("verdicts.json")).expect("there are verdicts");
        let verdicts: Value = serde_json::from_str(&verdicts).expect("the verdicts are JSON");
        let mutants = verdicts["mutants"].as_array().expect("there are mutants");
        let alone = mutants.iter().filter(|it| it["status"] == "killed" && it["alone"] == true);
        let mut count = 0;
        for mutant in alone {
            let number = |key: &str| mutant[key].as_u64().expect("a number") as usize;
            let line: usize = text.split_inclusive('\n').take(number("line") - 1).map(str::len).sum();
            let (start, end) = (line + number("column") - 1, line + number("end_column") - 1);
            let replacement = mutant["replacement"].as_str().expect("a text");
            let output = run(&format!("{}{replacement}{}", &text[..start], &text[end..]));
            assert!(!output.status.success(), "{framework}: the tests pass on {mutant}");
            count += 1;
        }
        assert!(count > 5, "{verdicts}");
    }
}

fn whet(arguments: &[&str], paths: &[&Path]) -> Output {
    sound::output(Command::new(env!("CARGO_BIN_EXE_whet")).args(arguments).args(paths))
}

fn succeed(output: Output, name: &str) {
    assert!(output.status.success(), "{name}: {}", said(&output));
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}
