//! IVI and UOI where a variable is read: the value plus 1, minus 1, 0, or with another sign.
//!
//! `(x + 1)` computes in `int` if `x` is narrower. So the site must be where
//! clang has widened the value, or where nobody can see the difference.

use inkwell::IntPredicate;
use inkwell::values::{InstructionOpcode, InstructionValue};
use source::Edit;

use super::plan::{Anchor, Code, Found, Scope, is_divisor};
use super::{number, places, wording};
use crate::ast::{Function, Integer, NodeId, NodeKind};
use crate::mutate::operators::Value;

/// Wider ones have no literals.
const WIDEST: u32 = 64;

/// What a change of a variable of this type is to the code.
type Meaning = fn(Integer, Value) -> Option<Code>;

pub(super) fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId, values: &[Value]) -> Option<Found<'c>> {
    let function = scope.function;
    let (integer, anchor, code) = anchor(scope, id)?;
    let range = function[id].range.clone();
    let name = scope.text.slice(range.clone());
    let makes_sense = |value: &&Value| **value != Value::Zero || !is_divisor(function, id);
    let variants = values.iter().filter(makes_sense).filter_map(|value| {
        let replacement = match value {
            Value::Plus(plus) if *plus < 0 => format!("({name} - {})", -plus),
            Value::Plus(plus) => format!("({name} + {plus})"),
            Value::Negated => format!("-{name}"),
            Value::Complemented => format!("~{name}"),
            Value::Zero | Value::Is(_) | Value::Least | Value::Greatest => {
                number::literal(value.of(0, integer), integer.promoted(), "")
            }
        };
        let edit =
            Edit { range: range.clone(), replacement: wording::value(scope.text, &range, &replacement) };
        Some((edit, code(integer, *value)?))
    });
    Some((anchor, variants.collect()))
}

/// A parameter in place of a variable.
pub(super) fn parameter<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let (integer, anchor, _) = anchor(scope, id)?;
    let (Anchor::Result(instruction) | Anchor::Operation(instruction)) = anchor else { return None };
    // Whether it is zero is all that is asked.
    if places::width(instruction) == Some(1) && !integer.is_bool() {
        return None;
    }
    let width = if integer.is_bool() { 1 } else { integer.width };
    let code = Code::Parameter { width, signed: integer.signed };
    Some((anchor, vec![(wording::parametric(scope, id), code)]))
}

/// Where a variable is read, and what a change of it means there.
fn anchor<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<(Integer, Anchor<'c>, Meaning)> {
    let function = scope.function;
    let integer = function[id].integer.filter(|integer| integer.width <= WIDEST)?;
    let read = read(function, id)?;
    let in_memory = if integer.is_bool() { 8 } else { integer.width };
    let load = scope.places.only(function[id].at?, |instruction| {
        instruction.get_opcode() == InstructionOpcode::Load && places::width(*instruction) == Some(in_memory)
    })?;
    let (anchor, code): (Anchor<'c>, Meaning) = if integer.is_bool() {
        of_bool(function, read, load)?
    } else if integer.promoted() == integer {
        (Anchor::Result(load), plain)
    } else {
        of_narrow(integer, converted(function, read), load)?
    };
    Some((integer, anchor, code))
}

/// The conversion that reads the variable, if it is read here: not assigned to, nor its address taken.
pub(super) fn read(function: &Function, id: NodeId) -> Option<NodeId> {
    let mut child = id;
    loop {
        let parent = function.parent(child)?;
        match function[parent].kind {
            NodeKind::Paren => child = parent,
            NodeKind::Implicit => {
                let (here, above) = (&function[id], &function[parent]);
                return (above.integer == here.integer && above.other == here.other).then_some(parent);
            }
            _ => return None,
        }
    }
}

fn plain(integer: Integer, value: Value) -> Option<Code> {
    let mask = u64::MAX >> (u64::BITS - integer.width.min(u64::BITS));
    Some(match value {
        Value::Plus(plus) => Code::Plus(plus),
        Value::Negated => Code::Negate,
        Value::Complemented => Code::Complement,
        constant => Code::Constant(constant.of(0, integer) as u64 & mask),
    })
}

/// A truth value plus 1 is true, minus 1 is its negation.
fn truth(_: Integer, value: Value) -> Option<Code> {
    match value {
        Value::Plus(plus) if plus > 0 => Some(Code::Constant(1)),
        Value::Plus(_) => Some(Code::Not),
        Value::Zero => Some(Code::Constant(0)),
        _ => None,
    }
}

fn nonzero(integer: Integer, value: Value) -> Option<Code> {
    match value {
        Value::Plus(plus) => Some(Code::IsNonzero { signed: integer.signed, plus }),
        Value::Zero => Some(Code::Constant(0)),
        _ => None,
    }
}

/// A `char` or a `short`.
fn of_narrow(
    integer: Integer,
    converted: Option<Integer>,
    load: InstructionValue<'_>,
) -> Option<(Anchor<'_>, Meaning)> {
    let [user] = places::users(load)[..] else { return None };
    // Converted to its own width or a smaller one, whatever becomes of it then:
    // low bits of a sum need no more.
    if converted.is_some_and(|to| !to.is_bool() && to.width <= integer.width) {
        return Some((Anchor::Result(load), plain));
    }
    match user.get_opcode() {
        // Widened further than to `int`, the sum is the same: it does not leave `int`.
        InstructionOpcode::SExt | InstructionOpcode::ZExt => Some((Anchor::Operation(user), plain)),
        InstructionOpcode::ICmp => {
            let asks_nonzero =
                user.get_icmp_predicate() == Some(IntPredicate::NE) && places::constant(user, 1) == Some(0);
            asks_nonzero.then_some((Anchor::Operation(user), nonzero))
        }
        // Used as it is.
        InstructionOpcode::Store | InstructionOpcode::Return | InstructionOpcode::Call => {
            converted.is_none().then_some((Anchor::Result(load), plain))
        }
        _ => None,
    }
}

/// A `_Bool` is a byte in memory, which clang makes a truth value when it is read.
fn of_bool<'c>(
    function: &Function,
    read: NodeId,
    load: InstructionValue<'c>,
) -> Option<(Anchor<'c>, Meaning)> {
    let [value] = places::users(load)[..] else { return None };
    if value.get_opcode() != InstructionOpcode::Trunc || places::width(value) != Some(1) {
        return None;
    }
    let users = places::users(value);
    let mut opcodes = users.iter().map(|user| user.get_opcode());
    let converted = converted(function, read);
    if let ([user], Some(integer)) = (&users[..], converted)
        && user.get_opcode() == InstructionOpcode::ZExt
    {
        return (!integer.is_bool()).then_some((Anchor::Operation(*user), plain));
    }
    let is_truth = |opcode| match opcode {
        InstructionOpcode::Br
        | InstructionOpcode::Select
        | InstructionOpcode::Phi
        | InstructionOpcode::Xor => true,
        // To store it, or to hand it on as it is.
        InstructionOpcode::ZExt | InstructionOpcode::Return | InstructionOpcode::Call => converted.is_none(),
        _ => false,
    };
    opcodes.all(is_truth).then_some((Anchor::Result(value), truth))
}

/// What a variable's value is converted to next.
fn converted(function: &Function, read: NodeId) -> Option<Integer> {
    let parent = function.parent(read)?;
    let is_conversion = matches!(function[parent].kind, NodeKind::Implicit | NodeKind::Cast);
    function[parent].integer.filter(|_| is_conversion)
}
