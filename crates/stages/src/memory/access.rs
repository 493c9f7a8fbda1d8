//! Accesses through pointers: which objects a pointer may lead to, and what an access does there.
//!
//! An access that breaks a rule is noted in `faults`, with the condition under which it does. An access that
//! can never be right has no effect beside its fault.

use bv::{Domain, Node, Op, Term, Terms, Word};
use ir::rules;
use ir::step::{Faults, Value};

use super::{Object, Origin, Possibilities, Possible, SymbolicMemory, Trouble, choose, number};

/// A pointer taken apart.
pub(crate) type SplitPointer = rules::SplitPointer<Term>;

/// What accesses share.
pub(crate) struct Access<'a> {
    pub(crate) terms: &'a mut Terms,
    pub(crate) possible: &'a mut Possibilities,
    pub(crate) faults: Faults<Term>,
}

/// One object that a pointer may lead to.
pub(super) struct Target {
    pub(super) number: u32,
    /// The pointer leads there; None if it always does.
    pub(super) condition: Option<Term>,
}

/// What is done to an object.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    pub(super) offset: Term,
    /// In bytes, 32 bits.
    pub(super) length: Term,
    pub(super) how: rules::Access,
    /// Nothing happens unless this holds; None: something always happens.
    pub(super) happens: Option<Term>,
}

impl SymbolicMemory {
    /// The word of so many bytes that a pointer leads to.
    pub(crate) fn load(
        &self,
        access: &mut Access,
        pointer: Term,
        bytes: u32,
    ) -> Result<Value<Term>, Trouble> {
        let SplitPointer { object, offset } = access.split(pointer);
        let targets = self.targets(access, object, None)?;
        let length = access.terms.constant(number(bytes));
        let touch = Touch { offset, length, how: rules::Access::Read, happens: None };
        let mut found: Option<Value<Term>> = None;
        for target in targets {
            let Some(object) = self.reach(access, &target, touch) else { continue };
            let Some(value) = access.read(object, offset, bytes)? else { continue };
            found = Some(match (found, target.condition) {
                (Some(found), Some(condition)) => choose(access.terms, condition, value, found),
                (Some(found), None) => found,
                (None, _) => value,
            });
        }
        let nothing = access.terms.constant(Word::zero(8 * bytes));
        Ok(found.unwrap_or(Value::of(nothing)))
    }

    /// Writes a word.
    pub(crate) fn store(
        &mut self,
        access: &mut Access,
        pointer: Term,
        value: Value<Term>,
    ) -> Result<(), Trouble> {
        let bytes = access.terms.width(&value.word) / 8;
        let SplitPointer { object, offset } = access.split(pointer);
        let length = access.terms.constant(number(bytes));
        let touch = Touch { offset, length, how: rules::Access::Write, happens: None };
        for target in self.targets(access, object, None)? {
            if self.reach(access, &target, touch).is_none() {
                continue;
            }
            let object = self.get_mut(target.number).expect("it was reached");
            access.write(object, offset, value, target.condition)?;
        }
        Ok(())
    }

    /// Ends the life of an object on the heap.
    pub(crate) fn free(&mut self, access: &mut Access, pointer: Term) -> Result<(), Trouble> {
        let SplitPointer { object, offset } = access.split(pointer);
        for Target { number, condition } in targets_or_none(access, object)? {
            let facts = self.get(number).map(Object::facts);
            let (facts, when) = (facts.as_ref(), condition.as_ref());
            if !rules::free(access.terms, number, facts, &offset, when, &mut access.faults) {
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
    pub(crate) fn extent(&self, access: &mut Access, pointer: Term) -> Result<Term, Trouble> {
        let SplitPointer { object, offset } = access.split(pointer);
        let mut size = access.terms.constant(Word::zero(32));
        for Target { number, condition } in targets_or_none(access, object)? {
            let facts = self.get(number).map(Object::facts);
            let when = condition.as_ref();
            rules::extent(access.terms, facts.as_ref(), &offset, when, &mut access.faults);
            if let Some(facts) = facts {
                let here = access.when(condition);
                size = access.terms.ite(here, facts.size, size);
            }
        }
        Ok(access.terms.zext(size, 64))
    }

    /// What the address of an object is a multiple of, in 64 bits.
    pub(crate) fn alignment(&self, access: &mut Access, pointer: Term) -> Result<Term, Trouble> {
        let SplitPointer { object, .. } = access.split(pointer);
        let mut alignment = access.terms.constant(Word::new(64, 1));
        for Target { number, condition } in targets_or_none(access, object)? {
            let is_promised = |object: &Object| matches!(object.origin, Origin::Input | Origin::Heap);
            if self.get(number).is_some_and(is_promised) {
                let here = access.when(condition);
                let promised = access.terms.constant(Word::new(64, rules::ALIGNMENT.into()));
                alignment = access.terms.ite(here, promised, alignment);
            }
        }
        Ok(alignment)
    }

    /// The objects that a pointer may lead to. Null, or a number without an object, is a fault where the
    /// access happens.
    pub(super) fn targets(
        &self,
        access: &mut Access,
        object: Term,
        happens: Option<Term>,
    ) -> Result<Vec<Target>, Trouble> {
        let mut targets = targets_or_none(access, object)?;
        targets.retain(|target| {
            let is_there = self.get(target.number).is_some();
            if !is_there {
                let condition = access.both(target.condition, happens);
                let condition = access.when(condition);
                access.faults.push((rules::no_object(target.number), condition));
            }
            is_there
        });
        Ok(targets)
    }

    /// Notes what is wrong with a touch of an object. None if it can never be right.
    pub(super) fn reach(&self, access: &mut Access, target: &Target, touch: Touch) -> Option<&Object> {
        let Touch { offset, length, how, happens } = touch;
        let object = self.get(target.number)?;
        let when = access.both(target.condition, happens);
        let facts = object.facts();
        rules::access(access.terms, &facts, &offset, &length, how, when.as_ref(), &mut access.faults)
            .then_some(object)
    }
}

/// All that a pointer may lead to, objects or not.
fn targets_or_none(access: &mut Access, object: Term) -> Result<Vec<Target>, Trouble> {
    let Possible::Few(numbers) = access.possible.of(access.terms, object) else {
        return Err(Trouble::UnknownPointer);
    };
    if let [number] = numbers[..] {
        return Ok(vec![Target { number: number as u32, condition: None }]);
    }
    let target = |at: u64| {
        let condition = access.terms.equal(object, number(at as u32));
        Target { number: at as u32, condition: Some(condition) }
    };
    Ok(numbers.into_iter().map(target).collect())
}

impl Access<'_> {
    /// Takes a pointer apart, through the choices that it is made of.
    pub(crate) fn split(&mut self, pointer: Term) -> SplitPointer {
        if let Node::Apply(Op::Ite, arguments) = self.terms.node(pointer) {
            let [condition, then, otherwise] = [arguments[0], arguments[1], arguments[2]];
            let (one, other) = (self.split(then), self.split(otherwise));
            return SplitPointer {
                object: self.terms.ite(condition, one.object, other.object),
                offset: self.terms.ite(condition, one.offset, other.offset),
            };
        }
        rules::split(self.terms, &pointer)
    }

    /// Both conditions. None stands for one that always holds.
    pub(super) fn both(&mut self, a: Option<Term>, b: Option<Term>) -> Option<Term> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.terms.and(a, b)),
            (condition, None) | (None, condition) => condition,
        }
        .filter(|condition| !self.terms.is_always(*condition))
    }

    pub(super) fn when(&mut self, condition: Option<Term>) -> Term {
        condition.unwrap_or_else(|| self.terms.truth(true))
    }
}
