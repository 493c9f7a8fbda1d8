//! Where two versions differ, and which functions can notice.
//!
//! Two versions *agree* about a symbol if both define it in the same words, or both only declare it in
//! the same words. A function *touches* each symbol that it mentions in either version, and those that
//! they mention. Claim: if the versions agree about all that a function touches, they are the same code
//! for it. For then both texts of the function are the same, so they mention the same symbols, and so on.
//!
//! Three things reach further than a text says:
//! - What runs before `main` is touched by all.
//! - A variable that can be written may come to hold each address that is taken
//!   by someone who also mentions the variable.
//! - An inline function that nobody compiled has no text.

use std::collections::{BTreeMap, BTreeSet};

use super::fingerprint::{Fingerprint, Symbol, SymbolKind};

/// Lists of functions that run before and after everything else.
const UNASKED: [&str; 2] = ["llvm.global_ctors", "llvm.global_dtors"];

/// How one version differs from another, the base.
pub(super) struct Changes {
    /// What the version cannot share with the base, and has to bring along.
    pub brought: BTreeSet<String>,
    /// The functions of the base that touch something that the two do not agree
    /// about, each with the reason why nothing can be said of it.
    pub touched: BTreeMap<String, Option<String>>,
    /// The variables that other files see and that are not the same, each with what is said of it.
    pub variables: Vec<(String, String)>,
    /// The second names that other files see and that are not the same.
    pub seconds: BTreeMap<String, Second>,
}

/// What became of a second name of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Second {
    Removed,
    Added,
    /// It means something else.
    Other,
}

impl Fingerprint {
    /// How this version differs from a base, some of whose functions have other names here.
    pub(super) fn changes(&self, base: &Fingerprint, renamed: &[(String, String)]) -> Changes {
        let comparison = Comparison { base, version: self, renamed };
        let brought = comparison.brought();
        let variables = comparison.variables(&brought);
        let seconds = comparison.seconds();
        Changes { touched: comparison.touched(&brought), variables, seconds, brought }
    }
}

struct Comparison<'a> {
    base: &'a Fingerprint,
    version: &'a Fingerprint,
    renamed: &'a [(String, String)],
}

impl Comparison<'_> {
    fn both(&self, name: &str) -> (Option<&Symbol>, Option<&Symbol>) {
        (self.base.symbols.get(name), self.version.symbols.get(name))
    }

    fn agree(&self, name: &str) -> bool {
        let is_renamed = self.renamed.iter().any(|(old, new)| old == name || new == name);
        match self.both(name) {
            (Some(one), Some(other)) => {
                !is_renamed && !self.is_unseen(name) && one.text == other.text && one.defined == other.defined
            }
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether it is an inline function that the module only declares, so that nobody knows its body.
    fn is_unseen(&self, name: &str) -> bool {
        [self.base, self.version]
            .iter()
            .any(|of| of.inline.contains(name) && of.symbols.get(name).is_some_and(|symbol| !symbol.defined))
    }

    /// What the version has otherwise, and whatever leads there in a way that does not ask which
    /// mutant runs: the address of a variable, or of a function that none of the base stands in for.
    fn brought(&self) -> BTreeSet<String> {
        let defined = || self.version.symbols.iter().filter(|(_, symbol)| symbol.defined);
        let mut brought: BTreeSet<String> =
            defined().filter(|(name, _)| !self.agree(name)).map(|(name, _)| name.clone()).collect();
        loop {
            let leads = |symbol: &Symbol| {
                symbol.mentions.iter().any(|name| brought.contains(name) && !self.asks(name))
            };
            let more: Vec<String> = defined()
                .filter(|(name, symbol)| !brought.contains(*name) && leads(symbol))
                .map(|(name, _)| name.clone())
                .collect();
            if more.is_empty() {
                return brought;
            }
            brought.extend(more);
        }
    }

    /// Whether the function of this name in the base asks at its entry which mutant runs.
    fn asks(&self, name: &str) -> bool {
        let is_body = |symbol: &Symbol| symbol.kind == SymbolKind::Function && symbol.defined;
        match self.both(name) {
            (Some(one), Some(other)) => is_body(one) && is_body(other) && one.of == other.of,
            _ => false,
        }
    }

    fn touched(&self, brought: &BTreeSet<String>) -> BTreeMap<String, Option<String>> {
        let everywhere = self.unasked();
        let held = self.held();
        let mut touched = BTreeMap::new();
        for name in self.base.functions() {
            let reach = self.reach(name, &held);
            let mut differing = reach.iter().filter(|name| !self.agree(name) || brought.contains(*name));
            let fault = differing.clone().find_map(|name| self.fault(name));
            if everywhere.is_some() || differing.next().is_some() {
                touched.insert(name.clone(), everywhere.clone().or(fault));
            }
        }
        touched
    }

    /// What other files see of the changes, beside functions.
    fn variables(&self, brought: &BTreeSet<String>) -> Vec<(String, String)> {
        let is_seen = |(_, symbol): &(&String, &Symbol)| {
            symbol.kind != SymbolKind::Function && symbol.external && symbol.defined
        };
        let seen = self.base.symbols.iter().filter(is_seen).map(|(name, _)| name);
        let what = |name: &String| match self.both(name) {
            (_, None) => Some("it is not in the new file"),
            (_, Some(other)) if !other.defined || !other.external => {
                Some("other files no longer find it here")
            }
            _ if !self.agree(name) || brought.contains(name) => Some("it starts with another value"),
            _ => None,
        };
        let named = |name: &String| !name.starts_with("llvm.");
        seen.filter(|name| named(name))
            .filter_map(|name| Some((name.clone(), what(name)?.to_string())))
            .collect()
    }

    /// The second names that are not the same. What both stand for is compared under its first name.
    fn seconds(&self) -> BTreeMap<String, Second> {
        let is_first = |of: &Fingerprint, name: &str| {
            of.symbols.get(name).is_some_and(|symbol| symbol.defined && symbol.external)
        };
        let change = |name: &String| match (self.base.seconds.get(name), self.version.seconds.get(name)) {
            (Some(one), Some(other)) => (one != other).then_some(Second::Other),
            (Some(_), None) if is_first(self.version, name) => Some(Second::Other),
            (None, Some(_)) if is_first(self.base, name) => Some(Second::Other),
            (Some(_), None) => Some(Second::Removed),
            (None, Some(_)) => Some(Second::Added),
            (None, None) => None,
        };
        let names: BTreeSet<&String> = self.base.seconds.keys().chain(self.version.seconds.keys()).collect();
        names.into_iter().filter_map(|name| Some((name.clone(), change(name)?))).collect()
    }

    /// Why nothing can be said of any function.
    fn unasked(&self) -> Option<String> {
        if self.base.assembly != self.version.assembly {
            return Some("the assembly outside of functions is not the same".to_string());
        }
        let held = BTreeMap::new();
        let differs = |name: &&str| self.reach(name, &held).iter().any(|name| !self.agree(name));
        let found = UNASKED.into_iter().find(differs);
        found.map(|_| "functions that run before or after `main` are not the same".to_string())
    }

    /// For each variable that can be written, the addresses that it may come to hold.
    fn held(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut held: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for symbol in self.base.symbols.values().chain(self.version.symbols.values()) {
            for variable in symbol.mentions.iter().filter(|name| self.can_hold(name)) {
                held.entry(variable).or_default().extend(symbol.addresses.iter().map(String::as_str));
            }
        }
        held
    }

    fn can_hold(&self, name: &str) -> bool {
        let (one, other) = self.both(name);
        one.is_some_and(Symbol::can_hold) || other.is_some_and(Symbol::can_hold)
    }

    /// All that a symbol touches, itself included.
    fn reach(&self, name: &str, held: &BTreeMap<&str, BTreeSet<&str>>) -> BTreeSet<String> {
        let mut reach = BTreeSet::from([name.to_string()]);
        let mut waiting = vec![name.to_string()];
        while let Some(name) = waiting.pop() {
            let other = self.renamed.iter().find(|(old, _)| *old == name).map(|(_, new)| new.clone());
            let (one, two) = self.both(&name);
            let mentioned = one.into_iter().chain(two).flat_map(|symbol| symbol.mentions.iter().cloned());
            let held = held.get(name.as_str()).into_iter().flatten().map(|name| name.to_string());
            let all: Vec<String> = mentioned.chain(held).chain(other).collect();
            waiting.extend(all.into_iter().filter(|name| reach.insert(name.clone())));
        }
        reach
    }

    /// Why nothing can be said of a function that touches this symbol, about which the two do not agree.
    fn fault(&self, name: &str) -> Option<String> {
        let (Some(one), Some(other)) = self.both(name) else { return None };
        let both_are = |kind: SymbolKind| one.kind == kind && other.kind == kind;
        if self.is_unseen(name) {
            return Some(format!("the inline function `{name}` is not compiled here: make it `static`"));
        }
        if one.defined != other.defined {
            return Some(format!("`{name}` is defined in one of the files only"));
        }
        if one.kind != other.kind || both_are(SymbolKind::Alias) {
            return Some(format!("`{name}` stands for something else"));
        }
        // Nobody but the file itself says what a constant holds.
        let is_seen = one.external && other.external && !(one.constant && other.constant);
        (both_are(SymbolKind::Variable) && is_seen).then(|| match one.defined {
            true => format!("`{name}` starts with another value"),
            false => format!("`{name}` is of another type"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of the functions of one text in the place of another: those
    /// that touch a difference, with the reason if nothing can be said.
    fn check(base: &str, version: &str, expect: &str) {
        let of = |text: &str| Fingerprint::read(text, &BTreeMap::new());
        let changes = of(version).changes(&of(base), &[]);
        let touched = changes.touched.iter().map(|(name, fault)| match fault {
            Some(fault) => format!("{name}: {fault}"),
            None => name.clone(),
        });
        assert_eq!(touched.collect::<Vec<_>>().join("; "), expect);
    }

    const F: &str = "define i32 @f() #0 {\n  %0 = call i32 @g()\n  ret i32 %0\n}\n";

    #[test]
    fn a_function_touches_what_it_leads_to() {
        let g = |body: &str| format!("define i32 @g() #0 {{\n  {body}\n}}\n{F}");
        check(&g("ret i32 1"), &g("ret i32 1"), "");
        check(&g("ret i32 1"), &g("ret i32 2"), "f; g");
        check(
            &g("ret i32 1"),
            &format!("declare i32 @g()\n{F}"),
            "f: `g` is defined in one of the files only; g: `g` is defined in one of the files only",
        );
    }

    #[test]
    fn constants_without_names_are_what_they_hold() {
        let f = |text: &str| {
            format!(
                "@.str = private constant [3 x i8] c\"{text}\\00\"\n@.tab = private constant [1 x ptr] [ptr @.str]\n\
                define ptr @f() {{\n  ret ptr @.tab\n}}\n"
            )
        };
        check(&f("a #1"), &f("a #1"), "");
        check(&f("a #1"), &f("a #2"), "f");
        check(&f("x"), &f("x").replace(".str", ".str.7"), "");
    }

    #[test]
    fn a_variable_may_hold_what_is_put_into_it() {
        let hook = |body: &str| {
            format!(
                "@hook = internal global ptr null\ndefine internal i32 @g() {{\n  ret i32 {body}\n}}\n\
                define void @set() {{\n  store ptr @g, ptr @hook\n  ret void\n}}\n\
                define i32 @f() {{\n  %0 = load ptr, ptr @hook\n  %1 = call i32 %0()\n  ret i32 %1\n}}\n\
                define i32 @other() {{\n  ret i32 0\n}}\n"
            )
        };
        check(&hook("1"), &hook("2"), "f; g; set");
    }

    #[test]
    fn a_type_is_what_it_is_made_of() {
        let f = |of: &str| {
            format!(
                "%struct.s = type {{ %struct.t }}\n%struct.t = type {{ {of} }}\n\
                define i64 @f() {{\n  ret i64 ptrtoint (ptr getelementptr (%struct.s, ptr null, i32 1) to i64)\n}}\n"
            )
        };
        check(&f("i32"), &f("i32"), "");
        check(&f("i32"), &f("i64"), "f");
    }
}
