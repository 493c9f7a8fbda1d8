//! Which part of a file is looked at: lines that the user names, lines that changed, functions left out.
//!
//! A mutant is in if one of the lines that it changes is. It keeps its number,
//! so that `whet show` agrees with every selection.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, bail};
use llvm::Listing;
use source::{Change, Patch};

use crate::cli::Part;

/// Some lines, both ends included, counted from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lines(pub RangeInclusive<u32>);

impl std::str::FromStr for Lines {
    type Err = String;

    fn from_str(text: &str) -> Result<Lines, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(Lines(first..=last)),
            _ => Err("lines are given as 7 or 10-40, counted from 1".to_string()),
        }
    }
}

impl Part {
    /// The mutants that are in.
    pub(crate) fn choose(&self, file: &Path, listing: &Listing) -> anyhow::Result<Vec<Change>> {
        self.check_excluded(file, listing)?;
        let is_wanted =
            |change: &&Change| listing.is_asked_for(change) && !self.excluded.contains(&change.function);
        let mut chosen: Vec<Change> = listing.changes.iter().filter(is_wanted).cloned().collect();
        if !self.lines.is_empty() {
            // The user has the lines of the file in mind, not those of a header.
            let lines: Vec<_> = self.lines.iter().map(|lines| lines.0.clone()).collect();
            chosen.retain(|change| change.header.is_none() && is_in(change, &lines));
        }
        if let Some(diff) = &self.in_diff {
            let patch = patch(diff)?;
            keep(&mut chosen, file, |file| {
                let absolute = std::path::absolute(file)?;
                Ok(patch.of(&absolute).map_or(vec![], |lines| lines.to_vec()))
            })?;
        }
        if let Some(reference) = &self.since {
            keep(&mut chosen, file, |file| since(reference, file))?;
        }
        Ok(chosen)
    }

    fn check_excluded(&self, file: &Path, listing: &Listing) -> anyhow::Result<()> {
        match self.excluded.iter().find(|name| !listing.defined.contains(*name)) {
            Some(name) => bail!("--exclude {name}: there is no function `{name}` in {}", file.display()),
            None => Ok(()),
        }
    }
}

/// Keeps the mutants in lines that are given for each file: for the C file, and for headers.
fn keep(
    changes: &mut Vec<Change>,
    file: &Path,
    lines: impl Fn(&Path) -> anyhow::Result<Vec<RangeInclusive<u32>>>,
) -> anyhow::Result<()> {
    let mut headers: Vec<Option<String>> = changes.iter().map(|change| change.header.clone()).collect();
    headers.sort();
    headers.dedup();
    for header in headers {
        let lines = lines(header.as_deref().map_or(file, Path::new))?;
        changes.retain(|change| change.header != header || is_in(change, &lines));
    }
    Ok(())
}

/// Whether one of the lines that a mutant changes is among these.
fn is_in(change: &Change, lines: &[RangeInclusive<u32>]) -> bool {
    let own = change.lines();
    lines.iter().any(|lines| lines.start() <= own.end() && own.start() <= lines.end())
}

fn patch(diff: &Path) -> anyhow::Result<Patch> {
    let (name, bytes) = match diff.to_str() {
        Some("-") => {
            let text = std::io::read_to_string(std::io::stdin());
            ("standard input".to_string(), text.map(String::into_bytes))
        }
        _ => (diff.display().to_string(), std::fs::read(diff)),
    };
    let bytes = bytes.with_context(|| format!("cannot read {name}"))?;
    Patch::parse(&String::from_utf8_lossy(&bytes))
        .with_context(|| format!("{name} is not a unified diff: make one with `git diff`, or with `diff -u`"))
}

/// The lines of a file that differ from a commit. If git does not track the file, all of it is new.
fn since(reference: &str, file: &Path) -> anyhow::Result<Vec<RangeInclusive<u32>>> {
    let git = Git::of(file)?;
    if !git.run(&["rev-parse", "--git-dir"])?.status.success() {
        bail!("--since {reference}: {} is not in a git repository", file.display());
    }
    let commit = format!("{reference}^{{commit}}");
    if !git.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?.status.success() {
        bail!("--since {reference}: git knows no such commit, branch or tag");
    }
    if !git.run(&["ls-files", "--error-unmatch", "--", &git.name])?.status.success() {
        return Ok(vec![1..=u32::MAX]);
    }
    let flags = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--end-of-options"];
    let diff = git.run(&[&flags[..], &[&commit, "--", &git.name]].concat())?;
    if !diff.status.success() {
        bail!("--since {reference}: git says: {}", String::from_utf8_lossy(&diff.stderr).trim());
    }
    let patch = Patch::parse(&String::from_utf8_lossy(&diff.stdout)).context("git did not write a diff")?;
    Ok(patch.files.into_iter().flat_map(|(_, lines)| lines).collect())
}

/// Git, in the folder of a file.
struct Git {
    folder: PathBuf,
    name: String,
}

impl Git {
    fn of(file: &Path) -> anyhow::Result<Git> {
        let absolute = std::path::absolute(file)?;
        let folder = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
        let name = absolute.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Git { folder, name: format!(":(literal){name}") })
    }

    fn run(&self, arguments: &[&str]) -> anyhow::Result<Output> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(arguments).stdin(Stdio::null());
        command.output().context("--since needs git: cannot run `git`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_one_or_a_stretch() {
        let parse = |text: &str| text.parse::<Lines>().ok().map(|lines| lines.0);
        assert_eq!(parse("7"), Some(7..=7));
        assert_eq!(parse("10-40"), Some(10..=40));
        assert_eq!([parse("0"), parse("4-3"), parse("x"), parse("1-"), parse("-3")], [const { None }; 5]);
    }
}
