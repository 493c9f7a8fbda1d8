//! The tests as a server: a process that stops before its first constructor,
//! and makes a copy of itself for each mutant.
//!
//! Starting a program takes five times as long as copying its process, and most tests are
//! short. A copy is as fresh as a new process: nothing of the tests, of the file
//! under test or of a library has run in it. The other half is `llvm/src/tested.c`.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ir::Mutant;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

/// The value of WHET_MUTANT in a server. In each copy, the number from the request is written over it.
const SERVE: &str = "??????????";

/// How often somebody looks whether it is over.
const LOOK: Duration = Duration::from_millis(100);

/// Says that there is no time left.
pub(crate) type IsOver<'a> = dyn Fn() -> bool + Sync + 'a;

/// Asks for all tests.
const ALL: u64 = 0;

/// FNV-1a, as in `tested.c`: names a test in a request.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// An answer: the tests ended, and passed.
const PASSED: i32 = 1;

pub(crate) struct Server {
    process: Child,
    requests: ChildStdin,
    answers: ChildStdout,
}

impl Server {
    /// Starts a server. `tests` is the command that would run the tests on one mutant.
    pub(crate) fn start(mut tests: Command) -> Result<Server> {
        tests.env("WHET_MUTANT", SERVE).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = tests.spawn()?;
        let requests = process.stdin.take().expect("it is piped");
        let answers = process.stdout.take().expect("it is piped");
        Ok(Server { process, requests, answers })
    }

    /// Whether all tests pass on a mutant, or the one that is named. Tests that take longer than the limit
    /// fail. If `is_over` says so meanwhile, the answer means nothing. After an error, the server is of no
    /// more use.
    pub(crate) fn passes(
        &mut self,
        mutant: Mutant,
        test: Option<&str>,
        limit: Duration,
        is_over: &IsOver,
    ) -> Result<bool> {
        let mut request = mutant.0.to_string().into_bytes();
        request.resize(SERVE.len() + 1, 0);
        request.extend(test.map_or(ALL, hash).to_ne_bytes());
        self.requests.write_all(&request)?;
        let tests = Pid::from_raw(self.answer(limit, &|| false)?).ok_or(ErrorKind::InvalidData)?;
        let answer = self.answer(limit, is_over).or_else(|_| {
            // Now the server will say how they ended, unless it is gone.
            let _ = kill_process_group(tests, Signal::KILL);
            self.answer(limit, &|| false)
        });
        Ok(answer? == PASSED)
    }

    fn answer(&mut self, limit: Duration, is_over: &IsOver) -> Result<i32> {
        let began = Instant::now();
        let look = Timespec::try_from(LOOK).map_err(|_| ErrorKind::InvalidInput)?;
        let mut answers = [PollFd::new(&self.answers, PollFlags::IN)];
        while rustix::io::retry_on_intr(|| poll(&mut answers, Some(&look)))? == 0 {
            if began.elapsed() > limit || is_over() {
                return Err(Error::from(ErrorKind::TimedOut));
            }
        }
        let mut answer = [0; 4];
        self.answers.read_exact(&mut answer)?;
        Ok(i32::from_ne_bytes(answer))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
