//! The inputs that were worth keeping, and whose turn it is to be varied.

use std::rc::Rc;

use fastrand::Rng;
use ir::{Compared, Input};

use crate::hunt::reduce::length;

/// An input that showed something new.
pub(super) struct Kept {
    pub(super) input: Input,
    /// The values that its run compared, once they are known.
    pub(super) compared: Rc<[Compared]>,
    /// How often it was varied.
    chosen: u32,
}

impl Kept {
    /// What was spent on it so far: a long input costs more.
    fn cost(&self) -> u64 {
        u64::from(self.chosen) * (HANDLING + length(&self.input) as u64)
    }
}

/// What it costs to run an input besides its elements, in elements.
const HANDLING: u64 = 64;

#[derive(Default)]
pub(super) struct Corpus {
    kept: Vec<Kept>,
    /// So many of them are traced.
    traced: usize,
    /// How long all of them are.
    length: usize,
}

/// All inputs together are at most so long: some tens of megabytes.
const MOST_LENGTH: usize = 1 << 20;

/// All inputs that are handed on are at most so long: the store keeps them as text.
const MOST_HANDED_ON: usize = 1 << 17;

/// Of so many inputs, the one on which least was spent gets its turn. So new ones are tried at once, and old
/// ones are not forgotten.
const COMPETITORS: usize = 4;

impl Corpus {
    pub(super) fn keep(&mut self, input: Input) {
        self.length += length(&input);
        self.kept.push(Kept { input, compared: Rc::new([]), chosen: 0 });
    }

    /// Forgets the inputs on which most was spent, if there are too many. All must be traced.
    pub(super) fn trim(&mut self) {
        self.trim_to(MOST_LENGTH);
    }

    /// What the next leg gets.
    pub(super) fn hand_on(mut self) -> Vec<Input> {
        self.trim_to(MOST_HANDED_ON);
        self.kept.into_iter().map(|kept| kept.input).collect()
    }

    fn trim_to(&mut self, most: usize) {
        while self.length > most {
            let dearest = (0..self.kept.len()).max_by_key(|at| self.kept[*at].cost());
            let gone = self.kept.swap_remove(dearest.expect("they have a length"));
            self.length -= length(&gone.input);
        }
        self.traced = self.kept.len();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The next input to vary. There must be one.
    pub(super) fn choose(&mut self, random: &mut Rng) -> &Kept {
        let competitors = (0..COMPETITORS).map(|_| random.usize(..self.kept.len()));
        let at = competitors.min_by_key(|at| self.kept[*at].cost()).expect("there are competitors");
        self.kept[at].chosen += 1;
        &self.kept[at]
    }

    /// Any of the inputs. There must be one.
    pub(super) fn any(&self, random: &mut Rng) -> &Input {
        &self.kept[random.usize(..self.kept.len())].input
    }

    /// Those of which nobody knows what they compare.
    pub(super) fn untraced(&self) -> Vec<Input> {
        self.kept[self.traced..].iter().map(|kept| kept.input.clone()).collect()
    }

    /// What these compare, in their order.
    pub(super) fn note_compared(&mut self, compared: impl Iterator<Item = Vec<Compared>>) {
        for (kept, compared) in self.kept[self.traced..].iter_mut().zip(compared) {
            kept.compared = compared.into();
        }
        self.traced = self.kept.len();
    }
}
