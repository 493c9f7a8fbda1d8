//! AOR, ROR, BOR: an operation becomes another one of its family.

use inkwell::values::{InstructionOpcode, InstructionValue};
use source::Edit;

use super::places;
use super::plan::{Code, Found, Place, Scope};
use super::wording;
use crate::ast::{Function, Integer, Kind, NodeId, Origin, Token};
use crate::operators::{Binary, Meaning};

/// `a + b` and `a += b`.
pub(super) struct Operation<'f> {
    pub op: Binary,
    pub token: &'f Token,
    pub left: NodeId,
    pub right: NodeId,
    /// The type that it computes in: for a shift that of the left operand, else the one that
    /// both have after C's conversions.
    pub integer: Integer,
}

pub(super) fn operation(function: &Function, id: NodeId) -> Option<Operation<'_>> {
    let node = &function[id];
    let [left, right] = node.children[..] else { return None };
    let (left_type, right_type) = (function[left].integer?, function[right].integer?);
    node.integer?;
    let (op, token, integer) = match &node.kind {
        Kind::Binary { op, token } if op.is_shift() => (*op, token, left_type),
        Kind::Binary { op, token } if left_type == right_type => (*op, token, left_type),
        Kind::Compound { op, token } if op.is_shift() => (*op, token, left_type.promoted()),
        // The left operand's conversion is not in the tree, but the right one's is, to the same type.
        Kind::Compound { op, token } => (*op, token, right_type),
        _ => return None,
    };
    Some(Operation { op, token: token.as_ref()?, left, right, integer })
}

/// What clang made of it.
pub(super) fn instruction<'c>(
    scope: &Scope<'_, 'c>,
    operation: &Operation<'_>,
) -> Option<InstructionValue<'c>> {
    let meaning = operation.op.meaning(operation.integer.signed);
    scope.places.only(operation.token.at, |instruction| {
        let is_meant = match meaning {
            Meaning::Arithmetic(opcode) => instruction.get_opcode() == opcode,
            Meaning::Comparison(predicate) => instruction.get_icmp_predicate() == Some(predicate),
        };
        is_meant && places::operand_width(*instruction, 0) == Some(operation.integer.width)
    })
}

pub(super) fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId, family: &[Binary]) -> Option<Found<'c>> {
    let function = scope.function;
    let operation = operation(function, id)?;
    if [operation.left, operation.right].iter().any(|side| function[*side].origin == Origin::Tangled) {
        return None;
    }
    let instruction = instruction(scope, &operation)?;
    let by_zero = places::constant(instruction, 1) == Some(0);
    let too_far = places::constant(instruction, 1).is_some_and(|by| by >= u64::from(operation.integer.width));
    let makes_sense =
        |to: &Binary| !(by_zero && matches!(to, Binary::Div | Binary::Rem) || too_far && to.is_shift());
    let others = family.iter().copied().filter(|to| *to != operation.op).filter(makes_sense);
    let variants = others.filter(|to| keeps_type(function, &operation, *to)).filter_map(|to| {
        let code = match to.meaning(operation.integer.signed) {
            Meaning::Arithmetic(opcode) => Code::Arithmetic(opcode),
            Meaning::Comparison(predicate) => Code::Comparison(predicate),
        };
        Some((wording::replace_operation(scope, id, &operation, to)?, code))
    });
    Some((operation.token.range.start, Place::Operation(instruction), variants.collect()))
}

/// Whether the other operation would compute in the same type in C. A shift takes the type of its
/// left operand, the others one that both have in common.
fn keeps_type(function: &Function, operation: &Operation<'_>, to: Binary) -> bool {
    to.is_shift() == operation.op.is_shift()
        || [operation.left, operation.right]
            .iter()
            .all(|side| promotes_to(function, *side, operation.integer))
}

/// Whether integer promotion alone gives the operand this type. Bit fields promote by their
/// width, which shows as a conversion in between.
fn promotes_to(function: &Function, side: NodeId, integer: Integer) -> bool {
    let mut id = side;
    loop {
        let Some(here) = function[id].integer else { return false };
        if function[id].kind != Kind::Implicit {
            return here.promoted() == integer;
        }
        if here.promoted() == here && here != integer {
            return false;
        }
        id = function[id].children[0];
    }
}

/// `a++` becomes `a--`, and the other way round.
pub(super) fn increment<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let node = &scope.function[id];
    let Kind::Increment { up, token: Some(token) } = &node.kind else { return None };
    // Clang counts a `_Bool` in ways of its own.
    let integer = node.integer.filter(|integer| !integer.is_bool())?;
    let instruction = scope.places.only(token.at, |instruction| {
        instruction.get_opcode() == InstructionOpcode::Add
            && places::width(*instruction) == Some(integer.width)
    })?;
    let step = u64::MAX >> (u64::BITS - integer.width.min(u64::BITS));
    let step = if *up { 1 } else { step };
    (places::constant(instruction, 1)? == step).then_some(())?;
    let replacement = wording::glue(scope.text, &token.range, if *up { "--" } else { "++" });
    let edit = Edit { range: token.range.clone(), replacement };
    // Down is up by minus one, so that subtraction turns either into the other.
    let code = Code::Arithmetic(InstructionOpcode::Sub);
    Some((token.range.start, Place::Operation(instruction), vec![(edit, code)]))
}
