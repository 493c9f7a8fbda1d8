//! Lifting: from an LLVM module to the program that we reason about.
//!
//! Each block of LLVM's is a block of ours, in the same order, so that the interpreter and the native
//! build burn the same fuel. C variables become registers. What we do not handle stays in
//! its place as an unsupported instruction: a run that does not come by is none the worse for it.

mod debug;
mod describe;
mod function;
mod mentions;
mod numbering;
pub(crate) mod operation;
mod signature;
pub(crate) mod site;
mod ssa;
#[cfg(test)]
mod tests;
mod variable;

use std::collections::HashMap;

use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef, FunctionValue};
use ir::{Function, FunctionId, Program, Signature, SiteId, Unsupported};

use debug::Places;
pub(crate) use variable::is_single;

/// A module as a program.
pub(crate) struct Lifted {
    pub program: Program,
    /// The functions that another file can call.
    pub external: Vec<FunctionId>,
    /// For each function, those that it mentions: called, or otherwise. Sorted.
    pub mentions: Vec<Vec<FunctionId>>,
}

/// What the functions of a module are to their callers.
struct Names {
    functions: HashMap<LLVMValueRef, Result<FunctionId, String>>,
    sites: HashMap<LLVMValueRef, Result<SiteId, String>>,
}

pub(crate) fn lift(module: &Module) -> Lifted {
    let places = Places::new(module);
    let mut program = Program::default();
    let mut names = Names { functions: HashMap::new(), sites: HashMap::new() };
    for site in module.get_functions().filter(is_site) {
        let call = variable::users(site.as_value_ref()).into_iter().next();
        let at = call.and_then(|call| places.of(call));
        let lifted = site::lift(site, at).map(|site| {
            program.sites.push(site);
            SiteId(program.sites.len() as u32 - 1)
        });
        names.sites.insert(site.as_value_ref(), lifted);
    }
    let mut external = Vec::new();
    let mut signatures = Vec::new();
    for function in user_functions(module) {
        let id = FunctionId(signatures.len() as u32);
        let signature = signature::of(function);
        let name = text(function.get_name());
        let callable = signature.clone().map(|_| id).map_err(|what| format!("a call to `{name}`: {what}"));
        names.functions.insert(function.as_value_ref(), callable);
        if function.get_linkage() != Linkage::Internal {
            external.push(id);
        }
        signatures.push((function, signature));
    }
    let functions: Vec<FunctionValue> = signatures.iter().map(|(function, _)| *function).collect();
    let mentions = mentions::mentions(&functions);
    for (function, signature) in signatures {
        let lifted = match signature {
            Ok(signature) => function::lift(function, signature, &names, &places),
            Err(what) => unsupported(function, Unsupported { what, at: places.of_function(function) }),
        };
        program.functions.push(lifted);
    }
    Lifted { program, external, mentions }
}

/// The functions with a body that the user wrote.
pub(crate) fn user_functions<'c>(module: &Module<'c>) -> impl Iterator<Item = FunctionValue<'c>> {
    let is_ours = |function: &FunctionValue| {
        let name = function.get_name().to_bytes();
        name.starts_with(b"whet.") || name.starts_with(b"__whet_")
    };
    module.get_functions().filter(move |function| function.count_basic_blocks() > 0 && !is_ours(function))
}

fn is_site(function: &FunctionValue) -> bool {
    function.count_basic_blocks() > 0 && function.get_name().to_bytes().starts_with(site::PREFIX.as_bytes())
}

fn unsupported(function: FunctionValue, unsupported: Unsupported) -> Function {
    Function {
        name: text(function.get_name()),
        signature: Signature { parameters: vec![], result: None },
        registers: vec![],
        blocks: vec![],
        unsupported: Some(unsupported),
    }
}

fn text(name: &std::ffi::CStr) -> String {
    name.to_string_lossy().into_owned()
}
