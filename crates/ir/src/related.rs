//! Pointer parameters that a function compares with each other, or subtracts: `while (p < end)`.
//!
//! C allows that only within one object, so a caller gives it such pointers, and so do we.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Action, Function, FunctionId, Operand, Program, Register, Type};

/// Pairs of parameters, by position, that are pointers to the same type and meet in an operation.
pub fn related(program: &Program, id: FunctionId) -> Vec<(usize, usize)> {
    let function = program.function(id);
    // Structs by value travel in ways of their own, and the registers are not the parameters.
    if function.door.is_some() {
        return vec![];
    }
    let origins = origins(program, function);
    let from = |operand: &Operand| match operand {
        Operand::Register(register) => origins.get(register).cloned().unwrap_or_default(),
        _ => BTreeSet::new(),
    };
    let mut pairs = BTreeSet::new();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let (Action::Apply { arguments, .. } | Action::Site { arguments, .. }) = &instruction.action else {
            continue;
        };
        let [.., one, other] = arguments.as_slice() else { continue };
        for one in from(one) {
            pairs.extend(from(other).into_iter().map(|other| (one.min(other), one.max(other))));
        }
    }
    let target = |at: usize| match program.of(function.signature.parameters[at].of) {
        Type::Pointer(pointer) => Some(pointer.to),
        _ => None,
    };
    pairs.into_iter().filter(|(one, other)| one != other && target(*one) == target(*other)).collect()
}

/// The pointer parameters that each register may stem from.
fn origins(program: &Program, function: &Function) -> BTreeMap<Register, BTreeSet<usize>> {
    let mut origins: BTreeMap<Register, BTreeSet<usize>> = BTreeMap::new();
    for (at, parameter) in function.signature.parameters.iter().enumerate().take(function.arity) {
        if matches!(program.of(parameter.of), Type::Pointer(_)) {
            origins.insert(Register(at as u32), BTreeSet::from([at]));
        }
    }
    // A block may stand before one that leads to it.
    loop {
        let before: usize = origins.values().map(BTreeSet::len).sum();
        for block in &function.blocks {
            for instruction in &block.instructions {
                let (Some(result), Some(pointer)) = (instruction.result, base(&instruction.action)) else {
                    continue;
                };
                flow(&mut origins, pointer, result);
            }
            for edge in block.end.edges() {
                let parameters = &function.blocks[edge.to.0 as usize].parameters;
                for (argument, parameter) in edge.arguments.iter().zip(parameters) {
                    flow(&mut origins, argument, *parameter);
                }
            }
        }
        if origins.values().map(BTreeSet::len).sum::<usize>() == before {
            return origins;
        }
    }
}

/// What a pointer is computed from. The site of one that a mutant moves has it alone.
fn base(action: &Action) -> Option<&Operand> {
    match action {
        Action::Offset { pointer, .. } => Some(pointer),
        Action::Site { arguments, .. } => match arguments.as_slice() {
            [pointer] => Some(pointer),
            _ => None,
        },
        _ => None,
    }
}

fn flow(origins: &mut BTreeMap<Register, BTreeSet<usize>>, from: &Operand, to: Register) {
    if let Operand::Register(from) = from
        && let Some(found) = origins.get(from).cloned()
    {
        origins.entry(to).or_default().extend(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn check(body: &str, expect: &[(usize, usize)]) {
        let text = format!(
            r#"type 0 = s8 "char"
            type 1 = s64 "long"
            type 2 = pointer "char *" to type 0
            type 3 = pointer "long *" to type 1
            function @f(%0 a: type 2, %1 b: type 2, %2 n: type 1, %3 c: type 3) {{ {body} }}"#
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(related(&program, FunctionId(0)), expect);
    }

    #[test]
    fn pointers_that_meet_are_related() {
        check("block0: %4:i1 = eq %0, %1 return", &[(0, 1)]);
        check("block0: %4:i64 = offset %1, %2 %5:i1 = eq %4, %0 return", &[(0, 1)]);
        check(
            "block0: jump block1(%0) block1(%4:i64): %5:i1 = ne %4, %1 branch %5, block2, block3 block2: %6:i64 = offset %4, 1:i64 jump block1(%6) block3: return",
            &[(0, 1)],
        );
    }

    #[test]
    fn numbers_and_other_types_are_not() {
        check("block0: %4:i1 = eq %0, %2 return", &[]);
        check("block0: %4:i1 = eq %0, %3 return", &[]);
        check("block0: %4:i1 = eq %0, 0:i64 return", &[]);
        check("block0: %4:i64 = offset %0, 1:i64 %5:i1 = eq %4, %0 return", &[]);
    }
}
