//! The form in which optimised functions are compared. Names, the order of blocks, and the order of
//! computations that do not depend on each other are left out.
//!
//! An instruction without effects is what it computes from what, wherever it stands. Everything else has a
//! number by its place: blocks in the order in which they are first reached, and in a block one after the
//! other. Only [phis](super::phis) have an order of their own. Types, constants and globals go by how they
//! read. That is all there is to a function, so two with the same form do the same.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::Mutex;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMUnnamedAddr};
use inkwell::values::{AsValueRef, FunctionValue};
use sha2::{Digest, Sha256};

use super::phis;

/// Computations are followed from their uses to their operands, and a stack has an end.
const INSTRUCTIONS: usize = 20_000;

/// The index at which LLVM keeps the attributes of the function itself.
const OF_FUNCTION: u32 = u32::MAX;

/// What a function does, in words that can be compared: their SHA-256. There is one for every mutant, and
/// nobody reads the words.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct CanonicalForm([u8; 32]);

impl CanonicalForm {
    fn of(words: &[u64]) -> CanonicalForm {
        let mut digest = Sha256::new();
        words.iter().for_each(|word| digest.update(word.to_le_bytes()));
        CanonicalForm(digest.finalize().into())
    }
}

/// Numbers for types, constants and globals, by how they read. Shared by all functions that are compared,
/// wherever they live.
#[derive(Default)]
pub(super) struct Names(Mutex<HashMap<String, u64>>);

impl Names {
    /// Even, while what a function computes has odd numbers.
    fn number(&self, text: String) -> u64 {
        let mut names = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let fresh = 2 * names.len() as u64;
        *names.entry(text).or_insert(fresh)
    }
}

/// The form of a function; none if it is too large, or does what is never the same as anything else.
pub(super) fn form(function: FunctionValue, names: &Names) -> Option<CanonicalForm> {
    // SAFETY: the function has a body, and nobody changes it meanwhile.
    unsafe { Walk::new(function.as_value_ref(), names).map(|walk| walk.form()) }
}

/// A walk over one function. Its methods are unsafe because they take LLVM's values as they are: all of them
/// must come from that function, whose module lives and does not change. Each question is asked only of
/// values that have an answer to it, which their opcode says.
struct Walk<'n> {
    names: &'n Names,
    types: HashMap<LLVMTypeRef, u64>,
    numbers: HashMap<LLVMValueRef, u64>,
    blocks: HashMap<LLVMBasicBlockRef, u64>,
    /// For each block, in the order in which they are reached, what has a place there.
    effects: Vec<Vec<LLVMValueRef>>,
    /// What is computed without effects, and its number.
    computed: HashMap<Vec<u64>, u64>,
    next: u64,
}

impl<'n> Walk<'n> {
    unsafe fn new(function: LLVMValueRef, names: &'n Names) -> Option<Walk<'n>> {
        // SAFETY: the function has a body, so that it has an entry, and parameters up to its count.
        unsafe {
            let order = reachable(LLVMGetEntryBasicBlock(function));
            let blocks = order.iter().zip(0..).map(|(block, at)| (*block, at)).collect();
            let all: Vec<Vec<LLVMValueRef>> = order.iter().map(|block| instructions(*block)).collect();
            let is_strange = |it: &LLVMValueRef| is_atomic(*it) || returns_twice(*it);
            if all.iter().map(Vec::len).sum::<usize>() > INSTRUCTIONS || all.iter().flatten().any(is_strange)
            {
                return None;
            }
            let mut effects = all;
            effects.iter_mut().for_each(|effects| effects.retain(|it| !is_pure(*it)));
            phis::sort(function, &blocks, &mut effects);
            let (types, numbers, computed) = (HashMap::new(), HashMap::new(), HashMap::new());
            let mut walk = Walk { names, types, numbers, blocks, effects, computed, next: 0 };
            for at in 0..LLVMCountParams(function) {
                walk.number(LLVMGetParam(function, at));
            }
            for effect in walk.effects.concat() {
                walk.number(effect);
            }
            Some(walk)
        }
    }

    fn number(&mut self, value: LLVMValueRef) {
        self.numbers.insert(value, 2 * self.next + 1);
        self.next += 1;
    }

    unsafe fn form(mut self) -> CanonicalForm {
        let mut words = Vec::new();
        for effects in std::mem::take(&mut self.effects) {
            words.push(effects.len() as u64);
            for instruction in effects {
                // SAFETY: it is an instruction of a block of the function.
                unsafe { self.describe(instruction, &mut words) };
            }
        }
        // In the order in which they were asked for, which the words above decide.
        let mut computed: Vec<(Vec<u64>, u64)> = self.computed.into_iter().collect();
        computed.sort_unstable_by_key(|(_, number)| *number);
        for (what, _) in computed {
            words.push(what.len() as u64);
            words.extend(what);
        }
        CanonicalForm::of(&words)
    }

    /// What an instruction does with what.
    unsafe fn describe(&mut self, instruction: LLVMValueRef, words: &mut Vec<u64>) {
        // SAFETY: operands, indices and mask elements are read up to their count, and the rest only if the
        // opcode has it.
        unsafe {
            let opcode = LLVMGetInstructionOpcode(instruction);
            words.extend([opcode as u64, self.of(LLVMTypeOf(instruction))]);
            let mut operands = match opcode {
                LLVMOpcode::LLVMPHI => self.incoming(instruction),
                _ => (0..LLVMGetNumOperands(instruction) as u32)
                    .map(|at| self.operand(LLVMGetOperand(instruction, at)))
                    .collect(),
            };
            words.push(operands.len() as u64);
            match opcode {
                LLVMOpcode::LLVMICmp => {
                    let predicate = LLVMGetICmpPredicate(instruction);
                    let is_swapped = sort_two(&mut operands);
                    words.push(if is_swapped { swapped(predicate) } else { predicate } as u64);
                }
                LLVMOpcode::LLVMFCmp => {
                    let predicate = LLVMGetFCmpPredicate(instruction);
                    let is_swapped = sort_two(&mut operands);
                    words.push(if is_swapped { swapped_float(predicate) } else { predicate } as u64);
                }
                LLVMOpcode::LLVMGetElementPtr => {
                    words.push(self.of(LLVMGetGEPSourceElementType(instruction)))
                }
                LLVMOpcode::LLVMAlloca => words.push(self.of(LLVMGetAllocatedType(instruction))),
                LLVMOpcode::LLVMCall => words.push(self.of(LLVMGetCalledFunctionType(instruction))),
                LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore => {
                    words.push(LLVMGetVolatile(instruction) as u64);
                }
                LLVMOpcode::LLVMExtractValue | LLVMOpcode::LLVMInsertValue => {
                    let count = LLVMGetNumIndices(instruction) as usize;
                    let indices = std::slice::from_raw_parts(LLVMGetIndices(instruction), count);
                    words.extend(indices.iter().map(|index| u64::from(*index)));
                }
                LLVMOpcode::LLVMShuffleVector => {
                    let count = LLVMGetNumMaskElements(instruction);
                    words.extend((0..count).map(|at| LLVMGetMaskValue(instruction, at) as u64));
                }
                _ if commutes(opcode) => {
                    sort_two(&mut operands);
                }
                _ => {}
            }
            words.extend(operands);
        }
    }

    /// What comes in from where, sorted; edges from what is never reached bring nothing.
    unsafe fn incoming(&mut self, phi: LLVMValueRef) -> Vec<u64> {
        let mut pairs = Vec::new();
        // SAFETY: it is a phi, and the edges are read up to their count.
        unsafe {
            for at in 0..LLVMCountIncoming(phi) {
                if let Some(from) = self.blocks.get(&LLVMGetIncomingBlock(phi, at)).copied() {
                    pairs.push((from, self.operand(LLVMGetIncomingValue(phi, at))));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.into_iter().flat_map(|(from, value)| [from, value]).collect()
    }

    unsafe fn of(&mut self, of: LLVMTypeRef) -> u64 {
        let names = self.names;
        // SAFETY: a type of a value of the function. LLVM gives its text away.
        *self.types.entry(of).or_insert_with(|| names.number(unsafe { taken(LLVMPrintTypeToString(of)) }))
    }

    unsafe fn operand(&mut self, value: LLVMValueRef) -> u64 {
        // SAFETY: any value may be asked what it is; what is no block and no instruction is a constant or a
        // global.
        unsafe {
            if let Some(number) = self.numbers.get(&value) {
                return *number;
            }
            if LLVMValueIsBasicBlock(value) != 0 {
                let at = self.blocks.get(&LLVMValueAsBasicBlock(value));
                return *at.expect("what a reachable block goes to is reachable");
            }
            if LLVMIsAInstruction(value).is_null() {
                let number = self.names.number(reads(value));
                self.numbers.insert(value, number);
                return number;
            }
            let mut words = Vec::new();
            self.describe(value, &mut words);
            let fresh = 2 * (self.next + self.computed.len() as u64) + 1;
            let number = *self.computed.entry(words).or_insert(fresh);
            self.numbers.insert(value, number);
            number
        }
    }
}

/// How a constant or a global reads. A constant whose address nobody may compare, such as a string literal,
/// is what it holds: two versions of a file have different names for the same text.
pub(super) unsafe fn reads(value: LLVMValueRef) -> String {
    // SAFETY: LLVM gives the text of a constant away. Only a global is asked about its address and what it
    // holds. Its name is read up to its length, and copied.
    unsafe {
        if LLVMIsAGlobalValue(value).is_null() {
            return taken(LLVMPrintValueToString(value));
        }
        let is_variable = !LLVMIsAGlobalVariable(value).is_null();
        let is_nameless =
            is_variable && LLVMGetUnnamedAddress(value) == LLVMUnnamedAddr::LLVMGlobalUnnamedAddr;
        if is_nameless && LLVMIsGlobalConstant(value) != 0 && !LLVMGetInitializer(value).is_null() {
            return format!("constant {}", taken(LLVMPrintValueToString(LLVMGetInitializer(value))));
        }
        let mut length = 0;
        let name = LLVMGetValueName2(value, &mut length);
        format!("@{}", String::from_utf8_lossy(std::slice::from_raw_parts(name.cast::<u8>(), length)))
    }
}

/// A text of LLVM's, which is given back.
unsafe fn taken(text: *mut c_char) -> String {
    // SAFETY: the text ends with a zero, and is the caller's, who does not use it again.
    unsafe {
        let read = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        read
    }
}

/// The blocks that can be reached, in the order in which a walk along the first edges finds them.
unsafe fn reachable(entry: LLVMBasicBlockRef) -> Vec<LLVMBasicBlockRef> {
    let mut order = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![entry];
    while let Some(block) = open.pop() {
        if !seen.insert(block) {
            continue;
        }
        order.push(block);
        // SAFETY: a block that went through LLVM's passes has a terminator, whose successors are read up to
        // their count.
        unsafe {
            let end = LLVMGetBasicBlockTerminator(block);
            open.extend((0..LLVMGetNumSuccessors(end)).rev().map(|at| LLVMGetSuccessor(end, at)));
        }
    }
    order
}

unsafe fn instructions(block: LLVMBasicBlockRef) -> Vec<LLVMValueRef> {
    let mut instructions = Vec::new();
    // SAFETY: a block is a list that ends with null.
    unsafe {
        let mut next = LLVMGetFirstInstruction(block);
        while !next.is_null() {
            instructions.push(next);
            next = LLVMGetNextInstruction(next);
        }
    }
    instructions
}

/// Whether an instruction orders what threads see. It has settings that we do not read.
unsafe fn is_atomic(instruction: LLVMValueRef) -> bool {
    use LLVMOpcode::*;
    // SAFETY: it is an instruction.
    let opcode = unsafe { LLVMGetInstructionOpcode(instruction) };
    matches!(opcode, LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence)
}

/// Whether an instruction is a call such as that of `setjmp`. A variable that changes before the second
/// return may then have its old value or its new one, as the optimiser likes.
unsafe fn returns_twice(instruction: LLVMValueRef) -> bool {
    // SAFETY: it is an instruction, and only a call is asked what it calls.
    unsafe {
        let is_call = !LLVMIsACallInst(instruction).is_null();
        is_call && {
            let kind = kind("returns_twice");
            let callee = LLVMGetCalledValue(instruction);
            let is_function = !LLVMIsAFunction(callee).is_null();
            !LLVMGetCallSiteEnumAttribute(instruction, OF_FUNCTION, kind).is_null()
                || is_function && !LLVMGetEnumAttributeAtIndex(callee, OF_FUNCTION, kind).is_null()
        }
    }
}

/// Whether all that an instruction does is to compute a value from others.
unsafe fn is_pure(instruction: LLVMValueRef) -> bool {
    use LLVMOpcode::*;
    // SAFETY: it is an instruction, and only a call is asked what it calls.
    unsafe {
        match LLVMGetInstructionOpcode(instruction) {
            LLVMCall => touches_nothing(LLVMGetCalledValue(instruction)),
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl | LLVMLShr
            | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMICmp | LLVMFCmp | LLVMSelect | LLVMTrunc
            | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc
            | LLVMFPExt | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMFAdd | LLVMFSub | LLVMFMul
            | LLVMFDiv | LLVMFRem | LLVMFNeg | LLVMGetElementPtr | LLVMExtractElement | LLVMInsertElement
            | LLVMShuffleVector | LLVMExtractValue | LLVMInsertValue | LLVMFreeze => true,
            _ => false,
        }
    }
}

/// Whether a function is declared to depend on its arguments only, and to return.
unsafe fn touches_nothing(function: LLVMValueRef) -> bool {
    // SAFETY: any value may be asked whether it is a function, and a function for its attributes; the value
    // of one that is there.
    unsafe {
        if LLVMIsAFunction(function).is_null() {
            return false;
        }
        let memory = LLVMGetEnumAttributeAtIndex(function, OF_FUNCTION, kind("memory"));
        let returns = LLVMGetEnumAttributeAtIndex(function, OF_FUNCTION, kind("willreturn"));
        !memory.is_null() && !returns.is_null() && LLVMGetEnumAttributeValue(memory) == 0
    }
}

/// The number that LLVM has for an attribute.
fn kind(name: &str) -> u32 {
    // SAFETY: the name is read up to its length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// Sorts two operands; true if that exchanged them.
fn sort_two(operands: &mut [u64]) -> bool {
    let is_swapped = operands[0] > operands[1];
    operands.sort_unstable();
    is_swapped
}

fn commutes(opcode: LLVMOpcode) -> bool {
    use LLVMOpcode::*;
    matches!(opcode, LLVMAdd | LLVMMul | LLVMAnd | LLVMOr | LLVMXor | LLVMFAdd | LLVMFMul)
}

fn swapped(predicate: LLVMIntPredicate) -> LLVMIntPredicate {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntEQ | LLVMIntNE => predicate,
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
    }
}

fn swapped_float(predicate: LLVMRealPredicate) -> LLVMRealPredicate {
    use LLVMRealPredicate::*;
    match predicate {
        LLVMRealOGT => LLVMRealOLT,
        LLVMRealOGE => LLVMRealOLE,
        LLVMRealOLT => LLVMRealOGT,
        LLVMRealOLE => LLVMRealOGE,
        LLVMRealUGT => LLVMRealULT,
        LLVMRealUGE => LLVMRealULE,
        LLVMRealULT => LLVMRealUGT,
        LLVMRealULE => LLVMRealUGE,
        _ => predicate,
    }
}
