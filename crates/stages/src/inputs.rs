//! Inputs worth trying, simplest first.
//!
//! Small numbers, the edges of each type, the constants that the program mentions and their
//! neighbours; all combinations of a few of these; then mixtures, with arguments that are equal or
//! next to each other more often than chance would have it, because programs compare their arguments.
//!
//! The sequence is the same on every run: the generator is seeded with a constant.

use std::collections::{BTreeSet, HashSet};

use bv::Word;
use ir::{Action, End, FunctionId, Input, Operand, Program};

/// Combinations of small values before the mixtures begin. Three arguments get seven values each.
const COMBINATIONS: usize = 400;

/// Any constant will do; this one is easy to recognise in a debugger.
const SEED: u64 = 0x5748_4554;

/// An endless sequence of inputs for a function, without repetition as far as that is possible.
pub fn sequence<'a>(program: &'a Program, function: FunctionId) -> impl Iterator<Item = Input> + use<'a> {
    let widths: Vec<u32> = program
        .function(function)
        .signature
        .parameters
        .iter()
        .map(|parameter| parameter.scalar.width)
        .collect();
    let constants = constants(program);
    let interesting: Vec<Vec<Word>> = widths.iter().map(|width| interesting(*width, &constants)).collect();
    let combined = combinations(&widths);
    let mut random = fastrand::Rng::with_seed(SEED);
    let mixed = std::iter::repeat_with(move || mixture(&mut random, &widths, &interesting));
    let mut seen: HashSet<Input> = HashSet::new();
    combined
        .into_iter()
        .chain(mixed)
        .scan(0usize, move |repeated, input| {
            // A function of one `_Bool` has two inputs; then the sequence has to come to an end.
            if seen.insert(input.clone()) {
                *repeated = 0;
                return Some(Some(input));
            }
            *repeated += 1;
            (*repeated < EXHAUSTED).then_some(None)
        })
        .flatten()
}

/// So many repetitions in a row mean that there is nothing new to come.
const EXHAUSTED: usize = 1_000;

/// Inputs to attack a proof with.
pub fn attacks(program: &Program, function: FunctionId, count: usize) -> Vec<Input> {
    sequence(program, function).take(count).collect()
}

/// All vectors over a few small values, ordered so that the simplest come first.
fn combinations(widths: &[u32]) -> Vec<Input> {
    const SMALL: [i128; 11] = [0, 1, 2, -1, 3, 4, 5, -2, 6, 7, -3];
    if widths.is_empty() {
        return vec![Input { arguments: vec![] }];
    }
    let values = (1..=SMALL.len())
        .rev()
        .find(|values| values.checked_pow(widths.len() as u32).is_some_and(|all| all <= COMBINATIONS))
        .unwrap_or(1);
    let total = values.pow(widths.len() as u32);
    let vector = |number: usize| {
        let mut rest = number;
        let digits: Vec<usize> = widths
            .iter()
            .map(|_| {
                let digit = rest % values;
                rest /= values;
                digit
            })
            .collect();
        digits
    };
    let mut vectors: Vec<Vec<usize>> = (0..total).map(vector).collect();
    vectors
        .sort_by_key(|digits| (digits.iter().max().copied(), digits.iter().sum::<usize>(), digits.clone()));
    let words = |digits: Vec<usize>| {
        digits.iter().zip(widths).map(|(digit, width)| Word::from_signed(*width, SMALL[*digit])).collect()
    };
    let mut seen = HashSet::new();
    vectors
        .into_iter()
        .map(|digits| Input { arguments: words(digits) })
        .filter(|input| seen.insert(input.clone()))
        .collect()
}

/// A vector whose words are interesting, near one another, small, or anything.
fn mixture(random: &mut fastrand::Rng, widths: &[u32], interesting: &[Vec<Word>]) -> Input {
    let mut arguments: Vec<Word> = Vec::with_capacity(widths.len());
    // Most tests of a program have numbers of one size.
    let reach = [4, 10, 100, 1000, 100_000][random.usize(..5)];
    for (at, width) in widths.iter().enumerate() {
        let word = match random.u32(..16) {
            0..=3 => interesting[at][random.usize(..interesting[at].len())],
            4..=6 if at > 0 => {
                let near = arguments[random.usize(..at)].signed().wrapping_add(random.i128(-1..=1));
                Word::from_signed(*width, near)
            }
            7 if at > 1 => {
                let sum = arguments[random.usize(..at)]
                    .signed()
                    .wrapping_add(arguments[random.usize(..at)].signed());
                Word::from_signed(*width, sum.wrapping_add(random.i128(-1..=1)))
            }
            15 => Word::new(*width, random.u128(..)),
            14 => Word::from_signed(*width, random.i128(-reach..=reach)),
            _ => Word::from_signed(*width, random.i128(0..=reach)),
        };
        arguments.push(word);
    }
    Input { arguments }
}

fn interesting(width: u32, constants: &BTreeSet<i128>) -> Vec<Word> {
    let edges = [
        Word::signed_min(width),
        Word::signed_max(width),
        Word::ones(width),
        Word::from_signed(width, Word::signed_min(width).signed().wrapping_add(1)),
        Word::from_signed(width, Word::signed_max(width).signed() - 1),
        Word::new(width, Word::signed_max(width.div_ceil(2)).bits()),
        Word::new(width, Word::ones(width.div_ceil(2)).bits()),
    ];
    let near_constants = constants
        .iter()
        .flat_map(|constant| [-1, 0, 1].map(|near| Word::from_signed(width, constant.wrapping_add(near))));
    let small = (-3..=8).map(|value| Word::from_signed(width, value));
    let words: BTreeSet<Word> = small.chain(near_constants).chain(edges).collect();
    words.into_iter().collect()
}

/// The constants that the program computes with, as signed numbers.
fn constants(program: &Program) -> BTreeSet<i128> {
    let in_sites = program.sites.iter().flat_map(|site| {
        let within = site.original.instructions.iter().flat_map(|instruction| instruction.arguments.clone());
        within.chain([site.original.result])
    });
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let in_blocks = blocks.clone().flat_map(|block| {
        let in_actions =
            block.instructions.iter().flat_map(|instruction| arguments(&instruction.action).to_vec());
        let on_edges = block.end.edges().into_iter().flat_map(|edge| edge.arguments.clone());
        let returned = if let End::Return(operand) = &block.end { *operand } else { None };
        in_actions.chain(on_edges).chain(returned)
    });
    let operands = in_sites.chain(in_blocks).filter_map(|operand| match operand {
        Operand::Constant(word) if word.width() > 1 => Some(word),
        _ => None,
    });
    let cases = blocks.flat_map(|block| match &block.end {
        End::Switch { cases, .. } => cases.iter().map(|(word, _)| *word).collect(),
        _ => vec![],
    });
    operands.chain(cases).map(Word::signed).collect()
}

fn arguments(action: &Action) -> &[Operand] {
    match action {
        Action::Apply { arguments, .. } | Action::Site { arguments, .. } | Action::Call { arguments, .. } => {
            arguments
        }
        Action::Unsupported(_) => &[],
    }
}
