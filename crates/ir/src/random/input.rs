//! Random inputs, biased towards values at which programs change their mind.

use arbitrary::{Result, Unstructured};
use bv::Word;

use super::border::MOST_ELEMENTS;
use super::{SUBJECT, one_in, word};
use crate::{Datum, ExternalId, FunctionId, GlobalId, Input, Object, Pointer, Program, Type, TypeId};

/// How many pointers can be followed one after the other.
const DEPTH: u32 = 2;

/// A random input for a function of the program.
pub fn input(u: &mut Unstructured, program: &Program, function: FunctionId) -> Result<Input> {
    let mut maker = Maker { u, program, objects: vec![] };
    let parameters = program.function(function).signature.parameters.iter();
    let arguments = parameters.map(|parameter| maker.datum(parameter.of, DEPTH)).collect::<Result<_>>()?;
    let mut globals = Vec::new();
    for (at, global) in program.globals.iter().enumerate() {
        if !global.constant && one_in(maker.u, 4)? {
            globals.push((GlobalId(at as u32), maker.datum(global.of, 0)?));
        }
    }
    let mut results = Vec::new();
    for (at, external) in program.externals.iter().enumerate().filter(|(_, external)| !external.prints) {
        if let Some(of) = external.result {
            let count = maker.u.int_in_range(0..=3)?;
            let given = (0..count).map(|_| maker.datum(of, 0)).collect::<Result<_>>()?;
            results.push((ExternalId(at as u32), given));
        }
    }
    Ok(Input { arguments, objects: maker.objects, globals, results })
}

/// Makes the objects that pointers point to.
struct Maker<'u, 'b, 'p> {
    u: &'u mut Unstructured<'b>,
    program: &'p Program,
    objects: Vec<Object>,
}

impl Maker<'_, '_, '_> {
    fn datum(&mut self, of: TypeId, depth: u32) -> Result<Datum> {
        match self.program.of(of) {
            Type::Integer(scalar) => word(self.u, scalar.width).map(Datum::Word),
            Type::Float(float) => self.float(float.width).map(Datum::Word),
            Type::Pointer(pointer) => self.pointer(pointer, depth),
            Type::Array { of, count } => self.aggregate((0..*count).map(|_| (*of, None)).collect(), depth),
            Type::Record(record) => {
                let parts = self.program.parts(record).into_iter();
                self.aggregate(parts.map(|field| (field.of, field.bits)).collect(), depth)
            }
            Type::Function { .. } | Type::Opaque { .. } => Ok(self.program.zero(of)),
        }
    }

    fn aggregate(&mut self, parts: Vec<(TypeId, Option<u32>)>, depth: u32) -> Result<Datum> {
        let part = |(of, bits)| match bits {
            Some(bits) => word(self.u, bits).map(Datum::Word),
            None => self.datum(of, depth),
        };
        parts.into_iter().map(part).collect::<Result<_>>().map(Datum::Aggregate)
    }

    fn pointer(&mut self, pointer: &Pointer, depth: u32) -> Result<Datum> {
        if depth == 0 || one_in(self.u, 8)? {
            return Ok(Datum::Null);
        }
        let of = pointer.to;
        if let Type::Function { parameters, result, .. } = self.program.of(of) {
            return self.function(parameters, *result);
        }
        // At times two pointers lead to the same object, if both may write to it or none.
        let known =
            self.objects.iter().position(|object| object.of == of && object.constant == pointer.constant);
        if let Some(object) = known
            && one_in(self.u, 8)?
        {
            return Ok(Datum::Pointer { object: object as u32, element: 0 });
        }
        let is_node = matches!(self.program.of(of), Type::Record(_)) && self.program.has_pointers(of);
        let most = if is_node && depth < DEPTH { 1 } else { MOST_ELEMENTS };
        let count = self.u.int_in_range(1..=most)?;
        let elements = (0..count).map(|_| self.datum(of, depth - 1)).collect::<Result<_>>()?;
        self.objects.push(Object { of, elements, constant: pointer.constant });
        let element = if one_in(self.u, 8)? { self.u.int_in_range(0..=count as u32 - 1)? } else { 0 };
        Ok(Datum::Pointer { object: self.objects.len() as u32 - 1, element })
    }

    /// One with these types. The subject would only run again.
    fn function(&mut self, parameters: &[TypeId], result: Option<TypeId>) -> Result<Datum> {
        let fits = |id: &FunctionId| {
            let signature = &self.program.function(*id).signature;
            *id != SUBJECT
                && signature.result == result
                && signature.parameters.iter().map(|parameter| parameter.of).eq(parameters.iter().copied())
        };
        let fitting: Vec<FunctionId> =
            (0..self.program.functions.len() as u32).map(FunctionId).filter(fits).collect();
        if fitting.is_empty() {
            Ok(Datum::Null)
        } else {
            self.u.choose(&fitting).map(|id| Datum::Function(*id))
        }
    }

    fn float(&mut self, width: u32) -> Result<Word> {
        let simple = [0.0, -0.0, 1.0, -1.5, 0.1, f64::INFINITY, f64::NAN, 3e9];
        let value = *self.u.choose(&simple)?;
        Ok(match width {
            32 => Word::new(32, (value as f32).to_bits().into()),
            _ => Word::new(64, value.to_bits().into()),
        })
    }
}
