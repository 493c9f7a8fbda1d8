//! The intrinsics that count, turn and swap bits.

use bv::{Op, Word};
use inkwell::values::{AsValueRef, InstructionValue, Operand as LlvmOperand};
use ir::{Flags, Operand};

use super::{Emitter, Unsupported, operand, width_of};
use crate::lift::constant;

pub(super) fn intrinsic<'c>(
    code: &mut impl Emitter<'c>,
    name: &str,
    call: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    let Some(width) = width_of(call.get_type()) else { return Ok(None) };
    let argument = |at| call.get_operand(at).and_then(LlvmOperand::value).expect("the intrinsic has it");
    let flags = Flags::default();
    let number = |value: u32| Operand::Constant(Word::new(width, value.into()));
    match name {
        "llvm.ctpop" => {
            let value = operand(code, argument(0))?;
            let mut sum = number(0);
            for at in 0..width {
                let bit = bit(code, value, at, width);
                sum = code.emit(Op::Add, flags, vec![sum, bit]);
            }
            Ok(Some(sum))
        }
        "llvm.cttz" | "llvm.ctlz" => {
            let value = operand(code, argument(0))?;
            let from_below = name == "llvm.cttz";
            let mut count = number(width);
            for at in 0..width {
                // The bit that decides comes last.
                let place = if from_below { width - 1 - at } else { at };
                let zeros = if from_below { place } else { width - 1 - place };
                let set = code.emit(Op::Extract { hi: place, lo: place }, flags, vec![value]);
                count = code.emit(Op::Ite, flags, vec![set, number(zeros), count]);
            }
            let undefined_at_zero = constant::integer(argument(1).as_value_ref()).is_some_and(Word::is_true);
            if undefined_at_zero {
                // Nobody wants the result, only that it has one.
                code.emit(Op::Not, Flags { has_bits: true, ..flags }, vec![value]);
            }
            Ok(Some(count))
        }
        "llvm.bswap" | "llvm.bitreverse" => {
            let value = operand(code, argument(0))?;
            let step = if name == "llvm.bswap" { 8 } else { 1 };
            let piece = |at: u32| Op::Extract { hi: at + step - 1, lo: at };
            let mut swapped = code.emit(piece(0), flags, vec![value]);
            for at in (step..width).step_by(step as usize) {
                let next = code.emit(piece(at), flags, vec![value]);
                swapped = code.emit(Op::Concat, flags, vec![swapped, next]);
            }
            Ok(Some(swapped))
        }
        _ => Ok(None),
    }
}

/// One bit, as a word of that width.
fn bit<'c>(code: &mut impl Emitter<'c>, value: Operand, at: u32, width: u32) -> Operand {
    let bit = code.emit(Op::Extract { hi: at, lo: at }, Flags::default(), vec![value]);
    if width == 1 { bit } else { code.emit(Op::Zext(width), Flags::default(), vec![bit]) }
}
