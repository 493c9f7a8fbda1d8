//! AOR, ROR, BOR: an operation becomes another one of its kind.

use inkwell::values::{InstructionOpcode, InstructionValue};
use source::Edit;

use super::places;
use super::plan::{Anchor, Code, Found, Scope};
use super::wording;
use crate::ast::{Function, Integer, Node, NodeId, NodeKind, Origin, Other, Token};
use crate::mutate::binary::{Binary, Meaning, Operands};
use crate::mutate::operators::Extent;

/// `a + b` and `a += b`.
pub(super) struct Operation<'f> {
    pub op: Binary,
    pub token: &'f Token,
    pub left: NodeId,
    pub right: NodeId,
    /// What it computes with: for a shift the type of the left operand, else the one that
    /// both have after C's conversions.
    pub class: Class,
}

/// The type that an operation computes in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Integer(Integer),
    Other(Other),
}

impl Class {
    fn of(node: &Node) -> Option<Class> {
        node.integer.map(Class::Integer).or(node.other.map(Class::Other))
    }

    pub(super) fn integer(self) -> Option<Integer> {
        match self {
            Class::Integer(integer) => Some(integer),
            Class::Other(_) => None,
        }
    }

    fn operands(self) -> Operands {
        match self {
            Class::Integer(Integer { signed: true, .. }) => Operands::Signed,
            Class::Integer(_) => Operands::Unsigned,
            Class::Other(Other::Float(_)) => Operands::Float,
            Class::Other(Other::Pointer) => Operands::Pointer,
        }
    }

    /// Whether an operand of an instruction is of this type.
    fn is_of(self, instruction: InstructionValue, operand: u32) -> bool {
        match self {
            Class::Integer(integer) => places::operand_width(instruction, operand) == Some(integer.width),
            Class::Other(other) => places::operand_other(instruction, operand) == Some(other),
        }
    }
}

pub(super) fn operation(function: &Function, id: NodeId) -> Option<Operation<'_>> {
    let node = &function[id];
    let [left, right] = node.children[..] else { return None };
    let (left_type, right_type) = (Class::of(&function[left])?, Class::of(&function[right])?);
    Class::of(node)?;
    let (op, token, class) = match &node.kind {
        NodeKind::Binary { op, token } if op.is_shift() => (*op, token, left_type),
        NodeKind::Binary { op, token } if left_type == right_type => (*op, token, left_type),
        NodeKind::Compound { op, token } if op.is_shift() => {
            (*op, token, Class::Integer(left_type.integer()?.promoted()))
        }
        // A pointer moves by an integer, which is no operation on two of a kind.
        NodeKind::Compound { .. } if left_type == Class::Other(Other::Pointer) => return None,
        // The left operand's conversion is not in the tree, but the right one's is, to the same type.
        NodeKind::Compound { op, token } => (*op, token, right_type),
        _ => return None,
    };
    Some(Operation { op, token: token.as_ref()?, left, right, class })
}

/// What clang made of it.
pub(super) fn instruction<'c>(
    scope: &Scope<'_, 'c>,
    operation: &Operation<'_>,
) -> Option<InstructionValue<'c>> {
    let meaning = operation.op.meaning(operation.class.operands())?;
    scope.places.only(operation.token.at, |instruction| {
        let is_meant = match meaning {
            Meaning::Arithmetic(opcode) => instruction.get_opcode() == opcode,
            Meaning::Comparison(predicate) => instruction.get_icmp_predicate() == Some(predicate),
            Meaning::FloatComparison(predicate) => instruction.get_fcmp_predicate() == Some(predicate),
        };
        is_meant && operation.class.is_of(*instruction, 0)
    })
}

pub(super) fn site<'c>(
    scope: &Scope<'_, 'c>,
    id: NodeId,
    operations: &'static [Binary],
    extent: Extent,
) -> Option<Found<'c>> {
    let function = scope.function;
    let operation = operation(function, id)?;
    let sides = [operation.left, operation.right];
    // Between constants, the constants have the mutants.
    if sides.iter().any(|side| function[*side].origin == Origin::Tangled)
        || sides.iter().all(|side| is_constant(function, *side))
    {
        return None;
    }
    let instruction = instruction(scope, &operation)?;
    let makes_sense = |to: &Binary| makes_sense(instruction, &operation, *to);
    let operations = match extent {
        Extent::Sufficient => operation.op.sufficient(operation.class.operands()),
        Extent::Full => operations,
    };
    let others = operations.iter().copied().filter(|to| *to != operation.op).filter(makes_sense);
    let variants = others.filter(|to| keeps_type(function, &operation, *to)).filter_map(|to| {
        let code = match to.meaning(operation.class.operands())? {
            Meaning::Arithmetic(opcode) => Code::Arithmetic(opcode),
            Meaning::Comparison(predicate) => Code::Comparison(predicate),
            Meaning::FloatComparison(predicate) => Code::FloatComparison(predicate),
        };
        Some((wording::replace_operation(scope, id, &operation, to)?, code))
    });
    Some((Anchor::Operation(instruction), variants.collect()))
}

/// Whether it is made of literals only.
fn is_constant(function: &Function, id: NodeId) -> bool {
    let node = &function[id];
    match &node.kind {
        NodeKind::Literal(_) => true,
        NodeKind::Paren
        | NodeKind::Implicit
        | NodeKind::Cast
        | NodeKind::Unary(_)
        | NodeKind::Binary { .. } => node.children.iter().all(|child| is_constant(function, *child)),
        _ => false,
    }
}

/// No constant zero divides, nothing is shifted by a constant too far, and no pointer comes before or after
/// null: compilers warn of all three, and make of them what they like.
fn makes_sense(instruction: InstructionValue, operation: &Operation<'_>, to: Binary) -> bool {
    let constant = places::constant(instruction, 1);
    match operation.class {
        Class::Integer(_) if matches!(to, Binary::Div | Binary::Rem) => constant != Some(0),
        Class::Integer(integer) if to.is_shift() => constant.is_none_or(|by| by < u64::from(integer.width)),
        Class::Other(Other::Pointer) => {
            to.is_equality() || ![0, 1].into_iter().any(|at| places::is_null(instruction, at))
        }
        _ => true,
    }
}

/// Whether the other operation would compute in the same type in C. A shift takes the type of its
/// left operand, the others one that both have in common.
fn keeps_type(function: &Function, operation: &Operation<'_>, to: Binary) -> bool {
    let sides = [operation.left, operation.right];
    to.is_shift() == operation.op.is_shift()
        || operation
            .class
            .integer()
            .is_some_and(|integer| sides.iter().all(|side| promotes_to(function, *side, integer)))
}

/// Whether integer promotion alone gives the operand this type. Bit fields promote by their
/// width, which shows as a conversion in between.
fn promotes_to(function: &Function, side: NodeId, integer: Integer) -> bool {
    let mut id = side;
    loop {
        let Some(here) = function[id].integer else { return false };
        if function[id].kind != NodeKind::Implicit {
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
    let NodeKind::Increment { up, token: Some(token) } = &node.kind else { return None };
    let replacement = wording::glue(scope.text, &token.range, if *up { "--" } else { "++" });
    let edit = Edit { range: token.range.clone(), replacement };
    if let Some(Other::Float(_)) = node.other {
        let instruction = scope.places.only(token.at, |instruction| {
            instruction.get_opcode() == InstructionOpcode::FAdd
                && places::operand_other(*instruction, 0) == node.other
        })?;
        let code = Code::Arithmetic(InstructionOpcode::FSub);
        return Some((Anchor::Operation(instruction), vec![(edit, code)]));
    }
    // Clang counts a `_Bool` in ways of its own.
    let integer = node.integer.filter(|integer| !integer.is_bool())?;
    let instruction = scope.places.only(token.at, |instruction| {
        instruction.get_opcode() == InstructionOpcode::Add
            && places::width(*instruction) == Some(integer.width)
    })?;
    let step = u64::MAX >> (u64::BITS - integer.width.min(u64::BITS));
    let step = if *up { 1 } else { step };
    (places::constant(instruction, 1)? == step).then_some(())?;
    // Down is up by minus one, so that subtraction turns either into the other.
    let code = Code::Arithmetic(InstructionOpcode::Sub);
    Some((Anchor::Operation(instruction), vec![(edit, code)]))
}
