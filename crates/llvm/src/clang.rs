//! Running clang: from a C file to the module that everything starts with.
//!
//! The module is what `-O0` writes, so that each read of a variable is still a load, and each
//! operation still stands on the line and column of its token. Names of values are kept, because
//! they are the names of C's variables.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Error;

/// What C says about signed overflow in the original.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    /// The input is invalid: the C standard.
    #[default]
    Undefined,
    /// It wraps around, as with `-fwrapv`.
    Wrap,
}

/// Sources of another age declare neither functions nor `int`. Clang 16 made that an error,
/// compilers before it did not mind, and we need not either. Flags of the user come after these.
pub(crate) const LENIENT: &[&str] = &[
    "-Wno-error=implicit-int",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
];

/// The module in LLVM's bitcode.
pub(crate) fn compile(file: &Path, flags: &[String], overflow: Overflow) -> Result<Vec<u8>, Error> {
    let mut command = command()?;
    command.args(LENIENT).args(flags).args(["-w", "-x", "c", "-c", "-emit-llvm", "-o", "-"]);
    // After the user's flags: an `-O2` from a build system would leave nothing to mutate.
    command.args([
        "-O0",
        "-g",
        "-gcolumn-info",
        "-Xclang",
        "-disable-O0-optnone",
        "-fno-discard-value-names",
    ]);
    if overflow == Overflow::Wrap {
        command.arg("-fwrapv");
    }
    command.arg(file);
    let output = run(&mut command)?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
        return Err(Error::DoesNotCompile { file: file.to_path_buf(), message });
    }
    Ok(output.stdout)
}

/// A command that starts clang 19.
pub(crate) fn command() -> Result<Command, Error> {
    if let Some(program) = std::env::var_os("WHET_CLANG") {
        return Ok(Command::new(program));
    }
    // To ask for the version takes as long as to compile a small file, and this name says it.
    if is_installed("clang-19") {
        return Ok(Command::new("clang-19"));
    }
    if major_version("clang").as_deref() == Some("19") {
        return Ok(Command::new("clang"));
    }
    Err(Error::NoClang)
}

pub(crate) fn run(command: &mut Command) -> Result<std::process::Output, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).output().map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::NoClang,
        _ => Error::CannotRun { program, source },
    })
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn major_version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("-dumpversion").stdin(Stdio::null()).output().ok()?;
    let version = String::from_utf8_lossy(&output.stdout);
    version.split('.').next().map(str::to_string)
}
