//! An input of one program as an input of another: functions, variables and types are known by their names.

use std::collections::HashMap;

use ir::{Datum, FunctionId, Input, Program, Type, TypeId};

/// The same input for the same function of another program.
pub(super) fn translate(
    from: &Program,
    subject: FunctionId,
    to: &Program,
    own: FunctionId,
    input: &Input,
) -> Option<Input> {
    let mut types = HashMap::new();
    let (ones, others) = (&from.function(subject).signature, &to.function(own).signature);
    for (one, other) in ones.parameters.iter().zip(&others.parameters) {
        pair(from, one.of, to, other.of, &mut types);
    }
    let global = |id: ir::GlobalId| {
        let name = &from.global(id).name;
        (0..).map(ir::GlobalId).zip(&to.globals).find(|(_, global)| global.name == *name).map(|(id, _)| id)
    };
    let external = |id: ir::ExternalId| {
        let name = &from.external(id).name;
        let all = (0..).map(ir::ExternalId).zip(&to.externals);
        all.into_iter().find(|(_, external)| external.name == *name).map(|(id, _)| id)
    };
    let datum = |datum: &Datum| rename(from, to, datum);
    let datums = |all: &[Datum]| all.iter().map(datum).collect::<Option<Vec<Datum>>>();
    let mut translated = Input { arguments: datums(&input.arguments)?, ..Input::default() };
    for object in &input.objects {
        let (of, elements) = (*types.get(&object.of)?, datums(&object.elements)?);
        translated.objects.push(ir::Object { of, elements, ..object.clone() });
    }
    for (id, value) in &input.globals {
        translated.globals.push((global(*id)?, datum(value)?));
    }
    for (id, values) in &input.results {
        translated.results.push((external(*id)?, datums(values)?));
    }
    translated.globals.sort();
    translated.results.sort();
    Some(translated)
}

/// Functions are known by their names.
fn rename(from: &Program, to: &Program, datum: &Datum) -> Option<Datum> {
    match datum {
        Datum::Function(id) => Some(Datum::Function(to.named(&from.function(*id).name)?)),
        Datum::Aggregate(parts) => {
            Some(Datum::Aggregate(parts.iter().map(|part| rename(from, to, part)).collect::<Option<_>>()?))
        }
        other => Some(other.clone()),
    }
}

/// Which type of one program is which of the other.
fn pair(from: &Program, one: TypeId, to: &Program, other: TypeId, types: &mut HashMap<TypeId, TypeId>) {
    if types.insert(one, other).is_some() {
        return;
    }
    match (from.of(one), to.of(other)) {
        (Type::Pointer(one), Type::Pointer(other)) => pair(from, one.to, to, other.to, types),
        (Type::Array { of: one, .. }, Type::Array { of: other, .. }) => pair(from, *one, to, *other, types),
        (Type::Record(one), Type::Record(other)) => {
            for (one, other) in one.fields.iter().zip(&other.fields) {
                pair(from, one.of, to, other.of, types);
            }
        }
        _ => {}
    }
}
