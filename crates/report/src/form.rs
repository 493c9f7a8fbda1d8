//! The reports that are files: what they are called, and how they are made.

use crate::{Report, elements, html, junit, markdown, sarif};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Json,
    Html,
    Sarif,
    Junit,
    Markdown,
}

impl Form {
    pub const ALL: [Form; 5] = [Form::Json, Form::Html, Form::Sarif, Form::Junit, Form::Markdown];

    /// As the user names it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Json => "json",
            Form::Html => "html",
            Form::Sarif => "sarif",
            Form::Junit => "junit",
            Form::Markdown => "markdown",
        }
    }

    pub fn file_name(self) -> &'static str {
        match self {
            Form::Json => "report.json",
            Form::Html => "report.html",
            Form::Sarif => "report.sarif",
            Form::Junit => "junit.xml",
            Form::Markdown => "report.md",
        }
    }

    /// The text of the file.
    pub fn text(self, report: &Report) -> String {
        match self {
            Form::Json => elements::elements(report),
            Form::Html => html::html(report),
            Form::Sarif => sarif::sarif(report),
            Form::Junit => junit::junit(report),
            Form::Markdown => markdown::markdown(report),
        }
    }
}
