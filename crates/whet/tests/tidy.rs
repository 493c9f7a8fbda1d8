//! The house rules that a machine can check, one test for each.
//!
//! They read the sources as text, with a scanner just good enough to tell code
//! from comments and literals. A rule that is wrong for a good reason is changed
//! here, in the same change as the code that needs it.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Above this, a file says why it is one file. Twice the length at which we look
/// for a second idea in it.
const LONG: usize = 800;

/// The columns of a line, as in `rustfmt.toml`.
const WIDE: usize = 110;

/// Above this, a function says why it is one function. It is what fits on one screen.
const LONG_FUNCTION: usize = 80;

/// Names for things without a home.
const HOMELESS: [&str; 5] = ["utils", "helpers", "common", "misc", "types"];

/// The crates of ours that a crate may depend on. All else is behind its wall.
const WALLS: [(&str, &[&str]); 12] = [
    ("bv", &[]),
    ("source", &[]),
    ("smt", &["bv"]),
    ("ir", &["bv", "source"]),
    ("llvm", &["bv", "ir", "source"]),
    ("settle", &["bv", "ir", "source"]),
    ("stages", &["bv", "ir", "smt", "settle"]),
    ("testgen", &["bv", "ir", "settle", "source"]),
    ("report", &["bv", "ir", "settle", "source"]),
    ("store", &["bv", "ir", "settle", "source"]),
    ("lab", &["bv", "ir", "smt", "source", "llvm", "settle", "stages"]),
    ("whet", &["bv", "source", "smt", "ir", "llvm", "settle", "stages", "store", "testgen", "report"]),
];

/// Ways into LLVM and clang.
const LLVM: [&str; 3] = ["inkwell", "llvm-sys", "clang-sys"];

#[test]
fn a_file_opens_with_what_it_does() {
    check_files("starts without a `//!` header", |file| !file.text.starts_with("//! "));
}

#[test]
fn a_long_file_says_why() {
    check_files("is long, without a line `// tidy: long because …`", |file| {
        file.lines.len() > LONG && !file.text.contains("\n// tidy: long because ")
    });
}

#[test]
fn a_long_function_says_why() {
    let long = |file: File| {
        let functions = file.functions().into_iter().filter(|function| function.len() > LONG_FUNCTION);
        let unexplained = functions.filter(|function| !file.explains(function));
        unexplained.map(|function| format!("{}:{}", file.path, function.start + 1)).collect::<Vec<_>>()
    };
    let fault = "is a long function, without a line `// tidy: long because …` in it or above";
    check(fault, files().into_iter().flat_map(long));
}

#[test]
fn a_comment_is_as_wide_as_code() {
    check_lines("is a comment of more than 110 columns", |_, line| {
        let comment = line.text.strip_prefix(line.code.trim_end());
        let is_comment = comment.is_some_and(|comment| comment.trim_start().starts_with("//"));
        is_comment && line.text.chars().count() > WIDE
    });
}

#[test]
fn the_map_names_what_there_is() {
    let is_file = |word: &str| [".rs", ".c", ".cpp"].iter().any(|end| word.ends_with(end));
    let mut paths = quoted("ARCHITECTURE.md");
    paths.retain(|word| is_file(word) || word.contains('/'));
    assert!(paths.iter().any(|path| path == "bv/src/op.rs"), "the scan missed the paths");
    check_paths("ARCHITECTURE.md", paths, &["", "crates"]);
}

#[test]
fn pages_name_files_that_there_are() {
    let pages = fs::read_dir(root().join("docs/src")).unwrap().map(|entry| entry.unwrap().file_name());
    let pages = pages.map(|name| format!("docs/src/{}", name.to_str().unwrap()));
    let pages = pages.filter(|page| page.ends_with(".md")).chain(["CONTRIBUTING.md".to_owned()]);
    for page in pages {
        let paths = quoted(&page).into_iter().filter(|word| word.starts_with("crates/"));
        check_paths(&page, paths.collect(), &[""]);
    }
}

#[test]
fn every_file_has_a_name_of_its_own() {
    check_files("is named after nothing", |file| {
        Path::new(&file.path).with_extension("").iter().any(|part| HOMELESS.iter().any(|name| part == *name))
    });
}

#[test]
fn nothing_is_left_unfinished() {
    check_lines("is unfinished", |_, line| line.has(&["todo!", "unimplemented!", "dbg!"]));
}

#[test]
fn no_test_is_ignored() {
    check_lines("ignores a test", |_, line| line.has(&["#[ignore", "ignore)]"]));
}

#[test]
fn only_tests_unwrap() {
    check_lines("unwraps", |_, line| !line.for_tests && line.has(&[".unwrap()"]));
}

#[test]
fn only_the_binary_prints() {
    check_lines("prints", |file, line| {
        !file.may_touch_the_world() && !line.for_tests && line.has(&["print!", "println!"])
    });
}

#[test]
fn only_the_binary_reads_the_environment() {
    check_lines("reads the environment", |file, line| {
        !file.may_touch_the_world() && !line.for_tests && line.has(&["std::env", "env::var", "env::args"])
    });
}

#[test]
fn only_the_binary_reads_the_clock() {
    check_lines("reads the clock, without `// tidy: clock as a guard` there or above", |file, line| {
        !file.may_touch_the_world() && line.has(&["Instant::now", "SystemTime"]) && !line.guards
    });
}

#[test]
fn a_stage_opens_no_file() {
    check_lines("touches the file system", |file, line| {
        file.path.starts_with("crates/stages/src/") && line.has(&["std::fs", "File::open", "File::create"])
    });
}

#[test]
fn every_crate_has_a_wall() {
    let walled = |name: &String| WALLS.iter().any(|(known, _)| known == name);
    check("has no row in WALLS", crates().into_iter().filter(|name| !walled(name)));
}

#[test]
fn no_crate_looks_over_its_wall() {
    check_dependencies("is behind the wall", |dependency| {
        let is_ours = WALLS.iter().any(|(name, _)| *name == dependency.on);
        let is_allowed =
            WALLS.iter().any(|(name, allowed)| *name == dependency.of && allowed.contains(&&*dependency.on));
        is_ours && !is_allowed && !dependency.for_tests
    });
}

#[test]
fn only_llvm_knows_llvm() {
    check_dependencies("belongs to crates/llvm", |dependency| {
        dependency.of != "llvm" && LLVM.contains(&&*dependency.on)
    });
}

#[test]
fn the_scanner_tells_code_from_the_rest() {
    let text = "a // b\n\"c\\\"\" d /* e\nf */ g r#\"h \"i\" \"# j '\"' k '\\'' l::<'m> n";
    assert_eq!(code(text), "a \n d \n g  j  k  l::<'m> n");
}

/// Fails if there is a place where the rule is broken, and names every one.
#[track_caller]
fn check(fault: &str, places: impl IntoIterator<Item = String>) {
    let places: Vec<String> = places.into_iter().map(|place| format!("\n  {place}: {fault}")).collect();
    assert!(places.is_empty(), "{}\n", places.concat());
}

/// Fails if a path on a page is in none of these folders.
#[track_caller]
fn check_paths(page: &str, paths: Vec<String>, folders: &[&str]) {
    let exists = |path: &String| folders.iter().any(|folder| root().join(folder).join(path).exists());
    let missing = paths.into_iter().filter(|path| !exists(path));
    check("does not exist", missing.map(|path| format!("{page}: {path}")));
}

#[track_caller]
fn check_files(fault: &str, broken: impl Fn(&File) -> bool) {
    check(fault, files().into_iter().filter(|file| broken(file)).map(|file| file.path));
}

#[track_caller]
fn check_lines(fault: &str, broken: impl Fn(&File, &Line) -> bool) {
    let places = |file: &File| {
        let lines = (1..).zip(&file.lines).filter(|(_, line)| broken(file, line));
        lines.map(|(number, _)| format!("{}:{number}", file.path)).collect::<Vec<_>>()
    };
    check(fault, files().iter().flat_map(places));
}

#[track_caller]
fn check_dependencies(fault: &str, broken: impl Fn(&Dependency) -> bool) {
    let dependencies = crates().into_iter().flat_map(dependencies).filter(broken);
    check(fault, dependencies.map(|dependency| format!("{} -> {}", dependency.of, dependency.on)));
}

/// The words between backticks on a page, without the blocks between three of them.
fn quoted(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let prose = text.split("```").step_by(2);
    let quoted = prose.flat_map(|text| text.split('`').skip(1).step_by(2));
    quoted.filter(|word| !word.contains(char::is_whitespace)).map(str::to_owned).collect()
}

struct File {
    /// From the root of the repository.
    path: String,
    text: String,
    lines: Vec<Line>,
}

struct Line {
    text: String,
    /// Without comments and literals.
    code: String,
    /// In a module or a folder of tests, or in a program that measures: not what a user runs.
    for_tests: bool,
    /// It, or the line above it, says that the clock is a guard.
    guards: bool,
}

impl File {
    /// Programs do: the binary, those that measure, and build scripts, which talk to cargo.
    fn may_touch_the_world(&self) -> bool {
        self.path.starts_with("crates/whet/")
            || self.path.starts_with("crates/lab/")
            || self.path.contains("/examples/")
            || self.path.ends_with("/build.rs")
            || self.path.contains("/build/")
    }

    /// The lines of each function with a body. It ends with a brace below its start, as rustfmt sets it.
    fn functions(&self) -> Vec<Range<usize>> {
        let code = |at: usize| self.lines[at].code.trim_end();
        let starts = (0..self.lines.len()).filter(|at| {
            let words = code(*at).split('(').next().unwrap_or("");
            words.split_whitespace().any(|word| word == "fn")
        });
        let end = |start: usize| {
            let margin = &code(start)[..code(start).len() - code(start).trim_start().len()];
            let opens = (start..self.lines.len()).find(|at| code(*at).ends_with(['{', '}', ';']))?;
            let is_end = |at: &usize| code(*at) == format!("{margin}}}");
            if code(opens).ends_with('{') { (opens..self.lines.len()).find(is_end) } else { None }
        };
        starts.filter_map(|start| Some(start..end(start)? + 1)).collect()
    }

    /// Whether a function says why it is long: in it, or above it among its comments and attributes.
    fn explains(&self, function: &Range<usize>) -> bool {
        let is_above = |line: &&Line| line.code.trim().is_empty() || line.code.trim().starts_with("#[");
        let above = self.lines[..function.start].iter().rev().take_while(is_above);
        let mut lines = above.chain(&self.lines[function.clone()]);
        lines.any(|line| line.text.trim_start().starts_with("// tidy: long because "))
    }
}

impl Line {
    fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.code.contains(word))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The folders in `crates/`.
fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().join("Cargo.toml").exists());
    folders.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// Every Rust file in `crates/`, in order.
fn files() -> Vec<File> {
    let (mut folders, mut paths) = (vec![root().join("crates")], vec![]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!path.ends_with("target")).then_some(path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let files: Vec<File> = paths.iter().map(|path| read(path)).collect();
    assert!(files.iter().any(|file| file.path == "crates/whet/tests/tidy.rs"), "the walk missed this file");
    files
}

fn read(path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap();
    let path = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();

    let all_tests =
        ["/tests/", "/tests.rs", "/examples/", "crates/lab/"].iter().any(|part| path.contains(part));
    let code = code(&text);
    let mut lines: Vec<Line> = vec![];
    let (mut in_tests, mut above) = (false, "");
    for (code, text) in code.lines().zip(text.lines()) {
        // An item starts at the margin and ends there, as rustfmt sets it.
        in_tests |= code == "#[cfg(test)]";
        let guards = [above, text].iter().any(|text| text.contains("// tidy: clock as a guard"));
        let for_tests = all_tests || in_tests;
        lines.push(Line { text: text.to_owned(), code: code.to_owned(), for_tests, guards });
        in_tests &= code.starts_with(' ') || !code.ends_with(['}', ';']);
        above = text;
    }
    File { path, text, lines }
}

/// The text without its comments and literals; the lines stay where they are.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let (skipped, after) = rest.split_at(opaque(rest));
        if skipped.is_empty() {
            code.push(next);
            rest = &rest[next.len_utf8()..];
        } else {
            code.extend(skipped.chars().filter(|c| *c == '\n'));
            rest = after;
        }
    }
    code
}

/// The length of the comment or literal that `rest` starts with; 0 if it does not.
fn opaque(rest: &str) -> usize {
    let until =
        |from: usize, end: &str| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    if rest.starts_with("//") {
        return until(0, "\n").saturating_sub(1);
    }
    if rest.starts_with("/*") {
        return until(2, "*/");
    }
    if let Some(raw) = rest.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        return if raw[hashes..].starts_with('"') {
            until(hashes + 2, &format!("\"{}", "#".repeat(hashes)))
        } else {
            0
        };
    }
    let mut chars = rest.char_indices();
    match chars.next() {
        Some((_, '"')) => {
            while let Some((at, c)) = chars.next() {
                match c {
                    '"' => return at + 1,
                    '\\' => drop(chars.next()),
                    _ => {}
                }
            }
            rest.len()
        }
        Some((_, '\'')) => match (chars.next(), chars.next()) {
            (Some((_, '\\')), Some((at, c))) => until(at + c.len_utf8(), "'"),
            (Some(_), Some((at, '\''))) => at + 1,
            _ => 0, // a lifetime
        },
        _ => 0,
    }
}

struct Dependency {
    of: String,
    on: String,
    for_tests: bool,
}

/// What stands in a crate's manifest under its headings for dependencies.
fn dependencies(of: String) -> Vec<Dependency> {
    let manifest = fs::read_to_string(root().join("crates").join(&of).join("Cargo.toml")).unwrap();
    let mut dependencies = vec![];
    let mut heading = "";
    for line in manifest.lines().map(|line| line.trim()) {
        let name = if let Some(inside) = line.strip_prefix('[') {
            heading = inside.trim_end_matches(']');
            heading.split_once("dependencies.").map(|(_, name)| name)
        } else if heading.ends_with("dependencies") {
            line.split(['.', '=', ' ', '#']).next().filter(|name| !name.is_empty())
        } else {
            None
        };
        dependencies.extend(name.map(|name| Dependency {
            of: of.clone(),
            on: name.trim_start_matches("whet-").to_owned(),
            for_tests: heading.starts_with("dev-"),
        }));
    }
    dependencies
}
