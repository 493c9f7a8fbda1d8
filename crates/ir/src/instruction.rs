//! What a block is made of: instructions, their operands, and how a block ends.
//!
//! [`step`](crate::step) and [`engine`](crate::engine) say what an instruction does.

use bv::{Op, Word};
use source::Position;

use crate::{Block, BlockId, ExternalId, Fault, FunctionId, Program, Register, SiteId, TypeId};

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
    /// A new object of so many bytes, for a variable that lives until the
    /// function returns. Nothing is assigned yet.
    Local {
        size: Operand,
    },
    /// Reads a word, lowest byte first, in as many bytes as it takes.
    Load {
        pointer: Operand,
        width: u32,
        /// Somebody computes with it as with a number: a fault if it is an address, or a part of one.
        number: bool,
    },
    Store {
        pointer: Operand,
        value: Operand,
    },
    /// A pointer so many bytes further, a signed word of 64 bits.
    Offset {
        pointer: Operand,
        by: Operand,
    },
    /// Copies bytes, assigned or not.
    Copy {
        to: Operand,
        from: Operand,
        length: Operand,
        /// Whether the two may overlap, as with `memmove`.
        overlap: bool,
    },
    /// Writes a byte, the lowest one of a word, over and over.
    Fill {
        to: Operand,
        byte: Operand,
        length: Operand,
    },
    /// A new object on the heap. Nothing is assigned yet.
    Allocate {
        size: Operand,
    },
    /// Ends the life of an object on the heap; nothing happens if the pointer is null.
    Free {
        pointer: Operand,
    },
    /// The size of an object on the heap, in 64 bits, given a pointer to its start.
    Extent {
        pointer: Operand,
    },
    /// What the address of an object is a multiple of, in 64 bits: one if nothing promises more.
    Alignment {
        pointer: Operand,
    },
    /// Calls the function that a pointer points to.
    CallPointer {
        pointer: Operand,
        arguments: Vec<Operand>,
    },
    /// Calls a function without a body.
    External {
        external: ExternalId,
        arguments: Vec<Argument>,
    },
    /// The run ends here, whatever the input is.
    Stop(Fault),
    /// A fault, unless this truth value is set.
    Check {
        condition: Operand,
        fault: Fault,
    },
    /// Reaching this ends the run with no answer.
    Unsupported(String),
}

/// The operands of an action, shared or to be replaced: one match for both.
macro_rules! operands {
    ($action:expr) => {{
        let (single, listed, observed) = match $action {
            Action::Apply { arguments, .. }
            | Action::Site { arguments, .. }
            | Action::Call { arguments, .. } => ([None, None, None], Some(arguments), None),
            Action::Local { size } | Action::Allocate { size } => ([Some(size), None, None], None, None),
            Action::Load { pointer, .. }
            | Action::Free { pointer }
            | Action::Extent { pointer }
            | Action::Alignment { pointer } => ([Some(pointer), None, None], None, None),
            Action::Store { pointer, value } => ([Some(pointer), Some(value), None], None, None),
            Action::Offset { pointer, by } => ([Some(pointer), Some(by), None], None, None),
            Action::Copy { to, from, length, .. } => ([Some(to), Some(from), Some(length)], None, None),
            Action::Fill { to, byte, length } => ([Some(to), Some(byte), Some(length)], None, None),
            Action::CallPointer { pointer, arguments } => {
                ([Some(pointer), None, None], Some(arguments), None)
            }
            Action::External { arguments, .. } => ([None, None, None], None, Some(arguments)),
            Action::Check { condition, .. } => ([Some(condition), None, None], None, None),
            Action::Stop(_) | Action::Unsupported(_) => ([None, None, None], None, None),
        };
        let observed = observed.into_iter().flatten().map(|Argument { operand, .. }| operand);
        single.into_iter().flatten().chain(listed.into_iter().flatten()).chain(observed)
    }};
}

impl Action {
    /// All that it reads.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        operands!(self)
    }

    /// All that it reads, to be replaced.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Operand> {
        operands!(self)
    }
}

/// An argument of a function without a body, and how it is observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Argument {
    pub operand: Operand,
    pub of: TypeId,
    /// It points to a string, and the text is what counts.
    pub text: bool,
}

/// What the source language promises about an operation, beyond its arguments being fine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags {
    /// It is undefined if it overflows as a signed operation.
    pub no_signed_overflow: bool,
    /// It is undefined if it overflows as an unsigned operation.
    pub no_unsigned_overflow: bool,
    /// The two arguments are pointers. It works on their offsets, in 64 bits, and is
    /// undefined unless both are into one object: a signed comparison, or a difference.
    pub pointers: bool,
    /// It is undefined if its first argument is zero, and has no bits.
    pub has_bits: bool,
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

impl Block {
    /// What it means that the pointer which an instruction makes is far outside
    /// of its object: nobody knows, unless what it leads to is read or written
    /// next, or an element or a field of that, which is no object for sure.
    pub fn far_pointer(&self, at: usize) -> Fault {
        let Some(Instruction { result: Some(far), .. }) = self.instructions.get(at) else {
            return Fault::FarPointer;
        };
        let mut far = vec![Operand::Register(*far)];
        let is_some = |length: &Operand| matches!(length, Operand::Constant(length) if !length.is_zero());
        for Instruction { action, result, .. } in &self.instructions[at + 1..] {
            match action {
                Action::Load { pointer, .. } | Action::Store { pointer, .. } if far.contains(pointer) => {
                    return Fault::Stray;
                }
                // A struct is copied by its bytes.
                Action::Copy { to, from, length, .. }
                    if is_some(length) && (far.contains(to) || far.contains(from)) =>
                {
                    return Fault::Stray;
                }
                Action::Offset { pointer, .. } if far.contains(pointer) => {
                    far.extend(result.map(Operand::Register));
                }
                Action::Apply { .. }
                | Action::Site { .. }
                | Action::Check { .. }
                | Action::Offset { .. }
                | Action::Load { .. }
                | Action::Store { .. }
                | Action::Copy { .. } => {}
                _ => break,
            }
        }
        Fault::FarPointer
    }
}

impl Program {
    /// The operations of an instruction as they are without mutants, each with
    /// its operands as far as they are the instruction's own.
    pub fn operations(&self, action: &Action) -> Vec<(Op, Vec<Operand>)> {
        match action {
            Action::Apply { op, arguments, .. } => vec![(*op, arguments.clone())],
            Action::Site { site, arguments } => {
                let given = |operand: &Operand| match operand {
                    Operand::Register(register) => {
                        arguments.get(register.0 as usize).copied().unwrap_or(*operand)
                    }
                    other => *other,
                };
                let own = self.site(*site).original.instructions.iter();
                own.map(|it| (it.op, it.arguments.iter().map(given).collect())).collect()
            }
            _ => vec![],
        }
    }
}
