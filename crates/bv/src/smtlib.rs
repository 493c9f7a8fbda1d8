//! SMT-LIB text: whole scripts for any solver, and single terms for people.
//!
//! A term that is used more than once, or that would make a line long, is defined by name
//! first; the size of the text is thus linear in the graph, and no line nests deeply.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Builder, Domain, Node, Term, Terms, Variable, Word, lower};

/// A script that asks whether the assertions, terms of width 1, can be true together.
pub fn script(terms: &Terms, assertions: &[Term]) -> String {
    let mut text = Text::new(terms, assertions);
    let asserted = text.print(assertions);
    let mut script = String::from("(set-logic QF_BV)\n");
    for (variable, _, width) in terms.variables() {
        if let Some(name) = text.names.get(&variable) {
            let _ = writeln!(script, "(declare-const {name} {})", sort(width));
        }
    }
    for (name, width, body) in &text.definitions {
        let _ = writeln!(script, "(define-fun {name} () {} {body})", sort(*width));
    }
    for assertion in asserted {
        let _ = writeln!(script, "(assert {assertion})");
    }
    script.push_str("(check-sat)\n");
    script
}

/// One term for a reader: a line `name = …` for what is shared, then the term itself.
pub fn display(terms: &Terms, root: Term) -> String {
    let mut text = Text::new(terms, &[root]);
    let root = text.print(&[root]);
    let mut lines = String::new();
    for (name, _, body) in &text.definitions {
        let _ = writeln!(lines, "{name} = {body}");
    }
    lines + &root[0]
}

/// A definition is also made where inlining would go beyond this: about a line of a page.
const LINE: usize = 100;

struct Text<'a> {
    terms: &'a Terms,
    uses: FxHashMap<Term, u32>,
    names: FxHashMap<Variable, String>,
    taken: FxHashSet<String>,
    /// Name, width and body, each after those that it mentions.
    definitions: Vec<(String, u32, String)>,
}

impl<'a> Text<'a> {
    fn new(terms: &'a Terms, roots: &[Term]) -> Text<'a> {
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            let count = uses.entry(term).or_insert(0);
            *count += 1;
            if *count == 1
                && let Node::Apply(_, arguments) = terms.spoken(term)
            {
                stack.extend(arguments.iter());
            }
        }
        Text { terms, uses, names: FxHashMap::default(), taken: FxHashSet::default(), definitions: vec![] }
    }

    fn print(&mut self, roots: &[Term]) -> Vec<String> {
        // Names are given in the order of the variables, whatever the order of their uses.
        for (variable, name, _) in self.terms.variables() {
            if self.uses.contains_key(&self.terms.variable_term(variable)) {
                let name = self.free_name(variable, name);
                self.names.insert(variable, name);
            }
        }
        let mut done = FxHashMap::default();
        lower(self.terms, roots, self, &mut done);
        roots.iter().map(|root| done[root].clone()).collect()
    }

    /// The variable's own name, if it can be had. Names of definitions, `t7`, are ours.
    fn free_name(&mut self, variable: Variable, name: &str) -> String {
        let number = variable.0;
        let mut symbol = symbol(name);
        let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        let ours = name.strip_prefix('t').is_some_and(digits);
        let mut suffix = String::new();
        // |a| and a are the same symbol, so it is what is between the bars that must be free.
        while (ours && suffix.is_empty()) || !self.taken.insert(symbol.trim_matches('|').into()) {
            let _ = write!(suffix, "!{number}");
            symbol = self::symbol(&format!("{name}{suffix}"));
        }
        symbol
    }
}

impl Builder for Text<'_> {
    type Term = String;

    fn constant(&mut self, word: Word) -> String {
        let (width, bits) = (word.width() as usize, word.bits());
        if width.is_multiple_of(4) {
            format!("#x{bits:0digits$x}", digits = width / 4)
        } else {
            format!("#b{bits:0width$b}")
        }
    }

    fn truth(&mut self, value: bool) -> String {
        value.to_string()
    }

    fn variable(&mut self, variable: Variable, _name: &str, _width: u32) -> String {
        self.names[&variable].clone()
    }

    fn apply(&mut self, smt_name: &str, indices: &[u32], arguments: &[String]) -> String {
        let mut text = String::from("(");
        if indices.is_empty() {
            text.push_str(smt_name);
        } else {
            let _ = write!(text, "(_ {smt_name}");
            for index in indices {
                let _ = write!(text, " {index}");
            }
            text.push(')');
        }
        for argument in arguments {
            text.push(' ');
            text.push_str(argument);
        }
        text.push(')');
        text
    }

    fn finish(&mut self, term: Term, lowered: String) -> String {
        if self.uses[&term] == 1 && lowered.len() <= LINE {
            return lowered;
        }
        let name = format!("t{}", term.index());
        self.definitions.push((name.clone(), self.terms.width(&term), lowered));
        name
    }
}

fn sort(width: u32) -> String {
    if width == 1 { "Bool".into() } else { format!("(_ BitVec {width})") }
}

/// Reserved words and the names of the theory, which cannot be redeclared.
fn reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "let",
        "forall",
        "exists",
        "match",
        "par",
        "as",
        "true",
        "false",
        "and",
        "or",
        "not",
        "xor",
        "ite",
        "distinct",
        "concat",
        "extract",
        "repeat",
        "zero_extend",
        "sign_extend",
        "rotate_left",
        "rotate_right",
        "BINARY",
        "DECIMAL",
        "HEXADECIMAL",
        "NUMERAL",
        "STRING",
        "Bool",
        "BitVec",
    ];
    WORDS.contains(&name) || name.starts_with("bv")
}

/// A symbol that reads like the name. Whatever SMT-LIB does not allow becomes `_`.
fn symbol(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts && name.chars().all(simple) && !reserved(name) {
        return name.into();
    }
    // Solvers differ on whether |and| is the same symbol as and; a prefix keeps clear of it.
    let prefix = if reserved(name) { "_" } else { "" };
    let printable =
        |c: char| if c == '|' || c == '\\' || !(c.is_ascii_graphic() || c == ' ') { '_' } else { c };
    format!("|{prefix}{}|", name.chars().map(printable).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;

    #[track_caller]
    fn check(build: impl FnOnce(&mut Terms) -> Term, expected: &[&str]) {
        let mut terms = Terms::new();
        let assertion = build(&mut terms);
        let text = script(&terms, &[assertion]);
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_script_declares_asserts_and_asks() {
        check(
            |terms| {
                let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
                terms.apply(Op::Slt, &[a, b])
            },
            &[
                "(set-logic QF_BV)",
                "(declare-const a (_ BitVec 32))",
                "(declare-const b (_ BitVec 32))",
                "(assert (bvslt a b))",
                "(check-sat)",
            ],
        );
    }

    #[test]
    fn what_is_used_twice_is_defined_once() {
        check(
            |terms| {
                let (a, b) = (terms.variable("a", 8), terms.variable("b", 8));
                let product = terms.apply(Op::Mul, &[a, b]);
                let square = terms.apply(Op::Mul, &[product, product]);
                let seven = terms.constant(Word::new(8, 7));
                terms.apply(Op::Ult, &[square, seven])
            },
            &[
                "(set-logic QF_BV)",
                "(declare-const a (_ BitVec 8))",
                "(declare-const b (_ BitVec 8))",
                "(define-fun t2 () (_ BitVec 8) (bvmul a b))",
                "(assert (bvult (bvmul t2 t2) #x07))",
                "(check-sat)",
            ],
        );
    }

    #[test]
    fn words_of_width_one_are_truth_values() {
        check(
            |terms| {
                let (p, q, a) = (terms.variable("p", 1), terms.variable("q", 1), terms.variable("a", 3));
                let pair = terms.apply(Op::Concat, &[p, a]);
                let bit = terms.apply(Op::Extract { hi: 1, lo: 1 }, &[a]);
                let either = terms.or(q, bit);
                let b = terms.variable("b", 4);
                let same = terms.equal(pair, b);
                terms.and(either, same)
            },
            &[
                "(set-logic QF_BV)",
                "(declare-const p Bool)",
                "(declare-const q Bool)",
                "(declare-const a (_ BitVec 3))",
                "(declare-const b (_ BitVec 4))",
                "(assert (and (or q (= ((_ extract 1 1) a) #b1)) (= (concat (ite p #b1 #b0) a) b)))",
                "(check-sat)",
            ],
        );
    }

    #[test]
    fn overflow_is_spelled_out() {
        check(
            |terms| {
                let (a, b) = (terms.variable("a", 8), terms.variable("b", 8));
                terms.apply(Op::SaddO, &[a, b])
            },
            &[
                "(set-logic QF_BV)",
                "(declare-const a (_ BitVec 8))",
                "(declare-const b (_ BitVec 8))",
                "(assert (bvslt (bvand (bvxor a (bvadd a b)) (bvxor b (bvadd a b))) #x00))",
                "(check-sat)",
            ],
        );
    }

    #[test]
    fn names_are_quoted_where_they_must_be_and_never_clash() {
        let mut terms = Terms::new();
        let names = ["a", "a", "a!1", "p->x[0]", "and", "_and", "t2", "a|b", "a_b", ""];
        let variables: Vec<Term> = names.iter().map(|name| terms.variable(name, 1)).collect();
        let all = terms.all(variables);
        let text = script(&terms, &[all]);
        let declared: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("(declare-const ")?.strip_suffix(" Bool)"))
            .collect();
        assert_eq!(
            declared,
            ["a", "a!1", "a!1!2", "|p->x[0]|", "|_and|", "_and!5", "t2!6", "|a_b|", "a_b!8", "||"]
        );
    }

    #[test]
    fn a_term_is_shown_with_its_shared_parts_first() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 8), terms.variable("b", 8));
        let product = terms.apply(Op::Mul, &[a, b]);
        let square = terms.apply(Op::Mul, &[product, product]);
        assert_eq!(display(&terms, square), "t2 = (bvmul a b)\n(bvmul t2 t2)");
        let difference = terms.apply(Op::Neg, &[a]);
        assert_eq!(display(&terms, difference), "(bvneg a)");
    }

    #[test]
    fn the_text_is_linear_in_the_graph() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
        let mut chain = a;
        for _ in 0..10_000 {
            let overflow = terms.apply(Op::SaddO, &[chain, b]);
            let product = terms.apply(Op::Mul, &[chain, chain]);
            chain = terms.apply(Op::Ite, &[overflow, product, b]);
        }
        let root = terms.equal(chain, a);
        let text = script(&terms, &[root]);
        assert!(text.len() < 400 * terms.len(), "{} bytes for {} terms", text.len(), terms.len());
    }
}
