//! Calls to the outside, as terms.
//!
//! The calls of a run are one long list of words: which function, then its arguments, a text byte by byte.
//! Two runs make the same calls with the same arguments iff their lists are equal. Where paths with lists of
//! different lengths have joined, the end of the list is a choice. A word is added wherever the end may be.
//! Arguments that no stub can look at are in a list of their own: how many, then these.

use bv::formula::{add, and, equal, not};
use bv::{Domain, Term, Terms, Word};
use ir::step::Value;
use ir::{Argument, ExternalId, Type, TypeId};
use rustc_hash::FxHashMap;

use super::State;
use super::compare::canonical;
use crate::memory::{Access, Object, Possible, Trouble, choose, number};
use crate::skeleton::Skeleton;

#[derive(Clone, Debug, Default)]
pub(crate) struct Outside {
    /// What a test can look at.
    pub(super) seen: List,
    /// Arguments without a parameter.
    pub(super) beyond: List,
    /// How many results each function has given, in 32 bits.
    taken: FxHashMap<ExternalId, Term>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct List {
    /// In 64 bits. Beyond the end there are zeros.
    pub(super) words: Vec<Term>,
    /// Where the list ends, in 32 bits; None at the start.
    pub(super) length: Option<Term>,
}

/// A longer list is more than a test should have to do with.
const LONGEST: usize = 2_000;

/// Longer texts are not followed.
const TEXT: u32 = 300;

/// How many pointers in a row a called function may follow.
const DEEP: u32 = 2;

impl State {
    /// Takes in the state of another path, which was taken if the condition holds.
    pub(super) fn merge(&mut self, terms: &mut Terms, condition: Term, other: &State) {
        self.memory.merge(terms, condition, &other.memory);
        self.outside.merge(terms, condition, &other.outside);
    }
}

impl Outside {
    fn list(&mut self, beyond: bool) -> &mut List {
        if beyond { &mut self.beyond } else { &mut self.seen }
    }

    fn merge(&mut self, terms: &mut Terms, condition: Term, other: &Outside) {
        self.seen.merge(terms, condition, &other.seen);
        self.beyond.merge(terms, condition, &other.beyond);
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
}

impl List {
    fn merge(&mut self, terms: &mut Terms, condition: Term, other: &List) {
        if self == other {
            return;
        }
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
            let here = and(equal(length, number(end as u32)), condition);
            let slot = &mut self.words[end as usize];
            *slot = access.terms.ite(here, word, *slot);
        }
        self.length = Some(access.terms.ite(condition, add(length, number(1)), length));
        Ok(())
    }
}

/// A call of a function without a body.
pub(super) struct OutsideCall<'a> {
    pub(super) inputs: &'a Skeleton<'a>,
    pub(super) access: Access<'a>,
    pub(super) state: &'a mut State,
    /// Whether what is added now is an argument without a parameter.
    beyond: bool,
}

/// What comes back of it.
pub(super) struct Answer {
    pub(super) result: Option<Term>,
    /// The function was called more often than the input has results for it.
    pub(super) too_often: Term,
}

impl<'a> OutsideCall<'a> {
    pub(super) fn new(inputs: &'a Skeleton<'a>, access: Access<'a>, state: &'a mut State) -> OutsideCall<'a> {
        OutsideCall { inputs, access, state, beyond: false }
    }

    pub(super) fn run(
        &mut self,
        external: ExternalId,
        arguments: &[Argument],
        words: &[Term],
    ) -> Result<Answer, Trouble> {
        let always = self.access.terms.truth(true);
        let name = self.access.terms.constant(Word::new(64, u128::from(external.0) + 1));
        self.add(name, always)?;
        let called = self.inputs.program.external(external);
        let seen = called.looks_at(arguments.len());
        self.add_arguments(&arguments[..seen], &words[..seen])?;
        if called.variadic && !called.prints {
            self.beyond = true;
            let count = self.access.terms.constant(Word::new(64, (arguments.len() - seen) as u128));
            self.add(count, always)?;
            self.add_arguments(&arguments[seen..], &words[seen..])?;
        }
        Ok(self.answer(external))
    }

    fn add(&mut self, word: Term, condition: Term) -> Result<(), Trouble> {
        self.state.outside.list(self.beyond).add(&mut self.access, word, condition)
    }

    fn add_arguments(&mut self, arguments: &[Argument], words: &[Term]) -> Result<(), Trouble> {
        for (argument, word) in arguments.iter().zip(words) {
            match argument.text {
                true => self.add_text(*word)?,
                false => self.add_argument(argument.of, *word)?,
            }
        }
        Ok(())
    }

    fn add_argument(&mut self, of: TypeId, word: Term) -> Result<(), Trouble> {
        let program = self.inputs.program;
        let word = match program.of(of) {
            Type::Float(_) => canonical(self.access.terms, word),
            _ => word,
        };
        let wide = widened(self.access.terms, word);
        let always = self.access.terms.truth(true);
        self.add(wide, always)?;
        match program.of(of) {
            Type::Pointer(pointer) => self.add_contents(pointer.to, word, DEEP),
            _ => Ok(()),
        }
    }

    /// Adds characters up to the end of a text. The end itself separates the text from what follows.
    fn add_text(&mut self, text: Term) -> Result<(), Trouble> {
        let mut goes_on = self.access.terms.truth(true);
        for at in 0..TEXT {
            let by = self.access.terms.constant(Word::new(64, at.into()));
            let place = ir::step::offset(self.access.terms, Value::of(text), Value::of(by), &mut vec![]);
            let before = self.access.faults.len();
            let byte = self.state.memory.load(&mut self.access, place.word, 1)?;
            let Access { terms, faults, .. } = &mut self.access;
            let byte = ir::step::used(*terms, byte, faults);
            // Nobody reads beyond the end of the text.
            for (_, condition) in &mut faults[before..] {
                *condition = terms.and(*condition, goes_on);
            }
            let wide = terms.zext(byte, 64);
            self.add(wide, goes_on)?;
            let Access { terms, faults, .. } = &mut self.access;
            let more = terms.ne(byte, Word::zero(8));
            goes_on = terms.and(goes_on, more);
            // Where the access was out of bounds, the fault has ended the run.
            for (_, condition) in &faults[before..] {
                goes_on = terms.and(goes_on, not(*condition));
            }
            if terms.is_never(goes_on) {
                return Ok(());
            }
        }
        Err(Trouble::TooLarge)
    }

    /// Adds what lies in the object that a pointer leads to, at the time of the call. The called function may
    /// look at all of it, and follow the pointers there.
    fn add_contents(&mut self, of: TypeId, pointer: Term, depth: u32) -> Result<(), Trouble> {
        let always = self.access.terms.truth(true);
        let object = self.access.split(pointer).object;
        let Possible::Few(numbers) = self.access.possible.of(self.access.terms, object) else {
            return Err(Trouble::UnknownPointer);
        };
        for target_number in numbers {
            let target_number = target_number as u32;
            let (State { memory, outside }, access) = (&mut *self.state, &mut self.access);
            let Some(target) = memory.get(target_number).filter(|target| !target.constant) else { continue };
            let here = access.terms.equal(object, number(target_number));
            let size = access.terms.zext(target.size, 64);
            let size = access.terms.ite(here, size, Word::zero(64));
            let list = outside.list(self.beyond);
            list.add(access, size, always)?;
            let capacity = if target.is_untouched() { 0 } else { target.capacity };
            for at in (0..capacity).step_by(8) {
                let bytes = (capacity - at).min(8);
                let Value { word, undefined } = target.read(access.terms, at, bytes);
                // Unassigned bits are not compared.
                let assigned = undefined.map_or(word, |mask| access.terms.and(word, not(mask)));
                let shown = access.terms.ite(here, assigned, Word::zero(8 * bytes));
                let wide = widened(access.terms, shown);
                list.add(access, wide, always)?;
            }
            if depth > 1 && self.inputs.program.has_pointers(of) {
                let target = target.clone();
                self.add_deeper(of, &target, here, depth - 1)?;
            }
        }
        Ok(())
    }

    /// Adds what the pointers in an object lead to, if a condition holds. The object is full of elements of
    /// a type.
    fn add_deeper(&mut self, of: TypeId, target: &Object, here: Term, depth: u32) -> Result<(), Trouble> {
        let program = self.inputs.program;
        let size = program.size(of).max(1);
        let null = self.access.terms.constant(Word::zero(ir::POINTER_WIDTH));
        for element in 0..u64::from(target.capacity) / size {
            for (offset, to) in program.pointers(of) {
                let at = (element * size + offset) as u32;
                let Value { word, undefined } = target.read(self.access.terms, at, 8);
                // A part of a pointer leads nowhere, and neither does an unassigned one.
                let known = if undefined.is_some() { null } else { word };
                let pointer = self.access.terms.ite(here, known, null);
                self.add_contents(to, pointer, depth)?;
            }
        }
        Ok(())
    }

    /// The next result that the input has for a function.
    fn answer(&mut self, external: ExternalId) -> Answer {
        let Skeleton { program, results, .. } = self.inputs;
        let terms = &mut *self.access.terms;
        let never = terms.truth(false);
        let Some(of) = program.external(external).result else {
            return Answer { result: None, too_often: never };
        };
        let Some((_, slots)) = results.iter().find(|(given, _)| *given == external) else {
            let width = program.width(of).unwrap_or(ir::POINTER_WIDTH);
            return Answer { result: Some(terms.constant(Word::zero(width))), too_often: never };
        };
        let none = terms.constant(Word::zero(32));
        let taken = self.state.outside.taken.get(&external).copied().unwrap_or(none);
        let mut result: Option<Term> = None;
        for (at, slot) in slots.iter().enumerate().rev() {
            let word = self.inputs.word(terms, slot);
            let here = terms.equal(taken, number(at as u32));
            result = Some(match result {
                None => word,
                Some(later) => choose(terms, here, Value::of(word), Value::of(later)).word,
            });
        }
        let next = terms.add(taken, number(1));
        self.state.outside.taken.insert(external, next);
        Answer { result, too_often: terms.uge(taken, number(slots.len() as u32)) }
    }
}

/// A word as one of 64 bits.
fn widened(terms: &mut Terms, word: Term) -> Term {
    if terms.width(&word) < 64 { terms.zext(word, 64) } else { word }
}
