//! Sites: a small function that chooses by the number of the mutant becomes a table of arms.

use std::collections::HashMap;

use bv::{Op, Word};
use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, Operand as LlvmOperand,
};
use ir::{Arm, ArmInstruction, Flags, Mutant, Operand, Register, Site};
use source::Position;

use super::constant::ConstantAddresses;
use super::operation::{self, Emitter, Unsupported, width_of};

/// Reads a site function, which stands for the operation at this place of the source.
pub(super) fn lift(
    function: FunctionValue,
    at: Option<Position>,
    addresses: &ConstantAddresses,
) -> Result<Site, Unsupported> {
    let width = |value: &BasicValueEnum| width_of(value.get_type());
    let parameters: Option<Vec<u32>> = function.get_params().iter().map(width).collect();
    let parameters = parameters.ok_or("a mutated operation on values that are not words")?;
    let result = function.get_type().get_return_type().and_then(width_of);
    let result = result.ok_or("a mutated operation on values that are not words")?;

    let entry = function.get_first_basic_block().expect("a site function has a body");
    let choice = entry.get_terminator().expect("a block has an end");
    // A site may have lost all its variants; then it is its original.
    if choice.get_opcode() != InstructionOpcode::Switch {
        let original = arm(function, entry, addresses)?;
        return Ok(Site { parameters, result, original, variants: vec![], at });
    }
    let mut operands = choice.get_operands().flatten().skip(1);
    let mut blocks = Vec::new();
    let default = operands.next().and_then(LlvmOperand::block).expect("a switch has a default");
    while let (Some(case), Some(block)) = (operands.next(), operands.next()) {
        let case = case.value().expect("a case is a constant").into_int_value();
        let number = case.get_zero_extended_constant().expect("a mutant's number has 32 bits");
        blocks.push((Mutant(number as u32), block.block().expect("a case leads to a block")));
    }
    let mut variants = Vec::new();
    for (mutant, block) in blocks {
        variants.push((mutant, arm(function, block, addresses)?));
    }
    variants.sort_by_key(|(mutant, _)| *mutant);
    Ok(Site { parameters, result, original: arm(function, default, addresses)?, variants, at })
}

/// The code of an arm so far, and the values that its registers stand for.
struct ArmCode<'a> {
    addresses: &'a ConstantAddresses,
    values: HashMap<LLVMValueRef, Operand>,
    parameters: usize,
    instructions: Vec<ArmInstruction>,
}

impl<'c> Emitter<'c> for ArmCode<'_> {
    fn defined(&mut self, value: BasicValueEnum<'c>) -> Result<Operand, Unsupported> {
        let known = self.values.get(&value.as_value_ref()).copied();
        known.ok_or_else(|| "a mutated operation that is not straight-line code".to_string())
    }

    fn emit(&mut self, op: Op, flags: Flags, arguments: Vec<Operand>) -> Operand {
        self.instructions.push(ArmInstruction { op, flags, arguments });
        Operand::Register(Register((self.parameters + self.instructions.len() - 1) as u32))
    }

    fn addresses(&self) -> &ConstantAddresses {
        self.addresses
    }
}

fn arm(
    function: FunctionValue,
    block: BasicBlock,
    addresses: &ConstantAddresses,
) -> Result<Arm, Unsupported> {
    let parameters = function.get_params();
    let register = |at: usize| Operand::Register(Register(at as u32));
    let values =
        parameters.iter().enumerate().map(|(at, value)| (value.as_value_ref(), register(at))).collect();
    let mut code = ArmCode { addresses, values, parameters: parameters.len(), instructions: vec![] };
    for instruction in block.get_instructions() {
        if instruction.get_opcode() == InstructionOpcode::Return {
            let returned = instruction.get_operand(0).and_then(LlvmOperand::value);
            let result = operation::operand(&mut code, returned.expect("a site returns a value"))?;
            return Ok(Arm { instructions: code.instructions, result });
        }
        let operand = match instruction.get_opcode() {
            InstructionOpcode::GetElementPtr => Some(moved(&mut code, instruction)?),
            _ => operation::lift(&mut code, instruction)?,
        };
        let operand = operand.ok_or_else(|| format!("a mutated {:?} operation", instruction.get_opcode()))?;
        code.values.insert(instruction.as_value_ref(), operand);
    }
    Err("a mutated operation that is not straight-line code".to_string())
}

/// A pointer so many bytes further, in the half of it that is the offset.
fn moved<'c>(code: &mut ArmCode, address: InstructionValue<'c>) -> Result<Operand, Unsupported> {
    let value =
        |at| address.get_operand(at).and_then(LlvmOperand::value).expect("an address has two operands");
    let pointer = operation::operand(code, value(0))?;
    let by = value(1).into_int_value().get_sign_extended_constant();
    let by = by.ok_or("a pointer that moves by something unknown")?;
    let mut half = |hi, lo| code.emit(Op::Extract { hi, lo }, Flags::default(), vec![pointer]);
    let (object, offset) = (half(63, 32), half(31, 0));
    let by = Operand::Constant(Word::new(32, by as u64 as u128));
    let offset = code.emit(Op::Add, Flags::default(), vec![offset, by]);
    Ok(code.emit(Op::Concat, Flags::default(), vec![object, offset]))
}
