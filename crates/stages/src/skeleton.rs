//! Inputs as variables: the shape of every input that the types allow, up to a size.
//!
//! Each number is a variable, and so is each choice: whether a pointer is null, how many elements an object
//! has, which function a pointer names. A model of the solver is an input, and an input is an assignment to
//! the variables (`skeleton/model.rs`). Elements beyond the end of an object are in memory, but out of
//! bounds.
//!
//! Which inputs there are is in [`ir::Space`]; `assumptions` says which inputs are left out.

mod build;
mod layout;
mod model;
mod special;

use std::rc::Rc;

use bv::Term;
use ir::{ExternalId, FunctionId, GlobalId, Program, TypeId};

pub(crate) use build::{RESULTS, sharing};

use crate::memory::FirstWords;

/// All inputs of a subject.
#[derive(Clone)]
pub struct Skeleton<'p> {
    pub(crate) program: &'p Program,
    pub(crate) subject: FunctionId,
    pub(crate) arguments: Vec<Slot>,
    pub(crate) objects: Vec<InputObject>,
    pub(crate) globals: Vec<(GlobalId, Slot)>,
    /// The choices of the C library. They are no part of an input.
    pub(crate) choice: Option<(GlobalId, Slot)>,
    /// What functions without a body return, in the order of their calls.
    pub(crate) results: Vec<(ExternalId, Vec<Slot>)>,
    /// What always holds of the variables.
    pub constraint: Term,
    /// The most elements of an object, which may be fewer than asked for.
    pub(crate) size: u32,
    /// How many variables there are. They come before all others of the graph.
    pub(crate) variables: usize,
}

/// A place for a datum.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    Word(Term),
    Null,
    Pointer(InputPointer),
    /// The candidate with this number, or null if there is none.
    Function {
        choice: Term,
        candidates: Vec<FunctionId>,
    },
    Aggregate(Vec<Slot>),
}

#[derive(Clone, Debug)]
pub(crate) struct InputPointer {
    /// A truth value: it is not null.
    present: Term,
    /// Its own object, by position.
    object: usize,
    shared: Option<Sharing>,
    /// How many bytes from the start of its own object it points; None: to the start.
    offset: Option<Term>,
}

/// A pointer may lead into the object of another parameter.
#[derive(Clone, Copy, Debug)]
struct Sharing {
    /// A truth value: it does.
    holds: Term,
    /// The object of the other parameter, by position.
    object: usize,
    /// The element that it points to.
    element: Term,
}

/// An object of the input.
#[derive(Clone, Debug)]
pub(crate) struct InputObject {
    pub(crate) of: TypeId,
    pub(crate) constant: bool,
    /// How many elements there are, a word of 32 bits; at least one.
    count: Term,
    elements: Vec<Slot>,
    /// In place of elements, if there may be any number of them.
    words: Option<Rc<FirstWords>>,
}

impl Skeleton<'_> {
    /// The variable of a global that is a number.
    pub(crate) fn global(&self, id: GlobalId) -> Option<Term> {
        self.globals.iter().find_map(|(global, slot)| match slot {
            Slot::Word(term) if *global == id => Some(*term),
            _ => None,
        })
    }

    /// What objects of any size hold at first.
    pub(crate) fn first_words(&self) -> impl Iterator<Item = &Rc<FirstWords>> {
        self.objects.iter().filter_map(|object| object.words.as_ref())
    }

    /// The same inputs with other terms in place of the variables.
    pub(crate) fn mapped(&self, change: &mut dyn FnMut(Term) -> Term) -> Self {
        let objects = self.objects.iter().map(|object| InputObject {
            count: change(object.count),
            elements: object.elements.iter().map(|slot| slot.mapped(change)).collect(),
            ..object.clone()
        });
        let objects = objects.collect();
        Skeleton {
            arguments: self.arguments.iter().map(|slot| slot.mapped(change)).collect(),
            objects,
            globals: self.globals.iter().map(|(id, slot)| (*id, slot.mapped(change))).collect(),
            choice: self.choice.as_ref().map(|(id, slot)| (*id, slot.mapped(change))),
            results: self
                .results
                .iter()
                .map(|(id, slots)| (*id, slots.iter().map(|slot| slot.mapped(change)).collect()))
                .collect(),
            constraint: change(self.constraint),
            ..*self
        }
    }
}

impl Slot {
    fn mapped(&self, change: &mut dyn FnMut(Term) -> Term) -> Slot {
        match self {
            Slot::Word(term) => Slot::Word(change(*term)),
            Slot::Null => Slot::Null,
            Slot::Pointer(pointer) => Slot::Pointer(InputPointer {
                present: change(pointer.present),
                object: pointer.object,
                shared: pointer.shared.map(|sharing| Sharing {
                    holds: change(sharing.holds),
                    element: change(sharing.element),
                    ..sharing
                }),
                offset: pointer.offset.map(change),
            }),
            Slot::Function { choice, candidates } => {
                Slot::Function { choice: change(*choice), candidates: candidates.clone() }
            }
            Slot::Aggregate(slots) => Slot::Aggregate(slots.iter().map(|slot| slot.mapped(change)).collect()),
        }
    }
}
