//! Lifting: from an LLVM module to the program that we reason about.
//!
//! Each block of LLVM's is a block of ours, in the same order, so the interpreter and
//! the native build burn the same fuel. C variables whose address nobody takes become
//! registers, all others become objects. What we do not handle becomes an unsupported
//! instruction in its place. A run that does not reach it is not affected.
//!
//! Functions and globals get their numbers first, because the address of either is a number wherever it is
//! mentioned. The functions of the user come first, then their doors, then what they need of the C library.

mod constant;
mod ctype;
mod debug;
mod describe;
mod door;
mod elsewhere;
mod external;
mod function;
mod global;
pub(crate) mod layout;
mod mentions;
mod numbering;
mod numbers;
pub(crate) mod operation;
mod print;
mod signature;
pub(crate) mod site;
mod ssa;
pub(crate) mod startup;
pub(crate) mod system;
#[cfg(test)]
mod tests;
mod variable;

use std::collections::HashMap;

use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::AsTypeRef;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode};
use ir::FIRST_OBJECT;
use ir::{
    Elsewhere, Function, FunctionId, Global, GlobalId, Position, Program, Signature, Site, SiteId,
    Unsupported,
};

use crate::Graft;
use crate::addresses;
use crate::library::{self, Library, admitted};
use crate::literals::Literals;
use crate::mutate::SITE_PREFIX;
use crate::variadic;
use constant::ConstantAddresses;
pub(crate) use constant::{name, text as literal_text};
use ctype::Types;
use debug::Places;
pub(crate) use debug::has_signed_result;
pub(crate) use door::appendix;
use external::Externals;
pub(crate) use mentions::places;
pub(crate) use print::is_printed_by_its_arguments;
pub(crate) use variable::{is_single, users};

/// A module as a program.
pub(crate) struct Lifted {
    pub program: Program,
    /// The functions that another file can call.
    pub external: Vec<FunctionId>,
    /// For each function, those that it mentions: called, or otherwise. Sorted.
    pub mentions: Vec<Vec<FunctionId>>,
    /// Whether some number has the bits of an address, or is made of one.
    pub lookalike: bool,
    /// What another file has to define, and no test can observe.
    pub elsewhere: Vec<Elsewhere>,
}

/// What the functions and globals of a module are to those who mention them.
#[derive(Default)]
struct Names<'c> {
    /// With the function that has the body.
    functions: HashMap<LLVMValueRef, (FunctionValue<'c>, Result<FunctionId, String>)>,
    sites: HashMap<LLVMValueRef, Result<SiteId, String>>,
    addresses: ConstantAddresses,
    /// The objects that stand for the streams of the C library.
    streams: HashMap<LLVMValueRef, u32>,
    literals: Literals,
}

/// What grows while functions are read.
struct Border<'c> {
    types: Types,
    externals: Externals<'c>,
}

/// `original` says where in the user's text a place of the text is that was compiled.
pub(crate) fn lift(module: &Module, original: &dyn Fn(Position) -> Position) -> Lifted {
    // Most of the time of a small file would go into a library that it does not need.
    let called: Vec<String> =
        external::without_body(module).map(|function| text(function.get_name())).collect();
    let needs_library = called.iter().any(|name| library::has(name));
    let library = needs_library.then(|| Library::of(module.get_context(), &called));
    if let Some(library) = &library {
        variadic::adopt(module, library);
    }
    let users: Vec<FunctionValue> = user_functions(module).collect();
    let doors: Vec<FunctionValue> = door::doors(module).collect();
    let bodies = library.as_ref().map_or(vec![], |library| library.bodies.clone());
    let functions: Vec<FunctionValue> = users.iter().chain(&doors).chain(&bodies).copied().collect();
    let mut border = Border { types: Types::default(), externals: Externals::new(module) };
    let mut program = Program::default();
    let mut names = Names::default();

    let globals = mentioned_globals(module, library.as_ref(), &bodies);
    number(&mut names, &globals, &functions, module, library.as_ref());
    names.literals = Literals::of(module);
    forbid_errors(&mut names, module);
    for (global, constructor) in startup::variables(module, &users, &globals) {
        let what =
            format!("`{}`, which the constructor `{constructor}` may have set", constant::name(global));
        names.addresses.objects.insert(global, Err(what));
    }
    program.globals = lift_globals(&mut names, &globals, &mut border.types);
    let thread_local = crate::thread::names(module);
    let is_thread_local = |(_, global): &(GlobalId, &Global)| thread_local.contains(&global.name);
    let numbered = (0..).map(GlobalId).zip(&program.globals);
    program.thread_local = numbered.filter(is_thread_local).map(|(id, _)| id).collect();

    let places = Places::new(module, original);
    program.sites = lift_sites(module, &mut names, &places);

    let signatures: Vec<Result<Signature, String>> =
        users.iter().map(|function| signature::of(*function, &mut border.types)).collect();
    for (function, signature) in users.iter().zip(&signatures) {
        if let (Err(what), Some((_, id))) = (signature, names.functions.get_mut(&function.as_value_ref())) {
            *id = Err(format!("a call to `{}`: {what}", Graft::plain(&text(function.get_name()))));
        }
    }
    let is_volatile = |(_, function): &(FunctionId, &FunctionValue)| has_volatile(function);
    program.volatile = (0..).map(FunctionId).zip(&users).filter(is_volatile).map(|(id, _)| id).collect();
    let mut ways = Ways { doors: &doors, first: users.len(), end: functions.len(), shut: vec![] };
    for (function, signature) in users.iter().zip(signatures) {
        program.functions.push(match signature {
            Ok(signature) => {
                let door = ways.to(*function, &places);
                let lifted = function::lift(*function, signature, false, &names, &mut border, &places);
                Function { door, ..lifted }
            }
            Err(what) => unsupported(*function, Unsupported { what, at: places.of_function(*function) }),
        });
    }
    let nowhere = Places::nowhere();
    for function in doors.iter().chain(&bodies) {
        let signature = guessed_signature(*function, &mut border.types);
        let mut lifted = function::lift(*function, signature, true, &names, &mut border, &nowhere);
        lifted.sealed = bodies.contains(function) && admitted::precision(&lifted.name).is_some();
        // The user may have a function of the same name.
        if program.named(&lifted.name).is_some() {
            lifted.name += ".library";
        }
        program.functions.push(lifted);
    }
    let mut mentions = mentions::mentions(&functions);
    mentions.extend(ways.shut.iter().map(|_| vec![]));
    program.functions.extend(ways.shut);
    forget_question(module);
    let elsewhere = elsewhere::elsewhere(module, &names, &mut border);
    program.types = border.types.table;
    program.externals = border.externals.list;
    numbers::find_unions(&mut program);
    let external =
        users.iter().enumerate().filter(|(_, function)| function.get_linkage() != Linkage::Internal);
    Lifted {
        program,
        external: external.map(|(at, _)| FunctionId(at as u32)).collect(),
        mentions,
        lookalike: names.addresses.lookalike.get() || addresses::are_numbers(module),
        elsewhere,
    }
}

/// The sites of all mutants, each at the place of its call.
fn lift_sites(module: &Module, names: &mut Names, places: &Places) -> Vec<Site> {
    let mut sites = Vec::new();
    for site in module.get_functions().filter(is_site) {
        let call = variable::users(site.as_value_ref()).into_iter().next();
        let at = call.and_then(|call| places.of(call));
        let lifted = site::lift(site, at, &names.addresses).map(|site| {
            sites.push(site);
            SiteId(sites.len() as u32 - 1)
        });
        names.sites.insert(site.as_value_ref(), lifted);
    }
    sites
}

/// Takes out of a module what only told the lift which types there are.
pub(crate) fn forget_question(module: &Module) {
    external::forget(module);
}

/// The functions with a body that the user wrote.
pub(crate) fn user_functions<'c>(module: &Module<'c>) -> impl Iterator<Item = FunctionValue<'c>> {
    let is_ours = |function: &FunctionValue| {
        let name = function.get_name().to_bytes();
        name.starts_with(b"whet.") || name.starts_with(b"__whet_")
    };
    module.get_functions().filter(move |function| function.count_basic_blocks() > 0 && !is_ours(function))
}

/// Whether a function reads or writes volatile memory.
fn has_volatile(function: &FunctionValue) -> bool {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.into_iter().any(|instruction| {
        matches!(instruction.get_opcode(), InstructionOpcode::Load | InstructionOpcode::Store)
            && instruction.get_volatile().unwrap_or(false)
    })
}

pub(crate) fn is_site(function: &FunctionValue) -> bool {
    function.count_basic_blocks() > 0 && function.get_name().to_bytes().starts_with(SITE_PREFIX.as_bytes())
}

/// The globals of the module, and those that the bodies of the library mention.
fn mentioned_globals(
    module: &Module,
    library: Option<&Library>,
    bodies: &[FunctionValue],
) -> Vec<LLVMValueRef> {
    let is_needed = |global: &LLVMValueRef| {
        let places = mentions::places(*global);
        bodies.iter().any(|body| places.contains(&body.as_value_ref()))
    };
    let mut globals = global::mentioned(module);
    let ours = library.map(|library| global::mentioned(&library.module)).unwrap_or_default();
    globals.extend(ours.into_iter().filter(is_needed));
    globals
}

/// Gives a number to every object that is there before a run starts.
fn number<'c>(
    names: &mut Names<'c>,
    globals: &[LLVMValueRef],
    functions: &[FunctionValue<'c>],
    module: &Module<'c>,
    library: Option<&Library<'c>>,
) {
    // Number 0 is null's.
    let first_function = FIRST_OBJECT + globals.len() as u32;
    for (object, global) in (FIRST_OBJECT..).zip(globals) {
        let address = match global::unknown(*global) {
            Some(what) => Err(what),
            None if global::is_stream(*global) => {
                Err(format!("the address of `{}`", constant::name(*global)))
            }
            None => Ok(object),
        };
        if global::is_stream(*global) {
            names.streams.insert(*global, object);
        }
        names.addresses.objects.insert(*global, address);
    }
    let mut name = |function: FunctionValue<'c>, at: usize, body: FunctionValue<'c>| {
        let value = function.as_value_ref();
        names.addresses.objects.insert(value, Ok(first_function + at as u32));
        names.functions.insert(value, (body, Ok(FunctionId(at as u32))));
    };
    for (at, function) in functions.iter().enumerate() {
        name(*function, at, *function);
        let declared = module.get_function(&text(function.get_name()));
        let is_public = function.get_linkage() != Linkage::Internal;
        if let Some(declared) = declared.filter(|declared| is_public && declared.count_basic_blocks() == 0) {
            name(declared, at, *function);
        }
    }
    for (second, body) in library.iter().flat_map(|library| &library.second_names) {
        let at = functions.iter().position(|function| function == body);
        if let (Some(at), Some(declared)) = (at, module.get_function(second)) {
            name(declared, at, *body);
        }
    }
}

/// Where a program looks at `errno`, nothing is said of functions of which C leaves it open whether they set
/// it.
fn forbid_errors(names: &mut Names, module: &Module) {
    let is_used = |function: FunctionValue| !places(function.as_value_ref()).is_empty();
    if !module.get_function("__errno_location").is_some_and(is_used) {
        return;
    }
    for function in external::without_body(module) {
        let name = text(function.get_name());
        if admitted::may_set_errno(&name) {
            let what = format!("a call to `{name}`, which may set `errno`, where the file looks at `errno`");
            if let Some((_, id)) = names.functions.get_mut(&function.as_value_ref()) {
                *id = Err(what.clone());
            }
            names.addresses.objects.insert(function.as_value_ref(), Err(what));
        }
    }
}

/// What the globals hold. Where an address is not known, nothing can be said of the global, nor of those that
/// lead to it.
fn lift_globals(names: &mut Names, globals: &[LLVMValueRef], types: &mut Types) -> Vec<Global> {
    loop {
        let mut failed = Vec::new();
        let mut lifted: Vec<Global> = Vec::new();
        for global in globals {
            let unknown = names.addresses.objects[global].is_err() && !names.streams.contains_key(global);
            let found = match unknown {
                true => None,
                false => match global::lift(*global, &names.addresses, types) {
                    Ok(found) => Some(found),
                    Err(what) => {
                        failed.push((
                            *global,
                            format!("the global variable `{}`: {what}", constant::name(*global)),
                        ));
                        None
                    }
                },
            };
            let mut found = found.unwrap_or_else(|| {
                let of = types.opaque("object", 0);
                Global {
                    name: constant::name(*global),
                    of,
                    contents: vec![],
                    constant: true,
                    external: false,
                }
            });
            // Literals are all called `.str`, in the user's file and in the library.
            if lifted.iter().any(|other| other.name == found.name) {
                found.name = format!("{}.{}", found.name, lifted.len());
            }
            lifted.push(found);
        }
        if failed.is_empty() {
            return lifted;
        }
        for (global, what) in failed {
            names.addresses.objects.insert(global, Err(what));
        }
    }
}

/// How callers outside reach functions.
struct Ways<'a, 'c> {
    doors: &'a [FunctionValue<'c>],
    /// The numbers of the first door, and behind all functions that are there.
    first: usize,
    end: usize,
    /// What stands in for a door where there is none: it says why. They come behind all functions.
    shut: Vec<Function>,
}

impl<'c> Ways<'_, 'c> {
    /// The door to a function, if it has one.
    fn to(&mut self, function: FunctionValue<'c>, places: &Places) -> Option<FunctionId> {
        let name = door::name(function);
        let door = self.doors.iter().position(|each| text(each.get_name()) == name);
        let Some(what) = closed_to_others(function, door.is_some()) else {
            return door.map(|at| FunctionId((self.first + at) as u32));
        };
        let id = FunctionId((self.end + self.shut.len()) as u32);
        let at = places.of_function(function);
        self.shut.push(Function { name, ..unsupported(function, Unsupported { what, at }) });
        Some(id)
    }
}

/// Why no other file can call a function that is executed like any other.
fn closed_to_others(function: FunctionValue, has_door: bool) -> Option<String> {
    let is_main = function.get_name().to_bytes() == b"main";
    let in_need = !is_main && !has_door && signature::needs_door(function);
    let nameless = || in_need.then(|| "a parameter is of a type that has no name outside".to_string());
    signature::list(function).or_else(nameless)
}

/// For code of ours, which nobody calls from outside by its types.
fn guessed_signature(function: FunctionValue, types: &mut Types) -> Signature {
    let parameters = function.get_params().into_iter().enumerate().map(|(at, value)| {
        let of = types.guess(value.get_type().as_type_ref());
        ir::Parameter { name: format!("arg{at}"), of }
    });
    let parameters = parameters.collect();
    let result = function.get_type().get_return_type().map(|of| types.guess(of.as_type_ref()));
    Signature { parameters, result, variadic: false }
}

fn unsupported(function: FunctionValue, unsupported: Unsupported) -> Function {
    Function {
        name: text(function.get_name()),
        signature: Signature::default(),
        registers: vec![],
        arity: 0,
        result: None,
        door: None,
        library: false,
        sealed: false,
        external: function.get_linkage() != Linkage::Internal,
        blocks: vec![],
        unsupported: Some(unsupported),
        names: Default::default(),
    }
}

fn text(name: &std::ffi::CStr) -> String {
    name.to_string_lossy().into_owned()
}
