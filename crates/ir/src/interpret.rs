//! The interpreter: the definition of what a program does.
//!
//! A run has fuel, one unit for each block entered. The native build burns the same units at the same
//! places, so that both agree on what runs for too long.
//!
//! The original is held to C's rules: the first fault ends the run, and the input is
//! invalid. A mutant runs as its binary would, and goes on after faults at which the machine goes on; where nobody
//! knows what a binary does, it comes to no outcome that could be compared.
//!
//! A run that comes back to a state which it was in before never ends. That is seen at once for most loops and
//! recursions that make no progress, and needs no fuel to be sure of.
//!
//! A run of the original can also watch for infection: at every site it evaluates all
//! variants on the same arguments, and notes the mutants that would have given another
//! value there. A mutant that no site infects runs exactly as the original did.

use bv::{Concrete, Word};
use smallvec::SmallVec;
use source::Position;

use crate::interpret::border::Border;
use crate::interpret::repetition::Repetition;
use crate::memory::{self, Memory};
use crate::step::{self, Faults, Value};
use crate::{
    Action, Block, Edge, Effect, End, Fault, Function, FunctionId, Input, Instruction, Mutant, Observation,
    Operand, Program, Register, SiteId,
};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Returned(Box<Observation>),
    /// The machine stopped, or (in the original) C's rules were broken.
    Faulted(Fault, Option<Position>),
    OutOfFuel,
    /// The run came back to a state that it was in before: it never ends.
    Diverged,
    /// The run came to something that we cannot execute.
    Unsupported(String, Option<Position>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// What the run burned, in blocks entered.
    pub fuel: u64,
}

/// Which mutants a run of the original infects, by number.
#[derive(Clone, Debug, Default)]
pub struct Infection {
    infected: Vec<bool>,
    /// How many variants of each site are not infected yet.
    clean: Vec<usize>,
}

impl Infection {
    pub fn new(program: &Program) -> Infection {
        let greatest = program.sites.iter().flat_map(|site| &site.variants).map(|(mutant, _)| mutant.0).max();
        Infection {
            infected: vec![false; greatest.unwrap_or(0) as usize + 1],
            clean: program.sites.iter().map(|site| site.variants.len()).collect(),
        }
    }

    /// Whether a mutant is infected. One that stands at no site never is.
    pub fn contains(&self, mutant: Mutant) -> bool {
        self.infected.get(mutant.0 as usize).copied().unwrap_or(false)
    }

    pub fn mutants(&self) -> impl Iterator<Item = Mutant> + '_ {
        self.infected.iter().enumerate().filter(|(_, infected)| **infected).map(|(at, _)| Mutant(at as u32))
    }

    /// Evaluates the variants of a site that are still clean against what the original computed.
    fn watch(&mut self, program: &Program, site: SiteId, arguments: &[Value<Word>], original: &Value<Word>) {
        if self.clean[site.0 as usize] == 0 {
            return;
        }
        for (mutant, arm) in &program.site(site).variants {
            let infected = &mut self.infected[mutant.0 as usize];
            if *infected {
                continue;
            }
            let mut faults = Faults::new();
            let value = step::arm(&mut Concrete, arm, arguments.iter().copied(), &mut faults);
            if value != *original || first_fault(&faults, *mutant).is_some() {
                *infected = true;
                self.clean[site.0 as usize] -= 1;
            }
        }
    }
}

/// Runs a function on an input, as the original or as a mutant.
pub fn run(program: &Program, function: FunctionId, mutant: Mutant, input: &Input, fuel: u64) -> Run {
    execute(program, function, mutant, input, fuel, None)
}

/// Runs the original and notes what it infects.
pub fn run_watched(
    program: &Program,
    function: FunctionId,
    input: &Input,
    fuel: u64,
    infection: &mut Infection,
) -> Run {
    execute(program, function, Mutant::ORIGINAL, input, fuel, Some(infection))
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

/// A register while the program runs. A value would take more than twice the space, and copying values was
/// most of the time that a run took.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot {
    word: Word,
    /// The bits that were never assigned.
    undefined: u128,
}

/// Where programs run. The registers of all frames lie in one vector, the callee's after its
/// caller's, so that a call allocates nothing once the vector has grown.
struct Machine<'a> {
    program: &'a Program,
    registers: Vec<Slot>,
    memory: Memory<'a>,
    /// The objects that end when a function returns, of all frames.
    locals: Vec<u32>,
    border: Border<'a>,
    fuel_left: u64,
    activations: u64,
    repetition: Repetition,
}

/// Few operations, calls and edges have more arguments.
type Values = SmallVec<[Value<Word>; 3]>;

fn execute(
    program: &Program,
    function: FunctionId,
    mutant: Mutant,
    input: &Input,
    fuel: u64,
    infection: Option<&mut Infection>,
) -> Run {
    let mut memory = Memory::new(program);
    let (border, arguments) = Border::new(program, function, input, &mut memory);
    let mut machine = Machine {
        program,
        registers: Vec::new(),
        memory,
        locals: Vec::new(),
        border,
        fuel_left: fuel,
        activations: 0,
        repetition: Repetition::default(),
    };
    let outcome =
        machine.execute(program.function(function).door.unwrap_or(function), mutant, arguments, infection);
    Run { outcome, fuel: fuel - machine.fuel_left }
}

impl<'a> Machine<'a> {
    fn execute(
        &mut self,
        function: FunctionId,
        mutant: Mutant,
        arguments: Vec<Word>,
        mut infection: Option<&mut Infection>,
    ) -> Outcome {
        let arguments = arguments.into_iter().map(Value::of);
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
                match &instruction.action {
                    Action::Apply { op, flags, arguments } => {
                        let arguments = arguments.iter().map(|operand| self.value(&frame, *operand));
                        let value = step::apply(&mut Concrete, *op, *flags, arguments, &mut faults);
                        self.define(&frame, instruction.result, value);
                    }
                    Action::Site { site, arguments } => {
                        let arguments = self.values(&frame, arguments);
                        let arm = self.program.site(*site).arm(mutant);
                        let value = step::arm(&mut Concrete, arm, arguments.iter().copied(), &mut faults);
                        if let Some(infection) = infection.as_deref_mut() {
                            infection.watch(self.program, *site, &arguments, &value);
                        }
                        self.define(&frame, instruction.result, value);
                    }
                    Action::Call { arguments, .. } | Action::CallPointer { arguments, .. } => {
                        let callee = self.callee(&frame, instruction, &mut faults);
                        let callee = callee.map_err(|fault| faults.push((fault, Word::truth(true))));
                        if let Some(fault) = first_fault(&faults, mutant) {
                            return ended(fault, mutant, blame(&frame, &callers, instruction.at));
                        }
                        let function = callee.expect("a run ends that calls what it cannot");
                        let arguments = self.values(&frame, arguments);
                        match self.enter(function, arguments.iter().copied(), instruction.result) {
                            Ok(callee) if self.is_under_way(&callee, &frame, &callers) => {
                                return Outcome::Diverged;
                            }
                            Ok(callee) => callers.push(std::mem::replace(&mut frame, callee)),
                            Err(outcome) => return outcome,
                        }
                    }
                    Action::Unsupported(what) => {
                        return Outcome::Unsupported(what.clone(), blame(&frame, &callers, instruction.at));
                    }
                    _ => match self.touch(&frame, instruction, &mut faults) {
                        Ok(Some(value)) => self.define(&frame, instruction.result, value),
                        Ok(None) => {}
                        Err(Refusal::Fault(fault)) => faults.push((fault, Word::truth(true))),
                        Err(Refusal::TooLarge) => {
                            let what = "more memory than a test should take".to_string();
                            return Outcome::Unsupported(what, blame(&frame, &callers, instruction.at));
                        }
                    },
                }
                if let Some(fault) = first_fault(&faults, mutant) {
                    let fault =
                        if fault == Fault::FarPointer { block.far_pointer(frame.next - 1) } else { fault };
                    return ended(fault, mutant, blame(&frame, &callers, instruction.at));
                }
                faults.clear();
                continue;
            }
            let edge = match &block.end {
                End::Jump(edge) => edge,
                End::Branch { condition, then, otherwise } => {
                    let condition = step::used(&mut Concrete, self.value(&frame, *condition), &mut faults);
                    if condition.is_true() { then } else { otherwise }
                }
                End::Switch { value, cases, default } => {
                    let value = step::used(&mut Concrete, self.value(&frame, *value), &mut faults);
                    cases.iter().find(|(case, _)| *case == value).map_or(default, |(_, edge)| edge)
                }
                End::Return(operand) => {
                    let value = operand.map(|operand| self.value(&frame, operand));
                    let Some(caller) = callers.pop() else {
                        self.end_locals(&frame);
                        return match self.border.observe(value, &self.memory) {
                            Ok(observation) => Outcome::Returned(Box::new(observation)),
                            Err(fault) => ended(fault, mutant, block.at),
                        };
                    };
                    self.end_locals(&frame);
                    self.registers.truncate(frame.base);
                    let result = frame.result;
                    frame = caller;
                    if let Some(value) = value {
                        self.define(&frame, result, value);
                    }
                    continue;
                }
                End::Unreachable => {
                    return Outcome::Faulted(Fault::Unreachable, blame(&frame, &callers, block.at));
                }
            };
            if let Some(fault) = first_fault(&faults, mutant) {
                return ended(fault, mutant, blame(&frame, &callers, block.at));
            }
            faults.clear();
            if !frame.function.library {
                if self.fuel_left == 0 {
                    return Outcome::OutOfFuel;
                }
                self.fuel_left -= 1;
            }
            self.follow(&mut frame, edge);
            if self.repetition.is_seen(&frame, &self.registers[frame.base..], self.memory.version) {
                return Outcome::Diverged;
            }
        }
    }

    /// Executes an instruction that has to do with memory or with the outside.
    fn touch(
        &mut self,
        frame: &Frame,
        instruction: &Instruction,
        faults: &mut Faults<Word>,
    ) -> Result<Option<Value<Word>>, Refusal> {
        let mut used = |machine: &Self, operand: &Operand| {
            step::used(&mut Concrete, machine.value(frame, *operand), faults)
        };
        let made = |object: Option<u32>| object.map(memory::pointer).ok_or(Refusal::TooLarge);
        Ok(match &instruction.action {
            Action::Local { size } => {
                let size = used(self, size).bits() as u64;
                let object = self.memory.allocate(size, false);
                self.locals.extend(object);
                Some(Value::of(made(object)?))
            }
            Action::Allocate { size } => {
                let size = used(self, size).bits() as u64;
                Some(Value::of(made(self.memory.allocate(size, true))?))
            }
            Action::Free { pointer } => {
                let pointer = used(self, pointer);
                self.memory.free(pointer)?;
                None
            }
            Action::Extent { pointer } => {
                Some(Value::of(Word::new(64, self.memory.extent(used(self, pointer))?.into())))
            }
            Action::Load { pointer, width } => {
                let loaded = self.memory.load(used(self, pointer), width.div_ceil(8) as usize)?;
                let undefined = Word::new(*width, loaded.undefined);
                let undefined = (!undefined.is_zero()).then_some(undefined);
                Some(Value { word: Word::new(*width, loaded.bits), undefined })
            }
            Action::Store { pointer, value } => {
                let pointer = used(self, pointer);
                let Value { word, undefined } = self.value(frame, *value);
                let undefined = undefined.map_or(0, Word::bits);
                self.memory.store(pointer, word.width().div_ceil(8) as usize, word.bits(), undefined)?;
                None
            }
            Action::Offset { pointer, by } => {
                let (pointer, by) = (self.value(frame, *pointer), self.value(frame, *by));
                Some(step::offset(&mut Concrete, pointer, by, faults))
            }
            Action::Copy { to, from, length, overlap } => {
                let (to, from, length) = (used(self, to), used(self, from), used(self, length));
                self.memory.copy(to, from, length.bits() as u64, *overlap)?;
                None
            }
            Action::Fill { to, byte, length } => {
                let (to, length) = (used(self, to), used(self, length));
                let Value { word, undefined } = self.value(frame, *byte);
                let undefined = undefined.map_or(0, Word::bits) as u8;
                self.memory.fill(to, word.bits() as u8, undefined, length.bits() as u64)?;
                None
            }
            Action::External { external, arguments } => {
                let values =
                    arguments.iter().map(|argument| (*argument, self.value(frame, argument.operand)));
                let values: Vec<_> = values.collect();
                // What comes back may be another value each time.
                self.memory.version += 1;
                self.border.call(*external, &values, &self.memory)?.map(Value::of)
            }
            Action::Check { condition, fault } => {
                step::check(&mut Concrete, self.value(frame, *condition), *fault, faults);
                None
            }
            Action::Stop(fault) => return Err(Refusal::Fault(*fault)),
            Action::Apply { .. }
            | Action::Site { .. }
            | Action::Call { .. }
            | Action::CallPointer { .. }
            | Action::Unsupported(_) => unreachable!("the loop takes care of these"),
        })
    }

    /// Whom a call calls.
    fn callee(
        &self,
        frame: &Frame,
        call: &Instruction,
        faults: &mut Faults<Word>,
    ) -> Result<FunctionId, Fault> {
        match &call.action {
            Action::Call { function, .. } => Ok(*function),
            Action::CallPointer { pointer, arguments } => {
                let pointer = step::used(&mut Concrete, self.value(frame, *pointer), faults);
                let id = self.memory.function(pointer)?;
                let widths = arguments.iter().map(|operand| self.value(frame, *operand).word.width());
                let result = call.result.map(|register| frame.function.registers[register.0 as usize]);
                let takes = self.program.function(id).takes(widths, result);
                if takes { Ok(id) } else { Err(Fault::InvalidCall) }
            }
            _ => unreachable!("the action is a call"),
        }
    }

    fn end_locals(&mut self, frame: &Frame) {
        for object in self.locals.drain(frame.locals..) {
            self.memory.end(object);
        }
    }

    /// Whether one of the latest callers is the same call. Nothing but its arguments and memory decides what a
    /// call does, so it would make that call again, for ever.
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
        arguments: impl Iterator<Item = Value<Word>>,
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
        self.registers.extend(arguments.map(Slot::from));
        let undefined = Slot { word: Word::truth(false), undefined: 0 };
        self.registers.resize(base + function.registers.len(), undefined);
        let block = function.block(Function::ENTRY);
        let (version, locals) = (self.memory.version, self.locals.len());
        Ok(Frame { function, block, next: 0, base, result, activation: self.activations, version, locals })
    }

    fn follow(&mut self, frame: &mut Frame<'a>, edge: &Edge) {
        // All are read before one is written: an argument may be a parameter of the same block.
        let values = self.values(frame, &edge.arguments);
        frame.block = frame.function.block(edge.to);
        frame.next = 0;
        for (parameter, value) in frame.block.parameters.iter().zip(&values) {
            self.define(frame, Some(*parameter), *value);
        }
    }

    #[inline(always)]
    fn value(&self, frame: &Frame, operand: Operand) -> Value<Word> {
        step::operand(&mut Concrete, operand, |register| {
            let slot = self.registers[frame.base + register.0 as usize];
            let undefined = (slot.undefined != 0).then(|| Word::new(slot.word.width(), slot.undefined));
            Value { word: slot.word, undefined }
        })
    }

    fn values(&self, frame: &Frame, operands: &[Operand]) -> Values {
        let mut values = Values::new();
        for operand in operands {
            values.push(self.value(frame, *operand));
        }
        values
    }

    #[inline]
    fn define(&mut self, frame: &Frame, register: Option<Register>, value: Value<Word>) {
        if let Some(register) = register {
            self.registers[frame.base + register.0 as usize] = Slot::from(value);
        }
    }
}

impl From<Value<Word>> for Slot {
    fn from(value: Value<Word>) -> Slot {
        Slot { word: value.word, undefined: value.undefined.map_or(0, Word::bits) }
    }
}

/// Why an instruction is not carried out.
enum Refusal {
    Fault(Fault),
    /// There is no room for what it wants.
    TooLarge,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::Fault(fault)
    }
}

/// Where the user would look for what went wrong: code of ours is blamed on its caller.
fn blame(frame: &Frame, callers: &[Frame], at: Option<Position>) -> Option<Position> {
    if !frame.function.library {
        return at;
    }
    let caller = callers.iter().rev().find(|caller| !caller.function.library)?;
    caller.block.instructions.get(caller.next.checked_sub(1)?)?.at
}

/// What a run comes to that a fault ends.
fn ended(fault: Fault, mutant: Mutant, at: Option<Position>) -> Outcome {
    if mutant != Mutant::ORIGINAL && fault.effect() == Effect::Unknowable {
        return Outcome::Unsupported(format!("{} in the mutant", fault.text()), at);
    }
    Outcome::Faulted(fault, at)
}

/// The fault that ends the run, if one of these does.
fn first_fault(faults: &Faults<Word>, mutant: Mutant) -> Option<Fault> {
    let ends = |fault: Fault| mutant == Mutant::ORIGINAL || fault.effect() != Effect::GoesOn;
    faults.iter().find(|(fault, happens)| happens.is_true() && ends(*fault)).map(|(fault, _)| *fault)
}

mod border;
mod repetition;
#[cfg(test)]
mod tests;
