//! Solvers and our evaluation agree on what every operator means.
//!
//! For fixed inputs, "the term differs from what we evaluate" must be unsatisfiable.

use std::time::Duration;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use bv::op::PLAIN;
use bv::{Domain, Op, Term, Terms, Word, float};
use smt::{Answer, Fuel, Process, Solver};

/// Whatever the operator, fixed inputs leave nothing to search for.
const LITTLE: Fuel = Fuel(10_000);

/// Inputs with their values, and terms over them that may be questioned.
struct TestCase {
    terms: Terms,
    assignment: Vec<Word>,
    pinned: Vec<Term>,
    /// For each term under test: it differs from what we evaluate.
    differences: Vec<Term>,
}

impl TestCase {
    fn new() -> TestCase {
        TestCase { terms: Terms::new(), assignment: vec![], pinned: vec![], differences: vec![] }
    }

    fn input(&mut self, value: Word) -> Term {
        let input = self.terms.variable(&format!("v{}", self.assignment.len()), value.width());
        let constant = self.terms.constant(value);
        self.assignment.push(value);
        self.pinned.push(self.terms.apply(Op::Eq, &[input, constant]));
        input
    }

    fn question(&mut self, term: Term) {
        let value = self.terms.eval(term, &self.assignment);
        let value = self.terms.constant(value);
        self.differences.push(self.terms.apply(Op::Ne, &[term, value]));
    }
}

fn check(case: &TestCase) {
    let mut solver = Solver::new();
    let Answer::Sat(model) = solver.check(&case.terms, &case.pinned, LITTLE).unwrap() else {
        panic!("the assignment is a model")
    };
    assert_eq!(model.words(), case.assignment);
    for fact in &case.pinned {
        solver.assert(&case.terms, *fact);
    }
    for difference in &case.differences {
        let answer = solver.check(&case.terms, &[*difference], LITTLE).unwrap();
        let shown = || bv::smtlib::display(&case.terms, *difference);
        assert_eq!(answer, Answer::Unsat, "{} under {:?}", shown(), case.assignment);
    }
}

/// Every operator, applied to inputs of these values, which have one width.
fn every_operator(a: Word, b: Word) -> TestCase {
    let mut case = TestCase::new();
    let width = a.width();
    let (x, y, condition) =
        (case.input(a), case.input(b), case.input(Word::truth(a.bits().is_multiple_of(3))));
    let mut ops = PLAIN.to_vec();
    ops.retain(|&op| op != Op::Concat || 2 * width <= bv::MAX_WIDTH);
    if float::Format::of(width).is_some() {
        ops.extend([Op::FResize(32), Op::FResize(64), Op::ToSigned(width), Op::ToUnsigned(width)]);
    } else {
        ops.retain(|op| !op.takes_floats());
    }
    ops.extend([Op::FromSigned(32), Op::FromUnsigned(32), Op::FromSigned(64), Op::FromUnsigned(64)]);
    if width < bv::MAX_WIDTH {
        ops.extend([Op::Zext(width + 1), Op::Sext(width + 1), Op::Zext(128), Op::Sext(128)]);
    }
    let (low, middle) = (Op::Extract { hi: 0, lo: 0 }, Op::Extract { hi: width - 1, lo: width / 2 });
    ops.extend([low, middle]);
    for op in ops {
        let term = match op.shape().arity() {
            1 => case.terms.apply(op, &[x]),
            2 => case.terms.apply(op, &[x, y]),
            _ => case.terms.apply(op, &[condition, x, y]),
        };
        case.question(term);
    }
    case
}

/// Pairs at which operators change their minds.
fn edges(width: u32) -> Vec<(Word, Word)> {
    let word = |bits: u128| Word::new(width, bits);
    let (min, max) = (Word::signed_min(width), Word::signed_max(width));
    let odd = word(0xdead_beef_0bad_cafe_1234_5678_9abc_def1);
    vec![
        (min, Word::ones(width)),
        (max, word(1)),
        (odd, word(0)),
        (min, word(0)),
        (odd, word(3)),
        (word(77), word(width as u128)),
        (odd, odd),
    ]
}

#[test]
fn every_operator_means_the_same_to_bitwuzla() {
    for width in [1, 2, 8, 32, 33, 64, 128] {
        for (a, b) in edges(width) {
            check(&every_operator(a, b));
        }
    }
}

#[test]
fn every_operator_means_the_same_to_z3() {
    let z3 = Process::new("z3", &["-in"]);
    for width in [1, 8, 32, 128] {
        for (a, b) in edges(width) {
            let mut case = every_operator(a, b);
            let mut query = case.pinned.clone();
            let some = case.differences.iter().copied().reduce(|a, b| case.terms.apply(Op::Or, &[a, b]));
            query.push(some.expect("there are operators"));
            let answer = z3.check(&case.terms, &query, Duration::from_secs(60)).unwrap();
            assert_eq!(answer, Answer::Unsat, "{a:?} {b:?}");
        }
    }
}

/// A few inputs, and terms over terms over them.
fn nested(u: &mut Unstructured) -> Result<TestCase> {
    let mut case = TestCase::new();
    let width = *u.choose(&[1, 5, 8, 16, 32, 64])?;
    let floats = float::Format::of(width).is_some();
    let ops: Vec<Op> = PLAIN.iter().copied().filter(|op| floats || !op.takes_floats()).collect();
    let mut words: Vec<Term> = vec![];
    for _ in 0..3 {
        let value = Word::new(width, u.arbitrary()?);
        words.push(case.input(value));
    }
    let mut truths = vec![case.input(Word::truth(u.arbitrary()?))];
    for _ in 0..u.int_in_range(1..=12)? {
        let op = *u.choose(&ops)?;
        let (a, b) = (*u.choose(&words)?, *u.choose(&words)?);
        let condition = *u.choose(&truths)?;
        let term = match op {
            Op::Concat => {
                let wide = case.terms.apply(op, &[a, b]);
                let lo = u.int_in_range(0..=width)?;
                case.terms.apply(Op::Extract { hi: lo + width - 1, lo }, &[wide])
            }
            Op::Ite => case.terms.apply(op, &[condition, a, b]),
            _ => case.terms.apply(op, &[a, b][..op.shape().arity()]),
        };
        let kind = if case.terms.width(&term) == width { &mut words } else { &mut truths };
        kind.push(term);
    }
    let roots: Vec<Term> = words[3..].iter().chain(&truths[1..]).copied().collect();
    for root in roots {
        case.question(root);
    }
    Ok(case)
}

#[test]
fn nested_terms_mean_the_same_smoke() {
    arbtest(|u| {
        check(&nested(u)?);
        Ok(())
    })
    .budget_ms(1_000);
}
