//! Constants as words, and as the bytes of a global's initial value.
//!
//! The address of a global or of a function is a number, which is given out before anything is lifted.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use bv::Word;
use inkwell::llvm_sys::core::{
    LLVMConstRealGetDouble, LLVMCountStructElementTypes, LLVMGetAggregateElement, LLVMGetArrayLength2,
    LLVMGetConstOpcode, LLVMGetElementType, LLVMGetInitializer, LLVMGetOperand, LLVMGetTypeKind,
    LLVMGetValueKind, LLVMGetValueName2, LLVMGetVectorSize, LLVMIsAGlobalVariable, LLVMIsGlobalConstant,
    LLVMStructGetTypeAtIndex, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use inkwell::values::{AnyValue, IntValue};

use super::layout;
use super::operation::{LONG_DOUBLE, Unsupported};

/// The numbers of the objects that globals and functions are.
#[derive(Default)]
pub(super) struct ConstantAddresses {
    pub objects: HashMap<LLVMValueRef, Result<u32, Unsupported>>,
    /// Some number in the program has the bits of an address.
    pub lookalike: Cell<bool>,
}

const ADDRESS_AS_NUMBER: &str = "an address is used as a number";

impl ConstantAddresses {
    /// The word that a constant is.
    pub(super) fn word(&self, constant: LLVMValueRef, width: u32) -> Result<Word, Unsupported> {
        let mut bytes = [0; 16];
        self.lay_out(constant, &mut bytes)?;
        let word = Word::new(width, u128::from_le_bytes(bytes));
        // SAFETY: a constant has a type, and any type a kind.
        let kind = unsafe { LLVMGetTypeKind(LLVMTypeOf(constant)) };
        if kind != LLVMTypeKind::LLVMPointerTypeKind && width == layout::POINTER_WIDTH {
            self.compare(word.bits() as u64);
        }
        Ok(word)
    }

    /// Notes whether a number looks like an address.
    fn compare(&self, number: u64) {
        let first = u64::from(ir::FIRST_OBJECT);
        let objects = first..first + self.objects.len() as u64;
        self.lookalike.set(self.lookalike.get() || objects.contains(&(number >> 32)));
    }

    /// Writes a constant as it lies in memory. What is undefined, such as padding, stays as it was.
    pub(super) fn lay_out(&self, constant: LLVMValueRef, bytes: &mut [u8]) -> Result<(), Unsupported> {
        use LLVMValueKind::*;
        // SAFETY: the kind says what may be asked.
        unsafe {
            let of = LLVMTypeOf(constant);
            match LLVMGetValueKind(constant) {
                LLVMUndefValueValueKind | LLVMPoisonValueKind => Ok(()),
                LLVMConstantPointerNullValueKind | LLVMConstantAggregateZeroValueKind => {
                    let size = layout::size(of).map_or(bytes.len(), |size| size as usize);
                    bytes[..size].fill(0);
                    Ok(())
                }
                LLVMConstantIntValueKind => {
                    let word = integer(constant).ok_or("an integer of more than 128 bits")?;
                    let size = word.width().div_ceil(8) as usize;
                    bytes[..size].copy_from_slice(&word.bits().to_le_bytes()[..size]);
                    Ok(())
                }
                LLVMConstantFPValueKind => float(constant, of, bytes),
                LLVMConstantArrayValueKind
                | LLVMConstantDataArrayValueKind
                | LLVMConstantVectorValueKind
                | LLVMConstantDataVectorValueKind
                | LLVMConstantStructValueKind => {
                    for (at, offset) in elements(of).ok_or("a constant that is too large")?.enumerate() {
                        let element = LLVMGetAggregateElement(constant, at as u32);
                        self.lay_out(element, &mut bytes[offset as usize..])?;
                    }
                    Ok(())
                }
                LLVMFunctionValueKind | LLVMGlobalVariableValueKind | LLVMConstantExprValueKind => {
                    let width = layout::width(of).ok_or("a constant that we do not handle")?;
                    let size = width.div_ceil(8) as usize;
                    bytes[..size].copy_from_slice(&self.address(constant)?.to_le_bytes()[..size]);
                    Ok(())
                }
                LLVMGlobalIFuncValueKind => {
                    Err(format!("`{}`, which is chosen when the program starts (`ifunc`)", name(constant)))
                }
                LLVMBlockAddressValueKind => Err("the address of a label".to_string()),
                _ => Err("a constant that we do not handle".to_string()),
            }
        }
    }

    /// The bytes of a constant that are not defined.
    pub(super) fn gaps(&self, constant: LLVMValueRef) -> Result<Vec<Range<usize>>, Unsupported> {
        // SAFETY: a constant has a type.
        let size = layout::size(unsafe { LLVMTypeOf(constant) }).ok_or("a constant that is too large")?;
        let [mut zeros, mut ones] = [0, 0xff].map(|byte| vec![byte; size as usize]);
        self.lay_out(constant, &mut zeros)?;
        self.lay_out(constant, &mut ones)?;
        Ok(layout::runs(zeros.iter().zip(&ones).map(|(zero, one)| zero != one)))
    }

    /// The bits of an address, or of a number that is computed from one.
    fn address(&self, constant: LLVMValueRef) -> Result<u64, Unsupported> {
        // SAFETY: only constant expressions have an opcode, and it says which operands there are.
        unsafe {
            if let Some(object) = self.objects.get(&constant) {
                return object.clone().map(|object| u64::from(object) << 32);
            }
            match LLVMGetValueKind(constant) {
                LLVMValueKind::LLVMConstantExprValueKind => {}
                LLVMValueKind::LLVMConstantPointerNullValueKind => return Ok(0),
                LLVMValueKind::LLVMConstantIntValueKind => {
                    let number = integer(constant).map_or(0, Word::bits) as u64;
                    self.compare(number);
                    return Ok(number);
                }
                _ => return Err(format!("the address of `{}`, which is defined elsewhere", name(constant))),
            }
            let base = LLVMGetOperand(constant, 0);
            match LLVMGetConstOpcode(constant) {
                LLVMOpcode::LLVMGetElementPtr => {
                    let steps = layout::steps(constant).filter(|steps| steps.indices.is_empty());
                    let steps = steps.ok_or("a constant address that we do not handle")?;
                    let address = self.address(base)?;
                    let offset = i64::from(address as u32 as i32).wrapping_add(steps.bytes);
                    Ok(address >> 32 << 32 | u64::from(offset as u32))
                }
                // A number that is a pointer is no more than that: it leads nowhere.
                LLVMOpcode::LLVMIntToPtr | LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMAddrSpaceCast => {
                    self.address(base)
                }
                // How far a field is from the start, computed from a struct at null.
                LLVMOpcode::LLVMPtrToInt => match self.address(base)? {
                    address if address >> 32 == 0 => Ok(i64::from(address as u32 as i32) as u64),
                    _ => Err(ADDRESS_AS_NUMBER.to_string()),
                },
                _ => Err(ADDRESS_AS_NUMBER.to_string()),
            }
        }
    }
}

/// The word that a constant integer is.
pub(super) fn integer(constant: LLVMValueRef) -> Option<Word> {
    // SAFETY: the kind was asked for.
    let value = unsafe {
        if LLVMGetValueKind(constant) != LLVMValueKind::LLVMConstantIntValueKind {
            return None;
        }
        IntValue::new(constant)
    };
    let width = value.get_type().get_bit_width();
    if width > bv::MAX_WIDTH {
        return None;
    }
    if let Some(bits) = value.get_zero_extended_constant() {
        return Some(Word::new(width, bits.into()));
    }
    // LLVM-C hands out no more than 64 bits of a constant, but prints them all: `i128 -5`.
    let text = value.print_to_string().to_string();
    let number = text.split_whitespace().last()?;
    let signed = number.parse::<i128>().map(|value| value as u128);
    Some(Word::new(width, signed.or_else(|_| number.parse::<u128>()).ok()?))
}

/// Where the elements of an aggregate begin.
fn elements(of: LLVMTypeRef) -> Option<Box<dyn Iterator<Item = u64>>> {
    // SAFETY: the kind says what may be asked.
    unsafe {
        let count = match LLVMGetTypeKind(of) {
            LLVMTypeKind::LLVMStructTypeKind => {
                let fields = 0..LLVMCountStructElementTypes(of);
                let offsets: Option<Vec<u64>> = fields.map(|at| layout::field(of, at)).collect();
                return Some(Box::new(offsets?.into_iter()));
            }
            LLVMTypeKind::LLVMArrayTypeKind => LLVMGetArrayLength2(of),
            _ => u64::from(LLVMGetVectorSize(of)),
        };
        let size = layout::size(LLVMGetElementType(of))?;
        Some(Box::new((0..count).map(move |at| at * size)))
    }
}

/// Where an element of a struct or an array lies in its word, in bits, and its type.
pub(super) fn element(of: LLVMTypeRef, at: u32) -> Option<(u32, LLVMTypeRef)> {
    // SAFETY: the kind says what may be asked.
    unsafe {
        let (offset, element) = match LLVMGetTypeKind(of) {
            LLVMTypeKind::LLVMStructTypeKind => (layout::field(of, at)?, LLVMStructGetTypeAtIndex(of, at)),
            LLVMTypeKind::LLVMArrayTypeKind | LLVMTypeKind::LLVMVectorTypeKind => {
                let element = LLVMGetElementType(of);
                (u64::from(at).checked_mul(layout::size(element)?)?, element)
            }
            _ => return None,
        };
        Some((u32::try_from(offset * 8).ok()?, element))
    }
}

unsafe fn float(constant: LLVMValueRef, of: LLVMTypeRef, bytes: &mut [u8]) -> Result<(), Unsupported> {
    // SAFETY: the caller has seen that it is a constant float.
    unsafe {
        let value = LLVMConstRealGetDouble(constant, &mut 0);
        match LLVMGetTypeKind(of) {
            // Every float is a double too, so nothing is lost on the way.
            LLVMTypeKind::LLVMFloatTypeKind => bytes[..4].copy_from_slice(&(value as f32).to_le_bytes()),
            LLVMTypeKind::LLVMDoubleTypeKind => bytes[..8].copy_from_slice(&value.to_le_bytes()),
            _ => return Err(LONG_DOUBLE.to_string()),
        }
    }
    Ok(())
}

/// The name of a global or a function.
pub(crate) fn name(value: LLVMValueRef) -> String {
    // SAFETY: the name lives as long as the value.
    unsafe {
        let mut length = 0;
        let start = LLVMGetValueName2(value, &mut length);
        String::from_utf8_lossy(std::slice::from_raw_parts(start.cast::<u8>(), length)).into_owned()
    }
}

/// The text of a string literal, without its end.
pub(crate) fn text(literal: LLVMValueRef) -> Option<Vec<u8>> {
    // SAFETY: what is a global constant has an initial value.
    unsafe {
        if LLVMIsAGlobalVariable(literal).is_null() || LLVMIsGlobalConstant(literal) == 0 {
            return None;
        }
        let initial = LLVMGetInitializer(literal);
        if initial.is_null() {
            return None;
        }
        let mut bytes = vec![0; layout::size(LLVMTypeOf(initial))? as usize];
        ConstantAddresses::default().lay_out(initial, &mut bytes).ok()?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        bytes.truncate(end);
        Some(bytes)
    }
}
