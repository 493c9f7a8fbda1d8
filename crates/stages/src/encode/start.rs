//! What is there before the first instruction: globals, the objects of the input, and the arguments.

use std::rc::Rc;

use bv::{Domain, Term};
use ir::step::Value;
use ir::{GlobalId, Type, TypeId};

use super::{Encoder, State};
use crate::memory::{Object, Origin, number};
use crate::skeleton::Slot;

/// How the subject is called.
pub(super) struct Start {
    pub(super) arguments: Vec<Value<Term>>,
    /// The object that takes the result, if that is a struct.
    pub(super) result_object: Option<u32>,
    pub(super) state: State,
}

impl Encoder<'_> {
    pub(super) fn start(&mut self) -> Start {
        let mut state = State::default();
        self.inputs.lay_out_objects(self.terms, &mut state.memory);
        self.lay_out_globals(&mut state);
        let program = self.plan.program;
        let signature = &program.function(self.inputs.subject).signature;
        let mut arguments = Vec::new();
        let is_record = |of: &TypeId| matches!(program.of(*of), Type::Record(_));
        let result_object = signature.result.filter(is_record).map(|of| {
            let (object, pointer) = self.hidden(&mut state, program.size(of) as u32);
            arguments.push(Value::of(pointer));
            object
        });
        for (parameter, slot) in signature.parameters.iter().zip(&self.inputs.arguments) {
            let word = match slot {
                Slot::Aggregate(_) => {
                    let (object, pointer) = self.hidden(&mut state, program.size(parameter.of) as u32);
                    let object = state.memory.get_mut(object).expect("it was just made");
                    self.inputs.lay_out(self.terms, object, parameter.of, slot);
                    pointer
                }
                slot => self.inputs.word(self.terms, slot),
            };
            arguments.push(Value::of(word));
        }
        Start { arguments, result_object, state }
    }

    fn lay_out_globals(&mut self, state: &mut State) {
        let program = self.plan.program;
        let alive = self.terms.truth(true);
        for (at, global) in program.globals.iter().enumerate() {
            let id = GlobalId(at as u32);
            let size = self.terms.constant(number(global.contents.len() as u32));
            let mut free = self.inputs.globals.iter().chain(&self.inputs.choice);
            let given = free.find(|(given, _)| *given == id);
            let mut object = match given {
                // It keeps nothing of its initial value, not even between its fields.
                Some((_, slot)) => {
                    let mut object = Object::new(Origin::Global, alive, size, global.contents.len() as u32);
                    self.inputs.lay_out(self.terms, &mut object, global.of, slot);
                    object
                }
                None => Object::filled(Origin::Global, alive, size, Rc::new(global.contents.clone())),
            };
            object.constant = global.constant;
            state.memory.insert(program.global_object(id), object);
        }
    }

    /// An object that no pointer of the input leads to, and a pointer to it.
    fn hidden(&mut self, state: &mut State, size: u32) -> (u32, Term) {
        let object = self.first;
        self.first += 1;
        let alive = self.terms.truth(true);
        let length = self.terms.constant(number(size));
        state.memory.insert(object, Object::new(Origin::Hidden, alive, length, size));
        (object, self.terms.constant(ir::memory::pointer(object)))
    }
}
