//! What we do not handle, in words for the user.

use inkwell::llvm_sys::core::{LLVMGetCalledValue, LLVMIsAGlobalVariable, LLVMIsAInlineAsm};
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, GlobalValue, InstructionOpcode, InstructionValue,
    Operand as LlvmOperand,
};

use super::operation::{LONG_DOUBLE, callee, intrinsic_name, kind_of, width_of};
use super::text;

/// The global variable that an address names.
pub(super) fn global<'c>(address: BasicValueEnum<'c>) -> Option<GlobalValue<'c>> {
    let value = address.as_value_ref();
    // SAFETY: any value may be asked what it is.
    unsafe { (!LLVMIsAGlobalVariable(value).is_null()).then(|| GlobalValue::new(value)) }
}

pub(super) fn call(call: InstructionValue) -> String {
    if let Some(name) = intrinsic_name(call) {
        return match name.as_str() {
            // Clang rounds the place of such an argument.
            "llvm.ptrmask" => {
                "an address is rounded, as that of an argument of 16 bytes in a list".to_string()
            }
            _ => format!("the built-in operation `{name}`"),
        };
    }
    match callee(call) {
        Some((function, _)) => format!("a call to `{}`, which has no body", text(function.get_name())),
        // SAFETY: a call has a called value.
        None if unsafe { !LLVMIsAInlineAsm(LLVMGetCalledValue(call.as_value_ref())).is_null() } => {
            "inline assembly".to_string()
        }
        None => "a call through a pointer".to_string(),
    }
}

/// A call whose types are not those of the function.
pub(super) fn mismatch(function: FunctionValue) -> String {
    format!("a call to `{}` with other types than those it is defined with", text(function.get_name()))
}

pub(super) fn instruction(instruction: InstructionValue) -> String {
    use InstructionOpcode::*;
    let operand = |at| instruction.get_operand(at).and_then(LlvmOperand::value);
    match instruction.get_opcode() {
        FRem => "a remainder of floats".to_string(),
        PtrToInt => "an address is used as a number".to_string(),
        IntToPtr => "a number is used as an address".to_string(),
        GetElementPtr => "pointer arithmetic".to_string(),
        AddrSpaceCast => "a pointer conversion".to_string(),
        AtomicRMW | AtomicCmpXchg | Fence => "an atomic operation".to_string(),
        ExtractElement | InsertElement | ShuffleVector => "a vector operation".to_string(),
        IndirectBr => "a jump to a computed label".to_string(),
        VAArg => "an argument from a variable list".to_string(),
        Call => call(instruction),
        opcode => match operand(0).map(|value| value.get_type()).filter(|of| width_of(*of).is_none()) {
            Some(of) => kind_of(of).to_string(),
            None if instruction.get_type().is_float_type() && width_of(instruction.get_type()).is_none() => {
                LONG_DOUBLE.to_string()
            }
            None if instruction.get_type().is_vector_type() => "a vector operation".to_string(),
            None => format!("the operation `{}`", format!("{opcode:?}").to_lowercase()),
        },
    }
}
