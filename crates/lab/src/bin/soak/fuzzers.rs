//! The fuzzers of the test suite, each a test executable that was built once.
//!
//! Those that use `arbtest` make up their own seeds, and print the one that fails; `ARBTEST_SEED`
//! repeats it. The low half of such a seed is the length of the random text behind it, so that a
//! shorter one that fails in the same place is a smaller reproducer. The others take `WHET_SEED`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use lab::csmith;
use serde_json::Value;

use crate::finding::{Finding, Findings};
use crate::process::{self, Ended};

/// Where seeds come from.
#[derive(Clone, Copy)]
enum Seeds {
    /// From `arbtest`.
    Own,
    /// From us, with as many rounds.
    Ours { rounds: u64 },
    /// From us, for a program of csmith.
    Program { text: fn(u64) -> String },
}

/// A fuzzer: its crate, the target (`lib` for unit tests), the test, and its seeds.
const FUZZERS: [(&str, &str, &str, Seeds); 16] = [
    ("bv", "soundness", "smoke", Seeds::Own),
    ("ir", "lib", "random::tests", Seeds::Own),
    ("ir", "lib", "observe::tests::what_is_laid_out_is_seen_again", Seeds::Own),
    ("ir", "lib", "order::tests::smoke", Seeds::Own),
    ("smt", "meaning", "smoke", Seeds::Own),
    ("smt", "floats", "smoke", Seeds::Own),
    ("stages", "eight_bits", "", Seeds::Own),
    ("stages", "encoder", "", Seeds::Own),
    ("stages", "any_size", "", Seeds::Own),
    ("llvm", "generated", "smoke", Seeds::Ours { rounds: 4 }),
    ("whet", "canonical", "", Seeds::Ours { rounds: 1 }),
    ("whet", "inductive", "", Seeds::Ours { rounds: 1 }),
    ("whet", "csmith", "a_whole_program", Seeds::Program { text: |seed| csmith::text(seed, csmith::LARGE) }),
    ("whet", "csmith", "a_whole_program", Seeds::Program { text: |seed| csmith::text(seed, csmith::WHOLE) }),
    (
        "whet",
        "csmith",
        "whatever_is_said",
        Seeds::Program { text: |seed| csmith::exposed(&csmith::text(seed, csmith::MEDIUM)) },
    ),
    (
        "whet",
        "csmith",
        "whatever_is_said",
        Seeds::Program { text: |seed| csmith::exposed(&csmith::text(seed, csmith::SMALL)) },
    ),
];

/// Programs of csmith for each round of the others.
const PROGRAMS: u64 = 6;

/// The longest round takes two minutes on a machine with nothing else to do.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// For finding a shorter seed.
const MINIMISATION: Duration = Duration::from_secs(60);

pub(crate) struct Fuzzer {
    package: &'static str,
    target: &'static str,
    test: &'static str,
    seeds: Seeds,
    executable: PathBuf,
    /// Where cargo would run it.
    folder: PathBuf,
}

/// Builds all of them, as `cargo test` does.
pub(crate) fn build(root: &Path) -> Result<Vec<Fuzzer>> {
    let mut command = Command::new("cargo");
    command.current_dir(root).args([
        "test",
        "--tests",
        "--no-run",
        "--message-format=json-render-diagnostics",
    ]);
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    ensure!(output.status.success(), "cargo test --no-run: {}", output.status);
    let text = String::from_utf8(output.stdout)?;
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let fuzzer = |(package, target, test, seeds): (&'static str, &'static str, &'static str, Seeds)| {
        let folder = root.join("crates").join(package);
        let is_it = |message: &&Value| {
            let kind = if target == "lib" { "lib" } else { "test" };
            message["manifest_path"].as_str() == folder.join("Cargo.toml").to_str()
                && message["target"]["kind"][0] == kind
                && (kind == "lib" || message["target"]["name"] == target)
                && message["executable"].is_string()
        };
        let built = messages.iter().find(is_it).and_then(|message| message["executable"].as_str());
        let executable =
            PathBuf::from(built.with_context(|| format!("there is no test {package}/{target}"))?);
        Ok(Fuzzer { package, target, test, seeds, executable, folder })
    };
    FUZZERS.into_iter().map(fuzzer).collect()
}

impl Fuzzer {
    pub(crate) fn name(&self) -> &'static str {
        if self.target == "lib" { self.package } else { self.target }
    }

    /// One round, with seeds from this one on.
    pub(crate) fn round(&self, seed: u64, findings: &mut Findings) -> Result<()> {
        match self.seeds {
            Seeds::Own => {
                let ended = self.run(&[])?;
                let Some(signature) = failure(&ended) else { return Ok(()) };
                let short = own_seed(&ended.said).map(|seed| self.shorter(seed, &signature)).transpose()?;
                let variables = short.map_or(String::new(), |seed| format!("ARBTEST_SEED={seed:#018x} "));
                self.report(&ended, signature, variables, None, findings)
            }
            Seeds::Ours { rounds } => {
                let variables = [("WHET_SEED", seed), ("WHET_ROUNDS", rounds)];
                let ended = self.run(&variables.map(|(name, value)| (name, value.to_string())))?;
                let Some(signature) = failure(&ended) else { return Ok(()) };
                let variables = format!("WHET_SEED={seed} WHET_ROUNDS={rounds} ");
                self.report(&ended, signature, variables, None, findings)
            }
            Seeds::Program { text } => (seed..seed + PROGRAMS).try_for_each(|seed| {
                let (folder, program) = (tempfile::tempdir()?, text(seed));
                let file = folder.path().join("program.c");
                std::fs::write(&file, &program)?;
                let given = ("WHET_FILE", file.display().to_string());
                let ended = self.run(&[given, ("WHET_SEED", seed.to_string())])?;
                let Some(signature) = failure(&ended) else { return Ok(()) };
                let variables = format!("WHET_FILE={{program}} WHET_SEED={seed} ");
                self.report(&ended, signature, variables, Some(program), findings)
            }),
        }
    }

    fn run(&self, variables: &[(&str, String)]) -> Result<Ended> {
        let mut command = Command::new(&self.executable);
        // One at a time: the machine is for others, too.
        command.args(["--test-threads", "1", self.test]).current_dir(&self.folder);
        command.env("RAYON_NUM_THREADS", "1").env("RUST_BACKTRACE", "0");
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        process::run(&mut command, PATIENCE)
    }

    fn report(
        &self,
        ended: &Ended,
        signature: String,
        variables: String,
        program: Option<String>,
        findings: &mut Findings,
    ) -> Result<()> {
        let package =
            if self.package == "whet" { "whet".to_string() } else { format!("whet-{}", self.package) };
        let target =
            if self.target == "lib" { "--lib".to_string() } else { format!("--test {}", self.target) };
        let repeat = format!("{variables}cargo test -p {package} {target} {}", self.test);
        let (folder, executable) = (self.folder.display(), self.executable.display());
        let again = format!("cd {folder} && {variables}{executable} --test-threads 1 {}", self.test);
        let (oracle, seen) = (self.name(), ended.said.as_str());
        findings.add(&Finding { oracle, signature, seen, repeat, again, program })
    }

    /// A seed with a shorter text that fails in the same place.
    fn shorter(&self, mut seed: u64, signature: &str) -> Result<u64> {
        let started = Instant::now();
        let mut random = fastrand::Rng::with_seed(seed);
        while started.elapsed() < MINIMISATION {
            let length = seed & u64::from(u32::MAX);
            let shorter = if random.bool() { length / 2 } else { length * 9 / 10 };
            let candidate = u64::from(random.u32(..)) << 32 | shorter;
            let ended = self.run(&[("ARBTEST_SEED", format!("{candidate:#018x}"))])?;
            if failure(&ended).as_deref() == Some(signature) {
                seed = candidate;
            }
        }
        Ok(seed)
    }
}

/// What marks the failure of a run, if it is one. That a busy machine let too little happen is none.
fn failure(ended: &Ended) -> Option<String> {
    if ended.code == Some(0) {
        return None;
    }
    if ended.stopped {
        return Some("it took too long".to_string());
    }
    let place = ended.said.split("panicked at ").nth(1).and_then(|rest| rest.lines().next());
    let message =
        ended.said.split("panicked at ").nth(1).and_then(|rest| rest.lines().nth(1)).unwrap_or_default();
    let idle = message.starts_with("too little") || message.starts_with("only ");
    match place {
        Some(_) if idle => None,
        Some(place) => Some(place.trim_end_matches(':').to_string()),
        None => Some(format!("it ended with {:?}", ended.code)),
    }
}

/// The seed that `arbtest` prints: a number between colours.
fn own_seed(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("Seed: ")?;
    let (_, digits) = rest.split_once("0x")?;
    let digits: String = digits.chars().take_while(char::is_ascii_hexdigit).collect();
    u64::from_str_radix(&digits, 16).ok()
}
