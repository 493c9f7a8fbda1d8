//! Lists of arguments: what `va_start`, `va_copy` and `va_end` do, and the checks at each `va_arg`.
//!
//! In a list of ours, the registers are used up. So the offset into those for floats is free to say more than
//! that: where the tags of the arguments are.

use std::collections::HashSet;

use inkwell::llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use inkwell::llvm_sys::LLVMOpcode::{
    LLVMAnd, LLVMBr, LLVMGetElementPtr, LLVMICmp, LLVMLoad, LLVMPHI, LLVMStore,
};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue};

use super::code::Code;
use super::object::{KIND, Kind, SLOT, SLOTS, WHOLE, tag};
use crate::lift::{layout, operation, users};

/// The function that is told whether there is such an argument.
pub(crate) const CHECK: &str = "whet.argument";

/// What clang calls the type of a list.
const TAG: &[u8] = b"struct.__va_list_tag";

/// A list: what is used of the two kinds of registers, the next argument in memory, and where the registers
/// were saved.
const BYTES: u64 = 24;
const GENERAL: u64 = 0;
const FLOATING: u64 = 4;
const NEXT: u64 = 8;
const SAVED: u64 = 16;

/// With these offsets, or greater ones, the registers are used up.
const NO_GENERAL: u64 = 48;
const NO_FLOATING: u64 = 176;

/// The fields of a list.
const GENERAL_FIELD: i64 = 0;
const FLOATING_FIELD: i64 = 1;
const NEXT_FIELD: i64 = 2;

/// The calls of an intrinsic.
fn intrinsics<'c>(function: FunctionValue<'c>, name: &str) -> Vec<InstructionValue<'c>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter(|call| operation::intrinsic_name(*call).is_some_and(|it| it == name)).collect()
}

/// Writes what `va_copy` and `va_end` do, and the checks.
pub(super) fn handle(module: &Module) {
    for function in module.get_functions() {
        for call in intrinsics(function, "llvm.va_copy") {
            // SAFETY: the intrinsic takes two pointers, and leaves no value.
            unsafe {
                let code = Code::before(module, call.as_value_ref());
                let [to, from] = [0, 1].map(|at| LLVMGetOperand(call.as_value_ref(), at));
                LLVMBuildMemCpy(code.builder, to, SLOT as u32, from, SLOT as u32, code.number(64, BYTES));
                LLVMInstructionEraseFromParent(call.as_value_ref());
            }
        }
        for call in intrinsics(function, "llvm.va_end") {
            call.erase_from_basic_block();
        }
        let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
        let loads = instructions.filter(|each| each.get_opcode() == InstructionOpcode::Load);
        // SAFETY: all of these are loads.
        let reads = loads.filter_map(|load| unsafe { Read::of(load.as_value_ref()) });
        for read in reads.collect::<Vec<_>>() {
            // SAFETY: nothing was moved since it was found.
            unsafe { read.check(module) };
        }
    }
}

/// Writes what `va_start` does in a function that gets this object.
pub(super) unsafe fn start(context: LLVMContextRef, function: FunctionValue, object: LLVMValueRef) {
    for call in intrinsics(function, "llvm.va_start") {
        // SAFETY: the intrinsic takes a pointer to a list, and leaves no value.
        unsafe {
            let code = Code::in_context(context, call.as_value_ref());
            let list = LLVMGetOperand(call.as_value_ref(), 0);
            code.store(code.number(32, NO_GENERAL), code.behind(list, GENERAL));
            let slots = code.load(32, object);
            let tags = LLVMBuildAdd(code.builder, slots, code.number(32, NO_FLOATING), c"".as_ptr());
            code.store(tags, code.behind(list, FLOATING));
            code.store(code.behind(object, SLOTS), code.behind(list, NEXT));
            let null = LLVMConstNull(LLVMPointerTypeInContext(context, 0));
            code.store(null, code.behind(list, SAVED));
            LLVMInstructionEraseFromParent(call.as_value_ref());
        }
    }
}

/// A `va_arg`, where it looks for its argument in memory.
struct Read {
    list: LLVMValueRef,
    /// The load that gives the address of the argument, and the instruction after it.
    address: LLVMValueRef,
    next: LLVMValueRef,
    /// The kinds of registers that it tries before.
    kinds: Vec<Kind>,
    /// The bytes of the slots that it takes.
    taken: u64,
    what: What,
}

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// A number or a pointer of so many bytes.
    Scalar(u64),
    /// A struct of so many bytes. If there were too few registers left for it, it was passed in memory, or as
    /// an integer.
    Struct(u64),
    Unknown,
}

impl Read {
    /// The `va_arg` that this load belongs to. Of one that rounds the address we know nothing.
    unsafe fn of(load: LLVMValueRef) -> Option<Read> {
        // SAFETY: the caller has a load. Each further question is asked of what was seen to have an answer.
        unsafe {
            let field = LLVMGetOperand(load, 0);
            (field_of(field)? == NEXT_FIELD).then_some(())?;
            let is_store_back = |user: &InstructionValue| {
                let user = user.as_value_ref();
                is(user, LLVMStore) && LLVMGetOperand(user, 1) == field
            };
            let advanced = users(load).into_iter().map(|user| user.as_value_ref()).find(|user| {
                is(*user, LLVMGetElementPtr)
                    && LLVMGetNumOperands(*user) == 2
                    && users(*user).iter().any(is_store_back)
            })?;
            let taken = LLVMGetOperand(advanced, 1);
            (!LLVMIsAConstantInt(taken).is_null()).then_some(())?;
            let taken = LLVMConstIntGetSExtValue(taken) as u64;
            let (list, next) = (LLVMGetOperand(field, 0), LLVMGetNextInstruction(load));
            let (kinds, what) = (kinds(load), what_is_read(load).unwrap_or(What::Unknown));
            Some(Read { list, address: load, next, kinds, taken, what })
        }
    }

    /// Checks each slot, before anything is read.
    unsafe fn check(&self, module: &Module) {
        let context = module.get_context();
        let check = module.get_function(CHECK).unwrap_or_else(|| {
            let of = context.void_type().fn_type(&[context.bool_type().into()], false);
            module.add_function(CHECK, of, None)
        });
        // SAFETY: the instructions stand behind what they use.
        unsafe {
            let code = Code::before(module, self.next);
            let tags = code.load(32, code.behind(self.list, FLOATING));
            let tags = LLVMBuildSub(code.builder, tags, code.number(32, NO_FLOATING), c"".as_ptr());
            let tags = LLVMBuildZExt(code.builder, tags, code.integer(64), c"".as_ptr());
            let first = code.behind_value(self.address, tags);
            for at in (0..self.taken).step_by(SLOT as usize) {
                let found = code.load(64, code.behind(first, at));
                let holds = match (self.kinds.as_slice(), self.what) {
                    ([kind], What::Scalar(bytes)) => {
                        let expected = code.number(64, tag(*kind, bytes));
                        LLVMBuildICmp(code.builder, LLVMIntEQ, found, expected, c"".as_ptr())
                    }
                    (kinds, what) => fits_struct(&code, found, kinds, what),
                };
                let of = check.get_type();
                let of = inkwell::types::AsTypeRef::as_type_ref(&of);
                LLVMBuildCall2(code.builder, of, check.as_value_ref(), [holds].as_mut_ptr(), 1, c"".as_ptr());
            }
        }
    }
}

/// Whether a slot holds what was passed in one of these kinds of registers, or a struct of this size.
unsafe fn fits_struct(code: &Code, found: LLVMValueRef, kinds: &[Kind], what: What) -> LLVMValueRef {
    let builder = code.builder;
    let registers = kinds.iter().filter(|kind| **kind != Kind::Memory);
    let mask = registers.fold(0, |mask, kind| mask | *kind as u64);
    // SAFETY: the tag is a number of 64 bits.
    unsafe {
        let whole = LLVMBuildLShr(builder, found, code.number(64, WHOLE.into()), c"".as_ptr());
        let (predicate, size) = match what {
            What::Struct(size) => (LLVMIntEQ, size),
            What::Scalar(_) | What::Unknown => (LLVMIntNE, 0),
        };
        let in_memory = LLVMBuildICmp(builder, predicate, whole, code.number(64, size), c"".as_ptr());
        if mask == 0 {
            return in_memory;
        }
        // With no register left at all, a small struct travels as an integer.
        let mask = code.number(64, (mask | Kind::General as u64) << KIND);
        let common = LLVMBuildAnd(builder, found, mask, c"".as_ptr());
        let in_register = LLVMBuildICmp(builder, LLVMIntNE, common, code.number(64, 0), c"".as_ptr());
        LLVMBuildOr(builder, in_register, in_memory, c"".as_ptr())
    }
}

unsafe fn is(value: LLVMValueRef, opcode: LLVMOpcode) -> bool {
    // SAFETY: only an instruction has an opcode.
    unsafe { !LLVMIsAInstruction(value).is_null() && LLVMGetInstructionOpcode(value) == opcode }
}

/// Which field of a list an address is.
unsafe fn field_of(address: LLVMValueRef) -> Option<i64> {
    // SAFETY: the kind of a value, or of a type, says what may be asked.
    unsafe {
        (is(address, LLVMGetElementPtr) && LLVMGetNumOperands(address) == 3).then_some(())?;
        let of = LLVMGetGEPSourceElementType(address);
        (LLVMGetTypeKind(of) == LLVMTypeKind::LLVMStructTypeKind && LLVMIsLiteralStruct(of) == 0)
            .then_some(())?;
        let name = LLVMGetStructName(of);
        (!name.is_null() && std::ffi::CStr::from_ptr(name).to_bytes().starts_with(TAG)).then_some(())?;
        let field = LLVMGetOperand(address, 2);
        (!LLVMIsAConstantInt(field).is_null()).then(|| LLVMConstIntGetSExtValue(field))
    }
}

/// The registers that are tried before the memory: what decides whether the block is entered at all compares
/// how much of them is used.
unsafe fn kinds(load: LLVMValueRef) -> Vec<Kind> {
    let mut found = HashSet::new();
    // SAFETY: a block belongs to a function, and the uses of a block are ends of others.
    unsafe {
        let block = LLVMGetInstructionParent(load);
        let ends = users(LLVMBasicBlockAsValue(block));
        if let [end] = ends.as_slice()
            && is(end.as_value_ref(), LLVMBr)
            && LLVMIsConditional(end.as_value_ref()) != 0
        {
            let mut open = vec![LLVMGetCondition(end.as_value_ref())];
            while let Some(value) = open.pop() {
                if is(value, LLVMAnd) {
                    open.extend([0, 1].map(|at| LLVMGetOperand(value, at)));
                } else if is(value, LLVMICmp) {
                    open.push(LLVMGetOperand(value, 0));
                } else if is(value, LLVMLoad) {
                    found.extend(field_of(LLVMGetOperand(value, 0)));
                }
            }
        }
    }
    let fields = [(GENERAL_FIELD, Kind::General), (FLOATING_FIELD, Kind::Floating)];
    let kinds: Vec<Kind> =
        fields.into_iter().filter(|(field, _)| found.contains(field)).map(|(_, kind)| kind).collect();
    if kinds.is_empty() { vec![Kind::Memory] } else { kinds }
}

/// What is read from an address, or from where this and another way meet.
unsafe fn what_is_read(address: LLVMValueRef) -> Option<What> {
    // SAFETY: each instruction is asked what its kind has.
    unsafe {
        users(address).into_iter().find_map(|user| {
            let user_value = user.as_value_ref();
            if is(user_value, LLVMPHI) {
                return what_is_read(user_value);
            }
            if is(user_value, LLVMLoad) {
                return layout::size(LLVMTypeOf(user_value)).map(What::Scalar);
            }
            let is_copy = operation::intrinsic_name(user).is_some_and(|name| name == "llvm.memcpy");
            let length = is_copy.then(|| LLVMGetOperand(user_value, 2))?;
            let is_known = !LLVMIsAConstantInt(length).is_null();
            is_known.then(|| What::Struct(LLVMConstIntGetZExtValue(length)))
        })
    }
}
