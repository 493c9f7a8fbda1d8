//! Plain values, by rank: zero before one, the empty string before a letter.

use bv::{Word, float};

use crate::inputs::draft::{Length, Nesting, Results, Taste, Use};

const INTEGERS: [i128; Plain::RANKS] = [0, 1, 2, -1, 3, 4, 5, -2, 6, 7, -3];
const FLOATS: [f64; Plain::RANKS] =
    [0.0, 1.0, -1.0, 0.5, 2.0, -0.0, f64::NAN, f64::INFINITY, -2.0, f64::NEG_INFINITY, 1.5];
const TEXTS: [&str; Plain::RANKS] = ["", "a", "0", "ab", "b", " ", "-1", "aa", "ba", "12", "a b"];
const LENGTHS: [u32; Plain::RANKS] = [1, 1, 1, 2, 2, 3, 2, 3, 4, 1, 4];

/// Each place has a rank.
pub(super) struct Plain {
    ranks: Vec<usize>,
    rank: usize,
    /// The place where pointers are null.
    null: Option<usize>,
    is_null: bool,
    /// Pointers that may share an object do.
    share: bool,
}

impl Plain {
    pub(super) const RANKS: usize = 11;

    pub(super) fn new(ranks: Vec<usize>) -> Plain {
        Plain { ranks, rank: 0, null: None, is_null: false, share: false }
    }

    /// The simplest, with null in one place.
    pub(super) fn with_null(places: usize, null: usize) -> Plain {
        Plain { null: Some(null), ..Plain::new(vec![0; places]) }
    }

    pub(super) fn shared(ranks: Vec<usize>) -> Plain {
        Plain { share: true, ..Plain::new(ranks) }
    }
}

impl Taste for Plain {
    fn turn_to(&mut self, place: usize) {
        self.rank = self.ranks[place];
        self.is_null = self.null == Some(place);
    }

    fn argument(&mut self, width: u32, _: &[Length]) -> Word {
        Word::from_signed(width, INTEGERS[self.rank])
    }

    fn field(&mut self, width: u32, _: &[Length]) -> Word {
        Word::from_signed(width, INTEGERS[self.rank])
    }

    fn integers(&mut self, width: u32, count: usize) -> Vec<Word> {
        let value = |at: usize| match self.rank {
            0 => 0,
            1 => 1,
            // Rising, falling, and from zero on.
            3 | 8 => at as i128 + 1,
            4 | 7 => (count - at) as i128,
            5 => at as i128,
            // Twice the same.
            6 => 1,
            rank => INTEGERS[rank],
        };
        (0..count).map(|at| Word::from_signed(width, value(at))).collect()
    }

    fn float(&mut self, width: u32) -> Word {
        float::word(width, FLOATS[self.rank])
    }

    fn text(&mut self, most: usize, use_of: Use) -> Option<Vec<u8>> {
        if use_of == Use::Bytes {
            return None;
        }
        // A function that writes needs a place to write to: the same texts, with all the room there is.
        let (text, roomy) = match (use_of, self.rank) {
            (Use::Buffer, 3..=5) => (TEXTS[self.rank - 3], true),
            (Use::Buffer, 6..) => (TEXTS[self.rank - 3], false),
            (_, rank) => (TEXTS[rank], false),
        };
        let mut text: Vec<u8> = text.bytes().take(most - 1).chain([0]).collect();
        if roomy {
            text.resize(most, 0);
        }
        Some(text)
    }

    fn is_null(&mut self, nesting: Nesting) -> bool {
        match nesting {
            Nesting::Outer => self.is_null,
            Nesting::Inner => false,
            // The shortest list has one node.
            Nesting::Node => self.rank.is_multiple_of(2),
        }
    }

    fn length(&mut self, most: u32, record: bool) -> u32 {
        if record { 1 } else { LENGTHS[self.rank].min(most) }
    }

    fn function(&mut self, candidates: usize) -> Option<usize> {
        (candidates > 0 && !self.is_null).then(|| self.rank % candidates)
    }

    fn shares(&mut self, elements: usize) -> Option<usize> {
        // The same element first, then one further on.
        self.share.then_some((self.rank / 2).min(elements))
    }

    fn swaps(&mut self) -> bool {
        self.rank % 2 == 1
    }

    fn results(&mut self) -> Results {
        Results { count: self.rank.min(2), end: false }
    }
}
