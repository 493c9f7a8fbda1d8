//! The order of the phis of a block.
//!
//! All phis of a block take their values at once, so their order means nothing. It depends on the order in
//! which passes come across variables. So each phi gets a colour from what it is made of, and that decides.
//!
//! At first, a colour tells the block only. Then each round adds the colours of what comes in, until a round
//! tells no more phis apart. Phis with the same colour keep their order: if they have it by chance, code that
//! is the same may look different, but never the other way round.
//!
//! This is colour refinement, after Weisfeiler and Leman (1968).

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

use super::form::reads;

type Colour = u64;

/// Sorts the phis of each block, which come first in its list. The lists have what has a place: all
/// instructions of a function but those that only compute.
///
/// # Safety
/// The function lives and does not change, and the instructions are its own.
pub(super) unsafe fn sort(
    function: LLVMValueRef,
    blocks: &HashMap<LLVMBasicBlockRef, u64>,
    effects: &mut [Vec<LLVMValueRef>],
) {
    // SAFETY: as the caller promises; parameters are read up to their count.
    unsafe {
        let mut colours = Colours { blocks, fixed: HashMap::new(), phis: HashMap::new() };
        for at in 0..LLVMCountParams(function) {
            colours.fixed.insert(LLVMGetParam(function, at), mixed(("parameter", at)));
        }
        for (block, effects) in effects.iter().enumerate() {
            let (phis, others): (Vec<LLVMValueRef>, Vec<LLVMValueRef>) =
                effects.iter().partition(|effect| is_phi(**effect));
            colours.phis.extend(phis.into_iter().map(|phi| (phi, mixed(("phi", block)))));
            let others = others.into_iter().enumerate();
            colours.fixed.extend(others.map(|(at, other)| (other, mixed(("effect", block, at)))));
        }
        colours.refine();
        for effects in effects {
            let count = effects.iter().take_while(|effect| is_phi(**effect)).count();
            effects[..count].sort_by_key(|phi| colours.phis[phi]);
        }
    }
}

struct Colours<'b> {
    blocks: &'b HashMap<LLVMBasicBlockRef, u64>,
    /// The colours of all that is no phi, and does not depend on any.
    fixed: HashMap<LLVMValueRef, Colour>,
    phis: HashMap<LLVMValueRef, Colour>,
}

impl Colours<'_> {
    unsafe fn refine(&mut self) {
        let count = |phis: &HashMap<LLVMValueRef, Colour>| phis.values().collect::<HashSet<_>>().len();
        let mut known = count(&self.phis);
        while known < self.phis.len() {
            let mut computed = HashMap::new();
            // SAFETY: they are phis of the function.
            let next = self.phis.keys().map(|phi| (*phi, unsafe { self.of_phi(*phi, &mut computed) }));
            let next: HashMap<LLVMValueRef, Colour> = next.collect();
            let found = count(&next);
            if found <= known {
                break;
            }
            (self.phis, known) = (next, found);
        }
    }

    /// The next colour of a phi. Its edges have no order.
    unsafe fn of_phi(&self, phi: LLVMValueRef, computed: &mut HashMap<LLVMValueRef, Colour>) -> Colour {
        let mut edges = Vec::new();
        // SAFETY: it is a phi, and its edges are read up to their count.
        unsafe {
            for at in 0..LLVMCountIncoming(phi) {
                if let Some(from) = self.blocks.get(&LLVMGetIncomingBlock(phi, at)) {
                    edges.push((*from, self.of(LLVMGetIncomingValue(phi, at), computed)));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        mixed((self.phis[&phi], edges))
    }

    /// The colour of what comes in. Operands have no order either: many operations commute.
    unsafe fn of(&self, value: LLVMValueRef, computed: &mut HashMap<LLVMValueRef, Colour>) -> Colour {
        let known = self.fixed.get(&value).or(self.phis.get(&value)).or(computed.get(&value));
        if let Some(known) = known {
            return *known;
        }
        // SAFETY: any value may be asked what it is, and an instruction for its operands up to their count.
        let colour = unsafe {
            if LLVMIsAInstruction(value).is_null() {
                mixed(reads(value))
            } else {
                let operands = 0..LLVMGetNumOperands(value) as u32;
                let mut operands: Vec<Colour> =
                    operands.map(|at| self.of(LLVMGetOperand(value, at), computed)).collect();
                operands.sort_unstable();
                mixed((LLVMGetInstructionOpcode(value) as u64, operands))
            }
        };
        computed.insert(value, colour);
        colour
    }
}

unsafe fn is_phi(instruction: LLVMValueRef) -> bool {
    // SAFETY: it is an instruction.
    unsafe { LLVMGetInstructionOpcode(instruction) == LLVMOpcode::LLVMPHI }
}

fn mixed(words: impl Hash) -> Colour {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}
