//! One object of memory as terms: tiles, each a word with a place.
//!
//! Programs read back what they wrote, at the same place and width. So a tile keeps the word whole, and only
//! an access that cuts through tiles takes them apart. A byte that no tile covers is as it was when the
//! object was made: a byte of a global's initial value, or unassigned.

use std::collections::BTreeMap;
use std::rc::Rc;

use bv::{Domain, Term, Terms, Word};
use ir::rules::Facts;
use ir::step::Value;

use super::Expanse;
use super::value::{self, choose, join, slice};

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Global,
    Input,
    /// It takes a struct by value. No pointer of the caller leads to it.
    Hidden,
    Local,
    Heap,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) origin: Origin,
    pub(crate) constant: bool,
    pub(crate) alive: Term,
    /// In bytes, a word of 32 bits.
    pub(crate) size: Term,
    /// The most bytes that it can have.
    pub(crate) capacity: u32,
    /// The bytes at the start; empty if nothing is assigned.
    pub(crate) start: Rc<Vec<u8>>,
    /// By offset. They do not overlap, and each is a whole number of bytes.
    tiles: BTreeMap<u32, Value<Term>>,
    /// In place of tiles, if the object may have any size.
    pub(crate) expanse: Option<Expanse>,
}

impl Object {
    /// What the rules ask about an object.
    pub(crate) fn facts(&self) -> Facts<Term> {
        // Objects of the caller may be freed as well.
        let on_heap = matches!(self.origin, Origin::Heap | Origin::Input);
        Facts { alive: self.alive, size: self.size, constant: self.constant, on_heap }
    }

    /// An object in which nothing is assigned.
    pub(crate) fn new(origin: Origin, alive: Term, size: Term, capacity: u32) -> Object {
        let start = Rc::new(vec![]);
        let tiles = BTreeMap::new();
        Object { origin, constant: false, alive, size, capacity, start, tiles, expanse: None }
    }

    /// An object of any size.
    pub(crate) fn vast(origin: Origin, alive: Term, size: Term, expanse: Expanse) -> Object {
        Object { expanse: Some(expanse), ..Object::new(origin, alive, size, u32::MAX) }
    }

    /// An object that starts with these bytes.
    pub(crate) fn filled(origin: Origin, alive: Term, size: Term, bytes: Rc<Vec<u8>>) -> Object {
        Object { capacity: bytes.len() as u32, start: bytes, ..Object::new(origin, alive, size, 0) }
    }

    /// The word of so many bytes at an offset, which lies within the capacity.
    pub(crate) fn read(&self, terms: &mut Terms, at: u32, bytes: u32) -> Value<Term> {
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

    /// The value at a place, and its length in bytes. It ends with the tile there, or where the next tile
    /// begins, or at `end`.
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
    pub(crate) fn write(&mut self, terms: &mut Terms, at: u32, value: Value<Term>) {
        let bytes = width(terms, &value) / 8;
        self.clear(terms, at, at + bytes);
        self.tiles.insert(at, value);
    }

    /// Takes away the tiles within a range. Parts of tiles that stick out of it stay.
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

    /// Takes in this object of another path, which was taken if the condition holds.
    pub(super) fn merge(&mut self, terms: &mut Terms, condition: Term, other: &Object) {
        let seams = self.seams(terms, other);
        self.alive = terms.ite(condition, other.alive, self.alive);
        if let (Some(ours), Some(theirs)) = (&mut self.expanse, &other.expanse) {
            ours.merge(terms, condition, theirs);
        }
        for (at, bytes) in seams {
            let (theirs, ours) = (other.read(terms, at, bytes), self.read(terms, at, bytes));
            if theirs != ours {
                let value = choose(terms, condition, theirs, ours);
                self.write(terms, at, value);
            }
        }
    }

    /// Adds the ways in which this object of two runs differs: in its life, or in what it holds.
    pub(super) fn differs(&self, terms: &mut Terms, other: &Object, differs: &mut Vec<Term>) {
        differs.push(terms.ne(self.alive, other.alive));
        if let (Some(ours), Some(theirs)) = (&self.expanse, &other.expanse) {
            differs.push(ours.differs(terms, theirs));
        }
        for (at, bytes) in self.seams(terms, other) {
            let (ours, theirs) = (self.read(terms, at, bytes), other.read(terms, at, bytes));
            differs.push(value::differs(terms, ours, theirs));
        }
    }

    /// The places and lengths of the tiles of this object in two runs, cut so that both can be read there.
    fn seams(&self, terms: &Terms, other: &Object) -> Vec<(u32, u32)> {
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
    pub(crate) fn tiles(&self) -> impl Iterator<Item = (u32, &Value<Term>)> {
        self.tiles.iter().map(|(at, tile)| (*at, tile))
    }

    /// How many tiles or writes it consists of.
    pub(crate) fn parts(&self) -> usize {
        self.tiles.len() + self.expanse.as_ref().map_or(0, Expanse::writes)
    }

    /// Whether nobody has written to it since it was made.
    pub(crate) fn is_untouched(&self) -> bool {
        self.tiles.is_empty()
    }

    /// Nothing in it is assigned any more.
    pub(crate) fn forget(&mut self) {
        self.tiles.clear();
        self.start = Rc::new(vec![]);
    }
}

fn width(terms: &Terms, value: &Value<Term>) -> u32 {
    terms.width(&value.word)
}
