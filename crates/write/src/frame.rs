//! The frame of a test file: the comment and the headers at its top, and its `main`.
//!
//! Unity runs all tests in one process. That will not do where a test may leave something behind that no other can
//! undo, such as a changed static variable, or where the program may call `exit`, which would end all tests at
//! once and, with status 0, as if they had passed. Then each test runs in a process of its own.

use std::fmt::Write;

use crate::Suite;
use crate::unity::{SIGNATURE, file_name, subjects};

/// The comment that opens the file, and the headers that the rest of it needs.
pub fn head(suite: &Suite, texts: &[&str]) -> String {
    let (file, test_file) = (suite.file, file_name(suite.file));
    let rename = if suite.has_main { "-Dmain=program_main " } else { "" };
    let wraps = if suite.wraps { "-fwrapv " } else { "" };
    let library = subjects(suite).iter().any(|id| is_of_the_library(&suite.program.function(*id).name));
    let builtin = if library { "-fno-builtin " } else { "" };
    // Who computes with floats may call for the library that has functions on them.
    let floats = suite.program.types.iter().any(|of| matches!(of, ir::Type::Float(_)));
    let link = if floats { " -lm" } else { "" };
    let mut out = format!(
        "/* Tests for {file}, {SIGNATURE}\n\
         \x20*\n\
         \x20* The expected values record what the program does today. Read them before you merge.\n\
         \x20* Build with Unity:\n\
         \x20*     cc {rename}{wraps}{builtin}-c {file}\n\
         \x20*     cc {builtin}{test_file} {object} unity.c{link}\n\
         \x20*/\n",
        object = file.strip_suffix(".c").map_or(file.to_string(), |stem| format!("{stem}.o")),
    );
    let has = |words: &[&str]| texts.iter().any(|text| words.iter().any(|word| text.contains(word)));
    let (prints, forks) = (has(&["tmpfile()"]), has(&["fork()"]));
    let headers = [
        ("limits.h", has(&["INT_M", "LONG_M"])),
        ("math.h", has(&["NAN", "INFINITY", "isnan(", "signbit("])),
        ("stddef.h", has(&["NULL"])),
        ("stdio.h", prints || forks || has(&["FILE"])),
        ("stdlib.h", has(&["    free(", " = malloc(", " = calloc("])),
        ("string.h", has(&["memset(", "memcpy(", "memmove(", "strncpy(", "strncat("])),
        ("sys/wait.h", forks),
        ("unistd.h", prints || forks),
    ];
    let mut needed: String =
        headers.iter().filter(|it| it.1).map(|it| format!("#include <{}>\n", it.0)).collect();
    needed.push_str(if needed.is_empty() { "" } else { "\n" });
    out.push_str(if prints || forks { "#define _POSIX_C_SOURCE 200809L\n\n" } else { "" });
    out.push_str(&needed);
    out.push_str("#include \"unity.h\"\n\n");
    out
}

/// `main`, with what it takes to run tests apart if that is needed.
pub fn main(names: &[String], apart: bool) -> String {
    let (runner, run) = if apart { (RUN_APART, "RUN_APART") } else { ("", "RUN_TEST") };
    let mut out = format!("{runner}\nint main(void)\n{{\n    UNITY_BEGIN();\n");
    for name in names {
        let _ = writeln!(out, "    {run}({name});");
    }
    out + "    return UNITY_END();\n}\n"
}

/// A byte through a pipe says that a test came to its end: whatever the program exits with could say so by chance.
const RUN_APART: &str = "
/* Runs a test in a process of its own, because the program may exit, or keep static variables
 * that the next test would find changed. A test that does not come to its end has failed. */
#define RUN_APART(test) run_apart(test, #test, __LINE__)

static void run_apart(UnityTestFunction test, const char *name, int line)
{
    int report[2] = {-1, -1};
    char failed = 1;
    fflush(stdout);
    if (pipe(report) == 0 && fork() == 0) {
        Unity.TestFailures = 0;
        UnityDefaultTestRun(test, name, line);
        fflush(stdout);
        failed = Unity.TestFailures > 0;
        _exit(write(report[1], &failed, 1) != 1);
    }
    close(report[1]);
    if (read(report[0], &failed, 1) != 1) {
        printf(\"%s:%d:%s:FAIL: the program stopped\\n\", Unity.TestFile, line, name);
    }
    close(report[0]);
    wait(NULL);
    Unity.NumberOfTests++;
    Unity.TestFailures += failed;
}
";

/// Compilers know these by name, and may replace a call that they could have made themselves.
pub fn is_of_the_library(name: &str) -> bool {
    const OTHERS: [&str; 14] = [
        "abs", "labs", "llabs", "atoi", "atol", "fabs", "floor", "ceil", "sqrt", "fmin", "fmax", "index",
        "rindex", "bcmp",
    ];
    let families = ["str", "mem", "stp", "is", "to"];
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase());
    OTHERS.contains(&name) || (is_plain && families.iter().any(|family| name.starts_with(family)))
}

#[cfg(test)]
mod tests {
    use crate::sketch::{Sketch, seen};

    /// Whether the tests of a function that writes this global run apart.
    fn check(external: bool, read_by: usize, apart: bool) {
        let mut s = Sketch::default();
        let int = s.int();
        let count = s.global("count", int, &[0; 4], external);
        s.program.globals[0].constant = false;
        let bump = s.function("bump", &[], Some(int), &[], &[count]);
        for _ in 0..read_by {
            let pointer = ir::Operand::Constant(bv::Word::new(64, 1 << 32));
            let load = ir::Action::Load { pointer, width: 32 };
            let result = Some(ir::Register(0));
            let instruction = ir::Instruction { result, action: load, at: None };
            s.program.functions[bump.0 as usize].blocks[0].instructions.push(instruction);
        }
        s.test(bump, vec![], Some(seen(1)), |_, _| {});
        assert_eq!(s.file().contains("RUN_APART(test_bump);"), apart, "{}", s.file());
    }

    #[test]
    fn what_no_test_can_reset_takes_a_process_for_each() {
        check(false, 1, true);
        check(true, 1, false);
        // Nobody is the wiser.
        check(false, 0, false);
    }
}
