//! Running clang: from a C file to the module that everything starts with.
//!
//! The module is what `-O0` writes. So each read of a variable is still a load, and each operation still has
//! the line and column of its token. Names of values are kept, because they are the names of C's variables.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use source::Position;

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

/// Comes after the flags of the user: sanitizers of theirs would make other
/// code of the program than what is to be mutated, and want more address space
/// than a test may have. Where a sanitizer is needed, there are builds of ours.
pub(crate) const UNSANITISED: &str = "-fno-sanitize=all";

/// For texts of ours: clang names all that it does not like, each with its
/// place in the text that it reads ([`complaints`]).
const COMPLAINING: [&str; 7] = [
    "-ferror-limit=0",
    "-fdiagnostics-format=clang",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-Xclang",
    "-fno-diagnostics-use-presumed-location",
    // What we put in goes around the user's own text, however long that is.
    "-fbracket-depth=100000",
];

/// The places of the errors in what clang has to say about texts of ours.
pub(crate) fn complaints(message: &str) -> impl Iterator<Item = (&Path, Position)> {
    message.lines().filter_map(|line| {
        let place = [": error: ", ": fatal error: "].iter().find_map(|error| line.split_once(error))?.0;
        let mut parts = place.rsplitn(3, ':');
        let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some((Path::new(parts.next()?), Position { line, column }))
    })
}

/// Whether a flag makes an error of what compilers put up with. The user's own text has passed it by the
/// time that we add to it, and our text need not: it has more numbers than C89, and declares nothing twice.
fn is_strict(flag: &str) -> bool {
    flag.starts_with("-Werror") || ["-pedantic-errors", "--pedantic-errors", "-Wfatal-errors"].contains(&flag)
}

/// The flags for tests that we have written: they use more of the language than the oldest programs.
pub fn without_old_dialects(flags: &[String]) -> Vec<String> {
    const OLD: [&str; 6] =
        ["-ansi", "-std=c89", "-std=c90", "-std=gnu89", "-std=iso9899:1990", "-std=iso9899:199409"];
    flags.iter().filter(|flag| !OLD.contains(&flag.as_str())).cloned().collect()
}

/// The flags that tests are built with. They have a `main` of their own, whatever the program calls its.
pub(crate) fn for_tests(flags: &[String]) -> Vec<&str> {
    let is_main = |definition: &str| definition == "main" || definition.starts_with("main=");
    let mut kept = Vec::new();
    let mut flags = flags.iter().map(String::as_str).peekable();
    while let Some(flag) = flags.next() {
        if flag == "-D" && flags.next_if(|definition| is_main(definition)).is_some() {
            continue;
        }
        if !is_strict(flag) && !flag.strip_prefix("-D").is_some_and(is_main) {
            kept.push(flag);
        }
    }
    kept
}

/// What to compile, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    pub file: &'a Path,
    pub flags: &'a [String],
    pub overflow: Overflow,
}

/// The program to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clang {
    pub program: OsString,
}

impl Default for Clang {
    /// As Debian and others name it.
    fn default() -> Clang {
        Clang { program: "clang-19".into() }
    }
}

impl Clang {
    /// Clang as it is named where there is but one, if that one is version 19.
    fn plain() -> Option<Clang> {
        let output = Command::new("clang").arg("-dumpversion").stdin(Stdio::null()).output().ok()?;
        output.stdout.starts_with(b"19.").then(|| Clang { program: "clang".into() })
    }

    /// Does something with the clang that was chosen, or else with the one that is there; and says which.
    pub(crate) fn find<T>(
        chosen: Option<&Clang>,
        work: impl Fn(&Clang) -> Result<T, Error>,
    ) -> Result<(Clang, T), Error> {
        let clang = chosen.cloned().unwrap_or_default();
        match (work(&clang), chosen) {
            (Err(missing @ Error::NoClang { .. }), None) => {
                let clang = Clang::plain().ok_or(missing)?;
                let done = work(&clang)?;
                Ok((clang, done))
            }
            (done, _) => Ok((clang, done?)),
        }
    }

    /// The module in LLVM's bitcode.
    pub(crate) fn compile(&self, job: &Job) -> Result<Vec<u8>, Error> {
        self.run(job, job.flags, &[])
    }

    /// The module of other texts in place of the files', which keep their names,
    /// their folders and their lines. Something comes before the first line.
    pub(crate) fn compile_with(
        &self,
        job: &Job,
        texts: &[(&Path, &[u8])],
        preface: &str,
    ) -> Result<Vec<u8>, Error> {
        let mut before = tempfile::Builder::new().suffix(".h").tempfile().map_err(Error::Temporary)?;
        before.write_all(preface.as_bytes()).map_err(Error::Temporary)?;
        let mut flags: Vec<OsString> = vec!["-include".into(), before.path().into()];
        // Until clang is done.
        let mut written = Vec::new();
        for (path, text) in texts {
            let mut file = tempfile::NamedTempFile::new().map_err(Error::Temporary)?;
            file.write_all(text).map_err(Error::Temporary)?;
            flags.extend(["-Xclang", "-remap-file", "-Xclang"].map(OsString::from));
            flags.push([path.as_os_str(), OsStr::new(";"), file.path().as_os_str()].into_iter().collect());
            written.push(file);
        }
        flags.extend(COMPLAINING.map(OsString::from));
        let lenient: Vec<String> = job.flags.iter().filter(|flag| !is_strict(flag)).cloned().collect();
        self.run(job, &lenient, &flags)
    }

    fn run(&self, job: &Job, flags: &[String], further: &[OsString]) -> Result<Vec<u8>, Error> {
        let mut command = Command::new(&self.program);
        command.args(LENIENT).args(flags).args(["-w", "-x", "c", "-c", "-emit-llvm", "-o", "-"]);
        // After the user's flags: an `-O2` from a build system would leave nothing to mutate, and even at
        // `-O0` clang inlines what is marked so, unless it runs no passes at all. A product and a sum are two
        // operations on every machine, each rounded. If each literal is an object of its own at first, a
        // comparison of two is an instruction.
        command.args([
            "-O0",
            "-g",
            "-gcolumn-info",
            "-Xclang",
            "-disable-O0-optnone",
            "-Xclang",
            "-disable-llvm-passes",
            "-fno-discard-value-names",
            "-ffp-contract=off",
            "-fwritable-strings",
            UNSANITISED,
        ]);
        if job.overflow == Overflow::Wrap {
            command.arg("-fwrapv");
        }
        command.args(further).arg(job.file);
        with_deep_stack(&mut command);
        let output = run(&mut command)?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
            return Err(Error::DoesNotCompile { file: job.file.to_path_buf(), message });
        }
        Ok(output.stdout)
    }
}

/// Clang follows brackets with its stack, and we put in more of them than people write: three for
/// each link of a chain of `&&`. A chain of 4,000 takes 200 MB. What is not used costs nothing.
fn with_deep_stack(command: &mut Command) {
    const DEEP: u64 = 1 << 30;
    let deepen = || {
        let limit = getrlimit(Resource::Stack);
        if limit.current.is_some_and(|current| current < DEEP) {
            let current = limit.maximum.map_or(DEEP, |maximum| maximum.min(DEEP));
            // If it must not be deeper, most files do not need it.
            let _ = setrlimit(Resource::Stack, Rlimit { current: Some(current), ..limit });
        }
        Ok(())
    };
    // SAFETY: between the two halves of starting a process, only system calls are made.
    unsafe { command.pre_exec(deepen) };
}

pub(crate) fn run(command: &mut Command) -> Result<std::process::Output, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).output().map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::NoClang { program },
        _ => Error::CannotRun { program, source },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_places() {
        let message = "In file included from a.c:1:\na:b.c:3:17: error: no: 1:2\nnote\na.c:1:1: note: x\nc.h:4:5: fatal error: y\n2 errors";
        let found: Vec<String> =
            complaints(message).map(|(path, at)| format!("{} {at}", path.display())).collect();
        assert_eq!(found, ["a:b.c 3:17", "c.h 4:5"]);
    }

    #[test]
    fn tests_have_a_main_and_ours_a_language_of_their_own() {
        let check = |flags: &[&str], expect: &[&str]| {
            let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
            assert_eq!(for_tests(&without_old_dialects(&flags)), expect);
        };
        check(&["-Dmain=f", "-Dmainly", "-DN=2"], &["-Dmainly", "-DN=2"]);
        check(&["-D", "main=f", "-D", "N", "-I", "main"], &["-D", "N", "-I", "main"]);
        check(&["-std=c89", "-pedantic-errors", "-Werror=vla", "-Wall", "-std=c23"], &["-Wall", "-std=c23"]);
    }
}
