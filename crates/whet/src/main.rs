//! Whet's command line: flags, progress, files and exit codes. What is decided, is decided elsewhere.

mod cli;
mod config;
mod flags;
mod judges;
mod progress;
mod reports;
mod run;
mod select;
mod settings;
mod show;
mod spaces;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use cli::Command;
use config::{Failure, Invocation};

/// Documented in `whet --help` and in the README.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Settled = 0,
    CouldNotRun = 1,
    Open = 3,
    Bug = 70,
}

fn main() -> ExitCode {
    // Our own bug must not look like the user's: one sentence, and a code that says so.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("whet: this is a bug in Whet: {panic}");
        eprintln!("whet: please report it, with the C file if you can share it.");
    }));
    match std::panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(exit)) => code(exit),
        Ok(Err(error)) => {
            eprintln!("whet: {error:#}");
            code(Exit::CouldNotRun)
        }
        Err(_) => code(Exit::Bug),
    }
}

fn work() -> anyhow::Result<Exit> {
    match config::invocation(std::env::args_os().collect()) {
        Ok(invocation) => dispatch(invocation),
        Err(Failure::Usage(error)) => {
            let _ = error.print();
            Ok(if error.use_stderr() { Exit::CouldNotRun } else { Exit::Settled })
        }
        Err(Failure::Mistake(error)) => Err(error),
    }
}

fn dispatch(invocation: Invocation) -> anyhow::Result<Exit> {
    match invocation.arguments.command {
        Command::Run(run) => run::run(&run),
        Command::List(list) => show::list(&list),
        Command::Show(show) => show::show(&show),
        Command::Meta(meta) => show::meta(&meta),
        Command::Operators => show::operators(),
        Command::Config(config) if config.schema => show::print(settings::schema(&cli::command()).as_bytes()),
        Command::Config(_) => show::print(invocation.in_force.report().as_bytes()),
    }
}

fn code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}
