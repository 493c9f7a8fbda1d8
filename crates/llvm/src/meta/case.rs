//! SCR: a `case` goes, and its value takes the way of all values that have none.

use inkwell::values::{InstructionOpcode, InstructionValue};
use source::Edit;

use super::places;
use super::plan::{Code, Found, Place, Scope};
use crate::ast::{Function, Kind, NodeId, Statement, skip_space};

pub(super) fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let function = scope.function;
    let label = *function[id].children.first()?;
    let Kind::Literal(literal) = &function[function.explicit(label)].kind else { return None };
    let switch = &function[switch(function, id)?];
    let is_switch = |it: &InstructionValue<'c>| it.get_opcode() == InstructionOpcode::Switch;
    let instruction = scope.places.only(switch.at?, is_switch)?;
    let width = places::operand_width(instruction, 0).filter(|width| *width <= u64::BITS)?;
    let mask = u64::MAX >> (u64::BITS - width);
    let cases: Vec<u64> = (2..instruction.get_num_operands())
        .step_by(2)
        .filter_map(|at| places::constant(instruction, at))
        .collect();
    let of = literal.value as u64 & mask;
    // A value without a case, which there is if there are fewer cases than values.
    let is = (0..=mask).take(cases.len() + 1).find(|value| !cases.contains(value))?;
    // A range of cases has another value before the colon.
    let colon = skip_space(scope.text.bytes(), function[label].range.end);
    if !cases.contains(&of) || scope.text.bytes().get(colon) != Some(&b':') {
        return None;
    }
    let edit = Edit { range: function[id].range.start..colon + 1, replacement: String::new() };
    let place = Place::Operand { user: instruction, operand: 0 };
    Some((place, vec![(edit, Code::Instead { of, is })]))
}

/// The `switch` that a case belongs to.
fn switch(function: &Function, id: NodeId) -> Option<NodeId> {
    let mut above = function.parent(id)?;
    while function[above].kind != Kind::Statement(Statement::Switch) {
        above = function.parent(above)?;
    }
    Some(above)
}
