//! Reading and writing an object at an offset that may be a choice: every place that it can mean is looked
//! at.

use bv::{Domain, Term};
use ir::step::Value;

use super::value::{join, slice};
use super::{Access, Expanse, Object, Possible, Trouble, choose, number};

/// An access that may mean more places than this is given up.
pub(super) const PLACES: usize = 4_096;

/// Up to this many places are compared one by one; more are found by the bits of the offset.
const COMPARED: usize = 16;

/// The largest unit that a block of bytes is moved in.
const LARGEST_UNIT: u64 = 8;

impl Access<'_> {
    /// What an object holds at an offset. None if no place that the offset can mean is within the object.
    pub(super) fn read(
        &mut self,
        object: &Object,
        offset: Term,
        bytes: u32,
    ) -> Result<Option<Value<Term>>, Trouble> {
        if let Some(lack) = self.terms.lack() {
            return Err(Trouble::Lack(lack));
        }
        if let Some(expanse) = &object.expanse {
            return self.read_words(expanse, offset, bytes).map(Some);
        }
        let places = self.places(object, offset, bytes)?;
        let Some((last, rest)) = places.split_last() else { return Ok(None) };
        if let Some(step) = even_step(&places).filter(|_| rest.len() >= COMPARED) {
            let values: Vec<Value<Term>> =
                places.iter().map(|at| object.read(self.terms, *at, bytes)).collect();
            // Counted from zero, so that the bits of the offset are the bits of the index.
            let first = (places[0] / step) as usize;
            return Ok(Some(self.by_bits(&values, first, offset, step.trailing_zeros())));
        }
        let mut found = object.read(self.terms, *last, bytes);
        for at in rest.iter().rev() {
            let value = object.read(self.terms, *at, bytes);
            let here = self.terms.equal(offset, number(*at));
            found = choose(self.terms, here, value, found);
        }
        Ok(Some(found))
    }

    /// Writes a value at an offset if a condition holds; None: always.
    pub(super) fn write(
        &mut self,
        object: &mut Object,
        offset: Term,
        value: Value<Term>,
        condition: Option<Term>,
    ) -> Result<(), Trouble> {
        if let Some(lack) = self.terms.lack() {
            return Err(Trouble::Lack(lack));
        }
        if let Some(expanse) = &mut object.expanse {
            return self.write_words(expanse, offset, value, condition);
        }
        let bytes = self.terms.width(&value.word) / 8;
        let places = self.places(object, offset, bytes)?;
        let single = places.len() == 1 && self.terms.known(&offset).is_some();
        for at in places {
            let here = if single { None } else { Some(self.terms.equal(offset, number(at))) };
            let Some(condition) = self.both(condition, here) else {
                object.write(self.terms, at, value);
                continue;
            };
            let before = object.read(self.terms, at, bytes);
            let after = choose(self.terms, condition, value, before);
            if after != before {
                object.write(self.terms, at, after);
            }
        }
        Ok(())
    }

    /// Chooses between values by the bits of an offset, from this bit upwards. `first` is the index of the
    /// first value.
    fn by_bits(&mut self, values: &[Value<Term>], first: usize, offset: Term, bit: u32) -> Value<Term> {
        let mut values: Vec<Option<Value<Term>>> =
            std::iter::repeat_n(None, first).chain(values.iter().copied().map(Some)).collect();
        let mut bit = bit;
        while values.len() > 1 {
            let odd = self.terms.extract(offset, bit, bit);
            let pair = |pair: &[Option<Value<Term>>]| match (pair[0], pair.get(1).copied().flatten()) {
                (Some(even), Some(other)) => Some(choose(self.terms, odd, other, even)),
                (even, other) => even.or(other),
            };
            values = values.chunks(2).map(pair).collect();
            bit += 1;
        }
        values[0].expect("there is one value at least")
    }

    /// What an object of any size holds.
    fn read_words(&mut self, expanse: &Expanse, offset: Term, bytes: u32) -> Result<Value<Term>, Trouble> {
        let unit = self.whole_words(expanse, offset, bytes)?;
        let mut words = Vec::new();
        for at in (0..bytes).step_by(unit as usize) {
            let place = self.plus(offset, at);
            words.push(Value::of(expanse.read(self.terms, place)));
        }
        Ok(join(self.terms, &words))
    }

    fn write_words(
        &mut self,
        expanse: &mut Expanse,
        offset: Term,
        value: Value<Term>,
        condition: Option<Term>,
    ) -> Result<(), Trouble> {
        let bytes = self.terms.width(&value.word) / 8;
        let unit = self.whole_words(expanse, offset, bytes)?;
        if value.undefined.is_some() {
            return Err(Trouble::NoWord);
        }
        let condition = self.when(condition);
        for at in (0..bytes).step_by(unit as usize) {
            let place = self.plus(offset, at);
            let word = slice(self.terms, &value, 8 * at, 8 * unit).word;
            expanse.write(condition, place, word);
        }
        Ok(())
    }

    /// The bytes of a word, if so many bytes at an offset are whole words.
    fn whole_words(&mut self, expanse: &Expanse, offset: Term, bytes: u32) -> Result<u32, Trouble> {
        let unit = expanse.start.unit;
        let whole = bytes.is_multiple_of(unit) && self.unit(&[offset]).is_multiple_of(unit);
        whole.then_some(unit).ok_or(Trouble::NoWord)
    }

    /// The places within an object that an offset can mean.
    fn places(&mut self, object: &Object, offset: Term, bytes: u32) -> Result<Vec<u32>, Trouble> {
        let Some(last) = object.capacity.checked_sub(bytes) else { return Ok(vec![]) };
        let places: Vec<u32> = match self.possible.of(self.terms, offset) {
            Possible::Few(offsets) => {
                offsets.into_iter().filter(|at| *at <= u64::from(last)).map(|at| at as u32).collect()
            }
            Possible::Steps { by, from } => {
                let by = by.min(u64::from(u32::MAX));
                (from..=u64::from(last)).step_by(by as usize).map(|at| at as u32).collect()
            }
        };
        if places.len() > PLACES { Err(Trouble::TooLarge) } else { Ok(places) }
    }

    /// The largest unit of which all these words are multiples.
    pub(super) fn unit(&mut self, words: &[Term]) -> u32 {
        let mut unit = LARGEST_UNIT;
        for word in words {
            let possible = self.possible.of(self.terms, *word);
            while unit > 1 && !possible.is_multiple_of(unit) {
                unit /= 2;
            }
        }
        unit as u32
    }

    pub(super) fn plus(&mut self, offset: Term, by: u32) -> Term {
        self.terms.add(offset, number(by))
    }
}

/// The power of two that all places are apart by, if the first is a multiple of it.
fn even_step(places: &[u32]) -> Option<u32> {
    let step = places.get(1)? - places[0];
    let is_even = places.windows(2).all(|pair| pair[1] - pair[0] == step);
    (is_even && step.is_power_of_two() && places[0].is_multiple_of(step)).then_some(step)
}
