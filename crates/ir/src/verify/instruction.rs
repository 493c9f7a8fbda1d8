//! What always holds of an instruction.

use super::{applied, expect, expect_all, known, width, widths};
use crate::ctype::POINTER_WIDTH;
use crate::{Action, Argument, External, ExternalId, Function, Instruction, Operand, Program};

/// The least that holds the byte to fill with.
const BYTE: u32 = 8;

pub(super) fn verify(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
) -> Result<(), String> {
    let registers = &function.registers;
    // The callee, and so whether it gives a result, is only known when the program runs.
    let free = matches!(instruction.action, Action::CallPointer { .. });
    match (instruction.result, given(program, registers, &instruction.action)?) {
        (Some(register), _) if free => width(registers, Operand::Register(register)).map(|_| ()),
        (None, None) => Ok(()),
        (Some(register), Some(expected)) => {
            let found = width(registers, Operand::Register(register))?;
            expect(&format!("%{}", register.0), found, expected)
        }
        (Some(register), None) => Err(format!("there is no result for %{}", register.0)),
        (None, Some(_)) => Err("nothing takes the result".to_string()),
    }
}

/// The width of what an action gives, if it gives something.
fn given(program: &Program, registers: &[u32], action: &Action) -> Result<Option<u32>, String> {
    let word = |what: &str, operand: &Operand| expect(what, width(registers, *operand)?, POINTER_WIDTH);
    let pointer = |operand: &Operand| word("the pointer", operand);
    Ok(match action {
        Action::Apply { op, flags, arguments } => Some(applied(*op, *flags, &widths(registers, arguments)?)?),
        Action::Site { site, arguments } => {
            let Some(found) = program.sites.get(site.0 as usize) else {
                return Err(format!("there is no site {}", site.0));
            };
            expect_all(registers, arguments, found.parameters.iter().copied())?;
            Some(found.result)
        }
        Action::Call { function, arguments } => {
            let Some(callee) = program.functions.get(function.0 as usize) else {
                return Err(format!("there is no function {}", function.0));
            };
            let parameters = callee.registers.iter().take(callee.arity).copied();
            expect_all(registers, arguments, parameters)?;
            callee.result
        }
        Action::Local { size } | Action::Allocate { size } => {
            word("the size", size)?;
            Some(POINTER_WIDTH)
        }
        Action::Load { pointer: from, width, .. } => {
            pointer(from)?;
            super::sane(*width)?;
            Some(*width)
        }
        Action::Store { pointer: to, value } => {
            pointer(to)?;
            width(registers, *value)?;
            None
        }
        Action::Offset { pointer: from, by } => {
            pointer(from)?;
            word("the distance", by)?;
            Some(POINTER_WIDTH)
        }
        Action::Copy { to, from, length, .. } => {
            pointer(to)?;
            pointer(from)?;
            word("the length", length)?;
            None
        }
        Action::Fill { to, byte, length } => {
            pointer(to)?;
            let found = width(registers, *byte)?;
            if found < BYTE {
                return Err(format!("the byte is of i{found} only"));
            }
            word("the length", length)?;
            None
        }
        Action::Free { pointer: to } => {
            pointer(to)?;
            None
        }
        Action::Extent { pointer: to } | Action::Alignment { pointer: to } => {
            pointer(to)?;
            Some(POINTER_WIDTH)
        }
        Action::CallPointer { pointer: to, arguments } => {
            pointer(to)?;
            widths(registers, arguments)?;
            None
        }
        Action::External { external, arguments } => verify_call(program, registers, *external, arguments)?,
        Action::Check { condition, .. } => {
            expect("the condition", width(registers, *condition)?, 1)?;
            None
        }
        Action::Stop(_) | Action::Unsupported(_) => None,
    })
}

/// A call of a function without a body, and the width of what comes back.
fn verify_call(
    program: &Program,
    registers: &[u32],
    external: ExternalId,
    arguments: &[Argument],
) -> Result<Option<u32>, String> {
    let Some(external) = program.externals.get(external.0 as usize) else {
        return Err(format!("there is no external {}", external.0));
    };
    let External { parameters, variadic, .. } = external;
    let (found, expected) = (arguments.len(), parameters.len());
    if found < expected || found > expected && !variadic {
        return Err(format!("{found} arguments where {expected} are expected"));
    }
    for (at, argument) in arguments.iter().enumerate() {
        known(program, argument.of)?;
        if parameters.get(at).is_some_and(|parameter| *parameter != argument.of) {
            return Err(format!("argument {at} is not of the parameter's type"));
        }
        let Some(expected) = program.width(argument.of) else {
            return Err(format!("argument {at} is of a type that no word has"));
        };
        expect(&format!("argument {at}"), width(registers, argument.operand)?, expected)?;
        if argument.text && expected != POINTER_WIDTH {
            return Err(format!("argument {at} is no pointer to a text"));
        }
    }
    match external.result {
        None => Ok(None),
        Some(of) => match program.width(of) {
            Some(width) => Ok(Some(width)),
            None => Err("what it returns is of a type that no word has".to_string()),
        },
    }
}
