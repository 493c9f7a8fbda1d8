//! Long lines, broken where a person would.

use std::fmt::Write;

/// Lines that are longer are folded.
pub(crate) const WIDTH: usize = 100;

/// Lines of a function's body.
pub(crate) fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| fold(&format!("    {line}")) + "\n").collect()
}

/// Breaks a long line after commas and semicolons, but not within a string.
pub(crate) fn fold(line: &str) -> String {
    let indent = line.len() - line.trim_start().len() + 4;
    let mut out = String::new();
    let (mut rest, mut width) = (line, WIDTH);
    while rest.len() > width {
        let Some(end) = last_break(rest, width) else { break };
        let _ = write!(out, "{}\n{:indent$}", &rest[..end], "");
        rest = rest[end..].trim_start();
        width = WIDTH - indent;
    }
    out + rest
}

/// The last place before the width where a line may end.
fn last_break(line: &str, width: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    let (mut quote, mut found) = (None, None);
    let mut at = 0;
    while at < bytes.len() && (at < width || found.is_none()) {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if open == byte => quote = None,
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b',' | b';') if bytes.get(at + 1) == Some(&b' ') => found = Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    found
}
