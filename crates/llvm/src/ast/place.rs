//! Finding tokens in the text between two nodes.

use std::ops::Range;

/// The end of white space, comments and spliced lines from `at` on.
pub(crate) fn skip_space(text: &[u8], mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        if rest.starts_with(b"\\\n") {
            at += 2;
        } else if rest.starts_with(b"\\\r\n") {
            at += 3;
        } else if rest.starts_with(b"/*") {
            let Some(length) = rest[2..].windows(2).position(|pair| pair == b"*/") else { return text.len() };
            at += length + 4;
        } else if rest.starts_with(b"//") {
            at += line_comment(rest);
        } else if rest.first().is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0x0b) {
            at += 1;
        } else {
            return at;
        }
    }
}

/// The length of a comment to the end of its line; a backslash there continues it.
fn line_comment(text: &[u8]) -> usize {
    for (at, byte) in text.iter().enumerate() {
        let before = text[..at].strip_suffix(b"\r").unwrap_or(&text[..at]);
        if *byte == b'\n' && !before.ends_with(b"\\") {
            return at;
        }
    }
    text.len()
}

/// Where `token` stands between two nodes that have nothing but space and comments around it.
pub(super) fn token_between(text: &[u8], token: &str, left: usize, right: usize) -> Option<Range<usize>> {
    if left > right || right > text.len() {
        return None;
    }
    let start = skip_space(text, left);
    let end = start + token.len();
    let stands = end <= right && text[start..end] == *token.as_bytes() && skip_space(text, end) == right;
    stands.then_some(start..end)
}

/// Where `token` stands if it is the last one of a node, after something that ends at `left`.
pub(super) fn token_at_end(text: &[u8], token: &str, left: usize, end: usize) -> Option<Range<usize>> {
    let start = skip_space(text, left);
    (start + token.len() == end && text.get(start..end) == Some(token.as_bytes())).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_between_comments() {
        let check = |text: &str, expect: Option<Range<usize>>| {
            assert_eq!(token_between(text.as_bytes(), "+", 1, text.len() - 1), expect, "{text}");
        };
        check("a+b", Some(1..2));
        check("a /* + */ + // -\n b", Some(10..11));
        check("a + // -\\\n + \n b", Some(2..3));
        check("a \\\r\n + b", Some(6..7));
        check("a * b", None);
        check("a + + b", None);
        check("a b", None);
    }
}
