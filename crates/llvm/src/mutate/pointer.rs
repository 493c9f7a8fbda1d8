//! PTR: a pointer that is followed, moved or handed on becomes its neighbour.

use inkwell::values::InstructionOpcode;
use source::Edit;

use super::plan::{Code, Found, Place, Scope};
use super::{places, variable, wording};
use crate::ast::{Kind, NodeId, Other};
use crate::mutate::operators::Binary;

pub(super) fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let function = scope.function;
    let node = &function[id];
    // A pointer to what has no size has no neighbours.
    let size = node.pointee?;
    let read = variable::read(function, id).filter(|_| node.other == Some(Other::Pointer))?;
    let (parent, _) = function.explicit_parent(read)?;
    let makes_sense = match &function[parent].kind {
        Kind::Binary { op, .. } => matches!(op, Binary::Add | Binary::Sub),
        Kind::Plain | Kind::Call { .. } | Kind::Return | Kind::Assign { .. } => true,
        Kind::Declaration { .. } | Kind::List | Kind::Designated => true,
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
    makes_sense.then(|| (Place::Result(load), vec![variant(1), variant(-1)]))
}
