//! Inputs worth trying, simplest first.
//!
//! First come plain ones: small numbers, one element, the empty string, a letter, and all combinations of a
//! few of these. Then come mixtures of what the program mentions, the edges of each type, and anything.
//! Programs compare what they are given. So values are equal or next to each other more often than by chance,
//! sizes fit, and texts begin alike. A pointer is null once early on and then rarely: most programs never
//! look.
//!
//! A pointer leads to the first element of an object of its own, unless the space says that two may share
//! one.
//!
//! A long function mentions more numbers than a mixture comes to. So there is a second sequence, for what the
//! first has missed: every number that is mentioned, and its neighbours, in every place.
//!
//! Both sequences are the same on every run: the generator is seeded with a constant.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use bv::Word;
use ir::{FunctionId, Input, Program, Space, Type};

use crate::inputs::draft::draft;
pub(crate) use crate::inputs::mentions::Mentions;
use crate::inputs::mixed::{Focus, Mixed};
use crate::inputs::plain::Plain;

mod draft;
mod mentions;
mod mixed;
mod plain;
mod reals;
mod text;

/// Combinations of plain values before the mixtures begin. Three numbers get seven values each.
const COMBINATIONS: usize = 400;

/// With memory there is more to vary within each value, so the mixtures begin earlier.
const COMBINATIONS_WITH_MEMORY: usize = 100;

/// Any constant will do; this one is easy to recognise in a debugger.
const SEED: u64 = 0x5748_4554;

/// The integers that a function computes with, those near zero first.
pub(crate) fn integers(program: &Program, function: FunctionId) -> Vec<i128> {
    let mut integers = Mentions::of(program, function).integers;
    integers.sort_by_key(|integer| integer.unsigned_abs());
    integers
}

/// An endless sequence of inputs for a function, without repetition as far as that is possible.
pub(crate) fn sequence<'a>(
    program: &'a Program,
    function: FunctionId,
    space: &'a Space,
) -> impl Iterator<Item = Input> + use<'a> {
    let mentions = Mentions::of(program, function);
    let externals = mentions.externals;
    let plain = plain_tastes(program, function, space, externals.len());
    let counted = counted(program, function, space, externals.len());
    let plain = plain.into_iter().map(move |taste| draft(program, function, space, &externals, taste).0);
    let plain = plain.chain(counted);
    let mixed = mixtures(program, function, space, SEED);
    // Inputs can be large, and nothing is lost if two are mistaken for one.
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let mut seen: HashSet<u64> = HashSet::new();
    plain
        .chain(mixed)
        .scan(0usize, move |repeated, input| {
            // A function of one `_Bool` has two inputs; then the sequence has to come to an end.
            if seen.insert(hasher.hash_one(&input)) {
                *repeated = 0;
                return Some(Some(input));
            }
            *repeated += 1;
            (*repeated < EXHAUSTED).then_some(None)
        })
        .flatten()
}

/// Mixtures only, and others for each seed. They show what the sequence above may miss.
pub fn mixtures<'a>(
    program: &'a Program,
    function: FunctionId,
    space: &'a Space,
    seed: u64,
) -> impl Iterator<Item = Input> + use<'a> {
    let mentions = Mentions::of(program, function);
    let mut random = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(move || mixture(program, function, space, &mentions, &mut random))
}

/// One of them.
pub(crate) fn mixture(
    program: &Program,
    function: FunctionId,
    space: &Space,
    mentions: &Mentions,
    random: &mut fastrand::Rng,
) -> Input {
    let taste = Mixed::new(mentions, random.clone());
    let (input, taste) = draft(program, function, space, &mentions.externals, taste);
    *random = taste.into_random();
    input
}

/// Mixtures in which each number that the program mentions, and each beside one, stands once in each place. A
/// function that compares its argument with forty numbers has forty edges, and no other input shows what
/// happens there.
pub(crate) fn edges<'a>(
    program: &'a Program,
    function: FunctionId,
    space: &'a Space,
) -> impl Iterator<Item = Input> + use<'a> {
    let mentions = Mentions::of(program, function);
    let near = |integer: &i128| [-1, 0, 1].map(|off| integer.wrapping_add(off));
    let values: BTreeSet<i128> = mentions.integers.iter().flat_map(near).collect();
    let parameters = &program.function(function).signature.parameters;
    let places = parameters.len() + space.globals.len() + mentions.externals.len();
    let focuses =
        values.into_iter().flat_map(move |value| (0..places).map(move |place| Focus { place, value }));
    let mut random = fastrand::Rng::with_seed(SEED);
    focuses.map(move |focus| {
        let taste = Mixed::focused(&mentions, random.clone(), focus);
        let (input, taste) = draft(program, function, space, &mentions.externals, taste);
        random = taste.into_random();
        input
    })
}

/// So many repetitions in a row mean that there is nothing new to come.
const EXHAUSTED: usize = 1_000;

/// The first numbers, for a function of one number and nothing else. Its loops count to the number, or take
/// it apart, and each number is like no other.
fn counted(
    program: &Program,
    function: FunctionId,
    space: &Space,
    externals: usize,
) -> impl Iterator<Item = Input> + use<> {
    let width = match program.function(function).signature.parameters.as_slice() {
        [only] if space.globals.is_empty() && externals == 0 => match program.of(only.of) {
            Type::Integer(scalar) if scalar.width >= 16 => Some(scalar.width),
            _ => None,
        },
        _ => None,
    };
    let counted = width.into_iter().flat_map(|width| COUNTED.map(move |number| (width, number)));
    counted.map(|(width, number)| Input::words([Word::from_signed(width, number)]))
}

/// Among so many numbers are all that a small program tells apart.
const COUNTED: std::ops::Range<i128> = 0..64;

/// Inputs to attack a proof with.
pub fn attacks(program: &Program, function: FunctionId, space: &Space, count: usize) -> Vec<Input> {
    sequence(program, function, space).take(count).collect()
}

/// Which plain values to combine, the simplest combinations first.
fn plain_tastes(program: &Program, function: FunctionId, space: &Space, externals: usize) -> Vec<Plain> {
    let parameters = &program.function(function).signature.parameters;
    let places = parameters.len() + space.globals.len() + externals;
    let memory = parameters.iter().any(|parameter| program.has_pointers(parameter.of));
    let most = if memory { COMBINATIONS_WITH_MEMORY } else { COMBINATIONS };
    let mut tastes = vec![Plain::new(vec![0; places])];
    for (at, parameter) in parameters.iter().enumerate() {
        if matches!(program.of(parameter.of), Type::Pointer(_)) {
            tastes.push(Plain::with_null(places, at));
        }
    }
    if !space.may_alias.is_empty() {
        tastes.extend((0..Plain::RANKS).map(|rank| Plain::shared(vec![rank; places])));
    }
    tastes.extend(combinations(places, most).into_iter().map(Plain::new));
    tastes
}

/// All vectors over a few ranks, at most so many, ordered so that the simplest come first.
fn combinations(places: usize, most: usize) -> Vec<Vec<usize>> {
    let fits = |ranks: &usize| ranks.checked_pow(places as u32).is_some_and(|all| all <= most);
    let ranks = (1..=Plain::RANKS).rev().find(fits).unwrap_or(1);
    let vector = |number: usize| -> Vec<usize> {
        let rests = std::iter::successors(Some(number), |rest| Some(rest / ranks));
        rests.map(|rest| rest % ranks).take(places).collect()
    };
    let mut vectors: Vec<Vec<usize>> = (0..ranks.pow(places as u32)).map(vector).collect();
    vectors
        .sort_by_key(|digits| (digits.iter().max().copied(), digits.iter().sum::<usize>(), digits.clone()));
    vectors
}

#[cfg(test)]
mod tests;
