//! One block: its instructions on one path, and the ways out of it.
//!
//! [`OnPath`] makes the encoder an engine ([`ir::engine`]): it says what words, sites, memory and calls to
//! the outside are in terms. The engine says what an instruction does with them.

use bv::{Domain, Term, Terms, Word};
use ir::engine::{self, Engine, Life};
use ir::order::Key;
use ir::step::{self, Faults, Value};
use ir::{Action, Argument, BlockId, Edge, End, ExternalId, Fault, Operand, Position, SiteId, Unsupported};

use super::call::{PointerCall, Return};
use super::outside::OutsideCall;
use super::unroll::{Arrival, Body};
use super::{Chosen, Cut, Encoder, Point};
use crate::memory::{Access, Copying, Object, Origin, Possible, SymbolicMemory, Trouble};

/// An object of unknown size on the heap has room for so many bytes. A run that asks for more is cut.
pub(crate) const HEAP: u32 = 256;

/// An object of known size on the heap may have no more bytes than this.
const LARGEST: u64 = 1 << 16;

impl Encoder<'_> {
    /// Executes a block. The edges that it leaves by, with their guards.
    pub(super) fn block<'p>(
        &mut self,
        body: Body<'p>,
        key: &Key,
        block: BlockId,
        arrival: &mut Arrival,
        returns: &mut Vec<Return>,
    ) -> Vec<(&'p Edge, Term)> {
        let Body { function, activation, .. } = body;
        let block = function.block(block);
        let mut point = Point { activation, block: key.clone(), instruction: 0 };
        for (at, instruction) in block.instructions.iter().enumerate() {
            point.instruction = at;
            if !self.instruction(body, block, arrival, &point) {
                return vec![];
            }
            if matches!(instruction.action, Action::Stop(_)) {
                return vec![];
            }
        }
        let guard = arrival.guard;
        match &block.end {
            End::Return(operand) => {
                let value = operand.map(|operand| self.value(arrival, operand));
                let state = self.without_locals(activation, std::mem::take(&mut arrival.state));
                returns.push(Return { guard, value, state });
                vec![]
            }
            End::Unreachable => {
                let always = self.terms.truth(true);
                self.note(guard, vec![(Fault::Unreachable, always)], body.blame(block.at));
                // Nothing is known of what follows. The fault alone speaks for this path.
                let value = self.stand_in(function);
                let state = self.without_locals(activation, std::mem::take(&mut arrival.state));
                returns.push(Return { guard, value, state });
                vec![]
            }
            End::Jump(_) | End::Branch { .. } | End::Switch { .. } => {
                point.instruction = 0;
                self.ways(&block.end, arrival, &point, body.blame(block.at))
            }
        }
    }

    /// Executes an instruction. False if the path does not go on.
    fn instruction(&mut self, body: Body, block: &ir::Block, arrival: &mut Arrival, point: &Point) -> bool {
        let instruction = &block.instructions[point.instruction];
        let at = body.blame(instruction.at);
        let mut faults = Faults::new();
        let done = match &instruction.action {
            Action::Call { function, arguments } => {
                let arguments = self.values(arrival, arguments);
                Ok(self.call_from(*function, arguments, arrival, point, at))
            }
            Action::CallPointer { pointer, arguments } => {
                let value = self.value(arrival, *pointer);
                let pointer = step::used(self.terms, value, &mut faults);
                let arguments = &self.values(arrival, arguments);
                let width = |register: ir::Register| body.function.registers[register.0 as usize];
                let result = instruction.result.map(width);
                let call = PointerCall { pointer, arguments, result, point, at };
                self.call_pointer(call, arrival, &mut faults)
            }
            action => {
                let mut path = OnPath { encoder: self, arrival, point };
                engine::act(&mut path, action, &mut faults)
            }
        };
        let value = match done {
            Ok(value) => value,
            Err(Trouble::Lack(lack)) => {
                self.cut(arrival.guard, Cut::Lack(lack));
                return false;
            }
            Err(trouble) => {
                self.give_up(arrival.guard, Unsupported { what: trouble.text(), at });
                return false;
            }
        };
        for (fault, _) in faults.iter_mut().filter(|(fault, _)| *fault == Fault::FarPointer) {
            *fault = block.far_pointer(point.instruction);
        }
        self.note(arrival.guard, faults, at);
        if self.terms.is_never(arrival.guard) {
            return false;
        }
        if let (Some(register), Some(value)) = (instruction.result, value) {
            arrival.values[register.0 as usize] = Some(value);
        }
        true
    }

    /// All ways out of a block, with their guards.
    fn ways<'p>(
        &mut self,
        end: &'p End,
        arrival: &mut Arrival,
        point: &Point,
        at: Option<Position>,
    ) -> Vec<(&'p Edge, Term)> {
        let (mut faults, guard) = (Faults::new(), arrival.guard);
        let mut ways = Vec::new();
        let mut path = OnPath { encoder: self, arrival, point };
        engine::leave(&mut path, end, &mut faults, |path, edge, condition| {
            let taken = condition.map_or(guard, |condition| path.encoder.terms.and(guard, condition));
            ways.push((edge, taken));
            false
        });
        self.note(guard, faults, at);
        ways
    }

    /// What a site gives under the mutant. It becomes the original's value if that is the same here. What
    /// the arm of the mutant breaks is noted in any case.
    fn site(
        &mut self,
        site: SiteId,
        arguments: Vec<Value<Term>>,
        guard: Term,
        faults: &mut Faults<Term>,
    ) -> Value<Term> {
        let site = self.plan.program.site(site);
        let mutant = match self.chosen {
            Chosen::One(mutant) => mutant,
            Chosen::Any(number) => return self.any_arm(site, number, &arguments, faults),
        };
        let arm = site.arm(mutant);
        let argument = |_: &mut _, at: usize| arguments[at];
        let value = step::arm(self.terms, arm, arguments.len(), argument, faults);
        if self.judge.is_none() || std::ptr::eq(arm, &site.original) {
            return value;
        }
        let original = step::arm(self.terms, &site.original, arguments.len(), argument, &mut Faults::new());
        self.judged(guard, original, value)
    }

    pub(super) fn value(&mut self, arrival: &Arrival, operand: Operand) -> Value<Term> {
        step::operand(self.terms, operand, |register| {
            arrival.values[register.0 as usize]
                .expect("the verifier admits no use that a definition does not dominate")
        })
    }

    fn values(&mut self, arrival: &Arrival, operands: &[Operand]) -> Vec<Value<Term>> {
        operands.iter().map(|operand| self.value(arrival, *operand)).collect()
    }

    /// Gives up on the part of a path that goes beyond what we represent.
    fn cut_if(&mut self, arrival: &mut Arrival, condition: Term, by: Cut) {
        if self.terms.is_never(condition) {
            return;
        }
        let beyond = self.terms.and(arrival.guard, condition);
        self.cut(beyond, by);
        let within = self.terms.not(condition);
        arrival.guard = self.terms.and(arrival.guard, within);
    }
}

impl Body<'_> {
    /// Faults in code of ours are blamed on its caller.
    fn blame(&self, at: Option<Position>) -> Option<Position> {
        if self.function.library { self.called_at } else { at }
    }
}

/// The encoder while it executes an instruction of a path.
struct OnPath<'e, 'a> {
    encoder: &'e mut Encoder<'a>,
    arrival: &'e mut Arrival,
    point: &'e Point,
}

impl OnPath<'_, '_> {
    /// Does something with memory, and notes what is wrong with it.
    fn with_memory<T>(
        &mut self,
        faults: &mut Faults<Term>,
        work: impl FnOnce(&mut SymbolicMemory, &mut Access) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let Encoder { terms, possible, .. } = &mut *self.encoder;
        let mut access = Access { terms, possible, faults: std::mem::take(faults) };
        let done = work(&mut self.arrival.state.memory, &mut access);
        *faults = access.faults;
        done
    }
}

impl Engine for OnPath<'_, '_> {
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
        let OnPath { encoder, arrival, point } = self;
        let capacity = match encoder.possible.of(encoder.terms, size) {
            Possible::Few(sizes) => sizes.last().copied().unwrap_or(0),
            Possible::Steps { .. } => u64::from(HEAP),
        };
        let capacity = if capacity > LARGEST { u64::from(HEAP) } else { capacity };
        let larger = encoder.terms.ugt(size, Word::new(64, capacity.into()));
        encoder.cut_if(arrival, larger, Cut::Heap);
        let next = encoder.first + encoder.names.objects.len() as u32;
        let number = *encoder.names.objects.entry(point.clone()).or_insert(next);
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

    /// Unions of pointers and other things hold a pointer or zero. Every proof has that as a limit.
    fn refuse_address(&mut self, _: &Term, _: u32, _: &mut Faults<Term>) {}

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
        let copying = Copying { to, from, length, overlap };
        self.with_memory(faults, |memory, access| memory.copy(access, copying))
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

    fn alignment(&mut self, pointer: Term) -> Result<Term, Trouble> {
        self.with_memory(&mut Faults::new(), |memory, access| memory.alignment(access, pointer))
    }

    fn external(
        &mut self,
        external: ExternalId,
        arguments: &[Argument],
        words: &[Term],
        faults: &mut Faults<Term>,
    ) -> Result<Option<Term>, Trouble> {
        let Encoder { terms, possible, inputs, .. } = &mut *self.encoder;
        let access = Access { terms, possible, faults: std::mem::take(faults) };
        let mut call = OutsideCall::new(inputs, access, &mut self.arrival.state);
        let answer = call.run(external, arguments, words);
        *faults = call.access.faults;
        let answer = answer?;
        self.encoder.cut_if(self.arrival, answer.too_often, Cut::Results);
        Ok(answer.result)
    }

    fn unsupported(&mut self, what: &str) -> Trouble {
        Trouble::Unsupported(what.to_string())
    }
}
