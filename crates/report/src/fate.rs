//! What a conclusion means, in words and for each format. Nothing else decides this.
//!
//! Two choices need a reason, because no format has a word for what they say.
//!
//! An **open** mutant is `Survived` in the mutation-testing-report-schema. It is alive:
//! no test of the suite is known to kill it. `Pending` would say that nobody has tried,
//! and `NoCoverage` that no test reaches it. Dashboards also leave pending mutants out of
//! the score, which would then look better than it is. For the same reason an open mutant
//! is a failure in JUnit, and a warning in SARIF and on GitHub: it is what is left to do.
//!
//! A **limited** mutant is `Survived` and a failure in JUnit, too. That no difference was
//! found within the limits of the search is no proof that no test can kill it. In SARIF and
//! on GitHub it is a note and not a warning. Nothing is known to be wrong with the tests,
//! but somebody may want to raise a limit, or to say that the mutant does not matter.
//!
//! **Equivalent** mutants and **duplicates** are `Ignored` in the schema, which the
//! score leaves out, and skipped in JUnit. Dashboards count skipped tests apart:
//! they neither turn red for them, nor greener than the killed mutants deserve.
//!
//! A kill **alone**, by a call of a static function that may be one that no caller makes, is `Killed`: a test
//! shows it. But it says so in every report, and is counted apart. SARIF has it as a remark that is neither
//! good nor bad.
//!
//! A **parametric** mutant stands for many, and the score does not count it. So
//! it is `Ignored` in formats that compute a score of their own.
//!
//! If the user's **own tests** ran, they are what is judged. A mutant that they
//! miss and one of our tests kills has the verdict killed, but is `Survived` for
//! dashboards. The test that kills it is ours, and not theirs before they merge it.

use ir::{Difference, Observation, Outcome};
use settle::{Conclusion, Ending, Granted, Kill, Sanitiser, Shown};

/// What became of a mutant, as far as a format tells it apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FateKind {
    Killed,
    /// Killed by not coming back.
    TimedOut,
    /// Killed by the user's own tests.
    Own,
    /// Killed, but not by the user's own tests.
    Missed,
    Duplicate,
    /// For all inputs, as far as the world is as a caller would have it.
    Equivalent,
    /// No difference within the limits of the search.
    Limited,
    /// It is parametric, and killed for all or some values of its parameter.
    Parametric,
    Open,
}

/// How JUnit shows a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Case {
    Passed,
    Skipped,
    Failed,
}

/// How much a finding matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    Note,
    Warning,
}

/// What the formats make of a kind.
pub(crate) struct Row {
    /// In `verdicts.json`, and as people read it.
    pub word: &'static str,
    /// In the mutation-testing-report-schema.
    pub status: &'static str,
    pub case: Case,
    /// Whether it is something to look at: a result in SARIF, an annotation on GitHub.
    pub finding: Option<Level>,
}

impl FateKind {
    pub(crate) fn row(self) -> Row {
        let row = |word, status, case, finding| Row { word, status, case, finding };
        match self {
            FateKind::Killed => row("killed", "Killed", Case::Passed, None),
            FateKind::TimedOut => row("killed", "Timeout", Case::Passed, None),
            FateKind::Own => row("killed", "Killed", Case::Passed, None),
            FateKind::Missed => row("killed", "Survived", Case::Failed, Some(Level::Warning)),
            FateKind::Duplicate => row("duplicate", "Ignored", Case::Skipped, None),
            FateKind::Equivalent => row("equivalent", "Ignored", Case::Skipped, None),
            FateKind::Limited => row("limited", "Survived", Case::Failed, Some(Level::Note)),
            FateKind::Parametric => row("killed", "Ignored", Case::Passed, None),
            FateKind::Open => row("open", "Survived", Case::Failed, Some(Level::Warning)),
        }
    }
}

/// What is known of a mutant, in words.
pub(crate) struct Fate<'a> {
    pub kind: FateKind,
    /// The stage that settled it.
    pub stage: Option<&'static str>,
    /// How it was settled, or why it was not.
    pub how: String,
    /// What a proof takes for granted.
    pub granted: Option<&'a Granted>,
    /// The number of the mutant that it duplicates.
    pub of: Option<u32>,
    /// Only calls of the static function itself show it: nothing is known of those that others can call.
    pub alone: bool,
}

/// The stage of parametric mutants.
pub const PARAMETRIC: &str = "parametric";

/// The stage of what is wrong in a special case only.
const SPECIAL: &str = "special";

/// The stage of what the user's own tests kill.
pub const OWN_TESTS: &str = "own tests";

impl Fate<'_> {
    /// What became of a mutant, where the user's own tests ran (`own`) or not.
    pub(crate) fn of(conclusion: &Conclusion, own: bool) -> Fate<'_> {
        let fate = |kind, stage, how| Fate { kind, stage, how, granted: None, of: None, alone: false };
        match conclusion.ending() {
            Ending::Killed { duplicate_of: Some(twin), .. }
            | Ending::ByOwnTests { duplicate_of: Some(twin) } => {
                let alone = matches!(conclusion.ending(), Ending::Killed { alone: true, .. });
                let how = format!("the same code as mutant {}", twin.of.0);
                Fate { of: Some(twin.of.0), alone, ..fate(FateKind::Duplicate, Some(twin.stage), how) }
            }
            Ending::Killed { stage, kill, alone, .. } => {
                let kind = match kill.mutant {
                    _ if own => FateKind::Missed,
                    Outcome::OutOfFuel | Outcome::Diverged => FateKind::TimedOut,
                    _ => FateKind::Killed,
                };
                Fate { alone: *alone, ..fate(kind, Some(*stage), how(kill)) }
            }
            Ending::ByOwnTests { duplicate_of: None } => {
                fate(FateKind::Own, Some(OWN_TESTS), "your tests fail".to_string())
            }
            Ending::Equivalent(proved) => {
                let known = fate(FateKind::Equivalent, Some(proved.stage), proved.method.clone());
                Fate { granted: Some(&proved.granted), alone: proved.alone.is_some(), ..known }
            }
            Ending::Limited(proved) => {
                let known = fate(FateKind::Limited, Some(proved.stage), proved.method.clone());
                Fate { granted: Some(&proved.granted), alone: proved.alone.is_some(), ..known }
            }
            Ending::Parametric(verdict) => {
                let kind = match verdict.claim.complete && verdict.tests.is_empty() {
                    _ if verdict.is_open() => FateKind::Open,
                    true if verdict.claim.granted.is_limited() => FateKind::Limited,
                    true => FateKind::Equivalent,
                    false => FateKind::Parametric,
                };
                let stage = (kind != FateKind::Open).then_some(PARAMETRIC);
                Fate { granted: Some(&verdict.claim.granted), ..fate(kind, stage, verdict.in_words()) }
            }
            Ending::SpecialCase { .. } => {
                fate(FateKind::Killed, Some(SPECIAL), "a test has this case".to_string())
            }
            Ending::Open(open) => fate(FateKind::Open, None, open.reason()),
        }
    }

    /// The verdict with its evidence, in one line.
    pub(crate) fn evidence(&self) -> String {
        let mut line = self.kind.row().word.to_string();
        line[..1].make_ascii_uppercase();
        if let Some(stage) = self.stage {
            line += &format!(" ({stage}{})", if self.alone { ", alone" } else { "" });
        }
        line += &format!(": {}", self.how);
        if self.kind == FateKind::Missed {
            line += "; your tests do not notice";
        }
        line + &self.conditions()
    }

    /// Whether it is a kill that only a call of the static function itself shows.
    pub(crate) fn is_killed_alone(&self) -> bool {
        let is_kill = matches!(self.kind, FateKind::Killed | FateKind::TimedOut | FateKind::Missed);
        is_kill && self.alone
    }

    /// What else has to be said of a proof: whether it speaks of all inputs, or what it takes for granted.
    pub(crate) fn conditions(&self) -> String {
        let (limits, assumptions) = (self.limits(), self.assumptions());
        let mut line = String::new();
        if !limits.is_empty() {
            line += &format!("; within limits: {}", limits.join("; "));
        }
        if !assumptions.is_empty() {
            line += &format!("; assuming: {}", assumptions.join("; "));
        }
        if line.is_empty() && self.kind == FateKind::Equivalent {
            line += "; for all inputs";
        }
        line
    }

    pub(crate) fn assumptions(&self) -> &[String] {
        self.granted.map_or(&[], |granted| &granted.assumptions)
    }

    pub(crate) fn limits(&self) -> &[String] {
        self.granted.map_or(&[], |granted| &granted.limits)
    }
}

/// How a kill shows.
fn how(kill: &Kill) -> String {
    let to_whom = match kill.shown {
        Shown::Plainly | Shown::Stopped => "",
        Shown::With(Sanitiser::Address) => " (with -fsanitize=address at -O0)",
        Shown::With(Sanitiser::Undefined) => " (with -fsanitize=undefined at -O0)",
        Shown::With(Sanitiser::Memory) => " (with -fsanitize=memory at -O0)",
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
pub(crate) fn stop(outcome: &Outcome) -> String {
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
