//! Mutants made by other tools: mutated copies of the file, or patches of it, in a folder.
//!
//! Any generator will do that names its copies after the file: `foo.mutant.7.c`
//! (universalmutator), `foo.MUT7.c` (MUSIC, whose table `foo_mut_db.csv` also
//! names the operators), `foo_7.c`; or `*.patch` and `*.diff`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use llvm::Version;
use source::plural;

/// The operator of mutants whose tool names none.
const OPERATOR: &str = "EXT";

/// How many copies that do not compile are named.
const SHOWN: usize = 5;

/// The mutated copies of a file.
pub(crate) struct Imported {
    pub versions: Vec<Version>,
    /// One for each version: its name in the folder.
    pub names: Vec<String>,
    /// Patches that do not apply, and why.
    unfit: Vec<(String, anyhow::Error)>,
    /// How many read the same as another one, or as the file.
    pub repeated: usize,
    /// Where they are, for the user.
    folder: String,
    /// Where they are until they are compiled.
    copies: tempfile::TempDir,
}

impl Imported {
    /// Notes of each mutant which file it comes from.
    pub(crate) fn sign(&self, listing: &mut llvm::Listing) {
        for (name, version) in self.names.iter().zip(&listing.versions) {
            if let Ok(version) = version {
                listing.changes[version.number as usize - 1].from = Some(name.clone());
            }
        }
    }

    /// Reports those that cannot be used as mutants.
    pub(crate) fn tell(&self, listing: &llvm::Listing) {
        let is_late = |why: &String| why == llvm::LATE;
        let late = listing.versions.iter().filter(|version| version.as_ref().is_err_and(is_late)).count();
        let is_broken =
            |version: &Result<llvm::Graft, String>| version.as_ref().is_err_and(|why| !is_late(why));
        let broken = self.names.iter().zip(&listing.versions).filter(|(_, version)| is_broken(version));
        let broken = broken.map(|(name, _)| name.as_str());
        let broken: Vec<&str> = broken.chain(self.unfit.iter().map(|(name, _)| name.as_str())).collect();
        let (count, folder) = (self.names.len() + self.repeated + self.unfit.len(), &self.folder);
        let copies = plural(count, "mutated copy", "mutated copies");
        let mut line = format!("whet: {folder} has {copies}");
        if self.repeated > 0 {
            let same = plural(self.repeated, "reads the same as another", "read the same as others");
            line += &format!("; {same}, or as the file");
        }
        if !broken.is_empty() {
            let more = broken.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let shown = broken[..broken.len().min(SHOWN)].join(", ");
            let broken = plural(broken.len(), "does not", "do not");
            line += &format!("; {broken} apply, compile or link: {shown}{more}");
        }
        if late > 0 {
            let late = plural(late, "was", "were");
            line += &format!("; {late} not compiled within --time");
        }
        eprintln!("{line}");
    }
}

/// All that there is for a file in a folder.
pub(crate) fn find(file: &Path, folder: &Path) -> anyhow::Result<Imported> {
    let original = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let place = tempfile::tempdir().context("cannot make a temporary folder")?;
    let operators = operators(&folder.join(format!("{stem}_mut_db.csv")));
    let shown = folder.display().to_string();
    let mut found = Imported {
        versions: vec![],
        names: vec![],
        unfit: vec![],
        repeated: 0,
        folder: shown,
        copies: place,
    };
    let mut seen: Vec<Vec<u8>> = vec![original.clone()];
    for path in listed(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = || std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()));
        let text = match path.extension().and_then(|it| it.to_str()) {
            Some("c") if is_copy(&stem, &name) => bytes()?,
            Some("patch" | "diff") => match patched(&original, &bytes()?, &path) {
                Ok(text) => text,
                Err(error) => {
                    found.unfit.push((name, error));
                    continue;
                }
            },
            _ => continue,
        };
        if seen.contains(&text) {
            found.repeated += 1;
            continue;
        }
        let copy = found.copies.path().join(format!("{}.c", found.versions.len()));
        std::fs::write(&copy, &text).context("cannot write a temporary file")?;
        let operator = operators.get(&name).cloned().unwrap_or(OPERATOR.to_string());
        found.versions.push(Version {
            file: copy,
            in_place: true,
            operator: Some(operator),
            renamed: vec![],
        });
        found.names.push(name);
        seen.push(text);
    }
    if found.versions.is_empty()
        && let Some((_, error)) = found.unfit.pop()
    {
        return Err(error);
    }
    if found.versions.is_empty() {
        bail!(
            "--mutants {}: there is no mutated copy of {}, such as {stem}.mutant.1.c or {stem}.1.patch",
            folder.display(),
            file.display()
        );
    }
    Ok(found)
}

/// The files of a folder, those with smaller numbers in their names first.
fn listed(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort_by_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number: u64 = name
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .next_back()
            .unwrap_or(0);
        (number, name)
    });
    Ok(files)
}

/// Whether a file is named after another one, with more behind it.
fn is_copy(stem: &str, name: &str) -> bool {
    let rest = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(".c"));
    rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_ascii_alphanumeric()))
}

fn patched(original: &[u8], patch: &[u8], path: &Path) -> anyhow::Result<Vec<u8>> {
    let patch = diffy::Patch::from_bytes(patch)
        .map_err(|error| anyhow::anyhow!("{} is not a unified diff: {error}", path.display()))?;
    diffy::apply_bytes(original, &patch).map_err(|_| anyhow::anyhow!("{} does not apply", path.display()))
}

/// The operators that a table of MUSIC's names, by file.
fn operators(table: &Path) -> HashMap<String, String> {
    let text = std::fs::read_to_string(table).unwrap_or_default();
    let row = |line: &str| {
        let mut cells = line.split(',').map(|cell| cell.trim().trim_matches('"'));
        let (file, operator) = (cells.next()?, cells.next()?);
        let file = file.rsplit('/').next()?;
        file.ends_with(".c").then(|| (file.to_string(), operator.to_string()))
    };
    text.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_named_after_the_file() {
        for (name, expect) in [
            ("foo.mutant.1.c", true),
            ("foo_1.c", true),
            ("foo.c", false),
            ("food.c", false),
            ("foo.1.h", false),
        ] {
            assert_eq!(is_copy("foo", name), expect, "{name}");
        }
    }
}
