//! What the checker and the stages may ask: the native build, the optimiser, and another solver.
//!
//! `settle` and `stages` know none of them. They define traits, and the types here implement these.

use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context;
use bv::Stop;
use ir::{Batch, FunctionId, Input, Mutant, SameCode, Sighting};
use rustix::process::Signal;
use settle::{NativeOutcome, Sanitiser};

use crate::guard;

/// How long another solver may take for one obligation. Only a solver that hangs takes so long.
const SECOND_OPINION: Duration = Duration::from_secs(60);

/// The native build, as the checker sees it. It is made when it is first needed: if the store knows all
/// verdicts, it never is.
pub(crate) struct Machine<'a> {
    unit: &'a llvm::Unit,
    native: OnceLock<Result<llvm::Native, String>>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(unit: &'a llvm::Unit) -> Machine<'a> {
        Machine { unit, native: OnceLock::new() }
    }

    /// Makes the build now.
    pub(crate) fn build(&self) -> Result<(), llvm::Error> {
        if self.native.get().is_none() {
            let _ = self.native.set(Ok(llvm::Native::build(self.unit)?));
        }
        Ok(())
    }

    fn native(&self) -> Result<&llvm::Native, String> {
        let build = || llvm::Native::build(self.unit).map_err(|error| error.to_string());
        self.native.get_or_init(build).as_ref().map_err(String::clone)
    }
}

impl settle::Native for Machine<'_> {
    fn run(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
    ) -> Result<NativeOutcome, String> {
        match self.native()?.run(subject, mutant, input, fuel) {
            Ok(llvm::ProcessEnd::Returned(seen)) => Ok(NativeOutcome::Returned(seen)),
            // A run that prints or allocates more than allowed has not ended either.
            Ok(llvm::ProcessEnd::GuardFired | llvm::ProcessEnd::Trapped(llvm::Trap::Unsupported)) => {
                Ok(NativeOutcome::GaveUp)
            }
            // The program does not do this to itself: the system had no room.
            Ok(llvm::ProcessEnd::Signal(signal)) if signal == Signal::KILL.as_raw() => {
                Ok(NativeOutcome::GaveUp)
            }
            Ok(llvm::ProcessEnd::OutOfFuel) => Ok(NativeOutcome::OutOfFuel),
            Ok(_) => Ok(NativeOutcome::Trapped),
            Err(error) => Err(error.to_string()),
        }
    }

    fn sanitised(
        &self,
        sanitiser: Sanitiser,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
    ) -> Result<Option<Sanitiser>, String> {
        use llvm::{ProcessEnd::Trapped, Sanitised, Trap};
        let (build, reporter) = match sanitiser {
            Sanitiser::Address | Sanitiser::Undefined => (llvm::SanitisedBuild::Address, Sanitiser::Address),
            Sanitiser::Memory => (llvm::SanitisedBuild::Memory, Sanitiser::Memory),
        };
        match self.native()?.run_sanitised(subject, mutant, input, fuel, build) {
            Ok(Sanitised::Reported(_)) => Ok(Some(reporter)),
            Ok(Sanitised::Ended(Trapped(Trap::Index | Trap::Unreachable | Trap::NoResult)))
                if build == llvm::SanitisedBuild::Address =>
            {
                Ok(Some(Sanitiser::Undefined))
            }
            // Another end, such as a loop that never ends, is not what was asked about.
            Ok(Sanitised::Clean | Sanitised::Ended(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Machine code that notes what it does, as the hunt sees it. It is made when it is first needed.
pub(crate) struct Hunter<'a> {
    unit: &'a llvm::Unit,
    hunt: OnceLock<Option<llvm::Hunt>>,
}

impl<'a> Hunter<'a> {
    pub(crate) fn new(unit: &'a llvm::Unit) -> Hunter<'a> {
        Hunter { unit, hunt: OnceLock::new() }
    }
}

impl stages::Runner for Hunter<'_> {
    fn run(&self, batch: &Batch) -> Option<Vec<Sighting>> {
        let build = || llvm::Hunt::build(self.unit).map_err(|bug| guard::tell(&bug)).ok();
        let hunt = self.hunt.get_or_init(build).as_ref()?;
        hunt.run(batch).map_err(|bug| guard::tell(&bug)).ok()
    }

    fn has(&self, mutant: Mutant) -> bool {
        mutant.0 as usize <= self.unit.changes.len()
    }
}

/// LLVM, as the stage that compares code sees it. The module is read when it is first needed.
pub(crate) struct Compiler<'a> {
    unit: &'a llvm::Unit,
    stop: Stop,
    optimiser: OnceLock<llvm::Optimiser<'a>>,
}

impl<'a> Compiler<'a> {
    /// Ends soon after it is stopped.
    pub(crate) fn new(unit: &'a llvm::Unit, stop: &Stop) -> Compiler<'a> {
        Compiler { unit, stop: stop.clone(), optimiser: OnceLock::new() }
    }
}

impl stages::Optimiser for Compiler<'_> {
    fn compare(&self, subject: FunctionId, groups: &[Vec<Mutant>]) -> Vec<SameCode> {
        let optimiser = self.optimiser.get_or_init(|| llvm::Optimiser::new(self.unit, &self.stop));
        optimiser.compare(subject, groups).unwrap_or_else(|bug| {
            guard::tell(&bug);
            vec![]
        })
    }
}

/// Another solver, as the checker sees it.
pub(crate) struct SecondSolver(smt::Process);

impl SecondSolver {
    /// One, if the user wants it. An error if there is none.
    pub(crate) fn wanted(double_check: bool) -> anyhow::Result<Option<SecondSolver>> {
        if !double_check {
            return Ok(None);
        }
        let found = smt::second_opinion().map(SecondSolver);
        Ok(Some(found.context("--double-check needs another solver on the PATH: install z3 or cvc5")?))
    }
}

impl settle::SecondOpinion for SecondSolver {
    fn confirms(&self, script: &str) -> Result<bool, String> {
        match self.0.ask(script, SECOND_OPINION) {
            Ok(smt::Reply::Unsat) => Ok(true),
            Ok(smt::Reply::Sat) => Ok(false),
            Ok(smt::Reply::Unknown) => Err("it answers unknown".to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}
