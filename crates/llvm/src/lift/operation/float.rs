//! Operations on floats, which are words with the bits of IEEE 754.
//!
//! The sign is a bit. So negation, the absolute value and copying a sign are operations on bits.

use bv::{Op, Word};
use inkwell::FloatPredicate;
use inkwell::values::{
    AsValueRef, BasicValueEnum, InstructionOpcode, InstructionValue, Operand as LlvmOperand,
};
use ir::{Flags, Operand};

use super::{Emitter, Unsupported, intrinsic_name, operand, operands, width_of};
use crate::lift::constant;

/// None if it is not an operation on floats.
pub(super) fn lift<'c>(
    code: &mut impl Emitter<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    let is_float = |value: BasicValueEnum| value.is_float_value() && width_of(value.get_type()).is_some();
    let first = instruction.get_operand(0).and_then(LlvmOperand::value);
    let Some(width) = width_of(instruction.get_type()) else { return Ok(None) };
    let from_integer =
        matches!(instruction.get_opcode(), InstructionOpcode::SIToFP | InstructionOpcode::UIToFP);
    if !first.is_some_and(|first| is_float(first) || from_integer && first.is_int_value()) {
        return Ok(None);
    }
    let op = match instruction.get_opcode() {
        InstructionOpcode::FAdd => Op::FAdd,
        InstructionOpcode::FSub => Op::FSub,
        InstructionOpcode::FMul => Op::FMul,
        InstructionOpcode::FDiv => Op::FDiv,
        InstructionOpcode::FPExt | InstructionOpcode::FPTrunc => Op::FResize(width),
        InstructionOpcode::SIToFP => Op::FromSigned(width),
        InstructionOpcode::UIToFP => Op::FromUnsigned(width),
        InstructionOpcode::FPToSI => Op::ToSigned(width),
        InstructionOpcode::FPToUI => Op::ToUnsigned(width),
        InstructionOpcode::FNeg => {
            let value = operands(code, instruction)?[0];
            return Ok(Some(plain(code, Op::Xor, &[value, Operand::Constant(Word::signed_min(width))])));
        }
        InstructionOpcode::FCmp => {
            let Some(predicate) = instruction.get_fcmp_predicate() else { return Ok(None) };
            let arguments = operands(code, instruction)?;
            return Ok(Some(compare(code, predicate, arguments[0], arguments[1])));
        }
        InstructionOpcode::Call => return intrinsic(code, instruction),
        _ => return Ok(None),
    };
    let arguments = operands(code, instruction)?;
    Ok(Some(code.emit(op, Flags::default(), arguments)))
}

fn plain<'c>(code: &mut impl Emitter<'c>, op: Op, arguments: &[Operand]) -> Operand {
    code.emit(op, Flags::default(), arguments.to_vec())
}

/// An unordered comparison is the negation of the opposite ordered one.
fn compare<'c>(code: &mut impl Emitter<'c>, predicate: FloatPredicate, a: Operand, b: Operand) -> Operand {
    use FloatPredicate::*;
    let opposite = match predicate {
        UEQ => Some(ONE),
        UNE => Some(OEQ),
        UGT => Some(OLE),
        UGE => Some(OLT),
        ULT => Some(OGE),
        ULE => Some(OGT),
        UNO => Some(ORD),
        _ => None,
    };
    if let Some(opposite) = opposite {
        let ordered = compare(code, opposite, a, b);
        return plain(code, Op::Not, &[ordered]);
    }
    match predicate {
        OEQ => plain(code, Op::FEq, &[a, b]),
        OLT => plain(code, Op::FLt, &[a, b]),
        OLE => plain(code, Op::FLe, &[a, b]),
        OGT => plain(code, Op::FLt, &[b, a]),
        OGE => plain(code, Op::FLe, &[b, a]),
        ONE => both(code, Op::Or, (Op::FLt, a, b), (Op::FLt, b, a)),
        ORD => both(code, Op::And, (Op::FEq, a, a), (Op::FEq, b, b)),
        other => Operand::Constant(Word::truth(other == PredicateTrue)),
    }
}

fn both<'c>(
    code: &mut impl Emitter<'c>,
    join: Op,
    left: (Op, Operand, Operand),
    right: (Op, Operand, Operand),
) -> Operand {
    let left = plain(code, left.0, &[left.1, left.2]);
    let right = plain(code, right.0, &[right.1, right.2]);
    plain(code, join, &[left, right])
}

fn intrinsic<'c>(
    code: &mut impl Emitter<'c>,
    call: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    let Some(name) = intrinsic_name(call) else { return Ok(None) };
    let argument = |at| call.get_operand(at).and_then(LlvmOperand::value).expect("the intrinsic has it");
    let (first, result) = (operand(code, argument(0))?, width_of(call.get_type()).unwrap_or(1));
    let Some(width) = width_of(argument(0).get_type()) else { return Ok(None) };
    let magnitude = Operand::Constant(Word::signed_max(width));
    let sign = Operand::Constant(Word::signed_min(width));
    let rounding = match name.as_str() {
        "llvm.sqrt" => Some(Op::FSqrt),
        "llvm.floor" => Some(Op::FFloor),
        "llvm.ceil" => Some(Op::FCeil),
        "llvm.trunc" => Some(Op::FTrunc),
        "llvm.rint" | "llvm.nearbyint" | "llvm.roundeven" | "llvm.lrint" | "llvm.llrint" => Some(Op::FRint),
        "llvm.round" | "llvm.lround" | "llvm.llround" => Some(Op::FRoundAway),
        _ => None,
    };
    if let Some(op) = rounding {
        let rounded = plain(code, op, &[first]);
        let to_integer = name.starts_with("llvm.l");
        return Ok(Some(if to_integer { plain(code, Op::ToSigned(result), &[rounded]) } else { rounded }));
    }
    Ok(Some(match name.as_str() {
        "llvm.fabs" => plain(code, Op::And, &[first, magnitude]),
        "llvm.copysign" => {
            let from = operand(code, argument(1))?;
            both(code, Op::Or, (Op::And, first, magnitude), (Op::And, from, sign))
        }
        // Two operations, each rounded: the machine has no other.
        "llvm.fmuladd" => {
            let (by, plus) = (operand(code, argument(1))?, operand(code, argument(2))?);
            let product = plain(code, Op::FMul, &[first, by]);
            plain(code, Op::FAdd, &[product, plus])
        }
        "llvm.minnum" | "llvm.maxnum" => {
            // A NaN gives way to a number. Of two zeros either will do; this is what LLVM makes of it.
            let second = operand(code, argument(1))?;
            let ordered = if name == "llvm.minnum" { [second, first] } else { [first, second] };
            let takes_second = plain(code, Op::FLt, &ordered);
            let is_number = plain(code, Op::FEq, &[first, first]);
            let chosen = plain(code, Op::Ite, &[takes_second, second, first]);
            plain(code, Op::Ite, &[is_number, chosen, second])
        }
        "llvm.is.fpclass" => {
            let classes = constant::integer(argument(1).as_value_ref()).map_or(0, Word::bits) as u32;
            return Ok(is_class(code, first, width, classes));
        }
        _ => return Ok(None),
    }))
}

/// Whether a float is of one of the classes in LLVM's mask, lowest bit first: signalling and quiet NaN;
/// negative infinity, normal, subnormal and zero; positive zero, subnormal, normal and infinity.
fn is_class<'c>(code: &mut impl Emitter<'c>, value: Operand, width: u32, classes: u32) -> Option<Operand> {
    const NANS: u32 = 0b11;
    let word = |bits: u128| Operand::Constant(Word::new(width, bits));
    let fraction = if width == 32 { 23 } else { 52 };
    let infinity = (1u128 << (width - 1)) - (1 << fraction);
    let smallest_normal = 1u128 << fraction;
    let magnitude = plain(code, Op::And, &[value, Operand::Constant(Word::signed_max(width))]);
    let sign = plain(code, Op::Slt, &[value, word(0)]);
    let positive = plain(code, Op::Not, &[sign]);
    let mut any = match classes & NANS {
        0 => Operand::Constant(Word::truth(false)),
        NANS => plain(code, Op::Ugt, &[magnitude, word(infinity)]),
        _ => return None,
    };
    // The least magnitude of each class and the greatest; where the mask has it, negative and positive.
    let ranges = [
        (0, 0, 5, 6),
        (1, smallest_normal - 1, 4, 7),
        (smallest_normal, infinity - 1, 3, 8),
        (infinity, infinity, 2, 9),
    ];
    for (least, greatest, negative_bit, positive_bit) in ranges {
        let (with_minus, with_plus) = (classes >> negative_bit & 1 == 1, classes >> positive_bit & 1 == 1);
        let above = (Op::Uge, magnitude, word(least));
        let in_range = both(code, Op::And, above, (Op::Ule, magnitude, word(greatest)));
        let is = match (with_minus, with_plus) {
            (true, true) => in_range,
            (true, false) => plain(code, Op::And, &[in_range, sign]),
            (false, true) => plain(code, Op::And, &[in_range, positive]),
            (false, false) => continue,
        };
        any = plain(code, Op::Or, &[any, is]);
    }
    Some(any)
}
