//! Sorting sums, on demand.
//!
//! Rewriting leaves `(a + b) + c` and `a + (b + c)` apart, because sorting tears shared parts of sums
//! asunder. But two loops that add up the same things in another order are hopeless for a
//! SAT solver, and trivial once both sums are sorted. So a search that is stuck may sort a whole cone.
//!
//! All equations hold modulo 2^w, so there is no side condition.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::{Domain, Node, Op, Term, Terms, Word};

/// Longer sums are left as they are: every prefix of a chain is sorted anew, so the work is quadratic.
const LONGEST: usize = 128;

/// `constant + Σ factor · term`. No factor is zero.
#[derive(Clone)]
struct Sum {
    factors: BTreeMap<Term, Word>,
    constant: Word,
}

impl Terms {
    /// The same value, with every sum below it in one order.
    pub fn sort_sums(&mut self, root: Term) -> Term {
        let mut sorted: FxHashMap<Term, Term> = FxHashMap::default();
        let mut sums: FxHashMap<Term, Sum> = FxHashMap::default();
        for term in self.cone(&[root]) {
            let Node::Apply(op, arguments) = *self.node(term) else {
                sorted.insert(term, term);
                continue;
            };
            let arguments: Vec<Term> = arguments.iter().map(|argument| sorted[argument]).collect();
            let sum = self.as_sum(op, &arguments, &sums).filter(|sum| sum.factors.len() <= LONGEST);
            let new = match sum {
                Some(sum) => {
                    let new = self.build_sum(&sum);
                    sums.insert(new, sum);
                    new
                }
                None => self.apply(op, &arguments),
            };
            sorted.insert(term, new);
        }
        sorted[&root]
    }

    /// The operation as a sum over what its arguments are sums of, if it is one.
    fn as_sum(&self, op: Op, arguments: &[Term], sums: &FxHashMap<Term, Sum>) -> Option<Sum> {
        let width = self.width(&arguments[0]);
        if width == 1 {
            return None;
        }
        let sum = |term: Term| match self.known(&term) {
            Some(constant) => Sum { factors: BTreeMap::new(), constant },
            None => sums.get(&term).cloned().unwrap_or_else(|| Sum {
                factors: BTreeMap::from([(term, Word::one(width))]),
                constant: Word::zero(width),
            }),
        };
        let minus_one = Word::ones(width);
        match op {
            Op::Add => Some(sum(arguments[0]).plus(sum(arguments[1]))),
            Op::Sub => Some(sum(arguments[0]).plus(sum(arguments[1]).times(minus_one))),
            Op::Neg => Some(sum(arguments[0]).times(minus_one)),
            // ~x is -x - 1.
            Op::Not => Some(
                sum(arguments[0])
                    .times(minus_one)
                    .plus(Sum { factors: BTreeMap::new(), constant: minus_one }),
            ),
            Op::Mul => {
                let (factor, other) = match (self.known(&arguments[0]), self.known(&arguments[1])) {
                    (Some(factor), _) => (factor, arguments[1]),
                    (_, Some(factor)) => (factor, arguments[0]),
                    _ => return None,
                };
                Some(sum(other).times(factor))
            }
            Op::Shl => {
                let amount = self.known(&arguments[1])?;
                Some(sum(arguments[0]).times(Op::Shl.eval(&[Word::one(width), amount])))
            }
            _ => None,
        }
    }

    fn build_sum(&mut self, sum: &Sum) -> Term {
        let mut total = self.constant(sum.constant);
        for (term, factor) in &sum.factors {
            // A small negative factor reads, and multiplies, better as a subtraction.
            let negative = factor.signed() < 0;
            let factor = if negative { Op::Neg.eval(&[*factor]) } else { *factor };
            let factor = self.constant(factor);
            let product = self.mul(*term, factor);
            total = self.apply(if negative { Op::Sub } else { Op::Add }, &[total, product]);
        }
        total
    }
}

impl Sum {
    fn plus(mut self, other: Sum) -> Sum {
        self.constant = Op::Add.eval(&[self.constant, other.constant]);
        for (term, factor) in other.factors {
            let total = self.factors.get(&term).map_or(factor, |before| Op::Add.eval(&[*before, factor]));
            self.factors.insert(term, total);
        }
        self.without_zeros()
    }

    fn times(mut self, factor: Word) -> Sum {
        self.constant = Op::Mul.eval(&[self.constant, factor]);
        for each in self.factors.values_mut() {
            *each = Op::Mul.eval(&[*each, factor]);
        }
        self.without_zeros()
    }

    fn without_zeros(mut self) -> Sum {
        self.factors.retain(|_, factor| !factor.is_zero());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_the_same_things_become_the_same_term() {
        let mut terms = Terms::new();
        let parts: Vec<Term> = (0..20).map(|at| terms.variable(&format!("x{at}"), 32)).collect();
        let zero = terms.constant(Word::zero(32));
        let up = parts.iter().fold(zero, |sum, part| terms.add(sum, *part));
        let down = parts.iter().rev().fold(zero, |sum, part| terms.add(*part, sum));
        assert_ne!(up, down);
        assert_eq!(terms.sort_sums(up), terms.sort_sums(down));
    }

    #[test]
    fn factors_are_collected_and_cancelled() {
        let mut terms = Terms::new();
        let (a, b, c) = (terms.variable("a", 8), terms.variable("b", 8), terms.variable("c", 8));
        let product = terms.mul(b, c);
        let left = terms.sub(a, product);
        let right = terms.add(product, b);
        let sum = terms.add(left, right);
        let expect = terms.add(a, b);
        assert_eq!(terms.sort_sums(sum), terms.sort_sums(expect));
    }
}
