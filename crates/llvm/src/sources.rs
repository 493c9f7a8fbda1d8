//! The texts that mutants change: the file, and its headers if they are asked for.

use std::path::Path;

use source::Text;

use crate::ast::{Header, HeaderId};

#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub file: &'a Text,
    pub headers: &'a [Header],
}

impl<'a> Sources<'a> {
    /// The text of a header, or of the file itself.
    pub(crate) fn of(self, header: Option<HeaderId>) -> &'a Text {
        header.map_or(self.file, |header| &self.headers[header.0 as usize].text)
    }

    /// The name of a header; none of the file itself.
    pub(crate) fn name(self, header: Option<HeaderId>) -> Option<&'a str> {
        header.map(|header| self.headers[header.0 as usize].name.as_str())
    }

    /// The file itself, then its headers.
    pub(crate) fn all(self) -> impl Iterator<Item = Option<HeaderId>> {
        std::iter::once(None).chain((0..self.headers.len() as u32).map(|header| Some(HeaderId(header))))
    }
}

/// The name of a header for the user: where it is, seen from this folder if it
/// is inside. `patch` follows no other.
pub(crate) fn name(path: &Path) -> String {
    let inside = || {
        let (path, folder) = (path.canonicalize().ok()?, Path::new(".").canonicalize().ok()?);
        path.strip_prefix(folder).ok().map(Path::to_path_buf)
    };
    inside().unwrap_or_else(|| path.to_path_buf()).display().to_string()
}
