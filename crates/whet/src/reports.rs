//! Which reports are written, and what GitHub is told.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use report::{Report, ReportFormat};
use serde_json::{Value, json};

use crate::cli::{Overflow, Run};
use crate::name_list::{self, NameList};
use crate::show::print;

/// The reports that the user named.
pub(crate) fn chosen(names: &[String]) -> anyhow::Result<Vec<ReportFormat>> {
    name_list::chosen(
        &NameList { flag: "--reports", what: "report" },
        &ReportFormat::ALL.map(|format| (format.name(), format)),
        names,
    )
}

/// The file as others see it who know the repository only: on GitHub, its path from the root.
pub(crate) fn path_in_repository(file: &Path) -> String {
    let inside = || -> Option<PathBuf> {
        let root = std::env::var_os("GITHUB_WORKSPACE").filter(|root| !root.is_empty())?;
        let (root, file) = (Path::new(&root).canonicalize().ok()?, file.canonicalize().ok()?);
        Some(file.strip_prefix(root).ok()?.to_path_buf())
    };
    inside().as_deref().unwrap_or(file).display().to_string()
}

/// The flags that decide about mutants and verdicts.
pub(crate) fn configuration(arguments: &Run) -> Value {
    let selection = &arguments.selection;
    json!({
        "functions": selection.functions,
        "operators": selection.operators,
        "headers": selection.headers,
        "overflow": match selection.overflow {
            Overflow::Undefined => "undefined",
            Overflow::Wrap => "wrap",
        },
        "bound": arguments.search.bound,
        "size": arguments.search.size,
        "depth": arguments.search.depth,
        "may_alias": arguments.search.may_alias,
        "globals": arguments.search.globals,
        "double_check": arguments.double_check,
        "flags": arguments.clang.flags,
    })
}

/// Annotations in the log, and the summary of the step, if this runs on GitHub.
pub(crate) fn tell_github(report: &Report, quiet: bool) -> anyhow::Result<()> {
    if !quiet && std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        print(report::annotations(report).as_bytes())?;
    }
    if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
        let append = || -> std::io::Result<()> {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.write_all(report::markdown(report).as_bytes())
        };
        let name = Path::new(&path).display();
        append().with_context(|| format!("cannot append to {name}, which GITHUB_STEP_SUMMARY names"))?;
    }
    Ok(())
}
