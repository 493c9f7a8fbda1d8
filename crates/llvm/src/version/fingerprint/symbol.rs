//! The symbols of a module, read off its text.
//!
//! Names that mean nothing are left out, so that texts can be compared: a
//! constant without a name is what it holds, and a type is what it is made of.

use std::collections::{BTreeMap, BTreeSet};

use crate::version::words::{Word, words};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::version) enum SymbolKind {
    Function,
    Variable,
    /// Another name for something.
    Alias,
}

pub(in crate::version) struct Symbol {
    pub kind: SymbolKind,
    /// What is said of it, and what the types are made of that are mentioned there.
    pub text: String,
    /// The named symbols in the text.
    pub mentions: BTreeSet<String>,
    /// Those of them whose addresses may go anywhere: they are more than called, loaded or stored to.
    pub addresses: BTreeSet<String>,
    pub defined: bool,
    /// Other files see it.
    pub external: bool,
    pub constant: bool,
    /// Of a function: what it takes and returns.
    pub of: String,
}

impl Symbol {
    /// Whether it is a variable that may come to hold an address: something in
    /// it is as wide as one, or it has bytes.
    pub(in crate::version) fn can_hold(&self) -> bool {
        let has_room = |word: Word| ["ptr", "i64", "i8"].iter().any(|room| word == Word::Plain(room));
        self.kind == SymbolKind::Variable && !self.constant && words(&self.text).any(has_room)
    }
}

/// A part of the text of a module.
pub(super) enum Entry {
    Symbol { name: String, text: String },
    Type { name: String, text: String },
    Assembly(String),
}

/// The parts that say something, in their order.
pub(super) fn entries(module: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut lines = module.lines();
    while let Some(line) = lines.next() {
        let first = words(line).find_map(|word| match word {
            Word::Symbol(name) => Some(name),
            _ => None,
        });
        match (line.split(' ').next().unwrap_or_default(), first) {
            ("define", Some(name)) => {
                let body: Vec<&str> =
                    std::iter::once(line).chain(lines.by_ref().take_while(|line| *line != "}")).collect();
                entries.push(Entry::Symbol { name, text: body.join("\n") });
            }
            ("declare", Some(name)) => entries.push(Entry::Symbol { name, text: line.to_string() }),
            ("module", _) => entries.push(Entry::Assembly(format!("{line}\n"))),
            (start, Some(name)) if start.starts_with('@') => {
                entries.push(Entry::Symbol { name, text: line.to_string() });
            }
            (start, _) if start.starts_with('%') => {
                if let Some(Word::Local(name)) = words(line).next() {
                    entries.push(Entry::Type { name, text: line.to_string() });
                }
            }
            _ => {}
        }
    }
    entries
}

/// What texts mention without meaning its name.
pub(super) struct Texts<'a> {
    /// The text of a string, say, which nobody knows but by what it holds.
    pub nameless: BTreeMap<&'a str, &'a str>,
    types: BTreeMap<&'a str, &'a str>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(entries: &'a [Entry]) -> Texts<'a> {
        let mut texts = Texts { nameless: BTreeMap::new(), types: BTreeMap::new() };
        for entry in entries {
            match entry {
                Entry::Symbol { name, text } if says(text, "private") => {
                    texts.nameless.insert(name, text);
                }
                Entry::Type { name, text } => {
                    texts.types.insert(name, text);
                }
                Entry::Symbol { .. } | Entry::Assembly(_) => {}
            }
        }
        texts
    }

    pub(super) fn symbol(&self, text: &str, of: String) -> Symbol {
        let mut reading = Reading { texts: self, found: Found::default() };
        reading.read(text, &mut vec![]);
        let Found { text: mut whole, mentions, addresses, types } = reading.found;
        types.values().for_each(|of| whole += &format!("\n{of}"));
        let kind = match () {
            () if is_function(text) => SymbolKind::Function,
            () if says(text, "alias") || says(text, "ifunc") => SymbolKind::Alias,
            () => SymbolKind::Variable,
        };
        let defined = !text.starts_with("declare") && !says(text, "external") && !says(text, "extern_weak");
        let (external, constant) = (!says(text, "internal"), says(text, "constant"));
        Symbol { kind, text: whole, mentions, addresses, defined, external, constant, of }
    }
}

fn is_function(text: &str) -> bool {
    text.starts_with("define") || text.starts_with("declare")
}

/// Whether a word stands in what is said of a symbol; of a function, before its name.
fn says(text: &str, word: &str) -> bool {
    let is_name = |word: &Word| is_function(text) && matches!(word, Word::Symbol(_));
    words(text).take_while(|it| !is_name(it)).any(|it| it == Word::Plain(word))
}

/// A text on its way to one that is compared.
struct Reading<'t> {
    texts: &'t Texts<'t>,
    found: Found<'t>,
}

#[derive(Default)]
struct Found<'t> {
    text: String,
    mentions: BTreeSet<String>,
    addresses: BTreeSet<String>,
    types: BTreeMap<&'t str, &'t str>,
}

impl<'t> Reading<'t> {
    /// Reads a text, inside of these that have no names of their own.
    fn read(&mut self, text: &str, inside: &mut Vec<String>) {
        for line in text.lines() {
            self.line(line, inside);
        }
    }

    fn line(&mut self, line: &str, inside: &mut Vec<String>) {
        let loads = words(line).take(3).any(|word| word == Word::Plain("load"));
        let stores = words(line).next() == Some(Word::Plain("store"));
        let count = words(line).filter(|word| matches!(word, Word::Symbol(_))).count();
        let mut words = words(line).peekable();
        let mut seen = 0;
        while let Some(word) = words.next() {
            match word {
                Word::Symbol(name) => {
                    seen += 1;
                    let is_called = words.peek() == Some(&Word::Plain("("));
                    // `store i32 1, ptr @a, align 4`
                    let is_place =
                        loads || (stores && seen == count && words.peek() == Some(&Word::Plain(",")));
                    self.symbol(name, is_called || is_place, inside);
                }
                Word::Local(name) => {
                    self.found.text += &format!("%{name} ");
                    self.of_type(&name);
                }
                Word::Number => {}
                Word::Plain(word) => self.found.text += &format!("{word} "),
            }
        }
    }

    /// A symbol whose address stays here, or may go anywhere.
    fn symbol(&mut self, name: String, stays: bool, inside: &mut Vec<String>) {
        match self.texts.nameless.get(name.as_str()) {
            // Only what it holds counts.
            Some(text) if !inside.contains(&name) => {
                inside.push(name);
                self.found.text += "( ";
                let (_, behind) = text.split_once('=').unwrap_or(("", text));
                self.read(behind, inside);
                self.found.text += ") ";
                inside.pop();
            }
            Some(_) => self.found.text += "( ) ",
            None => {
                self.found.text += &format!("@{name} ");
                if !stays {
                    self.found.addresses.insert(name.clone());
                }
                self.found.mentions.insert(name);
            }
        }
    }

    /// Notes what a type is made of, if it is one.
    fn of_type(&mut self, name: &str) {
        let Some((name, text)) = self.texts.types.get_key_value(name) else { return };
        if self.found.types.insert(name, text).is_none() {
            for word in words(text) {
                if let Word::Local(name) = word {
                    self.of_type(&name);
                }
            }
        }
    }
}
