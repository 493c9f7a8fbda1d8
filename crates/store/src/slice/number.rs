//! Numbers for things, in the order in which they are met.

use std::collections::HashMap;
use std::hash::Hash;

/// The n-th thing that was met has number n, from 0.
#[derive(Clone, Debug)]
pub(crate) struct Numbering<T> {
    ids: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbering<T> {
    fn default() -> Numbering<T> {
        Numbering { ids: vec![], numbers: HashMap::new() }
    }
}

impl<T: Copy + Eq + Hash> Numbering<T> {
    /// So many, each with its own number.
    pub(crate) fn first(count: usize, id: impl Fn(u32) -> T) -> Numbering<T> {
        let ids: Vec<T> = (0..count as u32).map(id).collect();
        Numbering::of_list(&ids)
    }

    pub(crate) fn of_list(ids: &[T]) -> Numbering<T> {
        let mut numbering = Numbering::default();
        ids.iter().for_each(|id| _ = numbering.number(*id));
        numbering
    }

    /// Its number, a new one if it was not met before.
    pub(crate) fn number(&mut self, id: T) -> u32 {
        let Numbering { ids, numbers } = self;
        *numbers.entry(id).or_insert_with(|| {
            ids.push(id);
            ids.len() as u32 - 1
        })
    }

    pub(crate) fn of(&self, id: &T) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    pub(crate) fn get(&self, number: u32) -> Option<T> {
        self.ids.get(number as usize).copied()
    }

    pub(crate) fn ids(&self) -> &[T] {
        &self.ids
    }
}
