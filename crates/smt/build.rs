//! Finds Bitwuzla, compiles the shim against its header, and links both.

use std::env;
use std::path::PathBuf;
use std::process::{Command, exit};

/// What `./x build` puts into the cache folder.
const FOLDER: &str = "bitwuzla-0.9.1";

fn main() {
    for variable in ["WHET_BITWUZLA", "WHET_CACHE", "XDG_CACHE_HOME", "PKG_CONFIG_PATH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=src/shim.cpp");

    let Some(found) = from_folder().or_else(from_pkg_config) else {
        fail("Bitwuzla is not there: run ./x build, which builds the solver");
    };

    let mut shim = cc::Build::new();
    shim.cpp(true).std("c++17").file("src/shim.cpp").includes(&found.includes).compile("whet_smt_shim");
    for flag in &found.link {
        println!("cargo::{flag}");
    }
}

struct Found {
    includes: Vec<PathBuf>,
    /// Instructions to cargo, in the order in which the linker wants them.
    link: Vec<String>,
}

/// The folder that the environment names, or else the cache folder.
fn from_folder() -> Option<Found> {
    let prefix = match env::var_os("WHET_BITWUZLA") {
        Some(named) => PathBuf::from(named),
        None => cache()?.join(FOLDER),
    };
    // Cargo runs this again once the solver has been built there.
    println!("cargo::rerun-if-changed={}", prefix.join("lib/libbitwuzla.a").display());
    if !prefix.join("include/bitwuzla/cpp/bitwuzla.h").exists() || !prefix.join("lib/libbitwuzla.a").exists()
    {
        if env::var_os("WHET_BITWUZLA").is_some() {
            fail(&format!("WHET_BITWUZLA names {}, which holds no Bitwuzla", prefix.display()));
        }
        return None;
    }
    let mut link = vec![format!("rustc-link-search=native={}", prefix.join("lib").display())];
    // CaDiCaL's objects are inside libbitwuzla.a. The others call each other in this order.
    for library in ["bitwuzla", "bitwuzlals", "bitwuzlabb", "bitwuzlabv"] {
        link.push(format!("rustc-link-lib=static={library}"));
    }
    for library in ["mpfr", "gmp", "stdc++"] {
        link.push(format!("rustc-link-lib=dylib={library}"));
    }
    Some(Found { includes: vec![prefix.join("include")], link })
}

fn cache() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("WHET_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("whet")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/whet")))
}

/// A Bitwuzla that the system has installed.
fn from_pkg_config() -> Option<Found> {
    let output = Command::new("pkg-config").args(["--cflags", "--libs", "bitwuzla"]).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let mut found = Found { includes: vec![], link: vec![] };
    for word in String::from_utf8(output.stdout).ok()?.split_whitespace() {
        match word.split_at_checked(2) {
            Some(("-I", folder)) => found.includes.push(folder.into()),
            Some(("-L", folder)) => found.link.push(format!("rustc-link-search=native={folder}")),
            Some(("-l", library)) => found.link.push(format!("rustc-link-lib={library}")),
            _ => {}
        }
    }
    found.link.push("rustc-link-lib=dylib=stdc++".into());
    Some(found)
}

fn fail(sentence: &str) -> ! {
    println!("cargo::error={sentence}");
    exit(1);
}
