//! What a program may do with memory, in any domain.
//!
//! Whether an access, a copy, a free or a call through a pointer is allowed is decided here, and
//! nowhere else. Each engine has a memory of its own: the machine one of bytes, the encoder one
//! of terms. Both find the object that a pointer leads to, state the [`Facts`] about it, and ask.
//!
//! A rule is about one object. Where a pointer may lead to several, the encoder
//! asks about each of them, under the condition (`when`) that it is the one. An
//! answer is a list of faults, each with the condition under which it happens.

use bv::{Domain, Word};

use crate::step::{self, Faults, OBJECT, OFFSET};
use crate::{Fault, FunctionId, Program};

/// What the rules ask about an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts<W> {
    /// Its life has not ended.
    pub alive: W,
    /// In bytes, a word of 32 bits: no object has more.
    pub size: W,
    /// Nobody may write to it.
    pub constant: bool,
    /// It may be freed.
    pub on_heap: bool,
}

/// A pointer taken apart: words of 32 bits, the offset signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitPointer<W> {
    pub object: W,
    pub offset: W,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    Write,
}

/// Takes a pointer apart.
#[inline]
pub fn split<D: Domain>(domain: &mut D, pointer: &D::Word) -> SplitPointer<D::Word> {
    let pointer = std::slice::from_ref(pointer);
    SplitPointer { object: domain.apply(OBJECT, pointer), offset: domain.apply(OFFSET, pointer) }
}

/// A length of 64 bits in 32. One that has no room there is out of all bounds,
/// and so is the largest that has.
#[inline]
pub fn length<D: Domain>(domain: &mut D, length: &D::Word) -> D::Word {
    let SplitPointer { object: high, offset: low } = split(domain, length);
    let zero = domain.constant(Word::zero(32));
    let fits = domain.equal(high, zero);
    let most = domain.constant(Word::ones(32));
    domain.ite(fits, low, most)
}

/// An operation of no length touches nothing; the condition under which it does.
#[inline]
pub fn touches<D: Domain>(domain: &mut D, length: &D::Word) -> D::Word {
    let zero = domain.constant(Word::zero(32));
    domain.ne(length.clone(), zero)
}

/// An access to an object, of so many bytes (32 bits). False if it can never be right.
#[inline]
pub fn access<D: Domain>(
    domain: &mut D,
    facts: &Facts<D::Word>,
    offset: &D::Word,
    length: &D::Word,
    access: Access,
    when: Option<&D::Word>,
    faults: &mut Faults<D::Word>,
) -> bool {
    let dead = domain.not(facts.alive.clone());
    let dangling = note(domain, Fault::Dangling, dead, when, faults);
    // offset + length > size, where neither a sum that wraps nor a negative offset may fool us.
    let too_long = domain.ugt(length.clone(), facts.size.clone());
    let room = domain.sub(facts.size.clone(), length.clone());
    let beyond = domain.ugt(offset.clone(), room);
    let outside = domain.or(too_long, beyond);
    let outside = note(domain, Fault::OutOfBounds, outside, when, faults);
    if access == Access::Write && facts.constant {
        let always = domain.truth(true);
        note(domain, Fault::ReadOnly, always, when, faults);
    }
    !dangling && !outside
}

/// An access through a pointer into an object that is none.
#[inline]
pub fn no_object(number: u32) -> Fault {
    if number == 0 { Fault::NullAccess } else { Fault::Stray }
}

/// A copy between places that must not overlap. Onto itself, exactly, is what a
/// struct assigned to itself does.
#[inline]
pub fn apart<D: Domain>(
    domain: &mut D,
    to: &SplitPointer<D::Word>,
    from: &SplitPointer<D::Word>,
    length: &D::Word,
    faults: &mut Faults<D::Word>,
) {
    let same_object = domain.equal(to.object.clone(), from.object.clone());
    let elsewhere = domain.ne(to.offset.clone(), from.offset.clone());
    let there = domain.sub(to.offset.clone(), from.offset.clone());
    let back = domain.sub(from.offset.clone(), to.offset.clone());
    let before = domain.ult(there, length.clone());
    let behind = domain.ult(back, length.clone());
    let near = domain.or(before, behind);
    let overlap = domain.and(elsewhere, near);
    note(domain, Fault::OverlappingCopy, overlap, Some(&same_object), faults);
}

/// Freeing what a pointer leads to: the start of a living object on the heap,
/// or null. Whether there is an object to free.
#[inline]
pub fn free<D: Domain>(
    domain: &mut D,
    number: u32,
    facts: Option<&Facts<D::Word>>,
    offset: &D::Word,
    when: Option<&D::Word>,
    faults: &mut Faults<D::Word>,
) -> bool {
    if number != 0 {
        return extent(domain, facts, offset, when, faults);
    }
    let inside = is_inside(domain, offset);
    note(domain, Fault::InvalidFree, inside, when, faults);
    false
}

/// Asking for the size of what was allocated: it takes the start of a living
/// object on the heap. Whether there is one.
#[inline]
pub fn extent<D: Domain>(
    domain: &mut D,
    facts: Option<&Facts<D::Word>>,
    offset: &D::Word,
    when: Option<&D::Word>,
    faults: &mut Faults<D::Word>,
) -> bool {
    let Some(facts) = facts.filter(|facts| facts.on_heap) else {
        let always = domain.truth(true);
        note(domain, Fault::InvalidFree, always, when, faults);
        return false;
    };
    let dead = domain.not(facts.alive.clone());
    let inside = is_inside(domain, offset);
    let wrong = domain.or(dead, inside);
    !note(domain, Fault::InvalidFree, wrong, when, faults)
}

/// The address of each object on the heap is a multiple of this. A caller sees to that, too, if somebody
/// looks at addresses: tests say so where they declare a variable.
pub const ALIGNMENT: u64 = 16;

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call<'a> {
    /// The widths of the arguments.
    pub arguments: &'a [u32],
    /// The width of what is wanted back.
    pub result: Option<u32>,
}

/// A call of what a pointer leads to: a function, at its start, that can be
/// called so. None if it can never be right.
pub fn call<D: Domain>(
    domain: &mut D,
    program: &Program,
    number: u32,
    offset: &D::Word,
    call: Call,
    when: Option<&D::Word>,
    faults: &mut Faults<D::Word>,
) -> Option<FunctionId> {
    let takes = |id: &FunctionId| program.function(*id).takes(call.arguments.iter().copied(), call.result);
    let Some(id) = program.function_of(number).filter(takes) else {
        let always = domain.truth(true);
        note(domain, Fault::InvalidCall, always, when, faults);
        return None;
    };
    let inside = is_inside(domain, offset);
    let wrong = note(domain, Fault::InvalidCall, inside, when, faults);
    (!wrong).then_some(id)
}

fn is_inside<D: Domain>(domain: &mut D, offset: &D::Word) -> D::Word {
    let zero = domain.constant(Word::zero(32));
    domain.ne(offset.clone(), zero)
}

/// Notes a fault that happens under a condition; whether it always does.
#[inline]
fn note<D: Domain>(
    domain: &mut D,
    fault: Fault,
    condition: D::Word,
    when: Option<&D::Word>,
    faults: &mut Faults<D::Word>,
) -> bool {
    let happens = match when {
        Some(when) => domain.and(when.clone(), condition),
        None => condition,
    };
    step::note(domain, fault, happens, faults)
}
