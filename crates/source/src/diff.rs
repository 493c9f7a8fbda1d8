//! A change as a unified diff that `patch` applies.

use similar::TextDiff;

use crate::{Edit, Text};

/// The diff of the file with itself edited, under the name that `patch` is to find.
pub fn unified(text: &Text, edit: &Edit, name: &str) -> Vec<u8> {
    let edited = edit.apply(text);
    let diff = TextDiff::configure().diff_lines(text.bytes(), &edited);
    let mut out = Vec::new();
    diff.unified_diff()
        .context_radius(3)
        .header(name, name)
        .to_writer(&mut out)
        .expect("writing to memory does not fail");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_reads_as_one_hunk() {
        let text = Text::new(b"int min(int a, int b)\n{\n    return a < b ? a : b;\n}\n".to_vec());
        let at = text.bytes().iter().position(|byte| *byte == b'<').expect("there is one");
        let edit = Edit { range: at..at + 1, replacement: "<=".into() };
        let diff = String::from_utf8(unified(&text, &edit, "min.c")).expect("it is text");
        assert_eq!(
            diff,
            "--- min.c\n+++ min.c\n@@ -1,4 +1,4 @@\n int min(int a, int b)\n {\n\
             -    return a < b ? a : b;\n+    return a <= b ? a : b;\n }\n"
        );
    }
}
