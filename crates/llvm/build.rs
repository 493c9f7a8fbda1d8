//! Compiles the replay server, which the native build embeds.

use std::path::PathBuf;
use std::process::Command;

const SOURCE: &str = "src/native/replay.c";

fn main() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut compiler: Command = cc::Build::new().opt_level(1).get_compiler().to_command();
    // The library calls back into the program (`-rdynamic`), and may call the C library's mathematics and the compiler's
    // own functions, such as the division of 128 bits.
    compiler.args([SOURCE, "-o"]).arg(folder.join("replay"));
    compiler.args(["-rdynamic", "-ldl", "-Wl,--no-as-needed", "-lm", "-lgcc_s"]);
    let status = compiler.status().expect("a C compiler runs");
    assert!(status.success(), "{SOURCE} does not compile: {status}");
}
