//! The documentation: its examples are real runs, its links lead somewhere, and no flag is missing.
//!
//! A page is replayed in a folder of its own, from top to bottom. What it shows is compared with what
//! happens, and `WHET_BLESS` puts what happens in its place. CONTRIBUTING.md tells how to write an example.

mod folder;
mod pages;

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use folder::is_progress;
use pages::{Block, Page, chapters, root};
use rayon::prelude::*;

/// Stands for lines that an example leaves out.
const ELIDED: &str = "…";

/// The README is what a newcomer reads in one go.
const README_LINES: usize = 100;

/// The pages beside the book that are read by people.
const BESIDE: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

#[test]
fn the_readme_is_short() {
    let lines = Page::read("README.md").text.lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines: move something to docs/src");
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = vec![];
    for page in all_pages() {
        for link in page.links() {
            if let Err(why) = follow(&page, &link.target) {
                broken.push(format!("\n  {}:{}: {} {why}", page.name, link.line, link.target));
            }
        }
    }
    assert!(broken.is_empty(), "{}\n", broken.concat());
}

#[test]
fn every_chapter_is_in_the_summary() {
    let summary = Page::read("docs/src/SUMMARY.md");
    let listed: Vec<String> =
        summary.links().iter().map(|link| format!("docs/src/{}", link.target)).collect();
    let chapters = chapters().into_iter().map(|page| page.name);
    let missing: Vec<String> =
        chapters.filter(|name| *name != summary.name && !listed.contains(name)).collect();
    assert!(missing.is_empty(), "docs/src/SUMMARY.md does not list {missing:?}");
}

#[test]
fn every_flag_is_described() {
    let book: String = chapters().into_iter().map(|page| page.text).collect();
    let mut missing = vec![];
    for command in ["run", "diff", "list", "show", "meta", "config", "store", "completions", "man"] {
        let output = whet().args(["help", command]).output().expect("whet runs");
        let help = String::from_utf8_lossy(&output.stdout).into_owned();
        let starts = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        let flags = starts.flat_map(str::split_whitespace).filter(|word| word.starts_with("--"));
        missing.extend(flags.filter(|flag| *flag != "--help" && !names(&book, flag)).map(str::to_string));
    }
    assert!(missing.is_empty(), "docs/src does not describe {missing:?}");
}

#[test]
fn every_example_is_a_real_run() {
    let bless = std::env::var_os("WHET_BLESS").is_some();
    let pages: Vec<Page> = std::iter::once(Page::read("README.md")).chain(chapters()).collect();
    let wrong: Vec<String> = pages.par_iter().filter_map(|page| check(page, bless).err()).collect();
    assert!(
        wrong.is_empty(),
        "\n{}\n`./x bless --test docs` takes what happens as what is shown\n",
        wrong.join("\n")
    );
}

/// Whether what a page shows is what happens. Writes what happens, if that is wanted.
fn check(page: &Page, bless: bool) -> Result<(), String> {
    let now = replay(page)?;
    if now == page.text {
        return Ok(());
    }
    if bless {
        return fs::write(root().join(&page.name), now).map_err(|error| error.to_string());
    }
    Err(format!("{}:\n{}", page.name, diffy::create_patch(&page.text, &now)))
}

/// The page as it should be.
fn replay(page: &Page) -> Result<String, String> {
    let lines: Vec<&str> = page.text.lines().collect();
    let mut now: Vec<String> = vec![];
    let mut done = 0;
    let mut folder: Option<tempfile::TempDir> = None;
    for block in page.blocks() {
        let shown = &lines[block.lines.clone()];
        now.extend(lines[done..block.lines.start].iter().map(|line| line.to_string()));
        done = block.lines.end;
        let is_about_files = block.attribute("file").or(block.attribute("from")).is_some();
        if block.language != "console" && !is_about_files {
            let stray = shown.iter().find(|line| line.trim_start().starts_with("$ whet"));
            if let Some(stray) = stray {
                return Err(format!("{}: `{stray}` is not in a block ```console", page.name));
            }
            now.extend(shown.iter().map(|line| line.to_string()));
            continue;
        }
        let folder = folder.get_or_insert_with(|| prepared(page));
        let shown = block_now(&block, shown, folder.path());
        now.extend(shown.map_err(|why| format!("{}:{}: {why}", page.name, block.lines.start))?);
    }
    now.extend(lines[done..].iter().map(|line| line.to_string()));
    Ok(now.join("\n") + "\n")
}

/// A folder with what every page may use.
fn prepared(page: &Page) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    copy(&root().join("examples"), &folder.path().join("examples"));
    if page.text.contains("unity/unity.c") {
        copy(&lab::fetched::unity(), &folder.path().join("unity"));
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder can be read").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a file can be copied");
    }
}

/// The lines of a block as they should be, once all above them has happened in the folder.
fn block_now(block: &Block, shown: &[&str], folder: &Path) -> Result<Vec<String>, String> {
    if let Some(name) = block.attribute("file") {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        fs::write(path, shown.join("\n") + "\n").expect("a file can be written");
        return Ok(shown.iter().map(|line| line.to_string()).collect());
    }
    if let Some(name) = block.attribute("from") {
        let text = fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
        let part: Vec<&str> = match block.attribute("test") {
            None => text.lines().collect(),
            Some(number) => {
                let number: usize = number.parse().map_err(|_| format!("`{number}` is no number"))?;
                written_test(&text, number).ok_or(format!("{name} has no test {number}"))?
            }
        };
        return Ok(renewed(shown, &part));
    }
    session(shown, folder)
}

/// The commands of a session, each with what it prints.
fn session(shown: &[&str], folder: &Path) -> Result<Vec<String>, String> {
    let is_command = |line: &str| line.starts_with("$ ");
    if !shown.first().is_some_and(|line| is_command(line)) {
        return Err("a block ```console starts with a command, `$ whet …`".to_string());
    }
    let starts: Vec<usize> = (0..shown.len()).filter(|at| is_command(shown[*at])).collect();
    let ends = starts.iter().copied().skip(1).chain([shown.len()]);
    let (mut now, mut status) = (vec![], 0);
    for (start, end) in starts.iter().copied().zip(ends) {
        let goes_on = |line: &&&str| line.starts_with("> ");
        let more = shown[start + 1..end].iter().take_while(goes_on).count();
        let command: Vec<&str> = shown[start..=start + more].iter().map(|line| &line[2..]).collect();
        now.extend(shown[start..=start + more].iter().map(|line| line.to_string()));
        let (printed, ended) = printed(&command.join("\n"), status, folder);
        let asks = shown.get(end).is_some_and(|next| *next == "$ echo $?");
        if ended != 0 && !asks {
            return Err(format!(
                "`{}` ends with {ended}; show that with `$ echo $?`:\n{}",
                command.join("\n"),
                printed.join("\n")
            ));
        }
        status = ended;
        let printed: Vec<&str> = printed.iter().map(String::as_str).collect();
        now.extend(renewed(&shown[start + more + 1..end], &printed));
    }
    Ok(now)
}

/// What a command prints, and how it ends.
fn printed(command: &str, status_before: i32, folder: &Path) -> (Vec<String>, i32) {
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n(exit {status_before})\n{command}")])
        .current_dir(folder)
        .env("PATH", path_with_whet())
        .env("LC_ALL", "C.UTF-8")
        .env_remove("GITHUB_ACTIONS")
        .env_remove("GITHUB_STEP_SUMMARY")
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("by its own checker"), "{command}: {text}");
    let lines = text.lines().filter(|line| !is_progress(line)).map(|line| line.trim_end().to_string());
    (lines.collect(), output.status.code().unwrap_or(-1))
}

/// What stands on the page if it fits, and else what should. To leave out everything would show nothing.
fn renewed(shown: &[&str], real: &[&str]) -> Vec<String> {
    let is_empty = shown == [ELIDED];
    let lines = if fits(shown, real) && !is_empty { shown.to_vec() } else { elided_alike(shown, real) };
    lines.into_iter().map(str::to_string).collect()
}

/// Whether this is what is shown, times aside, and what is left out aside.
fn fits(shown: &[&str], real: &[&str]) -> bool {
    match (shown.split_first(), real.split_first()) {
        (None, None) => true,
        (Some((&ELIDED, shown)), _) => (0..=real.len()).any(|at| fits(shown, &real[at..])),
        (Some((line, shown)), Some((other, real))) => timeless(line) == timeless(other) && fits(shown, real),
        _ => false,
    }
}

/// The same places left out: the first lines stay the first, the last ones the last, and those between begin
/// with the same line. If that is not possible, nothing is left out.
fn elided_alike<'a>(shown: &[&str], real: &[&'a str]) -> Vec<&'a str> {
    let parts: Vec<&[&str]> = shown.split(|line| *line == ELIDED).collect();
    let [first, between @ .., last] = parts.as_slice() else { return real.to_vec() };
    let mut now: Vec<&str> = real.iter().take(first.len()).copied().collect();
    let mut at = now.len();
    for part in between.iter().filter(|part| !part.is_empty()) {
        let begins = |from: &usize| timeless(real[*from]) == timeless(part[0]);
        let Some(from) = (at..real.len()).find(begins) else { return real.to_vec() };
        at = (from + part.len()).min(real.len());
        now.push(ELIDED);
        now.extend(&real[from..at]);
    }
    let from = real.len().saturating_sub(last.len());
    if from <= at || now.len() + last.len() == 0 {
        return real.to_vec();
    }
    now.push(ELIDED);
    now.extend(&real[from..]);
    now
}

/// The line without the time at its end: no two runs take equally long.
fn timeless(line: &str) -> String {
    let line = line.trim_end();
    for unit in [" s", " ms"] {
        let Some(rest) = line.strip_suffix(unit) else { continue };
        let before = rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if before.len() < rest.len() && rest.contains('.') {
            return format!("{} ?{unit}", before.trim_end());
        }
    }
    line.to_string()
}

/// A test of a test file, counted from 1, with the comment above it.
fn written_test(text: &str, number: usize) -> Option<Vec<&str>> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = (0..lines.len()).filter(|at| {
        let line = lines[*at];
        line.starts_with("void test_") || line.starts_with("static void test_") || line.starts_with("TEST(")
    });
    let at = starts.into_iter().nth(number.checked_sub(1)?)?;
    let end = at + lines[at..].iter().position(|line| *line == "}")?;
    let above = lines[..at].iter().rev().take_while(|line| !line.is_empty()).count();
    Some(lines[at - above..=end].to_vec())
}

/// Whether a text has this word, and not only longer ones that begin with it.
fn names(text: &str, flag: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '-';
    text.match_indices(flag).any(|(at, _)| !text[at + flag.len()..].starts_with(goes_on))
}

fn all_pages() -> Vec<Page> {
    BESIDE.iter().map(|name| Page::read(name)).chain(chapters()).collect()
}

/// Follows a link of a page. A page of the book links only to pages of the book: the others are not there
/// when it is published.
fn follow(page: &Page, target: &str) -> Result<(), &'static str> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let own = root().join(&page.name);
    let path = if path.is_empty() { own } else { straight(&page.folder().join(path)) };
    let book = root().join("docs/src");
    if page.folder().starts_with(&book) && !path.starts_with(&book) {
        return Err("leads out of the book");
    }
    if !path.exists() {
        return Err("does not exist");
    }
    if anchor.is_empty() {
        return Ok(());
    }
    let name = path.strip_prefix(root()).map_err(|_| "leads out of the repository")?;
    let anchors = Page::read(&name.to_string_lossy()).anchors();
    anchors.iter().any(|known| known == anchor).then_some(()).ok_or("names no heading there")
}

/// The path without its `..`.
fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(straight.pop()),
            part => straight.push(part),
        }
    }
    straight
}

fn whet() -> Command {
    Command::new(env!("CARGO_BIN_EXE_whet"))
}

fn path_with_whet() -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_whet")).parent().expect("it is in a folder");
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

#[test]
fn times_do_not_matter_and_numbers_do() {
    assert!(fits(&["  total  7     0.4 s"], &["  total  7    12.9 s"]));
    assert!(!fits(&["  total  7     0.4 s"], &["  total  8     0.4 s"]));
    assert!(fits(&["one", ELIDED, "four"], &["one", "two", "three", "four"]));
    assert!(!fits(&["one", ELIDED, "four"], &["one", "two", "three"]));
}

#[test]
fn what_was_left_out_is_left_out_again() {
    let real = ["1", "2", "3", "4", "5", "6"];
    assert_eq!(elided_alike(&["a", ELIDED, "b"], &real), ["1", ELIDED, "6"]);
    assert_eq!(elided_alike(&[ELIDED, "3", "x", ELIDED, "y"], &real), [ELIDED, "3", "4", ELIDED, "6"]);
    assert_eq!(elided_alike(&[ELIDED, "9", ELIDED], &real), real);
    assert_eq!(elided_alike(&["a", "b"], &real), real);
    assert_eq!(renewed(&[ELIDED], &real), real);
}

#[test]
fn a_written_test_comes_with_its_comment() {
    let text =
        "int f(int);\n\n/* Kills 1. */\nvoid test_one(void)\n{\n    f(1);\n}\n\nvoid test_two(void)\n{\n}\n";
    let one = ["/* Kills 1. */", "void test_one(void)", "{", "    f(1);", "}"];
    assert_eq!(written_test(text, 1).as_deref(), Some(&one[..]));
    assert_eq!(written_test(text, 2).map(|test| test.len()), Some(3));
    assert_eq!(written_test(text, 3), None);
}

#[test]
fn a_page_is_renewed_where_it_is_wrong() {
    let text = "```c,file=one.c\nint f(int x)\n{\n    return x;\n}\n```\n\n```console\n$ whet list one.c --operators none\n\
                $ grep -c return one.c\n5\n$ false\n$ echo $?\n```\n";
    let page = Page { name: "docs/src/page.md".to_string(), text: text.to_string() };
    let expect = text.replace("one.c\n5\n", "one.c\n1\n").replace("$?\n", "$?\n1\n");
    assert_eq!(replay(&page), Ok(expect));
    let page = Page { name: page.name, text: "```console\n$ false\n```\n".to_string() };
    assert!(replay(&page).is_err());
}
