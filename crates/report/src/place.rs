//! Places in the source as the readers of reports count them.
//!
//! Whet's columns count bytes, as clang's do. Browsers, editors and GitHub count UTF-16 code units. They
//! count them in the text of the report, where bytes that are not UTF-8 have become replacement characters.

use source::{Position, Span, Text};

/// The whole file, readable.
pub(crate) fn readable(text: &Text) -> String {
    text.slice(0..text.bytes().len())
}

/// The same range with columns in UTF-16 code units.
pub(crate) fn in_text(text: &Text, span: Span) -> Span {
    Span { start: position(text, span.start), end: position(text, span.end) }
}

fn position(text: &Text, at: Position) -> Position {
    let start = text.offset(Position { column: 1, ..at });
    let (Some(start), Some(end)) = (start, text.offset(at)) else { return at };
    Position { column: text.slice(start..end).encode_utf16().count() as u32 + 1, ..at }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column of the first `<`.
    fn check(text: &[u8], expect: u32) {
        let at = text.iter().position(|byte| *byte == b'<').unwrap();
        let text = Text::new(text.to_vec());
        let span = text.span(at..at + 1);
        assert_eq!(in_text(&text, span).start.column, expect);
        assert_eq!(in_text(&text, span).end.column, expect + 1);
    }

    #[test]
    fn columns_count_what_a_browser_counts() {
        check(b"\na <", 3);
        check("/* ä */ <".as_bytes(), 9);
        check("/* 🦀 */ <".as_bytes(), 10);
        check(b"/* \xe4\xf6 */ <", 10);
    }
}
