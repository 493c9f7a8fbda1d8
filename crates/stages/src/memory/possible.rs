//! What a term can be: a few constants, or at least multiples of a power of two.
//!
//! Nearly all offsets and object numbers are constants, or choices between constants where paths have joined,
//! or a free index times the size of an element. To know this spares the encoder all the places of memory
//! that an access cannot mean. Only powers of two are considered: modulo 2^n, a multiple of another number
//! can be anything.

use bv::{Domain, Node, Op, Term, Terms, Word};
use rustc_hash::FxHashMap;

/// What is known of a word of up to 64 bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Possible {
    /// One of these. Sorted.
    Few(Vec<u64>),
    /// A number that leaves this remainder when divided by the other, a power of two.
    Steps { by: u64, from: u64 },
}

/// More constants than this are no longer few.
const FEW: usize = 96;

impl Possible {
    fn anything() -> Possible {
        Possible::Steps { by: 1, from: 0 }
    }

    /// Whether it is a multiple of a power of two.
    pub(super) fn is_multiple_of(&self, unit: u64) -> bool {
        match self {
            Possible::Few(numbers) => numbers.iter().all(|number| number % unit == 0),
            Possible::Steps { by, from } => by % unit == 0 && from % unit == 0,
        }
    }

    /// A power of two, and the remainder of the number when divided by it.
    pub(crate) fn steps(&self) -> (u64, u64) {
        match self {
            Possible::Few(numbers) => {
                let first = numbers.first().copied().unwrap_or(0);
                let by = numbers.iter().fold(0, |by, number| by | (number - first));
                (lowest(by), first)
            }
            Possible::Steps { by, from } => (*by, *from),
        }
    }
}

/// What terms can be, remembered.
#[derive(Default)]
pub(crate) struct Possibilities {
    known: FxHashMap<Term, Possible>,
}

impl Possibilities {
    pub(crate) fn of(&mut self, terms: &Terms, term: Term) -> Possible {
        if let Some(possible) = self.known.get(&term) {
            return possible.clone();
        }
        // From the leaves upwards and without recursion, since a chain of choices may be long.
        let mut waiting = vec![term];
        while let Some(next) = waiting.last().copied() {
            if self.known.contains_key(&next) {
                waiting.pop();
                continue;
            }
            let missing: Vec<Term> =
                relevant(terms, next).into_iter().filter(|term| !self.known.contains_key(term)).collect();
            if missing.is_empty() {
                // Arithmetic wraps at the width of the word, so that nothing is known beyond it.
                let possible = within(self.compute(terms, next), terms.width(&next));
                self.known.insert(next, possible);
                waiting.pop();
            } else {
                waiting.extend(missing);
            }
        }
        self.known[&term].clone()
    }

    fn compute(&self, terms: &Terms, term: Term) -> Possible {
        let width = terms.width(&term);
        let of = |term: &Term| self.known[term].clone();
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        if width > 64 {
            return Possible::anything();
        }
        match terms.node(term) {
            Node::Constant(word) => Possible::Few(vec![word.bits() as u64]),
            Node::Variable(_) => Possible::anything(),
            Node::Apply(op, arguments) => match op {
                Op::Ite => join(of(&arguments[1]), of(&arguments[2])),
                Op::Add => arguments.iter().map(of).reduce(|a, b| sum(a, b, mask)).expect("a sum has terms"),
                Op::Mul => arguments.iter().map(of).reduce(|a, b| product(a, b, mask)).expect("as above"),
                Op::Shl => shifted(of(&arguments[0]), of(&arguments[1]), mask),
                Op::Concat => {
                    let low = terms.width(&arguments[1]);
                    concat(of(&arguments[0]), of(&arguments[1]), low)
                }
                Op::Zext(_) => within(of(&arguments[0]), terms.width(&arguments[0])),
                Op::Sext(to) => {
                    let from = terms.width(&arguments[0]);
                    let extend =
                        |bits: u64| Word::from_signed(*to, Word::new(from, bits.into()).signed()).bits();
                    match of(&arguments[0]) {
                        Possible::Few(numbers) => few(numbers.into_iter().map(|bits| extend(bits) as u64)),
                        other => within(other, from),
                    }
                }
                Op::Extract { hi, lo } => {
                    let (hi, lo) = (*hi, *lo);
                    let mask = if hi - lo >= 63 { u64::MAX } else { (1 << (hi - lo + 1)) - 1 };
                    match of(&arguments[0]) {
                        Possible::Few(numbers) => few(numbers.into_iter().map(|n| n >> lo & mask)),
                        steps if lo == 0 => within(steps, hi + 1),
                        _ => Possible::anything(),
                    }
                }
                _ => Possible::anything(),
            },
        }
    }
}

/// A number of 32 bits that is a multiple of a power of two.
pub(crate) fn multiple(terms: &mut Terms, name: &str, unit: u64) -> Term {
    let zeros = unit.trailing_zeros();
    let high = terms.variable(name, 32 - zeros);
    if zeros == 0 {
        return high;
    }
    let low = terms.constant(Word::zero(zeros));
    terms.concat(high, low)
}

/// The arguments that decide what a term can be.
fn relevant(terms: &Terms, term: Term) -> Vec<Term> {
    if terms.width(&term) > 64 {
        return vec![];
    }
    match terms.node(term) {
        Node::Apply(Op::Ite, arguments) => vec![arguments[1], arguments[2]],
        Node::Apply(Op::Add | Op::Mul | Op::Shl | Op::Concat | Op::Zext(_) | Op::Sext(_), arguments) => {
            arguments.to_vec()
        }
        Node::Apply(Op::Extract { .. }, arguments) => arguments.to_vec(),
        _ => vec![],
    }
}

fn few(numbers: impl Iterator<Item = u64>) -> Possible {
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    Possible::Few(numbers)
}

/// What is known of a word that has this many bits.
fn within(possible: Possible, width: u32) -> Possible {
    match possible {
        Possible::Steps { by, from } if width < 64 => steps(by.min(1 << width), from),
        other => other,
    }
}

fn join(a: Possible, b: Possible) -> Possible {
    if let (Possible::Few(a), Possible::Few(b)) = (&a, &b)
        && a.len() + b.len() <= FEW
    {
        return few(a.iter().chain(b).copied());
    }
    let ((by_a, from_a), (by_b, from_b)) = (a.steps(), b.steps());
    steps(by_a.min(by_b).min(lowest(from_a.abs_diff(from_b))), from_a)
}

fn sum(a: Possible, b: Possible, mask: u64) -> Possible {
    if let (Possible::Few(a), Possible::Few(b)) = (&a, &b)
        && a.len() * b.len() <= FEW
    {
        return few(a.iter().flat_map(|a| b.iter().map(move |b| a.wrapping_add(*b) & mask)));
    }
    let ((by_a, from_a), (by_b, from_b)) = (a.steps(), b.steps());
    steps(by_a.min(by_b), from_a.wrapping_add(from_b))
}

fn product(a: Possible, b: Possible, mask: u64) -> Possible {
    match (&a, &b) {
        (Possible::Few(a), Possible::Few(b)) if a.len() * b.len() <= FEW => {
            few(a.iter().flat_map(|a| b.iter().map(move |b| a.wrapping_mul(*b) & mask)))
        }
        (Possible::Few(factor), other) | (other, Possible::Few(factor)) if factor.len() == 1 => {
            let (by, from) = other.steps();
            steps(by.saturating_mul(lowest(factor[0])), from.wrapping_mul(factor[0]))
        }
        _ => Possible::anything(),
    }
}

fn shifted(value: Possible, amount: Possible, mask: u64) -> Possible {
    let Possible::Few(amounts) = &amount else { return Possible::anything() };
    let [amount] = amounts[..] else { return Possible::anything() };
    if amount >= 64 {
        return Possible::Few(vec![0]);
    }
    match value {
        Possible::Few(numbers) => few(numbers.into_iter().map(|number| number << amount & mask)),
        Possible::Steps { by, from } => steps(by.saturating_mul(1 << amount), from << amount),
    }
}

fn concat(high: Possible, low: Possible, width: u32) -> Possible {
    match (&high, &low) {
        (Possible::Few(high), Possible::Few(low)) if high.len() * low.len() <= FEW && width < 64 => {
            few(high.iter().flat_map(|high| low.iter().map(move |low| high << width | low)))
        }
        _ if width < 64 => {
            let (by, from) = low.steps();
            steps(by.min(1 << width), from)
        }
        _ => Possible::anything(),
    }
}

fn steps(by: u64, from: u64) -> Possible {
    // A product of powers of two may have left the range. A smaller power is always right.
    let by = if by.is_power_of_two() { by } else { 1 << 63 };
    Possible::Steps { by, from: from % by }
}

/// The largest power of two that divides a number; of zero, the largest there is.
fn lowest(number: u64) -> u64 {
    if number == 0 { 1 << 63 } else { number & number.wrapping_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Possible {
        fn contains(&self, number: u64) -> bool {
            match self {
                Possible::Few(numbers) => numbers.contains(&number),
                Possible::Steps { by, from } => number % by == *from,
            }
        }
    }

    #[test]
    fn nothing_is_known_beyond_the_width_of_a_word() {
        let mut terms = Terms::new();
        let x = terms.variable("x", 32);
        let twenty = terms.constant(Word::new(32, 20));
        let shifted = terms.apply(Op::Shl, &[x, twenty]);
        let sum = terms.add(shifted, Word::new(32, 4096));
        let zero = terms.apply(Op::Shl, &[sum, twenty]);
        assert_eq!(Possibilities::default().of(&terms, zero), Possible::Steps { by: 1 << 32, from: 0 });
    }

    #[test]
    fn a_term_is_what_it_can_be() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 {
            let mut terms = Terms::new();
            let width = *random.choice(&[1, 3, 8, 12, 32, 64]).expect("there are some");
            let variables = [terms.variable("x", width), terms.variable("y", width), terms.variable("c", 1)];
            let mut words = vec![variables[0], variables[1]];
            for _ in 0..random.usize(3..12) {
                let [a, b] = [0, 1].map(|_| match random.u32(..6) {
                    0 => terms.constant(Word::new(width, 1 << random.u32(..width))),
                    1 | 2 => terms.constant(Word::new(width, random.u128(..2 * u128::from(width)))),
                    _ => words[random.usize(..words.len())],
                });
                let cut = random.u32(..width);
                words.push(match random.u32(..6) {
                    0 => terms.add(a, b),
                    1 => terms.mul(a, b),
                    2 => terms.apply(Op::Shl, &[a, b]),
                    3 => terms.ite(variables[2], a, b),
                    4 => {
                        let low = terms.extract(a, cut, 0);
                        if random.bool() { terms.sext(low, width) } else { terms.zext(low, width) }
                    }
                    _ if cut > 0 => {
                        let (high, low) = (terms.extract(a, width - 1, cut), terms.extract(b, cut - 1, 0));
                        terms.concat(high, low)
                    }
                    _ => a,
                });
            }
            let mut possibilities = Possibilities::default();
            for _ in 0..8 {
                let inputs = [
                    Word::new(width, random.u128(..)),
                    Word::new(width, random.u128(..4)),
                    Word::truth(random.bool()),
                ];
                for word in &words {
                    let (possible, value) = (possibilities.of(&terms, *word), terms.eval(*word, &inputs));
                    assert!(possible.contains(value.bits() as u64), "{value:?} is none of {possible:?}");
                }
            }
        }
    }
}
