//! Definitions that only the linker needs: variables and functions that are
//! defined elsewhere, and mentioned only in code that no test runs.

use std::collections::BTreeSet;

use ir::{Elsewhere, External, ExternalId, Program, Type, TypeId};

use crate::Suite;
use crate::declare::{declare, function};

pub(crate) struct Link<'a> {
    program: &'a Program,
    elsewhere: &'a [Elsewhere],
    /// Functions that no tested one may call.
    uncalled: Vec<&'a External>,
}

impl<'a> Link<'a> {
    /// All that has no stub, given the functions that the subjects may call.
    pub(crate) fn new(suite: &Suite<'a>, reached: &BTreeSet<ExternalId>) -> Link<'a> {
        let externals = (0..).map(ExternalId).zip(&suite.program.externals);
        let uncalled = externals.filter(|(id, external)| !external.prints && !reached.contains(id));
        let uncalled = uncalled.map(|(_, external)| external).collect();
        Link { program: suite.program, elsewhere: suite.elsewhere, uncalled }
    }

    /// The types that the definitions name.
    pub(crate) fn types(&self) -> impl Iterator<Item = TypeId> {
        let functions = self.uncalled.iter().flat_map(|it| it.parameters.iter().chain(&it.result)).copied();
        functions.chain(self.elsewhere.iter().map(|it| it.of))
    }

    /// Definitions that say as little as they can.
    pub(crate) fn definitions(&self) -> String {
        if self.elsewhere.is_empty() && self.uncalled.is_empty() {
            return String::new();
        }
        let defined = self.elsewhere.iter().map(|it| self.define(it));
        let functions = self.uncalled.iter().map(|it| self.empty(&it.name, &it.parameters, it.result));
        let lines: Vec<String> = defined.chain(functions).collect();
        format!("\n/* Defined elsewhere: no test needs them, but the linker does. */\n{}", lines.concat())
    }

    fn define(&self, Elsewhere { name, of }: &Elsewhere) -> String {
        match self.program.of(*of) {
            Type::Function { parameters, result, .. } => self.empty(name, parameters, *result),
            Type::Opaque { size, .. } => format!("char {name}[{}];\n", size.max(&1)),
            _ => format!("{};\n", declare(self.program, *of, name)),
        }
    }

    /// A function that does nothing, and returns zero of whatever type it is.
    fn empty(&self, name: &str, parameters: &[TypeId], result: Option<TypeId>) -> String {
        let argument = |at: usize| format!("argument_{}", at + 1);
        let declared =
            parameters.iter().enumerate().map(|(at, of)| declare(self.program, *of, &argument(at)));
        let mut lines: Vec<String> =
            (0..parameters.len()).map(|at| format!("    (void){};\n", argument(at))).collect();
        if let Some(of) = result {
            lines.insert(0, format!("    static {};\n", declare(self.program, of, "nothing")));
            lines.push("    return nothing;\n".to_string());
        }
        let head = function(self.program, name, declared.collect(), result);
        match lines.is_empty() {
            true => format!("{head} {{}}\n"),
            false => format!("{head}\n{{\n{}}}\n", lines.concat()),
        }
    }
}
