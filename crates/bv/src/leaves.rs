//! Comparisons of choices, by what there is to choose from.
//!
//! The least of three words is a choice of choices. Where two such choices differ depends on the order of
//! the three words alone. A solver that compares the results bit by bit sees nothing of that. So comparisons
//! move into the choices until no compared word is a choice. These words are few. That their order is
//! transitive and total is stated beside the formula, so that the solver need not find out.
//!
//! After eager encodings of separation logic (Strichman, Seshia and Bryant, 2002).

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::formula::{and, equal, not, or};
use crate::rewrite::Choice;
use crate::{Domain, Node, Op, Term, Terms};

/// At most so many comparisons are made. Each choice on one side doubles them if nothing is shared.
const COMPARISONS: usize = 500;

/// The order of so many words is spelt out. The number of its laws grows with the third power.
const WORDS: usize = 8;

impl Terms {
    /// The same truth value, where no compared word is a choice. None if none was, or if there are too many.
    pub fn compare_leaves(&mut self, root: Term) -> Option<Term> {
        let mut lifting =
            Lifting { terms: self, lifted: FxHashMap::default(), words: BTreeMap::new(), changed: false };
        let root = lifting.root(root)?;
        if !lifting.changed {
            return None;
        }
        let laws = lifting.laws();
        Some(self.and(root, laws))
    }
}

struct Lifting<'a> {
    terms: &'a mut Terms,
    lifted: FxHashMap<(Op, Term, Term), Term>,
    /// The words that are compared in the end, by the operator that compares them.
    words: BTreeMap<Op, BTreeSet<Term>>,
    /// Whether any comparison was one of choices.
    changed: bool,
}

impl Lifting<'_> {
    fn root(&mut self, root: Term) -> Option<Term> {
        let mut new: FxHashMap<Term, Term> = FxHashMap::default();
        for term in self.terms.cone(&[root]) {
            let Node::Apply(op, arguments) = *self.terms.node(term) else {
                new.insert(term, term);
                continue;
            };
            let given: Vec<Term> = arguments.iter().map(|argument| new[argument]).collect();
            let compares = matches!(op, Op::Eq | Op::Slt | Op::Ult) && self.terms.width(&given[0]) > 1;
            let result =
                if compares { self.compare(op, given[0], given[1])? } else { self.terms.apply(op, &given) };
            new.insert(term, result);
        }
        Some(new[&root])
    }

    /// None if that takes too many comparisons.
    fn compare(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        if let Some(known) = self.lifted.get(&(op, a, b)) {
            return Some(*known);
        }
        if self.lifted.len() == COMPARISONS {
            return None;
        }
        let result = match (self.terms.as_choice(a), self.terms.as_choice(b)) {
            (Some(Choice { condition, then, otherwise }), _) => {
                self.changed = true;
                let (then, otherwise) = (self.compare(op, then, b)?, self.compare(op, otherwise, b)?);
                self.terms.ite(condition, then, otherwise)
            }
            (None, Some(Choice { condition, then, otherwise })) => {
                self.changed = true;
                let (then, otherwise) = (self.compare(op, a, then)?, self.compare(op, a, otherwise)?);
                self.terms.ite(condition, then, otherwise)
            }
            (None, None) => {
                self.words.entry(op).or_default().extend([a, b]);
                self.terms.apply(op, &[a, b])
            }
        };
        self.lifted.insert((op, a, b), result);
        Some(result)
    }

    /// What holds of the words that are compared, whatever they are.
    fn laws(&mut self) -> Term {
        let equal = self.words.remove(&Op::Eq).unwrap_or_default();
        let mut laws = vec![];
        for (less, mut words) in std::mem::take(&mut self.words) {
            words.extend(&equal);
            // Only words of one width are compared with each other.
            let widths: BTreeSet<u32> = words.iter().map(|word| self.terms.width(word)).collect();
            for width in widths {
                let words: Vec<Term> =
                    words.iter().copied().filter(|word| self.terms.width(word) == width).collect();
                if words.len() <= WORDS {
                    self.order(less, &words, &mut laws);
                }
            }
        }
        self.terms.all(laws)
    }

    /// The laws of an order on some words.
    fn order(&mut self, less: Op, words: &[Term], laws: &mut Vec<Term>) {
        let terms = &mut *self.terms;
        for x in words {
            for y in words.iter().filter(|y| *y != x) {
                let (below, above) = (terms.apply(less, &[*x, *y]), terms.apply(less, &[*y, *x]));
                laws.push(terms.equal(or(below, above), not(equal(*x, *y))));
                for z in words.iter().filter(|z| *z != x && *z != y) {
                    let (further, beyond) = (terms.apply(less, &[*y, *z]), terms.apply(less, &[*x, *z]));
                    laws.push(terms.implies(and(below, further), beyond));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_two_choices_is_a_matter_of_their_order() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.variable(name, 32));
        let mut least = |x: Term, y: Term| {
            let less = terms.slt(x, y);
            terms.ite(less, x, y)
        };
        let ab = least(a, b);
        let (one, ca) = (least(ab, c), least(c, a));
        let other = least(b, ca);
        let same = terms.equal(one, other);
        let leaves = terms.compare_leaves(same).expect("choices are compared");
        let compared = |term: &Term| match terms.node(*term) {
            Node::Apply(Op::Eq | Op::Slt, arguments) => terms.width(&arguments[0]) == 32,
            _ => false,
        };
        let mut compared = terms.cone(&[leaves]).into_iter().filter(compared);
        let inputs = [a, b, c];
        assert!(compared.all(|term| match terms.node(term) {
            Node::Apply(_, arguments) => arguments.iter().all(|argument| inputs.contains(argument)),
            _ => false,
        }));
    }

    #[test]
    fn what_has_no_choices_stays_as_it_is() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
        let less = terms.slt(a, b);
        assert_eq!(terms.compare_leaves(less), None);
    }
}
