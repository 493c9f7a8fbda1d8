//! Copies of functions, each for one mutant, as LLVM assembly.
//!
//! LLVM's interface for C cannot copy a function, but text can be copied: the name changes, and each site
//! that is called becomes the one arm of it that runs. What is not copied is declared, so that nothing is
//! known of it. What the copies do not mention is left out, so that a large file costs a copy no more than a
//! small one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use bv::Word;
use ir::Mutant;

use super::fold;
use crate::Graft;
use crate::define::USED_PREFIX;
use crate::mutate::{MUTANTS, SITE_PREFIX};

/// Attributes of a copy: what calls it knows nothing of it, or has it inlined. No builtins: the compiler
/// would believe what the C library promises.
const APART: &str = "#9000";
const INLINE: &str = "#9001";
const ATTRIBUTES: &str = "
attributes #9000 = { noinline nounwind null_pointer_is_valid \"no-builtins\" }
attributes #9001 = { alwaysinline nounwind null_pointer_is_valid \"no-builtins\" }
";

/// The address of a label, as in `&&label`.
const LABEL: &str = "blockaddress(";

/// The meta-mutant, function by function.
pub(super) struct Texts<'t> {
    /// Types, attributes and the like.
    head: String,
    /// What can be left out if nobody mentions it, by name: globals, declarations, and small functions of
    /// ours that are always inlined.
    items: HashMap<String, String>,
    /// The same for metadata, by number. There is some for each mutant of the file.
    nodes: HashMap<&'t str, &'t str>,
    /// The user's functions.
    functions: HashMap<&'t str, Text<'t>>,
    sites: HashMap<&'t str, &'t str>,
    /// What sites give in the original, if that is always the same number.
    answers: HashMap<&'t str, Word>,
    /// The site of each mutant.
    places: HashMap<Mutant, &'t str>,
    /// Functions that may be called through pointers.
    addressed: HashSet<&'t str>,
    /// Functions that are called in the file, by the names that the user has for them.
    called: HashSet<&'t str>,
}

struct Text<'t> {
    whole: &'t str,
    /// In the original, announcements of uses aside: most of them are dropped at once.
    lines: usize,
    /// Those of the user's functions that it calls, as often as it does.
    calls: Vec<&'t str>,
}

impl<'t> Texts<'t> {
    pub(super) fn new(module: &'t str) -> Texts<'t> {
        let mut texts = Texts {
            head: String::new(),
            items: HashMap::new(),
            nodes: HashMap::new(),
            functions: HashMap::new(),
            sites: HashMap::new(),
            answers: HashMap::new(),
            places: HashMap::new(),
            addressed: HashSet::new(),
            called: HashSet::new(),
        };
        let mut head: Vec<&'t str> = Vec::new();
        let mut rest = module;
        while let Some(start) = find_line(rest, "define ") {
            head.extend(rest[..start].lines());
            let end = start + rest[start..].find("\n}\n").expect("a definition has an end") + 3;
            texts.add(&rest[start..end]);
            rest = &rest[end..];
        }
        head.extend(rest.lines());
        texts.count_lines();
        texts.find_calls(&head);
        for line in head {
            match line.split_once(" = ").and_then(|(name, _)| name.strip_prefix('!')) {
                Some(number) if is_number(number) => drop(texts.nodes.insert(number, line)),
                // It lists all mutants of the file.
                Some(MUTANTS) => {}
                _ => texts.add_to_head(&without_labels(&without_resolver(line))),
            }
        }
        texts.head += ATTRIBUTES;
        for (name, text) in &texts.functions {
            texts.items.insert(name.to_string(), declaration(text.whole));
        }
        texts
    }

    /// Takes a line that stands outside of all functions.
    fn add_to_head(&mut self, line: &str) {
        let is_item = line.starts_with('@') || line.starts_with("declare ");
        match names(line).next().filter(|_| is_item) {
            Some(found) => self.items.insert(found.name.to_string(), line.to_string()),
            None => {
                self.head += line;
                self.head += "\n";
                None
            }
        };
    }

    fn add(&mut self, whole: &'t str) {
        let name = names(whole).next().expect("a definition has a name").name;
        if name.starts_with(SITE_PREFIX) {
            self.places.extend(arms(whole).map(|mutant| (mutant, name)));
            self.answers.extend(answer(whole, Mutant::ORIGINAL).map(|number| (name, number)));
            self.sites.insert(name, whole);
        } else if name.starts_with("whet.") {
            self.items.insert(name.to_string(), whole.to_string());
        } else if whole.contains(LABEL) || whole.contains("\n  indirectbr ") {
            // The labels are those of this function, and a copy has none that anybody could jump to.
            self.items.insert(name.to_string(), declaration(whole));
        } else {
            self.functions.insert(name, Text { whole, lines: 0, calls: vec![] });
        }
    }

    fn count_lines(&mut self) {
        let Texts { functions, answers, .. } = self;
        for text in functions.values_mut() {
            let original = fold::folded(text.whole, &|site| answers.get(site).copied());
            text.lines = original.lines().filter(|line| !line.contains(USED_PREFIX)).count();
        }
    }

    /// `head` has the initialisers of globals.
    fn find_calls(&mut self, head: &[&str]) {
        let known: HashSet<&'t str> = self.functions.keys().copied().collect();
        let mentioned = head.iter().flat_map(|line| names(line));
        let mut addressed: HashSet<&'t str> =
            mentioned.filter_map(|found| known.get(found.name).copied()).collect();
        for text in self.functions.values_mut() {
            for found in names(text.whole).skip(1).filter(|found| known.contains(found.name)) {
                if found.is_called {
                    text.calls.push(found.name);
                } else {
                    addressed.insert(found.name);
                }
            }
        }
        // A function that asks a version to stand in for it hands on what it was given.
        let stands_in = |caller: &str, callee: &str| !Graft::is_grafted(caller) && Graft::is_grafted(callee);
        let calls = self.functions.iter().flat_map(|(caller, text)| {
            text.calls.iter().copied().filter(|callee| !stands_in(caller, callee))
        });
        self.called = calls.chain(addressed.iter().copied()).map(Graft::plain).collect();
        self.addressed = addressed;
    }

    /// What a site gives under a mutant, if that is always the same number.
    fn answer(&self, site: &str, mutant: Mutant) -> Option<Word> {
        match self.places.get(&mutant) {
            Some(place) if *place == site => answer(self.sites[site], mutant),
            _ => self.answers.get(site).copied(),
        }
    }

    pub(super) fn has(&self, function: &str) -> bool {
        self.functions.contains_key(function)
    }

    /// The functions that it calls by their names.
    pub(super) fn calls(&self, function: &str) -> &[&'t str] {
        self.functions.get(function).map_or(&[], |text| &text.calls)
    }

    /// The function of a version that stands in for one of the file, if this mutant is such a version.
    pub(super) fn stand_in(&self, function: &str, mutant: Mutant) -> Option<&'t str> {
        let asks = !Graft::is_grafted(function);
        self.calls(function).iter().copied().find(|callee| asks && Graft::is_of(callee, mutant.0))
    }

    pub(super) fn lines(&self, function: &str) -> usize {
        self.functions.get(function).map_or(0, |text| text.lines)
    }

    /// Whether a function of the file may call it, and hand it what nobody assigned.
    pub(super) fn is_called(&self, function: &str) -> bool {
        self.called.contains(Graft::plain(function))
    }

    /// Whether it may be called through a pointer.
    pub(super) fn is_addressed(&self, function: &str) -> bool {
        self.addressed.contains(function)
    }
}

/// What becomes of a call in a copy.
pub(super) enum Callee {
    /// Nothing is known of what is called.
    Outside,
    /// It is inlined as it is under this mutant.
    Inlined(Mutant),
    /// Nothing is known of it but that it is the same as this one.
    Renamed(String),
}

/// What becomes of a call, by what is called.
pub(super) type Callees<'f> = dyn Fn(&str) -> Callee + 'f;

/// A module in the making.
pub(super) struct Copies<'a, 't> {
    texts: &'a Texts<'t>,
    text: String,
    /// What is in it already: functions and arms of sites, by their new names.
    present: HashSet<String>,
}

impl<'a, 't> Copies<'a, 't> {
    pub(super) fn new(texts: &'a Texts<'t>) -> Copies<'a, 't> {
        Copies { texts, text: texts.head.clone(), present: HashSet::new() }
    }

    /// The module, with all that the copies mention.
    pub(super) fn text(self) -> String {
        let Copies { texts, mut text, .. } = self;
        let (mut seen, mut seen_nodes): (HashSet<&str>, HashSet<&str>) = (HashSet::new(), HashSet::new());
        let mut read = 0;
        while read < text.len() {
            let items = names(&text[read..]).filter_map(|found| texts.items.get_key_value(found.name));
            let items = items.filter(|(name, _)| seen.insert(name)).map(|(_, item)| item.as_str());
            let nodes = nodes(&text[read..]).filter_map(|number| texts.nodes.get_key_value(number));
            let nodes = nodes.filter(|(number, _)| seen_nodes.insert(number)).map(|(_, line)| *line);
            let new: Vec<&str> = items.chain(nodes).collect();
            read = text.len();
            for mentioned in new {
                text += mentioned;
                text += "\n";
            }
        }
        text
    }

    /// Copies a function as it is under a mutant; returns the name of the copy.
    pub(super) fn add(&mut self, function: &str, mutant: Mutant, callees: &Callees) -> String {
        self.copy(function, mutant, APART, callees)
    }

    fn copy(&mut self, function: &str, mutant: Mutant, attributes: &str, callees: &Callees) -> String {
        let suffix = if attributes == INLINE { ".in" } else { "" };
        let name = format!("whet.copy.{function}.{}{suffix}", mutant.0);
        if !self.present.insert(name.clone()) {
            return name;
        }
        let texts = self.texts;
        // As it is: if it were inlined, its variables would have marks of where they begin and end.
        let whole = texts.functions[texts.stand_in(function, mutant).unwrap_or(function)].whole;
        let whole = &fold::folded(whole, &|site| texts.answer(site, mutant));
        let mut text = String::with_capacity(whole.len() + whole.len() / 8);
        let mut done = 0;
        for (at, found) in names(whole).enumerate() {
            let is_known = found.is_called && texts.has(found.name);
            let callee = || if is_known { callees(found.name) } else { Callee::Outside };
            let new = if at == 0 {
                name.clone()
            } else if found.name.starts_with(SITE_PREFIX) {
                self.arm(found.name, mutant)
            } else {
                match callee() {
                    Callee::Outside => continue,
                    Callee::Inlined(mutant) => self.copy(found.name, mutant, INLINE, callees),
                    Callee::Renamed(name) => name,
                }
            };
            text += &whole[done..found.start];
            text += &format!("@\"{new}\"");
            done = found.end;
        }
        text += &whole[done..];
        self.text += &with_attributes(&text, attributes);
        name
    }

    /// The arm of a site that runs under a mutant.
    fn arm(&mut self, site: &str, mutant: Mutant) -> String {
        let mutant = if self.texts.places.get(&mutant) == Some(&site) { mutant } else { Mutant::ORIGINAL };
        let name = format!("{site}.{}", mutant.0);
        if self.present.insert(name.clone()) {
            let whole = self.texts.sites[site];
            let (line, _) = whole.split_once('\n').expect("a definition has lines");
            let found = names(line).next().expect("a definition has a name");
            // One block is inlined in no time; a switch would have to be taken apart again in every copy.
            let block = block(whole, mutant);
            self.text +=
                &format!("{}@\"{name}\"{}\nentry:\n{block}}}\n", &line[..found.start], &line[found.end..]);
        }
        name
    }
}

/// A name in the text.
struct Found<'t> {
    name: &'t str,
    /// With the sign before it, and quotes.
    start: usize,
    end: usize,
    /// What follows are arguments.
    is_called: bool,
}

/// The names of globals and functions in a text, in order.
fn names(text: &str) -> impl Iterator<Item = Found<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find('@')?;
        let (name, length) = fold::first_name(&text[start + 1..]);
        let end = (start + 1 + length).min(text.len());
        from = end;
        Some(Found { name, start, end, is_called: text[end..].starts_with('(') })
    })
}

/// The numbers of the metadata that a text mentions.
fn nodes(text: &str) -> impl Iterator<Item = &str> {
    text.split('!').skip(1).filter_map(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| &rest[..digits])
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The instructions of a site for one of its mutants.
fn block(site: &str, mutant: Mutant) -> &str {
    let label = if mutant == Mutant::ORIGINAL { "original:".to_string() } else { format!("m{}:", mutant.0) };
    let start = find_line(site, &label).expect("a site has a block for each of its mutants");
    let body = &site[start..];
    let body = &body[body.find('\n').expect("a block has lines") + 1..];
    &body[..body.find("\n\n").map_or_else(|| body.rfind('}').expect("a definition has an end"), |at| at + 1)]
}

/// What a site gives under one of its mutants, if it does nothing else.
fn answer(site: &str, mutant: Mutant) -> Option<Word> {
    let (of, text) = block(site, mutant).trim().strip_prefix("ret ")?.split_once(' ')?;
    fold::literal(of, text)
}

/// The mutants of a site: the cases of its switch.
fn arms(site: &str) -> impl Iterator<Item = Mutant> + '_ {
    site.lines().filter_map(|line| {
        let (number, label) = line.trim_start().strip_prefix("i32 ")?.split_once(',')?;
        label.trim_start().starts_with("label %m").then_some(())?;
        number.parse().ok().map(Mutant)
    })
}

/// A definition with other attributes.
fn with_attributes(text: &str, attributes: &str) -> String {
    let (line, rest) = text.split_at(text.find('\n').expect("a definition has lines"));
    let line = without_linkage(line);
    let group = line.rfind(" #").expect("a defined function has attributes");
    let digits = line[group + 2..].bytes().take_while(u8::is_ascii_digit).count();
    format!("define {} {attributes}{}{rest}", &line[..group], &line[group + 2 + digits..])
}

fn declaration(definition: &str) -> String {
    let line = without_linkage(definition.lines().next().expect("a definition has lines"));
    format!("declare {}\n", line.trim_end_matches('{').trim_end())
}

/// What a definition's first line says of type, name and parameters.
fn without_linkage(mut line: &str) -> &str {
    const WORDS: &[&str] = &[
        "define ",
        "internal ",
        "private ",
        "external ",
        "available_externally ",
        "common ",
        "weak ",
        "weak_odr ",
        "linkonce ",
        "linkonce_odr ",
        "dso_local ",
        "hidden ",
        "protected ",
    ];
    while let Some(rest) = WORDS.iter().find_map(|word| line.strip_prefix(word)) {
        line = rest;
    }
    line
}

/// A line of the head. The function that chooses another (`ifunc`) is only declared there, which LLVM does
/// not allow: then nothing is known of what it chooses, but for where it is.
fn without_resolver(line: &str) -> Cow<'_, str> {
    let is_kind = |word: &&str| ["ifunc", "global", "constant"].contains(word);
    let kind = |said: &'_ str| said.split(' ').find(is_kind) == Some("ifunc");
    match line.split_once(" = ") {
        Some((name, said)) if name.starts_with('@') && kind(said) => {
            format!("{name} = external global i8").into()
        }
        _ => line.into(),
    }
}

/// A line of the head. A table of labels is defined elsewhere: the function with the labels is only declared.
fn without_labels(line: &str) -> Cow<'_, str> {
    let global = line.split_once(" = ").filter(|(name, _)| name.starts_with('@') && line.contains(LABEL));
    match global {
        Some((name, _)) => format!("{name} = external global ptr").into(),
        None => line.into(),
    }
}

fn find_line(text: &str, start: &str) -> Option<usize> {
    if text.starts_with(start) { Some(0) } else { text.find(&format!("\n{start}")).map(|at| at + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
@table = global ptr @odd
define internal i32 @odd(i32 %a) #0 {
  %x = call i32 @whet.site.1(i32 %a)
  ret i32 %x
}
define dso_local i32 @\"a b\"(i32 %a) #1 {
  %x = call i32 @odd(i32 %a)
  ret i32 %x
}
define internal i32 @whet.site.1(i32 %a) #2 {
entry:
  %mutant = load i32, ptr @__whet_mutant, align 4
  switch i32 %mutant, label %original [
    i32 7, label %m7
  ]

original:                                         ; preds = %entry
  ret i32 %a

m7:                                               ; preds = %entry
  ret i32 7
}
";

    #[test]
    fn a_copy_has_the_arm_of_its_mutant() {
        let texts = Texts::new(MODULE);
        assert!(texts.is_addressed("odd") && !texts.is_addressed("a b"));
        let mut copies = Copies::new(&texts);
        assert_eq!(copies.add("odd", Mutant(7), &|_| Callee::Outside), "whet.copy.odd.7");
        let text = copies.text();
        assert!(!text.contains("@odd(") && !text.contains("@table"), "{text}");
        assert!(text.contains("define i32 @\"whet.copy.odd.7\"(i32 %a) #9000 {\n"), "{text}");
        assert!(text.contains("call i32 @\"whet.site.1.7\"(i32 %a)"), "{text}");
        assert!(text.contains("@\"whet.site.1.7\"(i32 %a) #2 {\nentry:\n  ret i32 7\n}\n"), "{text}");
    }

    #[test]
    fn what_is_mentioned_is_declared() {
        let texts = Texts::new(MODULE);
        let mut copies = Copies::new(&texts);
        copies.add("a b", Mutant(7), &|_| Callee::Outside);
        let text = copies.text();
        assert!(text.contains("declare i32 @odd(i32 %a) #0\n") && !text.contains("@table"), "{text}");
        let mut copies = Copies::new(&texts);
        copies.add("a b", Mutant(7), &|_| Callee::Renamed("table".to_string()));
        let text = copies.text();
        assert!(text.contains("@table = global ptr @odd\n") && text.contains("declare i32 @odd"), "{text}");
    }

    #[test]
    fn metadata_of_other_mutants_is_left_out() {
        let module = MODULE.replace("  ret i32 7\n", "  ret i32 7, !whet.mutant !2\n");
        let module = format!(
            "{module}!llvm.ident = !{{!0}}\n!whet.mutants = !{{!1, !2}}\n!0 = !{{!4}}\n!1 = !{{i32 6}}\n!2 = !{{i32 7}}\n!4 = !{{}}\n"
        );
        let texts = Texts::new(&module);
        let mut copies = Copies::new(&texts);
        copies.add("odd", Mutant(7), &|_| Callee::Outside);
        let text = copies.text();
        for (line, is_there) in [("!0 =", true), ("!1 =", false), ("!2 =", true), ("!4 =", true)] {
            assert_eq!(find_line(&text, line).is_some(), is_there, "{line} {text}");
        }
        assert!(!text.contains("!whet.mutants") && text.contains("!llvm.ident = !{!0}\n"), "{text}");
    }

    #[test]
    fn what_is_inlined_is_copied_along() {
        let texts = Texts::new(MODULE);
        let mut copies = Copies::new(&texts);
        copies.add("a b", Mutant(7), &|_| Callee::Inlined(Mutant(7)));
        let text = copies.text();
        assert!(text.contains("call i32 @\"whet.copy.odd.7.in\"(i32 %a)"), "{text}");
        assert!(text.contains("define i32 @\"whet.copy.odd.7.in\"(i32 %a) #9001 {\n"), "{text}");
    }
}
