//! Tests that include the file under test, linked with the meta-mutant.
//!
//! Such tests can call static functions and name everything that the file has. Clang compiles them with the
//! real file in them. Then each function of the file loses its body and becomes the one of the meta-mutant,
//! which has names for its static functions, too. So has each variable that others can name. All other
//! variables of the file are used by its own functions only, and these now use those of the meta-mutant.

use std::ffi::CString;

use inkwell::context::Context;
use inkwell::llvm_sys::core::{
    LLVMAddFunction, LLVMEraseGlobalIFunc, LLVMGetFirstGlobalIFunc, LLVMGetNextGlobalIFunc,
    LLVMGlobalGetValueType, LLVMReplaceAllUsesWith, LLVMSetInitializer, LLVMSetValueName2,
};
use inkwell::module::{Linkage, Module};
use inkwell::targets::FileType;
use inkwell::values::{AsValueRef, FunctionValue};

use super::{Contents, PROGRAM_MAIN};
use crate::native::machine;
use crate::{Error, alias, lift, parse_bitcode, parse_text, verify};

/// How the name of a static function begins in the meta-mutant for tests. The C library may have one of the
/// name that it has in the file.
const STATIC: &str = "__whet_static_";

/// What clang keeps about what runs before `main`. The meta-mutant has it as well.
const STARTUP: [&str; 4] = ["llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used"];

/// Lets tests call the static ones of these functions.
pub(super) fn open(functions: &[FunctionValue]) {
    for function in functions.iter().filter(|function| function.get_linkage() == Linkage::Internal) {
        function.as_global_value().set_name(&format!("{STATIC}{}", name(*function)));
        function.set_linkage(Linkage::External);
    }
}

/// Tests as an object file that takes functions and variables from the meta-mutant.
pub(super) fn without_bodies(bitcode: &[u8], contents: &Contents) -> Result<Vec<u8>, Error> {
    let context = Context::create();
    // A second name of a function must not outlive its body.
    let module = match alias::resolved(bitcode)? {
        Some((text, _)) => parse_text(&context, &text)?,
        None => parse_bitcode(&context, bitcode)?,
    };
    for startup in STARTUP.iter().filter_map(|name| module.get_global(name)) {
        // SAFETY: nothing uses what only the linker reads.
        unsafe { startup.delete() };
    }
    forget_resolvers(&module);
    let own = |name: &String| if name == "main" { PROGRAM_MAIN.to_string() } else { name.clone() };
    let is_defined = |function: &FunctionValue| function.count_basic_blocks() > 0;
    let names = contents.functions.iter().map(own);
    let of_file: Vec<FunctionValue> =
        names.filter_map(|name| module.get_function(&name)).filter(is_defined).collect();
    for function in &of_file {
        declare(&module, *function);
    }
    for function in of_file {
        // SAFETY: `declare` has put another one in all places where it was used.
        unsafe { function.delete() };
    }
    for variable in contents.variables.iter().filter_map(|name| module.get_global(name)) {
        variable.set_linkage(Linkage::External);
        // SAFETY: without a value it is a declaration.
        unsafe { LLVMSetInitializer(variable.as_value_ref(), std::ptr::null_mut()) };
    }
    verify(&module, "the tests that include the file")?;
    let machine = machine::target_machine(&module).map_err(Error::Internal)?;
    let object = machine.write_to_memory_buffer(&module, FileType::Object);
    let object = object.map_err(|message| Error::Internal(message.to_string()))?;
    Ok(object.as_slice().to_vec())
}

/// What a resolver chooses when the program starts is chosen by the one of the meta-mutant.
fn forget_resolvers(module: &Module) {
    // SAFETY: the module is ours. Each of them is gone before the next one is asked for, and the declaration
    // in its place has its type.
    unsafe {
        let context = module.as_mut_ptr();
        let mut ifunc = LLVMGetFirstGlobalIFunc(context);
        while !ifunc.is_null() {
            let next = LLVMGetNextGlobalIFunc(ifunc);
            let chosen = lift::name(ifunc);
            LLVMSetValueName2(ifunc, c"".as_ptr(), 0);
            let chosen = CString::new(chosen).expect("a name of C has no zero byte");
            let declared = LLVMAddFunction(context, chosen.as_ptr(), LLVMGlobalGetValueType(ifunc));
            LLVMReplaceAllUsesWith(ifunc, declared);
            LLVMEraseGlobalIFunc(ifunc);
            ifunc = next;
        }
    }
}

/// Puts a declaration of the meta-mutant's function in all places where one of the file is used.
fn declare<'c>(module: &Module<'c>, function: FunctionValue<'c>) {
    let own = name(function);
    let name =
        if function.get_linkage() == Linkage::Internal { format!("{STATIC}{own}") } else { own.clone() };
    function.as_global_value().set_name(&format!("whet.own.{own}"));
    let declared = module.add_function(&name, function.get_type(), Some(Linkage::External));
    declared.set_call_conventions(function.get_call_conventions());
    // SAFETY: both are functions of one type.
    unsafe { LLVMReplaceAllUsesWith(function.as_value_ref(), declared.as_value_ref()) };
}

fn name(function: FunctionValue) -> String {
    function.get_name().to_string_lossy().into_owned()
}
