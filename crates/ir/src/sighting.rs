//! What the machine shows of many runs at once: the plain data that goes between the search for inputs and
//! whoever has machine code.
//!
//! None of it is a verdict. The machine notices less than the interpreter, and a run may see what an earlier
//! one has left behind. So a sighting says where to look, and the interpreter looks.

use crate::{FunctionId, Input, Mutant};

/// Inputs to run as the original, and as the mutants that they infect.
pub struct Batch<'a> {
    pub subject: FunctionId,
    pub inputs: &'a [Input],
    /// The mutants that are still alive. Sorted.
    pub alive: &'a [Mutant],
    /// The features that are no news from now on.
    pub known: &'a [Feature],
    /// Whether all other features are news, whatever was known before.
    pub forget: bool,
    /// Whether to tell which values were compared.
    pub trace: bool,
    /// What a run of the original may burn.
    pub original: u64,
    /// What a run of a mutant may burn, or twice what the original did.
    pub mutant: u64,
    /// What all mutants may burn on one input. Those that are left over wait for the next one.
    pub mutants: u64,
}

/// What the runs on one input showed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sighting {
    /// Whether the original returned. Otherwise nothing else is known.
    pub returned: bool,
    /// What the original burned, in blocks.
    pub fuel: u64,
    /// What all mutants burned together.
    pub burned: u64,
    /// What no run before has shown.
    pub news: Vec<Feature>,
    /// The mutants that ended in another way, or left something else behind. Sorted.
    pub different: Vec<Different>,
    /// The values that were compared.
    pub compared: Vec<Compared>,
}

/// A mutant that was seen to do something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Different {
    pub mutant: Mutant,
    /// Whether it returned.
    pub returned: bool,
}

/// Something that a run of the original shows, as a number: how often it entered a block, a mutant that it
/// infects, or how close the sides of a comparison came.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Feature(pub u64);

/// What a feature shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shows {
    /// How often a block was entered.
    Reach,
    /// A mutant that was infected.
    Infection,
    /// How close the sides of a comparison came.
    Comparison,
}

impl Feature {
    /// The upper byte says what it shows.
    pub fn shows(self) -> Shows {
        match self.0 >> 56 {
            1 => Shows::Reach,
            2 => Shows::Infection,
            _ => Shows::Comparison,
        }
    }

    /// The mutant that is infected, if that is the feature. The lower half is its number.
    pub fn infected(self) -> Option<Mutant> {
        (self.shows() == Shows::Infection).then_some(Mutant(self.0 as u32))
    }
}

/// Two values that were compared.
#[derive(Clone, PartialEq, Debug)]
pub enum Compared {
    /// With the width of their type in bits; wider ones are extended.
    Integers {
        width: u32,
        left: u64,
        right: u64,
    },
    Reals {
        left: f64,
        right: f64,
    },
    /// By a function of the C library; the beginning of both.
    Bytes {
        left: Vec<u8>,
        right: Vec<u8>,
    },
}
