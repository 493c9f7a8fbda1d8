//! A slice: all of a program that can matter to one subject, with numbers of its own.
//!
//! Functions, globals, types, sites and mutants are numbered in the order in which a
//! walk from the subject meets them. So are the lines of the source. Therefore the
//! text of a slice stays the same when something else in the file changes, or when
//! all of it moves. It contains everything that a run of the subject can reach.
//!
//! The lifted program does not always tell everything: there may be code that we do not
//! execute, volatile memory, or a number that looks like an address. Then the whole
//! program takes the place of the slice, and any change in the file makes another one.

mod number;
mod relocate;

use std::fmt::Write;

use ir::{ExternalId, FunctionId, GlobalId, Mutant, Position, Program, Space, TypeId, is_main};
use settle::Subject;

use number::Numbering;
use relocate::Walk;

/// A program with what its lifted form does not say.
#[derive(Clone, Copy)]
pub struct Whole<'a> {
    pub program: &'a Program,
    /// For each function, those that it mentions.
    pub mentions: &'a [Vec<FunctionId>],
    /// The program in another form, with all that the lifted one leaves out.
    pub text: &'a str,
    /// Whether some number has the bits of an address.
    pub lookalike: bool,
}

pub struct Slice {
    /// The same text means the same task.
    pub text: String,
    pub(crate) functions: Numbering<FunctionId>,
    pub(crate) globals: Numbering<GlobalId>,
    pub(crate) externals: Numbering<ExternalId>,
    pub(crate) types: Numbering<TypeId>,
    pub(crate) places: Numbering<Position>,
    /// Those that the subject judges.
    pub(crate) mutants: Numbering<Mutant>,
}

impl Slice {
    /// All that a subject can come to, given the inputs that it is run on.
    pub fn new(whole: Whole, subject: &Subject, space: &Space) -> Slice {
        let mut walk = Walk::new(whole, subject);
        walk.slice.functions.number(subject.function);
        space.globals.iter().for_each(|global| _ = walk.slice.globals.number(*global));
        let mut slice = match walk.finish() {
            Some(slice) => slice,
            None => Slice::of_all(whole, &subject.mutants),
        };
        let Slice { functions, globals, .. } = &slice;
        // In full, so that whoever adds something is reminded of it here.
        let Space { size, pointers, depth, may_alias, globals: inputs, functions: named } = space;
        let nameable = |id: &FunctionId| named.as_ref().is_none_or(|named| named.contains(id));
        let nameable: Vec<bool> = functions.ids().iter().map(nameable).collect();
        let inputs: Vec<Option<u32>> = inputs.iter().map(|id| globals.of(id)).collect();
        let escaping: Vec<(Option<u32>, &str)> = subject
            .escaping
            .iter()
            .map(|(mutant, function)| {
                (slice.mutants.of(mutant), whole.program.function(*function).name.as_str())
            })
            .filter(|(mutant, _)| mutant.is_some())
            .collect();
        // Which of them can be duplicates of each other.
        let peers = subject.peers(subject.mutants.iter().copied());
        let peers: Vec<Vec<Option<u32>>> =
            peers.iter().map(|group| group.iter().map(|mutant| slice.mutants.of(mutant)).collect()).collect();
        // What it is given, and when, is known only of where a program begins.
        let starts = is_main(whole.program, subject.function);
        let end = format!(
            "subject {:?} starts {starts}\nmutants {}\npeers {peers:?}\nescaping {escaping:?}\nsize {size} pointers {pointers} depth {depth} alias {may_alias:?} globals {inputs:?} nameable {nameable:?}\n",
            functions.of(&subject.function),
            subject.mutants.len(),
        );
        slice.text += &end;
        slice
    }

    /// The whole program in place of a slice: every number is what it is.
    pub fn of_all(whole: Whole, mutants: &[Mutant]) -> Slice {
        let program = whole.program;
        let Program { functions, sites: _, types, globals, externals, volatile, thread_local: _, mixed } =
            program;
        let mut text = format!("{program}\n{volatile:?} {mixed}\n{:?}\n", whole.mentions);
        let _ = write!(text, "mutants {mutants:?}\n{}\n", whole.text);
        Slice {
            text,
            functions: Numbering::first(functions.len(), FunctionId),
            globals: Numbering::first(globals.len(), GlobalId),
            externals: Numbering::first(externals.len(), ExternalId),
            types: Numbering::first(types.len(), TypeId),
            places: relocate::places(program),
            mutants: Numbering::of_list(mutants),
        }
    }

    /// The number of a mutant in the slice.
    pub fn number(&self, mutant: Mutant) -> Option<u32> {
        self.mutants.of(&mutant)
    }
}

#[cfg(test)]
mod tests;
