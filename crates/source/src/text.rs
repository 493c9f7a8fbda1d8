//! A source file as bytes, with its lines.
//!
//! Positions count from 1, columns count bytes, and a span excludes its end: what
//! clang says, and what editors and report formats expect.

use std::fmt;
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    pub start: Position,
    pub end: Position,
}

/// A file's bytes. They need not be UTF-8: C sources of another age are not.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: Vec<u8>,
    /// The offset at which each line starts; the first is 0.
    lines: Vec<usize>,
}

impl Text {
    pub fn new(bytes: Vec<u8>) -> Text {
        let after_breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(after_breaks).collect();
        Text { bytes, lines }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text of a range; bytes that are not UTF-8 show as replacement characters.
    pub fn slice(&self, range: Range<usize>) -> String {
        String::from_utf8_lossy(&self.bytes[range]).into_owned()
    }

    pub fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        Position { line: line as u32 + 1, column: (offset - self.lines[line]) as u32 + 1 }
    }

    pub fn span(&self, range: Range<usize>) -> Span {
        Span { start: self.position(range.start), end: self.position(range.end) }
    }

    /// The offset of a position, if the file has it.
    pub fn offset(&self, position: Position) -> Option<usize> {
        let start = *self.lines.get((position.line as usize).checked_sub(1)?)?;
        let offset = start + (position.column as usize).checked_sub(1)?;
        (offset <= self.bytes.len()).then_some(offset)
    }

    /// One line without its break.
    pub fn line(&self, line: u32) -> Option<String> {
        let start = *self.lines.get((line as usize).checked_sub(1)?)?;
        let end = self.lines.get(line as usize).map_or(self.bytes.len(), |next| next - 1);
        Some(self.slice(start..end).trim_end_matches('\r').to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_are_inverse() {
        let text = Text::new(b"int x;\r\n\nreturn\xff;".to_vec());
        for offset in 0..=text.bytes().len() {
            assert_eq!(text.offset(text.position(offset)), Some(offset));
        }
        assert_eq!(text.position(9), Position { line: 3, column: 1 });
        assert_eq!(text.line(1).as_deref(), Some("int x;"));
        assert_eq!(text.line(4), None);
    }
}
