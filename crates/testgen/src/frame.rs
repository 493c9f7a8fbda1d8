//! The frame of a test file: the comment and the headers at its top, what a test is, and its `main`.
//!
//! Frameworks run all tests in one process. Sometimes that will not do. A test may leave something behind
//! that no other can undo, such as a changed static variable. Or the program may call `exit`, which would end
//! all tests at once, and with status 0 they would seem to pass. Then each test runs in a process of its own.

use ir::is_main;

use crate::file::{SIGNATURE, subjects};
use crate::fold::indented;
use crate::foreign::released;
use crate::framework::Framework;
use crate::name::helper;
use crate::system;
use crate::{PROGRAM_MAIN, Suite};

/// The comment that opens the file, and the headers that the rest of it needs.
pub(crate) fn head(suite: &Suite, texts: &[&str]) -> String {
    let file = suite.file;
    let (with, commands) = commands(suite);
    let why = match suite.inside {
        true => format!("These tests call what no other file can call, so they include {file}.\n * "),
        false => String::new(),
    };
    let mut out = format!(
        "/* Tests for {file}, {SIGNATURE}\n\
         \x20*\n\
         \x20* {why}{expected}\n\
         \x20* Build{with}:\n\
         \x20*{commands}\
         \x20*/\n",
        expected = match suite.reference {
            Some((reference, true)) => format!("The expected values are those of {reference}."),
            Some((reference, false)) => format!(
                "The expected values are those of {reference}, where it has any; others record what {file} does today."
            ),
            None => "The expected values record what the program does today. Read them before you merge."
                .to_string(),
        },
    );
    // First, so that it finds everything as it does when it is compiled alone.
    out.push_str(&if suite.inside { inclusion(suite) } else { String::new() });
    let has = |words: &[&str]| texts.iter().any(|text| words.iter().any(|word| text.contains(word)));
    let (prints, forks) = (has(&["tmpfile()"]), has(&["fork()"]));
    let cmocka = suite.framework == Framework::Cmocka;
    let headers = [
        ("limits.h", has(&["INT_M", "LONG_M"])),
        ("math.h", has(&["NAN", "INFINITY", "isnan(", "signbit("])),
        ("setjmp.h", cmocka),
        ("stdarg.h", cmocka),
        ("stddef.h", cmocka || has(&["NULL", "size_t"])),
        ("stdint.h", cmocka),
        ("stdio.h", prints || forks || has(&["FILE", "puts("])),
        ("stdlib.h", has(&["    free(", "malloc(", "calloc("])),
        ("string.h", has(&["memset(", "memcpy(", "memmove(", "strncpy(", "strncat(", "strcmp(", "memcmp("])),
        ("sys/wait.h", forks),
        ("unistd.h", prints || forks),
    ];
    let mut needed: String =
        headers.iter().filter(|it| it.1).map(|it| format!("#include <{}>\n", it.0)).collect();
    needed.push_str(if needed.is_empty() { "" } else { "\n" });
    out.push_str(if !suite.inside && (prints || forks) { "#define _POSIX_C_SOURCE 200809L\n\n" } else { "" });
    // The header of GoogleTest brings those of the system along.
    let of_system = !suite.inside && (prints || forks || suite.framework == Framework::Gtest);
    let (hide, show) = if of_system { system::hidden(suite.program) } else { Default::default() };
    out.push_str(&hide);
    out.push_str(&needed);
    // The file has included the system's headers, perhaps without the names of POSIX.
    let is_unknown = suite.inside && has(&["fileno("]);
    out.push_str(if is_unknown { "int fileno(FILE *stream);\n\n" } else { "" });
    // A test without its checks would be none.
    out.push_str(if suite.framework == Framework::C { "#undef NDEBUG\n" } else { "" });
    out.push_str(suite.framework.include());
    out.push('\n');
    out.push_str(&released(suite.program, suite.framework));
    out.push_str(&show);
    // What comes next begins with an empty line, but for what repeats the file.
    out.push_str(if suite.inside { "" } else { "\n" });
    out
}

/// The framework, and the commands that build the tests.
fn commands(suite: &Suite) -> (&'static str, String) {
    let file = suite.file;
    let wraps = if suite.wraps { "-fwrapv " } else { "" };
    let known = subjects(suite).iter().any(|id| is_of_the_library(&suite.program.function(*id).name));
    let builtin = if known { "-fno-builtin " } else { "" };
    // Who computes with floats may call for the library that has functions on them.
    let floats = suite.program.types.iter().any(|of| matches!(of, ir::Type::Float(_)));
    let link = if floats { " -lm" } else { "" };
    let (with, compiler, library) = match suite.framework {
        Framework::Unity => (" with Unity", "cc", " unity.c"),
        Framework::Cmocka => (" with CMocka", "cc", " -lcmocka"),
        Framework::Gtest => (" with GoogleTest", "c++ -std=c++20", " -lgtest -lgtest_main"),
        Framework::C => ("", "cc", ""),
    };
    if suite.inside {
        let test_file = suite.framework.inside_file_name(file);
        return (with, format!("     {compiler} {wraps}{builtin}-I. {test_file}{library}{link}\n"));
    }
    let test_file = suite.framework.file_name(file);
    let object = file.strip_suffix(".c").map_or(file.to_string(), |stem| format!("{stem}.o"));
    // What a function returns at its end, and what `__func__` is, depends on the name that the compiler has
    // for it.
    let is_called = subjects(suite).iter().any(|id| is_main(suite.program, *id));
    let (before, after) = match (suite.has_main, is_called) {
        (false, _) => (String::new(), String::new()),
        (true, false) => (format!("-Dmain={PROGRAM_MAIN} "), String::new()),
        (true, true) => {
            (String::new(), format!(" *     objcopy --redefine-sym main={PROGRAM_MAIN} {object}\n"))
        }
    };
    let commands = format!(
        "     cc {before}{wraps}{builtin}-c {file}\n\
         {after} \
         *     {compiler} {builtin}{test_file} {object}{library}{link}\n"
    );
    (with, commands)
}

/// Includes the file under test. The framework has a `main` of its own.
fn inclusion(suite: &Suite) -> String {
    let include = format!("#include \"{}\"\n", suite.file);
    match suite.has_main {
        true => format!("#define main {PROGRAM_MAIN}\n{include}#undef main\n\n"),
        false => format!("{include}\n"),
    }
}

/// What we call the state that CMocka hands to a test, and what runs before each test.
fn names(suite: &Suite) -> [String; 2] {
    ["state", "set_up"].map(|name| helper(suite.program, name))
}

/// What runs before each test.
pub(crate) fn fixture(suite: &Suite, lines: &[String]) -> String {
    let body = indented(lines);
    let [state, set_up] = names(suite);
    match (suite.framework, lines.is_empty()) {
        (Framework::Unity, true) => "\nvoid setUp(void) {}\nvoid tearDown(void) {}\n".to_string(),
        (Framework::Unity, false) => {
            format!("\nvoid setUp(void)\n{{\n{body}}}\nvoid tearDown(void) {{}}\n")
        }
        (_, true) => String::new(),
        (Framework::Cmocka, false) => {
            format!(
                "\nstatic int {set_up}(void **{state})\n{{\n    (void){state};\n{body}    return 0;\n}}\n"
            )
        }
        (Framework::Gtest | Framework::C, false) => {
            format!("\nstatic void {set_up}(void)\n{{\n{body}}}\n")
        }
    }
}

/// A test of this name, which does this.
pub(crate) fn test(suite: &Suite, name: &str, lines: &[String], apart: bool, has_set_up: bool) -> String {
    let body = indented(lines);
    let [state, set_up] = names(suite);
    let set_up = if has_set_up { format!("    {set_up}();\n") } else { String::new() };
    match suite.framework {
        Framework::Unity => format!("void {name}(void)\n{{\n{body}}}\n"),
        Framework::Cmocka => {
            format!("static void {name}(void **{state})\n{{\n    (void){state};\n{body}}}\n")
        }
        Framework::C => format!("static void {name}(void)\n{{\n{set_up}{body}}}\n"),
        Framework::Gtest => {
            let unit = suite.file.strip_suffix(".c").unwrap_or(suite.file);
            let unit = unit.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            match apart {
                true => format!(
                    "static void {name}(void)\n{{\n{set_up}{body}}}\n\n\
                     TEST({unit}, {name})\n{{\n    ASSERT_TRUE(runs_apart({name}));\n}}\n"
                ),
                false => format!("TEST({unit}, {name})\n{{\n{set_up}{body}}}\n"),
            }
        }
    }
}

/// What tests need to run apart, if they are to, in front of them.
pub(crate) fn runner(framework: Framework, apart: bool) -> String {
    let run = match framework {
        _ if !apart => return String::new(),
        // These have a runner behind the tests.
        Framework::Unity | Framework::Cmocka => return String::new(),
        Framework::Gtest => "test();\n        failed = ::testing::Test::HasFailure();",
        Framework::C => "test();\n        failed = 0;",
    };
    format!("\n{APART}static int runs_apart(void (*test)(void))\n{{\n{}", in_child(run, "return !failed;"))
}

/// `main`, with what it takes to run tests apart if that is needed.
pub(crate) fn main(suite: &Suite, apart: bool, has_set_up: bool) -> String {
    let names = suite.names;
    let each = |line: &dyn Fn(&String) -> String| names.iter().map(line).collect::<String>();
    match suite.framework {
        Framework::Unity => {
            let (runner, run) = if apart { (RUN_APART, "RUN_APART") } else { ("", "RUN_TEST") };
            let tests = each(&|name| format!("    {run}({name});\n"));
            format!("{runner}\nint main(void)\n{{\n    UNITY_BEGIN();\n{tests}    return UNITY_END();\n}}\n")
        }
        Framework::Cmocka => {
            let [_, set_up] = self::names(suite);
            let tests = each(&|name| match has_set_up {
                true => format!("        cmocka_unit_test_setup({name}, {set_up}),\n"),
                false => format!("        cmocka_unit_test({name}),\n"),
            });
            cmocka_main(&tests, apart)
        }
        Framework::Gtest => String::new(),
        Framework::C => {
            let tests = each(&|name| match apart {
                true => format!("    assert(runs_apart({name}));\n"),
                false => format!("    {name}();\n"),
            });
            format!("\nint main(void)\n{{\n{tests}    puts(\"all tests passed\");\n    return 0;\n}}\n")
        }
    }
}

fn cmocka_main(tests: &str, apart: bool) -> String {
    if !apart {
        return format!(
            "\nint main(void)\n{{\n    const struct CMUnitTest tests[] = {{\n{tests}    }};\n    \
             return cmocka_run_group_tests(tests, NULL, NULL);\n}}\n"
        );
    }
    let run = "const struct CMUnitTest tests[] = {*(const struct CMUnitTest *)*state};\n        \
               failed = cmocka_run_group_tests(tests, NULL, NULL) != 0;";
    format!(
        "\n{APART}static void run_apart(void **state)\n{{\n{}\n\
         int main(void)\n{{\n    static const struct CMUnitTest bodies[] = {{\n{tests}    }};\n    \
         struct CMUnitTest tests[sizeof bodies / sizeof bodies[0]];\n    \
         for (size_t at = 0; at < sizeof bodies / sizeof bodies[0]; at++) {{\n        \
         tests[at] = (struct CMUnitTest){{bodies[at].name, run_apart, NULL, NULL, (void *)&bodies[at]}};\n    }}\n    \
         return cmocka_run_group_tests(tests, NULL, NULL);\n}}\n",
        in_child(run, "assert_false(failed);")
    )
}

const APART: &str =
    "/* Runs a test in a process of its own, because the program may exit, or keep static variables
 * that the next test would find changed. A test that does not come to its end has failed. */
";

/// The body of a function that runs something in a process of its own. A byte in a file says how it ended.
fn in_child(run: &str, end: &str) -> String {
    format!(
        "    FILE *report = tmpfile();
    char failed = 1;
    fflush(stdout);
    pid_t child = report != NULL ? fork() : -1;
    if (child == 0) {{
        {run}
        fflush(stdout);
        _exit(fwrite(&failed, 1, 1, report) != 1 || fflush(report) != 0);
    }}
    if (child < 0 || waitpid(child, NULL, 0) != child || fseek(report, 0, SEEK_SET) != 0
        || fread(&failed, 1, 1, report) != 1) {{
        failed = 1;
    }}
    if (report != NULL) {{
        fclose(report);
    }}
    {end}
}}
"
    )
}

/// A byte in a file says that a test came to its end: whatever the program exits with could say so by chance.
/// A pipe would take `pipe`, `read`, `write` and `close`, which are names that a program may have for
/// something of its own.
const RUN_APART: &str = "
/* Runs a test in a process of its own, because the program may exit, or keep static variables
 * that the next test would find changed. A test that does not come to its end has failed. */
#define RUN_APART(test) run_apart(test, #test, __LINE__)

static void run_apart(UnityTestFunction test, const char *name, int line)
{
    FILE *report = tmpfile();
    char failed = 1;
    fflush(stdout);
    pid_t child = report != NULL ? fork() : -1;
    if (child == 0) {
        Unity.TestFailures = 0;
        UnityDefaultTestRun(test, name, line);
        fflush(stdout);
        failed = Unity.TestFailures > 0;
        _exit(fwrite(&failed, 1, 1, report) != 1 || fflush(report) != 0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child || fseek(report, 0, SEEK_SET) != 0
        || fread(&failed, 1, 1, report) != 1) {
        printf(\"%s:%d:%s:FAIL: the program stopped\\n\", Unity.TestFile, line, name);
    }
    if (report != NULL) {
        fclose(report);
    }
    Unity.NumberOfTests++;
    Unity.TestFailures += failed;
}
";

/// Compilers know these by name, and may replace a call that they could have made themselves.
pub(crate) fn is_of_the_library(name: &str) -> bool {
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
            let pointer = ir::Operand::Constant(bv::Word::new(64, u128::from(ir::FIRST_OBJECT) << 32));
            let load = ir::Action::Load { pointer, width: 32, number: false };
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
