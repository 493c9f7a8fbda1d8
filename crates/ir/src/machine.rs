//! The machine: a run of a program, one path from entry to end, in any domain whose words have values.
//!
//! Plain words make it the interpreter ([`crate::interpret`]), which is the definition
//! of what a program does. A domain may keep more of a word than its value, such as a
//! term over the inputs. Then [`Running::decide`] tells the domain where the path
//! depends on a word, and the same run gives the terms and the conditions of its path.
//!
//! A run has fuel, one unit for each block entered. The native build burns the
//! same units at the same places, so both agree on what runs for too long.
//!
//! The original is held to the rules of C: the first fault ends the run, and the input is
//! invalid. A mutant runs as its binary would. It goes on after a fault if the machine does.
//! Where nobody knows what a binary does, the run has no outcome that could be compared.
//!
//! A run that comes back to an earlier state never ends. For most loops and recursions
//! that make no progress this is seen at once, without burning all the fuel.

use std::ops::Range;
use std::sync::Arc;

use bv::{Concrete, Domain, Word};
use smallvec::SmallVec;
use source::Position;

use crate::command_line::is_command_line;
use crate::engine::{self, Engine, Life};
use crate::interpret::{Infection, Misdeed, Outcome, Run};
use crate::machine::border::Border;
pub use crate::machine::repeats::Repeats;
use crate::machine::repetition::Repetition;
use crate::memory::{self, Memory};
use crate::rules::{self, Access, Call};
use crate::step::{self, Faults, Value};
use crate::{
    Action, Argument, Block, Edge, Effect, End, ExternalId, Fault, Function, FunctionId, Input, Instruction,
    Mutant, Operand, Program, Register, SiteId, Type,
};

/// Blocks of the library that a run may enter: ten for each block of the longest run, or a tenth of a second.
/// They burn no fuel, because the machine has another library. But a width of a billion for `snprintf` must
/// not take for ever.
const LIBRARY: u64 = 1_000_000;

/// A domain in which programs run: each word has a value.
pub trait Running: Domain {
    /// A value as a register keeps it. Two that are equal go on in the same way.
    type Slot: Clone + PartialEq;
    /// What is kept beside the bytes of an object.
    type Beside: Clone + Default;

    fn keep(value: Value<Self::Word>) -> Self::Slot;
    fn kept(slot: &Self::Slot) -> Value<Self::Word>;

    /// The value of a word.
    fn now(&self, word: &Self::Word) -> Word;

    /// The value of a word by which the run decides how to go on, or which place it means.
    fn decide(&mut self, word: &Self::Word) -> Word;

    /// A word that the input says.
    fn given(&mut self, what: Given, word: Word) -> Self::Word;

    /// What is read at a place, given its value.
    fn read(&mut self, beside: &Self::Beside, at: usize, value: Value<Word>) -> Value<Self::Word>;

    /// Notes what is written to a place.
    fn write(&mut self, beside: &mut Self::Beside, at: usize, value: &Value<Self::Word>);

    /// Notes that some bytes are copied to a place.
    fn copy(&mut self, from: &Self::Beside, range: Range<usize>, to: &mut Self::Beside, at: usize);
}

/// What an input says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// The argument at this place.
    Argument(usize),
    /// What a function without a body returns when it is called for this time, from zero.
    Result(ExternalId, usize),
}

/// A register of the interpreter. A value would take more than twice the space, and copying values was
/// most of the time that a run took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    word: Word,
    /// The bits that were never assigned.
    undefined: u128,
}

impl Running for Concrete {
    type Slot = Slot;
    type Beside = ();

    #[inline(always)]
    fn keep(value: Value<Word>) -> Slot {
        Slot { word: value.word, undefined: value.undefined.map_or(0, Word::bits) }
    }

    #[inline(always)]
    fn kept(slot: &Slot) -> Value<Word> {
        let undefined = (slot.undefined != 0).then(|| Word::new(slot.word.width(), slot.undefined));
        Value { word: slot.word, undefined }
    }

    #[inline(always)]
    fn now(&self, word: &Word) -> Word {
        *word
    }

    #[inline(always)]
    fn decide(&mut self, word: &Word) -> Word {
        *word
    }

    fn given(&mut self, _: Given, word: Word) -> Word {
        word
    }

    #[inline(always)]
    fn read(&mut self, _: &(), _: usize, value: Value<Word>) -> Value<Word> {
        value
    }

    #[inline(always)]
    fn write(&mut self, _: &mut (), _: usize, _: &Value<Word>) {}

    fn copy(&mut self, _: &(), _: Range<usize>, _: &mut (), _: usize) {}
}

/// What somebody wants to know of a run besides its outcome.
pub enum Watch<'w> {
    Nothing,
    /// What the original infects.
    Infection(&'w mut Infection),
    Repeats(&'w mut Repeats),
}

/// What there is to say of a run.
pub struct Executed {
    pub run: Run,
    /// The access with which it broke a rule, if it ended so.
    pub misdeed: Option<Misdeed>,
    /// Whether it came to what C leaves open.
    pub has_chosen: bool,
}

/// Runs a function on an input, as the original or as a mutant.
pub fn execute<D: Running>(
    domain: &mut D,
    program: &Program,
    function: FunctionId,
    mutant: Mutant,
    input: &Input,
    fuel: u64,
    watch: Watch,
) -> Executed {
    if !is_command_line(program, function, input) {
        let run = Run { outcome: Outcome::Faulted(Fault::NoCommandLine, None), fuel: 0 };
        return Executed { run, misdeed: None, has_chosen: false };
    }
    let mut memory = Memory::new(program);
    let (border, arguments) = Border::new(program, function, input, &mut memory);
    let arguments: Values<D> =
        (0..).zip(arguments).map(|(at, word)| Value::of(domain.given(Given::Argument(at), word))).collect();
    let mut machine = Machine {
        domain,
        program,
        mutant,
        watch,
        registers: Vec::new(),
        memory,
        locals: Vec::new(),
        border,
        fuel_left: fuel,
        library_left: LIBRARY,
        activations: 0,
        repetition: Repetition::default(),
        misdeed: None,
    };
    let outcome = machine.run(program.function(function).door.unwrap_or(function), &arguments);
    let run = Run { outcome, fuel: fuel - machine.fuel_left };
    Executed { run, misdeed: machine.misdeed, has_chosen: machine.memory.has_chosen() }
}

/// An activation of a function.
struct Frame<'a> {
    function: &'a Function,
    block: &'a Block,
    /// The next instruction of the block.
    next: usize,
    /// Where its registers start, in the machine's.
    base: usize,
    /// Where the caller wants the result.
    result: Option<Register>,
    /// Tells this activation from all others of the run.
    activation: u64,
    /// What memory was like when it began.
    version: u64,
    /// How many locals of its callers there are.
    locals: usize,
}

/// Where programs run. The registers of all frames lie in one vector, the callee's after its
/// caller's, so that a call allocates nothing once the vector has grown.
struct Machine<'a, 'm, D: Running> {
    domain: &'m mut D,
    program: &'a Program,
    mutant: Mutant,
    watch: Watch<'m>,
    registers: Vec<D::Slot>,
    memory: Memory<'a, D>,
    /// The objects that end when a function returns, of all frames.
    locals: Vec<u32>,
    border: Border<'a>,
    fuel_left: u64,
    library_left: u64,
    activations: u64,
    repetition: Repetition<D::Slot>,
    misdeed: Option<Misdeed>,
}

/// Few operations, calls and edges have more arguments.
type Values<D> = SmallVec<[Value<<D as Domain>::Word>; 3]>;

/// Why an instruction is not carried out.
enum Refusal {
    /// There is no room for what it wants.
    TooLarge,
    Unsupported(String),
}

impl Refusal {
    fn text(self) -> String {
        match self {
            Refusal::TooLarge => "more memory than a test should take".to_string(),
            Refusal::Unsupported(what) => what,
        }
    }
}

impl<'a, D: Running> Machine<'a, '_, D> {
    fn run(&mut self, function: FunctionId, arguments: &[Value<D::Word>]) -> Outcome {
        let mut frame = match self.enter(function, arguments, None) {
            Ok(frame) => frame,
            Err(outcome) => return outcome,
        };
        let mut callers: Vec<Frame> = Vec::new();
        let mut faults = Faults::new();
        loop {
            let block = frame.block;
            if let Some(instruction) = block.instructions.get(frame.next) {
                frame.next += 1;
                if let Action::Call { arguments, .. } | Action::CallPointer { arguments, .. } =
                    &instruction.action
                {
                    match self.call(instruction, arguments, &frame, &callers, &mut faults) {
                        Ok(callee) => callers.push(std::mem::replace(&mut frame, callee)),
                        Err(outcome) => return outcome,
                    }
                    continue;
                }
                let mut acting = Acting { machine: self, frame: &frame };
                match engine::act(&mut acting, &instruction.action, &mut faults) {
                    Ok(Some(value)) => self.define(&frame, instruction.result, value),
                    Ok(None) => {}
                    Err(refusal) => {
                        let at = blame(&frame, &callers, instruction.at);
                        return Outcome::Unsupported(refusal.text(), at);
                    }
                }
                if let Some(fault) = self.first_fault(&faults) {
                    self.misdeed = self.describe(&frame, &instruction.action);
                    let is_far = fault == Fault::FarPointer;
                    let fault = if is_far { block.far_pointer(frame.next - 1) } else { fault };
                    return self.ended(fault, blame(&frame, &callers, instruction.at));
                }
                faults.clear();
                continue;
            }
            match &block.end {
                End::Return(operand) => {
                    let value = operand.map(|operand| self.value(&frame, operand));
                    self.end_locals(&frame);
                    let Some(caller) = callers.pop() else {
                        return self.returned(value, block.at, &mut faults);
                    };
                    self.registers.truncate(frame.base);
                    let result = frame.result;
                    frame = caller;
                    if let Some(value) = value {
                        self.define(&frame, result, value);
                    }
                    continue;
                }
                End::Unreachable => {
                    return self.ended(Fault::Unreachable, blame(&frame, &callers, block.at));
                }
                End::Jump(_) | End::Branch { .. } | End::Switch { .. } => {}
            }
            let edge = self.way(&frame, &block.end, &mut faults);
            if let Some(fault) = self.first_fault(&faults) {
                return self.ended(fault, blame(&frame, &callers, block.at));
            }
            faults.clear();
            if !self.burn(frame.function) {
                return out_of_fuel(&frame, &callers);
            }
            self.follow(&mut frame, edge);
            if let Watch::Repeats(repeats) = &mut self.watch {
                repeats.enter(&frame, callers.len());
            }
            if self.repetition.is_seen(block, &frame, &self.registers[frame.base..], self.memory.version) {
                return Outcome::Diverged;
            }
        }
    }

    /// Pays for a block. False if there is no fuel left.
    #[inline]
    fn burn(&mut self, function: &Function) -> bool {
        let left = if function.library { &mut self.library_left } else { &mut self.fuel_left };
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        true
    }

    /// How a run ends whose first function returns.
    fn returned(
        &mut self,
        value: Option<Value<D::Word>>,
        at: Option<Position>,
        faults: &mut Faults<D::Word>,
    ) -> Outcome {
        let seen = self.border.observe(self.domain, value, &self.memory, faults);
        match self.first_fault(faults) {
            None => Outcome::Returned(Arc::new(seen)),
            Some(fault) => self.ended(fault, at),
        }
    }

    /// The activation that a call starts, or how the run ends at it.
    #[inline]
    fn call(
        &mut self,
        instruction: &Instruction,
        arguments: &[Operand],
        frame: &Frame<'a>,
        callers: &[Frame<'a>],
        faults: &mut Faults<D::Word>,
    ) -> Result<Frame<'a>, Outcome> {
        let function = self.callee(frame, instruction, faults);
        if let Some(fault) = self.first_fault(faults) {
            return Err(self.ended(fault, blame(frame, callers, instruction.at)));
        }
        faults.clear();
        let function = function.expect("a run ends that calls what it cannot");
        let arguments = self.values(frame, arguments);
        let callee = self.enter(function, &arguments, instruction.result)?;
        if self.is_under_way(&callee, frame, callers) { Err(Outcome::Diverged) } else { Ok(callee) }
    }

    /// The way by which a block is left.
    #[inline]
    fn way<'e>(&mut self, frame: &Frame<'a>, end: &'e End, faults: &mut Faults<D::Word>) -> &'e Edge {
        let mut way = None;
        let mut acting = Acting { machine: self, frame };
        engine::leave(&mut acting, end, faults, |acting, edge, condition| {
            let taken = condition.is_none_or(|condition| acting.machine.domain.decide(&condition).is_true());
            if taken {
                way = Some(edge);
            }
            taken
        });
        way.expect("one of the conditions holds")
    }

    /// Whom a call calls, unless a fault happens.
    fn callee(
        &mut self,
        frame: &Frame,
        call: &Instruction,
        faults: &mut Faults<D::Word>,
    ) -> Option<FunctionId> {
        match &call.action {
            Action::Call { function, .. } => Some(*function),
            Action::CallPointer { pointer, arguments } => {
                let pointer = self.value(frame, *pointer);
                let pointer = step::used(self.domain, pointer, faults);
                let pointer = rules::split(self.domain, &pointer);
                let number = self.domain.decide(&pointer.object).bits() as u32;
                let widths: SmallVec<[u32; 8]> = arguments
                    .iter()
                    .map(|operand| {
                        let value = self.value(frame, *operand);
                        self.domain.width(&value.word)
                    })
                    .collect();
                let result = call.result.map(|register| frame.function.registers[register.0 as usize]);
                let call = Call { arguments: &widths, result };
                rules::call(self.domain, self.program, number, &pointer.offset, call, None, faults)
            }
            _ => unreachable!("the action is a call"),
        }
    }

    /// The fault that ends the run, if one of these does.
    #[inline]
    fn first_fault(&mut self, faults: &Faults<D::Word>) -> Option<Fault> {
        for (fault, happens) in faults {
            let ends = engine::effect(*fault, self.mutant) != Effect::GoesOn;
            if ends && self.domain.decide(happens).is_true() {
                return Some(*fault);
            }
        }
        None
    }

    /// What a run comes to that a fault ends.
    fn ended(&self, fault: Fault, at: Option<Position>) -> Outcome {
        if engine::effect(fault, self.mutant) == Effect::Unknowable {
            return Outcome::Unsupported(format!("{} in the mutant", fault.text()), at);
        }
        Outcome::Faulted(fault, at)
    }

    /// The access to memory that an instruction tries.
    #[cold]
    fn describe(&mut self, frame: &Frame, action: &Action) -> Option<Misdeed> {
        let (pointer, access) = match action {
            Action::Load { pointer, .. } => (pointer, Access::Read),
            Action::Store { pointer, .. } => (pointer, Access::Write),
            Action::Fill { to, .. } => (to, Access::Write),
            _ => return None,
        };
        let pointer = self.value(frame, *pointer).word;
        let (of, offset) = self.memory.victim(self.domain.now(&pointer));
        Some(Misdeed { access, of, offset })
    }

    fn end_locals(&mut self, frame: &Frame) {
        for object in self.locals.drain(frame.locals..) {
            self.memory.end(object);
        }
    }

    /// Whether one of the latest callers is the same call. Nothing but its arguments
    /// and memory decides what a call does, so it would make that call again, for ever.
    fn is_under_way(&self, callee: &Frame, caller: &Frame, callers: &[Frame]) -> bool {
        /// Mutual recursion rarely goes through more functions.
        const LATEST: usize = 3;
        let arguments = |frame: &Frame| &self.registers[frame.base..frame.base + frame.function.arity];
        let same = |frame: &Frame| {
            std::ptr::eq(frame.function, callee.function)
                && frame.version == callee.version
                && arguments(frame) == arguments(callee)
        };
        same(caller) || callers.iter().rev().take(LATEST).any(same)
    }

    /// A frame at the entry of a function, or why there can be none.
    fn enter(
        &mut self,
        function: FunctionId,
        arguments: &[Value<D::Word>],
        result: Option<Register>,
    ) -> Result<Frame<'a>, Outcome> {
        let function = self.program.function(function);
        if let Some(unsupported) = &function.unsupported {
            return Err(Outcome::Unsupported(unsupported.what.clone(), unsupported.at));
        }
        if !function.library {
            if self.fuel_left == 0 {
                return Err(Outcome::OutOfFuel);
            }
            self.fuel_left -= 1;
        }
        self.activations += 1;
        let base = self.registers.len();
        self.registers.extend(arguments.iter().cloned().map(D::keep));
        let nothing = D::keep(Value::of(self.domain.truth(false)));
        self.registers.resize(base + function.registers.len(), nothing);
        let block = function.block(Function::ENTRY);
        let (version, locals) = (self.memory.version, self.locals.len());
        Ok(Frame { function, block, next: 0, base, result, activation: self.activations, version, locals })
    }

    fn follow(&mut self, frame: &mut Frame<'a>, edge: &Edge) {
        // All are read before one is written: an argument may be a parameter of the same block.
        let values = self.values(frame, &edge.arguments);
        frame.block = frame.function.block(edge.to);
        frame.next = 0;
        for (parameter, value) in frame.block.parameters.iter().zip(values) {
            self.define(frame, Some(*parameter), value);
        }
    }

    #[inline(always)]
    fn value(&mut self, frame: &Frame, operand: Operand) -> Value<D::Word> {
        let registers = &self.registers;
        step::operand(self.domain, operand, |register| D::kept(&registers[frame.base + register.0 as usize]))
    }

    fn values(&mut self, frame: &Frame, operands: &[Operand]) -> Values<D> {
        let mut values = Values::<D>::new();
        for operand in operands {
            values.push(self.value(frame, *operand));
        }
        values
    }

    #[inline]
    fn define(&mut self, frame: &Frame, register: Option<Register>, value: Value<D::Word>) {
        if let Some(register) = register {
            self.registers[frame.base + register.0 as usize] = D::keep(value);
        }
    }
}

/// A machine while it executes an instruction of a frame.
struct Acting<'a, 'm, 'r, 'f, D: Running> {
    machine: &'r mut Machine<'a, 'm, D>,
    frame: &'f Frame<'a>,
}

impl<D: Running> Engine for Acting<'_, '_, '_, '_, D> {
    type Domain = D;
    type Trouble = Refusal;

    #[inline(always)]
    fn domain(&mut self) -> &mut D {
        self.machine.domain
    }

    #[inline(always)]
    fn value(&mut self, operand: Operand) -> Value<D::Word> {
        self.machine.value(self.frame, operand)
    }

    fn site(&mut self, site: SiteId, arguments: &[Operand], faults: &mut Faults<D::Word>) -> Value<D::Word> {
        let Machine { program, mutant, .. } = *self.machine;
        let Machine { domain, registers, watch, .. } = &mut *self.machine;
        let domain: &mut D = domain;
        let registers = &registers[self.frame.base..];
        let argument = |domain: &mut D, at: usize| {
            step::operand(domain, arguments[at], |register| D::kept(&registers[register.0 as usize]))
        };
        let arm = program.site(site).arm(mutant);
        let value = step::arm(domain, arm, arguments.len(), argument, faults);
        if let Watch::Infection(infection) = watch
            && infection.reach(program, site)
        {
            let arguments: Values<D> = (0..arguments.len()).map(|at| argument(domain, at)).collect();
            infection.watch(domain, program, site, &arguments, &value);
        }
        value
    }

    fn make(&mut self, size: D::Word, life: Life) -> Result<D::Word, Refusal> {
        let Machine { domain, memory, locals, .. } = &mut *self.machine;
        let size = domain.decide(&size).bits() as u64;
        let object = memory.allocate(size, life == Life::Heap).ok_or(Refusal::TooLarge)?;
        if life == Life::Local {
            locals.push(object);
        }
        Ok(domain.constant(memory::pointer(object)))
    }

    #[inline]
    fn load(
        &mut self,
        pointer: D::Word,
        bytes: u32,
        faults: &mut Faults<D::Word>,
    ) -> Result<Value<D::Word>, Refusal> {
        Ok(self.machine.memory.load(self.machine.domain, &pointer, bytes, faults))
    }

    fn refuse_address(&mut self, pointer: &D::Word, bytes: u32, faults: &mut Faults<D::Word>) {
        self.machine.memory.refuse_address(self.machine.domain, pointer, bytes, faults);
    }

    #[inline]
    fn store(
        &mut self,
        pointer: D::Word,
        value: Value<D::Word>,
        faults: &mut Faults<D::Word>,
    ) -> Result<(), Refusal> {
        self.machine.memory.store(self.machine.domain, &pointer, &value, faults);
        Ok(())
    }

    fn copy(
        &mut self,
        to: D::Word,
        from: D::Word,
        length: D::Word,
        overlap: bool,
        faults: &mut Faults<D::Word>,
    ) -> Result<(), Refusal> {
        self.machine.memory.copy(self.machine.domain, [&to, &from, &length], overlap, faults);
        Ok(())
    }

    fn fill(
        &mut self,
        to: D::Word,
        byte: Value<D::Word>,
        length: D::Word,
        faults: &mut Faults<D::Word>,
    ) -> Result<(), Refusal> {
        self.machine.memory.fill(self.machine.domain, &to, &byte, &length, faults);
        Ok(())
    }

    fn free(&mut self, pointer: D::Word, faults: &mut Faults<D::Word>) -> Result<(), Refusal> {
        self.machine.memory.free(self.machine.domain, &pointer, faults);
        Ok(())
    }

    fn extent(&mut self, pointer: D::Word, faults: &mut Faults<D::Word>) -> Result<D::Word, Refusal> {
        Ok(self.machine.memory.extent(self.machine.domain, &pointer, faults))
    }

    fn alignment(&mut self, pointer: D::Word) -> Result<D::Word, Refusal> {
        Ok(self.machine.memory.alignment(self.machine.domain, &pointer))
    }

    fn external(
        &mut self,
        external: ExternalId,
        arguments: &[Argument],
        words: &[D::Word],
        faults: &mut Faults<D::Word>,
    ) -> Result<Option<D::Word>, Refusal> {
        let Machine { program, domain, memory, border, .. } = &mut *self.machine;
        let is_given = |(argument, word): (&Argument, &D::Word)| {
            let Type::Pointer(pointer) = program.of(argument.of) else { return false };
            program.is_stream(pointer.to) && (domain.now(word).bits() >> 32) as u32 >= program.input_object()
        };
        if program.external(external).prints && arguments.iter().zip(words).any(is_given) {
            return Err(Refusal::Unsupported("printing to a stream that a caller gives".to_string()));
        }
        // What comes back may be another value each time.
        memory.version += 1;
        Ok(border.call(*domain, external, arguments, words, memory, faults))
    }

    fn unsupported(&mut self, what: &str) -> Refusal {
        Refusal::Unsupported(what.to_string())
    }
}

/// What a run comes to that has no fuel for another block.
#[cold]
fn out_of_fuel(frame: &Frame, callers: &[Frame]) -> Outcome {
    if !frame.function.library {
        return Outcome::OutOfFuel;
    }
    let what = "a call of the library that takes too long".to_string();
    Outcome::Unsupported(what, blame(frame, callers, frame.block.at))
}

/// Where the user would look for what went wrong: code of ours is blamed on its caller.
fn blame(frame: &Frame, callers: &[Frame], at: Option<Position>) -> Option<Position> {
    if !frame.function.library {
        return at;
    }
    let caller = callers.iter().rev().find(|caller| !caller.function.library)?;
    caller.block.instructions.get(caller.next.checked_sub(1)?)?.at
}

mod border;
mod repeats;
mod repetition;
#[cfg(test)]
mod tests;
