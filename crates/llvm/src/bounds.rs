//! Which indexes of an address have a limit, and what it is.
//!
//! An object has bounds, and so has each array in it. `m[0][5]` is undefined even if
//! the object goes on in the next row, and `s->items[-1]` even if another member
//! lies there. An address that is read from or written to must be that of an
//! element. An address that is only taken may also be the one past the last element.
//!
//! The rule serves twice. The lifted program checks every limit of C. The sanitised
//! build checks what clang's `-fsanitize=bounds` checks, which is a little less:
//! there, the operand of `++` and what is copied as a whole count as only taken. Both
//! look at the same instructions, so neither knows a limit that the other does not.
//!
//! A last member of one element, or of none, may be the start of as many as there is room for.
//! Code older than flexible array members is written this way. Such a member has no limit.

use inkwell::builder::Builder;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::LLVMTypeKind::{LLVMArrayTypeKind, LLVMStructTypeKind};
use inkwell::llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMConstIntGetZExtValue, LLVMCountStructElementTypes, LLVMGetArrayLength2,
    LLVMGetElementType, LLVMGetGEPSourceElementType, LLVMGetInstructionOpcode, LLVMGetIntTypeWidth,
    LLVMGetNumOperands, LLVMGetOperand, LLVMGetTypeKind, LLVMIsAConstantInt, LLVMIsAGlobalVariable,
    LLVMIsAInstruction, LLVMStructGetTypeAtIndex, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue, IntValue};

use crate::lift::{operation, users};

/// An index that must be at least 0 and less than a number.
pub(crate) struct Limit {
    pub index: LLVMValueRef,
    /// By C's rules.
    pub below: u64,
    /// As far as clang's sanitizer looks.
    pub watched_below: u64,
}

impl Limit {
    /// The index as a signed number of 64 bits, at the place of the builder.
    pub(crate) fn index_in_64_bits<'c>(&self, builder: &Builder<'c>) -> IntValue<'c> {
        // SAFETY: an index is an integer of the module that the builder writes to.
        let index: IntValue<'c> = unsafe { IntValue::new(self.index) };
        let number = index.get_type().get_context().i64_type();
        let extended = match index.get_type().get_bit_width() {
            0..64 => builder.build_int_s_extend(index, number, "index"),
            64 => Ok(index),
            _ => builder.build_int_truncate(index, number, "index"),
        };
        extended.expect("the builder has a place")
    }
}

/// The limits that an address computation may break. Indexes that are constants and fine are not among them.
pub(crate) fn limits(address: InstructionValue) -> Vec<Limit> {
    // SAFETY: only `getelementptr`s come here.
    unsafe {
        let (arrays, _) = arrays(address.as_value_ref());
        let closed = arrays.into_iter().filter(|array| !array.is_open());
        let purpose = purpose(address);
        let limit = |array: Array| Limit {
            index: array.index,
            below: array.count + u64::from(purpose == Purpose::Address),
            watched_below: array.count + u64::from(purpose != Purpose::Element),
        };
        closed.map(limit).filter(|limit| !is_fine(limit)).collect()
    }
}

/// An array that an address computation goes through.
struct Array {
    index: LLVMValueRef,
    count: u64,
    place: ArrayPlace,
}

impl Array {
    /// Whether it may have more elements than its type says.
    fn is_open(&self) -> bool {
        self.count == 0 || self.count == 1 && self.place == ArrayPlace::Last
    }
}

/// Where an array lies in what surrounds it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArrayPlace {
    /// It is a variable, or something of its own comes after it.
    Inside,
    /// It is the last member of a struct, or nobody knows.
    Last,
}

/// What an address is good for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// It is read from or written to.
    Element,
    /// It is read from and written to, or copied.
    Unwatched,
    /// It goes elsewhere.
    Address,
}

/// The arrays that an address computation goes through, and the place that it comes to.
unsafe fn arrays(address: LLVMValueRef) -> (Vec<Array>, ArrayPlace) {
    let mut arrays = Vec::new();
    // SAFETY: the operands of a `getelementptr` follow the type that they go through.
    unsafe {
        let mut of = LLVMGetGEPSourceElementType(address);
        let mut place = place(LLVMGetOperand(address, 0));
        // The first index steps over whole objects, so it has no limit of its own.
        for at in 2..LLVMGetNumOperands(address) as u32 {
            let index = LLVMGetOperand(address, at);
            if LLVMGetTypeKind(of) == LLVMStructTypeKind {
                let field = LLVMConstIntGetZExtValue(index) as u32;
                let is_last = field + 1 == LLVMCountStructElementTypes(of);
                place = if is_last { ArrayPlace::Last } else { ArrayPlace::Inside };
                of = LLVMStructGetTypeAtIndex(of, field);
                continue;
            }
            if LLVMGetTypeKind(of) == LLVMArrayTypeKind {
                arrays.push(Array { index, count: LLVMGetArrayLength2(of), place });
            }
            place = ArrayPlace::Inside;
            of = LLVMGetElementType(of);
        }
        (arrays, place)
    }
}

/// The place that a pointer leads to.
unsafe fn place(pointer: LLVMValueRef) -> ArrayPlace {
    // SAFETY: any value may be asked what it is, and an instruction for its opcode.
    unsafe {
        if !LLVMIsAGlobalVariable(pointer).is_null() {
            return ArrayPlace::Inside;
        }
        if LLVMIsAInstruction(pointer).is_null() {
            return ArrayPlace::Last;
        }
        match LLVMGetInstructionOpcode(pointer) {
            LLVMOpcode::LLVMAlloca => ArrayPlace::Inside,
            LLVMOpcode::LLVMGetElementPtr if LLVMGetNumOperands(pointer) > 2 => arrays(pointer).1,
            _ => ArrayPlace::Last,
        }
    }
}

/// What the uses of an address make of it.
fn purpose(address: InstructionValue) -> Purpose {
    let itself = address.as_value_ref();
    let (mut reads, mut writes, mut copies) = (false, false, false);
    let users = users(itself);
    for user in &users {
        match user.get_opcode() {
            InstructionOpcode::Load => reads = true,
            InstructionOpcode::Store if operand(*user, 0) != itself => writes = true,
            InstructionOpcode::Call if is_copy(*user) => copies = true,
            InstructionOpcode::GetElementPtr if operand(*user, 0) == itself => match purpose(*user) {
                Purpose::Address => return Purpose::Address,
                // `*m[i]` takes an address where `m[i][0]` does not, and both look like this.
                _ if is_decay(*user) => copies = true,
                _ => reads = true,
            },
            _ => return Purpose::Address,
        }
    }
    match (reads, writes, copies) {
        _ if users.is_empty() => Purpose::Address,
        (true, false, false) | (false, true, false) => Purpose::Element,
        _ => Purpose::Unwatched,
    }
}

/// Whether an intrinsic copies or fills memory, so that its pointers go nowhere else.
fn is_copy(call: InstructionValue) -> bool {
    let copies = ["llvm.memcpy", "llvm.memmove", "llvm.memset"];
    operation::intrinsic_name(call).is_some_and(|name| copies.contains(&name.as_str()))
}

/// Whether an address is that of the first element of an array.
fn is_decay(address: InstructionValue) -> bool {
    let raw = address.as_value_ref();
    // SAFETY: the user is a `getelementptr`, and constants may be asked for their value.
    unsafe {
        let array = LLVMGetTypeKind(LLVMGetGEPSourceElementType(raw)) == LLVMArrayTypeKind;
        let zero = |at| {
            let index = LLVMGetOperand(raw, at);
            !LLVMIsAConstantInt(index).is_null() && LLVMConstIntGetSExtValue(index) == 0
        };
        array && (1..LLVMGetNumOperands(raw) as u32).all(zero)
    }
}

fn operand(instruction: InstructionValue, at: u32) -> LLVMValueRef {
    // SAFETY: the opcode says that there is one.
    unsafe { LLVMGetOperand(instruction.as_value_ref(), at) }
}

/// Whether an index is a constant within its limits.
unsafe fn is_fine(limit: &Limit) -> bool {
    // SAFETY: an index is an integer. Its value is asked for only if it is a constant of at most 64 bits.
    unsafe {
        let narrow = LLVMGetIntTypeWidth(LLVMTypeOf(limit.index)) <= 64;
        let constant = !LLVMIsAConstantInt(limit.index).is_null() && narrow;
        constant && u64::try_from(LLVMConstIntGetSExtValue(limit.index)).is_ok_and(|at| at < limit.below)
    }
}
