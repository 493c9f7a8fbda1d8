//! Programs from text, by recursive descent.
//!
//! A call may come before the function that it names, so all names are gathered first.

mod action;
mod atom;
mod border;

use std::collections::BTreeMap;

use bv::{Op, Word};

use super::ParseError;
use super::token::{Token, tokens};
use crate::memory::pointer;
use crate::{
    Arm, ArmInstruction, Block, BlockId, Edge, End, FIRST_OBJECT, Flags, Function, FunctionId, Instruction,
    Mutant, Operand, Program, Register, Site, Unsupported,
};
use border::Head;

/// Reads a program. It may still break rules of the [verifier](crate::verify).
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let tokens = tokens(text)?;
    let (globals, functions) = (names(&tokens, "global"), names(&tokens, "function"));
    let mut constants = BTreeMap::new();
    // In the order of the objects' numbers.
    for (number, name) in (FIRST_OBJECT..).zip(globals.iter().chain(&functions)) {
        constants.entry(name.clone()).or_insert(pointer(number));
    }
    let mut by_name = BTreeMap::new();
    for (at, name) in (0..).zip(functions) {
        by_name.entry(name).or_insert(FunctionId(at));
    }
    let mut parser = Parser {
        tokens: &tokens,
        last_line: 1,
        program: Program::default(),
        functions: by_name,
        constants,
        registers: BTreeMap::new(),
    };
    parser.program()?;
    Ok(parser.program)
}

/// The names that stand behind this word, in order.
fn names(tokens: &[(u32, Token)], before: &str) -> Vec<String> {
    let names = tokens.windows(2).filter_map(|pair| match pair {
        [(_, Token::Word(word)), (_, Token::Global(name))] if word == before => Some(name.clone()),
        _ => None,
    });
    names.collect()
}

/// The operators that carry the width of their result.
const RESIZES: [fn(u32) -> Op; 7] =
    [Op::Zext, Op::Sext, Op::FromSigned, Op::FromUnsigned, Op::ToSigned, Op::ToUnsigned, Op::FResize];

type Parsed<T> = Result<T, ParseError>;

struct Parser<'a> {
    /// What is left; the end is never taken.
    tokens: &'a [(u32, Token)],
    /// The line of the token taken last.
    last_line: u32,
    /// What has been read so far.
    program: Program,
    functions: BTreeMap<String, FunctionId>,
    /// The pointers to what has a name.
    constants: BTreeMap<String, Word>,
    /// The registers of the function that have been declared so far, with their widths.
    registers: BTreeMap<u32, u32>,
}

impl Parser<'_> {
    fn program(&mut self) -> Parsed<()> {
        loop {
            if self.takes_word("function") {
                let function = self.function()?;
                self.program.functions.push(function);
            } else if self.takes_word("site") {
                let site = self.site(self.program.sites.len())?;
                self.program.sites.push(site);
            } else if self.takes_word("type") {
                self.table_entry()?;
            } else if self.takes_word("global") {
                let global = self.global_variable()?;
                self.program.globals.push(global);
            } else if self.takes_word("external") {
                let external = self.external_function()?;
                self.program.externals.push(external);
            } else if *self.peek() == Token::End {
                return Ok(());
            } else {
                return Err(self.expected("`function`, `site`, `type`, `global` or `external`"));
            }
        }
    }

    fn function(&mut self) -> Parsed<Function> {
        let name = self.global()?;
        let Head { signature, arity, result } = self.head()?;
        let door = if self.takes_word("door") { Some(self.function_name()?) } else { None };
        let library = self.takes_word("library");
        let sealed = self.takes_word("sealed");
        let external = !self.takes_word("static");
        let mut blocks = Vec::new();
        let mut unsupported = None;
        if self.takes_word("unsupported") {
            unsupported = Some(Unsupported { what: self.quoted()?, at: self.position()? });
        } else {
            self.sign("{")?;
            while self.takes_word("unused") {
                self.definition()?;
            }
            while !self.takes("}") {
                blocks.push(self.block(blocks.len())?);
            }
        }
        let registers = self.widths()?;
        Ok(Function {
            name,
            signature,
            registers,
            arity,
            result,
            door,
            library,
            sealed,
            external,
            blocks,
            unsupported,
            names: Default::default(),
        })
    }

    fn function_name(&mut self) -> Parsed<FunctionId> {
        let name = self.global()?;
        match self.functions.get(&name) {
            Some(function) => Ok(*function),
            None => Err(self.wrong(format!("there is no function `@{name}`"))),
        }
    }

    /// The widths of all registers. A number that is left out has none.
    fn widths(&self) -> Parsed<Vec<u32>> {
        match (0..).zip(self.registers.keys()).find(|(number, register)| number != *register) {
            Some((number, _)) => {
                Err(self.wrong(format!("%{number} is neither defined nor listed as `unused`")))
            }
            None => Ok(self.registers.values().copied().collect()),
        }
    }

    fn block(&mut self, at: usize) -> Parsed<Block> {
        if !self.takes_word(&format!("block{at}")) {
            return Err(self.expected(&format!("`block{at}` or `}}`")));
        }
        let parameters = if self.takes("(") { self.list(")", Self::definition)? } else { vec![] };
        self.sign(":")?;
        let mut instructions = Vec::new();
        loop {
            if let Some(end) = self.end()? {
                return Ok(Block { parameters, instructions, end, at: self.position()? });
            }
            instructions.push(self.instruction()?);
        }
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let result = match self.peek() {
            Token::Register(_) => {
                let register = self.definition()?;
                self.sign("=")?;
                Some(register)
            }
            _ => None,
        };
        let action = self.action()?;
        Ok(Instruction { result, action, at: self.position()? })
    }

    fn application(&mut self) -> Parsed<ArmInstruction> {
        let Token::Word(word) = self.peek().clone() else { return Err(self.expected("an instruction")) };
        let (name, width) = match word.split_once(".i") {
            Some((name, width)) => (name, width.parse().ok()),
            None => (word.as_str(), None),
        };
        let op = match width {
            // The real ends follow.
            None if name == "extract" => Some(Op::Extract { hi: 0, lo: 0 }),
            None => Op::named(name),
            Some(width) => RESIZES.iter().map(|op| op(width)).find(|op| op.name() == name),
        };
        let op = op.ok_or_else(|| self.expected("an instruction"))?;
        self.advance();
        let op = if let Op::Extract { .. } = op { self.extract()? } else { op };
        let flags = Flags {
            no_unsigned_overflow: self.takes_word("nuw"),
            no_signed_overflow: self.takes_word("nsw"),
            pointers: self.takes_word("pointers"),
            has_bits: self.takes_word("bits"),
        };
        let mut arguments = vec![self.operand()?];
        while self.takes(",") {
            arguments.push(self.operand()?);
        }
        Ok(ArmInstruction { op, flags, arguments })
    }

    fn extract(&mut self) -> Parsed<Op> {
        self.sign("[")?;
        let hi = self.number()?;
        self.sign(":")?;
        let lo = self.number()?;
        self.sign("]")?;
        Ok(Op::Extract { hi, lo })
    }

    /// The end of a block, if one stands here.
    fn end(&mut self) -> Parsed<Option<End>> {
        let Token::Word(word) = self.peek() else { return Ok(None) };
        let word = word.clone();
        let is_end = ["jump", "branch", "switch", "return", "unreachable"].contains(&word.as_str());
        if !is_end {
            return Ok(None);
        }
        self.advance();
        let end = match word.as_str() {
            "jump" => End::Jump(self.edge()?),
            "branch" => {
                let condition = self.operand()?;
                self.sign(",")?;
                let then = self.edge()?;
                self.sign(",")?;
                End::Branch { condition, then, otherwise: self.edge()? }
            }
            "switch" => self.switch()?,
            "return" => End::Return(if self.at_operand() { Some(self.operand()?) } else { None }),
            _ => End::Unreachable,
        };
        Ok(Some(end))
    }

    fn switch(&mut self) -> Parsed<End> {
        let value = self.operand()?;
        self.sign("{")?;
        let mut cases = Vec::new();
        while !self.takes_word("default") {
            let Token::Number { .. } = self.peek() else { return Err(self.expected("a case or `default`")) };
            let word = self.word()?;
            self.sign("=>")?;
            cases.push((word, self.edge()?));
            self.sign(",")?;
        }
        self.sign("=>")?;
        let default = self.edge()?;
        self.sign("}")?;
        Ok(End::Switch { value, cases, default })
    }

    fn edge(&mut self) -> Parsed<Edge> {
        let number = match self.peek() {
            Token::Word(word) => word.strip_prefix("block").and_then(|number| number.parse().ok()),
            _ => None,
        };
        let to = BlockId(number.ok_or_else(|| self.expected("a block"))?);
        self.advance();
        let at_arguments = *self.peek() == Token::Sign("(");
        Ok(Edge { to, arguments: if at_arguments { self.arguments()? } else { vec![] } })
    }

    fn site(&mut self, at: usize) -> Parsed<Site> {
        let number = Token::Number { negative: false, magnitude: at as u128 };
        if *self.peek() != number {
            return Err(self.expected(&number.to_string()));
        }
        self.advance();
        self.sign("(")?;
        let mut parameters = Vec::new();
        self.list(")", |parser| {
            parser.next_register(parameters.len())?;
            parser.sign(":")?;
            parameters.push(parser.width("i")?);
            Ok(())
        })?;
        self.sign("->")?;
        let result = self.width("i")?;
        let at = self.position()?;
        self.sign("{")?;
        if !self.takes_word("original") {
            return Err(self.expected("`original`"));
        }
        let original = self.arm(parameters.len())?;
        let mut variants = Vec::new();
        while self.takes_word("mutant") {
            let mutant = Mutant(self.number()?);
            variants.push((mutant, self.arm(parameters.len())?));
        }
        if !self.takes("}") {
            return Err(self.expected("`mutant` or `}`"));
        }
        Ok(Site { parameters, result, original, variants, at })
    }

    fn arm(&mut self, parameters: usize) -> Parsed<Arm> {
        self.sign(":")?;
        let mut instructions = Vec::new();
        while !self.takes_word("return") {
            self.next_register(parameters + instructions.len())?;
            self.sign("=")?;
            instructions.push(self.application()?);
        }
        Ok(Arm { instructions, result: self.operand()? })
    }

    /// A register that must have this number.
    fn next_register(&mut self, number: usize) -> Parsed<()> {
        let register = Token::Register(number as u32);
        if *self.peek() != register {
            return Err(self.expected(&register.to_string()));
        }
        self.advance();
        Ok(())
    }

    /// A register with its width, which it has from now on.
    fn definition(&mut self) -> Parsed<Register> {
        let Token::Register(number) = *self.peek() else { return Err(self.expected("a register")) };
        self.advance();
        self.sign(":")?;
        let width = self.width("i")?;
        match self.registers.insert(number, width) {
            Some(before) if before != width => {
                Err(self.wrong(format!("%{number} has width {before} elsewhere")))
            }
            _ => Ok(Register(number)),
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Operand>> {
        self.sign("(")?;
        self.list(")", Self::operand)
    }
}
