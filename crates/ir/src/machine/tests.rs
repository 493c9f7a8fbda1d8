//! The machine in a second domain: words with a term beside each, over the arguments.

use std::collections::BTreeMap;

use arbitrary::Unstructured;
use bv::{Op, Term, Terms};

use super::*;
use crate::{random, run};

/// Terms, and what the run decided by.
#[derive(Default)]
struct Terminal {
    terms: Terms,
    /// The value of each variable.
    assignment: Vec<Word>,
    decided: Vec<(Term, Word)>,
}

type Both = (Word, Term);

impl Domain for Terminal {
    type Word = Both;

    fn constant(&mut self, word: Word) -> Both {
        (word, self.terms.constant(word))
    }

    fn apply(&mut self, op: Op, arguments: &[Both]) -> Both {
        let words: Vec<Word> = arguments.iter().map(|(word, _)| *word).collect();
        let terms: Vec<Term> = arguments.iter().map(|(_, term)| *term).collect();
        (op.eval(&words), self.terms.apply(op, &terms))
    }

    fn width(&self, word: &Both) -> u32 {
        word.0.width()
    }

    fn known(&self, word: &Both) -> Option<Word> {
        self.terms.known(&word.1)
    }
}

impl Running for Terminal {
    type Slot = Value<Both>;
    type Beside = BTreeMap<usize, Value<Both>>;

    fn keep(value: Value<Both>) -> Value<Both> {
        value
    }

    fn kept(slot: &Value<Both>) -> Value<Both> {
        *slot
    }

    fn now(&self, word: &Both) -> Word {
        word.0
    }

    fn decide(&mut self, (word, term): &Both) -> Word {
        self.decided.push((*term, *word));
        *word
    }

    fn given(&mut self, what: Given, word: Word) -> Both {
        self.assignment.push(word);
        (word, self.terms.variable(&format!("{what:?}"), word.width()))
    }

    fn read(&mut self, beside: &Self::Beside, at: usize, value: Value<Word>) -> Value<Both> {
        let whole = beside.get(&at).filter(|kept| kept.word.0.width() == value.word.width());
        let undefined = value.undefined.map(|mask| self.constant(mask));
        whole.copied().unwrap_or_else(|| Value { word: self.constant(value.word), undefined })
    }

    fn write(&mut self, beside: &mut Self::Beside, at: usize, value: &Value<Both>) {
        let end = at + value.word.0.width() as usize / 8;
        beside.retain(|start, kept| *start >= end || start + kept.word.0.width() as usize / 8 <= at);
        beside.insert(at, *value);
    }

    fn copy(&mut self, from: &Self::Beside, range: Range<usize>, to: &mut Self::Beside, at: usize) {
        let end = at + range.len();
        to.retain(|start, kept| *start >= end || start + kept.word.0.width() as usize / 8 <= at);
        for (start, kept) in from.range(range.clone()) {
            if start + kept.word.0.width() as usize / 8 <= range.end {
                to.insert(at + start - range.start, *kept);
            }
        }
    }
}

/// How many of the words that a run decided by depend on the arguments.
fn check(u: &mut Unstructured) -> arbitrary::Result<usize> {
    let program = random::program(u)?;
    let function = FunctionId(u.choose_index(program.functions.len())? as u32);
    let all: Vec<Mutant> =
        program.sites.iter().flat_map(|site| &site.variants).map(|(mutant, _)| *mutant).collect();
    let mut symbolic = 0;
    for _ in 0..4 {
        let input = random::input(u, &program, function)?;
        let mutant = if all.is_empty() || u.arbitrary()? { Mutant::ORIGINAL } else { *u.choose(&all)? };
        let mut domain = Terminal::default();
        let with_terms = execute(&mut domain, &program, function, mutant, &input, 500, Watch::Nothing).run;
        let plain = run(&program, function, mutant, &input, 500);
        assert_eq!(with_terms, plain, "{program}\n{mutant:?} on {input:?}");
        for (term, word) in &domain.decided {
            let found = domain.terms.eval(*term, &domain.assignment);
            assert_eq!(found, *word, "{program}\n{mutant:?} on {input:?}");
            symbolic += usize::from(domain.terms.known(term).is_none());
        }
    }
    Ok(symbolic)
}

#[test]
fn a_run_with_terms_beside_its_words_goes_the_same_way() {
    let mut symbolic = 0;
    arbtest::arbtest(|u| {
        symbolic += check(u)?;
        Ok(())
    })
    .budget_ms(3_000)
    .size_min(2_000)
    .size_max(40_000);
    assert!(symbolic > 100, "only {symbolic} decisions depend on the arguments");
}
