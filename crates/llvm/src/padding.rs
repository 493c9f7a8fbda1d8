//! Marks the copies of structs that need not copy what lies between the members.
//!
//! What C calls a copy of a struct and what a user copies with `memcpy` are one instruction to clang. Where
//! it is sure to be the first, the instruction says which bytes have no value afterwards. The lift reads
//! that. What is not marked is taken for a copy of all bytes.

use std::collections::HashSet;
use std::ops::Range;

use inkwell::module::Module;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, InstructionOpcode, InstructionValue, Operand};
use source::Position;

use crate::ast::{Ast, Function, NodeKind, StructCopy};
use crate::lift::operation;
use crate::mutate::places::InstructionsByPlace;

const GAPS: &str = "whet.gaps";

/// Marks the copies in the functions that the tree knows.
pub(crate) fn mark(module: &Module, ast: &Ast) {
    for function in &ast.functions {
        let nodes = || function.ids().map(|id| &function[id]);
        if nodes().all(|node| node.copy.is_none()) {
            continue;
        }
        let Some(places) = InstructionsByPlace::new(module, function) else { continue };
        let calls = calls(function);
        for copy in nodes().filter_map(|node| node.copy.as_ref()).filter(|copy| !calls.contains(&copy.at)) {
            for instruction in places.all(copy.at).iter().filter(|it| copies(**it, copy.size)) {
                set(module, *instruction, copy);
            }
        }
    }
}

/// The bytes that have no value after a copy, by how far they are from the start.
pub(crate) fn gaps(instruction: InstructionValue) -> Vec<Range<usize>> {
    let kind = instruction.get_type().into_void_type().get_context().get_kind_id(GAPS);
    let bound = |value: BasicMetadataValueEnum| match value {
        BasicMetadataValueEnum::IntValue(number) => number.get_zero_extended_constant(),
        _ => None,
    };
    let bounds = instruction.get_metadata(kind).and_then(|node| node.get_node_values()).unwrap_or_default();
    let bounds: Vec<usize> = bounds.into_iter().filter_map(bound).map(|bound| bound as usize).collect();
    bounds.chunks_exact(2).map(|gap| gap[0]..gap[1]).collect()
}

/// Where calls stand. A macro may put a call of `memcpy` where its arguments seem to be.
fn calls(function: &Function) -> HashSet<Position> {
    let nodes = function.ids().map(|id| &function[id]);
    nodes.filter(|node| matches!(node.kind, NodeKind::Call { .. })).filter_map(|node| node.at).collect()
}

fn copies(instruction: InstructionValue, size: usize) -> bool {
    let is_copy = instruction.get_opcode() == InstructionOpcode::Call
        && operation::intrinsic_name(instruction).as_deref() == Some("llvm.memcpy");
    let length = || match instruction.get_operand(2).and_then(Operand::value)? {
        BasicValueEnum::IntValue(length) => length.get_zero_extended_constant(),
        _ => None,
    };
    is_copy && length() == Some(size as u64)
}

fn set(module: &Module, instruction: InstructionValue, copy: &StructCopy) {
    let context = module.get_context();
    let number = |bound: usize| context.i64_type().const_int(bound as u64, false).into();
    let bounds: Vec<BasicMetadataValueEnum> =
        copy.gaps.iter().flat_map(|gap| [number(gap.start), number(gap.end)]).collect();
    let kind = context.get_kind_id(GAPS);
    instruction.set_metadata(context.metadata_node(&bounds), kind).expect("a node may be attached");
}
