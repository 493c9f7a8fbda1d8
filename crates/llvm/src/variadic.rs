//! Variadic functions, as the program that we reason about has them: functions with one more parameter.
//!
//! On this machine, the first arguments of a variadic function travel in registers, and the others in memory.
//! A list (`va_list`) says how much of the registers is used up, and where the next argument in memory is.
//! Clang writes `va_arg` as plain loads from either. So we need no more than a call that leaves nothing to
//! registers: the caller puts all further arguments into an object, eight bytes each, and passes its address.
//! `va_start` makes a list whose registers are used up, and whose next argument is the first of the object.
//! Everything else is ordinary code, for every engine.
//!
//! What always holds:
//! - An argument has the bytes that `va_arg` reads in memory. Those that belong to none stay unassigned: the
//!   upper half of an `int`.
//! - Nothing lies behind the last argument. To read one that was not passed is an access out of bounds.
//!
//! Only what runs here is changed so. What other files are linked with keeps the ways of C
//! ([`Unit`](crate::Unit)).

use std::collections::HashSet;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::AsContextRef;
use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc, LLVMSetSubprogram};
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMContextRef, LLVMTypeRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::types::AsTypeRef;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue, Operand};

use crate::library::Library;
use crate::lift::{layout, operation, users};

/// The attribute of a function that was variadic.
const MARK: &str = "whet.variadic";

/// What the further parameter is called.
const HIDDEN: &std::ffi::CStr = c"whet.further";

/// The bytes of an argument in memory, and what the object is aligned to, so that wide ones find their place.
const SLOT: u64 = 8;
const ALIGNMENT: u64 = 16;

/// A list: what is used of the two kinds of registers, the next argument in memory, and where the registers
/// were saved. With these offsets, both kinds are used up.
const LIST: u64 = 24;
const GENERAL: (u64, u64) = (0, 48);
const FLOATING: (u64, u64) = (4, 176);
const NEXT: u64 = 8;
const SAVED: u64 = 16;

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
    handle_lists(module);
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
        let new = with_parameter(module, *function);
        let is_callee = |user: &InstructionValue| {
            // The function that is called is the last operand of a call.
            user.get_opcode() == InstructionOpcode::Call
                && (0..user.get_num_operands() - 1).all(|at| operand(*user, at as u32) != Some(new))
        };
        // SAFETY: the new function has uses, and each has a user.
        let all_call = unsafe { uses(new) == users(new).iter().filter(|user| is_callee(user)).count() };
        if !all_call {
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
            // A call through a pointer may also be one without a prototype, of a function that is not
            // variadic. Then no variadic function has its type.
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
        start_lists(context, function, hidden);
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
    list: unsafe extern "C" fn(LLVMValueRef, u32, *mut inkwell::llvm_sys::prelude::LLVMAttributeRef),
) -> Vec<inkwell::llvm_sys::prelude::LLVMAttributeRef> {
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

/// The calls of an intrinsic.
fn intrinsics<'c>(function: FunctionValue<'c>, name: &str) -> Vec<InstructionValue<'c>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter(|call| operation::intrinsic_name(*call).is_some_and(|it| it == name)).collect()
}

/// Writes what `va_copy` and `va_end` do.
fn handle_lists(module: &Module) {
    for function in module.get_functions() {
        for call in intrinsics(function, "llvm.va_copy") {
            // SAFETY: the intrinsic takes two pointers, and leaves no value.
            unsafe {
                let code = Code::before(module, call.as_value_ref());
                let [to, from] = [0, 1].map(|at| LLVMGetOperand(call.as_value_ref(), at));
                LLVMBuildMemCpy(code.builder, to, SLOT as u32, from, SLOT as u32, code.number(64, LIST));
                LLVMInstructionEraseFromParent(call.as_value_ref());
            }
        }
        for call in intrinsics(function, "llvm.va_end") {
            call.erase_from_basic_block();
        }
    }
}

/// Writes what `va_start` does in a function, given what follows its own parameters.
unsafe fn start_lists(context: LLVMContextRef, function: FunctionValue, further: LLVMValueRef) {
    for call in intrinsics(function, "llvm.va_start") {
        // SAFETY: the intrinsic takes a pointer to a list, and leaves no value.
        unsafe {
            let code = Code::in_context(context, call.as_value_ref());
            let list = LLVMGetOperand(call.as_value_ref(), 0);
            for (at, used) in [GENERAL, FLOATING] {
                LLVMBuildStore(code.builder, code.number(32, used), code.offset(list, at));
            }
            LLVMBuildStore(code.builder, further, code.offset(list, NEXT));
            let null = LLVMConstNull(LLVMPointerTypeInContext(context, 0));
            LLVMBuildStore(code.builder, null, code.offset(list, SAVED));
            LLVMInstructionEraseFromParent(call.as_value_ref());
        }
    }
}

/// An argument that a variadic function has no parameter for.
struct Further {
    value: LLVMValueRef,
    /// Where it lies in the object, and how many bytes it has.
    offset: u64,
    size: u64,
    /// It is passed as a pointer to its bytes.
    by_value: bool,
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
            let Some((further, size)) = further(call, own) else { return };
            code.object(&further, size)
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

/// The arguments of a call behind its first ones, and the bytes that they take.
unsafe fn further(call: LLVMValueRef, first: u32) -> Option<(Vec<Further>, u64)> {
    let kind = |name| Attribute::get_named_enum_kind_id(name);
    let (by_value, align) = (kind("byval"), kind("align"));
    let (mut all, mut end) = (Vec::new(), 0u64);
    // SAFETY: the operands of a call are its arguments. Each has a type, and those that are passed by their
    // bytes have an attribute that says which. Attributes are counted from the result's, which is at 0.
    unsafe {
        for at in first..LLVMGetNumArgOperands(call) {
            let value = LLVMGetOperand(call, at);
            let record = LLVMGetCallSiteEnumAttribute(call, at + 1, by_value);
            let of = if record.is_null() { LLVMTypeOf(value) } else { LLVMGetTypeAttributeValue(record) };
            let size = layout::size(of)?;
            let aligned = LLVMGetCallSiteEnumAttribute(call, at + 1, align);
            let alignment = match record.is_null() {
                true if size > SLOT => ALIGNMENT,
                false if !aligned.is_null() => LLVMGetEnumAttributeValue(aligned),
                _ => SLOT,
            };
            if alignment > ALIGNMENT {
                return None;
            }
            let offset = end.next_multiple_of(alignment.max(SLOT));
            all.push(Further { value, offset, size, by_value: !record.is_null() });
            end = offset + size.next_multiple_of(SLOT);
        }
    }
    Some((all, end))
}

/// Writes instructions at a place.
struct Code {
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    /// What they stand before.
    at: LLVMValueRef,
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the builder is ours.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl Code {
    unsafe fn before(module: &Module, at: LLVMValueRef) -> Code {
        // SAFETY: as the caller says, it is an instruction.
        unsafe { Code::in_context(module.get_context().as_ctx_ref(), at) }
    }

    unsafe fn in_context(context: LLVMContextRef, at: LLVMValueRef) -> Code {
        // SAFETY: as above.
        unsafe {
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, at);
            LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(at));
            Code { context, builder, at }
        }
    }

    fn number(&self, width: u32, value: u64) -> LLVMValueRef {
        // SAFETY: a constant of the context.
        unsafe { LLVMConstInt(LLVMIntTypeInContext(self.context, width), value, 0) }
    }

    unsafe fn offset(&self, pointer: LLVMValueRef, by: u64) -> LLVMValueRef {
        if by == 0 {
            return pointer;
        }
        let mut by = [self.number(64, by)];
        // SAFETY: the caller has a pointer.
        unsafe {
            let byte = LLVMInt8TypeInContext(self.context);
            LLVMBuildInBoundsGEP2(self.builder, byte, pointer, by.as_mut_ptr(), 1, c"".as_ptr())
        }
    }

    /// The address of an object with these arguments. It is a variable of the caller's.
    unsafe fn object(&self, further: &[Further], size: u64) -> LLVMValueRef {
        // An object without bytes has no place of its own on the machine. So we pass the end of one.
        let bytes = size.max(SLOT);
        // SAFETY: variables belong to the start of a function. The rest follows the place of each argument.
        unsafe {
            let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(self.at));
            let variables = LLVMCreateBuilderInContext(self.context);
            let entry = LLVMGetEntryBasicBlock(function);
            LLVMPositionBuilderBefore(variables, LLVMGetFirstInstruction(entry));
            let of = LLVMArrayType2(LLVMInt8TypeInContext(self.context), bytes);
            let object = LLVMBuildAlloca(variables, of, c"".as_ptr());
            LLVMSetAlignment(object, ALIGNMENT as u32);
            LLVMDisposeBuilder(variables);
            if further.is_empty() {
                return self.offset(object, bytes);
            }
            for Further { value, offset, size, by_value } in further {
                let to = self.offset(object, *offset);
                if *by_value {
                    LLVMBuildMemCpy(self.builder, to, SLOT as u32, *value, 1, self.number(64, *size));
                } else {
                    LLVMSetAlignment(LLVMBuildStore(self.builder, *value, to), SLOT as u32);
                }
            }
            object
        }
    }
}
