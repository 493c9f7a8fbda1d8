//! SMT-LIB text: whole scripts for any solver, and single terms for people.
//!
//! A term that is used more than once, or that would make a line long, is defined by name
//! first; the size of the text is thus linear in the graph, and no line nests deeply.

pub mod horn;
mod symbol;

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::float::Format;
use crate::{Builder, Domain, Lowered, Node, Sort, Term, Terms, Variable, Word, lower};

/// A script that asks whether the assertions, terms of width 1, can be true together.
///
/// It declares the variables that it uses in their order, and first; what it declares later
/// are bits of floats, which are no inputs.
pub fn script(terms: &Terms, assertions: &[Term]) -> String {
    let mut text = Text::new(terms, assertions);
    let asserted = text.print(assertions);
    let mut script = format!("(set-logic {})\n", if text.floats { "QF_BVFP" } else { "QF_BV" });
    for variable in terms.variables() {
        if let Some(name) = text.names.get(&variable) {
            let _ = writeln!(script, "(declare-const {name} {})", bits_sort(terms.variable_width(variable)));
        }
    }
    for line in &text.lines {
        let _ = match line {
            Line::Definition { name, sort, body } => writeln!(script, "(define-fun {name} () {sort} {body})"),
            Line::Unknown { name, sort } => writeln!(script, "(declare-const {name} {sort})"),
            Line::Fact(fact) => writeln!(script, "(assert {fact})"),
        };
    }
    for assertion in asserted {
        let _ = writeln!(script, "(assert {assertion})");
    }
    script.push_str("(check-sat)\n");
    script
}

/// One term for a reader: a line `name = …` for what is shared, then the term itself. Bits
/// of a float are a name, with a line that says what holds for it.
pub fn display(terms: &Terms, root: Term) -> String {
    let mut text = Text::new(terms, &[root]);
    let root = text.print(&[root]);
    let mut lines = String::new();
    for line in &text.lines {
        let _ = match line {
            Line::Definition { name, body, .. } => writeln!(lines, "{name} = {body}"),
            Line::Unknown { .. } => Ok(()),
            Line::Fact(fact) => writeln!(lines, "{fact}"),
        };
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
    /// Each after those whose names it mentions.
    lines: Vec<Line>,
    /// Whether the theory of floats is needed.
    floats: bool,
}

enum Line {
    Definition { name: String, sort: String, body: String },
    Unknown { name: String, sort: String },
    Fact(String),
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
        let (names, taken) = (FxHashMap::default(), FxHashSet::default());
        Text { terms, uses, names, taken, lines: vec![], floats: false }
    }

    fn print(&mut self, roots: &[Term]) -> Vec<String> {
        // Names are given in the order of the variables, whatever the order of their uses.
        for variable in self.terms.variables() {
            if self.uses.contains_key(&self.terms.variable_term(variable)) {
                let name = self.free_name(variable, self.terms.variable_name(variable));
                self.names.insert(variable, name);
            }
        }
        let mut done = Lowered::default();
        lower(self.terms, roots, self, &mut done);
        roots.iter().map(|root| done[&(*root, Sort::Bits)].clone()).collect()
    }

    /// The variable's own name, if it can be had. Names of definitions, `t7` and `t7f`, are ours.
    fn free_name(&mut self, variable: Variable, name: &str) -> String {
        let number = variable.0;
        let mut symbol = symbol::symbol(name);
        let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        let ours = name.strip_prefix('t').is_some_and(|rest| digits(rest.strip_suffix('f').unwrap_or(rest)));
        let mut suffix = String::new();
        // |a| and a are the same symbol, so it is what is between the bars that must be free.
        while (ours && suffix.is_empty()) || !self.taken.insert(symbol.trim_matches('|').into()) {
            let _ = write!(suffix, "!{number}");
            symbol = self::symbol::symbol(&format!("{name}{suffix}"));
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

    fn rounding(&mut self, mode: &str) -> String {
        mode.into()
    }

    fn unknown(&mut self, term: Term, width: u32) -> String {
        let name = format!("t{}", term.index());
        self.lines.push(Line::Unknown { name: name.clone(), sort: bits_sort(width) });
        name
    }

    fn assert(&mut self, fact: String) {
        self.lines.push(Line::Fact(fact));
    }

    fn apply(&mut self, smt_name: &str, indices: &[u32], arguments: &[String]) -> String {
        // There is no float that was not converted from something.
        self.floats |= smt_name.starts_with("to_fp");
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

    fn finish(&mut self, term: Term, sort: Sort, lowered: String) -> String {
        if self.uses[&term] == 1 && lowered.len() <= LINE {
            return lowered;
        }
        let width = self.terms.width(&term);
        let (name, sort) = match sort {
            Sort::Bits => (format!("t{}", term.index()), bits_sort(width)),
            Sort::Float => (format!("t{}f", term.index()), float_sort(width)),
        };
        self.lines.push(Line::Definition { name: name.clone(), sort, body: lowered });
        name
    }
}

fn bits_sort(width: u32) -> String {
    if width == 1 { "Bool".into() } else { format!("(_ BitVec {width})") }
}

fn float_sort(width: u32) -> String {
    let Format { exponent, significand } = Format::of(width).expect("floats have 32 or 64 bits");
    format!("(_ FloatingPoint {exponent} {significand})")
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
                terms.slt(a, b)
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
                let product = terms.mul(a, b);
                let square = terms.mul(product, product);
                let seven = terms.constant(Word::new(8, 7));
                terms.ult(square, seven)
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
                let pair = terms.concat(p, a);
                let bit = terms.extract(a, 1, 1);
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
    fn floats_that_are_only_compared_are_bit_vectors() {
        check(
            |terms| {
                let (a, one) = (terms.variable("a", 32), terms.constant(crate::float::word(32, 1.0)));
                terms.apply(Op::FLt, &[a, one])
            },
            &[
                "(set-logic QF_BV)",
                "(declare-const a (_ BitVec 32))",
                "(assert (and (bvslt a #x3f800000) (bvult ((_ extract 30 0) a) #b1111111100000000000000000000001)))",
                "(check-sat)",
            ],
        );
    }

    #[test]
    fn results_of_arithmetic_are_compared_as_floats() {
        check(
            |terms| {
                let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
                let (sum, root) = (terms.apply(Op::FAdd, &[a, b]), terms.apply(Op::FSqrt, &[a]));
                terms.equal(sum, root)
            },
            &[
                "(set-logic QF_BVFP)",
                "(declare-const a (_ BitVec 32))",
                "(declare-const b (_ BitVec 32))",
                "(define-fun t0f () (_ FloatingPoint 8 24) ((_ to_fp 8 24) a))",
                "(assert (= (fp.add RNE t0f ((_ to_fp 8 24) b)) (fp.sqrt RNE t0f)))",
                "(check-sat)",
            ],
        );
    }

    #[test]
    fn bits_of_a_float_are_what_reads_as_the_float() {
        check(
            |terms| {
                let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
                let integral = terms.apply(Op::FFloor, &[a]);
                terms.ult(integral, b)
            },
            &[
                "(set-logic QF_BVFP)",
                "(declare-const a (_ BitVec 32))",
                "(declare-const b (_ BitVec 32))",
                "(declare-const t2 (_ BitVec 32))",
                "(assert (and (= ((_ to_fp 8 24) t2) (fp.roundToIntegral RTN ((_ to_fp 8 24) a))) (=> (fp.isNaN (fp.roundToIntegral RTN ((_ to_fp 8 24) a))) (= t2 #x7fc00000))))",
                "(assert (bvult t2 b))",
                "(check-sat)",
            ],
        );
    }

    #[test]
    fn names_are_quoted_where_they_must_be_and_never_clash() {
        let mut terms = Terms::new();
        let names = ["a", "a", "a!1", "p->x[0]", "and", "_and", "t2", "a|b", "a_b", "", "t2f", "fp"];
        let variables: Vec<Term> = names.iter().map(|name| terms.variable(name, 1)).collect();
        let all = terms.all(variables);
        let text = script(&terms, &[all]);
        let declared: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("(declare-const ")?.strip_suffix(" Bool)"))
            .collect();
        assert_eq!(
            declared,
            [
                "a",
                "a!1",
                "a!1!2",
                "|p->x[0]|",
                "|_and|",
                "_and!5",
                "t2!6",
                "|a_b|",
                "a_b!8",
                "||",
                "t2f!10",
                "|_fp|"
            ]
        );
    }

    #[test]
    fn a_term_is_shown_with_its_shared_parts_first() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 8), terms.variable("b", 8));
        let product = terms.mul(a, b);
        let square = terms.mul(product, product);
        assert_eq!(display(&terms, square), "t2 = (bvmul a b)\n(bvmul t2 t2)");
        let difference = terms.neg(a);
        assert_eq!(display(&terms, difference), "(bvneg a)");
    }

    #[test]
    fn the_text_is_linear_in_the_graph() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
        let mut chain = a;
        for _ in 0..10_000 {
            let overflow = terms.apply(Op::SaddO, &[chain, b]);
            let product = terms.mul(chain, chain);
            chain = terms.ite(overflow, product, b);
        }
        let root = terms.equal(chain, a);
        let text = script(&terms, &[root]);
        assert!(text.len() < 400 * terms.len(), "{} bytes for {} terms", text.len(), terms.len());
    }
}
