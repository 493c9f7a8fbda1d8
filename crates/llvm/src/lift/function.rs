//! One function: blocks, edges and instructions.
//!
//! Blocks are read in the order in which they are reached, so a value is known before its uses.
//! An unsupported instruction ends its block, and nothing that depends on it is ever reached.

mod call;
mod identity;
mod memory;

use std::collections::{BTreeSet, HashMap};

use bv::Op;
use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::core::LLVMIsConstant;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Linkage;
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, Operand as LlvmOperand,
    PhiValue,
};
use ir::{Action, Block, BlockId, Edge, End, Flags, Function, Instruction, Operand, Register, Signature};
use source::Position;

use super::constant::{self, ConstantAddresses};
use super::debug::Places;
use super::describe;
use super::numbering::Numbering;
use super::operation::{self, Emitter, Unsupported, width_of};
use super::ssa::{Before, Ssa, Variable};
use super::{Border, Names, text, variable};
use crate::addresses;

pub(super) fn lift<'c>(
    function: FunctionValue<'c>,
    signature: Signature,
    library: bool,
    names: &Names<'c>,
    border: &mut Border<'c>,
    places: &Places,
) -> Function {
    let parameters: Option<Vec<u32>> =
        function.get_params().iter().map(|value| width_of(value.get_type())).collect();
    let returned = function.get_type().get_return_type();
    let result = returned.and_then(width_of);
    let (Some(parameters), true) = (parameters, returned.is_some() == result.is_some()) else {
        let what = "a value that is too large is passed or returned".to_string();
        let at = places.of_function(function);
        return Function { signature, library, ..super::unsupported(function, ir::Unsupported { what, at }) };
    };
    let blocks = function.get_basic_blocks();
    let numbers = blocks.iter().enumerate().map(|(at, block)| (*block, BlockId(at as u32))).collect();
    let mut reader = Reader {
        names,
        border,
        places,
        library,
        shows_addresses: addresses::shows_addresses(function),
        variables: variable::in_registers(function),
        ssa: Ssa::new(befores(&blocks, &numbers)),
        numbers,
        values: HashMap::new(),
        phis: vec![],
        block: Function::ENTRY,
        instructions: vec![],
        at: None,
        start: places.of_function(function),
    };
    for (value, width) in function.get_params().into_iter().zip(&parameters) {
        let register = reader.ssa.register(*width);
        reader.values.insert(value.as_value_ref(), Operand::Register(register));
    }
    reader.own_copies(function);
    let mut read: Vec<Option<Block>> = vec![None; blocks.len()];
    let mut reached = vec![Function::ENTRY];
    while let Some(id) = reached.pop() {
        if read[id.0 as usize].is_none() {
            let block = reader.block(id, blocks[id.0 as usize]);
            reached.extend(block.end.edges().iter().map(|edge| edge.to));
            read[id.0 as usize] = Some(block);
        }
    }
    let arity = parameters.len();
    let (registers, blocks, names) = reader.finish(read, arity);
    let name = text(function.get_name());
    Function {
        name,
        signature,
        registers,
        arity,
        result,
        door: None,
        library,
        sealed: false,
        external: function.get_linkage() != Linkage::Internal,
        blocks,
        unsupported: None,
        names,
    }
}

/// Why reading a block stops before its end.
enum Stop {
    Unsupported(Unsupported),
    /// Nothing after it is reached: `__builtin_trap()`, `exit()`.
    Ends,
}

impl From<Unsupported> for Stop {
    fn from(what: Unsupported) -> Stop {
        Stop::Unsupported(what)
    }
}

struct Reader<'a, 'c> {
    names: &'a Names<'c>,
    border: &'a mut Border<'c>,
    places: &'a Places<'a>,
    library: bool,
    /// Whether casts show pointers as they are.
    shows_addresses: bool,
    variables: HashMap<LLVMValueRef, Variable>,
    numbers: HashMap<BasicBlock<'c>, BlockId>,
    ssa: Ssa,
    /// What the values of LLVM are here.
    values: HashMap<LLVMValueRef, Operand>,
    phis: Vec<(Register, PhiValue<'c>)>,
    /// The block that is being read, what it does so far, and where we are in the source.
    block: BlockId,
    instructions: Vec<Instruction>,
    at: Option<Position>,
    /// Where the function begins.
    start: Option<Position>,
}

impl<'c> Emitter<'c> for Reader<'_, 'c> {
    fn defined(&mut self, value: BasicValueEnum<'c>) -> Result<Operand, Unsupported> {
        Ok(*self.values.get(&value.as_value_ref()).expect("a value is defined before it is used"))
    }

    fn emit(&mut self, op: Op, flags: Flags, arguments: Vec<Operand>) -> Operand {
        let widths: Vec<u32> = arguments.iter().map(|argument| self.width(*argument)).collect();
        let register = self.ssa.register(op.result_width(&widths));
        self.push(Some(register), Action::Apply { op, flags, arguments });
        Operand::Register(register)
    }

    fn addresses(&self) -> &ConstantAddresses {
        &self.names.addresses
    }
}

impl<'c> Reader<'_, 'c> {
    /// The edges of the block carry no arguments yet.
    fn block(&mut self, id: BlockId, block: BasicBlock<'c>) -> Block {
        self.block = id;
        let mut end = End::Unreachable;
        for instruction in block.get_instructions() {
            self.at = self.places.of(instruction);
            let step = if instruction.is_terminator() {
                self.end(instruction).map(|read| end = read)
            } else {
                self.instruction(instruction)
            };
            match step {
                Ok(()) => {}
                Err(Stop::Ends) => break,
                Err(Stop::Unsupported(what)) => {
                    // What clang does with parameters on entry has no place of its own.
                    self.at = self.at.or(self.start);
                    self.push(None, Action::Unsupported(what));
                    break;
                }
            }
        }
        Block { parameters: vec![], instructions: std::mem::take(&mut self.instructions), end, at: self.at }
    }

    fn instruction(&mut self, instruction: InstructionValue<'c>) -> Result<(), Stop> {
        self.check_identity(instruction)?;
        let operand = match instruction.get_opcode() {
            InstructionOpcode::Alloca => match self.allocation(instruction)? {
                Some(operand) => operand,
                None => return Ok(()),
            },
            InstructionOpcode::Load => self.load(instruction)?,
            InstructionOpcode::Store => return Ok(self.store(instruction)?),
            InstructionOpcode::GetElementPtr => self.address(instruction)?,
            InstructionOpcode::PtrToInt => self.number(instruction)?,
            InstructionOpcode::IntToPtr if self.shows_addresses => {
                operation::operand(self, value_at(instruction, 0))?
            }
            InstructionOpcode::Phi => self.phi(instruction)?,
            InstructionOpcode::Call => match self.call(instruction)? {
                Some(operand) => operand,
                None => return Ok(()),
            },
            _ => match operation::lift(self, instruction)? {
                Some(operand) => operand,
                None => return Err(describe::instruction(instruction).into()),
            },
        };
        self.values.insert(instruction.as_value_ref(), operand);
        Ok(())
    }

    fn phi(&mut self, instruction: InstructionValue<'c>) -> Result<Operand, Unsupported> {
        let phi = PhiValue::try_from(instruction).expect("the opcode says so");
        let Some(width) = width_of(instruction.get_type()) else {
            return Err(describe::instruction(instruction));
        };
        // What the ways bring is asked when all is read, and must not fail then.
        for (value, _) in phi.get_incomings() {
            // SAFETY: any value may be asked whether it is a constant.
            if unsafe { LLVMIsConstant(value.as_value_ref()) != 0 } {
                operation::operand(self, value)?;
            }
        }
        let register = self.ssa.phi(self.block, width);
        self.phis.push((register, phi));
        Ok(Operand::Register(register))
    }

    fn end(&mut self, end: InstructionValue<'c>) -> Result<End, Stop> {
        let to = |block: BasicBlock<'c>| Edge { to: self.numbers[&block], arguments: vec![] };
        let mut edges =
            end.get_operands().flatten().filter_map(LlvmOperand::block).map(to).collect::<Vec<_>>();
        match end.get_opcode() {
            InstructionOpcode::Br if edges.len() == 1 => Ok(End::Jump(edges.remove(0))),
            InstructionOpcode::Br => {
                let condition = operation::operand(self, value_at(end, 0))?;
                // LLVM stores the two ends of a branch backwards.
                let then = edges.remove(1);
                Ok(End::Branch { condition, then, otherwise: edges.remove(0) })
            }
            InstructionOpcode::Switch => {
                let value = operation::operand(self, value_at(end, 0))?;
                let default = edges.remove(0);
                let case = |at: usize| value_at(end, 2 * at as u32 + 2).as_value_ref();
                let words = (0..edges.len()).map(|at| constant::integer(case(at)));
                let words: Option<Vec<_>> = words.collect();
                let words = words.ok_or_else(|| describe::instruction(end))?;
                Ok(End::Switch { value, cases: words.into_iter().zip(edges).collect(), default })
            }
            InstructionOpcode::Return => match end.get_operand(0).and_then(LlvmOperand::value) {
                Some(value) => Ok(End::Return(Some(operation::operand(self, value)?))),
                None => Ok(End::Return(None)),
            },
            InstructionOpcode::Unreachable => Ok(End::Unreachable),
            _ => Err(describe::instruction(end).into()),
        }
    }

    /// An action that leaves a value.
    fn define(&mut self, width: u32, action: Action) -> Operand {
        let register = self.ssa.register(width);
        self.push(Some(register), action);
        Operand::Register(register)
    }

    fn push(&mut self, result: Option<Register>, action: Action) {
        self.instructions.push(Instruction { result, action, at: self.at });
    }

    fn width(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Register(register) => self.ssa.registers[register.0 as usize],
            Operand::Constant(word) => word.width(),
            Operand::Uninitialised(width) => width,
        }
    }

    /// Gives the blocks their parameters, the edges their arguments, and all registers their final numbers.
    fn finish(mut self, read: Vec<Option<Block>>, parameters: usize) -> (Vec<u32>, Vec<Block>, ir::Names) {
        let mut edges = BTreeSet::new();
        for (at, block) in read.iter().enumerate() {
            let from = BlockId(at as u32);
            edges.extend(block.iter().flat_map(|block| block.end.edges()).map(|edge| (from, edge.to)));
        }
        for (register, phi) in std::mem::take(&mut self.phis) {
            let block = phi.as_instruction().get_parent().expect("a phi stands in a block");
            for (value, from) in phi.get_incomings() {
                let from = self.numbers[&from];
                if edges.contains(&(from, self.numbers[&block])) {
                    let operand = operation::operand(&mut self, value).expect("it was looked at before");
                    self.ssa.bring(register, from, operand);
                }
            }
        }
        let names = variable::names(&self.variables);
        Numbering::new(parameters, self.ssa.finish(&edges), names).apply(read)
    }
}

/// How each block is entered, as LLVM has it.
fn befores(blocks: &[BasicBlock], numbers: &HashMap<BasicBlock, BlockId>) -> Vec<Before> {
    let mut predecessors = vec![BTreeSet::new(); blocks.len()];
    for (at, block) in blocks.iter().enumerate() {
        let end = block.get_terminator().expect("a block has an end");
        for to in end.get_operands().flatten().filter_map(LlvmOperand::block) {
            predecessors[numbers[&to].0 as usize].insert(BlockId(at as u32));
        }
    }
    let before = |predecessors: BTreeSet<BlockId>| match (predecessors.len(), predecessors.first()) {
        (1, Some(only)) => Before::Only(*only),
        (0, _) => Before::Entry,
        _ => Before::Join,
    };
    predecessors.into_iter().map(before).collect()
}

fn value_at<'c>(instruction: InstructionValue<'c>, at: u32) -> BasicValueEnum<'c> {
    instruction.get_operand(at).and_then(LlvmOperand::value).expect("the opcode says that there is one")
}
