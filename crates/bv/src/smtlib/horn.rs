//! Constrained Horn clauses: rules about unknown predicates, for a solver that finds such predicates.

use std::fmt::Write;

use super::{Line, Text, bits_sort};
use crate::{Term, Terms, Variable};

/// A predicate, by number, of these words.
#[derive(Clone, Debug)]
pub struct Fact {
    pub predicate: usize,
    pub arguments: Vec<Term>,
}

/// If the premise and the condition hold, so does the conclusion. No premise: the condition suffices. No
/// conclusion: premise and condition never hold together.
#[derive(Clone, Debug)]
pub struct Clause {
    pub premise: Option<Fact>,
    pub condition: Term,
    pub conclusion: Option<Fact>,
}

/// A script that asks whether there are predicates, over words of these widths, such that all clauses hold
/// for all values of their variables. None if floats are needed.
pub fn horn(terms: &Terms, predicates: &[Vec<u32>], clauses: &[Clause]) -> Option<String> {
    let mut script = String::from("(set-logic HORN)\n");
    for (number, widths) in predicates.iter().enumerate() {
        let sorts: Vec<String> = widths.iter().map(|width| bits_sort(*width)).collect();
        let _ = writeln!(script, "(declare-fun P{number} ({}) Bool)", sorts.join(" "));
    }
    for clause in clauses {
        let _ = writeln!(script, "(assert {})", rule(terms, clause)?);
    }
    script.push_str("(check-sat)\n");
    Some(script)
}

fn rule(terms: &Terms, clause: &Clause) -> Option<String> {
    let facts = clause.premise.iter().chain(&clause.conclusion);
    let roots: Vec<Term> = std::iter::once(clause.condition)
        .chain(facts.flat_map(|fact| fact.arguments.iter().copied()))
        .collect();
    let mut text = Text::new(terms, &roots);
    let mut printed = text.print(&roots).into_iter();
    let condition = printed.next()?;
    let mut fact = |fact: &Fact| {
        let arguments: Vec<String> = printed.by_ref().take(fact.arguments.len()).collect();
        match arguments.is_empty() {
            true => format!("P{}", fact.predicate),
            false => format!("(P{} {})", fact.predicate, arguments.join(" ")),
        }
    };
    let premise = clause.premise.as_ref().map(&mut fact);
    let conclusion = clause.conclusion.as_ref().map_or("false".to_string(), &mut fact);
    let body = match premise {
        Some(premise) => format!("(=> (and {premise} {condition}) {conclusion})"),
        None => format!("(=> {condition} {conclusion})"),
    };
    let mut rule = String::new();
    for line in &text.lines {
        let Line::Definition { name, body, .. } = line else { return None };
        let _ = write!(rule, "(let (({name} {body})) ");
    }
    let ends = ")".repeat(text.lines.len());
    rule = format!("{rule}{body}{ends}");
    if text.floats {
        return None;
    }
    let mut variables: Vec<(&Variable, &String)> = text.names.iter().collect();
    variables.sort();
    let bound: Vec<String> = variables
        .into_iter()
        .map(|(variable, name)| format!("({name} {})", bits_sort(terms.variable_width(*variable))))
        .collect();
    Some(if bound.is_empty() { rule } else { format!("(forall ({}) {rule})", bound.join(" ")) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Word};

    #[test]
    fn a_rule_binds_its_variables() {
        let mut terms = Terms::new();
        let x = terms.variable("x", 8);
        let one = terms.constant(Word::one(8));
        let next = terms.add(x, one);
        let zero = terms.constant(Word::zero(8));
        let start = terms.equal(x, zero);
        let fact = |argument| Some(Fact { predicate: 0, arguments: vec![argument] });
        let always = terms.truth(true);
        let clauses = [
            Clause { premise: None, condition: start, conclusion: fact(x) },
            Clause { premise: fact(x), condition: always, conclusion: fact(next) },
            Clause { premise: fact(x), condition: always, conclusion: None },
        ];
        let script = horn(&terms, &[vec![8]], &clauses).unwrap();
        assert!(script.contains("(declare-fun P0 ((_ BitVec 8)) Bool)"), "{script}");
        assert!(script.contains("(forall ((x (_ BitVec 8))) (=> (and (P0 x) true) false))"), "{script}");
        assert!(script.contains("(P0 (bvadd "), "{script}");
    }
}
