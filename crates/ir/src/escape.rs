//! Which static functions a caller can get hold of: through a pointer that a subject hands out.
//!
//! Such a function may be called with anything, so no proof about the subject speaks for it. Two
//! things have to come together. First, the address of the function goes somewhere: something that the
//! subject can reach returns it, stores it or passes it on. Second, a caller sees something of the
//! subject that can hold a pointer to a function. Its type does not matter, because C lets one be cast
//! to another. A function that is only called through a table, or given to `qsort`, stays inside.

use std::collections::{BTreeSet, HashSet};

use crate::reachable;
use crate::{
    Action, End, Function, FunctionId, Global, GlobalId, Instruction, Operand, POINTER_WIDTH, Program,
    Register, Type, TypeId,
};

/// What is known of all subjects of a file.
pub struct Escapes<'a> {
    pub program: &'a Program,
    /// The functions that a test can call.
    pub callable: &'a [FunctionId],
    /// For each function, those that it mentions, whether or not we can execute it.
    pub mentions: &'a [Vec<FunctionId>],
}

impl Escapes<'_> {
    /// The static functions that a caller can get hold of through a subject. Sorted.
    pub fn through(&self, subject: FunctionId) -> Vec<FunctionId> {
        self.handed_out(subject, |id| !self.callable.contains(&id) && id != subject)
    }

    /// Those of some functions that a caller can get hold of through a subject. Sorted.
    pub fn handed_out(&self, subject: FunctionId, some: impl Fn(FunctionId) -> bool) -> Vec<FunctionId> {
        let reach = self.reach(subject);
        let shows = self.shows(subject, &reach);
        let is_inside = |id: &&FunctionId| some(**id) && !self.program.function(**id).library;
        let inside = reach.iter().filter(is_inside);
        let escapes = |id: &&FunctionId| {
            self.is_lost(**id, &reach) || self.is_offered(**id) || (shows && self.leaks(**id, &reach))
        };
        inside.filter(escapes).copied().collect()
    }

    /// All that a subject mentions, directly or not.
    fn reach(&self, subject: FunctionId) -> BTreeSet<FunctionId> {
        let mut reach = BTreeSet::from([subject]);
        let mut waiting = vec![subject];
        while let Some(id) = waiting.pop() {
            waiting.extend(self.mentions[id.0 as usize].iter().filter(|id| reach.insert(**id)));
        }
        reach
    }

    /// Whether a function is mentioned in what we do not execute, so that
    /// nobody knows where its address goes.
    fn is_lost(&self, escaping: FunctionId, reach: &BTreeSet<FunctionId>) -> bool {
        reach.iter().any(|id| {
            let function = self.program.function(*id);
            self.mentions[id.0 as usize].contains(&escaping)
                && !actions(function).any(|action| calls(action, escaping))
                && !self.holds(function, escaping)
        })
    }

    /// Whether a variable leads to a function that another file can look at.
    fn is_offered(&self, function: FunctionId) -> bool {
        self.holders(function).into_iter().any(|id| self.program.global(id).external)
    }

    /// Whether a function has the address of another in its hands.
    fn holds(&self, function: &Function, escaping: FunctionId) -> bool {
        let holders = self.holders(escaping);
        operands(function).any(|operand| is_source(self.program, operand, escaping, &holders))
    }

    /// Whether the address of a function goes anywhere but into calls.
    fn leaks(&self, escaping: FunctionId, reach: &BTreeSet<FunctionId>) -> bool {
        let holders = self.holders(escaping);
        let is_source = |operand: &Operand| is_source(self.program, operand, escaping, &holders);
        let mut flow = Flow { program: self.program, is_source, tainted: HashSet::new(), leaks: false };
        loop {
            let before = flow.tainted.len();
            for id in reach.iter().filter(|id| !self.program.function(**id).library) {
                flow.function(*id);
            }
            if flow.leaks || flow.tainted.len() == before {
                return flow.leaks;
            }
        }
    }

    /// The globals that lead to a function when the program starts.
    fn holders(&self, function: FunctionId) -> BTreeSet<GlobalId> {
        let mut holders = BTreeSet::new();
        loop {
            let before = holders.len();
            for (at, global) in self.program.globals.iter().enumerate() {
                let words = initial_pointers(self.program, global);
                let leads = |word: &u64| {
                    let object = (word >> 32) as u32;
                    object == self.program.function_object(function)
                        || self.program.global_of(object).is_some_and(|id| holders.contains(&id))
                };
                if words.iter().any(leads) {
                    holders.insert(GlobalId(at as u32));
                }
            }
            if holders.len() == before {
                return holders;
            }
        }
    }

    /// Whether a caller can see something of a subject that may hold a pointer to a function.
    fn shows(&self, subject: FunctionId, reach: &BTreeSet<FunctionId>) -> bool {
        let program = self.program;
        let signature = &program.function(subject).signature;
        let mut kinds = Kinds { program, seen: HashSet::new() };
        if signature.result.is_some_and(|of| kinds.can_hold(of, true)) {
            return true;
        }
        // The parameter itself is a copy, which the caller never sees again.
        if signature.parameters.iter().any(|parameter| kinds.can_hold(parameter.of, false)) {
            return true;
        }
        let arguments =
            reach.iter().flat_map(|id| actions(program.function(*id))).flat_map(|action| match action {
                Action::External { arguments, .. } => arguments.as_slice(),
                _ => &[],
            });
        if arguments.into_iter().any(|argument| kinds.can_hold(argument.of, true)) {
            return true;
        }
        let mut globals = named_globals(program, reach).into_iter();
        globals.any(|id| {
            let global = program.global(id);
            !global.constant
                && kinds.can_hold(global.of, true)
                && (global.external || (self.is_shared(id, subject) && is_written(program, id)))
        })
    }

    /// Whether another subject has to do with a static variable.
    fn is_shared(&self, global: GlobalId, subject: FunctionId) -> bool {
        let mut others = self.callable.iter().filter(|id| **id != subject);
        others.any(|other| named_globals(self.program, &self.reach(*other)).contains(&global))
    }
}

/// The search for a type that can hold a pointer to a function.
struct Kinds<'a> {
    program: &'a Program,
    seen: HashSet<(TypeId, bool)>,
}

impl Kinds<'_> {
    /// Whether a value, or what it leads to, can hold one where a caller sees
    /// it: the value itself, if it is visible.
    fn can_hold(&mut self, of: TypeId, visible: bool) -> bool {
        if !self.seen.insert((of, visible)) {
            return false;
        }
        match self.program.of(of) {
            Type::Pointer(pointer) => match self.program.of(pointer.to) {
                Type::Function { .. } => visible,
                _ if pointer.untyped => visible,
                _ => self.can_hold(pointer.to, visible || !pointer.constant),
            },
            Type::Array { of, .. } => self.can_hold(*of, visible),
            Type::Record(record) => record.fields.iter().any(|field| self.can_hold(field.of, visible)),
            Type::Integer(_) | Type::Float(_) | Type::Function { .. } | Type::Opaque { .. } => false,
        }
    }
}

/// Where an address goes, in all functions at once.
struct Flow<'a, S> {
    program: &'a Program,
    /// Whether a constant is the address, or leads to it.
    is_source: S,
    /// The registers that may hold such a thing.
    tainted: HashSet<(FunctionId, Register)>,
    leaks: bool,
}

impl<S: Fn(&Operand) -> bool> Flow<'_, S> {
    fn is_tainted(&self, id: FunctionId, operand: &Operand) -> bool {
        match operand {
            Operand::Register(register) => self.tainted.contains(&(id, *register)),
            _ => (self.is_source)(operand),
        }
    }

    fn function(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        for block in &function.blocks {
            for instruction in &block.instructions {
                if instruction.action.operands().any(|operand| self.is_tainted(id, operand)) {
                    self.instruction(id, instruction);
                }
            }
            if let End::Return(Some(operand)) = &block.end {
                self.leaks |= self.is_tainted(id, operand);
            }
            for edge in block.end.edges() {
                for (parameter, operand) in function.block(edge.to).parameters.iter().zip(&edge.arguments) {
                    if self.is_tainted(id, operand) {
                        self.tainted.insert((id, *parameter));
                    }
                }
            }
        }
    }

    /// Follows the address through an instruction that has it among its operands.
    fn instruction(&mut self, id: FunctionId, instruction: &Instruction) {
        match &instruction.action {
            Action::Load { .. } | Action::Offset { .. } | Action::Apply { .. } | Action::Site { .. } => {
                let widths = &self.program.function(id).registers;
                let result = instruction.result.filter(|result| widths[result.0 as usize] == POINTER_WIDTH);
                self.tainted.extend(result.map(|register| (id, register)));
            }
            // Bodies of ours keep nothing, but one of them makes a number of an address.
            Action::Call { function, .. } if self.program.function(*function).library => {
                self.leaks |= makes_number(self.program.function(*function));
            }
            Action::Call { function, arguments } => {
                for (at, operand) in arguments.iter().enumerate() {
                    if self.is_tainted(id, operand) {
                        self.tainted.insert((*function, Register(at as u32)));
                    }
                }
            }
            Action::CallPointer { arguments, .. } => {
                self.leaks |= arguments.iter().any(|operand| self.is_tainted(id, operand));
            }
            Action::Store { value, .. } => self.leaks |= self.is_tainted(id, value),
            Action::Copy { from, .. } => self.leaks |= self.is_tainted(id, from),
            // What becomes of an address that is a number, nobody follows.
            Action::Alignment { pointer } => self.leaks |= self.is_tainted(id, pointer),
            Action::External { .. } => self.leaks = true,
            Action::Local { .. }
            | Action::Allocate { .. }
            | Action::Free { .. }
            | Action::Extent { .. }
            | Action::Fill { .. }
            | Action::Check { .. }
            | Action::Stop(_)
            | Action::Unsupported(_) => {}
        }
    }
}

/// Whether somebody looks at addresses as at numbers when a function is called.
pub fn looks_at_addresses(program: &Program, subject: FunctionId) -> bool {
    // Most programs have no function that does.
    let functions = program.functions.iter().enumerate();
    let numbers = functions.filter(|(_, function)| function.library && makes_number(function));
    let numbers: Vec<FunctionId> = numbers.map(|(at, _)| FunctionId(at as u32)).collect();
    !numbers.is_empty() && reachable(program, subject).iter().any(|id| numbers.contains(id))
}

/// Whether a function looks at where an object lies. Nobody follows what becomes of such a number.
fn makes_number(function: &Function) -> bool {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions.into_iter().any(|it| matches!(it.action, Action::Alignment { .. }))
}

/// Whether a variable holds what it held at the start, whoever was called before: no other
/// file can name it, and nothing in this one writes to it or gives its address away.
pub fn is_fixed(program: &Program, global: GlobalId) -> bool {
    let Global { constant, external, .. } = program.global(global);
    // Nobody knows what code does that we do not execute.
    let is_opaque = |id: FunctionId| {
        let function = program.function(id);
        // What a door does not do, nobody does.
        function.unsupported.is_some() && !program.is_door(id)
            || actions(function).any(|action| matches!(action, Action::Unsupported(_)))
    };
    let mut functions = (0..program.functions.len() as u32).map(FunctionId);
    *constant || (!external && !functions.any(is_opaque) && !is_written(program, global))
}

/// Whether something may write to a static variable after the start: its
/// address goes anywhere but into a load.
fn is_written(program: &Program, global: GlobalId) -> bool {
    let object = program.global_object(global);
    let is_led_to =
        |other: &Global| initial_pointers(program, other).iter().any(|word| word >> 32 == object.into());
    if program.globals.iter().any(is_led_to) {
        return true;
    }
    let is_source = |operand: &Operand| object_of(operand) == Some(object);
    (0..program.functions.len() as u32).map(FunctionId).any(|id| {
        let function = program.function(id);
        let mut places: HashSet<Register> = HashSet::new();
        let is_place = |places: &HashSet<Register>, operand: &Operand| match operand {
            Operand::Register(register) => places.contains(register),
            _ => is_source(operand),
        };
        loop {
            let before = places.len();
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                if let Action::Offset { pointer, .. } = &instruction.action
                    && is_place(&places, pointer)
                {
                    places.extend(instruction.result);
                }
            }
            if places.len() == before {
                break;
            }
        }
        let goes = |action: &Action| match action {
            Action::Load { .. } | Action::Offset { .. } => false,
            Action::Copy { to, .. } => is_place(&places, to),
            _ => action.operands().any(|operand| is_place(&places, operand)),
        };
        let leaves = |end: &End| {
            let returned = matches!(end, End::Return(Some(operand)) if is_place(&places, operand));
            let edges = end.edges();
            let mut arguments = edges.iter().flat_map(|edge| &edge.arguments);
            returned || arguments.any(|operand| is_place(&places, operand))
        };
        actions(function).any(goes) || function.blocks.iter().any(|block| leaves(&block.end))
    })
}

/// The globals that these functions name, and those that they lead to at the start.
pub fn named_globals(program: &Program, functions: &BTreeSet<FunctionId>) -> BTreeSet<GlobalId> {
    let operands = functions.iter().flat_map(|id| operands(program.function(*id)));
    let mut named: BTreeSet<GlobalId> =
        operands.filter_map(|operand| program.global_of(object_of(operand)?)).collect();
    let mut waiting: Vec<GlobalId> = named.iter().copied().collect();
    while let Some(id) = waiting.pop() {
        let words = initial_pointers(program, program.global(id)).into_iter();
        let globals = words.filter_map(|word| program.global_of((word >> 32) as u32));
        waiting.extend(globals.filter(|id| named.insert(*id)));
    }
    named
}

fn actions(function: &Function) -> impl Iterator<Item = &Action> {
    function.blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.action)
}

/// All that a function reads.
fn operands(function: &Function) -> impl Iterator<Item = &Operand> {
    let ends = function.blocks.iter().flat_map(|block| {
        let returned = if let End::Return(Some(operand)) = &block.end { Some(operand) } else { None };
        block.end.edges().into_iter().flat_map(|edge| &edge.arguments).chain(returned)
    });
    actions(function).flat_map(Action::operands).chain(ends)
}

fn calls(action: &Action, called: FunctionId) -> bool {
    matches!(action, Action::Call { function, .. } if *function == called)
}

/// Whether an operand is the address of a function, or of something that leads to it.
fn is_source(
    program: &Program,
    operand: &Operand,
    function: FunctionId,
    holders: &BTreeSet<GlobalId>,
) -> bool {
    let Some(object) = object_of(operand) else { return false };
    object == program.function_object(function)
        || program.global_of(object).is_some_and(|id| holders.contains(&id))
}

/// The object that a constant points to, if it is a pointer.
fn object_of(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Constant(word) if word.width() == 64 => Some((word.bits() >> 32) as u32),
        _ => None,
    }
}

/// The pointers that a global holds at the start.
fn initial_pointers(program: &Program, global: &Global) -> Vec<u64> {
    let mut words = Vec::new();
    pointers(program, global.of, &global.contents, &mut words);
    words
}

/// The pointers in a value.
fn pointers(program: &Program, of: TypeId, bytes: &[u8], words: &mut Vec<u64>) {
    let word = |bytes: &[u8]| bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    match program.of(of) {
        Type::Pointer(_) => words.extend(word(bytes)),
        Type::Array { of, .. } => {
            let size = program.size(*of).max(1) as usize;
            bytes.chunks(size).for_each(|bytes| pointers(program, *of, bytes, words));
        }
        Type::Record(record) => {
            for field in record.fields.iter().filter(|field| field.bits.is_none()) {
                if let Some(bytes) = bytes.get(field.offset as usize / 8..) {
                    let size = (program.size(field.of) as usize).min(bytes.len());
                    pointers(program, field.of, &bytes[..size], words);
                }
            }
        }
        // What we do not take apart may have pointers wherever one fits.
        Type::Opaque { .. } => words.extend(bytes.chunks(8).filter_map(word)),
        Type::Integer(_) | Type::Float(_) | Type::Function { .. } => {}
    }
}

#[cfg(test)]
mod tests;
