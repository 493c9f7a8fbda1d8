//! Final numbers for registers: the parameters first, then each register where it is defined.
//!
//! Block parameters that turned out redundant leave no gap, and a printed function reads from top to bottom.

use std::collections::HashMap;

use ir::{Block, BlockId, Edge, End, Names, Operand, Register};

use super::ssa::{Joins, Variable};

pub(super) struct Numbering {
    joins: Joins,
    numbers: HashMap<Register, Register>,
    /// The widths by the new number.
    new: Vec<u32>,
    /// What the user's variables are called.
    variables: HashMap<Variable, String>,
    names: Names,
}

impl Numbering {
    /// The first registers are the parameters of the function, and keep their numbers.
    pub(super) fn new(parameters: usize, joins: Joins, variables: HashMap<Variable, String>) -> Numbering {
        let (new, names) = (vec![], Names::default());
        let mut numbering = Numbering { joins, numbers: HashMap::new(), new, variables, names };
        for at in 0..parameters {
            numbering.define(Register(at as u32));
        }
        numbering
    }

    /// The widths of all registers, the blocks in full, and what registers are
    /// called. A block that was never reached is empty.
    pub(super) fn apply(mut self, read: Vec<Option<Block>>) -> (Vec<u32>, Vec<Block>, Names) {
        let mut blocks: Vec<Block> =
            read.into_iter().map(|block| block.unwrap_or_else(never_reached)).collect();
        for (at, block) in blocks.iter_mut().enumerate() {
            let parameters = self.joins.parameters(BlockId(at as u32));
            block.parameters = parameters.into_iter().map(|register| self.define(register)).collect();
            for instruction in &mut block.instructions {
                instruction.result = instruction.result.map(|register| self.define(register));
            }
        }
        for (at, block) in blocks.iter_mut().enumerate() {
            for instruction in &mut block.instructions {
                for operand in instruction.action.operands_mut() {
                    *operand = self.number(*operand);
                }
            }
            self.end(BlockId(at as u32), &mut block.end);
        }
        (self.new, blocks, self.names)
    }

    fn end(&self, from: BlockId, end: &mut End) {
        let connect = |edge: &mut Edge| {
            edge.arguments = self.joins.arguments(from, edge.to);
            self.renumber(&mut edge.arguments);
        };
        match end {
            End::Jump(edge) => connect(edge),
            End::Branch { condition, then, otherwise } => {
                *condition = self.number(*condition);
                connect(then);
                connect(otherwise);
            }
            End::Switch { value, cases, default } => {
                *value = self.number(*value);
                cases.iter_mut().for_each(|(_, edge)| connect(edge));
                connect(default);
            }
            End::Return(operand) => *operand = operand.map(|operand| self.number(operand)),
            End::Unreachable => {}
        }
    }

    fn define(&mut self, register: Register) -> Register {
        let number = Register(self.new.len() as u32);
        self.new.push(self.joins.widths[register.0 as usize]);
        self.numbers.insert(register, number);
        if let Some(name) = self.joins.variable(register).and_then(|it| self.variables.get(&it)) {
            self.names.0.insert(number, name.clone());
        }
        number
    }

    fn renumber(&self, operands: &mut [Operand]) {
        for operand in operands {
            *operand = self.number(*operand);
        }
    }

    fn number(&self, operand: Operand) -> Operand {
        match self.joins.resolve(operand) {
            Operand::Register(register) => Operand::Register(self.numbers[&register]),
            other => other,
        }
    }
}

fn never_reached() -> Block {
    Block { parameters: vec![], instructions: vec![], end: End::Unreachable, at: None }
}
