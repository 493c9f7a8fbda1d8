//! A change as a unified diff that `patch` applies.
//!
//! An edit is one replacement in one place, so there is one hunk, and no search for what
//! is equal. The bytes are the file's own, whatever their encoding and line breaks.

use crate::{Edit, Text};

/// Lines around the change.
const CONTEXT: usize = 3;

/// The diff of the file with itself edited, under the name that `patch -p0` is to find.
pub fn unified(text: &Text, edit: &Edit, name: &str) -> Vec<u8> {
    let edited = edit.apply(text);
    let (old, new) = (lines(text.bytes()), lines(&edited));
    let same = |pair: &(&&[u8], &&[u8])| pair.0 == pair.1;
    let before = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(same).count();

    let start = before.saturating_sub(CONTEXT);
    let end = |lines: &[&[u8]]| (lines.len() - after + CONTEXT).min(lines.len());
    let range = |lines: &[&[u8]]| format!("{},{}", start + 1, end(lines) - start);
    // A name with a space ends at the tab.
    let mut out =
        format!("--- {name}\t\n+++ {name}\t\n@@ -{} +{} @@\n", range(&old), range(&new)).into_bytes();
    push(&mut out, b' ', &old[start..before]);
    push(&mut out, b'-', &old[before..old.len() - after]);
    push(&mut out, b'+', &new[before..new.len() - after]);
    push(&mut out, b' ', &old[old.len() - after..end(&old)]);
    out
}

/// Lines with their breaks; the last may have none.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn push(out: &mut Vec<u8>, sign: u8, lines: &[&[u8]]) {
    for line in lines {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, from: &str, to: &str, expect: &str) {
        let text = Text::new(text.into());
        let at = String::from_utf8_lossy(text.bytes()).find(from).expect("it is there");
        let edit = Edit { range: at..at + from.len(), replacement: to.into() };
        let diff = String::from_utf8(unified(&text, &edit, "f.c")).expect("it is text");
        assert_eq!(diff, format!("--- f.c\t\n+++ f.c\t\n{expect}"));
    }

    #[test]
    fn a_change_has_three_lines_around_it() {
        let hunk = "@@ -2,7 +2,7 @@\n b\n c\n d\n-x\n+y\n e\n f\n g\n";
        check("a\nb\nc\nd\nx\ne\nf\ng\nh\n", "x", "y", hunk);
    }

    #[test]
    fn the_file_may_begin_and_end_near_the_change() {
        check("x\n", "x", "y", "@@ -1,1 +1,1 @@\n-x\n+y\n");
        check("a\nx\nb", "x", "y", "@@ -1,3 +1,3 @@\n a\n-x\n+y\n b\n\\ No newline at end of file\n");
        check(
            "x",
            "x",
            "y",
            "@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn lines_may_vanish_and_appear() {
        check("a\nx\nx\nb\n", "x\nx\n", "y\n", "@@ -1,4 +1,3 @@\n a\n-x\n-x\n+y\n b\n");
        check("a\nb\n", "b", "b\nb", "@@ -1,2 +1,3 @@\n a\n b\n+b\n");
    }

    #[test]
    fn bytes_stay_what_they_are() {
        let text = Text::new(b"int x; // \xb0C\r\n".to_vec());
        let diff = unified(&text, &Edit { range: 4..5, replacement: "y".into() }, "f.c");
        assert!(diff.ends_with(b"-int x; // \xb0C\r\n+int y; // \xb0C\r\n"));
    }
}
