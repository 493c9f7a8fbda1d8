//! What every proof about a subject takes for granted: the inputs that we look at are not all there are.

use ir::{Action, Fault, FunctionId, GlobalId, Operand, Program, Register, Space, Type, TypeId, reachable};

/// The pairs of parameters that are looked at with one buffer for both: the types must be the same.
pub fn sharing(program: &Program, subject: FunctionId, space: &Space) -> Vec<(usize, usize)> {
    let parameters = &program.function(subject).signature.parameters;
    let to = |at: usize| match program.of(parameters.get(at)?.of) {
        Type::Pointer(pointer) => Some(pointer.to),
        _ => None,
    };
    let is_shared =
        |pair: &&(usize, usize)| pair.0 != pair.1 && to(pair.0).is_some() && to(pair.0) == to(pair.1);
    space.may_alias.iter().filter(is_shared).copied().collect()
}

/// Which buffers a proof is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// Those that are looked at.
    Looked,
    Any,
}

/// The assumptions for a subject, each in a few words; none if its inputs are numbers, and all of them are looked at.
pub fn assumptions(program: &Program, subject: FunctionId, space: &Space, sizes: Sizes) -> Vec<String> {
    let parameters: Vec<TypeId> =
        program.function(subject).signature.parameters.iter().map(|parameter| parameter.of).collect();
    let mut found = Found::default();
    for of in &parameters {
        found.look(program, *of, space.depth);
    }
    let mut assumptions = Vec::new();
    let mut assume = |holds: bool, what: String| assumptions.extend(holds.then_some(what));
    let buffers = match sizes {
        Sizes::Looked => format!("pointers lead to the start of buffers of up to {} elements", space.size),
        Sizes::Any => "buffers have less than 2 GiB".to_string(),
    };
    assume(found.objects > 0, buffers);
    assume(found.untyped, "what a pointer without a known type leads to is bytes".to_string());
    assume(found.deeper, format!("pointers nested deeper than {} are null", space.depth));
    assume(found.flexible, "flexible array members are empty".to_string());
    assume(
        found.functions,
        "function pointers name functions of this file that others can call, or are null".to_string(),
    );
    let actions = actions(program, subject);
    assume(found.padding && reads_padding(program, subject), "padding in structs is zero".to_string());
    let globals = mutable_globals(program, &actions);
    // A buffer may be the same as another one, or as a global.
    let may_meet = found.objects > 1 || (found.objects > 0 && !globals.is_empty());
    let shared = sharing(program, subject, space);
    let all_shared = found.objects == 2 && globals.is_empty() && !shared.is_empty();
    let name = |at: usize| &program.function(subject).signature.parameters[at].name;
    let pairs: Vec<String> =
        shared.iter().map(|(one, other)| format!("`{}` and `{}`", name(*one), name(*other))).collect();
    let distinct = match pairs.is_empty() {
        true => "pointers lead to distinct buffers".to_string(),
        false => format!("pointers lead to distinct buffers, but for {}", pairs.join(", ")),
    };
    assume(may_meet && !all_shared, distinct);
    let allocates = actions.iter().any(|action| matches!(action, Action::Allocate { .. }));
    assume(allocates, "memory is always there when asked for".to_string());
    let outside = actions.iter().any(|action| match action {
        Action::External { external, .. } => !program.external(*external).prints,
        _ => false,
    });
    assume(outside, "functions without a body look no further than two pointers from their arguments, and change no memory".to_string());
    let reached = reachable(program, subject);
    let volatile = program.volatile.iter().any(|function| reached.contains(function));
    assume(volatile, "volatile memory is memory like any other".to_string());
    let ends = |action: &&Action| matches!(action, Action::Stop(Fault::Exit | Fault::Abort));
    let ends = actions.iter().any(ends);
    assume(ends, "inputs on which the original calls exit or abort are left out".to_string());
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
    padding: bool,
}

impl Found {
    fn look(&mut self, program: &Program, of: TypeId, depth: u32) {
        self.padding |= program.has_padding(of);
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

/// Whether the code may read a struct other than field by field: byte by byte, or with a function such as `memcmp`.
fn reads_padding(program: &Program, subject: FunctionId) -> bool {
    reachable(program, subject).into_iter().map(|id| program.function(id)).any(|function| {
        let of_the_library = function.library && function.name.starts_with("mem");
        let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
        // A place that the types do not give away.
        let anywhere = |place: Register| {
            let computes =
                |action: &Action| matches!(action, Action::Offset { by: Operand::Register(_), .. });
            instructions().any(|it| it.result == Some(place) && computes(&it.action))
        };
        let reads = |action: &Action| match action {
            Action::Load { pointer: Operand::Register(place), .. } => anywhere(*place),
            _ => false,
        };
        of_the_library || (!function.library && instructions().any(|it| reads(&it.action)))
    })
}

/// The globals that the code names and that may change.
fn mutable_globals(program: &Program, actions: &[&Action]) -> Vec<GlobalId> {
    let named = |id: &GlobalId| {
        let object = u128::from(program.global_object(*id));
        let is_named = |operand: &Operand| matches!(operand, Operand::Constant(word) if word.width() == 64 && word.bits() >> 32 == object);
        !program.global(*id).constant
            && program.parameter() != Some(*id)
            && actions.iter().any(|action| action.operands().any(is_named))
    };
    (0..program.globals.len() as u32).map(GlobalId).filter(named).collect()
}

#[cfg(test)]
mod tests {
    use ir::parse;

    use super::*;

    /// What a proof about a function takes for granted that is called with a struct of a letter and a number.
    fn check(body: &str, expect: &[&str]) {
        let text = format!(
            r#"type 0 = s8 "char"
            type 1 = s32 "int"
            type 2 = struct "struct mixed" 8 {{ letter: type 0 at 0, number: type 1 at 32 }}
            type 3 = pointer "struct mixed *" to type 2
            function @f(%0 p: type 3) {{ block0: {body} return }}
            function @memcmp(%0 p: type 3) library {{ block0: return }}"#
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut found = assumptions(&program, FunctionId(0), &Space::default(), Sizes::Looked);
        found.retain(|it| !it.starts_with("pointers lead to"));
        assert_eq!(found, expect);
    }

    #[test]
    fn what_lies_between_fields_counts_where_it_can_be_read() {
        check("%1:i64 = offset %0, 4:i64 %2:i32 = load.i32 %1", &[]);
        check(
            "%1:i64 = load.i64 %0 %2:i64 = offset %0, %1 %3:i8 = load.i8 %2",
            &["padding in structs is zero"],
        );
        check("call @memcmp(%0)", &["padding in structs is zero"]);
    }

    #[test]
    fn inputs_that_end_the_program_are_left_out() {
        check(r#"stop "call of exit""#, &["inputs on which the original calls exit or abort are left out"]);
    }
}
