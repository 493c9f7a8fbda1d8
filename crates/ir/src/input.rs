//! Inputs: a value for everything that a caller decides.
//!
//! A pointer is null, or points into an object of the input. Objects are vectors of
//! typed elements. So an input reads like the declarations of a test, and can be
//! made smaller piece by piece. Its place in memory is worked out when a run begins.

use bv::Word;

use crate::{ExternalId, FunctionId, GlobalId, Program, Type, TypeId, candidates};

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Input {
    /// One for each parameter.
    pub arguments: Vec<Datum>,
    /// What pointers point to.
    pub objects: Vec<Object>,
    /// The globals that are inputs. Sorted.
    pub globals: Vec<(GlobalId, Datum)>,
    /// What functions without a body return, call by call; after the last one, zero. Sorted.
    pub results: Vec<(ExternalId, Vec<Datum>)>,
}

/// A value of some type.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Datum {
    /// An integer or a float.
    Word(Word),
    Null,
    /// A pointer to an element of an object; the element may be the one after the last.
    Pointer {
        object: u32,
        element: u32,
    },
    Function(FunctionId),
    /// The elements of an array, or the [parts](Program::parts) of a record.
    Aggregate(Vec<Datum>),
}

/// An object that the caller made. It lies apart from all others.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Object {
    pub of: TypeId,
    pub elements: Vec<Datum>,
    /// Nobody may write to it, as far as the types say, so nobody looks whether it changed.
    pub constant: bool,
}

/// Which inputs there are, where the types leave a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    /// The most elements of an object.
    pub size: u32,
    /// The most elements of an object that holds pointers, if that is less. Each of them leads to another
    /// object, so inputs with many are huge.
    pub pointers: u32,
    /// How many pointers can be followed one after the other; deeper ones are null.
    pub depth: u32,
    /// Pairs of parameters, by position, that may point to the same object.
    pub may_alias: Vec<(usize, usize)>,
    /// Globals whose value at the start is an input. Sorted.
    pub globals: Vec<GlobalId>,
    /// The functions that a caller can name, and so point to. None: all.
    pub functions: Option<Vec<FunctionId>>,
}

impl Default for Space {
    fn default() -> Space {
        Space { size: 8, pointers: 8, depth: 2, may_alias: vec![], globals: vec![], functions: None }
    }
}

impl Space {
    /// More pointers in a row are never followed: the number of objects grows with a power of it.
    pub const DEEPEST: u32 = 4;

    /// The most elements of an object of this type, reached by following so many pointers (1: a parameter's
    /// own). A struct with pointers deeper down is one of a kind: lists and trees, not vectors of them.
    pub fn elements(&self, program: &Program, of: TypeId, depth: u32) -> u32 {
        let record = matches!(program.of(of), Type::Record(_));
        match program.has_pointers(of) {
            true if record && depth > 1 => 1,
            true => self.size.min(self.pointers),
            false => self.size,
        }
    }
}

impl Space {
    /// The functions that a pointer to this type of function may name.
    pub fn candidates(&self, program: &Program, of: TypeId) -> Vec<FunctionId> {
        let mut candidates = candidates(program, of);
        candidates.retain(|id| self.functions.as_ref().is_none_or(|named| named.contains(id)));
        candidates
    }
}

impl Input {
    /// An input of integers only.
    pub fn words(words: impl IntoIterator<Item = Word>) -> Input {
        Input { arguments: words.into_iter().map(Datum::Word).collect(), ..Input::default() }
    }
}

impl Datum {
    /// The word of an integer or a float.
    pub fn word(&self) -> Option<Word> {
        match self {
            Datum::Word(word) => Some(*word),
            _ => None,
        }
    }
}

impl Program {
    /// The simplest value of a type.
    pub fn zero(&self, of: TypeId) -> Datum {
        match self.of(of) {
            Type::Integer(scalar) => Datum::Word(Word::zero(scalar.width)),
            Type::Float(float) => Datum::Word(Word::zero(float.width)),
            Type::Pointer(_) | Type::Function { .. } => Datum::Null,
            Type::Array { of, count } => Datum::Aggregate((0..*count).map(|_| self.zero(*of)).collect()),
            Type::Record(record) => {
                let parts = self.parts(record);
                let zero = |field: &&crate::Field| match field.bits {
                    Some(bits) => Datum::Word(Word::zero(bits)),
                    None => self.zero(field.of),
                };
                Datum::Aggregate(parts.iter().map(zero).collect())
            }
            Type::Opaque { size, .. } => {
                Datum::Aggregate((0..*size).map(|_| Datum::Word(Word::zero(8))).collect())
            }
        }
    }
}
