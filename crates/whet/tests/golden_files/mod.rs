//! Reading golden files, running Whet on them, and checking the tests that it writes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use lab::fetched::unity;

/// All golden files: the examples, and what stands beside this test.
pub(crate) fn golden_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("../../examples"), root.join("tests/golden"), root.join("tests/golden/gaps")];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    files.sort();
    assert!(files.len() > 8, "the golden files are missing");
    files
}

pub(crate) struct Golden {
    pub path: PathBuf,
    pub text: String,
}

/// What Whet did with a golden file.
pub(crate) struct Run {
    pub json: Value,
    /// The written test file, if there is one.
    pub tests: Option<String>,
    /// The same with the tests that include the golden file.
    pub inside: Option<String>,
    pub printed: String,
    folder: tempfile::TempDir,
}

impl Golden {
    pub(crate) fn read(path: &Path) -> Golden {
        let text = std::fs::read_to_string(path).expect("a golden file can be read");
        Golden { path: path.to_path_buf(), text }
    }

    /// Flags that the file asks for, in a line `//~ flags: --overflow wrap`. If
    /// it says nothing else, the operators are the few of the papers: most
    /// files are about what happens to mutants, and not about which there are.
    fn flags(&self) -> Vec<&str> {
        let line = self.text.lines().find_map(|line| line.strip_prefix("//~ flags:"));
        let mut flags: Vec<&str> = line.map_or(vec![], |flags| flags.split_whitespace().collect());
        if !flags.contains(&"--operators") {
            flags.extend(["--operators", "seed"]);
        }
        flags
    }

    /// Those of them that choose the mutants, which every command takes.
    fn selection(&self) -> Vec<&str> {
        let flags = self.flags();
        let chooses = |pair: &&[&str]| ["--overflow", "--operators", "--function"].contains(&pair[0]);
        flags.chunks(2).filter(chooses).flatten().copied().collect()
    }

    /// The file with its comments as this run would have them.
    pub(crate) fn with_verdicts(&self, run: &Run) -> String {
        let mut out = String::new();
        for (at, line) in self.text.lines().enumerate() {
            let bare = match line.find("//~") {
                Some(_) if line.starts_with("//~ flags:") => line,
                Some(comment) => line[..comment].trim_end(),
                None => line,
            };
            out.push_str(bare);
            if let Some(comment) = run.comment(at + 1) {
                out.push_str(&format!("  //~ {comment}"));
            }
            out.push('\n');
        }
        out
    }
}

impl Run {
    pub(crate) fn new(golden: &Golden, flags: &[&str]) -> Run {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let home = folder.path().to_path_buf();
        Run::from(golden, flags, folder, &home)
    }

    /// The same once more, from where the first run has left what it knows.
    pub(crate) fn again(&self, golden: &Golden) -> Run {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        Run::from(golden, &[], folder, self.folder.path())
    }

    fn from(golden: &Golden, flags: &[&str], folder: tempfile::TempDir, home: &Path) -> Run {
        let output = whet()
            .arg("run")
            .arg(&golden.path)
            .args(golden.flags())
            .args(flags)
            .arg("--out")
            .arg(folder.path())
            .current_dir(home)
            .output()
            .expect("whet runs");
        let text = std::fs::read_to_string(folder.path().join("verdicts.json"));
        let text = text.unwrap_or_else(|_| panic!("{}: {}", golden.path.display(), said(&output)));
        let json: Value = serde_json::from_str(&text).expect("verdicts.json is JSON");
        let count = |what: &str| json["summary"][what].as_u64().expect("a count");
        assert_eq!(count("refuted"), 0, "{}: {}", golden.path.display(), said(&output));
        let is_left = count("open") + count("limited") > 0;
        assert_eq!(output.status.code(), Some(if is_left { 3 } else { 0 }), "{}", said(&output));
        let stem = golden.path.file_name().expect("a file").to_string_lossy();
        let written = |name: String| std::fs::read_to_string(folder.path().join(name)).ok();
        let tests = written(format!("test_{stem}"));
        let inside = written(format!("test_{}", inside_of(&stem)));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        Run { json, tests, inside, printed, folder }
    }

    /// What is known of each mutant.
    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        self.mutants().map(kind).collect()
    }

    fn mutants(&self) -> impl Iterator<Item = &Value> {
        self.json["mutants"].as_array().expect("an array").iter()
    }

    /// What to say of the mutants of a line: so many killed, and each of the others.
    fn comment(&self, line: usize) -> Option<String> {
        let here: Vec<&Value> = self.mutants().filter(|mutant| mutant["line"] == line).collect();
        if here.is_empty() {
            return None;
        }
        let killed = here.iter().filter(|mutant| self::kind(mutant) == "killed").count();
        let mut parts = vec![format!("{killed} killed")];
        let alone = here.iter().filter(|mutant| self::kind(mutant) == "alone").count();
        parts.extend((alone > 0).then(|| format!("{alone} alone")));
        for kind in ["equivalent", "limited", "open"] {
            let names: Vec<String> =
                here.iter().filter(|mutant| self::kind(mutant) == kind).map(|mutant| name(mutant)).collect();
            if !names.is_empty() {
                parts.push(format!("{kind}: {}", names.join(", ")));
            }
        }
        Some(parts.join("; "))
    }

    /// Builds the tests that include the file as they say, with the file as it is and with each mutant that
    /// they are to kill.
    pub(crate) fn check_inside(&self, golden: &Golden) {
        let Some(tests) = &self.inside else { return };
        let (unity, folder) = (unity(), self.folder.path());
        let name = golden.path.file_name().expect("a file").to_string_lossy().into_owned();
        let source = folder.join("inside").join(&name);
        std::fs::create_dir_all(folder.join("inside")).expect("a folder can be made");
        std::fs::write(folder.join("inside/tests.c"), tests).expect("a file can be written");
        let run = |compiler: &str, text: &str| {
            std::fs::write(&source, text).expect("a file can be written");
            let program = folder.join("inside/tests");
            let output = Command::new(compiler)
                .args(["-O0", "-fno-builtin", "-w", "-I."])
                .arg("-I")
                .arg(&unity)
                .arg("tests.c")
                .arg(unity.join("unity.c"))
                .args(["-lm", "-o"])
                .arg(&program)
                .current_dir(folder.join("inside"))
                .output();
            let output = output.ok()?;
            assert!(output.status.success(), "{}: {}", golden.path.display(), said(&output));
            Some(Command::new("timeout").arg("20").arg(&program).output().expect("the tests run"))
        };
        // Clang is there, or Whet would not run; the other need not be.
        for output in ["clang-19", "gcc"].iter().filter_map(|compiler| run(compiler, &golden.text)) {
            assert!(output.status.success(), "{}: {}", golden.path.display(), said(&output));
        }
        let is_shown = |mutant: &&Value| {
            let method = text(&mutant["method"]);
            !method.contains("-fsanitize") && !method.ends_with(UNSEEN)
        };
        let alone = self.mutants().filter(|mutant| mutant["status"] == "killed" && kind(mutant) == "alone");
        for mutant in alone.filter(is_shown) {
            let output = run("clang-19", &changed(&golden.text, mutant)).expect("clang runs");
            assert!(!output.status.success(), "{}: the tests pass on {mutant}", golden.path.display());
        }
    }

    /// Builds the written tests with Unity and the meta-mutant, and runs them for every claim.
    pub(crate) fn check_tests(&self, golden: &Golden) {
        let Some(_) = &self.tests else { return };
        let unity = unity();
        let folder = self.folder.path();
        let meta = folder.join("meta.ll");
        let output =
            whet().arg("meta").arg(&golden.path).args(golden.selection()).arg("-o").arg(&meta).output();
        assert!(output.expect("whet runs").status.success());
        // As the tests say.
        let module = std::fs::read_to_string(&meta).expect("it was just written");
        std::fs::write(&meta, module.replace("@main(", "@program_main(")).expect("a file can be written");
        let select = folder.join("select.c");
        std::fs::write(&select, SELECT).expect("a file can be written");
        let stem = golden.path.file_name().expect("a file").to_string_lossy().into_owned();
        let program = folder.join("tests");
        self.check_warnings(&unity, &folder.join(format!("test_{stem}")));
        let output = Command::new("clang-19")
            .args(["-O0", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-Wno-override-module", "-I"])
            .arg(&unity)
            .args([&folder.join(format!("test_{stem}")), &meta, &select, &unity.join("unity.c")])
            .args(["-lm", "-o"])
            .arg(&program)
            .output()
            .expect("clang runs");
        assert!(output.status.success(), "{}: {}", golden.path.display(), said(&output));
        let run =
            |mutant: &str| Command::new(&program).env("WHET_MUTANT", mutant).output().expect("the tests run");

        let original = run("0");
        assert!(original.status.success(), "{}: {}", golden.path.display(), said(&original));
        let is_killed = |mutant: &&Value| mutant["status"] == "killed" && kind(mutant) == "killed";
        let all_killed = self.mutants().filter(is_killed);
        let (unseen, seen): (Vec<&Value>, Vec<&Value>) =
            all_killed.partition(|mutant| text(&mutant["method"]).ends_with(UNSEEN));
        for mutant in unseen {
            assert_eq!(mutant["killed_by"], Value::Array(vec![]), "{}: {mutant}", golden.path.display());
        }
        let (soft, killed): (Vec<&Value>, Vec<&Value>) =
            seen.into_iter().partition(|mutant| text(&mutant["method"]).contains("-fsanitize"));
        // To build each takes a second, so a few of each sanitizer stand for all.
        for (sanitizer, flags) in SANITIZERS {
            let flag = format!("-fsanitize={sanitizer} at -O0)");
            let mut those = soft.iter().filter(|mutant| text(&mutant["method"]).ends_with(&flag)).peekable();
            if those.peek().is_some() {
                let output = self.run_sanitised(golden, &unity, flags, &golden.text);
                assert!(output.status.success(), "{}: {}", golden.path.display(), said(&output));
            }
            for mutant in those.take(2) {
                self.check_sanitised(golden, &unity, flags, mutant);
            }
        }
        self.check_leaks(golden, &unity);
        for mutant in killed {
            let output = run(&mutant["id"].to_string());
            assert!(!output.status.success(), "{}: the tests pass on mutant {mutant}", golden.path.display());
            // A test that is said to kill must be the one that fails, unless the program stopped before.
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            let killers = mutant["killed_by"].as_array().expect("an array");
            let failed = |name: &Value| printed.contains(&format!(":{}:FAIL", text(name)));
            let stopped = output.status.code().is_none_or(|code| code >= 100);
            assert!(stopped || killers.iter().all(failed), "{}: {mutant}\n{printed}", golden.path.display());
            // Unity returns how many failed, and each of them has a line.
            let lines = i32::try_from(printed.matches(":FAIL").count()).expect("few lines");
            assert!(stopped || output.status.code() == Some(lines), "{}: {printed}", golden.path.display());
        }
        let is_alive = |mutant: &&Value| ["equivalent", "limited"].contains(&kind(mutant));
        for mutant in self.mutants().filter(is_alive) {
            let output = run(&mutant["id"].to_string());
            assert!(output.status.success(), "{}: a test fails on {mutant}", golden.path.display());
        }
    }
}

impl Run {
    /// The compilers that people have warn of nothing.
    fn check_warnings(&self, unity: &Path, tests: &Path) {
        for compiler in ["clang-19", "gcc"] {
            let output = Command::new(compiler)
                .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "-o", "/dev/null", "-I"])
                .args([unity, tests])
                .output();
            // Clang is there, or Whet would not run; the other need not be.
            let Ok(output) = output else { continue };
            assert!(output.status.success(), "{compiler}: {}", said(&output));
        }
    }

    /// Changes the source as the mutant does, builds it and the tests with the
    /// sanitizer that the verdict names, and expects it to stop a test.
    fn check_sanitised(&self, golden: &Golden, unity: &Path, flags: &[&str], mutant: &Value) {
        let output = self.run_sanitised(golden, unity, flags, &changed(&golden.text, mutant));
        assert!(!output.status.success(), "{}: nothing stops mutant {mutant}", golden.path.display());
    }

    /// Builds a source and the tests with these flags, and runs them.
    fn run_sanitised(&self, golden: &Golden, unity: &Path, flags: &[&str], text: &str) -> Output {
        let program = self.sanitised(golden, unity, flags, text);
        Command::new(&program).env("ASAN_OPTIONS", "detect_leaks=0").output().expect("it runs")
    }

    /// Tests that have to do with the heap leave nothing behind, and touch nothing that they should not.
    fn check_leaks(&self, golden: &Golden, unity: &Path) {
        if !self.tests.as_ref().is_some_and(|tests| tests.contains("#include <stdlib.h>")) {
            return;
        }
        let program = self.sanitised(golden, unity, &["-fsanitize=address"], &golden.text);
        let output = Command::new(&program).output().expect("it runs");
        assert!(output.status.success(), "{}: {}", golden.path.display(), said(&output));
    }

    /// The tests, built with a source and these flags.
    fn sanitised(&self, golden: &Golden, unity: &Path, flags: &[&str], text: &str) -> PathBuf {
        let folder = self.folder.path();
        let source = folder.join("changed.c");
        std::fs::write(&source, text).expect("a file can be written");
        // The tests have a `main` of their own.
        let object = folder.join("changed.o");
        let mut compile = Command::new("clang-19");
        compile.args(["-O0", "-fno-builtin", "-w", "-c"]).args(flags).arg(&source).arg("-o").arg(&object);
        let mut rename = Command::new("objcopy");
        rename.args(["--redefine-sym", "main=program_main"]).arg(&object);
        for command in [&mut compile, &mut rename] {
            let output = command.output().expect("a compiler is there");
            assert!(output.status.success(), "{}: {}", golden.path.display(), said(&output));
        }
        let stem = golden.path.file_name().expect("a file").to_string_lossy().into_owned();
        let program = folder.join("sanitised");
        let output = Command::new("clang-19")
            .args(["-O0", "-fno-builtin", "-w"])
            .args(flags)
            .arg("-I")
            .arg(unity)
            .args([&folder.join(format!("test_{stem}")), &object, &unity.join("unity.c")])
            .args(["-lm", "-o"])
            .arg(&program)
            .output()
            .expect("clang runs");
        assert!(output.status.success(), "{}: {}", golden.path.display(), said(&output));
        program
    }
}

/// What the name of the tests ends with that include a file.
fn inside_of(name: &str) -> String {
    format!("{}_inside.c", name.strip_suffix(".c").unwrap_or(name))
}

/// How to build the tests so that the mutants of a sanitizer die. The book has
/// the flags for undefined behaviour.
const SANITIZERS: [(&str, &[&str]); 3] = [
    ("address", &["-fsanitize=address"]),
    (
        "undefined",
        &[
            "-fsanitize=address,undefined",
            "-fno-sanitize=shift-base,pointer-overflow",
            "-fno-sanitize-recover=all",
            "-fstrict-flex-arrays=1",
        ],
    ),
    ("memory", &["-fsanitize=memory"]),
];

/// How the method of a mutant ends that breaks C's rules where no tool is sure to notice.
const UNSEEN: &str = "(undefined: a binary may go on)";

/// The text with the change of a mutant.
fn changed(source: &str, mutant: &Value) -> String {
    let number = |key: &str| mutant[key].as_u64().expect("a number") as usize;
    let place = |line: usize, column: usize| {
        let before: usize = source.split_inclusive('\n').take(line - 1).map(str::len).sum();
        before + column - 1
    };
    let (start, end) =
        (place(number("line"), number("column")), place(number("end_line"), number("end_column")));
    format!("{}{}{}", &source[..start], text(&mutant["replacement"]), &source[end..])
}

/// Chooses the mutant by the environment, and ends a test that hangs. Tests may have a `getenv` of their own.
const SELECT: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
extern int __whet_mutant;
extern unsigned long __whet_fuel;
__attribute__((constructor)) static void select_mutant(void)
{
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "WHET_MUTANT=", 12) == 0) __whet_mutant = atoi(*variable + 12);
    __whet_fuel = 1000000;
    alarm(20);
}
"#;

fn whet() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whet"));
    // Where these tests run on GitHub, their mutants are no news.
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    command
}

fn kind(mutant: &Value) -> &'static str {
    match mutant["status"].as_str() {
        // By a call of a static function that may be none of a caller's.
        Some("killed" | "duplicate") if mutant["alone"] == true => "alone",
        // A duplicate is killed along with the one that it is a duplicate of.
        Some("killed" | "duplicate") => "killed",
        Some("equivalent") => "equivalent",
        Some("limited") => "limited",
        _ => "open",
    }
}

fn name(mutant: &Value) -> String {
    let reason = mutant["reason"].as_str().map_or(String::new(), |reason| format!(" ({reason})"));
    let one_line = |value: &Value| text(value).split_whitespace().collect::<Vec<_>>().join(" ");
    format!(
        "{} `{}` -> `{}`{reason}",
        mutant["column"],
        one_line(&mutant["original"]),
        one_line(&mutant["replacement"])
    )
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn said(output: &Output) -> String {
    format!(
        "{}{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
