//! Random straight-line code, for blocks and for arms.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use bv::{Hazard, MAX_WIDTH, Op, Shape, Word};

use super::{one_in, position, width, word};
use crate::{Action, Flags, Instruction, Operand, Register, TypeId};

/// Operators that take one argument and carry a width are chosen by number, after the plain ones.
const RESIZES: usize = 3;

/// The operators that come first in the table are the binary ones.
const ARITHMETIC: usize = 13;

/// Then the predicates: up to here, operators take two arguments of the same width.
pub(super) const PREDICATES: usize = 29;

/// Up to here, operators work on integers.
const INTEGERS: usize = 33;

/// What is known of the object behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Pointee {
    /// The type of its elements.
    pub of: TypeId,
    /// So many elements, from where the pointer points, are sure to be there;
    /// none once it should not be used any more.
    pub elements: u64,
    /// Nobody should write through the pointer.
    pub constant: bool,
    /// The pointer is to the start of a living object on the heap.
    pub heap: bool,
}

/// Code that grows by applying operators.
pub(super) struct Line {
    /// The width of each register that there is.
    pub widths: Vec<u32>,
    /// The registers that may be read here.
    pub scope: Vec<Register>,
    /// The registers that are pointers. They are never computed with.
    pub pointees: BTreeMap<Register, Pointee>,
    pub instructions: Vec<Instruction>,
}

impl Line {
    /// Where there are only parameters yet.
    pub(super) fn new(widths: Vec<u32>) -> Line {
        let scope = (0..widths.len() as u32).map(Register).collect();
        Line { widths, scope, pointees: BTreeMap::new(), instructions: vec![] }
    }

    /// A register that can be read from now on.
    pub(super) fn define(&mut self, width: u32) -> Register {
        let register = Register(self.widths.len() as u32);
        self.widths.push(width);
        self.scope.push(register);
        register
    }

    /// The registers that may be computed with here.
    fn words(&self) -> Vec<Register> {
        self.scope.iter().copied().filter(|register| !self.pointees.contains_key(register)).collect()
    }

    /// The pointers that may be read here.
    pub(super) fn pointers(&self) -> Vec<(Register, Pointee)> {
        let known = |register: &Register| self.pointees.get(register).map(|pointee| (*register, *pointee));
        self.scope.iter().filter_map(known).collect()
    }

    /// A random operation.
    pub(super) fn apply(&mut self, u: &mut Unstructured) -> Result<Operand> {
        // Half of the table gives truth values, but half of a program should not.
        let count = if u.arbitrary()? { INTEGERS + RESIZES } else { ARITHMETIC };
        if one_in(u, 16)? {
            return self.apply_to_floats(u);
        }
        let at = u.choose_index(count)?;
        let Some(op) = bv::op::PLAIN[..INTEGERS].get(at).copied() else {
            let (from, to) = (self.common_width(u)?, width(u)?);
            let argument = self.operand(u, from)?;
            return self.resize(u, argument, from, to);
        };
        let width = self.common_width(u)?;
        match op.shape() {
            Shape::Unary => {
                let argument = self.operand(u, width)?;
                self.push(u, op, vec![argument])
            }
            Shape::Binary | Shape::Predicate => {
                let first = self.operand(u, width)?;
                let second = self.second(u, op, width)?;
                self.push(u, op, vec![first, second])
            }
            Shape::Choice => {
                let condition = self.operand(u, 1)?;
                let (then, otherwise) = (self.operand(u, width)?, self.operand(u, width)?);
                self.push(u, op, vec![condition, then, otherwise])
            }
            // A few in a row would exceed the widest word.
            Shape::Join if width > MAX_WIDTH / 2 => self.operand(u, width),
            Shape::Join => {
                let (high, low) = (self.operand(u, width)?, self.operand(u, width)?);
                self.push(u, op, vec![high, low])
            }
            Shape::Resize => unreachable!("the plain operators do not resize"),
        }
    }

    /// An operation on floats, which any words are.
    fn apply_to_floats(&mut self, u: &mut Unstructured) -> Result<Operand> {
        const FLOAT: u32 = 32;
        let ops = &bv::op::PLAIN[INTEGERS..];
        let first = self.operand(u, FLOAT)?;
        if one_in(u, 4)? {
            return self.there_and_back(u, first);
        }
        let op = *u.choose(ops)?;
        match op.shape() {
            Shape::Unary => self.push(u, op, vec![first]),
            _ => {
                let second = self.operand(u, FLOAT)?;
                self.push(u, op, vec![first, second])
            }
        }
    }

    /// From an integer to a float, to a double and back, as C does it where types are mixed.
    fn there_and_back(&mut self, u: &mut Unstructured, integer: Operand) -> Result<Operand> {
        let signed = u.arbitrary()?;
        let (from, back) = match signed {
            true => (Op::FromSigned(32), Op::ToSigned(64)),
            false => (Op::FromUnsigned(32), Op::ToUnsigned(64)),
        };
        let float = self.push(u, from, vec![integer])?;
        let double = self.push(u, Op::FResize(64), vec![float])?;
        self.push(u, back, vec![double])
    }

    /// An operand of this width: a register, made to fit if there is none that does, or a constant.
    pub(super) fn operand(&mut self, u: &mut Unstructured, width: u32) -> Result<Operand> {
        let words = self.words();
        if words.is_empty() || one_in(u, 4)? {
            return if one_in(u, 40)? { Ok(Operand::Uninitialised(width)) } else { constant(u, width) };
        }
        let fitting: Vec<Register> =
            words.iter().copied().filter(|register| self.width(*register) == width).collect();
        if !fitting.is_empty() && !one_in(u, 16)? {
            return Ok(Operand::Register(*recent(u, &fitting)?));
        }
        let register = *recent(u, &words)?;
        self.resize(u, Operand::Register(register), self.width(register), width)
    }

    /// A random truth value that compares something, and so depends on inputs more often than not.
    pub(super) fn condition(&mut self, u: &mut Unstructured) -> Result<Operand> {
        let op = *u.choose(&[
            Op::Slt,
            Op::Ult,
            Op::Eq,
            Op::Ne,
            Op::Sge,
            Op::Sgt,
            Op::Sle,
            Op::Ule,
            Op::Uge,
            Op::Ugt,
        ])?;
        let width = self.common_width(u)?;
        let first = self.some_register(u, width)?;
        let second = if u.arbitrary()? { constant(u, width)? } else { self.operand(u, width)? };
        self.push(u, op, vec![first, second])
    }

    /// Mostly a width that registers have already, so that computations are not made of resizing.
    pub(super) fn common_width(&mut self, u: &mut Unstructured) -> Result<u32> {
        let words = self.words();
        if words.is_empty() || one_in(u, 4)? {
            return width(u);
        }
        let common = self.width(*recent(u, &words)?);
        // Truth values come easily enough.
        if common == 1 { width(u) } else { Ok(common) }
    }

    /// Something of this width that depends on several registers, so that a difference in one of them shows.
    pub(super) fn mixture(&mut self, u: &mut Unstructured, width: u32, operations: usize) -> Result<Operand> {
        let mut registers = self.words();
        let mut mixture = None;
        for at in 0..=operations {
            if registers.is_empty() {
                break;
            }
            // The last one holds most of what was computed.
            let chosen = if at == 0 { registers.len() - 1 } else { u.choose_index(registers.len())? };
            let register = registers.remove(chosen);
            let operand = self.resize(u, Operand::Register(register), self.width(register), width)?;
            mixture = Some(match mixture {
                None => operand,
                Some(mixture) => {
                    let op = *u.choose(&[Op::Xor, Op::Add, Op::Sub, Op::Xor, Op::Mul, Op::Or])?;
                    self.push(u, op, vec![mixture, operand])?
                }
            });
        }
        mixture.map_or_else(|| constant(u, width), Ok)
    }

    /// Any register that there is, made to fit. A constant if there is none.
    fn some_register(&mut self, u: &mut Unstructured, width: u32) -> Result<Operand> {
        let words = self.words();
        if words.is_empty() {
            return constant(u, width);
        }
        let register = *u.choose(&words)?;
        self.resize(u, Operand::Register(register), self.width(register), width)
    }

    /// The result of an operation that is given.
    pub(super) fn push(&mut self, u: &mut Unstructured, op: Op, arguments: Vec<Operand>) -> Result<Operand> {
        let flags = flags(u, op)?;
        self.push_with(u, op, flags, arguments)
    }

    /// As [`Line::push`], with no flags but these.
    pub(super) fn push_with(
        &mut self,
        u: &mut Unstructured,
        op: Op,
        flags: Flags,
        arguments: Vec<Operand>,
    ) -> Result<Operand> {
        let widths: Vec<u32> = arguments.iter().map(|operand| self.operand_width(*operand)).collect();
        let result = self.define(op.result_width(&widths));
        let action = Action::Apply { op, flags, arguments };
        self.instructions.push(Instruction { result: Some(result), action, at: position(u)? });
        Ok(Operand::Register(result))
    }

    /// The operand, made to have this width.
    pub(super) fn fit(&mut self, u: &mut Unstructured, operand: Operand, width: u32) -> Result<Operand> {
        self.resize(u, operand, self.operand_width(operand), width)
    }

    fn resize(&mut self, u: &mut Unstructured, operand: Operand, from: u32, to: u32) -> Result<Operand> {
        let op = match from.cmp(&to) {
            std::cmp::Ordering::Equal => return Ok(operand),
            std::cmp::Ordering::Less if u.arbitrary()? => Op::Zext(to),
            std::cmp::Ordering::Less => Op::Sext(to),
            std::cmp::Ordering::Greater => {
                let lo = if one_in(u, 3)? { u.int_in_range(0..=from - to)? } else { 0 };
                Op::Extract { hi: lo + to - 1, lo }
            }
        };
        self.push(u, op, vec![operand])
    }

    /// The second argument, such that C mostly defines the result: shifts stay
    /// in range, and division is by something.
    fn second(&mut self, u: &mut Unstructured, op: Op, width: u32) -> Result<Operand> {
        let careful = !one_in(u, 8)?;
        match op {
            Op::Shl | Op::Lshr | Op::Ashr if careful => {
                let amount = u.int_in_range(0..=width - 1)?;
                Ok(Operand::Constant(Word::new(width, amount as u128)))
            }
            Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem if careful => {
                let greatest = Word::signed_max(width).bits().clamp(1, 50);
                Ok(Operand::Constant(Word::new(width, u.int_in_range(1..=greatest)?)))
            }
            _ => self.operand(u, width),
        }
    }

    fn width(&self, register: Register) -> u32 {
        self.widths[register.0 as usize]
    }

    fn operand_width(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Register(register) => self.width(register),
            Operand::Constant(word) => word.width(),
            Operand::Uninitialised(width) => width,
        }
    }
}

/// Random flags that the operator can have. Mostly none, since random words overflow.
pub(super) fn flags(u: &mut Unstructured, op: Op) -> Result<Flags> {
    let mut promised = |hazard| Ok(op.overflow(hazard).is_some() && one_in(u, 10)?);
    Ok(Flags {
        no_signed_overflow: promised(Hazard::SignedOverflow)?,
        no_unsigned_overflow: promised(Hazard::UnsignedOverflow)?,
        pointers: false,
        has_bits: false,
    })
}

fn constant(u: &mut Unstructured, width: u32) -> Result<Operand> {
    word(u, width).map(Operand::Constant)
}

/// One of these; what was defined last is the likeliest, so that computations get deep.
fn recent<'a>(u: &mut Unstructured, registers: &'a [Register]) -> Result<&'a Register> {
    let from = if u.arbitrary()? { registers.len().saturating_sub(4) } else { 0 };
    u.choose(&registers[from..])
}
