//! What always holds of types, globals and functions without a body.

use super::{FLOATS, Flaw, known, report, sane};
use crate::{Field, Program, Type, TypeId};

pub(super) fn verify(program: &Program, flaws: &mut Vec<Flaw>) {
    for (at, of) in program.types.iter().enumerate() {
        report(flaws, &format!("type {at}"), verify_mentioned(program, of));
    }
    // Sizes can be asked for only where all that is mentioned is there.
    if !flaws.is_empty() {
        return;
    }
    for at in 0..program.types.len() {
        if contains_itself(program, TypeId(at as u32), program.types.len()) {
            report(flaws, &format!("type {at}"), Err("it contains itself".to_string()));
        }
    }
    if !flaws.is_empty() {
        return;
    }
    for (at, of) in program.types.iter().enumerate() {
        report(flaws, &format!("type {at}"), verify_type(program, of));
    }
    for global in &program.globals {
        let result = known(program, global.of).and_then(|()| {
            let (found, expected) = (global.contents.len() as u64, program.size(global.of));
            let fits = found >= expected;
            if fits { Ok(()) } else { Err(format!("it has {found} bytes, and its type {expected}")) }
        });
        report(flaws, &format!("@{}", global.name), result);
    }
    for external in &program.externals {
        let mentioned = external.parameters.iter().copied().chain(external.result);
        let result = mentioned.into_iter().try_for_each(|of| known(program, of));
        report(flaws, &format!("@{}", external.name), result);
    }
}

fn verify_mentioned(program: &Program, of: &Type) -> Result<(), String> {
    match of {
        Type::Pointer(pointer) => known(program, pointer.to),
        Type::Array { of, .. } => known(program, *of),
        Type::Record(record) => record.fields.iter().try_for_each(|field| known(program, field.of)),
        Type::Function { parameters, result, .. } => {
            parameters.iter().chain(result).try_for_each(|of| known(program, *of))
        }
        Type::Integer(_) | Type::Float(_) | Type::Opaque { .. } => Ok(()),
    }
}

/// Whether a value has one of its own type in it, and so no size. Nothing nests deeper than there are types.
fn contains_itself(program: &Program, of: TypeId, deepest: usize) -> bool {
    let Some(deeper) = deepest.checked_sub(1) else { return true };
    match program.of(of) {
        Type::Array { of, .. } => contains_itself(program, *of, deeper),
        Type::Record(record) => record.fields.iter().any(|field| contains_itself(program, field.of, deeper)),
        _ => false,
    }
}

fn verify_type(program: &Program, of: &Type) -> Result<(), String> {
    match of {
        Type::Integer(scalar) => sane(scalar.width),
        Type::Float(float) if !FLOATS.contains(&float.width) => {
            Err(format!("there are no floats of i{}", float.width))
        }
        Type::Record(record) => {
            record.fields.iter().try_for_each(|field| verify_field(program, record.size, field))
        }
        _ => Ok(()),
    }
}

fn verify_field(program: &Program, size: u64, field: &Field) -> Result<(), String> {
    let name = &field.name;
    let width = match field.bits {
        None if !field.offset.is_multiple_of(8) => {
            return Err(format!("field {name:?} starts within a byte"));
        }
        None => 8 * program.size(field.of),
        Some(bits) => match program.of(field.of) {
            Type::Integer(scalar) if (1..=scalar.width).contains(&bits) => bits.into(),
            _ => return Err(format!("field {name:?} has no {bits} bits")),
        },
    };
    let fits = field.offset.checked_add(width).is_some_and(|end| end <= 8 * size);
    if fits { Ok(()) } else { Err(format!("field {name:?} ends outside of the record")) }
}
