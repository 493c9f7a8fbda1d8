//! Types, globals and functions without a body.

use super::{Parsed, Parser};
use crate::text::token::Token;
use crate::{External, Field, Float, Global, Parameter, Pointer, Record, Scalar, Signature, Type, TypeId};

/// What a function is, as far as its head says.
pub(super) struct Head {
    pub signature: Signature,
    pub arity: usize,
    pub result: Option<u32>,
}

impl Parser<'_> {
    /// An entry of the table, whose number must be the next one.
    pub(super) fn table_entry(&mut self) -> Parsed<()> {
        let number = self.program.types.len();
        if self.number()? as usize != number {
            return Err(self.wrong(format!("the next type is {number}")));
        }
        self.sign("=")?;
        let of = self.type_itself()?;
        if self.program.types.len() != number {
            return Err(self.wrong("a type in the table mentions others by number".to_string()));
        }
        self.program.types.push(of);
        Ok(())
    }

    /// A type where it is used: one of the table, or written out.
    pub(super) fn type_id(&mut self) -> Parsed<TypeId> {
        if self.takes_word("type") {
            return Ok(TypeId(self.number()?));
        }
        let of = self.type_itself()?;
        let types = &mut self.program.types;
        let at = types.iter().position(|other| *other == of).unwrap_or_else(|| {
            types.push(of);
            types.len() - 1
        });
        Ok(TypeId(at as u32))
    }

    fn type_itself(&mut self) -> Parsed<Type> {
        let Token::Word(word) = self.peek().clone() else {
            return Err(self.expected("a type such as `u32`"));
        };
        let union = word == "union";
        match word.as_str() {
            "pointer" => self.pointer().map(Type::Pointer),
            "array" => {
                self.advance();
                let count = self.long_number()?;
                self.word_itself("of")?;
                Ok(Type::Array { of: self.type_id()?, count })
            }
            "struct" | "union" => self.record(union).map(Type::Record),
            "function" => {
                self.advance();
                self.sign("(")?;
                let parameters = self.list(")", Self::type_id)?;
                let result = self.result()?;
                Ok(Type::Function { parameters, result, variadic: self.takes_word("variadic") })
            }
            "opaque" => {
                self.advance();
                Ok(Type::Opaque { name: self.quoted()?, size: self.long_number()? })
            }
            _ if word.starts_with('f') => {
                let width = self.width("f")?;
                Ok(Type::Float(Float { name: self.quoted()?, width }))
            }
            _ => {
                let signed = word.starts_with('s');
                let width = self.width(if signed { "s" } else { "u" })?;
                Ok(Type::Integer(Scalar { name: self.quoted()?, width, signed }))
            }
        }
    }

    fn pointer(&mut self) -> Parsed<Pointer> {
        self.advance();
        let name = self.quoted()?;
        let constant = self.takes_word("constant");
        let untyped = self.takes_word("untyped");
        self.word_itself("to")?;
        Ok(Pointer { name, to: self.type_id()?, constant, untyped })
    }

    fn record(&mut self, union: bool) -> Parsed<Record> {
        self.advance();
        let (name, size) = (self.quoted()?, self.long_number()?);
        let flexible = self.takes_word("flexible");
        self.sign("{")?;
        let fields = self.list("}", |parser| {
            let name = parser.name()?;
            parser.sign(":")?;
            let of = parser.type_id()?;
            parser.word_itself("at")?;
            let offset = parser.long_number()?;
            let bits = if parser.takes_word("bits") { Some(parser.number()?) } else { None };
            Ok(Field { name, of, offset, bits })
        })?;
        Ok(Record { name, union, size, fields, flexible })
    }

    fn result(&mut self) -> Parsed<Option<TypeId>> {
        if self.takes("->") { self.type_id().map(Some) } else { Ok(None) }
    }

    pub(super) fn global_variable(&mut self) -> Parsed<Global> {
        let name = self.global()?;
        self.sign(":")?;
        let of = self.type_id()?;
        self.sign("=")?;
        let contents = if self.takes_word("zero") { vec![0; self.number()? as usize] } else { self.bytes()? };
        let constant = self.takes_word("constant");
        Ok(Global { name, of, contents, constant, external: !self.takes_word("static") })
    }

    /// A text whose characters are bytes.
    fn bytes(&mut self) -> Parsed<Vec<u8>> {
        let text = self.quoted()?;
        let bytes = text.chars().map(|char| u8::try_from(char).map_err(|_| char)).collect::<Result<_, _>>();
        bytes.map_err(|char| self.wrong(format!("{char:?} is no byte")))
    }

    pub(super) fn external_function(&mut self) -> Parsed<External> {
        let name = self.global()?;
        self.sign("(")?;
        let parameters = self.list(")", Self::type_id)?;
        let result = self.result()?;
        let variadic = self.takes_word("variadic");
        Ok(External { name, parameters, result, variadic, prints: self.takes_word("prints") })
    }

    /// From the parameters on. Unless it says otherwise, its registers are what the signature says.
    pub(super) fn head(&mut self) -> Parsed<Head> {
        self.registers.clear();
        self.sign("(")?;
        let registers_listed = matches!(self.peek(), Token::Register(_));
        let mut at = 0;
        let parameters = self.list(")", |parser| {
            if registers_listed {
                parser.next_register(at)?;
            }
            at += 1;
            let name = parser.name()?;
            parser.sign(":")?;
            Ok(Parameter { name, of: parser.type_id()? })
        })?;
        let result = self.result()?;
        let signature = Signature { parameters, result, variadic: self.takes_word("variadic") };
        if self.takes_word("as") {
            return self.words(signature);
        }
        let of_parameters: Vec<TypeId> = signature.parameters.iter().map(|parameter| parameter.of).collect();
        for (at, of) in (0..).zip(of_parameters) {
            let width = self.word_width(of)?;
            self.registers.insert(at, width);
        }
        let result = signature.result.map(|of| self.word_width(of)).transpose()?;
        Ok(Head { arity: signature.parameters.len(), signature, result })
    }

    /// The words that a function takes and gives.
    fn words(&mut self, signature: Signature) -> Parsed<Head> {
        self.sign("(")?;
        let words = self.list(")", |parser| {
            let number = parser.registers.len();
            if *parser.peek() != Token::Register(number as u32) {
                return Err(parser.expected(&Token::Register(number as u32).to_string()));
            }
            parser.definition()
        })?;
        let result = if self.takes("->") { Some(self.width("i")?) } else { None };
        Ok(Head { signature, arity: words.len(), result })
    }

    fn word_width(&self, of: TypeId) -> Parsed<u32> {
        let known = self.program.types.get(of.0 as usize).and_then(|_| self.program.width(of));
        known.ok_or_else(|| self.wrong(format!("type {} is no word, so `as` must say what is passed", of.0)))
    }
}
