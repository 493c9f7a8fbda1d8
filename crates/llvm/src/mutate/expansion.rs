//! Mutants in code that comes out of a macro: at the place of the use, which the mutant replaces by what the macro stands for, with one
//! token changed. Other uses of the macro stay as they are.

use source::Text;

use crate::ast::{Expansion, Piece};
use crate::mutate::binary::{Binary, Operands};
use crate::mutate::operators::{Extent, Operator};

/// What a use becomes, for each change of one token that the operator makes.
pub(super) fn mutants(text: &Text, expansion: &Expansion, operator: Operator, extent: Extent) -> Vec<String> {
    let mut found = Vec::new();
    for at in 1..expansion.pieces.len() {
        let Piece::Token(token) = &expansion.pieces[at] else { continue };
        if !ends_operand(&expansion.pieces[at - 1]) {
            continue;
        }
        for other in others(token, operator, extent) {
            let mut pieces = expansion.pieces.clone();
            pieces[at] = Piece::Token(other.to_string());
            found.push(written(text, &pieces));
        }
    }
    found
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
