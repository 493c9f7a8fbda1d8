//! Relations: what two comparisons of the same things say together.
//!
//! `a < b`, `a = b` and their negations each allow some of *less*, *equal*, *greater*, and
//! their conjunction allows what both do. Against constants they allow an interval, or all
//! but one value. So `a <= b && a != b` is `a < b`, and `x == 1 && x == 2` is false, as it
//! is when a `switch` asks twice.

use crate::{Domain, Node, Op, Term, Terms, Word};

/// What two truth values say together.
pub(super) enum Both {
    Never,
    /// The first implies the second.
    First,
    /// The second implies the first.
    Second,
    Is(Claim),
}

/// A comparison that `build` makes: `op(left, right)`, or its negation.
pub(super) struct Claim {
    op: Op,
    left: Term,
    right: Side,
    holds: bool,
}

enum Side {
    Term(Term),
    Constant(Word),
}

impl Claim {
    pub(super) fn build(self, terms: &mut Terms) -> Term {
        let right = match self.right {
            Side::Term(term) => term,
            Side::Constant(word) => terms.constant(word),
        };
        let term = terms.apply(self.op, &[self.left, right]);
        if self.holds { term } else { terms.not(term) }
    }
}

/// A comparison, or the negation of one.
#[derive(Clone, Copy)]
struct Literal {
    op: Op,
    left: Term,
    right: Term,
    holds: bool,
}

/// The conjunction of two truth values, if both compare the same.
pub(super) fn both(terms: &Terms, first: Term, second: Term) -> Option<Both> {
    let (first, second) = (literal(terms, first)?, literal(terms, second)?);
    // Signed and unsigned order have nothing to say to each other.
    if first.op != second.op && first.op != Op::Eq && second.op != Op::Eq {
        return None;
    }
    let same = first.left == second.left && first.right == second.right;
    let turned = first.left == second.right && first.right == second.left;
    if same || turned {
        return sides(first, second, turned);
    }
    if first.left == second.left {
        let words = (terms.known(&first.right)?, terms.known(&second.right)?);
        return ranges(first, words.0, second, words.1);
    }
    None
}

fn literal(terms: &Terms, term: Term) -> Option<Literal> {
    let (term, holds) = match terms.as_not(term) {
        Some(inner) => (inner, false),
        None => (term, true),
    };
    match terms.node(term) {
        Node::Apply(op @ (Op::Eq | Op::Ult | Op::Slt), arguments) => {
            Some(Literal { op: *op, left: arguments[0], right: arguments[1], holds })
        }
        _ => None,
    }
}

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const ANY: u8 = LESS | EQUAL | GREATER;

/// Two relations between the same two terms, perhaps the other way round.
fn sides(first: Literal, second: Literal, turned: bool) -> Option<Both> {
    let allowed = |literal: Literal, turned: bool| {
        let positive = match (literal.op, turned) {
            (Op::Eq, _) => EQUAL,
            (_, false) => LESS,
            (_, true) => GREATER,
        };
        if literal.holds { positive } else { ANY & !positive }
    };
    let (a, b) = (allowed(first, false), allowed(second, turned));
    let meet = a & b;
    if meet == 0 {
        return Some(Both::Never);
    }
    if meet == a {
        return Some(Both::First);
    }
    if meet == b {
        return Some(Both::Second);
    }
    let order = if first.op == Op::Eq { second.op } else { first.op };
    let (left, right) = (first.left, first.right);
    let claim = |op, left, right, holds| Some(Both::Is(Claim { op, left, right: Side::Term(right), holds }));
    match meet {
        LESS => claim(order, left, right, true),
        GREATER => claim(order, right, left, true),
        EQUAL => claim(Op::Eq, left, right, true),
        // Two of three are a relation's negation, and a meet that large is one of its parts.
        _ => None,
    }
}

/// Which values of a term are allowed, counted from the least one of the order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Between(u128, u128),
    AllBut(u128),
}

/// Two relations of the same term to constants.
fn ranges(first: Literal, first_word: Word, second: Literal, second_word: Word) -> Option<Both> {
    let order = if first.op == Op::Eq { second.op } else { first.op };
    let width = first_word.width();
    let most = Word::ones(width).bits();
    // Turning the sign bit around maps the signed order to the unsigned one.
    let bias = if order == Op::Slt { Word::signed_min(width).bits() } else { 0 };
    let allowed = |literal: Literal, word: Word| {
        let rank = word.bits() ^ bias;
        match (literal.op, literal.holds) {
            (Op::Eq, true) => Some(Allowed::Between(rank, rank)),
            (Op::Eq, false) => Some(Allowed::AllBut(rank)),
            (_, true) => Some(Allowed::Between(0, rank.checked_sub(1)?)),
            (_, false) => Some(Allowed::Between(rank, most)),
        }
    };
    let (a, b) = (allowed(first, first_word)?, allowed(second, second_word)?);
    let (least, greatest) = match (a, b) {
        (Allowed::Between(a, b), Allowed::Between(c, d)) => (a.max(c), b.min(d)),
        (Allowed::Between(least, greatest), Allowed::AllBut(hole))
        | (Allowed::AllBut(hole), Allowed::Between(least, greatest)) => {
            if least == hole && hole == greatest {
                return Some(Both::Never);
            } else if least == hole {
                (least + 1, greatest)
            } else if greatest == hole {
                (least, greatest - 1)
            } else if hole < least || greatest < hole {
                (least, greatest)
            } else {
                return None;
            }
        }
        (Allowed::AllBut(_), Allowed::AllBut(_)) => return None,
    };
    if least > greatest {
        return Some(Both::Never);
    }
    let meet = Allowed::Between(least, greatest);
    if meet == a {
        return Some(Both::First);
    }
    if meet == b {
        return Some(Both::Second);
    }
    let claim = |op, rank: u128, holds| {
        let right = Side::Constant(Word::new(width, rank ^ bias));
        Some(Both::Is(Claim { op, left: first.left, right, holds }))
    };
    if least == greatest {
        claim(Op::Eq, least, true)
    } else if least == 0 && greatest < most {
        claim(order, greatest + 1, true)
    } else if greatest == most && least > 0 {
        claim(order, least, false)
    } else {
        None
    }
}
