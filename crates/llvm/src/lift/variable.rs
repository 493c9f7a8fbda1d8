//! Which variables live in registers: numbers and pointers that are only read and written, as a whole.

use std::collections::HashMap;

use inkwell::llvm_sys::core::{
    LLVMGetAllocatedType, LLVMGetFirstUse, LLVMGetNextUse, LLVMGetUser, LLVMGetValueName2, LLVMIsAArgument,
    LLVMIsAInstruction, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
};

use super::layout::width_of;
use super::ssa::Variable;

/// The variables of a function that live in registers, by the value that allocates them.
pub(super) fn in_registers(function: FunctionValue) -> HashMap<LLVMValueRef, Variable> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    let allocations = instructions.filter(|each| each.get_opcode() == InstructionOpcode::Alloca);
    let mut variables = HashMap::new();
    for allocation in allocations {
        if let Some(width) = register_width(allocation) {
            let number = variables.len() as u32;
            variables.insert(allocation.as_value_ref(), Variable { number, width });
        }
    }
    variables
}

/// What the user calls these variables. Clang keeps a parameter in one that is named after it.
pub(super) fn names(variables: &HashMap<LLVMValueRef, Variable>) -> HashMap<Variable, String> {
    let name = |value: LLVMValueRef| {
        let mut length = 0;
        // SAFETY: the name belongs to the value, and is as long as LLVM says.
        let bytes =
            unsafe { std::slice::from_raw_parts(LLVMGetValueName2(value, &mut length).cast::<u8>(), length) };
        let name = String::from_utf8_lossy(bytes).into_owned();
        name.strip_suffix(".addr").map(str::to_string).unwrap_or(name)
    };
    variables.iter().map(|(value, variable)| (*variable, name(*value))).collect()
}

/// The instructions that use a value.
pub(crate) fn users<'c>(value: LLVMValueRef) -> Vec<InstructionValue<'c>> {
    let mut users = Vec::new();
    // SAFETY: the list of uses belongs to the value, and nobody changes it meanwhile.
    unsafe {
        let mut at = LLVMGetFirstUse(value);
        while !at.is_null() {
            let user = LLVMGetUser(at);
            if !LLVMIsAInstruction(user).is_null() {
                users.push(InstructionValue::new(user));
            }
            at = LLVMGetNextUse(at);
        }
    }
    users
}

/// Whether a value comes from a caller, or from a function that was called, and perhaps in parts.
pub(super) fn is_handed(value: BasicValueEnum) -> bool {
    let Some(instruction) = value.as_instruction_value() else {
        // SAFETY: any value may be asked what it is.
        return unsafe { !LLVMIsAArgument(value.as_value_ref()).is_null() };
    };
    match instruction.get_opcode() {
        InstructionOpcode::Call => true,
        InstructionOpcode::ExtractValue => {
            instruction.get_operand(0).and_then(|operand| operand.value()).is_some_and(is_handed)
        }
        _ => false,
    }
}

/// Whether an allocation makes one object, and not an array whose length is a variable.
pub(crate) fn is_single(allocation: InstructionValue) -> bool {
    let count = allocation.get_operand(0).and_then(|operand| operand.value());
    let one = |count: inkwell::values::BasicValueEnum| {
        count.into_int_value().get_zero_extended_constant() == Some(1)
    };
    count.is_none_or(one)
}

fn register_width(allocation: InstructionValue) -> Option<u32> {
    let of = allocation.get_allocated_type().ok()?;
    if of.is_struct_type() || of.is_array_type() || of.is_vector_type() {
        return None;
    }
    let width = width_of(of)?;
    let itself = allocation.as_value_ref();
    // SAFETY: the caller has an allocation.
    let allocated = unsafe { LLVMGetAllocatedType(itself) };
    // SAFETY: every value has a type.
    let is_whole = |value: LLVMValueRef| unsafe { LLVMTypeOf(value) == allocated };
    let whole = |user: InstructionValue| match user.get_opcode() {
        InstructionOpcode::Load => is_whole(user.as_value_ref()),
        InstructionOpcode::Store => {
            let stored = user.get_operand(0).and_then(|operand| operand.value());
            stored.is_some_and(|it| it.as_value_ref() != itself && is_whole(it.as_value_ref()))
        }
        _ => false,
    };
    (is_single(allocation) && users(itself).into_iter().all(whole)).then_some(width)
}
