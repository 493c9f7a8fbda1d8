//! Other versions of a file, each as one mutant of it: a reference, a new
//! version, a copy that another tool has mutated.
//!
//! A version's functions are grafted onto the meta-mutant. Those that differ from the file's own come
//! in under another name. At its entry, the file's function of the old name asks which mutant runs,
//! and may call the other function instead. So a version is a mutant like any other, and the stages
//! need not know. What is the same in both is not copied, so there is one of each global variable.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::llvm_sys::LLVMTailCallKind;
use inkwell::llvm_sys::core::{
    LLVMAddCallSiteAttribute, LLVMBasicBlockAsValue, LLVMGetAttributeCountAtIndex, LLVMGetAttributesAtIndex,
    LLVMGetCalledValue, LLVMGetFirstUse, LLVMGetNextUse, LLVMGetNumOperands, LLVMGetUser,
    LLVMIsABlockAddress, LLVMIsACallInst, LLVMSetOperand, LLVMSetTailCallKind,
};
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, GlobalValue, InstructionOpcode,
    InstructionValue,
};

mod comparison;
mod fingerprint;
mod words;

use comparison::Changes;
pub use comparison::Second;
pub(crate) use fingerprint::Fingerprint;

use crate::lift::{is_single, startup, users};
use crate::mutate::version_site;
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
    /// Those of them that other files can call.
    pub callable: Vec<String>,
    /// The functions of the file that can reach something that is not the same
    /// in both, each with the reason why nothing can be said of it.
    pub touched: BTreeMap<String, Option<String>>,
    /// The variables that other files see and that are not the same, each with what is said of it.
    pub variables: Vec<(String, String)>,
    /// The second names (aliases) that other files see and that are not the same.
    pub seconds: BTreeMap<String, Second>,
    /// The functions that take or return something else, so that it could not.
    pub misfits: Vec<String>,
}

impl Graft {
    /// Why nothing can be said of the version as a whole, though it could take the place of the file.
    pub fn fault(&self) -> Option<String> {
        let variable = |(name, what): &(String, String)| format!("`{name}` is not the same: {what}");
        let touched = self.touched.values().flatten().next().cloned();
        let second = || self.seconds.keys().next().map(|name| format!("`{name}` stands for something else"));
        touched.or_else(|| self.variables.first().map(variable)).or_else(second)
    }

    /// A text for the user, in which functions and variables of this version have their own names.
    pub fn in_own_words(&self, text: &str) -> String {
        text.replace(&Graft::name("", self.number), "")
    }

    /// What the user calls a function that may be of a version.
    pub(crate) fn plain(name: &str) -> &str {
        name.split_once(SUFFIX).map_or(name, |(name, _)| name)
    }

    /// Whether a name of the program is a version's.
    pub fn is_grafted(name: &str) -> bool {
        name.contains(SUFFIX)
    }

    /// Whether a name of the program is one of the version with this number.
    pub(crate) fn is_of(name: &str, number: u32) -> bool {
        name.split_once(SUFFIX).is_some_and(|(_, suffix)| suffix.parse() == Ok(number))
    }

    /// What a function of a version is called in the program.
    pub fn name(function: &str, number: u32) -> String {
        format!("{function}{SUFFIX}{number}")
    }
}

/// Functions of the file, each with the mutants in which another stands in for it.
pub(crate) type Dispatches<'c> = BTreeMap<String, Vec<(u32, FunctionValue<'c>)>>;

/// What a graft needs to know.
pub(crate) struct Parts<'a> {
    /// What the file says.
    pub base: &'a Fingerprint,
    /// What the version says, and its code.
    pub version: &'a Fingerprint,
    pub bitcode: &'a [u8],
    /// Functions of the file that have another name there.
    pub renamed: &'a [(String, String)],
}

/// Grafts a version onto the meta-mutant.
pub(crate) fn graft<'c>(
    context: &'c Context,
    module: &Module<'c>,
    parts: &Parts,
    number: u32,
    dispatches: &mut Dispatches<'c>,
) -> Result<Graft, Error> {
    let Parts { base, version: fingerprint, bitcode, renamed } = parts;
    let Changes { brought, mut touched, variables, seconds } = fingerprint.changes(base, renamed);
    // Of those that touch another name for something, nothing is said.
    let changed: BTreeSet<String> = brought.into_iter().filter(|name| !fingerprint.is_alias(name)).collect();
    let version = parse(context, bitcode)?;
    // Every call may depend on what is picked before the first one.
    if let Some(fault) = startup::resolved(&version) {
        for name in base.functions() {
            touched.entry(name.clone()).or_default().get_or_insert(fault.clone());
        }
    }
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
        } else {
            return Err(Error::Internal(format!("the new version of `{name}` is lost")));
        }
    }
    let shared: Vec<&String> = pairs.iter().filter(|(old, new)| old == new).map(|(old, _)| old).collect();
    for name in &shared {
        share_address(module, &version, name, number);
    }
    let hidden = link(module, version, &shared)?;
    let (mut functions, mut misfits) = (Vec::new(), Vec::new());
    for (old, new) in pairs {
        let other = module.get_function(&Graft::name(&new, number));
        let (Some(own), Some(other)) = (module.get_function(&old), other) else {
            return Err(Error::Internal(format!("the other version of `{old}` is lost")));
        };
        if own.get_type() != other.get_type() {
            misfits.push(old);
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
    let defined = fingerprint.functions().cloned().collect();
    let callable = fingerprint.callable().cloned().collect();
    Ok(Graft { number, functions, defined, callable, touched, variables, seconds, misfits })
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

/// Has a version use the address of the file's own function, which asks which mutant runs: a function
/// has one address, whatever is in it. Where the version only calls the function, it calls its own.
fn share_address<'c>(module: &Module<'c>, version: &Module<'c>, name: &str, number: u32) {
    let (Some(own), Some(other)) =
        (module.get_function(name), version.get_function(&Graft::name(name, number)))
    else {
        return;
    };
    // The address of a label belongs to the function that has the label.
    if own.get_type() != other.get_type() || other.get_basic_block_iter().any(has_address) {
        return;
    }
    let shared = version.add_function(name, other.get_type(), None);
    other.replace_all_uses_with(shared);
    for call in users(shared.as_value_ref()) {
        // SAFETY: the function that is called is the last operand of a call.
        unsafe {
            if !LLVMIsACallInst(call.as_value_ref()).is_null()
                && LLVMGetCalledValue(call.as_value_ref()) == shared.as_value_ref()
            {
                let last = LLVMGetNumOperands(call.as_value_ref()) as u32 - 1;
                LLVMSetOperand(call.as_value_ref(), last, other.as_value_ref());
            }
        }
    }
}

/// Whether somebody has taken the address of a block.
fn has_address(block: BasicBlock) -> bool {
    // SAFETY: a block may be asked for its uses as any value. The list belongs
    // to it, and nobody changes it meanwhile.
    unsafe {
        let mut at = LLVMGetFirstUse(LLVMBasicBlockAsValue(block.as_mut_ptr()));
        while !at.is_null() && LLVMIsABlockAddress(LLVMGetUser(at)).is_null() {
            at = LLVMGetNextUse(at);
        }
        !at.is_null()
    }
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

/// Links the version in. What both define is taken from the module, and so are
/// functions that the version shares with it.
fn link<'c>(module: &Module<'c>, version: Module<'c>, shared: &[&String]) -> Result<Hidden, Error> {
    let mut names = Vec::new();
    for function in version.get_functions() {
        let own = name(function.get_name());
        let has_body = function.count_basic_blocks() > 0;
        if let Some(known) = module.get_function(&own).filter(|_| has_body || shared.contains(&&own)) {
            names.push((own, known.get_linkage()));
            known.set_linkage(Linkage::External);
            if has_body {
                function.set_linkage(Linkage::LinkOnceAny);
            }
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
    // But an array of a length that is computed stays behind the computation.
    let is_fixed = |it: &InstructionValue| is_variable(it) && is_single(*it);
    for variable in old.get_instructions().filter(is_fixed).collect::<Vec<_>>() {
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
        if own.get_type().is_var_arg() {
            // This passes on what it has no parameters for, too.
            LLVMSetTailCallKind(call.as_value_ref(), LLVMTailCallKind::LLVMTailCallKindMustTail);
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

fn name(name: &std::ffi::CStr) -> String {
    name.to_string_lossy().into_owned()
}
