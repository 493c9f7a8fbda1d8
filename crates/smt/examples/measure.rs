//! What queries cost: mutants of the triangle program, one miter each.
//!
//! `cargo run --release -p whet-smt --example measure`

use std::time::Instant;

use bv::{Domain, Op, Term, Terms, Word};
use smt::{Answer, Fuel, Process, Solver};

const RELATIONS: &[Op] = &[Op::Slt, Op::Sle, Op::Sgt, Op::Sge, Op::Eq, Op::Ne];
const SUMS: &[Op] = &[Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor];

/// The operation at one site is replaced.
#[derive(Clone, Copy)]
struct Change {
    site: usize,
    op: Op,
}

struct Program<'t> {
    terms: &'t mut Terms,
    change: Option<Change>,
    sites: Vec<Op>,
}

impl Program<'_> {
    fn apply(&mut self, op: Op, a: Term, b: Term) -> Term {
        let site = self.sites.len();
        self.sites.push(op);
        let op = self.change.filter(|change| change.site == site).map_or(op, |change| change.op);
        self.terms.apply(op, &[a, b])
    }

    fn number(&mut self, value: u128) -> Term {
        self.terms.constant(Word::new(32, value))
    }

    fn choose(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        self.terms.apply(Op::Ite, &[condition, yes, no])
    }

    fn all(&mut self, op: Op, truths: &[Term]) -> Term {
        truths[1..].iter().fold(truths[0], |all, truth| self.terms.apply(op, &[all, *truth]))
    }

    fn trityp(&mut self, [a, b, c]: [Term; 3]) -> Term {
        let [zero, one, two, three, four] = [0, 1, 2, 3, 4].map(|value| self.number(value));
        let bad = [a, b, c].map(|side| self.apply(Op::Sle, side, zero));
        let bad = self.all(Op::Or, &bad);
        let mut kind = zero;
        for (x, y, weight) in [(a, b, one), (a, c, two), (b, c, three)] {
            let same = self.apply(Op::Eq, x, y);
            let more = self.apply(Op::Add, kind, weight);
            kind = self.choose(same, more, kind);
        }
        let flat = [(a, b, c), (b, c, a), (a, c, b)].map(|(x, y, z)| {
            let sum = self.apply(Op::Add, x, y);
            self.apply(Op::Sle, sum, z)
        });
        let flat = self.all(Op::Or, &flat);
        let scalene = self.choose(flat, four, one);
        let mut isosceles = four;
        for (is, x, y, z) in [(one, a, b, c), (two, a, c, b), (three, b, c, a)] {
            let is = self.apply(Op::Eq, kind, is);
            let sum = self.apply(Op::Add, x, y);
            let long = self.apply(Op::Sgt, sum, z);
            let both = self.all(Op::And, &[is, long]);
            isosceles = self.choose(both, two, isosceles);
        }
        let equilateral = self.apply(Op::Sgt, kind, three);
        let other = self.choose(equilateral, three, isosceles);
        let none = self.apply(Op::Eq, kind, zero);
        let valid = self.choose(none, scalene, other);
        self.choose(bad, four, valid)
    }
}

fn main() {
    let mut terms = Terms::new();
    let sides = ["a", "b", "c"].map(|name| terms.variable(name, 32));
    let start = Instant::now();
    let mut original = Program { terms: &mut terms, change: None, sites: vec![] };
    let result = original.trityp(sides);
    let sites = original.sites;
    let mut queries = vec![];
    for (site, &old) in sites.iter().enumerate() {
        let family = if RELATIONS.contains(&old) { RELATIONS } else { SUMS };
        for &op in family.iter().filter(|op| **op != old) {
            let mut mutant = Program { terms: &mut terms, change: Some(Change { site, op }), sites: vec![] };
            let other = mutant.trityp(sides);
            queries.push(terms.apply(Op::Ne, &[result, other]));
        }
    }
    let [a, b, c] = sides;
    let mut valid = vec![];
    for (x, y) in [(a, b), (b, c), (a, c)] {
        let overflow = terms.apply(Op::SaddO, &[x, y]);
        valid.push(terms.apply(Op::Not, &[overflow]));
    }
    println!("{} mutants, {} terms in {:?}", queries.len(), terms.len(), start.elapsed());

    let start = Instant::now();
    let made = 1000;
    (0..made).for_each(|_| drop(Solver::new()));
    println!("a solver: {:?}", start.elapsed() / made);

    let mut one = Solver::new();
    valid.iter().for_each(|fact| one.assert(&terms, *fact));
    report("one solver, facts", &queries, |query| one.check(&terms, &[query], Fuel::DEFAULT).unwrap());
    let with = |query: Term| valid.iter().copied().chain([query]).collect::<Vec<_>>();
    let mut one = Solver::new();
    report("one solver, assumptions", &queries, |query| {
        one.check(&terms, &with(query), Fuel::DEFAULT).unwrap()
    });
    report("a solver each", &queries, |query| {
        Solver::new().check(&terms, &with(query), Fuel::DEFAULT).unwrap()
    });
    let z3 = Process::new("z3", &["-in"]);
    let guard = std::time::Duration::from_secs(60);
    report("z3 each", &queries[..20], |query| z3.check(&terms, &with(query), guard).unwrap());
}

fn report(name: &str, queries: &[Term], mut ask: impl FnMut(Term) -> Answer) {
    let start = Instant::now();
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for query in queries {
        match ask(*query) {
            Answer::Sat(_) => sat += 1,
            Answer::Unsat => unsat += 1,
            Answer::Unknown => unknown += 1,
        }
    }
    let each = start.elapsed() / queries.len() as u32;
    println!("{name}: {sat} sat, {unsat} unsat, {unknown} unknown, {each:?} each");
}
