//! The types of C, with their layout: what inputs are made of, and what a caller sees.
//!
//! Code works on words and bytes; types are for its border. They say which words and objects a
//! function is given, how they lie in memory, and how to read what it leaves there.

use std::collections::HashSet;

use crate::{Program, Signature, TypeId};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Integer(Scalar),
    Float(Float),
    Pointer(Pointer),
    Array {
        of: TypeId,
        count: u64,
    },
    Record(Record),
    /// What a function pointer points to.
    Function {
        parameters: Vec<TypeId>,
        result: Option<TypeId>,
        /// More arguments may follow.
        variadic: bool,
    },
    /// What we do not take apart, such as `long double`.
    Opaque {
        name: String,
        size: u64,
    },
}

/// An integer type of C. A `_Bool` has width 1 here, and one byte in memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    /// As written in C, such as `unsigned int` or `enum color`.
    pub name: String,
    pub width: u32,
    pub signed: bool,
}

/// The name of the type of streams, as of `FILE *`. A stream is read byte by byte: a pointer to one leads to
/// what it holds, and one byte behind, which nobody reads.
pub const STREAM: &str = "FILE";

/// `float` or `double`, as a word with the bits of IEEE 754.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Float {
    pub name: String,
    /// 32 or 64.
    pub width: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pointer {
    /// As written in C, such as `const char *`.
    pub name: String,
    /// What it points to. `void` and incomplete types are given as bytes.
    pub to: TypeId,
    /// The function promises not to write through it.
    pub constant: bool,
    /// The type it points to is not known: `void`, or incomplete.
    pub untyped: bool,
}

/// A struct or a union.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Record {
    /// As written in C, such as `struct point` or, for a typedef, `point_t`.
    pub name: String,
    pub union: bool,
    /// In bytes.
    pub size: u64,
    pub fields: Vec<Field>,
    /// It ends with an array without a length, which is not among the fields.
    pub flexible: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Empty for an anonymous struct or union.
    pub name: String,
    pub of: TypeId,
    /// In bits, from the start of the record.
    pub offset: u64,
    /// The width of a bit-field.
    pub bits: Option<u32>,
}

impl Program {
    /// Whether this is the type of what a stream holds.
    pub fn is_stream(&self, of: TypeId) -> bool {
        matches!(self.of(of), Type::Integer(scalar) if scalar.name == STREAM)
    }

    /// Whether a caller of a function with one signature may call one with the other. Names
    /// and promises do not matter, and neither do the signs of parameters. The sign of a
    /// result does: it decides which number a caller gets that has a wider type for it.
    pub fn is_compatible(&self, one: &Signature, other: &Signature) -> bool {
        let of = |signature: &Signature| -> Vec<TypeId> {
            signature.parameters.iter().map(|parameter| parameter.of).chain(signature.result).collect()
        };
        let (ones, others) = (of(one), of(other));
        let sign = |signature: &Signature| match self.of(signature.result?) {
            Type::Integer(integer) => Some(integer.signed),
            _ => None,
        };
        one.result.is_some() == other.result.is_some()
            && one.variadic == other.variadic
            && sign(one) == sign(other)
            && ones.len() == others.len()
            && ones.iter().zip(&others).all(|(one, other)| self.is_like(*one, *other, &mut HashSet::new()))
    }

    /// Whether two types have the same values in the same places. Pairs that
    /// are being looked at are taken for alike.
    fn is_like(&self, one: TypeId, other: TypeId, seen: &mut HashSet<(TypeId, TypeId)>) -> bool {
        if one == other || !seen.insert((one, other)) {
            return true;
        }
        let all = |mut pairs: std::iter::Zip<std::slice::Iter<TypeId>, std::slice::Iter<TypeId>>,
                   seen: &mut HashSet<(TypeId, TypeId)>| {
            pairs.all(|(one, other)| self.is_like(*one, *other, seen))
        };
        match (self.of(one), self.of(other)) {
            (Type::Integer(one), Type::Integer(other)) => one.width == other.width,
            (Type::Float(one), Type::Float(other)) => one.width == other.width,
            (Type::Pointer(one), Type::Pointer(other)) => {
                one.untyped || other.untyped || self.is_like(one.to, other.to, seen)
            }
            (Type::Array { of: one, count }, Type::Array { of: other, count: others }) => {
                count == others && self.is_like(*one, *other, seen)
            }
            (Type::Record(one), Type::Record(other)) => {
                let places = |record: &Record| -> Vec<(u64, Option<u32>)> {
                    record.fields.iter().map(|field| (field.offset, field.bits)).collect()
                };
                let types =
                    |record: &Record| record.fields.iter().map(|field| field.of).collect::<Vec<TypeId>>();
                (one.union, one.size) == (other.union, other.size)
                    && places(one) == places(other)
                    && all(types(one).iter().zip(&types(other)), seen)
            }
            (
                Type::Function { parameters: one, result, variadic },
                Type::Function { parameters: other, result: other_result, variadic: other_variadic },
            ) => {
                variadic == other_variadic
                    && one.len() == other.len()
                    && all(one.iter().zip(other), seen)
                    && match (result, other_result) {
                        (Some(one), Some(other)) => self.is_like(*one, *other, seen),
                        (one, other) => one.is_none() && other.is_none(),
                    }
            }
            (Type::Opaque { name, .. }, Type::Opaque { name: other, .. }) => name == other,
            _ => false,
        }
    }

    pub fn of(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// How many bytes a value takes in memory.
    pub fn size(&self, id: TypeId) -> u64 {
        match self.of(id) {
            Type::Integer(scalar) => u64::from(scalar.width.div_ceil(8)),
            Type::Float(float) => u64::from(float.width / 8),
            Type::Pointer(_) => POINTER_BYTES,
            Type::Array { of, count } => self.size(*of) * count,
            Type::Record(record) => record.size,
            Type::Function { .. } => 1,
            Type::Opaque { size, .. } => *size,
        }
    }

    /// The width of a value that is passed as one word; nothing for arrays, structs and the like.
    pub fn width(&self, id: TypeId) -> Option<u32> {
        match self.of(id) {
            Type::Integer(scalar) => Some(scalar.width),
            Type::Float(float) => Some(float.width),
            Type::Pointer(_) => Some(POINTER_WIDTH),
            Type::Array { .. } | Type::Record(_) | Type::Function { .. } | Type::Opaque { .. } => None,
        }
    }

    /// Whether a value has a pointer somewhere in it.
    pub fn has_pointers(&self, id: TypeId) -> bool {
        match self.of(id) {
            Type::Pointer(_) => true,
            Type::Array { of, .. } => self.has_pointers(*of),
            Type::Record(record) => record.fields.iter().any(|field| self.has_pointers(field.of)),
            _ => false,
        }
    }

    /// The pointers in a value: how many bytes from its start each lies, and what it points to.
    pub fn pointers(&self, id: TypeId) -> Vec<(u64, TypeId)> {
        let inside = |of: TypeId, by: u64| {
            let found = self.pointers(of).into_iter();
            found.map(move |(offset, to)| (offset + by, to))
        };
        match self.of(id) {
            Type::Pointer(pointer) => vec![(0, pointer.to)],
            Type::Array { of, count } => {
                (0..*count).flat_map(|at| inside(*of, at * self.size(*of))).collect()
            }
            Type::Record(record) => {
                let parts = record.fields.iter();
                parts.flat_map(|field| inside(field.of, field.offset / 8)).collect()
            }
            _ => vec![],
        }
    }

    /// Whether a value has bits that belong to none of its parts.
    pub fn has_padding(&self, id: TypeId) -> bool {
        match self.of(id) {
            Type::Array { of, .. } => self.has_padding(*of),
            Type::Record(record) => {
                let bits = |field: &&Field| field.bits.map_or(8 * self.size(field.of), u64::from);
                let parts = self.parts(record);
                parts.iter().map(bits).sum::<u64>() < 8 * record.size
                    || parts.iter().any(|field| self.has_padding(field.of))
            }
            _ => false,
        }
    }

    /// Whether a union may hold an address or something else in the same place.
    pub fn is_mixed(&self, record: &Record) -> bool {
        let is_pointer = |field: &Field| matches!(self.of(field.of), Type::Pointer(_));
        let has_pointers = |field: &Field| self.has_pointers(field.of);
        record.union && record.fields.iter().any(has_pointers) && !record.fields.iter().all(is_pointer)
    }

    /// The fields that stand for a record: all of a struct, and of a union the largest one.
    pub fn parts<'a>(&self, record: &'a Record) -> Vec<&'a Field> {
        if !record.union {
            return record.fields.iter().collect();
        }
        let size = |field: &&Field| self.size(field.of);
        // Of several that are as large, the first.
        record.fields.iter().rev().max_by_key(size).into_iter().collect()
    }
}

pub const POINTER_BYTES: u64 = 8;
pub const POINTER_WIDTH: u32 = 64;
