//! The interpreter: the definition of what a program does.
//!
//! A run has fuel, one unit for each block entered. The native build burns the same units at the same
//! places, so that both agree on what runs for too long.
//!
//! The original is held to C's rules: the first fault ends the run, and the input is
//! invalid. A mutant runs as its binary would, and only a trapping fault ends it; but what a binary reads from
//! an uninitialised variable nobody knows, so a mutant that does so comes to no outcome that could be compared.
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

use crate::interpret::repetition::Repetition;
use crate::step::{self, Faults, Value};
use crate::{
    Action, Block, Edge, End, Fault, Function, FunctionId, Mutant, Operand, Program, Register, SiteId,
};

/// A value for every input of the subject: its arguments, in order.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Input {
    pub arguments: Vec<Word>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// With the value, unless the function returns none.
    Returned(Option<Word>),
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

    pub fn contains(&self, mutant: Mutant) -> bool {
        self.infected[mutant.0 as usize]
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
}

/// A register while the program runs. A value would take more than twice the space, and copying values was
/// most of the time that a run took.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot {
    word: Word,
    uninitialised: bool,
}

/// Where programs run. The registers of all frames lie in one vector, the callee's after its
/// caller's, so that a call allocates nothing once the vector has grown.
struct Machine<'a> {
    program: &'a Program,
    registers: Vec<Slot>,
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
    let mut machine = Machine {
        program,
        registers: Vec::new(),
        fuel_left: fuel,
        activations: 0,
        repetition: Repetition::default(),
    };
    let outcome = machine.execute(function, mutant, input, infection);
    Run { outcome, fuel: fuel - machine.fuel_left }
}

impl<'a> Machine<'a> {
    fn execute(
        &mut self,
        function: FunctionId,
        mutant: Mutant,
        input: &Input,
        mut infection: Option<&mut Infection>,
    ) -> Outcome {
        let arguments = input.arguments.iter().map(|word| Value::of(*word));
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
                    Action::Call { function, arguments } => {
                        let arguments = self.values(&frame, arguments);
                        match self.enter(*function, arguments.iter().copied(), instruction.result) {
                            Ok(callee) if self.is_under_way(&callee, &frame, &callers) => {
                                return Outcome::Diverged;
                            }
                            Ok(callee) => callers.push(std::mem::replace(&mut frame, callee)),
                            Err(outcome) => return outcome,
                        }
                    }
                    Action::Unsupported(what) => return Outcome::Unsupported(what.clone(), instruction.at),
                }
                if let Some(fault) = first_fault(&faults, mutant) {
                    return ended(fault, mutant, instruction.at);
                }
                faults.clear();
                continue;
            }
            let edge = match &block.end {
                End::Jump(edge) => edge,
                End::Branch { condition, then, otherwise } => {
                    let condition = step::used::<Concrete>(self.value(&frame, *condition), &mut faults);
                    if condition.is_true() { then } else { otherwise }
                }
                End::Switch { value, cases, default } => {
                    let value = step::used::<Concrete>(self.value(&frame, *value), &mut faults);
                    cases.iter().find(|(case, _)| *case == value).map_or(default, |(_, edge)| edge)
                }
                End::Return(operand) => {
                    let value = operand.map(|operand| self.value(&frame, operand));
                    let Some(caller) = callers.pop() else {
                        let word = value.map(|value| step::used::<Concrete>(value, &mut faults));
                        return match first_fault(&faults, mutant) {
                            Some(fault) => ended(fault, mutant, block.at),
                            None => Outcome::Returned(word),
                        };
                    };
                    self.registers.truncate(frame.base);
                    let result = frame.result;
                    frame = caller;
                    if let Some(value) = value {
                        self.define(&frame, result, value);
                    }
                    continue;
                }
                End::Unreachable => return Outcome::Faulted(Fault::Unreachable, block.at),
            };
            if let Some(fault) = first_fault(&faults, mutant) {
                return ended(fault, mutant, block.at);
            }
            faults.clear();
            if self.fuel_left == 0 {
                return Outcome::OutOfFuel;
            }
            self.fuel_left -= 1;
            self.follow(&mut frame, edge);
            if self.repetition.is_seen(&frame, &self.registers[frame.base..]) {
                return Outcome::Diverged;
            }
        }
    }

    /// Whether one of the latest callers is the same call. Nothing but its arguments decides what a call does,
    /// so it would make that call again, for ever.
    fn is_under_way(&self, callee: &Frame, caller: &Frame, callers: &[Frame]) -> bool {
        /// Mutual recursion rarely goes through more functions.
        const LATEST: usize = 3;
        let arguments = |frame: &Frame| {
            &self.registers[frame.base..frame.base + frame.function.signature.parameters.len()]
        };
        let same = |frame: &Frame| {
            std::ptr::eq(frame.function, callee.function) && arguments(frame) == arguments(callee)
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
        if self.fuel_left == 0 {
            return Err(Outcome::OutOfFuel);
        }
        self.fuel_left -= 1;
        self.activations += 1;
        let base = self.registers.len();
        self.registers.extend(arguments.map(Slot::from));
        let undefined = Slot { word: Word::truth(false), uninitialised: false };
        self.registers.resize(base + function.registers.len(), undefined);
        let block = function.block(Function::ENTRY);
        Ok(Frame { function, block, next: 0, base, result, activation: self.activations })
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

    fn value(&self, frame: &Frame, operand: Operand) -> Value<Word> {
        step::operand(&mut Concrete, operand, |register| {
            let slot = self.registers[frame.base + register.0 as usize];
            Value { word: slot.word, uninitialised: slot.uninitialised.then_some(Word::truth(true)) }
        })
    }

    fn values(&self, frame: &Frame, operands: &[Operand]) -> Values {
        let mut values = Values::new();
        for operand in operands {
            values.push(self.value(frame, *operand));
        }
        values
    }

    fn define(&mut self, frame: &Frame, register: Option<Register>, value: Value<Word>) {
        if let Some(register) = register {
            self.registers[frame.base + register.0 as usize] = Slot::from(value);
        }
    }
}

impl From<Value<Word>> for Slot {
    fn from(value: Value<Word>) -> Slot {
        Slot { word: value.word, uninitialised: value.uninitialised.is_some_and(Word::is_true) }
    }
}

/// What a run comes to that a fault ends.
fn ended(fault: Fault, mutant: Mutant, at: Option<Position>) -> Outcome {
    if mutant != Mutant::ORIGINAL && !fault.traps() {
        return Outcome::Unsupported(format!("{} in the mutant", fault.text()), at);
    }
    Outcome::Faulted(fault, at)
}

/// The fault that ends the run, if one of these does.
fn first_fault(faults: &Faults<Word>, mutant: Mutant) -> Option<Fault> {
    let ends =
        |fault: Fault| mutant == Mutant::ORIGINAL || fault.traps() || fault == Fault::UninitialisedRead;
    faults.iter().find(|(fault, happens)| happens.is_true() && ends(*fault)).map(|(fault, _)| *fault)
}

mod repetition;
#[cfg(test)]
mod tests;
