//! Instructions that have to do with memory or with the outside, and what is there before the first of them.

use std::rc::Rc;

use bv::{Domain, Op, Term, Terms, Word};
use ir::step::{self, Faults, Value};
use ir::{Action, Fault, Function, FunctionId, GlobalId, Instruction, Position, Type};

use super::memory::{Access, Trouble};
use super::object::{self, Object, Origin};
use super::outside;
use super::possible::Possible;
use super::{Arrival, Called, Encoder, Place, Return, State};
use crate::skeleton::Slot;

/// An object of unknown size on the heap has room for so many bytes; who asks for more is cut.
const HEAP: u32 = 256;

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

    /// Executes an instruction that has to do with memory or with the outside.
    pub(super) fn touch(
        &mut self,
        function: &Function,
        instruction: &Instruction,
        arrival: &mut Arrival,
        place: &Place,
        faults: &mut Faults<Term>,
    ) -> Result<Option<Value<Term>>, Trouble> {
        let mut operands = Vec::new();
        for operand in instruction.action.operands() {
            operands.push(self.value(arrival, *operand));
        }
        // All are used, but for what is stored or filled in, which may be unassigned.
        let kept = match &instruction.action {
            Action::Store { .. } | Action::Fill { .. } => Some(1),
            _ => None,
        };
        let passes = matches!(instruction.action, Action::CallPointer { .. });
        let mut words = Vec::new();
        for (at, value) in operands.iter().enumerate() {
            let used = kept != Some(at) && !(passes && at > 0);
            words.push(if used { step::used(self.terms, *value, faults) } else { value.word });
        }
        let mut access = Access { terms: self.terms, possible: &mut self.possible, faults: vec![] };
        let memory = &mut arrival.state.memory;
        let value = match &instruction.action {
            Action::Local { .. } => Some(self.make(arrival, Origin::Local, words[0], place)?),
            Action::Allocate { .. } => Some(self.make(arrival, Origin::Heap, words[0], place)?),
            Action::Offset { .. } => {
                Some(step::offset(access.terms, Value::of(words[0]), Value::of(words[1]), faults))
            }
            Action::Load { width, .. } => {
                let loaded = memory.load(&mut access, words[0], width.div_ceil(8))?;
                faults.append(&mut access.faults);
                Some(object::slice(self.terms, &loaded, 0, *width))
            }
            Action::Store { .. } => {
                let value = whole_bytes(access.terms, operands[1]);
                memory.store(&mut access, words[0], value)?;
                faults.append(&mut access.faults);
                None
            }
            Action::Copy { overlap, .. } => {
                memory.copy(&mut access, words[0], words[1], words[2], *overlap)?;
                faults.append(&mut access.faults);
                None
            }
            Action::Fill { .. } => {
                let byte = object::slice(access.terms, &operands[1], 0, 8);
                memory.fill(&mut access, words[0], byte, words[2])?;
                faults.append(&mut access.faults);
                None
            }
            Action::Free { .. } => {
                memory.free(&mut access, words[0])?;
                faults.append(&mut access.faults);
                None
            }
            Action::Extent { .. } => {
                let size = memory.extent(&mut access, words[0])?;
                faults.append(&mut access.faults);
                Some(Value::of(size))
            }
            Action::CallPointer { .. } => {
                let result = instruction.result.map(|register| function.registers[register.0 as usize]);
                return self.call_pointer(
                    words[0],
                    &operands[1..],
                    result,
                    arrival,
                    place,
                    instruction.at,
                    faults,
                );
            }
            Action::External { external, arguments } => {
                let (value, more) = outside::call(
                    self.plan.program,
                    self.inputs,
                    &mut access,
                    &mut arrival.state,
                    *external,
                    arguments,
                    &words,
                )?;
                faults.append(&mut access.faults);
                self.cut_if(arrival, more);
                value.map(Value::of)
            }
            Action::Check { fault, .. } => {
                step::check(access.terms, Value::of(words[0]), *fault, faults);
                None
            }
            Action::Apply { .. }
            | Action::Site { .. }
            | Action::Call { .. }
            | Action::Stop(_)
            | Action::Unsupported(_) => unreachable!("the loop takes care of these"),
        };
        Ok(value)
    }

    /// Gives up on the part of a path that goes beyond what we represent.
    fn cut_if(&mut self, arrival: &mut Arrival, condition: Term) {
        if self.is_never(condition) {
            return;
        }
        let beyond = self.terms.and(arrival.guard, condition);
        self.cut = self.terms.or(self.cut, beyond);
        let within = self.terms.not(condition);
        arrival.guard = self.terms.and(arrival.guard, within);
    }

    /// A new object.
    fn make(
        &mut self,
        arrival: &mut Arrival,
        origin: Origin,
        size: Term,
        place: &Place,
    ) -> Result<Value<Term>, Trouble> {
        let capacity = match self.possible.of(self.terms, size) {
            Possible::Few(sizes) => sizes.last().copied().unwrap_or(0),
            Possible::Steps { .. } => u64::from(HEAP),
        };
        let capacity = if capacity > LARGEST { u64::from(HEAP) } else { capacity };
        let most = self.terms.constant(Word::new(64, capacity.into()));
        let larger = self.terms.apply(Op::Ugt, &[size, most]);
        self.cut_if(arrival, larger);
        let next = self.first + self.numbers.objects.len() as u32;
        let key = (place.activation, place.key.clone(), place.instruction);
        let number = *self.numbers.objects.entry(key).or_insert(next);
        let size = self.terms.apply(Op::Extract { hi: 31, lo: 0 }, &[size]);
        let alive = self.terms.truth(true);
        arrival.state.memory.insert(number, Object::new(origin, alive, size, capacity as u32));
        Ok(Value::of(self.terms.constant(ir::memory::pointer(number))))
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
    fn call_pointer(
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
        let first = u64::from(program.function_object(FunctionId(0)));
        let zero = self.terms.constant(Word::zero(32));
        let inside = self.terms.apply(Op::Ne, &[pointer.offset, zero]);
        faults.push((Fault::InvalidCall, inside));
        let mut merged: Option<Return> = None;
        let widths: Vec<u32> = arguments.iter().map(|value| self.terms.width(&value.word)).collect();
        for number in numbers {
            let constant = self.terms.constant(Word::new(32, number.into()));
            let chosen = self.terms.equal(pointer.object, constant);
            let id = number.checked_sub(first).filter(|id| (*id as usize) < program.functions.len());
            let id = id.map(|id| FunctionId(id as u32));
            let id = id.filter(|id| program.function(*id).takes(widths.iter().copied(), result));
            let Some(id) = id else {
                faults.push((Fault::InvalidCall, chosen));
                continue;
            };
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

/// A value with zeros on top, as it is stored.
fn whole_bytes(terms: &mut Terms, value: Value<Term>) -> Value<Term> {
    let width = terms.width(&value.word);
    let bytes = width.div_ceil(8) * 8;
    if width == bytes {
        return value;
    }
    let mut widen = |term: Term| terms.apply(Op::Zext(bytes), &[term]);
    Value { word: widen(value.word), undefined: value.undefined.map(&mut widen) }
}
