//! Lockstep: a mutated place that makes no difference where it stands.
//!
//! Let `clean(x)` say that the original breaks no rule of C on input `x`. Let a path lead to the mutated
//! place under the guard `g(x)`, and let `a(x)` and `b(x)` be the values of original and mutant there. The
//! judge says that they are the same only if one of these is unsatisfiable:
//!
//!   (1) g and a != b
//!   (2) loose(g and a != b), in which each hard operation is any number; it follows from (1)
//!   (3) clean and g and a != b
//!
//! The encoder then goes on with `a` in place of `b`. Claim: the encoding is right for every clean input. It
//! may be wrong for others, so every query about the encoding asks for clean inputs. The unsatisfiable
//! formulas are lemmas of the proof.
//!
//! Each question is small, because nothing that comes after the place matters. If all answers are yes, the
//! mutant is the original, term by term. `i != n` in place of `i < n` gives eight such questions for eight
//! rounds of a loop; the whole miter, asked at once, is beyond a solver. The result of a call is judged in
//! the same way, against what the same call of the original returns: two recursions that end at different
//! depths meet again there.
//!
//! After weak mutation (Howden, 1982) and its use in equivalence checking of circuits: cut points that line
//! up.

use bv::formula::{ne, ult};
use bv::{Domain, Evaluator, Memory, Node, Op, Stop, Term, Terms, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Fuel, Solver};

use crate::encode::Judge;

/// For a question about the path alone, and for one about clean inputs.
const LOCAL: Fuel = Fuel(100);
const QUESTION: Fuel = Fuel(1_000);

/// Terms that one question may have, and all questions about one mutant together. A solver turns each term
/// into a circuit first.
const LARGEST: usize = 4_000;
const TOGETHER: usize = 100_000;

/// Questions about the path alone get this part of the memory.
const SMALL: u64 = 4;

/// In a graph with more terms than this, only so many samples are tried: each keeps a value for every term.
const LARGE: usize = 50_000;
const FEW: usize = 8;

/// After so many questions in vain, no more are asked about this mutant.
const PATIENCE: u32 = 3;

pub(crate) struct Lockstep<'a> {
    solver: &'a mut Solver,
    /// The original breaks no rule.
    clean: Term,
    ground: &'a mut Ground,
    /// Each of these is unsatisfiable. They are why the encoding holds.
    pub(crate) lemmas: Vec<Term>,
    patience: u32,
    /// Terms that questions may still have.
    left: usize,
    /// Whether the path alone was not enough before. It hardly is the next time.
    needs_clean: bool,
}

/// What the questions about one graph share.
pub(crate) struct Ground {
    /// For questions about the path alone. A question that is too hard costs a solver all that it has
    /// translated, so these have a solver of their own.
    local: Solver,
    /// Inputs that are clean for the original, with the values of terms under them.
    samples: Vec<Evaluator>,
    /// The variable that stands for any number, by the term in whose place it stands.
    any: FxHashMap<Term, Term>,
}

impl Ground {
    pub(crate) fn new(samples: &[Vec<Word>], stop: &Stop, memory: Memory) -> Ground {
        let samples = samples.iter().map(|sample| Evaluator::new(sample)).collect();
        let local = Solver::until(stop, Memory(memory.0 / SMALL));
        Ground { local, samples, any: FxHashMap::default() }
    }

    /// The questions from now on may use so much together.
    pub(crate) fn allow(&mut self, fuel: Fuel) {
        self.local.allow(fuel);
    }
}

impl Lockstep<'_> {
    pub(crate) fn new<'a>(solver: &'a mut Solver, clean: Term, ground: &'a mut Ground) -> Lockstep<'a> {
        let (patience, left, needs_clean) = (PATIENCE, TOGETHER, false);
        Lockstep { solver, clean, ground, lemmas: vec![], patience, left, needs_clean }
    }

    /// Whether this holds for no clean input.
    fn is_never(&mut self, terms: &mut Terms, truth: Term) -> bool {
        if self.patience == 0 || self.ground.some(terms, truth) {
            return false;
        }
        let never = self.ask(terms, truth);
        self.patience -= u32::from(!never);
        never
    }

    fn ask(&mut self, terms: &mut Terms, truth: Term) -> bool {
        if !self.affords(terms, truth) {
            return false;
        }
        // Most never hold, clean or not, and that is a far smaller question.
        if !self.needs_clean {
            let loose = self.ground.loosen(terms, truth);
            let answer = (loose != truth).then(|| self.ground.local.check(terms, &[loose], LOCAL));
            if let Some(Ok(Answer::Unsat)) = answer {
                self.lemmas.push(loose);
                return true;
            }
            match self.ground.local.check(terms, &[truth], LOCAL) {
                Ok(Answer::Unsat) => {
                    self.lemmas.push(truth);
                    return true;
                }
                Ok(Answer::Sat(model)) if terms.eval(self.clean, model.words()).is_true() => {
                    self.ground.add(model.words());
                    return false;
                }
                _ => {}
            }
        }
        let lemma = terms.and(self.clean, truth);
        if !self.affords(terms, lemma) {
            return false;
        }
        match self.solver.check(terms, &[lemma], QUESTION) {
            Ok(Answer::Unsat) => {
                self.lemmas.push(lemma);
                self.needs_clean = true;
                return true;
            }
            Ok(Answer::Sat(model)) => self.ground.add(model.words()),
            // Hard or broken: the mutant goes its own way, and only speed is lost.
            Ok(Answer::Unknown) | Err(_) => {}
        }
        false
    }

    fn affords(&mut self, terms: &Terms, question: Term) -> bool {
        let size = terms.cone(&[question]).len();
        let affordable = size <= LARGEST && size <= self.left;
        self.left -= if affordable { size } else { 0 };
        affordable
    }
}

impl Judge for Lockstep<'_> {
    fn are_same(&mut self, terms: &mut Terms, guard: Term, one: Term, other: Term) -> bool {
        if one == other {
            return true;
        }
        let here = terms.and(guard, ne(one, other));
        self.is_never(terms, here)
    }
}

impl Ground {
    /// A weaker truth value: any number stands in the place of each that is hard to compute. A remainder
    /// stays below its divisor. A product that no other hard operation depends on stays as it is.
    fn loosen(&mut self, terms: &mut Terms, truth: Term) -> Term {
        let mut replace: FxHashMap<Term, Term> = FxHashMap::default();
        let mut within: FxHashSet<Term> = FxHashSet::default();
        let mut limits = terms.truth(true);
        for term in terms.cone(&[truth]).into_iter().rev() {
            let Node::Apply(op, arguments) = *terms.node(term) else { continue };
            let hard = matches!(op, Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem);
            let divisor = arguments.get(1).and_then(|divisor| terms.known(divisor));
            let divisor = divisor.filter(|divisor| op == Op::Urem && !divisor.is_zero());
            if hard && (divisor.is_some() || within.contains(&term)) {
                let any = *self.any.entry(term).or_insert_with(|| {
                    let width = terms.width(&term);
                    terms.variable(&format!("any{}", term.index()), width)
                });
                replace.insert(term, any);
                if let Some(divisor) = divisor {
                    limits = terms.and(limits, ult(any, divisor));
                }
            } else if hard || within.contains(&term) {
                within.extend(arguments.iter());
            }
        }
        if replace.is_empty() {
            return truth;
        }
        let loose = terms.rebuild(truth, &mut replace);
        terms.and(limits, loose)
    }

    /// Whether a truth value holds for some sample.
    fn some(&mut self, terms: &Terms, truth: Term) -> bool {
        let used = if terms.len() > LARGE { FEW } else { self.samples.len() };
        if let Some(unused) = self.samples.get_mut(used..) {
            unused.iter_mut().for_each(Evaluator::forget);
        }
        self.samples.iter_mut().take(used).any(|sample| sample.value(terms, truth).is_true())
    }

    fn add(&mut self, sample: &[Word]) {
        self.samples.push(Evaluator::new(sample));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the judge says of two words under a guard, where only `clean` is known of the inputs.
    fn judge(terms: &mut Terms, clean: Term, guard: Term, [one, other]: [Term; 2]) -> (bool, Vec<Term>) {
        let (mut solver, mut ground) = (Solver::new(), Ground::new(&[], &Stop::default(), Memory::UNLIMITED));
        let mut lockstep = Lockstep::new(&mut solver, clean, &mut ground);
        let same = lockstep.are_same(terms, guard, one, other);
        (same, lockstep.lemmas)
    }

    #[test]
    fn what_differs_elsewhere_is_the_same_on_the_way() {
        let mut terms = Terms::new();
        let (i, n, always) = (terms.variable("i", 32), terms.variable("n", 32), terms.truth(true));
        let less = terms.slt(i, n);
        let other = terms.ne(i, n);
        let way = terms.sle(i, n);
        // Rewriting knows as much, and then there is nothing to prove.
        assert!(judge(&mut terms, always, way, [less, other]).0);
        assert_eq!(judge(&mut terms, always, always, [less, other]), (false, vec![]));
    }

    #[test]
    fn what_holds_on_clean_inputs_only_is_a_lemma_about_them() {
        let mut terms = Terms::new();
        let (a, b, always) = (terms.variable("a", 8), terms.variable("b", 8), terms.truth(true));
        let [four, eight] = [4, 8].map(|number| terms.constant(Word::new(8, number)));
        let [small_a, small_b] = [a, b].map(|word| terms.ult(word, four));
        let clean = terms.and(small_a, small_b);
        let sum = terms.add(a, b);
        let below = terms.ult(sum, eight);
        let (same, lemmas) = judge(&mut terms, clean, always, [below, always]);
        assert!(same);
        let not_below = terms.not(below);
        assert_eq!(lemmas, [terms.and(clean, not_below)]);
    }

    #[test]
    fn a_remainder_is_any_number_below_the_divisor() {
        let mut terms = Terms::new();
        let (a, b, always) = (terms.variable("a", 32), terms.variable("b", 32), terms.truth(true));
        let [ten, twenty] = [10, 20].map(|number| terms.constant(Word::new(32, number)));
        let product = terms.mul(a, b);
        let rest = terms.urem(product, ten);
        let twice = terms.add(rest, rest);
        let below = terms.ult(twice, twenty);
        let (same, lemmas) = judge(&mut terms, always, always, [below, always]);
        assert!(same);
        let cone = terms.cone(&lemmas);
        assert!(!cone.contains(&rest) && !cone.contains(&product), "nobody computes them");
    }
}
