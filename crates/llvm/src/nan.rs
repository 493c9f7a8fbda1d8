//! The bits of a NaN that nobody promises.
//!
//! IEEE 754 and LLVM leave open which sign and payload a NaN has that comes out of an operation. No float
//! operation can tell, and no observation of a float does. But a program may look at the bits of a float as
//! an integer: through `signbit`, `copysign`, another member of a union, another type of pointer, or a copy.
//!
//! So a float passes through a function of our C library before its bits are looked at. If it is a NaN, the
//! function gives one that depends on what C leaves open (`__library_choice`). A run whose outcome depends on
//! it decides nothing, and a proof holds for all such NaNs. This is done only to the program that we reason
//! about and to the code that is compared, not to what runs.
//!
//! Where an operation looks at bits, that is the place. Memory is another matter: what one function writes as
//! a float, another one far away may read as something else. If the types of a file allow that
//! ([`crate::ast`]), the result of each float operation passes through the function when it is stored, handed
//! on or returned. To move a NaN leaves its bits alone. Two NaNs need not be the same, so each place of a
//! function has a choice of its own.
//!
//! An imported mutant is not asked for its types. It has those of the file.

use inkwell::module::Module;
use inkwell::types::FloatType;
use inkwell::values::{BasicValueEnum, FloatValue, InstructionOpcode, InstructionValue, Operand};

use crate::lift::{self, operation};

/// The functions of the library, by the width of the float.
const SINGLE: &str = "__whet_open_nan_float";
const DOUBLE: &str = "__whet_open_nan_double";

/// How a module says that it may look at the memory of floats as something else.
const MARK: &str = "whet.puns";

/// Notes whether the types of a file allow it to look at the memory of floats as something else.
pub(crate) fn mark(module: &Module, puns: bool) {
    if puns {
        let none = module.get_context().metadata_node(&[]);
        module.add_global_metadata(MARK, &none).expect("the name has no zero byte");
    }
}

/// Makes the bits of NaNs open wherever somebody may look at bits of floats.
pub(crate) fn open_bits(module: &Module) {
    let puns = module.get_global_metadata_size(MARK) > 0;
    for function in lift::user_functions(module).collect::<Vec<_>>() {
        let mut place = 0;
        let blocks = function.get_basic_block_iter();
        for instruction in blocks.flat_map(|block| block.get_instructions()).collect::<Vec<_>>() {
            for (at, float) in open_operands(instruction, puns) {
                open(module, instruction, at, float, place);
                place += 1;
            }
        }
    }
}

/// The operands of an instruction whose bits it, or somebody after it, may look at.
fn open_operands<'c>(instruction: InstructionValue<'c>, puns: bool) -> Vec<(u32, FloatValue<'c>)> {
    let intrinsic = operation::intrinsic_name(instruction);
    let (places, moves) = match (instruction.get_opcode(), intrinsic.as_deref()) {
        (InstructionOpcode::BitCast, _) if !instruction.get_type().is_float_type() => (0..1, false),
        (InstructionOpcode::Call, Some("llvm.copysign")) => (1..2, false),
        (InstructionOpcode::Call, Some(_)) => (0..0, true),
        (InstructionOpcode::Store | InstructionOpcode::Return, _) if puns => {
            (0..instruction.get_num_operands().min(1), true)
        }
        // The last operand is what is called.
        (InstructionOpcode::Call, None) if puns => (0..instruction.get_num_operands() - 1, true),
        _ => (0..0, true),
    };
    let float = |at| match instruction.get_operand(at).and_then(Operand::value)? {
        BasicValueEnum::FloatValue(float) if name(float.get_type()).is_some() => Some((at, float)),
        _ => None,
    };
    places.filter_map(float).filter(|(_, float)| !moves || is_computed(*float)).collect()
}

/// Whether a float comes out of an operation, and not from memory or from a caller.
fn is_computed(float: FloatValue) -> bool {
    float.as_instruction().is_some_and(|instruction| instruction.get_opcode() != InstructionOpcode::Load)
}

/// Puts what the library makes of a float, at this place of a function, where an operand is.
fn open<'c>(
    module: &Module<'c>,
    instruction: InstructionValue<'c>,
    at: u32,
    float: FloatValue<'c>,
    place: u64,
) {
    let of = float.get_type();
    let Some(name) = name(of) else { return };
    let number = module.get_context().i32_type();
    let open = module
        .get_function(name)
        .unwrap_or_else(|| module.add_function(name, of.fn_type(&[of.into(), number.into()], false), None));
    let place = number.const_int(place, false);
    let builder = module.get_context().create_builder();
    builder.position_before(&instruction);
    let call =
        builder.build_call(open, &[float.into(), place.into()], "open").expect("the builder has a place");
    instruction.set_operand(at, call.try_as_basic_value().expect_basic("it returns a float"));
}

/// The function for a type of float, if there is one.
fn name(of: FloatType) -> Option<&'static str> {
    let context = of.get_context();
    if of == context.f32_type() { Some(SINGLE) } else { (of == context.f64_type()).then_some(DOUBLE) }
}
