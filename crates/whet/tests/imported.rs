//! Mutants that another tool has made: each verdict holds for the copy itself, compiled by clang.

mod folder;

use std::path::Path;
use std::process::{Command, Output};

use folder::{Folder, said};
use serde_json::Value;

/// A folder with a place for mutants.
fn with_mutants() -> Folder {
    let folder = Folder::new(&[]);
    std::fs::create_dir(folder.path("mutants")).expect("a folder can be made");
    folder
}

fn run(folder: &Folder, file: &str, arguments: &[&str]) -> Output {
    folder.whet(&[&["run", file, "--mutants", "mutants"], arguments].concat())
}

fn mutants(folder: &Folder) -> Vec<Value> {
    folder.json("whet-out/verdicts.json")["mutants"].as_array().expect("there are mutants").clone()
}

const PROGRAM: &str =
    "static int half(int x)\n{\n    return x / 2;\n}\n\nint f(int x)\n{\n    return half(x) + 1;\n}\n";

#[test]
fn copies_and_patches_become_mutants() {
    let folder = with_mutants();
    folder.write("program.c", PROGRAM);
    let copy = |name: &str, from: &str, to: &str| {
        folder.write(&format!("mutants/{name}"), PROGRAM.replace(from, to));
    };
    copy("program.MUT1.c", "+ 1", "- 1");
    copy("program.MUT2.c", "x / 2", "x >> 1");
    copy("program.MUT3.c", "half(x) + 1", "1 + half(x)");
    copy("program.MUT4.c", "+ 1", "+");
    copy("program.MUT5.c", "+ 1", "- 1");
    copy("program.MUT6.c", "/ 2", "/ 2 /* half */");
    copy("other.c", "+ 1", "+ 2");
    folder.write(
        "mutants/program_mut_db.csv",
        "Mutant,Operator\nprogram.MUT1.c,OAAN,8\nprogram.MUT2.c,OASN,3\n",
    );
    folder.write(
        "mutants/7.patch",
        "--- program.c\n+++ program.c\n@@ -1,3 +1,3 @@\n static int half(int x)\n {\n-    return x / 2;\n+    return x / 3;\n",
    );
    let output = run(&folder, "program.c", &["--operators", "none"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let expect = "whet: mutants has 7 mutated copies; 1 reads the same as another, or as the file; \
                  1 does not apply, compile or link: program.MUT4.c\n";
    assert!(said(&output).contains(expect), "{}", said(&output));
    let shown: Vec<String> = mutants(&folder)
        .iter()
        .map(|it| format!("{} {} {} {}", it["operator"], it["function"], it["replacement"], it["status"]))
        .map(|line| line.replace('"', ""))
        .collect();
    let expect = [
        "OAAN f - killed",
        "OASN half >> 1 killed",
        "EXT f 1 + half(x) equivalent",
        "EXT half  /* half */ equivalent",
        "EXT half 3 killed",
    ];
    assert_eq!(shown, expect);
    // Behind our own, and shown as patches.
    let output = run(&folder, "program.c", &["--out", "both", "--jobs", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let shown = folder.says(&["show", "program.c", "1", "--mutants", "mutants", "--operators", "none"]);
    assert!(shown.contains("-    return half(x) + 1;\n+    return half(x) - 1;\n"), "{shown}");
}

#[test]
fn those_in_a_function_are_chosen_and_each_names_its_file() {
    let folder = with_mutants();
    folder.write("program.c", PROGRAM);
    folder.write("mutants/program.1.c", PROGRAM.replace("half(x) + 1", "half(x) + x"));
    folder.write("mutants/program.2.c", PROGRAM.replace("x / 2", "x / abs(2)"));
    folder.write("mutants/program.3.c", PROGRAM.replace("x / 2", "+x / 2"));
    let shown = |function: &str| -> Vec<String> {
        let output = run(&folder, "program.c", &["--operators", "none", "--function", function]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let line = |it: &Value| format!("{} {} {}", it["from"], it["original"], it["replacement"]);
        mutants(&folder).iter().map(|it| line(it).replace('"', "")).collect()
    };
    assert_eq!(shown("f"), ["program.1.c 1 x"]);
    // Also what leaves the code as it was.
    assert_eq!(shown("half"), ["program.2.c 2 abs(2)", "program.3.c  +"]);
}

#[test]
fn what_is_no_copy_is_a_mistake() {
    let folder = with_mutants();
    folder.write("program.c", PROGRAM);
    let output = run(&folder, "program.c", &[]);
    assert_eq!(output.status.code(), Some(1));
    let expect = "whet: --mutants mutants: there is no mutated copy of program.c, such as program.mutant.1.c or program.1.patch\n";
    assert_eq!(said(&output), expect);
    folder.write("mutants/1.patch", "--- program.c\n+++ program.c\n@@ -1,1 +1,1 @@\n-nothing\n+something\n");
    let output = run(&folder, "program.c", &[]);
    assert_eq!(
        (output.status.code(), said(&output)),
        (Some(1), "whet: mutants/1.patch does not apply\n".to_string())
    );
}

/// Replaces each pair in a copy of the program, and compares code; what becomes of each copy.
fn compared(program: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let folder = with_mutants();
    folder.write("program.c", program);
    for (number, (from, to)) in changes.iter().enumerate() {
        assert!(program.contains(from), "{from}");
        folder.write(&format!("mutants/program.{number}.c"), program.replacen(from, to, 1));
    }
    let stages = ["--operators", "none", "--stages", "canonical", "--allow-open", "--no-store"];
    let output = run(&folder, "program.c", &stages);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let status = |mutant: &Value| mutant["status"].as_str().unwrap_or_default().to_string();
    mutants(&folder).iter().map(status).collect()
}

#[test]
fn a_variable_without_a_value_is_the_same_in_all_copies() {
    let program = "int f(int x)\n{\n    if (x > 0)\n        return 1;\n}\n\n\
                   int g(int x)\n{\n    int a, b;\n    if (x > 0)\n        b = 1;\n    return b;\n}\n";
    let changes =
        [("x > 0", "x >= 1"), ("x > 0", "x >= 0"), ("return b", "a = b; return a"), ("b = 1", "a = 1")];
    assert_eq!(compared(program, &changes), ["equivalent", "open", "equivalent", "open"]);
    // To compute with it is more than to copy it, even if nobody looks at the result.
    assert_eq!(compared(program, &[("return b", "return b++")]), ["open"]);
    // Two variables do not have the same unknown value.
    let program = "int f(int x)\n{\n    int a, b;\n    a = b = x;\n    return a - b;\n}\n";
    let changes = [("a = b = x", ";"), ("a = b = x", "b = a = x")];
    assert_eq!(compared(program, &changes), ["open", "equivalent"]);
}

#[test]
fn a_variable_that_setjmp_may_bring_back_is_not_dropped() {
    let program = "#include <setjmp.h>\njmp_buf back;\nvoid leave(void);\nint f(int x)\n{\n    \
                   if (setjmp(back))\n        return x;\n    leave();\n    return 0;\n}\n";
    let changes = [("leave();", "x++; leave();"), ("return 0", "return 1")];
    assert_eq!(compared(program, &changes), ["open", "open"]);
}

#[test]
fn what_is_written_in_vain_makes_no_difference() {
    let program = "int last;\nint f(int x, int n)\n{\n    last = 1;\n    for (int i = 0; i < n; i++)\n        \
                   x ^= i;\n    last = x;\n    return x;\n}\n";
    let changes = [("last = 1", "last = 2"), ("last = 1", ";"), ("last = x", "last = n")];
    assert_eq!(compared(program, &changes), ["equivalent", "equivalent", "open"]);
}

#[test]
fn verdicts_hold_for_the_copies_of_universalmutator() {
    for file in ["min", "memchr"] {
        let folder = with_mutants();
        let name = format!("{file}.c");
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(&name);
        std::fs::copy(example, folder.path(&name)).expect("an example can be copied");
        let mut mutate = Command::new("python3");
        mutate.env("PYTHONPATH", lab::fetched::universalmutator()).current_dir(folder.root());
        mutate.args(["-c", "from universalmutator.genmutants import main; main()"]);
        mutate.args([&name, "--mutantDir", "mutants", "--noCheck"]);
        let output = mutate.output().expect("Python runs");
        assert!(output.status.success(), "{}", said(&output));
        let output = run(&folder, &name, &["--operators", "none", "--allow-open", "--allow-limited"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let mutants = mutants(&folder);
        assert!(mutants.len() > 10, "{}", said(&output));
        assert!(mutants.iter().any(|mutant| mutant["status"] == "equivalent"));
        for mutant in mutants {
            check(&folder, file, &mutant);
        }
    }
}

/// Builds the copy as the listed change makes it, and runs the written tests on it.
fn check(folder: &Folder, file: &str, mutant: &Value) {
    let name = format!("{file}.c");
    let text = std::fs::read_to_string(folder.path(&name)).expect("the file can be read");
    let offset = |line: &str, column: &str| {
        let number = |key: &str| mutant[key].as_u64().expect("a place is a number") as usize;
        let before: usize = text.split_inclusive('\n').take(number(line) - 1).map(str::len).sum();
        before + number(column) - 1
    };
    let (start, end) = (offset("line", "column"), offset("end_line", "end_column"));
    let replacement = mutant["replacement"].as_str().expect("a replacement is text");
    folder.write("mutant.c", format!("{}{replacement}{}", &text[..start], &text[end..]));
    let script = format!(
        "gcc -w -fno-builtin -I{0} mutant.c whet-out/test_{name} {0}/unity.c -o mutant && timeout 2 ./mutant",
        lab::fetched::unity().display()
    );
    let mut shell = Command::new("sh");
    let output = shell.arg("-c").arg(script).current_dir(folder.root()).output().expect("a shell runs");
    let needs_more = mutant["method"].as_str().is_some_and(|method| method.contains("-fsanitize"));
    match mutant["status"].as_str() {
        Some("killed" | "duplicate") if !needs_more => {
            assert!(!output.status.success(), "the tests pass on {mutant}");
        }
        Some("equivalent") => assert!(output.status.success(), "{mutant}: {}", said(&output)),
        _ => {}
    }
}
