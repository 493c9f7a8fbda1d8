//! Relations in the user's words.

use std::collections::BTreeSet;

use ir::{Function, Register};

/// What the user calls a register.
pub(super) fn name(function: &Function, register: Register) -> Option<String> {
    let parameter = function.signature.parameters.get(register.0 as usize).filter(|_| {
        (register.0 as usize) < function.arity && function.signature.parameters.len() == function.arity
    });
    let parameter = parameter.map(|parameter| parameter.name.clone());
    function.names.0.get(&register).cloned().or(parameter).filter(|name| !name.is_empty())
}

/// More equations than this are more than anybody reads.
const SHOWN: usize = 8;

/// The equations as one.
pub(super) fn listed(mut words: Vec<String>) -> String {
    let mut seen = BTreeSet::new();
    words.retain(|word| seen.insert(word.clone()));
    let more = words.len().saturating_sub(SHOWN);
    words.truncate(SHOWN);
    match (words.is_empty(), more) {
        (true, _) => "the loops keep step".to_string(),
        (false, 0) => words.join(" && "),
        (false, more) => format!("{} && {more} more", words.join(" && ")),
    }
}
