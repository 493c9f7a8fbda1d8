//! A process that may fail, abort or hang, and what it said.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};

pub(crate) struct Ended {
    /// None: a signal, or us.
    pub code: Option<i32>,
    /// It was stopped, because it took too long.
    pub stopped: bool,
    /// Both of its outputs.
    pub said: String,
}

/// Waits for a process, but only so long.
pub(crate) fn run(command: &mut Command, patience: Duration) -> Result<Ended> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .with_context(|| format!("{command:?} does not start"))?;
    let readers = [reader(child.stdout.take()), reader(child.stderr.take())];
    let stopped = loop {
        if child.try_wait()?.is_some() {
            break false;
        }
        if started.elapsed() > patience {
            stop(&child);
            break true;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let code = wait(&mut child)?;
    let said = readers.map(|reader| reader.join().unwrap_or_default()).concat();
    Ok(Ended { code, stopped, said })
}

/// Stops a process and all that it has started: whatever is left would keep its outputs open.
fn stop(child: &Child) {
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn wait(child: &mut Child) -> Result<Option<i32>> {
    Ok(child.wait()?.code())
}

/// Reads on the side: a full pipe would stop the process.
fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is worth having.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
