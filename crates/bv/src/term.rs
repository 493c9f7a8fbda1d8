//! Terms: hash-consed expressions over words.
//!
//! A graph of terms only ever grows. A term is a number, equal terms of one graph have
//! equal numbers, and the arguments of a term have smaller numbers than the term: going
//! through the numbers upwards is going from the inputs to the results. Everything that
//! walks a graph relies on this and needs no recursion, because unrolled programs give
//! chains of arguments that are longer than any stack.
//!
//! [`Terms::apply`](Domain::apply) rewrites before it makes a term (see `rewrite`), so
//! original and mutant, which are nearly the same program, become nearly the same graph.

use std::fmt;
use std::hash::BuildHasher;
use std::ops::Deref;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use crate::float::Format;
use crate::range::Range;
use crate::rewrite::bound::{Bounds, range_from};
use crate::{Domain, Lack, Memory, Op, Word, Work, rewrite};

/// Equal terms of one graph have equal numbers. Arguments have smaller numbers than the term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(u32);

/// An input of a formula. Numbered in the order of creation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable(pub u32);

/// What a term is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Constant(Word),
    Variable(Variable),
    Apply(Op, Arguments),
}

/// One to three terms, in place: a graph has millions of these, and no operator takes more.
///
/// The slots behind the last argument hold term 0, so equality of slots is equality of arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arguments {
    slots: [Term; 3],
    count: u8,
}

/// A graph of terms, with its variables.
#[derive(Clone)]
pub struct Terms {
    nodes: Vec<Node>,
    /// The width of each node's value; computed once, since asking the arguments would recurse.
    widths: Vec<u8>,
    /// Between which numbers each node's value lies.
    bounds: Bounds,
    /// The number of each node. A term is found by the node that it stands for, which is written once, above.
    numbers: HashTable<Term>,
    variables: Vec<Declaration>,
    /// What it may use.
    room: Memory,
    /// How many operators were applied so far, by rules as well.
    work: Work,
    /// How many may be applied.
    most_work: Work,
    /// How many rewrites are under way, one inside the other.
    pub(crate) nesting: u32,
}

#[derive(Clone)]
struct Declaration {
    name: Box<str>,
    width: u32,
    term: Term,
}

impl Term {
    /// The position in the graph, for tables by term.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Node {
    pub(crate) fn apply(op: Op, arguments: &[Term]) -> Node {
        Node::Apply(op, Arguments::new(arguments))
    }
}

impl Variable {
    /// The position in an assignment.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Terms {
    /// A graph that is never full.
    pub fn new() -> Terms {
        Terms::within(Memory::UNLIMITED)
    }

    /// A graph that is full when it needs more than this.
    pub fn within(memory: Memory) -> Terms {
        Terms {
            nodes: vec![],
            widths: vec![],
            bounds: Bounds::default(),
            numbers: HashTable::new(),
            variables: vec![],
            room: memory.graph(),
            work: Work(0),
            most_work: Work::UNLIMITED,
            nesting: 0,
        }
    }

    /// An empty graph that may use as much as this one.
    pub fn emptied(&self) -> Terms {
        Terms { room: self.room, work: self.work, most_work: self.most_work, ..Terms::new() }
    }

    /// From now on, so much work may be done.
    pub fn allow(&mut self, more: Work) {
        self.most_work = Work(self.work.0.saturating_add(more.0));
    }

    /// How much work may still be done.
    pub fn left(&self) -> Work {
        Work(self.most_work.0.saturating_sub(self.work.0))
    }

    /// What it has no more of. Terms can still be made: whoever makes many looks at this now and then, and
    /// ends.
    pub fn lack(&self) -> Option<Lack> {
        self.lack_beside(Memory(0))
    }

    /// The same, if so much memory is used for other things.
    pub fn lack_beside(&self, other: Memory) -> Option<Lack> {
        let is_full = Memory::of_terms(self.nodes.len()).0.saturating_add(other.0) > self.room.0;
        let is_spent = self.work > self.most_work;
        is_full.then_some(Lack::Memory).or(is_spent.then_some(Lack::Work))
    }

    /// A new input. A second one with the same name is another input.
    pub fn variable(&mut self, name: &str, width: u32) -> Term {
        let variable = Variable(self.variables.len() as u32);
        let term = self.intern(Node::Variable(variable), width);
        self.variables.push(Declaration { name: name.into(), width, term });
        term
    }

    /// The term that stands for this input.
    pub fn variable_term(&self, variable: Variable) -> Term {
        self.variables[variable.index()].term
    }

    pub fn variable_name(&self, variable: Variable) -> &str {
        &self.variables[variable.index()].name
    }

    pub fn variable_width(&self, variable: Variable) -> u32 {
        self.variables[variable.index()].width
    }

    /// All inputs in the order of their numbers.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + use<> {
        (0..self.variables.len() as u32).map(Variable)
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    /// Between which numbers its value lies.
    pub(crate) fn range(&self, term: Term) -> Range {
        self.bounds.get(term, self.width(&term))
    }

    /// How many terms there are, used or not.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All terms, arguments before those that use them.
    pub fn all_terms(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.nodes.len() as u32).map(Term)
    }

    /// The term at this position.
    pub(crate) fn at(&self, index: usize) -> Term {
        debug_assert!(index < self.len(), "there is no such term");
        Term(index as u32)
    }

    /// The term for exactly this application, as it is written. Rewriting is behind us here.
    pub(crate) fn plain(&mut self, op: Op, arguments: &[Term]) -> Term {
        let width = self.result_width(op, arguments);
        self.intern(Node::apply(op, arguments), width)
    }

    fn intern(&mut self, node: Node, width: u32) -> Term {
        let next = u32::try_from(self.nodes.len()).expect("a graph has fewer than 2^32 terms");
        let hash = |node: &Node| FxBuildHasher.hash_one(node);
        let nodes = &self.nodes;
        let is_it = |term: &Term| nodes[term.index()] == node;
        let entry = self.numbers.entry(hash(&node), is_it, |term| hash(&nodes[term.index()]));
        match entry {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(place) => {
                place.insert(Term(next));
            }
        }
        let range = range_from(self, &node, width, |argument| self.range(argument));
        self.bounds.push(range, width);
        self.nodes.push(node);
        self.widths.push(width as u8);
        Term(next)
    }

    fn result_width(&self, op: Op, arguments: &[Term]) -> u32 {
        let mut widths = [0; 3];
        for (width, argument) in widths.iter_mut().zip(arguments) {
            *width = self.width(argument);
        }
        op.result_width(&widths[..arguments.len()])
    }
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Domain for Terms {
    type Word = Term;

    fn constant(&mut self, word: Word) -> Term {
        self.intern(Node::Constant(word), word.width())
    }

    fn apply(&mut self, op: Op, arguments: &[Term]) -> Term {
        debug_assert!(self.fits(op, arguments), "{op:?} is applied to arguments of the wrong widths");
        self.work.0 += 1;
        let mut words = [Word::truth(false); 3];
        let known = words.iter_mut().zip(arguments).all(|(word, argument)| match self.node(*argument) {
            Node::Constant(known) => {
                *word = *known;
                true
            }
            _ => false,
        });
        if known {
            return self.constant(op.eval(&words[..arguments.len()]));
        }
        rewrite::apply(self, op, arguments)
    }

    fn width(&self, word: &Term) -> u32 {
        self.widths[word.index()] as u32
    }

    fn known(&self, word: &Term) -> Option<Word> {
        match self.node(*word) {
            Node::Constant(word) => Some(*word),
            _ => None,
        }
    }
}

impl Terms {
    /// Whether the operator accepts arguments of these widths.
    fn fits(&self, op: Op, arguments: &[Term]) -> bool {
        use crate::Shape::*;
        let width = |index: usize| self.width(&arguments[index]);
        let float = |width: u32| Format::of(width).is_some();
        arguments.len() == op.shape().arity()
            && (!op.takes_floats() || float(width(0)))
            && match op.shape() {
                Unary => true,
                Binary | Predicate => width(0) == width(1),
                Choice => width(0) == 1 && width(1) == width(2),
                Join => width(0) + width(1) <= crate::MAX_WIDTH,
                Resize => match op {
                    Op::Extract { hi, lo } => lo <= hi && hi < width(0),
                    Op::Zext(to) | Op::Sext(to) => width(0) <= to && to <= crate::MAX_WIDTH,
                    Op::ToSigned(to) | Op::ToUnsigned(to) => (1..=crate::MAX_WIDTH).contains(&to),
                    Op::FromSigned(to) | Op::FromUnsigned(to) | Op::FResize(to) => float(to),
                    _ => unreachable!("{} does not resize", op.name()),
                },
            }
    }
}

impl Arguments {
    fn new(arguments: &[Term]) -> Arguments {
        let mut slots = [Term(0); 3];
        slots[..arguments.len()].copy_from_slice(arguments);
        Arguments { slots, count: arguments.len() as u8 }
    }
}

impl Deref for Arguments {
    type Target = [Term];

    fn deref(&self) -> &[Term] {
        &self.slots[..self.count as usize]
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} terms over {} variables", self.nodes.len(), self.variables.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_numbers() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 8), terms.variable("b", 8));
        let sum = terms.add(a, b);
        assert_eq!(terms.add(a, b), sum);
        assert_ne!(terms.mul(a, b), sum);
    }

    #[test]
    fn a_second_variable_of_the_same_name_is_another_input() {
        let mut terms = Terms::new();
        assert_ne!(terms.variable("a", 8), terms.variable("a", 8));
    }

    #[test]
    fn a_graph_is_full_when_it_needs_more_than_it_may() {
        let mut terms = Terms::within(Memory(1 << 16));
        let mut made = 0;
        while terms.lack().is_none() {
            terms.variable("a", 32);
            made += 1;
        }
        assert_eq!(terms.lack(), Some(Lack::Memory));
        assert_eq!(Memory::of_terms(made).0 >> 15, 1, "half of it is for the graph");
        let one_less = Memory::of_terms(made - 1).0;
        assert_eq!(terms.emptied().lack_beside(Memory(1 << 15 | 1)), Some(Lack::Memory));
        assert_eq!(terms.emptied().lack_beside(Memory(one_less)).or(Terms::new().lack()), None);
    }

    #[test]
    fn work_that_is_done_again_counts_again() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
        terms.allow(Work(100));
        let mut made = 0;
        while terms.lack().is_none() {
            terms.add(a, b);
            made += 1;
        }
        assert!((2..=101).contains(&made));
        assert_eq!((terms.lack(), terms.left()), (Some(Lack::Work), Work(0)));
        terms.allow(Work(1));
        assert_eq!(terms.lack(), None);
    }

    #[test]
    fn an_application_to_constants_is_a_constant() {
        let mut terms = Terms::new();
        let (two, three) = (terms.constant(Word::new(8, 2)), terms.constant(Word::new(8, 3)));
        let sum = terms.add(two, three);
        assert_eq!(terms.known(&sum), Some(Word::new(8, 5)));
    }
}
