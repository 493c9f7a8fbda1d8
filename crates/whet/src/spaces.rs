//! Which inputs the user wants to have looked at.

use anyhow::bail;
use ir::{FunctionId, GlobalId, Program, Space, named_globals, reachable, related};

use crate::cli::Search;

/// What the flags say, for all subjects.
pub(crate) struct Spaces {
    size: u32,
    depth: u32,
    /// By the names of the parameters.
    may_alias: Vec<(String, String)>,
    globals: Vec<GlobalId>,
    /// Those that a test can name.
    functions: Vec<FunctionId>,
}

impl Spaces {
    pub(crate) fn new(
        search: &Search,
        program: &Program,
        functions: &[FunctionId],
    ) -> anyhow::Result<Spaces> {
        let mut may_alias = Vec::new();
        for pair in &search.may_alias {
            let Some((one, other)) = pair.split_once(',') else {
                bail!(
                    "--may-alias takes the names of two parameters, as in --may-alias from,to; not `{pair}`"
                );
            };
            let (one, other) = (one.trim().to_string(), other.trim().to_string());
            let has = |function: &ir::Function, name: &str| {
                function.signature.parameters.iter().any(|parameter| parameter.name == name)
            };
            if !program.functions.iter().any(|function| has(function, &one) && has(function, &other)) {
                bail!("--may-alias {pair}: no function has two parameters with these names");
            }
            let of = |function: &ir::Function, name: &str| {
                let parameters = &function.signature.parameters;
                parameters.iter().find(|parameter| parameter.name == name).map(|it| program.of(it.of).clone())
            };
            let is_like = |function: &ir::Function| match (of(function, &one), of(function, &other)) {
                (Some(ir::Type::Pointer(one)), Some(ir::Type::Pointer(other))) => one.to == other.to,
                _ => false,
            };
            if !program.functions.iter().any(is_like) {
                bail!("--may-alias {pair}: the two parameters must point to the same type");
            }
            may_alias.push((one, other));
        }
        let mut globals = Vec::new();
        for name in &search.globals {
            let named = program
                .globals
                .iter()
                .position(|global| global.name == *name && !global.constant && global.external);
            let Some(at) = named else {
                bail!(
                    "--global {name}: no function of this file uses a global variable `{name}` that a test can set"
                );
            };
            globals.push(GlobalId(at as u32));
        }
        globals.sort();
        globals.dedup();
        let functions = functions.to_vec();
        Ok(Spaces { size: search.size, depth: search.depth, may_alias, globals, functions })
    }

    pub(crate) fn of(&self, program: &Program, subject: FunctionId) -> Space {
        let parameters = &program.function(subject).signature.parameters;
        let at = |name: &String| parameters.iter().position(|parameter| parameter.name == *name);
        let may_alias = self.may_alias.iter().filter_map(|(one, other)| Some((at(one)?, at(other)?)));
        let mut may_alias: Vec<(usize, usize)> = may_alias.collect();
        if may_alias.is_empty() {
            may_alias = related(program, subject);
        }
        let (mut globals, functions) = (self.globals.clone(), Some(self.functions.clone()));
        let reached = || reachable(program, subject).into_iter().collect();
        let reads = |id: &GlobalId| named_globals(program, &reached()).contains(id);
        globals.extend(program.standard_input().filter(reads));
        globals.sort();
        globals.dedup();
        Space { size: self.size, pointers: self.size, depth: self.depth, may_alias, globals, functions }
    }
}
