//! What one operation does, in any domain.
//!
//! The interpreter steps over words, the encoder over terms; neither has a meaning of
//! its own. A step computes the value that the machine would, and beside it the faults:
//! each condition under which C leaves the operation undefined. For the original a fault
//! makes the input invalid. A mutant runs on, unless the fault traps.

use bv::{Domain, Hazard, Op, Word};
use smallvec::SmallVec;

use crate::{Arm, Fault, Flags, Operand, Register};

/// A word, and the condition under which it was never assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value<W> {
    pub word: W,
    /// None: assigned on every path.
    pub uninitialised: Option<W>,
}

impl<W> Value<W> {
    pub fn of(word: W) -> Value<W> {
        Value { word, uninitialised: None }
    }
}

/// A fault and the truth value that says whether it happens.
pub type Faults<W> = Vec<(Fault, W)>;

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
            Value { word, uninitialised: Some(domain.constant(Word::truth(true))) }
        }
    }
}

/// The word of a value that is used: computed with, branched on, returned.
#[inline]
pub fn used<D: Domain>(value: Value<D::Word>, faults: &mut Faults<D::Word>) -> D::Word {
    if let Some(uninitialised) = value.uninitialised {
        faults.push((Fault::UninitialisedRead, uninitialised));
    }
    value.word
}

/// Applies an operator as the machine does, and notes what C would leave undefined.
pub fn apply<D: Domain>(
    domain: &mut D,
    op: Op,
    flags: Flags,
    arguments: impl IntoIterator<Item = Value<D::Word>>,
    faults: &mut Faults<D::Word>,
) -> Value<D::Word> {
    let mut words = Words::<D>::new();
    for argument in arguments {
        words.push(used::<D>(argument, faults));
    }
    apply_to_words(domain, op, flags, &mut words, faults)
}

/// Runs the straight-line code of an arm.
pub fn arm<D: Domain>(
    domain: &mut D,
    arm: &Arm,
    arguments: impl IntoIterator<Item = Value<D::Word>>,
    faults: &mut Faults<D::Word>,
) -> Value<D::Word> {
    let mut registers: SmallVec<[Value<D::Word>; 4]> = SmallVec::new();
    for argument in arguments {
        registers.push(argument);
    }
    for instruction in &arm.instructions {
        let mut words = Words::<D>::new();
        for argument in &instruction.arguments {
            let value = operand(domain, *argument, |register| registers[register.0 as usize].clone());
            words.push(used::<D>(value, faults));
        }
        registers.push(apply_to_words(domain, instruction.op, instruction.flags, &mut words, faults));
    }
    operand(domain, arm.result, |register| registers[register.0 as usize].clone())
}

/// The arguments of an operator. None takes more than three, so nothing is allocated; the interpreter is fast or slow
/// by this.
type Words<D> = SmallVec<[<D as Domain>::Word; 3]>;

fn apply_to_words<D: Domain>(
    domain: &mut D,
    op: Op,
    flags: Flags,
    words: &mut Words<D>,
    faults: &mut Faults<D::Word>,
) -> Value<D::Word> {
    for (hazard, condition) in op.hazards(domain, words) {
        faults.push((Fault::Hazard(hazard), condition));
    }
    let promised = [
        (flags.no_signed_overflow, Hazard::SignedOverflow),
        (flags.no_unsigned_overflow, Hazard::UnsignedOverflow),
    ];
    for (_, hazard) in promised.into_iter().filter(|(promised, _)| *promised) {
        if let Some(predicate) = op.overflow(hazard) {
            let condition = domain.apply(predicate, words);
            faults.push((Fault::Hazard(hazard), condition));
        }
    }
    if let Op::Shl | Op::Lshr | Op::Ashr = op {
        words[1] = masked(domain, &words[1]);
    }
    Value::of(domain.apply(op, words))
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
