//! The front door: from a C file to the program we reason about, and back to machine code.
//!
//! Only this crate knows LLVM and runs clang. What leaves it is plain data: the source
//! text, the changes that the mutants make in it, the lifted program, and the meta-mutant as text.

mod addresses;
mod alias;
mod assertion;
mod ast;
mod bounds;
mod canonical;
mod clang;
mod compile;
mod define;
mod environment;
mod error;
mod library;
mod lift;
mod literals;
mod mutate;
mod nan;
mod native;
mod open;
mod padding;
mod sources;
mod streams;
mod tested;
mod thread;
mod variadic;
mod version;

use std::collections::{HashMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use bv::Stop;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::targets::{TargetMachine, TargetTriple};
use rayon::prelude::*;

use alias::Alias;
use compile::Compiler;
use mutate::instrument::{Columns, Moves};
use mutate::{choice, special};
use sources::Sources;
use streams::Executor;

pub use canonical::Optimiser;
pub use clang::{Clang, Overflow, without_old_dialects};
use define::DefinedForm;
pub use define::Trap;
pub use error::Error;
pub use mutate::operators::{self, Operator, Operators};
pub use mutate::{Idle, Why};
pub use native::{Hunt, Native, ProcessEnd, Sanitised, SanitisedBuild};
pub use tested::{Build, CompiledTests, Reached, TestBed, Tested};
use version::{Fingerprint, Parts};
pub use version::{Graft, Second, Version};

/// What to compile, and which mutants to seed.
#[derive(Clone, Debug)]
pub struct Options {
    pub file: PathBuf,
    /// None: clang 19, wherever it is.
    pub clang: Option<Clang>,
    /// Further flags for clang, such as `-I` and `-D`.
    pub flags: Vec<String>,
    pub overflow: Overflow,
    pub operators: Operators,
    /// Seed only into these functions; all that are defined in the file if empty.
    pub functions: Vec<String>,
    /// Seed into functions of the user's headers, too.
    pub headers: bool,
    /// Other versions of the file, each a mutant behind all others. Those that are listed come first.
    pub versions: Vec<Version>,
}

/// The mutants of a C file: what they change, and not yet what they do.
#[derive(Clone, Debug)]
pub struct Listing {
    pub text: source::Text,
    /// Mutant n is the n-th change, counted from 1.
    pub changes: Vec<source::Change>,
    /// The special cases that mutants have forgotten, each with the mutant's number.
    pub special_cases: Vec<(u32, ir::SpecialCase)>,
    /// The user's headers that are mutated, too, each with its name.
    pub headers: Vec<(String, source::Text)>,
    /// The versions, or why one does not compile.
    pub versions: Vec<Result<Graft, String>>,
    /// The functions that the file defines.
    pub defined: HashSet<String>,
    /// The functions that were asked for; all if empty.
    functions: Vec<String>,
    /// The comments that should suppress mutants, but do not do what they say.
    pub idle: Vec<Idle>,
}

/// A C file with its mutants: everything that the rest of Whet needs of it. It is its own listing.
#[derive(Clone, Debug)]
pub struct Unit {
    listing: Listing,
    /// The meta-mutant, lifted. Keeps what clang promised, because that decides which inputs are valid.
    pub program: ir::Program,
    /// The functions that another file can call; `main` is among them if there is one.
    pub external: Vec<ir::FunctionId>,
    /// For each function, those that it mentions, whether or not we can execute it. Sorted.
    pub mentions: Vec<Vec<ir::FunctionId>>,
    /// Whether some number in the program has the bits of an address, so that the two cannot be told apart.
    pub lookalike: bool,
    /// What another file has to define for this one to link, besides the functions whose calls are observed.
    pub elsewhere: Vec<ir::Elsewhere>,
    /// The meta-mutant as LLVM assembly in its defined form: verifies, and runs under `lli`.
    pub meta: String,
    /// The same for other files to link with, if it defines variadic functions: only there can others call
    /// them as C does.
    linked: Option<String>,
    /// The same in the form that is compared.
    comparable: String,
    /// The names that are not in the meta-mutant, because they are others of what is.
    aliases: Vec<Alias>,
    /// The one that has compiled the file.
    clang: Clang,
}

/// The version of LLVM that runs in this process, and the machine that it is
/// on: what equal code means depends on both.
pub fn version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch} {}", TargetMachine::get_default_triple().as_str().to_string_lossy())
}

impl Deref for Unit {
    type Target = Listing;

    fn deref(&self) -> &Listing {
        &self.listing
    }
}

impl DerefMut for Unit {
    fn deref_mut(&mut self) -> &mut Listing {
        &mut self.listing
    }
}

impl Unit {
    /// The meta-mutant for other files to link with.
    pub(crate) fn linked(&self) -> &str {
        self.linked.as_ref().unwrap_or(&self.meta)
    }
}

impl Listing {
    /// Whether a mutant is in a function that was asked for. One that another tool has made may be anywhere.
    pub fn is_asked_for(&self, change: &source::Change) -> bool {
        let is_asked_for = |function: &String| self.functions.contains(function);
        let changed = self.homes(ir::Mutant(change.number));
        self.functions.is_empty() || changed.iter().any(is_asked_for) || is_asked_for(&change.function)
    }

    /// The functions that a mutant changes: one, or those that a version changes.
    pub fn homes(&self, mutant: ir::Mutant) -> &[String] {
        let mut versions = self.versions.iter().flatten();
        let version = versions.find(|version| version.number == mutant.0);
        let own = || std::slice::from_ref(&self.changes[mutant.0 as usize - 1].function);
        version.map_or_else(own, |version| version.functions.as_slice())
    }

    /// The text that a mutant changes: the file's, or a header's.
    pub fn text_of(&self, change: &source::Change) -> &source::Text {
        let header = self.headers.iter().find(|(name, _)| Some(name) == change.header.as_ref());
        header.map_or(&self.text, |(_, text)| text)
    }
}

/// Finds out which mutants a C file has. That is a small part of [loading](load) it.
pub fn list(options: &Options) -> Result<Listing, Error> {
    Ok(seed(&Context::create(), options, &Stop::default())?.listing)
}

/// Compiles a C file, seeds the mutants, and lifts the meta-mutant.
pub fn load(options: &Options) -> Result<Unit, Error> {
    load_until(options, &Stop::default())
}

/// The same. Versions of the file that are not compiled when somebody says stop are [left
/// out](Listing::versions).
pub fn load_until(options: &Options, stop: &Stop) -> Result<Unit, Error> {
    let context = Context::create();
    let Seeded { module, listing, columns, aliases, clang } = seed(&context, options, stop)?;
    verify(&module, "the meta-mutant")?;
    let running = module.clone();
    nan::open_bits(&module);
    open::open_results(&module);
    addresses::call_casts(&module);
    streams::redirect(&module, Executor::Program);
    variadic::make_plain(&module);
    let lifted = lift::lift(&module, &|at| columns.original(at));
    if let Err(flaws) = ir::verify(&lifted.program) {
        return Err(Error::Internal(format!("the lifted program is flawed: {}", flaws[0])));
    }
    literals::separate(&module);
    let comparable = defined(&module, DefinedForm::Compare)?;
    lift::forget_question(&running);
    let is_variadic = variadic::is_needed(&running);
    let linked = is_variadic.then(|| defined(&running.clone(), DefinedForm::Run)).transpose()?;
    variadic::make_plain(&running);
    let meta = defined(&running, DefinedForm::Run)?;
    let lift::Lifted { program, external, mentions, lookalike, elsewhere } = lifted;
    Ok(Unit {
        listing,
        program,
        external,
        mentions,
        lookalike,
        elsewhere,
        meta,
        linked,
        comparable,
        aliases,
        clang,
    })
}

/// The meta-mutant of a file, and what its mutants change.
struct Seeded<'c> {
    module: Module<'c>,
    listing: Listing,
    /// Where the file was compiled with more text in it, these are the user's own.
    columns: Columns,
    aliases: Vec<Alias>,
    clang: Clang,
}

fn seed<'c>(context: &'c Context, options: &Options, stop: &Stop) -> Result<Seeded<'c>, Error> {
    let unreadable = |source| Error::Unreadable { file: options.file.clone(), source };
    let text = source::Text::new(std::fs::read(&options.file).map_err(unreadable)?);
    native::machine::initialise().map_err(Error::Internal)?;
    // Clang and libclang each read the whole file with its headers; that is most of the time of a load.
    let (plain, ast) = std::thread::scope(|scope| {
        let ast = scope.spawn(|| ast::parse(&options.file, &options.flags, options.headers));
        let plain = Compiler::new(options).and_then(|compiler| compiler.plain(context));
        (plain, ast.join().expect("the parser does not panic"))
    });
    // What does not compile does not parse either, and clang says it better.
    let ((mut compiler, module, aliases), mut ast) = (plain?, ast?);
    let symbols_of: HashMap<&str, &String> =
        aliases.iter().map(|alias| (alias.name.as_str(), &alias.symbol)).collect();
    ast.rename(|symbol| symbols_of.get(symbol).copied());
    check_target(&options.file, &module)?;
    let headers = std::mem::take(&mut ast.headers);
    let sources = Sources { file: &text, headers: &headers };
    let module = compiler.with_unused(context, sources, &ast.functions, module)?;
    let functions = symbols(&options.file, &options.functions, &module, &ast, &aliases)?;
    let compiled: HashSet<String> = function_names(&module).collect();
    let is_chosen = |function: &ast::Function| match functions.is_empty() {
        _ if !compiled.contains(&function.symbol) => false,
        true => true,
        false => functions.contains(&function.symbol),
    };
    let bodies = special::bodies(&ast, is_chosen);
    let choices = choice::plan(&module, &ast, sources, &options.operators, is_chosen);
    let (module, choices) = compiler.whole(context, sources, &ast, module, choices)?;
    for header in sources.all() {
        let moves = Moves::new(sources, header, &choices);
        ast.shift(header, |offset, length| moves.shift(offset, length));
    }
    padding::mark(&module, &ast);
    let (mut changes, idle) = mutate::build(&module, &ast, sources, &choices, &options.operators, is_chosen);
    let special_cases = match options.operators.has(Operator::Sci.name()) {
        true => special::changes(&module, &text, &bodies, &mut changes),
        false => vec![],
    };
    lift::system::mark(&module, &ast.declared.system);
    nan::mark(&module, ast.declared.puns);
    let versions = graft(context, &module, &compiler, &text, options, stop, &ast, &mut changes)?;
    changes.iter_mut().zip(1..).for_each(|(change, number)| change.number = number);
    let columns = Moves::new(sources, None, &choices).columns();
    let headers = headers.into_iter().map(|header| (header.name, header.text)).collect();
    let listing =
        Listing { text, changes, special_cases, headers, versions, defined: compiled, functions, idle };
    Ok(Seeded { module, listing, columns, aliases, clang: compiler.clang })
}

/// Why a version is none that was not compiled in time.
pub const LATE: &str = "there was no time to compile it";

/// Grafts the versions onto the meta-mutant. Each that compiles is a mutant.
fn graft<'c>(
    context: &'c Context,
    module: &Module<'c>,
    compiler: &Compiler,
    text: &source::Text,
    options: &Options,
    stop: &Stop,
    ast: &ast::Ast,
    changes: &mut Vec<source::Change>,
) -> Result<Vec<Result<Graft, String>>, Error> {
    let (versions, declared) = (&options.versions, &ast.declared);
    if versions.is_empty() {
        return Ok(vec![]);
    }
    let base = Fingerprint::of(compiler.bitcode(), &declared.inline)?;
    let (mut grafts, mut dispatches) = (Vec::new(), version::Dispatches::new());
    // Most of the time goes into clang. There may be thousands of copies.
    let is_late = |version: &Version| version.in_place && stop.is_set();
    let compile = |version: &Version| (!is_late(version)).then(|| compiler.version(version));
    let compiled: Vec<Option<Result<Vec<u8>, Error>>> = versions.par_iter().map(compile).collect();
    for (version, bitcode) in versions.iter().zip(compiled) {
        let Some(bitcode) = bitcode.filter(|_| !is_late(version)) else {
            grafts.push(Err(LATE.to_string()));
            continue;
        };
        let bitcode = match bitcode {
            Ok(bitcode) => bitcode,
            Err(Error::DoesNotCompile { message, .. }) if version.in_place => {
                grafts.push(Err(message));
                continue;
            }
            Err(error) => return Err(error),
        };
        let number = changes.len() as u32 + 1;
        // A mutated copy includes what the file includes.
        let declared = match version.in_place {
            true => declared.clone(),
            false => ast::declared(&version.file, &options.flags)?,
        };
        let fingerprint = Fingerprint::of(&bitcode, &declared.inline)?;
        let parts =
            Parts { base: &base, version: &fingerprint, bitcode: &bitcode, renamed: &version.renamed };
        let graft = version::graft(context, module, &parts, number, &mut dispatches)?;
        lift::system::mark(module, &declared.system);
        nan::mark(module, declared.puns);
        let misfit = graft.misfits.first().map(|name| format!("`{name}` takes or returns something else"));
        let misfit = misfit.or_else(|| base.missing(&graft.defined));
        if let Some(misfit) = misfit.filter(|_| version.in_place) {
            dispatches.values_mut().for_each(|others| others.retain(|(other, _)| *other != number));
            version::forget(module, number);
            grafts.push(Err(misfit));
            continue;
        }
        if let Some(operator) = &version.operator {
            let unreadable = |source| Error::Unreadable { file: version.file.clone(), source };
            let other = source::Text::new(std::fs::read(&version.file).map_err(unreadable)?);
            let edit = source::Edit::between(text, &other);
            // What leaves the code as it was stands in a function all the same.
            let around = ast.around(edit.range.start).map(|function| &function.symbol);
            let function = graft.functions.first().or(around).cloned().unwrap_or_default();
            changes.push(source::Change::new(text, operator, &function, edit));
        }
        grafts.push(Ok(graft));
    }
    version::dispatch(module, &dispatches);
    Ok(grafts)
}

/// A defined form of the module, as text.
fn defined(module: &Module, form: DefinedForm) -> Result<String, Error> {
    define::define(module, form);
    verify(module, "the defined meta-mutant")?;
    Ok(module.print_to_string().to_string())
}

/// A module that was written as text.
fn parse_text<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, Error> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "meta");
    let module = context.create_module_from_ir(buffer);
    module.map_err(|message| Error::Internal(format!("the meta-mutant cannot be read: {message}")))
}

/// What clang has written, without [aliases](alias) and [thread-local variables](thread).
fn parse<'c>(context: &'c Context, bitcode: &[u8]) -> Result<Module<'c>, Error> {
    Ok(parse_with_aliases(context, bitcode)?.0)
}

fn parse_with_aliases<'c>(context: &'c Context, bitcode: &[u8]) -> Result<(Module<'c>, Vec<Alias>), Error> {
    let (module, aliases) = match alias::resolved(bitcode)? {
        Some((text, aliases)) => (parse_text(context, &text)?, aliases),
        None => (parse_bitcode(context, bitcode)?, vec![]),
    };
    thread::make_plain(&module);
    literals::merge(&module);
    Ok((module, aliases))
}

fn parse_bitcode<'c>(context: &'c Context, bitcode: &[u8]) -> Result<Module<'c>, Error> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "module");
    Module::parse_bitcode_from_buffer(&buffer, context)
        .map_err(|message| Error::Internal(message.to_string()))
}

/// The native build runs here, so the machine must be the same; vendors and systems are called by many names.
fn check_target(file: &Path, module: &Module) -> Result<(), Error> {
    let machine = |triple: TargetTriple| {
        triple.as_str().to_string_lossy().split('-').next().unwrap_or_default().to_string()
    };
    let target = machine(module.get_triple());
    if target == machine(TargetMachine::get_default_triple()) {
        return Ok(());
    }
    Err(Error::ForeignTarget { file: file.to_path_buf(), target })
}

/// The names of the functions with a body that the user wrote.
fn function_names(module: &Module) -> impl Iterator<Item = String> {
    lift::user_functions(module).map(|function| function.get_name().to_string_lossy().into_owned())
}

/// What the module calls the functions that the user has named, by any of their names.
fn symbols(
    file: &Path,
    functions: &[String],
    module: &Module,
    ast: &ast::Ast,
    aliases: &[Alias],
) -> Result<Vec<String>, Error> {
    let known: Vec<String> = function_names(module).collect();
    let symbol = |name: &String| {
        let alias = aliases.iter().find(|alias| alias.name == *name).map(|alias| &alias.symbol);
        let own = || ast.functions.iter().find(|function| function.name == *name).map(|it| &it.symbol);
        let symbol = alias.or_else(own).unwrap_or(name);
        let unknown =
            || Error::UnknownFunction { name: name.clone(), file: file.to_path_buf(), known: known.clone() };
        known.contains(symbol).then(|| symbol.clone()).ok_or_else(unknown)
    };
    functions.iter().map(symbol).collect()
}

fn verify(module: &Module, what: &str) -> Result<(), Error> {
    module.verify().map_err(|message| Error::Internal(format!("{what} is not valid LLVM: {message}")))
}
