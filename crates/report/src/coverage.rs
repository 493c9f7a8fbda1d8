//! Which mutants a test reaches.
//!
//! The interpreter notes what a run of the original infects: where a variant would have given another value. So we give each site
//! variants that always would, and what is infected then is what is reached.

use bv::Op;
use ir::interpret::run_watched;
use ir::{ArmInstruction, Flags, Infection, Operand, Program, Register, Site};
use settle::Test;

/// What a run of a test may take. The tests were chosen to take less.
const FUEL: u64 = 1_000_000;

/// For each test, what it reaches.
pub fn coverage(program: &Program, tests: &[Test]) -> Vec<Infection> {
    let mut program = program.clone();
    program.sites.iter_mut().for_each(always_differ);
    let reached = |test: &Test| {
        let mut infection = Infection::new(&program);
        run_watched(&program, test.subject, &test.input, FUEL, &mut infection);
        infection
    };
    tests.iter().map(reached).collect()
}

/// Makes each variant compute the original's value with all its bits flipped.
fn always_differ(site: &mut Site) {
    let mut opposite = site.original.clone();
    let result = Register((site.parameters.len() + opposite.instructions.len()) as u32);
    let flip = ArmInstruction { op: Op::Not, flags: Flags::default(), arguments: vec![opposite.result] };
    opposite.instructions.push(flip);
    opposite.result = Operand::Register(result);
    for (_, arm) in &mut site.variants {
        *arm = opposite.clone();
    }
}
