//! Lockstep: whether a mutated place makes a difference where it stands.
//!
//! Until a mutant first computes something else, it is the original, and a mutated place that never
//! does makes no difference at all. So while a mutant is encoded, each encounter with its site is judged at once: can
//! the two values differ on the way that leads here? That is a small question, because nothing that comes after it
//! matters. If the answer is no, the encoder goes on with the original's value, and all that follows is the
//! original's, term by term. `i != n` in place of `i < n` is eight such questions for eight rounds of a loop, where
//! the whole miter, asked at once, is beyond a solver.
//!
//! What a call returns is judged in the same way, against what the same call of the original returns: two recursions that end
//! at different depths meet again there.
//!
//! What holds on clean inputs only is asked together with their being clean, and every query about the encoding says
//! so again. Hence an answer changes nothing that a verdict rests on.
//!
//! After weak mutation (Howden, 1982) and its use in equivalence checking of circuits: cut points that line up.

use bv::{Domain, Evaluator, Node, Op, Term, Terms, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Fuel, Solver};

use crate::encode::Judge;

/// For a question about the way alone, and for one about clean inputs.
const LOCAL: Fuel = Fuel(100);
const QUESTION: Fuel = Fuel(1_000);

/// Terms that one question may have, and all questions about one mutant together: a solver turns each into a circuit first.
const LARGEST: usize = 4_000;
const TOGETHER: usize = 100_000;

/// So many questions may be in vain; then this mutant is not worth more of them.
const PATIENCE: u32 = 3;

pub struct Lockstep<'a> {
    solver: &'a mut Solver,
    /// What may be taken for granted: the input is clean for the original.
    clean: Term,
    ground: &'a mut Ground,
    /// Each of these is unsatisfiable, and that is why the encoding holds.
    pub lemmas: Vec<Term>,
    patience: u32,
    /// Terms that questions may still have.
    left: usize,
    /// Whether the way alone was not enough before: it will hardly be the next time.
    needs_clean: bool,
}

/// What the questions about one graph share.
pub struct Ground {
    /// For questions about the way alone. One that is too hard costs a solver all that it has translated, so they have
    /// one of their own.
    local: Solver,
    /// Inputs that are clean for the original, and what terms are under them.
    samples: Vec<Evaluator>,
    /// The variables that stand for any number, by what they stand in for.
    any: FxHashMap<Term, Term>,
}

impl Ground {
    pub fn new(samples: &[Vec<Word>]) -> Ground {
        let samples = samples.iter().map(|sample| Evaluator::new(sample)).collect();
        Ground { local: Solver::new(), samples, any: FxHashMap::default() }
    }
}

impl Lockstep<'_> {
    pub fn new<'a>(solver: &'a mut Solver, clean: Term, ground: &'a mut Ground) -> Lockstep<'a> {
        let (patience, left, needs_clean) = (PATIENCE, TOGETHER, false);
        Lockstep { solver, clean, ground, lemmas: vec![], patience, left, needs_clean }
    }

    /// Whether this never holds on an input that is clean.
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
        // Most never hold whatever the input is, and that is a far smaller question.
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
            // Hard or broken: then the mutant goes its own way, and nothing is lost but speed.
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
        let differ = terms.ne(one, other);
        let here = terms.and(guard, differ);
        self.is_never(terms, here)
    }
}

impl Ground {
    /// What follows from a truth value: the same about any number in place of each that is hard to compute. A remainder
    /// stays below what divides; and of products, those stay as they are that no other is made of.
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
                    let divisor = terms.constant(divisor);
                    let below = terms.ult(any, divisor);
                    limits = terms.and(limits, below);
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

    /// Whether a truth value holds under some sample.
    fn some(&mut self, terms: &Terms, truth: Term) -> bool {
        self.samples.iter_mut().any(|sample| sample.value(terms, truth).is_true())
    }

    fn add(&mut self, sample: &[Word]) {
        self.samples.push(Evaluator::new(sample));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the judge says of two words under a guard, where `clean` is all that is known of the inputs.
    fn judge(terms: &mut Terms, clean: Term, guard: Term, one: Term, other: Term) -> (bool, Vec<Term>) {
        let (mut solver, mut ground) = (Solver::new(), Ground::new(&[]));
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
        assert!(judge(&mut terms, always, way, less, other).0);
        assert_eq!(judge(&mut terms, always, always, less, other), (false, vec![]));
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
        let (same, lemmas) = judge(&mut terms, clean, always, below, always);
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
        let (same, lemmas) = judge(&mut terms, always, always, below, always);
        assert!(same);
        let cone = terms.cone(&lemmas);
        assert!(!cone.contains(&rest) && !cone.contains(&product), "nobody computes them");
    }
}
