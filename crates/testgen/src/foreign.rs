//! Names of the program that a test cannot use, because the framework has them for something else.
//!
//! Tests for GoogleTest are C++, which has more keywords than C. A variable of a test gets another name,
//! but what the program has named cannot be named otherwise.

use ir::{Program, Type};

use crate::framework::Framework;

/// The keywords that C++20 has and C has not.
const KEYWORDS: [&str; 59] = [
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "bitand",
    "bitor",
    "bool",
    "catch",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "false",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_assert",
    "static_cast",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
];

/// What Unity calls before and after each test, and what our file calls to run a test in a process of its
/// own.
const OF_UNITY: [&str; 3] = ["setUp", "tearDown", "run_apart"];

/// Macros of CMocka's that no test of ours uses, with names that a program may well have.
const OF_CMOCKA: [&str; 7] = ["fail", "fail_msg", "function_called", "mock", "run_test", "run_tests", "skip"];

pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// What the program has named: functions and variables.
fn named(program: &Program) -> impl Iterator<Item = &str> {
    let functions = program.functions.iter().filter(|function| !function.library);
    let functions = functions.map(|function| function.name.as_str());
    let globals = program.globals.iter().map(|global| global.name.as_str());
    let externals = program.externals.iter().map(|external| external.name.as_str());
    functions.chain(globals).chain(externals)
}

/// Lines that give names back to the program that the framework's header has taken, and our tests do not
/// need.
pub(crate) fn released(program: &Program, framework: Framework) -> String {
    let is_taken = |name: &&&str| framework == Framework::Cmocka && named(program).any(|it| it == **name);
    OF_CMOCKA.iter().filter(is_taken).map(|name| format!("#undef {name}\n")).collect()
}

/// A name of the program that tests for a framework cannot use, and what it is there.
pub fn foreign_name(program: &Program, framework: Framework) -> Option<(&str, &'static str)> {
    let mut named = named(program);
    if framework == Framework::Unity {
        return named.find(|name| OF_UNITY.contains(name)).map(|name| (name, "a function of the test file"));
    }
    if !framework.is_cpp() {
        return None;
    }
    let in_types = program.types.iter().flat_map(|of| match of {
        Type::Record(record) => {
            let tag = record.name.split(' ').next_back().unwrap_or_default();
            record.fields.iter().map(|field| field.name.as_str()).chain([tag]).collect()
        }
        _ => vec![],
    });
    named.chain(in_types).find(|name| is_keyword(name)).map(|name| (name, "a keyword of C++"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_framework_has_is_told() {
        let check = |text: &str, framework: Framework, expect: Option<&str>| {
            let program = ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(foreign_name(&program, framework).map(|(name, _)| name), expect, "{text}");
        };
        let field = r#"type 0 = s32 "int"
            type 1 = struct "struct item" 4 { class: type 0 at 0 }"#;
        check(field, Framework::Gtest, Some("class"));
        check(field, Framework::Unity, None);
        let tag = r#"type 0 = s32 "int"
            type 1 = struct "struct template" 4 { number: type 0 at 0 }"#;
        check(tag, Framework::Gtest, Some("template"));
        let function = "function @setUp() { block0: return }";
        check(function, Framework::Unity, Some("setUp"));
        check(function, Framework::C, None);
    }

    #[test]
    fn a_name_that_no_test_needs_is_given_back() {
        let program = ir::parse("function @skip() { block0: return }").expect("it is right");
        assert_eq!(released(&program, Framework::Cmocka), "#undef skip\n");
        assert_eq!(released(&program, Framework::Unity), "");
    }
}
