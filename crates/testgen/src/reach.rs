//! What a subject may touch: the globals that it may read and write, and the
//! functions without a body that it calls.
//!
//! A test also checks what stays as it is: a mutant may write a global, call a function
//! or print something where the original does not. A test that mentioned everything
//! each time would be hard to read. So it mentions only what the code could reach.

use std::collections::{BTreeSet, HashMap};

use ir::{
    Action, ExternalId, Fault, Function, FunctionId, GlobalId, Operand, Program, Register, Seen, led_to,
};

use crate::scene::initial;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Reach {
    /// Those that it may read; where an address goes who knows where, both.
    pub read: BTreeSet<GlobalId>,
    /// Those that it may write. No constants.
    pub written: BTreeSet<GlobalId>,
    pub externals: BTreeSet<ExternalId>,
    /// It may end the program, for good or for bad.
    pub exits: bool,
}

pub(crate) fn reach(program: &Program, subject: FunctionId) -> Reach {
    let mut reach = Reach::default();
    let mut seen = BTreeSet::new();
    let mut open = vec![subject];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let function = program.function(id);
        reach.globals(program, function);
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            match &instruction.action {
                Action::Call { function, .. } => open.push(*function),
                Action::CallPointer { arguments, .. } => {
                    open.extend(led_to(program, function, arguments, instruction.result));
                }
                Action::External { external, .. } => drop(reach.externals.insert(*external)),
                Action::Stop(Fault::Exit | Fault::Abort) => reach.exits = true,
                _ => {}
            }
        }
    }
    reach.follow(program);
    reach.written.retain(|id| !program.global(*id).constant);
    reach
}

impl Reach {
    /// The globals that it may write and that a test can name.
    pub(crate) fn visible(&self, program: &Program) -> impl Iterator<Item = GlobalId> {
        self.written.iter().copied().filter(|id| program.global(*id).external)
    }

    /// Notes where the addresses of globals go.
    fn globals(&mut self, program: &Program, function: &Function) {
        let derived = derived(program, function);
        let mut note = |operand: &Operand, reads: bool, writes: bool| {
            let Some(global) = address(program, operand, &derived) else { return };
            self.read.extend(reads.then_some(global));
            self.written.extend(writes.then_some(global));
        };
        for action in actions(function) {
            match action {
                Action::Load { pointer, .. } => note(pointer, true, false),
                Action::Offset { .. } => {}
                Action::Store { pointer, value } => {
                    note(pointer, false, true);
                    note(value, true, true);
                }
                Action::Copy { to, from, .. } => {
                    note(to, false, true);
                    note(from, true, false);
                }
                Action::Fill { to, .. } => note(to, false, true),
                _ => action.operands().for_each(|operand| note(operand, true, true)),
            }
        }
        for block in &function.blocks {
            let passed = block.end.edges().into_iter().flat_map(|edge| &edge.arguments);
            passed.for_each(|operand| note(operand, true, true));
            if let ir::End::Return(Some(operand)) = &block.end {
                note(operand, true, true);
            }
        }
    }

    /// Adds what the globals that it may read point to.
    fn follow(&mut self, program: &Program) {
        let mut open: Vec<GlobalId> = self.read.iter().copied().collect();
        while let Some(id) = open.pop() {
            for target in targets(&initial(program, id)) {
                self.written.insert(target);
                if self.read.insert(target) {
                    open.push(target);
                }
            }
        }
    }
}

fn targets(seen: &Seen) -> Vec<GlobalId> {
    match seen {
        Seen::Global { global, .. } => vec![*global],
        Seen::Aggregate(parts) => parts.iter().flat_map(targets).collect(),
        _ => vec![],
    }
}

fn actions(function: &Function) -> impl Iterator<Item = &Action> {
    function.blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.action)
}

/// The registers that point into a global.
fn derived(program: &Program, function: &Function) -> HashMap<Register, GlobalId> {
    let mut derived = HashMap::new();
    // A block may stand before the one that dominates it, so once is not enough.
    loop {
        let before = derived.len();
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let (Some(result), Action::Offset { pointer, .. }) = (instruction.result, &instruction.action)
            else {
                continue;
            };
            if let Some(global) = address(program, pointer, &derived) {
                derived.insert(result, global);
            }
        }
        if derived.len() == before {
            return derived;
        }
    }
}

fn address(program: &Program, operand: &Operand, derived: &HashMap<Register, GlobalId>) -> Option<GlobalId> {
    match operand {
        Operand::Register(register) => derived.get(register).copied(),
        Operand::Constant(word) if word.width() == 64 => program.global_of((word.bits() >> 32) as u32),
        _ => None,
    }
}
