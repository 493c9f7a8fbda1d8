//! What can go wrong between a C file and its meta-mutant.

use std::io;
use std::path::PathBuf;

use crate::ast::AstError;

/// Why a file cannot be loaded or built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {}", file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    #[error(
        "there is no `{program}`: install clang 19 (the package `clang-19`), or set WHET_CLANG to the path of your clang 19"
    )]
    NoClang { program: String },
    #[error("cannot run `{program}`")]
    CannotRun { program: String, source: io::Error },
    /// With clang's own words.
    #[error("{} does not compile:\n{message}", file.display())]
    DoesNotCompile { file: PathBuf, message: String },
    /// With the compiler's own words.
    #[error(
        "the tests do not build with the file under test:\n{message}\n\
         Give `--with-tests` every file that the tests need, except the file under test. \
         The tests must not include the file under test either. Flags such as -I and -l go after `--`."
    )]
    TestsDoNotBuild { message: String },
    #[error("there is no function `{name}` in {}; it defines {}", file.display(), listed(known))]
    UnknownFunction { name: String, file: PathBuf, known: Vec<String> },
    #[error(transparent)]
    Ast(#[from] AstError),
    #[error("the native build failed:\n{0}")]
    NativeBuild(String),
    #[error("the native build stopped answering: {0}")]
    NativeDied(String),
    #[error("cannot write a temporary file")]
    Temporary(#[source] io::Error),
    #[error("{} is compiled for {target}, but Whet runs it on this machine: leave out flags such as --target", file.display())]
    ForeignTarget { file: PathBuf, target: String },
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "none".to_string(),
        _ => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
