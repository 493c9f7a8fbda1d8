//! Sweeping: proving a hard miter piece by piece, from the inputs upwards.
//!
//! Let `root` imply `valid`. Let `s` replace terms of the mutant by terms of the original, and extend to all
//! terms built from these. For each replacement `t -> o`, in the order of the graph, one of these is
//! unsatisfiable:
//!
//!   (1) s(t) != o
//!   (2) valid and s(t) != o
//!
//! Claim: on inputs of which `valid` holds, `root` and `s(root)` are equal. So `root` is satisfiable iff
//! `valid and s(root)` is. No term of the original is replaced, and `valid` is one of these: lemmas never
//! rest on themselves.
//!
//! Original and mutant are nearly the same circuit. Two terms that agree on all sampled inputs are candidates
//! for being equal. Each candidate is a small query, because the terms below it were replaced before. A chain
//! of minima is exponential for plain search, and linear for this.
//!
//! After SAT sweeping in hardware equivalence checking (Kuehlmann and Krohm, 1997).

use std::cmp::Reverse;
use std::hash::BuildHasher;

use bv::{Domain, Evaluator, Node, Term, Terms, Word};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smt::{Answer, Fuel, Solver};

/// A miter, and what is known around it.
pub(crate) struct Miter<'a> {
    /// Something that holds of every input that matters.
    pub(crate) valid: Term,
    /// The terms of the original and of `valid`. Sorted.
    pub(crate) original: &'a [Term],
    /// Can this be true? It implies `valid`.
    pub(crate) root: Term,
    /// Inputs that are valid for the original, by variable.
    pub(crate) samples: &'a [Vec<Word>],
}

/// The smaller miter, and the equalities that lead to it.
pub(crate) struct Swept {
    pub(crate) root: Term,
    /// Each of these is unsatisfiable.
    pub(crate) lemmas: Vec<Term>,
}

/// For each candidate. Equal terms over merged arguments take a fraction of this. Harder ones are left for
/// the full query.
const CANDIDATE: Fuel = Fuel(1_000);

/// Candidates for one term. The first is nearly always right if any is.
const TRIES: usize = 2;

/// Terms that all queries for one miter may translate together. A solver turns each into a circuit first. A
/// thousand terms take it some ten milliseconds before any search begins.
const TRANSLATED: usize = 50_000;

/// After so many terms in a row that are too hard to compare, the sweep ends: the terms above them are hardly
/// easier. Each may burn all of its fuel. Without this, a loop that cubes the digits of a number was swept
/// for 40 s, in vain.
const PATIENCE: usize = 8;

/// Merges what can be merged below a miter.
pub(crate) fn sweep(terms: &mut Terms, solver: &mut Solver, miter: &Miter) -> Swept {
    let signatures = Signatures::new(terms, miter);
    let (replace, lemmas) = (FxHashMap::default(), vec![]);
    let left = TRANSLATED;
    let mut sweep = Sweep { terms, solver, miter, signatures, replace, lemmas, left };
    let mut in_vain = 0;
    for term in sweep.terms.cone(&[miter.root]) {
        match sweep.merge(term) {
            Merged::Yes => in_vain = 0,
            Merged::No => {}
            Merged::TooHard => in_vain += 1,
            Merged::TooMuch => break,
        }
        if in_vain == PATIENCE {
            break;
        }
    }
    let Sweep { terms, mut replace, lemmas, .. } = sweep;
    // Merged terms are equal on valid inputs only, so this has to be said again.
    let root = terms.rebuild(miter.root, &mut replace);
    let root = terms.and(miter.valid, root);
    Swept { root, lemmas }
}

struct Sweep<'a> {
    terms: &'a mut Terms,
    solver: &'a mut Solver,
    miter: &'a Miter<'a>,
    signatures: Signatures,
    replace: FxHashMap<Term, Term>,
    lemmas: Vec<Term>,
    /// How many terms may still be translated.
    left: usize,
}

/// What became of a term.
enum Merged {
    Yes,
    No,
    /// The solver gave up.
    TooHard,
    /// No more may be translated.
    TooMuch,
}

impl Sweep<'_> {
    /// Merges a term of the mutant with one of the original, if they are equal.
    fn merge(&mut self, term: Term) -> Merged {
        let original = self.miter.original;
        let is_original = original.binary_search(&term).is_ok();
        if is_original || matches!(self.terms.node(term), Node::Constant(_) | Node::Variable(_)) {
            return Merged::No;
        }
        let merged = self.terms.rebuild(term, &mut self.replace);
        if original.binary_search(&merged).is_ok() || self.terms.known(&merged).is_some() {
            return Merged::No;
        }
        // Samples are valid, so the two have the same values.
        let candidates = self.signatures.like(self.terms, term, merged);
        for candidate in candidates.into_iter().take(TRIES) {
            // Most are equal whatever the input is, and that is a far smaller question.
            let differ = self.terms.ne(candidate, merged);
            if !self.affords(differ) {
                return Merged::TooMuch;
            }
            let mut lemma = differ;
            let mut answer = self.solver.check(self.terms, &[lemma], CANDIDATE);
            if !matches!(answer, Ok(Answer::Unsat)) {
                lemma = self.terms.and(self.miter.valid, differ);
                if !self.affords(lemma) {
                    return Merged::TooMuch;
                }
                answer = self.solver.check(self.terms, &[lemma], CANDIDATE);
            }
            match answer {
                Ok(Answer::Unsat) => {
                    self.replace.insert(term, candidate);
                    self.replace.insert(merged, candidate);
                    self.lemmas.push(lemma);
                    return Merged::Yes;
                }
                Ok(Answer::Sat(model)) => {
                    self.signatures.add(self.terms, original, model.words());
                }
                // Hard or broken: this term is not merged, and only speed is lost.
                Ok(Answer::Unknown) | Err(_) => return Merged::TooHard,
            }
        }
        Merged::No
    }

    fn affords(&mut self, query: Term) -> bool {
        let rest = self.left.checked_sub(self.terms.cone(&[query]).len());
        self.left = rest.unwrap_or(self.left);
        rest.is_some()
    }
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

/// What terms are under the samples, as one number each: terms with other numbers differ on some sample.
/// Terms with the same number are candidates, and no more than that. To keep the values themselves would take
/// a kilobyte for each term.
struct Signatures {
    /// By term; those of the original and of the miter count.
    of: FxHashMap<Term, u64>,
    /// The original's terms, by width and signature.
    alike: FxHashMap<(u32, u64), Vec<Term>>,
}

impl Signatures {
    fn new(terms: &Terms, miter: &Miter) -> Signatures {
        let all = miter.original.iter().copied().chain(terms.cone(&[miter.root]));
        let mut signatures =
            Signatures { of: all.map(|term| (term, 0)).collect(), alike: FxHashMap::default() };
        for sample in miter.samples {
            signatures.tell_apart(terms, sample);
        }
        signatures.group(terms, miter.original);
        signatures
    }

    /// Takes another sample into account.
    fn add(&mut self, terms: &Terms, original: &[Term], sample: &[Word]) {
        self.tell_apart(terms, sample);
        self.group(terms, original);
    }

    fn tell_apart(&mut self, terms: &Terms, sample: &[Word]) {
        let mut values = Evaluator::new(sample);
        for (term, signature) in &mut self.of {
            *signature = FxBuildHasher.hash_one((*signature, values.value(terms, *term)));
        }
    }

    fn group(&mut self, terms: &Terms, original: &[Term]) {
        self.alike.clear();
        for term in original {
            self.alike.entry((terms.width(term), self.of[term])).or_default().push(*term);
        }
    }

    /// The original's terms that have the same values as a term of the miter. Those that have most in common
    /// with what has become of it come first, constants and inputs last.
    fn like(&self, terms: &Terms, term: Term, merged: Term) -> Vec<Term> {
        let mut like = self.alike.get(&(terms.width(&term), self.of[&term])).cloned().unwrap_or_default();
        like.sort_by_key(|candidate| Reverse(in_common(terms, *candidate, merged)));
        like
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many lemmas a sweep finds if so many hard products come before an easy sum.
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
