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
    /// The header that has the function; None: the file itself.
    pub header: Option<String>,
    pub span: Span,
    pub original: String,
    pub edit: Edit,
}

impl Change {
    pub fn new(text: &Text, operator: &str, function: &str, edit: Edit) -> Change {
        Change {
            operator: operator.to_string(),
            function: function.to_string(),
            header: None,
            span: text.span(edit.range.clone()),
            original: text.slice(edit.range.clone()),
            edit,
        }
    }

    /// The name of what it changes, where the file itself has this one.
    pub fn file<'a>(&'a self, name: &'a str) -> &'a str {
        self.header.as_deref().unwrap_or(name)
    }

    /// Where it is for one who knows the file: `line:column`, with the name of the header if it is in one.
    pub fn place(&self) -> String {
        let start = self.span.start;
        self.header.as_ref().map_or(start.to_string(), |header| format!("{header}:{start}"))
    }

    pub fn replacement(&self) -> &str {
        &self.edit.replacement
    }
}
