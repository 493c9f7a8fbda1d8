//! Unified diffs as others write them: which lines of a file are new.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The lines that a diff adds or changes, file by file, as they are counted afterwards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Patch {
    pub files: Vec<(PathBuf, Vec<RangeInclusive<u32>>)>,
}

impl Patch {
    /// None if the text is something else. One that is empty changes nothing.
    pub fn parse(text: &str) -> Option<Patch> {
        let mut patch = Patch::default();
        let mut lines = text.lines();
        let mut is_diff = text.trim().is_empty();
        while let Some(line) = lines.next() {
            is_diff |= line.starts_with("diff ");
            if let Some(name) = line.strip_prefix("+++ ") {
                patch.files.push((PathBuf::from(unquoted(name)), vec![]));
            } else if let Some(hunk) = Hunk::parse(line) {
                let (_, found) = patch.files.last_mut()?;
                hunk.read(&mut lines, found);
                is_diff = true;
            }
        }
        is_diff.then_some(patch)
    }

    /// The lines of a file, given by its absolute path. Names in a diff start at some folder above the
    /// file, and may have one more before that, as git's `b/`. If several fit, the longest is meant.
    pub fn of(&self, file: &Path) -> Option<&[RangeInclusive<u32>]> {
        let shared = |name: &Path| {
            let pairs = name.components().rev().zip(file.components().rev());
            pairs.take_while(|(one, other)| one == other).count()
        };
        let fits = |(name, _): &&(PathBuf, Vec<_>)| {
            let shared = shared(name);
            shared > 0 && shared + 1 >= name.components().count()
        };
        let fitting = self.files.iter().filter(fits);
        // Of several that share as much, the one that is whole.
        let best = fitting.max_by_key(|(name, _)| (shared(name), shared(name) == name.components().count()));
        best.map(|(_, lines)| lines.as_slice())
    }
}

/// The head of a stretch: how many lines it has before and after, and where it starts afterwards.
struct Hunk {
    before: u32,
    after: u32,
    start: u32,
}

impl Hunk {
    /// As in `@@ -1,4 +1,5 @@ int f(void)`.
    fn parse(line: &str) -> Option<Hunk> {
        let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (before, after) = ranges.split_once(" +")?;
        let range = |text: &str| {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let ((_, before), (start, after)): ((u32, u32), (u32, u32)) = (range(before)?, range(after)?);
        Some(Hunk { before, after, start })
    }

    /// Reads its lines, as many as it says, and notes the new ones.
    fn read<'a>(mut self, lines: &mut impl Iterator<Item = &'a str>, found: &mut Vec<RangeInclusive<u32>>) {
        while self.before + self.after > 0 {
            let Some(line) = lines.next() else { return };
            match line.as_bytes().first() {
                Some(b'+') => {
                    found.push(self.start..=self.start);
                    self.start += 1;
                    self.after = self.after.saturating_sub(1);
                }
                Some(b'-') => self.before = self.before.saturating_sub(1),
                Some(b'\\') => {}
                // Some tools drop the space of an empty line.
                _ => {
                    self.start += 1;
                    self.before = self.before.saturating_sub(1);
                    self.after = self.after.saturating_sub(1);
                }
            }
        }
    }
}

/// A name without its date, and without the quotes and escapes that git gives to unusual ones.
fn unquoted(name: &str) -> String {
    let name = name.split('\t').next().unwrap_or_default();
    let Some(inner) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return name.trim_end().to_string();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(high @ b'0'..=b'7') => {
                let digits = [Some(high), rest.next(), rest.next()].into_iter().flatten();
                digits
                    .fold(0, |value: u8, digit| value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0')))
            }
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(other) => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/src/min.c b/src/min.c\n--- a/src/min.c\n+++ b/src/min.c\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+c\n d\n\
                        @@ -9 +10,0 @@\n-gone\n--- a/min.c\t2024\n+++ b/min.c\t2024\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n";

    /// The new lines of a file.
    fn check(text: &str, file: &str, expect: Option<&[u32]>) {
        let patch = Patch::parse(text).expect("it is a diff");
        let lines =
            patch.of(Path::new(file)).map(|lines| lines.iter().map(|it| *it.start()).collect::<Vec<_>>());
        assert_eq!(lines.as_deref(), expect, "{file}");
    }

    #[test]
    fn new_lines_are_counted_as_they_are_afterwards() {
        check(DIFF, "/x/src/min.c", Some(&[2, 3]));
    }

    #[test]
    fn a_file_is_found_by_the_end_of_its_path() {
        check(DIFF, "/x/min.c", Some(&[1]));
        check(DIFF, "/x/src/max.c", None);
        check(DIFF, "/x/src/other/min.c", Some(&[1]));
        check(&DIFF.replace("b/", ""), "/x/src/min.c", Some(&[2, 3]));
        check("--- /dev/null\n+++ \"b/\\303\\244.c\"\n@@ -0,0 +1,2 @@\n+a\n+b\n", "/x/ä.c", Some(&[1, 2]));
    }

    #[test]
    fn what_looks_like_a_head_may_be_a_line() {
        check("--- a\n+++ a\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n b\n", "/a", Some(&[1]));
    }

    #[test]
    fn other_texts_are_no_diffs() {
        assert_eq!(Patch::parse("int main(void);\n"), None);
        assert_eq!(Patch::parse("@@ -1 +1 @@\n-a\n+b\n"), None);
        assert_eq!(Patch::parse("\n"), Some(Patch::default()));
        assert!(Patch::parse("diff --git a/x b/y\nrename from x\nrename to y\n").is_some());
    }
}
