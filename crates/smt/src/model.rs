//! A model: what a solver found, one word per variable.

use bv::{Node, Term, Terms, Variable, Word, smtlib};

use crate::SmtError;

/// One word for each variable that the terms had when the query was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// At the number of its variable; each has the variable's width.
    words: Vec<Word>,
}

impl Model {
    /// Asks `value` for every variable that the query mentions; the others are zero.
    /// The model comes out only if it makes every term of the query true.
    pub(crate) fn checked(
        terms: &Terms,
        query: &[Term],
        solver: &str,
        mut value: impl FnMut(Variable) -> Option<Word>,
    ) -> Result<Model, SmtError> {
        let mut words: Vec<Word> = terms.variables().map(|it| Word::zero(terms.variable_width(it))).collect();
        for variable in mentioned(terms, query) {
            if let Some(word) = value(variable) {
                words[variable.index()] = word;
            }
        }
        let truths = terms.evaluate(query, &words);
        match query.iter().zip(truths).find(|(_, truth)| !truth.is_true()) {
            None => Ok(Model { words }),
            Some((term, _)) => {
                Err(SmtError::WrongModel { solver: solver.into(), term: smtlib::display(terms, *term) })
            }
        }
    }

    pub fn value(&self, variable: Variable) -> Word {
        self.words[variable.index()]
    }

    /// At the number of its variable: what `Terms::eval` wants.
    pub fn words(&self) -> &[Word] {
        &self.words
    }
}

/// The variables below these terms, in the order of their numbers.
pub(crate) fn mentioned(terms: &Terms, query: &[Term]) -> Vec<Variable> {
    let variable = |term: &Term| match *terms.node(*term) {
        Node::Variable(variable) => Some(variable),
        _ => None,
    };
    terms.cone(query).iter().filter_map(variable).collect()
}

#[cfg(test)]
mod tests {
    use bv::{Domain, Op};

    use super::*;

    #[test]
    fn a_model_that_makes_the_query_false_is_an_error() {
        let mut terms = Terms::new();
        let (a, seven) = (terms.variable("a", 8), terms.constant(Word::new(8, 7)));
        let query = terms.apply(Op::Eq, &[a, seven]);
        let told = |bits| Model::checked(&terms, &[query], "Liar", |_| Some(Word::new(8, bits)));
        assert_eq!(told(7).expect("7 is right").value(Variable(0)), Word::new(8, 7));
        let error = told(8).expect_err("8 is wrong").to_string();
        assert!(error.starts_with("Liar gave a model under which"), "{error}");
    }

    #[test]
    fn a_variable_that_the_query_does_not_mention_is_zero() {
        let mut terms = Terms::new();
        let (a, _) = (terms.variable("a", 1), terms.variable("b", 8));
        let model = Model::checked(&terms, &[a], "Solver", |variable| {
            assert_eq!(variable, Variable(0), "nobody asks for the other one");
            Some(Word::truth(true))
        });
        assert_eq!(model.expect("a is true").words(), [Word::truth(true), Word::zero(8)]);
    }
}
