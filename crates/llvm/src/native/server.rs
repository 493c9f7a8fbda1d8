//! Servers: the processes that run machine code, and the bytes that go back and forth.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::ProcessEnd;
use crate::define::Trap;

/// How often to try to start the server while the system thinks that somebody still writes it.
const STARTS: u32 = 100;

/// A process that is asked and answers: a length, and so many bytes.
pub(super) struct Pipe {
    child: Child,
    requests: ChildStdin,
    answers: ChildStdout,
}

pub(super) struct Server {
    pipe: Pipe,
    /// Where things are in its memory, as it says itself: the numbers of its first answer.
    pub introduction: Vec<u64>,
}

/// What a run came to.
pub(super) enum Answer {
    Returned {
        /// As it would lie in memory.
        result: [u8; 16],
        told: Vec<u8>,
    },
    /// A sanitizer ended it, with these words.
    Reported(String),
    /// Never [`ProcessEnd::Returned`].
    Ended(ProcessEnd),
}

impl Pipe {
    /// Starts a server with a library to run.
    pub(super) fn start(program: &Path, library: &Path) -> std::io::Result<Pipe> {
        let mut command = Command::new(program);
        // Ctrl-C is for us: what is settled by then is still written down, and that may need the server.
        command.process_group(0);
        command.arg(library).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A process that another thread starts at this moment holds our files open until it runs.
        let mut child = command.spawn();
        for _ in 0..STARTS {
            if !matches!(&child, Err(error) if error.kind() == ErrorKind::ExecutableFileBusy) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            child = command.spawn();
        }
        let mut child = child?;
        let requests = child.stdin.take().expect("it is piped");
        let answers = child.stdout.take().expect("it is piped");
        Ok(Pipe { child, requests, answers })
    }

    /// What it says of itself, before it is asked.
    pub(super) fn introduction(&mut self) -> std::io::Result<Vec<u64>> {
        Ok(self.receive()?.chunks_exact(8).map(number).collect())
    }

    /// Sends a request, which begins with its length, and waits for the answer.
    pub(super) fn ask(&mut self, request: &[u8]) -> std::io::Result<Vec<u8>> {
        self.requests.write_all(request)?;
        self.receive()
    }

    fn receive(&mut self) -> std::io::Result<Vec<u8>> {
        let mut length = [0; 8];
        self.answers.read_exact(&mut length)?;
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        self.answers.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Server {
    pub(super) fn start(program: &Path, library: &Path) -> std::io::Result<Server> {
        let mut pipe = Pipe::start(program, library)?;
        let introduction = pipe.introduction()?;
        Ok(Server { pipe, introduction })
    }

    pub(super) fn ask(&mut self, request: &[u8]) -> std::io::Result<Answer> {
        read(&self.pipe.ask(request)?).ok_or_else(|| std::io::Error::other("it answers something else"))
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn executable(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).mode(0o700).open(path)?.write_all(bytes)
}

/// An answer as replay.c writes it: the state, a code, a gap, the result, and what the run told.
fn read(answer: &[u8]) -> Option<Answer> {
    let (head, told) = answer.split_at_checked(40)?;
    let (state, code) = (number(&head[..8]), number(&head[8..16]));
    Some(match state {
        1 => {
            let result = head[24..40].try_into().expect("the lengths are the same");
            Answer::Returned { result, told: told.to_vec() }
        }
        2 => Answer::Ended(match Trap::from_code(code)? {
            Trap::OutOfFuel => ProcessEnd::OutOfFuel,
            trap => ProcessEnd::Trapped(trap),
        }),
        3 => Answer::Reported(headline(&String::from_utf8_lossy(told))),
        4 => Answer::Ended(ProcessEnd::Signal(code as i32)),
        5 => Answer::Ended(ProcessEnd::GuardFired),
        6 => Answer::Ended(ProcessEnd::Exited(code as i32)),
        _ => return None,
    })
}

/// What a sanitizer calls the error: the words after its own name, up to the address.
fn headline(report: &str) -> String {
    let line =
        report.lines().find_map(|line| line.split_once("Sanitizer: ")).map_or("error", |(_, what)| what);
    let end = [" on ", " (", ": "].iter().filter_map(|stop| line.find(stop)).min();
    line[..end.unwrap_or(line.len())].to_string()
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("a number has eight bytes"))
}
