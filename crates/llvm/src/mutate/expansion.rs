//! Mutants in code that comes out of a macro. The mutant replaces one use of the macro
//! by what the macro stands for, with one token changed. Other uses stay as they are.
//!
//! A macro is text, but what it stands for at the place of its use is in the syntax tree. Only
//! a token that is an operation there is changed, and only into an operation on the same types.
//! So the star in `((void *)0)` stays, and a pointer plus a number does not become a product.

use source::Text;

use crate::ast::{Expansion, Function, Node, NodeId, NodeKind, Other, Piece};
use crate::mutate::binary::{Binary, Operands};
use crate::mutate::operators::{Extent, Operator};

/// What a use becomes, for each change of one token that the operator makes.
/// The node is all that the macro stands for.
pub(super) fn mutants(
    function: &Function,
    id: NodeId,
    text: &Text,
    expansion: &Expansion,
    operator: Operator,
    extent: Extent,
) -> Vec<String> {
    let pieces = &expansion.pieces;
    let tokens: Vec<(usize, &str)> =
        (1..pieces.len()).filter_map(|at| Some((at, token(pieces, at)?))).collect();
    let is_wanted = |(_, token): &(usize, &str)| !others(token, operator, extent).is_empty();
    if !tokens.iter().any(is_wanted) {
        return vec![];
    }
    let operations = operations(function, id);
    let spelling = |id: &NodeId| spelling(&function[*id].kind).unwrap_or_default();
    // There are more operations if the macro uses others, and more tokens if a cast looks like one.
    let is_exact = tokens.iter().map(|(_, token)| *token).eq(operations.iter().map(spelling));
    let mut found = Vec::new();
    for (nth, (at, token)) in tokens.into_iter().enumerate() {
        let is_meant = |(other, id): &(usize, &NodeId)| {
            if is_exact { *other == nth } else { spelling(id) == token }
        };
        let meant: Vec<&Node> =
            operations.iter().enumerate().filter(is_meant).map(|(_, id)| &function[*id]).collect();
        for other in others(token, operator, extent) {
            if meant.iter().any(|node| takes(function, node, other)) {
                let mut pieces = pieces.clone();
                pieces[at] = Piece::Token(other.to_string());
                found.push(written(text, &pieces));
            }
        }
    }
    found
}

/// The token of this piece, if it may be an operation of two operands.
fn token(pieces: &[Piece], at: usize) -> Option<&str> {
    let Piece::Token(token) = &pieces[at] else { return None };
    let is_operation = Binary::of_token(token).is_some() || ["&&", "||"].contains(&token.as_str());
    // A type with stars and qualifiers behind it ends in a parenthesis, or is one of several.
    let is_of_type = |piece: &&Piece| match piece {
        Piece::Token(word) => ["*", "const", "volatile", "restrict"].contains(&word.as_str()),
        Piece::Argument(_) => false,
    };
    let begins_operand = match pieces[at + 1..].iter().find(|piece| !is_of_type(piece)) {
        None => false,
        Some(Piece::Argument(_)) => true,
        Some(Piece::Token(word)) => ![")", "]", "}", ",", ";", ":", "?"].contains(&word.as_str()),
    };
    (is_operation && ends_operand(&pieces[at - 1]) && begins_operand).then_some(token)
}

/// The operations of two operands in the expansion that do not stand in the
/// text of the use, in the order of their tokens.
fn operations(function: &Function, id: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    // The second: its operands to the left are done.
    let mut open = vec![(id, false)];
    while let Some((id, is_between)) = open.pop() {
        let node = &function[id];
        match (&node.kind, &node.children[..]) {
            (NodeKind::Binary { token: None, .. } | NodeKind::Logical { token: None, .. }, [left, right]) => {
                if is_between {
                    found.push(id);
                } else {
                    open.extend([(*right, false), (id, true), (*left, false)]);
                }
            }
            (_, children) => open.extend(children.iter().rev().map(|child| (*child, false))),
        }
    }
    found
}

fn spelling(kind: &NodeKind) -> Option<&'static str> {
    match kind {
        NodeKind::Binary { op, .. } => Some(op.token()),
        NodeKind::Logical { and, .. } => Some(if *and { "&&" } else { "||" }),
        _ => None,
    }
}

/// Whether the operands of an operation are such that C has another one for them.
fn takes(function: &Function, node: &Node, other: &str) -> bool {
    let (NodeKind::Binary { op, .. }, Some(to)) = (&node.kind, Binary::of_token(other)) else { return true };
    let [left, right] = node.children[..] else { return false };
    let (left, right) = (&function[left], &function[right]);
    let is_pointer = |node: &Node| node.other == Some(Other::Pointer);
    let is_comparison = |op: Binary| op.sufficient_constant().is_some();
    // Long and complex floats and vectors are neither here nor there: what an
    // operation shows of them must do.
    let wants_integers = |op: Binary| op.meaning(Operands::Float).is_none();
    match (left.integer, right.integer) {
        (Some(_), Some(_)) => true,
        _ if is_comparison(*op) => {
            !op.is_equality() || to.is_equality() || is_ordered(left) && is_ordered(right)
        }
        // Only a pointer plus a number has another one: minus the number.
        _ if is_pointer(left) || is_pointer(right) => {
            right.integer.is_some() && matches!(to, Binary::Add | Binary::Sub)
        }
        _ => !wants_integers(to) || wants_integers(*op),
    }
}

/// Whether things of its type come before and after each other, for all that is known.
fn is_ordered(node: &Node) -> bool {
    node.integer.is_some() || node.other.is_some()
}

/// What an operator puts in place of a token between two operands. The type of the result stays what it is.
fn others(token: &str, operator: Operator, extent: Extent) -> Vec<&'static str> {
    match (operator, token) {
        (Operator::Lcr, "&&") => vec!["||"],
        (Operator::Lcr, "||") => vec!["&&"],
        (Operator::Aor | Operator::Ror | Operator::Bor, _) => {
            let Some(op) = Binary::of_token(token).filter(|op| operator.operations().contains(op)) else {
                return vec![];
            };
            let operations = match extent {
                Extent::Sufficient => op.sufficient(Operands::Signed),
                Extent::Full => operator.operations(),
            };
            let alike =
                |to: &&Binary| **to != op && **to != Binary::OtherShr && to.is_shift() == op.is_shift();
            operations.iter().filter(alike).map(|to| to.token()).collect()
        }
        _ => vec![],
    }
}

/// Whether what follows stands between two operands.
fn ends_operand(piece: &Piece) -> bool {
    match piece {
        Piece::Argument(_) => true,
        Piece::Token(token) => {
            let last = token.as_bytes()[token.len() - 1];
            last.is_ascii_alphanumeric() || matches!(last, b'_' | b')' | b']' | b'\'' | b'"')
        }
    }
}

/// The pieces as a person would write them.
fn written(text: &Text, pieces: &[Piece]) -> String {
    let mut out = String::new();
    let mut before = "(".to_string();
    for piece in pieces {
        let word = match piece {
            Piece::Token(token) => token.clone(),
            Piece::Argument(range) => text.slice(range.clone()),
        };
        let is_tight = before.ends_with(['(', '[', '!', '~', '.'])
            || before == "->"
            || [")", "]", ",", ";", ".", "->"].contains(&word.as_str())
            || word == "(" && before.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_')
            || word == "[";
        if !is_tight {
            out.push(' ');
        }
        out += &word;
        before = word;
    }
    out
}
