//! Small structs in one word, taken apart and put together.

use bv::Op;
use inkwell::llvm_sys::core::LLVMTypeOf;
use inkwell::types::AnyType;
use inkwell::values::{AsValueRef, InstructionValue, Operand as LlvmOperand};
use ir::{Flags, Operand};

use super::{Emitter, Unsupported, operand, width_of};
use crate::lift::{constant, layout};

/// A field of a word.
pub(super) fn extract<'c>(
    code: &mut impl Emitter<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    let Some((word, _, lo, width)) = place(code, instruction)? else { return Ok(None) };
    Ok(Some(code.emit(Op::Extract { hi: lo + width - 1, lo }, Flags::default(), vec![word])))
}

/// A word with another value for one field.
pub(super) fn insert<'c>(
    code: &mut impl Emitter<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    let Some((word, whole, lo, width)) = place(code, instruction)? else { return Ok(None) };
    let Some(value) = instruction.get_operand(1).and_then(LlvmOperand::value) else { return Ok(None) };
    let mut joined = operand(code, value)?;
    let flags = Flags::default();
    if lo > 0 {
        let low = code.emit(Op::Extract { hi: lo - 1, lo: 0 }, flags, vec![word]);
        joined = code.emit(Op::Concat, flags, vec![joined, low]);
    }
    if lo + width < whole {
        let high = code.emit(Op::Extract { hi: whole - 1, lo: lo + width }, flags, vec![word]);
        joined = code.emit(Op::Concat, flags, vec![high, joined]);
    }
    Ok(Some(joined))
}

/// The word, its width, and where the field lies in it.
fn place<'c>(
    code: &mut impl Emitter<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Option<(Operand, u32, u32, u32)>, Unsupported> {
    let Some(value) = instruction.get_operand(0).and_then(LlvmOperand::value) else { return Ok(None) };
    let Some(whole) = width_of(value.get_type().as_any_type_enum()) else { return Ok(None) };
    // SAFETY: every value has a type.
    let mut of = unsafe { LLVMTypeOf(value.as_value_ref()) };
    let mut lo = 0;
    for index in instruction.get_indices() {
        let Some((offset, element)) = constant::element(of, index) else { return Ok(None) };
        lo += offset;
        of = element;
    }
    let Some(width) = layout::width(of) else { return Ok(None) };
    Ok(Some((operand(code, value)?, whole, lo, width)))
}
