//! What an optimiser must not drop before code is compared.
//!
//! Two functions with the same code do the same, if the code says all that
//! matters. Five things would be lost on the way:
//!
//! - A read that nobody needs is removed, although it stops a run when its address is wrong. So each
//!   access through a pointer is announced by a call of `whet.touch`, of which nothing is known but that
//!   it neither reads nor writes memory of the program. It may end the run, so accesses keep their order.
//!   The same goes for indexes, which have bounds of their own: they are announced to `whet.check`.
//! - A variable that is read before it is assigned may be taken for anything that
//!   suits. So variables start with what `whet.unassigned` returns: something
//!   unknown, another one for each variable of a function. Code that depends on it keeps the call.
//! - A computation with such a variable stops a run, even if its result is always the same, as that of
//!   `u - u`. So each value that is computed with is announced to `whet.used`. Which of these announcements
//!   can matter is found out later, when variables are values: see [`unassigned`](crate::canonical).
//! - A loop that only takes time is removed. To a test that waits for it, it
//!   makes a difference. So each round of a loop is announced to `whet.round`.
//! - The compiler knows what the functions of the C library promise, and a mutant may break that. So they are
//!   functions like any other.

use std::collections::{HashMap, HashSet};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMGetAllocatedType, LLVMGetArrayLength2, LLVMGetElementType,
    LLVMGetGEPSourceElementType, LLVMGetNumOperands, LLVMGetOperand, LLVMGetTypeKind, LLVMGlobalGetValueType,
    LLVMIsAAllocaInst, LLVMIsAConstantInt, LLVMIsAGetElementPtrInst, LLVMIsAGlobalVariable, LLVMIsConstant,
    LLVMIsGlobalConstant, LLVMStructGetTypeAtIndex, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::target::{LLVMABIAlignmentOfType, LLVMStoreSizeOfType};
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum};
use inkwell::values::{
    AnyValue, AsValueRef, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
    IntValue, PointerValue,
};

use super::{enumerated, operand};
use crate::Graft;
use crate::bounds;
use crate::lift::{self, operation};

/// A variable with more scalars than this is unassigned as a whole. LLVM does not take it apart anyway.
const SCALARS: usize = 64;

/// The number of a scalar is that of the function, of the variable and of its place there, from these bits
/// on.
const FUNCTION: u32 = 40;
const VARIABLE: u32 = 16;

/// How the functions are called that announce a use, and that return something unassigned. A type follows.
pub(crate) const USED_PREFIX: &str = "whet.used.";
const UNASSIGNED_PREFIX: &str = "whet.unassigned.";

const PLACED: &str = "the builder has a place";

/// `memory(none)`, in the encoding that LLVM 19 has for it.
pub(super) const NO_MEMORY: u64 = 0;
/// `memory(inaccessiblemem: readwrite)`
const ELSEWHERE: u64 = 0b1100;
/// `memory(argmem: write)`
const ARGUMENTS: u64 = 0b10;

/// Writes the calls that show what must not be lost.
pub(super) struct Witnesses<'a, 'c> {
    module: &'a Module<'c>,
    layout: TargetData,
    builder: Builder<'c>,
    /// A number for each function, by the name that the user has for it: the unknown contents of a variable
    /// are the same in all versions of the function.
    functions: HashMap<String, u64>,
    /// The number of the next variable.
    variable: u64,
}

impl<'a, 'c> Witnesses<'a, 'c> {
    pub(super) fn new(module: &'a Module<'c>) -> Witnesses<'a, 'c> {
        let layout = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
        let builder = module.get_context().create_builder();
        Witnesses { module, layout, builder, functions: HashMap::new(), variable: 0 }
    }

    /// What is shown next is in this function.
    pub(super) fn enter(&mut self, function: FunctionValue<'c>) {
        let name = function.get_name().to_string_lossy();
        let fresh = self.functions.len() as u64;
        self.variable = *self.functions.entry(Graft::plain(&name).to_string()).or_insert(fresh) << FUNCTION;
    }

    /// Announces each round of the function's loops.
    pub(super) fn count(&self, function: FunctionValue<'c>) {
        let round = self.function("whet.round", None, ELSEWHERE, &[]);
        for block in heads(function) {
            let first = block.get_instructions().find(|it| it.get_opcode() != InstructionOpcode::Phi);
            self.builder.position_before(&first.expect("a block has an end"));
            self.builder.build_call(round, &[], "").expect(PLACED);
        }
    }

    pub(super) fn show(&mut self, instruction: InstructionValue<'c>) {
        for used in uses(instruction) {
            self.announce_use(instruction, used);
        }
        match instruction.get_opcode() {
            InstructionOpcode::Alloca => self.unassign(instruction),
            InstructionOpcode::Load => self.touch(instruction, 0, instruction.as_value_ref(), false),
            InstructionOpcode::Store => {
                // SAFETY: a store has two operands.
                let stored = unsafe { LLVMGetOperand(instruction.as_value_ref(), 0) };
                self.touch(instruction, 1, stored, true);
            }
            InstructionOpcode::GetElementPtr => self.check(instruction),
            InstructionOpcode::Call => self.touch_ranges(instruction),
            _ => {}
        }
    }

    /// Announces that an instruction computes with a value. It is the same to announce this once or twice, so
    /// the optimiser may drop the second time.
    fn announce_use(&self, instruction: InstructionValue<'c>, value: BasicValueEnum<'c>) {
        let of = value.get_type();
        let name = format!("{USED_PREFIX}{}", of.print_to_string().to_string());
        let truth = self.module.get_context().bool_type();
        let used = self.function(&name, Some(truth.into()), NO_MEMORY, &[of.into()]);
        self.builder.position_before(&instruction);
        self.builder.build_call(used, &[value.into()], "").expect(PLACED);
    }

    /// Announces each index that has a limit.
    fn check(&self, address: InstructionValue<'c>) {
        let number = self.module.get_context().i64_type();
        for limit in bounds::limits(address) {
            self.builder.position_before(&address);
            let index = limit.index_in_64_bits(&self.builder);
            let check = self.function("whet.check", None, ELSEWHERE, &[number.into(), number.into()]);
            let below = number.const_int(limit.below, false);
            self.builder.build_call(check, &[index.into(), below.into()], "").expect(PLACED);
        }
    }

    /// Whether an access to something of this type stays in it, whatever type the access has.
    fn stays_in(&self, part: LLVMTypeRef, accessed: LLVMTypeRef) -> bool {
        let layout = self.layout.as_mut_ptr();
        // SAFETY: both are types of variables and values, so they have a size.
        unsafe {
            LLVMStoreSizeOfType(layout, accessed) <= LLVMStoreSizeOfType(layout, part)
                && LLVMABIAlignmentOfType(layout, accessed) <= LLVMABIAlignmentOfType(layout, part)
        }
    }

    /// Announces the access to as many bytes as the value has.
    fn touch(&self, access: InstructionValue<'c>, at: u32, value: LLVMValueRef, writes: bool) {
        let Some(BasicValueEnum::PointerValue(pointer)) = operand(access, at) else { return };
        // SAFETY: every value has a type.
        let of = unsafe { LLVMTypeOf(value) };
        if is_plain(pointer, of, writes, |part, accessed| self.stays_in(part, accessed)) {
            return;
        }
        // SAFETY: what is loaded or stored is of a basic type, which has a size.
        let size = self.layout.get_store_size(&unsafe { BasicTypeEnum::new(of) });
        self.builder.position_before(&access);
        self.announce(pointer, self.module.get_context().i64_type().const_int(size, false), writes);
    }

    fn touch_ranges(&self, call: InstructionValue<'c>) {
        let Some(name) = operation::intrinsic_name(call) else { return };
        let (writes, reads) = match name.as_str() {
            "llvm.memcpy" | "llvm.memmove" => (0, Some(1)),
            "llvm.memset" => (0, None),
            _ => return,
        };
        let Some(BasicValueEnum::IntValue(length)) = operand(call, 2) else { return };
        self.builder.position_before(&call);
        for (at, is_write) in [(Some(writes), true), (reads, false)] {
            let Some(BasicValueEnum::PointerValue(pointer)) = at.and_then(|at| operand(call, at)) else {
                continue;
            };
            if !self.is_inside(pointer, length, is_write) {
                self.announce(pointer, length, is_write);
            }
        }
    }

    /// Whether a copy or a fill is of a variable from its start, and no longer than that.
    fn is_inside(&self, pointer: PointerValue, length: IntValue, writes: bool) -> bool {
        // SAFETY: a variable is of a type that has a size.
        unsafe {
            let Some(of) = variable(pointer.as_value_ref(), writes) else { return false };
            let size = self.layout.get_abi_size(&BasicTypeEnum::new(of));
            length.get_zero_extended_constant().is_some_and(|length| length <= size)
        }
    }

    fn announce(&self, pointer: PointerValue<'c>, size: IntValue<'c>, writes: bool) {
        let context = self.module.get_context();
        let size = self.builder.build_int_z_extend_or_bit_cast(size, context.i64_type(), "size");
        let touch = self.function(
            "whet.touch",
            None,
            ELSEWHERE,
            &[pointer.get_type().into(), context.i64_type().into(), context.bool_type().into()],
        );
        let writes = context.bool_type().const_int(writes.into(), false);
        self.builder
            .build_call(touch, &[pointer.into(), size.expect(PLACED).into(), writes.into()], "")
            .expect(PLACED);
    }

    /// Gives a variable an unknown content of its own.
    fn unassign(&mut self, allocation: InstructionValue<'c>) {
        let of = allocation.get_allocated_type().expect("it allocates");
        let address = allocation.as_any_value_enum().into_pointer_value();
        let next = allocation.get_next_instruction().expect("a block ends with something else");
        self.builder.position_before(&next);
        self.variable += 1 << VARIABLE;
        let mut scalars = Vec::new();
        if lift::is_single(allocation) && collect(of, &mut Vec::new(), &mut scalars) {
            for (at, (path, scalar)) in scalars.into_iter().enumerate() {
                let number = self.variable | at as u64;
                self.unassign_scalar(of, address, &path, scalar, number);
            }
            return;
        }
        let context = self.module.get_context();
        let Some(BasicValueEnum::IntValue(count)) = operand(allocation, 0) else { return };
        let size = of.size_of().expect("what is allocated has a size");
        let count = self.builder.build_int_z_extend_or_bit_cast(count, size.get_type(), "count");
        let bytes = self.builder.build_int_mul(count.expect(PLACED), size, "bytes").expect(PLACED);
        let number = context.i64_type().const_int(self.variable, false);
        let unassigned = self.function(
            "whet.unassigned",
            None,
            ARGUMENTS,
            &[address.get_type().into(), bytes.get_type().into(), number.get_type().into()],
        );
        let willreturn = enumerated(self.module, "willreturn");
        unassigned.add_attribute(AttributeLoc::Function, willreturn);
        self.builder
            .build_call(unassigned, &[address.into(), bytes.into(), number.into()], "")
            .expect(PLACED);
    }

    fn unassign_scalar(
        &self,
        of: BasicTypeEnum<'c>,
        address: PointerValue<'c>,
        path: &[u32],
        scalar: BasicTypeEnum<'c>,
        number: u64,
    ) {
        let context = self.module.get_context();
        let name = format!("{UNASSIGNED_PREFIX}{}", scalar.print_to_string().to_string());
        let number = context.i64_type().const_int(number, false);
        let unknown = self.function(&name, Some(scalar), NO_MEMORY, &[number.get_type().into()]);
        unknown.add_attribute(AttributeLoc::Function, enumerated(self.module, "willreturn"));
        let value = self.builder.build_call(unknown, &[number.into()], "unassigned").expect(PLACED);
        let value = value.try_as_basic_value().expect_basic("it returns a scalar");
        let indexes: Vec<IntValue<'c>> = std::iter::once(0)
            .chain(path.iter().copied())
            .map(|index| context.i32_type().const_int(index.into(), false))
            .collect();
        let place = match path.is_empty() {
            true => address,
            // SAFETY: the path was found by walking through the type.
            false => unsafe { self.builder.build_gep(of, address, &indexes, "part") }.expect(PLACED),
        };
        self.builder.build_store(place, value).expect(PLACED);
    }

    /// A function of which the compiler knows only what memory it has to do with.
    fn function(
        &self,
        name: &str,
        result: Option<BasicTypeEnum<'c>>,
        memory: u64,
        parameters: &[BasicMetadataTypeEnum<'c>],
    ) -> FunctionValue<'c> {
        if let Some(known) = self.module.get_function(name) {
            return known;
        }
        let context = self.module.get_context();
        let of = match result {
            Some(result) => result.fn_type(parameters, false),
            None => context.void_type().fn_type(parameters, false),
        };
        let function = self.module.add_function(name, of, None);
        let kind = Attribute::get_named_enum_kind_id("memory");
        function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, memory));
        function.add_attribute(AttributeLoc::Function, enumerated(self.module, "nounwind"));
        for at in 0..function.count_params() {
            if parameters[at as usize].is_pointer_type() {
                function.add_attribute(AttributeLoc::Param(at), enumerated(self.module, "nocapture"));
            }
        }
        function
    }
}

/// The values that an instruction computes with. `ir::step` says what a use is: all but copying, moving and
/// clearing bits. More than it says does no harm. Addresses that are accessed are announced anyway.
fn uses<'c>(instruction: InstructionValue<'c>) -> Vec<BasicValueEnum<'c>> {
    use InstructionOpcode::*;
    let count = instruction.get_num_operands();
    let places = match instruction.get_opcode() {
        Add | Sub | Mul | UDiv | SDiv | URem | SRem | FAdd | FSub | FMul | FDiv | FRem | FNeg | ICmp
        | FCmp | FPToUI | FPToSI | UIToFP | SIToFP | FPTrunc | FPExt | GetElementPtr => 0..count,
        Shl | LShr | AShr => 1..2,
        Select | Switch => 0..1,
        Br if count > 1 => 0..1,
        // The last operand is what is called.
        Call if operation::intrinsic_name(instruction).is_some_and(|name| !is_silent(&name)) => 0..count - 1,
        _ => 0..0,
    };
    let mut uses: Vec<BasicValueEnum> = Vec::new();
    for used in places.filter_map(|at| operand(instruction, at)) {
        if may_be_unassigned(used) && !uses.contains(&used) {
            uses.push(used);
        }
    }
    uses
}

/// Whether an intrinsic function computes with none of its arguments, or announces them as accesses.
fn is_silent(intrinsic: &str) -> bool {
    const SILENT: &[&str] =
        &["llvm.mem", "llvm.dbg", "llvm.lifetime", "llvm.va_", "llvm.stack", "llvm.invariant"];
    SILENT.iter().any(|start| intrinsic.starts_with(start))
}

/// Whether a value is a scalar, and not by its kind something assigned: a constant, an address, or the result
/// of a computation, which would have stopped.
fn may_be_unassigned(value: BasicValueEnum) -> bool {
    use InstructionOpcode::*;
    let is_scalar = value.is_int_value() || value.is_float_value() || value.is_pointer_value();
    let is_computed = |instruction: InstructionValue| {
        matches!(
            instruction.get_opcode(),
            Add | Sub
                | Mul
                | UDiv
                | SDiv
                | URem
                | SRem
                | FAdd
                | FSub
                | FMul
                | FDiv
                | FRem
                | ICmp
                | FCmp
                | FPToUI
                | FPToSI
                | UIToFP
                | SIToFP
                | FPTrunc
                | FPExt
                | GetElementPtr
                | Alloca
        )
    };
    // SAFETY: any value may be asked whether it is a constant.
    let is_constant = unsafe { LLVMIsConstant(value.as_value_ref()) != 0 };
    is_scalar && !is_constant && !value.as_instruction_value().is_some_and(is_computed)
}

/// The blocks at which loops begin: a walk comes back to them before it has left them.
fn heads<'c>(function: FunctionValue<'c>) -> Vec<BasicBlock<'c>> {
    let Some(entry) = function.get_first_basic_block() else { return vec![] };
    let mut heads = Vec::new();
    let (mut seen, mut inside) = (HashSet::from([entry]), HashSet::from([entry]));
    // Each block on the way with those after it that are still to be visited.
    let mut way = vec![(entry, successors(entry))];
    while let Some((block, after)) = way.last_mut() {
        let Some(next) = after.pop() else {
            inside.remove(block);
            way.pop();
            continue;
        };
        if inside.contains(&next) && !heads.contains(&next) {
            heads.push(next);
        }
        if seen.insert(next) {
            inside.insert(next);
            way.push((next, successors(next)));
        }
    }
    heads
}

fn successors<'c>(block: BasicBlock<'c>) -> Vec<BasicBlock<'c>> {
    let end = block.get_terminator().expect("a block has an end");
    end.get_operands().flatten().filter_map(|operand| operand.block()).collect()
}

/// The scalars of a type, each with the indexes that lead to it; false if there are too many.
fn collect<'c>(
    of: BasicTypeEnum<'c>,
    path: &mut Vec<u32>,
    scalars: &mut Vec<(Vec<u32>, BasicTypeEnum<'c>)>,
) -> bool {
    let elements: Vec<BasicTypeEnum<'c>> = match of {
        BasicTypeEnum::ArrayType(array) if array.len() as usize > SCALARS => return false,
        BasicTypeEnum::ArrayType(array) => vec![array.get_element_type(); array.len() as usize],
        BasicTypeEnum::StructType(record) => record.get_field_types(),
        scalar => {
            scalars.push((path.clone(), scalar));
            return scalars.len() <= SCALARS;
        }
    };
    elements.into_iter().enumerate().all(|(at, element)| {
        path.push(at as u32);
        let fits = collect(element, path, scalars);
        path.pop();
        fits
    })
}

/// Whether a load is surely fine.
pub(super) fn is_plain_load(load: InstructionValue) -> bool {
    let Some(BasicValueEnum::PointerValue(pointer)) = operand(load, 0) else { return false };
    // SAFETY: every value has a type.
    is_plain(pointer, unsafe { LLVMTypeOf(load.as_value_ref()) }, false, |part, accessed| part == accessed)
}

/// Whether the access is surely fine: a variable by its name, or a member or an element of it at a constant
/// place. `fits` tells whether something of the first type may be accessed as the second.
fn is_plain(
    pointer: PointerValue,
    accessed: LLVMTypeRef,
    writes: bool,
    fits: impl Fn(LLVMTypeRef, LLVMTypeRef) -> bool,
) -> bool {
    // SAFETY: each question is asked of values and types of the kind that it is about.
    unsafe {
        let pointer = pointer.as_value_ref();
        let (base, found) = if LLVMIsAGetElementPtrInst(pointer).is_null() {
            (pointer, None)
        } else {
            let Some(found) = constant_part(pointer) else { return false };
            (LLVMGetOperand(pointer, 0), Some((LLVMGetGEPSourceElementType(pointer), found)))
        };
        let Some(variable) = variable(base, writes) else { return false };
        match found {
            None => fits(variable, accessed),
            Some((whole, part)) => variable == whole && fits(part, accessed),
        }
    }
}

/// The type of the variable that an address is; none if it is no variable, or one that must not be written.
unsafe fn variable(address: LLVMValueRef, writes: bool) -> Option<LLVMTypeRef> {
    // SAFETY: any value may be asked what it is, and then for what such a thing has.
    unsafe {
        if !LLVMIsAAllocaInst(address).is_null() {
            return Some(LLVMGetAllocatedType(address));
        }
        let is_global = !LLVMIsAGlobalVariable(address).is_null();
        (is_global && !(writes && LLVMIsGlobalConstant(address) != 0))
            .then(|| LLVMGlobalGetValueType(address))
    }
}

/// The type at the constant indexes of an address computation, if all of them are in their bounds.
unsafe fn constant_part(address: LLVMValueRef) -> Option<LLVMTypeRef> {
    // SAFETY: the caller has seen that it computes an address. Its operands are
    // read up to their count, and types are asked for what their kind has.
    unsafe {
        let mut of = LLVMGetGEPSourceElementType(address);
        for at in 1..LLVMGetNumOperands(address) as u32 {
            let constant = LLVMIsAConstantInt(LLVMGetOperand(address, at));
            if constant.is_null() {
                return None;
            }
            let index = LLVMConstIntGetSExtValue(constant);
            of = match (at, LLVMGetTypeKind(of)) {
                (1, _) if index == 0 => of,
                (1, _) => return None,
                (_, LLVMTypeKind::LLVMStructTypeKind) => LLVMStructGetTypeAtIndex(of, index as u32),
                (_, LLVMTypeKind::LLVMArrayTypeKind) => {
                    let length = LLVMGetArrayLength2(of);
                    if u64::try_from(index).is_ok_and(|index| index < length) {
                        LLVMGetElementType(of)
                    } else {
                        return None;
                    }
                }
                _ => return None,
            };
        }
        Some(of)
    }
}
