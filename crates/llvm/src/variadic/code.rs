//! Instructions that are written at a place.

use inkwell::context::AsContextRef;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMContextRef, LLVMTypeRef, LLVMValueRef};
use inkwell::module::Module;

pub(super) struct Code {
    pub context: LLVMContextRef,
    pub builder: LLVMBuilderRef,
    /// What they stand before.
    pub at: LLVMValueRef,
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the builder is ours.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl Code {
    pub(super) unsafe fn before(module: &Module, at: LLVMValueRef) -> Code {
        // SAFETY: as the caller says, it is an instruction.
        unsafe { Code::in_context(module.get_context().as_ctx_ref(), at) }
    }

    pub(super) unsafe fn in_context(context: LLVMContextRef, at: LLVMValueRef) -> Code {
        // SAFETY: as above.
        unsafe {
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, at);
            LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(at));
            Code { context, builder, at }
        }
    }

    pub(super) fn integer(&self, width: u32) -> LLVMTypeRef {
        // SAFETY: a type of the context.
        unsafe { LLVMIntTypeInContext(self.context, width) }
    }

    pub(super) fn number(&self, width: u32, value: u64) -> LLVMValueRef {
        // SAFETY: a constant of the context.
        unsafe { LLVMConstInt(self.integer(width), value, 0) }
    }

    /// The address so many bytes behind another one.
    pub(super) unsafe fn behind(&self, pointer: LLVMValueRef, by: u64) -> LLVMValueRef {
        if by == 0 {
            return pointer;
        }
        // SAFETY: the caller has a pointer.
        unsafe { self.behind_value(pointer, self.number(64, by)) }
    }

    /// The same, if nobody knows how many.
    pub(super) unsafe fn behind_value(&self, pointer: LLVMValueRef, by: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: the caller has a pointer, and a number of 64 bits.
        unsafe { LLVMBuildGEP2(self.builder, self.integer(8), pointer, [by].as_mut_ptr(), 1, c"".as_ptr()) }
    }

    pub(super) unsafe fn load(&self, width: u32, from: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: the caller has a pointer.
        unsafe { LLVMBuildLoad2(self.builder, self.integer(width), from, c"".as_ptr()) }
    }

    pub(super) unsafe fn store(&self, value: LLVMValueRef, to: LLVMValueRef) {
        // SAFETY: the caller has a value and a pointer.
        unsafe { LLVMBuildStore(self.builder, value, to) };
    }
}
