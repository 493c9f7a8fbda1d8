//! Where tests are tried before anybody hears of them, and kept where there are some already.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use ir::{FunctionId, Mutant};
use llvm::{Build, TestBed, Unit};
use settle::{Kill, OwnKill, Test};
use write::Framework;

use crate::past::Past;
use crate::trial::{self, Ending, Trial};

/// A killed mutant: through which subject, and how.
pub type Killed<'a> = (FunctionId, Mutant, &'a Kill);

/// What tests are built with.
pub struct Desk<'a> {
    unit: &'a Unit,
    /// The file under test.
    file: &'a Path,
    /// The user's, for clang.
    flags: &'a [String],
    framework: Framework,
    bed: OnceCell<TestBed<'a>>,
    /// Stands in for the framework, and holds the tests.
    folder: OnceCell<tempfile::TempDir>,
    /// How many files were tried.
    tried: Cell<usize>,
}

/// The tests of an earlier run.
pub struct Earlier {
    pub path: PathBuf,
    /// Those in the file, and in others beside it that hold what did not fit. Empty: there are none yet.
    texts: Vec<String>,
}

impl Earlier {
    /// Finds them. What is not ours, or for another framework, is not to be changed.
    pub fn find(path: PathBuf, framework: Framework) -> anyhow::Result<Earlier> {
        let mut texts = Vec::new();
        for path in std::iter::once(path.clone()).chain((2..).map(|number| beside(&path, number))) {
            let Ok(bytes) = std::fs::read(&path) else { break };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            check(&path, &text, framework)?;
            texts.push(text);
        }
        Ok(Earlier { path, texts })
    }
}

/// Refuses what is not ours or for another framework.
fn check(path: &Path, text: &str, framework: Framework) -> anyhow::Result<()> {
    if !text.lines().next().is_some_and(|first| first.ends_with(write::SIGNATURE)) {
        bail!("{} was not written by Whet: choose another folder with --out", path.display());
    }
    if !text.lines().any(|line| line == framework.include()) {
        bail!(
            "{} has tests for another framework: choose another folder with --out, or remove it",
            path.display()
        );
    }
    Ok(())
}

/// What becomes of the test file.
pub struct Composed {
    /// Where the tests go: another file than before if the new tests do not fit into that one.
    pub path: PathBuf,
    /// None: nothing changes.
    pub text: Option<String>,
    /// The new tests.
    pub tests: Vec<Test>,
    pub names: Vec<String>,
    /// What the tests that were there before kill.
    pub kept: BTreeSet<Mutant>,
    /// What the new tests should have killed, and did not.
    pub unconfirmed: BTreeSet<Mutant>,
}

impl Composed {
    /// Nothing changes: no tests could be written.
    pub fn nothing(path: PathBuf) -> Composed {
        let (tests, names, text) = (vec![], vec![], None);
        Composed { path, text, tests, names, kept: BTreeSet::new(), unconfirmed: BTreeSet::new() }
    }
}

/// How a run chooses tests for killed mutants, and how a file of them reads.
pub struct Scribe<'a> {
    pub choose: &'a dyn Fn(&[Killed]) -> anyhow::Result<Vec<Test>>,
    pub names: &'a dyn Fn(&[Test]) -> Vec<String>,
    pub write: &'a dyn Fn(&[Test], &[String]) -> String,
    /// Whether a test is known to fail on the original.
    pub fails: &'a dyn Fn(&Test) -> bool,
    /// Takes that back.
    pub acquit: &'a dyn Fn(&Test),
}

impl<'a> Desk<'a> {
    pub fn new(unit: &'a Unit, file: &'a Path, flags: &'a [String], framework: Framework) -> Desk<'a> {
        let (bed, folder) = (OnceCell::new(), OnceCell::new());
        Desk { unit, file, flags, framework, bed, folder, tried: Cell::new(0) }
    }

    /// Whether tests of ours pass on the original, and fail on a mutant.
    pub fn tells_apart(&self, text: &str, mutant: Mutant) -> anyhow::Result<bool> {
        Ok(self.trial(text)?.killed(self.unit, &[mutant])?.contains(&mutant))
    }

    /// How tests of ours end on a C file as it is, with no mutant in it. Functions may have other names there, which come second.
    pub fn end_on(
        &self,
        text: &str,
        file: &Path,
        renamed: &[(String, String)],
        sanitise: &[&str],
    ) -> anyhow::Result<Ending> {
        let (name, source) = self.source(text)?;
        let (flags, folders) = (&self.test_flags(), &[self.folder()?, self.home()]);
        let build = Build { sources: &[source], flags, folders, last: sanitise };
        match self.bed()?.build_plain(&name, &build, file, renamed) {
            Ok(program) => trial::end(&program),
            Err(llvm::Error::TestsDoNotBuild { message }) => Ok(Ending::DoesNotBuild(message)),
            Err(error) => Err(error.into()),
        }
    }

    /// What the user's own tests kill of these mutants.
    pub fn own_tests(
        &self,
        sources: &[PathBuf],
        mutants: &[Mutant],
        heard: &(dyn Fn(usize) + Sync),
    ) -> anyhow::Result<Vec<OwnKill>> {
        for source in sources {
            std::fs::metadata(source).with_context(|| format!("cannot read {}", source.display()))?;
        }
        let flags = self.flags;
        let build = Build { sources, flags, folders: &[self.home()], last: &[] };
        let trial = Trial::new(self.bed()?.build("own", &build)?, trial::BASELINE);
        let file = self.file.display();
        let explain =
            || format!("your tests fail on {file} as it is, and have to pass before they can judge mutants");
        trial.with_context(explain)?.kills(self.unit, mutants, heard)
    }

    /// Keeps what is there, adds what is missing, and tries it all.
    pub fn compose(
        &self,
        earlier: &Earlier,
        killed: &[Killed],
        scribe: &Scribe,
        past: &Past,
    ) -> anyhow::Result<Composed> {
        let tests = (scribe.choose)(killed)?;
        self.acquit(&tests, scribe)?;
        let names = (scribe.names)(&tests);
        let text = (!tests.is_empty()).then(|| (scribe.write)(&tests, &names));
        let path = earlier.path.clone();
        let none = BTreeSet::new;
        let Some(text) = text else {
            return Ok(Composed { path, text: None, tests, names, kept: none(), unconfirmed: none() });
        };
        if !earlier.texts.is_empty() && earlier.texts != [text.clone()] {
            return self.extend(earlier, killed, scribe);
        }
        if past.has_tried(&text)? {
            return Ok(Composed { path, text: Some(text), tests, names, kept: none(), unconfirmed: none() });
        }
        let tried = passing(&text, &tests, &names, scribe);
        let unconfirmed = self.unconfirmed(&tried, &tests, killed, scribe)?;
        if unconfirmed.is_empty() {
            past.note_tried(&text);
            return Ok(Composed { path, text: Some(text), tests, names, kept: none(), unconfirmed });
        }
        // What they do not kill, they do not claim.
        let tests = without(tests, &unconfirmed, scribe);
        let names = (scribe.names)(&tests);
        let text = (!tests.is_empty()).then(|| (scribe.write)(&tests, &names));
        Ok(Composed { path, text, tests, names, kept: none(), unconfirmed })
    }

    /// Takes back that a test fails on the original, if it passes there.
    fn acquit(&self, tests: &[Test], scribe: &Scribe) -> anyhow::Result<()> {
        for test in tests.iter().filter(|test| (scribe.fails)(test) && !test.soft) {
            let alone = std::slice::from_ref(test);
            if self.trial(&(scribe.write)(alone, &(scribe.names)(alone))).is_ok() {
                (scribe.acquit)(test);
            }
        }
        Ok(())
    }

    /// Adds tests for what those in a file do not kill.
    fn extend(&self, earlier: &Earlier, killed: &[Killed], scribe: &Scribe) -> anyhow::Result<Composed> {
        let (file, path) = (self.file.display(), &earlier.path);
        let explain = || {
            let path = path.display();
            format!(
                "the tests in {path} fail on {file} as it is: mend them, or remove the file to have it written anew"
            )
        };
        let mutants: Vec<Mutant> = killed.iter().map(|(_, mutant, _)| *mutant).collect();
        let mut kept = BTreeSet::new();
        for text in &earlier.texts {
            let missing: Vec<Mutant> =
                mutants.iter().copied().filter(|mutant| !kept.contains(mutant)).collect();
            let trial = self.trial(text).map_err(|error| match error.downcast_ref() {
                Some(llvm::Error::TestsDoNotBuild { .. }) => error.context(cannot_build(path)),
                _ => error.context(explain()),
            })?;
            kept.extend(trial.killed(self.unit, &missing)?);
        }
        let (old, all) = (&earlier.texts[0], earlier.texts.concat());
        let rest: Vec<Killed> =
            killed.iter().filter(|(_, mutant, _)| !kept.contains(mutant)).copied().collect();
        let mut tests = (scribe.choose)(&rest)?;
        self.acquit(&tests, scribe)?;
        // What nobody has seen them kill, such as what only a sanitizer sees, is there if the test is.
        let seen: BTreeSet<Mutant> = rest
            .iter()
            .filter(|(.., kill)| kill.shown.in_any_build())
            .map(|(_, mutant, _)| *mutant)
            .collect();
        tests.retain(|test| {
            if test.kills.iter().any(|mutant| seen.contains(mutant)) {
                return true;
            }
            let text =
                (scribe.write)(std::slice::from_ref(test), &(scribe.names)(std::slice::from_ref(test)));
            !write::body(self.framework, &text).is_some_and(|body| all.contains(body))
        });
        let names: Vec<String> = (scribe.names)(&tests).into_iter().map(|name| free(&all, name)).collect();
        let path = path.to_path_buf();
        let unconfirmed = BTreeSet::new();
        if tests.is_empty() {
            return Ok(Composed { path, text: None, tests, names, kept, unconfirmed });
        }
        let new = (scribe.write)(&tests, &names);
        let merged = write::merge(self.framework, old, &new);
        if let Some(text) = merged
            && let Ok(unconfirmed) = self.unconfirmed(&text, &tests, &rest, scribe)
        {
            return Ok(Composed { path, text: Some(text), tests, names, kept, unconfirmed });
        }
        let path = beside(&path, earlier.texts.len() + 1);
        let unconfirmed = self.unconfirmed(&passing(&new, &tests, &names, scribe), &tests, &rest, scribe)?;
        Ok(Composed { path, text: Some(new), tests, names, kept, unconfirmed })
    }

    /// What these tests claim to kill in any build, and do not. They have to pass on the original.
    fn unconfirmed(
        &self,
        text: &str,
        tests: &[Test],
        killed: &[Killed],
        scribe: &Scribe,
    ) -> anyhow::Result<BTreeSet<Mutant>> {
        let trial = self.trial(text).map_err(|error| {
            let what = "the tests that Whet wrote do not pass on the original, and are not kept";
            llvm::Error::Internal(format!("{what}: {error:#}"))
        })?;
        let passing = tests.iter().filter(|test| !(scribe.fails)(test));
        let claimed: BTreeSet<Mutant> = passing.flat_map(|test| &test.kills).copied().collect();
        let in_any_build = killed.iter().filter(|(.., kill)| kill.shown.in_any_build());
        let claimed: Vec<Mutant> =
            in_any_build.map(|(_, mutant, _)| *mutant).filter(|mutant| claimed.contains(mutant)).collect();
        let seen = trial.killed(self.unit, &claimed)?;
        Ok(claimed.into_iter().filter(|mutant| !seen.contains(mutant)).collect())
    }

    /// Builds tests of ours: with something that stands in for the framework, or, if somebody has changed them, with the
    /// framework that the user's flags lead to.
    fn trial(&self, text: &str) -> anyhow::Result<Trial<'_>> {
        let (name, source) = self.source(text)?;
        let (folder, flags) = (self.folder()?, self.test_flags());
        let mut sources = vec![source];
        let build = |name: &str, sources: &[PathBuf], folders: &[&Path]| {
            let flags = &flags;
            self.bed().and_then(|bed| Ok(bed.build(name, &Build { sources, flags, folders, last: &[] })?))
        };
        let tested = build(&name, &sources, &[folder, self.home()]).or_else(|error| {
            sources.extend(self.framework_sources());
            build(&format!("{name}-real"), &sources, &[self.home()]).map_err(|_| error)
        })?;
        Trial::new(tested, trial::OURS)
    }

    /// Tests of ours as a file, and a name for what becomes of it.
    fn source(&self, text: &str) -> anyhow::Result<(String, PathBuf)> {
        let name = format!("tests-{}", self.tried.replace(self.tried.get() + 1));
        let end = if self.framework.is_cpp() { "cpp" } else { "c" };
        let source = self.folder()?.join(format!("{name}.{end}"));
        std::fs::write(&source, text).context("cannot write a temporary file")?;
        Ok((name, source))
    }

    fn test_flags(&self) -> Vec<String> {
        let mut flags = llvm::without_old_dialects(self.flags);
        // Compilers know some functions by name, and do not call them.
        flags.push("-fno-builtin".to_string());
        flags.extend(self.framework.is_cpp().then(|| "-std=c++20".to_string()));
        flags
    }

    /// The sources of Unity, if they lie beside its header where the user's flags lead.
    fn framework_sources(&self) -> Option<PathBuf> {
        let folders = self.flags.iter().zip(self.flags.iter().skip(1).map(Some).chain([None]));
        let mut folders = folders.filter_map(|(flag, next)| match flag.strip_prefix("-I") {
            Some("") => next.map(PathBuf::from),
            Some(folder) => Some(PathBuf::from(folder)),
            None => None,
        });
        folders.find_map(|folder| Some(folder.join("unity.c")).filter(|path| path.exists()))
    }

    fn bed(&self) -> anyhow::Result<&TestBed<'a>> {
        if let Some(bed) = self.bed.get() {
            return Ok(bed);
        }
        let bed = TestBed::new(self.unit)?;
        Ok(self.bed.get_or_init(|| bed))
    }

    fn folder(&self) -> anyhow::Result<&Path> {
        if self.folder.get().is_none() {
            let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
            if let Some((place, text)) = self.framework.stand_in() {
                let path = folder.path().join(place);
                let parent = path.parent().unwrap_or(folder.path());
                std::fs::create_dir_all(parent).context("cannot make a temporary folder")?;
                std::fs::write(&path, text).context("cannot write a temporary file")?;
            }
            let _ = self.folder.set(folder);
        }
        Ok(self.folder.get().expect("it was just made").path())
    }

    /// The folder of the file under test, where its headers are.
    fn home(&self) -> &Path {
        let parent = self.file.parent();
        parent.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}

/// What to do about tests of an earlier run that do not build.
fn cannot_build(path: &Path) -> String {
    format!(
        "the tests in {} do not build; if they need more of the framework than Whet wrote, say where it is, as in `-- -I unity/src` or `-- -lcmocka`",
        path.display()
    )
}

/// Tests without what they do not kill; those that are left with nothing go.
fn without(tests: Vec<Test>, unconfirmed: &BTreeSet<Mutant>, scribe: &Scribe) -> Vec<Test> {
    let mut tests = tests;
    for test in &mut tests {
        test.kills.retain(|mutant| !unconfirmed.contains(mutant));
    }
    tests.retain(|test| !test.kills.is_empty() || (scribe.fails)(test));
    tests
}

/// The same file without the tests that are known to fail on the original.
fn passing(text: &str, tests: &[Test], names: &[String], scribe: &Scribe) -> String {
    let passes = |(test, _): &(&Test, &String)| !(scribe.fails)(test);
    if tests.iter().zip(names).all(|pair| passes(&pair)) {
        return text.to_string();
    }
    let (tests, names): (Vec<Test>, Vec<String>) =
        tests.iter().zip(names).filter(passes).map(|(test, name)| (test.clone(), name.clone())).unzip();
    (scribe.write)(&tests, &names)
}

/// A name like this one that the text does not have.
fn free(text: &str, name: String) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| !text.contains(name.as_str())).unwrap_or(name)
}

/// The n-th file for what does not fit into the one before.
fn beside(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_{number}.{extension}"))
}
