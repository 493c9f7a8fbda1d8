//! Making new inputs from old ones.
//!
//! An input keeps its shape: which pointers there are, and what they lead to. What changes are numbers, and
//! the lengths of buffers. A number that says how long a buffer is follows its length.

use std::collections::HashSet;

use bv::{Word, float};
use fastrand::Rng;
use ir::{Compared, Datum, FunctionId, Input, Object, Program, Space, Type, TypeId, make_command_line};

use crate::hunt::corpus::Corpus;
use crate::hunt::reduce::length;
use crate::inputs::{self, Mentions};

/// Inputs of a batch, and the length of all of them: whichever is reached first.
const BATCH: usize = 256;
const BATCH_LENGTH: usize = 1 << 18;

/// One of so many inputs is a new one.
const FRESH: u32 = 4;

/// Of so many new inputs, one has buffers with much room.
const ROOMY: u32 = 2;

/// Of so many inputs that were kept, one gets more room before it changes.
const ROOMIER: u32 = 16;

/// So much room, as a power of two.
const MOST_ROOM: u32 = 9;

/// The largest buffers of new inputs, as a power of two.
const FRESH_ROOM: u32 = 10;

/// Elements of a buffer that is observed, at most. What a caller sees of it is kept with each kill.
const MOST_OBSERVED: u32 = 1_024;

/// Numbers with so many bits are small: lengths, counts and indices.
const MOST_SMALL: u32 = 9;

/// At most so many changes are made at once; mostly few.
const CHANGES: u32 = 5;

/// An input gets no more buffers than this by copying pointers. Of the rest, pointers are null.
const MOST_OBJECTS: usize = 64;

pub(super) struct Variation<'a> {
    program: &'a Program,
    function: FunctionId,
    space: &'a Space,
    mentions: Mentions,
}

impl<'a> Variation<'a> {
    pub(super) fn new(program: &'a Program, function: FunctionId, space: &'a Space) -> Variation<'a> {
        Variation { program, function, space, mentions: Mentions::of(program, function) }
    }

    /// Whether there is only one input: nothing.
    pub(super) fn has_no_choice(&self) -> bool {
        let signature = &self.program.function(self.function).signature;
        signature.parameters.is_empty() && self.space.globals.is_empty() && self.mentions.externals.is_empty()
    }

    /// The next inputs to try, the shortest first: it gets the kill.
    pub(super) fn batch(&self, corpus: &mut Corpus, random: &mut Rng) -> Vec<Input> {
        let mut batch: Vec<Input> = Vec::new();
        let mut together = 0;
        while batch.len() < BATCH && together < BATCH_LENGTH {
            let input = self.next(corpus, random);
            together += length(&input);
            batch.push(input);
        }
        batch.sort_by_cached_key(length);
        batch
    }

    fn next(&self, corpus: &mut Corpus, random: &mut Rng) -> Input {
        if corpus.is_empty() || random.u32(..FRESH) == 0 {
            return self.fresh(random);
        }
        let (mut input, compared) = {
            let kept = corpus.choose(random);
            (kept.input.clone(), kept.compared.clone())
        };
        if random.u32(..ROOMIER) == 0 {
            self.make_room(&mut input, 1 << random.u32(..=MOST_ROOM));
        }
        let changes = 1 << random.u32(..CHANGES);
        for _ in 0..random.u32(1..=changes) {
            match random.u32(..16) {
                0..=2 if !compared.is_empty() => {
                    let compared = &compared[random.usize(..compared.len())];
                    self.match_sides(&mut input, compared, random);
                }
                3..=5 => self.resize(&mut input, &compared, random),
                6..=7 => self.rearrange(&mut input, random),
                8 if random.bool() => self.divide(&mut input, random),
                8 => self.rearrange(&mut input, random),
                9 => self.splice(&mut input, corpus.any(random), random),
                _ => self.change_number(&mut input, random),
            }
        }
        if self.space.may_alias.is_empty() {
            separate(&mut input);
        }
        make_command_line(self.program, self.function, &mut input);
        input
    }

    fn fresh(&self, random: &mut Rng) -> Input {
        // Most buffers are short, whatever is allowed, and grow when they have shown something.
        let size = 1 << random.u32(2..=FRESH_ROOM);
        let space = Space { size, ..self.space.clone() };
        let mut input = inputs::mixture(self.program, self.function, &space, &self.mentions, random);
        for object in &mut input.objects {
            let most = self.most(object);
            object.elements.truncate(most);
        }
        if random.u32(..ROOMY) == 0 {
            self.make_room(&mut input, 1 << random.u32(..=MOST_ROOM));
        }
        make_command_line(self.program, self.function, &mut input);
        input
    }

    /// Gives buffers that can be written more room. Functions fill tables of hundreds of elements, and are
    /// not told how long they are.
    fn make_room(&self, input: &mut Input, room: usize) {
        for object in input.objects.iter_mut().filter(|object| !object.constant) {
            if self.most(object) > 1 && object.elements.len() < room {
                object.elements.resize(room, self.program.zero(object.of));
            }
        }
    }

    /// Changes one number.
    fn change_number(&self, input: &mut Input, random: &mut Rng) {
        let mut other = None;
        if random.u32(..8) == 0 {
            self.at_number(&mut input.clone(), random, |_, word, _| other = Some(*word));
        }
        self.at_number(input, random, |of, word, random| {
            let width = word.width();
            *word = match other {
                Some(other) if is_float(self.program, of) => Word::new(width, other.bits()),
                Some(other) => Word::from_signed(width, other.signed()),
                None if is_float(self.program, of) => self.other_float(*word, random),
                None => self.other_integer(*word, random),
            };
        });
    }

    fn other_integer(&self, word: Word, random: &mut Rng) -> Word {
        let width = word.width();
        let value = word.signed();
        let near = |random: &mut Rng| [-1, 0, 0, 1][random.usize(..4)];
        let mentioned = &self.mentions.integers;
        match random.u32(..12) {
            0..=1 => Word::from_signed(width, value.wrapping_add(random.i128(-4..=4))),
            2 => Word::from_signed(width, value.wrapping_add(random.i128(-64..=64))),
            3..=4 => Word::new(width, word.bits() ^ (1 << random.u32(..width))),
            5 => Word::from_signed(width, value.wrapping_neg()),
            6 => Word::from_signed(width, value.wrapping_mul(2)),
            7 => [Word::zero(width), Word::ones(width), Word::signed_max(width), Word::signed_min(width)]
                [random.usize(..4)],
            8..=9 if !mentioned.is_empty() => {
                let mentioned = mentioned[random.usize(..mentioned.len())];
                Word::from_signed(width, mentioned.wrapping_add(near(random)))
            }
            10 if width == 8 && !self.mentions.characters.is_empty() => {
                let characters = &self.mentions.characters;
                Word::new(8, characters[random.usize(..characters.len())].into())
            }
            10 => Word::new(width, small(random)),
            _ => Word::new(width, random.u128(..)),
        }
    }

    fn other_float(&self, word: Word, random: &mut Rng) -> Word {
        let width = word.width();
        let value = float::value(word);
        let mentioned = &self.mentions.reals;
        match random.u32(..8) {
            0 => Word::new(width, word.bits() ^ (1 << random.u32(..width))),
            // The next float, or the one before.
            1 => Word::new(width, word.bits().wrapping_add(1)),
            2 => Word::new(width, word.bits().wrapping_sub(1)),
            3 => float::word(width, -value),
            4 if !mentioned.is_empty() => float::word(width, mentioned[random.usize(..mentioned.len())]),
            5 => float::word(width, value * 2.0),
            6 => float::word(width, f64::from(random.i32(-100..=100))),
            _ => float::word(width, value + f64::from(random.i32(-4..=4))),
        }
    }

    /// Puts one side of a comparison where the other one stands.
    fn match_sides(&self, input: &mut Input, compared: &Compared, random: &mut Rng) {
        match *compared {
            Compared::Bytes { ref left, ref right } => {
                let (from, to) = if random.bool() { (left, right) } else { (right, left) };
                self.replace_bytes(input, from, to, random);
            }
            Compared::Integers { width, left, right } => {
                let (from, to) = if random.bool() { (left, right) } else { (right, left) };
                let to = to.wrapping_add([0, 0, 0, 1, u64::MAX][random.usize(..5)]);
                let mut places = Vec::new();
                each_word(input, |word| {
                    let same = Word::new(word.width(), from.into()) == *word && word.width() >= width.min(8);
                    places.push(same);
                });
                let chosen: Vec<usize> =
                    places.iter().enumerate().filter(|(_, same)| **same).map(|(at, _)| at).collect();
                if chosen.is_empty() {
                    return;
                }
                let chosen = chosen[random.usize(..chosen.len())];
                let mut at = 0;
                each_word(input, |word| {
                    if at == chosen {
                        *word = Word::new(word.width(), to.into());
                    }
                    at += 1;
                });
            }
            Compared::Reals { left, right } => {
                let (from, to) = if random.bool() { (left, right) } else { (right, left) };
                each_word(input, |word| {
                    if matches!(word.width(), 32 | 64) && float::word(word.width(), from) == *word {
                        *word = float::word(word.width(), to);
                    }
                });
            }
        }
    }

    /// Puts bytes where others stand, or anywhere if these do not stand anywhere. What is behind them moves.
    fn replace_bytes(&self, input: &mut Input, from: &[u8], to: &[u8], random: &mut Rng) {
        let is_of_bytes =
            |object: &Object| matches!(object.elements.first(), Some(Datum::Word(word)) if word.width() == 8);
        let buffers: Vec<usize> = (0..input.objects.len())
            .filter(|at| is_of_bytes(&input.objects[*at]) && self.most(&input.objects[*at]) > 1)
            .collect();
        if buffers.is_empty() {
            return;
        }
        let byte = |byte: &u8| Datum::Word(Word::new(8, (*byte).into()));
        let from: Vec<Datum> = from.iter().map(byte).collect();
        let places: Vec<(usize, usize)> = buffers
            .iter()
            .flat_map(|at| {
                let windows = input.objects[*at].elements.windows(from.len().max(1)).enumerate();
                windows.filter(|(_, window)| *window == from).map(|(place, _)| (*at, place))
            })
            .collect();
        let ((at, place), gone) = match places.len() {
            0 => {
                let at = buffers[random.usize(..buffers.len())];
                ((at, random.usize(..input.objects[at].elements.len())), 0)
            }
            count => (places[random.usize(..count)], from.len()),
        };
        let ended = is_ended(&input.objects[at]);
        let before = input.objects[at].elements.len();
        input.objects[at].elements.splice(place..place + gone, to.iter().map(byte));
        let most = self.most(&input.objects[at]);
        input.objects[at].elements.truncate(most);
        if input.objects[at].elements.is_empty() {
            input.objects[at].elements.push(byte(&0));
        }
        if ended {
            end(&mut input.objects[at]);
        }
        follow(input, before, input.objects[at].elements.len());
        keep_inside(input, at);
    }

    /// Makes a buffer longer or shorter.
    fn resize(&self, input: &mut Input, compared: &[Compared], random: &mut Rng) {
        let Some(at) = self.buffer(input, random) else { return };
        let most = self.most(&input.objects[at]);
        let length = input.objects[at].elements.len();
        let wanted = match random.u32(..8) {
            0 => length + 1,
            1 => length.saturating_sub(1),
            2 => length * 2,
            3 => length / 2,
            4 => length + random.usize(..16),
            5 => 1 << random.u32(..=most.max(1).ilog2()),
            6 => self.mentioned_length(compared, random).unwrap_or(length),
            _ => random.usize(1..=length.max(8)),
        };
        let wanted = wanted.clamp(1, most);
        let ended = is_ended(&input.objects[at]);
        let object = &mut input.objects[at];
        if wanted > length {
            // More of what is there already, from somewhere; one element again and again; or zeros, which
            // change least in a table of counts or lengths.
            let from = random.usize(..length);
            let more: Vec<Datum> = match random.u32(..4) {
                0 => vec![self.program.zero(object.of); wanted - length],
                1 => vec![object.elements[from].clone(); wanted - length],
                _ => (length..wanted).map(|at| object.elements[(from + at) % length].clone()).collect(),
            };
            let place = if random.bool() { length } else { random.usize(..=length) };
            object.elements.splice(place..place, more);
        } else {
            let from = random.usize(..=wanted);
            object.elements.drain(from..from + length - wanted);
        }
        if ended && random.u32(..8) > 0 {
            end(&mut input.objects[at]);
        }
        if random.u32(..4) > 0 {
            follow(input, length, wanted);
        }
        keep_inside(input, at);
    }

    /// A length that the program mentions or compares with, or one next to it.
    fn mentioned_length(&self, compared: &[Compared], random: &mut Rng) -> Option<usize> {
        let mentioned = &self.mentions.integers;
        let length = if !compared.is_empty() && (mentioned.is_empty() || random.bool()) {
            match compared[random.usize(..compared.len())] {
                Compared::Integers { left, right, .. } => {
                    i128::from(if random.bool() { left } else { right })
                }
                Compared::Bytes { ref left, ref right } => {
                    (if random.bool() { left } else { right }).len() as i128
                }
                Compared::Reals { .. } => return None,
            }
        } else {
            *mentioned.get(random.usize(..mentioned.len().max(1)))?
        };
        usize::try_from(length + random.i128(-1..=2)).ok()
    }

    /// Moves elements of a buffer about, or gives some of them one value.
    fn rearrange(&self, input: &mut Input, random: &mut Rng) {
        let Some(at) = self.buffer(input, random) else { return };
        let ended = is_ended(&input.objects[at]);
        let words = &self.mentions.words;
        let elements = &mut input.objects[at].elements;
        let length = elements.len();
        let start = random.usize(..length);
        let count = random.usize(1..=length - start);
        match random.u32(..10) {
            0 => elements[start..start + count].reverse(),
            1 => random.shuffle(&mut elements[start..start + count]),
            2 => elements[start..start + count].sort(),
            3 => {
                let value = elements[start].clone();
                elements[start..start + count].fill(value);
            }
            4 => {
                let to = random.usize(..=length - count);
                let part = elements[start..start + count].to_vec();
                elements[to..to + count].clone_from_slice(&part);
            }
            5 => elements.swap(start, (start + count) % length),
            6 if !words.is_empty() && matches!(elements[0], Datum::Word(word) if word.width() == 8) => {
                let word = &words[random.usize(..words.len())];
                for (element, byte) in elements[start..].iter_mut().zip(word) {
                    *element = Datum::Word(Word::new(8, (*byte).into()));
                }
            }
            // All of them a little larger or smaller, by the same.
            8 => {
                let of = input.objects[at].of;
                let by = [-1, 1, 1, 2][random.usize(..4)];
                for element in &mut input.objects[at].elements[start..start + count] {
                    self.in_number(of, element, random, &mut |of, word, _| {
                        *word = match is_float(self.program, of) {
                            true => float::word(word.width(), float::value(*word) + f64::from(by)),
                            false => Word::from_signed(word.width(), word.signed() + i128::from(by)),
                        };
                    });
                }
            }
            // Many numbers at once: small ones, as lengths, counts and indices are.
            7 => {
                let of = input.objects[at].of;
                let below = below(random);
                for element in &mut input.objects[at].elements[start..start + count] {
                    self.in_number(of, element, random, &mut |of, word, random| {
                        let number = random.u128(..below);
                        *word = match is_float(self.program, of) {
                            true => float::word(word.width(), number as f64),
                            false => Word::new(word.width(), number),
                        };
                    });
                }
            }
            // Or any.
            _ => {
                let of = input.objects[at].of;
                for element in &mut input.objects[at].elements[start..start + count] {
                    self.in_number(of, element, random, &mut |of, word, random| {
                        *word = match is_float(self.program, of) {
                            true => self.other_float(*word, random),
                            false => self.other_integer(*word, random),
                        };
                    });
                }
            }
        }
        if ended && random.u32(..8) > 0 {
            end(&mut input.objects[at]);
        }
    }

    /// Makes two elements of one, or one of two. The halves of a number have its sum, and two code words that
    /// are a bit longer take the room of one.
    fn divide(&self, input: &mut Input, random: &mut Rng) {
        let Some(at) = self.buffer(input, random) else { return };
        let object = &input.objects[at];
        let (before, most) = (object.elements.len(), self.most(object));
        let place = random.usize(..before);
        let Datum::Word(word) = object.elements[place] else { return };
        let (width, value) = (word.width(), word.signed());
        if before == most || is_float(self.program, object.of) {
            return;
        }
        let number = |value: i128| Datum::Word(Word::from_signed(width, value));
        let (gone, parts) = match random.u32(..4) {
            0 => (1, vec![number(value / 2), number(value - value / 2)]),
            1..=2 => (1, vec![number(value + 1); 2]),
            _ => (2, vec![number(value - 1)]),
        };
        let ended = is_ended(object);
        let end_of_part = (place + gone).min(before);
        input.objects[at].elements.splice(place..end_of_part, parts);
        if ended {
            end(&mut input.objects[at]);
        }
        follow(input, before, input.objects[at].elements.len());
        keep_inside(input, at);
    }

    /// Puts a part of another input here.
    fn splice(&self, input: &mut Input, other: &Input, random: &mut Rng) {
        let Some(at) = self.buffer(input, random) else {
            let arguments = input.arguments.iter_mut().zip(&other.arguments);
            for (own, theirs) in arguments {
                if let (Datum::Word(own), Datum::Word(theirs)) = (own, theirs)
                    && random.bool()
                {
                    *own = *theirs;
                }
            }
            return;
        };
        let of = input.objects[at].of;
        let alike: Vec<&Object> =
            other.objects.iter().filter(|it| it.of == of && !it.elements.is_empty()).collect();
        if alike.is_empty() || self.program.has_pointers(of) {
            return;
        }
        let theirs = &alike[random.usize(..alike.len())].elements;
        let before = input.objects[at].elements.len();
        let (cut, from) = (random.usize(..=before), random.usize(..theirs.len()));
        let elements = &mut input.objects[at].elements;
        elements.truncate(cut);
        elements.extend_from_slice(&theirs[from..]);
        let most = self.most(&input.objects[at]);
        input.objects[at].elements.truncate(most);
        let after = input.objects[at].elements.len();
        follow(input, before, after);
        keep_inside(input, at);
    }

    /// Some object with elements that can be moved about.
    fn buffer(&self, input: &Input, random: &mut Rng) -> Option<usize> {
        let can = |object: &Object| !object.elements.is_empty() && self.most(object) > 1;
        let buffers: Vec<usize> =
            input.objects.iter().enumerate().filter(|(_, it)| can(it)).map(|(at, _)| at).collect();
        (!buffers.is_empty()).then(|| buffers[random.usize(..buffers.len())])
    }

    /// How many elements an object may have. A struct with pointers is a node, and one of a kind.
    fn most(&self, object: &Object) -> usize {
        match object.constant {
            _ if self.program.has_pointers(object.of) => object.elements.len(),
            true => self.space.size as usize,
            false => self.space.size.min(MOST_OBSERVED) as usize,
        }
    }

    /// Calls with one of the numbers.
    fn at_number(
        &self,
        input: &mut Input,
        random: &mut Rng,
        mut act: impl FnMut(TypeId, &mut Word, &mut Rng),
    ) {
        let parameters = &self.program.function(self.function).signature.parameters;
        let places = input.arguments.len() + input.globals.len() + input.results.len();
        // An object is as likely to be chosen as an argument, or more so.
        let Some(places) = Some(places + 2 * input.objects.len()).filter(|places| *places > 0) else {
            return;
        };
        let mut at = random.usize(..places);
        if at < input.arguments.len() {
            return self.in_number(parameters[at].of, &mut input.arguments[at], random, &mut act);
        }
        at -= input.arguments.len();
        if at < input.globals.len() {
            let (global, datum) = &mut input.globals[at];
            return self.in_number(self.program.global(*global).of, datum, random, &mut act);
        }
        at -= input.globals.len();
        if at < input.results.len() {
            let (external, results) = &mut input.results[at];
            let of = self.program.external(*external).result;
            let Some((of, count)) = of.zip(Some(results.len()).filter(|it| *it > 0)) else { return };
            return self.in_number(of, &mut results[random.usize(..count)], random, &mut act);
        }
        let object = &mut input.objects[(at - input.results.len()) / 2];
        if let Some(count) = Some(object.elements.len()).filter(|it| *it > 0) {
            self.in_number(object.of, &mut object.elements[random.usize(..count)], random, &mut act);
        }
    }

    /// Calls with one of the numbers of a value, if it has any.
    fn in_number(
        &self,
        of: TypeId,
        datum: &mut Datum,
        random: &mut Rng,
        act: &mut impl FnMut(TypeId, &mut Word, &mut Rng),
    ) {
        match datum {
            Datum::Word(word) => act(of, word, random),
            Datum::Aggregate(parts) if !parts.is_empty() => {
                let at = random.usize(..parts.len());
                let of = match self.program.of(of) {
                    Type::Array { of, .. } => *of,
                    Type::Record(record) => self.program.parts(record)[at].of,
                    _ => of,
                };
                self.in_number(of, &mut parts[at], random, act);
            }
            _ => {}
        }
    }
}

/// A bound that is small more often than large.
fn below(random: &mut Rng) -> u128 {
    1 << random.u32(1..=MOST_SMALL)
}

fn small(random: &mut Rng) -> u128 {
    let below = below(random);
    random.u128(..below)
}

fn is_float(program: &Program, of: TypeId) -> bool {
    matches!(program.of(of), Type::Float(_))
}

/// Whether an object is bytes with a zero at its end.
fn is_ended(object: &Object) -> bool {
    matches!(object.elements.last(), Some(Datum::Word(word)) if word.width() == 8 && word.is_zero())
}

fn end(object: &mut Object) {
    if let Some(last) = object.elements.last_mut() {
        *last = Datum::Word(Word::zero(8));
    }
}

/// Pointers into a buffer that has become shorter stay within it.
pub(super) fn keep_inside(input: &mut Input, object: usize) {
    let length = input.objects[object].elements.len() as u32;
    each_datum(input, |datum| match datum {
        Datum::Pointer { object: found, element } if *found as usize == object => {
            *element = (*element).min(length);
        }
        _ => {}
    });
}

/// Gives each pointer a buffer of its own. An element that was copied may have a pointer that the first one
/// has, too.
fn separate(input: &mut Input) {
    loop {
        let (mut seen, mut copied) = (HashSet::new(), Vec::new());
        let count = input.objects.len();
        each_datum(input, |datum| {
            let Datum::Pointer { object, .. } = datum else { return };
            if seen.insert(*object) {
                return;
            }
            if count + copied.len() < MOST_OBJECTS {
                copied.push(*object as usize);
                *object = (count + copied.len() - 1) as u32;
            } else {
                *datum = Datum::Null;
            }
        });
        if copied.is_empty() {
            return;
        }
        let copies: Vec<Object> = copied.into_iter().map(|object| input.objects[object].clone()).collect();
        input.objects.extend(copies);
    }
}

/// Numbers that say how long a buffer is, or one less, change with it. Whether there are any.
pub(super) fn follow(input: &mut Input, before: usize, after: usize) -> bool {
    let mut any = false;
    let outer = input.arguments.iter_mut().chain(input.globals.iter_mut().map(|(_, datum)| datum));
    let fields = input.objects.iter_mut().filter(|it| it.elements.len() == 1).flat_map(|it| &mut it.elements);
    for datum in outer.chain(fields) {
        in_each(datum, &mut |datum| {
            let Datum::Word(word) = datum else { return };
            let size = word.signed();
            let less = before as i128 - size;
            if word.width() > 8 && (0..=1).contains(&less) {
                *word = Word::from_signed(word.width(), after as i128 - less);
                any = true;
            }
        });
    }
    any
}

/// Calls with each part of an input that has no parts.
fn each_datum(input: &mut Input, mut act: impl FnMut(&mut Datum)) {
    let globals = input.globals.iter_mut().map(|(_, datum)| datum);
    let results = input.results.iter_mut().flat_map(|(_, results)| results);
    let elements = input.objects.iter_mut().flat_map(|object| &mut object.elements);
    for datum in input.arguments.iter_mut().chain(globals).chain(results).chain(elements) {
        in_each(datum, &mut act);
    }
}

fn each_word(input: &mut Input, mut act: impl FnMut(&mut Word)) {
    each_datum(input, |datum| {
        if let Datum::Word(word) = datum {
            act(word);
        }
    });
}

fn in_each(datum: &mut Datum, act: &mut impl FnMut(&mut Datum)) {
    match datum {
        Datum::Aggregate(parts) => parts.iter_mut().for_each(|part| in_each(part, act)),
        other => act(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_to_one_buffer_become_pointers_to_equal_ones() {
        let to = |object| Datum::Pointer { object, element: 0 };
        let number = |number| Datum::Word(Word::new(32, number));
        let object = |elements| Object { of: TypeId(0), elements, constant: false };
        let objects = vec![object(vec![to(1), to(1)]), object(vec![number(7)])];
        let mut input = Input { arguments: vec![to(0)], objects, ..Input::default() };
        separate(&mut input);
        assert_eq!(input.objects[0].elements, [to(1), to(2)]);
        assert_eq!(input.objects[2].elements, [number(7)]);
        let before = input.clone();
        separate(&mut input);
        assert_eq!(input, before);
    }
}
