//! What a module says, symbol by symbol, so that two versions can be compared without running either.
//!
//! It is read off the text of the module, because that has every kind of symbol in it
//! (`fingerprint/symbol.rs`). `comparison.rs` says what follows if two fingerprints differ.

mod symbol;

use std::collections::{BTreeMap, BTreeSet};

use inkwell::context::Context;
use inkwell::values::FunctionValue;

use crate::assertion;
use crate::lift::has_signed_result;
use crate::{Error, parse_with_aliases};
use symbol::{Entry, Texts, entries};
pub(super) use symbol::{Symbol, SymbolKind};

/// What a module has, apart from names that mean nothing.
#[derive(Default)]
pub(crate) struct Fingerprint {
    pub(super) symbols: BTreeMap<String, Symbol>,
    /// Assembly outside of functions.
    pub(super) assembly: String,
    /// Inline functions of the user's, whether or not the module has their bodies.
    pub(super) inline: BTreeSet<String>,
    /// Second names that other files see ([aliases](crate::alias)), each with the first.
    pub(super) seconds: BTreeMap<String, String>,
}

impl Fingerprint {
    pub(crate) fn of(bitcode: &[u8], inline: &BTreeSet<String>) -> Result<Fingerprint, Error> {
        // In a context of its own, types have the names that they have in the file.
        let context = Context::create();
        let (module, aliases) = parse_with_aliases(&context, bitcode)?;
        let signs: BTreeMap<String, Option<bool>> = module.get_functions().map(sign).collect();
        module.strip_debug_info();
        assertion::forget_messages(&module);
        let of = |function: FunctionValue| {
            let name = function.get_name().to_string_lossy().into_owned();
            (name, function.get_type().print_to_string().to_string())
        };
        let types = module.get_functions().map(of).collect();
        let mut found = Fingerprint::read(&module.print_to_string().to_string(), &types);
        for (name, symbol) in &mut found.symbols {
            // The code does not tell which number a caller gets that has a wider type for the result.
            let sign = signs.get(name).copied().flatten().filter(|_| symbol.defined);
            symbol.text += &sign.map_or(String::new(), |signed| format!("\nsigned result: {signed}"));
        }
        let visible = aliases.into_iter().filter(|alias| alias.visible);
        let seconds = visible.map(|alias| (alias.name, alias.symbol)).collect();
        Ok(Fingerprint { inline: inline.clone(), seconds, ..found })
    }

    /// Reads the text of a module, whose functions have these types.
    pub(super) fn read(module: &str, types: &BTreeMap<String, String>) -> Fingerprint {
        let entries = entries(module);
        let texts = Texts::new(&entries);
        let mut found = Fingerprint::default();
        for entry in &entries {
            match entry {
                Entry::Symbol { name, text } if !texts.nameless.contains_key(name.as_str()) => {
                    let of = types.get(name).cloned().unwrap_or_default();
                    found.symbols.insert(name.clone(), texts.symbol(text, of));
                }
                Entry::Assembly(text) => found.assembly += text,
                Entry::Symbol { .. } | Entry::Type { .. } => {}
            }
        }
        found
    }

    /// All functions with a body.
    pub(super) fn functions(&self) -> impl Iterator<Item = &String> {
        let is_body =
            |(_, symbol): &(&String, &Symbol)| symbol.kind == SymbolKind::Function && symbol.defined;
        self.symbols.iter().filter(is_body).map(|(name, _)| name)
    }

    /// Those of them that other files can call.
    pub(super) fn callable(&self) -> impl Iterator<Item = &String> {
        self.functions().filter(|name| self.symbols[*name].external)
    }

    pub(super) fn is_alias(&self, name: &str) -> bool {
        self.symbols.get(name).is_some_and(|symbol| symbol.kind == SymbolKind::Alias)
    }

    /// What a version that defines these functions lacks, so that it cannot take the place of the file.
    pub(crate) fn missing(&self, defined: &[String]) -> Option<String> {
        self.callable().find(|name| !defined.contains(name)).map(|name| format!("`{name}` is missing"))
    }
}

/// The name of a function, and whether its result is a signed integer.
fn sign(function: FunctionValue) -> (String, Option<bool>) {
    (function.get_name().to_string_lossy().into_owned(), has_signed_result(function))
}
