//! Constants that are several nodes, but one thing to the reader: `-1`, and the uses of `#define LIMIT (-1)`.

use std::collections::HashSet;

use super::macros::{Macros, Number};
use super::{Function, Literal, LiteralForm, NodeId, NodeKind, Origin, Statement, Unary};

pub(super) fn fold(function: &mut Function, macros: &Macros) {
    let mut operands = HashSet::new();
    // Parents come before their children, so that the outermost node of a macro's expansion is met first.
    for id in function.ids() {
        let range = function[id].range.clone();
        let number = macros.number(&range).filter(|_| function[id].origin != Origin::Written);
        if number.is_some_and(|number| replace_expansion(function, id, number)) {
            operands.insert(range.start);
        } else if function[id].kind == NodeKind::Unary(Unary::Minus) && function[id].origin == Origin::Written
        {
            fold_minus(function, id);
        }
        hide_value(function, id);
    }
    // `#define N -1` is no operand in `a N`, but one in `a - N`: now we know.
    for node in
        function.nodes.iter_mut().filter(|node| node.origin == Origin::Tangled && !node.range.is_empty())
    {
        node.origin = macros.origin_knowing(&node.range, &operands);
    }
}

fn fold_minus(function: &mut Function, id: NodeId) {
    let child = function[id].children[0];
    let NodeKind::Literal(Literal { form: LiteralForm::Number(_), .. }) = &function[child].kind else {
        return;
    };
    let (true, Some(literal)) = (function[child].origin == Origin::Written, constant(function, id)) else {
        return;
    };
    replace(function, id, literal);
}

/// Whether the node is all that this macro stands for; then it is a literal now.
fn replace_expansion(function: &mut Function, id: NodeId, number: &Number) -> bool {
    let is_inner =
        function.explicit_parent(id).is_some_and(|(parent, _)| function[parent].range == function[id].range);
    if is_inner || function[id].kind == NodeKind::Implicit {
        return false;
    }
    let mut inner = id;
    while function[inner].kind == NodeKind::Paren {
        inner = function[inner].children[0];
    }
    let is_negative = function[inner].kind == NodeKind::Unary(Unary::Minus);
    let Some(literal) = constant(function, inner).filter(|_| is_negative == number.negative) else {
        return false;
    };
    replace(function, id, Literal { value: literal.value, form: number.form.clone() });
    function.nodes[id.0 as usize].origin = Origin::Written;
    true
}

/// A literal, or one with a minus before it.
fn constant(function: &Function, id: NodeId) -> Option<Literal> {
    let node = &function[id];
    match &node.kind {
        NodeKind::Literal(literal) => Some(literal.clone()),
        NodeKind::Unary(Unary::Minus) => {
            let NodeKind::Literal(literal) = &function[node.children[0]].kind else { return None };
            let value = node.integer?.convert(-literal.value);
            Some(Literal { value, form: literal.form.clone() })
        }
        _ => None,
    }
}

fn replace(function: &mut Function, id: NodeId, literal: Literal) {
    let mut below = std::mem::take(&mut function.nodes[id.0 as usize].children);
    while let Some(child) = below.pop() {
        let child = &mut function.nodes[child.0 as usize];
        child.kind = NodeKind::Other;
        below.append(&mut child.children);
    }
    function.nodes[id.0 as usize].kind = NodeKind::Literal(literal);
}

/// The last statement of a GNU statement expression is its value, so there is no statement there
/// of which we may say that its value is not used.
fn hide_value(function: &mut Function, id: NodeId) {
    let is_block = function[id].kind == NodeKind::Statement(Statement::Block);
    let Some(parent) = function.parent(id).filter(|_| is_block) else { return };
    let in_statement = match function[parent].kind {
        NodeKind::Statement(_) | NodeKind::For => true,
        // The body of the function.
        _ => function.parent(parent).is_none(),
    };
    if !in_statement {
        function.nodes[id.0 as usize].kind = NodeKind::Other;
    }
}
