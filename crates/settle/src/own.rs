//! What the user's own tests kill.

use ir::Mutant;

use crate::verdict::Ending;
use crate::{Conclusion, Twin};

/// The user's own tests. They pass on the original.
pub trait OwnTests: Sync {
    /// Why it could not be found out.
    type Error;

    /// Whether they pass on a mutant.
    fn pass(&self, mutant: Mutant) -> Result<bool, Self::Error>;
}

/// A mutant that was seen to fail the user's own tests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct OwnKill(Mutant);

impl OwnKill {
    /// Runs the tests on a mutant; none if they pass.
    pub fn see<T: OwnTests + ?Sized>(tests: &T, mutant: Mutant) -> Result<Option<OwnKill>, T::Error> {
        Ok((!tests.pass(mutant)?).then_some(OwnKill(mutant)))
    }

    pub fn mutant(self) -> Mutant {
        self.0
    }

    /// What follows, given a mutant with a smaller number that does the same and that they kill, too.
    pub fn conclusion(self, duplicate_of: Option<Twin>) -> Conclusion {
        Conclusion::of(Ending::ByOwnTests { duplicate_of })
    }
}
