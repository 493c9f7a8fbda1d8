//! Test files: those of an earlier run, and how one is built and tried.

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use bv::Stop;
use ir::Mutant;
use llvm::{Build, CompiledTests, TestBed, Unit};
use settle::OwnKill;
use testgen::Framework;

use crate::cli::chosen_clang;
use crate::trial::{self, Ending, Trial};

/// Builds test files, and runs them.
pub(crate) struct TestFiles<'a> {
    pub unit: &'a Unit,
    /// The file under test.
    pub file: &'a Path,
    /// The user's, for clang.
    flags: &'a [String],
    pub framework: Framework,
    bed: OnceCell<TestBed<'a>>,
    /// Holds the tests, and headers that stand in for the framework.
    folder: OnceCell<tempfile::TempDir>,
    /// How many files were tried.
    tried: Cell<usize>,
}

/// The tests of an earlier run.
pub(crate) struct Earlier {
    pub path: PathBuf,
    /// The texts of the file, and of others beside it with tests that could not
    /// be merged. Empty: there are none yet.
    pub texts: Vec<String>,
}

impl Earlier {
    /// Finds them. Refuses a file that Whet did not write or that is for another framework.
    pub(crate) fn find(path: PathBuf, framework: Framework) -> anyhow::Result<Earlier> {
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

/// Refuses a file that Whet did not write or that is for another framework.
fn check(path: &Path, text: &str, framework: Framework) -> anyhow::Result<()> {
    if !text.lines().next().is_some_and(|first| first.ends_with(testgen::SIGNATURE)) {
        bail!("{} was not written by Whet: choose another folder with --out", path.display());
    }
    if !text.lines().any(|line| line == framework.include()) {
        bail!(
            "{} has tests for another framework: choose another folder with --out, or remove the file",
            path.display()
        );
    }
    Ok(())
}

impl<'a> TestFiles<'a> {
    pub(crate) fn new(
        unit: &'a Unit,
        file: &'a Path,
        flags: &'a [String],
        framework: Framework,
    ) -> TestFiles<'a> {
        let (bed, folder) = (OnceCell::new(), OnceCell::new());
        TestFiles { unit, file, flags, framework, bed, folder, tried: Cell::new(0) }
    }

    /// Whether tests of ours pass on the original, and fail on a mutant.
    pub(crate) fn tells_apart(&self, text: &str, mutant: Mutant) -> anyhow::Result<bool> {
        Ok(self.trial(text)?.killed(self.unit, &[mutant])?.contains(&mutant))
    }

    /// How tests of ours end on a C file as it is, with no mutant in it. In `renamed`, the second name is the
    /// one that a function has there.
    pub(crate) fn end_on(
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

    /// What the user's own tests kill of these mutants, and which they had no time for.
    pub(crate) fn own_tests(
        &self,
        tests: &CompiledTests,
        mutants: &[Mutant],
        on_kill: &(dyn Fn(Mutant) + Sync),
        stop: &Stop,
    ) -> anyhow::Result<(Vec<OwnKill>, Vec<Mutant>)> {
        let flags = &[self.flags, &tests.libraries].concat();
        let build = Build { sources: &tests.objects, flags, folders: &[], last: &[] };
        let is_over = || stop.is_set();
        let trial = Trial::new_until(self.bed()?.build("own", &build)?, trial::BASELINE, &is_over);
        let file = self.file.display();
        let explain =
            || format!("your tests fail on {file} as it is: they must pass before they can judge mutants");
        match trial.with_context(explain)? {
            Some(trial) => trial.kills(self.unit, mutants, on_kill, &is_over),
            None => Ok((vec![], mutants.to_vec())),
        }
    }

    /// Builds tests of ours with headers that stand in for the framework. If that fails, somebody has changed
    /// the tests. Then they are built with the framework that the user's flags lead to.
    pub(crate) fn trial(&self, text: &str) -> anyhow::Result<Trial<'_>> {
        let (name, source) = self.source(&testgen::selectable(self.framework, text))?;
        let (folder, flags) = (self.folder()?, self.test_flags());
        let mut sources = vec![source];
        // Our tests need none of the user's headers, and some of these would hide headers of the system.
        let plain = without_folders(&flags);
        let build = |name: &str, sources: &[PathBuf], flags: &[String], folders: &[&Path]| {
            self.bed().and_then(|bed| Ok(bed.build(name, &Build { sources, flags, folders, last: &[] })?))
        };
        let tested = build(&name, &sources, &plain, &[folder, self.home()]).or_else(|error| {
            sources.extend(self.framework_sources());
            build(&format!("{name}-real"), &sources, &flags, &[self.home()]).map_err(|_| error)
        })?;
        Trial::new(tested, trial::OURS)
    }

    /// The same for tests that include the file under test.
    pub(crate) fn trial_inside(&self, text: &str) -> anyhow::Result<Trial<'_>> {
        let (name, source) = self.source(&testgen::selectable(self.framework, text))?;
        let folders = [self.folder()?, self.home()];
        let build = Build { sources: &[source], flags: &self.test_flags(), folders: &folders, last: &[] };
        Trial::new(self.bed()?.build_inside(&name, &build)?, trial::OURS)
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
        // Compilers know some functions by name, and would not call the user's.
        flags.push("-fno-builtin".to_string());
        flags.extend(self.framework.is_cpp().then(|| "-std=c++20".to_string()));
        flags
    }

    /// Unity's source, if it is in one of the folders that the user's flags name.
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

    fn home(&self) -> &Path {
        home(self.file)
    }
}

/// Compiles the user's own tests of a file.
pub(crate) fn compile_own(
    sources: &[PathBuf],
    file: &Path,
    flags: &[String],
) -> anyhow::Result<CompiledTests> {
    for source in sources {
        std::fs::metadata(source).with_context(|| format!("cannot read {}", source.display()))?;
    }
    let build = Build { sources, flags, folders: &[home(file)], last: &[] };
    Ok(CompiledTests::new(chosen_clang().as_ref(), &build)?)
}

/// The folder of the file under test, where its headers are.
fn home(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The flags that do not say where headers are.
fn without_folders(flags: &[String]) -> Vec<String> {
    const FOLDERS: [&str; 5] = ["-I", "-isystem", "-iquote", "-idirafter", "-include"];
    let mut kept = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        if FOLDERS.contains(&flag.as_str()) {
            flags.next();
        } else if !FOLDERS.iter().any(|folder| flag.starts_with(folder)) {
            kept.push(flag.clone());
        }
    }
    kept
}

/// The n-th file, for tests that could not be merged into the ones before.
pub(crate) fn beside(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_{number}.{extension}"))
}
