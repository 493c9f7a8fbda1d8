//! Sites: the places that mutants change, each with the original operation and its variants.
//!
//! A parametric mutant reads its parameter from a global. The read comes before
//! the site, which has it as its last argument.

use bv::{Op, Word};
use source::Position;

use crate::{Flags, GlobalId, Mutant, Operand, Program, Register, SiteId};

/// The global that holds the parameter of parametric mutants.
pub const PARAMETER: &str = "whet_parameter";

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
    #[inline]
    pub fn arm(&self, mutant: Mutant) -> &Arm {
        // Nearly all sites of a run are not the mutant's.
        let is_elsewhere = |first: &Mutant, last: &Mutant| mutant < *first || *last < mutant;
        if let ([(first, _), ..], [.., (last, _)]) = (&self.variants[..], &self.variants[..])
            && is_elsewhere(first, last)
        {
            return &self.original;
        }
        match self.variants.binary_search_by_key(&mutant, |(mutant, _)| *mutant) {
            Ok(at) => &self.variants[at].1,
            Err(_) => &self.original,
        }
    }
}

impl Program {
    /// Where a mutant stands.
    pub fn site_of(&self, mutant: Mutant) -> Option<SiteId> {
        let has = |site: &Site| site.variants.binary_search_by_key(&mutant, |(variant, _)| *variant).is_ok();
        self.sites.iter().position(has).map(|at| SiteId(at as u32))
    }

    /// The variable that holds the parameter, if there are parametric mutants.
    pub fn parameter(&self) -> Option<GlobalId> {
        let at = self.globals.iter().position(|global| global.name == PARAMETER)?;
        Some(GlobalId(at as u32))
    }

    /// The same with this value in place of the parameter of a mutant, which is
    /// the last argument of its site.
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
