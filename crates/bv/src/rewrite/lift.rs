//! Choices between constants: an operator goes to both sides, where it folds.
//!
//! `op(ite(c, k1, k2), k)` is `ite(c, op(k1, k), op(k2, k))`, and both sides are constants
//! again. C is full of them: a comparison is an `int` that is 0 or 1, and then it is
//! compared with 0 again.

use super::pattern::Choice;
use crate::{Domain, Op, Term, Terms, Word};

pub(super) fn over_constants(terms: &mut Terms, op: Op, arguments: &[Term]) -> Option<Term> {
    if op == Op::Ite {
        return None;
    }
    // All arguments are constants, or choices between constants by the same condition.
    let mut condition = None;
    let (mut yes, mut no) = ([Word::truth(false); 3], [Word::truth(false); 3]);
    for (at, argument) in arguments.iter().enumerate() {
        if let Some(word) = terms.known(argument) {
            (yes[at], no[at]) = (word, word);
            continue;
        }
        let Choice { condition: on, then: a, otherwise: b } = terms.as_choice_of_constants(*argument)?;
        if condition.is_some_and(|condition| condition != on) {
            return None;
        }
        condition = Some(on);
        (yes[at], no[at]) = (a, b);
    }
    let count = arguments.len();
    let yes = terms.constant(op.eval(&yes[..count]));
    let no = terms.constant(op.eval(&no[..count]));
    Some(terms.ite(condition?, yes, no))
}
