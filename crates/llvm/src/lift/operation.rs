//! Operations on words: what LLVM calls them, and what we call them.
//!
//! Functions and the arms of sites share this translation. They differ in where
//! operands come from and where instructions go.

mod aggregate;
mod bits;
mod float;

use bv::{Op, Word};
use inkwell::IntPredicate;
use inkwell::llvm_sys;
use inkwell::llvm_sys::core::{
    LLVMGetConstOpcode, LLVMGetInstructionOpcode, LLVMGetOperand, LLVMIsAConstantExpr, LLVMIsAInstruction,
    LLVMIsConstant, LLVMIsPoison, LLVMIsUndef,
};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode,
    InstructionValue, Operand as LlvmOperand,
};
use ir::{Flags, Operand};

use super::constant::{self, ConstantAddresses};
pub(super) use super::layout::width_of;

/// The one float type of C that is no word of ours, but for extensions.
pub(super) const LONG_DOUBLE: &str = "a `long double`";

/// What cannot be translated, for a person to read.
pub(super) type Unsupported = String;

/// Takes the operations that an instruction becomes.
pub(super) trait Emitter<'c> {
    /// The operand that stands for a value which is no constant.
    fn defined(&mut self, value: BasicValueEnum<'c>) -> Result<Operand, Unsupported>;
    fn emit(&mut self, op: Op, flags: Flags, arguments: Vec<Operand>) -> Operand;
    /// What constant addresses are.
    fn addresses(&self) -> &ConstantAddresses;
}

/// Writes what an instruction computes. None if it is not an operation on words.
pub(super) fn lift<'c>(
    code: &mut impl Emitter<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    if let Some(difference) = difference(code, instruction)? {
        return Ok(Some(difference));
    }
    if let Some((op, flags)) = operator(instruction) {
        let arguments = operands(code, instruction)?;
        return Ok(Some(code.emit(op, flags, arguments)));
    }
    if let Some(operand) = float::lift(code, instruction)? {
        return Ok(Some(operand));
    }
    match instruction.get_opcode() {
        InstructionOpcode::Freeze if width_of(instruction.get_type()).is_some() => {
            Ok(Some(operands(code, instruction)?[0]))
        }
        InstructionOpcode::BitCast => {
            let from = instruction.get_operand(0).and_then(LlvmOperand::value).map(|value| value.get_type());
            let same =
                width_of(instruction.get_type()).is_some_and(|width| from.and_then(width_of) == Some(width));
            if same { Ok(Some(operands(code, instruction)?[0])) } else { Ok(None) }
        }
        InstructionOpcode::Call => intrinsic(code, instruction),
        InstructionOpcode::ExtractValue => match overflowing(code, instruction)? {
            Some(half) => Ok(Some(half)),
            None => aggregate::extract(code, instruction),
        },
        InstructionOpcode::InsertValue => aggregate::insert(code, instruction),
        _ => Ok(None),
    }
}

/// The operand that stands for a value.
pub(super) fn operand<'c>(
    code: &mut impl Emitter<'c>,
    value: BasicValueEnum<'c>,
) -> Result<Operand, Unsupported> {
    let Some(width) = width_of(value.get_type()) else {
        return Err(kind_of(value.get_type()).to_string());
    };
    let raw = value.as_value_ref();
    // SAFETY: any value may be asked what it is.
    let (is_undefined, is_constant) =
        unsafe { (LLVMIsUndef(raw) != 0 || LLVMIsPoison(raw) != 0, LLVMIsConstant(raw) != 0) };
    match (is_undefined, is_constant) {
        (true, _) => Ok(Operand::Uninitialised(width)),
        (_, true) => code.addresses().word(raw, width).map(Operand::Constant),
        _ => code.defined(value),
    }
}

pub(super) fn operands<'c>(
    code: &mut impl Emitter<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Vec<Operand>, Unsupported> {
    let values = instruction.get_operands().flatten().filter_map(LlvmOperand::value);
    values.map(|value| operand(code, value)).collect()
}

/// What a value of a type that we do not handle is called.
pub(super) fn kind_of(of: BasicTypeEnum) -> &'static str {
    match of {
        BasicTypeEnum::ArrayType(_) => "an array",
        BasicTypeEnum::FloatType(_) => LONG_DOUBLE,
        BasicTypeEnum::IntType(_) => "an integer of more than 128 bits",
        BasicTypeEnum::PointerType(_) => "a pointer",
        BasicTypeEnum::StructType(_) => "a struct of more than 128 bits",
        BasicTypeEnum::VectorType(_) | BasicTypeEnum::ScalableVectorType(_) => "a vector",
    }
}

/// The function that a call names, and whether it has the type that the call expects.
pub(crate) fn callee<'c>(call: InstructionValue<'c>) -> Option<(FunctionValue<'c>, bool)> {
    // SAFETY: only calls come here, and the called value lives as long as the call.
    let function = unsafe { FunctionValue::new(llvm_sys::core::LLVMGetCalledValue(call.as_value_ref())) }?;
    let expected = CallSiteValue::try_from(call).ok()?.get_called_fn_type();
    Some((function, function.get_type() == expected))
}

/// A difference of two addresses, which are numbers for nothing else.
fn difference<'c>(
    code: &mut impl Emitter<'c>,
    instruction: InstructionValue<'c>,
) -> Result<Option<Operand>, Unsupported> {
    if instruction.get_opcode() != InstructionOpcode::Sub {
        return Ok(None);
    }
    let pointer = |at| instruction.get_operand(at).and_then(LlvmOperand::value).and_then(address);
    let (Some(left), Some(right)) = (pointer(0), pointer(1)) else { return Ok(None) };
    let arguments = vec![operand(code, left)?, operand(code, right)?];
    Ok(Some(code.emit(Op::Sub, Flags { pointers: true, ..Flags::default() }, arguments)))
}

/// The pointer behind a number that is an address.
pub(crate) fn address(number: BasicValueEnum) -> Option<BasicValueEnum> {
    use llvm_sys::LLVMOpcode::LLVMPtrToInt;
    let raw = number.as_value_ref();
    // SAFETY: instructions and constant expressions have opcodes, and this one has an operand.
    unsafe {
        let is_instruction =
            !LLVMIsAInstruction(raw).is_null() && LLVMGetInstructionOpcode(raw) == LLVMPtrToInt;
        let is_constant = !LLVMIsAConstantExpr(raw).is_null() && LLVMGetConstOpcode(raw) == LLVMPtrToInt;
        (is_instruction || is_constant).then(|| BasicValueEnum::new(LLVMGetOperand(raw, 0)))
    }
}

fn operator(instruction: InstructionValue) -> Option<(Op, Flags)> {
    let first = instruction.get_operand(0)?.value()?;
    let width = width_of(instruction.get_type())?;
    let promised = flags(instruction);
    if first.is_pointer_value() && instruction.get_opcode() == InstructionOpcode::ICmp {
        return Some(pointer_comparison(instruction.get_icmp_predicate()?));
    }
    if !first.is_int_value() || instruction.get_type().is_vector_type() {
        return None;
    }
    let op = match instruction.get_opcode() {
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
    };
    Some((op, promised))
}

/// Two pointers are equal or not as words; their order is that of their offsets, which are signed.
fn pointer_comparison(predicate: IntPredicate) -> (Op, Flags) {
    let pointers = Flags { pointers: true, ..Flags::default() };
    match predicate {
        IntPredicate::EQ => (Op::Eq, Flags::default()),
        IntPredicate::NE => (Op::Ne, Flags::default()),
        IntPredicate::ULT | IntPredicate::SLT => (Op::Slt, pointers),
        IntPredicate::ULE | IntPredicate::SLE => (Op::Sle, pointers),
        IntPredicate::UGT | IntPredicate::SGT => (Op::Sgt, pointers),
        IntPredicate::UGE | IntPredicate::SGE => (Op::Sge, pointers),
    }
}

/// The promises of an operation. On `trunc` they say nothing that C would call undefined.
fn flags(instruction: InstructionValue) -> Flags {
    use InstructionOpcode::{Add, Mul, Shl, Sub};
    if !matches!(instruction.get_opcode(), Add | Sub | Mul | Shl) {
        return Flags::default();
    }
    Flags {
        no_signed_overflow: instruction.get_no_signed_wrap_flag().unwrap_or(false),
        no_unsigned_overflow: instruction.get_no_unsigned_wrap_flag().unwrap_or(false),
        pointers: false,
        has_bits: false,
    }
}

/// The intrinsics that are a few operations of ours.
fn intrinsic<'c>(
    code: &mut impl Emitter<'c>,
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
            let undefined = constant::integer(undefined.as_value_ref()).is_some_and(Word::is_true);
            let value = operand(code, argument)?;
            let zero = Operand::Constant(Word::zero(width));
            let flags = Flags { no_signed_overflow: undefined, ..Flags::default() };
            let negated = code.emit(Op::Sub, flags, vec![zero, value]);
            let negative = code.emit(Op::Slt, Flags::default(), vec![value, zero]);
            Ok(Some(code.emit(Op::Ite, Flags::default(), vec![negative, negated, value])))
        }
        // What the compiler may expect says nothing about what happens.
        "llvm.expect" | "llvm.expect.with.probability" => Ok(Some(operand(code, argument)?)),
        _ if argument.is_int_value() => bits::intrinsic(code, &name, call),
        _ => Ok(None),
    }
}

/// One half of what `__builtin_add_overflow` and its kind give: the wrapped result, or whether it overflowed.
fn overflowing<'c>(
    code: &mut impl Emitter<'c>,
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
    first.is_int_value().then_some(width_of(first.get_type())?)?;
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
