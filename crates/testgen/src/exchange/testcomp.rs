//! Test-Comp's exchange format for test suites: a file of XML for each test, and one about the suite.
//!
//! The order of the inputs is what counts there; names and types are for readers. So
//! each number is an input of its own, and its variable is the expression of C that it
//! is the value of: `s[0]`, `p[0].x`. The order of the elements is that of the DTD.
//!
//! <https://gitlab.com/sosy-lab/test-comp/test-format>

use bv::Word;
use ir::{Datum, Field, Program, Scalar, Type, TypeId};

use super::{Collection, Given, Value};
use crate::c::{float_literal, unqualified};

pub(super) const METADATA: &str = "metadata.xml";

const DECLARATION: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>"#;
const TESTCASE: &str = r#"<!DOCTYPE testcase PUBLIC "+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN" "https://sosy-lab.org/test-format/testcase-1.1.dtd">"#;
const TEST_METADATA: &str = r#"<!DOCTYPE test-metadata PUBLIC "+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN" "https://sosy-lab.org/test-format/test-metadata-1.1.dtd">"#;

/// What the tests are for. There is no formula for that in the language of the competition.
const SPECIFICATION: &str = "kill every mutant";

pub(super) fn file_name(number: usize) -> String {
    format!("testcase-{number}.xml")
}

/// None if it has something that is no number to us.
pub(super) fn contents(program: &Program, given: &[Given]) -> Option<String> {
    let mut inputs = Vec::new();
    for given in given {
        match given.value {
            Value::Plain(datum) => add(program, &given.name, given.of, datum, &mut inputs)?,
            Value::Null => add(program, &given.name, given.of, &Datum::Null, &mut inputs)?,
            Value::Buffer(object) => {
                for (at, element) in object.elements.iter().enumerate() {
                    add(program, &format!("{}[{at}]", given.name), object.of, element, &mut inputs)?;
                }
            }
        }
    }
    let lines: String = inputs.iter().map(Number::line).collect();
    Some(format!("{DECLARATION}\n{TESTCASE}\n<testcase>\n{lines}</testcase>\n"))
}

/// About the suite of one function.
pub(super) fn metadata(collection: &Collection, function: &str) -> String {
    let elements = [
        ("sourcecodelang", "C"),
        ("producer", collection.producer),
        ("specification", SPECIFICATION),
        ("programfile", collection.file),
        ("programhash", collection.hash),
        ("entryfunction", function),
        ("architecture", "64bit"),
        ("creationtime", &utc(collection.time)),
    ];
    let line = |(name, text): (&str, &str)| format!("  <{name}>{}</{name}>\n", escape(text));
    let lines: String = elements.into_iter().map(line).collect();
    format!("{DECLARATION}\n{TEST_METADATA}\n<test-metadata>\n{lines}</test-metadata>\n")
}

/// One input.
struct Number<'a> {
    variable: String,
    of: &'a str,
    value: String,
}

impl Number<'_> {
    fn line(&self) -> String {
        let (variable, of) = (escape(&self.variable), escape(self.of));
        format!("  <input variable=\"{variable}\" type=\"{of}\">{}</input>\n", self.value)
    }
}

/// The numbers of a value, in their order.
fn add<'a>(
    program: &'a Program,
    place: &str,
    of: TypeId,
    datum: &Datum,
    inputs: &mut Vec<Number<'a>>,
) -> Option<()> {
    let number = |of: &'a str, value| Number { variable: place.to_string(), of: unqualified(of), value };
    match (program.of(of), datum) {
        (Type::Integer(scalar), Datum::Word(word)) => {
            inputs.push(number(&scalar.name, decimal(*word, scalar)));
        }
        (Type::Float(float), Datum::Word(word)) => {
            let literal = float_literal(*word, float);
            inputs.push(number(&float.name, literal.trim_end_matches('f').to_string()));
        }
        (Type::Pointer(pointer), Datum::Null) => inputs.push(Number {
            variable: place.to_string(),
            // What is constant there is what it leads to.
            of: &pointer.name,
            value: "0".to_string(),
        }),
        (Type::Array { of, .. }, Datum::Aggregate(elements)) => {
            for (at, element) in elements.iter().enumerate() {
                add(program, &format!("{place}[{at}]"), *of, element, inputs)?;
            }
        }
        (Type::Record(record), Datum::Aggregate(parts)) => {
            for (field, part) in program.parts(record).into_iter().zip(parts) {
                add(program, &member(place, field), field.of, part, inputs)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// A member of a struct; those of one without a name are its own.
fn member(place: &str, field: &Field) -> String {
    if field.name.is_empty() { place.to_string() } else { format!("{place}.{}", field.name) }
}

/// Plain digits, also for letters: tools read them with `scanf`.
fn decimal(word: Word, scalar: &Scalar) -> String {
    if scalar.signed { word.signed().to_string() } else { word.bits().to_string() }
}

/// A time as ISO 8601 has it.
fn utc(seconds: u64) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let (mut days, second) = (seconds / DAY, seconds % DAY);
    let mut year = 1970;
    while days >= days_of(year).iter().sum() {
        days -= days_of(year).iter().sum::<u64>();
        year += 1;
    }
    let mut month = 1;
    for length in days_of(year) {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

/// How many days each month of a year has.
fn days_of(year: u64) -> [u64; 12] {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// Text for elements and attributes. XML has no place for control characters.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push(char::REPLACEMENT_CHARACTER)
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_date() {
        let check = |seconds: u64, expect: &str| assert_eq!(utc(seconds), expect);
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_399, "2000-02-28T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_704_067_199, "2023-12-31T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }

    #[test]
    fn what_xml_has_no_place_for_is_replaced() {
        assert_eq!(escape("a<b>&\"\u{7}"), "a&lt;b&gt;&amp;&quot;\u{fffd}");
    }
}
