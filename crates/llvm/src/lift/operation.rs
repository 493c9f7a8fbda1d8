//! Operations on integers: what LLVM calls them, and what we do.
//!
//! Functions and the arms of sites share this translation; they differ in where operands come
//! from and where instructions go.

use bv::{MAX_WIDTH, Op, Word};
use inkwell::IntPredicate;
use inkwell::llvm_sys;
use inkwell::types::{AnyType, AnyTypeEnum, BasicTypeEnum};
use inkwell::values::{
    AnyValue, AsValueRef, BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode,
    InstructionValue, IntValue, Operand as LlvmOperand,
};
use ir::{Flags, Operand};

/// What cannot be translated, for a person to read.
pub(super) type Unsupported = String;

/// Code that is being written.
pub(super) trait Code<'c> {
    /// The operand that stands for a value which is no constant.
    fn defined(&mut self, value: BasicValueEnum<'c>) -> Result<Operand, Unsupported>;
    fn emit(&mut self, op: Op, flags: Flags, arguments: Vec<Operand>) -> Operand;
}

/// Writes what an instruction computes. None if it is not an operation on integers.
pub(super) fn lift<'c>(
    code: &mut impl Code<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    if let Some(op) = operator(instruction) {
        let arguments = operands(code, instruction)?;
        return Ok(Some(code.emit(op, flags(instruction), arguments)));
    }
    match instruction.get_opcode() {
        InstructionOpcode::Freeze if width_of(instruction.get_type()).is_some() => {
            Ok(Some(operands(code, instruction)?[0]))
        }
        InstructionOpcode::Call => intrinsic(code, instruction),
        InstructionOpcode::ExtractValue => overflowing(code, instruction),
        _ => Ok(None),
    }
}

/// The operand that stands for a value.
pub(super) fn operand<'c>(
    code: &mut impl Code<'c>,
    value: BasicValueEnum<'c>,
) -> Result<Operand, Unsupported> {
    let Some(width) = width_of(value.get_type()) else {
        return Err(kind_of(value.get_type()).to_string());
    };
    let integer = value.into_int_value();
    if integer.is_undef() || integer.is_poison() {
        return Ok(Operand::Uninitialised(width));
    }
    match constant(integer) {
        Some(word) => Ok(Operand::Constant(word)),
        None if integer.is_const() => Err("an address is used as a number".to_string()),
        None => code.defined(value),
    }
}

pub(super) fn operands<'c>(
    code: &mut impl Code<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Vec<Operand>, Unsupported> {
    let values = instruction.get_operands().flatten().filter_map(LlvmOperand::value);
    values.map(|value| operand(code, value)).collect()
}

/// The word that a constant is.
pub(super) fn constant(integer: IntValue) -> Option<Word> {
    let width = integer.get_type().get_bit_width();
    if width > MAX_WIDTH || !integer.is_constant_int() {
        return None;
    }
    if let Some(bits) = integer.get_zero_extended_constant() {
        return Some(Word::new(width, bits.into()));
    }
    // LLVM-C hands out no more than 64 bits of a constant, but prints them all: `i128 -5`.
    let text = integer.print_to_string().to_string();
    let number = text.split_whitespace().last()?;
    let signed = number.parse::<i128>().map(|value| value as u128);
    Some(Word::new(width, signed.or_else(|_| number.parse::<u128>()).ok()?))
}

/// The width of an integer type that fits a word.
pub(super) fn width_of<'c>(of: impl AnyType<'c>) -> Option<u32> {
    match of.as_any_type_enum() {
        AnyTypeEnum::IntType(integer) => Some(integer.get_bit_width()).filter(|width| *width <= MAX_WIDTH),
        _ => None,
    }
}

/// What a value of a type that we do not handle is called.
pub(super) fn kind_of(of: BasicTypeEnum) -> &'static str {
    match of {
        BasicTypeEnum::ArrayType(_) => "an array",
        BasicTypeEnum::FloatType(_) => "a floating-point value",
        BasicTypeEnum::IntType(_) => "an integer of more than 128 bits",
        BasicTypeEnum::PointerType(_) => "a pointer",
        BasicTypeEnum::StructType(_) => "a struct",
        BasicTypeEnum::VectorType(_) | BasicTypeEnum::ScalableVectorType(_) => "a vector",
    }
}

/// The function that a call names, and whether it has the type that the call expects.
pub(super) fn callee<'c>(call: InstructionValue<'c>) -> Option<(FunctionValue<'c>, bool)> {
    // SAFETY: only calls come here, and the called value lives as long as the call.
    let function = unsafe { FunctionValue::new(llvm_sys::core::LLVMGetCalledValue(call.as_value_ref())) }?;
    let expected = CallSiteValue::try_from(call).ok()?.get_called_fn_type();
    Some((function, function.get_type() == expected))
}

fn operator(instruction: InstructionValue) -> Option<Op> {
    let first = instruction.get_operand(0)?.value()?;
    width_of(first.get_type())?;
    let width = width_of(instruction.get_type())?;
    Some(match instruction.get_opcode() {
        InstructionOpcode::Add => Op::Add,
        InstructionOpcode::Sub => Op::Sub,
        InstructionOpcode::Mul => Op::Mul,
        InstructionOpcode::UDiv => Op::Udiv,
        InstructionOpcode::SDiv => Op::Sdiv,
        InstructionOpcode::URem => Op::Urem,
        InstructionOpcode::SRem => Op::Srem,
        InstructionOpcode::And => Op::And,
        InstructionOpcode::Or => Op::Or,
        InstructionOpcode::Xor => Op::Xor,
        InstructionOpcode::Shl => Op::Shl,
        InstructionOpcode::LShr => Op::Lshr,
        InstructionOpcode::AShr => Op::Ashr,
        InstructionOpcode::ZExt => Op::Zext(width),
        InstructionOpcode::SExt => Op::Sext(width),
        InstructionOpcode::Trunc => Op::Extract { hi: width - 1, lo: 0 },
        InstructionOpcode::Select => Op::Ite,
        InstructionOpcode::ICmp => match instruction.get_icmp_predicate()? {
            IntPredicate::EQ => Op::Eq,
            IntPredicate::NE => Op::Ne,
            IntPredicate::ULT => Op::Ult,
            IntPredicate::ULE => Op::Ule,
            IntPredicate::UGT => Op::Ugt,
            IntPredicate::UGE => Op::Uge,
            IntPredicate::SLT => Op::Slt,
            IntPredicate::SLE => Op::Sle,
            IntPredicate::SGT => Op::Sgt,
            IntPredicate::SGE => Op::Sge,
        },
        _ => return None,
    })
}

/// The promises of an operation. On `trunc` they say nothing that C would call undefined.
fn flags(instruction: InstructionValue) -> Flags {
    if instruction.get_opcode() == InstructionOpcode::Trunc {
        return Flags::default();
    }
    Flags {
        no_signed_overflow: instruction.get_no_signed_wrap_flag().unwrap_or(false),
        no_unsigned_overflow: instruction.get_no_unsigned_wrap_flag().unwrap_or(false),
    }
}

/// The intrinsics that are a few operations of ours.
fn intrinsic<'c>(
    code: &mut impl Code<'c>,
    call: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    let Some(name) = intrinsic_name(call) else { return Ok(None) };
    let (Some(width), Some(argument)) =
        (width_of(call.get_type()), call.get_operand(0).and_then(LlvmOperand::value))
    else {
        return Ok(None);
    };
    let choice = |op| Some((op, Flags::default()));
    let greater_first = match name.as_str() {
        "llvm.smax" => choice(Op::Sgt),
        "llvm.smin" => choice(Op::Slt),
        "llvm.umax" => choice(Op::Ugt),
        "llvm.umin" => choice(Op::Ult),
        _ => None,
    };
    if let Some((op, flags)) = greater_first {
        let left = operand(code, argument)?;
        let right = operand(code, call.get_operand(1).and_then(LlvmOperand::value).expect("it has two"))?;
        let condition = code.emit(op, flags, vec![left, right]);
        return Ok(Some(code.emit(Op::Ite, flags, vec![condition, left, right])));
    }
    match name.as_str() {
        "llvm.abs" => {
            // Only the least value overflows when negated, and only its absolute value is undefined.
            let undefined = call.get_operand(1).and_then(LlvmOperand::value).expect("it has two");
            let undefined = constant(undefined.into_int_value()).is_some_and(Word::is_true);
            let value = operand(code, argument)?;
            let zero = Operand::Constant(Word::zero(width));
            let flags = Flags { no_signed_overflow: undefined, no_unsigned_overflow: false };
            let negated = code.emit(Op::Sub, flags, vec![zero, value]);
            let negative = code.emit(Op::Slt, Flags::default(), vec![value, zero]);
            Ok(Some(code.emit(Op::Ite, Flags::default(), vec![negative, negated, value])))
        }
        // What the compiler may expect says nothing about what happens.
        "llvm.expect" | "llvm.expect.with.probability" => Ok(Some(operand(code, argument)?)),
        _ => Ok(None),
    }
}

/// One half of what `__builtin_add_overflow` and its kind give: the wrapped result, or whether it overflowed.
fn overflowing<'c>(
    code: &mut impl Code<'c>,
    extract: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    let pair = extract.get_operand(0).and_then(LlvmOperand::value);
    let Some(call) = pair.and_then(|pair| pair.as_instruction_value()) else {
        return Ok(None);
    };
    let Some((op, predicate)) = overflow_pair(call) else { return Ok(None) };
    let mut arguments = Vec::new();
    for at in 0..2 {
        let argument = call.get_operand(at).and_then(LlvmOperand::value).expect("it has two arguments");
        arguments.push(operand(code, argument)?);
    }
    let op = if extract.get_indices() == [0] { op } else { predicate };
    Ok(Some(code.emit(op, Flags::default(), arguments)))
}

/// The two operators behind an intrinsic that computes with overflow.
pub(super) fn overflow_pair(call: InstructionValue) -> Option<(Op, Op)> {
    let first = call.get_operand(0)?.value()?;
    width_of(first.get_type())?;
    Some(match intrinsic_name(call)?.as_str() {
        "llvm.sadd.with.overflow" => (Op::Add, Op::SaddO),
        "llvm.uadd.with.overflow" => (Op::Add, Op::UaddO),
        "llvm.ssub.with.overflow" => (Op::Sub, Op::SsubO),
        "llvm.usub.with.overflow" => (Op::Sub, Op::UsubO),
        "llvm.smul.with.overflow" => (Op::Mul, Op::SmulO),
        "llvm.umul.with.overflow" => (Op::Mul, Op::UmulO),
        _ => return None,
    })
}

/// The name of the intrinsic that is called, without its types: `llvm.smax`.
pub(crate) fn intrinsic_name(call: InstructionValue) -> Option<String> {
    if call.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    let (function, _) = callee(call)?;
    if function.get_intrinsic_id() == 0 {
        return None;
    }
    let name = function.get_name().to_string_lossy().into_owned();
    let is_type = |part: &str| {
        let digits = part.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
        digits.len() < part.len() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    Some(name.split('.').filter(|part| !is_type(part)).collect::<Vec<_>>().join("."))
}
