//! Evaluation: the value of a term, given the values of the variables.
//!
//! Values are kept per assignment, so asking for many terms of one graph costs each term
//! once. A choice evaluates its condition and then only the side that was taken. In a merged
//! program, this is about the path that the input takes.

use crate::{Domain, Node, Op, Term, Terms, Variable, Word};

/// The values of a graph's terms under one assignment, as far as they were asked for.
///
/// The graph may grow between questions: terms never change, so known values stay right.
#[derive(Clone)]
pub struct Evaluator {
    assignment: Vec<Word>,
    bits: Vec<u128>,
    /// `bits[i]` belongs to this assignment iff `stamps[i] == stamp`; a new assignment
    /// costs one increment rather than a sweep over the table. A stamp of 0 is nobody's.
    stamps: Vec<u32>,
    stamp: u32,
    stack: Vec<Term>,
}

impl Evaluator {
    /// Values by variable number. A variable beyond the end is zero.
    pub fn new(assignment: &[Word]) -> Evaluator {
        Evaluator { assignment: assignment.to_vec(), bits: vec![], stamps: vec![], stamp: 1, stack: vec![] }
    }

    /// Starts over with another assignment, and keeps the memory.
    pub fn assign(&mut self, assignment: &[Word]) {
        self.assignment.clear();
        self.assignment.extend_from_slice(assignment);
        self.stamp = self.stamp.checked_add(1).unwrap_or_else(|| {
            self.stamps.clear();
            1
        });
    }

    /// Forgets all values, and gives the memory back.
    pub fn forget(&mut self) {
        (self.bits, self.stamps) = (vec![], vec![]);
    }

    /// The value of the term. All questions to one evaluator must be about one graph.
    pub fn value(&mut self, terms: &Terms, root: Term) -> Word {
        if self.stamps.len() < terms.len() {
            self.bits.resize(terms.len(), 0);
            self.stamps.resize(terms.len(), 0);
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(root);
        while let Some(&term) = stack.last() {
            if self.get(terms, term).is_some() {
                stack.pop();
                continue;
            }
            match self.step(terms, term) {
                Step::Done(word) => self.set(term, word),
                Step::Needs(argument) => stack.push(argument),
            }
        }
        self.stack = stack;
        self.get(terms, root).expect("the loop ends when the root has a value")
    }

    fn step(&self, terms: &Terms, term: Term) -> Step {
        let (op, arguments) = match terms.node(term) {
            Node::Constant(word) => return Step::Done(*word),
            Node::Variable(variable) => return Step::Done(self.input(terms, *variable)),
            Node::Apply(op, arguments) => (*op, &**arguments),
        };
        if op == Op::Ite {
            let Some(condition) = self.get(terms, arguments[0]) else { return Step::Needs(arguments[0]) };
            let taken = if condition.is_true() { arguments[1] } else { arguments[2] };
            return self.get(terms, taken).map_or(Step::Needs(taken), Step::Done);
        }
        let mut words = [Word::truth(false); 3];
        for (word, argument) in words.iter_mut().zip(arguments) {
            let Some(value) = self.get(terms, *argument) else { return Step::Needs(*argument) };
            *word = value;
        }
        Step::Done(op.eval(&words[..arguments.len()]))
    }

    fn input(&self, terms: &Terms, variable: Variable) -> Word {
        let width = terms.variable_width(variable);
        let word = self.assignment.get(variable.index()).copied().unwrap_or(Word::zero(width));
        assert_eq!(word.width(), width, "{} has another width", terms.variable_name(variable));
        word
    }

    fn get(&self, terms: &Terms, term: Term) -> Option<Word> {
        let index = term.index();
        (self.stamps[index] == self.stamp).then(|| Word::new(terms.width(&term), self.bits[index]))
    }

    fn set(&mut self, term: Term, word: Word) {
        self.bits[term.index()] = word.bits();
        self.stamps[term.index()] = self.stamp;
    }
}

enum Step {
    Done(Word),
    Needs(Term),
}

impl Terms {
    /// The value of one term, given values by variable number. For more than one term, see
    /// [`Evaluator`].
    pub fn eval(&self, root: Term, assignment: &[Word]) -> Word {
        Evaluator::new(assignment).value(self, root)
    }

    /// The values of several terms under one assignment.
    pub fn evaluate(&self, roots: &[Term], assignment: &[Word]) -> Vec<Word> {
        let mut evaluator = Evaluator::new(assignment);
        roots.iter().map(|root| evaluator.value(self, *root)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_chain_is_evaluated_without_recursion() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
        let mut chain = a;
        for _ in 0..300_000 {
            let product = terms.mul(chain, b);
            chain = terms.add(product, a);
        }
        assert_eq!(terms.eval(chain, &[Word::new(32, 1), Word::new(32, 1)]), Word::new(32, 300_001));
    }

    #[test]
    fn an_evaluator_follows_a_growing_graph_and_a_new_assignment() {
        let mut terms = Terms::new();
        let a = terms.variable("a", 8);
        let mut evaluator = Evaluator::new(&[Word::new(8, 5)]);
        assert_eq!(evaluator.value(&terms, a), Word::new(8, 5));
        let square = terms.mul(a, a);
        assert_eq!(evaluator.value(&terms, square), Word::new(8, 25));
        evaluator.assign(&[Word::new(8, 6)]);
        assert_eq!(evaluator.value(&terms, square), Word::new(8, 36));
    }

    #[test]
    fn a_variable_beyond_the_assignment_is_zero() {
        let mut terms = Terms::new();
        let a = terms.variable("a", 8);
        assert_eq!(terms.eval(a, &[]), Word::zero(8));
    }
}
