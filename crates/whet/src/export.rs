//! `--export`: the inputs of the tests, for other tools.
//!
//! The same run writes the same files. So the time that Test-Comp wants to know is
//! not that of the run: it is what `SOURCE_DATE_EPOCH` says, which reproducible
//! builds have agreed upon, and else when the C file was last changed.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::Context;
use ir::{FunctionId, Program};
use sha2::{Digest, Sha256};
use testgen::exchange::{Collection, Exchanged, Format};

use crate::cli::Run;
use crate::compose::Composer;
use crate::files;
use crate::name_list::{self, NameList};

/// The last second of the year 9999, after which dates look different.
const LAST: u64 = 253_402_300_799;

/// What the user wants. It is checked before the run begins.
pub(crate) struct Export {
    formats: Vec<Format>,
    /// The C file, as the user named it.
    file: String,
    time: u64,
}

/// What there is to write in one format.
pub(crate) struct Exported {
    format: Format,
    /// Paths below the folder for the output, and contents.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// How many tests of each function are among them.
    tests: Vec<(FunctionId, usize)>,
    left_out: usize,
}

impl Export {
    pub(crate) fn chosen(arguments: &Run) -> anyhow::Result<Export> {
        let list = NameList { flag: "--export", what: "format" };
        let known = Format::ALL.map(|format| (format.name(), format));
        let formats = name_list::chosen(&list, &known, &arguments.export)?;
        let time = if formats.contains(&Format::TestComp) { time(&arguments.selection.file)? } else { 0 };
        Ok(Export { formats, file: arguments.selection.name(), time })
    }

    /// All files, format by format. They have all tests, also those that a test file had before.
    pub(crate) fn files(&self, composer: &Composer) -> anyhow::Result<Vec<Exported>> {
        if self.formats.is_empty() {
            return Ok(vec![]);
        }
        let unit = composer.session.unit;
        let tests = composer.draft(&composer.killed())?.tests;
        let collection = Collection {
            program: &unit.program,
            tests: &tests,
            names: &composer.names(&tests),
            file: &self.file,
            hash: &format!("{:x}", Sha256::digest(unit.text.bytes())),
            time: self.time,
            producer: concat!("Whet ", env!("CARGO_PKG_VERSION")),
        };
        Ok(self.formats.iter().map(|format| Exported::new(*format, &collection)).collect())
    }
}

impl Exported {
    fn new(format: Format, collection: &Collection) -> Exported {
        let Exchanged { files, tests, left_out } = format.exchange(collection);
        let below = |(path, bytes)| (Path::new(format.name()).join::<String>(path), bytes);
        Exported { format, files: files.into_iter().map(below).collect(), tests, left_out }
    }

    /// Writes the files below a folder.
    pub(crate) fn store(&self, out: &Path, program: &Program) -> anyhow::Result<()> {
        for (path, bytes) in &self.files {
            let path = out.join(path);
            let folder = path.parent().unwrap_or(out);
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            files::store(&path, bytes)?;
        }
        self.clear(out, program);
        Ok(())
    }

    /// Removes the tests of an earlier run that come after those of this one:
    /// whoever reads the folder would take them for its own.
    fn clear(&self, out: &Path, program: &Program) {
        let folder = out.join(self.format.name());
        for (at, function) in program.functions.iter().enumerate() {
            let known = self.tests.iter().find(|(id, _)| id.0 as usize == at);
            let mut paths = self.format.leftovers(&function.name, known.map_or(0, |(_, tests)| *tests));
            while paths.next().is_some_and(|path| std::fs::remove_file(folder.join(path)).is_ok()) {}
        }
    }

    /// What the user is told.
    pub(crate) fn line(&self, out: &Path) -> String {
        let tests: usize = self.tests.iter().map(|(_, tests)| tests).sum();
        let name = self.format.name();
        let left_out = match self.left_out {
            0 => String::new(),
            left_out => format!("; {left_out} left out, because the format has no place for such inputs"),
        };
        let inputs = source::count(tests, "input");
        format!("{inputs} written to {}{left_out}\n", out.join(name).display())
    }
}

/// When the tests were made, in seconds since 1970.
fn time(file: &Path) -> anyhow::Result<u64> {
    if let Some(said) = std::env::var_os("SOURCE_DATE_EPOCH") {
        let seconds = said.to_str().and_then(|text| text.parse().ok()).filter(|seconds| *seconds <= LAST);
        return seconds.with_context(|| {
            format!("SOURCE_DATE_EPOCH is `{}`: it must be a number of seconds since 1970", said.display())
        });
    }
    // If the file cannot be read, clang says so better than we could.
    let changed = std::fs::metadata(file).and_then(|about| about.modified()).unwrap_or(UNIX_EPOCH);
    Ok(changed.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()).min(LAST))
}
