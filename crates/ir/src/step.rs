//! What one operation computes, in any domain.
//!
//! The machine steps over words, the encoder over terms. Neither gives operations a meaning
//! of its own. ([`engine`](crate::engine) and [`rules`](crate::rules) say what an instruction
//! does with memory.) A step computes the value that the machine would compute, and beside it
//! the faults: each condition under which C leaves the operation undefined. For the original,
//! a fault makes the input invalid. A mutant runs on, unless the fault stops it.
//!
//! Each word has a mask of the bits that nobody assigned. Copying, moving or clearing such
//! bits is fine: that is how bit-fields get their first value. Computing with them is a fault.

use bv::{Domain, Hazard, Op, Word};
use smallvec::SmallVec;

use crate::{Arm, Fault, Flags, Operand, POINTER_WIDTH, Register};

/// The bits of a pointer that hold its object; those below hold the offset.
pub const OBJECT: Op = Op::Extract { hi: 63, lo: 32 };
pub const OFFSET: Op = Op::Extract { hi: 31, lo: 0 };

/// A word, and which of its bits were never assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value<W> {
    pub word: W,
    /// A mask as wide as the word. None: all bits were assigned, on every path.
    pub undefined: Option<W>,
}

impl<W> Value<W> {
    pub fn of(word: W) -> Value<W> {
        Value { word, undefined: None }
    }
}

/// A fault and the truth value that says whether it happens.
pub type Faults<W> = Vec<(Fault, W)>;

/// Notes a fault, unless it is known that it never happens; whether it is known that it always does.
#[inline]
pub fn note<D: Domain>(domain: &D, fault: Fault, happens: D::Word, faults: &mut Faults<D::Word>) -> bool {
    let known = domain.known(&happens).map(Word::is_true);
    if known != Some(false) {
        faults.push((fault, happens));
    }
    known == Some(true)
}

/// The value of an operand. Reading is not using: an uninitialised variable may be copied.
#[inline]
pub fn operand<D: Domain>(
    domain: &mut D,
    operand: Operand,
    register: impl Fn(Register) -> Value<D::Word>,
) -> Value<D::Word> {
    match operand {
        Operand::Register(number) => register(number),
        Operand::Constant(word) => Value::of(domain.constant(word)),
        Operand::Uninitialised(width) => {
            let word = domain.constant(Word::zero(width));
            Value { word, undefined: Some(domain.constant(Word::ones(width))) }
        }
    }
}

/// The word of a value that is used: computed with, branched on, returned.
#[inline]
pub fn used<D: Domain>(domain: &mut D, value: Value<D::Word>, faults: &mut Faults<D::Word>) -> D::Word {
    if let Some(undefined) = value.undefined {
        let zero = domain.constant(Word::zero(domain.width(&undefined)));
        let happens = domain.ne(undefined, zero);
        note(domain, Fault::UninitialisedRead, happens, faults);
    }
    value.word
}

/// Runs the straight-line code of an arm. It asks for its arguments when it needs them: most arms of a
/// site with many do not need all.
pub fn arm<D: Domain>(
    domain: &mut D,
    arm: &Arm,
    parameters: usize,
    argument: impl Fn(&mut D, usize) -> Value<D::Word>,
    faults: &mut Faults<D::Word>,
) -> Value<D::Word> {
    let mut results: SmallVec<[Value<D::Word>; 2]> = SmallVec::new();
    let read = |domain: &mut D, read: Operand, results: &[Value<D::Word>]| match read {
        Operand::Register(register) if (register.0 as usize) < parameters => {
            argument(domain, register.0 as usize)
        }
        other => operand(domain, other, |register| results[register.0 as usize - parameters].clone()),
    };
    for instruction in &arm.instructions {
        let mut taken = Arguments::<D>::default();
        for argument in &instruction.arguments {
            taken.push(read(domain, *argument, &results));
        }
        results.push(taken.apply(domain, instruction.op, instruction.flags, faults));
    }
    read(domain, arm.result, &results)
}

/// A fault, unless the condition holds.
pub fn check<D: Domain>(
    domain: &mut D,
    condition: Value<D::Word>,
    fault: Fault,
    faults: &mut Faults<D::Word>,
) {
    let condition = used(domain, condition, faults);
    let happens = domain.not(condition);
    note(domain, fault, happens, faults);
}

/// A pointer so many bytes further. Both are words of 64 bits.
pub fn offset<D: Domain>(
    domain: &mut D,
    pointer: Value<D::Word>,
    by: Value<D::Word>,
    faults: &mut Faults<D::Word>,
) -> Value<D::Word> {
    let pointer = used(domain, pointer, faults);
    let by = used(domain, by, faults);
    let object = domain.apply(OBJECT, std::slice::from_ref(&pointer));
    let offset = domain.apply(OFFSET, std::slice::from_ref(&pointer));
    let near = domain.apply(OFFSET, std::slice::from_ref(&by));
    let back = domain.apply(Op::Sext(64), std::slice::from_ref(&near));
    let far = domain.apply(Op::Ne, &[back, by]);
    let wraps = domain.apply(Op::SaddO, &[offset.clone(), near.clone()]);
    let happens = domain.or(far, wraps);
    note(domain, Fault::FarPointer, happens, faults);
    let moved = domain.apply(Op::Add, &[offset, near]);
    Value::of(domain.apply(Op::Concat, &[object, moved]))
}

/// No operator takes more than three, so nothing is allocated; the interpreter is fast or slow by this.
type Words<D> = SmallVec<[<D as Domain>::Word; 3]>;

/// The arguments of an operator.
pub(crate) struct Arguments<D: Domain> {
    words: Words<D>,
    /// Masks are rare, and most operations are done without a look at them.
    masks: Vec<Option<D::Word>>,
}

impl<D: Domain> Default for Arguments<D> {
    fn default() -> Arguments<D> {
        Arguments { words: SmallVec::new(), masks: Vec::new() }
    }
}

impl<D: Domain> Arguments<D> {
    #[inline]
    pub(crate) fn push(&mut self, argument: Value<D::Word>) {
        if argument.undefined.is_some() {
            self.masks.resize(self.words.len(), None);
            self.masks.push(argument.undefined);
        }
        self.words.push(argument.word);
    }

    #[inline]
    pub(crate) fn apply(
        &mut self,
        domain: &mut D,
        op: Op,
        flags: Flags,
        faults: &mut Faults<D::Word>,
    ) -> Value<D::Word> {
        if self.masks.is_empty() {
            return Value::of(apply_to_words(domain, op, flags, &mut self.words, faults));
        }
        self.masks.resize(self.words.len(), None);
        apply_to_masked(domain, op, flags, &mut self.words, &self.masks, faults)
    }
}

fn apply_to_words<D: Domain>(
    domain: &mut D,
    op: Op,
    flags: Flags,
    words: &mut Words<D>,
    faults: &mut Faults<D::Word>,
) -> D::Word {
    if flags.pointers {
        take_places(domain, op, words, faults);
    }
    if flags.has_bits {
        let none = domain.constant(Word::zero(domain.width(&words[0])));
        let condition = domain.equal(words[0].clone(), none);
        note(domain, Fault::Hazard(Hazard::NoBits), condition, faults);
    }
    op.hazards(domain, words, |domain, hazard, condition| {
        note(domain, Fault::Hazard(hazard), condition, faults);
    });
    let promised = [
        (flags.no_signed_overflow, Hazard::SignedOverflow),
        (flags.no_unsigned_overflow, Hazard::UnsignedOverflow),
    ];
    for (_, hazard) in promised.into_iter().filter(|(promised, _)| *promised) {
        if let Some(predicate) = op.overflow(hazard) {
            let condition = domain.apply(predicate, words);
            note(domain, Fault::Hazard(hazard), condition, faults);
        }
    }
    if let Op::Shl | Op::Lshr | Op::Ashr = op {
        words[1] = masked(domain, &words[1]);
    }
    domain.apply(op, words)
}

/// Applies an operator to words some of whose bits were never assigned.
#[cold]
fn apply_to_masked<D: Domain>(
    domain: &mut D,
    op: Op,
    flags: Flags,
    words: &mut Words<D>,
    masks: &[Option<D::Word>],
    faults: &mut Faults<D::Word>,
) -> Value<D::Word> {
    // Where the amount of a shift, or a condition, is not assigned, nothing is known of the result.
    let moves = match op {
        Op::And
        | Op::Or
        | Op::Xor
        | Op::Not
        | Op::Concat
        | Op::Extract { .. }
        | Op::Zext(_)
        | Op::Sext(_) => true,
        Op::Shl | Op::Lshr | Op::Ashr => masks[1].is_none(),
        Op::Ite => masks[0].is_none(),
        _ => false,
    };
    if !moves {
        for (word, undefined) in words.iter().zip(masks) {
            used(domain, Value { word: word.clone(), undefined: undefined.clone() }, faults);
        }
        return Value::of(apply_to_words(domain, op, flags, words, faults));
    }
    let inputs = words.clone();
    let word = apply_to_words(domain, op, flags, words, faults);
    let mut mask = |at: usize| match &masks[at] {
        Some(mask) => mask.clone(),
        None => {
            let width = domain.width(&inputs[at]);
            domain.constant(Word::zero(width))
        }
    };
    let undefined = match op {
        Op::And | Op::Or => {
            // A bit is known where one side is known to decide it.
            let (a, b) = (mask(0), mask(1));
            let decides = |domain: &mut D, word: &D::Word| match op {
                Op::And => word.clone(),
                _ => domain.apply(Op::Not, std::slice::from_ref(word)),
            };
            let (lets_a, lets_b) = (decides(domain, &inputs[1]), decides(domain, &inputs[0]));
            let both = domain.apply(Op::And, &[a.clone(), b.clone()]);
            let only_a = domain.apply(Op::And, &[a, lets_a]);
            let only_b = domain.apply(Op::And, &[b, lets_b]);
            let either = domain.apply(Op::Or, &[only_a, only_b]);
            domain.apply(Op::Or, &[both, either])
        }
        Op::Xor => {
            let masks = [mask(0), mask(1)];
            domain.apply(Op::Or, &masks)
        }
        Op::Not => mask(0),
        Op::Ite => {
            let masks = [inputs[0].clone(), mask(1), mask(2)];
            domain.apply(op, &masks)
        }
        Op::Concat => {
            let masks = [mask(0), mask(1)];
            domain.apply(op, &masks)
        }
        Op::Shl | Op::Lshr | Op::Ashr => {
            let masks = [mask(0), words[1].clone()];
            domain.apply(op, &masks)
        }
        _ => {
            let mask = mask(0);
            domain.apply(op, &[mask])
        }
    };
    trimmed(domain, Value { word, undefined: Some(undefined) })
}

/// A mask of nothing is no mask.
pub fn trimmed<D: Domain>(domain: &D, value: Value<D::Word>) -> Value<D::Word> {
    let some = |mask: &D::Word| domain.known(mask).is_none_or(|mask| !mask.is_zero());
    Value { word: value.word, undefined: value.undefined.filter(some) }
}

/// Takes two pointers for numbers in the same order: their offsets, which mean something
/// only within one object. Null comes before all else, as it does on every machine that
/// clang compiles for, though C does not say so; but nothing has a distance from it.
fn take_places<D: Domain>(domain: &mut D, op: Op, words: &mut Words<D>, faults: &mut Faults<D::Word>) {
    let objects = [0, 1].map(|at| domain.apply(OBJECT, &words[at..at + 1]));
    let foreign = domain.apply(Op::Ne, &objects);
    let offsets = [0, 1].map(|at| {
        let offset = domain.apply(OFFSET, &words[at..at + 1]);
        domain.apply(Op::Sext(64), &[offset])
    });
    if op == Op::Sub {
        note(domain, Fault::ForeignPointers, foreign, faults);
        words.clone_from_slice(&offsets);
        return;
    }
    let null = domain.constant(Word::zero(POINTER_WIDTH));
    let nowhere = domain.constant(Word::zero(32));
    let is_nowhere = domain.apply(Op::Eq, &[objects[0].clone(), nowhere]);
    let unordered = domain.apply(Op::Or, &[foreign, is_nowhere]);
    let [one, other] = [0, 1].map(|at| domain.apply(Op::Ne, &[words[at].clone(), null.clone()]));
    let no_null = domain.apply(Op::And, &[one.clone(), other.clone()]);
    let happens = domain.and(no_null.clone(), unordered);
    note(domain, Fault::ForeignPointers, happens, faults);
    for ((word, is_behind), offset) in words.iter_mut().zip([one, other]).zip(offsets) {
        let place = domain.apply(Op::Zext(64), &[is_behind]);
        *word = domain.apply(Op::Ite, &[no_null.clone(), offset, place]);
    }
}

/// A shift amount as the machine takes it: modulo the width.
fn masked<D: Domain>(domain: &mut D, amount: &D::Word) -> D::Word {
    let width = domain.width(amount);
    if width.is_power_of_two() {
        let mask = domain.constant(Word::new(width, width as u128 - 1));
        domain.apply(Op::And, &[amount.clone(), mask])
    } else {
        let width_word = domain.constant(Word::new(width, width as u128));
        domain.apply(Op::Urem, &[amount.clone(), width_word])
    }
}
