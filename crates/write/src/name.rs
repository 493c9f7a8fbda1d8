//! Names for tests: the function and the values it is called with.

use std::collections::HashSet;

use ir::Program;
use settle::Test;

use crate::c::literal;

/// A name for each test, all different.
pub fn names(program: &Program, tests: &[Test]) -> Vec<String> {
    let mut taken = HashSet::new();
    tests
        .iter()
        .map(|test| {
            let plain = name(program, test);
            let numbered = (2..).map(|number| format!("{plain}_{number}"));
            let free = std::iter::once(plain.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
            free.unwrap_or(plain)
        })
        .collect()
}

fn name(program: &Program, test: &Test) -> String {
    let function = program.function(test.subject);
    let values = function.signature.parameters.iter().zip(&test.input.arguments);
    let parts = values.map(|(parameter, word)| {
        let text = literal(*word, &parameter.scalar).to_lowercase();
        let text = text.trim_end_matches(['u', 'l']).replace('-', "minus_");
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>()
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        format!("test_{}", function.name)
    } else {
        format!("test_{}_{}", function.name, parts.join("_"))
    }
}
