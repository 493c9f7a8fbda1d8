//! What instructions do, except for applying operators.

use bv::Hazard;

use super::{Parsed, Parser};
use crate::text::token::Token;
use crate::{Action, Argument, ArmInstruction, ExternalId, Fault, SiteId};

impl Parser<'_> {
    pub(super) fn action(&mut self) -> Parsed<Action> {
        let Token::Word(word) = self.peek().clone() else { return Err(self.expected("an instruction")) };
        let (name, width) = match word.split_once(".i") {
            Some((name, width)) => (name, width.parse().ok()),
            None => (word.as_str(), None),
        };
        let known = match (name, width) {
            ("load" | "number", Some(_)) => true,
            (_, None) => WORDS.contains(&name),
            _ => false,
        };
        if !known {
            let ArmInstruction { op, flags, arguments } = self.application()?;
            return Ok(Action::Apply { op, flags, arguments });
        }
        self.advance();
        Ok(match name {
            "site" => Action::Site { site: SiteId(self.number()?), arguments: self.arguments()? },
            "call" if self.takes_word("pointer") => {
                Action::CallPointer { pointer: self.operand()?, arguments: self.arguments()? }
            }
            "call" => Action::Call { function: self.function_name()?, arguments: self.arguments()? },
            "local" => Action::Local { size: self.operand()? },
            "load" | "number" => {
                Action::Load { pointer: self.operand()?, width: width.unwrap_or(0), number: name == "number" }
            }
            "store" => Action::Store { pointer: self.operand()?, value: self.next_operand()? },
            "offset" => Action::Offset { pointer: self.operand()?, by: self.next_operand()? },
            "copy" => {
                let overlap = self.takes_word("overlap");
                let (to, from, length) = (self.operand()?, self.next_operand()?, self.next_operand()?);
                Action::Copy { to, from, length, overlap }
            }
            "fill" => {
                let (to, byte, length) = (self.operand()?, self.next_operand()?, self.next_operand()?);
                Action::Fill { to, byte, length }
            }
            "allocate" => Action::Allocate { size: self.operand()? },
            "free" => Action::Free { pointer: self.operand()? },
            "extent" => Action::Extent { pointer: self.operand()? },
            "alignment" => Action::Alignment { pointer: self.operand()? },
            "external" => self.external_call()?,
            "check" => {
                let condition = self.operand()?;
                self.sign(",")?;
                Action::Check { condition, fault: self.fault()? }
            }
            "stop" => Action::Stop(self.fault()?),
            "unsupported" => Action::Unsupported(self.quoted()?),
            _ => unreachable!("the list of words has no others"),
        })
    }

    fn external_call(&mut self) -> Parsed<Action> {
        let name = self.global()?;
        let Some(at) = self.program.externals.iter().position(|external| external.name == name) else {
            return Err(self.wrong(format!("there is no external `@{name}` yet")));
        };
        self.sign("(")?;
        let arguments = self.list(")", |parser| {
            let text = parser.takes_word("text");
            let operand = parser.operand()?;
            parser.sign(":")?;
            Ok(Argument { operand, of: parser.type_id()?, text })
        })?;
        Ok(Action::External { external: ExternalId(at as u32), arguments })
    }

    fn fault(&mut self) -> Parsed<Fault> {
        let text = self.quoted()?;
        let fault = FAULTS.iter().find(|fault| fault.text() == text);
        fault.copied().ok_or_else(|| self.wrong(format!("there is no fault {text:?}")))
    }
}

/// How instructions begin, other than with an operator or `load` and a width.
const WORDS: &[&str] = &[
    "site",
    "call",
    "local",
    "store",
    "offset",
    "copy",
    "fill",
    "allocate",
    "free",
    "extent",
    "alignment",
    "external",
    "check",
    "stop",
    "unsupported",
];

/// All of them.
const FAULTS: &[Fault] = &[
    Fault::Hazard(Hazard::DivisionByZero),
    Fault::Hazard(Hazard::DivisionOverflow),
    Fault::Hazard(Hazard::OversizeShift),
    Fault::Hazard(Hazard::SignedOverflow),
    Fault::Hazard(Hazard::UnsignedOverflow),
    Fault::Hazard(Hazard::FloatRange),
    Fault::Hazard(Hazard::NoBits),
    Fault::UninitialisedRead,
    Fault::Unreachable,
    Fault::NullAccess,
    Fault::OutOfBounds,
    Fault::Stray,
    Fault::Index,
    Fault::IndexAtEnd,
    Fault::NullArgument,
    Fault::Argument,
    Fault::NoCommandLine,
    Fault::Dangling,
    Fault::ReadOnly,
    Fault::InvalidFree,
    Fault::OverlappingCopy,
    Fault::InvalidCall,
    Fault::FarPointer,
    Fault::ForeignPointers,
    Fault::AddressAsNumber,
    Fault::ImpossibleResult,
    Fault::LeftOpen,
    Fault::Assertion,
    Fault::Exit,
    Fault::Abort,
];
