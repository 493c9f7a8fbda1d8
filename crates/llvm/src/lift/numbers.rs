//! Which loads read a number, and which only move what lies there.
//!
//! A union may have a pointer and a number in one place. On a machine, a number that
//! is read where an address lies is a part of the address, which no test can predict.
//! So a load there is a fault if something is computed with its result. Moving it is
//! fine: a struct is copied word by word, and a small one is passed as a number.

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::{LLVMGetAllocatedType, LLVMGetTypeKind, LLVMIsAAllocaInst};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue,
};
use ir::{Action, Program, Type};

use super::users;

/// Whether somebody computes with what is loaded.
pub(super) fn is_number(load: InstructionValue) -> bool {
    let is_pointer = BasicTypeEnum::try_from(load.get_type()).is_ok_and(|of| of.is_pointer_type());
    !is_pointer && !users(load.as_value_ref()).into_iter().all(|user| is_move(user, load.as_value_ref()))
}

/// Whether an instruction only moves a value: into memory, or to a function that puts it there.
fn is_move(user: InstructionValue, value: inkwell::llvm_sys::prelude::LLVMValueRef) -> bool {
    match user.get_opcode() {
        InstructionOpcode::Store => {
            let stored = user.get_operand(0).and_then(|operand| operand.value());
            let is_value = stored.is_some_and(|stored| stored.as_value_ref() == value);
            is_value && user.get_operand(1).and_then(|it| it.value()).is_some_and(|to| !is_variable(to))
        }
        InstructionOpcode::Call => CallSiteValue::try_from(user).is_ok_and(|call| {
            let callee = call.get_called_fn_value();
            let places = (0..call.count_arguments()).filter(|at| {
                let argument = user.get_operand(*at).and_then(|operand| operand.value());
                argument.is_some_and(|argument| argument.as_value_ref() == value)
            });
            let places: Vec<u32> = places.collect();
            callee.is_some_and(|callee| places.iter().all(|at| takes_apart(callee, *at)))
        }),
        _ => false,
    }
}

/// Whether a function puts a parameter into memory that is more than a variable
/// of that type: it is a part of a struct.
fn takes_apart(function: FunctionValue, at: u32) -> bool {
    let Some(parameter) = function.get_nth_param(at) else { return false };
    let parameter = parameter.as_value_ref();
    let users = users(parameter);
    !users.is_empty()
        && users
            .into_iter()
            .all(|user| user.get_opcode() == InstructionOpcode::Store && is_move(user, parameter))
}

/// Whether a pointer is a variable with one word in it.
fn is_variable(pointer: BasicValueEnum) -> bool {
    // SAFETY: an allocation has an allocated type, and any type a kind.
    unsafe {
        let pointer = pointer.as_value_ref();
        !LLVMIsAAllocaInst(pointer).is_null()
            && !matches!(
                LLVMGetTypeKind(LLVMGetAllocatedType(pointer)),
                LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind
            )
    }
}

/// Notes whether an address may lie where a number is read: there is a union
/// with pointers and something else. If not, forgets which loads read numbers.
pub(super) fn find_unions(program: &mut Program) {
    let is_mixed = |of: &Type| matches!(of, Type::Record(record) if program.is_mixed(record));
    program.mixed = program.types.iter().any(is_mixed);
    if program.mixed {
        return;
    }
    let blocks = program.functions.iter_mut().flat_map(|function| &mut function.blocks);
    for instruction in blocks.flat_map(|block| &mut block.instructions) {
        if let Action::Load { number, .. } = &mut instruction.action {
            *number = false;
        }
    }
}
