//! String literals that may be one object or several.
//!
//! C leaves open whether equal literals are the same object, and whether one begins within another that ends
//! like it. Clang makes one object of equal ones. So where pointers are compared, two things are unknown:
//! whether a pointer to a literal that is mentioned more than once is equal to itself, and whether pointers
//! into different literals are equal that end alike. The lift puts a check before such a comparison
//! ([`Literals`]). In the code that is compared, each mention gets an object of its own, of which an
//! optimiser cannot tell whether it is another one ([`separate`]).

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::core::{
    LLVMAddGlobal, LLVMDeleteGlobal, LLVMGetAlignment, LLVMGetFirstUse, LLVMGetInitializer, LLVMGetLinkage,
    LLVMGetNextUse, LLVMGetNumOperands, LLVMGetOperand, LLVMGetUnnamedAddress, LLVMGetUser,
    LLVMGlobalGetValueType, LLVMIsAGlobalVariable, LLVMIsAInstruction, LLVMIsGlobalConstant,
    LLVMReplaceAllUsesWith, LLVMSetAlignment, LLVMSetGlobalConstant, LLVMSetInitializer, LLVMSetLinkage,
    LLVMSetOperand, LLVMSetUnnamedAddress, LLVMSetValueName2,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMLinkage, LLVMUnnamedAddr};
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, Operand,
};

use crate::lift::{self, operation};

/// What must be known of literals where pointers are compared.
#[derive(Default)]
pub(crate) struct Literals {
    /// Those that are mentioned more than once.
    pub shared: Vec<LLVMValueRef>,
    /// Two that end alike, and by how many bytes the first is longer.
    pub endings: Vec<(LLVMValueRef, LLVMValueRef, u64)>,
}

impl Literals {
    /// Nothing, if nobody compares pointers.
    pub(crate) fn of(module: &Module) -> Literals {
        if !lift::user_functions(module).any(compares_pointers) {
            return Literals::default();
        }
        let literals: Vec<(LLVMValueRef, Vec<u8>)> = module
            .get_globals()
            .map(|global| global.as_value_ref())
            .filter(|global| is_literal(*global))
            .filter_map(|global| Some((global, lift::literal_text(global)?)))
            .collect();
        let shared = literals.iter().map(|(global, _)| *global).filter(|it| mentions(*it).len() > 1);
        let mut endings = Vec::new();
        for (one, text) in &literals {
            // An empty one is the end of each. Nobody compares it with the end of another.
            let shorter = literals.iter().filter(|(_, other)| !other.is_empty() && other.len() < text.len());
            let alike = shorter.filter(|(_, other)| text.ends_with(other));
            endings.extend(alike.map(|(other, ending)| (*one, *other, (text.len() - ending.len()) as u64)));
        }
        Literals { shared: shared.collect(), endings }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.endings.is_empty()
    }
}

/// Makes literals constant, and one object of those that are equal, as clang does if it is not told to make
/// several (`-fwritable-strings`). They get the names that clang would give them.
pub(crate) fn merge(module: &Module) {
    /// What clang calls a literal. A number follows unless it is the first.
    const PLAIN: &str = ".str";
    let (mut firsts, mut kept) = (HashMap::<LLVMValueRef, LLVMValueRef>::new(), 0);
    let globals: Vec<LLVMValueRef> = module.get_globals().map(|global| global.as_value_ref()).collect();
    for literal in globals.into_iter().filter(|global| is_private(*global)) {
        // SAFETY: it is a global variable with a first value, and nobody holds on to one that is replaced.
        unsafe {
            if LLVMIsGlobalConstant(literal) != 0 {
                continue;
            }
            LLVMSetGlobalConstant(literal, 1);
            let first = *firsts.entry(LLVMGetInitializer(literal)).or_insert(literal);
            if first != literal {
                LLVMReplaceAllUsesWith(literal, first);
                LLVMDeleteGlobal(literal);
            } else if lift::name(literal).starts_with(PLAIN) {
                let name = if kept == 0 { PLAIN.to_string() } else { format!("{PLAIN}.{kept}") };
                LLVMSetValueName2(literal, name.as_ptr().cast(), name.len());
                kept += 1;
            }
        }
    }
}

/// Gives each mention of a literal that is mentioned more than once an object of its own.
pub(crate) fn separate(module: &Module) {
    for literal in Literals::of(module).shared {
        // A constant with a literal in it is one for all who have it.
        // SAFETY: any value may be asked what it is.
        let is_alone = |(user, _): &(LLVMValueRef, u32)| unsafe {
            !LLVMIsAInstruction(*user).is_null() || !LLVMIsAGlobalVariable(*user).is_null()
        };
        for (user, at) in mentions(literal).into_iter().filter(is_alone).skip(1) {
            // SAFETY: the copy is like the literal, and takes its place in one operand.
            unsafe {
                let of = LLVMGlobalGetValueType(literal);
                let copy = LLVMAddGlobal(module.as_mut_ptr(), of, c".str.again".as_ptr());
                LLVMSetInitializer(copy, LLVMGetInitializer(literal));
                LLVMSetLinkage(copy, LLVMLinkage::LLVMPrivateLinkage);
                LLVMSetUnnamedAddress(copy, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
                LLVMSetGlobalConstant(copy, 1);
                LLVMSetAlignment(copy, LLVMGetAlignment(literal));
                LLVMSetOperand(user, at, copy);
            }
        }
    }
}

/// The two pointers that an instruction compares for being equal, or that a site does.
pub(crate) fn compared<'c>(instruction: InstructionValue<'c>) -> Option<[BasicValueEnum<'c>; 2]> {
    let operand = |at| instruction.get_operand(at).and_then(Operand::value);
    match instruction.get_opcode() {
        InstructionOpcode::ICmp => {
            let both = [operand(0)?, operand(1)?];
            let is_known =
                |value: &BasicValueEnum| !value.is_pointer_value() || value.into_pointer_value().is_null();
            (!both.iter().any(is_known)).then_some(both)
        }
        InstructionOpcode::Call => {
            let (site, _) = operation::callee(instruction).filter(|(site, _)| lift::is_site(site))?;
            let comparison = comparisons(site).next()?;
            let parameters = site.get_params();
            let argument = |value: BasicValueEnum<'c>| match parameters.iter().position(|it| *it == value) {
                Some(at) => operand(at as u32),
                // SAFETY: any value may be asked what it is.
                None => unsafe { LLVMIsAInstruction(value.as_value_ref()).is_null() }.then_some(value),
            };
            let [one, other] = comparison;
            Some([argument(one)?, argument(other)?])
        }
        _ => None,
    }
}

fn comparisons<'c>(function: FunctionValue<'c>) -> impl Iterator<Item = [BasicValueEnum<'c>; 2]> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter(|it| it.get_opcode() == InstructionOpcode::ICmp).filter_map(compared)
}

fn compares_pointers(function: FunctionValue) -> bool {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.into_iter().any(|it| compared(it).is_some())
}

fn is_literal(global: LLVMValueRef) -> bool {
    // SAFETY: it is a global variable.
    is_private(global) && unsafe { LLVMIsGlobalConstant(global) != 0 }
}

fn is_private(global: LLVMValueRef) -> bool {
    // SAFETY: it is a global variable.
    unsafe {
        LLVMGetLinkage(global) == LLVMLinkage::LLVMPrivateLinkage
            && LLVMGetUnnamedAddress(global) == LLVMUnnamedAddr::LLVMGlobalUnnamedAddr
    }
}

/// Whether what is called gives no pointer back, as if it only printed its arguments.
fn is_lost(user: InstructionValue) -> bool {
    user.get_opcode() == InstructionOpcode::Call
        && !user.get_type().is_pointer_type()
        && operation::callee(user).is_some_and(|(callee, _)| callee.count_basic_blocks() == 0)
}

/// The operands of users that are this literal, if it may come to a comparison from there.
fn mentions(literal: LLVMValueRef) -> Vec<(LLVMValueRef, u32)> {
    let mut users = Vec::new();
    // SAFETY: the list of uses belongs to the value, and nobody changes it meanwhile.
    unsafe {
        let mut at = LLVMGetFirstUse(literal);
        while !at.is_null() {
            users.push(LLVMGetUser(at));
            at = LLVMGetNextUse(at);
        }
    }
    let mut seen = HashSet::new();
    users.retain(|user| seen.insert(*user));
    let places = |user: LLVMValueRef| {
        // SAFETY: a user has operands.
        let count = unsafe { LLVMGetNumOperands(user) }.max(0) as u32;
        // SAFETY: any user may be asked what it is.
        let is_instruction = unsafe { !LLVMIsAInstruction(user).is_null() };
        // SAFETY: it is an instruction.
        let is_lost = is_instruction && is_lost(unsafe { InstructionValue::new(user) });
        let count = if is_lost { 0 } else { count };
        // SAFETY: as many as it has.
        (0..count).filter(move |at| unsafe { LLVMGetOperand(user, *at) } == literal).map(move |at| (user, at))
    };
    users.into_iter().flat_map(places).collect()
}
