//! Where addresses lie in an object. A program needs this only if another member of a
//! union may read an address as a number.
//!
//! An address is known by its value: the numbers of objects are so great that no other
//! number looks like one. If a part of an address was overwritten, the rest is no
//! address any more. C leaves those bytes unspecified, so they count as never assigned.

use crate::{FIRST_OBJECT, POINTER_BYTES};

const SIZE: usize = POINTER_BYTES as usize;

/// The places of the addresses in an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Addresses(Vec<usize>);

impl Addresses {
    /// Those in an object as it is, if so many objects have a number. Addresses
    /// lie at multiples of their size.
    pub(super) fn of(bytes: &[u8], objects: u32) -> Addresses {
        let words = bytes.chunks_exact(SIZE).enumerate();
        Addresses(words.filter(|(_, word)| is_address(word, objects)).map(|(at, _)| at * SIZE).collect())
    }

    /// Whether one of them lies in a range, or sticks into it.
    pub(super) fn meets(&self, start: usize, end: usize) -> bool {
        self.0.iter().any(|at| *at < end && start < at + SIZE)
    }

    /// Notes that bytes were written to a place. Returns the places of addresses of which a part is left.
    pub(super) fn write(&mut self, start: usize, bytes: &[u8], objects: u32) -> Vec<usize> {
        let end = start + bytes.len();
        let is_gone = |at: &usize| *at < end && start < at + SIZE;
        let partly = |at: &usize| is_gone(at) && !(start <= *at && at + SIZE <= end);
        let left = self.0.iter().copied().filter(partly).collect();
        self.0.retain(|at| !is_gone(at));
        let shift = (SIZE - start % SIZE) % SIZE;
        let whole = bytes.get(shift..).unwrap_or(&[]);
        self.0.extend(Addresses::of(whole, objects).0.into_iter().map(|at| start + shift + at));
        left
    }
}

fn is_address(word: &[u8], objects: u32) -> bool {
    let object = word.last_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    object.wrapping_sub(FIRST_OBJECT) < objects
}
