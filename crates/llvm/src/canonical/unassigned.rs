//! Which announced uses matter: those of values that nobody may have assigned.
//!
//! The interpreter stops a mutant that computes with something unassigned, whatever comes out. An optimiser
//! sees that `u - u` is zero, and drops it. So every use is announced to `whet.used`, of which the optimiser
//! knows nothing but that it may not return (see `define::compare`). Most of these announcements only make
//! equal code unequal. When variables are values, those that cannot matter are dropped.
//!
//! Let T contain each value that may have unassigned bits: what `whet.unassigned` returns, what comes from
//! elsewhere (a load, the result of a call, an argument if a function of the file may have passed it), and
//! what copies, moves or clears bits of T. Any other value was computed, and the computation would have
//! stopped. Claim: if original and mutant have the same code, and the original computes with nothing
//! unassigned, then neither does the mutant. For
//!   (1) a use of a value outside of T is no fault, and one in T is announced, in the same order in both;
//!   (2) an announced value is the same expression in both, up to what the optimiser knows to be equal;
//!   (3) while unassigned bits meet only assigned ones, each bit of a result comes from one bit of a source,
//!       and what LLVM knows to be independent of it, `ir::step` knows to be assigned; where unassigned bits
//!       may meet each other, as in `u ^ u`, the operation is hidden, and LLVM knows nothing of it. So equal
//!       expressions have the same unassigned bits.
//! More announcements, or a larger T, can only make equal code unequal.

use std::collections::HashMap;

use inkwell::attributes::AttributeLoc;
use inkwell::llvm_sys::core::LLVMIsConstant;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, Operand,
};

use crate::define::{USED_PREFIX, enumerated, no_memory};
use crate::lift::operation;

/// How an operation is called of which LLVM knows nothing. Its name and its type follow.
const OPAQUE_PREFIX: &str = "whet.opaque.";

/// Who calls a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Caller {
    /// A test, or a function of another file, which passes what it has assigned.
    Outside,
    /// Also functions of this file.
    Anyone,
}

/// Drops the announcements that cannot matter, and hides what operations do in which unassigned bits meet.
/// The variables of the function are values where they can be.
pub(super) fn keep_uses<'c>(module: &Module<'c>, function: FunctionValue<'c>, caller: Caller) {
    let unassigned = Unassigned::of(function, caller);
    for instruction in instructions(function) {
        if let Some(used) = announced(instruction) {
            if !unassigned.has(used) {
                instruction.erase_from_basic_block();
            }
        } else if unassigned.meet_in(instruction) {
            hide(module, instruction);
        }
    }
}

/// Drops the announcements of what turned out to be constant.
pub(super) fn forget_constants(function: FunctionValue) {
    for instruction in instructions(function) {
        // SAFETY: any value may be asked whether it is a constant.
        let is_constant = |value: BasicValueEnum| unsafe { LLVMIsConstant(value.as_value_ref()) != 0 };
        if announced(instruction).is_some_and(is_constant) {
            instruction.erase_from_basic_block();
        }
    }
}

fn instructions<'c>(function: FunctionValue<'c>) -> Vec<InstructionValue<'c>> {
    function.get_basic_block_iter().flat_map(|block| block.get_instructions()).collect()
}

/// The value whose use a call announces.
fn announced<'c>(call: InstructionValue<'c>) -> Option<BasicValueEnum<'c>> {
    callee(call)?.starts_with(USED_PREFIX).then(|| operand(call, 0)).flatten()
}

fn callee(call: InstructionValue) -> Option<String> {
    if call.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    let (function, _) = operation::callee(call)?;
    Some(function.get_name().to_string_lossy().into_owned())
}

fn operand<'c>(instruction: InstructionValue<'c>, at: u32) -> Option<BasicValueEnum<'c>> {
    instruction.get_operand(at).and_then(Operand::value)
}

/// The set T of a function: for each value, the bits of it that may be unassigned.
struct Unassigned(HashMap<LLVMValueRef, Bits>);

/// Bits of a value, the lowest first. Of wide and of aggregate values, they are all or none.
type Bits = u128;

impl Unassigned {
    fn of(function: FunctionValue, caller: Caller) -> Unassigned {
        let instructions = instructions(function);
        let mut found = Unassigned(HashMap::new());
        if caller == Caller::Anyone {
            let parameters = function.get_params();
            found.0.extend(parameters.iter().map(|parameter| (parameter.as_value_ref(), Bits::MAX)));
        }
        let sources = instructions.iter().filter(|instruction| comes_from_elsewhere(**instruction));
        found.0.extend(sources.map(|instruction| (instruction.as_value_ref(), Bits::MAX)));
        // A value may come back to itself in a loop. Bits only ever get more.
        loop {
            let mut is_stable = true;
            for instruction in &instructions {
                let (known, bits) = (found.bits_of(instruction.as_value_ref()), found.moved(*instruction));
                if bits & !known != 0 {
                    found.0.insert(instruction.as_value_ref(), known | bits);
                    is_stable = false;
                }
            }
            if is_stable {
                return found;
            }
        }
    }

    fn bits_of(&self, value: LLVMValueRef) -> Bits {
        self.0.get(&value).copied().unwrap_or(0)
    }

    fn has(&self, value: BasicValueEnum) -> bool {
        self.bits_of(value.as_value_ref()) != 0
    }

    /// Whether unassigned bits may meet each other in an operation.
    fn meet_in(&self, instruction: InstructionValue) -> bool {
        use InstructionOpcode::*;
        let bits = |at| operand(instruction, at).map_or(0, |operand| self.bits_of(operand.as_value_ref()));
        matches!(instruction.get_opcode(), And | Or | Xor) && bits(0) & bits(1) != 0
    }

    /// The bits of a result that come from unassigned ones of the operands.
    fn moved(&self, instruction: InstructionValue) -> Bits {
        use InstructionOpcode::*;
        let count = instruction.get_num_operands();
        let bits = |at| operand(instruction, at).map_or(0, |operand| self.bits_of(operand.as_value_ref()));
        let any = |places: std::ops::Range<u32>| places.fold(0, |all, at| all | bits(at));
        let all_if_any = |bits: Bits| if bits == 0 { 0 } else { Bits::MAX };
        match instruction.get_opcode() {
            And => match (constant(instruction, 0), constant(instruction, 1)) {
                (None, None) => any(0..2),
                (left, right) => any(0..2) & left.unwrap_or(Bits::MAX) & right.unwrap_or(Bits::MAX),
            },
            Or | Xor | Phi => any(0..count),
            Select => any(1..3),
            ZExt => match operand(instruction, 0) {
                Some(BasicValueEnum::IntValue(from)) => bits(0) & low(from.get_type().get_bit_width()),
                _ => all_if_any(bits(0)),
            },
            Trunc | Freeze => bits(0),
            Shl | LShr => match (constant(instruction, 1), operand(instruction, 0)) {
                (Some(by), Some(BasicValueEnum::IntValue(from))) if by < 128 => {
                    let width = low(from.get_type().get_bit_width());
                    let moved = match instruction.get_opcode() {
                        Shl => (bits(0) & width) << by,
                        _ => (bits(0) & width) >> by,
                    };
                    moved & width
                }
                _ => all_if_any(bits(0)),
            },
            AShr => all_if_any(bits(0)),
            SExt | BitCast | PtrToInt | IntToPtr | AddrSpaceCast | FNeg | ExtractValue | InsertValue
            | ExtractElement | InsertElement | ShuffleVector => all_if_any(any(0..count)),
            // The last operand is what is called.
            Call if operation::intrinsic_name(instruction).is_some() => all_if_any(any(0..count - 1)),
            _ => 0,
        }
    }
}

/// The lowest bits, as many as a width says.
fn low(width: u32) -> Bits {
    if width < Bits::BITS { (1 << width) - 1 } else { Bits::MAX }
}

/// The value of an operand that is an integer constant.
fn constant(instruction: InstructionValue, at: u32) -> Option<Bits> {
    match operand(instruction, at)? {
        BasicValueEnum::IntValue(value) => value.get_zero_extended_constant().map(Bits::from),
        _ => None,
    }
}

/// Whether an instruction gives what the function has not computed: something unassigned, or what is in
/// memory, or the result of a call.
fn comes_from_elsewhere(instruction: InstructionValue) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::Load => true,
        InstructionOpcode::Call => operation::intrinsic_name(instruction).is_none(),
        _ => false,
    }
}

/// Puts a call of a function in place of an operation, of which is known only that it computes.
fn hide<'c>(module: &Module<'c>, instruction: InstructionValue<'c>) {
    const PLACED: &str = "the builder has a place";
    let (Some(BasicValueEnum::IntValue(left)), Some(BasicValueEnum::IntValue(right))) =
        (operand(instruction, 0), operand(instruction, 1))
    else {
        return;
    };
    let of = left.get_type();
    let name =
        format!("{OPAQUE_PREFIX}{:?}.i{}", instruction.get_opcode(), of.get_bit_width()).to_lowercase();
    let opaque = module.get_function(&name).unwrap_or_else(|| {
        let function = module.add_function(&name, of.fn_type(&[of.into(), of.into()], false), None);
        for attribute in [no_memory(module), enumerated(module, "nounwind"), enumerated(module, "willreturn")]
        {
            function.add_attribute(AttributeLoc::Function, attribute);
        }
        function
    });
    let builder = module.get_context().create_builder();
    builder.position_before(&instruction);
    let call = builder.build_call(opaque, &[left.into(), right.into()], "").expect(PLACED);
    let call = call.try_as_basic_value().expect_basic("it returns an integer");
    instruction.replace_all_uses_with(&call.as_instruction_value().expect("a call is an instruction"));
    instruction.erase_from_basic_block();
}
