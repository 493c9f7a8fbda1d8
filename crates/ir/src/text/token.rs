//! Tokens of the text format.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use super::ParseError;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A keyword, an operator, a type, a label or a plain name.
    Word(String),
    /// `%3`
    Register(u32),
    /// `@main`, or `@"a name"`
    Global(String),
    Number {
        negative: bool,
        magnitude: u128,
    },
    Quoted(String),
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: &[&str] = &["->", "=>", "(", ")", "{", "}", "[", "]", ",", ":", "=", "@"];

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Register(number) => write!(f, "`%{number}`"),
            Token::Global(name) => write!(f, "`@{}`", Name(name)),
            Token::Number { negative, magnitude } => {
                write!(f, "`{}{magnitude}`", if *negative { "-" } else { "" })
            }
            Token::Quoted(text) => write!(f, "{text:?}"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::End => write!(f, "the end"),
        }
    }
}

/// A name as it stands in the text: plain if it can be, else quoted.
pub(super) struct Name<'a>(pub &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.0.starts_with(starts_word) && self.0.chars().all(continues_word);
        if plain { write!(f, "{}", self.0) } else { write!(f, "{:?}", self.0) }
    }
}

fn starts_word(char: char) -> bool {
    char.is_ascii_alphabetic() || char == '_'
}

fn continues_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '.'
}

/// All tokens with their lines; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(u32, Token)>, ParseError> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.peek().copied() {
        let start = line;
        let error = |what: String| ParseError { line: start, what };
        match char {
            '\n' => {
                line += 1;
                chars.next();
            }
            ';' => while chars.next_if(|char| *char != '\n').is_some() {},
            _ if char.is_whitespace() => {
                chars.next();
            }
            _ => tokens.push((start, token(&mut chars).map_err(error)?)),
        }
    }
    tokens.push((line, Token::End));
    Ok(tokens)
}

fn token(chars: &mut Peekable<Chars>) -> Result<Token, String> {
    let first = *chars.peek().expect("the caller has seen a character");
    if starts_word(first) {
        return Ok(Token::Word(taken(chars, continues_word)));
    }
    if first.is_ascii_digit() {
        return Ok(Token::Number { negative: false, magnitude: number(chars)? });
    }
    chars.next();
    let second = chars.peek().copied().unwrap_or(' ');
    match first {
        '"' => quoted(chars).map(Token::Quoted),
        '-' if second.is_ascii_digit() => Ok(Token::Number { negative: true, magnitude: number(chars)? }),
        '%' => {
            let number = number(chars).map_err(|_| "expected a number after `%`".to_string())?;
            u32::try_from(number).map(Token::Register).map_err(|_| format!("there is no register {number}"))
        }
        '@' if starts_word(second) => Ok(Token::Global(taken(chars, continues_word))),
        '@' if second == '"' => {
            chars.next();
            quoted(chars).map(Token::Global)
        }
        _ => {
            let mut two = String::from(first);
            two.push(second);
            let sign = SIGNS.iter().find(|sign| two.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("`{first}` starts nothing"))?;
            if sign.len() == 2 {
                chars.next();
            }
            Ok(Token::Sign(sign))
        }
    }
}

fn taken(chars: &mut Peekable<Chars>, belongs: fn(char) -> bool) -> String {
    std::iter::from_fn(|| chars.next_if(|char| belongs(*char))).collect()
}

fn number(chars: &mut Peekable<Chars>) -> Result<u128, String> {
    let digits = taken(chars, |char| char.is_ascii_digit());
    digits.parse().map_err(|_| format!("{digits} is no number of 128 bits"))
}

/// The rest of a quoted text, with what [`str`]'s `Debug` escapes.
fn quoted(chars: &mut Peekable<Chars>) -> Result<String, String> {
    let mut text = String::new();
    loop {
        match chars.next() {
            None | Some('\n') => return Err("a quoted text does not end on its line".to_string()),
            Some('"') => return Ok(text),
            Some('\\') => text.push(match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('0') => '\0',
                Some('u') if chars.next_if_eq(&'{').is_some() => {
                    let digits = taken(chars, |char| char.is_ascii_hexdigit());
                    let char = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    match char.filter(|_| chars.next_if_eq(&'}').is_some()) {
                        Some(char) => char,
                        None => return Err(format!("`\\u{{{digits}` is no character")),
                    }
                }
                Some(char @ ('"' | '\\' | '\'')) => char,
                _ => return Err("nothing is escaped like this".to_string()),
            }),
            Some(char) => text.push(char),
        }
    }
}
