//! The functions of a program, each called from outside, with its variables as
//! inputs: all that Whet does with a subject, against runs.
//!
//! Three oracles. The interpreter does what the machine does, original and mutants. The encoder says what the
//! interpreter does. And each stage, alone, is asked about all mutants: what it calls killed is replayed, on
//! the interpreter and on the machine; what it calls equal is attacked with inputs that no stage has seen.

use std::path::Path;

use bv::{Hazard, Stop, Terms, Word};
use fastrand::Rng;
use ir::{Fault, GlobalId, Input, Mutant, Outcome, Space, run};
use llvm::{Native, ProcessEnd};
use settle::{Claim, Limits, Proof, Stage, Subject, Task, outcomes_differ, replay};
use smt::Fuel;
use stages::{Bounded, Bounds, Canonical, Inductive, Names, Plan, Request, Round, Simulate, Skeleton};

use crate::encoded;
use crate::loaded::Loaded;

/// How much is tried of each function.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub mutants: usize,
    /// For the interpreter, which is fast.
    pub inputs: usize,
    /// Of these, how many the machine sees: each is a process of its own.
    pub native: usize,
    /// The bound of the bounded stage.
    pub bound: u32,
}

/// How much was tried, so that a test can tell whether it was anything.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub functions: usize,
    pub unsupported: usize,
    /// Runs that interpreter and machine agree on.
    pub agreed: usize,
    pub encoded: encoded::Tally,
    pub killed: usize,
    pub equivalent: usize,
    pub duplicate: usize,
    /// Attacks on equal ones that lie beyond the bound of the proof.
    pub beyond: usize,
}

/// Unrolled programs of this size take a second to encode.
const BLOCKS: usize = 3_000;

/// As many as the stage takes; what is cut there is cut here.
const BOUNDED_BLOCKS: usize = 20_000;

/// A mutant may go on a little longer than the original, in the bounded stage.
const LEAD: u32 = 2;

/// For each query: little, because there are many.
const FUEL: Fuel = Fuel(1_000);

/// Of the variables of the program, one in so many keeps its initial value.
const KEPT: usize = 4;

/// Panics where somebody is wrong.
pub(crate) fn check(file: &Path, seed: u64, effort: Effort, tally: &mut Tally) {
    let mut random = Rng::with_seed(seed);
    let loaded = Loaded::new(file, "default");
    let native = Native::build(&loaded.unit).unwrap_or_else(|error| panic!("no machine code: {error}"));
    let is_ours = |name: &str| name.starts_with("func_");
    let mut subjects = loaded.subjects();
    subjects.retain(|subject| is_ours(&loaded.unit.program.function(subject.function).name));
    let functions = loaded.unit.program.functions.iter();
    let hard = functions.filter(|function| is_ours(&function.name) && function.unsupported.is_some());
    tally.unsupported += hard.count();
    for subject in &mut subjects {
        random.shuffle(&mut subject.mutants);
        subject.mutants.truncate(effort.mutants);
        subject.mutants.sort();
    }
    let optimiser = llvm::Optimiser::new(&loaded.unit, &Stop::default());
    let compare = |subject, groups: &[Vec<Mutant>]| optimiser.compare(subject, groups).expect("LLVM runs");
    for subject in &subjects {
        let space = Space { globals: globals(&loaded, &mut random), ..loaded.space(subject.function) };
        let case = Case::new(&loaded, &native, subject, &space, effort, random.u64(..));
        case.machine(tally);
        case.encoder(tally);
        case.claims(&compare, tally);
        tally.functions += 1;
    }
}

/// Most variables that a test can set.
fn globals(loaded: &Loaded, random: &mut Rng) -> Vec<GlobalId> {
    let globals = (0..).map(GlobalId).zip(&loaded.unit.program.globals);
    let settable = globals.filter(|(_, global)| global.external && !global.constant);
    settable.map(|(id, _)| id).filter(|_| random.usize(..KEPT) > 0).collect()
}

/// A function, and what it is tried with.
struct Case<'a> {
    loaded: &'a Loaded,
    native: &'a Native,
    subject: &'a Subject,
    space: &'a Space,
    effort: Effort,
    inputs: Vec<Input>,
    limits: Limits,
}

impl<'a> Case<'a> {
    fn new(
        loaded: &'a Loaded,
        native: &'a Native,
        subject: &'a Subject,
        space: &'a Space,
        effort: Effort,
        seed: u64,
    ) -> Case<'a> {
        let program = &loaded.unit.program;
        // The plain ones of the stages, and others that no stage has seen.
        let plain = stages::attacks(program, subject.function, space, effort.inputs / 4);
        let mixed = stages::mixtures(program, subject.function, space, seed);
        let inputs = plain.into_iter().chain(mixed).take(effort.inputs).collect();
        let limits = Limits { hang: 0, ..Limits::default() };
        Case { loaded, native, subject, space, effort, inputs, limits }
    }

    /// Interpreter and machine have the same.
    fn fuel(&self, mutant: Mutant) -> u64 {
        if mutant == Mutant::ORIGINAL { self.limits.original } else { self.limits.mutant }
    }

    fn run(&self, mutant: Mutant, input: &Input) -> Outcome {
        let fuel = self.fuel(mutant);
        run(&self.loaded.unit.program, self.subject.function, mutant, input, fuel).outcome
    }

    fn run_natively(&self, mutant: Mutant, input: &Input) -> ProcessEnd {
        let outcome = self.native.run(self.subject.function, mutant, input, self.fuel(mutant));
        outcome.unwrap_or_else(|error| panic!("{}: {error}", self.context(mutant, input)))
    }

    /// The interpreter does what the machine does.
    fn machine(&self, tally: &mut Tally) {
        for input in &self.inputs[..self.effort.native.min(self.inputs.len())] {
            for mutant in [&Mutant::ORIGINAL].into_iter().chain(&self.subject.mutants) {
                tally.agreed += usize::from(self.agree(*mutant, input));
            }
        }
    }

    /// False where there is nothing to compare: the rules of C are broken, and the machine need not notice.
    fn agree(&self, mutant: Mutant, input: &Input) -> bool {
        let outcome = self.run(mutant, input);
        let wanted = match &outcome {
            Outcome::Returned(expected) => {
                let native = self.run_natively(mutant, input);
                let same = matches!(&native, ProcessEnd::Returned(seen)
                    if expected.freed == seen.freed && !expected.differs(seen));
                assert!(
                    same,
                    "{}: the machine {native:?}, the interpreter {outcome:?}",
                    self.context(mutant, input)
                );
                return true;
            }
            // The machine does not count as the interpreter does, and has only so much stack.
            Outcome::OutOfFuel | Outcome::Diverged | Outcome::Unsupported(..) => return false,
            Outcome::Faulted(Fault::Hazard(Hazard::DivisionByZero), _) => llvm::Trap::DivisionByZero,
            Outcome::Faulted(Fault::Hazard(Hazard::DivisionOverflow), _) => llvm::Trap::DivisionOverflow,
            Outcome::Faulted(..) => return false,
        };
        let native = self.run_natively(mutant, input);
        assert_eq!(native, ProcessEnd::Trapped(wanted), "{}: {outcome:?}", self.context(mutant, input));
        true
    }

    /// The encoder says what the interpreter does.
    fn encoder(&self, tally: &mut Tally) {
        let program = &self.loaded.unit.program;
        let mutants: Vec<Mutant> =
            [Mutant::ORIGINAL].into_iter().chain(self.subject.mutants.iter().copied()).collect();
        let shown = format!("{} of {}", self.name(), self.loaded.path.display());
        let case = encoded::Case {
            program,
            function: self.subject.function,
            space: self.space,
            mutants: &mutants,
            inputs: &self.inputs[..self.effort.native.min(self.inputs.len())],
            bounds: Bounds { iterations: self.effort.bound, blocks: BLOCKS },
            fuel: self.limits.mutant,
            shown: &shown,
        };
        encoded::check(&case, &mut tally.encoded);
    }

    /// No stage is wrong, whatever the others say.
    fn claims(&self, optimiser: &dyn stages::Optimiser, tally: &mut Tally) {
        let canonical = Canonical::new(optimiser);
        let bounded =
            Bounded { bound: self.effort.bound, fuel: FUEL, obligations: false, round: Round::Only };
        let inductive = Inductive::alone(FUEL);
        let stages: [&dyn Stage; 4] = [&canonical, &Simulate, &inductive, &bounded];
        let stop = Stop::default();
        let task = Task {
            open: &self.subject.mutants,
            ..Task::alone(&self.loaded.unit.program, self.subject.function, self.space, self.limits, &stop)
        };
        for stage in stages {
            for (mutant, claim) in stage.claims(&task) {
                match &claim {
                    Claim::Killed(input) => {
                        self.replay(stage.name(), mutant, input);
                        tally.killed += 1;
                    }
                    Claim::Equivalent(proof) => {
                        self.attack(stage.name(), proof, Mutant::ORIGINAL, mutant, tally);
                        tally.equivalent += 1;
                    }
                    Claim::Duplicate(of) => {
                        self.attack(stage.name(), &Proof::default(), *of, mutant, tally);
                        tally.duplicate += 1;
                    }
                    Claim::Open(_) => {}
                }
            }
        }
    }

    /// A kill shows on the interpreter, and both runs are the machine's.
    fn replay(&self, stage: &str, mutant: Mutant, input: &Input) {
        let program = &self.loaded.unit.program;
        let seen = replay(program, self.subject.function, input, &[mutant], self.limits);
        let shows = !seen.killed.is_empty() || !seen.slow.is_empty();
        assert!(shows, "{}: {stage} says that it kills, but nothing differs", self.context(mutant, input));
        self.agree(Mutant::ORIGINAL, input);
        self.agree(mutant, input);
    }

    /// Two that are said to do the same do so: on the interpreter, and on the machine.
    fn attack(&self, stage: &str, proof: &Proof, first: Mutant, other: Mutant, tally: &mut Tally) {
        for (at, input) in self.inputs.iter().enumerate() {
            if !matches!(self.run(Mutant::ORIGINAL, input), Outcome::Returned(_)) {
                continue;
            }
            let (one, two) = (self.run(first, input), self.run(other, input));
            let mut differ = match (&one, &two) {
                (Outcome::Returned(_), _) => outcomes_differ(&one, &two),
                // Of two mutants that do the same, one may take longer.
                (Outcome::OutOfFuel | Outcome::Unsupported(..), _) => false,
                (_, Outcome::OutOfFuel | Outcome::Unsupported(..)) => false,
                (one, two) => one != two,
            };
            let mut seen = format!("{one:?}, {two:?}");
            if !differ && at < self.effort.native {
                let (one, two) = (self.run_natively(first, input), self.run_natively(other, input));
                differ = match (&one, &two) {
                    (ProcessEnd::Returned(one), ProcessEnd::Returned(two)) => one.differs(two),
                    (ProcessEnd::Returned(_), ProcessEnd::Trapped(_) | ProcessEnd::Signal(_)) => true,
                    _ => false,
                };
                seen = format!("on the machine {one:?}, {two:?}");
            }
            if differ && self.is_beyond(proof, other, input) {
                tally.beyond += 1;
                continue;
            }
            assert!(
                !differ,
                "{}: {stage} says that it does what {} does ({}; {:?}), but: {seen}",
                self.context(other, input),
                first.0,
                proof.method,
                proof.granted
            );
        }
    }

    /// Whether an input leads further than a proof looks that counts rounds.
    fn is_beyond(&self, proof: &Proof, mutant: Mutant, input: &Input) -> bool {
        if proof.granted.rounds.is_none() {
            return false;
        }
        let program = &self.loaded.unit.program;
        let (plan, mut terms, mut names) = (Plan::new(program), Terms::new(), Names::default());
        let function = self.subject.function;
        let skeleton = Skeleton::new(program, function, self.space, &mut terms);
        let Some(assignment) = skeleton.assignment(&terms, input) else { return false };
        let mut is_cut = |mutant, iterations| {
            let bounds = Bounds { iterations, blocks: BOUNDED_BLOCKS };
            let request = Request { inputs: &skeleton, mutant, bounds };
            let encoding = plan.encode(&mut terms, &mut names, request);
            terms.eval(encoding.cut, &assignment) == Word::truth(true)
        };
        let bound = self.effort.bound;
        is_cut(Mutant::ORIGINAL, bound) || is_cut(mutant, bound + LEAD)
    }

    fn name(&self) -> &str {
        &self.loaded.unit.program.function(self.subject.function).name
    }

    /// What failed, and on what.
    fn context(&self, mutant: Mutant, input: &Input) -> String {
        let change = (mutant.0 as usize).checked_sub(1).and_then(|at| self.loaded.unit.changes.get(at));
        let change = change.map_or("the original".to_string(), |change| {
            let at = change.span.start;
            let (number, original) = (mutant.0, &change.original);
            format!("mutant {number} (line {}: {original} -> {})", at.line, change.replacement())
        });
        format!("{}, {change}, on {input:?}", self.name())
    }
}
