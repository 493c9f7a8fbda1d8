//! What we do not handle, in words for the user.

use inkwell::llvm_sys::core::{LLVMGetCalledValue, LLVMIsAGlobalVariable, LLVMIsAInlineAsm};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, GlobalValue, InstructionOpcode, InstructionValue,
    Operand as LlvmOperand,
};

use super::operation::{callee, intrinsic_name, kind_of};
use super::text;

/// The global variable that an address names.
pub(super) fn global<'c>(address: BasicValueEnum<'c>) -> Option<GlobalValue<'c>> {
    let value = address.as_value_ref();
    // SAFETY: any value may be asked what it is.
    unsafe { (!LLVMIsAGlobalVariable(value).is_null()).then(|| GlobalValue::new(value)) }
}

/// A read or a write of memory.
pub(super) fn access(address: BasicValueEnum, how: &str) -> String {
    if let Some(global) = global(address) {
        return match text(global.get_name()) {
            name if name.starts_with(".str") => "a string".to_string(),
            name => format!("the global variable `{name}` is {how}"),
        };
    }
    variable(address).unwrap_or_else(|| format!("a pointer is {how}"))
}

pub(super) fn call(call: InstructionValue) -> String {
    if let Some(name) = intrinsic_name(call) {
        return match name.as_str() {
            "llvm.memcpy" | "llvm.memmove" | "llvm.memcpy.inline" => "memory is copied".to_string(),
            "llvm.memset" | "llvm.memset.inline" => "memory is filled".to_string(),
            "llvm.stacksave" | "llvm.stackrestore" => "an array whose length is a variable".to_string(),
            _ => format!("the built-in operation `{name}`"),
        };
    }
    match callee(call) {
        Some((function, true)) => {
            format!("a call to `{}`, which has no body", text(function.get_name()))
        }
        Some((function, false)) => {
            format!("a call to `{}` with other types than it has", text(function.get_name()))
        }
        // SAFETY: a call has a called value.
        None if unsafe { !LLVMIsAInlineAsm(LLVMGetCalledValue(call.as_value_ref())).is_null() } => {
            "inline assembly".to_string()
        }
        None => "a call through a pointer".to_string(),
    }
}

pub(super) fn instruction(instruction: InstructionValue) -> String {
    use InstructionOpcode::*;
    let operand = |at| instruction.get_operand(at).and_then(LlvmOperand::value);
    match instruction.get_opcode() {
        Alloca => "an array whose length is a variable".to_string(),
        FAdd | FSub | FMul | FDiv | FRem | FNeg | FCmp | FPToSI | FPToUI | SIToFP | UIToFP | FPExt
        | FPTrunc => "a floating-point operation".to_string(),
        GetElementPtr => {
            let named = |base| match global(base) {
                Some(global) if !global.get_name().to_bytes().starts_with(b".str") => {
                    Some(format!("the global array or struct `{}`", text(global.get_name())))
                }
                _ => variable(base),
            };
            operand(0).and_then(named).unwrap_or_else(|| "pointer arithmetic".to_string())
        }
        PtrToInt | IntToPtr | AddrSpaceCast => "a pointer conversion".to_string(),
        AtomicRMW | AtomicCmpXchg | Fence => "an atomic operation".to_string(),
        ExtractElement | InsertElement | ShuffleVector => "a vector operation".to_string(),
        ExtractValue | InsertValue => "a struct".to_string(),
        IndirectBr => "a jump to a computed label".to_string(),
        VAArg => "an argument of a varying number".to_string(),
        ICmp if operand(0).is_some_and(|value| value.is_pointer_value()) => {
            "a comparison of pointers".to_string()
        }
        Call => call(instruction),
        opcode => match operand(0).map(|value| value.get_type()) {
            Some(of) if !matches!(of, BasicTypeEnum::IntType(_)) => kind_of(of).to_string(),
            _ => format!("the operation `{}`", format!("{opcode:?}").to_lowercase()),
        },
    }
}

/// A local variable that does not live in registers.
fn variable(address: BasicValueEnum) -> Option<String> {
    let allocation = address.as_instruction_value()?;
    let of = allocation.get_allocated_type().ok()?;
    let name = allocation.get_name().map(text).unwrap_or_default();
    let name = name.trim_end_matches(".addr");
    let kind = match of {
        BasicTypeEnum::IntType(_) => return Some(format!("variable `{name}`, whose address is taken")),
        BasicTypeEnum::ArrayType(_) => "an array",
        BasicTypeEnum::FloatType(_) => "a floating-point variable",
        BasicTypeEnum::PointerType(_) => "a pointer",
        BasicTypeEnum::StructType(_) => "a struct or union",
        _ => kind_of(of),
    };
    Some(format!("variable `{name}`, {kind}"))
}
