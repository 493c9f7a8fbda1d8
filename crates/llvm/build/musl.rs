//! Compiles musl, a C library, to bitcode: one module for each of its files, and an index of what each
//! defines.
//!
//! The sources are where `scripts/musl.sh` puts them. Our part of musl is its port, `src/library/arch/whet`.
//! It takes about eleven seconds of a processor, so the modules are made again only if something changes that
//! goes into them.

use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// The version that `scripts/setup.sh` asks for, and the only one that our port was made for.
const VERSION: &str = "1.2.3";

const PORT: &str = "src/library/arch/whet";

/// The parts of the library that are compiled. Nothing in the others is called by what we lift.
const PARTS: [&str; 15] = [
    "ctype",
    "env",
    "errno",
    "exit",
    "fenv",
    "internal",
    "locale",
    "math",
    "misc",
    "multibyte",
    "prng",
    "stdio",
    "stdlib",
    "string",
    "time",
];

/// What musl decides for itself, and C leaves open or forbids: a file, what it says, and what it is to say. A
/// call of what nobody defines is unsupported.
const CHANGES: [(&str, &str, &str); 13] = [
    // Nobody looks at exceptions, and the operations that take care of them are not lifted.
    ("math/ilogb.c", FLAGS_ARE_READ, ""),
    ("math/ilogbf.c", FLAGS_ARE_READ, ""),
    // What an infinite number has for an exponent.
    (
        "math/frexp.c",
        "} else if (ee == 0x7ff) {",
        "} else if (ee == 0x7ff) { int __whet_open_int(void); *e = __whet_open_int();",
    ),
    (
        "math/frexpf.c",
        "} else if (ee == 0xff) {",
        "} else if (ee == 0xff) { int __whet_open_int(void); *e = __whet_open_int();",
    ),
    // Its first digit.
    (
        "stdio/vfprintf.c",
        "if ((t|32)=='a') {",
        "if ((t|32)=='a') { void hexadecimal_text_of_a_float(void); hexadecimal_text_of_a_float();",
    ),
    (
        "stdio/vsscanf.c",
        "return vfscanf(&f, fmt, ap);",
        "{ void __whet_require(_Bool); __whet_require(s != 0); } return vfscanf(&f, fmt, ap);",
    ),
    (
        "stdio/vsnprintf.c",
        "errno = EOVERFLOW;",
        "{ void size_that_no_object_has(void); size_that_no_object_has(); }",
    ),
    (
        "stdio/vfprintf.c",
        "a = arg.p ? arg.p : \"(null)\";",
        "{ void __whet_require(_Bool); __whet_require(arg.p != 0); a = arg.p; }",
    ),
    ("stdio/vfprintf.c", "a = strerror(errno);", "{ char *text_of_an_error(void); a = text_of_an_error(); }"),
    ("stdio/vfprintf.c", "case 'p':", "case 'p': { void text_of_a_pointer(void); text_of_a_pointer(); }"),
    (
        "stdio/vfprintf.c",
        "if (signbit(y)) {",
        "{ double __whet_open_nan_double(double, unsigned); y = __whet_open_nan_double(y, 0); } if (signbit(y)) {",
    ),
    // Where there is no number, POSIX leaves `errno` open.
    (
        "internal/floatscan.c",
        "errno = EINVAL;",
        "{ _Bool __whet_open_error(void); if (__whet_open_error()) errno = EINVAL; }",
    ),
    (
        "internal/intscan.c",
        "errno = EINVAL;",
        "{ _Bool __whet_open_error(void); if (__whet_open_error()) errno = EINVAL; }",
    ),
];

const FLAGS_ARE_READ: &str = "#pragma STDC FENV_ACCESS ON";

/// As the user's code is compiled, and as musl asks for. A product and a sum are two operations.
const FLAGS: [&str; 14] = [
    "-std=c99",
    "-nostdinc",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-mlong-double-64",
    "-fno-stack-protector",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-D_XOPEN_SOURCE=700",
];

/// Where the modules are, one behind the other, and where each begins, ends, and what it defines.
pub(crate) struct Output {
    pub(crate) modules: PathBuf,
    pub(crate) index: PathBuf,
}

pub(crate) fn compile(clang: &str, folder: &Path, output: &Output) {
    let sources = sources();
    println!("cargo::rerun-if-changed={PORT}");
    println!("cargo::rerun-if-changed={}", sources.join("VERSION").display());
    let stamp = stamp(clang, &sources);
    let stamped = folder.join("stamp");
    let is_there = output.modules.exists() && output.index.exists();
    if is_there && fs::read(&stamped).is_ok_and(|before| before == stamp) {
        return;
    }
    let _ = fs::remove_dir_all(folder);
    let headers = folder.join("include");
    fs::create_dir_all(headers.join("bits")).expect("the output folder can be written");
    generate_headers(&sources, &headers);
    let files = files(&sources);
    let module = |file: &Path| {
        // Our own files are not among musl's.
        let name = file.strip_prefix(sources.join("src")).unwrap_or(file);
        folder.join(name.with_extension("bc").to_string_lossy().replace('/', "."))
    };
    let compile = |file: &PathBuf| {
        let mut command = Command::new(clang);
        command.args(["-x", "c", "-w", "-c", "-emit-llvm"]).args(FLAGS);
        command.arg("-I").arg(PORT);
        for include in ["arch/generic", "arch/x86_64"] {
            command.arg("-I").arg(sources.join(include));
        }
        command.arg("-I").arg(&headers);
        for include in ["src/include", "src/internal", "include"] {
            command.arg("-I").arg(sources.join(include));
        }
        let source = changed(file, &sources, folder).unwrap_or_else(|| file.clone());
        let status = command.arg(source).arg("-o").arg(module(file)).status().expect("clang runs");
        assert!(status.success(), "{} does not compile: {status}", file.display());
    };
    in_parallel(&files, compile);
    let modules: Vec<PathBuf> = files.iter().map(|file| module(file)).collect();
    write(&modules, output);
    fs::write(stamped, stamp).expect("the output folder can be written");
}

/// The file with our changes in it, if there are any.
fn changed(file: &Path, sources: &Path, folder: &Path) -> Option<PathBuf> {
    let name = file.strip_prefix(sources.join("src")).ok()?;
    let changes: Vec<_> = CHANGES.iter().filter(|(changed, ..)| Path::new(changed) == name).collect();
    if changes.is_empty() {
        return None;
    }
    let mut text = fs::read_to_string(file).expect("a source of musl is text");
    for (name, before, after) in changes {
        assert!(text.contains(before), "{name} is not what it was");
        text = text.replace(before, after);
    }
    let path = folder.join(name.to_string_lossy().replace('/', "."));
    fs::write(&path, text).expect("the output folder can be written");
    Some(path)
}

/// The folder that the environment names, or else the cache folder.
fn sources() -> PathBuf {
    for variable in ["WHET_MUSL", "WHET_CACHE", "XDG_CACHE_HOME"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = set("WHET_MUSL");
    let cache = set("WHET_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("whet")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/whet")));
    let in_cache = || Some(cache?.join(format!("musl-{VERSION}")));
    let folder = named.clone().or_else(in_cache).unwrap_or_default();
    match (fs::read_to_string(folder.join("VERSION")), named) {
        (Ok(version), _) if version.trim() == VERSION => folder,
        (Ok(version), _) => {
            fail(&format!("{} has musl {}, and Whet needs {VERSION}", folder.display(), version.trim()))
        }
        (Err(_), Some(_)) => {
            fail(&format!("WHET_MUSL names {}, which has no sources of musl", folder.display()))
        }
        (Err(_), None) => fail(
            "the sources of musl are not there: run ./x build, which fetches them, or let WHET_MUSL name their folder",
        ),
    }
}

/// All that goes into the modules: the sources by their place and version, the port by its text, and how they
/// are compiled.
fn stamp(clang: &str, sources: &Path) -> Vec<u8> {
    let mut stamp = format!("{clang} {} {FLAGS:?} {PARTS:?} {CHANGES:?}", sources.display()).into_bytes();
    stamp.extend(VERSION.bytes());
    for folder in [PORT.to_string(), format!("{PORT}/bits")] {
        for extension in ["h", "c"] {
            for file in sorted(Path::new(&folder), extension) {
                stamp.extend(fs::read(file).expect("the port can be read"));
            }
        }
    }
    stamp
}

/// The headers that musl's own build makes.
fn generate_headers(sources: &Path, headers: &Path) {
    let types = ["arch/x86_64/bits/alltypes.h.in", "include/alltypes.h.in"].map(|name| sources.join(name));
    let script = sources.join("tools/mkalltypes.sed");
    let output = Command::new("sed").arg("-f").arg(script).args(types).output().expect("sed runs");
    assert!(output.status.success(), "the types of musl cannot be written: {}", output.status);
    let write = |name: &str, text: &[u8]| {
        fs::write(headers.join(name), text).expect("the output folder can be written");
    };
    write("bits/alltypes.h", &output.stdout);
    let calls = fs::read_to_string(sources.join("arch/x86_64/bits/syscall.h.in"));
    let calls = calls.expect("musl knows the calls of its systems");
    write("bits/syscall.h", (calls.replace("__NR_", "SYS_") + &calls).as_bytes());
    write("version.h", b"#define VERSION \"whet\"\n");
}

/// The files to compile, in an order that is always the same. None of them has a twin in assembly.
fn files(sources: &Path) -> Vec<PathBuf> {
    let parts = PARTS.iter().flat_map(|part| sorted(&sources.join("src").join(part), "c"));
    parts.chain(sorted(Path::new(PORT), "c")).collect()
}

fn sorted(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be read").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|it| it == extension)).collect();
    paths.sort();
    paths
}

fn in_parallel(files: &[PathBuf], work: impl Fn(&PathBuf) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(file);
                }
            });
        }
    });
}

/// One line of the index for each module: where it begins, how long it is, and the names that it defines.
fn write(modules: &[PathBuf], output: &Output) {
    let (mut bytes, mut index) = (Vec::new(), String::new());
    for (module, names) in modules.iter().zip(defined(modules)) {
        let module = fs::read(module).expect("clang has written it");
        index += &format!("{} {} {}\n", bytes.len(), module.len(), names.join(" "));
        bytes.extend(module);
    }
    fs::write(&output.modules, bytes).expect("the output folder can be written");
    fs::write(&output.index, index).expect("the output folder can be written");
}

/// The names that other modules can use, of each module.
fn defined(modules: &[PathBuf]) -> Vec<Vec<String>> {
    let output = Command::new(llvm_nm())
        .args(["--extern-only", "--defined-only", "--format=just-symbols", "--print-file-name"])
        .args(modules)
        .output()
        .expect("llvm-nm runs");
    assert!(output.status.success(), "llvm-nm cannot read the library: {}", output.status);
    let text = String::from_utf8(output.stdout).expect("names in C are text");
    let names = |module: &PathBuf| {
        let prefix = format!("{}: ", module.display());
        text.lines().filter_map(|line| Some(line.strip_prefix(&prefix)?.to_string())).collect()
    };
    modules.iter().map(names).collect()
}

/// It comes with LLVM.
fn llvm_nm() -> PathBuf {
    let folder = ["llvm-config-19", "llvm-config"].iter().find_map(|name| {
        let output = Command::new(name).arg("--bindir").output().ok()?;
        Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
    });
    folder.unwrap_or_default().join("llvm-nm")
}

fn fail(sentence: &str) -> ! {
    println!("cargo::error={sentence}");
    exit(1);
}
