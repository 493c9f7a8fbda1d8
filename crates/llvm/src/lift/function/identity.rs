//! Whether pointers to string literals are equal, where C leaves that open.

use bv::{Op, Word};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::InstructionValue;
use ir::{Action, Fault, Flags, Operand};

use super::Reader;
use crate::lift::layout::POINTER_WIDTH;
use crate::lift::operation::{self, Emitter, Unsupported};
use crate::literals;

impl<'c> Reader<'_, 'c> {
    /// A fault if a comparison of two pointers rests on which literals are one object.
    pub(super) fn check_identity(&mut self, comparison: InstructionValue<'c>) -> Result<(), Unsupported> {
        let names = self.names;
        if self.library || names.literals.is_empty() {
            return Ok(());
        }
        let Some([one, other]) = literals::compared(comparison) else { return Ok(()) };
        let (one, other) = (operation::operand(self, one)?, operation::operand(self, other)?);
        let mut open = Operand::Constant(Word::truth(false));
        // The start of a literal that is mentioned more than once. What is computed from one pointer to it
        // is compared further behind.
        for literal in &names.literals.shared {
            let Some(start) = self.start_of(*literal) else { continue };
            let both = [one, other].map(|pointer| self.plain(Op::Eq, [pointer, start]));
            open = self.either(open, both);
        }
        for (long, short, by) in &names.literals.endings {
            let (Some(long), Some(short)) = (self.object(*long), self.object(*short)) else { continue };
            for [first, second] in [[one, other], [other, one]] {
                let is_long = self.is_in(first, long);
                let away = (u64::from(long) << 32).wrapping_sub(u64::from(short) << 32).wrapping_add(*by);
                let away = Operand::Constant(Word::new(POINTER_WIDTH, away.into()));
                let difference = self.plain(Op::Sub, [first, second]);
                let is_away = self.plain(Op::Eq, [difference, away]);
                open = self.either(open, [is_long, is_away]);
            }
        }
        let condition = self.emit(Op::Not, Flags::default(), vec![open]);
        self.push(None, Action::Check { condition, fault: Fault::LeftOpen });
        Ok(())
    }

    fn object(&self, literal: LLVMValueRef) -> Option<u32> {
        self.names.addresses.objects.get(&literal)?.clone().ok()
    }

    fn start_of(&self, literal: LLVMValueRef) -> Option<Operand> {
        let object = self.object(literal)?;
        Some(Operand::Constant(Word::new(POINTER_WIDTH, u128::from(object) << 32)))
    }

    fn is_in(&mut self, pointer: Operand, object: u32) -> Operand {
        let number = self.emit(Op::Extract { hi: 63, lo: 32 }, Flags::default(), vec![pointer]);
        self.plain(Op::Eq, [number, Operand::Constant(Word::new(32, object.into()))])
    }

    fn plain(&mut self, op: Op, arguments: [Operand; 2]) -> Operand {
        self.emit(op, Flags::default(), arguments.to_vec())
    }

    /// The first, or both of the others.
    fn either(&mut self, one: Operand, both: [Operand; 2]) -> Operand {
        let both = self.plain(Op::And, both);
        self.plain(Op::Or, [one, both])
    }
}
