//! Debug information: where things are in the source, and what C calls their types.
//!
//! LLVM-C has few getters for debug information, so we walk the operands of its nodes. A subprogram has its
//! type at operand 4. A subroutine type has its list of types at operand 3 (result first). A derived type or
//! an enumeration has its base at operand 3. An array has its lengths and a struct its members at operand 4.

use std::ffi::c_char;
use std::path::{Path, PathBuf};

use inkwell::llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMDisposeMessage, LLVMDisposeValueMetadataEntries, LLVMGetDebugLocColumn,
    LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetDebugLocLine, LLVMGetMDKindIDInContext,
    LLVMGetMDNodeNumOperands, LLVMGetMDNodeOperands, LLVMGetTypeContext, LLVMGlobalCopyAllMetadata,
    LLVMIsAConstantInt, LLVMMetadataAsValue, LLVMPrintValueToString, LLVMTypeOf, LLVMValueAsMetadata,
    LLVMValueMetadataEntriesGetKind, LLVMValueMetadataEntriesGetMetadata,
};
use inkwell::llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMDISubprogramGetLine,
    LLVMDITypeGetFlags, LLVMDITypeGetName, LLVMDITypeGetOffsetInBits, LLVMDITypeGetSizeInBits,
    LLVMGetDINodeTag, LLVMGetSubprogram,
};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};
use source::Position;

/// The tags of DWARF's entries that a parameter's type is made of.
mod tag {
    pub(super) const ARRAY: u16 = 0x01;
    pub(super) const ENUMERATION: u16 = 0x04;
    pub(super) const MEMBER: u16 = 0x0d;
    pub(super) const POINTER: u16 = 0x0f;
    pub(super) const STRUCT: u16 = 0x13;
    pub(super) const SUBROUTINE: u16 = 0x15;
    pub(super) const TYPEDEF: u16 = 0x16;
    pub(super) const UNION: u16 = 0x17;
    pub(super) const BASE: u16 = 0x24;
    pub(super) const CONST: u16 = 0x26;
    pub(super) const VOLATILE: u16 = 0x35;
    pub(super) const RESTRICT: u16 = 0x37;
    pub(super) const ATOMIC: u16 = 0x47;
}

/// The flags of LLVM's nodes: a struct that is declared only, and a member that is a bit-field.
const FORWARD: i32 = 1 << 2;
const BIT_FIELD: i32 = 1 << 19;

/// Where instructions stand in the user's file.
pub(super) struct Places<'o> {
    /// What the file is called in the debug information of its module.
    file: Option<PathBuf>,
    /// The place in the user's text of one in the text that was compiled.
    original: &'o dyn Fn(Position) -> Position,
}

impl<'o> Places<'o> {
    pub(super) fn new(module: &Module, original: &'o dyn Fn(Position) -> Position) -> Places<'o> {
        let unit = module.get_global_metadata("llvm.dbg.cu").first().map(|unit| unit.as_value_ref());
        // SAFETY: the one operand of `llvm.dbg.cu` in a module that clang wrote is a compile unit.
        let file = unit.and_then(|unit| unsafe { file_of(LLVMValueAsMetadata(unit)) });
        Places { file, original }
    }

    /// Code of ours stands nowhere.
    pub(super) fn nowhere() -> Places<'static> {
        Places { file: None, original: &|at| at }
    }

    /// Where an instruction stands in the user's file. What comes from a header has no position.
    pub(super) fn of(&self, instruction: InstructionValue) -> Option<Position> {
        let value = instruction.as_value_ref();
        // SAFETY: an instruction may be asked for its debug location, whether it has one or not.
        unsafe {
            let position =
                Position { line: LLVMGetDebugLocLine(value), column: LLVMGetDebugLocColumn(value) };
            let directory = counted(|length| LLVMGetDebugLocDirectory(value, length));
            let name = counted(|length| LLVMGetDebugLocFilename(value, length));
            let at_home = self.file == Some(Path::new(&directory).join(name));
            (position.line > 0 && at_home).then(|| (self.original)(position))
        }
    }

    /// Where a function begins.
    pub(super) fn of_function(&self, function: FunctionValue) -> Option<Position> {
        let subprogram = function.get_subprogram()?.as_mut_ptr();
        // SAFETY: it is a subprogram.
        unsafe {
            let at_home = self.file.is_some() && self.file == file_of(subprogram);
            at_home.then(|| Position { line: LLVMDISubprogramGetLine(subprogram), column: 1 })
        }
    }
}

/// A type as C has it, or another node of debug information; `void` is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Type {
    context: LLVMContextRef,
    node: LLVMMetadataRef,
}

/// What a type is at its top.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Integer {
        signed: bool,
    },
    Float,
    Pointer,
    Struct,
    Union,
    Array,
    Function,
    Typedef,
    Const,
    /// `volatile` and `restrict`, which change nothing here.
    Qualified,
    Enumeration,
    Other,
}

/// The types of a function: of its result, then of its parameters. Where more arguments may follow, the last
/// one is none.
pub(super) fn types_of(function: FunctionValue) -> Option<Vec<Option<Type>>> {
    // SAFETY: the walk over operands follows the layout of the nodes, which is said above.
    unsafe {
        let node = LLVMGetSubprogram(function.as_value_ref());
        if node.is_null() {
            return None;
        }
        let context = LLVMGetTypeContext(LLVMTypeOf(function.as_value_ref()));
        Type { context, node }.operand(4)?.function()
    }
}

/// Whether the result of a function is a signed integer. None if it is no integer.
pub(crate) fn has_signed_result(function: FunctionValue) -> Option<bool> {
    let result = types_of(function)?.into_iter().next()??.plain()?;
    let result = if result.shape() == Shape::Enumeration { result.base()?.plain()? } else { result };
    match result.shape() {
        Shape::Integer { signed } => Some(signed),
        _ => None,
    }
}

/// The type of a global variable.
pub(super) fn type_of_global(global: LLVMValueRef) -> Option<Type> {
    // SAFETY: the entries are disposed of when they have been looked at; the nodes belong to the context.
    unsafe {
        let mut count = 0;
        let entries = LLVMGlobalCopyAllMetadata(global, &mut count);
        let context = LLVMGetTypeContext(LLVMTypeOf(global));
        let kind = LLVMGetMDKindIDInContext(context, c"dbg".as_ptr(), 3);
        let entry = (0..count as u32).find(|at| LLVMValueMetadataEntriesGetKind(entries, *at) == kind);
        let node = entry.map(|at| LLVMValueMetadataEntriesGetMetadata(entries, at));
        LLVMDisposeValueMetadataEntries(entries);
        let expression = Type { context, node: node? };
        expression.operand(0)?.operand(3)
    }
}

impl Type {
    /// As written in C, without qualifiers at the top.
    pub(super) fn name(self) -> String {
        self.declare(String::new())
    }

    pub(super) fn shape(self) -> Shape {
        match self.tag() {
            tag::BASE => self.basic(),
            tag::POINTER => Shape::Pointer,
            tag::STRUCT => Shape::Struct,
            tag::UNION => Shape::Union,
            tag::ARRAY => Shape::Array,
            tag::SUBROUTINE => Shape::Function,
            tag::TYPEDEF => Shape::Typedef,
            tag::CONST => Shape::Const,
            tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => Shape::Qualified,
            tag::ENUMERATION => Shape::Enumeration,
            _ => Shape::Other,
        }
    }

    /// The type behind typedefs and qualifiers. None for `void`.
    pub(super) fn plain(self) -> Option<Type> {
        match self.shape() {
            Shape::Typedef | Shape::Const | Shape::Qualified => self.base()?.plain(),
            _ => Some(self),
        }
    }

    /// Whether `const` stands before it; of an array, before its elements.
    pub(super) fn is_const(self) -> bool {
        match self.shape() {
            Shape::Const => true,
            Shape::Typedef | Shape::Qualified | Shape::Array => self.base().is_some_and(Type::is_const),
            _ => false,
        }
    }

    /// The size of the type that the names stand for.
    pub(super) fn bits(self) -> u64 {
        // SAFETY: all types have this getter.
        self.plain().map_or(0, |plain| unsafe { LLVMDITypeGetSizeInBits(plain.node) })
    }

    /// What a pointer points to, a typedef names, an array is made of.
    pub(super) fn base(self) -> Option<Type> {
        self.operand(3)
    }

    /// Whether only the name of a struct is known.
    pub(super) fn is_incomplete(self) -> bool {
        self.flags() & FORWARD != 0
    }

    /// The members of a struct or union.
    pub(super) fn members(self) -> Vec<Type> {
        let elements = self.operand(4).map(Type::operands).unwrap_or_default();
        elements.into_iter().flatten().filter(|element| element.tag() == tag::MEMBER).collect()
    }

    /// The lengths of an array, outermost first; none where it is not a constant.
    pub(super) fn lengths(self) -> Vec<Option<u64>> {
        let ranges = self.operand(4).map(Type::operands).unwrap_or_default();
        ranges.into_iter().flatten().map(|range| range.constant(0)).collect()
    }

    /// The types of a function: of its result, then of its parameters.
    pub(super) fn function(self) -> Option<Vec<Option<Type>>> {
        let types = self.operand(3)?.operands();
        // LLVM-C shows a list that is `void` alone as an empty one.
        Some(if types.is_empty() { vec![None] } else { types })
    }

    /// Of a member, in bits.
    pub(super) fn offset(self) -> u64 {
        // SAFETY: a member is a derived type, and those have this getter.
        unsafe { LLVMDITypeGetOffsetInBits(self.node) }
    }

    /// The width of a member that is a bit-field.
    pub(super) fn bit_field(self) -> Option<u32> {
        // SAFETY: as above.
        (self.flags() & BIT_FIELD != 0).then(|| unsafe { LLVMDITypeGetSizeInBits(self.node) } as u32)
    }

    /// The name of a struct, a member, a basic type; empty if there is none.
    pub(super) fn own_name(self) -> String {
        // SAFETY: all types have this getter.
        unsafe {
            let mut length = 0;
            let name = LLVMDITypeGetName(self.node, &mut length);
            text(name, length)
        }
    }

    /// The type with a declarator inside, as in `int (*inner)[3]`.
    fn declare(self, inner: String) -> String {
        let with = |name: &str| match inner.as_str() {
            "" => name.to_string(),
            inner => format!("{name} {inner}"),
        };
        let below = |of: Type, inner: String| match of.base() {
            Some(base) => base.declare(inner),
            None if inner.is_empty() => "void".to_string(),
            None => format!("void {inner}"),
        };
        match self.shape() {
            Shape::Pointer => {
                let below_is_suffix =
                    self.base().is_some_and(|base| matches!(base.shape(), Shape::Array | Shape::Function));
                let inner = format!("*{inner}");
                below(self, if below_is_suffix { format!("({inner})") } else { inner })
            }
            Shape::Array => {
                let lengths = self.lengths().into_iter();
                let lengths =
                    lengths.map(|length| length.map_or("[]".to_string(), |length| format!("[{length}]")));
                below(self, format!("{inner}{}", lengths.collect::<String>()))
            }
            Shape::Function => {
                let types = self.function().unwrap_or_default();
                let parameter =
                    |of: &Option<Type>| of.map_or("...".to_string(), |of| of.declare(String::new()));
                let (result, parameters) = types.split_first().unwrap_or((&None, &[]));
                let parameters: Vec<String> = parameters.iter().map(parameter).collect();
                let parameters =
                    if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
                let inner = format!("{inner}({parameters})");
                match result {
                    Some(result) => result.declare(inner),
                    None => format!("void {inner}"),
                }
            }
            Shape::Const if inner.is_empty() => below(self, inner),
            Shape::Const if self.base().is_some_and(|base| base.shape() == Shape::Pointer) => {
                below(self, format!("const {inner}"))
            }
            Shape::Const => format!("const {}", below(self, inner)),
            Shape::Qualified => below(self, inner),
            // `typedef`s have names of their own; what is left without one is anonymous.
            Shape::Enumeration if self.own_name().is_empty() => below(self, inner),
            Shape::Enumeration => with(&format!("enum {}", self.own_name())),
            Shape::Struct => with(format!("struct {}", self.own_name()).trim_end()),
            Shape::Union => with(format!("union {}", self.own_name()).trim_end()),
            Shape::Typedef | Shape::Integer { .. } | Shape::Float | Shape::Other => with(&self.own_name()),
        }
    }

    /// LLVM-C does not tell the encoding of a basic type, but C has few of them, and their names do.
    fn basic(self) -> Shape {
        let name = self.own_name();
        match name.as_str() {
            "_Bool" | "bool" => Shape::Integer { signed: false },
            // The flags of the compiler decide.
            "char" => Shape::Integer { signed: self.print().contains("DW_ATE_signed_char") },
            _ if name.contains("_BitInt") || name.contains("omplex") => Shape::Other,
            _ if name.starts_with("unsigned") || name.starts_with("char") => Shape::Integer { signed: false },
            "signed char" | "short" | "int" | "long" | "long long" | "__int128" => {
                Shape::Integer { signed: true }
            }
            "float" | "double" | "_Float32" | "_Float64" | "_Float32x" => Shape::Float,
            _ => Shape::Other,
        }
    }

    fn print(self) -> String {
        // SAFETY: LLVM hands out a string that is ours, and which we hand back.
        unsafe {
            let printed = LLVMPrintValueToString(LLVMMetadataAsValue(self.context, self.node));
            let text = std::ffi::CStr::from_ptr(printed).to_string_lossy().into_owned();
            LLVMDisposeMessage(printed);
            text
        }
    }

    fn tag(self) -> u16 {
        // SAFETY: a type is a node of debug information, and those have tags.
        unsafe { LLVMGetDINodeTag(self.node) }
    }

    fn flags(self) -> i32 {
        // SAFETY: all types have this getter.
        unsafe { LLVMDITypeGetFlags(self.node) }
    }

    fn operand(self, at: usize) -> Option<Type> {
        self.operands().get(at).copied().flatten()
    }

    fn operands(self) -> Vec<Option<Type>> {
        let as_type = |operand: LLVMValueRef| {
            // SAFETY: operands of a node are metadata, or constants that are made so.
            let node = || unsafe { LLVMValueAsMetadata(operand) };
            (!operand.is_null()).then(|| Type { context: self.context, node: node() })
        };
        self.values().into_iter().map(as_type).collect()
    }

    /// An operand that is a number; a negative one stands for none.
    fn constant(self, at: usize) -> Option<u64> {
        let value = *self.values().get(at)?;
        // SAFETY: any value may be asked what it is.
        unsafe {
            let is_constant = !value.is_null() && !LLVMIsAConstantInt(value).is_null();
            is_constant.then(|| u64::try_from(LLVMConstIntGetSExtValue(value)).ok())?
        }
    }

    fn values(self) -> Vec<LLVMValueRef> {
        // SAFETY: the vector has the length that LLVM says, and LLVM fills it.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, self.node);
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            operands
        }
    }
}

/// The path of the file of a scope.
unsafe fn file_of(scope: LLVMMetadataRef) -> Option<PathBuf> {
    // SAFETY: the caller has a scope. LLVM tells the length of each text, and
    // keeps the texts as long as the module.
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
    // SAFETY: the caller's getter gives a text and its length.
    unsafe { text(start, length as usize) }
}

unsafe fn text(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the text is as long as the caller says, and is copied at once.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
