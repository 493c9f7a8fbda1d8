//! From variables to registers: static single assignment, built while the blocks are read.
//!
//! A read looks upwards for the assignment that reaches it. At a join it stops, with a new parameter of
//! the block. Which value comes over each edge is asked at the end, when all blocks are known. Parameters
//! with one value only are removed then. A variable that is never read at a join costs nothing there.
//!
//! After Braun et al., Simple and Efficient Construction of Static Single Assignment Form (2013). They
//! remove a redundant phi as soon as a block is sealed. Waiting for the end makes it two plain loops.

use std::collections::{BTreeSet, HashMap};

use ir::{BlockId, Operand, Register};

/// A C variable that lives in registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Variable {
    pub number: u32,
    pub width: u32,
}

/// Where a block's values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Before {
    /// Nowhere: the entry of the function.
    Entry,
    Only(BlockId),
    Join,
}

pub(super) struct Ssa {
    before: Vec<Before>,
    /// The widths of the registers made so far.
    pub registers: Vec<u32>,
    /// What a variable holds at the end of a block, as far as somebody wrote or asked.
    values: HashMap<(Variable, BlockId), Operand>,
    parameters: Vec<Parameter>,
    /// The places of the parameters in the list, by register.
    places: HashMap<Register, usize>,
}

struct Parameter {
    block: BlockId,
    register: Register,
    /// None for a phi of LLVM's own, whose arguments are given.
    variable: Option<Variable>,
    arguments: HashMap<BlockId, Operand>,
}

impl Ssa {
    pub(super) fn new(before: Vec<Before>) -> Ssa {
        let (values, places) = (HashMap::new(), HashMap::new());
        Ssa { before, registers: vec![], values, parameters: vec![], places }
    }

    pub(super) fn register(&mut self, width: u32) -> Register {
        self.registers.push(width);
        Register(self.registers.len() as u32 - 1)
    }

    /// A parameter whose arguments are [given](Ssa::bring) later.
    pub(super) fn phi(&mut self, block: BlockId, width: u32) -> Register {
        self.parameter(block, width, None)
    }

    /// Says what a predecessor brings for a phi.
    pub(super) fn bring(&mut self, phi: Register, from: BlockId, operand: Operand) {
        let at = *self.places.get(&phi).expect("the register is a phi");
        self.parameters[at].arguments.insert(from, operand);
    }

    pub(super) fn write(&mut self, variable: Variable, block: BlockId, operand: Operand) {
        self.values.insert((variable, block), operand);
    }

    pub(super) fn read(&mut self, variable: Variable, block: BlockId) -> Operand {
        let mut passed = Vec::new();
        let mut at = block;
        let operand = loop {
            if let Some(operand) = self.values.get(&(variable, at)) {
                break *operand;
            }
            passed.push(at);
            match self.before[at.0 as usize] {
                Before::Entry => break Operand::Uninitialised(variable.width),
                Before::Only(previous) => at = previous,
                Before::Join => {
                    break Operand::Register(self.parameter(at, variable.width, Some(variable)));
                }
            }
        };
        for block in passed {
            self.values.insert((variable, block), operand);
        }
        operand
    }

    /// Settles all parameters, given the edges that the function really has.
    pub(super) fn finish(mut self, edges: &BTreeSet<(BlockId, BlockId)>) -> Joins {
        let mut predecessors = vec![vec![]; self.before.len()];
        for (from, to) in edges {
            predecessors[to.0 as usize].push(*from);
        }
        // Reads may add parameters at the end of the list.
        let mut next = 0;
        while next < self.parameters.len() {
            if let Parameter { variable: Some(variable), block, .. } = self.parameters[next] {
                for from in &predecessors[block.0 as usize] {
                    let operand = self.read(variable, *from);
                    self.parameters[next].arguments.insert(*from, operand);
                }
            }
            next += 1;
        }
        for parameter in &mut self.parameters {
            parameter.arguments.retain(|from, _| edges.contains(&(*from, parameter.block)));
        }
        let mut of_block = vec![vec![]; self.before.len()];
        for (at, parameter) in self.parameters.iter().enumerate() {
            of_block[parameter.block.0 as usize].push(at);
        }
        let same = vec![None; self.registers.len()];
        let Ssa { registers: widths, parameters, places, .. } = self;
        let mut joins = Joins { widths, parameters, places, of_block, same };
        while joins.remove_redundant() {
            joins.shorten();
        }
        joins
    }

    fn parameter(&mut self, block: BlockId, width: u32, variable: Option<Variable>) -> Register {
        let register = self.register(width);
        self.places.insert(register, self.parameters.len());
        self.parameters.push(Parameter { block, register, variable, arguments: HashMap::new() });
        register
    }
}

/// What is known about the parameters of all blocks in the end.
pub(super) struct Joins {
    /// By register.
    pub widths: Vec<u32>,
    parameters: Vec<Parameter>,
    /// The places of the parameters in the list, by register and by block.
    places: HashMap<Register, usize>,
    of_block: Vec<Vec<usize>>,
    /// The operand that a removed parameter stands for, by register.
    same: Vec<Option<Operand>>,
}

impl Joins {
    /// The parameters that a block keeps.
    pub(super) fn parameters(&self, block: BlockId) -> Vec<Register> {
        self.kept(block).map(|parameter| parameter.register).collect()
    }

    /// The variable that a parameter of a block stands for.
    pub(super) fn variable(&self, register: Register) -> Option<Variable> {
        self.parameters[*self.places.get(&register)?].variable
    }

    /// What an edge carries.
    pub(super) fn arguments(&self, from: BlockId, to: BlockId) -> Vec<Operand> {
        self.kept(to).map(|parameter| self.resolve(parameter.arguments[&from])).collect()
    }

    /// The operand itself, unless it is a parameter that was removed.
    pub(super) fn resolve(&self, operand: Operand) -> Operand {
        let mut operand = operand;
        while let Operand::Register(register) = operand {
            match self.same[register.0 as usize] {
                Some(same) => operand = same,
                None => break,
            }
        }
        operand
    }

    fn kept(&self, block: BlockId) -> impl Iterator<Item = &Parameter> {
        let own = self.of_block[block.0 as usize].iter().map(|at| &self.parameters[*at]);
        own.filter(|parameter| self.same[parameter.register.0 as usize].is_none())
    }

    /// Has each removed parameter stand for what is left in the end, so that nobody has to go a long way.
    fn shorten(&mut self) {
        for at in 0..self.same.len() {
            let Some(end) = self.same[at].map(|same| self.resolve(same)) else { continue };
            let mut here = at;
            while let Some(Operand::Register(next)) = self.same[here].replace(end) {
                here = next.0 as usize;
                if self.same[here].is_none() {
                    break;
                }
            }
        }
    }

    /// One round; whether there was something to remove.
    fn remove_redundant(&mut self) -> bool {
        let mut removed = false;
        for at in 0..self.parameters.len() {
            let register = self.parameters[at].register;
            if self.same[register.0 as usize].is_some() {
                continue;
            }
            let mut others: Vec<Operand> =
                self.parameters[at].arguments.values().map(|operand| self.resolve(*operand)).collect();
            others.retain(|operand| *operand != Operand::Register(register));
            let same = match others.split_first() {
                None => Operand::Uninitialised(self.widths[register.0 as usize]),
                Some((first, rest)) if rest.iter().all(|operand| operand == first) => *first,
                Some(_) => continue,
            };
            self.same[register.0 as usize] = Some(same);
            removed = true;
        }
        removed
    }
}
