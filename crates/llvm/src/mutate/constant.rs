//! IVI and CR at a constant: plus 1, minus 1, 0, and others.
//!
//! A constant has no instruction of its own. It is an operand of the instruction that
//! uses it, after the conversions of C. It is found there by the value that it must have.
//! If clang has made something else of it, such as an address, it becomes a choice.

use inkwell::values::{InstructionOpcode, InstructionValue};
use source::Edit;

use super::plan::{Anchor, Code, Found, Scope, is_divisor};
use super::{number, operation, places, wording};
use crate::ast::{Function, Integer, NodeId, NodeKind, Origin, Other, Statement, Unary};
use crate::mutate::operators::{ALL_CONSTANTS, CONSTANTS, Extent, Operator, SEED, Value};

/// Wider ones have no literals.
const WIDEST: u32 = 64;

pub(super) fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId, values: &[Value]) -> Option<Found<'c>> {
    let Located { used, user, operand } = located(scope, id)?;
    let bits = bits(scope.function, &used, places::operand_width(user, operand)?)?;
    let changed = changed(scope, id, &used, values, &bits)?;
    let variants = changed.into_iter().map(|(edit, value)| (edit, Code::Constant(bits(value)))).collect();
    Some((Anchor::Constant { user, operand }, variants))
}

/// A parameter in place of a constant.
pub(super) fn parameter<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Found<'c>> {
    let Located { used, user, operand } = located(scope, id)?;
    let own = widened(&used.conversions)?;
    let code = Code::Parameter { width: own.width, signed: own.signed && !is_amount(scope.function, &used) };
    Some((Anchor::Constant { user, operand }, vec![(wording::parametric(scope, id), code)]))
}

/// An integer constant of the source in LLVM's code: the operand of an instruction.
struct Located<'c> {
    used: Used,
    user: InstructionValue<'c>,
    operand: u32,
}

/// None if the operand there is another number than the constant must be.
fn located<'c>(scope: &Scope<'_, 'c>, id: NodeId) -> Option<Located<'c>> {
    let used = used(scope.function, id).filter(|used| used.is_integer)?;
    let (user, operand) = user(scope, &used)?;
    let NodeKind::Literal(literal) = &scope.function[id].kind else { return None };
    let value = bits(scope.function, &used, places::operand_width(user, operand)?)?(literal.value);
    (places::constant(user, operand)? == value).then_some(Located { used, user, operand })
}

/// What a number that goes through these types is before it is widened, which happens once; or where it ends.
fn widened(conversions: &[Integer]) -> Option<Integer> {
    let mut found = None;
    for pair in conversions.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        if to.width > from.width && found.replace(from).is_some() {
            return None;
        }
        if to.width < from.width && found.is_some() {
            return None;
        }
    }
    let is_plain = conversions.iter().all(|integer| !integer.is_bool());
    found.or(conversions.last().copied()).filter(|_| is_plain)
}

/// A constant that is no operand of any instruction: its value, and the edits of it with theirs.
pub(super) fn edits(
    scope: &Scope<'_, '_>,
    id: NodeId,
    values: &[Value],
) -> Option<(i128, Vec<(Edit, i128)>)> {
    let NodeKind::Literal(literal) = &scope.function[id].kind else { return None };
    let used = used(scope.function, id).filter(|used| matters(scope.function, used))?;
    let converted = |value| used.conversions.iter().fold(value, |value, to| to.convert(value)) as u64;
    Some((literal.value, changed(scope, id, &used, values, converted)?))
}

/// What an operator puts in place of a constant.
pub(super) fn values(operator: Operator, extent: Extent) -> Option<&'static [Value]> {
    match (operator, extent) {
        (Operator::Ivi, _) => Some(SEED),
        (Operator::Cr, Extent::Full) => Some(ALL_CONSTANTS),
        (Operator::Cr, Extent::Sufficient) => Some(CONSTANTS),
        _ => None,
    }
}

/// The changes of a constant that make a difference, each with the value. `bits` says what becomes of that.
fn changed(
    scope: &Scope<'_, '_>,
    id: NodeId,
    used: &Used,
    values: &[Value],
    bits: impl Fn(i128) -> u64,
) -> Option<Vec<(Edit, i128)>> {
    let node = &scope.function[id];
    let NodeKind::Literal(literal) = &node.kind else { return None };
    // A narrower one, such as `u'a'`, has no literal of its type that is a number.
    let integer = node.integer.filter(|integer| integer.promoted() == *integer)?;
    let mut seen = vec![bits(literal.value)];
    if is_divisor(scope.function, id) {
        seen.push(0);
    }
    let mut variants = Vec::new();
    // A constant shift beyond the width is no mutant either, for the same reason as a constant zero divisor.
    let limit = shift_limit(scope.function, used);
    for value in values {
        let Some((value, replacement)) = number::changed(literal, integer, *value) else { continue };
        let makes_sense = limit.is_none_or(|limit| (0..i128::from(limit)).contains(&value));
        if makes_sense && !seen.contains(&bits(value)) {
            seen.push(bits(value));
            let replacement = wording::value(scope.text, &node.range, &replacement);
            variants.push((Edit { range: node.range.clone(), replacement }, value));
        }
    }
    Some(variants)
}

/// What uses a constant.
struct Used {
    /// The integer types that it goes through: its own first.
    conversions: Vec<Integer>,
    /// Otherwise it becomes a float.
    is_integer: bool,
    parent: NodeId,
    /// Which child of the parent.
    at: usize,
}

/// None if it becomes a pointer, or nothing at all.
fn used(function: &Function, id: NodeId) -> Option<Used> {
    let mut conversions = Vec::new();
    let mut is_integer = true;
    let mut child = id;
    loop {
        let node = &function[child];
        match (node.integer, node.other) {
            _ if node.origin != Origin::Written => return None,
            (Some(integer), _) if integer.width > WIDEST => return None,
            (Some(integer), _) if is_integer => conversions.push(integer),
            (Some(_), _) => {}
            (None, Some(Other::Float(_))) => is_integer = false,
            (None, _) => return None,
        }
        let parent = function.parent(child)?;
        let at = function[parent].children.iter().position(|other| *other == child)?;
        // Before the operand of a cast stands what belongs to the type.
        if function[parent].kind == NodeKind::Cast && at + 1 < function[parent].children.len() {
            return None;
        }
        if !matches!(function[parent].kind, NodeKind::Paren | NodeKind::Implicit | NodeKind::Cast) {
            return Some(Used { conversions, is_integer, parent, at });
        }
        child = parent;
    }
}

/// Whether more counts of it than whether it is zero, and it need not be known when the program is compiled.
fn matters(function: &Function, used: &Used) -> bool {
    let node = &function[used.parent];
    match &node.kind {
        NodeKind::Binary { .. } | NodeKind::Compound { .. } | NodeKind::Return => true,
        NodeKind::Plain | NodeKind::List | NodeKind::Declaration { .. } => true,
        NodeKind::Unary(unary) => *unary != Unary::Not,
        NodeKind::Assign { .. } => used.at == 1,
        NodeKind::Conditional => used.at > 0,
        NodeKind::Comma | NodeKind::Designated => used.at + 1 == node.children.len(),
        NodeKind::Statement(Statement::Switch) => used.at == 0,
        // What is built into the compiler may want a constant.
        NodeKind::Call { symbol, .. } => {
            used.at > 0 && !symbol.as_ref().is_some_and(|symbol| symbol.starts_with("__builtin_"))
        }
        _ => false,
    }
}

/// How a value shows in an operand of this width.
fn bits(function: &Function, used: &Used, width: u32) -> Option<impl Fn(i128) -> u64> {
    let last = *used.conversions.last()?;
    let is_amount = is_amount(function, used);
    // The amount of a shift is cut to the width of what is shifted, or gets
    // zeros above. A `_Bool` is a byte in memory.
    if !is_amount && !last.is_bool() && last.width != width {
        return None;
    }
    let mask = u64::MAX >> (u64::BITS - width.min(last.width));
    Some(move |value| used.conversions.iter().fold(value, |value, to| to.convert(value)) as u64 & mask)
}

fn is_amount(function: &Function, used: &Used) -> bool {
    match function[used.parent].kind {
        NodeKind::Binary { op, .. } | NodeKind::Compound { op, .. } => op.is_shift() && used.at == 1,
        _ => false,
    }
}

/// The width of what is shifted, if the constant is the amount of a shift.
fn shift_limit(function: &Function, used: &Used) -> Option<u32> {
    let operation = operation::operation(function, used.parent)?;
    let integer = operation.class.integer()?;
    (operation.op.is_shift() && used.at == 1).then_some(integer.width)
}

/// The instruction that has the constant as an operand, and which.
fn user<'c>(scope: &Scope<'_, 'c>, used: &Used) -> Option<(InstructionValue<'c>, u32)> {
    let Used { parent, at, .. } = *used;
    let node = &scope.function[parent];
    let is = |opcode| move |instruction: &InstructionValue<'c>| instruction.get_opcode() == opcode;
    match &node.kind {
        NodeKind::Binary { .. } | NodeKind::Compound { .. } => {
            let operation = operation::operation(scope.function, parent)?;
            Some((operation::instruction(scope, &operation)?, at as u32))
        }
        NodeKind::Assign { token: Some(token) } if at == 1 && is_discarded(scope, parent) => {
            Some((scope.places.only(token.at, is(InstructionOpcode::Store))?, 0))
        }
        NodeKind::Declaration { constant: false } => {
            Some((scope.places.only(node.at?, is(InstructionOpcode::Store))?, 0))
        }
        NodeKind::Return => {
            let ends = |instruction: &InstructionValue<'c>| {
                matches!(instruction.get_opcode(), InstructionOpcode::Store | InstructionOpcode::Return)
            };
            Some((scope.places.only(node.at?, ends)?, 0))
        }
        NodeKind::Call { symbol: Some(symbol), .. } if at > 0 => {
            // Arguments that the machine passes in another way than C would not be as many.
            let callee = (symbol.clone(), node.children.len() as u32 - 1);
            let call = scope.places.only(node.at?, |instruction| {
                is(InstructionOpcode::Call)(instruction) && places::callee(*instruction) == callee
            })?;
            Some((call, at as u32 - 1))
        }
        NodeKind::Conditional if at > 0 => {
            let joins = |instruction: &InstructionValue<'c>| {
                matches!(instruction.get_opcode(), InstructionOpcode::Phi | InstructionOpcode::Select)
            };
            let join = scope.places.only(node.at?, joins)?;
            let is_phi = join.get_opcode() == InstructionOpcode::Phi;
            Some((join, if is_phi { at as u32 - 1 } else { at as u32 }))
        }
        _ => None,
    }
}

/// Whether nobody uses the value of this assignment. Clang would use the constant in its place,
/// and a site at the assignment would miss that.
fn is_discarded(scope: &Scope<'_, '_>, id: NodeId) -> bool {
    let Some(parent) = scope.function.parent(id) else { return false };
    let node = &scope.function[parent];
    let is_first = node.children.first() == Some(&id);
    match node.kind {
        _ if scope.function.is_statement(id) => true,
        NodeKind::For => is_at_edge(scope, id),
        NodeKind::Comma if is_first => true,
        NodeKind::Paren | NodeKind::Comma => is_discarded(scope, parent),
        _ => false,
    }
}

/// Whether it is the first or the last of `for (a; b; c)`: which of the three a
/// child is, the tree does not say.
fn is_at_edge(scope: &Scope<'_, '_>, id: NodeId) -> bool {
    let range = &scope.function[id].range;
    let (before, after) = (&scope.text.bytes()[..range.start], &scope.text.bytes()[range.end..]);
    before.trim_ascii_end().ends_with(b"(") || after.trim_ascii_start().starts_with(b")")
}
