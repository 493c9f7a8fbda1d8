//! Puts the answers of sites into the text of a function before it is copied.
//!
//! The meta-mutant asks at every statement and every condition which mutant runs. In a copy the answers are
//! known, and most of the text is about what other answers would mean: ten times what the user has written.
//! So known answers are put in, branches on them are decided, and what nobody comes to is left out. The
//! passes would do the same, but for each copy, and a hundred times as slowly.
//!
//! All copies are treated alike, the original's too. Nothing is folded but what the answer of a site decides.
//! A number of the user's that has mutants is such an answer. One that has none stays as it is.

use std::collections::HashMap;
use std::ops::Range;

use bv::{Op, Word};

use crate::define::USED_PREFIX;

/// What sites answer, by name. None if that is no number.
pub(super) type Answers<'f> = dyn Fn(&str) -> Option<Word> + 'f;

struct Block<'t> {
    label: &'t str,
    lines: Vec<&'t str>,
}

/// What is known of a function.
struct Fold<'t> {
    numbers: HashMap<&'t str, Word>,
    /// By block that a run may come to: where it may go on, if an answer has decided that.
    ways: HashMap<&'t str, Option<&'t str>>,
}

/// A definition with these answers put in.
pub(super) fn folded(whole: &str, answers: &Answers) -> String {
    let (first, body) = whole.split_once('\n').expect("a definition has lines");
    let blocks = blocks(body);
    if blocks.iter().any(|block| is_unnamed(block.label)) {
        return whole.to_string();
    }
    let fold = Fold::new(&blocks, answers);
    let mut text = String::with_capacity(whole.len() / 2);
    text += first;
    text += "\n";
    for block in blocks.iter().filter(|block| fold.ways.contains_key(block.label)) {
        fold.print(block, &mut text);
    }
    text + "}\n"
}

/// Whether a block has a number for a name, or none at all.
fn is_unnamed(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_digit())
}

/// The blocks of a body.
fn blocks(body: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in body.lines().take_while(|line| *line != "}") {
        let is_label = !line.starts_with(' ') && !line.is_empty();
        if is_label {
            let (label, _) = line.split_once(':').expect("a label ends with a colon");
            blocks.push(Block { label: label.trim_matches('"'), lines: vec![] });
            continue;
        }
        if blocks.is_empty() {
            blocks.push(Block { label: "", lines: vec![] });
        }
        if let (Some(block), false) = (blocks.last_mut(), line.is_empty()) {
            block.lines.push(line);
        }
    }
    blocks
}

impl<'t> Fold<'t> {
    /// Goes to all blocks that a run may come to. What a block computes with was computed in one before it on
    /// every way, so it is known when the walk comes there.
    fn new(blocks: &[Block<'t>], answers: &Answers) -> Fold<'t> {
        let by_label: HashMap<&str, &Block<'t>> = blocks.iter().map(|block| (block.label, block)).collect();
        let mut fold = Fold { numbers: HashMap::new(), ways: HashMap::new() };
        let mut open: Vec<&str> = blocks.first().map(|block| block.label).into_iter().collect();
        while let Some(label) = open.pop() {
            if fold.ways.contains_key(label) {
                continue;
            }
            let block = by_label[label];
            for line in &block.lines {
                if let Some((name, number)) = fold.number(line, answers) {
                    fold.numbers.insert(name, number);
                }
            }
            // What a switch leads to stands on lines of its own.
            let start = block.lines.iter().rposition(|line| is_end(line));
            let end = &block.lines[start.expect("a block has an end")..];
            let way = fold.decided(end);
            match way {
                Some(way) => open.push(way),
                None => open.extend(end.iter().flat_map(|line| targets(line))),
            }
            fold.ways.insert(label, way);
        }
        fold
    }

    /// What a line defines, if that is a number because of an answer.
    fn number(&self, line: &'t str, answers: &Answers) -> Option<(&'t str, Word)> {
        let (name, what) = line.trim_start().strip_prefix('%')?.split_once(" = ")?;
        let (operation, rest) = what.split_once(' ')?;
        let number = match operation {
            "call" => {
                let (_, callee) = rest.split_once('@')?;
                answers(callee.split_once('(')?.0.trim_matches('"'))?
            }
            "icmp" | "xor" => {
                let (predicate, operands) = match operation {
                    "icmp" => rest.split_once(' ')?,
                    other => (other, rest),
                };
                let (of, operands) = operands.split_once(' ')?;
                let (left, right) = operands.split_once(", ")?;
                let is_answer =
                    |operand: &str| self.numbers.contains_key(operand.strip_prefix('%')?).then_some(());
                is_answer(left).or_else(|| is_answer(right))?;
                let op = Op::named(predicate)?;
                op.eval(&[self.operand(of, left)?, self.operand(of, right)?])
            }
            "zext" => {
                let (operand, to) = rest.split_once(" to ")?;
                let (of, operand) = operand.split_once(' ')?;
                Op::Zext(width(to)?).eval(&[self.operand(of, operand)?])
            }
            _ => return None,
        };
        Some((name, number))
    }

    fn operand(&self, of: &str, text: &str) -> Option<Word> {
        match text.strip_prefix('%') {
            Some(name) => self.numbers.get(name).copied(),
            None => literal(of, text),
        }
    }

    /// Where a block goes on, if an answer has decided that.
    fn decided(&self, end: &[&'t str]) -> Option<&'t str> {
        let (kind, rest) = end.first()?.trim_start().split_once(' ')?;
        let (of, rest) = rest.split_once(' ')?;
        let (operand, _) = rest.split_once(", ")?;
        let number = *self.numbers.get(operand.strip_prefix('%')?)?;
        let mut ways = end.iter().flat_map(|line| targets(line));
        match kind {
            "br" => ways.nth(if number.is_true() { 0 } else { 1 }),
            "switch" => {
                let default = ways.next();
                let is_case = |line: &&&str| {
                    let case = line.trim_start().split_once(' ').and_then(|(_, rest)| rest.split_once(", "));
                    case.is_some_and(|(case, _)| literal(of, case) == Some(number))
                };
                match end[1..].iter().find(is_case) {
                    Some(case) => targets(case).next(),
                    None => default,
                }
            }
            _ => None,
        }
    }

    fn print(&self, block: &Block, text: &mut String) {
        *text += &format!("\"{}\":\n", block.label);
        let way = self.ways[block.label];
        for line in &block.lines {
            if let Some(way) = way.filter(|_| is_end(line)) {
                *text += &format!("  br label %\"{way}\"\n");
                return;
            }
            if self.is_spent(line) {
                continue;
            }
            match line.split_once(" = phi ") {
                Some((name, phi)) => self.print_phi(block.label, name, phi, text),
                None => self.print_line(line, text),
            }
            *text += "\n";
        }
    }

    /// Whether nothing is left of a line: it defines a number, or announces the use of one.
    fn is_spent(&self, line: &str) -> bool {
        let defined = line.trim_start().strip_prefix('%').and_then(|line| line.split_once(" = "));
        let Some((name, what)) = defined else { return false };
        let is_use = what.starts_with("call ") && what.contains(&format!("@{USED_PREFIX}"));
        self.numbers.contains_key(name)
            || is_use && locals(what).any(|(used, _)| self.numbers.contains_key(used))
    }

    /// Values come from blocks that a run may leave this way.
    fn print_phi(&self, label: &str, name: &str, phi: &str, text: &mut String) {
        let (of, values) = phi.split_once(" [").expect("a value comes from a block");
        let mut seen: Vec<&str> = Vec::new();
        let values = values.split("[").filter(|value| {
            let from = locals(value).last().expect("a block has a name").0;
            let Some(way) = self.ways.get(from) else { return false };
            // A switch that is decided comes once.
            let comes = way.is_none_or(|way| way == label && !seen.contains(&from));
            seen.push(from);
            comes
        });
        let mut separator = "";
        *text += &format!("{name} = phi {of} ");
        for value in values {
            *text += separator;
            let end = value.rfind(']').expect("a value ends");
            self.print_line(&format!("[{}", &value[..=end]), text);
            separator = ", ";
        }
    }

    /// A line with numbers in place of names.
    fn print_line(&self, line: &str, text: &mut String) {
        let mut done = 0;
        for (name, range) in locals(line) {
            // A block may be called as a value is.
            let is_label = line[..range.start].ends_with("label ");
            if let Some(number) = self.numbers.get(name).filter(|_| !is_label) {
                *text += &line[done..range.start];
                *text += &number.signed().to_string();
                done = range.end;
            }
        }
        *text += &line[done..];
    }
}

/// Whether a block ends with this line.
fn is_end(line: &str) -> bool {
    let end = line.trim_start();
    ["br ", "switch ", "ret ", "unreachable", "indirectbr "].iter().any(|kind| end.starts_with(kind))
}

/// The labels in a line.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    locals(line).filter(|(_, range)| line[..range.start].ends_with("label ")).map(|(name, _)| name)
}

/// The names of values and blocks in a line, and where they stand.
fn locals(line: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + line[from..].find('%')?;
        let (name, length) = first_name(&line[start + 1..]);
        from = (start + 1 + length).min(line.len());
        Some((name, start..from))
    })
}

/// The name that a text begins with, and how long it is with its quotes.
pub(super) fn first_name(text: &str) -> (&str, usize) {
    match text.strip_prefix('"') {
        Some(quoted) => {
            let length = quoted.find('"').unwrap_or(quoted.len());
            (&quoted[..length], length + 2)
        }
        None => {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-$._".contains(letter);
            let length = text.find(|letter| !is_name(letter)).unwrap_or(text.len());
            (&text[..length], length)
        }
    }
}

fn width(of: &str) -> Option<u32> {
    of.strip_prefix('i')?.parse().ok().filter(|width| (1..=bv::MAX_WIDTH).contains(width))
}

/// The number that a text means.
pub(super) fn literal(of: &str, text: &str) -> Option<Word> {
    let width = width(of)?;
    match text {
        "true" => Some(Word::truth(true)),
        "false" => Some(Word::truth(false)),
        number => Some(Word::from_signed(width, number.parse().ok()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a function in which `@answer` is called, after the answer is put in.
    fn with_answer(body: &str, answer: i128) -> String {
        let whole = format!("define i32 @f(i32 %a) #0 {{\nentry:\n{body}}}\n");
        folded(&whole, &|site| (site == "answer").then(|| Word::from_signed(32, answer)))
    }

    const BRANCH: &str = "  %choice = call i32 @answer()
  %0 = call i1 @whet.used.i32(i32 %choice)
  %cmp = icmp eq i32 %choice, -1
  br i1 %cmp, label %then, label %\"or else\"

then:                                             ; preds = %entry
  br label %end

\"or else\":                                        ; preds = %entry
  %conv = zext i1 %cmp to i32
  %sum = add i32 %a, %conv
  br label %end

end:
  %r = phi i32 [ 7, %then ], [ %sum, %\"or else\" ]
  ret i32 %r
";

    #[test]
    fn branches_are_decided() {
        let then = with_answer(BRANCH, -1);
        assert!(then.contains("\"entry\":\n  br label %\"then\"\n"), "{then}");
        assert!(then.contains("%r = phi i32 [ 7, %then ]\n") && !then.contains("or else"), "{then}");
        let or_else = with_answer(BRANCH, 1);
        assert!(or_else.contains("\"or else\":\n  %sum = add i32 %a, 0\n"), "{or_else}");
        assert!(or_else.contains("phi i32 [ %sum, %\"or else\" ]") && !or_else.contains("used"), "{or_else}");
    }

    #[test]
    fn switches_are_decided() {
        let body = "  %choice = call i32 @answer()
  switch i32 %choice, label %end [
    i32 1, label %one
    i32 2, label %end
  ]

one:
  br label %end

end:
  %r = phi i32 [ 3, %entry ], [ 3, %entry ], [ %choice, %one ]
  ret i32 %r
";
        for (answer, phi) in [(1, "[ 1, %one ]"), (2, "[ 3, %entry ]"), (3, "[ 3, %entry ]")] {
            let text = with_answer(body, answer);
            assert!(text.contains(&format!("%r = phi i32 {phi}\n")), "{answer}: {text}");
        }
    }

    #[test]
    fn the_users_own_numbers_stay() {
        let body = "  %cmp = icmp eq i32 1, 1\n  br i1 %cmp, label %a, label %b\n\na:\n  ret i32 %a\n\nb:\n  ret i32 0\n";
        let text = with_answer(body, 1);
        assert!(
            text.contains("icmp") && text.contains("\"a\":\n  ret i32 %a") && text.contains("\"b\":"),
            "{text}"
        );
    }

    #[test]
    fn blocks_with_numbers_stay() {
        let whole = "define i32 @f() #0 {\n  br label %1\n\n1:\n  ret i32 0\n}\n";
        assert_eq!(folded(whole, &|_| None), whole);
    }
}
