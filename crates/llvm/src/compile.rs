//! From the file to the module that is mutated: the file as it is, and then with what we add to its text.
//!
//! Three things are added: uses of static functions that nobody uses, because clang would leave these out,
//! and doors ([`lift::appendix`]), both at the end; and choices where they are made ([`instrument`]). If C
//! has no words for one of these, we lose that one, and nothing else.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::FunctionValue;
use source::{Position, Text};

use crate::alias::Alias;
use crate::ast::{Ast, Function, HeaderId};
use crate::clang::{Clang, Job, complaints};
use crate::mutate::choice::Choice;
use crate::mutate::instrument::{self, Instrumented};
use crate::sources::Sources;
use crate::{Error, Options, Version, lift, parse, parse_with_aliases};

pub(crate) struct Compiler<'o> {
    /// The one that is there.
    pub(crate) clang: Clang,
    job: Job<'o>,
    /// Clang's own word on the file as it is.
    bitcode: Vec<u8>,
    /// Uses of static functions that nobody uses.
    uses: Vec<String>,
}

/// What functions of ours are called that use one of the user's.
const USE: &str = "__whet_use_";

impl<'o> Compiler<'o> {
    /// Compiles the file as it is.
    pub(crate) fn new(options: &'o Options) -> Result<Compiler<'o>, Error> {
        let job = Job { file: &options.file, flags: &options.flags, overflow: options.overflow };
        let (clang, bitcode) = Clang::find(options.clang.as_ref(), |clang| clang.compile(&job))?;
        Ok(Compiler { clang, job, bitcode, uses: vec![] })
    }

    /// The module with the static functions of the file that nobody uses. If clang does not take their uses,
    /// it is the one that there is.
    pub(crate) fn with_unused<'c>(
        &mut self,
        context: &'c Context,
        sources: Sources,
        functions: &[Function],
        plain: Module<'c>,
    ) -> Result<Module<'c>, Error> {
        let is_left_out = |function: &&Function| {
            function.is_static && function.header.is_none() && plain.get_function(&function.symbol).is_none()
        };
        // It returns the function, so that clang has to have it.
        let using = |(at, function): (usize, &Function)| {
            let name = &function.name;
            format!("void (*{USE}{at}(void))(void) {{ return (void (*)(void)){name}; }}\n")
        };
        let uses: Vec<String> = functions.iter().filter(is_left_out).enumerate().map(using).collect();
        if uses.is_empty() {
            return Ok(plain);
        }
        let added = Added { ends: uses, choices: vec![] };
        match self.with(context, sources, &added)? {
            Ok(module) => {
                self.uses = added.ends;
                Ok(module)
            }
            Err(_) => Ok(plain),
        }
    }

    /// The file as it is, and the names that its module does not have because of [aliases](crate::alias).
    pub(crate) fn plain<'c>(
        self,
        context: &'c Context,
    ) -> Result<(Compiler<'o>, Module<'c>, Vec<Alias>), Error> {
        let (module, aliases) = parse_with_aliases(context, &self.bitcode)?;
        Ok((self, module, aliases))
    }

    /// The bitcode of another version. It may be compiled as if it stood where the file stands.
    pub(crate) fn version(&self, version: &Version) -> Result<Vec<u8>, Error> {
        let unreadable = |source| Error::Unreadable { file: version.file.clone(), source };
        let text = std::fs::read(&version.file).map_err(unreadable)?;
        match version.in_place {
            true => self.clang.compile_with(&self.job, &[(self.job.file, &text)], ""),
            false => self.clang.compile(&Job { file: &version.file, ..self.job }),
        }
    }

    pub(crate) fn bitcode(&self) -> &[u8] {
        &self.bitcode
    }

    /// The module with doors and choices, and the choices that are in it.
    ///
    /// What is added is meant to compile at once. If it does not, clang is asked a
    /// few times more, however large the file is: each time without everything that
    /// it has complained about, and without ever more of what stands around that.
    pub(crate) fn whole<'c>(
        &self,
        context: &'c Context,
        sources: Sources,
        ast: &Ast,
        plain: Module<'c>,
        choices: Vec<Choice>,
    ) -> Result<(Module<'c>, Vec<Choice>), Error> {
        let doors = lift::appendix(&plain, &ast.declared.names);
        let mut added = Added { ends: self.uses.iter().cloned().chain(doors).collect(), choices };
        for retreat in [Retreat::Parts, Retreat::Functions, Retreat::Choices, Retreat::All] {
            if added.ends.is_empty() && added.choices.is_empty() {
                break;
            }
            match self.with(context, sources, &added)? {
                Ok(module) => return Ok((module, added.choices)),
                Err(blamed) => added.retreat(&blamed, &ast.functions, retreat),
            }
        }
        Ok((plain, vec![]))
    }

    /// The module, or what clang complains about.
    fn with<'c>(
        &self,
        context: &'c Context,
        sources: Sources,
        added: &Added,
    ) -> Result<Result<Module<'c>, Vec<Blamed>>, Error> {
        let is_changed = |header: &Option<HeaderId>| {
            header.is_none() || added.choices.iter().any(|choice| choice.header == *header)
        };
        let texts: Vec<Longer> = sources
            .all()
            .filter(is_changed)
            .map(|header| match header {
                Some(id) => Longer::new(&sources.headers[id.0 as usize].path, sources, header, added),
                None => Longer::new(self.job.file, sources, header, added),
            })
            .collect();
        let paths: Vec<(&Path, &[u8])> = texts.iter().map(|text| (text.path, text.bytes())).collect();
        match self.clang.compile_with(&self.job, &paths, instrument::DECLARATIONS) {
            Ok(bitcode) => {
                let module = parse(context, &bitcode)?;
                forget_uses(&module);
                Ok(Ok(module))
            }
            Err(Error::DoesNotCompile { message, .. }) => {
                let of = |text: &Longer| text.blamed(&message);
                Ok(Err(texts.iter().flat_map(of).collect()))
            }
            Err(error) => Err(error),
        }
    }
}

/// What we add to the text of the file.
struct Added {
    /// At its end: uses and doors, in parts that do not need each other.
    ends: Vec<String>,
    choices: Vec<Choice>,
}

/// Takes the uses out of a module. What they used stays.
fn forget_uses(module: &Module) {
    let is_use = |function: &FunctionValue| function.get_name().to_bytes().starts_with(USE.as_bytes());
    for function in module.get_functions().filter(is_use).collect::<Vec<_>>() {
        // SAFETY: nobody calls it.
        unsafe { function.delete() };
    }
}

/// How much is given up of what does not compile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Retreat {
    /// What clang complains about.
    Parts,
    /// All choices in the functions that it complains about.
    Functions,
    /// All choices.
    Choices,
    All,
}

/// What clang complains about.
#[derive(Clone, PartialEq, Eq)]
enum Blamed {
    End(usize),
    /// The choice that has put something in there; or all that have on its
    /// line, if the text there is the user's own.
    Choices(Vec<usize>),
    /// The user's own text here, with no choice near it.
    Own(Option<HeaderId>, usize),
}

impl Added {
    fn retreat(&mut self, blamed: &[Blamed], functions: &[Function], retreat: Retreat) {
        let (mut ends, mut parts) = (HashSet::new(), HashSet::<usize>::new());
        let (mut at_fault, mut puzzling) = (HashSet::new(), HashSet::new());
        for blamed in blamed {
            match blamed {
                Blamed::End(at) => drop(ends.insert(*at)),
                Blamed::Choices(blamed) => {
                    parts.extend(blamed);
                    at_fault.extend(blamed.iter().map(|at| self.choices[*at].function));
                }
                Blamed::Own(header, offset) => {
                    let is_around = |it: &Function| it.header == *header && it.range().contains(offset);
                    puzzling.extend(functions.iter().position(is_around));
                }
            }
        }
        // One complaint may lead to others in the same function.
        let is_lost = |function: &usize| match retreat {
            Retreat::Parts => puzzling.contains(function) && !at_fault.contains(function),
            _ => puzzling.contains(function) || at_fault.contains(function),
        };
        let before = self.ends.len() + self.choices.len();
        let mut at = 0..;
        self.ends.retain(|_| at.next().is_some_and(|at| !ends.contains(&at)));
        let mut at = 0..;
        self.choices
            .retain(|choice| at.next().is_some_and(|at| !parts.contains(&at)) && !is_lost(&choice.function));
        let is_stuck = self.ends.len() + self.choices.len() == before;
        if is_stuck || matches!(retreat, Retreat::Choices | Retreat::All) {
            self.choices.clear();
        }
        if retreat == Retreat::All {
            self.ends.clear();
        }
    }
}

/// A text with what is added to it.
struct Longer<'a> {
    path: &'a Path,
    header: Option<HeaderId>,
    text: Instrumented,
    /// Where the parts at its end begin.
    ends: Vec<usize>,
}

impl<'a> Longer<'a> {
    fn new(path: &'a Path, sources: Sources, header: Option<HeaderId>, added: &Added) -> Longer<'a> {
        let mut text = instrument::instrumented(sources, header, &added.choices);
        let mut ends = Vec::new();
        if header.is_none() {
            // What is added stands nowhere in the user's file.
            text.bytes.extend_from_slice(b"\n#line 1 \"whet\"\n");
            for end in &added.ends {
                ends.push(text.bytes.len());
                text.bytes.extend_from_slice(end.as_bytes());
            }
        }
        Longer { path, header, text, ends }
    }

    fn bytes(&self) -> &[u8] {
        &self.text.bytes
    }

    /// What is at fault, as far as clang speaks about this text.
    fn blamed(&self, message: &str) -> Vec<Blamed> {
        let text = Text::new(self.text.bytes.clone());
        let own = complaints(message).filter(|(path, _)| *path == self.path);
        let places: BTreeSet<usize> = own.filter_map(|(_, at)| text.offset(at)).collect();
        places.into_iter().map(|place| self.blamed_at(place, &text)).collect()
    }

    fn blamed_at(&self, place: usize, text: &Text) -> Blamed {
        if let Some(end) = self.ends.partition_point(|start| *start <= place).checked_sub(1) {
            return Blamed::End(end);
        }
        let here: Vec<usize> = self.text.choices_in(place..place + 1).collect();
        if !here.is_empty() {
            return Blamed::Choices(here);
        }
        let line = text.position(place).line;
        let start = |line| text.offset(Position { line, column: 1 }).unwrap_or(text.bytes().len());
        let near: Vec<usize> = self.text.choices_in(start(line)..start(line + 1)).collect();
        match near.is_empty() {
            true => Blamed::Own(self.header, self.text.original(place)),
            false => Blamed::Choices(near),
        }
    }
}
