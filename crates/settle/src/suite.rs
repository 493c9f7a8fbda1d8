//! From kills to a small suite: the kill matrix, a greedy cover of it, and small inputs.
//!
//! If a mutant can be killed by what it returns, a test has to kill it that way: a test on which only a
//! sanitizer stops it does not count for it. If there is no other way, the sanitizer that the verdict names
//! was seen to stop it at that very place. If no sanitizer is sure to notice a mutant, no test claims it.

use std::cmp::Reverse;
use std::collections::HashMap;

use ir::{FunctionId, Input, Mutant, Outcome, Program, run};
use rayon::prelude::*;

use crate::check::libraries_differ;
use crate::{Kill, Limits, Shown, complexity, observe, replay, shrink};

/// A test: an input, and what the original does on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub subject: FunctionId,
    pub input: Input,
    pub returns: Outcome,
    /// What it kills, wherever the mutants are. Sorted.
    pub kills: Vec<Mutant>,
    /// What it may kill, too: mutants that ran for too long to tell. Sorted.
    pub may_kill: Vec<Mutant>,
    /// Whether `kills` has all that it kills, and not only what was needed to choose it.
    pub whole: bool,
    /// Whether some of it is killed only if the test is built with a sanitizer.
    pub soft: bool,
}

/// What the kill matrix may cost, in blocks: this much, and more for each mutant. Its true cost grows with
/// tests times mutants times the length of a run. Beyond the limit, tests are chosen by what they are known
/// to kill.
const MATRIX: u64 = 1_000_000;
const MATRIX_PER_MUTANT: u64 = 4_000;

/// Who looks on the machine how a kill shows.
pub type Look<'a> = dyn Fn(FunctionId, Mutant, &Input) -> Option<Shown> + Sync + 'a;

/// Says whether there is no time left for more than the first choice.
pub type InHurry<'a> = dyn Fn() -> bool + Sync + 'a;

/// Few tests that kill all these mutants: by function, easiest to read first.
///
/// The whole kill matrix would have a row for each witness and a run for each
/// entry. So witnesses are taken by what they are known to kill, each is run on
/// what is still missing, and only those that are chosen get a whole row.
pub fn suite(
    program: &Program,
    killed: &[(FunctionId, Mutant, &Kill)],
    look: &Look,
    in_hurry: &InHurry,
    limits: Limits,
) -> Vec<Test> {
    let killed = killed.iter().filter(|(.., kill)| kill.shown != Shown::Nowhere);
    let mut matrix = Matrix { program, mutants: vec![], soft: HashMap::new(), look, limits };
    let mut known: HashMap<(FunctionId, &Input), Vec<Mutant>> = HashMap::new();
    for (subject, mutant, kill) in killed {
        matrix.mutants.push(*mutant);
        if !kill.shown.in_any_build() {
            matrix.soft.insert(*mutant, kill);
        }
        known.entry((*subject, &kill.input)).or_default().push(*mutant);
    }
    let mut witnesses: Vec<(FunctionId, &Input)> = known.keys().copied().collect();
    witnesses.sort_by_cached_key(|witness| {
        (Reverse(known[witness].len()), complexity(program, witness.0, witness.1), *witness)
    });

    let mut missing = matrix.mutants.clone();
    let mut chosen: Vec<Test> = Vec::new();
    let mut work = 0;
    let may_cost = MATRIX + MATRIX_PER_MUTANT * matrix.mutants.len() as u64;
    let mut burned = 0;
    for (subject, input) in witnesses {
        let Some(original) = observe(program, subject, input, limits) else { continue };
        // Long runs are dear. When they have cost enough, each counts for what it is known to kill.
        let may_look = burned <= may_cost;
        let (mut gained, _) =
            if may_look { matrix.row(subject, input, &missing) } else { Default::default() };
        burned += original.fuel * (1 + gained.len() as u64);
        // What only the machine was patient enough to see counts too.
        gained.extend(&known[&(subject, input)]);
        gained.sort();
        let before = missing.len();
        missing.retain(|mutant| gained.binary_search(mutant).is_err());
        if missing.len() < before {
            work += original.fuel * matrix.mutants.len() as u64;
            let test = Test::new(subject, input.clone(), original.outcome, gained);
            chosen.push(Test { whole: false, ..test });
        }
    }
    if work <= may_cost && !in_hurry() {
        chosen.par_iter_mut().for_each(|test| test.complete(&matrix));
    }
    drop_redundant(program, &mut chosen);
    simplify(&matrix, &mut chosen, in_hurry);
    chosen.sort_by_cached_key(|test| (test.subject, test.complexity(program), test.input.clone()));
    for test in &mut chosen {
        test.soft = test.kills.iter().any(|mutant| matrix.soft.contains_key(mutant));
    }
    chosen
}

/// The kill matrix, as far as somebody asks for it.
struct Matrix<'a> {
    program: &'a Program,
    mutants: Vec<Mutant>,
    /// Those that no plain build kills.
    soft: HashMap<Mutant, &'a Kill>,
    look: &'a Look<'a>,
    limits: Limits,
}

impl Matrix<'_> {
    /// What a test counts as killing, and what it may kill, too.
    fn row(&self, subject: FunctionId, input: &Input, mutants: &[Mutant]) -> (Vec<Mutant>, Vec<Mutant>) {
        let replay = replay(self.program, subject, input, mutants, self.limits);
        let counts = |(mutant, shown): &(Mutant, Shown)| {
            shown.in_any_build() || self.is_seen_softly(subject, *mutant, input)
        };
        let killed = replay.killed.into_iter().filter(counts).map(|(mutant, _)| mutant).collect();
        (killed, replay.slow)
    }

    /// Whether a mutant that no plain build kills is stopped on this input by
    /// the sanitizer that its verdict names.
    fn is_seen_softly(&self, subject: FunctionId, mutant: Mutant, input: &Input) -> bool {
        let Some(kill) = self.soft.get(&mutant) else { return false };
        // The same fault at the same place was seen before, and to look takes a process.
        run(self.program, subject, mutant, input, self.limits.mutant).outcome == kill.mutant
            || (self.look)(subject, mutant, input) == Some(kill.shown)
    }
}

impl Test {
    fn complexity(&self, program: &Program) -> u64 {
        complexity(program, self.subject, &self.input)
    }

    /// A test that kills these mutants, and no others.
    pub fn new(subject: FunctionId, input: Input, returns: Outcome, mut kills: Vec<Mutant>) -> Test {
        kills.sort();
        kills.dedup();
        Test { subject, input, returns, kills, may_kill: vec![], whole: true, soft: false }
    }

    /// Adds all else that it kills.
    fn complete(&mut self, matrix: &Matrix) {
        let (killed, slow) = matrix.row(self.subject, &self.input, &matrix.mutants);
        self.kills.extend(killed);
        self.kills.sort();
        self.kills.dedup();
        self.may_kill = slow.into_iter().filter(|mutant| self.kills.binary_search(mutant).is_err()).collect();
        self.whole = true;
    }
}

/// Drops tests all of whose kills others make too, the hardest to read first.
fn drop_redundant(program: &Program, tests: &mut Vec<Test>) {
    tests.sort_by_cached_key(|test| Reverse((test.complexity(program), test.subject, test.input.clone())));
    let mut killers = killers(tests);
    tests.retain(|test| {
        let redundant = test.kills.iter().all(|mutant| killers[mutant] > 1);
        if redundant {
            test.kills.iter().for_each(|mutant| *killers.entry(*mutant).or_default() -= 1);
        }
        !redundant
    });
}

/// How many tests kill each mutant.
fn killers(tests: &[Test]) -> HashMap<Mutant, usize> {
    let mut killers = HashMap::new();
    for mutant in tests.iter().flat_map(|test| &test.kills) {
        *killers.entry(*mutant).or_default() += 1;
    }
    killers
}

/// Gives each test the smallest input with which it still kills what no other test
/// does, and, if it knew before what else it kills, looks what the new one does.
fn simplify(matrix: &Matrix, tests: &mut Vec<Test>, in_hurry: &InHurry) {
    let Matrix { program, soft, limits, .. } = matrix;
    // Counted once: a file of ten times the size has ten times the tests, and each of them changes little.
    let mut killers = killers(tests);
    for test in tests.iter_mut() {
        if in_hurry() {
            return;
        }
        let own: Vec<Mutant> = test.kills.iter().copied().filter(|mutant| killers[mutant] == 1).collect();
        let input = shrink(program, test.subject, &own, &test.input, *limits);
        let mut softly = own.iter().filter(|mutant| soft.contains_key(mutant));
        if input == test.input || !softly.all(|mutant| matrix.is_seen_softly(test.subject, *mutant, &input)) {
            continue;
        }
        // The smaller input was seen by the interpreter alone.
        let is_seen = |mutant: &Mutant| (matrix.look)(test.subject, *mutant, &input).is_some();
        if libraries_differ(program, test.subject) && !own.iter().all(is_seen) {
            continue;
        }
        if let Some(original) = observe(program, test.subject, &input, *limits) {
            let whole = test.whole;
            let mut simpler = Test { whole, ..Test::new(test.subject, input, original.outcome, own) };
            if whole {
                simpler.complete(matrix);
            }
            let before = std::mem::replace(test, simpler);
            before.kills.iter().for_each(|mutant| *killers.entry(*mutant).or_default() -= 1);
            test.kills.iter().for_each(|mutant| *killers.entry(*mutant).or_default() += 1);
        }
    }
    // Two tests may have become the same, or one may do now what another was kept for.
    drop_redundant(program, tests);
}

#[cfg(test)]
mod tests {
    use bv::Word;
    use ir::parse;

    use super::*;

    /// A function of two numbers with three mutants, and what each test of the
    /// suite is and kills, given a witness for each mutant.
    fn check(witnesses: [[i128; 2]; 3], expect: &[&str]) {
        check_shown(witnesses, [Shown::Plainly; 3], expect);
    }

    /// The same, with how each kill shows.
    fn check_shown(witnesses: [[i128; 2]; 3], shown: [Shown; 3], expect: &[&str]) {
        let program = parse(
            r#"function @f(%0 a: s32 "int", %1 b: s32 "int") -> s32 "int" {
            block0: %2:i1 = site 0(%0, %1) branch %2, block1, block2
            block1: return %0
            block2: %3:i32 = site 1(%1) return %3 }
            site 0(%0:i32, %1:i32) -> i1 { original: %2 = sgt %0, %1 return %2
            mutant 1: %2 = slt %0, %1 return %2
            mutant 2: return 0:i1 }
            site 1(%0:i32) -> i32 { original: return %0 mutant 3: return 7:i32 }"#,
        )
        .unwrap();
        let kill = |([a, b], shown): ([i128; 2], Shown)| Kill {
            input: Input::words([a, b].map(|value| Word::from_signed(32, value))),
            original: Outcome::OutOfFuel,
            mutant: Outcome::OutOfFuel,
            shown,
        };
        let kills: Vec<Kill> = witnesses.into_iter().zip(shown).map(kill).collect();
        let killed: Vec<(FunctionId, Mutant, &Kill)> =
            (1..).zip(&kills).map(|(number, kill)| (FunctionId(0), Mutant(number), kill)).collect();
        let shown: Vec<String> = suite(&program, &killed, &|_, _, _| None, &|| false, Limits::default())
            .iter()
            .map(|test| {
                let arguments: Vec<String> = test
                    .input
                    .arguments
                    .iter()
                    .map(|datum| datum.word().unwrap().signed().to_string())
                    .collect();
                let kills: String = test.kills.iter().map(|mutant| mutant.0.to_string()).collect();
                format!("{} kills {kills}", arguments.join(","))
            })
            .collect();
        assert_eq!(shown, expect);
    }

    #[test]
    fn one_test_may_do_for_many() {
        check([[9, 4], [9, 4], [3, 8]], &["0,0 kills 3", "1,0 kills 12"]);
    }

    #[test]
    fn a_mutant_that_nobody_sees_is_no_tests() {
        let shown = [Shown::Plainly, Shown::Plainly, Shown::Nowhere];
        check_shown([[9, 4], [9, 4], [3, 8]], shown, &["1,0 kills 12"]);
    }

    #[test]
    fn tests_that_become_the_same_are_one() {
        check([[30, 4], [900, 4], [3, 8]], &["0,0 kills 3", "1,0 kills 12"]);
    }
}
