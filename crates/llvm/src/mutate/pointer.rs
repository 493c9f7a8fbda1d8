//! PTR: a pointer that is followed, moved or passed on becomes its neighbour.

use inkwell::values::InstructionOpcode;
use source::Edit;

use super::plan::{Anchor, Code, Found, Scope};
use super::{places, variable, wording};
use crate::ast::{NodeId, NodeKind, Other};
use crate::mutate::binary::Binary;

pub(super) fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let function = scope.function;
    let node = &function[id];
    // A pointer to what has no size has no neighbours.
    let size = node.pointee?;
    let read = variable::read(function, id).filter(|_| node.other == Some(Other::Pointer))?;
    let (parent, _) = function.explicit_parent(read)?;
    let makes_sense = match &function[parent].kind {
        NodeKind::Binary { op, .. } => matches!(op, Binary::Add | Binary::Sub),
        NodeKind::Plain | NodeKind::Call { .. } | NodeKind::Return | NodeKind::Assign { .. } => true,
        NodeKind::Declaration { .. } | NodeKind::List | NodeKind::Designated => true,
        _ => false,
    };
    let load = scope.places.only(node.at?, |instruction| {
        instruction.get_opcode() == InstructionOpcode::Load && places::is_pointer(*instruction)
    })?;
    let variant = |plus: i64| {
        let sign = if plus < 0 { '-' } else { '+' };
        let replacement = format!("({} {sign} 1)", scope.text.slice(node.range.clone()));
        let replacement = wording::glue(scope.text, &node.range, &replacement);
        (Edit { range: node.range.clone(), replacement }, Code::Offset(plus * size as i64))
    };
    makes_sense.then(|| (Anchor::Result(load), vec![variant(1), variant(-1)]))
}
