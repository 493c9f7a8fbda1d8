//! Variadic functions, as the program that we reason about has them: functions with one more parameter.
//!
//! On this machine, the first arguments of a variadic function travel in registers, and the others in memory.
//! A list (`va_list`) says how much of the registers is used up, and where the next argument in memory is.
//! Clang writes `va_arg` as plain loads from either. So we need no more than a call that leaves nothing to
//! registers: the caller puts all further arguments into an [object], eight bytes each, and passes its
//! address. `va_start` makes a [list] whose registers are used up, and whose next argument is the first of
//! the object. Everything else is ordinary code, for every engine.
//!
//! What always holds:
//! - An argument has the bytes that `va_arg` reads in memory.
//! - Who reads an argument finds out first whether one was passed, and whether it is of this kind. If not, C
//!   leaves open what happens, and no test can tell for sure: it depends on what is left in registers.
//!
//! Only what runs here is changed so. What other files are linked with keeps the ways of C
//! ([`Unit`](crate::Unit)).

mod code;
mod list;
mod object;

use std::collections::HashSet;

use inkwell::attributes::AttributeLoc;
use inkwell::context::AsContextRef;
use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMSetSubprogram};
use inkwell::llvm_sys::prelude::{LLVMAttributeRef, LLVMContextRef, LLVMTypeRef, LLVMValueRef};
use inkwell::module::{Linkage, Module};
use inkwell::types::AsTypeRef;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue, Operand};

use crate::library::Library;
use crate::lift::{operation, users};
use code::Code;
pub(crate) use list::CHECK;

/// The attribute of a function that was variadic.
const MARK: &str = "whet.variadic";

/// What the further parameter is called.
const HIDDEN: &std::ffi::CStr = c"whet.further";

/// Whether a module defines variadic functions.
pub(crate) fn is_needed(module: &Module) -> bool {
    module.get_functions().any(|function| is_defined(&function))
}

/// Whether a function was variadic before.
pub(crate) fn was_variadic(function: FunctionValue) -> bool {
    function.get_string_attribute(AttributeLoc::Function, MARK).is_some()
}

/// Gives all variadic functions of a module their further parameter, and all calls to them.
pub(crate) fn make_plain(module: &Module) {
    list::handle(module);
    let functions: Vec<FunctionValue> = module.get_functions().filter(is_defined).collect();
    replace_all(module, &functions);
}

/// Does the same to those functions that a module only declares, and that a library defines.
pub(crate) fn adopt(module: &Module, library: &Library) {
    let of_library = |function: &FunctionValue| {
        let body = library.body(&function.get_name().to_string_lossy());
        function.get_type().is_var_arg() && body.is_some_and(was_variadic)
    };
    let functions: Vec<FunctionValue> = module.get_functions().filter(of_library).collect();
    replace_all(module, &functions);
}

fn is_defined(function: &FunctionValue) -> bool {
    function.get_type().is_var_arg() && function.count_basic_blocks() > 0
}

fn replace_all(module: &Module, functions: &[FunctionValue]) {
    let mut pointed_to = HashSet::new();
    for function in functions {
        let of = function.get_type().as_type_ref();
        let is_external = function.get_linkage() != Linkage::Internal;
        let new = with_parameter(module, *function);
        let is_callee = |user: &InstructionValue| {
            // The function that is called is the last operand of a call.
            user.get_opcode() == InstructionOpcode::Call
                && (0..user.get_num_operands() - 1).all(|at| operand(*user, at) != Some(new))
        };
        // SAFETY: the new function has uses, and each has a user.
        let all_call = unsafe { uses(new) == users(new).iter().filter(|user| is_callee(user)).count() };
        // An input may name a function that other files know.
        if !all_call || is_external {
            pointed_to.insert(of);
        }
    }
    if functions.is_empty() {
        return;
    }
    let bodies = module.get_functions().flat_map(|function| function.get_basic_block_iter());
    let calls: Vec<InstructionValue> = bodies
        .flat_map(|block| block.get_instructions())
        .filter(|instruction| instruction.get_opcode() == InstructionOpcode::Call)
        .collect();
    for call in calls {
        // SAFETY: it is a call, whose callee has a type.
        unsafe {
            let of = LLVMGetCalledFunctionType(call.as_value_ref());
            if LLVMIsFunctionVarArg(of) == 0 {
                continue;
            }
            // A call through a pointer that has no prototype looks the same, and leads to a function that is
            // not variadic. We take it for such a call if no variadic function here has this type.
            let leads_to_one = match operation::callee(call) {
                Some((callee, _)) => was_variadic(callee),
                None => pointed_to.contains(&of),
            };
            if leads_to_one {
                replace_call(module, call.as_value_ref(), of);
            }
        }
    }
}

fn operand(instruction: InstructionValue, at: u32) -> Option<LLVMValueRef> {
    instruction.get_operand(at).and_then(Operand::value).map(|value| value.as_value_ref())
}

/// How often a value is used, by instructions and by constants.
unsafe fn uses(value: LLVMValueRef) -> usize {
    // SAFETY: the caller has a value. The list of its uses ends with null.
    unsafe {
        let mut count = 0;
        let mut at = LLVMGetFirstUse(value);
        while !at.is_null() {
            count += 1;
            at = LLVMGetNextUse(at);
        }
        count
    }
}

/// Puts a function with the further parameter in the place of a variadic one.
fn with_parameter(module: &Module, function: FunctionValue) -> LLVMValueRef {
    let old = function.as_value_ref();
    // SAFETY: the new function gets all that the old one has, which is deleted when nobody uses it any more.
    unsafe {
        let context = module.get_context().as_ctx_ref();
        let of = function.get_type().as_type_ref();
        let new = LLVMAddFunction(module.as_mut_ptr(), c"".as_ptr(), plain_type(context, of));
        let count = function.count_params();
        for index in (0..=count).chain([LLVMAttributeFunctionIndex]) {
            for attribute in attributes(old, index, LLVMGetAttributeCountAtIndex, LLVMGetAttributesAtIndex) {
                LLVMAddAttributeAtIndex(new, index, attribute);
            }
        }
        LLVMSetLinkage(new, LLVMGetLinkage(old));
        LLVMSetVisibility(new, LLVMGetVisibility(old));
        LLVMSetFunctionCallConv(new, LLVMGetFunctionCallConv(old));
        LLVMSetUnnamedAddress(new, LLVMGetUnnamedAddress(old));
        let described = LLVMGetSubprogram(old);
        if !described.is_null() {
            LLVMSetSubprogram(old, std::ptr::null_mut());
            LLVMSetSubprogram(new, described);
        }
        for at in 0..count {
            let (own, value) = (LLVMGetParam(old, at), LLVMGetParam(new, at));
            take_name(value, own);
            LLVMReplaceAllUsesWith(own, value);
        }
        let hidden = LLVMGetParam(new, count);
        LLVMSetValueName2(hidden, HIDDEN.as_ptr(), HIDDEN.to_bytes().len());
        move_blocks(context, old, new);
        take_name(new, old);
        LLVMReplaceAllUsesWith(old, new);
        LLVMDeleteFunction(old);
        let function = FunctionValue::new(new).expect("it is a function");
        let mark = module.get_context().create_string_attribute(MARK, "");
        function.add_attribute(AttributeLoc::Function, mark);
        list::start(context, function, hidden);
        new
    }
}

/// The type of a function that takes what a variadic one must be given, and the address of what follows.
unsafe fn plain_type(context: LLVMContextRef, of: LLVMTypeRef) -> LLVMTypeRef {
    // SAFETY: the caller has a type of functions.
    unsafe {
        let mut parameters = vec![std::ptr::null_mut(); LLVMCountParamTypes(of) as usize];
        LLVMGetParamTypes(of, parameters.as_mut_ptr());
        parameters.push(LLVMPointerTypeInContext(context, 0));
        LLVMFunctionType(LLVMGetReturnType(of), parameters.as_mut_ptr(), parameters.len() as u32, 0)
    }
}

/// The attributes at a place of a function or of a call, each of which has its own questions in LLVM.
unsafe fn attributes(
    of: LLVMValueRef,
    index: u32,
    count: unsafe extern "C" fn(LLVMValueRef, u32) -> u32,
    list: unsafe extern "C" fn(LLVMValueRef, u32, *mut LLVMAttributeRef),
) -> Vec<LLVMAttributeRef> {
    // SAFETY: the vector has room for as many attributes as there are, and LLVM fills it.
    unsafe {
        let mut attributes = vec![std::ptr::null_mut(); count(of, index) as usize];
        list(of, index, attributes.as_mut_ptr());
        attributes
    }
}

unsafe fn take_name(new: LLVMValueRef, old: LLVMValueRef) {
    // SAFETY: a name is copied before it is taken away.
    unsafe {
        let mut length = 0;
        let name = LLVMGetValueName2(old, &mut length);
        let name = std::slice::from_raw_parts(name.cast::<u8>(), length).to_vec();
        LLVMSetValueName2(old, c"".as_ptr(), 0);
        LLVMSetValueName2(new, name.as_ptr().cast(), length);
    }
}

unsafe fn move_blocks(context: LLVMContextRef, old: LLVMValueRef, new: LLVMValueRef) {
    // SAFETY: blocks move one by one, in their order. The block that marks the place is nobody's.
    unsafe {
        let count = LLVMCountBasicBlocks(old) as usize;
        if count == 0 {
            return;
        }
        let mut blocks = vec![std::ptr::null_mut(); count];
        LLVMGetBasicBlocks(old, blocks.as_mut_ptr());
        let first = LLVMAppendBasicBlockInContext(context, new, c"".as_ptr());
        let mut last = first;
        for block in blocks {
            LLVMMoveBasicBlockAfter(block, last);
            last = block;
        }
        LLVMDeleteBasicBlock(first);
    }
}

/// Writes a call with the address of its further arguments, in place of one of a variadic function. A call
/// with arguments of which nobody knows the size stays what it is, and fits no function any more.
unsafe fn replace_call(module: &Module, call: LLVMValueRef, of: LLVMTypeRef) {
    // SAFETY: the caller has a call, and the type of what it calls. It is deleted when nobody uses it.
    unsafe {
        let own = LLVMCountParamTypes(of);
        let code = Code::before(module, call);
        let hidden = if LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail {
            // It passes on what it was given.
            let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
            LLVMGetLastParam(function)
        } else {
            let Some(further) = object::further(call, own) else { return };
            object::write(&code, &further)
        };
        let mut arguments: Vec<LLVMValueRef> = (0..own).map(|at| LLVMGetOperand(call, at)).collect();
        arguments.push(hidden);
        let (plain, callee) = (plain_type(code.context, of), LLVMGetCalledValue(call));
        let count = arguments.len() as u32;
        let new = LLVMBuildCall2(code.builder, plain, callee, arguments.as_mut_ptr(), count, c"".as_ptr());
        for index in (0..=own).chain([LLVMAttributeFunctionIndex]) {
            for attribute in attributes(call, index, LLVMGetCallSiteAttributeCount, LLVMGetCallSiteAttributes)
            {
                LLVMAddCallSiteAttribute(new, index, attribute);
            }
        }
        LLVMSetInstructionCallConv(new, LLVMGetInstructionCallConv(call));
        take_name(new, call);
        LLVMReplaceAllUsesWith(call, new);
        LLVMInstructionEraseFromParent(call);
    }
}
