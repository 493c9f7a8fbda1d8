//! What an instruction does, and which way a block is left, in any engine.
//!
//! An engine has a domain, registers and a memory. The machine ([`crate::machine`]) follows
//! one path, and its memory is made of bytes. The encoder follows all paths, merges them
//! where they join, and its memory is made of terms. This file is the same for both. It says
//! in which order an engine is asked, which operands are used and which are only moved, and
//! what decides a branch. Both ask [`crate::rules`] whether an access is allowed.

use bv::{Domain, Op};

use crate::step::{self, Faults, Value};
use crate::{Action, Argument, Edge, Effect, End, ExternalId, Fault, Mutant, Operand, SiteId};

/// The words of an engine.
pub type WordOf<E> = <<E as Engine>::Domain as Domain>::Word;

/// How long an object lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// Until the function returns that made it.
    Local,
    /// Until it is freed.
    Heap,
}

/// Who executes a program.
pub trait Engine {
    type Domain: Domain;
    /// Why it cannot execute something.
    type Trouble;

    fn domain(&mut self) -> &mut Self::Domain;

    /// What an operand holds.
    fn value(&mut self, operand: Operand) -> Value<WordOf<Self>>;

    /// The original operation of a site, or a variant of it.
    fn site(
        &mut self,
        site: SiteId,
        arguments: &[Operand],
        faults: &mut Faults<WordOf<Self>>,
    ) -> Value<WordOf<Self>>;

    /// A pointer to a new object of so many bytes (64 bits).
    fn make(&mut self, size: WordOf<Self>, life: Life) -> Result<WordOf<Self>, Self::Trouble>;

    /// The word of so many bytes that a pointer leads to.
    fn load(
        &mut self,
        pointer: WordOf<Self>,
        bytes: u32,
        faults: &mut Faults<WordOf<Self>>,
    ) -> Result<Value<WordOf<Self>>, Self::Trouble>;

    /// A fault if an address, or a part of one, lies where a number is read.
    fn refuse_address(&mut self, pointer: &WordOf<Self>, bytes: u32, faults: &mut Faults<WordOf<Self>>);

    /// Writes a word of whole bytes.
    fn store(
        &mut self,
        pointer: WordOf<Self>,
        value: Value<WordOf<Self>>,
        faults: &mut Faults<WordOf<Self>>,
    ) -> Result<(), Self::Trouble>;

    /// Copies so many bytes (64 bits), assigned or not.
    fn copy(
        &mut self,
        to: WordOf<Self>,
        from: WordOf<Self>,
        length: WordOf<Self>,
        overlap: bool,
        faults: &mut Faults<WordOf<Self>>,
    ) -> Result<(), Self::Trouble>;

    /// Writes a byte so many times (64 bits).
    fn fill(
        &mut self,
        to: WordOf<Self>,
        byte: Value<WordOf<Self>>,
        length: WordOf<Self>,
        faults: &mut Faults<WordOf<Self>>,
    ) -> Result<(), Self::Trouble>;

    /// Ends the life of an object on the heap.
    fn free(&mut self, pointer: WordOf<Self>, faults: &mut Faults<WordOf<Self>>)
    -> Result<(), Self::Trouble>;

    /// The size of an object on the heap, in 64 bits.
    fn extent(
        &mut self,
        pointer: WordOf<Self>,
        faults: &mut Faults<WordOf<Self>>,
    ) -> Result<WordOf<Self>, Self::Trouble>;

    /// What the address of an object is a multiple of, in 64 bits.
    fn alignment(&mut self, pointer: WordOf<Self>) -> Result<WordOf<Self>, Self::Trouble>;

    /// Calls a function without a body with these words.
    fn external(
        &mut self,
        external: ExternalId,
        arguments: &[Argument],
        words: &[WordOf<Self>],
        faults: &mut Faults<WordOf<Self>>,
    ) -> Result<Option<WordOf<Self>>, Self::Trouble>;

    /// That a run comes to something which nobody executes.
    fn unsupported(&mut self, what: &str) -> Self::Trouble;
}

/// Executes an instruction that is no call of another function; what it gives.
// tidy: long because it is the table of all actions, a few lines each.
#[inline(always)]
pub fn act<E: Engine>(
    engine: &mut E,
    action: &Action,
    faults: &mut Faults<WordOf<E>>,
) -> Result<Option<Value<WordOf<E>>>, E::Trouble> {
    Ok(match action {
        Action::Apply { op, flags, arguments } => {
            let mut taken = step::Arguments::default();
            for argument in arguments {
                taken.push(engine.value(*argument));
            }
            Some(taken.apply(engine.domain(), *op, *flags, faults))
        }
        Action::Site { site, arguments } => Some(engine.site(*site, arguments, faults)),
        Action::Local { size } => {
            let size = used(engine, *size, faults);
            Some(Value::of(engine.make(size, Life::Local)?))
        }
        Action::Allocate { size } => {
            let size = used(engine, *size, faults);
            Some(Value::of(engine.make(size, Life::Heap)?))
        }
        Action::Load { pointer, width, number } => {
            let pointer = used(engine, *pointer, faults);
            if *number {
                engine.refuse_address(&pointer, width.div_ceil(8), faults);
            }
            let loaded = engine.load(pointer, width.div_ceil(8), faults)?;
            Some(low_bits(engine.domain(), loaded, *width))
        }
        Action::Store { pointer, value } => {
            let pointer = used(engine, *pointer, faults);
            // To store is not to use: what was never assigned may be copied.
            let value = engine.value(*value);
            let value = whole_bytes(engine.domain(), value);
            engine.store(pointer, value, faults)?;
            None
        }
        Action::Offset { pointer, by } => {
            let (pointer, by) = (engine.value(*pointer), engine.value(*by));
            Some(step::offset(engine.domain(), pointer, by, faults))
        }
        Action::Copy { to, from, length, overlap } => {
            let [to, from, length] = [to, from, length].map(|operand| used(engine, *operand, faults));
            engine.copy(to, from, length, *overlap, faults)?;
            None
        }
        Action::Fill { to, byte, length } => {
            let [to, length] = [to, length].map(|operand| used(engine, *operand, faults));
            let byte = engine.value(*byte);
            let byte = low_bits(engine.domain(), byte, 8);
            engine.fill(to, byte, length, faults)?;
            None
        }
        Action::Free { pointer } => {
            let pointer = used(engine, *pointer, faults);
            engine.free(pointer, faults)?;
            None
        }
        Action::Extent { pointer } => {
            let pointer = used(engine, *pointer, faults);
            Some(Value::of(engine.extent(pointer, faults)?))
        }
        Action::Alignment { pointer } => {
            let pointer = used(engine, *pointer, faults);
            Some(Value::of(engine.alignment(pointer)?))
        }
        Action::External { external, arguments } => {
            let mut words = Vec::new();
            for argument in arguments {
                words.push(used(engine, argument.operand, faults));
            }
            engine.external(*external, arguments, &words, faults)?.map(Value::of)
        }
        Action::Check { condition, fault } => {
            let condition = engine.value(*condition);
            step::check(engine.domain(), condition, *fault, faults);
            None
        }
        Action::Stop(fault) => {
            let always = engine.domain().truth(true);
            faults.push((*fault, always));
            None
        }
        Action::Unsupported(what) => return Err(engine.unsupported(what)),
        Action::Call { .. } | Action::CallPointer { .. } => {
            unreachable!("calls are up to the loop of the engine")
        }
    })
}

/// Goes through the ways out of a block that does not return, each with the
/// condition under which it is taken, until `take` says that this is the one.
#[inline]
pub fn leave<'e, E: Engine>(
    engine: &mut E,
    end: &'e End,
    faults: &mut Faults<WordOf<E>>,
    mut take: impl FnMut(&mut E, &'e Edge, Option<WordOf<E>>) -> bool,
) {
    match end {
        End::Jump(edge) => {
            take(engine, edge, None);
        }
        End::Branch { condition, then, otherwise } => {
            let condition = used(engine, *condition, faults);
            if !take(engine, then, Some(condition.clone())) {
                let not = engine.domain().not(condition);
                take(engine, otherwise, Some(not));
            }
        }
        End::Switch { value, cases, default } => {
            let value = used(engine, *value, faults);
            let mut none = engine.domain().truth(true);
            for (case, edge) in cases {
                let case = engine.domain().constant(*case);
                let taken = engine.domain().equal(value.clone(), case);
                if take(engine, edge, Some(taken.clone())) {
                    return;
                }
                let not = engine.domain().not(taken);
                none = engine.domain().and(none, not);
            }
            take(engine, default, Some(none));
        }
        End::Return(_) | End::Unreachable => {}
    }
}

/// What a fault does to a run of the original or of a mutant.
#[inline]
pub fn effect(fault: Fault, mutant: Mutant) -> Effect {
    // The original is held to C's rules.
    if mutant == Mutant::ORIGINAL { Effect::Stops } else { fault.effect() }
}

#[inline(always)]
fn used<E: Engine>(engine: &mut E, operand: Operand, faults: &mut Faults<WordOf<E>>) -> WordOf<E> {
    let value = engine.value(operand);
    step::used(engine.domain(), value, faults)
}

/// The low bits of a value, as many as a width says.
#[inline(always)]
fn low_bits<D: Domain>(domain: &mut D, value: Value<D::Word>, width: u32) -> Value<D::Word> {
    if domain.width(&value.word) == width {
        return value;
    }
    let low = Op::Extract { hi: width - 1, lo: 0 };
    let word = domain.apply(low, &[value.word]);
    let undefined = value.undefined.map(|mask| domain.apply(low, &[mask]));
    step::trimmed(domain, Value { word, undefined })
}

/// A value with zeros on top, as it is stored.
#[inline(always)]
fn whole_bytes<D: Domain>(domain: &mut D, value: Value<D::Word>) -> Value<D::Word> {
    let width = domain.width(&value.word);
    let bytes = width.div_ceil(8) * 8;
    if width == bytes {
        return value;
    }
    let mut widen = |word: D::Word| domain.apply(Op::Zext(bytes), &[word]);
    Value { word: widen(value.word), undefined: value.undefined.map(widen) }
}
