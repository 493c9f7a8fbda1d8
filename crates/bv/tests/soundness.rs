//! Rewriting never changes a value: exhaustively at small sizes, and fuzzed beyond.
//!
//! The reference is the operator table, applied to words step by step; nothing is rewritten
//! there. All steps are compared, not only the last one.

use std::fmt;

use arbtest::arbitrary::{self, Unstructured};
use bv::op::PLAIN;
use bv::{Confined, Domain, Evaluator, Node, Op, Shape, Term, Terms, Word, float};

/// A program over words: variables, then steps that use what came before.
struct TestCase {
    variables: Vec<u32>,
    steps: Vec<Step>,
    /// Bits for assignments that are not all of them.
    seed: u64,
}

enum Step {
    Constant(Word),
    Apply(Op, Vec<usize>),
}

/// Up to this many bits of input, all assignments are tried.
const EXHAUSTIVE_BITS: u32 = 10;
/// Assignments that are tried otherwise.
const SAMPLES: usize = 24;
const MOST_STEPS: usize = 40;

fn check(case: &TestCase) {
    let mut terms = Terms::new();
    let inputs: Vec<Term> = case.variables.iter().map(|width| terms.variable("v", *width)).collect();
    let mut built = inputs.clone();
    for step in &case.steps {
        let term = match step {
            Step::Constant(word) => terms.constant(*word),
            Step::Apply(op, arguments) => {
                let arguments: Vec<Term> = arguments.iter().map(|at| built[*at]).collect();
                terms.apply(*op, &arguments)
            }
        };
        built.push(term);
    }
    let last = *built.last().expect("a case has an input");
    let sorted = terms.sort_sums(last);
    // What confines one truth value may be any of the others.
    let truths: Vec<Term> = built.iter().copied().filter(|term| terms.width(term) == 1).collect();
    let leaves: Vec<(Term, Term)> =
        truths.iter().filter_map(|truth| Some((*truth, terms.compare_leaves(*truth)?))).collect();
    let confined: Vec<(Term, Confined)> =
        truths.into_iter().filter_map(|truth| Some((truth, terms.confine(truth)?))).collect();
    let mut evaluator = Evaluator::new(&[]);
    for assignment in case.assignments() {
        evaluator.assign(&assignment);
        let mut words = assignment.clone();
        for step in &case.steps {
            words.push(match step {
                Step::Constant(word) => *word,
                Step::Apply(op, arguments) => {
                    op.eval(&arguments.iter().map(|at| words[*at]).collect::<Vec<_>>())
                }
            });
        }
        for (at, (term, word)) in built.iter().zip(&words).enumerate() {
            let value = evaluator.value(&terms, *term);
            assert_eq!(
                value,
                *word,
                "step {at} under {assignment:?} of\n{case:?}became\n{}",
                bv::smtlib::display(&terms, *term)
            );
        }
        let value = evaluator.value(&terms, sorted);
        assert_eq!(value, words[words.len() - 1], "sorting the sums of\n{case:?}under {assignment:?}");
        for (truth, leaves) in &leaves {
            let values = [*truth, *leaves].map(|term| evaluator.value(&terms, term));
            assert_eq!(values[0], values[1], "comparing leaves under {assignment:?} in\n{case:?}");
        }
        for (truth, Confined { root, outside }) in &confined {
            let values = [*truth, *root, *outside].map(|term| evaluator.value(&terms, term).is_true());
            assert_eq!(values, [values[0], values[0], false], "confining under {assignment:?} in\n{case:?}");
        }
    }
}

#[test]
fn smoke() {
    arbtest::arbtest(|u| {
        check(&TestCase::arbitrary(u, &[2, 3, 4])?);
        Ok(())
    })
    .budget_ms(1_500);
    arbtest::arbtest(|u| {
        check(&TestCase::arbitrary(u, &[8, 10])?);
        Ok(())
    })
    .budget_ms(1_500);
    arbtest::arbtest(|u| {
        check(&TestCase::arbitrary(u, &[2, 5, 8, 16, 32, 64, 127, 128])?);
        Ok(())
    })
    .budget_ms(1_500);
}

/// Floats and what surrounds them: bits, integers, and comparisons.
#[test]
fn floats_smoke() {
    arbtest::arbtest(|u| {
        check(&TestCase::arbitrary(u, &[32, 64])?);
        Ok(())
    })
    .budget_ms(2_000);
}

/// All comparisons of two floats, and of a float with a constant, on floats where they differ.
#[test]
fn comparisons_of_floats_keep_their_values() {
    for width in [32, 64] {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", width), terms.variable("b", width));
        let minus = terms.constant(Word::signed_min(width));
        let minus_a = terms.apply(Op::Xor, &[a, minus]);
        for op in [Op::FEq, Op::FLt, Op::FLe] {
            let (free, itself) = (terms.apply(op, &[a, b]), terms.apply(op, &[a, a]));
            let negated = terms.apply(op, &[minus_a, b]);
            for y in special_floats(width) {
                let constant = terms.constant(y);
                let (left, right) = (terms.apply(op, &[constant, a]), terms.apply(op, &[a, constant]));
                let right_of_minus = terms.apply(op, &[minus_a, constant]);
                for x in special_floats(width) {
                    let minus_x = Op::Xor.eval(&[x, Word::signed_min(width)]);
                    let found =
                        terms.evaluate(&[free, itself, negated, left, right, right_of_minus], &[x, y]);
                    let pairs = [[x, y], [x, x], [minus_x, y], [y, x], [x, y], [minus_x, y]];
                    assert_eq!(found, pairs.map(|pair| op.eval(&pair)), "{op:?} {x:?} {y:?}");
                }
            }
        }
    }
}

/// Doubles that were floats or integers, compared with constants between and beyond them.
#[test]
fn comparisons_of_converted_numbers_keep_their_values() {
    let mut terms = Terms::new();
    let (f, i) = (terms.variable("f", 32), terms.variable("i", 8));
    let conversions =
        [Op::FResize(64), Op::FromSigned(64), Op::FromUnsigned(64), Op::FromSigned(32), Op::FromUnsigned(32)];
    for conversion in conversions {
        let (x, inputs) = if conversion == Op::FResize(64) {
            (f, special_floats(32).into_iter().map(|f| [f, Word::zero(8)]).collect::<Vec<_>>())
        } else {
            (i, (0..256).map(|i| [Word::zero(32), Word::new(8, i)]).collect())
        };
        let converted = terms.apply(conversion, &[x]);
        for limit in special_floats(terms.width(&converted)) {
            let constant = terms.constant(limit);
            for op in [Op::FEq, Op::FLt, Op::FLe] {
                let (left, right) =
                    (terms.apply(op, &[constant, converted]), terms.apply(op, &[converted, constant]));
                for input in &inputs {
                    let value = terms.eval(converted, input);
                    let found = terms.evaluate(&[left, right], input);
                    let expected = [[limit, value], [value, limit]].map(|pair| op.eval(&pair));
                    assert_eq!(found, expected, "{conversion:?} {op:?} {limit:?} {input:?}");
                }
            }
        }
    }
}

/// Floats at which operators change their minds, with both signs.
fn special_floats(width: u32) -> Vec<Word> {
    let mut floats: Vec<Word> = [
        0.0,
        0.1,
        0.25,
        0.5,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        126.5,
        127.0,
        128.0,
        254.9,
        255.0,
        256.0,
        257.0,
        8388607.5,
        16777216.0,
        16777218.0,
        2147483648.0,
        4503599627370495.5,
        9007199254740993.0,
        1e300,
        1e-300,
        1e-40,
        f32::MAX as f64,
        f32::MIN_POSITIVE as f64,
        f64::MAX,
        f64::INFINITY,
    ]
    .map(|number| float::word(width, number))
    .to_vec();
    let infinity = float::word(width, f64::INFINITY).bits();
    // The least subnormals, the greatest one, the least normal one; and NaNs of both kinds.
    let mantissa = (1u128 << if width == 32 { 23 } else { 52 }) - 1;
    for bits in [1, 2, mantissa, mantissa + 1, infinity + 1, infinity | mantissa, float::nan(width).bits()] {
        floats.push(Word::new(width, bits));
    }
    let negated: Vec<Word> =
        floats.iter().map(|word| Op::Xor.eval(&[*word, Word::signed_min(width)])).collect();
    floats.extend(negated);
    floats
}

/// All terms of two operators over two variables of three bits and all constants.
#[test]
fn all_small_terms_keep_all_their_values() {
    let mut tables = Tables::new(&[3, 3, 1]);
    let mut pool: Vec<Term> = tables.inputs.clone();
    pool.extend((0..8).map(|bits| tables.terms.constant(Word::new(3, bits))));
    let first = tables.apply_all(&pool, &pool);
    pool.extend(first);
    pool.sort_unstable();
    pool.dedup();
    // With a stride of 1 this takes minutes, and was run so; a prime does not fall in step
    // with the order of the operators.
    let few: Vec<Term> = pool.iter().copied().step_by(67).chain(tables.inputs.clone()).collect();
    tables.apply_all(&pool, &few);
}

/// The truth tables of all terms of a graph.
struct Tables {
    terms: Terms,
    inputs: Vec<Term>,
    assignments: Vec<Vec<Word>>,
    /// By term, by assignment.
    values: Vec<Vec<Word>>,
}

impl Tables {
    fn new(widths: &[u32]) -> Tables {
        let mut terms = Terms::new();
        let inputs = widths.iter().map(|width| terms.variable("v", *width)).collect();
        Tables { terms, inputs, assignments: all_assignments(widths).collect(), values: vec![] }
    }

    /// Every operator on every pair, in both orders. Gives what came out.
    fn apply_all(&mut self, left: &[Term], right: &[Term]) -> Vec<Term> {
        let mut results = vec![];
        let condition = self.inputs[2];
        for a in left {
            let width = self.terms.width(a);
            for op in unary(width) {
                results.push(self.apply(op, &[*a]));
            }
            for b in right {
                if self.terms.width(b) != width {
                    if width == 1 {
                        let zero = self.terms.constant(Word::zero(3));
                        results.push(self.apply(Op::Ite, &[*a, *b, zero]));
                    }
                    continue;
                }
                let plain = PLAIN.iter().copied().filter(|op| !op.takes_floats());
                for op in plain.filter(|op| !matches!(op, Op::Not | Op::Neg | Op::Concat)) {
                    if op == Op::Ite {
                        results.push(self.apply(op, &[condition, *a, *b]));
                        continue;
                    }
                    results.push(self.apply(op, &[*a, *b]));
                    results.push(self.apply(op, &[*b, *a]));
                }
                if width == 3 {
                    // Minima and maxima need a comparison of what is chosen.
                    let less = self.terms.apply(Op::Slt, &[*a, *b]);
                    self.apply(Op::Ite, &[less, *a, *b]);
                    self.apply(Op::Ite, &[less, *b, *a]);
                }
            }
        }
        results.retain(|term| [1, 3].contains(&self.terms.width(term)));
        results
    }

    fn apply(&mut self, op: Op, arguments: &[Term]) -> Term {
        let term = self.terms.apply(op, arguments);
        self.fill();
        for at in 0..self.assignments.len() {
            let words: Vec<Word> =
                arguments.iter().map(|argument| self.values[argument.index()][at]).collect();
            let (found, expected) = (self.values[term.index()][at], op.eval(&words));
            let shown = |term: &Term| bv::smtlib::display(&self.terms, *term);
            assert_eq!(
                found,
                expected,
                "{op:?} of\n{:#?}\nunder {:?} became\n{}",
                arguments.iter().map(shown).collect::<Vec<_>>(),
                self.assignments[at],
                shown(&term)
            );
        }
        term
    }

    /// Tables for the terms that are new. Their arguments are older.
    fn fill(&mut self) {
        let cone: Vec<Term> = self.terms.all_terms().skip(self.values.len()).collect();
        for term in cone {
            let row = match self.terms.node(term) {
                Node::Constant(word) => vec![*word; self.assignments.len()],
                Node::Variable(variable) => {
                    self.assignments.iter().map(|words| words[variable.index()]).collect()
                }
                Node::Apply(op, arguments) => (0..self.assignments.len())
                    .map(|at| {
                        let words: Vec<Word> =
                            arguments.iter().map(|argument| self.values[argument.index()][at]).collect();
                        op.eval(&words)
                    })
                    .collect(),
            };
            self.values.push(row);
        }
    }
}

fn unary(width: u32) -> Vec<Op> {
    let mut ops = vec![Op::Not, Op::Neg, Op::Zext(width + 2), Op::Sext(width + 2)];
    for lo in 0..width {
        ops.extend((lo..width).map(|hi| Op::Extract { hi, lo }));
    }
    ops
}

fn all_assignments(widths: &[u32]) -> impl Iterator<Item = Vec<Word>> {
    let bits: u32 = widths.iter().sum();
    (0..1u128 << bits).map(move |mut code| {
        let word = |width: &u32| {
            let word = Word::new(*width, code);
            code >>= width;
            word
        };
        widths.iter().map(word).collect()
    })
}

impl TestCase {
    /// Few variables, one favourite width, and arguments that are likely to be recent or to
    /// come again, so that rules find what they look for.
    fn arbitrary(u: &mut Unstructured, widths: &[u32]) -> arbitrary::Result<TestCase> {
        let width = *u.choose(widths)?;
        let mut variables = vec![width, width, 1];
        if u.ratio(1, 3)? {
            variables.push(1);
        }
        if u.ratio(1, 3)? {
            variables.push(u.int_in_range(1..=width)?);
        }
        let seed = u.arbitrary()?;
        let mut case = TestCase { variables, steps: vec![], seed };
        let mut found: Vec<u32> = case.variables.clone();
        for _ in 0..u.int_in_range(1..=MOST_STEPS)? {
            let (step, width) = step(u, &found)?;
            case.steps.push(step);
            found.push(width);
        }
        Ok(case)
    }

    fn assignments(&self) -> Vec<Vec<Word>> {
        if self.variables.iter().sum::<u32>() <= EXHAUSTIVE_BITS {
            return all_assignments(&self.variables).collect();
        }
        let mut state = self.seed | 1;
        let mut random = move || {
            // Xorshift: good enough to pick bits, and the same on every machine.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut word = |width: u32| match random() % 8 {
            0..4 if float::Format::of(width).is_some() => {
                let floats = special_floats(width);
                floats[random() as usize % floats.len()]
            }
            0 => Word::zero(width),
            1 => Word::one(width),
            2 => Word::ones(width),
            3 => Word::signed_min(width),
            4 => Word::signed_max(width),
            5 => Word::new(width, (random() % 20) as u128),
            _ => Word::new(width, (random() as u128) << 64 | random() as u128),
        };
        (0..SAMPLES).map(|_| self.variables.iter().map(|width| word(*width)).collect()).collect()
    }
}

/// A step over values of these widths, and its own width.
fn step(u: &mut Unstructured, found: &[u32]) -> arbitrary::Result<(Step, u32)> {
    if u.ratio(1, 5)? {
        let width = *u.choose(found)?;
        return Ok((Step::Constant(constant(u, width)?), width));
    }
    let first = pick(u, found, |_| true)?.unwrap_or(0);
    let width = found[first];
    let op = if u.ratio(1, 5)? {
        let other = (*u.choose(found)?).max(width + u.int_in_range(0..=3)?).min(bv::MAX_WIDTH);
        let lo = u.int_in_range(0..=width - 1)?;
        let lo = if u.ratio(1, 2)? { 0 } else { lo };
        let hi = u.int_in_range(lo..=width - 1)?;
        let float = *u.choose(&[32, 64])?;
        let integer = u.int_in_range(1..=bv::MAX_WIDTH)?;
        let resizes = [
            Op::Zext(other),
            Op::Sext(other),
            Op::Extract { hi, lo },
            Op::FromSigned(float),
            Op::FromUnsigned(float),
            Op::FResize(float),
            Op::ToSigned(integer),
            Op::ToUnsigned(integer),
        ];
        let floats = if float::Format::of(width).is_some() { resizes.len() } else { 3 };
        *u.choose(&resizes[..floats])?
    } else if u.ratio(1, 4)? && float::Format::of(width).is_some() {
        let floats: Vec<Op> = PLAIN.iter().copied().filter(|op| op.takes_floats()).collect();
        *u.choose(&floats)?
    } else if u.ratio(1, 3)? {
        *u.choose(&[Op::Ite, Op::Ite, Op::And, Op::Or, Op::Not, Op::Eq, Op::Slt, Op::Ult, Op::Add, Op::Sub])?
    } else {
        let plain: Vec<Op> = PLAIN.iter().copied().filter(|op| !op.takes_floats()).collect();
        *u.choose(&plain)?
    };
    let same = pick(u, found, |other| other == width)?.unwrap_or(first);
    let arguments = match op.shape() {
        Shape::Unary | Shape::Resize => vec![first],
        Shape::Binary | Shape::Predicate => vec![first, same],
        Shape::Choice => vec![pick(u, found, |width| width == 1)?.unwrap_or(2), first, same],
        Shape::Join => match pick(u, found, |other| width + other <= bv::MAX_WIDTH)? {
            Some(other) => vec![first, other],
            None => return Ok((Step::Apply(Op::Not, vec![first]), width)),
        },
    };
    let widths: Vec<u32> = arguments.iter().map(|at| found[*at]).collect();
    let width = op.result_width(&widths);
    Ok((Step::Apply(op, arguments), width))
}

/// One of those whose width will do; half of the time one of the last few.
fn pick(u: &mut Unstructured, found: &[u32], fits: impl Fn(u32) -> bool) -> arbitrary::Result<Option<usize>> {
    let fitting: Vec<usize> = (0..found.len()).filter(|at| fits(found[*at])).collect();
    if fitting.is_empty() {
        return Ok(None);
    }
    let from = if u.ratio(1, 2)? { fitting.len().saturating_sub(4) } else { 0 };
    Ok(Some(*u.choose(&fitting[from..])?))
}

fn constant(u: &mut Unstructured, width: u32) -> arbitrary::Result<Word> {
    if float::Format::of(width).is_some() && u.ratio(1, 2)? {
        return Ok(*u.choose(&special_floats(width))?);
    }
    let power = Word::new(width, 1 << u.int_in_range(0..=width - 1)?);
    Ok(match u.int_in_range(0..=8)? {
        0 => Word::zero(width),
        1 => Word::one(width),
        2 => Word::ones(width),
        3 => Word::signed_min(width),
        4 => Word::signed_max(width),
        5 => power,
        6 => Word::new(width, power.bits().wrapping_sub(1)),
        7 => Word::new(width, u.int_in_range(0..=9u8)? as u128),
        _ => Word::new(width, u.arbitrary()?),
    })
}

impl fmt::Debug for TestCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, width) in self.variables.iter().enumerate() {
            writeln!(f, "{at} = variable of width {width}")?;
        }
        for (at, step) in self.steps.iter().enumerate() {
            let at = at + self.variables.len();
            match step {
                Step::Constant(word) => writeln!(f, "{at} = {word:?}")?,
                Step::Apply(op, arguments) => writeln!(f, "{at} = {op:?} {arguments:?}")?,
            }
        }
        Ok(())
    }
}
