//! The instructions of a function by debug location, and small questions about instructions.

use std::collections::HashMap;
use std::ffi::c_uint;

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::{
    LLVMConstIntGetZExtValue, LLVMGetCalledValue, LLVMGetIntTypeWidth, LLVMGetNumArgOperands,
    LLVMGetTypeKind, LLVMGetValueName2, LLVMIsAConstantInt, LLVMIsAConstantPointerNull, LLVMTypeOf,
};
use inkwell::llvm_sys::debuginfo::{LLVMDIFileGetFilename, LLVMDILocationGetScope, LLVMDIScopeGetFile};
use inkwell::llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue, Operand};
use source::Position;

use crate::ast::{Function, Other};

pub(crate) struct InstructionsByPlace<'c> {
    instructions: HashMap<(u32, u32), Vec<InstructionValue<'c>>>,
}

impl<'c> InstructionsByPlace<'c> {
    /// None if the module does not define the function.
    pub(crate) fn new(module: &Module<'c>, function: &Function) -> Option<InstructionsByPlace<'c>> {
        let value = module.get_function(&function.symbol)?;
        let mut instructions: HashMap<_, Vec<_>> = HashMap::new();
        if value.count_basic_blocks() == 0 {
            return None;
        }
        let mut files: HashMap<LLVMMetadataRef, bool> = HashMap::new();
        for instruction in value.get_basic_block_iter().flat_map(|block| block.get_instructions()) {
            let Some(location) = instruction.get_debug_location() else { continue };
            let file = file(location.as_mut_ptr());
            if !*files.entry(file).or_insert_with(|| name(file) == function.file) {
                continue;
            }
            let place = (location.get_line(), location.get_column());
            instructions.entry(place).or_default().push(instruction);
        }
        Some(InstructionsByPlace { instructions })
    }

    /// All instructions at this place.
    pub(crate) fn all(&self, at: Position) -> &[InstructionValue<'c>] {
        self.instructions.get(&(at.line, at.column)).map_or(&[], Vec::as_slice)
    }

    /// The instruction at this place that is like that, if there is exactly one.
    pub(super) fn only(
        &self,
        at: Position,
        is_wanted: impl Fn(&InstructionValue<'c>) -> bool,
    ) -> Option<InstructionValue<'c>> {
        let here = self.instructions.get(&(at.line, at.column))?;
        let mut wanted = here.iter().filter(|instruction| is_wanted(instruction));
        let first = *wanted.next()?;
        wanted.next().is_none().then_some(first)
    }
}

/// The file that a location is in; perhaps null.
fn file(location: LLVMMetadataRef) -> LLVMMetadataRef {
    // SAFETY: each location has a scope.
    unsafe { LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) }
}

/// The last component of the name of a file.
fn name(file: LLVMMetadataRef) -> String {
    if file.is_null() {
        return String::new();
    }
    // SAFETY: LLVM owns the name and gives its length.
    unsafe {
        let mut length: c_uint = 0;
        let name = LLVMDIFileGetFilename(file, &mut length);
        let name = String::from_utf8_lossy(std::slice::from_raw_parts(name.cast::<u8>(), length as usize));
        name.rsplit('/').next().unwrap_or_default().to_string()
    }
}

/// The width of its integer result.
pub(super) fn width(instruction: InstructionValue<'_>) -> Option<u32> {
    value_width(instruction.as_value_ref())
}

pub(super) fn operand_width(instruction: InstructionValue<'_>, operand: u32) -> Option<u32> {
    match instruction.get_operand(operand)? {
        Operand::Value(value) => value_width(value.as_value_ref()),
        Operand::Block(_) => None,
    }
}

/// What an operand is if it is no integer.
pub(super) fn operand_other(instruction: InstructionValue<'_>, operand: u32) -> Option<Other> {
    let Operand::Value(value) = instruction.get_operand(operand)? else { return None };
    // SAFETY: every value has a type, and every type a kind.
    match unsafe { LLVMGetTypeKind(LLVMTypeOf(value.as_value_ref())) } {
        LLVMTypeKind::LLVMFloatTypeKind => Some(Other::Float(32)),
        LLVMTypeKind::LLVMDoubleTypeKind => Some(Other::Float(64)),
        LLVMTypeKind::LLVMPointerTypeKind => Some(Other::Pointer),
        _ => None,
    }
}

/// Whether its result is a pointer.
pub(super) fn is_pointer(instruction: InstructionValue<'_>) -> bool {
    // SAFETY: every value has a type, and every type a kind.
    unsafe { LLVMGetTypeKind(LLVMTypeOf(instruction.as_value_ref())) == LLVMTypeKind::LLVMPointerTypeKind }
}

/// Whether an operand is the null pointer.
pub(super) fn is_null(instruction: InstructionValue<'_>, operand: u32) -> bool {
    match instruction.get_operand(operand) {
        // SAFETY: any value may be asked what it is.
        Some(Operand::Value(value)) => unsafe { !LLVMIsAConstantPointerNull(value.as_value_ref()).is_null() },
        _ => false,
    }
}

fn value_width(value: LLVMValueRef) -> Option<u32> {
    // SAFETY: the width is asked of integer types only.
    unsafe {
        let kind = LLVMTypeOf(value);
        (LLVMGetTypeKind(kind) == LLVMTypeKind::LLVMIntegerTypeKind).then(|| LLVMGetIntTypeWidth(kind))
    }
}

/// The bits of an operand that is a constant of at most 64 bits.
pub(super) fn constant(instruction: InstructionValue<'_>, operand: u32) -> Option<u64> {
    if operand_width(instruction, operand)? > u64::BITS {
        return None;
    }
    let Operand::Value(value) = instruction.get_operand(operand)? else { return None };
    // SAFETY: the value is asked of integer constants only.
    unsafe {
        let constant = LLVMIsAConstantInt(value.as_value_ref());
        (!constant.is_null()).then(|| LLVMConstIntGetZExtValue(constant))
    }
}

/// The function that a call names, and how many arguments it passes.
pub(super) fn callee(call: InstructionValue<'_>) -> (String, u32) {
    // SAFETY: asked of calls only; LLVM owns the name.
    unsafe {
        let value = LLVMGetCalledValue(call.as_value_ref());
        let mut length = 0;
        let name = LLVMGetValueName2(value, &mut length);
        let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
        (String::from_utf8_lossy(name).into_owned(), LLVMGetNumArgOperands(call.as_value_ref()))
    }
}

/// The instructions that use its result. Clang leaves some behind whose own result nobody uses
/// (it counts branches of `?:` for profiles): those are not shown.
pub(super) fn users<'c>(instruction: InstructionValue<'c>) -> Vec<InstructionValue<'c>> {
    let mut users = Vec::new();
    let mut next = instruction.get_first_use();
    while let Some(used) = next {
        // SAFETY: what uses an instruction is an instruction.
        let user = unsafe { InstructionValue::new(used.get_user().as_value_ref()) };
        let is_leftover = user.get_opcode() == InstructionOpcode::ZExt && user.get_first_use().is_none();
        if !is_leftover {
            users.push(user);
        }
        next = used.get_next_use();
    }
    users
}
