//! Addresses that are used as numbers, and numbers as addresses.
//!
//! Where an object lies, C leaves open. So each cast between pointers and numbers becomes a call of a
//! function in our C library (`library/address.c`). The number that it gives depends on what C leaves open
//! (`__library_choice`), and keeps what C promises: the alignment of the object. As with [other
//! results](crate::open) that C leaves open, this is done only to the program that we reason about and to
//! the code that is compared, not to what runs.
//!
//! The difference of two pointers needs no number. It stays as it is.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::{
    LLVMGetConstOpcode, LLVMGetNumOperands, LLVMGetOperand, LLVMIsAConstantExpr, LLVMIsAGlobalValue,
    LLVMIsConstant, LLVMSetOperand,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::types::{BasicType, BasicTypeEnum, IntType};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
    IntValue, Operand, PointerValue,
};

use crate::lift::{self, operation};

/// Gives the number of a pointer.
const ADDRESS: &str = "__whet_address";

/// Gives the pointer of a number.
const POINTER: &str = "__whet_pointer";

/// Whether casts in a function show how we count objects. They do in these two only.
pub(crate) fn shows_addresses(function: FunctionValue) -> bool {
    [ADDRESS, POINTER].iter().any(|name| function.get_name().to_bytes() == name.as_bytes())
}

/// Whether a module has casts that were made calls. What it does may depend on how we count objects.
pub(crate) fn are_numbers(module: &Module) -> bool {
    module.get_function(ADDRESS).is_some() || module.get_function(POINTER).is_some()
}

/// Makes calls of casts.
pub(crate) fn call_casts(module: &Module) {
    for function in lift::user_functions(module).collect::<Vec<_>>() {
        let blocks = function.get_basic_block_iter();
        for instruction in blocks.flat_map(|block| block.get_instructions()).collect::<Vec<_>>() {
            take_out_constants(module, instruction);
            let new = match (instruction.get_opcode(), value(instruction, 0)) {
                (InstructionOpcode::PtrToInt, Some(BasicValueEnum::PointerValue(pointer))) => {
                    is_seen(instruction).then(|| {
                        let of = instruction.get_type().into_int_type();
                        number(module, instruction, pointer, of).as_instruction()
                    })
                }
                (InstructionOpcode::IntToPtr, Some(BasicValueEnum::IntValue(number))) => {
                    is_computed(number).then(|| pointer(module, instruction, number).as_instruction())
                }
                _ => None,
            };
            if let Some(new) = new.flatten() {
                instruction.replace_all_uses_with(&new);
                instruction.erase_from_basic_block();
            }
        }
    }
}

/// Whether somebody does more with the number of a pointer than to subtract it from another one.
pub(crate) fn is_seen(cast: InstructionValue) -> bool {
    !lift::users(cast.as_value_ref()).into_iter().all(is_difference)
}

fn is_difference(instruction: InstructionValue) -> bool {
    let is_address = |at| value(instruction, at).and_then(operation::address).is_some();
    instruction.get_opcode() == InstructionOpcode::Sub && is_address(0) && is_address(1)
}

fn is_computed(number: IntValue) -> bool {
    // SAFETY: any value may be asked whether it is a constant.
    unsafe { LLVMIsConstant(number.as_value_ref()) == 0 }
}

/// A constant address that an instruction uses as a number becomes a call before it.
fn take_out_constants<'c>(module: &Module<'c>, user: InstructionValue<'c>) {
    if user.get_opcode() == InstructionOpcode::Phi || is_difference(user) {
        return;
    }
    // SAFETY: the operands of an instruction are read up to their count.
    for at in 0..unsafe { LLVMGetNumOperands(user.as_value_ref()) } as u32 {
        // SAFETY: as before. The call has the type of the constant, and comes before the instruction.
        unsafe {
            let constant = LLVMGetOperand(user.as_value_ref(), at);
            let is_cast = !LLVMIsAConstantExpr(constant).is_null()
                && LLVMGetConstOpcode(constant) == LLVMOpcode::LLVMPtrToInt;
            if is_cast && is_in_object(LLVMGetOperand(constant, 0)) {
                let address = PointerValue::new(LLVMGetOperand(constant, 0));
                let of = IntValue::new(constant).get_type();
                let number = number(module, user, address, of);
                LLVMSetOperand(user.as_value_ref(), at, number.as_value_ref());
            }
        }
    }
}

/// Whether a constant address is in a variable or a function. How far a field is from the start of a struct
/// at null is a plain number.
fn is_in_object(mut address: LLVMValueRef) -> bool {
    // SAFETY: any value may be asked what it is. What is computed from an address has it as first operand.
    unsafe {
        while !LLVMIsAConstantExpr(address).is_null() && LLVMGetNumOperands(address) > 0 {
            address = LLVMGetOperand(address, 0);
        }
        !LLVMIsAGlobalValue(address).is_null()
    }
}

/// The number of a pointer, as wide as it is wanted.
fn number<'c>(
    module: &Module<'c>,
    before: InstructionValue<'c>,
    pointer: PointerValue<'c>,
    of: IntType<'c>,
) -> IntValue<'c> {
    let builder = module.get_context().create_builder();
    builder.position_before(&before);
    let size = module.get_context().i64_type();
    let number = call(module, before, ADDRESS, size.into(), pointer.into()).into_int_value();
    let width = of.get_bit_width();
    match width.cmp(&size.get_bit_width()) {
        std::cmp::Ordering::Equal => number,
        std::cmp::Ordering::Less => builder.build_int_truncate(number, of, "address").expect(PLACED),
        std::cmp::Ordering::Greater => builder.build_int_z_extend(number, of, "address").expect(PLACED),
    }
}

/// The pointer of a number.
fn pointer<'c>(module: &Module<'c>, before: InstructionValue<'c>, number: IntValue<'c>) -> PointerValue<'c> {
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_before(&before);
    let number = builder.build_int_cast_sign_flag(number, context.i64_type(), false, "number").expect(PLACED);
    let of = context.ptr_type(inkwell::AddressSpace::default());
    call(module, before, POINTER, of.into(), number.into()).into_pointer_value()
}

const PLACED: &str = "the builder has a place";

/// Calls one of the two before an instruction.
fn call<'c>(
    module: &Module<'c>,
    before: InstructionValue<'c>,
    name: &str,
    of: BasicTypeEnum<'c>,
    argument: BasicValueEnum<'c>,
) -> BasicValueEnum<'c> {
    let first = module.get_context().i32_type();
    let types = [argument.get_type().into(), first.into()];
    let function = module
        .get_function(name)
        .unwrap_or_else(|| module.add_function(name, of.fn_type(&types, false), None));
    let builder = module.get_context().create_builder();
    builder.position_before(&before);
    let first: BasicMetadataValueEnum = first.const_int(ir::FIRST_OBJECT.into(), false).into();
    let call = builder.build_call(function, &[argument.into(), first], "address").expect(PLACED);
    call.try_as_basic_value().expect_basic("it gives a value")
}

fn value(instruction: InstructionValue, at: u32) -> Option<BasicValueEnum> {
    instruction.get_operand(at).and_then(Operand::value)
}
