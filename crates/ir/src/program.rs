//! The program we reason about: functions in SSA form, with sites.
//!
//! Values are words. Joins take block parameters in place of phi instructions, and a
//! C variable whose address nobody takes is a register here, so that the state at a
//! loop head is exactly the registers that are live there.
//!
//! Plain data with public fields; [`verify`](crate::verify) says what always holds.

use bv::{Hazard, Op, Word};
use source::Position;

/// A mutant's number. The original is number 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Mutant(pub u32);

impl Mutant {
    pub const ORIGINAL: Mutant = Mutant(0);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SiteId(pub u32);

/// A block of one function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// A register of one function or of one arm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Register(pub u32);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    pub sites: Vec<Site>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: String,
    pub signature: Signature,
    /// The width of each register. The first ones are the parameters.
    pub registers: Vec<u32>,
    /// The first block is the entry; it has no parameters of its own. A function without
    /// blocks is one that we cannot execute: `unsupported` says why.
    pub blocks: Vec<Block>,
    pub unsupported: Option<Unsupported>,
}

/// Something that we do not execute (yet), and where it stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Unsupported {
    pub what: String,
    pub at: Option<Position>,
}

/// What a caller in C sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub parameters: Vec<Parameter>,
    /// None for `void`.
    pub result: Option<Scalar>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: String,
    pub scalar: Scalar,
}

/// An integer type of C. A `_Bool` has width 1 here.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    /// As written in C, such as `unsigned int` or `enum color`.
    pub name: String,
    pub width: u32,
    pub signed: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    pub parameters: Vec<Register>,
    pub instructions: Vec<Instruction>,
    pub end: End,
    /// Where the end stands.
    pub at: Option<Position>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// None for a call whose function returns nothing, and for what is unsupported.
    pub result: Option<Register>,
    pub action: Action,
    pub at: Option<Position>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Apply {
        op: Op,
        flags: Flags,
        arguments: Vec<Operand>,
    },
    /// The original operation of a site, or the variant of the mutant that runs.
    Site {
        site: SiteId,
        arguments: Vec<Operand>,
    },
    Call {
        function: FunctionId,
        arguments: Vec<Operand>,
    },
    /// Reaching this ends the run with no answer.
    Unsupported(String),
}

/// What the source language promises about an operation, beyond its arguments being fine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags {
    /// It is undefined if it overflows as a signed operation.
    pub no_signed_overflow: bool,
    /// It is undefined if it overflows as an unsigned operation.
    pub no_unsigned_overflow: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Register(Register),
    Constant(Word),
    /// A variable of this width before its first assignment.
    Uninitialised(u32),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Jump(Edge),
    Branch {
        /// A truth value.
        condition: Operand,
        then: Edge,
        otherwise: Edge,
    },
    Switch {
        value: Operand,
        /// The words are distinct.
        cases: Vec<(Word, Edge)>,
        default: Edge,
    },
    Return(Option<Operand>),
    /// Undefined behaviour, such as the end of a function that promised a value.
    Unreachable,
}

impl End {
    pub fn edges(&self) -> Vec<&Edge> {
        match self {
            End::Jump(edge) => vec![edge],
            End::Branch { then, otherwise, .. } => vec![then, otherwise],
            End::Switch { cases, default, .. } => {
                cases.iter().map(|(_, edge)| edge).chain(std::iter::once(default)).collect()
            }
            End::Return(_) | End::Unreachable => vec![],
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    pub to: BlockId,
    /// One for each parameter of the block.
    pub arguments: Vec<Operand>,
}

/// One place that mutants change: the original operation and its variants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The widths of the arguments.
    pub parameters: Vec<u32>,
    /// The width of the result.
    pub result: u32,
    pub original: Arm,
    /// Each mutant stands at one site only. Sorted by mutant.
    pub variants: Vec<(Mutant, Arm)>,
    pub at: Option<Position>,
}

/// Straight-line code over the arguments of a site. Its first registers are the arguments; each
/// instruction defines the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arm {
    pub instructions: Vec<ArmInstruction>,
    pub result: Operand,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArmInstruction {
    pub op: Op,
    pub flags: Flags,
    pub arguments: Vec<Operand>,
}

/// Why a run cannot go on, or would be undefined in C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Fault {
    Hazard(Hazard),
    UninitialisedRead,
    Unreachable,
}

impl Fault {
    pub fn text(self) -> &'static str {
        match self {
            Fault::Hazard(hazard) => hazard.text(),
            Fault::UninitialisedRead => "read of an uninitialised variable",
            Fault::Unreachable => "end of a function that returns a value, or other unreachable code",
        }
    }

    /// Whether the machine stops here too. A mutant, which runs as its binary would, goes on
    /// after the others: arithmetic wraps and shifts mask.
    pub fn traps(self) -> bool {
        match self {
            Fault::Hazard(hazard) => hazard.traps(),
            Fault::UninitialisedRead => false,
            Fault::Unreachable => true,
        }
    }
}

impl Program {
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }

    pub fn named(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|function| function.name == name).map(|at| FunctionId(at as u32))
    }
}

impl Function {
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    pub const ENTRY: BlockId = BlockId(0);
}

impl Site {
    /// The arm that runs under this mutant.
    pub fn arm(&self, mutant: Mutant) -> &Arm {
        match self.variants.binary_search_by_key(&mutant, |(mutant, _)| *mutant) {
            Ok(at) => &self.variants[at].1,
            Err(_) => &self.original,
        }
    }
}
