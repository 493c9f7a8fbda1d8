//! Comments that suppress mutants.
//!
//! `// whet: ignore` may name operators and a reason. It holds for its line, or
//! for the next one if it has a line to itself. `// whet: off` holds until
//! `// whet: on`. Comments for other tools count too: `mull-ignore` and `NOMUT`.

use crate::Text;

/// A stretch of lines where some mutants are not made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    /// The line of the comment.
    pub line: u32,
    /// The lines that it holds for, both included.
    pub first: u32,
    pub last: u32,
    /// The operators that it is about; empty: all.
    pub operators: Vec<String>,
}

impl Suppression {
    pub fn covers(&self, line: u32, operator: &str) -> bool {
        (self.first..=self.last).contains(&line)
            && (self.operators.is_empty() || self.operators.iter().any(|name| name == operator))
    }
}

/// All suppressions of a file, in its order. `known` are the names of operators.
pub fn suppressions(text: &Text, known: &[&str]) -> Vec<Suppression> {
    let mut found = Vec::new();
    let mut off: Option<u32> = None;
    for comment in comments(text.bytes()) {
        let line = text.position(comment.start).line;
        let (words, alone) = (comment.words, comment.alone);
        let next = text.position(comment.end).line + 1;
        match directive(&words, known) {
            Some(Directive::Off) => off = off.or(Some(line)),
            Some(Directive::On) => {
                if let Some(first) = off.take() {
                    found.push(Suppression { line: first, first, last: line, operators: vec![] });
                }
            }
            Some(Directive::Ignore(operators)) => {
                let held = if alone { next } else { line };
                found.push(Suppression { line, first: held, last: held, operators });
            }
            None => {}
        }
    }
    if let Some(first) = off {
        found.push(Suppression { line: first, first, last: u32::MAX, operators: vec![] });
    }
    found.sort_by_key(|suppression| suppression.line);
    found
}

enum Directive {
    Off,
    On,
    Ignore(Vec<String>),
}

fn directive(comment: &str, known: &[&str]) -> Option<Directive> {
    let comment = comment.trim();
    if let Some(rest) = comment.strip_prefix("whet:") {
        let mut words = rest.split_whitespace();
        return match words.next()? {
            "off" => Some(Directive::Off),
            "on" => Some(Directive::On),
            "ignore" => {
                let operators = words.next().and_then(|word| operators(word, known));
                Some(Directive::Ignore(operators.unwrap_or_default()))
            }
            _ => None,
        };
    }
    let is_foreign = comment.starts_with("mull-ignore") || comment.starts_with("NOMUT");
    is_foreign.then(|| Directive::Ignore(vec![]))
}

/// The names in a list such as `ROR,CR`; none if it is a word of a sentence. One that
/// looks like a name but is none is a name all the same: who reads it will say so.
fn operators(word: &str, known: &[&str]) -> Option<Vec<String>> {
    let names: Vec<String> = word
        .trim_end_matches(':')
        .split(',')
        .filter(|name| !name.is_empty())
        .map(|name| {
            let same = known.iter().find(|known| known.eq_ignore_ascii_case(name));
            same.map_or_else(|| name.to_string(), |known| known.to_string())
        })
        .collect();
    let looks_like_one =
        |name: &String| (2..=4).contains(&name.len()) && name.bytes().all(|it| it.is_ascii_uppercase());
    let is_list = names.iter().any(|name| known.contains(&name.as_str())) || names.iter().all(looks_like_one);
    (!names.is_empty() && is_list).then_some(names)
}

struct Comment {
    start: usize,
    /// The last byte of it.
    end: usize,
    words: String,
    /// Nothing else stands on its line before it.
    alone: bool,
}

fn comments(text: &[u8]) -> Vec<Comment> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = if rest.starts_with(b"//") {
            rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            rest[2..].windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |length| length + 4)
        } else {
            at += quoted(rest).unwrap_or(1);
            continue;
        };
        let before = &text[..at];
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let inside = String::from_utf8_lossy(&rest[2..length]).into_owned();
        found.push(Comment {
            start: at,
            end: at + length - 1,
            words: inside.trim_end_matches("*/").to_string(),
            alone: before[line..].iter().all(u8::is_ascii_whitespace),
        });
        at += length;
    }
    found
}

/// The length of a string or character that begins here.
fn quoted(text: &[u8]) -> Option<usize> {
    let quote = *text.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let mut at = 1;
    while at < text.len() && text[at] != quote && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    Some((at + 1).min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each as `line:first-last operators`.
    fn check(text: &str, expect: &[&str]) {
        let show = |it: Suppression| {
            let operators = it.operators.join(",");
            let last = if it.last == u32::MAX { "end".to_string() } else { it.last.to_string() };
            format!("{}:{}-{last} {operators}", it.line, it.first).trim_end().to_string()
        };
        let shown: Vec<String> = suppressions(&Text::new(text.as_bytes().to_vec()), &["ROR", "CR"])
            .into_iter()
            .map(show)
            .collect();
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn a_comment_holds_for_its_line_or_the_next() {
        check("a; // whet: ignore\nb;", &["1:1-1"]);
        check("  // whet: ignore ROR,CR it is a cache\nb;", &["1:2-2 ROR,CR"]);
        check("/* whet: ignore it is a cache */ b;", &["1:2-2"]);
        check("a; // whet: ignore ror,Cr: it is a cache\nb;", &["1:1-1 ROR,CR"]);
        check("a; // whet: ignore ROX,CR\nb; // whet: ignore XYZ", &["1:1-1 ROX,CR", "2:2-2 XYZ"]);
        check("a; /* NOMUT */\nb; // mull-ignore: x", &["1:1-1", "2:2-2"]);
    }

    #[test]
    fn a_stretch_ends_or_goes_on_to_the_end() {
        check("// whet: off\na;\n// whet: on\nb;", &["1:1-3"]);
        check("a;\n// whet: off\nb;", &["2:2-end"]);
    }

    #[test]
    fn texts_are_no_comments() {
        check("char *s = \"// whet: off\"; char c = '\"'; // whet: ignore", &["1:1-1"]);
        check("// what: off\n// whet: of", &[]);
    }
}
