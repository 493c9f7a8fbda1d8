//! Making a witness small: the values a person would have chosen.

use bv::Word;
use ir::{FunctionId, Input, Mutant, Program};

use crate::{Limits, kills_all};

/// How many replays one witness may cost. A scalar takes about ten to reach its least value.
const REPLAYS: usize = 200;

/// How hard an input is to read: few digits and few signs first.
pub fn complexity(input: &Input) -> u64 {
    input.arguments.iter().map(|word| weight(*word)).sum()
}

/// An input that still kills all these mutants and is no harder to read.
pub fn shrink(
    program: &Program,
    subject: FunctionId,
    mutants: &[Mutant],
    input: &Input,
    limits: Limits,
) -> Input {
    let mut best = input.clone();
    let mut replays = 0;
    loop {
        let before = complexity(&best);
        for at in 0..best.arguments.len() {
            for candidate in simpler(best.arguments[at]) {
                if replays == REPLAYS {
                    return best;
                }
                replays += 1;
                let mut smaller = best.clone();
                smaller.arguments[at] = candidate;
                if kills_all(program, subject, &smaller, mutants, limits) {
                    best = smaller;
                    break;
                }
            }
        }
        if complexity(&best) == before {
            return best;
        }
    }
}

/// Zero weighs nothing, then by magnitude; a minus sign costs a little, and so does a long number.
fn weight(word: Word) -> u64 {
    let value = word.signed();
    let magnitude = value.unsigned_abs();
    let digits = u64::from(u128::BITS - magnitude.leading_zeros());
    2 * digits * digits + if value < 0 { 1 } else { 0 } + magnitude.min(16) as u64
}

/// Values to try in place of a word, simplest first, all of them simpler than the word.
fn simpler(word: Word) -> Vec<Word> {
    let value = word.signed();
    let half = value / 2;
    let candidates =
        [0, 1, 2, -1, 3, 4, 5, 10, -2, -value, half, value / 4 * 3, value - value.signum(), value / 10 * 10];
    let of_width = candidates.iter().map(|candidate| Word::from_signed(word.width(), *candidate));
    let mut simpler: Vec<Word> = of_width.filter(|candidate| weight(*candidate) < weight(word)).collect();
    simpler.sort_by_key(|candidate| weight(*candidate));
    simpler.dedup();
    simpler
}
