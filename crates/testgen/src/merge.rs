//! Adds tests to a test file, and keeps what it has.
//!
//! Whet wrote both files, but somebody may have edited the old one. So nothing
//! is removed from it, and each thing that the new tests need goes beside those
//! of its kind. A compiler tells whether it all fits together.

use crate::Framework;

/// The old file with the tests of the new one, or None if it has changed too much to tell where they go.
pub fn merge(framework: Framework, old: &str, new: &str) -> Option<String> {
    let (mut old, new) = (items(old), items(new));
    let is_test = |item: &String| item.lines().any(|line| defines_test(framework, line));
    let first = new.iter().position(is_test)?;
    let last = new.iter().rposition(is_test)?;
    // Before the tests: headers, declarations, stubs, and what runs before each test.
    let mut at = old.iter().position(|item| item.contains(framework.include()))?;
    include(&mut old, new.first()?)?;
    for item in new[..first].iter().skip(1) {
        if let Some(known) = old.iter().position(|known| known == item) {
            at = at.max(known);
        } else if item.starts_with('#') {
            include(&mut old, item)?;
        } else if let Some(known) = fixture(&old, item) {
            old[known] = with_lines(&old[known], item)?;
        } else {
            at += 1;
            old.insert(at, item.clone());
        }
    }
    let tests = new[first..=last].iter().cloned();
    let end = old.iter().rposition(|item| is_main(item)).unwrap_or(old.len());
    // What runs tests apart stands before `main`, and is there or not.
    let behind = &new[last + 1..];
    let runner = behind.iter().filter(|item| !is_main(item) && !old.contains(item)).cloned();
    let between: Vec<String> = tests.chain(runner).collect();
    let count = between.len();
    old.splice(end..end, between);
    if let Some(main) = behind.iter().find(|item| is_main(item)) {
        let known = old.get_mut(end + count)?;
        *known = with_calls(known, main)?;
    }
    Some(old.join("\n"))
}

/// What the first test of a file does.
pub fn body(framework: Framework, text: &str) -> Option<&str> {
    let line = text.lines().find(|line| defines_test(framework, line))?;
    let start = text.find(&format!("{line}\n"))? + line.len() + 1;
    let length = text[start..].find("\n}")?;
    Some(&text[start..start + length + 2])
}

/// The parts of a file, each with its last line break: what blank lines divide,
/// if they are not inside of braces.
fn items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut inside = false;
    for line in text.lines() {
        match (line.is_empty() && !inside, items.last_mut()) {
            (true, _) => items.push(String::new()),
            (false, Some(item)) => {
                item.push_str(line);
                item.push('\n');
            }
            (false, None) => {}
        }
        inside = match line.chars().next() {
            Some('{') => true,
            Some('}') => false,
            _ => inside,
        };
    }
    items.retain(|item| !item.is_empty());
    items
}

fn is_main(item: &str) -> bool {
    item.contains("int main(void)\n")
}

/// Whether a test begins with this line.
fn defines_test(framework: Framework, line: &str) -> bool {
    match framework {
        Framework::Unity => line.starts_with("void test_"),
        Framework::Cmocka | Framework::C => line.starts_with("static void test_"),
        Framework::Gtest => line.starts_with("static void test_") || line.starts_with("TEST("),
    }
}

/// Adds the headers that are missing behind the comment at the top.
fn include(old: &mut [String], item: &str) -> Option<()> {
    let all = old.concat();
    let is_missing = |line: &&str| line.starts_with('#') && !all.lines().any(|known| known == *line);
    let missing: String = item.lines().filter(is_missing).map(|line| format!("{line}\n")).collect();
    let top = old.first_mut()?;
    let end = top.find("*/\n")? + 3;
    top.insert_str(end, &missing);
    Some(())
}

/// Where the old file has the function by which each test starts afresh, if that is what this is.
fn fixture(old: &[String], item: &str) -> Option<usize> {
    let names = ["void setUp(void)", "static int set_up(", "static void set_up(void)"];
    let name = names.iter().find(|name| item.contains(**name))?;
    old.iter().position(|known| known.contains(name))
}

/// A function of the old file with those lines of the new one that it lacks, before its end.
fn with_lines(old: &str, new: &str) -> Option<String> {
    let body = new.split_once("{\n")?.1;
    let lines = body.lines().take_while(|line| *line != "}");
    let missing = lines.filter(|line| !old.lines().any(|known| known == *line));
    let missing: String = missing.map(|line| format!("{line}\n")).collect();
    if let Some((before, after)) = old.split_once("void setUp(void) {}\n") {
        return Some(format!("{before}void setUp(void)\n{{\n{missing}}}\n{after}"));
    }
    let end = old.find("    return 0;\n}").or_else(|| old.find("\n}").map(|at| at + 1))?;
    Some(format!("{}{missing}{}", &old[..end], &old[end..]))
}

/// The old `main` with the calls of the new one, after its own last call.
fn with_calls(old: &str, new: &str) -> Option<String> {
    let is_call = |line: &&str| line.contains("test_") && line.starts_with("    ");
    let calls: String = new.lines().filter(is_call).map(|line| format!("{line}\n")).collect();
    let last = old.lines().rfind(is_call)?;
    let end = old.rfind(last)? + last.len() + 1;
    Some(format!("{}{calls}{}", &old[..end], &old[end..]))
}
