//! The native build: the meta-mutant as machine code, to run what the interpreter ran.
//!
//! One build serves all runs. The defined meta-mutant, with a wrapper for each function,
//! is compiled in this process and linked to a shared library. A small server
//! ([replay.c](../src/native/replay.c)), which was compiled with Whet, loads it. Each
//! request runs in a process of its own, so nothing that a mutant does hurts the next one.
//!
//! A request has the whole input, laid out in bytes at the addresses where it will be.
//! An answer has the bytes that a caller could look at afterwards. [`ir::observe`]
//! reads them, as it does for the interpreter, so the two can be compared. But no code
//! of ours decides what the machine does with them, and the C library is the system's.
//!
//! Not every stray access ends a run. Those that must not be missed run once more, in
//! a second build with one of clang's sanitizers. It is made when it is first needed.
//!
//! A recursion with large frames may use up the stack before its fuel. Then the system ends it with a signal.

mod addresses;
mod bounds;
mod hunt;
pub(crate) mod machine;
mod outside;
mod report;
mod request;
mod server;
mod table;
mod watch;

use std::sync::{Arc, Mutex, MutexGuard};

use ir::{FunctionId, Input, Mutant, Observation, Program};

use crate::define::Trap;
use crate::{Error, Unit};
use addresses::Addresses;
pub use hunt::Hunt;
use machine::Purpose;
use outside::CallSite;
use request::{Request, Run};
use server::{Answer, Server};

/// The server, as an executable; the build script made it.
const SERVER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/replay"));

/// What a run of the machine code came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProcessEnd {
    Returned(Arc<Observation>),
    /// It did what the machine cannot do, or what cannot be reached.
    Trapped(Trap),
    OutOfFuel,
    /// The system ended it.
    Signal(i32),
    /// It had fuel, but took longer than the outer guard allows.
    GuardFired,
    /// It left by itself, as `exit` does, with this status.
    Exited(i32),
}

/// A tool that ends a run at errors which the machine alone would not notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SanitisedBuild {
    /// Accesses outside of objects, or after their end of life; and, as a trap, indexes outside of arrays.
    Address,
    /// Reads of what was never assigned, as soon as something depends on them.
    Memory,
}

/// What a sanitizer says of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sanitised {
    /// The run returned, and there was nothing to say.
    Clean,
    /// It found an error, which it calls so, such as `heap-buffer-overflow`.
    Reported(String),
    /// The run ended in another way, and not by returning.
    Ended(ProcessEnd),
}

/// A native build, ready to run.
pub struct Native {
    program: Program,
    /// The meta-mutant, for those builds that are made later.
    meta: String,
    plain: Mutex<Build>,
    address: Mutex<Option<Build>>,
    memory: Mutex<Option<Build>>,
}

struct Build {
    server: Server,
    addresses: Addresses,
    sites: Vec<CallSite>,
}

impl Native {
    pub fn build(unit: &Unit) -> Result<Native, Error> {
        let plain = Mutex::new(Build::new(&unit.meta, &unit.program, None)?);
        let (program, meta) = (unit.program.clone(), unit.meta.clone());
        Ok(Native { program, meta, plain, address: Mutex::new(None), memory: Mutex::new(None) })
    }

    /// Runs a function as the original or as a mutant.
    pub fn run(
        &self,
        function: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
    ) -> Result<ProcessEnd, Error> {
        let run = Run { program: &self.program, function, mutant, input, fuel };
        let mut build = lock(&self.plain);
        let request = Request::new(&run, &build.addresses, None);
        let died = |what: &str| Error::NativeDied(what.to_string());
        match build.server.ask(&request.bytes).map_err(|error| died(&error.to_string()))? {
            Answer::Returned { result, told } => {
                let seen = report::observation(&run, &request, &build.addresses, &build.sites, result, &told);
                let seen = seen.ok_or_else(|| died("its report makes no sense"))?;
                Ok(ProcessEnd::Returned(Arc::new(seen)))
            }
            Answer::Reported(_) => Err(died("it has no sanitizer")),
            Answer::Ended(outcome) => Ok(outcome),
        }
    }

    /// Runs a function under a sanitizer.
    pub fn run_sanitised(
        &self,
        function: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
        sanitiser: SanitisedBuild,
    ) -> Result<Sanitised, Error> {
        let run = Run { program: &self.program, function, mutant, input, fuel };
        let mut build = lock(match sanitiser {
            SanitisedBuild::Address => &self.address,
            SanitisedBuild::Memory => &self.memory,
        });
        let build = match &mut *build {
            Some(build) => build,
            missing => missing.insert(Build::new(&self.meta, &self.program, Some(sanitiser))?),
        };
        let request = Request::new(&run, &build.addresses, Some(sanitiser));
        let answer =
            build.server.ask(&request.bytes).map_err(|error| Error::NativeDied(error.to_string()))?;
        Ok(match answer {
            Answer::Returned { .. } => Sanitised::Clean,
            Answer::Reported(what) => Sanitised::Reported(what),
            Answer::Ended(outcome) => Sanitised::Ended(outcome),
        })
    }
}

impl Build {
    fn new(meta: &str, program: &Program, sanitiser: Option<SanitisedBuild>) -> Result<Build, Error> {
        let folder = tempfile::tempdir().map_err(Error::Temporary)?;
        let purpose = sanitiser.map_or(Purpose::Replay, Purpose::Sanitised);
        let (library, sites) = machine::build(meta, program, purpose, folder.path())?;
        let executable = folder.path().join("replay");
        server::executable(&executable, sanitiser.map_or(SERVER, SanitisedBuild::server))
            .map_err(Error::Temporary)?;
        let server = Server::start(&executable, &library)
            .map_err(|source| Error::CannotRun { program: "replay".to_string(), source })?;
        let addresses = Addresses::new(&server.introduction, program)
            .ok_or_else(|| Error::Internal("the server has another program".to_string()))?;
        // The server has all it needs in memory, and whoever stops us now leaves nothing behind.
        Ok(Build { server, addresses, sites })
    }
}

impl SanitisedBuild {
    fn server(self) -> &'static [u8] {
        match self {
            SanitisedBuild::Address => include_bytes!(concat!(env!("OUT_DIR"), "/replay-address")),
            SanitisedBuild::Memory => include_bytes!(concat!(env!("OUT_DIR"), "/replay-memory")),
        }
    }

    /// LLVM's name for a function that is to be checked.
    fn attribute(self) -> &'static str {
        match self {
            SanitisedBuild::Address => "sanitize_address",
            SanitisedBuild::Memory => "sanitize_memory",
        }
    }

    /// No optimisation before the checks: it would remove reads that nobody needs, right or wrong.
    fn passes(self) -> &'static str {
        match self {
            SanitisedBuild::Address => "always-inline,asan",
            SanitisedBuild::Memory => "always-inline,msan",
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
