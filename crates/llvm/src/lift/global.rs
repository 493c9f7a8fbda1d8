//! Global variables, static ones and string literals, with what they hold at the start.

use std::collections::HashSet;

use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{
    LLVMGetFirstUse, LLVMGetInitializer, LLVMGetLinkage, LLVMGetNumOperands, LLVMGetOperand,
    LLVMGlobalGetValueType, LLVMIsAFunction, LLVMIsAGlobalVariable, LLVMIsGlobalConstant,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::AsValueRef;
use ir::{Global, TypeId};

use super::constant::{ConstantAddresses, name};
use super::ctype::Types;
use super::operation::Unsupported;
use super::{debug, layout};
use crate::streams::STANDARD_INPUT;

/// The streams that the C library opens before a program starts, and that are written to.
const STREAMS: [&str; 2] = ["stdout", "stderr"];

/// The globals of a module that somebody mentions, but for our own.
pub(super) fn mentioned(module: &Module) -> Vec<LLVMValueRef> {
    let globals = module.get_globals().map(|global| global.as_value_ref());
    let is_used = |global: &LLVMValueRef| {
        let name = name(*global);
        // SAFETY: any value may be asked for its uses.
        let used = unsafe { !LLVMGetFirstUse(*global).is_null() };
        (used || offers_functions(*global)) && !name.starts_with("__whet_") && !name.starts_with("llvm.")
    };
    globals.filter(is_used).collect()
}

/// Whether another file can call functions through what a global holds.
fn offers_functions(global: LLVMValueRef) -> bool {
    // SAFETY: a global variable has a linkage, and any user may be asked for its operands.
    unsafe {
        if LLVMGetLinkage(global) == LLVMLinkage::LLVMInternalLinkage {
            return false;
        }
        let mut seen = HashSet::from([global]);
        let mut open: Vec<LLVMValueRef> = initial(global).into_iter().collect();
        while let Some(value) = open.pop() {
            if !LLVMIsAFunction(value).is_null() {
                return true;
            }
            if !LLVMIsAGlobalVariable(value).is_null() {
                open.extend(initial(value).filter(|_| seen.insert(value)));
                continue;
            }
            let operands = 0..LLVMGetNumOperands(value).max(0) as u32;
            open.extend(operands.map(|at| LLVMGetOperand(value, at)));
        }
        false
    }
}

/// Whether this is the variable that holds a stream. It stands for the stream itself.
pub(super) fn is_stream(global: LLVMValueRef) -> bool {
    initial(global).is_none() && STREAMS.contains(&name(global).as_str())
}

/// Whether this is the variable that leads to standard input, which is an input.
fn is_standard_input(global: LLVMValueRef) -> bool {
    initial(global).is_none() && name(global) == STANDARD_INPUT
}

/// Why nobody can say what a global holds.
pub(super) fn unknown(global: LLVMValueRef) -> Option<Unsupported> {
    let elsewhere = initial(global).is_none() && !is_stream(global) && !is_standard_input(global);
    elsewhere.then(|| format!("the global variable `{}`, which is defined elsewhere", name(global)))
}

pub(super) fn lift(
    global: LLVMValueRef,
    addresses: &ConstantAddresses,
    types: &mut Types,
) -> Result<Global, Unsupported> {
    if is_standard_input(global) {
        let (of, contents) = (types.stream_pointer(), vec![0; ir::POINTER_BYTES as usize]);
        return Ok(Global { name: name(global), of, contents, constant: false, external: true });
    }
    // SAFETY: it is a global variable.
    let constant = is_stream(global) || unsafe { LLVMIsGlobalConstant(global) != 0 };
    let Some(initial) = initial(global) else {
        let of = types.stream();
        return Ok(Global { name: name(global), of, contents: vec![0], constant, external: false });
    };
    // SAFETY: a global has a type for what it holds, and a linkage.
    let (of, linkage) = unsafe { (LLVMGlobalGetValueType(global), LLVMGetLinkage(global)) };
    let size = layout::size(of).ok_or("a global variable that is too large")?;
    let mut contents = vec![0; size as usize];
    addresses.lay_out(initial, &mut contents)?;
    let external = !matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage);
    Ok(Global { name: name(global), of: type_of(global, size, types), contents, constant, external })
}

/// The type in C if debug information has one of the right size.
fn type_of(global: LLVMValueRef, size: u64, types: &mut Types) -> TypeId {
    let described = debug::type_of_global(global).filter(|of| of.bits() == size * 8);
    if let Some(id) = described.and_then(|of| types.of(of)) {
        return id;
    }
    // SAFETY: as above.
    let guess = types.guess(unsafe { LLVMGlobalGetValueType(global) });
    match &types.table[guess.0 as usize] {
        ir::Type::Opaque { .. } => types.opaque("object", size),
        _ => guess,
    }
}

/// What a constant of clang's own holds, from which a local variable gets its first value.
pub(super) fn first_value(from: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: a global variable has a linkage, and any value may be asked whether it is one.
    unsafe {
        let is_own = !LLVMIsAGlobalVariable(from).is_null()
            && LLVMIsGlobalConstant(from) != 0
            && LLVMGetLinkage(from) == LLVMLinkage::LLVMPrivateLinkage;
        is_own.then(|| initial(from))?
    }
}

pub(super) fn initial(global: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: a global variable may be asked for its initial value.
    let initial = unsafe { LLVMGetInitializer(global) };
    (!initial.is_null()).then_some(initial)
}
