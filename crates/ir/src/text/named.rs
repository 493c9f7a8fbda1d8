//! Constants that have a name: pointers to the start of a global or of a function.

use bv::Word;

use crate::memory::pointer;
use crate::{GlobalId, Program};

/// The pointer to what has this name. Globals come first.
pub(super) fn constant(program: &Program, name: &str) -> Option<Word> {
    let global = program.globals.iter().position(|global| global.name == name);
    let global = global.map(|at| program.global_object(GlobalId(at as u32)));
    let function = || program.named(name).map(|id| program.function_object(id));
    global.or_else(function).map(pointer)
}

/// The name that stands for this word, if one does.
pub(super) fn name(program: &Program, word: Word) -> Option<&str> {
    let object = (word.bits() >> 32) as usize;
    let at = object.checked_sub(1)?;
    let globals = program.globals.len();
    let name = match program.globals.get(at) {
        Some(global) => &global.name,
        None => &program.functions.get(at - globals)?.name,
    };
    // Not if another one goes by that name, or if the word is something else.
    (constant(program, name) == Some(word)).then_some(name)
}
