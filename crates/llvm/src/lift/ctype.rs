//! The types of C at the border, made from debug information.
//!
//! Each type is in the table once. A struct may lead back to itself through a pointer, so it gets
//! its place in the table before its fields are known. Other types are told apart by what they are.

use std::collections::HashMap;

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::{LLVMGetIntTypeWidth, LLVMGetTypeKind};
use inkwell::llvm_sys::prelude::LLVMTypeRef;
use ir::{Field, Float, Pointer, Record, Scalar, TypeId};

use super::debug::{Shape, Type};
use super::layout;

#[derive(Default)]
pub(super) struct Types {
    pub table: Vec<ir::Type>,
    known: HashMap<ir::Type, TypeId>,
    records: HashMap<Type, TypeId>,
}

/// What the C library calls a stream, behind its typedef.
const STREAM: &str = "_IO_FILE";

impl Types {
    /// The type of a value. None for what has no values, such as `void`, a function, or an incomplete struct.
    pub(super) fn of(&mut self, of: Type) -> Option<TypeId> {
        self.named(of, of.name())
    }

    pub(super) fn integer(&mut self, name: &str, width: u32, signed: bool) -> TypeId {
        self.put(ir::Type::Integer(Scalar { name: name.to_string(), width, signed }))
    }

    /// What an object of unknown type is made of.
    pub(super) fn byte(&mut self) -> TypeId {
        self.integer("unsigned char", 8, false)
    }

    /// A pointer to who knows what.
    pub(super) fn untyped(&mut self) -> TypeId {
        let to = self.byte();
        self.put_pointer(Pointer { name: "void *".to_string(), to, constant: false, untyped: true })
    }

    /// A pointer to constant text.
    pub(super) fn text(&mut self) -> TypeId {
        let to = self.integer("char", 8, true);
        self.put_pointer(Pointer { name: "const char *".to_string(), to, constant: true, untyped: false })
    }

    /// A stream of the C library: one of its bytes.
    pub(super) fn stream(&mut self) -> TypeId {
        self.integer(ir::STREAM, 8, false)
    }

    /// A pointer to a stream of the C library.
    pub(super) fn stream_pointer(&mut self) -> TypeId {
        let to = self.stream();
        self.put_pointer(Pointer { name: "FILE *".to_string(), to, constant: false, untyped: false })
    }

    fn put_pointer(&mut self, pointer: Pointer) -> TypeId {
        self.put(ir::Type::Pointer(pointer))
    }

    /// A type that C could have for a type of LLVM's, where nobody says what C really has.
    pub(super) fn guess(&mut self, of: LLVMTypeRef) -> TypeId {
        // SAFETY: the kind says what may be asked.
        let (kind, width) = unsafe {
            let kind = LLVMGetTypeKind(of);
            let is_integer = kind == LLVMTypeKind::LLVMIntegerTypeKind;
            (kind, if is_integer { LLVMGetIntTypeWidth(of) } else { 0 })
        };
        match (kind, width) {
            (LLVMTypeKind::LLVMIntegerTypeKind, 1) => self.integer("_Bool", 1, false),
            (LLVMTypeKind::LLVMIntegerTypeKind, 8) => self.integer("char", 8, true),
            (LLVMTypeKind::LLVMIntegerTypeKind, 16) => self.integer("short", 16, true),
            (LLVMTypeKind::LLVMIntegerTypeKind, 32) => self.integer("int", 32, true),
            (LLVMTypeKind::LLVMIntegerTypeKind, 64) => self.integer("long", 64, true),
            (LLVMTypeKind::LLVMFloatTypeKind, _) => {
                self.put(ir::Type::Float(Float { name: "float".into(), width: 32 }))
            }
            (LLVMTypeKind::LLVMDoubleTypeKind, _) => {
                self.put(ir::Type::Float(Float { name: "double".into(), width: 64 }))
            }
            (LLVMTypeKind::LLVMPointerTypeKind, _) => self.untyped(),
            _ => self.opaque("object", layout::size(of).unwrap_or(0)),
        }
    }

    pub(super) fn opaque(&mut self, name: &str, size: u64) -> TypeId {
        self.put(ir::Type::Opaque { name: name.to_string(), size })
    }

    fn named(&mut self, of: Type, name: String) -> Option<TypeId> {
        match of.shape() {
            Shape::Typedef | Shape::Const | Shape::Qualified => {
                let base = of.base()?;
                match base.plain()?.shape() {
                    // A tag tells more than a typedef, and both are one type.
                    Shape::Struct | Shape::Union => self.record(base.plain()?, &name),
                    Shape::Array => self.named(base.plain()?, name),
                    _ => self.named(base, name),
                }
            }
            Shape::Integer { signed } => Some(self.scalar(of, name, signed)),
            Shape::Enumeration => {
                let base = of.base()?.plain()?;
                let Shape::Integer { signed } = base.shape() else { return None };
                Some(self.scalar(base, name, signed))
            }
            Shape::Float => Some(self.put(ir::Type::Float(Float { name, width: of.bits() as u32 }))),
            Shape::Pointer => Some(self.pointer(of, name)),
            Shape::Struct | Shape::Union => self.record(of, &name),
            Shape::Array => self.array(of, &of.lengths()),
            Shape::Function => None,
            Shape::Other => Some(self.opaque(&name, of.bits() / 8)),
        }
    }

    fn scalar(&mut self, of: Type, name: String, signed: bool) -> TypeId {
        let is_bool = matches!(of.own_name().as_str(), "_Bool" | "bool");
        let width = if is_bool { 1 } else { of.bits() as u32 };
        self.put(ir::Type::Integer(Scalar { name, width, signed }))
    }

    fn pointer(&mut self, of: Type, name: String) -> TypeId {
        let base = of.base();
        let constant = base.is_some_and(Type::is_const);
        let to = base.and_then(|base| self.pointee(base));
        let untyped = to.is_none();
        let to = to.unwrap_or_else(|| self.byte());
        self.put(ir::Type::Pointer(Pointer { name, to, constant, untyped }))
    }

    fn pointee(&mut self, of: Type) -> Option<TypeId> {
        let plain = of.plain()?;
        if plain.shape() == Shape::Function {
            return self.function(plain);
        }
        // `int (*)[n]`, whose length nobody knows here, leads to elements all the same.
        if plain.shape() == Shape::Array && plain.lengths().contains(&None) {
            return self.of(plain.base()?);
        }
        self.of(of)
    }

    fn function(&mut self, of: Type) -> Option<TypeId> {
        let types = of.function()?;
        let (result, parameters) = types.split_first()?;
        // Where more arguments may follow, the last one is none. One without any others has no prototype.
        let variadic = parameters.len() > 1 && parameters.last() == Some(&None);
        let mut ids = Vec::new();
        for parameter in parameters.iter().flatten() {
            ids.push(self.of(*parameter)?);
        }
        let result = match result {
            Some(result) => Some(self.of(*result)?),
            None => None,
        };
        Some(self.put(ir::Type::Function { parameters: ids, result, variadic }))
    }

    pub(super) fn function_of(&mut self, parameters: Vec<TypeId>, result: Option<TypeId>) -> TypeId {
        self.put(ir::Type::Function { parameters, result, variadic: false })
    }

    fn array(&mut self, of: Type, lengths: &[Option<u64>]) -> Option<TypeId> {
        let Some((length, rest)) = lengths.split_first() else { return self.of(of.base()?) };
        let element = self.array(of, rest)?;
        Some(self.put(ir::Type::Array { of: element, count: (*length)? }))
    }

    fn record(&mut self, of: Type, name: &str) -> Option<TypeId> {
        if of.own_name() == STREAM {
            return Some(self.stream());
        }
        if let Some(id) = self.records.get(&of) {
            return Some(*id);
        }
        if of.is_incomplete() {
            return None;
        }
        let name = if of.own_name().is_empty() { name.to_string() } else { of.name() };
        let id = TypeId(self.table.len() as u32);
        self.records.insert(of, id);
        // Holds the place until the fields are known.
        self.table.push(ir::Type::Opaque { name: name.clone(), size: of.bits() / 8 });
        let (mut fields, mut flexible) = (Vec::new(), false);
        for member in of.members() {
            let Some(base) = member.base() else { continue };
            let is_open = |of: Type| of.shape() == Shape::Array && of.lengths().first() == Some(&None);
            if base.plain().is_some_and(is_open) {
                flexible = true;
                continue;
            }
            // What stands between bit-fields without a name holds nothing.
            if member.bit_field().is_some() && member.own_name().is_empty() {
                continue;
            }
            let (name, offset, bits) = (member.own_name(), member.offset(), member.bit_field());
            fields.push(Field { name, of: self.of(base)?, offset, bits });
        }
        let (union, size) = (of.shape() == Shape::Union, of.bits() / 8);
        self.table[id.0 as usize] = ir::Type::Record(Record { name, union, size, fields, flexible });
        Some(id)
    }

    fn put(&mut self, of: ir::Type) -> TypeId {
        if let Some(id) = self.known.get(&of) {
            return *id;
        }
        let id = TypeId(self.table.len() as u32);
        self.table.push(of.clone());
        self.known.insert(of, id);
        id
    }
}
