//! Memory as terms: which object an access means, and what it finds. Whether it is allowed is asked of [`ir::rules`].
//!
//! A pointer's object is a constant, or a choice between a few where ways have joined; each alternative
//! is encoded under the condition that it is the one. An offset that the input decides is compared with
//! each place that it can mean.

use std::rc::Rc;

use bv::{Domain, Node, Op, Term, Terms, Word};
use ir::rules;
use ir::step::{Faults, OBJECT, OFFSET, Value, trimmed};
use rustc_hash::FxHashMap;

use super::expanse::Expanse;
use super::object::{Object, join, slice};
use super::possible::{Possibilities, Possible};

/// All objects by number. What one way has made and the other has not is kept: only pointers of the one lead there.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    objects: FxHashMap<u32, Rc<Object>>,
}

/// Why an access cannot be encoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The pointer was not made by the program, as far as we can see.
    UnknownPointer,
    /// The access may mean too many places.
    TooLarge,
    /// The access is to a part of a word, or brings something that is not assigned, in an object of any size.
    NoWord,
    /// Nobody executes this.
    Unsupported(String),
}

impl Trouble {
    pub fn text(self) -> String {
        match self {
            Trouble::UnknownPointer => "a pointer that is made of other things than pointers".to_string(),
            Trouble::TooLarge => "an access that may mean too many places".to_string(),
            Trouble::NoWord => "an access to a part of a word".to_string(),
            Trouble::Unsupported(what) => what,
        }
    }
}

/// More places than this for one access are too many.
const PLACES: usize = 4_096;

/// Up to this many places are compared one by one; more are found by the bits of the offset.
const COMPARED: usize = 16;

/// One object that a pointer may lead to.
struct Target {
    number: u32,
    /// That it does; None if it always does.
    condition: Option<Term>,
}

/// A pointer taken apart.
pub type Pointer = rules::Pointer<Term>;

/// What accesses share.
pub struct Access<'a> {
    pub terms: &'a mut Terms,
    pub possible: &'a mut Possibilities,
    pub faults: Faults<Term>,
}

impl Memory {
    pub fn insert(&mut self, number: u32, object: Object) {
        self.objects.insert(number, Rc::new(object));
    }

    /// All objects, in the order of their numbers.
    pub fn objects(&self) -> impl Iterator<Item = (u32, &Object)> {
        let mut all: Vec<(u32, &Object)> =
            self.objects.iter().map(|(number, object)| (*number, object.as_ref())).collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter()
    }

    pub fn get(&self, number: u32) -> Option<&Object> {
        self.objects.get(&number).map(Rc::as_ref)
    }

    pub fn get_mut(&mut self, number: u32) -> Option<&mut Object> {
        self.objects.get_mut(&number).map(Rc::make_mut)
    }

    /// The word of so many bytes that a pointer leads to.
    pub fn load(&self, access: &mut Access, pointer: Term, bytes: u32) -> Result<Value<Term>, Trouble> {
        let pointer = access.split(pointer);
        let targets = self.targets(access, pointer, None)?;
        let length = access.number(bytes.into());
        let mut found: Option<Value<Term>> = None;
        for target in targets {
            let read = rules::Access::Read;
            let Some(object) = self.reach(access, &target, pointer.offset, length, read, None) else {
                continue;
            };
            let Some(value) = access.read(object, pointer.offset, bytes)? else { continue };
            found = Some(match (found, target.condition) {
                (Some(found), Some(condition)) => access.choose(condition, value, found),
                (Some(found), None) => found,
                (None, _) => value,
            });
        }
        let nothing = access.terms.constant(Word::zero(8 * bytes));
        Ok(found.unwrap_or(Value::of(nothing)))
    }

    /// Writes a word.
    pub fn store(&mut self, access: &mut Access, pointer: Term, value: Value<Term>) -> Result<(), Trouble> {
        let bytes = access.terms.width(&value.word) / 8;
        let pointer = access.split(pointer);
        let length = access.number(bytes.into());
        for target in self.targets(access, pointer, None)? {
            if self.reach(access, &target, pointer.offset, length, rules::Access::Write, None).is_none() {
                continue;
            }
            let object = self.get_mut(target.number).expect("it was reached");
            access.write(object, pointer.offset, value, target.condition)?;
        }
        Ok(())
    }

    /// Copies bytes, the number of which may be anything.
    pub fn copy(
        &mut self,
        access: &mut Access,
        to: Term,
        from: Term,
        length: Term,
        overlap: bool,
    ) -> Result<(), Trouble> {
        let (to, from) = (access.split(to), access.split(from));
        let length = rules::length(access.terms, &length);
        let some = rules::touches(access.terms, &length);
        let (targets, sources) =
            (self.targets(access, to, Some(some))?, self.targets(access, from, Some(some))?);
        if !overlap {
            rules::apart(access.terms, &to, &from, &length, &mut access.faults);
        }
        // Everything is read before anything is written, as `memmove` has it.
        let unit = access.unit(&[to.offset, from.offset, length]);
        let most = self.most(access, &targets, &sources, length);
        if most > PLACES as u32 {
            return Err(Trouble::TooLarge);
        }
        let before = self.clone();
        for source in &sources {
            self.reach(access, source, from.offset, length, rules::Access::Read, Some(some));
        }
        for target in &targets {
            if self.reach(access, target, to.offset, length, rules::Access::Write, Some(some)).is_none() {
                continue;
            }
            for at in (0..most).step_by(unit as usize) {
                let unit = unit.min(most - at);
                let inside = access.reaches(length, at);
                if access.is(inside, false) {
                    break;
                }
                let value = before.unit(access, &sources, from.offset, at, unit)?;
                let Some(value) = value else { continue };
                let offset = access.plus(to.offset, at);
                let condition = access.both(target.condition, Some(inside));
                let object = self.get_mut(target.number).expect("it was reached");
                access.write(object, offset, value, condition)?;
            }
        }
        Ok(())
    }

    /// Some bytes of whatever the source is.
    fn unit(
        &self,
        access: &mut Access,
        sources: &[Target],
        offset: Term,
        at: u32,
        bytes: u32,
    ) -> Result<Option<Value<Term>>, Trouble> {
        let offset = access.plus(offset, at);
        let mut found: Option<Value<Term>> = None;
        for source in sources {
            let Some(object) = self.get(source.number) else { continue };
            let Some(value) = access.read(object, offset, bytes)? else { continue };
            found = Some(match (found, source.condition) {
                (Some(found), Some(condition)) => access.choose(condition, value, found),
                _ => value,
            });
        }
        Ok(found)
    }

    pub fn fill(
        &mut self,
        access: &mut Access,
        to: Term,
        byte: Value<Term>,
        length: Term,
    ) -> Result<(), Trouble> {
        let to = access.split(to);
        let length = rules::length(access.terms, &length);
        let some = rules::touches(access.terms, &length);
        let targets = self.targets(access, to, Some(some))?;
        let most = self.most(access, &targets, &targets, length);
        if most > PLACES as u32 {
            return Err(Trouble::TooLarge);
        }
        for target in &targets {
            if self.reach(access, target, to.offset, length, rules::Access::Write, Some(some)).is_none() {
                continue;
            }
            for at in 0..most {
                let inside = access.reaches(length, at);
                if access.is(inside, false) {
                    break;
                }
                let offset = access.plus(to.offset, at);
                let condition = access.both(target.condition, Some(inside));
                let object = self.get_mut(target.number).expect("it was reached");
                access.write(object, offset, byte, condition)?;
            }
        }
        Ok(())
    }

    /// The most bytes that an operation of this length can touch.
    fn most(&self, access: &mut Access, targets: &[Target], sources: &[Target], length: Term) -> u32 {
        let capacity = |targets: &[Target]| {
            targets.iter().filter_map(|target| self.get(target.number)).map(|object| object.capacity).max()
        };
        let room = capacity(targets).unwrap_or(0).min(capacity(sources).unwrap_or(0));
        let Possible::Few(lengths) = access.possible.of(access.terms, length) else { return room };
        // What has no room is out of bounds, and nothing is copied there.
        let fitting = lengths.into_iter().filter(|length| *length <= u64::from(room)).max();
        fitting.unwrap_or(0) as u32
    }

    /// Ends the life of an object on the heap.
    pub fn free(&mut self, access: &mut Access, pointer: Term) -> Result<(), Trouble> {
        let pointer = access.split(pointer);
        for Target { number, condition } in self.targets_or_none(access, pointer)? {
            let facts = self.get(number).map(Object::facts);
            let (facts, when) = (facts.as_ref(), condition.as_ref());
            if !rules::free(access.terms, number, facts, &pointer.offset, when, &mut access.faults) {
                continue;
            }
            let here = access.when(condition);
            let lives_on = access.terms.not(here);
            let object = self.get_mut(number).expect("there is one to free");
            object.alive = access.terms.and(object.alive, lives_on);
        }
        Ok(())
    }

    /// The size of an object on the heap, in 64 bits.
    pub fn extent(&self, access: &mut Access, pointer: Term) -> Result<Term, Trouble> {
        let pointer = access.split(pointer);
        let mut size = access.number(0);
        for Target { number, condition } in self.targets_or_none(access, pointer)? {
            let facts = self.get(number).map(Object::facts);
            let when = condition.as_ref();
            rules::extent(access.terms, facts.as_ref(), &pointer.offset, when, &mut access.faults);
            if let Some(facts) = facts {
                let here = access.when(condition);
                size = access.terms.ite(here, facts.size, size);
            }
        }
        Ok(access.terms.zext(size, 64))
    }

    /// Takes in what another way has done, which was taken if the condition holds.
    pub fn merge(&mut self, access: &mut Access, condition: Term, other: &Memory) {
        // In the order of their numbers, so that terms are made in the same order on every run.
        let mut numbers: Vec<u32> = other.objects.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let theirs = &other.objects[&number];
            let Some(ours) = self.objects.get_mut(&number) else {
                self.objects.insert(number, Rc::clone(theirs));
                continue;
            };
            if Rc::ptr_eq(ours, theirs) {
                continue;
            }
            let seams = ours.seams(access.terms, theirs);
            let ours = Rc::make_mut(ours);
            ours.alive = access.terms.ite(condition, theirs.alive, ours.alive);
            if let (Some(ours), Some(theirs)) = (&mut ours.expanse, &theirs.expanse) {
                ours.merge(access.terms, condition, theirs);
            }
            for (at, bytes) in seams {
                let (one, other) = (theirs.read(access.terms, at, bytes), ours.read(access.terms, at, bytes));
                if one != other {
                    let value = access.choose(condition, one, other);
                    ours.write(access.terms, at, value);
                }
            }
        }
    }

    /// The objects that a pointer may lead to; that it may be null, or none of them, is a fault where the access happens.
    fn targets(
        &self,
        access: &mut Access,
        pointer: Pointer,
        happens: Option<Term>,
    ) -> Result<Vec<Target>, Trouble> {
        let mut targets = self.targets_or_none(access, pointer)?;
        targets.retain(|target| {
            if !self.objects.contains_key(&target.number) {
                let condition = access.both(target.condition, happens);
                let condition = access.when(condition);
                access.faults.push((rules::no_object(target.number), condition));
            }
            self.objects.contains_key(&target.number)
        });
        Ok(targets)
    }

    fn targets_or_none(&self, access: &mut Access, pointer: Pointer) -> Result<Vec<Target>, Trouble> {
        let Possible::Few(numbers) = access.possible.of(access.terms, pointer.object) else {
            return Err(Trouble::UnknownPointer);
        };
        if let [number] = numbers[..] {
            return Ok(vec![Target { number: number as u32, condition: None }]);
        }
        let target = |number: u64| {
            let constant = access.terms.constant(Word::new(32, number.into()));
            let condition = access.terms.equal(pointer.object, constant);
            Target { number: number as u32, condition: Some(condition) }
        };
        Ok(numbers.into_iter().map(target).collect())
    }

    /// Notes what is wrong with an access to an object, which happens under a condition; None if it can never be right.
    fn reach(
        &self,
        access: &mut Access,
        target: &Target,
        offset: Term,
        length: Term,
        how: rules::Access,
        happens: Option<Term>,
    ) -> Option<&Object> {
        let object = self.get(target.number)?;
        let when = access.both(target.condition, happens);
        let facts = object.facts();
        rules::access(access.terms, &facts, &offset, &length, how, when.as_ref(), &mut access.faults)
            .then_some(object)
    }
}

impl Access<'_> {
    /// Takes a pointer apart, through the choices that it is made of.
    pub fn split(&mut self, pointer: Term) -> Pointer {
        if let Node::Apply(Op::Ite, arguments) = self.terms.node(pointer) {
            let [condition, then, otherwise] = [arguments[0], arguments[1], arguments[2]];
            let (one, other) = (self.split(then), self.split(otherwise));
            return Pointer {
                object: self.terms.ite(condition, one.object, other.object),
                offset: self.terms.ite(condition, one.offset, other.offset),
            };
        }
        let object = self.terms.apply(OBJECT, &[pointer]);
        let offset = self.terms.apply(OFFSET, &[pointer]);
        Pointer { object, offset }
    }

    pub fn choose(&mut self, condition: Term, a: Value<Term>, b: Value<Term>) -> Value<Term> {
        choose(self.terms, condition, a, b)
    }

    /// What an object holds at an offset that may be a choice; None if no place is within it.
    fn read(&mut self, object: &Object, offset: Term, bytes: u32) -> Result<Option<Value<Term>>, Trouble> {
        if let Some(expanse) = &object.expanse {
            return self.read_words(expanse, offset, bytes).map(Some);
        }
        let places = self.places(object, offset, bytes)?;
        let Some((last, rest)) = places.split_last() else { return Ok(None) };
        if rest.len() >= COMPARED && places.windows(2).all(|pair| pair[1] - pair[0] == places[1] - places[0])
        {
            let step = places[1] - places[0];
            if step.is_power_of_two() && places[0] % step == 0 {
                let bit = step.trailing_zeros();
                let values: Vec<Value<Term>> =
                    places.iter().map(|at| object.read(self.terms, *at, bytes)).collect();
                // Counted from zero, so that the bits of the offset are the bits of the index.
                let first = (places[0] / step) as usize;
                return Ok(Some(self.by_bits(&values, first, offset, bit)));
            }
        }
        let mut found = object.read(self.terms, *last, bytes);
        for at in rest.iter().rev() {
            let value = object.read(self.terms, *at, bytes);
            let here = self.is_at(offset, *at);
            found = self.choose(here, value, found);
        }
        Ok(Some(found))
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

    /// Chooses between values by the bits of an offset, the lowest of which is given. `first` is the index of the first one.
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

    fn write(
        &mut self,
        object: &mut Object,
        offset: Term,
        value: Value<Term>,
        condition: Option<Term>,
    ) -> Result<(), Trouble> {
        if let Some(expanse) = &mut object.expanse {
            return self.write_words(expanse, offset, value, condition);
        }
        let bytes = self.terms.width(&value.word) / 8;
        let places = self.places(object, offset, bytes)?;
        let single = places.len() == 1 && self.terms.known(&offset).is_some();
        for at in places {
            let here = if single { None } else { Some(self.is_at(offset, at)) };
            let Some(condition) = self.both(condition, here) else {
                object.write(self.terms, at, value);
                continue;
            };
            let before = object.read(self.terms, at, bytes);
            let after = self.choose(condition, value, before);
            if after != before {
                object.write(self.terms, at, after);
            }
        }
        Ok(())
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

    /// How many bytes at once an operation can deal with: all places and lengths are multiples of it.
    fn unit(&mut self, words: &[Term]) -> u32 {
        let mut unit = 8;
        for word in words {
            while unit > 1 {
                let fits = match self.possible.of(self.terms, *word) {
                    Possible::Few(numbers) => numbers.iter().all(|number| number % unit == 0),
                    Possible::Steps { by, from } => by % unit == 0 && from % unit == 0,
                };
                if fits {
                    break;
                }
                unit /= 2;
            }
        }
        unit as u32
    }

    /// Whether a length goes beyond an index.
    fn reaches(&mut self, length: Term, at: u32) -> Term {
        let at = self.number(at.into());
        self.terms.ult(at, length)
    }

    fn is_at(&mut self, offset: Term, at: u32) -> Term {
        let at = self.number(at.into());
        self.terms.equal(offset, at)
    }

    fn plus(&mut self, offset: Term, by: u32) -> Term {
        let by = self.number(by.into());
        self.terms.add(offset, by)
    }

    fn number(&mut self, number: u64) -> Term {
        self.terms.constant(Word::new(32, number.into()))
    }

    fn both(&mut self, a: Option<Term>, b: Option<Term>) -> Option<Term> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.terms.and(a, b)),
            (condition, None) | (None, condition) => condition,
        }
        .filter(|condition| !self.is(*condition, true))
    }

    fn when(&mut self, condition: Option<Term>) -> Term {
        condition.unwrap_or_else(|| self.terms.truth(true))
    }

    fn is(&self, truth: Term, value: bool) -> bool {
        self.terms.known(&truth) == Some(Word::truth(value))
    }
}

/// The first value if the condition holds, else the second. Pointers stay in two halves, so that which object they are
/// into stays plain to see.
pub fn choose(terms: &mut Terms, condition: Term, a: Value<Term>, b: Value<Term>) -> Value<Term> {
    if a == b {
        return a;
    }
    let word = if looks_like_pointer(terms, a.word) || looks_like_pointer(terms, b.word) {
        let halves = [OBJECT, OFFSET].map(|half| {
            let (a, b) = (terms.apply(half, &[a.word]), terms.apply(half, &[b.word]));
            terms.ite(condition, a, b)
        });
        terms.apply(Op::Concat, &halves)
    } else {
        terms.ite(condition, a.word, b.word)
    };
    if a.undefined.is_none() && b.undefined.is_none() {
        return Value::of(word);
    }
    let width = terms.width(&word);
    let none = terms.constant(Word::zero(width));
    let (a, b) = (a.undefined.unwrap_or(none), b.undefined.unwrap_or(none));
    let undefined = Some(terms.ite(condition, a, b));
    trimmed(terms, Value { word, undefined })
}

/// Whether a word of 64 bits has a known number in its upper half, as pointers do, and something else below.
fn looks_like_pointer(terms: &Terms, word: Term) -> bool {
    match terms.node(word) {
        Node::Apply(Op::Concat, arguments)
            if terms.width(&word) == 64 && terms.width(&arguments[0]) == 32 =>
        {
            let mut top = arguments[0];
            while let Node::Apply(Op::Ite, arguments) = terms.node(top) {
                top = arguments[2];
            }
            terms.known(&top).is_some()
        }
        Node::Constant(constant) => {
            constant.width() == 64 && constant.bits() >> 32 != 0 && constant.bits() as u32 == 0
        }
        _ => false,
    }
}

/// Some bits of an object, which need not be whole bytes: a value as its type has it.
pub fn read_bits(terms: &mut Terms, object: &Object, offset: u64, width: u32) -> Value<Term> {
    let (first, low) = ((offset / 8) as u32, (offset % 8) as u32);
    let bytes = (low + width).div_ceil(8);
    let value = object.read(terms, first, bytes);
    slice(terms, &value, low, width)
}

/// Assigns some bits of an object, which need not be whole bytes.
pub fn write_bits(terms: &mut Terms, object: &mut Object, offset: u64, value: Value<Term>) {
    let width = terms.width(&value.word);
    let (first, low) = ((offset / 8) as u32, (offset % 8) as u32);
    let bytes = (low + width).div_ceil(8);
    if low == 0 && width == 8 * bytes {
        return object.write(terms, first, value);
    }
    let before = object.read(terms, first, bytes);
    let after = 8 * bytes - low - width;
    let mut pieces = vec![];
    if low > 0 {
        pieces.push(slice(terms, &before, 0, low));
    }
    pieces.push(value);
    if after > 0 {
        pieces.push(slice(terms, &before, low + width, after));
    }
    let whole = super::object::join(terms, &pieces);
    object.write(terms, first, whole);
}
