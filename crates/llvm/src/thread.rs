//! Thread-local variables, as a program with one thread sees them: plain variables.
//!
//! Everything that we run has one thread. So a `_Thread_local` variable becomes a plain one before anybody
//! looks at the module, and a call that asks for its address becomes the address. But tests are linked with
//! the user's own object file, where the variable is thread-local. So the module keeps a list of the names,
//! tests declare them as thread-local, and what tests are linked with gets the variables back ([`put_back`]).

use inkwell::llvm_sys::core::{LLVMGetOperand, LLVMInstructionEraseFromParent, LLVMReplaceAllUsesWith};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, BasicMetadataValueEnum, MetadataValue};

use crate::lift::users;

/// Where the module keeps the names.
const LIST: &str = "whet.thread_local";

/// What clang calls for the address of a thread-local variable.
const ADDRESS: &str = "llvm.threadlocal.address.";

/// Makes all thread-local variables plain ones.
pub(crate) fn make_plain(module: &Module) {
    let context = module.get_context();
    for global in module.get_globals().filter(|global| global.is_thread_local()) {
        global.set_thread_local(false);
        let name = context.metadata_string(&global.get_name().to_string_lossy());
        let node = context.metadata_node(&[BasicMetadataValueEnum::MetadataValue(name)]);
        let _ = module.add_global_metadata(LIST, &node);
    }
    let is_address = |name: &std::ffi::CStr| name.to_string_lossy().starts_with(ADDRESS);
    for intrinsic in module.get_functions().filter(|function| is_address(function.get_name())) {
        for call in users(intrinsic.as_value_ref()) {
            // SAFETY: only calls use an intrinsic, and the first operand of this one is the variable.
            unsafe {
                LLVMReplaceAllUsesWith(call.as_value_ref(), LLVMGetOperand(call.as_value_ref(), 0));
                LLVMInstructionEraseFromParent(call.as_value_ref());
            }
        }
    }
}

/// The names of the variables that are thread-local in the user's program.
pub(crate) fn names(module: &Module) -> Vec<String> {
    let text = |value: BasicMetadataValueEnum| match value {
        BasicMetadataValueEnum::MetadataValue(value) => {
            value.get_string_value().map(|text| String::from_utf8_lossy(text).into_owned())
        }
        _ => None,
    };
    let name = |node: MetadataValue| node.get_node_values()?.into_iter().find_map(text);
    module.get_global_metadata(LIST).into_iter().filter_map(name).collect()
}

/// Makes the variables what they are in the user's program.
pub(crate) fn put_back(module: &Module) {
    for global in names(module).iter().filter_map(|name| module.get_global(name)) {
        global.set_thread_local(true);
    }
}
