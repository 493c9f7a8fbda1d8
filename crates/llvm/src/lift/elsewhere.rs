//! What a file mentions and another file must define, whether or not we can
//! execute the code that mentions it.
//!
//! A test program has to link even if half of the file under test is out of reach. For that
//! it needs a definition of each of these. Their sizes and types matter only to the reader.

use inkwell::llvm_sys::core::LLVMGlobalGetValueType;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};
use ir::Elsewhere;

use super::constant::name;
use super::{Border, Names, external, global, text};

/// Variables that the C library has.
const LIBRARY: [&str; 14] = [
    "__environ",
    "environ",
    "optarg",
    "opterr",
    "optind",
    "optopt",
    "program_invocation_name",
    "program_invocation_short_name",
    "signgam",
    "sys_siglist",
    "daylight",
    "timezone",
    "tzname",
    "in6addr_any",
];

/// All that is not among the functions whose calls are observed.
pub(super) fn elsewhere<'c>(
    module: &Module<'c>,
    names: &Names<'c>,
    border: &mut Border<'c>,
) -> Vec<Elsewhere> {
    let observed: Vec<String> = border.externals.list.iter().map(|external| external.name.clone()).collect();
    let is_missing = |function: &FunctionValue| {
        let name = text(function.get_name());
        let has_body = names.functions.contains_key(&function.as_value_ref());
        !has_body && external::known(*function).is_none() && !observed.contains(&name)
    };
    let missing: Vec<FunctionValue> = external::without_body(module).filter(is_missing).collect();
    let Border { types, externals } = border;
    let functions = missing.into_iter().map(|function| {
        let (parameters, result) = externals.types(function, types);
        Elsewhere { name: text(function.get_name()), of: types.function_of(parameters, result) }
    });
    let mut all: Vec<Elsewhere> = functions.collect();
    for global in variables(module) {
        // SAFETY: a global variable has a type for what it holds.
        let of = externals
            .variable(&name(global), types)
            .unwrap_or_else(|| types.guess(unsafe { LLVMGlobalGetValueType(global) }));
        all.push(Elsewhere { name: name(global), of });
    }
    all
}

/// The variables that nobody here defines.
pub(super) fn variables(module: &Module) -> impl Iterator<Item = LLVMValueRef> {
    let is_missing = |global: &LLVMValueRef| {
        global::unknown(*global).is_some() && !LIBRARY.contains(&name(*global).as_str())
    };
    global::mentioned(module).into_iter().filter(is_missing)
}
