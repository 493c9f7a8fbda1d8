//! The program we reason about: functions in SSA form, with sites.
//!
//! Values are words. Joins take block parameters in place of phi instructions, and a
//! C variable whose address nobody takes is a register here, so that the state at a
//! loop head is exactly the registers that are live there, and memory.
//!
//! Memory is made of objects, which are vectors of bytes with a number each. A pointer is a word of 64
//! bits: the number of its object in the upper half, and the offset in bytes, signed, in the lower
//! one. Arithmetic changes the offset only, so that no pointer ever strays from one object into
//! another. Object 0 is none: null points there. The globals come next, then the functions, then the objects of the
//! input, and then whatever a run makes.
//!
//! Plain data with public fields; [`verify`](crate::verify) says what always holds.

use std::collections::BTreeMap;

use bv::{Hazard, Op, Word};
use source::Position;

use crate::Type;

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

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GlobalId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExternalId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// The number of the first object. Null is number 0. The others are so great that no number of a program looks like an address by chance,
/// so that a number which is read where an address lies is seen to be one.
pub const FIRST_OBJECT: u32 = 0x57e7_0001;

/// A register of one function or of one arm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Register(pub u32);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    pub sites: Vec<Site>,
    pub types: Vec<Type>,
    pub globals: Vec<Global>,
    pub externals: Vec<External>,
    /// Functions that read or write volatile memory, which is memory like any other to us. Sorted; not in the text format.
    pub volatile: Vec<FunctionId>,
    /// Variables that each thread has its own of. One thread is all that runs, so that only tests need to know. Sorted; not in the text
    /// format.
    pub thread_local: Vec<GlobalId>,
    /// Some union holds pointers and other things, so that a number may be read where an address lies. Not in the text format.
    pub mixed: bool,
}

/// A global variable, a static one, or a string literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    pub name: String,
    pub of: TypeId,
    /// What it holds at the start. Pointers to globals and functions are words as above.
    pub contents: Vec<u8>,
    /// Nobody can write to it.
    pub constant: bool,
    /// Another file, such as a test, can name it.
    pub external: bool,
}

/// A function without a body. That it is called is observed, and what it returns is an input.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct External {
    pub name: String,
    pub parameters: Vec<TypeId>,
    pub result: Option<TypeId>,
    /// It takes more arguments than it has parameters.
    pub variadic: bool,
    /// It is a function of the C library that prints. What it returns is not an input, but zero, and a test needs no
    /// stub for it.
    pub prints: bool,
}

/// A variable, or a function by its type, that is defined elsewhere and of which nothing is observed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    pub name: String,
    pub of: TypeId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: String,
    pub signature: Signature,
    /// The width of each register. The first ones, as many as `arity` says, are the parameters.
    pub registers: Vec<u32>,
    pub arity: usize,
    /// The width of what it returns.
    pub result: Option<u32>,
    /// Structs by value travel in ways that only the compiler knows. Whoever calls this function from outside
    /// calls that one in its place: it takes a pointer to each struct, with one more before all others if the result is one.
    pub door: Option<FunctionId>,
    /// A body of ours for a function of the C library. It burns no fuel, and its faults are its caller's.
    pub library: bool,
    /// Another file, such as a test, can name it.
    pub external: bool,
    /// The first block is the entry; it has no parameters of its own. A function without
    /// blocks is one that we cannot execute: `unsupported` says why.
    pub blocks: Vec<Block>,
    pub unsupported: Option<Unsupported>,
    pub names: Names,
}

/// What people call the registers that stand for their variables.
#[derive(Clone, Debug, Default)]
pub struct Names(pub BTreeMap<Register, String>);

/// Two functions that differ in names alone are the same function.
impl PartialEq for Names {
    fn eq(&self, _: &Names) -> bool {
        true
    }
}

impl Eq for Names {}

/// Something that we do not execute (yet), and where it stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Unsupported {
    pub what: String,
    pub at: Option<Position>,
}

/// What a caller in C sees.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    pub parameters: Vec<Parameter>,
    /// None for `void`.
    pub result: Option<TypeId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: String,
    pub of: TypeId,
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
    /// A new object of so many bytes, for a variable that lives until the function returns. Nothing is assigned yet.
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

impl Action {
    /// All that it reads.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let (listed, single): (&[Operand], [Option<&Operand>; 3]) = match self {
            Action::Apply { arguments, .. }
            | Action::Site { arguments, .. }
            | Action::Call { arguments, .. } => (arguments, [None; 3]),
            Action::Local { size } | Action::Allocate { size } => (&[], [Some(size), None, None]),
            Action::Load { pointer, .. } | Action::Free { pointer } | Action::Extent { pointer } => {
                (&[], [Some(pointer), None, None])
            }
            Action::Store { pointer, value } => (&[], [Some(pointer), Some(value), None]),
            Action::Offset { pointer, by } => (&[], [Some(pointer), Some(by), None]),
            Action::Copy { to, from, length, .. } => (&[], [Some(to), Some(from), Some(length)]),
            Action::Fill { to, byte, length } => (&[], [Some(to), Some(byte), Some(length)]),
            Action::CallPointer { pointer, arguments } => (arguments, [Some(pointer), None, None]),
            Action::Check { condition, .. } => (&[], [Some(condition), None, None]),
            Action::External { .. } | Action::Stop(_) | Action::Unsupported(_) => (&[], [None; 3]),
        };
        let seen: &[Argument] = if let Action::External { arguments, .. } = self { arguments } else { &[] };
        let seen = seen.iter().map(|argument| &argument.operand);
        single.into_iter().flatten().chain(listed).chain(seen)
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
    /// The two arguments are pointers. It works on their offsets, in 64 bits, and is undefined unless both are into one
    /// object: a signed comparison, or a difference.
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
    NullAccess,
    OutOfBounds,
    /// An access out of bounds, or after the end of life, that may well fall into another object.
    Stray,
    /// An index of an array that is not one of its elements', whatever lies there.
    Index,
    /// An index that is just after the last element, where clang's sanitizer takes it for an address that nobody follows.
    IndexAtEnd,
    /// A null pointer, where a function of the C library takes none even if it does nothing with it.
    NullArgument,
    /// The object is freed, or its function has returned.
    Dangling,
    /// A write to a constant or a string literal.
    ReadOnly,
    /// Freeing what is not the start of a living object on the heap.
    InvalidFree,
    OverlappingCopy,
    /// A call of what is no function, or not one of that type.
    InvalidCall,
    /// The offset has no room in its half of the pointer.
    FarPointer,
    /// Two pointers into different objects compared for order, or subtracted.
    ForeignPointers,
    /// A number is read from where an address lies, as through another member of a union.
    AddressAsNumber,
    Assertion,
    Exit,
    Abort,
}

/// What a fault does to a mutant, which runs as its binary would.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Arithmetic wraps and shifts mask.
    GoesOn,
    /// The machine stops, or a sanitizer does.
    Stops,
    /// Nobody knows what a binary does, and no tool notices.
    Unknowable,
}

impl Fault {
    pub fn text(self) -> &'static str {
        match self {
            Fault::Hazard(hazard) => hazard.text(),
            Fault::UninitialisedRead => "read of an uninitialised variable",
            Fault::Unreachable => "code that is said to be unreachable",
            Fault::NullAccess => "null pointer access",
            Fault::OutOfBounds => "out-of-bounds access",
            Fault::Stray => "out-of-bounds access that may hit another object",
            Fault::Index => "index out of bounds",
            Fault::IndexAtEnd => "index at the end of an array",
            Fault::NullArgument => "null pointer for a function that takes none",
            Fault::Dangling => "use of an object after its end of life",
            Fault::ReadOnly => "write to a constant",
            Fault::InvalidFree => "free of something that is not a living object on the heap",
            Fault::OverlappingCopy => "copy between objects that overlap",
            Fault::InvalidCall => "call of a pointer that is no such function",
            Fault::FarPointer => "pointer far outside of its object",
            Fault::ForeignPointers => "comparison or difference of pointers into different objects",
            Fault::AddressAsNumber => "an address that is read as a number",
            Fault::Assertion => "failed assertion",
            Fault::Exit => "call of exit",
            Fault::Abort => "call of abort, or a trap",
        }
    }

    pub fn effect(self) -> Effect {
        match self {
            Fault::Hazard(hazard) if !hazard.ends() => Effect::GoesOn,
            Fault::NullArgument => Effect::GoesOn,
            Fault::FarPointer | Fault::ForeignPointers | Fault::AddressAsNumber => Effect::Unknowable,
            _ => Effect::Stops,
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

    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    pub fn external(&self, id: ExternalId) -> &External {
        &self.externals[id.0 as usize]
    }

    /// The number of the object that is this global.
    pub fn global_object(&self, id: GlobalId) -> u32 {
        FIRST_OBJECT + id.0
    }

    /// The global that is the object with this number.
    pub fn global_of(&self, object: u32) -> Option<GlobalId> {
        let at = object.checked_sub(FIRST_OBJECT)?;
        ((at as usize) < self.globals.len()).then_some(GlobalId(at))
    }

    /// The number of the object that stands for this function.
    pub fn function_object(&self, id: FunctionId) -> u32 {
        FIRST_OBJECT + self.globals.len() as u32 + id.0
    }

    /// The function that the object with this number stands for.
    pub fn function_of(&self, object: u32) -> Option<FunctionId> {
        let at = object.checked_sub(FIRST_OBJECT + self.globals.len() as u32)?;
        ((at as usize) < self.functions.len()).then_some(FunctionId(at))
    }

    /// The number of the first object of the input.
    pub fn input_object(&self) -> u32 {
        FIRST_OBJECT + (self.globals.len() + self.functions.len()) as u32
    }

    /// Where a mutant stands.
    pub fn site_of(&self, mutant: Mutant) -> Option<SiteId> {
        let has = |site: &Site| site.variants.binary_search_by_key(&mutant, |(variant, _)| *variant).is_ok();
        self.sites.iter().position(has).map(|at| SiteId(at as u32))
    }

    pub fn named(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|function| function.name == name).map(|at| FunctionId(at as u32))
    }
}

impl Function {
    /// Whether it can be called with words of these widths, for a result of that one.
    pub fn takes(&self, arguments: impl ExactSizeIterator<Item = u32>, result: Option<u32>) -> bool {
        arguments.len() == self.arity
            && arguments.eq(self.registers[..self.arity].iter().copied())
            && self.result == result
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    pub const ENTRY: BlockId = BlockId(0);
}

/// The global that holds the parameter of parametric mutants.
pub const PARAMETER: &str = "whet_parameter";

impl Program {
    /// The variable that holds the parameter, if there are parametric mutants.
    pub fn parameter(&self) -> Option<GlobalId> {
        let at = self.globals.iter().position(|global| global.name == PARAMETER)?;
        Some(GlobalId(at as u32))
    }

    /// The same with this value in place of the parameter of a mutant, which is the last argument of its site.
    pub fn with_parameter(&self, mutant: Mutant, value: Word) -> Program {
        let mut program = self.clone();
        for site in &mut program.sites {
            let Some(last) = site.parameters.len().checked_sub(1) else { continue };
            let parameter = Operand::Register(Register(last as u32));
            for (_, arm) in site.variants.iter_mut().filter(|(variant, _)| *variant == mutant) {
                let operands = arm.instructions.iter_mut().flat_map(|it| &mut it.arguments);
                for operand in operands.chain([&mut arm.result]).filter(|operand| **operand == parameter) {
                    *operand = Operand::Constant(value);
                }
            }
        }
        program
    }
}

impl Block {
    /// What it means that the pointer which an instruction makes is far outside of its object: nobody knows, unless what it leads to is
    /// read or written next, or an element or a field of that, which is no object for sure.
    pub fn far_pointer(&self, at: usize) -> Fault {
        let Some(Instruction { result: Some(far), .. }) = self.instructions.get(at) else {
            return Fault::FarPointer;
        };
        let mut far = vec![Operand::Register(*far)];
        for Instruction { action, result, .. } in &self.instructions[at + 1..] {
            match action {
                Action::Load { pointer, .. } | Action::Store { pointer, .. } if far.contains(pointer) => {
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
                | Action::Store { .. } => {}
                _ => break,
            }
        }
        Fault::FarPointer
    }
}

impl Program {
    /// The operations of an instruction as they are without mutants, each with its operands as far as they are the instruction's own.
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

impl Site {
    /// What it is without mutants, if that is a number.
    pub fn constant(&self, arguments: &[Operand]) -> Option<Word> {
        let result = match self.original.result {
            Operand::Register(register) if self.original.instructions.is_empty() => {
                arguments.get(register.0 as usize)?
            }
            ref other => other,
        };
        match result {
            Operand::Constant(word) => Some(*word),
            _ => None,
        }
    }

    /// The arm that runs under this mutant.
    pub fn arm(&self, mutant: Mutant) -> &Arm {
        match self.variants.binary_search_by_key(&mutant, |(mutant, _)| *mutant) {
            Ok(at) => &self.variants[at].1,
            Err(_) => &self.original,
        }
    }
}
