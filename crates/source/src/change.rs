//! What a mutant changes, as a reader of the source sees it.

use std::ops::{Range, RangeInclusive};

use crate::{Span, Text};

/// One replacement in the file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edit {
    /// Bytes of the file.
    pub range: Range<usize>,
    pub replacement: String,
}

impl Edit {
    pub fn apply(&self, text: &Text) -> Vec<u8> {
        let bytes = text.bytes();
        [&bytes[..self.range.start], self.replacement.as_bytes(), &bytes[self.range.end..]].concat()
    }
}

/// A mutant in the words of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The mutant's number: the n-th change of a file has number n, from 1. 0 until all are there.
    pub number: u32,
    /// The operator that made it, such as `ROR`.
    pub operator: String,
    /// The C function that it changes.
    pub function: String,
    pub span: Span,
    pub original: String,
    pub edit: Edit,
}

impl Change {
    pub fn new(text: &Text, operator: &str, function: &str, edit: Edit) -> Change {
        Change {
            number: 0,
            operator: operator.to_string(),
            function: function.to_string(),
            span: text.span(edit.range.clone()),
            original: text.slice(edit.range.clone()),
            edit,
        }
    }

    /// The lines that it changes.
    pub fn lines(&self) -> RangeInclusive<u32> {
        let Span { start, end } = self.span;
        // The end is excluded, and may stand before the first byte of a line.
        let last = if end.column == 1 { end.line - 1 } else { end.line };
        start.line..=last.max(start.line)
    }

    pub fn replacement(&self) -> &str {
        &self.edit.replacement
    }
}
