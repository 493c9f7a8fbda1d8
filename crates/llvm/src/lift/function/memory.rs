//! Variables in memory, loads and stores, and addresses.

use std::ops::Range;

use bv::{Op, Word};
use inkwell::attributes::Attribute;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::{
    LLVMGetAllocatedType, LLVMGetEnumAttributeAtIndex, LLVMGetInitializer, LLVMGetOrdering,
    LLVMGetTypeAttributeValue, LLVMIsGlobalConstant, LLVMIsInBounds, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
};
use ir::{Action, Fault, Flags, Operand};

use super::{Reader, value_at};
use crate::addresses;
use crate::bounds;
use crate::lift::operation::{self, Emitter, Unsupported, kind_of, width_of};
use crate::lift::{describe, layout, numbers, variable};

const SIZE_WIDTH: u32 = 64;

fn number(value: u64) -> Operand {
    Operand::Constant(Word::new(SIZE_WIDTH, value.into()))
}

impl<'c> Reader<'_, 'c> {
    /// A struct that is passed in memory is the callee's own: it gets its copy here.
    pub(super) fn own_copies(&mut self, function: FunctionValue<'c>) {
        let kind = Attribute::get_named_enum_kind_id("byval");
        for (at, value) in function.get_params().into_iter().enumerate() {
            // Attributes are counted from the result's, which is at 0.
            let place = at as u32 + 1;
            // SAFETY: the attribute, if it is there, carries a type.
            let of = unsafe {
                let attribute = LLVMGetEnumAttributeAtIndex(function.as_value_ref(), place, kind);
                (!attribute.is_null()).then(|| LLVMGetTypeAttributeValue(attribute))
            };
            let Some(of) = of else { continue };
            let Some(size) = layout::size(of) else { continue };
            let from = self.values[&value.as_value_ref()];
            let to = self.define(layout::POINTER_WIDTH, Action::Local { size: number(size) });
            self.push(None, Action::Copy { to, from, length: number(size), overlap: false });
            self.leave_gaps(to, &layout::padding(of));
            self.values.insert(value.as_value_ref(), to);
        }
    }

    /// None if the variable lives in a register.
    pub(super) fn allocation(
        &mut self,
        allocation: InstructionValue<'c>,
    ) -> Result<Option<Operand>, Unsupported> {
        if self.variables.contains_key(&allocation.as_value_ref()) {
            return Ok(None);
        }
        // SAFETY: an allocation has an allocated type.
        let of = unsafe { LLVMGetAllocatedType(allocation.as_value_ref()) };
        let size = layout::size(of).ok_or("a variable that is too large")?;
        let size = if variable::is_single(allocation) {
            number(size)
        } else {
            let count = operation::operand(self, value_at(allocation, 0))?;
            let count = self.extended(count);
            let flags = Flags { no_unsigned_overflow: true, ..Flags::default() };
            self.emit(Op::Mul, flags, vec![count, number(size)])
        };
        Ok(Some(self.define(layout::POINTER_WIDTH, Action::Local { size })))
    }

    pub(super) fn load(&mut self, load: InstructionValue<'c>) -> Result<Operand, Unsupported> {
        let from = value_at(load, 0);
        if let Some(variable) = self.variables.get(&from.as_value_ref()) {
            return Ok(self.ssa.read(*variable, self.block));
        }
        if let Some(stream) = self.names.streams.get(&from.as_value_ref()) {
            return Ok(Operand::Constant(Word::new(layout::POINTER_WIDTH, u128::from(*stream) << 32)));
        }
        plain(load)?;
        let width = width_of(load.get_type()).ok_or_else(|| described(load.get_type().try_into().ok()))?;
        if let Some(constant) = constant_global(from, load) {
            return operation::operand(self, constant);
        }
        let pointer = operation::operand(self, from)?;
        Ok(self.define(width, Action::Load { pointer, width, number: numbers::is_number(load) }))
    }

    pub(super) fn store(&mut self, store: InstructionValue<'c>) -> Result<(), Unsupported> {
        let (value, to) = (value_at(store, 0), value_at(store, 1));
        if let Some(variable) = self.variables.get(&to.as_value_ref()).copied() {
            let operand = operation::operand(self, value)?;
            self.ssa.write(variable, self.block, operand);
            return Ok(());
        }
        plain(store)?;
        let is_handed = variable::is_handed(value);
        let stored = operation::operand(self, value)?;
        let pointer = operation::operand(self, to)?;
        self.push(None, Action::Store { pointer, value: stored });
        if is_handed && !self.library {
            self.leave_gaps(pointer, &gaps_of_part(to, value));
        }
        Ok(())
    }

    /// Where a `getelementptr` points: a number of bytes from its base.
    pub(super) fn address(&mut self, address: InstructionValue<'c>) -> Result<Operand, Unsupported> {
        let pointer = operation::operand(self, value_at(address, 0))?;
        if !self.library {
            self.check_indexes(address)?;
        }
        let steps = layout::steps(address.as_value_ref()).ok_or_else(|| describe::instruction(address))?;
        // No index of C's leaves the object, so that none of these overflows, unless the user says that all
        // may wrap. SAFETY: the instruction is a `getelementptr`.
        let inside = unsafe { LLVMIsInBounds(address.as_value_ref()) != 0 };
        let flags = Flags { no_signed_overflow: inside, ..Flags::default() };
        let mut by = (steps.bytes != 0 || steps.indices.is_empty()).then(|| number(steps.bytes as u64));
        for (index, size) in steps.indices {
            // SAFETY: the index is an operand of the instruction.
            let index = operation::operand(self, unsafe { BasicValueEnum::new(index) })?;
            let index = self.extended(index);
            let scaled = if size == 1 { index } else { self.emit(Op::Mul, flags, vec![index, number(size)]) };
            by = Some(match by {
                Some(by) => self.emit(Op::Add, flags, vec![by, scaled]),
                None => scaled,
            });
        }
        match by {
            Some(by) if by != number(0) => {
                Ok(self.define(layout::POINTER_WIDTH, Action::Offset { pointer, by }))
            }
            _ => Ok(pointer),
        }
    }

    /// Each array has bounds of its own. These come before all else that an index may do.
    fn check_indexes(&mut self, address: InstructionValue<'c>) -> Result<(), Unsupported> {
        for limit in bounds::limits(address) {
            // SAFETY: the index is an operand of the instruction.
            let index = operation::operand(self, unsafe { BasicValueEnum::new(limit.index) })?;
            let index = self.extended(index);
            let mut check = |below, fault| {
                // A negative index is a large one.
                let condition = self.emit(Op::Ult, Flags::default(), vec![index, number(below)]);
                self.push(None, Action::Check { condition, fault });
            };
            check(limit.watched_below, Fault::Index);
            if limit.below < limit.watched_below {
                check(limit.below, Fault::IndexAtEnd);
            }
        }
        Ok(())
    }

    /// A pointer as a number. Only the difference of two has a meaning here, and it is computed from the
    /// pointers. For the rest there is a function in our [library](crate::addresses), which sees it as it is.
    pub(super) fn number(&mut self, cast: InstructionValue<'c>) -> Result<Operand, Unsupported> {
        if addresses::is_seen(cast) && !self.shows_addresses {
            return Err(describe::instruction(cast));
        }
        operation::operand(self, value_at(cast, 0))
    }

    /// A signed number as wide as a pointer.
    pub(super) fn extended(&mut self, operand: Operand) -> Operand {
        match self.width(operand) {
            width if width < SIZE_WIDTH => self.emit(Op::Sext(SIZE_WIDTH), Flags::default(), vec![operand]),
            SIZE_WIDTH => operand,
            _ => self.emit(Op::Extract { hi: SIZE_WIDTH - 1, lo: 0 }, Flags::default(), vec![operand]),
        }
    }
}

/// The value of a constant that is read as a whole.
fn constant_global<'c>(from: BasicValueEnum<'c>, load: InstructionValue<'c>) -> Option<BasicValueEnum<'c>> {
    let global = describe::global(from)?.as_value_ref();
    // SAFETY: it is a global, and what it holds at the start is a value of some type.
    unsafe {
        let initial: LLVMValueRef = LLVMGetInitializer(global);
        let same = !initial.is_null() && LLVMTypeOf(initial) == LLVMTypeOf(load.as_value_ref());
        (same && LLVMIsGlobalConstant(global) != 0).then(|| BasicValueEnum::new(initial))
    }
}

/// The bytes of this part of a local struct that no member covers. A small struct is handed over in words.
fn gaps_of_part(to: BasicValueEnum, word: BasicValueEnum) -> Vec<Range<usize>> {
    let part = || {
        let instruction = to.as_instruction_value()?;
        let (start, variable) = match instruction.get_opcode() {
            // A word has a place among others in a type of clang's own.
            InstructionOpcode::GetElementPtr if layout::goes_through_nameless(instruction) => {
                let steps = layout::steps(instruction.as_value_ref()).filter(|it| it.indices.is_empty())?;
                let base = instruction.get_operand(0)?.value()?.as_instruction_value()?;
                (usize::try_from(steps.bytes).ok()?, base)
            }
            _ => (0, instruction),
        };
        let is_variable = variable.get_opcode() == InstructionOpcode::Alloca && variable::is_single(variable);
        // SAFETY: an allocation has an allocated type, and a value a type.
        let (of, stored) = unsafe {
            (
                is_variable.then(|| LLVMGetAllocatedType(variable.as_value_ref()))?,
                LLVMTypeOf(word.as_value_ref()),
            )
        };
        let end = start + usize::try_from(layout::size(stored)?).ok()?;
        let within = |gap: Range<usize>| gap.start.max(start)..gap.end.min(end);
        let gaps = layout::padding(of).into_iter().map(within).filter(|gap| !gap.is_empty());
        Some(gaps.map(|gap| gap.start - start..gap.end - start).collect())
    };
    part().unwrap_or_default()
}

fn plain(access: InstructionValue) -> Result<(), Unsupported> {
    // SAFETY: loads and stores have an ordering.
    let ordering = unsafe { LLVMGetOrdering(access.as_value_ref()) };
    match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => Ok(()),
        _ => Err("an atomic operation".to_string()),
    }
}

fn described(of: Option<inkwell::types::BasicTypeEnum>) -> Unsupported {
    of.map_or("a value that we do not handle", kind_of).to_string()
}
