//! The reports that `--reports` chooses: what their files are called, and how they are made.
//!
//! `verdicts.json` is not among them: it is always written (`verdicts_json.rs`).

use crate::{Report, html, junit, markdown, report_json, sarif};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportFormat {
    Json,
    Html,
    Sarif,
    Junit,
    Markdown,
}

impl ReportFormat {
    pub const ALL: [ReportFormat; 5] = [
        ReportFormat::Json,
        ReportFormat::Html,
        ReportFormat::Sarif,
        ReportFormat::Junit,
        ReportFormat::Markdown,
    ];

    /// As the user names it.
    pub fn name(self) -> &'static str {
        match self {
            ReportFormat::Json => "json",
            ReportFormat::Html => "html",
            ReportFormat::Sarif => "sarif",
            ReportFormat::Junit => "junit",
            ReportFormat::Markdown => "markdown",
        }
    }

    pub fn file_name(self) -> &'static str {
        match self {
            ReportFormat::Json => "report.json",
            ReportFormat::Html => "report.html",
            ReportFormat::Sarif => "report.sarif",
            ReportFormat::Junit => "junit.xml",
            ReportFormat::Markdown => "report.md",
        }
    }

    /// The text of the file.
    pub fn text(self, report: &Report) -> String {
        match self {
            ReportFormat::Json => report_json::report_json(report),
            ReportFormat::Html => html::html(report),
            ReportFormat::Sarif => sarif::sarif(report),
            ReportFormat::Junit => junit::junit(report),
            ReportFormat::Markdown => markdown::markdown(report),
        }
    }
}
