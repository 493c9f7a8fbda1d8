//! Types, globals and functions without a body, as text.
//!
//! Small types are written where they are used, others in a table. The table is left out
//! if reading the rest makes the same one. That is so for most programs written by hand.

use std::fmt::{self, Display, Formatter};

use super::Names;
use crate::text::token::Name;
use crate::{External, Field, Function, Global, Parameter, Program, Record, Type, TypeId};

/// How many pointers in a row are written out.
const DEEPEST: u32 = 2;

/// Whether something stands before the functions.
pub(super) fn is_shown(program: &Program) -> bool {
    !(program.globals.is_empty() && program.externals.is_empty() && is_implied(program))
}

pub(super) fn print_table(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    if is_implied(program) {
        return Ok(());
    }
    for (at, of) in program.types.iter().enumerate() {
        write!(f, "type {at} = ")?;
        print_type(f, of, &|f, id| write!(f, "type {}", id.0))?;
        writeln!(f)?;
    }
    Ok(())
}

pub(super) fn print_global(f: &mut Formatter<'_>, program: &Program, global: &Global) -> fmt::Result {
    write!(f, "global @{}: {} = ", Name(&global.name), Shown(program, global.of))?;
    match global.contents.iter().all(|byte| *byte == 0) {
        true => write!(f, "zero {}", global.contents.len())?,
        // A byte is the character with its number.
        false => write!(f, "{:?}", global.contents.iter().map(|byte| char::from(*byte)).collect::<String>())?,
    }
    write!(f, "{}", if global.constant { " constant" } else { "" })?;
    writeln!(f, "{}", if global.external { "" } else { " static" })
}

pub(super) fn print_external(f: &mut Formatter<'_>, program: &Program, external: &External) -> fmt::Result {
    write!(f, "external @{}(", Name(&external.name))?;
    for (at, of) in external.parameters.iter().enumerate() {
        write!(f, "{}{}", if at > 0 { ", " } else { "" }, Shown(program, *of))?;
    }
    write!(f, ")")?;
    if let Some(result) = external.result {
        write!(f, " -> {}", Shown(program, result))?;
    }
    write!(f, "{}", if external.variadic { " variadic" } else { "" })?;
    writeln!(f, "{}", if external.prints { " prints" } else { "" })
}

/// What stands before a function's blocks.
pub(super) fn print_head(f: &mut Formatter<'_>, names: &Names, function: &Function) -> fmt::Result {
    let program = names.program;
    let plain = is_plain(program, function);
    write!(f, "function @{}(", Name(&function.name))?;
    for (at, Parameter { name, of }) in function.signature.parameters.iter().enumerate() {
        write!(f, "{}", if at > 0 { ", " } else { "" })?;
        if plain {
            write!(f, "%{at} ")?;
        }
        write!(f, "{}: {}", Name(name), Shown(program, *of))?;
    }
    write!(f, ")")?;
    if let Some(result) = function.signature.result {
        write!(f, " -> {}", Shown(program, result))?;
    }
    write!(f, "{}", if function.signature.variadic { " variadic" } else { "" })?;
    if !plain {
        write!(f, " as (")?;
        for (at, width) in function.registers.iter().take(function.arity).enumerate() {
            write!(f, "{}%{at}:i{width}", if at > 0 { ", " } else { "" })?;
        }
        write!(f, ")")?;
        if let Some(width) = function.result {
            write!(f, " -> i{width}")?;
        }
    }
    if let Some(door) = function.door {
        write!(f, " door @{}", Name(&names.function(door)))?;
    }
    write!(f, "{}", if function.library { " library" } else { "" })?;
    write!(f, "{}", if function.external { "" } else { " static" })
}

/// Whether the registers are what the signature says.
fn is_plain(program: &Program, function: &Function) -> bool {
    let width = |of: TypeId| program.types.get(of.0 as usize).and_then(|_| program.width(of));
    let signature = &function.signature;
    let parameters = signature.parameters.iter().map(|parameter| width(parameter.of));
    let registers = function.registers.iter().take(function.arity).map(|width| Some(*width));
    let result = signature.result.map(width);
    function.registers.len() >= function.arity
        && parameters.eq(registers)
        && result.is_none_or(|width| width.is_some())
        && function.result == result.flatten()
}

/// A type where it is used.
pub(super) struct Shown<'a>(pub &'a Program, pub TypeId);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Shown(program, id) = *self;
        if is_small(program, id, DEEPEST) {
            print_type(f, program.of(id), &|f, inner| write!(f, "{}", Shown(program, inner)))
        } else {
            write!(f, "type {}", id.0)
        }
    }
}

/// A number, or a pointer to one. Of types that are the same, the first one is meant.
fn is_small(program: &Program, id: TypeId, depth: u32) -> bool {
    let Some(of) = program.types.get(id.0 as usize) else { return false };
    let first = program.types.iter().position(|other| other == of) == Some(id.0 as usize);
    first
        && match of {
            Type::Integer(_) | Type::Float(_) => true,
            Type::Pointer(pointer) => depth > 0 && is_small(program, pointer.to, depth - 1),
            _ => false,
        }
}

/// Whether to read all that is shown, in order, makes just this table.
fn is_implied(program: &Program) -> bool {
    let mut made: Vec<TypeId> = Vec::new();
    for id in used(program) {
        let mut chain = vec![id];
        while let Some(Type::Pointer(pointer)) = chain.last().and_then(|id| program.types.get(id.0 as usize))
        {
            if chain.len() > DEEPEST as usize {
                return false;
            }
            chain.push(pointer.to);
        }
        if !is_small(program, id, DEEPEST) {
            return false;
        }
        for id in chain.into_iter().rev().filter(|id| !made.contains(id)).collect::<Vec<_>>() {
            made.push(id);
        }
    }
    made.into_iter().eq((0..program.types.len() as u32).map(TypeId))
}

/// The types that the text mentions, in order.
fn used(program: &Program) -> Vec<TypeId> {
    let mut used: Vec<TypeId> = program.globals.iter().map(|global| global.of).collect();
    for external in &program.externals {
        used.extend(external.parameters.iter().chain(&external.result));
    }
    for function in &program.functions {
        used.extend(function.signature.parameters.iter().map(|parameter| parameter.of));
        used.extend(function.signature.result);
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        for instruction in instructions {
            if let crate::Action::External { arguments, .. } = &instruction.action {
                used.extend(arguments.iter().map(|argument| argument.of));
            }
        }
    }
    used
}

type PrintInner<'a> = &'a dyn Fn(&mut Formatter<'_>, TypeId) -> fmt::Result;

fn print_type(f: &mut Formatter<'_>, of: &Type, inner: PrintInner) -> fmt::Result {
    match of {
        Type::Integer(scalar) => {
            write!(f, "{}{} {:?}", if scalar.signed { 's' } else { 'u' }, scalar.width, scalar.name)
        }
        Type::Float(float) => write!(f, "f{} {:?}", float.width, float.name),
        Type::Pointer(pointer) => {
            write!(f, "pointer {:?}", pointer.name)?;
            write!(f, "{}", if pointer.constant { " constant" } else { "" })?;
            write!(f, "{} to ", if pointer.untyped { " untyped" } else { "" })?;
            inner(f, pointer.to)
        }
        Type::Array { of, count } => {
            write!(f, "array {count} of ")?;
            inner(f, *of)
        }
        Type::Record(record) => print_record(f, record, inner),
        Type::Function { parameters, result, variadic } => {
            write!(f, "function (")?;
            for (at, of) in parameters.iter().enumerate() {
                write!(f, "{}", if at > 0 { ", " } else { "" })?;
                inner(f, *of)?;
            }
            write!(f, ")")?;
            if let Some(result) = result {
                write!(f, " -> ")?;
                inner(f, *result)?;
            }
            write!(f, "{}", if *variadic { " variadic" } else { "" })
        }
        Type::Opaque { name, size } => write!(f, "opaque {name:?} {size}"),
    }
}

fn print_record(f: &mut Formatter<'_>, record: &Record, inner: PrintInner) -> fmt::Result {
    write!(f, "{} {:?} {}", if record.union { "union" } else { "struct" }, record.name, record.size)?;
    write!(f, "{} {{", if record.flexible { " flexible" } else { "" })?;
    for (at, Field { name, of, offset, bits }) in record.fields.iter().enumerate() {
        write!(f, "{} {}: ", if at > 0 { "," } else { "" }, Name(name))?;
        inner(f, *of)?;
        write!(f, " at {offset}")?;
        bits.map_or(Ok(()), |bits| write!(f, " bits {bits}"))?;
    }
    write!(f, " }}")
}
