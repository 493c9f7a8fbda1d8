//! Where macros are used in the file, and what is known about them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::ptr;

use clang_sys::*;

use super::parsed_file::{ParsedFile, ask};
use super::place::skip_space;
use super::{Expansion, LiteralForm, Origin, Piece};

/// A macro that stands for another that stands for another … further than this is not looked into.
const DEPTH: u32 = 8;

pub(super) struct Macros {
    /// Sorted by place; none within another.
    uses: Vec<Use>,
    /// The places of those whose expansions are no operands. Sorted.
    tangling: Vec<usize>,
}

struct Use {
    range: Range<usize>,
    /// Its expansion is one operand: nothing around it can bind to a part of it.
    is_operand: bool,
    number: Option<Number>,
    /// What it stands for, one step further.
    pieces: Option<Vec<Piece>>,
}

/// A macro whose whole body is a number, perhaps in parentheses or with a minus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) negative: bool,
    pub(super) form: LiteralForm,
}

impl Macros {
    pub(super) fn new(unit: &ParsedFile, top: &[CXCursor]) -> Macros {
        let mut definitions: HashMap<String, Vec<CXCursor>> = HashMap::new();
        for cursor in top.iter().filter(|cursor| cursor.kind == CXCursor_MacroDefinition) {
            definitions.entry(unit.name(*cursor)).or_default().push(*cursor);
        }
        let bodies = Bodies { unit, definitions };
        let mut uses: Vec<Use> = Vec::new();
        for cursor in top.iter().filter(|cursor| cursor.kind == CXCursor_MacroExpansion) {
            let Some(range) = unit.range(*cursor) else { continue };
            let definition = ask!(unit, clang_getCursorReferenced(*cursor));
            uses.push(Use {
                is_operand: bodies.is_operand(definition, DEPTH),
                number: bodies.number(definition, DEPTH),
                pieces: bodies.pieces(definition, &range),
                range,
            });
        }
        uses.sort_by_key(|used| (used.range.start, usize::MAX - used.range.end));
        let mut outermost: Vec<Use> = Vec::new();
        for used in uses {
            if outermost.last().is_none_or(|last| used.range.start >= last.range.end) {
                outermost.push(used);
            }
        }
        let tangling = outermost.iter().filter(|used| !used.is_operand).map(|used| used.range.start);
        Macros { tangling: tangling.collect(), uses: outermost }
    }

    pub(super) fn origin(&self, range: &Range<usize>) -> Origin {
        self.origin_knowing(range, &HashSet::new())
    }

    /// The same when the macros that are used at these places are known to be operands there.
    pub(super) fn origin_knowing(&self, range: &Range<usize>, operands: &HashSet<usize>) -> Origin {
        let first = self.uses.partition_point(|used| used.range.end <= range.start);
        let Some(used) = self.uses.get(first).filter(|used| used.range.start < range.end) else {
            return Origin::Written;
        };
        // It may begin before the range.
        let start = used.range.start.min(range.start);
        let tangling = &self.tangling[self.tangling.partition_point(|place| *place < start)..];
        if tangling.iter().take_while(|place| **place < range.end).any(|place| !operands.contains(place)) {
            return Origin::Tangled;
        }
        let is_around = used.range.start <= range.start && range.end <= used.range.end;
        if is_around { Origin::Operand } else { Origin::Written }
    }

    /// What the operands among the macros that are used in a range stand for.
    pub(super) fn expansions(&self, within: &Range<usize>) -> Vec<Expansion> {
        let first = self.uses.partition_point(|used| used.range.start < within.start);
        let inside = self.uses[first..].iter().take_while(|used| used.range.end <= within.end);
        let operands = inside.filter(|used| used.is_operand);
        operands
            .filter_map(|used| Some(Expansion { range: used.range.clone(), pieces: used.pieces.clone()? }))
            .collect()
    }

    /// The number that the macro used at exactly this place stands for.
    pub(super) fn number(&self, range: &Range<usize>) -> Option<&Number> {
        let at = self.uses.binary_search_by_key(&range.start, |used| used.range.start).ok()?;
        (self.uses[at].range == *range).then_some(self.uses[at].number.as_ref()?)
    }
}

struct Bodies<'u> {
    unit: &'u ParsedFile,
    definitions: HashMap<String, Vec<CXCursor>>,
}

impl Bodies<'_> {
    fn is_operand(&self, definition: CXCursor, depth: u32) -> bool {
        let Some(body) = self.body(definition).filter(|_| depth > 0) else { return false };
        let words: Vec<&str> = body.iter().map(String::as_str).collect();
        match words[..] {
            [] => false,
            [word] => self.names_operand(word, depth),
            ["(", .., ")"] => closing(&words) == Some(words.len() - 1),
            [name, "(", .., ")"] => {
                is_name(name)
                    && closing(&words[1..]) == Some(words.len() - 2)
                    && self.names_operand(name, depth)
            }
            _ => false,
        }
    }

    fn names_operand(&self, word: &str, depth: u32) -> bool {
        if !is_name(word) {
            return word.starts_with(|first: char| first.is_ascii_digit() || first == '\'' || first == '"');
        }
        let definitions = self.definitions.get(word).map_or(&[][..], Vec::as_slice);
        definitions.iter().all(|definition| self.is_operand(*definition, depth - 1))
    }

    fn number(&self, definition: CXCursor, depth: u32) -> Option<Number> {
        if depth == 0 || ask!(self.unit, clang_Cursor_isMacroFunctionLike(definition)) != 0 {
            return None;
        }
        let body = self.body(definition)?;
        let words: Vec<&str> = body.iter().map(String::as_str).collect();
        let (negative, word) = match words[..] {
            [word] | ["(", word, ")"] => (false, word),
            ["-", word] | ["(", "-", word, ")"] => (true, word),
            _ => return None,
        };
        if is_name(word) {
            // A name with two definitions may have meant either at the place of use.
            let [definition] = self.definitions.get(word)?[..] else { return None };
            let number = self.number(definition, depth - 1)?;
            return (!negative).then_some(number);
        }
        let form = match word.as_bytes()[0] {
            b'\'' => LiteralForm::Character,
            b'0'..=b'9' => LiteralForm::Number(word.to_string()),
            _ => return None,
        };
        Some(Number { negative, form })
    }

    /// The body of a macro with the arguments of a use in place. None if that
    /// takes more than putting them there.
    fn pieces(&self, definition: CXCursor, used: &Range<usize>) -> Option<Vec<Piece>> {
        let (parameters, body) = self.definition(definition)?;
        if body.iter().any(|word| word.starts_with('#') || word == "__VA_ARGS__") {
            return None;
        }
        let text = &self.unit.text;
        let arguments = match &parameters {
            None => vec![],
            Some(_) => arguments(text, used)?,
        };
        let parameters = parameters.unwrap_or_default();
        if parameters.len() != arguments.len() {
            return None;
        }
        let piece = |word: String| match parameters.iter().position(|name| *name == word) {
            Some(at) => Piece::Argument(arguments[at].clone()),
            None => Piece::Token(word),
        };
        Some(body.into_iter().map(piece).collect())
    }

    /// The tokens of a macro's body; None if it is built into the compiler.
    fn body(&self, definition: CXCursor) -> Option<Vec<String>> {
        self.definition(definition).map(|(_, body)| body)
    }

    /// The names of a macro's parameters, if it has any, and the tokens of its body.
    fn definition(&self, definition: CXCursor) -> Option<(Option<Vec<String>>, Vec<String>)> {
        if definition.kind != CXCursor_MacroDefinition {
            return None;
        }
        let (libclang, handle) = (self.unit.libclang, self.unit.handle);
        // SAFETY: the tokens are read before they are given back.
        let (words, has_parameters) = unsafe {
            let (mut tokens, mut count) = (ptr::null_mut(), 0);
            let extent = (libclang.clang_getCursorExtent)(definition);
            (libclang.clang_tokenize)(handle, extent, &mut tokens, &mut count);
            let words: Vec<String> = (0..count as usize)
                .map(|at| libclang.text((libclang.clang_getTokenSpelling)(handle, *tokens.add(at))))
                .filter(|word| !word.starts_with("/*") && !word.starts_with("//"))
                .collect();
            (libclang.clang_disposeTokens)(handle, tokens, count);
            (words, (libclang.clang_Cursor_isMacroFunctionLike)(definition) != 0)
        };
        let end = if has_parameters { words.iter().position(|word| word == ")")? } else { 0 };
        let names = || words[1..end].iter().filter(|word| is_name(word)).cloned().collect();
        Some((has_parameters.then(names), words.get(end + 1..)?.to_vec()))
    }
}

/// Where the arguments of a macro's use stand, without the space around them.
fn arguments(text: &[u8], used: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let text = &text[..used.end];
    let name = text[used.start..].iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
    let open = skip_space(text, used.start + name);
    (text.get(open) == Some(&b'(')).then_some(())?;
    let (mut depth, mut start, mut at) = (0, open + 1, open + 1);
    let mut found = Vec::new();
    while at + 1 < used.end {
        match text[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                found.push(trimmed(text, start..at));
                start = at + 1;
            }
            // What hides commas is not looked into.
            b'"' | b'\'' | b'\n' => return None,
            _ => {}
        }
        at += 1;
    }
    let last = trimmed(text, start..at);
    if !(found.is_empty() && last.is_empty()) {
        found.push(last);
    }
    Some(found)
}

fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let before = inside.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let after = inside[before..].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    range.start + before..range.end - after
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Where the parenthesis closes that opens at the start.
fn closing(words: &[&str]) -> Option<usize> {
    let mut depth = 0;
    words.iter().position(|word| {
        match *word {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}
