//! Exchange: the inputs of tests as files that other tools read.
//!
//! Test generators, fuzzers and symbolic executors keep inputs, not expectations:
//! bytes for each thing that a caller decides. An input fits if it can be written
//! without addresses: numbers, structs of them, and pointers that are null or lead
//! to the start of a buffer of their own. Other inputs are left out, and counted.
//!
//! Test suites, corpora and runs of KLEE each have one entry function. So each
//! function has a folder of its own.

mod ktest;
mod libfuzzer;
mod testcomp;

use ir::{Datum, FunctionId, Input, Object, Program, TypeId};
use settle::Test;

use crate::observation;

/// The formats that we write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// KLEE's `.ktest`.
    Ktest,
    /// The suites of XML files of the competition Test-Comp.
    TestComp,
    /// Seeds for a corpus of libFuzzer, AFL and their like.
    LibFuzzer,
}

/// The tests of a file, and what other tools want to know of it.
pub struct Collection<'a> {
    pub program: &'a Program,
    pub tests: &'a [Test],
    /// One for each test, from [`names`](crate::names).
    pub names: &'a [String],
    /// The C file, as the user named it.
    pub file: &'a str,
    /// The SHA-256 of its text, in hexadecimal digits.
    pub hash: &'a str,
    /// When the tests were made, in seconds since 1970.
    pub time: u64,
    /// Who made them: `Whet 1.0`.
    pub producer: &'a str,
}

/// What one format makes of a collection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exchanged {
    /// Relative paths, with `/`, and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// How many tests of each function have a file.
    pub tests: Vec<(FunctionId, usize)>,
    /// How many do not fit the format.
    pub left_out: usize,
}

impl Format {
    pub const ALL: [Format; 3] = [Format::Ktest, Format::TestComp, Format::LibFuzzer];

    /// As on the command line, and the folder for its files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Ktest => "ktest",
            Format::TestComp => "testcomp",
            Format::LibFuzzer => "libfuzzer",
        }
    }

    pub fn exchange(self, collection: &Collection) -> Exchanged {
        let mut exchanged = Exchanged::default();
        for subject in subjects(collection.tests) {
            self.add(collection, subject, &mut exchanged);
        }
        exchanged
    }

    /// Where an earlier run may have left tests of a function that has so many
    /// now. They are in a row: after the first path where nothing is, there is
    /// nothing more. Seeds have names of their own, and may stay: a corpus grows.
    pub fn leftovers(self, function: &str, tests: usize) -> impl Iterator<Item = String> {
        let about = (self == Format::TestComp && tests == 0).then(|| testcomp::METADATA.to_string());
        let numbers = (self != Format::LibFuzzer).then_some(tests + 1..).into_iter().flatten();
        let files = about.into_iter().chain(numbers.map(move |number| self.file_name(number, "")));
        files.map(move |file| format!("{function}/{file}"))
    }

    /// The files for the tests of one function.
    fn add(self, collection: &Collection, subject: FunctionId, exchanged: &mut Exchanged) {
        let folder = &collection.program.function(subject).name;
        let cases = collection.tests.iter().zip(collection.names).filter(|(test, _)| test.subject == subject);
        let mut number = 0;
        for (test, name) in cases {
            let given = given(collection.program, test);
            let Some(contents) = given.and_then(|given| self.contents(collection, &given)) else {
                exchanged.left_out += 1;
                continue;
            };
            number += 1;
            exchanged.files.push((format!("{folder}/{}", self.file_name(number, name)), contents));
        }
        exchanged.tests.push((subject, number));
        if self == Format::TestComp && number > 0 {
            let path = format!("{folder}/{}", testcomp::METADATA);
            exchanged.files.push((path, testcomp::metadata(collection, folder).into_bytes()));
        }
    }

    fn contents(self, collection: &Collection, given: &[Given]) -> Option<Vec<u8>> {
        match self {
            Format::Ktest => ktest::contents(collection.program, collection.file, given),
            Format::TestComp => testcomp::contents(collection.program, given).map(String::into_bytes),
            Format::LibFuzzer => Some(libfuzzer::contents(collection.program, given)),
        }
    }

    fn file_name(self, number: usize, name: &str) -> String {
        match self {
            Format::Ktest => ktest::file_name(number),
            Format::TestComp => testcomp::file_name(number),
            Format::LibFuzzer => name.to_string(),
        }
    }
}

/// What a caller gives for one parameter or global variable.
struct Given<'a> {
    name: String,
    of: TypeId,
    value: Value<'a>,
}

enum Value<'a> {
    /// A number, or a struct or an array of them.
    Plain(&'a Datum),
    Null,
    /// A pointer to the start of this.
    Buffer(&'a Object),
}

/// The functions that have tests, as they come.
fn subjects(tests: &[Test]) -> Vec<FunctionId> {
    let mut subjects: Vec<FunctionId> = Vec::new();
    for test in tests {
        if !subjects.contains(&test.subject) {
            subjects.push(test.subject);
        }
    }
    subjects
}

/// All that a test gives, in the order of the parameters; then global variables.
/// None if that takes addresses, streams, or results of functions that are defined elsewhere.
fn given<'a>(program: &'a Program, test: &'a Test) -> Option<Vec<Given<'a>>> {
    let reads = test.input.objects.iter().any(|object| program.is_stream(object.of));
    if reads || needs_results(program, test) || shares(&test.input) {
        return None;
    }
    let parameters = (1..).zip(&program.function(test.subject).signature.parameters);
    let parameters = parameters.map(|(number, parameter)| match parameter.name.as_str() {
        "" => (format!("argument_{number}"), parameter.of),
        name => (name.to_string(), parameter.of),
    });
    let globals = test.input.globals.iter().map(|(id, _)| program.global(*id));
    let globals = globals.map(|global| (global.name.clone(), global.of));
    let data = test.input.arguments.iter().chain(test.input.globals.iter().map(|(_, datum)| datum));
    let given = |((name, of), datum)| Some(Given { name, of, value: value(&test.input, datum)? });
    parameters.chain(globals).zip(data).map(given).collect()
}

fn value<'a>(input: &'a Input, datum: &'a Datum) -> Option<Value<'a>> {
    match datum {
        Datum::Null => Some(Value::Null),
        Datum::Pointer { object, element: 0 } => {
            let object = &input.objects[*object as usize];
            object.elements.iter().all(is_plain).then_some(Value::Buffer(object))
        }
        Datum::Pointer { .. } => None,
        datum => is_plain(datum).then_some(Value::Plain(datum)),
    }
}

/// Whether it leads nowhere: a pointer in it is null.
fn is_plain(datum: &Datum) -> bool {
    match datum {
        Datum::Word(_) | Datum::Null => true,
        Datum::Aggregate(parts) => parts.iter().all(is_plain),
        Datum::Pointer { .. } | Datum::Function(_) => false,
    }
}

/// Whether two pointers lead into one object.
fn shares(input: &Input) -> bool {
    let mut seen = vec![false; input.objects.len()];
    let data = input.arguments.iter().chain(input.globals.iter().map(|(_, datum)| datum));
    data.filter_map(|datum| match datum {
        Datum::Pointer { object, .. } => Some(*object as usize),
        _ => None,
    })
    .any(|object| std::mem::replace(&mut seen[object], true))
}

/// Whether a function that is defined elsewhere decides something. After what the input
/// says of its results come zeros, and a call that gets one needs a stub as well.
fn needs_results(program: &Program, test: &Test) -> bool {
    let answers = |id| !program.external(id).prints && program.external(id).result.is_some();
    let calls = observation(test).map_or(&[][..], |observation| &observation.calls);
    test.input.results.iter().any(|(_, results)| !results.is_empty())
        || calls.iter().any(|call| answers(call.external))
}

/// The bytes of a value as it lies in memory. Pointers in it are null, and gaps are zero.
fn bytes(program: &Program, given: &Given) -> Vec<u8> {
    let null = |_: &Datum| 0;
    match given.value {
        Value::Plain(datum) => ir::observe::lay_out_value(program, given.of, datum, &null).0,
        Value::Buffer(object) => ir::observe::lay_out_object(program, object, &null).0,
        Value::Null => vec![],
    }
}

#[cfg(test)]
mod tests;
