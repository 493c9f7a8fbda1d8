//! Solvers and our evaluation agree on floats.
//!
//! A solver that sees `a = 0.5` puts 0.5 in the place of `a` and computes, with a library for
//! big floats: that tests the library, and not the circuit that answers real questions. So a
//! question is about many operands at once: is there one for which the result differs
//! from what we evaluate? No operand is fixed before the search begins.
//!
//! The circuits are SymFPU's, of which Debian has a version of 2019, older than some fixes.

use std::time::Duration;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use bv::op::PLAIN;
use bv::{Domain, Op, Term, Terms, Variable, Word, float};
use smt::{Answer, Fuel, Process, Solver};

const PLENTY: Fuel = Fuel(1_000_000);

/// A term over inputs, values for these, and what the term is then.
struct TestCase {
    terms: Terms,
    inputs: Vec<Term>,
    result: Term,
    assignments: Vec<Vec<Word>>,
    expected: Vec<Word>,
}

impl TestCase {
    /// An operator on operands, all of the same widths.
    fn operator(op: Op, operands: Vec<Vec<Word>>) -> TestCase {
        let mut terms = Terms::new();
        let inputs: Vec<Term> = operands[0].iter().map(|word| terms.variable("x", word.width())).collect();
        let result = terms.apply(op, &inputs);
        let expected = operands.iter().map(|operands| op.eval(operands)).collect();
        TestCase { terms, inputs, result, assignments: operands, expected }
    }

    /// "The result for one of the assignments differs from what we expect": once as floats
    /// are told apart, and once by an order, which asks for their bits.
    fn differences(&mut self) -> [Term; 2] {
        let terms = &mut self.terms;
        let mut differences = [vec![], vec![]];
        for (assignment, expected) in self.assignments.iter().zip(&self.expected) {
            let mut this = terms.truth(true);
            for (input, word) in self.inputs.iter().zip(assignment) {
                let word = terms.constant(*word);
                let same = terms.equal(*input, word);
                this = terms.and(this, same);
            }
            let expected = terms.constant(*expected);
            let differs = terms.apply(Op::Ne, &[self.result, expected]);
            let unordered = [Op::Ult, Op::Ugt].map(|op| terms.apply(op, &[self.result, expected]));
            let unordered = terms.any(unordered);
            for (all, differs) in differences.iter_mut().zip([differs, unordered]) {
                all.push(terms.and(this, differs));
            }
        }
        differences.map(|all| terms.any(all))
    }
}

fn check(mut case: TestCase) {
    for difference in case.differences() {
        let answer = Solver::new().check(&case.terms, &[difference], PLENTY).unwrap();
        let shown = || bv::smtlib::display(&case.terms, case.result);
        assert_eq!(answer, Answer::Unsat, "{}", shown());
    }
}

#[test]
fn every_operator_means_the_same_to_bitwuzla() {
    for width in [32, 64] {
        for op in operators(width) {
            // All of them take two minutes, and were run; so were random ones, 4,000 for most
            // operators on 32 bits, and some hundreds for arithmetic on 64.
            let all = edges(op, width);
            let stride = (all.len() / operands_for(op, width)) | 1;
            let few = all.into_iter().step_by(stride).collect();
            check(TestCase::operator(op, few));
        }
    }
}

#[test]
fn random_operands_mean_the_same_smoke() {
    arbtest(|u| {
        let width = *u.choose(&[32, 64])?;
        let op = *u.choose(&operators(width))?;
        let mut operands = vec![];
        for _ in 0..operands_for(op, width) / 2 {
            operands.push((0..op.shape().arity()).map(|_| random(u, width)).collect::<Result<_>>()?);
        }
        check(TestCase::operator(op, operands));
        Ok(())
    })
    .budget_ms(1_000);
}

/// How many operands one question is about. For a square root of 64 bits, each takes a fifth
/// of a second.
fn operands_for(op: Op, width: u32) -> usize {
    if op == Op::FSqrt && width == 64 { 5 } else { 24 }
}

/// Any float, but often with an exponent near an end or near that of 1, and with a fraction
/// that is all zeros or all ones from some place on.
fn random(u: &mut Unstructured, width: u32) -> Result<Word> {
    let float::Format { exponent, significand } = float::Format::of(width).expect("a float");
    let stored = significand - 1;
    let fraction: u128 = match u.int_in_range(0..=3)? {
        0 => 1 << u.int_in_range(0..=stored)?,
        1 => (1 << u.int_in_range(0..=stored)?) - 1,
        2 => u128::MAX << u.int_in_range(0..=stored)?,
        _ => u.arbitrary()?,
    };
    let (most, bias) = ((1u128 << exponent) - 1, (1u128 << (exponent - 1)) - 1);
    let place: u128 = match u.int_in_range(0..=4)? {
        0 => u.int_in_range(0..=2)?,
        1 => most - u.int_in_range(0..=2)?,
        2 => bias + u.int_in_range(0..=stored as u128 + 2)?,
        3 => bias - u.int_in_range(0..=stored as u128 + 2)?,
        _ => u.int_in_range(0..=most)?,
    };
    let sign = u.arbitrary::<bool>()? as u128;
    Ok(Word::new(width, sign << (width - 1) | place << stored | fraction & ((1 << stored) - 1)))
}

#[test]
fn a_result_that_is_wrong_by_a_bit_is_noticed() {
    for op in [Op::FAdd, Op::FMul, Op::FDiv] {
        let mut case = TestCase::operator(op, edges(op, 32).into_iter().step_by(61).collect());
        let last = case.expected.last_mut().expect("there are operands");
        *last = Op::Xor.eval(&[*last, Word::one(32)]);
        let operands = case.assignments[case.assignments.len() - 1].clone();
        for difference in case.differences() {
            let answer = Solver::new().check(&case.terms, &[difference], PLENTY).unwrap();
            let Answer::Sat(model) = answer else { panic!("{op:?} of {operands:?} went unnoticed") };
            assert_eq!(model.words(), operands);
        }
    }
}

#[test]
fn every_operator_means_the_same_to_z3() {
    let z3 = Process::new("z3", &["-in"]);
    for op in operators(32) {
        let all = edges(op, 32);
        let few = all.iter().step_by(all.len() / 5).cloned().collect();
        let mut case = TestCase::operator(op, few);
        for difference in case.differences() {
            let answer = z3.check(&case.terms, &[difference], Duration::from_secs(60)).unwrap();
            assert_eq!(answer, Answer::Unsat, "{op:?}");
        }
    }
}

#[test]
fn nested_floats_mean_the_same_smoke() {
    arbtest(|u| {
        check(nested(u)?);
        Ok(())
    })
    .budget_ms(2_000);
}

/// A few inputs, operations on operations on them, and choices, signs and bits in between.
fn nested(u: &mut Unstructured) -> Result<TestCase> {
    let mut terms = Terms::new();
    let inputs = vec![terms.variable("a", 32), terms.variable("b", 32), terms.variable("p", 1)];
    let (mut floats, mut truths) = (inputs[..2].to_vec(), vec![inputs[2]]);
    let sign = terms.constant(Word::signed_min(32));
    let magnitude = terms.constant(Word::signed_max(32));
    for _ in 0..u.int_in_range(2..=6)? {
        let (a, b, p) = (*u.choose(&floats)?, *u.choose(&floats)?, *u.choose(&truths)?);
        let ops =
            [Op::FAdd, Op::FSub, Op::FMul, Op::FRint, Op::FResize(64), Op::ToSigned(32), Op::FLt, Op::FEq];
        let more = [Op::Ite, Op::Ite, Op::Xor, Op::And, Op::Eq, Op::Ult, Op::FromSigned(32), Op::Add];
        let op = if u.arbitrary()? { *u.choose(&ops)? } else { *u.choose(&more)? };
        let term = match op {
            Op::Ite => terms.apply(op, &[p, a, b]),
            Op::Xor => terms.apply(op, &[a, sign]),
            Op::And => terms.apply(op, &[a, magnitude]),
            Op::FResize(_) => {
                let wide = [a, b].map(|float| terms.apply(op, &[float]));
                let sum = terms.apply(Op::FAdd, &wide);
                terms.apply(Op::FResize(32), &[sum])
            }
            _ => terms.apply(op, &[a, b][..op.shape().arity()]),
        };
        if terms.width(&term) == 1 { truths.push(term) } else { floats.push(term) }
    }
    let result = if u.ratio(1, 3)? { truths[truths.len() - 1] } else { floats[floats.len() - 1] };
    let special = special_floats(32);
    let mut assignments = vec![];
    for _ in 0..8 {
        let mut float = || -> Result<Word> {
            let any = Word::new(32, u.arbitrary::<u32>()? as u128);
            Ok(if u.arbitrary()? { any } else { *u.choose(&special)? })
        };
        let (a, b) = (float()?, float()?);
        assignments.push(vec![a, b, Word::truth(u.arbitrary()?)]);
    }
    let expected = assignments.iter().map(|words| terms.eval(result, words)).collect();
    Ok(TestCase { terms, inputs, result, assignments, expected })
}

#[test]
fn a_model_of_floats_satisfies_the_query() {
    let mut terms = Terms::new();
    let a = terms.variable("a", 32);
    let square = terms.apply(Op::FMul, &[a, a]);
    let target = terms.constant(float::word(32, 2.25));
    let query = [terms.equal(square, target)];
    let value = |answer: Answer| match answer {
        Answer::Sat(model) => float::value(model.value(Variable(0))).abs(),
        other => panic!("{other:?}"),
    };
    assert_eq!(value(Solver::new().check(&terms, &query, PLENTY).unwrap()), 1.5);
    let z3 = Process::new("z3", &["-in"]);
    assert_eq!(value(z3.check(&terms, &query, Duration::from_secs(60)).unwrap()), 1.5);
}

#[test]
fn bits_of_a_result_are_no_input() {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
    let sum = terms.apply(Op::FAdd, &[a, b]);
    // The exponent is odd and the lowest bit is set.
    let bits = terms.constant(Word::new(32, 0x0080_0001));
    let masked = terms.apply(Op::And, &[sum, bits]);
    let query = [terms.equal(masked, bits)];
    let z3 = Process::new("z3", &["-in"]);
    for answer in [
        Solver::new().check(&terms, &query, PLENTY).unwrap(),
        z3.check(&terms, &query, Duration::from_secs(60)).unwrap(),
    ] {
        let Answer::Sat(model) = answer else { panic!("there are such sums") };
        assert_eq!(model.words().len(), 2);
    }
}

#[test]
fn a_result_is_only_one_nan() {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
    let sum = terms.apply(Op::FAdd, &[a, a]);
    let same = terms.equal(sum, b);
    let number = terms.apply(Op::FEq, &[b, b]);
    let nan = terms.constant(float::nan(32));
    let (is_nan, usual) = (terms.not(number), terms.equal(b, nan));
    let unusual = terms.not(usual);
    let mut solver = Solver::new();
    assert!(matches!(solver.check(&terms, &[same, is_nan], PLENTY).unwrap(), Answer::Sat(_)));
    assert_eq!(solver.check(&terms, &[same, is_nan, unusual], PLENTY).unwrap(), Answer::Unsat);
}

/// All operators on floats of this width, and from integers to them.
fn operators(width: u32) -> Vec<Op> {
    let mut ops: Vec<Op> = PLAIN.iter().copied().filter(|op| op.takes_floats()).collect();
    for integer in [1, 2, 8, 32, 64, 128] {
        ops.extend([Op::ToSigned(integer), Op::ToUnsigned(integer)]);
    }
    ops.extend([Op::FResize(32), Op::FResize(64), Op::FromSigned(width), Op::FromUnsigned(width)]);
    ops
}

/// Operands at which the operator changes its mind. As integers their bits are odd enough.
fn edges(op: Op, width: u32) -> Vec<Vec<Word>> {
    let floats = special_floats(width);
    if op.shape().arity() == 1 {
        return floats.into_iter().map(|word| vec![word]).collect();
    }
    floats.iter().flat_map(|a| floats.iter().map(|b| vec![*a, *b])).collect()
}

/// Zero, halves and what is near them, the ends of integers, subnormals, infinity and NaN; and
/// all of them with the other sign.
fn special_floats(width: u32) -> Vec<Word> {
    let numbers = [0.0, 0.1, 0.49999999999999994, 0.5, 1.0, 1.5, 2.5, 3.0, 127.0, 255.9, 8388607.5];
    let large = [2147483648.0, 4294967295.9, 4503599627370495.5, 9223372036854775807.0, 1e300, f64::MAX];
    let small = [1e-300, 1e-40, f32::MIN_POSITIVE as f64];
    let others = [f32::MAX as f64, f64::INFINITY, f64::NAN];
    let all = numbers.into_iter().chain(large).chain(small).chain(others);
    let mut floats: Vec<Word> = all.map(|number| float::word(width, number)).collect();
    let stored = float::Format::of(width).expect("these are floats").significand - 1;
    let infinity = float::word(width, f64::INFINITY).bits();
    // The least subnormal ones, the greatest one, the least normal one, a NaN of another kind.
    for bits in [1, 3, (1 << stored) - 1, 1 << stored, infinity + 1] {
        floats.push(Word::new(width, bits));
    }
    let sign = Word::signed_min(width);
    let negated: Vec<Word> = floats.iter().map(|word| Op::Xor.eval(&[*word, sign])).collect();
    floats.extend(negated);
    floats
}
