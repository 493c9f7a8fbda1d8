//! Other tools, if this machine has them: the same mutants of the same
//! programs, one harness for each, on the same machine in the same run.
//!
//! The harness has the original and the mutant under other names, gives both the
//! same numbers, and asserts that they return the same. A tool that answers
//! within its time has settled the mutant; what it says has to be what Whet says.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::Lab;
use crate::thesis::{MODEL, PROGRAMS, rounded};

/// A tool, and what it prints. Only CBMC (6.3) was here to be tried; of ESBMC 7
/// and KLEE 3 we go by what they document.
struct Tool {
    name: &'static str,
    /// What it is called with, besides the harness.
    arguments: &'static [&'static str],
    /// If the two differ; and, where it does not say that, if they are the same.
    differ: &'static str,
    same: &'static str,
}

const FAILED: &str = "VERIFICATION FAILED";
const SUCCESSFUL: &str = "VERIFICATION SUCCESSFUL";

const TOOLS: [Tool; 3] = [
    Tool { name: "cbmc", arguments: &["--no-standard-checks"], differ: FAILED, same: SUCCESSFUL },
    // These two also look for divisions by zero, which only mutants make.
    Tool { name: "esbmc", arguments: &[], differ: FAILED, same: SUCCESSFUL },
    Tool { name: "klee", arguments: &["--exit-on-error"], differ: "KLEE: ERROR", same: "KLEE: done" },
];

/// For each mutant.
const PATIENCE: Duration = Duration::from_secs(10);

/// The programs without arrays are the first ones.
const SCALARS: usize = 8;

pub(crate) fn measure(lab: &Lab) -> Result<Value> {
    let mut rows = Vec::new();
    for tool in TOOLS {
        let Tool { name: title, .. } = tool;
        let is_there =
            Command::new(title).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
        if !is_there {
            eprintln!("  {title}: left out, it is not installed");
            continue;
        }
        for (name, variables, _) in &PROGRAMS[..SCALARS] {
            let row = program(lab, name, *variables, &tool).context(*name)?;
            eprintln!(
                "  {title}: {name}: {} of {}, {} times Whet's time",
                row["settled"], row["faults"], row["ratio"]
            );
            rows.push(row);
        }
    }
    Ok(json!(rows))
}

fn program(lab: &Lab, name: &str, variables: u32, tool: &Tool) -> Result<Value> {
    let file = lab.program(&format!("thesis/{name}.c"));
    let folder = tempfile::tempdir()?;
    let ours = lab.whet.run(&file, &MODEL, &folder.path().join("out"))?;
    let text = std::fs::read_to_string(&file)?;
    let function = ours.verdicts.mutants().first().and_then(|mutant| mutant["function"].as_str());
    let function = function.context("there is a mutant")?;
    let mut settled = 0_u32;
    let started = Instant::now();
    for mutant in ours.verdicts.mutants() {
        let harness = folder.path().join("harness.c");
        std::fs::write(&harness, together(&text, &mutated(&text, mutant)?, function, variables))?;
        let Some(is_same) = ask(tool, &harness)? else { continue };
        settled += 1;
        let number = &mutant["id"];
        // Whoever has looked within limits only says nothing of what lies beyond.
        ensure!(
            mutant["status"] == "limited" || is_same == (mutant["status"] == "equivalent"),
            "Whet and {} differ about mutant {number}",
            tool.name
        );
    }
    let theirs = started.elapsed().as_secs_f64();
    Ok(json!({
        "tool": tool.name,
        "program": name,
        "faults": ours.verdicts.count("mutants"),
        "settled": settled,
        "seconds": rounded(theirs),
        "whet_seconds": rounded(ours.seconds),
        "ratio": rounded(theirs / ours.seconds),
    }))
}

/// The program with the change of a mutant.
fn mutated(text: &str, mutant: &Value) -> Result<String> {
    let number = |key: &str| mutant[key].as_u64().map(|it| it as usize).context("a place is a number");
    let offset = |line: usize, column: usize| {
        let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        before + column - 1
    };
    let start = offset(number("line")?, number("column")?);
    let end = offset(number("end_line")?, number("end_column")?);
    let replacement = mutant["replacement"].as_str().context("a replacement is text")?;
    Ok(format!("{}{replacement}{}", &text[..start], &text[end..]))
}

fn together(original: &str, mutant: &str, function: &str, variables: u32) -> String {
    let names: Vec<String> = (0..variables).map(|number| format!("v{number}")).collect();
    let declared: String =
        names.iter().map(|name| format!("    int {name} = __VERIFIER_nondet_int();\n")).collect();
    let given = names.join(", ");
    format!(
        "#include <assert.h>\n\
         #ifdef KLEE\n#include <klee/klee.h>\n\
         static int __VERIFIER_nondet_int(void)\n{{\n    int x;\n    klee_make_symbolic(&x, sizeof x, \"x\");\n    return x;\n}}\n\
         #else\nint __VERIFIER_nondet_int(void);\n#endif\n\
         #define {function} original\n{original}\n#undef {function}\n\
         #define {function} mutant\n{mutant}\n#undef {function}\n\
         int main(void)\n{{\n{declared}    assert(original({given}) == mutant({given}));\n    return 0;\n}}\n"
    )
}

/// Whether original and mutant are the same, if a tool comes to an answer in time.
fn ask(tool: &Tool, harness: &Path) -> Result<Option<bool>> {
    let file = if tool.name == "klee" { bitcode(harness)? } else { harness.to_path_buf() };
    let said = harness.with_extension("said");
    let output = File::create(&said)?;
    let mut command = Command::new(tool.name);
    command.args(tool.arguments).arg(file).stdout(output.try_clone()?).stderr(output);
    let mut child = command.spawn()?;
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let said = std::fs::read(&said)?;
    let said = String::from_utf8_lossy(&said);
    Ok(if said.contains(tool.differ) { Some(false) } else { said.contains(tool.same).then_some(true) })
}

/// What KLEE reads.
fn bitcode(harness: &Path) -> Result<PathBuf> {
    let bitcode = harness.with_extension("bc");
    let mut clang = Command::new("clang");
    clang.args(["-DKLEE", "-O0", "-Xclang", "-disable-O0-optnone", "-c", "-emit-llvm"]).arg(harness);
    clang.arg("-o").arg(&bitcode).status().context("clang does not start")?;
    Ok(bitcode)
}
