//! The score: killed / (all - equivalent), as an interval while something is unknown.

use settle::Conclusion;

/// The counts of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    pub mutants: usize,
    /// Without duplicates.
    pub killed: usize,
    /// Killed as well, but by doing the same as another one. The score counts each fault once.
    pub duplicate: usize,
    /// With or without assumptions.
    pub equivalent: usize,
    /// Those of the equivalent that are proved only under an assumption.
    pub assumed: usize,
    pub open: usize,
}

impl Summary {
    pub fn of(conclusions: &[Conclusion]) -> Summary {
        let count = |matches: fn(&Conclusion) -> bool| conclusions.iter().filter(|it| matches(it)).count();
        Summary {
            mutants: conclusions.len(),
            killed: count(|it| matches!(it, Conclusion::Killed { duplicate_of: None, .. })),
            duplicate: count(|it| matches!(it, Conclusion::Killed { duplicate_of: Some(_), .. })),
            equivalent: count(|it| matches!(it, Conclusion::Equivalent { .. })),
            assumed: count(
                |it| matches!(it, Conclusion::Equivalent { assumptions, .. } if !assumptions.is_empty()),
            ),
            open: count(|it| matches!(it, Conclusion::Open(_))),
        }
    }

    /// The score if every mutant that is not settled for all inputs can be killed, and is not.
    pub fn low(&self) -> f64 {
        ratio(self.killed, self.killed + self.open + self.assumed)
    }

    /// The score if none of them can be, or a test for it is written: then nothing is left alive.
    pub fn high(&self) -> f64 {
        1.0
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
