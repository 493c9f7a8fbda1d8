//! The program we reason about: functions in SSA form, with sites.
//!
//! Values are words. Joins have block parameters in place of phi instructions.
//! A C variable whose address nobody takes is a register. So the state at a
//! loop head consists of memory and the registers that are live there.
//!
//! Memory is made of objects. An object is a vector of bytes, and has a number. A pointer is a word of
//! 64 bits: the number of its object in the upper half, and a signed offset in bytes in the lower half.
//! Arithmetic changes only the offset, so no pointer ever strays from one object into another. Object 0
//! is null. Then come the globals, the functions, the objects of the input, and whatever a run makes.
//!
//! Plain data with public fields; [`verify`](crate::verify) says what always holds.

use std::collections::BTreeMap;

use source::Position;

use crate::{End, Instruction, Site, Type};

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

/// The number of the first object. Null is number 0. The others are so great that no number of a program
/// looks like an address by chance, so that a number which is read where an address lies is seen to be one.
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
    /// Functions that read or write volatile memory, which is memory like any
    /// other to us. Sorted; not in the text format.
    pub volatile: Vec<FunctionId>,
    /// Variables that each thread has its own of. One thread is all that runs,
    /// so that only tests need to know. Sorted; not in the text format.
    pub thread_local: Vec<GlobalId>,
    /// Some union holds pointers and other things, so that a number may be read
    /// where an address lies. Not in the text format.
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
    /// It is a function of the C library that prints. What it returns is not an
    /// input, but zero, and a test needs no stub for it.
    pub prints: bool,
}

/// The variable of the C library that says how it does what C leaves to it, such as the size of what `strcmp`
/// returns. Zero is one way, and each positive number may be another. With a negative number, the library is
/// strict.
const CHOICE: &str = "__library_choice";

/// The variable of the C library that says which stream is read, and how far.
const KEPT: &str = "__library_streams";

impl Program {
    /// The variable that leads to standard input, if a function of the program reads from there.
    pub fn standard_input(&self) -> Option<GlobalId> {
        let is_it = |global: &Global| match self.of(global.of) {
            Type::Pointer(pointer) => global.external && global.name == "stdin" && self.is_stream(pointer.to),
            _ => false,
        };
        Some(GlobalId(self.globals.iter().position(is_it)? as u32))
    }

    /// Whether the C library keeps here what it knows of the objects of an input. Each run has other ones.
    pub fn is_kept_for_input(&self, global: GlobalId) -> bool {
        let global = self.global(global);
        !global.external && global.name == KEPT
    }

    /// What stands for the choices of the C library, if the program depends on any.
    pub fn choice(&self) -> Option<GlobalId> {
        let at = self.globals.iter().rposition(|global| !global.external && global.name == CHOICE)?;
        Some(GlobalId(at as u32))
    }
}

impl External {
    /// How many of so many arguments a test can look at. A stub has no parameter for the others. Of what is
    /// printed, all counts.
    pub fn looks_at(&self, arguments: usize) -> usize {
        if self.prints { arguments } else { arguments.min(self.parameters.len()) }
    }
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
    /// Structs by value travel in ways that only the compiler knows. Whoever calls
    /// this function from outside calls that one in its place: it takes a pointer
    /// to each struct, with one more before all others if the result is one.
    pub door: Option<FunctionId>,
    /// A body of ours for a function of the C library. It burns no fuel, and its faults are its caller's.
    pub library: bool,
    /// A proof does not look inside: it knows only that equal arguments give equal results. So it holds for
    /// every library, however it rounds. Such a function computes a word of words, and does nothing else.
    pub sealed: bool,
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
    /// It takes more arguments than it has parameters, by way of a last word that is the address of all of
    /// these. Whoever calls it from outside passes none of them, through a door.
    pub variadic: bool,
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

    /// Whether a function is there for callers outside, and calls another one.
    pub fn is_door(&self, id: FunctionId) -> bool {
        self.functions.iter().any(|function| function.door == Some(id))
    }

    /// Whether a caller outside can do all with a function that callers in the file can.
    pub fn is_wholly_callable(&self, id: FunctionId) -> bool {
        !self.function(id).signature.variadic && self.uncallable(id).is_none()
    }

    /// Why no caller outside can call a function, if so.
    pub fn uncallable(&self, id: FunctionId) -> Option<&Unsupported> {
        let function = self.function(id);
        let door = || self.function(function.door?).unsupported.as_ref();
        function.unsupported.as_ref().or_else(door)
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
