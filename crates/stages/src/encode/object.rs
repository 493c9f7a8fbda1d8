//! One object of memory as terms: tiles, each a word with a place.
//!
//! Programs read back what they wrote, at the same place and width, so a tile keeps the word whole; only
//! where an access cuts through tiles are they taken apart into bytes. What no tile covers is as it was when the
//! object was made: the bytes of a global's initial value, or nothing assigned.

use std::collections::BTreeMap;
use std::rc::Rc;

use bv::{Domain, Op, Term, Terms, Word};
use ir::rules::Facts;
use ir::step::{Value, trimmed};

use super::expanse::Expanse;

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Global,
    Input,
    /// It takes a struct by value, and no pointer of the caller's leads to it.
    Hidden,
    Local,
    Heap,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    pub constant: bool,
    pub alive: Term,
    /// In bytes, a word of 32 bits.
    pub size: Term,
    /// The most bytes that it can have.
    pub capacity: u32,
    /// The bytes at the start; empty if nothing is assigned.
    pub start: Rc<Vec<u8>>,
    /// By offset. They do not overlap, and each is a whole number of bytes.
    tiles: BTreeMap<u32, Value<Term>>,
    /// In place of tiles, if it may have any size.
    pub expanse: Option<Expanse>,
}

impl Object {
    /// What the rules ask about it.
    pub fn facts(&self) -> Facts<Term> {
        // What the caller gave is on the heap, too.
        let on_heap = matches!(self.origin, Origin::Heap | Origin::Input);
        Facts { alive: self.alive, size: self.size, constant: self.constant, on_heap }
    }

    /// An object in which nothing is assigned.
    pub fn new(origin: Origin, alive: Term, size: Term, capacity: u32) -> Object {
        let start = Rc::new(vec![]);
        let tiles = BTreeMap::new();
        Object { origin, constant: false, alive, size, capacity, start, tiles, expanse: None }
    }

    /// An object of any size.
    pub fn vast(origin: Origin, alive: Term, size: Term, expanse: Expanse) -> Object {
        Object { expanse: Some(expanse), ..Object::new(origin, alive, size, u32::MAX) }
    }

    pub fn filled(origin: Origin, alive: Term, size: Term, bytes: Rc<Vec<u8>>) -> Object {
        Object { capacity: bytes.len() as u32, start: bytes, ..Object::new(origin, alive, size, 0) }
    }

    /// The word of so many bytes at an offset, which lies within the capacity.
    pub fn read(&self, terms: &mut Terms, at: u32, bytes: u32) -> Value<Term> {
        if let Some(tile) = self.tiles.get(&at)
            && width(terms, tile) == 8 * bytes
        {
            return *tile;
        }
        let mut pieces: Vec<Value<Term>> = Vec::new();
        let mut next = at;
        while next < at + bytes {
            let (piece, length) = self.piece(terms, next, at + bytes);
            pieces.push(piece);
            next += length;
        }
        join(terms, &pieces)
    }

    /// What lies at a place, as far as one tile or the start reaches, up to an end; and how many bytes that is.
    fn piece(&self, terms: &mut Terms, at: u32, end: u32) -> (Value<Term>, u32) {
        if let Some((start, tile)) = self.tiles.range(..=at).next_back() {
            let tile_end = start + width(terms, tile) / 8;
            if at < tile_end {
                let length = tile_end.min(end) - at;
                return (slice(terms, tile, 8 * (at - start), 8 * length), length);
            }
        }
        let next = self.tiles.range(at..).next().map_or(end, |(start, _)| (*start).min(end));
        // A word has at most 128 bits.
        let length = (next - at).min(16);
        (self.at_start(terms, at, length), length)
    }

    fn at_start(&self, terms: &mut Terms, at: u32, bytes: u32) -> Value<Term> {
        if self.start.is_empty() {
            let zero = terms.constant(Word::zero(8 * bytes));
            return Value { word: zero, undefined: Some(terms.constant(Word::ones(8 * bytes))) };
        }
        let range = &self.start[at as usize..(at + bytes) as usize];
        let bits = range.iter().rev().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
        Value::of(terms.constant(Word::new(8 * bytes, bits)))
    }

    /// Puts a word, a whole number of bytes wide, at an offset.
    pub fn write(&mut self, terms: &mut Terms, at: u32, value: Value<Term>) {
        let bytes = width(terms, &value) / 8;
        self.clear(terms, at, at + bytes);
        self.tiles.insert(at, value);
    }

    /// Takes away the tiles within a range, and what sticks out of it stays.
    fn clear(&mut self, terms: &mut Terms, start: u32, end: u32) {
        let before = self.tiles.range(..start).next_back().map(|(at, tile)| (*at, *tile));
        if let Some((at, tile)) = before {
            let tile_end = at + width(terms, &tile) / 8;
            if tile_end > start {
                let head = slice(terms, &tile, 0, 8 * (start - at));
                self.tiles.insert(at, head);
                if tile_end > end {
                    let tail = slice(terms, &tile, 8 * (end - at), 8 * (tile_end - end));
                    self.tiles.insert(end, tail);
                }
            }
        }
        let within: Vec<(u32, Value<Term>)> =
            self.tiles.range(start..end).map(|(at, tile)| (*at, *tile)).collect();
        for (at, tile) in within {
            self.tiles.remove(&at);
            let tile_end = at + width(terms, &tile) / 8;
            if tile_end > end {
                let tail = slice(terms, &tile, 8 * (end - at), 8 * (tile_end - end));
                self.tiles.insert(end, tail);
            }
        }
    }

    /// The places and lengths of all tiles, of this one and another of the same object, such that both can be read there.
    pub fn seams(&self, terms: &Terms, other: &Object) -> Vec<(u32, u32)> {
        let mut seams: Vec<u32> = Vec::new();
        for (at, tile) in self.tiles.iter().chain(&other.tiles) {
            seams.extend([*at, at + width(terms, tile) / 8]);
        }
        seams.sort_unstable();
        seams.dedup();
        let covered = |at: u32| self.covers(terms, at) || other.covers(terms, at);
        seams.windows(2).filter(|pair| covered(pair[0])).map(|pair| (pair[0], pair[1] - pair[0])).collect()
    }

    fn covers(&self, terms: &Terms, at: u32) -> bool {
        let tile = self.tiles.range(..=at).next_back();
        tile.is_some_and(|(start, tile)| at < start + width(terms, tile) / 8)
    }

    /// What was written, by offset.
    pub fn tiles(&self) -> impl Iterator<Item = (u32, &Value<Term>)> {
        self.tiles.iter().map(|(at, tile)| (*at, tile))
    }

    /// Whether nobody has written to it since it was made.
    pub fn is_untouched(&self) -> bool {
        self.tiles.is_empty()
    }

    pub fn forget(&mut self) {
        self.tiles.clear();
        self.start = Rc::new(vec![]);
    }
}

fn width(terms: &Terms, value: &Value<Term>) -> u32 {
    terms.width(&value.word)
}

/// Some bits of a value.
pub fn slice(terms: &mut Terms, value: &Value<Term>, low: u32, bits: u32) -> Value<Term> {
    if low == 0 && bits == width(terms, value) {
        return *value;
    }
    let op = Op::Extract { hi: low + bits - 1, lo: low };
    let word = terms.apply(op, &[value.word]);
    let undefined = value.undefined.map(|mask| terms.apply(op, &[mask]));
    trimmed(terms, Value { word, undefined })
}

/// Values next to each other, the lowest first, as one.
pub fn join(terms: &mut Terms, pieces: &[Value<Term>]) -> Value<Term> {
    let (mut joined, rest) = (pieces[0], &pieces[1..]);
    for piece in rest {
        let undefined = match (joined.undefined, piece.undefined) {
            (None, None) => None,
            (low, high) => {
                let low = low.unwrap_or_else(|| zero(terms, joined.word));
                let high = high.unwrap_or_else(|| zero(terms, piece.word));
                Some(terms.concat(high, low))
            }
        };
        joined = Value { word: terms.concat(piece.word, joined.word), undefined };
    }
    joined
}

fn zero(terms: &mut Terms, like: Term) -> Term {
    let width = terms.width(&like);
    terms.constant(Word::zero(width))
}
