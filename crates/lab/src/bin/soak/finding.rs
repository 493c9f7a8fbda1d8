//! Findings: a folder for each, with all that it takes to see it again.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::process;

/// Two that look the same may not be: so many of a kind are kept.
const KEPT: u64 = 3;

/// For making a program smaller.
const REDUCTION: Duration = Duration::from_secs(300);

pub(crate) struct Findings {
    folder: PathBuf,
    /// How often each signature was seen.
    seen: BTreeMap<String, u64>,
}

/// Something that somebody has to look at.
pub(crate) struct Finding<'a> {
    /// Who found it.
    pub oracle: &'a str,
    /// What stays the same when it is seen again, such as the place of a panic.
    pub signature: String,
    pub seen: &'a str,
    /// A line for a shell, in the root of the repository. `{program}` is the path of the program.
    pub repeat: String,
    /// The same for cvise, which runs it many times: without cargo, and in any folder.
    pub again: String,
    /// The C program that it was seen on, if it is not in the repository.
    pub program: Option<String>,
}

impl Findings {
    pub(crate) fn new(folder: PathBuf) -> Findings {
        Findings { folder, seen: BTreeMap::new() }
    }

    /// Where they are.
    pub(crate) fn place(&self) -> &Path {
        &self.folder
    }

    fn folder(&self, number: u32, finding: &Finding) -> PathBuf {
        self.folder.join(format!("{}-{number}", finding.oracle))
    }

    pub(crate) fn count(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn summary(&self) -> String {
        let times: u64 = self.seen.values().sum();
        if times == 0 { "none".to_string() } else { format!("{} ({times} times)", self.seen.len()) }
    }

    /// Keeps a finding, unless there are enough like it, as small as it can be made.
    pub(crate) fn add(&mut self, finding: &Finding) -> Result<()> {
        let times = self.seen.entry(finding.signature.clone()).or_default();
        *times += 1;
        if *times > KEPT {
            return Ok(());
        }
        let number = (1..).find(|number| !self.folder(*number, finding).exists()).unwrap_or_default();
        let folder = self.folder(number, finding);
        std::fs::create_dir_all(&folder)?;
        println!("soak: {} found something: {}", finding.oracle, folder.display());
        std::fs::write(folder.join("seen.txt"), finding.seen)?;
        let program = folder.join("program.c");
        if let Some(text) = &finding.program {
            std::fs::write(&program, text)?;
        }
        let repeat = finding.repeat.replace("{program}", &program.display().to_string());
        script(&folder.join("repeat.sh"), &repeat)?;
        if finding.program.is_some() {
            reduce(&folder, finding)?;
        }
        Ok(())
    }
}

/// Has cvise make the program smaller, as long as it fails with the same signature.
fn reduce(folder: &Path, finding: &Finding) -> Result<()> {
    let reduced = folder.join("reduced.c");
    std::fs::copy(folder.join("program.c"), &reduced)?;
    let test = folder.join("is-interesting.sh");
    // cvise runs it in a folder of its own, with a copy of the file.
    let again = finding.again.replace("{program}", "$program");
    let signature = finding.signature.replace('\'', "'\\''");
    script(&test, &format!("program=$PWD/reduced.c\n({again}) 2>&1 | grep -qF -- '{signature}'"))?;
    let mut command = Command::new("cvise");
    command.args(["--n", "1", "--tidy", "--timeout", "60"]);
    command.arg(&test).arg("reduced.c").current_dir(folder);
    let said = match process::run(&mut command, REDUCTION) {
        Ok(ended) => ended.said,
        Err(error) => format!("not reduced: {error:#}"),
    };
    std::fs::write(folder.join("reduction.txt"), said)?;
    Ok(())
}

fn script(path: &Path, line: &str) -> Result<()> {
    std::fs::write(path, format!("#!/bin/sh\n{line}\n"))?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}
