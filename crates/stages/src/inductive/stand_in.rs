//! Mutants that are another function: a second version of the subject, which is called in its place.

use ir::{Action, End, Function, FunctionId, Mutant, Operand, Program, Register};

/// The function that a mutant calls in place of the subject, with the same arguments, if there is one. The
/// first block of the subject asks a site for a number and switches by it. The mutant's own number leads to
/// nothing but the call.
pub(super) fn stand_in(program: &Program, subject: FunctionId, mutant: Mutant) -> Option<FunctionId> {
    let function = program.function(subject);
    let entry = function.blocks.first()?;
    let End::Switch { value: Operand::Register(chosen), cases, .. } = &entry.end else { return None };
    let asked = entry.instructions.iter().find(|instruction| instruction.result == Some(*chosen))?;
    let Action::Site { site, .. } = asked.action else { return None };
    let (_, arm) = program.site(site).variants.iter().find(|(variant, _)| *variant == mutant)?;
    let Operand::Constant(answer) = arm.result else { return None };
    let is_silent = arm.instructions.is_empty()
        && entry.instructions.iter().all(|it| it == asked || matches!(it.action, Action::Local { .. }));
    let (_, edge) = cases.iter().find(|(case, _)| *case == answer)?;
    let block = function.block(edge.to);
    let [call] = block.instructions.as_slice() else { return None };
    let Action::Call { function: other, arguments } = &call.action else { return None };
    let returned = match &block.end {
        End::Return(None) => true,
        End::Return(Some(Operand::Register(register))) => Some(*register) == call.result,
        _ => false,
    };
    (returned && is_silent && hands_on(function, arguments)).then_some(*other)
}

/// Whether these are the parameters of a function, in their order.
fn hands_on(function: &Function, arguments: &[Operand]) -> bool {
    let parameters = (0..function.arity as u32).map(|at| Operand::Register(Register(at)));
    arguments.iter().copied().eq(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether mutant 5 of a function with this first block is seen as a call of another function.
    fn check(entry: &str, expect: bool) {
        let text = format!(
            r#"function @f(%0 x: s32 "int") -> s32 "int" {{
block0:
{entry}
block1:
    %2:i32 = call @g(%0)
    return %2
block2:
    return %0
}}

function @g(%0 x: s32 "int") -> s32 "int" {{
block0:
    return 7:i32
}}

site 0() -> i32 {{
original:
    return 0:i32
mutant 5:
    return 5:i32
}}

site 1(%0:i32) -> i32 {{
original:
    return %0
mutant 6:
    return 6:i32
}}
"#
        );
        let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found = stand_in(&program, FunctionId(0), Mutant(5));
        assert_eq!(found, expect.then_some(FunctionId(1)), "{text}");
    }

    #[test]
    fn a_function_stands_in_where_the_site_alone_leads_to_it() {
        check("    %1:i32 = site 0()\n    switch %1 { 5:i32 => block1, default => block2 }", true);
    }

    #[test]
    fn a_switch_over_something_else_is_the_program_s_own() {
        check("    %1:i32 = site 0()\n    switch %0 { 5:i32 => block1, default => block2 }", false);
        check(
            "    %1:i32 = site 0()\n    %3:i32 = site 1(%0)\n    switch %3 { 5:i32 => block1, default => block2 }",
            false,
        );
        check(
            "    %1:i32 = site 0()\n    %3:i32 = add %1, 0:i32\n    switch %3 { 5:i32 => block1, default => block2 }",
            false,
        );
    }

    #[test]
    fn a_switch_that_leads_elsewhere_is_no_call() {
        check("    %1:i32 = site 0()\n    switch %1 { 4:i32 => block1, default => block2 }", false);
        check("    %1:i32 = site 0()\n    switch %1 { 5:i32 => block2, default => block1 }", false);
    }
}
