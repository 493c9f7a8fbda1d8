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
//! A float in memory is meant if this function also accesses the place as something else, or copies it there.
//! If another function does, by way of a pointer, this is not seen.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::core::{
    LLVMGetAllocatedType, LLVMGetOperand, LLVMIsAAllocaInst, LLVMIsAGetElementPtrInst, LLVMIsALoadInst,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::types::FloatType;
use inkwell::values::{
    AsValueRef, BasicValueEnum, FloatValue, FunctionValue, InstructionOpcode, InstructionValue, Operand,
};

use crate::lift::{self, operation};

/// The functions of the library, by the width of the float.
const SINGLE: &str = "__whet_open_nan_float";
const DOUBLE: &str = "__whet_open_nan_double";

/// Makes the bits of NaNs open wherever a function looks at bits of floats.
pub(crate) fn open_bits(module: &Module) {
    for function in lift::user_functions(module).collect::<Vec<_>>() {
        for (instruction, at, float) in seen_as_bits(function) {
            open(module, instruction, at, float);
        }
    }
}

/// The floats of a function whose bits are looked at, each with the instruction and the operand.
fn seen_as_bits<'c>(function: FunctionValue<'c>) -> Vec<(InstructionValue<'c>, u32, FloatValue<'c>)> {
    let instructions: Vec<InstructionValue> =
        function.get_basic_block_iter().flat_map(|block| block.get_instructions()).collect();
    let mixed = mixed_places(&instructions);
    let operand = |instruction: &InstructionValue<'c>| {
        let at = match instruction.get_opcode() {
            InstructionOpcode::BitCast if !instruction.get_type().is_float_type() => 0,
            InstructionOpcode::Call => match operation::intrinsic_name(*instruction)?.as_str() {
                "llvm.copysign" => 1,
                _ => return None,
            },
            InstructionOpcode::Store if mixed.contains(&place(value(*instruction, 1)?)) => 0,
            _ => return None,
        };
        match value(*instruction, at)? {
            BasicValueEnum::FloatValue(float) if name(float.get_type()).is_some() => {
                Some((*instruction, at, float))
            }
            _ => None,
        }
    };
    instructions.iter().filter_map(operand).collect()
}

/// Where a pointer leads, as far as it can be seen: the variable, or the variable whose value is the pointer.
/// Members and elements count for the whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Place {
    variable: LLVMValueRef,
    is_behind: bool,
}

fn place(pointer: BasicValueEnum) -> Place {
    let mut variable = pointer.as_value_ref();
    // SAFETY: each question is asked of values of the kind that it is about.
    unsafe {
        while !LLVMIsAGetElementPtrInst(variable).is_null() {
            variable = LLVMGetOperand(variable, 0);
        }
        let is_behind = !LLVMIsALoadInst(variable).is_null();
        Place { variable: if is_behind { LLVMGetOperand(variable, 0) } else { variable }, is_behind }
    }
}

/// What the words of a place are taken for.
#[derive(Default)]
struct Taken {
    as_float: bool,
    as_bits: bool,
}

/// The places that hold floats and are accessed as something else, or copied elsewhere.
fn mixed_places(instructions: &[InstructionValue]) -> HashSet<Place> {
    let mut places: HashMap<Place, Taken> = HashMap::new();
    let mut take = |pointer: Option<BasicValueEnum>, as_float: bool| {
        let Some(pointer) = pointer else { return };
        let taken = places.entry(place(pointer)).or_default();
        taken.as_float |= as_float;
        taken.as_bits |= !as_float;
    };
    for instruction in instructions {
        match instruction.get_opcode() {
            InstructionOpcode::Load => {
                take(value(*instruction, 0), instruction.get_type().is_float_type());
            }
            InstructionOpcode::Store => {
                let is_float = value(*instruction, 0).is_some_and(|stored| stored.is_float_value());
                take(value(*instruction, 1), is_float);
            }
            InstructionOpcode::Call => {
                let name = operation::intrinsic_name(*instruction).unwrap_or_default();
                if name == "llvm.memcpy" || name == "llvm.memmove" {
                    let [to, from] = [0, 1].map(|at| value(*instruction, at));
                    if !have_one_type(to, from) {
                        take(from, false);
                    }
                }
            }
            _ => {}
        }
    }
    let is_mixed = |(_, taken): &(Place, Taken)| taken.as_float && taken.as_bits;
    places.into_iter().filter(is_mixed).map(|(place, _)| place).collect()
}

/// Whether two pointers lead to variables of the same type.
fn have_one_type(one: Option<BasicValueEnum>, other: Option<BasicValueEnum>) -> bool {
    // SAFETY: only a variable is asked for its type.
    let of = |pointer: Option<BasicValueEnum>| unsafe {
        let variable = pointer?.as_value_ref();
        (!LLVMIsAAllocaInst(variable).is_null()).then(|| LLVMGetAllocatedType(variable))
    };
    of(one).is_some() && of(one) == of(other)
}

/// Puts what the library makes of a float in place of an operand.
fn open<'c>(module: &Module<'c>, instruction: InstructionValue<'c>, at: u32, float: FloatValue<'c>) {
    let of = float.get_type();
    let Some(name) = name(of) else { return };
    let open = module
        .get_function(name)
        .unwrap_or_else(|| module.add_function(name, of.fn_type(&[of.into()], false), None));
    let builder = module.get_context().create_builder();
    builder.position_before(&instruction);
    let call = builder.build_call(open, &[float.into()], "open").expect("the builder has a place");
    instruction.set_operand(at, call.try_as_basic_value().expect_basic("it returns a float"));
}

/// The function for a type of float, if there is one.
fn name(of: FloatType) -> Option<&'static str> {
    let context = of.get_context();
    if of == context.f32_type() { Some(SINGLE) } else { (of == context.f64_type()).then_some(DOUBLE) }
}

fn value<'c>(instruction: InstructionValue<'c>, at: u32) -> Option<BasicValueEnum<'c>> {
    instruction.get_operand(at).and_then(Operand::value)
}
