//! Names for structs and unions that have none, so that a test can declare one.
//!
//! A member keeps its type as it is: `struct { int x; } at;` reads well inside of the
//! struct around it. But a test that makes such an object by itself, or passes a pointer
//! to one, needs the same type in two places. In C, a tag cannot clash with other names.
//! So the struct takes the name of the variable that leads to it: `struct state state`.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Program, Type, TypeId};

use crate::declare::is_named;

/// The program, with a tag for each unnamed record that is anything but a member.
pub(crate) fn name_records(program: &Program) -> Program {
    let mut wanted = BTreeMap::new();
    for (of, name) in uses(program) {
        if let Some(record) = record_in(program, of) {
            wanted.entry(record).or_insert(name);
        }
    }
    let mut taken: BTreeSet<String> = program.types.iter().filter_map(tag).collect();
    let mut program = program.clone();
    for (id, name) in wanted {
        let Type::Record(record) = &mut program.types[id.0 as usize] else { continue };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        let keyword = if record.union { "union" } else { "struct" };
        record.name = format!("{keyword} {}", free.unwrap_or(name));
    }
    program
}

/// The types of all that is not a member, each with a name that fits it.
fn uses(program: &Program) -> Vec<(TypeId, String)> {
    let mut uses = Vec::new();
    let fitting = |name: &str| if is_word(name) { name.to_string() } else { "unnamed".to_string() };
    uses.extend(program.globals.iter().map(|global| (global.of, fitting(&global.name))));
    for of in &program.types {
        if let Type::Pointer(pointer) = of
            && is_word(&pointer.name)
        {
            uses.push((pointer.to, pointer.name.clone()));
        }
    }
    for signature in program.functions.iter().map(|function| &function.signature) {
        for parameter in &signature.parameters {
            uses.push((target(program, parameter.of), fitting(&parameter.name)));
        }
        uses.extend(signature.result.map(|of| (target(program, of), fitting(""))));
    }
    for of in &program.types {
        match of {
            Type::Pointer(pointer) => uses.push((pointer.to, fitting(""))),
            Type::Function { parameters, result, .. } => {
                uses.extend(parameters.iter().chain(result).map(|of| (*of, fitting(""))));
            }
            _ => {}
        }
    }
    uses
}

/// What a parameter is, or leads to.
fn target(program: &Program, of: TypeId) -> TypeId {
    match program.of(of) {
        Type::Pointer(pointer) => pointer.to,
        _ => of,
    }
}

/// The record without a name that a value is, or is an array of.
fn record_in(program: &Program, of: TypeId) -> Option<TypeId> {
    match program.of(of) {
        Type::Array { of, .. } => record_in(program, *of),
        Type::Record(record) => (!is_named(record)).then_some(of),
        _ => None,
    }
}

fn tag(of: &Type) -> Option<String> {
    let Type::Record(record) = of else { return None };
    record.name.split_once(' ').map(|(_, tag)| tag.to_string())
}

fn is_word(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_letter) && !name.starts_with(|c: char| c.is_ascii_digit())
}
