//! Attributes of functions and calls: what the calling convention needs stays, all promises go.
//!
//! A list of what stays is short and does not age; new promises appear in every version of LLVM.

use std::ffi::c_char;

use inkwell::llvm_sys::core::{
    LLVMGetAttributeCountAtIndex, LLVMGetAttributesAtIndex, LLVMGetCallSiteAttributeCount,
    LLVMGetCallSiteAttributes, LLVMGetEnumAttributeKind, LLVMGetEnumAttributeKindForName,
    LLVMGetStringAttributeKind, LLVMIsStringAttribute, LLVMRemoveCallSiteEnumAttribute,
    LLVMRemoveCallSiteStringAttribute, LLVMRemoveEnumAttributeAtIndex, LLVMRemoveStringAttributeAtIndex,
};
use inkwell::llvm_sys::prelude::{LLVMAttributeRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode};

/// How values travel, and what becomes of the function as a whole.
const KEPT: &[&str] = &[
    "signext",
    "zeroext",
    "inreg",
    "byval",
    "sret",
    "byref",
    "nest",
    "align",
    "elementtype",
    "alwaysinline",
    "noinline",
    "nounwind",
    "uwtable",
    "returns_twice",
    "naked",
    "nobuiltin",
    "strictfp",
];

const KEPT_STRINGS: &[&[u8]] = &[b"target-cpu", b"target-features", b"tune-cpu", b"frame-pointer"];

/// The index at which LLVM keeps the attributes of the function itself.
const OF_FUNCTION: u32 = u32::MAX;

pub(super) fn forget_promises(module: &Module) {
    let kept: Vec<u32> = KEPT
        .iter()
        // SAFETY: a name with its length.
        .map(|name| unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) })
        .collect();
    for function in module.get_functions().filter(|function| function.get_intrinsic_id() == 0) {
        forget(&FUNCTION, function.as_value_ref(), function.count_params(), &kept);
        let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
        for call in instructions.filter(|each| each.get_opcode() == InstructionOpcode::Call) {
            forget(&CALL, call.as_value_ref(), call.get_num_operands(), &kept);
        }
    }
}

/// What holds attributes: functions and calls, with a name of its own in LLVM for each question.
struct Holder {
    count: unsafe extern "C" fn(LLVMValueRef, u32) -> u32,
    list: unsafe extern "C" fn(LLVMValueRef, u32, *mut LLVMAttributeRef),
    remove_kind: unsafe extern "C" fn(LLVMValueRef, u32, u32),
    remove_named: unsafe extern "C" fn(LLVMValueRef, u32, *const c_char, u32),
}

const FUNCTION: Holder = Holder {
    count: LLVMGetAttributeCountAtIndex,
    list: LLVMGetAttributesAtIndex,
    remove_kind: LLVMRemoveEnumAttributeAtIndex,
    remove_named: LLVMRemoveStringAttributeAtIndex,
};

const CALL: Holder = Holder {
    count: LLVMGetCallSiteAttributeCount,
    list: LLVMGetCallSiteAttributes,
    remove_kind: LLVMRemoveCallSiteEnumAttribute,
    remove_named: LLVMRemoveCallSiteStringAttribute,
};

/// `value` is what the holder is for, with so many parameters.
fn forget(holder: &Holder, value: LLVMValueRef, parameters: u32, kept: &[u32]) {
    for index in indices(parameters) {
        // SAFETY: the vector has room for as many attributes as there are, and LLVM fills it.
        unsafe {
            let count = (holder.count)(value, index) as usize;
            let mut attributes = vec![std::ptr::null_mut(); count];
            (holder.list)(value, index, attributes.as_mut_ptr());
            for attribute in attributes {
                match promise(attribute, kept) {
                    Some(Promise::Kind(kind)) => (holder.remove_kind)(value, index, kind),
                    Some(Promise::Named(name)) => {
                        (holder.remove_named)(value, index, name.as_ptr().cast(), name.len() as u32);
                    }
                    None => {}
                }
            }
        }
    }
}

/// An attribute that has to go.
enum Promise {
    Kind(u32),
    Named(Vec<u8>),
}

unsafe fn promise(attribute: LLVMAttributeRef, kept: &[u32]) -> Option<Promise> {
    // SAFETY: the caller has the attribute from LLVM. The name of one that is a
    // string is read up to its length, and copied.
    unsafe {
        if LLVMIsStringAttribute(attribute) != 0 {
            let mut length = 0;
            let name = LLVMGetStringAttributeKind(attribute, &mut length);
            let name = std::slice::from_raw_parts(name.cast::<u8>(), length as usize);
            return (!KEPT_STRINGS.contains(&name)).then(|| Promise::Named(name.to_vec()));
        }
        let kind = LLVMGetEnumAttributeKind(attribute);
        (!kept.contains(&kind)).then_some(Promise::Kind(kind))
    }
}

/// Where attributes stand: at the function, at the result, at each parameter.
fn indices(parameters: u32) -> impl Iterator<Item = u32> {
    std::iter::once(OF_FUNCTION).chain(0..=parameters)
}
