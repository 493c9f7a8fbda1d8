//! UOI: inserts or removes an operator with one operand.
//!
//! What clang makes of `!` depends on where it is used, so a choice removes it.

use inkwell::values::{InstructionOpcode, InstructionValue};
use source::Edit;

use super::plan::{Anchor, Code, Found, Scope};
use super::{places, variable, wording};
use crate::ast::{NodeId, NodeKind, Origin, Other, Unary};
use crate::mutate::binary::Binary;
use crate::mutate::operators::Value;

/// `a` becomes `-a`, or `~a` among bit operations.
pub(super) fn insert<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let function = scope.function;
    let read = variable::read(function, id)?;
    let (parent, _) = function.explicit_parent(read)?;
    let value = match &function[parent].kind {
        // There are enough mutants of `-a` already.
        NodeKind::Unary(_) => return None,
        NodeKind::Binary { op: Binary::And | Binary::Or | Binary::Xor, .. } => Value::Complemented,
        _ => Value::Negated,
    };
    let Some(Other::Float(_)) = function[id].other else { return variable::site(scope, id, &[value]) };
    let load = scope
        .places
        .only(function[id].at?, |instruction| instruction.get_opcode() == InstructionOpcode::Load)?;
    let range = function[id].range.clone();
    let replacement = wording::value(scope.text, &range, &format!("-{}", scope.text.slice(range.clone())));
    Some((Anchor::Result(load), vec![(Edit { range, replacement }, Code::Negate)]))
}

/// `-a` and `~a` become `a`.
pub(super) fn remove<'c>(scope: &Scope<'_, 'c>, id: NodeId, unary: Unary) -> Option<Found<'c>> {
    let node = &scope.function[id];
    let operand = &scope.function[*node.children.first()?];
    if operand.origin == Origin::Tangled {
        return None;
    }
    let is = |opcode, constant| {
        move |instruction: &InstructionValue<'c>| {
            let (at, value) = constant;
            instruction.get_opcode() == opcode && places::constant(*instruction, at) == Some(value)
        }
    };
    let (instruction, argument) = match (unary, node.integer, node.other) {
        (Unary::Minus, Some(_), _) => {
            (scope.places.only(node.at?, is(InstructionOpcode::Sub, (0, 0)))?, Code::Argument(1))
        }
        (Unary::Minus, _, Some(Other::Float(_))) => {
            let is_negation = |it: &InstructionValue<'c>| it.get_opcode() == InstructionOpcode::FNeg;
            (scope.places.only(node.at?, is_negation)?, Code::Argument(0))
        }
        (Unary::Complement, Some(integer), _) => {
            let ones = u64::MAX >> (u64::BITS - integer.width.min(u64::BITS));
            (scope.places.only(node.at?, is(InstructionOpcode::Xor, (1, ones)))?, Code::Argument(0))
        }
        _ => return None,
    };
    let replacement = wording::glue(scope.text, &node.range, &scope.text.slice(operand.range.clone()));
    let edit = Edit { range: node.range.clone(), replacement };
    Some((Anchor::Operation(instruction), vec![(edit, argument)]))
}
