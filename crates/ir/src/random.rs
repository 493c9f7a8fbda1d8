//! Random programs that the verifier admits, and inputs for them.
//!
//! They are for tests that compare two ways of executing a program. Most runs must return,
//! or they would tell nothing. So most overflow is allowed, most divisors cannot be zero,
//! and most loops count. The opposite is the exception. A test below keeps the statistics.
//!
//! The control flow is made of `if`, `switch` and loops, with early exits out of several of them.
//! At times a loop has two ways in, which no structured program has. The first function is the
//! one to run. Functions call those after them, or themselves with an argument that decreases.

mod body;
mod border;
mod input;
mod line;

use arbitrary::{Result, Unstructured};
use bv::{Op, Shape, Word};

use crate::{
    Action, Arm, ArmInstruction, Flags, Function, FunctionId, Mutant, Operand, Program, Register, Scalar,
    Signature, Site, SiteId, Unsupported,
};
use body::Body;
pub use input::input;
use line::Line;

/// The function to run.
pub const SUBJECT: FunctionId = FunctionId(0);

/// A random program. It shrinks with the bytes it is made of.
pub fn program(u: &mut Unstructured) -> Result<Program> {
    let mut program = Program::default();
    border::globals(u, &mut program)?;
    border::externals(u, &mut program)?;
    for at in 0..u.int_in_range(1..=3)? {
        let signature = border::signature(u, &mut program, at == 0)?;
        let function = without_body(&program, format!("f{at}"), signature);
        program.functions.push(function);
    }
    let mut sites = Sites::default();
    for at in 0..program.functions.len() {
        let mut function = program.functions[at].clone();
        if at > 0 && one_in(u, 40)? {
            function.unsupported = Some(Unsupported { what: "bad \"luck\"".to_string(), at: None });
        } else {
            Body::new(u, &program, at, &mut sites).fill(&mut function)?;
        }
        program.functions[at] = function;
    }
    program.sites = sites.sites;
    Ok(program)
}

/// A function that takes and gives words only, as the signature says.
fn without_body(program: &Program, name: String, signature: Signature) -> Function {
    let width = |of| program.width(of).expect("random signatures are made of words");
    let registers: Vec<u32> = signature.parameters.iter().map(|parameter| width(parameter.of)).collect();
    Function {
        name,
        arity: registers.len(),
        result: signature.result.map(width),
        signature,
        registers,
        door: None,
        library: false,
        sealed: false,
        external: true,
        blocks: vec![],
        unsupported: None,
        names: Default::default(),
    }
}

/// A random word, biased towards small ones and the ends of the ranges.
pub fn word(u: &mut Unstructured, width: u32) -> Result<Word> {
    Ok(match u.int_in_range(0..=11)? {
        0 => Word::zero(width),
        1 => Word::one(width),
        2 => Word::ones(width),
        3 => Word::signed_min(width),
        4 => Word::signed_max(width),
        5..=8 => Word::from_signed(width, u.int_in_range(-2..=9)?),
        _ => Word::new(width, u.arbitrary()?),
    })
}

/// The sites made so far.
#[derive(Default)]
struct Sites {
    sites: Vec<Site>,
    /// The greatest mutant so far. Numbers may be left out.
    last: u32,
}

impl Sites {
    /// A new site for arguments of these widths, with arms of any kind.
    fn mixed(&mut self, u: &mut Unstructured, parameters: Vec<u32>, result: u32) -> Result<SiteId> {
        let original = arm(u, &parameters, result)?;
        self.site(u, parameters, result, original)
    }

    /// A new site like those in C: one operation on two arguments of this width.
    fn operation(&mut self, u: &mut Unstructured, width: u32) -> Result<SiteId> {
        // Addition, subtraction and multiplication come first, in the table and in C.
        let count = if u.arbitrary()? { line::PREDICATES } else { 3 };
        let op = *u.choose(&bv::op::PLAIN[..count])?;
        let arguments = vec![Operand::Register(Register(0)), Operand::Register(Register(1))];
        let instructions = vec![ArmInstruction { op, flags: line::flags(u, op)?, arguments }];
        let original = Arm { instructions, result: Operand::Register(Register(2)) };
        self.site(u, vec![width, width], op.result_width(&[width, width]), original)
    }

    /// A new site like those in C: a comparison of two pointers.
    fn comparison(&mut self, u: &mut Unstructured, op: Op, pointers: bool) -> Result<SiteId> {
        let ops = if pointers { &[Op::Slt, Op::Sle, Op::Sgt, Op::Sge][..] } else { &[Op::Eq, Op::Ne][..] };
        let arguments = vec![Operand::Register(Register(0)), Operand::Register(Register(1))];
        let flags = Flags { pointers, ..Flags::default() };
        let arm = |op| Arm {
            instructions: vec![ArmInstruction { op, flags, arguments: arguments.clone() }],
            result: Operand::Register(Register(2)),
        };
        let mut variants = Vec::new();
        for other in ops.iter().filter(|other| **other != op) {
            self.last += 1;
            variants.push((Mutant(self.last), arm(*other)));
        }
        let at = position(u)?;
        self.sites.push(Site { parameters: vec![64, 64], result: 1, original: arm(op), variants, at });
        Ok(SiteId(self.sites.len() as u32 - 1))
    }

    fn site(
        &mut self,
        u: &mut Unstructured,
        parameters: Vec<u32>,
        result: u32,
        original: Arm,
    ) -> Result<SiteId> {
        let mut variants = Vec::new();
        for _ in 0..u.int_in_range(0..=4)? {
            self.last += if one_in(u, 8)? { 3 } else { 1 };
            // A mutant that a person would make differs little; another arm of the same type differs a lot.
            let arm = if one_in(u, 4)? { arm(u, &parameters, result)? } else { changed(u, &original)? };
            variants.push((Mutant(self.last), arm));
        }
        let at = position(u)?;
        self.sites.push(Site { parameters, result, original, variants, at });
        Ok(SiteId(self.sites.len() as u32 - 1))
    }
}

fn arm(u: &mut Unstructured, parameters: &[u32], result: u32) -> Result<Arm> {
    let mut line = Line::new(parameters.to_vec());
    for _ in 0..u.int_in_range(0..=1)? {
        line.apply(u)?;
    }
    let result = if one_in(u, 8)? { line.operand(u, result)? } else { line.mixture(u, result, 1)? };
    let instructions = line.instructions.into_iter().map(|instruction| match instruction.action {
        Action::Apply { op, flags, arguments } => ArmInstruction { op, flags, arguments },
        _ => unreachable!("a line only applies operators"),
    });
    Ok(Arm { instructions: instructions.collect(), result })
}

/// The same arm, but for an operator of the same shape, or an argument.
fn changed(u: &mut Unstructured, arm: &Arm) -> Result<Arm> {
    let mut arm = arm.clone();
    let changeable =
        arm.instructions.iter_mut().filter(|instruction| instruction.op.shape() != Shape::Resize);
    let mut changeable: Vec<_> = changeable.collect();
    if changeable.is_empty() {
        if let Operand::Constant(before) = arm.result {
            arm.result = Operand::Constant(word(u, before.width())?);
        }
        return Ok(arm);
    }
    let at = u.choose_index(changeable.len())?;
    let instruction = &mut changeable[at];
    let shape = instruction.op.shape();
    if let Some(Operand::Constant(before)) = instruction.arguments.last_mut()
        && u.arbitrary()?
    {
        *before = word(u, before.width())?;
    } else if let Shape::Binary | Shape::Predicate = shape
        && one_in(u, 6)?
    {
        instruction.arguments.swap(0, 1);
    } else {
        let floats = instruction.op.takes_floats();
        let alike = |op: &&Op| op.shape() == shape && op.takes_floats() == floats;
        let ops: Vec<_> = bv::op::PLAIN.iter().filter(alike).copied().collect();
        instruction.op = *u.choose(&ops)?;
        instruction.flags = line::flags(u, instruction.op)?;
    }
    Ok(arm)
}

fn scalar(u: &mut Unstructured) -> Result<Scalar> {
    let (width, signed) = (width(u)?, u.arbitrary()?);
    let name = match (width, signed) {
        (1, _) => "_Bool".to_string(),
        (8, true) => "char".to_string(),
        (32, true) => "int".to_string(),
        (32, false) => "unsigned int".to_string(),
        _ => format!("_BitInt({width})"),
    };
    Ok(Scalar { name, width, signed })
}

/// Mostly 8 and 32.
fn width(u: &mut Unstructured) -> Result<u32> {
    Ok(match u.int_in_range(0..=9)? {
        0..=3 => 8,
        4..=6 => 32,
        7 => 1,
        _ => u.int_in_range(1..=64)?,
    })
}

fn position(u: &mut Unstructured) -> Result<Option<source::Position>> {
    let (line, column) = (u.int_in_range(0..=200)?, u.int_in_range(1..=80)?);
    Ok((line > 0).then_some(source::Position { line, column }))
}

/// False when the bytes run out, unlike [`Unstructured::ratio`].
fn one_in(u: &mut Unstructured, count: u32) -> Result<bool> {
    Ok(u.int_in_range(0..=count - 1)? == count - 1)
}

#[cfg(test)]
mod tests;
