//! The verifier: what always holds of a program.
//!
//! The interpreter, the encoder and the printer rely on these rules and do not check them. Code that
//! makes or changes a program runs it through here. The rules:
//!
//! - Names of functions are distinct. A function has blocks, or it is unsupported and has nothing but its
//!   signature.
//! - Types mention types that exist, and none contains itself, so that all have a size. Fields lie within
//!   their record, bit-fields are of integers, floats have 32 or 64 bits. A global has contents for all
//!   of its type, and maybe more: a struct can end with an array that is as long as its contents.
//! - What the signature says is what a function takes and returns: a word for each number and pointer. If
//!   it has structs, its door takes a pointer for each, with one more before all others if the result is
//!   one. Whatever nobody calls from outside is exempt: doors themselves, the library, what is unsupported.
//! - Widths lie between 1 and 128 and agree everywhere: with the operator's shape, along edges, at calls
//!   and sites, with what the function returns. Pointers, sizes and lengths have 64 bits. Whom a pointer
//!   leads to is known only when the program runs, so the interpreter looks at the widths of such a call.
//! - Arguments of functions without a body are words of the types given, and those are the parameters' own.
//! - The first registers are the function's parameters. All others are defined once at most, by a block
//!   parameter or an instruction, and on every path to a use. What the entry does not reach is held to all
//!   rules but this last one.
//! - The entry has no parameters, and no edge leads to it. The interpreter could do with the former alone,
//!   but then the state at the entry would be a join of the caller's and a loop's; LLVM says the same.
//! - An instruction has a result if and only if there is one: not for a call of a function
//!   that returns nothing, for what only changes memory, or for what is unsupported.
//! - Overflow is promised only of operators that [can overflow](bv::Op::overflow).
//!   Only differences and signed comparisons of 64 bits are said to be of pointers.
//! - Mutants count from 1, each stands at one site only, and a site lists its own in order.

mod border;
mod function;
mod instruction;

use bv::{Hazard, MAX_WIDTH, Op, Shape};

use crate::ctype::POINTER_WIDTH;
use crate::{Arm, Flags, FunctionId, Mutant, Operand, Program, Site, TypeId};

/// A float has one of these widths.
const FLOATS: [u32; 2] = [32, 64];

/// A rule that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Flaw {
    /// Such as `@max, block 2`.
    pub place: String,
    pub what: String,
}

/// All that is wrong with a program.
pub fn verify(program: &Program) -> Result<(), Vec<Flaw>> {
    let mut flaws = Vec::new();
    border::verify(program, &mut flaws);
    // What a type says of itself is relied on from here on.
    if !flaws.is_empty() {
        return Err(flaws);
    }
    for (at, function) in program.functions.iter().enumerate() {
        let id = FunctionId(at as u32);
        if program.named(&function.name) != Some(id) {
            report(
                &mut flaws,
                &format!("@{}", function.name),
                Err("another function has this name".to_string()),
            );
        }
        function::verify(program, id, &mut flaws);
    }
    let mut mutants: Vec<Mutant> = Vec::new();
    for (at, site) in program.sites.iter().enumerate() {
        verify_site(at, site, &mut flaws);
        mutants.extend(site.variants.iter().map(|(mutant, _)| *mutant));
    }
    mutants.sort();
    for pair in mutants.windows(2).filter(|pair| pair[0] == pair[1]) {
        report(&mut flaws, "sites", Err(format!("mutant {} stands at two places", pair[0].0)));
    }
    if flaws.is_empty() { Ok(()) } else { Err(flaws) }
}

fn verify_site(at: usize, site: &Site, flaws: &mut Vec<Flaw>) {
    let place = format!("site {at}");
    for width in site.parameters.iter().chain([&site.result]) {
        report(flaws, &place, sane(*width));
    }
    if site.variants.first().is_some_and(|(mutant, _)| *mutant == Mutant::ORIGINAL) {
        report(flaws, &place, Err("mutant 0 is the original".to_string()));
    }
    if !site.variants.is_sorted_by_key(|(mutant, _)| *mutant) {
        report(flaws, &place, Err("the mutants are not in order".to_string()));
    }
    report(flaws, &format!("{place}, original"), verify_arm(site, &site.original));
    for (mutant, arm) in &site.variants {
        report(flaws, &format!("{place}, mutant {}", mutant.0), verify_arm(site, arm));
    }
}

fn verify_arm(site: &Site, arm: &Arm) -> Result<(), String> {
    let mut registers = site.parameters.clone();
    for instruction in &arm.instructions {
        // Only the registers before it exist yet, so that a range check is all that SSA form takes here.
        let widths = widths(&registers, &instruction.arguments)?;
        registers.push(applied(instruction.op, instruction.flags, &widths)?);
    }
    expect("the result", width(&registers, arm.result)?, site.result)
}

fn report(flaws: &mut Vec<Flaw>, place: &str, result: Result<(), String>) {
    if let Err(what) = result {
        flaws.push(Flaw { place: place.to_string(), what });
    }
}

fn known(program: &Program, of: TypeId) -> Result<(), String> {
    let known = (of.0 as usize) < program.types.len();
    if known { Ok(()) } else { Err(format!("there is no type {}", of.0)) }
}

fn sane(width: u32) -> Result<(), String> {
    let sane = (1..=MAX_WIDTH).contains(&width);
    if sane { Ok(()) } else { Err(format!("a width lies between 1 and {MAX_WIDTH}, not at {width}")) }
}

fn expect(what: &str, found: u32, expected: u32) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} is of i{found}, not of i{expected}")) }
}

fn width(registers: &[u32], operand: Operand) -> Result<u32, String> {
    match operand {
        Operand::Register(register) => match registers.get(register.0 as usize) {
            Some(width) => Ok(*width),
            None => Err(format!("there is no %{} here", register.0)),
        },
        Operand::Constant(word) => Ok(word.width()),
        Operand::Uninitialised(width) => sane(width).map(|()| width),
    }
}

fn widths(registers: &[u32], operands: &[Operand]) -> Result<Vec<u32>, String> {
    operands.iter().map(|operand| width(registers, *operand)).collect()
}

/// Whether arguments of these widths are what is asked for.
fn expect_all(
    registers: &[u32],
    arguments: &[Operand],
    expected: impl ExactSizeIterator<Item = u32>,
) -> Result<(), String> {
    if arguments.len() != expected.len() {
        return Err(format!("{} arguments where {} are expected", arguments.len(), expected.len()));
    }
    for (at, (found, expected)) in widths(registers, arguments)?.into_iter().zip(expected).enumerate() {
        expect(&format!("argument {at}"), found, expected)?;
    }
    Ok(())
}

/// The width of what an operator gives for arguments of these widths, if it takes them.
fn applied(op: Op, flags: Flags, widths: &[u32]) -> Result<u32, String> {
    let name = op.name();
    let (found, arity) = (widths.len(), op.shape().arity());
    if found != arity {
        return Err(format!("{name} has {found} arguments where {arity} are expected"));
    }
    match op.shape() {
        Shape::Unary => {}
        Shape::Binary | Shape::Predicate => expect(&format!("argument 1 of {name}"), widths[1], widths[0])?,
        Shape::Choice => {
            expect(&format!("the condition of {name}"), widths[0], 1)?;
            expect(&format!("argument 2 of {name}"), widths[2], widths[1])?;
        }
        Shape::Resize => match op {
            Op::Extract { hi, lo } if lo > hi || hi >= widths[0] => {
                return Err(format!("i{} has no bits {hi} to {lo}", widths[0]));
            }
            Op::Zext(to) | Op::Sext(to) if to <= widths[0] => {
                return Err(format!("{name} makes i{} no wider than i{}", to, widths[0]));
            }
            _ => {}
        },
        Shape::Join => {}
    }
    let promised = [
        (flags.no_signed_overflow, Hazard::SignedOverflow),
        (flags.no_unsigned_overflow, Hazard::UnsignedOverflow),
    ];
    for (_, hazard) in promised.into_iter().filter(|(promised, _)| *promised) {
        if op.overflow(hazard).is_none() {
            return Err(format!("{name} has no {} to promise", hazard.text()));
        }
    }
    let ordered = matches!(op, Op::Sub | Op::Slt | Op::Sle | Op::Sgt | Op::Sge) && widths[0] == POINTER_WIDTH;
    if flags.pointers && !ordered {
        return Err(format!("{name} of i{} has nothing to do with pointers", widths[0]));
    }
    let result = op.result_width(widths);
    let floats = [(op.takes_floats(), widths[0]), (op.gives_float(), result)];
    if let Some((_, width)) = floats.iter().find(|(is_float, width)| *is_float && !FLOATS.contains(width)) {
        return Err(format!("{name} works on floats, and there are none of i{width}"));
    }
    sane(result).map(|()| result)
}

#[cfg(test)]
mod tests;
