//! The leaves of an input: its words and pointers, in order, with what they are to a reader.

use ir::{Datum, FunctionId, Input, Program, Type, TypeId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LeafKind {
    Integer,
    Float,
    /// A `char`, as in a text.
    Character,
    /// A `char` in a struct or an array of arrays: if it is zero, it need not be written at all.
    Omissible,
    Pointer,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leaf<'a> {
    pub kind: LeafKind,
    pub datum: &'a Datum,
    /// One of many, so it says nothing about the size of something else.
    pub element: bool,
    /// The object that it lies in, by position.
    pub object: Option<usize>,
}

impl Leaf<'_> {
    /// Makes it one of an aggregate's.
    fn inside(&mut self) {
        if self.kind == LeafKind::Character {
            self.kind = LeafKind::Omissible;
        }
    }
}

/// All leaves: of the arguments, of the objects, of the globals, of the results.
pub(super) fn leaves<'a>(program: &Program, subject: FunctionId, input: &'a Input) -> Vec<Leaf<'a>> {
    let mut leaves = Vec::new();
    let mut place = |of: TypeId, datum: &'a Datum, element: bool, object: Option<usize>| {
        let before = leaves.len();
        gather(program, of, datum, element, object, &mut leaves);
        if let Datum::Aggregate(_) = datum {
            leaves[before..].iter_mut().for_each(Leaf::inside);
        }
    };
    for (parameter, datum) in program.function(subject).signature.parameters.iter().zip(&input.arguments) {
        place(parameter.of, datum, false, None);
    }
    for (at, object) in input.objects.iter().enumerate() {
        object.elements.iter().for_each(|element| place(object.of, element, true, Some(at)));
    }
    for (global, datum) in &input.globals {
        place(program.global(*global).of, datum, false, None);
    }
    for (external, results) in &input.results {
        let Some(of) = program.external(*external).result else { continue };
        results.iter().for_each(|datum| place(of, datum, true, None));
    }
    leaves
}

/// The same leaves, in the same order, to be changed.
pub(super) fn leaves_mut(input: &mut Input) -> Vec<&mut Datum> {
    let mut leaves = Vec::new();
    let elements = input.objects.iter_mut().flat_map(|object| &mut object.elements);
    let globals = input.globals.iter_mut().map(|(_, datum)| datum);
    let results = input.results.iter_mut().flat_map(|(_, results)| results);
    for datum in input.arguments.iter_mut().chain(elements).chain(globals).chain(results) {
        flatten(datum, &mut leaves);
    }
    leaves
}

/// Whether it is C's plain `char`; those with a sign, or without, are numbers to most programs.
pub(super) fn is_character(program: &Program, of: TypeId) -> bool {
    program.is_stream(of)
        || matches!(program.of(of), Type::Integer(scalar) if scalar.width == 8 && scalar.name == "char")
}

fn gather<'a>(
    program: &Program,
    of: TypeId,
    datum: &'a Datum,
    element: bool,
    object: Option<usize>,
    leaves: &mut Vec<Leaf<'a>>,
) {
    match (program.of(of), datum) {
        (Type::Array { of, .. }, Datum::Aggregate(parts)) => {
            parts.iter().for_each(|part| gather(program, *of, part, true, object, leaves));
        }
        (Type::Record(record), Datum::Aggregate(parts)) => {
            for (field, part) in program.parts(record).into_iter().zip(parts) {
                gather(program, field.of, part, false, object, leaves);
            }
        }
        (_, Datum::Aggregate(parts)) => {
            leaves.extend(parts.iter().map(|datum| Leaf { kind: LeafKind::Integer, datum, element, object }));
        }
        (found, Datum::Word(_)) => {
            let kind = match found {
                Type::Float(_) => LeafKind::Float,
                _ if is_character(program, of) => LeafKind::Character,
                _ => LeafKind::Integer,
            };
            leaves.push(Leaf { kind, datum, element, object });
        }
        _ => leaves.push(Leaf { kind: LeafKind::Pointer, datum, element, object }),
    }
}

fn flatten<'a>(datum: &'a mut Datum, leaves: &mut Vec<&'a mut Datum>) {
    match datum {
        Datum::Aggregate(parts) => parts.iter_mut().for_each(|part| flatten(part, leaves)),
        leaf => leaves.push(leaf),
    }
}
