//! Doors: functions of ours in C, through which a caller reaches a function that takes or returns structs.
//!
//! Only the compiler knows how a struct is passed, so the compiler writes the code. The text of the doors
//! goes to the end of the user's file, where all its types are known, and clang compiles both together. The
//! same text asks for the types of functions that have no body, because clang tells them in no other way.

use std::collections::BTreeSet;

use inkwell::module::Module;
use inkwell::values::FunctionValue;

use super::external;
use super::{signature, text, user_functions};

const PREFIX: &str = "__whet_door_";

/// What to add to the user's file, in parts that do not need each other.
/// `names` are those that are known at its end.
pub(crate) fn appendix(module: &Module, names: &BTreeSet<String>) -> Vec<String> {
    let in_need = |function: &FunctionValue| {
        function.get_name().to_bytes() != b"main" && signature::needs_door(*function)
    };
    let functions = user_functions(module).filter(in_need);
    let doors = functions.filter_map(|function| signature::door(function, &name(function)));
    doors.chain(external::question(module, names)).collect()
}

/// What the door to a function is called.
pub(super) fn name(function: FunctionValue) -> String {
    format!("{PREFIX}{}", text(function.get_name()))
}

pub(super) fn doors<'c>(module: &Module<'c>) -> impl Iterator<Item = FunctionValue<'c>> {
    let is_door = |function: &FunctionValue| function.get_name().to_bytes().starts_with(PREFIX.as_bytes());
    module.get_functions().filter(move |function| function.count_basic_blocks() > 0 && is_door(function))
}
