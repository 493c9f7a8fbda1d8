//! What queries about doubles cost, by operator.
//!
//! `cargo run --release -p whet-smt --example floats`

use std::time::Instant;

use bv::{Domain, Op, Term, Terms, float};
use smt::{Answer, Fuel, Solver};

/// Ten seconds or so, for what is hard.
const PLENTY: Fuel = Fuel(70_000);

fn main() {
    for op in [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FSqrt] {
        ask("which operands give 1.375", op, |terms, a, b, _| {
            let (result, target) = (apply(terms, op, a, b), terms.constant(float::word(64, 1.375)));
            vec![terms.equal(result, target)]
        });
        ask("which operands tell it from a sum, both in [1, 2]", op, |terms, a, b, _| {
            let (result, sum) = (apply(terms, op, a, b), terms.apply(Op::FAdd, &[a, b]));
            vec![terms.apply(Op::Ne, &[result, sum]), between(terms, a), between(terms, b)]
        });
        ask("where in [1, 2] can it leave [-1, 4]", op, |terms, a, b, _| {
            let result = apply(terms, op, a, b);
            let [least, most] = [-1.0, 4.0].map(|limit| terms.constant(float::word(64, limit)));
            let outside = [terms.apply(Op::FLt, &[result, least]), terms.apply(Op::FLt, &[most, result])];
            vec![terms.any(outside), between(terms, a), between(terms, b)]
        });
        ask("where in [1, 2] is it not monotone", op, |terms, a, b, c| {
            let (first, second) = (apply(terms, op, a, b), apply(terms, op, c, b));
            let falls = [terms.apply(Op::FLe, &[a, c]), terms.apply(Op::FLt, &[second, first])];
            vec![terms.all(falls), between(terms, a), between(terms, b), between(terms, c)]
        });
    }
}

fn apply(terms: &mut Terms, op: Op, a: Term, b: Term) -> Term {
    terms.apply(op, &[a, b][..op.shape().arity()])
}

/// That the double is in [1, 2].
fn between(terms: &mut Terms, x: Term) -> Term {
    let [one, two] = [1.0, 2.0].map(|limit| terms.constant(float::word(64, limit)));
    let both = [terms.apply(Op::FLe, &[one, x]), terms.apply(Op::FLe, &[x, two])];
    terms.all(both)
}

fn ask(what: &str, op: Op, build: impl Fn(&mut Terms, Term, Term, Term) -> Vec<Term>) {
    let mut terms = Terms::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| terms.variable(name, 64));
    let query = build(&mut terms, a, b, c);
    let start = Instant::now();
    let mut solver = Solver::new();
    let answer = match solver.check(&terms, &query, PLENTY).expect("Bitwuzla's models are right") {
        Answer::Sat(_) => "sat",
        Answer::Unsat => "unsat",
        Answer::Unknown => "unknown",
    };
    println!("{}: {what}: {answer}, {} looks, {:?}", op.name(), solver.burnt().0, start.elapsed());
}
