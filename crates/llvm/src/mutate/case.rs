//! SCR: removes a `case`. Its values then go where values without a case go.

use std::collections::{BTreeSet, HashMap};

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

/// The `switch` statements of a function, by their nodes, and which of them each node belongs to.
pub(super) struct Switches<'c> {
    of: Vec<Option<NodeId>>,
    known: HashMap<NodeId, Switch<'c>>,
}

/// What clang made of a `switch`.
struct Switch<'c> {
    instruction: InstructionValue<'c>,
    mask: u64,
    /// A value that no case has.
    without_case: Option<u64>,
    /// The values that have a case in the instruction.
    values: BTreeSet<u64>,
}

pub(super) fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let function = scope.function;
    if is_default_as_well(function, id) {
        return None;
    }
    let switches = scope.switches.get_or_init(|| Switches::new(scope));
    let switch = switches.known.get(&switches.of[id.index()]?)?;
    let label = label(function, id, switch.mask)?;
    let is = switch.without_case?;
    let range = text_range(scope, id)?;
    let anchor = anchor(switch, label)?;
    let Label { first, last } = label;
    let last = first + (last.wrapping_sub(first) & switch.mask);
    Some((anchor, vec![(Edit { range, replacement: String::new() }, Code::Instead { first, last, is })]))
}

impl<'c> Switches<'c> {
    fn new(scope: &Scope<'_, 'c>) -> Switches<'c> {
        let function = scope.function;
        let mut of: Vec<Option<NodeId>> = Vec::new();
        let mut cases: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        // Children come after their parent.
        for id in function.ids() {
            let switch = function.parent(id).and_then(|parent| match function[parent].kind {
                NodeKind::Statement(Statement::Switch) => Some(parent),
                _ => of[parent.index()],
            });
            of.push(switch);
            if let (Some(switch), NodeKind::Statement(Statement::Case(_))) = (switch, &function[id].kind) {
                cases.entry(switch).or_default().push(id);
            }
        }
        let known = cases.into_iter().filter_map(|(id, cases)| Some((id, Switch::new(scope, id, &cases)?)));
        Switches { of, known: known.collect() }
    }
}

impl<'c> Switch<'c> {
    fn new(scope: &Scope<'_, 'c>, id: NodeId, cases: &[NodeId]) -> Option<Switch<'c>> {
        let is_switch = |it: &InstructionValue<'c>| it.get_opcode() == InstructionOpcode::Switch;
        let instruction = scope.places.only(scope.function[id].at?, is_switch)?;
        let width = places::operand_width(instruction, 0).filter(|width| *width <= u64::BITS)?;
        let mask = u64::MAX >> (u64::BITS - width);
        let labels: Vec<Label> = cases.iter().filter_map(|id| label(scope.function, *id, mask)).collect();
        let operands = (2..instruction.get_num_operands()).step_by(2);
        let values = operands.filter_map(|at| places::constant(instruction, at)).collect();
        Some(Switch { instruction, mask, without_case: without_case(&labels, mask), values })
    }
}

/// A value without a case: if there is any, one comes right after a case.
fn without_case(labels: &[Label], mask: u64) -> Option<u64> {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable_by_key(|label| label.first);
    // No two cases have a value in common, so the one that begins before it has
    // it, or none. One that goes on from 0 is the last.
    let has_case = |value: u64| {
        let before = sorted[..sorted.partition_point(|label| label.first <= value)].last();
        before.or(sorted.last()).is_some_and(|label| label.has(value, mask))
    };
    let after = labels.iter().map(|label| label.last.wrapping_add(1) & mask);
    std::iter::once(0).chain(after).find(|value| !has_case(*value))
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

/// What has to change for a case to be missed. Clang makes a case of each
/// value, but compares with the ends of a long range.
fn anchor<'c>(switch: &Switch<'c>, label: Label) -> Option<Anchor<'c>> {
    let Switch { instruction, values, .. } = switch;
    let Label { first, last } = label;
    let is_case = match first <= last {
        true => values.range(first..=last).next().is_some(),
        false => values.range(first..).next().is_some() || values.range(..=last).next().is_some(),
    };
    if is_case {
        return Some(Anchor::Operand { user: *instruction, operand: 0 });
    }
    let Operand::Value(value) = instruction.get_operand(0)? else { return None };
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

/// Whether `default` stands before or after it, with nothing but other cases in
/// between: nobody would miss it.
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
