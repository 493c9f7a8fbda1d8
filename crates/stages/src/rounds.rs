//! Fuel in rounds: first every mutant gets a little, then those for which that was not enough get more.
//!
//! So after any time the most is known, and a function that is hard does not hold up the others. Nothing here
//! looks at the clock: what a mutant is given depends on the mutants of its function alone.

use bv::{Lack, Work};
use ir::Mutant;
use settle::{Claim, Open};
use smt::Fuel;

/// Which time it is that a stage looks at a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// Little fuel. Another round follows.
    First,
    /// All fuel, for those about which the first round was too little.
    Again,
    /// All fuel, and no other round.
    Only,
}

/// In the first round, a query gets this part of its fuel. Most need far less.
const LITTLE: u64 = 10;

/// All queries about one mutant may use so many times the fuel of one, circuits included. Most mutants need
/// less than one. Without this, each of the many queries about a hard mutant burnt all of its fuel.
const ALTOGETHER: u64 = 4;

/// So much work on terms costs as much fuel as a look of a solver. Measured: about a million operators are
/// applied in a second, and some 5,000 looks taken.
const WORK_PER_LOOK: u64 = 200;

/// If so many mutants of a function in a row are too hard for all fuel, the others of it are left alone: they
/// have the same divisions and roots in them.
pub(crate) const IN_A_ROW: usize = 6;

impl Round {
    /// What a query may use, out of all that is meant for one.
    pub(crate) fn for_each(self, fuel: Fuel) -> Fuel {
        match self {
            Round::First => Fuel(fuel.0 / LITTLE),
            Round::Again | Round::Only => fuel,
        }
    }

    /// What all queries about one mutant may use.
    pub(crate) fn altogether(self, fuel: Fuel) -> Fuel {
        Fuel(self.for_each(fuel).0.saturating_mul(ALTOGETHER))
    }

    /// What may go into the terms of one mutant.
    pub(crate) fn work(self, fuel: Fuel) -> Work {
        Work(self.altogether(fuel).0.saturating_mul(WORK_PER_LOOK))
    }

    /// The name of a part of the work, so that no round is taken for another.
    pub(crate) fn part(self, name: &str) -> String {
        match self {
            Round::First => format!("{name}, first round"),
            Round::Again | Round::Only => name.to_string(),
        }
    }
}

/// Counts the mutants in a row that are too hard.
#[derive(Default)]
pub(crate) struct Row(usize);

impl Row {
    /// Takes in what was found of some mutants, in their order: which of them count, and which end the row.
    /// Those without a claim do neither.
    pub(crate) fn add(
        &mut self,
        mutants: &[Mutant],
        found: &[(Mutant, Claim)],
        counts: impl Fn(&Claim) -> bool,
    ) {
        for mutant in mutants {
            match found.iter().find(|(claimed, _)| claimed == mutant) {
                Some((_, claim)) if counts(claim) => self.0 += 1,
                Some(_) => self.0 = 0,
                None => {}
            }
        }
    }

    /// Whether there is no hope for the others.
    pub(crate) fn is_long(&self) -> bool {
        self.0 >= IN_A_ROW
    }
}

/// Whether fuel was all that was missing.
pub(crate) fn is_too_hard(claim: &Claim) -> bool {
    matches!(claim, Claim::Open(Open::OutOfFuel(_) | Open::OutOfMemory))
}

/// Whether memory was all that was missing. More fuel does not help then.
pub(crate) fn is_too_large(claim: &Claim) -> bool {
    matches!(claim, Claim::Open(Open::OutOfMemory))
}

/// What is said of a mutant if there was not enough fuel for terms.
pub(crate) fn out_of(lack: Lack, searched: &str) -> Open {
    match lack {
        Lack::Memory => Open::OutOfMemory,
        Lack::Work => Open::OutOfFuel(format!("the search for {searched}")),
    }
}

/// What is said of all mutants if the original alone is too much.
const ORIGINAL: &str = "making a formula of the function";

pub(crate) fn original_out_of(lack: Lack) -> Open {
    match lack {
        Lack::Memory => Open::OutOfMemory,
        Lack::Work => Open::OutOfFuel(ORIGINAL.to_string()),
    }
}

/// Whether there is no fuel for any mutant of the function.
pub(crate) fn is_original_too_hard(claim: &Claim) -> bool {
    matches!(claim, Claim::Open(Open::OutOfFuel(what)) if what == ORIGINAL)
}

/// What is said of mutants that are left alone.
pub(crate) fn left_alone(searched: &str, mutants: &[Mutant]) -> Vec<(Mutant, Claim)> {
    let open = Open::OutOfFuel(format!("for {IN_A_ROW} mutants before this one, the search for {searched}"));
    all_open(open, mutants)
}

pub(crate) fn all_open(open: Open, mutants: &[Mutant]) -> Vec<(Mutant, Claim)> {
    mutants.iter().map(|mutant| (*mutant, Claim::Open(open.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hard(mutants: &[Mutant]) -> Vec<(Mutant, Claim)> {
        left_alone("a sign", mutants)
    }

    #[test]
    fn only_mutants_in_a_row_take_hope_away() {
        let mutants: Vec<Mutant> = (1..=IN_A_ROW as u32).map(Mutant).collect();
        let mut row = Row::default();
        row.add(&mutants[1..], &hard(&mutants), is_too_hard);
        assert!(!row.is_long());
        row.add(&mutants[..1], &[(mutants[0], Claim::Duplicate(Mutant(9)))], is_too_hard);
        row.add(&mutants[1..], &hard(&mutants), is_too_hard);
        assert!(!row.is_long(), "one was settled in between");
        row.add(&mutants[..1], &[], is_too_hard);
        row.add(&mutants[..1], &hard(&mutants), is_too_hard);
        assert!(row.is_long());
    }

    #[test]
    fn the_first_round_is_a_small_part_of_the_second() {
        let fuel = Fuel(5_000);
        assert_eq!(Round::First.for_each(fuel), Fuel(500));
        assert_eq!(Round::Again.for_each(fuel), fuel);
        assert!(Round::First.altogether(fuel) < Round::Again.for_each(fuel));
    }
}
