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
    let object = (word.bits() >> 32) as u32;
    let name = match program.global_of(object) {
        Some(global) => &program.global(global).name,
        None => &program.function(program.function_of(object)?).name,
    };
    // Not if another one goes by that name, or if the word is something else.
    (constant(program, name) == Some(word)).then_some(name)
}
