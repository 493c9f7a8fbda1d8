//! The meta-mutant: one module that holds the original and every mutant.
//!
//! Three steps. [`plan`] walks over the expressions of the source and finds, for each that an
//! operator applies to, the instruction that clang made of it, by its debug location. What it
//! cannot find without doubt it leaves alone: a mutant whose source and whose code disagree is
//! worse than none. Then the mutants are numbered, in the order of the source. Then [`site`] moves
//! each mutated operation into a function of its own.
//!
//! After meta-mutants in Riener, Bloem, Fey, "Test case generation from mutants using model checking techniques" (2011).

mod constant;
mod number;
mod operation;
mod places;
mod plan;
mod site;
mod variable;
mod wording;

use std::collections::HashSet;

use inkwell::module::Module;
use source::{Change, Text};

use crate::ast::Ast;
use crate::operators::Operator;
use plan::Site;

/// Puts every mutated operation of `module` into a site function; returns the changes, in the
/// order of mutant numbers 1, 2, … Only these functions are mutated; all but `main`, which no test can
/// call, if none is named.
pub(crate) fn build<'c>(
    module: &Module<'c>,
    ast: &Ast,
    text: &Text,
    operators: &[Operator],
    functions: &[String],
) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut sites: Vec<Site<'c>> = Vec::new();
    // Two mutants never read the same.
    let mut seen = HashSet::new();
    for function in &ast.functions {
        let is_chosen =
            if functions.is_empty() { function.name != "main" } else { functions.contains(&function.name) };
        if !is_chosen {
            continue;
        }
        let mut planned = plan::plan(module, function, text, operators);
        planned.sort_by_key(|site| site.offset);
        for mut site in planned {
            site.variants.retain(|variant| seen.insert(variant.edit.clone()));
            if site.variants.is_empty() {
                continue;
            }
            for variant in &mut site.variants {
                let operator = variant.operator.name();
                changes.push(Change::new(text, operator, &function.name, variant.edit.clone()));
                variant.mutant = changes.len() as u32;
            }
            sites.push(site);
        }
    }
    site::insert(module, &sites);
    site::describe(module, &changes);
    changes
}

#[cfg(test)]
mod soundness;
#[cfg(test)]
mod tests;
