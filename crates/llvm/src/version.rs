//! Other versions of a file, each as one mutant of it: a reference, a new version, a copy that another tool has mutated.
//!
//! A version's functions are grafted onto the meta-mutant. Those that differ from the file's own come in under another name, and
//! where the file has a function of the old name, that one asks first, at its entry, which mutant runs, and calls the other in its place. So a
//! version is a mutant like any other, and whoever settles mutants need not know. What is the same in both is not copied, so that there is one of
//! each global variable.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::llvm_sys::core::{
    LLVMAddCallSiteAttribute, LLVMGetAttributeCountAtIndex, LLVMGetAttributesAtIndex,
};
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    AnyValue, AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, GlobalValue,
    InstructionOpcode, InstructionValue,
};

use crate::meta::version_site;
use crate::{Error, parse};

/// What the name of a grafted function or variable has behind its own.
const SUFFIX: &str = ".whet.";

/// Another version of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Version {
    pub file: PathBuf,
    /// It is compiled as if it stood where the file stands.
    pub in_place: bool,
    /// The operator that it is listed under, if it is to be a mutant like the others.
    pub operator: Option<String>,
    /// Functions of the file that have another name there.
    pub renamed: Vec<(String, String)>,
}

/// What becomes of a version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graft {
    /// The mutant that it is.
    pub number: u32,
    /// The functions of the file that it changes.
    pub functions: Vec<String>,
    /// All functions that it defines.
    pub defined: Vec<String>,
    /// Why nothing can be said of it, though it could take the place of the file.
    pub fault: Option<String>,
    /// Why it could not.
    pub misfit: Option<String>,
}

impl Graft {
    /// What the user calls a function that may be of a version.
    pub(crate) fn plain(name: &str) -> &str {
        name.split_once(SUFFIX).map_or(name, |(name, _)| name)
    }

    /// What a function of a version is called in the program.
    pub fn name(function: &str, number: u32) -> String {
        format!("{function}{SUFFIX}{number}")
    }
}

/// Functions of the file, each with the mutants in which another stands in for it.
pub(crate) type Dispatches<'c> = BTreeMap<String, Vec<(u32, FunctionValue<'c>)>>;

/// What a module defines, apart from names that mean nothing.
pub(crate) struct Fingerprint {
    functions: BTreeMap<String, String>,
    /// Those of the functions that other files can call.
    callable: BTreeSet<String>,
    globals: BTreeMap<String, Variable>,
}

#[derive(Clone, PartialEq, Eq)]
struct Variable {
    text: String,
    /// Other files see it.
    external: bool,
}

impl Fingerprint {
    pub(crate) fn of(bitcode: &[u8]) -> Result<Fingerprint, Error> {
        // In a context of its own, types have the names that they have in the file.
        let context = Context::create();
        let module = parse(&context, bitcode)?;
        module.strip_debug_info();
        let types = types(&module.print_to_string().to_string());
        // What a named type is made of belongs to what is said about it.
        let whole = |text: &str, constants: &BTreeMap<String, String>| {
            format!("{}\n{}", plain(text, constants), definitions(text, &types))
        };
        let constants: BTreeMap<String, String> = module
            .get_globals()
            .filter(is_nameless)
            .map(|global| (name(global.get_name()), whole(&initial(&global), &BTreeMap::new())))
            .collect();
        let functions = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
        let callable = module.get_functions().filter(|it| it.get_linkage() == Linkage::External);
        let callable = callable.map(|it| name(it.get_name())).collect();
        let functions = functions
            .map(|it| (name(it.get_name()), whole(&it.print_to_string().to_string(), &constants)))
            .collect();
        let named = module.get_globals().filter(|global| !is_nameless(global) && !global.is_declaration());
        let variable = |global: GlobalValue| Variable {
            text: format!(
                "{} {}",
                whole(&initial(&global), &constants),
                if global.is_constant() { "constant" } else { "" }
            ),
            external: !matches!(global.get_linkage(), Linkage::Internal | Linkage::Private),
        };
        let globals = named.map(|global| (name(global.get_name()), variable(global))).collect();
        Ok(Fingerprint { functions, callable, globals })
    }

    /// What a version that defines these functions lacks, so that it cannot take the place of the file.
    pub(crate) fn missing(&self, defined: &[String]) -> Option<String> {
        let mut own = self.functions.keys().filter(|name| self.callable.contains(*name));
        own.find(|name| !defined.contains(name)).map(|name| format!("`{name}` is missing"))
    }

    /// The functions and globals that are not as in another one, and what stands in the way of taking one for the other.
    fn changed(&self, base: &Fingerprint) -> (BTreeSet<String>, Option<String>) {
        let globals =
            self.globals.iter().filter(|(name, variable)| base.globals.get(*name) != Some(variable));
        let mut changed: BTreeSet<String> = globals.map(|(name, _)| name.clone()).collect();
        let seen = |name: &&String| {
            let is_external = |of: &Fingerprint| of.globals.get(*name).is_some_and(|it| it.external);
            is_external(self) && is_external(base)
        };
        let fault = changed.iter().find(seen).map(|name| format!("`{name}` starts with another value"));
        let differs = |(name, text): (&String, &String), changed: &BTreeSet<String>| {
            base.functions.get(name) != Some(text) || words(text).any(|word| changed.contains(word))
        };
        let functions: Vec<String> = self
            .functions
            .iter()
            .filter(|entry| differs(*entry, &changed))
            .map(|(name, _)| name.clone())
            .collect();
        changed.extend(functions);
        (changed, fault)
    }
}

/// Grafts a version onto the meta-mutant. `renamed` are functions of the file that have another name there.
pub(crate) fn graft<'c>(
    context: &'c Context,
    module: &Module<'c>,
    base: &Fingerprint,
    bitcode: &[u8],
    renamed: &[(String, String)],
    number: u32,
    dispatches: &mut Dispatches<'c>,
) -> Result<Graft, Error> {
    let fingerprint = Fingerprint::of(bitcode)?;
    let (mut changed, fault) = fingerprint.changed(base);
    // Under another name, it is another function.
    changed.extend(renamed.iter().map(|(_, new)| new.clone()));
    let version = parse(context, bitcode)?;
    let pairs = pairs(module, &version, &changed, renamed);
    for name in &changed {
        let new = Graft::name(name, number);
        if let Some(function) = version.get_function(name) {
            function.as_global_value().set_name(&new);
            // The linker leaves out what is internal and used by nobody.
            function.set_linkage(Linkage::External);
        } else if let Some(global) = version.get_global(name) {
            global.set_name(&new);
            global.set_linkage(Linkage::External);
        }
    }
    let hidden = link(module, version)?;
    let (mut functions, mut misfit) = (Vec::new(), None);
    for (old, new) in pairs {
        let other = module.get_function(&Graft::name(&new, number));
        let (Some(own), Some(other)) = (module.get_function(&old), other) else {
            return Err(Error::Internal(format!("the other version of `{old}` is lost")));
        };
        if own.get_type() != other.get_type() {
            misfit = Some(format!("`{old}` takes or returns something else"));
            continue;
        }
        dispatches.entry(old.clone()).or_default().push((number, other));
        functions.push(old);
    }
    for name in &changed {
        let new = Graft::name(name, number);
        if let Some(function) = module.get_function(&new) {
            function.set_linkage(Linkage::Internal);
        } else if let Some(global) = module.get_global(&new) {
            global.set_linkage(Linkage::Internal);
        }
    }
    hidden.restore(module);
    let defined = fingerprint.functions.into_keys().collect();
    Ok(Graft { number, functions, defined, fault, misfit })
}

/// Gives up the names of a version that does not fit, so that another one can have its number.
pub(crate) fn forget(module: &Module, number: u32) {
    let end = Graft::name("", number);
    for function in module.get_functions().filter(|it| name(it.get_name()).ends_with(&end)) {
        function.as_global_value().set_name("whet.misfit");
    }
    for global in module.get_globals().filter(|it| name(it.get_name()).ends_with(&end)) {
        global.set_name("whet.misfit");
    }
}

/// Which function of the version stands for which of the file.
fn pairs(
    module: &Module,
    version: &Module,
    changed: &BTreeSet<String>,
    renamed: &[(String, String)],
) -> Vec<(String, String)> {
    let has_body = |module: &Module, name: &str| {
        module.get_function(name).is_some_and(|function| function.count_basic_blocks() > 0)
    };
    let is_renamed = |name: &String| renamed.iter().any(|(old, _)| old == name);
    let same = changed.iter().filter(|name| !is_renamed(name)).map(|name| (name.clone(), name.clone()));
    let all = renamed.iter().cloned().chain(same);
    all.filter(|(old, new)| has_body(module, old) && has_body(version, new)).collect()
}

/// What had to be visible for a while.
struct Hidden {
    names: Vec<(String, Linkage)>,
}

impl Hidden {
    fn restore(self, module: &Module) {
        for (name, linkage) in self.names {
            if let Some(function) = module.get_function(&name) {
                function.set_linkage(linkage);
            } else if let Some(global) = module.get_global(&name) {
                global.set_linkage(linkage);
            }
        }
    }
}

/// Links the version in. What both define is taken from the module.
fn link<'c>(module: &Module<'c>, version: Module<'c>) -> Result<Hidden, Error> {
    let mut names = Vec::new();
    for function in version.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        let own = name(function.get_name());
        if let Some(known) = module.get_function(&own) {
            names.push((own, known.get_linkage()));
            known.set_linkage(Linkage::External);
            function.set_linkage(Linkage::LinkOnceAny);
        }
    }
    for global in version.get_globals().filter(|global| !is_nameless(global) && !global.is_declaration()) {
        let own = name(global.get_name());
        if let Some(known) = module.get_global(&own).filter(|known| !known.is_declaration()) {
            names.push((own, known.get_linkage()));
            known.set_linkage(Linkage::External);
            global.set_linkage(Linkage::LinkOnceAny);
        }
    }
    module.link_in_module(version).map_err(|message| Error::Internal(message.to_string()))?;
    Ok(Hidden { names })
}

/// At its entry, each function asks whether another is to stand in for it.
pub(crate) fn dispatch<'c>(module: &Module<'c>, dispatches: &Dispatches<'c>) {
    // A mutant has one site, wherever it asks.
    let numbers: BTreeSet<u32> = dispatches.values().flatten().map(|(number, _)| *number).collect();
    let answer = version_site(module, &numbers);
    for (name, others) in dispatches {
        if let Some(own) = module.get_function(name) {
            dispatch_one(module, own, others, answer);
        }
    }
}

fn dispatch_one<'c>(
    module: &Module<'c>,
    own: FunctionValue<'c>,
    others: &[(u32, FunctionValue<'c>)],
    answer: FunctionValue<'c>,
) {
    const PLACED: &str = "the builder has a place";
    let context = module.get_context();
    let builder = context.create_builder();
    let Some(old) = own.get_first_basic_block() else { return };
    let entry = context.prepend_basic_block(old, "version");
    // Variables belong into the first block.
    builder.position_at_end(entry);
    let is_variable = |it: &InstructionValue| it.get_opcode() == InstructionOpcode::Alloca;
    for variable in old.get_instructions().filter(is_variable).collect::<Vec<_>>() {
        let name = variable.get_name().map(name);
        variable.remove_from_basic_block();
        builder.insert_instruction(&variable, name.as_deref());
    }
    let location = old.get_instructions().find_map(|it| it.get_debug_location());
    let call = builder.build_call(answer, &[], "version").expect(PLACED);
    let chosen = call.try_as_basic_value().expect_basic("a site gives a value").into_int_value();
    // SAFETY: a call is an instruction.
    let call = unsafe { InstructionValue::new(call.as_value_ref()) };
    call.set_debug_location(location);
    let case = |(number, _): &(u32, FunctionValue)| {
        let block = context.insert_basic_block_after(entry, "instead");
        (chosen.get_type().const_int((*number).into(), false), block)
    };
    let cases: Vec<_> = others.iter().map(case).collect();
    builder.build_switch(chosen, old, &cases).expect(PLACED);
    for ((_, block), (_, other)) in cases.iter().zip(others) {
        builder.position_at_end(*block);
        call_in_place(&builder, own, *other, location);
    }
}

/// Calls the other function with all that the first was given, and returns what it returns.
fn call_in_place<'c>(
    builder: &Builder<'c>,
    own: FunctionValue<'c>,
    other: FunctionValue<'c>,
    location: Option<inkwell::debug_info::DILocation<'c>>,
) {
    const PLACED: &str = "the builder has a place";
    let arguments: Vec<BasicMetadataValueEnum> = own.get_param_iter().map(Into::into).collect();
    let call = builder.build_call(other, &arguments, "").expect(PLACED);
    // SAFETY: the attributes of a function's parameters and result are those of a call to it.
    let call_instruction = unsafe {
        for index in 0..=own.count_params() {
            let count = LLVMGetAttributeCountAtIndex(own.as_value_ref(), index);
            let mut attributes = vec![std::ptr::null_mut(); count as usize];
            LLVMGetAttributesAtIndex(own.as_value_ref(), index, attributes.as_mut_ptr());
            for attribute in attributes {
                LLVMAddCallSiteAttribute(call.as_value_ref(), index, attribute);
            }
        }
        InstructionValue::new(call.as_value_ref())
    };
    call_instruction.set_debug_location(location);
    let result: Option<BasicValueEnum> = call.try_as_basic_value().basic();
    let end = match &result {
        Some(value) => builder.build_return(Some(value)),
        None => builder.build_return(None),
    };
    end.expect(PLACED).set_debug_location(location);
}

/// Whether nobody knows a global but by what it holds, such as the text of a string.
fn is_nameless(global: &GlobalValue) -> bool {
    global.get_linkage() == Linkage::Private
}

fn initial(global: &GlobalValue) -> String {
    global.get_initializer().map_or(String::new(), |value| value.print_to_string().to_string())
}

fn name(name: &std::ffi::CStr) -> String {
    name.to_string_lossy().into_owned()
}

/// Text of LLVM's without what differs from file to file: the numbers of attributes and metadata, and the names of constants.
fn plain(text: &str, constants: &BTreeMap<String, String>) -> String {
    let keep = |word: &str| -> String {
        match word.strip_prefix('@').and_then(|name| constants.get(name.trim_end_matches([',', ')']))) {
            Some(constant) => format!("({constant})"),
            None if word.starts_with('#') || word.starts_with('!') => String::new(),
            None => word.to_string(),
        }
    };
    // Constants inside of expressions, such as `getelementptr (i8, ptr @.str, …)`, stand alone as words, too.
    let lines = text.lines().filter(|line| !line.starts_with(';'));
    lines.map(|line| line.split(' ').map(keep).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n")
}

/// The named types of a module, each with what it is made of.
fn types(module: &str) -> BTreeMap<String, String> {
    let definition = |line: &str| {
        let (name, of) = line.split_once(" = type ")?;
        Some((name.strip_prefix('%')?.to_string(), of.to_string()))
    };
    module.lines().filter_map(definition).collect()
}

/// What the types that a text mentions are made of, and those that they mention.
fn definitions(text: &str, types: &BTreeMap<String, String>) -> String {
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = vec![text];
    while let Some(text) = waiting.pop() {
        for name in text.split('%').skip(1).map(word) {
            if let Some((name, of)) =
                types.get_key_value(name).filter(|(name, _)| !found.contains_key(name.as_str()))
            {
                found.insert(name, of);
                waiting.push(of);
            }
        }
    }
    found.iter().map(|(name, of)| format!("{name} = {of}\n")).collect()
}

/// The name that a text begins with.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"_.$-".contains(c));
    &text[..end.unwrap_or(text.len())]
}

/// The names of globals that a text mentions.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('@').skip(1).map(word)
}
