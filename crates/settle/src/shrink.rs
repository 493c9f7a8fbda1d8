//! Making a witness small: the values a person would have chosen.
//!
//! Pieces are taken away and values are made plainer, the largest steps first, as long as the input
//! kills what it killed before. What belongs together changes together: the length of an array and
//! the argument that says it, two arrays of one length, a value and its copy among the elements.
//!
//! A mutant that returned something else must still do so. In a shorter array, it would often run out of
//! bounds instead. That is a kill, too, but only a sanitizer sees it.
//!
//! After Zeller's delta debugging (2002), with weights in place of sizes.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::ops::Range;

use bv::Word;
use ir::{Datum, FunctionId, Input, Mutant, Program, run};

use crate::replay::{Wanted, kills_as_wanted};
use crate::shrink::leaves::{LeafKind, leaves, leaves_mut};
use crate::shrink::weight::{is_terminated, simpler};
use crate::{Limits, Shown};

mod leaves;
mod weight;

pub use weight::complexity;

/// How many replays one witness may cost. A scalar takes about ten to reach its
/// least value, an array of eight some hundred.
const REPLAYS: usize = 400;

/// What these may burn, in blocks: a tenth of a second, for the witnesses that take long.
const FUEL: u64 = 1_000_000;

/// What it costs to make a candidate and to weigh it, for each of its elements, in blocks.
const ELEMENT: u64 = 5;

/// An input that still kills all these mutants and is no harder to read.
pub fn shrink(
    program: &Program,
    subject: FunctionId,
    mutants: &[Mutant],
    input: &Input,
    limits: Limits,
) -> Input {
    let original = run(program, subject, Mutant::ORIGINAL, input, limits.original);
    let wanted = |mutant: &Mutant| {
        let outcome = run(program, subject, *mutant, input, limits.for_mutant(original.fuel)).outcome;
        Wanted { mutant: *mutant, shown: Shown::by(&original.outcome, &outcome) }
    };
    let mut best = input.clone();
    drop_orphans(&mut best);
    let mut search = Search {
        program,
        subject,
        wanted: mutants.iter().map(wanted).collect(),
        limits,
        weight: complexity(program, subject, &best),
        best,
        tried: HashSet::new(),
        hasher: BuildHasherDefault::default(),
        replays: 0,
        burned: 0,
    };
    loop {
        let before = search.weight;
        search.drop_results();
        search.make_null();
        search.separate();
        search.shorten_all();
        search.level();
        search.simplify_equals();
        search.simplify_leaves();
        if search.weight == before || search.is_spent() {
            return search.best;
        }
    }
}

/// The best input so far has no object that nobody points to.
struct Search<'a> {
    program: &'a Program,
    subject: FunctionId,
    wanted: Vec<Wanted>,
    limits: Limits,
    best: Input,
    /// How hard the best is to read.
    weight: u64,
    /// Hashes of what was tried: the last round comes to what earlier ones have tried in vain. If two are
    /// mistaken for one, a candidate is missed.
    tried: HashSet<u64>,
    hasher: BuildHasherDefault<DefaultHasher>,
    replays: usize,
    burned: u64,
}

impl Search<'_> {
    fn is_spent(&self) -> bool {
        self.replays >= REPLAYS || self.burned >= FUEL
    }

    /// Takes a candidate if it is simpler and kills as wanted.
    fn attempt(&mut self, mut candidate: Input) -> bool {
        if self.is_spent() {
            return false;
        }
        drop_orphans(&mut candidate);
        let elements: usize = candidate.objects.iter().map(|object| object.elements.len()).sum();
        self.burned += elements as u64 * ELEMENT;
        let weight = complexity(self.program, self.subject, &candidate);
        if weight >= self.weight || !self.tried.insert(self.hasher.hash_one(&candidate)) {
            return false;
        }
        self.replays += 1;
        let kills = kills_as_wanted(
            self.program,
            self.subject,
            &candidate,
            &self.wanted,
            self.limits,
            &mut self.burned,
        );
        if kills {
            self.best = candidate;
            self.weight = weight;
        }
        kills
    }

    /// Takes a candidate that differs from the best in one leaf.
    fn attempt_leaf(&mut self, at: usize, value: Datum) -> bool {
        if self.is_spent() {
            return false;
        }
        let mut candidate = self.best.clone();
        *leaves_mut(&mut candidate)[at] = value;
        self.attempt(candidate)
    }

    /// Results of functions without a body: all of them, then the later half, then the last one.
    fn drop_results(&mut self) {
        let mut none = self.best.clone();
        none.results.clear();
        self.attempt(none);
        for at in (0..self.best.results.len()).rev() {
            while self.shorten_results(at) {}
        }
    }

    fn shorten_results(&mut self, at: usize) -> bool {
        let Some((_, results)) = self.best.results.get(at) else { return false };
        let length = results.len();
        [0, length / 2, length.saturating_sub(1)].into_iter().any(|shorter| {
            let mut candidate = self.best.clone();
            candidate.results[at].1.truncate(shorter);
            candidate.results.retain(|(_, results)| !results.is_empty());
            self.attempt(candidate)
        })
    }

    fn make_null(&mut self) {
        let mut next = 0;
        while let Some(at) = self.next_pointer(next) {
            self.attempt_leaf(at, Datum::Null);
            next = at + 1;
        }
    }

    /// The first leaf from here on that is not null, though it could be.
    fn next_pointer(&mut self, from: usize) -> Option<usize> {
        let is_pointer = |datum: &Datum| matches!(datum, Datum::Pointer { .. } | Datum::Function(_));
        let leaves = leaves_mut(&mut self.best);
        leaves.into_iter().enumerate().skip(from).find(|(_, datum)| is_pointer(datum)).map(|(at, _)| at)
    }

    /// Gives pointers to one object an object each.
    fn separate(&mut self) {
        let mut seen = HashSet::new();
        let mut next = 0;
        while let Some(at) = self.next_pointer(next) {
            next = at + 1;
            if self.is_spent() {
                return;
            }
            let mut candidate = self.best.clone();
            let fresh = candidate.objects.len() as u32;
            let Datum::Pointer { object, .. } = &mut *leaves_mut(&mut candidate)[at] else { continue };
            if seen.insert(*object) {
                continue;
            }
            let copied = std::mem::replace(object, fresh);
            let copy = candidate.objects[copied as usize].clone();
            candidate.objects.push(copy);
            self.attempt(candidate);
        }
    }

    fn shorten_all(&mut self) {
        let mut object = 0;
        while object < self.best.objects.len() {
            while self.shorten(object) {}
            object += 1;
        }
    }

    /// Takes some elements out of an object, and out of those like it, while a
    /// size that somebody is told follows.
    fn shorten(&mut self, object: usize) -> bool {
        let Some(shortened) = self.best.objects.get(object) else { return false };
        let length = shortened.elements.len();
        let of = shortened.of;
        let body = if is_terminated(self.program, shortened) { length - 1 } else { length };
        let alone = vec![object];
        let like = |range: &Range<usize>| -> Vec<usize> {
            let objects = self.best.objects.iter().enumerate();
            let alike =
                objects.filter(|(_, other)| other.of == of && other.elements.len() > range.end - range.start);
            alike.map(|(at, _)| at).collect()
        };
        let ranges: Vec<(Range<usize>, Vec<usize>)> = ranges(body)
            .filter(|range| range.len() < length)
            .map(|range| (range.clone(), like(&range)))
            .collect();
        for (range, alike) in ranges {
            for objects in [&alike, &alone] {
                for sizes_follow in [true, false] {
                    if self.is_spent() {
                        return false;
                    }
                    let mut candidate = self.best.clone();
                    if sizes_follow && !self.follow(&mut candidate, length, range.len()) {
                        continue;
                    }
                    objects.iter().for_each(|object| cut(&mut candidate, *object, &range));
                    if self.attempt(candidate) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Lowers the integers that may say how long something is, as it has or as
    /// its text has; whether there are any.
    fn follow(&self, candidate: &mut Input, length: usize, dropped: usize) -> bool {
        let kinds =
            leaves(self.program, self.subject, &self.best).into_iter().map(|leaf| (leaf.kind, leaf.element));
        let mut any = false;
        for ((kind, element), datum) in kinds.zip(leaves_mut(candidate)) {
            let Datum::Word(word) = datum else { continue };
            let size = word.signed();
            let says = size == length as i128 || size + 1 == length as i128;
            if kind == LeafKind::Integer && !element && says && size >= dropped as i128 {
                *word = Word::from_signed(word.width(), size - dropped as i128);
                any = true;
            }
        }
        any
    }

    /// Makes all values plain at once: everywhere, then object by object.
    fn level(&mut self) {
        let all: Vec<(LeafKind, Option<usize>)> = leaves(self.program, self.subject, &self.best)
            .iter()
            .map(|leaf| (leaf.kind, leaf.object))
            .collect();
        let objects = (0..self.best.objects.len()).map(Some);
        for chosen in std::iter::once(None).chain(objects) {
            if self.is_spent() {
                return;
            }
            let mut candidate = self.best.clone();
            for ((kind, object), datum) in all.iter().zip(leaves_mut(&mut candidate)) {
                if chosen.is_none() || *object == chosen {
                    make_plain(*kind, datum);
                }
            }
            self.attempt(candidate);
        }
    }

    /// Makes a value simpler wherever it occurs, if it occurs more than once.
    fn simplify_equals(&mut self) {
        let found = self.found();
        let mut counts: HashMap<(bool, i128), usize> = HashMap::new();
        for (kind, datum) in &found {
            let Datum::Word(word) = datum else { continue };
            let count = counts.entry(same(*kind, *word)).or_default();
            *count += 1;
            if *count == 2 {
                self.simplify_equal(*kind, *word);
            }
        }
    }

    fn simplify_equal(&mut self, kind: LeafKind, word: Word) {
        for simpler in simpler(kind, &Datum::Word(word)) {
            if self.is_spent() {
                return;
            }
            let Datum::Word(simpler) = simpler else { continue };
            let mut candidate = self.best.clone();
            let kinds = self.found().into_iter().map(|(kind, _)| kind);
            for (other, datum) in kinds.zip(leaves_mut(&mut candidate)) {
                match datum {
                    Datum::Word(found) if same(other, *found) == same(kind, word) => {
                        *found = Word::from_signed(found.width(), simpler.signed());
                    }
                    _ => {}
                }
            }
            if self.attempt(candidate) {
                return;
            }
        }
    }

    fn simplify_leaves(&mut self) {
        for (at, (kind, datum)) in self.found().into_iter().enumerate() {
            for value in simpler(kind, &datum) {
                if self.attempt_leaf(at, value) {
                    break;
                }
            }
        }
    }

    /// The leaves of the best input.
    fn found(&self) -> Vec<(LeafKind, Datum)> {
        let leaves = leaves(self.program, self.subject, &self.best);
        leaves.into_iter().map(|leaf| (leaf.kind, leaf.datum.clone())).collect()
    }
}

/// Values that are equal for a reader: characters and integers are, whatever their widths.
fn same(kind: LeafKind, word: Word) -> (bool, i128) {
    (kind == LeafKind::Float, word.signed())
}

/// Zero for numbers, `a` for what is not the end of a text.
fn make_plain(kind: LeafKind, datum: &mut Datum) {
    if let Datum::Word(word) = datum {
        let plain = if kind == LeafKind::Character && !word.is_zero() { i128::from(b'a') } else { 0 };
        *word = Word::from_signed(word.width(), plain);
    }
}

/// What to take out of so many elements: all of them, halves, quarters, down to
/// single ones; the last ones first.
fn ranges(length: usize) -> impl Iterator<Item = Range<usize>> {
    let sizes = std::iter::successors(Some(length), |size| (*size > 1).then_some(size / 2));
    sizes.filter(|size| *size > 0).flat_map(move |size| {
        let starts = (0..length).step_by(size).map(move |dropped| length - dropped);
        starts.map(move |end| end.saturating_sub(size)..end)
    })
}

/// Takes elements out of an object. Pointers to what follows move along.
fn cut(input: &mut Input, object: usize, range: &Range<usize>) {
    let elements = &mut input.objects[object].elements;
    // An object like the one in question may be shorter; then its last ones go.
    let end = range.end.min(elements.len());
    let start = end - range.len();
    elements.drain(start..end);
    for leaf in leaves_mut(input) {
        match leaf {
            Datum::Pointer { object: found, element } if *found as usize == object => {
                let passed = (*element as usize).clamp(start, end) - start;
                *element -= passed as u32;
            }
            _ => {}
        }
    }
}

/// Removes the objects that nobody points to.
fn drop_orphans(input: &mut Input) {
    loop {
        let mut pointed = vec![false; input.objects.len()];
        for leaf in leaves_mut(input) {
            if let Datum::Pointer { object, .. } = leaf {
                pointed[*object as usize] = true;
            }
        }
        // One at a time, since with an orphan go those that only it points to.
        let Some(orphan) = pointed.iter().rposition(|pointed| !pointed) else { return };
        input.objects.remove(orphan);
        for leaf in leaves_mut(input) {
            match leaf {
                Datum::Pointer { object, .. } if *object as usize > orphan => *object -= 1,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
