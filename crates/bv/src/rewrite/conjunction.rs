//! Conjunction: `And`, with `Or` inside `Not`.
//!
//! Guards of paths are long conjunctions that share their beginnings, and joins are
//! disjunctions of them: `g & c | g & !c` must be `g` again, or guards grow with every
//! branch that the program ever took. So a conjunction is seen as the set of its conjuncts,
//! as far as [`CONJUNCTS`] goes, and a negated conjunction as a clause.
//!
//! All of this holds bit by bit, hence at all widths; only comparisons are truth values.

use smallvec::SmallVec;

use super::relation::{self, Both};
use crate::{Domain, Op, Term, Terms, Word};

/// How many conjunctions are opened to see the conjuncts. The guards of the last few
/// branches are where the next branch finds its like.
const CONJUNCTS: usize = 8;

type Set = SmallVec<[Term; CONJUNCTS + 1]>;

pub(super) fn rewrite(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if a == b {
        return Some(a);
    }
    if let Some(mask) = terms.known(&b) {
        return masked(terms, a, mask);
    }
    let width = terms.width(&a);
    if terms.complementary(a, b) {
        return Some(terms.constant(Word::zero(width)));
    }
    if let Some(term) = constants_outwards(terms, a, b) {
        return Some(term);
    }
    if width == 1 {
        match relation::both(terms, a, b) {
            Some(Both::Never) => return Some(terms.truth(false)),
            Some(Both::First) => return Some(a),
            Some(Both::Second) => return Some(b),
            Some(Both::Is(claim)) => return Some(claim.build(terms)),
            None => {}
        }
    }
    let (left, right) = (conjuncts(terms, a), conjuncts(terms, b));
    if left.iter().any(|x| right.iter().any(|y| terms.complementary(*x, *y))) {
        return Some(terms.constant(Word::zero(width)));
    }
    if right.iter().all(|y| left.contains(y)) {
        return Some(a);
    }
    if left.iter().all(|x| right.contains(x)) {
        return Some(b);
    }
    for (whole, parts, single) in [(a, &left, b), (b, &right, a)] {
        if width == 1
            && parts.len() > 1
            && let Some(term) = with_comparison(terms, whole, parts, single)
        {
            return Some(term);
        }
    }
    // (g & c) & (g & d) is (g & c) & d.
    if right.iter().any(|y| left.contains(y)) {
        let rest = right.into_iter().filter(|y| !left.contains(y));
        return Some(rest.fold(a, |all, conjunct| terms.and(all, conjunct)));
    }
    for (other, facts, clause) in [(a, &left, b), (b, &right, a)] {
        if let Some(term) = with_clause(terms, other, facts, clause) {
            return Some(term);
        }
    }
    join(terms, terms.as_not(a)?, terms.as_not(b)?)
}

/// `a & mask`
fn masked(terms: &mut Terms, a: Term, mask: Word) -> Option<Term> {
    let width = mask.width();
    if mask.is_zero() {
        return Some(terms.constant(mask));
    }
    if mask.is_ones() {
        return Some(a);
    }
    if let Some((x, inner)) = terms.as_with_constant(Op::And, a) {
        return Some(terms.with_constant(Op::And, x, Op::And.eval(&[inner, mask])));
    }
    // The low bits are a cast to a smaller type and back.
    if (mask.bits() + 1).is_power_of_two() {
        let low = terms.extract(a, mask.bits().trailing_ones() - 1, 0);
        return Some(terms.zext(low, width));
    }
    if let Some((super::pattern::Extension::Zero, x)) = terms.as_extension(a) {
        let mask = Word::new(terms.width(&x), mask.bits());
        let masked = terms.with_constant(Op::And, x, mask);
        return Some(terms.zext(masked, width));
    }
    None
}

/// `(x & k) & b` is `(x & b) & k`; zero extensions go outwards likewise, being masks too.
fn constants_outwards(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    use super::pattern::Extension::Zero;
    for (a, b) in [(a, b), (b, a)] {
        if let Some((x, mask)) = terms.as_with_constant(Op::And, a) {
            let both = terms.and(x, b);
            return Some(terms.with_constant(Op::And, both, mask));
        }
    }
    let ((Zero, x), (Zero, y)) = (terms.as_extension(a)?, terms.as_extension(b)?) else { return None };
    // The wider source loses what the narrower one does not have.
    let narrow = terms.width(&x).min(terms.width(&y));
    let [x, y] = [x, y].map(|term| terms.extract(term, narrow - 1, 0));
    let both = terms.and(x, y);
    Some(terms.apply(Op::Zext(terms.width(&a)), &[both]))
}

/// A comparison beside a conjunction that has it decided already.
fn with_comparison(terms: &mut Terms, whole: Term, parts: &Set, single: Term) -> Option<Term> {
    for part in parts {
        match relation::both(terms, *part, single) {
            Some(Both::Never) => return Some(terms.truth(false)),
            Some(Both::First) => return Some(whole),
            _ => {}
        }
    }
    None
}

/// `other & !(p & q)`, given the conjuncts of `other`: what they contradict makes the clause
/// true, and what they say need not be said again.
fn with_clause(terms: &mut Terms, other: Term, facts: &Set, clause: Term) -> Option<Term> {
    let inner = terms.as_not(clause)?;
    terms.as_pair(Op::And, inner)?;
    let parts = conjuncts(terms, inner);
    if parts.iter().any(|part| facts.iter().any(|fact| terms.complementary(*part, *fact))) {
        return Some(other);
    }
    if !parts.iter().any(|part| facts.contains(part)) {
        return None;
    }
    let rest: Set = parts.into_iter().filter(|part| !facts.contains(part)).collect();
    let rest = all(terms, terms.width(&other), &rest);
    let rest = terms.not(rest);
    Some(terms.and(other, rest))
}

/// `!x & !y`, which is `!(x | y)`, where `x` and `y` are conjunctions with a common part:
/// `g & p | g & q` is `g & (p | q)`.
fn join(terms: &mut Terms, x: Term, y: Term) -> Option<Term> {
    terms.as_pair(Op::And, x)?;
    terms.as_pair(Op::And, y)?;
    let width = terms.width(&x);
    let (left, right) = aligned(terms, x, y);
    let common: Set = left.iter().copied().filter(|term| right.contains(term)).collect();
    if common.is_empty() {
        return None;
    }
    let own = |set: &Set| -> Set { set.iter().copied().filter(|term| !common.contains(term)).collect() };
    let (left, right) = (own(&left), own(&right));
    let (left, right) = (all(terms, width, &left), all(terms, width, &right));
    let either = terms.or(left, right);
    let common = all(terms, width, &common);
    let joined = terms.and(common, either);
    Some(terms.not(joined))
}

fn all(terms: &mut Terms, width: u32, conjuncts: &Set) -> Term {
    let ones = terms.constant(Word::ones(width));
    conjuncts.iter().fold(ones, |all, conjunct| terms.and(all, *conjunct))
}

/// The conjuncts of a term. What is not opened any more counts as one.
fn conjuncts(terms: &Terms, term: Term) -> Set {
    let mut set = Set::new();
    let mut stack: Set = SmallVec::from_slice(&[term]);
    let mut left = CONJUNCTS;
    while let Some(term) = stack.pop() {
        match terms.as_pair(Op::And, term) {
            Some((a, b)) if left > 0 => {
                left -= 1;
                stack.push(a);
                stack.push(b);
            }
            _ if set.contains(&term) => {}
            _ => set.push(term),
        }
    }
    set
}

/// The conjuncts of two terms, opened until they meet.
///
/// A shared part has a smaller number than what is built on it, so opening the newest
/// conjunction first, on whichever side it is, never opens one that both share.
fn aligned(terms: &Terms, x: Term, y: Term) -> (Set, Set) {
    let mut sets: [Set; 2] = [SmallVec::from_slice(&[x]), SmallVec::from_slice(&[y])];
    for _ in 0..CONJUNCTS {
        let [left, right] = &sets;
        let apart = left.iter().filter(|term| !right.contains(term));
        let apart = apart.chain(right.iter().filter(|term| !left.contains(term)));
        let newest = apart.copied().filter(|term| terms.as_pair(Op::And, *term).is_some()).max();
        let Some((newest, (a, b))) = newest.and_then(|term| Some((term, terms.as_pair(Op::And, term)?)))
        else {
            break;
        };
        let [left, right] = &mut sets;
        let side = if left.contains(&newest) { left } else { right };
        side.retain(|term| *term != newest);
        for part in [a, b] {
            if !side.contains(&part) {
                side.push(part);
            }
        }
    }
    let [mut left, mut right] = sets;
    left.sort_unstable();
    right.sort_unstable();
    (left, right)
}
