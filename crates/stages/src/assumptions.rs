//! What every proof about a subject takes for granted: the inputs that we look at are not all there are.

use ir::{Action, FunctionId, GlobalId, Operand, Program, Space, Type, TypeId, reachable};

/// The assumptions for a subject, each in a few words; none if its inputs are numbers, and all of them are looked at.
pub fn assumptions(program: &Program, subject: FunctionId, space: &Space) -> Vec<String> {
    let parameters: Vec<TypeId> =
        program.function(subject).signature.parameters.iter().map(|parameter| parameter.of).collect();
    let mut found = Found::default();
    for of in &parameters {
        found.look(program, *of, space.depth);
    }
    let mut assumptions = Vec::new();
    let mut assume = |holds: bool, what: String| assumptions.extend(holds.then_some(what));
    assume(
        found.objects > 0,
        format!("pointers lead to the start of buffers of up to {} elements", space.size),
    );
    assume(found.untyped, "what a pointer without a known type leads to is bytes".to_string());
    assume(found.deeper, format!("pointers nested deeper than {} are null", space.depth));
    assume(found.flexible, "flexible array members are empty".to_string());
    assume(found.functions, "function pointers name functions of this file, or are null".to_string());
    let actions = actions(program, subject);
    let globals = mutable_globals(program, &actions);
    // A buffer may be the same as another one, or as a global.
    let may_meet = found.objects > 1 || (found.objects > 0 && !globals.is_empty());
    assume(may_meet && space.may_alias.is_empty(), "pointers lead to distinct buffers".to_string());
    let frees = actions.iter().any(|action| matches!(action, Action::Free { .. } | Action::Extent { .. }));
    assume(frees && found.objects > 0, "no buffer of the caller's is on the heap".to_string());
    let allocates = actions.iter().any(|action| matches!(action, Action::Allocate { .. }));
    assume(allocates, "memory is always there when asked for".to_string());
    let outside = actions.iter().any(|action| match action {
        Action::External { external, .. } => !program.external(*external).prints,
        _ => false,
    });
    assume(outside, "functions without a body change no memory".to_string());
    for global in globals {
        let name = &program.global(global).name;
        assume(!space.globals.contains(&global), format!("`{name}` starts with its initial value"));
    }
    assumptions
}

/// What the types of the parameters have in them.
#[derive(Default)]
struct Found {
    objects: u32,
    untyped: bool,
    deeper: bool,
    flexible: bool,
    functions: bool,
}

impl Found {
    fn look(&mut self, program: &Program, of: TypeId, depth: u32) {
        match program.of(of) {
            Type::Pointer(pointer) if matches!(program.of(pointer.to), Type::Function { .. }) => {
                self.functions = true;
            }
            Type::Pointer(_) if depth == 0 => self.deeper = true,
            Type::Pointer(pointer) => {
                self.objects += 1;
                self.untyped |= pointer.untyped;
                self.look(program, pointer.to, depth - 1);
            }
            Type::Array { of, .. } => self.look(program, *of, depth),
            Type::Record(record) => {
                self.flexible |= record.flexible;
                for field in &record.fields {
                    self.look(program, field.of, depth);
                }
            }
            Type::Integer(_) | Type::Float(_) | Type::Function { .. } | Type::Opaque { .. } => {}
        }
    }
}

fn actions(program: &Program, subject: FunctionId) -> Vec<&Action> {
    let functions = reachable(program, subject).into_iter().map(|id| program.function(id));
    let blocks = functions.flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.instructions).map(|instruction| &instruction.action).collect()
}

/// The globals that the code names and that may change.
fn mutable_globals(program: &Program, actions: &[&Action]) -> Vec<GlobalId> {
    let named = |id: &GlobalId| {
        let object = u128::from(program.global_object(*id));
        let is_named = |operand: &Operand| matches!(operand, Operand::Constant(word) if word.width() == 64 && word.bits() >> 32 == object);
        !program.global(*id).constant && actions.iter().any(|action| action.operands().any(is_named))
    };
    (0..program.globals.len() as u32).map(GlobalId).filter(named).collect()
}
