//! Lowering: terms to the language of solvers, written once for text and for libraries.
//!
//! Our words of width 1 are `Bool` on the other side, because that is what solvers are
//! fastest at and what people read best; where a truth value meets a bit-vector, it is
//! converted. The kernel that rewriting leaves (see `rewrite`) has few operators; where a
//! pattern of it has a name of its own in SMT-LIB, the name is used.
//!
//! Overflow predicates came with SMT-LIB 2.7. A solver that does not know them gets the
//! formulas of Hacker's Delight (Warren, section 2-13) for sums and differences, and a
//! product of double width otherwise. Floats are a theory of their own, see `float`.

mod float;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Domain, Node, Op, Term, Terms, Variable, Word};

/// Where lowered terms go: a text, or a solver's own terms.
pub trait Builder {
    type Term: Clone;

    /// A bit-vector. Its width may be 1: where truth values meet bit-vectors, `#b1` is needed.
    fn constant(&mut self, word: Word) -> Self::Term;

    /// A `Bool`.
    fn truth(&mut self, value: bool) -> Self::Term;

    /// A symbol: of sort `Bool` if the width is 1, a bit-vector otherwise.
    fn variable(&mut self, variable: Variable, name: &str, width: u32) -> Self::Term;

    /// How an operation on floats rounds, by the short name of SMT-LIB.
    fn rounding(&mut self, mode: &str) -> Self::Term;

    /// A new bit-vector that stands for the bits of this term, and is no input. What it is
    /// follows from what is asserted about it.
    fn unknown(&mut self, term: Term, width: u32) -> Self::Term;

    /// States that this holds in every model, whatever the question.
    fn assert(&mut self, fact: Self::Term);

    /// An application of an operator of SMT-LIB's `Core`, `FixedSizeBitVectors` or
    /// `FloatingPoint`.
    fn apply(&mut self, smt_name: &str, indices: &[u32], arguments: &[Self::Term]) -> Self::Term;

    /// Whether `bvsaddo`, `bvuaddo`, `bvssubo`, `bvusubo`, `bvsmulo`, `bvumulo` can be applied.
    fn knows_overflow(&self) -> bool {
        false
    }

    /// Called once for every term that was lowered by `apply`, and before its first use. A
    /// text gives it a name here, so that what is used twice is printed once.
    fn finish(&mut self, term: Term, sort: Sort, lowered: Self::Term) -> Self::Term {
        let _ = (term, sort);
        lowered
    }
}

/// What a term becomes: it may be wanted as bits, as a float, or as both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// A bit-vector, or a `Bool` if the width is 1.
    Bits,
    Float,
}

/// What has been lowered, and to what.
pub type Lowered<T> = FxHashMap<(Term, Sort), T>;

/// What a term is made of. No operator takes more than three.
type Needs = SmallVec<[(Term, Sort); 3]>;

/// Lowers the roots and what is below them, as bits. What `done` holds already is not lowered
/// again.
pub fn lower<B: Builder>(terms: &Terms, roots: &[Term], builder: &mut B, done: &mut Lowered<B::Term>) {
    let mut stack: Vec<(Term, Sort)> = roots.iter().map(|root| (*root, Sort::Bits)).collect();
    while let Some(&(term, sort)) = stack.last() {
        if done.contains_key(&(term, sort)) {
            stack.pop();
            continue;
        }
        let (way, needs) = match float::way(terms, term, sort) {
            Some((way, needs)) => (Some(way), needs),
            None => (None, arguments(terms, term)),
        };
        let before = stack.len();
        stack.extend(needs.iter().filter(|need| !done.contains_key(need)));
        if stack.len() > before {
            continue;
        }
        let parts: Vec<B::Term> = needs.iter().map(|need| done[need].clone()).collect();
        let lowered = match way {
            Some(way) => float::build(builder, (term, sort), way, &parts),
            None => on_bits(terms, builder, term, &parts),
        };
        done.insert((term, sort), lowered);
    }
}

/// What must be lowered before a term that has nothing to do with floats.
fn arguments(terms: &Terms, term: Term) -> Needs {
    match terms.spoken(term) {
        Node::Apply(_, arguments) => arguments.iter().map(|argument| (*argument, Sort::Bits)).collect(),
        _ => Needs::new(),
    }
}

/// A term that has nothing to do with floats, given its arguments.
fn on_bits<B: Builder>(terms: &Terms, builder: &mut B, term: Term, parts: &[B::Term]) -> B::Term {
    match terms.spoken(term) {
        Node::Constant(word) if word.width() == 1 => builder.truth(word.is_true()),
        Node::Constant(word) => builder.constant(word),
        Node::Variable(variable) => {
            let width = terms.variable_width(variable);
            builder.variable(variable, terms.variable_name(variable), width)
        }
        Node::Apply(op, arguments) => {
            let widths: Vec<u32> = arguments.iter().map(|argument| terms.width(argument)).collect();
            let lowered = operation(builder, op, &widths, parts);
            builder.finish(term, Sort::Bits, lowered)
        }
    }
}

impl Terms {
    /// The node as a person or a solver would put it: the kernel has no disjunction and no
    /// negation of numbers, but both are worth their names.
    pub fn spoken(&self, term: Term) -> Node {
        let node = *self.node(term);
        match node {
            Node::Apply(Op::Not, inner) => match self.node(inner[0]) {
                Node::Apply(Op::And, both) => match (self.node(both[0]), self.node(both[1])) {
                    (Node::Apply(Op::Not, a), Node::Apply(Op::Not, b)) => Node::apply(Op::Or, &[a[0], b[0]]),
                    _ => node,
                },
                _ => node,
            },
            Node::Apply(Op::Sub, both) if self.known(&both[0]).is_some_and(Word::is_zero) => {
                Node::apply(Op::Neg, &[both[1]])
            }
            _ => node,
        }
    }
}

/// One application, given the widths of the arguments.
fn operation<B: Builder>(builder: &mut B, op: Op, widths: &[u32], arguments: &[B::Term]) -> B::Term {
    let width = widths[0];
    match op {
        Op::Ite => builder.apply("ite", &[], arguments),
        Op::Zext(to) if width == 1 => choose(builder, &arguments[0], Word::one(to), Word::zero(to)),
        Op::Sext(to) if width == 1 => choose(builder, &arguments[0], Word::ones(to), Word::zero(to)),
        Op::Zext(to) | Op::Sext(to) if to == width => arguments[0].clone(),
        // SMT-LIB's index is the number of bits that are added.
        Op::Zext(to) | Op::Sext(to) => builder.apply(op.smt_name(), &[to - width], arguments),
        Op::Extract { .. } if width == 1 => arguments[0].clone(),
        Op::Extract { hi, lo } => {
            let extract = builder.apply("extract", &[hi, lo], arguments);
            if hi > lo { extract } else { truth_of(builder, extract) }
        }
        Op::Concat => {
            let [high, low] = [0, 1].map(|at| {
                let argument = arguments[at].clone();
                if widths[at] == 1 { bit_of(builder, &argument) } else { argument }
            });
            builder.apply("concat", &[], &[high, low])
        }
        _ if width == 1 => builder.apply(connective(op), &[], arguments),
        Op::SaddO | Op::UaddO | Op::SsubO | Op::UsubO | Op::SmulO | Op::UmulO
            if !builder.knows_overflow() =>
        {
            overflow(builder, op, width, &arguments[0], &arguments[1])
        }
        _ => builder.apply(op.smt_name(), &[], arguments),
    }
}

/// The operator between truth values. Rewriting spells all others in terms of these.
fn connective(op: Op) -> &'static str {
    match op {
        Op::And => "and",
        Op::Or => "or",
        Op::Xor => "xor",
        Op::Not => "not",
        Op::Eq => "=",
        Op::Ne => "distinct",
        _ => unreachable!("rewriting leaves no {} of truth values", op.name()),
    }
}

fn choose<B: Builder>(builder: &mut B, condition: &B::Term, yes: Word, no: Word) -> B::Term {
    let (yes, no) = (builder.constant(yes), builder.constant(no));
    builder.apply("ite", &[], &[condition.clone(), yes, no])
}

fn bit_of<B: Builder>(builder: &mut B, truth: &B::Term) -> B::Term {
    choose(builder, truth, Word::one(1), Word::zero(1))
}

fn truth_of<B: Builder>(builder: &mut B, bit: B::Term) -> B::Term {
    let one = builder.constant(Word::one(1));
    builder.apply("=", &[], &[bit, one])
}

/// The overflow predicates in terms that every solver knows.
fn overflow<B: Builder>(builder: &mut B, op: Op, width: u32, a: &B::Term, b: &B::Term) -> B::Term {
    let mut apply = |name: &str, a: &B::Term, b: &B::Term| builder.apply(name, &[], &[a.clone(), b.clone()]);
    match op {
        Op::UsubO => apply("bvult", a, b),
        Op::UaddO => {
            let sum = apply("bvadd", a, b);
            apply("bvult", &sum, a)
        }
        // A sum overflows iff its sign differs from the signs of both operands.
        Op::SaddO => {
            let sum = apply("bvadd", a, b);
            let (from_a, from_b) = (apply("bvxor", a, &sum), apply("bvxor", b, &sum));
            let both = apply("bvand", &from_a, &from_b);
            negative(builder, width, both)
        }
        // A difference overflows iff the operands' signs differ and its own is not the first's.
        Op::SsubO => {
            let difference = apply("bvsub", a, b);
            let (from_b, from_difference) = (apply("bvxor", a, b), apply("bvxor", a, &difference));
            let both = apply("bvand", &from_b, &from_difference);
            negative(builder, width, both)
        }
        Op::SmulO => {
            let product = wide_product(builder, "sign_extend", width, a, b);
            let wrapped = builder.apply("extract", &[width - 1, 0], std::slice::from_ref(&product));
            let extended = builder.apply("sign_extend", &[width], &[wrapped]);
            builder.apply("distinct", &[], &[product, extended])
        }
        Op::UmulO => {
            let product = wide_product(builder, "zero_extend", width, a, b);
            let high = builder.apply("extract", &[2 * width - 1, width], &[product]);
            let zero = builder.constant(Word::zero(width));
            builder.apply("distinct", &[], &[high, zero])
        }
        _ => unreachable!("{} is no overflow predicate", op.name()),
    }
}

fn wide_product<B: Builder>(builder: &mut B, extend: &str, width: u32, a: &B::Term, b: &B::Term) -> B::Term {
    let [a, b] = [a, b].map(|term| builder.apply(extend, &[width], std::slice::from_ref(term)));
    builder.apply("bvmul", &[], &[a, b])
}

fn negative<B: Builder>(builder: &mut B, width: u32, term: B::Term) -> B::Term {
    let zero = builder.constant(Word::zero(width));
    builder.apply("bvslt", &[], &[term, zero])
}
