//! The defined form of the meta-mutant: whatever a mutant does, it means something.
//!
//! A seeded fault must not give the optimiser undefined behaviour to exploit. It would "prove" things
//! about the mutant that are not true of its binary. So all promises go: arithmetic wraps, shifts mask,
//! variables start at zero, a null pointer is an address like any other. Some operations stop the run by
//! a call to `__whet_trap`: a division that the machine cannot do, unreachable code, a float that fits
//! no integer, and the leading zeros of zero. That is what [`ir::interpret`] says a mutant does, too.
//!
//! There are two such forms. The form that runs counts: each block of the user's functions burns one unit of
//! `__whet_fuel` when it is entered. Guards are calls to small functions of our own, which the compiler
//! inlines. So no block is split, and the blocks stay those of the lifted program. The form that is compared
//! ([`DefinedForm::Compare`]) burns nothing, and makes visible what an optimiser would drop: see [`compare`].

mod attributes;
mod compare;
mod conversion;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::llvm_sys::core::{
    LLVMConstNull, LLVMDisposeValueMetadataEntries, LLVMGEPSetNoWrapFlags, LLVMGetMDKindIDInContext,
    LLVMGetNumOperands, LLVMGetOperand, LLVMInstructionGetAllMetadataOtherThanDebugLoc, LLVMIsUndef,
    LLVMSetMetadata, LLVMSetOperand, LLVMTypeOf, LLVMValueMetadataEntriesGetKind,
};
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicType, IntType};
use inkwell::values::{
    AnyValue, AsValueRef, BasicValue, BasicValueEnum, FastMathFlags, FunctionValue, InstructionOpcode,
    InstructionValue, IntValue,
};
use inkwell::{AddressSpace, IntPredicate};

pub(crate) use compare::USED_PREFIX;

use crate::assertion;
use crate::library::admitted::{self, Precision};
use crate::lift::{self, operation};
use crate::variadic;

/// Why `__whet_trap` is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Trap {
    OutOfFuel = 1,
    DivisionByZero = 2,
    DivisionOverflow = 3,
    Unreachable = 4,
    /// More memory or more output than we look at, or something that the lifted program does not do either.
    Unsupported = 5,
    /// An index that is not an element's. Only a sanitised build looks for it.
    Index = 6,
    /// An operation without a result, for which each machine makes up its own:
    /// a float that does not fit an integer, the place of a bit in zero.
    NoResult = 7,
    /// A further argument of a variadic function that was not passed, or is of another kind.
    Argument = 8,
}

impl Trap {
    const ALL: [Trap; 8] = [
        Trap::OutOfFuel,
        Trap::DivisionByZero,
        Trap::DivisionOverflow,
        Trap::Unreachable,
        Trap::Unsupported,
        Trap::Index,
        Trap::NoResult,
        Trap::Argument,
    ];

    pub(crate) fn from_code(code: u64) -> Option<Trap> {
        Trap::ALL.into_iter().find(|trap| *trap as u64 == code)
    }
}

/// Marks the instructions that give variables their zero, for those who want to
/// find reads that come too early.
pub(crate) const ZERO: &str = "whet.zero";

/// The function that traps unless an operation has a result.
pub(crate) const DEMAND: &str = "whet.demand";

/// Divisions that the machine cannot always do.
const DIVISIONS: [InstructionOpcode; 4] =
    [InstructionOpcode::UDiv, InstructionOpcode::SDiv, InstructionOpcode::URem, InstructionOpcode::SRem];

/// How the name of a function begins that divides, or traps where the machine would. Its width follows.
fn division(opcode: InstructionOpcode) -> String {
    format!("whet.{}.i", format!("{opcode:?}").to_lowercase())
}

/// The division that a function of this name guards.
pub(crate) fn division_of(name: &str) -> Option<InstructionOpcode> {
    DIVISIONS.into_iter().find(|opcode| name.starts_with(&division(*opcode)))
}

/// What the defined form is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DefinedForm {
    /// To be run, with fuel.
    Run,
    /// To be optimised and compared.
    Compare,
}

/// Brings the meta-mutant to a defined form, in place.
pub(crate) fn define(module: &Module, form: DefinedForm) {
    module.strip_debug_info();
    let users: Vec<FunctionValue> = lift::user_functions(module).collect();
    let bodies: Vec<FunctionValue> =
        module.get_functions().filter(|function| function.count_basic_blocks() > 0).collect();
    attributes::forget_promises(module);
    let guards = Guards::new(module);
    if let Some(check) = module.get_function(variadic::CHECK) {
        guards.write_check(check, Trap::Argument);
    }
    if form == DefinedForm::Run {
        let burn = guards.write_burn();
        users.iter().for_each(|function| guards.burn_fuel(*function, burn));
        guards.write_trap();
    }
    let mut witnesses = compare::Witnesses::new(module);
    if form == DefinedForm::Compare {
        assertion::forget_messages(module);
        forget_values(module);
        users.iter().for_each(|function| witnesses.count(*function));
    }
    for function in bodies {
        function.add_attribute(AttributeLoc::Function, enumerated(module, "null_pointer_is_valid"));
        witnesses.enter(function);
        let blocks = function.get_basic_block_iter();
        let instructions: Vec<_> = blocks.flat_map(|block| block.get_instructions()).collect();
        for instruction in instructions {
            forget_promises(instruction);
            match form {
                DefinedForm::Run => guards.keep(instruction),
                DefinedForm::Compare => witnesses.show(instruction),
            }
            guards.define(instruction);
        }
    }
}

/// The optimiser computes the sine of a constant as its own library does. A proof must hold for any.
fn forget_values(module: &Module) {
    let attribute = enumerated(module, "nobuiltin");
    let is_approximate = |function: &FunctionValue| {
        let name = function.get_name().to_string_lossy();
        admitted::precision(&name) == Some(Precision::Approximate) && function.count_basic_blocks() == 0
    };
    for function in module.get_functions().filter(is_approximate) {
        function.add_attribute(AttributeLoc::Function, attribute);
    }
}

/// Clears what an instruction promises about its operands.
fn forget_promises(instruction: InstructionValue) {
    // Those that the instruction does not have are errors, and none of our business.
    let _ = instruction.set_no_signed_wrap_flag(false);
    let _ = instruction.set_no_unsigned_wrap_flag(false);
    let _ = instruction.set_exact_flag(false);
    let _ = instruction.set_disjoint_flag(false);
    let _ = instruction.set_non_negative_flag(false);
    let _ = instruction.set_fast_math_flags(FastMathFlags::empty());
    let value = instruction.as_value_ref();
    // SAFETY: flags, metadata and operands of one instruction, by LLVM's own getters and setters.
    unsafe {
        if instruction.get_opcode() == InstructionOpcode::GetElementPtr {
            LLVMGEPSetNoWrapFlags(value, 0);
        }
        let mut count = 0;
        let entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(value, &mut count);
        let context = inkwell::llvm_sys::core::LLVMGetTypeContext(LLVMTypeOf(value));
        let ours = LLVMGetMDKindIDInContext(context, c"whet.mutant".as_ptr(), 11);
        for at in 0..count {
            let kind = LLVMValueMetadataEntriesGetKind(entries, at as u32);
            if kind != ours {
                LLVMSetMetadata(value, kind, std::ptr::null_mut());
            }
        }
        LLVMDisposeValueMetadataEntries(entries);
        for at in 0..LLVMGetNumOperands(value) as u32 {
            let operand = LLVMGetOperand(value, at);
            // Poison is undefined, too.
            if LLVMIsUndef(operand) != 0 {
                LLVMSetOperand(value, at, LLVMConstNull(LLVMTypeOf(operand)));
            }
        }
    }
}

/// Writes the checks, and the functions that they call.
struct Guards<'a, 'c> {
    module: &'a Module<'c>,
    builder: Builder<'c>,
    trap: FunctionValue<'c>,
}

impl<'a, 'c> Guards<'a, 'c> {
    fn new(module: &'a Module<'c>) -> Guards<'a, 'c> {
        let context = module.get_context();
        if module.get_global("__whet_mutant").is_none() {
            let mutant = module.add_global(context.i32_type(), None, "__whet_mutant");
            mutant.set_initializer(&context.i32_type().const_zero());
        }
        let trap = context.void_type().fn_type(&[context.i32_type().into()], false);
        let trap = module.add_function("__whet_trap", trap, None);
        trap.add_attribute(AttributeLoc::Function, enumerated(module, "noreturn"));
        Guards { module, builder: context.create_builder(), trap }
    }

    /// Burns a unit at the start of each block. In the entry it waits for the
    /// variables: they must stay in the first block when the call is inlined.
    fn burn_fuel(&self, function: FunctionValue<'c>, burn: FunctionValue<'c>) {
        for block in function.get_basic_block_iter() {
            let instructions: Vec<_> = block.get_instructions().collect();
            let is_first = |instruction: &InstructionValue| {
                matches!(instruction.get_opcode(), InstructionOpcode::Alloca | InstructionOpcode::Phi)
            };
            let first = instructions.iter().take_while(|instruction| is_first(instruction)).count();
            self.builder.position_before(&instructions[first]);
            self.call(burn, &[]);
        }
    }

    /// Gives an instruction a meaning where it may have none.
    fn define(&self, instruction: InstructionValue<'c>) {
        use InstructionOpcode::*;
        match instruction.get_opcode() {
            Shl | LShr | AShr => self.mask(instruction),
            UDiv | SDiv | URem | SRem => self.divide(instruction),
            FPToSI | FPToUI => self.convert(instruction),
            Unreachable => {
                self.builder.position_before(&instruction);
                self.build_trap(Trap::Unreachable);
            }
            Call => self.define_intrinsic(instruction),
            _ => {}
        }
    }

    /// Variables start at zero, and a read through a pointer takes place, even if nobody needs what is there.
    fn keep(&self, instruction: InstructionValue<'c>) {
        match instruction.get_opcode() {
            InstructionOpcode::Alloca => self.zero(instruction),
            InstructionOpcode::Load if !compare::is_plain_load(instruction) => {
                instruction.set_volatile(true).expect("a load may be volatile");
            }
            _ => {}
        }
    }

    fn mask(&self, shift: InstructionValue<'c>) {
        let Some(BasicValueEnum::IntValue(amount)) = operand(shift, 1) else { return };
        let of = amount.get_type();
        let width = of.get_bit_width();
        self.builder.position_before(&shift);
        let masked = if width.is_power_of_two() {
            self.builder.build_and(amount, of.const_int(u64::from(width) - 1, false), "masked")
        } else {
            self.builder.build_int_unsigned_rem(amount, of.const_int(width.into(), false), "masked")
        };
        shift.set_operand(1, masked.expect("the builder has a place"));
    }

    fn divide(&self, division: InstructionValue<'c>) {
        let (Some(BasicValueEnum::IntValue(left)), Some(BasicValueEnum::IntValue(right))) =
            (operand(division, 0), operand(division, 1))
        else {
            return;
        };
        let guarded = self.guarded(division.get_opcode(), left.get_type());
        self.builder.position_before(&division);
        let call = self.builder.build_call(guarded, &[left.into(), right.into()], "divided");
        let call =
            call.expect("the builder has a place").try_as_basic_value().expect_basic("it returns an integer");
        division.replace_all_uses_with(&call.as_instruction_value().expect("a call is an instruction"));
        division.erase_from_basic_block();
    }

    fn convert(&self, conversion: InstructionValue<'c>) {
        if let Some(fits) = conversion::fits(self.module, &self.builder, conversion) {
            self.call(self.demand(), &[fits.into()]);
        }
    }

    fn count_zeros(&self, call: InstructionValue<'c>) {
        let (Some(BasicValueEnum::IntValue(of)), Some(BasicValueEnum::IntValue(undefined_at_zero))) =
            (operand(call, 0), operand(call, 1))
        else {
            return;
        };
        if undefined_at_zero.get_zero_extended_constant() == Some(1) {
            self.builder.position_before(&call);
            let zero = of.get_type().const_zero();
            let has_bits = self.builder.build_int_compare(IntPredicate::NE, of, zero, "bits");
            self.call(self.demand(), &[has_bits.expect("the builder has a place").into()]);
            call.set_operand(1, self.module.get_context().bool_type().const_zero());
        }
    }

    fn zero(&self, allocation: InstructionValue<'c>) {
        let of = allocation.get_allocated_type().expect("it allocates");
        let address = allocation.as_any_value_enum().into_pointer_value();
        let next = allocation.get_next_instruction().expect("a block ends with something else");
        self.builder.position_before(&next);
        if !of.is_array_type() && !of.is_struct_type() && lift::is_single(allocation) {
            let store = self.builder.build_store(address, of.const_zero()).expect("the builder has a place");
            return self.mark_zero(store);
        }
        // A store of an aggregate becomes one instruction for each of its elements.
        let Some(BasicValueEnum::IntValue(count)) = operand(allocation, 0) else { return };
        let size = of.size_of().expect("what is allocated has a size");
        let count = self.builder.build_int_z_extend_or_bit_cast(count, size.get_type(), "count");
        let bytes = self.builder.build_int_mul(count.expect("the builder has a place"), size, "bytes");
        let zero = self.module.get_context().i8_type().const_zero();
        let bytes = bytes.expect("the builder has a place");
        let memset = self.builder.build_memset(address, 1, zero, bytes).expect("an alignment of 1 is fine");
        self.mark_zero(memset.as_instruction_value().expect("a call is an instruction"));
    }

    fn mark_zero(&self, instruction: InstructionValue<'c>) {
        let context = self.module.get_context();
        let kind = context.get_kind_id(ZERO);
        instruction.set_metadata(context.metadata_node(&[]), kind).expect("a node is metadata");
    }

    fn define_intrinsic(&self, call: InstructionValue<'c>) {
        let Some(name) = operation::intrinsic_name(call) else { return };
        let no = self.module.get_context().bool_type().const_zero();
        match name.as_str() {
            // The flag says that the result for the least value, or for zero, is poison.
            "llvm.abs" => {
                call.set_operand(1, no);
            }
            "llvm.ctlz" | "llvm.cttz" => self.count_zeros(call),
            "llvm.assume" => call.erase_from_basic_block(),
            "llvm.trap" | "llvm.ubsantrap" | "llvm.debugtrap" => {
                self.builder.position_before(&call);
                self.build_trap(Trap::Unreachable);
                call.erase_from_basic_block();
            }
            _ => {}
        }
    }

    /// The function that does a division, or traps where the machine would.
    fn guarded(&self, opcode: InstructionOpcode, of: IntType<'c>) -> FunctionValue<'c> {
        let name = format!("{}{}", division(opcode), of.get_bit_width());
        if let Some(known) = self.module.get_function(&name) {
            return known;
        }
        let context = self.module.get_context();
        let builder = context.create_builder();
        let function = of.fn_type(&[of.into(), of.into()], false);
        let function = self.module.add_function(&name, function, Some(Linkage::Internal));
        function.add_attribute(AttributeLoc::Function, enumerated(self.module, "alwaysinline"));
        let argument = |at| function.get_nth_param(at).expect("it has two").into_int_value();
        let (left, right) = (argument(0), argument(1));
        builder.position_at_end(context.append_basic_block(function, "entry"));
        let is = |value: IntValue<'c>, other| {
            builder.build_int_compare(IntPredicate::EQ, value, other, "is").expect("the builder has a place")
        };
        self.trap_if(&builder, is(right, of.const_zero()), Trap::DivisionByZero);
        if let InstructionOpcode::SDiv | InstructionOpcode::SRem = opcode {
            let one = of.const_int(1, false);
            let sign = of.const_int(u64::from(of.get_bit_width()) - 1, false);
            let least = builder.build_left_shift(one, sign, "least").expect("the builder has a place");
            let overflow = builder.build_and(is(left, least), is(right, of.const_all_ones()), "overflow");
            self.trap_if(&builder, overflow.expect("the builder has a place"), Trap::DivisionOverflow);
        }
        let result = match opcode {
            InstructionOpcode::UDiv => builder.build_int_unsigned_div(left, right, "result"),
            InstructionOpcode::SDiv => builder.build_int_signed_div(left, right, "result"),
            InstructionOpcode::URem => builder.build_int_unsigned_rem(left, right, "result"),
            _ => builder.build_int_signed_rem(left, right, "result"),
        };
        builder
            .build_return(Some(&result.expect("the builder has a place")))
            .expect("the builder has a place");
        function
    }

    /// The function that traps unless an operation has a result.
    fn demand(&self) -> FunctionValue<'c> {
        let context = self.module.get_context();
        self.module.get_function(DEMAND).unwrap_or_else(|| {
            let of = context.void_type().fn_type(&[context.bool_type().into()], false);
            let function = self.module.add_function(DEMAND, of, None);
            self.write_check(function, Trap::NoResult);
            function
        })
    }

    /// Writes a function that traps unless its argument holds.
    fn write_check(&self, function: FunctionValue<'c>, trap: Trap) {
        function.set_linkage(Linkage::Internal);
        function.add_attribute(AttributeLoc::Function, enumerated(self.module, "alwaysinline"));
        let context = self.module.get_context();
        let builder = context.create_builder();
        builder.position_at_end(context.append_basic_block(function, "entry"));
        let holds = function.get_nth_param(0).expect("it has one").into_int_value();
        let fails = builder.build_not(holds, "fails").expect("the builder has a place");
        self.trap_if(&builder, fails, trap);
        builder.build_return(None).expect("the builder has a place");
    }

    fn write_trap(&self) {
        // Weak, so that whoever runs the module may say what a trap does.
        self.trap.set_linkage(Linkage::WeakAny);
        let context = self.module.get_context();
        let declare = || self.module.add_function("llvm.trap", context.void_type().fn_type(&[], false), None);
        let stop = self.module.get_function("llvm.trap").unwrap_or_else(declare);
        self.builder.position_at_end(context.append_basic_block(self.trap, "entry"));
        self.call(stop, &[]);
        self.builder.build_unreachable().expect("the builder has a place");
    }

    fn write_burn(&self) -> FunctionValue<'c> {
        let context = self.module.get_context();
        let burn = context.void_type().fn_type(&[], false);
        let burn = self.module.add_function("whet.burn", burn, Some(Linkage::Internal));
        let fuel = context.i64_type();
        let left = self.module.add_global(fuel, Some(AddressSpace::default()), "__whet_fuel");
        left.set_initializer(&fuel.const_all_ones());
        burn.add_attribute(AttributeLoc::Function, enumerated(self.module, "alwaysinline"));
        let builder = &self.builder;
        builder.position_at_end(context.append_basic_block(burn, "entry"));
        let place = "the builder has a place";
        let units = builder.build_load(fuel, left.as_pointer_value(), "fuel").expect(place).into_int_value();
        let empty =
            builder.build_int_compare(IntPredicate::EQ, units, fuel.const_zero(), "empty").expect(place);
        self.trap_if(builder, empty, Trap::OutOfFuel);
        let less = builder.build_int_sub(units, fuel.const_int(1, false), "less").expect(place);
        builder.build_store(left.as_pointer_value(), less).expect(place);
        builder.build_return(None).expect(place);
        burn
    }

    /// Ends the block of the builder with a check, and goes on in a new one.
    fn trap_if(&self, builder: &Builder<'c>, condition: IntValue<'c>, trap: Trap) {
        let context = self.module.get_context();
        let function =
            builder.get_insert_block().and_then(|block| block.get_parent()).expect("it has a place");
        let (stop, go) =
            (context.append_basic_block(function, "stop"), context.append_basic_block(function, "go"));
        builder.build_conditional_branch(condition, stop, go).expect("the builder has a place");
        builder.position_at_end(stop);
        let code = context.i32_type().const_int(trap as u64, false);
        builder.build_call(self.trap, &[code.into()], "").expect("the builder has a place");
        builder.build_unreachable().expect("the builder has a place");
        builder.position_at_end(go);
    }

    fn build_trap(&self, trap: Trap) {
        let code = self.module.get_context().i32_type().const_int(trap as u64, false);
        self.call(self.trap, &[code.into()]);
    }

    fn call(&self, function: FunctionValue<'c>, arguments: &[BasicValueEnum<'c>]) {
        let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).into()).collect();
        self.builder.build_call(function, &arguments, "").expect("the builder has a place");
    }
}

/// That a function has nothing to do with memory.
pub(crate) fn no_memory(module: &Module) -> Attribute {
    let kind = Attribute::get_named_enum_kind_id("memory");
    module.get_context().create_enum_attribute(kind, compare::NO_MEMORY)
}

pub(crate) fn enumerated(module: &Module, name: &str) -> Attribute {
    module.get_context().create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0)
}

pub(crate) fn operand<'c>(instruction: InstructionValue<'c>, at: u32) -> Option<BasicValueEnum<'c>> {
    instruction.get_operand(at).and_then(|operand| operand.value())
}
