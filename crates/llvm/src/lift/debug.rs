//! Debug information: where things stand in the source, and what C calls their types.
//!
//! LLVM-C has few getters for debug information, so we walk the operands of its nodes: a
//! subprogram has its type at operand 4, a subroutine type its list of types at operand 3 (result
//! first), and a derived type or an enumeration its base at operand 3.

use std::ffi::c_char;
use std::path::{Path, PathBuf};

use inkwell::llvm_sys::core::{
    LLVMGetDebugLocColumn, LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetDebugLocLine,
    LLVMGetMDNodeNumOperands, LLVMGetMDNodeOperands, LLVMGetTypeContext, LLVMMetadataAsValue, LLVMTypeOf,
    LLVMValueAsMetadata,
};
use inkwell::llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMDISubprogramGetLine,
    LLVMDITypeGetName, LLVMDITypeGetSizeInBits, LLVMGetDINodeTag, LLVMGetSubprogram,
};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};
use source::Position;

/// The tags of DWARF's entries that a parameter's type is made of.
mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const ENUMERATION: u16 = 0x04;
    pub const POINTER: u16 = 0x0f;
    pub const STRUCT: u16 = 0x13;
    pub const SUBROUTINE: u16 = 0x15;
    pub const TYPEDEF: u16 = 0x16;
    pub const UNION: u16 = 0x17;
    pub const BASE: u16 = 0x24;
    pub const CONST: u16 = 0x26;
    pub const VOLATILE: u16 = 0x35;
    pub const RESTRICT: u16 = 0x37;
    pub const ATOMIC: u16 = 0x47;
}

/// What the user's file is called in the debug information of its module.
pub(super) struct Places {
    file: Option<PathBuf>,
}

impl Places {
    pub fn new(module: &Module) -> Places {
        let unit = module.get_global_metadata("llvm.dbg.cu").first().map(|unit| unit.as_value_ref());
        // SAFETY: the one operand of `llvm.dbg.cu` in a module that clang wrote is a compile unit.
        let file = unit.and_then(|unit| unsafe { file_of(LLVMValueAsMetadata(unit)) });
        Places { file }
    }

    /// Where an instruction stands in the user's file. What comes from a header has no position.
    pub fn of(&self, instruction: InstructionValue) -> Option<Position> {
        let value = instruction.as_value_ref();
        // SAFETY: an instruction may be asked for its debug location, whether it has one or not.
        unsafe {
            let position =
                Position { line: LLVMGetDebugLocLine(value), column: LLVMGetDebugLocColumn(value) };
            let directory = counted(|length| LLVMGetDebugLocDirectory(value, length));
            let name = counted(|length| LLVMGetDebugLocFilename(value, length));
            (position.line > 0 && self.file == Some(Path::new(&directory).join(name))).then_some(position)
        }
    }

    /// Where a function begins.
    pub fn of_function(&self, function: FunctionValue) -> Option<Position> {
        let subprogram = function.get_subprogram()?.as_mut_ptr();
        // SAFETY: it is a subprogram.
        unsafe {
            let at_home = self.file.is_some() && self.file == file_of(subprogram);
            at_home.then(|| Position { line: LLVMDISubprogramGetLine(subprogram), column: 1 })
        }
    }
}

/// A type as C has it; `void` is none.
#[derive(Clone, Copy)]
pub(super) struct Type {
    context: LLVMContextRef,
    node: LLVMMetadataRef,
}

/// What a type is once the names that typedefs give it are looked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Integer { signed: Signed },
    Float,
    Pointer,
    Struct,
    Union,
    Array,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signed {
    Yes,
    No,
    /// Plain `char`: the flags of the compiler decide.
    Char,
}

/// The types of a function: of its result, then of its parameters.
pub(super) fn types_of(function: FunctionValue) -> Option<Vec<Option<Type>>> {
    // SAFETY: the walk over operands follows the layout of the nodes, which is said above.
    unsafe {
        let node = LLVMGetSubprogram(function.as_value_ref());
        if node.is_null() {
            return None;
        }
        let context = LLVMGetTypeContext(LLVMTypeOf(function.as_value_ref()));
        let subprogram = Type { context, node };
        let list = subprogram.operand(4)?.operand(3)?;
        Some(list.operands())
    }
}

impl Type {
    /// As written in C, without qualifiers at the top.
    pub fn name(self) -> String {
        let base = |of: Type| of.base().map_or("void".to_string(), |base| base.qualified_name());
        match self.tag() {
            tag::TYPEDEF | tag::BASE => self.own_name(),
            // `typedef`s have names of their own; what is left without one is anonymous.
            tag::ENUMERATION if self.own_name().is_empty() => base(self),
            tag::ENUMERATION => format!("enum {}", self.own_name()),
            tag::STRUCT => format!("struct {}", self.own_name()).trim_end().to_string(),
            tag::UNION => format!("union {}", self.own_name()).trim_end().to_string(),
            tag::SUBROUTINE => "function".to_string(),
            tag::POINTER => {
                let pointee = base(self);
                if pointee.ends_with('*') { format!("{pointee}*") } else { format!("{pointee} *") }
            }
            tag::ARRAY => format!("{}[]", base(self)),
            tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {
                self.base().map_or("void".to_string(), Type::name)
            }
            _ => self.own_name(),
        }
    }

    pub fn shape(self) -> Shape {
        match self.tag() {
            tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC | tag::ENUMERATION => {
                self.base().map_or(Shape::Other, Type::shape)
            }
            tag::BASE => basic(&self.own_name()),
            tag::POINTER => Shape::Pointer,
            tag::STRUCT => Shape::Struct,
            tag::UNION => Shape::Union,
            tag::ARRAY => Shape::Array,
            _ => Shape::Other,
        }
    }

    /// The size of the type that the names stand for.
    pub fn bits(self) -> u64 {
        match self.tag() {
            tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {
                self.base().map_or(0, Type::bits)
            }
            // SAFETY: all types have this getter.
            _ => unsafe { LLVMDITypeGetSizeInBits(self.node) },
        }
    }

    fn qualified_name(self) -> String {
        match self.tag() {
            tag::CONST => format!("const {}", self.base().map_or("void".to_string(), Type::qualified_name)),
            _ => self.name(),
        }
    }

    fn base(self) -> Option<Type> {
        self.operand(3)
    }

    fn tag(self) -> u16 {
        // SAFETY: a type is a node of debug information, and those have tags.
        unsafe { LLVMGetDINodeTag(self.node) }
    }

    fn own_name(self) -> String {
        // SAFETY: as above; all types have this getter.
        unsafe {
            let mut length = 0;
            let name = LLVMDITypeGetName(self.node, &mut length);
            text(name, length)
        }
    }

    fn operand(self, at: usize) -> Option<Type> {
        self.operands().get(at).copied().flatten()
    }

    fn operands(self) -> Vec<Option<Type>> {
        // SAFETY: the vector has the length that LLVM says, and LLVM fills it.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, self.node);
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            let as_type = |operand| Type { context: self.context, node: LLVMValueAsMetadata(operand) };
            let some = |operand: LLVMValueRef| (!operand.is_null()).then_some(operand);
            operands.into_iter().map(|operand| some(operand).map(as_type)).collect()
        }
    }
}

/// LLVM-C does not tell the encoding of a basic type, but C has few of them, and their names do.
fn basic(name: &str) -> Shape {
    match name {
        "_Bool" | "bool" => Shape::Integer { signed: Signed::No },
        "char" => Shape::Integer { signed: Signed::Char },
        _ if name.contains("_BitInt") => Shape::Other,
        _ if name.starts_with("unsigned") || name.starts_with("char") => {
            Shape::Integer { signed: Signed::No }
        }
        "signed char" | "short" | "int" | "long" | "long long" | "__int128" => {
            Shape::Integer { signed: Signed::Yes }
        }
        _ if name.contains("float") || name.contains("double") || name.contains("Float") => Shape::Float,
        _ => Shape::Other,
    }
}

/// The path of the file of a scope.
unsafe fn file_of(scope: LLVMMetadataRef) -> Option<PathBuf> {
    unsafe {
        let file = LLVMDIScopeGetFile(scope);
        if file.is_null() {
            return None;
        }
        let directory = counted(|length| LLVMDIFileGetDirectory(file, length));
        let name = counted(|length| LLVMDIFileGetFilename(file, length));
        Some(Path::new(&directory).join(name))
    }
}

unsafe fn counted(get: impl FnOnce(*mut u32) -> *const c_char) -> String {
    let mut length = 0;
    let start = get(&mut length);
    unsafe { text(start, length as usize) }
}

unsafe fn text(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
