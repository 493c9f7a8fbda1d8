//! Sweeping: proving a hard miter piece by piece, from the inputs upwards.
//!
//! Original and mutant are nearly the same circuit. Terms of both that agree on all sampled
//! inputs are candidates for being equal; each candidate is a small query, because what lies below it
//! has been merged before. Where a query says yes, the mutant's term is replaced by the original's, and
//! the miter above shrinks. A chain of minima is exponential for plain search, and linear for this.
//!
//! After SAT sweeping in hardware equivalence checking (Kuehlmann and Krohm, 1997).

use std::cmp::Reverse;

use bv::{Domain, Evaluator, Node, Term, Terms, Word};
use rustc_hash::FxHashMap;
use smt::{Answer, Fuel, Solver};

/// A miter, and what is known around it.
pub struct Miter<'a> {
    /// What may be taken for granted: the input is valid for the original.
    pub valid: Term,
    /// The terms of the original, which the mutant's are compared with, and of what makes an input valid: what merging
    /// relies on must not be merged itself. Sorted.
    pub original: &'a [Term],
    /// Can this be true? It implies `valid`.
    pub root: Term,
    /// Inputs that are valid for the original, by variable.
    pub samples: &'a [Vec<Word>],
}

/// What came of it: the smaller miter, and the equalities that lead there.
pub struct Swept {
    pub root: Term,
    /// Each of these is unsatisfiable.
    pub lemmas: Vec<Term>,
}

/// For each candidate. Equal terms over merged arguments take a fraction of this; what takes more is
/// left for the full query.
const CANDIDATE: Fuel = Fuel(1_000);

/// Candidates for one term. The first is nearly always right if any is.
const TRIES: usize = 2;

/// Terms that all queries for one miter may translate together. A solver turns each into a circuit first, and a
/// thousand terms take it some ten milliseconds before any search begins.
const TRANSLATED: usize = 50_000;

/// So many terms in a row that are too hard to compare, and what lies above them hardly is easier. Each may burn all of its
/// fuel: without this, a loop that cubes the digits of a number was swept for 40 s, in vain.
const PATIENCE: usize = 8;

/// Merges what can be merged below a miter.
pub fn sweep(terms: &mut Terms, solver: &mut Solver, miter: &Miter) -> Swept {
    let theirs = terms.cone(&[miter.root]);
    let original = miter.original;
    let mut samples: Vec<Vec<Word>> = miter.samples.to_vec();
    let mut replace: FxHashMap<Term, Term> = FxHashMap::default();
    let mut lemmas = Vec::new();
    let mut left = TRANSLATED;
    let mut in_vain = 0;
    let mut signatures = Signatures::new(terms, original, &samples);
    'terms: for term in theirs {
        if in_vain == PATIENCE {
            break;
        }
        let shared = original.binary_search(&term).is_ok();
        if shared || matches!(terms.node(term), Node::Constant(_) | Node::Variable(_)) {
            continue;
        }
        let merged = terms.rebuild(term, &mut replace);
        if original.binary_search(&merged).is_ok() || terms.known(&merged).is_some() {
            continue;
        }
        for candidate in signatures.like(terms, merged, &samples).into_iter().take(TRIES) {
            let differ = terms.ne(candidate, merged);
            // Most are equal whatever the input is, and that is a far smaller question.
            let small = terms.cone(&[differ]).len();
            let Some(rest) = left.checked_sub(small) else { break 'terms };
            left = rest;
            if let Ok(Answer::Unsat) = solver.check(terms, &[differ], CANDIDATE) {
                replace.insert(term, candidate);
                replace.insert(merged, candidate);
                lemmas.push(differ);
                in_vain = 0;
                break;
            }
            let lemma = terms.and(miter.valid, differ);
            let Some(rest) = left.checked_sub(terms.cone(&[lemma]).len()) else { break 'terms };
            left = rest;
            match solver.check(terms, &[lemma], CANDIDATE) {
                Ok(Answer::Unsat) => {
                    replace.insert(term, candidate);
                    replace.insert(merged, candidate);
                    lemmas.push(lemma);
                    in_vain = 0;
                    break;
                }
                Ok(Answer::Sat(model)) => {
                    samples.push(model.words().to_vec());
                    signatures = Signatures::new(terms, original, &samples);
                }
                // Hard or broken: then this term is not merged, and nothing is lost but speed.
                Ok(Answer::Unknown) | Err(_) => {
                    in_vain += 1;
                    break;
                }
            }
        }
    }
    // What was merged is equal on valid inputs only, and nothing else may say so now but this.
    let root = terms.rebuild(miter.root, &mut replace);
    let root = terms.and(miter.valid, root);
    Swept { root, lemmas }
}

/// How many arguments two terms share, if they are alike at all.
fn in_common(terms: &Terms, one: Term, other: Term) -> usize {
    match (terms.node(one), terms.node(other)) {
        (Node::Apply(op, ours), Node::Apply(other, theirs)) if op == other => {
            1 + ours.iter().filter(|argument| theirs.contains(argument)).count()
        }
        _ => 0,
    }
}

/// The original's terms by their width and their values on all samples. The width is in the values, unless there is no sample.
struct Signatures {
    terms: FxHashMap<(u32, Vec<Word>), Vec<Term>>,
}

impl Signatures {
    fn new(terms: &Terms, original: &[Term], samples: &[Vec<Word>]) -> Signatures {
        let mut evaluators: Vec<Evaluator> = samples.iter().map(|sample| Evaluator::new(sample)).collect();
        let mut by_signature: FxHashMap<(u32, Vec<Word>), Vec<Term>> = FxHashMap::default();
        for term in original {
            let values = evaluators.iter_mut().map(|evaluator| evaluator.value(terms, *term)).collect();
            by_signature.entry((terms.width(term), values)).or_default().push(*term);
        }
        Signatures { terms: by_signature }
    }

    /// The original's terms that have the same values as this one: those first that have most in common with it, then
    /// constants and inputs.
    fn like(&self, terms: &Terms, term: Term, samples: &[Vec<Word>]) -> Vec<Term> {
        let values: Vec<Word> = samples.iter().map(|sample| terms.eval(term, sample)).collect();
        let mut like = self.terms.get(&(terms.width(&term), values)).cloned().unwrap_or_default();
        like.sort_by_key(|candidate| Reverse(in_common(terms, *candidate, term)));
        like
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many lemmas a sweep finds where so many products are hard to compare before a sum that is not.
    fn lemmas(hard: usize) -> usize {
        let mut terms = Terms::new();
        let samples: Vec<Vec<Word>> = (0..4)
            .map(|sample| (0..hard + 2).map(|at| Word::new(20, 7 * sample + 3 * at as u128)).collect())
            .collect();
        let mut differ = Vec::new();
        let mut original = Vec::new();
        for at in 0..hard {
            let x = terms.variable(&format!("x{at}"), 20);
            let one = terms.mul(x, x);
            original.push(one);
            // The square of a number from the bits of both of its halves.
            let [p, q] = [0x5_5555, 0xa_aaaa].map(|bits| {
                let bits = terms.constant(Word::new(20, bits));
                terms.and(x, bits)
            });
            let [pp, pq, qq] = [[p, p], [p, q], [q, q]].map(|[a, b]| terms.mul(a, b));
            let other = [pq, pq, qq].into_iter().fold(pp, |sum, it| terms.add(sum, it));
            differ.push(terms.ne(one, other));
        }
        let [x, y] = ["x", "y"].map(|name| terms.variable(name, 20));
        let [or, and] = [terms.or(x, y), terms.and(x, y)];
        let one = terms.add(x, y);
        original.push(one);
        let other = terms.add(or, and);
        differ.push(terms.ne(one, other));
        let valid = terms.truth(true);
        let root = terms.any(differ);
        let miter = Miter { valid, original: &original, root, samples: &samples };
        sweep(&mut terms, &mut Solver::new(), &miter).lemmas.len()
    }

    #[test]
    fn without_samples_only_words_of_one_width_are_compared() {
        let mut terms = Terms::new();
        let [wide, narrow] = [64, 8].map(|width| terms.variable("x", width));
        let [wide, narrow] = [wide, narrow].map(|x| terms.mul(x, x));
        let one = terms.constant(Word::new(8, 1));
        let root = terms.equal(narrow, one);
        let valid = terms.truth(true);
        let miter = Miter { valid, original: &[wide], root, samples: &[] };
        assert!(sweep(&mut terms, &mut Solver::new(), &miter).lemmas.is_empty());
    }

    #[test]
    fn a_sweep_that_gets_nowhere_ends() {
        assert_eq!(lemmas(1), 1);
        assert_eq!(lemmas(PATIENCE), 0);
    }
}
