//! Which functions a function may lead to: those that it mentions.
//!
//! Taken from LLVM rather than from the lifted program, because a function that we cannot execute still
//! leads somewhere, and a proof must not forget it.

use std::collections::BTreeSet;

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
        let id = FunctionId(at as u32);
        for place in places(mentioned.as_value_ref()) {
            let by = functions.iter().position(|function| Some(function.as_value_ref()) == place);
            match (by, place) {
                (Some(by), _) => {
                    found[by].insert(id);
                }
                (None, Some(_)) => {}
                // In a table of functions, say: whoever finds the table may call it.
                (None, None) => found.iter_mut().for_each(|mentions| {
                    mentions.insert(id);
                }),
            }
        }
    }
    found.into_iter().map(|set| set.into_iter().collect()).collect()
}

/// The functions in which a value is used; none for a use outside of functions.
fn places(value: LLVMValueRef) -> Vec<Option<LLVMValueRef>> {
    let mut places = Vec::new();
    // SAFETY: the list of uses belongs to the value, nobody changes it meanwhile, and every instruction
    // of a module stands in a block of a function.
    unsafe {
        let mut at = LLVMGetFirstUse(value);
        while !at.is_null() {
            let user = LLVMGetUser(at);
            let inside = !LLVMIsAInstruction(user).is_null();
            places.push(inside.then(|| LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))));
            at = LLVMGetNextUse(at);
        }
    }
    places
}
