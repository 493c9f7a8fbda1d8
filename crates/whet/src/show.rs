//! `whet list`, `whet show`, `whet meta` and `whet operators`: looking at mutants without judging them.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use bv::Stop;

use crate::Exit;
use crate::cli::{self, Format, List, Meta, Show, StoreAction};

pub(crate) fn list(arguments: &List) -> anyhow::Result<Exit> {
    let listing = arguments.selection.list(&arguments.clang)?;
    let changes = arguments.part.choose(&arguments.selection.file, &listing)?;
    let file = arguments.selection.name();
    let text = match arguments.format {
        Format::Text => report::list(&file, &changes),
        Format::Json => report::list_json(&file, &changes),
    };
    print(text.as_bytes())
}

/// The table of operators.
pub(crate) fn operators() -> anyhow::Result<Exit> {
    let mut text = String::new();
    for row in &llvm::operators::TABLE {
        let (from, to) = row.example;
        text += &format!("{:<5}{}\n     {from}  →  {to}\n", row.name, row.about);
    }
    for (set, members) in llvm::operators::sets() {
        text += &format!("\n{set}: {members}\n");
    }
    print(text.as_bytes())
}

pub(crate) fn show(arguments: &Show) -> anyhow::Result<Exit> {
    let listing = arguments.selection.list(&arguments.clang)?;
    let count = listing.changes.len();
    let Some(change) = arguments.number.checked_sub(1).and_then(|at| listing.changes.get(at)) else {
        bail!(
            "there is no mutant {}: {} has mutants 1 to {count}",
            arguments.number,
            arguments.selection.name()
        );
    };
    let file = arguments.selection.name();
    print(&source::unified(listing.text_of(change), &change.edit, change.file(&file)))
}

pub(crate) fn meta(arguments: &Meta) -> anyhow::Result<Exit> {
    let unit = arguments.selection.load(&arguments.clang, vec![], &Stop::default())?;
    let meta = unit.chosen_by_environment()?;
    match &arguments.output {
        None => print(meta.as_bytes()),
        Some(path) => {
            std::fs::write(path, &meta).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(Exit::Settled)
        }
    }
}

/// What a shell needs to complete our commands and flags.
pub(crate) fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "whet", &mut text);
    print(&text)
}

/// The manual page of Whet, or of one of its commands.
pub(crate) fn man(name: Option<&str>) -> anyhow::Result<Exit> {
    let mut all = cli::command().disable_help_subcommand(true);
    all.build();
    let page = match name {
        None => all,
        Some(name) => all.find_subcommand(name).cloned().with_context(|| {
            let known: Vec<&str> = all.get_subcommands().map(|command| command.get_name()).collect();
            format!("there is no command `{name}`: choose from {}", known.join(", "))
        })?,
    };
    let title = name.map_or("whet".to_string(), |name| format!("whet-{name}"));
    let mut text = Vec::new();
    clap_mangen::Man::new(page).title(title).render(&mut text).context("cannot write a manual page")?;
    print(&text)
}

/// Looks for the store, or empties it.
pub(crate) fn store(action: StoreAction, folder: &Path) -> anyhow::Result<Exit> {
    match action {
        StoreAction::Path => print(format!("{}\n", folder.join(store::FILE).display()).as_bytes()),
        StoreAction::Clear => {
            store::Store::clear(folder)?;
            Ok(Exit::Settled)
        }
    }
}

/// Writes to standard output. A reader that has seen enough, such as `head`, is no error.
pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<Exit> {
    match std::io::stdout().write_all(bytes) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(Exit::Settled),
    }
}

/// The same for styled text. The terminal and `NO_COLOR` decide whether there are colours.
pub(crate) fn print_styled(text: &str) -> anyhow::Result<Exit> {
    match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => print(anstream::adapter::strip_str(text).to_string().as_bytes()),
        _ => print(text.as_bytes()),
    }
}
