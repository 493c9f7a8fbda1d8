//! Guards of paths that join: the decision that tells the paths apart.

use bv::{Node, Op, Term, Terms};

/// A truth value that holds under the first guard and not under the second.
///
/// Two guards of a join exclude each other, so the first guard itself would do. But the decision that parts
/// them is a smaller term, and the same one in original and mutant.
pub(super) fn separating(terms: &Terms, guard: Term, other: Term) -> Term {
    let others = conjuncts(terms, other);
    let parts = |conjunct: &Term| others.iter().any(|other| negates(terms, *conjunct, *other));
    conjuncts(terms, guard).into_iter().find(parts).unwrap_or(guard)
}

/// More conjuncts of a guard are not looked at. The outermost decisions part the ways of a join.
const CONJUNCTS: usize = 8;

fn conjuncts(terms: &Terms, guard: Term) -> Vec<Term> {
    let mut found = vec![guard];
    let mut at = 0;
    while at < found.len() && found.len() < CONJUNCTS {
        if let Node::Apply(Op::And, arguments) = terms.node(found[at]) {
            let parts: Vec<Term> = arguments.iter().copied().collect();
            found.remove(at);
            found.extend(parts);
        } else {
            at += 1;
        }
    }
    found
}

fn negates(terms: &Terms, a: Term, b: Term) -> bool {
    let is_not =
        |a: Term, b: Term| matches!(terms.node(a), Node::Apply(Op::Not, arguments) if arguments[0] == b);
    is_not(a, b) || is_not(b, a)
}
