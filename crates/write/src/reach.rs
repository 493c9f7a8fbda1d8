//! What a subject may touch: the globals that it may write, and the functions without a body that it calls.
//!
//! A test says what stays as it is, too: a mutant may write a global, call a function or print something where
//! the original does not. To mention everything each time would bury the test, so it mentions what the code
//! could reach.

use std::collections::{BTreeSet, HashMap};

use ir::{Action, ExternalId, Function, FunctionId, GlobalId, Operand, Program, Register};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// Only those that a test can name.
    pub globals: BTreeSet<GlobalId>,
    pub externals: BTreeSet<ExternalId>,
}

pub fn reach(program: &Program, subject: FunctionId) -> Reach {
    let mut reach = Reach::default();
    let mut seen = BTreeSet::new();
    let mut open = vec![subject];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let function = program.function(id);
        written(program, function, &mut reach.globals);
        for action in actions(function) {
            match action {
                Action::Call { function, .. } => open.push(*function),
                // Whom a pointer calls is not known here.
                Action::CallPointer { .. } => {
                    open.extend((0..program.functions.len()).map(|at| FunctionId(at as u32)))
                }
                Action::External { external, .. } => drop(reach.externals.insert(*external)),
                _ => {}
            }
        }
    }
    reach
}

fn actions(function: &Function) -> impl Iterator<Item = &Action> {
    function.blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.action)
}

/// The globals whose addresses go anywhere but into a load.
fn written(program: &Program, function: &Function, globals: &mut BTreeSet<GlobalId>) {
    let derived = derived(program, function);
    let mut note = |operand: &Operand| {
        let global = address(program, operand, &derived);
        globals.extend(global.filter(|id| {
            let global = program.global(*id);
            global.external && !global.constant
        }));
    };
    for action in actions(function) {
        match action {
            Action::Load { .. } | Action::Offset { .. } => {}
            Action::Copy { to, .. } => note(to),
            _ => action.operands().for_each(&mut note),
        }
    }
    for block in &function.blocks {
        block.end.edges().iter().flat_map(|edge| &edge.arguments).for_each(&mut note);
        if let ir::End::Return(Some(operand)) = &block.end {
            note(operand);
        }
    }
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
        Operand::Constant(word) if word.width() == 64 => {
            let object = (word.bits() >> 32) as usize;
            (1..=program.globals.len()).contains(&object).then(|| GlobalId(object as u32 - 1))
        }
        _ => None,
    }
}
