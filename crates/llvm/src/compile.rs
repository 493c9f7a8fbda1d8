//! From the file to the module that is mutated: as it is, and then with what we add to its text.
//!
//! Two things are added: doors at the end ([`lift::appendix`]), and choices where they are made ([`instrument`]). What C has no words for costs
//! the door or the choice, and nothing else.

use std::path::Path;

use inkwell::context::Context;
use inkwell::module::Module;

use crate::alias::Alias;
use crate::ast::HeaderId;
use crate::clang::{Clang, Job};
use crate::mutate::choice::Choice;
use crate::mutate::instrument;
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
        let clang = options.clang.clone().unwrap_or_default();
        match (clang.compile(&job), &options.clang) {
            (Err(missing @ Error::NoClang { .. }), None) => {
                let clang = Clang::plain().ok_or(missing)?;
                let bitcode = clang.compile(&job)?;
                Ok(Compiler { clang, job, bitcode })
            }
            (bitcode, _) => Ok(Compiler { clang, job, bitcode: bitcode? }),
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
            true => self.clang.compile_with(&self.job, &[(self.job.file, text)], "", ""),
            false => self.clang.compile(&Job { file: &version.file, ..self.job }),
        }
    }

    pub(crate) fn bitcode(&self) -> &[u8] {
        &self.bitcode
    }

    /// The module with doors and choices, and the choices that are in it.
    pub(crate) fn whole<'c>(
        &self,
        context: &'c Context,
        sources: Sources,
        plain: Module<'c>,
        choices: Vec<Choice>,
    ) -> Result<(Module<'c>, Vec<Choice>), Error> {
        let doors = lift::appendix(&plain);
        if doors.is_empty() && choices.is_empty() {
            return Ok((plain, choices));
        }
        if let Some(module) = self.with(context, sources, &doors, &choices)? {
            return Ok((module, choices));
        }
        let doors = self.sound(&doors, |doors| Ok(self.with(context, sources, doors, &[])?.is_some()))?;
        let choices =
            self.sound(&choices, |choices| Ok(self.with(context, sources, &doors, choices)?.is_some()))?;
        let module = self.with(context, sources, &doors, &choices)?;
        Ok((module.unwrap_or(plain), choices))
    }

    /// None if it does not compile.
    fn with<'c>(
        &self,
        context: &'c Context,
        sources: Sources,
        doors: &[String],
        choices: &[Choice],
    ) -> Result<Option<Module<'c>>, Error> {
        let path = |header: Option<HeaderId>| match header {
            Some(header) => sources.headers[header.0 as usize].path.as_path(),
            None => self.job.file,
        };
        let is_changed = |header: &Option<HeaderId>| {
            header.is_none() || choices.iter().any(|choice| choice.header == *header)
        };
        let texts: Vec<(&Path, Vec<u8>)> = sources
            .all()
            .filter(is_changed)
            .map(|header| (path(header), instrument::instrumented(sources, header, choices)))
            .collect();
        match self.clang.compile_with(&self.job, &texts, instrument::DECLARATIONS, &doors.concat()) {
            Ok(bitcode) => parse(context, &bitcode).map(Some),
            Err(Error::DoesNotCompile { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Those of the parts that compile together, found by halves.
    fn sound<T: Clone>(
        &self,
        parts: &[T],
        compiles: impl Fn(&[T]) -> Result<bool, Error> + Copy,
    ) -> Result<Vec<T>, Error> {
        if parts.is_empty() || compiles(parts)? {
            return Ok(parts.to_vec());
        }
        let [_] = parts else {
            let (left, right) = parts.split_at(parts.len() / 2);
            let sound = [self.sound(left, compiles)?, self.sound(right, compiles)?].concat();
            return Ok(sound);
        };
        Ok(vec![])
    }
}
