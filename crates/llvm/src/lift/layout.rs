//! How values of LLVM's types lie in memory, and in words.
//!
//! Everything is aligned to its own size, as on the machines whose pointers have 64 bits. A small
//! struct is one word, with its first byte lowest. So a load and a store move it like any other value.

use std::ffi::CStr;
use std::ops::Range;

use bv::MAX_WIDTH;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMCountStructElementTypes, LLVMGetArrayLength2, LLVMGetElementType,
    LLVMGetGEPSourceElementType, LLVMGetIntTypeWidth, LLVMGetNumOperands, LLVMGetOperand, LLVMGetStructName,
    LLVMGetTypeKind, LLVMGetVectorSize, LLVMIsAConstantInt, LLVMIsPackedStruct, LLVMStructGetTypeAtIndex,
};
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::types::{AnyType, AsTypeRef};
use inkwell::values::{AsValueRef, InstructionValue};

pub(super) const POINTER_WIDTH: u32 = 64;

/// The width of the word that holds a value, if one does.
pub(super) fn width_of<'c>(of: impl AnyType<'c>) -> Option<u32> {
    width(of.as_any_type_enum().as_type_ref())
}

pub(super) fn width(of: LLVMTypeRef) -> Option<u32> {
    // SAFETY: the kind says what may be asked.
    let width = unsafe {
        match LLVMGetTypeKind(of) {
            LLVMTypeKind::LLVMIntegerTypeKind => LLVMGetIntTypeWidth(of),
            LLVMTypeKind::LLVMFloatTypeKind => 32,
            LLVMTypeKind::LLVMDoubleTypeKind => 64,
            LLVMTypeKind::LLVMPointerTypeKind => POINTER_WIDTH,
            LLVMTypeKind::LLVMVectorTypeKind => {
                width(LLVMGetElementType(of))?.checked_mul(LLVMGetVectorSize(of))?
            }
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind => {
                u32::try_from(size(of)?.checked_mul(8)?).ok()?
            }
            _ => return None,
        }
    };
    (1..=MAX_WIDTH).contains(&width).then_some(width)
}

/// The bytes from one element of an array to the next.
pub(crate) fn size(of: LLVMTypeRef) -> Option<u64> {
    // SAFETY: the kind says what may be asked.
    unsafe {
        match LLVMGetTypeKind(of) {
            LLVMTypeKind::LLVMArrayTypeKind => {
                size(LLVMGetElementType(of))?.checked_mul(LLVMGetArrayLength2(of))
            }
            LLVMTypeKind::LLVMStructTypeKind => field(of, LLVMCountStructElementTypes(of)),
            LLVMTypeKind::LLVMX86_FP80TypeKind | LLVMTypeKind::LLVMFP128TypeKind => Some(16),
            LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => Some(2),
            LLVMTypeKind::LLVMIntegerTypeKind => {
                Some(u64::from(LLVMGetIntTypeWidth(of)).div_ceil(8).next_multiple_of(alignment(of)?))
            }
            _ => width(of).map(|width| u64::from(width).div_ceil(8).next_power_of_two()),
        }
    }
}

/// Where a field of a struct begins, in bytes; after the last field, where the struct ends.
pub(super) fn field(of: LLVMTypeRef, at: u32) -> Option<u64> {
    // SAFETY: only structs come here, and `at` counts their fields.
    unsafe {
        let (count, packed) = (LLVMCountStructElementTypes(of), LLVMIsPackedStruct(of) != 0);
        let mut offset = 0u64;
        for field in 0..count {
            let of = LLVMStructGetTypeAtIndex(of, field);
            if !packed {
                offset = offset.next_multiple_of(alignment(of)?);
            }
            if field == at {
                return Some(offset);
            }
            offset = offset.checked_add(size(of)?)?;
        }
        if packed { Some(offset) } else { Some(offset.next_multiple_of(alignment(of)?)) }
    }
}

/// The bytes of a type that no member covers. None if it is too large to be looked at.
pub(crate) fn gaps(of: LLVMTypeRef) -> Option<Vec<Range<usize>>> {
    /// Few variables have more bytes.
    const MOST: u64 = 1 << 16;
    let size = size(of).filter(|size| *size <= MOST)?;
    let mut is_gap = vec![true; size as usize];
    cover(of, &mut is_gap)?;
    Some(runs(is_gap.into_iter()))
}

/// The bytes of a struct that have no value after it was copied. Where there is a union, its members are not
/// known.
pub(super) fn padding(of: LLVMTypeRef) -> Vec<Range<usize>> {
    if has_union(of) { vec![] } else { gaps(of).unwrap_or_default() }
}

fn has_union(of: LLVMTypeRef) -> bool {
    // SAFETY: the kind says what may be asked, and LLVM keeps the name.
    unsafe {
        match LLVMGetTypeKind(of) {
            LLVMTypeKind::LLVMArrayTypeKind => has_union(LLVMGetElementType(of)),
            LLVMTypeKind::LLVMStructTypeKind => {
                let name = LLVMGetStructName(of);
                let is_union = !name.is_null() && CStr::from_ptr(name).to_bytes().starts_with(b"union.");
                is_union
                    || (0..LLVMCountStructElementTypes(of))
                        .any(|at| has_union(LLVMStructGetTypeAtIndex(of, at)))
            }
            _ => false,
        }
    }
}

/// Where a sequence is true.
pub(super) fn runs(of: impl Iterator<Item = bool>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in of.enumerate().filter(|(_, holds)| *holds) {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end += 1,
            None => runs.push(at..at + 1),
        }
    }
    runs
}

fn cover(of: LLVMTypeRef, is_gap: &mut [bool]) -> Option<()> {
    // SAFETY: the kind says what may be asked.
    unsafe {
        match LLVMGetTypeKind(of) {
            LLVMTypeKind::LLVMArrayTypeKind => {
                let element = LLVMGetElementType(of);
                let size = size(element)?.max(1) as usize;
                is_gap.chunks_mut(size).try_for_each(|part| cover(element, part))
            }
            LLVMTypeKind::LLVMStructTypeKind => (0..LLVMCountStructElementTypes(of)).try_for_each(|at| {
                let (start, member) = (field(of, at)? as usize, LLVMStructGetTypeAtIndex(of, at));
                let end = start + size(member)? as usize;
                cover(member, is_gap.get_mut(start..end)?)
            }),
            _ => {
                is_gap.fill(false);
                Some(())
            }
        }
    }
}

fn alignment(of: LLVMTypeRef) -> Option<u64> {
    /// No integer is aligned to more.
    const MOST: u64 = 16;
    // SAFETY: the kind says what may be asked.
    unsafe {
        match LLVMGetTypeKind(of) {
            LLVMTypeKind::LLVMArrayTypeKind => alignment(LLVMGetElementType(of)),
            LLVMTypeKind::LLVMStructTypeKind if LLVMIsPackedStruct(of) != 0 => Some(1),
            LLVMTypeKind::LLVMStructTypeKind => {
                let mut most = 1;
                for field in 0..LLVMCountStructElementTypes(of) {
                    most = most.max(alignment(LLVMStructGetTypeAtIndex(of, field))?);
                }
                Some(most)
            }
            LLVMTypeKind::LLVMIntegerTypeKind => {
                Some(u64::from(LLVMGetIntTypeWidth(of)).div_ceil(8).next_power_of_two().min(MOST))
            }
            _ => size(of),
        }
    }
}

/// How far an address computation moves its base.
pub(super) struct Steps {
    pub bytes: i64,
    /// Indices that are no constants, and the bytes that each counts.
    pub indices: Vec<(LLVMValueRef, u64)>,
}

/// Whether a `getelementptr` goes through a struct that has no name in C.
pub(super) fn goes_through_nameless(address: InstructionValue) -> bool {
    // SAFETY: only `getelementptr`s come here, and the kind says what may be asked.
    unsafe {
        let of = LLVMGetGEPSourceElementType(address.as_value_ref());
        LLVMGetTypeKind(of) == LLVMTypeKind::LLVMStructTypeKind && LLVMGetStructName(of).is_null()
    }
}

/// Reads a `getelementptr`, which is an instruction or a constant.
pub(super) fn steps(address: LLVMValueRef) -> Option<Steps> {
    let mut steps = Steps { bytes: 0, indices: vec![] };
    // SAFETY: only `getelementptr`s come here, and their operands follow the type that they go through.
    unsafe {
        let mut of = LLVMGetGEPSourceElementType(address);
        for at in 1..LLVMGetNumOperands(address) as u32 {
            let index = LLVMGetOperand(address, at);
            let constant = (!LLVMIsAConstantInt(index).is_null()).then(|| LLVMConstIntGetSExtValue(index));
            // The first index steps over whole objects.
            if at > 1 && LLVMGetTypeKind(of) == LLVMTypeKind::LLVMStructTypeKind {
                let field_at = u32::try_from(constant?).ok()?;
                steps.bytes = steps.bytes.wrapping_add(field(of, field_at)? as i64);
                of = LLVMStructGetTypeAtIndex(of, field_at);
                continue;
            }
            if at > 1 {
                of = LLVMGetElementType(of);
            }
            match constant {
                Some(index) => steps.bytes = steps.bytes.wrapping_add(index.wrapping_mul(size(of)? as i64)),
                None => steps.indices.push((index, size(of)?)),
            }
        }
    }
    Some(steps)
}
