//! Which mutants a test reaches.

use std::collections::BTreeSet;

use ir::interpret::run_watched;
use ir::{Infection, Mutant, Program};
use settle::Test;

/// What a run of a test may take. The tests were chosen to take less.
const FUEL: u64 = 1_000_000;

/// For each test, the mutants that it reaches.
pub(crate) fn coverage(program: &Program, tests: &[Test]) -> Vec<BTreeSet<Mutant>> {
    let reached = |test: &Test| {
        let mut infection = Infection::new(program);
        run_watched(program, test.subject, &test.input, FUEL, &mut infection);
        infection.sites().flat_map(|site| &program.site(site).variants).map(|(mutant, _)| *mutant).collect()
    };
    tests.iter().map(reached).collect()
}
