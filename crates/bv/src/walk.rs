//! Walks over a graph: what lies below some terms, and the same with parts replaced.

use marks::Marks;
use rustc_hash::FxHashMap;

use crate::{Domain, Node, Term, Terms};

impl Terms {
    /// The roots and all terms below them, in ascending order: arguments come first.
    pub fn cone(&self, roots: &[Term]) -> Vec<Term> {
        let Some(top) = roots.iter().max() else { return vec![] };
        // Arguments have smaller numbers, so one sweep downwards meets every term after all
        // of its users. A bit per term makes the sweep cheap even where the cone is a speck.
        let mut marks = Marks::new(top.index() + 1);
        for root in roots {
            marks.set(root.index());
        }
        let mut cone = vec![];
        while let Some(index) = marks.pop_highest() {
            let term = self.at(index);
            cone.push(term);
            if let Node::Apply(_, arguments) = self.node(term) {
                for argument in arguments.iter() {
                    marks.set(argument.index());
                }
            }
        }
        cone.reverse();
        cone
    }

    /// The root with terms replaced as the map says, bottom-up.
    ///
    /// What changes goes through `apply`, so rewriting gets another chance. The map learns
    /// what became of every term on the way; a later call with the same map reuses it.
    pub fn rebuild(&mut self, root: Term, replace: &mut FxHashMap<Term, Term>) -> Term {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if replace.contains_key(&term) {
                stack.pop();
                continue;
            }
            let Node::Apply(op, arguments) = *self.node(term) else {
                replace.insert(term, term);
                continue;
            };
            let before = stack.len();
            stack.extend(arguments.iter().filter(|argument| !replace.contains_key(argument)));
            if stack.len() > before {
                continue;
            }
            let mut rebuilt = [term; 3];
            for (new, old) in rebuilt.iter_mut().zip(arguments.iter()) {
                *new = replace[old];
            }
            let rebuilt = &rebuilt[..arguments.len()];
            let new = if *rebuilt == *arguments { term } else { self.apply(op, rebuilt) };
            replace.insert(term, new);
        }
        replace[&root]
    }

    /// The root of another graph, in this one. The map says what its variables are here.
    pub fn adopt(&mut self, other: &Terms, root: Term, known: &mut FxHashMap<Term, Term>) -> Term {
        for term in other.cone(&[root]) {
            if known.contains_key(&term) {
                continue;
            }
            let here = match other.node(term) {
                Node::Constant(word) => self.constant(*word),
                Node::Variable(variable) => {
                    self.variable(other.variable_name(*variable), other.variable_width(*variable))
                }
                Node::Apply(op, arguments) => {
                    let arguments: Vec<Term> = arguments.iter().map(|argument| known[argument]).collect();
                    self.apply(*op, &arguments)
                }
            };
            known.insert(term, here);
        }
        known[&root]
    }
}

mod marks {
    /// A set of small numbers that is emptied from the top.
    pub(super) struct Marks {
        chunks: Vec<u64>,
    }

    impl Marks {
        pub(super) fn new(len: usize) -> Marks {
            Marks { chunks: vec![0; len.div_ceil(64)] }
        }

        pub(super) fn set(&mut self, index: usize) {
            self.chunks[index / 64] |= 1 << (index % 64);
        }

        pub(super) fn pop_highest(&mut self) -> Option<usize> {
            while let Some(chunk) = self.chunks.last_mut() {
                if *chunk == 0 {
                    self.chunks.pop();
                    continue;
                }
                let bit = 63 - chunk.leading_zeros() as usize;
                *chunk &= !(1 << bit);
                return Some((self.chunks.len() - 1) * 64 + bit);
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Word;

    #[test]
    fn a_cone_is_ascending_and_holds_what_is_below_only() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.variable(name, 8));
        let product = terms.mul(a, b);
        let other = terms.mul(b, c);
        let sum = terms.add(product, a);
        assert_eq!(terms.cone(&[sum]), [a, b, product, sum]);
        assert_eq!(terms.cone(&[other, c]), [b, c, other]);
        assert_eq!(terms.cone(&[]), []);
    }

    #[test]
    fn replacing_a_variable_folds_what_depends_on_it() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 8), terms.variable("b", 8));
        let product = terms.mul(a, b);
        let sum = terms.add(product, b);
        let zero = terms.constant(Word::zero(8));
        assert_eq!(terms.rebuild(sum, &mut FxHashMap::from_iter([(a, zero)])), b);
        assert_eq!(terms.rebuild(sum, &mut FxHashMap::default()), sum);
        assert_eq!(terms.rebuild(sum, &mut FxHashMap::from_iter([(product, zero)])), b);
    }

    #[test]
    fn a_chain_longer_than_the_stack_is_no_trouble() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
        let mut chain = a;
        for _ in 0..300_000 {
            let product = terms.mul(chain, b);
            chain = terms.add(product, a);
        }
        assert_eq!(terms.cone(&[chain]).len(), 600_002);
        let one = terms.constant(Word::new(32, 1));
        let zero = terms.constant(Word::new(32, 0));
        let chain = terms.rebuild(chain, &mut FxHashMap::from_iter([(a, one), (b, zero)]));
        assert_eq!(chain, one);
    }
}
