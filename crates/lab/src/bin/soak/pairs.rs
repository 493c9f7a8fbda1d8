//! Pairs of runs of Whet that must not contradict each other: the same file, settled in two ways.
//!
//! Killed in one and equivalent in the other is a contradiction, unless the proof counts
//! rounds: then the kill may lie beyond them. Claims that Whet's own checker rejects are
//! findings in any run, and so is an end that is none of the documented ones.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;
use lab::csmith;
use serde_json::Value;

use crate::finding::{Finding, Findings};
use crate::process;

/// The other way of a pair: what is different about it.
enum Other {
    Flags(&'static [&'static str]),
    /// The build whose terms are not rewritten.
    PlainTerms,
    /// The text is changed so that nothing else is; a second mapping takes the names of functions back.
    Text(fn(&str) -> String, fn(&str) -> String),
}

/// A pair: its name, the flags of the first way, and the other way. Programs of
/// csmith have texts that we know how to change.
const PAIRS: [(&str, &[&str], Other); 10] = [
    ("without-canonical", &[], Other::Flags(&["--stages", "simulate,inductive,bounded"])),
    ("without-simulate", &[], Other::Flags(&["--stages", "canonical,inductive,bounded"])),
    ("without-inductive", &[], Other::Flags(&["--stages", "canonical,simulate,bounded"])),
    ("without-bounded", &[], Other::Flags(&["--stages", "canonical,simulate,inductive"])),
    ("plain-terms", &["--stages", "inductive,bounded"], Other::PlainTerms),
    ("second-solver", &["--stages", "inductive,bounded"], Other::Flags(&["--double-check"])),
    ("deeper", &["--bound", "3", "--stages", "inductive,bounded"], Other::Flags(&["--bound", "4"])),
    ("two-jobs", &["--jobs", "1"], Other::Flags(&["--jobs", "2"])),
    ("renamed", &[], Other::Text(renamed, |text| text.replace("other_", "func_"))),
    ("reordered", &[], Other::Text(reordered, str::to_string)),
];

/// A file with some hundred mutants takes seconds, or minutes with a second solver.
const PATIENCE: Duration = Duration::from_secs(900);

/// What a rejected claim begins with.
const REJECTED: &str = "not confirmed: ";

/// Rejections that are documented, or say only that a solver gave up.
const EXPECTED: [&str; 4] = [
    // MemorySanitizer lets a value be copied that was never assigned.
    "no sanitizer confirms the read of an uninitialised variable",
    "the input found for it shows no difference that a test could see",
    "another solver cannot confirm",
    "has nothing for another solver to confirm",
];

pub(crate) struct Pairs {
    whet: PathBuf,
    plain: PathBuf,
    /// The examples and the golden files.
    files: Vec<PathBuf>,
}

/// What Whet says of one mutant.
struct Verdict {
    function: String,
    line: u64,
    /// What is put in place of what.
    what: String,
    status: String,
    assumptions: Vec<String>,
    reason: String,
}

impl Pairs {
    /// `./x soak` has built both.
    pub(crate) fn new(root: &Path) -> Result<Pairs> {
        let [whet, plain] = ["whet", "whet-plain"].map(|name| root.join("target/release").join(name));
        for binary in [&whet, &plain] {
            ensure!(binary.exists(), "{} is missing: `./x soak` builds it", binary.display());
        }
        let folders = ["examples", "crates/whet/tests/golden"].map(|folder| root.join(folder));
        let mut files = Vec::new();
        for entry in
            folders.iter().map(std::fs::read_dir).collect::<Result<Vec<_>, _>>()?.into_iter().flatten()
        {
            files.push(entry?.path());
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
        files.sort();
        Ok(Pairs { whet, plain, files })
    }

    /// One pair, on one file.
    pub(crate) fn round(&self, seed: u64, findings: &mut Findings) -> Result<()> {
        let mut random = Rng::with_seed(seed);
        let (name, first, other) = &PAIRS[random.usize(..PAIRS.len())];
        let known = random.choice(&self.files).filter(|_| random.bool() && !matches!(other, Other::Text(..)));
        let folder = tempfile::tempdir()?;
        let made = folder.path().join("program.c");
        let (file, text) = match known {
            Some(file) => (file, None),
            None => {
                let text = csmith::exposed(&csmith::text(seed, csmith::TINY));
                std::fs::write(&made, &text)?;
                (&made, Some(text))
            }
        };
        let shown = if text.is_some() { "{program}".to_string() } else { file.display().to_string() };
        for flaw in self.flaws(file, first, other)? {
            let repeat = format!("cargo run --release -p whet --example soak -- pair {name} {shown}");
            let again = format!("{} pair {name} {shown}", std::env::current_exe()?.display());
            let signature = format!("{name}: {}", flaw.signature);
            let (oracle, program) = (*name, text.clone());
            findings.add(&Finding { oracle, signature, seen: &flaw.seen, repeat, again, program })?;
        }
        Ok(())
    }

    /// What is wrong with a file, settled in two ways.
    fn flaws(&self, file: &Path, first: &[&str], other: &Other) -> Result<Vec<Flaw>> {
        let text = std::fs::read_to_string(file)?;
        let (flags, one) = self.settle_first(file, flags(&text), first)?;
        let flags: Vec<&str> = flags.iter().map(String::as_str).chain(first.iter().copied()).collect();
        let two = match other {
            Other::Flags(more) => {
                // A flag that is given again replaces the first one.
                let named = |flag: &&str| more.first() == Some(flag);
                let at = flags.iter().position(named).filter(|_| more.len() > 1);
                let mut flags = flags.clone();
                at.map(|at| flags.drain(at..at + 2).count());
                self.settle(&self.whet, file, &[&flags, *more].concat())?
            }
            Other::PlainTerms => self.settle(&self.plain, file, &flags)?,
            Other::Text(change, back) => {
                let folder = tempfile::tempdir()?;
                let changed = folder.path().join("program.c");
                std::fs::write(&changed, change(&text))?;
                let mut two = self.settle(&self.whet, &changed, &flags)?;
                if let Ok(verdicts) = &mut two {
                    for verdict in verdicts.iter_mut() {
                        (verdict.function, verdict.what) = (back(&verdict.function), back(&verdict.what));
                    }
                    verdicts.sort_by(|one, other| one.function.cmp(&other.function));
                }
                two
            }
        };
        let (mut one, two) = match (one, two) {
            (Ok(one), Ok(two)) => (one, two),
            (one, two) => return Ok([one.err(), two.err()].into_iter().flatten().collect()),
        };
        if matches!(other, Other::Text(..)) {
            one.sort_by(|one, other| one.function.cmp(&other.function));
        }
        let mut flaws: Vec<Flaw> = [&one, &two].into_iter().flatten().filter_map(rejected).collect();
        let changes = |verdicts: &[Verdict]| verdicts.iter().map(|it| it.what.clone()).collect::<Vec<_>>();
        if changes(&one) != changes(&two) {
            let seen = format!("{:?}\n{:?}", changes(&one), changes(&two));
            flaws.push(Flaw { signature: "other mutants".to_string(), seen });
            return Ok(flaws);
        }
        flaws.extend(one.iter().zip(&two).filter_map(|(one, two)| contradiction(one, two)));
        Ok(flaws)
    }

    /// The first way, with those variables as inputs that Whet has any use for, and
    /// which they are: a mention such as `(g_1 , x)` leaves nothing in the code.
    fn settle_first(
        &self,
        file: &Path,
        mut flags: Vec<String>,
        first: &[&str],
    ) -> Result<(Vec<String>, Settled)> {
        loop {
            let all: Vec<&str> = flags.iter().map(String::as_str).chain(first.iter().copied()).collect();
            let settled = self.settle(&self.whet, file, &all)?;
            let unused = settled.as_ref().err().and_then(|flaw| {
                let (_, rest) = flaw.signature.split_once("--global ")?;
                let (name, _) = rest.split_once(": no function of this file uses")?;
                flags.iter().position(|flag| flag == name)
            });
            match unused {
                Some(at) => flags.drain(at - 1..=at).count(),
                None => return Ok((flags, settled)),
            };
        }
    }

    /// The verdicts in the order of the mutants, or how Whet failed.
    fn settle(&self, whet: &Path, file: &Path, flags: &[&str]) -> Result<Settled> {
        let folder = tempfile::tempdir()?;
        let out = folder.path().join("out");
        let mut command = Command::new(whet);
        command.arg("run").arg(file).args([
            "--quiet",
            "--no-store",
            "--reports",
            "none",
            "--tests",
            "c",
            "--out",
        ]);
        command.arg(&out).args(flags).env("RUST_BACKTRACE", "0");
        if !flags.contains(&"--jobs") {
            // One at a time: the machine is for others, too.
            command.args(["--jobs", "1"]);
        }
        let ended = process::run(&mut command, PATIENCE)?;
        // Settled, below a score, open, not what a reference says: all are answers.
        if !matches!(ended.code, Some(0 | 2 | 3 | 4)) {
            let how = if ended.stopped {
                "took too long".to_string()
            } else {
                format!("ended with {:?}", ended.code)
            };
            let line = ended.said.lines().last().unwrap_or_default();
            let signature = format!("whet {how}: {line}");
            return Ok(Err(Flaw { signature, seen: format!("{command:?}\n{}", ended.said) }));
        }
        let text = std::fs::read_to_string(out.join("verdicts.json")).context("whet wrote no verdicts")?;
        let verdicts: Value = serde_json::from_str(&text)?;
        let mutants = verdicts["mutants"].as_array().context("there are no mutants in verdicts.json")?;
        Ok(Ok(mutants.iter().map(Verdict::new).collect()))
    }
}

/// The verdicts of a file, or why there are none.
type Settled = Result<Vec<Verdict>, Flaw>;

/// Something that must not be.
struct Flaw {
    signature: String,
    seen: String,
}

impl Verdict {
    fn new(value: &Value) -> Verdict {
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_string();
        let assumptions = value["assumptions"].as_array().into_iter().flatten();
        Verdict {
            function: text("function"),
            line: value["line"].as_u64().unwrap_or_default(),
            what: format!("{} -> {}", text("original"), text("replacement")),
            status: text("status"),
            assumptions: assumptions.filter_map(|it| it.as_str().map(str::to_string)).collect(),
            reason: text("reason"),
        }
    }

    /// A duplicate is one of a killed mutant.
    fn is_killed(&self) -> bool {
        matches!(self.status.as_str(), "killed" | "duplicate")
    }

    /// Whether no kill can be right, however far it goes.
    fn is_equivalent(&self) -> bool {
        self.status == "equivalent"
    }

    fn describe(&self) -> String {
        let Verdict { function, line, what, status, assumptions, reason } = self;
        format!("{function}, line {line}: {what}: {status} {assumptions:?} {reason}")
    }
}

/// A claim that Whet's own checker did not believe.
fn rejected(verdict: &Verdict) -> Option<Flaw> {
    let why = verdict.reason.strip_prefix(REJECTED)?;
    if EXPECTED.iter().any(|expected| why.contains(expected)) {
        return None;
    }
    // Without the numbers, which are others each time.
    let words: Vec<&str> =
        why.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 2).take(6).collect();
    Some(Flaw { signature: format!("rejected: {}", words.join(" ")), seen: verdict.describe() })
}

fn contradiction(one: &Verdict, two: &Verdict) -> Option<Flaw> {
    let contradict = (one.is_killed() && two.is_equivalent()) || (one.is_equivalent() && two.is_killed());
    let seen = format!("{}\n{}", one.describe(), two.describe());
    contradict.then(|| Flaw { signature: "a contradiction".to_string(), seen })
}

/// Runs one pair on one file, for a person, or for cvise.
pub(crate) fn repeat(root: &Path, name: &str, file: &Path) -> Result<()> {
    let Some((_, first, other)) = PAIRS.iter().find(|(known, ..)| *known == name) else {
        let names: Vec<&str> = PAIRS.iter().map(|(name, ..)| *name).collect();
        bail!("there is no pair `{name}`: choose from {}", names.join(", "));
    };
    let flaws = Pairs::new(root)?.flaws(file, first, other)?;
    for flaw in &flaws {
        println!("{name}: {}\n{}", flaw.signature, flaw.seen);
    }
    ensure!(flaws.is_empty(), "{} flaws", flaws.len());
    Ok(())
}

/// What a golden file asks for in its first lines; the variables of a program of csmith.
fn flags(text: &str) -> Vec<String> {
    if let Some(flags) = text.lines().find_map(|line| line.strip_prefix("//~ flags:")) {
        return flags.split_whitespace().map(str::to_string).collect();
    }
    let definitions = text.split_once(")\n{ ").map_or("", |(_, definitions)| definitions);
    let settable = |line: &str| {
        let at = line.find(" g_").or_else(|| line.find("*g_"))? + 1;
        let name: String = line[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_variable = line.ends_with(';') && !line.starts_with(' ') && !line.contains("const ");
        // Whet knows no variable that no function uses.
        let mut words = definitions.split(|c: char| !c.is_alphanumeric() && c != '_');
        (is_variable && words.any(|word| word == name)).then_some(name)
    };
    text.lines().filter_map(settable).flat_map(|name| ["--global".to_string(), name]).collect()
}

/// Csmith's own functions only: `safe_add_func_…` is a name of its header.
fn renamed(text: &str) -> String {
    let mut renamed = String::new();
    for (at, part) in text.split("func_").enumerate() {
        let is_name = !renamed.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let name = if is_name { "other_" } else { "func_" };
        renamed += if at == 0 { "" } else { name };
        renamed += part;
    }
    renamed
}

/// The functions from last to first; csmith declares all of them before.
fn reordered(text: &str) -> String {
    // A definition begins at the margin and ends there.
    let Some(start) = text.find(")\n{ ") else { return text.to_string() };
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let (head, functions) = text.split_at(start);
    let mut functions: Vec<&str> = functions.split_inclusive("\n}\n").collect();
    functions.reverse();
    format!("{head}{}", functions.concat())
}
