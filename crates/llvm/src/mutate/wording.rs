//! How a mutant reads in C: the same tree with one operation changed, in as little text as possible.

use std::ops::Range;

use source::{Edit, Text};

use super::operation::Operation;
use super::plan::Scope;
use crate::ast::{Function, NodeId, NodeKind, Origin, Token, skip_space};
use crate::mutate::binary::Binary;

/// Binds tighter than any operation of two operands.
const TIGHTEST: u8 = u8::MAX;

/// Punctuators that begin with another one, and comments.
const LONG_TOKENS: &[&str] = &[
    "++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "<<=", ">>=", "/*", "//", "<:", "<%", "%>", "%:", ":>", "##",
];

/// The change of one operation into another; None if C has no words for it.
pub(super) fn replace_operation(
    scope: &Scope<'_, '_>,
    id: NodeId,
    operation: &Operation<'_>,
    to: Binary,
) -> Option<Edit> {
    let (function, text) = (scope.function, scope.text);
    if to == Binary::OtherShr {
        return other_shift(scope, id, operation);
    }
    if let NodeKind::Compound { .. } = function[id].kind {
        let range = operation.token.range.clone();
        let replacement = glue(text, &range, &format!("{}=", to.token()));
        return Some(Edit { range, replacement });
    }
    replace_token(function, text, id, operation.token, to.token(), to.precedence())
}

/// A number or a variable becomes a parameter. What it is part of is shown with
/// it, if that is an operation on one line.
pub(super) fn parametric(scope: &Scope<'_, '_>, id: NodeId) -> Edit {
    let (function, text) = (scope.function, scope.text);
    let own = &function[id].range;
    let whole = function.explicit_parent(id).map(|(above, _)| &function[above]).filter(|above| {
        let is_operation = matches!(
            above.kind,
            NodeKind::Binary { .. } | NodeKind::Compound { .. } | NodeKind::Assign { .. }
        );
        is_operation
            && above.origin == Origin::Written
            && above.range.start <= own.start
            && own.end <= above.range.end
            && !text.slice(above.range.clone()).contains('\n')
    });
    let range = whole.map_or(own, |above| &above.range).clone();
    let name = parameter_name(text);
    let changed = value(text, own, name);
    let replacement = [text.slice(range.start..own.start), changed, text.slice(own.end..range.end)].concat();
    Edit { range, replacement }
}

/// A name for the parameter that the file does not have.
fn parameter_name(text: &Text) -> &'static str {
    let all = String::from_utf8_lossy(text.bytes());
    let mut words = all.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    if words.any(|word| word == "p") { "any_p" } else { "p" }
}

/// `&&` becomes `||`, and the other way round.
pub(super) fn replace_logical(function: &Function, text: &Text, id: NodeId) -> Option<Edit> {
    let NodeKind::Logical { and, token: Some(token) } = &function[id].kind else { return None };
    replace_token(function, text, id, token, if *and { "||" } else { "&&" }, logical(!and))
}

/// Another token between the two operands of a node, which binds so tightly.
/// There will be parentheses where the tree would change otherwise.
fn replace_token(
    function: &Function,
    text: &Text,
    id: NodeId,
    token: &Token,
    to: &str,
    tightness: u8,
) -> Option<Edit> {
    let [first, second] = function[id].children[..] else { return None };
    let range = function[id].range.clone();
    let replacement = glue(text, &token.range, to);
    let left = precedence(function, first) < tightness;
    let right = precedence(function, second) <= tightness;
    let whole = !fits(function, id, tightness);
    if !left && !right && !whole {
        return Some(Edit { range: token.range.clone(), replacement });
    }
    // Comments and line breaks between the operands stay where they are.
    let slice = |range: Range<usize>| text.slice(range);
    let sides = [
        parenthesised(slice(function[first].range.clone()), left),
        slice(function[first].range.end..token.range.start),
        replacement,
        slice(token.range.end..function[second].range.start),
        parenthesised(slice(function[second].range.clone()), right),
    ];
    is_text(text, &range).then(|| Edit { range, replacement: parenthesised(sides.concat(), whole) })
}

/// The right shift that the type does not have, by way of the type that has it.
fn other_shift(scope: &Scope<'_, '_>, id: NodeId, operation: &Operation<'_>) -> Option<Edit> {
    let (function, text) = (scope.function, scope.text);
    let range = function[id].range.clone();
    let (left, right) = (&function[operation.left], &function[operation.right]);
    let own = operation.class.integer()?;
    let other = own.with_sign(!own.signed);
    let (from, by) = (text.slice(left.range.clone()), text.slice(right.range.clone()));
    let shift = format!("({})(({})({from}) >> ({by}))", own.name(), other.name());
    let replacement = match function[id].kind {
        NodeKind::Binary { .. } => shift,
        // The left operand is written twice, so it must be something that may be evaluated twice.
        NodeKind::Compound { .. } if left.kind == NodeKind::Variable => format!("{from} = {shift}"),
        _ => return None,
    };
    is_text(text, &range).then(|| Edit { replacement: glue(text, &range, &replacement), range })
}

/// How tightly an operand holds together as it stands.
fn precedence(function: &Function, id: NodeId) -> u8 {
    match &function[function.explicit(id)].kind {
        _ if function[id].origin == Origin::Operand => TIGHTEST,
        NodeKind::Binary { op, .. } => op.precedence(),
        NodeKind::Logical { and, .. } => logical(*and),
        NodeKind::Compound { .. } | NodeKind::Assign { .. } | NodeKind::Conditional | NodeKind::Comma => 0,
        _ => TIGHTEST,
    }
}

/// How tightly `&&` binds, or `||`.
fn logical(and: bool) -> u8 {
    if and { 2 } else { 1 }
}

/// Whether an operation that binds so tightly can stand in place of the node without parentheses.
fn fits(function: &Function, id: NodeId, precedence: u8) -> bool {
    let Some((parent, child)) = function.explicit_parent(id) else { return true };
    let above = match &function[parent].kind {
        NodeKind::Binary { op, .. } => op.precedence(),
        NodeKind::Logical { and, .. } => logical(*and),
        _ => return true,
    };
    // Operations of two operands group from left to right.
    let is_left = function[parent].children.first() == Some(&child);
    if is_left { precedence >= above } else { precedence > above }
}

fn parenthesised(text: String, parentheses: bool) -> String {
    if parentheses { format!("({text})") } else { text }
}

/// An edit quotes what it replaces, and a report cannot quote bytes that are no text.
fn is_text(text: &Text, range: &Range<usize>) -> bool {
    std::str::from_utf8(&text.bytes()[range.clone()]).is_ok()
}

/// The replacement, kept apart from what stands around it: no two tokens become one.
pub(super) fn glue(text: &Text, range: &Range<usize>, replacement: &str) -> String {
    let (before, after) = (&text.bytes()[..range.start], &text.bytes()[range.end..]);
    let (first, last) = (replacement.as_bytes()[0], replacement.as_bytes()[replacement.len() - 1]);
    let space_before = before.last().is_some_and(|previous| {
        sticks(*previous, first) || (matches!(first, b'+' | b'-') && ends_in_exponent(before))
    });
    let space_after = after.first().is_some_and(|next| {
        let longer = format!("{replacement}{}", char::from(*next));
        let is_sign = matches!(next, b'+' | b'-');
        LONG_TOKENS.contains(&longer.as_str())
            || (is_word(last) && is_word(*next))
            || (is_sign && ends_in_exponent(replacement.as_bytes()))
    });
    let (before, after) = (if space_before { " " } else { "" }, if space_after { " " } else { "" });
    format!("{before}{replacement}{after}")
}

/// A value in place of another, as [`glue`] puts it there; one with a minus does
/// not follow a minus. In `i[a]` an operator before `i` would be one of the whole.
pub(super) fn value(text: &Text, range: &Range<usize>, replacement: &str) -> String {
    let follows_minus = text.bytes()[..range.start].ends_with(b"-");
    let is_indexed = text.bytes().get(skip_space(text.bytes(), range.end)) == Some(&b'[');
    if replacement.starts_with('-') && follows_minus || replacement.starts_with(['-', '~']) && is_indexed {
        return format!("({replacement})");
    }
    glue(text, range, replacement)
}

fn sticks(previous: u8, first: u8) -> bool {
    let pair = [previous, first];
    LONG_TOKENS.iter().any(|token| token.as_bytes() == pair) || (is_word(previous) && is_word(first))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || byte == b'\'' || byte >= 0x80
}

/// Whether the text ends in a number such as `0xe`, which a following sign would continue.
fn ends_in_exponent(text: &[u8]) -> bool {
    let start = text.iter().rposition(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')));
    let word = &text[start.map_or(0, |at| at + 1)..];
    word.first().is_some_and(u8::is_ascii_digit) && matches!(word.last(), Some(b'e' | b'E' | b'p' | b'P'))
}
