//! From a C file's module to the meta-mutant: one module that holds the
//! original and every mutant. The table of operators is in [`operators`].
//!
//! There are three steps. [`plan`] walks over the expressions of the source. For each one
//! that an operator applies to, it finds the instruction that clang made of it, by its
//! debug location. It leaves alone what it cannot find without doubt: a mutant whose source
//! and code disagree is worse than none. Then the mutants are numbered, in the order of the
//! source. Then [`site`] moves each mutated operation into a function of its own.
//!
//! After meta-mutants in Riener, Bloem, Fey, "Test case generation from mutants
//! using model checking techniques" (2011).

pub(crate) mod binary;
mod case;
pub(crate) mod choice;
mod comments;
mod constant;
mod expansion;
pub(crate) mod instrument;
mod number;
mod operation;
pub mod operators;
pub(crate) mod places;
mod plan;
mod pointer;
mod site;
pub(crate) mod special;
mod unary;
mod variable;
mod wording;

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;
use source::Change;

use crate::ast::{Ast, Function, HeaderId};
use crate::sources::Sources;
use choice::Choice;
use comments::Comments;
pub use comments::{Idle, Why};
use operators::Operators;
use plan::{Anchor, Site, Variant};
pub(crate) use site::{MUTANTS, SITE_PREFIX, version_site};

/// Puts every mutated operation of `module` into a site function; returns the changes, in the
/// order of mutant numbers 1, 2, …, and the comments that should suppress mutants, but suppress
/// none. The module was compiled with these choices in it, and the tree has its places there.
pub(crate) fn build<'c>(
    module: &Module<'c>,
    ast: &Ast,
    sources: Sources,
    choices: &[Choice],
    operators: &Operators,
    is_chosen: impl Fn(&Function) -> bool,
) -> (Vec<Change>, Vec<Idle>) {
    let mut comments = Comments::new(sources);
    let mut sites: Vec<Site<'c>> = Vec::new();
    // Two operators may find the same place.
    let mut known: HashMap<Anchor<'c>, usize> = HashMap::new();
    // Two mutants never read the same.
    let mut seen = HashSet::new();
    for (at, function) in ast.functions.iter().enumerate().filter(|(_, function)| is_chosen(function)) {
        let text = sources.of(function.header);
        let mut planned = plan::plan(module, function, text, operators);
        // Choices are in the order of the functions.
        let first = choices.partition_point(|choice| choice.function < at);
        let own = choices[first..].iter().take_while(|choice| choice.function == at);
        let numbered = own.zip(first as u32 + 1..);
        planned.extend(numbered.map(|(choice, number)| plan::of_choice(function, choice, number)));
        for mut site in planned {
            site.variants.retain(|variant| {
                seen.insert((function.header, variant.edit.effect(text)))
                    && variant.edit.keeps_directives(text)
                    && !comments.keep_away(function.header, variant)
            });
            match known.get(&site.anchor) {
                Some(at) => sites[*at].variants.append(&mut site.variants),
                // A question is answered even if nobody wants to hear.
                None if site.variants.is_empty() && !matches!(site.anchor, Anchor::Choice(..)) => {}
                None => {
                    known.insert(site.anchor, sites.len());
                    sites.push(site);
                }
            }
        }
    }
    let changes = number(sources, &mut sites);
    site::insert(module, &sites);
    site::describe(module, &changes);
    let idle = comments.idle(ast, operators, is_chosen);
    (changes, idle)
}

/// Numbers the mutants in the order of the source; those of headers come last.
fn number(sources: Sources, sites: &mut [Site]) -> Vec<Change> {
    let mut variants: Vec<(Option<HeaderId>, &str, &mut Variant)> = sites
        .iter_mut()
        .flat_map(|site| {
            site.variants.iter_mut().map(|variant| (site.header, site.function.as_str(), variant))
        })
        .collect();
    // What stands at one place comes in the order in which it was found.
    variants.sort_by_key(|(header, _, variant)| (*header, variant.edit.range.start, variant.edit.range.end));
    let mut changes = Vec::new();
    for (header, function, variant) in variants {
        let text = sources.of(header);
        let change = Change::new(text, variant.operator.name(), function, variant.edit.clone());
        let parameter = variant.code.parameter();
        changes.push(Change { header: sources.name(header).map(str::to_string), parameter, ..change });
        variant.mutant = changes.len() as u32;
    }
    for site in sites {
        site.variants.sort_by_key(|variant| variant.mutant);
    }
    changes
}

#[cfg(test)]
mod soundness;
#[cfg(test)]
mod tests;
