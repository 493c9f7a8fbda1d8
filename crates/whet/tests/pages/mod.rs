//! Reading the pages of the documentation: their blocks, headings and links.
//!
//! This is no Markdown parser. It knows as much of Markdown as our own pages use: fenced blocks, headings
//! that start with `#`, links in brackets, and the `{{#include …}}` of mdBook.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) struct Page {
    /// From the root of the repository.
    pub name: String,
    pub text: String,
}

/// A fenced block.
pub(crate) struct Block<'a> {
    /// The first word after the fence: `c`, `console`.
    pub language: &'a str,
    /// What else stands there: `file=clamp.c` is `("file", "clamp.c")`.
    attributes: Vec<(&'a str, &'a str)>,
    /// The lines between the fences, counted from 0.
    pub lines: Range<usize>,
}

pub(crate) struct Link {
    /// The line that has it, counted from 1.
    pub line: usize,
    pub target: String,
}

impl Block<'_> {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl Page {
    pub(crate) fn read(name: &str) -> Page {
        let path = root().join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        Page { name: name.to_string(), text }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        root().join(&self.name).parent().expect("a file is in a folder").to_path_buf()
    }

    /// The fenced blocks, in order.
    pub(crate) fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = vec![];
        let mut open: Option<(usize, &str)> = None;
        for (at, line) in self.text.lines().enumerate() {
            let Some(info) = line.trim_start().strip_prefix("```") else { continue };
            match open.take() {
                None => open = Some((at, info.trim())),
                Some((start, info)) => {
                    let mut words = info.split(',');
                    let language = words.next().unwrap_or_default();
                    let attributes = words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
                    blocks.push(Block { language, attributes, lines: start + 1..at });
                }
            }
        }
        assert!(open.is_none(), "{}: a fenced block has no end", self.name);
        blocks
    }

    /// The text outside of blocks, line by line with its number. What the page includes stands in its place.
    pub(crate) fn prose(&self) -> Vec<(usize, String)> {
        let blocks = self.blocks();
        let in_block =
            |at: usize| blocks.iter().any(|block| block.lines.start <= at + 1 && at <= block.lines.end);
        let mut prose = vec![];
        for (at, line) in self.text.lines().enumerate().filter(|(at, _)| !in_block(*at)) {
            let included = line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
            match included {
                Some(path) => {
                    let path = fs::canonicalize(self.folder().join(path)).expect("what is included is there");
                    let name = path.strip_prefix(root()).expect("it is ours").to_string_lossy().into_owned();
                    prose.extend(Page::read(&name).prose().into_iter().map(|(_, line)| (at + 1, line)));
                }
                None => prose.push((at + 1, line.to_string())),
            }
        }
        prose
    }

    /// What a link to a heading of this page has after `#`, as GitHub and mdBook make it.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = vec![];
        for (_, line) in self.prose() {
            let title = line.trim_start_matches('#');
            if title.len() == line.len() || !title.starts_with(' ') {
                continue;
            }
            let plain = anchor(title.trim());
            let times = anchors.iter().filter(|known| **known == plain).count();
            anchors.push(if times == 0 { plain } else { format!("{plain}-{times}") });
        }
        anchors
    }

    /// The links outside of code, but for those to other sites.
    pub(crate) fn links(&self) -> Vec<Link> {
        let mut links = vec![];
        for (line, text) in self.prose() {
            let text = without_code(&text);
            let mut rest = text.as_str();
            while let Some((_, after)) = rest.split_once("](") {
                let (target, behind) = after.split_once(')').expect("a link has an end");
                links.push(Link { line, target: target.to_string() });
                rest = behind;
            }
        }
        links.retain(|link| !link.target.contains("://"));
        links
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("there is a root")
}

/// All pages of the book, in order.
pub(crate) fn chapters() -> Vec<Page> {
    let (mut folders, mut names) = (vec![root().join("docs/src")], vec![]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the book is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                names.push(path.strip_prefix(root()).expect("it is below").to_string_lossy().into_owned());
            }
        }
    }
    names.sort();
    names.iter().map(|name| Page::read(name)).collect()
}

fn anchor(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    title.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

#[test]
fn an_anchor_is_what_browsers_look_for() {
    assert_eq!(
        anchor("What `--double-check` does: a second solver"),
        "what---double-check-does-a-second-solver"
    );
}

#[test]
fn links_in_code_are_no_links() {
    let text = "See [one](a.md#b), `[two](c.md)` and [three](https://d).\n```c\n[four](e.md)\n```\n";
    let links = Page { name: "page.md".to_string(), text: text.to_string() }.links();
    assert_eq!(links.iter().map(|link| &*link.target).collect::<Vec<_>>(), ["a.md#b"]);
}
