//! From verdicts to what people and programs read.
//!
//! This crate cannot call a stage and does not print: each report is a string. [`fate`] says what a
//! verdict means in each format. `format.rs` lists the reports that are files.

mod coverage;
mod escape;
mod fate;
mod format;
mod github;
mod html;
mod junit;
mod markdown;
mod original;
mod place;
mod report_json;
mod sarif;
mod score;
mod terminal;
mod value;
mod verdicts_json;

pub use fate::{OWN_TESTS, PARAMETRIC};
pub use format::ReportFormat;
pub use github::annotations;
pub use markdown::markdown;
pub use score::Summary;
pub use terminal::{Times, list, terminal};
pub use value::named_values;
pub use verdicts_json::{inputs, list_json, outcome, verdicts_json};

use std::collections::{BTreeSet, HashMap};

use fate::Fate;
use ir::Program;
use serde_json::Value;
use settle::{Conclusion, Ending, Finding, ParametricVerdict, Test};
use source::{Change, Text, count};

/// All that is known at the end of a run.
pub struct Report<'a> {
    /// The file under test, as the user named it.
    pub file: &'a str,
    /// The same from the root of the repository, as far as somebody knows it.
    pub path: &'a str,
    pub text: &'a Text,
    /// The headers that have mutants.
    pub headers: &'a [Source<'a>],
    pub program: &'a Program,
    /// The mutants that were looked at.
    pub changes: &'a [Change],
    /// One for each change.
    pub conclusions: &'a [Conclusion],
    pub tests: &'a [Test],
    /// One for each test.
    pub names: &'a [String],
    /// Where the tests' expected values are from, if not from the file itself.
    pub reference: Option<&'a str>,
    /// The tests on which the file does not do what the reference does.
    pub disagreements: &'a [Disagreement],
    /// The user's own tests, if they ran.
    pub own_tests: Option<&'a [TestFile<'a>]>,
    /// Those that Whet has written.
    pub test_files: &'a [WrittenTests<'a>],
    /// The stages that ran, in order.
    pub stages: &'a [&'static str],
    /// The mutation operators: name, and what they do.
    pub operators: &'a [(&'static str, &'static str)],
    /// Whet's own.
    pub version: &'a str,
    /// The flags in force, an object.
    pub configuration: &'a Value,
    /// What the original does wrong that keeps valid inputs away from mutants.
    pub findings: &'a [Finding],
    /// How many claims the checker refuted: each is a bug in Whet.
    pub refuted: usize,
}

/// A test on which the file does not do what the reference does.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Its place among the tests.
    pub test: usize,
    /// What the file does.
    pub ours: ir::Outcome,
}

/// A file that mutants change.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// As the user knows it.
    pub file: &'a str,
    /// From the root of the repository, as far as somebody knows it.
    pub path: &'a str,
    pub text: &'a Text,
}

/// A file with tests.
#[derive(Clone, Copy)]
pub struct TestFile<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// A file with tests of Whet's.
#[derive(Clone, Copy)]
pub struct WrittenTests<'a> {
    pub file: TestFile<'a>,
    /// The mutants that tests kill which it had before.
    pub kept: &'a BTreeSet<ir::Mutant>,
}

/// The longest input that is shown in a line, in bytes; a longer one is for the tests to show.
const WITNESS: usize = 120;

/// One mutant with all that is known of it.
struct ReportedMutant<'a> {
    number: usize,
    change: &'a Change,
    fate: Fate<'a>,
    /// The call that tells it from the original, as far as there is room.
    witness: Option<String>,
    /// The names of the tests that kill it.
    killers: Vec<&'a str>,
    /// The function through which a test kills it, or the static one that a proof speaks of.
    through: Option<&'a str>,
    /// What became of the values of its parameter, if it is a parametric mutant.
    parametric: Option<&'a ParametricVerdict>,
}

impl<'a> Report<'a> {
    /// All files that may have mutants: the one under test, then its headers.
    fn sources(&self) -> impl Iterator<Item = Source<'a>> + '_ {
        let own = Source { file: self.file, path: self.path, text: self.text };
        std::iter::once(own).chain(self.headers.iter().copied())
    }

    /// The file that a mutant changes.
    fn source_of(&self, change: &Change) -> Source<'a> {
        let file = change.file(self.file);
        self.sources().find(|source| source.file == file).expect("each header with a mutant is known")
    }

    /// In the order of their numbers.
    fn mutants(&self) -> impl Iterator<Item = ReportedMutant<'a>> + '_ {
        let (changes, conclusions) = (self.changes, self.conclusions);
        let killers = self.killers_by_mutant();
        changes.iter().zip(conclusions).map(move |(change, conclusion)| ReportedMutant {
            number: change.number as usize,
            change,
            fate: self.fate(conclusion),
            witness: self.witness(conclusion),
            killers: self.killers(ir::Mutant(change.number), conclusion, &killers),
            through: self.through(conclusion),
            parametric: match conclusion.ending() {
                Ending::Parametric(verdict) => Some(verdict),
                _ => None,
            },
        })
    }

    fn fate(&self, conclusion: &'a Conclusion) -> Fate<'a> {
        Fate::of(conclusion, self.own_tests.is_some())
    }

    /// The counts of the run.
    pub fn summary(&self) -> Summary {
        Summary::of(self.conclusions.iter().map(|conclusion| self.fate(conclusion)))
    }

    fn through(&self, conclusion: &Conclusion) -> Option<&'a str> {
        let subject = match conclusion.ending() {
            Ending::Killed { subject, .. } | Ending::SpecialCase { subject, .. } => *subject,
            Ending::Equivalent(proved) | Ending::Limited(proved) => proved.alone?,
            Ending::ByOwnTests { .. } | Ending::Parametric(_) | Ending::Open(_) => return None,
        };
        Some(&self.program.function(subject).name)
    }

    fn witness(&self, conclusion: &Conclusion) -> Option<String> {
        let (subject, input) = match conclusion.ending() {
            Ending::Killed { subject, kill, duplicate_of: None, .. } => (subject, &kill.input),
            Ending::SpecialCase { subject, input } => (subject, input),
            _ => return None,
        };
        let name = &self.program.function(*subject).name;
        let inputs = verdicts_json::inputs(self.program, *subject, input);
        match named_values(&inputs) {
            inputs if inputs.is_empty() || inputs.len() > WITNESS => Some(format!("calling {name}")),
            inputs => Some(format!("calling {name} with {inputs}")),
        }
    }

    fn killers(
        &self,
        mutant: ir::Mutant,
        conclusion: &Conclusion,
        by_mutant: &HashMap<ir::Mutant, Vec<&'a str>>,
    ) -> Vec<&'a str> {
        if let (Ending::ByOwnTests { .. }, Some(files)) = (conclusion.ending(), self.own_tests) {
            return files.iter().map(|file| file.name).collect();
        }
        if let Some(tests) = self.test_files.iter().find(|tests| tests.kept.contains(&mutant)) {
            return vec![tests.file.name];
        }
        by_mutant.get(&mutant).cloned().unwrap_or_default()
    }

    /// The names of the tests that kill each mutant, in the order of the tests. A large file has thousands of
    /// tests, so that nobody can look through all of them for each mutant.
    fn killers_by_mutant(&self) -> HashMap<ir::Mutant, Vec<&'a str>> {
        let (tests, names) = (self.tests, self.names);
        let mut killers: HashMap<ir::Mutant, Vec<&'a str>> = HashMap::new();
        for (test, name) in tests.iter().zip(names) {
            test.kills.iter().for_each(|mutant| killers.entry(*mutant).or_default().push(name));
        }
        killers
    }
}

impl Report<'_> {
    /// How many parametric mutants there are, and how many tests they took.
    fn parametric_in_words(&self) -> String {
        let parametric = self.mutants().filter_map(|mutant| mutant.parametric);
        let parametric: Vec<&ParametricVerdict> = parametric.filter(|verdict| !verdict.is_open()).collect();
        let tests: usize = parametric.iter().map(|verdict| verdict.tests.len()).sum();
        let each = tests as f64 / parametric.len().max(1) as f64;
        let mutants = count(parametric.len(), "parametric mutant");
        format!("{mutants}, {each:.1} tests for each")
    }
}

impl ReportedMutant<'_> {
    /// The verdict with its evidence, in one line.
    fn evidence(&self) -> String {
        match &self.witness {
            Some(witness) => format!("{}; {witness}", self.fate.evidence()),
            None => self.fate.evidence(),
        }
    }

    /// The change as one line: `< → <=`.
    fn change_in_words(&self) -> String {
        let (from, to) = self.change.in_words();
        let [from, to] = [from, to].map(|text| escape::one_line(&text));
        let shown = |text: String, none: &str| if text.is_empty() { none.to_string() } else { text };
        format!("{} → {}", shown(from, "nothing"), shown(to, "nothing"))
    }
}
