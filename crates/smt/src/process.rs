//! Another solver as a process: SMT-LIB in, an answer out.
//!
//! It gives second opinions on proofs, and answers questions that Bitwuzla does not understand (Horn
//! clauses). A process can be killed, so a solver that hangs or dies takes nothing of ours with it.
//!
//! This is the only place in the crate with a clock. The caller sets it, as a
//! guard: an answer of another solver is worth having, but not worth waiting for.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use bv::{Stop, Term, Terms, Variable, Word, smtlib};
use rustc_hash::FxHashMap;

use crate::model::mentioned;
use crate::reply::{declared, short, values};
use crate::{Answer, Model, SmtError};

/// How to start a solver that reads SMT-LIB from its standard input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    pub program: String,
    pub args: Vec<String>,
}

/// What a solver says about a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    Sat,
    Unsat,
    Unknown,
}

/// Solvers that give a second opinion on bit-vectors, the preferred one first.
const OTHERS: &[(&str, &[&str])] =
    &[("z3", &["-in"]), ("cvc5", &["--lang=smt2"]), ("yices-smt2", &[]), ("boolector", &["--smt2"])];

/// Z3 always has models; others must be told, and before anything else.
const MODELS: &str = "(set-option :produce-models true)\n";

/// How often to look whether anybody still waits for an answer.
const LOOK: Duration = Duration::from_millis(20);

/// Another solver than Bitwuzla, if the system has one.
pub fn second_opinion() -> Option<Process> {
    let installed = |program: &str| {
        let mut version = Command::new(program);
        version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok()
    };
    OTHERS.iter().find(|(program, _)| installed(program)).map(|(program, args)| Process::new(program, args))
}

impl Process {
    pub fn new(program: &str, args: &[&str]) -> Process {
        Process { program: program.into(), args: args.iter().map(|arg| arg.to_string()).collect() }
    }

    /// Can all assumptions, which are truth values, be true at once?
    pub fn check(&self, terms: &Terms, assumptions: &[Term], guard: Duration) -> Result<Answer, SmtError> {
        let mut script = smtlib::script(terms, assumptions);
        let variables = mentioned(terms, assumptions);
        // The script declares what it uses, in the order of the variables, and then bits of floats.
        let symbols: Vec<String> =
            declared(&script).into_iter().take(variables.len()).map(String::from).collect();
        if !symbols.is_empty() {
            // After unsat this is an error, which comes behind the answer and harms nobody.
            script = format!("{MODELS}{script}(get-value ({}))\n", symbols.join(" "));
        }
        let output = self.run(&script, guard, &Stop::default())?;
        let (reply, rest) = self.reply(&output)?;
        match reply {
            Reply::Unsat => return Ok(Answer::Unsat),
            Reply::Unknown => return Ok(Answer::Unknown),
            Reply::Sat => {}
        }
        let words = values(rest, symbols.len()).ok_or_else(|| self.garbage(rest))?;
        assert_eq!(variables.len(), words.len(), "a script declares the variables that its terms mention");
        let found: FxHashMap<Variable, Word> = variables.into_iter().zip(words).collect();
        let fits = |(variable, word): (&Variable, &Word)| terms.variable_width(*variable) == word.width();
        if !found.iter().all(fits) {
            return Err(self.garbage(rest));
        }
        Model::checked(terms, assumptions, &self.program, |variable| found.get(&variable).copied())
            .map(Answer::Sat)
    }

    /// What the solver says to a complete script with one `(check-sat)`.
    pub fn ask(&self, script: &str, guard: Duration) -> Result<Reply, SmtError> {
        self.ask_until(script, guard, &Stop::default())
    }

    /// The same, as long as nobody stops it.
    pub fn ask_until(&self, script: &str, guard: Duration, stop: &Stop) -> Result<Reply, SmtError> {
        let output = self.run(script, guard, stop)?;
        Ok(self.reply(&output)?.0)
    }

    /// The first line must be the answer: an error before it means that the solver went on
    /// without a part of the script, and what it says then is worth nothing.
    fn reply<'o>(&self, output: &'o str) -> Result<(Reply, &'o str), SmtError> {
        let (line, rest) = output.trim_start().split_once('\n').unwrap_or((output, ""));
        let reply = match line.trim() {
            "sat" => Reply::Sat,
            "unsat" => Reply::Unsat,
            "unknown" => Reply::Unknown,
            _ => return Err(self.garbage(output)),
        };
        Ok((reply, rest))
    }

    /// All that the solver writes for this script.
    fn run(&self, script: &str, guard: Duration, stop: &Stop) -> Result<String, SmtError> {
        // tidy: clock as a guard
        let deadline = Instant::now() + guard;
        let mut child = Command::new(&self.program)
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| SmtError::NotFound { program: self.program.clone(), source })?;

        let mut stdin = child.stdin.take().expect("asked for above");
        let script = script.to_owned();
        // A solver that stops reading has its reasons, and its output tells them.
        thread::spawn(move || stdin.write_all(script.as_bytes()));
        let stdout = reader(child.stdout.take().expect("asked for above"));
        let stderr = reader(child.stderr.take().expect("asked for above"));

        let wait = |receiver| wait(receiver, deadline, stop);
        let (Some(output), Some(complaint)) = (wait(&stdout), wait(&stderr)) else {
            end(child);
            let program = self.program.clone();
            return Err(match stop.is_set() {
                true => SmtError::Stopped { program },
                false => SmtError::TimedOut { program, guard },
            });
        };
        // It has closed both pipes, so it has ended or is about to.
        let status =
            child.wait().map_err(|source| SmtError::NotFound { program: self.program.clone(), source })?;
        if output.trim().is_empty() {
            return Err(SmtError::Died { program: self.program.clone(), status, message: short(&complaint) });
        }
        Ok(output)
    }

    fn garbage(&self, answer: &str) -> SmtError {
        SmtError::Garbage { program: self.program.clone(), answer: short(answer) }
    }
}

fn reader(mut pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // Nobody listens any more after a timeout.
        let _ =
            pipe.read_to_end(&mut bytes).map(|_| sender.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    receiver
}

/// None if nobody waits any longer.
fn wait(receiver: &Receiver<String>, deadline: Instant, stop: &Stop) -> Option<String> {
    loop {
        // tidy: clock as a guard
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(LOOK)) {
            Ok(text) => return Some(text),
            Err(RecvTimeoutError::Disconnected) => return Some(String::new()),
            Err(RecvTimeoutError::Timeout) if left.is_zero() || stop.is_set() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn end(mut child: Child) {
    // It may have ended by itself in the meantime, and then there is nothing to kill.
    let _ = child.kill();
    let _ = child.wait();
}
