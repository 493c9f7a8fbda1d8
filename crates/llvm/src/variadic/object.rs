//! The object that a call makes of its further arguments.
//!
//! ```text
//! bytes of the slots | – | slot 0 | slot 1 | … | tag 0 | tag 1 | … | end
//! ```
//!
//! A slot is where `va_arg` looks: eight bytes. An argument has one or more, and what it leaves of them stays
//! unassigned. The tag of a slot says what was passed there. It lies as many bytes behind its slot as there
//! are bytes of slots. Where the arguments end is a tag of no kind, so that nobody reads beyond it.

use inkwell::attributes::Attribute;
use inkwell::llvm_sys::LLVMTypeKind::{
    LLVMDoubleTypeKind, LLVMFloatTypeKind, LLVMIntegerTypeKind, LLVMPointerTypeKind, LLVMVectorTypeKind,
};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};

use super::code::Code;
use crate::lift::layout;

/// The bytes of a slot.
pub(super) const SLOT: u64 = 8;

/// Where the slots begin. Some arguments are aligned to so many bytes, and so is the object.
pub(super) const SLOTS: u64 = 16;

/// How an argument travels when there are registers left. It is read from where it would have travelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Integers and pointers.
    General = 1,
    /// Floats and vectors.
    Floating = 2,
    /// Always in memory.
    Memory = 4,
}

/// A tag has, from its low bits on, the bytes of the slot that the argument has, the kind, and of a struct in
/// memory the bytes of the whole.
pub(super) const KIND: u32 = 8;
pub(super) const WHOLE: u32 = 16;

pub(super) fn tag(kind: Kind, bytes: u64) -> u64 {
    (kind as u64) << KIND | bytes
}

/// An argument that a variadic function has no parameter for.
pub(super) struct Further {
    value: LLVMValueRef,
    kind: Kind,
    /// Where it lies among the slots, and how many bytes it has.
    offset: u64,
    size: u64,
}

/// The arguments of a call behind its first ones. None if one is of a type whose place nobody knows.
pub(super) unsafe fn further(call: LLVMValueRef, first: u32) -> Option<Vec<Further>> {
    let kind = |name| Attribute::get_named_enum_kind_id(name);
    let (by_value, align) = (kind("byval"), kind("align"));
    let (mut all, mut end) = (Vec::new(), 0u64);
    // SAFETY: the operands of a call are its arguments. Each has a type, and those that are passed by their
    // bytes have an attribute that says which. Attributes are counted from the result's, which is at 0.
    unsafe {
        for at in first..LLVMGetNumArgOperands(call) {
            let value = LLVMGetOperand(call, at);
            let record = LLVMGetCallSiteEnumAttribute(call, at + 1, by_value);
            let (kind, size, alignment) = if record.is_null() {
                let (kind, size) = kind_of(LLVMTypeOf(value))?;
                (kind, size, if size > SLOT { SLOTS } else { SLOT })
            } else {
                let aligned = LLVMGetCallSiteEnumAttribute(call, at + 1, align);
                let aligned = if aligned.is_null() { SLOT } else { LLVMGetEnumAttributeValue(aligned) };
                (Kind::Memory, layout::size(LLVMGetTypeAttributeValue(record))?, aligned.max(SLOT))
            };
            if alignment > SLOTS {
                return None;
            }
            let offset = end.next_multiple_of(alignment);
            all.push(Further { value, kind, offset, size });
            end = offset + size.next_multiple_of(SLOT);
        }
    }
    Some(all)
}

/// How a value travels, and the bytes that it has in memory.
unsafe fn kind_of(of: LLVMTypeRef) -> Option<(Kind, u64)> {
    // SAFETY: the kind says what may be asked.
    unsafe {
        Some(match LLVMGetTypeKind(of) {
            LLVMIntegerTypeKind => (Kind::General, u64::from(LLVMGetIntTypeWidth(of)).div_ceil(8)),
            LLVMPointerTypeKind => (Kind::General, SLOT),
            LLVMFloatTypeKind | LLVMDoubleTypeKind | LLVMVectorTypeKind => {
                (Kind::Floating, layout::size(of)?)
            }
            // `long double`.
            _ => (Kind::Memory, layout::size(of)?),
        })
    }
}

/// Writes the object. It is a variable of the function that calls; its address.
pub(super) unsafe fn write(code: &Code, further: &[Further]) -> LLVMValueRef {
    let slots = further.last().map_or(0, |last| last.offset + last.size.next_multiple_of(SLOT));
    let mut tags = vec![0; (slots / SLOT) as usize + 1];
    // SAFETY: variables belong to the start of a function. The rest follows the place of each argument.
    unsafe {
        let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(code.at));
        let entry = LLVMGetEntryBasicBlock(function);
        let variables = LLVMCreateBuilderInContext(code.context);
        LLVMPositionBuilderBefore(variables, LLVMGetFirstInstruction(entry));
        let words = (SLOTS + slots) / SLOT + tags.len() as u64;
        let object = LLVMBuildAlloca(variables, LLVMArrayType2(code.integer(64), words), c"".as_ptr());
        LLVMSetAlignment(object, SLOTS as u32);
        LLVMDisposeBuilder(variables);
        code.store(code.number(64, slots), object);
        for Further { value, kind, offset, size } in further {
            let to = code.behind(object, SLOTS + offset);
            if LLVMGetTypeKind(LLVMTypeOf(*value)) == LLVMPointerTypeKind && *kind == Kind::Memory {
                LLVMBuildMemCpy(code.builder, to, SLOT as u32, *value, 1, code.number(64, *size));
            } else {
                LLVMSetAlignment(LLVMBuildStore(code.builder, *value, to), SLOT as u32);
            }
            for at in (0..*size).step_by(SLOT as usize) {
                let whole = if *kind == Kind::Memory { size << WHOLE } else { 0 };
                tags[((offset + at) / SLOT) as usize] = whole | tag(*kind, (size - at).min(SLOT));
            }
        }
        for (at, tag) in (0..).zip(tags) {
            code.store(code.number(64, tag), code.behind(object, SLOTS + slots + at * SLOT));
        }
        object
    }
}
