//! Bitwuzla in this process: right, incremental, on fuel, in threads.

use bv::{Domain, Memory, Op, Stop, Term, Terms, Variable, Word};
use smt::{Answer, Fuel, Solver};

/// More than any query here needs that is not meant to run out.
const PLENTY: Fuel = Fuel(1_000_000);

fn number(terms: &mut Terms, width: u32, value: u128) -> Term {
    terms.constant(Word::new(width, value))
}

/// (a / b) * b + a % b ≠ a, with b ≠ 0. Never so, but hard to see from width 8 on.
fn division_identity(width: u32) -> (Terms, Vec<Term>) {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable("a", width), terms.variable("b", width));
    let zero = number(&mut terms, width, 0);
    let nonzero = terms.apply(Op::Ne, &[b, zero]);
    let quotient = terms.apply(Op::Udiv, &[a, b]);
    let remainder = terms.apply(Op::Urem, &[a, b]);
    let product = terms.apply(Op::Mul, &[quotient, b]);
    let sum = terms.apply(Op::Add, &[product, remainder]);
    let differs = terms.apply(Op::Ne, &[sum, a]);
    (terms, vec![nonzero, differs])
}

#[test]
fn a_model_satisfies_the_query() {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable("a", 128), terms.variable("b", 128));
    let big = number(&mut terms, 128, u128::MAX / 3);
    let sum = terms.apply(Op::Add, &[a, b]);
    let query = [terms.apply(Op::Eq, &[sum, big]), terms.apply(Op::Ult, &[a, b])];
    let Answer::Sat(model) = Solver::new().check(&terms, &query, PLENTY).unwrap() else {
        panic!("it has models")
    };
    let (a, b) = (model.value(Variable(0)).bits(), model.value(Variable(1)).bits());
    assert!(a.wrapping_add(b) == u128::MAX / 3 && a < b, "{a} {b}");
}

#[test]
fn a_truth_value_can_be_an_input() {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable("a", 1), terms.variable("b", 1));
    let differ = terms.apply(Op::Xor, &[a, b]);
    let Answer::Sat(model) = Solver::new().check(&terms, &[differ, b], PLENTY).unwrap() else {
        panic!("a=0, b=1")
    };
    assert_eq!(model.words(), [Word::truth(false), Word::truth(true)]);
}

#[test]
fn constants_need_no_solver() {
    let mut terms = Terms::new();
    let (yes, no) = (number(&mut terms, 1, 1), number(&mut terms, 1, 0));
    let a = terms.variable("a", 8);
    let b = terms.variable("b", 8);
    let less = terms.apply(Op::Ult, &[a, b]);
    let mut solver = Solver::new();
    // Without fuel nothing can be asked, and yet there are answers.
    assert_eq!(solver.check(&terms, &[less, no], Fuel(0)).unwrap(), Answer::Unsat);
    assert!(matches!(solver.check(&terms, &[yes, yes], Fuel(0)).unwrap(), Answer::Sat(_)));
    assert!(matches!(solver.check(&terms, &[], Fuel(0)).unwrap(), Answer::Sat(_)));
    assert_eq!(solver.check(&terms, &[less], Fuel(0)).unwrap(), Answer::Unknown);
    assert!(matches!(solver.check(&terms, &[less], PLENTY).unwrap(), Answer::Sat(_)));
}

#[test]
fn assumptions_last_one_query_and_facts_last() {
    let mut terms = Terms::new();
    let (a, b, c) = (terms.variable("a", 32), terms.variable("b", 32), terms.variable("c", 32));
    let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(x, y)| terms.apply(Op::Slt, &[x, y]));
    let mut solver = Solver::new();
    assert_eq!(solver.check(&terms, &[ab, bc, ca], PLENTY).unwrap(), Answer::Unsat);
    assert!(matches!(solver.check(&terms, &[ab, bc], PLENTY).unwrap(), Answer::Sat(_)));
    solver.assert(&terms, ca);
    assert_eq!(solver.check(&terms, &[ab, bc], PLENTY).unwrap(), Answer::Unsat);
    let Answer::Sat(model) = solver.check(&terms, &[ab], PLENTY).unwrap() else { panic!("c < a < b") };
    let value = |number| model.value(Variable(number)).signed();
    assert!(value(2) < value(0) && value(0) < value(1));
}

#[test]
fn one_solver_serves_many_queries_over_a_growing_graph() {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
    let mut sum = terms.apply(Op::Xor, &[a, b]);
    let mut solver = Solver::new();
    for step in 0..100 {
        let constant = number(&mut terms, 32, 0x9e37_79b9 * (step + 1));
        let rotated = terms.apply(Op::Add, &[sum, constant]);
        sum = terms.apply(Op::Xor, &[rotated, a]);
        let target = number(&mut terms, 32, step);
        let hit = terms.apply(Op::Eq, &[sum, target]);
        let missed = terms.apply(Op::Ne, &[sum, target]);
        assert!(matches!(solver.check(&terms, &[hit], PLENTY).unwrap(), Answer::Sat(_)), "step {step}");
        assert_eq!(solver.check(&terms, &[hit, missed], PLENTY).unwrap(), Answer::Unsat, "step {step}");
    }
}

#[test]
#[should_panic(expected = "a solver serves one term graph")]
fn another_graph_is_refused() {
    let mut solver = Solver::new();
    let (terms, query) = division_identity(3);
    solver.check(&terms, &query, PLENTY).unwrap();
    let mut others = Terms::new();
    let other = others.variable("x", 1);
    let _ = solver.check(&others, &[other], PLENTY);
}

#[test]
fn a_hard_query_runs_out_of_fuel_and_a_later_one_does_not_suffer() {
    let (mut terms, query) = division_identity(64);
    let easy = terms.variable("easy", 1);
    let mut solver = Solver::new();
    assert_eq!(solver.check(&terms, &query, Fuel(300)).unwrap(), Answer::Unknown);
    assert_eq!(solver.burnt(), Fuel(300));
    assert!(matches!(solver.check(&terms, &[easy], Fuel(300)).unwrap(), Answer::Sat(_)));
}

/// Multiplied out, the products have more parts than anybody could count.
#[test]
fn products_of_products_end_with_their_fuel() {
    let mut terms = Terms::new();
    let [a, b] = ["a", "b"].map(|name| terms.variable(name, 64));
    let nested = |terms: &mut Terms, last: u128| {
        let (mut x, mut y) = (a, b);
        for at in 0..12 {
            let odd = number(terms, 64, if at == 11 { last } else { 2 * at + 3 });
            let (sum, scaled) = (terms.apply(Op::Add, &[x, y]), terms.apply(Op::Mul, &[odd, y]));
            let other = terms.apply(Op::Add, &[x, scaled]);
            let product = terms.apply(Op::Mul, &[sum, other]);
            (x, y) = (terms.apply(Op::Add, &[product, odd]), x);
        }
        x
    };
    let (one, other) = (nested(&mut terms, 25), nested(&mut terms, 27));
    let same = terms.apply(Op::Eq, &[one, other]);
    let differ = terms.apply(Op::Not, &[same]);
    // tidy: clock as a guard
    let began = std::time::Instant::now();
    let answer = Solver::new().check(&terms, &[differ], Fuel(200));
    assert!(matches!(answer, Ok(Answer::Unknown | Answer::Sat(_))), "{answer:?}");
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn a_circuit_that_needs_too_much_memory_is_not_made() {
    let (mut terms, query) = division_identity(64);
    let easy = terms.variable("easy", 1);
    let mut solver = Solver::until(&Stop::default(), Memory(1 << 20));
    assert_eq!(solver.check(&terms, &query, PLENTY).unwrap(), Answer::Unknown);
    assert!(solver.is_too_large() && solver.left() == Fuel(u64::MAX));
    assert!(matches!(solver.check(&terms, &[easy], PLENTY).unwrap(), Answer::Sat(_)));
    assert!(!solver.is_too_large());
}

#[test]
fn circuits_that_fit_one_by_one_are_made_one_after_another() {
    let mut terms = Terms::new();
    let mut solver = Solver::until(&Stop::default(), Memory(1 << 23));
    for at in 0..8 {
        let [a, b] = ["a", "b"].map(|name| terms.variable(&format!("{name}{at}"), 24));
        let quotient = terms.apply(Op::Udiv, &[a, b]);
        let query = terms.apply(Op::Ult, &[quotient, a]);
        solver.allow(PLENTY);
        assert!(matches!(solver.check(&terms, &[query], PLENTY).unwrap(), Answer::Sat(_)), "{at}");
        assert!(PLENTY.0 - solver.left().0 > solver.burnt().0, "gates are paid for");
    }
}

#[test]
fn checks_share_what_is_allowed_together() {
    let (terms, query) = division_identity(64);
    let mut solver = Solver::new();
    solver.allow(Fuel(10_000));
    assert_eq!(solver.check(&terms, &query, PLENTY).unwrap(), Answer::Unknown);
    assert_eq!((solver.left(), solver.burnt() > Fuel(0)), (Fuel(0), true));
    assert_eq!(solver.check(&terms, &query, PLENTY).unwrap(), Answer::Unknown);
    assert_eq!(solver.burnt(), Fuel(0), "nothing is left");
}

#[test]
fn the_same_query_burns_the_same_fuel_each_time() {
    let (terms, query) = division_identity(7);
    let run = || {
        let mut solver = Solver::new();
        (solver.check(&terms, &query, PLENTY).unwrap(), solver.burnt())
    };
    let (answer, burnt) = run();
    assert_eq!(answer, Answer::Unsat);
    assert!(burnt > Fuel(20), "{burnt:?} shows nothing");
    for _ in 0..20 {
        assert_eq!(run(), (Answer::Unsat, burnt));
    }
    // One look less than it needs is not enough, exactly that is.
    assert_eq!(Solver::new().check(&terms, &query, Fuel(burnt.0 - 1)).unwrap(), Answer::Unknown);
    assert_eq!(Solver::new().check(&terms, &query, burnt).unwrap(), Answer::Unsat);
}

#[test]
fn four_threads_do_not_disturb_each_other() {
    let run = |width: u32| {
        let (terms, query) = division_identity(width);
        let mut solver = Solver::new();
        let answer = solver.check(&terms, &query, Fuel(2000)).unwrap();
        (answer, solver.burnt())
    };
    let alone: Vec<_> = (4..8).map(run).collect();
    for _ in 0..3 {
        let threads: Vec<_> = (4..8).map(|width| std::thread::spawn(move || run(width))).collect();
        let together: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(together, alone);
    }
}

#[test]
fn a_solver_may_move_to_another_thread() {
    let (terms, query) = division_identity(5);
    let mut solver = Solver::new();
    solver.check(&terms, &query[..1], PLENTY).unwrap();
    let moved = std::thread::spawn(move || {
        let answer = solver.check(&terms, &query, PLENTY).unwrap();
        (solver, terms, query, answer)
    });
    let (mut solver, terms, query, answer) = moved.join().unwrap();
    assert_eq!(answer, Answer::Unsat);
    assert!(matches!(solver.check(&terms, &query[..1], PLENTY).unwrap(), Answer::Sat(_)));
}
