//! Instructions that have to do with memory or with the outside, and what is there before the first of them.

use std::rc::Rc;

use bv::{Domain, Term, Terms, Word};
use ir::engine::{Engine, Life};
use ir::rules::{self, Call};
use ir::step::{Faults, Value};
use ir::{Argument, ExternalId, FunctionId, GlobalId, Operand, Position, SiteId, Type};

use super::memory::{Access, Memory, Trouble};
use super::object::{Object, Origin};
use super::outside;
use super::possible::Possible;
use super::{Arrival, Called, Cut, Encoder, Place, Return, State};
use crate::skeleton::Slot;

/// An object of unknown size on the heap has room for so many bytes; who asks for more is cut.
pub const HEAP: u32 = 256;

/// And none of known size for more than that.
const LARGEST: u64 = 1 << 16;

impl Encoder<'_, '_, '_> {
    pub(super) fn lay_out_globals(&mut self, state: &mut State) {
        let program = self.plan.program;
        let alive = self.terms.truth(true);
        for (at, global) in program.globals.iter().enumerate() {
            let id = GlobalId(at as u32);
            let size = self.terms.constant(Word::new(32, global.contents.len() as u128));
            let given = self.inputs.globals.iter().find(|(given, _)| *given == id);
            // What is given leaves nothing of the initial value, not even in the bits that belong to no field.
            let bytes = given.map_or_else(|| global.contents.clone(), |_| vec![0; global.contents.len()]);
            let mut object = Object::filled(Origin::Global, alive, size, Rc::new(bytes));
            object.constant = global.constant;
            if let Some((_, slot)) = given {
                self.inputs.lay_out(program, self.terms, &mut object, global.of, slot, 0);
            }
            state.memory.insert(program.global_object(id), object);
        }
    }

    /// What the subject is called with, and the object that takes its result if that is a struct.
    pub(super) fn arguments(
        &mut self,
        subject: FunctionId,
        state: &mut State,
    ) -> (Vec<Value<Term>>, Option<u32>) {
        let program = self.plan.program;
        let signature = &program.function(subject).signature;
        let mut arguments = Vec::new();
        let is_record = |of: &ir::TypeId| matches!(program.of(*of), Type::Record(_));
        let result_object = signature.result.filter(is_record).map(|of| {
            let (number, pointer) = self.hidden(state, program.size(of) as u32);
            arguments.push(Value::of(pointer));
            number
        });
        for (parameter, slot) in signature.parameters.iter().zip(&self.inputs.arguments) {
            let word = match slot {
                Slot::Aggregate(_) => {
                    let (number, pointer) = self.hidden(state, program.size(parameter.of) as u32);
                    let object = state.memory.get_mut(number).expect("it was just made");
                    object.start = Rc::new(vec![0; object.capacity as usize]);
                    self.inputs.lay_out(program, self.terms, object, parameter.of, slot, 0);
                    pointer
                }
                slot => self.inputs.word(program, self.terms, slot),
            };
            arguments.push(Value::of(word));
        }
        (arguments, result_object)
    }

    /// An object that no pointer of the input leads to.
    fn hidden(&mut self, state: &mut State, size: u32) -> (u32, Term) {
        let number = self.first;
        self.first += 1;
        let alive = self.terms.truth(true);
        let length = self.terms.constant(Word::new(32, size.into()));
        state.memory.insert(number, Object::new(Origin::Hidden, alive, length, size));
        (number, self.terms.constant(ir::memory::pointer(number)))
    }

    /// Gives up on the part of a path that goes beyond what we represent.
    fn cut_if(&mut self, arrival: &mut Arrival, condition: Term, by: Cut) {
        if self.is_never(condition) {
            return;
        }
        let beyond = self.terms.and(arrival.guard, condition);
        self.cut(beyond, by);
        let within = self.terms.not(condition);
        arrival.guard = self.terms.and(arrival.guard, within);
    }

    /// Ends the life of what an activation has made for itself.
    pub(super) fn without_locals(&mut self, activation: u32, mut state: State) -> State {
        let never = self.terms.truth(false);
        for ((maker, _, _), number) in &self.numbers.objects {
            if *maker == activation
                && state.memory.get(*number).is_some_and(|object| object.origin == Origin::Local)
            {
                let object = state.memory.get_mut(*number).expect("it is there");
                object.alive = never;
                object.forget();
            }
        }
        state
    }

    /// Calls whichever function a pointer names.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn call_pointer(
        &mut self,
        pointer: Term,
        arguments: &[Value<Term>],
        result: Option<u32>,
        arrival: &mut Arrival,
        place: &Place,
        at: Option<Position>,
        faults: &mut Faults<Term>,
    ) -> Result<Option<Value<Term>>, Trouble> {
        let mut access = Access { terms: self.terms, possible: &mut self.possible, faults: vec![] };
        let pointer = access.split(pointer);
        let Possible::Few(numbers) = self.possible.of(self.terms, pointer.object) else {
            return Err(Trouble::UnknownPointer);
        };
        let program = self.plan.program;
        let mut merged: Option<Return> = None;
        let widths: Vec<u32> = arguments.iter().map(|value| self.terms.width(&value.word)).collect();
        let call = Call { arguments: &widths, result };
        for number in numbers {
            let constant = self.terms.constant(Word::new(32, number.into()));
            let chosen = self.terms.equal(pointer.object, constant);
            let (offset, when) = (&pointer.offset, Some(&chosen));
            let id = rules::call(self.terms, program, number as u32, offset, call, when, faults);
            let Some(id) = id else { continue };
            let guard = self.terms.and(arrival.guard, chosen);
            let called = Called { activation: self.activation(place, id), at };
            let (guard, value, state) =
                self.call(id, arguments.to_vec(), guard, arrival.state.clone(), called);
            let way = Return { guard, value, state };
            merged = Some(match merged {
                None => way,
                Some(kept) => self.either(way, kept),
            });
        }
        // The faults count where the call is made, not where it returns.
        let before = std::mem::take(faults);
        self.note(arrival.guard, before, at);
        match merged {
            Some(Return { guard, value, state }) => {
                arrival.guard = guard;
                arrival.state = state;
                Ok(value)
            }
            None => {
                arrival.guard = self.terms.truth(false);
                Ok(None)
            }
        }
    }
}

/// The encoder while it executes an instruction of a path.
pub(super) struct Touching<'t, 'a, 'b, 'j> {
    pub encoder: &'t mut Encoder<'a, 'b, 'j>,
    pub arrival: &'t mut Arrival,
    pub place: &'t Place<'t>,
}

impl Touching<'_, '_, '_, '_> {
    /// Does something with memory, and notes what is wrong with it.
    fn with_memory<T>(
        &mut self,
        faults: &mut Faults<Term>,
        work: impl FnOnce(&mut Memory, &mut Access) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let Encoder { terms, possible, .. } = &mut *self.encoder;
        let mut access = Access { terms, possible, faults: std::mem::take(faults) };
        let done = work(&mut self.arrival.state.memory, &mut access);
        *faults = access.faults;
        done
    }
}

impl Engine for Touching<'_, '_, '_, '_> {
    type Domain = Terms;
    type Trouble = Trouble;

    fn domain(&mut self) -> &mut Terms {
        self.encoder.terms
    }

    fn value(&mut self, operand: Operand) -> Value<Term> {
        self.encoder.value(self.arrival, operand)
    }

    fn site(&mut self, site: SiteId, arguments: &[Operand], faults: &mut Faults<Term>) -> Value<Term> {
        let arguments = self.encoder.values(self.arrival, arguments);
        self.encoder.site(site, arguments, self.arrival.guard, faults)
    }

    fn make(&mut self, size: Term, life: Life) -> Result<Term, Trouble> {
        let Touching { encoder, arrival, place } = self;
        let capacity = match encoder.possible.of(encoder.terms, size) {
            Possible::Few(sizes) => sizes.last().copied().unwrap_or(0),
            Possible::Steps { .. } => u64::from(HEAP),
        };
        let capacity = if capacity > LARGEST { u64::from(HEAP) } else { capacity };
        let most = encoder.terms.constant(Word::new(64, capacity.into()));
        let larger = encoder.terms.ugt(size, most);
        encoder.cut_if(arrival, larger, Cut::Heap);
        let next = encoder.first + encoder.numbers.objects.len() as u32;
        let key = (place.activation, place.key.clone(), place.instruction);
        let number = *encoder.numbers.objects.entry(key).or_insert(next);
        let size = encoder.terms.extract(size, 31, 0);
        let alive = encoder.terms.truth(true);
        let origin = match life {
            Life::Local => Origin::Local,
            Life::Heap => Origin::Heap,
        };
        arrival.state.memory.insert(number, Object::new(origin, alive, size, capacity as u32));
        Ok(encoder.terms.constant(ir::memory::pointer(number)))
    }

    fn load(&mut self, pointer: Term, bytes: u32, faults: &mut Faults<Term>) -> Result<Value<Term>, Trouble> {
        self.with_memory(faults, |memory, access| memory.load(access, pointer, bytes))
    }

    fn store(&mut self, pointer: Term, value: Value<Term>, faults: &mut Faults<Term>) -> Result<(), Trouble> {
        self.with_memory(faults, |memory, access| memory.store(access, pointer, value))
    }

    fn copy(
        &mut self,
        to: Term,
        from: Term,
        length: Term,
        overlap: bool,
        faults: &mut Faults<Term>,
    ) -> Result<(), Trouble> {
        self.with_memory(faults, |memory, access| memory.copy(access, to, from, length, overlap))
    }

    fn fill(
        &mut self,
        to: Term,
        byte: Value<Term>,
        length: Term,
        faults: &mut Faults<Term>,
    ) -> Result<(), Trouble> {
        self.with_memory(faults, |memory, access| memory.fill(access, to, byte, length))
    }

    fn free(&mut self, pointer: Term, faults: &mut Faults<Term>) -> Result<(), Trouble> {
        self.with_memory(faults, |memory, access| memory.free(access, pointer))
    }

    fn extent(&mut self, pointer: Term, faults: &mut Faults<Term>) -> Result<Term, Trouble> {
        self.with_memory(faults, |memory, access| memory.extent(access, pointer))
    }

    fn external(
        &mut self,
        external: ExternalId,
        arguments: &[Argument],
        words: &[Term],
        faults: &mut Faults<Term>,
    ) -> Result<Option<Term>, Trouble> {
        let Encoder { plan, terms, possible, inputs, .. } = &mut *self.encoder;
        let mut access = Access { terms, possible, faults: std::mem::take(faults) };
        let state = &mut self.arrival.state;
        let called = outside::call(plan.program, inputs, &mut access, state, external, arguments, words);
        *faults = access.faults;
        let (value, more) = called?;
        self.encoder.cut_if(self.arrival, more, Cut::Results);
        Ok(value)
    }

    fn unsupported(&mut self, what: &str) -> Trouble {
        Trouble::Unsupported(what.to_string())
    }
}
