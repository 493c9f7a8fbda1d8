//! Parameters that a function compares with each other: `while (p < end)`, `a == b`.
//!
//! C allows us to compare or subtract pointers only within one object. So a
//! caller passes such pointers to such a function, and so do we. That two numbers
//! are equal says something about a call only if the function compares them.

use std::collections::{BTreeMap, BTreeSet};

use bv::Op;

use crate::{Action, Function, FunctionId, Operand, Program, Register, Type};

/// Pairs of parameters, by position, that are pointers to the same type and meet in an operation.
pub fn related(program: &Program, id: FunctionId) -> Vec<(usize, usize)> {
    let parameters = &program.function(id).signature.parameters;
    let target = |at: usize| match program.of(parameters[at].of) {
        Type::Pointer(pointer) => Some(pointer.to),
        _ => None,
    };
    let is_pointer = |of: &Type| matches!(of, Type::Pointer(_));
    let mut pairs = meetings(program, program.function(id), is_pointer, pointer_base, |_| true);
    pairs.retain(|(one, other)| target(*one) == target(*other));
    pairs
}

/// Pairs of parameters, by position, that are numbers of the same type and are compared with each other.
pub fn compared(program: &Program, id: FunctionId) -> Vec<(usize, usize)> {
    let parameters = &program.function(id).signature.parameters;
    let is_number = |of: &Type| matches!(of, Type::Integer(_) | Type::Float(_));
    let compares = |action: &Action| match action {
        Action::Apply { op, .. } => op.compares(),
        Action::Site { site, .. } => {
            program.site(*site).original.instructions.iter().any(|it| it.op.compares())
        }
        _ => false,
    };
    let base = |action| number_base(program, action);
    let mut pairs = meetings(program, program.function(id), is_number, base, compares);
    pairs.retain(|(one, other)| parameters[*one].of == parameters[*other].of);
    pairs
}

/// Pairs of parameters of some kind that meet in one of these operations.
fn meetings<'a>(
    program: &Program,
    function: &'a Function,
    is_kind: impl Fn(&Type) -> bool,
    base: impl Fn(&'a Action) -> Option<&'a Operand>,
    counts: impl Fn(&Action) -> bool,
) -> Vec<(usize, usize)> {
    // Structs by value travel in ways of their own, and the registers are not the parameters.
    if function.door.is_some() {
        return vec![];
    }
    let origins = origins(program, function, is_kind, base);
    let from = |operand: &Operand| match operand {
        Operand::Register(register) => origins.get(register).cloned().unwrap_or_default(),
        _ => BTreeSet::new(),
    };
    let mut pairs = BTreeSet::new();
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    for instruction in instructions.filter(|instruction| counts(&instruction.action)) {
        let (Action::Apply { arguments, .. } | Action::Site { arguments, .. }) = &instruction.action else {
            continue;
        };
        let [.., one, other] = arguments.as_slice() else { continue };
        for one in from(one) {
            pairs.extend(from(other).into_iter().map(|other| (one.min(other), one.max(other))));
        }
    }
    pairs.into_iter().filter(|(one, other)| one != other).collect()
}

/// The parameters of some kind that each register may stem from.
fn origins<'a>(
    program: &Program,
    function: &'a Function,
    is_kind: impl Fn(&Type) -> bool,
    base: impl Fn(&'a Action) -> Option<&'a Operand>,
) -> BTreeMap<Register, BTreeSet<usize>> {
    let mut origins: BTreeMap<Register, BTreeSet<usize>> = BTreeMap::new();
    for (at, parameter) in function.signature.parameters.iter().enumerate().take(function.arity) {
        if is_kind(program.of(parameter.of)) {
            origins.insert(Register(at as u32), BTreeSet::from([at]));
        }
    }
    // A block may stand before one that leads to it.
    loop {
        let before: usize = origins.values().map(BTreeSet::len).sum();
        for block in &function.blocks {
            for instruction in &block.instructions {
                let (Some(result), Some(from)) = (instruction.result, base(&instruction.action)) else {
                    continue;
                };
                flow(&mut origins, from, result);
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
fn pointer_base(action: &Action) -> Option<&Operand> {
    match action {
        Action::Offset { pointer, .. } => Some(pointer),
        Action::Site { arguments, .. } => match arguments.as_slice() {
            [pointer] => Some(pointer),
            _ => None,
        },
        _ => None,
    }
}

/// The number that this one is, perhaps with more bits. The site of a variable that is read has it alone.
fn number_base<'a>(program: &Program, action: &'a Action) -> Option<&'a Operand> {
    match action {
        Action::Apply { op: Op::Zext(_) | Op::Sext(_), arguments, .. } => arguments.first(),
        Action::Site { site, arguments } if program.site(*site).original.instructions.is_empty() => {
            match arguments.as_slice() {
                [number] => Some(number),
                _ => None,
            }
        }
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

    fn program(body: &str) -> Program {
        let text = format!(
            r#"type 0 = s8 "char"
            type 1 = s64 "long"
            type 2 = pointer "char *" to type 0
            type 3 = pointer "long *" to type 1
            function @f(%0 a: type 2, %1 b: type 2, %2 n: type 1, %3 c: type 3, %4 m: type 1) {{ {body} }}"#
        );
        parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn check(body: &str, expect: &[(usize, usize)]) {
        assert_eq!(related(&program(body), FunctionId(0)), expect);
    }

    #[track_caller]
    fn check_numbers(body: &str, expect: &[(usize, usize)]) {
        assert_eq!(compared(&program(body), FunctionId(0)), expect);
    }

    #[test]
    fn pointers_that_meet_are_related() {
        check("block0: %5:i1 = eq %0, %1 return", &[(0, 1)]);
        check("block0: %5:i64 = offset %1, %2 %6:i1 = eq %5, %0 return", &[(0, 1)]);
        check(
            "block0: jump block1(%0) block1(%5:i64): %6:i1 = ne %5, %1 branch %6, block2, block3 block2: %7:i64 = offset %5, 1:i64 jump block1(%7) block3: return",
            &[(0, 1)],
        );
    }

    #[test]
    fn numbers_and_other_types_are_not() {
        check("block0: %5:i1 = eq %0, %2 return", &[]);
        check("block0: %5:i1 = eq %0, %3 return", &[]);
        check("block0: %5:i1 = eq %0, 0:i64 return", &[]);
        check("block0: %5:i64 = offset %0, 1:i64 %6:i1 = eq %5, %0 return", &[]);
    }

    #[test]
    fn numbers_are_compared_if_the_function_asks_how_they_stand() {
        check_numbers("block0: %5:i1 = slt %2, %4 return", &[(2, 4)]);
        check_numbers(
            "block0: %5:i128 = sext.i128 %4 %6:i128 = sext.i128 %2 %7:i1 = eq %5, %6 return",
            &[(2, 4)],
        );
        check_numbers("block0: %5:i64 = add %2, %4 return", &[]);
        check_numbers("block0: %5:i64 = neg %2 %6:i1 = eq %5, %4 return", &[]);
        check_numbers("block0: %5:i1 = eq %0, %1 return", &[]);
    }
}
