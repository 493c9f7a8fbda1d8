//! What a mutant changes, as a reader of the source sees it.

use std::ops::Range;

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

/// A mutant in the words of the source: mutant number n is the n-th change, from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
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
            operator: operator.to_string(),
            function: function.to_string(),
            span: text.span(edit.range.clone()),
            original: text.slice(edit.range.clone()),
            edit,
        }
    }

    pub fn replacement(&self) -> &str {
        &self.edit.replacement
    }
}
