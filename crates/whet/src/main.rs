//! Whet's command line: flags, progress, files and exit codes. Verdicts are made in the other crates.
//!
//! `whet run` begins in `run.rs`, which lists the steps of a run by their names.

mod alarms;
mod alone;
mod cache;
mod callers;
mod cli;
mod compose;
mod config;
mod deadline;
mod diff;
mod export;
mod files;
mod flags;
mod guard;
mod imported;
mod machine;
mod name_list;
mod parametric;
mod plan;
mod progress;
mod publish;
mod reference;
mod reports;
mod run;
mod select;
mod server;
mod session;
mod settings;
mod show;
mod spaces;
mod special;
mod test_file;
mod trial;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use cli::{Command, Store};
use config::{Failure, Invocation};

/// Documented in `whet --help` and in the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Settled = 0,
    CouldNotRun = 1,
    /// The score is below the threshold.
    Below = 2,
    /// Some mutants are open or limited.
    Open = 3,
    /// The original fails tests, or does not do what the reference does.
    Baseline = 4,
    Bug = 70,
}

fn main() -> ExitCode {
    // From here on, this is a copy of the process that the user started. It may crash.
    guard::work_in_copies();
    std::panic::set_hook(Box::new(|panic| guard::tell(panic)));
    let exit = guarded(work);
    ExitCode::from(if guard::has_found_a_bug() { Exit::Bug } else { exit } as u8)
}

/// Does the work and prints the error, if there is one. A bug of ours gets another code than a mistake of the
/// user.
fn guarded(work: impl FnOnce() -> anyhow::Result<Exit>) -> Exit {
    match std::panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => {
            eprintln!("whet: {error:#}");
            match error.downcast_ref() {
                Some(llvm::Error::Internal(_)) => Exit::Bug,
                _ if error.is::<trial::Fails>() => Exit::Baseline,
                _ => Exit::CouldNotRun,
            }
        }
        Err(_) => Exit::Bug,
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
        Command::Run(run) => run::run(&run, cache::folder(invocation.in_force.file.as_deref())),
        Command::Diff(diff) => diff::diff(&diff),
        Command::List(list) => show::list(&list),
        Command::Show(show) => show::show(&show),
        Command::Meta(meta) => show::meta(&meta),
        Command::Operators => show::operators(),
        Command::Store(Store { action, .. }) => {
            show::store(action, &cache::folder(invocation.in_force.file.as_deref()))
        }
        Command::Completions(completions) => show::completions(completions.shell),
        Command::Man(man) => show::man(man.command.as_deref()),
        Command::Config(config) if config.schema => show::print(settings::schema(&cli::command()).as_bytes()),
        Command::Config(_) => show::print(invocation.in_force.report().as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_our_fault_has_a_code_of_its_own() {
        assert_eq!(guarded(|| panic!("as this test wants")), Exit::Bug);
        assert_eq!(
            guarded(|| Err(llvm::Error::Internal("as this test wants".to_string()).into())),
            Exit::Bug
        );
        assert_eq!(guarded(|| anyhow::bail!("as this test wants")), Exit::CouldNotRun);
        assert_eq!(guarded(|| Ok(Exit::Open)), Exit::Open);
    }
}
