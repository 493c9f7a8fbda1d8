//! Mutants that are wrong in one special case only. The meta-mutant has no code
//! for them: a test that has the case kills them.

use std::collections::BTreeMap;

use inkwell::module::Module;
use ir::SpecialCase;
use source::{Change, Edit, Text};

use crate::ast::{Ast, Function, NodeKind, Statement};
use crate::lift;
use crate::mutate::operators::Operator;

/// Where the bodies of functions begin, by name: at the brace.
pub(crate) fn bodies(ast: &Ast, is_chosen: impl Fn(&Function) -> bool) -> BTreeMap<String, usize> {
    let own = ast.functions.iter().filter(|function| function.header.is_none() && is_chosen(function));
    own.filter_map(|function| Some((function.symbol.clone(), body(function)?))).collect()
}

fn body(function: &Function) -> Option<usize> {
    let nodes = function.ids().map(|id| &function[id]);
    let blocks = nodes.filter(|node| matches!(node.kind, NodeKind::Statement(Statement::Block)));
    blocks.map(|node| node.range.start).min()
}

/// The changes for the special cases of these functions, behind all others; each with its number.
pub(crate) fn changes(
    module: &Module,
    text: &Text,
    bodies: &BTreeMap<String, usize>,
    changes: &mut Vec<Change>,
) -> Vec<(u32, SpecialCase)> {
    let lifted = lift::lift(module, &|at| at);
    let program = &lifted.program;
    let mut cases = Vec::new();
    let mut functions: Vec<(usize, ir::FunctionId)> = lifted
        .external
        .iter()
        .filter_map(|id| Some((*bodies.get(&program.function(*id).name)?, *id)))
        .filter(|(brace, _)| text.bytes().get(*brace) == Some(&b'{'))
        .collect();
    functions.sort_unstable();
    for (brace, id) in functions {
        for case in program.special_cases(id) {
            let words = program.special_case_in_words(id, case);
            let edit = Edit {
                range: brace..brace + 1,
                replacement: format!("{{ /* as if {words} were forgotten */"),
            };
            let change = Change::new(text, Operator::Sci.name(), &program.function(id).name, edit);
            changes.push(Change { special_case: Some(words), ..change });
            cases.push((changes.len() as u32, case));
        }
    }
    cases
}
