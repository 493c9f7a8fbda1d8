//! Random inputs, by the types of a function.

use bv::Word;
use ir::{Datum, ExternalId, FunctionId, Input, Object, Program, Type, TypeId};

use super::generator::Random;

/// The most elements of an object.
const ELEMENTS: usize = 5;
/// How many pointers can be followed one after the other.
const DEPTH: u32 = 2;
/// How many results each function without a body has at most.
const RESULTS: usize = 3;

pub(crate) fn random(random: &mut Random, program: &Program, function: FunctionId) -> Input {
    let mut maker = Maker { random, program, objects: vec![] };
    let parameters = &program.function(function).signature.parameters;
    let arguments = parameters.iter().map(|parameter| maker.datum(parameter.of, DEPTH)).collect();
    let mut results = Vec::new();
    for (at, external) in program.externals.iter().enumerate().filter(|(_, external)| !external.prints) {
        if let Some(of) = external.result {
            let count = maker.random.below(RESULTS);
            results.push((ExternalId(at as u32), (0..count).map(|_| maker.datum(of, 0)).collect()));
        }
    }
    Input { arguments, objects: maker.objects, globals: vec![], results }
}

struct Maker<'a> {
    random: &'a mut Random,
    program: &'a Program,
    objects: Vec<Object>,
}

impl Maker<'_> {
    /// A value of a type, with so many pointers to follow.
    fn datum(&mut self, of: TypeId, depth: u32) -> Datum {
        match self.program.of(of) {
            Type::Integer(scalar) => Datum::Word(word(self.random, scalar.width)),
            Type::Float(float) => Datum::Word(number(self.random, float.width)),
            Type::Pointer(pointer) => self.pointer(pointer.to, pointer.constant, depth),
            Type::Array { of, count } => {
                Datum::Aggregate((0..*count).map(|_| self.datum(*of, depth)).collect())
            }
            Type::Record(record) => {
                let parts = self.program.parts(record).into_iter().map(|field| match field.bits {
                    Some(bits) => Datum::Word(word(self.random, bits)),
                    None => self.datum(field.of, depth),
                });
                Datum::Aggregate(parts.collect())
            }
            Type::Opaque { .. } | Type::Function { .. } => self.program.zero(of),
        }
    }

    fn pointer(&mut self, to: TypeId, constant: bool, depth: u32) -> Datum {
        if depth == 0 || self.random.one_in(8) || matches!(self.program.of(to), Type::Function { .. }) {
            return Datum::Null;
        }
        let object = self.objects.len() as u32;
        self.objects.push(Object { of: to, elements: vec![], constant });
        let count = 1 + self.random.below(ELEMENTS);
        let elements = (0..count).map(|_| self.datum(to, depth - 1)).collect();
        self.objects[object as usize].elements = elements;
        let element = if self.random.one_in(6) { self.random.below(count + 1) as u32 } else { 0 };
        Datum::Pointer { object, element }
    }
}

fn word(random: &mut Random, width: u32) -> Word {
    match random.below(8) {
        0 => Word::zero(width),
        1 => Word::one(width),
        2 => Word::ones(width),
        3 => Word::signed_min(width),
        4 => Word::signed_max(width),
        5 => Word::new(width, random.below(20) as u128),
        _ => Word::new(width, random.next().into()),
    }
}

/// A float, often one that is an integer.
fn number(random: &mut Random, width: u32) -> Word {
    let number = match random.below(8) {
        0 => 0.0,
        1 => -0.0,
        2 => f64::INFINITY,
        3 => f64::NAN,
        4 => 1e30,
        5 => random.below(100) as f64 / 8.0,
        _ => random.below(20) as f64 - 10.0,
    };
    bv::float::word(width, number)
}
