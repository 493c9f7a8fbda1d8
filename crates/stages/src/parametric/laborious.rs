//! Where solvers are not worth their time.

use std::collections::HashSet;

use bv::{Op, Word};
use ir::{Action, FunctionId, Operand};
use settle::Task;

/// Whether something is repeated, and there are products or quotients of variables. Solvers are busy for
/// minutes there, for each mutant anew, and mostly in vain.
pub(super) fn is_laborious(task: &Task) -> bool {
    let Task { program, subject, .. } = *task;
    let is_hard = |op: Op, arguments: &[Operand]| {
        let unknown = |at: usize| matches!(arguments.get(at), Some(Operand::Register(_)));
        match op {
            Op::Mul => unknown(0) && unknown(1),
            Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => unknown(1),
            _ => false,
        }
    };
    let functions = ir::reachable(program, subject);
    let repeats = |id: &FunctionId| {
        let mut actions = program.function(*id).blocks.iter().flat_map(|block| &block.instructions);
        ir::order::order(program.function(*id)).components().next().is_some()
            || actions
                .any(|it| matches!(&it.action, Action::Call { function, .. } if functions.contains(function)))
    };
    let computes = |id: &FunctionId| {
        let instructions = || program.function(*id).blocks.iter().flat_map(|block| &block.instructions);
        // Sites that give a constant, mutants aside.
        let known = instructions().filter_map(|instruction| {
            let Action::Site { site, arguments } = &instruction.action else { return None };
            program.site(*site).constant(arguments)?;
            instruction.result.map(Operand::Register)
        });
        let known: HashSet<Operand> = known.collect();
        let resolved = |operand: &Operand| match known.contains(operand) {
            true => Operand::Constant(Word::one(1)),
            false => *operand,
        };
        let mut operations = instructions().flat_map(|instruction| program.operations(&instruction.action));
        operations
            .any(|(op, arguments)| is_hard(op, &arguments.iter().map(resolved).collect::<Vec<Operand>>()))
    };
    functions.iter().any(repeats) && functions.iter().any(computes)
}
