//! What a mutant changes, as a reader of the source sees it.

use std::ops::{Range, RangeInclusive};

use crate::{Span, Text};

/// One replacement in the file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edit {
    /// Bytes of the file.
    pub range: Range<usize>,
    pub replacement: String,
}

impl Edit {
    pub fn apply(&self, text: &Text) -> Vec<u8> {
        let bytes = text.bytes();
        [&bytes[..self.range.start], self.replacement.as_bytes(), &bytes[self.range.end..]].concat()
    }

    /// The one edit that makes another text of this one. It begins and ends between two tokens, as
    /// one who reads it would say it: `a` becomes `abs(a)`, and does not get `bs(a)` behind it.
    pub fn between(text: &Text, other: &Text) -> Edit {
        let (old, new) = (text.bytes(), other.bytes());
        let mut before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let most = old.len().min(new.len()) - before;
        let mut after =
            old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
        while is_inside_token(old, before) || is_inside_token(new, before) {
            before -= 1;
        }
        while is_inside_token(old, old.len() - after) || is_inside_token(new, new.len() - after) {
            after -= 1;
        }
        Edit { range: before..old.len() - after, replacement: other.slice(before..new.len() - after) }
    }

    /// What really changes: the bytes that go, and those that come. Two edits
    /// that leave the same text have the same effect.
    pub fn effect(&self, text: &Text) -> (Range<usize>, Vec<u8>) {
        let old = &text.bytes()[self.range.start..];
        let new = || self.replacement.bytes().chain(text.bytes()[self.range.end..].iter().copied());
        let (gone, come) = (self.range.len(), self.replacement.len());
        let before = old.iter().copied().zip(new()).take_while(|(old, new)| old == new).count();
        // What is the same may go on behind the edit, as when one of two minus
        // signs goes; then all that follows is the same, too.
        let (gone, come) = match before < gone.min(come) {
            true => (gone - before, come - before),
            false => (gone.saturating_sub(come), come.saturating_sub(gone)),
        };
        let (old, new) = (&old[before..before + gone], new().skip(before).take(come).collect::<Vec<u8>>());
        let after = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
        let start = self.range.start + before;
        (start..start + gone - after, new[..come - after].to_vec())
    }

    /// Whether all preprocessor directives in what is replaced are in the replacement.
    pub fn keeps_directives(&self, text: &Text) -> bool {
        let is_directive = |line: &&str| line.trim_start().starts_with('#');
        let replaced = text.slice(self.range.clone());
        // The first line is the end of one that began before.
        let directives = replaced.lines().skip(1).filter(is_directive);
        directives.eq(self.replacement.lines().skip(1).filter(is_directive))
    }
}

/// Whether a place lies within a name, a number or an operator of C.
fn is_inside_token(text: &[u8], at: usize) -> bool {
    const OPERATORS: [&[u8; 2]; 20] = [
        b"<=", b">=", b"==", b"!=", b"&&", b"||", b"<<", b">>", b"++", b"--", b"->", b"+=", b"-=", b"*=",
        b"/=", b"%=", b"&=", b"|=", b"^=", b"//",
    ];
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    match text.get(at.wrapping_sub(1)..at + 1) {
        Some(&[left, right]) => is_word(left) && is_word(right) || OPERATORS.contains(&&[left, right]),
        _ => false,
    }
}

/// A mutant in the words of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The mutant's number: the n-th change of a file has number n, from 1. 0 until all are there.
    pub number: u32,
    /// The operator that made it, such as `ROR`.
    pub operator: String,
    /// The C function that it changes.
    pub function: String,
    /// The header that has the function; None: the file itself.
    pub header: Option<String>,
    pub span: Span,
    pub original: String,
    pub edit: Edit,
    /// The type of its parameter, if it is parametric.
    pub parameter: Option<ParameterType>,
    /// The special case that it is wrong in, if it is wrong in one only, such as `n == 0`.
    pub special_case: Option<String>,
    /// The file that it comes from, if another tool has made it.
    pub from: Option<String>,
}

/// The type of the parameter of a parametric mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParameterType {
    /// In bits.
    pub width: u32,
    pub signed: bool,
}

impl Change {
    pub fn new(text: &Text, operator: &str, function: &str, edit: Edit) -> Change {
        Change {
            number: 0,
            operator: operator.to_string(),
            function: function.to_string(),
            header: None,
            span: text.span(edit.range.clone()),
            original: text.slice(edit.range.clone()),
            edit,
            parameter: None,
            special_case: None,
            from: None,
        }
    }

    /// The lines that it changes.
    pub fn lines(&self) -> RangeInclusive<u32> {
        let Span { start, end } = self.span;
        // The end is excluded, and may stand before the first byte of a line.
        let last = if end.column == 1 { end.line - 1 } else { end.line };
        start.line..=last.max(start.line)
    }

    /// The name of what it changes, where the file itself has this one.
    pub fn file<'a>(&'a self, name: &'a str) -> &'a str {
        self.header.as_deref().unwrap_or(name)
    }

    /// Where it is for one who knows the file: `line:column`, with the name of the header if it is in one.
    pub fn place(&self) -> String {
        let start = self.span.start;
        self.header.as_ref().map_or(start.to_string(), |header| format!("{header}:{start}"))
    }

    /// What it puts in place of what, as people read it.
    pub fn in_words(&self) -> (String, String) {
        let (original, replacement) = (self.original.clone(), self.edit.replacement.clone());
        match (&self.special_case, self.parameter) {
            (Some(case), _) => (case.clone(), "as if forgotten".to_string()),
            (None, Some(_)) => (original, format!("{replacement}, for every p")),
            (None, None) => (original, replacement),
        }
    }

    pub fn replacement(&self) -> &str {
        &self.edit.replacement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_with_the_same_effect_leave_the_same_text() {
        let text = Text::new(b"a - - -b + -b".to_vec());
        let mut all = Vec::new();
        for start in 0..text.bytes().len() {
            for end in start..text.bytes().len().min(start + 5) {
                for replacement in ["", "-", "- ", " -", "- -", "b", "-b + -b", "a"] {
                    all.push(Edit { range: start..end, replacement: replacement.to_string() });
                }
            }
        }
        for one in &all {
            let (range, come) = one.effect(&text);
            let bytes = text.bytes();
            assert_eq!(
                [&bytes[..range.start], &come, &bytes[range.end..]].concat(),
                one.apply(&text),
                "{one:?}"
            );
            for other in &all {
                let same = one.apply(&text) == other.apply(&text);
                assert_eq!(one.effect(&text) == other.effect(&text), same, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn what_lies_between_two_texts_are_whole_tokens() {
        let check = |old: &str, new: &str, expect: (&str, &str)| {
            let (old, new) = (Text::new(old.into()), Text::new(new.into()));
            let edit = Edit::between(&old, &new);
            assert_eq!(edit.apply(&old), new.bytes());
            assert_eq!((old.slice(edit.range.clone()).as_str(), edit.replacement.as_str()), expect);
        };
        check("return a + 1;", "return abs(a) + 1;", ("a", "abs(a)"));
        check("x = count;", "x = amount;", ("count", "amount"));
        check("if (a < b)", "if (a <= b)", ("<", "<="));
        check("n = 10;", "n = 100;", ("10", "100"));
        check("a+b", "a-b", ("+", "-"));
        check("f(a, b);", "f(b);", ("a, ", ""));
        check("a", "ab", ("a", "ab"));
    }

    #[test]
    fn directives_are_kept_or_not() {
        let text = Text::new(b"a +\n #if X\n b\n#endif\n".to_vec());
        let check = |replacement: &str, expect: bool| {
            let edit = Edit { range: 0..13, replacement: replacement.to_string() };
            assert_eq!(edit.keeps_directives(&text), expect, "{replacement}");
        };
        check("(a -\n #if X\n b)", true);
        check("a", false);
        check("a \n#if X", false);
    }
}
