//! What a function can reach: calls of other functions, of the outside, and through pointers.

use std::collections::BTreeSet;

use crate::{Action, ExternalId, Function, FunctionId, Operand, Program, Register, Type, TypeId};

/// The functions that a pointer to this type of function may name.
pub fn candidates(program: &Program, of: TypeId) -> Vec<FunctionId> {
    let Type::Function { parameters, result, variadic } = program.of(of) else { return vec![] };
    let fits = |id: &FunctionId| {
        let function = program.function(*id);
        let taken = function.signature.parameters.iter().map(|parameter| parameter.of);
        !function.library
            && function.unsupported.is_none()
            && function.signature.result == *result
            && function.signature.variadic == *variadic
            && taken.eq(parameters.iter().copied())
    };
    (0..program.functions.len() as u32).map(FunctionId).filter(fits).collect()
}

/// The functions that a run of this one may enter, itself included. Sorted.
pub fn reachable(program: &Program, function: FunctionId) -> Vec<FunctionId> {
    let mut seen = BTreeSet::from([function]);
    let mut waiting = vec![function];
    while let Some(id) = waiting.pop() {
        let function = program.function(id);
        let mut called: Vec<FunctionId> = function.door.into_iter().collect();
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            match &instruction.action {
                Action::Call { function, .. } => called.push(*function),
                Action::CallPointer { arguments, .. } => {
                    called.extend(led_to(program, function, arguments, instruction.result));
                }
                _ => {}
            }
        }
        waiting.extend(called.into_iter().filter(|id| seen.insert(*id)));
    }
    seen.into_iter().collect()
}

/// The functions that a call through a pointer may enter: all that take such arguments.
pub fn led_to<'a>(
    program: &'a Program,
    caller: &'a Function,
    arguments: &'a [Operand],
    result: Option<Register>,
) -> impl Iterator<Item = FunctionId> + 'a {
    let width = |operand: &Operand| match operand {
        Operand::Register(register) => caller.registers[register.0 as usize],
        Operand::Constant(word) => word.width(),
        Operand::Uninitialised(width) => *width,
    };
    let result = result.map(|register| caller.registers[register.0 as usize]);
    let may_be_meant =
        move |id: &FunctionId| program.function(*id).takes(arguments.iter().map(width), result);
    (0..program.functions.len() as u32).map(FunctionId).filter(may_be_meant)
}

/// The functions without a body that a run of this one may call. Sorted.
pub fn reachable_externals(program: &Program, function: FunctionId) -> Vec<ExternalId> {
    let mut externals = BTreeSet::new();
    for id in reachable(program, function) {
        for instruction in program.function(id).blocks.iter().flat_map(|block| &block.instructions) {
            if let Action::External { external, .. } = &instruction.action {
                externals.insert(*external);
            }
        }
    }
    externals.into_iter().collect()
}
