//! What `whet.toml` can say, taken from the flags themselves.
//!
//! There is no second list. A flag that is defined in `cli` can be set in the file under the same
//! name, `whet config` shows it, and the schema describes it. Clap knows which kind of value it takes.

use std::any::TypeId;
use std::path::PathBuf;

use clap::builder::ValueRange;
use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};

/// The commands whose flags can be set.
const COMMANDS: [&str; 3] = ["run", "list", "show"];

/// The flags for clang, which have no name of their own on the command line: they stand after `--`.
pub(crate) const FLAGS: &str = "flags";

/// Clap's name for a switch that turns another one off begins with this. No flag can have such a name.
const NOT: &str = "not ";

/// Something that can be set.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// As in `whet.toml`, and on the command line after two dashes.
    pub name: String,
    pub kind: SettingKind,
    /// It may be given several times.
    pub many: bool,
    arg: Arg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SettingKind {
    /// On or off.
    Switch,
    Whole,
    Number,
    /// Relative to the file that says it.
    Path,
    Text,
}

/// All settings, in the order in which the flags are defined.
pub(crate) fn settings(command: &Command) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    let commands = COMMANDS.iter().filter_map(|name| command.find_subcommand(name));
    for arg in commands.flat_map(Command::get_arguments) {
        let is_known = |setting: &Setting| setting.arg.get_id() == arg.get_id();
        if !settings.iter().any(is_known) {
            settings.extend(Setting::of(arg));
        }
    }
    settings
}

/// The commands with what follows from their flags: each switch can be turned off
/// again, because a file may have turned it on; and `whet config` takes them all.
pub(crate) fn complete(command: Command) -> Command {
    let settings = settings(&command);
    command.mut_subcommands(|command| match command.get_name() {
        "config" => command.args(settings.iter().map(|it| it.arg.clone()).chain(opposites(&settings))),
        name if COMMANDS.contains(&name) => {
            let own: Vec<Setting> = settings.iter().filter(|it| it.is_flag_of(&command)).cloned().collect();
            command.args(opposites(&own))
        }
        _ => command,
    })
}

fn opposites(settings: &[Setting]) -> impl Iterator<Item = Arg> {
    settings.iter().filter(|setting| setting.kind == SettingKind::Switch).map(Setting::opposite)
}

impl Setting {
    /// None for what only makes sense on the command line, such as the file itself.
    fn of(arg: &Arg) -> Option<Setting> {
        let name = match arg.get_long() {
            Some(_) if arg.get_id().as_str().starts_with(NOT) => return None,
            Some(name) => name,
            None if arg.is_last_set() => FLAGS,
            None => return None,
        };
        let kind = match arg.get_action() {
            ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version => return None,
            ArgAction::SetTrue => SettingKind::Switch,
            _ => SettingKind::of_values(arg),
        };
        let many = matches!(arg.get_action(), ArgAction::Append)
            || arg.get_value_delimiter().is_some()
            || arg.get_num_args().is_some_and(|range: ValueRange| range.max_values() > 1);
        Some(Setting { name: name.to_string(), kind, many, arg: arg.clone() })
    }

    /// What clap calls it.
    pub(crate) fn id(&self) -> &str {
        self.arg.get_id().as_str()
    }

    /// What clap calls the switch that turns it off.
    pub(crate) fn opposite_id(&self) -> String {
        format!("{NOT}{}", self.name)
    }

    pub(crate) fn is_flag_of(&self, command: &Command) -> bool {
        command.get_arguments().any(|arg| arg.get_id() == self.arg.get_id())
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.arg.is_hide_set()
    }

    fn opposite(&self) -> Arg {
        let name = match self.name.strip_prefix("no-") {
            Some(name) => name.to_string(),
            None => format!("no-{}", self.name),
        };
        let about = format!("Turn --{} off again, if whet.toml has turned it on", self.name);
        Arg::new(self.opposite_id())
            .long(name)
            .action(ArgAction::SetTrue)
            .hide(true)
            .help(about)
            .overrides_with(self.arg.get_id().clone())
    }

    /// What is expected, in words and with an example.
    pub(crate) fn expected(&self) -> String {
        let what = match self.kind {
            SettingKind::Switch => "true or false",
            SettingKind::Whole | SettingKind::Number => "a number",
            SettingKind::Path => "a path in quotes",
            SettingKind::Text => "a text in quotes",
        };
        let several = if self.many { ", or a list of them" } else { "" };
        format!("{what}{several}, such as `{}`", self.example())
    }

    fn example(&self) -> String {
        let default = self.arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
        let first = match (self.kind, default) {
            (SettingKind::Switch, _) => return format!("{} = true", self.name),
            (_, Some(default)) => default,
            (SettingKind::Whole | SettingKind::Number, None) => "8".to_string(),
            (_, None) if self.name == FLAGS => "-DNDEBUG".to_string(),
            (_, None) => self
                .arg
                .get_value_names()
                .and_then(|names| names.first())
                .map_or("…".to_string(), |name| name.to_string()),
        };
        let value = self.shown(&[first]);
        format!("{} = {value}", self.name)
    }

    /// Values as they stand in `whet.toml`.
    pub(crate) fn shown(&self, values: &[String]) -> String {
        let quoted = |value: &String| match self.kind {
            SettingKind::Switch | SettingKind::Whole | SettingKind::Number => value.clone(),
            // JSON's texts are TOML's as well.
            SettingKind::Path | SettingKind::Text => Value::from(value.as_str()).to_string(),
        };
        let values: Vec<String> = values.iter().map(quoted).collect();
        if self.many { format!("[{}]", values.join(", ")) } else { values.concat() }
    }

    /// Its part of the schema.
    fn schema(&self) -> Value {
        let mut schema = Map::new();
        let about = self.arg.get_help().map(|help| help.to_string()).unwrap_or_default();
        schema.insert("description".to_string(), about.into());
        let of = match self.kind {
            SettingKind::Switch => "boolean",
            SettingKind::Whole => "integer",
            SettingKind::Number => "number",
            SettingKind::Path | SettingKind::Text => "string",
        };
        let mut one = json!({ "type": of });
        let choices: Vec<Value> =
            self.arg.get_possible_values().iter().map(|value| value.get_name().into()).collect();
        if !choices.is_empty() && self.kind == SettingKind::Text {
            one["enum"] = choices.into();
        }
        match (self.many, one) {
            (true, one) => {
                _ = schema.insert("anyOf".to_string(), json!([one, { "type": "array", "items": one }]))
            }
            (false, Value::Object(one)) => schema.extend(one),
            (false, _) => unreachable!("it was made as an object"),
        }
        if let Some(default) = self.arg.get_default_values().first() {
            let default = default.to_string_lossy();
            let number = serde_json::from_str(&default).ok().filter(|_| of == "integer" || of == "number");
            schema.insert("default".to_string(), number.unwrap_or_else(|| default.into()));
        }
        schema.into()
    }
}

impl SettingKind {
    fn of_values(arg: &Arg) -> SettingKind {
        let of = arg.get_value_parser().type_id();
        let whole = [TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()];
        if whole.iter().any(|kind| of == *kind) {
            SettingKind::Whole
        } else if of == TypeId::of::<f64>() {
            SettingKind::Number
        } else if of == TypeId::of::<PathBuf>() {
            SettingKind::Path
        } else {
            SettingKind::Text
        }
    }
}

/// A JSON Schema for `whet.toml`, for editors.
pub(crate) fn schema(command: &Command) -> String {
    let settings = settings(command).into_iter().filter(|setting| !setting.is_hidden());
    let properties: Map<String, Value> =
        settings.map(|setting| (setting.name.clone(), setting.schema())).collect();
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "whet.toml",
        "description": "Flags of `whet run`, `whet list` and `whet show`, for all files in this folder and below.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    format!("{schema:#}\n")
}
