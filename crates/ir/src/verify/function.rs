//! What always holds of a function.
//!
//! Dominance comes last, and needs no dominator tree. A definition lies on every path
//! to each use of a register if and only if the register is not live at the entry.

use bv::Word;

use super::instruction;
use super::{Flaw, expect, expect_all, report, sane, width, widths};
use crate::ctype::POINTER_WIDTH;
use crate::liveness::live_in;
use crate::{Block, Edge, End, Function, FunctionId, Operand, Program, Register, Type, TypeId};

pub(super) fn verify(program: &Program, id: FunctionId, flaws: &mut Vec<Flaw>) {
    let function = program.function(id);
    let before = flaws.len();
    let place = format!("@{}", function.name);
    report(flaws, &place, verify_registers(function));
    report(flaws, &place, verify_border(program, id));
    if function.unsupported.is_some() {
        if !function.blocks.is_empty() {
            report(flaws, &place, Err("it is unsupported and has blocks all the same".to_string()));
        }
        if function.registers.len() > function.arity {
            report(
                flaws,
                &place,
                Err("it is unsupported and has registers beyond its parameters".to_string()),
            );
        }
        return;
    }
    let Some(entry) = function.blocks.first() else {
        report(flaws, &place, Err("it has no blocks and does not say why".to_string()));
        return;
    };
    if !entry.parameters.is_empty() {
        report(flaws, &place, Err("its entry has parameters".to_string()));
    }
    for (at, block) in function.blocks.iter().enumerate() {
        let place = format!("{place}, block {at}");
        for (at, instruction) in block.instructions.iter().enumerate() {
            let result = instruction::verify(program, function, instruction);
            report(flaws, &format!("{place}, instruction {at}"), result);
        }
        report(flaws, &place, verify_end(function, block));
    }
    report(flaws, &place, verify_definitions(function));
    // Liveness relies on all that was said so far.
    if flaws.len() == before {
        for register in live_in(function)[0].iter().filter(|register| register.0 as usize >= function.arity) {
            report(flaws, &place, Err(format!("%{} may be used before it is defined", register.0)));
        }
    }
}

fn verify_registers(function: &Function) -> Result<(), String> {
    if function.registers.len() < function.arity {
        return Err("it has fewer registers than parameters".to_string());
    }
    function.registers.iter().copied().chain(function.result).try_for_each(sane)
}

/// Whether who calls it from C finds it, or its door, to take what the signature says.
fn verify_border(program: &Program, id: FunctionId) -> Result<(), String> {
    let function = program.function(id);
    let signature = &function.signature;
    for of in signature.parameters.iter().map(|parameter| parameter.of).chain(signature.result) {
        super::known(program, of)?;
    }
    let Some(door) = function.door else {
        // Nobody calls these from outside by their own signature.
        let exempt = function.unsupported.is_some() || function.library || program.is_door(id);
        return match border(program, function, |_| None) {
            Some(border) if !exempt => verify_against(function, border),
            _ => Ok(()),
        };
    };
    match program.functions.get(door.0 as usize) {
        None => Err(format!("there is no function {}, its door", door.0)),
        Some(found) if found.door.is_some() => Err("its door has a door".to_string()),
        Some(found) if found.unsupported.is_some() => Ok(()),
        Some(found) => match border(program, function, |_| Some(POINTER_WIDTH)) {
            Some(border) => verify_against(found, border).map_err(|what| format!("its door: {what}")),
            None => Err("it has a door, and arguments that no door takes".to_string()),
        },
    }
}

/// The widths of what a function is given, and of what it returns.
type Border = (Vec<u32>, Option<u32>);

/// What the signature comes to, given what stands for a struct; nothing if it
/// has types that come to nothing. A struct is returned through a pointer.
fn border(program: &Program, function: &Function, record: fn(TypeId) -> Option<u32>) -> Option<Border> {
    let is_record = |of: TypeId| matches!(program.of(of), Type::Record(_));
    let width = |of: TypeId| if is_record(of) { record(of) } else { program.width(of) };
    let signature = &function.signature;
    let through_pointer = signature.result.filter(|of| is_record(*of));
    let parameters =
        through_pointer.into_iter().chain(signature.parameters.iter().map(|parameter| parameter.of));
    let parameters = parameters.map(width).collect::<Option<Vec<u32>>>()?;
    let result = match signature.result.filter(|of| !is_record(*of)) {
        Some(of) => Some(program.width(of)?),
        None => None,
    };
    Some((parameters, result))
}

fn verify_against(function: &Function, (parameters, result): Border) -> Result<(), String> {
    if function.arity != parameters.len() {
        return Err(format!("it takes {} words where {} are passed", function.arity, parameters.len()));
    }
    for (at, (register, expected)) in function.registers.iter().zip(parameters).enumerate() {
        expect(&format!("%{at}, a parameter,"), *register, expected)?;
    }
    match (function.result, result) {
        (Some(found), Some(expected)) => expect("what it returns", found, expected),
        (None, None) => Ok(()),
        (Some(_), None) => Err("it returns a word, and the signature has none".to_string()),
        (None, Some(_)) => Err("it returns no word, and the signature has one".to_string()),
    }
}

fn verify_end(function: &Function, block: &Block) -> Result<(), String> {
    let registers = &function.registers;
    match &block.end {
        End::Jump(_) | End::Unreachable => {}
        End::Branch { condition, .. } => expect("the condition", width(registers, *condition)?, 1)?,
        End::Switch { value, cases, .. } => {
            let width = width(registers, *value)?;
            let mut words: Vec<Word> = cases.iter().map(|(word, _)| *word).collect();
            for word in &words {
                expect(&format!("case {}", word.signed()), word.width(), width)?;
            }
            words.sort();
            if let Some(pair) = words.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(format!("case {} stands twice", pair[0].signed()));
            }
        }
        End::Return(value) => match (value, function.result) {
            (None, None) => {}
            (Some(value), Some(expected)) => expect("what it returns", width(registers, *value)?, expected)?,
            (Some(_), None) => return Err("it returns a value, and the signature has none".to_string()),
            (None, Some(_)) => return Err("it returns no value, and the signature has one".to_string()),
        },
    }
    block.end.edges().into_iter().try_for_each(|edge| verify_edge(function, edge))
}

fn verify_edge(function: &Function, edge: &Edge) -> Result<(), String> {
    let Some(target) = function.blocks.get(edge.to.0 as usize) else {
        return Err(format!("there is no block {}", edge.to.0));
    };
    if edge.to == Function::ENTRY {
        return Err("an edge leads to the entry".to_string());
    }
    let parameters: Vec<_> = target.parameters.iter().map(|register| Operand::Register(*register)).collect();
    let expected = widths(&function.registers, &parameters)?;
    expect_all(&function.registers, &edge.arguments, expected.into_iter())
        .map_err(|what| format!("edge to block {}: {what}", edge.to.0))
}

fn verify_definitions(function: &Function) -> Result<(), String> {
    let mut defined = vec![false; function.registers.len()];
    let parameters = (0..function.arity as u32).map(Register);
    let in_blocks = function.blocks.iter().flat_map(|block| {
        let results = block.instructions.iter().filter_map(|instruction| instruction.result);
        block.parameters.iter().copied().chain(results)
    });
    for register in parameters.chain(in_blocks) {
        match defined.get_mut(register.0 as usize) {
            None => return Err(format!("there is no %{} here", register.0)),
            Some(true) => return Err(format!("%{} is defined twice", register.0)),
            Some(defined) => *defined = true,
        }
    }
    Ok(())
}
