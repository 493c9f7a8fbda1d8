//! How a kill shows, and to whom.
//!
//! A test sees what a mutant returns. Where C leaves the behaviour undefined, a plain
//! binary need not stop, but some sanitizer may be sure to notice. Sometimes none is sure,
//! as with an access that may hit another object. Then the mutant is killed all the same,
//! because it breaks the rules of C on a valid input. But no test is said to kill it.

use bv::Hazard;
use ir::{Difference, Fault, Outcome};

/// Who sees a kill; the plainest way first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Shown {
    /// The test itself: the mutant returns something else, or does not return.
    Plainly,
    /// The machine stops. Another compiler may make something else of what C leaves undefined.
    Stopped,
    /// A test that is built with this sanitizer.
    With(Sanitiser),
    /// Nobody for sure.
    Nowhere,
}

/// What looks for undefined behaviour while a program runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sanitiser {
    /// Accesses out of bounds, or after the end of an object's life.
    Address,
    /// Indexes outside of their arrays, code that is said to be unreachable,
    /// floats that do not fit an integer, and the like.
    Undefined,
    /// Uses of what was never assigned.
    Memory,
}

impl Shown {
    /// How an outcome other than the original's shows, as far as that can be told without looking.
    pub fn by(original: &Outcome, outcome: &Outcome) -> Shown {
        match (original, outcome) {
            (_, Outcome::Faulted(fault, _)) => by_fault(*fault),
            (Outcome::Returned(original), Outcome::Returned(mutant)) => match original.difference(mutant) {
                Difference::Unassigned => Shown::With(Sanitiser::Memory),
                // The test itself goes on to use what is no longer there, and frees it.
                Difference::Soft => Shown::With(Sanitiser::Address),
                Difference::None | Difference::Plain => Shown::Plainly,
            },
            _ => Shown::Plainly,
        }
    }

    /// Whether any build of a test will do.
    pub fn in_any_build(self) -> bool {
        self <= Shown::Stopped
    }
}

fn by_fault(fault: Fault) -> Shown {
    match fault {
        Fault::UninitialisedRead => Shown::With(Sanitiser::Memory),
        Fault::Index | Fault::Unreachable | Fault::Hazard(Hazard::FloatRange | Hazard::NoBits) => {
            Shown::With(Sanitiser::Undefined)
        }
        // If the array is the last thing in its object; the checker looks.
        Fault::IndexAtEnd => Shown::With(Sanitiser::Address),
        Fault::OutOfBounds | Fault::Dangling | Fault::InvalidFree | Fault::OverlappingCopy => {
            Shown::With(Sanitiser::Address)
        }
        // What is read in its place was left in a register, or on the stack.
        Fault::Stray | Fault::Argument => Shown::Nowhere,
        Fault::Hazard(_)
        | Fault::NullAccess
        | Fault::NullArgument
        | Fault::NoCommandLine
        | Fault::ReadOnly
        | Fault::InvalidCall
        | Fault::FarPointer
        | Fault::ForeignPointers
        | Fault::AddressAsNumber
        | Fault::ImpossibleResult
        | Fault::LeftOpen
        | Fault::Assertion
        | Fault::Exit
        | Fault::Abort => Shown::Stopped,
    }
}
