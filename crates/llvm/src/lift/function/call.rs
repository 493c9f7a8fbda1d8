//! Calls: of functions, sites, intrinsics, pointers, and of what has no body.

use std::ops::Range;

use bv::{Op, Word};
use inkwell::llvm_sys::core::{LLVMGetCalledValue, LLVMIsAInlineAsm};
use inkwell::types::AsTypeRef;
use inkwell::values::{
    AsValueRef, BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue, Operand as LlvmOperand,
};
use ir::{Action, Argument, Fault, Flags, Operand, TypeId};

use super::{Reader, Stop, value_at};
use crate::lift::external::{self, Known};
use crate::lift::operation::{self, Emitter, Unsupported, width_of};
use crate::lift::print::{self, Conversion, PrintArgument};
use crate::lift::{constant, describe, global, layout, system, text, variable};
use crate::padding;

impl<'c> Reader<'_, 'c> {
    /// None if the call leaves no value.
    pub(super) fn call(&mut self, call: InstructionValue<'c>) -> Result<Option<Operand>, Stop> {
        if let Some(name) = operation::intrinsic_name(call) {
            return self.intrinsic(&name, call);
        }
        // SAFETY: a call has a called value.
        let called = unsafe { LLVMGetCalledValue(call.as_value_ref()) };
        let Some((callee, fits)) = operation::callee(call) else {
            // SAFETY: any value may be asked what it is.
            if unsafe { !LLVMIsAInlineAsm(called).is_null() } {
                return Err(describe::call(call).into());
            }
            // SAFETY: what is called is a pointer.
            let pointer = operation::operand(self, unsafe { BasicValueEnum::new(called) })?;
            let arguments = self.arguments(call)?;
            return Ok(self.finish_call(call, Action::CallPointer { pointer, arguments })?);
        };
        let names = self.names;
        if let Some(site) = names.sites.get(&callee.as_value_ref()) {
            let site = *site.as_ref().map_err(Clone::clone)?;
            let arguments = self.arguments(call)?;
            return Ok(self.finish_call(call, Action::Site { site, arguments })?);
        }
        if let Some((body, function)) = names.functions.get(&callee.as_value_ref()) {
            let function = *function.as_ref().map_err(Clone::clone)?;
            if is_known_to_allocate(callee, call) {
                let size = self.argument(call, 0)?;
                let arguments = vec![self.extended(size)];
                return Ok(self.finish_call(call, Action::Call { function, arguments })?);
            }
            if !fits || body.get_type() != callee.get_type() {
                return Err(describe::mismatch(callee).into());
            }
            let arguments = self.arguments(call)?;
            return Ok(self.finish_call(call, Action::Call { function, arguments })?);
        }
        match external::known(callee) {
            Some(known) => self.known(known, callee, call),
            None if !fits => Err(describe::mismatch(callee).into()),
            None if self.library => {
                // Some names only say what it is that nobody knows.
                let what = text(callee.get_name()).replace('_', " ");
                Err(format!("the C library comes to something unknown: {}", what.trim()).into())
            }
            None => {
                let name = text(callee.get_name());
                if name == system::TIME && !is_null(call) {
                    return Err(format!("a call to `{name}` that writes to memory").into());
                }
                let id = self.border.externals.unknown(callee, &mut self.border.types)?;
                let parameters = self.border.externals.list[id.0 as usize].parameters.clone();
                let mut arguments = Vec::new();
                for (at, operand) in self.arguments(call)?.into_iter().enumerate() {
                    let guess = || {
                        // SAFETY: every value has a type.
                        unsafe {
                            inkwell::llvm_sys::core::LLVMTypeOf(value_at(call, at as u32).as_value_ref())
                        }
                    };
                    let of = match parameters.get(at) {
                        Some(of) => *of,
                        None => self.border.types.guess(guess()),
                    };
                    arguments.push(Argument { operand, of, text: false });
                }
                let result = self.finish_call(call, Action::External { external: id, arguments })?;
                if let (Some(least), Some(result)) = (system::least_result(callee), result) {
                    let width = self.width(result);
                    let least = Operand::Constant(Word::from_signed(width, least.into()));
                    let condition = self.emit(Op::Sge, Flags::default(), vec![result, least]);
                    self.push(None, Action::Check { condition, fault: Fault::ImpossibleResult });
                }
                Ok(result)
            }
        }
    }

    fn arguments(&mut self, call: InstructionValue<'c>) -> Result<Vec<Operand>, Unsupported> {
        let count = CallSiteValue::try_from(call).map_or(0, |call| call.count_arguments());
        (0..count).map(|at| operation::operand(self, value_at(call, at))).collect()
    }

    fn finish_call(
        &mut self,
        call: InstructionValue<'c>,
        action: Action,
    ) -> Result<Option<Operand>, Unsupported> {
        let returns = !call.get_type().is_void_type();
        let width = width_of(call.get_type());
        if returns && width.is_none() {
            return Err("a call that returns a value which is too large".to_string());
        }
        let result = width.filter(|_| returns).map(|width| self.ssa.register(width));
        self.push(result, action);
        Ok(result.map(Operand::Register))
    }

    fn intrinsic(&mut self, name: &str, call: InstructionValue<'c>) -> Result<Option<Operand>, Stop> {
        match name {
            "llvm.trap" | "llvm.ubsantrap" | "llvm.debugtrap" => {
                self.stop(Fault::Abort);
                Err(Stop::Ends)
            }
            "llvm.assume"
            | "llvm.donothing"
            | "llvm.var.annotation"
            | "llvm.stackrestore"
            | "llvm.prefetch" => Ok(None),
            // An array of variable length lives until its function returns; nobody looks at the stack itself.
            "llvm.stacksave" => Ok(Some(Operand::Constant(Word::zero(layout::POINTER_WIDTH)))),
            _ if name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.") => Ok(None),
            "llvm.memcpy" | "llvm.memcpy.inline" | "llvm.memmove" => {
                let (to, from) = (self.argument(call, 0)?, self.argument(call, 1)?);
                let length = self.length(call)?;
                self.require(length, &[to, from]);
                self.push(None, Action::Copy { to, from, length, overlap: name == "llvm.memmove" });
                self.leave_gaps(to, &padding::gaps(call));
                self.leave_first_gaps(call, to)?;
                Ok(None)
            }
            "llvm.memset" | "llvm.memset.inline" => {
                let (to, byte) = (self.argument(call, 0)?, self.argument(call, 1)?);
                let length = self.length(call)?;
                self.require(length, &[to]);
                self.push(None, Action::Fill { to, byte, length });
                Ok(None)
            }
            // Whoever takes the pair apart computes the half that is wanted.
            _ if operation::overflow_pair(call).is_some() => Ok(None),
            _ => match operation::lift(self, call)? {
                Some(operand) => Ok(Some(operand)),
                None => Err(describe::call(call).into()),
            },
        }
    }

    /// Clang copies the first value of a local variable from a constant of its own. Another compiler may
    /// store member by member. So what no member covers is unassigned.
    fn leave_first_gaps(&mut self, call: InstructionValue<'c>, to: Operand) -> Result<(), Unsupported> {
        let from = value_at(call, 1).as_value_ref();
        let Some(initial) = global::first_value(from) else { return Ok(()) };
        let gaps = self.addresses().gaps(initial)?;
        self.leave_gaps(to, &gaps);
        Ok(())
    }

    /// Takes their values from these bytes of an object.
    pub(super) fn leave_gaps(&mut self, to: Operand, gaps: &[Range<usize>]) {
        for gap in gaps {
            // No word has more bytes.
            for at in gap.clone().step_by(16) {
                let width = 8 * (gap.end - at).min(16) as u32;
                let by = Operand::Constant(Word::new(layout::POINTER_WIDTH, at as u128));
                let pointer = self.define(layout::POINTER_WIDTH, Action::Offset { pointer: to, by });
                self.push(None, Action::Store { pointer, value: Operand::Uninitialised(width) });
            }
        }
    }

    /// Who copies no bytes at all must still say where: C's `memcpy` takes no null. What is
    /// copied as a whole, as structs are, has a length that is known, and comes to an access.
    fn require(&mut self, length: Operand, pointers: &[Operand]) {
        if let Operand::Constant(_) = length {
            return;
        }
        pointers.iter().for_each(|pointer| self.require_object(*pointer));
    }

    fn require_object(&mut self, pointer: Operand) {
        let null = Operand::Constant(Word::zero(self.width(pointer)));
        let condition = self.emit(Op::Ne, Flags::default(), vec![pointer, null]);
        self.push(None, Action::Check { condition, fault: Fault::NullArgument });
    }

    fn argument(&mut self, call: InstructionValue<'c>, at: u32) -> Result<Operand, Unsupported> {
        operation::operand(self, value_at(call, at))
    }

    /// How many bytes to copy or to fill.
    fn length(&mut self, call: InstructionValue<'c>) -> Result<Operand, Unsupported> {
        let length = self.argument(call, 2)?;
        let narrow = self.width(length) < 64;
        Ok(if narrow { self.emit(Op::Zext(64), Flags::default(), vec![length]) } else { length })
    }

    fn known(
        &mut self,
        known: Known,
        callee: FunctionValue<'c>,
        call: InstructionValue<'c>,
    ) -> Result<Option<Operand>, Stop> {
        let name = text(callee.get_name());
        // Somebody may have declared it without its types, or as something else.
        let fits = match known {
            Known::Allocate => takes_number(call),
            Known::Free => call.get_type().is_void_type() && first_is_pointer(call) == Some(true),
            _ => true,
        };
        if !fits {
            return Err(describe::mismatch(callee).into());
        }
        match known {
            Known::Check(fault) => {
                let condition = self.argument(call, 0)?;
                self.push(None, Action::Check { condition, fault });
                Ok(None)
            }
            Known::Stop(fault) => {
                self.stop(fault);
                Err(Stop::Ends)
            }
            Known::OutOfReach => {
                Err(format!("a call to `{name}`, a function of the system that Whet does not know").into())
            }
            Known::Allocate => {
                let size = self.argument(call, 0)?;
                let size = self.extended(size);
                Ok(self.finish_call(call, Action::Allocate { size })?)
            }
            Known::Free => {
                let pointer = self.argument(call, 0)?;
                Ok(self.finish_call(call, Action::Free { pointer })?)
            }
            Known::Extent => {
                let pointer = self.argument(call, 0)?;
                Ok(self.finish_call(call, Action::Extent { pointer })?)
            }
            Known::Alignment => {
                let pointer = self.argument(call, 0)?;
                Ok(self.finish_call(call, Action::Alignment { pointer })?)
            }
            // What the system makes of it we do not know.
            Known::Prints(_) if !variable::users(call.as_value_ref()).is_empty() => {
                let name = callee.get_name().to_string_lossy();
                Err(format!("the result of `{name}` is used").into())
            }
            Known::Prints(kinds) => Ok(self.print(kinds, callee, call)?),
        }
    }

    fn stop(&mut self, fault: Fault) {
        self.push(None, Action::Stop(fault));
    }

    fn print(
        &mut self,
        kinds: &[PrintArgument],
        callee: FunctionValue<'c>,
        call: InstructionValue<'c>,
    ) -> Result<Option<Operand>, Unsupported> {
        let name = text(callee.get_name());
        let count = CallSiteValue::try_from(call).map_or(0, |call| call.count_arguments());
        if (count as usize) < kinds.len() {
            return Err(describe::mismatch(callee));
        }
        let mut arguments = Vec::new();
        for (at, kind) in (0..).zip(kinds) {
            let value = value_at(call, at);
            let fits = if *kind == PrintArgument::Character {
                value.is_int_value()
            } else {
                value.is_pointer_value()
            };
            if !fits {
                return Err(describe::mismatch(callee));
            }
            let operand = operation::operand(self, value)?;
            arguments.push(match kind {
                PrintArgument::Text | PrintArgument::Format => {
                    Argument { operand, of: self.border.types.text(), text: true }
                }
                PrintArgument::Stream => {
                    // Only `fflush` takes none.
                    if name != "fflush" && !matches!(operand, Operand::Constant(_)) {
                        self.require_object(operand);
                    }
                    Argument { operand, of: self.border.types.stream_pointer(), text: false }
                }
                PrintArgument::Character => self.integer(operand, false, Some(8)),
            });
        }
        let parameters: Vec<TypeId> = arguments.iter().map(|argument| argument.of).collect();
        if kinds.last() == Some(&PrintArgument::Format) {
            let format = constant::text(value_at(call, kinds.len() as u32 - 1).as_value_ref());
            let format =
                format.ok_or_else(|| format!("a call to `{name}` whose format is not a constant"))?;
            let conversions = print::conversions(&format)?;
            for (at, conversion) in (kinds.len() as u32..).zip(conversions) {
                let fits = (at < count).then(|| self.converted(conversion, value_at(call, at)));
                let argument = fits.transpose()?.flatten();
                arguments
                    .push(argument.ok_or_else(|| {
                        format!("a call to `{name}` whose arguments do not fit its format")
                    })?);
            }
        }
        let external = self.border.externals.printing(callee, parameters, &mut self.border.types);
        self.finish_call(call, Action::External { external, arguments })
    }

    /// An argument as a format shows it; None if it is of another kind.
    fn converted(
        &mut self,
        conversion: Conversion,
        value: BasicValueEnum<'c>,
    ) -> Result<Option<Argument>, Unsupported> {
        let operand = operation::operand(self, value)?;
        let guess = self.border.types.guess(value.get_type().as_type_ref());
        Ok(match conversion {
            Conversion::Integer { signed, bits } if value.is_int_value() => {
                Some(self.integer(operand, signed, bits))
            }
            Conversion::Float if value.is_float_value() => Some(Argument { operand, of: guess, text: false }),
            Conversion::Text if value.is_pointer_value() => {
                Some(Argument { operand, of: self.border.types.text(), text: true })
            }
            Conversion::Pointer if value.is_pointer_value() => {
                Some(Argument { operand, of: guess, text: false })
            }
            _ => None,
        })
    }

    /// As many bits of an integer as are shown.
    fn integer(&mut self, operand: Operand, signed: bool, bits: Option<u32>) -> Argument {
        let width = self.width(operand);
        let bits = bits.unwrap_or(width).min(width);
        let operand = if bits < width {
            self.emit(Op::Extract { hi: bits - 1, lo: 0 }, Flags::default(), vec![operand])
        } else {
            operand
        };
        let name = match (bits, signed) {
            (8, true) => "signed char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (64, true) => "long",
            (64, false) => "unsigned long",
            (_, true) => "int",
            (_, false) => "unsigned int",
        };
        Argument { operand, of: self.border.types.integer(name, bits, signed), text: false }
    }
}

/// Whether a call is of the library's `malloc`, which somebody may have declared without its types.
fn is_known_to_allocate(callee: FunctionValue, call: InstructionValue) -> bool {
    callee.count_basic_blocks() == 0 && external::known(callee) == Some(Known::Allocate) && takes_number(call)
}

/// Whether a call looks like one of `malloc`.
fn takes_number(call: InstructionValue) -> bool {
    call.get_type().is_pointer_type() && first_is_pointer(call) == Some(false)
}

fn first_is_pointer(call: InstructionValue) -> Option<bool> {
    call.get_operand(0).and_then(LlvmOperand::value).map(|value| value.is_pointer_value())
}

/// Whether the first argument of a call is a null pointer, and nothing that is computed.
fn is_null(call: InstructionValue) -> bool {
    match call.get_operand(0).and_then(LlvmOperand::value) {
        Some(BasicValueEnum::PointerValue(pointer)) => pointer.is_null(),
        _ => false,
    }
}
