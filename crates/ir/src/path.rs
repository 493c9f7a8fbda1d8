//! Paths: static functions that a test reaches through a variable, as in `uart.init(3)` or `table[1](2, 3)`.
//!
//! Drivers are often written this way: all functions are static, and one struct of pointers
//! to them is not. The initial value of the variable says how each function is called.

use std::collections::BTreeMap;

use crate::{Field, FunctionId, GlobalId, Program, Type, TypeId};

/// How a test calls a function that it cannot name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The variable where it begins.
    pub global: GlobalId,
    /// In C, such as `uart.init`.
    pub expression: String,
}

/// More pointers in a row are hardly what a caller would follow.
const DEPTH: u32 = 2;

/// The shortest path to each function that has no name outside.
pub fn paths(program: &Program) -> BTreeMap<FunctionId, Path> {
    let mut search = Search { program, global: GlobalId(0), found: BTreeMap::new() };
    for (at, global) in program.globals.iter().enumerate().filter(|(_, global)| global.external) {
        search.global = GlobalId(at as u32);
        search.value(global.name.clone(), global.of, &global.contents, DEPTH);
    }
    search.found
}

struct Search<'a> {
    program: &'a Program,
    global: GlobalId,
    found: BTreeMap<FunctionId, Path>,
}

impl Search<'_> {
    fn value(&mut self, expression: String, of: TypeId, bytes: &[u8], depth: u32) {
        let program = self.program;
        match program.of(of) {
            Type::Pointer(pointer) => self.pointer(expression, pointer.to, bytes, depth),
            Type::Array { of, .. } => {
                let size = program.size(*of).max(1) as usize;
                for (at, bytes) in bytes.chunks_exact(size).enumerate() {
                    self.value(format!("{expression}[{at}]"), *of, bytes, depth);
                }
            }
            Type::Record(record) => {
                for field in record.fields.iter().filter(|field| field.bits.is_none()) {
                    let start = (field.offset / 8) as usize;
                    if let Some(bytes) = bytes.get(start..start + program.size(field.of) as usize) {
                        self.value(member(&expression, field), field.of, bytes, depth);
                    }
                }
            }
            Type::Integer(_) | Type::Float(_) | Type::Function { .. } | Type::Opaque { .. } => {}
        }
    }

    fn pointer(&mut self, expression: String, to: TypeId, bytes: &[u8], depth: u32) {
        let program = self.program;
        let Some(word) = bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)) else { return };
        let (object, offset) = ((word >> 32) as u32, word as u32 as usize);
        if let Some(function) = program.function_of(object) {
            if self.is_called_so(function, to) {
                self.note(function, expression);
            }
            return;
        }
        let global = program.global_of(object).map(|id| program.global(id));
        let Some(global) = global.filter(|_| depth > 0) else { return };
        if let Some(bytes) = global.contents.get(offset..offset + program.size(to) as usize) {
            self.value(format!("(*{expression})"), to, bytes, depth - 1);
        }
    }

    /// Whether a pointer to this type of function calls that one as it wants to be called.
    fn is_called_so(&self, id: FunctionId, to: TypeId) -> bool {
        let function = self.program.function(id);
        let Type::Function { parameters, result, variadic } = self.program.of(to) else { return false };
        let taken = function.signature.parameters.iter().map(|parameter| parameter.of);
        let same = |one: TypeId, other: TypeId| {
            self.program.width(one) == self.program.width(other)
                && self.program.size(one) == self.program.size(other)
        };
        let results = match (function.signature.result, *result) {
            (Some(one), Some(other)) => same(one, other),
            (one, other) => one == other,
        };
        !function.external
            && !function.library
            && function.signature.variadic == *variadic
            && results
            && taken.len() == parameters.len()
            && taken.zip(parameters).all(|(one, other)| same(one, *other))
    }

    fn note(&mut self, function: FunctionId, expression: String) {
        let path = Path { global: self.global, expression };
        let known = self.found.get(&function);
        if known.is_none_or(|known| path.expression.len() < known.expression.len()) {
            self.found.insert(function, path);
        }
    }
}

/// The field of a struct, also through a pointer.
fn member(place: &str, field: &Field) -> String {
    if field.name.is_empty() {
        return place.to_string();
    }
    match place.strip_prefix("(*").and_then(|rest| rest.strip_suffix(')')) {
        Some(pointer) => format!("{pointer}->{}", field.name),
        None => format!("{place}.{}", field.name),
    }
}
