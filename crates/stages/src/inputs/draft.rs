//! Building an input by the types of a signature. A taste chooses the values.
//!
//! Memory is built before numbers, so that a number can be the length of an array beside it. That holds for
//! arguments and for the fields of a struct.

use bv::Word;
use ir::{
    Datum, ExternalId, FunctionId, Input, Object, Pointer, Program, STREAM, Space, Type, TypeId,
    make_command_line,
};

/// The choice of values.
pub(super) trait Taste {
    /// The next values are for this argument, global or function without a body, counted over all of them.
    fn turn_to(&mut self, place: usize);
    /// An integer that is passed on its own, given the lengths of what stands around it, the nearest first.
    fn argument(&mut self, width: u32, around: &[Length]) -> Word;
    /// An integer in a struct.
    fn field(&mut self, width: u32, around: &[Length]) -> Word;
    /// The elements of an array.
    fn integers(&mut self, width: u32, count: usize) -> Vec<Word>;
    fn float(&mut self, width: u32) -> Word;
    /// At most so many bytes of text, with its end if it has one and some room behind; None for plain bytes.
    fn text(&mut self, most: usize, use_of: Use) -> Option<Vec<u8>>;
    fn is_null(&mut self, nesting: Nesting) -> bool;
    /// How many elements an object has, from 1 on.
    fn length(&mut self, most: u32, record: bool) -> u32;
    /// One of these functions, by position; None for null.
    fn function(&mut self, candidates: usize) -> Option<usize>;
    /// The element of an earlier object of so many elements to point to; None for an object of its own.
    fn shares(&mut self, elements: usize) -> Option<usize>;
    /// Whether two pointers into one object change places.
    fn swaps(&mut self) -> bool;
    /// How many results a function without a body has.
    fn results(&mut self) -> Results;
}

/// How long something is, in elements or in characters, and how far away it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Length {
    pub(super) count: u64,
    pub(super) distance: usize,
}

/// What a function may do with bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// They are `const char`, so most likely a text.
    Text,
    /// They are `char`, so there should be room to write.
    Buffer,
    /// They are numbers, or nobody knows.
    Bytes,
}

/// Where a pointer stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nesting {
    Outer,
    Inner,
    /// In memory, and to a struct with pointers: a list ends, a tree has leaves.
    Node,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Results {
    pub(super) count: usize,
    /// The last one is -1. Many functions say so that there is no more.
    pub(super) end: bool,
}

/// An input after somebody's taste; gives the taste back.
pub(super) fn draft<T: Taste>(
    program: &Program,
    function: FunctionId,
    space: &Space,
    externals: &[ExternalId],
    taste: T,
) -> (Input, T) {
    let mut draft = Draft { program, space, taste, objects: vec![] };
    let arguments = draft.arguments(function);
    let first = arguments.len();
    let globals = draft.globals(first);
    let results = draft.results(first + globals.len(), externals);
    let mut input = Input { arguments, objects: draft.objects, globals, results };
    make_command_line(program, function, &mut input);
    (input, draft.taste)
}

struct Draft<'a, T> {
    program: &'a Program,
    space: &'a Space,
    taste: T,
    objects: Vec<Object>,
}

impl<'a, T: Taste> Draft<'a, T> {
    fn arguments(&mut self, function: FunctionId) -> Vec<Datum> {
        let parameters = &self.program.function(function).signature.parameters;
        let types: Vec<TypeId> = parameters.iter().map(|parameter| parameter.of).collect();
        let mut made = self.siblings(&types, |draft, at, around, made| {
            draft.taste.turn_to(at);
            draft.shared(at, types[at], made).unwrap_or_else(|| draft.datum(types[at], 1, around))
        });
        // Either of two may point further on.
        for (one, other) in &self.space.may_alias {
            let (Datum::Pointer { object, .. }, Datum::Pointer { object: same, .. }) =
                (&made[*one], &made[*other])
            else {
                continue;
            };
            if object == same && self.taste.swaps() {
                made.swap(*one, *other);
            }
        }
        made
    }

    fn globals(&mut self, first: usize) -> Vec<(ir::GlobalId, Datum)> {
        let space = self.space;
        let types: Vec<TypeId> = space.globals.iter().map(|global| self.program.global(*global).of).collect();
        let data = self.siblings(&types, |draft, at, around, _| {
            draft.taste.turn_to(first + at);
            draft.datum(types[at], 1, around)
        });
        space.globals.iter().copied().zip(data).collect()
    }

    fn results(&mut self, first: usize, externals: &[ExternalId]) -> Vec<(ExternalId, Vec<Datum>)> {
        let mut all = Vec::new();
        for (at, external) in externals.iter().enumerate() {
            let Some(of) = self.program.external(*external).result else { continue };
            self.taste.turn_to(first + at);
            let Results { count, end } = self.taste.results();
            let mut results: Vec<Datum> = (0..count).map(|_| self.datum(of, 1, &[])).collect();
            if let (true, Type::Integer(scalar), Some(last)) = (end, self.program.of(of), results.last_mut())
            {
                *last = Datum::Word(Word::ones(scalar.width));
            }
            // After the last one come zeros anyway.
            while results.last() == Some(&self.program.zero(of)) {
                results.pop();
            }
            if !results.is_empty() {
                all.push((*external, results));
            }
        }
        all
    }

    /// Values that stand beside each other, memory first. `make` is given the lengths of those that are made
    /// already, and the values themselves.
    fn siblings(
        &mut self,
        types: &[TypeId],
        mut make: impl FnMut(&mut Self, usize, &[Length], &[Option<Datum>]) -> Datum,
    ) -> Vec<Datum> {
        let is_memory =
            |at: &usize| matches!(self.program.of(types[*at]), Type::Pointer(_) | Type::Array { .. });
        let (memory, rest): (Vec<usize>, Vec<usize>) = (0..types.len()).partition(is_memory);
        let mut made: Vec<Option<Datum>> = vec![None; types.len()];
        let mut lengths: Vec<(usize, u64)> = Vec::new();
        for at in memory.into_iter().chain(rest) {
            lengths.sort_by_key(|(other, _)| other.abs_diff(at));
            let around: Vec<Length> = lengths
                .iter()
                .map(|(other, count)| Length { count: *count, distance: other.abs_diff(at) })
                .collect();
            let datum = make(self, at, &around, &made);
            lengths.extend(self.lengths(types[at], &datum).into_iter().map(|count| (at, count)));
            made[at] = Some(datum);
        }
        made.into_iter().flatten().collect()
    }

    /// How long a value is: its elements, and the text in them.
    fn lengths(&self, of: TypeId, datum: &Datum) -> Vec<u64> {
        let (of, elements) = match (self.program.of(of), datum) {
            (Type::Array { of, .. }, Datum::Aggregate(elements)) => (*of, elements),
            (_, Datum::Pointer { object, .. }) => {
                let object = &self.objects[*object as usize];
                (object.of, &object.elements)
            }
            _ => return vec![],
        };
        let count = elements.len() as u64;
        match self.program.of(of) {
            Type::Record(_) if count == 1 => vec![],
            Type::Integer(scalar) if scalar.width == 8 => {
                let is_end = |datum: &Datum| datum.word().is_some_and(Word::is_zero);
                let end = elements.iter().position(is_end).map(|end| end as u64);
                std::iter::once(count).chain(end).collect()
            }
            _ => vec![count],
        }
    }

    /// A pointer into the object of an earlier argument, where the space allows it and the types agree.
    fn shared(&mut self, at: usize, of: TypeId, made: &[Option<Datum>]) -> Option<Datum> {
        let Type::Pointer(pointer) = self.program.of(of) else { return None };
        let partners = self.space.may_alias.iter().filter_map(|pair| match *pair {
            (one, other) if one == at => Some(other),
            (one, other) if other == at => Some(one),
            _ => None,
        });
        let object_of = |argument: usize| match made.get(argument) {
            Some(Some(Datum::Pointer { object, .. })) => Some(*object),
            _ => None,
        };
        for partner in partners {
            let Some(object) = object_of(partner) else { continue };
            // If two pairs may share an object, all three still may not.
            let borrowed = (0..partner).any(|earlier| object_of(earlier) == Some(object));
            let target = &mut self.objects[object as usize];
            if borrowed || target.of != pointer.to {
                continue;
            }
            if let Some(element) = self.taste.shares(target.elements.len()) {
                target.constant &= pointer.constant;
                return Some(Datum::Pointer { object, element: element as u32 });
            }
        }
        None
    }

    /// A value that is reached by following so many pointers, itself included.
    fn datum(&mut self, of: TypeId, depth: u32, around: &[Length]) -> Datum {
        let program = self.program;
        match program.of(of) {
            Type::Integer(scalar) => Datum::Word(self.taste.argument(scalar.width, around)),
            Type::Float(float) => Datum::Word(self.taste.float(float.width)),
            Type::Pointer(pointer) => self.pointer(pointer, depth),
            Type::Array { of, count } => Datum::Aggregate(self.array(*of, *count as usize, depth)),
            Type::Record(record) => {
                let parts = program.parts(record);
                let types: Vec<TypeId> = parts.iter().map(|field| field.of).collect();
                Datum::Aggregate(self.siblings(&types, |draft, at, around, _| match program.of(types[at]) {
                    Type::Integer(scalar) => {
                        let width = parts[at].bits.unwrap_or(scalar.width);
                        Datum::Word(draft.taste.field(width, around))
                    }
                    _ => draft.datum(types[at], depth, around),
                }))
            }
            Type::Function { .. } | Type::Opaque { .. } => program.zero(of),
        }
    }

    fn pointer(&mut self, pointer: &Pointer, depth: u32) -> Datum {
        let program = self.program;
        if let Type::Function { .. } = program.of(pointer.to) {
            let candidates = self.space.candidates(program, pointer.to);
            let chosen = self.taste.function(candidates.len());
            return chosen.map_or(Datum::Null, |at| Datum::Function(candidates[at]));
        }
        let record = matches!(program.of(pointer.to), Type::Record(_));
        let nesting = match (depth, record && program.has_pointers(pointer.to)) {
            (1, _) => Nesting::Outer,
            (_, true) => Nesting::Node,
            (_, false) => Nesting::Inner,
        };
        if depth > self.space.depth || self.taste.is_null(nesting) {
            return Datum::Null;
        }
        // Its number is taken at once, so that the objects it points to come after it.
        let object = self.objects.len();
        self.objects.push(Object { of: pointer.to, elements: vec![], constant: pointer.constant });
        let most = self.space.elements(program, pointer.to, depth).max(1);
        let text = self.text(pointer.to, most as usize, pointer.constant, pointer.untyped);
        let elements = text.unwrap_or_else(|| {
            let count = self.taste.length(most, record) as usize;
            self.elements(pointer.to, count, depth + 1)
        });
        self.objects[object].elements = elements;
        Datum::Pointer { object: object as u32, element: 0 }
    }

    fn array(&mut self, of: TypeId, count: usize, depth: u32) -> Vec<Datum> {
        match self.text(of, count, false, false) {
            Some(mut text) => {
                text.resize(count, self.program.zero(of));
                text
            }
            None => self.elements(of, count, depth),
        }
    }

    /// Bytes that are a text.
    fn text(&mut self, of: TypeId, most: usize, constant: bool, untyped: bool) -> Option<Vec<Datum>> {
        let Type::Integer(scalar) = self.program.of(of) else { return None };
        if scalar.width != 8 || most == 0 {
            return None;
        }
        let use_of = match (scalar.name == "char" && !untyped, constant) {
            _ if scalar.name == STREAM => Use::Text,
            (true, true) => Use::Text,
            (true, false) => Use::Buffer,
            (false, _) => Use::Bytes,
        };
        let text = self.taste.text(most, use_of)?;
        Some(text.into_iter().map(|byte| Datum::Word(Word::new(8, byte.into()))).collect())
    }

    fn elements(&mut self, of: TypeId, count: usize, depth: u32) -> Vec<Datum> {
        match self.program.of(of) {
            Type::Integer(scalar) => {
                self.taste.integers(scalar.width, count).into_iter().map(Datum::Word).collect()
            }
            _ => (0..count).map(|_| self.datum(of, depth, &[])).collect(),
        }
    }
}
