//! Whet's command line: flags, progress, files and exit codes. What is decided, is decided elsewhere.

mod cli;
mod judges;
mod progress;
mod reports;
mod run;
mod show;
mod spaces;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::Parser;
use cli::{Arguments, Command};

/// Documented in `whet --help` and in the README.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Settled = 0,
    CouldNotRun = 1,
    Open = 3,
    Bug = 70,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return code(if error.use_stderr() { Exit::CouldNotRun } else { Exit::Settled });
        }
    };
    // Our own bug must not look like the user's: one sentence, and a code that says so.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("whet: this is a bug in Whet: {panic}");
        eprintln!("whet: please report it, with the C file if you can share it.");
    }));
    match std::panic::catch_unwind(AssertUnwindSafe(|| dispatch(arguments))) {
        Ok(Ok(exit)) => code(exit),
        Ok(Err(error)) => {
            eprintln!("whet: {error:#}");
            code(Exit::CouldNotRun)
        }
        Err(_) => code(Exit::Bug),
    }
}

fn dispatch(arguments: Arguments) -> anyhow::Result<Exit> {
    match arguments.command {
        Command::Run(run) => run::run(&run),
        Command::List(list) => show::list(&list),
        Command::Show(show) => show::show(&show),
        Command::Meta(meta) => show::meta(&meta),
        Command::Operators => show::operators(),
    }
}

fn code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}
