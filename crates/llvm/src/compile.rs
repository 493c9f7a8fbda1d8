//! From the file to the module that is mutated: the file as it is, and then with what we add to its text.
//!
//! Two things are added: doors at the end ([`lift::appendix`]), and choices where they are made
//! ([`instrument`]). If C has no words for a door or a choice, we lose that one, and nothing else.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use inkwell::context::Context;
use inkwell::module::Module;
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
}

impl<'o> Compiler<'o> {
    /// Compiles the file as it is.
    pub(crate) fn new(options: &'o Options) -> Result<Compiler<'o>, Error> {
        let job = Job { file: &options.file, flags: &options.flags, overflow: options.overflow };
        let (clang, bitcode) = Clang::find(options.clang.as_ref(), |clang| clang.compile(&job))?;
        Ok(Compiler { clang, job, bitcode })
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
        let mut added = Added { doors: lift::appendix(&plain, &ast.declared.names), choices };
        for retreat in [Retreat::Parts, Retreat::Functions, Retreat::Choices, Retreat::All] {
            if added.doors.is_empty() && added.choices.is_empty() {
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
            Ok(bitcode) => parse(context, &bitcode).map(Ok),
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
    doors: Vec<String>,
    choices: Vec<Choice>,
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
    Door(usize),
    /// The choice that has put something in there; or all that have on its
    /// line, if the text there is the user's own.
    Choices(Vec<usize>),
    /// The user's own text here, with no choice near it.
    Own(Option<HeaderId>, usize),
}

impl Added {
    fn retreat(&mut self, blamed: &[Blamed], functions: &[Function], retreat: Retreat) {
        let (mut doors, mut parts) = (HashSet::new(), HashSet::<usize>::new());
        let (mut at_fault, mut puzzling) = (HashSet::new(), HashSet::new());
        for blamed in blamed {
            match blamed {
                Blamed::Door(at) => drop(doors.insert(*at)),
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
        let before = self.doors.len() + self.choices.len();
        let mut at = 0..;
        self.doors.retain(|_| at.next().is_some_and(|at| !doors.contains(&at)));
        let mut at = 0..;
        self.choices
            .retain(|choice| at.next().is_some_and(|at| !parts.contains(&at)) && !is_lost(&choice.function));
        let is_stuck = self.doors.len() + self.choices.len() == before;
        if is_stuck || matches!(retreat, Retreat::Choices | Retreat::All) {
            self.choices.clear();
        }
        if retreat == Retreat::All {
            self.doors.clear();
        }
    }
}

/// A text with what is added to it.
struct Longer<'a> {
    path: &'a Path,
    header: Option<HeaderId>,
    text: Instrumented,
    /// Where the doors begin, at the end.
    doors: Vec<usize>,
}

impl<'a> Longer<'a> {
    fn new(path: &'a Path, sources: Sources, header: Option<HeaderId>, added: &Added) -> Longer<'a> {
        let mut text = instrument::instrumented(sources, header, &added.choices);
        let mut doors = Vec::new();
        if header.is_none() {
            // What is added stands nowhere in the user's file.
            text.bytes.extend_from_slice(b"\n#line 1 \"whet\"\n");
            for door in &added.doors {
                doors.push(text.bytes.len());
                text.bytes.extend_from_slice(door.as_bytes());
            }
        }
        Longer { path, header, text, doors }
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
        if let Some(door) = self.doors.partition_point(|start| *start <= place).checked_sub(1) {
            return Blamed::Door(door);
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
