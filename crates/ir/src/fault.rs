//! Faults: why a run cannot go on, and what that means for a mutant.

use bv::Hazard;

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
    /// An index that is just after the last element, where clang's sanitizer
    /// takes it for an address that nobody follows.
    IndexAtEnd,
    /// A null pointer, where a function of the C library takes none even if it does nothing with it.
    NullArgument,
    /// A further argument of a variadic function that was not passed, or is of another kind.
    Argument,
    /// What `main` is given is no command line.
    NoCommandLine,
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
    /// A function of the system returns what it never does, such as a negative random number.
    ImpossibleResult,
    /// C leaves open what comes next, and a function of the C library sees that.
    LeftOpen,
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
            Fault::NullArgument => "null pointer for a function that does not accept one",
            Fault::Argument => "argument that was not passed, or is of another type",
            Fault::NoCommandLine => "arguments that are no command line",
            Fault::Dangling => "use of an object after the end of its life",
            Fault::ReadOnly => "write to a constant",
            Fault::InvalidFree => "free of something that is not a living object on the heap",
            Fault::OverlappingCopy => "copy between objects that overlap",
            Fault::InvalidCall => "call through a pointer that leads to no such function",
            Fault::FarPointer => "pointer far outside of its object",
            Fault::ForeignPointers => "comparison or difference of pointers into different objects",
            Fault::AddressAsNumber => "address read as a number",
            Fault::ImpossibleResult => "result that the function never returns",
            Fault::LeftOpen => "a result that depends on what C leaves open",
            Fault::Assertion => "failed assertion",
            Fault::Exit => "call of exit",
            Fault::Abort => "call of abort, or a trap",
        }
    }

    pub fn effect(self) -> Effect {
        match self {
            Fault::Hazard(hazard) if !hazard.ends() => Effect::GoesOn,
            Fault::NullArgument => Effect::GoesOn,
            Fault::FarPointer
            | Fault::ForeignPointers
            | Fault::AddressAsNumber
            | Fault::ImpossibleResult
            | Fault::LeftOpen => Effect::Unknowable,
            _ => Effect::Stops,
        }
    }
}
