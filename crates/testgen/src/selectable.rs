//! A test file as Whet tries it: each test asks first whether it is wanted.
//!
//! To try a mutant, one test is enough. Files with hundreds of tests would otherwise run all of them for
//! each mutant. The file that the user gets has none of this: the question is only in a copy of the
//! text, and in what stands in for the frameworks. A test that runs in a way that we do not know is always
//! wanted.

use crate::Framework;

/// Answers the question. `llvm/src/tested.c` defines it.
const QUESTION: &str = "int whet_wants(const char *test);\n#define WHET_WANTS(test) whet_wants(test)\n";

/// The text with questions.
pub fn selectable(framework: Framework, text: &str) -> String {
    match framework {
        Framework::Unity => {
            let runs = "#define RUN_APART(test) run_apart(test, #test, __LINE__)";
            let asks =
                "#define RUN_APART(test) (WHET_WANTS(#test) ? run_apart(test, #test, __LINE__) : (void)0)";
            QUESTION.to_string() + &text.replace(runs, asks)
        }
        Framework::Cmocka => QUESTION.to_string() + text,
        Framework::Gtest => format!("extern \"C\" {QUESTION}{text}"),
        Framework::C => {
            let mut lines = text.lines();
            let mut out = QUESTION.to_string();
            let is_main = |line: &&str| *line == "int main(void)";
            for line in lines.by_ref().take_while(|line| !is_main(line)) {
                out += &format!("{line}\n");
            }
            out += if text.lines().any(|line| is_main(&line)) { "int main(void)\n" } else { "" };
            for line in lines {
                out += &asking(line).unwrap_or(line.to_string());
                out += "\n";
            }
            out
        }
    }
}

/// A line of `main` that runs a test, with the question before it.
fn asking(line: &str) -> Option<String> {
    let call = line.trim();
    let apart = call.strip_prefix("assert(runs_apart(").and_then(|rest| rest.strip_suffix("));"));
    let name = apart.or_else(|| call.strip_suffix("();"))?;
    let is_test =
        name.starts_with("test_") && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    is_test.then(|| format!("    if (WHET_WANTS(\"{name}\")) {call}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_in_main_is_asked_for() {
        let text = "static void test_a(void)\n{\n    test_b();\n}\nint main(void)\n{\n    test_a();\n    \
                    assert(runs_apart(test_b));\n    puts(\"all tests passed\");\n}\n";
        let asked = selectable(Framework::C, text);
        assert!(asked.contains("{\n    test_b();\n}"), "{asked}");
        assert!(asked.contains("    if (WHET_WANTS(\"test_a\")) test_a();\n"), "{asked}");
        assert!(asked.contains("    if (WHET_WANTS(\"test_b\")) assert(runs_apart(test_b));\n"), "{asked}");
        assert!(asked.contains("    puts(\"all tests passed\");\n"), "{asked}");
    }
}
