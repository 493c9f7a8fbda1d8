//! Programs as text.
//!
//! Printing never fails, not even on a program that the verifier rejects: that
//! is when one wants to see it. A function that does not exist is then shown as
//! `@"function 7"`, and a register that does not exist has width 0.

mod border;

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use bv::{Op, Shape, Word};
use source::Position;

use super::named;
use super::token::Name;
use crate::{
    Action, Argument, Arm, Block, Edge, End, ExternalId, Flags, Function, FunctionId, Instruction, Operand,
    Program, Register, Site,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = Names { program: self };
        border::print_table(f, self)?;
        self.globals.iter().try_for_each(|global| border::print_global(f, self, global))?;
        self.externals.iter().try_for_each(|external| border::print_external(f, self, external))?;
        // Without a border the first function opens the text.
        let mut gap = if border::is_shown(self) { "\n" } else { "" };
        for function in &self.functions {
            write!(f, "{gap}")?;
            print_function(f, &names, function)?;
            gap = "\n";
        }
        for (at, site) in self.sites.iter().enumerate() {
            write!(f, "{gap}")?;
            print_site(f, at, site)?;
            gap = "\n";
        }
        Ok(())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Register(register) => write!(f, "%{}", register.0),
            Operand::Constant(word) => print_word(f, *word),
            Operand::Uninitialised(width) => write!(f, "uninitialised:i{width}"),
        }
    }
}

fn print_function(f: &mut Formatter<'_>, names: &Names, function: &Function) -> fmt::Result {
    border::print_head(f, names, function)?;
    if let Some(unsupported) = &function.unsupported {
        return writeln!(f, " unsupported {:?}{}", unsupported.what, At(unsupported.at));
    }
    writeln!(f, " {{")?;
    print_unused(f, function)?;
    for (at, block) in function.blocks.iter().enumerate() {
        print_block(f, names, function, at, block)?;
    }
    writeln!(f, "}}")
}

/// The registers that nothing defines, which would be lost otherwise.
fn print_unused(f: &mut Formatter<'_>, function: &Function) -> fmt::Result {
    let mut unused: BTreeSet<u32> = (function.arity as u32..function.registers.len() as u32).collect();
    for block in &function.blocks {
        let results = block.instructions.iter().filter_map(|instruction| instruction.result.as_ref());
        for register in block.parameters.iter().chain(results) {
            unused.remove(&register.0);
        }
    }
    for register in unused {
        writeln!(f, "    unused {}", Definition(function, Register(register)))?;
    }
    Ok(())
}

fn print_block(
    f: &mut Formatter<'_>,
    names: &Names,
    function: &Function,
    at: usize,
    block: &Block,
) -> fmt::Result {
    write!(f, "block{at}")?;
    for (at, parameter) in block.parameters.iter().enumerate() {
        let before = if at > 0 { ", " } else { "(" };
        write!(f, "{before}{}", Definition(function, *parameter))?;
    }
    writeln!(f, "{}:", if block.parameters.is_empty() { "" } else { ")" })?;
    for instruction in &block.instructions {
        print_instruction(f, names, function, instruction)?;
    }
    write!(f, "    ")?;
    print_end(f, &block.end)?;
    writeln!(f, "{}", At(block.at))
}

fn print_instruction(
    f: &mut Formatter<'_>,
    names: &Names,
    function: &Function,
    instruction: &Instruction,
) -> fmt::Result {
    write!(f, "    ")?;
    if let Some(result) = instruction.result {
        write!(f, "{} = ", Definition(function, result))?;
    }
    print_action(f, names, &instruction.action)?;
    writeln!(f, "{}", At(instruction.at))
}

fn print_action(f: &mut Formatter<'_>, names: &Names, action: &Action) -> fmt::Result {
    let at = |operand: &Operand| names.pointer(*operand);
    match action {
        Action::Apply { op, flags, arguments } => print_application(f, *op, *flags, arguments),
        Action::Site { site, arguments } => write!(f, "site {}({})", site.0, List(arguments)),
        Action::Call { function, arguments } => {
            write!(f, "call @{}({})", Name(&names.function(*function)), List(arguments))
        }
        Action::Local { size } => write!(f, "local {size}"),
        Action::Load { pointer, width, number } => {
            let how = if *number { "number" } else { "load" };
            write!(f, "{how}.i{width} {}", at(pointer))
        }
        Action::Store { pointer, value } => write!(f, "store {}, {value}", at(pointer)),
        Action::Offset { pointer, by } => write!(f, "offset {}, {by}", at(pointer)),
        Action::Copy { to, from, length, overlap } => {
            let may = if *overlap { "overlap " } else { "" };
            write!(f, "copy {may}{}, {}, {length}", at(to), at(from))
        }
        Action::Fill { to, byte, length } => write!(f, "fill {}, {byte}, {length}", at(to)),
        Action::Allocate { size } => write!(f, "allocate {size}"),
        Action::Free { pointer } => write!(f, "free {}", at(pointer)),
        Action::Extent { pointer } => write!(f, "extent {}", at(pointer)),
        Action::Alignment { pointer } => write!(f, "alignment {}", at(pointer)),
        Action::CallPointer { pointer, arguments } => {
            write!(f, "call pointer {}({})", at(pointer), List(arguments))
        }
        Action::External { external, arguments } => {
            write!(f, "external @{}(", Name(&names.external(*external)))?;
            for (at, Argument { operand, of, text }) in arguments.iter().enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                let text = if *text { "text " } else { "" };
                write!(f, "{comma}{text}{}: {}", names.pointer(*operand), border::Shown(names.program, *of))?;
            }
            write!(f, ")")
        }
        Action::Check { condition, fault } => write!(f, "check {condition}, {:?}", fault.text()),
        Action::Stop(fault) => write!(f, "stop {:?}", fault.text()),
        Action::Unsupported(what) => write!(f, "unsupported {what:?}"),
    }
}

fn print_application(f: &mut Formatter<'_>, op: Op, flags: Flags, arguments: &[Operand]) -> fmt::Result {
    write!(f, "{}", op.name())?;
    match op {
        Op::Extract { hi, lo } => write!(f, "[{hi}:{lo}]")?,
        // The others that resize give the width that they carry, whatever they are given.
        _ if op.shape() == Shape::Resize => write!(f, ".i{}", op.result_width(&[]))?,
        _ => {}
    }
    write!(f, "{}", if flags.no_unsigned_overflow { " nuw" } else { "" })?;
    write!(f, "{}", if flags.no_signed_overflow { " nsw" } else { "" })?;
    write!(f, "{}", if flags.pointers { " pointers" } else { "" })?;
    write!(f, "{}", if flags.has_bits { " bits" } else { "" })?;
    write!(f, " {}", List(arguments))
}

fn print_end(f: &mut Formatter<'_>, end: &End) -> fmt::Result {
    match end {
        End::Jump(edge) => write!(f, "jump {edge}"),
        End::Branch { condition, then, otherwise } => write!(f, "branch {condition}, {then}, {otherwise}"),
        End::Switch { value, cases, default } => {
            write!(f, "switch {value} {{ ")?;
            for (word, edge) in cases {
                print_word(f, *word)?;
                write!(f, " => {edge}, ")?;
            }
            write!(f, "default => {default} }}")
        }
        End::Return(None) => write!(f, "return"),
        End::Return(Some(value)) => write!(f, "return {value}"),
        End::Unreachable => write!(f, "unreachable"),
    }
}

impl Display for Edge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "block{}", self.to.0)?;
        if self.arguments.is_empty() { Ok(()) } else { write!(f, "({})", List(&self.arguments)) }
    }
}

fn print_site(f: &mut Formatter<'_>, at: usize, site: &Site) -> fmt::Result {
    write!(f, "site {at}(")?;
    for (at, width) in site.parameters.iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        write!(f, "{comma}%{at}:i{width}")?;
    }
    writeln!(f, ") -> i{}{} {{", site.result, At(site.at))?;
    writeln!(f, "original:")?;
    print_arm(f, site, &site.original)?;
    for (mutant, arm) in &site.variants {
        writeln!(f, "mutant {}:", mutant.0)?;
        print_arm(f, site, arm)?;
    }
    writeln!(f, "}}")
}

fn print_arm(f: &mut Formatter<'_>, site: &Site, arm: &Arm) -> fmt::Result {
    for (at, instruction) in (site.parameters.len()..).zip(&arm.instructions) {
        write!(f, "    %{at} = ")?;
        print_application(f, instruction.op, instruction.flags, &instruction.arguments)?;
        writeln!(f)?;
    }
    writeln!(f, "    return {}", arm.result)
}

/// Signed, as most of C is; but a truth value is 0 or 1.
fn print_word(f: &mut Formatter<'_>, word: Word) -> fmt::Result {
    let value = if word.width() == 1 { word.bits() as i128 } else { word.signed() };
    write!(f, "{value}:i{}", word.width())
}

/// What numbers are called in a program.
struct Names<'a> {
    program: &'a Program,
}

impl Names<'_> {
    fn function(&self, id: FunctionId) -> String {
        match self.program.functions.get(id.0 as usize) {
            Some(function) => function.name.clone(),
            None => format!("function {}", id.0),
        }
    }

    fn external(&self, id: ExternalId) -> String {
        match self.program.externals.get(id.0 as usize) {
            Some(external) => external.name.clone(),
            None => format!("external {}", id.0),
        }
    }

    /// An operand that is a pointer. To the start of a global or of a function, it shows as the name of that.
    fn pointer(&self, operand: Operand) -> String {
        let Operand::Constant(word) = operand else { return operand.to_string() };
        match named::name(self.program, word) {
            Some(name) => format!("@{}", Name(name)),
            None => operand.to_string(),
        }
    }
}

struct Definition<'a>(&'a Function, Register);

impl Display for Definition<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = self.0.registers.get(self.1.0 as usize).copied().unwrap_or(0);
        write!(f, "%{}:i{width}", self.1.0)
    }
}

struct List<'a>(&'a [Operand]);

impl Display for List<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, operand) in self.0.iter().enumerate() {
            write!(f, "{}{operand}", if at > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

struct At(Option<Position>);

impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |position| write!(f, " @ {position}"))
    }
}
