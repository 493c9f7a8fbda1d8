//! Random blocks: statements of a structured language, with a few jumps that it would not have.
//!
//! Most of what random code computes is lost again, and then no mutant makes a difference. So one variable,
//! the accumulator, passes through every join and takes up most results. What is returned depends on it.

mod loops;
mod memory;

use arbitrary::{Result, Unstructured};
use bv::{Op, Word};

use super::line::{Line, Pointee};
use super::{Sites, one_in, position, width, word};
use crate::ctype::POINTER_WIDTH;
use crate::{
    Action, Block, BlockId, Edge, End, Fault, Flags, Function, FunctionId, Instruction, Operand, Parameter,
    Program, Register, Site, Type, TypeId,
};

/// How many statements the subject and the other functions may have, and how deep they nest. Enough for loops
/// in loops; the unrolled program must stay small enough for a solver.
const MOST_STATEMENTS: u32 = 24;
const MOST_IN_OTHERS: u32 = 8;
const DEEPEST: u32 = 3;

/// How often a loop that counts may go round, and how deep a recursion goes.
const MOST_ROUNDS: u32 = 5;

/// What a join takes beside the accumulator.
#[derive(Clone, Copy)]
enum Carried {
    /// Of this width.
    Word(u32),
    Pointer(Pointee),
}

/// A function in the making.
pub(super) struct Body<'u, 'b> {
    u: &'u mut Unstructured<'b>,
    program: &'u Program,
    /// The number of this function.
    at: usize,
    sites: &'u mut Sites,
    line: Line,
    /// What the function has computed so far, and the width of that.
    accumulator: Operand,
    accumulator_width: u32,
    blocks: Vec<Block>,
    /// The block that statements go to.
    current: BlockId,
    /// Joins at which to leave the loops around this place, outermost first.
    exits: Vec<BlockId>,
    statements_left: u32,
}

impl<'u, 'b> Body<'u, 'b> {
    pub(super) fn new(
        u: &'u mut Unstructured<'b>,
        program: &'u Program,
        at: usize,
        sites: &'u mut Sites,
    ) -> Self {
        let line = Line::new(program.functions[at].registers.clone());
        let statements_left = if at == 0 { MOST_STATEMENTS } else { MOST_IN_OTHERS };
        let (accumulator, accumulator_width) = (Operand::Constant(Word::zero(8)), 8);
        let (blocks, current, exits) = (vec![], Function::ENTRY, vec![]);
        Body {
            u,
            program,
            at,
            sites,
            line,
            accumulator,
            accumulator_width,
            blocks,
            current,
            exits,
            statements_left,
        }
    }

    pub(super) fn fill(mut self, function: &mut Function) -> Result<()> {
        let entry = self.block(&[]);
        self.start(entry);
        self.pointers()?;
        self.accumulator_width = *self.u.choose(&[8, 32])?;
        self.accumulator = self.line.mixture(self.u, self.accumulator_width, 0)?;
        // Some sites stand where every run comes by.
        for _ in 0..self.u.int_in_range(0..=2)? {
            self.site()?;
        }
        self.statements(0)?;
        for _ in 0..self.u.int_in_range(0..=2)? {
            self.site()?;
        }
        let end = self.returned()?;
        self.finish(end)?;
        function.blocks = self.blocks;
        function.registers = self.line.widths;
        Ok(())
    }

    /// What is there to point to: what the caller gave, globals, and variables of its own.
    fn pointers(&mut self) -> Result<()> {
        let signature = &self.program.functions[self.at].signature;
        for (at, parameter) in (0..).zip(&signature.parameters) {
            self.adopt(Register(at), parameter.of);
        }
        self.adopt_globals()?;
        let known: Vec<TypeId> = self.line.pointers().iter().map(|(_, pointee)| pointee.of).collect();
        for _ in 0..self.u.int_in_range(0..=2)? {
            let of = *self.u.choose(&known)?;
            if !matches!(self.program.of(of), Type::Function { .. }) {
                self.local(of)?;
            }
        }
        Ok(())
    }

    fn statements(&mut self, depth: u32) -> Result<()> {
        for _ in 0..self.u.int_in_range(if depth == 0 { 3 } else { 1 }..=8)? {
            if self.statements_left == 0 {
                break;
            }
            self.statements_left -= 1;
            if one_in(self.u, 3)? {
                self.memory()?;
                continue;
            }
            let choices = if depth < DEEPEST { 25 } else { 15 };
            match self.u.int_in_range(0..=choices)? {
                0..=4 => {
                    let result = self.line.apply(self.u)?;
                    self.take_up(result)?;
                }
                5..=10 => self.site()?,
                11..=13 => self.call()?,
                14 => self.escape()?,
                15 => self.unlikely()?,
                16..=18 => self.branch(depth)?,
                19..=20 => self.switch(depth)?,
                21..=23 => self.repeat(depth)?,
                24 => self.two_ways_in()?,
                _ => self.recursion()?,
            }
        }
        Ok(())
    }

    fn site(&mut self) -> Result<()> {
        let site = if one_in(self.u, 3)? {
            let mut parameters = Vec::new();
            for _ in 0..self.u.int_in_range(1..=3)? {
                parameters.push(self.line.common_width(self.u)?);
            }
            let result = self.line.common_width(self.u)?;
            self.sites.mixed(self.u, parameters, result)?
        } else {
            let width = self.line.common_width(self.u)?;
            self.sites.operation(self.u, width)?
        };
        let Site { parameters, result, .. } = self.sites.sites[site.0 as usize].clone();
        let arguments = self.operands(&parameters)?;
        let result = self.line.define(result);
        self.instruction(Some(result), Action::Site { site, arguments })?;
        self.take_up(Operand::Register(result))
    }

    /// Calls a function that comes later, if there is one.
    fn call(&mut self) -> Result<()> {
        if self.at + 1 == self.program.functions.len() {
            return Ok(());
        }
        let function = self.u.int_in_range(self.at + 1..=self.program.functions.len() - 1)?;
        let arguments = self.call_arguments(function)?;
        self.call_with(function, arguments)
    }

    fn call_arguments(&mut self, function: usize) -> Result<Vec<Operand>> {
        let program = self.program;
        let parameters = program.functions[function].signature.parameters.iter();
        let argument = |parameter: &Parameter| match program.of(parameter.of) {
            Type::Pointer(_) => self.pointer_argument(parameter.of),
            _ => self.line.operand(self.u, program.width(parameter.of).expect("an argument is a word")),
        };
        parameters.map(argument).collect()
    }

    fn call_with(&mut self, function: usize, arguments: Vec<Operand>) -> Result<()> {
        let callee = &self.program.functions[function];
        let result = callee.result.map(|width| self.line.define(width));
        self.instruction(result, Action::Call { function: FunctionId(function as u32), arguments })?;
        let Some(result) = result else { return Ok(()) };
        match callee.signature.result.filter(|of| matches!(self.program.of(*of), Type::Pointer(_))) {
            Some(of) => {
                self.adopt(result, of);
                Ok(())
            }
            None => self.take_up(Operand::Register(result)),
        }
    }

    /// If the first argument, cut to a few bits, is not 0: calls this function with one less. It is cut again
    /// there, so the depth is bounded.
    fn recursion(&mut self) -> Result<()> {
        let signature = &self.program.functions[self.at].signature;
        let Some(Type::Integer(first)) = signature.parameters.first().map(|first| self.program.of(first.of))
        else {
            return Ok(());
        };
        let width = first.width;
        let scope = self.line.scope.len();
        let first = Operand::Register(Register(0));
        let cut = self.plain(Op::And, first, Word::new(width, MOST_ROUNDS as u128))?;
        let is_zero = self.plain(Op::Eq, cut, Word::zero(width))?;
        let (call, after) = (self.block(&[]), self.join(&[]));
        let then = self.edge_to_join(after, &[])?;
        self.finish(End::Branch { condition: is_zero, then, otherwise: edge(call) })?;
        self.start(call);
        let mut arguments = self.call_arguments(self.at)?;
        arguments[0] = self.plain(Op::Sub, cut, Word::one(width))?;
        self.call_with(self.at, arguments)?;
        let end = self.edge_to_join(after, &[])?;
        self.finish(End::Jump(end))?;
        self.line.scope.truncate(scope);
        self.start_join(after);
        Ok(())
    }

    /// What would end most runs if it were less rare.
    fn unlikely(&mut self) -> Result<()> {
        if one_in(self.u, 16)? {
            return self.instruction(None, Action::Unsupported("a joke".to_string()));
        }
        let fault = *self.u.choose(&[Fault::Index, Fault::NullArgument, Fault::FarPointer])?;
        let fails = self.line.condition(self.u)?;
        let often = self.line.condition(self.u)?;
        let condition = self.line.push(self.u, Op::Or, vec![fails, often])?;
        self.instruction(None, Action::Check { condition, fault })
    }

    fn branch(&mut self, depth: u32) -> Result<()> {
        let condition = self.line.condition(self.u)?;
        let kinds = self.some_kinds()?;
        let join = self.join(&kinds);
        let then = self.block(&[]);
        // Without `else`, the join is a target itself.
        let otherwise = if self.u.arbitrary()? { Some(self.block(&[])) } else { None };
        let other_edge = match otherwise {
            Some(block) => edge(block),
            None => self.edge_to_join(join, &kinds)?,
        };
        self.finish(End::Branch { condition, then: edge(then), otherwise: other_edge })?;
        for arm in [Some(then), otherwise].into_iter().flatten() {
            self.arm(arm, join, &kinds, depth)?;
        }
        self.start_join(join);
        Ok(())
    }

    fn switch(&mut self, depth: u32) -> Result<()> {
        let width = self.line.common_width(self.u)?;
        let value = self.line.operand(self.u, width)?;
        let kinds = self.some_kinds()?;
        let join = self.join(&kinds);
        let mut cases: Vec<(Word, Edge)> = Vec::new();
        let mut arms = Vec::new();
        for _ in 0..self.u.int_in_range(0..=3)? {
            let word = word(self.u, width)?;
            if cases.iter().any(|(case, _)| *case == word) {
                continue;
            }
            // Several cases may share their code, as they do in C.
            if arms.is_empty() || !one_in(self.u, 3)? {
                arms.push(self.block(&[]));
            }
            cases.push((word, edge(*arms.last().expect("one was just pushed, or was there"))));
        }
        let default = self.edge_to_join(join, &kinds)?;
        self.finish(End::Switch { value, cases, default })?;
        for arm in arms {
            self.arm(arm, join, &kinds, depth)?;
        }
        self.start_join(join);
        Ok(())
    }

    /// Mixes a result into the accumulator, most of the time.
    fn take_up(&mut self, result: Operand) -> Result<()> {
        if one_in(self.u, 4)? {
            return Ok(());
        }
        let result = self.line.fit(self.u, result, self.accumulator_width)?;
        let op = *self.u.choose(&[Op::Xor, Op::Add, Op::Sub])?;
        self.accumulator =
            self.line.push_with(self.u, op, Flags::default(), vec![self.accumulator, result])?;
        Ok(())
    }

    /// A block for several ways to meet in, with parameters of these kinds. The accumulator is one more.
    fn join(&mut self, kinds: &[Carried]) -> BlockId {
        let width = |kind: &Carried| match kind {
            Carried::Word(width) => *width,
            Carried::Pointer(_) => POINTER_WIDTH,
        };
        let widths: Vec<u32> = kinds.iter().map(width).chain([self.accumulator_width]).collect();
        let join = self.block(&widths);
        for (parameter, kind) in self.blocks[join.0 as usize].parameters.iter().zip(kinds) {
            if let Carried::Pointer(pointee) = kind {
                self.line.pointees.insert(*parameter, *pointee);
            }
        }
        join
    }

    /// Statements in a block of their own, then on to the join.
    fn arm(&mut self, block: BlockId, join: BlockId, kinds: &[Carried], depth: u32) -> Result<()> {
        let (scope, accumulator) = (self.line.scope.len(), self.accumulator);
        self.start(block);
        self.statements(depth + 1)?;
        let end = self.edge_to_join(join, kinds)?;
        self.finish(End::Jump(end))?;
        self.line.scope.truncate(scope);
        self.accumulator = accumulator;
        Ok(())
    }

    fn some_kinds(&mut self) -> Result<Vec<Carried>> {
        let mut kinds = Vec::new();
        for _ in 0..self.u.int_in_range(0..=2)? {
            let pointee = if one_in(self.u, 4)? { self.some_pointee()? } else { None };
            kinds.push(match pointee {
                Some(pointee) => Carried::Pointer(pointee),
                None => Carried::Word(width(self.u)?),
            });
        }
        Ok(kinds)
    }

    fn operands(&mut self, widths: &[u32]) -> Result<Vec<Operand>> {
        widths.iter().map(|width| self.line.operand(self.u, *width)).collect()
    }

    fn edge_to_join(&mut self, to: BlockId, kinds: &[Carried]) -> Result<Edge> {
        let argument = |kind: &Carried| match kind {
            Carried::Word(width) => self.line.operand(self.u, *width),
            Carried::Pointer(pointee) => self.pointer_like(*pointee),
        };
        let mut arguments = kinds.iter().map(argument).collect::<Result<Vec<_>>>()?;
        arguments.push(self.accumulator);
        Ok(Edge { to, arguments })
    }

    fn returned(&mut self) -> Result<End> {
        let Some(of) = self.program.functions[self.at].signature.result else { return Ok(End::Return(None)) };
        if let Type::Pointer(_) = self.program.of(of) {
            return self.pointer_argument(of).map(|pointer| End::Return(Some(pointer)));
        }
        let width = self.program.width(of).expect("a result is a word");
        if one_in(self.u, 8)? {
            return Ok(End::Return(Some(self.line.operand(self.u, width)?)));
        }
        Ok(End::Return(Some(self.line.fit(self.u, self.accumulator, width)?)))
    }

    /// An operation on a constant, without flags.
    fn plain(&mut self, op: Op, operand: Operand, word: Word) -> Result<Operand> {
        self.line.push_with(self.u, op, Flags::default(), vec![operand, Operand::Constant(word)])
    }

    fn instruction(&mut self, result: Option<Register>, action: Action) -> Result<()> {
        self.line.instructions.push(Instruction { result, action, at: position(self.u)? });
        Ok(())
    }

    /// A block to be filled later. Its parameters cannot be read yet.
    fn block(&mut self, widths: &[u32]) -> BlockId {
        let parameters: Vec<Register> = widths.iter().map(|width| self.line.define(*width)).collect();
        self.line.scope.truncate(self.line.scope.len() - parameters.len());
        self.blocks.push(Block { parameters, instructions: vec![], end: End::Unreachable, at: None });
        BlockId(self.blocks.len() as u32 - 1)
    }

    fn start(&mut self, block: BlockId) {
        self.current = block;
    }

    /// Goes on in a join, where its parameters can be read.
    fn start_join(&mut self, block: BlockId) {
        self.start(block);
        let parameters = &self.blocks[block.0 as usize].parameters;
        self.line.scope.extend(parameters);
        self.accumulator = Operand::Register(*parameters.last().expect("a join has the accumulator"));
    }

    fn finish(&mut self, end: End) -> Result<()> {
        let block = &mut self.blocks[self.current.0 as usize];
        block.instructions = std::mem::take(&mut self.line.instructions);
        block.end = end;
        block.at = position(self.u)?;
        Ok(())
    }
}

fn edge(to: BlockId) -> Edge {
    Edge { to, arguments: vec![] }
}
