//! All flags, with their documentation and defaults.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use bv::Stop;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::imported::{self, Imported};
use crate::select::Lines;
use crate::settings;

/// The codes of `Exit`, in words.
const EXIT_CODES: &str = "\
Exit codes:
  0   every mutant is settled, and the score is good enough
  1   Whet could not run: wrong usage, or the C does not compile
  2   the score is below --min-score, or mutants survive the tests of --with-tests
  3   some mutants are open or limited, and --allow-open or --allow-limited is not given
  4   the original fails tests: yours, those of an earlier run, or those of --reference;
      or it breaks a rule of C on the way to a mutant, and --strict-original is given
  70  a bug in Whet: please report it";

/// The exit codes of `whet diff`.
const DIFF_CODES: &str = "\
Exit codes:
  0   equal
  1   Whet could not run: wrong usage, or the C does not compile
  2   different
  3   limited or unknown
  70  a bug in Whet: please report it";

#[derive(Parser, Debug)]
#[command(
    name = "whet",
    version,
    about = "Sharpens tests for C: every mutant gets a test that kills it, or a proof that none can.",
    after_help = EXIT_CODES
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one in a run of Whet")]
pub(crate) enum Command {
    /// Settle every mutant of a C file, and write tests
    #[command(after_help = EXIT_CODES)]
    Run(Run),
    /// Tell whether two versions of a file do the same; if not, show an input on which they differ
    #[command(after_help = DIFF_CODES)]
    Diff(Diff),
    /// List the mutants, one line each
    List(List),
    /// Show a mutant as a diff that `patch` applies
    Show(Show),
    /// Write one LLVM module with all mutants. The environment variable WHET_MUTANT chooses which one runs
    Meta(Meta),
    /// List the mutation operators
    Operators,
    /// Print all settings, and where each comes from: the command line, whet.toml or a default
    Config(Config),
    /// Find or delete the store, which keeps the verdicts of earlier runs
    Store(Store),
    /// Print completions for a shell. Save them where your shell looks for completions
    Completions(Completions),
    /// Print a manual page
    Man(Man),
}

/// All commands, with the flags that follow from others.
pub(crate) fn command() -> clap::Command {
    settings::complete(Arguments::command())
}

/// The operators that are used by default.
const DEFAULT: &str = "default";

/// Which mutants: the same flags for every command, so that the numbers agree.
#[derive(Args, Clone, Debug)]
pub(crate) struct Selection {
    /// The C file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Only this function (may be given several times)
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,

    /// Mutation operators: sets and names from `whet operators`, such as `default,-SDL` or `seed,LCR`
    #[arg(long, value_name = "LIST", default_value = DEFAULT, allow_hyphen_values = true)]
    pub operators: String,

    /// Also mutate functions in your own headers (never in those of the system)
    #[arg(long)]
    pub headers: bool,

    /// Also settle mutants of another tool. DIR contains mutated copies of FILE, or patches. These mutants
    /// come after Whet's own. With `--operators none`, they are the only ones
    #[arg(long, value_name = "DIR")]
    pub mutants: Option<PathBuf>,

    /// What signed overflow means in the original
    #[arg(long, value_enum, default_value_t = Overflow::Undefined)]
    pub overflow: Overflow,
}

/// Which part of these mutants. Their numbers stay the same.
#[derive(Args, Debug)]
pub(crate) struct Part {
    /// Leave this function out (may be given several times)
    #[arg(long = "exclude", value_name = "NAME")]
    pub excluded: Vec<String>,

    /// Only mutants in these lines, such as 10-40 or 7 (may be given several times)
    #[arg(long, value_name = "LINES", value_delimiter = ',')]
    pub lines: Vec<Lines>,

    /// Only mutants in lines that this unified diff adds or changes (`-` reads standard input)
    #[arg(long, value_name = "FILE")]
    pub in_diff: Option<PathBuf>,

    /// Only mutants in lines that differ from this commit, branch or tag of git
    #[arg(long, value_name = "GITREF")]
    pub since: Option<String>,
}

/// What comes after `--`. A struct of its own, because it has to come last.
#[derive(Args, Debug)]
pub(crate) struct Flags {
    /// Flags for clang, after `--`, such as `-I include -DNDEBUG`
    #[arg(last = true, value_name = "CFLAGS")]
    pub flags: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Overflow {
    /// An input that causes it is never a test (as in ISO C)
    Undefined,
    /// It wraps around (as with -fwrapv)
    Wrap,
}

/// Which inputs there are, and how far to search.
#[derive(Args, Debug)]
pub(crate) struct Search {
    /// How many rounds of a loop to search
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub bound: u32,

    /// The most elements in a buffer that a pointer leads to
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub size: u32,

    /// How deep pointers are nested: with 2, a pointer leads to pointers that lead to values. Deeper ones are
    /// null
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=ir::Space::DEEPEST.into()))]
    pub depth: u32,

    /// How much memory the search may use, such as 500M or 4G. A mutant that needs more is open. Whet counts
    /// what it builds, so the verdicts are the same on every machine
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = memory)]
    pub memory: bv::Memory,

    /// Two pointer parameters that may lead to the same buffer (may be given several times)
    #[arg(long, value_name = "A,B")]
    pub may_alias: Vec<String>,

    /// Ask Z3 about loops that nothing else settles, with Horn clauses (slow, and rarely useful)
    #[arg(long)]
    pub horn: bool,

    /// The most tests for one parametric mutant (PAR). If they are not enough, Whet says so
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub parametric_tests: u32,

    /// Call a parametric mutant (PAR) open if the tests do not kill every value of its parameter
    #[arg(long)]
    pub strict_parametric: bool,

    /// A global variable that is an input: tests set it before the call (may be given several times)
    #[arg(long = "global", value_name = "NAME")]
    pub globals: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    #[command(flatten)]
    pub selection: Selection,

    #[command(flatten)]
    pub part: Part,

    #[command(flatten)]
    pub search: Search,

    /// Your own tests: C files with a `main`, and everything that they need except FILE. Mutants that they
    /// kill are credited to them. Whet writes tests for the others
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub with_tests: Vec<PathBuf>,

    /// What is right: a C file with the same functions, or a program. The program gets the name of a function
    /// and its arguments, and prints the result. Tests expect what the reference does. If FILE does something
    /// else, Whet reports that first
    #[arg(long, value_name = "FILE")]
    pub reference: Option<PathBuf>,

    /// Which mutants in `static` functions are also judged by calls of the function itself. The tests for
    /// that include FILE
    #[arg(long = "static", value_enum, value_name = "WHICH", default_value_t = Static::Alone)]
    pub statics: Static,

    /// The framework that tests are written for
    #[arg(long, value_enum, value_name = "FRAMEWORK", default_value_t = Tests::Unity)]
    pub tests: Tests,

    /// The folder for the tests, verdicts.json and the reports
    #[arg(long, value_name = "DIR", default_value = "whet-out")]
    pub out: PathBuf,

    /// The reports to write besides verdicts.json: json, html, sarif, junit, markdown; or none
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "json,html")]
    pub reports: Vec<String>,

    /// Also write the inputs of the tests for other tools: ktest (KLEE), testcomp (Test-Comp), libfuzzer; or
    /// none
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "none")]
    pub export: Vec<String>,

    /// The lowest score that is good enough, in percent. Below it, the exit code is 2. Open and limited
    /// mutants count as alive
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub min_score: Option<f64>,

    /// Accept open mutants: they do not cause exit code 3
    #[arg(long)]
    pub allow_open: bool,

    /// Accept limited mutants: they do not cause exit code 3
    #[arg(long)]
    pub allow_limited: bool,

    /// Do not report where the original breaks a rule of C on the way to a mutant
    #[arg(long)]
    pub allow_undefined: bool,

    /// End with exit code 4 if the original breaks a rule of C on the way to a mutant
    #[arg(long, conflicts_with = "allow_undefined")]
    pub strict_original: bool,

    /// End the run after this time, such as 90s, 5m or 1h. Tests and reports are written for what is
    /// settled by then; the rest is open. The next run continues from there
    #[arg(long, value_name = "TIME", value_parser = crate::deadline::time)]
    pub time: Option<Duration>,

    /// How many threads to use (default: all cores). The verdicts do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,

    /// Use no verdicts of earlier runs, and keep none for the next
    #[arg(long)]
    pub no_store: bool,

    /// Confirm every proof with another solver (z3, cvc5, …)
    #[arg(long)]
    pub double_check: bool,

    /// Only these stages, in this order (simulate, hunt, canonical, inductive, bounded)
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide = true)]
    pub stages: Vec<String>,

    /// Print how long each step took
    #[arg(long)]
    pub timings: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    pub clang: Flags,
}

/// Which mutants calls of the static function itself are to judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Static {
    /// None
    None,
    /// Those that no function leads to that other files can call, and those that all of these leave open
    Alone,
    /// The limited ones, too
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Tests {
    /// Unity, also for Ceedling
    Unity,
    /// CMocka
    Cmocka,
    /// GoogleTest, in C++20
    Gtest,
    /// Plain C with `assert`
    C,
}

impl Tests {
    pub(crate) fn framework(self) -> testgen::Framework {
        match self {
            Tests::Unity => testgen::Framework::Unity,
            Tests::Cmocka => testgen::Framework::Cmocka,
            Tests::Gtest => testgen::Framework::Gtest,
            Tests::C => testgen::Framework::C,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct Diff {
    /// The C file with the old version
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The C file with the new version
    #[arg(value_name = "NEW")]
    pub new: PathBuf,

    /// Only this function, or a pair `old_name=new_name` (may be given several times; default: all that
    /// other files can call)
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,

    /// What signed overflow means in the old version
    #[arg(long, value_enum, default_value_t = Overflow::Undefined)]
    pub overflow: Overflow,

    #[command(flatten)]
    pub search: Search,

    /// The framework that a test for a difference is written for
    #[arg(long, value_enum, value_name = "FRAMEWORK", default_value_t = Tests::Unity)]
    pub tests: Tests,

    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Confirm every proof with another solver (z3, cvc5, …)
    #[arg(long)]
    pub double_check: bool,

    /// Only these stages, in this order (simulate, hunt, canonical, inductive, bounded)
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide = true)]
    pub stages: Vec<String>,

    #[command(flatten)]
    pub clang: Flags,
}

#[derive(Args, Debug)]
pub(crate) struct List {
    #[command(flatten)]
    pub selection: Selection,

    #[command(flatten)]
    pub part: Part,

    /// How to print the list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    #[command(flatten)]
    pub clang: Flags,
}

#[derive(Args, Debug)]
pub(crate) struct Show {
    #[command(flatten)]
    pub selection: Selection,

    /// The number of the mutant, as `whet list` prints it
    #[arg(value_name = "N")]
    pub number: usize,

    #[command(flatten)]
    pub clang: Flags,
}

/// Also takes all flags that `whet.toml` can set.
#[derive(Args, Debug)]
pub(crate) struct Config {
    /// Look for whet.toml from this C file upwards (default: from the current folder)
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Print a JSON Schema for whet.toml, for editors
    #[arg(long)]
    pub schema: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Store {
    #[arg(value_enum)]
    pub action: StoreAction,

    /// Look for whet.toml from this C file upwards (default: from the current folder)
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StoreAction {
    /// Print where the store is, or would be
    Path,
    /// Delete the store
    Clear,
}

#[derive(Args, Debug)]
pub(crate) struct Completions {
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct Man {
    /// The command to describe (default: Whet itself)
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Meta {
    #[command(flatten)]
    pub selection: Selection,

    /// The file to write (default: standard output)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub clang: Flags,
}

/// With less than this, nothing is settled.
const LEAST_MEMORY: u64 = 16 << 20;

fn percent(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "a score is a number from 0 to 100".to_string())
}

/// A number of bytes, with K, M or G for 2^10, 2^20 or 2^30 of them.
fn memory(text: &str) -> Result<bv::Memory, String> {
    let units = [("K", 10), ("M", 20), ("G", 30), ("", 0)];
    let split = units.into_iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)));
    let bytes = split.and_then(|(number, shift)| number.parse::<u64>().ok()?.checked_mul(1 << shift));
    let enough = bytes.filter(|bytes| *bytes >= LEAST_MEMORY);
    enough.map(bv::Memory).ok_or_else(|| "give at least 16M, as in 500M or 4G".to_string())
}

/// The clang that the user wants.
pub(crate) fn chosen_clang() -> Option<llvm::Clang> {
    std::env::var_os("WHET_CLANG").map(|program| llvm::Clang { program })
}

impl Selection {
    /// The selection to use with a reference: SCI looks for forgotten cases, unless the user chose the
    /// operators.
    pub(crate) fn beside_reference(&self, has_reference: bool) -> Selection {
        let mut selection = self.clone();
        if has_reference && self.operators == DEFAULT {
            selection.operators = format!("{DEFAULT},{}", llvm::Operator::Sci.name());
        }
        selection
    }

    /// What to compile and which mutants to seed, with other versions of the file beside it.
    pub(crate) fn options(
        &self,
        clang: &Flags,
        versions: Vec<llvm::Version>,
    ) -> anyhow::Result<llvm::Options> {
        let operators = llvm::Operators::parse(&self.operators).context("in --operators")?;
        let overflow = match self.overflow {
            Overflow::Undefined => llvm::Overflow::Undefined,
            Overflow::Wrap => llvm::Overflow::Wrap,
        };
        Ok(llvm::Options {
            file: self.file.clone(),
            clang: chosen_clang(),
            flags: clang.flags.clone(),
            overflow,
            operators,
            functions: self.functions.clone(),
            headers: self.headers,
            versions,
        })
    }

    /// The mutants, without their meaning.
    pub(crate) fn list(&self, clang: &Flags) -> anyhow::Result<llvm::Listing> {
        let imported = self.imported()?;
        let mut listing = llvm::list(&self.options(clang, copies(&imported))?)?;
        self.tell(&imported, &mut listing);
        Ok(listing)
    }

    /// Compiles the file and seeds the mutants. Mutated copies are left out when somebody says stop.
    pub(crate) fn load(
        &self,
        clang: &Flags,
        versions: Vec<llvm::Version>,
        stop: &Stop,
    ) -> anyhow::Result<llvm::Unit> {
        let imported = self.imported()?;
        let versions = copies(&imported).into_iter().chain(versions).collect();
        let mut unit = llvm::load_until(&self.options(clang, versions)?, stop)?;
        self.tell(&imported, &mut unit);
        Ok(unit)
    }

    fn imported(&self) -> anyhow::Result<Option<Imported>> {
        self.mutants.as_deref().map(|folder| imported::find(&self.file, folder)).transpose()
    }

    /// Reports imported mutants that cannot be used and comments that suppress no mutant. Notes for each
    /// imported mutant where it comes from.
    fn tell(&self, imported: &Option<Imported>, listing: &mut llvm::Listing) {
        if let Some(imported) = imported {
            imported.tell(listing);
            imported.sign(listing);
        }
        for idle in &listing.idle {
            let file = idle.header.clone().unwrap_or_else(|| self.name());
            eprintln!("whet: {file}:{}: {}", idle.line, idle.why);
        }
    }

    /// The file as the user named it.
    pub(crate) fn name(&self) -> String {
        self.file.display().to_string()
    }

    /// The file's own name, without its folder.
    pub(crate) fn file_name(&self) -> String {
        self.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The mutated copies of the file, as other versions of it.
fn copies(imported: &Option<Imported>) -> Vec<llvm::Version> {
    imported.iter().flat_map(|imported| imported.versions.clone()).collect()
}
