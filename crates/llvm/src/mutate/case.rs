//! SCR: a `case` goes, and its values take the way of all values that have none.

use inkwell::values::{InstructionOpcode, InstructionValue, Operand};
use source::Edit;

use super::places;
use super::plan::{Anchor, Code, Found, Scope};
use crate::ast::{Function, NodeId, NodeKind, Statement, skip_space};

/// The values of a case, as bits: from the first to the last, perhaps past the largest one and on from 0.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Label {
    first: u64,
    last: u64,
}

pub(super) fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let function = scope.function;
    if is_default_as_well(function, id) {
        return None;
    }
    let of = switch(function, id)?;
    let is_switch = |it: &InstructionValue<'c>| it.get_opcode() == InstructionOpcode::Switch;
    let instruction = scope.places.only(function[of].at?, is_switch)?;
    let width = places::operand_width(instruction, 0).filter(|width| *width <= u64::BITS)?;
    let mask = u64::MAX >> (u64::BITS - width);
    let Label { first, last } = label(function, id, mask)?;
    let own = function.ids().filter(|id| switch(function, *id) == Some(of));
    let all: Vec<Label> = own.filter_map(|id| label(function, id, mask)).collect();
    // A value without a case: if there is any, one comes right after a case.
    let after = all.iter().map(|label| label.last.wrapping_add(1) & mask);
    let is =
        std::iter::once(0).chain(after).find(|value| !all.iter().any(|label| label.has(*value, mask)))?;
    let range = text_range(scope, id)?;
    let anchor = anchor(instruction, Label { first, last }, mask)?;
    let last = first + (last.wrapping_sub(first) & mask);
    Some((anchor, vec![(Edit { range, replacement: String::new() }, Code::Instead { first, last, is })]))
}

impl Label {
    fn has(self, value: u64, mask: u64) -> bool {
        value.wrapping_sub(self.first) & mask <= self.last.wrapping_sub(self.first) & mask
    }
}

/// The values of a case, if that is one.
fn label(function: &Function, id: NodeId, mask: u64) -> Option<Label> {
    match function[id].kind {
        // An empty range is no case at all.
        NodeKind::Statement(Statement::Case(Some((first, last)))) if first <= last => {
            Some(Label { first: first as u64 & mask, last: last as u64 & mask })
        }
        _ => None,
    }
}

/// What has to change for a case to be missed. Clang makes a case of each value, but compares with the ends of a long range.
fn anchor<'c>(switch: InstructionValue<'c>, label: Label, mask: u64) -> Option<Anchor<'c>> {
    let mut cases = (2..switch.get_num_operands()).step_by(2);
    if cases.any(|at| places::constant(switch, at).is_some_and(|value| label.has(value, mask))) {
        return Some(Anchor::Operand { user: switch, operand: 0 });
    }
    let Operand::Value(value) = switch.get_operand(0)? else { return None };
    let value = value.into_int_value().as_instruction()?;
    let is_of_switch = |user: &InstructionValue<'c>| match user.get_opcode() {
        InstructionOpcode::Switch => true,
        InstructionOpcode::Sub => places::constant(*user, 1).is_some(),
        _ => false,
    };
    places::users(value).iter().all(is_of_switch).then_some(Anchor::Result(value))
}

/// From `case` to the colon.
fn text_range(scope: &Scope<'_, '_>, id: NodeId) -> Option<std::ops::Range<usize>> {
    let node = &scope.function[id];
    let [.., label, _] = node.children[..] else { return None };
    let colon = skip_space(scope.text.bytes(), scope.function[label].range.end);
    (scope.text.bytes().get(colon) == Some(&b':')).then_some(node.range.start..colon + 1)
}

/// Whether `default` stands before or after it, with nothing but other cases in between: nobody would miss it.
fn is_default_as_well(function: &Function, id: NodeId) -> bool {
    let is_case = |id: NodeId| matches!(function[id].kind, NodeKind::Statement(Statement::Case(_)));
    let is_default = |id: NodeId| function[id].kind == NodeKind::Statement(Statement::Default);
    let mut above = function.parent(id);
    while let Some(parent) = above.filter(|parent| is_case(*parent)) {
        above = function.parent(parent);
    }
    let mut below = Some(id);
    while let Some(case) = below.filter(|below| is_case(*below)) {
        below = function[case].children.last().copied();
    }
    above.is_some_and(is_default) || below.is_some_and(is_default)
}

/// The `switch` that something belongs to.
fn switch(function: &Function, id: NodeId) -> Option<NodeId> {
    let mut above = function.parent(id)?;
    while function[above].kind != NodeKind::Statement(Statement::Switch) {
        above = function.parent(above)?;
    }
    Some(above)
}
