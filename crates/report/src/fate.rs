//! What a conclusion means: the one place that says so, in words and for each format.
//!
//! Two choices need a reason, because no format has a word for what they say.
//!
//! An **open** mutant is `Survived` in the mutation-testing-report-schema. It is alive: no test of the suite is known to kill it. `Pending`
//! would say that nobody has tried, and `NoCoverage` that no test reaches it; and dashboards leave pending mutants out of the score, so that it
//! would look better than it is. For the same reason it is a failure in JUnit, a warning in SARIF and on GitHub: it is what is left to do.
//!
//! **Equivalent** mutants and **duplicates** are `Ignored` there, which the score leaves out, and skipped in JUnit: dashboards count skipped
//! tests apart and turn neither red for them, nor greener than the killed mutants deserve.
//!
//! Where the user's **own tests** ran, they are what is judged. What they miss and one of our tests kills is killed as far as the verdict
//! goes, but `Survived` for dashboards, and something to look at: the test that kills it is ours, and not theirs before they merge it.

use ir::{Difference, Observation, Outcome};
use settle::{Conclusion, Kill, Sanitiser, Shown};

/// What became of a mutant, as far as a format tells it apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Killed,
    /// Killed by not coming back.
    TimedOut,
    /// Killed by the user's own tests.
    Own,
    /// Killed, but not by the user's own tests.
    Missed,
    Duplicate,
    /// For all inputs.
    Equivalent,
    /// Equivalent, if some assumptions hold.
    Assumed,
    /// Killed for all or some of the numbers that it stands for.
    Family,
    Open,
}

/// How JUnit shows a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    Passed,
    Skipped,
    Failed,
}

/// What the formats make of a kind.
pub struct Row {
    /// In `verdicts.json`, and as people read it.
    pub word: &'static str,
    /// In the mutation-testing-report-schema.
    pub status: &'static str,
    pub case: Case,
    /// Whether it is something to look at: a result in SARIF, a warning on GitHub.
    pub finding: bool,
}

impl Kind {
    pub fn row(self) -> Row {
        let row = |word, status, case, finding| Row { word, status, case, finding };
        match self {
            Kind::Killed => row("killed", "Killed", Case::Passed, false),
            Kind::TimedOut => row("killed", "Timeout", Case::Passed, false),
            Kind::Own => row("killed", "Killed", Case::Passed, false),
            Kind::Missed => row("killed", "Survived", Case::Failed, true),
            Kind::Duplicate => row("duplicate", "Ignored", Case::Skipped, false),
            Kind::Equivalent => row("equivalent", "Ignored", Case::Skipped, false),
            Kind::Assumed => row("equivalent", "Ignored", Case::Skipped, false),
            Kind::Family => row("killed", "Killed", Case::Passed, false),
            Kind::Open => row("open", "Survived", Case::Failed, true),
        }
    }
}

/// What is known of a mutant, in words.
pub struct Fate<'a> {
    pub kind: Kind,
    /// The stage that settled it.
    pub stage: Option<&'static str>,
    /// How it was settled, or why it was not.
    pub how: String,
    pub assumptions: &'a [String],
    /// The number of the mutant that it duplicates.
    pub of: Option<u32>,
}

/// The stage of what has an unknown number in it.
pub const FAMILIES: &str = "parametric";

/// The stage of what is wrong in a special case only.
const SPECIAL: &str = "special";

/// The stage of what the user's own tests kill.
pub const OWN_TESTS: &str = "own tests";

impl Fate<'_> {
    /// What became of a mutant, where the user's own tests ran (`own`) or not.
    pub fn of(conclusion: &Conclusion, own: bool) -> Fate<'_> {
        let fate = |kind, stage, how| Fate { kind, stage, how, assumptions: &[], of: None };
        match conclusion {
            Conclusion::Killed { duplicate_of: Some(twin), .. } => {
                let how = format!("the same code as mutant {}", twin.of.0);
                Fate { of: Some(twin.of.0), ..fate(Kind::Duplicate, Some(twin.stage), how) }
            }
            Conclusion::Killed { stage, kill, .. } => {
                let kind = match kill.mutant {
                    _ if own => Kind::Missed,
                    Outcome::OutOfFuel | Outcome::Diverged => Kind::TimedOut,
                    _ => Kind::Killed,
                };
                fate(kind, Some(*stage), how(kill))
            }
            Conclusion::ByOwnTests { duplicate_of: Some(twin) } => {
                let how = format!("the same code as mutant {}", twin.of.0);
                Fate { of: Some(twin.of.0), ..fate(Kind::Duplicate, Some(twin.stage), how) }
            }
            Conclusion::ByOwnTests { duplicate_of: None } => {
                fate(Kind::Own, Some(OWN_TESTS), "your tests fail".to_string())
            }
            Conclusion::Equivalent { stage, method, assumptions } => {
                let kind = if assumptions.is_empty() { Kind::Equivalent } else { Kind::Assumed };
                Fate { assumptions, ..fate(kind, Some(*stage), method.clone()) }
            }
            Conclusion::Family(family) => {
                let kind = match family.complete && family.tests.is_empty() {
                    _ if family.is_open() => Kind::Open,
                    true if family.assumptions.is_empty() => Kind::Equivalent,
                    true => Kind::Assumed,
                    false => Kind::Family,
                };
                let stage = (kind != Kind::Open).then_some(FAMILIES);
                Fate { assumptions: &family.assumptions, ..fate(kind, stage, family.in_words()) }
            }
            Conclusion::Special { .. } => {
                fate(Kind::Killed, Some(SPECIAL), "a test has this case".to_string())
            }
            Conclusion::Open(open) => fate(Kind::Open, None, open.reason()),
        }
    }

    /// The verdict with its evidence, in one line.
    pub fn evidence(&self) -> String {
        let mut line = self.kind.row().word.to_string();
        line[..1].make_ascii_uppercase();
        if let Some(stage) = self.stage {
            line += &format!(" ({stage})");
        }
        line += &format!(": {}", self.how);
        match self.kind {
            Kind::Equivalent => line += "; for all inputs",
            Kind::Assumed => line += &format!("; assuming: {}", self.assumptions.join("; ")),
            Kind::Missed => line += "; your tests do not notice",
            Kind::Family if !self.assumptions.is_empty() => {
                line += &format!("; assuming: {}", self.assumptions.join("; "));
            }
            Kind::Killed | Kind::TimedOut | Kind::Own | Kind::Duplicate | Kind::Family | Kind::Open => {}
        }
        line
    }
}

/// How a kill shows.
fn how(kill: &Kill) -> String {
    let to_whom = match kill.shown {
        Shown::Plainly | Shown::Stopped => "",
        Shown::With(Sanitiser::Address) => " (with -fsanitize=address)",
        Shown::With(Sanitiser::Undefined) => " (with -fsanitize=undefined)",
        Shown::With(Sanitiser::Memory) => " (with -fsanitize=memory)",
        Shown::Nowhere => " (undefined: a binary may go on)",
    };
    what_shows(&kill.original, &kill.mutant) + to_whom
}

fn what_shows(original: &Outcome, mutant: &Outcome) -> String {
    match (original, mutant) {
        (Outcome::Returned(original), Outcome::Returned(mutant)) => difference(original, mutant).to_string(),
        (_, Outcome::Returned(_)) => "returns another value".to_string(),
        (_, Outcome::Faulted(..)) => format!("stops: {}", stop(mutant)),
        (_, other) => stop(other),
    }
}

/// How a run ends that does not return.
pub fn stop(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(_) => "returns".to_string(),
        Outcome::Faulted(fault, at) => {
            let at = at.map_or(String::new(), |at| format!(" at line {}", at.line));
            format!("{}{at}", fault.text())
        }
        Outcome::Diverged => "never returns".to_string(),
        Outcome::OutOfFuel => "time-out".to_string(),
        Outcome::Unsupported(what, _) => what.clone(),
    }
}

/// The first of the strongest differences, as a reader would look for it.
fn difference(original: &Observation, mutant: &Observation) -> &'static str {
    let differences = original.differences(mutant);
    let strongest = differences.strongest();
    let frees_more = mutant.freed.iter().any(|object| !original.has_freed(*object));
    if strongest == Difference::Unassigned {
        "leaves something unassigned"
    } else if strongest == Difference::Soft && frees_more {
        "frees what the caller still has"
    } else if strongest == Difference::Soft {
        "leaves less memory than there should be"
    } else if differences.result == strongest {
        "returns another value"
    } else if differences.calls == strongest {
        "calls differently"
    } else {
        "changes memory differently"
    }
}
