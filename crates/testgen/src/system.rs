//! Names of the system's headers that a program may have for something of its own, such as `read`, `link` or
//! `getline`.
//!
//! A test that catches what is printed, or runs in a process of its own, needs headers of POSIX. There the
//! names have another type, so they are hidden while the headers are read. Some
//! functions are called by the tests themselves (`fork`, `waitpid`, `dup2`, `fileno`, `_exit`). If a program
//! defines one of these, the tests would call it, and nothing can hide that.

use ir::Program;

/// What `unistd.h`, `sys/wait.h` and POSIX's part of `stdio.h` declare, and no test calls.
const DECLARED: [&str; 100] = [
    "access",
    "alarm",
    "chdir",
    "chown",
    "close",
    "confstr",
    "crypt",
    "dup",
    "encrypt",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "faccessat",
    "fchdir",
    "fchown",
    "fchownat",
    "fdatasync",
    "fexecve",
    "fpathconf",
    "fsync",
    "ftruncate",
    "getcwd",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "gethostid",
    "gethostname",
    "getlogin",
    "getopt",
    "getpgid",
    "getpgrp",
    "getpid",
    "getppid",
    "getsid",
    "getuid",
    "isatty",
    "lchown",
    "link",
    "linkat",
    "lockf",
    "lseek",
    "nice",
    "optarg",
    "opterr",
    "optind",
    "optopt",
    "pathconf",
    "pause",
    "pipe",
    "pread",
    "pwrite",
    "read",
    "readlink",
    "readlinkat",
    "rmdir",
    "setegid",
    "seteuid",
    "setgid",
    "setpgid",
    "setpgrp",
    "setregid",
    "setreuid",
    "setsid",
    "setuid",
    "sleep",
    "swab",
    "symlink",
    "symlinkat",
    "sync",
    "sysconf",
    "tcgetpgrp",
    "tcsetpgrp",
    "truncate",
    "ttyname",
    "unlink",
    "unlinkat",
    "wait",
    "waitid",
    "write",
    "ctermid",
    "dprintf",
    "fdopen",
    "flockfile",
    "fmemopen",
    "fseeko",
    "ftello",
    "ftrylockfile",
    "funlockfile",
    "getdelim",
    "getline",
    "open_memstream",
    "pclose",
    "popen",
    "renameat",
    "tempnam",
    "vdprintf",
];

/// Lines for before the headers, and lines for after them.
pub(crate) fn hidden(program: &Program) -> (String, String) {
    let functions = program.functions.iter().map(|function| &function.name);
    let globals = program.globals.iter().map(|global| &global.name);
    let externals = program.externals.iter().map(|external| &external.name);
    let all = functions.chain(globals).chain(externals);
    let mut names: Vec<&String> = all.filter(|name| DECLARED.contains(&name.as_str())).collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return (String::new(), String::new());
    }
    let hide: String = names.iter().map(|name| format!("#define {name} system_{name}\n")).collect();
    let show: String = names.iter().map(|name| format!("#undef {name}\n")).collect();
    (format!("/* The program has these names for something else than the system. */\n{hide}"), show)
}
