//! What happens when a program starts, before anybody calls one of its functions.
//!
//! Constructors run (`__attribute__((constructor))`). A run of ours begins with the
//! initial values, but a test begins after the constructors. So the variables that
//! a constructor may set are out of reach: those that it mentions, itself or
//! through functions that it leads to. Code that uses none of them is not affected.
//!
//! Resolvers choose functions (`__attribute__((ifunc("pick")))`). A call of such a function is unsupported.

use std::collections::BTreeSet;

use inkwell::llvm_sys::core::{
    LLVMAddFunction, LLVMEraseGlobalIFunc, LLVMGetAggregateElement, LLVMGetFirstGlobalIFunc,
    LLVMGlobalGetValueType, LLVMIsAFunction, LLVMIsGlobalConstant, LLVMReplaceAllUsesWith, LLVMSetValueName2,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};

use super::constant::name;
use super::{global, mentions};

/// The list that clang makes of all constructors: priority, function, and what it is for.
const LIST: &str = "llvm.global_ctors";
const FUNCTION: u32 = 1;

/// The variables among these that constructors may have set, each with the name of one that may.
pub(super) fn variables(
    module: &Module,
    functions: &[FunctionValue],
    globals: &[LLVMValueRef],
) -> Vec<(LLVMValueRef, String)> {
    let mut found = Vec::new();
    for constructor in constructors(module) {
        let reached = reached(constructor, functions);
        // SAFETY: all of these are global variables.
        let variables = globals.iter().filter(|global| unsafe { LLVMIsGlobalConstant(**global) == 0 });
        let is_reached =
            |global: &&LLVMValueRef| mentions::places(**global).iter().any(|place| reached.contains(place));
        found.extend(variables.filter(is_reached).map(|global| (*global, name(constructor))));
    }
    found
}

/// Why nothing can be said of a version that picks functions when it starts: that shows without a
/// call. What a resolver picks is only declared in the version from here on, so that it can be linked.
pub(crate) fn resolved(version: &Module) -> Option<String> {
    let function = without_resolvers(version).into_iter().next()?;
    Some(format!("`{function}` is chosen when the program starts (`ifunc`)"))
}

/// Declares what resolvers choose in place of them. Returns the names.
fn without_resolvers(module: &Module) -> Vec<String> {
    let mut names = Vec::new();
    // SAFETY: the module lives; each resolver is read before it goes, and nobody uses it then.
    unsafe {
        loop {
            let resolver = LLVMGetFirstGlobalIFunc(module.as_mut_ptr());
            if resolver.is_null() {
                return names;
            }
            let (of, function) = (LLVMGlobalGetValueType(resolver), name(resolver));
            let declared = LLVMAddFunction(module.as_mut_ptr(), c"whet.chosen".as_ptr(), of);
            LLVMReplaceAllUsesWith(resolver, declared);
            LLVMEraseGlobalIFunc(resolver);
            LLVMSetValueName2(declared, function.as_ptr().cast(), function.len());
            names.push(function);
        }
    }
}

fn constructors(module: &Module) -> Vec<LLVMValueRef> {
    let Some(list) = module.get_global(LIST).and_then(|list| global::initial(list.as_value_ref())) else {
        return vec![];
    };
    let element = |of: LLVMValueRef, at: u32| {
        // SAFETY: the list is an array of structs, which are constants; LLVM
        // gives null behind the last element.
        let element = unsafe { LLVMGetAggregateElement(of, at) };
        (!element.is_null()).then_some(element)
    };
    let entries = (0..).map_while(|at| element(list, at));
    let functions = entries.filter_map(|entry| element(entry, FUNCTION));
    // SAFETY: any value may be asked what it is.
    functions.filter(|it| unsafe { !LLVMIsAFunction(*it).is_null() }).collect()
}

/// A function, and those that it leads to.
fn reached(first: LLVMValueRef, functions: &[FunctionValue]) -> BTreeSet<LLVMValueRef> {
    let mentions = mentions::mentions(functions);
    let number = |value: LLVMValueRef| functions.iter().position(|it| it.as_value_ref() == value);
    let mut reached = BTreeSet::new();
    let mut open: Vec<usize> = number(first).into_iter().collect();
    while let Some(at) = open.pop() {
        if reached.insert(functions[at].as_value_ref()) {
            open.extend(mentions[at].iter().map(|id| id.0 as usize));
        }
    }
    reached
}
