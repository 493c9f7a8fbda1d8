//! What operations of LLVM's give where C leaves that open.
//!
//! - Of two zeros with different signs, `fmin` and `fmax` give either. Clang makes an operation of them that
//!   gives one.
//! - C says of `isalpha` and its relatives only that what they give is zero or not. Glibc's macros look into
//!   a table and give a bit of it.
//!
//! Each of these becomes a call of a function in our C library. What it gives depends on what C leaves open
//! (`__library_choice`), and may be another at each place of a function. As with [NaNs](crate::nan), this is
//! done only to the program that we reason about and to the code that is compared, not to what runs.

use inkwell::IntPredicate;
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum};
use inkwell::values::{AsValueRef, BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, Operand};

use crate::lift::{self, operation};

/// Where glibc keeps the characteristics of characters.
const CHARACTERISTICS: &str = "__ctype_b_loc";

/// Makes open what C leaves open.
pub(crate) fn open_results(module: &Module) {
    for function in lift::user_functions(module).collect::<Vec<_>>() {
        let mut place = 0;
        let blocks = function.get_basic_block_iter();
        for instruction in blocks.flat_map(|block| block.get_instructions()).collect::<Vec<_>>() {
            if let Some((name, mut arguments)) = least_or_greatest(instruction) {
                arguments.push(module.get_context().i32_type().const_int(place, false).into());
                replace(module, instruction, name, &arguments);
                place += 1;
            } else if let Some(arguments) = class(instruction) {
                replace(module, instruction, "__whet_open_class", &arguments);
            }
        }
    }
}

/// The function that stands in for `fmin` or `fmax`, and what it compares.
fn least_or_greatest(instruction: InstructionValue) -> Option<(&'static str, Vec<BasicValueEnum>)> {
    let is_single = match instruction.get_type().try_into().ok()? {
        BasicTypeEnum::FloatType(of) if of == of.get_context().f32_type() => true,
        BasicTypeEnum::FloatType(of) if of == of.get_context().f64_type() => false,
        _ => return None,
    };
    let name = match (operation::intrinsic_name(instruction)?.as_str(), is_single) {
        ("llvm.minnum", true) => "__whet_open_fmin_float",
        ("llvm.minnum", false) => "__whet_open_fmin_double",
        ("llvm.maxnum", true) => "__whet_open_fmax_float",
        ("llvm.maxnum", false) => "__whet_open_fmax_double",
        _ => return None,
    };
    Some((name, vec![value(instruction, 0)?, value(instruction, 1)?]))
}

/// The characteristics of a character, and those that are asked for, if somebody looks at more of the answer
/// than whether it is zero.
fn class(instruction: InstructionValue) -> Option<Vec<BasicValueEnum>> {
    let is_int =
        instruction.get_type().is_int_type() && instruction.get_type().into_int_type().get_bit_width() == 32;
    if instruction.get_opcode() != InstructionOpcode::And || !is_int {
        return None;
    }
    let (known, asked) = (value(instruction, 0)?, value(instruction, 1)?);
    let entry = made_by(made_by(known, InstructionOpcode::ZExt)?, InstructionOpcode::Load)?;
    let table = made_by(made_by(entry, InstructionOpcode::GetElementPtr)?, InstructionOpcode::Load)?;
    let call = table.as_instruction_value().filter(|it| it.get_opcode() == InstructionOpcode::Call)?;
    let (callee, _) = operation::callee(call)?;
    let is_table = callee.get_name().to_bytes() == CHARACTERISTICS.as_bytes();
    let is_looked_at = !lift::users(instruction.as_value_ref()).into_iter().all(asks_for_zero);
    (is_table && is_looked_at).then(|| vec![known, asked])
}

/// The first operand of the instruction that has made a value, if it is of this kind.
fn made_by<'c>(made: BasicValueEnum<'c>, opcode: InstructionOpcode) -> Option<BasicValueEnum<'c>> {
    value(made.as_instruction_value().filter(|it| it.get_opcode() == opcode)?, 0)
}

fn asks_for_zero(instruction: InstructionValue) -> bool {
    let is_zero = |value: BasicValueEnum| value.is_int_value() && value.into_int_value().is_null();
    matches!(instruction.get_icmp_predicate(), Some(IntPredicate::EQ | IntPredicate::NE))
        && value(instruction, 1).is_some_and(is_zero)
}

fn value(instruction: InstructionValue, at: u32) -> Option<BasicValueEnum> {
    instruction.get_operand(at).and_then(Operand::value)
}

/// Puts a call of a function of the library where an instruction is.
fn replace<'c>(
    module: &Module<'c>,
    instruction: InstructionValue<'c>,
    name: &str,
    arguments: &[BasicValueEnum<'c>],
) {
    let of: BasicTypeEnum = instruction.get_type().try_into().expect("it gives a value");
    let parameters: Vec<BasicMetadataTypeEnum> =
        arguments.iter().map(|argument| argument.get_type().into()).collect();
    let function = module
        .get_function(name)
        .unwrap_or_else(|| module.add_function(name, of.fn_type(&parameters, false), None));
    let builder = module.get_context().create_builder();
    builder.position_before(&instruction);
    let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).into()).collect();
    let call = builder.build_call(function, &arguments, "open").expect("the builder has a place");
    let call = call.try_as_basic_value().expect_basic("it gives a value");
    instruction.replace_all_uses_with(&call.as_instruction_value().expect("a call is an instruction"));
    instruction.erase_from_basic_block();
}
