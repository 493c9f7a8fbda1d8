//! Aliases: second names of functions and variables.
//!
//! `__attribute__((alias("f")))` gives `f` a second name, and does nothing else. So each use
//! of that name becomes a use of `f`, before anybody looks at the module. Calls are calls of
//! `f`, and the mutants of `f` are seeded once. In many C libraries `f` is `static`, and
//! other files know it only by the second name. Then it has that name from here on.
//!
//! Tests may use the names that are gone, so their build gets them back ([`put_back`]).
//!
//! LLVM's interface for C cannot delete an alias, but a line of text can be left out.

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{
    LLVMAddAlias2, LLVMAliasGetAliasee, LLVMGetFirstGlobalAlias, LLVMGetLinkage, LLVMGetNamedFunction,
    LLVMGetNamedGlobal, LLVMGetNextGlobalAlias, LLVMGlobalGetValueType, LLVMIsAGlobalAlias,
    LLVMIsAGlobalObject, LLVMReplaceAllUsesWith, LLVMSetLinkage, LLVMSetValueName2,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;

use crate::lift::name;
use crate::{Error, parse_bitcode};

/// What aliases are called until they are left out.
const GONE: &str = "whet.alias.";

/// A name of C's that the module has another one for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Alias {
    pub name: String,
    /// What the module calls it.
    pub symbol: String,
    /// Other files may use the name.
    pub visible: bool,
}

/// The module as text, without aliases. None if it has none.
pub(crate) fn resolved(bitcode: &[u8]) -> Result<Option<(String, Vec<Alias>)>, Error> {
    // In a context of its own: the names of types are used up when a module is read.
    let context = Context::create();
    let module = parse_bitcode(&context, bitcode)?;
    let found: Vec<LLVMValueRef> = aliases(&module).collect();
    if found.is_empty() {
        return Ok(None);
    }
    let named: Vec<(String, LLVMValueRef, bool)> =
        found.into_iter().enumerate().filter_map(|(at, alias)| resolve(at, alias)).collect();
    let symbol = |(alias, object, visible): (String, LLVMValueRef, bool)| Alias {
        name: alias,
        symbol: name(object),
        visible,
    };
    let is_kept = |line: &&str| !line.starts_with(&format!("@{GONE}"));
    let text = module.print_to_string().to_string();
    let text: String = text.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect();
    Ok(Some((text, named.into_iter().map(symbol).collect())))
}

/// Gives what tests are built with the names back that it had. Weakly, so that
/// another file may have them as well.
pub(crate) fn put_back(module: &Module, aliases: &[Alias]) {
    for Alias { name, symbol, .. } in aliases.iter().filter(|alias| alias.visible) {
        let (symbol, name) = (c_text(symbol), c_text(name));
        // SAFETY: the module lives, and both texts end with a zero.
        unsafe {
            let of = module.as_mut_ptr();
            let function = LLVMGetNamedFunction(of, symbol.as_ptr());
            let object = if function.is_null() { LLVMGetNamedGlobal(of, symbol.as_ptr()) } else { function };
            if !object.is_null() {
                let alias = LLVMAddAlias2(of, LLVMGlobalGetValueType(object), 0, object, name.as_ptr());
                LLVMSetLinkage(alias, LLVMLinkage::LLVMWeakAnyLinkage);
            }
        }
    }
}

fn aliases(module: &Module) -> impl Iterator<Item = LLVMValueRef> {
    // SAFETY: the module lives, and nobody adds to its list meanwhile.
    let next = |alias: &LLVMValueRef| unsafe { LLVMGetNextGlobalAlias(*alias) };
    // SAFETY: as above.
    let first = unsafe { LLVMGetFirstGlobalAlias(module.as_mut_ptr()) };
    let there = |alias: LLVMValueRef| (!alias.is_null()).then_some(alias);
    std::iter::successors(there(first), move |alias| there(next(alias)))
}

/// Uses what an alias stands for in its place, and gives up its name; or gives
/// it to what it stands for, if that has none outside of its file. Returns the
/// name that is no longer in the module, and the object that it meant.
fn resolve(at: usize, alias: LLVMValueRef) -> Option<(String, LLVMValueRef, bool)> {
    // SAFETY: an alias has a linkage, and stands for a constant of its own type.
    unsafe {
        let mut object = LLVMAliasGetAliasee(alias);
        while !LLVMIsAGlobalAlias(object).is_null() {
            object = LLVMAliasGetAliasee(object);
        }
        let (second, linkage) = (name(alias), LLVMGetLinkage(alias));
        LLVMReplaceAllUsesWith(alias, object);
        set_name(alias, &format!("{GONE}{at}"));
        if LLVMIsAGlobalObject(object).is_null() {
            // A place in the middle of an object, for which C has no other name.
            return None;
        }
        if is_hidden(linkage) || !is_hidden(LLVMGetLinkage(object)) {
            return Some((second, object, !is_hidden(linkage)));
        }
        let first = name(object);
        set_name(object, &second);
        LLVMSetLinkage(object, linkage);
        Some((first, object, false))
    }
}

fn is_hidden(linkage: LLVMLinkage) -> bool {
    matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
}

fn set_name(value: LLVMValueRef, name: &str) {
    // SAFETY: pointer and length belong together.
    unsafe { LLVMSetValueName2(value, name.as_ptr().cast(), name.len()) }
}

fn c_text(text: &str) -> std::ffi::CString {
    std::ffi::CString::new(text).expect("no name has a zero in it")
}
