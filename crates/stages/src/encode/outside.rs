//! Calls to the outside, as terms.
//!
//! The calls of a run are one long list of words: which function, then its arguments, text byte by byte. Two runs
//! called the same functions with the same arguments just if their lists are equal. Where ways with lists of different lengths have
//! joined, the end of the list is a choice, and what is added goes to wherever the end is.

use bv::{Domain, Term, Terms, Word};
use ir::step::Value;
use ir::{Argument, ExternalId, Program, Type, TypeId};
use rustc_hash::FxHashMap;

use super::State;
use super::memory::{Access, Memory, Trouble};
use super::object::Object;
use super::possible::Possible;
use crate::skeleton::Skeleton;

#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// The list, in words of 64 bits. Beyond its end there are zeros.
    pub words: Vec<Term>,
    /// Where the list ends, in 32 bits; None at the start.
    pub length: Option<Term>,
    /// How many results each function has given, in 32 bits.
    taken: FxHashMap<ExternalId, Term>,
}

/// Longer lists are more than a test should have to do with.
const LONGEST: usize = 2_000;

/// Longer texts are not followed.
const TEXT: u32 = 300;

/// How many pointers in a row whoever is called may follow.
const DEEP: u32 = 2;

impl Outside {
    /// Takes in the list of another way, which was taken if the condition holds.
    pub fn merge(&mut self, terms: &mut Terms, condition: Term, other: &Outside) {
        if self.length != other.length || self.words != other.words {
            let zero = terms.constant(Word::zero(64));
            self.words.resize(self.words.len().max(other.words.len()), zero);
            for (at, word) in self.words.iter_mut().enumerate() {
                let theirs = other.words.get(at).copied().unwrap_or(zero);
                *word = terms.ite(condition, theirs, *word);
            }
            let none = terms.constant(Word::zero(32));
            let (ours, theirs) = (self.length.unwrap_or(none), other.length.unwrap_or(none));
            self.length = Some(terms.ite(condition, theirs, ours));
        }
        let mut functions: Vec<ExternalId> = self.taken.keys().chain(other.taken.keys()).copied().collect();
        functions.sort_unstable();
        functions.dedup();
        for function in functions {
            let none = terms.constant(Word::zero(32));
            let count = |outside: &Outside| outside.taken.get(&function).copied().unwrap_or(none);
            let (ours, theirs) = (count(self), count(other));
            self.taken.insert(function, terms.ite(condition, theirs, ours));
        }
    }

    /// Adds a word at the end of the list, if a condition holds.
    fn add(&mut self, access: &mut Access, word: Term, condition: Term) -> Result<(), Trouble> {
        let none = access.terms.constant(Word::zero(32));
        let length = self.length.unwrap_or(none);
        let Possible::Few(ends) = access.possible.of(access.terms, length) else {
            return Err(Trouble::TooLarge);
        };
        let most = ends.last().copied().unwrap_or(0) as usize;
        if most >= LONGEST {
            return Err(Trouble::TooLarge);
        }
        let zero = access.terms.constant(Word::zero(64));
        self.words.resize(self.words.len().max(most + 1), zero);
        for end in ends {
            let constant = access.terms.constant(Word::new(32, end.into()));
            let here = access.terms.equal(length, constant);
            let here = access.terms.and(here, condition);
            let slot = &mut self.words[end as usize];
            *slot = access.terms.ite(here, word, *slot);
        }
        let one = access.terms.constant(Word::one(32));
        let longer = access.terms.add(length, one);
        self.length = Some(access.terms.ite(condition, longer, length));
        Ok(())
    }
}

/// Calls a function without a body: what it returns, and the condition under which it was called too often.
pub fn call(
    program: &Program,
    inputs: &Skeleton,
    access: &mut Access,
    state: &mut State,
    id: ExternalId,
    arguments: &[Argument],
    words: &[Term],
) -> Result<(Option<Term>, Term), Trouble> {
    let State { memory, outside } = state;
    let always = access.terms.truth(true);
    let never = access.terms.truth(false);
    let name = access.terms.constant(Word::new(64, u128::from(id.0) + 1));
    outside.add(access, name, always)?;
    for (argument, word) in arguments.iter().zip(words) {
        if argument.text {
            // Characters until the end; the end itself separates the text from what follows.
            let mut goes_on = always;
            for at in 0..TEXT {
                let by = access.terms.constant(Word::new(64, at.into()));
                let mut far = vec![];
                let place = ir::step::offset(access.terms, Value::of(*word), Value::of(by), &mut far);
                let before = access.faults.len();
                let byte = memory.load(access, place.word, 1)?;
                let byte = ir::step::used(access.terms, byte, &mut access.faults);
                // Nobody reads beyond the end of the text.
                for at in before..access.faults.len() {
                    access.faults[at].1 = access.terms.and(access.faults[at].1, goes_on);
                }
                let wide = access.terms.zext(byte, 64);
                outside.add(access, wide, goes_on)?;
                let zero = access.terms.constant(Word::zero(8));
                let more = access.terms.ne(byte, zero);
                goes_on = access.terms.and(goes_on, more);
                // Where the access was out of bounds, the fault has ended the run.
                let broken: Vec<Term> =
                    access.faults[before..].iter().map(|(_, condition)| *condition).collect();
                for condition in broken {
                    let fine = access.terms.not(condition);
                    goes_on = access.terms.and(goes_on, fine);
                }
                if access.terms.known(&goes_on) == Some(Word::truth(false)) {
                    break;
                }
            }
            if access.terms.known(&goes_on) != Some(Word::truth(false)) {
                return Err(Trouble::TooLarge);
            }
            continue;
        }
        let word = match program.of(argument.of) {
            Type::Float(_) => super::compare::canonical(access.terms, *word),
            _ => *word,
        };
        let width = access.terms.width(&word);
        let wide = if width < 64 { access.terms.zext(word, 64) } else { word };
        outside.add(access, wide, always)?;
        if let Type::Pointer(pointer) = program.of(argument.of) {
            add_contents(program, access, memory, outside, (pointer.to, word), DEEP)?;
        }
    }
    let external = program.external(id);
    let Some(of) = external.result else { return Ok((None, never)) };
    let slots = inputs.results.iter().find(|(given, _)| *given == id).map(|(_, slots)| slots.as_slice());
    let Some(slots) = slots else {
        let width = program.width(of).unwrap_or(ir::POINTER_WIDTH);
        return Ok((Some(access.terms.constant(Word::zero(width))), never));
    };
    let none = access.terms.constant(Word::zero(32));
    let taken = outside.taken.get(&id).copied().unwrap_or(none);
    let mut result: Option<Term> = None;
    for (at, slot) in slots.iter().enumerate().rev() {
        let word = inputs.word(program, access.terms, slot);
        let constant = access.terms.constant(Word::new(32, at as u128));
        let here = access.terms.equal(taken, constant);
        result = Some(match result {
            None => word,
            Some(later) => super::memory::choose(access.terms, here, Value::of(word), Value::of(later)).word,
        });
    }
    let one = access.terms.constant(Word::one(32));
    let next = access.terms.add(taken, one);
    outside.taken.insert(id, next);
    let most = access.terms.constant(Word::new(32, slots.len() as u128));
    let too_many = access.terms.uge(taken, most);
    Ok((result, too_many))
}

/// Adds what lies in the object that a pointer leads to, at the time of the call. Whoever is called may look at all of it, and
/// follow the pointers there.
fn add_contents(
    program: &Program,
    access: &mut Access,
    memory: &Memory,
    outside: &mut Outside,
    (of, pointer): (TypeId, Term),
    depth: u32,
) -> Result<(), Trouble> {
    let always = access.terms.truth(true);
    let object = access.split(pointer).object;
    let Possible::Few(numbers) = access.possible.of(access.terms, object) else {
        return Err(Trouble::UnknownPointer);
    };
    for number in numbers {
        let Some(target) = memory.get(number as u32).filter(|target| !target.constant) else { continue };
        let constant = access.terms.constant(Word::new(32, number.into()));
        let here = access.terms.equal(object, constant);
        let size = access.terms.zext(target.size, 64);
        let zero = access.terms.constant(Word::zero(64));
        let size = access.terms.ite(here, size, zero);
        outside.add(access, size, always)?;
        let capacity = if target.is_untouched() { 0 } else { target.capacity };
        for at in (0..capacity).step_by(8) {
            let bytes = (capacity - at).min(8);
            let Value { word, undefined } = target.read(access.terms, at, bytes);
            let zero = access.terms.constant(Word::zero(8 * bytes));
            // What nobody has assigned, nobody compares.
            let assigned = undefined.map_or(word, |mask| {
                let kept = access.terms.not(mask);
                access.terms.and(word, kept)
            });
            let shown = access.terms.ite(here, assigned, zero);
            let wide = if bytes < 8 { access.terms.zext(shown, 64) } else { shown };
            outside.add(access, wide, always)?;
        }
        if depth > 1 && program.has_pointers(of) {
            let target = target.clone();
            add_deeper(program, access, memory, outside, (of, &target, here), depth - 1)?;
        }
    }
    Ok(())
}

/// Adds what the pointers in an object lead to, taken as elements of a type, if a condition holds.
fn add_deeper(
    program: &Program,
    access: &mut Access,
    memory: &Memory,
    outside: &mut Outside,
    (of, target, here): (TypeId, &Object, Term),
    depth: u32,
) -> Result<(), Trouble> {
    let size = program.size(of).max(1);
    let null = access.terms.constant(Word::zero(ir::POINTER_WIDTH));
    for element in 0..u64::from(target.capacity) / size {
        for (offset, to) in program.pointers(of) {
            let at = (element * size + offset) as u32;
            let Value { word, undefined } = target.read(access.terms, at, 8);
            // A part of a pointer leads nowhere, and neither does what nobody has assigned.
            let known = if undefined.is_some() { null } else { word };
            let pointer = access.terms.ite(here, known, null);
            add_contents(program, access, memory, outside, (to, pointer), depth)?;
        }
    }
    Ok(())
}
