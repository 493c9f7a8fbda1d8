//! Other solvers as processes: what they say, and what happens when they misbehave.
//!
//! `./x` installs Z3, so these tests rely on it.

use std::time::{Duration, Instant};

use bv::{Domain, Op, Term, Terms, Variable, Word};
use smt::{Answer, Process, Reply, SmtError, second_opinion};

const GUARD: Duration = Duration::from_secs(60);

fn z3() -> Process {
    Process::new("z3", &["-in"])
}

/// A solver that reads everything and then says this.
fn parrot(says: &str) -> Process {
    Process::new("sh", &["-c", "cat > /dev/null; printf '%b' \"$0\"", says])
}

/// a + 1 = 0 over 8 bits, with a flag: the only model is (255, true).
fn query() -> (Terms, Vec<Term>) {
    let mut terms = Terms::new();
    let a = terms.variable("a", 8);
    let unused = terms.variable("unused", 16);
    let flag = terms.variable("the flag", 1);
    let (one, zero) = (terms.constant(Word::one(8)), terms.constant(Word::zero(8)));
    let sum = terms.apply(Op::Add, &[a, one]);
    let wraps = terms.apply(Op::Eq, &[sum, zero]);
    assert_eq!(terms.width(&unused), 16);
    (terms, vec![wraps, flag])
}

#[test]
fn z3_finds_the_model() {
    let (terms, query) = query();
    let Answer::Sat(model) = z3().check(&terms, &query, GUARD).unwrap() else { panic!("255, true") };
    assert_eq!(model.words(), [Word::ones(8), Word::zero(16), Word::truth(true)]);
}

#[test]
fn z3_sees_that_there_is_none() {
    let (mut terms, mut query) = query();
    let a = terms.variable_term(Variable(0));
    let two = terms.constant(Word::new(8, 2));
    query.push(terms.apply(Op::Ult, &[a, two]));
    assert_eq!(z3().check(&terms, &query, GUARD).unwrap(), Answer::Unsat);
}

#[test]
fn a_script_is_answered_in_one_word() {
    let script = |x: &str| format!("(declare-const x Int)(assert (> (* x x) {x}))(check-sat)\n");
    assert_eq!(z3().ask(&script("3"), GUARD).unwrap(), Reply::Sat);
    assert_eq!(z3().ask("(assert false)(check-sat)", GUARD).unwrap(), Reply::Unsat);
    assert_eq!(parrot("unknown\\n").ask("(check-sat)", GUARD).unwrap(), Reply::Unknown);
}

#[test]
fn a_solver_that_does_not_know_says_so() {
    let (terms, query) = query();
    assert_eq!(parrot("unknown\\n").check(&terms, &query, GUARD).unwrap(), Answer::Unknown);
}

#[test]
fn a_wrong_model_is_an_error() {
    let (terms, query) = query();
    let liar = parrot("sat\\n((a #x03) (|the flag| true))\\n");
    assert!(matches!(liar.check(&terms, &query, GUARD), Err(SmtError::WrongModel { .. })));
    let odd = parrot("sat\\n((a #x003) (|the flag| true))\\n");
    assert!(matches!(odd.check(&terms, &query, GUARD), Err(SmtError::Garbage { .. })));
}

#[test]
fn a_solver_that_is_not_there_is_named() {
    let error = Process::new("no-such-solver", &[]).ask("(check-sat)", GUARD).unwrap_err();
    assert!(matches!(error, SmtError::NotFound { .. }));
    assert!(error.to_string().contains("`no-such-solver`"), "{error}");
}

#[test]
fn a_solver_that_dies_leaves_its_last_words() {
    let dying = Process::new("sh", &["-c", "echo 'out of memory' >&2; exit 3"]);
    let error = dying.ask("(check-sat)", GUARD).unwrap_err();
    assert!(matches!(error, SmtError::Died { .. }));
    assert!(error.to_string().contains("3") && error.to_string().contains("out of memory"), "{error}");
}

#[test]
fn what_is_no_answer_is_quoted() {
    let error = parrot("maybe\\n").ask("(check-sat)", GUARD).unwrap_err();
    assert!(matches!(error, SmtError::Garbage { .. }));
    assert!(error.to_string().contains("`maybe`"), "{error}");
}

#[test]
fn an_answer_after_an_error_is_no_answer() {
    // Z3 reports the bad assertion, goes on without it, and says sat.
    let error = z3().ask("(assert (no-such-thing))(check-sat)\n", GUARD).unwrap_err();
    assert!(matches!(error, SmtError::Garbage { .. }), "{error}");
}

#[test]
fn a_solver_that_hangs_is_killed() {
    // tidy: clock as a guard
    let start = Instant::now();
    let error = Process::new("sleep", &["60"]).ask("(check-sat)", Duration::from_millis(100)).unwrap_err();
    assert!(matches!(error, SmtError::TimedOut { .. }));
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_second_opinion_is_not_bitwuzlas_own() {
    assert_eq!(second_opinion(), Some(z3()));
}
