//! What the rules of the grammar come down to: operands, types, numbers, names, and taking tokens.

use bv::{MAX_WIDTH, Word};
use source::Position;

use super::{Parsed, Parser};
use crate::text::ParseError;
use crate::text::token::Token;
use crate::{Operand, Register};

impl Parser<'_> {
    pub(super) fn at_operand(&self) -> bool {
        match self.peek() {
            Token::Register(_) | Token::Number { .. } | Token::Global(_) => true,
            Token::Word(word) => word == "uninitialised",
            _ => false,
        }
    }

    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        match self.peek() {
            Token::Register(number) => {
                let register = Register(*number);
                self.advance();
                Ok(Operand::Register(register))
            }
            Token::Number { .. } => self.word().map(Operand::Constant),
            Token::Global(_) => {
                let name = self.global()?;
                match self.constants.get(&name) {
                    Some(word) => Ok(Operand::Constant(*word)),
                    None => Err(self.wrong(format!("there is no global or function `@{name}`"))),
                }
            }
            Token::Word(word) if word == "uninitialised" => {
                self.advance();
                self.sign(":")?;
                self.width("i").map(Operand::Uninitialised)
            }
            _ => Err(self.expected("a register, a constant or `uninitialised`")),
        }
    }

    /// An operand behind a comma.
    pub(super) fn next_operand(&mut self) -> Parsed<Operand> {
        self.sign(",")?;
        self.operand()
    }

    /// A constant such as `-5:i32`. Both the signed and the unsigned reading are fine.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let Token::Number { negative, magnitude } = *self.peek() else {
            return Err(self.expected("a number"));
        };
        self.advance();
        self.sign(":")?;
        let width = self.width("i")?;
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err(self.wrong(format!("there are no constants of i{width}")));
        }
        let greatest = if negative { Word::signed_min(width) } else { Word::ones(width) };
        if magnitude > greatest.bits() {
            let sign = if negative { "-" } else { "" };
            return Err(self.wrong(format!("{sign}{magnitude} does not fit i{width}")));
        }
        Ok(Word::new(width, if negative { magnitude.wrapping_neg() } else { magnitude }))
    }

    /// A width behind a letter, such as `i32`.
    pub(super) fn width(&mut self, letter: &str) -> Parsed<u32> {
        let width = match self.peek() {
            Token::Word(word) => word.strip_prefix(letter).and_then(|width| width.parse().ok()),
            _ => None,
        };
        let width = width.ok_or_else(|| self.expected(&format!("a type such as `{letter}32`")))?;
        self.advance();
        Ok(width)
    }

    pub(super) fn position(&mut self) -> Parsed<Option<Position>> {
        if !self.takes("@") {
            return Ok(None);
        }
        let line = self.number()?;
        self.sign(":")?;
        Ok(Some(Position { line, column: self.number()? }))
    }

    pub(super) fn number(&mut self) -> Parsed<u32> {
        self.number_of("a number of 32 bits")
    }

    pub(super) fn long_number(&mut self) -> Parsed<u64> {
        self.number_of("a number of 64 bits")
    }

    fn number_of<T: TryFrom<u128>>(&mut self, what: &str) -> Parsed<T> {
        let number = match self.peek() {
            Token::Number { negative: false, magnitude } => T::try_from(*magnitude).ok(),
            _ => None,
        };
        let number = number.ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(number)
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        let (Token::Word(name) | Token::Quoted(name)) = self.peek() else {
            return Err(self.expected("a name"));
        };
        let name = name.clone();
        self.advance();
        Ok(name)
    }

    pub(super) fn global(&mut self) -> Parsed<String> {
        let Token::Global(name) = self.peek() else { return Err(self.expected("a name such as `@main`")) };
        let name = name.clone();
        self.advance();
        Ok(name)
    }

    pub(super) fn quoted(&mut self) -> Parsed<String> {
        let Token::Quoted(text) = self.peek() else { return Err(self.expected("a quoted text")) };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    /// Items between commas, up to a sign, which is taken too. None at all is fine.
    pub(super) fn list<T>(
        &mut self,
        until: &'static str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.takes(until) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.takes(until) {
                return Ok(items);
            }
            if !self.takes(",") {
                return Err(self.expected(&format!("`,` or `{until}`")));
            }
        }
    }

    pub(super) fn sign(&mut self, sign: &'static str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    pub(super) fn takes(&mut self, sign: &'static str) -> bool {
        let takes = *self.peek() == Token::Sign(sign);
        if takes {
            self.advance();
        }
        takes
    }

    pub(super) fn word_itself(&mut self, word: &str) -> Parsed<()> {
        if self.takes_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    pub(super) fn takes_word(&mut self, expected: &str) -> bool {
        let takes = matches!(self.peek(), Token::Word(word) if word == expected);
        if takes {
            self.advance();
        }
        takes
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[0].1
    }

    pub(super) fn advance(&mut self) {
        self.last_line = self.tokens[0].0;
        if self.tokens.len() > 1 {
            self.tokens = &self.tokens[1..];
        }
    }

    /// The next token is not what it should be.
    pub(super) fn expected(&self, what: &str) -> ParseError {
        let (line, found) = &self.tokens[0];
        ParseError { line: *line, what: format!("expected {what}, found {found}") }
    }

    /// Something is wrong with what was just taken.
    pub(super) fn wrong(&self, what: String) -> ParseError {
        ParseError { line: self.last_line, what }
    }
}
