//! Which functions a function may lead to: those that it mentions, itself or through a global.
//!
//! This is read from LLVM's module and not from the lifted program. A function
//! that we cannot execute still leads somewhere, and a proof must not forget it.

use std::collections::{BTreeSet, HashSet};

use inkwell::llvm_sys::core::{
    LLVMGetBasicBlockParent, LLVMGetFirstUse, LLVMGetInstructionParent, LLVMGetNextUse, LLVMGetUser,
    LLVMIsAInstruction,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{AsValueRef, FunctionValue};
use ir::FunctionId;

/// For each of these functions, which are numbered in their order, the ones that it mentions. Sorted.
pub(super) fn mentions(functions: &[FunctionValue]) -> Vec<Vec<FunctionId>> {
    let mut found = vec![BTreeSet::new(); functions.len()];
    for (at, mentioned) in functions.iter().enumerate() {
        for place in places(mentioned.as_value_ref()) {
            if let Some(by) = functions.iter().position(|function| function.as_value_ref() == place) {
                found[by].insert(FunctionId(at as u32));
            }
        }
    }
    found.into_iter().map(|set| set.into_iter().collect()).collect()
}

/// The functions in which a value is used. One in a table of functions, say, is used wherever the table is.
pub(crate) fn places(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut places = Vec::new();
    let mut seen = HashSet::from([value]);
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        // SAFETY: the list of uses belongs to the value, nobody changes it meanwhile, and every instruction
        // of a module stands in a block of a function.
        unsafe {
            let mut at = LLVMGetFirstUse(value);
            while !at.is_null() {
                let user = LLVMGetUser(at);
                if !LLVMIsAInstruction(user).is_null() {
                    places.push(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
                } else if seen.insert(user) {
                    open.push(user);
                }
                at = LLVMGetNextUse(at);
            }
        }
    }
    places
}
