//! What every proof about a subject takes for granted, because we do not look at all inputs that there are.
//!
//! No other file says so. If you narrow the inputs anywhere, add a line here. A line is an assumption if a
//! caller would grant it, and a limit if it says which inputs were left out. When in doubt it is a limit: a
//! proof with limits does not prove that the mutant is equivalent.

use std::collections::BTreeSet;

use bv::Lack;
use ir::{
    Action, Fault, FunctionId, GlobalId, Program, Space, Type, TypeId, is_fixed, is_main, looks_at_addresses,
    named_globals, reachable,
};
use settle::Granted;

use crate::encode::{Bounds, Cut, HEAP, MAX_CALLS};
use crate::skeleton::{RESULTS, sharing};

/// Which buffers a proof is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sizes {
    /// Those within the space.
    Looked,
    Any,
}

/// What a proof about a subject takes for granted, each in a few words. Nothing, if all inputs are numbers.
pub(crate) fn granted(program: &Program, subject: FunctionId, space: &Space, sizes: Sizes) -> Granted {
    let mut types = Types::default();
    for parameter in &program.function(subject).signature.parameters {
        types.look(program, parameter.of, space.depth);
    }
    for global in &space.globals {
        types.look(program, program.global(*global).of, space.depth);
    }
    let actions = actions(program, subject);
    let named = named_globals(program, &reachable(program, subject).into_iter().collect());
    let globals = changing_globals(program, &named);
    let outside = Outside::new(program, &actions);
    let grounds = Grounds { program, subject, space, sizes, types, actions, named, globals, outside };
    Granted {
        assumptions: grounds.assumptions(),
        caller_may_break: grounds.distinct().is_some() || grounds.is_given_anything(),
        limits: grounds.limits(),
        rounds: None,
        size: (grounds.types.objects > 0 && sizes == Sizes::Looked).then_some(space.size),
    }
}

/// What assumptions and limits follow from.
struct Grounds<'a> {
    program: &'a Program,
    subject: FunctionId,
    space: &'a Space,
    sizes: Sizes,
    types: Types,
    actions: Vec<&'a Action>,
    /// Those that the subject can get at.
    named: BTreeSet<GlobalId>,
    /// Those that the subject can get at, and that may have changed before.
    globals: Vec<GlobalId>,
    outside: Outside,
}

impl Grounds<'_> {
    /// About the world.
    fn assumptions(&self) -> Vec<String> {
        let types = &self.types;
        let mut all = Vec::new();
        let mut assume = |holds: bool, what: &str| all.extend(holds.then(|| what.to_string()));
        assume(types.objects > 0 && self.sizes == Sizes::Any, "buffers have less than 2 GiB");
        assume(types.untyped, "pointers without a known type lead to bytes");
        if let Some(distinct) = self.distinct() {
            assume(true, &distinct);
        }
        let allocates = self.actions.iter().any(|action| matches!(action, Action::Allocate { .. }));
        assume(allocates, "allocations always succeed");
        let ends = |action: &&Action| matches!(action, Action::Stop(Fault::Exit | Fault::Abort));
        let is_read = |id: &GlobalId| self.program.is_kept_for_input(*id);
        assume(self.named.iter().any(is_read), "streams can be read without errors");
        let may_end = self.actions.iter().any(ends);
        assume(may_end, "inputs on which the original calls exit or abort are left out");
        all
    }

    /// Whether callers in the file may pass pointers to other things than bytes, where the type says nothing.
    /// Of a function that others can call, those who call it grant that they do not.
    fn is_given_anything(&self) -> bool {
        self.types.untyped && !self.program.function(self.subject).external
    }

    /// Which buffers are taken to be distinct. A buffer may be the same as another one, or as a global.
    /// Others in the file may call the subject in this way.
    fn distinct(&self) -> Option<String> {
        let Grounds { program, subject, space, types, globals, .. } = self;
        let may_meet = types.objects > 1 || (types.objects > 0 && !globals.is_empty());
        let shared = sharing(program, *subject, space);
        let all_shared = types.objects == 2 && globals.is_empty() && !shared.is_empty();
        if !may_meet || all_shared {
            return None;
        }
        let name = |at: usize| &program.function(*subject).signature.parameters[at].name;
        let pairs: Vec<String> =
            shared.iter().map(|(one, other)| format!("`{}` and `{}`", name(*one), name(*other))).collect();
        Some(match pairs.is_empty() {
            true => "pointers lead to distinct buffers".to_string(),
            false => format!("pointers lead to distinct buffers, except for {}", pairs.join(", ")),
        })
    }

    /// The inputs that were left out.
    fn limits(&self) -> Vec<String> {
        let Grounds { program, subject, space, types, globals, outside, .. } = self;
        let mut all = Vec::new();
        let mut limit = |holds: bool, what: &str| all.extend(holds.then(|| what.to_string()));
        let buffers = format!("pointers lead to the start of buffers of up to {} elements", space.size);
        limit(types.objects > 0 && self.sizes == Sizes::Looked, &buffers);
        limit(types.deeper, &format!("pointers nested deeper than {} are null", space.depth));
        limit(types.flexible, "flexible array members are empty");
        limit(types.mixed, "unions of pointers and other things hold a pointer, or zero");
        let functions = "function pointers name functions of this file that others can call, or are null";
        limit(types.functions, functions);
        let is_variadic = program.function(*subject).signature.variadic;
        limit(is_variadic, "no arguments are passed in the place of `...`");
        limit(types.padded, "unions with padding hold their largest member");
        // A function elsewhere can reach its arguments, memory that its caller knows, and global variables.
        let in_reach = types.objects > 0 || !globals.is_empty();
        limit(
            outside.is_given_pointers || (outside.is_called && in_reach),
            "functions without a body follow at most two pointers from their arguments, and change no memory",
        );
        limit(
            outside.returns_pointers && (outside.is_given_pointers || in_reach),
            "functions without a body return no pointer into their arguments or into other existing memory",
        );
        let reached = reachable(program, *subject);
        let volatile = program.volatile.iter().any(|function| reached.contains(function));
        limit(volatile, "volatile memory is memory like any other");
        let has_numbers = looks_at_addresses(program, *subject);
        limit(has_numbers, "code that uses addresses as numbers does the same at all addresses");
        // Nothing runs before `main`, if no other function calls it.
        let starts = is_main(program, *subject) && !is_called(program, *subject);
        let tells = |id: &FunctionId| {
            let function = program.function(*id);
            function.library && TELL_PLACES.contains(&function.name.as_str())
        };
        limit(!starts && reached.iter().any(tells), "streams are at their start");
        for global in globals.iter().filter(|global| !starts && !space.globals.contains(global)) {
            limit(true, &format!("`{}` starts with its initial value", program.global(*global).name));
        }
        all
    }
}

/// Adds the limits of a proof that does not follow each path to its end: whatever cut some of them.
pub(crate) fn up_to(granted: &mut Granted, bounds: Bounds, cuts: &BTreeSet<Cut>) {
    let iterations = match bounds.iterations {
        1 => "1 iteration".to_string(),
        many => format!("{many} iterations"),
    };
    let limit = |cut: &Cut| match cut {
        Cut::Iterations => format!("loops and recursion up to {iterations}"),
        Cut::Blocks => format!("the first {} blocks of the unrolled program", bounds.blocks),
        Cut::Calls => format!("up to {MAX_CALLS} nested calls"),
        Cut::Heap => format!("up to {HEAP} bytes where the input decides how much memory is allocated"),
        Cut::Lack(Lack::Memory) => "the part of the program that fits into memory".to_string(),
        Cut::Lack(Lack::Work) => "the part of the program for which fuel was enough".to_string(),
        Cut::Results => format!("the first {RESULTS} results of each function without a body"),
    };
    // No path was seen to be cut, but no solver could tell that none is. Then loops may be the reason.
    let unknown = BTreeSet::from([Cut::Iterations]);
    let cuts = if cuts.is_empty() { &unknown } else { cuts };
    granted.limits.splice(0..0, cuts.iter().map(limit));
    // Other cuts do not depend on how often something is repeated.
    let only_iterations = cuts.iter().all(|cut| *cut == Cut::Iterations);
    granted.rounds = Some(if only_iterations { bounds.iterations } else { 0 });
}

/// The functions without a body that the code calls, but for those that print.
#[derive(Default)]
struct Outside {
    is_called: bool,
    is_given_pointers: bool,
    returns_pointers: bool,
}

impl Outside {
    fn new(program: &Program, actions: &[&Action]) -> Outside {
        let mut outside = Outside::default();
        for action in actions {
            let Action::External { external, arguments } = action else { continue };
            let external = program.external(*external);
            if external.prints {
                continue;
            }
            outside.is_called = true;
            outside.is_given_pointers |= arguments.iter().any(|argument| program.has_pointers(argument.of));
            outside.returns_pointers |= external.result.is_some_and(|of| program.has_pointers(of));
        }
        outside
    }
}

/// What the types of the parameters have in them.
#[derive(Default)]
struct Types {
    objects: u32,
    untyped: bool,
    deeper: bool,
    flexible: bool,
    functions: bool,
    /// A union whose largest member has gaps, where another may have something.
    padded: bool,
    /// A union of pointers and other things.
    mixed: bool,
}

impl Types {
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
                self.mixed |= program.is_mixed(record);
                self.padded |= record.union && program.has_padding(of);
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

/// Whether another function may call this one.
fn is_called(program: &Program, function: FunctionId) -> bool {
    let mut others = (0..program.functions.len() as u32).map(FunctionId).filter(|id| *id != function);
    others.any(|other| reachable(program, other).contains(&function))
}

/// The globals that the code can get at and that somebody may have changed before.
fn changing_globals(program: &Program, named: &BTreeSet<GlobalId>) -> Vec<GlobalId> {
    // What C leaves open has any value, and is no variable of the program's. What the library keeps of a
    // stream is nothing but its place.
    let is_ours = |id: &GlobalId| {
        [program.parameter(), program.choice()].contains(&Some(*id)) || program.is_kept_for_input(*id)
    };
    let changes = |id: &GlobalId| !is_ours(id) && !is_fixed(program, *id);
    named.iter().copied().filter(changes).collect()
}

/// These functions of the library tell more of the place in a stream than what is left there, or change it.
const TELL_PLACES: [&str; 7] = [
    "__whet_clearerr",
    "__whet_feof",
    "__whet_ferror",
    "__whet_fseek",
    "__whet_ftell",
    "__whet_rewind",
    "__whet_ungetc",
];

#[cfg(test)]
mod tests {
    use ir::parse;

    use super::*;

    fn read(text: &str) -> Program {
        parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The function takes a pointer to a struct of a letter and a number. This is what a proof about it takes
    /// for granted, apart from what every pointer brings along.
    fn of_struct(body: &str) -> Granted {
        let program = read(&format!(
            r#"type 0 = s8 "char"
            type 1 = s32 "int"
            type 2 = struct "struct mixed" 8 {{ letter: type 0 at 0, number: type 1 at 32 }}
            type 3 = pointer "struct mixed *" to type 2
            function @f(%0 p: type 3) {{ block0: {body} return }}
            function @memcmp(%0 p: type 3) library {{ block0: return }}"#
        ));
        let mut found = granted(&program, FunctionId(0), &Space::default(), Sizes::Looked);
        found.limits.retain(|it| !it.starts_with("pointers lead to"));
        found
    }

    #[test]
    fn gaps_count_where_another_member_may_fill_them() {
        let check = |kind: &str, expect: &[&str]| {
            let program = read(&format!(
                r#"type 0 = s8 "char"
                type 1 = s32 "int"
                type 2 = struct "struct mixed" 8 {{ letter: type 0 at 0, number: type 1 at 32 }}
                type 3 = array 8 of type 0
                type 4 = {kind} {{ all: type 2 at 0, bytes: type 3 at {bytes} }}
                type 5 = pointer "void *" to type 4
                function @f(%0 p: type 5) {{ block0: return }}"#,
                bytes = if kind.starts_with("union") { 0 } else { 64 },
            ));
            let mut limits = granted(&program, FunctionId(0), &Space::default(), Sizes::Looked).limits;
            limits.retain(|it| !it.starts_with("pointers lead to"));
            assert_eq!(limits, expect);
        };
        check(r#"struct "struct both" 16"#, &[]);
        check(r#"union "union either" 8"#, &["unions with padding hold their largest member"]);
    }

    #[test]
    fn callers_of_a_static_function_may_pass_other_things_than_bytes() {
        let check = |end: &str, breaks: bool| {
            let program = read(&format!(
                r#"type 0 = s8 "char"
                type 1 = pointer "void *" untyped to type 0
                function @f(%0 p: type 1) {end} {{ block0: return }}"#
            ));
            let granted = granted(&program, FunctionId(0), &Space::default(), Sizes::Any);
            assert_eq!(granted.caller_may_break, breaks, "{granted:?}");
        };
        check("", false);
        check("static", true);
    }

    #[test]
    fn nothing_runs_before_main() {
        let check = |name: &str, other: &str, expect: &[&str]| {
            let program = read(&format!(
                r#"type 0 = s32 "int"
                global @level: type 0 = zero 4 static
                function @{name}() {{ block0: %0:i32 = load.i32 @level store @level, 1:i32 return }}
                function @other() {{ block0: {other} return }}"#
            ));
            assert_eq!(granted(&program, FunctionId(0), &Space::default(), Sizes::Looked).limits, expect);
        };
        check("main", "", &[]);
        check("begin", "", &["`level` starts with its initial value"]);
        check("main", "call @main()", &["`level` starts with its initial value"]);
    }

    #[test]
    fn inputs_that_end_the_program_are_left_out() {
        let granted = of_struct(r#"stop "call of exit""#);
        assert_eq!(granted.assumptions, ["inputs on which the original calls exit or abort are left out"]);
        assert!(!granted.is_limited());
    }

    /// The limits of a function without parameters that does this, beside one that does that.
    fn limits_beside(body: &str, other: &str) -> Vec<String> {
        let program = read(&format!(
            r#"type 0 = s32 "int"
            type 1 = pointer "int *" to type 0
            global @level: type 0 = zero 4 static
            external @ask(type 0) -> type 0
            external @find(type 0) -> type 1
            external @give(type 1)
            function @f() {{ block0: {body} return }}
            function @g() {{ block0: {other} return }}"#
        ));
        granted(&program, FunctionId(0), &Space::default(), Sizes::Looked).limits
    }

    #[test]
    fn a_static_variable_that_nobody_writes_is_a_constant() {
        let reads = "%0:i32 = load.i32 @level";
        assert_eq!(limits_beside(reads, ""), [""; 0]);
        let changes = ["`level` starts with its initial value"];
        assert_eq!(limits_beside(reads, "store @level, 1:i32"), changes);
        assert_eq!(limits_beside(reads, "external @give(@level: type 1)"), changes);
        assert_eq!(limits_beside(reads, r#"unsupported "inline assembly""#), changes);
    }

    #[test]
    fn functions_without_a_body_count_where_they_can_do_something() {
        let looks =
            "functions without a body follow at most two pointers from their arguments, and change no memory";
        let returns =
            "functions without a body return no pointer into their arguments or into other existing memory";
        assert_eq!(limits_beside("%0:i32 = external @ask(1:i32: type 0)", ""), [""; 0]);
        assert_eq!(limits_beside("%0:i64 = external @find(1:i32: type 0)", ""), [""; 0]);
        let given = "%0:i64 = local 4:i64 external @give(%0: type 1)";
        assert_eq!(limits_beside(given, ""), [looks]);
        let both = format!("{given} %1:i64 = external @find(1:i32: type 0)");
        assert_eq!(limits_beside(&both, ""), [looks, returns]);
        let state = "%0:i32 = external @ask(1:i32: type 0) store @level, %0";
        assert_eq!(limits_beside(state, ""), [looks, "`level` starts with its initial value"]);
    }
}
