//! Mixtures: values that are interesting, near one another, small, or anything.
//!
//! While an input is made, its values so far are remembered. Programs look for values that come again: an
//! element to search, a size that fits, a text that begins like another.

use bv::{Word, float};
use fastrand::Rng;

use crate::inputs::draft::{Length, Nesting, Results, Taste, Use};
use crate::inputs::mentions::Mentions;
use crate::inputs::{reals, text};

/// One of so many pointers is null: of arguments, of pointers in memory, and of those that may end a list.
const NULL_OUTER: u32 = 32;
const NULL_INNER: u32 = 8;
const NULL_NODE: u32 = 2;

/// Of so many texts one has no end.
const UNTERMINATED: u32 = 20;

/// A number that is to stand in a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Focus {
    pub(super) place: usize,
    pub(super) value: i128,
}

pub(super) struct Mixed<'a> {
    random: Rng,
    focus: Option<Focus>,
    /// A number that the place at hand has yet to take.
    due: Option<i128>,
    mentions: &'a Mentions,
    /// The largest number of most. In most tests of a program, numbers are of one size.
    reach: i128,
    alphabet: Vec<u8>,
    integers: Vec<i128>,
    reals: Vec<f64>,
    vectors: Vec<Vec<Word>>,
    texts: Vec<Vec<u8>>,
    length: Option<u32>,
}

impl<'a> Mixed<'a> {
    pub(super) fn new(mentions: &'a Mentions, mut random: Rng) -> Mixed<'a> {
        let reach = [4, 10, 100, 1000, 100_000][random.usize(..5)];
        let alphabet = text::alphabet(&mut random, mentions);
        Mixed {
            random,
            focus: None,
            due: None,
            mentions,
            reach,
            alphabet,
            integers: vec![],
            reals: vec![],
            vectors: vec![],
            texts: vec![],
            length: None,
        }
    }

    pub(super) fn focused(mentions: &'a Mentions, random: Rng, focus: Focus) -> Mixed<'a> {
        Mixed { focus: Some(focus), ..Mixed::new(mentions, random) }
    }

    /// The generator, for the next input.
    pub(super) fn into_random(self) -> Rng {
        self.random
    }

    fn one_in(&mut self, many: u32) -> bool {
        self.random.u32(..many) == 0
    }

    fn earlier_integer(&mut self) -> i128 {
        self.integers[self.random.usize(..self.integers.len())]
    }

    /// A number that may say how long something is, or point into it.
    fn size(&mut self, around: &[Length]) -> i128 {
        // The nearest is the most likely; of two arrays, both have a chance.
        let chosen = self.random.usize(..3 * around.len());
        let length = i128::from(around.get(chosen).unwrap_or(&around[0]).count);
        match self.random.u32(..8) {
            0 => length - 1,
            1 => length + 1,
            2 | 3 => self.random.i128(0..=length),
            _ => length,
        }
    }

    /// A small number, an edge of the type, or a neighbour of what the program mentions.
    fn interesting(&mut self, width: u32) -> Word {
        let edges = [
            Word::signed_min(width),
            Word::signed_max(width),
            Word::ones(width),
            Word::from_signed(width, Word::signed_min(width).signed().wrapping_add(1)),
            Word::from_signed(width, Word::signed_max(width).signed() - 1),
            Word::new(width, Word::signed_max(width.div_ceil(2)).bits()),
            Word::new(width, Word::ones(width.div_ceil(2)).bits()),
        ];
        const SMALL: std::ops::RangeInclusive<i128> = -3..=8;
        let mentioned = &self.mentions.integers;
        let smalls = SMALL.count();
        match self.random.usize(..edges.len() + smalls + 3 * mentioned.len()) {
            at if at < edges.len() => edges[at],
            at if at < edges.len() + smalls => Word::from_signed(width, self.random.i128(SMALL)),
            _ => {
                let near = mentioned[self.random.usize(..mentioned.len())];
                Word::from_signed(width, near.wrapping_add(self.random.i128(-1..=1)))
            }
        }
    }

    /// An integer that stands for itself.
    fn lone_integer(&mut self, width: u32) -> Word {
        // An array is there to be searched.
        let near = if self.vectors.is_empty() && self.texts.is_empty() { 4..=6 } else { 4..=9 };
        let value = match self.random.u32(..16) {
            0..=3 => return self.interesting(width),
            roll if near.contains(&roll) && !self.integers.is_empty() => {
                let off = [0, 0, 0, 1, -1][self.random.usize(..5)];
                self.earlier_integer().wrapping_add(off)
            }
            7 if self.integers.len() > 1 => {
                let sum = self.earlier_integer().wrapping_add(self.earlier_integer());
                sum.wrapping_add(self.random.i128(-1..=1))
            }
            15 => self.random.i128(..),
            14 => self.random.i128(-self.reach..=self.reach),
            _ => self.random.i128(0..=self.reach),
        };
        Word::from_signed(width, value)
    }

    /// The elements of an array that is like an earlier one.
    fn varied(&mut self, width: u32, count: usize) -> Option<Vec<Word>> {
        let alike: Vec<&Vec<Word>> = self
            .vectors
            .iter()
            .filter(|vector| vector.len() >= count && vector[0].width() == width)
            .collect();
        let mut vector = alike.get(self.random.usize(..alike.len().max(1)))?[..count].to_vec();
        if self.random.bool() {
            let at = [0, count - 1, self.random.usize(..count)][self.random.usize(..3)];
            vector[at] = self.lone_integer(width);
        }
        Some(vector)
    }
}

impl Taste for Mixed<'_> {
    fn turn_to(&mut self, place: usize) {
        self.due = self.focus.filter(|focus| focus.place == place).map(|focus| focus.value);
    }

    fn argument(&mut self, width: u32, around: &[Length]) -> Word {
        let word = match (self.random.u32(..16), around.first()) {
            _ if self.due.is_some() => Word::from_signed(width, self.due.take().unwrap_or_default()),
            (0..=10, Some(Length { distance: 1, .. })) | (0..=3, Some(_)) => {
                Word::from_signed(width, self.size(around))
            }
            _ => self.lone_integer(width),
        };
        self.integers.push(word.signed());
        word
    }

    /// Beside an array, most likely a position in it, or how much of it is in use.
    fn field(&mut self, width: u32, around: &[Length]) -> Word {
        // Another field may have it.
        let due = if self.due.is_some() && self.random.bool() { self.due.take() } else { None };
        let word = match (self.random.u32(..16), around.first()) {
            _ if due.is_some() => Word::from_signed(width, due.unwrap_or_default()),
            (0..=8, Some(nearest)) => {
                Word::from_signed(width, self.random.i128(0..=i128::from(nearest.count)))
            }
            (9..=13, Some(_)) => Word::from_signed(width, self.size(around)),
            _ => self.lone_integer(width),
        };
        self.integers.push(word.signed());
        word
    }

    fn integers(&mut self, width: u32, count: usize) -> Vec<Word> {
        if count == 0 {
            return vec![];
        }
        let pattern = self.random.u32(..16);
        let similar = if pattern < 4 { self.varied(width, count) } else { None };
        let few = self.random.i128(1..=4);
        let mut vector: Vec<Word> = similar.unwrap_or_else(|| match pattern {
            4 => vec![self.lone_integer(width); count],
            5 => vec![Word::zero(width); count],
            6..=7 => (0..count).map(|_| self.lone_integer(width)).collect(),
            8..=10 => {
                let mut vector: Vec<i128> = (0..count).map(|_| self.random.i128(-few..=3 * few)).collect();
                vector.sort();
                if pattern == 8 {
                    vector.reverse();
                }
                vector.into_iter().map(|value| Word::from_signed(width, value)).collect()
            }
            _ => (0..count).map(|_| Word::from_signed(width, self.random.i128(0..=few))).collect(),
        });
        if let Some(due) = self.due.take() {
            vector[self.random.usize(..count)] = Word::from_signed(width, due);
        }
        self.integers.extend(vector.iter().map(|word| word.signed()));
        self.vectors.push(vector.clone());
        vector
    }

    fn float(&mut self, width: u32) -> Word {
        let real = reals::real(&mut self.random, &self.mentions.reals, &self.reals);
        self.reals.push(real);
        float::word(width, real)
    }

    fn text(&mut self, most: usize, use_of: Use) -> Option<Vec<u8>> {
        if use_of == Use::Bytes && !self.one_in(3) {
            return None;
        }
        let terminated = !self.one_in(UNTERMINATED);
        let room = if terminated { most - 1 } else { most };
        let mut text = text::text(&mut self.random, &self.alphabet, self.mentions, &self.texts, room);
        self.texts.push(text.clone());
        self.integers.extend(text.iter().map(|byte| i128::from(*byte as i8)));
        if terminated || text.is_empty() {
            text.push(0);
        }
        let roomy = match use_of {
            Use::Buffer => self.random.bool(),
            Use::Text | Use::Bytes => self.one_in(8),
        };
        if roomy && terminated {
            let behind = if self.one_in(3) { self.alphabet[0] } else { 0 };
            let length = text.len().max(most.min(ROOM));
            text.resize(length, behind);
        }
        Some(text)
    }

    fn is_null(&mut self, nesting: Nesting) -> bool {
        self.one_in(match nesting {
            Nesting::Outer => NULL_OUTER,
            Nesting::Inner => NULL_INNER,
            Nesting::Node => NULL_NODE,
        })
    }

    fn length(&mut self, most: u32, record: bool) -> u32 {
        let length = match (self.random.u32(..16), self.length) {
            (0..=11, _) if record => 1,
            // Two arrays with one size.
            (0..=7, Some(length)) => length.min(most),
            (0..=9, _) => self.random.u32(1..=most.min(4)),
            (10..=14, _) => self.random.u32(1..=most.min(8)),
            _ => self.random.u32(1..=most),
        };
        if !record {
            self.length = Some(length);
        }
        length
    }

    fn function(&mut self, candidates: usize) -> Option<usize> {
        (candidates > 0 && !self.one_in(NULL_OUTER)).then(|| self.random.usize(..candidates))
    }

    fn shares(&mut self, elements: usize) -> Option<usize> {
        match self.random.u32(..6) {
            0 => Some(0),
            1 => Some(self.random.usize(..=elements)),
            2 => Some(elements),
            _ => None,
        }
    }

    fn swaps(&mut self) -> bool {
        self.random.bool()
    }

    fn results(&mut self) -> Results {
        Results { count: self.random.usize(..=4), end: self.random.bool() }
    }
}

/// As much room as a buffer gets behind its text.
const ROOM: usize = 16;
