//! `whet.toml`: flags that need not be typed every time.
//!
//! The file is looked for in the folder of the C file, and then upwards. What it says becomes
//! flags, put before those that the user typed, so that clap reads both in the same way. A flag
//! on the command line replaces what the file says, also if it can be given several times.

use std::error::Error as _;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};
use toml_edit::{Document, Item, Value};

use crate::cli::{self, Arguments};
use crate::flags;
use crate::settings::{FLAGS, Setting, SettingKind, settings};

pub(crate) const FILE: &str = "whet.toml";

/// What the user asked for: on the command line, and in the file.
pub(crate) struct Invocation {
    pub arguments: Arguments,
    pub in_force: InForce,
}

/// Why there is nothing to do.
pub(crate) enum Failure {
    /// Clap's own words: a flag that is not there, or a call for help.
    Usage(clap::Error),
    Mistake(anyhow::Error),
}

/// What holds, and who said so.
pub(crate) struct InForce {
    /// The file, if there is one.
    pub file: Option<PathBuf>,
    /// In the order of the flags. The values are as in `whet.toml`; none if nobody said anything.
    pub values: Vec<(Setting, Option<String>, Origin)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Default,
    /// The line, counted from 1.
    File(u32),
    CommandLine,
}

/// Reads the command line, and the file that goes with it.
pub(crate) fn invocation(words: Vec<OsString>) -> Result<Invocation, Failure> {
    let command = cli::command();
    let typed = command.clone().try_get_matches_from(&words).map_err(Failure::Usage)?;
    let Some((name, typed)) = typed.subcommand() else { unreachable!("clap asks for a command") };
    let settings = settings(&command);
    let file = found(typed).map_err(Failure::Mistake)?;
    let said = match &file {
        Some(file) => read(file, &command, &settings).map_err(Failure::Mistake)?,
        None => vec![],
    };
    let own = command.find_subcommand(name).into_iter();
    let is_own = |entry: &&Entry| own.clone().any(|command| entry.setting.is_flag_of(command));
    let is_typed = |setting: &Setting| {
        let ids = [setting.id().to_string(), setting.opposite_id()];
        ids.iter().any(|id| source(typed, id) == Some(ValueSource::CommandLine))
    };
    let entries: Vec<&Entry> = said.iter().filter(is_own).filter(|entry| !is_typed(&entry.setting)).collect();
    let matches = command.try_get_matches_from(with(&words, &entries)).map_err(Failure::Usage)?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(Failure::Usage)?;
    let all = matches.subcommand().map(|(_, matches)| matches);
    let values = settings.into_iter().map(|setting| {
        let entry = entries.iter().find(|entry| entry.setting.name == setting.name);
        let origin = match entry {
            Some(entry) => Origin::File(entry.line),
            None if is_typed(&setting) => Origin::CommandLine,
            None => Origin::Default,
        };
        let value = all.and_then(|matches| value(matches, &setting));
        (setting, value, origin)
    });
    let in_force = InForce { file, values: values.collect() };
    Ok(Invocation { arguments, in_force })
}

impl InForce {
    /// One line for each setting, in the words of `whet.toml`, with who said so.
    pub(crate) fn report(&self) -> String {
        let file = self.file.as_deref().map(shown);
        let mut text = match &file {
            Some(file) => format!("# {file}\n"),
            None => format!("# there is no {FILE} here or above\n"),
        };
        for (setting, value, origin) in &self.values {
            if setting.is_hidden() && *origin == Origin::Default {
                continue;
            }
            let line = match value {
                Some(value) => format!("{} = {value}", setting.name),
                None => format!("# {} is not set", setting.name),
            };
            let origin = match (origin, &file) {
                (Origin::File(line), Some(file)) => format!("{file}:{line}"),
                (Origin::CommandLine, _) => "command line".to_string(),
                _ => "default".to_string(),
            };
            text += &format!("{line:<40}  # {origin}\n");
        }
        text
    }
}

/// The file for a command: from the C file upwards, or from here.
fn found(matches: &ArgMatches) -> anyhow::Result<Option<PathBuf>> {
    let Ok(file) = matches.try_get_one::<PathBuf>("file") else { return Ok(None) };
    let start = match file {
        Some(file) => std::path::absolute(file)?.parent().map(Path::to_path_buf),
        None => Some(std::env::current_dir().context("there is no current folder")?),
    };
    let folders = start.iter().flat_map(|start| start.ancestors());
    Ok(folders.map(|folder| folder.join(FILE)).find(|file| file.is_file()))
}

/// A line of the file that sets something.
struct Entry {
    setting: Setting,
    /// As on the command line.
    values: Vec<String>,
    line: u32,
}

/// What the file sets, each checked as clap would check it.
fn read(file: &Path, command: &Command, settings: &[Setting]) -> anyhow::Result<Vec<Entry>> {
    let name = shown(file);
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let line = |span: Option<Range<usize>>| {
        let start = span.map_or(0, |span| span.start.min(text.len()));
        text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() as u32 + 1
    };
    let document = Document::parse(text.as_str())
        .map_err(|error| anyhow!("{name}:{}: {}", line(error.span()), one_line(error.message())))?;
    let mut entries = Vec::new();
    for (key, item) in document.iter() {
        let line = line(document.key(key).and_then(|key| key.span()).or(item.span()));
        let Some(setting) = settings.iter().find(|setting| setting.name == key) else {
            bail!("{name}:{line}: there is no setting `{key}`: {}", meant(key, settings));
        };
        let values = values(setting, item)
            .ok_or_else(|| anyhow!("{name}:{line}: `{key}` must be {}; {}", setting.expected(), is(item)))?;
        let values = relative(setting, values, file.parent().unwrap_or(Path::new("")));
        check(command, setting, &values).map_err(|why| anyhow!("{name}:{line}: `{key}`: {why}"))?;
        entries.push(Entry { setting: setting.clone(), values, line });
    }
    Ok(entries)
}

/// A value as the command line would have it; none if it is of another kind.
fn values(setting: &Setting, item: &Item) -> Option<Vec<String>> {
    match item.as_value()? {
        Value::Array(array) if setting.many => array.iter().map(|value| single(setting, value)).collect(),
        value => Some(vec![single(setting, value)?]),
    }
}

fn single(setting: &Setting, value: &Value) -> Option<String> {
    match setting.kind {
        SettingKind::Switch => value.as_bool().map(|value| value.to_string()),
        SettingKind::Whole => value.as_integer().map(|value| value.to_string()),
        SettingKind::Number => {
            let number = value.as_float().or(value.as_integer().map(|whole| whole as f64));
            number.map(|value| value.to_string())
        }
        SettingKind::Path | SettingKind::Text => value.as_str().map(str::to_string),
    }
}

/// Paths in the file start where the file is.
fn relative(setting: &Setting, values: Vec<String>, folder: &Path) -> Vec<String> {
    // Where nothing changes, messages show what the user wrote.
    if std::env::current_dir().is_ok_and(|here| here == folder) {
        return values;
    }
    match setting.kind {
        SettingKind::Path => {
            let path = |value: String| match value.as_str() {
                "-" => value,
                _ => folder.join(value).to_string_lossy().into_owned(),
            };
            values.into_iter().map(path).collect()
        }
        _ if setting.name == FLAGS => flags::relative_to(folder, values),
        _ => values,
    }
}

/// Lets clap look at a value by itself.
fn check(command: &Command, setting: &Setting, values: &[String]) -> Result<(), String> {
    let words = ["whet", "config"].map(OsString::from).into_iter();
    let words: Vec<OsString> = words.chain(typed(setting, values)).collect();
    let Err(error) = command.clone().try_get_matches_from(words) else { return Ok(()) };
    Err(match (error.kind(), error.get(ContextKind::ValidValue), error.source()) {
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(valid)), _) => {
            format!("there is no `{}`; choose from {}", values.join(","), valid.join(", "))
        }
        (_, _, Some(source)) => one_line(&source.to_string()),
        _ => one_line(&error.to_string()),
    })
}

/// Values as flags.
fn typed(setting: &Setting, values: &[String]) -> Vec<OsString> {
    let words: Vec<String> = match setting.kind {
        _ if setting.name == FLAGS => {
            std::iter::once("--".to_string()).chain(values.iter().cloned()).collect()
        }
        SettingKind::Switch if values == ["true"] => vec![format!("--{}", setting.name)],
        SettingKind::Switch => vec![],
        _ => values.iter().map(|value| format!("--{}={value}", setting.name)).collect(),
    };
    words.into_iter().map(OsString::from).collect()
}

/// The command line with what the file adds: flags before those of the user, and C flags after them.
fn with(words: &[OsString], entries: &[&Entry]) -> Vec<OsString> {
    let (head, rest) = words.split_at(words.len().min(2));
    let mut all = head.to_vec();
    let (last, flags): (Vec<&&Entry>, Vec<&&Entry>) =
        entries.iter().partition(|entry| entry.setting.name == FLAGS);
    all.extend(flags.iter().flat_map(|entry| typed(&entry.setting, &entry.values)));
    all.extend(rest.iter().cloned());
    let open = rest.iter().any(|word| word == "--");
    all.extend(
        last.iter().flat_map(|entry| typed(&entry.setting, &entry.values).into_iter().skip(open.into())),
    );
    all
}

fn source(matches: &ArgMatches, id: &str) -> Option<ValueSource> {
    let known = matches.try_contains_id(id).unwrap_or(false);
    known.then(|| matches.value_source(id)).flatten()
}

fn value(matches: &ArgMatches, setting: &Setting) -> Option<String> {
    if setting.kind == SettingKind::Switch {
        return Some(
            matches.try_get_one::<bool>(setting.id()).ok().flatten().copied().unwrap_or(false).to_string(),
        );
    }
    let raw = matches.try_get_raw(setting.id()).ok().flatten()?;
    let values: Vec<String> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
    Some(setting.shown(&values))
}

/// Helps with a setting that does not exist.
fn meant(key: &str, settings: &[Setting]) -> String {
    let visible = settings.iter().filter(|setting| !setting.is_hidden());
    match source::nearest(key, visible.map(|setting| setting.name.as_str())) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "settings have the names of the flags that `whet run --help` shows".to_string(),
    }
}

/// What stands there, in words.
fn is(item: &Item) -> &'static str {
    match item {
        Item::Value(Value::String(_)) => "this is a text",
        Item::Value(Value::Integer(_) | Value::Float(_)) => "this is a number",
        Item::Value(Value::Boolean(_)) => "this is true or false",
        Item::Value(Value::Array(_)) => "this is a list",
        Item::Value(Value::Datetime(_)) => "this is a date",
        Item::Value(Value::InlineTable(_)) | Item::Table(_) | Item::ArrayOfTables(_) | Item::None => {
            "this is a table"
        }
    }
}

/// A path as short as it can be told.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
