//! What always holds of a function.
//!
//! Dominance comes last and costs no dominator tree: a definition lies on every path to each use of a register
//! just if the register is not live at the entry.

use bv::Word;

use super::{Flaw, applied, expect, expect_all, report, sane, width, widths};
use crate::liveness::live_in;
use crate::{Action, Block, Edge, End, Function, Instruction, Operand, Program, Register};

pub(super) fn verify(program: &Program, function: &Function, flaws: &mut Vec<Flaw>) {
    let before = flaws.len();
    let place = format!("@{}", function.name);
    report(flaws, &place, verify_registers(function));
    if function.unsupported.is_some() {
        if !function.blocks.is_empty() {
            report(flaws, &place, Err("it is unsupported and has blocks all the same".to_string()));
        }
        if function.registers.len() > function.signature.parameters.len() {
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
            let result = verify_instruction(program, function, instruction);
            report(flaws, &format!("{place}, instruction {at}"), result);
        }
        report(flaws, &place, verify_end(function, block));
    }
    report(flaws, &place, verify_definitions(function));
    // Liveness relies on all that was said so far.
    if flaws.len() == before {
        let parameters = function.signature.parameters.len();
        for register in live_in(function)[0].iter().filter(|register| register.0 as usize >= parameters) {
            report(flaws, &place, Err(format!("%{} may be used before it is defined", register.0)));
        }
    }
}

fn verify_registers(function: &Function) -> Result<(), String> {
    let parameters = &function.signature.parameters;
    if function.registers.len() < parameters.len() {
        return Err("it has fewer registers than parameters".to_string());
    }
    for (at, (register, parameter)) in function.registers.iter().zip(parameters).enumerate() {
        expect(&format!("%{at}, a parameter,"), *register, parameter.scalar.width)?;
    }
    let result = function.signature.result.as_ref().map(|scalar| scalar.width);
    function.registers.iter().copied().chain(result).try_for_each(sane)
}

fn verify_instruction(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
) -> Result<(), String> {
    let registers = &function.registers;
    let result = match &instruction.action {
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
            let parameters = callee.signature.parameters.iter();
            expect_all(registers, arguments, parameters.map(|parameter| parameter.scalar.width))?;
            callee.signature.result.as_ref().map(|scalar| scalar.width)
        }
        Action::Unsupported(_) => None,
    };
    match (instruction.result, result) {
        (None, None) => Ok(()),
        (Some(register), Some(expected)) => {
            let found = width(registers, Operand::Register(register))?;
            expect(&format!("%{}", register.0), found, expected)
        }
        (Some(register), None) => Err(format!("there is no result for %{}", register.0)),
        (None, Some(_)) => Err("nothing takes the result".to_string()),
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
        End::Return(value) => match (value, &function.signature.result) {
            (None, None) => {}
            (Some(value), Some(scalar)) => {
                expect("what it returns", width(registers, *value)?, scalar.width)?
            }
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
    let parameters = (0..function.signature.parameters.len() as u32).map(Register);
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
