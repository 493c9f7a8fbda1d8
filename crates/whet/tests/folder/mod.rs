//! A folder with a few files, and Whet run in it as a user would.

// Each test file takes of this what it needs.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub(crate) const MIN: &str = "int min(int a, int b)\n{\n    return a < b ? a : b;\n}\n";

pub(crate) struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder { folder: tempfile::tempdir().expect("a temporary folder can be made") };
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn whet(&self, arguments: &[&str]) -> Output {
        self.run(env!("CARGO_BIN_EXE_whet"), arguments)
    }

    /// Whet in a folder below.
    pub(crate) fn whet_in(&self, below: &str, arguments: &[&str]) -> Output {
        command(env!("CARGO_BIN_EXE_whet"))
            .args(arguments)
            .current_dir(self.path(below))
            .output()
            .expect("whet runs")
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let output = command(program).args(arguments).current_dir(self.folder.path()).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        // As in `sound`.
        assert!(!stderr(&output).contains("by its own checker"), "{arguments:?}: {}", stderr(&output));
        output
    }

    /// What a command prints that does well.
    #[track_caller]
    pub(crate) fn says(&self, arguments: &[&str]) -> String {
        let output = self.whet(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        stdout(&output)
    }

    /// One sentence that says what is wrong, exit code 1, and nothing changed.
    #[track_caller]
    pub(crate) fn check_mistake(&self, arguments: &[&str], expect: &str) {
        let before = self.contents();
        let output = self.whet(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(expect), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{arguments:?}: {}", stderr(&output));
        let after = self.contents();
        let changed: Vec<&PathBuf> =
            before.keys().chain(after.keys()).filter(|it| before.get(*it) != after.get(*it)).collect();
        assert!(changed.is_empty(), "{arguments:?} changed {changed:?}");
    }

    /// Every file and folder, with what is in it.
    fn contents(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.root().to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path.clone());
                }
                found.insert(path.clone(), std::fs::read(&path).ok());
            }
        }
        found
    }
}

fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    // Where these tests run on GitHub, their mutants are no news.
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    command
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Without progress, which depends on how busy the machine is.
pub(crate) fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.split_inclusive('\n').filter(|line| !is_progress(line.trim_end())).collect()
}

/// Whether a line says how far a run is. Only a run that takes a second has such lines.
pub(crate) fn is_progress(line: &str) -> bool {
    line == "whet: compile" || line.starts_with("whet: ") && line.contains(" mutants settled, ")
}

/// All that was printed, without progress.
pub(crate) fn said(output: &Output) -> String {
    stdout(output) + &stderr(output)
}
