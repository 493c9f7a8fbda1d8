//! Failed assertions: what `assert` calls. The message has the name of the file and the
//! line in it. These change when code moves, and mean nothing for what the program does.

use inkwell::llvm_sys::core::{
    LLVMConstNull, LLVMGetNumArgOperands, LLVMGetOperand, LLVMSetOperand, LLVMTypeOf,
};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode};

use crate::lift::users;

/// The functions that C libraries call when an assertion fails.
const FUNCTIONS: [&str; 4] = ["__assert_fail", "__assert", "__assert_func", "__assert_rtn"];

pub(crate) fn is_failure(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Makes all failed assertions say the same, so that code can be compared.
pub(crate) fn forget_messages(module: &Module) {
    for function in FUNCTIONS.iter().filter_map(|name| module.get_function(name)) {
        let calls = users(function.as_value_ref()).into_iter();
        for call in calls.filter(|user| user.get_opcode() == InstructionOpcode::Call) {
            let call = call.as_value_ref();
            // SAFETY: the arguments of a call are its first operands, and each type has a zero.
            unsafe {
                for at in 0..LLVMGetNumArgOperands(call) {
                    let zero = LLVMConstNull(LLVMTypeOf(LLVMGetOperand(call, at)));
                    LLVMSetOperand(call, at, zero);
                }
            }
        }
    }
}
