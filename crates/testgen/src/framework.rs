//! Test frameworks: how each of them says what a test finds.

/// The frameworks that we write tests for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framework {
    Unity,
    Cmocka,
    /// GoogleTest, which is C++.
    Gtest,
    /// No framework: `assert`, and a `main` that calls all tests.
    C,
}

/// What a test finds, apart from how a framework says it. The parts are expressions of C.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// Two integers are equal. Unity wants to know of which kind they are.
    Equal {
        kind: &'a str,
        expected: &'a str,
        actual: &'a str,
    },
    True(&'a str),
    False(&'a str),
    Null(&'a str),
    NotNull(&'a str),
    Pointer {
        expected: &'a str,
        actual: &'a str,
    },
    Text {
        expected: &'a str,
        actual: &'a str,
    },
    /// So many bytes are equal.
    Memory {
        expected: &'a str,
        actual: &'a str,
        size: &'a str,
    },
    /// Integers of an array are those of another, which has no others.
    Array {
        kind: &'a str,
        expected: &'a str,
        actual: &'a str,
        count: usize,
    },
    /// All of so many integers of an array are equal.
    Each {
        kind: &'a str,
        expected: &'a str,
        actual: &'a str,
        count: usize,
    },
}

impl Framework {
    /// The statement that checks it.
    pub fn check(self, fact: Fact) -> String {
        match self {
            Framework::Unity => unity(fact),
            Framework::Cmocka => cmocka(fact),
            Framework::Gtest => gtest(fact),
            Framework::C => c(fact),
        }
    }

    /// The name of the test file for a file under test.
    pub fn file_name(self, file: &str) -> String {
        let stem = file.strip_suffix(".c").unwrap_or(file);
        format!("test_{stem}.{}", if self.is_cpp() { "cpp" } else { "c" })
    }

    /// The name of the file with the tests that include the file under test.
    pub fn inside_file_name(self, file: &str) -> String {
        self.file_name(&format!("{}_inside.c", file.strip_suffix(".c").unwrap_or(file)))
    }

    /// A header that stands in for the framework where all we want to know is whether the tests
    /// pass: its place in a folder of headers, and its text. None: there is no framework.
    pub fn stand_in(self) -> Option<(&'static str, &'static str)> {
        match self {
            Framework::Unity => Some(("unity.h", include_str!("stand_in/unity.h"))),
            Framework::Cmocka => Some(("cmocka.h", include_str!("stand_in/cmocka.h"))),
            Framework::Gtest => Some(("gtest/gtest.h", include_str!("stand_in/gtest/gtest.h"))),
            Framework::C => None,
        }
    }

    /// The line by which a test file says that it is for this framework.
    pub fn include(self) -> &'static str {
        match self {
            Framework::Unity => "#include \"unity.h\"",
            Framework::Cmocka => "#include <cmocka.h>",
            Framework::Gtest => "#include <gtest/gtest.h>",
            Framework::C => "#include <assert.h>",
        }
    }

    pub fn is_cpp(self) -> bool {
        self == Framework::Gtest
    }
}

fn unity(fact: Fact) -> String {
    match fact {
        Fact::Equal { kind, expected, actual } => format!("TEST_ASSERT_EQUAL_{kind}({expected}, {actual});"),
        Fact::True(it) => format!("TEST_ASSERT_TRUE({it});"),
        Fact::False(it) => format!("TEST_ASSERT_FALSE({it});"),
        Fact::Null(it) => format!("TEST_ASSERT_NULL({it});"),
        Fact::NotNull(it) => format!("TEST_ASSERT_NOT_NULL({it});"),
        Fact::Pointer { expected, actual } => format!("TEST_ASSERT_EQUAL_PTR({expected}, {actual});"),
        Fact::Text { expected, actual } => format!("TEST_ASSERT_EQUAL_STRING({expected}, {actual});"),
        Fact::Memory { expected, actual, size } => {
            format!("TEST_ASSERT_EQUAL_MEMORY({expected}, {actual}, {size});")
        }
        Fact::Array { kind, expected, actual, count } => {
            format!("TEST_ASSERT_EQUAL_{kind}_ARRAY({expected}, {actual}, {count});")
        }
        Fact::Each { kind, expected, actual, count } => {
            format!("TEST_ASSERT_EACH_EQUAL_{kind}({expected}, {actual}, {count});")
        }
    }
}

fn cmocka(fact: Fact) -> String {
    match fact {
        Fact::Equal { expected, actual, .. } => format!("assert_int_equal({actual}, {expected});"),
        Fact::True(it) => format!("assert_true({it});"),
        Fact::False(it) => format!("assert_false({it});"),
        Fact::Null(it) => format!("assert_null({it});"),
        Fact::NotNull(it) => format!("assert_non_null({it});"),
        Fact::Pointer { expected, actual } => format!("assert_ptr_equal({actual}, {expected});"),
        Fact::Text { expected, actual } => format!("assert_string_equal({actual}, {expected});"),
        Fact::Memory { expected, actual, size } => {
            format!("assert_memory_equal({actual}, {expected}, {size});")
        }
        Fact::Array { expected, actual, .. } => {
            format!("assert_memory_equal({actual}, {expected}, sizeof {expected});")
        }
        Fact::Each { expected, actual, count, .. } => {
            each(count, &format!("assert_int_equal({actual}[element], {expected});"))
        }
    }
}

fn gtest(fact: Fact) -> String {
    match fact {
        Fact::Equal { kind, expected, actual } => {
            format!("ASSERT_EQ({}, {actual});", unsigned(kind, expected))
        }
        Fact::True(it) => format!("ASSERT_TRUE({it});"),
        Fact::False(it) => format!("ASSERT_FALSE({it});"),
        Fact::Null(it) => format!("ASSERT_EQ(nullptr, {it});"),
        Fact::NotNull(it) => format!("ASSERT_NE(nullptr, {it});"),
        Fact::Pointer { expected, actual } => format!("ASSERT_EQ({}, {actual});", address(expected)),
        Fact::Text { expected, actual } => format!("ASSERT_STREQ({expected}, {actual});"),
        Fact::Memory { expected, actual, size } => {
            format!("ASSERT_EQ(0, memcmp({expected}, {actual}, {size}));")
        }
        Fact::Array { expected, actual, .. } => {
            format!("ASSERT_EQ(0, memcmp({expected}, {actual}, sizeof {expected}));")
        }
        Fact::Each { kind, expected, actual, count } => {
            each(count, &format!("ASSERT_EQ({}, {actual}[element]);", unsigned(kind, expected)))
        }
    }
}

/// C++ warns where a number with a sign meets one without.
fn unsigned(kind: &str, number: &str) -> String {
    let plain = number.bytes().all(|byte| byte.is_ascii_digit());
    if plain && kind.starts_with("UINT") { format!("{number}u") } else { number.to_string() }
}

fn c(fact: Fact) -> String {
    match fact {
        Fact::Equal { expected, actual, .. } => format!("assert({actual} == {expected});"),
        Fact::True(it) => format!("assert({it});"),
        Fact::False(it) => format!("assert(!({it}));"),
        Fact::Null(it) => format!("assert({it} == NULL);"),
        Fact::NotNull(it) => format!("assert({it} != NULL);"),
        Fact::Pointer { expected, actual } => format!("assert({actual} == {});", address(expected)),
        Fact::Text { expected, actual } => format!("assert(strcmp({actual}, {expected}) == 0);"),
        Fact::Memory { expected, actual, size } => {
            format!("assert(memcmp({actual}, {expected}, {size}) == 0);")
        }
        Fact::Array { expected, actual, .. } => {
            format!("assert(memcmp({actual}, {expected}, sizeof {expected}) == 0);")
        }
        Fact::Each { expected, actual, count, .. } => {
            each(count, &format!("assert({actual}[element] == {expected});"))
        }
    }
}

fn each(count: usize, check: &str) -> String {
    format!("for (int element = 0; element < {count}; element++) {check}")
}

/// An address that is compared with a pointer of any type: a number of bytes into an object is none of them.
fn address(expected: &str) -> String {
    match expected.starts_with("(char *)") {
        true => format!("(void *)({expected})"),
        false => expected.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fact: Fact, expect: [&str; 4]) {
        let all = [Framework::Unity, Framework::Cmocka, Framework::Gtest, Framework::C];
        assert_eq!(all.map(|framework| framework.check(fact)), expect);
    }

    #[test]
    fn a_fact_reads_as_its_framework_has_it() {
        check(
            Fact::Equal { kind: "UINT", expected: "3", actual: "f(1)" },
            [
                "TEST_ASSERT_EQUAL_UINT(3, f(1));",
                "assert_int_equal(f(1), 3);",
                "ASSERT_EQ(3u, f(1));",
                "assert(f(1) == 3);",
            ],
        );
        check(
            Fact::Each { kind: "INT", expected: "0", actual: "a", count: 4 },
            [
                "TEST_ASSERT_EACH_EQUAL_INT(0, a, 4);",
                "for (int element = 0; element < 4; element++) assert_int_equal(a[element], 0);",
                "for (int element = 0; element < 4; element++) ASSERT_EQ(0, a[element]);",
                "for (int element = 0; element < 4; element++) assert(a[element] == 0);",
            ],
        );
        check(
            Fact::Pointer { expected: "(char *)a + 1", actual: "b->next" },
            [
                "TEST_ASSERT_EQUAL_PTR((char *)a + 1, b->next);",
                "assert_ptr_equal(b->next, (char *)a + 1);",
                "ASSERT_EQ((void *)((char *)a + 1), b->next);",
                "assert(b->next == (void *)((char *)a + 1));",
            ],
        );
    }
}
