//! Compiles what Whet embeds: the replay server, plain and with each sanitizer; the server of the hunt; what
//! is linked with tests; and the C library, which the lift takes: our own bodies, and musl's.

#[path = "build/musl.rs"]
mod musl;

use std::path::{Path, PathBuf};
use std::process::Command;

const REPLAY: &str = "src/native/replay.c";
const HUNT: &str = "src/native/hunt.c";
const SHARED: [&str; 3] = ["src/native/server.c", "src/native/outside.c", "src/native/streams.c"];
const HEADER: &str = "src/native/replay.h";
const TESTED: &str = "src/tested.c";
const LIBRARY: &str = "src/library/library.c";

/// The sanitizers belong to clang: the code that they check is compiled by the same LLVM.
const CLANG: [&str; 2] = ["clang-19", "clang"];

fn main() {
    for file in [REPLAY, HUNT, HEADER].into_iter().chain(SHARED) {
        println!("cargo::rerun-if-changed={file}");
    }
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let plain = |optimised| cc::Build::new().opt_level(optimised).get_compiler().to_command();
    compile(plain(1), REPLAY, &folder.join("replay"));
    let mut hunt = plain(2);
    hunt.arg("-DHUNTING");
    compile(hunt, HUNT, &folder.join("hunt"));
    // The subject passes what it never assigned; the server wants to see that for itself, in its parameters.
    let sanitizers: [(&str, &[&str]); 2] =
        [("address", &[]), ("memory", &["-fno-sanitize-memory-param-retval"])];
    for (sanitizer, flags) in sanitizers {
        let mut clang = Command::new(clang());
        clang.args(["-O1", "-Wl,--strip-all"]).arg(format!("-fsanitize={sanitizer}")).args(flags);
        compile(clang, REPLAY, &folder.join(format!("replay-{sanitizer}")));
    }
    compile_tested(&folder.join("tested.o"));
    compile_library(&folder.join("library.bc"));
    let output = musl::Output { modules: folder.join("musl.bc"), index: folder.join("musl.index") };
    musl::compile(clang(), &folder.join("musl"), &output);
}

fn compile_tested(object: &Path) {
    println!("cargo::rerun-if-changed={TESTED}");
    let mut compiler = cc::Build::new().opt_level(1).get_compiler().to_command();
    let status =
        compiler.args(["-fPIC", "-c", TESTED, "-o"]).arg(object).status().expect("a C compiler runs");
    assert!(status.success(), "{TESTED} does not compile: {status}");
}

/// Our bodies for the C library, to be lifted like the user's code.
fn compile_library(bitcode: &Path) {
    println!("cargo::rerun-if-changed=src/library");
    let mut clang = Command::new(clang());
    clang.args(["-x", "c", "-std=gnu11", "-O0", "-ffreestanding", "-fno-builtin"]);
    clang.args(["-fno-math-errno", "-ffp-contract=off"]);
    clang.args(["-Xclang", "-disable-O0-optnone", "-Xclang", "-disable-llvm-passes", "-fno-stack-protector"]);
    clang.args(["-Wall", "-Wextra", "-Werror", "-c", "-emit-llvm", LIBRARY, "-o"]).arg(bitcode);
    let status = clang.status().expect("clang runs");
    assert!(status.success(), "{LIBRARY} does not compile: {status}");
}

/// The library calls back into the program (`-rdynamic`), and may call the C library's
/// mathematics and the compiler's own functions, such as the division of 128 bits.
fn compile(mut compiler: Command, source: &str, program: &Path) {
    compiler.arg(source).args(SHARED).arg("-o").arg(program);
    compiler.args(["-rdynamic", "-ldl", "-Wl,--no-as-needed", "-lm", "-lgcc_s"]);
    let status = compiler.status().expect("a C compiler runs");
    assert!(
        status.success(),
        "{source} does not compile: {status} (a sanitizer is missing? `scripts/setup.sh` installs all that is needed)"
    );
}

fn clang() -> &'static str {
    let runs = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    CLANG.iter().find(runs).expect("clang 19 is installed")
}
